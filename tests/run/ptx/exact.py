"""Number formats and rounding by exact fractions: the reference that the make_*.py scripts compute expected values with.

Nothing here is shared with the Rust code, and nothing is clever: a number is a sign and a Fraction, a format is a table of
its parameters, and rounding looks for the neighbours. `check()` holds the formats against numpy and ml_dtypes.
"""

from dataclasses import dataclass
from fractions import Fraction as F
from math import isqrt


@dataclass(frozen=True)
class Format:
    name: str
    exponent: int  # bits
    fraction: int  # bits
    bias: int
    infinity: bool = True
    nan: int | None = None  # the canonical NaN's bits
    signed: bool = True

    @property
    def bits(self):
        return self.exponent + self.fraction + self.signed

    @property
    def sign_bit(self):
        return 1 << (self.exponent + self.fraction) if self.signed else 0

    @property
    def max_bits(self):
        """The largest finite number, without its sign."""
        top = (1 << (self.exponent + self.fraction)) - 1
        if self.infinity:
            return (((1 << self.exponent) - 1) << self.fraction) - 1
        return top - 1 if self.nan is not None else top

    @property
    def max(self):
        return self.decode(self.max_bits)[1]

    def decode(self, bits):
        """('nan',) or ('inf', sign) or (sign, Fraction)."""
        sign = 1 if bits & self.sign_bit else 0
        body = bits & ((1 << (self.exponent + self.fraction)) - 1)
        if self.exponent == 8 and self.fraction == 0:  # ue8m0
            return ("nan",) if body == 0xFF else (0, F(2) ** (body - 127))
        if body > self.max_bits:
            inf = ((1 << self.exponent) - 1) << self.fraction
            return ("inf", sign) if self.infinity and body == inf else ("nan",)
        e, f = body >> self.fraction, body & ((1 << self.fraction) - 1)
        if e == 0:
            return (sign, F(f) * F(2) ** (1 - self.bias - self.fraction))
        return (sign, (1 + F(f, 1 << self.fraction)) * F(2) ** (e - self.bias))

    def is_subnormal(self, bits):
        e = (bits >> self.fraction) & ((1 << self.exponent) - 1)
        return e == 0 and bits & ((1 << self.fraction) - 1) != 0

    def flush(self, bits):
        return bits & self.sign_bit if self.is_subnormal(bits) else bits

    def encode(self, sign, value, mode="rn", satfinite=False):
        """Bits of (-1)^sign * value, value >= 0, rounded; overflow as the format has it."""
        if value == 0:
            return self.sign_bit * sign
        if self.fraction == 0:
            return self.encode_power(value, mode, satfinite)
        exponent = floor_log2(value)
        unit = max(exponent, 1 - self.bias) - self.fraction
        scaled = value / F(2) ** unit
        whole = scaled.numerator // scaled.denominator
        rest = scaled - whole
        up = {
            "rn": rest > F(1, 2) or (rest == F(1, 2) and whole & 1),
            "rna": rest >= F(1, 2),
            "rz": False,
            "rm": bool(sign) and rest > 0,
            "rp": not sign and rest > 0,
        }[mode]
        whole += up
        result = F(whole) * F(2) ** unit
        if result > self.max:
            toward_zero = mode == "rz" or (mode == "rm" and not sign) or (mode == "rp" and sign)
            if satfinite or toward_zero:
                return self.sign_bit * sign | self.max_bits
            if self.infinity:
                return self.sign_bit * sign | self.max_bits + 1
            if self.nan is not None:
                return self.nan
            return self.sign_bit * sign | self.max_bits
        return self.sign_bit * sign | self.bits_of(result)

    def encode_power(self, value, mode, satfinite):
        """ue8m0: the power of two at or below value, or above it; nothing is below 2^-127."""
        e = floor_log2(value)
        if mode == "rp" and F(2) ** e != value:
            e += 1
        if e > 127:
            return 0xFE if satfinite or mode == "rz" else 0xFF
        return max(e + 127, 0)

    def bits_of(self, value):
        """Bits of a representable positive value or zero."""
        if value == 0:
            return 0
        e = max(floor_log2(value), 1 - self.bias)
        m = value / F(2) ** (e - self.fraction)
        assert m.denominator == 1, (self.name, value)
        m = m.numerator
        if m < 1 << self.fraction:
            return m
        return ((e + self.bias) << self.fraction) | (m - (1 << self.fraction))


def floor_log2(x):
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if F(2) ** e <= x else e - 1


f16 = Format("f16", 5, 10, 15, nan=0x7FFF)
bf16 = Format("bf16", 8, 7, 127, nan=0x7FFF)
f32 = Format("f32", 8, 23, 127, nan=0x7FFFFFFF)
tf32 = Format("tf32", 8, 10, 127, nan=0x3FFFF)  # the upper 19 bits of an f32
f64 = Format("f64", 11, 52, 1023, nan=0xFFF8000000000000)
e4m3 = Format("e4m3", 4, 3, 7, infinity=False, nan=0x7F)
e5m2 = Format("e5m2", 5, 2, 15, nan=0x7F)
e2m3 = Format("e2m3", 2, 3, 1, infinity=False)
e3m2 = Format("e3m2", 3, 2, 3, infinity=False)
e2m1 = Format("e2m1", 2, 1, 1, infinity=False)
ue8m0 = Format("ue8m0", 8, 0, 127, infinity=False, nan=0xFF, signed=False)
ue5m3 = Format("ue5m3", 5, 3, 15, infinity=False, nan=0xFF, signed=False)
FORMATS = {f.name: f for f in (f16, bf16, f32, tf32, f64, e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0, ue5m3)}


def is_nan(x):
    return x[0] == "nan"


def is_inf(x):
    return x[0] == "inf"


def add(x, y, mode="rn"):
    """Exact sum as a value; the sign of an exact zero follows IEEE 754."""
    if is_nan(x) or is_nan(y):
        return ("nan",)
    if is_inf(x) or is_inf(y):
        if is_inf(x) and is_inf(y) and x[1] != y[1]:
            return ("nan",)
        return x if is_inf(x) else y
    total = signed(x) + signed(y)
    if total == 0:
        if x[0] == y[0]:
            return (x[0], F(0))
        return (1 if mode == "rm" else 0, F(0))
    return (int(total < 0), abs(total))


def neg(x):
    if is_nan(x):
        return x
    return ("inf", 1 - x[1]) if is_inf(x) else (1 - x[0], x[1])


def signed(x):
    return -x[1] if x[0] else x[1]


def mul(x, y):
    if is_nan(x) or is_nan(y):
        return ("nan",)
    sign = (x[1] if is_inf(x) else x[0]) ^ (y[1] if is_inf(y) else y[0])
    if is_inf(x) or is_inf(y):
        other = y if is_inf(x) else x
        return ("nan",) if not is_inf(other) and other[1] == 0 else ("inf", sign)
    return (sign, x[1] * y[1])


def div(x, y):
    if is_nan(x) or is_nan(y):
        return ("nan",)
    sign = (x[1] if is_inf(x) else x[0]) ^ (y[1] if is_inf(y) else y[0])
    if is_inf(x):
        return ("nan",) if is_inf(y) else ("inf", sign)
    if is_inf(y):
        return (sign, F(0))
    if y[1] == 0:
        return ("nan",) if x[1] == 0 else ("inf", sign)
    return (sign, x[1] / y[1])


def sqrt(x, extra=200):
    """Square root as a value whose roundings to any format here are those of the true root (a sticky bit stands for the rest)."""
    if is_nan(x):
        return x
    if is_inf(x):
        return ("nan",) if x[1] else x
    if x[1] == 0:
        return x
    if x[0]:
        return ("nan",)
    shift = 2 * (extra + 1100)
    n = (x[1].numerator << shift) // x[1].denominator
    root = isqrt(n)
    exact = root * root == n and (x[1].numerator << shift) % x[1].denominator == 0
    return (0, F(2 * root + (not exact), 2) / F(2) ** (shift // 2))


def result(fmt, x, mode="rn", ftz=False, sat=False, relu=False, satfinite=False, pzo=False):
    """Bits of an exact value in a format with the modifiers of PTX; NaN is canonical, or the largest number where there is none.
    Formats without a sign take the magnitude."""
    if is_nan(x):
        return 0 if sat else fmt.max_bits if fmt.nan is None else fmt.nan
    if not fmt.signed:
        x = ("inf", 0) if is_inf(x) else (0, x[1])
    if is_inf(x):
        bits = fmt.sign_bit * x[1] | (fmt.max_bits + 1 if fmt.infinity and not satfinite else fmt.max_bits)
        if not fmt.infinity and not satfinite and fmt.nan is not None:
            bits = fmt.nan
    else:
        bits = fmt.encode(x[0], x[1], mode, satfinite)
    if ftz:
        bits = fmt.flush(bits)
    if sat:
        value = fmt.decode(bits)
        if is_inf(value):
            bits = 0 if value[1] else fmt.bits_of(F(1))
        elif value[0]:
            bits = 0
        elif value[1] > 1:
            bits = fmt.bits_of(F(1))
    if relu and bits & fmt.sign_bit or pzo and bits == fmt.sign_bit:
        bits = 0
    return bits


def hexbits(fmt_or_bits, value):
    bits = fmt_or_bits if isinstance(fmt_or_bits, int) else fmt_or_bits.bits
    return f"0x{value:0{(bits + 3) // 4}x}"


def check():
    """Holds every format's decoding against numpy or ml_dtypes, exhaustively up to 16 bits."""
    import ml_dtypes
    import numpy as np

    kinds = {
        "f16": np.float16,
        "bf16": ml_dtypes.bfloat16,
        "e4m3": ml_dtypes.float8_e4m3fn,
        "e5m2": ml_dtypes.float8_e5m2,
        "e2m3": ml_dtypes.float6_e2m3fn,
        "e3m2": ml_dtypes.float6_e3m2fn,
        "e2m1": ml_dtypes.float4_e2m1fn,
        "ue8m0": ml_dtypes.float8_e8m0fnu,
    }
    for name, kind in kinds.items():
        fmt = FORMATS[name]
        store = np.uint16 if fmt.bits == 16 else np.uint8
        for bits in range(1 << fmt.bits):
            theirs = np.array([bits], dtype=store).view(kind)[0].astype(np.float64)
            ours = fmt.decode(bits)
            if is_nan(ours):
                assert np.isnan(theirs), (name, bits)
            elif is_inf(ours):
                assert np.isinf(theirs) and (theirs < 0) == ours[1], (name, bits)
            else:
                assert F(float(theirs)) == signed(ours) and np.signbit(theirs) == ours[0], (name, bits)


if __name__ == "__main__":
    check()
    print("formats agree with numpy and ml_dtypes")
