//! Arithmetic on [`Unpacked`] numbers without intermediate rounding: the reference for every format, and the path where error
//! terms of the fast functions could under- or overflow.
//!
//! Results are exact or carry a sticky bit (see [`Unpacked`]), so `pack` rounds once. Operands must be exact, with significands
//! of at most 64 bits.

use crate::format::{Class, Unpacked};
use crate::rounding::Rounding;

/// Bit to which operands of an addition are normalised: a carry still fits.
const TOP: i32 = 125;

/// `a + b`. The rounding decides only the sign of an exact zero: negative if rounding down.
#[inline]
pub fn add(a: Unpacked, b: Unpacked, rounding: Rounding) -> Unpacked {
    use Class::*;
    match (a.class, b.class) {
        (Nan, _) | (_, Nan) => Unpacked::NAN,
        (Infinite, Infinite) if a.sign != b.sign => Unpacked::NAN,
        (Infinite, _) => a,
        (_, Infinite) => b,
        (Zero, Zero) if a.sign == b.sign => a,
        (Zero, Zero) => Unpacked::zero(rounding == Rounding::Down),
        (Zero, Finite) => b,
        (Finite, Zero) => a,
        (Finite, Finite) => add_finite(a, b, rounding),
    }
}

fn add_finite(a: Unpacked, b: Unpacked, rounding: Rounding) -> Unpacked {
    let (a, b) = (normalised(a), normalised(b));
    let (large, small) = if (a.exponent, a.significand) >= (b.exponent, b.significand) { (a, b) } else { (b, a) };
    let aligned = shift_right_sticky(small.significand, (large.exponent - small.exponent) as u32);
    if a.sign == b.sign {
        return Unpacked::finite(large.sign, large.exponent, large.significand + aligned);
    }
    // If a bit was lost the operands are so far apart that at most one leading bit cancels.
    match large.significand - aligned {
        0 => Unpacked::zero(rounding == Rounding::Down),
        difference => Unpacked::finite(large.sign, large.exponent, difference),
    }
}

/// `a * b`.
#[inline]
pub fn mul(a: Unpacked, b: Unpacked) -> Unpacked {
    use Class::*;
    let sign = a.sign != b.sign;
    match (a.class, b.class) {
        (Nan, _) | (_, Nan) | (Infinite, Zero) | (Zero, Infinite) => Unpacked::NAN,
        (Infinite, _) | (_, Infinite) => Unpacked::infinity(sign),
        (Zero, _) | (_, Zero) => Unpacked::zero(sign),
        (Finite, Finite) => Unpacked::finite(sign, a.exponent + b.exponent, a.significand * b.significand),
    }
}

/// `a * b + c`, for the product of at most 126 bits.
#[inline]
pub fn fma(a: Unpacked, b: Unpacked, c: Unpacked, rounding: Rounding) -> Unpacked {
    add(mul(a, b), c, rounding)
}

/// `a / b`.
#[inline]
pub fn div(a: Unpacked, b: Unpacked) -> Unpacked {
    use Class::*;
    let sign = a.sign != b.sign;
    match (a.class, b.class) {
        (Nan, _) | (_, Nan) | (Infinite, Infinite) | (Zero, Zero) => Unpacked::NAN,
        (Infinite, _) | (_, Zero) => Unpacked::infinity(sign),
        (Zero, _) | (_, Infinite) => Unpacked::zero(sign),
        (Finite, Finite) => {
            let up = a.significand.leading_zeros();
            let (dividend, divisor) = (a.significand << up, b.significand);
            let quotient = dividend / divisor;
            let inexact = (quotient * divisor != dividend) as u128;
            Unpacked::finite(sign, a.exponent - up as i32 - b.exponent, quotient | inexact)
        }
    }
}

/// The square root; NaN for negative numbers, the operand itself for zeros.
#[inline]
pub fn sqrt(a: Unpacked) -> Unpacked {
    match a.class {
        Class::Zero => a,
        Class::Nan => Unpacked::NAN,
        _ if a.sign => Unpacked::NAN,
        Class::Infinite => a,
        Class::Finite => {
            let mut up = a.significand.leading_zeros();
            up -= (a.exponent - up as i32) as u32 & 1;
            let (radicand, exponent) = (a.significand << up, a.exponent - up as i32);
            let root = radicand.isqrt();
            let inexact = (root * root != radicand) as u128;
            Unpacked::finite(false, exponent / 2 - 1, root << 1 | inexact)
        }
    }
}

/// The same number with the highest set bit at [`TOP`].
#[inline]
fn normalised(a: Unpacked) -> Unpacked {
    let up = TOP - (127 - a.significand.leading_zeros() as i32);
    debug_assert!(up >= 0);
    Unpacked { significand: a.significand << up, exponent: a.exponent - up, ..a }
}

/// `significand >> shift`, with bit 0 set if anything was lost.
#[inline]
fn shift_right_sticky(significand: u128, shift: u32) -> u128 {
    if shift >= 128 {
        return (significand != 0) as u128;
    }
    let shifted = significand >> shift;
    shifted | (shifted << shift != significand) as u128
}
