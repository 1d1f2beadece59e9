"""Matrices with sides of no multiple of a tile; scale_add rounds once: all its sums are exact in f64."""

import numpy as np
from reference import save

generator = np.random.default_rng(36)
x, y = (generator.normal(size=(40, 200)).astype(np.float16) for _ in range(2))
matrix = generator.integers(-(2**31), 2**31, (40, 132), np.int32)
folded = matrix[:32].copy()
folded[:8] += matrix[32:]
save(x=x, y=y, out=(x + y.astype(float) * 1.5).astype(np.float16), matrix=matrix, transposed=matrix.T, folded=folded)
