//! Variants of the examples that lack one step, such as a wait or a fence: `lockstep test` must find each of them wrong.

use std::path::{Path, PathBuf};
use std::process::Command;

fn launch_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/broken");
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{e}"));
    let mut files: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    files.sort();
    assert!(!files.is_empty());
    files
}

#[test]
fn a_missing_step_is_found() {
    let mut unseen = Vec::new();
    for file in launch_files() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
        command.arg("test").arg(&file).args(["--timeout", "60"]);
        let output = command.output().unwrap_or_else(|e| panic!("{e}"));
        let text = String::from_utf8_lossy(&output.stdout);
        // What cannot be read or started is no finding.
        let started = !text.contains("unreadable") && !text.contains("not executable yet");
        if output.status.code() != Some(1) || !text.starts_with("FAILED") || !started {
            unseen.push(format!("{}:\n{text}{}", file.display(), String::from_utf8_lossy(&output.stderr)));
        }
    }
    assert!(unseen.is_empty(), "{} are not found wrong\n{}", unseen.len(), unseen.join("\n"));
}
