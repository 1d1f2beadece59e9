"""Rows of 336 values, some far below their maximum, one row all equal; softmax in f64."""

import numpy as np
from reference import save

generator = np.random.default_rng(22)
x = (generator.normal(size=(9, 336)) * np.logspace(-1, 1.3, 9)[:, None]).astype(np.float32)
x[4] = -3.25
exponential = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
save(x=x, out=(exponential / exponential.sum(1, keepdims=True)).astype(np.float32))
