#!/usr/bin/env python3
"""Time the C and OpenCL twins of the kernels in cu/, on one thread and on two, and the kernels in ptoxide: seconds, best of RUNS runs (3).

    twins.py [NAME...]

Needs gcc and, for the OpenCL columns, Debian's ocl-icd-opencl-dev, pocl-opencl-icd and oclgrind; for ptoxide, cargo and, in the
variable LOCKSTEP, our binary, which counts its instructions and computes the results that it should have. What is missing stays blank.
oclgrind and ptoxide run a smaller problem, and their time is multiplied by the ratio of the work.
"""

import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# name: OpenCL's global and local size and arguments; for oclgrind smaller ones, and how many times less work they are
TWINS = {
    "alu": ("65536 256 u32:65536 f32:65536 i:1024", "1024 256 u32:1024 f32:1024 i:64", 1024),
    "sgemm": ("512,512 16,16 f32:262144 f32:262144 f32:262144 i:512", "64,64 16,16 f32:4096 f32:4096 f32:4096 i:64", 512),
    "nbody": ("8192 256 f32:32768 f32:32768 i:8192 f:0.01", "256 256 f32:1024 f32:1024 i:256 f:0.01", 1024),
    "mandelbrot": ("1024,1024 16,16 u32:1048576 i:1024 i:256", "64,64 16,16 u32:4096 i:64 i:256", 256),
    "reduction": ("65536 256 f32:16777216 f32:256 i:16777216", "256 256 f32:65536 f32:1 i:65536", 256),
    "dot_product": ("65536 256 f32:1048576 f32:1048576 f32:256 i:1048576", "256 256 f32:65536 f32:65536 f32:1 i:65536", 16),
    "saxpy": ("16777216 256 f:0.5 f32:16777216 f32:16777216 i:16777216", "65536 256 f:0.5 f32:65536 f32:65536 i:65536", 256),
}


def literal(value):
    """A single as PTX writes its bits."""
    return "0f" + struct.pack(">f", value).hex().upper()


def whole(count):
    """Singles whose sums and products are exact: ptoxide rounds the product of a fused multiply-add."""
    return struct.pack(f"<{count}f", *(i * 7 % 5 - 2 for i in range(count)))


def from_integer(target, source):
    """Converts a small integer by its bits, for want of the instruction: 2^23 + n has the mantissa n."""
    number = f"or.b32 %r16, {source}, {0x4B000000};\nmov.b32 {target}, %r16;\nsub.f32 {target}, {target}, 0f4B000000;"
    return f"cvt.rn.f32.s32 {target}, {source};", number


def square(target, source):
    """A product, for want of mul.f32: x * x + 0 rounds the same."""
    return f"mul.f32 {target}, {source}, {source};", f"fma.rn.f32 {target}, {source}, {source}, 0f00000000;"


# name: grid, block, arguments (bytes of an array, or of a scalar with its type), how many times less work they are, and what is written
# in another way because ptoxide 0.1.0 lacks it. Kernels without edits run as nvcc wrote them; alu and nbody are tried to see why not.
SIDE = 256
PTOXIDE = {
    "alu": (1, 256, [bytes(1024), bytes(1024), (1024, "s32")], 256, []),
    "sgemm": ("8,8", "16,16", [whole(1 << 14), whole(1 << 14), bytes(1 << 16), (128, "s32")], 64, []),
    "nbody": (1, 256, [whole(1024), whole(1024), (256, "s32"), (0.01, "f32")], 1024, []),
    "mandelbrot": (
        "16,16",
        "16,16",
        [bytes(4 * SIDE * SIDE), (SIDE, "s32"), (256, "s32")],
        16,
        [
            from_integer("%f11", "%r1"),
            from_integer("%f15", "%r2"),
            ("cvt.rn.f32.s32 %f12, %r6;", ""),
            ("div.rn.f32 %f14, %f13, %f12;", f"mov.f32 %f14, {literal(3 / SIDE)};"),
            square("%f24", "%f7"),
            square("%f23", "%f25"),
        ],
    ),
    "reduction": (8, 256, [whole(1 << 19), bytes(32), (1 << 19, "u32")], 32, [("mov.u32 %r10, %nctaid.x;", "mov.u32 %r10, 8;")]),
    "saxpy": (4096, 256, [(0.5, "f32"), whole(1 << 20), whole(1 << 20), (1 << 20, "u32")], 16, []),
}


def seconds(command, **environment):
    """The first word that a program prints, as a number."""
    result = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | environment)
    return float(result.stdout.split()[0])


def measure(name, folder, host):
    """The columns of one kernel: C and pocl on one and two threads, oclgrind on one."""
    program = folder / name
    compiler = ["gcc", "-O3", "-march=native", "-fopenmp", HERE / "c" / f"{name}.c", "-o", program, "-lm"]
    subprocess.run(compiler, check=True)
    yield from (seconds([program], OMP_NUM_THREADS=threads) for threads in "12")
    if not host:
        return
    full, small, ratio = TWINS[name]
    kernel = [HERE / "cl" / f"{name}.cl", name]
    for threads in "12":
        yield seconds([host, *kernel, *full.split()], POCL_MAX_PTHREAD_COUNT=threads, POCL_CPU_MAX_CU_COUNT=threads)
    if shutil.which("oclgrind"):
        yield ratio * seconds(["oclgrind", "--num-threads", "1", host, *kernel, *small.split()], RUNS="1")


def edited(name, folder, edits):
    """The kernel's PTX with some lines written in another way."""
    text = re.sub(r"(?<=\w) *\t", " ", (HERE / "cu" / f"{name}.ptx").read_text())
    for old, new in edits:
        if old not in text:
            sys.exit(f"twins.py: {name}.ptx has no `{old}` any more")
        text = text.replace(old, new)
    path = folder / f"{name}.ptx"
    path.write_text(text)
    return path


def in_ptoxide(name, folder, program):
    """ptoxide's seconds, its million thread instructions a second and how its results compare with ours; or why it does not run."""
    grid, block, arguments, ratio, edits = PTOXIDE[name]
    path = edited(name, folder, edits)
    shape = [str(grid), str(block)]
    best = None
    for _ in range(int(os.environ.get("RUNS", "3"))):
        words, arrays = [], []
        for i, argument in enumerate(arguments):
            if isinstance(argument, bytes):
                arrays.append(folder / f"{i}.bin")
                arrays[-1].write_bytes(argument)
                words.append(f"@{arrays[-1]}")
            else:
                value, kind = argument
                words.append(struct.pack("<f" if kind == "f32" else "<i", value).hex())
        result = subprocess.run([program, path, name, *shape, *words], capture_output=True, text=True)
        if result.returncode != 0:
            return f"does not run: {result.stdout.strip()}"
        time = float(result.stdout)
        best = time if best is None else min(best, time)
    return f"{ratio * best:.4f}\t" + compared(name, folder, path, shape, arguments, best)


def compared(name, folder, path, shape, arguments, time):
    """The rate, and how ptoxide's arrays compare with those of our binary, which runs the same text on the same arrays."""
    if "LOCKSTEP" not in os.environ:
        return "\t"
    words, arrays = [], []
    for i, argument in enumerate(arguments):
        if isinstance(argument, bytes):
            ours = folder / f"{i}.ours"
            ours.write_bytes(argument)
            words.append(f"@{ours}:b32:out={ours}")
            arrays.append((ours, folder / f"{i}.bin"))
        else:
            words.append(f"{argument[0]}:{argument[1]}")
    command = [os.environ["LOCKSTEP"], "run", path, name, "--grid", shape[0], "--block", shape[1], "--time", *words]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    instructions = int(re.search(r"([\d,]+) thread instructions", result.stderr)[1].replace(",", ""))
    pairs = [(a[i : i + 4], b[i : i + 4]) for a, b in ((x.read_bytes(), y.read_bytes()) for x, y in arrays) for i in range(0, len(a), 4)]
    different = sum(a != b for a, b in pairs)
    return f"{instructions / time / 1e6:.1f}\t" + (f"{different} of {len(pairs)} values differ" if different else "same results")


def build_ptoxide():
    """The program that runs kernels in ptoxide, or nothing where it cannot be built."""
    target = os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target")
    target = pathlib.Path(target) / "ptoxide"
    command = ["cargo", "build", "--release", "--quiet", "--locked", "--manifest-path", HERE / "ptoxide" / "Cargo.toml", "--target-dir", target]
    try:
        built = subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        built = False
    return target / "release" / "ptoxide-bench" if built else None


def build_host(folder):
    """The OpenCL host program, or nothing where OpenCL is not installed."""
    host = folder / "host"
    compiler = ["gcc", "-O2", HERE / "cl" / "host.c", "-o", host, "-lOpenCL"]
    return host if subprocess.run(compiler, capture_output=True).returncode == 0 else None


def main(names):
    """One line a kernel, then one a kernel in ptoxide."""
    names = names or list(TWINS)
    columns = ["C", "C, 2 threads", "pocl", "pocl, 2 threads", "oclgrind"]
    print("kernel", *columns, sep="\t")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        host = build_host(folder)
        for name in names:
            print(name, *(f"{value:.4f}" for value in measure(name, folder, host)), sep="\t", flush=True)
        program = build_ptoxide()
        print("\nkernel", "ptoxide", "M thread instructions/s", "results", sep="\t")
        for name in [name for name in names if program and name in PTOXIDE]:
            print(name, in_ptoxide(name, folder, program), sep="\t", flush=True)
    if not program:
        print("ptoxide could not be built: it needs cargo and its package")


if __name__ == "__main__":
    main(sys.argv[1:])
