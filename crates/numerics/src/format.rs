//! Floating-point formats as data, and the step between their bits and exact numbers.
//!
//! A [`Format`] says how many bits mean what; [`unpack`] turns bits into an [`Unpacked`] number without loss,
//! [`pack`] rounds one back exactly once. Everything that is not on a fast path goes through these two.
//!
//! Sources: PTX ISA 9.4, 5.2.2 and 5.2.3 (fundamental and alternate floating-point types); IEEE 754-2019; OCP 8-bit Floating Point
//! Specification 1.0 (e4m3, e5m2); OCP Microscaling Formats 1.0 (e2m1, e2m3, e3m2, ue8m0); canonical NaNs from
//! PTX ISA 9.4 (half precision, conversion) and CUDA's math_constants.h (f64).

use crate::rounding::{Rest, Rounding};

/// Which encodings are not finite numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specials {
    /// IEEE 754: exponent all ones is infinity (mantissa zero) or NaN.
    Ieee,
    /// No infinity; the magnitude of all ones is NaN (e4m3, ue8m0).
    NanAllOnes,
    /// No infinity, no negative zero; the bits of negative zero are the NaN (the `fnuz` formats).
    NanNegativeZero,
    /// Finite numbers only (e2m1, e2m3, e3m2).
    None,
}

/// A binary floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Its usual name, as PTX spells it where PTX has it.
    pub name: &'static str,
    /// Bits of the exponent field.
    pub exponent_bits: u32,
    /// Bits of the mantissa field (the hidden bit is not counted).
    pub mantissa_bits: u32,
    /// What is subtracted from the exponent field.
    pub bias: i32,
    /// Whether there is a sign bit, above the exponent field.
    pub signed: bool,
    /// Whether exponent field zero means zero and subnormal numbers; else it is a normal exponent and there is no zero.
    pub subnormals: bool,
    /// Infinity and NaN.
    pub specials: Specials,
    /// The NaN that operations deliver, if there is one.
    pub nan: Option<u64>,
    /// Unused bits below the mantissa in a register (tf32: 13).
    pub padding: u32,
}

const fn ieee(name: &'static str, exponent_bits: u32, mantissa_bits: u32, nan: u64) -> Format {
    Format {
        name,
        exponent_bits,
        mantissa_bits,
        bias: (1 << (exponent_bits - 1)) - 1,
        signed: true,
        subnormals: true,
        specials: Specials::Ieee,
        nan: Some(nan),
        padding: 0,
    }
}

const fn finite(name: &'static str, exponent_bits: u32, mantissa_bits: u32) -> Format {
    Format { specials: Specials::None, nan: None, ..ieee(name, exponent_bits, mantissa_bits, 0) }
}

impl Format {
    /// Half precision.
    pub const F16: Format = ieee("f16", 5, 10, 0x7fff);
    /// The upper half of single precision.
    pub const BF16: Format = ieee("bf16", 8, 7, 0x7fff);
    /// Single precision with ten mantissa bits, in the upper bits of a 32-bit register.
    pub const TF32: Format = Format { padding: 13, ..ieee("tf32", 8, 10, 0x7fff_ffff) };
    /// Single precision.
    pub const F32: Format = ieee("f32", 8, 23, 0x7fff_ffff);
    /// Double precision.
    pub const F64: Format = ieee("f64", 11, 52, 0xfff8_0000_0000_0000);
    /// 8-bit, range over precision, with infinity.
    pub const E5M2: Format = ieee("e5m2", 5, 2, 0x7f);
    /// 8-bit, precision over range: no infinity, largest number 448.
    pub const E4M3: Format = Format { specials: Specials::NanAllOnes, ..ieee("e4m3", 4, 3, 0x7f) };
    /// Unsigned e4m3 (block scale factors), bit 7 zero.
    pub const UE4M3: Format = Format { name: "ue4m3", signed: false, ..Format::E4M3 };
    /// Unsigned 8-bit with five exponent bits.
    pub const UE5M3: Format = Format { signed: false, specials: Specials::NanAllOnes, ..ieee("ue5m3", 5, 3, 0xff) };
    /// A power of two from 2^-127 to 2^127 (block scale factors).
    pub const UE8M0: Format =
        Format { signed: false, subnormals: false, specials: Specials::NanAllOnes, ..ieee("ue8m0", 8, 0, 0xff) };
    /// 6-bit, three mantissa bits.
    pub const E2M3: Format = finite("e2m3", 2, 3);
    /// 6-bit, two mantissa bits.
    pub const E3M2: Format = finite("e3m2", 3, 2);
    /// 4-bit.
    pub const E2M1: Format = finite("e2m1", 2, 1);
    /// e4m3 of AMD's CDNA3: bias 8, one NaN, no infinity, no negative zero.
    pub const E4M3_FNUZ: Format = Format { bias: 8, specials: Specials::NanNegativeZero, ..ieee("e4m3fnuz", 4, 3, 0x80) };
    /// e5m2 of AMD's CDNA3: bias 16, one NaN, no infinity, no negative zero.
    pub const E5M2_FNUZ: Format = Format { bias: 16, specials: Specials::NanNegativeZero, ..ieee("e5m2fnuz", 5, 2, 0x80) };

    /// Every format.
    const ALL: [&Format; 15] = [
        &Format::F16,
        &Format::BF16,
        &Format::TF32,
        &Format::F32,
        &Format::F64,
        &Format::E5M2,
        &Format::E4M3,
        &Format::UE4M3,
        &Format::UE5M3,
        &Format::UE8M0,
        &Format::E2M3,
        &Format::E3M2,
        &Format::E2M1,
        &Format::E4M3_FNUZ,
        &Format::E5M2_FNUZ,
    ];

    /// The format of this name.
    pub fn named(name: &str) -> Option<&'static Format> {
        Format::ALL.into_iter().find(|format| format.name == name)
    }

    /// Bits of exponent and mantissa together.
    #[inline]
    pub const fn magnitude_bits(&self) -> u32 {
        self.exponent_bits + self.mantissa_bits
    }

    /// Bits of a value, padding not counted.
    pub const fn bits(&self) -> u32 {
        self.magnitude_bits() + self.signed as u32
    }

    /// Exponent of the smallest normal number.
    #[inline]
    pub const fn min_exponent(&self) -> i32 {
        self.subnormals as i32 - self.bias
    }

    /// The magnitude field of the largest finite number.
    #[inline]
    pub const fn max_finite(&self) -> u64 {
        let all_ones = (1u64 << self.magnitude_bits()) - 1;
        match self.specials {
            Specials::Ieee => all_ones - (1 << self.mantissa_bits),
            Specials::NanAllOnes => all_ones - 1,
            Specials::NanNegativeZero | Specials::None => all_ones,
        }
    }

    /// The magnitude field of infinity, if the format has one.
    pub const fn infinity(&self) -> Option<u64> {
        match self.specials {
            Specials::Ieee => Some(self.max_finite() + 1),
            _ => None,
        }
    }

    /// The magnitude field of 1.
    #[inline]
    const fn one(&self) -> u64 {
        (self.bias as u64) << self.mantissa_bits
    }

    /// Bits of a sign and a magnitude field.
    #[inline]
    fn assemble(&self, sign: bool, magnitude: u64) -> u64 {
        let no_negative_zero = self.specials == Specials::NanNegativeZero && magnitude == 0;
        let sign = (sign && self.signed && !no_negative_zero) as u64;
        (sign << self.magnitude_bits() | magnitude) << self.padding
    }
}

/// What kind of number an [`Unpacked`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Zero of either sign.
    Zero,
    /// A finite number other than zero.
    Finite,
    /// Infinity of either sign.
    Infinite,
    /// Not a number.
    Nan,
}

/// A number taken apart: for [`Class::Finite`], `significand * 2^exponent` with its sign.
///
/// The significand need not be normalised and is not zero. Operations that cannot deliver all bits of a result set bit 0 of the
/// significand for what is below it (a sticky bit) and then keep at least 60 bits, more than two beyond any
/// format's precision, so that rounding once in [`pack`] stays right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unpacked {
    /// True for negative.
    pub sign: bool,
    /// What kind of number it is; the two fields below mean something for finite ones only.
    pub class: Class,
    /// Weight of bit 0 of the significand.
    pub exponent: i32,
    /// Magnitude in units of `2^exponent`; at most 126 bits.
    pub significand: u128,
}

impl Unpacked {
    /// Not a number.
    pub const NAN: Unpacked = Unpacked { sign: false, class: Class::Nan, exponent: 0, significand: 0 };

    /// Zero of the given sign.
    #[inline]
    pub const fn zero(sign: bool) -> Unpacked {
        Unpacked { sign, class: Class::Zero, exponent: 0, significand: 0 }
    }

    /// Infinity of the given sign.
    #[inline]
    pub const fn infinity(sign: bool) -> Unpacked {
        Unpacked { sign, class: Class::Infinite, exponent: 0, significand: 0 }
    }

    /// `significand * 2^exponent`, which may be zero.
    #[inline]
    pub const fn finite(sign: bool, exponent: i32, significand: u128) -> Unpacked {
        let class = if significand == 0 { Class::Zero } else { Class::Finite };
        Unpacked { sign, class, exponent, significand }
    }

    /// An integer.
    pub const fn integer(value: i128) -> Unpacked {
        Unpacked::finite(value < 0, 0, value.unsigned_abs())
    }

    /// The same number with the opposite sign.
    #[inline]
    pub const fn negated(self) -> Unpacked {
        Unpacked { sign: !self.sign, ..self }
    }

    /// The number multiplied by `2^shift`.
    #[inline]
    pub const fn scaled(self, shift: i32) -> Unpacked {
        Unpacked { exponent: self.exponent + shift, ..self }
    }
}

/// The number that `bits` stand for in `format`; bits outside the format are ignored.
#[inline]
pub fn unpack(format: &Format, bits: u64) -> Unpacked {
    let bits = bits >> format.padding;
    let sign = format.signed && bits >> format.magnitude_bits() & 1 == 1;
    let magnitude = bits & ((1 << format.magnitude_bits()) - 1);
    if magnitude > format.max_finite() {
        let infinite = format.specials == Specials::Ieee && magnitude == format.max_finite() + 1;
        return if infinite { Unpacked::infinity(sign) } else { Unpacked { sign, ..Unpacked::NAN } };
    }
    let field = (magnitude >> format.mantissa_bits) as i32;
    let mantissa = magnitude & ((1 << format.mantissa_bits) - 1);
    if sign && magnitude == 0 && format.specials == Specials::NanNegativeZero {
        return Unpacked::NAN;
    }
    if format.subnormals && field == 0 {
        return Unpacked::finite(sign, format.min_exponent() - format.mantissa_bits as i32, mantissa as u128);
    }
    let hidden = 1 << format.mantissa_bits;
    Unpacked::finite(sign, field - format.bias - format.mantissa_bits as i32, (mantissa | hidden) as u128)
}

/// What [`pack`] does to a result besides rounding it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackOptions {
    /// Infinity and overflow become the largest finite number of that sign (`.satfinite`).
    pub saturate_finite: bool,
    /// Negative results, negative zero among them, become positive zero (`.relu`).
    pub relu: bool,
    /// Negative zero becomes positive zero (`.pzo`).
    pub positive_zero: bool,
    /// Subnormal results become zero of the same sign (`.ftz`).
    pub flush_subnormals: bool,
    /// Results are limited to [0, 1], NaN becomes positive zero (`.sat`).
    pub saturate_unit: bool,
}

/// Rounds a number to `format`, once.
///
/// NaN becomes the format's NaN, or its largest number where it has none (PTX ISA 9.4, cvt, `.satfinite`).
/// Overflow and infinity become infinity as the rounding asks, NaN in a format without infinity, the largest number in one without
/// NaN. An unsigned format drops the sign first (CUDA 13.5, cuda_fp8.h, on ue5m3 and ue8m0); one without zero has its smallest number instead.
#[inline]
pub fn pack(format: &Format, value: &Unpacked, rounding: Rounding, options: PackOptions) -> u64 {
    let negative = value.sign && format.signed;
    let to_finite = rounding.overflows_to_finite(negative);
    pack_by(format, value, to_finite, options, |odd, significand, shift| {
        rounding.increments(negative, odd, rest(significand, shift))
    })
}

/// Rounds a number to `format` stochastically (`.rs`): `random`, a number of `random_bits` bits, is added to that many
/// bits below the last kept one, and a carry out of them increases the magnitude. Bits further below are ignored.
///
/// Source: PTX ISA 9.4, cvt, `.rs`. At most 32 random bits.
pub fn pack_stochastic(format: &Format, value: &Unpacked, random: u32, random_bits: u32, options: PackOptions) -> u64 {
    pack_by(format, value, false, options, |_, significand, shift| {
        let discarded = take_below(significand, shift, random_bits);
        let mask = (1u64 << random_bits) - 1;
        (discarded + (random as u64 & mask)) >> random_bits != 0
    })
}

/// The `count` bits of `significand` just below bit `shift`.
fn take_below(significand: u128, shift: u32, count: u32) -> u64 {
    let mask = (1u128 << count) - 1;
    let bits = if shift >= count { significand.checked_shr(shift - count).unwrap_or(0) } else { significand << (count - shift) };
    (bits & mask) as u64
}

/// What `significand` has below bit `shift`, compared with half of that bit.
#[inline]
fn rest(significand: u128, shift: u32) -> Rest {
    if shift == 0 {
        return Rest::Zero;
    }
    if shift > 128 {
        return Rest::BelowHalf;
    }
    let half = 1u128 << (shift - 1);
    let below = significand & (half | (half - 1));
    match (below, below.cmp(&half)) {
        (0, _) => Rest::Zero,
        (_, std::cmp::Ordering::Less) => Rest::BelowHalf,
        (_, std::cmp::Ordering::Equal) => Rest::Half,
        (_, std::cmp::Ordering::Greater) => Rest::AboveHalf,
    }
}

/// A number rounded to an integer, limited to 126 bits; zero for NaN.
pub fn round_to_integer(value: &Unpacked, rounding: Rounding) -> i128 {
    const LIMIT: u128 = 1 << 126;
    let magnitude = match value.class {
        Class::Nan | Class::Zero => 0,
        Class::Infinite => LIMIT,
        Class::Finite if value.exponent >= value.significand.leading_zeros() as i32 => LIMIT,
        Class::Finite if value.exponent >= 0 => value.significand << value.exponent,
        Class::Finite => {
            let shift = value.exponent.unsigned_abs();
            let kept = value.significand.checked_shr(shift).unwrap_or(0);
            kept + rounding.increments(value.sign, kept & 1 == 1, rest(value.significand, shift)) as u128
        }
    };
    let magnitude = magnitude.min(LIMIT) as i128;
    if value.sign { -magnitude } else { magnitude }
}

/// [`pack`] for any rule of rounding: `increments(odd, significand, shift)` says whether the magnitude `significand >> shift`
/// is to be increased.
#[inline]
fn pack_by(
    format: &Format,
    value: &Unpacked,
    overflow_to_finite: bool,
    options: PackOptions,
    increments: impl FnOnce(bool, u128, u32) -> bool,
) -> u64 {
    let magnitude = match value.class {
        Class::Nan if options.saturate_unit => return 0,
        Class::Nan => return format.nan.unwrap_or(format.max_finite()),
        _ if value.sign && (options.relu || options.saturate_unit) => return 0,
        Class::Zero => 0,
        Class::Infinite => format.max_finite() + 1,
        Class::Finite => round_magnitude(format, value, increments),
    };
    let magnitude = if options.saturate_unit { magnitude.min(format.one()) } else { magnitude };
    if magnitude > format.max_finite() {
        let to_finite = options.saturate_finite || (overflow_to_finite && value.class == Class::Finite);
        return match (to_finite, format.infinity(), format.nan) {
            (false, Some(infinity), _) => format.assemble(value.sign, infinity),
            (false, None, Some(nan)) => nan,
            _ => format.assemble(value.sign, format.max_finite()),
        };
    }
    let subnormal = magnitude >> format.mantissa_bits == 0 && format.subnormals;
    let magnitude = if options.flush_subnormals && subnormal { 0 } else { magnitude };
    format.assemble(value.sign && !(options.positive_zero && magnitude == 0), magnitude)
}

/// The magnitude field of a finite number after rounding; any value above [`Format::max_finite`] means overflow.
#[inline]
fn round_magnitude(format: &Format, value: &Unpacked, increments: impl FnOnce(bool, u128, u32) -> bool) -> u64 {
    let top = 127 - value.significand.leading_zeros() as i32;
    let exponent = (value.exponent + top).max(format.min_exponent());
    if exponent - format.min_exponent() >= 1 << format.exponent_bits {
        return u64::MAX;
    }
    let shift = exponent - format.mantissa_bits as i32 - value.exponent;
    let kept = if shift <= 0 {
        (value.significand << -shift) as u64
    } else {
        let shift = shift as u32;
        let kept = value.significand.checked_shr(shift).unwrap_or(0) as u64;
        kept + increments(kept & 1 == 1, value.significand, shift) as u64
    };
    // The hidden bit adds one to the exponent field, and so does a carry out of the mantissa.
    let field = ((exponent - format.min_exponent()) as u64) << format.mantissa_bits;
    let hidden = if format.subnormals { 0 } else { 1 << format.mantissa_bits };
    (field + kept).saturating_sub(hidden)
}
