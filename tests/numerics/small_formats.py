"""Expectations for the small number formats, from ml_dtypes.

Prints tests/numerics/small_formats.txt: for each format a 64-bit FNV-1a hash over the result bytes of
- from_f32: conversion of the singles whose upper half is 0 to 65535 and whose lower half is each of LOW, in this order
  (upper half slowest), NaN left out, for ue8m0 also what is not finite or below 2^-126;
- to_f32: the bits, little endian, of the singles that the encodings stand for, NaN left out;
- add, mul, div: of all pairs of encodings (first operand slowest) whose operands are not NaN, a NaN result counted as byte 255.

Usage: python small_formats.py > small_formats.txt   (needs ml_dtypes and numpy)
"""

import datetime
import sys

import ml_dtypes
import numpy as np

FORMATS = {
    "e4m3": (ml_dtypes.float8_e4m3fn, 8),
    "e5m2": (ml_dtypes.float8_e5m2, 8),
    "e4m3fnuz": (ml_dtypes.float8_e4m3fnuz, 8),
    "e5m2fnuz": (ml_dtypes.float8_e5m2fnuz, 8),
    "e2m3": (ml_dtypes.float6_e2m3fn, 6),
    "e3m2": (ml_dtypes.float6_e3m2fn, 6),
    "e2m1": (ml_dtypes.float4_e2m1fn, 4),
    "ue8m0": (ml_dtypes.float8_e8m0fnu, 8),
}
LOW = [0x0000, 0x0001, 0x7FFF, 0x8000, 0xFFFF]


def fnv(values):
    hash = 0xCBF29CE484222325
    for byte in bytes(values):
        hash = (hash ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return hash


def result_bytes(values):
    """Encodings of the values, NaN as 255."""
    return np.where(np.isnan(values.astype(np.float32)), np.uint8(255), values.view(np.uint8))


def inputs(name):
    high = np.arange(65536, dtype=np.uint32)[:, None] << 16
    values = (high | np.array(LOW, np.uint32)).ravel().view(np.float32)
    values = values[~np.isnan(values)]
    if name == "ue8m0":
        # ml_dtypes 0.6.0 rounds all between 2^-127 and 2^-126 up; CUDA's cuda_fp8.h to nearest.
        values = values[np.isfinite(values) & (values >= 2.0**-126)]
    return values


def main():
    np.seterr(all="ignore")
    print(f"# ml_dtypes {ml_dtypes.__version__}, numpy {np.__version__}, {datetime.date.today()}; made by small_formats.py")
    for name, (dtype, bits) in FORMATS.items():
        print(name, "from_f32", f"{fnv(result_bytes(inputs(name).astype(dtype))):016x}")
        encodings = np.arange(1 << bits, dtype=np.uint8).view(dtype)
        encodings = encodings[~np.isnan(encodings.astype(np.float32))]
        singles = encodings.astype(np.float32)
        print(name, "to_f32", f"{fnv(singles.view(np.uint8)):016x}")
        if name == "ue8m0":
            continue
        # In double precision sums and products are exact and quotients far from ties.
        a, b = singles.astype(np.float64)[:, None], singles.astype(np.float64)[None, :]
        for operation, result in [("add", a + b), ("mul", a * b), ("div", a / b)]:
            result = result.ravel()
            if bits < 8:
                # Without NaN and infinity there is nothing to compare a division by zero with.
                result = result[np.isfinite(result)]
            print(name, operation, f"{fnv(result_bytes(result.astype(dtype))):016x}")


if __name__ == "__main__":
    sys.exit(main())
