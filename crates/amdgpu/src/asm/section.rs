//! Sections while they are filled: bytes in fragments that end with something whose size waits for the layout.
//!
//! A section has parts, its subsections, that follow one another by their numbers. A label is a place in a fragment. Fragments that
//! follow one another with sizes known at once form a run, in which distances are known without a layout.

use super::expression::{Expression, Pool};
use super::symbol::{Label, Place, SymbolId};
use std::collections::HashMap;

/// ELF's types and flags of sections that have a meaning here.
pub mod elf {
    /// Program data.
    pub const PROGBITS: u32 = 1;
    /// Notes.
    pub const NOTE: u32 = 7;
    /// Zeros that take no room in the file.
    pub const NOBITS: u32 = 8;
    /// Writable.
    pub const WRITE: u64 = 1;
    /// In memory when it runs.
    pub const ALLOC: u64 = 2;
    /// Code.
    pub const EXECUTE: u64 = 4;
    /// The linker may join equal entries.
    pub const MERGE: u64 = 0x10;
    /// Its entries are strings.
    pub const STRINGS: u64 = 0x20;
    /// Ordered as another section.
    pub const LINK_ORDER: u64 = 0x80;
    /// In a group.
    pub const GROUP: u64 = 0x200;
    /// Of each thread.
    pub const TLS: u64 = 0x400;
    /// Kept by the linker.
    pub const RETAIN: u64 = 0x20_0000;
    /// Left out by the linker.
    pub const EXCLUDE: u64 = 0x8000_0000;
}

/// What tells sections from one another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SectionKey {
    pub name: String,
    pub group: Option<(String, bool)>,
    pub linked_to: Option<SymbolId>,
    pub unique: Option<u32>,
}

/// A section and what directives said of it.
#[derive(Debug)]
pub(crate) struct SectionData {
    pub key: SectionKey,
    pub kind: u32,
    pub flags: u64,
    pub entry_size: u64,
    pub align: u64,
    /// How many symbols something had named when it was begun.
    pub symbols_before: usize,
    /// Its parts, by number and place among all parts.
    parts: Vec<(u32, u32)>,
}

#[derive(Debug)]
struct Part {
    section: u32,
    fragments: Vec<Fragment>,
    bytes: Vec<u8>,
}

/// Bytes of the part, then something of variable size.
#[derive(Debug)]
struct Fragment {
    /// Where its bytes begin; they end where those of the next one do.
    start: u32,
    tail: Tail,
    /// Fragments of one run have fixed sizes, except the last.
    run: u32,
    /// The distance from the start of the run.
    run_offset: u64,
    /// The offset in the section, and the size of the tail, once laid out.
    offset: u64,
    tail_size: u64,
}

/// What ends a fragment.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tail {
    /// Nothing (yet).
    Nothing,
    /// Filling up to a multiple of a power of two, if that takes at most so many bytes; with `s_nop` if there is no filling.
    Align { align: u64, fill: Option<(u64, u8)>, most: u64, place: Place },
    /// Values of some bytes, so often.
    Fill { count: Expression, size: u8, value: u64, place: Place },
    /// Bytes up to an offset of the section.
    Offset { to: Expression, value: u8, place: Place },
    /// A number of variable length.
    Leb { value: Expression, is_signed: bool, place: Place },
    /// `s_nop 0` behind the branch just before it, if its offset would be 0x3f.
    Relax { target: Expression },
}

/// A place whose bytes depend on an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixup {
    pub part: u32,
    pub fragment: u32,
    /// Byte of the part.
    pub byte: u32,
    pub kind: FixupKind,
    pub value: Expression,
    pub place: Place,
}

/// What the value of an expression becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixupKind {
    /// So many bytes of data.
    Data(u8),
    /// So many bytes of an instruction's literal, relative to their own place where LLVM takes them so.
    Literal(u8),
    /// The low 16 bits of a branch: dwords from the next instruction to the target.
    Branch,
    /// A relocation that `.reloc` names, by its number, and no bytes.
    Named(u32),
}

/// Why a tail has no size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayoutFailure {
    /// Its expression is no number.
    Unknown,
    /// It would have a negative number of bytes.
    Negative,
    /// More than what a file may hold.
    TooMuch,
    /// The place does not lie ahead.
    Behind { to: i64, at: u64 },
    /// It depends on itself.
    Unsettled,
    /// Code that is no multiple of four bytes long, or a filling that does not fit.
    Odd,
}

/// All sections of a file.
#[derive(Debug)]
pub(crate) struct Sections {
    pub list: Vec<SectionData>,
    keys: HashMap<SectionKey, u32>,
    parts: Vec<Part>,
    /// The part that is being filled.
    part: u32,
    /// The part before, and those that `.pushsection` put away with theirs.
    previous: Option<u32>,
    stack: Vec<(u32, Option<u32>)>,
    pub fixups: Vec<Fixup>,
    runs: u32,
    /// Bytes and fillings with known counts so far.
    pub total: u64,
}

/// Rounds in which sizes settle.
const ROUNDS: u32 = 64;

/// What one file's sections may hold together.
pub(crate) const MOST_BYTES: u64 = 1 << 28;

impl Sections {
    /// With `.text`, which is being filled.
    pub fn new() -> Self {
        let mut sections = Sections {
            list: Vec::new(),
            keys: HashMap::new(),
            parts: Vec::new(),
            part: 0,
            previous: None,
            stack: Vec::new(),
            fixups: Vec::new(),
            runs: 0,
            total: 0,
        };
        let text = sections.section(".text", elf::PROGBITS, elf::ALLOC | elf::EXECUTE);
        sections.list[text as usize].align = 4;
        sections.part = sections.part_of(text, 0);
        sections
    }

    /// The section of a name without further ado, made if there is none.
    pub fn section(&mut self, name: &str, kind: u32, flags: u64) -> u32 {
        self.section_with(SectionKey { name: name.into(), group: None, linked_to: None, unique: None }, kind, flags, 0)
    }

    /// The section of a key; type, flags and entry size are those of its first mention.
    pub fn section_with(&mut self, key: SectionKey, kind: u32, flags: u64, entry_size: u64) -> u32 {
        if let Some(id) = self.keys.get(&key) {
            return *id;
        }
        let id = self.list.len() as u32;
        self.keys.insert(key.clone(), id);
        self.list.push(SectionData { key, kind, flags, entry_size, align: 1, symbols_before: 0, parts: Vec::new() });
        self.part_of(id, 0);
        id
    }

    /// The part of a section with a number.
    fn part_of(&mut self, section: u32, number: u32) -> u32 {
        let parts = &mut self.list[section as usize].parts;
        match parts.binary_search_by_key(&number, |(number, _)| *number) {
            Ok(at) => parts[at].1,
            Err(at) => {
                let id = self.parts.len() as u32;
                parts.insert(at, (number, id));
                self.runs += 1;
                let first = Fragment { start: 0, tail: Tail::Nothing, run: self.runs, run_offset: 0, offset: 0, tail_size: 0 };
                self.parts.push(Part { section, fragments: vec![first], bytes: Vec::new() });
                id
            }
        }
    }

    /// Fills another section from now on.
    pub fn switch(&mut self, section: u32, number: u32) {
        let part = self.part_of(section, number);
        self.previous = Some(self.part);
        self.part = part;
    }

    /// Fills the section before this one; false if there is none.
    pub fn switch_back(&mut self) -> bool {
        let Some(previous) = self.previous else { return false };
        self.previous = Some(self.part);
        self.part = previous;
        true
    }

    /// Puts the section away for [`Sections::pop`].
    pub fn push(&mut self) {
        self.stack.push((self.part, self.previous));
    }

    /// Goes back to the section that was put away last; false if there is none.
    pub fn pop(&mut self) -> bool {
        let Some((part, previous)) = self.stack.pop() else { return false };
        (self.part, self.previous) = (part, previous);
        true
    }

    /// The section that is being filled.
    pub fn current(&self) -> u32 {
        self.parts[self.part as usize].section
    }

    /// Its data.
    pub fn current_data(&mut self) -> &mut SectionData {
        let section = self.current();
        &mut self.list[section as usize]
    }

    /// The start of a section.
    pub fn start(&self, section: u32) -> Label {
        let part = self.list[section as usize].parts.first().map_or(0, |(_, part)| *part);
        Label { part, fragment: 0, offset: 0 }
    }

    /// The place where the next byte goes.
    pub fn here(&self) -> Label {
        let part = &self.parts[self.part as usize];
        let start = part.fragments.last().map_or(0, |fragment| fragment.start);
        Label { part: self.part, fragment: part.fragments.len() as u32 - 1, offset: part.bytes.len() as u32 - start }
    }

    /// Adds bytes, if there is room for them.
    pub fn emit(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        if self.total <= MOST_BYTES {
            self.parts[self.part as usize].bytes.extend_from_slice(bytes);
        }
    }

    /// Notes that bytes which are emitted next depend on an expression: those so far behind this place.
    pub fn fix(&mut self, ahead: u32, kind: FixupKind, value: Expression, place: Place) {
        let here = self.here();
        let byte = self.parts[self.part as usize].bytes.len() as u32 + ahead;
        self.fixups.push(Fixup { part: here.part, fragment: here.fragment, byte, kind, value, place });
    }

    /// Ends the fragment with something of variable size.
    pub fn end_fragment(&mut self, tail: Tail) {
        let part = &mut self.parts[self.part as usize];
        let start = part.bytes.len() as u32;
        let Some(last) = part.fragments.last_mut() else { return };
        last.tail = tail;
        let fixed = match tail {
            Tail::Fill { count: Expression::Constant(count), size, .. } => count.checked_mul(i64::from(size)),
            _ => None,
        };
        let fixed = fixed.filter(|size| *size >= 0).map(|size| size as u64);
        self.total = self.total.saturating_add(fixed.unwrap_or(0));
        let (run, run_offset) = match fixed {
            Some(size) => (last.run, last.run_offset.wrapping_add(u64::from(start - last.start)).wrapping_add(size)),
            None => {
                self.runs += 1;
                (self.runs, 0)
            }
        };
        last.tail_size = u64::from(matches!(tail, Tail::Leb { .. }));
        part.fragments.push(Fragment { start, tail: Tail::Nothing, run, run_offset, offset: 0, tail_size: 0 });
    }

    fn fragment(&self, label: Label) -> &Fragment {
        &self.parts[label.part as usize].fragments[label.fragment as usize]
    }

    /// The section of a place.
    pub fn section_of(&self, label: Label) -> u32 {
        self.parts[label.part as usize].section
    }

    /// How far a place lies behind another, if no layout is needed to tell.
    pub fn fixed_distance(&self, a: Label, b: Label) -> Option<i64> {
        let place = |label: Label| {
            let fragment = self.fragment(label);
            (fragment.run, fragment.run_offset.wrapping_add(u64::from(label.offset)))
        };
        let ((run_a, a), (run_b, b)) = (place(a), place(b));
        (run_a == run_b).then(|| a.wrapping_sub(b) as i64)
    }

    /// The offset of a place in its section, once laid out.
    pub fn offset_of(&self, label: Label) -> u64 {
        self.fragment(label).offset + u64::from(label.offset)
    }

    /// The offset of a fixup in its section, once laid out.
    pub fn offset_of_fixup(&self, fixup: &Fixup) -> u64 {
        let fragment = &self.parts[fixup.part as usize].fragments[fixup.fragment as usize];
        fragment.offset + u64::from(fixup.byte - fragment.start)
    }

    /// The section of a fixup.
    pub fn section_of_fixup(&self, fixup: &Fixup) -> u32 {
        self.parts[fixup.part as usize].section
    }

    /// The bytes that a fixup may change.
    pub fn bytes_of_fixup(&mut self, fixup: &Fixup, len: usize) -> &mut [u8] {
        let bytes = &mut self.parts[fixup.part as usize].bytes;
        let start = (fixup.byte as usize).min(bytes.len());
        let end = (start + len).min(bytes.len());
        &mut bytes[start..end]
    }

    /// Gives every fragment its offset; what has no size is reported and gets none.
    pub fn lay_out(&mut self, pool: &Pool, report: &mut dyn FnMut(Tail, LayoutFailure)) {
        let has_variable = self.parts.iter().flat_map(|part| &part.fragments).any(|fragment| {
            matches!(fragment.tail, Tail::Offset { .. } | Tail::Leb { .. } | Tail::Relax { .. })
                || matches!(fragment.tail, Tail::Fill { count: Expression::Steps(..), .. })
        });
        // Fillings follow the places that they depend on; numbers of variable length and branches only grow, from the least size on, so
        // that all settle at the least. What does not is found out by the last round.
        for _ in 0..if has_variable { ROUNDS } else { 1 } {
            for _ in 0..if has_variable { ROUNDS } else { 1 } {
                if !self.place(pool, has_variable, None) {
                    break;
                }
            }
            if !has_variable || !self.grow(pool) {
                break;
            }
        }
        self.place(pool, has_variable, Some(report));
    }

    /// Gives everything its offset, with the sizes that follow from places now; whether something changed.
    fn place(&mut self, pool: &Pool, has_variable: bool, mut report: Option<&mut dyn FnMut(Tail, LayoutFailure)>) -> bool {
        let (mut is_changed, mut total) = (false, 0u64);
        for section in 0..self.list.len() {
            let mut offset = 0;
            for at in 0..self.list[section].parts.len() {
                let part = self.list[section].parts[at].1 as usize;
                for fragment in 0..self.parts[part].fragments.len() {
                    let len = self.fragment_len(part, fragment);
                    let Fragment { tail, tail_size, offset: before, .. } = self.parts[part].fragments[fragment];
                    offset += len;
                    let size = match tail {
                        Tail::Nothing => Ok(0),
                        Tail::Leb { .. } | Tail::Relax { .. } if report.is_none() => Ok(tail_size),
                        _ => self.tail_size(pool, section, part, fragment, offset),
                    };
                    let size = match size {
                        // Everything has settled by the time of the report, or never will.
                        Ok(size) if size != tail_size && has_variable && report.is_some() => Err(LayoutFailure::Unsettled),
                        size => size,
                    };
                    let size = match size {
                        Ok(size) if total.saturating_add(size) <= MOST_BYTES || size == 0 => size,
                        result => {
                            if let Some(report) = &mut report {
                                report(tail, result.err().unwrap_or(LayoutFailure::TooMuch));
                            }
                            0
                        }
                    };
                    let takes_room = self.list[section].kind != elf::NOBITS;
                    total += if takes_room { len + size } else { 0 };
                    is_changed |= before != offset - len || tail_size != size;
                    let fragment = &mut self.parts[part].fragments[fragment];
                    (fragment.offset, fragment.tail_size) = (offset - len, size);
                    offset += size;
                }
            }
        }
        is_changed
    }

    /// Enlarges what must be larger where everything lies now; whether something must.
    fn grow(&mut self, pool: &Pool) -> bool {
        let mut larger = Vec::new();
        for part in 0..self.parts.len() {
            for fragment in 0..self.parts[part].fragments.len() {
                let Fragment { tail, tail_size, offset, .. } = self.parts[part].fragments[fragment];
                if matches!(tail, Tail::Leb { .. } | Tail::Relax { .. }) {
                    let end = offset + self.fragment_len(part, fragment);
                    let size = self.tail_size(pool, self.parts[part].section as usize, part, fragment, end).unwrap_or(0);
                    if size > tail_size {
                        larger.push((part, fragment, size));
                    }
                }
            }
        }
        for (part, fragment, size) in &larger {
            self.parts[*part].fragments[*fragment].tail_size = *size;
        }
        !larger.is_empty()
    }

    fn fragment_len(&self, part: usize, fragment: usize) -> u64 {
        let part = &self.parts[part];
        let end = part.fragments.get(fragment + 1).map_or(part.bytes.len() as u32, |next| next.start);
        u64::from(end - part.fragments[fragment].start)
    }

    /// The size of what ends a fragment whose bytes end at an offset.
    fn tail_size(&self, pool: &Pool, section: usize, part: usize, fragment: usize, offset: u64) -> Result<u64, LayoutFailure> {
        let view = super::evaluate::View::Final(self);
        let number = |expression| pool.evaluate(expression, view, false).ok().and_then(|value| value.number());
        let before = self.parts[part].fragments[fragment].tail_size;
        match self.parts[part].fragments[fragment].tail {
            Tail::Nothing => Ok(0),
            Tail::Align { align, fill, most, .. } => {
                let size = offset.wrapping_neg() & (align - 1);
                let unit = fill.map_or(4, |(_, unit)| u64::from(unit));
                if size > most {
                    return Ok(0);
                }
                if size.is_multiple_of(unit) { Ok(size) } else { Err(LayoutFailure::Odd) }
            }
            Tail::Fill { count, size, .. } => {
                let count = number(count).ok_or(LayoutFailure::Unknown)?;
                let size = count.checked_mul(i64::from(size)).ok_or(LayoutFailure::TooMuch)?;
                let limit = if self.list[section].kind == elf::NOBITS { u64::MAX >> 8 } else { MOST_BYTES };
                match u64::try_from(size) {
                    Ok(size) if size <= limit => Ok(size),
                    Ok(_) => Err(LayoutFailure::TooMuch),
                    Err(_) => Err(LayoutFailure::Negative),
                }
            }
            Tail::Offset { to, .. } => {
                let value = pool.evaluate(to, view, true).map_err(|_| LayoutFailure::Unknown)?;
                let base = match value.add.filter(|_| value.subtract.is_none()) {
                    Some(id) => pool.address(id, self).map(|(_, offset)| offset),
                    None => (value.subtract.is_none()).then_some(0),
                };
                let to = (base.ok_or(LayoutFailure::Unknown)? as i64).wrapping_add(value.constant);
                match to.checked_sub(offset as i64) {
                    Some(size @ 0..0x4000_0000) => Ok(size as u64),
                    _ => Err(LayoutFailure::Behind { to, at: offset }),
                }
            }
            Tail::Leb { value, is_signed, .. } => {
                let value = number(value).ok_or(LayoutFailure::Unknown)?;
                Ok((leb(value, is_signed, 0).len() as u64).max(before))
            }
            Tail::Relax { target } => {
                let value = pool.evaluate(target, view, false).ok();
                let address = value.and_then(|value| Some((value.add?, value.constant))).and_then(|(id, constant)| {
                    let (in_section, address) = pool.address(id, self)?;
                    (in_section == Some(section as u32)).then(|| (address as i64).wrapping_add(constant))
                });
                // The branch is the last four bytes; its offset counts dwords behind it.
                let is_bad = address.is_some_and(|address| address.wrapping_sub(offset as i64) / 4 == 0x3f);
                Ok(if is_bad { 4 } else { before })
            }
        }
    }

    /// The size of a section, once laid out.
    pub fn size(&self, section: u32) -> u64 {
        let last = self.list[section as usize].parts.last().map(|(_, part)| &self.parts[*part as usize]);
        let Some((part, fragment)) = last.and_then(|part| Some((part, part.fragments.last()?))) else { return 0 };
        fragment.offset + (part.bytes.len() as u64 - u64::from(fragment.start)) + fragment.tail_size
    }

    /// The bytes of a section, once laid out; none if it takes no room in the file. The second result tells whether bytes other
    /// than zero would be needed there.
    pub fn bytes(&self, pool: &Pool, section: u32) -> (Vec<u8>, bool) {
        let data = &self.list[section as usize];
        if data.kind == elf::NOBITS {
            let parts = data.parts.iter().map(|(_, part)| &self.parts[*part as usize]);
            let mut is_filled = false;
            for part in parts {
                is_filled |= part.bytes.iter().any(|byte| *byte != 0);
                is_filled |= part.fragments.iter().any(|fragment| match fragment.tail {
                    Tail::Fill { value, .. } => value != 0,
                    Tail::Offset { value, .. } => value != 0,
                    _ => false,
                });
            }
            return (Vec::new(), is_filled);
        }
        let mut bytes = Vec::with_capacity(self.size(section).min(MOST_BYTES) as usize);
        for (_, part) in &data.parts {
            let part = &self.parts[*part as usize];
            for (at, fragment) in part.fragments.iter().enumerate() {
                let end = part.fragments.get(at + 1).map_or(part.bytes.len() as u32, |next| next.start);
                bytes.extend_from_slice(&part.bytes[fragment.start as usize..end as usize]);
                self.fill(pool, fragment, &mut bytes);
            }
        }
        (bytes, false)
    }

    fn fill(&self, pool: &Pool, fragment: &Fragment, bytes: &mut Vec<u8>) {
        let end = bytes.len() + fragment.tail_size as usize;
        let (value, unit) = match fragment.tail {
            Tail::Nothing => return,
            Tail::Align { fill: None, .. } | Tail::Relax { .. } => (u64::from(S_NOP), 4),
            Tail::Align { fill: Some((value, unit)), .. } => (value, unit),
            Tail::Fill { value, size, .. } => (value, size),
            Tail::Offset { value, .. } => (u64::from(value), 1),
            Tail::Leb { value, is_signed, .. } => {
                let number = pool.evaluate(value, super::evaluate::View::Final(self), false).ok();
                let number = number.and_then(|value| value.number()).unwrap_or(0);
                bytes.extend(leb(number, is_signed, fragment.tail_size as usize));
                bytes.truncate(end);
                return;
            }
        };
        let pattern = value.to_le_bytes();
        if unit == 1 || value == 0 {
            bytes.resize(end, pattern[0]);
            return;
        }
        while bytes.len() < end {
            bytes.extend_from_slice(&pattern[..usize::from(unit).min(8).min(end - bytes.len())]);
        }
    }
}

/// `s_nop 0` on every target: what fills code.
const S_NOP: u32 = 0xbf80_0000;

/// A number in LEB128, in at least so many bytes.
pub(crate) fn leb(value: i64, is_signed: bool, least: usize) -> Vec<u8> {
    let (mut bytes, mut value) = (Vec::new(), value);
    let padding = if is_signed && value < 0 { 0x7f } else { 0 };
    loop {
        let byte = value as u8 & 0x7f;
        value = if is_signed { value >> 7 } else { ((value as u64) >> 7) as i64 };
        let is_last = if is_signed { (value == 0 && byte & 0x40 == 0) || (value == -1 && byte & 0x40 != 0) } else { value == 0 };
        let goes_on = !is_last || bytes.len() + 1 < least;
        bytes.push(if goes_on { byte | 0x80 } else { byte });
        if is_last {
            break;
        }
    }
    while bytes.len() < least {
        let goes_on = bytes.len() + 1 < least;
        bytes.push(if goes_on { padding | 0x80 } else { padding });
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::leb;

    /// Examples of DWARF 5, section 7.6, and a padded one.
    #[test]
    fn numbers_of_variable_length() {
        assert_eq!(leb(12857, false, 0), [0xb9, 0x64]);
        assert_eq!(leb(128, false, 0), [0x80, 1]);
        assert_eq!(leb(-2, true, 0), [0x7e]);
        assert_eq!(leb(-129, true, 0), [0xff, 0x7e]);
        assert_eq!(leb(127, true, 0), [0xff, 0]);
        assert_eq!(leb(-1, false, 0).len(), 10);
        assert_eq!(leb(1, false, 3), [0x81, 0x80, 0]);
        assert_eq!(leb(-1, true, 2), [0xff, 0x7f]);
    }
}
