//! Values of one lane, and what semantic functions may do with them.
//!
//! A lane function is written once, generic over the value: `fn mul_hi<T: Int>(m: Mods, a: T, b: T) -> T`. Today a value is a
//! number; the row of 32 is the compiler-vectorised loop over it ([`crate::row`]). Comparisons give [`Lane::Mask`] and choices go
//! through [`Lane::select`], never through `if`, so that a value can later be a node of an expression.

use numerics::{Bf16, F16};

/// The type of a register row or of one operand of a lane function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Type {
    Pred,
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    U128,
    F16,
    Bf16,
    F32,
    F64,
    F16x2,
    Bf16x2,
    F32x2,
    U16x2,
    S16x2,
    U8x4,
    S8x4,
}

impl Type {
    /// The type that a record's type name means to a lane function: bits count as unsigned.
    pub fn parse(name: &str) -> Option<Type> {
        Some(match name {
            "pred" => Type::Pred,
            "u8" | "b8" => Type::U8,
            "s8" => Type::S8,
            "u16" | "b16" => Type::U16,
            "s16" => Type::S16,
            "u32" | "b32" => Type::U32,
            "s32" => Type::S32,
            "u64" | "b64" => Type::U64,
            "s64" => Type::S64,
            "b128" | "u128" => Type::U128,
            "f16" => Type::F16,
            "bf16" => Type::Bf16,
            "f32" => Type::F32,
            "f64" => Type::F64,
            "f16x2" => Type::F16x2,
            "bf16x2" => Type::Bf16x2,
            "f32x2" => Type::F32x2,
            "u16x2" => Type::U16x2,
            "s16x2" => Type::S16x2,
            "u8x4" => Type::U8x4,
            "s8x4" => Type::S8x4,
            _ => return None,
        })
    }

    /// Bits of one lane; 1 for a predicate.
    #[inline]
    pub const fn bits(self) -> u32 {
        match self {
            Type::Pred => 1,
            Type::U8 | Type::S8 => 8,
            Type::U16 | Type::S16 | Type::F16 | Type::Bf16 => 16,
            Type::U32 | Type::S32 | Type::F32 | Type::F16x2 | Type::Bf16x2 => 32,
            Type::U16x2 | Type::S16x2 | Type::U8x4 | Type::S8x4 => 32,
            Type::U64 | Type::S64 | Type::F64 | Type::F32x2 => 64,
            Type::U128 => 128,
        }
    }

    /// Whether widening repeats the sign bit.
    #[inline]
    pub const fn signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }
}

/// A value of one lane.
pub trait Lane: Copy {
    /// The outcome of a comparison.
    type Mask: Copy;
    /// `yes` where the mask holds, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
}

/// A value that a register row holds as an array.
///
/// # Safety
/// Plain data: every bit pattern is a value, size equal to `TYPE.bits() / 8`.
pub unsafe trait Element: Copy + Default + 'static {
    /// Which type it is.
    const TYPE: Type;
    /// Its bits, zero-extended.
    fn to_bits(self) -> u128;
    /// The value with these low bits.
    fn from_bits(bits: u128) -> Self;
}

/// Integers: `add`, `sub`, `mul`, `neg`, `shl` wrap around.
pub trait Int: Lane + Element {
    /// Twice as wide; 64-bit integers stay as they are and have [`Int::mul_hi`].
    type Wide: Int;
    /// Unsigned of the same width.
    type Unsigned: Int;
    /// Width.
    const BITS: u32;
    /// Whether it has a sign.
    const SIGNED: bool;
    /// Least value.
    const MIN: Self;
    /// Greatest value.
    const MAX: Self;
    /// `n`, wrapped to the width.
    fn int(n: i64) -> Self;
    /// Sum.
    fn add(self, b: Self) -> Self;
    /// Difference.
    fn sub(self, b: Self) -> Self;
    /// Low half of the product.
    fn mul(self, b: Self) -> Self;
    /// High half of the product.
    fn mul_hi(self, b: Self) -> Self;
    /// Negation.
    fn neg(self) -> Self;
    /// Bitwise and.
    fn and(self, b: Self) -> Self;
    /// Bitwise or.
    fn or(self, b: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, b: Self) -> Self;
    /// Bitwise complement.
    fn not(self) -> Self;
    /// Shift left; zero from the width on.
    fn shl(self, n: u32) -> Self;
    /// Shift right, sign-filling if signed; from the width on all sign bits.
    fn shr(self, n: u32) -> Self;
    /// Sum clamped to the range.
    fn add_sat(self, b: Self) -> Self;
    /// Difference clamped to the range.
    fn sub_sat(self, b: Self) -> Self;
    /// Equal.
    fn eq(self, b: Self) -> Self::Mask;
    /// Less, in the type's own order.
    fn lt(self, b: Self) -> Self::Mask;
    /// Lesser.
    fn lesser(self, b: Self) -> Self;
    /// Greater.
    fn greater(self, b: Self) -> Self;
    /// Leading zeros of the bit pattern.
    fn leading_zeros(self) -> u32;
    /// Ones of the bit pattern.
    fn count_ones(self) -> u32;
    /// Reversed bit pattern.
    fn reverse_bits(self) -> Self;
    /// Sign- or zero-extended.
    fn widen(self) -> Self::Wide;
    /// The same bits as unsigned.
    fn unsigned(self) -> Self::Unsigned;
    /// Unsigned bits as this type.
    fn from_unsigned(bits: Self::Unsigned) -> Self;
    /// The value, for the rare function that is plainer in one type.
    fn to_i128(self) -> i128;
    /// The low bits of `n`.
    fn from_i128(n: i128) -> Self;
    /// Quotient toward zero; all ones for a zero divisor, the dividend for MIN / -1 (what the code of ptxas 13.5 gives).
    fn div(self, b: Self) -> Self;
    /// Remainder with the dividend's sign; all ones for a zero divisor (what the code of ptxas 13.5 gives).
    fn rem(self, b: Self) -> Self;
}

macro_rules! int {
    ($t:ident, $u:ident, $wide:ident, $double:ident, $type:ident, $signed:literal) => {
        impl Lane for $t {
            type Mask = bool;
            #[inline(always)]
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }
        }
        // SAFETY: a primitive integer of that size.
        unsafe impl Element for $t {
            const TYPE: Type = Type::$type;
            #[inline(always)]
            fn to_bits(self) -> u128 {
                self as $u as u128
            }
            #[inline(always)]
            fn from_bits(bits: u128) -> Self {
                bits as Self
            }
        }
        impl Int for $t {
            type Wide = $wide;
            type Unsigned = $u;
            const BITS: u32 = $t::BITS;
            const SIGNED: bool = $signed;
            const MIN: Self = $t::MIN;
            const MAX: Self = $t::MAX;
            #[inline(always)]
            fn int(n: i64) -> Self {
                n as Self
            }
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                self.wrapping_add(b)
            }
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                self.wrapping_sub(b)
            }
            #[inline(always)]
            fn mul(self, b: Self) -> Self {
                self.wrapping_mul(b)
            }
            #[inline(always)]
            fn mul_hi(self, b: Self) -> Self {
                ((self as $double).wrapping_mul(b as $double) >> Self::BITS) as Self
            }
            #[inline(always)]
            fn neg(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn and(self, b: Self) -> Self {
                self & b
            }
            #[inline(always)]
            fn or(self, b: Self) -> Self {
                self | b
            }
            #[inline(always)]
            fn xor(self, b: Self) -> Self {
                self ^ b
            }
            #[inline(always)]
            fn not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn shl(self, n: u32) -> Self {
                let shifted = self.wrapping_shl(n);
                if n < Self::BITS { shifted } else { 0 }
            }
            #[inline(always)]
            fn shr(self, n: u32) -> Self {
                if Self::SIGNED {
                    self >> n.min(Self::BITS - 1)
                } else {
                    let shifted = self.wrapping_shr(n);
                    if n < Self::BITS { shifted } else { 0 }
                }
            }
            #[inline(always)]
            fn add_sat(self, b: Self) -> Self {
                self.saturating_add(b)
            }
            #[inline(always)]
            fn sub_sat(self, b: Self) -> Self {
                self.saturating_sub(b)
            }
            #[inline(always)]
            fn eq(self, b: Self) -> bool {
                self == b
            }
            #[inline(always)]
            fn lt(self, b: Self) -> bool {
                self < b
            }
            #[inline(always)]
            fn lesser(self, b: Self) -> Self {
                if self < b { self } else { b }
            }
            #[inline(always)]
            fn greater(self, b: Self) -> Self {
                if self > b { self } else { b }
            }
            #[inline(always)]
            fn leading_zeros(self) -> u32 {
                (self as $u).leading_zeros()
            }
            #[inline(always)]
            fn count_ones(self) -> u32 {
                (self as $u).count_ones()
            }
            #[inline(always)]
            fn reverse_bits(self) -> Self {
                (self as $u).reverse_bits() as Self
            }
            #[inline(always)]
            fn widen(self) -> $wide {
                self as $wide
            }
            #[inline(always)]
            fn unsigned(self) -> $u {
                self as $u
            }
            #[inline(always)]
            fn from_unsigned(bits: $u) -> Self {
                bits as Self
            }
            #[inline(always)]
            fn to_i128(self) -> i128 {
                self as i128
            }
            #[inline(always)]
            fn from_i128(n: i128) -> Self {
                n as Self
            }
            #[inline(always)]
            fn div(self, b: Self) -> Self {
                if b == 0 { !0 } else { self.wrapping_div(b) }
            }
            #[inline(always)]
            fn rem(self, b: Self) -> Self {
                if b == 0 { !0 } else { self.wrapping_rem(b) }
            }
        }
    };
}

int!(u8, u8, u16, u16, U8, false);
int!(i8, u8, i16, i16, S8, true);
int!(u16, u16, u32, u32, U16, false);
int!(i16, u16, i32, i32, S16, true);
int!(u32, u32, u64, u64, U32, false);
int!(i32, u32, i64, i64, S32, true);
int!(u64, u64, u64, u128, U64, false);
int!(i64, u64, i64, i128, S64, true);

macro_rules! plain {
    ($t:ty, $type:ident, $to:expr, $from:expr) => {
        impl Lane for $t {
            type Mask = bool;
            #[inline(always)]
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }
        }
        // SAFETY: transparent over an integer or float of that size.
        unsafe impl Element for $t {
            const TYPE: Type = Type::$type;
            #[inline(always)]
            fn to_bits(self) -> u128 {
                ($to)(self) as u128
            }
            #[inline(always)]
            fn from_bits(bits: u128) -> Self {
                ($from)(bits)
            }
        }
    };
}

/// Two numbers in one register.
pub trait Pair: Lane + Element {
    /// One of them.
    type Half: Copy;
    /// Low and high half.
    fn halves(self) -> [Self::Half; 2];
    /// From low and high half.
    fn from_halves(halves: [Self::Half; 2]) -> Self;
}

/// Two numbers in one 32-bit or 64-bit register, the first in the low half.
macro_rules! pair {
    ($(#[$doc:meta])* $name:ident($bits:ty), $type:ident, $half:ty, $to:expr, $from:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(transparent)]
        pub struct $name(pub $bits);

        impl $name {
            /// Low and high half.
            #[inline(always)]
            pub fn halves(self) -> [$half; 2] {
                [($from)(self.0), ($from)(self.0 >> (<$bits>::BITS / 2))]
            }

            /// From low and high half.
            #[inline(always)]
            pub fn from_halves([low, high]: [$half; 2]) -> Self {
                $name(($to)(low) | ($to)(high) << (<$bits>::BITS / 2))
            }

            /// The same function on both halves.
            #[inline(always)]
            pub fn map2(self, b: Self, f: impl Fn($half, $half) -> $half) -> Self {
                let ([al, ah], [bl, bh]) = (self.halves(), b.halves());
                Self::from_halves([f(al, bl), f(ah, bh)])
            }

            /// The same function on both halves.
            #[inline(always)]
            pub fn map(self, f: impl Fn($half) -> $half) -> Self {
                Self::from_halves(self.halves().map(f))
            }
        }
        impl Pair for $name {
            type Half = $half;
            #[inline(always)]
            fn halves(self) -> [$half; 2] {
                $name::halves(self)
            }
            #[inline(always)]
            fn from_halves(halves: [$half; 2]) -> Self {
                $name::from_halves(halves)
            }
        }
        plain!($name, $type, |v: $name| v.0, |bits: u128| $name(bits as $bits));
    };
}

plain!(u128, U128, |v: u128| v, |bits: u128| bits);
plain!(F16, F16, |v: F16| v.0, |bits: u128| F16(bits as u16));
plain!(Bf16, Bf16, |v: Bf16| v.0, |bits: u128| Bf16(bits as u16));
plain!(f32, F32, f32::to_bits, |bits: u128| f32::from_bits(bits as u32));
plain!(f64, F64, f64::to_bits, |bits: u128| f64::from_bits(bits as u64));
pair!(/// Two f16.
    F16x2(u32), F16x2, F16, |h: F16| u32::from(h.0), |b: u32| F16(b as u16));
pair!(/// Two bf16.
    Bf16x2(u32), Bf16x2, Bf16, |h: Bf16| u32::from(h.0), |b: u32| Bf16(b as u16));
pair!(/// Two f32.
    F32x2(u64), F32x2, f32, |h: f32| u64::from(h.to_bits()), |b: u64| f32::from_bits(b as u32));
pair!(/// Two u16.
    U16x2(u32), U16x2, u16, |h: u16| u32::from(h), |b: u32| b as u16);
pair!(/// Two s16.
    S16x2(u32), S16x2, i16, |h: i16| u32::from(h as u16), |b: u32| b as i16);

/// Several integers in one 32-bit register, the first in the low bits.
pub trait Packed: Element {
    /// One of them.
    type Item: Int;
    /// The same function on each.
    fn each(self, f: impl Fn(Self::Item) -> Self::Item) -> Self;
    /// The same function on each pair of the same position.
    fn zip(self, b: Self, f: impl Fn(Self::Item, Self::Item) -> Self::Item) -> Self;
}

macro_rules! packed_pair {
    ($name:ident, $item:ty) => {
        impl Packed for $name {
            type Item = $item;
            #[inline(always)]
            fn each(self, f: impl Fn($item) -> $item) -> Self {
                self.map(f)
            }
            #[inline(always)]
            fn zip(self, b: Self, f: impl Fn($item, $item) -> $item) -> Self {
                self.map2(b, f)
            }
        }
    };
}
packed_pair!(U16x2, u16);
packed_pair!(S16x2, i16);

/// Four bytes in one 32-bit register, the first in the low bits.
macro_rules! quad {
    ($(#[$doc:meta])* $name:ident, $type:ident, $item:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl Packed for $name {
            type Item = $item;
            #[inline(always)]
            fn each(self, f: impl Fn($item) -> $item) -> Self {
                $name(u32::from_le_bytes(self.0.to_le_bytes().map(|byte| f(byte as $item) as u8)))
            }
            #[inline(always)]
            fn zip(self, b: Self, f: impl Fn($item, $item) -> $item) -> Self {
                let (a, b) = (self.0.to_le_bytes(), b.0.to_le_bytes());
                $name(u32::from_le_bytes(std::array::from_fn(|i| f(a[i] as $item, b[i] as $item) as u8)))
            }
        }
        plain!($name, $type, |v: $name| v.0, |bits: u128| $name(bits as u32));
    };
}
quad!(/// Four u8.
    U8x4, U8x4, u8);
quad!(/// Four s8.
    S8x4, S8x4, i8);
