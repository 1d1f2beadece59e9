"""Values over the whole range, without those whose results are no numbers."""

import numpy as np
from reference import hostile_floats, library, save

generator = np.random.default_rng(37)
n = 202
a, b, c = (hostile_floats(n, generator) for _ in range(3))
b = generator.permutation(b)
a[100:], b[100:] = generator.normal(size=(2, n - 100))
with np.errstate(all="ignore"):
    c[50:] = np.where(np.isfinite(a * b), -(a * b), 1)[50:]
out = np.zeros((12, n), np.float32)
library().packed_floats(a, b, c, out, n)
assert not np.isnan(out).any()
save(a=a, b=b, c=c, out=out)
