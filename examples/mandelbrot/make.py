"""101 by 77 points, at most 300 iterations."""

import numpy as np
from reference import library, save

counts = np.zeros((77, 101), np.uint16)
library().mandelbrot(counts, 101, 77, np.float32(-2.1), np.float32(-1.2), np.float32(0.03125), 300)
assert 0 < (counts == 300).sum() < counts.size
save(counts=counts)
