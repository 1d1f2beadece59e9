"""A k that is no multiple of the tile: 48 by 52 times 52 by 32."""

import numpy as np
from reference import library, save

generator = np.random.default_rng(31)
a, b = (generator.normal(size=shape).astype(np.float32) for shape in ((48, 52), (52, 32)))
c = np.empty((48, 32), np.float32)
library().product(a, b, c, 48, 32, 52)
save(a=a, b=b, c=c)
