"""Vectors over the whole range of f32."""

import numpy as np
from reference import hostile_floats, save

generator = np.random.default_rng(21)
x, y = hostile_floats(1000, generator), hostile_floats(1000, generator)[::-1].copy()
x[200:], y[200:] = generator.normal(size=(2, 800))
save(x=x, y=y, out=x + y)
