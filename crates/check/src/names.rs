//! What names mean, scope by scope (PTX ISA 9.4, 4.4 and 5.4.5; ptxas 13.5 for what may be declared twice).
//!
//! Every identifier of a module has a number, so the meaning at hand is one index away; a scope remembers what it covered and puts
//! it back when it ends. `%r<100>` is one entry of its scope: its registers get entries of their own when they are first used.

use diagnostics::Span;
use isa::{Special, Type};
use ptx::ast::{Function, Module, Name, Prototype, Symbol, Variable};
use std::collections::HashMap;

/// Where a variable is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// At module scope.
    Module,
    /// A parameter of a kernel.
    Kernel,
    /// A parameter of a function.
    Input,
    /// The result of a function.
    Output,
    /// In a body.
    Body,
}

/// What a name stands for.
#[derive(Clone, Copy)]
pub(crate) enum Meaning<'t> {
    /// A register, or a vector of so many.
    Register(&'static Type, u8),
    /// A variable in memory or parameter space.
    Variable(&'t Variable, Place),
    Function(&'t Function),
    Special(&'static Special),
    Label,
    BranchTargets,
    CallTargets(&'t [Name]),
    Prototype(&'t Prototype),
    /// Not declared, which has been said.
    Unknown,
}

#[derive(Clone, Copy)]
struct Binding<'t> {
    meaning: Meaning<'t>,
    depth: usize,
    span: Span,
}

/// A range such as `%r<100>`.
#[derive(Clone, Copy)]
struct Range<'t> {
    count: u32,
    meaning: Meaning<'t>,
    span: Span,
}

#[derive(Default)]
struct Scope<'t> {
    /// What its names covered, to be put back.
    covered: Vec<(Symbol, Option<Binding<'t>>)>,
    ranges: HashMap<&'t str, Range<'t>>,
    /// For each name that ends in digits, by what stands before them: the smallest number, and where.
    numbered: HashMap<&'t str, (u32, Span)>,
}

pub(crate) struct Names<'t> {
    tree: &'t Module,
    current: Vec<Option<Binding<'t>>>,
    scopes: Vec<Scope<'t>>,
    /// The innermost scope that has ranges, counted from 1; 0 if none has.
    ranged: usize,
}

impl<'t> Names<'t> {
    /// Nothing is declared, in a first scope.
    pub fn new(tree: &'t Module) -> Self {
        Names { tree, current: vec![None; tree.names.len()], scopes: vec![Scope::default()], ranged: 0 }
    }

    pub fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub fn close(&mut self) {
        let Some(scope) = self.scopes.pop() else { return };
        for (symbol, covered) in scope.covered.into_iter().rev() {
            self.current[symbol.0 as usize] = covered;
        }
        if self.ranged > self.scopes.len() {
            self.ranged = self.scopes.iter().rposition(|s| !s.ranges.is_empty()).map_or(0, |at| at + 1);
        }
    }

    /// Declares a name in the innermost scope; where it is declared already, if it is.
    pub fn declare(&mut self, name: Name, meaning: Meaning<'t>) -> Result<(), Span> {
        let depth = self.scopes.len();
        match self.current[name.symbol.0 as usize] {
            // A special register has no declaration that could be the first.
            Some(Binding { depth: there, span, meaning })
                if there == depth && !matches!(meaning, Meaning::Unknown | Meaning::Special(_)) =>
            {
                return Err(span);
            }
            _ => {}
        }
        let text = self.tree.name(name.symbol);
        let scope = &mut self.scopes[depth - 1];
        if let Some((_, range)) = in_ranges(&scope.ranges, text) {
            return Err(range.span);
        }
        // A later range must not make this name again.
        if matches!(meaning, Meaning::Register(..) | Meaning::Variable(..))
            && let Some((prefix, number)) = split(text)
        {
            let least = scope.numbered.entry(prefix).or_insert((number, name.span));
            if number < least.0 {
                *least = (number, name.span);
            }
        }
        self.bind(name.symbol, Binding { meaning, depth, span: name.span });
        Ok(())
    }

    /// Declares a label. It cannot take the name of a register in a range of its scope, which ptxas does not mind.
    pub fn declare_label(&mut self, name: Name) -> Result<(), Span> {
        let text = self.tree.name(name.symbol);
        match self.scopes.last() {
            Some(scope) if in_ranges(&scope.ranges, text).is_some() => Ok(()),
            _ => self.declare(name, Meaning::Label),
        }
    }

    /// Gives a name that is declared in the innermost scope another meaning.
    pub fn redeclare(&mut self, name: Name, meaning: Meaning<'t>) {
        let depth = self.scopes.len();
        self.bind(name.symbol, Binding { meaning, depth, span: name.span });
    }

    /// Declares `prefix0` to `prefix(count - 1)`; where one of them is declared already, if it is.
    pub fn declare_range(&mut self, prefix: Name, count: u32, meaning: Meaning<'t>) -> Result<(), Span> {
        let text = self.tree.name(prefix.symbol);
        self.ranged = self.scopes.len();
        let Some(scope) = self.scopes.last_mut() else { return Ok(()) };
        if let Some(range) = scope.ranges.get(text) {
            return Err(range.span);
        }
        if let Some((_, span)) = scope.numbered.get(text).filter(|(least, _)| *least < count) {
            return Err(*span);
        }
        scope.ranges.insert(text, Range { count, meaning, span: prefix.span });
        Ok(())
    }

    /// What a name means here; nothing if it is not declared.
    #[inline]
    pub fn find(&mut self, symbol: Symbol) -> Option<Meaning<'t>> {
        match self.current[symbol.0 as usize] {
            Some(binding) if binding.depth > self.ranged => Some(binding.meaning),
            Some(binding) if binding.depth == self.ranged && !matches!(binding.meaning, Meaning::Label) => Some(binding.meaning),
            binding => self.find_in_ranges(symbol, binding),
        }
    }

    fn find_in_ranges(&mut self, symbol: Symbol, binding: Option<Binding<'t>>) -> Option<Meaning<'t>> {
        let text = self.tree.name(symbol);
        let outer = binding.map_or(0, |b| b.depth);
        // Wherever the range stands in the scope of a label, the name is the register's.
        let labelled = binding.is_some_and(|b| matches!(b.meaning, Meaning::Label));
        for depth in (outer + usize::from(!labelled)..=self.ranged).rev() {
            if let Some((_, range)) = in_ranges(&self.scopes[depth - 1].ranges, text) {
                let Range { meaning, span, .. } = *range;
                self.bind(symbol, Binding { meaning, depth, span });
                return Some(meaning);
            }
        }
        binding.map(|b| b.meaning)
    }

    fn bind(&mut self, symbol: Symbol, binding: Binding<'t>) {
        let covered = self.current[symbol.0 as usize].replace(binding);
        self.scopes[binding.depth - 1].covered.push((symbol, covered));
    }

    /// Whether a range declares a name.
    pub fn has_range(&self, text: &str) -> bool {
        self.scopes.iter().any(|scope| in_ranges(&scope.ranges, text).is_some())
    }

    /// The prefix and the count of the innermost range that would make a name if it were longer.
    pub fn short_range(&self, text: &'t str) -> Option<(&'t str, u32)> {
        let (prefix, _) = split(text)?;
        self.scopes.iter().rev().find_map(|scope| Some((prefix, scope.ranges.get(prefix)?.count)))
    }

    /// The prefix of a range that ends in a digit and so does not make a name, though it looks as if it did.
    pub fn idle_range(&self, text: &str) -> Option<&'t str> {
        let from = text.trim_end_matches(|c: char| c.is_ascii_digit()).len() + 1;
        let prefixes = (from..text.len()).take(DIGITS);
        let found =
            |scope: &Scope<'t>| prefixes.clone().find_map(|at| scope.ranges.get_key_value(&text[..at]).map(|(key, _)| *key));
        self.scopes.iter().rev().find_map(found)
    }

    /// Names that mean something here, some of them if there are very many.
    pub fn known(&self) -> impl Iterator<Item = &'t str> + use<'_, 't> {
        let means = |binding: &Option<Binding>| binding.is_some_and(|b| !matches!(b.meaning, Meaning::Unknown));
        let bound = self.current.iter().zip(&self.tree.names).filter(move |(binding, _)| means(binding));
        bound.map(|(_, text)| &**text).take(2000)
    }
}

/// The range that makes a name, of those of one scope.
fn in_ranges<'a, 't>(ranges: &'a HashMap<&str, Range<'t>>, text: &str) -> Option<(u32, &'a Range<'t>)> {
    if ranges.is_empty() {
        return None;
    }
    let (prefix, number) = split(text)?;
    Some((number, ranges.get(prefix).filter(|range| number < range.count)?))
}

/// Digits at the end of a name that are looked at: enough for every number, few enough for a name that is a million zeros.
const DIGITS: usize = 20;

/// The number at the end of a name, and what stands before it: all digits are the number's, so that a range whose prefix ends in a digit
/// (`%r1<2>`) makes no names (ptxas 13.5). Zeros before a number do not matter.
fn split(text: &str) -> Option<(&str, u32)> {
    let digits = text.bytes().rev().take(DIGITS).take_while(u8::is_ascii_digit).count();
    let from = text.len() - digits;
    Some((&text[..from], text[from..].parse().ok()?))
}
