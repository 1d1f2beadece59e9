//! What commands print, and the exit status: the files of tests/cli.
//!
//! A file's first line is the command, executed in that folder; the rest is the expected outcome. `BLESS=1` rewrites it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// No command of these may take longer: a bad input never makes it hang.
const LIMIT: Duration = Duration::from_secs(120);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli")
}

/// Runs a command line; `None` if it does not end.
fn run(line: &str) -> Option<Output> {
    let words = line.strip_prefix("$ lockstep ").unwrap_or_else(|| panic!("`{line}` is not `$ lockstep ...`")).split_whitespace();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.args(words).current_dir(folder()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|e| panic!("{line}: {e}"));
    let start = Instant::now();
    while child.try_wait().is_ok_and(|status| status.is_none()) {
        if start.elapsed() > LIMIT {
            child.kill().unwrap_or_else(|e| panic!("{line}: {e}"));
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Some(child.wait_with_output().unwrap_or_else(|e| panic!("{line}: {e}")))
}

fn outcome(line: &str) -> String {
    let Some(output) = run(line) else { return format!("{line}\nit does not end\n") };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let status = output.status.code().map_or("ended by a signal".to_owned(), |code| format!("exit status {code}"));
    let mut outcome = format!("{line}\n{status}\n");
    for (name, bytes) in [("output", &output.stdout), ("errors", &output.stderr)] {
        if !bytes.is_empty() {
            outcome += &format!("--- {name}\n{}", text(bytes));
        }
    }
    outcome
}

#[test]
fn commands_print_what_is_expected() {
    let entries = std::fs::read_dir(folder()).unwrap_or_else(|e| panic!("{e}"));
    let mut files: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "txt"));
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = Vec::new();
    for file in files {
        let expected = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let found = outcome(expected.lines().next().unwrap_or(""));
        assert!(!found.contains("panicked at"), "{found}");
        if found == expected {
            continue;
        }
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, &found).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        } else {
            wrong.push(format!("{}:\nexpected\n{expected}\nfound\n{found}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{} differ (BLESS=1 accepts what is found)\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_code_is_explained() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = vec![root];
    let mut missing = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{e}")).flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") && path.components().any(|c| c.as_os_str() == "src") {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                for quoted in text.split('"').filter(|q| q.len() == 5 && q.starts_with("E0")) {
                    let number = quoted[1..].bytes().all(|b| b.is_ascii_digit());
                    if number && lockstep::codes::explanation(quoted).is_none() {
                        missing.push(quoted.to_owned());
                    }
                }
            }
        }
    }
    assert!(missing.is_empty(), "no explanation of {missing:?}");
}
