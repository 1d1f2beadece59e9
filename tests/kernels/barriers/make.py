"""Barriers of a block: the arrays that barriers.ptx must give, computed in Python from what PTX ISA 9.4, 9.7.15.1 says."""

from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
rng = np.random.default_rng(3)


def save(name, array):
    np.save(HERE / f"{name}.npy", np.ascontiguousarray(array))


# rotate: 77 threads pass values round a ring in shared memory, 10 steps.
ring = rng.integers(0, 1 << 32, (3, 77), np.uint32)
save("ring", ring)
save("rotated", np.roll(ring, -10, axis=1))

# halves: two groups of 64 threads each sum their own in shared memory behind barriers of their own, 5 rounds.
start = rng.integers(0, 1000, (2, 64), np.uint32)
sums = start.astype(np.uint64)
for _ in range(5):
    sums = sums + np.roll(sums, -1, axis=1)
save("start", start.reshape(-1))
save("summed", (sums & 0xFFFFFFFF).astype(np.uint32).reshape(-1))

# pipeline: a warp of producers hands 6 values to each thread of a warp of consumers.
produced = np.array([[(round_ + 1) * 1000 + lane * 7 for round_ in range(6)] for lane in range(32)], np.uint32)
weights = np.array([3**r for r in range(6)], np.uint32)
save("consumed", (produced * weights).sum(axis=1, dtype=np.uint32))

# reductions over 70 threads: how many, all, any, by rounds; then over two groups that share barrier 5 one after the other.
predicates = np.stack([rng.random(70) < share for share in (0.0, 0.01, 0.5, 0.99, 1.0)])
save("predicates", predicates.astype(np.uint32))
rows = [p.sum() | np.uint32(p.all()) << 8 | np.uint32(p.any()) << 9 | np.uint32((~p).sum()) << 16 for p in predicates]
save("reduced", np.repeat(np.array(rows, np.uint32)[:, None], 70, axis=1))

# apart: lanes of a warp reach one barrier from two places; half of the last warp has exited before.
save("apart", np.array([sum(range(96)) - sum(range(80, 96))] * 80 + [0] * 16, np.uint32))
