//! How fast the parser reads compiler output: the repository's example kernels over and over, each copy with its own
//! names of functions, as one module of 20 MB. Prints the best of 15 runs on one core, in time that the core spent on it where
//! the system tells, so that other work on the machine counts less.
//!
//!     cargo bench -p ptx

mod support;

use support::{SIZE, best, example_sources};

const RUNS: usize = 15;

fn main() {
    let sources = example_sources();
    let module = concatenate(&sources);
    let best = best(RUNS, || {
        let (_, problems) = ptx::parse(&module);
        assert!(problems.is_empty(), "{problems:?}");
    });
    let megabytes = module.len() as f64 / 1e6;
    println!("parse: {megabytes:.1} MB from {} files, best of {RUNS}: {:.0} MB/s", sources.len(), megabytes / best);
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
