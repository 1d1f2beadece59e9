//! What to write instead: suggestions for mistakes that many make. They are looked for only once something is known to be wrong.

use crate::later::Declared;
use crate::operands::{Complaint, Judged};
use crate::{Checker, codes};
use diagnostics::{Diagnostic, Span};
use isa::{Match, OperandType, Table, Version, Written};
use ptx::ast::{Function, Instruction, Operand, Symbol};

/// Of longer instructions no other orders of operands are tried.
const REORDERED: usize = 6;

impl<'t> Checker<'t> {
    /// The instruction with one of its operands in another place, if it is right then.
    pub fn reordered(
        &mut self,
        instruction: &'t Instruction,
        matches: &[Match],
        operands: &'t [Operand],
        written: &[Written],
    ) -> Option<String> {
        let count = operands.len();
        let called = |part: &isa::Part| matches!(part.ty, OperandType::Function);
        if !(2..=REORDERED).contains(&count) || self.text.is_empty() || matches.iter().any(|m| m.parts().any(called)) {
            return None;
        }
        let moves = (1..count).flat_map(|by| (0..count - by).flat_map(move |at| [(at, at + by), (at + by, at)]));
        for (from, to) in moves {
            let mut order: Vec<usize> = (0..count).collect();
            let moved = order.remove(from);
            order.insert(to, moved);
            let written: Vec<Written> = order.iter().map(|&at| written[at]).collect();
            for form in matches {
                let Ok(names) = self.fits_in(&order, instruction, form, operands, &written) else { continue };
                if self.available(form, &names) {
                    let texts: Vec<&str> = order.iter().map(|&at| operands[at].span.text(self.text)).collect();
                    return Some(format!("{} {}", self.tree.opcode(instruction.opcode), texts.join(", ")));
                }
            }
        }
        None
    }

    /// Whether another line begins between an opcode and its first operand: then a semicolon may be missing.
    pub fn runs_on(&self, instruction: &Instruction, operands: &[Operand]) -> bool {
        let between = |first: &Operand| Span::new(instruction.opcode_span.end, first.span.start).text(self.text);
        operands.first().is_some_and(|first| between(first).contains('\n'))
    }

    /// Whether so many operands would be the right number if some of them stood in braces, as the vector of the form.
    pub fn lacks_braces(form: &Match, written: usize) -> bool {
        let vectors: u32 =
            form.parts().filter_map(|p| if let OperandType::Vector(n, _) = p.ty { Some(n - 1) } else { None }).sum();
        vectors > 0 && form.variants().any(|v| v.len() + vectors as usize == written)
    }

    /// Says that a name is not declared.
    #[cold]
    pub fn undeclared(&mut self, symbol: Symbol, span: Span) {
        if !self.report.has_room() {
            return self.report.push(|| Diagnostic::error(codes::UNDECLARED, span, ""));
        }
        let tree = self.tree;
        let text = tree.name(symbol);
        let later = self.declared.get_or_insert_with(|| Declared::new(tree)).behind(text, span);
        let error = Diagnostic::error(codes::UNDECLARED, span, format!("`{text}` is not declared"));
        let error = match later {
            Some(place) => error.also(place, "declared here, behind its use").help("move the declaration before its first use"),
            None => error.help(self.declared_as(text)),
        };
        self.report.push(|| error);
    }

    /// That a function is first declared behind its use, where it is: a prototype may stand in the body of another function.
    pub fn is_known(&mut self, function: &Function, span: Span) -> Judged {
        let tree = self.tree;
        let text = tree.name(function.name.symbol);
        let early = function.name.span.start > span.start
            && self.declared.get_or_insert_with(|| Declared::new(tree)).behind(text, span).is_some();
        if !early {
            return Ok(());
        }
        let help = "move the declaration before its first use";
        Err(Complaint::new(codes::UNDECLARED, span, format!("`{text}` is declared behind its use"), help))
    }

    /// What may be meant by a name that nothing declares.
    fn declared_as(&self, text: &'t str) -> String {
        if let Some((prefix, count)) = self.names.short_range(text) {
            return format!(
                "`{prefix}<{count}>` declares no more than {count} registers, from `{prefix}0` on: write a greater number there"
            );
        }
        if let Some(prefix) = self.names.idle_range(text) {
            return format!(
                "all digits at the end of `{text}` are its number, so that `{prefix}<...>` makes no names: end it with a letter or `_`"
            );
        }
        let bare = text.trim_start_matches(['%', '$']);
        if bare.len() < text.len() && bare.bytes().all(|b| b.is_ascii_digit()) {
            return format!("`{text}` is a placeholder of inline assembly or LLVM IR; name a register here");
        }
        let percent = format!("%{text}");
        if let Some(other) = [&percent, bare].into_iter().find(|other| *other != text && self.names.has_range(other)) {
            return format!("did you mean `{other}`?");
        }
        if let Some(own) = self.table.foreign(text).filter(|own| own.starts_with('%')) {
            return format!("PTX calls it `{own}`");
        }
        if self.table.forms_of(text).next().is_some() {
            return format!("if `{text}` is the next instruction, `;` is missing before it");
        }
        let known = self.names.known().chain(self.table.specials.iter().map(|s| s.name));
        match Table::nearest(text, known).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "declare it before it is used: with .reg, or as a variable, function or label".to_owned(),
        }
    }

    /// What exists in place of an opcode that does not any more.
    pub fn successors(&self, opcode: &str) -> String {
        let (Some(version), Some(target)) = (self.version, self.target) else { return String::new() };
        let found = self.table.with_another_modifier(opcode, version, target);
        let quoted: Vec<String> = found.iter().map(|opcode| format!("`{opcode}`")).collect();
        match &quoted[..] {
            [] => "write what took its place; `lockstep explain` with the instruction's name shows its forms".to_owned(),
            [only] => format!("write {only}"),
            [rest @ .., last] => format!("write {} or {last}", rest.join(", ")),
        }
    }

    /// The form of a complaint as its rule, where the complaint has a remedy of its own.
    pub fn with_form(complaint: Complaint, help: Option<String>, form: &Match) -> Complaint {
        let shown = format!("the form is `{}`", form.form.text);
        match help {
            Some(help) => Complaint { note: Some(shown), help, ..complaint },
            None => Complaint { help: shown, ..complaint },
        }
    }
}

/// What a number of a version that does not exist means.
pub(crate) fn strange_version(version: Version) -> Option<&'static str> {
    (version.0 >= 10).then_some("`.version` counts versions of PTX, not of CUDA: CUDA 12.4 has PTX 8.4, CUDA 13.0 has PTX 9.0")
}
