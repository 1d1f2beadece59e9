//! Asynchronous work: what is queued when it is issued and done when a policy says so.
//!
//! PTX ISA 9.4, 9.7.10.28.1 (completion). A job reads its source, writes what it read, and tells that it is done: a memory barrier object,
//! or the thread that waits for its group. The first two are apart, since programs may only rely on what they have waited for: a source that
//! is overwritten too early must show. Jobs belong to a cluster and so to one worker; nothing here needs a lock.
//!
//! When they run is the launch's [`Policy`]. Late, the default: when a thread waits for them; when nothing else of the cluster can go
//! on, one after the other; or when the cluster ends. Early: at once. Seeded: now and then, in any order, reading and writing apart.

use crate::boxes::Boxed;
use crate::cluster::{Cluster, RANK_SHIFT};
use crate::mbarrier::{Arrival, Site, shown};
use crate::memory::{Cells, Memory, SHARED_WINDOW, SHARED_WINDOW_SIZE, copy_in, copy_out};
use crate::mods::{Operation, Report};
use crate::pieces::{Kind, Pieces};
use crate::proxy::{Accessor, Synchronised};
use crate::state::{Access, FaultKind, Rule, lanes};
use crate::tensor::Direction;
use crate::{Group, LANES};

/// When jobs run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// As late as the program can tell.
    #[default]
    Late,
    /// When they are issued.
    Early,
    /// At random moments, in random order.
    Seeded,
}

/// What a job does.
#[derive(Clone, Debug)]
pub enum Work {
    /// Moves a range of bytes.
    Move(Source, Target),
    /// Copies a few bytes for each of some lanes of a warp.
    Lanes(Box<LaneCopies>),
    /// Moves a box of a tensor.
    Box(Box<Boxed>),
    /// Arrives for lanes of a warp once their copies are done.
    Arrive(Box<LaneArrivals>),
    /// Moves bytes of an AMD wavefront.
    Pieces(Box<Pieces>),
}

/// Where bytes come from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// A range at a generic address, without so many bytes at its start and its end.
    Memory(u64, u32, [u8; 2]),
    /// The first bytes of a value.
    Value([u8; 16], u8),
}

/// Where bytes go.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// A generic address.
    pub address: u64,
    /// Blocks of the cluster that get them at this offset, as a mask of ranks; only the address's own if it is zero.
    pub ranks: u32,
    /// How they get there.
    pub write: Write,
}

impl Source {
    /// Bytes.
    pub(crate) fn len(&self) -> u32 {
        match self {
            Source::Memory(_, len, _) => *len,
            Source::Value(_, len) => u32::from(*len),
        }
    }
}

impl Target {
    /// The addresses at which the bytes are written.
    pub(crate) fn places(&self) -> impl Iterator<Item = u64> {
        let Target { address, ranks, .. } = *self;
        lanes(ranks.max(1)).map(move |rank| if ranks == 0 { address } else { in_block(address, rank as u32) })
    }
}

/// How bytes get to their target.
#[derive(Clone, Copy, Debug)]
pub enum Write {
    /// They replace what is there.
    Copy,
    /// Of every sixteen those whose bit is set do.
    Some(u16),
    /// Elements are combined with what is there.
    Reduce(Operation, Reducer),
}

/// Combines the elements in a range with those of `bytes`.
pub type Reducer = fn(Operation, &mut Cells, &[u8]);

/// Copies of lanes.
#[derive(Clone, Debug)]
pub struct LaneCopies {
    /// Generic addresses of sources.
    pub from: [u64; LANES],
    /// Generic addresses of targets.
    pub to: [u64; LANES],
    /// Bytes of each lane's copy.
    pub size: u8,
    /// How many of them are read; the rest is zero.
    pub filled: [u8; LANES],
    /// The group of its thread that a lane's copy is of, counted from 0.
    pub group: [u32; LANES],
    /// Lanes whose copies are not done.
    pub lanes: u32,
    /// Who writes, where writes are watched, and when the lanes had synchronised with others.
    pub watched: Option<(Site, [Synchronised; LANES])>,
}

/// Arrivals of lanes.
#[derive(Clone, Debug)]
pub struct LaneArrivals {
    /// Shared addresses of the objects.
    pub at: [u32; LANES],
    /// Lanes that have not arrived.
    pub lanes: u32,
}

/// Who is told that a job is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// Nobody.
    None,
    /// A memory barrier object at a shared address, of so many bytes.
    Mbarrier(u32, u32),
    /// The issuing thread, by the number of its bulk group.
    Group(u32),
    /// The issuing wavefront, by a counter of what is of this kind.
    Counter(Kind),
}

/// Asynchronous work.
#[derive(Clone, Debug)]
pub struct Job {
    /// What is done.
    pub work: Work,
    /// Who is told.
    pub completion: Completion,
    /// Who issued it.
    pub site: Site,
    /// What it reports to the memory barrier object.
    report: Report,
    /// When it was issued, in counts of watched accesses.
    time: u64,
    /// When the thread that issued it had last synchronised with others.
    synchronised: Synchronised,
    /// What has been read.
    read: Option<Vec<u8>>,
}

impl Job {
    /// A job that has not begun.
    pub fn new(work: Work, completion: Completion, site: Site) -> Self {
        Job { work, completion, site, report: Report::None, time: 0, synchronised: [0; 3], read: None }
    }

    /// The same, but one that reports on its data.
    pub fn reporting(self, report: Report) -> Self {
        Job { report, ..self }
    }

    /// Whether it tells the memory barrier object at a shared address that it is done; of a multicast, that in any block.
    fn tells(&self, object: u32) -> bool {
        let several = match &self.work {
            Work::Move(_, target) => target.ranks != 0,
            Work::Box(boxed) => boxed.ranks != 0,
            Work::Lanes(_) | Work::Pieces(_) => false,
            Work::Arrive(arrivals) => return lanes(arrivals.lanes).any(|lane| arrivals.at[lane] == object),
        };
        let Completion::Mbarrier(own, _) = self.completion else { return false };
        own == object || several && in_block(own.into(), 0) == in_block(object.into(), 0)
    }

    /// Whether its reading half is done.
    pub(crate) fn has_read(&self) -> bool {
        self.read.is_some()
    }
}

/// What went wrong in a job, and who had issued it.
pub type Broken = (FaultKind, Site);

impl Cluster {
    /// Whether jobs are queued.
    pub fn has_jobs(&self) -> bool {
        !self.jobs.is_empty()
    }

    /// How many jobs are queued.
    pub fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// Queues a job, or does it at once. Its thread had synchronised with others at `synchronised`.
    ///
    /// # Errors
    /// It is done and went wrong.
    pub fn issue(&mut self, memory: &Memory, policy: Policy, synchronised: Synchronised, mut job: Job) -> Result<(), Broken> {
        (job.time, job.synchronised) = (self.now(), synchronised);
        self.check_early_readers(&job)?;
        self.copies |= matches!(job.work, Work::Lanes(_));
        self.jobs.push_back(job);
        if policy == Policy::Early { self.finish_job(memory, self.jobs.len() - 1) } else { Ok(()) }
    }

    /// Looks whether a thread that has not waited for a job has read what it is to write before the job was even issued.
    fn check_early_readers(&mut self, job: &Job) -> Result<(), Broken> {
        let who = Accessor { site: job.site, synchronised: job.synchronised, atomic: false };
        let (places, size): (Vec<u64>, u32) = match &job.work {
            Work::Move(source, target) if is_shared(target.address) => (target.places().collect(), source.len()),
            Work::Box(boxed) if boxed.copy.direction() == Direction::Load => {
                (boxed.places().map(|place| SHARED_WINDOW + u64::from(place)).collect(), boxed.span())
            }
            Work::Lanes(copies) => return self.check_early_lanes(copies, who),
            _ => return Ok(()),
        };
        for place in places {
            if let Some((reader, address, size)) = self.early_reader((place - SHARED_WINDOW) as u32, size, who) {
                let address = SHARED_WINDOW + u64::from(address);
                return Err((FaultKind::Unwaited { job: job.site, address, size, access: Access::Read }, reader));
            }
        }
        Ok(())
    }

    /// Likewise for copies of lanes.
    fn check_early_lanes(&mut self, copies: &LaneCopies, who: Accessor) -> Result<(), Broken> {
        let Some((_, synchronised)) = &copies.watched else { return Ok(()) };
        for lane in lanes(copies.lanes) {
            let site = Site { lane: lane as u32, ..who.site };
            let who = Accessor { site, synchronised: synchronised[lane], atomic: false };
            let at = (copies.to[lane] - SHARED_WINDOW) as u32;
            if let Some((reader, address, size)) = self.early_reader(at, copies.size.into(), who) {
                let address = SHARED_WINDOW + u64::from(address);
                return Err((FaultKind::Unwaited { job: site, address, size, access: Access::Read }, reader));
            }
        }
        Ok(())
    }

    /// The oldest job that tells one of these memory barrier objects that it is done.
    pub fn job_for(&self, objects: impl Iterator<Item = u32>) -> Option<usize> {
        objects.filter_map(|object| self.jobs.iter().position(|job| job.tells(object))).min()
    }

    /// Does all of a job, or the rest of it, and takes it off the queue.
    ///
    /// # Errors
    /// What went wrong.
    pub fn finish_job(&mut self, memory: &Memory, index: usize) -> Result<(), Broken> {
        self.changes += 1;
        match &self.jobs[index].work {
            Work::Pieces(_) => self.finish_pieces(memory, index),
            Work::Move(..) | Work::Box(_) => {
                self.read_job(memory, index)?;
                let Some(mut job) = self.jobs.remove(index) else { return Ok(()) };
                let bytes = job.read.take().unwrap_or_default();
                let done = self.write_job(memory, &job, &bytes).map_err(|kind| (kind, job.site));
                self.buffer = bytes;
                done
            }
            Work::Lanes(copies) => self.finish_lanes(memory, index, copies.lanes),
            Work::Arrive(arrivals) => self.finish_arrivals(memory, index, arrivals.lanes),
        }
    }

    /// Does all of a job with pieces, and before it those of its kind that were issued earlier.
    fn finish_pieces(&mut self, memory: &Memory, mut index: usize) -> Result<(), Broken> {
        loop {
            let first = self.oldest_like(index);
            self.read_job(memory, first)?;
            let Some(mut job) = self.jobs.remove(first) else { return Ok(()) };
            let bytes = job.read.take().unwrap_or_default();
            let Work::Pieces(pieces) = &job.work else { return Ok(()) };
            let done = self.write_pieces(memory, pieces, &bytes, job.site);
            self.buffer = bytes;
            done?;
            if first == index {
                return Ok(());
            }
            index -= 1;
        }
    }

    /// Does the reading half of a job, where it has one.
    ///
    /// # Errors
    /// What went wrong.
    pub fn read_job(&mut self, memory: &Memory, index: usize) -> Result<(), Broken> {
        let Job { read: None, site, .. } = &self.jobs[index] else { return Ok(()) };
        let site = *site;
        self.check_reading(index)?;
        let Job { work, .. } = &self.jobs[index];
        let mut bytes = std::mem::take(&mut self.buffer);
        bytes.clear();
        let done = match work {
            Work::Move(source, _) => {
                let source = *source;
                self.read_source(memory, source, &mut bytes, site)
            }
            Work::Box(boxed) => {
                let boxed = boxed.clone();
                self.read_box(memory, &boxed, &mut bytes, site)
            }
            Work::Pieces(pieces) => {
                let pieces = pieces.clone();
                let done = self.read_pieces(memory, &pieces, &mut bytes, site);
                self.jobs[index].read = Some(bytes);
                return done;
            }
            _ => return Ok(()),
        };
        done.map_err(|kind| (kind, site))?;
        self.jobs[index].read = Some(bytes);
        Ok(())
    }

    /// Looks whether a job may read its source, and notes that it does.
    fn check_reading(&mut self, index: usize) -> Result<(), Broken> {
        let Job { work, time, site, synchronised, .. } = &self.jobs[index];
        let (time, site) = (*time, *site);
        let who = Accessor { site, synchronised: *synchronised, atomic: false };
        let read = match work {
            Work::Move(Source::Memory(address, size, _), _) if is_shared(*address) => {
                Some(((*address - SHARED_WINDOW) as u32, *size))
            }
            Work::Box(boxed) if boxed.copy.direction() == Direction::Store => Some((boxed.shared, boxed.span())),
            Work::Move(Source::Memory(..), _) | Work::Box(_) if self.is_global_written() => None,
            _ => return Ok(()),
        };
        match read {
            Some((address, size)) => {
                self.check_async_read(address, size, who, time).map_err(|kind| (kind, site))?;
                self.note_async_read(address, size, site);
                Ok(())
            }
            None => self.check_global_source(&self.jobs[index].work, time).map_err(|kind| (kind, site)),
        }
    }

    /// Tells a memory barrier object that work is done, and that its data has what is looked for.
    fn tell(&mut self, object: u32, bytes: u32, found: bool, who: Site) -> Result<(), FaultKind> {
        if found {
            self.report_on(object)?;
        }
        self.complete_work(object, bytes, who)
    }

    fn write_boxed(&mut self, memory: &Memory, boxed: &Boxed, job: &Job, image: &[u8]) -> Result<(), FaultKind> {
        if boxed.reduce.is_some() {
            boxed.copy.read_global(&mut Vec::new(), |at, bytes| self.check_reduced(at, bytes.len() as u32, job))?;
        }
        self.write_box(memory, boxed, image, job.site)?;
        if let Completion::Mbarrier(bar, bytes) = job.completion {
            for place in boxed.places() {
                self.tell(boxed.object(bar, place), bytes, job.report.finds(image), job.site)?;
            }
        }
        Ok(())
    }

    fn read_source(&mut self, memory: &Memory, source: Source, bytes: &mut Vec<u8>, site: Site) -> Result<(), FaultKind> {
        match source {
            Source::Memory(address, len, [left, right]) => {
                bytes.resize(len as usize, 0);
                let (left, right) = (u32::from(left).min(len), u32::from(right).min(len));
                let inside = len.saturating_sub(left + right);
                let host = self.range(memory, address + u64::from(left), inside, Access::Read)?;
                self.touch(memory, address, len as usize, Access::Read, site);
                // SAFETY: the range was found; `bytes` is ours.
                unsafe { copy_in(host, bytes[left as usize..].as_mut_ptr(), inside as usize) };
            }
            Source::Value(value, len) => bytes.extend_from_slice(&value[..usize::from(len)]),
        }
        Ok(())
    }

    fn write_job(&mut self, memory: &Memory, job: &Job, bytes: &[u8]) -> Result<(), FaultKind> {
        let (source, target) = match &job.work {
            Work::Move(source, target) => (*source, *target),
            Work::Box(boxed) => return self.write_boxed(memory, boxed, job, bytes),
            _ => return Ok(()),
        };
        let reduces = matches!((source, target.write), (Source::Memory(..), Write::Reduce(..)));
        for rank in lanes(target.ranks.max(1)) {
            let moved = |address: u64| if target.ranks == 0 { address } else { in_block(address, rank as u32) };
            if reduces {
                self.check_reduced(moved(target.address), bytes.len() as u32, job)?;
            }
            self.write_target(memory, Target { address: moved(target.address), ..target }, source, bytes, job.site)?;
            if let Completion::Mbarrier(at, count) = job.completion {
                self.tell(moved(at.into()) as u32, count, job.report.finds(bytes), job.site)?;
            }
        }
        Ok(())
    }

    /// Looks whether a job may read what it reduces into.
    fn check_reduced(&mut self, address: u64, len: u32, job: &Job) -> Result<(), FaultKind> {
        let who = Accessor { site: job.site, synchronised: job.synchronised, atomic: true };
        match is_shared(address) {
            true => self.check_async_read((address - SHARED_WINDOW) as u32, len, who, job.time),
            false => self.check_async_global(address, len, true, job.time),
        }
    }

    fn write_target(
        &mut self,
        memory: &Memory,
        target: Target,
        source: Source,
        bytes: &[u8],
        site: Site,
    ) -> Result<(), FaultKind> {
        let host = self.range(memory, target.address, bytes.len() as u32, Access::Write)?;
        self.touch(memory, target.address, bytes.len(), Access::Write, site);
        match is_shared(target.address) {
            true => self.note_async_write((target.address - SHARED_WINDOW) as u32, bytes.len() as u32)?,
            false => self.note_async_global_write(target.address, bytes.len() as u32),
        }
        // Bytes that were not read leave what was there.
        let skipped = if let Source::Memory(_, _, skipped) = source { skipped.map(usize::from) } else { [0; 2] };
        let first = skipped[0].min(bytes.len());
        let count = (bytes.len() - first).saturating_sub(skipped[1]);
        match target.write {
            // SAFETY: the range was found for all of `bytes`.
            Write::Copy => unsafe { copy_out(host.add(first), bytes[first..].as_ptr(), count) },
            Write::Some(mask) => {
                for (i, _) in bytes.iter().enumerate().filter(|(i, _)| mask >> (i % 16) & 1 != 0) {
                    // SAFETY: as above.
                    unsafe { copy_out(host.add(i), bytes[i..].as_ptr(), 1) };
                }
            }
            Write::Reduce(operation, reduce) => {
                let shared = is_shared(target.address);
                // SAFETY: as above; instructions have checked the alignment of elements.
                reduce(operation, &mut unsafe { Cells::new(host, bytes.len(), shared) }, bytes);
            }
        }
        Ok(())
    }

    fn finish_lanes(&mut self, memory: &Memory, index: usize, mask: u32) -> Result<(), Broken> {
        let site = self.jobs[index].site;
        let Work::Lanes(copies) = &mut self.jobs[index].work else { return Ok(()) };
        let mask = copies.lanes & mask;
        copies.lanes &= !mask;
        let rest = copies.lanes;
        let copies = copies.clone();
        self.changes += 1;
        for lane in lanes(mask) {
            self.copy_lane(memory, &copies, lane).map_err(|kind| (kind, Site { lane: lane as u32, ..site }))?;
        }
        if rest == 0 {
            self.jobs.remove(index);
        }
        Ok(())
    }

    fn copy_lane(&mut self, memory: &Memory, copies: &LaneCopies, lane: usize) -> Result<(), FaultKind> {
        let mut bytes = [0; 16];
        let (size, filled) = (usize::from(copies.size), usize::from(copies.filled[lane]));
        if filled > 0 {
            let from = self.range(memory, copies.from[lane], filled as u32, Access::Read)?;
            // SAFETY: the range was found.
            unsafe { copy_in(from, bytes.as_mut_ptr(), filled) };
        }
        let to = self.range(memory, copies.to[lane], size as u32, Access::Write)?;
        // SAFETY: likewise.
        unsafe { copy_out(to, bytes.as_ptr(), size) };
        let Some((site, synchronised)) = &copies.watched else { return Ok(()) };
        let site = Site { lane: lane as u32, ..*site };
        let who = Accessor { site, synchronised: synchronised[lane], atomic: false };
        self.note_write((copies.to[lane] - SHARED_WINDOW) as u32, size as u32, who)
    }

    fn finish_arrivals(&mut self, memory: &Memory, index: usize, mask: u32) -> Result<(), Broken> {
        let site = self.jobs[index].site;
        let Some(mut job) = self.jobs.remove(index) else { return Ok(()) };
        let Work::Arrive(arrivals) = &mut job.work else { return Ok(()) };
        let these = arrivals.lanes & mask;
        arrivals.lanes &= !these;
        let (at, rest) = (arrivals.at, arrivals.lanes);
        if rest != 0 {
            self.jobs.insert(index, job);
        }
        // Copies that were issued before come first.
        self.finish_copies(memory, (site.rank, site.warp), these, index, |_, _| true)?;
        for lane in lanes(these) {
            let arrival = Arrival { count: 1, ..Arrival::default() };
            let who = Site { lane: lane as u32, ..site };
            self.arrive_mbarrier(at[lane], arrival, who).map_err(|kind| (kind, who))?;
        }
        Ok(())
    }

    /// Finishes the copies of lanes of a warp, among the first `within` jobs, that `wanted` says of lane and group.
    ///
    /// # Errors
    /// What went wrong.
    pub fn finish_copies(
        &mut self,
        memory: &Memory,
        warp: (u32, u32),
        mask: u32,
        mut within: usize,
        wanted: impl Fn(usize, u32) -> bool,
    ) -> Result<(), Broken> {
        let mut i = 0;
        while i < within.min(self.jobs.len()) {
            let job = &self.jobs[i];
            let before = self.jobs.len();
            if let Work::Lanes(copies) = &job.work
                && (job.site.rank, job.site.warp) == warp
            {
                let these = lanes(copies.lanes & mask).filter(|l| wanted(*l, copies.group[*l])).fold(0, |m, l| m | 1 << l);
                if these != 0 {
                    self.finish_lanes(memory, i, these)?;
                }
            }
            if self.jobs.len() < before {
                within -= 1;
            } else {
                i += 1;
            }
        }
        Ok(())
    }

    /// Finishes the bulk jobs of a thread in groups before the given one; with `reading`, only their reading halves.
    ///
    /// # Errors
    /// What went wrong.
    pub fn finish_groups(&mut self, memory: &Memory, thread: [u32; 3], before: u32, reading: bool) -> Result<(), Broken> {
        let mut i = 0;
        while let Some(Job { completion, site, .. }) = self.jobs.get(i) {
            let mine = [site.rank, site.warp, site.lane] == thread && matches!(completion, Completion::Group(n) if *n < before);
            if mine && !reading {
                self.finish_job(memory, i)?;
                continue;
            }
            if mine {
                self.read_job(memory, i)?;
            }
            i += 1;
        }
        Ok(())
    }

    /// Finishes what is left when all blocks have exited.
    ///
    /// # Errors
    /// What went wrong.
    pub fn finish_all(&mut self, memory: &Memory) -> Result<(), Broken> {
        while self.has_jobs() {
            self.finish_job(memory, 0)?;
        }
        Ok(())
    }

    /// Takes notice that all threads of a block have exited: no job may need its shared memory any more.
    ///
    /// # Errors
    /// One does.
    pub fn leave(&mut self, rank: u32) -> Result<(), Broken> {
        // Nobody can tell whether copies to its own memory are done.
        self.jobs.retain(|job| !(matches!(job.work, Work::Lanes(_) | Work::Arrive(_)) && job.site.rank == rank));
        let broken = self.jobs.iter().find_map(|job| Some((job.needs(rank)?, job.site)));
        broken.map_or(Ok(()), Err)
    }

    /// A range of shared or device memory on the host, at a generic address.
    ///
    /// # Errors
    /// There is none, or it may not be accessed this way.
    pub fn range(&mut self, memory: &Memory, address: u64, len: u32, access: Access) -> Result<*mut u8, FaultKind> {
        if is_shared(address) {
            return self.shared_range((address - SHARED_WINDOW) as u32, len, access, 1);
        }
        memory.place(address, len, access)
    }

    /// Sets a range of shared memory to zero.
    ///
    /// # Errors
    /// There is no such range.
    pub fn clear(&mut self, address: u32, len: u32, writer: Option<Accessor>) -> Result<(), FaultKind> {
        let host = self.shared_range(address, len, Access::Write, 8)?;
        let zeros = vec![0; len as usize];
        // SAFETY: the range was found.
        unsafe { copy_out(host, zeros.as_ptr(), zeros.len()) };
        writer.map_or(Ok(()), |writer| self.note_write(address, len, writer))
    }

    /// Reads bytes at a generic address.
    ///
    /// # Errors
    /// There are none.
    pub fn read_bytes(&mut self, memory: &Memory, address: u64, bytes: &mut [u8]) -> Result<(), FaultKind> {
        let host = self.range(memory, address, bytes.len() as u32, Access::Read)?;
        // SAFETY: the range was found.
        unsafe { copy_in(host, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    /// Writes bytes at a generic address.
    ///
    /// # Errors
    /// There are none, or they may not be written.
    pub fn write_bytes(&mut self, memory: &Memory, address: u64, bytes: &[u8]) -> Result<(), FaultKind> {
        let host = self.range(memory, address, bytes.len() as u32, Access::Write)?;
        // SAFETY: the range was found.
        unsafe { copy_out(host, bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    /// A range of some block's shared memory on the host.
    ///
    /// # Errors
    /// There is none, or the address is not a multiple of `align`.
    pub fn shared_range(&mut self, address: u32, len: u32, access: Access, align: u32) -> Result<*mut u8, FaultKind> {
        let rank = address >> RANK_SHIFT;
        let peer = self.peer(rank)?;
        let (start, offset) = (rank << RANK_SHIFT, u64::from(address & ((1 << RANK_SHIFT) - 1)));
        if offset + u64::from(len) > peer.len {
            let nearest = Some((start.into(), peer.len));
            return Err(FaultKind::OutOfBounds { space: "shared", address: address.into(), size: len, access, nearest });
        }
        if !address.is_multiple_of(align) {
            return Err(FaultKind::Misaligned { address: SHARED_WINDOW + u64::from(address), size: align, access });
        }
        Ok(peer.host.wrapping_add(offset as usize))
    }
}

impl Job {
    /// Calls `act` with the ranges of global memory that the job reads or writes, and the lane that it does so for.
    ///
    /// # Errors
    /// What `act` gives.
    pub(crate) fn each_global<E>(&self, mut act: impl FnMut(u32, u64, u32, Access) -> Result<(), E>) -> Result<(), E> {
        let lane = self.site.lane;
        match &self.work {
            Work::Move(source, target) => {
                if let Source::Memory(from, len, [left, right]) = *source
                    && !is_shared(from)
                {
                    let (left, right) = (u32::from(left).min(len), u32::from(right));
                    act(lane, from + u64::from(left), (len - left).saturating_sub(right), Access::Read)?;
                }
                match target.write {
                    _ if is_shared(target.address) => Ok(()),
                    Write::Copy => act(lane, target.address, source.len(), Access::Write),
                    Write::Reduce(..) => act(lane, target.address, source.len(), Access::Atomic),
                    Write::Some(mask) => (0..source.len())
                        .filter(|i| mask >> (i % 16) & 1 != 0)
                        .try_for_each(|i| act(lane, target.address + u64::from(i), 1, Access::Write)),
                }
            }
            Work::Lanes(copies) => lanes(copies.lanes)
                .filter(|i| copies.filled[*i] > 0)
                .try_for_each(|i| act(i as u32, copies.from[i], copies.filled[i].into(), Access::Read)),
            Work::Box(boxed) => {
                let access = match (boxed.copy.direction(), boxed.reduce) {
                    (Direction::Load, _) => Access::Read,
                    (Direction::Store, None) => Access::Write,
                    (Direction::Store, Some(_)) => Access::Atomic,
                };
                boxed.copy.read_global(&mut Vec::new(), |at, bytes| act(lane, at, bytes.len() as u32, access))
            }
            Work::Pieces(pieces) => {
                let access = if pieces.store { Access::Write } else { Access::Read };
                pieces
                    .places(pieces.store)
                    .filter(|(at, ..)| !is_shared(*at))
                    .try_for_each(|(at, len, lane)| act(lane, at, len, access))
            }
            Work::Arrive(_) => Ok(()),
        }
    }

    /// Why a block may not exit before the job is done, if it may not.
    fn needs(&self, rank: u32) -> Option<FaultKind> {
        if let Work::Box(boxed) = &self.work {
            return self.box_needs(boxed, rank);
        }
        let Work::Move(source, target) = &self.work else { return None };
        let in_it = |address: u64| is_shared(address) && (address - SHARED_WINDOW) >> RANK_SHIFT == u64::from(rank);
        if let (Source::Memory(address, ..), None) = (source, &self.read)
            && in_it(*address)
        {
            return Some(still_reads(rank));
        }
        let multicast = target.ranks >> rank & 1 != 0;
        if multicast || target.ranks == 0 && in_it(target.address) {
            return Some(still_writes(rank));
        }
        match self.completion {
            Completion::Mbarrier(at, _) if target.ranks == 0 && at >> RANK_SHIFT == rank => {
                let message = format!("still completes work of the mbarrier object at {} when its block exits", shown(at));
                Some(FaultKind::rule(Rule::Exit, message))
            }
            _ => None,
        }
    }
}

impl Job {
    fn box_needs(&self, boxed: &Boxed, rank: u32) -> Option<FaultKind> {
        let here = |address: u32| address >> RANK_SHIFT == rank;
        match self.completion {
            Completion::Mbarrier(bar, _) => {
                let needed = boxed.places().any(|place| here(place) || here(boxed.object(bar, place)));
                needed.then(|| still_writes(rank))
            }
            _ => (self.read.is_none() && here(boxed.shared)).then(|| still_reads(rank)),
        }
    }
}

fn still_reads(rank: u32) -> FaultKind {
    FaultKind::rule(Rule::Exit, format!("still reads the shared memory of block {rank} of the cluster when the block exits"))
}

fn still_writes(rank: u32) -> FaultKind {
    FaultKind::rule(Rule::Exit, format!("still writes to the shared memory of block {rank} of the cluster when the block exits"))
}

/// Whether a generic address lies in shared memory.
pub fn is_shared(address: u64) -> bool {
    address.wrapping_sub(SHARED_WINDOW) < SHARED_WINDOW_SIZE
}

/// The same offset in another block's shared memory, of a shared or a generic address.
pub fn in_block(address: u64, rank: u32) -> u64 {
    address & !(0xff << RANK_SHIFT) | u64::from(rank) << RANK_SHIFT
}

impl Group<'_> {
    /// Where one of its lanes executes an op.
    pub fn site(&self, op: &crate::Op, lane: usize) -> Site {
        Site { op: op.next - 1, rank: self.block.rank, warp: self.warp.index, lane: lane as u32 }
    }

    /// Stops with the fault of a job, which is told where it was issued.
    #[cold]
    pub fn broken(&mut self, (kind, site): Broken) -> crate::Step {
        self.fault = Some(Box::new(crate::Fault { kind, lane: site.lane, site: Some(site) }));
        crate::Step::Fault
    }
}
