"""What every example's make.py needs: a C reference as a library, and arrays to .npy files.

The references are compiled without contraction, so that a multiplication and an addition fuse only
where the source says fmaf: the expected results are then exact statements, not one compiler's choice.
"""

import ctypes
import pathlib
import subprocess
import tempfile

import numpy as np


def library(source="reference.c"):
    """Compile a C file of the current folder and load it.

    Call a function with numpy arrays (passed as pointers), Python ints (64-bit) and numpy scalars.
    """
    folder = tempfile.mkdtemp()
    path = pathlib.Path(folder) / "reference.so"
    command = ["gcc", "-std=gnu11", "-O2", "-ffp-contract=off", "-frounding-math", "-Wall", "-Werror"]
    subprocess.run([*command, "-shared", "-fPIC", source, "-o", path, "-lm"], check=True)
    return Library(ctypes.CDLL(str(path)))


class Library:
    """Functions of a C library that return nothing and take arrays and scalars."""

    def __init__(self, handle):
        self.handle = handle

    def __getattr__(self, name):
        function = getattr(self.handle, name)
        function.restype = None
        return lambda *arguments: function(*map(c_argument, arguments))


def c_argument(value):
    """An array as a pointer, an int as int64_t, a numpy scalar as its own C type."""
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        return value.ctypes.data_as(ctypes.c_void_p)
    if isinstance(value, int):
        return ctypes.c_int64(value)
    return np.ctypeslib.as_ctypes_type(value.dtype)(value)


def save(**arrays):
    """Write each array to NAME.npy in the current folder."""
    for name, array in arrays.items():
        np.save(name + ".npy", np.ascontiguousarray(array))


def hostile_floats(count, generator, dtype=np.float32):
    """Finite values over the format's whole range, zeros of both signs and subnormals among them."""
    bits = {np.float32: np.uint32, np.float64: np.uint64, np.float16: np.uint16}[dtype]
    info = np.iinfo(bits)
    values = generator.integers(0, info.max, count, dtype=bits, endpoint=True).view(dtype)
    values = np.where(np.isfinite(values), values, dtype(1.5))
    tiny = np.finfo(dtype).smallest_subnormal
    edges = np.array([0.0, -0.0, tiny, -tiny, np.finfo(dtype).tiny, np.finfo(dtype).max], dtype)
    values[: len(edges)] = edges
    return values
