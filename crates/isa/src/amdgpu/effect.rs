//! What instructions read and write.
//!
//! Encodings say what all their instructions do, records what is otherwise with one. Memory is not spoken of, nor which lanes of a
//! register are written: a write under EXEC that leaves the other lanes alone is a write.

use super::{Field, Number, Operand, Table, Target, Targets};
use crate::text::Text;

/// Something that is read or written, or, in a record, is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The name of an operand, or of a register without one (`scc`, `exec`).
    pub name: Text,
    /// Whether it is an operand.
    pub is_operand: bool,
    /// Whether it is not read or written after all.
    pub is_absent: bool,
    /// When it is.
    pub condition: Condition,
}

/// When something is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Always.
    Always,
    /// Where some operand is a floating-point number.
    Float,
    /// On these targets.
    Targets(Targets),
    /// Where these bits of a field have this value: field, value, bits.
    Bits(Field, u64, u64),
}

impl Effect {
    /// Reads `vdst`, `-mode`, `mode@float`, `vdst@gfx11`, `vdata@cpol=0x1/0x1`.
    pub(super) fn parse(word: Text, table: &Table) -> Result<Effect, String> {
        let (bare, condition) = word.split_once('@').unwrap_or((word, ""));
        let (name, is_absent) = bare.strip_prefix('-').map_or((bare, false), |name| (name, true));
        let is_state = table.states.iter().any(|s| s.0 == name);
        let is_operand = !is_state && table.field(name).is_some();
        if !is_state && !is_operand {
            return Err(format!("there is no operand and no register `{name}`; see registers.isa"));
        }
        let condition = match condition {
            "" => Condition::Always,
            "float" => Condition::Float,
            bits if bits.contains('=') => {
                Condition::bits(bits, table).ok_or("such a condition reads `FIELD=0xVALUE` or `FIELD=0xVALUE/0xBITS`")?
            }
            name => match table.target(name).map_or(table.group(name), Targets::one) {
                Targets::NONE => return Err(format!("there is no target or group `{name}`")),
                targets => Condition::Targets(targets),
            },
        };
        Ok(Effect { name, is_operand, is_absent, condition })
    }

    /// Whether it holds on a target for a form with these operands; `field` gives the value of a field, nothing where the form has none.
    pub fn holds(&self, target: Target, operands: &[Operand], field: impl Fn(Field) -> Option<u64>) -> bool {
        match self.condition {
            Condition::Always => true,
            Condition::Targets(targets) => targets.has(target),
            Condition::Float => has_float(operands),
            Condition::Bits(name, value, bits) => field(name).is_some_and(|now| now & bits == value),
        }
    }
}

/// Whether some operand is a floating-point number.
pub fn has_float(operands: &[Operand]) -> bool {
    operands.iter().any(|o| matches!(o.ty.number, Number::Float | Number::BFloat))
}

impl Condition {
    fn bits(text: &str, table: &Table) -> Option<Condition> {
        let number = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
        let (field, rest) = text.split_once('=')?;
        let (value, bits) = rest.split_once('/').unwrap_or((rest, "0xffffffffffffffff"));
        Some(Condition::Bits(table.field(field)?, number(value)?, number(bits)?))
    }
}
