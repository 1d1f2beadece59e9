"""A hundred positive values but one."""

import numpy as np
from reference import save

values = np.arange(1, 101, dtype=np.int32)
values[77] = -7
save(values=values)
