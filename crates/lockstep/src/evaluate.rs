//! One instruction on values, without a kernel.
//!
//! What computes one thread's results is applied directly. What looks at the lanes of a warp, and what moves vectors, runs in a kernel
//! of one warp that is written for it (`warp`). Memory and the flow of control are none of this: they need a kernel of the user's.

mod amdgpu;
mod bind;
mod warp;

pub use amdgpu::{AmdEvaluation, evaluate_amd};

use crate::error::{Error, Problem, Result};
use crate::{codes, table};
use bind::{Bound, Rank, Refusal};
use diagnostics::{Diagnostic, Source, Span};
use isa::{Match, OperandType, Resolution, Role, Type};
use std::sync::Arc;

/// Lanes of a warp.
pub const LANES: usize = 32;

/// A value that an instruction is given: its text, with the name of its operand where the writer says it.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Such as `a`; by position otherwise.
    pub name: Option<&'a str>,
    /// Such as `-3`, `0f3f800000`, `{1,2}` for a vector, or `0x1234.h1` where a part is selected; for the lanes of a warp `arange`,
    /// 32 values (`1*16,2*16`), or `mask:0xff` of predicates.
    pub text: &'a str,
}

impl<'a> Given<'a> {
    /// From `a=-3` or `-3`.
    pub fn parse(text: &'a str) -> Self {
        match text.split_once('=') {
            Some((name, text)) => Given { name: Some(name), text },
            None => Given { name: None, text },
        }
    }

    /// As it was written.
    fn written(&self) -> String {
        self.name.map_or_else(|| self.text.to_owned(), |name| format!("{name}={}", self.text))
    }
}

/// An operand with its value.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// Its name in the form.
    pub name: &'static str,
    /// Which element it is, where the operand is a vector.
    pub element: Option<u32>,
    /// Its type.
    pub ty: &'static Type,
    /// Its bits.
    pub bits: u128,
}

/// An operand with its value in each lane of a warp.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name in the form.
    pub name: &'static str,
    /// Which element it is, where the operand is a vector.
    pub element: Option<u32>,
    /// Its type.
    pub ty: &'static Type,
    /// Its bits.
    pub lanes: [u128; LANES],
}

impl Row {
    /// The value, if it is the same in the lanes of the mask.
    pub fn uniform(&self, mask: u32) -> Option<Value> {
        let bits = self.lanes[(mask.trailing_zeros() as usize).min(LANES - 1)];
        let same = (0..LANES).all(|lane| mask >> lane & 1 == 0 || self.lanes[lane] == bits);
        same.then_some(Value { name: self.name, element: self.element, ty: self.ty, bits })
    }
}

/// What came out of one thread's computation.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// What the opcode was found to be.
    pub matched: Match,
    /// What selectors of operands told the function, in addition to the settings of the match.
    pub selected: Vec<(&'static str, &'static str)>,
    /// The sources as they were understood.
    pub sources: Vec<Value>,
    /// The results, in the order of the form, implicit ones last.
    pub results: Vec<Value>,
}

/// What came out of a warp.
#[derive(Clone, Debug)]
pub struct WarpEvaluation {
    /// What the opcode was found to be.
    pub matched: Match,
    /// What selectors of operands told the function, in addition to the settings of the match.
    pub selected: Vec<(&'static str, &'static str)>,
    /// The lanes that executed it.
    pub executing: u32,
    /// The sources as they were understood.
    pub sources: Vec<Row>,
    /// The results, in the order of the form; only executing lanes have one.
    pub results: Vec<Row>,
}

impl WarpEvaluation {
    /// The same for one thread, if all executing lanes have the same values.
    pub fn uniform(&self) -> Option<Evaluation> {
        let values = |rows: &[Row]| rows.iter().map(|row| row.uniform(self.executing)).collect::<Option<Vec<Value>>>();
        let (sources, results) = (values(&self.sources)?, values(&self.results)?);
        Some(Evaluation { matched: self.matched.clone(), selected: self.selected.clone(), sources, results })
    }
}

/// What came out.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// One thread's results.
    Thread(Evaluation),
    /// Those of a warp.
    Warp(WarpEvaluation),
}

/// Executes an instruction such as `mul.hi.s32` on values.
///
/// ```
/// use lockstep::evaluate::{Given, evaluate};
/// # fn main() -> lockstep::Result<()> {
/// let done = evaluate("mul.hi.s32", &["-3", "0x40000000"].map(Given::parse))?;
/// assert_eq!(done.results[0].bits, 0xffff_ffff);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// There is no such instruction, the values are not those that it takes, it needs memory or other things than values, or the lanes of a
/// warp get different results.
pub fn evaluate(opcode: &str, given: &[Given]) -> Result<Evaluation> {
    let many = || Error::plain(codes::EVALUATE, format!("the lanes of `{opcode}` differ"), "use evaluate_lanes");
    match evaluate_lanes(opcode, given, u32::MAX)? {
        Outcome::Thread(done) => Ok(done),
        Outcome::Warp(done) => done.uniform().ok_or_else(many),
    }
}

/// Executes an instruction in the lanes of a warp that the mask `executing` names, on values that may differ between lanes.
///
/// ```
/// use lockstep::evaluate::{Given, Outcome, evaluate_lanes};
/// # fn main() -> lockstep::Result<()> {
/// let given = ["arange", "1", "0", "0xffffffff"].map(Given::parse);
/// let Outcome::Warp(done) = evaluate_lanes("shfl.sync.up.b32", &given, u32::MAX)? else { panic!() };
/// assert_eq!(done.results[0].lanes[..3], [0, 0, 1]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As for [`evaluate`]; or the instruction went wrong, as with lanes that are not in the member mask.
pub fn evaluate_lanes(opcode: &str, given: &[Given], executing: u32) -> Result<Outcome> {
    let text = std::iter::once(opcode.to_owned()).chain(given.iter().map(Given::written)).collect::<Vec<_>>().join(" ");
    let wrong = |diagnostic: Diagnostic| {
        let source = Arc::new(Source::new("instruction", text.clone()));
        Error::new(vec![Problem { diagnostic, source }])
    };
    if let Some(end) = opcode.find(|c: char| c.is_whitespace() || c == ';') {
        let at = Span::new(end as u32, opcode.len() as u32);
        let help =
            format!("give the opcode alone and then a value for each source: `lockstep eval {} VALUE ...`", &opcode[..end]);
        return Err(wrong(Diagnostic::error(codes::VALUE, at, "an opcode has no operands or semicolon").help(help)));
    }
    let matches = match table()?.resolve(opcode) {
        Ok(Resolution::Matches(matches)) => matches,
        Ok(Resolution::Pending(pending)) => {
            let message = format!("not executable yet: {} ({})", pending.name, pending.title);
            return Err(wrong(Diagnostic::error(codes::EVALUATE, opcode_span(opcode), message)));
        }
        Err(unresolved) => {
            let at = Span::new(unresolved.at.start as u32, unresolved.at.end as u32);
            let mut diagnostic = Diagnostic::error("E0213", at, unresolved.message);
            diagnostic.help = unresolved.help;
            return Err(wrong(diagnostic));
        }
    };
    let mut nearest: Option<(&Match, Refusal)> = None;
    for matched in &matches {
        match bind::bind(matched, given).and_then(|bound| apply(matched, &bound, executing)) {
            Ok(outcome) => return Ok(outcome),
            Err(refusal) if nearest.as_ref().is_none_or(|(_, n)| n.rank < refusal.rank) => nearest = Some((matched, refusal)),
            Err(_) => {}
        }
    }
    let Some((matched, mut refusal)) = nearest else {
        return Err(wrong(Diagnostic::error("E0213", opcode_span(opcode), format!("`{opcode}` has no form"))));
    };
    if let Some((name, given)) = refusal.vector {
        let parts = matches.iter().flat_map(|m| &m.operands).flat_map(|o| &o.parts).filter(|p| p.name == name);
        refusal.message = isa::wrong_length(parts, given).unwrap_or(refusal.message);
        refusal.help = Some(format!("the form is `{}`: give a value for each element, in braces", matched.form.text));
    }
    let at = refusal.index.map_or(opcode_span(opcode), |i| value_span(opcode, given, i));
    let code = if refusal.rank == Rank::Shape { codes::EVALUATE } else { codes::VALUE };
    let help = refusal.help.unwrap_or_else(|| format!("the form is `{}`: {}", matched.form.text, how_to_give(matched)));
    Err(wrong(Diagnostic::error(code, at, refusal.message).help(help)))
}

/// What the values of a form are, and how destinations are written that need it.
fn how_to_give(matched: &Match) -> String {
    let mut text = "give the sources, in order or as NAME=VALUE".to_owned();
    for part in matched.operands.iter().flat_map(|o| &o.parts) {
        let braces = |n| format!("{{{}}}", vec!["_"; n as usize].join(","));
        match (part.role, part.ty, part.selector) {
            (Role::Source, OperandType::Vector(n, _), _) => text += &format!("; {} is a vector of {n}, {}", part.name, braces(n)),
            (Role::Source, ..) => {}
            (_, OperandType::Vector(n, _), _) => text += &format!("; and {}={} for the result", part.name, braces(n)),
            (.., Some((words, true))) => {
                let word = words.first().map_or("", |w| w.trim_start_matches('.'));
                text += &format!("; and the part to write, such as {}.{word}", part.name);
            }
            _ => {}
        }
    }
    text
}

fn opcode_span(opcode: &str) -> Span {
    Span::new(0, opcode.len() as u32)
}

fn value_span(opcode: &str, given: &[Given], index: usize) -> Span {
    let start = opcode.len() + 1 + given.iter().take(index).map(|g| g.written().len() + 1).sum::<usize>();
    Span::new(start as u32, (start + given.get(index).map_or(0, |g| g.written().len())) as u32)
}

/// Applies the function of a match: as one value where it is one of a lane and all lanes are given the same, else in a warp.
fn apply(matched: &Match, bound: &Bound, executing: u32) -> std::result::Result<Outcome, Refusal> {
    let name = matched.record.name;
    let function =
        matched.function().ok_or_else(|| Refusal::shape(format!("not executable yet: {name}"), "see `lockstep explain`"))?;
    let found = semantics::find(function);
    let found = found.ok_or_else(|| Refusal::shape(format!("not executable yet: {name} (no function {function})"), ""))?;
    let same: Option<Vec<Value>> = bound.sources.iter().map(|row| row.uniform(u32::MAX)).collect();
    match (&found.shape, same) {
        (semantics::Shape::Lane(instances), Some(sources)) => {
            let mods = engine::bind::mods(matched.settings.iter().chain(&bound.settings));
            let mods = mods.map_err(|why| Refusal::shape(why, ""))?;
            let types = |values: &[&'static Type]| values.iter().map(|ty| engine::bind::machine_type(ty)).collect::<Vec<_>>();
            let result_types = types(&bound.results.iter().map(|r| r.ty).collect::<Vec<_>>());
            let source_types = types(&sources.iter().map(|v| v.ty).collect::<Vec<_>>());
            let instance = semantics::instance(instances, &result_types, &source_types).ok_or_else(|| {
                let message = format!("not executable yet: {function} has no instance for {source_types:?} -> {result_types:?}");
                Refusal::shape(message, "")
            })?;
            let out = (instance.one)(mods, &sources.iter().map(|v| v.bits).collect::<Vec<_>>());
            let value = |(r, bits): (&bind::Result, u128)| Value {
                name: r.name,
                element: r.element,
                ty: r.ty,
                bits: bits & (u128::MAX >> (128 - r.ty.bits.min(128))),
            };
            let results = bound.results.iter().zip(out).map(value).collect();
            let selected = bound.settings.clone();
            Ok(Outcome::Thread(Evaluation { matched: matched.clone(), selected, sources, results }))
        }
        _ => warp::run(matched, bound, executing).map(Outcome::Warp),
    }
}
