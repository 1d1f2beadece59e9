//! Code objects: the ELF files that a GPU's loader takes, and the bundles that hold them.
//!
//! [`CodeObject`] reads one, [`bundle`] finds them in bundles and in programs for the host, [`inspect`] tells what a kernel
//! needs. [`Builder`](write::Builder) writes one: relocatable as an assembler does, or linked as a loader wants it.
//! [`descriptor`] and [`metadata`] are the two places where a kernel is described, [`target`] names what it runs on.
//! Instructions are bytes here. Layouts follow LLVM's "User Guide for AMDGPU Backend" (ELF Code Object, Code Object V3 to V6
//! Metadata, Kernel Descriptor) and "Clang Offload Bundler".

pub mod bundle;
pub mod descriptor;
mod elf;
mod error;
pub mod inspect;
pub mod metadata;
mod read;
pub mod target;
pub mod write;
mod yaml;

pub use elf::{RELOCATIONS, Version, relocation_name};
pub use error::{Error, Result};
pub use read::{CodeObject, Entry, Kernel, Kind, Note, Relocation, Section, Segment, Symbol, is_code_object};
pub use target::TargetId;
