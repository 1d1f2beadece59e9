//! The instruction table: its reader, and lookup by opcode.
//!
//! [`Table::get`] reads the records of `isa/*.isa`, whose notation `isa/README.md` fixes; [`Table::resolve`] finds the
//! forms that an opcode such as `ld.global.nc.v4.f32` spells; a [`Match`] tells operands, types, needs, the semantic
//! function and its settings. Facts only: nothing here executes an instruction, or knows the syntax of a language
//! beyond opcodes and the shapes of operands.

pub mod amdgpu;
mod condition;
mod enumerate;
mod fit;
mod form;
mod lint;
pub mod names;
mod pattern;
mod read;
mod resolve;
mod table;
mod target;
mod text;
mod types;

pub use condition::Condition;
pub use fit::{Fit, Misfit, Parts, Shape, Written, fit, wrong_length};
pub use form::{Form, Implicit, Need, Notation, OperandPattern, PartPattern, Role, Run, Sign, Slot, TextureMode};
pub use pattern::first_of;
pub use resolve::{Fidelity, Match, Operand, Part, Resolution, Unresolved};
pub use table::{Example, PendingOpcode, Record, Special, Table, Word};
pub use target::{Features, Requirement, Target, VERSIONS, Version};
pub use text::{Place, Problems, Source, Text};
pub use types::{Class, Limits, OperandType, Range, Type};
