//! Special registers: where a thread is, what the launch looks like, what time it is.
//!
//! PTX ISA 9.4, chapter 10. `Op::imm` is the component (x, y, z). The engine reads those that cannot change once a warp.

use crate::{Function, group};
use machine::{Element, Group, LANES, Op, Step};

fn put<T: Element>(g: &Group, op: &Op, row: &[T; LANES]) -> Step {
    g.set_row(op.dst[0], row, g.active(op));
    Step::Next
}

/// A `u32` value, the same for all lanes, in a register of 16, 32 or 64 bits.
fn same(g: &Group, op: &Op, value: u64) -> Step {
    match op.reg.bits() {
        16 => put(g, op, &[value as u16; LANES]),
        64 => put(g, op, &[value; LANES]),
        _ => put(g, op, &[value as u32; LANES]),
    }
}

fn each_lane(g: &Group, op: &Op, f: impl Fn(u32) -> u32) -> Step {
    let row: [u32; LANES] = std::array::from_fn(|i| f(i as u32));
    match op.reg.bits() {
        16 => put(g, op, &row.map(|v| v as u16)),
        64 => put(g, op, &row.map(u64::from)),
        _ => put(g, op, &row),
    }
}

/// The thread's index in its block, component by component.
pub fn tid(g: &mut Group, op: &Op) -> Step {
    let [x, y, _] = g.launch.block;
    let first = g.warp.index * LANES as u32;
    let component = op.imm;
    each_lane(g, op, |lane| {
        let linear = first + lane;
        match component {
            0 => linear % x,
            1 => linear / x % y,
            2 => linear / x / y,
            _ => 0,
        }
    })
}

/// The block's dimensions in threads.
pub fn ntid(g: &mut Group, op: &Op) -> Step {
    same(g, op, g.launch.block.get(op.imm as usize).map_or(0, |n| u64::from(*n)))
}

/// The block's index in the grid.
pub fn ctaid(g: &mut Group, op: &Op) -> Step {
    same(g, op, g.block.index.get(op.imm as usize).map_or(0, |n| u64::from(*n)))
}

/// The grid's dimensions in blocks.
pub fn nctaid(g: &mut Group, op: &Op) -> Step {
    same(g, op, g.launch.grid.get(op.imm as usize).map_or(0, |n| u64::from(*n)))
}

/// The thread's lane in its warp.
pub fn laneid(g: &mut Group, op: &Op) -> Step {
    each_lane(g, op, |lane| lane)
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("special::tid", |_| Some(tid)),
    group("special::ntid", |_| Some(ntid)),
    group("special::ctaid", |_| Some(ctaid)),
    group("special::nctaid", |_| Some(nctaid)),
    group("special::laneid", |_| Some(laneid)),
];
