//! Parses the files of tests/parse/ptx and compares trees and diagnostics with what is expected.

mod support;

use diagnostics::{Source, render_text};
use ptx::ast::{Constant, Init, Item, Variable};
use std::path::{Path, PathBuf};
use support::{dump::dump, golden};

#[test]
fn right_files_give_their_trees() {
    golden::check(&golden::folder("parse/ptx/ok"), "tree", |input| {
        let text = std::fs::read_to_string(input).expect("an input is text");
        let (module, diagnostics) = ptx::parse(&text);
        assert!(diagnostics.is_empty(), "{}: {diagnostics:?}", input.display());
        dump(&module)
    });
}

#[test]
fn wrong_files_give_their_diagnostics() {
    golden::check(&golden::folder("parse/ptx/err"), "stderr", |input| {
        let bytes = std::fs::read(input).expect("an input can be read");
        let (module, diagnostics) = ptx::parse_bytes(&bytes);
        assert!(!diagnostics.is_empty(), "{}: no diagnostic", input.display());
        let name = input.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        let source = Source::from_bytes(name, bytes);
        let rendered = diagnostics.iter().map(|diagnostic| render_text(diagnostic, &source, false));
        format!("{}\nwhat was read:\n{}", rendered.collect::<Vec<_>>().join("\n"), dump(&module))
    });
}

#[test]
fn printing_keeps_the_tree() {
    let folders = [golden::folder("../examples"), golden::folder("parse/ptx/ok")];
    let inputs: Vec<PathBuf> = folders.iter().flat_map(|folder| golden::inputs_below(folder)).collect();
    inputs.iter().for_each(|input| check_printing(input));
}

#[test]
#[ignore = "LOCKSTEP_CORPUS names a folder of compiler output"]
fn a_corpus_parses_and_prints() {
    let folder = std::env::var_os("LOCKSTEP_CORPUS").expect("LOCKSTEP_CORPUS names a folder");
    let inputs = golden::inputs_below(Path::new(&folder));
    assert!(!inputs.is_empty(), "no .ptx in {}", folder.display());
    let (right, wrong): (Vec<_>, Vec<_>) = inputs.iter().partition(|input| is_right(input));
    right.iter().for_each(|input| check_printing(input));
    println!("{} files keep their trees; refused, as ptxas should do: {wrong:#?}", right.len());
}

fn is_right(input: &Path) -> bool {
    ptx::parse_bytes(&std::fs::read(input).expect("an input can be read")).1.is_empty()
}

fn check_printing(input: &Path) {
    let text = std::fs::read_to_string(input).expect("an input is text");
    let (module, diagnostics) = ptx::parse(&text);
    assert!(diagnostics.is_empty(), "{}: {diagnostics:?}", input.display());
    let printed = ptx::print(&module, &text);
    let (again, diagnostics) = ptx::parse(&printed);
    assert!(diagnostics.is_empty(), "{}: {diagnostics:?}", input.display());
    assert!(dump(&module) == dump(&again), "{} changes:\n{printed}", input.display());
    assert!(ptx::print(&again, &printed) == printed, "{} has two layouts", input.display());
}

#[test]
fn constants_have_the_values_that_ptxas_gives_them() {
    let file = golden::folder("parse/ptx").join("constants.txt");
    let text = std::fs::read_to_string(file).expect("tests/parse/ptx/constants.txt is there");
    let lines = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" -> "));
    let mut compared = 0;
    for (expression, expected) in lines {
        let value = initial_value(expression);
        assert_eq!(value.map(|value| format!("{value:#x}")).as_deref(), Some(expected), "{expression}");
        compared += 1;
    }
    assert!(compared > 100, "only {compared} expressions");
}

/// The bits of an integer variable's initial value.
fn initial_value(expression: &str) -> Option<u64> {
    let text = format!(".version 9.0\n.target sm_90\n.global .u64 x = {expression};\n");
    let (module, _) = ptx::parse(&text);
    match module.items.first()? {
        Item::Variable(Variable { init: Some(Init::Value(Constant::Signed(value))), .. }) => Some(*value as u64),
        Item::Variable(Variable { init: Some(Init::Value(Constant::Unsigned(value))), .. }) => Some(*value),
        _ => None,
    }
}
