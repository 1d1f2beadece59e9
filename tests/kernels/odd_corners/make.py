"""Computes what odd_corners.ptx must write, with Python's own integers."""
import numpy, random
from pathlib import Path

here = Path(__file__).parent
u32 = numpy.uint32


def save(name, values, shape=None):
    array = numpy.array(values, u32)
    numpy.save(here / f"{name}.npy", array.reshape(shape) if shape else array)


def loop(bound):
    i = total = 0
    while i < bound:
        i += 1
        if i % 2:
            continue
        total += i
        if total > 100:
            break
    return total


def collatz(n):
    steps = 0
    while n > 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
        if steps > 50:
            return 0xFFFFFFFF
    return steps


def words(n, count):
    return [n >> 32 * i & 0xFFFFFFFF for i in range(count)]


save("scopes", [[t + 100, 1, t, 0x56781234] for t in range(33)])
save("loops", [[loop(t), (1 << min(32, 40 - t // 32 * 32)) - 1] for t in range(40)])
save("calls", [0 if t == 7 else collatz(t) if t % 4 else 1000 for t in range(31)])
save("addresses", [20, 30, 40, 4, 16, 77, 5, 11, 0, 0, 64, 0])

random.seed(7)
full = (1 << 128) - 1
pairs = [(random.getrandbits(128), random.getrandbits(128)) for _ in range(28)]
pairs += [(full, 1), (0, 1), (full, full), ((1 << 96) - 1, 1 << 32)]
save("pairs", [words(a, 4) + words(b, 4) for a, b in pairs])
save("carried", [words(a + b & full, 4) + words(a - b & full, 4) + words((a >> 64 | a << 64) & full, 4) for a, b in pairs])

save("handed", [sum(range(32, 64))] * 32 + [1] * 32)
block = 5 * 3 * 3
save("places", [t % 32 | min(32, block - t // 32 * 32) << 8 | t // 32 << 16 for _ in range(2 * 3 * 4) for t in range(block)])


def guarded(t):
    odd = t % 2
    first = numpy.array([1.0 if odd else 3.0], numpy.float32).view(u32)[0]
    # A predicate p and its opposite: each is the comparison, or its negation, and the guard.
    compared = (1 if t < 16 and odd else 0) | (2 if t >= 16 and odd else 0)
    return [5 + odd * t, first, t if odd else 0, t ^ 2 if odd else 0, 1 if odd else 0, 300 % 256 if odd else 9,
            compared + 3 * odd, 0 if odd else 8]


save("guarded", [guarded(t) for t in range(32)])
