"""133 vectors of four."""

import numpy as np
from reference import save

v = np.random.default_rng(38).integers(-1000, 1000, (133, 4), np.int32)
save(values=v, out=np.stack([v[:, 0] + v[:, 1], v[:, 2] + v[:, 0], v[:, 3] + v[:, 1], v[:, 2] + v[:, 3]], 1))
