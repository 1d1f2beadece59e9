"""The same mix of integers by numpy."""

import numpy as np
from reference import save

x = np.arange(300 * 64, dtype=np.uint32)
x = (x ^ x >> 16) * np.uint32(0x7FEB352D)
x = (x ^ x >> 15) * np.uint32(0x846CA68B)
save(result=x ^ x >> 16, tiles_made=np.array([300], np.uint32))
