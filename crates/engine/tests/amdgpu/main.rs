//! AMD's instructions on given registers, and what becomes of code that cannot be executed.
//!
//! `lines` reads and executes the lines of tests/run/amdgpu, whose README says how they are written; `named` asks whether they name every instruction.

mod lines;
mod named;

use amdgpu::codec::{Codec, Decoded};
use engine::amdgpu::probe::{Setup, State, run};
use lines::{Line, execute, instruction};
use machine::memory::Memory;
use std::path::Path;

#[test]
fn instructions_give_what_their_lines_say() {
    let only = std::env::var("LINES").unwrap_or_default();
    let most = std::env::var("SHOWN").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let (mut count, mut failed) = (0, Vec::new());
    for (place, text) in lines::of("txt", &only) {
        let line = match Line::parse(&text) {
            Ok(line) => line,
            Err(why) => {
                failed.push(format!("{place}: {why}\n  {text}"));
                continue;
            }
        };
        let targets = line.targets();
        if targets.is_empty() {
            failed.push(format!("{place}: no target\n  {text}"));
        }
        for target in targets {
            count += 1;
            if let Err(why) = execute(&line, target) {
                failed.push(format!("{place}: {target}: {why}\n  {text}"));
            }
        }
    }
    let shown: Vec<&str> = failed.iter().take(most).map(String::as_str).collect();
    assert!(failed.is_empty(), "{} of {count} failed:\n{}", failed.len(), shown.join("\n"));
    assert!(count > 0 || !only.is_empty(), "no lines");
}

/// Lines whose instructions are not executable yet: one that passes belongs among the others.
#[test]
fn pending_lines_fail() {
    let mut count = 0;
    for (place, text) in lines::of("pending", "") {
        let line = Line::parse(&text).unwrap_or_else(|why| panic!("{place}: {why}"));
        for target in line.targets() {
            count += 1;
            assert!(
                execute(&line, target).is_err(),
                "{place}: {target} passes now; move it to the lines that are run:\n  {text}"
            );
        }
    }
    assert!(count > 0, "no lines; remove the file and this test");
}

/// What an access does not do here is told by the modifier that asks for it, and not left out.
#[test]
fn modifiers_that_are_not_executed_are_refused() {
    for (target, text, wanted) in
        [("gfx906", "ds_read_b32 v1, v0 gds", "`gds`"), ("gfx906", "ds_swizzle_b32 v1, v0 offset:0x1f gds", "`gds`")]
    {
        let codec = Codec::of(target, None).expect("a codec");
        let decoded = instruction(&codec, text).unwrap_or_else(|why| panic!("{why}"));
        let refused = engine::amdgpu::probe::lowers(&codec, &decoded).expect_err(text);
        assert!(refused.contains(wanted), "{text}: {refused}");
    }
}

/// A register behind those that there are is none that may be read or written.
#[test]
fn registers_that_a_kernel_does_not_have_are_refused() {
    for (target, text, wanted) in [
        ("gfx942", "v_add_u32_e32 v1, v2, v8", "v8"),
        ("gfx942", "v_add_f64 v[8:9], v[0:1], v[2:3]", "v9"),
        ("gfx942", "v_accvgpr_read_b32 v1, a4", "a4"),
        ("gfx1100", "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v9, v2", "v9"),
        ("gfx942", "global_load_dwordx4 v[6:9], v0, s[2:3]", "v9"),
    ] {
        let codec = Codec::of(target, None).expect("a codec");
        let decoded = instruction(&codec, text).unwrap_or_else(|why| panic!("{why}"));
        let given = State::new(codec.wave.into(), 8, 4);
        let refused = run(&codec, &[decoded], given, &Memory::new(1 << 16), Setup::default()).expect_err(text).to_string();
        assert!(refused.contains(&format!("uses {wanted}, of which there are")), "{text}: {refused}");
    }
}

/// Whatever a code object's words are, it is loaded and its kernels are lowered, or it is refused.
#[test]
fn damaged_code_objects_do_no_harm() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/opencl_twins/gfx942/kernels.co");
    let whole = std::fs::read(path).expect("an example");
    let load = |bytes: &[u8]| {
        let memory = Memory::new(1 << 24);
        let Ok(program) = engine::amdgpu::Program::load("kernels.co", bytes, &memory) else { return false };
        let names: Vec<String> = program.kernel_names().into_iter().map(str::to_owned).collect();
        !names.is_empty() && names.iter().all(|name| program.kernel(name).is_ok())
    };
    assert!(load(&whole));
    let patterns = [u64::MAX, 0, 1 << 63, 1 << 40, u64::MAX - 63];
    let (mut refused, mut count) = (0, 0);
    for (i, at) in (0..whole.len() / 8 * 8).step_by(8).enumerate() {
        let mut bytes = whole.clone();
        bytes[at..at + 8].copy_from_slice(&patterns[i % patterns.len()].to_le_bytes());
        count += 1;
        refused += usize::from(!load(&bytes));
    }
    // Code alone is more than half of the file; most of its words become something else.
    assert!(refused > count / 20, "{refused} of {count}");
}

/// Every form of every instruction that has a function, with whatever its bits are at first: its types must be those of an instance.
#[test]
fn functions_fit_every_form() {
    let table = isa::amdgpu::Table::get().unwrap_or_else(|problems| panic!("{problems}"));
    let (mut count, mut failed) = (0, std::collections::BTreeSet::new());
    for target in
        ["gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1151", "gfx1201", "gfx1250"]
    {
        for wave in [32, 64] {
            if !table.group(if wave == 32 { "wave32" } else { "wave64" }).has(table.target(target).expect("a target")) {
                continue;
            }
            let codec = Codec::of(target, Some(wave)).expect("a codec");
            for entry in codec
                .entries()
                .iter()
                .filter(|e| e.half.is_none() && e.image.is_none() && e.instruction.run_on(codec.target).is_some())
            {
                // An operand that can only be a vector register is the first.
                let vector = |word: u128, slot: &amdgpu::codec::Slot| {
                    let only = slot.operand.class.has(isa::amdgpu::Class::V) && !slot.operand.class.has(isa::amdgpu::Class::S);
                    if only && slot.bits.width() == 9 { slot.bits.set(word, 256) } else { word }
                };
                let word = entry.operands.iter().fold(entry.start, vector);
                let decoded = Decoded { entry, word, literal: None, size: entry.size, second: None, banks: 0 };
                count += 1;
                // Loads to LDS, or with a status, relative registers with DPP and the message 0 are refused by name; here types are asked.
                let refused = [
                    "with `lds` is not executable yet",
                    "with `tfe` is not executable yet",
                    "of relative registers with DPP or SDWA is not executable yet",
                    "of 0x0 is not executable: nothing public says what it gives",
                ];
                if let Err(why) = engine::amdgpu::probe::lowers(&codec, &decoded)
                    && !refused.contains(&why.as_str())
                {
                    failed.insert(format!("{target}: {} ({}): {why}", entry.instruction.name, entry.encoding.name));
                }
            }
        }
    }
    let shown: Vec<&str> = failed.iter().take(60).map(String::as_str).collect();
    assert!(failed.is_empty(), "{} of {count}:\n{}", failed.len(), shown.join("\n"));
}
