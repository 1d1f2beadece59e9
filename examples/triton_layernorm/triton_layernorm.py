"""Layer normalisation of f16 rows with weight and bias, statistics in f32, a loop over the columns."""

import triton
import triton.language as tl
from triton_compile import write_ptx


@triton.jit
def layernorm(x, weight, bias, out, mean_out, rstd_out, columns, eps, block: tl.constexpr):
    row = tl.program_id(0)
    x += row * columns
    out += row * columns
    total = tl.zeros([block], tl.float32)
    square = tl.zeros([block], tl.float32)
    for start in range(0, columns, block):
        index = start + tl.arange(0, block)
        value = tl.load(x + index, index < columns, other=0.0).to(tl.float32)
        total += value
        square += value * value
    mean = tl.sum(total, 0) / columns
    rstd = tl.rsqrt(tl.sum(square, 0) / columns - mean * mean + eps)
    tl.store(mean_out + row, mean)
    tl.store(rstd_out + row, rstd)
    for start in range(0, columns, block):
        index = start + tl.arange(0, block)
        mask = index < columns
        value = tl.load(x + index, mask, other=0.0).to(tl.float32)
        result = (value - mean) * rstd * tl.load(weight + index, mask) + tl.load(bias + index, mask)
        tl.store(out + index, result.to(tl.float16), mask)


SIGNATURE = {"x": "*fp16", "weight": "*fp32", "bias": "*fp32", "out": "*fp16"}
SIGNATURE |= {"mean_out": "*fp32", "rstd_out": "*fp32", "columns": "i32", "eps": "fp32"}
write_ptx(layernorm, SIGNATURE, {"block": 256}, __file__)
