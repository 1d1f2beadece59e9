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
    let row = g.warp.threads.get(op.imm as usize).copied().unwrap_or([0; LANES]);
    each_lane(g, op, |lane| row[lane as usize])
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

/// The warp's index in its block.
pub fn warpid(g: &mut Group, op: &Op) -> Step {
    same(g, op, u64::from(g.warp.index))
}

/// How many warps a multiprocessor holds.
pub fn nwarpid(g: &mut Group, op: &Op) -> Step {
    same(g, op, u64::from(g.launch.gpu.warps))
}

/// The multiprocessor that the block would be on if blocks went round them in turn.
pub fn smid(g: &mut Group, op: &Op) -> Step {
    same(g, op, g.block.linear % u64::from(g.launch.gpu.multiprocessors.max(1)))
}

/// How many multiprocessors the GPU has.
pub fn nsmid(g: &mut Group, op: &Op) -> Step {
    same(g, op, u64::from(g.launch.gpu.multiprocessors))
}

/// The launch's number on the device.
pub fn gridid(g: &mut Group, op: &Op) -> Step {
    same(g, op, g.launch.grid_id)
}

/// Whether the kernel or its launch gave clusters a shape.
pub fn is_explicit_cluster(g: &mut Group, op: &Op) -> Step {
    g.set_predicate(op.dst[0], if g.launch.explicit_cluster { u32::MAX } else { 0 }, g.active(op));
    Step::Next
}

/// The cluster's index in the grid.
pub fn clusterid(g: &mut Group, op: &Op) -> Step {
    same(g, op, g.cluster.index.get(op.imm as usize).map_or(0, |n| u64::from(*n)))
}

/// The grid's dimensions in clusters.
pub fn nclusterid(g: &mut Group, op: &Op) -> Step {
    same(g, op, dimension(op, |i| g.launch.grid[i] / g.launch.cluster[i]))
}

/// The block's index in its cluster.
pub fn cluster_ctaid(g: &mut Group, op: &Op) -> Step {
    same(g, op, dimension(op, |i| g.block.index[i] % g.launch.cluster[i]))
}

/// The cluster's dimensions in blocks.
pub fn cluster_nctaid(g: &mut Group, op: &Op) -> Step {
    same(g, op, dimension(op, |i| g.launch.cluster[i]))
}

/// What `f` says of the component that the instruction names; zero for the fourth.
fn dimension(op: &Op, f: impl Fn(usize) -> u32) -> u64 {
    if (0..3).contains(&op.imm) { f(op.imm as usize).into() } else { 0 }
}

/// The block's rank in its cluster.
pub fn cluster_ctarank(g: &mut Group, op: &Op) -> Step {
    same(g, op, g.block.rank.into())
}

/// The number of blocks of the cluster.
pub fn cluster_nctarank(g: &mut Group, op: &Op) -> Step {
    same(g, op, g.cluster.blocks().into())
}

/// The bit of this lane.
pub fn lanemask_eq(g: &mut Group, op: &Op) -> Step {
    each_lane(g, op, |lane| 1 << lane)
}

/// The bits of this lane and those below.
pub fn lanemask_le(g: &mut Group, op: &Op) -> Step {
    each_lane(g, op, |lane| u32::MAX >> (31 - lane))
}

/// The bits of the lanes below.
pub fn lanemask_lt(g: &mut Group, op: &Op) -> Step {
    each_lane(g, op, |lane| (1 << lane) - 1)
}

/// The bits of this lane and those above.
pub fn lanemask_ge(g: &mut Group, op: &Op) -> Step {
    each_lane(g, op, |lane| u32::MAX << lane)
}

/// The bits of the lanes above.
pub fn lanemask_gt(g: &mut Group, op: &Op) -> Step {
    each_lane(g, op, |lane| !(u32::MAX >> (31 - lane)))
}

/// Nanoseconds since the launch began, which stand for cycles: they grow, and no more is promised. Reading them counts as polling.
fn cycles(g: &mut Group) -> u64 {
    g.polled();
    g.launch.start.elapsed().as_nanos() as u64
}

/// The cycle counter's low half.
pub fn clock(g: &mut Group, op: &Op) -> Step {
    let cycles = cycles(g);
    same(g, op, cycles & 0xffff_ffff)
}

/// The cycle counter's high half.
pub fn clock_hi(g: &mut Group, op: &Op) -> Step {
    let cycles = cycles(g);
    same(g, op, cycles >> 32)
}

/// The cycle counter.
pub fn clock64(g: &mut Group, op: &Op) -> Step {
    let cycles = cycles(g);
    same(g, op, cycles)
}

/// Nanoseconds since 1970.
fn nanoseconds(g: &mut Group) -> u64 {
    g.polled();
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

/// The time in nanoseconds.
pub fn globaltimer(g: &mut Group, op: &Op) -> Step {
    let now = nanoseconds(g);
    same(g, op, now)
}

/// The time's low half.
pub fn globaltimer_lo(g: &mut Group, op: &Op) -> Step {
    let now = nanoseconds(g);
    same(g, op, now & 0xffff_ffff)
}

/// The time's high half.
pub fn globaltimer_hi(g: &mut Group, op: &Op) -> Step {
    let now = nanoseconds(g);
    same(g, op, now >> 32)
}

/// Zero, for what only a driver or a performance tool sets and for memory that system software would keep and here does not.
pub fn zero(g: &mut Group, op: &Op) -> Step {
    same(g, op, 0)
}

/// Bytes by which shared memory is allocated from sm_80 on.
const SHARED_UNIT: u32 = 128;

/// Bytes of the block's shared memory, static and dynamic, in whole allocation units.
pub fn total_shared_size(g: &mut Group, op: &Op) -> Step {
    let [fixed, dynamic] = g.launch.shared_bytes;
    same(g, op, u64::from((fixed + dynamic).next_multiple_of(SHARED_UNIT)))
}

/// Bytes of shared memory that the launch added to the kernel's own.
pub fn dynamic_shared_size(g: &mut Group, op: &Op) -> Step {
    same(g, op, u64::from(g.launch.shared_bytes[1]))
}

/// Whether a special register's value changes while a thread runs, so that every use reads it anew.
pub fn changes(function: &str) -> bool {
    matches!(
        function,
        "special::clock"
            | "special::clock_hi"
            | "special::clock64"
            | "special::globaltimer"
            | "special::globaltimer_lo"
            | "special::globaltimer_hi"
            | "special::performance_counter"
    )
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("special::tid", |_| Some(tid)),
    group("special::ntid", |_| Some(ntid)),
    group("special::ctaid", |_| Some(ctaid)),
    group("special::nctaid", |_| Some(nctaid)),
    group("special::laneid", |_| Some(laneid)),
    group("special::warpid", |_| Some(warpid)),
    group("special::nwarpid", |_| Some(nwarpid)),
    group("special::smid", |_| Some(smid)),
    group("special::nsmid", |_| Some(nsmid)),
    group("special::gridid", |_| Some(gridid)),
    group("special::is_explicit_cluster", |_| Some(is_explicit_cluster)),
    group("special::clusterid", |_| Some(clusterid)),
    group("special::nclusterid", |_| Some(nclusterid)),
    group("special::cluster_ctaid", |_| Some(cluster_ctaid)),
    group("special::cluster_nctaid", |_| Some(cluster_nctaid)),
    group("special::cluster_ctarank", |_| Some(cluster_ctarank)),
    group("special::cluster_nctarank", |_| Some(cluster_nctarank)),
    group("special::lanemask_eq", |_| Some(lanemask_eq)),
    group("special::lanemask_le", |_| Some(lanemask_le)),
    group("special::lanemask_lt", |_| Some(lanemask_lt)),
    group("special::lanemask_ge", |_| Some(lanemask_ge)),
    group("special::lanemask_gt", |_| Some(lanemask_gt)),
    group("special::clock", |_| Some(clock)),
    group("special::clock_hi", |_| Some(clock_hi)),
    group("special::clock64", |_| Some(clock64)),
    group("special::globaltimer", |_| Some(globaltimer)),
    group("special::globaltimer_lo", |_| Some(globaltimer_lo)),
    group("special::globaltimer_hi", |_| Some(globaltimer_hi)),
    group("special::zero", |_| Some(zero)),
    group("special::total_shared_size", |_| Some(total_shared_size)),
    group("special::dynamic_shared_size", |_| Some(dynamic_shared_size)),
];
