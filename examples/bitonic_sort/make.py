"""A thousand different keys of both signs, each with its index as value."""

import numpy as np
from reference import save

generator = np.random.default_rng(11)
keys = np.unique(generator.integers(-(2**31), 2**31 - 1, 1100, np.int32))
keys = generator.permutation(keys)[:1000]
order = np.argsort(keys).astype(np.uint32)
save(keys=keys, sorted_keys=keys[order], order=order)
