//! `lockstep test` of the examples and of tests/kernels: each gives what numpy, exact fractions, Python or a C reference computed.

use std::path::Path;
use std::process::Command;

#[test]
fn examples_give_what_is_expected() {
    gives_what_is_expected("examples");
}

#[test]
fn kernels_give_what_is_expected() {
    gives_what_is_expected("tests/kernels");
}

fn gives_what_is_expected(folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.arg("test").arg(folder).args(["--timeout", "120"]);
    let output = command.output().unwrap_or_else(|e| panic!("{e}"));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
