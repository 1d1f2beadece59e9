//! Accesses that nothing orders: of the two proxies, of jobs and threads, of blocks of a cluster.
//!
//! PTX ISA 9.4, 8.6 (proxies), 9.7.10.28.2 (async proxy), 9.7.15.4 (fence.proxy). Copies and reductions of ranges go through the
//! asynchronous proxy: what a thread wrote is there for them only after `fence.proxy.async`, of the thread itself or of one that has
//! synchronised with it since. A job that reads bytes which were written before it was issued and not fenced since is wrong, though
//! hardware may give the right ones. Nor may it read what another warp wrote, or a thread write what a job has read, or access what another block of the cluster
//! wrote, unless the thread has synchronised since. Only kernels with asynchronous work or clusters pay for it.
//!
//! Who synchronised with whom is known by times alone: when a thread last did with others of its block, with other blocks of its cluster, and with other
//! clusters, whoever took part. A barrier of the block tells its threads no more of other blocks than one of them knew. A fence also covers what
//! others wrote before its thread's last synchronisation with such as them, and threads of one warp are taken to be in step. So some mistakes are not noticed;
//! where there is none, none is told. Of global memory only fences are looked at ([`crate::shadow::GlobalShadow`]).

use crate::cluster::{Cluster, RANK_SHIFT};
use crate::job::{Broken, Source, Work};
use crate::mbarrier::Site;
use crate::memory::{Memory, SHARED_WINDOW, Touch};
use crate::shadow::{Read, Write};
use crate::state::{Access, FaultKind, Rule, lanes};
use crate::{Group, LANES};

/// The memory that a proxy fence is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fenced {
    /// Shared memory.
    Shared,
    /// Global memory.
    Global,
}

/// How far threads that synchronise are apart at the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// They are of one block.
    Block,
    /// They are of one cluster.
    Cluster,
    /// They are of any clusters.
    Grid,
}

/// When a thread last synchronised with others of its block, with other blocks of its cluster, and with other clusters ([`Reach`]), in counts of watched
/// accesses.
pub type Synchronised = [u64; 3];

/// When what the threads of a cluster wrote was last fenced, for one kind of memory.
#[derive(Debug, Default)]
pub(crate) struct Fences {
    /// What each thread wrote itself.
    own: Vec<[u64; LANES]>,
    /// What others wrote, for each block whose threads fenced it: others of the block, and other blocks.
    others: Vec<[u64; 2]>,
}

impl Fences {
    pub fn clear(&mut self) {
        self.own.clear();
        self.others.clear();
    }

    fn warp(site: Site) -> usize {
        site.rank as usize * crate::barrier::MAX_WARPS + site.warp as usize
    }

    /// Notes that lanes of a warp fence at `now` what they wrote, and what they have synchronised with.
    pub fn fence(&mut self, now: u64, (rank, warp): (u32, u32), mask: u32, synchronised: &[Synchronised; LANES]) {
        let place = Fences::warp(Site { rank, warp, ..Site::default() });
        if self.own.len() <= place {
            self.own.resize(place + 1, [0; LANES]);
        }
        if self.others.len() <= rank as usize {
            self.others.resize(rank as usize + 1, [0; 2]);
        }
        let others = &mut self.others[rank as usize];
        for lane in lanes(mask) {
            self.own[place][lane] = now;
            let [block, cluster, _] = synchronised[lane];
            *others = [others[0].max(block), others[1].max(cluster)];
        }
    }

    /// Whether a write was fenced since.
    pub fn cover(&self, write: &Write) -> bool {
        let own = self.own.get(Fences::warp(write.site)).map_or(0, |times| times[write.site.lane as usize]);
        let fenced = |(rank, times): (usize, &[u64; 2])| times[usize::from(rank != write.site.rank as usize)];
        write.time <= own || self.others.iter().enumerate().map(fenced).any(|time| write.time <= time)
    }

    /// Until when all that the threads of a cluster of so many blocks wrote is fenced.
    fn until(&self, blocks: u32) -> u64 {
        let known = |times: &[u64; 2]| if blocks == 1 { times[0] } else { times[0].min(times[1]) };
        self.others.iter().map(known).max().unwrap_or(0)
    }
}

/// An access by a thread.
#[derive(Clone, Copy, Debug)]
pub struct Accessor {
    /// Who.
    pub site: Site,
    /// When it last synchronised with other threads.
    pub synchronised: Synchronised,
    /// Whether others that access the same bytes at the same time may meet it.
    pub atomic: bool,
}

impl Accessor {
    /// Whether something was done by another warp since it has synchronised with such as that one.
    fn is_unordered(&self, other: Site, time: u64) -> bool {
        let reach = if other.rank == self.site.rank { Reach::Block } else { Reach::Cluster };
        time > self.synchronised[reach as usize] && (other.rank, other.warp) != (self.site.rank, self.site.warp)
    }

    /// Until when it knows what all threads of a cluster of so many blocks did.
    fn until(&self, blocks: u32) -> u64 {
        let [block, cluster, _] = self.synchronised;
        if blocks == 1 { block } else { block.min(cluster) }
    }
}

/// The offset of a shared address in its block.
fn offset(address: u32) -> u32 {
    address & ((1 << RANK_SHIFT) - 1)
}

impl Cluster {
    /// Now, in counts of watched accesses: of the cluster, or of the launch where clusters may meet in global memory.
    pub fn now(&self) -> u64 {
        self.global.as_ref().map_or(self.time, |global| global.now())
    }

    /// Counts a watched access.
    pub(crate) fn tick(&mut self) -> u64 {
        self.time = self.global.as_ref().map_or(self.time + 1, |global| global.tick());
        self.time
    }

    /// Notes that a thread wrote bytes at a shared address.
    ///
    /// # Errors
    /// Nothing orders that after what others did with them, or there is a live memory barrier object.
    pub(crate) fn note_write(&mut self, address: u32, size: u32, who: Accessor) -> Result<(), FaultKind> {
        let access = if who.atomic { Access::Atomic } else { Access::Write };
        self.no_object(address, size, access)?;
        let (time, blocks) = (self.tick(), self.blocks());
        let rank = address >> RANK_SHIFT;
        if blocks > 1 {
            self.ordered_with_peers(address, size, who, access)?;
        }
        let Some(shadow) = self.shadow(rank) else { return Ok(()) };
        if shadow.latest_read > who.until(blocks)
            && let Some(read) = shadow.reads(offset(address), size).find(|read| who.is_unordered(read.site, read.time))
        {
            return Err(FaultKind::Race { address, size, access, other: read.site, before: Access::Read });
        }
        shadow.write(offset(address), size, Write::new(who.site, time, who.atomic));
        if rank != who.site.rank {
            shadow.by_peers = time;
            shadow.visitor = Some((who.site, time));
        }
        Ok(())
    }

    /// Looks whether a thread may read bytes, and notes that it does where nobody has written them.
    ///
    /// # Errors
    /// It may not.
    pub(crate) fn note_read(&mut self, address: u32, size: u32, who: Accessor) -> Result<(), FaultKind> {
        if self.blocks() > 1 {
            self.ordered_with_peers(address, size, who, Access::Read)?;
        }
        let (rank, start) = (address >> RANK_SHIFT, offset(address));
        let foreign = rank != who.site.rank;
        if !foreign && self.shadow(rank).is_none_or(|shadow| shadow.is_written(start, size)) {
            return Ok(());
        }
        let time = self.tick();
        match self.shadow(rank) {
            Some(shadow) if foreign => shadow.visitor = Some((who.site, time)),
            Some(shadow) => shadow.read_early(Read { start, len: size, site: who.site, time }),
            None => {}
        }
        Ok(())
    }

    /// Who read from a block's memory, before anybody had written there, what asynchronous work wrote afterwards.
    pub fn premature_reader(&self, rank: u32) -> Option<Site> {
        self.shadow_of(rank)?.premature
    }

    /// Who has read bytes that nobody had written and that a job is to write, if nothing orders that before the job, and the bytes.
    pub(crate) fn early_reader(&mut self, address: u32, size: u32, who: Accessor) -> Option<(Site, u32, u32)> {
        let start = address & !((1 << RANK_SHIFT) - 1);
        let shadow = self.shadow(address >> RANK_SHIFT)?;
        let read = shadow.early_reads(offset(address), size).find(|read| who.is_unordered(read.site, read.time))?;
        Some((read.site, start + read.start, read.len))
    }

    /// Looks whether a thread may access bytes that another block has written, or has not written yet.
    ///
    /// # Errors
    /// It may not.
    pub(crate) fn ordered_with_peers(&mut self, address: u32, size: u32, who: Accessor, access: Access) -> Result<(), FaultKind> {
        let rank = address >> RANK_SHIFT;
        let Some(shadow) = self.shadow(rank) else { return Ok(()) };
        if rank == who.site.rank && shadow.by_peers <= who.synchronised[Reach::Cluster as usize] {
            return Ok(());
        }
        let unordered = |write: &&Write| {
            write.site.rank != who.site.rank && who.is_unordered(write.site, write.time) && !(write.atomic && who.atomic)
        };
        if let Some(write) = shadow.writes(offset(address), size).find(unordered) {
            let before = if write.atomic { Access::Atomic } else { Access::Write };
            return Err(FaultKind::Race { address, size, access, other: write.site, before });
        }
        if rank != who.site.rank && access != Access::Write && !shadow.is_written(offset(address), size) {
            return Err(FaultKind::Uninitialised { address, size, access });
        }
        Ok(())
    }

    /// Looks whether a block may exit, whose threads have synchronised with other blocks at `synchronised` at the latest.
    ///
    /// # Errors
    /// Another block has accessed its memory, and nothing makes that come before the exit.
    pub fn check_exit(&mut self, rank: u32, synchronised: u64) -> Result<(), Broken> {
        match self.shadow(rank).and_then(|shadow| shadow.visitor) {
            Some((visitor, time)) if time > synchronised && self.blocks() > 1 => {
                let message = format!(
                    "accesses the shared memory of block {rank} of the cluster, which may have exited by then: it does not wait"
                );
                Err((FaultKind::rule(Rule::Peer, message), visitor))
            }
            _ => Ok(()),
        }
    }

    /// Takes notice of an access to global memory, where one is looked for.
    pub(crate) fn touch(&self, memory: &Memory, address: u64, len: usize, access: Access, site: Site) {
        memory.touch(address, len, access, Touch { site, cluster: self.index });
    }

    /// Notes that a thread wrote bytes in global memory, where that is watched.
    pub(crate) fn note_global_write(&mut self, address: u64, size: u32, who: Accessor) {
        let time = self.tick();
        if let Some(global) = &self.global {
            global.write(address, size, Write::new(who.site, time, who.atomic), self.index);
        }
    }

    /// Notes that the asynchronous proxy wrote bytes in global memory.
    pub(crate) fn note_async_global_write(&self, address: u64, size: u32) {
        if let Some(global) = &self.global {
            global.write_async(address, size);
        }
    }

    /// Notes that the asynchronous proxy wrote bytes at a shared address.
    ///
    /// # Errors
    /// There is a live memory barrier object.
    pub(crate) fn note_async_write(&mut self, address: u32, size: u32) -> Result<(), FaultKind> {
        self.no_object(address, size, Access::Write)?;
        if let Some(shadow) = self.shadow(address >> RANK_SHIFT) {
            shadow.write_async(offset(address), size);
        }
        Ok(())
    }

    /// Notes that a job read bytes at a shared address.
    pub(crate) fn note_async_read(&mut self, address: u32, len: u32, site: Site) {
        let time = self.tick();
        if let Some(shadow) = self.shadow(address >> RANK_SHIFT) {
            shadow.read(Read { start: offset(address), len, site, time });
        }
    }

    /// Looks whether a job that was issued at `time` by `who` may read bytes at a shared address.
    ///
    /// # Errors
    /// They were written before and not fenced, or nothing orders that.
    pub(crate) fn check_async_read(&mut self, address: u32, size: u32, who: Accessor, time: u64) -> Result<(), FaultKind> {
        let (rank, blocks, cluster) = (address >> RANK_SHIFT, self.blocks(), self.index);
        let fences = std::mem::take(&mut self.fences);
        let known = fences.until(blocks).min(who.until(blocks));
        let mut found = Ok(());
        if let Some(shadow) = self.shadow(rank).filter(|shadow| shadow.latest > known) {
            let met = |write: &&Write| write.time <= time && !(write.atomic && who.atomic);
            for write in shadow.writes(offset(address), size).filter(met) {
                if !fences.cover(write) {
                    let (writer, address) = (Touch { site: write.site, cluster }, SHARED_WINDOW + u64::from(address));
                    found = Err(FaultKind::Unfenced { writer, address, size });
                    break;
                }
                if who.is_unordered(write.site, write.time) && found.is_ok() {
                    let (before, access) = (Access::Write, Access::Read);
                    found = Err(FaultKind::Race { address, size, access, other: write.site, before });
                }
            }
        }
        self.fences = fences;
        found
    }

    /// Likewise in global memory, where that is watched.
    ///
    /// # Errors
    /// They were written before and not fenced.
    pub(crate) fn check_async_global(&self, address: u64, size: u32, atomic: bool, time: u64) -> Result<(), FaultKind> {
        match self.global.as_ref().and_then(|global| global.unfenced(address, size, atomic, time, self.index)) {
            Some(writer) => Err(FaultKind::Unfenced { writer, address, size }),
            None => Ok(()),
        }
    }

    /// Whether something has been written to global memory, as far as that is watched.
    pub(crate) fn is_global_written(&self) -> bool {
        self.global.as_ref().is_some_and(|global| global.is_written())
    }

    /// The same of what a job reads in global memory.
    ///
    /// # Errors
    /// As for its parts.
    pub(crate) fn check_global_source(&self, work: &Work, time: u64) -> Result<(), FaultKind> {
        match work {
            Work::Move(Source::Memory(address, size, _), _) => self.check_async_global(*address, *size, false, time),
            Work::Box(boxed) => {
                let mut image = Vec::new();
                boxed.copy.read_global(&mut image, |from, bytes| self.check_async_global(from, bytes.len() as u32, false, time))
            }
            _ => Ok(()),
        }
    }

    /// Fences the writes of lanes of a warp, and all that were done before a lane's last synchronisation.
    fn fence_writes(&mut self, memory: Fenced, warp: (u32, u32), mask: u32, synchronised: &[Synchronised; LANES]) {
        let now = self.tick();
        match (memory, &self.global) {
            (Fenced::Shared, _) => self.fences.fence(now, warp, mask, synchronised),
            (Fenced::Global, Some(global)) => global.fence(now, self.index, warp, mask, synchronised),
            (Fenced::Global, None) => {}
        }
    }
}

impl Group<'_> {
    /// One of its lanes, where accesses are watched.
    pub fn accessor(&self, op: u32, lane: usize, atomic: bool) -> Option<Accessor> {
        let site = Site { op, rank: self.block.rank, warp: self.warp.index, lane: lane as u32 };
        self.watched.then(|| Accessor { site, synchronised: self.warp.synchronised[lane], atomic })
    }

    /// Now, in counts of watched accesses.
    pub fn now(&self) -> u64 {
        self.cluster.now()
    }

    /// Notes that lanes may have synchronised with anybody, where accesses are watched.
    #[inline(always)]
    pub fn synchronised(&mut self, mask: u32) {
        if self.watched {
            self.note_synchronised(mask, Reach::Grid, self.cluster.now());
        }
    }

    /// Notes that lanes have synchronised with what others within reach did until then.
    #[inline(always)]
    pub fn synchronised_at(&mut self, mask: u32, reach: Reach, time: u64) {
        if self.watched {
            self.note_synchronised(mask, reach, time);
        }
    }

    #[inline(never)]
    fn note_synchronised(&mut self, mask: u32, reach: Reach, time: u64) {
        // Of those out of reach they know what one of the others may have known.
        let [cluster, grid] = match reach {
            Reach::Block => self.block.synchronised,
            Reach::Cluster => [time, self.cluster.synchronised],
            Reach::Grid => [time; 2],
        };
        for lane in lanes(mask) {
            raise(&mut self.warp.synchronised[lane], [time, cluster, grid]);
        }
        raise(&mut self.block.synchronised, [cluster, grid]);
        self.cluster.synchronised = self.cluster.synchronised.max(grid);
    }

    /// Notes that lanes of the warp have synchronised with one another: each knows what any knew.
    #[inline(always)]
    pub fn together(&mut self, mask: u32) {
        if self.watched {
            let mut all = Synchronised::default();
            lanes(mask).for_each(|lane| raise(&mut all, self.warp.synchronised[lane]));
            lanes(mask).for_each(|lane| self.warp.synchronised[lane] = all);
        }
    }

    /// Orders what lanes have written, and what they have synchronised with, before what the asynchronous proxy does later.
    pub fn fence_proxy(&mut self, memory: Fenced, mask: u32) {
        if self.watched {
            let warp = (self.block.rank, self.warp.index);
            let synchronised = self.warp.synchronised;
            self.cluster.fence_writes(memory, warp, mask, &synchronised);
        }
    }
}

/// Makes times those that are later.
fn raise<const N: usize>(times: &mut [u64; N], others: [u64; N]) {
    times.iter_mut().zip(others).for_each(|(time, other)| *time = other.max(*time));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shadow::GlobalShadow;
    use std::sync::Arc;

    fn site(warp: u32, lane: u32) -> Site {
        Site { op: 7, rank: 0, warp, lane }
    }

    fn who(site: Site, synchronised: u64) -> Accessor {
        Accessor { site, synchronised: [synchronised; 3], atomic: false }
    }

    fn cluster() -> Cluster {
        let mut cluster = Cluster::new(2, 1024);
        cluster.begin([0; 3], 64);
        cluster
    }

    /// Nobody's synchronisation.
    const NONE: [Synchronised; LANES] = [[0; 3]; LANES];

    /// Who wrote what a job of warp 0 may not read.
    fn unfenced(c: &mut Cluster, address: u32, size: u32, time: u64) -> Option<Site> {
        match c.check_async_read(address, size, who(site(0, 0), u64::MAX), time) {
            Err(FaultKind::Unfenced { writer, .. }) => Some(writer.site),
            _ => None,
        }
    }

    #[test]
    fn a_thread_fences_its_own_writes() {
        let mut c = cluster();
        assert_eq!(c.note_write(16, 8, who(site(0, 3), 0)), Ok(()));
        let now = c.time;
        assert_eq!(unfenced(&mut c, 0, 16, now), None);
        assert_eq!(unfenced(&mut c, 20, 4, now), Some(site(0, 3)));
        // Written after the job was issued: not what the fence is about.
        assert_eq!(unfenced(&mut c, 20, 4, 0), None);
        c.fence_writes(Fenced::Shared, (0, 0), 1 << 4, &NONE);
        assert_eq!(unfenced(&mut c, 16, 4, now), Some(site(0, 3)));
        c.fence_writes(Fenced::Global, (0, 0), 1 << 3, &NONE);
        assert_eq!(unfenced(&mut c, 16, 4, now), Some(site(0, 3)));
        c.fence_writes(Fenced::Shared, (0, 0), 1 << 3, &NONE);
        assert_eq!(unfenced(&mut c, 16, 8, now), None);
        assert_eq!(c.note_write(16, 8, who(site(0, 3), 0)), Ok(()));
        let now = c.time;
        assert_eq!(unfenced(&mut c, 16, 8, now), Some(site(0, 3)));
    }

    #[test]
    fn a_fence_covers_what_was_synchronised_with() {
        let mut c = cluster();
        assert_eq!(c.note_write(0, 4, who(site(1, 0), 0)), Ok(()));
        let seen = c.time;
        assert_eq!(c.note_write(4, 4, who(site(1, 0), 0)), Ok(()));
        let mut synchronised = NONE;
        synchronised[5] = [seen, 0, 0];
        c.fence_writes(Fenced::Shared, (0, 0), 1 << 5, &synchronised);
        let now = c.time;
        assert_eq!(unfenced(&mut c, 0, 4, now), None);
        assert_eq!(unfenced(&mut c, 4, 4, now), Some(site(1, 0)));
        assert_eq!(c.note_async_write(0, 16), Ok(()));
        assert_eq!(unfenced(&mut c, 4, 4, now), None);
    }

    #[test]
    fn a_job_reads_only_what_its_thread_has_synchronised_with() {
        let mut c = cluster();
        assert_eq!(c.note_write(0, 4, who(site(1, 0), 0)), Ok(()));
        c.fence_writes(Fenced::Shared, (0, 1), 1, &NONE);
        let now = c.time;
        let race = FaultKind::Race { address: 0, size: 4, access: Access::Read, other: site(1, 0), before: Access::Write };
        assert_eq!(c.check_async_read(0, 4, who(site(0, 0), 0), now), Err(race));
        assert_eq!(c.check_async_read(0, 4, who(site(0, 0), now), now), Ok(()));
        assert_eq!(c.check_async_read(0, 4, who(site(1, 9), 0), now), Ok(()));
    }

    #[test]
    fn what_a_job_has_read_is_written_only_by_those_who_know() {
        let mut c = cluster();
        c.note_async_read(64, 64, site(0, 0));
        let now = c.time;
        assert_eq!(c.note_write(128, 4, who(site(1, 0), 0)), Ok(()));
        assert_eq!(c.note_write(124, 4, who(site(1, 0), now)), Ok(()));
        let race = FaultKind::Race { address: 124, size: 4, access: Access::Write, other: site(0, 0), before: Access::Read };
        assert_eq!(c.note_write(124, 4, who(site(1, 0), 0)), Err(race));
    }

    #[test]
    fn blocks_must_synchronise() {
        let mut c = cluster();
        let peer = Site { op: 3, rank: 1, warp: 0, lane: 0 };
        let at = 1 << RANK_SHIFT | 64;
        let counting = |site, synchronised| Accessor { atomic: true, ..who(site, synchronised) };
        // Nobody has written there yet.
        let early = c.note_write(at, 4, counting(site(0, 0), 0));
        assert_eq!(early, Err(FaultKind::Uninitialised { address: at, size: 4, access: Access::Atomic }));
        assert_eq!(c.note_write(at, 4, who(peer, 0)), Ok(()));
        let race = FaultKind::Race { address: at, size: 4, access: Access::Atomic, other: peer, before: Access::Write };
        assert_eq!(c.note_write(at, 4, counting(site(0, 0), 0)), Err(race));
        let now = c.time;
        assert_eq!(c.note_write(at, 4, counting(site(0, 0), now)), Ok(()));
        // Atomic ones may meet; reading needs more.
        assert_eq!(c.note_write(at, 4, counting(peer, 0)), Ok(()));
        assert_eq!(c.note_write(at, 4, counting(site(0, 1), now)), Ok(()));
        assert!(c.ordered_with_peers(at, 4, who(peer, now), Access::Read).is_err());
        let later = c.time;
        assert_eq!(c.ordered_with_peers(at, 4, who(peer, later), Access::Read), Ok(()));
    }

    #[test]
    fn a_barrier_of_the_block_does_not_order_other_blocks() {
        let mut c = cluster();
        let peer = Site { op: 3, rank: 1, warp: 0, lane: 0 };
        let at = 1 << RANK_SHIFT | 64;
        assert_eq!(c.note_write(at, 4, who(peer, 0)), Ok(()));
        let now = c.time;
        let own_block = Accessor { site: site(0, 0), synchronised: [now, 0, 0], atomic: false };
        assert!(c.ordered_with_peers(at, 4, own_block, Access::Read).is_err());
        let cluster = Accessor { synchronised: [now, now, 0], ..own_block };
        assert_eq!(c.ordered_with_peers(at, 4, cluster, Access::Read), Ok(()));
        // Nor does a fence behind such a barrier cover what they wrote.
        let read = |c: &mut Cluster| c.check_async_read(at, 4, who(site(0, 0), u64::MAX), u64::MAX);
        c.fence_writes(Fenced::Shared, (0, 0), 1, &[[now, 0, 0]; LANES]);
        assert!(read(&mut c).is_err());
        c.fence_writes(Fenced::Shared, (0, 0), 1, &[[now, now, 0]; LANES]);
        assert_eq!(read(&mut c), Ok(()));
    }

    /// Two clusters of a launch.
    fn clusters() -> [Cluster; 2] {
        let global = Arc::new(GlobalShadow::default());
        [0, 1].map(|x| {
            let mut cluster = Cluster::new(1, 64);
            cluster.watch_global(Some(Arc::clone(&global)));
            cluster.begin([x, 0, 0], 64);
            cluster
        })
    }

    #[test]
    fn global_memory_has_fences_of_its_own() {
        let [mut c, _] = clusters();
        c.note_global_write(0x7f00_0000_0100, 4, who(site(0, 2), 0));
        let now = c.now();
        let writer = Touch { site: site(0, 2), cluster: [0; 3] };
        let wrong = FaultKind::Unfenced { writer, address: 0x7f00_0000_00f0, size: 32 };
        assert_eq!(c.check_async_global(0x7f00_0000_00f0, 32, false, now), Err(wrong));
        assert_eq!(c.check_async_global(0x7f00_0000_00f0, 16, false, now), Ok(()));
        c.fence_writes(Fenced::Shared, (0, 0), 1 << 2, &NONE);
        assert!(c.check_async_global(0x7f00_0000_00f0, 32, false, now).is_err());
        c.fence_writes(Fenced::Global, (0, 0), 1 << 2, &NONE);
        assert_eq!(c.check_async_global(0x7f00_0000_00f0, 32, false, now), Ok(()));
    }

    #[test]
    fn what_another_cluster_wrote_needs_a_fence_of_either() {
        let (at, len) = (0x7f00_0000_0100, 16);
        let [mut writer, mut reader] = clusters();
        writer.note_global_write(at, 4, who(site(0, 2), 0));
        let now = reader.now();
        let wrong = FaultKind::Unfenced { writer: Touch { site: site(0, 2), cluster: [0; 3] }, address: at, size: len };
        assert_eq!(reader.check_async_global(at, len, false, now), Err(wrong.clone()));
        // A fence of the reader covers what it has synchronised with.
        reader.fence_writes(Fenced::Global, (0, 0), 1, &[[now, now, now - 1]; LANES]);
        assert_eq!(reader.check_async_global(at, len, false, now), Err(wrong));
        reader.fence_writes(Fenced::Global, (0, 0), 1, &[[0, 0, now]; LANES]);
        assert_eq!(reader.check_async_global(at, len, false, now), Ok(()));
        // So does one of the writer, and what the asynchronous proxy wrote needs none.
        writer.note_global_write(at + 8, 4, who(site(0, 2), 0));
        let now = reader.now();
        assert!(reader.check_async_global(at, len, false, now).is_err());
        writer.fence_writes(Fenced::Global, (0, 0), 1 << 2, &NONE);
        assert_eq!(reader.check_async_global(at, len, false, now), Ok(()));
        writer.note_global_write(at, 16, who(site(0, 2), 0));
        let now = reader.now();
        assert!(reader.check_async_global(at, len, false, now).is_err());
        reader.note_async_global_write(at, 16);
        assert_eq!(reader.check_async_global(at, len, false, now), Ok(()));
    }
}
