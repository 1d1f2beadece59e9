//! Macros and repetitions: text that stands for more text.
//!
//! As in LLVM an expansion is made of characters: `\name` becomes the argument, `\@` the number of macros expanded before, `\+` how often
//! this one was, `\()` nothing. The text is then read like any other. What it takes is bounded: expansions nest only so deep, and
//! together they make only so much text.

use super::codes;
use super::lex::{Cursor, Kind, Lexer, Token};
use super::symbol::Place;
use super::{Assembler, Buffer};
use diagnostics::{Diagnostic, Span};
use std::rc::Rc;

/// Macros nest so deep at most, as in LLVM and GNU as.
const DEEPEST_MACRO: usize = 20;
/// Repetitions, macros and included files nest so deep at most.
const DEEPEST: usize = 100;
/// All expansions together make at most so many bytes of text, each taking at least so many.
const MOST_TEXT: usize = 1 << 26;
const LEAST_TEXT: usize = 1 << 6;

/// A macro that has been defined.
pub(crate) struct Macro {
    name: String,
    parameters: Vec<Parameter>,
    body: Body,
    expansions: u64,
}

struct Parameter {
    name: String,
    default: Option<String>,
    is_required: bool,
    takes_rest: bool,
}

/// Text to be expanded, and where it stands.
#[derive(Clone)]
pub(crate) struct Body {
    text: Rc<str>,
    place: Place,
}

/// What a body's names become.
struct Bindings<'a> {
    names: &'a [&'a str],
    values: &'a [&'a str],
    /// What `\@` becomes, if anything.
    number: Option<u64>,
    /// What `\+` becomes.
    count: u64,
    /// Whether names without `\` are replaced too.
    is_alternative: bool,
}

/// Whether a byte may stand in a name that a body mentions.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

impl Bindings<'_> {
    fn value(&self, name: &str) -> Option<&str> {
        let at = self.names.iter().position(|known| *known == name)?;
        Some(self.values.get(at).copied().unwrap_or(""))
    }

    /// Writes the body with all names replaced; false if that would be too much text.
    fn expand(&self, body: &str, out: &mut String) -> bool {
        let bytes = body.as_bytes();
        let name_end = |from: usize| from + bytes[from..].iter().take_while(|byte| is_name(**byte)).count();
        let mut at = 0;
        while at < bytes.len() && out.len() <= MOST_TEXT {
            let (copied, next) = match bytes[at] {
                b'\\' if at + 1 < bytes.len() => match bytes[at + 1] {
                    b'@' if self.number.is_some() => {
                        out.push_str(&self.number.unwrap_or(0).to_string());
                        (at..at, at + 2)
                    }
                    b'+' => {
                        out.push_str(&self.count.to_string());
                        (at..at, at + 2)
                    }
                    b'(' if bytes.get(at + 2) == Some(&b')') => (at..at, at + 3),
                    _ => {
                        let end = name_end(at + 1);
                        match self.value(&body[at + 1..end]) {
                            Some(value) => {
                                out.push_str(value);
                                (at..at, end + usize::from(self.is_alternative && bytes.get(end) == Some(&b'&')))
                            }
                            None => (at..end, end),
                        }
                    }
                },
                byte if is_name(byte) => {
                    let end = name_end(at);
                    match self.value(&body[at..end]).filter(|_| self.is_alternative) {
                        Some(value) => {
                            out.push_str(value);
                            (at..at, end + usize::from(bytes.get(end) == Some(&b'&')))
                        }
                        None => (at..end, end),
                    }
                }
                _ => {
                    let is_plain = |byte: &&u8| **byte != b'\\' && !is_name(**byte);
                    let len = 1 + bytes[at + 1..].iter().take_while(is_plain).count();
                    (at..at + len, at + len)
                }
            };
            out.push_str(&body[copied]);
            at = next;
        }
        out.len() <= MOST_TEXT
    }
}

/// Whether a blank before an operator does not end a macro's argument.
fn is_operator(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Plus
            | Kind::Minus
            | Kind::Tilde
            | Kind::Slash
            | Kind::Star
            | Kind::Dot
            | Kind::Equal
            | Kind::EqualEqual
            | Kind::Pipe
            | Kind::PipePipe
            | Kind::Caret
            | Kind::And
            | Kind::AndAnd
            | Kind::Exclamation
            | Kind::ExclamationEqual
            | Kind::Less
            | Kind::LessEqual
            | Kind::LessLess
            | Kind::LessGreater
            | Kind::Greater
            | Kind::GreaterEqual
            | Kind::GreaterGreater
    )
}

/// One argument: the text of its tokens, strings without their quotes; none if there is no token. It ends at a comma, or at a blank
/// that no operator follows.
fn argument(cursor: &mut Cursor) -> Result<Option<String>, Diagnostic> {
    let (mut text, mut is_empty, mut depth) = (String::new(), true, 0usize);
    // A blank counts only between tokens of this argument, and not behind an operator.
    let mut blank_counts = false;
    loop {
        let token = cursor.token();
        if token.kind == Kind::Equal {
            return Err(Diagnostic::error(codes::MACRO, token.span, "`=` stands in the middle of a macro's argument")
                .help("write `name=value` to name a parameter, or put the argument in double quotes"));
        }
        let is_after_blank = blank_counts && cursor.last_end() < token.span.start;
        if depth == 0 {
            if token.kind == Kind::Comma {
                break;
            }
            if is_operator(token.kind) {
                text.push_str(cursor.token_text());
                (is_empty, blank_counts) = (false, false);
                cursor.advance();
                continue;
            }
            if is_after_blank {
                break;
            }
        }
        if token.kind == Kind::EndOfStatement {
            break;
        }
        match token.kind {
            Kind::LeftParenthesis => depth += 1,
            Kind::RightParenthesis => depth = depth.saturating_sub(1),
            _ => {}
        }
        if is_after_blank {
            text.push_str(Span::new(cursor.last_end(), token.span.start).text(cursor.text));
        }
        text.push_str(if token.kind == Kind::String { token.contents(cursor.text) } else { cursor.token_text() });
        (is_empty, blank_counts) = (false, true);
        cursor.advance();
    }
    if depth > 0 {
        return Err(Diagnostic::error(codes::MACRO, cursor.span(), "a `(` of this macro's argument is not closed")
            .help("close it, or put the argument in double quotes"));
    }
    Ok((!is_empty).then_some(text))
}

impl Assembler<'_, '_> {
    /// `.macro name[,] [parameter[:req|:vararg][=default]] ...`
    pub(crate) fn define_macro(&mut self, cursor: &mut Cursor, lexer: &mut Lexer, directive: Span) -> Result<(), Diagnostic> {
        let header = self.macro_header(cursor);
        let body = self.macro_body(lexer, directive)?;
        let (name, parameters) = header?;
        if self.macros.contains_key(&name) {
            return Err(Diagnostic::error(codes::MACRO, directive, format!("macro `{name}` is defined already"))
                .help(format!("give it another name, or write `.purgem {name}` before")));
        }
        self.macros.insert(name.clone(), Rc::new(Macro { name: name.clone(), parameters, body, expansions: 0 }));
        Ok(())
    }

    fn macro_header(&mut self, cursor: &mut Cursor) -> Result<(String, Vec<Parameter>), Diagnostic> {
        let expected = |cursor: &Cursor, what: &str| {
            Diagnostic::error(codes::MACRO, cursor.span(), format!("{what} is missing here"))
                .help("write `.macro name a, b=default, c:req, d:vararg`")
        };
        let Some((name, _)) = cursor.name() else { return Err(expected(cursor, "the macro's name")) };
        cursor.take(Kind::Comma);
        let mut parameters: Vec<Parameter> = Vec::new();
        while !cursor.is_at_end() {
            if parameters.last().is_some_and(|last| last.takes_rest) {
                return Err(Diagnostic::error(
                    codes::MACRO,
                    cursor.span(),
                    "a parameter stands behind the one that takes all the rest",
                )
                .help("put the parameter with `:vararg` last"));
            }
            let Some((parameter, span)) = cursor.name() else { return Err(expected(cursor, "a parameter")) };
            if parameters.iter().any(|known| known.name == parameter) {
                return Err(Diagnostic::error(codes::MACRO, span, format!("macro `{name}` has two parameters `{parameter}`"))
                    .help("give one of them another name"));
            }
            let mut parameter = Parameter { name: parameter.into(), default: None, is_required: false, takes_rest: false };
            if cursor.take(Kind::Colon) {
                let at = cursor.span();
                match cursor.name() {
                    Some(("req", _)) => parameter.is_required = true,
                    Some(("vararg", _)) => parameter.takes_rest = true,
                    _ => {
                        return Err(Diagnostic::error(codes::MACRO, at, "this is no property of a parameter")
                            .help("write `:req` if a value must be given, `:vararg` if it takes all that is left"));
                    }
                }
            }
            if cursor.take(Kind::Equal) {
                parameter.default = argument(cursor)?;
            }
            parameters.push(parameter);
            cursor.take(Kind::Comma);
        }
        Ok((name.into(), parameters))
    }

    /// The text up to `.endm` at this level.
    fn macro_body(&mut self, lexer: &mut Lexer, directive: Span) -> Result<Body, Diagnostic> {
        self.body(lexer, directive, |name| match name {
            ".macro" => 1,
            ".endm" | ".endmacro" => -1,
            _ => 0,
        })
        .ok_or_else(|| {
            Diagnostic::error(codes::MACRO, directive, "this macro does not end").help("write `.endm` on a line behind its body")
        })?
    }

    fn repetition_body(&mut self, lexer: &mut Lexer, directive: Span) -> Result<Body, Diagnostic> {
        self.body(lexer, directive, |name| match name {
            ".rep" | ".rept" | ".irp" | ".irpc" => 1,
            ".endr" => -1,
            _ => 0,
        })
        .ok_or_else(|| {
            Diagnostic::error(codes::MACRO, directive, "this repetition does not end")
                .help("write `.endr` on a line behind its body")
        })?
    }

    /// The text up to the statement that closes what is open, or none at the end.
    fn body(&mut self, lexer: &mut Lexer, directive: Span, level: fn(&str) -> i32) -> Option<Result<Body, Diagnostic>> {
        let (start, mut depth, mut tokens) = (lexer.position(), 0, Vec::<Token>::new());
        while lexer.statement(&mut tokens) {
            let first = tokens[0];
            let change = if first.kind == Kind::Identifier { level(first.span.text(lexer.text())) } else { 0 };
            if depth == 0 && change < 0 {
                let span = Span::new(start, first.span.start);
                let text = span.text(lexer.text());
                let place = Place { buffer: self.pool.buffer, span };
                if tokens[1].kind != Kind::EndOfStatement {
                    let name = first.span.text(lexer.text());
                    let message = format!("something stands behind `{name}`");
                    return Some(Err(Diagnostic::error(codes::MACRO, tokens[1].span, message)
                        .also(directive, "opened here")
                        .help("remove it")));
                }
                return Some(Ok(Body { text: text.into(), place }));
            }
            depth += change;
        }
        None
    }

    /// Expands a macro if the name is one's; whether it is.
    pub(crate) fn call_macro(&mut self, name: &str, span: Span, cursor: &mut Cursor) -> Result<bool, Diagnostic> {
        if !self.macros_are_on {
            return Ok(false);
        }
        let Some(called) = self.macros.get(name).cloned() else { return Ok(false) };
        if self.depth >= DEEPEST_MACRO {
            self.is_abandoned = true;
            return Err(Diagnostic::error(codes::EXPANSION, span, format!("macros nest more than {DEEPEST_MACRO} deep"))
                .help(format!("let `{name}` stop calling itself, with `.if` and `.exitm`")));
        }
        let parameters: Vec<&Parameter> = called.parameters.iter().collect();
        let values = self.arguments(cursor, Some(&called.name), &parameters)?;
        if values.len() != parameters.len() {
            return Err(Diagnostic::error(codes::MACRO, span, format!("macro `{name}` takes no arguments"))
                .help(format!("give it parameters: `.macro {name} a, b`")));
        }
        let names: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
        let values: Vec<&str> = values.iter().map(|value| value.as_deref().unwrap_or("")).collect();
        let bindings = Bindings {
            names: &names,
            values: &values,
            number: Some(self.macro_calls),
            count: called.expansions,
            is_alternative: self.is_alternative,
        };
        let mut text = String::new();
        let fits = bindings.expand(&called.body.text, &mut text);
        let (body, parameters_owned) = (called.body.clone(), called.name.clone());
        drop(called);
        if let Some(called) = self.macros.get_mut(name).and_then(Rc::get_mut) {
            called.expansions += 1;
        }
        self.macro_calls += 1;
        self.run_expansion(text, fits, body, format!("macro `{parameters_owned}`"), span)?;
        Ok(true)
    }

    /// The arguments of a call, or, without parameters, as many as there are.
    fn arguments(
        &mut self,
        cursor: &mut Cursor,
        name: Option<&str>,
        parameters: &[&Parameter],
    ) -> Result<Vec<Option<String>>, Diagnostic> {
        let mut values: Vec<Option<String>> = (0..parameters.len()).map(|_| None).collect();
        let mut is_named = false;
        for at in 0.. {
            if !parameters.is_empty() && at >= parameters.len() {
                break;
            }
            let mut place = at;
            let span = cursor.span();
            if cursor.kind() == Kind::Identifier && cursor.ahead(1).kind == Kind::Equal {
                let parameter = cursor.token_text();
                cursor.advance();
                cursor.advance();
                is_named = true;
                place = parameters.iter().position(|known| known.name == parameter).ok_or_else(|| {
                    let known: Vec<String> = parameters.iter().map(|known| format!("`{}`", known.name)).collect();
                    let message = format!("macro `{}` has no parameter `{parameter}`", name.unwrap_or("?"));
                    let help = if known.is_empty() { "it has none".into() } else { format!("it has {}", known.join(", ")) };
                    Diagnostic::error(codes::MACRO, span, message).help(help)
                })?;
            } else if is_named {
                return Err(Diagnostic::error(codes::MACRO, span, "an argument without a name stands behind one with a name")
                    .help("name this one too, or put it first"));
            }
            let takes_rest = parameters.last().is_some_and(|last| last.takes_rest) && at + 1 == parameters.len();
            if let Some(value) = self.macro_argument(cursor, takes_rest)? {
                if place >= values.len() {
                    values.resize_with(place + 1, || None);
                }
                values[place] = Some(value);
            }
            if cursor.is_at_end() {
                for (value, parameter) in values.iter_mut().zip(parameters) {
                    if value.is_none() && parameter.is_required {
                        let message = format!("macro `{}` needs a value for `{}`", name.unwrap_or("?"), parameter.name);
                        return Err(Diagnostic::error(codes::MACRO, cursor.span(), message)
                            .help(format!("write `{}=value`", parameter.name)));
                    }
                    if value.is_none() {
                        value.clone_from(&parameter.default);
                    }
                }
                return Ok(values);
            }
            cursor.take(Kind::Comma);
        }
        let message = format!("macro `{}` takes {} arguments, and more are given", name.unwrap_or("?"), parameters.len());
        Err(Diagnostic::error(codes::MACRO, cursor.span(), message).help("put an argument with blanks in double quotes"))
    }

    /// One argument as `.altmacro` has it: `%` computes, `<>` quotes.
    fn macro_argument(&mut self, cursor: &mut Cursor, takes_rest: bool) -> Result<Option<String>, Diagnostic> {
        if self.is_alternative && cursor.kind() == Kind::Percent {
            cursor.advance();
            return self.absolute(cursor, "what stands behind `%`").map(|value| Some(value.to_string()));
        }
        if self.is_alternative && cursor.kind() == Kind::Less {
            let rest = &cursor.text.as_bytes()[cursor.span().end as usize..];
            let (mut text, mut at) = (Vec::new(), 0);
            while let Some(byte) = rest.get(at).filter(|byte| !matches!(byte, b'>' | b'\n' | b'\r')) {
                at += usize::from(*byte == b'!' && at + 1 < rest.len());
                text.push(rest[at]);
                at += 1;
            }
            if rest.get(at) == Some(&b'>') {
                let end = cursor.span().end + at as u32;
                while !cursor.is_at_end() && cursor.span().start <= end {
                    cursor.advance();
                }
                return Ok(Some(String::from_utf8_lossy(&text).into_owned()));
            }
        }
        if takes_rest {
            let (text, _) = cursor.rest_text();
            return Ok((!text.is_empty()).then(|| text.to_string()));
        }
        argument(cursor)
    }

    /// `.rept count`
    pub(crate) fn repeat(&mut self, cursor: &mut Cursor, lexer: &mut Lexer, directive: Span) -> Result<(), Diagnostic> {
        let at = cursor.span();
        let count = self.absolute(cursor, "the number of repetitions").and_then(|count| {
            self.end(cursor)?;
            usize::try_from(count).map_err(|_| {
                Diagnostic::error(codes::RANGE, at, format!("{count} repetitions are not possible"))
                    .help("write a number from 0 on")
            })
        });
        let body = self.repetition_body(lexer, directive)?;
        let (mut text, mut fits) = (String::new(), true);
        for count in 0..count? {
            let number = Bindings { names: &[], values: &[], number: None, count: count as u64, is_alternative: false };
            fits = number.expand(&body.text, &mut text);
            // An empty body stays empty.
            if !fits || text.is_empty() {
                break;
            }
        }
        self.run_expansion(text, fits, body, "`.rept`".into(), directive)
    }

    /// `.irp name, value, ...`, or with `.irpc` one value for each character.
    pub(crate) fn repeat_for(
        &mut self,
        cursor: &mut Cursor,
        lexer: &mut Lexer,
        directive: Span,
        by_character: bool,
    ) -> Result<(), Diagnostic> {
        let header = self.repeat_header(cursor, by_character);
        let body = self.repetition_body(lexer, directive)?;
        let (name, values) = header?;
        let (mut text, mut fits) = (String::new(), true);
        for (count, value) in values.iter().enumerate() {
            let bindings = Bindings {
                names: &[&name],
                values: &[value],
                number: Some(self.macro_calls),
                count: count as u64,
                is_alternative: self.is_alternative,
            };
            fits = bindings.expand(&body.text, &mut text);
            if !fits {
                break;
            }
        }
        self.run_expansion(text, fits, body, if by_character { "`.irpc`" } else { "`.irp`" }.into(), directive)
    }

    fn repeat_header(&mut self, cursor: &mut Cursor, by_character: bool) -> Result<(String, Vec<String>), Diagnostic> {
        let example = if by_character { "`.irpc digit, 0123`" } else { "`.irp register, v0, v1`" };
        let expected = |cursor: &Cursor, what: &str| {
            Diagnostic::error(codes::MACRO, cursor.span(), format!("{what} is missing here")).help(format!("write {example}"))
        };
        let Some((name, _)) = cursor.name() else { return Err(expected(cursor, "the name that the body uses")) };
        if !cursor.take(Kind::Comma) {
            return Err(expected(cursor, "a comma"));
        }
        let values: Vec<String> = self.arguments(cursor, None, &[])?.into_iter().map(Option::unwrap_or_default).collect();
        if !by_character {
            return Ok((name.into(), values));
        }
        let [characters] = &values[..] else { return Err(expected(cursor, "one run of characters")) };
        Ok((name.into(), characters.chars().map(String::from).collect()))
    }

    /// Reads what an expansion says.
    fn run_expansion(&mut self, text: String, fits: bool, body: Body, what: String, call: Span) -> Result<(), Diagnostic> {
        self.expanded += text.len().max(LEAST_TEXT);
        if !fits || self.expanded > MOST_TEXT {
            self.is_abandoned = self.depth > 0;
            return Err(Diagnostic::error(
                codes::EXPANSION,
                call,
                format!("expansions make more than {} MiB of text", MOST_TEXT >> 20),
            )
            .help("repeat fewer times; `.fill` and `.zero` make much data without text"));
        }
        if self.depth >= DEEPEST {
            self.is_abandoned = true;
            return Err(Diagnostic::error(codes::EXPANSION, call, format!("expansions nest more than {DEEPEST} deep"))
                .help("repeat in one place, or with fewer levels"));
        }
        let text: Rc<str> = text.into();
        let call = Place { buffer: self.pool.buffer, span: call };
        let lines = body.text.matches('\n').count().max(1) as u32;
        self.buffers.push(Buffer { text: text.clone(), call, what, body: Some((body.place, lines)) });
        let open = self.conditions.len();
        let conditions = std::mem::replace(&mut self.outer_conditions, open);
        self.depth += 1;
        self.run(&text, self.buffers.len() as u32);
        self.depth -= 1;
        self.outer_conditions = conditions;
        if self.is_abandoned {
            // What calls itself twice would come to this end a million times.
            self.leave_conditions(open);
            self.is_abandoned = self.depth > 0;
        }
        Ok(())
    }

    /// `.exitm`: leaves the expansion, and the conditions that it opened.
    pub(crate) fn exit_macro(&mut self, cursor: &mut Cursor, lexer: &mut Lexer, directive: Span) -> Result<(), Diagnostic> {
        self.end(cursor)?;
        if self.depth == 0 {
            return Err(not_in_expansion(directive, ".exitm"));
        }
        self.leave_conditions(self.outer_conditions);
        lexer.skip_all();
        Ok(())
    }

    /// `.endm` or `.endr` outside a definition: ends an expansion.
    pub(crate) fn end_expansion(
        &mut self,
        cursor: &mut Cursor,
        lexer: &mut Lexer,
        directive: Span,
        name: &str,
    ) -> Result<(), Diagnostic> {
        self.end(cursor)?;
        if self.depth == 0 {
            return Err(not_in_expansion(directive, name));
        }
        lexer.skip_all();
        Ok(())
    }

    /// `.purgem name`
    pub(crate) fn purge_macro(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        let span = cursor.span();
        let Some((name, _)) = cursor.name() else {
            return Err(Diagnostic::error(codes::MACRO, span, "the macro's name is missing here").help("write `.purgem name`"));
        };
        self.end(cursor)?;
        match self.macros.remove(name) {
            Some(_) => Ok(()),
            None => Err(Diagnostic::error(codes::MACRO, span, format!("there is no macro `{name}`")).help("remove this line")),
        }
    }
}

fn not_in_expansion(span: Span, name: &str) -> Diagnostic {
    let (open, rule) = if name == ".endr" { (".rept", "repetition") } else { (".macro", "macro") };
    Diagnostic::error(codes::MACRO, span, format!("`{name}` stands in no {rule}"))
        .help(format!("remove it, or open one with `{open}`"))
}
