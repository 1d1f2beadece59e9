//! Tensor maps and what copies of boxes of tensors move: pure functions of maps, coordinates and addresses.
//!
//! A [`TensorMap`] describes a tensor in global memory and how instructions reach into it; 128 bytes hold it ([`map`] has their
//! layout). A [`Copy`] is a map with a mode, coordinates and offsets, checked; [`Copy::each`] tells the runs of bytes that it
//! moves: where they are in global memory, or that they are outside of the tensor, and where in shared memory, swizzled.
//! Nothing here touches memory, knows threads or completes anything; who runs a copy does.
//!
//! PTX ISA 9.4, 5.5 (tensors), 9.7.10.28.5 (restrictions), 9.7.10.29 (fields); CUDA driver API 13, cuTensorMapEncodeTiled,
//! cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide (limits). What they leave open is said where it is decided:
//!
//! - **interleaved layouts** (here): dimension 0 counts slices of 16 or 32 bytes, its stride is the first one, and slices of
//!   neighbours in dimension 1 lie side by side, so that five dimensions need no more than four strides. The order in shared
//!   memory is that of global memory, N C/8 D H W 8: dimension 1 runs fastest, dimension 0 just before the last;
//! - **rows shorter than a swizzle** ([`swizzle`]) begin at multiples of it;
//! - **halo pixels** of the modes along W ([`pixels`]) are the next in the order of the pixels;
//! - **the NaN outside of a tensor** ([`Fill`]) has all bits set.

pub mod copy;
pub mod element;
pub mod map;
mod pixels;
mod replace;
mod runs;
pub mod swizzle;
mod transfer;

pub use copy::{Copy, Direction, Mode};
pub use element::Element;
pub use map::{TensorMap, Window};
pub use replace::Field;
pub use runs::Run;
pub use swizzle::Swizzle;

use std::fmt;

/// The most dimensions of a tensor.
pub const MAX_RANK: usize = 5;
/// Bytes of a tensor map.
pub const MAP_BYTES: usize = 128;
/// What the address of a tensor map must be a multiple of.
pub const MAP_ALIGNMENT: u64 = 64;
/// What the address of a box in shared memory must be a multiple of.
pub const SHARED_ALIGNMENT: u32 = 128;

/// What is wrong with a tensor map, or with a copy that uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// Which part: `box 0`, `stride 1`, `coordinate 2`.
    pub place: String,
    /// What it is and what it must be.
    pub rule: String,
    /// What to do.
    pub remedy: String,
}

impl Invalid {
    pub(crate) fn new(place: impl Into<String>, rule: impl Into<String>, remedy: impl Into<String>) -> Self {
        Invalid { place: place.into(), rule: rule.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.place, self.rule)
    }
}

/// `Ok` where the rule holds.
fn require(holds: bool, invalid: impl FnOnce() -> Invalid) -> Result<(), Invalid> {
    if holds { Ok(()) } else { Err(invalid()) }
}

/// Makes an enumeration whose values are numbers of a field of `tensormap.replace` and have names that people write.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$item:meta])* $variant:ident = $number:literal $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name { $(#[doc = concat!("`", $text, "`.")] $(#[$item])* $variant = $number,)* }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$variant),*];
            /// What the field is called.
            pub const WHAT: &str = $what;

            /// By its number in `tensormap.replace`.
            pub fn of(number: u32) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| *one as u32 == number)
            }

            /// By its name.
            pub fn named(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == text)
            }

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }
    };
}
use choice;

choice! {
    /// Whether channels lie in slices: NC/8DHWC8 and NC/16DHWC16 of PTX ISA 9.4, 5.5.6, for channels of two bytes.
    Interleave, "interleave" {
        #[default]
        None = 0 "none",
        Bytes16 = 1 "16B",
        Bytes32 = 2 "32B",
    }
}

impl Interleave {
    /// Bytes of a slice.
    pub const fn slice(self) -> Option<u32> {
        match self {
            Interleave::None => None,
            Interleave::Bytes16 => Some(16),
            Interleave::Bytes32 => Some(32),
        }
    }
}

choice! {
    /// What stands in shared memory for elements outside of the tensor.
    ///
    /// The manual does not give the bits of its NaN; here all are set, as `fma.oob` takes it.
    Fill, "fill" {
        #[default]
        Zero = 0 "zero",
        Nan = 1 "nan",
    }
}

impl Fill {
    /// Every byte of it.
    pub const fn byte(self) -> u8 {
        match self {
            Fill::Zero => 0,
            Fill::Nan => 0xff,
        }
    }
}

choice! {
    /// How much the L2 cache fetches at once: a hint.
    Promotion, "l2" {
        #[default]
        None = 0 "none",
        Bytes64 = 1 "64B",
        Bytes128 = 2 "128B",
        Bytes256 = 3 "256B",
    }
}
