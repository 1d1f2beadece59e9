//! Moves, packing and unpacking of registers.
//!
//! PTX ISA 9.4, 9.7.10.3 and 9.7.10.4 (mov). In the functions on vectors `Op::arity` elements stand in the list of offsets that the
//! vector operand names.

use crate::{Function, each, group, lane};
use machine::row::lane1;
use machine::{Element, Group, Handler, Int, LANES, Mods, Op, Step, Type};

/// The value itself.
#[inline(always)]
pub fn mov<T: Element>(_: Mods, a: T) -> T {
    a
}

/// A predicate itself.
#[inline(always)]
pub fn mov_predicate(_: Mods, a: bool) -> bool {
    a
}

/// The other truth value.
#[inline(always)]
pub fn not_predicate(_: Mods, a: bool) -> bool {
    !a
}

/// The value in a register of another width: low bits kept, high bits zero.
#[inline(always)]
pub fn zero_extend<T: Element, R: Element>(_: Mods, a: T) -> R {
    R::from_bits(a.to_bits())
}

/// The value in a wider register, high bits copies of the sign.
#[inline(always)]
pub fn sign_extend<T: Int, R: Element>(_: Mods, a: T) -> R {
    R::from_bits(a.to_i128() as u128)
}

/// Writes a constant to the lanes of the group.
pub fn constant(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let bits = g.launch.tables.constants[op.imm as usize];
    match op.reg.bits() {
        1 => g.set_predicate(op.dst[0], if bits & 1 != 0 { u32::MAX } else { 0 }, mask),
        8 => g.set_row(op.dst[0], &[bits as u8; LANES], mask),
        16 => g.set_row(op.dst[0], &[bits as u16; LANES], mask),
        32 => g.set_row(op.dst[0], &[bits as u32; LANES], mask),
        64 => g.set_row(op.dst[0], &[bits as u64; LANES], mask),
        _ => g.set_row(op.dst[0], &[bits; LANES], mask),
    }
    Step::Next
}

/// The register of element `k` of a vector operand.
fn element(g: &Group, list: u32, k: u8) -> u32 {
    g.launch.tables.offsets[list as usize + usize::from(k)]
}

/// A vector itself, element by element; all are read before one is written.
pub fn mov_vector<T: Element>(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let mut rows = [[T::default(); LANES]; 4];
    for k in 0..op.arity {
        rows[usize::from(k)] = g.row(element(g, op.src[0], k));
    }
    for k in 0..op.arity {
        g.set_row(element(g, op.dst[0], k), &rows[usize::from(k)], mask);
    }
    Step::Next
}

/// A scalar of the bits of all elements, the first lowest.
pub fn pack<E: Element, S: Element>(g: &mut Group, op: &Op) -> Step {
    let mut bits = [0u128; LANES];
    for k in 0..op.arity {
        let row: [E; LANES] = g.row(element(g, op.src[0], k));
        for i in 0..LANES {
            bits[i] |= row[i].to_bits() << (u32::from(k) * E::TYPE.bits());
        }
    }
    g.set_row(op.dst[0], &bits.map(S::from_bits), g.active(op));
    Step::Next
}

/// The elements of a scalar, the lowest bits first.
pub fn unpack<E: Element, S: Element>(g: &mut Group, op: &Op) -> Step {
    let (mask, row): (u32, [S; LANES]) = (g.active(op), g.row(op.src[0]));
    for k in 0..op.arity {
        let part = row.map(|s| E::from_bits(s.to_bits() >> (u32::from(k) * E::TYPE.bits())));
        g.set_row(element(g, op.dst[0], k), &part, mask);
    }
    Step::Next
}

fn choose_vector(op: &Op) -> Option<Handler> {
    Some(match op.ty.bits() {
        16 => mov_vector::<u16>,
        32 => mov_vector::<u32>,
        64 => mov_vector::<u64>,
        _ => return None,
    })
}

/// By the type of the scalar, which is the result.
fn choose_pack(op: &Op) -> Option<Handler> {
    Some(match (op.ty.bits(), op.arity) {
        (16, 1) => pack::<u16, u16>,
        (32, 1) => pack::<u32, u32>,
        (64, 1) => pack::<u64, u64>,
        (128, 1) => pack::<u128, u128>,
        (16, 2) => pack::<u8, u16>,
        (32, 4) => pack::<u8, u32>,
        (32, 2) => pack::<u16, u32>,
        (64, 4) => pack::<u16, u64>,
        (64, 2) => pack::<u32, u64>,
        (128, 4) => pack::<u32, u128>,
        (128, 2) => pack::<u64, u128>,
        _ => return None,
    })
}

/// By the type of the elements, which are the results.
fn choose_unpack(op: &Op) -> Option<Handler> {
    Some(match (op.ty.bits(), op.arity) {
        (16, 1) => unpack::<u16, u16>,
        (32, 1) => unpack::<u32, u32>,
        (64, 1) => unpack::<u64, u64>,
        (128, 1) => unpack::<u128, u128>,
        (8, 2) => unpack::<u8, u16>,
        (8, 4) => unpack::<u8, u32>,
        (16, 2) => unpack::<u16, u32>,
        (16, 4) => unpack::<u16, u64>,
        (32, 2) => unpack::<u32, u64>,
        (32, 4) => unpack::<u32, u128>,
        (64, 2) => unpack::<u64, u128>,
        _ => return None,
    })
}

/// What gives its source.
pub const COPY: &str = "move::mov";

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane(COPY, each!(lane1(mov): u8 u16 u32 u64 i16 i32 i64 u128 f32 f64)),
    lane("move::mov_predicate", &[lane1(mov_predicate)]),
    lane("move::not_predicate", &[lane1(not_predicate)]),
    lane(
        "move::zero_extend",
        &[
            lane1(zero_extend::<u8, u16>),
            lane1(zero_extend::<u8, u32>),
            lane1(zero_extend::<u8, u64>),
            lane1(zero_extend::<u8, u128>),
            lane1(zero_extend::<u16, u8>),
            lane1(zero_extend::<u16, u32>),
            lane1(zero_extend::<u16, u64>),
            lane1(zero_extend::<u16, u128>),
            lane1(zero_extend::<u32, u8>),
            lane1(zero_extend::<u32, u16>),
            lane1(zero_extend::<u32, u64>),
            lane1(zero_extend::<u32, u128>),
            lane1(zero_extend::<u64, u8>),
            lane1(zero_extend::<u64, u16>),
            lane1(zero_extend::<u64, u32>),
            lane1(zero_extend::<u64, u128>),
            lane1(zero_extend::<u128, u8>),
            lane1(zero_extend::<u128, u16>),
            lane1(zero_extend::<u128, u32>),
            lane1(zero_extend::<u128, u64>),
        ],
    ),
    lane(
        "move::sign_extend",
        &[
            lane1(sign_extend::<i8, i16>),
            lane1(sign_extend::<i8, i32>),
            lane1(sign_extend::<i8, i64>),
            lane1(sign_extend::<i8, u128>),
            lane1(sign_extend::<i16, i32>),
            lane1(sign_extend::<i16, i64>),
            lane1(sign_extend::<i16, u128>),
            lane1(sign_extend::<i32, i64>),
            lane1(sign_extend::<i32, u128>),
            lane1(sign_extend::<i64, u128>),
        ],
    ),
    group("move::mov_vector", choose_vector),
    group("move::pack", choose_pack),
    group("move::unpack", choose_unpack),
    group("move::constant", |op| (op.ty == Type::U32).then_some(constant as Handler)),
];
