//! The rules beyond single instructions against ptxas' verdicts in tests/verdicts/modules, which `cargo xtask oracle modules` remakes.

use check::snippet;
use std::path::Path;

#[test]
fn modules_are_judged_as_ptxas_does() {
    let table = isa::Table::get().unwrap_or_else(|problems| panic!("{problems}"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/verdicts/modules");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.unwrap_or_else(|e| panic!("{e}")).path();
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for case in snippet::cases(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display())) {
            count += 1;
            let found = check::check(table, &case.module(), None);
            let found: Vec<&diagnostics::Diagnostic> =
                found.iter().filter(|d| d.severity == diagnostics::Severity::Error).collect();
            let accepts = case.accepts.unwrap_or_else(|| panic!("{}: {} has not been judged", path.display(), case.title));
            if found.is_empty() == accepts && case.differs || found.is_empty() != accepts && !case.differs {
                let messages: Vec<&str> = found.iter().map(|d| &*d.message).collect();
                wrong.push(format!("{}:{}: {}: we say {messages:?}", path.display(), case.line + 1, case.heading()));
            }
        }
    }
    assert!(count > 2000, "only {count} cases");
    assert!(wrong.is_empty(), "{} of {count} differ\n{}", wrong.len(), wrong.join("\n"));
}
