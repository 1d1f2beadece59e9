//! How fast the parser reads compiler output: the repository's example kernels over and over, each copy with its own
//! names of functions, as one module of 20 MB. Prints the best of 15 runs on one core, in time that the core spent on it where
//! the system tells, so that other work on the machine counts less.
//!
//!     cargo bench -p ptx

use std::path::Path;
use std::time::Instant;

const SIZE: usize = 20_000_000;
const RUNS: usize = 15;

fn main() {
    let sources = example_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"));
    assert!(!sources.is_empty(), "no .ptx under examples/");
    let module = concatenate(&sources);
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let (clock, processor) = (Instant::now(), processor_seconds());
        let parsed = ptx::parse(&module);
        let elapsed = clock.elapsed().as_secs_f64();
        best = best.min(processor_seconds().zip(processor).map_or(elapsed, |(end, start)| end - start));
        assert!(parsed.1.is_empty(), "{:?}", parsed.1);
    }
    let megabytes = module.len() as f64 / 1e6;
    println!("parse: {megabytes:.1} MB from {} files, best of {RUNS}: {:.0} MB/s", sources.len(), megabytes / best);
}

/// Seconds that this thread has run, where Linux tells.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

fn example_sources(folder: &Path) -> Vec<String> {
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources.extend(example_sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            sources.extend(std::fs::read_to_string(&path));
        }
    }
    sources.sort();
    sources
}

fn concatenate(sources: &[String]) -> String {
    let mut module = String::from(".version 9.0\n.target sm_90\n.address_size 64\n");
    let bodies: Vec<String> = sources.iter().map(|source| without_header(source)).collect();
    for copy in 0.. {
        for body in &bodies {
            module.push_str(&body.replace(".entry ", &format!(".entry copy{copy}_")));
        }
        if module.len() >= SIZE {
            break;
        }
    }
    module
}

fn without_header(source: &str) -> String {
    let is_header = |line: &&str| [".version", ".target", ".address_size"].iter().any(|start| line.starts_with(start));
    source.lines().filter(|line| !is_header(line)).flat_map(|line| [line, "\n"]).collect()
}
