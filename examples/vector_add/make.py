"""Vectors over the whole range of f32: sums round, cancel, overflow and stay subnormal."""

import numpy as np
from reference import hostile_floats, save

generator = np.random.default_rng(1)
x, y = hostile_floats(1000, generator), hostile_floats(1000, generator)[::-1].copy()
y[100:200] = -x[100:200] * np.float32(1.0000001)
x[200:900], y[200:900] = generator.normal(size=(2, 700))
save(x=x, y=y, out=x + y)
