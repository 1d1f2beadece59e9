//! Lists the files of the table, so that their text is embedded whatever they are called.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../isa");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut list = String::from("[");
    for file in &files {
        let name = file.strip_prefix(&root).expect("below the root").display();
        let path = fs::canonicalize(file)?;
        write!(list, "({:?}, include_str!({:?})),", name.to_string(), path).expect("a string takes it");
    }
    list.push(']');
    fs::write(Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("files.rs"), list)
}

/// The `.isa` files at and below `folder`.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "isa") {
            files.push(path);
        }
    }
    Ok(())
}
