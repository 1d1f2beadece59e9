//! One-instruction tests: the examples of the table's records and the lines of tests/run.
//!
//! Each one is executed as one value and, in kernels generated here, by the warp engine: all lanes, a ragged last warp, and under guards that leave some lanes out, whose registers must stay as they were.

use lines::{Case, examples, lines};
use lockstep::evaluate::{Evaluation, Given, Value, evaluate};
use lockstep::{Device, System, value};
use std::collections::BTreeMap;
use std::fmt::Write;

#[path = "../../lockstep/tests/support/lines.rs"]
mod lines;

/// Opcode and operands: what is the same for all threads of a kernel.
type Spelling = (String, String);

/// Runs a case as one value: what came out, or why it is wrong.
fn run_one(case: &Case) -> Result<Evaluation, String> {
    let given: Vec<Given> = case.inputs.iter().map(|(n, v)| Given { name: Some(n), text: v }).collect();
    let done = evaluate(&case.opcode, &given).map_err(|e| e.to_string())?;
    // Trailing results that a line leaves out, as `q` of setp, are not looked at.
    if case.results.len() > done.results.len() {
        return Err(format!("{} results, not {}", done.results.len(), case.results.len()));
    }
    for (text, result) in case.results.iter().zip(&done.results) {
        let expected = value::parse(text, result.ty)?;
        if expected != result.bits {
            let shown = |bits| format!("{} ({})", value::hexadecimal(bits, result.ty), value::show(bits, result.ty));
            return Err(format!("{} is {}, expected {}", result.name, shown(result.bits), shown(expected)));
        }
    }
    Ok(done)
}

fn check(cases: &[Case]) {
    let mut failures = Vec::new();
    let mut by_spelling: BTreeMap<Spelling, Vec<Evaluation>> = BTreeMap::new();
    for case in cases {
        match run_one(case) {
            Ok(done) => {
                let operands = operands(&done, &case.inputs);
                by_spelling.entry((case.opcode.clone(), operands)).or_default().push(done);
            }
            Err(why) => failures.push(format!("{} {}: {why}", case.place, case.opcode)),
        }
    }
    let device = System.device("h100").unwrap_or_else(|e| panic!("{e}"));
    for ((opcode, operands), evaluations) in &by_spelling {
        for mask in [u64::MAX, 0x5555_5555_5555_5555, 0x0123_4567_89ab_cdef] {
            if let Err(why) = run_rows(&device, &format!("{opcode} {operands}"), evaluations, mask) {
                failures.push(format!("{opcode} {operands} in a warp, mask {mask:x}: {why}"));
                break;
            }
        }
    }
    assert!(!cases.is_empty());
    let (n, total) = (failures.len(), cases.len());
    assert!(failures.is_empty(), "{n} failures, {total} cases:\n{}", failures[..n.min(60)].join("\n"));
}

#[test]
fn examples_of_records_hold() {
    check(&examples());
}

#[test]
fn lines_hold() {
    check(&lines());
}

/// Bytes of a value's slot in the kernels' arrays.
const SLOT: usize = 16;
/// Threads of a block: two warps, the second of them ragged.
const THREADS: u32 = 57;
/// What registers hold before, to be seen where a guard is false.
const BEFORE: u128 = 0xa5a5_a5a5_a5a5_a5a5_a5a5_a5a5_a5a5_a5a5;

/// Executes the instruction once for each evaluation, a thread each, and compares.
fn run_rows(device: &Device, instruction: &str, evaluations: &[Evaluation], mask: u64) -> Result<(), String> {
    let first = &evaluations[0];
    let ptx = kernel(instruction, first, mask);
    let module = device.load([("generated.ptx", ptx)]).map_err(|e| e.to_string())?;
    let kernel = module.kernel("k").map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    for value in evaluations.iter().flat_map(|e| &e.sources) {
        bytes.extend(value.bits.to_le_bytes());
    }
    let fail = |e: lockstep::Error| e.to_string();
    let input = device.buffer(&bytes).map_err(fail)?;
    let output = device.zeros::<u8>(evaluations.len() * first.results.len() * SLOT).map_err(fail)?;
    let count = evaluations.len() as u32;
    let launch = kernel.launch([count.div_ceil(THREADS), 1, 1], [THREADS, 1, 1]).arg(&input).arg(&output).arg(count);
    launch.run().map_err(fail)?;
    let found = output.read();
    let mut slots = found.chunks(SLOT);
    for (i, evaluation) in evaluations.iter().enumerate() {
        let active = mask >> (i as u32 % THREADS % 64) & 1 != 0;
        for result in &evaluation.results {
            let slot = slots.next().and_then(|s| s.try_into().ok()).map_or(0, u128::from_le_bytes);
            let width = result.ty.bits;
            let bits = if width == 128 { slot } else { slot & ((1 << width) - 1) };
            let before = if width == 1 { 0 } else { BEFORE & (u128::MAX >> (128 - width)) };
            let expected = if active { result.bits } else { before };
            // The carry flag cannot be given a value beforehand: where it is left alone it is clear.
            let expected = if !active && result.name == "cc" { carry_in(evaluation) } else { expected };
            if bits != expected {
                let sources: Vec<String> =
                    evaluation.sources.iter().map(|v| format!("{}={}", v.name, value::hexadecimal(v.bits, v.ty))).collect();
                let active = if active { "active" } else { "inactive" };
                return Err(format!(
                    "{} of {active} lane {i} ({}) is 0x{bits:x}, expected 0x{expected:x}",
                    result.name,
                    sources.join(" ")
                ));
            }
        }
    }
    Ok(())
}

fn carry_in(evaluation: &Evaluation) -> u128 {
    evaluation.sources.iter().find(|v| v.name == "cc").map_or(0, |v| v.bits)
}

/// A kernel that loads sources, executes the instruction under a guard and stores results.
fn kernel(instruction: &str, done: &Evaluation, mask: u64) -> String {
    let mut text = String::from(
        ".version 9.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 i, .param .u64 o, .param .u32 n)\n{\n\
         .reg .pred %p, %g, %s<8>, %d<8>;\n.reg .b16 %hs<8>, %hd<8>;\n.reg .b32 %ws<8>, %wd<8>, %t, %u, %n, %m;\n\
         .reg .b64 %ls<8>, %ld<8>, %in, %out, %x, %y;\n.reg .b128 %qs<8>, %qd<8>;\n\
         mov.u32 %t, %tid.x;\nmov.u32 %m, %ctaid.x;\nmad.lo.u32 %u, %m, 57, %t;\nld.param.u32 %n, [n];\n\
         setp.ge.u32 %p, %u, %n;\n@%p ret;\nld.param.u64 %in, [i];\nld.param.u64 %out, [o];\n",
    );
    let (sources, results) = (done.sources.len() * SLOT, done.results.len() * SLOT);
    let _ = writeln!(
        text,
        "mul.wide.u32 %x, %u, {sources};\nadd.u64 %in, %in, %x;\nmul.wide.u32 %x, %u, {results};\nadd.u64 %out, %out, %x;"
    );
    let _ = writeln!(text, "mov.u64 %x, {mask};\nshr.u64 %x, %x, %t;\nand.b64 %x, %x, 1;\nsetp.ne.u64 %g, %x, 0;");
    for (i, source) in done.sources.iter().enumerate() {
        load(&mut text, i, source.ty.bits);
    }
    for (i, result) in done.results.iter().enumerate() {
        let register = register('d', i, result.ty.bits);
        let _ = match result.ty.bits {
            1 => writeln!(text, "setp.ne.u32 {register}, %t, %t;"),
            8 | 16 => writeln!(text, "mov.b16 {register}, 0xa5a5;"),
            32 => writeln!(text, "mov.b32 {register}, 0xa5a5a5a5;"),
            64 => writeln!(text, "mov.b64 {register}, 0xa5a5a5a5a5a5a5a5;"),
            _ => writeln!(text, "mov.b64 %x, 0xa5a5a5a5a5a5a5a5;\nmov.b128 {register}, {{%x, %x}};"),
        };
    }
    carry(&mut text, done);
    let _ = writeln!(text, "@%g {instruction};");
    for (i, result) in done.results.iter().enumerate() {
        store(&mut text, i, result);
    }
    text + "ret;\n}\n"
}

/// Sets the carry flag before the instruction: to its value if it is a source, else clear.
fn carry(text: &mut String, done: &Evaluation) {
    match done.sources.iter().position(|v| v.name == "cc") {
        Some(i) => {
            let flag = register('s', i, 1);
            let _ = writeln!(text, "selp.u32 %n, 1, 0, {flag};\nadd.cc.u32 %n, %n, 0xffffffff;");
        }
        None if done.results.iter().any(|v| v.name == "cc") => *text += "add.cc.u32 %n, 0, 0;\n",
        None => {}
    }
}

fn load(text: &mut String, i: usize, bits: u32) {
    let (register, at) = (register('s', i, bits), i * SLOT);
    let _ = match bits {
        1 => writeln!(text, "ld.global.u8 %m, [%in+{at}];\nsetp.ne.u32 {register}, %m, 0;"),
        128 => writeln!(text, "ld.global.v2.b64 {{%x, %y}}, [%in+{at}];\nmov.b128 {register}, {{%x, %y}};"),
        n => writeln!(text, "ld.global.b{n} {register}, [%in+{at}];"),
    };
}

fn store(text: &mut String, i: usize, result: &Value) {
    let (register, at) = (register('d', i, result.ty.bits), i * SLOT);
    let _ = match result.ty.bits {
        _ if result.name == "cc" => writeln!(text, "addc.u32 %m, 0, 0;\nst.global.u32 [%out+{at}], %m;"),
        1 => writeln!(text, "selp.u32 %m, 1, 0, {register};\nst.global.u32 [%out+{at}], %m;"),
        128 => writeln!(text, "mov.b128 {{%x, %y}}, {register};\nst.global.v2.b64 [%out+{at}], {{%x, %y}};"),
        n => writeln!(text, "st.global.b{n} [%out+{at}], {register};"),
    };
}

/// The register of a source (`s`) or result (`d`) of so many bits.
fn register(role: char, i: usize, bits: u32) -> String {
    let class = match bits {
        1 => "",
        8 | 16 => "h",
        32 => "w",
        64 => "l",
        _ => "q",
    };
    format!("%{class}{role}{i}")
}

/// The operands as written: registers, in braces for vectors, constants where only those may stand, with the selectors of the inputs.
fn operands(done: &Evaluation, inputs: &[(String, String)]) -> String {
    let mut written = Vec::new();
    for operand in &done.matched.operands {
        let mut parts = Vec::new();
        for part in &operand.parts {
            let (letter, values) = if part.role == isa::Role::Source { ('s', &done.sources) } else { ('d', &done.results) };
            let own = values.iter().enumerate().filter(|(_, v)| v.name == part.name);
            let own: Vec<String> = own
                .map(|(i, v)| if part.limits.immediate { v.bits.to_string() } else { register(letter, i, v.ty.bits) })
                .collect();
            let Some(first) = own.first() else { continue };
            let input = inputs.iter().find(|(name, _)| name == part.name).map_or("", |(_, value)| value);
            let selector = input.rsplit_once('.').filter(|(_, s)| part.selector.is_some() && s.starts_with(['b', 'h']));
            parts.push(match (part.ty, selector) {
                (isa::OperandType::Vector(..), _) => format!("{{{}}}", own.join(", ")),
                (_, Some((_, selector))) => format!("{first}.{selector}"),
                _ => first.clone(),
            });
        }
        if !parts.is_empty() {
            written.push(parts.join("|"));
        }
    }
    written.join(", ")
}
