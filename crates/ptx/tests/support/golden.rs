//! Tests as data: a folder of inputs, each with its expected output beside it.

use std::path::{Path, PathBuf};

/// The folder of test data at the root of the repository.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name)
}

/// Runs `produce` over every `.ptx` of a folder and compares with the file of the same name and the given extension.
/// With BLESS=1 in the environment the expectations are rewritten instead; one that is missing is an error otherwise.
pub fn check(folder: &Path, extension: &str, produce: impl Fn(&Path) -> String) {
    let bless = std::env::var_os("BLESS").is_some_and(|value| value == "1");
    let mut failures = Vec::new();
    let inputs = inputs(folder);
    assert!(!inputs.is_empty(), "no inputs in {}", folder.display());
    for input in inputs {
        let expectation = input.with_extension(extension);
        let actual = produce(&input);
        if bless {
            std::fs::write(&expectation, actual).expect("expectations can be written");
            continue;
        }
        match std::fs::read_to_string(&expectation) {
            Err(_) => failures.push(format!("{}: missing; BLESS=1 writes it", expectation.display())),
            Ok(expected) if expected != actual => failures.push(difference(&expectation, &expected, &actual)),
            Ok(_) => {}
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// The inputs of a folder, sorted.
pub fn inputs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut inputs: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "ptx")).collect();
    inputs.sort();
    inputs
}

/// The inputs of a folder and of the folders in it.
pub fn inputs_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let below = entries.filter(|path| path.is_dir()).flat_map(|path| inputs_below(&path));
    inputs(folder).into_iter().chain(below).collect()
}

fn difference(path: &Path, expected: &str, actual: &str) -> String {
    let lines = expected.lines().zip(actual.lines()).enumerate();
    let first = lines.into_iter().find(|(_, (a, b))| a != b);
    match first {
        Some((index, (a, b))) => format!("{}:{}: expected\n    {a}\nbut got\n    {b}", path.display(), index + 1),
        None => format!("{}: expected {} lines but got {}", path.display(), expected.lines().count(), actual.lines().count()),
    }
}
