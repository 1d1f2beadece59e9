//! Names of numbers, as one target has them.

use isa::Table;
use isa::amdgpu::Target;
use isa::amdgpu::words::{Name, Names, Spelling};

use super::Problem;
use super::cursor::Cursor;
use super::digits::push_decimal;

/// The names that exist on a target, found by number and by word.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    names: &'static Names,
    list: Vec<&'static Name>,
    /// For each number the position of the name that is printed, plus one; numbers behind the end are searched for.
    printed: Vec<u16>,
}

/// Numbers up to this one are looked up in an array.
const DIRECT: u32 = 0x200;

impl Choices {
    pub(crate) fn new(names: &'static Names, target: Target) -> Choices {
        let list: Vec<&Name> = names.list.iter().filter(|n| n.targets.has(target)).collect();
        let last = list.iter().map(|n| *n.values.end()).max().unwrap_or(0).min(DIRECT);
        let position = |value: u32| list.iter().position(|n| n.values.contains(&value)).map_or(0, |at| at as u16 + 1);
        let printed = (0..=last).map(position).collect();
        Choices { names, list, printed }
    }

    /// What the numbers are.
    pub(crate) fn title(&self) -> &'static str {
        self.names.title
    }

    /// The names that exist on the target, in the order of the record.
    pub(crate) fn list(&self) -> &[&'static Name] {
        &self.list
    }

    /// Whether no name exists on the target.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The name that is printed for a number.
    pub(crate) fn name(&self, value: u32) -> Option<&'static Name> {
        match self.printed.get(value as usize) {
            Some(position) => self.list.get((*position as usize).checked_sub(1)?).copied(),
            None => self.list.iter().find(|n| n.values.contains(&value)).copied(),
        }
    }

    /// The word that is printed for a number that has one.
    pub(crate) fn word(&self, value: u32) -> Option<&'static str> {
        self.name(value).map(|name| name.spelling.stem())
    }

    /// The name that is written so.
    pub(crate) fn named(&self, word: &str) -> Option<&'static Name> {
        self.list.iter().find(|n| matches!(n.spelling, Spelling::Word(spelling) if spelling == word)).copied()
    }

    /// Whether the word is a name on some other target.
    pub(crate) fn elsewhere(&self, word: &str) -> bool {
        self.names.list.iter().any(|n| n.spelling.stem() == word)
    }

    /// Why a word is none of the names.
    pub(crate) fn explain(&self, word: &str) -> String {
        if self.elsewhere(word) {
            return format!("`{word}` exists on other targets only");
        }
        let near = Table::nearest(word, self.list.iter().map(|n| n.spelling.stem()));
        match near.first() {
            Some(near) => format!("`{word}` is none of the {}; `{near}` is", self.plural()),
            None => format!("`{word}` is none of the {}", self.plural()),
        }
    }

    fn plural(&self) -> String {
        self.names.name.replace('_', " ")
    }

    /// Prints a number; false if it has no name.
    pub(crate) fn print(&self, value: u32, out: &mut String) -> bool {
        let Some(name) = self.name(value) else { return false };
        print_spelling(name, value, out);
        true
    }

    /// Reads a spelling together with its own prefix: `row_shl:3`, `mrt0`. Nothing if something else stands here.
    pub(crate) fn parse(&self, cursor: &mut Cursor) -> Result<Option<u32>, Problem> {
        let Some(word) = cursor.identifier() else { return Ok(None) };
        if let Some(name) = self.list.iter().find(|n| n.spelling.stem() == word && wants_colon(n)) {
            cursor.take_identifier("")?;
            cursor.expect(':')?;
            return self.parse_behind_colon(name, word, cursor).map(Some);
        }
        for name in &self.list {
            if let Some(value) = spelled(name, word) {
                cursor.take_identifier("")?;
                return Ok(Some(value));
            }
        }
        if self.names.list.iter().any(|n| n.spelling.stem() == word || spelled(n, word).is_some()) {
            return cursor.problem(format!("`{word}` exists on other targets only"));
        }
        Ok(None)
    }

    fn parse_behind_colon(&self, name: &Name, word: &str, cursor: &mut Cursor) -> Result<u32, Problem> {
        if let Spelling::Packed { count, bits, .. } = name.spelling {
            return Ok(name.values.start() + parse_packed(count, bits, cursor)?);
        }
        let start = cursor.position();
        let written = cursor.expression()?;
        for other in self.list.iter().filter(|n| n.spelling.stem() == word) {
            let Spelling::Numbered { first, .. } = other.spelling else { continue };
            let offset = written.saturating_sub(i64::from(first));
            if (0..=i64::from(other.values.end() - other.values.start())).contains(&offset) {
                return Ok(other.values.start() + offset as u32);
            }
        }
        Err(Problem { span: cursor.span_from(start), message: format!("`{word}` takes {}", self.numbers(word)) })
    }

    /// The numbers that may stand behind a stem, in words.
    fn numbers(&self, stem: &str) -> String {
        let mut parts = Vec::new();
        for name in self.list.iter().filter(|n| n.spelling.stem() == stem) {
            let Spelling::Numbered { first, .. } = name.spelling else { continue };
            let last = first + name.values.end() - name.values.start();
            parts.push(if first == last { first.to_string() } else { format!("{first} to {last}") });
        }
        parts.join(" or ")
    }
}

fn wants_colon(name: &Name) -> bool {
    matches!(name.spelling, Spelling::Numbered { colon: true, .. } | Spelling::Packed { .. })
}

/// The number that a word without a colon stands for.
fn spelled(name: &Name, word: &str) -> Option<u32> {
    match name.spelling {
        Spelling::Word(spelling) => (spelling == word).then_some(*name.values.start()),
        Spelling::Numbered { stem, colon: false, first } => {
            let digits = word.strip_prefix(stem).filter(|d| d.bytes().all(|b| b.is_ascii_digit()))?;
            let number: u32 = digits.parse().ok().filter(|_| digits.len() == 1 || !digits.starts_with('0'))?;
            let value = name.values.start() + number.checked_sub(first)?;
            name.values.contains(&value).then_some(value)
        }
        _ => None,
    }
}

pub(crate) fn print_spelling(name: &Name, value: u32, out: &mut String) {
    let offset = value - name.values.start();
    match name.spelling {
        Spelling::Word(word) => out.push_str(word),
        Spelling::Numbered { stem, colon, first } => {
            out.push_str(stem);
            if colon {
                out.push(':');
            }
            push_decimal(out, first + offset);
        }
        Spelling::Packed { stem, count, bits } => {
            out.push_str(stem);
            out.push_str(":[");
            for i in 0..count {
                if i > 0 {
                    out.push(',');
                }
                push_decimal(out, offset >> (i * bits) & ((1 << bits) - 1));
            }
            out.push(']');
        }
    }
}

/// `[0,1,2,3]`, so many numbers of so many bits.
fn parse_packed(count: u32, bits: u32, cursor: &mut Cursor) -> Result<u32, Problem> {
    cursor.expect('[')?;
    let mut value = 0;
    for i in 0..count {
        if i > 0 {
            cursor.expect(',')?;
        }
        let start = cursor.position();
        let number = cursor.expression()?;
        if number < 0 || number >= 1 << bits {
            return Err(Problem { span: cursor.span_from(start), message: format!("a lane is 0 to {}", (1 << bits) - 1) });
        }
        value |= (number as u32) << (i * bits);
    }
    cursor.expect(']')?;
    Ok(value)
}
