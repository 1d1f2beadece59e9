//! What the operands and modifiers of a decoded instruction are, as numbers: what somebody asks who executes it.
//!
//! Registers are told by number, constants by their bits at the width of the operand. What an operand is used for is said in [`super::access`].

use isa::amdgpu::{Number, Type};

use super::assemble::inline_pattern;
use super::entry::SlotKind;
use super::print::sign_extended;
use super::register::{ACCUMULATION, LITERAL, LITERAL64, Meaning, VECTOR};
use super::{Codec, Decoded, Slot};

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A vector register, the first if there are several.
    Vector(u16),
    /// An accumulation register.
    Accumulation(u16),
    /// A scalar register: the number that operand fields have for it (`vcc_lo` is 106, `exec_lo` 126).
    Scalar(u16),
    /// A value with a name that is no register of its own: `src_scc`, `src_shared_base`.
    Named(&'static str),
    /// A constant: its bits at the operand's width.
    Constant(u64),
    /// The null register: zero, and written in vain.
    Null,
    /// Always the same text: `vcc`, `off`, `exec`.
    Text(&'static str),
}

/// An operand with its signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// What it is.
    pub what: What,
    /// Whether the upper half of the register is meant, where it is half a register.
    pub upper: bool,
    /// Whether it is negated, after `abs`.
    pub neg: bool,
    /// Whether its absolute value is taken.
    pub abs: bool,
    /// Whether its sign is extended.
    pub sext: bool,
}

impl Codec {
    /// What an operand of an instruction is.
    pub fn value_of(&self, slot: &Slot, decoded: &Decoded) -> Value {
        let entry = decoded.entry;
        let source = slot.source.filter(|s| *s < 3);
        let set = |bits: &super::Bits| source.is_some_and(|s| bits.get(decoded.word) >> s & 1 == 1);
        let (what, upper) = self.what(slot, decoded);
        Value {
            what,
            upper,
            neg: slot.operand.float_modifiers && set(&entry.neg),
            abs: slot.operand.float_modifiers && set(&entry.abs),
            sext: slot.operand.integer_modifiers && set(&entry.sext),
        }
    }

    fn what(&self, slot: &Slot, decoded: &Decoded) -> (What, bool) {
        let (entry, ty) = (decoded.entry, slot.operand.ty);
        match slot.kind {
            SlotKind::Text => return (What::Text(slot.operand.name), false),
            SlotKind::Constant => {
                let bits = if slot.bits.is_empty() { decoded.literal.unwrap_or(0) } else { slot.bits.get(decoded.word) };
                return (What::Constant(bits), false);
            }
            SlotKind::Immediate => {
                let bits = slot.bits.get(decoded.word);
                let is_offset = slot.operand.ty.name == "smem_offset";
                let bits = if is_offset { sign_extended(bits, slot.bits.width()) as u64 } else { bits };
                return (What::Constant(bits), false);
            }
            SlotKind::Register | SlotKind::Export => {}
        }
        if !entry.sd.is_empty() && slot.operand.name == "sdst" && entry.sd.get(decoded.word) == 0 {
            return (What::Text("vcc"), false);
        }
        let (number, upper) = if slot.half { self.half(slot, decoded) } else { (self.number(slot, decoded), false) };
        let is_literal = number == LITERAL || number == LITERAL64 && self.features.literal64;
        if let Some(literal) = decoded.literal.filter(|_| is_literal) {
            let wide = decoded.size == entry.size + 8;
            return (What::Constant(if wide { literal } else { widened(literal, ty) }), false);
        }
        let what = match self.registers.meaning(number, slot.words) {
            Meaning::Named("null") => What::Null,
            Meaning::Named(name) if self.registers.is_source(number, slot.words) || number >= 128 => What::Named(name),
            Meaning::Numbered("v", index) => What::Vector(index + decoded.bank(slot.operand.name)),
            Meaning::Numbered("a", index) => What::Accumulation(index),
            Meaning::Numbered(..) | Meaning::Named(_) if number & (VECTOR | ACCUMULATION) == 0 => What::Scalar(number),
            Meaning::Integer(value) => What::Constant(i64::from(value) as u64 & super::bits::ones(width(ty))),
            Meaning::Real(text) => What::Constant(self.real(number, text, decoded, ty)),
            _ => What::Null,
        };
        (what, upper)
    }

    /// The bits of an inline real constant.
    fn real(&self, number: u16, text: &str, decoded: &Decoded, ty: Type) -> u64 {
        let value = self.registers.reals().find(|real| real.0 == number).map_or_else(|| text.parse().unwrap_or(0.0), |r| r.1);
        let bits = inline_pattern(value, ty).unwrap_or(0);
        if decoded.entry.form.limits.doubled && ty.bits == 16 && ty.lanes == 2 { bits | bits << 16 } else { bits }
    }

    /// The bits of a modifier that an instruction has room for, by the name that the record gives it or that of its field.
    pub fn modifier_of(&self, decoded: &Decoded, name: &str) -> Option<u64> {
        let modifier = decoded.entry.modifiers.iter().find(|m| m.name == name)?;
        Some(if modifier.bits.is_empty() { 1 } else { modifier.bits.get(decoded.word) })
    }

    /// A field of the instruction's word, if its layout has it.
    pub fn field_of(&self, decoded: &Decoded, name: &str) -> Option<u64> {
        let layout = decoded.entry.encoding.layout(self.target)?;
        let bits = super::Bits::of(layout, self.table.field(name)?);
        (!bits.is_empty()).then(|| bits.get(decoded.word))
    }
}

/// Bits of an operand that is a number; of masks and others, 64.
fn width(ty: Type) -> u8 {
    match ty.total() {
        0 => 64,
        bits => bits.clamp(32, 64) as u8,
    }
}

/// A literal of 32 bits as an operand of a type sees it: the upper half of a double, the first of two numbers, else extended as an integer.
fn widened(literal: u64, ty: Type) -> u64 {
    match (ty.number, ty.total()) {
        (Number::Float, 64) if ty.name == "f64" => literal << 32,
        (_, 64) if ty.name.starts_with('i') => i64::from(literal as u32 as i32) as u64,
        _ => literal,
    }
}
