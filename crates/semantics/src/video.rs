//! Video instructions: arithmetic on bytes and half-words that selectors pick out of registers.
//!
//! PTX ISA 9.4, 9.7.20. Every instruction has the same steps, with a function for each: pick and extend the inputs, operate, wrap to
//! 34 bits, clamp, then combine with the third source or merge into it.

use crate::{Function, compare, lane};
use machine::mods::{Mode, Operation, Selector};
use machine::row::{rare2, rare3};
use machine::{Int, Mods};

/// The byte, half-word or word that the selector names, extended by the type of `a`.
#[inline(always)]
fn pick<T: Int>(a: T, from: Selector) -> i64 {
    let width = part_width(from, 32);
    let unused = 32 - width;
    a.shl(unused - width * from.position(0)).shr(unused).to_i128() as i64
}

/// Bits of the part that a selector names.
#[inline(always)]
fn part_width(part: Selector, whole: u32) -> u32 {
    match (part.count(), part.half_words()) {
        (0, _) => whole,
        (_, true) => 16,
        (_, false) => 8,
    }
}

/// `t` clamped to a number of `width` bits, with `.sat`.
#[inline(always)]
fn clamp<D: Int>(m: Mods, t: i64, width: u32) -> i64 {
    let (low, high) = if D::SIGNED { (-1 << (width - 1), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) };
    if m.sat() { t.clamp(low, high) } else { t }
}

/// The intermediate result `t` as the result of an instruction without a third source.
#[inline(always)]
fn result<D: Int>(m: Mods, t: i64) -> D {
    D::from_i128(clamp::<D>(m, wrap34(t), 32).into())
}

/// The intermediate result `t` merged into the part of `c` that is written, or combined with `c` by the second operation.
#[inline(always)]
fn result_with<D: Int>(m: Mods, t: i64, c: D) -> D {
    let width = part_width(m.dsel, 32);
    let t = clamp::<D>(m, wrap34(t), width);
    let wide = c.to_i128() as i64;
    let d = match m.op {
        _ if m.dsel.count() != 0 => {
            let (at, ones) = (width * m.dsel.position(0), (1 << width) - 1);
            wide & !(ones << at) | (t & ones) << at
        }
        Operation::Add => t + wide,
        Operation::Min => t.min(wide),
        Operation::Max => t.max(wide),
        _ => t,
    };
    D::from_i128(d.into())
}

/// The intermediate result has 34 bits, signed.
#[inline(always)]
fn wrap34(t: i64) -> i64 {
    t << 30 >> 30
}

/// Declares a scalar operation `name(m, a, b)` and its variant with a third source.
macro_rules! scalar {
    ($(#[$doc:meta])* $name:ident, $with:ident: |$m:ident, $a:ident, $b:ident| $t:expr) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<D: Int, A: Int, B: Int>($m: Mods, a: A, b: B) -> D {
            let ($a, $b) = (pick(a, $m.asel), pick(b, $m.bsel));
            result($m, $t)
        }

        $(#[$doc])*
        ///
        /// The result is merged into `c`, or combined with it.
        #[inline(always)]
        pub fn $with<D: Int, A: Int, B: Int>($m: Mods, a: A, b: B, c: D) -> D {
            let ($a, $b) = (pick(a, $m.asel), pick(b, $m.bsel));
            result_with($m, $t, c)
        }
    };
}

scalar!(/// The sum of the parts picked from `a` and `b`.
    add, add_with: |m, a, b| a + b);
scalar!(/// The difference of the parts picked from `a` and `b`.
    sub, sub_with: |m, a, b| a - b);
scalar!(/// The distance of the parts picked from `a` and `b`.
    abs_diff, abs_diff_with: |m, a, b| (a - b).abs());
scalar!(/// The lesser of the parts picked from `a` and `b`.
    min, min_with: |m, a, b| a.min(b));
scalar!(/// The greater of the parts picked from `a` and `b`.
    max, max_with: |m, a, b| a.max(b));
scalar!(/// The part of `a`, shifted left by the part of `b`.
    shift_left, shift_left_with: |m, a, b| a << amount(m, b));
scalar!(/// The part of `a`, shifted right by the part of `b`, filled with its sign.
    shift_right, shift_right_with: |m, a, b| a >> amount(m, b));
scalar!(/// One if the parts of `a` and `b` compare as asked, else zero.
    set, set_with: |m, a, b| compares(m, a, b));

/// A shift amount: up to 32 (`.clamp`), or modulo 32 (`.wrap`).
#[inline(always)]
fn amount(m: Mods, b: i64) -> i64 {
    if m.mode == Mode::Wrap { b & 31 } else { b.min(32) }
}

#[inline(always)]
fn compares(m: Mods, a: i64, b: i64) -> i64 {
    i64::from(compare::holds(m, a, b))
}

/// `a * b + c` of the parts picked, with the product or `c` negated, or one more (`.po`), shifted right by 7 or 15, and with
/// `.sat` clamped to 32 bits: unsigned if both factors are and nothing is negated, else signed.
#[inline(always)]
pub fn mad<D: Int, A: Int, B: Int>(m: Mods, a: A, b: B, c: u32) -> D {
    let product = i128::from(pick(a, m.asel)) * i128::from(pick(b, m.bsel));
    let signed = A::SIGNED || B::SIGNED || m.neg_product() || m.neg_c();
    // A negation is the complement plus one, the one being added at the end; that of c has 32 bits.
    let product = if m.neg_product() { !product } else { product };
    let c = if m.neg_c() { !c } else { c };
    let c = if signed { i128::from(c as i32) } else { i128::from(c) };
    let one = i128::from(m.neg_product() || m.neg_c() || m.op == Operation::Inc);
    let scale = match m.mode {
        Mode::Shr7 => 7,
        Mode::Shr15 => 15,
        _ => 0,
    };
    let sum = (product + c + one) >> scale;
    let (low, high) = if signed { (i32::MIN.into(), i32::MAX.into()) } else { (0, u32::MAX.into()) };
    D::from_i128(if m.sat() { sum.clamp(low, high) } else { sum })
}

/// The `N` parts that `select` picks from all `2 N` of `a` and `b`, those of `a` first, extended as `signed` says; without a
/// selector those of `a`, or of `b` if `second`.
#[inline(always)]
fn picks<const N: usize>(a: u32, b: u32, select: Selector, second: bool, signed: bool) -> [i64; N] {
    let width = 32 / N as u32;
    let both = u64::from(b) << 32 | u64::from(a);
    std::array::from_fn(|i| {
        let own = i as u32 + if second { N as u32 } else { 0 };
        let position = if select.count() == 0 { own } else { select.position(i as u32) };
        let part = both >> (width * position) << (64 - width);
        if signed { part as i64 >> (64 - width) } else { (part >> (64 - width)) as i64 }
    })
}

/// The results of all parts: those that the mask names are merged into `c`, or all added to it with `.add`.
#[inline(always)]
fn merge<const N: usize, D: Int>(m: Mods, t: [i64; N], c: D) -> D {
    let width = 32 / N as u32;
    let named = |i: u32| m.dsel.count() == 0 || (0..m.dsel.count()).any(|k| m.dsel.position(k) == i);
    let ones = (1 << width) - 1;
    let mut d = c.to_i128() as i64;
    for (i, t) in t.into_iter().enumerate().filter(|(i, _)| named(*i as u32)) {
        let t = clamp::<D>(m, t, width);
        let at = width * i as u32;
        d = if m.op == Operation::Add { d + t } else { d & !(ones << at) | (t & ones) << at };
    }
    D::from_i128(d.into())
}

/// Declares a parallel operation: on two half-words and on four bytes.
macro_rules! parallel {
    ($(#[$doc:meta])* $two:ident, $four:ident: |$m:ident, $a:ident, $b:ident| $t:expr) => {
        $(#[$doc])*
        ///
        /// Of half-words, two at a time.
        #[inline(always)]
        pub fn $two<D: Int, A: Int, B: Int>(m: Mods, a: A, b: B, c: D) -> D {
            let (first, second) = (a.to_i128() as u32, b.to_i128() as u32);
            let left = picks::<2>(first, second, m.asel, false, A::SIGNED);
            let right = picks::<2>(first, second, m.bsel, true, B::SIGNED);
            let f = |$m: Mods, $a: i64, $b: i64| -> i64 { $t };
            merge(m, std::array::from_fn::<i64, 2, _>(|i| f(m, left[i], right[i])), c)
        }

        $(#[$doc])*
        ///
        /// Of bytes, four at a time.
        #[inline(always)]
        pub fn $four<D: Int, A: Int, B: Int>(m: Mods, a: A, b: B, c: D) -> D {
            let (first, second) = (a.to_i128() as u32, b.to_i128() as u32);
            let left = picks::<4>(first, second, m.asel, false, A::SIGNED);
            let right = picks::<4>(first, second, m.bsel, true, B::SIGNED);
            let f = |$m: Mods, $a: i64, $b: i64| -> i64 { $t };
            merge(m, std::array::from_fn::<i64, 4, _>(|i| f(m, left[i], right[i])), c)
        }
    };
}

parallel!(/// Sums.
    add2, add4: |_m, a, b| a + b);
parallel!(/// Differences.
    sub2, sub4: |_m, a, b| a - b);
parallel!(/// Averages, a half rounded away from zero.
    average2, average4: |_m, a, b| (a + b + i64::from(a + b >= 0)) >> 1);
parallel!(/// Distances.
    abs_diff2, abs_diff4: |_m, a, b| (a - b).abs());
parallel!(/// The lesser ones.
    min2, min4: |_m, a, b| a.min(b));
parallel!(/// The greater ones.
    max2, max4: |_m, a, b| a.max(b));
parallel!(/// One where the comparison is true, else zero.
    set2, set4: |m, a, b| compares(m, a, b));

/// The instances of a function for every signedness of the result and the first two sources.
macro_rules! signs {
    ($lane:ident($f:ident)) => {
        signs!($lane($f): u32 u32 u32, u32 u32 i32, u32 i32 u32, u32 i32 i32, i32 u32 u32, i32 u32 i32, i32 i32 u32, i32 i32 i32)
    };
    ($lane:ident($f:ident): $($d:ident $a:ident $b:ident),*) => { &[$($lane($f::<$d, $a, $b>)),*] };
}

/// Registered functions.
#[rustfmt::skip] // One line a function, like a table.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("video::add", signs!(rare2(add))),
    lane("video::add_with", signs!(rare3(add_with))),
    lane("video::sub", signs!(rare2(sub))),
    lane("video::sub_with", signs!(rare3(sub_with))),
    lane("video::abs_diff", signs!(rare2(abs_diff))),
    lane("video::abs_diff_with", signs!(rare3(abs_diff_with))),
    lane("video::min", signs!(rare2(min))),
    lane("video::min_with", signs!(rare3(min_with))),
    lane("video::max", signs!(rare2(max))),
    lane("video::max_with", signs!(rare3(max_with))),
    lane("video::shift_left", signs!(rare2(shift_left): u32 u32 u32, u32 i32 u32, i32 u32 u32, i32 i32 u32)),
    lane("video::shift_left_with", signs!(rare3(shift_left_with): u32 u32 u32, u32 i32 u32, i32 u32 u32, i32 i32 u32)),
    lane("video::shift_right", signs!(rare2(shift_right): u32 u32 u32, u32 i32 u32, i32 u32 u32, i32 i32 u32)),
    lane("video::shift_right_with", signs!(rare3(shift_right_with): u32 u32 u32, u32 i32 u32, i32 u32 u32, i32 i32 u32)),
    lane("video::set", signs!(rare2(set): u32 u32 u32, u32 u32 i32, u32 i32 u32, u32 i32 i32)),
    lane("video::set_with", signs!(rare3(set_with): u32 u32 u32, u32 u32 i32, u32 i32 u32, u32 i32 i32)),
    lane("video::mad", signs!(rare3(mad))),
    lane("video::add2", signs!(rare3(add2))),
    lane("video::add4", signs!(rare3(add4))),
    lane("video::sub2", signs!(rare3(sub2))),
    lane("video::sub4", signs!(rare3(sub4))),
    lane("video::average2", signs!(rare3(average2))),
    lane("video::average4", signs!(rare3(average4))),
    lane("video::abs_diff2", signs!(rare3(abs_diff2))),
    lane("video::abs_diff4", signs!(rare3(abs_diff4))),
    lane("video::min2", signs!(rare3(min2))),
    lane("video::min4", signs!(rare3(min4))),
    lane("video::max2", signs!(rare3(max2))),
    lane("video::max4", signs!(rare3(max4))),
    lane("video::set2", signs!(rare3(set2): u32 u32 u32, u32 u32 i32, u32 i32 u32, u32 i32 i32)),
    lane("video::set4", signs!(rare3(set4): u32 u32 u32, u32 u32 i32, u32 i32 u32, u32 i32 i32)),
];
