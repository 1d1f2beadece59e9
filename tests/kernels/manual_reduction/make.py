"""What both blocks hold, added and compared by numpy."""

import numpy as np

thread = np.arange(8, dtype=np.uint64)
first, second = thread + 0xFFFFFFF0, thread + 1000 + 0xFFFFFFF0
np.save("sums.npy", first + second)
words = (50 - np.arange(16) * 7).astype(np.int32)
np.save("minima.npy", np.minimum(words, -words))
