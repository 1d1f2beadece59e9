//! What to write instead: help for mistakes that come from other languages and from text around PTX. Only messages are made here,
//! nothing is read more leniently for it.

use super::{Parser, Reported};
use crate::codes;
use crate::directive::{self, Directive, directive};
use crate::lex::{Kind, Token};
use diagnostics::Diagnostic;

/// Characters that look like ones of PTX, as editors and word processors write them.
const LOOKALIKES: &[(char, &str)] = &[
    ('\u{ff1b}', ";"),
    ('\u{ff0c}', ","),
    ('\u{ff1a}', ":"),
    ('\u{ff08}', "("),
    ('\u{ff09}', ")"),
    ('\u{ff3b}', "["),
    ('\u{ff3d}', "]"),
    ('\u{ff5b}', "{"),
    ('\u{ff5d}', "}"),
    ('\u{ff05}', "%"),
    ('\u{ff0e}', "."),
    ('\u{2013}', "-"),
    ('\u{2014}', "-"),
    ('\u{2212}', "-"),
    ('\u{2018}', "\""),
    ('\u{2019}', "\""),
    ('\u{201c}', "\""),
    ('\u{201d}', "\""),
    ('\u{a0}', " "),
];

/// Words behind the `#` of a preprocessor's line.
const PREPROCESSOR: &[&str] =
    &["include", "define", "undef", "if", "ifdef", "ifndef", "else", "elif", "endif", "pragma", "error"];

impl Parser<'_> {
    /// What is wrong with bytes that begin no token; lines that are meant as comments or belong to other languages are passed whole.
    #[cold]
    pub(super) fn stray(&mut self, token: Token) -> Diagnostic {
        let text = self.text(token);
        let found = self.describe(token);
        let error = |message: String, help: &str| Diagnostic::error(codes::STRAY, token.span(), message).help(help);
        match text[0] {
            b'.' => error(
                format!("{found} begins nothing in PTX"),
                "a dot begins a modifier, a type or a number, without a space behind it; between operands stands `,`",
            ),
            b'#' => self.hash(token),
            b'`' if text.starts_with(b"```") => {
                self.lexer.pass_line();
                error(format!("{found} begins nothing in PTX"), "remove the lines with ```: they are Markdown")
            }
            b'\\' => error(format!("{found} begins nothing in PTX"), "remove it: statements may go on over lines"),
            _ => match String::from_utf8_lossy(&text[..text.len().min(4)]).chars().next() {
                Some('\u{feff}') => {
                    let message = "the file begins with a byte order mark (U+FEFF)".to_owned();
                    error(message, "save it without one: PTX is plain ASCII")
                }
                Some('\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}') => {
                    error(format!("{found} begins nothing in PTX"), "remove this invisible character")
                }
                Some(character) => match LOOKALIKES.iter().find(|(known, _)| *known == character) {
                    Some((_, " ")) => error(format!("{found} begins nothing in PTX"), "write a space"),
                    Some((_, plain)) => error(format!("{found} begins nothing in PTX"), &format!("write `{plain}`")),
                    None => Diagnostic::error(codes::STRAY, token.span(), format!("{found} begins nothing in PTX")),
                },
                None => Diagnostic::error(codes::STRAY, token.span(), format!("{found} begins nothing in PTX")),
            },
        }
    }

    /// `#` before a number, a comment or a line for a preprocessor.
    fn hash(&mut self, token: Token) -> Diagnostic {
        let line = self.bytes[token.start as usize + 1..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = &line[..line.len().min(60)];
        if line.first().is_some_and(u8::is_ascii_digit) || line.starts_with(b"-") {
            let digits = line.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
            let number = String::from_utf8_lossy(&line[..digits]).into_owned();
            let error = Diagnostic::error(codes::STRAY, token.span(), "`#` begins no number in PTX");
            return error.help(format!("write `{number}`"));
        }
        self.lexer.pass_line();
        let word = line.trim_ascii_start().split(|byte| !byte.is_ascii_alphabetic()).next().unwrap_or_default();
        if PREPROCESSOR.iter().any(|known| known.as_bytes() == word) {
            let error = Diagnostic::error(codes::STRAY, token.span(), "PTX has no preprocessor");
            return error.help("run the text through one first, such as `cpp -P`, or remove the line");
        }
        Diagnostic::error(codes::STRAY, token.span(), "`#` begins no comment in PTX").help("write `//`, or `/*` and `*/`")
    }

    /// What to do about the token at hand, which does not belong there, if many make that mistake.
    #[cold]
    pub(super) fn remedy(&self) -> Option<String> {
        let text = self.text(self.token);
        let shown = String::from_utf8_lossy(&text[..text.len().min(40)]);
        match self.token.kind {
            Kind::Percent => Some("one `%` stands before the name of a register; `%%` is for inline assembly in C++".to_owned()),
            Kind::Colon if self.previous_end == self.token.start => Some(
                "the words of an instruction are joined by `.`, as in `mbarrier.arrive`; `::` stands within a modifier only"
                    .to_owned(),
            ),
            Kind::Equals => Some("nothing is assigned with `=`: the result is the first operand of an instruction".to_owned()),
            Kind::Identifier if directive(text).is_some() || directive::type_name(text).is_some() => {
                Some(format!("write it with a dot, `.{shown}`"))
            }
            Kind::Identifier => foreign_type(&shown).map(|own| format!("write `{own}`")),
            Kind::LeftParenthesis => Some(
                "an address stands in brackets, `[a+4]`; the arguments of a call stand behind a comma, `call f, (a)`".to_owned(),
            ),
            _ => None,
        }
    }

    /// Operands in parentheses, as a function in C has them.
    #[cold]
    pub(super) fn operands_in_parentheses(&mut self) -> Reported {
        let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), "operands stand without parentheses");
        self.syntax_error(error.help("write `opcode a, b;`; what depends on a condition has a guard before it, `@%p`"))
    }

    /// Passes a semicolon behind a part of the header, which has none.
    pub(super) fn no_semicolon(&mut self) {
        if self.at(Kind::Semicolon) {
            let error = Diagnostic::error(codes::HEADER, self.token.span(), "no `;` ends this directive");
            self.syntax_error(error.help("remove it"));
            self.advance();
        }
    }

    /// A register or constant that is added to an address.
    #[cold]
    pub(super) fn no_offset(&mut self) -> Reported {
        let found = self.describe(self.token);
        let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), "the offset of an address is a constant");
        self.syntax_error(error.help(format!("add {found} to the address in a register first, and write that register here")))
    }
}

/// The type that other languages call so, with its dot, if declarations may have it.
pub(super) fn foreign_type(name: &str) -> Option<&'static str> {
    let own = isa::Table::get().ok()?.foreign(name).filter(|own| own.starts_with('.'))?;
    directive::type_name(&own.as_bytes()[1..]).map(|_| own)
}

/// Where a directive belongs that stands somewhere else.
pub(super) fn proper_place(directive: Directive) -> Option<&'static str> {
    match directive {
        Directive::Tuning(_) => Some("write it between the parameters of a function and its body"),
        Directive::Loc(_) | Directive::BranchTargets | Directive::CallTargets | Directive::Prototype => {
            Some("write it in the body of a function")
        }
        Directive::File | Directive::Section | Directive::Alias | Directive::IntermediateSource => {
            Some("write it outside of functions")
        }
        Directive::Version | Directive::Target | Directive::AddressSize => Some("write it at the start of the module"),
        Directive::Space(_) => Some("declare variables outside of functions or in their bodies"),
        Directive::Align => Some("write it between the state space and the type of a variable"),
        Directive::Pointer => Some("write it behind the type of a kernel's parameter"),
        _ => None,
    }
}

/// Where an address with a number subtracted stands, how it is written.
pub(super) fn added(number: &[u8]) -> String {
    let number = String::from_utf8_lossy(&number[..number.len().min(40)]);
    format!("write `+-{number}`")
}
