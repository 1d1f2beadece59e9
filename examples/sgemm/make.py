"""Matrices whose sides are no multiples of the tile."""

import numpy as np
from reference import library, save

generator = np.random.default_rng(4)
m, n, k = 67, 45, 83
a = generator.normal(size=(m, k)).astype(np.float32)
b = generator.normal(size=(k, n)).astype(np.float32)
c = np.zeros((m, n), np.float32)
library().sgemm(a, b, c, m, n, k)
assert np.allclose(c, a.astype(np.float64) @ b, atol=1e-4)
save(a=a, b=b, c=c)
