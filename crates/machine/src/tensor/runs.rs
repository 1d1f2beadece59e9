//! Runs of bytes that are side by side in global and in shared memory.
//!
//! Rows come one after the other; what continues the last one on both sides is joined to it, so that a box as wide as its tensor is
//! one run. Then the swizzle cuts runs where chunks change places.

use super::swizzle::Swizzle;

/// Bytes that stay together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where they are in global memory; none for elements outside of the tensor.
    pub global: Option<u64>,
    /// Where they are in shared memory.
    pub shared: u32,
    /// How many there are in shared memory. Of padded types, 16 of them are 8 or 12 in global memory: [`super::Element::packed`].
    pub bytes: u32,
}

/// Takes rows, gives runs.
pub(super) struct Sink<F> {
    start: u32,
    swizzle: Swizzle,
    packed: u32,
    act: F,
    pending: Run,
}

impl<E, F: FnMut(Run) -> Result<(), E>> Sink<F> {
    pub fn new(start: u32, swizzle: Swizzle, packed: u32, act: F) -> Self {
        Sink { start, swizzle, packed, act, pending: Run { global: None, shared: 0, bytes: 0 } }
    }

    /// Bytes of global memory as bytes of shared memory.
    #[inline(always)]
    fn spread(&self, bytes: u32) -> u32 {
        if self.packed == 16 { bytes } else { bytes * 16 / self.packed }
    }

    /// Takes so many bytes of global memory that go to a linear place of the box.
    #[inline(always)]
    fn take(&mut self, global: Option<u64>, shared: u32, bytes: u32) -> Result<(), E> {
        let bytes = self.spread(bytes);
        let last = &mut self.pending;
        let length = u64::from(if self.packed == 16 { last.bytes } else { last.bytes * self.packed / 16 });
        let follows = shared == last.shared + last.bytes
            && match (last.global, global) {
                (Some(before), Some(now)) => before.wrapping_add(length) == now,
                (before, now) => before == now,
            };
        if follows {
            last.bytes += bytes;
            return Ok(());
        }
        self.flush()?;
        self.pending = Run { global, shared, bytes };
        Ok(())
    }

    fn flush(&mut self) -> Result<(), E> {
        let Run { global, shared, bytes } = self.pending;
        if bytes == 0 {
            return Ok(());
        }
        let (packed, act) = (self.packed, &mut self.act);
        if self.swizzle == Swizzle::None {
            return act(Run { global, shared: self.start.wrapping_add(shared), bytes });
        }
        self.swizzle.parts(self.start.wrapping_add(shared), bytes, |place, before, bytes| {
            let before = if packed == 16 { before } else { before / 16 * packed };
            act(Run { global: global.map(|at| at.wrapping_add(u64::from(before))), shared: place, bytes })
        })
    }

    pub fn finish(mut self) -> Result<(), E> {
        self.flush()
    }
}

/// A row: where it begins in its dimension, how long it is, and how long the dimension is, in bytes of global memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inner {
    pub at: i64,
    pub count: i64,
    pub size: i64,
}

impl Inner {
    /// Gives a row to the sink: what is left of the tensor, inside of it, and right of it. `base` is where its dimension begins.
    #[inline(always)]
    pub fn each<E>(self, base: Option<u64>, shared: u32, sink: &mut Sink<impl FnMut(Run) -> Result<(), E>>) -> Result<(), E> {
        let Some(base) = base else { return sink.take(None, shared, self.count as u32) };
        let first = (-self.at).clamp(0, self.count);
        let end = (self.size - self.at).clamp(first, self.count);
        if first > 0 {
            sink.take(None, shared, first as u32)?;
        }
        if end > first {
            let global = base.wrapping_add((self.at + first) as u64);
            sink.take(Some(global), shared + sink.spread(first as u32), (end - first) as u32)?;
        }
        if end < self.count {
            sink.take(None, shared + sink.spread(end as u32), (self.count - end) as u32)?;
        }
        Ok(())
    }
}

/// A dimension above the rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// The first coordinate.
    pub at: i64,
    /// From one coordinate to the next.
    pub step: i64,
    /// How many.
    pub count: u32,
    /// Elements of the dimension.
    pub size: i64,
    /// Bytes from one element to the next.
    pub stride: u64,
}

impl Axis {
    /// Bytes before the `i`th coordinate, and whether it is outside of the tensor.
    #[inline(always)]
    pub fn place(&self, i: u32) -> (u64, bool) {
        let at = self.at + i64::from(i) * self.step;
        ((at as u64).wrapping_mul(self.stride), !(0..self.size).contains(&at))
    }
}

/// Rows of a box.
pub(super) struct Rows<'a> {
    pub address: u64,
    pub inner: Inner,
    /// The first runs fastest.
    pub axes: &'a [Axis],
    pub pitch: u32,
    pub shared: u32,
}

impl Rows<'_> {
    /// Gives all rows to the sink.
    pub fn each<E>(self, sink: &mut Sink<impl FnMut(Run) -> Result<(), E>>) -> Result<(), E> {
        let mut shared = self.shared;
        self.walk(self.axes.len(), Some(self.address), &mut shared, sink)
    }

    /// The rows of the lowest `depth` axes; `base` is where the outer ones lead to, if inside of the tensor.
    fn walk<E>(
        &self,
        depth: usize,
        base: Option<u64>,
        shared: &mut u32,
        sink: &mut Sink<impl FnMut(Run) -> Result<(), E>>,
    ) -> Result<(), E> {
        let Some(axis) = depth.checked_sub(1).and_then(|i| self.axes.get(i)) else {
            self.inner.each(base, *shared, sink)?;
            *shared = shared.wrapping_add(self.pitch);
            return Ok(());
        };
        for i in 0..axis.count {
            let (bytes, outside) = axis.place(i);
            let inside = base.filter(|_| !outside).map(|base| base.wrapping_add(bytes));
            match depth {
                // The innermost loop is here, not a call for each row.
                1 => {
                    self.inner.each(inside, *shared, sink)?;
                    *shared = shared.wrapping_add(self.pitch);
                }
                _ => self.walk(depth - 1, inside, shared, sink)?,
            }
        }
        Ok(())
    }
}
