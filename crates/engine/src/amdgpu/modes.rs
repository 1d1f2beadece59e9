//! What the register MODE says at each instruction, found before the kernel runs: instructions are lowered for it.
//!
//! MODE is followed along the flow of control from what the kernel begins with. Bits that come from a register, or differ on two ways to an
//! instruction, are not known: arithmetic there is lowered for all that they may be, and looks at run time which it is. So is all arithmetic of programs that
//! change MODE and jump to addresses in registers. Whether vector instructions are skipped is looked at, too; which registers numbers mean must be what the flow
//! of control says. AMD's ISA guides, "Mode register"; for gfx125 LLVM 22, SIDefines.h and AMDGPULowerVGPREncoding.cpp.

use super::program::leads;
use amdgpu::codec::value::What;
use amdgpu::codec::{Codec, Decoded};
use semantics::{scalar, wave};
use std::collections::BTreeMap;

/// The bits of rounding, of subnormal numbers, of DX10_CLAMP and IEEE, and of FP16_OVFL.
const ARITHMETIC: u32 = 0x3ff | 1 << 23;
/// The bits with which numbers of vector registers begin.
const BANKS: u32 = wave::BANKS.1 << wave::BANKS.0;
/// The bit that adds an index to them.
const INDEXED: u32 = 1 << scalar::INDEXED;
/// The bit that skips vector instructions.
const SKIPS: u32 = 1 << scalar::SKIPS;

/// What MODE says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    /// Its bits; those that are not known are what they are taken to be.
    pub bits: u32,
    /// The bits that are not known.
    unknown: u32,
    /// What the kernel began with.
    start: u32,
    /// Whether the target's MODE has IEEE and DX10_CLAMP.
    has_ieee: bool,
    /// Its bits that say which registers numbers mean.
    numbers: u32,
    /// Its bit that skips vector instructions.
    skips: u32,
}

impl Modes {
    /// What these bits say on a target.
    pub fn new(codec: &Codec, bits: u32) -> Modes {
        let indexed = codec.has("indexed_registers");
        let numbers = if indexed { INDEXED } else { 0 } | if codec.has("register_banks") { BANKS } else { 0 };
        let skips = if indexed { SKIPS } else { 0 };
        Modes { bits, unknown: 0, start: bits, has_ieee: codec.has("ieee_mode"), numbers, skips }
    }

    /// Of these bits of arithmetic those that are not known.
    pub fn doubtful(self, relevant: u32) -> u32 {
        self.unknown & ARITHMETIC & relevant
    }

    /// Everything that these bits, which are not known, may be: what they are taken to be comes first.
    pub fn possible(self, doubtful: u32) -> impl Iterator<Item = Modes> {
        // Counts in the bits alone.
        let following = move |value: &u32| Some(value.wrapping_sub(doubtful) & doubtful).filter(|value| *value != 0);
        let settled = move |value: u32| Modes { bits: self.bits ^ value, unknown: self.unknown & !doubtful, ..self };
        std::iter::successors(Some(0), following).map(settled)
    }

    /// Bits that are not known and change which registers numbers mean.
    pub fn doubtful_numbers(self) -> u32 {
        self.unknown & self.numbers
    }

    /// What the numbers of vector registers begin with, as SET_VGPR_MSB says it.
    pub fn banks(self) -> u8 {
        scalar::banks(self.bits & self.numbers & BANKS)
    }

    /// Whether M0 has an index that is added to them.
    pub fn indexed(self) -> bool {
        self.bits & self.numbers & INDEXED != 0
    }

    /// Whether vector instructions are skipped, if that is known.
    pub fn skips(self) -> Option<bool> {
        (self.unknown & self.skips == 0).then_some(self.bits & self.skips != 0)
    }

    /// Which subnormal numbers there are: of sources in bit 0, of results in bit 1; of single precision, or of half and double.
    pub fn subnormals(self, single: bool) -> u32 {
        self.bits >> if single { 4 } else { 6 } & 3
    }

    /// How results are rounded, as settings name it: of single precision, or where half or double precision are involved.
    pub fn rounding(self, single: bool) -> &'static str {
        ["nearest", "up", "down", "zero"][(self.bits >> if single { 0 } else { 2 } & 3) as usize]
    }

    /// Whether signalling NaNs count in min and max.
    pub fn ieee(self) -> bool {
        self.has_ieee && self.bits >> 9 & 1 == 1
    }

    /// Whether results that are limited to 0 to 1 are zero for NaN.
    pub fn clamps_nan(self) -> bool {
        !self.has_ieee || self.bits >> 8 & 1 == 1
    }

    /// Whether results of half precision that overflow are the greatest number.
    pub fn limits_halves(self) -> bool {
        self.bits >> 23 & 1 == 1
    }

    /// Behind an instruction.
    pub fn after(self, codec: &Codec, decoded: &Decoded) -> Modes {
        let function = decoded.entry.instruction.run_on(codec.target).map_or("", |run| run.function);
        let mut constants = decoded.entry.operands.iter().map(|slot| match codec.value_of(slot, decoded).what {
            What::Constant(bits) => Some(bits as u32),
            _ => None,
        });
        let mut next = || constants.next().flatten();
        match function {
            "wave::set_rounding" => self.with(wave::ROUNDING, next()),
            "wave::set_subnormals" => self.with(wave::SUBNORMALS, next()),
            "wave::set_register" | "wave::set_register_and_banks" => {
                let (Some(part), value) = (next(), next()) else { return self };
                let (wave::MODE, low, mask) = wave::part(part) else { return self };
                let (bank, banks) = wave::BANKS;
                let moved = value.map(|value| value >> bank & banks);
                let before = if function == "wave::set_register" { self } else { self.with(wave::BANKS, moved) };
                before.with((low, mask), value)
            }
            "scalar::set_banks" => self.with(wave::BANKS, next().map(|banks| scalar::mode_of_banks(banks as u8))),
            "scalar::index_on" => self.with((scalar::INDEXED, 1), Some(1)),
            "scalar::index_off" => self.with((scalar::INDEXED, 1), Some(0)),
            "scalar::set_skip" => {
                let bit = next().zip(next()).map(|(bits, place)| bits >> (place & 31) & 1);
                self.with((scalar::SKIPS, 1), bit)
            }
            _ => self,
        }
    }

    /// With another value in some bits, from the lowest on; without a value they are not known.
    fn with(self, (low, mask): (u32, u32), value: Option<u32>) -> Modes {
        let field = mask << low;
        match value {
            Some(value) => Modes { bits: self.bits & !field | (value & mask) << low, unknown: self.unknown & !field, ..self },
            None => self.without(field),
        }
    }

    /// With some bits that are not known.
    fn without(self, bits: u32) -> Modes {
        Modes { bits: self.bits & !bits | self.start & bits, unknown: self.unknown | bits, ..self }
    }

    /// The bits that are other ones, or not known.
    fn differs(self, other: Modes) -> u32 {
        self.unknown | other.unknown | (self.bits ^ other.bits)
    }

    /// Where two ways meet.
    fn meet(self, other: Modes) -> Modes {
        self.without(self.differs(other))
    }
}

/// The code of a kernel, as far as it matters here.
pub struct Flow<'a, 'c> {
    /// All instructions with their addresses, in order; of bytes that are none, nothing.
    pub instructions: &'a [(u64, Option<Decoded<'c>>)],
    /// The first instruction.
    pub entry: u64,
    /// Functions: they are taken to be entered as the kernel is.
    pub functions: &'a [u64],
}

impl<'c> Flow<'_, 'c> {
    fn at(&self, address: u64) -> Option<&Decoded<'c>> {
        let index = self.instructions.binary_search_by_key(&address, |found| found.0).ok()?;
        self.instructions[index].1.as_ref()
    }

    /// What MODE says before each instruction, if any of them changes it: elsewhere it is always `start`. Where execution may come from an address in a
    /// register, nothing is known, whatever it is taken to be.
    pub fn modes(&self, codec: &Codec, start: Modes) -> BTreeMap<u64, Modes> {
        let mut decoded = self.instructions.iter().filter_map(|(address, found)| Some((*address, found.as_ref()?)));
        let changed = decoded.clone().fold(0, |bits, (_, decoded)| bits | start.after(codec, decoded).differs(start));
        if changed == 0 {
            return BTreeMap::new();
        }
        let from_registers = decoded.any(|(address, decoded)| leads(codec, decoded, address).1);
        let mut found: BTreeMap<u64, Modes> = BTreeMap::new();
        let mut open = vec![(self.entry, start)];
        open.extend(self.functions.iter().filter(|function| self.at(**function).is_some()).map(|function| (*function, start)));
        while let Some((address, modes)) = open.pop() {
            let known = found.get(&address).copied();
            let met = known.map_or(modes, |known| known.meet(modes));
            if known == Some(met) {
                continue;
            }
            found.insert(address, met);
            let Some(decoded) = self.at(address) else { continue };
            let after = met.after(codec, decoded);
            open.extend(leads(codec, decoded, address).0.into_iter().flatten().map(|next| (next, after)));
        }
        if from_registers {
            found.values_mut().for_each(|modes| modes.unknown = changed);
        }
        found
    }
}
