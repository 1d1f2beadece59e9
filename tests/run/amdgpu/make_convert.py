#!/usr/bin/env python3
"""Makes convert.txt: AMD's conversions to and from small formats, fixed point and narrow integers.

What bits of small formats mean says ml_dtypes; rounding is by exact fractions over the list of all numbers of a format. What becomes of NaN and overflow, which
random bits count and how scales act follows AMD's ISA guides and the model of the hardware in HIP's amd_hip_ocp_host.hpp. Nothing here is shared with the Rust code.
`python3 make_convert.py` rewrites the file.
"""

import math
import os
import random
import struct
from bisect import bisect_right
from fractions import Fraction as F

import ml_dtypes
import numpy

import records
from records import hexes, on

R = random.Random(31)
OUT = ["# Made by make_convert.py from ml_dtypes' formats and exact fractions."]
WIDE = {"f32": (8, 23, 127), "f16": (5, 10, 15), "bf16": (8, 7, 127)}


class Small:
    """A small format: all of its numbers."""

    def __init__(self, dtype, bits, mantissa, overflow):
        self.bits, self.mantissa, self.overflow = bits, mantissa, overflow
        self.sign = 1 << (bits - 1)
        raw = numpy.arange(1 << bits, dtype=numpy.uint8).view(dtype)
        self.values = [float(x) for x in raw.astype(numpy.float32)]
        positive = [(F(v), code) for code, v in enumerate(self.values[: self.sign]) if math.isfinite(v)]
        self.numbers = [v for v, _ in positive]
        assert [c for _, c in positive] == list(range(len(positive)))
        # What would come next if there were larger numbers.
        self.next = self.numbers[-1] + (self.numbers[-1] - self.numbers[-2])

    def nan(self, negative):
        if self.overflow == "fnuz":
            return 0x80
        code = {"inf": 0x7E, "nan": 0x7F, "most": self.sign - 1}[self.overflow]
        return code | (self.sign if negative else 0)

    def beyond(self, negative):
        if self.overflow == "fnuz":
            return 0x80
        code = {"inf": 0x7C, "nan": 0x7F, "most": self.sign - 1}[self.overflow]
        return code | (self.sign if negative else 0)

    def signed(self, code, negative):
        if code >= len(self.numbers):
            return self.beyond(negative)
        return 0 if code == 0 and self.overflow == "fnuz" else code | (self.sign if negative else 0)

    def nearest(self, x, negative):
        i = bisect_right(self.numbers, x) - 1
        up = self.numbers[i + 1] if i + 1 < len(self.numbers) else self.next
        if x >= self.next:
            return self.beyond(negative)
        middle = (self.numbers[i] + up) / 2
        return self.signed(i + (x > middle or (x == middle and i & 1)), negative)

    def stochastic(self, x, negative, word, count):
        """`count` bits below the last one kept, plus as many upper bits of the random word."""
        if x >= self.next:
            return self.beyond(negative)
        i = bisect_right(self.numbers, x) - 1
        up = self.numbers[i + 1] if i + 1 < len(self.numbers) else self.next
        rest = int((x - self.numbers[i]) / (up - self.numbers[i]) * (1 << count))
        return self.signed(i + (rest + (word >> (32 - count)) >> count), negative)


class Unsigned(Small):
    """E5M3, which has no sign: all ones are NaN."""

    def __init__(self):
        self.bits, self.mantissa, self.overflow, self.sign = 8, 3, "nan", 0
        self.values = [(8 * (c >= 8) + c % 8) * 2.0 ** (max(c >> 3, 1) - 18) for c in range(255)] + [math.nan]
        self.numbers = [F(v) for v in self.values[:255]]
        self.next = self.numbers[-1] + (self.numbers[-1] - self.numbers[-2])

    def nan(self, negative):
        return 0xFF

    beyond = nan

    def signed(self, code, negative):
        return code


SMALL = {
    "e5m3": Unsigned(),
    "fp8": Small(ml_dtypes.float8_e4m3fn, 8, 3, "nan"),
    "bf8": Small(ml_dtypes.float8_e5m2, 8, 2, "inf"),
    "fp8z": Small(ml_dtypes.float8_e4m3fnuz, 8, 3, "fnuz"),
    "bf8z": Small(ml_dtypes.float8_e5m2fnuz, 8, 2, "fnuz"),
    "fp6": Small(ml_dtypes.float6_e2m3fn, 6, 3, "most"),
    "bf6": Small(ml_dtypes.float6_e3m2fn, 6, 2, "most"),
    "fp4": Small(ml_dtypes.float4_e2m1fn, 4, 1, "most"),
}


def wide_value(kind, bits):
    """Sign, and a fraction, "inf" or "nan"."""
    e, f, bias = WIDE[kind]
    sign, exponent, fraction = bits >> (e + f) & 1, bits >> f & ((1 << e) - 1), bits & ((1 << f) - 1)
    if exponent == (1 << e) - 1:
        return sign, "nan" if fraction else "inf"
    return sign, F(fraction + ((1 << f) if exponent else 0)) * F(2) ** (max(exponent, 1) - bias - f)


def wide_encode(kind, negative, x):
    """Rounded to nearest."""
    e, f, bias = WIDE[kind]
    sign, top = int(negative) << (e + f), (1 << e) - 1 << f
    if x == "nan":
        return sign | top | 1 << (f - 1)
    if x == "inf":
        return sign | top
    if not x:
        return sign
    power = max((x.numerator.bit_length() - x.denominator.bit_length()), 1 - bias)
    while power > 1 - bias and x < F(2) ** power:
        power -= 1
    while x >= F(2) ** (power + 1):
        power += 1
    units = round(x / F(2) ** (power - f))  # Python rounds ties to even.
    return sign | min((power + bias - 1 << f) + units, top) if units else sign


def narrow(kind, to, bits, scale=127, word=None):
    s = SMALL[to]
    sign, x = wide_value(kind, bits)
    if x == "nan" or scale == 255:
        return s.nan(sign)
    if x == "inf":
        return s.beyond(sign)
    x *= F(2) ** (127 - scale)
    if word is None:
        return s.nearest(x, sign)
    return s.stochastic(x, sign, word, WIDE[kind][1] - s.mantissa)


def widen(of, kind, code, scale=127):
    v = SMALL[of].values[code]
    negative = math.copysign(1, v) < 0
    if math.isnan(v) or scale == 255:
        # ml_dtypes' NaN has no sign that counts.
        negative = bool(code & SMALL[of].sign) and not (of.endswith("z") and math.isnan(v))
        return wide_encode(kind, negative, "nan")
    return wide_encode(kind, negative, "inf" if math.isinf(v) else abs(F(v)) * F(2) ** (scale - 127))


def edges(kind, to, scale=127):
    """Bits of numbers that are hard to convert: between the numbers of the other format, at the ends, and no numbers."""
    s, (e, f, bias) = SMALL[to], WIDE[kind]
    top = (1 << e) - 1 << f
    sign = 1 << (e + f)
    some = [s.numbers[1] / 2, s.numbers[1], s.numbers[2], (s.numbers[1] + s.numbers[2]) / 2, s.numbers[-1], (s.numbers[-1] + s.next) / 2, s.next, s.numbers[-1] * 100]
    some += [(a + b) / 2 for a, b in R.sample(list(zip(s.numbers, s.numbers[1:])), 4 if s.bits > 4 else 3)]
    out = [0, sign, top, top | sign, top | 1 << (f - 1), top | 1, top | sign | 5, 1]
    for x in some:
        bits = wide_encode(kind, R.random() < 0.3, x * F(2) ** (scale - 127))
        out += [bits, bits + 1, max(bits - 1, 0)]
    while len(out) < 60:
        x = F(R.uniform(0, float(s.numbers[-1]) * 1.2)) * R.choice([1, 1, F(1, 16), F(1, 200)])
        out.append(wide_encode(kind, R.random() < 0.5, x * F(2) ** (scale - 127)))
    return out


def take(pool, n=32):
    return [pool[i] if i < len(pool) else R.choice(pool) for i in R.sample(range(max(n, len(pool))), n)]


def words(n=32):
    return [R.choice([0, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF]) if R.random() < 0.3 else R.getrandbits(32) for _ in range(n)]


def line(where, *parts, **more):
    if where:
        OUT.append(records.lanes_line(where, *parts, **more))


def placed(old, value, at, bits):
    mask = (1 << bits) - 1 << at
    return old & ~mask | value << at & mask


EXECS = [None, 0x0F0F3C5A, 0x80000001]

# Numbers of 8 bits: to them, unscaled.
for form in ("fp8", "bf8"):
    for group, f in [("gfx942", form + "z"), ("gfx950", form)]:
        where = on(f"v_cvt_pk_{form}_f32", group)
        for half, suffix in [(0, ""), (1, " op_sel:[0,0,1]")]:
            a, b, old = take(edges("f32", f)), take(edges("f32", f)), words()
            made = [placed(o, narrow("f32", f, x) | narrow("f32", f, y) << 8, 16 * half, 16) for x, y, o in zip(a, b, old)]
            line(where, f"v_cvt_pk_{form}_f32 v0, v1, v2{suffix}", {"v0": old, "v1": a, "v2": b}, {"v0": made}, EXECS[half])
        for byte in range(4):
            a, r, old = take(edges("f32", f)), words(), words()
            made = [placed(o, narrow("f32", f, x, word=w), 8 * byte, 8) for x, w, o in zip(a, r, old)]
            suffix = f" op_sel:[0,0,{byte & 1},{byte >> 1}]" if byte else ""
            line(on(f"v_cvt_sr_{form}_f32", group), f"v_cvt_sr_{form}_f32 v0, v1, v2{suffix}", {"v0": old, "v1": a, "v2": r}, {"v0": made}, EXECS[byte % 3])
    f = form
    for half in "lh":
        a, b, old = take(edges("f32", f)), take(edges("f32", f)), words()
        made = [placed(o, narrow("f32", f, x) | narrow("f32", f, y) << 8, 16 * (half == "h"), 16) for x, y, o in zip(a, b, old)]
        line(on(f"v_cvt_pk_{form}_f32", "gfx12"), f"v_cvt_pk_{form}_f32 v0.{half}, v1, v2", {"v0": old, "v1": a, "v2": b}, {"v0": made}, EXECS[half == "h"])
        a, old = [x | y << 16 for x, y in zip(take(edges("f16", f)), take(edges("f16", f)))], words()
        made = [placed(o, narrow("f16", f, x & 0xFFFF) | narrow("f16", f, x >> 16) << 8, 16 * (half == "h"), 16) for x, o in zip(a, old)]
        line(on(f"v_cvt_pk_{form}_f16"), f"v_cvt_pk_{form}_f16 v0.{half}, v1", {"v0": old, "v1": a}, {"v0": made}, EXECS[half == "l"])
    for byte in range(4):
        suffix = f" byte_sel:{byte}" if byte else ""
        for kind in ("f32", "f16"):
            a, r, old = take(edges(kind, f)), words(), words()
            made = [placed(o, narrow(kind, f, x, word=w), 8 * byte, 8) for x, w, o in zip(a, r, old)]
            reg = "v1" if kind == "f32" else "v1.l"
            line(on(f"v_cvt_sr_{form}_{kind}", "gfx12"), f"v_cvt_sr_{form}_{kind} v0, {reg}, v2{suffix}", {"v0": old, "v1": a, "v2": r}, {"v0": made}, EXECS[byte % 3])
            if kind == "f16":
                high = [x << 16 | R.getrandbits(16) for x in a]
                line(on(f"v_cvt_sr_{form}_{kind}", "gfx12"), f"v_cvt_sr_{form}_{kind} v0, v1.h, v2{suffix}", {"v0": old, "v1": high, "v2": r}, {"v0": made})

# On gfx125 a clamp chooses E5M3.
for half in "lh":
    a, b, old = take(edges("f32", "e5m3")), take(edges("f32", "e5m3")), words()
    made = [placed(o, narrow("f32", "e5m3", x) | narrow("f32", "e5m3", y) << 8, 16 * (half == "h"), 16) for x, y, o in zip(a, b, old)]
    line(on("v_cvt_pk_fp8_f32", "gfx125"), f"v_cvt_pk_fp8_f32 v0.{half}, v1, v2 clamp", {"v0": old, "v1": a, "v2": b}, {"v0": made}, EXECS[half == "h"])
    a, old = [x | y << 16 for x, y in zip(take(edges("f16", "e5m3")), take(edges("f16", "e5m3")))], words()
    made = [placed(o, narrow("f16", "e5m3", x & 0xFFFF) | narrow("f16", "e5m3", x >> 16) << 8, 16 * (half == "h"), 16) for x, o in zip(a, old)]
    line(on("v_cvt_pk_fp8_f16"), f"v_cvt_pk_fp8_f16 v0.{half}, v1 clamp", {"v0": old, "v1": a}, {"v0": made}, EXECS[half == "l"])
for byte in (0, 2):
    suffix = f" byte_sel:{byte}" if byte else ""
    a, r, old = take(edges("f32", "e5m3")), words(), words()
    made = [placed(o, narrow("f32", "e5m3", x, word=w), 8 * byte, 8) for x, w, o in zip(a, r, old)]
    line(on("v_cvt_sr_fp8_f32", "gfx125"), f"v_cvt_sr_fp8_f32 v0, v1, v2{suffix} clamp", {"v0": old, "v1": a, "v2": r}, {"v0": made})
    a = words()
    line(on("v_cvt_f32_fp8", "gfx125"), f"v_cvt_f32_fp8_e64 v0, v1{suffix} clamp", {"v1": a}, {"v0": [widen("e5m3", "f32", x >> (8 * byte) & 0xFF) for x in a]})
# Where FP16_OVFL says so, what overflows is the largest number.
for form in ("fp8", "bf8"):
    for group, f in [("gfx942", form + "z"), ("gfx950", form), ("gfx12", form)]:
        s, a = SMALL[f], take(edges("f32", f))
        most = lambda x: len(s.numbers) - 1 | (s.sign if x >> 31 else 0)
        over = lambda x: narrow("f32", f, x) in (s.beyond(0), s.beyond(1)) and wide_value("f32", x)[1] != "nan"
        made = [most(x) if over(x) else narrow("f32", f, x) for x in a]
        text = f"v_cvt_pk_{form}_f32 {'v0.l' if group == 'gfx12' else 'v0'}, v1, v1"
        line(on(f"v_cvt_pk_{form}_f32", group), f"s_setreg_imm32_b32 hwreg(1, 23, 1), 1; {text}", {"v1": a}, {"v0": [m | m << 8 for m in made]})

# From them.
for form in ("fp8", "bf8"):
    for first in range(0, 256, 32):
        codes = list(range(first, first + 32))
        full = [R.getrandbits(24) << 8 | c for c in codes]
        for group, f in [("gfx942", form + "z"), ("gfx950 gfx12", form)]:
            line(on(f"v_cvt_f32_{form}", group), f"v_cvt_f32_{form} v0, v1", {"v1": full}, {"v0": [widen(f, "f32", c) for c in codes]})
        line(on(f"v_cvt_f16_{form}"), f"v_cvt_f16_{form} v0.l, v1", {"v1": full}, {"v0": [widen(form, "f16", c) for c in codes]})
    for group, f in [("gfx942", form + "z"), ("gfx950", form), ("gfx12", form)]:
        for byte in range(4):
            a = words()
            made = [widen(f, "f32", x >> (8 * byte) & 0xFF) for x in a]
            text = f"v_cvt_f32_{form}_sdwa v0, v1 src0_sel:BYTE_{byte}" if group != "gfx12" else f"v_cvt_f32_{form}_e64 v0, v1" + (f" byte_sel:{byte}" if byte else "")
            line(on(f"v_cvt_f32_{form}", group), text, {"v1": a}, {"v0": made}, EXECS[byte % 3])
        for half in range(2):
            a = words()
            made = [[widen(f, "f32", x >> (16 * half + 8 * i) & 0xFF) for x in a] for i in range(2)]
            if group == "gfx12":
                text = f"v_cvt_pk_f32_{form} v[2:3], v1.{'lh'[half]}"
            else:
                text = f"v_cvt_pk_f32_{form}_sdwa v[2:3], v1 src0_sel:WORD_{half}" if half else f"v_cvt_pk_f32_{form} v[2:3], v1"
            line(on(f"v_cvt_pk_f32_{form}", group), text, {"v1": a}, {"v2": made[0], "v3": made[1]}, EXECS[half])
    for byte in range(4):
        a = words()
        suffix = f" byte_sel:{byte}" if byte else ""
        line(on(f"v_cvt_f16_{form}"), f"v_cvt_f16_{form}_e64 v0.h, v1{suffix}", {"v0": a, "v1": a}, {"v0": [widen(form, "f16", x >> (8 * byte) & 0xFF) << 16 | x & 0xFFFF for x in a]})
    for half in range(2):
        a = words()
        made = [widen(form, "f16", x >> (16 * half) & 0xFF) | widen(form, "f16", x >> (16 * half + 8) & 0xFF) << 16 for x in a]
        line(on(f"v_cvt_pk_f16_{form}"), f"v_cvt_pk_f16_{form} v0, v1.{'lh'[half]}", {"v1": a}, {"v0": made}, EXECS[half])

# With a scale, gfx950: the exponent of a number in single precision.
SCALES = [127, 127, 130, 120, 1, 0, 254, 255, 200, 60]


def scale_words(scales):
    return [s << 23 | R.getrandbits(23) | R.getrandbits(1) << 31 for s in scales]


def scaled_sources(kind, f, n=32):
    """Bits of numbers, and scales for them; most where the quotient is in the format's range."""
    scales = [R.choice(SCALES) for _ in range(n)]
    pools = {s: edges(kind, f, s if kind != "f16" or 118 <= s <= 132 else 127) for s in set(scales)}
    return [R.choice(pools[s]) for s in scales], scales


for f in ("fp8", "bf8", "fp4"):
    bits = SMALL[f].bits
    parts = 2 if bits == 8 else 4
    for kind in ("f32", "f16", "bf16"):
        for part in range(parts):
            old = words()
            at = 2 * bits * part
            sel = {8: f"[0,0,0,{part}]", 4: f"[0,0,{part & 1},{part >> 1}]"}[bits]
            a, scales = scaled_sources(kind, f)
            b = [R.choice(edges(kind, f, s if kind != "f16" or 118 <= s <= 132 else 127)) for s in scales]
            s = scale_words(scales)
            made = [placed(o, narrow(kind, f, x, e) | narrow(kind, f, y, e) << bits, at, 2 * bits) for x, y, e, o in zip(a, b, scales, old)]
            name = f"v_cvt_scalef32_pk_{f}_{kind}"
            if kind == "f32":
                line(on(name), f"{name} v0, v1, v2, v3" + (f" op_sel:{sel}" if part else ""), {"v0": old, "v1": a, "v2": b, "v3": s}, {"v0": made}, EXECS[part % 3])
            else:
                sel = {8: f"[0,0,{part}]", 4: f"[0,0,{part & 1},{part >> 1}]"}[bits]
                both = [x | y << 16 for x, y in zip(a, b)]
                line(on(name), f"{name} v0, v1, v3" + (f" op_sel:{sel}" if part else ""), {"v0": old, "v1": both, "v3": s}, {"v0": made}, EXECS[part % 3])
            r = words()
            if f == "fp4":
                nexts = [(w << 1 ^ (197 if w >> 31 else 0)) & 0xFFFFFFFF for w in r]
                made = [placed(o, narrow(kind, f, x, e, w) | narrow(kind, f, y, e, n) << 4, 8 * part, 8) for x, y, e, w, n, o in zip(a, b, scales, r, nexts, old)]
                name = f"v_cvt_scalef32_sr_pk_fp4_{kind}"
                sel = f" op_sel:[0,0,{part & 1},{part >> 1}]" if part else ""
                if kind == "f32":
                    line(on(name), f"{name} v0, v[4:5], v2, v3{sel}", {"v0": old, "v4": a, "v5": b, "v2": r, "v3": s}, {"v0": made}, EXECS[part % 3])
                else:
                    line(on(name), f"{name} v0, v4, v2, v3{sel}", {"v0": old, "v4": [x | y << 16 for x, y in zip(a, b)], "v2": r, "v3": s}, {"v0": made}, EXECS[part % 3])
        if bits == 8:
            for byte in range(4):
                name = f"v_cvt_scalef32_sr_{f}_{kind}"
                (a, scales), r, old = scaled_sources(kind, f), words(), words()
                made = [placed(o, narrow(kind, f, x, e, w), 8 * byte, 8) for x, e, w, o in zip(a, scales, r, old)]
                sel = f" op_sel:[0,0,{byte & 1},{byte >> 1}]" if byte else ""
                line(on(name), f"{name} v0, v1, v2, v3{sel}", {"v0": old, "v1": a, "v2": r, "v3": scale_words(scales)}, {"v0": made}, EXECS[byte % 3])
                name, old = f"v_cvt_scalef32_{kind}_{f}", words()
                scales, a = [R.choice(SCALES) for _ in range(32)], words()
                sel = f" op_sel:[{byte & 1},{byte >> 1}]" if byte else ""
                made = [widen(f, kind, x >> (8 * byte) & 0xFF, e) for x, e in zip(a, scales)]
                given = {"v1": a, "v3": scale_words(scales)}
                if kind == "f16":
                    given["v0"] = old
                    made = [placed(o, m, 0, 16) for o, m in zip(old, made)]
                line(on(name), f"{name} v0, v1, v3{sel}", given, {"v0": made}, EXECS[byte % 3])
                if kind == "f16":
                    made = [placed(o, widen(f, kind, x >> (8 * byte) & 0xFF, e), 16, 16) for o, x, e in zip(old, a, scales)]
                    line(on(name), f"{name} v0, v1, v3 op_sel:[{byte & 1},{byte >> 1},1]", given, {"v0": made})
        name = f"v_cvt_scalef32_pk_{kind}_{f}"
        for part in range(parts):
            scales, a = [R.choice(SCALES) for _ in range(32)], words()
            sel = "" if not part else " op_sel:[1,0]" if bits == 8 else f" op_sel:[{part & 1},{part >> 1}]"
            codes = [[x >> (2 * bits * part + bits * i) & ((1 << bits) - 1) for i in range(2)] for x in a]
            low, high = ([widen(f, kind, c[i], e) for c, e in zip(codes, scales)] for i in range(2))
            given = {"v1": a, "v4": scale_words(scales)}
            if kind == "f32":
                line(on(name), f"{name} v[2:3], v1, v4{sel}", given, {"v2": low, "v3": high}, EXECS[part % 3])
            else:
                line(on(name), f"{name} v2, v1, v4{sel}", given, {"v2": [x | y << 16 for x, y in zip(low, high)]}, EXECS[part % 3])


def lanes_to_words(numbers, bits):
    """Packed numbers, a list of them for each lane, as registers."""
    out = []
    packed = [sum(c << (bits * i) for i, c in enumerate(n)) for n in numbers]
    for i in range((len(numbers[0]) * bits + 31) // 32):
        out.append([p >> (32 * i) & 0xFFFFFFFF for p in packed])
    return out


def tuple_(first, count):
    return f"v[{first}:{first + count - 1}]" if count > 1 else f"v{first}"


def registers(first, rows):
    return {f"v{first + i}": row for i, row in enumerate(rows)}


LANES = 4


def pack_many(name, kind, f, count, random_bits=False, exec_=None, turns=False, scale=None):
    sources, scales = zip(*(((lambda p: [R.choice(p) for _ in range(count)])(edges(kind, f, e if kind != "f16" or 118 <= e <= 132 else 127)), e) for e in ([scale] * LANES if scale is not None else [R.choice(SCALES) for _ in range(LANES)])))
    seeds = words(LANES)
    made = []
    for xs, e, w in zip(sources, scales, seeds):
        codes = []
        for x in xs:
            codes.append(narrow(kind, f, x, e, w if random_bits else None))
            w = (w << 1 ^ (197 if w >> 31 else 0)) & 0xFFFFFFFF
        made.append(codes)
    result = registers(10, lanes_to_words(made, SMALL[f].bits))
    width = {"f32": 32, "f16": 16, "bf16": 16}[kind]
    d = tuple_(10, len(result))
    given = {"v80": scale_words(scales), "v81": seeds}
    if turns:
        given |= registers(20, lanes_to_words([xs[0::2] for xs in sources], width)) | registers(40, lanes_to_words([xs[1::2] for xs in sources], width))
        operands = "v[20:35], v[40:55]"
    else:
        rows = lanes_to_words(sources, width)
        given |= registers(20, rows)
        operands = tuple_(20, len(rows))
    scale_operand = "v80"
    if scale is not None:
        scale_operand = "s4"
        given["s4"] = scale << 23
    line(on(name), f"{name} {d}, {operands}, {'v81, ' if random_bits else ''}{scale_operand}", given, result, exec_)


def unpack_many(name, kind, f, count, byte=None, exec_=None):
    bits = SMALL[f].bits
    codes = [[R.getrandbits(bits) for _ in range(count)] for _ in range(LANES)]
    scales = [R.choice(SCALES) for _ in range(LANES)]
    rows = lanes_to_words(codes, bits)
    width = {"f32": 32, "f16": 16, "bf16": 16}[kind]
    made = registers(40, lanes_to_words([[widen(f, kind, c, e) for c in cs] for cs, e in zip(codes, scales)], width))
    given = registers(20, rows)
    if byte is None:
        given["v80"], suffix = scale_words(scales), ""
    else:
        given["v80"], suffix = [placed(R.getrandbits(32), e, 8 * byte, 8) for e in scales], f" scale_sel:{byte}" if byte else ""
    line(on(name), f"{name} {tuple_(40, len(made))}, {tuple_(20, len(rows))}, v80{suffix}", given, made, exec_)


for f in ("fp6", "bf6"):
    for kind in ("f32", "f16", "bf16"):
        for exec_ in (None, 0b1010):
            if kind == "f32":
                pack_many(f"v_cvt_scalef32_2xpk16_{f}_f32", kind, f, 32, False, exec_, True)
            else:
                pack_many(f"v_cvt_scalef32_pk32_{f}_{kind}", kind, f, 32, False, exec_)
            pack_many(f"v_cvt_scalef32_sr_pk32_{f}_{kind}", kind, f, 32, True, exec_)
            unpack_many(f"v_cvt_scalef32_pk32_{kind}_{f}", kind, f, 32, None, exec_)
            pack_many(f"v_cvt_scalef32_pk16_{f}_{kind}", kind, f, 16, False, exec_)
            pack_many(f"v_cvt_scalef32_sr_pk16_{f}_{kind}", kind, f, 16, True, exec_)
        pack_many(f"v_cvt_scalef32_pk16_{f}_{kind}", kind, f, 16, scale=128)
        for byte in range(4):
            unpack_many(f"v_cvt_scale_pk16_{kind}_{f}", kind, f, 16, byte, (None, 0b0110)[byte & 1])
for f in ("fp8", "bf8", "fp4"):
    for kind in ("f32", "f16", "bf16"):
        for exec_ in (None, 0b1001):
            pack_many(f"v_cvt_scalef32_pk8_{f}_{kind}", kind, f, 8, False, exec_)
            pack_many(f"v_cvt_scalef32_sr_pk8_{f}_{kind}", kind, f, 8, True, exec_)
        pack_many(f"v_cvt_scalef32_pk8_{f}_{kind}", kind, f, 8, scale=125)
        for byte in range(4):
            unpack_many(f"v_cvt_scale_pk8_{kind}_{f}", kind, f, 8, byte, (None, 0b0110)[byte & 1])

# Halves.
def keeps_payload(kind, bits):
    """A NaN of single precision in a narrower format: the upper bits of its payload, quiet."""
    e, f, _ = WIDE[kind]
    return (bits >> 31) << (e + f) | ((1 << e) - 1) << f | (bits & 0x7FFFFF) >> (23 - f) | 1 << (f - 1)


def to_half(kind, bits, word=None):
    sign, x = wide_value("f32", bits)
    if x == "nan":
        return keeps_payload(kind, bits)
    if x == "inf" or word is None:
        return wide_encode(kind, sign, x)
    e, f, bias = WIDE[kind]
    count = 23 - f
    # The number below it, by its magnitude, and the bits that it lacks.
    unit = F(2) ** (max((bits >> 23 & 0xFF) - 127, 1 - bias) - f) if x >= F(2) ** -126 or kind == "f16" else F(2) ** (1 - bias - f)
    units = int(x / unit)
    rest = int((x / unit - units) * (1 << count))
    x = (units + (rest + (word >> (32 - count)) >> count)) * unit
    return wide_encode(kind, sign, x if x < F(2) ** (bias + 1) else "inf")


HALF_EDGES = [0, 0x80000000, 1, 0x80000001, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC12345, 0x7FFFFFFF, 0x477FEFFF, 0x477FF000, 0x477FE000, 0xC77FFFFF,
              0x33000000, 0x33000001, 0x33800000, 0x38800000, 0x387FFFFF, 0x3F801000, 0x3F803000, 0x3F800FFF, 0x3F808000, 0x3F818000, 0x7F7FFFFF, 0x7F7F8000, 0x7F7F7FFF, 0x00008000, 0x807F8000]


def single(n=32):
    return [R.choice(HALF_EDGES) if R.random() < 0.7 else R.choice([R.getrandbits(32), 0x3F800000 ^ R.getrandbits(24), 0x38000000 ^ R.getrandbits(24)]) for _ in range(n)]


for kind in ("f16", "bf16"):
    for exec_ in EXECS:
        a, b, r, old = single(), single(), words(), words()
        line(on(f"v_cvt_pk_{kind}_f32"), f"v_cvt_pk_{kind}_f32 v0, v1, v2", {"v0": old, "v1": a, "v2": b}, {"v0": [to_half(kind, x) | to_half(kind, y) << 16 for x, y in zip(a, b)]}, exec_)
        made = [to_half(kind, x, w) | to_half(kind, y, (w << 1 ^ (197 if w >> 31 else 0)) & 0xFFFFFFFF) << 16 for x, y, w in zip(a, b, r)]
        line(on(f"v_cvt_sr_pk_{kind}_f32"), f"v_cvt_sr_pk_{kind}_f32 v0, v1, v2, v3", {"v0": old, "v1": a, "v2": b, "v3": r}, {"v0": made}, exec_)
        for half, sel in [(0, ""), (1, " op_sel:[0,0,1]")]:
            line(on(f"v_cvt_sr_{kind}_f32"), f"v_cvt_sr_{kind}_f32 v0, v1, v3{sel}", {"v0": old, "v1": a, "v3": r}, {"v0": [placed(o, to_half(kind, x, w), 16 * half, 16) for o, x, w in zip(old, a, r)]}, exec_)


def from_brain(x):
    bits = x << 16
    return bits | 0x400000 if bits & 0x7FFFFFFF > 0x7F800000 else bits


brains = [0, 0x8000, 1, 0x7F80, 0xFF80, 0x7FC1, 0x7F81, 0xFFFF] + [R.getrandbits(16) for _ in range(24)]
line(on("v_cvt_f32_bf16", "gfx950"), "v_cvt_f32_bf16 v0, v1", {"v1": brains}, {"v0": [from_brain(x) for x in brains]})
line(on("v_cvt_f32_bf16", "gfx950"), "v_cvt_f32_bf16_sdwa v0, v1 src0_sel:WORD_1", {"v1": [x << 16 | 5 for x in brains]}, {"v0": [from_brain(x) for x in brains]})
for half in "lh":
    line(on("v_cvt_f32_bf16", "gfx125"), f"v_cvt_f32_bf16 v0, v1.{half}", {"v1": [x << 16 | 0x1234 if half == "h" else x | 0x12340000 for x in brains]}, {"v0": [from_brain(x) for x in brains]})
for value, expected in [(0x3C001234, 0x3F800000), (0xC0007FFF, 0xC0000000), (0x7C010000, 0x7FC02000), (0x00010000, 0x33800000), (0xFC000000, 0xFF800000)]:
    line(on("s_cvt_hi_f32_f16"), "s_cvt_hi_f32_f16 s0, s1", {"s1": value}, {"s0": [expected]})

# Fixed point: to nearest, ties to even; the guides name no rounding.
def fixed(kind, bits, factor, low, high, nearest=True):
    sign, x = wide_value(kind, bits)
    if x == "nan":
        return 0
    if x == "inf":
        return low if sign else high
    x = (-x if sign else x) * factor
    whole = round(x) if nearest else int(x)
    return max(low, min(high, whole))


def pool(kind):
    if kind == "f32":
        base = [0x3F800000, 0xBF800000, 0x3F000000, 0xBF000000, 0x3F7FFFFF, 0x3F800001, 0x40000000, 0xC0000000, 0x38000100, 0x437F0000, 0x437F8000, 0x43800000, 0x3FC00000, 0x40200000, 0x46FFFE00, 0x46FFFF00, 0x47000000, 0xC7000000, 0xC7000100, 0x477FFF00, 0x477FFF80, 0xBF7FFFFF]
        return [*HALF_EDGES[:10], *base] + [wide_encode("f32", R.random() < 0.4, F(R.uniform(0, 1.2))) for _ in range(16)] + [wide_encode("f32", R.random() < 0.4, F(R.uniform(0, 70000))) for _ in range(16)]
    return [0, 0x8000, 1, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0xFE05, 0x3C00, 0xBC00, 0x3800, 0xB800, 0x3BFF, 0x3C01, 0x4000, 0xC000, 0x0200] + [wide_encode("f16", R.random() < 0.4, F(R.uniform(0, 1.1))) for _ in range(30)]


NORM = {"i16": (32767, -32767, 32767), "u16": (65535, 0, 65535)}
for d, (factor, low, high) in NORM.items():
    for kind in ("f32", "f16"):
        norm = lambda x: fixed(kind, x, factor, low, high) & 0xFFFF
        for exec_ in EXECS[:2]:
            a, b, old = take(pool(kind)), take(pool(kind)), words()
            for name in (f"v_cvt_pknorm_{d}_{kind}", f"v_cvt_pk_norm_{d}_{kind}"):
                h = ".l" if kind == "f16" and "pk_norm" in name else ""
                line(on(name), f"{name} v0, v1{h}, v2{h}", {"v0": old, "v1": a, "v2": b}, {"v0": [norm(x) | norm(y) << 16 for x, y in zip(a, b)]}, exec_)
                if kind == "f16":
                    text = f"{name} v0, v1.h, v2.l" if h else f"{name} v0, v1, v2 op_sel:[1,0]"
                    line(on(name), text, {"v0": old, "v1": [x << 16 | 0x3555 for x in a], "v2": b}, {"v0": [norm(x) | norm(y) << 16 for x, y in zip(a, b)]}, exec_)
    name = f"v_cvt_norm_{d}_f16"
    a = take(pool("f16"))
    norm = lambda x: fixed("f16", x, factor, low, high) & 0xFFFF
    line(on(name, "gfx9 gfx10"), f"{name} v0, v1", {"v1": a}, {"v0": [norm(x) for x in a]})
    line(on(name, "gfx11+"), f"{name} v0.l, v1.l", {"v1": a}, {"v0": [norm(x) for x in a]})
    line(on(name, "gfx11+"), f"{name} v0.h, v1.h", {"v0": a, "v1": [x << 16 for x in a]}, {"v0": [norm(x) << 16 | x for x in a]}, EXECS[1])
    low, high = (-32768, 32767) if d == "i16" else (0, 65535)
    whole = lambda x: fixed("f32", x, 1, low, high, False) & 0xFFFF
    for exec_ in EXECS[:2]:
        a, b, old = take(pool("f32")), take(pool("f32")), words()
        line(on(f"v_cvt_pk_{d}_f32"), f"v_cvt_pk_{d}_f32 v0, v1, v2", {"v0": old, "v1": a, "v2": b}, {"v0": [whole(x) | whole(y) << 16 for x, y in zip(a, b)]}, exec_)
byte = lambda x: fixed("f32", x, 1, 0, 255, False)
for exec_ in EXECS[:2]:
    a, n, c, old = take(pool("f32")), words(), words(), words()
    line(on("v_cvt_pk_u8_f32"), "v_cvt_pk_u8_f32 v0, v1, v2, v3", {"v0": old, "v1": a, "v2": n, "v3": c}, {"v0": [placed(o, byte(x), 8 * (k & 3), 8) for x, k, o in zip(a, n, c)]}, exec_)
    line(on("v_cvt_pkaccum_u8_f32"), "v_cvt_pkaccum_u8_f32 v0, v1, v2", {"v0": old, "v1": a, "v2": n}, {"v0": [placed(o, byte(x), 8 * (k & 3), 8) for x, k, o in zip(a, n, old)]}, exec_)
a = words()
line(on("v_cvt_off_f32_i4"), "v_cvt_off_f32_i4 v0, v1", {"v1": a}, {"v0": [struct.unpack("<I", struct.pack("<f", ((x & 15) - 16 * (x >> 3 & 1)) / 16))[0] for x in a]})

# Integers.
signed = lambda x, bits: x - (1 << bits) if x >> (bits - 1) & 1 else x
limit = lambda x, low, high: max(low, min(high, x))
HALVES = [0, 1, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0xFF80, 0x80]
halves = lambda: [R.choice(HALVES) | R.choice(HALVES) << 16 for _ in range(32)]
a, old = halves(), words()
made = [limit(signed(x & 0xFFFF, 16), 0, 255) | limit(signed(x >> 16, 16), 0, 255) << 8 for x in a]
line(on("v_sat_pk_u8_i16", "gfx9 gfx10"), "v_sat_pk_u8_i16 v0, v1", {"v0": old, "v1": a}, {"v0": made}, EXECS[1])
line(on("v_sat_pk_u8_i16", "gfx11+"), "v_sat_pk_u8_i16 v0.l, v1", {"v1": a}, {"v0": made})
line(on("v_sat_pk_u8_i16", "gfx11+"), "v_sat_pk_u8_i16 v0.h, v1", {"v0": old, "v1": a}, {"v0": [placed(o, m, 16, 16) for o, m in zip(old, made)]}, EXECS[1])
a = [R.choice([0, 0x80, 0x7F, 0xFF, 0x08, 0xF8, 0xF7, 0x07, R.getrandbits(8)]) * 0x1000001 & 0xFFFFFFFF | R.getrandbits(16) << 8 for _ in range(32)]
bytes_ = lambda x: [x >> (8 * i) & 0xFF for i in range(4)]
for name, f in [("i4_i8", lambda b: limit(signed(b, 8), -8, 7) & 15), ("u4_u8", lambda b: min(b, 15))]:
    made = [sum(f(b) << (4 * i) for i, b in enumerate(bytes_(x))) for x in a]
    line(on(f"v_sat_pk4_{name}"), f"v_sat_pk4_{name} v0.l, v1", {"v1": a}, {"v0": made})
    line(on(f"v_sat_pk4_{name}"), f"v_sat_pk4_{name} v0.h, v1", {"v0": old, "v1": a}, {"v0": [placed(o, m, 16, 16) for o, m in zip(old, made)]}, EXECS[1])
wide = lambda: [R.choice([0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 127, 128, 255, 256, 0xFFFFFF80, 0xFFFFFF7F]) if R.random() < 0.5 else R.getrandbits(32) for _ in range(32)]
for name, low, high in [("i8", -128, 127), ("u8", 0, 255)]:
    for half, sel in [(0, ""), (1, " op_sel:[0,0,0,1]")]:
        a, b, n, old = wide(), wide(), [R.choice([0, 1, 8, 24, 31, 32, 40, R.getrandbits(32)]) for _ in range(32)], words()
        f = lambda x, k: limit(signed(x, 32) >> (k & 31), low, high) & 0xFF
        made = [placed(o, f(x, k) | f(y, k) << 8, 16 * half, 16) for x, y, k, o in zip(a, b, n, old)]
        line(on(f"v_ashr_pk_{name}_i32"), f"v_ashr_pk_{name}_i32 v0, v1, v2, v3{sel}", {"v0": old, "v1": a, "v2": b, "v3": n}, {"v0": made}, EXECS[half])
a = halves()
for half, at in [("l", 0), ("h", 16)]:
    line(on("v_cvt_i32_i16"), f"v_cvt_i32_i16 v0, v1.{half}", {"v1": a}, {"v0": [signed(x >> at & 0xFFFF, 16) & 0xFFFFFFFF for x in a]}, EXECS[at > 0])
    line(on("v_cvt_u32_u16"), f"v_cvt_u32_u16 v0, v1.{half}", {"v1": a}, {"v0": [x >> at & 0xFFFF for x in a]}, EXECS[at > 0])
a = words()
line(on("v_prng_b32"), "v_prng_b32 v0, v1", {"v1": a}, {"v0": [(x << 1 ^ (197 if x >> 31 else 0)) & 0xFFFFFFFF for x in a]})

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "convert.txt"), "w") as f:
    f.write("\n".join(OUT) + "\n")
