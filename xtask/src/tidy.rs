//! The shape of the house: which crate may use which, and what every source file must and must not hold.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Which crates of ours a crate may use. Parsing works without an engine, semantic functions never see syntax, and only
/// shells print: an edge that is missing here is a mistake, not an omission.
const LAYERS: &[(&str, &[&str])] = &[
    ("numerics", &[]),
    ("diagnostics", &[]),
    ("isa", &["diagnostics"]),
    ("machine", &["numerics"]),
    ("semantics", &["machine", "numerics"]),
    ("ptx", &["isa", "diagnostics"]),
    ("amdgpu", &["isa", "diagnostics"]),
    ("check", &["ptx", "isa", "diagnostics"]),
    ("engine", &["isa", "machine", "semantics", "ptx", "amdgpu", "diagnostics"]),
    ("lockstep", &["engine", "check", "semantics", "machine", "numerics", "ptx", "amdgpu", "isa", "diagnostics"]),
    ("pages", &["isa", "semantics", "diagnostics"]),
    ("cli", &["lockstep", "pages", "ptx", "amdgpu", "isa", "diagnostics"]),
    ("xtask", &["amdgpu", "check", "isa", "ptx", "diagnostics"]),
];

/// Extensions of files that are looked at.
const CHECKED: [&str; 4] = ["rs", "isa", "md", "toml"];

/// What no source file holds, and why.
const FORBIDDEN: &[(&str, &str)] = &[
    ("<<<<<<< ", "a merge left a conflict"),
    (">>>>>>> ", "a merge left a conflict"),
    ("todo!(", "what cannot be done is an error with a message"),
    ("unimplemented!(", "what cannot be done is an error with a message"),
    ("dbg!(", "one crate prints"),
    ("TODO", "an issue holds what is left to do"),
    ("FIXME", "an issue holds what is left to do"),
];

/// Checks everything; the message lists what is wrong.
pub fn run(root: &Path) -> Result<(), String> {
    let mut wrong = Vec::new();
    check_layers(root, &mut wrong)?;
    let mut files = Vec::new();
    for folder in ["crates", "xtask", "isa"] {
        collect(&root.join(folder), &CHECKED, &mut files).map_err(|e| format!("cannot list {folder}: {e}"))?;
    }
    for file in files {
        check_file(root, &file, &mut wrong)?;
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn check_layers(root: &Path, wrong: &mut Vec<String>) -> Result<(), String> {
    let mut folders = vec![root.join("xtask")];
    let crates = fs::read_dir(root.join("crates")).map_err(|e| format!("cannot list crates: {e}"))?;
    folders.extend(crates.filter_map(Result::ok).map(|entry| entry.path()).filter(|p| p.is_dir()));
    folders.sort();
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let manifest = read(&folder.join("Cargo.toml"))?;
        let Some((_, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == name) else {
            wrong.push(format!("crates/{name}: not among the layers of xtask/src/tidy.rs"));
            continue;
        };
        for edge in dependencies(&manifest).filter(|d| LAYERS.iter().any(|(layer, _)| layer == d)) {
            if !allowed.contains(&edge) {
                wrong.push(format!("{name} must not use {edge} (the layers are in xtask/src/tidy.rs)"));
            }
        }
    }
    Ok(())
}

/// The names in the sections of a manifest that end up in the built crate; tests may use what they like.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    manifest.lines().filter_map(move |line| {
        if line.starts_with('[') {
            inside = matches!(line.trim(), "[dependencies]" | "[build-dependencies]");
            return None;
        }
        line.split(['.', ' ', '=']).next().filter(|name| inside && !name.is_empty())
    })
}

fn check_file(root: &Path, file: &Path, wrong: &mut Vec<String>) -> Result<(), String> {
    let shown = file.strip_prefix(root).unwrap_or(file).display();
    let text = read(file)?;
    let rust = file.extension().is_some_and(|e| e == "rs");
    if rust && !text.starts_with("//!") {
        wrong.push(format!("{shown}: begins without `//!`: what it is, what it is not, which document it follows"));
    }
    // This file names what it forbids.
    if file.ends_with("xtask/src/tidy.rs") {
        return Ok(());
    }
    for (number, line) in (1..).zip(text.lines()) {
        for (_, why) in FORBIDDEN.iter().filter(|(word, _)| line.contains(word)) {
            wrong.push(format!("{shown}:{number}: {why}: {}", line.trim()));
        }
        if line.ends_with([' ', '\t']) {
            wrong.push(format!("{shown}:{number}: blanks at the end of the line"));
        }
    }
    Ok(())
}

/// The files with one of these extensions at and below `folder`.
pub fn collect(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|n| n != "target") {
                collect(&path, extensions, files)?;
            }
        } else if path.extension().is_some_and(|e| extensions.iter().any(|known| e == *known)) {
            files.push(path);
        }
    }
    Ok(())
}

/// A file's text.
pub fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|e| format!("cannot read {}: {e}", file.display()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn dependencies_are_those_that_are_built_in() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\nisa.workspace = true\nclap = \"4\"\n[dev-dependencies]\nptx.workspace = true\n";
        assert_eq!(super::dependencies(manifest).collect::<Vec<_>>(), ["isa", "clap"]);
    }
}
