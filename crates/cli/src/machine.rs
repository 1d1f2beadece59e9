//! What the commands about AMD's machine code share: the codec of a target, and bytes that are written as hexadecimal digits.

use amdgpu::codec::Codec;
use amdgpu::disasm::FieldValue;
use amdgpu::object::TargetId;
use isa::amdgpu::Table;
use isa::amdgpu::words::Words;
use lockstep::Error;
use serde_json::{Value, json};

/// The records.
///
/// # Errors
/// They are wrong.
pub fn table() -> Result<(&'static Table, &'static Words), Error> {
    let wrong = |problems: &isa::Problems| {
        Error::plain("", format!("the table is wrong: {problems}"), "LOCKSTEP_ISA names another one, or the build is damaged")
    };
    Ok((Table::get().map_err(wrong)?, Words::get().map_err(wrong)?))
}

/// The instructions of a target in any of its spellings, in waves of so many lanes or as is usual there.
///
/// # Errors
/// There is no such target, or it has no such waves.
pub fn codec(target: &TargetId, wave: Option<u8>) -> Result<Codec, Error> {
    let name = target.object.name;
    let codec = Codec::of(name, wave).map_err(|message| Error::plain("", message, "see --help"))?;
    if wave == Some(32) && !codec.has("wave32") {
        return Err(Error::plain("", format!("{name} has no waves of 32 lanes"), "leave --wave away, or say --wave 64"));
    }
    Ok(codec)
}

/// A target from the command line.
///
/// # Errors
/// There is none of that name.
pub fn parse_target(text: &str) -> Result<TargetId, String> {
    TargetId::parse(text).map_err(|error| format!("{error}; {}", error.help))
}

/// Lanes of a wave from the command line.
pub fn parse_wave(text: &str) -> Result<u8, String> {
    match text {
        "32" => Ok(32),
        "64" => Ok(64),
        _ => Err("waves have 32 or 64 lanes".into()),
    }
}

/// How digits without `0x` that are more than a byte's are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Bytes as they lie in memory.
    Memory,
    /// A number, its highest digit first.
    Number,
}

/// The bytes of a text: pairs of digits are bytes as they lie in memory, with `0x` before more than two digits a number of 32 or 64 bits.
/// Blanks, commas and brackets separate; `//`, `;` and `#` begin comments.
///
/// # Errors
/// What is wrong, in words.
pub fn bytes(text: &str, order: Order) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for line in text.lines() {
        let end = [line.find("//"), line.find(';'), line.find('#')].into_iter().flatten().min().unwrap_or(line.len());
        let separates = |c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']');
        for word in line[..end].split(separates).filter(|w| !w.is_empty()) {
            push(word, order, &mut bytes)?;
        }
    }
    if bytes.is_empty() { Err("there are no hexadecimal digits".into()) } else { Ok(bytes) }
}

fn push(word: &str, order: Order, bytes: &mut Vec<u8>) -> Result<(), String> {
    let prefixed = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    let digits = prefixed.unwrap_or(word);
    let shown: String = word.chars().take(20).collect();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(format!("`{shown}` is no hexadecimal number"));
    }
    let is_number = digits.len() > 2 && (prefixed.is_some() || order == Order::Number);
    if is_number {
        let size = match digits.len() {
            ..=8 => 4,
            9..=16 => 8,
            _ => return Err(format!("`{shown}` has more than 64 bits")),
        };
        let number = u64::from_str_radix(digits, 16).unwrap_or(0);
        bytes.extend_from_slice(&number.to_le_bytes()[..size]);
        return Ok(());
    }
    if !digits.len().is_multiple_of(2) && prefixed.is_none() {
        return Err(format!("`{shown}` has an odd number of digits: bytes have two"));
    }
    let padded = if !digits.len().is_multiple_of(2) { format!("0{digits}") } else { digits.to_owned() };
    bytes.extend((0..padded.len()).step_by(2).filter_map(|at| u8::from_str_radix(&padded[at..at + 2], 16).ok()));
    Ok(())
}

/// Bytes as pairs of digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
}

/// The layout of an instruction, a line for each field; `start` begins each.
pub fn fields_text(fields: &[FieldValue], literal: Option<u64>, start: &str) -> String {
    let range = |f: &FieldValue| if f.high == f.low { f.high.to_string() } else { format!("{}:{}", f.high, f.low) };
    let bits = |f: &FieldValue| format!("{:0width$b}", f.value, width = usize::from(f.high - f.low + 1));
    let names = fields.iter().map(|f| f.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for field in fields {
        let shown = bits(field);
        let shown = if shown.len() > 16 { format!("0x{:x}", field.value) } else { shown };
        let line = format!("{start}{:>7}  {:names$}  {shown:16}  {}", range(field), field.name, field.meaning);
        text += line.trim_end();
        text.push('\n');
    }
    literal.into_iter().for_each(|literal| text += &format!("{start}      +  {:names$}  0x{literal:x}\n", "literal"));
    text
}

/// The same for programs.
pub fn fields_json(fields: &[FieldValue]) -> Value {
    let field = |f: &FieldValue| json!({ "high": f.high, "low": f.low, "name": f.name, "value": f.value, "meaning": f.meaning });
    json!(fields.iter().map(field).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_in_every_spelling_are_the_same_bytes() {
        let expected = Ok(vec![0x05, 0x40, 0xaa, 0xd3]);
        for text in ["05 40 aa d3", "0540aad3", "0x05,0x40,0xaa,0xd3", "[0x05,0x40,0xaa,0xd3]", "0xd3aa4005 // x", "05 40\naa d3"]
        {
            assert_eq!(bytes(text, Order::Memory), expected, "{text}");
        }
        assert_eq!(bytes("D3AA4005", Order::Number), expected);
        assert_eq!(bytes("bf810000 7e000000", Order::Number), Ok(vec![0, 0, 0x81, 0xbf, 0, 0, 0, 0x7e]));
    }

    #[test]
    fn what_is_wrong_with_digits_is_said() {
        for (text, part) in
            [("05 4", "odd"), ("xyz", "no hexadecimal"), ("// 05", "no hexadecimal digits"), ("é", "no hexadecimal")]
        {
            assert!(bytes(text, Order::Memory).is_err_and(|e| e.contains(part)), "{text}");
        }
        assert!(bytes("0x00112233445566778", Order::Memory).is_err_and(|e| e.contains("64 bits")));
    }
}
