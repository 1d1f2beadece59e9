//! The canonical layout: the same tokens, and laid out again the same text.

mod support;

use std::path::{Path, PathBuf};
use support::golden;

fn check(input: &Path) {
    let Ok(text) = std::fs::read_to_string(input) else { return };
    let formatted = ptx::format(&text);
    assert!(ptx::same_tokens(text.as_bytes(), formatted.as_bytes()), "{}: other tokens", input.display());
    if ptx::parse(&text).1.is_empty() {
        let tabs = |line: &str| line.starts_with('\t') && !formatted.contains("/*");
        assert!(!formatted.lines().any(tabs), "{}: is not laid out", input.display());
        assert!(ptx::parse(&formatted).1.is_empty(), "{}: does not parse any more", input.display());
        let again = ptx::format(&formatted);
        assert!(again == formatted, "{}: {}", input.display(), first_difference(&formatted, &again));
    }
}

fn first_difference(a: &str, b: &str) -> String {
    let differ = a.lines().zip(b.lines()).enumerate().find(|(_, (x, y))| x != y);
    differ.map_or("one is longer".to_owned(), |(at, (x, y))| format!("line {} is `{x}`, then `{y}`", at + 1))
}

#[test]
fn examples_keep_their_tokens() {
    for folder in [golden::folder("../examples"), golden::folder("parse/ptx"), golden::folder("kernels"), golden::folder("cli")] {
        golden::inputs_below(&folder).iter().for_each(|input| check(input));
    }
}

#[test]
fn one_layout_comes_out() {
    golden::check(&golden::folder("format"), "out", |input: &Path| {
        check(input);
        ptx::format(&std::fs::read_to_string(input).expect("an input is text"))
    });
}

#[test]
#[ignore = "LOCKSTEP_CORPUS names a folder of compiler output"]
fn a_corpus_keeps_its_tokens() {
    let folder = PathBuf::from(std::env::var_os("LOCKSTEP_CORPUS").expect("LOCKSTEP_CORPUS names a folder"));
    golden::inputs_below(&folder).iter().for_each(|input| check(input));
}
