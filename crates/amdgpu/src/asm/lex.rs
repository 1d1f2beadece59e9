//! Tokens of AMD assembly, as LLVM's assembler reads it for AMDGPU: spans of the text, without allocation.
//!
//! Statements end at the end of a line. `;` and `//` begin a comment that goes on to it, `/* */` may stand anywhere, and a `#` where a
//! statement would begin makes the line a comment (lines `# 12 "file"` of a preprocessor too: they are not followed here). Blanks
//! between tokens are told from spans, since only macro arguments ask for them.

use super::codes;
use diagnostics::{Diagnostic, Span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Letters, digits and `_ $ . ? @`; it begins with a letter, `_` or `.`.
    Identifier,
    /// A whole number of at most 64 bits, or a character between single quotes; [`Token::value`] holds it.
    Integer,
    /// A whole number of more than 64 bits.
    BigInteger,
    /// A number with a fraction or an exponent.
    Real,
    /// Text between double quotes, escapes and all.
    String,
    /// A new line, a comment up to it, or the end of the text.
    EndOfStatement,
    /// Something malformed: [`Token::value`] is a [`Malformed`].
    Error,
    /// A punctuation mark: one for each, named as people name them.
    Comma,
    /// `:`
    Colon,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `%`
    Percent,
    /// `~`
    Tilde,
    /// `^`
    Caret,
    /// `&`
    And,
    /// `&&`
    AndAnd,
    /// `|`
    Pipe,
    /// `||`
    PipePipe,
    /// `!`
    Exclamation,
    /// `!=`
    ExclamationEqual,
    /// `=`
    Equal,
    /// `==`
    EqualEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `<<`
    LessLess,
    /// `<>`
    LessGreater,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `>>`
    GreaterGreater,
    /// `->`
    Arrow,
    /// `(`
    LeftParenthesis,
    /// `)`
    RightParenthesis,
    /// `[`
    LeftBracket,
    /// `]`
    RightBracket,
    /// `{`
    LeftBrace,
    /// `}`
    RightBrace,
    /// `.` alone: the current place.
    Dot,
    /// `$`
    Dollar,
    /// `@`
    At,
    /// `#`
    Hash,
    /// `?`
    Question,
    /// `\`
    Backslash,
}

/// What is wrong with a token of kind [`Kind::Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// No token begins so.
    Character,
    /// `/*` without `*/`.
    Comment,
    /// A string without its closing quote.
    String,
    /// `'` without a character and another `'`.
    Quote,
    /// A number with digits that its base does not have, or with none.
    Number,
    /// A sign directly behind the fraction, where only `e` may stand.
    Sign,
    /// A hexadecimal number with a fraction but without digits or without `p` and an exponent.
    HexFloat,
}

const MALFORMED: [Malformed; 7] = [
    Malformed::Character,
    Malformed::Comment,
    Malformed::String,
    Malformed::Quote,
    Malformed::Number,
    Malformed::Sign,
    Malformed::HexFloat,
];

/// A token of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its bytes, without the suffix `u`, `l` or `ull` that a number may have.
    pub span: Span,
    /// The value of an integer (negative for some characters in quotes, in two's complement), the [`Malformed`] of an error, else 0.
    pub value: u64,
}

impl Token {
    /// What is wrong with a malformed token.
    pub fn malformed(&self) -> Option<Malformed> {
        MALFORMED.get(self.value as usize).copied().filter(|_| self.kind == Kind::Error)
    }

    /// The text between the quotes of a string.
    pub fn contents<'t>(&self, text: &'t str) -> &'t str {
        let quoted = self.span.text(text);
        quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or("")
    }
}

/// The diagnostic of a malformed token.
pub fn explain(token: &Token, text: &str) -> Diagnostic {
    let (message, help) = match token.malformed().unwrap_or(Malformed::Character) {
        Malformed::Character => {
            let shown = token.span.text(text).escape_debug().to_string();
            (format!("no token begins with `{shown}`"), "remove it, or put it in a comment or a string")
        }
        Malformed::Comment => {
            ("this comment does not end".into(), "close it with `*/`, or begin it with `;` or `//` to end with its line")
        }
        Malformed::String => ("this string does not end".into(), "close it with `\"`"),
        Malformed::Quote => {
            ("a single character is written between two `'`".into(), "write `'a'`, or use `.ascii \"text\"` for more")
        }
        Malformed::Number => (
            format!("`{}` is not a number", token.span.text(text)),
            "digits are 0-9; 0-7 behind a leading `0`, 0-1 behind `0b`, 0-9 and a-f behind `0x`",
        ),
        Malformed::Sign => (
            "a sign stands behind a fraction".into(),
            "write the exponent's `e` before its sign, or a blank and an operand after it",
        ),
        Malformed::HexFloat => (
            "a hexadecimal number with a fraction lacks digits or an exponent".into(),
            "write it like `0x1.8p3`: digits, `p`, and a decimal exponent",
        ),
    };
    Diagnostic::error(codes::TOKEN, token.span, message).help(help)
}

/// What a byte may do in a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Letter,
    Digit,
    Other,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t' | 0 => Class::Blank,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// Whether a byte may stand behind the first one of an identifier.
const CONTINUES: [bool; 256] = {
    let mut continues = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        continues[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'_' | b'$' | b'.' | b'?' | b'@');
        byte += 1;
    }
    continues
};

/// The value of a byte as a digit, up to 15; a large number for others.
const VALUES: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut byte = 0;
    while byte < 256 {
        values[byte] = match byte as u8 {
            digit @ b'0'..=b'9' => digit - b'0',
            letter @ (b'a'..=b'f' | b'A'..=b'F') => (letter | 32) - b'a' + 10,
            _ => u8::MAX,
        };
        byte += 1;
    }
    values
};

/// Reads the statements of a text, one after the other.
#[derive(Clone, Debug)]
pub struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Lexer<'t> {
    /// Begins at the start of a text of less than 4 GiB.
    pub fn new(text: &'t str) -> Self {
        Lexer { text, bytes: text.as_bytes(), at: 0 }
    }

    /// The text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The byte where the next statement begins.
    pub fn position(&self) -> u32 {
        self.at as u32
    }

    /// Whether nothing is left.
    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Goes on behind so many bytes, which end with their line.
    pub(super) fn skip(&mut self, bytes: u32) {
        self.at = (self.at + bytes as usize).min(self.bytes.len());
    }

    /// Goes on behind all that is left.
    pub fn skip_all(&mut self) {
        self.at = self.bytes.len();
    }

    /// The line that begins here, without its end, and goes on behind it: for text that is no assembly.
    pub fn raw_line(&mut self) -> Option<&'t str> {
        if self.is_at_end() {
            return None;
        }
        let start = self.at;
        let len = self.bytes[start..].iter().position(|byte| *byte == b'\n').unwrap_or(self.bytes.len() - start);
        self.at = (start + len + 1).min(self.bytes.len());
        self.text.get(start..start + len)
    }

    /// Puts the next statement's tokens into `tokens`, the last of which is [`Kind::EndOfStatement`], and only that one; false at
    /// the end of the text. Lines without a token are passed over.
    pub fn statement(&mut self, tokens: &mut Vec<Token>) -> bool {
        tokens.clear();
        while !self.is_at_end() {
            let token = self.token(tokens.is_empty());
            match token.kind {
                Kind::EndOfStatement if tokens.is_empty() => {}
                Kind::EndOfStatement => {
                    tokens.push(token);
                    return true;
                }
                _ => tokens.push(token),
            }
        }
        if !tokens.is_empty() {
            tokens.push(self.finish(Kind::EndOfStatement, self.at));
        }
        !tokens.is_empty()
    }

    /// The next token; `first` if a statement may begin with it.
    fn token(&mut self, first: bool) -> Token {
        while CLASSES[self.peek(0) as usize] == Class::Blank && self.at < self.bytes.len() {
            self.at += 1;
        }
        let start = self.at;
        let Some(&byte) = self.bytes.get(start) else { return self.finish(Kind::EndOfStatement, start) };
        self.at += 1;
        match CLASSES[byte as usize] {
            Class::Letter => return self.identifier(start),
            Class::Digit => return self.number(start),
            _ => {}
        }
        let kind = match byte {
            b',' => Kind::Comma,
            b'\n' => Kind::EndOfStatement,
            b'\r' => {
                self.at += usize::from(self.peek(0) == b'\n');
                Kind::EndOfStatement
            }
            b';' => return self.line_comment(start),
            b'#' if first => return self.line_comment(start),
            b'/' if self.peek(0) == b'/' => return self.line_comment(start),
            b'/' if self.peek(0) == b'*' => {
                if let Some(len) = self.text[start + 2..].find("*/") {
                    self.at = start + 2 + len + 2;
                    return self.token(first);
                }
                self.at = self.bytes.len();
                return self.error(Malformed::Comment, start);
            }
            b'.' => return self.identifier(start),
            b'"' => return self.string(start),
            b'\'' => return self.character(start),
            b':' => Kind::Colon,
            b'+' => Kind::Plus,
            b'*' => Kind::Star,
            b'/' => Kind::Slash,
            b'%' => Kind::Percent,
            b'~' => Kind::Tilde,
            b'^' => Kind::Caret,
            b'(' => Kind::LeftParenthesis,
            b')' => Kind::RightParenthesis,
            b'[' => Kind::LeftBracket,
            b']' => Kind::RightBracket,
            b'{' => Kind::LeftBrace,
            b'}' => Kind::RightBrace,
            b'$' => Kind::Dollar,
            b'@' => Kind::At,
            b'#' => Kind::Hash,
            b'?' => Kind::Question,
            b'\\' => Kind::Backslash,
            b'-' => self.longer(&[(b'>', Kind::Arrow)], Kind::Minus),
            b'=' => self.longer(&[(b'=', Kind::EqualEqual)], Kind::Equal),
            b'|' => self.longer(&[(b'|', Kind::PipePipe)], Kind::Pipe),
            b'&' => self.longer(&[(b'&', Kind::AndAnd)], Kind::And),
            b'!' => self.longer(&[(b'=', Kind::ExclamationEqual)], Kind::Exclamation),
            b'<' => self.longer(&[(b'<', Kind::LessLess), (b'=', Kind::LessEqual), (b'>', Kind::LessGreater)], Kind::Less),
            b'>' => self.longer(&[(b'>', Kind::GreaterGreater), (b'=', Kind::GreaterEqual)], Kind::Greater),
            _ => {
                while !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
                return self.error(Malformed::Character, start);
            }
        };
        self.finish(kind, start)
    }

    /// The byte so far ahead; 0 behind the end.
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn finish(&self, kind: Kind, start: usize) -> Token {
        Token { kind, span: Span::new(start as u32, self.at as u32), value: 0 }
    }

    fn error(&self, malformed: Malformed, start: usize) -> Token {
        Token { value: malformed as u64, ..self.finish(Kind::Error, start) }
    }

    /// The kind of two bytes, if the next one is among them.
    fn longer(&mut self, longer: &[(u8, Kind)], kind: Kind) -> Kind {
        match longer.iter().find(|(byte, _)| *byte == self.peek(0)) {
            Some((_, kind)) => {
                self.at += 1;
                *kind
            }
            None => kind,
        }
    }

    fn line_comment(&mut self, start: usize) -> Token {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let token = self.finish(Kind::EndOfStatement, start);
        self.at += usize::from(self.peek(0) == b'\r');
        self.at += usize::from(self.peek(0) == b'\n');
        self.at = self.at.min(self.bytes.len());
        token
    }

    fn identifier(&mut self, start: usize) -> Token {
        if self.bytes[start] == b'.' && self.peek(0).is_ascii_digit() {
            self.digits(10);
            if !CONTINUES[self.peek(0) as usize] || matches!(self.peek(0), b'e' | b'E') {
                return self.fraction(start);
            }
        }
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|byte| !CONTINUES[*byte as usize]).unwrap_or(rest.len());
        let is_dot = self.at == start + 1 && self.bytes[start] == b'.';
        self.finish(if is_dot { Kind::Dot } else { Kind::Identifier }, start)
    }

    /// Passes over digits of a base; how many they are.
    fn digits(&mut self, base: u8) -> usize {
        let start = self.at;
        while VALUES[self.peek(0) as usize] < base {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self, start: usize) -> Token {
        if self.bytes[start] != b'0' || self.peek(0) == b'.' {
            self.digits(10);
            if matches!(self.peek(0), b'.' | b'e' | b'E') {
                self.at += usize::from(self.peek(0) == b'.');
                return self.fraction(start);
            }
            return self.integer(start, start, 10);
        }
        match self.peek(0) {
            // `0b` is the label 0 before this place unless a digit follows.
            b'b' | b'B' if self.peek(1).is_ascii_digit() => {
                self.at += 1;
                if self.digits(2) == 0 { self.error(Malformed::Number, start) } else { self.integer(start, start + 2, 2) }
            }
            b'b' | b'B' => self.finish(Kind::Integer, start),
            b'x' | b'X' => {
                self.at += 1;
                let digits = self.digits(16);
                match self.peek(0) {
                    b'.' | b'p' | b'P' => self.hexadecimal_fraction(start, digits),
                    _ if digits == 0 => self.error(Malformed::Number, start),
                    _ => self.integer(start, start + 2, 16),
                }
            }
            _ => {
                self.digits(10);
                self.integer(start, start, 8)
            }
        }
    }

    /// An integer whose digits begin at `digits`.
    fn integer(&mut self, start: usize, digits: usize, base: u64) -> Token {
        let mut token = self.finish(Kind::Integer, start);
        for byte in &self.bytes[digits..self.at] {
            let digit = u64::from(VALUES[*byte as usize]);
            if digit >= base {
                return self.error(Malformed::Number, start);
            }
            match token.value.checked_mul(base).and_then(|value| value.checked_add(digit)) {
                Some(value) => token.value = value,
                None => token.kind = Kind::BigInteger,
            }
        }
        self.at += usize::from(matches!(self.peek(0), b'u' | b'U'));
        self.at += usize::from(matches!(self.peek(0), b'l' | b'L'));
        self.at += usize::from(matches!(self.peek(0), b'l' | b'L'));
        token
    }

    /// The rest of a number behind its point or its first digits.
    fn fraction(&mut self, start: usize) -> Token {
        self.digits(10);
        if matches!(self.peek(0), b'+' | b'-') {
            return self.error(Malformed::Sign, start);
        }
        if matches!(self.peek(0), b'e' | b'E') {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(0), b'+' | b'-'));
            self.digits(10);
        }
        self.finish(Kind::Real, start)
    }

    fn hexadecimal_fraction(&mut self, start: usize, mut digits: usize) -> Token {
        if self.peek(0) == b'.' {
            self.at += 1;
            digits += self.digits(16);
        }
        if digits == 0 || !matches!(self.peek(0), b'p' | b'P') {
            return self.error(Malformed::HexFloat, start);
        }
        self.at += 1;
        self.at += usize::from(matches!(self.peek(0), b'+' | b'-'));
        if self.digits(10) == 0 {
            return self.error(Malformed::HexFloat, start);
        }
        self.finish(Kind::Real, start)
    }

    fn string(&mut self, start: usize) -> Token {
        loop {
            match self.bytes.get(self.at) {
                None => return self.error(Malformed::String, start),
                Some(b'"') => break,
                Some(b'\\') => self.at = (self.at + 2).min(self.bytes.len()),
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        self.finish(Kind::String, start)
    }

    /// A character between single quotes: its first byte as a signed value.
    fn character(&mut self, start: usize) -> Token {
        let escaped = self.peek(0) == b'\\';
        let byte = self.peek(usize::from(escaped));
        let len = 1 + usize::from(escaped);
        if self.peek(len) != b'\'' || self.at + len >= self.bytes.len() {
            // Not further than the line, which the next token ends.
            while self.at < self.bytes.len() && !matches!(self.bytes[self.at], b'\n' | b'\r') {
                self.at += 1;
            }
            return self.error(Malformed::Quote, start);
        }
        self.at += len + 1;
        let value = match byte {
            b't' if escaped => b'\t',
            b'n' if escaped => b'\n',
            b'b' if escaped => 8,
            b'f' if escaped => 12,
            b'r' if escaped => b'\r',
            _ => byte,
        };
        Token { value: i64::from(value as i8) as u64, ..self.finish(Kind::Integer, start) }
    }
}

/// The tokens of one statement as they are read, up to the end that it stays at.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'t> {
    /// The text that spans point into.
    pub text: &'t str,
    tokens: &'t [Token],
    at: usize,
}

impl<'t> Cursor<'t> {
    /// At the first of tokens whose last one is [`Kind::EndOfStatement`].
    pub fn new(text: &'t str, tokens: &'t [Token]) -> Self {
        Cursor { text, tokens, at: 0 }
    }

    /// The token here; the end of the statement once it is reached.
    pub fn token(&self) -> Token {
        self.ahead(0)
    }

    /// The token so many ahead, or the end.
    pub fn ahead(&self, count: usize) -> Token {
        let nothing = Token { kind: Kind::EndOfStatement, span: Span::default(), value: 0 };
        *self.tokens.get(self.at + count).or(self.tokens.last()).unwrap_or(&nothing)
    }

    /// The kind of the token here.
    pub fn kind(&self) -> Kind {
        self.token().kind
    }

    /// The text of the token here.
    pub fn token_text(&self) -> &'t str {
        self.token().span.text(self.text)
    }

    /// Where the token here stands.
    pub fn span(&self) -> Span {
        self.token().span
    }

    /// Where the last token that was read ends.
    pub fn last_end(&self) -> u32 {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(self.span().start, |token| token.span.end)
    }

    /// Goes on to the next token and gives the one passed over.
    pub fn advance(&mut self) -> Token {
        let token = self.token();
        self.at += usize::from(self.at + 1 < self.tokens.len());
        token
    }

    /// Whether the token here is of this kind; goes on if it is.
    pub fn take(&mut self, kind: Kind) -> bool {
        let is_here = self.kind() == kind && kind != Kind::EndOfStatement;
        if is_here {
            self.advance();
        }
        is_here
    }

    /// Whether the statement ends here.
    pub fn is_at_end(&self) -> bool {
        self.kind() == Kind::EndOfStatement
    }

    /// All tokens from here, with the end.
    pub fn rest(&self) -> &'t [Token] {
        self.tokens.get(self.at..).unwrap_or(&[])
    }

    /// The text from here to the end of the statement, blanks before a comment included, and goes to the end.
    pub fn rest_text(&mut self) -> (&'t str, Span) {
        let end = self.tokens.last().map_or(0, |token| token.span.start);
        let span = Span::new(self.span().start.min(end), end);
        self.at = self.tokens.len().saturating_sub(1);
        (span.text(self.text), span)
    }

    /// A name: an identifier, the contents of a string, or `$` or `@` directly before an identifier or number.
    pub fn name(&mut self) -> Option<(&'t str, Span)> {
        let token = self.token();
        match token.kind {
            Kind::Identifier => {
                self.advance();
                Some((token.span.text(self.text), token.span))
            }
            Kind::String => {
                self.advance();
                Some((token.contents(self.text), token.span))
            }
            Kind::Dollar | Kind::At => {
                let after = self.ahead(1);
                let joined = matches!(after.kind, Kind::Identifier | Kind::Integer) && after.span.start == token.span.end;
                joined.then(|| {
                    self.advance();
                    self.advance();
                    let span = token.span.to(after.span);
                    (span.text(self.text), span)
                })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        let (mut lexer, mut tokens, mut all) = (Lexer::new(text), Vec::new(), Vec::new());
        while lexer.statement(&mut tokens) {
            all.extend(tokens.iter().map(|token| (token.kind, token.span.text(text))));
        }
        all
    }

    fn values(text: &str) -> Vec<u64> {
        let (mut lexer, mut tokens) = (Lexer::new(text), Vec::new());
        lexer.statement(&mut tokens);
        tokens.iter().filter(|token| token.kind == Kind::Integer).map(|token| token.value).collect()
    }

    #[test]
    fn statements_end_with_their_line() {
        use Kind::*;
        assert_eq!(
            kinds("  # all of it\nv_add_f32 v1, v2 ; c\n/* a\n*/ s_nop 0x1// d\r\n\n.Lx: a@rel32@lo"),
            [
                (Identifier, "v_add_f32"),
                (Identifier, "v1"),
                (Comma, ","),
                (Identifier, "v2"),
                (EndOfStatement, "; c"),
                (Identifier, "s_nop"),
                (Integer, "0x1"),
                (EndOfStatement, "// d"),
                (Identifier, ".Lx"),
                (Colon, ":"),
                (Identifier, "a@rel32@lo"),
                (EndOfStatement, ""),
            ]
        );
    }

    #[test]
    fn numbers_have_their_bases() {
        assert_eq!(
            values("0x1F 0b101 017 19 0 18446744073709551615 5ull 'a' '\\n' '\\''"),
            [31, 5, 15, 19, 0, u64::MAX, 5, 97, 10, 39]
        );
        use Kind::*;
        let of = |text| kinds(text)[0];
        assert_eq!(of("18446744073709551616"), (BigInteger, "18446744073709551616"));
        assert_eq!(of("1.5e-3x"), (Real, "1.5e-3"));
        assert_eq!(of(".5"), (Real, ".5"));
        assert_eq!(of(".5foo"), (Identifier, ".5foo"));
        assert_eq!(of("0x1.8p-3"), (Real, "0x1.8p-3"));
        assert_eq!(of("1e3"), (Real, "1e3"));
        assert_eq!(of("089"), (Error, "089"));
        assert_eq!(of("0x"), (Error, "0x"));
        assert_eq!(of("0x1.8"), (Error, "0x1.8"));
        assert_eq!(kinds("1b")[..2], [(Integer, "1"), (Identifier, "b")]);
        assert_eq!(kinds("0b")[..2], [(Integer, "0"), (Identifier, "b")]);
    }

    #[test]
    fn what_does_not_end_is_an_error() {
        assert_eq!(kinds("\"a\\\"\n")[0].0, Kind::Error);
        assert_eq!(kinds("/* a")[0].0, Kind::Error);
        assert_eq!(kinds("'ab'")[0].0, Kind::Error);
        assert_eq!(kinds("é = 1")[0], (Kind::Error, "é"));
        assert_eq!(kinds("'")[0].0, Kind::Error);
        assert_eq!(kinds("'\\")[0].0, Kind::Error);
    }
}
