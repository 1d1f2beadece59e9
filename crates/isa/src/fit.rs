//! From written operands to those of a form, by their number and shape.
//!
//! Several forms of one opcode may differ by operands alone (`mov` of a scalar, of a vector), and operands may be left out
//! in the middle (`bar.red.popc.u32 d, a{, b}, {!}c`). Where only the types of registers tell two forms apart, they do; otherwise
//! they are not looked at.

use crate::form::{Notation, Role, Sign};
use crate::pattern;
use crate::resolve::{Match, Operand, Part, listed, set};
use crate::text::Text;
use crate::types::{Class, OperandType, Type};
use std::collections::BTreeSet;

/// An operand as a program has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Written<'a> {
    /// What stands before it.
    pub sign: Sign,
    /// What it is.
    pub shape: Shape<'a>,
}

/// What an operand looks like, without its meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape<'a> {
    /// A special register, component of a vector, variable, label or function; a register of a type that does not matter.
    Name,
    /// A register declared with this type.
    Register(&'static Type),
    /// A register with a selector, such as `b0` of `.b0`.
    Selected(&'a str),
    /// An integer constant.
    Integer(i128),
    /// A floating-point constant.
    Float,
    /// A symbol plus an offset, such as `v+4`: an integer constant that nobody knows yet, whatever the symbol is.
    Displaced,
    /// `_`
    Sink,
    /// `d|p`, and which of the two are `_`.
    Pair([bool; 2]),
    /// `{...}|p` of so many elements, and whether `p` is `_`.
    VectorPair(usize, bool),
    /// `{...}`, or a vector register, of so many elements.
    Vector(usize),
    /// `(...)` of so many elements.
    Parenthesised(usize),
    /// `a[1]` of an array.
    Element,
    /// `[a+4]`
    Address,
    /// `[a, b]`
    AddressList(Parts),
}

/// The parts of an operand in brackets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    count: usize,
    /// How many elements `{...}` has, for each part; 0 for a name, [`Parts::OTHER`] for a constant.
    vectors: [u8; Parts::MOST],
}

impl Parts {
    /// More parts are counted, but their vectors are not seen: no form has so many.
    const MOST: usize = 10;
    /// Neither a name nor a vector.
    const OTHER: u8 = u8::MAX;

    /// From the shapes of the parts.
    pub fn new<'a>(shapes: impl IntoIterator<Item = Shape<'a>>) -> Parts {
        let mut parts = Parts::default();
        for shape in shapes {
            if let Some(vector) = parts.vectors.get_mut(parts.count) {
                *vector = match shape {
                    Shape::Vector(n) => n.min(usize::from(Parts::OTHER)) as u8,
                    Shape::Integer(_) | Shape::Float => Parts::OTHER,
                    _ => 0,
                };
            }
            parts.count += 1;
        }
        parts
    }

    /// Whether each is a vector where a vector is expected.
    fn admitted(self, expected: &[Part]) -> Result<(), String> {
        if self.count != expected.len() {
            return Err(format!("{} parts in brackets are expected", expected.len()));
        }
        let wrong = expected.iter().zip(self.vectors).find_map(|(part, written)| match (part.ty, written) {
            (OperandType::Vector(n, _), m) if n == u32::from(m) || part.limits.padded_to(n, m.into()) => None,
            (OperandType::Vector(..), 0) if part.limits.bare => None,
            (OperandType::Vector(n, _), 0 | Parts::OTHER) => Some(format!("`{}` is a vector of {n}, in braces", part.name)),
            (OperandType::Vector(n, _), m) => Some(format!("`{}` is a vector of {n} elements, not of {m}", part.name)),
            (_, 0) => None,
            (_, Parts::OTHER) => Some(format!("`{}` is a register or variable", part.name)),
            (_, _) => Some(format!("`{}` is no vector", part.name)),
        });
        wrong.map_or(Ok(()), Err)
    }
}

/// Which written operand is which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// For each operand of the match the index of the written one; `None` where it was left out.
    pub operands: Vec<Option<usize>>,
    /// The names of what is written, the second part of a pair apart.
    pub names: Vec<Text>,
    /// What selectors tell the semantic function, in addition to the settings of the match.
    pub settings: Vec<(Text, Text)>,
}

/// Why written operands are not those of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The written operand at fault; `None` if there are too many or too few.
    pub operand: Option<usize>,
    /// One sentence without a full stop.
    pub message: String,
    /// What to write instead, where that is known.
    pub help: Option<String>,
}

/// Why a written operand may not stand where it does.
struct Refusal {
    message: String,
    help: Option<String>,
}

impl Refusal {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), help: Some(help.into()) }
    }
}

impl From<String> for Refusal {
    fn from(message: String) -> Refusal {
        Refusal { message, help: None }
    }
}

impl Match {
    /// Tells which written operand is which, by number and shape; where operands that may be left out make that ambiguous, by the types
    /// of registers.
    pub fn fit(&self, written: &[Written]) -> Result<Fit, Misfit> {
        let mut nearest: Option<Misfit> = None;
        let mut first = None;
        for variant in self.variants().filter(|v| v.len() == written.len()) {
            match self.fit_variant(variant, written) {
                Ok(fit) if self.holds(&fit, written) => return Ok(fit),
                Ok(fit) => first = first.or(Some(fit)),
                Err(misfit) if nearest.as_ref().is_none_or(|n| n.operand < misfit.operand) => nearest = Some(misfit),
                Err(_) => {}
            }
        }
        first.ok_or_else(|| nearest.unwrap_or_else(|| self.miscounted(written.len())))
    }

    fn fit_variant(&self, variant: &[usize], written: &[Written]) -> Result<Fit, Misfit> {
        let mut fit = Fit { operands: vec![None; self.operands.len()], names: Vec::new(), settings: Vec::new() };
        for (i, (&operand, written)) in variant.iter().zip(written).enumerate() {
            let misfit = |Refusal { message, help }| Misfit { operand: Some(i), message, help };
            let pattern = &self.operands[operand];
            // ptxas 13.5 takes a first operand `x|_` for `x` where no pair is asked for.
            let lone = Written { shape: Shape::Name, ..*written };
            let written = match (pattern.notation, written.shape) {
                (Notation::Plain, Shape::Pair([false, true])) if i == 0 => &lone,
                _ => written,
            };
            pattern.admits(written).map_err(misfit)?;
            fit.operands[operand] = Some(i);
            let alone = !matches!(written.shape, Shape::Pair(_) | Shape::VectorPair(..));
            fit.names.extend(pattern.written(alone).iter().map(|p| p.name));
            if let (Shape::Selected(word), Some((slot, _))) = (written.shape, self.form.operands[operand].parts[0].selector) {
                let slot = &self.form.slots[slot];
                let word = pattern::find(&slot.words, &dotted(word));
                let keys = self.form.run.iter().flat_map(|r| &r.settings).filter(|s| s.1 == slot.name);
                keys.for_each(|s| word.iter().for_each(|w| set(&mut fit.settings, s.0, &w[1..])));
            }
        }
        Ok(fit)
    }

    /// Whether the types of scalar operands hold the registers.
    fn holds(&self, fit: &Fit, written: &[Written]) -> bool {
        self.operands.iter().zip(&fit.operands).all(|(operand, index)| {
            match (index.map(|i| written[i].shape), &operand.parts[0]) {
                (Some(Shape::Register(register)), Part { ty: OperandType::Scalar(ty), limits, .. }) => {
                    ty.held_by(register, limits.wider) && limits.admit_declared(register)
                }
                (Some(Shape::Register(register)), Part { ty: OperandType::Vector(_, ty), limits, .. }) if limits.bare => {
                    ty.held_by(register, limits.wider) && limits.admit_declared(register)
                }
                _ => true,
            }
        })
    }

    fn miscounted(&self, written: usize) -> Misfit {
        let mut counts: Vec<usize> = self.variants().map(<[usize]>::len).collect();
        counts.sort_unstable();
        counts.dedup();
        let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
        let plural = if counts == ["1"] { "" } else { "s" };
        let message = format!(
            "`{}` takes {} operand{plural}, {written} {} written",
            self.opcode(),
            counts.join(" or "),
            if written == 1 { "is" } else { "are" }
        );
        Misfit { operand: None, message, help: None }
    }
}

/// Finds the match that the written operands fit, and how: the first whose types hold the registers, else the first; the misfit
/// of the one that came nearest otherwise.
pub fn fit(matches: &[Match], written: &[Written]) -> Result<(usize, Fit), Misfit> {
    let mut nearest: Option<Misfit> = None;
    let mut first = None;
    for (i, candidate) in matches.iter().enumerate() {
        match candidate.fit(written) {
            Ok(fit) if candidate.holds(&fit, written) => return Ok((i, fit)),
            Ok(fit) => first = first.or(Some((i, fit))),
            Err(misfit) if nearest.as_ref().is_none_or(|n| n.operand < misfit.operand) => nearest = Some(misfit),
            Err(_) => {}
        }
    }
    first.ok_or_else(|| nearest.unwrap_or(Misfit { operand: None, message: "no form is given".into(), help: None }))
}

/// What is wrong with a vector of so many elements where forms have other lengths for it; `None` where it is not its length. `parts` are the
/// parts of the forms that it might stand for.
pub fn wrong_length<'a>(parts: impl Iterator<Item = &'a Part>, given: usize) -> Option<String> {
    let mut name = "";
    let mut lengths = BTreeSet::new();
    for part in parts {
        if let OperandType::Vector(n, _) = part.ty {
            name = part.name;
            lengths.insert(n as usize);
        }
    }
    let longest = lengths.last().filter(|_| !lengths.contains(&given))?;
    let others: Vec<String> = lengths.iter().filter(|n| *n != longest).map(ToString::to_string).collect();
    let or = if others.is_empty() { "" } else { " or " };
    let plural = if *longest == 1 { "" } else { "s" };
    let are = if given == 1 { "is" } else { "are" };
    Some(format!("`{name}` is a vector of {}{or}{longest} element{plural}, {given} {are} written", others.join(", ")))
}

/// How a number that was written as an integer is written where a floating-point number is needed.
fn instead_of_integer(ty: &Type, value: i128) -> String {
    if !ty.takes_float() {
        return "move the constant into a register first".to_owned();
    }
    // Who writes great numbers means bits.
    match ty.bits {
        32 if (1 << 24..1 << 32).contains(&value) => format!("write `0f{value:08x}` if these are its bits"),
        64 if (1 << 53..1 << 64).contains(&value) => format!("write `0d{value:016x}` if these are its bits"),
        32 => format!("write `{value}.0`, or its bits as `0f{:08x}`", (value as f32).to_bits()),
        _ => format!("write `{value}.0`, or its bits as `0d{:016x}`", (value as f64).to_bits()),
    }
}

/// A selector as slots have it.
fn dotted(word: &str) -> String {
    format!(".{word}")
}

impl Operand {
    /// Its parts that a program writes; `alone` leaves out the second one of a pair.
    pub fn written(&self, alone: bool) -> &[Part] {
        match self.notation {
            Notation::OptionalPair if alone => &self.parts[..1],
            _ => &self.parts,
        }
    }

    /// Whether a written operand may stand for it; why not, otherwise.
    fn admits(&self, written: &Written) -> Result<(), Refusal> {
        let first = &self.parts[0];
        let name = first.name;
        let is_predicate = matches!(written.shape, Shape::Register(ty) if ty.class == Class::Pred);
        // A result has no sign.
        let signed = written.sign == Sign::None || written.sign == Sign::Not && first.role == Role::Source;
        if first.limits.predicate && is_predicate && signed {
            return Ok(());
        }
        let loose = first.limits.loose && !first.limits.expanded && first.role == Role::Source;
        let loose = loose && written.sign == Sign::Not;
        if written.sign != Sign::None && written.sign != first.sign && !loose {
            let sign = if written.sign == Sign::Not { "!" } else { "-" };
            return Err(format!("`{name}` cannot be negated by `{sign}`").into());
        }
        match (self.notation, written.shape) {
            (Notation::Pair | Notation::OptionalPair, Shape::Pair(sinks)) => {
                match self.parts.iter().zip(sinks).find(|(part, sink)| *sink && !part.limits.sink) {
                    Some((part, _)) => Err(format!("`_` cannot stand for `{}`", part.name).into()),
                    None => Ok(()),
                }
            }
            (Notation::Pair | Notation::OptionalPair, Shape::VectorPair(elements, sink)) => {
                let second = if sink { Shape::Sink } else { Shape::Name };
                first.admits(Shape::Vector(elements)).and_then(|()| self.parts[1].admits(second))
            }
            (Notation::Plain | Notation::OptionalPair, shape) => first.admits(shape),
            (Notation::Pair, _) => {
                let sink = if first.limits.sink { "; `_` stands for a result that nobody needs" } else { "" };
                let (message, pair) =
                    ("two results are expected, with `|` between them", format!("{name}|{}", self.parts[1].name));
                Err(Refusal::new(message, format!("write `{pair}`{sink}")))
            }
            (Notation::Address, Shape::Address | Shape::AddressList(Parts { count: 1, vectors: [0, ..] })) => Ok(()),
            (Notation::Address, Shape::Register(_) | Shape::Float) if first.limits.untyped => Ok(()),
            (Notation::Address, Shape::Element) if first.limits.element => Ok(()),
            (Notation::Address, Shape::Sink) if first.limits.sink => Ok(()),
            (Notation::Address, Shape::Integer(_)) if first.limits.number => Ok(()),
            (Notation::Address, Shape::AddressList(_)) => {
                let help = format!("an offset is added, `[{name}+4]`; several parts are for textures and tensors");
                Err(Refusal::new(format!("`{name}` is one address"), help))
            }
            (Notation::Address, _) => {
                let help = "put the register that holds it, or the variable, in brackets";
                Err(Refusal::new(format!("an address `[{name}]` is expected"), help))
            }
            (Notation::AddressList, Shape::AddressList(parts)) => Ok(parts.admitted(&self.parts)?),
            (Notation::AddressList, _) => Err(format!("{} parts in brackets are expected", self.parts.len()).into()),
            (Notation::Parenthesised, Shape::Parenthesised(_)) => Ok(()),
            (Notation::Parenthesised, _) => Err(format!("a list `({name})` is expected").into()),
        }
    }
}

impl Part {
    /// Whether something may be the element of that index of this vector, or of a vector of one that stands for a scalar; why not,
    /// otherwise. `beside` says that it is a constant beside a register that gives it a type.
    pub fn admits_element(&self, index: usize, shape: Shape, beside: bool) -> Result<(), String> {
        let (OperandType::Vector(_, ty) | OperandType::Scalar(ty)) = self.ty else { return Ok(()) };
        let mut element = Part { ty: OperandType::Scalar(ty), ..self.clone() };
        if index > 0 && !self.limits.then.is_empty() {
            element.limits.ranges = self.limits.then;
        }
        match shape {
            Shape::Integer(value) if beside && self.role == Role::Source => {
                let allowed = element.limits.admit(value);
                allowed.map_err(|allowed| format!("an element of `{}` is a constant {allowed}, not {value}", self.name))
            }
            Shape::Float if beside && self.role == Role::Source => Ok(()),
            _ => element.admits(shape).map_err(|refusal| refusal.message),
        }
    }

    fn admits(&self, shape: Shape) -> Result<(), Refusal> {
        let name = self.name;
        let constant = matches!(shape, Shape::Integer(_) | Shape::Float | Shape::Displaced);
        match shape {
            Shape::Sink if self.limits.discarded || self.limits.whole => return Ok(()),
            Shape::Sink if self.limits.sink && !matches!(self.ty, OperandType::Vector(..)) => return Ok(()),
            _ if self.limits.discarded => return Err(format!("only `_` can stand for `{name}`").into()),
            Shape::Sink => return Err(format!("`_` cannot stand for `{name}`").into()),
            Shape::Selected(word) => return Ok(self.selects(word)?),
            _ => {}
        }
        if let Some((words, true)) = self.selector {
            return Err(format!("`{name}` needs a selector: {}", listed(words, "or")).into());
        }
        match (self.ty, shape) {
            (OperandType::Vector(n, _), Shape::Vector(m)) if m == n as usize => Ok(()),
            (OperandType::Vector(n, _), Shape::Vector(m)) if self.limits.padded_to(n, m) => Ok(()),
            (OperandType::Vector(_, ty), Shape::Name | Shape::Register(_) | Shape::Integer(_) | Shape::Float)
                if self.limits.bare =>
            {
                Part { ty: OperandType::Scalar(ty), ..self.clone() }.admits(shape)
            }
            (OperandType::Vector(1, _), _) => {
                Err(Refusal::new(format!("`{name}` is a vector of one register, in braces"), "write it in braces"))
            }
            (OperandType::Vector(n, _), Shape::Vector(m)) => {
                Err(format!("`{name}` is a vector of {n} registers, {m} {} written", if m == 1 { "is" } else { "are" }).into())
            }
            (OperandType::Vector(n, _), _) => {
                let names: Vec<String> = (1..=n.min(4)).map(|i| format!("{name}{i}")).collect();
                let more = if n > 4 { ", ..." } else { "" };
                let help = format!("write them in braces, `{{{}{more}}}`", names.join(", "));
                Err(Refusal::new(format!("`{name}` is a vector of {n} registers"), help))
            }
            // Triton writes a scalar as a vector of one.
            (OperandType::Scalar(_), Shape::Vector(1)) if self.limits.braced || self.limits.own => Ok(()),
            (OperandType::Scalar(_), Shape::Vector(n)) if self.limits.padded_to(1, n) => Ok(()),
            (OperandType::Scalar(_), Shape::Vector(1 | 2 | 4)) if self.limits.takes_vectors() => Ok(()),
            (OperandType::Scalar(_), Shape::Vector(8)) if self.limits.takes_vectors() && self.limits.loose => Ok(()),
            (_, Shape::Vector(_)) => Err(format!("`{name}` is no vector").into()),
            (OperandType::Scalar(_), Shape::Name | Shape::Element | Shape::Register(_)) if self.limits.immediate => Err(
                Refusal::new(format!("`{name}` is a constant"), "write a number: it must be known when the kernel is compiled"),
            ),
            (_, Shape::Name | Shape::Element | Shape::Register(_)) => Ok(()),
            (OperandType::Scalar(_), Shape::Integer(_)) if self.limits.number => Ok(()),
            (OperandType::Scalar(_), _) if constant && self.role != Role::Source => {
                Err(format!("`{name}` is a destination, which a constant cannot be").into())
            }
            (OperandType::Scalar(_), Shape::Float | Shape::Displaced) if self.limits.loose => Ok(()),
            (OperandType::Scalar(_), Shape::Float) if self.limits.single => Ok(()),
            (OperandType::Scalar(_), _) if constant && self.limits.register => {
                Err(Refusal::new(format!("`{name}` is a register, not a constant"), "move the constant into a register first"))
            }
            (OperandType::Scalar(ty), Shape::Integer(value)) if !ty.takes_integer() => {
                let message = format!("`{name}` is of type {}, which an integer constant cannot be", ty.name);
                Err(Refusal::new(message, instead_of_integer(ty, value)))
            }
            (OperandType::Scalar(ty), Shape::Float) if !ty.takes_float() || self.limits.declared.is_some() => {
                let message = format!("`{name}` is of type {}, which a floating-point constant cannot be", ty.name);
                let help = match ty.takes_integer() {
                    true => "write an integer, without a point; only floating-point types take such a number",
                    false => "move the constant into a register first",
                };
                Err(Refusal::new(message, help))
            }
            (OperandType::Scalar(_), Shape::Integer(value)) => {
                let refused = |allowed| format!("`{name}` is a constant {allowed}, not {value}").into();
                self.limits.admit(value).map_err(refused)
            }
            (OperandType::Scalar(ty), Shape::Displaced) if !self.takes_displaced(ty) => {
                Err(format!("`{name}` is of type {}, which an address with an offset cannot be", ty.name).into())
            }
            (OperandType::Scalar(_), Shape::Float | Shape::Displaced) | (OperandType::Address(_), Shape::Integer(_)) => Ok(()),
            (_, Shape::Address | Shape::AddressList(_)) => {
                Err(Refusal::new(format!("`{name}` is no address in brackets"), "load the value into a register first"))
            }
            (_, Shape::Pair(_) | Shape::VectorPair(..)) => {
                Err(Refusal::new(format!("`{name}` is no pair"), "write one register, without `|`"))
            }
            (_, Shape::Parenthesised(_)) => Err(format!("`{name}` is no list in parentheses").into()),
            _ => Err(format!("`{name}` must be a name").into()),
        }
    }

    /// Whether a symbol plus an offset may stand for it (ptxas 13.5): where an integer constant may, but not for a predicate, and
    /// where the type is not the instruction's only for 32 bits.
    fn takes_displaced(&self, ty: &Type) -> bool {
        let constant = ty.takes_integer() && ty.class != Class::Pred && (self.limits.declared.is_none() || ty.bits == 32);
        self.limits.symbol || (constant && !self.limits.immediate)
    }

    fn selects(&self, word: &str) -> Result<(), String> {
        match self.selector {
            Some((words, _)) if pattern::find(words, &dotted(word)).is_some() => Ok(()),
            Some((words, _)) => Err(format!("`{word}` selects nothing of `{}`: {}", self.name, listed(words, "or"))),
            None => Err(format!("nothing is selected from `{}`", self.name)),
        }
    }
}
