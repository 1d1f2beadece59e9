//! One-instruction tests: the examples of the table's records and the lines of tests/run.
//!
//! A line reads `OPCODE  operand=value ... -> result{, result}`; CONTRIBUTING.md describes it.

use std::path::{Path, PathBuf};

/// A line of a test or an example of a record.
pub struct Case {
    /// Where it stands.
    pub place: String,
    /// With its modifiers.
    pub opcode: String,
    /// Names and values.
    pub inputs: Vec<(String, String)>,
    /// The results as written.
    pub results: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The examples of all records.
pub fn examples() -> Vec<Case> {
    let table = lockstep::table().unwrap_or_else(|e| panic!("{e}"));
    let own = |text: &isa::Text| (*text).to_owned();
    let case = |record: &isa::Record, example: &isa::Example| {
        let source = &table.sources[example.place.source];
        Case {
            place: format!("isa/{}:{} ({})", source.name, source.line(example.place.span.start), record.name),
            opcode: own(&example.opcode),
            inputs: example.inputs.iter().map(|(n, v)| (own(n), own(v))).collect(),
            results: example.results.iter().map(own).collect(),
        }
    };
    table.records.iter().flat_map(|record| record.examples.iter().map(move |e| case(record, e))).collect()
}

/// The lines of all files of tests/run.
pub fn lines() -> Vec<Case> {
    let folder = root().join("tests/run/ptx");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "txt"));
    files.sort();
    files.iter().flat_map(|f| lines_of(f)).collect()
}

fn lines_of(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let code = text.lines().enumerate().map(|(i, line)| (i, line.split('#').next().unwrap_or("").trim()));
    let case = |(i, line): (usize, &str)| {
        let place = format!("{name}:{}", i + 1);
        let (call, results) = line.split_once("->").unwrap_or_else(|| panic!("{place}: `->` is missing"));
        let mut words = call.split_whitespace();
        let opcode = words.next().unwrap_or_else(|| panic!("{place}: no opcode")).to_owned();
        let input = |w: &str| {
            let (name, value) = w.split_once('=').unwrap_or_else(|| panic!("{place}: `{w}` is not NAME=VALUE"));
            (name.to_owned(), value.to_owned())
        };
        Case {
            opcode,
            inputs: words.map(input).collect(),
            results: results.split(',').map(|r| r.trim().to_owned()).collect(),
            place: place.clone(),
        }
    };
    code.filter(|(_, line)| !line.is_empty()).map(case).collect()
}
