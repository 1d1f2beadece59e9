//! The sixteen barriers of a block.
//!
//! A warp has arrived at a barrier when each of its threads that has not exited has (PTX ISA 9.4, 9.7.15.1). A phase completes
//! when as many warps have arrived as the count says, or every thread of the block that has not exited. Threads that wait are
//! then released; a new phase begins only when all of them have left, so that each finds the outcome of its own phase.

use crate::LANES;

/// Warps of the greatest block.
pub const MAX_WARPS: usize = 1024 / LANES;

/// Threads that complete a phase when the whole block takes part.
pub const ALL: u32 = u32::MAX;

/// One barrier.
#[derive(Clone, Copy, Debug, Default)]
pub struct Barrier {
    /// Threads that complete the phase, a multiple of 32, or [`ALL`]; 0 while nobody has arrived.
    pub expected: u32,
    /// Lanes of each warp that have arrived and not exited.
    arrived: [u32; MAX_WARPS],
    /// How many they are.
    here: u32,
    /// Threads of the phase that wait.
    waiting: u32,
    /// Threads released from the last phase that have not left yet.
    leaving: u32,
    /// Warps that have arrived, as a mask.
    warps: u32,
    /// Predicates so far: how many were true, and of how many.
    votes: [u32; 2],
    /// The same of the last completed phase.
    outcome: [u32; 2],
    /// When it was completed, in the caller's counts.
    ended: u64,
}

/// What an arrival does to the thread that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Released threads have not left yet: come again.
    Busy,
    /// The phase goes on.
    Open,
    /// The phase is complete.
    Complete,
    /// This thread has arrived in this phase before.
    Twice,
    /// Others use the barrier with this count of threads.
    OtherCount(u32),
}

/// Lanes of one warp that arrive together.
#[derive(Clone, Copy, Debug)]
pub struct Arriving {
    /// Index of the warp in the block.
    pub warp: u32,
    /// The lanes.
    pub lanes: u32,
    /// Lanes of the warp that have not exited.
    pub live: u32,
    /// Lanes whose predicate is true; `None` where nothing is reduced.
    pub votes: Option<u32>,
    /// Whether they wait for the others.
    pub wait: bool,
    /// When they do, in counts of the caller's.
    pub now: u64,
}

impl Barrier {
    /// Counts an arrival; `block_live` threads of the block have not exited. Where it completes the phase, those who arrive
    /// now need not wait; all others are released.
    pub fn arrive(&mut self, who: Arriving, expected: u32, block_live: u32) -> Arrival {
        if self.leaving != 0 {
            return Arrival::Busy;
        }
        if self.expected != 0 && self.expected != expected {
            return Arrival::OtherCount(self.expected);
        }
        let arrived = &mut self.arrived[who.warp as usize];
        if *arrived & who.lanes != 0 {
            return Arrival::Twice;
        }
        *arrived |= who.lanes;
        self.here += who.lanes.count_ones();
        self.expected = expected;
        if let Some(votes) = who.votes {
            self.votes[0] += (votes & who.lanes).count_ones();
            self.votes[1] += who.lanes.count_ones();
        }
        if self.complete(who.warp, who.live, block_live, who.now) {
            return Arrival::Complete;
        }
        if who.wait {
            self.waiting += who.lanes.count_ones();
        }
        Arrival::Open
    }

    /// Takes notice that lanes of a warp have exited; whether that completes the phase.
    pub fn exited(&mut self, warp: u32, lanes: u32, live: u32, block_live: u32, now: u64) -> bool {
        if self.expected == 0 {
            return false;
        }
        let arrived = &mut self.arrived[warp as usize];
        self.here -= (*arrived & lanes).count_ones();
        *arrived &= !lanes;
        self.complete(warp, live, block_live, now)
    }

    /// Completes the phase if everyone is here.
    fn complete(&mut self, warp: u32, live: u32, block_live: u32, now: u64) -> bool {
        let arrived = self.arrived[warp as usize];
        // A warp that arrived without waiting and then exited has arrived all the same.
        if live & !arrived == 0 && (arrived != 0 || live == 0 && self.warps >> warp & 1 != 0) {
            self.warps |= 1 << warp;
        }
        let here = match self.expected {
            ALL => self.here >= block_live,
            count => self.warps.count_ones() * LANES as u32 >= count,
        };
        if here {
            *self = Barrier { leaving: self.waiting, outcome: self.votes, ended: now, ..Barrier::default() };
        }
        here
    }

    /// Whether threads that wait here may go on.
    pub fn released(&self) -> bool {
        self.leaving != 0
    }

    /// Lets `count` released threads go and tells the outcome: how many predicates were true, and of how many.
    pub fn leave(&mut self, count: u32) -> [u32; 2] {
        self.leaving -= count;
        self.outcome
    }

    /// The outcome of the phase that has just been completed.
    pub fn outcome(&self) -> [u32; 2] {
        self.outcome
    }

    /// When the last completed phase was.
    pub fn ended(&self) -> u64 {
        self.ended
    }

    /// Threads that have arrived, and that are expected of a block with `block_live` threads left.
    pub fn count(&self, block_live: u32) -> (u32, u32) {
        (self.here, if self.expected == ALL { block_live } else { self.expected })
    }

    /// Whether nobody has used it since it was made or reset.
    pub fn fresh(&self) -> bool {
        self.expected == 0 && self.leaving == 0
    }

    /// Whether a phase has begun and is not complete.
    pub fn open(&self) -> bool {
        self.expected != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warp(warp: u32, lanes: u32, live: u32) -> Arriving {
        Arriving { warp, lanes, live, votes: None, wait: true, now: 7 }
    }

    #[test]
    fn all_threads_of_the_block() {
        let mut b = Barrier::default();
        assert_eq!(b.arrive(warp(0, !0, !0), ALL, 48), Arrival::Open);
        assert!(!b.released());
        assert_eq!(b.arrive(warp(1, 0xffff, 0xffff), ALL, 48), Arrival::Complete);
        assert!(b.released());
        // The first warp has not left: a second phase cannot begin.
        assert_eq!(b.arrive(warp(1, 0xffff, 0xffff), ALL, 48), Arrival::Busy);
        b.leave(32);
        assert_eq!(b.arrive(warp(1, 0xffff, 0xffff), ALL, 48), Arrival::Open);
    }

    #[test]
    fn lanes_of_a_warp_may_come_one_by_one() {
        let mut b = Barrier::default();
        assert_eq!(b.arrive(warp(0, 0x0000_ffff, !0), 64, 64), Arrival::Open);
        assert_eq!(b.arrive(warp(1, !0, !0), 64, 64), Arrival::Open);
        assert_eq!(b.arrive(warp(0, 0xffff_0000, !0), 64, 64), Arrival::Complete);
    }

    #[test]
    fn a_partial_warp_counts_in_full() {
        let mut b = Barrier::default();
        assert_eq!(b.arrive(warp(1, 1, 1), 64, 33), Arrival::Open);
        assert_eq!(b.arrive(warp(0, !0, !0), 64, 33), Arrival::Complete);
    }

    #[test]
    fn exits_complete_a_phase() {
        let mut b = Barrier::default();
        assert_eq!(b.arrive(warp(0, 0xff, !0), ALL, 32), Arrival::Open);
        assert!(b.exited(0, !0xff, 0xff, 8, 9) && b.ended() == 9);
        let mut b = Barrier::default();
        assert_eq!(b.arrive(warp(0, 0xff, !0), 32, 64), Arrival::Open);
        assert!(b.exited(0, !0xff, 0xff, 40, 9));
    }

    #[test]
    fn who_arrives_without_waiting_and_exits_still_counts_as_a_warp() {
        let mut b = Barrier::default();
        let producer = Arriving { wait: false, ..warp(0, !0, !0) };
        assert_eq!(b.arrive(producer, 64, 64), Arrival::Open);
        assert!(!b.exited(0, !0, 0, 32, 9));
        assert_eq!(b.arrive(warp(1, !0, !0), 64, 32), Arrival::Complete);
    }

    #[test]
    fn misuse_is_told() {
        let mut b = Barrier::default();
        let producer = Arriving { wait: false, ..warp(0, !0, !0) };
        b.arrive(producer, 64, 64);
        assert_eq!(b.arrive(producer, 64, 64), Arrival::Twice);
        assert_eq!(b.arrive(warp(1, !0, !0), 96, 64), Arrival::OtherCount(64));
    }

    #[test]
    fn votes_are_kept_until_everyone_has_left() {
        let mut b = Barrier::default();
        b.arrive(Arriving { votes: Some(0xf), ..warp(0, !0, !0) }, ALL, 64);
        assert_eq!(b.arrive(Arriving { votes: Some(!0), ..warp(1, !0, !0) }, ALL, 64), Arrival::Complete);
        assert_eq!(b.outcome(), [36, 64]);
        assert_eq!(b.leave(32), [36, 64]);
        assert!(!b.released());
    }
}
