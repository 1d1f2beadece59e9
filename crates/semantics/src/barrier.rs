//! Barriers of a cluster, of a block and of lanes of a warp; launches that wait for others.
//!
//! PTX ISA 9.4, 9.7.15.1 (bar, barrier), 9.7.15.2 (bar.warp.sync), 9.7.15.3 (barrier.cluster), 9.7.15.14 (griddepcontrol). Counting is [`machine::barrier`]'s. A thread that waits is
//! parked at the barrier's own op and executes it a second time when it is released: only then does it go on. What `.aligned` promises is not
//! needed; where it shows that it does not hold, that is told.

use crate::warp::{gather, predicate};
use crate::{Function, group};
use machine::barrier::{ALL, Arrival, Arriving};
use machine::mods::Operation;
use machine::proxy::Reach;
use machine::state::{FaultKind, Rule, Wait, lanes};
use machine::{Group, LANES, Op, Step, op::NONE};
use std::sync::atomic::Ordering;

/// Waits at barrier `a` for `b` threads, or for all of the block.
pub fn sync(g: &mut Group, op: &Op) -> Step {
    meet(g, op, NONE, true)
}

/// Waits for all wavefronts of the block.
pub fn wavefronts(g: &mut Group, op: &Op) -> Step {
    meet(g, op, NONE, true)
}

/// Arrives at barrier `a` of `b` threads and goes on.
pub fn arrive(g: &mut Group, op: &Op) -> Step {
    meet(g, op, NONE, false)
}

/// Waits at barrier `a` for `b` threads, or for all of the block, and reduces their predicates `c`: all true (and), any true (or),
/// how many (popc).
pub fn red(g: &mut Group, op: &Op) -> Step {
    meet(g, op, op.src[2], true)
}

/// Waits until all lanes of the mask that have not exited have arrived.
pub fn warp_sync(g: &mut Group, op: &Op) -> Step {
    match gather(g, op, op.src[0]) {
        Ok(_) => Step::Next,
        Err(step) => step,
    }
}

/// Lets launches that depend on this one begin, once all blocks have done so or have exited. Where there is one, the block stands still, so
/// that what the other does without waiting comes first.
pub fn launch_dependents(g: &mut Group, op: &Op) -> Step {
    if g.active(op) == 0 || g.block.signalled {
        return Step::Next;
    }
    g.block.signalled = true;
    g.launch.overlap.signalled.fetch_add(1, Ordering::Relaxed);
    if !g.launch.overlap.awaited.load(Ordering::Relaxed) {
        return Step::Next;
    }
    g.block.held = true;
    g.pc = op.next;
    Step::Choose
}

/// Waits until the launch that this one depends on is complete.
pub fn wait_for_grid(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    if mask == 0 || !g.launch.overlap.waits.load(Ordering::Relaxed) {
        return Step::Next;
    }
    g.park(mask, op.next - 1, Wait::Grid);
    if g.mask() == 0 { Step::Choose } else { g.jump(op.next, op.next) }
}

/// Arrives at the barrier of the cluster and goes on.
pub fn cluster_arrive(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    if let Err(step) = together(g, op, mask) {
        return step;
    }
    let twice = mask & (g.warp.met_cluster[0] | g.warp.met_cluster[1]);
    if twice != 0 {
        let message = "arrives at the barrier of the cluster again before it has waited there";
        return g.fail(twice.trailing_zeros(), FaultKind::rule(Rule::ClusterBarrier, message));
    }
    g.warp.met_cluster[(g.cluster.barrier.phase & 1) as usize] |= mask;
    let phase = g.cluster.barrier.phase;
    g.cluster.arrive(mask.count_ones());
    if g.cluster.barrier.phase == phase { Step::Next } else { g.hand_on(op) }
}

/// Waits until all threads of the cluster that have not exited have arrived at its barrier.
pub fn cluster_wait(g: &mut Group, op: &Op) -> Step {
    let (mask, pc, phase) = (g.active(op), op.next - 1, g.cluster.barrier.phase);
    if let Err(step) = together(g, op, mask) {
        return step;
    }
    let missing = mask & !(g.warp.met_cluster[0] | g.warp.met_cluster[1]);
    if missing != 0 {
        let message = "waits at the barrier of the cluster without having arrived there";
        return g.fail(missing.trailing_zeros(), FaultKind::rule(Rule::ClusterBarrier, message));
    }
    let open = mask & g.warp.met_cluster[(phase & 1) as usize];
    g.synchronised_at(mask & !open, Reach::Cluster, g.cluster.barrier.ended);
    g.warp.met_cluster[(phase & 1 ^ 1) as usize] &= !mask;
    if open == 0 {
        return Step::Next;
    }
    g.park(open, pc, Wait::Cluster(phase));
    if g.mask() == 0 { Step::Choose } else { g.jump(op.next, op.next) }
}

/// Looks whether all lanes of the warp that are here execute an aligned op, and none waits at another one.
fn together(g: &mut Group, op: &Op, active: u32) -> Result<(), Step> {
    if !op.mods.aligned() || active == 0 {
        return Ok(());
    }
    let left_out = g.mask() & !active;
    if left_out != 0 {
        let message =
            format!("is executed by lanes 0x{active:08x} of the warp alone: its guard is false for lanes 0x{left_out:08x}");
        return Err(g.fail(active.trailing_zeros(), FaultKind::rule(Rule::Aligned, message)));
    }
    let here = op.next - 1;
    let apart = g.warp.parked.iter().find(|p| p.pc != here && matches!(p.wait, Wait::Barrier(_) | Wait::Cluster(_)));
    let Some(apart) = apart.filter(|p| !p.wait.over(g.block, g.cluster)).copied() else { return Ok(()) };
    let message =
        format!("is executed by lanes 0x{active:08x} of the warp, while lanes 0x{:08x} wait at another barrier", apart.mask);
    let other = machine::mbarrier::Site {
        op: apart.pc,
        rank: g.block.rank,
        warp: g.warp.index,
        lane: apart.mask.trailing_zeros() % LANES as u32,
    };
    let kind = FaultKind::Rule { rule: Rule::Aligned, message, other: Some((other, "waited at here by")) };
    Err(g.fail(active.trailing_zeros(), kind))
}

fn meet(g: &mut Group, op: &Op, votes: u32, wait: bool) -> Step {
    let (active, pc) = (g.active(op), op.next - 1);
    if active == 0 {
        return Step::Next;
    }
    if let Err(step) = together(g, op, active) {
        return step;
    }
    let numbers: [u32; LANES] = if op.src[0] == NONE { [0; LANES] } else { g.row(op.src[0]) };
    let mut counts = [ALL; LANES];
    if op.src[1] != NONE {
        // Whoever names as many threads as the block has means all of them.
        let whole = g.launch.block.iter().product::<u32>().next_multiple_of(LANES as u32);
        counts = g.row(op.src[1]).map(|count| if count == whole { ALL } else { count });
    }
    let first = active.trailing_zeros() as usize;
    let (number, count) = (numbers[first], counts[first]);
    if let Err(message) = check(number, count) {
        return g.fail(first as u32, FaultKind::rule(Rule::Barrier, message));
    }
    // One barrier at a time, and those who have been released before those who arrive: the others execute this op once more.
    let released = active & g.warp.arrived;
    let different = |row: &[u32; LANES], value: u32| row.iter().fold(0, |bits, element| bits | element ^ value) != 0;
    let same = if !different(&numbers, number) && !different(&counts, count) {
        active
    } else {
        lanes(active).filter(|i| (numbers[*i], counts[*i]) == (number, count)).fold(0, |m, i| m | 1 << i)
    };
    let these = if released == 0 { same & !g.warp.arrived } else { same & released };
    if active & !these != 0 {
        g.park(active & !these, pc, Wait::Nothing);
    }
    if released != 0 {
        g.warp.arrived &= !these;
        let barrier = &mut g.block.barriers[number as usize];
        let (ended, outcome) = (barrier.ended(), barrier.leave(these.count_ones()));
        g.synchronised_at(these, Reach::Block, ended);
        return finish(g, op, these, outcome);
    }
    let who = Arriving {
        warp: g.warp.index,
        lanes: these,
        live: g.warp.live,
        votes: (votes != NONE).then(|| predicate(g, votes)),
        wait,
        now: g.now(),
    };
    match g.block.barriers[number as usize].arrive(who, count, g.block.live) {
        Arrival::Complete => {
            let outcome = g.block.barriers[number as usize].outcome();
            g.synchronised_at(these, Reach::Block, g.now());
            let step = finish(g, op, these, outcome);
            if wait || step != Step::Next { step } else { g.hand_on(op) }
        }
        Arrival::Open if wait => {
            g.warp.arrived |= these;
            g.park(these, pc, Wait::Barrier(number as u8));
            if g.mask() == 0 { Step::Choose } else { g.jump(op.next, op.next) }
        }
        Arrival::Open => Step::Next,
        Arrival::Busy => {
            // Let the released threads leave first. Lanes whose guard is false go on.
            if g.mask() & !these != 0 {
                g.park(g.mask() & !these, op.next, Wait::Nothing);
            }
            g.pc = pc;
            g.spent = true;
            Step::Choose
        }
        Arrival::Twice => {
            let message = format!("arrives at barrier {number} a second time before it has completed");
            g.fail(first as u32, FaultKind::rule(Rule::Barrier, message))
        }
        Arrival::OtherCount(other) => {
            let of = |n| if n == ALL { "all threads".to_owned() } else { format!("{n} threads") };
            let message = format!("waits at barrier {number} for {}, others there for {}", of(count), of(other));
            g.fail(first as u32, FaultKind::rule(Rule::Barrier, message))
        }
    }
}

fn check(number: u32, count: u32) -> Result<(), String> {
    if number > 15 {
        return Err(format!("there is no barrier {number}: a block has 0 to 15"));
    }
    if count != ALL && (count == 0 || !count.is_multiple_of(LANES as u32)) {
        return Err(format!("{count} threads at barrier {number}: the count must be a multiple of 32 above 0"));
    }
    Ok(())
}

/// Gives the reduction's result to lanes that go on.
fn finish(g: &mut Group, op: &Op, these: u32, [yes, of]: [u32; 2]) -> Step {
    let all_lanes = |condition: bool| if condition { u32::MAX } else { 0 };
    match op.mods.op {
        Operation::Popc => g.set_row(op.dst[0], &[yes; LANES], these),
        Operation::And => g.set_predicate(op.dst[0], all_lanes(yes == of), these),
        Operation::Or => g.set_predicate(op.dst[0], all_lanes(yes != 0), these),
        _ => {}
    }
    Step::Next
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("barrier::sync", |_| Some(sync)),
    group("barrier::wavefronts", |_| Some(wavefronts)),
    group("barrier::arrive", |_| Some(arrive)),
    group("barrier::red", |_| Some(red)),
    group("barrier::cluster_arrive", |_| Some(cluster_arrive)),
    group("barrier::cluster_wait", |_| Some(cluster_wait)),
    group("barrier::warp_sync", |_| Some(warp_sync)),
    group("barrier::launch_dependents", |_| Some(launch_dependents)),
    group("barrier::wait_for_grid", |_| Some(wait_for_grid)),
];
