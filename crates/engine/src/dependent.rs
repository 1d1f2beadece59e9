//! Launches of a stream: one after the other, or a dependent one before the one it depends on is complete.
//!
//! PTX ISA 9.4, 9.7.15.14 (griddepcontrol); CUDA C++ Programming Guide, programmatic dependent launch. A launch that was made dependent may begin once
//! all blocks of the one before have executed `griddepcontrol.launch_dependents` or have exited; `griddepcontrol.wait` waits until that one is
//! complete. When it begins is the policy's choice, as for other asynchronous work. Late: blocks stand still where they let dependents
//! begin, and the dependent launch goes on as far as it can without the one before; so a missing wait shows. Early: nothing overlaps. Seeded:
//! at random moments. Launches that may overlap run on one thread, in turns, so that they do so in the same way each time. That the GPU may
//! have no room for both is not modelled.

use crate::launch::{Failure, Options, Other, Report, Shape, Stopped, Turn, Work, Worker, launch, point};
use crate::lower::Kernel;
use machine::job::Policy;
use machine::memory::Memory;
use machine::overlap::{Accesses, Conflict, Overlap, Place};
use machine::state::{Access, FaultKind, Gpu};
use std::sync::atomic::Ordering::Relaxed;

/// A launch that is to be made.
pub struct Request<'a> {
    /// What it executes.
    pub kernel: &'a Kernel,
    /// Its shape.
    pub shape: Shape,
    /// The parameter block.
    pub params: &'a [u8],
    /// How to run it.
    pub options: &'a Options,
    /// Whether it may begin before the launch before it is complete.
    pub dependent: bool,
}

/// What launches came to: reports of those that are complete up to the first that failed, and why that one failed.
pub type Outcome = (Vec<Report>, Option<(usize, Box<Failure>)>);

/// Runs launches in their order, up to the first that fails.
pub fn launch_in_order(requests: &[Request], memory: &Memory, gpu: Gpu) -> Outcome {
    let mut reports = Vec::new();
    while reports.len() < requests.len() {
        let first = reports.len();
        let rest = &requests[first..];
        let together = 1 + rest.windows(2).take_while(|pair| overlaps(&pair[0], &pair[1])).count();
        let outcome = match &rest[..together] {
            [one] => match launch(one.kernel, one.shape, one.params, memory, gpu, one.options) {
                Ok(report) => (vec![report], None),
                Err(failure) => (Vec::new(), Some((0, failure))),
            },
            several => overlapping(several, memory, gpu),
        };
        reports.extend(outcome.0);
        if let Some((index, mut failure)) = outcome.1 {
            renumber(&mut failure, first);
            return (reports, Some((first + index, failure)));
        }
    }
    (reports, None)
}

/// Whether a launch may begin before the one before it is complete.
fn overlaps(before: &Request, request: &Request) -> bool {
    let early = |request: &Request| request.options.policy == Policy::Early;
    request.dependent && before.kernel.lets_dependents_begin && !early(before) && !early(request)
}

/// Makes the launches that a fault names those of the whole list.
fn renumber(failure: &mut Failure, first: usize) {
    if let Stopped::Fault { kind: FaultKind::Overlap(conflict), .. } = &mut failure.why {
        conflict.dependent.0.launch += first;
        conflict.prerequisite.0.launch += first;
    }
}

/// A launch among those that may overlap.
struct Member<'w, 'a> {
    work: &'w Work<'a>,
    /// None before it begins and after it is complete.
    worker: Option<Worker<'w>>,
    /// Turns in a row that came to nothing.
    vain: usize,
    /// Whether one of them may come to something once another launch has gone on.
    polls: bool,
}

impl Member<'_, '_> {
    /// Whether it can go on, as far as is known: every cluster of a stuck one has had a turn in vain.
    fn stuck(&self) -> bool {
        self.worker.as_ref().is_none_or(|worker| self.vain > worker.resident())
    }
}

fn overlapping(requests: &[Request], memory: &Memory, gpu: Gpu) -> Outcome {
    let accesses = Accesses::new(requests.len());
    let mut works = Vec::new();
    let mut refused = None;
    for (i, request) in requests.iter().enumerate() {
        match Work::new(request.kernel, request.shape, request.params, memory, gpu, request.options, 1) {
            Ok(mut work) => {
                work.launch.overlap = Overlap { accesses: Some((&accesses, i)), ..Overlap::default() };
                works.push(work);
            }
            Err(failure) => {
                refused = Some((i, failure));
                break;
            }
        }
    }
    for pair in works.windows(2) {
        pair[0].launch.overlap.awaited.store(true, Relaxed);
        pair[1].launch.overlap.waits.store(true, Relaxed);
    }
    take_turns(&works, &accesses);
    let places: Vec<_> = works.iter().map(|work| (work.kernel, work.launch.grid, work.launch.block)).collect();
    let mut reports = Vec::new();
    let mut failed = refused;
    for (i, work) in works.into_iter().enumerate() {
        match work.finish() {
            Ok(report) if i == reports.len() => reports.push(report),
            Ok(_) => {}
            Err(failure) => {
                reports.truncate(i);
                failed = Some((i, failure));
            }
        }
    }
    if let Some((index, failure)) = &mut failed
        && let Stopped::Fault { kind: FaultKind::Overlap(conflict), .. } = &failure.why
    {
        let conflict = **conflict;
        *index = conflict.dependent.0.launch;
        failure.why = blame(conflict, &places);
        reports.truncate(*index);
    }
    (reports, failed)
}

/// The fault of two launches, at the one that should have waited.
fn blame(conflict: Conflict, places: &[(&Kernel, [u32; 3], [u32; 3])]) -> Stopped {
    let at = |place: Place| {
        let (kernel, grid, block) = places[place.launch];
        let origin = kernel.origins.get(place.op as usize).copied().unwrap_or_default();
        (origin, point(place.block, grid), point(place.thread.into(), block))
    };
    let what = match conflict.prerequisite.1 {
        Access::Read => "read here by",
        Access::Write => "written here by",
        Access::Atomic => "accessed atomically here by",
    };
    let (origin, block, thread) = at(conflict.prerequisite.0);
    let other = Some(Other { origin, block, thread, what });
    let (origin, block, thread) = at(conflict.dependent.0);
    Stopped::Fault { kind: FaultKind::Overlap(Box::new(conflict)), origin, block, thread, other }
}

/// Runs all launches to their ends, or until one fails.
fn take_turns(works: &[Work], accesses: &Accesses) {
    let mut random = works[0].options.seed.map(|seed| seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut members: Vec<Member> = works.iter().map(|work| Member { work, worker: None, vain: 0, polls: false }).collect();
    let mut begun = 0;
    while members.iter().any(|member| member.worker.is_some()) || begun < members.len() {
        if begun < members.len() && (begun == 0 || lets_begin(&works[begun - 1])) {
            members[begun].worker = Some(Worker::new(members[begun].work));
            if begun > 0 {
                works[begun - 1].launch.overlap.awaited.store(false, Relaxed);
            }
            begun += 1;
        }
        let Some(next) = choose(&mut members, &mut random) else { continue };
        let Some(worker) = &mut members[next].worker else { continue };
        match worker.turn() {
            Turn::Went => went(&mut members, next),
            turn @ (Turn::Polled | Turn::Waits) => {
                members[next].vain += 1;
                members[next].polls |= turn == Turn::Polled;
            }
            Turn::Done => {
                went(&mut members, next);
                members[next].worker.take().into_iter().for_each(Worker::leave);
                if works[next].launch.stop.load(Relaxed) {
                    members.iter_mut().filter_map(|member| member.worker.take()).for_each(Worker::leave);
                    return;
                }
                accesses.completed(next);
                if let Some(after) = members.get_mut(next + 1) {
                    after.work.launch.overlap.waits.store(false, Relaxed);
                    after.vain = 0;
                }
            }
        }
    }
}

/// A launch has done something, which others may have polled for.
fn went(members: &mut [Member], which: usize) {
    for (i, member) in members.iter_mut().enumerate().filter(|(i, member)| *i == which || member.polls) {
        member.vain = 0;
        member.polls &= i == which;
    }
}

/// Whether all blocks let dependent launches begin, or have exited.
fn lets_begin(work: &Work) -> bool {
    let blocks: u64 = work.launch.grid.iter().map(|n| u64::from(*n)).product();
    work.launch.overlap.signalled.load(Relaxed) >= blocks
}

/// Which launch goes on: the latest that can, or with a seed any. Where none can, blocks that stand still may go on.
fn choose(members: &mut [Member], random: &mut Option<u64>) -> Option<usize> {
    let able: Vec<usize> = (0..members.len()).filter(|i| !members[*i].stuck()).collect();
    let drawn = random.as_mut().map(|state| {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state >> 8
    });
    // Now and then, whatever the others do.
    let early = drawn.is_some_and(|drawn| drawn % 8 == 0);
    if able.is_empty() || early {
        let released = members.iter_mut().find_map(|member| {
            let worker = member.worker.as_mut()?;
            worker.release().then_some(())
        });
        if released.is_some() || able.is_empty() {
            members.iter_mut().for_each(|member| member.vain = 0);
            return None;
        }
    }
    match drawn {
        Some(drawn) => able.get((drawn / 8) as usize % able.len()).copied(),
        None => able.last().copied(),
    }
}
