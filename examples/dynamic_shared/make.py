"""777 values in blocks of 96; 333 doubles in blocks of 64."""

import numpy as np
from reference import save

generator = np.random.default_rng(20)
values = generator.integers(-(2**31), 2**31 - 1, 777, np.int32)
parts = [values[i : i + 96] for i in range(0, 777, 96)]
doubles = generator.normal(size=333)
doubles[128:192] = 9.0
below = [part[part < -0.5] for part in (doubles[i : i + 64] for i in range(0, 333, 64))]
save(
    values=values,
    partitioned=np.concatenate([np.concatenate([p[p % 2 == 0], p[p % 2 == 1]]) for p in parts]),
    doubles=doubles,
    last=np.array([p[-1] if len(p) else -0.5 for p in below]),
)
