//! Ctrl-C ends a run and says where its warps stand.

#![cfg(unix)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn an_interrupt_says_where_warps_stand() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.args(["run", "faults.ptx", "loop", "--grid", "3", "--block", "96", "--timeout", "60"]);
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cli")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|e| panic!("{e}"));
    let start = Instant::now();
    // An interrupt before the handler is there simply ends the process: wait until it has surely begun.
    std::thread::sleep(Duration::from_secs(2));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "kill");
    let status = child.wait().unwrap_or_else(|e| panic!("{e}"));
    let output = child.wait_with_output().unwrap_or_else(|e| panic!("{e}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(status.code(), Some(1), "{errors}");
    assert!(start.elapsed() < Duration::from_secs(30));
    for part in ["interrupted", "faults.ptx:96:5", "block (0, 0, 0), warp 0, 32 of its threads", "more groups like it"] {
        assert!(errors.contains(part), "`{part}` is missing: {errors}");
    }
}
