"""Floats and doubles over their whole ranges, integers of all sizes; numpy computes what each kernel must give."""

import numpy as np
from reference import hostile_floats, library, save

N = 1000
generator = np.random.default_rng(22)
x, y = hostile_floats(N, generator), generator.permutation(hostile_floats(N, generator))
with np.errstate(over="ignore"):
    dx = x.astype(np.float64) * generator.choice([1, 2.0**-900, 2.0**900, 1 / 3], N)
    dy = y.astype(np.float64) * generator.choice([1, 2.0**-890, 2.0**890, 1 / 7], N)
float_out, double_out = np.zeros((5, N), np.float32), np.zeros((5, N))
reference = library()
reference.floats(x, y, float_out, N)
reference.doubles(dx, dy, double_out, N)

a = generator.integers(0, 2 ** generator.integers(1, 33, N), dtype=np.uint32)
b = generator.integers(0, 2 ** generator.integers(1, 33, N), dtype=np.uint32)
a[:4], b[:4] = [0, 1, 0xFFFFFFFF, 0xFFFFFFFF], [0, 0xFFFFFFFF, 1, 0xFFFFFFFF]
integer_out, wide_out = np.zeros((5, N), np.uint32), np.zeros(N, np.uint64)
reference.integers(a, b, integer_out, wide_out, N)

matrix = np.arange(64 * 48, dtype=np.int32).reshape(48, 64)
series = generator.integers(-(2**31), 2**31, 1024, dtype=np.int64).astype(np.int32)
groups = series.reshape(4, 256)
data = generator.integers(0, 256, 5000, dtype=np.uint8) & generator.integers(0, 256, 5000, dtype=np.uint8)
save(
    x=x, y=y, dx=dx, dy=dy, float_out=float_out, double_out=double_out,
    a=a, b=b, integer_out=integer_out, wide_out=wide_out,
    matrix=matrix, transposed=matrix.T.copy(),
    series=series, sums=groups.sum(axis=1, dtype=np.int32), prefix=groups.cumsum(axis=1, dtype=np.int32).reshape(-1),
    data=data, counts=np.bincount(data, minlength=256).astype(np.int32),
)
