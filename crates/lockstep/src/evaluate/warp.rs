//! Instructions in a warp: a kernel of one warp is written around the instruction, and run.

use super::bind::{Bound, Rank, Refusal};
use super::{LANES, Row, WarpEvaluation};
use crate::{DEFAULT, Device, Options};
use isa::{Match, OperandType, Role, Shape, Type};
use std::fmt::Write;

/// Bytes of a value in memory.
const SLOT: usize = 16;
/// No instruction that computes values from values takes more; one that waits for lanes which never come would.
const INSTRUCTIONS: u64 = 100_000;

/// Executes the instruction in the lanes of the mask.
pub(super) fn run(matched: &Match, bound: &Bound, executing: u32) -> Result<WarpEvaluation, Refusal> {
    let opcode = matched.opcode();
    if bound.results.is_empty() {
        let help = "write a kernel around it and use `lockstep run`, with --trace to see its way";
        return Err(Refusal::shape(format!("`{opcode}` gives no result that could be shown"), help));
    }
    if !matched.implicit().is_empty() {
        return Err(Refusal::shape(format!("`{opcode}` and its carry flag take one value for all lanes"), ""));
    }
    if executing == 0 {
        return Err(Refusal::shape("no lane is to execute it", "give a mask with at least one bit"));
    }
    let text = kernel(&opcode, bound, executing);
    let wrong = |error: crate::Error| {
        let message = error.problems().first().map_or_else(String::new, |p| p.diagnostic.message.clone());
        let message = format!("`{opcode}` went wrong in the warp: {message}");
        Refusal {
            rank: Rank::Value,
            message,
            index: None,
            vector: None,
            help: Some("--lanes says which lanes execute it, its member mask which ones it waits for".into()),
        }
    };
    let lanes = launch(&text, bound).map_err(wrong)?;
    let row = |(i, result): (usize, &super::bind::Result)| Row {
        name: result.name,
        element: result.element,
        ty: result.ty,
        lanes: std::array::from_fn(|lane| lanes[lane * bound.results.len() + i] & (u128::MAX >> (128 - result.ty.bits.min(128)))),
    };
    let results = bound.results.iter().enumerate().map(row).collect();
    let (selected, sources) = (bound.settings.clone(), bound.sources.clone());
    Ok(WarpEvaluation { matched: matched.clone(), selected, executing, sources, results })
}

/// The results of all lanes, those of one lane side by side.
fn launch(text: &str, bound: &Bound) -> crate::Result<Vec<u128>> {
    let device = Device::new(DEFAULT);
    let module = device.load([("instruction", text)])?;
    let kernel = module.kernel("k")?;
    // A lane's sources stand side by side; no buffer is empty.
    let sources = (0..LANES).flat_map(|lane| bound.sources.iter().map(move |row| row.lanes[lane]));
    let input = device.buffer(&sources.chain([0]).flat_map(u128::to_le_bytes).collect::<Vec<u8>>())?;
    let output = device.zeros::<u8>(LANES * bound.results.len() * SLOT)?;
    let options = Options { threads: 1, max_instructions: Some(INSTRUCTIONS), ..Options::default() };
    kernel.launch([1; 3], [LANES as u32, 1, 1]).arg(&input).arg(&output).options(options).run()?;
    Ok(output.read().chunks_exact(SLOT).map(|b| b.try_into().map_or(0, u128::from_le_bytes)).collect())
}

/// The kernel's text.
fn kernel(opcode: &str, bound: &Bound, executing: u32) -> String {
    let mut text = String::from(
        ".version 9.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 i, .param .u64 o)\n{\n\
         .reg .pred %g;\n.reg .b32 %t, %m;\n.reg .b64 %in, %out, %x, %y;\nmov.u32 %t, %tid.x;\n\
         ld.param.u64 %in, [i];\nld.param.u64 %out, [o];\n",
    );
    let (inputs, outputs) = (bound.sources.len() * SLOT, bound.results.len() * SLOT);
    let _ = writeln!(text, "mad.wide.u32 %in, %t, {inputs}, %in;\nmad.wide.u32 %out, %t, {outputs}, %out;");
    for (i, source) in bound.sources.iter().enumerate() {
        declare(&mut text, 's', i, source.ty);
        load(&mut text, i, source.ty);
    }
    bound.results.iter().enumerate().for_each(|(i, result)| declare(&mut text, 'd', i, result.ty));
    let _ = writeln!(text, "shr.u32 %m, {executing}, %t;\nand.b32 %m, %m, 1;\nsetp.ne.u32 %g, %m, 0;");
    // Lanes that do not execute it are gone rather than waiting behind it, where a member mask could not tell them apart.
    let _ = writeln!(text, "@!%g exit;\n{opcode} {};", operands(bound).join(", "));
    bound.results.iter().enumerate().for_each(|(i, result)| store(&mut text, i, result.ty));
    text + "ret;\n}\n"
}

fn declare(text: &mut String, role: char, i: usize, ty: &Type) {
    let _ = match ty.bits {
        1 => writeln!(text, ".reg .pred %{role}{i};"),
        bits => writeln!(text, ".reg .b{bits} %{role}{i};"),
    };
}

fn load(text: &mut String, i: usize, ty: &Type) {
    let at = i * SLOT;
    let _ = match ty.bits {
        1 => writeln!(text, "ld.global.u32 %m, [%in+{at}];\nsetp.ne.u32 %s{i}, %m, 0;"),
        128 => writeln!(text, "ld.global.v2.b64 {{%x, %y}}, [%in+{at}];\nmov.b128 %s{i}, {{%x, %y}};"),
        bits => writeln!(text, "ld.global.b{bits} %s{i}, [%in+{at}];"),
    };
}

fn store(text: &mut String, i: usize, ty: &Type) {
    let at = i * SLOT;
    let _ = match ty.bits {
        1 => writeln!(text, "selp.u32 %m, 1, 0, %d{i};\nst.global.u32 [%out+{at}], %m;"),
        128 => writeln!(text, "mov.b128 {{%x, %y}}, %d{i};\nst.global.v2.b64 [%out+{at}], {{%x, %y}};"),
        bits => writeln!(text, "st.global.b{bits} [%out+{at}], %d{i};"),
    };
}

/// The operands as written: registers, in braces for vectors, constants where only those may stand, selectors.
fn operands(bound: &Bound) -> Vec<String> {
    let (mut source, mut result) = (0, 0);
    let mut all = Vec::new();
    for (operand, written) in &bound.operands {
        let mut parts = Vec::new();
        for part in &operand.parts {
            let (role, next) = if part.role == Role::Source { ('s', &mut source) } else { ('d', &mut result) };
            let count = if let OperandType::Vector(n, _) = part.ty { n as usize } else { 1 };
            let names: Vec<String> = (*next..*next + count).map(|i| format!("%{role}{i}")).collect();
            *next += count;
            parts.push(match written.shape {
                Shape::Vector(_) => format!("{{{}}}", names.join(", ")),
                Shape::Integer(value) => value.to_string(),
                Shape::Selected(word) => format!("{}.{word}", names[0]),
                _ => names[0].clone(),
            });
        }
        all.push(parts.join("|"));
    }
    all
}
