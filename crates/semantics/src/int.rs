//! Integer arithmetic of one lane: wrap-around unless a function's name or settings say otherwise.
//!
//! PTX ISA 9.4, 9.7.1; the same functions serve AMD's vector integer instructions.

use crate::{Function, each, lane};
use machine::row::{lane1, lane2, lane3};
use machine::{Int, Mods};

/// `a + b`; clamped to the type's range with `.sat`.
#[inline(always)]
pub fn add<T: Int>(m: Mods, a: T, b: T) -> T {
    if m.sat() { a.add_sat(b) } else { a.add(b) }
}

/// `a - b`; clamped to the type's range with `.sat`.
#[inline(always)]
pub fn sub<T: Int>(m: Mods, a: T, b: T) -> T {
    if m.sat() { a.sub_sat(b) } else { a.sub(b) }
}

/// The low half of `a * b`.
#[inline(always)]
pub fn mul_lo<T: Int>(_: Mods, a: T, b: T) -> T {
    a.mul(b)
}

/// The high half of `a * b`.
#[inline(always)]
pub fn mul_hi<T: Int>(_: Mods, a: T, b: T) -> T {
    a.mul_hi(b)
}

/// `a * b` in full, twice as wide.
#[inline(always)]
pub fn mul_wide<T: Int>(_: Mods, a: T, b: T) -> T::Wide {
    a.widen().mul(b.widen())
}

/// The low half of `a * b`, plus `c`.
#[inline(always)]
pub fn mad_lo<T: Int>(_: Mods, a: T, b: T, c: T) -> T {
    a.mul(b).add(c)
}

/// `a * b` in full, twice as wide, plus `c`.
#[inline(always)]
pub fn mad_wide<T: Int>(_: Mods, a: T, b: T, c: T::Wide) -> T::Wide {
    a.widen().mul(b.widen()).add(c)
}

/// The absolute value; the least negative number stays as it is.
#[inline(always)]
pub fn abs<T: Int>(_: Mods, a: T) -> T {
    T::select(a.lt(T::int(0)), a.neg(), a)
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("int::add", each!(lane2(add): u16 u32 u64 i16 i32 i64)),
    lane("int::sub", each!(lane2(sub): u16 u32 u64 i16 i32 i64)),
    lane("int::mul_lo", each!(lane2(mul_lo): u16 u32 u64 i16 i32 i64)),
    lane("int::mul_hi", each!(lane2(mul_hi): u16 u32 u64 i16 i32 i64)),
    lane("int::mul_wide", each!(lane2(mul_wide): u16 u32 i16 i32)),
    lane("int::mad_lo", each!(lane3(mad_lo): u16 u32 u64 i16 i32 i64)),
    lane("int::mad_wide", each!(lane3(mad_wide): u16 u32 i16 i32)),
    lane("int::abs", each!(lane1(abs): i16 i32 i64)),
];
