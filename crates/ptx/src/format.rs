//! One canonical layout for PTX: the same tokens in the same order, comments kept.
//!
//! Works on tokens, not on the tree, so that spelling and comments stay. What the layout is: a statement a line, four blanks for a
//! scope, labels and braces on lines of their own, a function's parameters each on its line, at most one blank line between statements,
//! and long lists broken after a comma. The result is lexed again: were it another stream of tokens, the text would be given back as it
//! was.

use crate::directive::{self, Directive};
use crate::lex::{Kind, Lexer, Token};
use crate::parse::without_end_marks;
use diagnostics::Span;

/// Lists are broken after this column.
const WIDTH: usize = 100;

/// The text in the canonical layout. A text with syntax errors comes out in some layout, with the same tokens.
pub fn format(text: &str) -> String {
    let formatted = Formatter::new(text).run();
    if same_tokens(text.as_bytes(), formatted.as_bytes()) { formatted } else { text.to_owned() }
}

/// Whether two texts are the same stream of tokens, comments included but not where they stand.
pub fn same_tokens(a: &[u8], b: &[u8]) -> bool {
    let (a, b) = (without_end_marks(a), without_end_marks(b));
    let (mut one, mut other) = (Lexer::new(a), Lexer::new(b));
    loop {
        let (x, y) = (one.next(), other.next());
        if x.kind != y.kind || x.span().bytes(a) != y.span().bytes(b) {
            return false;
        }
        if x.kind == Kind::End {
            let trimmed = |lexer: &Lexer, bytes: &[u8]| -> Vec<Vec<u8>> {
                lexer.comments.iter().map(|c| c.bytes(bytes).trim_ascii_end().to_vec()).collect()
            };
            return trimmed(&one, a) == trimmed(&other, b);
        }
    }
}

/// Scopes that are indented.
const MOST_INDENTED: usize = 200;

/// What the statement at hand is, which decides where it ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Statement {
    /// None: the next token begins one.
    None,
    /// `@guard` before an instruction; whether the predicate has come.
    Guard { named: bool },
    /// `opcode operands;`; whether the opcode goes on.
    Instruction { opcode: bool },
    /// What ends with a semicolon.
    Directive,
    /// What ends where something else begins: `.loc`, `.file`, `.version` ...
    Line,
    /// A function up to its body.
    Header,
    /// `.section name`, up to its brace.
    Section,
}

struct Formatter<'a> {
    bytes: &'a [u8],
    lexer: Lexer<'a>,
    out: Vec<u8>,
    /// Where the line at hand begins in `out`.
    line: usize,
    statement: Statement,
    /// Scopes around; in a section the innermost is one of data.
    depth: usize,
    section: bool,
    /// Parentheses, and braces and brackets of lists, that are open in the statement at hand.
    nesting: usize,
    /// Whether the parentheses at hand hold a function's parameters, each on its line.
    parameters: bool,
    /// Whether a function's header is at a `.pragma`, whose semicolon does not end it.
    pragma: bool,
    /// Whether the header has come to the function's name.
    named: bool,
    previous: Token,
}

impl<'a> Formatter<'a> {
    fn new(text: &'a str) -> Self {
        let bytes = without_end_marks(text.as_bytes());
        Formatter {
            bytes,
            lexer: Lexer::new(bytes),
            out: Vec::with_capacity(bytes.len() + bytes.len() / 8),
            line: 0,
            statement: Statement::None,
            depth: 0,
            section: false,
            nesting: 0,
            parameters: false,
            pragma: false,
            named: false,
            previous: Token { kind: Kind::End, start: 0, end: 0 },
        }
    }

    fn run(mut self) -> String {
        loop {
            let seen = self.lexer.comments.len();
            let token = self.lexer.next();
            let mut end = self.previous.end;
            for at in seen..self.lexer.comments.len() {
                let comment = self.lexer.comments[at];
                self.comment(comment, end);
                end = comment.end;
            }
            if token.kind == Kind::End {
                break;
            }
            if self.ends_before(token) {
                self.end_statement();
            }
            if self.statement == Statement::None && self.gap_has_blank_line(end, token.start) && token.kind != Kind::RightBrace {
                self.blank_line();
            }
            self.token(token);
            self.previous = token;
        }
        self.end_statement();
        while self.out.ends_with(b"\n\n") {
            self.out.pop();
        }
        String::from_utf8_lossy(&self.out).into_owned()
    }

    // Comments

    /// Writes a comment; `before` is where what stands before it ends.
    fn comment(&mut self, comment: Span, before: u32) {
        let text = comment.bytes(self.bytes).trim_ascii_end();
        let gap = &self.bytes[before as usize..comment.start as usize];
        let own_line = gap.contains(&b'\n') || before == 0;
        if text.starts_with(b"#") {
            // A preprocessor's marker begins a line.
            self.end_line();
        } else if own_line && self.statement == Statement::None {
            self.end_line();
            if self.gap_has_blank_line(before, comment.start) {
                self.blank_line();
            }
            self.indent(self.depth);
        } else if own_line {
            self.end_line();
            self.indent(self.depth + 1);
        } else {
            if self.out[self.line..].iter().all(|b| *b == b' ') {
                self.out.truncate(self.line);
            }
            self.reopen_line();
            self.space();
        }
        self.out.extend_from_slice(text);
        let ends_line = || self.bytes.get(comment.end as usize).is_none_or(|b| matches!(b, b'\n' | b'\r'));
        let alone = own_line && self.statement == Statement::None && ends_line();
        if !text.starts_with(b"/*") || alone {
            self.newline();
        }
    }

    fn gap_has_blank_line(&self, from: u32, to: u32) -> bool {
        let gap = self.bytes.get(from as usize..to as usize).unwrap_or(b"");
        gap.iter().filter(|b| **b == b'\n').count() > 1
    }

    // Lines

    fn newline(&mut self) {
        self.out.push(b'\n');
        self.line = self.out.len();
    }

    /// Ends the line if it holds anything.
    fn end_line(&mut self) {
        while self.out.last() == Some(&b' ') {
            self.out.pop();
        }
        if self.out.len() > self.line {
            self.newline();
        }
    }

    /// Takes back a line's end, for what follows on the same line in the source.
    fn reopen_line(&mut self) {
        if self.out.len() == self.line && self.out.last() == Some(&b'\n') && !self.out.ends_with(b"\n\n") {
            let comment = self.out[..self.out.len() - 1]
                .rsplit(|b| *b == b'\n')
                .next()
                .is_some_and(|line| line.windows(2).any(|w| w == b"//"));
            if !comment {
                self.out.pop();
                self.line = self.out.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
            }
        }
    }

    /// One empty line, but not two, and none where a scope begins.
    fn blank_line(&mut self) {
        self.end_line();
        let begins = self.out.is_empty() || self.out.ends_with(b"{\n") || self.out.ends_with(b"\n\n");
        if !begins {
            self.newline();
        }
    }

    fn indent(&mut self, depth: usize) {
        if self.out.len() == self.line {
            // Deeper scopes are an error, and would make a text of square size.
            self.out.extend(std::iter::repeat_n(b' ', 4 * depth.min(MOST_INDENTED)));
        }
    }

    fn space(&mut self) {
        let empty = self.out.len() == self.line || matches!(self.out.last(), Some(b' '));
        if !empty {
            self.out.push(b' ');
        }
    }

    fn put(&mut self, token: Token) {
        self.out.extend_from_slice(token.span().bytes(self.bytes));
    }

    fn end_statement(&mut self) {
        self.end_line();
        self.statement = Statement::None;
        self.nesting = 0;
        self.parameters = false;
        self.pragma = false;
        self.named = false;
    }

    // Statements

    fn directive_of(&self, token: Token) -> Option<Directive> {
        let text = token.span().bytes(self.bytes);
        if token.kind == Kind::Dotted { directive::directive(&text[1..]) } else { None }
    }

    /// Whether the statement at hand, which no semicolon ends, ends before a token.
    fn ends_before(&self, token: Token) -> bool {
        let after = |text: &[u8]| self.previous.span().bytes(self.bytes) == text;
        match self.statement {
            Statement::Line => match token.kind {
                Kind::Dotted if self.section => !matches!(self.previous.kind, Kind::Dotted | Kind::Plus | Kind::Minus),
                Kind::Dotted => !after(b"function_name") && !matches!(self.previous.kind, Kind::Comma | Kind::Plus),
                Kind::Identifier => {
                    matches!(self.previous.kind, Kind::Number | Kind::String)
                        || self.previous.kind == Kind::Identifier && !after(b"function_name") && !after(b"inlined_at")
                }
                Kind::At | Kind::LeftBrace | Kind::RightBrace | Kind::Dwarf => true,
                _ => false,
            },
            Statement::Header if self.nesting == 0 && self.named => match token.kind {
                Kind::Dotted => !matches!(self.directive_of(token), Some(Directive::Tuning(_) | Directive::Pragma)),
                Kind::RightBrace | Kind::Dwarf => true,
                _ => false,
            },
            _ => false,
        }
    }

    fn token(&mut self, token: Token) {
        match self.statement {
            Statement::None => self.first(token),
            Statement::Directive if matches!(self.directive_of(token), Some(Directive::Function(_))) => {
                self.statement = Statement::Header;
                self.within(token);
            }
            Statement::Header => self.header(token),
            Statement::Section if token.kind == Kind::LeftBrace => {
                self.end_line();
                self.open(token);
                self.section = true;
            }
            Statement::Guard { named: false } => {
                self.put(token);
                self.statement = Statement::Guard { named: token.kind == Kind::Identifier };
            }
            Statement::Guard { named: true } => {
                self.space();
                self.put(token);
                self.statement = Statement::Instruction { opcode: true };
            }
            Statement::Instruction { opcode: true } if self.continues_opcode(token) => self.put(token),
            Statement::Instruction { .. } => {
                if self.statement == (Statement::Instruction { opcode: true }) && token.kind != Kind::Semicolon {
                    self.space();
                }
                self.statement = Statement::Instruction { opcode: false };
                self.within(token);
            }
            _ => self.within(token),
        }
    }

    /// The first token of a statement.
    fn first(&mut self, token: Token) {
        match token.kind {
            Kind::LeftBrace => return self.open(token),
            Kind::RightBrace => {
                self.depth = self.depth.saturating_sub(1);
                self.section = false;
                self.end_line();
                self.indent(self.depth);
                self.put(token);
                self.newline();
                if self.depth == 0 {
                    self.newline();
                }
                return;
            }
            Kind::Dwarf => {
                self.end_line();
                self.put(token);
                return self.newline();
            }
            Kind::Identifier if self.labels(token) => return self.label(token),
            _ => {}
        }
        self.statement = match (token.kind, self.directive_of(token)) {
            (Kind::Identifier, _) => Statement::Instruction { opcode: true },
            (Kind::At, _) => Statement::Guard { named: false },
            (Kind::Dotted, _) if self.section => Statement::Line,
            (_, Some(Directive::Function(_))) => Statement::Header,
            (_, Some(Directive::Section | Directive::IntermediateSource)) => Statement::Section,
            (_, Some(Directive::Loc(_) | Directive::File | Directive::Version | Directive::Target | Directive::AddressSize)) => {
                Statement::Line
            }
            _ => Statement::Directive,
        };
        self.indent(self.depth);
        if self.directive_of(token) == Some(Directive::IntermediateSource) {
            return self.verbatim(token);
        }
        self.put(token);
        // `;` alone is a statement of its own, and an error.
        if token.kind == Kind::Semicolon {
            self.end_statement();
        }
    }

    /// Source text of another language, up to the end of its braces, as it stands.
    fn verbatim(&mut self, first: Token) {
        let mut depth = 0usize;
        let mut end = first.end;
        loop {
            let token = self.lexer.next();
            match token.kind {
                Kind::End => break,
                Kind::LeftBrace => depth += 1,
                Kind::RightBrace => depth = depth.saturating_sub(1),
                Kind::Dotted if token.span().bytes(self.bytes) == b".source_begin" => {
                    self.lexer.pass_through_line(b".source_end");
                }
                _ => {}
            }
            end = token.end;
            if token.kind == Kind::RightBrace && depth == 0 {
                break;
            }
        }
        self.out.extend_from_slice(&self.bytes[first.start as usize..end as usize]);
        self.previous = Token { kind: Kind::RightBrace, start: end, end };
        self.end_statement();
    }

    fn open(&mut self, token: Token) {
        self.end_line();
        self.indent(self.depth);
        self.put(token);
        self.newline();
        self.depth += 1;
        self.statement = Statement::None;
        self.nesting = 0;
        self.named = false;
        self.pragma = false;
    }

    /// Whether the word at hand is a label.
    fn labels(&self, token: Token) -> bool {
        let mut ahead = self.lexer.ahead();
        let touches = self.bytes.get(token.end as usize) == Some(&b':') && self.bytes.get(token.end as usize + 1) == Some(&b':');
        !touches && ahead.next().kind == Kind::Colon
    }

    /// A label, on its own line unless a prototype or list follows.
    fn label(&mut self, token: Token) {
        self.end_line();
        let colon = self.lexer.next();
        let next = self.lexer.peek_token();
        let names =
            matches!(self.directive_of(next), Some(Directive::Prototype | Directive::BranchTargets | Directive::CallTargets));
        if names {
            self.statement = Statement::Directive;
            self.indent(self.depth);
        }
        self.put(token);
        self.put(colon);
        if names {
            self.out.push(b' ')
        } else {
            self.newline()
        }
        self.previous = colon;
    }

    /// Whether a token goes on the opcode: `.word`, `.2d`, `::` and what follows it, the `[2]` of a bank directly behind `.const`.
    fn continues_opcode(&self, token: Token) -> bool {
        match token.kind {
            Kind::LeftBracket => {
                self.previous.end == token.start
                    && self.previous.span().bytes(self.bytes) == b".const"
                    && self.bytes.get(token.end as usize).is_some_and(u8::is_ascii_digit)
            }
            Kind::Number if self.previous.kind == Kind::LeftBracket => true,
            Kind::RightBracket => self.previous.kind == Kind::Number,
            Kind::Dotted | Kind::Colon => true,
            Kind::Number => self.bytes[token.start as usize] == b'.' || self.previous.kind == Kind::Colon,
            Kind::Identifier | Kind::Underscore => self.previous.kind == Kind::Colon,
            _ => false,
        }
    }

    /// A token of a function's header.
    fn header(&mut self, token: Token) {
        match token.kind {
            Kind::LeftBrace if self.nesting == 0 => return self.open(token),
            Kind::LeftParenthesis if self.nesting == 0 && self.previous.span().bytes(self.bytes) != b".attribute" => {
                self.parameters = !matches!(self.lexer.peek_token().kind, Kind::RightParenthesis);
            }
            Kind::RightParenthesis if self.nesting == 1 && self.parameters => {
                self.end_line();
                self.nesting = 0;
                self.parameters = false;
                return self.put(token);
            }
            Kind::Identifier if self.nesting == 0 => self.named = true,
            Kind::Dotted if self.nesting == 0 && self.named => {
                self.end_line();
                self.pragma = self.directive_of(token) == Some(Directive::Pragma);
                return self.put(token);
            }
            Kind::Semicolon if self.pragma => {
                self.pragma = false;
                return self.put(token);
            }
            _ => {}
        }
        self.within(token);
        let separates = matches!(token.kind, Kind::LeftParenthesis | Kind::Comma);
        if self.parameters && self.nesting == 1 && separates {
            self.end_line();
            self.indent(1);
        }
        if token.kind == Kind::Semicolon {
            self.newline();
        }
    }

    /// A token within a statement.
    fn within(&mut self, token: Token) {
        if self.out.len() == self.line {
            self.indent(self.depth + 1);
        } else if self.is_spaced(token) {
            let broken = self.previous.kind == Kind::Comma && self.out.len() - self.line > WIDTH;
            if broken {
                self.end_line();
                self.indent(self.depth + 1);
            } else {
                self.space();
            }
        }
        self.put(token);
        match token.kind {
            Kind::LeftParenthesis | Kind::LeftBrace | Kind::LeftBracket => self.nesting += 1,
            Kind::RightParenthesis | Kind::RightBrace | Kind::RightBracket => self.nesting = self.nesting.saturating_sub(1),
            Kind::Semicolon => self.end_statement(),
            _ => {}
        }
    }

    /// Whether a blank stands before a token within a statement.
    fn is_spaced(&self, token: Token) -> bool {
        use Kind::*;
        let word = |kind| matches!(kind, Identifier | Underscore | Number | String | Dotted);
        let directive = !matches!(self.statement, Statement::Instruction { .. });
        match (self.previous.kind, token.kind) {
            (_, Comma | Semicolon | RightParenthesis | RightBracket | RightBrace | Colon) => false,
            (LeftParenthesis | LeftBracket | LeftBrace | Bang | Tilde | At, _) => false,
            (Comma | Equals | Percent, _) | (_, Equals | Percent) => true,
            (Dotted, LeftParenthesis) => self.previous.span().bytes(self.bytes) != b".attribute" && directive,
            (Identifier | Number, LeftParenthesis) => false,
            (_, LeftParenthesis) => directive && matches!(self.previous.kind, Underscore | RightParenthesis),
            (Identifier | Dotted | RightBracket, LeftBracket) => false,
            (RightBracket | RightParenthesis | Greater, other) => word(other) && (directive || other != Dotted),
            (previous, Dotted) => directive && word(previous),
            (previous, other) => word(previous) && word(other),
        }
    }
}
