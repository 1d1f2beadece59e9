"""What contention.ptx must leave behind: results that do not depend on the order."""

from functools import reduce
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
N, M = 24 * 96, 0xFFFFFFFF
every = range(N)
total = sum(every)
assert total < 2**24  # f32 sums of these integers are exact in any order
xor = lambda values: reduce(lambda a, b: a ^ b, values)
f32 = int(np.float32(total).view(np.uint32))
before = [0, 0, 0, 0, 0, 0, 0, M, 0, 0, 0, 0, 0, 0, 0]
# Which exchange is the last is open: words 9 and 10 are settled by a second kernel.
after = [
    total, N % 100, (100 - N % 100) % 100, N - 1, -(N - 1) & M, xor(i * 2654435761 & M for i in every), 1023, M & ~1023, f32,
    None, None, 3 * N, total, 0, total,
]
wide = [i * 0x80000001 for i in every]
after_wide = [sum(wide) & 2**64 - 1, max(wide), int(np.float64(total).view(np.uint64)), xor(wide), N, sum(wide) & 2**64 - 1]
np.save(HERE / "before.npy", np.array(before, np.uint32))
np.save(HERE / "after_wide.npy", np.array(after_wide, np.uint64))
# All that was exchanged, i + 1 of each thread, is their sum.
after[9], after[10] = 0, total + N
np.save(HERE / "after.npy", np.array(after, np.uint32))
