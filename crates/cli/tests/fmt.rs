//! `lockstep fmt` rewrites files in place and standard input to standard output.

use std::io::Write;
use std::process::{Command, Stdio};

const BEFORE: &str = ".version 8.0\n.target sm_90\n.entry k( ) { // empty\nret; }\n";
const AFTER: &str = ".version 8.0\n.target sm_90\n.entry k()\n{ // empty\n    ret;\n}\n";

fn lockstep() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lockstep"))
}

#[test]
fn files_are_rewritten_in_place() {
    let file = std::env::temp_dir().join(format!("lockstep-fmt-{}.ptx", std::process::id()));
    std::fs::write(&file, BEFORE).expect("a file can be written");
    let status = |arguments: &[&str]| lockstep().arg("fmt").args(arguments).arg(&file).status().expect("it runs").code();
    assert_eq!(status(&["--check"]), Some(1));
    assert_eq!(status(&[]), Some(0));
    assert_eq!(std::fs::read_to_string(&file).expect("the file is still there"), AFTER);
    assert_eq!(status(&["--check"]), Some(0));
    std::fs::remove_file(&file).expect("the file can be removed");
}

#[test]
fn standard_input_goes_to_standard_output() {
    let mut child = lockstep().args(["fmt", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    child.stdin.take().expect("a pipe").write_all(BEFORE.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), AFTER);
}

#[test]
#[cfg(unix)]
fn a_rewritten_file_keeps_its_place_and_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = std::env::temp_dir().join(format!("lockstep-fmt-folder-{}", std::process::id()));
    std::fs::create_dir(&folder).expect("a folder can be made");
    let (file, link) = (folder.join("kernel.ptx"), folder.join("link.ptx"));
    std::fs::write(&file, BEFORE).expect("a file can be written");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).expect("permissions can be set");
    std::os::unix::fs::symlink(&file, &link).expect("a link can be made");
    let status = lockstep().arg("fmt").arg(&link).status().expect("it runs");
    assert!(status.success());
    assert_eq!(std::fs::read_to_string(&file).expect("the file is still there"), AFTER);
    assert_eq!(std::fs::metadata(&file).expect("it has metadata").permissions().mode() & 0o777, 0o640);
    assert!(std::fs::symlink_metadata(&link).expect("the link is still there").is_symlink());
    assert_eq!(std::fs::read_dir(&folder).expect("the folder can be read").count(), 2);
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}
