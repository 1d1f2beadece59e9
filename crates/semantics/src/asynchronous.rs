//! Asynchronous copies, stores and reductions of single elements.
//!
//! PTX ISA 9.4, 9.7.10.12 (st.async), 9.7.10.28.3 (cp.async), 9.7.15.7 (red.async), 9.7.15.16.18 (cp.async.mbarrier.arrive). They become jobs
//! ([`machine::job`]); what is wrong with addresses and sizes is told when they are issued.

use crate::atomic::reducer;
use crate::mbarrier::shared_address;
use crate::{Function, Named, group, named, source_of, source_row};
use machine::cluster::rank_of;
use machine::job::{Completion, Job, LaneArrivals, LaneCopies, Source, Target, Work, Write, is_shared};
use machine::memory::SHARED_WINDOW;
use machine::mods::Space;
use machine::proxy::Reach;
use machine::state::{Access, FaultKind, Rule, lanes};
use machine::{Group, Handler, LANES, Op, Step, Type, op::NONE};

/// Copies of cp.async are counted here among a lane's groups.
const COPIES: usize = 0;
/// Bulk jobs are counted here.
pub(crate) const JOBS: usize = 1;

/// Starts to copy the first `bytes` of `size` bytes from global memory at `from` to shared memory at `to`, and zeros behind them; all zeros
/// where `ignore` is true.
pub fn copy(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let [to, from]: [[u64; LANES]; 2] = [0, 1].map(|i| source_of(g, op, i).unwrap_or_default());
    let size = source_of::<u32>(g, op, 2).map_or(0, |row| row[0]);
    let bytes: [u32; LANES] = source_of(g, op, 3).unwrap_or([size; LANES]);
    let ignored = match source_row(g, op, 4) {
        NONE => 0,
        row => crate::warp::predicate(g, row),
    };
    let watched = g.watched.then(|| (g.site(op, 0), g.warp.synchronised));
    let mut copies =
        LaneCopies { from, to, size: size as u8, filled: [0; LANES], group: g.warp.committed[COPIES], lanes: mask, watched };
    for i in lanes(mask) {
        let filled = if ignored >> i & 1 != 0 { 0 } else { bytes[i] };
        if let Err(kind) = check_copy(g, to[i], from[i], size, filled) {
            return g.fail(i as u32, kind);
        }
        copies.filled[i] = filled as u8;
    }
    if mask == 0 {
        return Step::Next;
    }
    let site = g.site(op, mask.trailing_zeros() as usize);
    issue(g, Job::new(Work::Lanes(Box::new(copies)), Completion::None, site))
}

fn check_copy(g: &mut Group, to: u64, from: u64, size: u32, filled: u32) -> Result<(), FaultKind> {
    if filled > size {
        return Err(FaultKind::rule(Rule::Size, format!("copies {filled} bytes of a source of {size}")));
    }
    let place = shared_address(g, Space::Shared, to)?;
    g.cluster.shared_range(place, size, Access::Write, size)?;
    if filled == 0 {
        return Ok(());
    }
    if is_shared(from) {
        return Err(FaultKind::BadTarget { value: from, wanted: "an address in global memory" });
    }
    g.cluster.range(g.launch.memory, from, filled, Access::Read)?;
    if !from.is_multiple_of(size.into()) {
        return Err(FaultKind::Misaligned { address: from, size, access: Access::Read });
    }
    Ok(())
}

/// Queues a job, and remembers that the group changed memory.
pub(crate) fn issue(g: &mut Group, job: Job) -> Step {
    g.wrote = true;
    if let Err((lane, kind)) = g.overlapping_job(&job) {
        return g.fail(lane, kind);
    }
    let synchronised = g.warp.synchronised[job.site.lane as usize % LANES];
    match g.cluster.issue(g.launch.memory, g.launch.policy, synchronised, job) {
        Ok(()) => Step::Next,
        Err(broken) => g.broken(broken),
    }
}

/// Queues the job, if any, that `make` makes for each active lane.
pub(crate) fn issue_each(g: &mut Group, op: &Op, make: impl Fn(&mut Group, usize) -> Result<Option<Job>, FaultKind>) -> Step {
    for i in lanes(g.active(op)) {
        let step = match make(g, i) {
            Ok(Some(job)) => issue(g, job),
            Ok(None) => Step::Next,
            Err(kind) => g.fail(i as u32, kind),
        };
        if step != Step::Next {
            return step;
        }
    }
    Step::Next
}

/// Makes a group of the copies that each lane has started since its last one.
pub fn commit(g: &mut Group, op: &Op) -> Step {
    lanes(g.active(op)).for_each(|i| g.warp.committed[COPIES][i] += 1);
    Step::Next
}

/// Waits until at most `count` of the latest groups are unfinished.
pub fn wait_group(g: &mut Group, op: &Op) -> Step {
    let counts: [u32; LANES] = g.row(op.src[0]);
    let before: [u32; LANES] = std::array::from_fn(|i| g.warp.committed[COPIES][i].saturating_sub(counts[i]));
    finish(g, op, |i, group| group < before[i])
}

/// Waits until all copies are finished.
pub fn wait_all(g: &mut Group, op: &Op) -> Step {
    finish(g, op, |_, _| true)
}

fn finish(g: &mut Group, op: &Op, wanted: impl Fn(usize, u32) -> bool) -> Step {
    let (mask, warp) = (g.active(op), (g.block.rank, g.warp.index));
    match g.cluster.finish_copies(g.launch.memory, warp, mask, usize::MAX, wanted) {
        Ok(()) => {
            g.synchronised_at(mask, Reach::Block, g.now());
            Step::Next
        }
        Err(broken) => g.broken(broken),
    }
}

/// Arrives at a memory barrier object once the lane's copies so far are finished.
pub fn arrive(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let addresses: [u64; LANES] = source_of(g, op, 0).unwrap_or_default();
    let mut arrivals = LaneArrivals { at: [0; LANES], lanes: mask };
    for i in lanes(mask) {
        let found = shared_address(g, op.mods.space, addresses[i]).and_then(|address| {
            arrivals.at[i] = address;
            g.object(address, i)?;
            if op.mods.noinc() { g.cluster.mbarrier(address).map(|_| ()) } else { g.cluster.expect_arrivals(address, 1) }
        });
        if let Err(kind) = found {
            return g.fail(i as u32, kind);
        }
    }
    if mask == 0 {
        return Step::Next;
    }
    let site = g.site(op, mask.trailing_zeros() as usize);
    issue(g, Job::new(Work::Arrive(Box::new(arrivals)), Completion::None, site))
}

/// Starts to store the elements `b` at `to`, in shared memory with a memory barrier object that is told, or in global memory.
pub fn store(g: &mut Group, op: &Op) -> Step {
    let size = op.ty.bits() / 8;
    let rows: Vec<[u128; LANES]> = (0..usize::from(op.arity)).map(|k| bits(g, op.ty, source_row(g, op, 1 + k))).collect();
    each_value(g, op, false, size * u32::from(op.arity), |i| {
        let mut value = [0; 16];
        for (k, row) in rows.iter().enumerate() {
            value[k * size as usize..][..size as usize].copy_from_slice(&row[i].to_le_bytes()[..size as usize]);
        }
        (value, Write::Copy)
    })
}

/// Starts to combine `b` with the element at `to`, in shared memory with a memory barrier object that is told, or in global memory.
pub fn reduce(g: &mut Group, op: &Op) -> Step {
    let Some(reducer) = reducer(op.ty) else { return Step::Next };
    let row = bits(g, op.ty, source_row(g, op, 1));
    each_value(g, op, true, op.ty.bits() / 8, |i| (row[i].to_le_bytes(), Write::Reduce(op.mods.op, reducer)))
}

/// Issues a job for each active lane that writes a value of `size` bytes, or reduces with it.
fn each_value(g: &mut Group, op: &Op, reduces: bool, size: u32, value: impl Fn(usize) -> ([u8; 16], Write)) -> Step {
    let to: [u64; LANES] = source_of(g, op, 0).unwrap_or_default();
    let bars: Option<[u64; LANES]> = source_of(g, op, 5);
    issue_each(g, op, |g, i| {
        let completion = check_value(g, op, i, to[i], size, bars.map(|bars| bars[i]))?;
        if let Completion::Mbarrier(bar, _) = completion {
            check_blocks(g, rank_of(to[i] - SHARED_WINDOW), rank_of(bar.into()), reduces)?;
        }
        let (value, write) = value(i);
        let target = Target { address: to[i], ranks: 0, write };
        Ok(Some(Job::new(Work::Move(Source::Value(value, size as u8), target), completion, g.site(op, i))))
    })
}

fn check_value(g: &mut Group, op: &Op, i: usize, to: u64, size: u32, bar: Option<u64>) -> Result<Completion, FaultKind> {
    let global = op.mods.space == Space::Global;
    if is_shared(to) == global {
        let wanted = if global { "an address in global memory" } else { "an address in shared memory" };
        return Err(FaultKind::BadTarget { value: to, wanted });
    }
    g.cluster.range(g.launch.memory, to, size, Access::Write)?;
    if !to.is_multiple_of(size.into()) {
        return Err(FaultKind::Misaligned { address: to, size, access: Access::Write });
    }
    let Some(bar) = bar else { return Ok(Completion::None) };
    let bar = shared_address(g, Space::SharedCluster, bar)?;
    g.object(bar, i)?;
    g.cluster.mbarrier(bar)?;
    Ok(Completion::Mbarrier(bar, size))
}

/// Looks whether the blocks of a target and of the memory barrier object that is told may be these.
fn check_blocks(g: &Group, to: u32, bar: u32, reduces: bool) -> Result<(), FaultKind> {
    let wrong = |message: String| Err(FaultKind::Other(message));
    match g.cluster.blocks() {
        _ if to != bar => wrong(format!(
            "writes to block {to} of the cluster and tells an object of block {bar}: both must lie in the same block"
        )),
        1 => wrong("is for clusters of several blocks, this one has one".to_owned()),
        _ if reduces && to == g.block.rank => {
            wrong("reduces into the own block's shared memory: it must be another block's of the cluster".to_owned())
        }
        _ => Ok(()),
    }
}

/// A row of registers of a type as bits.
pub(crate) fn bits(g: &Group, ty: Type, row: u32) -> [u128; LANES] {
    match ty.bits() {
        8 => g.row::<u8>(row).map(u128::from),
        16 => g.row::<u16>(row).map(u128::from),
        32 => g.row::<u32>(row).map(u128::from),
        64 => g.row::<u64>(row).map(u128::from),
        _ => g.row(row),
    }
}

fn choose_store(op: &Op) -> Option<Handler> {
    (op.ty.bits() >= 8).then_some(store as Handler)
}

fn choose_reduce(op: &Op) -> Option<Handler> {
    reducer(op.ty).map(|_| reduce as Handler)
}

const COPY: Named =
    Named { sources: &[("to", 1), ("from", 1), ("size", 1), ("bytes", 1), ("ignore", 1), ("policy", 1)], results: &[] };
const ARRIVE: Named = Named { sources: &[("bar", 1)], results: &[] };
const VALUE: Named = Named { sources: &[("to", 1), ("b", 4), ("bar", 1)], results: &[] };

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    named("asynchronous::copy", &COPY, |_| Some(copy)),
    group("asynchronous::commit", |_| Some(commit)),
    group("asynchronous::wait_group", |_| Some(wait_group)),
    group("asynchronous::wait_all", |_| Some(wait_all)),
    named("asynchronous::arrive", &ARRIVE, |_| Some(arrive)),
    named("asynchronous::store", &VALUE, choose_store),
    named("asynchronous::reduce", &VALUE, choose_reduce),
];
