//! From a word to the form that it is.

use std::sync::{Arc, OnceLock};

use isa::amdgpu::{Class, Content, Records, Target};

use super::entry::{Entry, Made, SlotKind};
use super::pair::Half;
use super::register::{LITERAL, LITERAL64};
use super::{Bits, Codec};

/// The forms of one encoding, by opcode.
#[derive(Debug)]
pub(super) struct Group {
    mask: u128,
    value: u128,
    op: Bits,
    bits: u32,
    /// Index of the encoding.
    encoding: usize,
    /// Entries, the most particular first; found when a word is first looked at that has the opcode.
    by_opcode: Box<[OnceLock<Made>]>,
}

/// An instruction in a stream of bytes.
#[derive(Clone, Copy, Debug)]
pub struct Decoded<'c> {
    /// Its form.
    pub entry: &'c Entry,
    /// Its bits, without a literal.
    pub word: u128,
    /// The literal that follows.
    pub literal: Option<u64>,
    /// Bytes, with the literal.
    pub size: u8,
    /// The second half, if it is a pair.
    pub second: Option<&'c Entry>,
    /// What was said by SET_VGPR_MSB before it: the high bits of vector registers, two for each of the operands that the encoding's `banks` name. No bit of
    /// the instruction says so: decoding leaves them zero.
    pub banks: u8,
}

impl Decoded<'_> {
    /// Bits of the word that hardware ignores and an assembler does not write so: the text says nothing of them.
    pub fn stray_bits(&self) -> u128 {
        (self.word ^ self.entry.unused_value) & self.entry.ignored
    }

    /// What the number of a vector register that an operand names begins with.
    pub(super) fn bank(&self, operand: &str) -> u16 {
        const REGISTERS: u16 = 256;
        match self.banks {
            0 => 0,
            banks => self.place(operand).map_or(0, |place| u16::from(banks >> (2 * place) & 3) * REGISTERS),
        }
    }

    /// The place of an operand among those whose registers have high bits, or an index, of their own.
    pub fn place(&self, operand: &str) -> Option<usize> {
        let banks = self.entry.instruction.banks.as_ref().unwrap_or(&self.entry.encoding.banks);
        banks.iter().position(|name| *name == operand)
    }
}

/// Why bytes are no instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined {
    /// The bytes end within it.
    Truncated,
    /// No encoding has these bits, or the encoding has no such opcode.
    Opcode,
    /// An operand is what it cannot be.
    Operand,
    /// Bits are set that an assembler leaves alone.
    Unused,
}

/// Groups, and their indices by the nine highest bits of the first word of 32.
pub(super) type Groups = (Vec<Group>, Vec<Vec<u16>>);

fn groups(records: &Records, target: Target) -> Groups {
    let table = records.table();
    let mut groups: Vec<Group> = Vec::new();
    let op_field = table.field("op");
    for same in records.coded().chunk_by(|a, b| a.encoding == b.encoding) {
        let encoding = usize::from(same[0].encoding);
        let Some(layout) = table.encodings[encoding].layout(target) else { continue };
        if Half::of(table.encodings[encoding].name).is_some() {
            continue;
        }
        let op = op_field.map_or(Bits::default(), |f| Bits::of(layout, f));
        let count = same.last().map_or(0, |last| last.opcode as usize + 1);
        let by_opcode = (0..count).map(|_| OnceLock::new()).collect();
        let mut group = Group { mask: 0, value: 0, op, bits: layout.bits, encoding, by_opcode };
        for piece in &layout.pieces {
            if let Content::Fixed(bits) = piece.content {
                group.mask |= u128::from(super::bits::ones(piece.width)) << piece.low;
                group.value |= u128::from(bits) << piece.low;
            }
        }
        groups.push(group);
    }
    groups.sort_by_key(|g| std::cmp::Reverse((g.mask.count_ones(), g.bits)));
    let matches = |g: &Group, high: usize| ((high as u128) << 23 ^ g.value) & g.mask & (0x1ff << 23) == 0;
    let dispatch =
        (0..512).map(|high| (0..groups.len()).filter(|&i| matches(&groups[i], high)).map(|i| i as u16).collect()).collect();
    (groups, dispatch)
}

/// Fewer bytes than a word has, and zeros.
#[cold]
fn word_of(bytes: &[u8]) -> u128 {
    bytes.iter().take(16).rev().fold(0, |word, byte| word << 8 | u128::from(*byte))
}

impl Codec {
    /// What decoding can find in an encoding with an opcode, the most particular first.
    #[cold]
    fn with_opcode(&self, encoding: usize, opcode: u32) -> Made {
        let coded = self.records.coded();
        let start = coded.partition_point(|c| (usize::from(c.encoding), c.opcode) < (encoding, opcode));
        let same = coded[start..].iter().take_while(|c| (usize::from(c.encoding), c.opcode) == (encoding, opcode));
        let is_one = |entry: &&Arc<Entry>| {
            let form = entry.form;
            form.encoding == encoding && form.opcode(self.target) == Some(opcode) && !form.assembler_only
        };
        let mut entries: Vec<Arc<Entry>> = same.flat_map(|c| self.of_record(c.record).iter().filter(is_one).cloned()).collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.particularity()));
        entries.into()
    }

    /// The instruction at the start of some bytes.
    ///
    /// # Errors
    ///
    /// The bytes are none, or none that an assembler writes.
    pub fn decode(&self, bytes: &[u8]) -> Result<Decoded<'_>, Undefined> {
        let count = bytes.len().min(16);
        let word = bytes.first_chunk().map_or_else(|| word_of(bytes), |bytes| u128::from_le_bytes(*bytes));
        if count < 4 {
            return Err(Undefined::Truncated);
        }
        let mut why = Undefined::Opcode;
        let (groups, dispatch) = self.groups.get_or_init(|| groups(&self.records, self.target));
        for &group in &dispatch[(word as u32 >> 23) as usize] {
            let group = &groups[usize::from(group)];
            if (word ^ group.value) & group.mask != 0 {
                continue;
            }
            let opcode = group.op.get(word) as usize;
            let Some(list) = group.by_opcode.get(opcode) else { continue };
            for entry in list.get_or_init(|| self.with_opcode(group.encoding, opcode as u32)) {
                if (word ^ entry.value) & entry.mask != 0 {
                    continue;
                }
                if usize::from(entry.size) > count {
                    why = Undefined::Truncated;
                    continue;
                }
                match self.finish(entry, word, bytes) {
                    Ok(decoded) => return Ok(decoded),
                    Err(other) => why = other,
                }
            }
        }
        self.decode_pair(word, bytes).map_err(|other| if why == Undefined::Opcode { other } else { why })
    }

    /// The literal, and whether everything is as it may be.
    fn finish<'c>(&self, entry: &'c Entry, word: u128, bytes: &[u8]) -> Result<Decoded<'c>, Undefined> {
        if let Some(places) = &entry.image {
            return self.finish_image(entry, places, word, bytes);
        }
        let word = word & super::bits::ones_wide(u32::from(entry.size) * 8);
        if (word ^ entry.unused_value) & entry.unused & !entry.ignored != 0 {
            return Err(Undefined::Unused);
        }
        if !entry.dpp8.is_empty() && !(0xe9..=0xea).contains(&entry.dpp8.get(word)) {
            return Err(Undefined::Operand);
        }
        let mut decoded = Decoded { entry, word, literal: None, size: entry.size, second: None, banks: 0 };
        if self.is_plain(&decoded) {
            return Ok(decoded);
        }
        if entry.takes_literal {
            self.take_literal(&mut decoded, bytes)?;
        }
        if entry.operands.iter().all(|slot| self.is_allowed(slot, &decoded)) { Ok(decoded) } else { Err(Undefined::Operand) }
    }

    /// Adds the literal, if an operand says that there is one.
    fn take_literal(&self, decoded: &mut Decoded, bytes: &[u8]) -> Result<(), Undefined> {
        let entry = decoded.entry;
        let (mut literal, mut wide) = (false, false);
        for slot in entry.operands.iter().filter(|s| s.operand.class.has(Class::LITERAL)) {
            let number = self.number(slot, decoded);
            literal |= number == LITERAL;
            wide |= number == LITERAL64 && self.features.literal64 && slot.operand.ty.total() == 64;
        }
        if !literal && !wide {
            return Ok(());
        }
        let constant = entry.operands.iter().find(|s| s.kind == SlotKind::Constant);
        if let Some(slot) = constant {
            // The constant that always follows serves as the literal too.
            decoded.literal = Some(slot.bits.get(decoded.word));
        } else {
            let start = usize::from(entry.size);
            let count = if wide { 8 } else { 4 };
            let bytes = bytes.get(start..start + count).ok_or(Undefined::Truncated)?;
            decoded.literal = Some(bytes.iter().rev().fold(0, |value, b| value << 8 | u64::from(*b)));
            decoded.size += count as u8;
        }
        Ok(())
    }
}
