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
