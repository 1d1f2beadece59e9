//! Kernels of tests and examples: each must be one that ptxas makes code of for the target that it names. The verdicts are kept in
//! `tests/verdicts/kernels.txt` with a hash of each file, so that a test tells of a file that was changed and not judged again.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Point;
use super::ptxas::Judges;
use crate::tidy::{collect, read};
use isa::{Target, Version};

const FOLDERS: [&str; 4] = ["examples", "tests/broken", "tests/kernels", "tests/misuse"];
const RECORD: &str = "tests/verdicts/kernels.txt";

/// Asks ptxas about every file and writes its verdicts down.
pub fn run() -> Result<(), String> {
    let judges = Judges::find()?;
    let mut lines = Vec::new();
    let mut refused = 0;
    for path in files()? {
        let text = read(&path)?;
        let point = point(&text).ok_or_else(|| format!("{} names no version and target", path.display()))?;
        let verdict = judges.of(point).compile(&text, point)?;
        if let Some(message) = &verdict {
            refused += 1;
            println!("{}: {message}", path.display());
        }
        lines.push(format!("{} {}", entry(&path, &text), if verdict.is_none() { "accepts" } else { "refuses" }));
    }
    let head = format!(
        "# What ptxas {} says of each kernel file, with the file's hash (FNV-1a of 64 bits); `cargo xtask oracle kernels` wrote it on {}.\n",
        judges.version()?,
        date(SystemTime::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_secs() / 86400))
    );
    let record = crate::root().join(RECORD);
    fs::write(&record, head + &lines.join("\n") + "\n").map_err(|e| format!("cannot write {}: {e}", record.display()))?;
    println!("{} kernel files judged, ptxas refuses {refused}", lines.len());
    if refused == 0 { Ok(()) } else { Err("every kernel must be accepted for its target".into()) }
}

/// The PTX files below the folders, sorted.
fn files() -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        collect(&crate::root().join(folder), &["ptx"], &mut found).map_err(|e| format!("cannot list {folder}: {e}"))?;
    }
    found.sort();
    Ok(found)
}

/// What the record says of a file before its verdict: its hash and its path in the repository.
fn entry(path: &Path, text: &str) -> String {
    let path = path.strip_prefix(crate::root()).unwrap_or(path).display().to_string().replace('\\', "/");
    format!("{:016x} {path}", hash(text.as_bytes()))
}

/// FNV-1a of 64 bits, which tells whether a file was changed.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Where a module says it runs.
fn point(text: &str) -> Option<Point> {
    let (tree, _) = ptx::parse(text);
    let target = tree.targets.iter().rev().find_map(|t| Target::parse(tree.name(t.symbol)))?;
    let (major, minor, _) = tree.version?;
    Some(Point { version: Version(major, minor), target })
}

/// The date of a day that is counted from 1970-01-01: years begin in March here, so that the day of leap years is their last.
fn date(day: u64) -> String {
    let day = day + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (number, in_month) = (if month < 10 { month + 3 } else { month - 9 }, of_year - (153 * month + 2) / 5 + 1);
    format!("{:04}-{number:02}-{in_month:02}", era * 400 + year + u64::from(number <= 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_was_judged_as_it_is_and_accepted() -> Result<(), String> {
        let record = read(&crate::root().join(RECORD))?;
        let mut known: Vec<&str> = record.lines().skip(1).collect();
        known.sort_unstable();
        let missing = |path: &PathBuf| {
            let line = read(path).map(|text| format!("{} accepts", entry(path, &text)));
            line.is_ok_and(|line| known.binary_search(&&*line).is_err())
        };
        let missing: Vec<PathBuf> = files()?.into_iter().filter(missing).collect();
        assert!(missing.is_empty(), "not accepted, or not judged as they are now; `cargo xtask oracle kernels`: {missing:?}");
        assert_eq!(known.len(), files()?.len(), "the record has files that are gone");
        Ok(())
    }

    #[test]
    fn dates_and_hashes_are_the_usual_ones() {
        assert_eq!([0, 59, 60, 11_016, 20_788].map(date), ["1970-01-01", "1970-03-01", "1970-03-02", "2000-02-29", "2026-12-01"]);
        assert_eq!([&b""[..], b"a", b"foobar"].map(hash), [0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c, 0x8594_4171_f739_67e8]);
    }
}
