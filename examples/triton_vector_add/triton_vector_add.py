"""Element-wise sum, 512 elements a program, masked at the end."""

import triton
import triton.language as tl
from triton_compile import write_ptx


@triton.jit
def vector_add(x, y, out, n, block: tl.constexpr):
    index = tl.program_id(0) * block + tl.arange(0, block)
    mask = index < n
    tl.store(out + index, tl.load(x + index, mask) + tl.load(y + index, mask), mask)


write_ptx(vector_add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, {"block": 512}, __file__)
