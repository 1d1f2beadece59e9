"""Nine kernels in Triton for AMD GPUs: a code object each, and a launch file for all."""

import pathlib

import triton_compile
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=-float("inf"))
    powers = tl.exp(row - tl.max(row, axis=0))
    tl.store(out + tl.program_id(0) * n + i, powers / tl.sum(powers, axis=0), mask=i < n)


@triton.jit
def layernorm(x, weight, bias, out, n, epsilon, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0.0)
    centred = tl.where(i < n, row - tl.sum(row, axis=0) / n, 0.0)
    scaled = centred / tl.sqrt(tl.sum(centred * centred, axis=0) / n + epsilon)
    result = scaled * tl.load(weight + i, mask=i < n) + tl.load(bias + i, mask=i < n)
    tl.store(out + tl.program_id(0) * n + i, result, mask=i < n)


@triton.jit
def atomics(values, counts, extremes, total, n, BLOCK: tl.constexpr):
    """How many values end in each of 16 ways, the greatest of them and of what they lack to 2000, and their sum, which is exact in single precision.

    The values are not negative: for gfx942 and gfx950 Triton 3.9.0 combines the maxima of a wavefront as unsigned numbers first.
    """
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(values + i, mask=i < n, other=0)
    tl.atomic_add(counts + (value & 15), 1, mask=i < n)
    tl.atomic_max(extremes + i * 0, value, mask=i < n)
    tl.atomic_max(extremes + i * 0 + 1, 2000 - value, mask=i < n)
    tl.atomic_add(total + i * 0, value.to(tl.float32), mask=i < n)


@triton.jit
def scan(values, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(values + i), axis=0))


@triton.jit
def sort(values, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(values + i)))


@triton.jit
def random(bits, n, seed, BLOCK: tl.constexpr):
    """Philox, four words for each number."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first, second, third, fourth = tl.randint4x(seed, i)
    tl.store(bits + i, first)
    tl.store(bits + n + i, second)
    tl.store(bits + 2 * n + i, third)
    tl.store(bits + 3 * n + i, fourth)


@triton.jit
def gather(rows, places, taken, greatest, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Of each row the numbers at some places, and where its greatest one is."""
    i = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    row = tl.load(rows + i)
    tl.store(taken + i, tl.gather(row, tl.load(places + i), axis=1))
    tl.store(greatest + tl.arange(0, ROWS), tl.argmax(row, axis=1))


@triton.jit
def lock(values, held, folded, BLOCK: tl.constexpr):
    """Programs that fold the same numbers into a buffer, one after the other: whoever holds the lock."""
    i = tl.arange(0, BLOCK)
    while tl.atomic_cas(held, 0, 1) == 1:
        pass
    tl.store(folded + i, tl.load(folded + i) * 3 + tl.load(values + i))
    tl.debug_barrier()
    tl.atomic_xchg(held, 0)


# Each kernel with its parameters, constants and grid, the arguments of its launch, and the results: type, shape and tolerance.
EXACT, SOFTMAX, NORMAL = "", "tolerance = { absolute = 1e-9, relative = 5e-6 }\n", "tolerance = { absolute = 1e-5, relative = 1e-5 }\n"
KERNELS = [
    (add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": 256}, 4, "x y sum 1000:s32", {"sum": ("f32", [1000], EXACT)}),
    (softmax, {"x": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": 512}, 4, "rows softmax 500:s32", {"softmax": ("f32", [4, 500], SOFTMAX)}),
    (
        layernorm,
        {"x": "*fp32", "weight": "*fp32", "bias": "*fp32", "out": "*fp32", "n": "i32", "epsilon": "fp32"},
        {"BLOCK": 512},
        4,
        "rows weight bias normal 500:s32 1e-5:f32",
        {"normal": ("f32", [4, 500], NORMAL)},
    ),
    (
        atomics,
        {"values": "*i32", "counts": "*i32", "extremes": "*i32", "total": "*fp32", "n": "i32"},
        {"BLOCK": 256},
        1,
        "marks counts extremes total 256:s32",
        {"counts": ("s32", [16], EXACT), "extremes": ("s32", [2], EXACT), "total": ("f32", [1], EXACT)},
    ),
    (scan, {"values": "*i32", "out": "*i32"}, {"BLOCK": 256}, 1, "values prefix", {"prefix": ("s32", [256], EXACT)}),
    (sort, {"values": "*i32", "out": "*i32"}, {"BLOCK": 256}, 1, "values sorted", {"sorted": ("s32", [256], EXACT)}),
    (random, {"bits": "*i32", "n": "i32", "seed": "i32"}, {"BLOCK": 256}, 2, "bits 512:s32 1234567:s32", {"bits": ("s32", [4, 512], EXACT)}),
    (
        gather,
        {"rows": "*fp32", "places": "*i32", "taken": "*fp32", "greatest": "*i32"},
        {"ROWS": 4, "COLUMNS": 64},
        1,
        "table places taken greatest",
        {"taken": ("f32", [4, 64], EXACT), "greatest": ("s32", [4], EXACT)},
    ),
    (lock, {"values": "*i32", "held": "*i32", "folded": "*i32"}, {"BLOCK": 256}, 6, "values held folded", {"held": ("s32", [1], EXACT), "folded": ("s32", [256], EXACT)}),
]


def launch(name, gfx, threads, shared, grid, arguments, results):
    """A launch file: Triton's kernels take two pointers more, to scratch memory that these do not use."""
    lines = [f'title = "{name} by Triton for {gfx}"\nmodule = ["{name}.hsaco"]\n']
    for argument in arguments:
        if argument in results:
            ty, shape, tolerance = results[argument]
            lines.append(f'[[buffer]]\nname = "{argument}"\ntype = "{ty}"\nshape = {shape}\nfill = "zeros"\nexpect = "../../{argument}.npy"\n{tolerance}')
        elif ":" not in argument:
            ty = "s32" if argument in ("values", "marks", "places") else "f32"
            lines.append(f'[[buffer]]\nname = "{argument}"\ntype = "{ty}"\nfile = "../../{argument}.npy"\n')
    passed = ", ".join(f'"{argument}"' for argument in [*arguments, "0:u64", "0:u64"])
    lines.append(f'[[launch]]\nkernel = "{name}"\ngrid = [{grid}, 1, 1]\nblock = [{threads}, 1, 1]\nshared = {shared}\nargs = [{passed}]\n')
    return "\n".join(lines)


for gfx, lanes in [("gfx90a", 64), ("gfx942", 64), ("gfx950", 64), ("gfx1100", 32), ("gfx1200", 32), ("gfx1250", 32)]:
    for kernel, signature, constants, grid, arguments, results in KERNELS:
        name = kernel.__name__
        folder = pathlib.Path(__file__).parent / gfx / name
        folder.mkdir(parents=True, exist_ok=True)
        shared = triton_compile.write_hsaco(kernel, signature, constants, folder / f"{name}.hsaco", gfx, lanes)
        (folder / "launch.toml").write_text(launch(name, gfx, 4 * lanes, shared, grid, arguments.split(), results))
