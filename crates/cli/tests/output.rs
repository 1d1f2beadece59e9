//! What a command does when standard output takes nothing more.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::process::{Command, Output, Stdio};

fn lockstep(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.args(words).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).stderr(Stdio::piped());
    command
}

fn into(output: File, words: &[&str]) -> Output {
    lockstep(words).stdout(output).output().unwrap_or_else(|e| panic!("{words:?}: {e}"))
}

const COMMANDS: [&[&str]; 8] = [
    &["eval", "add.s32", "1", "2"],
    &["explain", "dp2a"],
    &["inspect", "examples/saxpy/saxpy.ptx"],
    &["check", "examples/saxpy/saxpy.ptx"],
    &["run", "examples/saxpy/launch.toml"],
    &["run", "examples/saxpy/launch.toml", "--format", "json"],
    &["test", "examples/saxpy"],
    &["--help"],
];

#[test]
fn a_full_device_is_an_error() {
    for words in COMMANDS {
        let full = File::options().write(true).open("/dev/full").unwrap_or_else(|e| panic!("/dev/full: {e}"));
        let output = into(full, words);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {errors}");
        assert!(errors.contains("cannot write to standard output"), "{words:?}: {errors}");
    }
}

#[test]
fn a_closed_pipe_is_none() {
    for words in COMMANDS {
        let mut child = lockstep(words).stdout(Stdio::piped()).spawn().unwrap_or_else(|e| panic!("{words:?}: {e}"));
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap_or_else(|e| panic!("{words:?}: {e}"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.is_empty(), "{words:?}: {:?} {errors}", output.status);
    }
}

#[test]
fn a_long_listing_ends_with_its_reader() {
    use std::io::{Read, Write};
    let words = ["disasm", "-", "--target", "gfx900"];
    let mut child = lockstep(&words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap_or_else(|e| panic!("{e}"));
    let mut input = child.stdin.take().expect("it is piped");
    // s_nop 0, half a million times: a second's work, and more than a pipe holds.
    input.write_all(&[0, 0, 0x80, 0xbf].repeat(1 << 19)).unwrap_or_else(|e| panic!("{e}"));
    drop(input);
    let mut output = child.stdout.take().expect("it is piped");
    output.read_exact(&mut [0; 64]).unwrap_or_else(|e| panic!("{e}"));
    drop(output);
    let output = child.wait_with_output().unwrap_or_else(|e| panic!("{e}"));
    // The count of instructions stands behind a listing that is read to its end.
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{:?} {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn json_says_which_expectations_do_not_hold() {
    let output = lockstep(&["run", "tests/cli/unmet.toml", "--format", "json"]).output().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}"));
    let unmet: Vec<&str> = json["unmet"].as_array().into_iter().flatten().filter_map(|why| why.as_str()).collect();
    assert!(matches!(unmet[..], [first, second] if first.contains("printf") && second.contains("`data`")), "{unmet:?}");
}
