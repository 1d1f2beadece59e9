//! Integer arithmetic over several registers: sums and products that pass a carry on.
//!
//! PTX ISA 9.4, 9.7.2. The flag is the carry after an addition and the borrow after a subtraction, as the manual has it.
//! (The machine code that ptxas makes keeps the complement of the borrow; a program notices only if it adds after it
//! subtracted.)

use crate::{Function, each, lane};
use machine::row::{lane2, lane3, lane4, wide2, wide3};
use machine::{Int, Lane, Mods};

/// An integer whose unsigned order is a plain `bool`.
pub trait Word: Int<Unsigned: Lane<Mask = bool>> {}
impl Word for u32 {}
impl Word for i32 {}
impl Word for u64 {}
impl Word for i64 {}

/// `a + b + carry`, and the carry out of it. A saturated sum is the greatest number then.
#[inline(always)]
pub fn add_carry<T: Word>(m: Mods, a: T, b: T, carry: bool) -> (T, bool) {
    let sum = a.add(b);
    let total = sum.add(T::int(carry.into()));
    let out = sum.unsigned().lt(a.unsigned()) | total.unsigned().lt(sum.unsigned());
    (if m.sat() && out { T::int(0).not() } else { total }, out)
}

/// `a + b`, and the carry out of it.
#[inline(always)]
pub fn add_carry_out<T: Word>(m: Mods, a: T, b: T) -> (T, bool) {
    add_carry(m, a, b, false)
}

/// `a + b + carry`.
#[inline(always)]
pub fn add_carry_in<T: Word>(m: Mods, a: T, b: T, carry: bool) -> T {
    add_carry(m, a, b, carry).0
}

/// `a - (b + borrow)`, and whether it borrows. A saturated difference is zero then.
#[inline(always)]
pub fn sub_borrow<T: Word>(m: Mods, a: T, b: T, borrow: bool) -> (T, bool) {
    let difference = a.sub(b);
    let total = difference.sub(T::int(borrow.into()));
    let out = a.unsigned().lt(b.unsigned()) | difference.unsigned().lt(total.unsigned());
    (if m.sat() && out { T::int(0) } else { total }, out)
}

/// `a - b`, and whether it borrows.
#[inline(always)]
pub fn sub_borrow_out<T: Word>(m: Mods, a: T, b: T) -> (T, bool) {
    sub_borrow(m, a, b, false)
}

/// `a - (b + borrow)`.
#[inline(always)]
pub fn sub_borrow_in<T: Word>(m: Mods, a: T, b: T, borrow: bool) -> T {
    sub_borrow(m, a, b, borrow).0
}

/// The low half of `a * b`, plus `c` and `carry`, and the carry out of the sum.
#[inline(always)]
pub fn mad_lo_carry<T: Word>(m: Mods, a: T, b: T, c: T, carry: bool) -> (T, bool) {
    add_carry(m, a.mul(b), c, carry)
}

/// The low half of `a * b`, plus `c`, and the carry out of the sum.
#[inline(always)]
pub fn mad_lo_carry_out<T: Word>(m: Mods, a: T, b: T, c: T) -> (T, bool) {
    add_carry(m, a.mul(b), c, false)
}

/// The low half of `a * b`, plus `c` and `carry`.
#[inline(always)]
pub fn mad_lo_carry_in<T: Word>(m: Mods, a: T, b: T, c: T, carry: bool) -> T {
    add_carry(m, a.mul(b), c, carry).0
}

/// The high half of `a * b`, plus `c` and `carry`, and the carry out of the sum.
#[inline(always)]
pub fn mad_hi_carry<T: Word>(m: Mods, a: T, b: T, c: T, carry: bool) -> (T, bool) {
    add_carry(m, a.mul_hi(b), c, carry)
}

/// The high half of `a * b`, plus `c`, and the carry out of the sum.
#[inline(always)]
pub fn mad_hi_carry_out<T: Word>(m: Mods, a: T, b: T, c: T) -> (T, bool) {
    add_carry(m, a.mul_hi(b), c, false)
}

/// The high half of `a * b`, plus `c` and `carry`.
#[inline(always)]
pub fn mad_hi_carry_in<T: Word>(m: Mods, a: T, b: T, c: T, carry: bool) -> T {
    add_carry(m, a.mul_hi(b), c, carry).0
}

/// `a * b + c` of full width, and the carry of the sum.
pub fn mad_wide_carry<T: Int<Wide: Int<Mask = bool>>>(_: Mods, a: T, b: T, c: T::Wide) -> (T::Wide, bool) {
    let product = a.widen().mul(b.widen());
    let sum = product.add(c);
    // Signed, the sign of the sum is neither that of the product nor that of the addend.
    let carry = if T::SIGNED { product.xor(sum).and(c.xor(sum)).lt(T::Wide::int(0)) } else { sum.lt(product) };
    (sum, carry)
}

/// Registered functions.
#[rustfmt::skip] // One line a function, like a table.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("extended::add_carry", each!(lane3(add_carry): u32 i32 u64 i64)),
    lane("extended::add_carry_out", each!(lane2(add_carry_out): u32 i32; wide2(add_carry_out): u64; lane2(add_carry_out): i64)),
    lane("extended::add_carry_in", each!(lane3(add_carry_in): u32 i32 u64 i64)),
    lane("extended::sub_borrow", each!(lane3(sub_borrow): u32 i32 u64 i64)),
    lane("extended::sub_borrow_out", each!(lane2(sub_borrow_out): u32 i32 u64 i64)),
    lane("extended::sub_borrow_in", each!(lane3(sub_borrow_in): u32 i32 u64 i64)),
    lane("extended::mad_lo_carry", each!(lane4(mad_lo_carry): u32 i32 u64 i64)),
    lane("extended::mad_lo_carry_out", each!(lane3(mad_lo_carry_out): u32 i32 u64 i64)),
    lane("extended::mad_lo_carry_in", each!(lane4(mad_lo_carry_in): u32 i32 u64 i64)),
    lane("extended::mad_hi_carry", each!(lane4(mad_hi_carry): u32 i32 u64 i64)),
    lane("extended::mad_hi_carry_out", each!(lane3(mad_hi_carry_out): u32 i32 u64 i64)),
    lane("extended::mad_wide_carry", &[wide3(mad_wide_carry::<u32>), wide3(mad_wide_carry::<i32>)]),
    lane("extended::mad_hi_carry_in", each!(lane4(mad_hi_carry_in): u32 i32 u64 i64)),
];
