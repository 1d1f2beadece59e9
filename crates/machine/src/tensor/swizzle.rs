//! Swizzles: which 16-byte chunks of shared memory change places.
//!
//! A swizzle is a function of the shared address: bits of the number of the 128-byte line are added, without carry, to bits of the
//! place in it. So a box need not begin where the pattern does: the base offset of PTX ISA 9.4, 5.5.7, comes by itself.
//!
//! A row of a box that is shorter than the swizzle's span begins at a multiple of the span: shared memory must have room for the full
//! width (CUDA programming guide 13, TMA swizzle). Not so in interleaved layouts, whose rows are slices.

/// A mode and its atom, with the names of the driver's constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Swizzle {
    /// `none`.
    #[default]
    None,
    /// `32B`: 16-byte chunks within 32 bytes.
    B32,
    /// `64B`: 16-byte chunks within 64 bytes.
    B64,
    /// `96B`: 16-byte chunks within 32 bytes, for rows of up to 96 bytes. The driver makes none; `tensormap.replace` does.
    B96,
    /// `128B`: 16-byte chunks within 128 bytes.
    B128,
    /// `128B_ATOM_32B`: 32-byte chunks within 128 bytes.
    B128Atom32,
    /// `128B_ATOM_32B_FLIP_8B`: the same, and halves of 16 bytes change places in every other line.
    B128Atom32Flip8,
    /// `128B_ATOM_64B`: 64-byte chunks within 128 bytes.
    B128Atom64,
}

/// The numbers of mode and atomicity in `tensormap.replace` (table 36), and the name.
const SWIZZLES: [(Swizzle, u8, u8, &str); 8] = [
    (Swizzle::None, 0, 0, "none"),
    (Swizzle::B32, 1, 0, "32B"),
    (Swizzle::B64, 2, 0, "64B"),
    (Swizzle::B128, 3, 0, "128B"),
    (Swizzle::B128Atom32, 3, 1, "128B_ATOM_32B"),
    (Swizzle::B128Atom32Flip8, 3, 2, "128B_ATOM_32B_FLIP_8B"),
    (Swizzle::B128Atom64, 3, 3, "128B_ATOM_64B"),
    (Swizzle::B96, 4, 0, "96B"),
];

impl Swizzle {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Swizzle> {
        SWIZZLES.iter().map(|row| row.0)
    }

    /// By the numbers of its mode and atomicity in `tensormap.replace`; none for pairs that do not go together (table 14).
    pub fn of(mode: u8, atomicity: u8) -> Option<Self> {
        SWIZZLES.iter().find(|row| (row.1, row.2) == (mode, atomicity)).map(|row| row.0)
    }

    /// By its name.
    pub fn named(text: &str) -> Option<Self> {
        SWIZZLES.iter().find(|row| row.3 == text).map(|row| row.0)
    }

    /// The numbers of its mode and atomicity in `tensormap.replace`.
    pub fn numbers(self) -> (u8, u8) {
        SWIZZLES.iter().find(|row| row.0 == self).map_or((0, 0), |row| (row.1, row.2))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        SWIZZLES.iter().find(|row| row.0 == self).map_or("none", |row| row.3)
    }

    /// The most bytes of a row; none without a swizzle.
    pub const fn span(self) -> Option<u32> {
        match self {
            Swizzle::None => None,
            Swizzle::B32 => Some(32),
            Swizzle::B64 => Some(64),
            Swizzle::B96 => Some(96),
            _ => Some(128),
        }
    }

    /// What is added without carry to addresses of the 128-byte line of `address`.
    #[inline(always)]
    pub const fn mask(self, address: u32) -> u32 {
        let line = address >> 7;
        match self {
            Swizzle::None => 0,
            Swizzle::B32 | Swizzle::B96 => (line & 1) << 4,
            Swizzle::B64 => (line & 3) << 4,
            Swizzle::B128 => (line & 7) << 4,
            Swizzle::B128Atom32 => (line & 3) << 5,
            Swizzle::B128Atom32Flip8 => (line & 3) << 5 | (line & 1) << 3,
            Swizzle::B128Atom64 => (line & 1) << 6,
        }
    }

    /// Where the byte of a linear shared address lies.
    #[inline(always)]
    pub const fn place(self, address: u32) -> u32 {
        address ^ self.mask(address)
    }

    /// Calls `act` with the parts of a linear range that stay together: place, bytes before it in the range, bytes.
    ///
    /// # Errors
    /// What `act` gives.
    #[inline(always)]
    pub fn parts<E>(self, start: u32, bytes: u32, mut act: impl FnMut(u32, u32, u32) -> Result<(), E>) -> Result<(), E> {
        let end = start + bytes;
        let mut at = start;
        while at < end {
            let line_end = ((at | 127) + 1).min(end);
            let mask = self.mask(at);
            if mask == 0 {
                act(at, at - start, line_end - at)?;
                at = line_end;
                continue;
            }
            // Addresses that agree down to the lowest bit that changes stay together.
            let together = mask & mask.wrapping_neg();
            while at < line_end {
                let part_end = ((at | (together - 1)) + 1).min(line_end);
                act(at ^ mask, at - start, part_end - at)?;
                at = part_end;
            }
        }
        Ok(())
    }
}
