//! Barriers of AMD's gfx12 at which arriving and waiting are apart: those of the block and the cluster, and named ones (gfx125).
//!
//! A barrier is named by a constant, -1 the block's, -3 the cluster's, or by bits 4 to 0 of M0 (`wide`). `imm` is how many named ones the block has. Counting
//! is [`machine::split`]'s. What LLVM calls undefined is a fault. A wavefront that waits is parked at the barrier's own op and executes it again.
//!
//! LLVM, AMDGPUExecutionSynchronization (GFX12); AMD RDNA 4 ISA guide, S_BARRIER_*.

use crate::{Function, group};
use machine::proxy::Reach;
use machine::split::Counted;
use machine::state::{FaultKind, Rule, Wait};
use machine::{FULL, Group, LANES, Op, Step};

pub use machine::split::NAMED;

/// A barrier, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Barrier {
    /// 0: nothing happens there.
    Null,
    /// -2 and -4: those of trap handlers; for others nothing happens there.
    Trap,
    /// -1.
    Block,
    /// -3.
    Cluster,
    /// 1 to 16.
    Named(usize),
}

/// The barrier that an op names in `src[0]`.
fn named(g: &mut Group, op: &Op) -> Result<Barrier, Step> {
    let value = g.predicate(op.src[0]);
    let number = if op.wide { (value & 31) as i32 } else { value as i32 };
    Ok(match number {
        0 => Barrier::Null,
        -1 => Barrier::Block,
        -2 => Barrier::Trap,
        -3 if op.imm > 0 => Barrier::Cluster,
        -4 if op.imm > 0 => Barrier::Trap,
        1.. if number <= op.imm => Barrier::Named(number as usize),
        _ => {
            let message = match op.imm {
                0 => format!("there is no barrier {number}: only the block's, which is -1"),
                most => format!(
                    "there is no barrier {number}: the block has named ones from 1 to {most}, as the kernel's descriptor says (named_bar_cnt)"
                ),
            };
            return Err(broken(g, message));
        }
    })
}

fn broken(g: &mut Group, message: impl Into<String>) -> Step {
    g.fail(0, FaultKind::rule(Rule::Barrier, message))
}

/// Wavefronts of the block that have not ended.
fn wavefronts(g: &Group) -> u32 {
    g.block.live / LANES as u32
}

/// The state of a barrier and its members.
fn state(g: &Group, barrier: Barrier) -> (Counted, u32) {
    match barrier {
        Barrier::Block => (g.block.split.barriers[0], wavefronts(g)),
        Barrier::Cluster => (g.cluster.split, g.cluster.live_blocks()),
        Barrier::Named(number) => (g.block.split.barriers[number], g.block.split.barriers[number].members),
        Barrier::Null | Barrier::Trap => (Counted::default(), 0),
    }
}

/// Arrives at a barrier and goes on. M0 may set how many members a named one has.
pub fn signal(g: &mut Group, op: &Op) -> Step {
    match arrive(g, op) {
        Ok(_) => g.hand_on(op),
        Err(step) => step,
    }
}

/// The same; SCC, `dst[0]`, tells whether nobody has arrived before in this phase.
pub fn signal_first(g: &mut Group, op: &Op) -> Step {
    match arrive(g, op) {
        Ok(first) => {
            g.set_predicate(op.dst[0], first.into(), FULL);
            g.hand_on(op)
        }
        Err(step) => step,
    }
}

/// Whether the wavefront is the first that arrives.
fn arrive(g: &mut Group, op: &Op) -> Result<bool, Step> {
    let barrier = named(g, op)?;
    let (now, wave) = (g.now(), g.warp.index as usize);
    g.block.split.used = true;
    if let (Barrier::Named(number), true) = (barrier, op.wide) {
        let count = g.predicate(op.src[0]) >> 16 & 0x7f;
        let arrived = g.block.split.barriers[number].arrived;
        if count != 0 && count <= arrived {
            return Err(broken(
                g,
                format!("gives barrier {number} {count} members when {arrived} wavefronts have arrived there"),
            ));
        }
        if count != 0 {
            g.block.split.barriers[number].members = count;
        }
    }
    let (before, members) = state(g, barrier);
    match barrier {
        Barrier::Null | Barrier::Trap => return Ok(false),
        Barrier::Cluster => g.cluster.split.arrive(members, now),
        Barrier::Block => {
            let member = &mut g.block.split.members[wave];
            if member.arrived == before.phase + 1 {
                return Err(broken(g, "arrives at the barrier of the block a second time before it has completed"));
            }
            member.arrived = before.phase + 1;
            g.block.split.barriers[0].arrive(members, now);
        }
        Barrier::Named(number) if members == 0 => {
            return Err(broken(g, format!("arrives at barrier {number}, which nobody has given members (s_barrier_init)")));
        }
        Barrier::Named(number) => g.block.split.barriers[number].arrive(members, now),
    }
    Ok(before.arrived == 0)
}

/// Waits until a barrier's phase is complete whose end the wavefront has not seen: of named ones it is the one that the wavefront has joined last.
pub fn wait(g: &mut Group, op: &Op) -> Step {
    let number = g.predicate(op.src[0]) as u16 as i16;
    let member = g.block.split.members[g.warp.index as usize];
    let (barrier, which, kind) = match number {
        0 => return Step::Next,
        -1 => (Barrier::Block, 0, Wait::Split(0, member.seen[0])),
        -3 if op.imm > 0 => (Barrier::Cluster, 2, Wait::Split(Wait::CLUSTER, member.seen[2])),
        1.. if op.imm > 0 && member.joined > 0 => {
            (Barrier::Named(member.joined.into()), 1, Wait::Split(member.joined, member.seen[1]))
        }
        1.. if op.imm > 0 => {
            return broken(g, "waits at a named barrier without having joined one (s_barrier_join)");
        }
        _ => return broken(g, format!("waits at barrier {number}, which is none that a kernel may wait at")),
    };
    let (now, _) = state(g, barrier);
    if now.phase != member.seen[which] {
        g.block.split.members[g.warp.index as usize].seen[which] = now.phase;
        g.synchronised_at(g.mask(), if which == 2 { Reach::Cluster } else { Reach::Block }, now.ended);
        return Step::Next;
    }
    if barrier == Barrier::Block && member.arrived != now.phase + 1 {
        return broken(g, "waits at the barrier of the block without having arrived there (s_barrier_signal -1)");
    }
    g.park(g.mask(), op.next - 1, kind);
    Step::Choose
}

/// Gives a named barrier members, as many as bits 22 to 16 of M0, `src[1]`, say, and begins its first phase.
pub fn init(g: &mut Group, op: &Op) -> Step {
    let barrier = match named(g, op) {
        Ok(barrier) => barrier,
        Err(step) => return step,
    };
    let Barrier::Named(number) = barrier else {
        return if barrier == Barrier::Null { Step::Next } else { broken(g, "gives members to a barrier that has no name") };
    };
    let members = g.predicate(op.src[1]) >> 16 & 0x7f;
    if members == 0 {
        return broken(g, format!("gives barrier {number} no members: bits 22 to 16 of M0 say how many"));
    }
    g.block.split.used = true;
    let barrier = &mut g.block.split.barriers[number];
    *barrier = Counted { members, arrived: 0, ..*barrier };
    Step::Next
}

/// Joins a named barrier, at which the wavefront waits from now on; 0 is none.
pub fn join(g: &mut Group, op: &Op) -> Step {
    let number = match named(g, op) {
        Ok(Barrier::Named(number)) => number,
        Ok(Barrier::Null) => 0,
        Ok(_) => return broken(g, "joins a barrier that has no name"),
        Err(step) => return step,
    };
    g.block.split.used = true;
    let phase = g.block.split.barriers[number].phase;
    let member = &mut g.block.split.members[g.warp.index as usize];
    (member.joined, member.seen[1]) = (number as u8, phase);
    Step::Next
}

/// Leaves the named barrier that the wavefront has joined, which has one member less; SCC, `dst[0]`, tells whether there was one.
pub fn leave(g: &mut Group, op: &Op) -> Step {
    let (now, wave) = (g.now(), g.warp.index as usize);
    let joined = std::mem::take(&mut g.block.split.members[wave].joined);
    g.set_predicate(op.dst[0], u32::from(joined > 0), FULL);
    if joined == 0 {
        return Step::Next;
    }
    let barrier = &mut g.block.split.barriers[usize::from(joined)];
    let Some(members) = barrier.members.checked_sub(1) else {
        return broken(g, format!("leaves barrier {joined}, which has no members"));
    };
    barrier.members = members;
    barrier.look(members, now);
    g.hand_on(op)
}

/// How many have arrived at a barrier (bits 22 to 16), its members (10 to 4), and whether it is one (0): what the program must wait for.
pub fn read(g: &mut Group, op: &Op) -> Step {
    let barrier = match named(g, op) {
        Ok(barrier) => barrier,
        Err(step) => return step,
    };
    let (counted, members) = state(g, barrier);
    let word = (counted.arrived & 0x7f) << 16 | (members & 0x7f) << 4 | u32::from(members > 0);
    g.write_cells_late(op.dst[0], &[word], op.next - 1);
    Step::Next
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("split::signal", |_| Some(signal)),
    group("split::signal_first", |_| Some(signal_first)),
    group("split::wait", |_| Some(wait)),
    group("split::init", |_| Some(init)),
    group("split::join", |_| Some(join)),
    group("split::leave", |_| Some(leave)),
    group("split::read", |_| Some(read)),
];
