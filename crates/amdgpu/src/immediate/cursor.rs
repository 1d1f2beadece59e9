//! A place in the operands of one statement, and the tokens that stand there.
//!
//! Tokens are those of LLVM's assembler: names may hold dots and dollars, blanks mean nothing. Comments and the end of the
//! statement are the business of whoever makes the cursor.

use diagnostics::Span;

use super::Problem;

/// What a name in an expression stands for, if it is known.
pub type Symbols<'a> = &'a dyn Fn(&str) -> Option<i64>;

/// A reading position in a statement.
#[derive(Clone)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
    symbols: Symbols<'a>,
}

/// How deep parentheses and signs may be nested.
const DEPTH: u32 = 100;

impl<'a> Cursor<'a> {
    /// The beginning of a text.
    pub fn new(text: &'a str, symbols: Symbols<'a>) -> Self {
        let mut cursor = Cursor { text, at: 0, symbols };
        cursor.skip_blanks();
        cursor
    }

    /// Whether nothing is left.
    pub fn at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// What is left.
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next byte.
    pub(crate) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// From a byte where something began to here.
    pub fn span_from(&self, start: usize) -> Span {
        let end = self.text[..self.at].trim_end().len().max(start);
        Span::new(start as u32, end as u32)
    }

    /// The byte where the next token begins.
    pub fn position(&self) -> usize {
        self.at
    }

    /// A problem with the next token.
    pub fn problem<T>(&self, message: impl Into<String>) -> Result<T, Problem> {
        let length = self.identifier().map_or(self.rest().chars().next().map_or(0, char::len_utf8), str::len);
        Err(Problem { span: Span::new(self.at as u32, (self.at + length) as u32), message: message.into() })
    }

    fn skip_blanks(&mut self) {
        let blank = |b: &&u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
        self.at += self.text.as_bytes()[self.at..].iter().take_while(blank).count();
    }

    pub(crate) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
        self.skip_blanks();
    }

    /// The name that stands here.
    pub fn identifier(&self) -> Option<&'a str> {
        let rest = self.rest();
        let first = rest.bytes().next()?;
        (first.is_ascii_alphabetic() || first == b'_' || first == b'.').then(|| &rest[..length(rest)])
    }

    /// Whether this name stands here, and behind it this character, which is none of a name.
    pub fn names(&self, name: &str, then: char) -> bool {
        self.rest().strip_prefix(name).is_some_and(|behind| begins(behind, then))
    }

    /// Whether a name stands here with this character behind it.
    pub fn after_identifier(&self, then: char) -> bool {
        self.identifier().is_some_and(|name| begins(&self.rest()[name.len()..], then))
    }

    /// Takes this name and the character behind it, or nothing.
    pub fn take_named(&mut self, name: &str, then: char) -> bool {
        let found = self.names(name, then);
        if found {
            self.advance(name.len());
            self.advance(1);
        }
        found
    }

    /// Takes the name that stands here.
    pub fn take_identifier(&mut self, what: &str) -> Result<&'a str, Problem> {
        match self.identifier() {
            Some(name) => {
                self.advance(name.len());
                Ok(name)
            }
            None => self.problem(format!("{what} is missing")),
        }
    }

    /// Takes a word that may begin with a digit: `2D_ARRAY`.
    pub fn take_word(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let found = &rest[..length(rest)];
        self.advance(found.len());
        (!found.is_empty()).then_some(found)
    }

    /// Takes this character, if it is a token of its own: `&` is not half of `&&`.
    pub fn take(&mut self, token: char) -> bool {
        let bytes = &self.text.as_bytes()[self.at..];
        let is = |at: usize| bytes.get(at).is_some_and(|b| char::from(*b) == token);
        if !is(0) || matches!(token, '&' | '|') && is(1) {
            return false;
        }
        self.advance(1);
        true
    }

    /// Takes this character.
    pub fn expect(&mut self, token: char) -> Result<(), Problem> {
        if self.take(token) { Ok(()) } else { self.problem(format!("`{token}` is missing here")) }
    }

    /// Takes a text in double quotes.
    pub fn take_string(&mut self) -> Result<&'a str, Problem> {
        let inner = self.rest().strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(inner, _)| inner);
        match inner {
            Some(inner) => {
                self.advance(inner.len() + 2);
                Ok(inner)
            }
            None => self.problem("a text in double quotes is missing here"),
        }
    }

    /// Takes an expression whose value is known.
    pub fn expression(&mut self) -> Result<i64, Problem> {
        if let Some((value, length)) = plain(&self.text.as_bytes()[self.at..]) {
            self.advance(length);
            return Ok(value);
        }
        self.binary(0, DEPTH)
    }

    /// Takes an expression, or as LLVM reads the literals of instructions a real number with its sign: the bits that it has in double
    /// precision. What follows that is not looked at.
    pub(crate) fn literal(&mut self) -> Result<i64, Problem> {
        let negative = self.byte() == Some(b'-');
        let digits = if negative { self.rest()[1..].trim_start() } else { self.rest() };
        let Some((value, length)) = real(digits) else { return self.expression() };
        self.advance(self.rest().len() - digits.len() + length);
        Ok(if negative { -value } else { value }.to_bits() as i64)
    }

    /// Takes a term of an expression: what may stand between two bars, which are no operators there.
    pub(crate) fn term(&mut self) -> Result<i64, Problem> {
        self.unary(DEPTH)
    }

    /// Operators that bind at least so strongly.
    fn binary(&mut self, least: u8, depth: u32) -> Result<i64, Problem> {
        let start = self.at;
        let mut left = self.unary(depth)?;
        while let Some((operator, strength)) = operator(self.rest()).filter(|(_, strength)| *strength > least) {
            self.advance(operator.len());
            let right = self.binary(strength, depth)?;
            let Some(value) = apply(operator, left, right) else {
                return Err(Problem { span: self.span_from(start), message: "a division by zero".into() });
            };
            left = value;
        }
        Ok(left)
    }

    fn unary(&mut self, depth: u32) -> Result<i64, Problem> {
        let Some(depth) = depth.checked_sub(1) else { return self.problem("the expression is nested too deeply") };
        match self.byte() {
            Some(sign @ (b'-' | b'+' | b'~' | b'!')) => {
                self.advance(1);
                let value = self.unary(depth)?;
                Ok(match sign {
                    b'-' => value.wrapping_neg(),
                    b'~' => !value,
                    b'!' => i64::from(value == 0),
                    _ => value,
                })
            }
            Some(b'(') => {
                self.advance(1);
                let value = self.binary(0, depth)?;
                self.expect(')')?;
                Ok(value)
            }
            // A real number is its 64 bits.
            Some(b'0'..=b'9' | b'.') if let Some((value, length)) = real(self.rest()) => {
                self.advance(length);
                Ok(value.to_bits() as i64)
            }
            Some(b'\'') if matches!(self.rest().as_bytes(), [_, c, b'\'', ..] if *c != b'\\') => {
                let value = self.rest().as_bytes()[1].into();
                self.advance(3);
                Ok(value)
            }
            Some(b'0'..=b'9') => self.integer(),
            _ => match self.identifier().map(|name| (name, (self.symbols)(name))) {
                Some((name, Some(value))) => {
                    self.advance(name.len());
                    Ok(value)
                }
                Some((name, None)) => self.problem(format!("`{name}` is no register here, and no number that is known")),
                None => match self.byte() {
                    Some(mark @ (b'%' | b'$' | b'#' | b'"')) => {
                        let mark = char::from(mark);
                        self.problem(format!(
                            "`{mark}` begins no operand: registers are written `v0` or `s[2:3]`, numbers as they are"
                        ))
                    }
                    _ => self.problem("a number is missing here"),
                },
            },
        }
    }

    fn integer(&mut self) -> Result<i64, Problem> {
        let rest = self.rest();
        let (digits, radix) = match rest.as_bytes() {
            [b'0', b'x' | b'X', ..] => (&rest[2..], 16),
            [b'0', b'b' | b'B', b'0' | b'1', ..] => (&rest[2..], 2),
            [b'0', b'0'..=b'9', ..] => (&rest[1..], 8),
            _ => (rest, 10),
        };
        let length = digits.bytes().take_while(|b| b.is_ascii_alphanumeric()).count();
        match u64::from_str_radix(&digits[..length], radix) {
            Ok(value) => {
                self.advance(rest.len() - digits.len() + length);
                Ok(value as i64)
            }
            Err(_) => {
                let end = self.at + rest.len() - digits.len() + length;
                Err(Problem { span: Span::new(self.at as u32, end as u32), message: "no number of 64 bits".into() })
            }
        }
    }
}

/// Whether a text begins with this character, behind blanks or not.
fn begins(text: &str, with: char) -> bool {
    text.bytes().find(|b| !matches!(b, b' ' | b'\t')).is_some_and(|b| char::from(b) == with)
}

/// A number of a few digits at the beginning of a text behind which no operator can stand, and its length.
fn plain(text: &[u8]) -> Option<(i64, usize)> {
    let (prefix, radix, most) = if text.starts_with(b"0x") { (2, 16, 8) } else { (0, 10, 9) };
    let digit = |byte: &u8| char::from(*byte).to_digit(radix);
    let length = prefix + text[prefix..].iter().take_while(|byte| digit(byte).is_some()).count();
    let has_digits = (prefix + 1..=prefix + most).contains(&length) && (text[0] != b'0' || length == 1 || prefix == 2);
    if !has_digits || !is_over(&text[length..]) {
        return None;
    }
    let value = text[prefix..length].iter().filter_map(digit).fold(0, |value, digit| value * i64::from(radix) + i64::from(digit));
    Some((value, length))
}

/// Whether a number ends before this: with the text, before a comma or a bracket, or before another word.
fn is_over(behind: &[u8]) -> bool {
    match behind.iter().position(|byte| *byte != b' ') {
        None => true,
        Some(0) => matches!(behind[0], b',' | b')' | b']'),
        Some(next) => matches!(behind[next], b',' | b')' | b']' | b'a'..=b'z'),
    }
}

/// The bytes of a name or word at the beginning of a text.
fn length(text: &str) -> usize {
    text.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'@')).count()
}

/// The binary operator at the beginning of a text, and how strongly it binds.
fn operator(text: &str) -> Option<(&'static str, u8)> {
    Some(match *text.as_bytes() {
        [b'|', b'|', ..] => ("||", 1),
        [b'&', b'&', ..] => ("&&", 2),
        [b'=', b'=', ..] => ("==", 3),
        [b'!', b'=', ..] => ("!=", 3),
        [b'<', b'>', ..] => ("<>", 3),
        [b'<', b'<', ..] => ("<<", 6),
        [b'>', b'>', ..] => (">>", 6),
        [b'<', b'=', ..] => ("<=", 3),
        [b'>', b'=', ..] => (">=", 3),
        [b'<', ..] => ("<", 3),
        [b'>', ..] => (">", 3),
        [b'|', ..] => ("|", 4),
        [b'^', ..] => ("^", 4),
        [b'&', ..] => ("&", 4),
        [b'+', ..] => ("+", 5),
        [b'-', ..] => ("-", 5),
        [b'*', ..] => ("*", 6),
        [b'/', ..] => ("/", 6),
        [b'%', ..] => ("%", 6),
        _ => return None,
    })
}

/// As the GNU assembler has it: a comparison that holds is -1. Nothing for a division by zero.
fn apply(operator: &str, left: i64, right: i64) -> Option<i64> {
    let truth = |holds: bool| -i64::from(holds);
    Some(match operator {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "==" => truth(left == right),
        "!=" | "<>" => truth(left != right),
        "<" => truth(left < right),
        ">" => truth(left > right),
        "<=" => truth(left <= right),
        ">=" => truth(left >= right),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "<<" => u32::try_from(right).ok().and_then(|n| left.checked_shl(n)).unwrap_or(0),
        ">>" => u32::try_from(right).ok().and_then(|n| (left as u64).checked_shr(n)).unwrap_or(0) as i64,
        "/" => left.checked_div(right)?,
        _ => left.checked_rem(right)?,
    })
}

/// A number with a fraction or an exponent at the start of a text, and its length.
pub(crate) fn real(text: &str) -> Option<(f64, usize)> {
    let bytes = text.as_bytes();
    if let [b'0', b'x' | b'X', ..] = bytes {
        return hexadecimal_real(text);
    }
    // What begins with a zero and no point is a whole number, octal or binary: `0e1` is 0 and a name.
    if matches!(bytes, [b'0', second, ..] if *second != b'.') {
        return None;
    }
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(0);
    let mut at = whole;
    let mut fraction = false;
    if bytes.get(at) == Some(&b'.') {
        let count = digits(at + 1);
        if whole == 0 && count == 0 {
            return None;
        }
        at += 1 + count;
        fraction = true;
    }
    // LLVM takes a sign there for one of an exponent without its letter, which is none.
    let is_signed = fraction && matches!(bytes.get(at), Some(b'+' | b'-'));
    if whole == 0 && !fraction || is_signed {
        return None;
    }
    if bytes.get(at).is_some_and(|b| b | 32 == b'e') {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let count = digits((at + 1 + sign).min(bytes.len()));
        if count > 0 {
            at += 1 + sign + count;
            fraction = true;
        }
    }
    fraction.then(|| (text[..at].parse().unwrap_or(0.0), at))
}

/// `0x1.8p3`; the exponent is always there.
fn hexadecimal_real(text: &str) -> Option<(f64, usize)> {
    let (digits, rest) = text[2..].split_once(['p', 'P'])?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |part: &str| part.bytes().all(|b| b.is_ascii_hexdigit());
    if digits.len() < usize::from(digits.contains('.')) + 1 || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let sign = usize::from(rest.starts_with(['+', '-']));
    let count = rest.bytes().skip(sign).take_while(u8::is_ascii_digit).count();
    let exponent: i32 = rest[..sign + count].parse().ok()?;
    // Digits behind the sixteenth of the number are not kept apart.
    let all = [whole, fraction].concat();
    let kept = all.trim_start_matches('0');
    let kept = &kept[..kept.len().min(16)];
    let value = if kept.is_empty() { 0 } else { u64::from_str_radix(kept, 16).ok()? };
    let places = all.trim_start_matches('0').len() - kept.len();
    let shift = exponent.saturating_add(4 * (places as i32 - fraction.len() as i32));
    let scaled = (value as f64) * 2f64.powi(shift / 2) * 2f64.powi(shift - shift / 2);
    Some((scaled, 2 + digits.len() + 1 + sign + count))
}
