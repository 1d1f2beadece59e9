//! Double-precision arithmetic in all rounding directions, without touching the host's rounding mode.
//!
//! To nearest the host does it. In the other directions the host's result is corrected by one unit where the exact error term (the
//! TwoSum error, the fma residual of product, quotient or root) says so; where such a term could itself over- or underflow, and for
//! every directed fma, the integers of [`crate::exact`] decide.
//!
//! NaN: the manual says that payloads are supported and no more (PTX ISA 9.4, 9.7.3). Here the first NaN operand in the order written,
//! made quiet, is the result; a NaN from numbers (infinity minus infinity) is 0xfff8000000000000, as CUDA's math_constants.h has it.

use std::hint::select_unpredictable as select;

use crate::exact;
use crate::format::{Format, PackOptions, Unpacked, pack, unpack};
use crate::rounding::Rounding;
use crate::single::two_sum;

/// The NaN that an operation on numbers delivers.
pub const NAN_F64: f64 = f64::from_bits(0xfff8_0000_0000_0000);

const QUIET: u64 = 1 << 51;

/// `a + b`.
#[inline(always)]
pub fn add_f64(a: f64, b: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::NearestEven { settled(a + b, [a, b]) } else { add_directed(a, b, rounding) }
}

/// `a - b`.
#[inline(always)]
pub fn sub_f64(a: f64, b: f64, rounding: Rounding) -> f64 {
    // A NaN keeps its sign.
    add_f64(a, select(b.is_nan(), b, -b), rounding)
}

/// `a * b`.
#[inline(always)]
pub fn mul_f64(a: f64, b: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::NearestEven { settled(a * b, [a, b]) } else { mul_directed(a, b, rounding) }
}

/// `a * b + c`, rounded once.
#[inline(always)]
pub fn fma_f64(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::NearestEven { settled(a.mul_add(b, c), [a, b, c]) } else { fma_directed(a, b, c, rounding) }
}

/// `a / b`.
#[inline(always)]
pub fn div_f64(a: f64, b: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::NearestEven { settled(a / b, [a, b]) } else { div_directed(a, b, rounding) }
}

/// The square root of `a`.
#[inline(always)]
pub fn sqrt_f64(a: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::NearestEven { settled(a.sqrt(), [a]) } else { sqrt_directed(a, rounding) }
}

/// The result, or, where it is NaN, the first NaN of the operands made quiet, else the default NaN.
#[inline(always)]
fn settled<const N: usize>(result: f64, operands: [f64; N]) -> f64 {
    // On bits: the optimiser may take one NaN for another.
    let is_nan = |bits: u64| bits & (u64::MAX >> 1) > f64::INFINITY.to_bits();
    let operands = operands.into_iter().rev().map(f64::to_bits);
    let nan = operands.fold(NAN_F64.to_bits(), |nan, x| select(is_nan(x), x | QUIET, nan));
    let result = result.to_bits();
    f64::from_bits(select(is_nan(result), nan, result))
}

#[inline(never)]
fn add_directed(a: f64, b: f64, rounding: Rounding) -> f64 {
    let nearest = a + b;
    if nearest.is_nan() {
        return settled(nearest, [a, b]);
    }
    if exponent(a).max(exponent(b)) > 2044 || nearest == 0.0 {
        return rounded(exact::add(number(a), number(b), rounding), rounding);
    }
    corrected(nearest, two_sum(a, b).1, rounding, || exact::add(number(a), number(b), rounding))
}

#[inline(never)]
fn mul_directed(a: f64, b: f64, rounding: Rounding) -> f64 {
    let nearest = a * b;
    if nearest.is_nan() {
        return settled(nearest, [a, b]);
    }
    if !safe(nearest) || !safe(a) || !safe(b) {
        return rounded(exact::mul(number(a), number(b)), rounding);
    }
    corrected(nearest, a.mul_add(b, -nearest), rounding, || exact::mul(number(a), number(b)))
}

#[inline(never)]
fn fma_directed(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    if a.is_nan() || b.is_nan() || c.is_nan() {
        return settled(NAN_F64, [a, b, c]);
    }
    rounded(exact::fma(number(a), number(b), number(c), rounding), rounding)
}

#[inline(never)]
fn div_directed(a: f64, b: f64, rounding: Rounding) -> f64 {
    let nearest = a / b;
    if nearest.is_nan() {
        return settled(nearest, [a, b]);
    }
    if !safe(nearest) || !safe(a) || !safe(b) {
        return rounded(exact::div(number(a), number(b)), rounding);
    }
    // The remainder is exact; over a positive divisor it has the sign of the error.
    let remainder = (-nearest).mul_add(b, a);
    let error = if b < 0.0 { -remainder } else { remainder };
    corrected(nearest, error, rounding, || exact::div(number(a), number(b)))
}

#[inline(never)]
fn sqrt_directed(a: f64, rounding: Rounding) -> f64 {
    let nearest = a.sqrt();
    if nearest.is_nan() {
        return settled(nearest, [a]);
    }
    if !safe(a) {
        return rounded(exact::sqrt(number(a)), rounding);
    }
    corrected(nearest, (-nearest).mul_add(nearest, a), rounding, || exact::sqrt(number(a)))
}

#[inline]
fn exponent(x: f64) -> u64 {
    x.to_bits() >> 52 & 0x7ff
}

/// Whether error terms of products, quotients and roots with this operand or result are exact: not zero, infinite or NaN, and its last
/// bit far enough above the smallest subnormal and its first far enough below overflow.
#[inline]
fn safe(x: f64) -> bool {
    (1 + 256..2046 - 256).contains(&exponent(x))
}

#[inline]
fn number(x: f64) -> Unpacked {
    unpack(&Format::F64, x.to_bits())
}

fn rounded(x: Unpacked, rounding: Rounding) -> f64 {
    f64::from_bits(pack(&Format::F64, &x, rounding, PackOptions::default()))
}

/// The result in the given direction, from the nearest one and the sign of what it lacks.
#[inline]
fn corrected(nearest: f64, error: f64, rounding: Rounding, exactly: impl FnOnce() -> Unpacked) -> f64 {
    let negative = nearest < 0.0;
    let step: i64 = match rounding {
        Rounding::NearestEven => 0,
        Rounding::NearestAway => return rounded(exactly(), rounding),
        Rounding::TowardZero => -((if negative { error > 0.0 } else { error < 0.0 }) as i64),
        Rounding::Down => ((error < 0.0) as i64) * (if negative { 1 } else { -1 }),
        Rounding::Up => ((error > 0.0) as i64) * (if negative { -1 } else { 1 }),
    };
    f64::from_bits(nearest.to_bits().wrapping_add_signed(step))
}
