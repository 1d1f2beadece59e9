#!/usr/bin/env python3
"""Makes vector.txt: AMD's vector instructions that float.txt and integer.txt do not have on some target, by Python's integers and exact fractions.

What a name does is written down here after AMD's ISA guides; which targets have it, the records say. In every line some lane is switched off and keeps what its
register held. `python3 make_vector.py` rewrites the file.
"""

import math
import os

import records
from reference import *

R.seed(77)
LANES = 16
ACTIVE = 0xEFBF
OLD = 0x5A5A5A5A
OUT = []
K = {16: KINDS[0], 32: KINDS[1], 64: KINDS[2]} if (KINDS := [Kind("f16", X.f16), Kind("f32", X.f32), Kind("f64", X.f64)]) else {}
EDGES = {bits: [0, 1, 2, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, (1 << bits) - 2, 0x5A & ((1 << bits) - 1)] for bits in (16, 32, 64)}


def hexes(values):
    return ",".join(map(hex, values))


def integers(bits):
    return lambda: R.choice(EDGES[bits]) if R.random() < 0.5 else R.getrandbits(bits)


def floats(bits):
    return lambda: K[bits].pick(1)[0]


def halves(pick):
    return lambda: pick() | pick() << 16


def signed(x, bits):
    return x - (1 << bits) if x >> (bits - 1) & 1 else x


def limit(x, bits, sign):
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if sign else (0, (1 << bits) - 1)
    return max(low, min(high, x))


def register(first, kind):
    return f"v[{first}:{first + 1}]" if kind == "d" else f"v{first}.l" if kind == "H" else f"v{first}"


WIDTH = {"h": 16, "H": 16, "w": 32, "d": 64}


def emit(name, kinds, to, f, picks=None, where=None, suffix="", tie=False, near=0, before="", given="", constants=None, wave=None):
    """Lines of one instruction: kinds of its sources and its result (h: 16 bits, w: 32, d: 64), the function, how its sources are drawn; `tie`: the destination
    is the last source. Halves of registers are named where targets have them."""
    where = records.has(name) if where is None else records.has(name) & records.targets(where)
    new = records.targets("gfx11 gfx12")
    groups = [(where - new, False), (where & new, True)] if "h" in kinds + to else [(where, False)]
    for targets, split in groups:
        if not targets:
            continue
        own = [k.upper() if k == "h" and split else k for k in kinds]
        result = to.upper() if to == "h" and split else to
        draws = picks or [integers(WIDTH[k]) for k in own]
        cases = [tuple(draw() for draw in draws) for _ in range(LANES)]
        values = [f(*c) for c in cases]
        keep = OLD & 0xFFFF if to == "h" else OLD | OLD << 32 if to == "d" else OLD
        sources = own[:-1] if tie else own
        regs = [register(4 * i + 4, k) for i, k in enumerate(sources)]
        texts = list(regs)
        if constants:
            texts = constants(regs)
        initial = [keep] * LANES
        if tie:
            initial = [c[-1] for c in cases]
        plain = [r.removesuffix(".l") for r in regs]
        given_now = [f"{r}={hexes(c[i] for c in cases)}" for i, r in enumerate(plain)]
        dst = register(0, result)
        lanes = [v if ACTIVE >> i & 1 else initial[i] for i, v in enumerate(values)]
        mask = (1 << max(32, WIDTH[to])) - 1
        around = f"~{near}" if near else ""
        wanted = ",".join(hex(v & mask) + (around if ACTIVE >> i & 1 else "") if v is not None else "nan" for i, v in enumerate(lanes))
        text = f"{before}{name} {dst}, {', '.join(texts)}{suffix}"
        wave_now = f" wave={wave}" if wave else ""
        OUT.append(f"{records.named(targets)}: {text} |{wave_now} exec={ACTIVE:#x}{given} {dst.removesuffix('.l')}={hexes(initial)} {' '.join(given_now)} -> {dst.removesuffix('.l')}={wanted}")


def halves16():
    """Instructions of 16 bits, and on pairs of them."""
    k = K[16]
    f1, f2, f3 = [[floats(16)] * n for n in (1, 2, 3)]
    for name, arity in [("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)]:
        emit(f"v_{name}_f16", "h" * arity, "h", lambda *x, name=name: arithmetic(k, name, *x), [floats(16)] * arity)
    emit("v_subrev_f16", "hh", "h", lambda a, b: arithmetic(k, "sub", b, a), f2)
    emit("v_fmac_f16", "hhh", "h", lambda a, b, c: arithmetic(k, "fma", a, b, c), f3, tie=True)
    emit("v_fmaak_f16", "hh", "h", lambda a, b: arithmetic(k, "fma", a, b, 0x4248), f2, constants=lambda r: [*r, "0x4248"])
    emit("v_fmamk_f16", "hh", "h", lambda a, b: arithmetic(k, "fma", a, 0x4248, b), f2, constants=lambda r: [r[0], "0x4248", r[1]])
    for part, first in [("gfx9", False), ("gfx10 gfx11", True)]:
        rule = lambda a, b, most, first=first: old_min(k, a, b, most, first)
        for most, name in [(False, "min"), (True, "max")]:
            emit(f"v_{name}_f16", "hh", "h", lambda a, b, most=most, rule=rule: rule(a, b, most), f2, where=part)
            emit(f"v_{name}3_f16", "hhh", "h", lambda a, b, c, most=most, rule=rule: rule(rule(a, b, most), c, most), f3, where=part)
        emit("v_med3_f16", "hhh", "h", lambda a, b, c, rule=rule: med3(k, lambda k, a, b, most: rule(a, b, most), a, b, c), f3, where=part)
    first = lambda a, b, most: old_min(k, a, b, most, True)
    emit("v_minmax_f16", "hhh", "h", lambda a, b, c: first(first(a, b, False), c, True), f3)
    emit("v_maxmin_f16", "hhh", "h", lambda a, b, c: first(first(a, b, True), c, False), f3)
    for bits, kind in [(16, "h"), (32, "w")]:
        q = K[bits]
        three, two = [floats(bits)] * 3, [floats(bits)] * 2
        for most, name in [(False, "min"), (True, "max")]:
            emit(f"v_{name}_num_f{bits}", kind * 2, kind, lambda a, b, q=q, most=most: num(q, a, b, most), two)
            emit(f"v_{name}3_num_f{bits}", kind * 3, kind, lambda a, b, c, q=q, most=most: num(q, num(q, a, b, most), c, most), three)
            emit(f"v_{name}imum_f{bits}", kind * 2, kind, lambda a, b, q=q, most=most: or_nan(q, a, b, most), two)
            emit(f"v_{name}imum3_f{bits}", kind * 3, kind, lambda a, b, c, q=q, most=most: or_nan(q, or_nan(q, a, b, most), c, most), three)
        emit(f"v_minmax_num_f{bits}", kind * 3, kind, lambda a, b, c, q=q: num(q, num(q, a, b, False), c, True), three)
        emit(f"v_maxmin_num_f{bits}", kind * 3, kind, lambda a, b, c, q=q: num(q, num(q, a, b, True), c, False), three)
        emit(f"v_minimummaximum_f{bits}", kind * 3, kind, lambda a, b, c, q=q: or_nan(q, or_nan(q, a, b, False), c, True), three)
        emit(f"v_maximumminimum_f{bits}", kind * 3, kind, lambda a, b, c, q=q: or_nan(q, or_nan(q, a, b, True), c, False), three)
        emit(f"v_med3_num_f{bits}", kind * 3, kind, lambda a, b, c, q=q: med3(q, num, a, b, c), three)
    for name in ["floor", "ceil", "trunc", "rndne"]:
        emit(f"v_{name}_f16", "h", "h", lambda a, name=name: integral(k, a, name), f1)
    emit("v_frexp_mant_f16", "h", "h", lambda a: frexp(k, a)[0], f1)
    emit("v_frexp_exp_i16_f16", "h", "h", lambda a: frexp(k, a)[1] & 0xFFFF, f1)
    power = lambda: R.choice([0, 1, 2, -1, 5, -14, 15, -30, 30, -0x8000, 0x7FFF]) & 0xFFFF
    emit("v_ldexp_f16", "hh", "h", lambda a, n: ldexp(k, a, signed(n, 16)), [floats(16), power])
    emit("v_cvt_f32_f16", "h", "w", lambda a: convert(k, K[32], a), f1)
    emit("v_cvt_f16_f32", "w", "h", lambda a: convert(K[32], k, a), [floats(32)])
    emit("v_cvt_f16_u16", "h", "h", lambda a: k.encode((0, F(a))))
    emit("v_cvt_f16_i16", "h", "h", lambda a: k.encode((int(signed(a, 16) < 0), F(abs(signed(a, 16))))))
    for sign, name in [(True, "i16"), (False, "u16")]:
        def short(a, sign=sign):
            if k.is_nan(a):
                return 0
            whole = to_int(k, a, True)
            return limit(whole, 16, sign) & 0xFFFF
        emit(f"v_cvt_{name}_f16", "h", "h", short, f1)
    emit("v_pack_b32_f16", "hh", "w", lambda a, b: a | b << 16, [lambda: R.getrandbits(15) % 0x7C00] * 2)
    emit("v_cvt_pk_rtz_f16_f32", "ww", "w", lambda a, b: convert(K[32], k, a, "rz") | convert(K[32], k, b, "rz") << 16, [floats(32)] * 2)
    # Fraction: a NaN stays, of infinity there is none; the greatest number below one where rounding would give one.
    for bits, kind in [(16, "h"), (32, "w"), (64, "d")]:
        q = K[bits]
        def fraction(a, q=q):
            v = q.value(a)
            if q.is_nan(a):
                return a | q.quiet
            if X.is_inf(v):
                return q.inf | q.quiet
            exact = -v[1] if v[0] else v[1]
            rest = exact - exact.numerator // exact.denominator
            return min(q.encode((0, rest)), q.encode((0, F(1))) - 1)
        emit(f"v_fract_f{bits}", kind, kind, fraction, [lambda bits=bits: next(x for x in iter(floats(bits), None) if K[bits].magnitude(x) < K[bits].inf)])
    # Integers.
    ops = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b}
    for op, f in ops.items():
        for typed, sign in [("u16", False), ("i16", True)]:
            g = lambda a, b, f=f, sign=sign: f(signed(a, 16), signed(b, 16)) if sign else f(a, b)
            for name in (f"v_{op}_{typed}", f"v_{op}_nc_{typed}"):
                emit(name, "hh", "h", lambda a, b, g=g: g(a, b) & 0xFFFF)
                vop3 = name if "nc" in name or typed == "i16" else name + "_e64"
                if records.has(name):
                    emit_as(name, vop3, "hh", "h", lambda a, b, g=g, sign=sign: limit(g(a, b), 16, sign) & 0xFFFF, " clamp")
    emit("v_subrev_u16", "hh", "h", lambda a, b: (b - a) & 0xFFFF)
    emit("v_mul_lo_u16", "hh", "h", lambda a, b: a * b & 0xFFFF)
    emit("v_lshlrev_b16", "hh", "h", lambda n, a: a << (n & 15) & 0xFFFF)
    emit("v_lshrrev_b16", "hh", "h", lambda n, a: a >> (n & 15))
    emit("v_ashrrev_i16", "hh", "h", lambda n, a: signed(a, 16) >> (n & 15) & 0xFFFF)
    for typed, key in [("u16", lambda x: x), ("i16", lambda x: signed(x, 16))]:
        for most, name in [(min, "min"), (max, "max")]:
            emit(f"v_{name}_{typed}", "hh", "h", lambda a, b, most=most, key=key: most(a, b, key=key))
            emit(f"v_{name}3_{typed}", "hhh", "h", lambda a, b, c, most=most, key=key: most(a, b, c, key=key))
        emit(f"v_med3_{typed}", "hhh", "h", lambda a, b, c, key=key: sorted((a, b, c), key=key)[1])
        for name in (f"v_mad_{typed}", f"v_mad_legacy_{typed}"):
            emit(name, "hhh", "h", lambda a, b, c: a * b + c & 0xFFFF)
    for name, f in [("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b)]:
        emit(f"v_{name}_b16", "hh", "h", f)
    emit("v_not_b16", "h", "h", lambda a: a ^ 0xFFFF)
    emit("v_mov_b16", "h", "h", lambda a: a)


def emit_as(name, text, kinds, to, f, suffix):
    """A line of the mnemonic with an ending."""
    count = len(OUT)
    emit(name, kinds, to, f, suffix=suffix)
    OUT[count:] = [line.replace(f": {name} ", f": {text} ", 1) for line in OUT[count:]]


def pairs():
    """Two numbers in a register, or in two."""
    def each(f, sign=False, saturate=None):
        def both(*x):
            parts = [[v >> s & 0xFFFF for v in x] for s in (0, 16)]
            parts = [[signed(v, 16) for v in p] if sign else p for p in parts]
            out = [f(*p) for p in parts]
            return sum((limit(v, 16, sign) if saturate else v) % 65536 << 16 * i for i, v in enumerate(out))
        return both
    two, three = [halves(integers(16))] * 2, [halves(integers(16))] * 3
    for typed, sign in [("u16", False), ("i16", True)]:
        for op, f in [("add", lambda a, b: a + b), ("sub", lambda a, b: a - b)]:
            emit(f"v_pk_{op}_{typed}", "ww", "w", each(f, sign), two)
            emit(f"v_pk_{op}_{typed}", "ww", "w", each(f, sign, True), two, suffix=" clamp")
        emit(f"v_pk_mad_{typed}", "www", "w", each(lambda a, b, c: a * b + c, sign), three)
        emit(f"v_pk_min_{typed}", "ww", "w", each(min, sign), two)
        emit(f"v_pk_max_{typed}", "ww", "w", each(max, sign), two)
    emit("v_pk_mul_lo_u16", "ww", "w", each(lambda a, b: a * b), two)
    emit("v_pk_lshlrev_b16", "ww", "w", each(lambda n, a: a << (n & 15)), two)
    emit("v_pk_lshrrev_b16", "ww", "w", each(lambda n, a: a >> (n & 15)), two)
    emit("v_pk_ashrrev_i16", "ww", "w", each(lambda n, a: a >> (n & 15), True), two)
    emit("v_pk_add_u16", "ww", "w", lambda a, b: ((a >> 16) + b & 0xFFFF) | ((a & 0xFFFF) + b & 0xFFFF) << 16, two, suffix=" op_sel:[1,0] op_sel_hi:[0,0]")
    k, s = K[16], K[32]
    f2, f3 = [halves(floats(16))] * 2, [halves(floats(16))] * 3
    for part, first in [("gfx9", False), ("gfx10 gfx11", True)]:
        for most, name in [(False, "min"), (True, "max")]:
            emit(f"v_pk_{name}_f16", "ww", "w", each(lambda a, b, most=most, first=first: old_min(k, a, b, most, first)), f2, where=part)
    emit("v_pk_fmac_f16", "www", "w", each(lambda a, b, c: arithmetic(k, "fma", a, b, c)), f3, tie=True)
    def words(f):
        return lambda *x: f(*(v & 0xFFFFFFFF for v in x)) | f(*(v >> 32 for v in x)) << 32
    wide = lambda: s.pick(1)[0] | s.pick(1)[0] << 32
    for name, arity in [("add", 2), ("mul", 2), ("fma", 3)]:
        emit(f"v_pk_{name}_f32", "d" * arity, "d", words(lambda *x, name=name: arithmetic(s, name, *x)), [wide] * arity)
    emit("v_pk_add_f32", "dd", "d", lambda a, b: arithmetic(s, "add", a >> 32, b & 0xFFFFFFFF) | arithmetic(s, "add", a & 0xFFFFFFFF, b & 0xFFFFFFFF) << 32, [wide] * 2, suffix=" op_sel:[1,0] op_sel_hi:[0,0]")
    # Halves and words mixed, by op_sel_hi and op_sel.
    for name, to in [("v_fma_mix_f32", "w"), ("v_fma_mixlo_f16", "h"), ("v_fma_mixhi_f16", "w")]:
        for narrow, upper in [((0, 0, 0), (0, 0, 0)), ((1, 0, 1), (0, 0, 1)), ((1, 1, 1), (1, 0, 0))]:
            picks = [(lambda u=u: R.getrandbits(16) << (0 if u else 16) | k.pick(1)[0] << 16 * u) if n else floats(32) for n, u in zip(narrow, upper)]
            def mixed(*x, narrow=narrow, upper=upper, to=to):
                v = [convert(k, s, a >> 16 * u & 0xFFFF) if n else a for a, n, u in zip(x, narrow, upper)]
                d = arithmetic(s, "fma", *v)
                return convert(s, k, d) if to == "h" else d
            suffix = "" if not any(narrow) else f" op_sel:[{','.join(map(str, upper))}] op_sel_hi:[{','.join(map(str, narrow))}]"
            if name != "v_fma_mixhi_f16":
                emit(name, "www", to, mixed, picks, suffix=suffix)
                if to == "h":
                    # It names a whole register on every target.
                    OUT[-1] = OUT[-1].replace(f"{name} v0.l", f"{name} v0")


def dots():
    def dot(bits, a_sign, b_sign):
        def f(a, b, c):
            mask = (1 << bits) - 1
            part = lambda x, i, sign: signed(x >> i & mask, bits) if sign else x >> i & mask
            return c + sum(part(a, i, a_sign) * part(b, i, b_sign) for i in range(0, 32, bits)) & 0xFFFFFFFF
        return f
    for name, bits, sign, tie in [("v_dot2_i32_i16", 16, 1, 0), ("v_dot2_u32_u16", 16, 0, 0), ("v_dot2c_i32_i16", 16, 1, 1), ("v_dot4_u32_u8", 8, 0, 0), ("v_dot4_i32_i8", 8, 1, 0),
                                  ("v_dot4c_i32_i8", 8, 1, 1), ("v_dot8_u32_u4", 4, 0, 0), ("v_dot8_i32_i4", 4, 1, 0), ("v_dot8c_i32_i4", 4, 1, 1)]:
        emit(name, "www", "w", dot(bits, sign, sign), tie=bool(tie))
    for bits, name in [(8, "v_dot4_i32_iu8"), (4, "v_dot8_i32_iu4")]:
        for a, b in [(0, 0), (1, 0), (0, 1), (1, 1)]:
            emit(name, "www", "w", dot(bits, a, b), suffix=f" neg_lo:[{a},{b},0]" if a or b else "")


def whole():
    """Integers and numbers of 32 and 64 bits."""
    M = 0xFFFFFFFF
    s, d = K[32], K[64]
    f2, f3 = [floats(32)] * 2, [floats(32)] * 3
    zero_wins = lambda a, b: 0 if not s.magnitude(a) or not s.magnitude(b) else arithmetic(s, "mul", a, b)
    fma_zero = lambda a, b, c: arithmetic(s, "add", 0, c) if not s.magnitude(a) or not s.magnitude(b) else arithmetic(s, "fma", a, b, c)
    emit("v_subrev_f32", "ww", "w", lambda a, b: arithmetic(s, "sub", b, a), f2)
    emit("v_fmac_f32", "www", "w", lambda a, b, c: arithmetic(s, "fma", a, b, c), f3, tie=True)
    emit("v_fmac_f64", "ddd", "d", lambda a, b, c: arithmetic(d, "fma", a, b, c), [floats(64)] * 3, tie=True)
    emit("v_fmaak_f32", "ww", "w", lambda a, b: arithmetic(s, "fma", a, b, 0x40490FDB), f2, constants=lambda r: [*r, "0x40490fdb"])
    emit("v_fmamk_f32", "ww", "w", lambda a, b: arithmetic(s, "fma", a, 0x40490FDB, b), f2, constants=lambda r: [r[0], "0x40490fdb", r[1]])
    pi = 0x400921FB54442D18
    emit("v_fmaak_f64", "dd", "d", lambda a, b: arithmetic(d, "fma", a, b, pi), [floats(64)] * 2, constants=lambda r: [*r, hex(pi)])
    emit("v_fmamk_f64", "dd", "d", lambda a, b: arithmetic(d, "fma", a, pi, b), [floats(64)] * 2, constants=lambda r: [r[0], hex(pi), r[1]])
    for name in ("v_fma_dx9_zero_f32", "v_fma_legacy_f32"):
        emit(name, "www", "w", fma_zero, f3)
    for name in ("v_fmac_dx9_zero_f32", "v_fmac_legacy_f32"):
        emit(name, "www", "w", fma_zero, f3, tie=True)
    # Multiply, round, add, without subnormal numbers.
    flushed = lambda x: x & s.sign if s.fmt.is_subnormal(x) else x
    def mad(a, b, c):
        a, b, c = map(flushed, (a, b, c))
        nan = s.keep([a, b, c], None)
        return nan if nan is not None else flushed(arithmetic(s, "add", flushed(arithmetic(s, "mul", a, b)), c))
    modes = " modes=flush_single"
    emit("v_mad_f32", "www", "w", mad, f3, given=modes)
    emit("v_mac_f32", "www", "w", mad, f3, tie=True, given=modes)
    emit("v_madak_f32", "ww", "w", lambda a, b: mad(a, b, 0x40490FDB), f2, constants=lambda r: [*r, "0x40490fdb"], given=modes)
    emit("v_madmk_f32", "ww", "w", lambda a, b: mad(a, 0x40490FDB, b), f2, constants=lambda r: [r[0], "0x40490fdb", r[1]], given=modes)
    emit("v_mul_dx9_zero_f32", "ww", "w", zero_wins, f2)
    emit("v_subrev_u32", "ww", "w", lambda a, b: b - a & M)
    emit("v_mul_lo_i32", "ww", "w", lambda a, b: a * b & M)
    emit("v_mad_u32", "www", "w", lambda a, b, c: a * b + c & M)
    emit("v_xnor_b32", "ww", "w", lambda a, b: ~(a ^ b) & M)
    emit("v_mov_b32", "w", "w", lambda a: a)
    emit("v_mov_b64", "d", "d", lambda a: a)
    wide = (1 << 64) - 1
    emit("v_add_nc_u64", "dd", "d", lambda a, b: a + b & wide)
    emit("v_sub_nc_u64", "dd", "d", lambda a, b: a - b & wide)
    emit("v_mul_u64", "dd", "d", lambda a, b: a * b & wide)
    for typed, key in [("u64", lambda x: x), ("i64", lambda x: signed(x, 64))]:
        for most, name in [(min, "min"), (max, "max")]:
            emit(f"v_{name}_{typed}", "dd", "d", lambda a, b, most=most, key=key: most(a, b, key=key))
    emit("v_lshlrev_b64", "wd", "d", lambda n, a: a << (n & 63) & wide)
    emit("v_lshl_add_u64", "dwd", "d", lambda a, n, b: (a << n) + b & wide, [integers(64), lambda: R.randrange(5), integers(64)])
    emit("v_mad_nc_u64_u32", "wwd", "d", lambda a, b, c: a * b + c & wide)
    emit("v_mad_nc_i64_i32", "wwd", "d", lambda a, b, c: signed(a, 32) * signed(b, 32) + c & wide)
    emit("v_cvt_pk_u16_u32", "ww", "w", lambda a, b: min(a, 0xFFFF) | min(b, 0xFFFF) << 16)
    emit("v_cvt_pk_i16_i32", "ww", "w", lambda a, b: (limit(signed(a, 32), 16, 1) & 0xFFFF) | (limit(signed(b, 32), 16, 1) & 0xFFFF) << 16)
    half_up = lambda a: 0 if s.is_nan(a) else to_int(s, a, True) & M if X.is_inf(s.value(a)) else limit(math.floor((-1) ** s.value(a)[0] * s.value(a)[1] + F(1, 2)), 32, 1) & M
    for name in ("v_cvt_nearest_i32_f32", "v_cvt_rpi_i32_f32"):
        emit(name, "w", "w", half_up, [floats(32)])
    for name in ("v_cvt_floor_i32_f32", "v_cvt_flr_i32_f32"):
        emit(name, "w", "w", lambda a: to_int(s, a, True, "rm") & M, [floats(32)])
    for table in (0xCA, 0x96, 0x01, 0xE8):
        def bitop(a, b, c, table=table):
            return sum((table >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i for i in range(32))
        emit("v_bitop3_b32", "www", "w", bitop, suffix=f" bitop3:{table:#x}")


def carries():
    """Sums with masks: of lanes that are switched off a mask has zeros."""
    M = 0xFFFFFFFF
    for name, f in [("v_add_co_u32", lambda a, b, c: a + b), ("v_sub_co_u32", lambda a, b, c: a - b), ("v_subrev_co_u32", lambda a, b, c: b - a), ("v_add_co_ci_u32", lambda a, b, c: a + b + c),
                    ("v_sub_co_ci_u32", lambda a, b, c: a - b - c), ("v_subrev_co_ci_u32", lambda a, b, c: b - a - c), ("v_addc_co_u32", lambda a, b, c: a + b + c),
                    ("v_subb_co_u32", lambda a, b, c: a - b - c), ("v_subbrev_co_u32", lambda a, b, c: b - a - c)]:
        where = records.has(name)
        third = name in ("v_addc_co_u32", "v_subb_co_u32", "v_subbrev_co_u32") or "_ci_" in name
        for wave, part in [(64, "gfx9 gfx10 gfx11 gfx120"), (32, "gfx10 gfx11 gfx12")]:
            targets = where & records.targets(part)
            if not targets:
                continue
            for clamp in ("", " clamp"):
                cases = [(integers(32)(), integers(32)(), R.getrandbits(1)) for _ in range(LANES)]
                totals = [f(*c) for c in cases]
                values = [limit(t, 32, 0) if clamp else t & M for t in totals]
                out = sum(1 << i for i, t in enumerate(totals) if not 0 <= t <= M and ACTIVE >> i & 1)
                mask = "s[4:5]" if wave == 64 else "s4"
                carry = ("s[6:7]" if wave == 64 else "s6")
                given = f" {carry}={sum(c[2] << i for i, c in enumerate(cases)):#x}" if third else ""
                e64 = "_e64" if third else "_e64" if records.targets("gfx9") & targets else ""
                text = f"{name}{e64} v0, {mask}, v4, v8{', ' + carry if third else ''}{clamp}"
                gives = hexes(v if ACTIVE >> i & 1 else OLD for i, v in enumerate(values))
                OUT.append(f"{records.named(targets)}: {text} | wave={wave} exec={ACTIVE:#x} v0={OLD:#x}{given} v4={hexes(c[0] for c in cases)} v8={hexes(c[1] for c in cases)} -> v0={gives} {mask}={out:#x}")
    wide = 1 << 64
    for name, sign in [("v_mad_co_u64_u32", 0), ("v_mad_co_i64_i32", 1), ("v_mad_u64_u32", 0), ("v_mad_i64_i32", 1)]:
        for wave, part in [(64, "gfx9 gfx10 gfx11 gfx120"), (32, "gfx10 gfx11 gfx12")]:
            targets = records.has(name) & records.targets(part)
            if not targets:
                continue
            cases = [(integers(32)(), integers(32)(), integers(64)()) for _ in range(LANES)]
            totals = [signed(a, 32) * signed(b, 32) + signed(c, 64) if sign else a * b + c for a, b, c in cases]
            out = sum(1 << i for i, t in enumerate(totals) if not (-(wide >> 1) <= t < wide >> 1 if sign else t < wide) and ACTIVE >> i & 1)
            mask = "s[4:5]" if wave == 64 else "s4"
            gives = hexes(t % wide if ACTIVE >> i & 1 else OLD for i, t in enumerate(totals))
            # What the flag of the signed one says is not defined by the guides.
            flag = "" if sign else f" {mask}={out:#x}"
            OUT.append(f"{records.named(targets)}: {name} v[0:1], {mask}, v4, v8, v[12:13] | wave={wave} exec={ACTIVE:#x} v[0:1]={OLD:#x} v4={hexes(c[0] for c in cases)} v8={hexes(c[1] for c in cases)} v[12:13]={hexes(c[2] for c in cases)} -> v[0:1]={gives}{flag}")
    # Choice by a mask.
    for kind, name in [("w", "v_cndmask_b32"), ("h", "v_cndmask_b16")]:
        for wave, part in [(64, "gfx9 gfx10 gfx11 gfx120"), (32, "gfx10 gfx11 gfx12")]:
            targets = records.has(name) & records.targets(part)
            if not targets:
                continue
            carry, bits = ("s[6:7]" if wave == 64 else "s6"), WIDTH[kind]
            mask = R.getrandbits(LANES)
            cases = [(integers(bits)(), integers(bits)()) for _ in range(LANES)]
            old = OLD & (1 << bits) - 1
            gives = hexes(c[mask >> i & 1] if ACTIVE >> i & 1 else old for i, c in enumerate(cases))
            end = ".l" if kind == "h" else ""
            OUT.append(f"{records.named(targets)}: {name}_e64 v0{end}, v4{end}, v8{end}, {carry} | wave={wave} exec={ACTIVE:#x} v0={old:#x} {carry}={mask:#x} v4={hexes(c[0] for c in cases)} v8={hexes(c[1] for c in cases)} -> v0={gives}")


CONDITIONS = [("lt", lambda a, b: a < b), ("eq", lambda a, b: a == b), ("le", lambda a, b: a <= b), ("gt", lambda a, b: a > b), ("ne", lambda a, b: a != b), ("lg", lambda a, b: a != b), ("ge", lambda a, b: a >= b)]
NEGATED = {"nlt": "lt", "neq": "eq", "nle": "le", "ngt": "gt", "nlg": "lg", "nge": "ge"}


def comparisons():
    """To a scalar mask, and to EXEC: on gfx9 to both then."""
    whole = dict(CONDITIONS)
    tests = []
    for typed in ("i16", "u16", "i32", "u32", "i64", "u64"):
        bits = int(typed[1:])
        key = (lambda x, bits=bits: signed(x, bits)) if typed[0] == "i" else lambda x: x
        for name, f in CONDITIONS:
            tests.append((name, typed, bits, integers(bits), lambda a, b, f=f, key=key: f(key(a), key(b))))
    for bits in (16, 32, 64):
        q = K[bits]
        order = lambda x, q=q: 0 if not q.magnitude(x) else -q.magnitude(x) if x & q.sign else q.magnitude(x)
        nan = lambda a, b, q=q: q.is_nan(a) or q.is_nan(b)
        for name, f in CONDITIONS:
            tests.append((name, f"f{bits}", bits, floats(bits), lambda a, b, f=f, order=order, nan=nan: not nan(a, b) and f(order(a), order(b))))
        for name, plain in NEGATED.items():
            tests.append((name, f"f{bits}", bits, floats(bits), lambda a, b, f=whole[plain], order=order, nan=nan: nan(a, b) or not f(order(a), order(b))))
        tests.append(("o", f"f{bits}", bits, floats(bits), lambda a, b, nan=nan: not nan(a, b)))
        tests.append(("u", f"f{bits}", bits, floats(bits), nan))
        tests.append(("class", f"f{bits}", bits, floats(bits), lambda a, b, q=q: b >> classify(q, a) & 1))
    for cond, typed, bits, pick, holds in tests:
        for exec_too in (False, True):
            name = f"v_cmp{'x' if exec_too else ''}_{cond}_{typed}"
            for wave, part in [(64, "gfx9"), (64, "gfx10"), (32, "gfx10"), (64, "gfx11 gfx120"), (32, "gfx11 gfx12")]:
                targets = records.has(name) & records.targets(part)
                if not targets or wave == 64 and part != "gfx9" and bits != 32:
                    continue
                new = "gfx11" in part
                # The mask of classes is 32 bits wide but for halves.
                second = lambda: R.getrandbits(10)
                cases = [(pick(), second() if cond == "class" else pick() if R.random() < 0.8 else None) for _ in range(LANES)]
                cases = [(a, a if b is None else b) for a, b in cases]
                out = sum(1 << i for i, c in enumerate(cases) if holds(*c) and ACTIVE >> i & 1)
                kind = {16: "H" if new else "h", 32: "w", 64: "d"}[bits]
                a, b = register(4, kind), register(8, "w" if cond == "class" and bits == 64 else kind)
                given = f"{a.removesuffix('.l')}={hexes(c[0] for c in cases)} {b.removesuffix('.l')}={hexes(c[1] for c in cases)}"
                mask = "s[4:5]" if wave == 64 else "s4"
                if not exec_too:
                    text, gives = f"{name}_e64 {mask}, {a}, {b}", f"{mask}={out:#x}"
                elif part == "gfx9":
                    text, gives = f"{name}_e64 {mask}, {a}, {b}", f"{mask}={out:#x} exec={out:#x}"
                else:
                    text, gives = f"{name}_e64 {a}, {b}", f"exec={out:#x}"
                OUT.append(f"{records.named(targets)}: {text} | wave={wave} exec={ACTIVE:#x} {given} -> {gives}")


def special():
    """Transcendental functions of numbers that are normal, from the C library in double precision, within the bound of the records, and what is exact of them."""
    inf = math.inf
    def near(f, bits):
        q = K[bits]
        def g(a):
            v = q.value(a)
            if q.is_nan(a):
                return None if bits == 32 else a | q.quiet
            x = (-inf if v[1] else inf) if X.is_inf(v) else float(-v[1] if v[0] else v[1])
            if x == 0 and v[0]:
                x = -0.0
            y = f(x)
            if math.isnan(y):
                return None if bits == 32 else q.inf | q.quiet
            if math.isinf(y):
                return q.inf | (q.sign if y < 0 else 0)
            return q.encode((int(math.copysign(1, y) < 0), F(abs(y))))
        return g
    def power(x):
        return 2.0 ** x if -2000 < x < 1024 else inf if x > 0 else 0.0
    table = {
        "rcp": lambda x: math.copysign(inf, x) if x == 0 else 1 / x, "sqrt": lambda x: math.nan if x < 0 else math.sqrt(x), "rsq": lambda x: math.copysign(inf, x) if x == 0 else math.nan if x < 0 else 1 / math.sqrt(x),
        "exp": power, "log": lambda x: -inf if x == 0 else math.nan if x < 0 else math.log2(x) if x < inf else inf, "tanh": math.tanh,
    }
    def normal(bits, low, high):
        q = K[bits]
        edges = [0, q.sign, q.inf, q.inf | q.sign, q.inf | q.quiet, q.encode((0, F(1))), q.encode((1, F(1))), q.encode((0, F(4))), q.encode((0, F(1, 2)))]
        def draw():
            while True:
                x = R.choice(edges) if R.random() < 0.5 else q.encode((R.getrandbits(1), F(R.randrange(1 << 20, 1 << 21), 1 << 20) * F(2) ** R.randrange(low, high)))
                if not q.fmt.is_subnormal(x):
                    return x
        return draw
    for name, f in table.items():
        for bits, kind, close in [(16, "h", 1), (32, "w", 1), (64, "d", 1 << 29)]:
            full = {"v_rcp_f32": ["v_rcp_f32", "v_rcp_iflag_f32"]}.get(f"v_{name}_f{bits}", [f"v_{name}_f{bits}"])
            span = (-9, 10) if bits == 16 else (-100, 100) if name in ("rcp", "sqrt", "rsq", "log") else (-20, 7)
            for one in full:
                emit(one, kind, kind, near(f, bits), [normal(bits, *span)], near=close)
    # Turns; a bound on the difference, so that multiples of a quarter, which are exact, and numbers whose sine is large are drawn.
    for name, f in [("sin", math.sin), ("cos", math.cos)]:
        for bits, kind, close in [(16, "h", 4), (32, "w", 64)]:
            q = K[bits]
            quarter = lambda q=q: q.encode((R.getrandbits(1), F(R.randrange(0, 64), 8)))
            def turns(a, f=f, q=q):
                v = q.value(a)
                x = -v[1] if v[0] else v[1]
                y = f(2 * math.pi * float(x % 1))
                return q.encode((int(y < 0), F(abs(y)))) if abs(y) > 1e-9 else 0
            emit(f"v_{name}_f{bits}", kind, kind, turns, [quarter], near=close)


def division():
    """The whole sequence of division, which must give IEEE's quotient, and its last step alone."""
    for bits, kind in [(32, "w"), (64, "d")]:
        q = K[bits]
        name = f"f{bits}"
        pair = lambda i, kind=kind: register(i, kind)
        one = "1.0"
        n, d = pair(4), pair(8)
        scale, r, e, num_, quotient, rest, result = [pair(i) for i in (12, 16, 20, 24, 28, 32, 0)]
        for part, wave in [("gfx9 gfx10 gfx11 gfx120", 64), ("gfx10 gfx11 gfx12", 32)]:
            flag, vcc = ("s[4:5]", "vcc") if wave == 64 else ("s4", "vcc_lo")
            code = [f"v_div_scale_{name} {scale}, {flag}, {d}, {d}, {n}", f"v_rcp_{name} {r}, {scale}", f"v_fma_{name} {e}, -{scale}, {r}, {one}", f"v_fma_{name} {r}, {r}, {e}, {r}"]
            if bits == 64:
                code += [f"v_fma_{name} {e}, -{scale}, {r}, {one}", f"v_fma_{name} {r}, {r}, {e}, {r}"]
            code += [f"v_div_scale_{name} {num_}, {vcc}, {n}, {d}, {n}", f"v_mul_{name} {quotient}, {num_}, {r}", f"v_fma_{name} {rest}, -{scale}, {quotient}, {num_}"]
            if bits == 32:
                code += [f"v_fma_{name} {quotient}, {rest}, {r}, {quotient}", f"v_fma_{name} {rest}, -{scale}, {quotient}, {num_}"]
            code += [f"v_div_fmas_{name} {quotient}, {rest}, {r}, {quotient}", f"v_div_fixup_{name} {result}, {quotient}, {d}, {n}"]
            least = 1 - q.fmt.bias
            far = [(1, F(2) ** q.fmt.bias), (F(3, 2) * F(2) ** least, 1), (F(2) ** least, F(2) ** least * F(3, 2)), (F(5, 4) * F(2) ** q.fmt.bias, F(7, 4) * F(2) ** (q.fmt.bias - 3)),
                   (F(2) ** (q.fmt.bias - 1), F(3) * F(2) ** (least + 1)), (3, F(2) ** (q.fmt.bias - 1) * F(5, 4)), (F(2) ** (least + 20), F(2) ** least * F(9, 8)), (10, 3), (1, 3)]
            cases = [(q.encode((0, F(a))), q.encode((1, F(b)))) for a, b in far] + [(q.pick(1)[0], q.pick(1)[0]) for _ in range(15)]
            def divide(a, b):
                for x in (a, b):
                    if q.is_nan(x):
                        return x | q.quiet
                (v, w), sign = (q.value(a), q.value(b)), (a ^ b) & q.sign
                if X.is_inf(v) and X.is_inf(w) or not q.magnitude(a) and not q.magnitude(b):
                    return q.sign | q.inf | q.quiet
                if X.is_inf(v) or not q.magnitude(b):
                    return sign | q.inf
                if X.is_inf(w) or not q.magnitude(a):
                    return sign
                return q.encode((int(sign > 0), v[1] / w[1]))
            # A subnormal quotient is rounded twice on the way.
            close = lambda x: "~1" if q.fmt.is_subnormal(x) else ""
            gives = ",".join(hex(x) + close(x) for x in (divide(*c) for c in cases))
            OUT.append(f"{part}: {'; '.join(code)} | wave={wave} {n}={hexes(c[0] for c in cases)} {d}={hexes(c[1] for c in cases)} -> {result}={gives}")
    k = K[16]
    def fixup(a, b, c):
        if k.is_nan(c):
            return c | k.quiet
        if k.is_nan(b):
            return b | k.quiet
        sign = (b ^ c) & k.sign
        zero, infinite = (lambda x: not k.magnitude(x)), (lambda x: k.magnitude(x) == k.inf)
        if zero(b) and zero(c) or infinite(b) and infinite(c):
            return 0xFE00
        if zero(b) or infinite(c):
            return sign | k.inf
        if infinite(b) or zero(c):
            return sign
        return sign | k.magnitude(a)
    number = lambda: next(x for x in iter(floats(16), None) if not k.is_nan(x))
    emit("v_div_fixup_f16", "hhh", "h", fixup, [number, floats(16), floats(16)])


def duals():
    """Both halves of a pair, in either order."""
    s = K[32]
    M = 0xFFFFFFFF
    two = lambda name: (lambda a, b, c: arithmetic(s, name, a, b))
    shift = lambda f: (lambda a, b, c: f(b, a & 31) & M)
    table = {
        "add_f32": two("add"), "sub_f32": two("sub"), "subrev_f32": lambda a, b, c: arithmetic(s, "sub", b, a), "mul_f32": two("mul"),
        "mul_dx9_zero_f32": lambda a, b, c: 0 if not s.magnitude(a) or not s.magnitude(b) else arithmetic(s, "mul", a, b),
        "fmac_f32": lambda a, b, c: arithmetic(s, "fma", a, b, c), "fmaak_f32": lambda a, b, c: arithmetic(s, "fma", a, b, 0x40490FDB), "fmamk_f32": lambda a, b, c: arithmetic(s, "fma", a, 0x40490FDB, b),
        "max_f32": lambda a, b, c: old_min(s, a, b, True, True), "min_f32": lambda a, b, c: old_min(s, a, b, False, True),
        "max_num_f32": lambda a, b, c: num(s, a, b, True), "min_num_f32": lambda a, b, c: num(s, a, b, False), "fma_f32": lambda a, b, c: arithmetic(s, "fma", a, b, c),
    }
    ints = {
        "mov_b32": lambda a, b, c: a, "add_nc_u32": lambda a, b, c: a + b & M, "sub_nc_u32": lambda a, b, c: a - b & M, "and_b32": lambda a, b, c: a & b,
        "lshlrev_b32": shift(lambda x, n: x << n), "lshrrev_b32": shift(lambda x, n: x >> n), "ashrrev_i32": shift(lambda x, n: signed(x, 32) >> n),
        "max_i32": lambda a, b, c: max(a, b, key=lambda x: signed(x, 32)), "min_i32": lambda a, b, c: min(a, b, key=lambda x: signed(x, 32)), "cndmask_b32": None,
        "bitop2_b32": lambda a, b, c: a ^ b & M,
    }
    for name, f in [*table.items(), *ints.items()]:
        full = f"v_dual_{name}"
        for encodings, first in [(("vopdx",), True), (("vopdy",), False), (("vopd3x",), True), (("vopd3y",), False)]:
            targets = records.has(full, *encodings)
            three = encodings[0].startswith("vopd3")
            if three:
                targets -= records.has(full, "vopdx" if first else "vopdy")
            if not targets:
                continue
            pick = floats(32) if name in table else integers(32)
            cases = [(pick(), pick(), pick()) for _ in range(LANES)]
            mask = R.getrandbits(LANES)
            g = f or (lambda a, b, c, m: b if m else a)
            values = [g(*c, mask >> i & 1) if f is None else g(*c) for i, c in enumerate(cases)]
            operands = {"mov_b32": "v4", "fmaak_f32": "v4, v9, 0x40490fdb", "fmamk_f32": "v4, 0x40490fdb, v9", "fma_f32": "v4, v9, v14", "bitop2_b32": "v4, v9 bitop3:0x14"}.get(name, "v4, v9")
            if three and name == "cndmask_b32":
                operands += ", vcc_lo"
            this, other = f"{full} v0, {operands}", "v_dual_mov_b32 v1, v6"
            code = f"{this} :: {other}" if first else f"{other} :: {this}"
            old = [c[2] for c in cases] if name == "fmac_f32" else [OLD] * LANES
            gives = hexes(v if ACTIVE >> i & 1 else old[i] for i, v in enumerate(values))
            more = f" v14={hexes(c[2] for c in cases)}" if name == "fma_f32" else ""
            OUT.append(f"{records.named(targets)}: {code} | wave=32 exec={ACTIVE:#x} vcc_lo={mask:#x} v0={hexes(old)} v4={hexes(c[0] for c in cases)} v9={hexes(c[1] for c in cases)}{more} v6=0x1234 -> v0={gives} v1=" + hexes(0x1234 if ACTIVE >> i & 1 else 0 for i in range(LANES)))


def main():
    for make in (halves16, pairs, dots, whole, carries, comparisons, special, division, duals):
        make()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "vector.txt"), "w") as f:
        print("# AMD's vector instructions, made by make_vector.py.", file=f)
        f.write("\n".join(OUT) + "\n")


if __name__ == "__main__":
    main()
