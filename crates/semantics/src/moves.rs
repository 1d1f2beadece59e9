//! Moves, packing and unpacking of registers.
//!
//! PTX ISA 9.4, 9.7.10 (mov).

use crate::{Function, each, lane};
use machine::row::lane1;
use machine::{Element, Mods};

/// The value itself.
#[inline(always)]
pub fn mov<T: Element>(_: Mods, a: T) -> T {
    a
}

/// A predicate itself.
#[inline(always)]
pub fn mov_predicate(_: Mods, a: bool) -> bool {
    a
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] =
    &[lane("move::mov", each!(lane1(mov): u16 u32 u64 u128)), lane("move::mov_predicate", &[lane1(mov_predicate)])];
