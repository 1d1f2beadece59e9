"""What AMD's floating-point instructions give, by exact fractions: the reference of makers of test lines.

Numbers are those of tests/run/ptx/exact.py. What becomes of NaN, zeros and infinities follows the operations of AMD's ISA guides (CDNA 3, RDNA 3 and 4); nothing here
is shared with the Rust code.
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../ptx"))
import exact as X
from fractions import Fraction as F

R = random.Random(9)


class Kind:
    def __init__(self, name, fmt):
        self.name, self.fmt = name, fmt
        self.bits = fmt.bits
        self.inf = ((1 << fmt.exponent) - 1) << fmt.fraction
        self.quiet = 1 << (fmt.fraction - 1)
        self.sign = 1 << (self.bits - 1)
        one = fmt.bias << fmt.fraction
        self.edges = [0, self.sign, 1, self.sign | 1, (1 << fmt.fraction) - 1, 1 << fmt.fraction, self.inf - 1, self.inf, self.sign | self.inf,
                      one, one | self.sign, one + 1, one - 1, self.inf | self.quiet, self.inf | 1, self.inf | self.quiet | 5, self.sign | self.inf | self.quiet | 2,
                      one + (1 << fmt.fraction), one | 1 << (fmt.fraction - 1), one - (1 << fmt.fraction)]

    def pick(self, n):
        near = lambda: R.choice(self.edges) if R.random() < 0.6 else R.getrandbits(self.bits)
        return [near() for _ in range(n)]

    def is_nan(self, x):
        return x & ~self.sign & (self.sign - 1) > self.inf

    def signals(self, x):
        return self.is_nan(x) and not x & self.quiet

    def value(self, x):
        return self.fmt.decode(x)

    def encode(self, v, mode="rn"):
        if X.is_nan(v):
            return self.inf | self.quiet
        if X.is_inf(v):
            return self.inf | (self.sign if v[1] else 0)
        return self.fmt.encode(v[0], v[1], mode)

    def keep(self, operands, result):
        """The first NaN operand made quiet, else the result."""
        return next((x | self.quiet for x in operands if self.is_nan(x)), result)

    def magnitude(self, x):
        return x & (self.sign - 1)

    def key(self, x):
        """Order with -0 below +0."""
        return -self.magnitude(x) - 1 if x & self.sign else self.magnitude(x)


KINDS = [Kind("f16", X.f16), Kind("f32", X.f32), Kind("f64", X.f64)]


def arithmetic(k, name, *x):
    v = [k.value(i) for i in x]
    if name == "add":
        r = X.add(v[0], v[1])
    elif name == "sub":
        r = X.add(v[0], X.neg(v[1]))
    elif name == "mul":
        r = X.mul(v[0], v[1])
    else:
        r = X.add(X.mul(v[0], v[1]), v[2])
    return k.keep(x, k.encode(r))


def old_min(k, a, b, most, first):
    """v_min and v_max in IEEE mode; `first`: of two NaNs the first is the result (RDNA), else the second (CDNA)."""
    if k.signals(a):
        return a | k.quiet
    if k.signals(b):
        return b | k.quiet
    if k.is_nan(a) and k.is_nan(b):
        return a if first else b
    if k.is_nan(a):
        return b
    if k.is_nan(b):
        return a
    return (max if most else min)(a, b, key=k.key)


def num(k, a, b, most):
    if k.is_nan(a) and k.is_nan(b):
        return a | k.quiet
    if k.is_nan(a):
        return b
    if k.is_nan(b):
        return a
    return (max if most else min)(a, b, key=k.key)


def or_nan(k, a, b, most):
    for test in (k.signals, k.is_nan):
        for x in (a, b):
            if test(x):
                return x | k.quiet
    return (max if most else min)(a, b, key=k.key)


def same(k, a, b):
    return not k.is_nan(a) and not k.is_nan(b) and (a == b or k.magnitude(a) == k.magnitude(b) == 0)


def med3(k, f, a, b, c):
    low, high = (lambda x, y: f(k, x, y, False)), (lambda x, y: f(k, x, y, True))
    if any(map(k.is_nan, (a, b, c))):
        return low(low(a, b), c)
    most = high(high(a, b), c)
    return high(b, c) if same(k, most, a) else high(a, c) if same(k, most, b) else high(a, b)


def integral(k, x, mode):
    if k.is_nan(x):
        return x | k.quiet
    v = k.value(x)
    if X.is_inf(v):
        return x
    exact = -v[1] if v[0] else v[1]
    floor = exact.numerator // exact.denominator
    rest = exact - floor
    whole = {"floor": floor, "ceil": floor + (rest > 0), "trunc": floor + (rest > 0 and exact < 0), "rndne": floor + (rest > F(1, 2) or (rest == F(1, 2) and floor & 1))}[mode]
    return k.encode((v[0], F(abs(whole))))


def frexp(k, x):
    v = k.value(x)
    if k.is_nan(x) or X.is_inf(v) or v[1] == 0:
        return (x | k.quiet if k.is_nan(x) else x), 0
    e = X.floor_log2(v[1]) + 1
    return k.encode((v[0], v[1] / F(2) ** e)), e


def ldexp(k, x, n):
    if k.is_nan(x):
        return x | k.quiet
    v = k.value(x)
    return x if X.is_inf(v) else k.encode((v[0], v[1] * F(2) ** max(-5000, min(5000, n))))


def classify(k, x):
    if k.is_nan(x):
        return 0 if k.signals(x) else 1
    m = k.magnitude(x)
    kind = 2 if m == k.inf else 5 if m == 0 else 4 if m < 1 << k.fmt.fraction else 3
    return kind if x & k.sign else 11 - kind


def to_int(k, x, signed, mode="rz"):
    low, high = (-(1 << 31), (1 << 31) - 1) if signed else (0, (1 << 32) - 1)
    if k.is_nan(x):
        return 0
    v = k.value(x)
    if X.is_inf(v):
        return low if v[1] else high
    exact = -v[1] if v[0] else v[1]
    whole = exact.numerator // exact.denominator
    if mode == "rz" and exact < 0 and whole != exact:
        whole += 1
    return max(low, min(high, whole))


def convert(a, b, x, mode="rn"):
    """From one kind to another; a NaN keeps the upper bits of its payload."""
    if a.is_nan(x):
        payload, shift = x & ((1 << a.fmt.fraction) - 1), b.fmt.fraction - a.fmt.fraction
        payload = payload << shift if shift >= 0 else payload >> -shift
        return (b.sign if x & a.sign else 0) | b.inf | payload | b.quiet
    return b.encode(a.value(x), mode)
