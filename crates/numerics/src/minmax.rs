//! Minimum and maximum.
//!
//! Negative zero is less than positive zero. A NaN operand gives way to a number unless `propagate_nan` (`.NaN`); where the result is NaN it is the
//! format's one NaN, in double precision the first NaN operand made quiet. Source: PTX ISA 9.4, 9.7.3 and 9.7.4, min and max.

use crate::half::{Bf16, F16};
use crate::single::NAN_F32;

/// The smaller operand.
#[inline]
pub fn min_f32(a: f32, b: f32, propagate_nan: bool) -> f32 {
    choose_f32(a, b, key_f32(a) < key_f32(b), propagate_nan)
}

/// The larger operand.
#[inline]
pub fn max_f32(a: f32, b: f32, propagate_nan: bool) -> f32 {
    choose_f32(a, b, key_f32(a) > key_f32(b), propagate_nan)
}

/// The smaller operand.
#[inline]
pub fn min_f64(a: f64, b: f64, propagate_nan: bool) -> f64 {
    choose_f64(a, b, key_f64(a) < key_f64(b), propagate_nan)
}

/// The larger operand.
#[inline]
pub fn max_f64(a: f64, b: f64, propagate_nan: bool) -> f64 {
    choose_f64(a, b, key_f64(a) > key_f64(b), propagate_nan)
}

/// The smaller operand.
#[inline]
pub fn min_f16(a: F16, b: F16, propagate_nan: bool) -> F16 {
    F16(choose_u16(a.0, b.0, [a.is_nan(), b.is_nan()], key_u16(a.0) < key_u16(b.0), propagate_nan))
}

/// The larger operand.
#[inline]
pub fn max_f16(a: F16, b: F16, propagate_nan: bool) -> F16 {
    F16(choose_u16(a.0, b.0, [a.is_nan(), b.is_nan()], key_u16(a.0) > key_u16(b.0), propagate_nan))
}

/// The smaller operand.
#[inline]
pub fn min_bf16(a: Bf16, b: Bf16, propagate_nan: bool) -> Bf16 {
    Bf16(choose_u16(a.0, b.0, [a.is_nan(), b.is_nan()], key_u16(a.0) < key_u16(b.0), propagate_nan))
}

/// The larger operand.
#[inline]
pub fn max_bf16(a: Bf16, b: Bf16, propagate_nan: bool) -> Bf16 {
    Bf16(choose_u16(a.0, b.0, [a.is_nan(), b.is_nan()], key_u16(a.0) > key_u16(b.0), propagate_nan))
}

/// Integers in the order of the numbers: negative ones have their magnitude bits inverted.
#[inline]
fn key_f32(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    bits ^ (bits >> 31 & i32::MAX)
}

#[inline]
fn key_f64(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    bits ^ (bits >> 63 & i64::MAX)
}

#[inline]
fn key_u16(bits: u16) -> i16 {
    let bits = bits as i16;
    bits ^ (bits >> 15 & i16::MAX)
}

#[inline]
fn choose_f32(a: f32, b: f32, a_wins: bool, propagate_nan: bool) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        (false, false) => {
            if a_wins {
                a
            } else {
                b
            }
        }
        (true, false) if !propagate_nan => b,
        (false, true) if !propagate_nan => a,
        _ => NAN_F32,
    }
}

#[inline]
fn choose_f64(a: f64, b: f64, a_wins: bool, propagate_nan: bool) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (false, false) => {
            if a_wins {
                a
            } else {
                b
            }
        }
        (true, false) if !propagate_nan => b,
        (false, true) if !propagate_nan => a,
        (a_nan, _) => f64::from_bits((if a_nan { a } else { b }).to_bits() | 1 << 51),
    }
}

#[inline]
fn choose_u16(a: u16, b: u16, nan: [bool; 2], a_wins: bool, propagate_nan: bool) -> u16 {
    match nan {
        [false, false] => {
            if a_wins {
                a
            } else {
                b
            }
        }
        [true, false] if !propagate_nan => b,
        [false, true] if !propagate_nan => a,
        _ => 0x7fff,
    }
}
