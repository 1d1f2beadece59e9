"""Copied by the first and the third block, and the others' own ranks."""

import numpy as np

np.save("out.npy", np.array([20, 1, 20, 3], np.uint32))
