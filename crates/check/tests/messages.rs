//! Checks the files of tests/check and compares the diagnostics, as people read them, with what is expected.

#[path = "../../ptx/tests/support/golden.rs"]
#[allow(dead_code, reason = "what other tests need of it")]
mod golden;

use diagnostics::{Diagnostic, Source, render_text};
use std::path::Path;

fn diagnostics(input: &Path) -> (Source, Vec<Diagnostic>) {
    let table = isa::Table::get().unwrap_or_else(|problems| panic!("{problems}"));
    let name = input.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let source = Source::from_bytes(name, std::fs::read(input).expect("an input can be read"));
    let found = check::check(table, source.text(), None);
    (source, found)
}

#[test]
fn wrong_files_give_their_diagnostics() {
    golden::check(&golden::folder("check"), "stderr", |input| {
        let (source, found) = diagnostics(input);
        found.iter().map(|diagnostic| render_text(diagnostic, &source, false)).collect::<Vec<_>>().join("\n")
    });
}

#[test]
fn every_message_says_what_to_do() {
    let mut without = Vec::new();
    for input in golden::inputs(&golden::folder("check")) {
        let (_, found) = diagnostics(&input);
        assert!(!found.is_empty(), "{}: no diagnostic", input.display());
        without.extend(found.into_iter().filter(|d| d.help.is_none()).map(|d| format!("{}: {}", input.display(), d.message)));
    }
    assert!(without.is_empty(), "no remedy:\n{}", without.join("\n"));
}
