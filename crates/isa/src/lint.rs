//! What a table must keep beyond what reading it demands: every definition serves, every spelling has one meaning, every
//! example is of its record, and the text keeps one style.

use std::collections::HashSet;

use diagnostics::Span;

use crate::form::{Element, Role, Step};
use crate::resolve::{Match, Operand, Part, Resolution};
use crate::table::{Example, Record, Table};
use crate::target::Target;
use crate::text::{Place, Problems, Text};
use crate::types::{Class, OperandType, Range};

/// Spellings of a form that are looked at.
const SPELLINGS: usize = 300;

impl Table {
    /// Everything that is read without error and wrong all the same; empty if the table is good.
    pub fn lint(&'static self) -> Problems {
        let mut problems = Problems { sources: self.sources.clone(), list: Vec::new() };
        self.lint_text(&mut problems);
        self.lint_titles(&mut problems);
        self.lint_vocabulary(&mut problems);
        self.lint_foreign(&mut problems);
        for record in &self.records {
            self.lint_spellings(record, &mut problems);
            record.examples.iter().for_each(|e| self.lint_example(record, e, &mut problems));
        }
        problems
    }

    fn lint_text(&self, problems: &mut Problems) {
        for (source, file) in self.sources.iter().enumerate() {
            let mut start = 0;
            for line in file.text.split_inclusive('\n') {
                let content = line.trim_end_matches('\n');
                let kept = content.trim_end().len();
                if kept < content.len() {
                    let span = Span::new((start + kept) as u32, (start + content.len()) as u32);
                    problems.push(Place { source, span }, "blanks at the end of the line");
                }
                start += line.len();
            }
            if !file.text.is_empty() && !file.text.ends_with('\n') {
                let span = Span::new(start as u32, start as u32);
                problems.push(Place { source, span }, "the last line does not end");
            }
        }
    }

    fn lint_titles(&self, problems: &mut Problems) {
        let types = self.types.iter().map(|t| (t.title, t.place));
        let words = self.words.iter().map(|w| (w.title, w.place));
        let records = self.records.iter().map(|r| (r.title, r.place));
        let specials = self.specials.iter().map(|s| (s.title, s.place));
        let pending = self.pending.iter().map(|p| (p.title, p.place));
        for (title, place) in types.chain(words).chain(records).chain(specials).chain(pending) {
            if title.starts_with(|c: char| c.is_lowercase()) {
                problems.push(place, format!("the title `{title}` begins with a small letter"));
            }
            if title.ends_with('.') {
                problems.push(place, format!("the title `{title}` ends in a full stop"));
            }
        }
    }

    /// Names from elsewhere stand for something that exists, and are not taken from something that does.
    fn lint_foreign(&self, problems: &mut Problems) {
        let instruction = |name: &str| self.base_index.contains_key(name);
        let modifier = |name: &str| self.word(name).is_some() || self.type_named(name.trim_start_matches('.')).is_some();
        for (other, (own, place)) in &self.foreign {
            let known = match own.as_bytes()[0] {
                b'.' => modifier(own) && !modifier(&format!(".{other}")),
                b'%' => self.special(own).is_some() && self.special(&format!("%{other}")).is_none(),
                _ if own.starts_with("sm_") => Target::parse(own).is_some_and(|t| t.introduced().is_some()),
                _ => instruction(own) && !instruction(other),
            };
            if !known || *other != other.to_ascii_lowercase() {
                problems.push(*place, format!("`{other}` cannot mean `{own}`"));
            }
        }
    }

    /// Words and types that nothing uses.
    fn lint_vocabulary(&self, problems: &mut Problems) {
        let forms = || self.records.iter().flat_map(|r| &r.forms);
        let mut used: HashSet<Text> = HashSet::new();
        for form in forms() {
            used.extend(form.slots.iter().flat_map(|s| &s.words).flat_map(|w| w.split('+')));
            used.extend(form.pattern.iter().filter_map(|s| match s {
                Step::One(Element::Word(word)) => Some(*word),
                _ => None,
            }));
            for part in form.operands.iter().flat_map(|o| &o.parts) {
                part.ty.names(&mut |name, _| {
                    used.insert(name);
                });
            }
        }
        // `.b1` is a byte where it selects from an operand, and the type of one bit.
        let selectors: HashSet<Text> =
            forms().flat_map(|f| &f.slots).filter(|s| s.selector).flat_map(|s| &s.words).copied().collect();
        for word in &self.words {
            if !used.contains(word.name) {
                problems.push(word.place, format!("no form uses the word `{}`", word.name));
            }
            if self.type_named(&word.name[1..]).is_some() && !selectors.contains(word.name) {
                problems.push(word.place, format!("`{}` is a type already", word.name));
            }
        }
        let lanes: HashSet<Text> = self.types.iter().filter_map(|t| Some(t.lanes?.1)).collect();
        for ty in &self.types {
            // What is no instruction type may still be declared, or be what a packed type consists of.
            let declared = ty.registers.is_empty() || ty.registers.contains(&ty.name) || ty.class == Class::Opaque;
            let dotted = format!(".{}", ty.name);
            let serves = used.contains(ty.name) || used.contains(&*dotted) || lanes.contains(ty.name);
            if !declared && !serves {
                problems.push(ty.place, format!("no form uses the type `{}`", ty.name));
            }
        }
    }

    /// Every spelling has types for its operands, is found again, and has no second meaning.
    fn lint_spellings(&'static self, record: &'static Record, problems: &mut Problems) {
        for form in &record.forms {
            let spellings = match self.enumerate(record, form, SPELLINGS, 0) {
                Ok(spellings) => spellings,
                Err(message) => {
                    problems.push(form.place, message);
                    continue;
                }
            };
            if spellings.is_empty() {
                problems.push(form.place, "the rules of the form leave no spelling");
            }
            if let Some(message) = spellings.iter().find_map(|s| self.ambiguous(s)) {
                problems.push(form.place, message);
            }
        }
    }

    /// Why an opcode does not lead back to the one match that spells it, if so.
    fn ambiguous(&'static self, spelling: &Match) -> Option<String> {
        let opcode = spelling.opcode();
        let found = match self.resolve(&opcode) {
            Ok(Resolution::Matches(found)) => found,
            Ok(Resolution::Pending(_)) => return Some(format!("`{opcode}` is pending")),
            Err(reason) => return Some(format!("`{opcode}` does not resolve: {}", reason.message)),
        };
        let same = |m: &&Match| std::ptr::eq(m.form, spelling.form);
        if !found.iter().any(|m| same(&m) && m.slots == spelling.slots) {
            return Some(format!("`{opcode}` resolves to another reading of the form, or not to it at all"));
        }
        let other = found.iter().filter(|m| !same(m)).find(|m| overlap(m, spelling))?;
        let (form, name) = (other.form.text, other.record.name);
        Some(format!("`{opcode}` with the same operands is also `{form}` of `{name}`"))
    }

    fn lint_example(&'static self, record: &'static Record, example: &Example, problems: &mut Problems) {
        let opcode = example.opcode;
        let found = match self.resolve(opcode) {
            Ok(Resolution::Matches(found)) => found,
            Ok(Resolution::Pending(_)) => Vec::new(),
            Err(reason) => {
                problems.push(example.place, format!("the example does not resolve: {}", reason.message)).help = reason.help;
                return;
            }
        };
        let own: Vec<&Match> = found.iter().filter(|m| std::ptr::eq(m.record, record)).collect();
        if own.is_empty() {
            problems.push(example.place, format!("`{opcode}` is not of this record"));
            return;
        }
        if let Some(message) = own.iter().map(|m| misnamed(m, example)).reduce(|a, b| a.and(b)).flatten() {
            problems.push(example.place, message);
        }
    }
}

/// Why the names of an example are not those of a match, if so.
fn misnamed(spelling: &Match, example: &Example) -> Option<String> {
    let sources = spelling.parts().filter(|p| p.role != Role::Destination).map(|p| p.name);
    let implicit = |written: bool| {
        let role = if written { Role::Destination } else { Role::Source };
        spelling.implicit().iter().filter(move |i| i.role == role || i.role == Role::Both)
    };
    let names: Vec<Text> = sources.chain(implicit(false).map(|i| i.name)).collect();
    if let Some((name, _)) = example.inputs.iter().find(|(name, _)| !names.contains(name)) {
        return Some(format!("`{}` has no source `{name}`: it has {}", spelling.opcode(), names.join(", ")));
    }
    let results = spelling.parts().filter(|p| p.role == Role::Destination).count() + implicit(true).count();
    let written = example.results.len();
    (written > results).then(|| format!("`{}` has {results} results, not {written}", spelling.opcode()))
}

/// Whether some operands fit both.
fn overlap(a: &Match, b: &Match) -> bool {
    if let (Some(one), Some(other)) = (a.form.texmode, b.form.texmode)
        && one != other
    {
        return false;
    }
    let same =
        |x: &[usize], y: &[usize]| x.len() == y.len() && x.iter().zip(y).all(|(&i, &j)| alike(&a.operands[i], &b.operands[j]));
    a.variants().any(|x| b.variants().any(|y| same(x, y)))
}

/// Whether something written fits both: where only registers differ, constants are taken for the first form's.
fn alike(a: &Operand, b: &Operand) -> bool {
    a.notation == b.notation && a.parts.len() == b.parts.len() && a.parts.iter().zip(&b.parts).all(|(a, b)| shared(a, b))
}

/// Whether both take a vector of one length, a constant, or a register of one type.
fn shared(a: &Part, b: &Part) -> bool {
    let disjoint = |x: &Range, y: &Range| x.last < y.first || y.last < x.first;
    match (a.ty, b.ty) {
        (OperandType::Vector(n, _), OperandType::Vector(m, _)) => n == m,
        (OperandType::Vector(..), _) | (_, OperandType::Vector(..)) => false,
        _ if a.limits.discarded != b.limits.discarded => a.limits.sink || b.limits.sink,
        (OperandType::Scalar(_), OperandType::Scalar(_)) if a.limits.immediate != b.limits.immediate => {
            !(a.limits.register || b.limits.register)
        }
        (OperandType::Scalar(_), OperandType::Scalar(_)) if a.limits.immediate => {
            let apart = a.limits.ranges.iter().all(|x| b.limits.ranges.iter().all(|y| disjoint(x, y)));
            a.limits.ranges.is_empty() || b.limits.ranges.is_empty() || !apart
        }
        (OperandType::Scalar(x), OperandType::Scalar(y)) => {
            let wide = |part: &Part| part.limits.wider || part.ty.element().is_some_and(|t| !t.registers.is_empty());
            (x.class == Class::Pred) == (y.class == Class::Pred) && (x.bits == y.bits || wide(a) || wide(b))
        }
        _ => true,
    }
}
