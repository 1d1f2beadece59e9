//! What stands behind `@@DWARF`, which PTX had before 2.0: a section, or data of one. Nothing is made of it.
//!
//! Follows PTX ISA 9.4, 11.5.1, and ptxas 13.5 on names of sections.

/// Whether a line that begins with `@@DWARF` is one that PTX has.
pub fn is_line(line: &str) -> bool {
    let line = without_comments(line.trim_start_matches("@@DWARF"));
    let Some((directive, rest)) = line.trim().split_once([' ', '\t']) else { return false };
    if !line.starts_with([' ', '\t']) {
        return false;
    }
    let parts: Vec<&str> = rest.split(',').map(str::trim).collect();
    match (directive, &parts[..]) {
        (".section", [name, string, "@progbits"]) => {
            name.starts_with('.') && is_name(name) && string.len() > 1 && string.starts_with('"') && string.ends_with('"')
        }
        (".byte", bytes) => bytes.iter().all(|byte| number(byte).is_some_and(|value| value < 256)),
        (".4byte" | ".quad", [name]) if is_name(name) => true,
        (".4byte" | ".quad", numbers) => numbers.iter().all(|value| number(value).is_some()),
        _ => false,
    }
}

/// The line up to a comment, and behind it where it ends on the line.
fn without_comments(line: &str) -> String {
    let line = line.split("//").next().unwrap_or(line);
    match line.split_once("/*") {
        None => line.to_owned(),
        Some((before, behind)) => format!("{before} {}", behind.split_once("*/").map_or("", |(_, behind)| behind)),
    }
}

fn is_name(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '.' | '_' | '$' | '%'));
    begins && text.chars().skip(1).all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))
}

fn number(text: &str) -> Option<u64> {
    let digits = text.strip_suffix('U').unwrap_or(text);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok(),
        None => None,
    }
}
