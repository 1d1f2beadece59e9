"""Atomic operations of every type, operation and space: writes atomics.ptx, launch.toml and the arrays.

Each thread changes elements of its own, so that old and new values are known whatever the order. Expected values are computed with
integers and exact fractions (../../run/ptx/exact.py), following PTX ISA 9.4, 9.7.15.5 and 9.7.15.6.
"""

import random
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "run/ptx"))
import exact

THREADS = 32
dice = random.Random(7)

# Type: bits, and of what: integers with or without a sign, or numbers of a format (one or two).
TYPES = {
    "u32": (32, "u"), "s32": (32, "s"), "u64": (64, "u"), "s64": (64, "s"),
    "b16": (16, "u"), "b32": (32, "u"), "b64": (64, "u"), "b128": (128, "u"),
    "f32": (32, "f32"), "f64": (64, "f64"), "f16": (16, "f16"), "bf16": (16, "bf16"), "f16x2": (32, "f16"), "bf16x2": (32, "bf16"),
}
SCALAR = [
    *[(op, t) for op in ("and", "or", "xor") for t in ("b32", "b64")],
    *[("add", t) for t in ("u32", "s32", "u64", "f32", "f64")],
    ("inc", "u32"), ("dec", "u32"),
    *[(op, t) for op in ("min", "max") for t in ("u32", "s32", "u64", "s64")],
    *[("exch", t) for t in ("b32", "b64", "b128")],
    *[("cas", t) for t in ("b16", "b32", "b64", "b128")],
    *[("add.noftz", t) for t in ("f16", "f16x2", "bf16", "bf16x2", "f32")],
]
VECTOR = [
    *[("add", "f32", n) for n in (2, 4)],
    *[(f"{op}.noftz", t, n) for op in ("add", "min", "max") for n in (2, 4, 8) for t in ("f16", "bf16")],
    *[(f"{op}.noftz", t, n) for op in ("add", "min", "max") for n in (2, 4) for t in ("f16x2", "bf16x2")],
]
CASES = [("atom", space, op, t, 1) for space in ("global", "shared", "generic") for op, t in SCALAR]
CASES += [("red", space, op, t, 1) for space in ("global", "shared") for op, t in SCALAR if op not in ("exch", "cas")]
CASES += [(name, space, op, t, n) for name, space in (("atom", "generic"), ("red", "global")) for op, t, n in VECTOR]


def float_operation(name, op, a, b, flush):
    """The bits of a + b, min(a, b) or max(a, b)."""
    f = exact.FORMATS[name]
    if flush:
        a, b = f.flush(a), f.flush(b)
    x, y = f.decode(a), f.decode(b)
    if op != "add":
        if exact.is_nan(x) or exact.is_nan(y):
            return f.nan if exact.is_nan(x) and exact.is_nan(y) else (b if exact.is_nan(x) else a)
        order = lambda bits: -(bits & ~f.sign_bit) - 1 if bits & f.sign_bit else bits
        return min(a, b, key=order) if op == "min" else max(a, b, key=order)
    if exact.is_nan(x) or exact.is_nan(y):
        return f.nan
    infinities = {v[1] for v in (x, y) if v[0] == "inf"}
    if infinities:
        return f.nan if len(infinities) == 2 else (f.sign_bit if infinities.pop() else 0) | f.max_bits + 1
    value = (-x[1] if x[0] else x[1]) + (-y[1] if y[0] else y[1])
    # A sum of zeros is negative only if both are.
    sign = value < 0 or (value == 0 and x[0] == 1 and y[0] == 1)
    result = f.encode(int(sign), abs(value))
    return f.flush(result) if flush else result


def combine(space, op, t, old, b, c):
    bits, kind = TYPES[t]
    base, mask = op.split(".")[0], (1 << bits) - 1
    if kind in ("u", "s"):
        signed = lambda x: x - (1 << bits) if kind == "s" and x >> (bits - 1) else x
        return {
            "and": old & b, "or": old | b, "xor": old ^ b, "add": old + b & mask, "exch": b, "cas": c if old == b else old,
            "inc": 0 if old >= b else old + 1, "dec": b if old == 0 or old > b else old - 1,
            "min": min(old, b, key=signed), "max": max(old, b, key=signed),
        }[base]
    width = exact.FORMATS[kind].bits
    flush = t == "f32" and "noftz" not in op and space != "shared"
    part = lambda x, i: x >> (i * width) & (1 << width) - 1
    return sum(
        float_operation(kind, base, part(old, i), part(b, i), flush) << (i * width) for i in range(bits // width)
    )


def value(t, op):
    """Random bits, often small or an edge."""
    bits, kind = TYPES[t]
    if kind in ("u", "s"):
        if op in ("inc", "dec"):
            return dice.choice([0, 1, 2, 3, 5, 2**32 - 1])
        return dice.choice([dice.getrandbits(bits), dice.getrandbits(4), (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1])
    f = exact.FORMATS[kind]
    one = lambda: dice.choice(
        [
            dice.getrandbits(f.bits),
            dice.getrandbits(f.fraction) | dice.choice([0, f.sign_bit]),  # subnormal
            dice.choice([0, f.sign_bit, f.max_bits, f.max_bits + 1, f.nan & ~f.sign_bit, 1 << f.fraction]),
            (f.bias << f.fraction) + dice.getrandbits(f.fraction + 2) | dice.choice([0, f.sign_bit]),
        ]
    )
    if kind == "f64":  # Which NaN a double addition delivers is not the subject here.
        while True:
            bits64 = one()
            if f.decode(bits64)[0] in (0, 1):
                return bits64
    return sum(one() << (i * f.bits) for i in range(bits // f.bits))


def kernel_name(case):
    name, space, op, t, n = case
    return f"{name}_{space}_{op.replace('.', '_')}_{t}" + (f"_v{n}" if n > 1 else "")


def kernel(case):
    name, space, op, t, n = case
    bits = TYPES[t][0]
    size = bits // 8
    stored = f"b{bits}"
    registers = lambda prefix: [f"%{prefix}{i}" for i in range(n)]
    braces = lambda names: names[0] if n == 1 else "{" + ", ".join(names) + "}"
    where = {"global": ".global", "shared": ".shared", "generic": ""}[space]
    opcode = f"{name}{where}.{op}" + (f".v{n}" if n > 1 else "") + f".{t}"
    target = "[%target]"
    sources = braces(registers("b")) + (", %c0" if op == "cas" else "")
    lines = [
        f".visible .entry {kernel_name(case)}(",
        "    .param .u64 memory, .param .u64 left, .param .u64 right, .param .u64 before, .param .u32 first)",
        "{",
        "    .reg .b64 %memory, %left, %right, %before, %target, %offset;",
        "    .reg .b32 %index, %first;",
        f"    .reg .{stored} %b<{n}>, %c<{n}>, %m<{n}>, %old<{n}>;",
    ]
    if space == "shared":
        lines.append(f"    .shared .align 16 .b8 place[{THREADS * size}];")
    lines += [
        *[f"    ld.param.u64 %{p}, [{p}];" for p in ("memory", "left", "right", "before")],
        "    ld.param.u32 %first, [first];",
        "    mov.u32 %index, %tid.x;",
        f"    mad.lo.u32 %first, %index, {n}, %first;",
        f"    mul.wide.u32 %offset, %first, {size};",
        *[f"    add.u64 %{p}, %{p}, %offset;" for p in ("memory", "left", "right", "before")],
        *[f"    ld.global.{stored} %b{i}, [%left+{i * size}];" for i in range(n)],
        *[f"    ld.global.{stored} %c{i}, [%right+{i * size}];" for i in range(n)],
    ]
    if space == "shared":
        lines += [
            f"    mul.wide.u32 %offset, %index, {size};",
            "    mov.u64 %target, place;",
            "    add.u64 %target, %target, %offset;",
            f"    ld.global.{stored} %m0, [%memory];",
            f"    st.shared.{stored} [%target], %m0;",
        ]
    elif space == "generic":
        lines.append("    cvta.global.u64 %target, %memory;")
    else:
        lines.append("    mov.u64 %target, %memory;")
    if name == "atom":
        lines.append(f"    {opcode} {braces(registers('old'))}, {target}, {sources};")
        lines += [f"    st.global.{stored} [%before+{i * size}], %old{i};" for i in range(n)]
    else:
        lines.append(f"    {opcode} {target}, {sources};")
    if space == "shared":
        lines += [f"    ld.shared.{stored} %m0, [%target];", f"    st.global.{stored} [%memory], %m0;"]
    return "\n".join([*lines, "    ret;", "}", ""])


def main():
    # One set of buffers for each element size; 16 bytes are two of 8.
    arrays = {size: {k: [] for k in ("memory", "left", "right", "before", "after")} for size in (2, 4, 8, 16)}
    launches = []
    for case in CASES:
        name, space, op, t, n = case
        size = TYPES[t][0] // 8
        into = arrays[size]
        launches.append((case, size, len(into["memory"])))
        for _ in range(THREADS * n):
            old, b, c = value(t, op), value(t, op), value(t, op)
            if op == "cas" and dice.random() < 0.6:
                b = old
            into["memory"].append(old)
            into["left"].append(b)
            into["right"].append(c)
            into["before"].append(old if name == "atom" else 0)
            into["after"].append(combine(space, op, t, old, b, c))
    toml = ['title = "Atomic operations of every type, operation and space"', 'module = ["atomics.ptx"]', ""]
    for size, group in arrays.items():
        dtype = {2: np.uint16, 4: np.uint32}.get(size, np.uint64)
        for key, values in group.items():
            if size == 16:
                values = [half for v in values for half in (v & 2**64 - 1, v >> 64)]
            np.save(HERE / f"{key}_{size}.npy", np.array(values, dtype))
        count = len(group["memory"]) * (2 if size == 16 else 1)
        ty = np.dtype(dtype).name.replace("uint", "u")
        for key in ("memory", "left", "right"):
            toml += ["[[buffer]]", f'name = "{key}_{size}"', f'type = "{ty}"', f'file = "{key}_{size}.npy"']
            toml += [f'expect = "after_{size}.npy"'] if key == "memory" else []
            toml.append("")
        toml += ["[[buffer]]", f'name = "before_{size}"', f'type = "{ty}"', f"shape = [{count}]", f'expect = "before_{size}.npy"', ""]
    for case, size, first in launches:
        arguments = [f'"{key}_{size}"' for key in ("memory", "left", "right", "before")]
        toml += [
            "[[launch]]", f'kernel = "{kernel_name(case)}"', "grid = [1, 1, 1]", f"block = [{THREADS}, 1, 1]",
            f'args = [{", ".join(arguments)}, "{first}:u32"]', "",
        ]
    (HERE / "launch.toml").write_text("\n".join(toml))
    head = "// Made by make.py.\n.version 9.4\n.target sm_90\n.address_size 64\n\n"
    (HERE / "atomics.ptx").write_text(head + "\n".join(kernel(case) for case in CASES))


main()
