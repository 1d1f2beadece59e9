"""Sides of no multiple of a tile: 92 by 76 times 76 by 100."""

import numpy as np
from reference import library, save

generator = np.random.default_rng(37)
a, b = (generator.normal(size=shape).astype(np.float32) for shape in ((92, 76), (76, 100)))
c = np.empty((92, 100), np.float32)
library("../async_copy/reference.c").product(a, b, c, 92, 100, 76)
save(a=a, b=b, c=c)
