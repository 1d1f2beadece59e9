//! Single instructions of AMD's on given registers: the lines of tests/run/amdgpu, whose README says how they are written.

use amdgpu::codec::{Codec, Decoded};
use engine::amdgpu::probe::{State, run};
use machine::memory::Memory;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const VECTORS: usize = 64;
const ACCUMULATORS: usize = 16;

/// A line: targets, instructions, what is given, what is expected.
struct Line<'t> {
    targets: Vec<&'t str>,
    instructions: Vec<&'t str>,
    given: Vec<(&'t str, &'t str)>,
    expected: Vec<(&'t str, &'t str)>,
}

fn assignments(text: &str) -> Result<Vec<(&str, &str)>, String> {
    text.split_ascii_whitespace()
        .map(|word| word.split_once('=').ok_or_else(|| format!("`{word}` is no REGISTER=VALUE")))
        .collect()
}

impl<'t> Line<'t> {
    fn parse(text: &'t str) -> Result<Line<'t>, String> {
        let (targets, rest) = text.split_once(':').ok_or("no targets before a colon")?;
        let (instructions, values) = rest.split_once(" | ").ok_or("no registers behind ` | `")?;
        let (given, expected) = values.split_once("->").ok_or("no result behind ->")?;
        Ok(Line {
            targets: targets.split_ascii_whitespace().collect(),
            instructions: instructions.split(';').map(str::trim).collect(),
            given: assignments(given)?,
            expected: assignments(expected)?,
        })
    }
}

/// An instruction of a text.
fn instruction<'c>(codec: &'c Codec, text: &str) -> Result<Decoded<'c>, String> {
    let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
    let assembled = codec.assemble(name, operands.trim(), &|_| None).map_err(|problem| format!("{text}: {}", problem.message))?;
    let (bytes, length) = assembled.bytes();
    codec.decode(&bytes[..length]).map_err(|why| format!("{text}: {why}"))
}

/// One word: an integer, or a real number as the bits of single precision.
fn words(text: &str) -> Result<Vec<u64>, String> {
    let one = |text: &str| {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let parsed = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => digits.parse().ok(),
        };
        match (parsed, text.strip_suffix('d').unwrap_or(text).parse::<f64>()) {
            (Some(value), _) => Ok(if negative { value.wrapping_neg() } else { value }),
            (None, Ok(value)) if text.ends_with('d') => Ok(value.to_bits()),
            (None, Ok(value)) => Ok(u64::from((value as f32).to_bits())),
            _ => Err(format!("`{text}` is no value")),
        }
    };
    text.split(',').map(one).collect()
}

/// Which registers a name means: kind, first, how many words.
fn register(name: &str) -> Result<(char, usize, usize), String> {
    let fixed = match name {
        "vcc" => Some(106),
        "vcc_lo" => Some(106),
        "vcc_hi" => Some(107),
        "exec" => Some(126),
        "exec_lo" => Some(126),
        "exec_hi" => Some(127),
        _ => None,
    };
    if let Some(number) = fixed {
        return Ok(('s', number, if matches!(name, "vcc" | "exec") { 2 } else { 1 }));
    }
    let (kind, rest) = name.split_at_checked(1).ok_or("no register")?;
    let kind = kind.chars().next().filter(|k| "vas".contains(*k)).ok_or_else(|| format!("`{name}` is no register"))?;
    let bad = || format!("`{name}` is no register");
    match rest.strip_prefix('[').and_then(|r| r.strip_suffix(']')) {
        Some(range) => {
            let (first, last) = range.split_once(':').ok_or_else(bad)?;
            let (first, last): (usize, usize) = (first.parse().map_err(|_| bad())?, last.parse().map_err(|_| bad())?);
            Ok((kind, first, last + 1 - first))
        }
        None => Ok((kind, rest.parse().map_err(|_| bad())?, 1)),
    }
}

const BUFFER: usize = 256;

fn execute(line: &Line, target: &str) -> Result<(), String> {
    let option = |name: &str| line.given.iter().find(|g| g.0 == name).map(|g| g.1);
    let wave = option("wave").map(|w| w.parse().map_err(|_| "wave is 32 or 64".to_owned())).transpose()?;
    let codec = Codec::of(target, wave)?;
    let memory = Memory::new(1 << 20);
    let buffer = memory.allocate(BUFFER as u64, true).ok_or("no memory")?;
    let m0 = codec.registers().by_name("m0").map_or(124, |n| n.0) as usize;
    let mut state = State::new(codec.wave.into(), VECTORS, ACCUMULATORS);
    for (name, text) in &line.given {
        match *name {
            "wave" | "lds" => {}
            "mem" => {
                let bytes: Vec<u8> = words(text)?.into_iter().flat_map(|w| (w as u32).to_le_bytes()).collect();
                memory.write(buffer, &bytes);
            }
            "scc" => state.scc = *text == "1",
            "m0" => state.scalars[m0] = words(text)?[0] as u32,
            _ => {
                let (kind, first, count) = register(name)?;
                // `&N` is the address of byte N of the buffer.
                let values = match text.strip_prefix('&') {
                    Some(offset) => vec![buffer + offset.parse::<u64>().map_err(|_| "& and a number of bytes")?],
                    None => words(text)?,
                };
                if kind == 's' {
                    let bits: u128 = if values.len() > 1 {
                        values.iter().rev().fold(0, |all, v| all << 32 | u128::from(*v & 0xffff_ffff))
                    } else {
                        values[0].into()
                    };
                    (0..count).for_each(|i| state.scalars[first + i] = (bits >> (32 * i)) as u32);
                    continue;
                }
                let file = if kind == 'v' { &mut state.vectors } else { &mut state.accumulators };
                let value_of = |lane: usize| if values.len() == 1 { values[0] } else { values.get(lane).copied().unwrap_or(0) };
                for (i, register) in file[first..first + count.min(2)].iter_mut().enumerate() {
                    register.iter_mut().enumerate().for_each(|(lane, word)| *word = (value_of(lane) >> (32 * i)) as u32);
                }
            }
        }
    }
    let decoded: Vec<Decoded> = line.instructions.iter().map(|text| instruction(&codec, text)).collect::<Result<_, _>>()?;
    let lds = option("lds").map_or(0, |_| 1 << 16);
    let done = run(&codec, &decoded, state, &memory, lds).map_err(|why| why.to_string())?;
    for (name, text) in &line.expected {
        let wanted = words(text)?;
        let mismatch = |got: String| Err(format!("{name} is {got}, expected {text}"));
        match *name {
            "mem" => {
                let mut bytes = vec![0; 4 * wanted.len()];
                memory.read(buffer, &mut bytes);
                let got: Vec<u64> = bytes.chunks(4).map(|c| u64::from(u32::from_le_bytes([c[0], c[1], c[2], c[3]]))).collect();
                if got != wanted {
                    return mismatch(format!("{got:x?}"));
                }
            }
            "scc" if done.scc != (wanted[0] == 1) => return mismatch(u8::from(done.scc).to_string()),
            "scc" => {}
            "m0" if u64::from(done.scalars[m0]) != wanted[0] => return mismatch(format!("{:#x}", done.scalars[m0])),
            "m0" => {}
            _ => {
                let (kind, first, count) = register(name)?;
                if kind == 's' {
                    let got = (0..count).rev().fold(0u128, |all, i| all << 32 | u128::from(done.scalars[first + i]));
                    let wanted: u128 = if wanted.len() > 1 {
                        wanted.iter().rev().fold(0, |all, v| all << 32 | u128::from(*v))
                    } else {
                        wanted[0].into()
                    };
                    let mask = if count >= 4 { u128::MAX } else { (1 << (32 * count)) - 1 };
                    if got != wanted & mask {
                        return mismatch(format!("{got:#x}"));
                    }
                    continue;
                }
                let file = if kind == 'v' { &done.vectors } else { &done.accumulators };
                let mask = if count == 1 { 0xffff_ffff } else { u64::MAX };
                let lanes = if wanted.len() == 1 { usize::from(codec.wave) } else { wanted.len() };
                for lane in 0..lanes {
                    let got = (0..count.min(2)).rev().fold(0u64, |all, i| all << 32 | u64::from(file[first + i][lane]));
                    let wanted = if wanted.len() == 1 { wanted[0] } else { wanted[lane] } & mask;
                    if got != wanted {
                        return mismatch(format!("{got:#x} in lane {lane}"));
                    }
                }
            }
        }
    }
    Ok(())
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run/amdgpu")
}

#[test]
fn instructions_give_what_their_lines_say() {
    let table = isa::amdgpu::Table::get().unwrap_or_else(|problems| panic!("{problems}"));
    let only = std::env::var("LINES").unwrap_or_default();
    let (mut count, mut failed) = (0, Vec::new());
    let mut per_file = BTreeMap::new();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder()).expect("tests/run/amdgpu").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "txt") && f.display().to_string().contains(&only)) {
        let text = std::fs::read_to_string(file).expect("a text");
        for (number, text) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#')) {
            let place = format!("{}:{}", file.file_name().expect("a name").display(), number + 1);
            let line = match Line::parse(text) {
                Ok(line) => line,
                Err(why) => {
                    failed.push(format!("{place}: {why}\n  {text}"));
                    continue;
                }
            };
            let named = |target: &&&'static str| {
                let id = table.target(target);
                line.targets.iter().any(|t| t == *target || id.is_some_and(|id| table.group(t).has(id)))
            };
            let targets: Vec<&str> =
                table.targets.iter().filter(named).filter(|t| t.starts_with("gfx") && !t.contains("generic")).copied().collect();
            if targets.is_empty() {
                failed.push(format!("{place}: no target\n  {text}"));
            }
            for target in targets {
                count += 1;
                *per_file.entry(file.clone()).or_insert(0) += 1;
                if let Err(why) = execute(&line, target) {
                    failed.push(format!("{place}: {target}: {why}\n  {text}"));
                }
            }
        }
    }
    let shown: Vec<&String> = failed.iter().take(40).collect();
    assert!(
        failed.is_empty(),
        "{} of {count} failed:\n{}",
        failed.len(),
        shown.iter().map(|s| s.as_str()).collect::<Vec<_>>().join("\n")
    );
    assert!(count > 0 || !only.is_empty(), "no lines");
}

/// What an access does not do here is told by the modifier that asks for it, and not left out.
#[test]
fn modifiers_that_are_not_executed_are_refused() {
    for (target, text, wanted) in [
        ("gfx906", "ds_read_b32 v1, v0 gds", "`gds`"),
        ("gfx906", "ds_swizzle_b32 v1, v0 offset:0x1f gds", "`gds`"),
        ("gfx906", "buffer_load_dword v[1:2], off, s[4:7], 0 tfe", "`tfe`"),
        ("gfx1030", "buffer_load_dword off, s[4:7], 0 lds", "`lds`"),
        ("gfx1250", "scratch_load_b32 v1, v2, off scale_offset", "`scale_offset`"),
    ] {
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
        let refused = run(&codec, &[decoded], given, &Memory::new(1 << 16), 0).expect_err(text).to_string();
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
                let decoded = Decoded { entry, word, literal: None, size: entry.size, second: None };
                count += 1;
                // Loads to LDS, or with a status, are refused by name; here types are asked.
                let refused = ["with `lds` is not executable yet", "with `tfe` is not executable yet"];
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
