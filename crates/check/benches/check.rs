//! How fast compiler output is judged: the repository's example kernels over and over, each copy with its own names of functions, as one
//! module of 20 MB. Prints the best of several runs on one core of parsing alone and of parsing and checking, in time that the core spent
//! on it where the system tells, so that other work on the machine counts less; and, where ptxas is found (`PTXAS` names it), the time of
//! the whole process against `ptxas -arch=compute_100a` on the same file.
//!
//!     cargo bench -p check

#[path = "../../ptx/benches/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::Instant;
use support::{SIZE, best, example_sources};

const RUNS: usize = 10;

fn main() {
    // One process of the comparison: `--file PATH` judges a file and says nothing.
    let arguments: Vec<String> = std::env::args().collect();
    let table = isa::Table::get().unwrap_or_else(|problems| panic!("{problems}"));
    if let Some(at) = arguments.iter().position(|a| a == "--file") {
        let text = std::fs::read_to_string(&arguments[at + 1]).unwrap_or_else(|e| panic!("{e}"));
        std::process::exit(i32::from(!check::check(table, &text, None).is_empty()));
    }
    let sources = example_sources();
    let module = concatenate(&sources);
    let megabytes = module.len() as f64 / 1e6;
    let parse = best(RUNS, || {
        black_box(ptx::parse(&module));
    });
    let judge = best(RUNS, || {
        let found = check::check(table, &module, None);
        assert!(found.is_empty(), "{found:?}");
    });
    println!("{megabytes:.1} MB from {} files, best of {RUNS}", sources.len());
    println!("parse: {:.0} MB/s; parse and check: {:.0} MB/s", megabytes / parse, megabytes / judge);
    compare(&module);
}

/// Whole processes on the same file, one after the other in turn.
fn compare(module: &str) {
    let Some(ptxas) = std::env::var_os("PTXAS") else {
        return println!("PTXAS names no ptxas to compare with");
    };
    let file = std::env::temp_dir().join(format!("lockstep-check-{}.ptx", std::process::id()));
    std::fs::write(&file, module).unwrap_or_else(|e| panic!("{e}"));
    let own = std::env::current_exe().unwrap_or_else(|e| panic!("{e}"));
    let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..RUNS {
        ours = ours.min(seconds(Command::new(&own).arg("--file").arg(&file)));
        theirs = theirs.min(seconds(Command::new(&ptxas).args(["-arch=compute_100a", "-o", "/dev/null"]).arg(&file)));
    }
    std::fs::remove_file(&file).unwrap_or_else(|e| panic!("{e}"));
    println!("whole process: {ours:.3} s; ptxas -arch=compute_100a: {theirs:.3} s; ratio {:.2}", ours / theirs);
}

fn seconds(command: &mut Command) -> f64 {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).status().unwrap_or_else(|e| panic!("{e}"));
    assert!(status.success(), "{command:?}: {status}");
    start.elapsed().as_secs_f64()
}

/// All bodies in copies, their module-scope names made unlike in each by a suffix.
fn concatenate(sources: &[String]) -> String {
    let mut module = String::from(".version 9.0\n.target sm_100a\n.address_size 64\n");
    for copy in 0.. {
        for (at, source) in sources.iter().enumerate() {
            module.push_str(&renamed(source, &format!("_{copy}_{at}")));
        }
        if module.len() >= SIZE {
            return module;
        }
    }
    module
}

/// A module without its header and debugging information, and with a suffix behind every name that it declares at module scope.
fn renamed(source: &str, suffix: &str) -> String {
    let (tree, _) = ptx::parse(source);
    let mut names: Vec<&str> = Vec::new();
    for item in &tree.items {
        match item {
            ptx::ast::Item::Variable(v) => names.push(tree.name(v.name.symbol)),
            ptx::ast::Item::Function(f) => names.push(tree.name(f.name.symbol)),
            _ => {}
        }
    }
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let mut text = String::with_capacity(source.len() * 2);
    let header = |line: &&str| {
        [".version", ".target", ".address_size", ".file", "\t.loc\t", "\t.loc "].iter().any(|start| line.starts_with(start))
    };
    for line in source.lines().filter(|line| !header(line)) {
        let mut rest = line;
        while let Some(from) = rest.find(word) {
            let end = rest[from..].find(|c| !word(c)).map_or(rest.len(), |len| from + len);
            let name = &rest[from..end];
            text.push_str(&rest[..end]);
            let is = |known: &&str| name == *known || name.strip_prefix(known).is_some_and(|rest| rest.starts_with("_param_"));
            // Behind a dot stands a modifier, whatever is declared.
            if !rest[..from].ends_with('.') && names.iter().any(is) {
                text.push_str(suffix);
            }
            rest = &rest[end..];
        }
        text.push_str(rest);
        text.push('\n');
    }
    text
}
