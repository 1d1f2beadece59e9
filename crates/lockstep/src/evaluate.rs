//! One instruction on values, without a kernel.

use crate::error::{Error, Problem, Result};
use crate::{codes, table, value};
use diagnostics::{Diagnostic, Source, Span};
use isa::{Match, Notation, OperandType, Part, Resolution, Role, Shape, Sign, Type, Written};
use machine::row::Instance;
use std::sync::Arc;

/// A value that an instruction is given: its text, with the name of its operand where the writer says it.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Such as `a`; by position otherwise.
    pub name: Option<&'a str>,
    /// Such as `-3`, `0f3f800000`, or `0x1234.h1` where a part is selected.
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
}

/// An operand with its value.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// Its name in the form.
    pub name: &'static str,
    /// Its type.
    pub ty: &'static Type,
    /// Its bits.
    pub bits: u128,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// What the opcode was found to be.
    pub matched: Match,
    /// The sources as they were understood.
    pub sources: Vec<Value>,
    /// The results, in the order of the form, implicit ones last.
    pub results: Vec<Value>,
}

/// A lane function with its arguments, ready to be applied.
#[derive(Clone)]
pub struct Prepared {
    /// The record, form and modifiers.
    pub matched: Match,
    /// Its sources.
    pub sources: Vec<Value>,
    results: Vec<(&'static str, &'static Type)>,
    mods: machine::Mods,
    instance: &'static Instance,
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
/// There is no such instruction, the values are not those that it takes, or it is not one of a single thread's arithmetic.
pub fn evaluate(opcode: &str, given: &[Given]) -> Result<Evaluation> {
    Ok(prepare(opcode, given)?.apply())
}

/// What [`evaluate`] does before it applies the function.
///
/// # Errors
/// As for [`evaluate`].
pub fn prepare(opcode: &str, given: &[Given]) -> Result<Prepared> {
    let text = std::iter::once(opcode).chain(given.iter().map(|g| g.text)).collect::<Vec<_>>().join(" ");
    let wrong = |diagnostic: Diagnostic| {
        let source = Arc::new(Source::new("instruction", text.clone()));
        Error::new(vec![Problem { diagnostic, source }])
    };
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
    let mut first = None;
    for matched in &matches {
        match bind(matched, given) {
            Ok(prepared) => return Ok(prepared),
            Err(refusal) => first = first.or(Some((matched, refusal))),
        }
    }
    let Some((matched, refusal)) = first else {
        return Err(wrong(Diagnostic::error("E0213", opcode_span(opcode), format!("`{opcode}` has no form"))));
    };
    let form = matched.form.text;
    Err(wrong(match refusal {
        Refusal::Values(message, index) => {
            let at = index.map_or(opcode_span(opcode), |i| value_span(opcode, given, i));
            Diagnostic::error(codes::VALUE, at, message)
                .help(format!("the form is `{form}`: give the sources, in order or as NAME=VALUE"))
        }
        Refusal::Shape(message) => Diagnostic::error(codes::EVALUATE, opcode_span(opcode), message)
            .help("write a kernel around it and use `lockstep run`"),
    }))
}

fn opcode_span(opcode: &str) -> Span {
    Span::new(0, opcode.len() as u32)
}

fn value_span(opcode: &str, given: &[Given], index: usize) -> Span {
    let start = opcode.len() + 1 + given.iter().take(index).map(|g| g.text.len() + 1).sum::<usize>();
    Span::new(start as u32, (start + given.get(index).map_or(0, |g| g.text.len())) as u32)
}

/// Why values do not make a call.
enum Refusal {
    /// The values, with the index of the one at fault.
    Values(String, Option<usize>),
    /// The instruction is none of one lane.
    Shape(String),
}

/// The predicate type, which implicit operands have.
fn predicate() -> Option<&'static Type> {
    isa::Table::get().ok()?.type_named("pred")
}

fn bind(matched: &Match, given: &[Given]) -> std::result::Result<Prepared, Refusal> {
    let name = matched.record.name;
    let shape = |message: String| Refusal::Shape(message);
    let function = matched.function().ok_or_else(|| shape(format!("not executable yet: {name}")))?;
    let found = semantics::find(function).ok_or_else(|| shape(format!("not executable yet: {name} (no function {function})")))?;
    let semantics::Shape::Lane(instances) = &found.shape else {
        return Err(shape(format!("`{name}` does not compute one thread's results from values alone")));
    };
    let mut refusal = None;
    for variant in &matched.form.variants {
        match bind_variant(matched, variant, given) {
            Ok((sources, settings)) => return finish(matched, sources, settings, function, instances),
            Err(other) => refusal = refusal.or(Some(other)),
        }
    }
    Err(refusal.unwrap_or_else(|| Refusal::Values(format!("`{name}` has no operands"), None)))
}

type Settings = Vec<(&'static str, &'static str)>;

/// The sources of one selection of operands, and what selectors set.
fn bind_variant(matched: &Match, variant: &[usize], given: &[Given]) -> std::result::Result<(Vec<Value>, Settings), Refusal> {
    let operands = || variant.iter().map(|i| &matched.operands[*i]);
    let sources: Vec<&Part> = operands().flat_map(|o| &o.parts).filter(|p| p.role == Role::Source).collect();
    let implicit: Vec<&str> = matched.implicit().iter().filter(|i| i.role != Role::Destination).map(|i| i.name).collect();
    let names: Vec<&str> = sources.iter().map(|p| p.name).chain(implicit.iter().copied()).collect();
    let order = order(matched, &names, given)?;
    let (mut values, mut selectors) = (Vec::new(), Vec::new());
    for (index, name) in order.iter().zip(&names) {
        let part = sources.iter().find(|p| p.name == *name);
        let ty = part.map_or_else(predicate, |p| element(p.ty));
        let ty = ty.ok_or_else(|| Refusal::Shape(format!("operand `{name}` of `{}` is no value", matched.record.name)))?;
        let (text, selector) = split_selector(given[*index].text, part.is_some_and(|p| p.selector.is_some()));
        selectors.push(selector);
        let bits = value::parse(text, ty).map_err(|why| Refusal::Values(format!("operand `{name}`: {why}"), Some(*index)))?;
        values.push(Value { name: part.map_or("cc", |p| p.name), ty, bits });
    }
    let written = written(operands(), &values, &selectors);
    let fit = matched.fit(&written).map_err(|misfit| Refusal::Values(misfit.message, None))?;
    Ok((values, fit.settings))
}

/// Which given value each source takes.
fn order(matched: &Match, names: &[&str], given: &[Given]) -> std::result::Result<Vec<usize>, Refusal> {
    if given.len() != names.len() {
        let plural = if names.len() == 1 { "" } else { "s" };
        let message =
            format!("`{}` takes {} value{plural} ({}), not {}", matched.opcode(), names.len(), names.join(", "), given.len());
        return Err(Refusal::Values(message, None));
    }
    let unnamed = given.iter().all(|g| g.name.is_none());
    let find = |(i, name): (usize, &&str)| {
        let at = if unnamed { Some(i) } else { given.iter().position(|g| g.name == Some(*name)) };
        at.ok_or_else(|| Refusal::Values(format!("operand `{name}` of `{}` has no value", matched.opcode()), None))
    };
    names.iter().enumerate().map(find).collect()
}

/// `0x1234.h1` as `0x1234` and `h1`.
fn split_selector(text: &str, selects: bool) -> (&str, Option<&str>) {
    match text.rsplit_once('.') {
        Some((value, word)) if selects && word.starts_with(['b', 'h']) => (value, Some(word)),
        _ => (text, None),
    }
}

fn element(ty: OperandType) -> Option<&'static Type> {
    match ty {
        OperandType::Scalar(ty) => Some(ty),
        _ => None,
    }
}

/// The operands as a program with registers would have them, constants where only those may stand.
fn written<'a>(
    operands: impl Iterator<Item = &'a isa::Operand>,
    values: &[Value],
    selectors: &[Option<&'a str>],
) -> Vec<Written<'a>> {
    let mut next = 0;
    let shape = |operand: &'a isa::Operand| {
        let part = &operand.parts[0];
        if part.role != Role::Source {
            return if operand.notation == Notation::Pair { Shape::Pair([false; 2]) } else { Shape::Name };
        }
        let (value, selector) = (values.get(next), selectors.get(next).copied().flatten());
        next += operand.parts.len();
        match (selector, value) {
            (Some(word), _) => Shape::Selected(word),
            (None, Some(value)) if part.limits.immediate => Shape::Integer(value.bits as i128),
            _ => Shape::Name,
        }
    };
    operands.map(shape).map(|shape| Written { sign: Sign::None, shape }).collect()
}

fn finish(
    matched: &Match,
    sources: Vec<Value>,
    settings: Settings,
    function: &str,
    instances: &'static [Instance],
) -> std::result::Result<Prepared, Refusal> {
    let mods = engine::bind::mods(matched.settings.iter().chain(&settings)).map_err(Refusal::Shape)?;
    let mut results = Vec::new();
    for part in matched.parts().filter(|p| p.role != Role::Source) {
        let ty = element(part.ty).ok_or_else(|| Refusal::Shape(format!("result `{}` is no value", part.name)))?;
        results.push((part.name, ty));
    }
    let implicit = matched.implicit().iter().filter(|i| i.role != Role::Source);
    results.extend(implicit.filter_map(|i| Some((i.name, predicate()?))));
    let result_types: Vec<_> = results.iter().map(|(_, ty)| engine::bind::machine_type(ty)).collect();
    let source_types: Vec<_> = sources.iter().map(|v| engine::bind::machine_type(v.ty)).collect();
    let instance = semantics::instance(instances, &result_types, &source_types).ok_or_else(|| {
        Refusal::Shape(format!("not executable yet: {function} has no instance for {source_types:?} -> {result_types:?}"))
    })?;
    Ok(Prepared { matched: matched.clone(), sources, results, mods, instance })
}

impl Prepared {
    /// Applies the function to its sources.
    pub fn apply(self) -> Evaluation {
        let bits: Vec<u128> = self.sources.iter().map(|v| v.bits).collect();
        let out = (self.instance.one)(self.mods, &bits);
        let result = |((name, ty), bits): (&(&'static str, &'static Type), u128)| {
            let mask = if ty.bits >= 128 { u128::MAX } else { (1 << ty.bits) - 1 };
            Value { name, ty, bits: bits & mask }
        };
        let results = self.results.iter().zip(out).map(result).collect();
        Evaluation { matched: self.matched, sources: self.sources, results }
    }
}
