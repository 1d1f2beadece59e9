//! Moves, packing and unpacking of registers.
//!
//! PTX ISA 9.4, 9.7.10.3 and 9.7.10.4 (mov). In the functions on vectors `Op::arity` elements of type `Op::ty` stand in the list of
//! offsets that the vector operand names; `Op::reg` is the scalar.

use crate::{Function, each, group, lane};
use machine::row::lane1;
use machine::{Element, Group, Handler, LANES, Mods, Op, Step};

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

fn choose_pack(op: &Op) -> Option<Handler> {
    Some(match (op.ty.bits(), op.reg.bits()) {
        (8, 16) => pack::<u8, u16>,
        (8, 32) => pack::<u8, u32>,
        (16, 32) => pack::<u16, u32>,
        (16, 64) => pack::<u16, u64>,
        (32, 64) => pack::<u32, u64>,
        (32, 128) => pack::<u32, u128>,
        (64, 128) => pack::<u64, u128>,
        _ => return None,
    })
}

fn choose_unpack(op: &Op) -> Option<Handler> {
    Some(match (op.ty.bits(), op.reg.bits()) {
        (8, 16) => unpack::<u8, u16>,
        (8, 32) => unpack::<u8, u32>,
        (16, 32) => unpack::<u16, u32>,
        (16, 64) => unpack::<u16, u64>,
        (32, 64) => unpack::<u32, u64>,
        (32, 128) => unpack::<u32, u128>,
        (64, 128) => unpack::<u64, u128>,
        _ => return None,
    })
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("move::mov", each!(lane1(mov): u16 u32 u64 u128)),
    lane("move::mov_predicate", &[lane1(mov_predicate)]),
    group("move::mov_vector", choose_vector),
    group("move::pack", choose_pack),
    group("move::unpack", choose_unpack),
];
