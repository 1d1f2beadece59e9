//! Both halves of a copy: what it reads becomes an image of the box as it would lie in shared memory without a swizzle, and what it
//! writes comes from there. Between them time may pass.
//!
//! Memory is whoever's who calls: closures read and write ranges of it. Runs of global memory are not cut by swizzles, so
//! that few ranges are looked up.

use super::element::pack_b6;
use super::{Copy, Element, Run};

impl Copy {
    /// Reads the tensor, by `read` from global addresses, and fills in what is outside of it.
    ///
    /// # Errors
    /// What `read` gives.
    pub fn read_global<E>(&self, image: &mut Vec<u8>, mut read: impl FnMut(u64, &mut [u8]) -> Result<(), E>) -> Result<(), E> {
        image.clear();
        image.resize(self.image_bytes() as usize, self.fill().byte());
        let element = self.map().element;
        self.each_linear(|Run { global, shared, bytes }| {
            let Some(from) = global else { return Ok(()) };
            let place = &mut image[shared as usize..(shared + bytes) as usize];
            if element.is_padded() {
                return read_padded(element, from, place, &mut read);
            }
            read(from, place)?;
            if element.converts() {
                convert(element, place);
            }
            Ok(())
        })
    }

    /// Writes an image to shared memory, by `write` to addresses there; the box begins at `shared`.
    ///
    /// # Errors
    /// What `write` gives.
    pub fn write_shared<E>(
        &self,
        shared: u32,
        image: &[u8],
        mut write: impl FnMut(u32, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_part(shared, |place, before, bytes| write(place, &image[before as usize..(before + bytes) as usize]))
    }

    /// Reads shared memory, by `read` from addresses there; the box begins at `shared`.
    ///
    /// # Errors
    /// What `read` gives.
    pub fn read_shared<E>(
        &self,
        shared: u32,
        image: &mut Vec<u8>,
        mut read: impl FnMut(u32, &mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        image.clear();
        image.resize(self.image_bytes() as usize, 0);
        self.each_part(shared, |place, before, bytes| read(place, &mut image[before as usize..(before + bytes) as usize]))
    }

    /// Writes an image to the tensor, by `write` to global addresses; what is outside of it is left out.
    ///
    /// # Errors
    /// What `write` gives.
    pub fn write_global<E>(&self, image: &[u8], mut write: impl FnMut(u64, &[u8]) -> Result<(), E>) -> Result<(), E> {
        let element = self.map().element;
        self.each_linear(|Run { global, shared, bytes }| {
            let Some(to) = global else { return Ok(()) };
            let from = &image[shared as usize..(shared + bytes) as usize];
            if element != Element::B6Padded {
                return write(to, from);
            }
            let packed: Vec<u8> =
                from.chunks_exact(16).flat_map(|chunk| chunk.first_chunk().map_or([0; 12], |bytes| pack_b6(*bytes))).collect();
            write(to, &packed)
        })
    }

    /// The parts of the box that stay together in shared memory: where, bytes before it in the image, bytes. Of padded types without the
    /// padding on the way to shared memory, which leaves it as it was.
    fn each_part<E>(&self, shared: u32, mut act: impl FnMut(u32, u32, u32) -> Result<(), E>) -> Result<(), E> {
        let (swizzle, packed) = (self.map().swizzle, self.map().element.packed());
        let all = packed == 16 || self.direction() == super::Direction::Store;
        self.each_row(|start, bytes| {
            swizzle.parts(shared + start, bytes, |place, before, bytes| match all {
                true => act(place, start + before, bytes),
                false => (0..bytes).step_by(16).try_for_each(|i| act(place + i, start + before + i, packed)),
            })
        })
    }
}

/// Reads elements that are dense in global memory and padded in the image.
fn read_padded<E>(
    element: Element,
    from: u64,
    place: &mut [u8],
    read: &mut impl FnMut(u64, &mut [u8]) -> Result<(), E>,
) -> Result<(), E> {
    let packed = element.packed() as usize;
    let mut dense = vec![0; place.len() / 16 * packed];
    read(from, &mut dense)?;
    for (to, from) in place.chunks_exact_mut(16).zip(dense.chunks_exact(packed)) {
        to[..packed].copy_from_slice(from);
    }
    Ok(())
}

fn convert(element: Element, place: &mut [u8]) {
    for bytes in place.chunks_exact_mut(4) {
        let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        bytes.copy_from_slice(&element.loaded(bits).to_le_bytes());
    }
}
