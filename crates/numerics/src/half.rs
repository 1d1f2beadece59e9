//! Half precision and bfloat16: arithmetic to nearest, conversion from and to single precision, minimum and maximum.
//!
//! Why single precision suffices, with `p` the precision of the small format (11 or 8): a sum or product computed with at least `2p + 2`
//! bits (24 or 18; single precision has 24) and rounded again to `p` bits is the correctly rounded one (Figueroa, "When is double rounding
//! innocuous?", 1995). That argument is about normal results, so underflow is looked at apart. Sums never underflow inexactly: they are
//! multiples of the smaller format's last bit. A product of f16 numbers is exact in single precision (22 bits, exponents from -48). A
//! product of bf16 numbers has 16 bits; below 2^-134 single precision may round it, but everything there is less than half of the smallest bf16,
//! 2^-133, or rounds to exactly half at most, and both become zero; from 2^-134 on it is exact.
//! The exhaustive tests agree.
//!
//! An fma is different: the exact result can have many more bits. It is rounded to odd in between (see [`crate::single`]).
//!
//! Every NaN result is 0x7fff (PTX ISA 9.4, half-precision instructions).

use crate::rounding::Rounding;
use crate::single::{add_to_odd, f32_from_f64};

/// Bits of a half-precision number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct F16(pub u16);

/// Bits of a bfloat16 number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Bf16(pub u16);

impl F16 {
    /// The NaN of half-precision instructions.
    pub const NAN: F16 = F16(0x7fff);

    /// To nearest even; NaN becomes [`F16::NAN`].
    #[inline(always)]
    pub fn from_f32(x: f32) -> F16 {
        let bits = x.to_bits();
        let magnitude = bits & 0x7fff_ffff;
        // Rebias the exponent, round to nearest even by carrying; numbers from 65520 on carry into infinity.
        let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + (magnitude >> 13 & 1)) >> 13;
        // The last bit of 0.5 weighs 2^-24, the smallest half: adding it lets the host round.
        let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
        let finite = if magnitude < 0x3880_0000 { subnormal } else { normal };
        let special = if magnitude > 0x7f80_0000 { 0x7fff } else { 0x7c00 | sign(bits) };
        F16(if magnitude >= 0x4780_0000 { special as u16 } else { (finite | sign(bits)) as u16 })
    }

    /// To nearest even, rounded once; NaN becomes [`F16::NAN`].
    #[inline(always)]
    pub fn from_f64(x: f64) -> F16 {
        F16::from_f32(f32_to_odd(x))
    }

    /// Exact; a NaN keeps its payload in the upper bits.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        let magnitude = (self.0 as u32 & 0x7fff) << 13;
        let normal = magnitude + (112 << 23);
        let special = magnitude | 0x7f80_0000;
        // The mantissa below a hidden bit of 2^-14, which is then taken away.
        let subnormal = (f32::from_bits(magnitude + (113 << 23)) - f32::from_bits(113 << 23)).to_bits();
        let bits = if magnitude < 1 << 23 {
            subnormal
        } else if magnitude >= 31 << 23 {
            special
        } else {
            normal
        };
        f32::from_bits(bits | (self.0 as u32 & 0x8000) << 16)
    }

    /// Whether it is a NaN.
    #[inline(always)]
    pub fn is_nan(self) -> bool {
        self.0 & 0x7fff > 0x7c00
    }

    /// `self`, or zero of its sign if it is subnormal (`.ftz`).
    #[inline(always)]
    pub fn flush(self) -> F16 {
        if self.0 & 0x7c00 == 0 { F16(self.0 & 0x8000) } else { self }
    }
}

impl Bf16 {
    /// The NaN of bfloat16 instructions.
    pub const NAN: Bf16 = Bf16(0x7fff);

    /// To nearest even; NaN becomes [`Bf16::NAN`].
    #[inline(always)]
    pub fn from_f32(x: f32) -> Bf16 {
        let bits = x.to_bits();
        let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
        Bf16(if x.is_nan() { 0x7fff } else { rounded as u16 })
    }

    /// To nearest even, rounded once; NaN becomes [`Bf16::NAN`].
    #[inline(always)]
    pub fn from_f64(x: f64) -> Bf16 {
        Bf16::from_f32(f32_to_odd(x))
    }

    /// Exact, NaNs included.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        f32::from_bits((self.0 as u32) << 16)
    }

    /// Whether it is a NaN.
    #[inline(always)]
    pub fn is_nan(self) -> bool {
        self.0 & 0x7fff > 0x7f80
    }

    /// `self`, or zero of its sign if it is subnormal.
    #[inline(always)]
    pub fn flush(self) -> Bf16 {
        if self.0 & 0x7f80 == 0 { Bf16(self.0 & 0x8000) } else { self }
    }
}

/// The sign bit of single-precision bits, at the sign's place in 16 bits.
#[inline(always)]
fn sign(bits: u32) -> u32 {
    bits >> 16 & 0x8000
}

/// `a + b`, to nearest even.
#[inline(always)]
pub fn add_f16(a: F16, b: F16) -> F16 {
    F16::from_f32(a.to_f32() + b.to_f32())
}

/// `a - b`, to nearest even.
#[inline(always)]
pub fn sub_f16(a: F16, b: F16) -> F16 {
    F16::from_f32(a.to_f32() - b.to_f32())
}

/// `a * b`, to nearest even.
#[inline(always)]
pub fn mul_f16(a: F16, b: F16) -> F16 {
    F16::from_f32(a.to_f32() * b.to_f32())
}

/// `a * b + c`, rounded once, to nearest even.
#[inline(always)]
pub fn fma_f16(a: F16, b: F16, c: F16) -> F16 {
    // The product is exact in single precision, the sum has 24 bits rounded to odd: two more than 11 + 2 would do.
    F16::from_f32(add_to_odd_f32(a.to_f32() * b.to_f32(), c.to_f32()))
}

/// `a + b`, to nearest even.
#[inline(always)]
pub fn add_bf16(a: Bf16, b: Bf16) -> Bf16 {
    Bf16::from_f32(a.to_f32() + b.to_f32())
}

/// `a - b`, to nearest even.
#[inline(always)]
pub fn sub_bf16(a: Bf16, b: Bf16) -> Bf16 {
    Bf16::from_f32(a.to_f32() - b.to_f32())
}

/// `a * b`, to nearest even.
#[inline(always)]
pub fn mul_bf16(a: Bf16, b: Bf16) -> Bf16 {
    Bf16::from_f32(a.to_f32() * b.to_f32())
}

/// `a * b + c`, rounded once, to nearest even.
#[inline(always)]
pub fn fma_bf16(a: Bf16, b: Bf16, c: Bf16) -> Bf16 {
    // In double precision, since a product of bf16 numbers can leave the exponents of single precision.
    let sum = add_to_odd(a.to_f32() as f64 * b.to_f32() as f64, c.to_f32() as f64);
    Bf16::from_f64(sum)
}

/// `a + b` rounded to odd in single precision; see [`add_to_odd`].
#[inline(always)]
fn add_to_odd_f32(a: f32, b: f32) -> f32 {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    let error = (a - a_part) + (b - b_part);
    let bits = sum.to_bits();
    let adjust = error != 0.0 && sum.is_finite() && bits & 1 == 0;
    let outward = (error > 0.0) == (sum > 0.0);
    let step = if outward { 1 } else { u32::MAX };
    f32::from_bits(bits.wrapping_add(if adjust { step } else { 0 }))
}

/// `x` rounded to odd in single precision.
#[inline(always)]
fn f32_to_odd(x: f64) -> f32 {
    let toward_zero = f32_from_f64(x, Rounding::TowardZero);
    let inexact = (toward_zero as f64 != x) as u32;
    f32::from_bits(toward_zero.to_bits() | inexact)
}
