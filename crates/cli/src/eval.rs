//! `lockstep eval`: one instruction on values.

use crate::{Format, output, run};
use clap::Args;
use isa::Fidelity;
use lockstep::evaluate::{Evaluation, Given, Value, evaluate};
use lockstep::value;
use serde_json::json;
use std::process::ExitCode;

/// Execute one instruction on values
///
/// The values are those of the sources, in the order of the form; or by name, as in a=3 b=0x10. The last line is the
/// result alone; an instruction with several results prints one a line.
#[derive(Args)]
#[command(after_help = "\
Values: -3  0x1f  0b101  1.5  inf  nan  true; bits of a float as in PTX: 0f3f800000, 0d3ff0000000000000;
lanes of a packed type, lowest first: 1.5,-2. A part selected as in PTX: 0x1234.h1. The carry flag is the source cc.

Examples:
  lockstep eval mul.hi.s32 -3 0x40000000
  lockstep eval dp2a.lo.s32.s32 0x0002ffff 0x0403 10
  lockstep eval fma.rn.f16x2 1.5,2 2,3 0.5,1
  lockstep eval addc.cc.u32 a=0xffffffff b=0 cc=1")]
pub struct Arguments {
    /// The instruction with its modifiers
    #[arg(value_name = "OPCODE")]
    opcode: String,
    /// The values of its sources
    #[arg(value_name = "VALUE", value_parser = crate::unmarked)]
    values: Vec<String>,
    /// How to print results
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    let given: Vec<Given> = arguments.values.iter().map(|v| Given::parse(v)).collect();
    match evaluate(&arguments.opcode, &given) {
        Ok(done) => {
            output::print(&match arguments.format {
                Format::Text => text(&done),
                Format::Json => format!("{}\n", json(&done)),
            });
            ExitCode::SUCCESS
        }
        Err(error) => output::fail(&error, arguments.format),
    }
}

fn text(done: &Evaluation) -> String {
    let mut text = format!("{}\n", done.matched.form.text);
    for value in done.sources.iter().chain(&done.results) {
        text += &line(value);
    }
    if let Fidelity::Approximate(bound) = done.matched.fidelity() {
        text += &format!("approximate: {bound}\n");
    }
    for result in &done.results {
        text += &format!("{}\n", value::show(result.bits, result.ty));
    }
    text
}

/// Name, type, value, and the bits where the value does not show them.
fn line(one: &Value) -> String {
    let (shown, bits) = (value::show(one.bits, one.ty), value::hexadecimal(one.bits, one.ty));
    let lanes = value::lanes(one.bits, one.ty).map_or(String::new(), |l| format!(" = ({})", l.join(", ")));
    let bits = if shown == bits || one.ty.bits == 1 { String::new() } else { format!(" = {bits}") };
    format!("  {}: {} = {shown}{bits}{lanes}\n", one.name, one.ty.name)
}

fn json(done: &Evaluation) -> serde_json::Value {
    let one = |v: &Value| {
        json!({
            "name": v.name,
            "type": v.ty.name,
            "bits": value::hexadecimal(v.bits, v.ty),
            "value": run::json_value(&value::show(v.bits, v.ty)),
            "lanes": value::lanes(v.bits, v.ty),
        })
    };
    let fidelity = match done.matched.fidelity() {
        Fidelity::Exact => json!("exact"),
        Fidelity::Approximate(bound) => json!({ "approximate": bound }),
        Fidelity::Pending => json!("pending"),
    };
    json!({
        "opcode": done.matched.opcode(),
        "form": done.matched.form.text,
        "sources": done.sources.iter().map(one).collect::<Vec<_>>(),
        "results": done.results.iter().map(one).collect::<Vec<_>>(),
        "fidelity": fidelity,
    })
}
