//! The table against ptxas: does it accept what a record allows, and refuse what comes before a record's versions and
//! targets?
//!
//! For every legal spelling of every form a kernel of one instruction is written, for the lowest `.version` and `.target` that
//! the record claims, where ptxas must accept it, and for the ones before, where it must refuse. ptxas parses and checks such
//! kernels without generating code, hundreds in one file. Opcodes that differ from a spelling in one modifier are judged too: the
//! table must not accept what ptxas refuses.

mod neighbours;
mod probe;
mod ptxas;
pub mod verdicts;

use std::collections::BTreeMap;

use isa::{Features, Form, Match, Record, Resolution, Table, Target, Version};
use probe::{Probe, Style};
use ptxas::Ptxas;

/// Where a module says it can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    version: Version,
    target: Target,
}

impl std::fmt::Display for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PTX {} {}", self.version, self.target)
    }
}

/// Kernels in a file: a syntax error stops ptxas, which then reads the rest again.
const BATCH: usize = 500;
/// Spellings of a form that are judged at most, and of those the ones whose verdicts are kept.
const SPELLINGS: usize = 20_000;
const KEPT: usize = 40;
/// Spellings of a form that are judged with every style of operands.
const STYLED: usize = 200;
/// Spellings of a form whose neighbours are judged, and how many neighbours each has.
const ORIGINS: usize = 20;
const NEIGHBOURS: usize = 12;
/// Disagreements of a form that are shown.
const SHOWN: usize = 6;
/// Where neighbours are judged: the newest targets, which can do most.
const NEWEST: [Point; 2] = [
    Point { version: Version(9, 4), target: Target { number: 107, features: Features::Architecture } },
    Point { version: Version(9, 4), target: Target { number: 120, features: Features::Architecture } },
];

/// One question for ptxas and what the table answers.
pub struct Case {
    /// Record and form.
    form: (usize, usize),
    opcode: String,
    probe: Probe,
    point: Point,
    expected: bool,
    /// Whether the verdict is kept.
    kept: bool,
}

pub fn run(arguments: &[String]) -> Result<(), String> {
    let table = crate::table()?;
    let ptxas = Ptxas::find()?;
    let bless = arguments == ["--bless"];
    let selected = |r: &Record| bless || arguments.is_empty() || arguments.iter().any(|a| *a == r.name || *a == r.chapter);
    let mut cases = Vec::new();
    for (i, record) in table.records.iter().enumerate().filter(|(_, r)| selected(r)) {
        for (j, form) in record.forms.iter().enumerate() {
            let limit = if bless { KEPT } else { SPELLINGS };
            let spellings =
                table.enumerate(record, form, limit, 1).map_err(|e| format!("{}: {}: {e}", record.name, form.text))?;
            spellings.iter().enumerate().for_each(|(n, m)| add_spelling(&mut cases, (i, j), m, !bless && n < STYLED));
            let origins = table.enumerate(record, form, ORIGINS, 2).unwrap_or_default();
            origins.iter().for_each(|m| add_neighbours(&mut cases, table, (i, j), m));
        }
    }
    if cases.is_empty() {
        return Err(format!("no record or chapter is called {}", arguments.join(" or ")));
    }
    let verdicts = judge(&ptxas, &cases)?;
    if bless {
        return verdicts::write(table, &cases, &verdicts, &ptxas.version()?);
    }
    report(table, &cases, &verdicts)
}

/// The questions about one spelling.
fn add_spelling(cases: &mut Vec<Case>, form: (usize, usize), spelling: &Match, styled: bool) {
    let opcode = spelling.opcode();
    let mut add = |style: &Style, point: Point| {
        let probe = probe::write(&opcode, spelling, style, point);
        let expected = spelling.available(point.version, point.target);
        cases.push(Case { form, opcode: opcode.clone(), probe, point, expected, kept: *style == Style::default() });
    };
    let styles = if styled { Style::all(spelling) } else { vec![Style::default()] };
    for floor in floors(spelling) {
        styles.iter().for_each(|style| add(style, floor));
        before(floor).into_iter().filter(|p| !spelling.available(p.version, p.target)).for_each(|p| add(&styles[0], p));
    }
    NEWEST.iter().for_each(|point| add(&styles[0], *point));
}

/// The questions about opcodes that differ from a spelling in one modifier, most of them wrong.
fn add_neighbours(cases: &mut Vec<Case>, table: &'static Table, form: (usize, usize), spelling: &Match) {
    for (opcode, point) in neighbours::of(table, spelling, NEIGHBOURS).into_iter().zip(NEWEST.iter().cycle()) {
        let matches = match table.resolve(&opcode) {
            Ok(Resolution::Pending(_)) => continue,
            Ok(Resolution::Matches(matches)) => matches,
            Err(_) => Vec::new(),
        };
        let available = matches.iter().find(|m| m.available(point.version, point.target));
        let operands = available.or(matches.first()).unwrap_or(spelling);
        let probe = probe::write(&opcode, operands, &Style::default(), *point);
        cases.push(Case { form, opcode, probe, point: *point, expected: available.is_some(), kept: true });
    }
}

/// The lowest points where a spelling is available: the first version of each target that no other such target includes.
fn floors(spelling: &Match) -> Vec<Point> {
    let mut found: Vec<Point> = Vec::new();
    for target in Target::all() {
        let introduced = target.introduced().unwrap_or_default();
        let version = VERSIONS.iter().copied().find(|&v| v >= introduced && spelling.available(v, target));
        if let Some(version) = version
            && !found.iter().any(|f| target.satisfies(f.target))
        {
            found.push(Point { version, target });
        }
    }
    found
}

/// The points just before: an earlier version, an earlier target, the same target without its special features.
fn before(point: Point) -> Vec<Point> {
    let Point { version, target } = point;
    let introduced = |t: Target| t.introduced().is_some_and(|i| i <= version);
    let earlier_version = VERSIONS.iter().copied().rfind(|v| *v < version);
    let plain = Target::baseline(target.number);
    let earlier_target = Target::all().filter(|t| *t == Target::baseline(t.number) && t.number < target.number);
    let earlier_target = earlier_target.filter(|t| introduced(*t)).last();
    let mut points = Vec::new();
    points.extend(earlier_version.filter(|v| target.introduced() <= Some(*v)).map(|version| Point { version, target }));
    points.extend(earlier_target.map(|target| Point { version, target }));
    points.extend((plain != target && introduced(plain)).then_some(Point { version, target: plain }));
    points
}

/// Why ptxas refuses each case; `None` if it accepts it.
fn judge(ptxas: &Ptxas, cases: &[Case]) -> Result<Vec<Option<String>>, String> {
    let mut verdicts = vec![None; cases.len()];
    judge_bodies(ptxas, cases, |i| Some(&cases[i].probe.body), &mut verdicts)?;
    // Where a constant is refused, another may be welcome.
    let mut others = verdicts.clone();
    let refused = |i: usize| cases[i].probe.second.as_deref().filter(|_| verdicts[i].is_some());
    judge_bodies(ptxas, cases, refused, &mut others)?;
    Ok(others)
}

/// Judges the bodies that `body` gives for the index of a case, by point.
fn judge_bodies<'a>(
    ptxas: &Ptxas,
    cases: &'a [Case],
    body: impl Fn(usize) -> Option<&'a str>,
    verdicts: &mut [Option<String>],
) -> Result<(), String> {
    let mut by_point: BTreeMap<Point, Vec<(usize, &str)>> = BTreeMap::new();
    for (i, case) in cases.iter().enumerate() {
        by_point.entry(case.point).or_default().extend(body(i).map(|b| (i, b)));
    }
    for (point, bodies) in by_point {
        for batch in bodies.chunks(BATCH) {
            let texts: Vec<&str> = batch.iter().map(|b| b.1).collect();
            for (&(i, _), verdict) in batch.iter().zip(ptxas.judge(point, &texts)?) {
                verdicts[i] = verdict;
            }
        }
    }
    Ok(())
}

/// Prints the disagreements, form by form.
fn report(table: &'static Table, cases: &[Case], verdicts: &[Option<String>]) -> Result<(), String> {
    let mut by_form: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (i, case) in cases.iter().enumerate() {
        by_form.entry(case.form).or_default().push(i);
    }
    let mut disagreements = 0;
    for ((r, f), indices) in by_form {
        let record: &Record = &table.records[r];
        let form: &Form = &record.forms[f];
        let wrong: Vec<usize> = indices.iter().copied().filter(|&i| cases[i].expected == verdicts[i].is_some()).collect();
        disagreements += wrong.len();
        let source = &table.sources[record.place.source];
        let line = source.line(form.place.span.start);
        if !wrong.is_empty() {
            println!("isa/{}:{line}: {}: {} of {} cases differ", source.name, form.text, wrong.len(), indices.len());
        }
        for &i in wrong.iter().take(SHOWN) {
            let case = &cases[i];
            match &verdicts[i] {
                Some(why) => println!("    {} at {}: ptxas refuses: {why}", case.probe.shown, case.point),
                None => println!("    {} at {}: ptxas accepts", case.probe.shown, case.point),
            }
        }
        if wrong.len() > SHOWN {
            println!("    ... and {} more", wrong.len() - SHOWN);
        }
    }
    println!("{} cases judged, {disagreements} differ", cases.len());
    if disagreements == 0 { Ok(()) } else { Err("the table and ptxas differ".into()) }
}

/// The versions of PTX that exist (PTX ISA 9.4, 13; 9.5 by ptxas 13.5).
const VERSIONS: &[Version] = &[
    Version(1, 0),
    Version(1, 1),
    Version(1, 2),
    Version(1, 3),
    Version(1, 4),
    Version(1, 5),
    Version(2, 0),
    Version(2, 1),
    Version(2, 2),
    Version(2, 3),
    Version(3, 0),
    Version(3, 1),
    Version(3, 2),
    Version(4, 0),
    Version(4, 1),
    Version(4, 2),
    Version(4, 3),
    Version(5, 0),
    Version(6, 0),
    Version(6, 1),
    Version(6, 2),
    Version(6, 3),
    Version(6, 4),
    Version(6, 5),
    Version(7, 0),
    Version(7, 1),
    Version(7, 2),
    Version(7, 3),
    Version(7, 4),
    Version(7, 5),
    Version(7, 6),
    Version(7, 7),
    Version(7, 8),
    Version(8, 0),
    Version(8, 1),
    Version(8, 2),
    Version(8, 3),
    Version(8, 4),
    Version(8, 5),
    Version(8, 6),
    Version(8, 7),
    Version(8, 8),
    Version(9, 0),
    Version(9, 1),
    Version(9, 2),
    Version(9, 3),
    Version(9, 4),
    Version(9, 5),
];
