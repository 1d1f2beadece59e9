//! Times asynchronous copies of ranges of 64 KB on one core, in both directions. (Those of boxes of tensors have a bench of their own, `tiles`.)
//!
//! `cargo bench -p cli --bench copies`. Best of five runs of the binary, the kernel's own time. benches/README.md has recorded figures.

use std::path::Path;
use std::process::Command;

const ROUNDS: u32 = 5000;
const RUNS: usize = 5;

fn main() {
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/copies.ptx");
    let cases = [("range to shared memory", "bulk"), ("range to global memory", "store")];
    for (name, kernel) in cases {
        let seconds = (0..RUNS).filter_map(|_| seconds(&module, kernel)).fold(f64::INFINITY, f64::min);
        println!("{name:30} {:6.2} GB/s", f64::from(ROUNDS) * 65536.0 / seconds / 1e9);
    }
}

/// The kernel's own time.
fn seconds(module: &Path, kernel: &str) -> Option<f64> {
    let mut run = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    run.arg("run").arg(module).args([
        kernel,
        "zeros:u8:65536",
        &ROUNDS.to_string(),
        "--block",
        "1",
        "--shared",
        "66000",
        "--time",
    ]);
    let output = run.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    text.split(" in ").nth(1)?.split(" s:").next()?.parse().ok()
}
