"""Softmax of each row, one program a row: maximum, exponentials, sum, each over the whole block of threads."""

import triton
import triton.language as tl
from triton_compile import write_ptx


@triton.jit
def softmax(x, out, columns, block: tl.constexpr):
    row = tl.program_id(0)
    index = tl.arange(0, block)
    mask = index < columns
    value = tl.load(x + row * columns + index, mask, other=-float("inf"))
    exponential = tl.exp(value - tl.max(value, 0))
    tl.store(out + row * columns + index, exponential / tl.sum(exponential, 0), mask)


write_ptx(softmax, {"x": "*fp32", "out": "*fp32", "columns": "i32"}, {"block": 512}, __file__, ("x", "out", "columns"))
