//! Floating-point arithmetic that keeps the payloads of NaNs, as AMD's does: the first operand that is NaN is the result, made quiet.
//!
//! The numbers are those of [`crate::float`]; only NaNs differ, where PTX has canonical ones. An operation on numbers that has no result gives the
//! positive quiet NaN without payload. AMD's ISA guides, chapters on floating-point modes and on NaN.

use crate::convert::Truncate;
use crate::float::{self, Float};
use crate::{Function, each, lane};
use machine::lane::{Bf16x2, F16x2, F32x2, Pair};
use machine::row::{Instance, lane1, lane2, lane3, quick2, quick3, rare1, rare2, rare3, rare4, wide2, wide3};
use machine::{Int, Mods, Type};
use numerics::{Bf16, F16, Rounding};

/// The bit that makes a NaN a quiet one.
#[inline(always)]
fn quiet<T: Float>() -> T::Bits {
    T::NORMAL.shr(1)
}

/// `result` unless an operand is NaN.
#[inline(always)]
fn keep<T: Float, const N: usize>(result: T, operands: [T; N]) -> T {
    let none = T::number(T::INFINITY.or(quiet::<T>()));
    let own = T::select(result.is_nan(), none, result);
    operands.into_iter().rev().fold(own, |kept, x| T::select(x.is_nan(), T::number(x.bits().or(quiet::<T>())), kept))
}

/// What arithmetic shares. To nearest it is short enough to be made part of a loop over lanes; other directions are a function of their own.
#[inline(always)]
fn arithmetic<T: Float, const N: usize>(m: Mods, operands: [T; N], f: impl Fn([T; N], Rounding) -> T) -> T {
    let seen = operands.map(|x| float::operand(m, x));
    let result = limited(m, f(seen, m.round), operands);
    keep(if m.flushes_results() { result.flush() } else { result }, operands)
}

/// The greatest number instead of an infinity that comes of overflow, where the settings say so: of half precision.
#[inline(always)]
fn limited<T: Float, const N: usize>(m: Mods, result: T, operands: [T; N]) -> T {
    let is_infinite = |x: T| x.magnitude().eq(T::INFINITY);
    if m.satfinite() && is_infinite(result) && !operands.into_iter().any(is_infinite) {
        return T::number(T::INFINITY.sub(T::Bits::int(1)).or(result.bits().and(T::SIGN)));
    }
    result
}

#[inline(never)]
fn add_directed<T: Float>([a, b]: [T; 2], rounding: Rounding) -> T {
    a.add(b, rounding)
}

#[inline(never)]
fn mul_directed<T: Float>([a, b]: [T; 2], rounding: Rounding) -> T {
    a.mul(b, rounding)
}

#[inline(never)]
fn fma_directed<T: Float>([a, b, c]: [T; 3], rounding: Rounding) -> T {
    a.fma(b, c, rounding)
}

/// `a + b`.
#[inline(always)]
pub fn add<T: Float>(m: Mods, a: T, b: T) -> T {
    arithmetic(m, [a, b], |[a, b], rounding| match rounding {
        Rounding::NearestEven => a.add(b, Rounding::NearestEven),
        _ => add_directed([a, b], rounding),
    })
}

/// `a - b`.
#[inline(always)]
pub fn sub<T: Float>(m: Mods, a: T, b: T) -> T {
    arithmetic(m, [a, b], |[a, b], rounding| match rounding {
        Rounding::NearestEven => a.sub(b, Rounding::NearestEven),
        _ => add_directed([a, T::number(b.bits().xor(T::SIGN))], rounding),
    })
}

/// `a * b`.
#[inline(always)]
pub fn mul<T: Float>(m: Mods, a: T, b: T) -> T {
    arithmetic(m, [a, b], |[a, b], rounding| match rounding {
        Rounding::NearestEven => a.mul(b, Rounding::NearestEven),
        _ => mul_directed([a, b], rounding),
    })
}

/// `a * b + c`, rounded once.
#[inline(always)]
pub fn fma<T: Float>(m: Mods, a: T, b: T, c: T) -> T {
    arithmetic(m, [a, b, c], |[a, b, c], rounding| match rounding {
        Rounding::NearestEven => a.fma(b, c, Rounding::NearestEven),
        _ => fma_directed([a, b, c], rounding),
    })
}

/// Whether it is a signalling NaN.
#[inline(always)]
fn is_signalling<T: Float>(x: T) -> bool
where
    T::Bits: Int<Mask = bool>,
{
    x.is_nan() && x.bits().and(quiet::<T>()).eq(T::Bits::int(0))
}

/// A NaN made quiet.
#[inline(always)]
fn quieted<T: Float>(x: T) -> T {
    T::number(x.bits().or(quiet::<T>()))
}

/// What min and max share: a NaN counts as absent, but in IEEE mode a signalling one is the result, made quiet. Of two NaNs the result is the first.
#[inline(always)]
fn extreme<T: Float>(m: Mods, a: T, b: T, chosen: T) -> T {
    let of_numbers = T::select(b.is_nan(), a, T::select(a.is_nan(), b, chosen));
    let b_signals = m.signalling() && is_signalling(b);
    let a_signals = m.signalling() && is_signalling(a);
    T::select(a_signals, quieted(a), T::select(b_signals, quieted(b), of_numbers))
}

#[inline(always)]
fn lesser<T: Float>(a: T, b: T) -> T {
    T::select(a.order().lt(b.order()), a, b)
}

#[inline(always)]
fn greater<T: Float>(a: T, b: T) -> T {
    T::select(b.order().lt(a.order()), a, b)
}

/// The lesser of `a` and `b`, -0 below +0.
#[inline(always)]
pub fn min<T: Float>(m: Mods, a: T, b: T) -> T {
    let (a, b) = (float::operand(m, a), float::operand(m, b));
    extreme(m, a, b, lesser(a, b))
}

/// The greater of `a` and `b`, -0 below +0.
#[inline(always)]
pub fn max<T: Float>(m: Mods, a: T, b: T) -> T {
    let (a, b) = (float::operand(m, a), float::operand(m, b));
    extreme(m, a, b, greater(a, b))
}

/// The lesser, likewise; of two NaNs the result is the second.
#[inline(always)]
pub fn min_second<T: Float>(m: Mods, a: T, b: T) -> T {
    T::select(a.is_nan() && b.is_nan() && !(m.signalling() && is_signalling(a)), second(m, b), min(m, a, b))
}

/// The greater, likewise; of two NaNs the result is the second.
#[inline(always)]
pub fn max_second<T: Float>(m: Mods, a: T, b: T) -> T {
    T::select(a.is_nan() && b.is_nan() && !(m.signalling() && is_signalling(a)), second(m, b), max(m, a, b))
}

#[inline(always)]
fn second<T: Float>(m: Mods, b: T) -> T {
    T::select(m.signalling(), quieted(b), b)
}

/// The lesser of two numbers, -0 below +0; a NaN counts as absent, and of two the first is the result, made quiet.
#[inline(always)]
pub fn min_num<T: Float>(m: Mods, a: T, b: T) -> T {
    let d = min(m, a, b);
    T::select(a.is_nan() && b.is_nan(), quieted(a), d)
}

/// The greater of two numbers, with the rules of `min_num`.
#[inline(always)]
pub fn max_num<T: Float>(m: Mods, a: T, b: T) -> T {
    let d = max(m, a, b);
    T::select(a.is_nan() && b.is_nan(), quieted(a), d)
}

/// What minimum and maximum share: a NaN is the result, made quiet; a signalling one before a quiet one, the first before the second.
#[inline(always)]
fn extreme_or_nan<T: Float>(a: T, b: T, chosen: T) -> T {
    let nan = T::select(a.is_nan() && (is_signalling(a) || !is_signalling(b)), quieted(a), quieted(b));
    T::select(a.is_nan() || b.is_nan(), nan, chosen)
}

/// The lesser of `a` and `b`, -0 below +0, or NaN if one is.
#[inline(always)]
pub fn minimum<T: Float>(m: Mods, a: T, b: T) -> T {
    let (a, b) = (float::operand(m, a), float::operand(m, b));
    extreme_or_nan(a, b, lesser(a, b))
}

/// The greater of `a` and `b`, -0 below +0, or NaN if one is.
#[inline(always)]
pub fn maximum<T: Float>(m: Mods, a: T, b: T) -> T {
    let (a, b) = (float::operand(m, a), float::operand(m, b));
    extreme_or_nan(a, b, greater(a, b))
}

/// Functions of three made of two of two.
macro_rules! of_three {
    ($($(#[$doc:meta])* $name:ident = $outer:ident $inner:ident;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<T: Float>(m: Mods, a: T, b: T, c: T) -> T {
            $outer(m, $inner(m, a, b), c)
        }
    )* };
}

of_three! {
    /// The least of three.
    min3 = min min;
    /// The greatest of three.
    max3 = max max;
    /// The least of three, of two NaNs the second.
    min3_second = min_second min_second;
    /// The greatest of three, of two NaNs the second.
    max3_second = max_second max_second;
    /// The least of three numbers.
    min3_num = min_num min_num;
    /// The greatest of three numbers.
    max3_num = max_num max_num;
    /// The least of three, or NaN.
    minimum3 = minimum minimum;
    /// The greatest of three, or NaN.
    maximum3 = maximum maximum;
    /// The greater of `c` and the lesser of `a` and `b`.
    min_max = max min;
    /// The lesser of `c` and the greater of `a` and `b`.
    max_min = min max;
    /// The greater of `c` and the lesser of `a` and `b`, of numbers.
    min_max_num = max_num min_num;
    /// The lesser of `c` and the greater of `a` and `b`, of numbers.
    max_min_num = min_num max_num;
    /// The greater of `c` and the lesser of `a` and `b`, or NaN.
    minimum_maximum = maximum minimum;
    /// The lesser of `c` and the greater of `a` and `b`, or NaN.
    maximum_minimum = minimum maximum;
}

/// Whether two numbers are equal, both zeros, too.
#[inline(always)]
fn equal<T: Float>(a: T, b: T) -> bool {
    let zeros = a.magnitude().or(b.magnitude()).eq(T::Bits::int(0));
    !a.is_nan() && !b.is_nan() && (a.bits().eq(b.bits()) || zeros)
}

/// The middle one of three; the least if one is NaN.
macro_rules! middle {
    ($($name:ident = $min3:ident $max3:ident $max:ident;)*) => { $(
        /// The middle one of three numbers; the least if one is NaN.
        pub fn $name<T: Float>(m: Mods, a: T, b: T, c: T) -> T {
            if a.is_nan() || b.is_nan() || c.is_nan() {
                return $min3(m, a, b, c);
            }
            let most = $max3(m, a, b, c);
            if equal(most, a) { $max(m, b, c) } else if equal(most, b) { $max(m, a, c) } else { $max(m, a, b) }
        }
    )* };
}

middle! {
    med3 = min3 max3 max;
    med3_second = min3_second max3_second max_second;
    med3_num = min3_num max3_num max_num;
}

/// `a * b`, but zero where an operand is zero, whatever the other one is.
pub fn mul_zero_wins(m: Mods, a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 { 0.0 } else { mul(m, a, b) }
}

/// `a * b + c` rounded once, but `c` where a factor is zero.
pub fn fma_zero_wins(m: Mods, a: f32, b: f32, c: f32) -> f32 {
    if a == 0.0 || b == 0.0 { add(m, 0.0, c) } else { fma(m, a, b, c) }
}

/// `a * b`, rounded, plus `c`, rounded again; subnormal numbers count as zero.
pub fn mad<T: Float>(m: Mods, a: T, b: T, c: T) -> T {
    let mut m = m;
    let _ = m.set("ftz", None);
    keep(float::add(m, float::mul(m, a, b), c), [a, b, c])
}

/// The same, but `c` where a factor is zero.
pub fn mad_zero_wins(m: Mods, a: f32, b: f32, c: f32) -> f32 {
    let mut m = m;
    let _ = m.set("ftz", None);
    let is_zero = |x: f32| float::operand(m, x) == 0.0;
    if is_zero(a) || is_zero(b) { add(m, 0.0, c) } else { mad(m, a, b, c) }
}

/// A number rounded to an integral value as the mode says.
#[inline(always)]
pub fn integral<T: Truncate<i64>>(m: Mods, a: T) -> T {
    let a = float::operand(m, a);
    T::select(a.is_nan(), quieted(a), a.integral(m.round))
}

/// `a` less the greatest integral value that is not above it; below 1.
pub fn fraction<T: Truncate<i64>>(m: Mods, a: T) -> T {
    let floor = a.integral(numerics::Rounding::Down);
    let below_one = T::number(T::ONE.sub(T::Bits::int(1)));
    let d = sub(m, a, floor);
    T::select(d.is_nan(), d, T::select(T::number(T::ONE).order().lt(d.order().add(T::Bits::int(1))), below_one, d))
}

/// A number times a power of two, rounded once.
fn scaled<T: Float>(m: Mods, a: T, power: i32) -> T {
    let a = float::operand(m, a);
    if a.is_nan() {
        return quieted(a);
    }
    let mut x = float::unpacked(a);
    x.exponent = x.exponent.saturating_add(power.clamp(-5000, 5000));
    float::result(m, float::rounded(x, m.round))
}

/// `a` times two to the power of `n`.
pub fn load_exponent<T: Float, N: Int>(m: Mods, a: T, n: N) -> T {
    scaled(m, a, n.to_i128() as i32)
}

/// The biased exponent.
fn exponent<T: Float>(a: T) -> i32 {
    let fraction_bits = T::NORMAL.to_i128().trailing_zeros();
    (a.magnitude().to_i128() >> fraction_bits) as i32
}

/// The exponent of one, and of infinity.
fn exponents<T: Float>() -> (i32, i32) {
    (exponent(T::number(T::ONE)), exponent(T::number(T::INFINITY)))
}

/// The number whose magnitude is between a half and one that gives `a` times a power of two.
pub fn mantissa<T: Float>(m: Mods, a: T) -> T {
    let special = exponent(a) == exponents::<T>().1 || a.magnitude().eq(T::Bits::int(0));
    if special { T::select(a.is_nan(), quieted(a), a) } else { scaled(m, a, -power(a)) }
}

/// The power of two of [`mantissa`]; 0 for zero, infinity and NaN.
pub fn mantissa_exponent<T: Float, D: Int>(_: Mods, a: T) -> D {
    let special = exponent(a) == exponents::<T>().1 || a.magnitude().eq(T::Bits::int(0));
    D::int(if special { 0 } else { power(a).into() })
}

/// The least power of two above the magnitude of a finite number.
fn power<T: Float>(a: T) -> i32 {
    let x = float::unpacked(a);
    x.exponent + (128 - x.significand.leading_zeros() as i32)
}

/// Whether `a` is of one of the kinds that the bits of `b` name, from bit 0: signalling NaN, quiet NaN, negative infinity, normal, subnormal, zero, then the positive
/// ones of these in the opposite order.
pub fn class<T: Float, B: Int>(_: Mods, a: T, b: B) -> bool {
    let magnitude = a.magnitude();
    let kind = if a.is_nan() {
        return b.to_i128() >> i32::from(!is_signalling(a)) & 1 == 1;
    } else if magnitude.eq(T::INFINITY) {
        2
    } else if magnitude.eq(T::Bits::int(0)) {
        5
    } else if magnitude.lt(T::NORMAL) {
        4
    } else {
        3
    };
    b.to_i128() >> if a.is_negative() { kind } else { 11 - kind } & 1 == 1
}

/// What division scales by: how far apart exponents may be, the power, and the least exponent of a numerator.
pub trait Division: Float + std::ops::Div<Output = Self> {
    /// How far exponents may be apart.
    const FAR: i32;
    /// The power of two that numbers are scaled by.
    const POWER: i32;
    /// The greatest exponent of a numerator that is scaled.
    const TINY: i32;
    /// Exponents of quotients below that of the smallest one that is not zero.
    const UNDERFLOW: i32;
}

impl Division for f32 {
    const FAR: i32 = 96;
    const POWER: i32 = 64;
    const TINY: i32 = 23;
    const UNDERFLOW: i32 = -150;
}

impl Division for f64 {
    const FAR: i32 = 768;
    const POWER: i32 = 128;
    const TINY: i32 = 53;
    const UNDERFLOW: i32 = -1075;
}

fn is_subnormal<T: Float>(x: T) -> bool {
    x.magnitude().lt(T::NORMAL) && !x.magnitude().eq(T::Bits::int(0))
}

/// The numerator or denominator of a division, `a`, scaled so that nothing is lost on the way, and whether the quotient must be scaled back: `b` is the
/// denominator and `c` the numerator.
///
/// AMD's manuals leave the flag of zeros clear, look at the reciprocal of a number of single precision in double precision, and scale a denominator up
/// whose reciprocal and quotient are subnormal, which overflows. A gfx1100 sets the flag of zeros, scales nothing of 1 / 2^127 in single precision
/// but its denominator, and counts quotients as subnormal by the difference of exponents (tinygrad's test/amd/hw).
pub fn divide_scale<T: Division>(m: Mods, a: T, b: T, c: T) -> (T, bool) {
    let [a, b, c] = [a, b, c].map(|x| float::operand(m, x));
    let zero = |x: T| x.magnitude().eq(T::Bits::int(0));
    let scale = |power| scaled(m, a, power);
    if zero(b) || zero(c) {
        return (T::number(T::INFINITY.or(quiet::<T>())), true);
    }
    let (reciprocal, quotient) = (T::number(T::ONE) / b, c / b);
    let distance = exponent(c) - exponent(b);
    let small_quotient = is_subnormal(quotient) || distance <= 1 - exponents::<T>().0;
    if distance >= T::FAR {
        return (if equal(a, b) { scale(T::POWER) } else { a }, true);
    }
    if is_subnormal(b) {
        return (scale(T::POWER), false);
    }
    if is_subnormal(reciprocal) && small_quotient {
        return (if equal(a, b) { scale(-T::POWER) } else { a }, true);
    }
    if is_subnormal(reciprocal) {
        return (scale(-T::POWER), false);
    }
    if small_quotient {
        return (if equal(a, c) { scale(T::POWER) } else { a }, true);
    }
    (if exponent(c) <= T::TINY { scale(T::POWER) } else { a }, false)
}

/// `a * b + c` rounded once, scaled back where the flag is set: up if `c`, the quotient so far, is 2 or more, else down.
///
/// AMD's manuals name other powers (32 and 64, up alone), with which the sequence of division gives no quotients; what the sequence has scaled by
/// is undone here.
pub fn divide_fma<T: Division>(m: Mods, a: T, b: T, c: T, flag: bool) -> T {
    let d = fma(m, a, b, c);
    let up = exponent(c) > exponents::<T>().0;
    if flag { scaled(m, d, if up { T::POWER } else { -T::POWER }) } else { d }
}

/// The quotient `a` of `c` and `b` with its special cases put right.
pub fn divide_fix<T: Float>(_: Mods, a: T, b: T, c: T, underflow: i32) -> T {
    let zero = T::Bits::int(0);
    let negative = b.is_negative() != c.is_negative();
    let signed = |bits: T::Bits| T::number(if negative { bits.or(T::SIGN) } else { bits });
    let (is_zero, is_infinite) = (|x: T| x.magnitude().eq(zero), |x: T| x.magnitude().eq(T::INFINITY));
    if c.is_nan() {
        quieted(c)
    } else if b.is_nan() {
        quieted(b)
    } else if is_zero(b) && is_zero(c) || is_infinite(b) && is_infinite(c) {
        T::number(T::SIGN.or(T::INFINITY).or(quiet::<T>()))
    } else if is_zero(b) || is_infinite(c) {
        signed(T::INFINITY)
    } else if is_infinite(b) || is_zero(c) || exponent(c) - exponent(b) < underflow {
        signed(zero)
    } else if a.is_nan() {
        // A quotient so large that its approximations overflow.
        signed(T::INFINITY)
    } else {
        signed(a.magnitude())
    }
}

/// `divide_fix` of these types.
fn divide_fix_single(m: Mods, a: f32, b: f32, c: f32) -> f32 {
    divide_fix(m, a, b, c, f32::UNDERFLOW)
}

fn divide_fix_double(m: Mods, a: f64, b: f64, c: f64) -> f64 {
    divide_fix(m, a, b, c, f64::UNDERFLOW)
}

fn divide_fix_half(m: Mods, a: F16, b: F16, c: F16) -> F16 {
    divide_fix(m, a, b, c, i32::MIN)
}

/// A number in another format, rounded if need be; a NaN keeps the upper bits of its payload and becomes quiet. Subnormal numbers of half precision are flushed,
/// too, where the settings say so.
pub fn convert<D: Float, A: Float>(m: Mods, a: A) -> D {
    if !a.is_nan() {
        let a = if matches!(A::TYPE, Type::F16 | Type::F64) { float::operand(m, a) } else { a };
        let d: D = crate::convert::float(m, a);
        return if m.flushes_results() && D::TYPE == Type::F16 { d.flush() } else { d };
    }
    let [from, to] = [A::NORMAL.to_i128().trailing_zeros(), D::NORMAL.to_i128().trailing_zeros()];
    let fraction = a.magnitude().to_i128() & (A::NORMAL.to_i128() - 1);
    let fraction = if to >= from { fraction << (to - from) } else { fraction >> (from - to) };
    let sign = if a.is_negative() { D::SIGN } else { D::Bits::int(0) };
    quieted(D::number(sign.or(D::INFINITY).or(D::Bits::from_i128(fraction))))
}

/// The integral part, limited to the integer's range; NaN gives zero.
pub fn to_int<D: Int, A: Truncate<D>>(m: Mods, a: A) -> D {
    let a = float::operand(m, a);
    if a.is_nan() { D::int(0) } else { a.integral(m.round).truncate() }
}

/// The greatest integer that is not above `a` plus a half.
pub fn to_int_half_up(_: Mods, a: f32) -> i32 {
    if a.is_nan() { 0 } else { (f64::from(a) + 0.5).floor() as i32 }
}

/// A byte of a word as a number: the lowest.
macro_rules! bytes {
    ($($name:ident $shift:literal;)*) => { $(
        /// That byte of a word as a number.
        pub fn $name(_: Mods, a: u32) -> f32 {
            (a >> $shift & 0xff) as f32
        }
    )* };
}

bytes! { byte0 0; byte1 8; byte2 16; byte3 24; }

/// Two numbers in half precision, rounded toward zero, the first in the lower half.
pub fn pack_toward_zero(m: Mods, a: f32, b: f32) -> F16x2 {
    let mut m = m;
    m.round = numerics::Rounding::TowardZero;
    F16x2::from_halves([convert(m, a), convert(m, b)])
}

/// `a * b + c` rounded once, in half precision from single precision: rounded again.
pub fn fma_to_half(m: Mods, a: f32, b: f32, c: f32) -> F16 {
    convert(m, fma(m, a, b, c))
}

/// The same in bfloat16.
pub fn fma_to_bfloat(m: Mods, a: f32, b: f32, c: f32) -> Bf16 {
    convert(m, fma(m, a, b, c))
}

/// [`mad`] in half precision from single precision.
pub fn mad_to_half(m: Mods, a: f32, b: f32, c: f32) -> F16 {
    convert(m, mad(m, a, b, c))
}

/// Two numbers in half precision or bfloat16, the first in the lower half.
pub fn pack_nearest<P: Pair<Half: Float>>(m: Mods, a: f32, b: f32) -> P {
    P::from_halves([convert(m, a), convert(m, b)])
}

/// The upper half of a pair in single precision.
pub fn upper(m: Mods, a: F16x2) -> f32 {
    convert(m, a.halves()[1])
}

/// 1201 bits of 2 / pi behind the point.
const TWO_OVER_PI: [u64; 19] = [
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b0000,
];

/// Part `n`, of 53 bits, of 2 / pi, as the reduction of the angle `a` multiplies by: from the bits on that are whole turns of a large angle,
/// which do not count. Of angles from 2^945 on it is 2^128 times larger.
pub fn two_over_pi_part(m: Mods, a: f64, n: u32) -> f64 {
    let large = exponent(a);
    let shift = 53 * (n & 31) as i32 + (large - 1077).max(0);
    let word = |i: i32| u128::from(TWO_OVER_PI.get(i as usize).copied().unwrap_or(0));
    let window = word(shift / 64) << 64 | word(shift / 64 + 1);
    let part = (window << (shift % 64) >> (128 - 53)) as u64;
    scaled(m, part as f64, if large >= 1968 { 128 - 53 - shift } else { -53 - shift })
}

/// Sine and cosine of so many turns; at quarters of a turn they are exact.
fn circle(turns: f64) -> (f64, f64) {
    // Half a turn to either side, so that a small negative angle loses nothing.
    let turn = turns - turns.round();
    let quarter = (turn * 4.0).round();
    let (sine, cosine) = ((turn - quarter / 4.0) * std::f64::consts::TAU).sin_cos();
    // Zero has no sign.
    let (sine, cosine) = match (quarter as i32).rem_euclid(4) {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    };
    (sine + 0.0, cosine + 0.0)
}

/// Numbers that double precision holds.
pub trait Narrow: Float {
    /// The same number.
    fn double(self) -> f64;
    /// The nearest number; some NaN of NaN.
    fn nearest(x: f64) -> Self;
}

impl Narrow for f32 {
    #[inline(always)]
    fn double(self) -> f64 {
        self.into()
    }
    #[inline(always)]
    fn nearest(x: f64) -> f32 {
        x as f32
    }
}

impl Narrow for f64 {
    #[inline(always)]
    fn double(self) -> f64 {
        self
    }
    #[inline(always)]
    fn nearest(x: f64) -> f64 {
        x
    }
}

impl Narrow for F16 {
    #[inline(always)]
    fn double(self) -> f64 {
        self.to_f32().into()
    }
    #[inline(always)]
    fn nearest(x: f64) -> F16 {
        F16::from_f64(x)
    }
}

impl Narrow for Bf16 {
    #[inline(always)]
    fn double(self) -> f64 {
        self.to_f32().into()
    }
    #[inline(always)]
    fn nearest(x: f64) -> Bf16 {
        Bf16::from_f64(x)
    }
}

/// What is not to the bit: made in double precision and rounded once, where hardware comes within the record's bound.
macro_rules! approximate {
    ($($(#[$doc:meta])* $name:ident = |$x:ident| $value:expr;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<T: Narrow>(_: Mods, a: T) -> T {
            let $x = a.double();
            keep(T::nearest($value), [a])
        }
    )* };
}

approximate! {
    /// `1 / a`.
    reciprocal = |x| 1.0 / x;
    /// The square root of `a`.
    square_root = |x| x.sqrt();
    /// `1 / sqrt(a)`.
    reciprocal_square_root = |x| 1.0 / x.sqrt();
    /// Two to the power of `a`.
    exponential = |x| x.exp2();
    /// The logarithm of `a` to base two.
    logarithm = |x| x.log2();
    /// The sine of `a` turns.
    sine = |x| if x.is_infinite() { f64::NAN } else { circle(x).0 };
    /// The cosine of `a` turns.
    cosine = |x| if x.is_infinite() { f64::NAN } else { circle(x).1 };
    /// The hyperbolic tangent of `a`.
    hyperbolic_tangent = |x| x.tanh();
}

/// An instance with the handlers of another for pairs of registers.
const fn pairs(instance: Instance, wide: Instance) -> Instance {
    Instance { apart: wide.apart, ..instance }
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane(
        "ieee::add",
        &[
            quick2(add::<f32>, |_, a, b| a + b),
            pairs(quick2(add::<f64>, |_, a, b| a + b), wide2(add::<f64>)),
            lane2(add::<F16>),
            lane2(add::<Bf16>),
            lane2(add_pair::<F16x2>),
            lane2(add_pair::<F32x2>),
            rare2(add_pair::<Bf16x2>),
        ],
    ),
    lane(
        "ieee::sub",
        &[quick2(sub::<f32>, |_, a, b| a - b), pairs(quick2(sub::<f64>, |_, a, b| a - b), wide2(sub::<f64>)), lane2(sub::<F16>)],
    ),
    lane(
        "ieee::mul",
        &[
            quick2(mul::<f32>, |_, a, b| a * b),
            pairs(quick2(mul::<f64>, |_, a, b| a * b), wide2(mul::<f64>)),
            lane2(mul::<F16>),
            lane2(mul::<Bf16>),
            lane2(mul_pair::<F16x2>),
            lane2(mul_pair::<F32x2>),
            rare2(mul_pair::<Bf16x2>),
        ],
    ),
    lane(
        "ieee::fma",
        &[
            quick3(fma::<f32>, |_, a, b, c| a.mul_add(b, c)),
            pairs(quick3(fma::<f64>, |_, a, b, c| a.mul_add(b, c)), wide3(fma::<f64>)),
            lane3(fma::<F16>),
            lane3(fma::<Bf16>),
            lane3(fma_pair::<F16x2>),
            lane3(fma_pair::<F32x2>),
            rare3(fma_pair::<Bf16x2>),
        ],
    ),
    lane("ieee::min", each!(lane2(min): f32 f64 F16; lane2(min_pair): F16x2)),
    lane("ieee::max", each!(lane2(max): f32 f64 F16; lane2(max_pair): F16x2)),
    lane("ieee::min_second", each!(lane2(min_second): f32 f64 F16)),
    lane("ieee::max_second", each!(lane2(max_second): f32 f64 F16)),
    lane("ieee::min_num", each!(lane2(min_num): f32 f64 F16; rare2(min_num_pair): F16x2 Bf16x2)),
    lane("ieee::max_num", each!(lane2(max_num): f32 f64 F16; rare2(max_num_pair): F16x2 Bf16x2)),
    lane("ieee::minimum", each!(lane2(minimum): f32 f64 F16; rare2(minimum_pair): F16x2)),
    lane("ieee::maximum", each!(lane2(maximum): f32 f64 F16; rare2(maximum_pair): F16x2)),
    lane("ieee::min3", each!(rare3(min3): f32 F16)),
    lane("ieee::max3", each!(rare3(max3): f32 F16)),
    lane("ieee::min3_second", each!(rare3(min3_second): f32 F16)),
    lane("ieee::max3_second", each!(rare3(max3_second): f32 F16)),
    lane("ieee::min3_num", each!(rare3(min3_num): f32 F16; rare3(min3_num_pair): F16x2)),
    lane("ieee::max3_num", each!(rare3(max3_num): f32 F16; rare3(max3_num_pair): F16x2)),
    lane("ieee::minimum3", each!(rare3(minimum3): f32 F16; rare3(minimum3_pair): F16x2)),
    lane("ieee::maximum3", each!(rare3(maximum3): f32 F16; rare3(maximum3_pair): F16x2)),
    lane("ieee::min_max", each!(rare3(min_max): f32 F16)),
    lane("ieee::max_min", each!(rare3(max_min): f32 F16)),
    lane("ieee::min_max_num", each!(rare3(min_max_num): f32 F16)),
    lane("ieee::max_min_num", each!(rare3(max_min_num): f32 F16)),
    lane("ieee::minimum_maximum", each!(rare3(minimum_maximum): f32 F16)),
    lane("ieee::maximum_minimum", each!(rare3(maximum_minimum): f32 F16)),
    lane("ieee::med3", each!(rare3(med3): f32 F16)),
    lane("ieee::med3_second", each!(rare3(med3_second): f32 F16)),
    lane("ieee::med3_num", each!(rare3(med3_num): f32 F16)),
    lane("ieee::mul_zero_wins", &[lane2(mul_zero_wins)]),
    lane("ieee::fma_zero_wins", &[rare3(fma_zero_wins)]),
    lane("ieee::mad_zero_wins", &[rare3(mad_zero_wins)]),
    lane("ieee::mad_to_half", &[rare3(mad_to_half)]),
    lane("ieee::mad", each!(rare3(mad): f32 F16)),
    lane("ieee::integral", each!(lane1(integral): f32 f64 F16)),
    lane("ieee::fraction", each!(rare1(fraction): f32 f64 F16)),
    lane(
        "ieee::load_exponent",
        &[rare2(load_exponent::<f32, i32>), rare2(load_exponent::<f64, i32>), rare2(load_exponent::<F16, i16>)],
    ),
    lane("ieee::mantissa", each!(rare1(mantissa): f32 f64 F16)),
    lane(
        "ieee::mantissa_exponent",
        &[rare1(mantissa_exponent::<f32, i32>), rare1(mantissa_exponent::<f64, i32>), rare1(mantissa_exponent::<F16, i16>)],
    ),
    lane(
        "ieee::class",
        &[rare2(class::<f32, u32>), rare2(class::<f64, u32>), rare2(class::<F16, u16>), rare2(class::<F16, u32>)],
    ),
    lane("ieee::divide_scale", each!(rare3(divide_scale): f32 f64)),
    lane("ieee::divide_fma", each!(rare4(divide_fma): f32 f64)),
    lane("ieee::divide_fix", &[rare3(divide_fix_single), rare3(divide_fix_double), rare3(divide_fix_half)]),
    lane(
        "ieee::convert",
        &[
            lane1(convert::<f32, F16>),
            lane1(convert::<F16, f32>),
            lane1(convert::<f64, f32>),
            lane1(convert::<f32, f64>),
            lane1(convert::<f32, Bf16>),
        ],
    ),
    lane(
        "ieee::to_int",
        &[
            lane1(to_int::<i32, f32>),
            lane1(to_int::<u32, f32>),
            rare1(to_int::<i32, f64>),
            rare1(to_int::<u32, f64>),
            rare1(to_int::<i16, F16>),
            rare1(to_int::<u16, F16>),
        ],
    ),
    lane("ieee::to_int_half_up", &[rare1(to_int_half_up)]),
    lane("ieee::fma_to_half", &[rare3(fma_to_half)]),
    lane("ieee::fma_to_bfloat", &[rare3(fma_to_bfloat)]),
    lane("ieee::pack_half", &[rare2(pack_nearest::<F16x2>)]),
    lane("ieee::pack_bfloat", &[rare2(pack_nearest::<Bf16x2>)]),
    lane("ieee::upper", &[rare1(upper)]),
    lane("ieee::two_over_pi_part", &[rare2(two_over_pi_part)]),
    lane("ieee::byte0", &[lane1(byte0)]),
    lane("ieee::byte1", &[lane1(byte1)]),
    lane("ieee::byte2", &[lane1(byte2)]),
    lane("ieee::byte3", &[lane1(byte3)]),
    lane("ieee::pack_toward_zero", &[rare2(pack_toward_zero)]),
    lane("ieee::reciprocal", each!(lane1(reciprocal): f32; rare1(reciprocal): f64 F16 Bf16)),
    lane("ieee::square_root", each!(lane1(square_root): f32; rare1(square_root): f64 F16 Bf16)),
    lane("ieee::reciprocal_square_root", each!(lane1(reciprocal_square_root): f32; rare1(reciprocal_square_root): f64 F16 Bf16)),
    lane("ieee::exponential", each!(rare1(exponential): f32 F16 Bf16)),
    lane("ieee::logarithm", each!(rare1(logarithm): f32 F16 Bf16)),
    lane("ieee::sine", each!(rare1(sine): f32 F16 Bf16)),
    lane("ieee::cosine", each!(rare1(cosine): f32 F16 Bf16)),
    lane("ieee::hyperbolic_tangent", each!(rare1(hyperbolic_tangent): f32 F16 Bf16)),
];

/// A function of two on both numbers of pairs.
#[inline(always)]
fn both<P: Pair>(a: P, b: P, f: impl Fn(P::Half, P::Half) -> P::Half) -> P {
    let ([al, ah], [bl, bh]) = (a.halves(), b.halves());
    P::from_halves([f(al, bl), f(ah, bh)])
}

fn add_pair<P: Pair<Half: Float>>(m: Mods, a: P, b: P) -> P {
    both(a, b, |a, b| add(m, a, b))
}

fn mul_pair<P: Pair<Half: Float>>(m: Mods, a: P, b: P) -> P {
    both(a, b, |a, b| mul(m, a, b))
}

fn fma_pair<P: Pair<Half: Float>>(m: Mods, a: P, b: P, c: P) -> P {
    let ([al, ah], [bl, bh], [cl, ch]) = (a.halves(), b.halves(), c.halves());
    P::from_halves([fma(m, al, bl, cl), fma(m, ah, bh, ch)])
}

fn min_pair<P: Pair<Half: Float>>(m: Mods, a: P, b: P) -> P {
    both(a, b, |a, b| min(m, a, b))
}

fn max_pair<P: Pair<Half: Float>>(m: Mods, a: P, b: P) -> P {
    both(a, b, |a, b| max(m, a, b))
}

/// Functions of two and of three on both numbers of pairs.
macro_rules! of_pairs {
    ($($two:ident = $of_two:ident;)* ; $($three:ident = $of_three:ident;)*) => {
        $(fn $two<P: Pair<Half: Float>>(m: Mods, a: P, b: P) -> P {
            both(a, b, |a, b| $of_two(m, a, b))
        })*
        $(fn $three<P: Pair<Half: Float>>(m: Mods, a: P, b: P, c: P) -> P {
            let ([al, ah], [bl, bh], [cl, ch]) = (a.halves(), b.halves(), c.halves());
            P::from_halves([$of_three(m, al, bl, cl), $of_three(m, ah, bh, ch)])
        })*
    };
}

of_pairs! {
    min_num_pair = min_num;
    max_num_pair = max_num;
    minimum_pair = minimum;
    maximum_pair = maximum;
    ;
    min3_num_pair = min3_num;
    max3_num_pair = max3_num;
    minimum3_pair = minimum3;
    maximum3_pair = maximum3;
}
