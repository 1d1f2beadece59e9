//! Forms that do not come from the records: modules that other people's compilers made, and the inline assembly of CUDA headers.
//! ptxas and the checker judge each at what it says of itself and at other targets.
//!
//! The files are not ours and are not kept; what is recorded is how often the two agree, a line for each folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use diagnostics::Severity;
use isa::{Table, Target, Version};

use super::ptxas::{self, Judges};
use super::tally::Count;
use super::{NEWEST, Point, judge_bodies, points, side_by_side};

/// Points at which a whole module is judged besides its own, and a statement besides the newest.
const MODULE_POINTS: usize = 8;
const STATEMENT_POINTS: usize = 20;

/// What the result says of itself.
const ABOUT: &str = "\
Written by `cargo xtask oracle outside FOLDER...`: forms that do not come from the records, a line a folder. Each module (`.ptx`) is judged as it
is and at eight other points (the targets of ptxas in turn, each with the version that introduced it and with the newest), each statement of inline
assembly in headers (`.h`), operands declared as its constraints say, at the newest targets and at twenty such points. A run writes the lines of its folders and leaves the others.
What differs: ptxas 12.9 takes fence.acquire on sm_70 and sm_72 (cccl); surfaces named by a register need sm_20 and PTX 3.1, samplers so named sm_30, which the records do not say (llvm, manual).
";

/// Judges what lies in some folders and records the result, one line for each.
pub fn run(table: &'static Table, judges: &Judges, folders: &[String]) -> Result<(), String> {
    let mut differ = 0;
    for folder in folders {
        let mut files = Vec::new();
        collect(Path::new(folder), &mut files)?;
        files.sort();
        let mut counts = [Count::default(); 2];
        modules(table, judges, &files, &mut counts)?;
        statements(table, judges, &files, &mut counts)?;
        let name = Path::new(folder).file_name().map_or_else(|| folder.clone(), |n| n.to_string_lossy().into_owned());
        println!("{name}: accepted {}, refused {}", counts[0], counts[1]);
        differ += counts.iter().map(|c| c.judged - c.agree).sum::<usize>();
        record(&name, &counts, &judges.version()?)?;
    }
    if differ == 0 { Ok(()) } else { Err(format!("the checker and ptxas differ {differ} times")) }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("cannot read {}: {e}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read(path).map(diagnostics::text_of).map_err(|e| format!("cannot read {}: {e}", path.display()))
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e == extension)
}

/// Some of all points, those that come next for each number.
fn in_turn(all: &[Point], number: usize, count: usize) -> impl Iterator<Item = Point> {
    all.iter().cycle().skip(number * count % all.len()).take(count).copied()
}

/// Whole modules.
fn modules(table: &'static Table, judges: &Judges, files: &[PathBuf], counts: &mut [Count; 2]) -> Result<(), String> {
    let all = points();
    let files: Vec<_> = files.iter().filter(|f| has_extension(f, "ptx")).enumerate().collect();
    let found = side_by_side(&files, |(number, path)| {
        let text = read(path)?;
        let Some(header) = Header::of(&text) else { return Ok(Vec::new()) };
        let judged = std::iter::once(header.point).chain(in_turn(&all, *number, MODULE_POINTS)).map(|point| {
            let text = header.moved(&text, point);
            Ok((point, judges.of(point).judge_module(&text, point)?, refusal(table, &text)))
        });
        judged.collect::<Result<Vec<_>, String>>()
    })?;
    for ((_, path), judged) in files.iter().zip(found) {
        for (point, theirs, ours) in judged {
            count(counts, &theirs, &ours, || format!("{} at {point}", path.display()));
        }
    }
    Ok(())
}

/// Where a module says what it is.
struct Header {
    point: Point,
    version: std::ops::Range<usize>,
    target: std::ops::Range<usize>,
}

impl Header {
    /// Nothing where a module does not name one version and one known target.
    fn of(text: &str) -> Option<Header> {
        let word = |directive: &str| {
            let start = text.find(directive)? + directive.len();
            let start = start + text[start..].len() - text[start..].trim_start().len();
            let length = text[start..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_'))?;
            Some(start..start + length)
        };
        let (version, target) = (word(".version")?, word(".target")?);
        let point = Point {
            version: Version::parse(&text[version.clone()])?,
            target: Target::parse(&text[target.clone()]).filter(|t| t.introduced().is_some())?,
        };
        (version.end <= target.start).then_some(Header { point, version, target })
    }

    /// The module with another version and target.
    fn moved(&self, text: &str, point: Point) -> String {
        let Header { version, target, .. } = self;
        let before = &text[..version.start];
        let between = &text[version.end..target.start];
        format!("{before}{}{between}{}{}", point.version, point.target, &text[target.end..])
    }
}

/// The statements of inline assembly, each once.
fn statements(table: &'static Table, judges: &Judges, files: &[PathBuf], counts: &mut [Count; 2]) -> Result<(), String> {
    let mut bodies = BTreeMap::new();
    for path in files.iter().filter(|f| has_extension(f, "h")) {
        for (line, body) in assembly(&read(path)?) {
            bodies.entry(body).or_insert_with(|| format!("{}:{line}", path.display()));
        }
    }
    let all = points();
    let of_one = |(number, (body, place))| {
        NEWEST.into_iter().chain(in_turn(&all, number, STATEMENT_POINTS)).map(move |point| (body, place, point))
    };
    let cases: Vec<(&String, &String, Point)> = bodies.iter().enumerate().flat_map(of_one).collect();
    let mut theirs = vec![None; cases.len()];
    judge_bodies(judges, cases.len(), |i| (cases[i].2, false), |i| Some(cases[i].0), &mut theirs)?;
    for ((body, place, point), theirs) in cases.iter().zip(&theirs) {
        let (text, _) = ptxas::module(*point, false, &[body]);
        count(counts, theirs, &refusal(table, &text), || format!("{place} at {point}: {body}"));
    }
    Ok(())
}

/// Bodies of kernels, one for each `asm("..." : "=r"(a) : "l"(b))` of a text, and its line.
fn assembly(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("asm") {
        let line = 1 + text[..at].matches('\n').count();
        let opened = text[at + 3..].trim_start().trim_start_matches("volatile").trim_start_matches("__volatile__").trim_start();
        if let Some(rest) = opened.strip_prefix('(')
            && let Some(body) = statement(rest)
        {
            found.push((line, body));
        }
    }
    found
}

/// The body that a statement of inline assembly makes, from what stands in its parentheses on.
fn statement(rest: &str) -> Option<String> {
    let (template, mut rest) = strings(rest);
    let mut declared = String::new();
    let mut constraints = Vec::new();
    // Outputs and inputs, each a constraint and an expression in parentheses.
    for _ in 0..2 {
        rest = rest.strip_prefix(':')?.trim_start();
        while rest.starts_with('"') {
            let (constraint, behind) = strings(rest);
            constraints.push(constraint);
            rest = parenthesis(behind)?.trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
    }
    for (number, constraint) in constraints.iter().enumerate() {
        match constraint.trim_start_matches(['=', '+', '&']) {
            "h" => declared += &format!(".reg .u16 %o{number};"),
            "r" => declared += &format!(".reg .u32 %o{number};"),
            "l" => declared += &format!(".reg .u64 %o{number};"),
            "q" => declared += &format!(".reg .b128 %o{number};"),
            "f" => declared += &format!(".reg .f32 %o{number};"),
            "d" => declared += &format!(".reg .f64 %o{number};"),
            "n" => {}
            _ => return None,
        }
    }
    let mut body = template.replace("%%", "\0");
    for (number, constraint) in constraints.iter().enumerate().rev() {
        let operand = if constraint == "n" { "0".to_owned() } else { format!("%o{number}") };
        body = body.replace(&format!("%{number}"), &operand.replace('%', "\u{1}"));
    }
    let body = body.replace(['\0', '\u{1}'], "%");
    // A body is one line: comments end here.
    let lines = body.lines().map(|line| line.split("//").next().unwrap_or(line));
    let body = lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
    Some(format!("{{ {declared} {body} }}"))
}

/// The strings at the beginning of a text put together, and what follows them. Comments of C and other text between them are none.
fn strings(text: &str) -> (String, &str) {
    let (mut joined, mut rest) = (String::new(), text.trim_start());
    while let Some(inside) = rest.strip_prefix('"') {
        let mut end = inside.len();
        let mut characters = inside.char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    end = at;
                    break;
                }
                '\\' => match characters.next() {
                    Some((_, 'n')) => joined.push('\n'),
                    Some((_, 't')) => joined.push(' '),
                    Some((_, c)) => joined.push(c),
                    None => {}
                },
                c => joined.push(c),
            }
        }
        rest = inside.get(end + 1..).unwrap_or("").trim_start();
    }
    (joined, rest)
}

/// What follows the parenthesis at the beginning of a text.
fn parenthesis(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..).filter(|_| c == ')');
        }
    }
    None
}

fn refusal(table: &'static Table, text: &str) -> Option<String> {
    check::check(table, text, None).into_iter().find(|d| d.severity == Severity::Error).map(|d| d.message)
}

/// Counts one answer, and shows it if it differs.
fn count(counts: &mut [Count; 2], theirs: &Option<String>, ours: &Option<String>, place: impl Fn() -> String) {
    let agree = theirs.is_none() == ours.is_none();
    counts[usize::from(theirs.is_some())].one(agree);
    match (theirs, ours) {
        (None, Some(why)) => println!("{}\n    we refuse: {why}", place()),
        (Some(why), None) => println!("{}\n    ptxas refuses: {why}", place()),
        _ => {}
    }
}

/// Writes the line of one folder, those of others are left.
fn record(name: &str, [accepted, refused]: &[Count; 2], version: &str) -> Result<(), String> {
    let file = crate::root().join("tests/verdicts/outside.md");
    let failed = |e: std::io::Error| format!("cannot write {}: {e}", file.display());
    let old = fs::read_to_string(&file).unwrap_or_default();
    let head = format!("| {name} |");
    let rows = old.lines().filter(|l| l.starts_with('|')).skip(2).filter(|l| !l.starts_with(&head));
    let mut rows: Vec<String> = rows.map(str::to_owned).collect();
    rows.push(format!("{head} {accepted} | {refused} | {version} |"));
    rows.sort();
    let table = "| folder | accepted | refused | ptxas |\n| --- | --- | --- | --- |";
    fs::write(&file, format!("# Forms from outside the records\n\n{ABOUT}\n{table}\n{}\n", rows.join("\n"))).map_err(failed)
}
