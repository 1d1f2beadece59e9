//! Jobs of AMD's wavefronts: bytes that move between LDS and global memory in the background, in pieces, and what tells of them.
//!
//! A copy of lanes and a tile of a tensor are pieces alike. A counter of the wavefront says how many of its jobs are not complete, and jobs of one kind
//! complete in the order of their issue, so finishing one finishes those before it. There are no proxies: a wait is all that a program needs.
//! AMD's CDNA5 ISA guide, 5.7 (counters), 10.8 (asynchronous copies), 10.11 (tensor data mover), 11.2.2 (barriers in LDS).

use crate::cluster::{Cluster, RANK_SHIFT};
use crate::job::{Broken, Completion, Work};
use crate::mbarrier::Site;
use crate::memory::{Finder, Memory, SHARED_WINDOW, copy_in, copy_out};
use crate::mods::Space;
use crate::state::{Access, FaultKind, Group};

/// What completes in order; each kind by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Copies of lanes to LDS, and arrivals behind them.
    Load,
    /// Copies of lanes from LDS.
    Store,
    /// Tiles of tensors.
    Tile,
}

/// A run of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it is in global memory; a piece of zeros is nowhere.
    pub global: Option<u64>,
    /// The shared address.
    pub shared: u32,
    /// Its bytes.
    pub len: u32,
    /// The lane that it is for.
    pub lane: u32,
}

/// Bytes that move together.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// What moves.
    pub list: Vec<Piece>,
    /// Whether it goes to global memory.
    pub store: bool,
    /// Shared addresses of barriers in LDS at which it arrives when it has moved, and the lanes that asked for it.
    pub arrivals: Vec<(u32, u32)>,
}

impl Pieces {
    /// The ranges of generic addresses that are read, or written: of each piece the address, its bytes and its lane.
    pub(crate) fn places(&self, written: bool) -> impl Iterator<Item = (u64, u32, u32)> {
        let global = written == self.store;
        self.list.iter().filter_map(move |piece| {
            let at = if global { piece.global? } else { SHARED_WINDOW + u64::from(piece.shared) };
            Some((at, piece.len, piece.lane))
        })
    }
}

/// Bits of a barrier in LDS: the count of arrivals that are missing, less one, then the phase, then the count that a phase begins with.
const PENDING: u32 = 29;
/// Where the first count begins.
const RELOAD: u32 = 32;

/// A barrier in LDS after so many arrivals: where fewer were missing, the next phase begins, and its number is one less.
pub fn arrived(state: u64, by: u64) -> u64 {
    let field = |low: u32, bits: u32| state >> low & ((1 << bits) - 1);
    let (pending, phase, reload) = (field(0, PENDING), field(PENDING, RELOAD - PENDING), field(RELOAD, 16));
    let (pending, phases) = match by.checked_sub(pending + 1) {
        None => (pending - by, 0),
        Some(beyond) => (reload - beyond % (reload + 1), 1 + beyond / (reload + 1)),
    };
    let phase = phase.wrapping_sub(phases) & ((1 << (RELOAD - PENDING)) - 1);
    state & u64::MAX << RELOAD | phase << PENDING | pending
}

impl Cluster {
    /// Reads what pieces hold.
    pub(crate) fn read_pieces(
        &mut self,
        memory: &Memory,
        pieces: &Pieces,
        bytes: &mut Vec<u8>,
        site: Site,
    ) -> Result<(), Broken> {
        let mut finder = Finder::new(memory, Access::Read);
        for piece in &pieces.list {
            let (at, len) = (bytes.len(), piece.len as usize);
            let site = Site { lane: piece.lane, ..site };
            bytes.resize(at + len, 0);
            let host = match (pieces.store, piece.global) {
                (true, _) => self.shared_range(piece.shared, piece.len, Access::Read, 1),
                (false, Some(from)) => {
                    self.touch(memory, from, len, Access::Read, site);
                    finder.place(from, len)
                }
                (false, None) => continue,
            };
            // SAFETY: the range was found; `bytes` is ours.
            unsafe { copy_in(host.map_err(|kind| (kind, site))?, bytes[at..].as_mut_ptr(), len) };
        }
        Ok(())
    }

    /// Writes it, and arrives.
    pub(crate) fn write_pieces(&mut self, memory: &Memory, pieces: &Pieces, bytes: &[u8], site: Site) -> Result<(), Broken> {
        let (mut finder, mut rest) = (Finder::new(memory, Access::Write), bytes);
        for piece in &pieces.list {
            let site = Site { lane: piece.lane, ..site };
            let (own, behind) = rest.split_at(piece.len as usize);
            rest = behind;
            let host = match (pieces.store, piece.global) {
                (false, _) => self.shared_range(piece.shared, piece.len, Access::Write, 1),
                (true, Some(to)) => {
                    self.touch(memory, to, own.len(), Access::Write, site);
                    finder.place(to, own.len())
                }
                (true, None) => continue,
            };
            // SAFETY: the range was found.
            unsafe { copy_out(host.map_err(|kind| (kind, site))?, own.as_ptr(), own.len()) };
        }
        for (at, lane) in &pieces.arrivals {
            let site = Site { lane: *lane, ..site };
            self.arrive_in_lds(*at).map_err(|kind| (kind, site))?;
        }
        Ok(())
    }

    fn arrive_in_lds(&mut self, at: u32) -> Result<(), FaultKind> {
        let host = self.shared_range(at, 8, Access::Atomic, 8)?;
        let mut state = [0; 8];
        // SAFETY: the range was found.
        unsafe { copy_in(host, state.as_mut_ptr(), 8) };
        let after = arrived(u64::from_le_bytes(state), 1).to_le_bytes();
        // SAFETY: likewise.
        unsafe { copy_out(host, after.as_ptr(), 8) };
        Ok(())
    }

    /// The jobs of a kind that a wavefront has in the queue, the oldest first.
    fn counted(&self, wave: (u32, u32), kind: Kind) -> impl Iterator<Item = usize> {
        self.jobs.iter().enumerate().filter_map(move |(i, job)| {
            ((job.site.rank, job.site.warp) == wave && job.completion == Completion::Counter(kind)).then_some(i)
        })
    }

    /// Of a job with pieces, the oldest of its kind that is not complete: the job itself, or one before it.
    pub(crate) fn oldest_like(&self, index: usize) -> usize {
        let job = &self.jobs[index];
        let (Work::Pieces(_), Completion::Counter(kind)) = (&job.work, job.completion) else { return index };
        self.counted((job.site.rank, job.site.warp), kind).next().unwrap_or(index)
    }

    /// Finishes what must be complete where a wavefront goes on when a counter of these kinds says `left` or less. Kinds are not ordered among each other:
    /// of each only as many are as the others could not account for.
    ///
    /// # Errors
    /// What went wrong.
    pub fn finish_counted(&mut self, memory: &Memory, wave: (u32, u32), kinds: &[Kind], left: usize) -> Result<(), Broken> {
        for kind in kinds {
            let done = self.counted(wave, *kind).count().saturating_sub(left);
            for _ in 0..done {
                let Some(first) = self.counted(wave, *kind).next() else { break };
                self.finish_job(memory, first)?;
            }
        }
        Ok(())
    }
}

impl Group<'_> {
    /// The shared address of what is at an offset in the block's own LDS.
    ///
    /// # Errors
    /// The offset is beyond it (those of other blocks are not behind it), or the address is not a multiple of `align`.
    pub fn lds_range(&mut self, offset: u32, size: u32, access: Access, align: u32) -> Result<u32, FaultKind> {
        if offset >> RANK_SHIFT != 0 {
            return Err(FaultKind::OutOfBounds { space: "shared", address: offset.into(), size, access, nearest: None });
        }
        let at = self.named(Space::Shared, offset.into()) as u32;
        self.cluster.shared_range(at, size, access, align).map(|_| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_count_down_and_begin_the_next_phase() {
        let begin = 2 << 32 | 2;
        assert_eq!(arrived(begin, 0), begin);
        assert_eq!(arrived(begin, 2), 2 << 32);
        assert_eq!(arrived(begin, 3), 2 << 32 | 7 << 29 | 2);
        assert_eq!(arrived(begin, 7), 2 << 32 | 6 << 29 | 1);
        assert_eq!(arrived(2 << 32 | 7 << 29, 1), 2 << 32 | 6 << 29 | 2);
    }
}
