//! Memory barrier objects.
//!
//! PTX ISA 9.4, 9.7.15.16. Counting is [`machine::mbarrier`]'s. A thread that waits with try_wait is parked at its op until the phase ends, and
//! then executes it again. Now and then it gives false instead, as the manual allows, so that a program which does not ask again is seen. test_wait asks and
//! goes on.

use crate::{Function, Named, lane, named, result_row, source_of};
use machine::cluster::{RANK_SHIFT, rank_of};
use machine::job::Policy;
use machine::job::is_shared;
use machine::mbarrier::{Arrival, CONDITIONAL, is_state, state_parity, state_pending};
use machine::memory::SHARED_WINDOW;
use machine::mods::Space;
use machine::row::lane1;
use machine::state::{FaultKind, Rule, Wait, lanes};
use machine::{Group, LANES, Mods, Op, Step, op::NONE};

const BAR: usize = 0;
const COUNT: usize = 1;
const MASK: usize = 2;
const STATE: usize = 1;
const PARITY: usize = 2;

/// The shared address of a generic one that must lie in the given space's shared memory.
pub(crate) fn shared_address(g: &Group, space: Space, address: u64) -> Result<u32, FaultKind> {
    if !is_shared(address) {
        return Err(FaultKind::BadTarget { value: address, wanted: "an address in shared memory" });
    }
    let within = address - SHARED_WINDOW;
    if space == Space::Shared && rank_of(within) != g.block.rank {
        return Err(FaultKind::OtherBlock { address: within, rank: g.block.rank });
    }
    Ok(within as u32)
}

/// Calls `act` with every active lane and the address of its object, in the order of lanes. The object may be another block's only where
/// the instruction says so, and returns nothing.
fn each(g: &mut Group, op: &Op, mut act: impl FnMut(&mut Group, usize, u32) -> Result<(), FaultKind>) -> Step {
    let addresses: [u64; LANES] = source_of(g, op, BAR).unwrap_or_default();
    for i in lanes(g.active(op)) {
        let done = own_address(g, op, addresses[i]).and_then(|address| act(g, i, address));
        if let Err(kind) = done {
            return g.fail(i as u32, kind);
        }
    }
    Step::Next
}

fn own_address(g: &Group, op: &Op, address: u64) -> Result<u32, FaultKind> {
    let returns = result_row(g, op, 0) != NONE;
    let space = if returns { Space::Shared } else { op.mods.space };
    shared_address(g, space, address)
}

/// Calls `act` with the object at `address`, or with those at its offset in all blocks that a mask names.
fn each_rank(mask: Option<u32>, address: u32, mut act: impl FnMut(u32) -> Result<(), FaultKind>) -> Result<(), FaultKind> {
    match mask {
        None => act(address),
        Some(mask) => {
            let offset = address & ((1 << RANK_SHIFT) - 1);
            lanes(mask).try_for_each(|rank| act((rank as u32) << RANK_SHIFT | offset))
        }
    }
}

/// Makes an object that expects `count` arrivals a phase.
pub fn init(g: &mut Group, op: &Op) -> Step {
    let counts: [u32; LANES] = source_of(g, op, COUNT).unwrap_or_default();
    each(g, op, |g, i, address| {
        let site = g.site(op, i);
        if address >> RANK_SHIFT != g.block.rank {
            return Err(FaultKind::OtherBlock { address: address.into(), rank: g.block.rank });
        }
        g.cluster.init_mbarrier(address, counts[i], op.mods.reports(), site)
    })
}

/// Ends an object.
pub fn end(g: &mut Group, op: &Op) -> Step {
    each(g, op, |g, _, address| g.cluster.end_mbarrier(address))
}

/// Lets the current phase expect `count` more units of asynchronous work.
pub fn expect_work(g: &mut Group, op: &Op) -> Step {
    let counts: [u32; LANES] = source_of(g, op, COUNT).unwrap_or_default();
    let masks: Option<[u32; LANES]> = source_of(g, op, MASK);
    each(g, op, |g, i, address| {
        let who = g.site(op, i);
        each_rank(masks.map(|m| m[i]), address, |address| {
            g.object(address, i)?;
            g.cluster.expect_work(address, counts[i], who)
        })
    })
}

/// Counts `count` units of asynchronous work as done.
pub fn complete_work(g: &mut Group, op: &Op) -> Step {
    let counts: [u32; LANES] = source_of(g, op, COUNT).unwrap_or_default();
    let masks: Option<[u32; LANES]> = source_of(g, op, MASK);
    each(g, op, |g, i, address| {
        let who = g.site(op, i);
        each_rank(masks.map(|m| m[i]), address, |address| {
            g.object(address, i)?;
            g.cluster.complete_work(address, counts[i], who)
        })
    })
}

/// Arrives `count` times, once without it, and gives the state before.
pub fn arrive(g: &mut Group, op: &Op) -> Step {
    let counts: [u32; LANES] = source_of(g, op, COUNT).unwrap_or([1; LANES]);
    arrive_all(g, op, |i| Arrival { count: counts[i], ..Arrival::default() })
}

/// Lets the current phase expect `count` more units of asynchronous work, then arrives once, and gives the state before.
pub fn expect_and_arrive(g: &mut Group, op: &Op) -> Step {
    let counts: [u32; LANES] = source_of(g, op, COUNT).unwrap_or_default();
    arrive_all(g, op, |i| Arrival { count: 1, work: counts[i], ..Arrival::default() })
}

fn arrive_all(g: &mut Group, op: &Op, arrival: impl Fn(usize) -> Arrival) -> Step {
    let masks: Option<[u32; LANES]> = source_of(g, op, MASK);
    let mut states = [0u64; LANES];
    let phases = g.cluster.phases;
    let step = each(g, op, |g, i, address| {
        let arrival = Arrival { drop: op.mods.drop(), incomplete: op.mods.incomplete(), ..arrival(i) };
        let who = g.site(op, i);
        each_rank(masks.map(|m| m[i]), address, |address| {
            g.object(address, i)?;
            states[i] = g.cluster.arrive_mbarrier(address, arrival, who)?;
            Ok(())
        })
    });
    let d = result_row(g, op, 0);
    if step == Step::Next && d != NONE {
        g.set_row(d, &states, g.active(op));
    }
    if step == Step::Next && g.cluster.phases != phases { g.hand_on(op) } else { step }
}

/// Which lanes' phases have ended, in which of those something was reported, and what each of them waits for.
type Phases = (u32, u32, [(u32, u32); LANES]);

fn over(g: &mut Group, op: &Op) -> Result<Phases, Step> {
    let states: Option<[u64; LANES]> = source_of(g, op, STATE);
    let parities: [u32; LANES] = source_of(g, op, PARITY).unwrap_or_default();
    let (mut done, mut reported, mut awaited) = (0, 0, [(0, 0); LANES]);
    let step = each(g, op, |g, i, address| {
        if let Some(state) = states.map(|states| states[i]).filter(|state| !is_state(*state)) {
            return Err(FaultKind::rule(Rule::State, format!("0x{state:x} is no state that an arrival returned")));
        }
        g.object(address, i)?;
        let conditional = if op.mods.conditional() { CONDITIONAL } else { 0 };
        let parity = states.map_or(parities[i] & 1, |states| state_parity(states[i])) | conditional;
        let object = g.cluster.mbarrier(address)?;
        reported |= u32::from(object.reported[1]) << i;
        if object.over(parity) {
            let (reach, ended) = (object.reach(), object.ended());
            done |= 1 << i;
            g.synchronised_at(1 << i, reach, ended);
        }
        awaited[i] = (address, parity);
        Ok(())
    });
    if step == Step::Next { Ok((done, reported & done, awaited)) } else { Err(step) }
}

/// Gives lanes whether their phases have ended, and what was reported in those: whether something was, and its value, which is zero.
fn answer(g: &mut Group, op: &Op, (done, reported): (u32, u32), mask: u32) {
    for (entry, lanes) in [(0, done), (1, reported)] {
        let row = result_row(g, op, entry);
        if row != NONE {
            g.set_predicate(row, lanes, mask);
        }
    }
    let value = result_row(g, op, 2);
    if value != NONE {
        g.set_row(value, &[0u8; LANES], mask);
    }
}

/// Whether the phase that a state is of, or the current or last one of a parity, has ended.
pub fn test_wait(g: &mut Group, op: &Op) -> Step {
    match over(g, op) {
        Err(step) => step,
        Ok((done, reported, _)) => {
            answer(g, op, (done, reported), g.active(op));
            g.polled();
            g.phase_polls += 1;
            Step::Next
        }
    }
}

/// Whether lanes whose phase has not ended are told so at once. Late, those who have not been told before; at random where a seed says so; and never
/// where asynchronous work is done at once.
fn refuses(g: &mut Group, rest: u32) -> bool {
    match g.launch.policy {
        Policy::Late => rest & !g.warp.refused != 0,
        Policy::Early => false,
        Policy::Seeded => g.cluster.chance(2) == 0,
    }
}

/// Waits until the phase has ended; false if it takes too long, which may be soon.
pub fn try_wait(g: &mut Group, op: &Op) -> Step {
    let (done, reported, awaited) = match over(g, op) {
        Err(step) => return step,
        Ok(all) => all,
    };
    let mask = g.active(op);
    let finished = done | mask & g.warp.timed_out;
    g.warp.timed_out &= !mask;
    answer(g, op, (done, reported), finished);
    g.warp.refused &= !done;
    let mut rest = mask & !finished;
    if rest != 0 && refuses(g, rest) {
        g.warp.refused |= rest;
        answer(g, op, (0, 0), rest);
        rest = 0;
    }
    if rest == 0 {
        return Step::Next;
    }
    while rest != 0 {
        let (address, parity) = awaited[rest.trailing_zeros() as usize];
        let alike = lanes(rest).filter(|i| awaited[*i] == (address, parity)).fold(0, |m, i| m | 1 << i);
        g.park(alike, op.next - 1, Wait::Mbarrier(address, parity));
        rest &= !alike;
    }
    if g.mask() == 0 { Step::Choose } else { g.jump(op.next, op.next) }
}

/// How many arrivals were still missing when the state `a` was returned.
pub fn pending_count(_: Mods, a: u64) -> u32 {
    state_pending(a)
}

/// Whether an object has the layout that keeps reports, or the other one.
pub fn check_layout(g: &mut Group, op: &Op) -> Step {
    let mut alike = 0;
    let step = each(g, op, |g, i, address| {
        alike |= u32::from(g.cluster.mbarrier(address)?.reports == op.mods.reports()) << i;
        Ok(())
    });
    if step == Step::Next {
        g.set_predicate(result_row(g, op, 0), alike, g.active(op));
    }
    step
}

const OBJECT: Named = Named { sources: &[("bar", 1), ("count", 1), ("mask", 1)], results: &[("d", 1)] };
const WAITING: Named = Named {
    sources: &[("bar", 1), ("state", 1), ("parity", 1), ("nanoseconds", 1)],
    results: &[("p", 1), ("q", 1), ("value", 1)],
};

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    named("mbarrier::init", &OBJECT, |_| Some(init)),
    named("mbarrier::end", &OBJECT, |_| Some(end)),
    named("mbarrier::expect_work", &OBJECT, |_| Some(expect_work)),
    named("mbarrier::complete_work", &OBJECT, |_| Some(complete_work)),
    named("mbarrier::arrive", &OBJECT, |_| Some(arrive)),
    named("mbarrier::expect_and_arrive", &OBJECT, |_| Some(expect_and_arrive)),
    named("mbarrier::test_wait", &WAITING, |_| Some(test_wait)),
    named("mbarrier::try_wait", &WAITING, |_| Some(try_wait)),
    lane("mbarrier::pending_count", &[lane1(pending_count)]),
    named("mbarrier::check_layout", &WAITING, |_| Some(check_layout)),
];
