"""Sums of small integers and halves, which no order of additions rounds."""

import numpy as np
from reference import save

n = 333
values = np.random.default_rng(32).integers(-20, 20, (n, 4)).astype(np.float32)
i = np.arange(n)
brains = np.array([100, np.where(i % 2, 0.5, -0.5).sum()], np.float32)
save(
    values=values,
    four=np.array([values[i % 3 == r].sum(0) for r in range(3)], np.float32),
    two=np.array([values[:, 0].sum(), -values[:, 1].sum()], np.float32),
    halves=np.array([n, np.where(i % 2, 1, -1).sum()], np.float16),
    brains=(brains.view(np.uint32) >> 16).astype(np.uint16),
    entry=np.array([n, (i * i).sum()], np.uint64),
)
