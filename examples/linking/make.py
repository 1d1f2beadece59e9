"""Small integers and quarters: every sum and product is exact in f32."""

import numpy as np
from reference import save

values = np.random.default_rng(28).integers(-100, 100, 77, np.int32)
x = values * 0.25
save(values=values, out=2 * values + 2000, polynomial=(((0.5 * x - 1) * x + 2) * x + 0.125).astype(np.float32))
