//! AMD's GPU machine code: words to instructions to text, and back; code objects.
//!
//! Everything that an instruction looks like, in text and in bits, is read from the records of `isa/amdgpu`. This crate
//! knows how such a record is applied, what an assembly file may hold around instructions, and how code objects are laid out.
//! It executes nothing. The syntax is LLVM's, the layouts are those of LLVM's "User Guide for AMDGPU Backend".

pub mod asm;
pub mod assembler;
pub mod codec;
pub mod disasm;
pub mod immediate;
pub mod object;
