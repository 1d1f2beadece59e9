//! Conversions to and from numbers of 4, 6 and 8 bits, as AMD's units make them: packed, scaled by powers of two, with stochastic rounding.
//!
//! The format is the setting `to` or `from`. Results are rounded to nearest, ties to even. Overflow is infinity in E5M2, NaN in E4M3 and in the
//! formats without negative zero, the largest number in the others. A NaN becomes the format's NaN with its sign, or the largest number. A scale is the
//! exponent field of a single-precision number, or a byte of powers of two (E8M0): 255 is NaN. Stochastic rounding adds the upper bits of a random
//! word, as many as the mantissa loses, and truncates.
//!
//! AMD's ISA guides for CDNA 3, CDNA 4 and RDNA 4, conversions; for NaN, overflow and random bits the model of the hardware in HIP's header
//! amd_hip_ocp_host.hpp. For stochastic rounding the guides round a second time, to nearest; the header truncates.

use crate::convert::number_format;
use crate::float::{self, Float};
use crate::operand::for_lanes;
use crate::{Function, group, ieee, lane};
use machine::lane::{Bf16x2, F16x2, F32x2, Pair};
use machine::mods;
use machine::row::{rare1, rare2, rare3, rare4, rare5};
use machine::state::FaultKind;
use machine::{Element, Group, Int, Mods, Op, Step};
use numerics::{Bf16, Class, F16, Format, PackOptions, Rounding, Specials, Unpacked};

/// The format of a setting. On gfx125 a clamp chooses E5M3 in place of E4M3.
pub(crate) fn format(m: Mods, format: mods::Format) -> &'static Format {
    let chosen = number_format(format).unwrap_or(&Format::E4M3);
    if m.sat() && *chosen == Format::E4M3 { &Format::UE5M3 } else { chosen }
}

/// The power of two that a byte of scales stands for; none for NaN.
fn power_of_byte(byte: u32) -> Option<i32> {
    (byte & 0xff != 0xff).then_some((byte & 0xff) as i32 - 127)
}

/// The power of two that a scale in single precision stands for: its exponent field counts alone.
fn power(scale: f32) -> Option<i32> {
    power_of_byte(scale.to_bits() >> 23)
}

/// The NaN of a format with this sign, or its largest number.
fn nan(format: &Format, sign: bool) -> u32 {
    let magnitude = match format.specials {
        Specials::Ieee => (format.max_finite() + 1) | (1 << (format.mantissa_bits - 1)),
        Specials::NanAllOnes => format.max_finite() + 1,
        Specials::NanNegativeZero => return format.nan.unwrap_or_default() as u32,
        Specials::None => format.max_finite(),
    };
    magnitude as u32 | u32::from(sign && format.signed) << format.magnitude_bits()
}

/// The bits of a number divided by a power of two, rounded to nearest, or by the upper `bits` bits of a random word. Where FP16_OVFL says so, overflow and
/// infinity are the largest number.
fn narrowed(m: Mods, to: &Format, x: Unpacked, power: Option<i32>, random: Option<(u32, u32)>) -> u32 {
    let Some(power) = power.filter(|_| x.class != Class::Nan) else { return nan(to, x.sign) };
    let (x, options) = (x.scaled(-power), PackOptions { saturate_finite: m.satfinite(), ..PackOptions::default() });
    let bits = match random {
        Some((word, bits)) => numerics::pack_stochastic(to, &x, word >> (32 - bits), bits, options),
        None => numerics::pack(to, &x, Rounding::NearestEven, options),
    };
    // The NaN of overflow has the number's sign.
    if to.specials == Specials::NanAllOnes && to.nan == Some(bits) { nan(to, x.sign) } else { bits as u32 }
}

/// How many random bits count: those that the mantissa loses.
fn lost(from: &Format, to: &Format) -> u32 {
    from.mantissa_bits - to.mantissa_bits
}

/// The number that bits of a format stand for times a power of two, rounded to nearest.
pub(crate) fn widened<D: Float>(from: &Format, bits: u32, power: Option<i32>) -> D {
    let x = numerics::unpack(from, bits.into());
    match power {
        Some(power) if x.class != Class::Nan => float::rounded(x.scaled(power), Rounding::NearestEven),
        _ => D::from_bits(nan(D::FORMAT, x.sign).into()),
    }
}

/// Puts `bits` low bits of `value` at bit `at` of `old`.
pub(crate) fn placed(old: u32, value: u32, at: u32, bits: u32) -> u32 {
    let mask = u32::MAX >> (32 - bits) << at;
    old & !mask | value << at & mask
}

/// Two numbers of the result's format, the first one lower.
fn pair(m: Mods, [a, b]: [Unpacked; 2], power: Option<i32>) -> u32 {
    let to = format(m, m.to);
    narrowed(m, to, a, power, None) | narrowed(m, to, b, power, None) << to.bits()
}

/// Puts a pair where `op_sel` says: bytes by bits 2 and 3, half-words by bit 3.
fn placed_pair(m: Mods, old: u32, value: u32, op_sel: u32) -> u32 {
    let bits = 2 * format(m, m.to).bits();
    placed(old, value, if bits == 8 { 8 * (op_sel >> 2 & 3) } else { 16 * (op_sel >> 3 & 1) }, bits)
}

/// Both numbers of a pair.
fn both<P: Pair<Half: Float>>(a: P) -> [Unpacked; 2] {
    a.halves().map(float::unpacked)
}

/// Two numbers in bytes, the first one lower.
pub fn pack(m: Mods, a: f32, b: f32) -> u16 {
    pair(m, [a, b].map(float::unpacked), Some(0)) as u16
}

/// The same in the half of `old` that bit 3 of `op_sel` names.
pub fn pack_into(m: Mods, a: f32, b: f32, old: u32, op_sel: u32) -> u32 {
    placed_pair(m, old, pack(m, a, b).into(), op_sel)
}

/// Both halves in bytes.
pub fn narrow(m: Mods, a: F16x2) -> u16 {
    pair(m, both(a), Some(0)) as u16
}

/// A number in a byte of `old`, rounded by a random word: the byte that bits 2 and 3 of `op_sel` name.
pub fn stochastic<A: Float>(m: Mods, a: A, random: u32, old: u32, op_sel: u32) -> u32 {
    stochastic_byte(m, a, random, old, op_sel >> 2)
}

/// The same in byte `byte`.
pub fn stochastic_byte<A: Float>(m: Mods, a: A, random: u32, old: u32, byte: u32) -> u32 {
    let to = format(m, m.to);
    placed(old, narrowed(m, to, float::unpacked(a), Some(0), Some((random, lost(A::FORMAT, to)))), 8 * (byte & 3), 8)
}

/// A number in half precision or bfloat16, rounded by a random word.
pub fn stochastic_half<D: Float>(m: Mods, a: f32, random: u32) -> D {
    if a.is_nan() {
        return ieee::convert(m, a);
    }
    let bits = narrowed(m, D::FORMAT, float::unpacked(a), Some(0), Some((random, lost(&Format::F32, D::FORMAT))));
    D::from_bits(bits.into())
}

/// Two numbers so, the second by the next random word.
pub fn stochastic_halves<P: Pair<Half: Float>>(m: Mods, a: f32, b: f32, random: u32) -> P {
    P::from_halves([stochastic_half(m, a, random), stochastic_half(m, b, next_random(m, random))])
}

/// The next word of a linear feedback shift register.
pub fn next_random(_: Mods, a: u32) -> u32 {
    a << 1 ^ if a >> 31 != 0 { 197 } else { 0 }
}

/// Two numbers divided by a scale, in the part of `old` that `op_sel` names.
pub fn scale_pack(m: Mods, a: f32, b: f32, scale: f32, old: u32, op_sel: u32) -> u32 {
    placed_pair(m, old, pair(m, [a, b].map(float::unpacked), power(scale)), op_sel)
}

/// Both halves divided by a scale, in the part of `old` that `op_sel` names.
pub fn scale_narrow<P: Pair<Half: Float>>(m: Mods, a: P, scale: f32, old: u32, op_sel: u32) -> u32 {
    placed_pair(m, old, pair(m, both(a), power(scale)), op_sel)
}

/// A number divided by a scale, in the byte of `old` that bits 2 and 3 of `op_sel` name, rounded by a random word.
pub fn scale_stochastic<A: Float>(m: Mods, a: A, random: u32, scale: f32, old: u32, op_sel: u32) -> u32 {
    let to = format(m, m.to);
    let bits = narrowed(m, to, float::unpacked(a), power(scale), Some((random, lost(A::FORMAT, to))));
    placed(old, bits, 8 * (op_sel >> 2 & 3), 8)
}

/// Both numbers of a pair divided by a scale, in the part of `old` that `op_sel` names, rounded by a random word and the next one.
pub fn scale_narrow_stochastic<P: Pair<Half: Float>>(m: Mods, a: P, random: u32, scale: f32, old: u32, op_sel: u32) -> u32 {
    let (to, [a, b]) = (format(m, m.to), both(a));
    let one = |x, random| narrowed(m, to, x, power(scale), Some((random, lost(P::Half::FORMAT, to))));
    placed_pair(m, old, one(a, random) | one(b, next_random(m, random)) << to.bits(), op_sel)
}

/// The number in byte `byte`.
pub fn widen<D: Float>(m: Mods, a: u32, byte: u32) -> D {
    widened(format(m, m.from), a >> (8 * (byte & 3)) & 0xff, Some(0))
}

/// The numbers in the two lowest bytes.
pub fn widen_pair<P: Pair<Half: Float>, A: Int>(m: Mods, a: A) -> P {
    let (from, a) = (format(m, m.from), a.to_i128() as u32);
    P::from_halves([0, 8].map(|at| widened(from, a >> at & 0xff, Some(0))))
}

/// The number in the byte that bits 0 and 1 of `op_sel` name, times a scale.
pub fn scale_widen<D: Float>(m: Mods, a: u32, scale: f32, op_sel: u32) -> D {
    widened(format(m, m.from), a >> (8 * (op_sel & 3)) & 0xff, power(scale))
}

/// Two numbers times a scale: those of the half that bit 0 of `op_sel` names, or of the byte that bits 0 and 1 name.
pub fn scale_widen_pair<P: Pair<Half: Float>>(m: Mods, a: u32, scale: f32, op_sel: u32) -> P {
    let from = format(m, m.from);
    let bits = from.bits();
    let a = a >> if bits == 4 { 8 * (op_sel & 3) } else { 16 * (op_sel & 1) };
    P::from_halves([0, bits].map(|at| widened(from, a >> at & ((1 << bits) - 1), power(scale))))
}

/// `bits` bits of a run of words from bit `at` on.
fn field(words: &[u32], at: u32, bits: u32) -> u32 {
    let word = |i: usize| u64::from(words.get(i).copied().unwrap_or(0));
    let i = (at / 32) as usize;
    ((word(i) | word(i + 1) << 32) >> (at % 32)) as u32 & (u32::MAX >> (32 - bits))
}

/// Puts bits where [`field`] finds them; they were zero.
fn put_field(words: &mut [u32], at: u32, value: u32) {
    let (i, value) = ((at / 32) as usize, u64::from(value) << (at % 32));
    for (word, part) in words[i..].iter_mut().zip([value as u32, (value >> 32) as u32]) {
        *word |= part;
    }
}

/// Registers that so many numbers of a format take.
fn registers(format: &Format, count: u32) -> usize {
    (count * format.bits()).div_ceil(32) as usize
}

/// Numbers of a tuple divided by the scale `src[last]`, packed. With random words those of the first number are in `src[1]`.
fn pack_tuple<const COUNT: u32, const RANDOM: bool>(g: &mut Group, op: &Op) -> Step {
    let m = op.mods;
    let (from, to) = (format(m, m.from), format(m, m.to));
    let length = registers(from, COUNT);
    let mut sources = vec![(op.src[0], length), (op.src[1], 1)];
    if RANDOM {
        sources.push((op.src[2], 1));
    }
    let packed = |words: &[u32], result: &mut [u32; 8]| {
        let power = power(f32::from_bits(words[words.len() - 1]));
        let mut word = words[length];
        for i in 0..COUNT {
            let x = numerics::unpack(from, field(words, i * from.bits(), from.bits()).into());
            put_field(result, i * to.bits(), narrowed(m, to, x, power, RANDOM.then_some((word, lost(from, to)))));
            word = next_random(m, word);
        }
    };
    for_lanes(g, op, &sources, packed, registers(to, COUNT));
    Step::Next
}

/// 32 numbers in single precision, 16 of each of two tuples in turn, divided by a scale and packed.
fn pack_turns(g: &mut Group, op: &Op) -> Step {
    let m = op.mods;
    let to = format(m, m.to);
    let packed = |words: &[u32], result: &mut [u32; 8]| {
        for i in 0..32 {
            let x = float::unpacked(f32::from_bits(words[16 * (i & 1) + i / 2]));
            put_field(result, i as u32 * to.bits(), narrowed(m, to, x, power(f32::from_bits(words[32])), None));
        }
    };
    for_lanes(g, op, &[(op.src[0], 16), (op.src[1], 16), (op.src[2], 1)], packed, registers(to, 32));
    Step::Next
}

/// Numbers of a tuple times a scale: of single precision (`src[1]`), or a byte of `src[1]` that the cell `src[2]` names.
fn unpack_tuple<const COUNT: u32, const BYTES: bool>(g: &mut Group, op: &Op) -> Step {
    let m = op.mods;
    let (from, to) = (format(m, m.from), format(m, m.to));
    let length = registers(from, COUNT);
    let byte = if BYTES { g.predicate(op.src[2]) } else { 0 };
    if byte > 3 {
        let message =
            format!("scale_sel:{byte} is not executable yet: scales of other lanes are not modelled, scale_sel:0 to 3 are");
        return g.fail(0, FaultKind::Other(message));
    }
    let unpacked = |words: &[u32], result: &mut [u32; 32]| {
        let scale = words[length];
        let power = if BYTES { power_of_byte(scale >> (8 * byte)) } else { power(f32::from_bits(scale)) };
        for i in 0..COUNT {
            let bits = field(words, i * from.bits(), from.bits());
            let wide = match m.to {
                mods::Format::F32 => widened::<f32>(from, bits, power).to_bits(),
                mods::Format::F16 => Element::to_bits(widened::<F16>(from, bits, power)) as u32,
                _ => Element::to_bits(widened::<Bf16>(from, bits, power)) as u32,
            };
            put_field(result, i * to.bits(), wide);
        }
    };
    for_lanes(g, op, &[(op.src[0], length), (op.src[1], 1)], unpacked, registers(to, COUNT));
    Step::Next
}

/// Registered functions.
#[rustfmt::skip] // One line a function, like a table.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("small::pack", &[rare2(pack)]),
    lane("small::pack_into", &[rare4(pack_into)]),
    lane("small::narrow", &[rare1(narrow)]),
    lane("small::stochastic", &[rare4(stochastic::<f32>), rare4(stochastic::<F16>)]),
    lane("small::stochastic_byte", &[rare4(stochastic_byte::<f32>), rare4(stochastic_byte::<F16>)]),
    lane("small::stochastic_half", &[rare2(stochastic_half::<F16>), rare2(stochastic_half::<Bf16>)]),
    lane("small::stochastic_f16", &[rare3(stochastic_halves::<F16x2>)]),
    lane("small::stochastic_bf16", &[rare3(stochastic_halves::<Bf16x2>)]),
    lane("small::next_random", &[rare1(next_random)]),
    lane("small::scale_pack", &[rare5(scale_pack)]),
    lane("small::scale_narrow", &[rare4(scale_narrow::<F16x2>), rare4(scale_narrow::<Bf16x2>)]),
    lane("small::scale_stochastic", &[rare5(scale_stochastic::<f32>), rare5(scale_stochastic::<F16>), rare5(scale_stochastic::<Bf16>)]),
    lane("small::scale_narrow_stochastic", &[
        rare5(scale_narrow_stochastic::<F16x2>),
        rare5(scale_narrow_stochastic::<Bf16x2>),
        rare5(scale_narrow_stochastic::<F32x2>),
    ]),
    lane("small::widen", &[rare2(widen::<f32>), rare2(widen::<F16>)]),
    lane("small::widen_pair", &[rare1(widen_pair::<F32x2, u32>), rare1(widen_pair::<F32x2, u16>)]),
    lane("small::widen_halves", &[rare1(widen_pair::<F16x2, u16>)]),
    lane("small::scale_widen", &[rare3(scale_widen::<f32>), rare3(scale_widen::<F16>)]),
    lane("small::scale_widen_pair", &[
        rare3(scale_widen_pair::<F32x2>),
        rare3(scale_widen_pair::<F16x2>),
        rare3(scale_widen_pair::<Bf16x2>),
    ]),
    group("small::pack_8", |_| Some(pack_tuple::<8, false>)),
    group("small::pack_16", |_| Some(pack_tuple::<16, false>)),
    group("small::pack_32", |_| Some(pack_tuple::<32, false>)),
    group("small::pack_8_stochastic", |_| Some(pack_tuple::<8, true>)),
    group("small::pack_16_stochastic", |_| Some(pack_tuple::<16, true>)),
    group("small::pack_32_stochastic", |_| Some(pack_tuple::<32, true>)),
    group("small::pack_turns", |_| Some(pack_turns)),
    group("small::unpack_32", |_| Some(unpack_tuple::<32, false>)),
    group("small::unpack_8_bytes", |_| Some(unpack_tuple::<8, true>)),
    group("small::unpack_16_bytes", |_| Some(unpack_tuple::<16, true>)),
];
