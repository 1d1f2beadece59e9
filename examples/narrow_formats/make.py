"""By ml_dtypes, each value saturated beforehand. The floats cover the formats' ranges, ties and overflows."""

import ml_dtypes
import numpy as np
from reference import save

FORMATS = {
    "e4m3": (ml_dtypes.float8_e4m3fn, 8),
    "e5m2": (ml_dtypes.float8_e5m2, 8),
    "e2m3": (ml_dtypes.float6_e2m3fn, 6),
    "e3m2": (ml_dtypes.float6_e3m2fn, 6),
    "e2m1": (ml_dtypes.float4_e2m1fn, 4),
}


def widened(format, bits):
    """Every value as f16; a NaN is 0x7fff, as the kernel writes it."""
    codes = np.arange(2**bits, dtype=np.uint8)
    half = codes.view(format).astype(np.float32).astype(np.float16)
    return np.where(np.isnan(half), np.uint16(0x7FFF), half.view(np.uint16))


def narrowed(format, values):
    """The bits of each value, limited to the largest finite one."""
    largest = float(ml_dtypes.finfo(format).max)
    return np.clip(values, -largest, largest).astype(format).view(np.uint8)


generator = np.random.default_rng(36)
n = 250
values = (generator.normal(size=2 * n) * 2.0 ** generator.integers(-20, 18, 2 * n)).astype(np.float32)
steps = np.arange(-16, 17, dtype=np.float32)
values[: len(steps)] = steps / 8
values[33:66] = steps * np.float32(1.0625)
values[66:70] = [0.0, -0.0, np.inf, -np.inf]
pairs = {name: narrowed(format, values) for name, (format, _) in FORMATS.items()}
fours = pairs.pop("e2m1")

# e8m0 rounds up to a power of two: 2^(code - 127), from 2^-127, at most 2^127.
mantissa, exponent = np.frexp(np.abs(values).astype(np.float64))
code = np.where(mantissa == 0.5, exponent - 1, exponent) + 127
code = np.where(values == 0, 0, np.where(np.isinf(values), 254, np.clip(code, 0, 254)))
powers = (2.0 ** (np.arange(255) - 127.0)).astype(np.float32)
save(
    values=values,
    **{name + "_wide": widened(*format) for name, format in FORMATS.items()},
    ue8m0_wide=powers,
    **{name: bits.view(np.uint16) for name, bits in pairs.items()},
    e2m1=fours[::2] | fours[1::2] << 4,
    ue8m0=code.astype(np.uint8).view(np.uint16),
)
