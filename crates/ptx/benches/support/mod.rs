//! What the benchmarks of reading and judging PTX share: their texts and their clock.

use std::path::Path;
use std::time::Instant;

/// Bytes of compiler output that are read.
pub const SIZE: usize = 20_000_000;

/// The shortest time of several runs, in seconds of this thread where Linux tells.
pub fn best(runs: usize, run: impl Fn()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let (clock, processor) = (Instant::now(), processor_seconds());
        run();
        let elapsed = clock.elapsed().as_secs_f64();
        best = best.min(processor_seconds().zip(processor).map_or(elapsed, |(end, start)| end - start));
    }
    best
}

fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

/// The PTX of the repository's examples, in an order that does not depend on the file system.
pub fn example_sources() -> Vec<String> {
    let mut sources = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut sources);
    assert!(!sources.is_empty(), "no .ptx under examples/");
    sources.sort();
    sources
}

fn collect(folder: &Path, sources: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            sources.extend(std::fs::read_to_string(&path));
        }
    }
}
