#!/usr/bin/env python3
"""Makes packed.txt: AMD's packed and mixed arithmetic, sums of products, comparisons that always have one result, and moves between registers and lanes.

Numbers are exact fractions (tests/run/ptx/exact.py), integers Python's; NaN, clamps and selections follow AMD's ISA guides. Nothing here is shared with the Rust code.
`python3 make_packed.py` rewrites the file.
"""

import math
import os
import random
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../ptx"))
import exact as X
from fractions import Fraction as F

import records
from records import hexes, on

R = random.Random(37)
OUT = ["# Made by make_packed.py from exact fractions and integers."]
EXECS = [None, 0x5A3C0FF1]


class Kind:
    def __init__(self, name, fmt):
        self.name, self.fmt, self.bits = name, fmt, fmt.bits
        self.inf = ((1 << fmt.exponent) - 1) << fmt.fraction
        self.quiet = 1 << (fmt.fraction - 1)
        self.sign = 1 << (self.bits - 1)
        one = fmt.bias << fmt.fraction
        self.one = one
        self.edges = [0, self.sign, 1, self.sign | 1, 1 << fmt.fraction, (1 << fmt.fraction) - 1, self.inf - 1, self.inf, self.sign | self.inf, one, one | self.sign, one + 1, one - 1,
                      self.inf | self.quiet, self.inf | 1, self.inf | self.quiet | 5, self.sign | self.inf | self.quiet | 2, self.sign | self.inf | 3]

    def pick(self, n=32, share=0.5):
        # Numbers of like size meet more often than random bits would.
        near = lambda: self.one ^ R.getrandbits(self.bits) & (self.sign | (7 << self.fmt.fraction) | (1 << self.fmt.fraction) - 1)
        return [R.choice(self.edges) if R.random() < share else near() if R.random() < 0.8 else R.getrandbits(self.bits) for _ in range(n)]

    def is_nan(self, x):
        return x & (self.sign - 1) > self.inf

    def value(self, x):
        return self.fmt.decode(x)

    def encode(self, v):
        if X.is_nan(v):
            return self.inf | self.quiet
        if X.is_inf(v):
            return self.inf | (self.sign if v[1] else 0)
        return self.fmt.encode(v[0], v[1], "rn")

    def keep(self, operands, result):
        """The first NaN operand made quiet, else the result."""
        return next((x | self.quiet for x in operands if self.is_nan(x)), result)

    def key(self, x):
        return -(x & (self.sign - 1)) - 1 if x & self.sign else x

    def add(self, a, b):
        return self.keep([a, b], self.encode(X.add(self.value(a), self.value(b))))

    def mul(self, a, b):
        return self.keep([a, b], self.encode(X.mul(self.value(a), self.value(b))))

    def fma(self, a, b, c):
        return self.keep([a, b, c], self.encode(X.add(X.mul(self.value(a), self.value(b)), self.value(c))))

    def num(self, a, b, most):
        if self.is_nan(a) and self.is_nan(b):
            return a | self.quiet
        if self.is_nan(a) or self.is_nan(b):
            return b if self.is_nan(a) else a
        return (max if most else min)(a, b, key=self.key)

    def or_nan(self, a, b, most):
        for test in (lambda x: self.is_nan(x) and not x & self.quiet, self.is_nan):
            for x in (a, b):
                if test(x):
                    return x | self.quiet
        return (max if most else min)(a, b, key=self.key)

    def flush(self, x):
        return x & self.sign if self.fmt.is_subnormal(x) else x

    def limit(self, x):
        return 0 if self.is_nan(x) or x & self.sign else min(x, self.one)


h, b, s, d = Kind("f16", X.f16), Kind("bf16", X.bf16), Kind("f32", X.f32), Kind("f64", X.f64)


def convert(a, to, x):
    if a.is_nan(x):
        shift = to.fmt.fraction - a.fmt.fraction
        payload = x & ((1 << a.fmt.fraction) - 1)
        payload = payload << shift if shift >= 0 else payload >> -shift
        return (to.sign if x & a.sign else 0) | to.inf | payload | to.quiet
    return to.encode(a.value(x))


def words(n=32):
    return [R.choice([0, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x80008000, 0x7FFF7FFF, 0xFFFF0001]) if R.random() < 0.4 else R.getrandbits(32) for _ in range(n)]


def line(where, *parts, **more):
    if where:
        OUT.append(records.lanes_line(where, *parts, **more))


def pairs(low, high):
    return [x | y << 16 for x, y in zip(low, high)]


def halves(x):
    return x & 0xFFFF, x >> 16


# Packed numbers: plain, with halves exchanged, with signs, clamped.
def packed(name, k, arity, f, signs=True):
    ones = ",".join("1" * arity)
    swapped = f" op_sel:[1{',0' * (arity - 1)}] op_sel_hi:[0{',1' * (arity - 1)}]"
    negated = f" neg_lo:[1{',0' * (arity - 1)}] neg_hi:[0{',1' * (arity - 1)}]"
    for mode in ("", "swap", "neg", "clamp"):
        if mode == "neg" and not signs:
            continue
        args = [pairs(k.pick(), k.pick()) for _ in range(arity)]
        old, made = words(), []
        for case in zip(*args):
            out = []
            for upper in (0, 1):
                xs = [halves(x)[upper] for x in case]
                if mode == "swap":
                    xs[0] = halves(case[0])[1 - upper]
                if mode == "neg":
                    xs = [x ^ k.sign if (i == 0 and not upper) or (i > 0 and upper) else x for i, x in enumerate(xs)]
                out.append(k.limit(f(*xs)) if mode == "clamp" else f(*xs))
            made.append(out[0] | out[1] << 16)
        suffix = {"": "", "swap": swapped, "neg": negated, "clamp": " clamp"}[mode]
        given = {"v0": old} | {f"v{i + 1}": a for i, a in enumerate(args)}
        line(on(name), f"{name} v0, " + ", ".join(f"v{i + 1}" for i in range(arity)) + suffix, given, {"v0": made}, EXECS[mode == "swap"])


packed("v_pk_add_bf16", b, 2, b.add)
packed("v_pk_mul_bf16", b, 2, b.mul)
packed("v_pk_fma_bf16", b, 3, b.fma)
for most, n in ((True, "max"), (False, "min")):
    packed(f"v_pk_{n}_num_bf16", b, 2, lambda x, y: b.num(x, y, most))
    packed(f"v_pk_{n}_num_f16", h, 2, lambda x, y: h.num(x, y, most))
    packed(f"v_pk_{n}3_num_f16", h, 3, lambda x, y, z: h.num(h.num(x, y, most), z, most))
    packed(f"v_pk_{n}imum_f16", h, 2, lambda x, y: h.or_nan(x, y, most))
    packed(f"v_pk_{n}imum3_f16", h, 3, lambda x, y, z: h.or_nan(h.or_nan(x, y, most), z, most))

# Packed and plain integers.
signed = lambda x, bits: x - (1 << bits) if x >> (bits - 1) & 1 else x


def integers(bits, sign):
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if sign else (0, (1 << bits) - 1)
    of = (lambda x: signed(x, bits)) if sign else (lambda x: x)
    mask = (1 << bits) - 1
    wrap = lambda x: of(x & mask)
    limit = lambda x: max(low, min(high, x))
    return of, mask, wrap, limit


for t in ("i", "u"):
    for most, n in ((max, "max"), (min, "min")):
        for clamp in ("", " clamp"):
            of, mask, wrap, limit = integers(16, t == "i")
            for name, f in [(f"v_pk_{n}3_{t}16", lambda x, y, z: most(x, y, z)), (f"v_pk_add_{n}_{t}16", lambda x, y, z: most(limit(x + y), z))]:
                if clamp and "3" in name:
                    continue
                for sel in ("", " op_sel:[0,1,0] op_sel_hi:[1,0,1]"):
                    args = [words() for _ in range(3)]
                    made = []
                    for case in zip(*args):
                        parts = [halves(x) for x in case]
                        if sel:
                            parts[1] = parts[1][::-1]
                        made.append(sum((f(*[of(p[i]) for p in parts]) & mask) << (16 * i) for i in (0, 1)))
                    line(on(name), f"{name} v0, v1, v2, v3{sel}{clamp}", {"v0": words(), "v1": args[0], "v2": args[1], "v3": args[2]} , {"v0": made}, EXECS[sel == ""])
            of, mask, wrap, limit = integers(32, t == "i")
            args = [words() for _ in range(3)]
            name = f"v_add_{n}_{t}32"
            line(on(name), f"{name} v0, v1, v2, v3{clamp}", {f"v{i + 1}": a for i, a in enumerate(args)}, {"v0": [most(limit(of(x) + of(y)), of(z)) & mask for x, y, z in zip(*args)]})

# Sums of absolute differences.
def sad(a, c, start, masked):
    return start + sum(abs((a >> (8 * i) & 0xFF) - (c >> (8 * i) & 0xFF)) for i in range(4) if not masked or c >> (8 * i) & 0xFF)


for masked, name in ((False, "v_qsad_pk_u16_u8"), (True, "v_mqsad_pk_u16_u8")):
    for clamp in ("", " clamp"):
        lo, hi, c, x, y = words(), words(), [w & R.choice([0xFFFFFFFF, 0xFF00FF00, 0xFF]) for w in words()], words(), words()
        made = []
        for a0, a1, c1, x1, y1 in zip(lo, hi, c, x, y):
            a, acc = a0 | a1 << 32, x1 | y1 << 32
            sums = [sad(a >> (8 * i) & 0xFFFFFFFF, c1, acc >> (16 * i) & 0xFFFF, masked) for i in range(4)]
            made.append(sum((min(v, 0xFFFF) if clamp else v & 0xFFFF) << (16 * i) for i, v in enumerate(sums)))
        given = {"v8": words(), "v9": words(), "v0": lo, "v1": hi, "v2": c, "v4": x, "v5": y}
        line(on(name), f"{name} v[8:9], v[0:1], v2, v[4:5]{clamp}", given, {"v8": [m & 0xFFFFFFFF for m in made], "v9": [m >> 32 for m in made]}, EXECS[clamp == ""])
for exec_ in EXECS:
    lo, hi, c, acc = words(), words(), [w & R.choice([0xFFFFFFFF, 0xFF00FF00, 0xFF]) for w in words()], [words() for _ in range(4)]
    made = [[sad((a0 | a1 << 32) >> (8 * i) & 0xFFFFFFFF, c1, acc[i][n], True) & 0xFFFFFFFF for n, (a0, a1, c1) in enumerate(zip(lo, hi, c))] for i in range(4)]
    given = {f"v{8 + i}": words() for i in range(4)} | {"v0": lo, "v1": hi, "v2": c} | {f"v{4 + i}": acc[i] for i in range(4)}
    line(on("v_mqsad_u32_u8"), "v_mqsad_u32_u8 v[8:11], v[0:1], v2, v[4:7]", given, {f"v{8 + i}": made[i] for i in range(4)}, exec_)
    made = [[sad(0x8899AABBCCDDEEFF >> (8 * i) & 0xFFFFFFFF, 0x10203040, acc[i][n], True) & 0xFFFFFFFF for n in range(32)] for i in range(4)]
    given = {f"v{8 + i}": words() for i in range(4)} | {"s4": 0xCCDDEEFF, "s5": 0x8899AABB, "v2": [0x10203040] * 32} | {f"v{4 + i}": acc[i] for i in range(4)}
    line(on("v_mqsad_u32_u8"), "v_mqsad_u32_u8 v[8:11], s[4:5], v2, v[4:7]", given, {f"v{8 + i}": made[i] for i in range(4)}, exec_)

# Sums of products: each product and each sum is rounded.
def dot2(k, x, y, c, before=False):
    products = [s.mul(convert(k, s, halves(x)[i]), convert(k, s, halves(y)[i])) for i in (0, 1)]
    return s.add(s.add(*products), c) if before else s.add(s.add(c, products[0]), products[1])


def dot2_narrow(k, x, y, c):
    return k.add(k.add(c, k.mul(halves(x)[0], halves(y)[0])), k.mul(halves(x)[1], halves(y)[1]))


def number(text):
    """NaN may be any, as what units do between is not told."""
    return "nan" if s.is_nan(text) else text


for k in (h, b):
    x, y, c = pairs(k.pick(32, 0.25), k.pick(32, 0.25)), pairs(k.pick(32, 0.25), k.pick(32, 0.25)), s.pick(32, 0.3)
    name = f"v_dot2_f32_{k.name}"
    for group, before in [("gfx950", k is b), ("gfx906 gfx908 gfx90a gfx942 gfx10 gfx11 gfx12", False)]:
        where = on(name, group)
        made = [number(dot2(k, *case, before)) for case in zip(x, y, c)]
        line(where, f"{name} v0, v1, v2, v3", {"v1": x, "v2": y, "v3": c}, {"v0": made})
        made = [number(dot2(k, p, q, r ^ s.sign, before)) for p, q, r in zip(x, y, c)]
        line(where, f"{name} v0, v1, v2, v3 neg_lo:[0,0,1]", {"v1": x, "v2": y, "v3": c}, {"v0": made})
        made = [number(dot2(k, p ^ 0x8000, q ^ 0x80000000, r, before)) for p, q, r in zip(x, y, c)]
        line(where, f"{name} v0, v1, v2, v3 neg_lo:[1,0,0] neg_hi:[0,1,0]", {"v1": x, "v2": y, "v3": c}, {"v0": made})
        made = [s.limit(dot2(k, *case, before)) for case in zip(x, y, c)]
        line(where, f"{name} v0, v1, v2, v3 clamp", {"v1": x, "v2": y, "v3": c}, {"v0": made})
    for name in (f"v_dot2c_f32_{k.name}", f"v_dot2acc_f32_{k.name}"):
        made = [number(dot2(k, *case)) for case in zip(x, y, c)]
        line(on(name), f"{name} v0, v1, v2", {"v0": c, "v1": x, "v2": y}, {"v0": made})
    name = f"v_dual_dot2acc_f32_{k.name}"
    line(on(name), f"{name} v0, v1, v2 :: v_dual_mov_b32 v5, v6", {"v0": c, "v1": x, "v2": y, "v6": c}, {"v0": made, "v5": c}, word="wave=32")
    c = k.pick(32, 0.3)
    name = f"v_dot2_{k.name}_{k.name}"
    made = [dot2_narrow(k, *case) for case in zip(x, y, c)]
    old = words()
    line(on(name), f"{name} v0.l, v1, v2, v3.l", {"v1": x, "v2": y, "v3": c}, {"v0": made})
    line(on(name), f"{name} v0.h, v1, v2, v3.h", {"v0": old, "v1": x, "v2": y, "v3": [v << 16 | 7 for v in c]}, {"v0": [o & 0xFFFF | m << 16 for o, m in zip(old, made)]}, EXECS[1])

try:
    import ml_dtypes
    import numpy
except ImportError:
    sys.exit("needs ml_dtypes")
SMALL = {"fp8": ml_dtypes.float8_e4m3fn, "bf8": ml_dtypes.float8_e5m2}
bits_of = lambda x: struct.unpack("<I", struct.pack("<f", x))[0]


def small(kind, code):
    v = float(numpy.array([code], dtype=numpy.uint8).view(SMALL[kind]).astype(numpy.float32)[0])
    return 0x7FC00000 if math.isnan(v) else bits_of(v)


for ka in SMALL:
    for kb in SMALL:
        name = f"v_dot4_f32_{ka}_{kb}"
        for signs, f in [("", lambda c: c), (" neg_lo:[0,0,1]", lambda c: c ^ s.sign), (" neg_hi:[0,0,1]", lambda c: c & ~s.sign)]:
            x, y, c = words(), words(), s.pick(32, 0.3)
            made = []
            for p, q, r in zip(x, y, c):
                total = f(r)
                for i in range(4):
                    total = s.add(total, s.mul(small(ka, p >> (8 * i) & 0xFF), small(kb, q >> (8 * i) & 0xFF)))
                made.append(number(total))
            line(on(name), f"{name} v0, v1, v2, v3{signs}", {"v1": x, "v2": y, "v3": c}, {"v0": made})

# Mixed precision: each source is single precision, or a half.
def mixed(name, k, to, multiply_add, result, part):
    sources = [s.pick(), s.pick(), s.pick()]
    packs = [pairs(k.pick(), k.pick()) for _ in range(3)]
    old = words()
    for hi, lo, neg in [((0, 0, 0), (0, 0, 0), ""), ((1, 0, 1), (0, 0, 1), ""), ((1, 1, 1), (1, 0, 0), ""), ((0, 1, 0), (0, 1, 0), " clamp")]:
        regs = [packs[i] if hi[i] else sources[i] for i in range(3)]
        made = []
        for case, o in zip(zip(*regs), old):
            xs = [convert(k, s, halves(x)[lo[i]]) if hi[i] else x for i, x in enumerate(case)]
            v = multiply_add(*xs)
            v = convert(s, to, v) if to is not s else v
            v = to.limit(v) if neg else v
            made.append(result(v, o))
        suffix = (f" op_sel:[{lo[0]},{lo[1]},{lo[2]}]" if any(lo) else "") + (f" op_sel_hi:[{hi[0]},{hi[1]},{hi[2]}]" if any(hi) else "") + neg
        line(on(name), f"{name} v0, v1, v2, v3{suffix}", {"v0": old, "v1": regs[0], "v2": regs[1], "v3": regs[2]}, {"v0": made}, EXECS[hi[0]])
    case = zip(*sources)
    made = []
    for (x, y, z), o in zip(case, old):
        v = multiply_add(x ^ s.sign, y & ~s.sign, z)
        made.append(result(convert(s, to, v) if to is not s else v, o))
    line(on(name), f"{name} v0, -v1, |v2|, v3", {"v0": old, "v1": sources[0], "v2": sources[1], "v3": sources[2]}, {"v0": made})


def mad(x, y, z):
    """Two roundings, without subnormal numbers."""
    x, y, z = map(s.flush, (x, y, z))
    return s.keep([x, y, z], s.flush(s.add(s.flush(s.mul(x, y)), z)))


low = lambda v, o: o & 0xFFFF0000 | v
high = lambda v, o: o & 0xFFFF | v << 16
mixed("v_fma_mix_f32_bf16", b, s, s.fma, lambda v, o: v, None)
mixed("v_fma_mixlo_bf16", b, b, s.fma, low, None)
mixed("v_fma_mixhi_bf16", b, b, s.fma, high, None)
mixed("v_fma_mixhi_f16", h, h, s.fma, high, None)
mixed("v_mad_mix_f32", h, s, mad, lambda v, o: v, None)
mixed("v_mad_mixlo_f16", h, h, mad, low, None)
mixed("v_mad_mixhi_f16", h, h, mad, high, None)

# Half precision with two roundings and without subnormal numbers; the upper half of the result is zero.
def mad_half(x, y, z):
    x, y, z = map(h.flush, (x, y, z))
    return h.keep([x, y, z], h.flush(h.add(h.flush(h.mul(x, y)), z)))


x, y, z, old = h.pick(), h.pick(), h.pick(), words()
made = [mad_half(*case) for case in zip(x, y, z)]
line(on("v_mac_f16"), "v_mac_f16 v0, v1, v2", {"v0": z, "v1": x, "v2": y}, {"v0": made})
line(on("v_mad_legacy_f16"), "v_mad_legacy_f16 v0, v1, v2, v3", {"v0": old, "v1": x, "v2": y, "v3": z}, {"v0": made}, EXECS[1])
line(on("v_mad_f16"), "v_mad_f16 v0, v1, v2, v3", {"v1": x, "v2": y, "v3": z}, {"v0": made})
line(on("v_mad_f16"), "v_mad_f16 v0, v1, v2, v3 op_sel:[1,0,0,1]", {"v0": old, "v1": [v << 16 for v in x], "v2": y, "v3": z}, {"v0": [high(m, o) for m, o in zip(made, old)]}, EXECS[1])
made = [h.fma(*case) for case in zip(x, y, z)]
line(on("v_fma_legacy_f16"), "v_fma_legacy_f16 v0, v1, v2, v3", {"v0": old, "v1": x, "v2": y, "v3": z}, {"v0": made}, EXECS[1])
made = [h.limit(v) for v in made]
line(on("v_fma_legacy_f16"), "v_fma_legacy_f16 v0, v1, v2, v3 clamp", {"v0": old, "v1": x, "v2": y, "v3": z}, {"v0": made})
line(on("v_madak_f16"), "v_madak_f16 v0, v1, v2, 0x4180", {"v1": x, "v2": y}, {"v0": [mad_half(p, q, 0x4180) for p, q in zip(x, y)]})
line(on("v_madmk_f16"), "v_madmk_f16 v0, v1, 0x4180, v2", {"v1": x, "v2": y}, {"v0": [mad_half(p, 0x4180, q) for p, q in zip(x, y)]})


def fix_half(a, y, x):
    """The quotient `a` of `x` and `y` put right."""
    negative = (x ^ y) & h.sign
    m = lambda v: v & (h.sign - 1)
    if h.is_nan(x):
        return x | h.quiet
    if h.is_nan(y):
        return y | h.quiet
    if m(x) == m(y) and m(x) in (0, h.inf):
        return h.sign | h.inf | h.quiet
    if m(y) == 0 or m(x) == h.inf:
        return h.inf | negative
    if m(y) == h.inf or m(x) == 0:
        return negative
    return h.inf | negative if h.is_nan(a) else m(a) | negative


x, y, z = h.pick(32, 0.2), h.pick(32, 0.6), h.pick(32, 0.6)
x = [v if not h.is_nan(v) else 0x3C00 for v in x]
line(on("v_div_fixup_legacy_f16"), "v_div_fixup_legacy_f16 v0, v1, v2, v3", {"v0": old, "v1": x, "v2": y, "v3": z}, {"v0": [fix_half(*case) for case in zip(x, y, z)]}, EXECS[1])


def zero_wins(x, y, z):
    zero = lambda v: not s.flush(v) & ~s.sign
    return s.flush(s.keep([s.flush(z)], s.add(0, s.flush(z)))) if zero(x) or zero(y) else mad(x, y, z)


x, y, z = s.pick(), s.pick(), s.pick()
made = [zero_wins(*case) for case in zip(x, y, z)]
line(on("v_mad_legacy_f32"), "v_mad_legacy_f32 v0, v1, v2, v3", {"v1": x, "v2": y, "v3": z}, {"v0": made})
line(on("v_mac_legacy_f32"), "v_mac_legacy_f32 v0, v1, v2", {"v0": z, "v1": x, "v2": y}, {"v0": made})

# Double precision in pairs of instructions.
for name, arity, f in [("fma", 3, d.fma), ("add", 2, d.add), ("mul", 2, d.mul), ("max_num", 2, lambda p, q: d.num(p, q, True)), ("min_num", 2, lambda p, q: d.num(p, q, False))]:
    args = [d.pick() for _ in range(arity)]
    made = [f(*case) for case in zip(*args)]
    given = {}
    for i, a in enumerate(args):
        given[f"v{4 + 2 * i}"], given[f"v{5 + 2 * i}"] = [v & 0xFFFFFFFF for v in a], [v >> 32 for v in a]
    given["v22"] = words()
    name = f"v_dual_{name}_f64"
    text = f"{name} v[0:1], " + ", ".join(f"v[{4 + 2 * i}:{5 + 2 * i}]" for i in range(arity))
    line(on(name), f"{text} :: v_dual_mov_b32 v11, v22", given, {"v0": [m & 0xFFFFFFFF for m in made], "v1": [m >> 32 for m in made], "v11": given["v22"]}, word="wave=32")

# Comparisons that compare nothing.
def mask(where, wave, full, yes, exec_):
    return exec_ & (full if yes else 0)


for t in ("f16", "f32", "f64", "i16", "i32", "i64", "u16", "u32", "u64"):
    regs = "v[2:3], v[4:5]" if t.endswith("64") else "v2, v4"
    for name, yes in [("f", False), ("t", True), ("tru", True)]:
        for wave, exec_, group in [(64, 0x00FF00010F0F3C5A, "gfx9 gfx10 gfx11"), (32, 0x0F0F3C5A, "gfx10 gfx11")]:
            full = f"v_cmp_{name}_{t}"
            pair = "s[4:5]" if wave == 64 else "s4"
            vcc = "s[106:107]" if wave == 64 else "s106"
            exec_name = "s[126:127]" if wave == 64 else "s126"
            expected = exec_ if yes else 0
            where = on(full, group)
            h_ = ".l" if t == "f16" else ""
            for part in (where & records.targets("gfx9 gfx10"), where & records.targets("gfx11")):
                if not part:
                    continue
                gfx11 = part <= records.targets("gfx11")
                names = ", ".join(r + (".l" if gfx11 and t == "f16" else "") for r in regs.split(", "))
                given = {"v2": 0x7FC01234, "v4": 0x7F801}
                line(part, f"{full}_e64 {pair}, {names}", given, {pair: [expected]}, word=f"wave={wave} exec={exec_:#x}")
                line(part, f"{full}_e32 {'vcc' if wave == 64 else 'vcc_lo'}, {names}", given, {vcc: [expected]}, word=f"wave={wave} exec={exec_:#x}")
            full = f"v_cmpx_{name}_{t}"
            where = on(full, group)
            for part in (where & records.targets("gfx9"), where & records.targets("gfx10"), where & records.targets("gfx11")):
                if not part:
                    continue
                gfx11 = part <= records.targets("gfx11")
                names = ", ".join(r + (".l" if gfx11 and t == "f16" else "") for r in regs.split(", "))
                given = {"v2": 0x7FC01234, "v4": 0x7F801}
                if part <= records.targets("gfx9"):
                    line(part, f"{full}_e64 {pair}, {names}", given, {pair: [expected], exec_name: [expected]}, word=f"wave={wave} exec={exec_:#x}")
                else:
                    line(part, f"{full}_e64 {names}", given, {exec_name: [expected]}, word=f"wave={wave} exec={exec_:#x}")

# Functions that are approximate: rounded once from double precision, where one unit is allowed.
def double(k, x):
    return struct.unpack("<d", struct.pack("<Q", convert(k, d, x)))[0]


def near(k, x, f):
    if k.is_nan(x):
        return x | k.quiet
    try:
        v = f(double(k, x))
    except (ValueError, ZeroDivisionError, OverflowError):
        v = f.edge(double(k, x))
    bits = convert(d, k, struct.unpack("<Q", struct.pack("<d", v))[0])
    return bits if k.is_nan(bits) or bits & (k.sign - 1) in (0, k.inf) else f"{bits:#x}~1"


def function(f, edge):
    call = lambda x: f(x)
    call.edge = edge
    return call


nan, inf = math.nan, math.inf
sign_inf = lambda x: math.copysign(inf, x)
turn = lambda g: function(lambda x: g(x), lambda x: nan)


def circle(x, g):
    if math.isinf(x):
        raise ValueError
    t = F(x) - math.floor(F(x))
    exact_ = {F(0): (0.0, 1.0), F(1, 4): (1.0, 0.0), F(1, 2): (0.0, -1.0), F(3, 4): (-1.0, 0.0)}.get(t)
    return exact_[g is math.cos] if exact_ else g(float(t if t <= F(1, 2) else t - 1) * math.tau)


def exp2(x):
    return inf if x > 1100 else 0.0 if x < -1100 else 2.0**x


FUNCTIONS = {
    "rcp": function(lambda x: 1 / x, sign_inf),
    "sqrt": function(math.sqrt, lambda x: nan),
    "rsq": function(lambda x: 1 / math.sqrt(x), lambda x: sign_inf(x) if x == 0 else nan),
    "exp": function(exp2, lambda x: nan),
    "log": function(math.log2, lambda x: -inf if x == 0 else nan),
    "sin": function(lambda x: circle(x, math.sin), lambda x: nan),
    "cos": function(lambda x: circle(x, math.cos), lambda x: nan),
    "tanh": function(math.tanh, lambda x: nan),
}
for name, f in FUNCTIONS.items():
    x, old = b.edges + b.pick(14, 0), words()
    x = x[:32]
    made = [near(b, v, f) for v in x]
    line(on(f"v_{name}_bf16"), f"v_{name}_bf16 v0.l, v1.l", {"v1": x}, {"v0": made})
    shown = [m if isinstance(m, str) and "~" not in m else m for m in made]
    for form, k in (("f16", h), ("f32", s)):
        full = f"v_s_{name}_{form}"
        for v in k.edges + k.pick(4, 0):
            made = near(k, v, f)
            for exec_ in (1, 0):
                line(on(full), f"{full} s0, s1", {"s0": 0xDEADBEEF, "s1": v | (0xABCD0000 if k is h else 0)}, {"s0": [made]}, word=f"exec={exec_:#x}")
        for v in k.pick(2, 0):
            line(on(full), f"{full} s0, |s1|", {"s1": v | (0xABCD0000 if k is h else 0)}, {"s0": [near(k, v & ~k.sign, f)]})
    if on(f"v_{name}_legacy_f32"):
        x = (s.edges + s.pick(14, 0))[:32]
        line(on(f"v_{name}_legacy_f32"), f"v_{name}_legacy_f32 v0, v1", {"v1": x}, {"v0": [near(s, v, f) for v in x]})

# Parts of 2 / pi: 1201 bits of it by Machin's formula in integers.
def arctan(x, one):
    term, total, n, sign = one // x, one // x, 3, -1
    while term:
        term //= x * x
        total += sign * (term // n)
        n, sign = n + 2, -sign
    return total


ONE = 1 << 1400
TWO_OVER_PI = (2 * ONE * ONE // (4 * (4 * arctan(5, ONE) - arctan(239, ONE)))) >> 199
angles, parts, made = [], [], []
for i in range(32):
    exponent = R.choice([0, 1023, 1024, 1076, 1077, 1078, 1100, 1500, 1967, 1968, 2000, 2046])
    part = R.choice([0, 1, 2, 3, 10, 19, 20, 22, 23, 31, 33])
    shift = 53 * (part & 31) + max(0, exponent - 1077)
    value = (TWO_OVER_PI << shift >> 1201 - 53) & ((1 << 53) - 1)
    power = (128 if exponent >= 1968 else 0) - 53 - shift
    angles.append(exponent << 52 | R.getrandbits(52))
    parts.append(part)
    made.append(d.fmt.encode(0, F(value) * F(2) ** power, "rn"))
given = {"v2": [a & 0xFFFFFFFF for a in angles], "v3": [a >> 32 for a in angles], "v4": parts}
line(on("v_trig_preop_f64"), "v_trig_preop_f64 v[0:1], v[2:3], v4", given, {"v0": [m & 0xFFFFFFFF for m in made], "v1": [m >> 32 for m in made]})

# Cube maps and lighting.
def cube(x, y, z):
    fx, fy, fz = (double(s, v) for v in (x, y, z))
    flip = lambda v: v ^ s.sign
    if abs(fz) >= abs(fx) and abs(fz) >= abs(fy):
        return (bits_of(5.0 if fz < 0 else 4.0), s.mul(z, bits_of(2.0)), flip(x) if fz < 0 else x, flip(y))
    if abs(fy) >= abs(fx):
        return (bits_of(3.0 if fy < 0 else 2.0), s.mul(y, bits_of(2.0)), x, flip(z) if fy < 0 else z)
    return (bits_of(1.0 if fx < 0 else 0.0), s.mul(x, bits_of(2.0)), z if fx < 0 else flip(z), flip(y))


for exec_ in EXECS:
    x, y, z, old = s.pick(32, 0.3), s.pick(32, 0.3), s.pick(32, 0.3), words()
    for i, name in enumerate(("id", "ma", "sc", "tc")):
        name = f"v_cube{name}_f32"
        line(on(name), f"{name} v0, v1, v2, v3", {"v0": old, "v1": x, "v2": y, "v3": z}, {"v0": [cube(*case)[i] for case in zip(x, y, z)]}, exec_)
    most = 0xFF7FFFFF
    made = [most if s.is_nan(q) or q in (most, 0xFF800000) or s.is_nan(r) or r & s.sign or not r & ~s.sign else s.mul(p, q) for p, q, r in zip(x, y, z)]
    line(on("v_mullit_f32"), "v_mullit_f32 v0, v1, v2, v3", {"v0": old, "v1": x, "v2": y, "v3": z}, {"v0": made}, exec_)

# Bits and moves.
def table(t, *xs):
    return sum((t >> (4 * (xs[0] >> i & 1) + 2 * (xs[1] >> i & 1) + (xs[2] >> i & 1)) & 1) << i for i in range(16))


for t in (0, 0xFF, 0x96, 0xE8, 0xCA, R.getrandbits(8)):
    x, y, z, old = words(), words(), words(), words()
    low_ = [table(t, p & 0xFFFF, q & 0xFFFF, r & 0xFFFF) for p, q, r in zip(x, y, z)]
    line(on("v_bitop3_b16", "gfx950"), f"v_bitop3_b16 v0, v1, v2, v3 bitop3:{t:#x}", {"v0": old, "v1": x, "v2": y, "v3": z}, {"v0": [low(m, o) for m, o in zip(low_, old)]}, EXECS[1])
    line(on("v_bitop3_b16", "gfx125"), f"v_bitop3_b16 v0.l, v1.l, v2.l, v3.l bitop3:{t:#x}", {"v0": old, "v1": x, "v2": y, "v3": z}, {"v0": [low(m, o) for m, o in zip(low_, old)]}, EXECS[1])
    mixed_ = [table(t, p >> 16, q & 0xFFFF, r >> 16) for p, q, r in zip(x, y, z)]
    line(on("v_bitop3_b16", "gfx125"), f"v_bitop3_b16 v0.h, v1.h, v2.l, v3.h bitop3:{t:#x}", {"v0": old, "v1": x, "v2": y, "v3": z}, {"v0": [high(m, o) for m, o in zip(mixed_, old)]})
for a, c in ("lh", "ll", "hl", "hh"):
    x, y = words(), words()
    part = lambda v, which: v >> 16 if which == "h" else v & 0xFFFF
    put = lambda v, which, new: high(new, v) if which == "h" else low(new, v)
    given = {"v0": x, "v1": y}
    expected = {"v0": [put(p, a, part(q, c)) for p, q in zip(x, y)], "v1": [put(q, c, part(p, a)) for p, q in zip(x, y)]}
    line(on("v_swap_b16"), f"v_swap_b16 v0.{a}, v1.{c}", given, expected, EXECS[a == c])
regs = [words() for _ in range(4)]
for sel in range(4):
    given = {f"v{i}": r for i, r in enumerate(regs)}
    suffix = f" op_sel:[{sel & 1},{sel >> 1}]" if sel else ""
    line(on("v_pk_mov_b32"), f"v_pk_mov_b32 v[4:5], v[0:1], v[2:3]{suffix}", given | {"v4": [0] * 32, "v5": [0] * 32}, {"v4": regs[sel & 1], "v5": regs[2 + (sel >> 1)]}, EXECS[sel & 1])
for bits, ws in ((4, (1, 1)), (6, (1, 2)), (8, (2, 2))):
    name = f"v_perm_pk16_b{bits}_u4"
    hi_, lo_, idx = [words() for _ in range(ws[0])], [words() for _ in range(ws[1])], [words() for _ in range(2)]
    made = []
    for i in range(32):
        t = sum(r[i] << (32 * n) for n, r in enumerate(lo_ + hi_))
        at = idx[0][i] | idx[1][i] << 32
        made.append(sum((t >> (bits * (at >> (4 * n) & 15)) & ((1 << bits) - 1)) << (bits * n) for n in range(16)))
    span = lambda first, n: f"v[{first}:{first + n - 1}]" if n > 1 else f"v{first}"
    out = bits // 2
    given = {f"v{20 + i}": r for i, r in enumerate(hi_)} | {f"v{30 + i}": r for i, r in enumerate(lo_)} | {f"v{40 + i}": r for i, r in enumerate(idx)} | {f"v{10 + i}": words() for i in range(out)}
    for exec_ in EXECS:
        line(on(name), f"{name} {span(10, out)}, {span(20, ws[0])}, {span(30, ws[1])}, v[40:41]", given, {f"v{10 + i}": [m >> (32 * i) & 0xFFFFFFFF for m in made] for i in range(out)}, exec_)
x, y = words(), words()
for exec_ in EXECS:
    base = {"v10": x, "v20": y}
    line(on("v_movrels_b32"), "v_movrels_b32 v0, v7", base | {"v0": words(), "m0": 3}, {"v0": x}, exec_)
    line(on("v_movreld_b32"), "v_movreld_b32 v0, v20", base | {"v5": x, "m0": 5}, {"v5": y}, exec_)
    line(on("v_movreld_b32"), "v_movreld_b32 v0, s4", {"v5": x, "m0": 5, "s4": 0x12345}, {"v5": [0x12345] * 32}, exec_)
    line(on("v_movrelsd_b32"), "v_movrelsd_b32 v1, v6", base | {"v5": y, "m0": 4}, {"v5": x}, exec_)
    line(on("v_movrelsd_2_b32"), "v_movrelsd_2_b32 v1, v6", base | {"v9": y, "m0": 8 << 16 | 4}, {"v9": x}, exec_)
    line(on("v_swaprel_b32"), "v_swaprel_b32 v1, v6", base | {"v9": y, "m0": 8 << 16 | 4}, {"v9": x, "v10": y}, exec_)

# Lanes.
for across, name in ((0, "v_permlane16_var_b32"), (16, "v_permlanex16_var_b32")):
    for sel, inactive in (("", False), (" op_sel:[1,0]", True)):
        for exec_ in (0xFFFFFFFF, 0x5A3C0FF1):
            x, y, old = words(), words(), words()
            made = []
            for i in range(32):
                source = (i & 16 ^ across) | y[i] & 15
                made.append(x[source] if exec_ >> i & 1 and (inactive or exec_ >> source & 1) else old[i])
            line(on(name), f"{name} v0, v1, v2{sel}", {"v0": old, "v1": x, "v2": y}, {"v0": made}, word=f"wave=32 exec={exec_:#x}")
# Within groups of lanes, as HIP's shuffles are: the own value where another group would be reached, but lower ones by exclusive or.
FROM = {
    "bcast": lambda i, n, w: i // w * w + n % w,
    "up": lambda i, n, w: i if i % w < n else i - n,
    "down": lambda i, n, w: i if i % w + n >= w else i + n,
    "xor": lambda i, n, w: i if n >= 32 or i ^ n >= i // w * w + w else i ^ n,
}
for name, f in FROM.items():
    name = f"v_permlane_{name}_b32"
    for size in (32, 16, 8, 2, 0, 12):
        for n in (0, 1, 5, 17, 40):
            x, old = words(), words()
            w = size if size in (32, 16, 8, 2) else 32
            made = [x[f(i, n, w)] for i in range(32)]
            line(on(name), f"{name} v0, v1, s4, s5", {"v0": old, "v1": x, "s4": n, "s5": size}, {"v0": made}, EXECS[n == 5], word="wave=32")

# What fetching through LDS takes for a lane of the own group.
for size in (32, 16, 8, 4, 1):
    for exec_ in EXECS:
        x = [i * 3 + 1 for i in range(32)] if size == 8 else words()
        made = [4 * (i // size * size + x[i] % size) for i in range(32)]
        line(on("v_permlane_idx_gen_b32"), "v_permlane_idx_gen_b32 v0, v1, s4", {"v0": words(), "v1": x, "s4": size}, {"v0": made}, exec_, word="wave=32")

with open(os.path.join(HERE, "packed.txt"), "w") as out:
    out.write("\n".join(OUT) + "\n")
