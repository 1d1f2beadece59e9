//! Diagnostics as JSON, for programs.

use crate::{Diagnostic, Label, Severity, Source};
use std::fmt::Write;

/// One diagnostic as a JSON object on one line: `file`, `severity` (error, warning, note), `code` (null if it has none),
/// `message`, `labels` (first the primary one; `start` and `end` are bytes from 0, `line` and `column` characters from 1), `notes`
/// and `help` (null if there is none).
pub fn render_json(diagnostic: &Diagnostic, source: &Source) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let code = (!diagnostic.code.is_empty()).then_some(diagnostic.code);
    format!(
        r#"{{"file":{},"severity":"{severity}","code":{},"message":{},"labels":[{}],"notes":[{}],"help":{}}}"#,
        string(source.name()),
        optional(code),
        string(&diagnostic.message),
        joined(diagnostic.labels.iter().map(|one| label(one, source))),
        joined(diagnostic.notes.iter().map(|note| string(note))),
        optional(diagnostic.help.as_deref()),
    )
}

fn label(label: &Label, source: &Source) -> String {
    let (start, end) = (source.position(label.span.start), source.position(label.span.end));
    format!(
        r#"{{"start":{},"end":{},"line":{},"column":{},"end_line":{},"end_column":{},"text":{}}}"#,
        label.span.start,
        label.span.end,
        start.line,
        start.column,
        end.line,
        end.column,
        string(&label.text)
    )
}

fn joined(values: impl Iterator<Item = String>) -> String {
    values.collect::<Vec<_>>().join(",")
}

fn optional(text: Option<&str>) -> String {
    text.map_or("null".to_string(), string)
}

/// A JSON string (RFC 8259, section 7).
fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\0'..' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(character));
            }
            _ => quoted.push(character),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    #[test]
    fn objects_are_complete() {
        let source = Source::new("a\"b.ptx", "ret\n  x");
        let diagnostic = Diagnostic::error("E0006", Span::new(6, 7), "tab\there").label("\u{1}é").help("\\");
        assert_eq!(
            render_json(&diagnostic, &source),
            concat!(
                r#"{"file":"a\"b.ptx","severity":"error","code":"E0006","message":"tab\there","#,
                r#""labels":[{"start":6,"end":7,"line":2,"column":3,"end_line":2,"end_column":4,"text":"\u0001é"}],"#,
                r#""notes":[],"help":"\\"}"#
            )
        );
    }
}
