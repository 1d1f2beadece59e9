//! Operands that an instruction does not ask for, most of them wrong: judged by ptxas and by the whole checker, which must agree.
//!
//! One operand of a legal instruction is exchanged for a register of another type, a constant, or something that looks quite
//! different, is left out, or stands twice; or one element of a vector is.

use std::collections::HashSet;

use diagnostics::Severity;
use isa::{Match, Record, Table};

use super::neighbours::Random;
use super::probe::{self, Probe, Style};
use super::ptxas::{self, Judges};
use super::tally::Tally;
use super::{NEWEST, Place, Point, judge_bodies, points, side_by_side};

/// How large the sample is that a run judges.
struct Sample {
    /// Spellings of a form whose operands are exchanged.
    spellings: usize,
    /// How often those of each are.
    changes: usize,
    /// Another number is another sample.
    seed: usize,
    /// Disagreements of a form that are shown.
    shown: usize,
}

/// The sample whose result is recorded.
const RECORDED: Sample = Sample { spellings: 8, changes: 24, seed: 0, shown: 8 };

impl Sample {
    /// From `--spellings 16 --changes 60 --seed 1 --shown 100 NAME...`; gives the names, too.
    fn parse(arguments: &[String]) -> Result<(Sample, Vec<&str>), String> {
        let (mut sample, mut names) = (RECORDED, Vec::new());
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let place = match argument.as_str() {
                "--spellings" => &mut sample.spellings,
                "--changes" => &mut sample.changes,
                "--seed" => &mut sample.seed,
                "--shown" => &mut sample.shown,
                option if option.starts_with("--") => return Err(format!("there is no option {option}")),
                name => {
                    names.push(name);
                    continue;
                }
            };
            *place = rest.next().and_then(|n| n.parse().ok()).ok_or_else(|| format!("{argument} takes a number"))?;
        }
        Ok((sample, names))
    }
}

/// What the result says of itself.
fn about(sample: &Sample) -> String {
    format!(
        "\
Written by `cargo xtask oracle operands`: one operand of a legal instruction is exchanged for a register of another type, a
constant or something quite different, left out or written twice, or an element of a vector is; up to {} such changes to each of up to {} spellings of every form,
at its newest target, judged by ptxas and by the checker; where they differ ptxas is asked again about a module with nothing else, and
makes code of what the checker refuses alone, since some errors it finds only then. Most of these programs are wrong on purpose and like none that is written.
",
        sample.changes, sample.spellings
    )
}

/// Types of registers.
const REGISTERS: [&str; 16] =
    ["b8", "b16", "b32", "b64", "b128", "u16", "u32", "u64", "s16", "s32", "s64", "f16", "f16x2", "f32", "f64", "pred"];
/// What is no register; `%x` is one of 32 bits, `%w` one of 64, `%c` a predicate.
const OTHERS: [&str; 20] = [
    "0",
    "1",
    "-1",
    "300",
    "0x100000000",
    "0f3F800000",
    "0d3FF0000000000000",
    "1.5",
    "_",
    "{%x}",
    "{%x, %x}",
    "[%w]",
    "[%x]",
    "%x|%c",
    "!%c",
    "!%x",
    "-%x",
    "v",
    "%tid.x",
    "(%x)",
];
/// What an element of a vector is exchanged for; `%q` is a vector of two.
const ELEMENTS: [&str; 10] = ["1", "1.5", "0f3F800000", "_", "v", "%laneid", "%tid.x", "%clock64", "%q.x", "%c"];

/// One question.
struct Case {
    place: Place,
    point: Point,
    sampler: bool,
    body: String,
    shown: String,
}

/// Judges the records that the arguments name; records the result if there are no arguments.
pub fn run(table: &'static Table, judges: &Judges, arguments: &[String]) -> Result<(), String> {
    let (sample, names) = Sample::parse(arguments)?;
    let named = |r: &Record| names.is_empty() || names.iter().any(|a| *a == r.name || *a == r.chapter);
    let mut tally = Tally::default();
    for (r, record) in table.records.iter().enumerate().filter(|(_, r)| named(r)) {
        let mut cases = Vec::new();
        for (f, form) in record.forms.iter().enumerate() {
            let failed = |e| format!("{}: {}: {e}", record.name, form.text);
            let spellings = table.enumerate(record, form, sample.spellings, 5 + sample.seed as u64).map_err(failed)?;
            spellings.iter().for_each(|m| add(&mut cases, (r, f), m, &sample));
        }
        let mut theirs = vec![None; cases.len()];
        let module = |i: usize| (cases[i].point, cases[i].sampler);
        judge_bodies(judges, cases.len(), module, |i| Some(&cases[i].body), &mut theirs)?;
        let ours: Vec<Option<String>> = cases.iter().map(|c| refusal(table, c)).collect();
        asked_again(judges, &cases, &mut theirs, &ours)?;
        for (case, (theirs, ours)) in cases.iter().zip(theirs.iter().zip(&ours)) {
            tally.count(table, case.place, theirs.is_none(), ours.is_none());
            match (theirs, ours) {
                (None, Some(why)) => tally.differs(table, case.place, &format!("the checker refuses: {}", plain(why))),
                (Some(why), None) => tally.differs(table, case.place, &format!("ptxas refuses: {}", plain(why))),
                _ => {}
            }
        }
        report(table, &cases, &theirs, &ours, sample.shown);
    }
    println!("{tally}");
    if arguments.is_empty() {
        tally.write("operands.md", &judges.version()?, &about(&sample))?;
    }
    if tally.differ() == 0 { Ok(()) } else { Err("the checker and ptxas differ".into()) }
}

/// Asks ptxas again about what it and the checker judge differently, each case in a module of its own: in a shared one the helpers that ptxas
/// makes for an instruction keep the types of its first use. Of what it accepted it makes code: some errors it finds only then.
fn asked_again(judges: &Judges, cases: &[Case], theirs: &mut [Option<String>], ours: &[Option<String>]) -> Result<(), String> {
    let doubtful: Vec<usize> = (0..cases.len()).filter(|&i| theirs[i].is_none() != ours[i].is_none()).collect();
    let found = side_by_side(&doubtful, |&i| {
        let Case { point, sampler, body, .. } = &cases[i];
        match theirs[i] {
            None => judges.of(*point).assemble(*point, *sampler, body),
            Some(_) => Ok(judges.of(*point).judge(*point, *sampler, &[body])?.pop().flatten()),
        }
    })?;
    doubtful.into_iter().zip(found).for_each(|(i, verdict)| theirs[i] = verdict);
    Ok(())
}

/// The questions about one spelling, at the newest point where it is available.
fn add(cases: &mut Vec<Case>, place: Place, spelling: &Match, sample: &Sample) {
    let style = Style::default();
    let names = style.names(spelling);
    let all = points();
    let mut newest = NEWEST.iter().chain(all.iter().rev());
    let Some(&point) = newest.find(|p| spelling.available_with(&names, p.version, p.target)) else { return };
    let opcode = spelling.opcode();
    let probe = probe::write(&opcode, spelling, &style, point);
    let mut random = Random::of(&format!("{opcode}{}", sample.seed));
    let mut asked = HashSet::new();
    for _ in 0..sample.changes {
        let Some((declarations, operands)) = exchanged(&probe, &mut random) else { continue };
        let body = probe::body(&declarations, &opcode, &operands);
        let shown = format!("{} with{}", probe::instruction(&opcode, &operands), declarations.replace(".reg ", " "));
        if asked.insert(body.clone()) {
            cases.push(Case { place, point, sampler: probe.sampler, body, shown });
        }
    }
}

/// Declarations and operands, one of them exchanged.
fn exchanged(probe: &Probe, random: &mut Random) -> Option<(String, Vec<String>)> {
    let mut operands = probe.operands.clone();
    let at = random.below(operands.len() + 1);
    let (operand, kind) = (operands.get(at)?.clone(), random.below(18));
    match kind {
        16.. => operands[at] = with_another_element(&operand, random)?,
        0 => drop(operands.remove(at)),
        1 => operands.insert(at, operand),
        2..6 => operands[at] = OTHERS[random.below(OTHERS.len())].to_owned(),
        // Some register in the operand gets another type.
        _ => {
            let registers: Vec<&str> = operand.split(|c: char| !is_register(c)).filter(|w| w.starts_with('%')).collect();
            if registers.is_empty() {
                return None;
            }
            let name = registers[random.below(registers.len())];
            let ty = REGISTERS[random.below(REGISTERS.len())];
            let parts: Vec<&str> = probe.declarations.split_inclusive(';').collect();
            let of = |part: &&str| part.starts_with(".reg") && part.ends_with(&format!(" {name};"));
            let others: String = parts.iter().copied().filter(|p| !of(p)).collect();
            return Some((format!("{others}.reg .{ty} {name};"), operands));
        }
    }
    Some((format!("{}.reg .b32 %x;.reg .b64 %w;.reg .pred %c;.reg .v2 .b32 %q;", probe.declarations), operands))
}

/// A vector, one element of it exchanged; nothing where the operand has none.
fn with_another_element(operand: &str, random: &mut Random) -> Option<String> {
    let (before, rest) = operand.split_once('{')?;
    let (inside, behind) = rest.split_once('}')?;
    let mut elements: Vec<&str> = inside.split(',').map(str::trim).collect();
    let at = random.below(elements.len());
    elements[at] = ELEMENTS[random.below(ELEMENTS.len())];
    Some(format!("{before}{{{}}}{behind}", elements.join(", ")))
}

fn is_register(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '%' || c == '_'
}

/// Why the checker refuses a case; `None` if it accepts it.
fn refusal(table: &'static Table, case: &Case) -> Option<String> {
    let (text, _) = ptxas::module(case.point, case.sampler, &[&case.body]);
    let found = check::check(table, &text, None);
    found.into_iter().find(|d| d.severity == Severity::Error).map(|d| d.message)
}

/// A message without the numbers of elements: `%r_12` and `%r_3` are one reason.
fn plain(message: &str) -> String {
    let mut kept = String::new();
    for c in message.chars() {
        if !(c.is_ascii_digit() && kept.ends_with('_')) {
            kept.push(c);
        }
    }
    kept
}

fn report(table: &'static Table, cases: &[Case], theirs: &[Option<String>], ours: &[Option<String>], most: usize) {
    let wrong: Vec<usize> = (0..cases.len()).filter(|&i| theirs[i].is_none() != ours[i].is_none()).collect();
    for (n, &i) in wrong.iter().enumerate() {
        let first = n == 0 || cases[wrong[n - 1]].place != cases[i].place;
        if first {
            println!("{}", super::heading(table, cases[i].place));
        }
        let shown = wrong[..n].iter().filter(|&&j| cases[j].place == cases[i].place).count();
        match (&theirs[i], &ours[i]) {
            _ if shown >= most => {}
            (None, Some(why)) => println!("    {}\n        we refuse: {why}", cases[i].shown),
            (Some(why), _) => println!("    {}\n        ptxas refuses: {why}", cases[i].shown),
            (None, None) => {}
        }
    }
}
