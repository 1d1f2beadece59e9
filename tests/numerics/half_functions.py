"""Expectations for the half-precision functions without a hardware model: correctly rounded by mpmath.

Prints a 64-bit FNV-1a hash over the results (little endian) for all encodings that are not NaN.

Usage: python half_functions.py >> special_functions.txt   (needs mpmath)
"""

import datetime
import struct

import mpmath
import numpy as np

mpmath.mp.prec = 120


def fnv(hash, value):
    for byte in (value & 0xFF, value >> 8):
        hash = (hash ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return hash


def single(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def rounded(x, sign, mantissa_bits, min_exponent):
    """Bits of x, a positive mpf or zero, rounded to nearest even, with a sign."""
    width = 16 - 1 - mantissa_bits
    field = 0
    if x > 0:
        exponent = max(int(mpmath.floor(mpmath.log(x, 2))), min_exponent)
        if mpmath.ldexp(1, exponent) > x and exponent > min_exponent:
            exponent -= 1
        units = int(mpmath.nint(mpmath.ldexp(x, mantissa_bits - exponent)))  # nint rounds ties to even
        field = ((exponent - min_exponent) << mantissa_bits) + units
        field = min(field, ((1 << width) - 1) << mantissa_bits)
    return sign << 15 | field


def main():
    print(f"# mpmath {mpmath.__version__}, {datetime.date.today()}; made by half_functions.py")
    for name, mantissa_bits, min_exponent, to_float in [
        ("f16", 10, -14, lambda b: float(np.uint16(b).view(np.float16))),
        ("bf16", 7, -126, lambda b: single(b << 16)),
    ]:
        infinity = 0x7C00 if name == "f16" else 0x7F80
        tanh = ex2 = 0xCBF29CE484222325
        for bits in range(65536):
            if bits & 0x7FFF > infinity:
                continue
            x = to_float(bits)
            magnitude = mpmath.mpf(1) if abs(x) > 100 else mpmath.tanh(abs(x))
            tanh = fnv(tanh, rounded(magnitude, bits >> 15, mantissa_bits, min_exponent))
            if x >= 128:
                result = infinity
            elif x < -200:
                result = 0
            else:
                result = rounded(mpmath.power(2, x), 0, mantissa_bits, min_exponent)
                if name == "bf16" and result < 0x0080:
                    result = 0  # .ftz
            ex2 = fnv(ex2, result)
        print(f"tanh.{name} {tanh:016x}")
        print(f"ex2.{name} {ex2:016x}")


if __name__ == "__main__":
    main()
