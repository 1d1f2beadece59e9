//! What has been found so far, up to a limit, with places in expansions told in terms of the file.

use super::symbol::Place;
use super::{Assembler, Buffer};
use diagnostics::{Diagnostic, Label, Severity, Span};

/// Diagnostics that one file may have; more are counted only.
const SHOWN: usize = 100;
/// Of expansions in one another so many are told.
const SHOWN_CALLS: usize = 8;

#[derive(Default)]
pub(crate) struct Report {
    diagnostics: Vec<Diagnostic>,
    unshown: usize,
}

impl Report {
    fn push(&mut self, make: impl FnOnce() -> Diagnostic) {
        if self.diagnostics.len() < SHOWN {
            self.diagnostics.push(make());
        } else {
            self.unshown += 1;
        }
    }

    /// The diagnostics, and a note that says how many more there are.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        if self.unshown > 0 {
            self.diagnostics.push(Diagnostic::more(self.unshown, "errors"));
        }
        self.diagnostics
    }
}

impl Assembler<'_, '_> {
    /// Reports what is wrong with the text that is being read.
    #[cold]
    pub(crate) fn error(&mut self, diagnostic: Diagnostic) {
        self.error_at(self.pool.buffer, diagnostic);
    }

    /// Reports what is wrong with the file or one of its expansions.
    #[cold]
    pub(crate) fn error_at(&mut self, buffer: u32, diagnostic: Diagnostic) {
        let (buffers, main) = (&self.buffers, self.main);
        self.report.push(|| in_main(buffers, main, buffer, diagnostic));
    }

    /// Reports what deserves a look.
    #[cold]
    pub(crate) fn warn(&mut self, span: Span, message: impl Into<String>, help: &str) {
        let diagnostic = Diagnostic::error("", span, message).help(help);
        self.error(Diagnostic { severity: Severity::Warning, ..diagnostic });
    }

    /// A span of what is being read as one of the file.
    pub(crate) fn in_file(&self, span: Span) -> Span {
        origin(&self.buffers, self.main, self.place(span)).0
    }
}

/// The diagnostic with places in the file.
fn in_main(buffers: &[Buffer], main: &str, buffer: u32, mut diagnostic: Diagnostic) -> Diagnostic {
    if buffer == 0 {
        return diagnostic;
    }
    let mut expanded = None;
    for label in &mut diagnostic.labels {
        let (span, line) = origin(buffers, main, Place { buffer, span: label.span });
        label.span = span;
        expanded = expanded.or(line);
    }
    if let Some(line) = expanded {
        diagnostic.notes.push(line);
    }
    let (mut at, mut depth) = (buffer, 0);
    while let Some(expansion) = buffer_at(buffers, at) {
        // The innermost ones, and the outermost, which stands in the file.
        if depth < SHOWN_CALLS || expansion.call.buffer == 0 {
            let (span, _) = origin(buffers, main, expansion.call);
            diagnostic.labels.push(Label { span, text: format!("in {}", expansion.what) });
        }
        (at, depth) = (expansion.call.buffer, depth + 1);
    }
    diagnostic.labels.dedup_by(|b, a| a.span == b.span && a.text == b.text);
    diagnostic
}

fn buffer_at(buffers: &[Buffer], buffer: u32) -> Option<&Buffer> {
    buffers.get((buffer as usize).checked_sub(1)?)
}

/// Where the text of a place comes from in the file; with a note of the line as it reads in the expansion, where
/// that differs.
fn origin(buffers: &[Buffer], main: &str, mut place: Place) -> (Span, Option<String>) {
    let mut reads = None;
    while let Some(expansion) = buffer_at(buffers, place.buffer) {
        let (line, number) = line_at(&expansion.text, place.span.start);
        let Some((body, lines)) = expansion.body else {
            // Of another file only the line can be told.
            let text = shortened(line.text(&expansion.text).trim());
            reads.get_or_insert_with(|| format!("it reads {}:{}: `{text}`", expansion.what, number + 1));
            place = expansion.call;
            continue;
        };
        let body_text = buffer_at(buffers, body.buffer).map_or(main, |outer| &outer.text);
        let source = nth_line(body_text, body.span, number % lines);
        let same = source.text(body_text) == line.text(&expansion.text);
        if !same && reads.is_none() {
            reads = Some(format!("it reads `{}` there", shortened(line.text(&expansion.text).trim())));
        }
        let span = if same {
            let end = place.span.end.min(line.end).max(place.span.start);
            Span::new(source.start + (place.span.start - line.start), source.start + (end - line.start))
        } else {
            trimmed(source, body_text)
        };
        place = Place { buffer: body.buffer, span };
    }
    (place.span, reads)
}

/// The line around a byte, and how many lines stand before it.
fn line_at(text: &str, at: u32) -> (Span, u32) {
    let bytes = text.as_bytes();
    let at = (at as usize).min(bytes.len());
    let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |len| at + len);
    let number = bytes[..start].iter().filter(|byte| **byte == b'\n').count();
    (Span::new(start as u32, end as u32), number as u32)
}

/// A line of a part of a text.
fn nth_line(text: &str, part: Span, number: u32) -> Span {
    let mut start = part.start;
    for (at, line) in part.text(text).split('\n').enumerate() {
        let end = start + line.len() as u32;
        if at as u32 == number {
            return Span::new(start, end);
        }
        start = end + 1;
    }
    part
}

fn trimmed(span: Span, text: &str) -> Span {
    let line = span.text(text);
    let start = span.start + (line.len() - line.trim_start().len()) as u32;
    Span::new(start, start + line.trim().len() as u32)
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(80) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_string(),
    }
}
