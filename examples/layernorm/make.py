"""Thirteen rows of 301 values."""

import numpy as np
from reference import library, save

generator = np.random.default_rng(7)
rows, columns, epsilon = 13, 301, np.float32(1e-5)
x = (generator.normal(size=(rows, columns)) * 3 + np.arange(rows)[:, None]).astype(np.float32)
weight, bias = generator.normal(size=(2, columns)).astype(np.float32)
out = np.zeros_like(x)
library().layernorm(x, weight, bias, out, rows, columns, epsilon)
wide = x.astype(np.float64)
exact = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + epsilon) * weight + bias
assert np.allclose(out, exact, atol=1e-5)
save(x=x, weight=weight, bias=bias, out=out)
