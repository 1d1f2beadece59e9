//! Arithmetic on operands of different precision: every operand counts exactly, the result is rounded once.
//!
//! PTX ISA 9.4, 9.7.5. Where the result is the narrower one the manual writes `convert(a + c)`, toward zero; to round the sum and
//! then the conversion toward zero is to round once. For products of f16 and bf16 pairs the manual has one factor converted first and
//! names no rounding; here nothing is lost before the product is rounded to nearest.

use crate::float::{self, Float};
use crate::{Function, lane};
use machine::lane::{Bf16x2, F16x2, F32x2, Pair};
use machine::row::{lane2, lane3};
use machine::{Lane, Mods};
use numerics::{Bf16, F16, PackOptions, Unpacked, exact};

/// A number that f32 holds exactly.
pub trait Narrow: Lane {
    /// As f32.
    fn wide(self) -> f32;
}

impl Narrow for F16 {
    #[inline(always)]
    fn wide(self) -> f32 {
        self.to_f32()
    }
}

impl Narrow for Bf16 {
    #[inline(always)]
    fn wide(self) -> f32 {
        self.to_f32()
    }
}

/// `a + c`.
#[inline(always)]
pub fn add<T: Narrow>(m: Mods, a: T, c: f32) -> f32 {
    float::add(m, a.wide(), c)
}

/// `a - c`.
#[inline(always)]
pub fn sub<T: Narrow>(m: Mods, a: T, c: f32) -> f32 {
    float::sub(m, a.wide(), c)
}

/// `a * b + c`, rounded once.
#[inline(always)]
pub fn fma<T: Narrow>(m: Mods, a: T, b: T, c: f32) -> f32 {
    float::fma(m, a.wide(), b.wide(), c)
}

/// `a * c`, of any two formats in a third.
#[inline(always)]
pub fn mul<D: Float, A: Float, C: Float>(m: Mods, a: A, c: C) -> D {
    narrowed(m, exact::mul(taken(m, a), taken(m, c)))
}

/// `a + c` in a narrower format.
#[inline(always)]
fn add_narrow<D: Float>(m: Mods, a: f32, c: f32) -> D {
    narrowed(m, exact::add(taken(m, a), taken(m, c), m.round))
}

/// `a - c` in a narrower format.
#[inline(always)]
fn sub_narrow<D: Float>(m: Mods, a: f32, c: f32) -> D {
    narrowed(m, exact::add(taken(m, a), taken(m, c).negated(), m.round))
}

/// An operand, flushed with `.ftz`, without loss.
#[inline(always)]
fn taken<T: Float>(m: Mods, a: T) -> Unpacked {
    float::unpacked(float::operand(m, a))
}

/// An exact result rounded once, and flushed with `.ftz`.
#[inline(always)]
fn narrowed<D: Float>(m: Mods, d: Unpacked) -> D {
    let options = PackOptions { flush_subnormals: m.flushes_results(), ..PackOptions::default() };
    D::from_bits(numerics::pack(D::FORMAT, &d, m.round, options).into())
}

/// `f` on both halves of two pairs of different types.
#[inline(always)]
fn halves2<D: Pair, A: Pair, C: Pair>(a: A, c: C, f: impl Fn(A::Half, C::Half) -> D::Half) -> D {
    let ([al, ah], [cl, ch]) = (a.halves(), c.halves());
    D::from_halves([f(al, cl), f(ah, ch)])
}

/// `f` on both halves of a pair and two of f32.
#[inline(always)]
fn halves3<A: Pair>(a: A, b: F32x2, c: F32x2, f: impl Fn(A::Half, f32, f32) -> f32) -> F32x2 {
    let ([al, ah], [bl, bh], [cl, ch]) = (a.halves(), b.halves(), c.halves());
    F32x2::from_halves([f(al, bl, cl), f(ah, bh, ch)])
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane(
        "mixed::add",
        &[
            lane2(add::<F16>),
            lane2(add::<Bf16>),
            lane2(|m, a: F16x2, c: F32x2| halves2::<F32x2, _, _>(a, c, |a, c| add(m, a, c))),
            lane2(|m, a: Bf16x2, c: F32x2| halves2::<F32x2, _, _>(a, c, |a, c| add(m, a, c))),
            lane2(|m, a: F32x2, c: F32x2| halves2::<F16x2, _, _>(a, c, |a, c| add_narrow(m, a, c))),
            lane2(|m, a: F32x2, c: F32x2| halves2::<Bf16x2, _, _>(a, c, |a, c| add_narrow(m, a, c))),
        ],
    ),
    lane(
        "mixed::sub",
        &[
            lane2(sub::<F16>),
            lane2(sub::<Bf16>),
            lane2(|m, a: F16x2, c: F32x2| halves2::<F32x2, _, _>(a, c, |a, c| sub(m, a, c))),
            lane2(|m, a: Bf16x2, c: F32x2| halves2::<F32x2, _, _>(a, c, |a, c| sub(m, a, c))),
            lane2(|m, a: F32x2, c: F32x2| halves2::<F16x2, _, _>(a, c, |a, c| sub_narrow(m, a, c))),
            lane2(|m, a: F32x2, c: F32x2| halves2::<Bf16x2, _, _>(a, c, |a, c| sub_narrow(m, a, c))),
        ],
    ),
    lane(
        "mixed::fma",
        &[
            lane3(fma::<F16>),
            lane3(fma::<Bf16>),
            lane3(|m, a: F16x2, b: F32x2, c: F32x2| halves3(a, b, c, |a, b, c| float::fma(m, a.wide(), b, c))),
            lane3(|m, a: Bf16x2, b: F32x2, c: F32x2| halves3(a, b, c, |a, b, c| float::fma(m, a.wide(), b, c))),
        ],
    ),
    lane(
        "mixed::mul",
        &[
            lane2(|m, a: F32x2, c: F32x2| halves2::<F16x2, _, _>(a, c, |a, c| mul(m, a, c))),
            lane2(|m, a: F32x2, c: F32x2| halves2::<Bf16x2, _, _>(a, c, |a, c| mul(m, a, c))),
            lane2(|m, a: Bf16x2, c: F16x2| halves2::<Bf16x2, _, _>(a, c, |a, c| mul(m, a, c))),
            lane2(|m, a: F16x2, c: Bf16x2| halves2::<F16x2, _, _>(a, c, |a, c| mul(m, a, c))),
        ],
    ),
];
