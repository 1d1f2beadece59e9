//! Literals and constant expressions (PTX ISA 9.4, section 4.5): read and evaluated at once.
//!
//! Integers have 64 bits and wrap; a literal is signed unless it ends in U or is too great for that. The types of
//! operands and results follow the manual's table 5, except where ptxas 13.5 computes otherwise: `%` has an unsigned
//! result, `&`, `|` and `^` convert their operands as `+` does, `?:` does not convert, and shifts count modulo 64.

use super::{Parsed, Parser, Reported};
use crate::ast::Constant;
use crate::codes;
use crate::lex::{Kind, Token};
use diagnostics::{Diagnostic, Span};

/// Threads of a warp, as the predefined constant `WARP_SZ` gives it on every target so far.
pub(super) const WARP_SIZE: i64 = 32;

/// Binary operators with their precedence, as in C: higher binds tighter.
const OPERATORS: [(Kind, u8); 18] = [
    (Kind::BarBar, 1),
    (Kind::AmpersandAmpersand, 2),
    (Kind::Bar, 3),
    (Kind::Caret, 4),
    (Kind::Ampersand, 5),
    (Kind::EqualEqual, 6),
    (Kind::BangEqual, 6),
    (Kind::Less, 7),
    (Kind::LessEqual, 7),
    (Kind::Greater, 7),
    (Kind::GreaterEqual, 7),
    (Kind::LessLess, 8),
    (Kind::GreaterGreater, 8),
    (Kind::Plus, 9),
    (Kind::Minus, 9),
    (Kind::Star, 10),
    (Kind::Slash, 10),
    (Kind::Percent, 10),
];

impl Parser<'_> {
    /// A constant: a literal such as `0f3f800000` by itself, or an expression.
    #[inline]
    pub(super) fn constant(&mut self) -> Parsed<Constant> {
        if self.at(Kind::Number) {
            let token = self.token;
            let value = self.literal(token)?;
            self.advance();
            if matches!(self.token.kind, Kind::Comma | Kind::Semicolon | Kind::RightBrace | Kind::RightBracket) {
                return Ok(value);
            }
            if is_single(self.text(token)) {
                return Ok(value);
            }
            let value = self.binary_tail(value, token.start, 0)?;
            return self.ternary_tail(value);
        }
        self.ternary()
    }

    /// A constant that must be an integer, as the 64 bits it has.
    pub(super) fn integer(&mut self, what: &str) -> Parsed<i64> {
        let start = self.token.start;
        match self.constant()? {
            Constant::Signed(value) => Ok(value),
            Constant::Unsigned(value) => Ok(value as i64),
            _ => {
                let span = Span::new(start, self.previous_end);
                let error = Diagnostic::error(codes::CONSTANT, span, format!("{what} is an integer"));
                Err(self.syntax_error(error.label("this is a floating-point number")))
            }
        }
    }

    /// Whether a constant begins at the token at hand.
    pub(super) fn at_constant(&self) -> bool {
        match self.token.kind {
            Kind::Number | Kind::LeftParenthesis | Kind::Plus | Kind::Minus | Kind::Tilde | Kind::Bang => true,
            Kind::Identifier => self.text(self.token) == b"WARP_SZ",
            _ => false,
        }
    }

    pub(super) fn ternary(&mut self) -> Parsed<Constant> {
        let condition = self.binary(0)?;
        self.ternary_tail(condition)
    }

    fn ternary_tail(&mut self, condition: Constant) -> Parsed<Constant> {
        if !self.at(Kind::Question) {
            return Ok(condition);
        }
        let question = self.token.span();
        self.advance();
        let first = self.nested(Self::ternary)?;
        self.expect(Kind::Colon, "`:` and the other value")?;
        let second = self.nested(Self::ternary)?;
        let value = choose(condition, first, second);
        value.map_err(|problem| self.no_value(problem, question))
    }

    fn binary(&mut self, minimum: u8) -> Parsed<Constant> {
        let start = self.token.start;
        let left = self.unary()?;
        self.binary_tail(left, start, minimum)
    }

    /// What follows the left side of a binary operator that binds tighter than `minimum`.
    fn binary_tail(&mut self, mut left: Constant, start: u32, minimum: u8) -> Parsed<Constant> {
        loop {
            let operator = self.token;
            let Some((_, precedence)) = OPERATORS.iter().find(|(kind, _)| *kind == operator.kind) else {
                return Ok(left);
            };
            if *precedence <= minimum {
                return Ok(left);
            }
            self.advance();
            let right = self.binary(*precedence)?;
            let value = binary(operator.kind, left, right);
            let span = Span::new(start, self.previous_end);
            left = value.map_err(|problem| self.no_value(problem, span))?;
        }
    }

    /// What a unary `-` that has been passed makes of the expression behind it.
    pub(super) fn negated(&mut self, minus: Token) -> Parsed<Constant> {
        let operand = self.nested(Self::unary)?;
        let value = unary(minus.kind, operand).map_err(|problem| self.no_value(problem, minus.span()))?;
        let value = self.binary_tail(value, minus.start, 0)?;
        self.ternary_tail(value)
    }

    fn unary(&mut self) -> Parsed<Constant> {
        let token = self.token;
        match token.kind {
            Kind::Number if is_single(self.text(token)) => {
                let message = "a literal of 32 bits (0f...) stands alone";
                let error = Diagnostic::error(codes::CONSTANT, token.span(), message);
                Err(self.syntax_error(error.help("give the bits of the result, or write the number in decimal")))
            }
            Kind::Number => {
                let value = self.literal(token)?;
                self.advance();
                Ok(value)
            }
            Kind::Identifier if self.text(token) == b"WARP_SZ" => {
                self.advance();
                Ok(Constant::Signed(WARP_SIZE))
            }
            Kind::Plus | Kind::Minus | Kind::Tilde | Kind::Bang => {
                self.advance();
                let operand = self.nested(Self::unary)?;
                unary(token.kind, operand).map_err(|problem| self.no_value(problem, token.span()))
            }
            Kind::LeftParenthesis => {
                self.advance();
                let first = self.token;
                let value = match first.kind {
                    Kind::Dotted => return self.cast(),
                    // Directly in parentheses it is a number like others (ptxas 13.5).
                    Kind::Number if is_single(self.text(first)) => {
                        let value = self.literal(first)?;
                        self.advance();
                        value
                    }
                    _ => self.nested(Self::ternary)?,
                };
                self.close(Kind::RightParenthesis, token.span(), "`)`")?;
                Ok(value)
            }
            _ => Err(self.unexpected("a number or constant expression")),
        }
    }

    /// `(.s64) operand`; the parenthesis has been passed.
    fn cast(&mut self) -> Parsed<Constant> {
        let ty = self.token;
        self.advance();
        self.expect(Kind::RightParenthesis, "`)`")?;
        let operand = self.nested(Self::unary)?;
        let bits = bits(operand).map_err(|problem| self.no_value(problem, ty.span()))?;
        match self.text(ty) {
            b".s64" => Ok(Constant::Signed(bits as i64)),
            b".u64" => Ok(Constant::Unsigned(bits)),
            _ => {
                let error = Diagnostic::error(codes::CONSTANT, ty.span(), "constants are cast to `.s64` and `.u64` only");
                Err(self.syntax_error(error))
            }
        }
    }

    /// The value of a literal.
    #[inline]
    pub(super) fn literal(&mut self, token: Token) -> Parsed<Constant> {
        match literal(self.text(token)) {
            Ok(value) => Ok(value),
            Err(problem) => {
                let found = self.describe(token);
                let error = Diagnostic::error(codes::NUMBER, token.span(), format!("{found} is not a number: {problem}"));
                let help = respelled(self.text(token));
                Err(self.syntax_error(Diagnostic { help, ..error }))
            }
        }
    }

    fn no_value(&mut self, problem: &str, span: Span) -> Reported {
        self.syntax_error(Diagnostic::error(codes::CONSTANT, span, problem))
    }
}

/// How a literal of C or of another length is written in PTX, where that is plain.
fn respelled(literal: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(literal).ok().filter(|text| text.len() < 40)?;
    let lower = text.to_ascii_lowercase();
    let digits = |prefix: &str| lower.strip_prefix(prefix).filter(|rest| rest.bytes().all(|b| b.is_ascii_hexdigit()));
    if digits("0f").is_some() {
        return Some("write all 8 digits: 1.0 is `0f3f800000`".to_owned());
    }
    if digits("0d").is_some() {
        return Some("write all 16 digits: 1.0 is `0d3ff0000000000000`".to_owned());
    }
    let bare = lower.trim_end_matches(['f', 'l', 'u', 'h']);
    let is_integer = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if is_integer(text) || digits("0x").is_some() {
        return Some("write a number of at most 64 bits, up to 18446744073709551615".to_owned());
    }
    match bare.parse::<f64>() {
        Ok(_) if bare.len() < lower.len() && is_integer(bare) && lower.contains('u') => Some(format!("write `{bare}U`")),
        Ok(_) if bare.len() < lower.len() => Some(format!("write `{bare}`, without the suffix")),
        _ => None,
    }
}

/// Whether a literal gives the bits of a single-precision number.
fn is_single(literal: &[u8]) -> bool {
    matches!(literal, [b'0', b'f' | b'F', ..])
}

/// A number in an expression: single precision becomes double.
fn promoted(value: Constant) -> Constant {
    match value {
        Constant::F32(bits) => Constant::F64(f64::from(f32::from_bits(bits)).to_bits()),
        value => value,
    }
}

type Evaluated<T> = Result<T, &'static str>;

/// The value of a literal's text.
fn literal(text: &[u8]) -> Evaluated<Constant> {
    match text {
        [b'0', b'x' | b'X', rest @ ..] => integer(rest, 16),
        [b'0', b'f' | b'F', rest @ ..] if rest.len() == 8 => Ok(Constant::F32(digits(rest, 16)? as u32)),
        [b'0', b'd' | b'D', rest @ ..] if rest.len() == 16 => Ok(Constant::F64(digits(rest, 16)?)),
        [b'0', b'f' | b'F', ..] => Err("`0f` takes exactly 8 hexadecimal digits"),
        [b'0', b'd' | b'D', ..] => Err("`0d` takes exactly 16 hexadecimal digits"),
        [b'0', b'b' | b'B', rest @ ..] => integer(rest, 2),
        _ if text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => decimal(text),
        [b'0', rest @ ..] if !matches!(rest, [] | [b'U']) => integer(rest, 8),
        _ => integer(text, 10),
    }
}

/// An integer's digits in the given radix, then perhaps U.
fn integer(text: &[u8], radix: u32) -> Evaluated<Constant> {
    let (text, unsigned) = match text {
        [text @ .., b'U'] => (text, true),
        _ => (text, false),
    };
    let value = digits(text, radix)?;
    match i64::try_from(value) {
        Ok(value) if !unsigned => Ok(Constant::Signed(value)),
        _ => Ok(Constant::Unsigned(value)),
    }
}

/// As in ptxas, a number keeps its last 64 bits, and none of its digits may follow a value whose highest bit is set: 2^64 is 0, 10 times that is
/// too long.
fn digits(text: &[u8], radix: u32) -> Evaluated<u64> {
    if text.is_empty() {
        return Err("digits are missing");
    }
    let mut value = 0u64;
    for digit in text {
        let Some(digit) = (*digit as char).to_digit(radix) else {
            return Err(match (radix, digit) {
                (_, b'u') => "the suffix is `U`, in upper case",
                (2, _) => "a binary digit is 0 or 1",
                (8, _) => "an integer that begins with 0 is octal, with digits 0 to 7",
                (10, _) => "a letter is among its digits",
                _ => "a hexadecimal digit is 0 to 9 or a to f",
            });
        };
        if value >> 63 != 0 {
            return Err("it needs more than 64 bits");
        }
        value = value.wrapping_mul(radix.into()).wrapping_add(digit.into());
    }
    Ok(value)
}

fn decimal(text: &[u8]) -> Evaluated<Constant> {
    let is_plain = text.iter().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(byte));
    let text = std::str::from_utf8(text).ok().filter(|_| is_plain);
    let value = text.and_then(|text| text.parse::<f64>().ok()).ok_or("a decimal number has digits, a point and an exponent")?;
    let digits = text.unwrap_or("").split(['e', 'E']).next().unwrap_or("");
    if value.is_infinite() || !value.is_normal() && digits.contains(|c: char| ('1'..='9').contains(&c)) {
        return Err("it lies outside the range of an f64's normal numbers; write the bits, 0d and 16 digits");
    }
    Ok(Constant::F64(value.to_bits()))
}

/// The 64 bits of an integer.
fn bits(value: Constant) -> Evaluated<u64> {
    match value {
        Constant::Signed(value) => Ok(value as u64),
        Constant::Unsigned(value) => Ok(value),
        _ => Err("this operator takes integers"),
    }
}

fn is_true(value: Constant) -> Evaluated<bool> {
    Ok(bits(value)? != 0)
}

fn unary(operator: Kind, operand: Constant) -> Evaluated<Constant> {
    Ok(match (operator, promoted(operand)) {
        (Kind::Plus, value) => value,
        (Kind::Minus, Constant::Signed(value)) => Constant::Signed(value.wrapping_neg()),
        (Kind::Minus, Constant::Unsigned(value)) => Constant::Unsigned(value.wrapping_neg()),
        (Kind::Minus, Constant::F64(bits)) => Constant::F64((-f64::from_bits(bits)).to_bits()),
        (Kind::Tilde, value) => Constant::Unsigned(!bits(value)?),
        (Kind::Bang, value) => Constant::Signed(i64::from(!is_true(value)?)),
        _ => return Err("this operator takes no literal of bits"),
    })
}

fn binary(operator: Kind, left: Constant, right: Constant) -> Evaluated<Constant> {
    let (left, right) = (promoted(left), promoted(right));
    if let (Constant::F64(left), Constant::F64(right)) = (left, right) {
        return float_binary(operator, f64::from_bits(left), f64::from_bits(right));
    }
    if matches!((left, right), (Constant::F64(_), _) | (_, Constant::F64(_))) {
        return Err("an integer and a floating-point number do not mix in an expression");
    }
    let (a, b) = (bits(left)?, bits(right)?);
    Ok(match operator {
        Kind::BarBar => truth(a != 0 || b != 0),
        Kind::AmpersandAmpersand => truth(a != 0 && b != 0),
        Kind::LessLess | Kind::GreaterGreater => shift(operator, left, b as u32),
        Kind::Percent => Constant::Unsigned(a.checked_rem(b).ok_or("this divides by zero")?),
        _ => match (left, right) {
            (Constant::Signed(left), Constant::Signed(right)) => signed_binary(operator, left, right)?,
            _ => unsigned_binary(operator, a, b)?,
        },
    })
}

fn truth(value: bool) -> Constant {
    Constant::Signed(i64::from(value))
}

/// The first operand keeps its type; only the count's last six bits count.
fn shift(operator: Kind, value: Constant, count: u32) -> Constant {
    match (operator, value) {
        (Kind::LessLess, Constant::Signed(value)) => Constant::Signed(value.wrapping_shl(count)),
        (_, Constant::Signed(value)) => Constant::Signed(value.wrapping_shr(count)),
        (Kind::LessLess, Constant::Unsigned(value)) => Constant::Unsigned(value.wrapping_shl(count)),
        (_, Constant::Unsigned(value)) => Constant::Unsigned(value.wrapping_shr(count)),
        (_, value) => value,
    }
}

fn signed_binary(operator: Kind, a: i64, b: i64) -> Evaluated<Constant> {
    Ok(match operator {
        Kind::Plus => Constant::Signed(a.wrapping_add(b)),
        Kind::Minus => Constant::Signed(a.wrapping_sub(b)),
        Kind::Star => Constant::Signed(a.wrapping_mul(b)),
        Kind::Bar => Constant::Signed(a | b),
        Kind::Caret => Constant::Signed(a ^ b),
        Kind::Ampersand => Constant::Signed(a & b),
        Kind::Slash if b == 0 => return Err("this divides by zero"),
        Kind::Slash => Constant::Signed(a.wrapping_div(b)),
        _ => truth(compare(operator, &a, &b)),
    })
}

fn unsigned_binary(operator: Kind, a: u64, b: u64) -> Evaluated<Constant> {
    Ok(match operator {
        Kind::Plus => Constant::Unsigned(a.wrapping_add(b)),
        Kind::Minus => Constant::Unsigned(a.wrapping_sub(b)),
        Kind::Star => Constant::Unsigned(a.wrapping_mul(b)),
        Kind::Bar => Constant::Unsigned(a | b),
        Kind::Caret => Constant::Unsigned(a ^ b),
        Kind::Ampersand => Constant::Unsigned(a & b),
        Kind::Slash => Constant::Unsigned(a.checked_div(b).ok_or("this divides by zero")?),
        _ => truth(compare(operator, &a, &b)),
    })
}

fn float_binary(operator: Kind, a: f64, b: f64) -> Evaluated<Constant> {
    let value = match operator {
        Kind::Plus => a + b,
        Kind::Minus => a - b,
        Kind::Star => a * b,
        Kind::Slash => a / b,
        Kind::Less | Kind::LessEqual | Kind::Greater | Kind::GreaterEqual | Kind::EqualEqual | Kind::BangEqual => {
            return Ok(truth(compare(operator, &a, &b)));
        }
        _ => return Err("this operator takes integers"),
    };
    Ok(Constant::F64(value.to_bits()))
}

fn compare<T: PartialOrd>(operator: Kind, a: &T, b: &T) -> bool {
    match operator {
        Kind::Less => a < b,
        Kind::LessEqual => a <= b,
        Kind::Greater => a > b,
        Kind::GreaterEqual => a >= b,
        Kind::EqualEqual => a == b,
        _ => a != b,
    }
}

fn choose(condition: Constant, first: Constant, second: Constant) -> Evaluated<Constant> {
    if matches!(first, Constant::F64(_)) != matches!(second, Constant::F64(_)) {
        return Err("both values of `?:` are integers or both are not");
    }
    Ok(if is_true(condition)? { first } else { second })
}
