//! Single-precision arithmetic in all rounding directions, without touching the host's rounding mode.
//!
//! To nearest the host does it. In the other directions everything goes through double precision: there the product of two singles is exact
//! (48 bits); a sum is rounded to odd (inexact results get an odd last bit, so that a second rounding to 24 bits, two or more fewer, is
//! right: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008); and a quotient or root of singles that is not itself a
//! single differs from every single by more than one part in 2^50, so rounding it to 53 bits does not move it across or onto one.
//! No single-precision result over- or underflows in double precision.
//!
//! Every NaN result is 0x7fffffff. The manual leaves the NaN open ("unspecified"); hardware delivers this one.

use std::hint::select_unpredictable as select;

use crate::rounding::Rounding;

/// The NaN that single-precision instructions deliver.
pub const NAN_F32: f32 = f32::from_bits(0x7fff_ffff);

/// `x`, or the one NaN if it is any NaN.
#[inline(always)]
pub fn canonical_f32(x: f32) -> f32 {
    // On bits: the optimiser may take one NaN for another, and did where `x` is a square root.
    let bits = x.to_bits();
    f32::from_bits(select(bits & 0x7fff_ffff > 0x7f80_0000, NAN_F32.to_bits(), bits))
}

/// `x`, or zero of its sign if it is subnormal (`.ftz`).
#[inline(always)]
pub fn flush_f32(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(select(bits & 0x7f80_0000 == 0, bits & 0x8000_0000, bits))
}

/// `a + b`.
#[inline(always)]
pub fn add_f32(a: f32, b: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::NearestEven {
        return canonical_f32(a + b);
    }
    f32_from_f64(add_directed(a as f64, b as f64, rounding), rounding)
}

/// `a - b`.
#[inline(always)]
pub fn sub_f32(a: f32, b: f32, rounding: Rounding) -> f32 {
    add_f32(a, -b, rounding)
}

/// `a * b`.
#[inline(always)]
pub fn mul_f32(a: f32, b: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::NearestEven {
        return canonical_f32(a * b);
    }
    f32_from_f64(a as f64 * b as f64, rounding)
}

/// `a * b + c`, rounded once.
#[inline(always)]
pub fn fma_f32(a: f32, b: f32, c: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::NearestEven {
        return canonical_f32(a.mul_add(b, c));
    }
    f32_from_f64(add_directed(a as f64 * b as f64, c as f64, rounding), rounding)
}

/// `a / b`.
#[inline(always)]
pub fn div_f32(a: f32, b: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::NearestEven {
        return canonical_f32(a / b);
    }
    f32_from_f64(a as f64 / b as f64, rounding)
}

/// The square root of `a`.
#[inline(always)]
pub fn sqrt_f32(a: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::NearestEven {
        return canonical_f32(a.sqrt());
    }
    f32_from_f64((a as f64).sqrt(), rounding)
}

/// `x` rounded to single precision.
#[inline(always)]
pub fn f32_from_f64(x: f64, rounding: Rounding) -> f32 {
    let nearest = x as f32;
    let (wide, bits) = (nearest as f64, nearest.to_bits());
    let negative = nearest.is_sign_negative();
    // One unit toward where the number is and the rounding may go; infinity counts as one above the largest number.
    let inward = rounding == Rounding::TowardZero;
    let down = (rounding == Rounding::Down) | (inward & !negative);
    let up = (rounding == Rounding::Up) | (inward & negative);
    let step = (up & (wide < x)) as i32 - (down & (wide > x)) as i32;
    let outward = select(negative, -step, step);
    let outward = if rounding == Rounding::NearestAway { tie_went_inward(x, nearest) as i32 } else { outward };
    canonical_f32(f32::from_bits(bits.wrapping_add_signed(outward)))
}

/// Whether rounding `x` to nearest even was a tie and gave the neighbour closer to zero.
fn tie_went_inward(x: f64, nearest: f32) -> bool {
    let away = f32::from_bits(nearest.to_bits().wrapping_add(1));
    // Distances of a double to its neighbouring singles are exact; a tie has two equal ones.
    x.is_finite() && x != nearest as f64 && (x - nearest as f64).abs() == (away as f64 - x).abs()
}

/// [`add_to_odd`] with the sign of an exact zero: rounding down, a sum of operands not both positive is negative zero (IEEE 754, 6.3).
#[inline(always)]
fn add_directed(a: f64, b: f64, rounding: Rounding) -> f64 {
    let sum = add_to_odd(a, b);
    let negative_zero = (sum == 0.0) & (rounding == Rounding::Down) & (a.is_sign_negative() | b.is_sign_negative());
    select(negative_zero, -0.0, sum)
}

/// `a + b` rounded to odd: exact, or the neighbour with an odd last bit. For sums that don't overflow.
#[inline(always)]
pub(crate) fn add_to_odd(a: f64, b: f64) -> f64 {
    let (sum, error) = two_sum(a, b);
    let bits = sum.to_bits();
    // An even inexact sum moves one unit toward the error. NaN (from infinities) compares unequal to zero: leave those alone.
    let inexact = (error != 0.0) & sum.is_finite();
    let outward = (error > 0.0) == (sum > 0.0);
    let adjust = inexact & (bits & 1 == 0);
    f64::from_bits(bits.wrapping_add(select(adjust, select(outward, 1, u64::MAX), 0)))
}

/// The sum rounded to nearest and its exact error (Knuth), if nothing overflows.
#[inline(always)]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (sum, (a - a_part) + (b - b_part))
}
