"""What special_registers.ptx must give for a grid of 3 x 2 x 2 blocks of 5 x 3 x 4 threads."""

from itertools import product
from pathlib import Path

import numpy as np

M = 0xFFFFFFFF
grid, block = (3, 2, 2), (5, 3, 4)
columns = []
for cz, cy, cx in product(range(grid[2]), range(grid[1]), range(grid[0])):
    for number, (z, y, x) in enumerate(product(range(block[2]), range(block[1]), range(block[0]))):
        lane, warp = number % 32, number // 32
        bit = 1 << lane
        columns.append([
            x, y, z, 0, *block, cx, cy, cz, *grid, lane, warp,
            bit, 2 * bit - 1, bit - 1, ~(bit - 1) & M, ~(2 * bit - 1) & M,
            # A cluster is one block.
            cx, cy, grid[0], grid[2], 0, 1, 1, 0, 1,
            # Dynamic shared memory; 200 bytes more in units of 128.
            100, 384, 0, 0, 0, 0,
            x + 100 * y + 10000 * z, block[0] * 1000 + x, 127,
        ])
np.save(Path(__file__).resolve().parent / "result.npy", np.array(columns, np.uint32).T.copy())
