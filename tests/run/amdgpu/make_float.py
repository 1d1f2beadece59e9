#!/usr/bin/env python3
"""Makes float.txt: AMD's floating-point instructions by exact fractions.

`python3 make_float.py` rewrites the file.
"""

import os
import struct

from reference import *

ALL = "gfx9 gfx10 gfx11 gfx12"
OUT = ["# Made by make_float.py from exact fractions."]


def hexes(values):
    return ",".join(f"{v:#x}" for v in values)


def register(i, bits, n=4):
    return f"v[{i * n}:{i * n + 1}]" if bits == 64 else f"v{i * n}"


def line(targets, name, kinds, to, cases, results, suffix=""):
    """Sources from v4 on, the result in v0."""
    regs = [register(i + 1, bits) for i, bits in enumerate(kinds)]
    given = " ".join(f"{r}={hexes(c[i] for c in cases)}" for i, r in enumerate(regs))
    OUT.append(f"{targets}: {name} {register(0, to)}, {', '.join(regs)}{suffix} | {given} -> {register(0, to)}={hexes(x & ((1 << max(to, 32)) - 1) for x in results)}")


for k in KINDS:
    names = {"add": 2, "mul": 2, "fma": 3}
    if k.bits < 64:
        names["sub"] = 2
    # From gfx11 on the assembler wants halves of registers to be named.
    targets = "gfx9 gfx10" if k.bits == 16 else ALL
    for name, arity in names.items():
        cases = [tuple(k.pick(arity)) for _ in range(32)]
        line(targets, f"v_{name}_{k.name}", [k.bits] * arity, k.bits, cases, [arithmetic(k, name, *c) for c in cases])
    cases = [tuple(k.pick(2)) for _ in range(32)]
    # The upper half of a destination of 16 bits is zero on gfx9; on gfx10 it is as it was, zero here.
    for most, name in [(False, "min"), (True, "max")]:
        line("gfx9", f"v_{name}_{k.name}", [k.bits] * 2, k.bits, cases, [old_min(k, *c, most, False) for c in cases])
        line("gfx10" if k.bits == 16 else "gfx10 gfx11", f"v_{name}_{k.name}", [k.bits] * 2, k.bits, cases, [old_min(k, *c, most, True) for c in cases])
        if k.bits != 16:
            line("gfx12", f"v_{name}_num_{k.name}", [k.bits] * 2, k.bits, cases, [num(k, *c, most) for c in cases])
            line("gfx12", f"v_{name}imum_{k.name}", [k.bits] * 2, k.bits, cases, [or_nan(k, *c, most) for c in cases])
    if k.bits == 32:
        three = [tuple(k.pick(3)) for _ in range(32)]
        second = lambda k, a, b, most: old_min(k, a, b, most, False)
        first = lambda k, a, b, most: old_min(k, a, b, most, True)
        for t, f, suffix in [("gfx9", second, ""), ("gfx10 gfx11", first, ""), ("gfx12", num, "_num")]:
            line(t, f"v_med3{suffix}_f32", [32] * 3, 32, three, [med3(k, f, *c) for c in three])
            for most, name in [(False, "min"), (True, "max")]:
                line(t, f"v_{name}3{suffix}_f32", [32] * 3, 32, three, [f(k, f(k, c[0], c[1], most), c[2], most) for c in three])
        for name, f in [("minmax", lambda a, b, c: first(k, first(k, a, b, False), c, True)), ("maxmin", lambda a, b, c: first(k, first(k, a, b, True), c, False))]:
            line("gfx11", f"v_{name}_f32", [32] * 3, 32, three, [f(*c) for c in three])
        zero_wins = lambda a, b: 0 if not k.magnitude(a) or not k.magnitude(b) else arithmetic(k, "mul", a, b)
        line("gfx9 gfx10", "v_mul_legacy_f32", [32] * 2, 32, cases, [zero_wins(*c) for c in cases])
        line("gfx11 gfx12", "v_mul_dx9_zero_f32", [32] * 2, 32, cases, [zero_wins(*c) for c in cases])
    one = [(x,) for x in k.edges + k.pick(12)]
    for name in ["floor", "ceil", "trunc", "rndne"]:
        line(targets, f"v_{name}_{k.name}", [k.bits], k.bits, one, [integral(k, x, name) for (x,) in one])
    line(targets, f"v_frexp_mant_{k.name}", [k.bits], k.bits, one, [frexp(k, x)[0] for (x,) in one])
    exponent = "i16" if k.bits == 16 else "i32"
    line(targets, f"v_frexp_exp_{exponent}_{k.name}", [k.bits], 16 if k.bits == 16 else 32, one, [frexp(k, x)[1] & ((1 << min(k.bits, 32)) - 1) for (x,) in one])
    if k.bits != 16:
        powers = [(x, R.choice([0, 1, -1, 5, -24, 100, -150, 2000, -2000]) & 0xFFFFFFFF) for (x,) in one]
        signed = lambda n: n - (1 << 32) if n >> 31 else n
        line(ALL, f"v_ldexp_{k.name}", [k.bits, 32], k.bits, powers, [ldexp(k, x, signed(n)) for x, n in powers])
        masks = [(x, R.getrandbits(10)) for (x,) in one]
        bits = sum(1 << i for i, (x, m) in enumerate(masks) if m >> classify(k, x) & 1)
        given = f"{register(1, k.bits)}={hexes(x for x, _ in masks)} v8={hexes(m for _, m in masks)} exec={(1 << len(masks)) - 1:#x}"
        OUT.append(f"gfx9 gfx10 gfx11: v_cmp_class_{k.name} s[4:5], {register(1, k.bits)}, v8 | wave=64 {given} -> s[4:5]={bits:#x}")
        OUT.append(f"gfx10 gfx11 gfx12: v_cmp_class_{k.name} s4, {register(1, k.bits)}, v8 | wave=32 {given} -> s4={bits & 0xFFFFFFFF:#x}")
        for sign, name in [(True, "i32"), (False, "u32")]:
            line(ALL, f"v_cvt_{name}_{k.name}", [k.bits], 32, one, [to_int(k, x, sign) for (x,) in one])
    # Comparisons.
    for cond, f in [("lt", lambda a, b: a < b), ("eq", lambda a, b: a == b), ("le", lambda a, b: a <= b), ("gt", lambda a, b: a > b), ("lg", lambda a, b: a != b), ("ge", lambda a, b: a >= b)]:
        def holds(a, b, f=f):
            if k.is_nan(a) or k.is_nan(b):
                return None
            order = lambda x: 0 if not k.magnitude(x) else k.key(x) if x & k.sign == 0 else -k.magnitude(x)
            return f(order(a), order(b))
        negated = {"lt": "nlt", "eq": "neq", "le": "nle", "gt": "ngt", "lg": "nlg", "ge": "nge"}[cond]
        yes = sum(1 << i for i, c in enumerate(cases) if holds(*c))
        no = sum(1 << i for i, c in enumerate(cases) if not holds(*c))
        given = " ".join(f"{register(i + 1, k.bits)}={hexes(c[i] for c in cases)}" for i in range(2))
        for name, bits in [(cond, yes), (negated, no)]:
            t = "gfx9 gfx10" if k.bits == 16 else "gfx9 gfx10 gfx11"
            OUT.append(f"{t}: v_cmp_{name}_{k.name} vcc, {register(1, k.bits)}, {register(2, k.bits)} | wave=64 exec=0xffffffff {given} -> vcc={bits:#x}".replace("vcc=", "s[106:107]=").replace("-> vcc", "-> s[106:107]"))

h, s, d = KINDS
one = [(x,) for x in s.edges + s.pick(12)]
line("gfx9 gfx10", "v_cvt_f16_f32", [32], 16, one, [convert(s, h, x) for (x,) in one])
line(ALL, "v_cvt_f64_f32", [32], 64, one, [convert(s, d, x) for (x,) in one])
line("gfx9 gfx10", "v_cvt_flr_i32_f32", [32], 32, one, [to_int(s, x, True, "down") & 0xFFFFFFFF for (x,) in one])
pairs = [tuple(s.pick(2)) for _ in range(24)]
line("gfx9 gfx10", "v_cvt_pkrtz_f16_f32", [32, 32], 32, pairs, [convert(s, h, a, "rz") | convert(s, h, b, "rz") << 16 for a, b in pairs])
one = [(x,) for x in d.edges + d.pick(12)]
line(ALL, "v_cvt_f32_f64", [64], 32, one, [convert(d, s, x) for (x,) in one])
one = [(x,) for x in h.edges + h.pick(12)]
line("gfx9 gfx10", "v_cvt_f32_f16", [16], 32, one, [convert(h, s, x) for (x,) in one])
words = [(x,) for x in [0, 1, 0xFFFFFF, 0x1000001, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678]]
for name, sign in [("i32", True), ("u32", False)]:
    value = lambda x: (int(sign and x >> 31), F((1 << 32) - x if sign and x >> 31 else x))
    for k in (s, d):
        line(ALL, f"v_cvt_{k.name}_{name}", [32], k.bits, words, [k.encode(value(x)) for (x,) in words])
for i in range(4):
    line(ALL, f"v_cvt_f32_ubyte{i}", [32], 32, words, [s.encode((0, F(x >> (8 * i) & 0xFF))) for (x,) in words])
# Packed halves, with halves exchanged and signs.
for name, arity in [("add", 2), ("mul", 2), ("fma", 3)]:
    for suffix, pick, flip in [("", 2, 0), (" op_sel:[1,0] op_sel_hi:[0,1]" if arity == 2 else " op_sel:[1,0,0] op_sel_hi:[0,1,1]", 1, 0), (" neg_lo:[1,0] neg_hi:[1,0]" if arity == 2 else " neg_lo:[1,0,0] neg_hi:[1,0,0]", 2, 1)]:
        cases = [tuple(a | b << 16 for a, b in zip(h.pick(arity), h.pick(arity))) for _ in range(24)]
        results = []
        for c in cases:
            halves = []
            for upper in (0, 1):
                first = c[0] >> (16 * ((1 - upper) if pick == 1 else upper)) & 0xFFFF
                rest = [x >> (16 * upper) & 0xFFFF for x in c[1:]]
                halves.append(arithmetic(h, name, first ^ (0x8000 if flip else 0), *rest))
            results.append(halves[0] | halves[1] << 16)
        line(ALL, f"v_pk_{name}_f16", [32] * arity, 32, cases, results, suffix)
# Output modifiers: what is limited, and scaled.
cases = [tuple(s.pick(2)) for _ in range(24)]
limit = lambda x: 0 if s.is_nan(x) or x & s.sign else min(x, s.encode((0, F(1))))
line(ALL, "v_add_f32_e64", [32, 32], 32, cases, [limit(arithmetic(s, "add", *c)) for c in cases], " clamp")
# Scales are ignored in IEEE mode and where results may be subnormal; else subnormal numbers are zero, and zeros have no sign.
flushed = lambda x: x & s.sign if s.fmt.is_subnormal(x) else x
for suffix, factor in [(" mul:2", 2), (" mul:4", 4), (" div:2", F(1, 2))]:
    def scaled(a, b):
        product = flushed(arithmetic(s, "mul", flushed(a), flushed(b)))
        d = flushed(s.keep([product], s.encode(X.mul(s.value(product), (0, F(factor))))))
        return d if s.magnitude(d) else 0
    line(ALL, "v_mul_f32_e64", [32, 32], 32, cases, [arithmetic(s, "mul", *c) for c in cases], suffix)
    line(ALL, "v_mul_f32_e64", [32, 32], 32, cases, [scaled(*c) for c in cases], suffix)
    OUT[-1] = OUT[-1].replace(" | ", " | modes=flush_single,no_ieee ", 1)
    # gfx12 has no IEEE mode.
    line(ALL.replace(" gfx12", ""), "v_mul_f32_e64", [32, 32], 32, cases, [flushed(arithmetic(s, "mul", flushed(a), flushed(b))) for a, b in cases], suffix)
    OUT[-1] = OUT[-1].replace(" | ", " | modes=flush_single ", 1)

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "float.txt"), "w") as f:
    f.write("\n".join(OUT) + "\n")
