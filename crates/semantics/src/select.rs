//! Selection of one of two values.
//!
//! PTX ISA 9.4, 9.7.7.3 and 9.7.7.4.

use crate::{Function, each, lane};
use machine::row::{lane3, rare3};
use machine::{Lane, Mods};
use numerics::flush_f32;

/// `a` if `c` is true, else `b`.
#[inline(always)]
pub fn selp<T: Lane<Mask = bool>>(_: Mods, a: T, b: T, c: bool) -> T {
    T::select(c, a, b)
}

/// A number whose sign selects.
pub trait Sign: Copy {
    /// Whether it is zero, of either sign, or above; a NaN is not. With `.ftz` subnormal numbers count as zero.
    fn at_least_zero(self, m: Mods) -> bool;
}
impl Sign for i32 {
    #[inline(always)]
    fn at_least_zero(self, _: Mods) -> bool {
        self >= 0
    }
}
impl Sign for f32 {
    #[inline(always)]
    fn at_least_zero(self, m: Mods) -> bool {
        (if m.ftz() { flush_f32(self) } else { self }) >= 0.0
    }
}

/// `a` if `c >= 0`, else `b`.
#[inline(always)]
pub fn slct<T: Lane<Mask = bool>, C: Sign>(m: Mods, a: T, b: T, c: C) -> T {
    T::select(c.at_least_zero(m), a, b)
}

#[inline(always)]
fn slct_integer<T: Lane<Mask = bool>>(m: Mods, a: T, b: T, c: i32) -> T {
    slct(m, a, b, c)
}

#[inline(always)]
fn slct_float<T: Lane<Mask = bool>>(m: Mods, a: T, b: T, c: f32) -> T {
    slct(m, a, b, c)
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("select::selp", each!(lane3(selp): u16 u32 u64 i16 i32 i64 f32 f64)),
    lane(
        "select::slct",
        each!(rare3(slct_integer): u16 u32 u64 i16 i32 i64 f32 f64; rare3(slct_float): u16 u32 u64 i16 i32 i64 f32 f64),
    ),
];
