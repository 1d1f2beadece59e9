//! How AMD's vector instructions take their operands: what stands between a register file of 32-bit rows and functions of typed values.
//!
//! A VGPR is a row of 32 words (two rows in wavefronts of 64 lanes); a value of 64 bits is two registers, one of 16 bits half of one, a scalar
//! register one word for all lanes. The handlers here make rows of a function's types from registers and registers from its
//! results, apply the signs, selections and clamps that encodings offer to every instruction, and move values across lanes as DPP does. No
//! record names them: `engine` puts them around an instruction's function. Rows that only serve the next op are written whole.
//!
//! AMD's ISA guides: chapters on vector operands, SDWA, DPP and output modifiers.

use crate::float::Float;
use machine::lane::{Bf16x2, F16x2, F32x2, Pair};
use machine::memory::{LOCAL_WINDOW, WINDOW};
use machine::mods::Space;
use machine::op::NONE;
use machine::row::{Instance, lane1, lane2};
use machine::state::{Access, FaultKind, lanes};
use machine::wave::{Counters, Late, Part, Use, lds_offset};
use machine::{Element, FULL, Group, Handler, Int, LANES, Mods, Op, Step, Type};
use numerics::{Bf16, F16};

/// Gives all lanes the value of a scalar register.
pub fn broadcast<T: Element>(g: &mut Group, op: &Op) -> Step {
    // SAFETY: the offset names cells of the frame that hold a value of this type.
    let value: T = unsafe { g.at(op.src[0]).cast::<T>().read_unaligned() };
    g.set_row(op.dst[0], &[value; LANES], FULL);
    Step::Next
}

/// Gives the lanes that execute an op the value of a scalar register.
pub fn spread(g: &mut Group, op: &Op) -> Step {
    g.set_row(op.dst[0], &[g.predicate(op.src[0]); LANES], g.active(op));
    Step::Next
}

/// Gives all lanes the upper half of a scalar register.
pub fn broadcast_upper(g: &mut Group, op: &Op) -> Step {
    g.set_row(op.dst[0], &[(g.predicate(op.src[0]) >> 16) as u16; LANES], FULL);
    Step::Next
}

/// Joins two registers to values of 64 bits.
pub fn join() -> Handler {
    const JOIN: Instance = lane2(|_: Mods, low: u32, high: u32| u64::from(low) | u64::from(high) << 32);
    JOIN.row(Mods::default())
}

/// Splits values of 64 bits into two registers.
pub fn split() -> Handler {
    const SPLIT: Instance = lane1(|_: Mods, value: u64| (value as u32, (value >> 32) as u32));
    SPLIT.row(Mods::default())
}

/// The lower (`imm` 0) or upper (1) half of a register.
pub fn half(g: &mut Group, op: &Op) -> Step {
    let shift = 16 * op.imm as u32;
    let row: [u32; LANES] = g.row(op.src[0]);
    g.set_row(op.dst[0], &row.map(|value| (value >> shift) as u16), FULL);
    Step::Next
}

/// Writes half a register: the lower one with zeros above it (`imm` 0), the lower one alone (1), the upper one alone (2).
pub fn put_half(g: &mut Group, op: &Op) -> Step {
    let (mask, imm) = (g.active(op), op.imm);
    let (new, mut row): ([u16; LANES], [u32; LANES]) = (g.row(op.src[0]), g.row(op.dst[0]));
    for i in 0..LANES {
        row[i] = match imm {
            0 => u32::from(new[i]),
            1 => row[i] & 0xffff_0000 | u32::from(new[i]),
            _ => row[i] & 0xffff | u32::from(new[i]) << 16,
        };
    }
    g.set_row(op.dst[0], &row, mask);
    Step::Next
}

/// Widens values of 16 bits with zeros (`imm` 0) or their sign.
pub fn widen(g: &mut Group, op: &Op) -> Step {
    let row: [u16; LANES] = g.row(op.src[0]);
    let signed = op.imm != 0;
    g.set_row(op.dst[0], &row.map(|value| if signed { value as i16 as u32 } else { value.into() }), FULL);
    Step::Next
}

/// Changes signs: bit 0 of `imm` takes absolute values, bit 1 negates after that.
pub fn signs<T: Int>(g: &mut Group, op: &Op) -> Step {
    let sign = T::int(1).shl(T::BITS - 1);
    let keep = if op.imm & 1 != 0 { sign.not() } else { T::int(-1) };
    let flip = if op.imm & 2 != 0 { sign } else { T::int(0) };
    let row: [T; LANES] = g.row(op.src[0]);
    g.set_row(op.dst[0], &row.map(|value| value.and(keep).xor(flip)), FULL);
    Step::Next
}

/// Takes the lower half from the half of a register that bit 0 of `imm` names, the upper one from that of bit 1, and changes the signs of
/// the halves that bits 2 and 3 name.
pub fn halves(g: &mut Group, op: &Op) -> Step {
    let imm = op.imm as u32;
    let (low, high) = (16 * (imm & 1), 16 * (imm >> 1 & 1));
    let flip = (imm >> 2 & 1) << 15 | (imm >> 3 & 1) << 31;
    let row: [u32; LANES] = g.row(op.src[0]);
    g.set_row(op.dst[0], &row.map(|value| (value >> low & 0xffff | (value >> high & 0xffff) << 16) ^ flip), FULL);
    Step::Next
}

/// The same of values of 64 bits, whose halves are words.
pub fn words(g: &mut Group, op: &Op) -> Step {
    let imm = op.imm as u32;
    let (low, high) = (32 * (imm & 1), 32 * (imm >> 1 & 1));
    let flip = u64::from(imm >> 2 & 1) << 31 | u64::from(imm >> 3 & 1) << 63;
    let row: [u64; LANES] = g.row(op.src[0]);
    g.set_row(op.dst[0], &row.map(|value| (value >> low & 0xffff_ffff | (value >> high & 0xffff_ffff) << 32) ^ flip), FULL);
    Step::Next
}

/// The numbers of the lanes, from `imm` on.
pub fn lane_numbers(g: &mut Group, op: &Op) -> Step {
    g.set_row(op.dst[0], &std::array::from_fn::<u32, LANES, _>(|i| op.imm as u32 + i as u32), FULL);
    Step::Next
}

/// Byte offsets of the lanes' words, from lane `imm` on: behind the lower half of the cell `src[0]`.
pub fn lane_offsets(g: &mut Group, op: &Op) -> Step {
    let base = cell_or_zero(g, op.src[0]) & 0xffff;
    g.set_row(op.dst[0], &std::array::from_fn::<u32, LANES, _>(|i| base + 4 * (op.imm as u32 + i as u32)), FULL);
    Step::Next
}

/// Two addresses of LDS: what the lanes have in `src[0]`, and a place so many words behind it as `imm`, or, where its highest bit of 16 is set, the upper 15 bits
/// of the address say; both are signed.
pub fn second_address(g: &mut Group, op: &Op) -> Step {
    let (row, imm): ([u32; LANES], _) = (g.row(op.src[0]), op.imm as u32);
    let from_lane = imm >> 15 & 1 == 1;
    let first = row.map(|address| if from_lane { address & 0x1_ffff } else { address });
    let words = row.map(|address| if from_lane { (address as i32 >> 17) as u32 } else { ((imm as i32) << 17 >> 17) as u32 });
    let second: [u32; LANES] = std::array::from_fn(|lane| first[lane].wrapping_add(words[lane].wrapping_mul(4)));
    g.set_row(op.dst[0], &first, FULL);
    g.set_row(op.dst[1], &second, FULL);
    Step::Next
}

/// Numbers of half precision as single precision.
pub fn single(g: &mut Group, op: &Op) -> Step {
    let row: [F16; LANES] = g.row(op.src[0]);
    g.set_row(op.dst[0], &row.map(|value| crate::ieee::convert::<f32, F16>(op.mods, value)), FULL);
    Step::Next
}

/// Numbers in bfloat16 as single precision.
pub fn single_of_bfloat(g: &mut Group, op: &Op) -> Step {
    let row: [Bf16; LANES] = g.row(op.src[0]);
    g.set_row(op.dst[0], &row.map(|value| crate::ieee::convert::<f32, Bf16>(op.mods, value)), FULL);
    Step::Next
}

/// Puts the value that all lanes of a row have into a cell, with zeros above one of 16 bits (`imm` 1).
pub fn uniform(g: &mut Group, op: &Op) -> Step {
    let value = if op.imm == 0 { g.row::<u32>(op.src[0])[0] } else { g.row::<u16>(op.src[0])[0].into() };
    g.set_predicate(op.dst[0], value, FULL);
    Step::Next
}

/// Limits results to 0 to 1, NaN to 0.
pub fn clamp<T: Float>(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let row: [T; LANES] = g.row(op.src[0]);
    g.set_row(op.dst[0], &row.map(T::saturate), mask);
    Step::Next
}

/// Limits results to 0 to 1, but for NaN.
pub fn clamp_numbers<T: Float>(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let row: [T; LANES] = g.row(op.src[0]);
    g.set_row(op.dst[0], &row.map(|value| T::select(value.is_nan(), value, value.saturate())), mask);
    Step::Next
}

/// The same of both numbers of pairs.
pub fn clamp_pairs<P: Pair<Half: Float>>(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let row: [P; LANES] = g.row(op.src[0]);
    g.set_row(op.dst[0], &row.map(|pair| P::from_halves(pair.halves().map(Float::saturate))), mask);
    Step::Next
}

/// Copies a row.
pub fn copy_row(g: &mut Group, op: &Op) -> Step {
    g.set_row(op.dst[0], &g.row::<u32>(op.src[0]), FULL);
    Step::Next
}

/// Multiplies results by 2 (`imm` 1), 4 (2) or a half (3); zeros have no sign then.
pub fn scale<T: Float>(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let row: [T; LANES] = g.row(op.src[0]);
    g.set_row(op.dst[0], &row.map(|value| scaled(op, value)), mask);
    Step::Next
}

/// The same of both numbers of pairs.
pub fn scale_pairs<P: Pair<Half: Float>>(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let row: [P; LANES] = g.row(op.src[0]);
    g.set_row(op.dst[0], &row.map(|pair| P::from_halves(pair.halves().map(|value| scaled(op, value)))), mask);
    Step::Next
}

fn scaled<T: Float>(op: &Op, value: T) -> T {
    let factor = T::Bits::add(T::ONE, T::NORMAL.mul(T::Bits::int([0, 1, 2, -1][op.imm as usize & 3])));
    let d = crate::ieee::mul(op.mods, value, T::number(factor));
    let zero = T::Bits::int(0);
    T::select(d.magnitude().eq(zero), T::number(zero), d)
}

/// What limits results of a type; `nan`: NaN to zero.
pub fn clamping(ty: Type, nan: bool) -> Option<Handler> {
    Some(match ty {
        Type::F16 if !nan => clamp_numbers::<F16>,
        Type::F32 if !nan => clamp_numbers::<f32>,
        Type::F64 if !nan => clamp_numbers::<f64>,
        Type::F16 => clamp::<F16>,
        Type::Bf16 => clamp::<Bf16>,
        Type::F32 => clamp::<f32>,
        Type::F64 => clamp::<f64>,
        Type::F16x2 => clamp_pairs::<F16x2>,
        Type::Bf16x2 => clamp_pairs::<Bf16x2>,
        Type::F32x2 => clamp_pairs::<F32x2>,
        _ => return None,
    })
}

/// What multiplies results of a type.
pub fn scaling(ty: Type) -> Option<Handler> {
    Some(match ty {
        Type::F16 => scale::<F16>,
        Type::F32 => scale::<f32>,
        Type::F64 => scale::<f64>,
        Type::F16x2 => scale_pairs::<F16x2>,
        Type::F32x2 => scale_pairs::<F32x2>,
        _ => return None,
    })
}

/// A byte (`imm` 0 to 3), a half (4, 5) or all (6) of each lane's word, with its sign extended by bit 3.
pub fn select(g: &mut Group, op: &Op) -> Step {
    let (shift, bits) = part(op.imm as u32 & 7);
    let signed = op.imm & 8 != 0;
    let unused = 32 - bits;
    let row: [u32; LANES] = g.row(op.src[0]);
    let pick = |value: u32| {
        let high = value >> shift << unused;
        if signed { (high as i32 >> unused) as u32 } else { high >> unused }
    };
    g.set_row(op.dst[0], &row.map(pick), FULL);
    Step::Next
}

/// Writes a byte, a half or all of each lane's word, named by bits 0 to 2 of `imm` as for [`select`]. The rest becomes zero (bits 3 and 4: 0),
/// above it the sign (1), or stays (2).
pub fn put_selected(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let (shift, bits) = part(op.imm as u32 & 7);
    let unused = 32 - bits;
    let field = u32::MAX >> unused << shift;
    let (new, mut row): ([u32; LANES], [u32; LANES]) = (g.row(op.src[0]), g.row(op.dst[0]));
    for i in 0..LANES {
        let placed = new[i] << shift & field;
        row[i] = match op.imm >> 3 & 3 {
            0 => placed,
            1 => (((new[i] << unused) as i32 >> unused) as u32) << shift,
            _ => row[i] & !field | placed,
        };
    }
    g.set_row(op.dst[0], &row, mask);
    Step::Next
}

/// Lowest bit and width of a part of a word.
fn part(select: u32) -> (u32, u32) {
    match select {
        0..=3 => (8 * select, 8),
        4 | 5 => (16 * (select - 4), 16),
        _ => (0, 32),
    }
}

/// Whether a mask or flag, `arity` cells, has no bit set.
pub(crate) fn is_zero(g: &Group, op: &Op) -> bool {
    (0..u32::from(op.arity)).all(|i| g.predicate(op.src[0] + 4 * i) == 0)
}

/// The value of two cells.
pub(crate) fn wide(g: &Group, at: u32) -> u64 {
    u64::from(g.predicate(at)) | u64::from(g.predicate(at + 4)) << 32
}

/// The row of a register, zeros where there is none.
pub(crate) fn row_or_zero(g: &Group, at: u32) -> [u32; LANES] {
    if at == NONE { [0; LANES] } else { g.row(at) }
}

/// The value of a cell, zero where there is none.
pub(crate) fn cell_or_zero(g: &Group, at: u32) -> u32 {
    if at == NONE { 0 } else { g.predicate(at) }
}

/// Tells in `dst[0]` whether any of `arity` cells is not zero.
pub fn nonzero(g: &mut Group, op: &Op) -> Step {
    g.set_predicate(op.dst[0], u32::from(!is_zero(g, op)), FULL);
    Step::Next
}

/// Tells in `dst[0]` whether all of `arity` cells are zero.
pub fn zero(g: &mut Group, op: &Op) -> Step {
    g.set_predicate(op.dst[0], u32::from(is_zero(g, op)), FULL);
    Step::Next
}

/// Copies `arity` cells.
pub fn copy_cells(g: &mut Group, op: &Op) -> Step {
    for i in 0..u32::from(op.arity) {
        g.set_predicate(op.dst[0] + 4 * i, g.predicate(op.src[0] + 4 * i), FULL);
    }
    Step::Next
}

/// Goes to the target unless the bits of MODE, the cell `src[0]`, that the cell `src[2]` names are those of the cell `src[1]`.
pub fn skip_unless_mode(g: &mut Group, op: &Op) -> Step {
    let [mode, wanted, mask] = [0, 1, 2].map(|i| g.predicate(op.src[i]));
    let other = (mode ^ wanted) & mask != 0;
    g.branch(if other { g.mask() } else { 0 }, op.imm as u32, op.next)
}

/// Looks whether the bits `imm` of MODE, the cell `src[0]`, with which numbers of vector registers are understood, are those of the cell `src[1]`.
pub fn expect_numbers(g: &mut Group, op: &Op) -> Step {
    let (mode, expected) = (g.predicate(op.src[0]), g.predicate(op.src[1]));
    if (mode ^ expected) & op.imm as u32 == 0 {
        return Step::Next;
    }
    let message = format!(
        "MODE is {mode:#x} here, from a register or by one of several ways, and says which vector registers numbers mean: that is executable only where the \
         instructions that lead here set it to a constant, which is taken to be {expected:#x}"
    );
    g.fail(0, FaultKind::Other(message))
}

/// Goes to the target if one of the bits of the cell `src[1]` is set in MODE, the cell `src[0]`.
pub fn skip_if_mode(g: &mut Group, op: &Op) -> Step {
    let skips = g.predicate(op.src[0]) & g.predicate(op.src[1]) != 0;
    g.branch(if skips { g.mask() } else { 0 }, op.imm as u32, op.next)
}

/// Where the rows of a register are that has the index of M0, the cell `src[1]`, added to its number if M0 says so of operands of this place, `dst[1]`: the
/// register without it is at `at`, `arity` rows are meant, the wavefront's end at `imm`.
fn indexed(g: &mut Group, op: &Op, at: u32) -> Result<u32, Step> {
    let m0 = g.predicate(op.src[1]);
    let index = if m0 >> (12 + op.dst[1]) & 1 == 1 { m0 & 0xff } else { 0 };
    let place = at + index * if op.wide { 256 } else { 128 };
    let bytes = 128 * u32::from(op.arity);
    if place + bytes > op.imm as u32 {
        let message = format!("M0 adds {index} to the number of a vector register: the wavefront does not have that register");
        return Err(g.fail(0, FaultKind::Other(message)));
    }
    if let Some(late) = g.warp.late.touching(&[Use { at: place, bytes, writes: true, behind: Counters::default() }]) {
        let kind = FaultKind::LateRegister { at: late.at, load: late.op };
        return Err(g.fail(0, kind));
    }
    Ok(place)
}

/// The lanes of the cell `src[0]` if bit `imm` of the cell `src[1]` is set, else none.
pub fn lanes_if_bit(g: &mut Group, op: &Op) -> Step {
    let set = g.predicate(op.src[1]) >> op.imm & 1 == 1;
    g.set_predicate(op.dst[0], if set { g.predicate(op.src[0]) } else { 0 }, FULL);
    Step::Next
}

/// Copies `arity` rows of a register whose number has an index (see [`indexed`]) to `dst[0]`.
pub fn take_indexed(g: &mut Group, op: &Op) -> Step {
    match indexed(g, op, op.src[0]) {
        Ok(at) => (0..u32::from(op.arity)).for_each(|row| g.set_row(op.dst[0] + 128 * row, &g.row::<u32>(at + 128 * row), FULL)),
        Err(step) => return step,
    }
    Step::Next
}

/// Copies `arity` rows from `src[0]` to a register whose number has an index.
pub fn put_indexed(g: &mut Group, op: &Op) -> Step {
    match indexed(g, op, op.dst[0]) {
        Ok(at) => (0..u32::from(op.arity)).for_each(|row| g.set_row(at + 128 * row, &g.row::<u32>(op.src[0] + 128 * row), FULL)),
        Err(step) => return step,
    }
    Step::Next
}

/// Where DPP reads: for each lane, the lane whose value it gets.
fn source_lane(control: u32, lane: u32, count: u32) -> Option<u32> {
    let (row, within) = (lane & !15, lane & 15);
    let n = control & 15;
    let inside = |lane: Option<u32>, first: u32, len: u32| lane.filter(|l| (first..first + len).contains(l));
    match control {
        0..=0xff => Some(lane & !3 | control >> (2 * (lane & 3)) & 3),
        0x101..=0x10f => inside(Some(lane + n), row, 16),
        0x111..=0x11f => inside(lane.checked_sub(n), row, 16),
        0x121..=0x12f => Some(row | within.wrapping_sub(n) & 15),
        0x130 => inside(Some(lane + 1), 0, count),
        0x134 => Some((lane + 1) % count),
        0x138 => lane.checked_sub(1),
        0x13c => Some((lane + count - 1) % count),
        0x140 => Some(row | (15 - within)),
        0x141 => Some(lane & !7 | (7 - (lane & 7))),
        0x142 => row.checked_sub(1),
        0x143 => (lane >= 32).then_some(31),
        0x150..=0x15f => Some(row | n),
        0x160..=0x16f => Some(lane ^ n),
        _ => None,
    }
}

/// Moves values across lanes (DPP): `imm` has the control in its low bits, then `bound_ctrl` in bit 12, `fi` in bit 13, the masks of banks
/// and rows from bits 16 and 20 on. `dst[1]` are the cells of the lanes that the instruction writes, made of the cells `src[1]`. `arity` rows.
pub fn dpp(g: &mut Group, op: &Op) -> Step {
    let imm = op.imm as u32;
    let (banks, rows) = (imm >> 16 & 15, imm >> 20 & 15);
    let count = 32 * u32::from(op.arity);
    let writes = |lane: u32| (banks >> ((lane / 4) & 3)) & (rows >> (lane / 16)) & 1 == 1;
    move_lanes(g, op, imm & 1 << 12 != 0, imm & 1 << 13 != 0, |lane| (source_lane(imm & 0xfff, lane, count), writes(lane)))
}

/// Moves values among eight neighbouring lanes: three bits of `imm` for each.
pub fn dpp8(g: &mut Group, op: &Op) -> Step {
    let imm = op.imm as u32;
    move_lanes(g, op, true, imm >> 31 != 0, |lane| (Some(lane & !7 | imm >> (3 * (lane & 7)) & 7), true))
}

/// Gives each lane the value of another. A lane that has none, or one that is not active where inactive ones do not count, gets zero where
/// `zero` says so, and is not written otherwise.
fn move_lanes(g: &mut Group, op: &Op, zero: bool, inactive: bool, from: impl Fn(u32) -> (Option<u32>, bool)) -> Step {
    let halves = u32::from(op.arity);
    let exec: [u32; 2] = std::array::from_fn(|h| if (h as u32) < halves { g.predicate(op.src[1] + 4 * h as u32) } else { 0 });
    let source: [[u32; LANES]; 2] = std::array::from_fn(|h| g.row(op.src[0] + 128 * (h as u32).min(halves - 1)));
    for h in 0..halves {
        let (mut row, mut written) = ([0u32; LANES], 0u32);
        for i in 0..LANES as u32 {
            let (lane, writes) = from(32 * h + i);
            let valid = lane.filter(|l| inactive || exec[(l / 32) as usize & 1] >> (l & 31) & 1 == 1);
            if let Some(lane) = valid {
                row[i as usize] = source[(lane / 32) as usize & 1][(lane & 31) as usize];
            }
            written |= u32::from(writes && (valid.is_some() || zero)) << i;
        }
        g.set_row(op.dst[0] + 128 * h, &row, FULL);
        g.set_predicate(op.dst[1] + 4 * h, written & exec[h as usize], FULL);
    }
    Step::Next
}

/// Addresses of 64 bits: a scalar base, the cells `src[0]`, plus `imm` times what each lane has in the register `src[1]`, if there is one; signed if the
/// op's type is.
pub fn base_and_lane(g: &mut Group, op: &Op) -> Step {
    let (base, lane) = (wide(g, op.src[0]), row_or_zero(g, op.src[1]));
    let extended = |lane: u32| if op.ty.signed() { lane as i32 as i64 as u64 } else { lane.into() };
    g.set_row(op.dst[0], &lane.map(|lane| base.wrapping_add(extended(lane).wrapping_mul(op.imm as u64))), FULL);
    Step::Next
}

/// Makes registers of registers, lane by lane: `f` gets a lane's words of the tuples `sources`, each so many registers long, one behind the other,
/// and fills those of the result.
pub(crate) fn for_lanes<const R: usize>(
    g: &mut Group,
    op: &Op,
    sources: &[(u32, usize)],
    f: impl Fn(&[u32], &mut [u32; R]),
    results: usize,
) {
    let halves = u32::from(op.arity);
    let row = |at: u32, register: usize, half: u32| at + 128 * (register as u32 * halves + half);
    for half in 0..halves {
        let mask = g.predicate(op.guard + 4 * half);
        let places = sources.iter().flat_map(|&(at, registers)| (0..registers).map(move |register| row(at, register, half)));
        let rows: Vec<[u32; LANES]> = places.map(|at| g.row(at)).collect();
        let (mut made, mut words) = (vec![[0u32; LANES]; results], vec![0; rows.len()]);
        for lane in 0..LANES {
            for (word, row) in words.iter_mut().zip(&rows) {
                *word = row[lane];
            }
            let mut result = [0; R];
            f(&words, &mut result);
            for (row, word) in made.iter_mut().zip(result) {
                row[lane] = word;
            }
        }
        for (register, made) in made.iter().enumerate() {
            g.set_row(row(op.dst[0], register, half), made, mask);
        }
    }
}

/// Zero in all lanes of `arity` rows from `dst[0]`.
pub fn clear(g: &mut Group, op: &Op) -> Step {
    for row in 0..u32::from(op.arity) {
        g.set_row(op.dst[0] + 128 * row, &[0u32; LANES], FULL);
    }
    Step::Next
}

/// An access to scratch memory that is outside of the bytes that a `lane` has: `arity` of them at the offset of each that `guard` names.
fn outside_scratch(g: &Group, op: &Op, lane: u64, offset: impl Fn(usize) -> Option<i64>) -> Option<(u32, FaultKind)> {
    let size = u32::from(op.arity);
    let outside = |offset: i64| offset < 0 || offset as u64 + u64::from(size) > lane;
    let found = lanes(g.predicate(op.guard)).find_map(|i| offset(i).filter(|offset| outside(*offset)).map(|offset| (i, offset)));
    found.map(|(i, offset)| (i as u32, FaultKind::Scratch { offset, size, lane }))
}

/// Addresses of the lanes' scratch memory, whose begins are the row `src[0]`: plus the register `src[1]`, times `src[3]`, and the cell `src[2]`, if there are such. `imm` is added
/// later; `arity` are the bytes that the lanes of `guard` access.
pub fn scratch_address(g: &mut Group, op: &Op) -> Step {
    let begin: [u64; LANES] = g.row(op.src[0]);
    let (lane, scalar) = (row_or_zero(g, op.src[1]), cell_or_zero(g, op.src[2]));
    let offset = |i: usize| i64::from(lane[i].wrapping_mul(op.src[3]).wrapping_add(scalar) as i32);
    if let Some((lane, kind)) = outside_scratch(g, op, begin[1] - begin[0], |i| Some(offset(i) + i64::from(op.imm))) {
        return g.fail(lane, kind);
    }
    let mut row = begin;
    for i in 0..LANES {
        row[i] = begin[i].wrapping_add(offset(i) as u64);
    }
    g.set_row(op.dst[0], &row, FULL);
    Step::Next
}

/// Flat addresses with those of scratch memory replaced by where it is: `src[0]` are addresses, `src[1]` the lanes' begins. `imm` is added later; `arity` are the
/// bytes that the lanes of `guard` access. Where addresses have more than 48 bits (gfx125, `wide`), those of scratch memory have the number of the lane whose
/// memory it is from bit 52 on.
pub fn flat_address(g: &mut Group, op: &Op) -> Step {
    const LANE: u32 = 52;
    let (mut row, mut begin): ([u64; LANES], [u64; LANES]) = (g.row(op.src[0]), g.row(op.src[1]));
    // The lanes' begins are as far apart as each has bytes.
    let bytes = begin[1] - begin[0];
    if op.wide {
        let own = begin;
        for i in 0..LANES {
            let lane = row[i] >> LANE;
            let bare = row[i] & ((1 << LANE) - 1);
            if lane < LANES as u64 && bare.wrapping_sub(LOCAL_WINDOW) < WINDOW {
                (row[i], begin[i]) = (bare, own[lane as usize]);
            }
        }
    }
    let offsets = row.map(|address| address.wrapping_add(op.imm as i64 as u64).wrapping_sub(LOCAL_WINDOW));
    let inside = |i: usize| Some(offsets[i]).filter(|offset| *offset < WINDOW);
    if let Some((lane, kind)) = outside_scratch(g, op, bytes, |i| inside(i).map(|offset| offset as i64)) {
        return g.fail(lane, kind);
    }
    for i in 0..LANES {
        row[i] = inside(i).map_or(row[i], |offset| begin[i].wrapping_add(offset).wrapping_sub(op.imm as i64 as u64));
    }
    g.set_row(op.dst[0], &row, FULL);
    Step::Next
}

/// The lanes of the first and second 32 that an op is for: one cell, two where it is `wide`.
fn guarded(g: &Group, op: &Op) -> [u32; 2] {
    [g.predicate(op.guard), if op.wide { g.predicate(op.guard + 4) } else { 0 }]
}

/// Lets a load's result wait: `arity` registers, from the rows `src[0]` to the registers `dst[0]`. `imm` has the counters in its low byte, the
/// part in the next two bits; `wide`: two rows a register. Of a block the cell `src[1]` has the bits of the registers that are written. Of a load from LDS that
/// copies may overtake the row `src[2]` has the addresses and the upper half of `imm` the offset.
pub fn write_late(g: &mut Group, op: &Op) -> Step {
    let halves = 1 + u32::from(op.wide);
    let mut rows = g.warp.late.rows();
    let count = u32::from(op.arity) * halves;
    rows.extend((0..count).map(|row| g.row(op.src[0] + 128 * row)));
    let holes = holes_of(g, op);
    let (counters, at, bytes) = (Counters(op.imm as u8), op.dst[0], 128 * count);
    let read = (op.src[2] != NONE).then(|| {
        let addresses: [u32; LANES] = g.row(op.src[2]);
        let size = if op.ty.bits() < 32 { op.ty.bits() / 8 } else { 4 * u32::from(op.arity) };
        Box::new((addresses.map(|address| address.wrapping_add(op.imm as u32 >> 16)), size))
    });
    g.write_late(Late {
        counters,
        at,
        bytes,
        lds: false,
        rows,
        lanes: guarded(g, op),
        halves,
        part: part_of(op),
        holes,
        op: op.next - 1,
        read,
    });
    Step::Next
}

/// Writes a load's result at once, where nobody could see it late; otherwise as [`write_late`].
pub fn write_loaded(g: &mut Group, op: &Op) -> Step {
    let halves = 1 + u32::from(op.wide);
    let (lanes, part, holes) = (guarded(g, op), part_of(op), holes_of(g, op));
    for row in (0..u32::from(op.arity) * halves).filter(|row| holes >> (row / halves) & 1 == 0) {
        let new = g.row(op.src[0] + 128 * row);
        g.set_part(op.dst[0] + 128 * row, &new, lanes[(row % halves) as usize & 1], part);
    }
    Step::Next
}

/// The registers that a load leaves alone, by their numbers: of a block those whose bits in the cell `src[1]` are not set.
fn holes_of(g: &Group, op: &Op) -> u32 {
    if op.src[1] == NONE { 0 } else { !g.predicate(op.src[1]) }
}

/// The part of its registers that a load writes.
fn part_of(op: &Op) -> Part {
    [Part::Whole, Part::Lower, Part::Upper][(op.imm as usize >> 8 & 3) % 3]
}

/// Lets what was loaded wait until it goes to LDS: `arity` words of each lane, from the rows `src[0]`, to where the bits `src[2]` of the cell `src[1]` and
/// `dst[0]` say. `imm` has the counters; `wide`: two rows a word.
pub fn copy_to_lds(g: &mut Group, op: &Op) -> Step {
    let halves = 1 + u32::from(op.wide);
    let words = u32::from(op.arity);
    let at = (g.predicate(op.src[1]) & op.src[2]).wrapping_add(op.dst[0]);
    let exec = guarded(g, op);
    let reached = |h: usize| lanes(exec[h]).map(move |lane| LANES as u32 * h as u32 + lane as u32);
    for lane in [0, 1].into_iter().flat_map(reached) {
        let address = g.named(Space::Shared, lds_offset(at, lane, words).into());
        for (address, size) in (0..words).map(|word| (address + 4 * u64::from(word), 4)) {
            if g.load_one::<u32>(Space::Shared, address).is_none() {
                let nearest = None;
                let kind = FaultKind::OutOfBounds { space: "shared", address, size, access: Access::Write, nearest };
                return g.fail(lane % LANES as u32, kind);
            }
        }
    }
    let mut rows = g.warp.late.rows();
    rows.extend((0..words * halves).map(|row| g.row(op.src[0] + 128 * row)));
    let counters = Counters(op.imm as u8);
    g.write_late(Late {
        counters,
        at,
        bytes: 0,
        lds: true,
        rows,
        lanes: exec,
        halves,
        part: Part::Whole,
        holes: 0,
        op: op.next - 1,
        read: None,
    });
    Step::Next
}

/// What lanes have in LDS, one word each behind the other: to the row `dst[0]`, from where the bits `src[1]` of the cell `src[0]` and `imm` say, of the
/// lanes from `src[2]` on.
pub fn copy_from_lds(g: &mut Group, op: &Op) -> Step {
    let at = (g.predicate(op.src[0]) & op.src[1]).wrapping_add(op.imm as u32);
    let mut row = [0u32; LANES];
    for lane in lanes(g.active(op)) {
        let address = g.named(Space::Shared, lds_offset(at, op.src[2] + lane as u32, 1).into());
        let Some(word) = g.load_one(Space::Shared, address) else {
            let kind = FaultKind::OutOfBounds { space: "shared", address, size: 4, access: Access::Read, nearest: None };
            return g.fail(lane as u32, kind);
        };
        row[lane] = word;
    }
    g.set_row(op.dst[0], &row, FULL);
    Step::Next
}

/// The first lane of a wavefront that executes an op whose guard are `arity` cells; lane 0 if there is none.
pub(crate) fn first_lane(g: &Group, op: &Op) -> usize {
    let active = (0..u32::from(op.arity)).find_map(|h| lanes(g.predicate(op.guard + 4 * h)).next().map(|i| i + 32 * h as usize));
    active.unwrap_or(0)
}
