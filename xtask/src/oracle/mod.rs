//! The table against ptxas: does it accept what a record allows, and refuse what comes before a record's versions and
//! targets?
//!
//! For every legal spelling of every form a kernel of one instruction is written, for the lowest `.version` and `.target` that
//! the record claims, where ptxas must accept it, and for the ones before, where it must refuse. ptxas parses and checks such
//! kernels without generating code, hundreds in one file. Opcodes that differ from a spelling in one modifier are judged too: the
//! table must not accept what ptxas refuses.

mod amdgpu;
mod asm;
mod immediates;
mod kernels;
mod modules;
mod neighbours;
mod operands;
mod outside;
mod probe;
mod ptxas;
mod tally;
pub mod verdicts;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use isa::{Features, Form, Match, Record, Resolution, Table, Target, VERSIONS, Version};
use probe::{Probe, Style};
use ptxas::Judges;
use tally::Tally;

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
/// Spellings of a form that are judged on every target, and as many whose neighbours are.
const EVERYWHERE: usize = 30;
/// Disagreements of a form that are shown.
const SHOWN: usize = 6;
/// Where neighbours are judged: the newest targets, which can do most.
const NEWEST: [Point; 2] = [
    Point { version: Version(9, 4), target: Target { number: 107, features: Features::Architecture } },
    Point { version: Version(9, 4), target: Target { number: 120, features: Features::Architecture } },
];

/// What the result of a whole run says of itself.
const ABOUT: &str = "\
Written by `cargo xtask oracle`: all combinations of modifiers of every form (a sample above 20,000) at the lowest versions
and targets where the table has them, just before these, and on the newest targets; a sample on every target from sm_10 to
sm_121a; neighbours that differ in one modifier. The files in `ptx` are a sample of the verdicts, which tests hold the
table against; `cargo xtask oracle --bless` remakes them. A disagreement that is meant is named in the `doubt` of its record.
operands.md has the result for wrong operands.
";

/// A form: the numbers of its record and of itself.
type Place = (usize, usize);

/// One question for ptxas and what the table answers.
pub struct Case {
    form: Place,
    opcode: String,
    probe: Probe,
    point: Point,
    expected: bool,
    /// Whether the verdict is kept.
    kept: bool,
}

pub fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(("modules", folder)) = arguments.split_first().map(|(first, rest)| (&**first, rest)) {
        return modules::run(folder.first().map(String::as_str));
    }
    if let Some(("immediates", names)) = arguments.split_first().map(|(first, rest)| (&**first, rest)) {
        return immediates::run(names);
    }
    if let Some(("amdgpu", rest)) = arguments.split_first().map(|(first, rest)| (&**first, rest)) {
        return amdgpu::run(rest);
    }
    if arguments == ["asm"] {
        return asm::run();
    }
    if arguments == ["kernels"] {
        return kernels::run();
    }
    let table = crate::table()?;
    let judges = Judges::find()?;
    if let Some(("operands", rest)) = arguments.split_first().map(|(first, rest)| (&**first, rest)) {
        return operands::run(table, &judges, rest);
    }
    if let Some(("outside", folders)) = arguments.split_first().map(|(first, rest)| (&**first, rest)) {
        return outside::run(table, &judges, folders);
    }
    if arguments == ["--bless"] {
        let (cases, verdicts) = judged(table, &judges, |_| true, Extent::Kept)?;
        return verdicts::write(table, &cases, &verdicts, &judges.version()?);
    }
    let mut chapters: Vec<&str> = table.records.iter().map(|r| &*r.chapter).collect();
    chapters.dedup();
    let mut tally = Tally::default();
    for chapter in chapters {
        let named = |r: &Record| arguments.is_empty() || arguments.iter().any(|a| *a == r.name || *a == r.chapter);
        let (cases, verdicts) = judged(table, &judges, |r| r.chapter == chapter && named(r), Extent::All)?;
        report(table, &cases, &verdicts);
        tally.add(table, &cases, &verdicts);
    }
    if tally.is_empty() {
        return Err(format!("no record or chapter is called {}", arguments.join(" or ")));
    }
    println!("{tally}");
    if arguments.is_empty() {
        tally.write("README.md", &judges.version()?, ABOUT)?;
    }
    if tally.differ() == 0 { Ok(()) } else { Err("the table and ptxas differ".into()) }
}

/// How much of a record is judged.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    /// The sample whose verdicts are kept.
    Kept,
    /// Everything.
    All,
}

/// The questions about some records, with the answers of ptxas.
fn judged(
    table: &'static Table,
    judges: &Judges,
    selected: impl Fn(&Record) -> bool,
    extent: Extent,
) -> Result<(Vec<Case>, Vec<Option<String>>), String> {
    let mut cases = Vec::new();
    for (i, record) in table.records.iter().enumerate().filter(|(_, r)| selected(r)) {
        for (j, form) in record.forms.iter().enumerate() {
            let all = extent == Extent::All;
            let limit = if all { SPELLINGS } else { KEPT };
            let failed = |e| format!("{}: {}: {e}", record.name, form.text);
            let spellings = table.enumerate(record, form, limit, 1).map_err(failed)?;
            spellings.iter().enumerate().for_each(|(n, m)| add_spelling(&mut cases, (i, j), m, all && n < STYLED));
            let origins = table.enumerate(record, form, ORIGINS, 2).map_err(failed)?;
            origins.iter().for_each(|m| add_neighbours(&mut cases, table, (i, j), m, &newest(m), true));
            if all {
                let sample = table.enumerate(record, form, EVERYWHERE, 3).map_err(failed)?;
                sample.iter().for_each(|m| add_everywhere(&mut cases, (i, j), m));
                let points = points();
                let far = table.enumerate(record, form, EVERYWHERE, 4).map_err(failed)?;
                far.iter().zip(0..).for_each(|(m, n)| {
                    add_neighbours(&mut cases, table, (i, j), m, &points[NEIGHBOURS * n % points.len()..], false);
                });
            }
        }
    }
    let verdicts = judge(judges, &cases)?;
    Ok((cases, verdicts))
}

/// The questions about one spelling.
fn add_spelling(cases: &mut Vec<Case>, form: Place, spelling: &Match, styled: bool) {
    let opcode = spelling.opcode();
    let mut add = |style: &Style, point: Point| {
        let probe = probe::write(&opcode, spelling, style, point);
        let expected = spelling.available_with(&style.names(spelling), point.version, point.target);
        cases.push(Case { form, opcode: opcode.clone(), probe, point, expected, kept: *style == Style::default() });
    };
    let styles = if styled { Style::all(spelling) } else { vec![Style::default()] };
    for style in &styles {
        let names = style.names(spelling);
        for floor in floors(spelling, &names) {
            add(style, floor);
            // What is refused before does not depend on how operands are written.
            let refused = |p: &Point| !spelling.available_with(&names, p.version, p.target);
            if *style == styles[0] {
                before(floor).into_iter().filter(refused).for_each(|p| add(style, p));
            }
        }
    }
    NEWEST.iter().for_each(|point| add(&styles[0], *point));
}

/// The question whether a spelling is available, for every target.
fn add_everywhere(cases: &mut Vec<Case>, form: Place, spelling: &Match) {
    let opcode = spelling.opcode();
    let style = Style::default();
    let names = style.names(spelling);
    for point in points() {
        let probe = probe::write(&opcode, spelling, &style, point);
        let expected = spelling.available_with(&names, point.version, point.target);
        cases.push(Case { form, opcode: opcode.clone(), probe, point, expected, kept: false });
    }
}

/// Every target, with the version that introduced it and with the newest ones.
fn points() -> Vec<Point> {
    let at = |target: Target| {
        let introduced = target.introduced().unwrap_or_default();
        let mut versions = vec![introduced, Version(9, 4), Version(9, 5)];
        versions.dedup();
        versions.into_iter().map(move |version| Point { version, target })
    };
    Target::all().flat_map(at).collect()
}

/// The questions about opcodes that differ from a spelling in one modifier, most of them wrong.
fn add_neighbours(cases: &mut Vec<Case>, table: &'static Table, form: Place, spelling: &Match, points: &[Point], kept: bool) {
    for (opcode, point) in neighbours::of(table, spelling, NEIGHBOURS).into_iter().zip(points.iter().cycle()) {
        let matches = match table.resolve(&opcode) {
            Ok(Resolution::Pending(_)) => continue,
            Ok(Resolution::Matches(matches)) => matches,
            Err(_) => Vec::new(),
        };
        let names = |m: &Match| Style::default().names(m);
        let available = matches.iter().find(|m| m.available_with(&names(m), point.version, point.target));
        let operands = available.or(matches.first()).unwrap_or(spelling);
        let probe = probe::write(&opcode, operands, &Style::default(), *point);
        cases.push(Case { form, opcode, probe, point: *point, expected: available.is_some(), kept });
    }
}

/// The newest points where a spelling is available: only there a neighbour is refused for what it is.
fn newest(spelling: &Match) -> Vec<Point> {
    let available = |p: &Point| spelling.available_with(&Style::default().names(spelling), p.version, p.target);
    let points: Vec<Point> = NEWEST.into_iter().filter(available).collect();
    let floors = || floors(spelling, &Style::default().names(spelling));
    let later = floors().into_iter().map(|f| Point { version: Version(9, 4), ..f }).filter(available);
    match (points.is_empty(), later.collect::<Vec<_>>()) {
        (false, _) => points,
        (true, later) if later.is_empty() => floors(),
        (true, later) => later,
    }
}

/// The lowest points where a spelling is available: the first version of each target that no other such target includes.
fn floors(spelling: &Match, names: &[&'static str]) -> Vec<Point> {
    let mut found: Vec<Point> = Vec::new();
    for target in Target::all() {
        let introduced = target.introduced().unwrap_or_default();
        let version = VERSIONS.iter().copied().find(|&v| v >= introduced && spelling.available_with(names, v, target));
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
fn judge(judges: &Judges, cases: &[Case]) -> Result<Vec<Option<String>>, String> {
    let mut verdicts = vec![None; cases.len()];
    let module = |i: usize| (cases[i].point, cases[i].probe.sampler);
    judge_bodies(judges, cases.len(), module, |i| Some(&cases[i].probe.body), &mut verdicts)?;
    // Where a constant is refused, another may be welcome.
    let mut others = verdicts.clone();
    let refused = |i: usize| cases[i].probe.second.as_deref().filter(|_| verdicts[i].is_some());
    judge_bodies(judges, cases.len(), module, refused, &mut others)?;
    Ok(others)
}

/// Judges bodies by their numbers, which tell the module, point and whether it has samplers, and the body if there is one: those of
/// a module together, modules side by side.
fn judge_bodies<'a>(
    judges: &Judges,
    count: usize,
    module: impl Fn(usize) -> (Point, bool),
    body: impl Fn(usize) -> Option<&'a str> + Sync,
    verdicts: &mut [Option<String>],
) -> Result<(), String> {
    let mut modules: BTreeMap<(Point, bool), Vec<usize>> = BTreeMap::new();
    for i in (0..count).filter(|i| body(*i).is_some()) {
        modules.entry(module(i)).or_default().push(i);
    }
    let batches: Vec<_> = modules.iter().flat_map(|(module, all)| all.chunks(BATCH).map(move |b| (*module, b))).collect();
    let results = side_by_side(&batches, |((point, samplers), batch)| {
        let texts: Vec<&str> = batch.iter().filter_map(|&i| body(i)).collect();
        judges.of(*point).judge(*point, *samplers, &texts)
    })?;
    for ((_, batch), found) in batches.iter().zip(results) {
        batch.iter().zip(found).for_each(|(&i, verdict)| verdicts[i] = verdict);
    }
    Ok(())
}

/// Does some work for each of several items, on all cores; gives the results in the items' order.
fn side_by_side<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> Result<T, String> + Sync) -> Result<Vec<T>, String> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return Ok(done) };
            done.push((at, work(item)?));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let results: Vec<Result<Vec<(usize, T)>, String>> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        running.into_iter().map(|t| t.join().unwrap_or_else(|_| Err("a thread panicked".into()))).collect()
    });
    let mut done: Vec<(usize, T)> = Vec::new();
    for result in results {
        done.extend(result?);
    }
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

/// Prints the disagreements, form by form.
fn report(table: &'static Table, cases: &[Case], verdicts: &[Option<String>]) {
    let mut by_form: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
    for (i, case) in cases.iter().enumerate() {
        by_form.entry(case.form).or_default().push(i);
    }
    for (place, indices) in by_form {
        let wrong: Vec<usize> = indices.iter().copied().filter(|&i| cases[i].expected == verdicts[i].is_some()).collect();
        if !wrong.is_empty() {
            println!("{}: {} of {} cases differ", heading(table, place), wrong.len(), indices.len());
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
}

/// Where a form stands, and its text.
fn heading(table: &'static Table, (r, f): Place) -> String {
    let record: &Record = &table.records[r];
    let form: &Form = &record.forms[f];
    let source = &table.sources[record.place.source];
    format!("isa/{}:{}: {}", source.name, source.line(form.place.span.start), form.text)
}
