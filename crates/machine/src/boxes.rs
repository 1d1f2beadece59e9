//! Jobs that move boxes of tensors: the two halves of [`crate::tensor`]'s copies on memory, with an image of the box between them.

use crate::cluster::{Cluster, RANK_SHIFT};
use crate::job::{Reducer, in_block};
use crate::mbarrier::Site;
use crate::memory::{Cells, Finder, Memory, copy_in, copy_out};
use crate::mods::Operation;
use crate::state::{Access, FaultKind, lanes};
use crate::tensor::{Copy, Direction};

/// A box on its way.
#[derive(Clone, Debug)]
pub struct Boxed {
    /// Which bytes go where.
    pub copy: Copy,
    /// The shared address at which the box begins.
    pub shared: u32,
    /// Blocks of the cluster that get it, as a mask of ranks; only the address's own if it is zero.
    pub ranks: u32,
    /// What combines elements in global memory, if not plainly copied.
    pub reduce: Option<(Operation, Reducer)>,
    /// Whether of each pair of blocks the memory barrier object is that of the block that its address names.
    pub pair: bool,
}

impl Boxed {
    /// Bytes of shared memory within which the box lies.
    pub fn span(&self) -> u32 {
        self.copy.shared_bytes() as u32
    }

    /// The shared addresses at which the box begins, one for each block that gets it.
    pub fn places(&self) -> impl Iterator<Item = u32> {
        let (shared, ranks) = (self.shared, self.ranks);
        lanes(if ranks == 0 { 1 } else { ranks })
            .map(move |rank| if ranks == 0 { shared } else { in_block(shared.into(), rank as u32) as u32 })
    }

    /// The object that is told for the block that a box began at.
    pub fn object(&self, bar: u32, place: u32) -> u32 {
        if self.ranks == 0 {
            return bar;
        }
        let (rank, own) = (place >> RANK_SHIFT, bar >> RANK_SHIFT);
        in_block(bar.into(), if self.pair { rank & !1 | own & 1 } else { rank }) as u32
    }
}

impl Cluster {
    /// Does the reading half of a box's job: its image.
    pub(crate) fn read_box(&mut self, memory: &Memory, boxed: &Boxed, image: &mut Vec<u8>, site: Site) -> Result<(), FaultKind> {
        if boxed.copy.direction() == Direction::Load {
            let mut finder = Finder::new(memory, Access::Read);
            return boxed.copy.read_global(image, |from, bytes| {
                let host = finder.place(from, bytes.len())?;
                self.touch(memory, from, bytes.len(), Access::Read, site);
                // SAFETY: the range was found; `bytes` is ours.
                unsafe { copy_in(host, bytes.as_mut_ptr(), bytes.len()) };
                Ok(())
            });
        }
        let host = self.shared_range(boxed.shared, boxed.span(), Access::Read, 1)?;
        boxed.copy.read_shared(boxed.shared, image, |from, bytes| {
            // SAFETY: the box lies in the range.
            unsafe { copy_in(host.add((from - boxed.shared) as usize), bytes.as_mut_ptr(), bytes.len()) };
            Ok(())
        })
    }

    /// Does the writing half.
    pub(crate) fn write_box(&mut self, memory: &Memory, boxed: &Boxed, image: &[u8], site: Site) -> Result<(), FaultKind> {
        if boxed.copy.direction() == Direction::Store {
            let mut finder = Finder::new(memory, Access::Write);
            return boxed.copy.write_global(image, |to, bytes| {
                let host = finder.place(to, bytes.len())?;
                self.touch(memory, to, bytes.len(), Access::Write, site);
                self.note_async_global_write(to, bytes.len() as u32);
                // SAFETY: the range was found; coordinates of elements are multiples of their size.
                unsafe {
                    match boxed.reduce {
                        Some((operation, reduce)) => reduce(operation, &mut Cells::new(host, bytes.len(), false), bytes),
                        None => copy_out(host, bytes.as_ptr(), bytes.len()),
                    }
                }
                Ok(())
            });
        }
        for place in boxed.places() {
            let host = self.shared_range(place, boxed.span(), Access::Write, 1)?;
            self.note_async_write(place, boxed.span())?;
            boxed.copy.write_shared(place, image, |to, bytes| {
                // SAFETY: the box lies in the range.
                unsafe { copy_out(host.add((to - place) as usize), bytes.as_ptr(), bytes.len()) };
                Ok::<_, FaultKind>(())
            })?;
        }
        Ok(())
    }
}
