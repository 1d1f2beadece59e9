//! Conversions between integers, numbers and packed numbers.
//!
//! PTX ISA 9.4, 9.7.10.24 (cvt), 9.7.10.25 (cvt.pack) and 6.5. What the manual leaves open:
//! - NaN: a NaN is the destination's canonical one, but bf16 to f32 keeps all bits (ptxas shifts), f32 to f64 keeps sign and payload,
//!   and within f32 and f64 a conversion that
//!   rounds nothing keeps the number as it is.
//! - ue8m0 and ue5m3 have no sign: the magnitude is converted (as CUDA's cuda_fp8.hpp does for ue8m0).
//! - tf32 is the upper 19 bits of an f32, the lower ones zero; a NaN keeps its upper bits and becomes quiet.
//! - Random bits for four numbers of 8 or 6 bits: both of a pair use the same 16. For four of 4 bits: the bytes of `rbits` from the
//!   top serve the first, third, second and fourth number. The manual shows this in figures only.
//! - `.scaled::n1`: operands that are subnormal in their own format count as zero.

use crate::float::{self, Float};
use crate::{Function, lane};
use machine::lane::{Bf16x2, F16x2, Pair};
use machine::mods::Format;
use machine::row::{Instance, lane1, lane2, rare1, rare2, rare3, rare5};
use machine::{Element, Int, Lane, Mods, Type};
use numerics::{Bf16, F16, PackOptions, Rounding, Unpacked};

/// An integer as another: its low bits, sign- or zero-extended; clamped to the range with `.sat`.
#[inline(always)]
pub fn int<D: Int, A: Int>(m: Mods, a: A) -> D {
    let a = a.to_i128();
    D::from_i128(if m.sat() { a.clamp(D::MIN.to_i128(), D::MAX.to_i128()) } else { a })
}

/// A number whose integral part fits an integer type: Rust's `as`, which clamps and makes zero of NaN.
pub trait Truncate<D>: Float {
    /// The integral part, clamped.
    fn truncate(self) -> D;
    /// Rounded to an integral value.
    fn integral(self, rounding: Rounding) -> Self;
}

/// A number rounded to an integral value as `.rni .rzi .rmi .rpi` say, then clamped to the integer's range. NaN gives zero if the
/// number is not an f64 and the integer has fewer than 64 bits, else the integer whose top bit alone is set.
#[inline(always)]
pub fn float_to_int<D: Int<Mask = bool>, A: Truncate<D>>(m: Mods, a: A) -> D {
    let a = if A::TYPE == Type::F32 { float::operand(m, a) } else { a };
    // The cast itself rounds toward zero.
    let integral = if m.round == Rounding::TowardZero { a } else { a.integral(m.round) };
    let top = D::int(1).shl(D::BITS - 1);
    let nan = if A::TYPE != Type::F64 && D::BITS < 64 { D::int(0) } else { top };
    D::select(a.is_nan(), nan, integral.truncate())
}

/// An integer that a floating-point type may hold: Rust's `as` rounds to nearest.
pub trait Nearest<D>: Int {
    /// The nearest number, if the type has a fast way to it.
    fn nearest(self) -> Option<D>;
}

/// An integer as a number, rounded; clamped to 0..1 with `.sat`.
#[inline(always)]
pub fn int_to_float<D: Float, A: Nearest<D>>(m: Mods, a: A) -> D {
    match a.nearest() {
        Some(nearest) if m.round == Rounding::NearestEven => float::result(m, nearest),
        _ => D::from_bits(numerics::integer_to_float(a.to_i128(), D::FORMAT, m.round, options(m)).into()),
    }
}

/// What the settings do to a result.
#[inline(always)]
fn options(m: Mods) -> PackOptions {
    PackOptions {
        saturate_finite: m.satfinite(),
        relu: m.relu(),
        positive_zero: m.pzo(),
        flush_subnormals: false,
        saturate_unit: m.sat(),
    }
}

/// A number in another format, rounded if need be. `.ftz` flushes f32 operands and results.
#[inline(always)]
pub fn float<D: Float, A: Float>(m: Mods, a: A) -> D {
    let a = if A::TYPE == Type::F32 { float::operand(m, a) } else { a };
    let options = PackOptions { flush_subnormals: m.flushes_results() && D::TYPE == Type::F32, ..options(m) };
    D::from_bits(numerics::convert(A::FORMAT, D::FORMAT, a.to_bits() as u64, m.round, options).into())
}

/// [`float`] from f32 to half precision, with a fast path to nearest.
#[inline(always)]
fn to_half<D: Half>(m: Mods, a: f32) -> D {
    if m == Mods::default() { D::nearest(a) } else { float(m, a) }
}

/// [`float`] from half precision to f32.
#[inline(always)]
fn from_half<A: Half>(m: Mods, a: A) -> f32 {
    float::result(m, float::operand(m, a.single()))
}

/// [`float`] from f64 to f32.
#[inline(always)]
fn double_to_single(m: Mods, a: f64) -> f32 {
    float::result(m, numerics::f32_from_f64(a, m.round))
}

/// [`float`] from f32 to f64.
#[inline(always)]
fn single_to_double(m: Mods, a: f32) -> f64 {
    let a = float::operand(m, a);
    let bits = u64::from(a.to_bits());
    let nan = f64::from_bits((bits & 0x8000_0000) << 32 | 0x7ff8 << 48 | (bits & 0x007f_ffff) << 29);
    let d = f64::select(a.is_nan(), nan, f64::from(a));
    if m.sat() { d.saturate() } else { d }
}

/// A half-precision number.
pub trait Half: Float {
    /// The nearest to an f32.
    fn nearest(a: f32) -> Self;
    /// As f32.
    fn single(self) -> f32;
}

impl Half for F16 {
    #[inline(always)]
    fn nearest(a: f32) -> F16 {
        F16::from_f32(a)
    }
    #[inline(always)]
    fn single(self) -> f32 {
        numerics::canonical_f32(self.to_f32())
    }
}

impl Half for Bf16 {
    #[inline(always)]
    fn nearest(a: f32) -> Bf16 {
        Bf16::from_f32(a)
    }
    #[inline(always)]
    fn single(self) -> f32 {
        self.to_f32()
    }
}

/// A number of the same type, rounded to an integral value if `.rni .rzi .rmi .rpi` say so.
#[inline(always)]
pub fn integral<T: Truncate<i64>>(m: Mods, a: T) -> T {
    let a = float::operand(m, a);
    let canonical = T::select(a.is_nan(), T::NAN, a);
    let as_it_is = if T::TYPE.bits() == 16 { canonical } else { a };
    float::result(m, if m.integral() { a.integral(m.round) } else { as_it_is })
}

/// Two f32 as a pair of halves, the first in the upper one.
#[inline(always)]
pub fn pair<D: Pair<Half: Half>>(m: Mods, a: f32, b: f32) -> D {
    D::from_halves([to_half(m, b), to_half(m, a)])
}

/// Two f32 as a pair of halves, the first in the upper one, each rounded by the bits in its half of `rbits`: 13 of them for f16,
/// 16 for bf16.
#[inline(always)]
pub fn pair_stochastic<D: Pair<Half: Half>>(m: Mods, a: f32, b: f32, rbits: u32) -> D {
    let format = <D::Half as Float>::FORMAT;
    let count = 23 - format.mantissa_bits;
    let half = |x: f32, random: u32| {
        D::Half::from_bits(numerics::pack_stochastic(format, &float::unpacked(x), random, count, options(m)).into())
    };
    D::from_halves([half(b, rbits & 0xffff), half(a, rbits >> 16)])
}

/// An f32 as tf32.
#[inline(always)]
pub fn tf32(m: Mods, a: f32) -> u32 {
    let packed = numerics::pack(&numerics::Format::TF32, &float::unpacked(a), m.round, options(m)) as u32;
    u32::select(a.is_nan(), a.to_bits() & 0xffff_e000 | 0x0040_0000, packed)
}

/// The number format of a setting; `None` for integers and fixed point.
pub(crate) fn number_format(format: Format) -> Option<&'static numerics::Format> {
    Some(match format {
        Format::F16 => &numerics::Format::F16,
        Format::Bf16 => &numerics::Format::BF16,
        Format::Tf32 => &numerics::Format::TF32,
        Format::F32 => &numerics::Format::F32,
        Format::E4m3 => &numerics::Format::E4M3,
        Format::E5m2 => &numerics::Format::E5M2,
        Format::E4m3Fnuz => &numerics::Format::E4M3_FNUZ,
        Format::E5m2Fnuz => &numerics::Format::E5M2_FNUZ,
        Format::E2m3 => &numerics::Format::E2M3,
        Format::E3m2 => &numerics::Format::E3M2,
        Format::E2m1 | Format::E2m1p4 => &numerics::Format::E2M1,
        Format::Ue8m0 => &numerics::Format::UE8M0,
        Format::Ue5m3 => &numerics::Format::UE5M3,
        _ => return None,
    })
}

/// Bits from one element of a packed operand to the next.
pub(crate) fn stride(format: Format) -> u32 {
    match format {
        Format::E2m1 | Format::U4 | Format::S4 => 4,
        Format::U2 | Format::S2 => 2,
        Format::U16 | Format::S16 => 16,
        _ => 8,
    }
}

/// The number that element `i` of `bits` stands for.
pub(crate) fn element(format: Format, bits: u32, i: u32) -> Unpacked {
    let bits = bits >> (i * stride(format));
    match number_format(format) {
        Some(format) => numerics::unpack(format, bits.into()),
        None => numerics::unpack_s2f6(bits as u8),
    }
}

/// The bits of an exact number in the format of the result.
fn packed(m: Mods, x: &Unpacked) -> u32 {
    match number_format(m.to) {
        Some(format) => numerics::pack(format, x, m.round, options(m)) as u32,
        None => numerics::pack_s2f6(x, m.round, m.relu()).into(),
    }
}

/// Two packed numbers, the first above the second.
fn packed2<D: Int>(m: Mods, a: &Unpacked, b: &Unpacked) -> D {
    D::from_i128((packed(m, a) << stride(m.to) | packed(m, b)).into())
}

/// Two f32 in the 8-bit, 6-bit or 4-bit format of the result, the first above the second.
pub fn pack<D: Int>(m: Mods, a: f32, b: f32) -> D {
    packed2(m, &float::unpacked(a), &float::unpacked(b))
}

/// Two numbers divided by scale factors and packed: by a factor each (16 bits, the first one's above), or by one for both (8 bits),
/// where subnormal numbers count as zero.
pub fn pack_scaled<D: Int, S: Int>(m: Mods, a: f32, b: f32, scale: S) -> D {
    let (a, b) = scaled_down(a, b, scale);
    packed2(m, &a, &b)
}

/// Both halves of a pair in the 8-bit, 6-bit or 4-bit format of the result.
pub fn narrow<D: Int, A: Pair<Half: Float>>(m: Mods, a: A) -> D {
    let [low, high] = a.halves();
    packed2(m, &float::unpacked(high), &float::unpacked(low))
}

/// The same after division by scale factors, as in [`pack_scaled`].
pub fn narrow_scaled<D: Int, A: Pair<Half: Float>, S: Int>(m: Mods, a: A, scale: S) -> D {
    let [low, high] = a.halves();
    let (high, low) = scaled_down(high, low, scale);
    packed2(m, &high, &low)
}

/// `a` and `b` divided by their scale factors.
fn scaled_down<T: Float, S: Int>(a: T, b: T, scale: S) -> (Unpacked, Unpacked) {
    let scale = scale.to_i128() as u32;
    if S::BITS == 8 {
        let (a, b) = (float::unpacked(a.flush()), float::unpacked(b.flush()));
        return (over(a, scale), over(b, scale));
    }
    (over(float::unpacked(a), scale >> 8), over(float::unpacked(b), scale))
}

/// `x` divided by the power of two that a ue8m0 byte stands for.
fn over(x: Unpacked, scale: u32) -> Unpacked {
    match scale & 0xff {
        0xff => Unpacked::NAN,
        scale => x.scaled(127 - scale as i32),
    }
}

/// `x` times the power of two that a ue8m0 byte stands for.
fn times(x: Unpacked, scale: u32) -> Unpacked {
    match scale & 0xff {
        0xff => Unpacked::NAN,
        scale => x.scaled(scale as i32 - 127),
    }
}

/// Two packed numbers as a pair of halves.
pub fn widen<D: Pair<Half: Float>, A: Int>(m: Mods, a: A) -> D {
    let bits = a.to_i128() as u32;
    D::from_halves([0, 1].map(|i| half(m, &element(m.from, bits, i))))
}

/// Two packed numbers as a pair of halves, each times its scale factor, rounded once.
pub fn widen_scaled<D: Pair<Half: Float>, A: Int>(m: Mods, a: A, scale: u16) -> D {
    let bits = a.to_i128() as u32;
    D::from_halves([0, 1].map(|i| half(m, &times(element(m.from, bits, i), u32::from(scale) >> (8 * i)))))
}

/// An exact number as a half.
fn half<D: Float>(m: Mods, x: &Unpacked) -> D {
    D::from_bits(numerics::pack(D::FORMAT, x, m.round, options(m)).into())
}

/// Four f32 in the 8-bit, 6-bit or 4-bit format of the result, the first at the top, each rounded by bits of `rbits`.
pub fn pack4_stochastic<D: Int>(m: Mods, a: f32, b: f32, e: f32, f: f32, rbits: u32) -> D {
    let (count, random) = if m.to == Format::E2m1 {
        (8, [rbits >> 24, rbits >> 8, rbits >> 16, rbits])
    } else {
        (16, [rbits >> 16, rbits >> 16, rbits, rbits])
    };
    let format = number_format(m.to).unwrap_or(&numerics::Format::E4M3);
    let mut d = 0;
    for (x, random) in [a, b, e, f].into_iter().zip(random) {
        let bits = numerics::pack_stochastic(format, &float::unpacked(x), random, count, options(m));
        d = d << stride(m.to) | bits as u32;
    }
    D::from_i128(d.into())
}

/// Two integers clamped to the range of the result's elements, the first above the second.
pub fn pack_int(m: Mods, a: i32, b: i32) -> i32 {
    let bits = stride(m.to);
    let integer = numerics::Integer { bits, signed: matches!(m.to, Format::S2 | Format::S4 | Format::S8 | Format::S16) };
    let clamped = |x: i32| i128::from(x).clamp(integer.min(), integer.max()) as u32 & ((1 << bits) - 1);
    (clamped(a) << bits | clamped(b)) as i32
}

/// The same below the low bits of `c`.
pub fn pack_int_above(m: Mods, a: i32, b: i32, c: u32) -> i32 {
    (c << (2 * stride(m.to))) as i32 | pack_int(m, a, b)
}

/// Conversions of numbers to integers and back, for all pairs of types.
macro_rules! numbers_and_integers {
    ($($int:ident)*) => {
        $(
            impl Truncate<$int> for f32 {
                #[inline(always)]
                fn truncate(self) -> $int {
                    self as $int
                }
                #[inline(always)]
                fn integral(self, rounding: Rounding) -> f32 {
                    numerics::integral_f32(self, rounding)
                }
            }
            impl Truncate<$int> for f64 {
                #[inline(always)]
                fn truncate(self) -> $int {
                    self as $int
                }
                #[inline(always)]
                fn integral(self, rounding: Rounding) -> f64 {
                    numerics::integral_f64(self, rounding)
                }
            }
            impl Truncate<$int> for F16 {
                #[inline(always)]
                fn truncate(self) -> $int {
                    self.to_f32() as $int
                }
                #[inline(always)]
                fn integral(self, rounding: Rounding) -> F16 {
                    numerics::integral_f16(self, rounding)
                }
            }
            impl Truncate<$int> for Bf16 {
                #[inline(always)]
                fn truncate(self) -> $int {
                    self.to_f32() as $int
                }
                #[inline(always)]
                fn integral(self, rounding: Rounding) -> Bf16 {
                    numerics::integral_bf16(self, rounding)
                }
            }
            impl Nearest<f32> for $int {
                #[inline(always)]
                fn nearest(self) -> Option<f32> {
                    Some(self as f32)
                }
            }
            impl Nearest<f64> for $int {
                #[inline(always)]
                fn nearest(self) -> Option<f64> {
                    Some(self as f64)
                }
            }
            impl Nearest<F16> for $int {
                #[inline(always)]
                fn nearest(self) -> Option<F16> {
                    None
                }
            }
            impl Nearest<Bf16> for $int {
                #[inline(always)]
                fn nearest(self) -> Option<Bf16> {
                    None
                }
            }
        )*
        const FLOAT_TO_INT: &[Instance] = &[$(
            lane1(float_to_int::<$int, f32>), lane1(float_to_int::<$int, f64>),
            rare1(float_to_int::<$int, F16>), rare1(float_to_int::<$int, Bf16>),
        )*];
        const INT_TO_FLOAT: &[Instance] = &[$(
            lane1(int_to_float::<f32, $int>), lane1(int_to_float::<f64, $int>),
            rare1(int_to_float::<F16, $int>), rare1(int_to_float::<Bf16, $int>),
        )*];
        const INT: &[Instance] = &[$(
            lane1(int::<u8, $int>), lane1(int::<u16, $int>), lane1(int::<u32, $int>), lane1(int::<u64, $int>),
            lane1(int::<i8, $int>), lane1(int::<i16, $int>), lane1(int::<i32, $int>), lane1(int::<i64, $int>),
        )*];
    };
}

numbers_and_integers!(u8 u16 u32 u64 i8 i16 i32 i64);

/// Between all formats of numbers.
const FLOAT: &[Instance] = &[
    lane1(to_half::<F16>),
    lane1(to_half::<Bf16>),
    lane1(from_half::<F16>),
    lane1(from_half::<Bf16>),
    lane1(double_to_single),
    lane1(single_to_double),
    rare1(float::<F16, f64>),
    rare1(float::<Bf16, f64>),
    rare1(float::<f64, F16>),
    rare1(float::<f64, Bf16>),
    rare1(float::<F16, Bf16>),
    rare1(float::<Bf16, F16>),
];

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("convert::int", INT),
    lane("convert::float_to_int", FLOAT_TO_INT),
    lane("convert::int_to_float", INT_TO_FLOAT),
    lane("convert::float", FLOAT),
    lane("convert::integral", &[rare1(integral::<f32>), rare1(integral::<f64>), rare1(integral::<F16>), rare1(integral::<Bf16>)]),
    lane("convert::pair", &[lane2(pair::<F16x2>), lane2(pair::<Bf16x2>)]),
    lane("convert::pair_stochastic", &[rare3(pair_stochastic::<F16x2>), rare3(pair_stochastic::<Bf16x2>)]),
    lane("convert::tf32", &[rare1(tf32)]),
    lane("convert::pack", &[rare2(pack::<u8>), rare2(pack::<u16>)]),
    lane("convert::pack_scaled", &[rare3(pack_scaled::<u8, u8>), rare3(pack_scaled::<u16, u8>), rare3(pack_scaled::<u16, u16>)]),
    lane(
        "convert::narrow",
        &[rare1(narrow::<u8, F16x2>), rare1(narrow::<u8, Bf16x2>), rare1(narrow::<u16, F16x2>), rare1(narrow::<u16, Bf16x2>)],
    ),
    lane(
        "convert::narrow_scaled",
        &[
            rare2(narrow_scaled::<u8, F16x2, u8>),
            rare2(narrow_scaled::<u8, Bf16x2, u8>),
            rare2(narrow_scaled::<u16, F16x2, u8>),
            rare2(narrow_scaled::<u16, Bf16x2, u8>),
            rare2(narrow_scaled::<u16, Bf16x2, u16>),
        ],
    ),
    lane(
        "convert::widen",
        &[rare1(widen::<F16x2, u8>), rare1(widen::<F16x2, u16>), rare1(widen::<Bf16x2, u8>), rare1(widen::<Bf16x2, u16>)],
    ),
    lane("convert::widen_scaled", &[rare2(widen_scaled::<Bf16x2, u8>), rare2(widen_scaled::<Bf16x2, u16>)]),
    lane("convert::pack4_stochastic", &[rare5(pack4_stochastic::<u16>), rare5(pack4_stochastic::<u32>)]),
    lane("convert::pack_int", &[rare2(pack_int)]),
    lane("convert::pack_int_above", &[rare3(pack_int_above)]),
];
