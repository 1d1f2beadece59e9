#!/usr/bin/env python3
"""Makes integer.txt and scalar.txt: AMD's integer instructions by Python's integers.

What each instruction does follows the operation that AMD's ISA guides give for it; nothing here is shared with the Rust code.
`python3 make_integer.py` rewrites the files.
"""

import random

M32, M64, M16 = (1 << 32) - 1, (1 << 64) - 1, (1 << 16) - 1
EDGES = [0, 1, 2, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x00FFFFFF, 0x00800000, 0xDEADBEEF]
EDGES64 = EDGES + [1 << 32, (1 << 63) - 1, 1 << 63, M64, 0x123456789ABCDEF0]
R = random.Random(6)


def signed(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def clamp(x, low, high):
    return max(low, min(high, x))


def bytes_of(x):
    return [x >> (8 * i) & 0xFF for i in range(4)]


def pairs(n, bits=32, arity=2):
    edges = EDGES64 if bits == 64 else EDGES
    mask = (1 << bits) - 1
    out = [tuple(R.choice(edges) & mask for _ in range(arity)) for _ in range(n // 2)]
    return out + [tuple(R.getrandbits(bits) for _ in range(arity)) for _ in range(n - n // 2)]


def perm(a, b, s):
    data = [(a << 32 | b) >> (8 * i) & 0xFF for i in range(8)]
    out = 0
    for i in range(4):
        k = s >> (8 * i) & 0xFF
        if k <= 7:
            v = data[k]
        elif k <= 11:
            v = 0xFF if data[(k - 8) * 2 + 1] & 0x80 else 0
        else:
            v = 0 if k == 12 else 0xFF
        out |= v << (8 * i)
    return out


def first_one(x, bits):
    return next((i for i in range(bits) if x >> i & 1), -1)


def leading(x, bits):
    return next((i for i in range(bits) if x >> (bits - 1 - i) & 1), -1)


def sign_run(x, bits):
    top = x >> (bits - 1) & 1
    return next((i for i in range(1, bits) if x >> (bits - 1 - i) & 1 != top), -1)


def med(*v):
    return sorted(v)[1]


s32 = lambda x: signed(x, 32)
s16 = lambda x: signed(x, 16)
s24 = lambda x: signed(x, 24)
u24 = lambda x: x & 0xFFFFFF
sad = lambda a, b: sum(abs(x - y) for x, y in zip(bytes_of(a), bytes_of(b)))
ALL, OLD, NEW = "gfx9 gfx10 gfx11 gfx12", "gfx9 gfx10 gfx11", "gfx11 gfx12"

# name, targets, sources, bits of a source, function; the result has 32 bits
VECTOR = [
    ("v_add_nc_u32", "gfx10 gfx11 gfx12", 2, 32, lambda a, b: a + b),
    ("v_add_u32", "gfx9", 2, 32, lambda a, b: a + b),
    ("v_sub_nc_u32", "gfx10 gfx11 gfx12", 2, 32, lambda a, b: a - b),
    ("v_subrev_nc_u32", "gfx10 gfx11 gfx12", 2, 32, lambda a, b: b - a),
    ("v_mul_lo_u32", ALL, 2, 32, lambda a, b: a * b),
    ("v_mul_hi_u32", ALL, 2, 32, lambda a, b: a * b >> 32),
    ("v_mul_hi_i32", ALL, 2, 32, lambda a, b: s32(a) * s32(b) >> 32),
    ("v_mul_u32_u24", ALL, 2, 32, lambda a, b: u24(a) * u24(b)),
    ("v_mul_i32_i24", ALL, 2, 32, lambda a, b: s24(a) * s24(b)),
    ("v_mul_hi_u32_u24", ALL, 2, 32, lambda a, b: u24(a) * u24(b) >> 32),
    ("v_mul_hi_i32_i24", ALL, 2, 32, lambda a, b: s24(a) * s24(b) >> 32),
    ("v_mad_u32_u24", ALL, 3, 32, lambda a, b, c: u24(a) * u24(b) + c),
    ("v_mad_i32_i24", ALL, 3, 32, lambda a, b, c: s24(a) * s24(b) + c),
    ("v_mad_u32_u16", ALL, 3, 32, lambda a, b, c: (a & M16) * (b & M16) + c),
    ("v_mad_i32_i16", ALL, 3, 32, lambda a, b, c: s16(a) * s16(b) + c),
    ("v_min_u32", ALL, 2, 32, min),
    ("v_max_u32", ALL, 2, 32, max),
    ("v_min_i32", ALL, 2, 32, lambda a, b: min(s32(a), s32(b))),
    ("v_max_i32", ALL, 2, 32, lambda a, b: max(s32(a), s32(b))),
    ("v_min3_u32", ALL, 3, 32, min),
    ("v_max3_u32", ALL, 3, 32, max),
    ("v_med3_u32", ALL, 3, 32, med),
    ("v_min3_i32", ALL, 3, 32, lambda *v: min(map(s32, v))),
    ("v_max3_i32", ALL, 3, 32, lambda *v: max(map(s32, v))),
    ("v_med3_i32", ALL, 3, 32, lambda *v: med(*map(s32, v))),
    ("v_maxmin_u32", NEW, 3, 32, lambda a, b, c: min(max(a, b), c)),
    ("v_minmax_u32", NEW, 3, 32, lambda a, b, c: max(min(a, b), c)),
    ("v_maxmin_i32", NEW, 3, 32, lambda a, b, c: min(max(s32(a), s32(b)), s32(c))),
    ("v_minmax_i32", NEW, 3, 32, lambda a, b, c: max(min(s32(a), s32(b)), s32(c))),
    ("v_and_b32", ALL, 2, 32, lambda a, b: a & b),
    ("v_or_b32", ALL, 2, 32, lambda a, b: a | b),
    ("v_xor_b32", ALL, 2, 32, lambda a, b: a ^ b),
    ("v_not_b32", ALL, 1, 32, lambda a: ~a),
    ("v_xnor_b32", "gfx906 gfx90a gfx942 gfx10 gfx11 gfx12", 2, 32, lambda a, b: ~(a ^ b)),
    ("v_lshlrev_b32", ALL, 2, 32, lambda a, b: b << (a & 31)),
    ("v_lshrrev_b32", ALL, 2, 32, lambda a, b: b >> (a & 31)),
    ("v_ashrrev_i32", ALL, 2, 32, lambda a, b: s32(b) >> (a & 31)),
    ("v_bfe_u32", ALL, 3, 32, lambda a, p, n: a >> (p & 31) & ((1 << (n & 31)) - 1)),
    ("v_bfe_i32", ALL, 3, 32, lambda a, p, n: signed(s32(a) >> (p & 31), n & 31) if n & 31 else 0),
    ("v_bfi_b32", ALL, 3, 32, lambda a, b, c: a & b | ~a & c),
    ("v_bfm_b32", ALL, 2, 32, lambda a, b: ((1 << (a & 31)) - 1) << (b & 31)),
    ("v_alignbit_b32", ALL, 3, 32, lambda a, b, n: (a << 32 | b) >> (n & 31)),
    ("v_alignbyte_b32", ALL, 3, 32, lambda a, b, n: (a << 32 | b) >> (8 * (n & 3))),
    ("v_perm_b32", ALL, 3, 32, perm),
    ("v_add3_u32", ALL, 3, 32, lambda a, b, c: a + b + c),
    ("v_add_lshl_u32", ALL, 3, 32, lambda a, b, n: (a + b) << (n & 31)),
    ("v_lshl_add_u32", ALL, 3, 32, lambda a, n, c: (a << (n & 31)) + c),
    ("v_lshl_or_b32", ALL, 3, 32, lambda a, n, c: a << (n & 31) | c),
    ("v_and_or_b32", ALL, 3, 32, lambda a, b, c: a & b | c),
    ("v_or3_b32", ALL, 3, 32, lambda a, b, c: a | b | c),
    ("v_xad_u32", ALL, 3, 32, lambda a, b, c: (a ^ b) + c),
    ("v_xor3_b32", "gfx10 gfx11 gfx12", 3, 32, lambda a, b, c: a ^ b ^ c),
    ("v_lerp_u8", ALL, 3, 32, lambda a, b, c: sum(((x + y + (z & 1)) >> 1) << (8 * i) for i, (x, y, z) in enumerate(zip(*map(bytes_of, (a, b, c)))))),
    ("v_sad_u8", ALL, 3, 32, lambda a, b, c: sad(a, b) + c),
    ("v_sad_hi_u8", ALL, 3, 32, lambda a, b, c: (sad(a, b) << 16) + c),
    ("v_msad_u8", ALL, 3, 32, lambda a, b, c: sum(abs(x - y) for x, y in zip(bytes_of(a), bytes_of(b)) if y) + c),
    ("v_sad_u16", ALL, 3, 32, lambda a, b, c: abs((a & M16) - (b & M16)) + abs((a >> 16) - (b >> 16)) + c),
    ("v_sad_u32", ALL, 3, 32, lambda a, b, c: abs(a - b) + c),
    ("v_bfrev_b32", ALL, 1, 32, lambda a: int(f"{a:032b}"[::-1], 2)),
    ("v_bcnt_u32_b32", ALL, 2, 32, lambda a, b: bin(a).count("1") + b),
    ("v_ffbl_b32", "gfx9 gfx10", 1, 32, lambda a: first_one(a, 32)),
    ("v_ffbh_u32", "gfx9 gfx10", 1, 32, lambda a: leading(a, 32)),
    ("v_ffbh_i32", "gfx9 gfx10", 1, 32, lambda a: sign_run(a, 32)),
    ("v_ctz_i32_b32", NEW, 1, 32, lambda a: first_one(a, 32)),
    ("v_clz_i32_u32", NEW, 1, 32, lambda a: leading(a, 32)),
    ("v_cls_i32", NEW, 1, 32, lambda a: sign_run(a, 32)),
    ("v_cvt_f32_ubyte0", ALL, 1, 32, None),
]


def hexes(values):
    return ",".join(f"{v:#x}" for v in values)


def vector(out):
    for name, targets, arity, bits, f in VECTOR:
        if f is None:
            continue
        cases = pairs(16, bits, arity)
        registers = [f"v{i + 1}" for i in range(arity)]
        given = " ".join(f"{r}={hexes(c[i] for c in cases)}" for i, r in enumerate(registers))
        results = hexes(f(*c) & M32 for c in cases)
        out.append(f"{targets}: {name} v0, {', '.join(registers)} | {given} -> v0={results}")
    # Clamped sums.
    for name, targets, f, low, high in [
        ("v_add_u32", "gfx9", lambda a, b: a + b, 0, M32),
        ("v_sub_u32", "gfx9", lambda a, b: a - b, 0, M32),
        ("v_add_nc_u32", "gfx10 gfx11 gfx12", lambda a, b: a + b, 0, M32),
        ("v_add_i32", "gfx9", lambda a, b: s32(a) + s32(b), -(1 << 31), (1 << 31) - 1),
        ("v_sub_i32", "gfx9", lambda a, b: s32(a) - s32(b), -(1 << 31), (1 << 31) - 1),
        ("v_add_nc_i32", "gfx10 gfx11 gfx12", lambda a, b: s32(a) + s32(b), -(1 << 31), (1 << 31) - 1),
        ("v_sub_nc_i32", "gfx10 gfx11 gfx12", lambda a, b: s32(a) - s32(b), -(1 << 31), (1 << 31) - 1),
    ]:
        cases = pairs(16)
        given = f"v1={hexes(c[0] for c in cases)} v2={hexes(c[1] for c in cases)}"
        for suffix, g in [(" clamp", lambda x: clamp(x, low, high)), ("", lambda x: x)]:
            out.append(f"{targets}: {name}_e64 v0, v1, v2{suffix} | {given} -> v0={hexes(g(f(*c)) & M32 for c in cases)}" if "nc" not in name and "i32" not in name
                       else f"{targets}: {name} v0, v1, v2{suffix} | {given} -> v0={hexes(g(f(*c)) & M32 for c in cases)}")
    # Carries: all lanes, the last inactive.
    for name, targets, f in [
        ("v_add_co_u32", "gfx9", lambda a, b: a + b),
        ("v_sub_co_u32", "gfx9", lambda a, b: a - b),
        ("v_subrev_co_u32", "gfx9", lambda a, b: b - a),
    ]:
        cases = pairs(16)
        given = f"exec=0x7fff vcc=0xffff00000000 v0=7 v1={hexes(c[0] for c in cases)} v2={hexes(c[1] for c in cases)}"
        carry = sum(1 << i for i, c in enumerate(cases[:15]) if not 0 <= f(*c) <= M32)
        results = hexes([f(*c) & M32 for c in cases[:15]] + [7])
        out.append(f"{targets}: {name} v0, vcc, v1, v2 | {given} -> v0={results} vcc={carry:#x}")
    for name, targets, f in [("v_addc_co_u32", "gfx9", lambda a, b, c: a + b + c), ("v_subb_co_u32", "gfx9", lambda a, b, c: a - b - c)]:
        cases = pairs(16)
        flags = R.getrandbits(16)
        given = f"vcc={flags:#x} v1={hexes(c[0] for c in cases)} v2={hexes(c[1] for c in cases)} exec=0xffff"
        sums = [f(*c, flags >> i & 1) for i, c in enumerate(cases)]
        carry = sum(1 << i for i, x in enumerate(sums) if not 0 <= x <= M32)
        out.append(f"{targets}: {name} v0, vcc, v1, v2, vcc | {given} -> v0={hexes(x & M32 for x in sums)} vcc={carry:#x}")
    # 64 bits.
    for name, targets, f in [
        ("v_lshlrev_b64", "gfx9 gfx10 gfx11", lambda n, a: a << (n & 63)),
        ("v_lshrrev_b64", ALL, lambda n, a: a >> (n & 63)),
        ("v_ashrrev_i64", ALL, lambda n, a: signed(a, 64) >> (n & 63)),
    ]:
        cases = [(R.choice([0, 1, 31, 32, 33, 63, 64, 0xFFFFFFFF]), R.choice(EDGES64)) for _ in range(12)]
        given = f"v2={hexes(c[0] for c in cases)} v[4:5]={hexes(c[1] for c in cases)}"
        out.append(f"{targets}: {name} v[0:1], v2, v[4:5] | {given} -> v[0:1]={hexes(f(*c) & M64 for c in cases)}")
    for name, targets, f in [
        ("v_mad_u64_u32", "gfx9 gfx10 gfx11", lambda a, b, c: a * b + c),
        ("v_mad_i64_i32", "gfx9 gfx10 gfx11", lambda a, b, c: s32(a) * s32(b) + signed(c, 64)),
    ]:
        cases = [(R.choice(EDGES), R.choice(EDGES), R.choice(EDGES64)) for _ in range(16)]
        given = f"v2={hexes(c[0] for c in cases)} v3={hexes(c[1] for c in cases)} v[4:5]={hexes(c[2] for c in cases)}"
        out.append(f"{targets}: {name} v[0:1], vcc, v2, v3, v[4:5] | wave=64 {given} -> v[0:1]={hexes(f(*c) & M64 for c in cases)}".replace("wave=64 ", "") if targets == "gfx9"
                   else f"gfx9: {name} v[0:1], vcc, v2, v3, v[4:5] | {given} -> v[0:1]={hexes(f(*c) & M64 for c in cases)}")
        out.append(f"gfx10 gfx11: {name} v[0:1], vcc_lo, v2, v3, v[4:5] | wave=32 {given} -> v[0:1]={hexes(f(*c) & M64 for c in cases)}")
    # Comparisons in both kinds of wavefronts, some lanes inactive.
    for cond, f in [("lt", lambda a, b: a < b), ("le", lambda a, b: a <= b), ("eq", lambda a, b: a == b), ("ne", lambda a, b: a != b), ("gt", lambda a, b: a > b), ("ge", lambda a, b: a >= b)]:
        for kind, g in [("u32", lambda x: x), ("i32", s32)]:
            cases = pairs(32)
            execute = R.getrandbits(32)
            mask = sum(1 << i for i, c in enumerate(cases) if execute >> i & 1 and f(g(c[0]), g(c[1])))
            given = f"v1={hexes(c[0] for c in cases)} v2={hexes(c[1] for c in cases)} exec={execute:#x}"
            out.append(f"{OLD}: v_cmp_{cond}_{kind} s[4:5], v1, v2 | wave=64 {given} s[4:5]=0x1234567812345678 -> s[4:5]={mask:#x}")
            out.append(f"gfx10 gfx11 gfx12: v_cmp_{cond}_{kind} s4, v1, v2 | wave=32 {given} s4=0x12345678 -> s4={mask:#x}")
            out.append(f"gfx10 gfx11 gfx12: v_cmpx_{cond}_{kind} v1, v2 | wave=32 {given} -> exec_lo={mask:#x}")


SCALAR = [
    # name, targets, bits of sources, bits of result, arity, function to (result, SCC or None for unchanged)
    ("s_add_u32", OLD, 32, 32, 2, lambda a, b: (a + b, a + b > M32)),
    ("s_sub_u32", OLD, 32, 32, 2, lambda a, b: (a - b, b > a)),
    ("s_add_i32", OLD, 32, 32, 2, lambda a, b: (a + b, not -(1 << 31) <= s32(a) + s32(b) < 1 << 31)),
    ("s_sub_i32", OLD, 32, 32, 2, lambda a, b: (a - b, not -(1 << 31) <= s32(a) - s32(b) < 1 << 31)),
    ("s_mul_i32", ALL, 32, 32, 2, lambda a, b: (a * b, None)),
    ("s_mul_hi_u32", ALL, 32, 32, 2, lambda a, b: (a * b >> 32, None)),
    ("s_mul_hi_i32", ALL, 32, 32, 2, lambda a, b: (s32(a) * s32(b) >> 32, None)),
    ("s_min_i32", ALL, 32, 32, 2, lambda a, b: (min(s32(a), s32(b)), s32(a) < s32(b))),
    ("s_max_i32", ALL, 32, 32, 2, lambda a, b: (max(s32(a), s32(b)), s32(a) >= s32(b))),
    ("s_min_u32", ALL, 32, 32, 2, lambda a, b: (min(a, b), a < b)),
    ("s_max_u32", ALL, 32, 32, 2, lambda a, b: (max(a, b), a >= b)),
    ("s_and_b32", ALL, 32, 32, 2, lambda a, b: (a & b, a & b != 0)),
    ("s_or_b32", ALL, 32, 32, 2, lambda a, b: (a | b, a | b != 0)),
    ("s_xor_b32", ALL, 32, 32, 2, lambda a, b: (a ^ b, a ^ b != 0)),
    ("s_nand_b32", ALL, 32, 32, 2, lambda a, b: (~(a & b), ~(a & b) & M32 != 0)),
    ("s_nor_b32", ALL, 32, 32, 2, lambda a, b: (~(a | b), ~(a | b) & M32 != 0)),
    ("s_xnor_b32", ALL, 32, 32, 2, lambda a, b: (~(a ^ b), ~(a ^ b) & M32 != 0)),
    ("s_and_b64", ALL, 64, 64, 2, lambda a, b: (a & b, a & b != 0)),
    ("s_xor_b64", ALL, 64, 64, 2, lambda a, b: (a ^ b, a ^ b != 0)),
    ("s_andn2_b64", "gfx9 gfx10", 64, 64, 2, lambda a, b: (a & ~b, a & ~b & M64 != 0)),
    ("s_orn2_b64", "gfx9 gfx10", 64, 64, 2, lambda a, b: (a | ~b, (a | ~b) & M64 != 0)),
    ("s_not_b64", ALL, 64, 64, 1, lambda a: (~a, ~a & M64 != 0)),
    ("s_lshl_b32", ALL, 32, 32, 2, lambda a, b: (a << (b & 31), (a << (b & 31)) & M32 != 0)),
    ("s_lshr_b32", ALL, 32, 32, 2, lambda a, b: (a >> (b & 31), a >> (b & 31) != 0)),
    ("s_ashr_i32", ALL, 32, 32, 2, lambda a, b: (s32(a) >> (b & 31), s32(a) >> (b & 31) != 0)),
    ("s_bfm_b32", ALL, 32, 32, 2, lambda a, b: (((1 << (a & 31)) - 1) << (b & 31), None)),
    ("s_bcnt1_i32_b32", ALL, 32, 32, 1, lambda a: (bin(a).count("1"), a != 0)),
    ("s_bcnt0_i32_b32", ALL, 32, 32, 1, lambda a: (32 - bin(a).count("1"), a != M32)),
    ("s_bcnt1_i32_b64", ALL, 64, 32, 1, lambda a: (bin(a).count("1"), a != 0)),
    ("s_brev_b32", ALL, 32, 32, 1, lambda a: (int(f"{a:032b}"[::-1], 2), None)),
    ("s_brev_b64", ALL, 64, 64, 1, lambda a: (int(f"{a:064b}"[::-1], 2), None)),
    ("s_ff1_i32_b32", "gfx9 gfx10", 32, 32, 1, lambda a: (first_one(a, 32), None)),
    ("s_ff1_i32_b64", "gfx9 gfx10", 64, 32, 1, lambda a: (first_one(a, 64), None)),
    ("s_ff0_i32_b32", "gfx9 gfx10", 32, 32, 1, lambda a: (first_one(~a & M32, 32), None)),
    ("s_flbit_i32_b32", "gfx9 gfx10", 32, 32, 1, lambda a: (leading(a, 32), None)),
    ("s_flbit_i32_b64", "gfx9 gfx10", 64, 32, 1, lambda a: (leading(a, 64), None)),
    ("s_flbit_i32", "gfx9 gfx10", 32, 32, 1, lambda a: (sign_run(a, 32), None)),
    ("s_flbit_i32_i64", "gfx9 gfx10", 64, 32, 1, lambda a: (sign_run(a, 64), None)),
    ("s_abs_i32", ALL, 32, 32, 1, lambda a: (abs(s32(a)), a != 0)),
    ("s_absdiff_i32", ALL, 32, 32, 2, lambda a, b: (abs(s32(a - b)), (a - b) & M32 != 0)),
    ("s_sext_i32_i8", ALL, 32, 32, 1, lambda a: (signed(a, 8), None)),
    ("s_sext_i32_i16", ALL, 32, 32, 1, lambda a: (s16(a), None)),
    ("s_quadmask_b32", ALL, 32, 32, 1, lambda a: (sum(1 << i for i in range(8) if a >> (4 * i) & 15), a != 0)),
    ("s_wqm_b32", ALL, 32, 32, 1, lambda a: (sum(15 << 4 * i for i in range(8) if a >> (4 * i) & 15), a != 0)),
    ("s_wqm_b64", ALL, 64, 64, 1, lambda a: (sum(15 << 4 * i for i in range(16) if a >> (4 * i) & 15), a != 0)),
    ("s_bitreplicate_b64_b32", ALL, 32, 64, 1, lambda a: (sum(3 << 2 * i for i in range(32) if a >> i & 1), None)),
    ("s_pack_ll_b32_b16", ALL, 32, 32, 2, lambda a, b: (a & M16 | b << 16, None)),
    ("s_pack_lh_b32_b16", ALL, 32, 32, 2, lambda a, b: (a & M16 | b >> 16 << 16, None)),
    ("s_pack_hh_b32_b16", ALL, 32, 32, 2, lambda a, b: (a >> 16 | b >> 16 << 16, None)),
]


def bfe(a, control, bits, sign):
    position, length = control & (bits - 1), control >> 16 & 0x7F
    length = min(length, bits - position)
    field = a >> position & ((1 << length) - 1)
    return signed(field, length) if sign and length else field


def scalar(out):
    def line(targets, text, given, expected, scc):
        flag = "" if scc is None else f" scc={int(scc)}"
        out.append(f"{targets}: {text} | {given} -> {expected}{flag}")

    for name, targets, bits, to, arity, f in SCALAR:
        regs = [f"s{4 + 2 * i}" if bits == 32 else f"s[{4 + 2 * i}:{5 + 2 * i}]" for i in range(arity)]
        dst = "s0" if to == 32 else "s[0:1]"
        for case in pairs(6, bits, arity):
            result, scc = f(*case)
            before = R.getrandbits(1)
            given = " ".join(f"{r}={v:#x}" for r, v in zip(regs, case)) + f" scc={before}"
            line(targets, f"{name} {dst}, {', '.join(regs)}", given, f"{dst}={result & ((1 << to) - 1):#x}", before if scc is None else scc)
    for name, bits, sign in [("s_bfe_u32", 32, 0), ("s_bfe_i32", 32, 1), ("s_bfe_u64", 64, 0), ("s_bfe_i64", 64, 1)]:
        for _ in range(8):
            a, control = R.choice(EDGES64) & ((1 << bits) - 1), R.randrange(bits) | R.choice([0, 1, 5, 16, bits - 1, bits]) << 16
            reg, dst = ("s4", "s0") if bits == 32 else ("s[4:5]", "s[0:1]")
            result = bfe(a, control, bits, sign) & ((1 << bits) - 1)
            line(ALL, f"{name} {dst}, {reg}, s8", f"{reg}={a:#x} s8={control:#x}", f"{dst}={result:#x}", result != 0)
    for name, f in [("s_addc_u32", lambda a, b, c: a + b + c), ("s_subb_u32", lambda a, b, c: a - b - c)]:
        for case in pairs(6):
            carry = R.getrandbits(1)
            total = f(*case, carry)
            line(OLD, f"{name} s0, s4, s6", f"s4={case[0]:#x} s6={case[1]:#x} scc={carry}", f"s0={total & M32:#x}", not 0 <= total <= M32)
    for cond, f in [("lt", lambda a, b: a < b), ("le", lambda a, b: a <= b), ("eq", lambda a, b: a == b), ("lg", lambda a, b: a != b), ("gt", lambda a, b: a > b), ("ge", lambda a, b: a >= b)]:
        for kind, g in [("u32", lambda x: x), ("i32", s32)]:
            for case in pairs(4):
                line(ALL, f"s_cmp_{cond}_{kind} s4, s6", f"s4={case[0]:#x} s6={case[1]:#x}", f"s4={case[0]:#x}", f(g(case[0]), g(case[1])))
        for kind, wide in [("u32", lambda k: k), ("i32", s16)]:
            for _ in range(3):
                a, k = R.choice(EDGES), R.choice([0, 1, 0x7FFF, 0x8000, 0xFFFF])
                left = a if kind == "u32" else s32(a)
                line("gfx9 gfx10 gfx11", f"s_cmpk_{cond}_{kind} s4, {k:#x}", f"s4={a:#x}", f"s4={a:#x}", f(left, wide(k)))
    for k in [0, 1, 0x7FFF, 0x8000, 0xFFFF]:
        line(ALL, f"s_movk_i32 s0, {k:#x}", "scc=1", f"s0={s16(k) & M32:#x}", 1)
        line(OLD, f"s_addk_i32 s0, {k:#x}", "s0=0x7fffffff", f"s0={(0x7FFFFFFF + s16(k)) & M32:#x}", s16(k) > 0)
        line(ALL, f"s_mulk_i32 s0, {k:#x}", "s0=0x12345 scc=0", f"s0={0x12345 * s16(k) & M32:#x}", 0)
        line(ALL, f"s_cmovk_i32 s0, {k:#x}", "s0=5 scc=1", f"s0={s16(k) & M32:#x}", 1)
        line(ALL, f"s_cmovk_i32 s0, {k:#x}", "s0=5 scc=0", "s0=0x5", 0)
    for bit in [0, 1, 31, 32, 33]:
        for a in [0, 0xFFFFFFFF, 0x80000001]:
            line(ALL, f"s_bitcmp0_b32 s4, s6", f"s4={a:#x} s6={bit}", f"s4={a:#x}", a >> (bit & 31) & 1 == 0)
            line(ALL, f"s_bitcmp1_b32 s4, s6", f"s4={a:#x} s6={bit}", f"s4={a:#x}", a >> (bit & 31) & 1)
            line(ALL, f"s_bitset0_b32 s0, s6", f"s0={a:#x} s6={bit} scc=1", f"s0={a & ~(1 << (bit & 31)):#x}", 1)
            line(ALL, f"s_bitset1_b32 s0, s6", f"s0={a:#x} s6={bit} scc=0", f"s0={a | 1 << (bit & 31):#x}", 0)
    for flag in [0, 1]:
        line(ALL, "s_cselect_b32 s0, s4, s6", f"s4=4 s6=6 scc={flag}", f"s0={'0x4' if flag else '0x6'}", flag)
        line(ALL, "s_cselect_b64 s[0:1], s[4:5], s[6:7]", f"s[4:5]=0x400000000 s[6:7]=6 scc={flag}", f"s[0:1]={'0x400000000' if flag else '0x6'}", flag)
        line(ALL, "s_cmov_b32 s0, s4", f"s0=9 s4=4 scc={flag}", f"s0={'0x4' if flag else '0x9'}", flag)
    masks = {
        "and": lambda a, e: a & e, "or": lambda a, e: a | e, "xor": lambda a, e: a ^ e, "nand": lambda a, e: ~(a & e),
        "nor": lambda a, e: ~(a | e), "xnor": lambda a, e: ~(a ^ e),
    }
    old = {"andn2": lambda a, e: a & ~e, "orn2": lambda a, e: a | ~e, "andn1": lambda a, e: ~a & e, "orn1": lambda a, e: ~a | e}
    for table, targets in [(masks, "gfx9 gfx10 gfx11 gfx120"), (old, "gfx9 gfx10")]:
        for name, f in table.items():
            for a, e in pairs(3, 64):
                new = f(a, e) & M64
                line(targets, f"s_{name}_saveexec_b64 s[0:1], s[4:5]", f"wave=64 s[4:5]={a:#x} exec={e:#x}", f"s[0:1]={e:#x} exec={new:#x}", new != 0)


for file, make in [("integer", vector), ("scalar", scalar)]:
    out = ["# Made by make_integer.py from Python's integers."]
    make(out)
    with open(f"{file}.txt", "w") as f:
        f.write("\n".join(out) + "\n")
