//! One instruction of AMD's on values: assembled with registers of our choice, and executed by one wavefront whose lanes all have these values.

use super::{Given, Value};
use crate::error::{Error, Problem, Result};
use crate::{codes, table, value};
use ::amdgpu::codec::value::What;
use ::amdgpu::codec::{Codec, Decoded, Entry, Slot, SlotKind};
use diagnostics::{Diagnostic, Source, Span};
use engine::amdgpu::probe::{self, State};
use isa::Type;
use isa::amdgpu::{Class, Number};
use machine::memory::Memory;
use std::sync::Arc;

/// What came out of an instruction of AMD's.
#[derive(Clone, Debug)]
pub struct AmdEvaluation {
    /// The instruction as it was assembled.
    pub text: String,
    /// The sources as they were understood.
    pub sources: Vec<Value>,
    /// The results: operands in the order of the text, then flags and masks.
    pub results: Vec<Value>,
    /// The bound of what is not to the bit.
    pub approximate: Option<&'static str>,
}

/// Vector registers that an evaluation has.
const VECTORS: u16 = 128;
/// Registers between those of two operands.
const STEP: u16 = 16;

/// Executes an instruction, `v_dot8_i32_iu4 neg_lo:[1,1,0]` with its modifiers, on values: those of its sources in the order of the text, or by the names
/// that the record gives them; `vcc`, `scc` and `exec` by name.
///
/// ```
/// use lockstep::evaluate::{Given, evaluate_amd};
/// # fn main() -> lockstep::Result<()> {
/// let done = evaluate_amd("gfx90a", "v_dot8_i32_i4", &["0x87654321", "0x11111111", "10"].map(Given::parse))?;
/// assert_eq!(done.results[0].bits, 30);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The target has no such instruction, it does not take these values, or it cannot be executed by itself.
pub fn evaluate_amd(target: &str, instruction: &str, given: &[Given]) -> Result<AmdEvaluation> {
    let written = std::iter::once(instruction.to_owned()).chain(given.iter().map(Given::written)).collect::<Vec<_>>().join(" ");
    let wrong = |message: String, help: String| {
        let at = Span::new(0, instruction.len() as u32);
        let source = Arc::new(Source::new("instruction", written.clone()));
        Error::new(vec![Problem { diagnostic: Diagnostic::error(codes::EVALUATE, at, message).help(help), source }])
    };
    let codec = Codec::of(target, None)
        .map_err(|why| wrong(why, "a target is written as in gfx942; `lockstep run --help` names GPUs, too".into()))?;
    let (name, modifiers) = instruction.split_once(char::is_whitespace).unwrap_or((instruction, ""));
    let (bytes, text) = assemble(&codec, name, modifiers, given).map_err(|(why, help)| wrong(why, help))?;
    let decoded = codec.decode(&bytes).map_err(|why| wrong(why.to_string(), "the instruction has no form to evaluate".into()))?;
    if probe::needs_kernel(&codec, &decoded) {
        let help = "run a kernel: `lockstep run FILE.co`, or write one and assemble it with `lockstep asm --link`".into();
        return Err(wrong(format!("`{name}` means something only in a kernel: it accesses memory, waits or jumps"), help));
    }
    let refuse = |why: String| wrong(why, format!("`lockstep explain {name}` shows its operands"));
    let mut state = State::new(codec.wave.into(), VECTORS.into(), 64);
    let sources = place(&codec, &decoded, given, &mut state).map_err(refuse)?;
    let memory = Memory::new(1 << 16);
    let done = probe::run(&codec, &[decoded], state, &memory, probe::Setup::default())
        .map_err(|why| wrong(why.to_string(), format!("see `lockstep explain {name}`")))?;
    let results = results(&codec, &decoded, &done).map_err(refuse)?;
    Ok(AmdEvaluation { text, sources, results, approximate: decoded.entry.instruction.fidelity })
}

/// Assembles an instruction with registers of our choice; constants that must follow are taken from the values.
fn assemble(
    codec: &Codec,
    name: &str,
    modifiers: &str,
    given: &[Given],
) -> std::result::Result<(Vec<u8>, String), (String, String)> {
    let base = ["_e32", "_e64", "_dpp", "_sdwa"].iter().fold(name, |name, suffix| name.strip_suffix(suffix).unwrap_or(name));
    let is_it = |entry: &&Arc<Entry>| {
        entry.instruction.name == base
            || entry.instruction.aliases.iter().any(|(alias, targets)| *alias == base && targets.has(codec.target))
    };
    let mut why = None;
    for entry in codec.entries().iter().filter(is_it).filter(|e| e.half.is_none() && e.image.is_none()) {
        let mut values = given.iter().filter(|given| given.name.is_none());
        let operands: Vec<String> =
            entry.operands.iter().enumerate().map(|(at, slot)| operand(codec, at, slot, &mut values)).collect();
        let text = format!("{} {modifiers}", operands.join(", "));
        match codec.assemble(name, text.trim(), &|_| None) {
            Ok(assembled) => {
                let (bytes, length) = assembled.bytes();
                return Ok((bytes[..length].to_vec(), format!("{name} {}", text.trim())));
            }
            Err(problem) => why = why.or(Some(problem.message)),
        }
    }
    match why {
        Some(why) => Err((why, format!("`lockstep explain {base}` shows its forms"))),
        None => {
            let near = isa::Table::nearest(base, codec.entries().iter().map(|entry| entry.instruction.name));
            let help =
                near.first().map_or("`lockstep search` finds instructions".into(), |near| format!("did you mean `{near}`?"));
            Err((format!("{} has no instruction `{base}`", codec.target_name()), help))
        }
    }
}

/// The text of an operand.
fn operand<'g>(codec: &Codec, at: usize, slot: &Slot, values: &mut impl Iterator<Item = &'g Given<'g>>) -> String {
    let class = slot.operand.class;
    let register = |range: &str, first: u16| match slot.words {
        0 | 1 => format!("{range}{first}"),
        words => format!("{range}[{first}:{}]", first + words - 1),
    };
    let first = STEP * at as u16;
    match slot.kind {
        SlotKind::Text if codec.wave == 32 && matches!(slot.operand.name, "vcc" | "exec") => format!("{}_lo", slot.operand.name),
        SlotKind::Text => slot.operand.name.to_owned(),
        SlotKind::Constant | SlotKind::Immediate => values.next().map_or("0".into(), |given| given.text.to_owned()),
        _ if class.has(Class::V) && slot.half => format!("v{first}.l"),
        _ if class.has(Class::V) && slot.operand.ty.number != Number::Mask => register("v", first),
        _ if class.has(Class::S) => register("s", first),
        _ if class.has(Class::V) => register("v", first),
        _ if class.has(Class::A) => register("a", first),
        _ => values.next().map_or("0".into(), |given| given.text.to_owned()),
    }
}

/// The type of an operand for reading and showing values.
fn type_of(decoded: &Decoded, slot: &Slot, wave: u8) -> Result<&'static Type> {
    let ty = slot.operand.ty;
    let format = decoded.entry.instruction.formats.iter().find(|f| f.0 == slot.operand.name).map_or(ty.name, |f| f.1);
    let bits = if ty.number == Number::Mask { u32::from(wave) } else { ty.total().max(8) };
    let named = match format.strip_prefix('i') {
        Some(rest) => format!("s{rest}"),
        None => format.to_owned(),
    };
    let table = table()?;
    let found = table.type_named(&named).filter(|t| t.bits == bits).or_else(|| table.type_named(&format!("b{bits}")));
    found
        .or_else(|| table.type_named("b128"))
        .ok_or_else(|| Error::plain(codes::EVALUATE, "the table has no types", "it is damaged"))
}

/// The registers without an operand that can be given, by name: their type.
fn state_type(name: &str, wave: u8) -> Result<&'static Type> {
    let name = if name == "scc" { "pred".into() } else { format!("b{wave}") };
    table()?.type_named(&name).ok_or_else(|| Error::plain(codes::EVALUATE, "the table has no types", "it is damaged"))
}

fn told(error: Error) -> String {
    error.to_string()
}

/// Puts the given values into registers.
fn place(codec: &Codec, decoded: &Decoded, given: &[Given], state: &mut State) -> std::result::Result<Vec<Value>, String> {
    let mut placed = Vec::new();
    let mut unnamed = given.iter().filter(|given| given.name.is_none());
    let mut used = 0;
    for (at, slot) in decoded.entry.operands.iter().enumerate() {
        let what = codec.value_of(slot, decoded).what;
        let (reads, _) = codec.role(decoded, at);
        if !reads || matches!(what, What::Text(_)) {
            continue;
        }
        let name = slot.operand.name;
        let Some(value) = given.iter().find(|given| given.name == Some(name)).or_else(|| unnamed.next()) else {
            return Err(format!("the source `{name}` has no value: give the sources in order, or as {name}=VALUE"));
        };
        used += 1;
        if matches!(what, What::Constant(_)) {
            continue;
        }
        let ty = type_of(decoded, slot, codec.wave).map_err(told)?;
        let bits = value::parse(value.text, ty).map_err(|why| format!("{name}: {why}"))?;
        put(what, bits, slot.words.into(), state);
        placed.push(Value { name, element: None, ty, bits });
    }
    for value in given.iter().filter(|given| given.name.is_some_and(|name| ["vcc", "scc", "exec"].contains(&name))) {
        let name = ["vcc", "scc", "exec"].into_iter().find(|n| Some(*n) == value.name).unwrap_or("vcc");
        let ty = state_type(name, codec.wave).map_err(told)?;
        let bits = value::parse(value.text, ty).map_err(|why| format!("{name}: {why}"))?;
        put(What::Text(name), bits, (codec.wave / 32).into(), state);
        placed.push(Value { name, element: None, ty, bits });
        used += 1;
    }
    if used < given.len() {
        let names: Vec<&str> = placed.iter().map(|value| value.name).collect();
        return Err(format!("{} values are given; its sources are {}", given.len(), names.join(", ")));
    }
    Ok(placed)
}

fn put(what: What, bits: u128, words: usize, state: &mut State) {
    let word = |i: usize| (bits >> (32 * i.min(3))) as u32;
    match what {
        What::Vector(first) => (0..words).for_each(|i| state.vectors[usize::from(first) + i] = [word(i); 64]),
        What::Accumulation(first) => (0..words).for_each(|i| state.accumulators[usize::from(first) + i] = [word(i); 64]),
        What::Scalar(first) => (0..words).for_each(|i| state.scalars[usize::from(first) + i] = word(i)),
        What::Text("vcc") => (0..words).for_each(|i| state.scalars[106 + i] = word(i)),
        What::Text("exec") => (0..words).for_each(|i| state.scalars[126 + i] = word(i)),
        What::Text("scc") => state.scc = bits & 1 == 1,
        _ => {}
    }
}

fn get(what: What, words: usize, state: &State) -> Option<u128> {
    let joined = |word: &dyn Fn(usize) -> u32| (0..words.min(4)).rev().fold(0u128, |bits, i| bits << 32 | u128::from(word(i)));
    Some(match what {
        What::Vector(first) => joined(&|i| state.vectors[usize::from(first) + i][0]),
        What::Accumulation(first) => joined(&|i| state.accumulators[usize::from(first) + i][0]),
        What::Scalar(first) => joined(&|i| state.scalars[usize::from(first) + i]),
        What::Text("vcc") => joined(&|i| state.scalars[106 + i]),
        What::Text("exec") => joined(&|i| state.scalars[126 + i]),
        What::Text("scc") => state.scc.into(),
        _ => return None,
    })
}

/// What an instruction has written.
fn results(codec: &Codec, decoded: &Decoded, state: &State) -> std::result::Result<Vec<Value>, String> {
    let mut all = Vec::new();
    for (at, slot) in decoded.entry.operands.iter().enumerate() {
        let what = codec.value_of(slot, decoded).what;
        if !codec.role(decoded, at).1 {
            continue;
        }
        let (ty, words) = match what {
            What::Text(name) => (state_type(name, codec.wave).map_err(told)?, usize::from(codec.wave / 32)),
            _ => (type_of(decoded, slot, codec.wave).map_err(told)?, usize::from(slot.words)),
        };
        let bits = get(what, words, state).map(|bits| bits & (u128::MAX >> (128 - ty.bits.min(128))));
        all.extend(bits.map(|bits| Value { name: slot.operand.name, element: None, ty, bits }));
    }
    for (name, _, writes) in codec.own_states(decoded).filter(|s| matches!(s.0, "vcc" | "exec" | "scc")) {
        if writes {
            let ty = state_type(name, codec.wave).map_err(told)?;
            let bits = get(What::Text(name), usize::from(codec.wave / 32), state);
            all.extend(bits.map(|bits| Value { name, element: None, ty, bits }));
        }
    }
    if all.is_empty() { Err("it writes no register".into()) } else { Ok(all) }
}
