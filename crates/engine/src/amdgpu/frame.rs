//! Where a wavefront's registers lie in its frame.
//!
//! Scalar registers are words at the number that operand fields have for them, so that pairs are values of 64 bits; a vector register is a
//! row of 32 words for each 32 lanes, those of one register next to one another. Behind them is room for what adapters make of
//! operands, and constants.

use amdgpu::codec::Codec;
use amdgpu::codec::value::What;
use machine::LANES;
use machine::state::LINKAGE;

/// The scalar registers.
pub const SCALARS: u32 = LINKAGE;
/// How many numbers operand fields have for scalar registers.
pub const SCALAR_REGISTERS: u32 = 128;
/// The cell of SCC.
pub const SCC: u32 = SCALARS + 4 * SCALAR_REGISTERS;
/// The cell of MODE, behind that of SCC, where `semantics::wave` looks for it.
pub const MODE: u32 = SCC + semantics::wave::MODE_BEHIND_SCC;
/// The cells of the null register that are read: zeros, 16 words.
pub const NULL: u32 = SCC + 64;
/// The cells of the null register that are written, 16 words.
pub const SINK: u32 = NULL + 64;
/// The cells of the lanes that DPP writes, two for each operand.
pub const WRITTEN: u32 = SINK + 64;
/// Room for scalar values that serve one instruction, 32 words.
pub const CELLS: u32 = WRITTEN + 64;
/// The addresses of the lanes' scratch memory: two rows of 64 bits.
pub const SCRATCH: u32 = CELLS + 128;
/// The first vector register.
const VECTORS: u32 = SCRATCH + 512;

/// The number of VCC among scalar registers.
pub const VCC: u16 = 106;
/// The number of EXEC.
pub const EXEC: u16 = 126;
/// The number of the first trap register.
pub const TTMP: u16 = 108;

/// Bytes of rows for one instruction's operands.
const ROOM: u32 = 32 * 512;
/// Bytes of a row of 32 words.
pub const ROW: u32 = 4 * LANES as u32;

/// The layout of a kernel's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Rows of a vector register: 1 or 2.
    pub halves: u32,
    /// Vector registers.
    pub vectors: u32,
    /// Accumulation registers.
    pub accumulators: u32,
    /// The first scalar register that the wavefront does not have, of those that a descriptor counts.
    pub scalars: u32,
    /// The number of M0 among scalar registers.
    pub m0: u16,
}

impl Frame {
    /// The layout of so many registers of a codec's wavefronts.
    pub fn new(codec: &Codec, vectors: u32, accumulators: u32) -> Frame {
        let m0 = codec.registers().by_name("m0").map_or(124, |name| name.0);
        Frame { halves: u32::from(codec.wave) / 32, vectors, accumulators, scalars: SCALAR_REGISTERS, m0 }
    }

    /// The cell of a scalar register.
    pub fn scalar(number: u16) -> u32 {
        SCALARS + 4 * u32::from(number)
    }

    /// The first row of a vector register.
    pub fn vector(&self, index: u32) -> u32 {
        VECTORS + index * self.halves * ROW
    }

    /// The first row of an accumulation register.
    pub fn accumulator(&self, index: u32) -> u32 {
        self.vector(self.vectors + index)
    }

    /// The first row of a register for lanes, if a value is one.
    pub fn row_of(&self, what: What) -> Option<u32> {
        match what {
            What::Vector(index) => Some(self.vector(index.into())),
            What::Accumulation(index) => Some(self.accumulator(index.into())),
            _ => None,
        }
    }

    /// Where rows for operands begin.
    pub fn room(&self) -> u32 {
        self.vector(self.vectors + self.accumulators).next_multiple_of(512)
    }

    /// Where constants begin.
    pub fn constants(&self) -> u32 {
        self.room() + ROOM
    }

    /// The name of the register at an offset.
    pub fn name_of(&self, offset: u32) -> String {
        if offset < SCC {
            return match (offset.saturating_sub(SCALARS)) / 4 {
                106 => "vcc_lo".into(),
                107 => "vcc_hi".into(),
                126 => "exec_lo".into(),
                127 => "exec_hi".into(),
                n @ 108..=123 => format!("ttmp{}", n - u32::from(TTMP)),
                n => format!("s{n}"),
            };
        }
        let index = offset.saturating_sub(VECTORS) / (self.halves * ROW);
        if index < self.vectors { format!("v{index}") } else { format!("a{}", index - self.vectors) }
    }
}
