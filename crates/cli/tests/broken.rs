//! Variants of the examples that lack one step, such as a wait or a fence: `lockstep test` must find each of them wrong, and point at the line where that
//! shows, which tests/broken/lines.txt names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/broken")
}

/// The line of each kernel where its mistake shows, and the opcode that stands there.
fn lines() -> BTreeMap<String, (usize, String)> {
    let text = std::fs::read_to_string(folder().join("lines.txt")).unwrap_or_else(|e| panic!("{e}"));
    let entry = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let [name, number, opcode] = std::array::from_fn(|_| words.next().unwrap_or_default());
        (name, (number.parse().unwrap_or_else(|e| panic!("{line}: {e}")), opcode))
    };
    text.lines().filter(|line| !line.starts_with('#')).map(entry).collect()
}

fn launch_files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).unwrap_or_else(|e| panic!("{e}"));
    let mut files: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    files.sort();
    assert!(!files.is_empty());
    files
}

#[test]
fn a_missing_step_is_found() {
    let mut unseen = Vec::new();
    let lines = lines();
    let files = launch_files();
    assert_eq!(files.len(), lines.len(), "lines.txt names other kernels than there are");
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (line, opcode) = lines.get(&name).unwrap_or_else(|| panic!("lines.txt does not name {name}"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
        command.arg("test").arg(&file).args(["--timeout", "60"]);
        let output = command.output().unwrap_or_else(|e| panic!("{e}"));
        let text = String::from_utf8_lossy(&output.stdout);
        // What cannot be read or started is no finding.
        let started = !text.contains("unreadable") && !text.contains("not executable yet");
        let points = text.lines().any(|shown| shown.trim_start().starts_with(&format!("{line} |")) && shown.contains(opcode));
        if output.status.code() != Some(1) || !text.starts_with("FAILED") || !started || !points {
            unseen.push(format!("{}:\n{text}{}", file.display(), String::from_utf8_lossy(&output.stderr)));
        }
    }
    assert!(unseen.is_empty(), "{} are not found wrong\n{}", unseen.len(), unseen.join("\n"));
}
