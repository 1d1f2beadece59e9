//! Floating-point arithmetic that keeps the payloads of NaNs, as AMD's does: the first operand that is NaN is the result, made quiet.
//!
//! The numbers are those of [`crate::float`]; only NaNs differ, where PTX has canonical ones. An operation on numbers that has no result gives the
//! positive quiet NaN without payload. AMD's ISA guides, chapters on floating-point modes and on NaN.

use crate::float::{self, Float};
use crate::{Function, lane};
use machine::lane::F16x2;
use machine::row::{lane2, lane3};
use machine::{Int, Mods};
use numerics::{Bf16, F16};

/// The bit that makes a NaN a quiet one.
#[inline(always)]
fn quiet<T: Float>() -> T::Bits {
    T::NORMAL.shr(1)
}

/// `result` unless an operand is NaN.
#[inline(always)]
fn keep<T: Float, const N: usize>(result: T, operands: [T; N]) -> T {
    let none = T::number(T::INFINITY.or(quiet::<T>()));
    let own = T::select(result.is_nan(), none, result);
    operands.into_iter().rev().fold(own, |kept, x| T::select(x.is_nan(), T::number(x.bits().or(quiet::<T>())), kept))
}

/// `a + b`.
#[inline(always)]
pub fn add<T: Float>(m: Mods, a: T, b: T) -> T {
    keep(float::add(m, a, b), [a, b])
}

/// `a - b`.
#[inline(always)]
pub fn sub<T: Float>(m: Mods, a: T, b: T) -> T {
    keep(float::sub(m, a, b), [a, b])
}

/// `a * b`.
#[inline(always)]
pub fn mul<T: Float>(m: Mods, a: T, b: T) -> T {
    keep(float::mul(m, a, b), [a, b])
}

/// `a * b + c`, rounded once.
#[inline(always)]
pub fn fma<T: Float>(m: Mods, a: T, b: T, c: T) -> T {
    keep(float::fma(m, a, b, c), [a, b, c])
}

/// `fma` of each half.
fn fma_halves(m: Mods, a: F16x2, b: F16x2, c: F16x2) -> F16x2 {
    let ([al, ah], [bl, bh], [cl, ch]) = (a.halves(), b.halves(), c.halves());
    F16x2::from_halves([fma(m, al, bl, cl), fma(m, ah, bh, ch)])
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane(
        "ieee::add",
        &[
            lane2(add::<f32>),
            lane2(add::<f64>),
            lane2(add::<F16>),
            lane2(add::<Bf16>),
            lane2(|m, a: F16x2, b: F16x2| a.map2(b, |a, b| add(m, a, b))),
        ],
    ),
    lane("ieee::sub", &[lane2(sub::<f32>), lane2(sub::<f64>), lane2(sub::<F16>)]),
    lane(
        "ieee::mul",
        &[
            lane2(mul::<f32>),
            lane2(mul::<f64>),
            lane2(mul::<F16>),
            lane2(mul::<Bf16>),
            lane2(|m, a: F16x2, b: F16x2| a.map2(b, |a, b| mul(m, a, b))),
        ],
    ),
    lane("ieee::fma", &[lane3(fma::<f32>), lane3(fma::<f64>), lane3(fma::<F16>), lane3(fma::<Bf16>), lane3(fma_halves)]),
];
