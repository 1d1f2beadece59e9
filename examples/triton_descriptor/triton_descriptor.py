"""Kernels with tensor descriptors: Triton moves their tiles by tensor copies of the hardware.

`scale_add` gets its descriptors from the host, `transpose` and `fold` make theirs on the device.
"""

import triton.language as tl
import triton
from triton_compile import write_ptx


@triton.jit
def scale_add(x, y, out, factor, rows: tl.constexpr, columns: tl.constexpr):
    at = [tl.program_id(1) * rows, tl.program_id(0) * columns]
    out.store(at, x.load(at) + y.load(at) * factor)


@triton.jit
def transpose(x, out, height, width, rows: tl.constexpr, columns: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [height, width], [width, 1], [rows, columns])
    target = tl.make_tensor_descriptor(out, [width, height], [height, 1], [columns, rows])
    y, x = tl.program_id(1) * rows, tl.program_id(0) * columns
    target.store([x, y], source.load([y, x]).T)


@triton.jit
def fold(x, out, height, width, rows: tl.constexpr, columns: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [height, width], [width, 1], [rows, columns])
    target = tl.make_tensor_descriptor(out, [rows, width], [width, 1], [rows, columns])
    y, x = tl.program_id(1) * rows, tl.program_id(0) * columns
    target.atomic_add([0, x], source.load([y, x]))


def write(capability):
    tile = {"rows": 32, "columns": 64}
    options = {"capability": capability, "script": __file__, "constants": tile}
    host = {name: "tensordesc<fp16[32,64]>" for name in ("x", "y", "out")} | {"factor": "fp16"}
    write_ptx(scale_add, host, name=f"sm_{capability}/scale_add", **options)
    matrix = {"x": "*i32", "out": "*i32", "height": "i32", "width": "i32"}
    for kernel in (transpose, fold):
        write_ptx(kernel, matrix, multiples_of_16=matrix, name=f"sm_{capability}/{kernel.__name__}", **options)


write(90)
write(100)
