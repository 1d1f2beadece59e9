//! Barriers of AMD's blocks and clusters at which arriving and waiting are apart (gfx12).
//!
//! A barrier counts wavefronts that arrive; when as many have as it has members, its phase is complete and the next one begins. A wavefront waits for the phase
//! that it has not seen the end of: of the block's barrier, of its cluster's, or of the named one that it has joined last. What [`crate::barrier`] has is
//! counted in threads and by PTX's rules.
//!
//! LLVM, AMDGPUExecutionSynchronization; AMD RDNA 4 ISA guide, S_BARRIER_*.

use crate::barrier::MAX_WARPS;

/// Named barriers of a block: 1 to 16. The block's own one is number 0 here, though programs call it -1.
pub const NAMED: usize = 16;

/// One barrier.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// Wavefronts that complete a phase, of a named one.
    pub members: u32,
    /// Those that have arrived in this phase.
    pub arrived: u32,
    /// How many phases are complete.
    pub phase: u32,
    /// When the last one was, in the caller's counts.
    pub ended: u64,
}

impl Counted {
    /// Counts an arrival.
    pub fn arrive(&mut self, members: u32, now: u64) {
        self.arrived += 1;
        self.look(members, now);
    }

    /// Completes the phase if all members have arrived.
    pub fn look(&mut self, members: u32, now: u64) {
        if self.arrived > 0 && self.arrived >= members {
            *self = Counted { arrived: 0, phase: self.phase.wrapping_add(1), ended: now, ..*self };
        }
    }
}

/// What a wavefront has to do with barriers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Member {
    /// The named barrier that it has joined; 0 for none.
    pub joined: u8,
    /// Phases whose end it has seen: of the block's barrier, of the one that it has joined, of the cluster's.
    pub seen: [u32; 3],
    /// The phase of the block's barrier at which it arrived last, and 1: 0 for never.
    pub arrived: u32,
}

/// The barriers of a block.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// The block's own, then those with names.
    pub barriers: [Counted; NAMED + 1],
    /// Its wavefronts.
    pub members: [Member; MAX_WARPS],
    /// Whether any of it was used since the block began.
    pub used: bool,
}

impl Default for Split {
    fn default() -> Split {
        Split { barriers: Default::default(), members: [Member::default(); MAX_WARPS], used: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_ends_when_all_members_have_arrived() {
        let mut barrier = Counted::default();
        barrier.arrive(2, 5);
        assert_eq!((barrier.arrived, barrier.phase), (1, 0));
        barrier.arrive(2, 6);
        assert_eq!((barrier.arrived, barrier.phase, barrier.ended), (0, 1, 6));
    }

    #[test]
    fn who_leaves_may_end_a_phase() {
        let mut barrier = Counted::default();
        barrier.look(0, 1);
        assert_eq!(barrier.phase, 0);
        barrier.arrive(2, 1);
        barrier.look(1, 2);
        assert_eq!((barrier.arrived, barrier.phase), (0, 1));
    }
}
