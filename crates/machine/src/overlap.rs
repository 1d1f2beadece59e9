//! Launches that overlap: a launch that depends on the one before it may begin before that one has completed.
//!
//! PTX ISA 9.4, 9.7.15.14 (griddepcontrol). A grid lets its dependents begin when all its blocks have said so or have exited; what it writes
//! is there for a dependent only once that one has waited for it. So what two launches that overlap do to the same bytes of global memory is
//! a fault if one of them writes, unless both accesses are atomic or ordered, or the later launch has acquired something, which may have
//! told it that the bytes are ready. Asynchronous work accesses memory when it is issued, as far as this is concerned: it may do so at once, and the
//! dependent must have waited by then. Nothing is noted of launches that do not overlap.

use crate::job::Job;
use crate::memory::{Failure, in_window};
use crate::mods::Space;
use crate::state::{Access, FaultKind, lanes};
use crate::{Group, LANES};
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// A thread at an op of one of several launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which launch, in their order.
    pub launch: usize,
    /// Index of the op in its kernel.
    pub op: u32,
    /// The block's position in the grid's order.
    pub block: u64,
    /// The thread's position in its block.
    pub thread: u32,
}

/// Two launches that access the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Who should have waited, and what it does.
    pub dependent: (Place, Access),
    /// Who is not complete, and what it does.
    pub prerequisite: (Place, Access),
    /// The first byte of the access that showed it.
    pub address: u64,
    /// Its bytes.
    pub size: u32,
}

/// What launches that may overlap have accessed.
#[derive(Debug)]
pub struct Accesses {
    complete: Vec<AtomicBool>,
    noted: Mutex<Vec<Noted>>,
}

/// What one launch has accessed, four bytes at a time.
#[derive(Debug, Default)]
struct Noted {
    /// Plain reads, plain writes and atomic accesses: which of the bytes, and who was the last.
    words: [HashMap<u64, (u8, Place)>; 3],
    /// Whether it has acquired something.
    acquired: bool,
}

const KINDS: [Access; 3] = [Access::Read, Access::Write, Access::Atomic];

/// Whether two accesses may not meet.
fn conflict(a: Access, b: Access) -> bool {
    a != b || a == Access::Write
}

impl Accesses {
    /// Of so many launches, none of which has begun.
    pub fn new(launches: usize) -> Self {
        let noted = (0..launches).map(|_| Noted::default()).collect();
        Accesses { complete: (0..launches).map(|_| AtomicBool::new(false)).collect(), noted: Mutex::new(noted) }
    }

    /// Takes notice that a launch is complete. What it has accessed matters until those before it are complete, too.
    pub fn completed(&self, launch: usize) {
        self.complete[launch].store(true, Relaxed);
        let mut noted = self.noted.lock().unwrap_or_else(|e| e.into_inner());
        let complete = self.complete.iter().take_while(|complete| complete.load(Relaxed)).count();
        noted[..complete].iter_mut().for_each(|noted| *noted = Noted::default());
    }

    /// Notes an access of a range of bytes.
    ///
    /// # Errors
    /// Another launch that is not complete has accessed some of them.
    fn note(&self, place: Place, access: Access, address: u64, size: u32) -> Result<(), Conflict> {
        let mut noted = self.noted.lock().unwrap_or_else(|e| e.into_inner());
        for (word, bytes) in words(address, size) {
            let before = |i: &usize| *i < place.launch && !self.complete[*i].load(Relaxed);
            let met = (0..noted.len()).filter(|i| before(i) || *i > place.launch).find_map(|i| {
                // The later launch may know by other means that the earlier one is so far.
                if noted[i.max(place.launch)].acquired {
                    return None;
                }
                let same = |(kind, words): (Access, &HashMap<u64, (u8, Place)>)| {
                    let (theirs, other) = words.get(&word)?;
                    (conflict(access, kind) && theirs & bytes != 0).then_some((*other, kind))
                };
                KINDS.into_iter().zip(&noted[i].words).find_map(same)
            });
            if let Some(other) = met {
                let own = (place, access);
                let (prerequisite, dependent) = if other.0.launch < place.launch { (other, own) } else { (own, other) };
                return Err(Conflict { dependent, prerequisite, address, size });
            }
            let kind = KINDS.iter().position(|kind| *kind == access).unwrap_or(0);
            let entry = noted[place.launch].words[kind].entry(word).or_insert((0, place));
            *entry = (entry.0 | bytes, place);
        }
        Ok(())
    }
}

/// The words of four bytes that a range touches, and which of their bytes.
fn words(address: u64, size: u32) -> impl Iterator<Item = (u64, u8)> {
    let end = address.saturating_add(size.into());
    (address / 4..end.div_ceil(4)).map(move |word| {
        let (first, last) = (address.max(word * 4) % 4, (end - 1).min(word * 4 + 3) % 4);
        (word, ((0xf << first) & (0xf >> (3 - last))) as u8)
    })
}

/// What a launch has to do with those before and after it.
#[derive(Debug, Default)]
pub struct Overlap<'a> {
    /// Whether the launch that it depends on is not complete.
    pub waits: AtomicBool,
    /// Whether a launch that depends on it has not begun.
    pub awaited: AtomicBool,
    /// Blocks that let it begin, or have exited.
    pub signalled: AtomicU64,
    /// What those that overlap have accessed, and which of them this one is.
    pub accesses: Option<(&'a Accesses, usize)>,
}

impl Group<'_> {
    /// Whether its launch overlaps others.
    #[inline(always)]
    pub fn overlaps(&self) -> bool {
        self.launch.overlap.accesses.is_some()
    }

    /// Takes notice that lanes have acquired what others may have released.
    #[inline]
    pub fn acquired(&self) {
        if let Some((accesses, own)) = self.launch.overlap.accesses {
            accesses.noted.lock().unwrap_or_else(|e| e.into_inner())[own].acquired = true;
        }
    }

    /// Notes plain or atomic accesses of lanes to global memory, `size` bytes each.
    ///
    /// # Errors
    /// The first lane whose bytes another launch has accessed that overlaps.
    pub fn overlapping(
        &self,
        space: Space,
        op: u32,
        addresses: &[u64; LANES],
        mask: u32,
        size: u32,
        access: Access,
    ) -> Result<(), Failure> {
        if !self.overlaps() || !matches!(space, Space::Global | Space::Generic) {
            return Ok(());
        }
        for lane in lanes(mask).filter(|lane| space == Space::Global || !in_window(addresses[*lane])) {
            self.overlapping_at(op, lane as u32, addresses[lane], size, access)?;
        }
        Ok(())
    }

    /// Notes what asynchronous work that is issued now does to global memory.
    ///
    /// # Errors
    /// The lane that issues it, where another launch has accessed the same bytes that overlaps.
    pub fn overlapping_job(&self, job: &Job) -> Result<(), Failure> {
        if !self.overlaps() {
            return Ok(());
        }
        job.each_global(|lane, address, size, access| self.overlapping_at(job.site.op, lane, address, size, access))
    }

    fn overlapping_at(&self, op: u32, lane: u32, address: u64, size: u32, access: Access) -> Result<(), Failure> {
        let Some((accesses, launch)) = self.launch.overlap.accesses else { return Ok(()) };
        let place = Place { launch, op, block: self.block.linear, thread: self.warp.index * LANES as u32 + lane };
        accesses.note(place, access, address, size).map_err(|conflict| (lane, FaultKind::Overlap(Box::new(conflict))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(launch: usize, thread: u32) -> Place {
        Place { launch, op: 7, block: 0, thread }
    }

    #[test]
    fn words_have_the_bytes_of_the_range() {
        assert_eq!(words(6, 7).collect::<Vec<_>>(), [(1, 0b1100), (2, 0b1111), (3, 0b0001)]);
        assert_eq!(words(9, 2).collect::<Vec<_>>(), [(2, 0b0110)]);
    }

    #[test]
    fn launches_conflict_in_the_same_bytes_until_the_first_is_complete() {
        let accesses = Accesses::new(2);
        assert_eq!(accesses.note(place(0, 1), Access::Write, 100, 2), Ok(()));
        assert_eq!(accesses.note(place(1, 2), Access::Read, 102, 2), Ok(()));
        let conflict = accesses.note(place(1, 2), Access::Read, 100, 4);
        let (dependent, prerequisite) = ((place(1, 2), Access::Read), (place(0, 1), Access::Write));
        assert_eq!(conflict, Err(Conflict { dependent, prerequisite, address: 100, size: 4 }));
        let conflict = accesses.note(place(0, 3), Access::Write, 103, 1);
        let prerequisite = (place(0, 3), Access::Write);
        assert_eq!(conflict, Err(Conflict { dependent, prerequisite, address: 103, size: 1 }));
        accesses.completed(0);
        assert_eq!(accesses.note(place(1, 2), Access::Read, 100, 4), Ok(()));
    }

    #[test]
    fn what_a_complete_launch_read_too_early_is_still_known() {
        let accesses = Accesses::new(2);
        assert_eq!(accesses.note(place(1, 2), Access::Read, 100, 4), Ok(()));
        accesses.completed(1);
        assert!(accesses.note(place(0, 1), Access::Write, 100, 4).is_err());
    }

    #[test]
    fn reads_meet_and_atomic_accesses_meet() {
        let accesses = Accesses::new(2);
        for access in [Access::Read, Access::Atomic] {
            let at = if access == Access::Read { 0 } else { 64 };
            assert_eq!(accesses.note(place(0, 0), access, at, 4), Ok(()));
            assert_eq!(accesses.note(place(1, 0), access, at, 4), Ok(()));
        }
        assert!(accesses.note(place(1, 0), Access::Atomic, 0, 4).is_err());
    }
}
