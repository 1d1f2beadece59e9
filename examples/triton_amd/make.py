"""Rows of normal numbers and small integers; softmax and layernorm in double precision, the rest is exact."""

import numpy as np
from reference import save

generator = np.random.default_rng(41)
x, y = (generator.normal(size=1000).astype(np.float32) for _ in range(2))
rows = generator.normal(size=(4, 500)).astype(np.float32)
weight, bias = (generator.normal(size=500).astype(np.float32) for _ in range(2))
values = generator.integers(-1000, 1000, 256).astype(np.int32)
marks = generator.integers(0, 2000, 256).astype(np.int32)

wide = rows.astype(np.float64)
powers = np.exp(wide - wide.max(axis=1, keepdims=True))
normal = (wide - wide.mean(axis=1, keepdims=True)) / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5) * weight + bias
save(
    x=x, y=y, sum=x + y, rows=rows, softmax=(powers / powers.sum(axis=1, keepdims=True)).astype(np.float32),
    weight=weight, bias=bias, normal=normal.astype(np.float32), values=values,
    marks=marks, counts=np.bincount(marks & 15, minlength=16).astype(np.int32),
    extremes=np.array([marks.max(), 2000 - marks.min()], np.int32), total=np.array([marks.sum()], np.float32),
    prefix=values.cumsum(dtype=np.int32), sorted=np.sort(values),
)
