//! Who wrote what last: to the shared memory of one block, and to global memory. Plain bookkeeping; what follows from it is told by
//! [`crate::proxy`].
//!
//! Of every four bytes the last generic write is known, with its bytes, its thread and its time. Times are counts of what is noted in a cluster.
//! What a write displaces is forgotten, so that some mistakes are not noticed; none is made up.

use crate::LANES;
use crate::mbarrier::Site;
use crate::memory::Touch;
use crate::proxy::{Fences, Reach, Synchronised};
use crate::state::lanes;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard};

/// Bytes that are looked at together.
const GRANULE: u64 = 4;
/// Ranges that jobs read lately, of each block.
const READS: usize = 16;
/// Reads of what nobody has written, of each block.
const EARLY: usize = 64;
/// Writes to global memory that are remembered, until all are forgotten.
const MOST_WRITES: usize = 1 << 22;

/// A generic write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Write {
    /// Who wrote.
    pub site: Site,
    /// When.
    pub time: u64,
    /// Whether others that write at the same time may meet it.
    pub atomic: bool,
    /// Which bytes of the four.
    bytes: u8,
}

/// A range that was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub start: u32,
    pub len: u32,
    pub site: Site,
    pub time: u64,
}

impl Read {
    fn meets(&self, offset: u32, len: u32) -> bool {
        offset < self.start + self.len && self.start < offset + len
    }
}

/// The granules of a range of offsets.
fn granules(start: u64, len: u32) -> Range<u64> {
    if len == 0 { 0..0 } else { start / GRANULE..(start + u64::from(len) - 1) / GRANULE + 1 }
}

/// Which bytes of a granule lie in a range.
fn bytes_of(granule: u64, start: u64, len: u32) -> u8 {
    let first = granule * GRANULE;
    let inside = |byte: u64| first + byte >= start && first + byte < start + u64::from(len);
    (0..GRANULE).fold(0, |mask, byte| mask | u8::from(inside(byte)) << byte)
}

/// A set of granules.
#[derive(Debug, Default)]
struct Set(Vec<u64>);

impl Set {
    /// The bits of a range that lie in a word, and the word.
    fn parts(Range { start, end }: Range<u64>) -> impl Iterator<Item = (usize, u64)> {
        let words = if start < end { start / 64..end.div_ceil(64) } else { 0..0 };
        words.map(move |word| {
            let (from, to) = (start.max(word * 64) - word * 64, end.min(word * 64 + 64) - word * 64);
            (word as usize, u64::MAX >> (64 - (to - from)) << from)
        })
    }

    fn add(&mut self, range: Range<u64>) {
        let words = range.end.div_ceil(64) as usize;
        if self.0.len() < words {
            self.0.resize(words, 0);
        }
        Set::parts(range).for_each(|(word, bits)| self.0[word] |= bits);
    }

    fn remove(&mut self, range: Range<u64>) {
        for (word, bits) in Set::parts(range) {
            let Some(word) = self.0.get_mut(word) else { return };
            *word &= !bits;
        }
    }

    /// Members in a range, in order.
    fn within(&self, range: Range<u64>) -> impl Iterator<Item = u64> {
        Set::parts(range).flat_map(|(word, bits)| {
            let mut bits = self.0.get(word).copied().unwrap_or(0) & bits;
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some(word as u64 * 64 + u64::from(bit))
            })
        })
    }

    fn holds_all(&self, range: Range<u64>) -> bool {
        Set::parts(range).all(|(word, bits)| self.0.get(word).copied().unwrap_or(0) & bits == bits)
    }
}

/// What is known of one block's shared memory.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    /// Granules whose last write was a generic one: those of `last` that hold.
    generic: Set,
    /// Granules that were written at all.
    written: Set,
    last: Vec<Write>,
    /// When it was last written generically.
    pub latest: u64,
    /// When another block last wrote to it.
    pub by_peers: u64,
    /// Who of another block accessed it last, and when.
    pub visitor: Option<(Site, u64)>,
    reads: VecDeque<Read>,
    /// When a job last read it.
    pub latest_read: u64,
    /// Reads by threads of what nobody had written, the first ones.
    early: Vec<Read>,
    /// The first of them whose bytes asynchronous work wrote afterwards.
    pub premature: Option<Site>,
}

impl Shadow {
    /// Makes it that of a block that has not begun.
    pub fn clear(&mut self) {
        self.generic.0.fill(0);
        self.written.0.fill(0);
        (self.latest, self.by_peers, self.latest_read) = (0, 0, 0);
        self.visitor = None;
        self.reads.clear();
        self.early.clear();
        self.premature = None;
    }

    /// Notes a generic write.
    pub fn write(&mut self, offset: u32, len: u32, write: Write) {
        let range = granules(offset.into(), len);
        if self.last.len() < range.end as usize {
            self.last.resize(range.end as usize, Write::default());
        }
        for granule in range.clone() {
            self.last[granule as usize] = Write { bytes: bytes_of(granule, offset.into(), len), ..write };
        }
        self.generic.add(range.clone());
        self.written.add(range);
        self.latest = write.time;
    }

    /// Notes a write of the asynchronous proxy.
    pub fn write_async(&mut self, offset: u32, len: u32) {
        let range = granules(offset.into(), len);
        self.generic.remove(range.clone());
        self.written.add(range);
        if self.premature.is_none() {
            let first = self.early_reads(offset, len).next().map(|read| read.site);
            self.premature = first;
        }
    }

    /// The last generic writes of bytes of a range.
    pub fn writes(&self, offset: u32, len: u32) -> impl Iterator<Item = &Write> {
        let all = self.generic.within(granules(offset.into(), len)).map(|granule| (granule, &self.last[granule as usize]));
        all.filter(move |(granule, write)| bytes_of(*granule, offset.into(), len) & write.bytes != 0).map(|(_, write)| write)
    }

    /// Whether all of a range has been written.
    pub fn is_written(&self, offset: u32, len: u32) -> bool {
        self.written.holds_all(granules(offset.into(), len))
    }

    /// Notes that a thread read a range of which something was not written.
    pub fn read_early(&mut self, read: Read) {
        if self.early.len() < EARLY {
            self.early.push(read);
        }
    }

    /// Such reads of bytes of a range.
    pub fn early_reads(&self, offset: u32, len: u32) -> impl Iterator<Item = &Read> {
        self.early.iter().filter(move |read| read.meets(offset, len))
    }

    /// Notes that a job read a range.
    pub fn read(&mut self, read: Read) {
        self.latest_read = read.time;
        self.reads.retain(|other| (other.start, other.len) != (read.start, read.len));
        self.reads.truncate(READS - 1);
        self.reads.push_front(read);
    }

    /// The jobs' latest reads of bytes of a range.
    pub fn reads(&self, offset: u32, len: u32) -> impl Iterator<Item = &Read> {
        self.reads.iter().filter(move |read| read.meets(offset, len))
    }
}

/// Granules of a page.
const PAGE: u64 = 1024;
/// Parts of the table of pages, each with a lock of its own.
const SHARDS: usize = 64;

/// What the clusters of a launch have written to global memory, and what of it the asynchronous proxy knows. Their times are counts of one clock.
#[derive(Debug)]
pub struct GlobalShadow {
    clock: AtomicU64,
    written: AtomicBool,
    shards: [Mutex<Shard>; SHARDS],
    fences: Mutex<HashMap<[u32; 3], Fences>>,
    /// Until when threads that fenced had synchronised with other clusters.
    known: AtomicU64,
}

/// Some of the pages.
#[derive(Debug, Default)]
struct Shard {
    /// For each granule of a page one more than the index of its last write, 0 where that was an asynchronous one.
    pages: HashMap<u64, Box<[u32; PAGE as usize]>>,
    writes: Vec<(Write, [u32; 3])>,
}

impl Default for GlobalShadow {
    fn default() -> Self {
        GlobalShadow {
            clock: AtomicU64::new(0),
            written: AtomicBool::new(false),
            shards: std::array::from_fn(|_| Mutex::default()),
            fences: Mutex::default(),
            known: AtomicU64::new(0),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

impl GlobalShadow {
    /// Now.
    pub(crate) fn now(&self) -> u64 {
        self.clock.load(SeqCst)
    }

    /// Goes on by one.
    pub(crate) fn tick(&self) -> u64 {
        self.clock.fetch_add(1, SeqCst) + 1
    }

    /// Whether anything was written.
    pub(crate) fn is_written(&self) -> bool {
        self.written.load(Relaxed)
    }

    /// The pages of a range, with the granules of each.
    fn pages(address: u64, len: u32) -> impl Iterator<Item = (u64, Range<usize>)> {
        let all = granules(address, len);
        let pages = if all.is_empty() { 0..0 } else { all.start / PAGE..(all.end - 1) / PAGE + 1 };
        pages.map(move |page| {
            let first = page * PAGE;
            (page, (all.start.max(first) - first) as usize..(all.end.min(first + PAGE) - first) as usize)
        })
    }

    fn shard(&self, page: u64) -> MutexGuard<'_, Shard> {
        lock(&self.shards[page as usize % SHARDS])
    }

    /// Notes a generic write of a cluster.
    pub(crate) fn write(&self, address: u64, len: u32, write: Write, cluster: [u32; 3]) {
        self.written.store(true, Relaxed);
        for (page, within) in GlobalShadow::pages(address, len) {
            let mut shard = self.shard(page);
            if shard.writes.len() >= MOST_WRITES / SHARDS {
                *shard = Shard::default();
            }
            shard.writes.push((write, cluster));
            let index = shard.writes.len() as u32;
            let granules = shard.pages.entry(page).or_insert_with(|| Box::new([0; PAGE as usize]));
            granules[within].fill(index);
        }
    }

    /// Notes a write of the asynchronous proxy.
    pub(crate) fn write_async(&self, address: u64, len: u32) {
        if !self.is_written() {
            return;
        }
        for (page, within) in GlobalShadow::pages(address, len) {
            if let Some(granules) = self.shard(page).pages.get_mut(&page) {
                granules[within].fill(0);
            }
        }
    }

    /// Notes that lanes of a warp of a cluster fence what they wrote, and what they have synchronised with.
    pub(crate) fn fence(&self, now: u64, cluster: [u32; 3], warp: (u32, u32), mask: u32, synchronised: &[Synchronised; LANES]) {
        lock(&self.fences).entry(cluster).or_default().fence(now, warp, mask, synchronised);
        let known = lanes(mask).map(|lane| synchronised[lane][Reach::Grid as usize]).max();
        self.known.fetch_max(known.unwrap_or(0), SeqCst);
    }

    /// Who wrote in a range, at `time` at the latest, what the asynchronous proxy does not know when a job of a cluster reads it; atomic accesses do not
    /// count where the job's is `atomic`, too.
    pub(crate) fn unfenced(&self, address: u64, len: u32, atomic: bool, time: u64, reader: [u32; 3]) -> Option<Touch> {
        if !self.is_written() {
            return None;
        }
        let fences = lock(&self.fences);
        let known = self.known.load(SeqCst);
        GlobalShadow::pages(address, len).find_map(|(page, within)| {
            let shard = self.shard(page);
            let granules = shard.pages.get(&page)?;
            let indices = granules[within].iter().filter(|index| **index != 0);
            indices.map(|index| &shard.writes[*index as usize - 1]).find_map(|(write, cluster)| {
                let fenced =
                    fences.get(cluster).is_some_and(|fences| fences.cover(write)) || *cluster != reader && write.time <= known;
                let met = write.time <= time && !(write.atomic && atomic);
                (met && !fenced).then_some(Touch { site: write.site, cluster: *cluster })
            })
        })
    }
}

impl Write {
    /// One by a thread.
    pub fn new(site: Site, time: u64, atomic: bool) -> Self {
        Write { site, time, atomic, bytes: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(lane: u32, time: u64) -> Write {
        Write::new(Site { lane, ..Site::default() }, time, false)
    }

    #[test]
    fn the_last_write_of_each_byte_is_known() {
        let mut shadow = Shadow::default();
        shadow.write(2, 2, write(1, 1));
        shadow.write(4, 8, write(2, 2));
        let lanes = |shadow: &Shadow, offset, len| shadow.writes(offset, len).map(|w| w.site.lane).collect::<Vec<_>>();
        assert_eq!(lanes(&shadow, 0, 2), [0; 0]);
        assert_eq!(lanes(&shadow, 3, 2), [1, 2]);
        assert_eq!(lanes(&shadow, 0, 4096), [1, 2, 2]);
        shadow.read_early(Read { start: 12, len: 4, site: Site { lane: 5, ..Site::default() }, time: 3 });
        shadow.write_async(8, 4);
        assert_eq!((lanes(&shadow, 8, 4), shadow.premature), (vec![], None));
        shadow.write_async(12, 4);
        assert_eq!(shadow.premature.map(|site| site.lane), Some(5));
        shadow.written.remove(granules(12, 4));
        assert!(shadow.is_written(0, 12) && !shadow.is_written(8, 5));
        shadow.clear();
        assert!(!shadow.is_written(0, 4) && lanes(&shadow, 0, 16).is_empty());
    }

    #[test]
    fn sets_reach_over_words() {
        let mut set = Set::default();
        set.add(60..200);
        assert_eq!(set.within(0..1000).collect::<Vec<_>>(), (60..200).collect::<Vec<_>>());
        set.remove(64..192);
        assert_eq!(set.within(62..194).collect::<Vec<_>>(), [62, 63, 192, 193]);
        assert!(set.holds_all(192..200) && !set.holds_all(192..201) && set.holds_all(7..7));
    }

    #[test]
    fn the_latest_reads_are_known() {
        let mut shadow = Shadow::default();
        for time in 1..=20 {
            shadow.read(Read { start: time as u32 * 16, len: 16, site: Site::default(), time });
        }
        assert_eq!(shadow.reads(0, 16 * 6).count(), 1);
        assert_eq!(shadow.reads(16 * 20 + 15, 1).map(|read| read.time).collect::<Vec<_>>(), [20]);
    }

    #[test]
    fn global_writes_are_found_by_their_bytes() {
        let shadow = GlobalShadow::default();
        let base = 0x7f00_0000_0ffc;
        shadow.write(base, 8, write(3, 9), [0; 3]);
        let found = |address, len| shadow.unfenced(address, len, false, 9, [0; 3]).map(|touch| touch.site.lane);
        assert_eq!(found(base - 4096, 4096), None);
        assert_eq!(
            (found(base + 4, 8192), found(base + 7, 1), found(base + 8, 64), found(base, 0)),
            (Some(3), Some(3), None, None)
        );
        assert_eq!(shadow.unfenced(base, 8, false, 8, [0; 3]), None);
        shadow.write_async(base, 4);
        assert_eq!((found(base, 4), found(base + 4, 4)), (None, Some(3)));
    }
}
