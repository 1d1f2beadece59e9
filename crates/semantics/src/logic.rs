//! Bitwise logic, on integers and on predicates.
//!
//! PTX ISA 9.4, 9.7.9.1 to 9.7.9.6.

use crate::{Function, each, lane};
use machine::mods::Operation;
use machine::row::{lane1, lane2, lane3, lane4, lane5, rare2, rare4};
use machine::{Int, Mods};
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// `a & b`.
#[inline(always)]
pub fn and<T: BitAnd<Output = T>>(_: Mods, a: T, b: T) -> T {
    a & b
}

/// `a | b`.
#[inline(always)]
pub fn or<T: BitOr<Output = T>>(_: Mods, a: T, b: T) -> T {
    a | b
}

/// `a ^ b`.
#[inline(always)]
pub fn xor<T: BitXor<Output = T>>(_: Mods, a: T, b: T) -> T {
    a ^ b
}

/// `!a`, bit by bit.
#[inline(always)]
pub fn not<T: Not<Output = T>>(_: Mods, a: T) -> T {
    !a
}

/// One if `a` is zero, else zero.
#[inline(always)]
pub fn cnot<T: Int>(_: Mods, a: T) -> T {
    T::select(a.eq(T::int(0)), T::int(1), T::int(0))
}

/// For each position the bit of `table` that the bits of `a`, `b`, `c` number (4, 2 and 1 in this order).
#[inline(always)]
pub fn lop3(_: Mods, a: u32, b: u32, c: u32, table: u32) -> u32 {
    // All ones where the table has a one: the sum of the products that it names.
    let row = |i: u32| (table >> i & 1).wrapping_neg();
    let without_a = (row(0) & !b & !c) | (row(1) & !b & c) | (row(2) & b & !c) | (row(3) & b & c);
    let with_a = (row(4) & !b & !c) | (row(5) & !b & c) | (row(6) & b & !c) | (row(7) & b & c);
    (!a & without_a) | (a & with_a)
}

/// [`lop3`] of two words: the third is zero.
#[inline(always)]
pub fn lop2(m: Mods, a: u32, b: u32, table: u32) -> u32 {
    lop3(m, a, b, 0, table)
}

/// [`lop3`] of half-words.
pub fn lop3_short(m: Mods, a: u16, b: u16, c: u16, table: u32) -> u16 {
    lop3(m, a.into(), b.into(), c.into(), table) as u16
}

/// As [`lop3`], and whether the result is not zero, combined with `q`.
#[inline(always)]
pub fn lop3_bool(m: Mods, a: u32, b: u32, c: u32, table: u32, q: bool) -> (u32, bool) {
    let d = lop3(m, a, b, c, table);
    (d, combine(m, d != 0, q))
}

/// `a` and `b` joined by the Boolean operator of the settings; `a` alone without one.
#[inline(always)]
pub(crate) fn combine(m: Mods, a: bool, b: bool) -> bool {
    // The operator's truth table, bit 2a + b: chosen once for all lanes.
    let table = match m.op {
        Operation::And => 0b1000,
        Operation::Or => 0b1110,
        Operation::Xor => 0b0110,
        _ => 0b1100,
    };
    table >> (2 * u32::from(a) + u32::from(b)) & 1 != 0
}

/// What combines a mask with the one that is in force, and whether it or the new one is kept.
macro_rules! masks {
    ($($(#[$doc:meta])* $name:ident $save:ident $write:ident = |$a:ident, $exec:ident| $value:expr;)*) => {
        $(
            $(#[$doc])*
            pub fn $name<T: Int>(_: Mods, $a: T, $exec: T) -> T {
                $value
            }
            /// The same as the new mask; the old one is kept.
            pub fn $save<T: Int>(m: Mods, a: T, exec: T) -> (T, T) {
                (exec, $name(m, a, exec))
            }
            /// The same as the new mask, of which a copy is kept.
            pub fn $write<T: Int>(m: Mods, a: T, exec: T) -> (T, T) {
                let new = $name(m, a, exec);
                (new, new)
            }
        )*
    };
}

masks! {
    /// `a & b`.
    mask_and mask_and_save mask_and_write = |a, b| a.and(b);
    /// `a | b`.
    mask_or mask_or_save mask_or_write = |a, b| a.or(b);
    /// `a ^ b`.
    mask_xor mask_xor_save mask_xor_write = |a, b| a.xor(b);
    /// `a & !b`.
    and_not and_not_save and_not_write = |a, b| a.and(b.not());
    /// `!a & b`.
    not_and not_and_save not_and_write = |a, b| a.not().and(b);
    /// `a | !b`.
    or_not or_not_save or_not_write = |a, b| a.or(b.not());
    /// `!a | b`.
    not_or not_or_save not_or_write = |a, b| a.not().or(b);
    /// `!(a & b)`.
    nand nand_save nand_write = |a, b| a.and(b).not();
    /// `!(a | b)`.
    nor nor_save nor_write = |a, b| a.or(b).not();
    /// `!(a ^ b)`.
    xnor xnor_save xnor_write = |a, b| a.xor(b).not();
}

/// Registered functions.
#[rustfmt::skip] // One line a function, like a table.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("logic::and", each!(lane2(and): u16 u32 u64 bool)),
    lane("logic::or", each!(lane2(or): u16 u32 u64 bool)),
    lane("logic::xor", each!(lane2(xor): u16 u32 u64 bool)),
    lane("logic::not", each!(lane1(not): u16 u32 u64 bool)),
    lane("logic::and_not", each!(lane2(and_not): u32 u64)),
    lane("logic::or_not", each!(lane2(or_not): u32 u64)),
    lane("logic::nand", each!(lane2(nand): u32 u64)),
    lane("logic::nor", each!(lane2(nor): u32 u64)),
    lane("logic::xnor", each!(lane2(xnor): u32 u64)),
    lane("logic::mask_and_save", each!(rare2(mask_and_save): u32 u64)),
    lane("logic::mask_or_save", each!(rare2(mask_or_save): u32 u64)),
    lane("logic::mask_xor_save", each!(rare2(mask_xor_save): u32 u64)),
    lane("logic::and_not_save", each!(rare2(and_not_save): u32 u64)),
    lane("logic::not_and_save", each!(rare2(not_and_save): u32 u64)),
    lane("logic::or_not_save", each!(rare2(or_not_save): u32 u64)),
    lane("logic::not_or_save", each!(rare2(not_or_save): u32 u64)),
    lane("logic::nand_save", each!(rare2(nand_save): u32 u64)),
    lane("logic::nor_save", each!(rare2(nor_save): u32 u64)),
    lane("logic::xnor_save", each!(rare2(xnor_save): u32 u64)),
    lane("logic::and_not_write", each!(rare2(and_not_write): u32 u64)),
    lane("logic::not_and_write", each!(rare2(not_and_write): u32 u64)),
    lane("logic::cnot", each!(lane1(cnot): u16 u32 u64)),
    lane("logic::lop3", &[lane4(lop3)]),
    lane("logic::lop3_short", &[rare4(lop3_short)]),
    lane("logic::lop2", &[lane3(lop2)]),
    lane("logic::lop3_bool", &[lane5(lop3_bool)]),
];
