#!/usr/bin/env python3
"""Remake what is committed in the examples: PTX from sources, inputs and expected results.

    build.py ptx [NAME...]     compile NAME/NAME.cu (nvcc), .c or .cl (clang-19, libclc-19) or .py (Triton) and have ptxas accept it;
                               OpenCL C for both vendors (clang-22, ld.lld-22) becomes PTX and code objects for AMD GPUs
    build.py data [NAME...]    run NAME/make.py, which writes the .npy files
    build.py broken [NAME...]  compile the variants that lack a step, with launch files like the examples', into tests/broken

nvcc, ptxas and the two clangs are taken from PATH; Triton's examples need a Python that has triton.
"""

import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# Options beyond `nvcc --ptx -arch=sm_75`: the oldest target that this nvcc compiles for.
OPTIONS = {
    "all_reduce": ["-arch=sm_90"],
    "async_copy": ["-arch=sm_80"],
    "bfloat16": ["-arch=sm_80"],
    "bulk_reduction": ["-arch=sm_90"],
    "cache_hints": ["-arch=sm_80"],
    "cluster_histogram": ["-arch=sm_90"],
    "dependent_launch": ["-arch=sm_90"],
    "half2": ["-arch=sm_80"],
    "library": ["-arch=sm_75", "-rdc=true"],
    "linking": ["-arch=sm_75", "-rdc=true"],
    "narrow_formats": ["-arch=sm_100a"],
    "packed_floats": ["-arch=sm_100"],
    "persistent": ["-arch=sm_100"],
    "swizzle_transpose": ["-arch=sm_90"],
    "tma_pipeline": ["-arch=sm_90a"],
    "vector_atomics": ["-arch=sm_90"],
    "warp": ["-arch=sm_80"],
}

# Steps of an example that can be left out, by number (BROKEN in its source).
STEPS = {
    "async_copy": 2,
    "bulk_reduction": 4,
    "cluster_histogram": 2,
    "dependent_launch": 1,
    "persistent": 2,
    "swizzle_transpose": 2,
    "tma_pipeline": 9,
}

# AMD GPUs that the twins are compiled for.
GFX = ["gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1151", "gfx1200", "gfx1250"]

# OpenCL C for AMD's GPUs alone, by the source's name: not optimized, functions are called and arrays are in memory; images are where instructions for them are.
FOR_AMD = {
    "private": ("-O0", ["gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250"]),
    "image": ("-O2", ["gfx906", "gfx1010", "gfx1030", "gfx1100", "gfx1200"]),
}

CLANG = ["--target=nvptx64-nvidia-cuda", "-O3", "-S", "-Xclang", "-target-cpu", "-Xclang", "sm_75", "-Xclang", "-target-feature"]


def sources(names):
    """Every source of the named examples, or of all."""
    folders = [HERE / name for name in names] or sorted(p for p in HERE.iterdir() if p.is_dir())
    return [s for folder in folders for s in sorted(folder.iterdir()) if is_kernel(s)]


def is_kernel(path):
    """Whether a file is a kernel's source, and not what computes its expected results."""
    return path.suffix in COMPILERS and path.name not in ("make.py", "reference.c")


def nvcc(source):
    """CUDA C++. The relative name keeps this machine's paths out of __FILE__."""
    options = OPTIONS.get(source.stem, ["-arch=sm_75"])
    run(["nvcc", "--ptx", *options, source.name, "-o", source.stem + ".ptx"], source.parent)


def clang(source):
    """C for the nvptx target, or OpenCL C with libclc's functions."""
    if source.stem == "kernels":
        return twins(source)
    if source.stem in FOR_AMD:
        return for_amd(source)
    options = [*CLANG, "-Xclang", "+ptx63"]
    if source.suffix == ".cl":
        library = ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", "/usr/lib/clc/nvptx64--nvidiacl.bc"]
        options += ["-cl-std=CL2.0", "-Xclang", "-finclude-default-header", "-Wno-linker-warnings", *library]
    run(["clang-19", *options, source.name, "-o", source.stem + ".ptx"], source.parent)


def twins(source):
    """OpenCL C without a library, for PTX and for AMD's machine code, with the same launch file."""
    options = ["-O3", "-w", "-cl-std=CL2.0", "-nogpulib", "-ffp-contract=off", "-cl-fp32-correctly-rounded-divide-sqrt"]
    ptx = [*CLANG, "-Xclang", "+ptx63", *options, source.name, "-o", "sm_75/kernels.ptx"]
    run(["clang-22", *ptx], source.parent)
    launch = (source.parent / "sm_75" / "launch.toml").read_text()
    for gfx in GFX:
        folder = source.parent / gfx
        folder.mkdir(exist_ok=True)
        target = ["--target=amdgcn-amd-amdhsa", f"-mcpu={gfx}", "-Wl,--strip-debug"]
        run(["clang-22", *target, *options, source.name, "-o", f"{gfx}/kernels.co"], source.parent)
        (folder / "kernels.co").chmod(0o644)
        (folder / "launch.toml").write_text(launch.replace("kernels.ptx", "kernels.co"))


def for_amd(source):
    """OpenCL C without a library, for AMD's machine code alone."""
    optimization, targets = FOR_AMD[source.stem]
    launch = (source.parent / "launch.toml.in").read_text()
    for gfx in targets:
        folder = source.parent / gfx
        folder.mkdir(exist_ok=True)
        target = ["--target=amdgcn-amd-amdhsa", f"-mcpu={gfx}", "-Wl,--strip-debug"]
        code = f"{gfx}/{source.stem}.co"
        run(["clang-22", *target, optimization, "-w", "-cl-std=CL2.0", "-nogpulib", source.name, "-o", code], source.parent)
        (source.parent / code).chmod(0o644)
        (folder / "launch.toml").write_text(launch)


def triton(source):
    """A Triton script writes its own PTX."""
    run([sys.executable, source.name], source.parent)


COMPILERS = {".cu": nvcc, ".c": clang, ".cl": clang, ".py": triton}


def broken(source):
    """Variants of an example without one of its steps."""
    folder = HERE.parent / "tests" / "broken"
    launch = (source.parent / "launch.toml").read_text()
    launch = re.sub(r'"(\w+\.npy)"', rf'"../../examples/{source.stem}/\1"', launch)
    for step in range(1, STEPS[source.stem] + 1):
        ptx = folder / f"{source.stem}-{step}.ptx"
        options = [*OPTIONS[source.stem], f"-DBROKEN={step}"]
        run(["nvcc", "--ptx", *options, source.name, "-o", str(ptx)], source.parent)
        check(ptx)
        ptx.with_suffix(".toml").write_text(launch.replace(f"{source.stem}.ptx", ptx.name))


def check(ptx):
    """ptxas parses and checks the module."""
    target = re.search(r"\.target\s+sm_(\w+)", ptx.read_text()).group(1)
    run(["ptxas", f"-arch=compute_{target}", ptx.name, "-o", os.devnull], ptx.parent)


def run(command, folder):
    """Run a command in a folder; its failure ends the script."""
    print(folder.name, *command[:1], command[-1])
    environment = os.environ | {"PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(command, cwd=folder, check=True, env=environment)


def main(arguments):
    """The two modes."""
    match arguments:
        case ["ptx", *names]:
            for source in sources(names):
                COMPILERS[source.suffix](source)
            for ptx in sorted({ptx for source in sources(names) for ptx in source.parent.rglob("*.ptx")}):
                check(ptx)
        case ["broken", *names]:
            for source in sources(names or STEPS):
                broken(source)
        case ["data", *names]:
            for folder in sorted({s.parent for s in sources(names)}):
                run([sys.executable, "make.py"], folder)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
