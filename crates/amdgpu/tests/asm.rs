//! The assembler's language on the cases of `tests/asm`, whose results are LLVM's: `cargo xtask oracle asm` remakes them.

mod support;

use support::{cases, dump, files, run};

#[test]
fn cases_give_what_llvm_gives() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        for case in cases(&text) {
            count += 1;
            let assembly = run(&case.text);
            let found = dump(&assembly, &case.text);
            if found != case.expected || case.expected.is_empty() {
                let messages: Vec<&str> = assembly.diagnostics.iter().map(|d| &*d.message).collect();
                wrong.push(format!(
                    "{}:{}: {}\nexpected\n{}\nfound\n{found}\n{messages:?}\n",
                    path.file_name().unwrap().to_string_lossy(),
                    case.line,
                    case.title,
                    case.expected
                ));
            }
        }
    }
    assert!(count > 150, "only {count} cases");
    assert!(wrong.is_empty(), "{} of {count} cases differ\n{}", wrong.len(), wrong.join("\n"));
}

/// The examples of E04xx: the wrong one gives that code and no other, the right one gives none.
#[test]
fn codes_are_what_their_examples_give() {
    let mut differ = Vec::new();
    let codes = |text: &str| -> Vec<&'static str> { run(text).diagnostics.iter().map(|d| d.code).collect() };
    for explanation in diagnostics::codes::all().iter().filter(|e| e.code.starts_with("E04")) {
        let (Some(wrong), Some(right)) = (&explanation.wrong, &explanation.right) else {
            differ.push(format!("{} has no examples", explanation.code));
            continue;
        };
        for (example, expected) in [(wrong, vec![explanation.code]), (right, Vec::new())] {
            let found = codes(example);
            if found != expected {
                differ.push(format!("{}: {example}\ngives {found:?}", explanation.code));
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
