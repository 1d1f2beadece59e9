"""Sums and products that do not depend on who has the lock first."""

import numpy as np
from reference import save

n = 150
values = np.random.default_rng(18).integers(0, 2**32, n, np.uint32)
product = 1
for value in values:
    product = product * (int(value) | 1) % 2**32
balances = np.full(11, 100, np.int32)
for i in range(n):
    if i % 11 != (i * 7 + 3) % 11:
        balances[i % 11] -= i % 13
        balances[(i * 7 + 3) % 11] += i % 13
save(
    values=values,
    guarded=np.array([0, n, int(values.sum(dtype=np.uint64)) % 2**32, product], np.uint32),
    turns=np.arange(1, n + 1, dtype=np.uint32),
    balances=balances,
)
