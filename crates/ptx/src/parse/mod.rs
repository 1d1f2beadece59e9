//! Tokens to tree, by recursive descent, with recovery.
//!
//! The parser never fails: what it cannot read it leaves out of the tree, says so once, and goes on behind the next
//! `;`, at the next `}` or at the next directive. It looks one token ahead, reads each byte once (recovery
//! included) and bounds its own depth. How strict it is follows ptxas 13.5: what ptxas accepts is accepted, and what
//! ptxas calls a syntax error is one here. What a name means, and whether an instruction exists, is not asked here.

mod body;
mod constant;
mod declaration;
mod dwarf;
mod module;
mod operand;
mod remedies;

use crate::ast::{Module, Name, Operand, Symbol};
use crate::codes;
use crate::directive::{self, Directive};
use crate::intern::Interner;
use crate::lex::{Kind, Lexer, Token};
use diagnostics::{Diagnostic, Span};
use std::collections::HashSet;

/// Diagnostics that one file may have; more are counted only.
const MAX_DIAGNOSTICS: usize = 100;
/// Parentheses, initialisers and vectors inside one another.
const MAX_NESTING: u32 = 100;

/// Reads a module. The tree holds everything that could be read; the diagnostics say what could not.
pub fn parse(text: &str) -> (Module, Vec<Diagnostic>) {
    parse_bytes(text.as_bytes())
}

/// The same for bytes that need not be UTF-8: PTX itself is ASCII, but comments and file names may hold anything.
/// Spans count bytes.
pub fn parse_bytes(bytes: &[u8]) -> (Module, Vec<Diagnostic>) {
    if bytes.len() >= u32::MAX as usize {
        let error = Diagnostic::error(codes::TOO_LONG, Span::default(), "the file is too long: 4 GiB or more");
        return (Module::default(), vec![error]);
    }
    let bytes = without_end_marks(bytes);
    let mut parser = Parser::new(bytes);
    parser.module();
    let (module, mut found) = parser.finish();
    if found.is_empty() {
        found.extend(hidden_nul(bytes));
    }
    (module, found)
}

/// The first NUL, which in a comment or a string is no other mistake: ptxas takes it for the end of the file.
fn hidden_nul(bytes: &[u8]) -> Option<Diagnostic> {
    // Far faster than to look for its place in all of a file.
    let at = if bytes.contains(&0) { bytes.iter().position(|byte| *byte == 0)? as u32 } else { return None };
    let error = Diagnostic::error(codes::STRAY, Span::new(at, at + 1), "the byte 0x00 ends the text here");
    Some(error.help("remove it: what stands behind it is not read"))
}

/// The file without the NUL of a C string or the Ctrl-Z of an old editor at its end, which are no part of the text.
pub(crate) fn without_end_marks(mut bytes: &[u8]) -> &[u8] {
    while let [rest @ .., 0 | 0x1a] = bytes {
        bytes = rest;
    }
    bytes
}

/// Says that a diagnostic has been made and the statement at hand is lost.
struct Reported;

type Parsed<T> = Result<T, Reported>;

struct Parser<'a> {
    bytes: &'a [u8],
    lexer: Lexer<'a>,
    /// The token at hand: not consumed yet.
    token: Token,
    /// Where the token before it ended.
    previous_end: u32,
    module: Module,
    names: Interner,
    opcodes: Interner,
    /// Operands of lists that are not complete yet.
    scratch: Vec<Operand>,
    diagnostics: Vec<Diagnostic>,
    /// Diagnostics beyond the limit.
    unshown: usize,
    /// Where the last syntax error was: a second one at the same token would only confuse.
    last_error: u32,
    depth: u32,
    /// Labels in sections of debugging information.
    section_labels: HashSet<Symbol>,
    /// Targets that `name<count>` has stood for so far.
    listed_targets: u64,
    /// Braces of vectors and initialisers that are open in the statement at hand; at an error, recovery passes their ends.
    open_braces: usize,
}

impl<'a> Parser<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut parser = Parser {
            bytes,
            lexer: Lexer::new(bytes),
            token: Token { kind: Kind::End, start: 0, end: 0 },
            previous_end: 0,
            module: Module::default(),
            names: Interner::default(),
            opcodes: Interner::default(),
            scratch: Vec::new(),
            diagnostics: Vec::new(),
            unshown: 0,
            last_error: u32::MAX,
            depth: 0,
            section_labels: HashSet::new(),
            listed_targets: 0,
            open_braces: 0,
        };
        parser.advance();
        parser
    }

    fn finish(mut self) -> (Module, Vec<Diagnostic>) {
        if self.unshown > 0 {
            self.diagnostics.push(Diagnostic::more(self.unshown, "syntax errors"));
        }
        self.module.comments = self.lexer.comments;
        self.module.names = self.names.texts;
        self.module.opcodes = self.opcodes.texts;
        (self.module, self.diagnostics)
    }

    // Tokens

    /// Goes to the next token. Bytes that make none are reported here, and passed.
    #[inline]
    fn advance(&mut self) {
        self.previous_end = self.token.end;
        self.token = self.lexer.next();
        if self.token.kind as u8 >= Kind::Stray as u8 {
            self.pass_stray();
        }
    }

    #[cold]
    fn pass_stray(&mut self) {
        while self.token.kind as u8 >= Kind::Stray as u8 {
            let span = self.token.span();
            match self.token.kind {
                Kind::OpenString => self.report(
                    Diagnostic::error(codes::UNTERMINATED, span, "this string has no closing `\"`")
                        .help("end the string with `\"`"),
                ),
                Kind::OpenComment => {
                    let open = Span::new(span.start, span.start + 2);
                    self.report(
                        Diagnostic::error(codes::UNTERMINATED, open, "this comment is never closed")
                            .help("end the comment with `*/`"),
                    );
                }
                _ if self.is_mark() => {
                    self.token = self.lexer.next();
                    return;
                }
                _ => {
                    let error = self.stray(self.token);
                    self.report(error);
                }
            }
            self.token = self.lexer.next();
        }
        // What is missing behind them is no second error.
        self.last_error = self.token.start;
    }

    /// Whether a `\` stands before an instruction at the beginning of a statement: ptxas 13.5 takes it there, and it means nothing.
    fn is_mark(&self) -> bool {
        let next = self.lexer.peek_token();
        let before = self.bytes.get(self.previous_end.wrapping_sub(1) as usize);
        self.text(self.token) == b"\\"
            && matches!(before, Some(b';' | b'{' | b'}' | b':'))
            && next.kind == Kind::Identifier
            && self.text(next)[0].is_ascii_lowercase()
            && self.text(next) != b"call"
    }

    fn text(&self, token: Token) -> &'a [u8] {
        &self.bytes[token.start as usize..token.end as usize]
    }

    fn at(&self, kind: Kind) -> bool {
        self.token.kind == kind
    }

    /// Passes the token at hand if it is of this kind.
    fn eat(&mut self, kind: Kind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    /// Passes a token of this kind and returns it.
    fn expect(&mut self, kind: Kind, expected: &str) -> Parsed<Token> {
        let token = self.token;
        if token.kind != kind {
            return Err(self.unexpected(expected));
        }
        self.advance();
        Ok(token)
    }

    /// Passes the bracket that closes the one at `open`.
    fn close(&mut self, kind: Kind, open: Span, expected: &str) -> Parsed<()> {
        if self.eat(kind) {
            return Ok(());
        }
        let found = self.describe(self.token);
        let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), format!("expected {expected}, found {found}"));
        Err(self.syntax_error(error.label("unexpected").also(open, "opened here")))
    }

    /// Passes the semicolon that ends a statement. Where it is missing at the end of a line, says so and goes on as if it
    /// stood there.
    #[inline]
    fn semicolon(&mut self, after: &str) -> Parsed<()> {
        if self.at(Kind::Semicolon) {
            self.advance();
            return Ok(());
        }
        self.missing_semicolon(after)
    }

    #[cold]
    fn missing_semicolon(&mut self, after: &str) -> Parsed<()> {
        let between = &self.bytes[self.previous_end as usize..self.token.start as usize];
        if !between.contains(&b'\n') && !matches!(self.token.kind, Kind::RightBrace | Kind::End) {
            let found = self.describe(self.token);
            let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), format!("expected `,` or `;`, found {found}"));
            let error = match self.token.kind {
                Kind::Identifier | Kind::LeftBracket | Kind::LeftBrace | Kind::Number => {
                    error.help(format!("separate what stands before and behind by `,`, or end {after} with `;` before {found}"))
                }
                Kind::LeftParenthesis if after == "the declaration" => error.help("a range of registers is `%r<4>`"),
                Kind::Colon => error.help("separate operands by `,`"),
                _ => Diagnostic { help: self.remedy(), ..error },
            };
            return Err(self.syntax_error(error));
        }
        let place = Span::new(self.previous_end.saturating_sub(1), self.previous_end);
        let error = Diagnostic::error(codes::SEMICOLON, place, format!("expected `;` after {after}"));
        self.syntax_error(error.label("`;` is missing behind this").help("end the statement with `;`"));
        Ok(())
    }

    fn name(&mut self, expected: &str) -> Parsed<Name> {
        if self.text(self.token) == b"WARP_SZ" {
            return Err(self.unexpected(expected));
        }
        let token = self.expect(Kind::Identifier, expected)?;
        Ok(self.name_of(token))
    }

    #[inline]
    fn name_of(&mut self, token: Token) -> Name {
        Name { symbol: self.symbol(self.text(token)), span: token.span() }
    }

    #[inline]
    fn symbol(&mut self, text: &[u8]) -> Symbol {
        Symbol(self.names.number(text))
    }

    /// The word behind the dot of the token at hand, if it is one.
    fn dotted(&self) -> Option<&'a [u8]> {
        self.at(Kind::Dotted).then(|| &self.text(self.token)[1..])
    }

    /// What directive the token at hand is, if it is one.
    fn directive(&self) -> Option<Directive> {
        directive::directive(self.dotted()?)
    }

    // Diagnostics

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        } else {
            self.unshown += 1;
        }
    }

    /// Reports an error in the statement at hand, unless the token at hand already led to one.
    #[cold]
    fn syntax_error(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.last_error != self.token.start {
            self.last_error = self.token.start;
            self.report(diagnostic);
        }
        Reported
    }

    #[cold]
    fn unexpected(&mut self, expected: &str) -> Reported {
        let found = self.describe(self.token);
        let message = format!("expected {expected}, found {found}");
        let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), message);
        self.syntax_error(Diagnostic { help: self.remedy(), ..error })
    }

    /// A token in words.
    fn describe(&self, token: Token) -> String {
        const SHOWN: usize = 40;
        let text = self.text(token);
        match token.kind {
            Kind::End => "the end of the file".to_string(),
            Kind::Stray if !text.is_ascii() || text[0] < b' ' => {
                let first = String::from_utf8_lossy(&text[..text.len().min(4)]).chars().next();
                match first {
                    Some(character) if character > ' ' && character != char::REPLACEMENT_CHARACTER => {
                        format!("`{character}` (U+{:04X})", u32::from(character))
                    }
                    _ => format!("the byte 0x{:02x}", text[0]),
                }
            }
            _ if text.len() > SHOWN || text.contains(&b'\n') => {
                let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
                format!("`{}...`", String::from_utf8_lossy(&line[..line.len().min(SHOWN)]))
            }
            _ => format!("`{}`", String::from_utf8_lossy(text)),
        }
    }

    // Depth and recovery

    /// Runs `parse` one level deeper, up to a bound.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            let message = format!("more than {MAX_NESTING} levels of brackets or operators inside one another");
            return Err(self.syntax_error(Diagnostic::error(codes::NESTING, self.token.span(), message)));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Passes a whole `{ ... }` with what is nested in it; one token where none begins.
    fn skip_braces(&mut self) {
        let mut depth = 0usize;
        while !self.at(Kind::End) {
            match self.token.kind {
                Kind::LeftBrace => depth += 1,
                Kind::RightBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }
}
