//! Barriers and semaphores of AMD's global wave synchronisation, at which wavefronts of all blocks meet.
//!
//! A resource is named by bits 21 to 16 of M0 and an offset, the last sources. A number comes from the first active lane of a register, the first source. A
//! wavefront that waits executes the op again until it may go on.
//!
//! AMD RDNA 3.5 ISA guide, 13.4.4. Its operation of the barrier releases wavefronts when the counter is zero after it was decremented, and says that the count of
//! wavefronts less one is given. ROCm's device library gives the count less one to initialise it, too, so the last one is who finds zero.

use crate::operand::first_lane;
use crate::{Function, group};
use machine::gws::{RESOURCES, Resource};
use machine::{Group, LANES, Op, Step};

/// The number of the resource, whose parts are the sources from this one on.
fn number(g: &Group, op: &Op, from: usize) -> usize {
    let [m0, offset] = [from, from + 1].map(|i| g.predicate(op.src[i]));
    ((m0 >> 16 & 63) + (offset & 63)) as usize % RESOURCES
}

/// The number of the first active lane.
fn value(g: &Group, op: &Op) -> u32 {
    let lane = first_lane(g, op);
    let row: [u32; LANES] = g.row(op.src[0] + 128 * (lane / LANES) as u32);
    row[lane % LANES]
}

/// Changes a resource that has a number as its source.
fn with_value(g: &mut Group, op: &Op, change: impl Fn(&mut Resource, u32)) -> Step {
    change(&mut g.launch.memory.gws.lock()[number(g, op, 1)], value(g, op));
    Step::Next
}

/// Looks again later.
fn wait(g: &mut Group, op: &Op) -> Step {
    g.polled();
    g.pc = op.next - 1;
    g.spent = true;
    Step::Choose
}

/// Sets the counter.
pub fn init(g: &mut Group, op: &Op) -> Step {
    with_value(g, op, |resource, value| resource.counter = value)
}

/// Gives a number of permits.
pub fn release(g: &mut Group, op: &Op) -> Step {
    with_value(g, op, |resource, value| resource.counter = resource.counter.wrapping_add(value))
}

/// Gives a permit.
pub fn release_one(g: &mut Group, op: &Op) -> Step {
    let resource = &mut g.launch.memory.gws.lock()[number(g, op, 0)];
    resource.counter = resource.counter.wrapping_add(1);
    Step::Next
}

/// Gives as many permits as wavefronts wait.
pub fn release_all(g: &mut Group, op: &Op) -> Step {
    let resource = &mut g.launch.memory.gws.lock()[number(g, op, 0)];
    resource.counter = resource.counter.wrapping_add(resource.queued);
    Step::Next
}

/// Takes a permit; waits while there is none.
pub fn acquire(g: &mut Group, op: &Op) -> Step {
    let number = number(g, op, 0);
    let waits = g.warp.queued.is_some();
    let mut resources = g.launch.memory.gws.lock();
    let resource = &mut resources[number];
    match resource.counter.checked_sub(1) {
        Some(left) => {
            resource.counter = left;
            resource.queued -= u32::from(waits);
            g.warp.queued = None;
            Step::Next
        }
        None => {
            resource.queued += u32::from(!waits);
            g.warp.queued = Some(0);
            drop(resources);
            wait(g, op)
        }
    }
}

/// Waits until as many wavefronts have come as the resource was given, and one more; that number is for the next time.
pub fn barrier(g: &mut Group, op: &Op) -> Step {
    let (value, number) = (value(g, op), number(g, op, 1));
    let mut resources = g.launch.memory.gws.lock();
    let resource = &mut resources[number];
    match (g.warp.queued, resource.counter.checked_sub(1)) {
        (Some(phase), _) if resource.phase != phase => g.warp.queued = None,
        (None, None) => {
            resource.phase = resource.phase.wrapping_add(1);
            resource.counter = value;
        }
        (queued, left) => {
            if let (None, Some(left)) = (queued, left) {
                resource.counter = left;
                g.warp.queued = Some(resource.phase);
            }
            drop(resources);
            return wait(g, op);
        }
    }
    Step::Next
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("gws::init", |_| Some(init)),
    group("gws::release", |_| Some(release)),
    group("gws::release_one", |_| Some(release_one)),
    group("gws::release_all", |_| Some(release_all)),
    group("gws::acquire", |_| Some(acquire)),
    group("gws::barrier", |_| Some(barrier)),
];
