"""A signal of 777 values and 29 taps; 19 rows of 41 values."""

import numpy as np
from reference import library, save

generator = np.random.default_rng(33)
signal, taps = generator.normal(size=777 + 28).astype(np.float32), generator.normal(size=29).astype(np.float32)
rows = generator.normal(size=(19, 41))
out, filtered = np.zeros(777, np.float32), np.zeros_like(rows)
reference = library()
reference.fir(signal, taps, out, 777, 29)
reference.iir(rows, filtered, 19, 41, np.float64(-1.6), np.float64(0.81))
save(signal=signal, taps=taps, out=out, rows=rows, filtered=filtered)
