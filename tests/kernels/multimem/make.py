"""multimem: `multimem.ptx` with every instruction, operation, type and vector, and what four devices must hold, by numpy, ml_dtypes and exact
sums in double precision (PTX ISA 9.4, 9.7.10.13, 9.7.10.15, 9.7.10.28.4.4, 9.7.10.28.4.5, 9.7.15.8).

What the manual leaves open is as the records have it: devices one after the other, rounding to nearest even after each step, 8-bit formats
saturate, subnormal numbers are kept."""

from pathlib import Path

import ml_dtypes
import numpy as np

HERE = Path(__file__).resolve().parent
DEVICES, ROW = 4, 512
rng = np.random.default_rng(29)
INTEGERS = {"b32": "u4", "b64": "u8", "u32": "u4", "u64": "u8", "s32": "i4", "s64": "i8"}
FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
EIGHT = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}
BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "e4m3": 8, "e5m2": 8}

text, memory, wanted, before, results = [], [], [], [], []


def line(*lines):
    text.extend(f"    {one}" for one in lines)


def split(ty):
    """The element of a type, and how many of them a register holds."""
    for lanes in (4, 2):
        if ty.endswith(f"x{lanes}"):
            return ty[:-2], lanes
    return ty, 1


def size_of(ty):
    base, lanes = split(ty)
    return BITS.get(base, int(base[1:]) if base[1:].isdigit() else 0) * lanes // 8


def registers(ty, count):
    kind = {1: "b", 2: "h", 4: "r", 8: "d"}[size_of(ty)]
    kind = {"f32": "f", "f64": "g"}.get(ty, kind)
    return [f"%{kind}{i}" for i in range(count)]


def operand(regs):
    return regs[0] if len(regs) == 1 else "{" + ", ".join(regs) + "}"


def move(kind, regs, ty, base, at):
    """Loads of or stores from registers, one after the other."""
    bits = 8 * size_of(ty)
    for i, reg in enumerate(regs):
        place = f"[{base}+{at + i * size_of(ty)}]"
        line(f"ld.global.b{bits} {reg}, {place};" if kind == "ld" else f"st.global.b{bits} {place}, {reg};")


def numbers(dtype, count):
    """Numbers of all sizes, few of them special."""
    kinds = ml_dtypes.finfo(dtype)
    bits = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[np.dtype(dtype).itemsize]
    near = (rng.standard_normal((DEVICES, count)) * 2.0 ** rng.integers(-3, 4, (DEVICES, count))).astype(dtype)
    if dtype in (np.float32, np.float64):
        tiny = rng.integers(1, 1000, (DEVICES, count)).astype(bits).view(dtype)
        return np.where(rng.random((DEVICES, count)) < 0.9, near, tiny)
    # Any bits at all: NaN, infinities, subnormal numbers, sums that overflow.
    wild = rng.integers(0, 1 << (8 * np.dtype(dtype).itemsize), (DEVICES, count)).astype(bits).view(dtype)
    choice = rng.random((1, count)) < 0.6
    assert kinds.bits == 8 * np.dtype(dtype).itemsize
    return np.where(choice, near, wild)


def values(dtype):
    """All finite numbers of an 8-bit format, by their bits."""
    table = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float64)
    return {i: float(v) for i, v in enumerate(table) if np.isfinite(v)}


def to_eight(x, dtype):
    """The bits of the nearest number, of two the even one; saturating."""
    if np.isnan(x):
        return 0x7F
    finite = values(dtype)
    most = max(finite.values())
    x = float(np.clip(x, -most, most))
    same_sign = [i for i in finite if (i >> 7) == int(np.signbit(x))]
    return min(same_sign, key=lambda i: (abs(finite[i] - x), i & 1))


def canonical(a):
    """The NaN of 16-bit results."""
    bits = a.view(np.uint16)
    return np.where(np.isnan(a.astype(np.float32)), np.uint16(0x7FFF), bits).view(a.dtype)


def extreme(op, rows, nan):
    """NaN loses, and +0 is greater than -0."""
    bits = rows.view({1: np.uint8, 2: np.uint16}[rows.dtype.itemsize])
    out = np.empty(rows.shape[1], bits.dtype)
    for i in range(rows.shape[1]):
        candidates = [d for d in range(DEVICES) if not np.isnan(float(rows[d, i]))]
        key = lambda d: (float(rows[d, i]), not np.signbit(float(rows[d, i])))
        out[i] = nan if not candidates else bits[{"min": min, "max": max}[op](candidates, key=key), i]
    return out.view(rows.dtype)


def reduced(op, rows, base, acc):
    """What a load of all devices gives."""
    if base in INTEGERS:
        with np.errstate(over="ignore"):
            ufunc = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
            return ufunc[op].reduce(rows, axis=0, dtype=rows.dtype)
    if op != "add":
        return extreme(op, rows, 0x7F if base in EIGHT else 0x7FFF)
    with np.errstate(all="ignore"):
        if base in EIGHT:
            out = np.empty(rows.shape[1], np.uint8)
            for i in range(rows.shape[1]):
                if acc:
                    total = np.float16(float(rows[0, i]))
                    for d in range(1, DEVICES):
                        total = np.float16(float(total) + float(rows[d, i]))
                    out[i] = to_eight(float(total), EIGHT[base])
                else:
                    total = to_eight(float(rows[0, i]), EIGHT[base])
                    for d in range(1, DEVICES):
                        held = float(np.uint8(total).view(EIGHT[base]))
                        total = to_eight(held + float(rows[d, i]), EIGHT[base])
                    out[i] = total
            return out.view(EIGHT[base])
        if acc:
            total = rows[0].astype(np.float32)
            for row in rows[1:]:
                total = total + row.astype(np.float32)
            return canonical(total.astype(rows.dtype))
        total = rows[0]
        for row in rows[1:]:
            total = total + row
        return canonical(total) if rows.dtype.itemsize == 2 else total


def random_memory(base):
    """512 bytes of each device."""
    if base in INTEGERS:
        return rng.integers(0, 256, (DEVICES, ROW), np.uint8).view(INTEGERS[base])
    dtype = FLOATS.get(base) or EIGHT[base]
    return numbers(dtype, ROW // np.dtype(dtype).itemsize)


def as_bytes(rows):
    return np.ascontiguousarray(rows).view(np.uint8)


def keep(rows, want=None):
    """Memory of the devices before and after; where it lies."""
    memory.append(as_bytes(rows))
    wanted.append(as_bytes(rows if want is None else want))
    return ROW * (len(memory) - 1)


def result(rows, brought=None):
    """What threads leave; where it lies."""
    results.append(as_bytes(rows))
    before.append(np.zeros(ROW, np.uint8) if brought is None else as_bytes(brought))
    return ROW * (len(results) - 1)


def first_bytes(rows, count):
    """Of every thread's 16 bytes the first `count`."""
    return as_bytes(rows).reshape(*rows.shape[:-1], 32, 16)[..., :count]


ORDER = {"ld_reduce": ["", ".weak", ".relaxed.cta", ".acquire.gpu", ".acquire.sys"], "st": ["", ".weak", ".relaxed.gpu", ".release.cta"],
         "red": ["", ".relaxed.cluster", ".release.sys"]}  # fmt: skip


def prefix(kind):
    return f"multimem.{kind}{rng.choice(ORDER[kind])}{rng.choice(['', '.global'])}"


def load_reduce(op, ty, vec="", acc=""):
    base, _ = split(ty)
    rows = random_memory(base)
    count = int(vec[2:] or 1)
    want = np.zeros((32, 16), np.uint8)
    total = as_bytes(reduced(op, rows, base, acc)).reshape(32, 16)
    want[:, : count * size_of(ty)] = total[:, : count * size_of(ty)]
    at, out = keep(rows), result(want.reshape(-1))
    regs = registers(ty, count)
    line(f"{prefix('ld_reduce')}.{op}{acc}{vec}.{ty} {operand(regs)}, [%mine+{at}];")
    move("st", regs, ty, "%out", out)


VECTORS = {"": "f16x2 bf16x2 f32 f64 e5m2x4 e4m3x4", ".v2": "f16 f16x2 bf16 bf16x2 f32 e5m2x2 e5m2x4 e4m3x2 e4m3x4",
           ".v4": "f16 f16x2 bf16 bf16x2 f32 e5m2 e5m2x2 e5m2x4 e4m3 e4m3x2 e4m3x4", ".v8": "f16 bf16 e5m2 e5m2x2 e4m3 e4m3x2"}  # fmt: skip

for op, types in {"add": "u32 u64 s32", "min": "u32 u64 s32 s64", "max": "u32 u64 s32 s64", "and": "b32 b64", "or": "b32 b64", "xor": "b32 b64"}.items():
    for ty in types.split():
        load_reduce(op, ty)
for vec, types in VECTORS.items():
    for ty in types.split():
        base, _ = split(ty)
        for op in ("add",) if base in ("f32", "f64") else ("add", "min", "max"):
            load_reduce(op, ty, vec)
        if base in ("f16", "bf16"):
            load_reduce("add", ty, vec, ".acc::f32")
        if base in EIGHT:
            load_reduce("add", ty, vec, ".acc::f16")


def given(rows):
    """What threads bring: it lies where results do."""
    return result(rows, rows)


def store(ty, vec=""):
    base, _ = split(ty)
    count = int(vec[2:] or 1) * size_of(ty)
    rows, brought = random_memory(base), random_memory(base)[0]
    want = as_bytes(rows).reshape(DEVICES, 32, 16).copy()
    want[:, :, :count] = first_bytes(brought, count)
    at, source = keep(rows, want.reshape(DEVICES, ROW)), given(brought)
    regs = registers(ty, int(vec[2:] or 1))
    move("ld", regs, ty, "%out", source)
    line(f"{prefix('st')}{vec}.{ty} [%mine+{at}], {operand(regs)};")


def added(old, b, base):
    with np.errstate(all="ignore"):
        total = old + b
    return canonical(total) if total.dtype.itemsize == 2 else total


def combined(op, old, b, base):
    if base in INTEGERS:
        return reduced(op, np.stack([old, b]), base, "")
    if op == "add":
        return added(old, b, base)
    both = np.stack([old, b] * 2)
    return extreme(op, both, 0x7FFF)


def reduce(op, ty, vec=""):
    base, lanes = split(ty)
    count = int(vec[2:] or 1) * size_of(ty)
    rows, brought = random_memory(base), random_memory(base)[0]
    want = as_bytes(rows).reshape(DEVICES, 32, 16).copy()
    for d in range(DEVICES):
        want[d, :, :count] = first_bytes(combined(op, rows[d], brought, base), count)
    at, source = keep(rows, want.reshape(DEVICES, ROW)), given(brought)
    regs = registers(ty, int(vec[2:] or 1))
    move("ld", regs, ty, "%out", source)
    line(f"{prefix('red')}.{op}{vec}.{ty} [%mine+{at}], {operand(regs)};")


for ty in INTEGERS:
    store(ty)
for vec, types in VECTORS.items():
    for ty in types.split():
        store(ty, vec)
for op, types in {"add": "u32 u64 s32 f16x2 bf16x2 f32 f64", "min": "u32 u64 s32 s64", "max": "u32 u64 s32 s64", "and": "b32 b64",
                  "or": "b32 b64", "xor": "b32 b64"}.items():  # fmt: skip
    for ty in types.split():
        reduce(op, ty)
for vec, types in {".v2": "f16 f16x2 bf16 bf16x2 f32", ".v4": "f16 f16x2 bf16 bf16x2 f32", ".v8": "f16 bf16"}.items():
    for ty in types.split():
        reduce("add", ty, vec)

# All threads into one location.
rows = rng.integers(0, 1 << 32, (DEVICES, ROW // 4), np.uint64).astype(np.uint32)
want = rows.copy()
want[:, 0] += np.arange(32, dtype=np.uint32).sum()
line(f"multimem.red.add.u32 [%all+{keep(rows, want)}], %thread;")

# In the background, done when the kernel ends.
for n, ty in enumerate(("b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64")):
    rows, brought = rng.integers(0, 256, (DEVICES, ROW), np.uint8), rng.integers(0, 256, ROW, np.uint8)
    want = rows.reshape(DEVICES, 32, 16).copy()
    want[:, :, : size_of(ty)] = first_bytes(brought, size_of(ty))
    at, source = keep(rows, want.reshape(DEVICES, ROW)), given(brought)
    move("ld", registers(ty, 1), ty, "%out", source)
    line(f"multimem.st.async.release.{['gpu', 'sys'][n % 2]}{['', '.global'][n // 2 % 2]}.{ty} [%mine+{at}], {registers(ty, 1)[0]};")
for n, ty in enumerate(("u32", "s32", "u64")):
    rows, brought = random_memory(ty), random_memory(ty)[0]
    want = as_bytes(rows).reshape(DEVICES, 32, 16).copy()
    want[:, :, : size_of(ty)] = first_bytes(rows + brought, size_of(ty))
    at, source = keep(rows, want.reshape(DEVICES, ROW)), given(brought)
    move("ld", registers(ty, 1), ty, "%out", source)
    line(f"multimem.red.async.release.{['gpu', 'sys'][n % 2]}{['.global', ''][n % 2]}.add.{ty} [%mine+{at}], {registers(ty, 1)[0]};")


def fill(source):
    """The block's shared memory from what is given."""
    line(f"ld.global.v2.b64 {{%v, %w}}, [%out+{source}];", "st.shared.v2.b64 [%own], {%v, %w};", "fence.proxy.async.shared::cta;", "bar.sync 0;")


def wait():
    line("@%first cp.async.bulk.commit_group;", "@%first cp.async.bulk.wait_group 0;", "bar.sync 0;")


# Ranges.
for n, order in enumerate(("", ".weak", ".relaxed.cta", ".relaxed.cluster", ".relaxed.gpu", ".relaxed.sys")):
    for mask in ("", ".cp_mask"):
        rows, brought = rng.integers(0, 256, (DEVICES, ROW), np.uint8), rng.integers(0, 256, ROW, np.uint8)
        first, size = [(0, 512), (16, 16), (32, 256), (496, 16), (64, 0), (0, 96)][n]
        bits = int(rng.integers(0, 1 << 16))
        inside = (np.arange(ROW) >= first) & (np.arange(ROW) < first + size)
        chosen = inside & (((bits >> (np.arange(ROW) % 16)) & 1 == 1) if mask else True)
        want = np.where(chosen, brought, rows)
        at, source = keep(rows, want), given(brought)
        fill(source)
        if mask:
            line(f"mov.b16 %h0, {bits};")
        element = ".b128" if "relaxed" in order else ""
        line(f"@%first multimem.cp.async.bulk{order}.global.shared::cta.bulk_group{mask}{element} [%all+{at + first}], [%start+{first}], {size}{', %h0' if mask else ''};")
        wait()
INTEGER_OPS = {"and": "b32 b64", "or": "b32 b64", "xor": "b32 b64", "add": "u32 s32 u64", "inc": "u32", "dec": "u32",
               "min": "u32 s32 u64 s64", "max": "u32 s32 u64 s64"}  # fmt: skip
RANGES = [(op, ty, "") for op, types in INTEGER_OPS.items() for ty in types.split()]
RANGES += [("add", "f32", ""), ("add", "f64", "")] + [(op, ty, "") for op in ("min", "max") for ty in ("f16", "bf16")]
RANGES += [("add", ty, ".noftz") for ty in ("f16", "bf16", "f32")]
for n, (op, ty, noftz) in enumerate(RANGES):
    rows, brought = random_memory(ty), random_memory(ty)[0]
    if op == "inc":
        rows[:, ::3] = brought[::3]
        want = np.where(rows >= brought, 0, rows + np.uint32(1)).astype(np.uint32)
    elif op == "dec":
        rows[:, ::3] = 0
        want = np.where((rows == 0) | (rows > brought), brought, rows - np.uint32(1)).astype(np.uint32)
    else:
        want = np.stack([combined(op, rows[d], brought, ty) for d in range(DEVICES)])
    at, source = keep(rows, want), given(brought)
    fill(source)
    order = ["", ".relaxed.cta", ".relaxed.gpu", ".relaxed.sys"][n % 4]
    line(f"@%first multimem.cp.reduce.async.bulk{order}.global.shared::cta.bulk_group.{op}{noftz}.{ty} [%all+{at}], [%start], 512;")
    wait()

HEAD = """// Written by make.py: every multimem instruction, by one warp, on the memory of four devices.
.version 9.4
.target sm_100a
.address_size 64

.visible .entry multimem(.param .u64 devices, .param .u64 results)
{
    .reg .b64 %all, %mine, %out, %v, %w, %d<1>;
    .reg .b32 %thread, %start, %own, %r<4>;
    .reg .b16 %h<8>;
    .reg .b8 %b<8>;
    .reg .f32 %f<4>;
    .reg .f64 %g<1>;
    .reg .pred %first;
    .shared .align 16 .b8 from[512];
    ld.param.u64 %all, [devices];
    ld.param.u64 %out, [results];
    mov.u32 %thread, %tid.x;
    mad.wide.u32 %mine, %thread, 16, %all;
    mad.wide.u32 %out, %thread, 16, %out;
    mov.u32 %start, from;
    mad.lo.u32 %own, %thread, 16, %start;
    setp.eq.u32 %first, %thread, 0;
"""

(HERE / "multimem.ptx").write_text(HEAD + "\n".join(text) + "\n    ret;\n}\n")
np.save(HERE / "devices.npy", np.stack(memory, 1).reshape(DEVICES, -1))
np.save(HERE / "after.npy", np.stack(wanted, 1).reshape(DEVICES, -1))
np.save(HERE / "before.npy", np.stack(before))
np.save(HERE / "results.npy", np.stack(results))
