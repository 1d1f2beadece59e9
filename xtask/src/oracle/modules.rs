//! Rules beyond single instructions: the small modules of `tests/verdicts/modules`, judged by ptxas and by the checker.

use check::snippet;
use diagnostics::Severity;
use std::fs;
use std::path::PathBuf;

use super::Point;
use super::ptxas::Judges;
use isa::{Target, Version};

/// Asks ptxas about every case of a folder, writes its verdicts there, and prints where the checker differs.
pub fn run(folder: Option<&str>) -> Result<(), String> {
    let table = crate::table()?;
    let judges = Judges::find()?;
    let folder = folder.map_or_else(|| crate::root().join("tests/verdicts/modules"), PathBuf::from);
    let failed = |e: std::io::Error| format!("cannot read {}: {e}", folder.display());
    let mut paths: Vec<_> =
        fs::read_dir(&folder).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?.iter().map(|e| e.path()).collect();
    paths.sort();
    let (mut count, mut differ) = (0, 0);
    for path in paths {
        let text = fs::read_to_string(&path).map_err(failed)?;
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for mut case in snippet::cases(&text).map_err(|e| format!("{}: {e}", path.display()))? {
            let module = case.module();
            let point = point(&module, &case);
            let refused = judges.of(point).judge_module(&module, point)?;
            let found = check::check(table, &module, None);
            let wrong: Vec<&str> = found.iter().filter(|d| d.severity == Severity::Error).map(|d| &*d.message).collect();
            case.accepts = Some(refused.is_none());
            case.differs = wrong.is_empty() != refused.is_none();
            count += 1;
            if case.differs {
                differ += 1;
                let theirs = refused.unwrap_or_else(|| "accepts".to_owned());
                println!("{}:{}: {}\n    ptxas: {theirs}\n    we: {wrong:?}", path.display(), case.line + 1, case.title);
            }
            lines[case.line] = case.heading();
        }
        fs::write(&path, lines.join("\n") + "\n").map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    }
    println!("{count} modules judged, the checker differs on {differ}");
    Ok(())
}

/// Where a module says it runs; where the case does, if that is nowhere.
fn point(module: &str, case: &snippet::Case) -> Point {
    let (tree, _) = ptx::parse(module);
    let named = tree.targets.iter().rev().find_map(|t| Target::parse(tree.name(t.symbol)));
    let known = named.filter(|t| t.introduced().is_some()).or_else(|| Target::parse(&case.target));
    let version = tree.version.map_or(case.version, |(major, minor, _)| Version(major, minor));
    Point { version, target: known.unwrap_or(Target::baseline(100)) }
}
