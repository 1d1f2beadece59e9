//! Copies between LDS and global memory that go on while the wavefront does, and the barriers in LDS that tell of them (gfx125).
//!
//! They become jobs ([`machine::pieces`]); what is wrong with addresses is told when they are issued. AMD's CDNA5 ISA guide, 10.8 and 11.2.2. Its text is
//! known from what quotes it; where sources disagree the records say so.

use crate::asynchronous::issue;
use crate::{Function, group};
use machine::job::{Completion, Job, Work, is_shared};
use machine::op::NONE;
use machine::pieces::{Kind, Piece, Pieces};
use machine::state::{Access, FaultKind, lanes};
use machine::{Group, LANES, Op, Step};

/// The offsets in LDS that a row and the op's own offset name.
fn in_lds(g: &Group, op: &Op, row: u32) -> [u32; LANES] {
    let offsets: [u32; LANES] = g.row(row);
    offsets.map(|offset| offset.wrapping_add(op.imm as u32))
}

/// Queues the job of some lanes, if there is work for it.
fn queue(g: &mut Group, op: &Op, pieces: Pieces, kind: Kind) -> Step {
    let lane = pieces.list.first().map_or(0, |piece| piece.lane as usize);
    let site = g.site(op, lane);
    issue(g, Job::new(Work::Pieces(Box::new(pieces)), Completion::Counter(kind), site))
}

/// The pieces of the active lanes: `arity` bytes each, global addresses in the row `src[0]`, offsets in LDS in `src[1]`.
fn pieces(g: &mut Group, op: &Op, store: bool) -> Result<Pieces, (u32, FaultKind)> {
    let (global, shared): ([u64; LANES], _) = (g.row(op.src[0]), in_lds(g, op, op.src[1]));
    let size = u32::from(op.arity);
    let accesses = if store { [Access::Write, Access::Read] } else { [Access::Read, Access::Write] };
    let mut list = Vec::new();
    for i in lanes(g.active(op)) {
        let at = global[i].wrapping_add(op.imm as i64 as u64);
        let failed = |kind| (i as u32, kind);
        if let Some(load) = g.warp.late.reading(shared[i], size).filter(|_| !store) {
            return Err(failed(FaultKind::LateRead { at: shared[i], load }));
        }
        let shared = match g.lds_range(shared[i], size, accesses[1], size) {
            // A copy to where there is no LDS is dropped: so programs switch lanes off.
            Err(FaultKind::OutOfBounds { .. }) if !store => continue,
            found => found.map_err(failed)?,
        };
        if is_shared(at) {
            return Err(failed(FaultKind::BadTarget { value: at, wanted: "an address in global memory" }));
        }
        g.cluster.range(g.launch.memory, at, size, accesses[0]).map_err(failed)?;
        list.push(Piece { global: Some(at), shared, len: size, lane: i as u32 });
    }
    Ok(Pieces { list, store, arrivals: Vec::new() })
}

/// Starts to copy `arity` bytes for each lane to LDS.
pub fn load(g: &mut Group, op: &Op) -> Step {
    match pieces(g, op, false) {
        Ok(pieces) => queue(g, op, pieces, Kind::Load),
        Err((lane, kind)) => g.fail(lane, kind),
    }
}

/// The same of data that several blocks of a cluster ask for: the cell `src[2]` is M0, whose lower half has a bit for each of them. Each gets what it asked for
/// itself.
pub fn load_for_cluster(g: &mut Group, op: &Op) -> Step {
    let mask = g.predicate(op.src[2]) & 0xffff;
    if mask != 0 && mask >> g.block.rank & 1 == 0 {
        let message = format!("block {} asks for data that M0 ({mask:#x}) has others of the cluster get", g.block.rank);
        return g.fail(0, FaultKind::Other(message));
    }
    load(g, op)
}

/// Starts to copy `arity` bytes for each lane from LDS.
pub fn store(g: &mut Group, op: &Op) -> Step {
    match pieces(g, op, true) {
        Ok(pieces) => queue(g, op, pieces, Kind::Store),
        Err((lane, kind)) => g.fail(lane, kind),
    }
}

/// Arrives, for each lane, at the barrier in LDS at an offset, the row `src[0]`, once the copies to LDS that the wavefront has started are complete.
pub fn arrive(g: &mut Group, op: &Op) -> Step {
    let at = in_lds(g, op, op.src[0]);
    let mut arrivals = Vec::new();
    for i in lanes(g.active(op)) {
        match g.lds_range(at[i], 8, Access::Atomic, 8) {
            Ok(at) => arrivals.push((at, i as u32)),
            Err(kind) => return g.fail(i as u32, kind),
        }
    }
    queue(g, op, Pieces { arrivals, ..Pieces::default() }, Kind::Load)
}

/// Goes on when at most so many copies of lanes as `src[0]` says are not complete.
pub fn wait(g: &mut Group, op: &Op) -> Step {
    wait_for(g, &[Kind::Load, Kind::Store], op.src[0])
}

/// Goes on when at most so many tiles are not complete.
pub fn wait_for_tiles(g: &mut Group, op: &Op) -> Step {
    wait_for(g, &[Kind::Tile], op.src[0])
}

/// Finishes what counters of these kinds count, but for as many as the cell `left` says, or for none.
pub(crate) fn wait_for(g: &mut Group, kinds: &[Kind], left: u32) -> Step {
    if !g.cluster.has_jobs() {
        return Step::Next;
    }
    let left = if left == NONE { 0 } else { g.predicate(left) as usize & 63 };
    let wave = (g.block.rank, g.warp.index);
    match g.cluster.finish_counted(g.launch.memory, wave, kinds, left) {
        Ok(()) => Step::Next,
        Err(broken) => g.broken(broken),
    }
}

/// Finishes all that a wavefront has started.
pub(crate) fn wait_for_all(g: &mut Group) -> Step {
    wait_for(g, &[Kind::Load, Kind::Store, Kind::Tile], NONE)
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("lds_copy::load", |_| Some(load)),
    group("lds_copy::load_for_cluster", |_| Some(load_for_cluster)),
    group("lds_copy::store", |_| Some(store)),
    group("lds_copy::arrive", |_| Some(arrive)),
    group("lds_copy::wait", |_| Some(wait)),
    group("lds_copy::wait_for_tiles", |_| Some(wait_for_tiles)),
];
