//! Where registers live in a frame: liveness, then a linear scan.
//!
//! PTX has as many registers as it likes, each assigned once; a frame of all of them would not fit a cache. Registers that
//! are never alive together share a row. Liveness is per thread, and a row belongs to its lanes, so divergence changes nothing; an
//! assignment under a guard may leave the old value, so it does not end its liveness.

use machine::Op;
use machine::op::NONE;
use machine::state::LINKAGE;
use std::ops::Range;

/// Marks an operand of a draft as a register number rather than an offset. The lowest bit is free for a guard's negation.
pub const REGISTER: u32 = 1 << 31;

/// A register number as an operand of a draft.
pub fn operand(register: u32) -> u32 {
    REGISTER | register << 1
}

/// The register of a draft's operand.
pub fn register(operand: u32) -> Option<usize> {
    (operand != NONE && operand & REGISTER != 0).then_some((operand & !REGISTER) as usize >> 1)
}

/// How a register is stored: bits of one lane, 1 for a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// 1, 8, 16, 32, 64 or 128.
    pub bits: u32,
    /// A constant: its row is written before the first op and never shared.
    pub constant: bool,
}

/// An op whose operands are still register numbers.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The op; `imm` of a branch is a label.
    pub op: Op,
    /// Ranges of the offsets table that the op reads or writes, and whether it writes.
    pub lists: [Option<(Range<usize>, bool)>; 2],
    /// Where threads can go from here.
    pub flow: Flow,
    /// The instruction's place.
    pub origin: crate::program::Origin,
}

/// Where threads can go after an op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// On.
    Next,
    /// To a label, and on if guarded.
    Branch(u32),
    /// To one of these labels, and on if guarded.
    Indexed(Vec<u32>),
    /// Nowhere, or on if guarded.
    End,
}

impl Draft {
    fn visit(&self, offsets: &[u32], mut visit: impl FnMut(usize, bool)) {
        let mut each = |operand: u32, written: bool| register(operand).into_iter().for_each(|r| visit(r, written));
        self.op.src.iter().for_each(|s| each(*s, false));
        if self.op.guard != NONE {
            each(self.op.guard, false);
        }
        self.op.dst.iter().for_each(|d| each(*d, true));
        for (range, written) in self.lists.iter().flatten() {
            offsets[range.clone()].iter().for_each(|o| each(*o, *written));
        }
    }
}

/// A block of drafts and its successors.
pub struct Block {
    /// Its drafts.
    pub drafts: Vec<Draft>,
    /// Blocks that can follow.
    pub successors: Vec<u32>,
}

/// The layout of a frame.
pub struct Frame {
    /// Offset of each register; [`NONE`] if it is never used.
    pub offsets: Vec<u32>,
    /// Bytes.
    pub size: u32,
}

#[derive(Clone)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(n: usize) -> Self {
        Bits(vec![0; n.div_ceil(64)])
    }

    fn set(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    fn clear(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }

    /// Adds `other`; whether anything was new.
    fn add(&mut self, other: &Bits) -> bool {
        let mut new = false;
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            new |= *other & !*own != 0;
            *own |= other;
        }
        new
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(i, word)| (0..64).filter(move |b| word >> b & 1 != 0).map(move |b| i * 64 + b))
    }
}

/// Lays out the frame of a function whose blocks stand in their final order.
pub fn frame(registers: &[Register], blocks: &[Block], offsets: &[u32]) -> Frame {
    let intervals = intervals(registers, blocks, offsets);
    // Rows by size, largest first, so that each class is aligned to its own size.
    let mut classes = [128, 64, 32, 16, 8, 1].map(|bits| Class { bits, free: Vec::new(), count: 0 });
    let mut slots = vec![NONE; registers.len()];
    let class_of = |bits: u32| [128, 64, 32, 16, 8, 1].iter().position(|b| *b == bits).unwrap_or(2);
    for (r, _) in registers.iter().enumerate().filter(|(_, r)| r.constant) {
        slots[r] = classes[class_of(registers[r].bits)].take();
    }
    let mut starts: Vec<usize> =
        (0..registers.len()).filter(|r| intervals[*r].start < intervals[*r].end && !registers[*r].constant).collect();
    starts.sort_by_key(|r| intervals[*r].start);
    let mut ends: std::collections::BinaryHeap<std::cmp::Reverse<(u32, usize)>> = std::collections::BinaryHeap::new();
    for r in starts {
        while let Some(std::cmp::Reverse((end, old))) = ends.peek().copied()
            && end <= intervals[r].start
        {
            ends.pop();
            classes[class_of(registers[old].bits)].free.push(slots[old]);
        }
        slots[r] = classes[class_of(registers[r].bits)].take();
        ends.push(std::cmp::Reverse((intervals[r].end, r)));
    }
    let mut size = LINKAGE;
    let bases = classes.each_ref().map(|class| {
        let base = size;
        size = (size + class.count * class.row()).next_multiple_of(64);
        base
    });
    let place = |r: usize| {
        let class = class_of(registers[r].bits);
        if slots[r] == NONE { NONE } else { bases[class] + slots[r] * classes[class].row() }
    };
    Frame { offsets: (0..registers.len()).map(place).collect(), size }
}

struct Class {
    bits: u32,
    free: Vec<u32>,
    count: u32,
}

impl Class {
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        })
    }

    /// Bytes of a row.
    fn row(&self) -> u32 {
        if self.bits == 1 { 4 } else { self.bits * 4 }
    }
}

/// From the first to one past the last position at which each register is alive; positions count two for each draft, sources at
/// the even one and results at the odd one.
fn intervals(registers: &[Register], blocks: &[Block], offsets: &[u32]) -> Vec<Range<u32>> {
    let n = registers.len();
    let live = live_out(n, blocks, offsets);
    let never = Range { start: u32::MAX, end: 0 };
    let mut intervals = vec![never; n];
    let mut position = 0;
    for (block, (live_in, live_out)) in blocks.iter().zip(live) {
        let start = position;
        let mut extend = |r: usize, from: u32, to: u32| {
            intervals[r].start = intervals[r].start.min(from);
            intervals[r].end = intervals[r].end.max(to);
        };
        for draft in &block.drafts {
            draft.visit(offsets, |r, written| {
                let at = position + u32::from(written);
                // A result may take the row of a source that ends here: rows of one size are the same row or disjoint.
                extend(r, at, if written { at + 1 } else { position + 1 });
            });
            position += 2;
        }
        live_in.iter().for_each(|r| extend(r, start, start + 1));
        live_out.iter().for_each(|r| extend(r, position.saturating_sub(1), position));
    }
    intervals
}

/// Registers alive at the start and end of each block.
fn live_out(n: usize, blocks: &[Block], offsets: &[u32]) -> Vec<(Bits, Bits)> {
    let local: Vec<(Bits, Bits)> = blocks
        .iter()
        .map(|block| {
            let (mut used, mut defined) = (Bits::new(n), Bits::new(n));
            for draft in block.drafts.iter().rev() {
                let guarded = draft.op.guard != NONE;
                draft.visit(offsets, |r, written| {
                    if written && !guarded {
                        used.clear(r);
                        defined.set(r);
                    }
                });
                draft.visit(offsets, |r, written| {
                    if !written || guarded {
                        used.set(r);
                    }
                });
            }
            (used, defined)
        })
        .collect();
    let mut predecessors = vec![Vec::new(); blocks.len()];
    for (i, block) in blocks.iter().enumerate() {
        block.successors.iter().for_each(|s| predecessors[*s as usize].push(i));
    }
    let mut live: Vec<(Bits, Bits)> = local.iter().map(|(used, _)| (used.clone(), Bits::new(n))).collect();
    let mut work: Vec<usize> = (0..blocks.len()).collect();
    while let Some(b) = work.pop() {
        let mut out = std::mem::replace(&mut live[b].1, Bits(Vec::new()));
        for s in &blocks[b].successors {
            out.add(&live[*s as usize].0);
        }
        let mut through = out.clone();
        through.0.iter_mut().zip(&local[b].1.0).for_each(|(t, d)| *t &= !d);
        live[b].1 = out;
        if live[b].0.add(&through) {
            work.extend(&predecessors[b]);
        }
    }
    live
}
