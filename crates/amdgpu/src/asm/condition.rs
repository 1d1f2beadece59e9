//! Conditions: `.if` and its kin, whose lines are passed over while they do not hold.

use super::lex::{Cursor, Kind};
use super::symbol::{Place, State};
use super::{Assembler, codes, expected};
use diagnostics::{Diagnostic, Span};

/// What a directive asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    /// `.if` and `.ifne`: the number is not 0.
    NotZero,
    Zero,
    AtLeastZero,
    AboveZero,
    AtMostZero,
    BelowZero,
    /// `.ifb`, `.ifnb`: the rest of the line is empty (or not).
    Blank(bool),
    /// `.ifc`, `.ifnc`: two texts are the same (or not).
    Same(bool),
    /// `.ifeqs`, `.ifnes`: two strings are the same (or not).
    SameStrings(bool),
    /// `.ifdef`, `.ifndef`: a symbol is defined by now (or not).
    Defined(bool),
    ElseIf,
    Else,
    EndIf,
}

/// An open condition.
pub(crate) struct Condition {
    pub place: Place,
    /// Whether `.else` has been met.
    is_else: bool,
    /// Whether one of its branches has held.
    is_met: bool,
    /// Whether statements were passed over before it.
    outer_skips: bool,
}

impl Assembler<'_, '_> {
    pub(crate) fn condition(&mut self, test: Test, cursor: &mut Cursor, directive: Span) -> Result<(), Diagnostic> {
        match test {
            Test::ElseIf | Test::Else => self.other_branch(test, cursor, directive),
            Test::EndIf => {
                self.end(cursor)?;
                let Some(closed) = self.conditions.pop() else { return Err(stray(directive, ".endif")) };
                self.is_skipping = closed.outer_skips;
                Ok(())
            }
            _ => {
                let place = self.place(directive);
                let outer_skips = self.is_skipping;
                self.conditions.push(Condition { place, is_else: false, is_met: false, outer_skips });
                if outer_skips {
                    return Ok(());
                }
                // What cannot be judged holds no more than not: the lines are read, so that more errors are found.
                let holds = self.holds(test, cursor);
                self.branch(*holds.as_ref().unwrap_or(&true));
                holds.map(|_| ())
            }
        }
    }

    /// Begins a branch that is read if it holds.
    fn branch(&mut self, holds: bool) {
        if let Some(open) = self.conditions.last_mut() {
            open.is_met |= holds;
        }
        self.is_skipping = !holds;
    }

    fn other_branch(&mut self, test: Test, cursor: &mut Cursor, directive: Span) -> Result<(), Diagnostic> {
        let name = if test == Test::Else { ".else" } else { ".elseif" };
        if test == Test::Else {
            self.end(cursor)?;
        }
        let Some(open) = self.conditions.last_mut() else { return Err(stray(directive, name)) };
        if open.is_else {
            let (first, buffer) = (open.place.span, open.place.buffer);
            let diagnostic =
                Diagnostic::error(codes::CONDITION, directive, format!("`{name}` stands behind the `.else` of its condition"));
            let diagnostic =
                if buffer == self.pool.buffer { diagnostic.also(first, "the condition begins here") } else { diagnostic };
            return Err(diagnostic.help("a condition has any number of `.elseif` and then at most one `.else`"));
        }
        open.is_else = test == Test::Else;
        if open.outer_skips || open.is_met {
            self.is_skipping = true;
            return Ok(());
        }
        let holds = if test == Test::Else { Ok(true) } else { self.holds(Test::NotZero, cursor) };
        self.branch(*holds.as_ref().unwrap_or(&true));
        holds.map(|_| ())
    }

    fn holds(&mut self, test: Test, cursor: &mut Cursor) -> Result<bool, Diagnostic> {
        Ok(match test {
            Test::Blank(is_blank) => cursor.rest_text().0.is_empty() == is_blank,
            Test::Same(same) => {
                let start = cursor.span().start;
                while !matches!(cursor.kind(), Kind::Comma | Kind::EndOfStatement) {
                    cursor.advance();
                }
                let first = Span::new(start, cursor.span().start).text(cursor.text);
                self.comma(cursor)?;
                let (second, _) = cursor.rest_text();
                (first.trim() == second.trim()) == same
            }
            Test::SameStrings(same) => {
                let first = string(cursor)?;
                self.comma(cursor)?;
                let second = string(cursor)?;
                (first == second) == same
            }
            Test::Defined(defined) => {
                let Some((name, _)) = cursor.name() else { return Err(expected("a symbol", cursor)) };
                self.end(cursor)?;
                let is_defined = self.pool.symbols.find(name).is_some_and(|id| self.is_defined(id));
                is_defined == defined
            }
            _ => {
                let value = self.absolute(cursor, "the condition")?;
                self.end(cursor)?;
                match test {
                    Test::Zero => value == 0,
                    Test::AtLeastZero => value >= 0,
                    Test::AboveZero => value > 0,
                    Test::AtMostZero => value <= 0,
                    Test::BelowZero => value < 0,
                    _ => value != 0,
                }
            }
        })
    }

    /// Whether a symbol stands for something by now: not if it only names another one that does not.
    fn is_defined(&self, id: super::symbol::SymbolId) -> bool {
        match self.pool.symbols.get(id).state {
            State::Undefined => false,
            State::Variable(value) => match self.pool.evaluate(value, super::View::Fixed(&self.sections), true) {
                Ok(value) => value.add.is_none_or(|add| self.pool.symbols.get(add).state != State::Undefined),
                Err(_) => true,
            },
            _ => true,
        }
    }

    pub(crate) fn comma(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        if cursor.take(Kind::Comma) { Ok(()) } else { Err(expected("a comma", cursor)) }
    }

    /// Closes the conditions that were opened after so many.
    pub(crate) fn leave_conditions(&mut self, count: usize) {
        if let Some(first) = self.conditions.get(count) {
            self.is_skipping = first.outer_skips;
            self.conditions.truncate(count);
        }
    }
}

fn string<'t>(cursor: &mut Cursor<'t>) -> Result<&'t str, Diagnostic> {
    let token = cursor.token();
    if token.kind != Kind::String {
        return Err(expected("a string", cursor).help("write it in double quotes"));
    }
    cursor.advance();
    Ok(token.contents(cursor.text))
}

fn stray(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(codes::CONDITION, span, format!("`{name}` belongs to no condition"))
        .help("remove it, or open one with `.if`")
}
