//! Problems as SARIF 2.1.0, for code scanning (OASIS, Static Analysis Results Interchange Format).

use diagnostics::{Label, Severity, Source};
use lockstep::Problem;
use lockstep::codes::Explanation;
use serde_json::{Value, json};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A log of one run, with a rule for each code that was found.
pub fn log(problems: &[Problem]) -> String {
    let mut explained: Vec<&Explanation> =
        problems.iter().filter_map(|p| lockstep::codes::explanation(p.diagnostic.code)).collect();
    explained.sort_unstable_by_key(|e| e.code);
    explained.dedup_by_key(|e| e.code);
    let codes: Vec<&str> = explained.iter().map(|e| e.code).collect();
    let rules: Vec<Value> = explained.into_iter().map(rule).collect();
    // What has no code is no finding in a file, but says that one could not be read, or that there is more.
    let (found, told): (Vec<&Problem>, Vec<&Problem>) = problems.iter().partition(|p| !p.diagnostic.code.is_empty());
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "lockstep", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": !told.iter().any(|p| p.is_error()),
                "toolExecutionNotifications": told.into_iter().map(message).collect::<Vec<_>>(),
            }],
            "results": found.into_iter().map(|p| result(p, &codes)).collect::<Vec<_>>(),
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

/// The level, the text and the places of a problem: a result has them, and a notification.
fn message(problem: &Problem) -> Value {
    let diagnostic = &problem.diagnostic;
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let text: Vec<&str> =
        std::iter::once(&diagnostic.message).chain(&diagnostic.notes).chain(&diagnostic.help).map(String::as_str).collect();
    let mut message = json!({ "level": level, "message": { "text": text.join("; ") } });
    let name = problem.source.name();
    if let Some(first) = diagnostic.labels.first() {
        message["locations"] = json!([location(first, &problem.source)]);
    } else if !name.is_empty() {
        // Who shows results of files wants a line; of a whole file it is the first.
        let place = json!({ "artifactLocation": { "uri": uri(name) }, "region": { "startLine": 1 } });
        message["locations"] = json!([{ "physicalLocation": place }]);
    }
    message
}

fn result(problem: &Problem, codes: &[&str]) -> Value {
    let diagnostic = &problem.diagnostic;
    let mut result = message(problem);
    if let Ok(index) = codes.binary_search(&diagnostic.code) {
        result["ruleId"] = json!(diagnostic.code);
        result["ruleIndex"] = json!(index);
    }
    let related: Vec<Value> = diagnostic.labels.iter().skip(1).map(|label| location(label, &problem.source)).collect();
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

/// A path as a reference (RFC 3986), a whole one as the URI of a file: what may not stand in one is written as %XX.
fn uri(path: &str) -> String {
    let path = if path == "-" { "stdin" } else { path };
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
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
        assert_eq!(run["results"].as_array().map(Vec::len), Some(1));
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], true);
        let told = &invocation["toolExecutionNotifications"][0];
        assert_eq!((&told["message"]["text"], &told["level"]), (&json!("and 2 more errors"), &json!("note")));
        assert_eq!(told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20b/c.ptx");
    }

    /// What shows results wants a place for each.
    #[test]
    fn every_result_has_a_place() {
        let of = |name: &str, diagnostic| Problem { diagnostic, source: Arc::new(Source::new(name, "")) };
        let empty =
            of("/a/b.ptx", Diagnostic { labels: Vec::new(), ..Diagnostic::error("E0001", Span::new(0, 0), "it is empty") });
        let unread = of("c.ptx", Diagnostic { labels: Vec::new(), ..Diagnostic::error("", Span::new(0, 0), "cannot read it") });
        let log: Value = serde_json::from_str(&log(&[empty, unread])).expect("it is JSON");
        let run = &log["runs"][0];
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(*place, json!({ "artifactLocation": { "uri": "file:///a/b.ptx" }, "region": { "startLine": 1 } }));
        assert_eq!(run["results"].as_array().map(Vec::len), Some(1));
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        let place = &invocation["toolExecutionNotifications"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "c.ptx");
    }

    /// The text of every diagnostic that there is, and what sarif-schema-2.1.0 says of the objects that a log has.
    #[test]
    fn a_log_of_everything_is_as_the_schema_says() {
        let source = Arc::new(Source::new("\u{e4}%20 b.ptx", "r\u{e4}t\n"));
        let codes = lockstep::codes::all().iter().map(|e| e.code);
        let spans = [Span::new(0, 1), Span::new(1, 3), Span::new(4, 4), Span::new(5, 5)];
        let found = codes.flat_map(|code| spans.map(|span| Diagnostic::error(code, span, "m").also(span, "").also(span, "x")));
        let problems: Vec<Problem> = found.map(|diagnostic| Problem { diagnostic, source: source.clone() }).collect();
        let log: Value = serde_json::from_str(&log(&problems)).expect("it is JSON");
        keys(&log, &["$schema", "version", "runs"]);
        let run = &log["runs"][0];
        keys(run, &["tool", "columnKind", "invocations", "results"]);
        keys(&run["invocations"][0], &["executionSuccessful", "toolExecutionNotifications"]);
        let rules = run["tool"]["driver"]["rules"].as_array().expect("an array");
        let ids: std::collections::HashSet<_> = rules.iter().map(|r| r["id"].as_str().expect("a string")).collect();
        assert_eq!(ids.len(), rules.len(), "rules are unique");
        for result in run["results"].as_array().expect("an array") {
            keys(result, &["level", "message", "ruleId", "ruleIndex", "locations", "relatedLocations"]);
            let rule = &rules[result["ruleIndex"].as_u64().expect("an index") as usize];
            keys(rule, &["id", "shortDescription", "fullDescription", "help"]);
            assert_eq!(rule["id"], result["ruleId"]);
            for location in ["locations", "relatedLocations"].iter().flat_map(|l| result[l].as_array().expect("an array")) {
                keys(location, &["physicalLocation", "message"]);
                let place = &location["physicalLocation"];
                keys(place, &["artifactLocation", "region"]);
                assert_eq!(place["artifactLocation"]["uri"], "%C3%A4%2520%20b.ptx");
                let region = place["region"].as_object().expect("an object");
                assert!(region.values().all(|n| n.as_u64() >= Some(1)), "lines and columns count from 1");
                assert!(
                    region["endLine"].as_u64() > region["startLine"].as_u64()
                        || region["endColumn"].as_u64() >= region["startColumn"].as_u64()
                );
            }
        }
    }

    /// The schema allows no other properties.
    fn keys(object: &Value, allowed: &[&str]) {
        let object = object.as_object().expect("an object");
        assert!(object.keys().all(|key| allowed.contains(&&**key)), "{:?}", object.keys());
    }
}
