//! Runs PTX: binds records to semantic functions, lowers kernels, schedules warps and blocks.
//!
//! [`Program::load`] links modules and places their variables in device memory; [`Program::kernel`] lowers one kernel and all
//! that it can call; [`launch`] runs it. Nothing here knows what an instruction does, or matches on a mnemonic: the table says
//! which function a spelling means, `semantics` has the functions.

pub mod allocate;
pub mod amdgpu;
pub mod bind;
pub mod blocks;
pub mod codes;
pub mod dependent;
pub mod launch;
pub mod lower;
pub mod program;

pub use dependent::{Request, launch_in_order};
pub use launch::{Failure, Options, Report, Shape, Stopped, launch};
pub use lower::{Kernel, Parameter};
pub use program::{Program, Unit};
