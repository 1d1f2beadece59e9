//! AMD's GPU machine code: words to instructions to text, and back; code objects.
//!
//! Everything that an instruction looks like, in text and in bits, is read from the records of `isa/amdgpu`. This crate
//! knows how such a record is applied, what an assembly file may hold around instructions, and how code objects are laid out.
//! It executes nothing. The syntax is LLVM's, the layouts are those of LLVM's "User Guide for AMDGPU Backend".
//!
//! ```
//! use amdgpu::codec::Codec;
//! use amdgpu::disasm::Instructions;
//! use amdgpu::object::{CodeObject, TargetId};
//!
//! // A text becomes a code object,
//! let (codec, target) = (Codec::of("gfx1100", None)?, TargetId::of("gfx1100")?);
//! let assembly = amdgpu::assembler::assemble("start: v_add_f32 v0, 1.0, v1\n s_endpgm", &codec, &target, None);
//! assert!(assembly.is_right());
//! let builder = amdgpu::assembler::object(&assembly, target, None).map_err(|problems| problems[0].message.clone())?;
//! let file = builder.relocatable()?;
//!
//! // which is read, and its code decoded: nothing is allocated for an instruction.
//! let object = CodeObject::read(&file)?;
//! let code = object.section(".text").map_or(&[][..], |section| section.data);
//! let mut text = String::new();
//! for item in Instructions::new(&codec, code) {
//!     let decoded = item.what.map_err(|why| why.to_string())?;
//!     codec.print(&decoded, &mut text);
//!     text.push('\n');
//! }
//! assert_eq!(text, "v_add_f32_e32 v0, 1.0, v1\ns_endpgm\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod asm;
pub mod assembler;
pub mod codec;
pub mod disasm;
pub mod disassembler;
pub mod hazard;
pub mod immediate;
pub mod object;
mod recent;
