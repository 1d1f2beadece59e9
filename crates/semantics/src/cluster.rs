//! Taking over clusters that have not begun.
//!
//! PTX ISA 9.4, 9.7.15.18 and 9.7.15.19 (clusterlaunchcontrol). The answer's layout is our own: the first block's index in three words of 32 bits, and a
//! word that is 1 if there was a cluster to take.

use crate::asynchronous::issue;
use crate::mbarrier::shared_address;
use crate::{Function, Named, lane, named, result_row, source_of};
use machine::job::{Completion, Job, Source, Target, Work, Write};
use machine::mods::Space;
use machine::row::lane1;
use machine::state::{Access, FaultKind, lanes};
use machine::{Group, LANES, Mods, Op, Step, op::NONE};
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of an answer.
const ANSWER: u32 = 16;

/// Asks for a cluster of the grid that has not begun; the answer comes to shared memory at `to`, and the memory barrier object is told.
pub fn try_cancel(g: &mut Group, op: &Op) -> Step {
    let [to, bar]: [[u64; LANES]; 2] = [0, 1].map(|i| source_of(g, op, i).unwrap_or_default());
    for i in lanes(g.active(op)) {
        let ranks = if op.mods.multicast() { u32::MAX >> (32 - g.cluster.blocks()) } else { 0 };
        let job = match check(g, i, to[i], bar[i]) {
            Ok(bar) => {
                let target = Target { address: to[i], ranks, write: Write::Copy };
                let source = Source::Value(take(g).to_le_bytes(), ANSWER as u8);
                Job::new(Work::Move(source, target), Completion::Mbarrier(bar, ANSWER), g.site(op, i))
            }
            Err(kind) => return g.fail(i as u32, kind),
        };
        let step = issue(g, job);
        if step != Step::Next {
            return step;
        }
    }
    Step::Next
}

fn check(g: &mut Group, i: usize, to: u64, bar: u64) -> Result<u32, FaultKind> {
    let place = shared_address(g, Space::Shared, to)?;
    g.cluster.shared_range(place, ANSWER, Access::Write, ANSWER)?;
    let bar = shared_address(g, Space::Shared, bar)?;
    g.object(bar, i)?;
    g.cluster.mbarrier(bar)?;
    Ok(bar)
}

/// Takes the next cluster of the grid, if one is left.
fn take(g: &Group) -> u128 {
    let launch = g.launch;
    let number = launch.next.fetch_add(1, Relaxed);
    if number >= launch.clusters {
        launch.next.fetch_sub(1, Relaxed);
        return 0;
    }
    // Its blocks will never let dependent launches begin.
    let blocks = launch.cluster.iter().map(|n| u64::from(*n)).product();
    launch.overlap.signalled.fetch_add(blocks, Relaxed);
    let of = |i: usize| u64::from(launch.grid[i] / launch.cluster[i]);
    let index = [number % of(0), number / of(0) % of(1), number / of(0) / of(1)];
    (0..3).fold(1 << 96, |answer, i| answer | u128::from(index[i] * u64::from(launch.cluster[i])) << (32 * i))
}

/// Whether an answer gives a cluster.
pub fn is_taken(_: Mods, a: u128) -> bool {
    a >> 96 == 1
}

/// The first block's index in x.
pub fn first_x(_: Mods, a: u128) -> u32 {
    a as u32
}

/// The first block's index in y.
pub fn first_y(_: Mods, a: u128) -> u32 {
    (a >> 32) as u32
}

/// The first block's index in z.
pub fn first_z(_: Mods, a: u128) -> u32 {
    (a >> 64) as u32
}

/// The first block's index in x, y and z, and zero.
pub fn first(g: &mut Group, op: &Op) -> Step {
    let answers: [u128; LANES] = source_of(g, op, 0).unwrap_or_default();
    for k in 0..4 {
        let d = result_row(g, op, k);
        if d != NONE {
            let part = |a: u128| if k < 3 { (a >> (32 * k)) as u32 } else { 0 };
            g.set_row(d, &answers.map(part), g.active(op));
        }
    }
    Step::Next
}

const ASKED: Named = Named { sources: &[("to", 1), ("bar", 1)], results: &[] };
const FIRST: Named = Named { sources: &[("answer", 1)], results: &[("d", 4)] };

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    named("cluster::try_cancel", &ASKED, |_| Some(try_cancel)),
    lane("cluster::is_taken", &[lane1(is_taken)]),
    lane("cluster::first_x", &[lane1(first_x)]),
    lane("cluster::first_y", &[lane1(first_y)]),
    lane("cluster::first_z", &[lane1(first_z)]),
    named("cluster::first", &FIRST, |_| Some(first)),
];
