//! Integer arithmetic of one lane: wrap-around unless a function's name or settings say otherwise.
//!
//! PTX ISA 9.4, 9.7.1; the same functions serve AMD's vector integer instructions. A packed type runs the function of its
//! items on each of them.

use crate::{Function, each, lane};
use machine::lane::{Packed, S8x4, S16x2, U8x4, U16x2};
use machine::row::{lane1, lane2, lane3, rare2};
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

/// The high half of `a * b`, plus `c`; the sum clamped to the type's range with `.sat`.
#[inline(always)]
pub fn mad_hi<T: Int>(m: Mods, a: T, b: T, c: T) -> T {
    add(m, a.mul_hi(b), c)
}

/// `a * b` in full, twice as wide, plus `c`.
#[inline(always)]
pub fn mad_wide<T: Int>(_: Mods, a: T, b: T, c: T::Wide) -> T::Wide {
    a.widen().mul(b.widen()).add(c)
}

/// The low half of the product of `a` and `b` as polynomials over GF(2), plus `c`: sums are exclusive or.
#[inline(always)]
pub fn clmad_lo(_: Mods, a: u64, b: u64, c: u64) -> u64 {
    carryless_product(a, b) as u64 ^ c
}

/// The high half of the product of `a` and `b` as polynomials over GF(2), plus `c`: sums are exclusive or.
#[inline(always)]
pub fn clmad_hi(_: Mods, a: u64, b: u64, c: u64) -> u64 {
    (carryless_product(a, b) >> 64) as u64 ^ c
}

#[inline(always)]
fn carryless_product(a: u64, b: u64) -> u128 {
    (0..64).fold(0, |sum, i| sum ^ (u128::from((a >> i) & 1) * (u128::from(b) << i)))
}

/// Bits 31..0 of the product of the low 24 bits of `a` and `b`.
#[inline(always)]
pub fn mul24_lo<T: Int>(_: Mods, a: T, b: T) -> T {
    low24(a).mul(low24(b))
}

/// Bits 47..16 of the product of the low 24 bits of `a` and `b`.
#[inline(always)]
pub fn mul24_hi<T: Int>(_: Mods, a: T, b: T) -> T {
    let (low, high) = (low24(a).mul(low24(b)), low24(a).mul_hi(low24(b)));
    T::from_unsigned(low.unsigned().shr(16)).or(high.shl(16))
}

/// Bits 31..0 of the product of the low 24 bits of `a` and `b`, plus `c`.
#[inline(always)]
pub fn mad24_lo<T: Int>(m: Mods, a: T, b: T, c: T) -> T {
    mul24_lo(m, a, b).add(c)
}

/// Bits 47..16 of the product of the low 24 bits of `a` and `b`, plus `c`; the sum clamped to the type's range with `.sat`.
#[inline(always)]
pub fn mad24_hi<T: Int>(m: Mods, a: T, b: T, c: T) -> T {
    add(m, mul24_hi(m, a, b), c)
}

/// Bits 23..0, zero- or sign-extended.
#[inline(always)]
fn low24<T: Int>(a: T) -> T {
    a.shl(8).shr(8)
}

/// `c` plus the distance of `a` and `b`.
#[inline(always)]
pub fn sad<T: Int>(_: Mods, a: T, b: T, c: T) -> T {
    c.add(T::select(a.lt(b), b.sub(a), a.sub(b)))
}

/// `a / b` rounded towards zero; all bits one for a zero divisor.
#[inline(always)]
pub fn div<T: Int>(_: Mods, a: T, b: T) -> T {
    a.div(b)
}

/// What `a / b` leaves, with the sign of `a`; all bits one for a zero divisor.
#[inline(always)]
pub fn rem<T: Int>(_: Mods, a: T, b: T) -> T {
    a.rem(b)
}

/// The absolute value; the least negative number stays as it is.
#[inline(always)]
pub fn abs<T: Int>(_: Mods, a: T) -> T {
    T::select(a.lt(T::int(0)), a.neg(), a)
}

/// The negation; the least negative number stays as it is.
#[inline(always)]
pub fn neg<T: Int>(_: Mods, a: T) -> T {
    a.neg()
}

/// The lesser; zero instead of a negative result with `.relu`.
#[inline(always)]
pub fn min<T: Int>(m: Mods, a: T, b: T) -> T {
    relu(m, a.lesser(b))
}

/// The greater; zero instead of a negative result with `.relu`.
#[inline(always)]
pub fn max<T: Int>(m: Mods, a: T, b: T) -> T {
    relu(m, a.greater(b))
}

#[inline(always)]
fn relu<T: Int>(m: Mods, a: T) -> T {
    if m.relu() { a.greater(T::int(0)) } else { a }
}

#[inline(always)]
fn packed_add<P: Packed>(m: Mods, a: P, b: P) -> P {
    a.zip(b, |a, b| add(m, a, b))
}

#[inline(always)]
fn packed_sub<P: Packed>(m: Mods, a: P, b: P) -> P {
    a.zip(b, |a, b| sub(m, a, b))
}

#[inline(always)]
fn packed_neg<P: Packed>(m: Mods, a: P) -> P {
    a.each(|a| neg(m, a))
}

#[inline(always)]
fn packed_min<P: Packed>(m: Mods, a: P, b: P) -> P {
    a.zip(b, |a, b| min(m, a, b))
}

#[inline(always)]
fn packed_max<P: Packed>(m: Mods, a: P, b: P) -> P {
    a.zip(b, |a, b| max(m, a, b))
}

/// Registered functions.
#[rustfmt::skip] // One line a function, like a table.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("int::add", each!(lane2(add): u16 u32 u64 i16 i32 i64; lane2(packed_add): U16x2 S16x2 U8x4 S8x4)),
    lane("int::sub", each!(lane2(sub): u16 u32 u64 i16 i32 i64; lane2(packed_sub): U8x4 S8x4)),
    lane("int::mul_lo", each!(lane2(mul_lo): u16 u32 u64 i16 i32 i64)),
    lane("int::mul_hi", each!(lane2(mul_hi): u16 u32 u64 i16 i32 i64)),
    lane("int::mul_wide", each!(lane2(mul_wide): u16 u32 i16 i32)),
    lane("int::mad_lo", each!(lane3(mad_lo): u16 u32 u64 i16 i32 i64)),
    lane("int::mad_hi", each!(lane3(mad_hi): u16 u32 u64 i16 i32 i64)),
    lane("int::mad_wide", each!(lane3(mad_wide): u16 u32 i16 i32)),
    lane("int::clmad_lo", &[lane3(clmad_lo)]),
    lane("int::clmad_hi", &[lane3(clmad_hi)]),
    lane("int::mul24_lo", each!(lane2(mul24_lo): u32 i32)),
    lane("int::mul24_hi", each!(lane2(mul24_hi): u32 i32)),
    lane("int::mad24_lo", each!(lane3(mad24_lo): u32 i32)),
    lane("int::mad24_hi", each!(lane3(mad24_hi): u32 i32)),
    lane("int::sad", each!(lane3(sad): u16 u32 u64 i16 i32 i64)),
    lane("int::div", each!(rare2(div): u16 u32 u64 i16 i32 i64)),
    lane("int::rem", each!(rare2(rem): u16 u32 u64 i16 i32 i64)),
    lane("int::abs", each!(lane1(abs): i16 i32 i64)),
    lane("int::neg", each!(lane1(neg): i16 i32 i64; lane1(packed_neg): S8x4)),
    lane("int::min", each!(lane2(min): u16 u32 u64 i16 i32 i64; lane2(packed_min): U16x2 S16x2 U8x4 S8x4)),
    lane("int::max", each!(lane2(max): u16 u32 u64 i16 i32 i64; lane2(packed_max): U16x2 S16x2 U8x4 S8x4)),
];
