"""101 rows; sums stay far below 2^24, so that their 128th is exact in f32."""

import numpy as np
from reference import save

matrix = np.random.default_rng(34).integers(-5000, 5000, (101, 256), np.int32)
total = matrix.sum(0, dtype=np.int32)
limits = np.iinfo(np.int32)
save(highest=np.full(256, limits.max, np.int32), lowest=np.full(256, limits.min, np.int32))
save(matrix=matrix, sum=total, least=matrix.min(0), greatest=matrix.max(0), mean=(total / 128).astype(np.float32))
