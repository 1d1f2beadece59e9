"""The same functions in Python for 45 threads; each sorts a row of 37."""

import numpy as np
from reference import save


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def ackermann(m, n):
    return n + 1 if m == 0 else ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))


def hanoi(discs, start, to, value):
    if discs == 0:
        return value
    spare = 3 - start - to
    value = hanoi(discs - 1, start, spare, value) * 31 + start * 4 + to
    return hanoi(discs - 1, spare, to, value % 2**64)


threads = range(45)
rows = np.random.default_rng(17).integers(-1000, 1000, (45, 37), np.int32)
save(
    fibonacci=np.array([fibonacci(t % 17) for t in threads], np.uint32),
    ackermann=np.array([ackermann(t % 3, t % 7) for t in threads], np.uint32),
    parity=np.array([((t * 3 + 1) % 2 == 0) | (t % 2) << 1 for t in threads], np.uint32),
    hanoi=np.array([hanoi(t % 8, t % 3, (t + 1) % 3, t) for t in threads], np.uint64),
    rows=rows,
    sorted_rows=np.sort(rows, 1),
)
