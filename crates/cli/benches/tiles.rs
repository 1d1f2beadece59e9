//! How fast kernels copy boxes of tensors into shared memory, whole launches with their memory barrier objects: the launch files of benches/ptx.
//!
//! `cargo bench -p cli --bench tiles`. Best of several runs of the binary on one thread, GB/s by the kernel's own time. `cargo bench -p machine
//! --bench tensor` times the copies alone.

use std::path::Path;
use std::process::Command;

const FILES: [&str; 2] = ["tiles", "tiles_swizzled"];
const RUNS: usize = 5;
/// Bytes that each of them copies: so many boxes of 64 KB.
const BYTES: f64 = 16_000.0 * 65_536.0;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/ptx");
    for name in FILES {
        let file = folder.join(format!("{name}.toml"));
        match (0..RUNS).map(|_| seconds(&file)).collect::<Option<Vec<f64>>>() {
            Some(all) => println!("{name}\t{:.2} GB/s", BYTES / all.into_iter().fold(f64::INFINITY, f64::min) / 1e9),
            None => println!("{name}\tit does not run"),
        }
    }
}

/// What one run took.
fn seconds(file: &Path) -> Option<f64> {
    let run = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(["run", "--time", "--threads", "1"]).arg(file).output().ok()?;
    let text = String::from_utf8_lossy(&run.stderr).into_owned() + &String::from_utf8_lossy(&run.stdout);
    let (_, rest) = text.split_once(" thread instructions in ")?;
    rest.split(' ').next()?.parse().ok()
}
