//! Number formats, rounding, conversion and exact arithmetic, as GPU instructions need them.
//!
//! Everything is a pure function of its arguments: the rounding direction is an argument and the host's floating-point mode is never
//! touched or relied on beyond its default, rounding to nearest with subnormals. Two levels:
//!
//! - data: a [`Format`] describes any of the formats from e2m1 to f64; [`unpack`], [`exact`] and [`pack`] compute in any of them;
//! - fast paths for what runs per lane: `add_f32`, `fma_f64`, `mul_f16` and the like.
//!
//! It knows nothing of instructions: which operation flushes, saturates or replaces NaN is the caller's to say.

pub mod exact;

mod convert;
mod double;
mod format;
mod half;
mod rounding;
mod single;
mod special;
mod special_tables;

pub use convert::*;
pub use double::*;
pub use format::*;
pub use half::*;
pub use rounding::Rounding;
pub use single::*;
pub use special::*;
