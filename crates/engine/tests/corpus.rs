//! Lowers every kernel of a folder of PTX files: `LOCKSTEP_CORPUS=DIR cargo test --release -p engine --test corpus -- --ignored`.
//!
//! A kernel may be refused for an instruction that is not executable yet or for a function that no module of the file defines;
//! anything else is a failure. (The folder is the tester's; compilers' output for other people's sources is not committed.)

use engine::Program;
use machine::memory::Memory;
use std::path::{Path, PathBuf};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten().map(|e| e.path()) {
        if entry.is_dir() {
            files(&entry, found);
        } else if entry.extension().is_some_and(|e| e == "ptx") {
            found.push(entry);
        }
    }
}

#[test]
#[ignore = "needs a folder of PTX files"]
fn every_kernel_lowers() {
    let folder = std::env::var("LOCKSTEP_CORPUS").expect("LOCKSTEP_CORPUS names a folder");
    let table = isa::Table::get().expect("the table is sound");
    let mut all = Vec::new();
    files(Path::new(&folder), &mut all);
    all.sort();
    let (mut lowered, mut refused, mut failures) = (0, 0, Vec::new());
    for path in &all {
        let text = String::from_utf8_lossy(&std::fs::read(path).expect("the file can be read")).into_owned();
        let memory = Memory::new(1 << 34);
        let name = path.display().to_string();
        let program = match Program::load(table, &[(name.clone(), text)], &memory) {
            Ok(program) => program,
            Err((_, problems)) => {
                failures.push(format!("{name}: {}", problems[0].1.message));
                continue;
            }
        };
        for kernel in program.kernel_names() {
            match program.kernel(kernel) {
                Ok(_) => lowered += 1,
                Err(problems) => match problems.iter().find(|(_, d)| !allowed(d.code, &d.notes)) {
                    None => refused += 1,
                    Some((_, d)) => failures.push(format!("{name}: {kernel}: {} {:?}", d.message, d.notes)),
                },
            }
        }
    }
    println!("{} files: {lowered} kernels lowered, {refused} refused, {} failures", all.len(), failures.len());
    failures.iter().take(200).for_each(|f| println!("{f}"));
    assert!(failures.is_empty());
}

/// Not executable yet by the table's word (not for want of a function or an instance), or an undefined function.
fn allowed(code: &str, notes: &[String]) -> bool {
    match code {
        "E0212" => !notes.iter().any(|n| n.contains("no function is called") || n.contains("has no")),
        "E0216" => true,
        _ => false,
    }
}
