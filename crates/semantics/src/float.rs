//! Floating-point arithmetic of one lane: f32, f64, f16, bf16, and pairs of them.
//!
//! PTX ISA 9.4, 9.7.3 and 9.7.4. What the manual leaves open:
//! - NaN: f32, f16 and bf16 give the canonical NaN 0x7fffffff or 0x7fff for every NaN ("unspecified" there); f64 gives the first
//!   NaN operand made quiet, 0xfff8000000000000 where no operand was NaN, and passes a NaN through abs and neg unchanged.
//! - `.ftz`: a result is flushed if it is subnormal after rounding.
//! - `.sat` and `.relu`: negative zero becomes positive zero, as other negative numbers do.

use crate::{Function, lane};
use machine::lane::{Bf16x2, F16x2, F32x2, Pair};
use machine::mods::Mode;
use machine::row::{Instance, lane1, lane2, lane3};
use machine::{Element, Int, Lane, Mods};
use numerics::{Bf16, F16, Format, PackOptions, Rounding, Unpacked, exact};

/// A floating-point number.
pub trait Float: Lane<Mask = bool> + Element {
    /// An unsigned integer of the same width.
    type Bits: Int<Mask = bool>;
    /// The sign bit.
    const SIGN: Self::Bits;
    /// Positive infinity.
    const INFINITY: Self::Bits;
    /// The smallest normal number.
    const NORMAL: Self::Bits;
    /// One.
    const ONE: Self::Bits;
    /// The NaN of an operation on numbers.
    const NAN: Self;
    /// Its format.
    const FORMAT: &'static Format;
    /// Its bits.
    fn bits(self) -> Self::Bits;
    /// The number with these bits.
    fn number(bits: Self::Bits) -> Self;
    /// `self + b`.
    fn add(self, b: Self, rounding: Rounding) -> Self;
    /// `self - b`.
    fn sub(self, b: Self, rounding: Rounding) -> Self;
    /// `self * b`.
    fn mul(self, b: Self, rounding: Rounding) -> Self;
    /// `self * b + c`, rounded once.
    fn fma(self, b: Self, c: Self, rounding: Rounding) -> Self;

    /// What a NaN becomes where only its sign changes.
    #[inline(always)]
    fn settle(self) -> Self {
        Self::NAN
    }
    /// The minimum or maximum of two NaNs.
    #[inline(always)]
    fn settle_both(self, _b: Self) -> Self {
        Self::NAN
    }
    /// Exponent and fraction: all bits but the sign.
    #[inline(always)]
    fn magnitude(self) -> Self::Bits {
        self.bits().and(Self::SIGN.not())
    }
    /// Whether it is NaN.
    #[inline(always)]
    fn is_nan(self) -> bool {
        Self::INFINITY.lt(self.magnitude())
    }
    /// Whether the sign bit is set, of zero and NaN too.
    #[inline(always)]
    fn is_negative(self) -> bool {
        self.bits().and(Self::SIGN).eq(Self::SIGN)
    }
    /// Zero of its sign if it is subnormal.
    #[inline(always)]
    fn flush(self) -> Self {
        Self::select(self.magnitude().lt(Self::NORMAL), Self::number(self.bits().and(Self::SIGN)), self)
    }
    /// Limited to 0..1, NaN to zero.
    #[inline(always)]
    fn saturate(self) -> Self {
        let zero = Self::number(Self::Bits::int(0));
        let at_most_one = Self::number(self.bits().lesser(Self::ONE));
        Self::select(self.is_nan(), zero, Self::select(self.is_negative(), zero, at_most_one))
    }
    /// Where the number stands among all numbers, negative zero below positive zero: a key of unsigned order.
    #[inline(always)]
    fn order(self) -> Self::Bits {
        Self::Bits::select(self.is_negative(), self.bits().not(), self.bits().or(Self::SIGN))
    }
}

/// A number taken apart, exactly.
#[inline(always)]
pub(crate) fn unpacked<T: Float>(x: T) -> Unpacked {
    numerics::unpack(T::FORMAT, x.to_bits() as u64)
}

/// An exact result in its format, rounded once.
#[inline(always)]
pub(crate) fn rounded<T: Float>(x: Unpacked, rounding: Rounding) -> T {
    T::from_bits(numerics::pack(T::FORMAT, &x, rounding, PackOptions::default()).into())
}

impl Float for f32 {
    type Bits = u32;
    const SIGN: u32 = 0x8000_0000;
    const INFINITY: u32 = 0x7f80_0000;
    const NORMAL: u32 = 0x0080_0000;
    const ONE: u32 = 0x3f80_0000;
    const NAN: f32 = numerics::NAN_F32;
    const FORMAT: &'static Format = &Format::F32;
    #[inline(always)]
    fn bits(self) -> u32 {
        self.to_bits()
    }
    #[inline(always)]
    fn number(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
    #[inline(always)]
    fn add(self, b: f32, rounding: Rounding) -> f32 {
        numerics::add_f32(self, b, rounding)
    }
    #[inline(always)]
    fn sub(self, b: f32, rounding: Rounding) -> f32 {
        numerics::sub_f32(self, b, rounding)
    }
    #[inline(always)]
    fn mul(self, b: f32, rounding: Rounding) -> f32 {
        numerics::mul_f32(self, b, rounding)
    }
    #[inline(always)]
    fn fma(self, b: f32, c: f32, rounding: Rounding) -> f32 {
        numerics::fma_f32(self, b, c, rounding)
    }
}

impl Float for f64 {
    type Bits = u64;
    const SIGN: u64 = 1 << 63;
    const INFINITY: u64 = 0x7ff << 52;
    const NORMAL: u64 = 1 << 52;
    const ONE: u64 = 0x3ff << 52;
    const NAN: f64 = numerics::NAN_F64;
    const FORMAT: &'static Format = &Format::F64;
    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn number(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    #[inline(always)]
    fn add(self, b: f64, rounding: Rounding) -> f64 {
        numerics::add_f64(self, b, rounding)
    }
    #[inline(always)]
    fn sub(self, b: f64, rounding: Rounding) -> f64 {
        numerics::sub_f64(self, b, rounding)
    }
    #[inline(always)]
    fn mul(self, b: f64, rounding: Rounding) -> f64 {
        numerics::mul_f64(self, b, rounding)
    }
    #[inline(always)]
    fn fma(self, b: f64, c: f64, rounding: Rounding) -> f64 {
        numerics::fma_f64(self, b, c, rounding)
    }
    #[inline(always)]
    fn settle(self) -> f64 {
        self
    }
    /// What ptxas' sequence for sm_90 gives: the second one made quiet.
    #[inline(always)]
    fn settle_both(self, b: f64) -> f64 {
        f64::from_bits(b.to_bits() | 1 << 51)
    }
}

/// Half precision to nearest has fast paths; PTX has no other direction, which goes through exact numbers.
macro_rules! half {
    ($t:ident, $infinity:literal, $normal:literal, $one:literal, $format:ident, $add:ident, $sub:ident, $mul:ident, $fma:ident) => {
        impl Float for $t {
            type Bits = u16;
            const SIGN: u16 = 0x8000;
            const INFINITY: u16 = $infinity;
            const NORMAL: u16 = $normal;
            const ONE: u16 = $one;
            const NAN: $t = $t::NAN;
            const FORMAT: &'static Format = &Format::$format;
            #[inline(always)]
            fn bits(self) -> u16 {
                self.0
            }
            #[inline(always)]
            fn number(bits: u16) -> $t {
                $t(bits)
            }
            #[inline(always)]
            fn add(self, b: $t, rounding: Rounding) -> $t {
                if rounding == Rounding::NearestEven {
                    return numerics::$add(self, b);
                }
                rounded(exact::add(unpacked(self), unpacked(b), rounding), rounding)
            }
            #[inline(always)]
            fn sub(self, b: $t, rounding: Rounding) -> $t {
                if rounding == Rounding::NearestEven {
                    return numerics::$sub(self, b);
                }
                rounded(exact::add(unpacked(self), unpacked(b).negated(), rounding), rounding)
            }
            #[inline(always)]
            fn mul(self, b: $t, rounding: Rounding) -> $t {
                if rounding == Rounding::NearestEven {
                    return numerics::$mul(self, b);
                }
                rounded(exact::mul(unpacked(self), unpacked(b)), rounding)
            }
            #[inline(always)]
            fn fma(self, b: $t, c: $t, rounding: Rounding) -> $t {
                if rounding == Rounding::NearestEven {
                    return numerics::$fma(self, b, c);
                }
                rounded(exact::fma(unpacked(self), unpacked(b), unpacked(c), rounding), rounding)
            }
        }
    };
}

half!(F16, 0x7c00, 0x0400, 0x3c00, F16, add_f16, sub_f16, mul_f16, fma_f16);
half!(Bf16, 0x7f80, 0x0080, 0x3f80, BF16, add_bf16, sub_bf16, mul_bf16, fma_bf16);

/// An operand as the instruction sees it: flushed with `.ftz`.
#[inline(always)]
pub(crate) fn operand<T: Float>(m: Mods, a: T) -> T {
    if m.flushes_sources() { a.flush() } else { a }
}

/// A result as the instruction leaves it: flushed with `.ftz`, clamped with `.sat` or `.relu`.
#[inline(always)]
pub(crate) fn result<T: Float>(m: Mods, d: T) -> T {
    let d = if m.flushes_results() { d.flush() } else { d };
    let d = if m.sat() { d.saturate() } else { d };
    if m.relu() { T::select(d.is_nan(), d, T::select(d.is_negative(), T::number(T::Bits::int(0)), d)) } else { d }
}

/// `a + b`.
#[inline(always)]
pub fn add<T: Float>(m: Mods, a: T, b: T) -> T {
    result(m, operand(m, a).add(operand(m, b), m.round))
}

/// `a - b`.
#[inline(always)]
pub fn sub<T: Float>(m: Mods, a: T, b: T) -> T {
    result(m, operand(m, a).sub(operand(m, b), m.round))
}

/// `a * b`.
#[inline(always)]
pub fn mul<T: Float>(m: Mods, a: T, b: T) -> T {
    result(m, operand(m, a).mul(operand(m, b), m.round))
}

/// `a * b + c`, rounded once.
#[inline(always)]
pub fn fma<T: Float>(m: Mods, a: T, b: T, c: T) -> T {
    result(m, operand(m, a).fma(operand(m, b), operand(m, c), m.round))
}

/// `a * b + c`, or zero where an operand is the NaN that stands for an element outside of a tensor.
///
/// The manual does not give that NaN's bits; here it is the one of all ones, which arithmetic never delivers.
#[inline(always)]
pub fn fma_oob<T: Float<Bits = u16>>(m: Mods, a: T, b: T, c: T) -> T {
    let outside = |x: T| x.bits() == 0xffff;
    let zero = T::number(0);
    T::select(outside(a), zero, T::select(outside(b), zero, T::select(outside(c), zero, fma(m, a, b, c))))
}

/// Numbers with division and square root.
pub trait Divide: Float {
    /// `self / b`.
    fn div(self, b: Self, rounding: Rounding) -> Self;
    /// The square root.
    fn sqrt(self, rounding: Rounding) -> Self;
}

impl Divide for f32 {
    #[inline(always)]
    fn div(self, b: f32, rounding: Rounding) -> f32 {
        numerics::div_f32(self, b, rounding)
    }
    #[inline(always)]
    fn sqrt(self, rounding: Rounding) -> f32 {
        numerics::sqrt_f32(self, rounding)
    }
}

impl Divide for f64 {
    #[inline(always)]
    fn div(self, b: f64, rounding: Rounding) -> f64 {
        numerics::div_f64(self, b, rounding)
    }
    #[inline(always)]
    fn sqrt(self, rounding: Rounding) -> f64 {
        numerics::sqrt_f64(self, rounding)
    }
}

/// `a / b`.
#[inline(always)]
pub fn div<T: Divide>(m: Mods, a: T, b: T) -> T {
    result(m, operand(m, a).div(operand(m, b), m.round))
}

/// `1 / a`.
#[inline(always)]
pub fn rcp<T: Divide>(m: Mods, a: T) -> T {
    result(m, T::number(T::ONE).div(operand(m, a), m.round))
}

/// The square root of `a`; negative zero for negative zero.
#[inline(always)]
pub fn sqrt<T: Divide>(m: Mods, a: T) -> T {
    result(m, operand(m, a).sqrt(m.round))
}

/// `|a|`.
#[inline(always)]
pub fn abs<T: Float>(m: Mods, a: T) -> T {
    let a = operand(m, a);
    T::select(a.is_nan(), a.settle(), T::number(a.magnitude()))
}

/// `-a`.
#[inline(always)]
pub fn neg<T: Float>(m: Mods, a: T) -> T {
    let a = operand(m, a);
    T::select(a.is_nan(), a.settle(), T::number(a.bits().xor(T::SIGN)))
}

/// The magnitude of `b` with the sign of `a`.
#[inline(always)]
pub fn copysign<T: Float>(_: Mods, a: T, b: T) -> T {
    T::number(a.bits().and(T::SIGN).or(b.magnitude()))
}

/// Whether `a` has the property that the mode names. Zeros count as normal.
#[inline(always)]
pub fn test<T: Float>(m: Mods, a: T) -> bool {
    let magnitude = a.magnitude();
    match m.mode {
        Mode::Finite => magnitude.lt(T::INFINITY),
        Mode::Infinite => magnitude.eq(T::INFINITY),
        Mode::Number => !a.is_nan(),
        Mode::NotANumber => a.is_nan(),
        Mode::Subnormal => magnitude.lt(T::NORMAL) && !magnitude.eq(T::Bits::int(0)),
        _ => magnitude.lt(T::INFINITY) && (T::NORMAL.lt(magnitude.add(T::Bits::int(1))) || magnitude.eq(T::Bits::int(0))),
    }
}

/// The lesser of `a` and `b`, -0 below +0. A NaN counts as absent, unless `.NaN` makes it the result; `.abs` compares
/// magnitudes, and `.xorsign` gives the result the exclusive or of the operands' signs.
#[inline(always)]
pub fn min<T: Float>(m: Mods, a: T, b: T) -> T {
    extreme(m, a, b, |a, b| T::select(a.order().lt(b.order()), a, b))
}

/// The greater of `a` and `b`, with the rules of `min`.
#[inline(always)]
pub fn max<T: Float>(m: Mods, a: T, b: T) -> T {
    extreme(m, a, b, |a, b| T::select(b.order().lt(a.order()), a, b))
}

/// The least of `a`, `b` and `c`, with the rules of `min`.
#[inline(always)]
pub fn min3<T: Float>(m: Mods, a: T, b: T, c: T) -> T {
    min(m, min(m, a, b), c)
}

/// The greatest of `a`, `b` and `c`, with the rules of `min`.
#[inline(always)]
pub fn max3<T: Float>(m: Mods, a: T, b: T, c: T) -> T {
    max(m, max(m, a, b), c)
}

/// What min and max share: `choose` takes one of two numbers.
#[inline(always)]
fn extreme<T: Float>(m: Mods, a: T, b: T, choose: impl Fn(T, T) -> T) -> T {
    let (a, b) = (operand(m, a), operand(m, b));
    let sign = a.bits().xor(b.bits()).and(T::SIGN);
    let (a, b) = if m.abs() { (T::number(a.magnitude()), T::number(b.magnitude())) } else { (a, b) };
    let chosen = choose(a, b);
    let d = if m.nan() {
        T::select(a.is_nan(), T::NAN, T::select(b.is_nan(), T::NAN, chosen))
    } else {
        T::select(a.is_nan(), T::select(b.is_nan(), a.settle_both(b), b), T::select(b.is_nan(), a, chosen))
    };
    if m.xorsign() { T::select(d.is_nan(), d, T::number(d.magnitude().or(sign))) } else { d }
}

/// One function of two operands on numbers and on pairs of numbers.
macro_rules! two {
    ($f:ident: $($t:ty)*; $($pair:ty)*) => {
        &[$(lane2($f::<$t>),)* $(lane2(|m, a: $pair, b: $pair| a.map2(b, |a, b| $f(m, a, b)))),*]
    };
}

/// The same of one operand.
macro_rules! one {
    ($f:ident: $($t:ty)*; $($pair:ty)*) => {
        &[$(lane1($f::<$t>),)* $(lane1(|m, a: $pair| a.map(|a| $f(m, a)))),*]
    };
}

/// The same of three operands.
macro_rules! three {
    ($f:ident: $($t:ty)*; $($pair:ty)*) => {
        &[$(lane3($f::<$t>),)* $(lane3(|m, a: $pair, b: $pair, c: $pair| each_half(a, b, c, |a, b, c| $f(m, a, b, c)))),*]
    };
}

/// `f` on both halves of three pairs.
#[inline(always)]
fn each_half<P: Pair>(a: P, b: P, c: P, f: impl Fn(P::Half, P::Half, P::Half) -> P::Half) -> P {
    let ([al, ah], [bl, bh], [cl, ch]) = (a.halves(), b.halves(), c.halves());
    P::from_halves([f(al, bl, cl), f(ah, bh, ch)])
}

/// Minima: of two operands in every type, of three in f32.
const MIN: &[Instance] = &[
    lane2(min::<f32>),
    lane2(min::<f64>),
    lane2(min::<F16>),
    lane2(min::<Bf16>),
    lane2(|m, a: F16x2, b: F16x2| a.map2(b, |a, b| min(m, a, b))),
    lane2(|m, a: Bf16x2, b: Bf16x2| a.map2(b, |a, b| min(m, a, b))),
    lane3(min3::<f32>),
];

/// Maxima, likewise.
const MAX: &[Instance] = &[
    lane2(max::<f32>),
    lane2(max::<f64>),
    lane2(max::<F16>),
    lane2(max::<Bf16>),
    lane2(|m, a: F16x2, b: F16x2| a.map2(b, |a, b| max(m, a, b))),
    lane2(|m, a: Bf16x2, b: Bf16x2| a.map2(b, |a, b| max(m, a, b))),
    lane3(max3::<f32>),
];

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("float::add", two!(add: f32 f64 F16 Bf16; F32x2 F16x2 Bf16x2)),
    lane("float::sub", two!(sub: f32 f64 F16 Bf16; F32x2 F16x2 Bf16x2)),
    lane("float::mul", two!(mul: f32 f64 F16 Bf16; F32x2 F16x2 Bf16x2)),
    lane("float::fma", three!(fma: f32 f64 F16 Bf16; F32x2 F16x2 Bf16x2)),
    lane("float::fma_oob", three!(fma_oob: F16 Bf16; F16x2 Bf16x2)),
    lane("float::div", two!(div: f32 f64;)),
    lane("float::rcp", one!(rcp: f32 f64;)),
    lane("float::sqrt", one!(sqrt: f32 f64;)),
    lane("float::abs", one!(abs: f32 f64 F16 Bf16; F16x2 Bf16x2)),
    lane("float::neg", one!(neg: f32 f64 F16 Bf16; F16x2 Bf16x2)),
    lane("float::copysign", two!(copysign: f32 f64;)),
    lane("float::test", one!(test: f32 f64;)),
    lane("float::min", MIN),
    lane("float::max", MAX),
];
