"""Nine blocks in a row with rows of 50; three producers of 70 values each."""

import numpy as np
from reference import save

rows = [np.arange(50, dtype=np.uint32)]
for block in range(1, 9):
    rows.append(rows[-1] * 3 + np.uint32(block))
values = [block * 1000 + i for block in range(3) for i in range(70)]
save(data=np.array(rows, np.uint32), sum=np.array([sum(v * v for v in values)], np.uint64))
