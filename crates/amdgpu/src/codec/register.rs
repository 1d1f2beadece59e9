//! The registers and inline constants of one target, by the numbers in operand fields.

use isa::amdgpu::{Class, Number, Registers, Target, Type};
use isa::names::NameMap;

use crate::immediate::digits::push_decimal;

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

/// Numbers in operand fields with the bit of accumulation registers.
const NUMBERS: u16 = 1024;

/// The registers of one target.
#[derive(Debug)]
pub struct RegisterFile {
    table: &'static Registers,
    target: Target,
    numbers: Vec<Known>,
    names: NameMap<&'static str, Name>,
    /// Name, first number, count.
    ranges: Vec<(&'static str, u16, u16)>,
    reals: Vec<(u16, f64)>,
    /// Ranges whose name is one letter, by the letter.
    letters: [Option<Letter>; 26],
}

/// A range whose name is one letter.
#[derive(Clone, Copy, Debug)]
struct Letter {
    name: &'static str,
    first: u16,
    count: u16,
    /// How many registers a tuple can reach.
    reach: u16,
}

/// Number, words, whether it is as wide as is asked for, and the name that is printed.
type Name = (u16, u16, bool, &'static str);

/// What is known of a number.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The range, the number in it, and how many registers go on from there.
    numbered: Option<(&'static str, u16, u16)>,
    /// What it is otherwise to an operand of one word, and of more.
    others: [Meaning; 2],
    /// Who may be it, as a register of the range, or as what it is to operands of one word, two and more.
    rules: [Rule; 4],
}

/// Which operands may be a number: those that can be all of `all` and are not denied any of `none`, or can be all of `instead`.
#[derive(Clone, Copy, Debug)]
struct Rule {
    all: Class,
    none: Class,
    instead: Class,
}

impl Rule {
    /// Nobody.
    const NEVER: Rule = Rule::of(Class(u16::MAX));

    const fn of(all: Class) -> Rule {
        Rule { all, none: Class(0), instead: Class(u16::MAX) }
    }

    /// Who may be what a number means.
    fn new(meaning: Meaning) -> Rule {
        let scalar_but = |none| Rule { none, ..Rule::of(Class::S) };
        match meaning {
            Meaning::Numbered("v", _) => Rule::of(Class::V),
            Meaning::Numbered("a", _) => Rule::of(Class::A),
            Meaning::Named("m0") => scalar_but(Class::NOT_M0),
            Meaning::Named("exec_hi") => scalar_but(Class::NOT_EXEC.or(Class::NOT_EXEC_HI)),
            Meaning::Named("exec" | "exec_lo") => scalar_but(Class::NOT_EXEC),
            Meaning::Named("null") => scalar_but(Class::NOT_NULL),
            Meaning::Named("src_lds_direct") => Rule { instead: Class::LDS, ..Rule::of(Class::S.or(Class::V)) },
            Meaning::Numbered(..) | Meaning::Named(_) => Rule::of(Class::S),
            Meaning::Integer(_) | Meaning::Real(_) => Rule::of(Class::CONSTANT),
            Meaning::Literal => Rule::of(Class::LITERAL),
            Meaning::Reserved => Rule::NEVER,
        }
    }

    #[inline]
    fn allows(self, class: Class) -> bool {
        class.has(self.all) && class.0 & self.none.0 == 0 || class.has(self.instead)
    }
}

impl RegisterFile {
    /// The registers of a target.
    pub fn new(table: &'static Registers, target: Target) -> RegisterFile {
        let others = table
            .names
            .iter()
            .map(|n| n.1)
            .chain(table.integers.iter().map(|i| i.0 + i.2))
            .chain(table.reals.iter().map(|r| r.0));
        // Behind them are registers with numbers alone.
        let last = others.max().unwrap_or(0).max(LITERAL);
        let numbers = (0..NUMBERS).map(|number| known(table, target, number, number <= last)).collect();
        let ranges: Vec<_> = table.ranges.iter().filter(|r| r.3.has(target)).map(|r| (r.0, r.1, r.2)).collect();
        let mut letters = [None; 26];
        for &(name, first, count) in &ranges {
            if let [letter @ b'a'..=b'z'] = name.as_bytes() {
                let reach = reach(table, target, name).unwrap_or(count);
                letters[usize::from(letter - b'a')] = Some(Letter { name, first, count, reach });
            }
        }
        // One over two pi is written with as many digits as single precision needs.
        let exact = |value: f64| if value < 0.2 && value > 0.0 { 0.15915494309189532 } else { value };
        let reals = table.reals.iter().map(|(number, text)| (*number, exact(text.parse().unwrap_or(0.0)))).collect();
        let names = names(table, target);
        RegisterFile { table, target, numbers, names, ranges, reals, letters }
    }

    /// Whether an operand of so many words of 32 bits may be a number. Vector registers begin at any number.
    #[inline]
    pub fn allows(&self, number: u16, words: u16, class: Class) -> bool {
        let Some(known) = self.numbers.get(usize::from(number)) else { return false };
        match known.numbered {
            Some((_, index, left)) if words <= left => {
                let is_aligned = || index.is_multiple_of(words.min(4).next_power_of_two());
                known.rules[0].allows(class) && (words < 2 || number & VECTOR != 0 || is_aligned())
            }
            _ => known.rules[usize::from(words.clamp(1, 3))].allows(class),
        }
    }

    /// What a number means for an operand of so many words of 32 bits.
    #[inline]
    pub fn meaning(&self, number: u16, words: u16) -> Meaning {
        let Some(known) = self.numbers.get(usize::from(number)) else { return Meaning::Reserved };
        match known.numbered {
            Some((name, index, left)) if words <= left => Meaning::Numbered(name, index),
            _ => known.others[usize::from(words > 1)],
        }
    }

    /// The first number and the count of the range of that name.
    pub fn numbered(&self, name: &str) -> Option<(u16, u16)> {
        self.ranges.iter().find(|r| r.0 == name).map(|r| (r.1, r.2))
    }

    /// Registers at the start of a text as they are mostly written, `v12` or `s[4:7]`: number, words, and bytes of the text. Nothing does not
    /// mean that it is none.
    pub(super) fn plain(&self, text: &str) -> Option<(u16, u16, usize)> {
        let text = text.as_bytes();
        let letter = self.letters.get(usize::from(text.first()?.wrapping_sub(b'a')))?.as_ref()?;
        let ends = |at: usize| text.get(at).is_none_or(|byte| matches!(byte, b',' | b' ' | b'\t'));
        if text.get(1) != Some(&b'[') {
            let (index, at) = index(text, 1)?;
            return (index < letter.count && ends(at)).then_some((letter.first + index, 1, at));
        }
        let (low, at) = index(text, 2)?;
        let (high, end) = index(text, at + 1).filter(|_| text[at] == b':')?;
        let is_tuple = (low..low + 32).contains(&high) && low < letter.count && high < letter.reach;
        let words = high.wrapping_sub(low).wrapping_add(1);
        let is_right = is_tuple && text.get(end) == Some(&b']') && ends(end + 1) && self.is_width(letter.name, words);
        is_right.then_some((letter.first + low, words, end + 1))
    }

    /// How many registers a tuple of the range of that name can reach.
    pub fn reach(&self, name: &str) -> Option<u16> {
        reach(self.table, self.target, name).or_else(|| self.numbered(name).map(|range| range.1))
    }

    /// Whether so many registers of the range of that name make a tuple.
    pub fn is_width(&self, name: &str, words: u16) -> bool {
        self.table.widths.iter().find(|w| w.0 == name).is_none_or(|w| w.1.contains(&words))
    }

    /// The number and the words of the register of that name; the widest that fits `words` if there are several.
    pub fn named(&self, name: &str, words: u16) -> Option<(u16, u16)> {
        let fits = |n: &&(&str, u16, u8, isa::amdgpu::Targets)| n.0 == name && n.3.has(self.target);
        let mut all = self.table.names.iter().filter(fits);
        all.clone().find(|n| u16::from(n.2) == words).or_else(|| all.next()).map(|n| (n.1, u16::from(n.2)))
    }

    /// Whether only operands can be this register that can be constants.
    pub fn is_source(&self, number: u16, words: u16) -> bool {
        self.table.sources.iter().any(|s| s.0 == number && u16::from(s.1) == words)
    }

    /// The register of that name: number, words, whether it is as wide as is asked for, and its name.
    pub fn by_name(&self, name: &str) -> Option<(u16, u16, bool, &'static str)> {
        self.names.get(name).copied()
    }

    /// Whether a name is that of a register of some target, or written like one; `opens` says whether a bracket stands behind it.
    pub fn is_name(&self, name: &str, opens: bool) -> bool {
        let bare = name.strip_suffix(".l").or_else(|| name.strip_suffix(".h")).unwrap_or(name);
        let letters = bare.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_range = letters == "acc" || self.table.ranges.iter().any(|r| r.0 == letters);
        is_range && (letters.len() < bare.len() || opens && bare == name)
            || self.table.names.iter().any(|n| n.0 == name)
            || self.table.synonyms.iter().any(|s| s.0 == name)
            || self.table.foreign.contains(&name)
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
        self.reals.iter().copied()
    }

    /// Writes registers: `v5`, `s[2:3]`.
    #[inline]
    pub fn print_numbered(name: &str, index: u16, words: u16, out: &mut String) {
        out.push_str(name);
        if words < 2 {
            push_decimal(out, index);
            return;
        }
        out.push('[');
        push_decimal(out, index);
        out.push(':');
        push_decimal(out, index + words - 1);
        out.push(']');
    }
}

/// A number of at most three digits that begins at a byte of a text, without zeros before it, and the byte behind it.
fn index(text: &[u8], start: usize) -> Option<(u16, usize)> {
    let mut number = 0;
    let mut at = start;
    while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        if at == start + 3 || at > start && number == 0 {
            return None;
        }
        number = number * 10 + u16::from(digit);
        at += 1;
    }
    (at > start).then_some((number, at))
}

/// How many registers a tuple of a range can reach, if more than have numbers.
fn reach(table: &Registers, target: Target, name: &str) -> Option<u16> {
    table.reaches.iter().find(|r| r.0 == name && r.2.has(target)).map(|r| r.1)
}

/// What a number means on a target; `has_others` says whether it can be anything but a register with a number.
fn known(table: &'static Registers, target: Target, number: u16, has_others: bool) -> Known {
    let range = table.ranges.iter().find(|r| (r.1..r.1 + r.2).contains(&number) && r.3.has(target));
    let numbered = range.map(|r| (r.0, number - r.1, reach(table, target, r.0).unwrap_or(r.2) + r.1 - number));
    let other = |words: u16| {
        let named = table.names.iter().find(|n| n.1 == number && u16::from(n.2) == words && n.3.has(target));
        if let Some((name, ..)) = named {
            return Meaning::Named(name);
        }
        if let Some((first, value, _, step)) = table.integers.iter().find(|i| (i.0..i.0 + i.2).contains(&number)) {
            return Meaning::Integer(value + i32::from(number - first) * step);
        }
        if let Some((_, text)) = table.reals.iter().find(|r| r.0 == number) {
            return Meaning::Real(text);
        }
        if number == LITERAL { Meaning::Literal } else { Meaning::Reserved }
    };
    let others = if has_others { [other(1), other(2)] } else { [Meaning::Reserved; 2] };
    // Of registers with names only null is as wide as is asked for.
    let wide = match others[1] {
        Meaning::Named(name) if name != "null" => Rule::NEVER,
        meaning => Rule::new(meaning),
    };
    let own = numbered.map_or(Rule::NEVER, |(name, index, _)| Rule::new(Meaning::Numbered(name, index)));
    Known { numbered, others, rules: [own, Rule::new(others[0]), Rule::new(others[1]), wide] }
}

/// The registers with names on a target.
fn names(table: &'static Registers, target: Target) -> NameMap<&'static str, Name> {
    let mut names: NameMap<&'static str, Name> = NameMap::default();
    for (name, number, words, _) in table.names.iter().filter(|n| n.3.has(target)) {
        let synonyms = table.synonyms.iter().filter(|s| s.1 == *name).map(|s| s.0);
        for name_of in std::iter::once(*name).chain(synonyms) {
            let known = names.entry(name_of).and_modify(|known| known.2 = true);
            known.or_insert((*number, u16::from(*words), false, name));
        }
    }
    names
}

/// How many words of 32 bits an operand has.
pub fn words(ty: Type, wave: u8) -> u16 {
    match ty.number {
        Number::Mask => u16::from(wave / 32),
        _ => (ty.total().div_ceil(32) as u16).max(1),
    }
}
