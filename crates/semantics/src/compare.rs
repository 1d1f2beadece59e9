//! Comparisons that give a predicate (setp) or a number (set).
//!
//! PTX ISA 9.4, 9.3.1, 9.7.7.1, 9.7.7.2 and 9.7.8.

use crate::logic::combine;
use crate::{Function, each, lane};
use machine::lane::{Bf16x2, F16x2, Packed, S8x4, S16x2, U8x4, U16x2};
use machine::mods::Compare;
use machine::row::{Complement, compare2, compare3, lane2, lane3, rare1, rare2, rare3};
use machine::{Int, Lane, Mods};
use numerics::{Bf16, F16, flush_f32};

/// A value that can be compared.
pub trait Ordered: Copy {
    /// What is compared in its place.
    type Key: PartialOrd;
    /// The value to compare; with `.ftz` subnormal numbers count as zero.
    fn key(self, m: Mods) -> Self::Key;
}

macro_rules! ordered {
    ($($t:ty: $key:ty, |$m:ident, $a:ident| $made:expr;)*) => { $(
        impl Ordered for $t {
            type Key = $key;
            #[inline(always)]
            fn key(self, $m: Mods) -> $key {
                let $a = self;
                $made
            }
        }
    )* };
}
ordered! {
    u8: u8, |_m, a| a; i8: i8, |_m, a| a; u16: u16, |_m, a| a; i16: i16, |_m, a| a;
    u32: u32, |_m, a| a; i32: i32, |_m, a| a; u64: u64, |_m, a| a; i64: i64, |_m, a| a;
    f32: f32, |m, a| if m.flushes_sources() { flush_f32(a) } else { a };
    f64: f64, |_m, a| a;
    F16: f32, |m, a| (if m.flushes_sources() { a.flush() } else { a }).to_f32();
    Bf16: f32, |_m, a| a.to_f32();
}

/// Whether the comparison is true.
#[inline(always)]
#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "true of unordered values, as the comparison is")]
pub(crate) fn holds<T: Ordered>(m: Mods, a: T, b: T) -> bool {
    let (a, b) = (a.key(m), b.key(m));
    match m.compare {
        Compare::None => false,
        Compare::Eq => a == b,
        Compare::Ne => (a < b) | (a > b),
        Compare::Lt => a < b,
        Compare::Le => a <= b,
        Compare::Gt => a > b,
        Compare::Ge => a >= b,
        Compare::Equ => !((a < b) | (a > b)),
        Compare::Neu => a != b,
        Compare::Ltu => !(a >= b),
        Compare::Leu => !(a > b),
        Compare::Gtu => !(a <= b),
        Compare::Geu => !(a < b),
        Compare::Num => (a <= b) | (a > b),
        Compare::Nan => !((a <= b) | (a > b)),
    }
}

/// Whether `a` compares to `b`, and whether it does not.
#[inline(always)]
pub fn setp<T: Ordered>(m: Mods, a: T, b: T) -> Complement {
    Complement(holds(m, a, b))
}

/// Whether `a` compares to `b`, and whether it does not, each combined with `c`.
#[inline(always)]
pub fn setp_bool<T: Ordered>(m: Mods, a: T, b: T, c: bool) -> (bool, bool) {
    let t = holds(m, a, b);
    (combine(m, t, c), combine(m, !t, c))
}

/// [`setp`] without the complement, which half precision lacks.
#[inline(always)]
fn holds_bool<T: Ordered>(m: Mods, a: T, b: T, c: bool) -> bool {
    combine(m, holds(m, a, b), c)
}

/// Two values in one register.
pub trait Halves: Copy {
    /// One of them.
    type Half: Ordered;
    /// The low one and the high one.
    fn halves(self) -> [Self::Half; 2];
}
impl Halves for F16x2 {
    type Half = F16;
    #[inline(always)]
    fn halves(self) -> [F16; 2] {
        F16x2::halves(self)
    }
}
impl Halves for Bf16x2 {
    type Half = Bf16;
    #[inline(always)]
    fn halves(self) -> [Bf16; 2] {
        Bf16x2::halves(self)
    }
}

/// Whether the low half of `a` compares to that of `b`, and whether the high half does.
#[inline(always)]
pub fn setp_lanes<P: Halves>(m: Mods, a: P, b: P) -> (bool, bool) {
    let ([a0, a1], [b0, b1]) = (a.halves(), b.halves());
    (holds(m, a0, b0), holds(m, a1, b1))
}

/// Whether the low half of `a` compares to that of `b`, and whether the high half does, each combined with `c`.
#[inline(always)]
pub fn setp_lanes_bool<P: Halves>(m: Mods, a: P, b: P, c: bool) -> (bool, bool) {
    let (low, high) = setp_lanes(m, a, b);
    (combine(m, low, c), combine(m, high, c))
}

/// What a type has for true; false is zero.
pub trait Truth: Lane<Mask = bool> + Default {
    /// One, or all bits one.
    const TRUE: Self;
}
macro_rules! truth {
    ($($t:ty: $true:expr;)*) => { $(impl Truth for $t { const TRUE: $t = $true; })* };
}
truth! {
    u16: !0; i16: !0; u32: !0; i32: !0; f32: 1.0; F16: F16(0x3c00); Bf16: Bf16(0x3f80);
}

/// True or false as a number: 1.0 or all bits one if `a` compares to `b`, else zero.
#[inline(always)]
pub fn set<D: Truth, T: Ordered>(m: Mods, a: T, b: T) -> D {
    D::select(holds(m, a, b), D::TRUE, D::default())
}

/// True or false as a number: 1.0 or all bits one if the comparison of `a` and `b`, combined with `c`, is true, else zero.
#[inline(always)]
pub fn set_bool<D: Truth, T: Ordered>(m: Mods, a: T, b: T, c: bool) -> D {
    D::select(combine(m, holds(m, a, b), c), D::TRUE, D::default())
}

/// What two packed truths make.
pub trait Truths: Copy {
    /// Of the low and the high half.
    fn truths(low: bool, high: bool) -> Self;
}
macro_rules! truths {
    ($($t:ty: $one:literal, $wrap:expr;)*) => { $(impl Truths for $t {
        #[inline(always)]
        fn truths(low: bool, high: bool) -> $t {
            $wrap(u32::from(low) * $one | u32::from(high) * ($one << 16))
        }
    })* };
}
truths! {
    u32: 0xffffu32, |v: u32| v; i32: 0xffffu32, |v: u32| v as i32;
    F16x2: 0x3c00u32, F16x2; Bf16x2: 0x3f80u32, Bf16x2;
}

#[inline(always)]
fn set_lanes<D: Truths, P: Halves>(m: Mods, a: P, b: P) -> D {
    let (low, high) = setp_lanes(m, a, b);
    D::truths(low, high)
}

#[inline(always)]
fn set_lanes_bool<D: Truths, P: Halves>(m: Mods, a: P, b: P, c: bool) -> D {
    let (low, high) = setp_lanes_bool(m, a, b, c);
    D::truths(low, high)
}

#[inline(always)]
fn set_packed<P: Packed<Item: Ordered + Lane<Mask = bool>>>(m: Mods, a: P, b: P) -> P {
    a.zip(b, |a, b| P::Item::select(holds(m, a, b), P::Item::int(-1), P::Item::int(0)))
}

/// The instances of a function for every scalar type of the sources and these types of the result.
macro_rules! by_result {
    ($lane:ident, $f:ident; $($d:ty: $($t:ty)*;)*; $($rest:expr),*) => {
        &[$($($lane($f::<$d, $t>),)*)* $($rest),*]
    };
}

/// False, whatever is compared: it gets the number of the lane.
pub fn never(_: Mods, _: u32) -> bool {
    false
}

/// True, whatever is compared.
pub fn always(_: Mods, _: u32) -> bool {
    true
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("compare::never", &[rare1(never)]),
    lane("compare::always", &[rare1(always)]),
    lane("compare::setp", each!(compare2(setp): u16 u32 u64 i16 i32 i64 f32 f64; lane2(holds): F16 Bf16)),
    lane("compare::setp_bool", each!(compare3(setp_bool): u16 u32 u64 i16 i32 i64 f32 f64; lane3(holds_bool): F16 Bf16)),
    lane("compare::setp_lanes", each!(lane2(setp_lanes): F16x2 Bf16x2)),
    lane("compare::setp_lanes_bool", each!(lane3(setp_lanes_bool): F16x2 Bf16x2)),
    lane(
        "compare::set",
        by_result! { rare2, set;
            u32: u16 u32 u64 i16 i32 i64 f32 f64 F16 Bf16;
            i32: u16 u32 u64 i16 i32 i64 f32 f64 F16 Bf16;
            f32: u16 u32 u64 i16 i32 i64 f32 f64;
            F16: u16 u32 u64 i16 i32 i64 f32 f64 F16;
            Bf16: u16 u32 u64 i16 i32 i64 f32 f64 F16 Bf16;
            u16: F16 Bf16;
            i16: F16 Bf16;;
            rare2(set_lanes::<u32, F16x2>), rare2(set_lanes::<i32, F16x2>), rare2(set_lanes::<F16x2, F16x2>),
            rare2(set_lanes::<u32, Bf16x2>), rare2(set_lanes::<i32, Bf16x2>), rare2(set_lanes::<Bf16x2, Bf16x2>),
            rare2(set_packed::<U16x2>), rare2(set_packed::<S16x2>), rare2(set_packed::<U8x4>), rare2(set_packed::<S8x4>)
        },
    ),
    lane(
        "compare::set_bool",
        by_result! { rare3, set_bool;
            u32: u16 u32 u64 i16 i32 i64 f32 f64 F16 Bf16;
            i32: u16 u32 u64 i16 i32 i64 f32 f64 F16 Bf16;
            f32: u16 u32 u64 i16 i32 i64 f32 f64;
            F16: u16 u32 u64 i16 i32 i64 f32 f64 F16;
            Bf16: u16 u32 u64 i16 i32 i64 f32 f64 F16 Bf16;
            u16: F16 Bf16;
            i16: F16 Bf16;;
            rare3(set_lanes_bool::<u32, F16x2>), rare3(set_lanes_bool::<i32, F16x2>), rare3(set_lanes_bool::<F16x2, F16x2>),
            rare3(set_lanes_bool::<u32, Bf16x2>), rare3(set_lanes_bool::<i32, Bf16x2>), rare3(set_lanes_bool::<Bf16x2, Bf16x2>)
        },
    ),
];
