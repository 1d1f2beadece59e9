//! The stack of a thread in its local memory: allocation that lasts until the function returns.
//!
//! PTX ISA 9.4, 9.7.19. The stack grows upwards, from the end of the function's own variables; the stack pointer is where
//! the next allocation, or the frame of a function called, begins. Programs only see that what they got does not overlap.

use crate::{Function, group};
use machine::state::{FaultKind, LOCAL_END, lanes};
use machine::{Element, Group, Handler, Int, LANES, Op, Step, op::NONE};

/// Least alignment of an allocation.
const ALIGNMENT: u64 = 8;

/// Allocates `size` bytes of local memory, aligned to the third operand or to 8, and gives their address.
pub fn alloca<T: Element + Int>(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let size: [T; LANES] = g.row(op.src[0]);
    let alignments = if op.src[1] == NONE { [0; LANES] } else { g.row::<u32>(op.src[1]) };
    let mut end: [u32; LANES] = g.row(LOCAL_END);
    let mut start = [T::default(); LANES];
    for i in lanes(mask) {
        let from = u64::from(end[i]).next_multiple_of(u64::from(alignments[i]).max(ALIGNMENT));
        let limit = g.launch.local_limit;
        match from.checked_add(size[i].to_bits() as u64).filter(|to| *to <= u64::from(limit)) {
            Some(to) => end[i] = to as u32,
            None => return g.fail(i as u32, FaultKind::StackOverflow { limit, what: "local memory of a thread" }),
        }
        start[i] = T::from_bits(u128::from(from));
    }
    let top = lanes(mask).map(|i| end[i]).max().unwrap_or(0);
    g.warp.local.grow(top);
    g.set_row(LOCAL_END, &end, mask);
    g.set_row(op.dst[0], &start, mask);
    Step::Next
}

/// Gives the stack pointer.
pub fn save<T: Element>(g: &mut Group, op: &Op) -> Step {
    let end: [u32; LANES] = g.row(LOCAL_END);
    g.set_row(op.dst[0], &end.map(|e| T::from_bits(u128::from(e))), g.active(op));
    Step::Next
}

/// Sets the stack pointer to what [`save`] gave: everything allocated since is gone.
pub fn restore<T: Element>(g: &mut Group, op: &Op) -> Step {
    let saved: [T; LANES] = g.row(op.src[0]);
    g.set_row(LOCAL_END, &saved.map(|s| s.to_bits() as u32), g.active(op));
    Step::Next
}

/// The instance for an instruction of 32 or 64 bits.
fn by_width(op: &Op, narrow: Handler, wide: Handler) -> Option<Handler> {
    match op.ty.bits() {
        32 => Some(narrow),
        64 => Some(wide),
        _ => None,
    }
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("stack::alloca", |op| by_width(op, alloca::<u32>, alloca::<u64>)),
    group("stack::save", |op| by_width(op, save::<u32>, save::<u64>)),
    group("stack::restore", |op| by_width(op, restore::<u32>, restore::<u64>)),
];
