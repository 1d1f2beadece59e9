//! AMD's buffers: where a descriptor says that the elements of vector and scalar buffer instructions are, and which of them exist.
//!
//! A descriptor (V#) is four scalar registers: base, stride, number of records, and how addresses are swizzled and checked. What is out of range is
//! read as zero and not written; of several words each is checked by itself, atomics and formatted elements as a whole. `engine` puts
//! [`address`] and [`word`] before the functions of loads and stores.
//!
//! AMD's ISA guides of CDNA3 and RDNA3, "Buffer Addressing", "Range Checking" and "Buffer Resource Descriptor"; of gfx9, that records are counted in
//! bytes unless there is an index, mesa (ac_descriptors).

use crate::operand::{cell_or_zero, row_or_zero};
use machine::state::{FaultKind, lanes};
use machine::{FULL, Group, LANES, Op, Step};

/// How descriptors are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Layout {
    Gfx9,
    Gfx10,
    Gfx11,
    Gfx125,
}

impl Layout {
    /// The layout of the targets with so many of the features `oob_select`, `swizzle_modes`, `wide_records`.
    fn of(features: u32) -> Layout {
        [Layout::Gfx9, Layout::Gfx10, Layout::Gfx11, Layout::Gfx125][features.min(3) as usize]
    }
}

/// How elements of consecutive records are interleaved.
#[derive(Clone, Copy, Debug)]
struct Swizzle {
    /// Records that lie together.
    records: u64,
    /// Bytes of each that lie together.
    bytes: u64,
}

/// What of an address is checked.
#[derive(Clone, Copy, Debug)]
enum Check {
    /// All bytes from the beginning.
    Raw,
    /// The index; with `true` also that the offset stays in the stride.
    Index(bool),
    /// Only that there are records.
    Empty,
    /// That the lane's scratch memory holds it, in a wavefront of so many lanes.
    Scratch(u64),
}

/// The type (the highest two bits) of the descriptor that a wavefront begins with for its scratch memory; buffers of programs have 0 there. Its number of records
/// are the bytes of a lane, which lie together here, so that what is added for all lanes counts for one of them.
pub const SCRATCH_DESCRIPTOR: u32 = 3;

/// A buffer descriptor, as far as it says where elements are and which of them exist.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub(crate) base: u64,
    stride: u64,
    records: u64,
    check: Check,
    swizzle: Option<Swizzle>,
    /// The lane's number is added to the index.
    adds_lane: bool,
}

/// Where an instruction's element is in a buffer.
#[derive(Clone, Copy, Debug)]
struct Place {
    index: u64,
    offset: u64,
    /// The part of the offset that all lanes have.
    scalar: u64,
}

impl Buffer {
    /// One without records.
    const NONE: Buffer = Buffer { base: 0, stride: 0, records: 0, check: Check::Empty, swizzle: None, adds_lane: false };

    /// Reads the descriptor in the cells `at`; `indexed`: the instruction gives an index.
    pub(crate) fn read(g: &Group, at: u32, features: u32, indexed: bool) -> Result<Buffer, String> {
        let words: [u32; 4] = std::array::from_fn(|i| g.predicate(at + 4 * i as u32));
        let [low, high] = [0, 2].map(|i| u64::from(words[i]) | u64::from(words[i + 1]) << 32);
        let layout = Layout::of(features);
        if layout == Layout::Gfx125 {
            if high >> 44 & 0xffff != 0 {
                return Err("a buffer descriptor with a stride is not executable yet on this GPU".into());
            }
            let records = low >> 57 | (high & ((1 << 38) - 1)) << 7;
            let base = low & ((1 << 57) - 1);
            return Ok(Buffer { base, stride: 0, records, check: Check::Raw, swizzle: None, adds_lane: false });
        }
        if words[3] >> 30 == SCRATCH_DESCRIPTOR {
            let (base, stride, lanes) = (low & ((1 << 48) - 1), u64::from(words[2]), 8 << (words[3] >> 21 & 3));
            return Ok(Buffer { base, stride, records: lanes, check: Check::Scratch(lanes), swizzle: None, adds_lane: true });
        }
        let adds_lane = words[3] >> 23 & 1 == 1;
        // Strides of buffers that add lane numbers are longer on gfx9, at the cost of the format.
        let longer = if layout == Layout::Gfx9 && adds_lane { u64::from(words[3] >> 15 & 15) << 14 } else { 0 };
        let stride = low >> 48 & 0x3fff | longer;
        let indexed = indexed || adds_lane;
        let check = match (layout, words[3] >> 28 & 3) {
            (Layout::Gfx9, _) if stride == 0 || !indexed => Check::Raw,
            (Layout::Gfx9, _) | (_, 1) => Check::Index(false),
            (_, 0) => Check::Index(true),
            (_, 2) => Check::Empty,
            _ => Check::Raw,
        };
        let bytes = match (layout, words[1] >> 30) {
            (Layout::Gfx9, 2..) => 2 << (words[3] >> 19 & 3),
            (Layout::Gfx10, 2..) => 4,
            (Layout::Gfx9 | Layout::Gfx10, _) => 0,
            (_, mode) => [0, 4, 8, 16][mode as usize],
        };
        let swizzle = (bytes != 0).then_some(Swizzle { records: 8 << (words[3] >> 21 & 3), bytes });
        Ok(Buffer { base: low & ((1 << 48) - 1), stride, records: high & 0xffff_ffff, check, swizzle, adds_lane })
    }

    /// Bytes of the whole buffer, as scalar loads count them.
    pub(crate) fn bytes(&self) -> u64 {
        if self.stride == 0 { self.records } else { self.records * self.stride }
    }

    /// The address of a place.
    fn address(&self, place: Place) -> u64 {
        let Place { index, offset, scalar } = self.own(place);
        let within = match self.swizzle {
            None => index * self.stride + offset,
            Some(Swizzle { records, bytes }) => {
                let block = index / records * self.stride + offset / bytes * bytes;
                block * records + index % records * bytes + offset % bytes
            }
        };
        self.base.wrapping_add(within).wrapping_add(scalar)
    }

    /// How many of the bytes from a place on exist.
    fn existing(&self, place: Place, bytes: u64) -> u64 {
        let Place { index, offset, scalar } = self.own(place);
        let within = |end: u64, begin: u64| end.saturating_sub(begin).min(bytes);
        match self.check {
            Check::Scratch(_) => within(self.stride, offset + scalar),
            Check::Raw => within(self.records, index * self.stride + offset + scalar),
            Check::Index(_) if index >= self.records => 0,
            Check::Index(true) => within(self.stride, offset),
            Check::Empty if self.records == 0 => 0,
            Check::Index(false) | Check::Empty => bytes,
        }
    }

    /// The place, with what is added for all lanes counted for one of them.
    fn own(&self, place: Place) -> Place {
        match self.check {
            Check::Scratch(lanes) => Place { scalar: place.scalar / lanes, ..place },
            _ => place,
        }
    }

    /// Why an access to scratch memory cannot be.
    fn refused(&self, place: Place, bytes: u64) -> Option<FaultKind> {
        let Check::Scratch(lanes) = self.check else { return None };
        if !place.scalar.is_multiple_of(4 * lanes) {
            let message = "a scalar offset in scratch memory that is no multiple of the wavefront's words is not executable yet";
            return Some(FaultKind::Other(message.into()));
        }
        let Place { offset, scalar, .. } = self.own(place);
        (self.existing(place, bytes) < bytes).then(|| FaultKind::Scratch {
            offset: (offset + scalar) as i64,
            size: bytes as u32,
            lane: self.stride,
        })
    }

    /// Whether the bytes from an offset on lie next to one another.
    fn is_contiguous(&self, offset: u64, bytes: u64) -> bool {
        self.swizzle.is_none_or(|swizzle| offset % swizzle.bytes + bytes <= swizzle.bytes)
    }

    /// The place of a lane of an op, as [`address`] takes it.
    fn place(&self, g: &Group, op: &Op, lane: usize, rows: &[[u32; LANES]; 2]) -> Place {
        let added = if self.adds_lane { lane as u64 + u64::from(op.src[4] & 0xff) } else { 0 };
        Place {
            index: u64::from(rows[0][lane]) + added,
            offset: u64::from(rows[1][lane]) + u64::from(op.imm as u32),
            scalar: cell_or_zero(g, op.src[3]).into(),
        }
    }
}

/// The elements of lanes, each whole or not there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements {
    /// The lanes that execute the instruction.
    pub active: u32,
    /// Those of them whose element exists.
    pub exist: u32,
    /// Where it is.
    pub addresses: [u64; LANES],
}

impl Elements {
    /// Bytes that accesses of elements of a size may have at once: 8 or less, as all of them begin at multiples of it.
    pub fn whole(&self, size: u64) -> u64 {
        let address = |lane: usize| if self.exist >> lane & 1 == 1 { self.addresses[lane] } else { 0 };
        let bits = (0..LANES).fold(size | 8, |bits, lane| bits | address(lane));
        1 << bits.trailing_zeros()
    }
}

impl Buffer {
    /// The elements of so many bytes of an op, whose sources are those of [`address`].
    pub(crate) fn elements(g: &Group, op: &Op, bytes: u64) -> Result<Elements, String> {
        let (buffer, places) = places(g, op)?;
        let mut found = Elements { active: g.predicate(op.guard), exist: 0, addresses: [0; LANES] };
        for (lane, place) in places {
            let exists = buffer.existing(place, bytes) == bytes;
            if exists && !buffer.is_contiguous(place.offset, bytes) {
                return Err("a formatted element across the parts of a swizzled buffer is not executable yet".into());
            }
            found.addresses[lane] = buffer.address(place);
            found.exist |= u32::from(exists) << lane;
        }
        Ok(found)
    }
}

/// How many features lay the descriptor of an op out.
pub(crate) fn features(op: &Op) -> u32 {
    op.src[4] >> 8
}

/// The places of the active lanes of an op. Without any the descriptor is not looked at: it may be none.
fn places(g: &Group, op: &Op) -> Result<(Buffer, Vec<(usize, Place)>), String> {
    if g.predicate(op.guard) == 0 {
        return Ok((Buffer::NONE, Vec::new()));
    }
    let buffer = Buffer::read(g, op.src[0], features(op), op.src[1] != machine::op::NONE)?;
    let rows = [row_or_zero(g, op.src[1]), row_or_zero(g, op.src[2])];
    let places = lanes(g.predicate(op.guard)).map(|lane| (lane, buffer.place(g, op, lane, &rows))).collect();
    Ok((buffer, places))
}

/// Addresses through the buffer descriptor in the cells `src[0]`: the lanes' indices are the row `src[1]`, their offsets the row `src[2]`, the offset
/// of all the cell `src[3]`, where there are such, and `imm`. `src[4]` is the number of the first lane, and in the bits from 8 on how many features lay descriptors
/// out. `dst[0]` gets the addresses, the cell `dst[1]` the lanes whose `arity` bytes exist and lie together. The
/// cell behind it gets the other lanes, which go word by word, unless they go as a whole or not at all (`wide`).
pub fn address(g: &mut Group, op: &Op) -> Step {
    let (buffer, places) = match places(g, op) {
        Ok(found) => found,
        Err(message) => return g.fail(0, FaultKind::Other(message)),
    };
    let bytes = u64::from(op.arity);
    let (mut addresses, mut whole, mut parts) = ([0u64; LANES], 0u32, 0u32);
    for (lane, place) in places {
        if let Some(kind) = buffer.refused(place, bytes) {
            return g.fail(lane as u32, kind);
        }
        addresses[lane] = buffer.address(place);
        let (exist, together) = (buffer.existing(place, bytes) == bytes, buffer.is_contiguous(place.offset, bytes));
        whole |= u32::from(exist && together) << lane;
        parts |= u32::from(!exist && !op.wide || !together) << lane;
        if op.wide && exist && !together {
            let message = "an atomic or a formatted element across the parts of a swizzled buffer is not executable yet";
            return g.fail(lane as u32, FaultKind::Other(message.into()));
        }
    }
    g.set_row(op.dst[0], &addresses, FULL);
    g.set_predicate(op.dst[1], whole, FULL);
    g.set_predicate(op.dst[1] + 4, parts, FULL);
    Step::Next
}

/// The same for one word, `arity` bytes, of lanes that go word by word: those of the guard.
pub fn word(g: &mut Group, op: &Op) -> Step {
    // The usual case.
    if g.predicate(op.guard) == 0 {
        g.set_predicate(op.dst[1], 0, FULL);
        return Step::Next;
    }
    let (buffer, places) = match places(g, op) {
        Ok(found) => found,
        Err(message) => return g.fail(0, FaultKind::Other(message)),
    };
    let bytes = u64::from(op.arity);
    let (mut addresses, mut exist) = ([0u64; LANES], 0u32);
    for (lane, place) in places {
        addresses[lane] = buffer.address(place);
        exist |= u32::from(buffer.existing(place, bytes) == bytes) << lane;
    }
    g.set_row(op.dst[0], &addresses, FULL);
    g.set_predicate(op.dst[1], exist, FULL);
    Step::Next
}
