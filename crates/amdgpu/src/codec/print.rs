//! From an instruction to its text, as LLVM prints it.

use std::fmt::Write as _;

use isa::amdgpu::{Class, Number, Type};

use super::Codec;
use super::decode::Decoded;
use super::entry::{Modifier, ModifierKind, Slot, SlotKind};
use super::plan::Plan;
use super::register::{ACCUMULATION, LITERAL, LITERAL64, Meaning, RegisterFile, VECTOR};
use crate::immediate::digits::{Line, Piece, push_decimal, push_hexadecimal, push_signed};

impl Codec {
    /// The number of an operand: a register, a constant, or what its field holds.
    #[inline]
    pub(crate) fn number(&self, slot: &Slot, decoded: &Decoded) -> u16 {
        let number = slot.bits.get(decoded.word) as u16;
        if slot.is_split { self.split_number(slot, number, decoded) } else { number | slot.file }
    }

    fn split_number(&self, slot: &Slot, number: u16, decoded: &Decoded) -> u16 {
        let (class, entry) = (slot.operand.class, decoded.entry);
        if let (Some(source), false) = (slot.source, entry.sgpr.is_empty()) {
            return number | if entry.sgpr.get(decoded.word) >> source & 1 == 1 { 0 } else { VECTOR };
        }
        let number = number | slot.file;
        let only_a = class.has(Class::A) && !class.has(Class::V);
        let accumulates = class.has(Class::A) && !entry.acc.is_empty() && entry.acc.get(decoded.word) == 1;
        number | if (only_a || accumulates) && number & VECTOR != 0 { ACCUMULATION } else { 0 }
    }

    /// The number without the bit that chooses a half, and the half.
    pub(crate) fn half(&self, slot: &Slot, decoded: &Decoded) -> (u16, bool) {
        let number = self.number(slot, decoded);
        if number & VECTOR == 0 {
            return (number, false);
        }
        match slot.source.filter(|_| !decoded.entry.op_sel.is_empty()) {
            Some(source) => (number, decoded.entry.op_sel.get(decoded.word) >> source & 1 == 1),
            None => (number & !0x80, number & 0x80 != 0),
        }
    }

    /// Whether an operand is what it may be.
    pub(super) fn is_allowed(&self, slot: &Slot, decoded: &Decoded) -> bool {
        let (class, words) = (slot.operand.class, slot.words);
        if !matches!(slot.kind, SlotKind::Register | SlotKind::Export) {
            return true;
        }
        let number = if slot.half { self.half(slot, decoded).0 } else { self.number(slot, decoded) };
        if number == LITERAL64 && self.features.literal64 && decoded.literal.is_some() {
            return class.has(Class::LITERAL);
        }
        let is_vector = number & VECTOR != 0;
        self.registers.allows(number, words, class) && (words < 2 || !is_vector || self.aligned(class, number & 0xff))
    }

    /// Writes an instruction, without blanks around it.
    pub fn print(&self, decoded: &Decoded, out: &mut String) {
        if decoded.second.is_some() {
            return self.print_pair(decoded, out);
        }
        let entry = decoded.entry;
        let plan = self.plan(entry);
        let mut line = Line::new(out);
        let (pieces, length) = &plan.name;
        pieces.iter().enumerate().for_each(|(at, piece)| line.push(piece, length - at * size_of::<Piece>()));
        match &entry.image {
            Some(places) => {
                self.print_image(places, decoded, line.text());
                self.print_operands(plan, 2, true, decoded, &mut line);
            }
            None => self.print_operands(plan, 0, false, decoded, &mut line),
        }
        let out = line.text();
        if decoded.word & entry.silent.0 == entry.silent.1 {
            return;
        }
        let is_silent = |m: &&Modifier| m.silent.0 != 0 && decoded.word & m.silent.0 == m.silent.1;
        for modifier in entry.modifiers.iter().filter(|m| !is_silent(m)) {
            let before = out.len();
            out.push(' ');
            let start = out.len();
            self.print_modifier(modifier, decoded, out);
            if out.len() == start {
                out.truncate(before);
            }
        }
    }

    /// Writes the operands behind so many; one that has no text has no comma.
    #[inline]
    fn print_operands(&self, plan: &Plan, skip: usize, mut is_behind: bool, decoded: &Decoded, line: &mut Line) {
        const BLANKS: [(Piece, usize); 2] = [(first_bytes(*b"  "), 1), (first_bytes(*b", "), 2)];
        for (step, slot) in plan.steps.iter().zip(&*decoded.entry.operands).skip(skip) {
            let (blanks, count) = &BLANKS[usize::from(is_behind)];
            // Texts that are known are those of registers without high bits.
            let known = if decoded.banks == 0 { self.text_of(step, slot, decoded) } else { None };
            match known {
                Some((_, 0)) => continue,
                Some((text, length)) => {
                    line.push(blanks, *count);
                    line.push(&text, length);
                }
                None => {
                    line.push(blanks, *count);
                    let out = line.text();
                    let start = out.len();
                    self.print_operand(slot, decoded, out);
                    if out.len() == start {
                        out.truncate(start - count);
                        continue;
                    }
                }
            }
            is_behind = !step.is_target;
        }
    }

    pub(crate) fn print_operand(&self, slot: &Slot, decoded: &Decoded, out: &mut String) {
        let operand = &slot.operand;
        if slot.kind != SlotKind::Register {
            return self.print_unsigned(slot, decoded, out);
        }
        if !decoded.entry.sd.is_empty() && operand.name == "sdst" && decoded.entry.sd.get(decoded.word) == 0 {
            return self.print_fixed("vcc", out);
        }
        let source = slot.source.filter(|s| *s < 3);
        let set = |bits: &super::Bits, wanted: bool| wanted && source.is_some_and(|s| bits.get(decoded.word) >> s & 1 == 1);
        let neg = set(&decoded.entry.neg, operand.float_modifiers);
        let abs = set(&decoded.entry.abs, operand.float_modifiers);
        let sext = set(&decoded.entry.sext, operand.integer_modifiers);
        let start = out.len();
        self.print_unsigned(slot, decoded, out);
        if !(neg || abs || sext) {
            return;
        }
        let constant = !out[start..].starts_with(|c: char| c.is_ascii_lowercase());
        if abs {
            out.insert(start, '|');
            out.push('|');
        }
        if neg && constant && !abs {
            out.insert_str(start, "neg(");
            out.push(')');
        } else if neg {
            out.insert(start, '-');
        }
        if sext {
            out.insert_str(start, "sext(");
            out.push(')');
        }
    }

    /// Writes an operand without its signs.
    pub(super) fn print_unsigned(&self, slot: &Slot, decoded: &Decoded, out: &mut String) {
        let operand = &slot.operand;
        match slot.kind {
            SlotKind::Text => self.print_fixed(operand.name, out),
            SlotKind::Constant => {
                // In a pair it is the literal, which both halves share.
                let value = if slot.bits.is_empty() { decoded.literal.unwrap_or(0) } else { slot.bits.get(decoded.word) };
                match self.inline_text(value, operand.ty) {
                    Some(text) if operand.ty.number == Number::Bits => out.push_str(&text),
                    _ => print_constant(value, operand.ty.bits == 64, out),
                }
            }
            SlotKind::Immediate => self.print_immediate(slot, decoded, out),
            SlotKind::Export => self.print_export(slot, decoded, out),
            SlotKind::Register => self.print_number(slot, decoded, out),
        }
    }

    /// Text that is the same whatever the bits, but for the size of wavefronts.
    fn print_fixed(&self, name: &str, out: &mut String) {
        out.push_str(name);
        if self.wave == 32 && matches!(name, "vcc" | "exec") {
            out.push_str("_lo");
        }
    }

    /// A source of an export, or `off` where none is enabled; two halves of one register if they are compressed.
    fn print_export(&self, slot: &Slot, decoded: &Decoded, out: &mut String) {
        let (entry, index) = (decoded.entry, slot.source.unwrap_or(0));
        if entry.en.get(decoded.word) >> index & 1 == 0 {
            out.push_str("off");
            return;
        }
        let compressed = entry.compr.get(decoded.word) == 1;
        let from = if compressed { usize::from(1 + index / 2) } else { usize::from(1 + index) };
        self.print_number(entry.operands.get(from).unwrap_or(slot), decoded, out);
    }

    fn print_number(&self, slot: &Slot, decoded: &Decoded, out: &mut String) {
        let words = slot.words;
        let (number, high) = if slot.half { self.half(slot, decoded) } else { (self.number(slot, decoded), false) };
        let is_literal = number == LITERAL || number == LITERAL64 && self.features.literal64;
        if let Some(literal) = decoded.literal.filter(|_| is_literal) {
            return self.print_literal(slot, decoded, literal, out);
        }
        match self.registers.meaning(number, words) {
            Meaning::Numbered(name, index) => {
                let index = if name == "v" { index + decoded.bank(slot.operand.name) } else { index };
                RegisterFile::print_numbered(name, index, words, out);
                if slot.half && number & VECTOR != 0 {
                    out.push_str(if high { ".h" } else { ".l" });
                }
            }
            Meaning::Named(name) => out.push_str(name),
            Meaning::Integer(value) => push_signed(out, value.into()),
            Meaning::Real("0.15915494") if slot.operand.ty.bits == 64 => out.push_str("0.15915494309189532"),
            Meaning::Real(text) if super::assemble::is_short(slot.operand.ty) => {
                push_hexadecimal(out, super::assemble::half(text.parse().unwrap_or(0.0)));
            }
            Meaning::Real(text) => out.push_str(text),
            Meaning::Literal | Meaning::Reserved => {
                let _ = write!(out, "/*{number}*/");
            }
        }
    }

    /// A literal; one that would be written shorter says that it is one.
    fn print_literal(&self, slot: &Slot, decoded: &Decoded, literal: u64, out: &mut String) {
        let wide = decoded.size == decoded.entry.size + 8;
        let constant = decoded.entry.operands.iter().find(|s| s.operand.class.has(Class::K));
        if let Some(constant) = constant.filter(|c| c.bits.width() == 64) {
            return print_constant(literal, constant.operand.ty.bits == 64, out);
        }
        let value = if wide || slot.operand.ty.bits != 64 || !super::assemble::is_real(slot.operand.ty) {
            literal
        } else {
            literal << 32
        };
        let is_short = super::assemble::is_short(slot.operand.ty);
        let shorter = match wide {
            // A literal of 32 bits would be read.
            true => value >> 32 == 0,
            false => {
                // An integer of 16 bits is told by all 32.
                let ty = if is_short { Type { bits: 32, ..slot.operand.ty } } else { slot.operand.ty };
                slot.operand.class.has(Class::CONSTANT) && self.is_inline(decoded.entry, value, ty)
            }
        };
        match (shorter, wide) {
            (true, true) => out.push_str("lit64("),
            (true, false) => out.push_str("lit("),
            _ if is_short => return push_hexadecimal(out, literal & 0xffff),
            // Where there are no inline constants, nothing else is as short.
            _ if slot.operand.ty.lanes > 1 && !slot.operand.class.has(Class::CONSTANT) && is_small(literal) => {
                return push_signed(out, (literal as i32).into());
            }
            _ => return push_hexadecimal(out, literal),
        }
        push_hexadecimal(out, literal);
        out.push(')');
    }

    /// The inline constant with these bits.
    fn inline_text(&self, value: u64, ty: Type) -> Option<String> {
        match self.registers.meaning(self.inline_of(value, ty)?, 1) {
            Meaning::Integer(value) => Some(value.to_string()),
            Meaning::Real(text) => Some(text.to_owned()),
            _ => None,
        }
    }

    fn print_immediate(&self, slot: &Slot, decoded: &Decoded, out: &mut String) {
        let mut value = slot.bits.get(decoded.word);
        if slot.operand.ty.name == "smem_offset" {
            return print_signed_hex(sign_extended(value, slot.bits.width()), out);
        }
        if slot.operand.ty.name == "attribute" {
            let channel = decoded.entry.modifiers.iter().find(|m| m.kind == ModifierKind::Part);
            value = value << 2 | channel.map_or(0, |m| m.bits.get(decoded.word));
        }
        match slot.immediate.and_then(|i| self.immediates.forms().get(usize::from(i))) {
            Some(form) => {
                form.print(value as u32, out);
            }
            None => push_decimal(out, value),
        }
    }

    pub(crate) fn print_modifier(&self, modifier: &Modifier, decoded: &Decoded, out: &mut String) {
        let mut value = modifier.bits.get(decoded.word);
        match modifier.kind {
            ModifierKind::Part => {}
            ModifierKind::Word => out.push_str(modifier.name),
            ModifierKind::Flag if value == 0 => {}
            ModifierKind::Flag => out.push_str(modifier.name),
            ModifierKind::Offset { hex: false, .. } if value == 0 => {}
            ModifierKind::Offset { signed, hex } => {
                let value = if signed { sign_extended(value, modifier.bits.width()) } else { value as i64 };
                out.push_str(modifier.name);
                out.push(':');
                match hex {
                    true => print_signed_hex(value, out),
                    false => push_signed(out, value),
                }
            }
            ModifierKind::List { count, destination, usual } => {
                self.print_list(modifier, (count, destination, usual), decoded, out)
            }
            ModifierKind::Immediate(index) => {
                if modifier.name == "fi8" {
                    value = u64::from(value == 0xea);
                }
                if let Some(form) = self.immediates.forms().get(usize::from(index)) {
                    form.print(value as u32, out);
                }
            }
        }
    }

    /// `op_sel:[0,1,0]`, unless it is as usual.
    fn print_list(
        &self,
        modifier: &Modifier,
        (count, destination, usual): (u8, bool, bool),
        decoded: &Decoded,
        out: &mut String,
    ) {
        // Bits that have another meaning in this form are not those of the list.
        let others = decoded.entry.modifiers.iter().filter(|m| !matches!(m.kind, ModifierKind::List { .. }));
        let taken = others.fold(0, |all, m| all | m.bits.mask());
        let value = modifier.bits.get(decoded.word & !taken);
        let bit = |i: u8| value >> i & 1;
        if (0..count).all(|i| bit(i) == u64::from(usual)) && (!destination || bit(3) == 0) {
            return;
        }
        out.push_str(modifier.name);
        out.push_str(":[");
        for i in (0..count).chain(destination.then_some(3)) {
            out.push_str(if i > 0 { "," } else { "" });
            push_decimal(out, bit(i));
        }
        out.push(']');
    }
}

/// A piece that begins with these bytes.
const fn first_bytes([first, second]: [u8; 2]) -> Piece {
    let mut piece = [0; 16];
    (piece[0], piece[1]) = (first, second);
    piece
}

/// Writes a constant that always follows; of a double one whose lower half is zero the upper half.
fn print_constant(value: u64, double: bool, out: &mut String) {
    match double {
        true if value & 0xffff_ffff == 0 => push_hexadecimal(out, value >> 32),
        true if value >> 32 == 0 => {
            out.push_str("lit64(");
            push_hexadecimal(out, value);
            out.push(')');
        }
        _ => push_hexadecimal(out, value),
    }
}

/// Whether 32 bits are an integer that LLVM writes as one.
fn is_small(literal: u64) -> bool {
    (-16..=64).contains(&(literal as i32))
}

pub(super) fn sign_extended(value: u64, width: u8) -> i64 {
    let shift = 64 - u32::from(width.clamp(1, 64));
    (value << shift) as i64 >> shift
}

fn print_signed_hex(value: i64, out: &mut String) {
    if value < 0 {
        out.push('-');
    }
    push_hexadecimal(out, value.unsigned_abs());
}
