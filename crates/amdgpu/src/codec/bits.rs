//! Where in a word a value lies.

use isa::amdgpu::{Content, Field, Layout};

/// The places of a value's bits, lowest part first: at most four runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    runs: [Run; 4],
    count: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Run {
    /// Lowest bit in the word.
    low: u8,
    width: u8,
    /// Lowest bit in the value.
    from: u8,
}

impl Bits {
    /// The places of a field in a layout; none if it has no such field.
    pub fn of(layout: &Layout, field: Field) -> Bits {
        let mut bits = Bits::default();
        for piece in &layout.pieces {
            if let Content::Field(f, from) = piece.content
                && f == field
                && let Some(run) = bits.runs.get_mut(usize::from(bits.count))
            {
                *run = Run { low: piece.low, width: piece.width, from };
                bits.count += 1;
            }
        }
        bits
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The value in a word.
    #[inline]
    pub fn get(&self, word: u128) -> u64 {
        if self.count == 1 {
            let run = self.runs[0];
            return ((word >> run.low) as u64 & ones(run.width)) << run.from;
        }
        self.runs().fold(0, |value, r| value | ((word >> r.low) as u64 & ones(r.width)) << r.from)
    }

    /// The word with a value; bits of the value that have no place are lost, as [`Bits::holds`] tells.
    #[inline]
    pub fn set(&self, word: u128, value: u64) -> u128 {
        self.runs().fold(word, |word, r| {
            let mask = u128::from(ones(r.width)) << r.low;
            word & !mask | u128::from(value >> r.from & ones(r.width)) << r.low
        })
    }

    /// Whether every bit of a value has a place.
    pub fn holds(&self, value: u64) -> bool {
        value & !self.runs().fold(0, |all, r| all | ones(r.width) << r.from) == 0
    }

    /// The bits in the word.
    pub fn mask(&self) -> u128 {
        self.set(0, u64::MAX)
    }

    /// The bits in the word of one bit of the value.
    pub fn mask_of(&self, bit: u32) -> u128 {
        self.set(0, 1 << bit)
    }

    /// One past the highest bit of the value that has a place.
    pub fn width(&self) -> u8 {
        self.runs().map(|r| r.from + r.width).max().unwrap_or(0)
    }

    fn runs(&self) -> impl Iterator<Item = &Run> {
        self.runs[..usize::from(self.count)].iter()
    }
}

/// How a number of at most 16 bits is taken from a word whose halves of 64 bits stand side by side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Index {
    first: Run,
    /// What is added, if it is more than one run.
    others: Option<[Run; 2]>,
}

impl Index {
    /// A value of at most two runs, and above it, from bit `above` on, one bit more of the word if there is a mask of it.
    pub fn new(bits: &Bits, more: u128, above: u8) -> Option<Index> {
        let more = Run { low: more.trailing_zeros() as u8, width: more.count_ones() as u8, from: above };
        let all = || bits.runs().copied().chain((more.width == 1).then_some(more));
        let fits = |run: Run| run.low / 64 == (run.low + run.width - 1) / 64 && run.from + run.width <= 16;
        let mut runs = [Run::default(); 3];
        if all().count() > runs.len() || more.width > 1 || !all().all(fits) {
            return None;
        }
        runs.iter_mut().zip(all()).for_each(|(to, run)| *to = run);
        let [first, others @ ..] = runs;
        Some(Index { first, others: (others[0] != Run::default()).then_some(others) })
    }

    /// The number in a word.
    #[inline]
    pub fn get(&self, word: [u64; 2]) -> usize {
        let part = |run: Run| (word[usize::from(run.low >> 6 & 1)] >> (run.low & 63) & !(u64::MAX << run.width)) << run.from;
        let others = self.others.map_or(0, |[second, third]| part(second) | part(third));
        (part(self.first) | others) as usize
    }
}

/// The halves of a word.
#[inline]
pub(super) fn split(word: u128) -> [u64; 2] {
    [word as u64, (word >> 64) as u64]
}

/// A mask of the lowest bits.
#[inline]
pub fn ones(width: u8) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// A mask of the lowest bits of a word.
#[inline]
pub fn ones_wide(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

impl Bits {
    /// Some bits of a value that lies in one run.
    pub fn part(&self, from: u8, width: u8) -> Bits {
        let run = self.runs[0];
        let mut bits = Bits::default();
        bits.runs[0] = Run { low: run.low + from, width, from: 0 };
        bits.count = 1;
        bits
    }
}
