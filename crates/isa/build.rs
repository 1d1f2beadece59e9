//! Lists the files of the table, so that their text is embedded whatever they are called, and writes down where AMD's records stand.

#[path = "build/amdgpu.rs"]
mod amdgpu;

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
    let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo"));
    fs::write(out.join("files.rs"), list)?;
    let name = |file: &PathBuf| file.strip_prefix(&root).expect("below the root").display().to_string();
    let texts = files.iter().map(|file| Ok((name(file), fs::read_to_string(file)?))).collect::<io::Result<Vec<_>>>()?;
    fs::write(out.join("amdgpu.index"), amdgpu::index(&texts))
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
