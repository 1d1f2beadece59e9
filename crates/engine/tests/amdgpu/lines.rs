//! Lines of tests/run/amdgpu: targets, instructions, registers given and expected. They are executed as `engine::amdgpu::probe` executes instructions.

use amdgpu::codec::{Codec, Decoded};
use engine::amdgpu::probe::{Setup, State, needs_kernel, run};
use machine::memory::Memory;
use std::path::{Path, PathBuf};

/// Vector registers, and how many there are where a line names more.
const VECTORS: usize = 256;
const ALL_VECTORS: usize = 1024;
const ACCUMULATORS: usize = 16;
const BUFFER: u64 = 4096;
const LDS: u32 = 1 << 16;

/// A line, not yet understood.
pub struct Line<'t> {
    /// Names of targets and groups.
    targets: Vec<&'t str>,
    pub instructions: Vec<&'t str>,
    given: Vec<(&'t str, &'t str)>,
    expected: Vec<(&'t str, &'t str)>,
}

pub fn table() -> &'static isa::amdgpu::Table {
    isa::amdgpu::Table::get().unwrap_or_else(|problems| panic!("{problems}"))
}

/// The targets that are GPUs.
pub fn targets() -> Vec<&'static str> {
    table().targets.iter().filter(|t| t.starts_with("gfx") && !t.contains("generic")).copied().collect()
}

/// The folder of the lines.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run/amdgpu")
}

/// All lines of the files with this extension whose paths contain a text, with their places.
pub fn of(extension: &str, only: &str) -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder()).expect("tests/run/amdgpu").map(|e| e.expect("an entry").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == extension) && f.display().to_string().contains(only));
    files.sort();
    let mut lines = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        let name = file.file_name().unwrap_or_default().display().to_string();
        let numbered = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        lines.extend(numbered.map(|(number, line)| (format!("{name}:{number}"), line.to_owned())));
    }
    lines
}

fn assignments(text: &str) -> Result<Vec<(&str, &str)>, String> {
    text.split_ascii_whitespace()
        .map(|word| word.split_once('=').ok_or_else(|| format!("`{word}` is no REGISTER=VALUE")))
        .collect()
}

impl<'t> Line<'t> {
    pub fn parse(text: &'t str) -> Result<Line<'t>, String> {
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

    /// The targets for which it speaks.
    pub fn targets(&self) -> Vec<&'static str> {
        let table = table();
        let named = |target: &&'static str| {
            let id = table.target(target);
            self.targets.iter().any(|t| t == target || id.is_some_and(|id| table.group(t).has(id)))
        };
        targets().into_iter().filter(named).collect()
    }

    fn option(&self, name: &str) -> Option<&'t str> {
        self.given.iter().find(|given| given.0 == name).map(|given| given.1)
    }

    /// Wavefronts for which the line speaks; without a word those that are usual on a target.
    pub fn wave(&self) -> Result<Option<u8>, String> {
        self.option("wave").map(|w| w.parse().map_err(|_| "wave is 32 or 64".to_owned())).transpose()
    }

    fn setup(&self) -> Result<Setup, String> {
        let mut setup = Setup { lds: self.option("lds").map_or(0, |_| LDS), ..Setup::default() };
        if let Some(text) = self.option("scratch") {
            setup.scratch = text.parse().map_err(|_| "scratch is a number of bytes")?;
        }
        if let Some(text) = self.option("mode") {
            setup.mode = value(text, 0)? as u32;
        }
        setup.grows = self.option("grows").is_some();
        for word in self.option("modes").unwrap_or_default().split(',').filter(|word| !word.is_empty()) {
            match word {
                "flush_single" => setup.mode &= !0x30,
                "flush_others" => setup.mode &= !0xc0,
                "no_ieee" => setup.mode &= !0x200,
                _ => return Err(format!("`{word}` is no mode: flush_single, flush_others, no_ieee")),
            }
        }
        Ok(setup)
    }
}

/// An instruction of a text.
pub fn instruction<'c>(codec: &'c Codec, text: &str) -> Result<Decoded<'c>, String> {
    let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
    let assembled = codec.assemble(name, operands.trim(), &|_| None).map_err(|problem| format!("{text}: {}", problem.message))?;
    let (bytes, length) = assembled.bytes();
    codec.decode(&bytes[..length]).map_err(|why| format!("{text}: {why}"))
}

/// A value: an integer, a real number as the bits of single precision, or of double precision with a `d` behind it, or `&N`, an address of the buffer.
fn value(text: &str, buffer: u64) -> Result<u64, String> {
    let bad = || format!("`{text}` is no value");
    if let Some(offset) = text.strip_prefix('&') {
        return Ok(buffer.wrapping_add_signed(offset.parse().map_err(|_| bad())?));
    }
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let parsed = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    };
    match (parsed, text.strip_suffix('d').unwrap_or(text).parse::<f64>()) {
        (Some(value), _) => Ok(if negative { value.wrapping_neg() } else { value }),
        (None, Ok(value)) if text.ends_with('d') => Ok(value.to_bits()),
        (None, Ok(value)) => Ok(u64::from((value as f32).to_bits())),
        _ => Err(bad()),
    }
}

fn values(text: &str, buffer: u64) -> Result<Vec<u64>, String> {
    text.split(',').map(|text| value(text, buffer)).collect()
}

/// Words of memory; an address takes two.
fn memory_words(text: &str, buffer: u64) -> Result<Vec<u32>, String> {
    let mut words = Vec::new();
    for text in text.split(',') {
        let value = value(text, buffer)?;
        words.push(value as u32);
        words.extend(text.starts_with('&').then_some((value >> 32) as u32));
    }
    Ok(words)
}

/// A scalar tuple's bits: one value, or its words.
fn bits(values: &[u64]) -> Vec<u32> {
    match values {
        [one] => vec![*one as u32, (*one >> 32) as u32],
        words => words.iter().map(|w| *w as u32).collect(),
    }
}

/// What a register must hold.
enum Wanted {
    /// So many units from these bits.
    Near(u64, u64),
    /// Any NaN of single precision, or of double precision in a pair.
    Nan,
}

impl Wanted {
    fn parse(text: &str, buffer: u64) -> Result<Wanted, String> {
        if text == "nan" {
            return Ok(Wanted::Nan);
        }
        let (text, near) = match text.split_once('~') {
            Some((text, near)) => (text, near.parse().map_err(|_| format!("`~{near}` is no number of units"))?),
            None => (text, 0),
        };
        Ok(Wanted::Near(value(text, buffer)?, near))
    }

    fn is(&self, got: u64, mask: u64) -> bool {
        match self {
            Wanted::Near(bits, near) => got.abs_diff(bits & mask) <= *near,
            Wanted::Nan if mask == u64::MAX => f64::from_bits(got).is_nan(),
            Wanted::Nan => f32::from_bits(got as u32).is_nan(),
        }
    }
}

/// Which registers a name means: kind, first, how many words.
fn register(name: &str) -> Result<(char, usize, usize), String> {
    let fixed = match name {
        "vcc" | "vcc_lo" => Some(106),
        "vcc_hi" => Some(107),
        "exec" | "exec_lo" => Some(126),
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

/// The number of M0 among scalar registers.
fn m0(codec: &Codec) -> usize {
    codec.registers().by_name("m0").map_or(124, |n| n.0).into()
}

/// Puts what is given into registers and memory.
fn give(line: &Line, codec: &Codec, memory: &Memory, buffer: u64) -> Result<State, String> {
    let high = |(name, _): &(&str, &str)| register(name).is_ok_and(|(kind, first, count)| kind == 'v' && first + count > VECTORS);
    let vectors = if line.given.iter().chain(&line.expected).any(high) { ALL_VECTORS } else { VECTORS };
    let mut state = State::new(codec.wave.into(), vectors, ACCUMULATORS);
    for (name, text) in &line.given {
        match *name {
            "wave" | "lds" | "scratch" | "modes" | "mode" | "grows" => continue,
            "scc" => state.scc = *text == "1",
            "m0" => state.scalars[m0(codec)] = value(text, buffer)? as u32,
            "mem" => {
                let bytes: Vec<u8> = memory_words(text, buffer)?.into_iter().flat_map(u32::to_le_bytes).collect();
                memory.write(buffer, &bytes);
            }
            _ => {
                let (kind, first, count) = register(name)?;
                let values = values(text, buffer)?;
                if kind == 's' {
                    let words = bits(&values);
                    (0..count).for_each(|i| state.scalars[first + i] = words.get(i).copied().unwrap_or(0));
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
    Ok(state)
}

/// Looks whether one register, or memory, is as it is expected.
fn compare(done: &State, codec: &Codec, memory: &Memory, buffer: u64, name: &str, text: &str) -> Result<(), String> {
    let mismatch = |got: String| Err(format!("{name} is {got}, expected {text}"));
    match name {
        "mem" => {
            let wanted = memory_words(text, buffer)?;
            let mut bytes = vec![0; 4 * wanted.len()];
            memory.read(buffer, &mut bytes);
            let got: Vec<u32> = bytes.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
            return if got == wanted { Ok(()) } else { mismatch(format!("{got:x?}")) };
        }
        "scc" if done.scc != (text == "1") => return mismatch(u8::from(done.scc).to_string()),
        "m0" if u64::from(done.scalars[m0(codec)]) != value(text, buffer)? => {
            return mismatch(format!("{:#x}", done.scalars[m0(codec)]));
        }
        "scc" | "m0" => return Ok(()),
        _ => {}
    }
    let (kind, first, count) = register(name)?;
    if kind == 's' {
        let got = &done.scalars[first..first + count];
        if count <= 2 && !text.contains(',') {
            let got = got.iter().rev().fold(0, |all, word| all << 32 | u64::from(*word));
            let mask = if count == 1 { 0xffff_ffff } else { u64::MAX };
            return if Wanted::parse(text, buffer)?.is(got, mask) { Ok(()) } else { mismatch(format!("{got:#x}")) };
        }
        let mut wanted = bits(&values(text, buffer)?);
        wanted.resize(count, 0);
        return if got == wanted { Ok(()) } else { mismatch(format!("{got:x?}")) };
    }
    let wanted: Vec<Wanted> = text.split(',').map(|text| Wanted::parse(text, buffer)).collect::<Result<_, _>>()?;
    let file = if kind == 'v' { &done.vectors } else { &done.accumulators };
    let mask = if count == 1 { 0xffff_ffff } else { u64::MAX };
    let lanes = if wanted.len() == 1 { usize::from(codec.wave) } else { wanted.len() };
    for lane in 0..lanes {
        let got = (0..count.min(2)).rev().fold(0, |all, i| all << 32 | u64::from(file[first + i][lane]));
        if !wanted[if wanted.len() == 1 { 0 } else { lane }].is(got, mask) {
            return mismatch(format!("{got:#x} in lane {lane}"));
        }
    }
    Ok(())
}

/// Executes a line on a target; what accesses memory twice, with results that wait in a queue and without, where nobody can see a difference.
pub fn execute(line: &Line, target: &str) -> Result<(), String> {
    let codec = Codec::of(target, line.wave()?)?;
    let decoded: Vec<Decoded> = line.instructions.iter().map(|text| instruction(&codec, text)).collect::<Result<_, _>>()?;
    let ways: &[bool] = if decoded.iter().any(|decoded| needs_kernel(&codec, decoded)) { &[true, false] } else { &[false] };
    ways.iter().try_for_each(|queues| execute_once(line, &codec, &decoded, *queues))
}

fn execute_once(line: &Line, codec: &Codec, decoded: &[Decoded], queues: bool) -> Result<(), String> {
    let memory = Memory::new(1 << 20);
    let buffer = memory.allocate(BUFFER, true).ok_or("no memory")?;
    let state = give(line, codec, &memory, buffer)?;
    let done = run(codec, decoded, state, &memory, Setup { queues, ..line.setup()? }).map_err(|why| why.to_string());
    if let [("fault", words)] = line.expected[..] {
        let words = words.replace('_', " ");
        return match done {
            Err(why) if why.contains(&words) => Ok(()),
            Err(why) => Err(format!("it is told `{why}`, expected `{words}`")),
            Ok(_) => Err(format!("it goes well, expected `{words}`")),
        };
    }
    let done = done?;
    line.expected.iter().try_for_each(|(name, text)| compare(&done, codec, &memory, buffer, name, text))
}
