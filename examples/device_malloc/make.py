"""The lists' sums, each value times its place from the front."""

import numpy as np
from reference import save

sums = [sum(value * place for place, value in enumerate((i * 10 + j for j in reversed(range(i % 9))), 1)) for i in range(150)]
save(sums=np.array(sums, np.uint32))
