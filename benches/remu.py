#!/usr/bin/env python3
"""Time a dot product of gfx1100 in remu and here, each on one thread, and hold both results against numpy: seconds, best of RUNS runs (11).

    remu.py LOCKSTEP LIBREMU.so

Needs clang-22 and remu's library (cargo build --release in github.com/Qazalin/remu). cl/dot_once.cl has one barrier, the most that remu takes; remu lacks
buffer_gl0_inv, for which it gets s_nop.
"""

import ctypes
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).resolve().parent
GROUPS, THREADS, ROUNDS = 256, 256, 16
CLANG = "clang-22 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx1100 -O3 -ffp-contract=fast -nogpulib -Xclang -finclude-default-header"
BUFFER = 0x38  # the first six bits of a buffer instruction, which has two words
NOP = 0xBF800000


def words(lockstep, kernel):
    """The kernel's code, as remu takes it."""
    text = subprocess.run([lockstep, "disasm", kernel], capture_output=True, text=True, check=True).stdout
    found = [int(word, 16) for line in re.finditer(r"// [0-9A-F]{12}: ([0-9A-F ]+)$", text, re.M) for word in line[1].split()]
    for i, word in enumerate(found):
        if word >> 26 == BUFFER:
            found[i : i + 2] = [NOP, NOP]
    return numpy.array(found, numpy.uint32)


def main():
    lockstep, library = sys.argv[1:]
    runs = int(os.environ.get("RUNS", "11"))
    folder = pathlib.Path(tempfile.mkdtemp())
    kernel = folder / "dot_once.co"
    subprocess.run([*CLANG.split(), "-include", HERE / "amd/builtins.h", HERE / "cl/dot_once.cl", "-o", kernel], check=True)
    count, stride = GROUPS * THREADS * ROUNDS, GROUPS * THREADS
    random = numpy.random.default_rng(1)
    a, b = random.random(count, numpy.float32), random.random(count, numpy.float32)
    exact = (a.astype(float) * b).reshape(ROUNDS, GROUPS, 8, 32).sum(axis=(0, 2)).ravel()

    code, out = words(lockstep, kernel), numpy.zeros(GROUPS * 32, numpy.float32)
    arguments = numpy.array([a.ctypes.data, b.ctypes.data, out.ctypes.data, count | stride << 32], numpy.uint64)
    remu = ctypes.CDLL(library)
    theirs = float("inf")
    for _ in range(runs):
        begin = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        failed = remu.run_asm(
            ctypes.c_void_p(code.ctypes.data), ctypes.c_uint32(code.nbytes), GROUPS, 1, 1, THREADS, 1, 1, ctypes.c_void_p(arguments.ctypes.data)
        )
        theirs = min(theirs, resource.getrusage(resource.RUSAGE_SELF).ru_utime - begin)
        if failed:
            sys.exit("remu does not run it")

    files = [folder / name for name in ("a.npy", "b.npy")]
    for file, array in zip(files, (a, b)):
        numpy.save(file, array)
    command = [lockstep, "run", kernel, "--grid", str(GROUPS), "--block", str(THREADS), "--threads", "1", "--time", "--format", "json"]
    command += [f"@{file}" for file in files] + [f"zeros:f32:{GROUPS * 32}", str(count), str(stride)]
    reports = [json.loads(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(runs)]
    launches = [report["launches"][0] for report in reports]
    ours, instructions = min(launch["seconds"] for launch in launches), launches[0]["instructions"]
    own = next(buffer["values"] for buffer in reports[0]["buffers"] if len(buffer["values"]) == GROUPS * 32)
    for name, seconds, result in (("remu", theirs, out), ("lockstep", ours, own)):
        worst = abs(numpy.array(result) / exact - 1).max()
        print(f"{name}: {seconds:.4f} s, {instructions / seconds / 1e6:.2f} M wave instructions/s, off by {worst:.1e} at most")
    print(f"{theirs / ours:.0f} times")


main()
