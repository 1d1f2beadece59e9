"""A matrix with sides of no multiple of a tile: what lies beyond it is neither read nor stored."""

import numpy as np
from reference import save

matrix = np.random.default_rng(32).integers(0, 2**32, (52, 76), np.uint32)
save(matrix=matrix, transposed=matrix.T)
