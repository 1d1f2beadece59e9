//! Runs AMD's machine code: loads code objects, lowers kernels to the ops that PTX has.
//!
//! [`Program::load`] does what the HSA runtime's loader does: segments to device memory, relocations, kernel descriptors. [`Program::kernel`]
//! decodes what a kernel can reach and lowers it, instruction by instruction, by the functions that the table names. Nothing here matches on a mnemonic.
//! A wavefront is one group of threads whose lanes are guarded by EXEC; one of 64 lanes executes each op for lanes twice.

mod code;
mod formats;
mod frame;
mod fuse;
mod hazard;
mod image;
mod links;
mod lower;
mod memory;
mod mirrors;
mod modes;
mod operands;
pub mod probe;
pub mod program;
pub mod start;
mod waits;

pub use image::images_of;
pub use program::Program;
pub use start::Wave;
