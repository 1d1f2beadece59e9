"""A matrix with sides of no multiple of the tile."""

import numpy as np
from reference import save

matrix = np.random.default_rng(5).integers(0, 2**32, (75, 107), np.uint32)
save(matrix=matrix, transposed=matrix.T)
