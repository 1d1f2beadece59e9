"""Exact fractions rounded once to f16. a, b and c hold numbers of the format's whole range and near cancellations."""

from fractions import Fraction

import numpy as np
from reference import hostile_floats, save

MAX = Fraction(65504)


def rounded(value, zero=0.0):
    """A fraction to the nearest f16, ties to even; `zero` is the result's sign if it is nothing."""
    if value == 0:
        return np.float16(zero)
    magnitude, sign = abs(value), -1 if value < 0 else 1
    exponent = max(magnitude.numerator.bit_length() - magnitude.denominator.bit_length() - 1, -14)
    while magnitude >= Fraction(2) ** (exponent + 1):
        exponent += 1
    unit = Fraction(2) ** (exponent - 10)
    result = round(magnitude / unit) * unit  # round() takes ties to even
    return np.float16(sign * np.inf) if result > MAX else np.float16(sign * float(result))


def fma(a, b, c):
    """a b + c, rounded once; an exact zero is negative only if both terms are negative zeros (or a product's zero)."""
    product = Fraction(float(a)) * Fraction(float(b))
    product_negative = np.signbit(a) != np.signbit(b)
    total = product + Fraction(float(c))
    both_negative = product_negative and np.signbit(c) and product == 0
    return rounded(total, -0.0 if both_negative else (0.0 if total == 0 else np.copysign(0.0, float(total))))


def saturated(value):
    return np.float16(0) if value <= 0 else min(value, np.float16(1))


def lesser(x, y):
    return x if (x, not np.signbit(x)) < (y, not np.signbit(y)) else y


generator = np.random.default_rng(15)
n = 301
a, b, c = (hostile_floats(2 * n, generator, np.float16) for _ in range(3))
a[100:], b[100:], c[100:] = generator.normal(size=(3, 2 * n - 100)).astype(np.float16)
with np.errstate(all="ignore"):
    product = a * b
    c[300:400] = np.where(np.isfinite(product), -product, 1)[300:400]
    b[0:300] = generator.permutation(b[0:300])

one, minus_zero = np.float16(1), np.float16(-0.0)
each = lambda f: np.array([f(x, y, z) for x, y, z in zip(a, b, c)], np.float16)
swapped = a.reshape(n, 2)[:, ::-1].ravel()
mixed = np.where(np.arange(2 * n) % 2, b, a)
scale = np.where(np.arange(2 * n) % 2, np.float32(0.999), np.float32(1.001))
with np.errstate(over="ignore"):
    scaled = (a.astype(np.float32) * scale).astype(np.float16)
rows = [
    each(lambda x, y, z: fma(x, one, y)),
    each(lambda x, y, z: fma(x, one, -y)),
    each(lambda x, y, z: fma(x, y, np.copysign(np.float16(0), -1.0 if np.signbit(x) != np.signbit(y) else 1.0))),
    each(fma),
    each(lambda x, y, z: saturated(fma(x, one, y))),
    each(lambda x, y, z: saturated(fma(x, y, minus_zero))),
    each(lambda x, y, z: saturated(fma(x, y, z))),
    -a,
    abs(a),
    (a > b).astype(np.float16),
    each(lambda x, y, z: lesser(x, y)),
    each(lambda x, y, z: -lesser(-x, -y)),
    each(lambda x, y, z: max(fma(x, y, z), np.float16(0)) if fma(x, y, z) > 0 else np.float16(0)),
    swapped,
    mixed,
    scaled,
]
save(a=a, b=b, c=c, out=np.array(rows))
