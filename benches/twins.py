#!/usr/bin/env python3
"""Time the C and OpenCL twins of the kernels in cu/, on one thread and on two: seconds, best of RUNS runs (3).

    twins.py [NAME...]

Needs gcc and, for the last columns, Debian's ocl-icd-opencl-dev, pocl-opencl-icd and oclgrind; what is missing stays blank.
oclgrind runs a smaller problem, and its time is multiplied by the ratio of the work.
"""

import os
import pathlib
import shutil
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
    "saxpy": ("16777216 256 f:0.5 f32:16777216 f32:16777216 i:16777216", "65536 256 f:0.5 f32:65536 f32:65536 i:65536", 256),
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


def build_host(folder):
    """The OpenCL host program, or nothing where OpenCL is not installed."""
    host = folder / "host"
    compiler = ["gcc", "-O2", HERE / "cl" / "host.c", "-o", host, "-lOpenCL"]
    return host if subprocess.run(compiler, capture_output=True).returncode == 0 else None


def main(names):
    """One line a kernel."""
    columns = ["C", "C, 2 threads", "pocl", "pocl, 2 threads", "oclgrind"]
    print("kernel", *columns, sep="\t")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        host = build_host(folder)
        for name in names or TWINS:
            print(name, *(f"{value:.4f}" for value in measure(name, folder, host)), sep="\t", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
