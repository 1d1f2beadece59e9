//! What the blocks of a cluster share: their shared memory and the cluster's barrier.
//!
//! One worker runs all blocks of a cluster, so nothing here needs a lock. Without clusters every block is a cluster of its own.
//!
//! A shared address is `rank << 24 | offset`, in the shared window of the generic space, too: so the address of a variable differs from
//! block to block, and clearing a bit of it reaches another block, as programs do. PTX ISA 9.4, 5.1.7 (shared state space), 9.7.10.26
//! (mapa), 9.7.15.3 (barrier.cluster).

use crate::job::Job;
use crate::mbarrier::Object;
use crate::memory::Bytes;
use crate::proxy::Fences;
use crate::shadow::{GlobalShadow, Shadow};
use crate::split::Counted;
use crate::state::FaultKind;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Where the rank begins in a shared address.
pub const RANK_SHIFT: u32 = 24;
/// Bytes of shared addresses that one block has.
pub const BLOCK_WINDOW: u64 = 1 << RANK_SHIFT;
/// Blocks of the greatest cluster.
pub const MAX_BLOCKS: u32 = 16;

/// The rank that a shared address names.
pub fn rank_of(address: u64) -> u32 {
    (address >> RANK_SHIFT) as u32
}

/// What a cluster's blocks share.
pub struct Cluster {
    /// Its index in the grid, counted in clusters.
    pub index: [u32; 3],
    /// Where its threads meet.
    pub barrier: Meeting,
    /// Where AMD's blocks of gfx125 meet: one wavefront of each arrives.
    pub split: Counted,
    /// Changes of memory barrier objects and steps of jobs so far: who waits may find something new.
    pub changes: u64,
    /// Phases of memory barrier objects that have ended.
    pub phases: u64,
    /// The state of what chooses at random, where something does.
    pub random: Option<u64>,
    /// Counts what is noted of accesses.
    pub(crate) time: u64,
    /// When one of its threads last synchronised with other clusters.
    pub(crate) synchronised: u64,
    blocks: Vec<Peer>,
    /// Memory barrier objects by their shared addresses.
    pub(crate) mbarriers: BTreeMap<u32, Object>,
    /// Shared addresses within which they lie.
    pub(crate) objects: std::ops::Range<u32>,
    /// What is known of writes to global memory, where they are watched; it has the clock, too.
    pub(crate) global: Option<Arc<GlobalShadow>>,
    /// When the asynchronous proxy last came to know what was written to shared memory.
    pub(crate) fences: Fences,
    /// Whether lanes have started copies of their own, so that reads by others are looked at.
    pub(crate) copies: bool,
    /// Asynchronous work, in the order in which it was issued.
    pub(crate) jobs: VecDeque<Job>,
    /// Room for what a job reads.
    pub(crate) buffer: Vec<u8>,
}

/// A block as the others see it.
struct Peer {
    shared: Bytes,
    /// Threads that have not exited.
    live: u32,
    /// What is known of accesses to it.
    shadow: Shadow,
}

/// A range of a block's shared memory on the host: where offset 0 is, and how many bytes there are.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The first byte.
    pub host: *mut u8,
    /// Bytes.
    pub len: u64,
}

impl Cluster {
    /// So many blocks with `shared` bytes of shared memory each.
    pub fn new(blocks: u32, shared: u32) -> Self {
        let peer = |_| Peer { shared: Bytes::new(shared), live: 0, shadow: Shadow::default() };
        Cluster {
            index: [0; 3],
            barrier: Meeting::default(),
            split: Counted::default(),
            changes: 0,
            phases: 0,
            random: None,
            time: 0,
            synchronised: 0,
            blocks: (0..blocks).map(peer).collect(),
            mbarriers: BTreeMap::new(),
            objects: 0..0,
            global: None,
            fences: Fences::default(),
            copies: false,
            jobs: VecDeque::new(),
            buffer: Vec::new(),
        }
    }

    /// Makes it one that has not begun, with `threads` in each block.
    pub fn begin(&mut self, index: [u32; 3], threads: u32) {
        self.index = index;
        self.time = 0;
        self.synchronised = 0;
        self.mbarriers.clear();
        self.objects = 0..0;
        self.fences.clear();
        self.copies = false;
        self.jobs.clear();
        self.split = Counted::default();
        self.barrier = Meeting { live: threads * self.blocks.len() as u32, ..Meeting::default() };
        for block in &mut self.blocks {
            block.shared.clear();
            block.live = threads;
            block.shadow.clear();
        }
    }

    /// Notes writes to global memory there, from now on.
    pub fn watch_global(&mut self, global: Option<Arc<GlobalShadow>>) {
        self.global = global;
    }

    /// How many blocks it has.
    pub fn blocks(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// Threads of a block that have not exited.
    pub fn live(&self, rank: u32) -> u32 {
        self.blocks.get(rank as usize).map_or(0, |block| block.live)
    }

    /// Blocks that have not exited.
    pub fn live_blocks(&self) -> u32 {
        self.blocks.iter().filter(|block| block.live > 0).count() as u32
    }

    /// Counts arrivals of threads at the cluster's barrier.
    pub fn arrive(&mut self, threads: u32) {
        let now = self.now();
        self.barrier.arrive(threads, now);
    }

    /// Takes notice that threads of a block have exited, some of which had arrived at the barrier's current phase.
    pub fn exited(&mut self, rank: u32, threads: u32, arrived: u32) {
        self.blocks[rank as usize].live -= threads;
        let now = self.now();
        self.split.look(self.live_blocks(), now);
        self.barrier.exited(threads, arrived, now);
    }

    /// The shared memory of a block, whether or not the block still runs.
    pub fn shared(&mut self, rank: u32) -> Option<Place> {
        let shared = &mut self.blocks.get_mut(rank as usize)?.shared;
        Some(Place { len: u64::from(shared.len()), host: shared.place_mut() })
    }

    /// What is known of accesses to a block's shared memory.
    pub(crate) fn shadow(&mut self, rank: u32) -> Option<&mut Shadow> {
        Some(&mut self.blocks.get_mut(rank as usize)?.shadow)
    }

    /// The same, to look at.
    pub(crate) fn shadow_of(&self, rank: u32) -> Option<&Shadow> {
        Some(&self.blocks.get(rank as usize)?.shadow)
    }

    /// A random number below `below`, 0 where nothing is random.
    pub fn chance(&mut self, below: u64) -> u64 {
        let Some(state) = &mut self.random else { return 0 };
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state % below
    }

    /// The shared memory of a block that others may access: one that still runs.
    ///
    /// # Errors
    /// There is no such block, or it has exited.
    pub fn peer(&mut self, rank: u32) -> Result<Place, FaultKind> {
        let blocks = self.blocks();
        if rank >= blocks {
            return Err(FaultKind::NoBlock { rank, blocks });
        }
        if self.live(rank) == 0 {
            return Err(FaultKind::ExitedBlock { rank });
        }
        self.shared(rank).ok_or(FaultKind::NoBlock { rank, blocks })
    }
}

/// The barrier of a cluster: a phase ends when all threads of the cluster that have not exited have arrived.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meeting {
    /// The current phase, counted from 0, around.
    pub phase: u32,
    /// When the last one ended, in counts of watched accesses.
    pub ended: u64,
    here: u32,
    live: u32,
}

impl Meeting {
    fn arrive(&mut self, threads: u32, now: u64) {
        self.here += threads;
        self.complete(now);
    }

    fn exited(&mut self, threads: u32, arrived: u32, now: u64) {
        self.live -= threads;
        self.here -= arrived;
        self.complete(now);
    }

    fn complete(&mut self, now: u64) {
        if self.live > 0 && self.here == self.live {
            self.ended = now;
            self.phase = self.phase.wrapping_add(1);
            self.here = 0;
        }
    }

    /// Threads that have arrived, and that are expected.
    pub fn count(&self) -> (u32, u32) {
        (self.here, self.live)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_threads_of_all_blocks_meet() {
        let mut cluster = Cluster::new(2, 16);
        cluster.begin([0; 3], 32);
        cluster.arrive(32);
        assert_eq!((cluster.barrier.phase, cluster.barrier.count()), (0, (32, 64)));
        cluster.arrive(32);
        assert_eq!((cluster.barrier.phase, cluster.barrier.count()), (1, (0, 64)));
    }

    #[test]
    fn exits_complete_a_phase_and_end_access() {
        let mut cluster = Cluster::new(2, 16);
        cluster.begin([0; 3], 32);
        cluster.arrive(48);
        cluster.exited(1, 8, 8);
        assert_eq!(cluster.barrier.count(), (40, 56));
        cluster.exited(1, 16, 0);
        assert_eq!(cluster.barrier.phase, 1);
        assert!(cluster.peer(1).is_ok_and(|place| place.len == 16));
        cluster.exited(1, 8, 0);
        assert_eq!(cluster.peer(1).err(), Some(FaultKind::ExitedBlock { rank: 1 }));
        assert_eq!(cluster.peer(2).err(), Some(FaultKind::NoBlock { rank: 2, blocks: 2 }));
    }
}
