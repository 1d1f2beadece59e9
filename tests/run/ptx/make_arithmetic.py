"""Writes float.txt, half.txt, mixed.txt and alternate.txt: arithmetic with every rounding and modifier.

Expected values come from exact.py (fractions) and from the manual's rules as written down here; nothing of ours computes them.
    python3 tests/run/ptx/make_arithmetic.py
"""

import itertools
import random
from pathlib import Path

from exact import *

HERE = Path(__file__).parent
ROUNDINGS = ["rn", "rz", "rm", "rp"]
QUIET = {"f64": 1 << 51}


def specials(fmt):
    """Numbers at the edges: zero, the smallest and largest subnormal and normal, around one, the largest, infinity, NaN."""
    one, top = fmt.bits_of(F(1)), fmt.max_bits
    normal = 1 << fmt.fraction
    positive = [0, 1, normal - 1, normal, normal + 1, one - 1, one, one + 1, one + 3, fmt.bits_of(F(3)), top - 1, top, top + 1, fmt.nan & ~fmt.sign_bit]
    return positive + [p | fmt.sign_bit for p in positive]


def some(rng, fmt, count):
    """Random numbers: half of any bits, half near one, where sums cancel and products round."""
    near = fmt.bits_of(F(1)) >> fmt.fraction
    out = []
    for i in range(count):
        if i % 2:
            e = max(0, near + rng.randrange(-4, 5))
            out.append(rng.randrange(2) * fmt.sign_bit | e << fmt.fraction | rng.randrange(1 << fmt.fraction))
        else:
            out.append(rng.getrandbits(fmt.bits))
    return out


def literal(fmt, bits):
    return {"f32": f"0f{bits:08x}", "f64": f"0d{bits:016x}"}.get(fmt.name) or hexbits(fmt, bits)


def settle(fmt, bits, operands):
    """f64 keeps the first NaN operand, made quiet."""
    if fmt is f64 and is_nan(fmt.decode(bits)):
        for o in operands:
            if is_nan(fmt.decode(o)):
                return o | QUIET["f64"]
    return bits


OPERATIONS = {
    "add": (2, lambda m, a, b: add(a, b, m)),
    "sub": (2, lambda m, a, b: add(a, neg(b), m)),
    "mul": (2, lambda m, a, b: mul(a, b)),
    "fma": (3, lambda m, a, b, c: add(mul(a, b), c, m)),
    "div": (2, lambda m, a, b: div(a, b)),
    "rcp": (1, lambda m, a: div((0, F(1)), a)),
    "sqrt": (1, lambda m, a: sqrt(a)),
}


def line(opcode, names, fmts, operands, out, bits):
    given = " ".join(f"{n}={literal(f, o)}" for n, f, o in zip(names, fmts, operands))
    return f"{opcode}  {given} -> {literal(out, bits)}"


def arithmetic(fmt, name, operands, mode, ftz=False, sat=False, relu=False):
    ins = [fmt.flush(o) if ftz else o for o in operands]
    exact = OPERATIONS[name][1](mode, *map(fmt.decode, ins))
    return settle(fmt, result(fmt, exact, mode, ftz, sat, relu), operands)


def float_lines(rng):
    for fmt, name in itertools.product([f32, f64], OPERATIONS):
        arity = OPERATIONS[name][0]
        cases = [(a,) for a in specials(fmt)] if arity == 1 else []
        edges = specials(fmt)
        if arity == 2:
            cases = rng.sample(list(itertools.product(edges, edges)), 60)
        if arity == 3:
            cases = [tuple(rng.choice(edges) for _ in range(3)) for _ in range(60)]
        cases += [tuple(some(rng, fmt, arity)) for _ in range(40)]
        if name in ("add", "sub", "fma"):  # near cancellation
            for _ in range(15):
                a = some(rng, fmt, 2)[1]
                cases.append((a, fmt.bits_of(F(1)), a ^ fmt.sign_bit ^ rng.randrange(4)) if name == "fma" else (a, a ^ rng.randrange(4)))
        for i, operands in enumerate(cases):
            mode = ROUNDINGS[i % 4]
            ftz = fmt is f32 and i % 3 == 0
            sat = fmt is f32 and name in ("add", "sub", "mul", "fma") and i % 5 == 0
            opcode = f"{name}.{mode}{'.ftz' * ftz}{'.sat' * sat}.{fmt.name}"
            yield line(opcode, "abc", [fmt] * arity, operands, fmt, arithmetic(fmt, name, operands, mode, ftz, sat))
    for name in ("add", "sub", "mul", "fma"):
        arity = OPERATIONS[name][0]
        for i in range(20):
            low, high = ([rng.choice(specials(f32)) if rng.random() < 0.4 else some(rng, f32, 2)[1] for _ in range(arity)] for _ in "lh")
            mode, ftz = ROUNDINGS[i % 4], i % 3 == 0
            value = arithmetic(f32, name, high, mode, ftz) << 32 | arithmetic(f32, name, low, mode, ftz)
            given = " ".join(f"{n}=0x{h << 32 | l:016x}" for n, l, h in zip("abc", low, high))
            yield f"{name}.{mode}{'.ftz' * ftz}.f32x2  {given} -> 0x{value:016x}"


def extreme(fmt, greater, a, b, nan=False, abs_=False, xorsign=False, ftz=False):
    """The manual's pseudocode of min and max."""
    if ftz:
        a, b = fmt.flush(a), fmt.flush(b)
    sign = (a ^ b) & fmt.sign_bit
    if abs_:
        a, b = a & ~fmt.sign_bit, b & ~fmt.sign_bit
    na, nb = is_nan(fmt.decode(a)), is_nan(fmt.decode(b))
    if na and nb:
        return (b | QUIET["f64"]) if fmt is f64 else fmt.nan
    if nan and (na or nb):
        return fmt.nan
    if na or nb:
        d = b if na else a
    else:
        key = lambda x: -1 - (x & ~fmt.sign_bit) if x & fmt.sign_bit else x  # magnitudes order like integers, -0 below +0
        d = (max if greater else min)(a, b, key=key)
    if xorsign:
        d = d & ~fmt.sign_bit | sign
    return d


def extreme_lines(rng, fmts):
    for fmt, name in itertools.product(fmts, ("min", "max")):
        cases = rng.sample(list(itertools.product(specials(fmt), repeat=2)), 70) + [tuple(some(rng, fmt, 2)) for _ in range(10)]
        for i, (a, b) in enumerate(cases):
            flags = {} if fmt is f64 else {"nan": i % 2 == 1, "xorsign": i % 3 == 1, "ftz": fmt is not bf16 and i % 4 >= 2}
            flags["abs_"] = flags.get("xorsign", False)
            words = ".ftz" * flags.get("ftz", False) + ".NaN" * flags.get("nan", False) + ".xorsign.abs" * flags["abs_"]
            yield line(f"{name}{words}.{fmt.name}", "ab", [fmt] * 2, (a, b), fmt, extreme(fmt, name == "max", a, b, **flags))
        if fmt is f32:
            for i in range(40):
                a, b, c = (rng.choice(specials(fmt)) for _ in "abc")
                flags = {"nan": i % 2 == 1, "abs_": i % 3 == 1, "ftz": i % 4 >= 2}
                words = ".ftz" * flags["ftz"] + ".NaN" * flags["nan"] + ".abs" * flags["abs_"]
                d = extreme(fmt, name == "max", extreme(fmt, name == "max", a, b, **flags), c, **flags)
                yield line(f"{name}{words}.f32", "abc", [fmt] * 3, (a, b, c), fmt, d)


def unary_lines(fmts):
    """abs and neg: a NaN is canonical, but f64 keeps it."""
    for fmt, name in itertools.product(fmts, ("abs", "neg")):
        for i, a in enumerate(specials(fmt)):
            ftz = fmt not in (f64, bf16) and i % 2 == 1
            x = fmt.flush(a) if ftz else a
            if is_nan(fmt.decode(a)):
                d = a if fmt is f64 else fmt.nan
            else:
                d = x & ~fmt.sign_bit if name == "abs" else x ^ fmt.sign_bit
            yield line(f"{name}{'.ftz' * ftz}.{fmt.name}", "a", [fmt], [a], fmt, d)


def test_lines():
    """testp and copysign."""
    for fmt in (f32, f64):
        for a in specials(fmt):
            value, subnormal = fmt.decode(a), fmt.is_subnormal(a)
            nan, inf = is_nan(value), is_inf(value)
            facts = {"finite": not nan and not inf, "infinite": inf, "number": not nan, "notanumber": nan, "subnormal": subnormal}
            facts["normal"] = facts["finite"] and not subnormal
            for op, fact in facts.items():
                yield f"testp.{op}.{fmt.name}  a={literal(fmt, a)} -> {int(fact)}"
            b = specials(fmt)[(specials(fmt).index(a) * 5 + 3) % 28]
            yield line(f"copysign.{fmt.name}", "ab", [fmt] * 2, (a, b), fmt, a & fmt.sign_bit | b & ~fmt.sign_bit)


def approximate_lines():
    """Special operands of the approximate functions, from the manual's tables."""
    inf, one = f32.max_bits + 1, f32.bits_of(F(1))
    sign, nan = f32.sign_bit, f32.nan
    tables = {
        "rcp": {sign | inf: sign, sign: sign | inf, 0: inf, inf: 0},
        "sqrt": {sign | inf: nan, sign | one: nan, sign: sign, 0: 0, inf: inf},
        "rsqrt": {sign | inf: nan, sign | one: nan, sign: sign | inf, 0: inf, inf: 0},
        "sin": {sign | inf: nan, sign: sign, 0: 0, inf: nan},
        "cos": {sign | inf: nan, sign: one, 0: one, inf: nan},
        "lg2": {sign | inf: nan, sign | one: nan, sign: sign | inf, 0: sign | inf, inf: inf},
        "ex2": {sign | inf: 0, sign: one, 0: one, inf: inf},
        "tanh": {sign | inf: sign | one, sign: sign, 0: 0, inf: one},
    }
    for name, table in tables.items():
        for ftz in ["", ".ftz"] if name != "tanh" else [""]:
            for a, d in {**table, 0x7FC00000: nan, 0xFF800001: nan}.items():
                yield f"{name}.approx{ftz}.f32  a=0f{a:08x} -> 0f{d:08x}"
                if ftz and a & ~sign == 0 and name != "tanh":  # subnormal operands count as zero
                    yield f"{name}.approx.ftz.f32  a=0f{a | 0x7fffff:08x} -> 0f{d:08x}"


def half_arithmetic(fmt, name, operands, ftz=False, sat=False, relu=False):
    return arithmetic(fmt, name, operands, "rn", ftz, sat, relu)


def half_lines(rng):
    for fmt, name in itertools.product([f16, bf16], ("add", "sub", "mul", "fma")):
        arity = OPERATIONS[name][0]
        for i in range(90):
            operands = [rng.choice(specials(fmt)) if rng.random() < 0.5 else some(rng, fmt, 2)[1] for _ in range(arity)]
            ftz, sat, relu = fmt is f16 and i % 3 == 0, fmt is f16 and i % 5 == 0, name == "fma" and i % 5 == 1
            words = ".rn" + ".ftz" * ftz + ".sat" * sat + ".relu" * relu
            yield line(f"{name}{words}.{fmt.name}", "abc", [fmt] * arity, operands, fmt, half_arithmetic(fmt, name, operands, ftz, sat, relu))
        for i in range(15):
            low, high = ([rng.choice(specials(fmt)) if rng.random() < 0.4 else some(rng, fmt, 2)[1] for _ in range(arity)] for _ in "lh")
            relu = name == "fma" and i % 2 == 0
            d = half_arithmetic(fmt, name, high, relu=relu) << 16 | half_arithmetic(fmt, name, low, relu=relu)
            given = " ".join(f"{n}=0x{h << 16 | l:08x}" for n, l, h in zip("abc", low, high))
            yield f"{name}.rn{'.relu' * relu}.{fmt.name}x2  {given} -> 0x{d:08x}"
    one, inf = 0x3C00, 0x7C00
    for a, d in {0xFC00: 0, 0x8000: one, 0: one, inf: inf, 0x7E00: 0x7FFF}.items():
        yield f"ex2.approx.f16  a=0x{a:04x} -> 0x{d:04x}"
    for a, d in {0xFF80: 0, 0x807F: 0x3F80, 0x8000: 0x3F80, 0: 0x3F80, 0x007F: 0x3F80, 0x7F80: 0x7F80, 0x7FC0: 0x7FFF}.items():
        yield f"ex2.approx.ftz.bf16  a=0x{a:04x} -> 0x{d:04x}"
    for a, d in {0xFC00: 0xBC00, 0x8000: 0x8000, 0: 0, inf: one, 0x7E00: 0x7FFF}.items():
        yield f"tanh.approx.f16  a=0x{a:04x} -> 0x{d:04x}"


def mixed_lines(rng):
    pick = lambda fmt: rng.choice(specials(fmt)) if rng.random() < 0.4 else some(rng, fmt, 2)[1]
    for fmt, name in itertools.product([f16, bf16], ("add", "sub", "fma")):
        for i in range(60):
            mode, sat = ROUNDINGS[i % 4], i % 5 == 0
            factors = [pick(fmt) for _ in range(2 if name == "fma" else 1)]
            c = pick(f32)
            exact = OPERATIONS[name][1](mode, *map(fmt.decode, factors), f32.decode(c))
            opcode = f"{name}.{mode}{'.sat' * sat}.f32.{fmt.name}"
            names = "abc" if name == "fma" else "ac"
            yield line(opcode, names, [fmt] * len(factors) + [f32], factors + [c], f32, result(f32, exact, mode, sat=sat))
    for fmt, name in itertools.product([f16, bf16], ("add", "sub", "mul")):
        for i in range(30):
            ftz = fmt is f16
            low, high = ([pick(f32) for _ in "ac"] for _ in "lh")
            narrow = []
            for pair in (low, high):
                ins = [f32.flush(x) if ftz else x for x in pair]
                narrow.append(result(fmt, OPERATIONS[name][1]("rz", *map(f32.decode, ins)), "rz", ftz))
            given = " ".join(f"{n}=0x{h << 32 | l:016x}" for n, l, h in zip("ac", low, high))
            yield f"{name}.rz{'.ftz' * ftz}.{fmt.name}x2.f32x2.f32x2  {given} -> 0x{narrow[1] << 16 | narrow[0]:08x}"
    for d, c in ((f16, bf16), (bf16, f16)):
        for i in range(30):
            (al, cl), (ah, ch) = ((pick(d), pick(c)) for _ in "lh")
            value = [result(d, mul(d.decode(a), c.decode(b))) for a, b in ((al, cl), (ah, ch))]
            yield f"mul.{d.name}x2.{d.name}x2.{c.name}x2  a=0x{ah << 16 | al:08x} c=0x{ch << 16 | cl:08x} -> 0x{value[1] << 16 | value[0]:08x}"
    for fmt in (f16, bf16):
        for i in range(20):
            mode = ROUNDINGS[i % 4]
            rows = [(pick(fmt), pick(f32), pick(f32)) for _ in "lh"]
            value = [result(f32, add(mul(fmt.decode(a), f32.decode(b)), f32.decode(c), mode), mode) for a, b, c in rows]
            (al, bl, cl), (ah, bh, ch) = rows
            yield (f"fma.{mode}.f32x2.{fmt.name}x2.f32x2.f32x2  a=0x{ah << 16 | al:08x} b=0x{bh << 32 | bl:016x} c=0x{ch << 32 | cl:016x}"
                   f" -> 0x{value[1] << 32 | value[0]:016x}")


PACKED = {"e5m2x4": (e5m2, 8), "e4m3x4": (e4m3, 8), "e3m2x4": (e3m2, 8), "e2m3x4": (e2m3, 8), "e2m1x4": (e2m1, 4),
          "e2m1p4x4": (e2m1, 8), "ue8m0x4": (ue8m0, 8)}


def alternate_lines(rng):
    def operand(word):
        fmt, stride = PACKED[word]
        elements = [rng.getrandbits(fmt.bits) for _ in range(4)]
        bits = sum(e << (i * stride) for i, e in enumerate(elements))
        return [fmt.decode(e) for e in elements], f"0x{bits:04x}" if stride == 4 else f"0x{bits:08x}"

    for d, a, b in itertools.product(("e5m2x4", "e4m3x4"), PACKED, PACKED):
        names = ("mul", "fma") if b != d else ("mul", "fma", "add", "sub")
        for name in names:
            for satfinite in (False, True):
                (av, at), (bv, bt), (cv, ct) = operand(a), operand(b), operand(d)
                fmt = PACKED[d][0]
                exact = {
                    "mul": lambda i: mul(av[i], bv[i]),
                    "fma": lambda i: add(mul(av[i], bv[i]), cv[i]),
                    "add": lambda i: add(av[i], bv[i]),
                    "sub": lambda i: add(av[i], neg(bv[i])),
                }[name]
                value = sum(result(fmt, exact(i), satfinite=satfinite) << (8 * i) for i in range(4))
                types = f".{d}.{a}" + f".{b}" * (name in ("mul", "fma"))
                given = f"a={at} b={bt} c={ct}" if name == "fma" else f"a={at} c={bt}"
                yield f"{name}.rn{'.satfinite' * satfinite}{types}  {given} -> 0x{value:08x}"


def write(name, what, lines):
    text = "".join(f"{l}\n" for l in lines)
    (HERE / name).write_text(f"# {what}\n# Made by make_arithmetic.py.\n{text}")


if __name__ == "__main__":
    rng = random.Random(9)
    write("float.txt", "Floating-point arithmetic, chapter 9.7.3.", itertools.chain(
        float_lines(rng), extreme_lines(rng, (f32, f64)), unary_lines((f32, f64)), test_lines(), approximate_lines()))
    write("half.txt", "Half-precision arithmetic, chapter 9.7.4.", itertools.chain(
        half_lines(rng), extreme_lines(rng, (f16, bf16)), unary_lines((f16, bf16))))
    write("mixed.txt", "Mixed-precision arithmetic, chapter 9.7.5.", mixed_lines(rng))
    write("alternate.txt", "Arithmetic on packed 8-bit, 6-bit and 4-bit numbers, chapter 9.7.6.", alternate_lines(rng))
