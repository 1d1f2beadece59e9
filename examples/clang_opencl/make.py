"""333 values in groups of 50, and 37 vectors of 16 bytes."""

import numpy as np
from reference import save

generator = np.random.default_rng(34)
values = generator.integers(-100, 100, 333, np.int32)
data = generator.integers(0, 256, (37, 16), np.uint8)
wide = data.astype(np.uint32)
a, b, c, d = (wide[:, i : i + 4] for i in range(0, 16, 4))
total = a + b * 3 + (c << 7) + d * a
bits = np.vectorize(lambda x: int(x).bit_count(), otypes=[np.uint32])(total)
out = np.where(total > 2000, total[:, ::-1], total) + np.clip(total[:, [1, 0, 3, 2]], 10, 500) + bits
save(values=values, ranked=np.concatenate([np.sort(values[i : i + 50]) for i in range(0, 333, 50)]), data=data, out=out)
