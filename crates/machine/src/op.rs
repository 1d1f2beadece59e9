//! One lowered instruction.

use crate::{Group, Mods, Type};

/// What an instruction does when executed for the lanes of a group.
///
/// # Safety
/// The op's offsets lie in the group's frame and its rows have the types that the handler was made for.
pub type Handler = unsafe fn(&mut Group, &Op) -> Step;

/// What comes after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Step {
    /// The next op.
    Next,
    /// The op at [`Group::pc`].
    Jump,
    /// This group is parked, gone or may have to let another group run: choose again.
    Choose,
    /// [`Group::fault`] says what went wrong.
    Fault,
}

/// No operand, or no guard.
pub const NONE: u32 = u32::MAX;

/// A handler's address and an instruction's modifiers.
pub type Kind = (usize, Mods);

/// A lowered instruction: a handler and where its operands are.
///
/// Offsets count bytes from the start of the frame. A predicate is a `u32` of 32 lanes, any other register a row
/// of 32 elements.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Op {
    /// What it does.
    pub run: Handler,
    /// Destinations, [`NONE`] where discarded.
    pub dst: [u32; 2],
    /// Sources.
    pub src: [u32; 5],
    /// Offset of the guard predicate plus 1 if negated; [`NONE`] without a guard.
    pub guard: u32,
    /// Index of the following op.
    pub next: u32,
    /// An immediate: an address offset, a jump target, an index of a side table.
    pub imm: i32,
    /// The instruction's modifiers.
    pub mods: Mods,
    /// Type of an element in memory.
    pub ty: Type,
    /// Type of the registers that hold it.
    pub reg: Type,
    /// Whether the address register has 64 bits; of functions of lanes, whether masks that they write have zeros in the lanes that do not execute them.
    pub wide: bool,
    /// Elements of a vector access.
    pub arity: u8,
}

impl Op {
    /// What instructions with the same function and qualifiers have in common.
    pub fn kind(&self) -> Kind {
        (self.run as usize, self.mods)
    }

    /// An op without operands.
    pub fn new(run: Handler) -> Self {
        Op {
            run,
            dst: [NONE; 2],
            src: [NONE; 5],
            guard: NONE,
            next: 0,
            imm: 0,
            mods: Mods::default(),
            ty: Type::U32,
            reg: Type::U32,
            wide: false,
            arity: 1,
        }
    }
}
