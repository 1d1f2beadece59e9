//! Bytes and bits picked, moved and counted.
//!
//! PTX ISA 9.4, 9.7.10.7 (prmt).

use crate::{Function, lane};
use machine::mods::Mode;
use machine::row::lane3;
use machine::{Lane, Mods};

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

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[lane("bits::permute", &[lane3(permute)])];
