"""Inclusive sums of squares; in odd lanes changed by the votes of those above 8."""

from pathlib import Path

import numpy as np

sums = np.cumsum(np.arange(32) ** 2)
voting = sum(1 << i for i in range(9, 32, 2))
result = [int(s) if i % 2 == 0 else (int(s) ^ voting) + 1 for i, s in enumerate(sums)]
np.save(Path(__file__).resolve().parent / "result.npy", np.array(result, np.uint32))
