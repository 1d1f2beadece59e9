"""The same operations in Python, wrapped to 32 bits."""

import math

import numpy as np
from reference import save


def wrap(x):
    return (x + 2**31) % 2**32 - 2**31


def remainder(a, b):
    return int(math.fmod(a, b)) if b else a


def greatest_common_divisor(a, b):
    while b:
        a, b = b, remainder(a, b)
    return a


functions = [
    lambda a, b: wrap(a + b),
    lambda a, b: wrap(a - b),
    lambda a, b: wrap(a * b),
    remainder,
    greatest_common_divisor,
    lambda a, b: wrap(a ** (b & 15)),
]


def fold(function, values, start):
    for value in values:
        start = function(start, int(value))
    return start


generator = np.random.default_rng(19)
n = 211
codes = generator.integers(0, 6, n, np.uint8)
a = generator.integers(-(2**31) + 1, 2**31, n, np.int32)
b = generator.integers(-1000, 1000, n, np.int32)
b[:12] = 0
values = generator.integers(1, 50, 9, np.int32)
save(
    codes=codes,
    a=a,
    b=b,
    out=np.array([functions[c](int(x), int(y)) for c, x, y in zip(codes, a, b)], np.int32),
    values=values,
    folds=np.array([fold(functions[t % 6], values, t) for t in range(45)], np.int32),
    shapes=np.array([t * t if t % 2 else t * 3 for t in range(45)], np.int32),
)
