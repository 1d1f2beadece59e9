//! PTX kernels on a modelled GPU, from Rust.
//!
//! A [`Device`] is a GPU with its memory, made by [`System`]; it loads [`Module`]s of PTX text, holds [`Buffer`]s, and runs
//! [`Launch`]es of [`Kernel`]s, at once or in order on [`Stream`]s. Everything is `Send + Sync`; memory outlives launches and is
//! freed when its last user is gone. What goes wrong comes as an [`Error`] of diagnostics with places in the PTX.
//!
//! ```
//! use lockstep::System;
//!
//! # fn main() -> lockstep::Result<()> {
//! let ptx = "
//! .version 8.0
//! .target sm_90
//! .address_size 64
//! .visible .entry twice(.param .u64 data, .param .u32 count)
//! {
//!     .reg .pred %p;
//!     .reg .b32 %r<4>;
//!     .reg .b64 %d<3>;
//!     mov.u32 %r0, %tid.x;
//!     ld.param.u32 %r1, [count];
//!     setp.ge.u32 %p, %r0, %r1;
//!     @%p ret;
//!     ld.param.u64 %d0, [data];
//!     mul.wide.u32 %d1, %r0, 4;
//!     add.s64 %d2, %d0, %d1;
//!     ld.global.u32 %r2, [%d2];
//!     add.s32 %r3, %r2, %r2;
//!     st.global.u32 [%d2], %r3;
//!     ret;
//! }";
//! let device = System.device("h100")?;
//! let kernel = device.load([("twice.ptx", ptx)])?.kernel("twice")?;
//! let data = device.buffer(&[1u32, 20, 300])?;
//! let report = kernel.launch([1, 1, 1], [32, 1, 1]).arg(&data).arg(3u32).run()?;
//! assert_eq!(data.read(), [2, 40, 600]);
//! assert!(report.instructions > 0);
//! # Ok(())
//! # }
//! ```
//!
//! The facade over the engine: it adds lifetimes, checks and words. It knows no terminal and prints nothing.

mod buffer;
pub mod check;
pub mod codes;
mod device;
mod error;
pub mod evaluate;
mod fault;
pub mod format;
pub mod image;
pub mod inspect;
mod launch;
mod module;
mod profiles;
mod stream;
pub mod tensor;
pub mod value;

pub use buffer::{Buffer, Multicast, Scalar};
pub use device::{Device, System};
pub use engine::launch::{Other, Traced};
pub use engine::{Options, Parameter, Report, Shape};
pub use error::{Error, Problem, Result};
pub use launch::{Argument, Launch, is_described, run_in_order};
pub use machine::job::Policy;
pub use module::{Kernel, Module, hazards_of, is_code_object, kernels_of, profile_of, table};
pub use profiles::{DEFAULT, PROFILES, Profile};
pub use stream::{Event, Pending, Stream};
