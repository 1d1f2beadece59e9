"""Squares, then windows that wrap around."""

import numpy as np
from reference import save

generator = np.random.default_rng(35)
x, weights = generator.integers(-100, 100, 512, np.int32), generator.integers(-9, 9, 8, np.int32)
sums = sum(weights[j] * np.roll(x * x, -j) for j in range(8))
save(x=x, weights=weights, sums=sums.astype(np.int32))
