//! What to say of an instruction that no form takes, besides what is wrong: how it is written, what the operand at fault can be, and
//! which other spelling would be taken. Only asked for once assembling has failed, so it may try again as often as it likes.

use std::sync::Arc;

use isa::amdgpu::Class;

use super::{Codec, Entry, ModifierKind};
use crate::immediate::Problem;
use crate::immediate::cursor::Symbols;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// What is wrong in other words, where they are better.
    pub message: Option<String>,
    /// How the instruction is written, and what the operand at fault can be.
    pub notes: Vec<String>,
    /// What would be taken.
    pub help: Option<String>,
}

impl Codec {
    /// Advice on a text that [`Codec::assemble`] has refused with `problem`.
    pub fn advise(&self, mnemonic: &str, operands: &str, problem: &Problem, symbols: Symbols) -> Advice {
        let (name, asked, list) = self.split(mnemonic);
        let mut advice = Advice::default();
        // What holds of a pair is of no single form.
        if operands.contains("::") {
            return advice;
        }
        let Some(list) = list else { return advice };
        let Err(furthest) = self.first_that_takes(list, asked, operands, symbols) else { return advice };
        let Some((entry, _)) = furthest else {
            advice.help = list.iter().any(|entry| entry.half.is_none()).then(|| self.encodings(list, name));
            return advice;
        };
        let (written, _) = parts(operands);
        let wanted = entry.operands.len();
        if entry.image.is_none() && written < wanted && problem.message.ends_with("is missing here") {
            advice.message = Some(format!("`{name}` takes {}, not {written}", counted(wanted)));
        }
        advice.notes.push(format!("it is written `{}`", self.syntax(entry, mnemonic)));
        // An empty place is that of the mnemonic, and behind a whole operand stand the modifiers.
        let (count, last) = parts(operands.get(..problem.span.start as usize).unwrap_or(""));
        let in_operand = problem.span.end > 0 && !last.contains(' ');
        let slot = entry.operands.get(count.saturating_sub(1));
        if let Some(slot) = slot.filter(|_| in_operand && advice.message.is_none()) {
            let mut operand = slot.operand;
            if entry.encoding.name.starts_with("vop3") && !self.features.vop3_literals {
                operand.class = operand.class.without(Class::LITERAL);
            }
            advice.notes.push(format!("`{}` takes: {}", operand.name, operand.describe(self.words)));
        }
        if asked.is_some() && self.first_that_takes(list, None, operands, symbols).is_ok() {
            advice.help = Some(format!("`{name}` without the suffix takes these operands"));
        }
        advice
    }

    /// Operands and modifiers of a form by their names.
    fn syntax(&self, entry: &Entry, mnemonic: &str) -> String {
        let mut text = mnemonic.to_owned();
        for (index, slot) in entry.operands.iter().enumerate() {
            text += if index == 0 { " " } else { ", " };
            text += slot.operand.name;
        }
        for modifier in &*entry.modifiers {
            let word = match modifier.kind {
                ModifierKind::Part => continue,
                ModifierKind::Word | ModifierKind::Flag => modifier.name.to_owned(),
                ModifierKind::Immediate(index) => match self.immediates.forms().get(usize::from(index)) {
                    Some(form) => form.syntax(),
                    None => modifier.name.to_owned(),
                },
                ModifierKind::Offset { .. } => format!("{}:N", modifier.name),
                ModifierKind::List { .. } => format!("{}:[..]", modifier.name),
            };
            text += &if modifier.kind == ModifierKind::Word { format!(" {word}") } else { format!(" [{word}]") };
        }
        text
    }

    /// The encodings that a mnemonic has.
    fn encodings(&self, list: &[Arc<Entry>], name: &str) -> String {
        let mut suffixes: Vec<&str> = list.iter().map(|entry| entry.encoding.suffix).collect();
        suffixes.retain(|s| !s.is_empty());
        suffixes.sort_unstable();
        suffixes.dedup();
        let others: String = suffixes.iter().map(|s| format!(", `{name}{s}`")).collect();
        format!("it has these here: `{name}`{others}")
    }
}

/// The parts between commas outside of brackets: how many operands are written, and the last one.
fn parts(operands: &str) -> (usize, &str) {
    let (mut depth, mut count, mut last) = (0i32, 1, 0);
    for (at, c) in operands.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => (count, last) = (count + 1, at + 1),
            _ => {}
        }
    }
    let empty = count == 1 && operands.trim().is_empty();
    (if empty { 0 } else { count }, operands[last..].trim_start())
}

fn counted(operands: usize) -> String {
    if operands == 1 { "one operand".to_owned() } else { format!("{operands} operands") }
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn operands_are_parted_by_commas_outside_of_brackets() {
        assert_eq!(parts(" "), (0, ""));
        assert_eq!(parts("v1"), (1, "v1"));
        assert_eq!(parts("v1, s[0:1], op(1, 2)"), (3, "op(1, 2)"));
    }
}
