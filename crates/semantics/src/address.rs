//! Generic addresses and those of a state space.
//!
//! PTX ISA 9.4, 9.7.10.22 (isspacep), 9.7.10.23 (cvta). Device memory, constants included, has the same address in its own space
//! and in the generic one, and so have kernel parameters, of which whoever takes their address finds a copy in device memory. Shared
//! and local memory have windows in the generic space.

use crate::{Function, each, group, lane};
use machine::memory::{LOCAL_WINDOW, SHARED_WINDOW, WINDOW};
use machine::mods::Space;
use machine::row::lane1;
use machine::state::lanes;
use machine::{Element, Group, Int, LANES, Mods, Op, Step};

/// Where the space's window begins among generic addresses.
fn window(space: Space) -> u64 {
    match space {
        Space::Shared | Space::SharedCluster => SHARED_WINDOW,
        Space::Local => LOCAL_WINDOW,
        _ => 0,
    }
}

/// The generic address of an address of the state space.
#[inline(always)]
pub fn to_generic<T: Int>(m: Mods, a: T) -> T {
    a.add(T::int(window(m.space) as i64))
}

/// The address within the state space of a generic address that lies in it.
#[inline(always)]
pub fn from_generic<T: Int>(m: Mods, a: T) -> T {
    a.sub(T::int(window(m.space) as i64))
}

/// Whether a generic address lies in the state space. Kernel parameters lie in global memory too.
pub fn is_space<T: Element>(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let row: [T; LANES] = g.row(op.src[0]);
    let inside = lanes(mask).filter(|i| lies_in(g, op.mods.space, row[*i].to_bits() as u64)).fold(0, |m, i| m | 1 << i);
    g.set_predicate(op.dst[0], inside, mask);
    Step::Next
}

fn lies_in(g: &Group, space: Space, address: u64) -> bool {
    let in_window = |space| address.wrapping_sub(window(space)) < WINDOW;
    match space {
        Space::Shared | Space::SharedCluster | Space::Local => in_window(space),
        Space::Param | Space::ParamEntry | Space::ParamFunc => {
            address.wrapping_sub(g.launch.params_address) < u64::from(g.launch.params.len())
        }
        Space::Const => g.launch.memory.is_constant(address) && !lies_in(g, Space::Param, address),
        _ => !in_window(Space::Shared) && !in_window(Space::Local) && !lies_in(g, Space::Const, address),
    }
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("address::to_generic", each!(lane1(to_generic): u32 u64)),
    lane("address::from_generic", each!(lane1(from_generic): u32 u64)),
    group("address::is_space", |op| Some(if op.wide { is_space::<u64> } else { is_space::<u32> })),
];
