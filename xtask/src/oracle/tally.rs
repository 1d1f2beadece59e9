//! How often the table and ptxas agree, by instruction.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;

use isa::Table;

use super::{Case, Place};

/// Below this share an instruction is listed.
const LISTED: f64 = 0.999;

/// Questions, and how many of them the table answers as ptxas does.
#[derive(Clone, Copy, Default)]
pub struct Count {
    pub judged: usize,
    pub agree: usize,
}

impl Count {
    fn share(self) -> f64 {
        if self.judged == 0 { 1.0 } else { self.agree as f64 / self.judged as f64 }
    }

    /// Counts one answer.
    pub fn one(&mut self, agree: bool) {
        self.judged += 1;
        self.agree += usize::from(agree);
    }

    fn add(&mut self, other: Count) {
        self.judged += other.judged;
        self.agree += other.agree;
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounded down: nothing reads 100 % that is not all.
        let share = (self.share() * 1e5).floor() / 1e3;
        write!(f, "{} of {} ({share:.3} %)", self.agree, self.judged)
    }
}

/// Counts by chapter and instruction, what ptxas accepts and what it refuses apart.
#[derive(Default)]
pub struct Tally {
    instructions: BTreeMap<(String, String), [Count; 2]>,
    /// How often an instruction is judged otherwise, and why.
    reasons: BTreeMap<(String, String), usize>,
}

impl Tally {
    /// Counts some cases.
    pub fn add(&mut self, table: &Table, cases: &[Case], verdicts: &[Option<String>]) {
        for (case, verdict) in cases.iter().zip(verdicts) {
            self.count(table, case.form, verdict.is_none(), case.expected);
        }
    }

    /// Counts one answer about a form of a record.
    pub fn count(&mut self, table: &Table, form: Place, theirs: bool, ours: bool) {
        let record = &table.records[form.0];
        let counts = self.instructions.entry((record.chapter.to_string(), record.name.to_string())).or_default();
        counts[usize::from(!theirs)].one(theirs == ours);
    }

    /// Notes why one answer differs.
    pub fn differs(&mut self, table: &Table, form: Place, reason: &str) {
        let name = table.records[form.0].name.to_string();
        *self.reasons.entry((name, reason.to_owned())).or_default() += 1;
    }

    pub fn is_empty(&self) -> bool {
        self.instructions.is_empty()
    }

    fn total(&self) -> [Count; 2] {
        let mut total = [Count::default(); 2];
        self.instructions.values().for_each(|c| total.iter_mut().zip(c).for_each(|(t, c)| t.add(*c)));
        total
    }

    /// How many answers differ.
    pub fn differ(&self) -> usize {
        self.total().iter().map(|c| c.judged - c.agree).sum()
    }

    /// Records the result beside the verdicts, in a file with some words about what was judged.
    pub fn write(&self, name: &str, version: &str, about: &str) -> Result<(), String> {
        let file = crate::root().join("tests/verdicts").join(name);
        let text = format!("# Agreement with ptxas {version}\n\n{about}\n{self}");
        fs::write(&file, text).map_err(|e| format!("cannot write {}: {e}", file.display()))
    }
}

impl Tally {
    fn write_reasons(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.reasons.is_empty() {
            writeln!(f, "\nEvery difference, by its reason:\n\n| instruction | times | reason |\n| --- | --- | --- |")?;
        }
        self.reasons
            .iter()
            .try_for_each(|((name, reason), times)| writeln!(f, "| {name} | {times} | {} |", reason.replace('|', "\\|")))
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [accepted, refused] = self.total();
        writeln!(f, "Of what ptxas accepts, the table accepts {accepted}; of what it refuses, the table refuses {refused}.\n")?;
        let short = |c: &[Count; 2]| c.iter().any(|c| c.share() < LISTED);
        let listed: Vec<_> = self.instructions.iter().filter(|(_, c)| short(c)).collect();
        if listed.is_empty() {
            writeln!(f, "No instruction is under {} % either way.", LISTED * 100.0)?;
            return self.write_reasons(f);
        }
        writeln!(f, "Instructions under {} % either way:\n", LISTED * 100.0)?;
        writeln!(f, "| chapter | instruction | accepted | refused |\n| --- | --- | --- | --- |")?;
        for ((chapter, name), [accepted, refused]) in listed {
            writeln!(f, "| {chapter} | {name} | {accepted} | {refused} |")?;
        }
        self.write_reasons(f)
    }
}
