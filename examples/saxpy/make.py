"""Products near minus the addend, where a multiplication rounded by itself would show."""

import numpy as np
from reference import library, save

generator = np.random.default_rng(2)
a = np.float32(2.7182817)
x = generator.normal(size=1000).astype(np.float32)
y = generator.normal(size=1000).astype(np.float32)
y[::3] = -(a * x)[::3]
expected = y.copy()
library().saxpy(a, x, expected, len(x))
save(x=x, y=y, expected=expected)
