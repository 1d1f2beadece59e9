//! What generic accesses wrote to shared memory and no proxy fence has ordered yet.
//!
//! PTX ISA 9.4, 8.6 (proxies), 9.7.10.28.2 (async proxy), 9.7.15.4 (fence.proxy). Copies and reductions of ranges read shared memory through the
//! asynchronous proxy: what a thread wrote is there for them only after `fence.proxy.async`, of the thread itself or of one that has
//! synchronised with it since. Of every four bytes the last writer is known; a job that reads bytes which were written before it was issued and not
//! fenced since is wrong, though hardware may give the right ones. Only kernels with such jobs pay for it. Global memory is not watched.
//!
//! Who synchronised with whom is known by time alone: a fence also covers what others wrote before its thread's last synchronisation, whoever took part. So some
//! missing fences are not noticed; where there is one, none is missed.

use crate::cluster::{Cluster, RANK_SHIFT};
use crate::mbarrier::Site;
use crate::state::lanes;
use crate::{Group, LANES};

/// Bytes that are looked at together.
const GRANULE: u32 = 4;

/// Writes to one block's shared memory that are not fenced.
#[derive(Debug, Default)]
pub(crate) struct Unfenced {
    /// For each granule one more than its index in `writes`, 0 where there is none.
    index: Vec<u32>,
    writes: Vec<Write>,
}

#[derive(Clone, Copy, Debug)]
struct Write {
    granule: u32,
    site: Site,
    time: u64,
}

impl Unfenced {
    pub fn clear(&mut self) {
        self.index.clear();
        self.writes.clear();
    }

    fn add(&mut self, granule: u32, site: Site, time: u64) {
        let place = granule as usize;
        if self.index.len() <= place {
            self.index.resize(place + 1, 0);
        }
        let write = Write { granule, site, time };
        match self.index[place] {
            0 => {
                self.writes.push(write);
                self.index[place] = self.writes.len() as u32;
            }
            n => self.writes[n as usize - 1] = write,
        }
    }

    fn of(&self, granule: u32) -> Option<usize> {
        (*self.index.get(granule as usize)? as usize).checked_sub(1)
    }

    fn remove(&mut self, i: usize) {
        self.index[self.writes[i].granule as usize] = 0;
        self.writes.swap_remove(i);
        if let Some(moved) = self.writes.get(i) {
            self.index[moved.granule as usize] = i as u32 + 1;
        }
    }
}

/// The granules of a range within one block.
fn granules(address: u32, len: u32) -> std::ops::Range<u32> {
    let offset = address & ((1 << RANK_SHIFT) - 1);
    if len == 0 { 0..0 } else { offset / GRANULE..(offset + len - 1) / GRANULE + 1 }
}

impl Cluster {
    /// Notes that a thread wrote bytes at a shared address.
    pub(crate) fn note_write(&mut self, address: u32, len: u32, site: Site) {
        self.time += 1;
        let time = self.time;
        if let Some(unfenced) = self.unfenced(address >> RANK_SHIFT) {
            granules(address, len).for_each(|granule| unfenced.add(granule, site, time));
        }
    }

    /// Who wrote bytes of a range before `time`, if that is not fenced.
    pub(crate) fn unfenced_writer(&mut self, address: u32, len: u32, time: u64) -> Option<Site> {
        let unfenced = self.unfenced(address >> RANK_SHIFT)?;
        if unfenced.writes.is_empty() {
            return None;
        }
        let write = |granule| Some(unfenced.writes[unfenced.of(granule)?]).filter(|write| write.time <= time);
        granules(address, len).find_map(write).map(|write| write.site)
    }

    /// Notes that the asynchronous proxy wrote bytes at a shared address.
    pub(crate) fn note_async_write(&mut self, address: u32, len: u32) {
        let Some(unfenced) = self.unfenced(address >> RANK_SHIFT).filter(|unfenced| !unfenced.writes.is_empty()) else { return };
        for granule in granules(address, len) {
            if let Some(i) = unfenced.of(granule) {
                unfenced.remove(i);
            }
        }
    }

    /// Fences the writes of lanes of a warp, and all that were done before a lane's last synchronisation.
    fn fence_writes(&mut self, (rank, warp): (u32, u32), mask: u32, synchronised: &[u64; LANES]) {
        let before = lanes(mask).map(|lane| synchronised[lane]).max().unwrap_or(0);
        let covered = |write: &Write| {
            let own = (write.site.rank, write.site.warp) == (rank, warp) && mask >> write.site.lane & 1 != 0;
            own || write.time <= before
        };
        for block in 0..self.blocks() {
            let Some(unfenced) = self.unfenced(block) else { continue };
            let mut i = 0;
            while i < unfenced.writes.len() {
                if covered(&unfenced.writes[i]) { unfenced.remove(i) } else { i += 1 }
            }
        }
    }
}

impl Group<'_> {
    /// Notes that lanes have synchronised with others, where writes are watched.
    #[inline(always)]
    pub fn synchronised(&mut self, mask: u32) {
        if self.watched {
            self.note_synchronised(mask);
        }
    }

    #[inline(never)]
    fn note_synchronised(&mut self, mask: u32) {
        let now = self.cluster.time;
        lanes(mask).for_each(|lane| self.warp.synchronised[lane] = now);
    }

    /// Orders what lanes have written, and what they have synchronised with, before what the asynchronous proxy does later.
    pub fn fence_proxy(&mut self, mask: u32) {
        if self.watched {
            let warp = (self.block.rank, self.warp.index);
            let synchronised = self.warp.synchronised;
            self.cluster.fence_writes(warp, mask, &synchronised);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(warp: u32, lane: u32) -> Site {
        Site { op: 7, rank: 0, warp, lane }
    }

    fn cluster() -> Cluster {
        let mut cluster = Cluster::new(2, 1024);
        cluster.begin([0; 3], 64);
        cluster
    }

    #[test]
    fn a_thread_fences_its_own_writes() {
        let mut c = cluster();
        c.note_write(16, 8, site(0, 3));
        assert_eq!(c.unfenced_writer(0, 16, c.time), None);
        assert_eq!(c.unfenced_writer(20, 4, c.time), Some(site(0, 3)));
        // Written after the job was issued: not what the fence is about.
        assert_eq!(c.unfenced_writer(20, 4, 0), None);
        c.fence_writes((0, 0), 1 << 4, &[0; LANES]);
        assert_eq!(c.unfenced_writer(16, 4, c.time), Some(site(0, 3)));
        c.fence_writes((0, 0), 1 << 3, &[0; LANES]);
        assert_eq!(c.unfenced_writer(16, 8, c.time), None);
    }

    #[test]
    fn a_fence_covers_what_was_synchronised_with() {
        let mut c = cluster();
        c.note_write(0, 4, site(1, 0));
        let seen = c.time;
        c.note_write(4, 4, site(1, 0));
        let mut synchronised = [0; LANES];
        synchronised[5] = seen;
        c.fence_writes((0, 0), 1 << 5, &synchronised);
        assert_eq!(c.unfenced_writer(0, 4, c.time), None);
        assert_eq!(c.unfenced_writer(4, 4, c.time), Some(site(1, 0)));
        c.note_async_write(0, 16);
        assert_eq!(c.unfenced_writer(4, 4, c.time), None);
    }

    #[test]
    fn blocks_are_apart() {
        let mut c = cluster();
        c.note_write(1 << RANK_SHIFT | 64, 1, site(0, 0));
        assert_eq!(c.unfenced_writer(64, 4, c.time), None);
        assert_eq!(c.unfenced_writer(1 << RANK_SHIFT | 64, 4, c.time), Some(site(0, 0)));
    }
}
