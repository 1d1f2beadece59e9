//! Sums of products of small numbers in single or half precision.
//!
//! Every product and every sum is rounded, as AMD's operations write them; the guides do not say how precise units are between, so the records
//! call the results approximate. AMD's ISA guides, V_DOT instructions.

use crate::float::Float;
use crate::small::{format, widened};
use crate::{Function, ieee, lane};
use machine::Mods;
use machine::lane::{Bf16x2, F16x2, Pair};
use machine::row::rare3;
use numerics::{Bf16, F16};

/// The products of the halves, in single precision.
fn products<P: Pair<Half: Float>>(m: Mods, a: P, b: P) -> [f32; 2] {
    let ([al, ah], [bl, bh]) = (a.halves(), b.halves());
    [(al, bl), (ah, bh)].map(|(a, b)| ieee::mul(m, ieee::convert::<f32, _>(m, a), ieee::convert(m, b)))
}

/// `c` plus the product of the lower halves, plus that of the upper ones.
pub fn dot2<P: Pair<Half: Float>>(m: Mods, a: P, b: P, c: f32) -> f32 {
    products(m, a, b).into_iter().fold(c, |sum, product| ieee::add(m, sum, product))
}

/// The sum of the products of the halves, plus `c`.
pub fn dot2_before<P: Pair<Half: Float>>(m: Mods, a: P, b: P, c: f32) -> f32 {
    let [low, high] = products(m, a, b);
    ieee::add(m, ieee::add(m, low, high), c)
}

/// [`dot2`] in the precision of the halves.
pub fn dot2_narrow<P: Pair<Half = T>, T: Float>(m: Mods, a: P, b: P, c: T) -> T {
    let ([al, ah], [bl, bh]) = (a.halves(), b.halves());
    let sum = ieee::add(m, c, ieee::mul(m, al, bl));
    ieee::add(m, sum, ieee::mul(m, ah, bh))
}

/// `c` plus the products of the bytes, from the lowest on: numbers of the formats `from` and `from2`.
pub fn dot4(m: Mods, a: u32, b: u32, c: f32) -> f32 {
    let byte = |of, word: u32, i: u32| widened(format(m, of), word >> (8 * i) & 0xff, Some(0));
    let product = |i| ieee::mul(m, byte(m.from, a, i), byte(m.from2, b, i));
    (0..4).fold(c, |sum, i| ieee::add(m, sum, product(i)))
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("products::dot2", &[rare3(dot2::<F16x2>), rare3(dot2::<Bf16x2>)]),
    lane("products::dot2_before", &[rare3(dot2_before::<Bf16x2>)]),
    lane("products::dot2_narrow", &[rare3(dot2_narrow::<F16x2, F16>), rare3(dot2_narrow::<Bf16x2, Bf16>)]),
    lane("products::dot4", &[rare3(dot4)]),
];
