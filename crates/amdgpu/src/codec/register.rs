//! The registers and inline constants of one target, by the numbers in operand fields.

use std::fmt::Write as _;

use isa::amdgpu::{Number, Registers, Target, Type};

/// The number from which vector registers count; accumulation registers have bit 9 besides.
pub const VECTOR: u16 = 256;
/// The bit of accumulation registers.
pub const ACCUMULATION: u16 = 512;
/// A literal of 32 bits follows.
pub const LITERAL: u16 = 255;
/// A literal of 64 bits follows, on targets that have such.
pub const LITERAL64: u16 = 254;

/// What a number means on one target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meaning {
    /// A register with a number, of the range of that name: `s`, `ttmp`, `v`, `a`.
    Numbered(&'static str, u16),
    /// A register with a name.
    Named(&'static str),
    /// An integer constant.
    Integer(i32),
    /// A real constant, as it is written.
    Real(&'static str),
    /// A literal that follows.
    Literal,
    /// Nothing.
    Reserved,
}

/// The registers of one target.
#[derive(Debug)]
pub struct RegisterFile {
    table: &'static Registers,
    target: Target,
}

impl RegisterFile {
    /// The registers of a target.
    pub fn new(table: &'static Registers, target: Target) -> RegisterFile {
        RegisterFile { table, target }
    }

    /// What a number means for an operand of so many words of 32 bits.
    pub fn meaning(&self, number: u16, words: u16) -> Meaning {
        if let Some((name, first, ..)) = self.range(number).filter(|r| number + words <= r.1 + r.2) {
            return Meaning::Numbered(name, number - first);
        }
        let named = self.table.names.iter().find(|n| n.1 == number && u16::from(n.2) == words.min(2) && n.3.has(self.target));
        if let Some((name, ..)) = named {
            return Meaning::Named(name);
        }
        if let Some((first, value, _, step)) = self.table.integers.iter().find(|i| (i.0..i.0 + i.2).contains(&number)) {
            return Meaning::Integer(value + i32::from(number - first) * step);
        }
        if let Some((_, text)) = self.table.reals.iter().find(|r| r.0 == number) {
            return Meaning::Real(text);
        }
        if number == LITERAL { Meaning::Literal } else { Meaning::Reserved }
    }

    /// The range of registers that holds a number.
    fn range(&self, number: u16) -> Option<&'static (&'static str, u16, u16, isa::amdgpu::Targets)> {
        self.table.ranges.iter().find(|r| (r.1..r.1 + r.2).contains(&number) && r.3.has(self.target))
    }

    /// The first number and the count of the range of that name.
    pub fn numbered(&self, name: &str) -> Option<(u16, u16)> {
        self.table.ranges.iter().find(|r| r.0 == name && r.3.has(self.target)).map(|r| (r.1, r.2))
    }

    /// The number and the words of the register of that name; the widest that fits `words` if there are several.
    pub fn named(&self, name: &str, words: u16) -> Option<(u16, u16)> {
        let fits = |n: &&(&str, u16, u8, isa::amdgpu::Targets)| n.0 == name && n.3.has(self.target);
        let mut all = self.table.names.iter().filter(fits);
        all.clone().find(|n| u16::from(n.2) == words).or_else(|| all.next()).map(|n| (n.1, u16::from(n.2)))
    }

    /// The register of that name: number, words, whether it is as wide as is asked for, and its name.
    pub fn by_name(&self, name: &str) -> Option<(u16, u16, bool, &'static str)> {
        // Names of old and from other tools.
        let short = ["vccz", "execz", "scc", "lds_direct", "shared_base", "shared_limit", "private_base", "private_limit"];
        let is = |own: &str| own == name || own.strip_prefix("src_") == Some(name) && short.contains(&name);
        let mut all = self.table.names.iter().filter(|n| is(n.0) && n.3.has(self.target));
        let first = all.next()?;
        Some((first.1, u16::from(first.2), all.next().is_some(), first.0))
    }

    /// The inline constant that is an integer.
    pub fn integer(&self, value: i64) -> Option<u16> {
        let of = |&(first, start, count, step): &(u16, i32, u16, i32)| {
            let at = (value - i64::from(start)) * i64::from(step);
            (0..i64::from(count)).contains(&at).then(|| first + at as u16)
        };
        self.table.integers.iter().find_map(of)
    }

    /// The real inline constants: number and value.
    pub fn reals(&self) -> impl Iterator<Item = (u16, f64)> {
        self.table.reals.iter().map(|(number, text)| {
            // One over two pi is written with as many digits as single precision needs.
            let value: f64 = text.parse().unwrap_or(0.0);
            (*number, if value < 0.2 && value > 0.0 { 0.15915494309189532 } else { value })
        })
    }

    /// Writes registers: `v5`, `s[2:3]`, `vcc`.
    pub fn print_numbered(name: &str, index: u16, words: u16, out: &mut String) {
        let _ = match words {
            0 | 1 => write!(out, "{name}{index}"),
            _ => write!(out, "{name}[{index}:{}]", index + words - 1),
        };
    }
}

/// How many words of 32 bits an operand has.
pub fn words(ty: Type, wave: u8) -> u16 {
    match ty.number {
        Number::Mask => u16::from(wave / 32),
        _ => (ty.total().div_ceil(32) as u16).max(1),
    }
}
