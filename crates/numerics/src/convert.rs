//! Conversions between formats and to and from integers, with the choices of PTX's cvt.
//!
//! Source: PTX ISA 9.4, 9.7.10.24 (cvt). Where the manual leaves a choice: `.sat` and `.relu` turn negative zero into positive zero, like
//! other negative numbers; a NaN widened to double precision keeps sign and payload and becomes quiet (payloads "are supported" there), every
//! other NaN becomes the destination format's one NaN.

use crate::format::{Class, Format, PackOptions, Unpacked, pack, round_to_integer, unpack};
use crate::half::{Bf16, F16};
use crate::rounding::Rounding;
use crate::single::canonical_f32;

/// A two's complement or unsigned integer type of 8 to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// Width.
    pub bits: u32,
    /// Two's complement if true.
    pub signed: bool,
}

impl Integer {
    /// The smallest value.
    #[inline]
    pub const fn min(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    /// The largest value.
    #[inline]
    pub const fn max(self) -> i128 {
        (1 << (self.bits - self.signed as u32)) - 1
    }
}

/// One format to another, rounded once. For `f32` to [`F16`] and [`Bf16`] to nearest there are faster functions on those types.
#[inline]
pub fn convert(from: &Format, to: &Format, bits: u64, rounding: Rounding, options: PackOptions) -> u64 {
    let value = unpack(from, bits);
    if value.class == Class::Nan && *to == Format::F64 && !options.saturate_unit {
        return widen_nan(from, bits);
    }
    pack(to, &value, rounding, options)
}

/// Sign and payload of a NaN in the upper bits of a quiet double-precision one.
fn widen_nan(from: &Format, bits: u64) -> u64 {
    let bits = bits >> from.padding;
    let sign = (from.signed as u64 & bits >> from.magnitude_bits()) << 63;
    let payload = bits << (52 - from.mantissa_bits) & ((1 << 52) - 1);
    sign | 0x7ff8 << 48 | payload
}

/// An integer to a format, rounded once.
pub fn integer_to_float(value: i128, to: &Format, rounding: Rounding, options: PackOptions) -> u64 {
    pack(to, &Unpacked::integer(value), rounding, options)
}

/// `x` rounded to an integral value; a NaN becomes [`crate::NAN_F32`].
#[inline]
pub fn integral_f32(x: f32, rounding: Rounding) -> f32 {
    canonical_f32(match rounding {
        Rounding::NearestEven => x.round_ties_even(),
        Rounding::NearestAway => x.round(),
        Rounding::TowardZero => x.trunc(),
        Rounding::Down => x.floor(),
        Rounding::Up => x.ceil(),
    })
}

/// `x` rounded to an integral value; a NaN keeps its payload and becomes quiet.
#[inline]
pub fn integral_f64(x: f64, rounding: Rounding) -> f64 {
    if x.is_nan() {
        return f64::from_bits(x.to_bits() | 1 << 51);
    }
    match rounding {
        Rounding::NearestEven => x.round_ties_even(),
        Rounding::NearestAway => x.round(),
        Rounding::TowardZero => x.trunc(),
        Rounding::Down => x.floor(),
        Rounding::Up => x.ceil(),
    }
}

/// `x` rounded to an integral value, exact in half precision; a NaN becomes [`F16::NAN`].
#[inline]
pub fn integral_f16(x: F16, rounding: Rounding) -> F16 {
    F16::from_f32(integral_f32(x.to_f32(), rounding))
}

/// `x` rounded to an integral value, exact in bfloat16; a NaN becomes [`Bf16::NAN`].
#[inline]
pub fn integral_bf16(x: Bf16, rounding: Rounding) -> Bf16 {
    Bf16::from_f32(integral_f32(x.to_f32(), rounding))
}

/// The number that an `s2f6` stands for: two's complement with six bits after the point (PTX ISA 9.4, 5.2.4).
pub fn unpack_s2f6(bits: u8) -> Unpacked {
    let value = bits as i8;
    Unpacked::finite(value < 0, -6, value.unsigned_abs() as u128)
}

/// A number rounded to `s2f6` and limited to its range; NaN becomes the largest value (PTX ISA 9.4, cvt, `.satfinite`), with `relu` negative
/// numbers become zero.
pub fn pack_s2f6(value: &Unpacked, rounding: Rounding, relu: bool) -> u8 {
    if value.class == Class::Nan {
        return 0x7f;
    }
    let smallest = if relu { 0 } else { -128 };
    round_to_integer(&value.scaled(6), rounding).clamp(smallest, 127) as u8
}
