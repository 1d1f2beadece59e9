//! Whether the one-instruction tests would notice a wrong function.
//!
//! Mutants of each lane function are made from outside, without compiling anything: one whose result has a wrong bit, one that does
//! not look at a source, one that does not know a setting (a modifier or selector). A mutant is noticed if some line that runs the
//! function expects another result than the mutant gives. What no line notices is a gap in the tests, listed here by name.
//!
//! Says nothing of mistakes that need particular values to show: those are found by the exhaustive and sampled comparisons with
//! other libraries (crates/numerics, crates/semantics).

#[path = "support/lines.rs"]
mod lines;

use engine::bind;
use lockstep::evaluate::{Evaluation, Given, evaluate};
use machine::Mods;
use machine::row::Instance;
use semantics::Shape;
use std::collections::{BTreeMap, BTreeSet};

/// Functions that no line can run: what the engine puts between instructions and registers of other widths, and what needs an address.
/// tests/kernels and the generated programs of crates/engine run them.
const ELSEWHERE: &[&str] = &[
    "move::zero_extend ",
    "move::sign_extend ",
    "move::not_predicate ",
    "move::mov [U8]",
    "address::to_generic ",
    "address::from_generic ",
];

/// A line with the function that it runs.
struct Line {
    done: Evaluation,
    instance: &'static Instance,
    settings: Vec<(&'static str, &'static str)>,
    /// How many results it expects.
    expected: usize,
}

fn line(case: &lines::Case) -> Option<(String, Line)> {
    let given: Vec<Given> = case.inputs.iter().map(|(n, v)| Given { name: Some(n), text: v }).collect();
    let done = evaluate(&case.opcode, &given).unwrap_or_else(|e| panic!("{}: {e}", case.place));
    let name = done.matched.function()?;
    let Shape::Lane(instances) = semantics::find(name)?.shape else { return None };
    let types = |values: &[lockstep::evaluate::Value]| values.iter().map(|v| bind::machine_type(v.ty)).collect::<Vec<_>>();
    let (results, sources) = (types(&done.results), types(&done.sources));
    let instance = semantics::instance(instances, &results, &sources)?;
    let settings = done.matched.settings.iter().chain(&done.selected).copied().collect();
    Some((instance_name(name, instance), Line { instance, settings, expected: case.results.len(), done }))
}

fn instance_name(function: &str, instance: &Instance) -> String {
    format!("{function} {:?} -> {:?}", instance.sources, instance.results)
}

impl Line {
    fn mods(&self, without: Option<(&str, &str)>) -> Option<Mods> {
        bind::mods(self.settings.iter().filter(|s| Some(**s) != without)).ok()
    }

    /// Whether other results than these are expected.
    fn notices(&self, results: [u128; 2]) -> bool {
        self.done.results.iter().zip(results).take(self.expected).any(|(value, bits)| {
            let mask = if value.ty.bits >= 128 { u128::MAX } else { (1 << value.ty.bits) - 1 };
            value.bits != bits & mask
        })
    }

    fn sources(&self) -> Vec<u128> {
        self.done.sources.iter().map(|v| v.bits).collect()
    }

    fn apply(&self, sources: &[u128]) -> [u128; 2] {
        (self.instance.one)(self.mods(None).unwrap_or_default(), sources)
    }
}

/// The mutants of a function that no line notices: wrong bits, blindness.
fn survivors(lines: &[&Line]) -> BTreeSet<String> {
    let mut survivors = BTreeSet::new();
    let Some(first) = lines.iter().max_by_key(|l| l.instance.sources.len()) else { return survivors };
    for result in 0..first.instance.results.len() {
        let wrong = |line: &Line| {
            let mut results = line.apply(&line.sources());
            results[result] ^= 1;
            line.notices(results)
        };
        if !lines.iter().copied().any(wrong) {
            survivors.insert(format!("a wrong bit in result {}", first.done.results[result].name));
        }
    }
    for source in 0..first.instance.sources.len() {
        // A mutant for each of these values, which it takes the source for.
        let sees = |bits: u128, line: &Line| {
            let mut sources = line.sources();
            let Some(ty) = line.instance.sources.get(source) else { return false };
            sources[source] = bits & (u128::MAX >> (128 - ty.bits().min(128)));
            line.notices(line.apply(&sources))
        };
        if ![0, 1, u128::MAX].into_iter().all(|bits| lines.iter().any(|line| sees(bits, line))) {
            survivors.insert(format!("blind to source {}", first.done.sources[source].name));
        }
    }
    survivors
}

/// A setting as the gaps name it: of the many selectors of two and four parts (`h13`), one stands for all.
fn setting_name((key, value): (&str, &str)) -> String {
    let parts = value.len() > 2 && value.starts_with(['b', 'h']) && value[1..].bytes().all(|b| b.is_ascii_digit());
    format!("{key}={}", if parts { "several parts" } else { value })
}

/// The settings of a function that no line tells from their absence, though there are values that do.
fn unheard(lines: &[&Line]) -> BTreeSet<String> {
    let mut silent: BTreeMap<String, Vec<(&Line, Mods, Mods)>> = BTreeMap::new();
    let mut heard = BTreeSet::new();
    for line in lines {
        for setting in &line.settings {
            let (Some(with), Some(without)) = (line.mods(None), line.mods(Some(*setting))) else { continue };
            if line.notices((line.instance.one)(without, &line.sources())) {
                heard.insert(setting_name(*setting));
            } else {
                silent.entry(setting_name(*setting)).or_default().push((line, with, without));
            }
        }
    }
    silent.retain(|name, _| !heard.contains(name));
    silent.retain(|_, lines| lines.iter().any(|(line, with, without)| matters(line.instance, [*with, *without])));
    silent.into_keys().collect()
}

/// Whether some values give other results with one setting than with the other: a word that a function has no use for is no mutant.
fn matters(instance: &Instance, [with, without]: [Mods; 2]) -> bool {
    const TRIES: usize = 500;
    let mut random = 0x1234_5678u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u128::from(random >> 32)
    };
    with != without
        && (0..TRIES).any(|_| {
            let value = |ty: &machine::Type| {
                let bits = next() | next() << 32 | next() << 64 | next() << 96;
                let value = match next() % 4 {
                    0 => bits,
                    1 => bits % 40,
                    2 => (bits % 40).wrapping_neg(),
                    // Few bits set, as in exponents of numbers and in edges.
                    _ => bits & bits >> 7 & bits >> 19,
                };
                value & (u128::MAX >> (128 - ty.bits().min(128)))
            };
            let sources: Vec<u128> = instance.sources.iter().map(value).collect();
            (instance.one)(with, &sources) != (instance.one)(without, &sources)
        })
}

#[test]
fn lines_notice_wrong_functions() {
    let mut by_instance: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    for case in lines::examples().iter().chain(&lines::lines()) {
        if let Some((name, line)) = line(case) {
            by_instance.entry(name).or_default().push(line);
        }
    }
    let mut gaps = Vec::new();
    let mut by_function: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for (name, lines) in &by_instance {
        by_function.entry(name.split(' ').next().unwrap_or(name)).or_default().extend(lines);
    }
    for (name, lines) in &by_function {
        gaps.extend(survivors(lines).into_iter().map(|mutant| format!("{name}: {mutant}")));
        gaps.extend(unheard(lines).into_iter().map(|setting| format!("{name}: deaf to {setting}")));
    }
    // What AMD's records alone name is run by the lines of tests/run/amdgpu.
    let table = lockstep::table().expect("the table");
    let named: BTreeSet<&str> =
        table.records.iter().flat_map(|r| &r.forms).filter_map(|f| f.run.as_ref()).map(|r| r.function).collect();
    for function in semantics::MODULES.iter().flat_map(|m| m.functions).filter(|f| named.contains(f.name)) {
        if let Shape::Lane(instances) = function.shape {
            let names = instances.iter().map(|i| instance_name(function.name, i));
            let unrun = names.filter(|n| !by_instance.contains_key(n) && !ELSEWHERE.iter().any(|e| n.starts_with(e)));
            gaps.extend(unrun.map(|n| format!("{n}: no line runs it")));
        }
    }
    let count: usize = by_instance.values().map(Vec::len).sum();
    println!("{} instances, {count} lines, {} gaps", by_instance.len(), gaps.len());
    assert!(gaps.is_empty(), "{} gaps:\n{}", gaps.len(), gaps.join("\n"));
}
