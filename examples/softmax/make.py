"""Rows of 333 values of growing spread; softmax in f64."""

import numpy as np
from reference import save

generator = np.random.default_rng(6)
x = (generator.normal(size=(11, 333)) * np.logspace(-1, 1.5, 11)[:, None]).astype(np.float32)
exponential = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
save(x=x, out=(exponential / exponential.sum(1, keepdims=True)).astype(np.float32))
