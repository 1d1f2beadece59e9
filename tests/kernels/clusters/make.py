"""Clusters: the arrays that clusters.ptx must give, computed in Python from PTX ISA 9.4, chapter 10 and 9.7.15.3."""

from itertools import product
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
rng = np.random.default_rng(11)


def save(name, array):
    np.save(HERE / f"{name}.npy", np.ascontiguousarray(array))


def places(grid, cluster, explicit):
    rows = []
    for z, y, x in product(*(range(n) for n in reversed(grid))):
        block = (x, y, z)
        inside = [b % c for b, c in zip(block, cluster)]
        rank = inside[0] + cluster[0] * (inside[1] + cluster[1] * inside[2])
        rows.append(
            [b // c for b, c in zip(block, cluster)]
            + [g // c for g, c in zip(grid, cluster)]
            + inside
            + list(cluster)
            + [rank, np.prod(cluster), int(explicit)]
            + list(grid)
        )
    return np.array(rows, np.uint32)


save("clustered", places((4, 6, 3), (2, 3, 1), True))
save("deep", places((2, 1, 4), (1, 1, 4), True))
save("single", places((3, 2, 1), (1, 1, 1), False))
save("asked", np.array([[block % 3, 3] for block in range(6)], np.uint32))

# rings: 2 clusters of 4 blocks of 64 threads.
given = rng.integers(0, 1 << 32, (2, 4, 64), np.uint32)
first = np.roll(given, 1, axis=1)
second = np.roll(first * np.uint32(3), 1, axis=1)
third = np.roll(second + np.roll(given, 1, axis=1), 1, axis=1)
save("given", given.reshape(-1))
save("rings", np.stack([first, second, third, np.full_like(given, 64)], axis=-1).reshape(-1, 4))

# spaces: own in ::cta and ::cluster, the other's in ::cluster alone, nothing else.
save("spaces", np.array([[1 | 2 | 8, rank, rank ^ 1, rank, rank ^ 1, 0, 0] for rank in (0, 1)], np.uint32))

save("leavers", np.array([3 * sum(range(64))], np.uint32))
