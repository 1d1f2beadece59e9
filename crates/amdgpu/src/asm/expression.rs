//! Expressions: parsed into a list of steps in postfix order, so that neither reading nor computing them needs recursion.
//!
//! Precedence is that of LLVM for ELF: `||`, then `&&`, comparisons (true is -1), `+ -`, `| & ^ !` (`a ! b` is `a | ~b`), and
//! `* / % << >>` bind tightest; operators of one rank go from left to right. Arithmetic is that of 64 bits, wrapped; `>>` brings in zeros. `max`, `or`,
//! `alignto`, `extrasgprs`, `totalnumvgprs` and `occupancy` are functions before a parenthesis. A real number is the bits of a double.

use super::codes;
use super::evaluate::{Failure, Value, View};
use super::lex::{self, Cursor, Kind, Token};
use super::symbol::{Label, Place, State, SymbolId, Symbols};
use diagnostics::{Diagnostic, Span};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// A value: a number, or steps of a [`Pool`] that compute one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expression {
    /// Known at once.
    Constant(i64),
    /// The steps from one up to another.
    Steps(u32, u32),
}

/// One step of computing an expression: it takes its operands from a stack and leaves its result there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A number.
    Constant(i64),
    /// A symbol, and which part of its address, relative to what, is meant.
    Symbol(SymbolId, Option<Specifier>),
    /// An operator before its operand.
    Unary(Unary),
    /// An operator between two operands.
    Binary(Binary),
    /// A function of so many arguments.
    Call(Function, u32),
}

/// Operators before their operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `~`
    Not,
    /// `!`: 1 for zero, else 0.
    LogicalNot,
}

/// Operators between operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Binary {
    LogicalOr,
    LogicalAnd,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Or,
    OrNot,
    Xor,
    And,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
}

impl Binary {
    /// The operator of a token, and how tightly it binds.
    fn of(kind: Kind) -> Option<(Binary, u8)> {
        Some(match kind {
            Kind::PipePipe => (Binary::LogicalOr, 1),
            Kind::AndAnd => (Binary::LogicalAnd, 2),
            Kind::EqualEqual => (Binary::Equal, 3),
            Kind::ExclamationEqual | Kind::LessGreater => (Binary::NotEqual, 3),
            Kind::Less => (Binary::Less, 3),
            Kind::LessEqual => (Binary::LessEqual, 3),
            Kind::Greater => (Binary::Greater, 3),
            Kind::GreaterEqual => (Binary::GreaterEqual, 3),
            Kind::Plus => (Binary::Add, 4),
            Kind::Minus => (Binary::Subtract, 4),
            Kind::Pipe => (Binary::Or, 5),
            Kind::Exclamation => (Binary::OrNot, 5),
            Kind::Caret => (Binary::Xor, 5),
            Kind::And => (Binary::And, 5),
            Kind::Star => (Binary::Multiply, 6),
            Kind::Slash => (Binary::Divide, 6),
            Kind::Percent => (Binary::Remainder, 6),
            Kind::LessLess => (Binary::ShiftLeft, 6),
            Kind::GreaterGreater => (Binary::ShiftRight, 6),
            _ => return None,
        })
    }
}

/// Functions that expressions may call, with the number of their arguments where it is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// The largest argument.
    Max,
    /// All arguments' bits.
    Or,
    /// Registers for VCC, flat scratch and XNACK, each argument telling whether it is used.
    ExtraSgprs,
    /// Registers for so many AGPRs and VGPRs.
    TotalNumVgprs,
    /// The first argument rounded up to a multiple of the second.
    AlignTo,
    /// Waves of: their limit, granule, registers in all, generation, another limit, SGPRs, VGPRs.
    Occupancy,
}

const FUNCTIONS: [(&str, Function, Option<u32>); 6] = [
    ("max", Function::Max, None),
    ("or", Function::Or, None),
    ("extrasgprs", Function::ExtraSgprs, Some(3)),
    ("totalnumvgprs", Function::TotalNumVgprs, Some(2)),
    ("alignto", Function::AlignTo, Some(2)),
    ("occupancy", Function::Occupancy, Some(7)),
];

/// What `@` behind a symbol asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Specifier {
    GotPcRel,
    GotPcRel32Lo,
    GotPcRel32Hi,
    Rel32Lo,
    Rel32Hi,
    Rel64,
    Abs32Lo,
    Abs32Hi,
    Abs64,
}

const SPECIFIERS: [(&str, Specifier); 9] = [
    ("gotpcrel", Specifier::GotPcRel),
    ("gotpcrel32@lo", Specifier::GotPcRel32Lo),
    ("gotpcrel32@hi", Specifier::GotPcRel32Hi),
    ("rel32@lo", Specifier::Rel32Lo),
    ("rel32@hi", Specifier::Rel32Hi),
    ("rel64", Specifier::Rel64),
    ("abs32@lo", Specifier::Abs32Lo),
    ("abs32@hi", Specifier::Abs32Hi),
    ("abs64", Specifier::Abs64),
];

/// What functions must know of the target.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine {
    /// The major version: 9 for gfx942.
    pub major: u32,
    /// Whether VGPRs and AGPRs share one file (gfx90a and later of its line).
    pub has_unified_registers: bool,
    /// Whether flat scratch is initialised by hardware (gfx942, gfx11 and later).
    pub has_architected_flat_scratch: bool,
}

/// Symbols, and the steps of all expressions.
#[derive(Debug, Default)]
pub struct Pool {
    /// The symbols.
    pub symbols: Symbols,
    /// The target.
    pub machine: Machine,
    pub(crate) steps: Vec<Step>,
    /// What `.` means now.
    pub(crate) here: Option<Label>,
    /// The expansion that is being read.
    pub(crate) buffer: u32,
    /// Where `1f` and the like were read, and what they must become.
    pub(crate) numeric_uses: Vec<(SymbolId, Place)>,
    /// Steps computed so far.
    pub(crate) work: Cell<u64>,
    /// Whether everything has its offset for good; and what variables stand for since then, as places (true) or not.
    pub(crate) is_settled: bool,
    pub(crate) settled: RefCell<HashMap<(SymbolId, bool), Result<Value, Failure>>>,
}

/// What waits on the parser's stack for its operands.
#[derive(Clone, Copy)]
enum Pending {
    Unary(Unary),
    Binary(Binary, u8),
    /// What closes it, where it was opened, and its first step.
    Open(Kind, Span, u32),
    /// A function, its arguments so far, its place, and the first step of the argument.
    Call(usize, u32, Span, u32),
}

impl Pool {
    /// Reads an expression; the cursor stays behind it. What is left over is the caller's to judge.
    pub fn expression(&mut self, cursor: &mut Cursor) -> Result<Expression, Diagnostic> {
        let first = cursor.token();
        let after = cursor.ahead(1).kind;
        if first.kind == Kind::Integer && matches!(after, Kind::Comma | Kind::EndOfStatement) {
            cursor.advance();
            return Ok(Expression::Constant(first.value as i64));
        }
        let start = self.steps.len();
        match self.steps_of(cursor) {
            Ok(()) => Ok(self.folded(start)),
            Err(diagnostic) => {
                self.steps.truncate(start);
                Err(*diagnostic)
            }
        }
    }

    /// The number that the steps from `start` on compute, or themselves.
    fn folded(&mut self, start: usize) -> Expression {
        let steps = Expression::Steps(start as u32, self.steps.len() as u32);
        let value = match self.steps[start..] {
            [Step::Constant(value)] => Some(value),
            [Step::Symbol(..)] => None,
            _ => self.evaluate(steps, View::Nothing, false).ok().and_then(|value| value.number()),
        };
        let Some(value) = value else { return steps };
        self.steps.truncate(start);
        Expression::Constant(value)
    }

    fn steps_of(&mut self, cursor: &mut Cursor) -> Result<(), Box<Diagnostic>> {
        let (start, mut pending) = (self.steps.len() as u32, Vec::new());
        loop {
            self.operand(cursor, &mut pending)?;
            if !self.operators(cursor, &mut pending, start)? {
                return Ok(());
            }
        }
    }

    /// Reads what may stand before an operand, and the operand.
    fn operand(&mut self, cursor: &mut Cursor, pending: &mut Vec<Pending>) -> Result<(), Box<Diagnostic>> {
        loop {
            let token = cursor.token();
            let waits = match token.kind {
                Kind::Minus => Pending::Unary(Unary::Minus),
                Kind::Plus => Pending::Unary(Unary::Plus),
                Kind::Tilde => Pending::Unary(Unary::Not),
                Kind::Exclamation => Pending::Unary(Unary::LogicalNot),
                Kind::LeftParenthesis => Pending::Open(Kind::RightParenthesis, token.span, self.steps.len() as u32),
                Kind::LeftBracket => Pending::Open(Kind::RightBracket, token.span, self.steps.len() as u32),
                Kind::Identifier if cursor.ahead(1).kind == Kind::LeftParenthesis => {
                    let name = token.span.text(cursor.text);
                    let Some(function) = FUNCTIONS.iter().position(|(known, ..)| *known == name) else {
                        return self.leaf(cursor);
                    };
                    cursor.advance();
                    Pending::Call(function, 1, token.span, self.steps.len() as u32)
                }
                _ => return self.leaf(cursor),
            };
            cursor.advance();
            pending.push(waits);
        }
    }

    fn leaf(&mut self, cursor: &mut Cursor) -> Result<(), Box<Diagnostic>> {
        let token = cursor.token();
        match token.kind {
            Kind::Integer => {
                cursor.advance();
                let step = self.number_or_label(token, cursor)?;
                self.steps.push(step);
            }
            Kind::Real => {
                cursor.advance();
                let value = double(token.span.text(cursor.text));
                self.steps.push(Step::Constant(value as i64));
            }
            Kind::Dot => {
                cursor.advance();
                let Some(here) = self.here else {
                    return Err(no_operand(token, cursor.text));
                };
                let id = self.symbols.anonymous(here);
                self.steps.push(Step::Symbol(id, None));
            }
            Kind::BigInteger => {
                return Err(Box::new(
                    Diagnostic::error(codes::RANGE, token.span, "this number has more than 64 bits")
                        .help("write it as several `.quad`, or with `.octa` for 128 bits"),
                ));
            }
            Kind::Identifier | Kind::String | Kind::Dollar | Kind::At => {
                let step = self.symbol(cursor)?;
                self.steps.push(step);
            }
            _ => return Err(no_operand(token, cursor.text)),
        }
        Ok(())
    }

    /// A number, unless `b` or `f` behind it makes it the label before or after this place.
    fn number_or_label(&mut self, token: Token, cursor: &mut Cursor) -> Result<Step, Box<Diagnostic>> {
        let after = cursor.token();
        let name = after.span.text(cursor.text);
        let (name, specifier) = name.split_once('@').unwrap_or((name, ""));
        if after.kind != Kind::Identifier || !matches!(name, "b" | "f") {
            return Ok(Step::Constant(token.value as i64));
        }
        cursor.advance();
        let specifier = if specifier.is_empty() { None } else { Some(specifier_named(specifier, after.span)?) };
        let id = self.symbols.numeric_label(token.value, u32::from(name == "f"));
        let span = token.span.to(after.span);
        if name == "b" && self.symbols.get(id).state == State::Undefined {
            return Err(Box::new(
                Diagnostic::error(codes::UNDEFINED, span, format!("no label `{}:` stands before this place", token.value))
                    .help(format!("write `{}f` for the next one below", token.value)),
            ));
        }
        self.numeric_uses.push((id, Place { buffer: self.buffer, span }));
        Ok(Step::Symbol(id, specifier))
    }

    fn symbol(&mut self, cursor: &mut Cursor) -> Result<Step, Box<Diagnostic>> {
        let token = cursor.token();
        let Some((name, span)) = cursor.name() else { return Err(no_operand(token, cursor.text)) };
        let (mut name, mut specifier) = (name, None);
        if token.kind != Kind::String {
            if let Some((base, asked)) = name.split_once('@').filter(|(base, _)| !base.is_empty()) {
                (name, specifier) = (base, Some(specifier_named(asked, span)?));
            }
        } else if cursor.take(Kind::At) {
            let asked = cursor.token();
            let Some((text, span)) = cursor.name() else { return Err(no_operand(asked, cursor.text)) };
            specifier = Some(specifier_named(text, span)?);
        }
        if name.is_empty() {
            return Err(no_operand(token, cursor.text));
        }
        let id = self.symbols.named(name);
        Ok(match (self.symbols.get(id).state, specifier) {
            (State::Variable(Expression::Constant(value)), None) => Step::Constant(value),
            _ => {
                self.symbols.get_mut(id).referenced = true;
                Step::Symbol(id, specifier)
            }
        })
    }

    /// Goes on behind an operand: whether another one must follow.
    fn operators(&mut self, cursor: &mut Cursor, pending: &mut Vec<Pending>, start: u32) -> Result<bool, Box<Diagnostic>> {
        let mut is_specified = false;
        loop {
            while let Some(Pending::Unary(operator)) = pending.last() {
                self.steps.push(Step::Unary(*operator));
                pending.pop();
            }
            let token = cursor.token();
            if let Some((operator, rank)) = Binary::of(token.kind).filter(|_| !is_specified) {
                self.reduce(pending, rank);
                pending.push(Pending::Binary(operator, rank));
                cursor.advance();
                return Ok(true);
            }
            self.reduce(pending, 0);
            if token.kind == Kind::At && !is_specified {
                let first = match pending.last() {
                    Some(Pending::Open(_, _, first) | Pending::Call(_, _, _, first)) => *first,
                    _ => start,
                };
                cursor.advance();
                self.specify(cursor, first as usize)?;
                is_specified = true;
                continue;
            }
            is_specified = false;
            match pending.last_mut() {
                None => return Ok(false),
                Some(Pending::Open(close, ..)) if *close == token.kind => {
                    cursor.advance();
                    pending.pop();
                }
                Some(Pending::Call(function, arguments, span, _)) if token.kind == Kind::RightParenthesis => {
                    let (name, function, wanted) = FUNCTIONS[*function];
                    if let Some(wanted) = wanted.filter(|wanted| wanted != arguments) {
                        let message = format!("`{name}` takes {wanted} arguments, not {arguments}");
                        return Err(Box::new(Diagnostic::error(codes::SYNTAX, span.to(token.span), message)));
                    }
                    self.steps.push(Step::Call(function, *arguments));
                    cursor.advance();
                    pending.pop();
                }
                Some(Pending::Call(_, arguments, _, first)) if token.kind == Kind::Comma => {
                    *arguments += 1;
                    *first = self.steps.len() as u32;
                    cursor.advance();
                    return Ok(true);
                }
                Some(Pending::Open(..) | Pending::Call(..)) => {
                    let close = if matches!(pending.last(), Some(Pending::Open(Kind::RightBracket, ..))) { "]" } else { ")" };
                    let span = pending.iter().rev().find_map(open_place).unwrap_or_default();
                    if token.kind == Kind::Error {
                        return Err(Box::new(lex::explain(&token, cursor.text)));
                    }
                    return Err(Box::new(
                        Diagnostic::error(codes::SYNTAX, token.span, format!("`{close}` is missing here"))
                            .also(span, "opened here")
                            .help(format!("close the expression with `{close}`")),
                    ));
                }
                Some(Pending::Unary(_) | Pending::Binary(..)) => return Ok(false),
            }
        }
    }

    /// Emits the operators that bind at least so tightly.
    fn reduce(&mut self, pending: &mut Vec<Pending>, rank: u8) {
        while let Some(Pending::Binary(operator, other)) = pending.last().copied() {
            if other < rank {
                break;
            }
            self.steps.push(Step::Binary(operator));
            pending.pop();
        }
    }

    /// Applies what follows `@` to every symbol from a step on.
    fn specify(&mut self, cursor: &mut Cursor, first: usize) -> Result<(), Box<Diagnostic>> {
        let token = cursor.token();
        if token.kind != Kind::Identifier {
            return Err(no_operand(token, cursor.text));
        }
        let specifier = specifier_named(cursor.token_text(), token.span)?;
        cursor.advance();
        let mut is_applied = false;
        for step in &mut self.steps[first..] {
            match step {
                Step::Symbol(_, Some(_)) => {
                    let message = "a symbol of this expression has such a suffix already";
                    return Err(Box::new(Diagnostic::error(codes::SYNTAX, token.span, message).help("keep one of them")));
                }
                Step::Symbol(_, none) => (*none, is_applied) = (Some(specifier), true),
                _ => {}
            }
        }
        if is_applied {
            return Ok(());
        }
        let message = format!("`@{}` stands behind an expression without a symbol", token.span.text(cursor.text));
        Err(Box::new(
            Diagnostic::error(codes::SYNTAX, token.span, message).help("write it behind the symbol whose address is meant"),
        ))
    }

    /// The symbol that an expression is, and nothing else.
    pub fn as_symbol(&self, expression: Expression) -> Option<(SymbolId, Option<Specifier>)> {
        match self.steps_in(expression) {
            [Step::Symbol(id, specifier)] => Some((*id, *specifier)),
            _ => None,
        }
    }

    /// The steps of an expression; none for a constant.
    pub fn steps_in(&self, expression: Expression) -> &[Step] {
        match expression {
            Expression::Constant(_) => &[],
            Expression::Steps(start, end) => self.steps.get(start as usize..end as usize).unwrap_or(&[]),
        }
    }

    /// Whether LLVM takes an operand of this form as relative to its own place: it has a symbol that does not ask for an absolute
    /// address, and no difference.
    pub(crate) fn is_relative(&self, expression: Expression) -> bool {
        let mut stack: Vec<bool> = Vec::new();
        for step in self.steps_in(expression) {
            let is_relative = match step {
                Step::Constant(_) => false,
                Step::Symbol(_, specifier) => {
                    !matches!(specifier, Some(Specifier::Abs32Lo | Specifier::Abs32Hi | Specifier::Abs64))
                }
                Step::Unary(_) => continue,
                Step::Binary(operator) => {
                    let (b, a) = (stack.pop().unwrap_or(false), stack.pop().unwrap_or(false));
                    *operator != Binary::Subtract && (a || b)
                }
                Step::Call(_, count) => {
                    stack.truncate(stack.len().saturating_sub(*count as usize));
                    false
                }
            };
            stack.push(is_relative);
        }
        stack.pop().unwrap_or(false)
    }

    /// The number that an expression is already, without any layout.
    pub fn number(&self, expression: Expression) -> Option<i64> {
        match expression {
            Expression::Constant(value) => Some(value),
            steps => self.evaluate(steps, View::Nothing, false).ok().and_then(|value: Value| value.number()),
        }
    }

    /// Why an expression is no number, as a diagnostic that names the rule.
    pub(crate) fn not_known(&self, expression: Expression, failure: Option<Failure>, span: Span, what: &str) -> Diagnostic {
        let diagnostic = Diagnostic::error(codes::UNKNOWN_VALUE, span, format!("{what} must be known here"));
        let name = |id: SymbolId| match &*self.symbols.get(id).name {
            "" => "a label".to_string(),
            name => format!("`{name}`"),
        };
        let diagnostic = match failure {
            Some(Failure::Zero) => diagnostic.label("divides by zero"),
            Some(Failure::Cycle(id)) => diagnostic.label(format!("{} depends on itself", name(id))),
            Some(Failure::TooLong) => diagnostic.label("too many symbols depend on one another"),
            Some(Failure::Addresses) => diagnostic.label("computes with addresses"),
            None => diagnostic,
        };
        let undefined = self.steps_in(expression).iter().find_map(|step| match step {
            Step::Symbol(id, _) if self.symbols.get(*id).state == State::Undefined => Some(*id),
            _ => None,
        });
        match undefined {
            Some(id) => diagnostic.help(format!("define {} above this line", name(id))),
            None => {
                diagnostic.help("of addresses only the difference of two is known, if nothing between them waits for the layout")
            }
        }
    }
}

fn open_place(pending: &Pending) -> Option<Span> {
    match pending {
        Pending::Open(_, span, _) | Pending::Call(_, _, span, _) => Some(*span),
        _ => None,
    }
}

fn specifier_named(name: &str, span: Span) -> Result<Specifier, Box<Diagnostic>> {
    let found = SPECIFIERS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, specifier)| *specifier).ok_or_else(|| {
        let known: Vec<&str> = SPECIFIERS.iter().map(|(known, _)| *known).collect();
        Box::new(
            Diagnostic::error(codes::SYNTAX, span, format!("`@{name}` is no relocation of AMDGPU"))
                .help(format!("one of @{}", known.join(" @"))),
        )
    })
}

#[cold]
fn no_operand(token: Token, text: &str) -> Box<Diagnostic> {
    if token.kind == Kind::Error {
        return Box::new(lex::explain(&token, text));
    }
    Box::new(
        Diagnostic::error(codes::SYNTAX, token.span, "an expression is missing here")
            .help("write a number, a symbol, `.`, or an expression in parentheses"),
    )
}

/// The bits of the double that the text of a real number means.
fn double(text: &str) -> u64 {
    super::data::real(text, 64).unwrap_or(0)
}
