//! Times the kernels of benches/ side by side: Lockstep on PTX and on machine code for gfx1100, their twins in C, pocl and oclgrind where those are
//! installed, and ptoxide.
//!
//! `cargo bench -p cli --bench kernels [-- NAME...]`. Best of three runs of the binary, the kernel's own time; seconds, and for Lockstep
//! millions of warp and thread instructions a second. benches/README.md has recorded figures.

use std::path::{Path, PathBuf};
use std::process::Command;

const KERNELS: [&str; 7] = ["alu", "sgemm", "nbody", "mandelbrot", "reduction", "saxpy", "dot_product"];
const RUNS: usize = 5;

fn main() {
    // Cargo passes `--bench` along with the names.
    let named: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches");
    let names: Vec<&str> = KERNELS.into_iter().filter(|k| named.is_empty() || named.iter().any(|n| n == k)).collect();
    println!("Lockstep\tseconds\tM warp instructions/s\tM thread instructions/s\tseconds, 2 threads\tspeed-up");
    for name in &names {
        let file = folder.join("cu").join(format!("{name}.toml"));
        match (best(&file, "1"), best(&file, "2")) {
            (Ok(one), Ok(two)) => {
                let Timed { seconds, warp, thread } = one;
                let (warp, thread) = (warp / seconds / 1e6, thread / seconds / 1e6);
                println!("{name}\t{seconds:.4}\t{warp:.1}\t{thread:.0}\t{:.4}\t{:.2}", two.seconds, seconds / two.seconds);
            }
            (Err(why), _) | (_, Err(why)) => println!("{name}\t{why}"),
        }
    }
    println!();
    println!("gfx1100\tseconds\tM wave instructions/s\ttimes PTX");
    for name in &names {
        let [ptx, amd] = ["cu", "amd"].map(|kind| best(&folder.join(kind).join(format!("{name}.toml")), "1"));
        match (ptx, amd) {
            (Ok(ptx), Ok(amd)) => {
                let (rate, times) = (amd.warp / amd.seconds / 1e6, amd.seconds / ptx.seconds);
                println!("{name}\t{:.4}\t{rate:.1}\t{times:.2}", amd.seconds);
            }
            (Err(why), _) | (_, Err(why)) => println!("{name}\t{why}"),
        }
    }
    println!();
    let mut twins = Command::new("python3");
    twins.arg(folder.join("twins.py")).args(&names).env("LOCKSTEP", env!("CARGO_BIN_EXE_lockstep"));
    let twins = twins.status();
    if !twins.is_ok_and(|status| status.success()) {
        println!("the twins were not timed: they need python3 and gcc (see benches/twins.py)");
    }
}

/// What a run did.
struct Timed {
    seconds: f64,
    /// Warp and thread instructions.
    warp: f64,
    thread: f64,
}

/// The run of a launch file with the shortest time.
fn best(file: &PathBuf, threads: &str) -> Result<Timed, String> {
    let mut best: Option<Timed> = None;
    for _ in 0..RUNS {
        let run = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(["run", "--time", "--threads", threads]).arg(file).output();
        let output = run.map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let timed = measured(&text).ok_or_else(|| text.lines().next().unwrap_or("no output").to_owned())?;
        best = best.filter(|b| b.seconds <= timed.seconds).or(Some(timed));
    }
    best.ok_or_else(|| "not run".to_owned())
}

/// Reads `N warp instructions, N thread instructions in S s: ...`.
fn measured(text: &str) -> Option<Timed> {
    let line = text.lines().find(|l| l.contains(" warp instructions, "))?;
    let number = |text: &str| text.replace(',', "").parse().ok();
    let (warp, rest) = line.split_once(" warp instructions, ")?;
    let (thread, rest) = rest.split_once(" thread instructions in ")?;
    Some(Timed { seconds: number(rest.split(' ').next()?)?, warp: number(warp)?, thread: number(thread)? })
}
