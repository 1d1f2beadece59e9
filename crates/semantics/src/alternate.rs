//! Arithmetic on four packed numbers of 8, 6 or 4 bits: exact, then rounded once to the format of the result.
//!
//! PTX ISA 9.4, 9.7.6. Overflow without `.satfinite` is infinity in e5m2 and NaN in e4m3.

use crate::convert::{element, number_format};
use crate::{Function, lane};
use machine::mods::Format;
use machine::row::{rare2, rare3};
use machine::{Int, Mods};
use numerics::{PackOptions, Unpacked, exact};

/// `a + c`, where `c` has the result's format.
pub fn add<A: Int>(m: Mods, a: A, c: u32) -> u32 {
    each(m, |i| exact::add(at(m.from, a, i), at(m.to, c, i), m.round))
}

/// `a - c`, where `c` has the result's format.
pub fn sub<A: Int>(m: Mods, a: A, c: u32) -> u32 {
    each(m, |i| exact::add(at(m.from, a, i), at(m.to, c, i).negated(), m.round))
}

/// `a * c`.
pub fn mul<A: Int, C: Int>(m: Mods, a: A, c: C) -> u32 {
    each(m, |i| exact::mul(at(m.from, a, i), at(m.from2, c, i)))
}

/// `a * b + c`, where `c` has the result's format.
pub fn fma<A: Int, B: Int>(m: Mods, a: A, b: B, c: u32) -> u32 {
    each(m, |i| exact::fma(at(m.from, a, i), at(m.from2, b, i), at(m.to, c, i), m.round))
}

/// Element `i` of a packed operand.
fn at<T: Int>(format: Format, operand: T, i: u32) -> Unpacked {
    element(format, operand.to_i128() as u32, i)
}

/// Four results, packed.
fn each(m: Mods, result: impl Fn(u32) -> Unpacked) -> u32 {
    let format = number_format(m.to).unwrap_or(&numerics::Format::E4M3);
    let options = PackOptions { saturate_finite: m.satfinite(), ..PackOptions::default() };
    (0..4).fold(0, |d, i| d | (numerics::pack(format, &result(i), m.round, options) as u32) << (8 * i))
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("alternate::add", &[rare2(add::<u32>), rare2(add::<u16>)]),
    lane("alternate::sub", &[rare2(sub::<u32>), rare2(sub::<u16>)]),
    lane("alternate::mul", &[rare2(mul::<u32, u32>), rare2(mul::<u32, u16>), rare2(mul::<u16, u32>), rare2(mul::<u16, u16>)]),
    lane("alternate::fma", &[rare3(fma::<u32, u32>), rare3(fma::<u32, u16>), rare3(fma::<u16, u32>), rare3(fma::<u16, u16>)]),
];
