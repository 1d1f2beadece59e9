"""Exact fractions rounded once to bf16. The arrays hold the 16 bits of each number."""

from fractions import Fraction
from math import floor

import numpy as np
from reference import save


def narrow(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def rounded(value, negative_zero=False, towards=None):
    """A fraction to bf16's bits: to nearest with ties to even, or towards "zero" or "down"."""
    if value == 0:
        return 0x8000 if negative_zero else 0
    magnitude, negative = abs(value), value < 0
    exponent = max(magnitude.numerator.bit_length() - magnitude.denominator.bit_length() - 1, -126)
    while magnitude >= Fraction(2) ** (exponent + 1):
        exponent += 1
    unit = Fraction(2) ** (exponent - 7)
    steps = magnitude / unit
    if towards is None:
        steps = round(steps)
    elif towards == "down" and negative:
        steps = -floor(-steps)
    else:
        steps = floor(steps)
    if steps == 256:
        steps, exponent = 128, exponent + 1
    if exponent > 127:
        overflows = towards is None or (towards == "down" and negative)
        bits = 0x7F80 if overflows else 0x7F7F
    else:
        bits = steps if steps < 128 else (exponent + 127) << 7 | steps - 128
    return bits | 0x8000 * negative


def fma(a, b, c):
    product = Fraction(float(a)) * Fraction(float(b))
    negative_product = np.signbit(a) != np.signbit(b)
    return rounded(product + Fraction(float(c)), negative_product and np.signbit(c) and product == 0)


generator = np.random.default_rng(16)
n = 201
bits = generator.integers(0, 2**16, (3, 2 * n), np.uint16)
bits = np.where(bits & 0x7F80 == 0x7F80, np.uint16(0x3FC1), bits)
bits[:, 100:] = (bits[:, 100:] & 0x807F) | generator.integers(0x7B, 0x84, (3, 2 * n - 100), np.uint16) << 7
bits[:2, :6] = [[0, 0x8000, 1, 0x8001, 0x7F7F, 0x80], [0x8000, 0x8000, 1, 0x7F, 0x7F7F, 0x8080]]
a, b, c = map(narrow, bits)
each = lambda f: np.array([f(x, y, z) for x, y, z in zip(a, b, c)], np.uint16)
lesser = lambda x, y: x if (x, not np.signbit(x)) < (y, not np.signbit(y)) else y
value = lambda x: int(np.float32(x).view(np.uint32) >> 16)
one = np.float32(1)
even = np.arange(2 * n) % 2 == 0
with np.errstate(over="ignore", under="ignore"):
    scaled = a * np.where(even, np.float32(1.003), np.float32(0.997))
infinite = lambda x: 0x7F80 | 0x8000 * np.signbit(x)
nearest = [rounded(Fraction(float(x)), np.signbit(x)) if np.isfinite(x) else infinite(x) for x in scaled]
directed = [
    rounded(Fraction(float(x)), np.signbit(x), "zero" if e else "down") if np.isfinite(x) else infinite(x)
    for x, e in zip(scaled, even)
]
rows = [
    each(lambda x, y, z: fma(x, one, y)),
    each(lambda x, y, z: fma(x, one, -y)),
    each(lambda x, y, z: fma(x, y, np.copysign(np.float32(0), -1.0 if np.signbit(x) != np.signbit(y) else 1.0))),
    each(fma),
    each(lambda x, y, z: value(lesser(x, y))),
    each(lambda x, y, z: value(-lesser(-x, -y))),
    bits[0] ^ 0x8000,
    bits[0] & 0x7FFF,
    nearest,
    directed,
]
save(a=bits[0], b=bits[1], c=bits[2], out=np.array(rows, np.uint16), wide=a)
