"""Writes convert.txt: cvt and cvt.pack in every form.

Expected values come from exact.py (fractions) and from the manual's rules as written down here; nothing of ours computes them.
    python3 tests/run/ptx/make_convert.py
"""

import itertools
import random
from pathlib import Path

from exact import *
from make_arithmetic import literal, some, specials

HERE = Path(__file__).parent
INTEGERS = {f"{s}{b}": (s == "s", b) for s in "us" for b in (8, 16, 32, 64)}
FLOATS = {"f16": f16, "bf16": bf16, "f32": f32, "f64": f64}
FRND = ["rn", "rz", "rm", "rp"]
IRND = ["rni", "rzi", "rmi", "rpi"]


def bounds(name):
    signed_, bits = INTEGERS[name]
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed_ else (0, (1 << bits) - 1)


def integer_value(name, bits):
    signed_, width = INTEGERS[name]
    return bits - (1 << width) if signed_ and bits >> (width - 1) else bits


def integer_bits(name, value):
    return f"0x{value & ((1 << INTEGERS[name][1]) - 1):0{INTEGERS[name][1] // 4}x}"


def edges(rng, name):
    low, high = bounds(name)
    _, width = INTEGERS[name]
    values = {low, high, 0, 1, high // 2, high // 2 + 1, high - 1, min(100, high), 16777217 & high, 70000 & high}
    values |= {rng.randint(low, high) for _ in range(3)} | {rng.getrandbits(rng.randrange(1, width)) for _ in range(3)}
    return sorted(v for v in values if low <= v <= high)


def integer_lines(rng):
    for d, a in itertools.product(INTEGERS, INTEGERS):
        (dl, dh), (al, ah) = bounds(d), bounds(a)
        for i, v in enumerate(edges(rng, a)):
            sat = i % 2 == 1 and (al < dl or ah > dh)
            out = min(max(v, dl), dh) if sat else v
            yield f"cvt{'.sat' * sat}.{d}.{a}  a={integer_bits(a, v)} -> {integer_bits(d, out)}"


def to_integral(value, mode):
    """A signed fraction rounded to an integer."""
    floor = value.numerator // value.denominator
    rest = value - floor
    if mode == "rmi" or rest == 0:
        return floor
    if mode == "rpi":
        return floor + 1
    if mode == "rzi":
        return floor if value > 0 else floor + 1
    return floor + (rest > F(1, 2) or (rest == F(1, 2) and floor % 2 == 1))


def floats_near(rng, fmt, name):
    """Numbers around what an integer type can hold, with halves."""
    low, high = bounds(name)
    out = []
    for v in (low, high, 0, 1, 2, 3):
        for delta in (F(-1), F(-1, 2), F(-1, 4), F(0), F(1, 4), F(1, 2), F(1)):
            x = v + delta
            out.append(fmt.encode(int(x < 0), abs(x), "rn"))
    return out


def float_to_integer_lines(rng):
    for d, a in itertools.product(INTEGERS, FLOATS):
        fmt, (low, high), width = FLOATS[a], bounds(d), INTEGERS[d][1]
        cases = rng.sample(floats_near(rng, fmt, d), 14) + rng.sample(specials(fmt), 6) + some(rng, fmt, 2) + [fmt.nan, fmt.sign_bit]
        for i, x in enumerate(cases):
            mode = IRND[i % 4]
            ftz = a == "f32" and i % 3 == 0
            value = fmt.decode(fmt.flush(x) if ftz else x)
            if is_nan(value):
                n = 0 if a != "f64" and width < 64 else 1 << (width - 1)
            elif is_inf(value):
                n = low if value[1] else high
            else:
                n = min(max(to_integral(signed(value), mode), low), high)
            sat = a != "bf16" and i % 5 == 0  # redundant
            yield f"cvt.{mode}{'.ftz' * ftz}{'.sat' * sat}.{d}.{a}  a={literal(fmt, x)} -> {integer_bits(d, n)}"


def integer_to_float_lines(rng):
    for d, a in itertools.product(FLOATS, INTEGERS):
        fmt = FLOATS[d]
        for i, v in enumerate(edges(rng, a)):
            mode, sat = FRND[i % 4], d != "bf16" and i % 5 == 0
            out = result(fmt, (int(v < 0), F(abs(v))), mode, sat=sat)
            yield f"cvt.{mode}{'.sat' * sat}.{d}.{a}  a={integer_bits(a, v)} -> {literal(fmt, out)}"


def float_lines(rng):
    def one(opcode, dst, src, a, out):
        return f"{opcode}.{dst.name}.{src.name}  a={literal(src, a)} -> {literal(dst, out)}"

    # Narrowing and the other roundings.
    for dst, src in [(f32, f64), (f16, f64), (f16, f32), (bf16, f32), (bf16, f64), (bf16, f16), (f16, bf16)]:
        ties = []
        for _ in range(8):  # halfway between two numbers of the destination, and just off
            b = rng.getrandbits(dst.bits) & ~dst.sign_bit
            if b >= dst.max_bits or dst.fraction >= src.fraction:
                continue
            middle = (dst.decode(b)[1] + dst.decode(b + 1)[1]) / 2
            t = src.encode(rng.randrange(2), middle, "rn")
            ties += [t, t + 1, max(t - 1, 0)]
        for i, a in enumerate(specials(src) + some(rng, src, 8) + ties):
            mode = FRND[i % 4]
            ftz = f32 in (src, dst) and i % 3 == 0
            kinds = ["", ".sat"] if dst is not bf16 and src is not bf16 else [""]
            if src is f32:
                kinds += [".relu", ".satfinite", ".relu.satfinite", ".pzo"]
            kind = kinds[i % len(kinds)]
            if kind in (".relu", ".satfinite", ".relu.satfinite"):
                mode, ftz = FRND[i % 2], False
            if kind == ".pzo":
                ftz = False
            x = src.decode(src.flush(a) if ftz and src is f32 else a)
            flags = {w: f".{w}" in kind for w in ("relu", "satfinite", "pzo")}
            out = result(dst, x, mode, ftz=ftz and dst is f32, sat=kind == ".sat", **flags)
            yield one(f"cvt.{mode}{'.ftz' * ftz}{kind}", dst, src, a, out)
    # Widening is exact; a NaN is canonical, but bf16 to f32 keeps all bits and f64 keeps sign and payload.
    for dst, src in [(f32, f16), (f64, f16), (f64, f32), (f32, bf16), (f64, bf16)]:
        for i, a in enumerate(specials(src) + some(rng, src, 6)):
            ftz = f32 in (dst, src) and i % 3 == 0
            sat = src is not bf16 and i % 4 == 0
            x = src.decode(src.flush(a) if ftz and src is f32 else a)
            out = result(dst, x, "rn", ftz=ftz and dst is f32, sat=sat)
            if is_nan(x) and not sat:
                if (dst, src) == (f32, bf16):
                    out = a << 16
                elif dst is f64:
                    payload = (a & ((1 << src.fraction) - 1)) << (52 - src.fraction)
                    out = (a & src.sign_bit != 0) << 63 | 0x7FF8 << 48 | payload
            yield one(f"cvt{'.ftz' * ftz}{'.sat' * sat}", dst, src, a, out)
    # Rounding to integral values.
    for fmt in (f16, f32, f64, bf16):
        quarters = [fmt.encode(s, F(n, 4), "rn") for s in (0, 1) for n in range(1, 12)]
        for i, a in enumerate(specials(fmt) + quarters):
            mode, ftz, sat = IRND[i % 4], fmt is f32 and i % 3 == 0, fmt is not bf16 and i % 5 == 0
            x = fmt.decode(fmt.flush(a) if ftz else a)
            if is_nan(x):
                out = 0 if sat else a | 1 << 51 if fmt is f64 else fmt.nan
            elif is_inf(x):
                out = result(fmt, x, sat=sat)
            else:
                n = to_integral(signed(x), mode)
                out = result(fmt, (x[0], F(abs(n))), sat=sat)
            yield one(f"cvt.{mode}{'.ftz' * ftz}{'.sat' * sat}", fmt, fmt, a, out)


def stochastic(fmt, bits, random_bits, count, satfinite=False, relu=False):
    """The manual: the random bits are added to as many discarded bits of the fraction; a carry rounds away from zero."""
    x = f32.decode(bits)
    if is_nan(x) or is_inf(x) or x[1] == 0:
        return result(fmt, x, satfinite=satfinite, relu=relu)
    unit = F(2) ** (max(floor_log2(x[1]), 1 - fmt.bias) - fmt.fraction)
    whole = x[1] // unit
    discarded = (x[1] / unit - whole) * (1 << count) // 1
    value = (whole + (discarded + random_bits >= 1 << count)) * unit
    exact = (x[0], value)
    bits = result(fmt, exact, satfinite=satfinite, relu=relu)
    return bits


def pair_lines(rng):
    pick = lambda: rng.choice(specials(f32)) if rng.random() < 0.4 else some(rng, f32, 2)[rng.randrange(2)]
    for fmt in (f16, bf16):
        for i in range(40):
            a, b, mode = pick(), pick(), FRND[i % 2]
            flags = {"relu": i % 3 == 0, "satfinite": i % 4 == 0, "pzo": i % 5 == 0}
            words = "".join(f".{w}" for w, on in flags.items() if on)
            out = result(fmt, f32.decode(a), mode, **flags) << 16 | result(fmt, f32.decode(b), mode, **flags)
            yield f"cvt.{mode}{words}.{fmt.name}x2.f32  a=0f{a:08x} b=0f{b:08x} -> 0x{out:08x}"
        for i in range(40):
            a, b, r = pick(), pick(), rng.getrandbits(32)
            flags = {"relu": i % 3 == 0, "satfinite": i % 4 == 0}
            words = "".join(f".{w}" for w, on in flags.items() if on)
            count = 13 if fmt is f16 else 16
            mask = (1 << count) - 1
            out = stochastic(fmt, a, r >> 16 & mask, count, **flags) << 16 | stochastic(fmt, b, r & mask, count, **flags)
            yield f"cvt.rs{words}.{fmt.name}x2.f32  a=0f{a:08x} b=0f{b:08x} rbits=0x{r:08x} -> 0x{out:08x}"
    for i, a in enumerate(specials(f32) + some(rng, f32, 20)):
        if is_nan(f32.decode(a)):
            continue
        mode = ["rna", "rn", "rz"][i % 3]
        flags = {"satfinite": i % 2 == 0, "relu": mode != "rna" and i % 5 == 0}
        words = "".join(f".{w}" for w, on in flags.items() if on)
        yield f"cvt.{mode}{words}.tf32.f32  a=0f{a:08x} -> 0x{result(tf32, f32.decode(a), mode, **flags) << 13:08x}"


SMALL = {"e4m3": (e4m3, 8), "e5m2": (e5m2, 8), "e2m3": (e2m3, 8), "e3m2": (e3m2, 8), "e2m1": (e2m1, 4)}


def fixed(x, mode, relu=False):
    """s2f6: rounded as an integer of units of 2^-6, clamped; NaN is the largest."""
    if is_nan(x):
        return 127
    if is_inf(x):
        n = -128 if x[1] else 127
    else:
        n = min(max(to_integral(signed(x) * 64, mode + "i"), -128), 127)
    return max(n, 0) & 0xFF if relu else n & 0xFF


def scale_of(byte):
    return None if byte == 0xFF else F(2) ** (byte - 127)


def scaled(x, byte, up):
    """x times (up) or over the power of two; a NaN scale gives NaN."""
    s = scale_of(byte)
    if s is None or is_nan(x):
        return ("nan",)
    return x if is_inf(x) else (x[0], x[1] * s if up else x[1] / s)


def small_lines(rng):
    pick = lambda fmt: rng.choice(specials(fmt)) if rng.random() < 0.3 else some(rng, fmt, 2)[1] if rng.random() < 0.7 else rng.getrandbits(fmt.bits)
    sources = {"f32": f32, "f16x2": f16, "bf16x2": bf16}

    def pack_line(name, fmt, stride, src_name, mode, words, relu, satfinite, pzo, scale_bits):
        src = sources[src_name]
        hi, lo = pick(src), pick(src)
        scale = None
        if scale_bits == 8:
            scale = rng.choice([0x7F, 0x80, 0x7C, 0, 0xFE, 0xFF])
            operands = [src.decode(src.flush(x)) for x in (hi, lo)]
            operands = [scaled(x, scale, False) for x in operands]
        elif scale_bits == 16:
            scale = rng.choice([0x7F, 0x80, 0x7C, 0xFF]) << 8 | rng.choice([0x7F, 0x7D, 0x82])
            operands = [scaled(src.decode(x), s, False) for x, s in ((hi, scale >> 8), (lo, scale & 0xFF))]
        else:
            operands = [src.decode(x) for x in (hi, lo)]
        if fmt is None:
            h, l = (fixed(x, mode, relu) for x in operands)
        else:
            h, l = (result(fmt, x, mode, relu=relu, satfinite=satfinite, pzo=pzo) for x in operands)
        width = 2 if stride == 4 else 4
        given = f"a=0f{hi:08x} b=0f{lo:08x}" if src is f32 else f"a=0x{hi << 16 | lo:08x}"
        given += "" if scale is None else f" scale=0x{scale:0{scale_bits // 4}x}"
        return f"cvt.{mode}{words}.{name}x2.{src_name}  {given} -> 0x{h << stride | l:0{width}x}"

    for (name, (fmt, stride)), src_name in itertools.product(SMALL.items(), sources):
        for i in range(36):
            relu, pzo, n1 = i % 3 == 0, i % 4 == 0, i % 5 == 0
            words = ".satfinite" + ".relu" * relu + ".pzo" * pzo + ".scaled::n1::ue8m0" * n1
            yield pack_line(name, fmt, stride, src_name, FRND[i % 2], words, relu, True, pzo, 8 if n1 else 0)
    for src_name in ("f32", "bf16x2"):
        for i in range(24):
            yield pack_line("ue8m0", ue8m0, 8, src_name, ["rz", "rp"][i % 2], ".satfinite" * (i % 3 == 0), False, i % 3 == 0, False, 0)
        for i in range(24):
            relu, n2 = i % 3 == 0, i % 4 == 0
            words = ".satfinite" + ".relu" * relu + ".scaled::n2::ue8m0" * n2
            yield pack_line("s2f6", None, 8, src_name, FRND[i % 2], words, relu, True, False, 16 if n2 else 0)
    for src_name in sources:
        for i in range(24):
            n1, satfinite = i % 4 == 0, i % 3 == 0
            mode = ["rn", "rz", "rp"][i % (2 if n1 else 3)]
            words = ".satfinite" * satfinite + ".scaled::n1::ue8m0" * n1
            yield pack_line("ue5m3", ue5m3, 8, src_name, mode, words, False, satfinite, False, 8 if n1 else 0)


def wide_lines(rng):
    def value(name, bits):
        if name == "s2f6":
            n = bits - 256 if bits >= 128 else bits
            return (int(n < 0), F(abs(n), 64))
        return FORMATS[name].decode(bits)

    strides = {**{n: s for n, (_, s) in SMALL.items()}, "ue8m0": 8, "s2f6": 8, "ue5m3": 8}
    for name, stride in strides.items():
        width = FORMATS[name].bits if name != "s2f6" else 8
        every = list(range(1 << width))
        for i in range(0, len(every), 2):  # every value once
            hi, lo = every[i], every[i + 1]
            a = f"0x{hi << stride | lo:0{stride // 2}x}"
            if name not in ("ue8m0", "s2f6"):
                out = result(f16, value(name, hi)) << 16 | result(f16, value(name, lo))
                relu = name != "ue5m3" and i % 8 == 0
                if relu:
                    out = result(f16, value(name, hi), relu=True) << 16 | result(f16, value(name, lo), relu=True)
                yield f"cvt.rn{'.relu' * relu}.f16x2.{name}x2  a={a} -> 0x{out:08x}"
            scales = name != "ue8m0" and i % 6 == 2
            flags = {"satfinite": name != "ue8m0" and i % 10 == 0, "relu": name not in ("ue8m0", "ue5m3") and i % 12 == 0}
            words = "".join(f".{w}" for w, on in flags.items() if on)
            values, given = [value(name, hi), value(name, lo)], f"a={a}"
            if scales:
                sh, sl = rng.choice([0x7F, 0x80, 0xFE, 0xFF]), rng.choice([0x7F, 0x70, 0x00])
                values = [scaled(x, s, True) for x, s in zip(values, (sh, sl))]
                words += ".scaled::n2::ue8m0"
                given += f" scale=0x{sh << 8 | sl:04x}"
            out = [result(bf16, x, **flags) for x in values]
            yield f"cvt.rn{words}.bf16x2.{name}x2  {given} -> 0x{out[0] << 16 | out[1]:08x}"


def pack_integer_lines(rng):
    for name, bits in [("u2", 2), ("s2", 2), ("u4", 4), ("s4", 4), ("u8", 8), ("s8", 8), ("u16", 16), ("s16", 16)]:
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if name[0] == "s" else (0, (1 << bits) - 1)
        for _ in range(12):
            a, b = (rng.choice([low, high, low - 1, high + 1, 0, rng.randint(-(1 << 31), (1 << 31) - 1)]) for _ in "ab")
            ta, tb = (min(max(x, low), high) & ((1 << bits) - 1) for x in (a, b))
            given, d, types = f"a={a} b={b}", ta << bits | tb, f"{name}.s32"
            if bits < 16:
                c = rng.getrandbits(32)
                d |= c << (2 * bits) & 0xFFFFFFFF
                given, types = given + f" c=0x{c:08x}", types + ".b32"
            yield f"cvt.pack.sat.{types}  {given} -> 0x{d:08x}"


if __name__ == "__main__":
    rng = random.Random(10)
    lines = itertools.chain(integer_lines(rng), float_to_integer_lines(rng), integer_to_float_lines(rng), float_lines(rng),
                            pair_lines(rng), small_lines(rng), wide_lines(rng), pack_integer_lines(rng))
    text = "".join(f"{l}\n" for l in lines)
    (HERE / "convert.txt").write_text(f"# Conversions, chapters 9.7.10.24 and 9.7.10.25.\n# Made by make_convert.py.\n{text}")
