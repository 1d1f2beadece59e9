//! Bytes and bits picked, moved and counted.
//!
//! PTX ISA 9.4, 9.7.1.15 to 9.7.1.23 (popc to bmsk), 9.7.9.7 to 9.7.9.9 (shifts), 9.7.10.7 (prmt).

use crate::{Function, each, lane};
use machine::mods::Mode;
use machine::row::{lane1, lane2, lane3, lane4, wide2, wide3};
use machine::{Int, Lane, Mods};

/// How many bits are one.
#[inline(always)]
pub fn popc<T: Int>(_: Mods, a: T) -> u32 {
    a.count_ones()
}

/// How many zeros stand before the most significant one.
#[inline(always)]
pub fn clz<T: Int>(_: Mods, a: T) -> u32 {
    a.leading_zeros()
}

/// The position of the most significant bit that differs from the sign, or with `.shiftamt` how far left it must go to become
/// the most significant of all; all ones if there is none.
#[inline(always)]
pub fn find<T: Int>(m: Mods, a: T) -> u32 {
    // Arithmetic shift: all ones for a negative number, zero for any other.
    let sign = if T::SIGNED { a.shr(T::BITS - 1) } else { T::int(0) };
    let zeros = a.xor(sign).leading_zeros();
    let found = if m.shiftamt() { zeros } else { (T::BITS - 1).wrapping_sub(zeros) };
    u32::select(zeros == T::BITS, u32::MAX, found)
}

/// The position of the n-th one of `mask`, counted from `base` on, where n is `offset` as a signed number: upwards for n > 0, downwards
/// for n < 0, and `base` itself or nothing for 0. All ones if there is none.
#[inline(always)]
pub fn find_nth(_: Mods, mask: u32, base: u32, offset: u32) -> u32 {
    let n = offset as i32;
    if base > 31 {
        return u32::MAX;
    }
    let mut rest = match n {
        0 => mask & 1 << base,
        1.. => mask >> base << base,
        _ => (mask << (31 - base) >> (31 - base)).reverse_bits(),
    };
    for _ in 1..n.unsigned_abs().min(33) {
        rest &= rest.wrapping_sub(1);
    }
    let position = if n < 0 { 31u32.wrapping_sub(rest.trailing_zeros()) } else { rest.trailing_zeros() };
    u32::select(rest == 0, u32::MAX, position)
}

/// The bits in reverse order.
#[inline(always)]
pub fn reverse<T: Int>(_: Mods, a: T) -> T {
    a.reverse_bits()
}

/// The `length` bits of `a` from `position` on, zero- or sign-extended; what lies beyond the most significant bit counts as the
/// sign. Both count modulo 256; no bits at all are zero.
#[inline(always)]
pub fn extract<T: Int>(_: Mods, a: T, position: u32, length: u32) -> T {
    let (position, length) = (position & 0xff, length & 0xff);
    let field = a.shr(position);
    // The field goes to the top and comes back with its sign; shifting by the width would lose it.
    let unused = T::BITS.saturating_sub(length).min(T::BITS - 1);
    if length == 0 { T::int(0) } else { field.shl(unused).shr(unused) }
}

/// `b` with the low `length` bits of `a` put in from `position` on; both count modulo 256.
#[inline(always)]
pub fn insert<T: Int>(_: Mods, a: T, b: T, position: u32, length: u32) -> T {
    let (position, length) = (position & 0xff, length & 0xff);
    let mask = T::int(-1).shl(length).not().shl(position);
    a.shl(position).and(mask).or(b.and(mask.not()))
}

/// The low `n` bits of `a`, zero- or sign-extended; no bits at all are zero. From 32 on all of `a` (`.clamp`), or `n` counts
/// modulo 32 (`.wrap`).
#[inline(always)]
pub fn extend<T: Int>(m: Mods, a: T, n: u32) -> T {
    let n = if m.mode == Mode::Clamp { n.min(32) } else { n & 31 };
    let unused = (32 - n).min(31);
    if n == 0 { T::int(0) } else { a.shl(unused).shr(unused) }
}

/// `width` ones from `position` on, as far as they fit in 32 bits; both count up to 32 (`.clamp`) or modulo 32 (`.wrap`).
#[inline(always)]
pub fn mask(m: Mods, position: u32, width: u32) -> u32 {
    let wrap = m.mode == Mode::Wrap;
    let (position, width) = if wrap { (position & 31, width & 31) } else { (position, width) };
    Int::shl(Int::shl(u32::MAX, width).not(), position)
}

/// The high 32 bits of `{b, a}` shifted left by up to 32 (`.clamp`), or by `n` modulo 32 (`.wrap`).
#[inline(always)]
pub fn funnel_left(m: Mods, a: u32, b: u32, n: u32) -> u32 {
    ((u64::from(b) << 32 | u64::from(a)) << funnel_amount(m, n) >> 32) as u32
}

/// The low 32 bits of `{b, a}` shifted right by up to 32 (`.clamp`), or by `n` modulo 32 (`.wrap`).
#[inline(always)]
pub fn funnel_right(m: Mods, a: u32, b: u32, n: u32) -> u32 {
    ((u64::from(b) << 32 | u64::from(a)) >> funnel_amount(m, n)) as u32
}

#[inline(always)]
fn funnel_amount(m: Mods, n: u32) -> u32 {
    if m.mode == Mode::Clamp { n.min(32) } else { n & 31 }
}

/// `a` shifted left by `n`; zero from the width on.
#[inline(always)]
pub fn shift_left<T: Int>(_: Mods, a: T, n: u32) -> T {
    a.shl(n)
}

/// `a` shifted right by `n`, filled with its sign if it has one; nothing but the fill from the width on.
#[inline(always)]
pub fn shift_right<T: Int>(_: Mods, a: T, n: u32) -> T {
    a.shr(n)
}

/// Four bytes of the eight in `{b, a}`, numbered from the lowest of `a`: the nibbles of `c` pick them, with the sign of the byte
/// for all its bits where bit 3 of the nibble is set; in the other modes bits 0 and 1 of `c` choose a pattern.
#[inline(always)]
pub fn permute(m: Mods, a: u32, b: u32, c: u32) -> u32 {
    let n = c & 3;
    let pick = match m.mode {
        Mode::F4e => 0x3210 + 0x1111 * n,
        // Backward from byte n, around the end of the eight.
        Mode::B4e => nibbles(|k| (n + 8 - k) & 7),
        Mode::Rc8 => 0x1111 * n,
        Mode::Ecl => nibbles(|k| k.max(n)),
        Mode::Ecr => nibbles(|k| k.min(n)),
        Mode::Rc16 => 0x1010 + 0x2222 * (n & 1),
        _ => c & 0xffff,
    };
    let bytes = u64::from(b) << 32 | u64::from(a);
    let byte = |k: u32| {
        let nibble = pick >> (4 * k) & 0xf;
        let byte = (bytes >> (8 * (nibble & 7))) as u32 & 0xff;
        let sign = (byte >> 7) * 0xff;
        u32::select(nibble >> 3 != 0, sign, byte) << (8 * k)
    };
    byte(0) | byte(1) | byte(2) | byte(3)
}

/// Four nibbles, the function giving that of byte `k`.
#[inline(always)]
fn nibbles(f: impl Fn(u32) -> u32) -> u32 {
    f(0) | f(1) << 4 | f(2) << 8 | f(3) << 12
}

/// `a << n`, of whose amount only the low bits count: as many as the width needs.
pub fn shift_left_wrapped<T: Int>(_: Mods, a: T, n: u32) -> T {
    a.shl(n & (T::BITS - 1))
}

/// `a >> n`, likewise.
pub fn shift_right_wrapped<T: Int>(_: Mods, a: T, n: u32) -> T {
    a.shr(n & (T::BITS - 1))
}

/// `(a << n) + b`.
pub fn shift_add<T: Int>(_: Mods, a: T, n: u32, b: T) -> T {
    a.shl(n & (T::BITS - 1)).add(b)
}

/// `(a << n) + b`, with a shift by more than 4 being none; of `n` three bits count.
pub fn shift_add_to_four(_: Mods, a: u64, n: u32, b: u64) -> u64 {
    let n = if n & 7 > 4 { 0 } else { n & 7 };
    (a << n).wrapping_add(b)
}

/// Registered functions.
#[rustfmt::skip] // One line a function, like a table.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("bits::popc", each!(lane1(popc): u32 u64)),
    lane("bits::clz", each!(lane1(clz): u32 u64)),
    lane("bits::find", each!(lane1(find): u32 u64 i32 i64)),
    lane("bits::find_nth", &[lane3(find_nth)]),
    lane("bits::reverse", each!(lane1(reverse): u32 u64)),
    lane("bits::extract", each!(lane3(extract): u32 u64 i32 i64)),
    lane("bits::insert", each!(lane4(insert): u32 u64)),
    lane("bits::extend", each!(lane2(extend): u32 i32)),
    lane("bits::mask", &[lane2(mask)]),
    lane("bits::funnel_left", &[lane3(funnel_left)]),
    lane("bits::funnel_right", &[lane3(funnel_right)]),
    lane("bits::shift_left", each!(lane2(shift_left): u16 u32 u64)),
    lane("bits::shift_right", each!(lane2(shift_right): u16 u32 u64 i16 i32 i64)),
    lane("bits::shift_left_wrapped", each!(lane2(shift_left_wrapped): u32; wide2(shift_left_wrapped): u64)),
    lane("bits::shift_right_wrapped", each!(lane2(shift_right_wrapped): u32; wide2(shift_right_wrapped): u64; lane2(shift_right_wrapped): i32; wide2(shift_right_wrapped): i64)),
    lane("bits::shift_add", each!(lane3(shift_add): u32 u64)),
    lane("bits::shift_add_to_four", &[wide3(shift_add_to_four)]),
    lane("bits::permute", &[lane3(permute)]),
];
