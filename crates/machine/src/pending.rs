//! Accesses of threads to memory that queued jobs still read or write.
//!
//! Programs may rely on asynchronous work only after they have waited for it (PTX ISA 9.4, 9.7.10.28.1): bytes that a job has still to
//! write are not there, and bytes that it has still to read must stay. Whoever accesses them has not waited, whatever it would find.
//! Ordered accesses are left alone, and atomic ones beside reductions, which they may meet. Of global memory jobs of the own cluster are looked
//! at, but for boxes of tensors. Live memory barrier objects, and what other blocks have written, are looked at here, too.

use crate::cluster::{Cluster, RANK_SHIFT};
use crate::job::{Job, Source, Target, Work, Write};
use crate::mbarrier::Site;
use crate::memory::{Failure, SHARED_WINDOW, SHARED_WINDOW_SIZE};
use crate::mods::Space;
use crate::state::{Access, FaultKind, lanes};
use crate::tensor::Direction;
use crate::{Group, LANES};

/// A range of generic addresses: its first byte and its bytes.
type Range = (u64, u32);

fn meet(a: Range, b: Range) -> bool {
    a.0 < b.0.saturating_add(b.1.into()) && b.0 < a.0.saturating_add(a.1.into())
}

/// The generic address of a shared one.
fn generic(address: u32) -> u64 {
    SHARED_WINDOW + u64::from(address)
}

impl Job {
    /// Whether the job still has to write bytes of a range, or to read some that others are to write.
    fn needs_range(&self, range: Range, access: Access) -> bool {
        let writing = access != Access::Read && !self.has_read();
        // Reductions of others may meet.
        if access == Access::Atomic && matches!(&self.work, Work::Move(_, Target { write: Write::Reduce(..), .. })) {
            return false;
        }
        let at = |address: u64, len: u32| meet(range, (address, len));
        match &self.work {
            Work::Move(source, target) => {
                let reads = matches!(source, Source::Memory(from, len, _) if writing && at(*from, *len));
                reads || target.places().any(|place| at(place, source.len()))
            }
            Work::Lanes(copies) => lanes(copies.lanes).any(|lane| {
                at(copies.to[lane], copies.size.into()) || writing && at(copies.from[lane], copies.filled[lane].into())
            }),
            Work::Box(boxed) if boxed.copy.direction() == Direction::Load => {
                boxed.places().any(|place| at(generic(place), boxed.span()))
            }
            Work::Box(boxed) => writing && at(generic(boxed.shared), boxed.span()),
            Work::Pieces(pieces) => {
                let meets = |(from, len, _): (u64, u32, u32)| at(from, len);
                pieces.places(true).any(meets) || writing && pieces.places(false).any(meets)
            }
            Work::Arrive(_) => false,
        }
    }
}

impl Cluster {
    /// Whether accesses may meet jobs, live memory barrier objects, or other blocks.
    #[inline(always)]
    fn is_alert(&self) -> bool {
        !self.jobs.is_empty() || self.copies || !self.objects.is_empty() || self.blocks() > 1
    }

    fn job_that_needs(&self, range: Range, access: Access) -> Option<Site> {
        self.jobs.iter().find(|job| job.needs_range(range, access)).map(|job| job.site)
    }
}

impl Group<'_> {
    /// Whether plain accesses may meet something that is to be told, or another launch.
    #[inline(always)]
    pub fn has_pending(&self) -> bool {
        self.watched && (self.cluster.is_alert() || self.overlaps() || self.launch.memory.is_seeking())
    }

    /// Looks whether lanes access memory that a job still reads or writes, a live memory barrier object, or what another block has
    /// written and nothing orders, `size` bytes each.
    ///
    /// # Errors
    /// The first lane that does.
    pub fn waited_for(
        &mut self,
        space: Space,
        op: u32,
        addresses: &[u64; LANES],
        mask: u32,
        size: u32,
        access: Access,
    ) -> Result<(), Failure> {
        let place = |address: u64| match space {
            Space::Shared | Space::SharedCluster => Some(generic(address as u32)),
            Space::Generic | Space::Global => Some(address),
            _ => None,
        };
        let all = || lanes(mask).filter_map(|lane| Some((lane as u32, place(addresses[lane])?)));
        let (Some(first), Some(last)) = (all().map(|a| a.1).min(), all().map(|a| a.1).max()) else { return Ok(()) };
        if access == Access::Read && self.launch.memory.is_seeking() {
            for (lane, at) in all() {
                let site = Site { op, rank: self.block.rank, warp: self.warp.index, lane };
                self.cluster.touch(self.launch.memory, at, size as usize, access, site);
            }
        }
        let whole = (first, u32::try_from(last - first).unwrap_or(u32::MAX).saturating_add(size));
        if self.cluster.job_that_needs(whole, access).is_some() {
            let wrong = all().find_map(|(lane, at)| Some((lane, at, self.cluster.job_that_needs((at, size), access)?)));
            if let Some((lane, address, job)) = wrong {
                return Err((lane, FaultKind::Unwaited { job, address, size, access }));
            }
        }
        if access == Access::Write || last < SHARED_WINDOW || first >= SHARED_WINDOW + SHARED_WINDOW_SIZE {
            return Ok(());
        }
        // Writes are looked at where they are noted.
        for (lane, at) in all() {
            let at = at.wrapping_sub(SHARED_WINDOW);
            // What another block's memory is, or that there is none, is told where it is accessed.
            let foreign = (at >> RANK_SHIFT) as u32 != self.block.rank;
            if at >= SHARED_WINDOW_SIZE
                || foreign && (space == Space::Shared || self.cluster.live((at >> RANK_SHIFT) as u32) == 0)
            {
                continue;
            }
            self.cluster.no_object(at as u32, size, access).map_err(|kind| (lane, kind))?;
            if access == Access::Read
                && let Some(who) = self.accessor(op, lane as usize, false)
            {
                self.cluster.note_read(at as u32, size, who).map_err(|kind| (lane, kind))?;
            }
        }
        Ok(())
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
        assert!(meet((u64::MAX - 1, 1), (u64::MAX - 3, 4)));
    }

    #[test]
    fn a_job_needs_its_target_until_it_is_done_and_its_source_until_it_has_read() {
        let memory = Memory::new(1 << 20);
        let mut cluster = Cluster::new(1, 256);
        cluster.begin([0; 3], 32);
        let site = Site { op: 3, rank: 0, warp: 0, lane: 0 };
        let target = Target { address: SHARED_WINDOW + 128, ranks: 0, write: Write::Copy };
        let work = Work::Move(Source::Memory(SHARED_WINDOW, 16, [0; 2]), target);
        let issued = cluster.issue(&memory, Policy::Late, [0; 3], Job::new(work, Completion::None, site));
        assert!(issued.is_ok());
        assert_eq!(cluster.job_that_needs((SHARED_WINDOW + 140, 8), Access::Read), Some(site));
        assert_eq!(cluster.job_that_needs((SHARED_WINDOW + 8, 4), Access::Read), None);
        assert_eq!(cluster.job_that_needs((SHARED_WINDOW + 8, 4), Access::Write), Some(site));
        assert!(cluster.read_job(&memory, 0).is_ok());
        assert_eq!(cluster.job_that_needs((SHARED_WINDOW + 8, 4), Access::Write), None);
        assert!(cluster.finish_job(&memory, 0).is_ok());
        assert_eq!(cluster.job_that_needs((SHARED_WINDOW + 140, 8), Access::Read), None);
    }
}
