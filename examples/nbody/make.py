"""301 bodies (x, y, z, mass); the step in f64."""

import numpy as np
from reference import save

generator = np.random.default_rng(12)
n, step, softening = 301, np.float32(0.01), np.float32(0.0025)
bodies = generator.normal(size=(n, 4)).astype(np.float32)
bodies[:, 3] = generator.uniform(0.1, 1, n)
velocities = (generator.normal(size=(n, 4)) / 4).astype(np.float32)
wide = bodies.astype(np.float64)
difference = wide[None, :, :3] - wide[:, None, :3]
force = wide[None, :, 3] * ((difference**2).sum(2) + softening) ** -1.5
velocities_out, bodies_out = velocities.astype(np.float64), wide.copy()
velocities_out[:, :3] += (difference * force[:, :, None]).sum(1) * step
bodies_out[:, :3] += velocities_out[:, :3] * step
save(bodies=bodies, velocities=velocities, bodies_out=bodies_out.astype(np.float32), velocities_out=velocities_out.astype(np.float32))
