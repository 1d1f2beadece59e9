//! Compilers' output that ptxas accepts is accepted: `LOCKSTEP_CORPUS` names a folder with a list `accepted.txt`, a path a line, and
//! perhaps a target behind a tab.

use diagnostics::Source;
use std::path::PathBuf;

#[test]
#[ignore = "LOCKSTEP_CORPUS names a folder of compiler output with a list accepted.txt"]
fn what_ptxas_accepts_is_accepted() {
    let table = isa::Table::get().unwrap_or_else(|problems| panic!("{problems}"));
    let folder = PathBuf::from(std::env::var_os("LOCKSTEP_CORPUS").expect("LOCKSTEP_CORPUS names a folder"));
    let list = std::fs::read_to_string(folder.join("accepted.txt")).expect("the folder has accepted.txt");
    let mut refused = Vec::new();
    for path in list.lines().filter_map(|line| line.split('\t').next()) {
        let bytes = std::fs::read(folder.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        let source = Source::from_bytes(path, bytes);
        let found = check::check(table, source.text(), None);
        refused.extend(found.first().map(|d| format!("{path}: {}", d.message)));
    }
    assert!(list.lines().count() > 0);
    assert!(refused.is_empty(), "{} files are refused\n{}", refused.len(), refused.join("\n"));
}
