//! Diagnostics as plain data, and their renderings.
//!
//! A [`Diagnostic`] says where something is wrong, which rule it breaks and what to do about it. Every
//! crate makes them; only the command line prints them. Nothing here knows PTX, AMD code or terminals'
//! capabilities.

pub mod codes;
mod json;
mod source;
mod text;

pub use json::render_json;
pub use source::{Position, Source, text_of};
pub use text::render_text;

/// A half-open byte range of one [`Source`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to but not including `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Span { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The spanned bytes of `source`; empty where the span lies outside it.
    pub fn bytes(self, source: &[u8]) -> &[u8] {
        source.get(self.start as usize..self.end as usize).unwrap_or(&[])
    }

    /// The spanned text of `source`; empty where the span lies outside it or splits a character.
    pub fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The input is wrong.
    Error,
    /// The input works but deserves a look.
    Warning,
    /// For information.
    Note,
}

/// A place and what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What, in a few words; may be empty.
    pub text: String,
}

/// One message: place, rule, remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// Stable code such as `E0101`, explained by `lockstep explain`; empty if there is none.
    pub code: &'static str,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// The primary place first, then related ones; empty where the input as a whole is meant.
    pub labels: Vec<Label>,
    /// Why: the rule, and since which version or on which targets it holds.
    pub notes: Vec<String>,
    /// What to write or do instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A note that so many more of something were found than are shown.
    pub fn more(count: usize, what: &str) -> Self {
        let message = format!("and {} more {what}", grouped(count as u64));
        Diagnostic { severity: Severity::Note, code: "", message, labels: Vec::new(), notes: Vec::new(), help: None }
    }

    /// An error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            labels: vec![Label { span, text: String::new() }],
            notes: Vec::new(),
            help: None,
        }
    }

    /// A warning about a place.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// The same with a word at the primary place.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(first) = self.labels.first_mut() {
            first.text = text.into();
        }
        self
    }

    /// The same with a related place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// The same with a reason.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// The same with a remedy.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// 1234567 as `1,234,567`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped() {
        assert_eq!(Diagnostic::more(7, "errors").message, "and 7 more errors");
        assert_eq!(Diagnostic::more(1_234_567, "errors").message, "and 1,234,567 more errors");
    }
}
