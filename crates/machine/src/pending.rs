//! Accesses of threads to shared memory that queued jobs still read or write.
//!
//! Programs may rely on asynchronous work only after they have waited for it (PTX ISA 9.4, 9.7.10.28.1): bytes that a job has still to
//! write are not there, and bytes that it has still to read must stay. Whoever accesses them has not waited, whatever it would find.
//! Ordered accesses are left alone, and atomic ones beside reductions, which they may meet. Global memory is not looked at.

use crate::cluster::Cluster;
use crate::job::{Job, Source, Target, Work, Write, in_block, is_shared};
use crate::mbarrier::Site;
use crate::memory::{Failure, SHARED_WINDOW, SHARED_WINDOW_SIZE};
use crate::mods::Space;
use crate::state::{Access, FaultKind, lanes};
use crate::tensor::Direction;
use crate::{Group, LANES};

/// A range of shared addresses: its first byte and its bytes.
type Range = (u32, u32);

fn meet(a: Range, b: Range) -> bool {
    u64::from(a.0) < u64::from(b.0) + u64::from(b.1) && u64::from(b.0) < u64::from(a.0) + u64::from(a.1)
}

impl Job {
    /// Whether the job still has to write bytes of a range, or to read some that others are to write.
    fn needs_range(&self, range: Range, access: Access) -> bool {
        let writing = access != Access::Read && !self.has_read();
        // Reductions of others may meet.
        if access == Access::Atomic && matches!(&self.work, Work::Move(_, Target { write: Write::Reduce(..), .. })) {
            return false;
        }
        let at = |address: u64, len: u32| is_shared(address) && meet(range, ((address - SHARED_WINDOW) as u32, len));
        match &self.work {
            Work::Move(source, target) => {
                let (from, len) = match source {
                    Source::Memory(address, len, _) => (*address, *len),
                    Source::Value(_, len) => (0, u32::from(*len)),
                };
                let to = |rank: usize| if target.ranks == 0 { target.address } else { in_block(target.address, rank as u32) };
                lanes(target.ranks.max(1)).any(|rank| at(to(rank), len)) || writing && at(from, len)
            }
            Work::Lanes(copies) => lanes(copies.lanes).any(|lane| at(copies.to[lane], copies.size.into())),
            Work::Box(boxed) if boxed.copy.direction() == Direction::Load => {
                boxed.places().any(|place| meet(range, (place, boxed.span())))
            }
            Work::Box(boxed) => writing && meet(range, (boxed.shared, boxed.span())),
            Work::Arrive(_) => false,
        }
    }
}

impl Cluster {
    fn job_that_needs(&self, range: Range, access: Access) -> Option<Site> {
        self.jobs.iter().find(|job| job.needs_range(range, access)).map(|job| job.site)
    }
}

impl Group<'_> {
    /// Whether accesses may meet jobs that are not done, or another launch.
    #[inline(always)]
    pub fn has_pending(&self) -> bool {
        self.watched && (self.cluster.has_jobs() || self.overlaps())
    }

    /// Looks whether lanes access shared memory that a job still reads or writes, `size` bytes each.
    ///
    /// # Errors
    /// The first lane that does.
    pub fn waited_for(
        &self,
        space: Space,
        addresses: &[u64; LANES],
        mask: u32,
        size: u32,
        access: Access,
    ) -> Result<(), Failure> {
        let shared = |address: u64| match space {
            Space::Shared | Space::SharedCluster => Some(address as u32),
            Space::Generic if address.wrapping_sub(SHARED_WINDOW) < SHARED_WINDOW_SIZE => Some((address - SHARED_WINDOW) as u32),
            _ => None,
        };
        let all = || lanes(mask).filter_map(|lane| Some((lane as u32, shared(addresses[lane])?)));
        let (Some(first), Some(last)) = (all().map(|a| a.1).min(), all().map(|a| a.1).max()) else { return Ok(()) };
        if self.cluster.job_that_needs((first, (last - first).saturating_add(size)), access).is_none() {
            return Ok(());
        }
        let wrong = all().find_map(|(lane, at)| Some((lane, at, self.cluster.job_that_needs((at, size), access)?)));
        wrong.map_or(Ok(()), |(lane, address, job)| Err((lane, FaultKind::Unwaited { job, address, size, access })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Completion, Policy};
    use crate::memory::Memory;

    #[test]
    fn ranges_meet_where_they_share_a_byte() {
        assert!(meet((16, 4), (19, 1)) && meet((19, 1), (16, 4)) && meet((0, 64), (16, 4)));
        assert!(!meet((16, 4), (20, 4)) && !meet((20, 4), (16, 4)));
        assert!(meet((u32::MAX, 1), (u32::MAX - 3, 4)));
    }

    #[test]
    fn a_job_needs_its_target_until_it_is_done_and_its_source_until_it_has_read() {
        let memory = Memory::new(1 << 20);
        let mut cluster = Cluster::new(1, 256);
        cluster.begin([0; 3], 32);
        let site = Site { op: 3, rank: 0, warp: 0, lane: 0 };
        let target = Target { address: SHARED_WINDOW + 128, ranks: 0, write: Write::Copy };
        let work = Work::Move(Source::Memory(SHARED_WINDOW, 16, [0; 2]), target);
        let issued = cluster.issue(&memory, Policy::Late, Job::new(work, Completion::None, site));
        assert!(issued.is_ok());
        assert_eq!(cluster.job_that_needs((140, 8), Access::Read), Some(site));
        assert_eq!(cluster.job_that_needs((8, 4), Access::Read), None);
        assert_eq!(cluster.job_that_needs((8, 4), Access::Write), Some(site));
        assert!(cluster.read_job(&memory, 0).is_ok());
        assert_eq!(cluster.job_that_needs((8, 4), Access::Write), None);
        assert!(cluster.finish_job(&memory, 0).is_ok());
        assert_eq!(cluster.job_that_needs((140, 8), Access::Read), None);
    }
}
