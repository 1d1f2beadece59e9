//! Times the kernels of benches/ side by side: Lockstep, and their twins in C, pocl and oclgrind where those are installed.
//!
//! `cargo bench -p cli --bench kernels [-- NAME...]`. Best of three runs of the binary, the kernel's own time; seconds, and for Lockstep
//! millions of warp instructions a second. benches/README.md has recorded figures.

use std::path::{Path, PathBuf};
use std::process::Command;

const KERNELS: [&str; 6] = ["alu", "sgemm", "nbody", "mandelbrot", "reduction", "saxpy"];
const RUNS: usize = 3;

fn main() {
    // Cargo passes `--bench` along with the names.
    let named: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches");
    let names: Vec<&str> = KERNELS.into_iter().filter(|k| named.is_empty() || named.iter().any(|n| n == k)).collect();
    println!("Lockstep\tseconds\tM warp instructions/s\tseconds, 2 threads\tspeed-up");
    for name in &names {
        let file = folder.join("cu").join(format!("{name}.toml"));
        match (best(&file, "1"), best(&file, "2")) {
            (Ok((one, instructions)), Ok((two, _))) => {
                println!("{name}\t{one:.4}\t{:.1}\t{two:.4}\t{:.2}", instructions / one / 1e6, one / two);
            }
            (Err(why), _) | (_, Err(why)) => println!("{name}\t{why}"),
        }
    }
    println!();
    let twins = Command::new("python3").arg(folder.join("twins.py")).args(&names).status();
    if !twins.is_ok_and(|status| status.success()) {
        println!("the twins were not timed: they need python3 and gcc (see benches/twins.py)");
    }
}

/// The shortest time of a launch file, in seconds, and its warp instructions.
fn best(file: &PathBuf, threads: &str) -> Result<(f64, f64), String> {
    let mut best: Option<(f64, f64)> = None;
    for _ in 0..RUNS {
        let run = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(["run", "--time", "--threads", threads]).arg(file).output();
        let output = run.map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let timed = measured(&text).ok_or_else(|| text.lines().next().unwrap_or("no output").to_owned())?;
        best = Some(best.map_or(timed, |b| if timed.0 < b.0 { timed } else { b }));
    }
    best.ok_or_else(|| "not run".to_owned())
}

/// Reads `N warp instructions, ... in S s: ...`.
fn measured(text: &str) -> Option<(f64, f64)> {
    let line = text.lines().find(|l| l.contains(" warp instructions, "))?;
    let instructions = line.split(" warp").next()?.replace(',', "").parse().ok()?;
    let seconds = line.split(" in ").nth(1)?.split(' ').next()?.parse().ok()?;
    Some((seconds, instructions))
}
