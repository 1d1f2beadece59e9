//! The sample of verdicts that is kept: a file for each file of records, below each target the lines with what llvm-mc makes of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use amdgpu::codec::Entry;
use isa::amdgpu::Table;

use super::lines::Dice;
use super::{Verdict, hex};

/// One line of so many is kept.
const SHARE: usize = 140;

/// A verdict that is kept.
pub struct Kept {
    file: String,
    target: String,
    line: String,
    agrees: bool,
}

/// Whether the verdict on a line is kept.
pub fn keeps(target: &str, text: &str) -> bool {
    Dice::new(&[text, target]).below(SHARE) == 0
}

impl Kept {
    /// `TEXT`, a tab, and `-` if it is refused, else its bytes, and behind another tab what they are printed as if that is not TEXT.
    pub fn new(table: &Table, entry: &Entry, target: &str, verdict: &Verdict, agrees: bool) -> Kept {
        let source = &table.sources[entry.instruction.place.source].name;
        let file = source.rsplit('/').next().unwrap_or(source).trim_end_matches(".isa").to_owned();
        let text = &verdict.line.text;
        let line = match (&verdict.bytes, &verdict.text) {
            (None, _) => format!("{text}\t-"),
            (Some(bytes), Some(printed)) if printed == text => format!("{text}\t{}", hex(bytes)),
            (Some(bytes), printed) => format!("{text}\t{}\t{}", hex(bytes), printed.as_deref().unwrap_or("-")),
        };
        Kept { file, target: target.to_owned(), line, agrees }
    }
}

/// Writes the verdicts, and those that are not ours.
pub fn write<'a>(kept: impl Iterator<Item = &'a Kept>, version: &str) -> Result<(), String> {
    let folder = crate::root().join("tests/verdicts/amdgpu/lines");
    let failed = |e: std::io::Error| format!("cannot write {}: {e}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let mut files: BTreeMap<String, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for kept in kept {
        let file = files.entry(format!("{}.txt", kept.file)).or_default();
        file.entry(&kept.target).or_default().push(&kept.line);
        if !kept.agrees {
            let open = files.entry("open.txt".into()).or_default();
            open.entry(&kept.target).or_default().push(kept.line.split('\t').next().unwrap_or(""));
        }
    }
    for (name, targets) in files {
        let mut text =
            format!("# What {version} makes of these lines; remade by `cargo xtask oracle amdgpu --bless`, see README.md\n");
        for (target, lines) in targets {
            let _ = writeln!(text, "\non {target}\n{}", lines.join("\n"));
        }
        fs::write(folder.join(name), text).map_err(failed)?;
    }
    Ok(())
}
