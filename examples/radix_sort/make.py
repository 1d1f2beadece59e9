"""601 keys of 64 bits, many of them equal in their upper half."""

import numpy as np
from reference import save

generator = np.random.default_rng(31)
keys = generator.integers(0, 2**64, 601, np.uint64)
keys[::2] &= np.uint64(0xFFFF)
save(keys=keys, sorted_keys=np.sort(keys))
