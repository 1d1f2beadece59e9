//! Dot products of small integers packed in a register, added to an accumulator.
//!
//! PTX ISA 9.4, 9.7.1.24 and 9.7.1.25. The products and their sum are exact; what does not fit in 32 bits wraps around.

use crate::{Function, lane};
use machine::mods::Half;
use machine::row::lane3;
use machine::{Int, Mods};

/// The sum of the four products of the bytes of `a` and `b`, each extended by its own type, plus `c`.
#[inline(always)]
pub fn dp4a<A: Int, B: Int, C: Int>(_: Mods, a: A, b: B, c: C) -> C {
    let product = |i| part::<A, C>(a, 8, i).mul(part::<B, C>(b, 8, i));
    c.add(product(0)).add(product(1)).add(product(2)).add(product(3))
}

/// The sum of the two products of the half-words of `a` and the bytes 0 and 1 of `b`, with `.hi` its bytes 2 and 3, each extended
/// by its own type, plus `c`.
#[inline(always)]
pub fn dp2a<A: Int, B: Int, C: Int>(m: Mods, a: A, b: B, c: C) -> C {
    let first = if m.half == Half::Hi { 2 } else { 0 };
    let product = |i| part::<A, C>(a, 16, i).mul(part::<B, C>(b, 8, first + i));
    c.add(product(0)).add(product(1))
}

/// Part `i` of `bits` bits, zero- or sign-extended to 32 bits as the type of `a` says.
#[inline(always)]
fn part<A: Int, C: Int>(a: A, bits: u32, i: u32) -> C {
    C::from_i128(a.shl(32 - bits * (i + 1)).shr(32 - bits).to_i128())
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane(
        "dot::dp4a",
        &[lane3(dp4a::<u32, u32, u32>), lane3(dp4a::<u32, i32, i32>), lane3(dp4a::<i32, u32, i32>), lane3(dp4a::<i32, i32, i32>)],
    ),
    lane(
        "dot::dp2a",
        &[lane3(dp2a::<u32, u32, u32>), lane3(dp2a::<u32, i32, i32>), lane3(dp2a::<i32, u32, i32>), lane3(dp2a::<i32, i32, i32>)],
    ),
];
