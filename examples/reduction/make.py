"""5,000 values whose sum depends on the order of additions."""

import numpy as np
from reference import library, save

generator = np.random.default_rng(3)
x = (generator.normal(size=5000) * 10.0 ** generator.integers(-3, 4, 5000)).astype(np.float32)
y = generator.normal(size=5000).astype(np.float32)
reference = library()
blocks = 7
none = 0
results = {}
for name, other in {"sum": none, "dot": y}.items():
    partial, total = np.zeros(blocks, np.float32), np.zeros(1, np.float32)
    reference.reduce(x, other, partial, len(x), blocks)
    reference.reduce(partial, none, total, blocks, 1)
    results |= {name + "_partial": partial, name + "_total": total}
save(x=x, y=y, **results)
