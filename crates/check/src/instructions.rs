//! Instructions: guard, opcode, and the form that the operands fit, with what it needs.
//!
//! Most instructions of a program are like another one before: the same opcode on registers of the same types. Each instruction has a
//! signature, a hash of everything that its verdict depends on (opcode, shapes, meanings of names, constants), and those that were
//! found right are not looked at again. With 64 bits a collision is less likely than a broken machine.

use crate::declarations::{BANKS, NO_BANKS};
use crate::names::Meaning;
use crate::operands::Complaint;
use crate::{Checker, codes};
use diagnostics::{Diagnostic, Span};
use isa::{Match, OperandType, Part, Resolution, Shape, Text, TextureMode, Unresolved, Written};
use ptx::ast::{Constant, Instruction, List, Opcode, Operand, OperandKind, Symbol};
use ptx::shape::{Named, written};
use std::hash::Hasher;
use std::rc::Rc;

/// What an opcode stands for.
pub(crate) enum Known {
    /// An instruction without a record yet: anything goes.
    Pending,
    Unknown(Unresolved),
    Forms(Vec<Match>),
}

/// Signatures are hashes already.
#[derive(Clone, Copy, Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = mix(self.0, u64::from(*byte)));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// Spreads another value over a hash.
#[inline]
fn mix(hash: u64, value: u64) -> u64 {
    let product = u128::from(hash ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    (product as u64) ^ (product >> 64) as u64
}

impl<'t> Checker<'t> {
    pub fn instruction(&mut self, instruction: &'t Instruction) {
        if instruction.guard.is_some() {
            self.guard(instruction);
        }
        if self.lost_labels {
            self.forgive_labels(instruction);
        }
        // The operands of what is no instruction are no more to be trusted.
        if matches!(*self.known(instruction.opcode), Known::Unknown(_)) && self.is_unheard_of(instruction.opcode) {
            self.judge(instruction);
            return;
        }
        let signature = self.signature(instruction);
        if self.right.contains(&signature) && self.is_unbroken(instruction) {
            return;
        }
        if self.judge(instruction) {
            self.right.insert(signature);
        }
    }

    /// Takes names where labels stand for labels that were lost to a syntax error, which has been reported.
    #[cold]
    fn forgive_labels(&mut self, instruction: &'t Instruction) {
        let label = |part: &Part| matches!(part.ty, OperandType::Label | OperandType::List | OperandType::Prototype);
        match &*self.known(instruction.opcode) {
            Known::Forms(matches) if matches.iter().any(|form| form.parts().any(label)) => {}
            _ => return,
        }
        for operand in self.tree.list(instruction.operands) {
            if let OperandKind::Name(symbol) = operand.kind
                && self.names.find(symbol).is_none()
            {
                self.names.redeclare(ptx::ast::Name { symbol, span: operand.span }, Meaning::Unknown);
            }
        }
    }

    fn guard(&mut self, instruction: &'t Instruction) {
        let Some((guard, _)) = instruction.guard else { return };
        match self.meaning(guard.symbol, guard.span) {
            Meaning::Register(ty, 1) if ty.name == "pred" => {}
            Meaning::Unknown => {}
            _ => {
                let name = self.tree.name(guard.symbol);
                self.error(
                    codes::GUARD,
                    guard.span,
                    || format!("`{name}` is no predicate register"),
                    "declare it with .reg .pred",
                );
            }
        }
    }

    /// What a name means here; says so if nothing, once in a scope.
    #[inline]
    pub fn meaning(&mut self, symbol: Symbol, span: Span) -> Meaning<'t> {
        match self.names.find(symbol) {
            Some(meaning) => meaning,
            None => self.predefined(symbol, span),
        }
    }

    #[cold]
    fn predefined(&mut self, symbol: Symbol, span: Span) -> Meaning<'t> {
        let meaning = match self.table.special(self.tree.name(symbol)) {
            Some(special) => Meaning::Special(special),
            None => {
                self.undeclared(symbol, span);
                Meaning::Unknown
            }
        };
        self.names.redeclare(ptx::ast::Name { symbol, span }, meaning);
        meaning
    }

    // Signatures

    /// The hash of everything that the verdict on an instruction depends on; looks up its names on the way.
    #[inline]
    fn signature(&mut self, instruction: &'t Instruction) -> u64 {
        let start = u64::from(instruction.opcode.0) << 1 | u64::from(instruction.guard.is_some());
        self.list_signature(mix(0x5bd1_e995, start), instruction.operands)
    }

    #[inline]
    fn list_signature(&mut self, mut hash: u64, list: List) -> u64 {
        for operand in self.tree.list(list) {
            hash = self.operand_signature(hash, operand);
        }
        hash
    }

    fn operand_signature(&mut self, hash: u64, operand: &'t Operand) -> u64 {
        let nested = |tag: u64, list: List| (tag << 32 | u64::from(list.len), Some(list));
        let (fact, list) = match operand.kind {
            OperandKind::Name(symbol) => (self.fact(symbol, operand.span), None),
            OperandKind::Member(base, member) => {
                let hash = mix(hash, self.fact(base, operand.span));
                return mix(hash, 1 << 40 | u64::from(member.0));
            }
            OperandKind::Constant(constant) => return mix(mix(hash, constant_tag(constant)), constant_bits(constant)),
            OperandKind::Offset(symbol, _) => (self.fact(symbol, operand.span) ^ 2 << 40, None),
            OperandKind::Address { base: Some(base), offset } => {
                (self.fact(base, operand.span) ^ (3 | u64::from(offset != 0) << 5) << 40, None)
            }
            OperandKind::Address { base: None, .. } => (4 << 40, None),
            OperandKind::Sink => (5 << 40, None),
            OperandKind::Pair(list) => nested(11, list),
            OperandKind::Vector(list) => nested(12, list),
            OperandKind::Parenthesised(list) => nested(13, list),
            OperandKind::Not(list) => nested(14, list),
            OperandKind::Negate(list) => nested(15, list),
            OperandKind::AddressList(list) => nested(16, list),
            OperandKind::Element(list) => nested(17, list),
            OperandKind::Unified(list) => nested(18, list),
        };
        let hash = mix(hash, fact);
        list.map_or(hash, |list| self.list_signature(hash, list))
    }

    #[inline]
    fn fact(&mut self, symbol: Symbol, span: Span) -> u64 {
        fn address<T>(tag: u64, of: &T) -> u64 {
            tag << 56 ^ std::ptr::from_ref(of).addr() as u64
        }
        match self.meaning(symbol, span) {
            Meaning::Register(ty, lanes) => address(u64::from(lanes), ty),
            Meaning::Variable(variable, _) => address(20, variable),
            Meaning::Function(function) => address(21, function),
            Meaning::Special(special) => address(22, special) ^ u64::from(self.lacks_directive(special)),
            Meaning::CallTargets(targets) => 23 << 56 ^ targets.as_ptr().addr() as u64,
            Meaning::Prototype(prototype) => address(24, prototype),
            Meaning::Label => 25 << 56,
            Meaning::BranchTargets => 26 << 56,
            Meaning::Unknown => 27 << 56,
        }
    }

    // Verdicts

    fn known(&mut self, opcode: Opcode) -> Rc<Known> {
        let slot = opcode.0 as usize;
        if let Some(known) = &self.opcodes[slot] {
            return known.clone();
        }
        let known = Rc::new(match self.table.resolve(self.tree.opcode(opcode)) {
            Ok(Resolution::Pending(_)) => Known::Pending,
            Ok(Resolution::Matches(matches)) => Known::Forms(matches),
            Err(unresolved) => Known::Unknown(unresolved),
        });
        self.opcodes[slot] = Some(known.clone());
        known
    }

    /// Whether an instruction is right; says what is wrong.
    fn judge(&mut self, instruction: &'t Instruction) -> bool {
        // To look for what was meant takes long, and is only worth it if it is shown.
        if !self.report.has_room() && self.is_unheard_of(instruction.opcode) {
            self.report.push(|| unshown(instruction.opcode_span));
            return false;
        }
        match &*self.known(instruction.opcode) {
            Known::Pending => true,
            Known::Forms(matches) => self.unbroken(instruction, matches) && self.judge_forms(instruction, matches),
            Known::Unknown(unresolved) => {
                let start = instruction.opcode_span.start;
                let at = Span::new(start + unresolved.at.start as u32, start + unresolved.at.end as u32);
                self.report.push(|| {
                    let diagnostic = Diagnostic::error(codes::OPCODE, at, unresolved.message.clone());
                    Diagnostic { help: unresolved.help.clone(), ..diagnostic }
                });
                false
            }
        }
    }

    /// Whether no instruction begins with the word that an opcode begins with.
    fn is_unheard_of(&self, opcode: Opcode) -> bool {
        let base = |text: &'t str| text.split('.').next().unwrap_or(text);
        let word = base(self.tree.opcode(opcode));
        self.table.forms_of(word).next().is_none() && !self.table.pending.iter().any(|p| base(p.name) == word)
    }

    /// Whether there are no blanks in an opcode.
    fn is_unbroken(&self, instruction: &Instruction) -> bool {
        let span = instruction.opcode_span;
        (span.end - span.start) as usize == self.tree.opcode(instruction.opcode).len()
    }

    /// Whether the words that are part of an opcode's name (`mul.lo`, `cp.async.bulk`) follow it without blanks, where there are any.
    fn unbroken(&mut self, instruction: &Instruction, matches: &[Match]) -> bool {
        if self.is_unbroken(instruction) {
            return true;
        }
        let opcode = self.tree.opcode(instruction.opcode);
        let span = instruction.opcode_span;
        let written = self.text.get(span.start as usize..).unwrap_or(opcode);
        let together =
            written.find(|c: char| !matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '.' | ':')).unwrap_or(opcode.len());
        let is_leading = |word: &str| matches.iter().any(|m| m.form.leading.iter().any(|l| &l[1..] == word));
        let name: usize = opcode
            .split('.')
            .enumerate()
            .take_while(|(at, word)| *at == 0 || is_leading(word))
            .map(|(_, word)| word.len() + 1)
            .sum();
        if together + 1 >= name {
            return true;
        }
        let name = &opcode[..name - 1];
        let message = || format!("`{name}` is one word");
        self.error(codes::OPCODE, span, message, &format!("write `{name}` without blanks; they may stand behind it"));
        false
    }

    /// Looks for a form that the operands fit and that the module may use; tells why the nearest one is not.
    fn judge_forms(&mut self, instruction: &'t Instruction, matches: &[Match]) -> bool {
        let operands = self.tree.list(instruction.operands);
        let written: Vec<Written> = operands.iter().map(|o| self.written(o)).collect();
        let mut nearest: Option<Complaint> = None;
        let mut elsewhere: Option<(&Match, Vec<Text>)> = None;
        for candidate in matches {
            match self.fits(instruction, candidate, operands, &written) {
                Ok(names) if self.available(candidate, &names) => {
                    self.needs(instruction, candidate, &names, false);
                    return true;
                }
                Ok(names) => elsewhere = elsewhere.or(Some((candidate, names))),
                Err(complaint) if nearest.as_ref().is_none_or(|n| n.progress < complaint.progress) => nearest = Some(complaint),
                Err(_) => {}
            }
        }
        match (elsewhere, nearest) {
            (Some((candidate, names)), _) => {
                let of_several = matches.iter().any(|m| self.available(m, &[]));
                self.needs(instruction, candidate, &names, of_several);
            }
            (None, Some(complaint)) => {
                let mut complaint = self.of_length(complaint, matches, operands, &written);
                let at = complaint.progress.checked_sub(1).map(|at| at % 100).and_then(|at| written.get(at));
                let is_constant = at.is_some_and(|w| matches!(w.shape, Shape::Integer(_) | Shape::Float));
                if self.report.has_room()
                    && !is_constant
                    && let Some(right) = self.reordered(instruction, matches, operands, &written)
                {
                    complaint.help = format!("in another order the operands fit: `{right};`");
                }
                self.report.push(|| complaint.diagnostic());
            }
            (None, None) => {}
        }
        false
    }

    /// Holds the operands against a form; gives the names of what is written.
    fn fits(
        &mut self,
        instruction: &'t Instruction,
        form: &Match,
        operands: &'t [Operand],
        written: &[Written],
    ) -> Result<Vec<Text>, Complaint> {
        let order: Vec<usize> = (0..operands.len()).collect();
        self.fits_in(&order, instruction, form, operands, written)
    }

    /// The same for the operands in another order, in which `written` has them.
    pub fn fits_in(
        &mut self,
        order: &[usize],
        instruction: &'t Instruction,
        form: &Match,
        operands: &'t [Operand],
        written: &[Written],
    ) -> Result<Vec<Text>, Complaint> {
        let fit = form.fit(written).map_err(|misfit| {
            let span = misfit.operand.and_then(|at| operands.get(at)).map_or(instruction.span, |o| o.span);
            let help = misfit.help.or_else(|| match misfit.operand {
                None if self.runs_on(instruction, operands) => Some("end the line with `;`".to_owned()),
                None if Self::lacks_braces(form, written.len()) => Some("write the registers of a vector in braces".to_owned()),
                _ => None,
            });
            let complaint = Complaint::new(codes::OPERANDS, span, misfit.message, "");
            let progress = misfit.operand.map_or(0, |at| at + 1);
            Self::with_form(Complaint { progress, ..complaint }, help, form)
        })?;
        for (pattern, place) in form.operands.iter().zip(&fit.operands) {
            let Some((at, operand)) = place.and_then(|at| Some((at, operands.get(*order.get(at)?)?))) else { continue };
            self.operand(form, pattern, operand).map_err(|complaint| Complaint { progress: 100 + at, ..complaint })?;
        }
        self.guarded_parameter(instruction, operands)?;
        self.call(form, &fit, operands, instruction).map_err(|complaint| Complaint { progress: 200, ..complaint })?;
        self.texture_mode(instruction, form).map_err(|complaint| Complaint { progress: 300, ..complaint })?;
        Ok(fit.names)
    }

    /// Whether a form exists in the module's mode of textures.
    fn texture_mode(&self, instruction: &Instruction, form: &Match) -> Result<(), Complaint> {
        let (message, help) = match form.form.texmode.filter(|mode| *mode != self.texmode) {
            None => return Ok(()),
            Some(TextureMode::Unified) => (
                "in independent texture mode a sampler is named",
                "name a variable of .samplerref, or remove `texmode_independent`",
            ),
            Some(TextureMode::Independent) => {
                ("in unified texture mode there are no samplers", "name a variable of .texref, or add `texmode_independent`")
            }
        };
        Err(Complaint::new(codes::OPERANDS, instruction.opcode_span, message, help))
    }

    /// The same complaint; of a vector whose length no form has, it tells all that forms have, and of a special register that is one how
    /// an element is named.
    fn of_length(&mut self, complaint: Complaint, matches: &[Match], operands: &[Operand], written: &[Written]) -> Complaint {
        let at = complaint.progress.wrapping_sub(1);
        let Some(Shape::Vector(given)) = written.get(at).map(|w| w.shape) else { return complaint };
        if let OperandKind::Name(symbol) = operands[at].kind
            && let Meaning::Special(special) = self.meaning(symbol, operands[at].span)
        {
            let message = format!("`{}` is a vector, which cannot stand here", special.name);
            return Complaint { message, help: format!("name one of its elements, `{}.x`", special.name), ..complaint };
        }
        let variants = matches.iter().flat_map(|m| m.variants().map(move |v| (m, v))).filter(|(_, v)| v.len() == written.len());
        let parts = variants.filter_map(|(m, v)| m.operands[v[at]].parts.first());
        let message = isa::wrong_length(parts, given).unwrap_or(complaint.message);
        Complaint { message, ..complaint }
    }

    pub fn available(&self, form: &Match, names: &[Text]) -> bool {
        let (Some(version), Some(target)) = (self.version, self.target) else { return true };
        form.available_with(names, version, target)
    }

    /// Notes what a form needs, and says what of it the module has not; `of_several` says that the opcode alone does not tell the form.
    fn needs(&mut self, instruction: &Instruction, form: &Match, names: &[Text], of_several: bool) {
        let opcode = self.tree.opcode(instruction.opcode);
        let what = match instruction.operands.len {
            count if of_several && count > 1 => format!("`{opcode}` with these {count} operands"),
            _ => format!("`{opcode}`"),
        };
        if opcode.contains('[') {
            self.bank(opcode, instruction.opcode_span);
        }
        form.needs_with(names).for_each(|need| self.need(need, &what, instruction.opcode_span));
        form.removed().for_each(|need| self.removed(need, opcode, instruction.opcode_span));
        for operand in self.tree.list(instruction.operands) {
            self.special_needs(operand);
        }
    }

    /// `.const[2]` in an opcode: banks 1 to 10 exist from PTX 1.5 to 2.1, bank 0 from the start.
    fn bank(&mut self, opcode: &str, span: Span) {
        let number = opcode.split_once('[').and_then(|(_, rest)| rest.split(']').next()?.parse::<u64>().ok());
        match number {
            _ if self.since(2, 2) => self.error(codes::DECLARATION, span, || NO_BANKS.to_owned(), "write `.const`"),
            Some(0) => {}
            Some(1..=10) => self.floor(&BANKS, "a numbered bank of constant memory", span),
            _ => self.error(codes::DECLARATION, span, || "there are banks 0 to 10".to_owned(), "write `.const[1]`"),
        }
    }

    /// Whether this stands in a kernel without the directive that a special register asks for.
    fn lacks_directive(&self, special: &isa::Special) -> bool {
        let Some((directive, kernel)) = special.directive.zip(self.kernel) else { return false };
        !kernel.iter().any(|d| self.tree.name(d.name.symbol) == directive)
    }

    /// Notes what special registers need.
    fn special_needs(&mut self, operand: &'t Operand) {
        match operand.kind {
            OperandKind::Name(symbol) | OperandKind::Member(symbol, _) => {
                if let Some(Meaning::Special(special)) = self.names.find(symbol) {
                    let what = format!("`{}`", special.name);
                    special.needs.iter().for_each(|need| self.need(need, &what, operand.span));
                    if let Some(directive) = special.directive.filter(|_| self.lacks_directive(special)) {
                        let help = format!("add `.{directive}` between the kernel's parameters and its body");
                        let message = format!("{what} is for kernels with `.{directive}`");
                        self.error(codes::SPECIAL, operand.span, || message, &help);
                    }
                }
            }
            OperandKind::Vector(list) | OperandKind::AddressList(list) => {
                self.tree.list(list).iter().for_each(|o| self.special_needs(o));
            }
            _ => {}
        }
    }

    /// What the table needs to know of an operand.
    pub fn written(&mut self, operand: &'t Operand) -> Written<'t> {
        let tree = self.tree;
        written(tree, operand, &mut |symbol| match self.names.find(symbol) {
            Some(Meaning::Register(_, lanes @ 2..)) => Named::Vector(lanes.into()),
            Some(Meaning::Register(ty, _)) => Named::Register(ty),
            Some(Meaning::Special(special)) if special.lanes > 1 => Named::Vector(special.lanes as usize),
            Some(Meaning::Unknown) => Named::Unknown,
            _ => Named::Other,
        })
    }
}

/// Only counted.
pub(crate) fn unshown(span: Span) -> Diagnostic {
    Diagnostic::error(codes::UNDECLARED, span, "")
}

fn constant_tag(constant: Constant) -> u64 {
    match constant {
        Constant::Signed(_) => 6 << 40,
        Constant::Unsigned(_) => 7 << 40,
        Constant::F32(_) => 8 << 40,
        Constant::F64(_) => 9 << 40,
    }
}

/// What of a constant matters: an integer's value, since it may have to lie in a range.
fn constant_bits(constant: Constant) -> u64 {
    match constant {
        Constant::Signed(value) => value as u64,
        Constant::Unsigned(value) => value,
        Constant::F32(_) | Constant::F64(_) => 0,
    }
}
