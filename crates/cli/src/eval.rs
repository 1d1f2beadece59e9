//! `lockstep eval`: one instruction on values.

use crate::{Format, output, run};
use clap::Args;
use isa::{Fidelity, Match};
use lockstep::evaluate::{Evaluation, Given, LANES, Outcome, Row, Value, WarpEvaluation, evaluate_amd, evaluate_lanes};
use lockstep::value;
use serde_json::json;
use std::process::ExitCode;

/// Execute one instruction on values
///
/// The values are those of the sources, in the order of the form; or by name, as in a=3 b=0x10. The last line is the
/// result alone; an instruction with several results prints one a line. Instructions of a warp (shfl, vote, redux, match ...) are
/// executed by all 32 lanes, or those of --lanes, and give a result for each.
#[derive(Args)]
#[command(after_help = "\
Values: -3  0x1f  0b101  1.5  inf  nan  true; bits of a float as in PTX: 0f3f800000, 0d3ff0000000000000;
lanes of a packed type, lowest first: 1.5,-2. A part selected as in PTX: 0x1234.h1. A vector: {1,2}. The carry flag is the source cc.
A result is named only to write a part of it, d.h0, or a vector, d={_,_}.
Values that differ between the lanes of a warp: arange (0, 1, 2 ...); 32 values 1,2,...; 5*16,7*16; predicates mask:0xff.

Examples:
  lockstep eval mul.hi.s32 -3 0x40000000
  lockstep eval dp2a.lo.s32.s32 0x0002ffff 0x0403 10
  lockstep eval fma.rn.f16x2 1.5,2 2,3 0.5,1
  lockstep eval addc.cc.u32 a=0xffffffff b=0 cc=1
  lockstep eval mov.b64 {1,2}
  lockstep eval mov.b32 0x12345678 d={_,_}
  lockstep eval vadd.s32.s32.s32 d.h0 0x1234.h1 5 0
  lockstep eval shfl.sync.up.b32 arange 1 0 0xffffffff
  lockstep eval redux.sync.add.u32 arange 0xff --lanes 0xff
  lockstep eval --target gfx90a v_dot8_i32_i4 0x87654321 0x11111111 10
  lockstep eval --target gfx1100 'v_dot8_i32_iu4 neg_lo:[1,1,0]' 0x87654321 0x11111111 10")]
pub struct Arguments {
    /// The instruction with its modifiers
    #[arg(value_name = "OPCODE")]
    opcode: String,
    /// The values of its sources
    #[arg(value_name = "VALUE", value_parser = crate::unmarked)]
    values: Vec<String>,
    /// A target of AMD's: the instruction is one of its machine code, with its modifiers in one word
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// The lanes of the warp that execute it, bit 0 for lane 0
    #[arg(long, value_name = "MASK", value_parser = parse_mask, default_value = "0xffffffff")]
    lanes: u32,
    /// How to print results
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

fn parse_mask(text: &str) -> Result<u32, String> {
    let mask = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    mask.ok().filter(|m| *m != 0).ok_or_else(|| "a mask of 32 bits that are not all zero is expected, such as 0xff".into())
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    let given: Vec<Given> = arguments.values.iter().map(|v| Given::parse(v)).collect();
    if let Some(target) = arguments.target.as_deref().filter(|target| !target.starts_with("sm_")) {
        return amd(target, arguments, &given);
    }
    let outcome = match evaluate_lanes(&arguments.opcode, &given, arguments.lanes) {
        Ok(Outcome::Warp(done)) => done.uniform().map_or(Outcome::Warp(done), Outcome::Thread),
        Ok(outcome) => outcome,
        Err(error) => return output::fail(&error, arguments.format),
    };
    output::print(&match (&outcome, arguments.format) {
        (Outcome::Thread(done), Format::Text) => text(done),
        (Outcome::Warp(done), Format::Text) => warp_text(done),
        (Outcome::Thread(done), Format::Json) => format!("{}\n", json(done)),
        (Outcome::Warp(done), Format::Json) => format!("{}\n", warp_json(done)),
    });
    ExitCode::SUCCESS
}

/// An instruction of AMD's.
fn amd(target: &str, arguments: &Arguments, given: &[Given]) -> ExitCode {
    let done = match evaluate_amd(target, &arguments.opcode, given) {
        Ok(done) => done,
        Err(error) => return output::fail(&error, arguments.format),
    };
    let bound = done.approximate.map_or(String::new(), |bound| format!("approximate: {bound}\n"));
    output::print(&match arguments.format {
        Format::Text => {
            let lines: String = done.sources.iter().chain(&done.results).map(|value| format!("  {}\n", line(value))).collect();
            let results: String = done.results.iter().map(|r| format!("{}\n", value::show(r.bits, r.ty))).collect();
            format!("{}\n{lines}{bound}{results}", done.text)
        }
        Format::Json => {
            let fidelity = done.approximate.map_or(json!("exact"), |bound| json!({ "approximate": bound }));
            let values = |list: &[Value]| list.iter().map(value_json).collect::<Vec<_>>();
            let object = json!({
                "instruction": done.text, "target": target, "sources": values(&done.sources), "results": values(&done.results),
                "fidelity": fidelity,
            });
            format!("{object}\n")
        }
    });
    ExitCode::SUCCESS
}

fn text(done: &Evaluation) -> String {
    let mut text = format!("{}\n", done.matched.form.text);
    for value in done.sources.iter().chain(&done.results) {
        text += &format!("  {}\n", line(value));
    }
    text += &bound(&done.matched);
    for result in &done.results {
        text += &format!("{}\n", value::show(result.bits, result.ty));
    }
    text
}

fn bound(matched: &Match) -> String {
    match matched.fidelity() {
        Fidelity::Approximate(bound) => format!("approximate: {bound}\n"),
        _ => String::new(),
    }
}

/// `a`, or `a[1]` for an element of a vector.
fn name(name: &str, element: Option<u32>) -> String {
    element.map_or_else(|| name.to_owned(), |i| format!("{name}[{i}]"))
}

/// Name, type, value, and the bits where the value does not show them.
fn line(one: &Value) -> String {
    let (shown, bits) = (value::show(one.bits, one.ty), value::hexadecimal(one.bits, one.ty));
    let lanes = value::lanes(one.bits, one.ty).map_or(String::new(), |l| format!(" = ({})", l.join(", ")));
    let bits = if shown == bits || one.ty.bits == 1 { String::new() } else { format!(" = {bits}") };
    format!("{}: {} = {shown}{bits}{lanes}", name(one.name, one.element), one.ty.name)
}

/// What a lane holds; `-` where it did not execute the instruction.
fn lane(row: &Row, lane: usize, executing: u32) -> String {
    if executing >> lane & 1 == 0 { "-".to_owned() } else { value::show(row.lanes[lane], row.ty) }
}

fn warp_text(done: &WarpEvaluation) -> String {
    const PER_LINE: usize = 8;
    let mut text = format!("{}\n", done.matched.form.text);
    if done.executing != u32::MAX {
        text += &format!("  in the lanes of 0x{:08x}\n", done.executing);
    }
    for row in done.sources.iter().chain(&done.results) {
        match row.uniform(done.executing) {
            Some(value) => text += &format!("  {} in all lanes\n", line(&value)),
            None => {
                text += &format!("  {}: {}\n", name(row.name, row.element), row.ty.name);
                let shown: Vec<String> = (0..LANES).map(|i| lane(row, i, done.executing)).collect();
                for (i, some) in shown.chunks(PER_LINE).enumerate() {
                    text += &format!("    {:>2}: {}\n", i * PER_LINE, some.join(" "));
                }
            }
        }
    }
    text += &bound(&done.matched);
    for row in &done.results {
        let lanes: Vec<String> = (0..LANES).map(|i| lane(row, i, done.executing)).collect();
        text += &format!("{}\n", lanes.join(" "));
    }
    text
}

fn value_json(v: &Value) -> serde_json::Value {
    json!({
        "name": name(v.name, v.element),
        "type": v.ty.name,
        "bits": value::hexadecimal(v.bits, v.ty),
        "value": run::json_value(&value::show(v.bits, v.ty)),
        "lanes": value::lanes(v.bits, v.ty),
    })
}

fn json(done: &Evaluation) -> serde_json::Value {
    json!({
        "opcode": done.matched.opcode(),
        "form": done.matched.form.text,
        "sources": done.sources.iter().map(value_json).collect::<Vec<_>>(),
        "results": done.results.iter().map(value_json).collect::<Vec<_>>(),
        "fidelity": fidelity(&done.matched),
    })
}

fn fidelity(matched: &Match) -> serde_json::Value {
    match matched.fidelity() {
        Fidelity::Exact => json!("exact"),
        Fidelity::Approximate(bound) => json!({ "approximate": bound }),
        Fidelity::Pending => json!("pending"),
    }
}

/// Values of a warp: a list for each operand, null for lanes that did not execute the instruction.
fn warp_json(done: &WarpEvaluation) -> serde_json::Value {
    let executes = |lane: &usize| done.executing >> lane & 1 != 0;
    let row = |row: &Row| {
        let all = |show: &dyn Fn(u128) -> serde_json::Value| -> Vec<serde_json::Value> {
            (0..LANES).map(|lane| if executes(&lane) { show(row.lanes[lane]) } else { json!(null) }).collect()
        };
        json!({
            "name": name(row.name, row.element),
            "type": row.ty.name,
            "bits": all(&|bits| json!(value::hexadecimal(bits, row.ty))),
            "values": all(&|bits| run::json_value(&value::show(bits, row.ty))),
        })
    };
    json!({
        "opcode": done.matched.opcode(),
        "form": done.matched.form.text,
        "executing": format!("0x{:08x}", done.executing),
        "sources": done.sources.iter().map(row).collect::<Vec<_>>(),
        "results": done.results.iter().map(row).collect::<Vec<_>>(),
        "fidelity": fidelity(&done.matched),
    })
}
