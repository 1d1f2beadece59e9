//! What llvm-mc says of texts of several lines, and of bytes that may be no instruction.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::super::immediates::{Answer, llvm_mc};

/// What llvm-mc makes of each text behind a prologue, and what it says of those that it refuses.
pub fn texts(target: &str, prologue: &str, texts: &[String]) -> Result<Vec<(Answer, String)>, String> {
    let mut input = prologue.to_owned();
    let mut line = prologue.lines().count() + 1;
    let mut starts = BTreeMap::new();
    for (i, text) in texts.iter().enumerate() {
        writeln!(input, "L{i}:\n{text}").expect("a string takes it");
        starts.insert(line + 1, i);
        line += 1 + text.lines().count().max(1);
    }
    writeln!(input, "L{}:", texts.len()).expect("a string takes it");
    let (output, errors) = llvm_mc(target, input, false)?;
    let labels: Vec<usize> = output.lines().filter_map(label).collect();
    if labels.last() != Some(&texts.len()) {
        if texts.len() < 2 {
            return Ok(vec![(Answer::Open, String::new()); texts.len()]);
        }
        let (first, second) = texts.split_at(texts.len() / 2);
        return Ok([self::texts(target, prologue, first)?, self::texts(target, prologue, second)?].concat());
    }
    let mut found = vec![(Answer::Refused, String::new()); texts.len()];
    let mut at = None;
    for line in output.lines() {
        if let Some(label) = label(line) {
            at = Some(label);
        } else if let (Some(place), Some((_, bytes))) = (at.and_then(|i| found.get_mut(i)), line.split_once("encoding: [")) {
            // `A` stands for a byte that a symbol decides.
            let bytes = bytes.trim_end().trim_end_matches(']').split(',');
            let bytes: Option<Vec<u8>> = bytes.map(|b| u8::from_str_radix(b.trim().strip_prefix("0x")?, 16).ok()).collect();
            place.0 = match (&place.0, bytes) {
                (Answer::Bytes(before), Some(bytes)) => Answer::Bytes([&before[..], &bytes].concat()),
                (Answer::Refused, Some(bytes)) => Answer::Bytes(bytes),
                _ => Answer::Open,
            };
        }
    }
    // A text whose end llvm-mc did not see says nothing.
    for i in (0..texts.len()).filter(|i| labels.binary_search(&(i + 1)).is_err()) {
        found[i].0 = Answer::Open;
    }
    for (line, message) in complaints(&errors) {
        if let Some((_, i)) = starts.range(..=line).next_back() {
            found[*i] = (if found[*i].0 == Answer::Open { Answer::Open } else { Answer::Refused }, message);
        }
    }
    Ok(found)
}

fn label(line: &str) -> Option<usize> {
    line.strip_prefix('L')?.strip_suffix(':')?.parse().ok()
}

/// The lines of errors, counted from 1; what is wrong in a macro is told of the line that expands it.
fn complaints(errors: &str) -> Vec<(usize, String)> {
    let (mut found, mut inner) = (Vec::new(), None);
    for text in errors.lines() {
        let place = text.strip_prefix("<stdin>:").and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
        match (text.split_once("error: "), place) {
            (Some((_, message)), Some(line)) => found.push((line, message.to_owned())),
            (Some((_, message)), None) => inner = Some(message.to_owned()),
            (None, Some(line)) => found.extend(inner.take().map(|message| (line, message))),
            (None, None) => {}
        }
    }
    found
}

/// The texts of instructions in some bytes, and where there is none.
pub type Read = (Vec<String>, Vec<usize>);

/// What llvm-mc reads in bytes.
pub fn bytes(target: &str, all: &[Vec<u8>]) -> Result<Vec<Read>, String> {
    // An instruction that stands between, which no target's random bytes are.
    const BETWEEN: &str = "[0x11 0x08 0x80 0xbf]\n";
    let mut input = BETWEEN.to_owned();
    for bytes in all {
        let numbers: Vec<String> = bytes.iter().map(|b| format!("0x{b:02x}")).collect();
        writeln!(input, "[{}]\n{}", numbers.join(" "), BETWEEN.trim_end()).expect("a string takes it");
    }
    let (output, errors) = llvm_mc(target, input, true)?;
    let mut found = vec![(Vec::new(), Vec::new()); all.len()];
    for text in errors.lines().filter(|text| text.contains("invalid instruction encoding")) {
        let mut place = text.trim_start_matches("<stdin>:").split(':').filter_map(|n| n.parse::<usize>().ok());
        if let (Some(line), Some(column)) = (place.next(), place.next())
            && let Some(place) = found.get_mut((line / 2).saturating_sub(1))
        {
            place.1.push((column - 2) / 5);
        }
    }
    let mut texts = output.lines().filter(|line| line.starts_with('\t')).map(str::trim);
    let between = texts.next().unwrap_or_default();
    let mut at = 0;
    for text in texts {
        match found.get_mut(at) {
            _ if text == between => at += 1,
            Some(place) => place.0.push(text.replace('\t', " ")),
            None => {}
        }
    }
    if at == all.len() {
        return Ok(found);
    }
    if all.len() < 2 {
        return Ok(vec![(vec!["llvm-mc breaks down".into()], Vec::new()); all.len()]);
    }
    let (first, second) = all.split_at(all.len() / 2);
    Ok([self::bytes(target, first)?, self::bytes(target, second)?].concat())
}

/// What llvm-mc may lose of a line that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// It reads no instruction in its own bytes, or several.
    Unread,
    /// Its text of them has a mark of something that is no operand.
    Marked,
    /// An absolute value.
    Absolute,
    /// A register that has a name.
    Register,
    /// A number of six bits or more: its lower 32 bits, or as it is written.
    Number,
}

impl Loss {
    /// How a summary tells of it.
    pub fn title(self) -> &'static str {
        match self {
            Loss::Unread => "llvm-mc does not read its own bytes as one instruction",
            Loss::Marked => "llvm-mc's text of its own bytes marks an operand as invalid",
            Loss::Absolute => "llvm-mc loses an absolute value",
            Loss::Register => "llvm-mc loses a register",
            Loss::Number => "llvm-mc loses bits of a number",
        }
    }
}

/// What is lost of a line in the text that its bytes are read as. It is asked of lines alone on which we differ from llvm-mc, and of our own
/// bytes as well: who keeps what llvm-mc loses, or refuses the line, is right.
pub fn loss(line: &str, read: Option<&str>) -> Option<Loss> {
    let Some(read) = read.filter(|text| !text.contains("breaks down")) else { return Some(Loss::Unread) };
    if read.contains("/*Invalid") {
        return Some(Loss::Marked);
    }
    let has_bars = |text: &str| text.contains('|') || text.contains("abs(");
    if has_bars(line) && !has_bars(read) {
        return Some(Loss::Absolute);
    }
    // A real constant may stand for a number.
    let is_real = |word: &&str| word.contains('.') && word.parse::<f64>().is_ok();
    let hidden = words(read).any(|word| is_real(&word) && words(line).all(|other| other != word));
    let numbers: Vec<u64> = words(read).filter_map(number).collect();
    let is_lost = |value: f64| !words(read).any(|word| is_real(&word)) && !numbers.iter().any(|n| is_of(*n, value));
    if words(line).filter(is_real).filter_map(|word| word.parse().ok()).any(is_lost) {
        return Some(Loss::Number);
    }
    let is_register = |word: &str| word.starts_with("src_") || matches!(word, "vccz" | "execz" | "scc" | "null" | "nt");
    words(line).skip(1).find_map(|word| match number(word) {
        // Small numbers are those of registers, and of modifiers that are not printed.
        Some(value) => {
            let is_kept = |n: &u64| *n == value || *n as u32 == value as u32 && value as u32 >= 32;
            (value >= 32 && !hidden && !numbers.iter().any(is_kept)).then_some(Loss::Number)
        }
        None => (is_register(word) && !words(read).any(|w| w.ends_with(word))).then_some(Loss::Register),
    })
}

/// Whether these may be the bits of a real constant: all of them or the upper half in double precision, single, half (nearly), or bfloat16.
fn is_of(bits: u64, value: f64) -> bool {
    let (double, single) = (value.to_bits(), (value as f32).to_bits());
    let half = (single >> 16 & 0x8000) + ((single & 0x7fff_ffff) >> 13).saturating_sub(112 << 10);
    [double, double >> 32, single.into(), (single >> 16).into()].contains(&bits) || bits.abs_diff(half.into()) <= 1
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.')).filter(|w| !w.is_empty())
}

/// A whole number.
fn number(word: &str) -> Option<u64> {
    match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}
