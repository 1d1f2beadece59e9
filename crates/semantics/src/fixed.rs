//! Numbers as fixed-point and narrow integers, limited and packed, as AMD's units make them.
//!
//! Limits come after rounding; NaN gives zero. AMD's ISA guides, V_CVT and V_SAT instructions. For fixed point they name no rounding: it is to nearest
//! here, ties to even, and -1 is the least value of signed ones, as a gfx1100 has it (tinygrad's test/amd/hw).

use crate::float::{self, Float};
use crate::small::placed;
use crate::{Function, lane};
use machine::Mods;
use machine::lane::{Element, Packed, S16x2, U16x2};
use machine::row::{rare1, rare2, rare3, rare5};
use numerics::{Class, F16, Rounding, Unpacked};

/// A number times `factor`, rounded to an integer between these limits.
fn fixed<A: Float>(a: A, factor: u32, rounding: Rounding, least: i128, greatest: i128) -> u32 {
    let x = float::unpacked(a);
    let scaled = match x.class {
        Class::Finite => Unpacked { significand: x.significand * u128::from(factor), ..x },
        _ => x,
    };
    numerics::round_to_integer(&scaled, rounding).clamp(least, greatest) as u32
}

/// A number between -1 and 1 in 15 bits behind the point and a sign.
pub fn signed_norm<A: Float>(_: Mods, a: A) -> i16 {
    fixed(a, 32767, Rounding::NearestEven, -32767, 32767) as i16
}

/// A number between 0 and 1 in 16 bits.
pub fn unsigned_norm<A: Float>(_: Mods, a: A) -> u16 {
    fixed(a, 65535, Rounding::NearestEven, 0, 65535) as u16
}

/// Two numbers so, the first one lower.
pub fn pack_signed_norm<A: Float>(m: Mods, a: A, b: A) -> S16x2 {
    halves(signed_norm(m, a) as u16, signed_norm(m, b) as u16)
}

/// Two numbers so, the first one lower.
pub fn pack_unsigned_norm<A: Float>(m: Mods, a: A, b: A) -> U16x2 {
    halves(unsigned_norm(m, a), unsigned_norm(m, b))
}

/// Two numbers as integers of 16 bits, rounded toward zero.
pub fn pack_integers<D: Packed>(_: Mods, a: f32, b: f32) -> D
where
    D::Item: machine::Int,
{
    use machine::Int;
    let half = |x| fixed(x, 1, Rounding::TowardZero, D::Item::MIN.to_i128(), D::Item::MAX.to_i128()) as u16;
    halves(half(a), half(b))
}

fn halves<P: Element>(low: u16, high: u16) -> P {
    P::from_bits(u128::from(low) | u128::from(high) << 16)
}

/// A number as a byte, rounded toward zero, in byte `b` of `c`.
pub fn pack_byte(_: Mods, a: f32, b: u32, c: u32) -> u32 {
    let at = 8 * (b & 3);
    c & !(0xff << at) | fixed(a, 1, Rounding::TowardZero, 0, 255) << at
}

/// The lowest four bits, as a signed number, by 16.
pub fn sixteenths(_: Mods, a: i32) -> f32 {
    (a << 28 >> 28) as f32 / 16.0
}

/// Two signed half-words limited to unsigned bytes.
pub fn limit_halves(_: Mods, a: u32) -> u16 {
    let byte = |at: u32| ((a >> at) as u16 as i16).clamp(0, 255) as u16;
    byte(0) | byte(16) << 8
}

/// The same below zeros.
pub fn limit_halves_wide(m: Mods, a: S16x2) -> u32 {
    limit_halves(m, a.to_bits() as u32).into()
}

/// Four signed bytes limited to four bits each.
pub fn limit_signed_bytes(_: Mods, a: u32) -> u16 {
    a.to_le_bytes().iter().rev().fold(0, |d, byte| d << 4 | (*byte as i8).clamp(-8, 7) as u16 & 15)
}

/// Four bytes limited to four bits each.
pub fn limit_bytes(_: Mods, a: u32) -> u16 {
    a.to_le_bytes().iter().rev().fold(0, |d, byte| d << 4 | u16::from(*byte).min(15))
}

/// Two integers shifted right and limited to signed bytes, in the half of `old` that bit 3 of `op_sel` names.
pub fn shift_signed(_: Mods, a: i32, b: i32, n: u32, old: u32, op_sel: u32) -> u32 {
    shifted([a, b], n, -128, 127, old, op_sel)
}

/// The same with unsigned bytes.
pub fn shift_unsigned(_: Mods, a: i32, b: i32, n: u32, old: u32, op_sel: u32) -> u32 {
    shifted([a, b], n, 0, 255, old, op_sel)
}

fn shifted(numbers: [i32; 2], n: u32, least: i32, greatest: i32, old: u32, op_sel: u32) -> u32 {
    let [a, b] = numbers.map(|x| (x >> (n & 31)).clamp(least, greatest) as u32 & 0xff);
    placed(old, a | b << 8, 16 * (op_sel >> 3 & 1), 16)
}

/// Registered functions.
#[rustfmt::skip] // One line a function, like a table.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("fixed::signed_norm", &[rare1(signed_norm::<F16>)]),
    lane("fixed::unsigned_norm", &[rare1(unsigned_norm::<F16>)]),
    lane("fixed::pack_signed_norm", &[rare2(pack_signed_norm::<f32>), rare2(pack_signed_norm::<F16>)]),
    lane("fixed::pack_unsigned_norm", &[rare2(pack_unsigned_norm::<f32>), rare2(pack_unsigned_norm::<F16>)]),
    lane("fixed::pack_integers", &[rare2(pack_integers::<S16x2>), rare2(pack_integers::<U16x2>)]),
    lane("fixed::pack_byte", &[rare3(pack_byte)]),
    lane("fixed::sixteenths", &[rare1(sixteenths)]),
    lane("fixed::limit_halves", &[rare1(limit_halves), rare1(limit_halves_wide)]),
    lane("fixed::limit_signed_bytes", &[rare1(limit_signed_bytes)]),
    lane("fixed::limit_bytes", &[rare1(limit_bytes)]),
    lane("fixed::shift_signed", &[rare5(shift_signed)]),
    lane("fixed::shift_unsigned", &[rare5(shift_unsigned)]),
];
