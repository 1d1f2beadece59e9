"""An image of 61 by 47 pixels."""

import numpy as np
from reference import library, save

image = np.random.default_rng(13).normal(size=(47, 61)).astype(np.float32)
out = np.zeros_like(image)
library().convolution(image, out, 61, 47)
save(image=image, out=out)
