//! The examples of every code that are PTX: the wrong one gives that code and no other, the right one gives none.

use check::snippet::{self, NEWEST};
use diagnostics::codes::all;

fn codes(example: &str) -> Vec<&'static str> {
    let table = isa::Table::get().unwrap_or_else(|problems| panic!("{problems}"));
    let text = snippet::module(example, NEWEST.0, NEWEST.1);
    check::check(table, &text, None).iter().map(|d| d.code).collect()
}

#[test]
fn wrong_examples_give_their_code_and_right_ones_none() {
    let mut differ = Vec::new();
    // E04xx and the faults of wavefronts have examples in AMD's assembly.
    let amd = |code: &str| code.starts_with("E04") || ["E0243", "E0244"].contains(&code);
    for explanation in all().iter().filter(|e| !amd(e.code)) {
        let (Some(wrong), Some(right)) = (&explanation.wrong, &explanation.right) else { continue };
        let found = codes(wrong);
        if found != [explanation.code] {
            differ.push(format!("{}: the wrong example gives {found:?}", explanation.code));
        }
        let found = codes(right);
        if !found.is_empty() {
            differ.push(format!("{}: the right example gives {found:?}", explanation.code));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn what_checking_reports_has_examples() {
    let reported = all().iter().filter(|e| e.code.starts_with("E01"));
    let without: Vec<&str> = reported.filter(|e| e.wrong.is_none()).map(|e| e.code).collect();
    assert!(without.is_empty(), "no example of {without:?}");
}
