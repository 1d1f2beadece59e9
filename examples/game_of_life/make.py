"""Four generations of 57 by 41 cells."""

import numpy as np
from reference import save

start = cells = np.random.default_rng(30).integers(0, 2, (41, 57), np.uint8)
for _ in range(4):
    neighbours = sum(np.roll(cells, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)) - cells
    cells = ((neighbours == 3) | ((neighbours == 2) & (cells == 1))).astype(np.uint8)
save(start=start, cells=cells)
