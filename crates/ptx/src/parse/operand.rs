//! Operands of instructions (PTX ISA 9.4, chapter 6).

use super::remedies::added;
use super::{Parsed, Parser};
use crate::ast::{Constant, List, Operand, OperandKind, Symbol};
use crate::codes;
use crate::directive::directive;
use crate::lex::{Kind, Token};
use diagnostics::{Diagnostic, Span};

/// Where an operand stands, which decides what it may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Of any instruction but a call.
    Instruction,
    /// Of a call, where parentheses hold arguments.
    Call,
    /// Between parentheses of a call.
    Argument,
    /// Between braces, which do not nest.
    Vector,
    /// Between brackets, which do not nest.
    Address,
}

impl Place {
    /// Whether an operand here is one of the instruction's, not a part of one.
    fn is_whole(self) -> bool {
        matches!(self, Place::Instruction | Place::Call)
    }
}

impl Parser<'_> {
    /// The operands up to the semicolon, which stays.
    #[inline]
    pub(super) fn operands(&mut self, place: Place) -> Parsed<List> {
        if self.at(Kind::Semicolon) {
            return Ok(List::default());
        }
        let base = self.scratch.len();
        self.elements(base, place)
    }

    /// One or more operands with commas between them, as a list.
    #[inline]
    fn elements(&mut self, base: usize, place: Place) -> Parsed<List> {
        loop {
            match self.operand(place) {
                Ok(operand) => self.scratch.push(operand),
                Err(reported) => {
                    self.scratch.truncate(base);
                    return Err(reported);
                }
            }
            if !self.at(Kind::Comma) {
                return Ok(self.collect(base));
            }
            self.advance();
        }
    }

    #[inline]
    fn collect(&mut self, base: usize) -> List {
        let start = self.module.operands.len() as u32;
        self.module.operands.extend_from_slice(&self.scratch[base..]);
        self.scratch.truncate(base);
        List { start, len: self.module.operands.len() as u32 - start }
    }

    fn list_of(&mut self, operands: &[Operand]) -> List {
        let start = self.module.operands.len() as u32;
        self.module.operands.extend_from_slice(operands);
        List { start, len: operands.len() as u32 }
    }

    #[inline]
    fn operand(&mut self, place: Place) -> Parsed<Operand> {
        let start = self.token;
        let kind = match start.kind {
            Kind::Identifier if self.text(start) != b"WARP_SZ" => self.named(place)?,
            Kind::Number => OperandKind::Constant(self.constant()?),
            Kind::LeftBracket if place.is_whole() => self.address()?,
            Kind::LeftBrace if place.is_whole() || place == Place::Address => self.vector()?,
            Kind::Underscore => {
                self.advance();
                OperandKind::Sink
            }
            Kind::LeftParenthesis if place == Place::Call => self.arguments()?,
            Kind::Bang if place.is_whole() => self.not()?,
            Kind::Minus if place.is_whole() => self.minus(place)?,
            _ if self.at_constant() => OperandKind::Constant(self.constant()?),
            _ => return Err(self.no_operand(place)),
        };
        let operand = Operand { kind, span: Span::new(start.start, self.previous_end) };
        if self.at(Kind::Bar) && place.is_whole() { self.pair(operand) } else { Ok(operand) }
    }

    #[cold]
    fn no_operand(&mut self, place: Place) -> super::Reported {
        let expected = match place {
            Place::Instruction | Place::Call | Place::Argument => "an operand",
            Place::Vector => "an element of the vector",
            Place::Address => "an address",
        };
        self.unexpected(expected)
    }

    /// What begins with a name.
    #[inline]
    fn named(&mut self, place: Place) -> Parsed<OperandKind> {
        let token = self.token;
        let symbol = self.symbol(self.text(token));
        self.advance();
        match self.token.kind {
            Kind::Dotted if place != Place::Address && !self.is_next_statement() => self.member(symbol),
            Kind::Plus if place.is_whole() || place == Place::Address => {
                self.advance();
                if self.at(Kind::Identifier) && !self.at_constant() {
                    return Err(self.no_offset());
                }
                Ok(OperandKind::Offset(symbol, self.integer("an offset")?))
            }
            Kind::Minus => Err(self.negative_offset(token)),
            Kind::LeftBracket if !matches!(place, Place::Address | Place::Vector) => self.element(token, symbol),
            _ => Ok(OperandKind::Name(symbol)),
        }
    }

    /// `name.x`, `name.b0`, and a video selector of a component, `name.x.b0`, as one member `x.b0`.
    fn member(&mut self, symbol: Symbol) -> Parsed<OperandKind> {
        let mut member = self.text(self.token)[1..].to_vec();
        self.advance();
        while self.at(Kind::Dotted) && !self.is_next_statement() {
            member.extend_from_slice(self.text(self.token));
            self.advance();
        }
        Ok(OperandKind::Member(symbol, self.symbol(&member)))
    }

    /// Whether the dotted word at hand is a directive on another line: then a semicolon is missing before it.
    pub(super) fn is_next_statement(&self) -> bool {
        let gap = &self.bytes[self.previous_end as usize..self.token.start as usize];
        !gap.is_empty() && gap.contains(&b'\n') && self.dotted().and_then(directive).is_some()
    }

    #[cold]
    fn negative_offset(&mut self, name: Token) -> super::Reported {
        let minus = self.token;
        let next = self.lexer.peek_token();
        if next.kind == Kind::Identifier && next.start == minus.end && minus.start == name.end {
            let joined = format!("{}_{}", String::from_utf8_lossy(self.text(name)), String::from_utf8_lossy(self.text(next)));
            let error = Diagnostic::error(codes::UNEXPECTED, minus.span(), "a name has no `-` in it");
            return self.syntax_error(error.help(format!("write `{joined}`, or `,` between two operands")));
        }
        let error = Diagnostic::error(codes::UNEXPECTED, minus.span(), "an offset is added, not subtracted");
        let number = if next.kind == Kind::Number { self.text(next) } else { b"8" };
        self.syntax_error(error.help(added(number)))
    }

    fn element(&mut self, name: Token, symbol: Symbol) -> Parsed<OperandKind> {
        let open = self.token.span();
        self.advance();
        let index = self.operand(Place::Address)?;
        self.close(Kind::RightBracket, open, "`]`")?;
        let name = Operand { kind: OperandKind::Name(symbol), span: name.span() };
        Ok(OperandKind::Element(self.list_of(&[name, index])))
    }

    /// `d|p`, of which `d` (perhaps a vector) and nothing else has been passed.
    fn pair(&mut self, first: Operand) -> Parsed<Operand> {
        if !matches!(first.kind, OperandKind::Name(_) | OperandKind::Member(..) | OperandKind::Vector(_) | OperandKind::Sink) {
            return Err(self.unexpected("`,` or `;`"));
        }
        self.advance();
        let token = self.token;
        let kind = match token.kind {
            Kind::Identifier => OperandKind::Name(self.symbol(self.text(token))),
            Kind::Underscore => OperandKind::Sink,
            _ => return Err(self.unexpected("the second destination")),
        };
        self.advance();
        let list = self.list_of(&[first, Operand { kind, span: token.span() }]);
        Ok(Operand { kind: OperandKind::Pair(list), span: first.span.to(token.span()) })
    }

    fn vector(&mut self) -> Parsed<OperandKind> {
        let open = self.token.span();
        self.advance();
        self.open_braces += 1;
        let base = self.scratch.len();
        let list = self.elements(base, Place::Vector)?;
        self.close(Kind::RightBrace, open, "`,` or `}`")?;
        self.open_braces -= 1;
        Ok(OperandKind::Vector(list))
    }

    fn arguments(&mut self) -> Parsed<OperandKind> {
        let open = self.token.span();
        self.advance();
        if self.eat(Kind::RightParenthesis) {
            return Ok(OperandKind::Parenthesised(List::default()));
        }
        let base = self.scratch.len();
        let list = self.elements(base, Place::Argument)?;
        self.close(Kind::RightParenthesis, open, "`,` or `)`")?;
        Ok(OperandKind::Parenthesised(list))
    }

    /// `!p`, or a constant expression that begins with `!`.
    fn not(&mut self) -> Parsed<OperandKind> {
        if !self.name_is_next() {
            return Ok(OperandKind::Constant(self.constant()?));
        }
        self.advance();
        let name = self.plain_name();
        Ok(OperandKind::Not(self.list_of(&[name])))
    }

    /// `-a`, or a constant expression that begins with `-`.
    fn minus(&mut self, place: Place) -> Parsed<OperandKind> {
        let minus = self.token;
        self.advance();
        let token = self.token;
        if !self.at(Kind::Identifier) || self.text(token) == b"WARP_SZ" {
            return Ok(OperandKind::Constant(self.negated(minus)?));
        }
        let kind = self.named(place)?;
        let operand = Operand { kind, span: Span::new(token.start, self.previous_end) };
        Ok(OperandKind::Negate(self.list_of(&[operand])))
    }

    fn plain_name(&mut self) -> Operand {
        let token = self.token;
        let kind = OperandKind::Name(self.symbol(self.text(token)));
        self.advance();
        Operand { kind, span: token.span() }
    }

    fn name_is_next(&mut self) -> bool {
        let next = self.lexer.peek_token();
        next.kind == Kind::Identifier && self.text(next) != b"WARP_SZ"
    }

    /// `[...]`, and `.unified` behind it.
    fn address(&mut self) -> Parsed<OperandKind> {
        let open = self.token;
        self.advance();
        let base = self.scratch.len();
        let first = self.operand(Place::Address)?;
        let kind = if self.at(Kind::Comma) {
            self.advance();
            self.scratch.push(first);
            let list = self.elements(base, Place::Address)?;
            self.only_names_and_vectors(list)?;
            OperandKind::AddressList(list)
        } else {
            self.plain_address(first)?
        };
        self.close(Kind::RightBracket, open.span(), "`]`")?;
        if self.dotted() != Some(b"unified") {
            return Ok(kind);
        }
        let address = Operand { kind, span: Span::new(open.start, self.previous_end) };
        self.advance();
        Ok(OperandKind::Unified(self.list_of(&[address])))
    }

    /// Of several parts in brackets each is a name or a vector (ptxas 13.5).
    fn only_names_and_vectors(&mut self, list: List) -> Parsed<()> {
        let other = self.module.list(list).iter().find(|o| !matches!(o.kind, OperandKind::Name(_) | OperandKind::Vector(_)));
        let Some(span) = other.map(|o| o.span) else { return Ok(()) };
        let error = Diagnostic::error(codes::UNEXPECTED, span, "several parts in brackets are names and vectors in braces");
        Err(self.syntax_error(error.help("put the value, or the sum, into a register")))
    }

    #[inline]
    fn plain_address(&mut self, only: Operand) -> Parsed<OperandKind> {
        let (base, offset) = match only.kind {
            OperandKind::Name(symbol) => (Some(symbol), 0),
            OperandKind::Offset(symbol, offset) => (Some(symbol), offset),
            OperandKind::Constant(Constant::Signed(value)) => (None, value),
            OperandKind::Constant(Constant::Unsigned(value)) => (None, value as i64),
            _ => {
                let error = Diagnostic::error(codes::UNEXPECTED, only.span, "this is not an address");
                let help = "an address is a register, a variable or an integer, and perhaps `+` and an offset";
                return Err(self.syntax_error(error.help(help)));
            }
        };
        Ok(OperandKind::Address { base, offset })
    }
}
