//! Integer functions that combine three values, or parts of words, in one step, as AMD's vector and scalar units have them.
//!
//! Amounts of shifts count modulo the width: only their low bits are looked at. AMD's ISA guides, VOP2, VOP3 and SOP2 instructions.

use crate::operand::for_lanes;
use crate::{Function, each, group, lane};
use machine::lane::{Packed, S16x2, U16x2};
use machine::row::{lane1, lane2, lane3, lane4, rare1, rare2, rare3, wide2};
use machine::{Group, Int, Mods, Op, Step};

/// `a + b + c`.
pub fn add3(_: Mods, a: u32, b: u32, c: u32) -> u32 {
    a.wrapping_add(b).wrapping_add(c)
}

/// `(a + b) << n`.
pub fn add_shift(_: Mods, a: u32, b: u32, n: u32) -> u32 {
    a.wrapping_add(b) << (n & 31)
}

/// `(a ^ b) + c`.
pub fn xor_add(_: Mods, a: u32, b: u32, c: u32) -> u32 {
    (a ^ b).wrapping_add(c)
}

/// `a | b | c`.
pub fn or3(_: Mods, a: u32, b: u32, c: u32) -> u32 {
    a | b | c
}

/// `a ^ b ^ c`.
pub fn xor3(_: Mods, a: u32, b: u32, c: u32) -> u32 {
    a ^ b ^ c
}

/// `(a & b) | c`.
pub fn and_or(_: Mods, a: u32, b: u32, c: u32) -> u32 {
    a & b | c
}

/// `(a << n) | c`.
pub fn shift_or(_: Mods, a: u32, n: u32, c: u32) -> u32 {
    a << (n & 31) | c
}

/// The bits of `b` where `a` has ones, those of `c` elsewhere.
pub fn bit_select(_: Mods, a: u32, b: u32, c: u32) -> u32 {
    a & b | !a & c
}

/// `length` bits of `a` from bit `position` on, both below 32, with the sign of the type.
pub fn bit_field<T: Int<Mask = bool>>(_: Mods, a: T, position: u32, length: u32) -> T {
    let (position, length) = (position & 31, length & 31);
    // Behind the highest bit come copies of the sign, or zeros.
    let shifted = a.shr(position).shl(T::BITS - length);
    T::select(length == 0, T::int(0), shifted.shr(T::BITS - length))
}

/// As many bits of `a` as bits 22 to 16 of `b` say, from the bit on that its lowest bits name, with the sign of the type.
pub fn bit_field_packed<T: Int<Mask = bool>>(_: Mods, a: T, b: u32) -> T {
    let (position, length) = (b & (T::BITS - 1), b >> 16 & 0x7f);
    let length = length.min(T::BITS - position);
    let shifted = a.shl(T::BITS - position - length).shr(T::BITS - length);
    T::select(length == 0, T::int(0), shifted)
}

/// `a` ones from bit `b` on.
pub fn bit_mask<T: Int>(_: Mods, a: u32, b: u32) -> T {
    let ones = T::int(1).shl(a & (T::BITS - 1)).sub(T::int(1));
    ones.shl(b & (T::BITS - 1))
}

/// The low 32 bits of `a` above `b`, shifted right by `n` bits.
pub fn align_bit<N: Int>(_: Mods, a: u32, b: u32, n: N) -> u32 {
    ((u64::from(a) << 32 | u64::from(b)) >> (n.to_i128() & 31)) as u32
}

/// The low 32 bits of `a` above `b`, shifted right by `n` bytes.
pub fn align_byte<N: Int>(_: Mods, a: u32, b: u32, n: N) -> u32 {
    ((u64::from(a) << 32 | u64::from(b)) >> (8 * (n.to_i128() & 3))) as u32
}

/// Four bytes, each chosen by a byte of `s`: 0 to 3 of `b`, 4 to 7 of `a`, 8 to 11 the signs of the half-words, 12 zero, above that all ones.
pub fn permute_bytes(_: Mods, a: u32, b: u32, s: u32) -> u32 {
    let data = (u64::from(a) << 32 | u64::from(b)).to_le_bytes();
    let sign = |byte: u8| if byte & 0x80 != 0 { 0xff } else { 0 };
    u32::from_le_bytes(s.to_le_bytes().map(|select| match select {
        0..=7 => data[usize::from(select)],
        8..=11 => sign(data[usize::from(select - 8) * 2 + 1]),
        12 => 0,
        _ => 0xff,
    }))
}

/// The least of three.
pub fn min3<T: Int>(_: Mods, a: T, b: T, c: T) -> T {
    a.lesser(b).lesser(c)
}

/// The greatest of three.
pub fn max3<T: Int>(_: Mods, a: T, b: T, c: T) -> T {
    a.greater(b).greater(c)
}

/// The middle one of three.
pub fn med3<T: Int>(_: Mods, a: T, b: T, c: T) -> T {
    a.lesser(b).greater(a.greater(b).lesser(c))
}

/// The greater of `c` and the lesser of `a` and `b`.
pub fn min_max<T: Int>(_: Mods, a: T, b: T, c: T) -> T {
    a.lesser(b).greater(c)
}

/// The lesser of `c` and the greater of `a` and `b`.
pub fn max_min<T: Int>(_: Mods, a: T, b: T, c: T) -> T {
    a.greater(b).lesser(c)
}

/// The low 24 bits, with their sign if the type has one.
fn low24<T: Int>(a: T) -> T {
    a.shl(8).shr(8)
}

/// The product of the low 24 bits of both: its low 32 bits.
pub fn mul24<T: Int>(_: Mods, a: T, b: T) -> T {
    low24(a).mul(low24(b))
}

/// The product of the low 24 bits of both: what is above its low 32 bits.
pub fn mul24_high<T: Int>(_: Mods, a: T, b: T) -> T {
    low24(a).mul_hi(low24(b))
}

/// The product of the low 24 bits of `a` and `b`, plus `c`; limited to the range with a clamp.
pub fn mad24<T: Int>(m: Mods, a: T, b: T, c: T) -> T {
    limited(m, low24(a).to_i128() * low24(b).to_i128() + c.to_i128())
}

/// The product of two numbers of 16 bits plus one of 32; limited to the range with a clamp.
pub fn mad_mixed<A: Int, C: Int>(m: Mods, a: A, b: A, c: C) -> C {
    limited(m, a.to_i128() * b.to_i128() + c.to_i128())
}

/// `a * b + c` of one width; limited to the range with a clamp.
pub fn mad<T: Int>(m: Mods, a: T, b: T, c: T) -> T {
    limited(m, a.to_i128() * b.to_i128() + c.to_i128())
}

/// A sum at the width of its type: wrapped, or limited to the range with a clamp.
fn limited<T: Int>(m: Mods, value: i128) -> T {
    T::from_i128(if m.sat() { value.clamp(T::MIN.to_i128(), T::MAX.to_i128()) } else { value })
}

/// `a + b`, limited to the range with a clamp.
pub fn add<T: Int<Mask = bool>>(m: Mods, a: T, b: T) -> T {
    T::select(m.sat(), a.add_sat(b), a.add(b))
}

/// `a - b`, limited to the range with a clamp.
pub fn sub<T: Int<Mask = bool>>(m: Mods, a: T, b: T) -> T {
    T::select(m.sat(), a.sub_sat(b), a.sub(b))
}

/// `a + b`, and whether that overflows.
pub fn add_overflow(_: Mods, a: i32, b: i32) -> (i32, bool) {
    a.overflowing_add(b)
}

/// `a - b`, and whether that overflows.
pub fn sub_overflow(_: Mods, a: i32, b: i32) -> (i32, bool) {
    a.overflowing_sub(b)
}

/// `(a << N) + b` with the carry out of 32 bits.
pub fn shift_add_carry<const N: u32>(_: Mods, a: u32, b: u32) -> (u32, bool) {
    let wide = (u64::from(a) << N) + u64::from(b);
    (wide as u32, wide >> 32 != 0)
}

/// The lesser, and whether it is `a`.
pub fn min_flag<T: Int<Mask = bool>>(_: Mods, a: T, b: T) -> (T, bool) {
    (a.lesser(b), a.lt(b))
}

/// The greater, and whether it is `a`.
pub fn max_flag<T: Int<Mask = bool>>(_: Mods, a: T, b: T) -> (T, bool) {
    let flag = !a.lt(b);
    (a.greater(b), flag)
}

/// `|a|`, wrapped.
pub fn abs(_: Mods, a: i32) -> i32 {
    a.wrapping_abs()
}

/// `|a - b|`, wrapped.
pub fn abs_difference(_: Mods, a: i32, b: i32) -> i32 {
    a.wrapping_sub(b).wrapping_abs()
}

/// How many ones there are.
pub fn ones<T: Int>(_: Mods, a: T) -> u32 {
    a.count_ones()
}

/// How many zeros there are.
pub fn zeros<T: Int>(_: Mods, a: T) -> u32 {
    a.not().count_ones()
}

/// How many ones `a` has, plus `b`.
pub fn ones_plus(_: Mods, a: u32, b: u32) -> u32 {
    a.count_ones().wrapping_add(b)
}

/// The position of the lowest one, -1 if there is none.
pub fn lowest_one<T: Int<Mask = bool>>(_: Mods, a: T) -> u32 {
    let found = a.reverse_bits().leading_zeros();
    if found == T::BITS { u32::MAX } else { found }
}

/// The position of the lowest zero, -1 if there is none.
pub fn lowest_zero<T: Int<Mask = bool>>(m: Mods, a: T) -> u32 {
    lowest_one(m, a.not())
}

/// How many zeros stand above the highest one, -1 if there is none.
pub fn highest_one<T: Int<Mask = bool>>(_: Mods, a: T) -> u32 {
    let found = a.leading_zeros();
    if found == T::BITS { u32::MAX } else { found }
}

/// How many bits above the highest one that differs from the sign are like it, -1 if none differs.
pub fn sign_bits<T: Int<Mask = bool>>(m: Mods, a: T) -> u32 {
    highest_one(m, a.xor(a.shr(T::BITS - 1)))
}

/// The sum of the differences of the bytes of `a` and `b`, plus `c`.
pub fn sad_bytes(_: Mods, a: u32, b: u32, c: u32) -> u32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    (0..4).fold(c, |sum, i| sum.wrapping_add(a[i].abs_diff(b[i]).into()))
}

/// The same 16 bits further up, plus `c`.
pub fn sad_bytes_high(m: Mods, a: u32, b: u32, c: u32) -> u32 {
    (sad_bytes(m, a, b, 0) << 16).wrapping_add(c)
}

/// The same of those bytes where `b` is not zero.
pub fn sad_bytes_masked(_: Mods, a: u32, b: u32, c: u32) -> u32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    (0..4).filter(|i| b[*i] != 0).fold(c, |sum, i| sum.wrapping_add(a[i].abs_diff(b[i]).into()))
}

/// The sum of the differences of the half-words of `a` and `b`, plus `c`.
pub fn sad_halves(_: Mods, a: u32, b: u32, c: u32) -> u32 {
    let half = |i: u32| u32::from(((a >> (16 * i)) as u16).abs_diff((b >> (16 * i)) as u16));
    c.wrapping_add(half(0)).wrapping_add(half(1))
}

/// The difference of `a` and `b`, plus `c`.
pub fn sad_words(_: Mods, a: u32, b: u32, c: u32) -> u32 {
    a.abs_diff(b).wrapping_add(c)
}

/// Four such sums: of the bytes of `b` and those of `a` from byte 0, 1, 2 and 3 on, each plus a half-word of `c`, limited with a clamp.
pub fn sad_quads(m: Mods, a: u64, b: u32, c: u64) -> u64 {
    quads(m, a, b, c, sad_bytes)
}

/// The same of those bytes where `b` is not zero.
pub fn sad_quads_masked(m: Mods, a: u64, b: u32, c: u64) -> u64 {
    quads(m, a, b, c, sad_bytes_masked)
}

fn quads(m: Mods, a: u64, b: u32, c: u64, sad: fn(Mods, u32, u32, u32) -> u32) -> u64 {
    (0..4).rev().fold(0, |d, i| {
        let sum = sad(m, (a >> (8 * i)) as u32, b, (c >> (16 * i)) as u16 as u32);
        d << 16 | u64::from(if m.sat() { sum.min(0xffff) as u16 } else { sum as u16 })
    })
}

/// Four such sums of words: `src[0]` has eight bytes, `src[1]` four, `src[2]` four words.
fn sad_words_masked(g: &mut Group, op: &Op) -> Step {
    let m = op.mods;
    for_lanes(
        g,
        op,
        &[(op.src[0], 2), (op.src[1], 1), (op.src[2], 4)],
        |words, result: &mut [u32; 4]| {
            let bytes = u64::from(words[0]) | u64::from(words[1]) << 32;
            for i in 0..4 {
                result[i] = sad_bytes_masked(m, (bytes >> (8 * i)) as u32, words[2], words[3 + i]);
            }
        },
        4,
    );
    Step::Next
}

/// Looks up 16 numbers of `BITS` bits: the table is `src[1]` below `src[0]`, its numbers' places are four bits each in `src[2]`.
fn look_up<const BITS: u32>(g: &mut Group, op: &Op) -> Step {
    let low = if BITS == 4 { 1 } else { 2 };
    let high = if BITS == 8 { 2 } else { 1 };
    for_lanes(
        g,
        op,
        &[(op.src[1], low), (op.src[0], high), (op.src[2], 2)],
        |words, result: &mut [u32; 4]| {
            let joined = |words: &[u32]| words.iter().rev().fold(0u128, |all, word| all << 32 | u128::from(*word));
            let (table, places) = (joined(&words[..low + high]), joined(&words[low + high..]));
            let number = |i: u32| table >> (BITS * (places >> (4 * i) & 15) as u32) & ((1 << BITS) - 1);
            let found = (0..16).rev().fold(0, |found, i| found << BITS | number(i));
            *result = std::array::from_fn(|i| (found >> (32 * i)) as u32);
        },
        low + high,
    );
    Step::Next
}

/// The averages of the bytes of `a` and `b`, rounded up where the lowest bit of that byte of `c` is one.
pub fn average_bytes(_: Mods, a: u32, b: u32, c: u32) -> u32 {
    let (a, b, c) = (a.to_le_bytes(), b.to_le_bytes(), c.to_le_bytes());
    u32::from_le_bytes(std::array::from_fn(|i| ((u16::from(a[i]) + u16::from(b[i]) + u16::from(c[i] & 1)) >> 1) as u8))
}

/// Whether bit `b` of `a` is zero.
pub fn bit_is_zero<T: Int<Mask = bool>>(_: Mods, a: T, b: u32) -> bool {
    a.shr(b & (T::BITS - 1)).and(T::int(1)).eq(T::int(0))
}

/// Whether bit `b` of `a` is one.
pub fn bit_is_one<T: Int<Mask = bool>>(m: Mods, a: T, b: u32) -> bool {
    !bit_is_zero(m, a, b)
}

/// `d` with bit `a` cleared.
pub fn clear_bit<T: Int>(_: Mods, a: u32, d: T) -> T {
    d.and(T::int(1).shl(a & (T::BITS - 1)).not())
}

/// `d` with bit `a` set.
pub fn set_bit<T: Int>(_: Mods, a: u32, d: T) -> T {
    d.or(T::int(1).shl(a & (T::BITS - 1)))
}

/// A bit for each four of `a`: whether one of them is set.
pub fn quad_mask<T: Int<Mask = bool>>(_: Mods, a: T) -> T {
    let quad = |i: u32| T::select(a.shr(4 * i).and(T::int(15)).eq(T::int(0)), T::int(0), T::int(1).shl(i));
    (0..T::BITS / 4).fold(T::int(0), |mask, i| mask.or(quad(i)))
}

/// Four ones for each four bits of `a` of which one is set.
pub fn whole_quads<T: Int<Mask = bool>>(_: Mods, a: T) -> T {
    let quad = |i: u32| T::select(a.shr(4 * i).and(T::int(15)).eq(T::int(0)), T::int(0), T::int(15).shl(4 * i));
    (0..T::BITS / 4).fold(T::int(0), |mask, i| mask.or(quad(i)))
}

/// Each bit twice.
pub fn replicate_bits(_: Mods, a: u32) -> u64 {
    (0..32).fold(0, |wide, i| wide | (u64::from(a >> i & 1) * (3 << (2 * i))))
}

/// Two halves in one word: the first is the lower one.
pub fn pack_halves(_: Mods, a: u16, b: u16) -> u32 {
    u32::from(a) | u32::from(b) << 16
}

/// The lower half of `a` below the lower one of `b`.
pub fn pack_low_low(_: Mods, a: u32, b: u32) -> u32 {
    a & 0xffff | b << 16
}

/// The lower half of `a` below the upper one of `b`.
pub fn pack_low_high(_: Mods, a: u32, b: u32) -> u32 {
    a & 0xffff | b & 0xffff_0000
}

/// The upper half of `a` below the upper one of `b`.
pub fn pack_high_high(_: Mods, a: u32, b: u32) -> u32 {
    a >> 16 | b & 0xffff_0000
}

/// The upper half of `a` below the lower one of `b`.
pub fn pack_high_low(_: Mods, a: u32, b: u32) -> u32 {
    a >> 16 | b << 16
}

/// The lower half with its sign extended.
pub fn extend_half(_: Mods, a: i16) -> i32 {
    a.into()
}

/// The lowest byte with its sign extended.
pub fn extend_byte(_: Mods, a: i16) -> i32 {
    i32::from(a as i8)
}

/// `a` where the flag is set, `d` as it is elsewhere.
pub fn move_if<T: Int<Mask = bool>>(_: Mods, a: T, d: T, flag: bool) -> T {
    T::select(flag, a, d)
}

/// Both, exchanged.
pub fn exchange<T: Int>(_: Mods, a: T, b: T) -> (T, T) {
    (a, b)
}

/// The low part of the product of `a` and `b`, of `u16`.
pub fn mul_low<T: Int>(_: Mods, a: T, b: T) -> T {
    a.mul(b)
}

/// `a << n`, of whose amount only the low bits count.
pub fn shift_left_short(_: Mods, a: u16, n: u16) -> u16 {
    a << (n & 15)
}

/// `a >> n`, of whose amount only the low bits count.
pub fn shift_right_short<T: Int>(_: Mods, a: T, n: u16) -> T {
    a.shr(u32::from(n & 15))
}

/// How many lanes below this one, of the lower 32, a mask names, plus `b`.
pub fn count_below_low(_: Mods, mask: u32, b: u32, lane: u32) -> u32 {
    let below = if lane >= 32 { u32::MAX } else { (1 << lane) - 1 };
    (mask & below).count_ones().wrapping_add(b)
}

/// How many lanes below this one, of the upper 32, a mask names, plus `b`.
pub fn count_below_high(_: Mods, mask: u32, b: u32, lane: u32) -> u32 {
    let below = if lane < 32 { 0 } else { (1 << (lane - 32)) - 1 };
    (mask & below).count_ones().wrapping_add(b)
}

/// Element `i` of `bits` bits of a word, with its sign where it has one.
fn element(word: u32, bits: u32, i: u32, signed: bool) -> i64 {
    let high = word << (32 - bits * (i + 1));
    if signed { i64::from(high as i32 >> (32 - bits)) } else { i64::from(high >> (32 - bits)) }
}

/// The sum of the products of elements of `bits` bits, plus `c`.
fn dot<T: Int>(m: Mods, bits: u32, [a, b]: [u32; 2], signed: [bool; 2], c: T) -> T {
    let sum: i64 = (0..32 / bits).map(|i| element(a, bits, i, signed[0]) * element(b, bits, i, signed[1])).sum();
    limited(m, i128::from(sum) + c.to_i128())
}

/// Dot products of elements of a width.
macro_rules! dots {
    ($($(#[$doc:meta])* $name:ident $bits:literal $signed:literal $t:ty;)*) => { $(
        $(#[$doc])*
        pub fn $name(m: Mods, a: u32, b: u32, c: $t) -> $t {
            dot(m, $bits, [a, b], [$signed; 2], c)
        }
    )* };
}

dots! {
    /// The sum of eight products of signed 4-bit integers, plus `c`.
    dot8_signed 4 true i32;
    /// The sum of eight products of unsigned 4-bit integers, plus `c`.
    dot8_unsigned 4 false u32;
    /// The sum of four products of signed bytes, plus `c`.
    dot4_signed 8 true i32;
    /// The sum of four products of unsigned bytes, plus `c`.
    dot4_unsigned 8 false u32;
    /// The sum of two products of signed half-words, plus `c`.
    dot2_signed 16 true i32;
    /// The sum of two products of unsigned half-words, plus `c`.
    dot2_unsigned 16 false u32;
}

/// The sum of eight products of 4-bit integers, plus `c`; bits 0 and 1 of `signs` make the elements of `a` and `b` signed.
pub fn dot8_mixed(m: Mods, a: u32, b: u32, c: i32, signs: u32) -> i32 {
    dot(m, 4, [a, b], [signs & 1 != 0, signs & 2 != 0], c)
}

/// The sum of four products of bytes, plus `c`; bits 0 and 1 of `signs` make the elements of `a` and `b` signed.
pub fn dot4_mixed(m: Mods, a: u32, b: u32, c: i32, signs: u32) -> i32 {
    dot(m, 8, [a, b], [signs & 1 != 0, signs & 2 != 0], c)
}

/// Functions of pairs of half-words, each by itself.
macro_rules! pairs {
    ($($(#[$doc:meta])* $name:ident = |$m:ident, $a:ident, $b:ident| $value:expr;)*) => { $(
        $(#[$doc])*
        pub fn $name<P: Packed<Item: Int<Mask = bool>>>($m: Mods, a: P, b: P) -> P {
            a.zip(b, |$a, $b| $value)
        }
    )* };
}

pairs! {
    /// The sums.
    pair_add = |m, a, b| add(m, a, b);
    /// The differences.
    pair_sub = |m, a, b| sub(m, a, b);
    /// The low halves of the products.
    pair_mul = |_m, a, b| a.mul(b);
    /// The lesser ones.
    pair_min = |_m, a, b| a.lesser(b);
    /// The greater ones.
    pair_max = |_m, a, b| a.greater(b);
    /// `b` shifted left by `a`, modulo 16.
    pair_shift_left = |_m, a, b| b.shl(a.to_i128() as u32 & 15);
    /// `b` shifted right by `a`, modulo 16.
    pair_shift_right = |_m, a, b| b.shr(a.to_i128() as u32 & 15);
}

/// The greater of `a + b`, limited to the range, and `c`.
pub fn add_max<T: Int<Mask = bool>>(_: Mods, a: T, b: T, c: T) -> T {
    a.add_sat(b).greater(c)
}

/// The lesser of `a + b`, limited to the range, and `c`.
pub fn add_min<T: Int<Mask = bool>>(_: Mods, a: T, b: T, c: T) -> T {
    a.add_sat(b).lesser(c)
}

/// [`add_max`] of both halves.
pub fn pair_add_max<P: Packed<Item: Int<Mask = bool>>>(m: Mods, a: P, b: P, c: P) -> P {
    pair_max(m, a.zip(b, |a, b| a.add_sat(b)), c)
}

/// [`add_min`] of both halves.
pub fn pair_add_min<P: Packed<Item: Int<Mask = bool>>>(m: Mods, a: P, b: P, c: P) -> P {
    pair_min(m, a.zip(b, |a, b| a.add_sat(b)), c)
}

/// The greatest of three, of both halves.
pub fn pair_max3<P: Packed<Item: Int<Mask = bool>>>(m: Mods, a: P, b: P, c: P) -> P {
    pair_max(m, pair_max(m, a, b), c)
}

/// The least of three, of both halves.
pub fn pair_min3<P: Packed<Item: Int<Mask = bool>>>(m: Mods, a: P, b: P, c: P) -> P {
    pair_min(m, pair_min(m, a, b), c)
}

/// A word of `a` below one of `b`: bits 0 and 1 of `op_sel` choose the upper ones.
pub fn select_words(_: Mods, a: u64, b: u64, op_sel: u32) -> u64 {
    a >> (32 * (op_sel & 1)) & 0xffff_ffff | b >> (32 * (op_sel >> 1 & 1)) << 32
}

/// The products plus `c`, limited to the range with a clamp.
pub fn pair_mad<P: Packed>(m: Mods, a: P, b: P, c: P) -> P {
    // Exact products need more room than the pairs have: each half by itself.
    let product = |i: u32| {
        let part = |x: P| P::Item::from_i128((x.to_bits() >> (16 * i)) as i128);
        mad(m, part(a), part(b), part(c)).to_i128() as u16
    };
    P::from_bits(u128::from(product(0)) | u128::from(product(1)) << 16)
}

/// Two integers in half-words, limited to their range.
pub fn pack_limited<A: Int, D: Packed>(_: Mods, a: A, b: A) -> D {
    let limit = |x: A| x.to_i128().clamp(D::Item::MIN.to_i128(), D::Item::MAX.to_i128()) as u16;
    D::from_bits(u128::from(limit(a)) | u128::from(limit(b)) << 16)
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("combine::add3", &[lane3(add3)]),
    lane("combine::add_shift", &[lane3(add_shift)]),
    lane("combine::xor_add", &[lane3(xor_add)]),
    lane("combine::or3", &[lane3(or3)]),
    lane("combine::xor3", &[lane3(xor3)]),
    lane("combine::and_or", &[lane3(and_or)]),
    lane("combine::shift_or", &[lane3(shift_or)]),
    lane("combine::bit_select", &[lane3(bit_select)]),
    lane("combine::bit_field", each!(lane3(bit_field): u32 i32)),
    lane("combine::bit_field_packed", each!(rare2(bit_field_packed): u32 i32 u64 i64)),
    lane("combine::bit_mask", each!(rare2(bit_mask): u32 u64)),
    lane("combine::align_bit", each!(lane3(align_bit): u32 u16)),
    lane("combine::align_byte", each!(lane3(align_byte): u32 u16)),
    lane("combine::permute_bytes", &[rare3(permute_bytes)]),
    lane("combine::min3", each!(lane3(min3): u32 i32 u16 i16)),
    lane("combine::max3", each!(lane3(max3): u32 i32 u16 i16)),
    lane("combine::med3", each!(lane3(med3): u32 i32 u16 i16)),
    lane("combine::min_max", each!(lane3(min_max): u32 i32)),
    lane("combine::max_min", each!(lane3(max_min): u32 i32)),
    lane("combine::mul24", each!(lane2(mul24): u32 i32)),
    lane("combine::mul24_high", each!(lane2(mul24_high): u32 i32)),
    lane("combine::mad24", each!(lane3(mad24): u32 i32)),
    lane("combine::mad_mixed", &[lane3(mad_mixed::<u16, u32>), lane3(mad_mixed::<i16, i32>)]),
    lane("combine::mad", each!(lane3(mad): u16 i16 u32)),
    lane("combine::add", each!(lane2(add): u16 i16 u32 i32; wide2(add): u64)),
    lane("combine::sub", each!(lane2(sub): u16 i16 u32 i32; wide2(sub): u64)),
    lane("combine::add_overflow", &[rare2(add_overflow)]),
    lane("combine::sub_overflow", &[rare2(sub_overflow)]),
    lane("combine::shift_add_carry1", &[rare2(shift_add_carry::<1>)]),
    lane("combine::shift_add_carry2", &[rare2(shift_add_carry::<2>)]),
    lane("combine::shift_add_carry3", &[rare2(shift_add_carry::<3>)]),
    lane("combine::shift_add_carry4", &[rare2(shift_add_carry::<4>)]),
    lane("combine::min_flag", each!(rare2(min_flag): u32 i32)),
    lane("combine::max_flag", each!(rare2(max_flag): u32 i32)),
    lane("combine::abs", &[rare1(abs)]),
    lane("combine::abs_difference", &[rare2(abs_difference)]),
    lane("combine::ones", each!(rare1(ones): u32 u64)),
    lane("combine::zeros", each!(rare1(zeros): u32 u64)),
    lane("combine::ones_plus", &[lane2(ones_plus)]),
    lane("combine::lowest_one", each!(lane1(lowest_one): u32 u64)),
    lane("combine::lowest_zero", each!(rare1(lowest_zero): u32 u64)),
    lane("combine::highest_one", each!(lane1(highest_one): u32 u64)),
    lane("combine::sign_bits", each!(lane1(sign_bits): i32 i64)),
    lane("combine::sad_bytes", &[lane3(sad_bytes)]),
    lane("combine::sad_bytes_high", &[rare3(sad_bytes_high)]),
    lane("combine::sad_bytes_masked", &[rare3(sad_bytes_masked)]),
    lane("combine::sad_halves", &[rare3(sad_halves)]),
    lane("combine::sad_words", &[lane3(sad_words)]),
    lane("combine::sad_quads", &[rare3(sad_quads)]),
    lane("combine::sad_quads_masked", &[rare3(sad_quads_masked)]),
    group("combine::sad_words_masked", |_| Some(sad_words_masked)),
    group("combine::look_up_4", |_| Some(look_up::<4>)),
    group("combine::look_up_6", |_| Some(look_up::<6>)),
    group("combine::look_up_8", |_| Some(look_up::<8>)),
    lane("combine::average_bytes", &[rare3(average_bytes)]),
    lane("combine::bit_is_zero", each!(rare2(bit_is_zero): u32 u64)),
    lane("combine::bit_is_one", each!(rare2(bit_is_one): u32 u64)),
    lane("combine::clear_bit", each!(rare2(clear_bit): u32 u64)),
    lane("combine::set_bit", each!(rare2(set_bit): u32 u64)),
    lane("combine::quad_mask", each!(rare1(quad_mask): u32 u64)),
    lane("combine::whole_quads", each!(rare1(whole_quads): u32 u64)),
    lane("combine::replicate_bits", &[rare1(replicate_bits)]),
    lane("combine::pack_halves", &[lane2(pack_halves)]),
    lane("combine::pack_low_low", &[rare2(pack_low_low)]),
    lane("combine::pack_low_high", &[rare2(pack_low_high)]),
    lane("combine::pack_high_high", &[rare2(pack_high_high)]),
    lane("combine::pack_high_low", &[rare2(pack_high_low)]),
    lane("combine::extend_half", &[rare1(extend_half)]),
    lane("combine::extend_byte", &[rare1(extend_byte)]),
    lane("combine::move_if", each!(rare3(move_if): u32 u64 i32)),
    lane("combine::exchange", each!(rare2(exchange): u32 u16)),
    lane("combine::mul_low", each!(lane2(mul_low): u16)),
    lane("combine::shift_left_short", &[lane2(shift_left_short)]),
    lane("combine::shift_right_short", each!(lane2(shift_right_short): u16 i16)),
    lane("combine::count_below_low", &[lane3(count_below_low)]),
    lane("combine::count_below_high", &[lane3(count_below_high)]),
    lane("combine::dot8_signed", &[lane3(dot8_signed)]),
    lane("combine::dot8_unsigned", &[lane3(dot8_unsigned)]),
    lane("combine::dot8_mixed", &[lane4(dot8_mixed)]),
    lane("combine::dot4_signed", &[lane3(dot4_signed)]),
    lane("combine::dot4_unsigned", &[lane3(dot4_unsigned)]),
    lane("combine::dot4_mixed", &[lane4(dot4_mixed)]),
    lane("combine::dot2_signed", &[lane3(dot2_signed)]),
    lane("combine::dot2_unsigned", &[lane3(dot2_unsigned)]),
    lane("combine::pair_add", each!(lane2(pair_add): U16x2 S16x2)),
    lane("combine::pair_sub", each!(lane2(pair_sub): U16x2 S16x2)),
    lane("combine::pair_mul", each!(lane2(pair_mul): U16x2)),
    lane("combine::pair_min", each!(lane2(pair_min): U16x2 S16x2)),
    lane("combine::pair_max", each!(lane2(pair_max): U16x2 S16x2)),
    lane("combine::pair_shift_left", each!(lane2(pair_shift_left): U16x2)),
    lane("combine::pair_shift_right", each!(lane2(pair_shift_right): U16x2 S16x2)),
    lane("combine::add_max", each!(rare3(add_max): u32 i32)),
    lane("combine::add_min", each!(rare3(add_min): u32 i32)),
    lane("combine::pair_add_max", each!(rare3(pair_add_max): U16x2 S16x2)),
    lane("combine::pair_add_min", each!(rare3(pair_add_min): U16x2 S16x2)),
    lane("combine::pair_max3", each!(rare3(pair_max3): U16x2 S16x2)),
    lane("combine::pair_min3", each!(rare3(pair_min3): U16x2 S16x2)),
    lane("combine::select_words", &[rare3(select_words)]),
    lane("combine::pair_mad", each!(rare3(pair_mad): U16x2 S16x2)),
    lane("combine::pack_limited", &[rare2(pack_limited::<i32, S16x2>), rare2(pack_limited::<u32, U16x2>)]),
];
