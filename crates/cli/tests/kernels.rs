//! `lockstep test examples`: every example gives what numpy, exact fractions or a C reference computed.

use std::path::Path;
use std::process::Command;

#[test]
fn examples_give_what_is_expected() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.arg("test").arg(examples).args(["--timeout", "120"]);
    let output = command.output().unwrap_or_else(|e| panic!("{e}"));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
