"""Values of which some are much more frequent than others."""

import numpy as np
from reference import save

values = (np.random.default_rng(33).gamma(2, 300, 6000)).astype(np.uint32)
save(values=values, result=np.bincount(values % 1024, minlength=1024).astype(np.uint32))
