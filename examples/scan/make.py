"""7,001 values whose sum wraps around 32 bits."""

import numpy as np
from reference import save

values = np.random.default_rng(10).integers(0, 2**32, 7001, np.uint32)
save(values=values, sums=np.cumsum(values, dtype=np.uint32))
