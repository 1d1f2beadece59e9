//! Instructions of a kernel that follow each other more closely than hardware takes care of.
//!
//! Which may do so on some path is found when a kernel is lowered (`amdgpu::hazard`). Where there are none, nothing is added to the kernel. Where there
//! are, each instruction gets an op that notes it, and those that may come too early one that looks at what the wavefront has issued.
//! Paths over addresses in registers are not followed.

use amdgpu::codec::{Codec, Decoded};
use amdgpu::hazard::{Facts, Finding, Rules, Suspect};
use machine::Op;
use machine::hazard::{Early, Watch, issue};
use std::collections::{HashMap, HashSet};

/// What is to be watched in a kernel.
pub struct Hazards {
    rules: Rules,
    facts: Vec<Facts>,
    /// Where rules may be broken, by the instruction that may come too early.
    suspects: HashMap<usize, Vec<Suspect>>,
    /// Each with a path on which it is.
    pub findings: Vec<Finding>,
}

/// Looks for rules that a program may break; `after` gives the instructions that may follow one.
///
/// # Errors
/// The table is wrong.
pub fn search<'d>(
    codec: &Codec,
    program: impl Iterator<Item = Option<&'d Decoded<'d>>>,
    after: impl Fn(usize) -> [Option<usize>; 2],
) -> Result<Option<Hazards>, String> {
    let rules = Rules::of(codec)?;
    let mut reader = rules.reader(codec);
    let facts: Vec<Facts> = program.map(|decoded| decoded.map(|decoded| reader.facts(decoded)).unwrap_or_default()).collect();
    let found = rules.search(codec, &facts, after);
    if found.is_empty() {
        return Ok(None);
    }
    let mut suspects: HashMap<usize, Vec<Suspect>> = HashMap::new();
    found.iter().for_each(|(suspect, _)| suspects.entry(suspect.then).or_default().push(*suspect));
    let findings = found.into_iter().map(|found| found.1).collect();
    Ok(Some(Hazards { rules, facts, suspects, findings }))
}

impl Hazards {
    /// The findings, but those whose rule is doubted where another is broken between the same instructions.
    pub fn certain(&self) -> impl Iterator<Item = &Finding> {
        let pair = |finding: &Finding| (finding.first, finding.then);
        let sure: HashSet<(usize, usize)> = self.findings.iter().filter(|f| f.against.is_none()).map(pair).collect();
        self.findings.iter().filter(move |finding| finding.against.is_none() || !sure.contains(&pair(finding)))
    }

    /// The op of an instruction, counted from 0, before all others of it.
    pub fn op(&self, instruction: usize) -> Op {
        let arity = if self.suspects.contains_key(&instruction) { 2 } else { 1 };
        Op { imm: instruction as i32, arity, ..Op::new(issue) }
    }

    /// What these ops ask.
    pub fn watch(self, codec: Codec) -> Watch {
        Watch(Box::new(move |issued, then| {
            let suspects = self.suspects.get(&(then as usize)).map_or(&[][..], |suspects| &suspects[..]);
            let before = issued.iter().rev().map(|number| *number as usize);
            let early = |found: Finding| Early {
                message: found.message(),
                note: found.note(),
                help: found.help(),
                first: found.first as u32,
                doubted: found.against.map(|_| found.hazard.name),
            };
            self.rules.replay(&codec, &self.facts, suspects, before).into_iter().map(early).collect()
        }))
    }
}
