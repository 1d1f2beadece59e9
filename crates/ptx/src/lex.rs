//! Bytes to tokens (PTX ISA 9.4, sections 4.1, 4.2 and 4.4).
//!
//! A byte table decides; nothing is copied and no text decoded. Two things about PTX's tokens depend on what
//! the parser expects, and it says so: an opcode runs through all its modifiers ([`Lexer::modifiers`]), and a
//! version is two integers rather than one decimal number ([`Lexer::integer`]).

use diagnostics::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `name`, `%name`, `$name`.
    Identifier,
    /// `_` alone.
    Underscore,
    /// A dot and a word: a directive, a type, a modifier or a component.
    Dotted,
    /// A literal that starts with a digit, or with a dot and a digit.
    Number,
    /// A string with its quotes.
    String,
    /// `@@DWARF` to the end of its line.
    Dwarf,
    LeftParenthesis,
    RightParenthesis,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Comma,
    Semicolon,
    Colon,
    At,
    Equals,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Ampersand,
    Bar,
    Caret,
    Tilde,
    Bang,
    Question,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    EqualEqual,
    BangEqual,
    LessLess,
    GreaterGreater,
    AmpersandAmpersand,
    BarBar,
    /// The end of the text.
    End,
    /// A byte, or a run of them, that begins no token.
    Stray,
    /// A string whose closing quote is missing.
    OpenString,
    /// A comment whose `*/` is missing.
    OpenComment,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

impl Token {
    pub fn span(self) -> Span {
        Span::new(self.start, self.end)
    }
}

/// What a byte can begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Letter,
    Digit,
    /// `_` and `$`: begin an identifier if more follows.
    Joiner,
    Percent,
    Dot,
    Quote,
    Slash,
    Hash,
    At,
    /// One of the bytes that may pair up with the next: `< > = ! & |`.
    Paired,
    /// A token by itself.
    Single(Kind),
    Other,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            // As ptxas has it: 0x1a, an old end of a file, but not 0x0b, a vertical tab.
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c | 0x1a => Class::Space,
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'_' | b'$' => Class::Joiner,
            b'%' => Class::Percent,
            b'.' => Class::Dot,
            b'"' => Class::Quote,
            b'/' => Class::Slash,
            b'#' => Class::Hash,
            b'@' => Class::At,
            b'<' | b'>' | b'=' | b'!' | b'&' | b'|' => Class::Paired,
            b'(' => Class::Single(Kind::LeftParenthesis),
            b')' => Class::Single(Kind::RightParenthesis),
            b'[' => Class::Single(Kind::LeftBracket),
            b']' => Class::Single(Kind::RightBracket),
            b'{' => Class::Single(Kind::LeftBrace),
            b'}' => Class::Single(Kind::RightBrace),
            b',' => Class::Single(Kind::Comma),
            b';' => Class::Single(Kind::Semicolon),
            b':' => Class::Single(Kind::Colon),
            b'+' => Class::Single(Kind::Plus),
            b'-' => Class::Single(Kind::Minus),
            b'*' => Class::Single(Kind::Star),
            b'^' => Class::Single(Kind::Caret),
            b'~' => Class::Single(Kind::Tilde),
            b'?' => Class::Single(Kind::Question),
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// Whether a byte goes on an identifier: `[a-zA-Z0-9_$]`.
const FOLLOWS: [bool; 256] = {
    let mut follows = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        follows[byte] = matches!(CLASSES[byte], Class::Letter | Class::Digit | Class::Joiner);
        byte += 1;
    }
    follows
};

/// A position in the bytes of a file.
pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    position: usize,
    /// Comments passed so far, and lines `# 1 "file"` of a preprocessor.
    pub comments: Vec<Span>,
}

impl<'a> Lexer<'a> {
    /// At the start of `bytes`, of which there must be fewer than 2^32.
    pub fn new(bytes: &'a [u8]) -> Self {
        Lexer { bytes, position: 0, comments: Vec::new() }
    }

    /// The byte at the position, 0 at the end.
    #[inline(always)]
    pub fn peek(&self) -> u8 {
        self.at(self.position)
    }

    #[inline(always)]
    fn at(&self, position: usize) -> u8 {
        self.bytes.get(position).copied().unwrap_or(0)
    }

    /// The next token.
    #[inline]
    pub fn next(&mut self) -> Token {
        loop {
            let start = self.position;
            let Some(&byte) = self.bytes.get(start) else {
                return self.token(Kind::End, start, start);
            };
            match CLASSES[byte as usize] {
                Class::Space => self.spaces(),
                Class::Letter => return self.word(Kind::Identifier, start, start + 1),
                Class::Single(kind) => return self.token(kind, start, start + 1),
                Class::Digit => return self.number(start),
                Class::Percent if FOLLOWS[self.at(start + 1) as usize] => {
                    return self.word(Kind::Identifier, start, start + 2);
                }
                Class::Joiner if FOLLOWS[self.at(start + 1) as usize] => {
                    return self.word(Kind::Identifier, start, start + 2);
                }
                Class::Dot => return self.dotted(start),
                Class::Slash => match self.at(start + 1) {
                    b'/' => self.line_comment(start),
                    b'*' => match find(self.bytes, start + 2, b"*/") {
                        Some(end) => {
                            self.comments.push(span(start, end + 2));
                            self.position = end + 2;
                        }
                        None => return self.token(Kind::OpenComment, start, self.bytes.len()),
                    },
                    _ => return self.token(Kind::Slash, start, start + 1),
                },
                Class::Hash if self.is_line_marker(start) => self.line_comment(start),
                _ => return self.rare(start, byte),
            }
        }
    }

    #[inline(always)]
    fn spaces(&mut self) {
        let mut position = self.position + 1;
        while matches!(CLASSES[self.at(position) as usize], Class::Space) {
            position += 1;
        }
        self.position = position;
    }

    fn rare(&mut self, start: usize, byte: u8) -> Token {
        let next = self.at(start + 1);
        let (kind, len) = match (byte, next) {
            (b'<', b'<') => (Kind::LessLess, 2),
            (b'<', b'=') => (Kind::LessEqual, 2),
            (b'<', _) => (Kind::Less, 1),
            (b'>', b'>') => (Kind::GreaterGreater, 2),
            (b'>', b'=') => (Kind::GreaterEqual, 2),
            (b'>', _) => (Kind::Greater, 1),
            (b'=', b'=') => (Kind::EqualEqual, 2),
            (b'=', _) => (Kind::Equals, 1),
            (b'!', b'=') => (Kind::BangEqual, 2),
            (b'!', _) => (Kind::Bang, 1),
            (b'&', b'&') => (Kind::AmpersandAmpersand, 2),
            (b'&', _) => (Kind::Ampersand, 1),
            (b'|', b'|') => (Kind::BarBar, 2),
            (b'|', _) => (Kind::Bar, 1),
            (b'_', _) => (Kind::Underscore, 1),
            (b'%', _) => (Kind::Percent, 1),
            (b'@', b'@') if self.bytes[start..].starts_with(b"@@DWARF") => {
                return self.token(Kind::Dwarf, start, self.end_of_line(start));
            }
            (b'@', _) => (Kind::At, 1),
            (b'"', _) => {
                return match find(self.bytes, start + 1, b"\"") {
                    Some(end) => self.token(Kind::String, start, end + 1),
                    None => self.token(Kind::OpenString, start, self.end_of_line(start)),
                };
            }
            _ => (Kind::Stray, self.stray_length(start)),
        };
        self.token(kind, start, start + len)
    }

    /// One character, or all of a run of bytes that can begin nothing.
    fn stray_length(&self, start: usize) -> usize {
        let run = self.bytes[start + 1..].iter().take_while(|byte| matches!(CLASSES[**byte as usize], Class::Other));
        1 + run.count()
    }

    /// Whether a `#` begins a preprocessor's line marker, `# 1 "file"`, which ptxas takes.
    /// Whether `# 1 "file" 2` or `#line 1 "file"` goes from here to the end of the line. Reads no further than it must: a line may be
    /// a million `#`.
    fn is_line_marker(&self, start: usize) -> bool {
        let blanks = |from: usize| from + self.run(from, |byte| matches!(byte, b' ' | b'\t'));
        let mut at = blanks(start + 1);
        if self.bytes[at..].starts_with(b"line") {
            at = blanks(at + 4);
        }
        let digits = self.run(at, |byte| byte.is_ascii_digit());
        let open = blanks(at + digits);
        if digits == 0 || self.at(open) != b'"' {
            return false;
        }
        let close = open + 1 + self.run(open + 1, |byte| !matches!(byte, b'"' | b'\n'));
        if self.at(close) != b'"' {
            return false;
        }
        let end = close + 1 + self.run(close + 1, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'0'..=b'9'));
        end == self.bytes.len() || self.bytes[end] == b'\n'
    }

    /// How many bytes from here on are such.
    fn run(&self, from: usize, such: impl Fn(u8) -> bool) -> usize {
        self.bytes.get(from..).unwrap_or_default().iter().take_while(|byte| such(**byte)).count()
    }

    fn line_comment(&mut self, start: usize) {
        let end = self.end_of_line(start);
        self.comments.push(span(start, end));
        self.position = end;
    }

    /// Goes to the end of the line.
    pub fn pass_line(&mut self) {
        self.position = self.end_of_line(self.position);
    }

    fn end_of_line(&self, start: usize) -> usize {
        let len = self.bytes[start..].iter().position(|byte| *byte == b'\n');
        len.map_or(self.bytes.len(), |len| start + len)
    }

    #[inline(always)]
    fn token(&mut self, kind: Kind, start: usize, end: usize) -> Token {
        self.position = end;
        Token { kind, start: start as u32, end: end as u32 }
    }

    #[inline(always)]
    fn word(&mut self, kind: Kind, start: usize, from: usize) -> Token {
        let end = self.end_of_word(from);
        self.token(kind, start, end)
    }

    #[inline(always)]
    fn end_of_word(&self, from: usize) -> usize {
        let mut end = from;
        while FOLLOWS[self.at(end) as usize] {
            end += 1;
        }
        end
    }

    #[inline(always)]
    fn dotted(&mut self, start: usize) -> Token {
        match CLASSES[self.at(start + 1) as usize] {
            Class::Digit => self.decimal(start),
            Class::Letter | Class::Joiner => self.word(Kind::Dotted, start, start + 2),
            _ => self.token(Kind::Stray, start, start + 1),
        }
    }

    /// A literal. The hexadecimal float `0f` takes exactly 8 digits and `0d` 16, as ptxas has it; what follows them
    /// is the next token.
    fn number(&mut self, start: usize) -> Token {
        let digits = match (self.at(start), self.at(start + 1)) {
            (b'0', b'f' | b'F') => 8,
            (b'0', b'd' | b'D') => 16,
            (b'0', b'x' | b'X' | b'b' | b'B') => return self.word(Kind::Number, start, start + 2),
            _ => return self.decimal(start),
        };
        let is_hexadecimal = |at: usize| self.at(at).is_ascii_hexdigit();
        if (start + 2..start + 2 + digits).all(is_hexadecimal) {
            self.token(Kind::Number, start, start + 2 + digits)
        } else {
            self.word(Kind::Number, start, start + 2)
        }
    }

    /// A decimal or octal integer, perhaps with the suffix U, or a decimal number: `1.`, `.5`, `1e-5`, `2.5E+3`.
    fn decimal(&mut self, start: usize) -> Token {
        let mut end = self.end_of_digits(start);
        if self.at(end) == b'.' {
            end = self.end_of_digits(end + 1);
        }
        if matches!(self.at(end), b'e' | b'E') {
            let sign = usize::from(matches!(self.at(end + 1), b'+' | b'-'));
            if self.at(end + 1 + sign).is_ascii_digit() {
                end = self.end_of_digits(end + 1 + sign);
            }
        }
        // Letters that touch the number belong to it, so that a wrong literal is one token.
        end = self.end_of_word(end);
        self.token(Kind::Number, start, end)
    }

    fn end_of_digits(&self, from: usize) -> usize {
        let mut end = from;
        while self.at(end).is_ascii_digit() {
            end += 1;
        }
        end
    }

    /// The end of the opcode whose first word the lexer has just passed: through `.word`, `::word`, the numbers that some modifiers
    /// begin with (`.2d`, `.16x64b`, `::128B`), and `:4` of `.sp::2:4`; a colon right behind the first word ends a label.
    #[inline(always)]
    pub fn modifiers(&mut self) -> u32 {
        let mut end = self.position;
        loop {
            let from = match self.at(end) {
                b'.' => end + 1,
                b':' if self.at(end + 1) == b':' => end + 2,
                b':' if end > self.position => end + 1,
                b'[' => match self.bank(end) {
                    Some(bank) => {
                        end = bank;
                        continue;
                    }
                    None => break,
                },
                _ => break,
            };
            if !FOLLOWS[self.at(from) as usize] {
                break;
            }
            end = self.end_of_word(from);
        }
        self.position = end;
        end as u32
    }

    /// The end of `[2]` behind `.const`, which old PTX has: a decimal number of a bank without spaces.
    #[cold]
    fn bank(&self, open: usize) -> Option<usize> {
        if self.at(open) != b'[' {
            return None;
        }
        let end = self.end_of_digits(open + 1);
        let number = &self.bytes[open + 1..end];
        let canonical = matches!(number, [b'0'] | [b'1'..=b'9', ..]);
        (self.bytes[..open].ends_with(b".const") && canonical && self.at(end) == b']').then_some(end + 1)
    }

    /// Passes `[2]` directly behind the token that has just been read; its number.
    pub fn pass_bank(&mut self) -> Option<&'a [u8]> {
        let (open, end) = (self.position, self.bank(self.position)?);
        self.position = end;
        Some(&self.bytes[open + 1..end - 1])
    }

    /// The bare digits that come next on this line, after spaces, if there are some: a part of `.version 9.0`.
    pub fn integer(&mut self) -> Option<Token> {
        while matches!(CLASSES[self.peek() as usize], Class::Space) && self.peek() != b'\n' {
            self.position += 1;
        }
        let start = self.position;
        let end = self.end_of_digits(start);
        (end > start).then(|| self.token(Kind::Number, start, end))
    }

    /// Passes `byte` if it comes next.
    pub fn pass(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.position += usize::from(found);
        found
    }

    /// Passes everything up to and including the line that is `line` and white space; false if it does not come.
    pub fn pass_through_line(&mut self, line: &[u8]) -> bool {
        while let Some(at) = find(self.bytes, self.position, line) {
            let begins = self.bytes[..at].iter().rev().find(|byte| !blank(byte)).is_none_or(|byte| *byte == b'\n');
            let ends = self.bytes[at + line.len()..].iter().find(|byte| !blank(byte)).is_none_or(|byte| *byte == b'\n');
            self.position = at + line.len();
            if begins && ends {
                return true;
            }
        }
        self.position = self.bytes.len();
        false
    }

    /// A lexer at the same place, to look ahead with.
    pub fn ahead(&self) -> Lexer<'a> {
        Lexer { bytes: self.bytes, position: self.position, comments: Vec::new() }
    }

    /// What token comes next, without passing it.
    pub fn peek_token(&self) -> Token {
        self.ahead().next()
    }

    /// Goes back to the start of `token`.
    pub fn back_to(&mut self, token: Token) {
        self.position = token.start as usize;
    }
}

fn span(start: usize, end: usize) -> Span {
    Span::new(start as u32, end as u32)
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let tail = bytes.get(from..)?;
    tail.windows(what.len()).position(|window| window == what).map(|at| from + at)
}

/// Whether a byte is white space within a line.
fn blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}
