//! Generic addresses and those of a state space.
//!
//! PTX ISA 9.4, 9.7.10.22 (isspacep), 9.7.10.23 (cvta). Device memory, constants included, has the same address in its own space
//! and in the generic one, and so have kernel parameters, of which whoever takes their address finds a copy in device memory. Shared
//! and local memory have windows in the generic space.

use crate::{Function, each, group, lane};
use machine::cluster::{BLOCK_WINDOW, RANK_SHIFT, rank_of};
use machine::memory::{LOCAL_WINDOW, SHARED_WINDOW, SHARED_WINDOW_SIZE, WINDOW};
use machine::mods::Space;
use machine::row::lane1;
use machine::state::{FaultKind, lanes};
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

/// The generic address of an address of a kernel parameter, of which code may have kept the lower half alone: `mov.b32` of its name.
pub fn parameter_to_generic<T: Element>(g: &mut Group, op: &Op) -> Step {
    let base = g.launch.params_address;
    let whole = |address: u64| match address >> 32 {
        0 => base.wrapping_add(u64::from((address as u32).wrapping_sub(base as u32))),
        _ => address,
    };
    let row: [T; LANES] = g.row(op.src[0]);
    g.set_row(op.dst[0], &row.map(|a| T::from_bits(whole(a.to_bits() as u64).into())), g.active(op));
    Step::Next
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
    let shared = address.wrapping_sub(SHARED_WINDOW);
    let local = address.wrapping_sub(LOCAL_WINDOW) < WINDOW;
    match space {
        Space::Shared => shared < SHARED_WINDOW_SIZE && rank_of(shared) == g.block.rank,
        Space::SharedCluster => shared < SHARED_WINDOW_SIZE && rank_of(shared) < g.cluster.blocks(),
        Space::Local => local,
        Space::Param | Space::ParamEntry | Space::ParamFunc => {
            address.wrapping_sub(g.launch.params_address) < u64::from(g.launch.params.len())
        }
        Space::Const => g.launch.memory.is_constant(address) && !lies_in(g, Space::Param, address),
        _ => shared >= SHARED_WINDOW_SIZE && !local && !lies_in(g, Space::Const, address),
    }
}

/// The address in the block of rank `b` that corresponds to the shared address `a`, of whatever block of the cluster.
pub fn map_to_rank<T: Element>(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let [addresses, ranks]: [[u64; LANES]; 2] =
        [g.row::<T>(op.src[0]).map(|a| a.to_bits() as u64), g.row::<u32>(op.src[1]).map(u64::from)];
    for lane in lanes(mask) {
        if ranks[lane] >= u64::from(g.cluster.blocks()) {
            let kind = FaultKind::NoBlock { rank: ranks[lane] as u32, blocks: g.cluster.blocks() };
            return g.fail(lane as u32, kind);
        }
        if let Err(kind) = shared_address(op.mods.space, addresses[lane]) {
            return g.fail(lane as u32, kind);
        }
    }
    let window = if op.mods.space == Space::Generic { SHARED_WINDOW } else { 0 };
    let moved = |lane: usize| window + ((ranks[lane] << RANK_SHIFT) | (addresses[lane] % BLOCK_WINDOW));
    let row: [T; LANES] = std::array::from_fn(|lane| T::from_bits(moved(lane).into()));
    g.set_row(op.dst[0], &row, mask);
    Step::Next
}

/// The rank of the block whose shared memory the address lies in.
#[inline(always)]
pub fn rank_of_address<T: Int>(m: Mods, a: T) -> u32 {
    let window = if m.space == Space::Generic { SHARED_WINDOW } else { 0 };
    rank_of((a.to_bits() as u64).wrapping_sub(window))
}

/// An address of the state space, or a generic one, as an address within shared memory.
fn shared_address(space: Space, address: u64) -> Result<u64, FaultKind> {
    let within = if space == Space::Generic { address.wrapping_sub(SHARED_WINDOW) } else { address };
    let wrong = || FaultKind::BadTarget { value: address, wanted: "an address in the shared memory of the cluster" };
    (within < SHARED_WINDOW_SIZE).then_some(within).ok_or_else(wrong)
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("address::to_generic", each!(lane1(to_generic): u32 u64)),
    group("address::parameter_to_generic", |op| {
        Some(if op.ty.bits() == 64 { parameter_to_generic::<u64> } else { parameter_to_generic::<u32> })
    }),
    lane("address::from_generic", each!(lane1(from_generic): u32 u64)),
    group("address::map_to_rank", |op| Some(if op.ty.bits() == 64 { map_to_rank::<u64> } else { map_to_rank::<u32> })),
    lane("address::rank_of_address", each!(lane1(rank_of_address): u32 u64)),
    group("address::is_space", |op| Some(if op.wide { is_space::<u64> } else { is_space::<u32> })),
];
