//! Committed verdicts of ptxas, so that the table is held against it where it is not installed.
//!
//! One file a chapter under `tests/verdicts/ptx`. A heading `VERSION TARGET accepts` or `refuses` is followed by opcodes in
//! alphabetical order, each with the number of characters that it shares with the one before. `, the table differs` behind the
//! heading marks what is known to differ: an older ptxas would refuse, the manual asks for more, and so on; the record says
//! which in `doubt`.

use std::collections::BTreeMap;
use std::fs;

use isa::{Resolution, Table, Target, Version};

use super::{Case, Point};

/// Point, whether ptxas accepts, whether the table differs.
type Heading = (Point, bool, bool);

/// Writes the files.
pub fn write(table: &'static Table, cases: &[Case], verdicts: &[Option<String>], version: &str) -> Result<(), String> {
    let mut chapters: BTreeMap<&str, BTreeMap<Heading, Vec<&str>>> = BTreeMap::new();
    for (case, verdict) in cases.iter().zip(verdicts).filter(|(case, _)| case.kept) {
        // Another form of the same opcode, with other operands, may be available earlier.
        if accepts(table, &case.opcode, case.point) != case.expected {
            continue;
        }
        let accepted = verdict.is_none();
        let heading = (case.point, accepted, accepted != case.expected);
        let chapter = &table.records[case.form.0].chapter;
        chapters.entry(chapter).or_default().entry(heading).or_default().push(&case.opcode);
    }
    let folder = crate::root().join("tests/verdicts/ptx");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let (mut count, mut differ) = (0, 0);
    for (chapter, groups) in chapters {
        let mut text = format!(
            "# ptxas {version} on the opcodes of isa/ptx/{chapter}.isa and their neighbours; `cargo xtask oracle --bless` remakes it.\n"
        );
        for ((point, accepted, differs), mut opcodes) in groups {
            let verdict = if accepted { "accepts" } else { "refuses" };
            let known = if differs { ", the table differs" } else { "" };
            text += &format!("{} {} {verdict}{known}\n", point.version, point.target);
            opcodes.sort_unstable();
            opcodes.dedup();
            count += opcodes.len();
            differ += if differs { opcodes.len() } else { 0 };
            let mut last = "";
            for opcode in opcodes {
                let shared = last.bytes().zip(opcode.bytes()).take_while(|(a, b)| a == b).count();
                text += &format!("{shared} {}\n", &opcode[shared..]);
                last = opcode;
            }
        }
        let file = folder.join(format!("{chapter}.txt"));
        fs::write(&file, text).map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    }
    println!("{count} verdicts written, the table differs on {differ}");
    Ok(())
}

/// Holds the table against the committed verdicts.
pub fn check(table: &'static Table) -> Result<(), String> {
    let folder = crate::root().join("tests/verdicts/ptx");
    let failed = |e: std::io::Error| format!("cannot read {}: {e}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let text = fs::read_to_string(&path).map_err(failed)?;
        let verdicts = parse(&text).ok_or_else(|| format!("{} is not in the format of verdicts", path.display()))?;
        found.extend(wrong(table, verdicts));
    }
    if found.is_empty() {
        return Ok(());
    }
    let count = found.len();
    found.truncate(30);
    found.push(format!("{count} verdicts differ; if the table is right, remake them by `cargo xtask oracle --bless`"));
    Err(found.join("\n"))
}

/// A verdict as read.
#[derive(Debug, PartialEq, Eq)]
struct Verdict {
    opcode: String,
    heading: Heading,
}

/// Reads a file; `None` if it is not in the format.
fn parse(text: &str) -> Option<Vec<Verdict>> {
    let mut verdicts = Vec::new();
    let mut heading = None;
    let mut last = String::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let (first, rest) = line.split_once(' ')?;
        if let Some(version) = Version::parse(first) {
            let (target, verdict) = rest.split_once(' ')?;
            let (verdict, differs) = verdict.split_once(',').map_or((verdict, false), |(v, _)| (v, true));
            heading = Some((Point { version, target: Target::parse(target)? }, verdict == "accepts", differs));
            last.clear();
        } else {
            let opcode = format!("{}{rest}", last.get(..first.parse().ok()?)?);
            verdicts.push(Verdict { opcode: opcode.clone(), heading: heading? });
            last = opcode;
        }
    }
    Some(verdicts)
}

/// Whether the table has the opcode at that point, whatever the operands.
fn accepts(table: &'static Table, opcode: &str, point: Point) -> bool {
    match table.resolve(opcode) {
        Ok(Resolution::Matches(matches)) => matches.iter().any(|m| m.available(point.version, point.target)),
        Ok(Resolution::Pending(_)) | Err(_) => false,
    }
}

/// The verdicts on which the table is not where the file says it is.
fn wrong(table: &'static Table, verdicts: Vec<Verdict>) -> Vec<String> {
    let message = |v: Verdict| {
        let (point, accepted, differs) = v.heading;
        let ours = accepts(table, &v.opcode, point);
        let word = |accepts: bool| if accepts { "accepts" } else { "refuses" };
        let known = if differs { ", and the file says that the table differs" } else { "" };
        let unexpected = (ours == accepted) == differs;
        unexpected.then(|| format!("{} at {point}: the table {} it, ptxas {} it{known}", v.opcode, word(ours), word(accepted)))
    };
    verdicts.into_iter().filter_map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_judges_as_ptxas_does() {
        let table = crate::table().unwrap_or_else(|problems| panic!("{problems}"));
        check(table).unwrap_or_else(|message| panic!("{message}"));
    }

    #[test]
    fn verdicts_are_read_as_written() {
        let text = "# note\n1.0 sm_10 accepts\n0 add.s16\n5 32\n8.6 sm_100a refuses, the table differs\n0 mul\n";
        let point = |version, target| Point { version, target: Target::parse(target).expect("a target") };
        let old = (point(Version(1, 0), "sm_10"), true, false);
        let new = (point(Version(8, 6), "sm_100a"), false, true);
        let verdict = |opcode: &str, heading| Verdict { opcode: opcode.into(), heading };
        assert_eq!(parse(text), Some(vec![verdict("add.s16", old), verdict("add.s32", old), verdict("mul", new)]));
        assert_eq!(parse("5 32\n"), None);
    }
}
