//! Problems as SARIF 2.1.0, for code scanning (OASIS, Static Analysis Results Interchange Format).

use diagnostics::{Label, Severity, Source};
use lockstep::Problem;
use lockstep::codes::Explanation;
use serde_json::{Value, json};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A log of one run, with a rule for each code that was found.
pub fn log(problems: &[Problem]) -> String {
    let mut codes: Vec<&str> = problems.iter().map(|p| p.diagnostic.code).filter(|code| !code.is_empty()).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Value> = codes.iter().filter_map(|code| lockstep::codes::explanation(code)).map(rule).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "lockstep", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": problems.iter().map(|p| result(p, &codes)).collect::<Vec<_>>(),
        }],
    });
    format!("{log}\n")
}

fn rule(code: &Explanation) -> Value {
    json!({
        "id": code.code,
        "shortDescription": { "text": code.title },
        "fullDescription": { "text": code.text },
        "help": { "text": format!("lockstep explain {}", code.code) },
    })
}

fn result(problem: &Problem, codes: &[&str]) -> Value {
    let diagnostic = &problem.diagnostic;
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let text: Vec<&str> =
        std::iter::once(&diagnostic.message).chain(&diagnostic.notes).chain(&diagnostic.help).map(String::as_str).collect();
    let mut result = json!({ "level": level, "message": { "text": text.join("; ") } });
    if let Ok(index) = codes.binary_search(&diagnostic.code) {
        result["ruleId"] = json!(diagnostic.code);
        result["ruleIndex"] = json!(index);
    }
    let mut places = diagnostic.labels.iter().map(|label| location(label, &problem.source));
    if let Some(first) = places.next() {
        result["locations"] = json!([first]);
    }
    let related: Vec<Value> = places.collect();
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    result
}

fn location(label: &Label, source: &Source) -> Value {
    let (start, end) = (source.position(label.span.start), source.position(label.span.end));
    let region = json!({
        "startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column,
    });
    let mut location = json!({ "physicalLocation": { "artifactLocation": { "uri": uri(source.name()) }, "region": region } });
    if !label.text.is_empty() {
        location["message"] = json!({ "text": label.text });
    }
    location
}

/// A path as a relative reference (RFC 3986): what may not stand in one is written as %XX.
fn uri(path: &str) -> String {
    let path = if path == "-" { "stdin" } else { path };
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnostics::{Diagnostic, Span};
    use std::sync::Arc;

    #[test]
    fn what_the_schema_requires_is_there() {
        let source = Arc::new(Source::new("a b/c.ptx", "ret\n  x"));
        let diagnostic = Diagnostic::error("E0006", Span::new(6, 7), "wrong").also(Span::new(0, 3), "here").help("do so");
        let more = Diagnostic::more(2, "errors");
        let problems = [diagnostic, more].map(|diagnostic| Problem { diagnostic, source: source.clone() });
        let log: Value = serde_json::from_str(&log(&problems)).expect("it is JSON");
        // sarif-schema-2.1.0: a log requires version and runs, a run tool, a tool driver, a driver name, a result message, a rule id.
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["name"], "lockstep");
        assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "E0006");
        let result = &run["results"][0];
        assert_eq!((&result["ruleId"], &result["ruleIndex"], &result["level"]), (&json!("E0006"), &json!(0), &json!("error")));
        assert_eq!(result["message"]["text"], "wrong; do so");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b/c.ptx");
        assert_eq!(place["region"], json!({ "startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 4 }));
        assert_eq!(result["relatedLocations"][0]["message"]["text"], "here");
        assert_eq!(run["results"][1]["message"]["text"], "and 2 more errors");
        assert_eq!(run["results"][1]["level"], "note");
    }
}
