//! From a word to the form that it is.

use isa::amdgpu::{Class, Content, Table, Target};

use super::entry::{Entry, SlotKind};
use super::register::{LITERAL, LITERAL64};
use super::{Bits, Codec};

/// The forms of one encoding, by opcode.
#[derive(Debug)]
pub(super) struct Group {
    mask: u128,
    value: u128,
    op: Bits,
    bits: u32,
    /// Indices of entries, the most particular first.
    by_opcode: Vec<Vec<u16>>,
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
}

impl Decoded<'_> {
    /// Bits of the word that hardware ignores and an assembler does not write so: the text says nothing of them.
    pub fn stray_bits(&self) -> u128 {
        (self.word ^ self.entry.unused_value) & self.entry.ignored
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
pub(super) fn groups(entries: &[Entry], table: &Table, target: Target) -> (Vec<Group>, Vec<Vec<u16>>) {
    let mut groups: Vec<Group> = Vec::new();
    let mut by_encoding = vec![Vec::new(); table.encodings.len()];
    for (index, entry) in entries.iter().enumerate().filter(|(_, e)| !e.form.assembler_only && e.half.is_none()) {
        by_encoding[entry.form.encoding].push(index as u16);
    }
    let op_field = table.field("op");
    for (encoding, indices) in table.encodings.iter().zip(by_encoding) {
        let Some(layout) = encoding.layout(target) else { continue };
        let op = op_field.map_or(Bits::default(), |f| Bits::of(layout, f));
        let mut group = Group { mask: 0, value: 0, op, bits: layout.bits, by_opcode: Vec::new() };
        for piece in &layout.pieces {
            if let Content::Fixed(bits) = piece.content {
                group.mask |= u128::from(super::bits::ones(piece.width)) << piece.low;
                group.value |= u128::from(bits) << piece.low;
            }
        }
        for index in indices {
            let opcode = op.get(entries[usize::from(index)].value) as usize;
            if group.by_opcode.len() <= opcode {
                group.by_opcode.resize(opcode + 1, Vec::new());
            }
            group.by_opcode[opcode].push(index);
        }
        if !group.by_opcode.is_empty() {
            group
                .by_opcode
                .iter_mut()
                .for_each(|list| list.sort_by_key(|i| std::cmp::Reverse(entries[usize::from(*i)].particularity())));
            groups.push(group);
        }
    }
    groups.sort_by_key(|g| std::cmp::Reverse((g.mask.count_ones(), g.bits)));
    let matches = |g: &Group, high: usize| ((high as u128) << 23 ^ g.value) & g.mask & (0x1ff << 23) == 0;
    let dispatch =
        (0..512).map(|high| (0..groups.len()).filter(|&i| matches(&groups[i], high)).map(|i| i as u16).collect()).collect();
    (groups, dispatch)
}

impl Codec {
    /// The instruction at the start of some bytes.
    ///
    /// # Errors
    ///
    /// The bytes are none, or none that an assembler writes.
    pub fn decode(&self, bytes: &[u8]) -> Result<Decoded<'_>, Undefined> {
        let mut buffer = [0; 16];
        let count = bytes.len().min(16);
        buffer[..count].copy_from_slice(&bytes[..count]);
        let word = u128::from_le_bytes(buffer);
        if count < 4 {
            return Err(Undefined::Truncated);
        }
        let mut why = Undefined::Opcode;
        for &group in &self.dispatch[(word as u32 >> 23) as usize] {
            let group = &self.groups[usize::from(group)];
            if (word ^ group.value) & group.mask != 0 {
                continue;
            }
            let Some(list) = group.by_opcode.get(group.op.get(word) as usize) else { continue };
            for &index in list {
                let entry = &self.entries[usize::from(index)];
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
        let mut decoded = Decoded { entry, word, literal: None, size: entry.size, second: None };
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
