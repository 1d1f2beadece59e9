//! The instructions of one target, each read when it is first asked for.
//!
//! Who assembles or disassembles a file needs a tenth of what a target has, and reading all of it took longer than the work. So the build script
//! writes down where each record stands, by what names, encodings and opcodes it is found, and on which targets (`build/amdgpu.rs` has the
//! layout of that index). What is read, and how, is the same as for [`Table::get`]; a test holds the index against the table. Records of a folder that
//! `LOCKSTEP_ISA` names are read at once, since nobody has looked at them before.

use std::env;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{Instruction, Table, Target, Targets, read, record};
use crate::names::NameMap;
use crate::table;
use crate::text::{Problems, Text, each_entry};

/// What the build script has written.
static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/amdgpu.index"));

/// The instructions of one target.
#[derive(Debug)]
pub struct Records {
    table: &'static Table,
    /// By name: a range of `named`.
    names: NameMap<Text, Range<u32>>,
    named: Vec<u16>,
    coded: Vec<Coded>,
    instructions: Instructions,
}

/// A record that has an opcode in an encoding; they are in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Coded {
    /// Index into [`Table::encodings`].
    pub encoding: u16,
    /// The opcode on the target.
    pub opcode: u32,
    /// The record.
    pub record: u16,
}

#[derive(Debug)]
enum Instructions {
    /// All have been read.
    Table,
    /// Each is read when it is asked for.
    Text { slots: Box<[OnceLock<Option<&'static Instruction>>]>, reader: Box<Mutex<record::Reader<'static>>> },
}

impl Records {
    /// What a target has of the records in the folder that the environment variable `LOCKSTEP_ISA` names, else of the embedded ones; nothing of
    /// a target that does not exist. They stay in memory until the process ends.
    ///
    /// # Errors
    ///
    /// What is wrong with the records.
    pub fn of(target: &str) -> Result<Arc<Records>, &'static Problems> {
        static LOADED: Mutex<Vec<(String, Arc<Records>)>> = Mutex::new(Vec::new());
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = loaded.iter().find(|known| known.0 == target) {
            return Ok(known.1.clone());
        }
        let records = match env::var_os("LOCKSTEP_ISA") {
            Some(_) => {
                let table = Table::get()?;
                Records::new(table, table.target(target))
            }
            None => Arc::new(Records::embedded(target)?),
        };
        loaded.push((target.to_owned(), records.clone()));
        Ok(records)
    }

    /// What a target has of a table.
    pub fn new(table: &'static Table, target: Option<Target>) -> Arc<Records> {
        let only = target.map_or(Targets::NONE, Targets::one);
        let (mut named, mut coded) = (Vec::new(), Vec::new());
        for (record, instruction) in table.instructions.iter().enumerate() {
            let targets = instruction.forms.iter().fold(Targets::NONE, |all, form| all.or(form.targets())).and(only);
            if targets.is_empty() {
                continue;
            }
            let aliases = instruction.aliases.iter().filter(|a| !a.1.and(only).is_empty()).map(|a| a.0);
            named.extend(std::iter::once(instruction.name).chain(aliases).map(|name| (name, record as u16)));
            for form in &instruction.forms {
                let opcode = target.and_then(|target| form.opcode(target));
                coded.extend(opcode.map(|opcode| Coded { encoding: form.encoding as u16, opcode, record: record as u16 }));
            }
        }
        named.sort_by_key(|name| name.0);
        coded.sort_unstable();
        coded.dedup();
        Arc::new(Records::of_lists(table, &named, coded, Instructions::Table))
    }

    /// What a target has of the embedded records.
    fn embedded(target: &str) -> Result<Records, &'static Problems> {
        static BASE: OnceLock<Result<(Table, read::Numbers), Problems>> = OnceLock::new();
        let base = BASE.get_or_init(|| read::read_base(read::ours(table::files()?))).as_ref()?;
        let (table, numbers) = (&base.0, &base.1);
        let only = table.target(target).map_or(Targets::NONE, Targets::one);
        let index = Index::new();
        let text = |file: u16, bytes: Range<u32>| {
            let source = table.sources.get(usize::from(file));
            source.and_then(|s| s.text.get(bytes.start as usize..bytes.end as usize)).unwrap_or("")
        };
        let here = |targets: u64| targets & only.0 != 0;
        let named: Vec<(Text, u16)> =
            index.names().filter(|n| here(n.targets)).map(|n| (text(n.file, n.bytes), n.record)).collect();
        let coded = index.coded().filter(|(_, targets)| here(*targets)).map(|c| c.0).collect();
        let slots = index.places.iter().map(|_| OnceLock::new()).collect();
        let reader = Box::new(Mutex::new(record::Reader::new(table, numbers, Some(only))));
        Ok(Records::of_lists(table, &named, coded, Instructions::Text { slots, reader }))
    }

    /// From names and opcodes in their order.
    fn of_lists(table: &'static Table, names: &[(Text, u16)], coded: Vec<Coded>, instructions: Instructions) -> Records {
        let named = names.iter().map(|name| name.1).collect();
        let mut by_name = NameMap::default();
        by_name.reserve(names.len());
        let mut at = 0;
        for same in names.chunk_by(|a, b| a.0 == b.0) {
            by_name.insert(same[0].0, at..at + same.len() as u32);
            at += same.len() as u32;
        }
        Records { table, names: by_name, named, coded, instructions }
    }

    /// Everything but the instructions.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// How many records there are on all targets: they are counted from 0.
    pub fn count(&self) -> usize {
        match &self.instructions {
            Instructions::Table => self.table.instructions.len(),
            Instructions::Text { slots, .. } => slots.len(),
        }
    }

    /// A record. It has more forms than those of the target if the whole table was read, and none if the target has nothing of it.
    pub fn instruction(&self, record: u16) -> Option<&'static Instruction> {
        match &self.instructions {
            Instructions::Table => self.table.instructions.get(usize::from(record)),
            Instructions::Text { slots, reader } => {
                *slots.get(usize::from(record))?.get_or_init(|| self.read(Index::new().place(record)?, reader))
            }
        }
    }

    fn read(&self, (file, bytes): (u16, Range<u32>), reader: &Mutex<record::Reader<'static>>) -> Option<&'static Instruction> {
        let source = self.table.sources.get(usize::from(file))?;
        let text: Text = source.text.get(bytes.start as usize..bytes.end as usize)?;
        let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut found, mut problems) = (None, Problems::default());
        each_entry(file.into(), text, bytes.start as usize, &mut problems, |entry| found = reader.instruction(entry));
        found.map(|instruction| &*Box::leak(Box::new(instruction)))
    }

    /// All names of instructions and aliases.
    pub fn names(&self) -> impl Iterator<Item = Text> {
        self.names.keys().copied()
    }

    /// How many names there are: their numbers are smaller.
    pub fn name_count(&self) -> usize {
        self.named.len()
    }

    /// The number of a name, and the records that have it.
    #[inline]
    pub fn named(&self, name: &str) -> Option<(usize, &[u16])> {
        let range = self.names.get(name)?;
        Some((range.start as usize, self.named.get(range.start as usize..range.end as usize)?))
    }

    /// The records of the target by encoding and opcode.
    pub fn coded(&self) -> &[Coded] {
        &self.coded
    }
}

/// The index of the embedded records: three lists of numbers with the lowest byte first, behind the numbers of their entries.
struct Index {
    places: &'static [[u8; 10]],
    names: &'static [[u8; 16]],
    coded: &'static [[u8; 16]],
}

/// A name of a record and the targets on which it has it.
struct Named {
    file: u16,
    bytes: Range<u32>,
    record: u16,
    targets: u64,
}

impl Index {
    fn new() -> Index {
        let (counts, rest) = INDEX.split_at(12);
        let count = |at: usize| number(&counts[at..at + 4]) as usize;
        let (places, rest) = rest.split_at(count(0) * 10);
        let (names, coded) = rest.split_at(count(4) * 16);
        Index { places: places.as_chunks().0, names: names.as_chunks().0, coded: coded.as_chunks().0 }
    }

    /// File and bytes of a record.
    fn place(&self, record: u16) -> Option<(u16, Range<u32>)> {
        let place = self.places.get(usize::from(record))?;
        Some((number(&place[..2]) as u16, number(&place[2..6]) as u32..number(&place[6..]) as u32))
    }

    /// In the order of the names: the place of the name in the record's file, its length, the record, the targets.
    fn names(&self) -> impl Iterator<Item = Named> {
        self.names.iter().map(|n| {
            let (start, length, record) = (number(&n[..4]) as u32, number(&n[4..6]) as u32, number(&n[6..8]) as u16);
            let file = self.places.get(usize::from(record)).map_or(0, |p| number(&p[..2]) as u16);
            Named { file, bytes: start..start + length, record, targets: number(&n[8..]) }
        })
    }

    /// In their order: opcode, record, encoding, and the targets.
    fn coded(&self) -> impl Iterator<Item = (Coded, u64)> {
        self.coded.iter().map(|c| {
            let (opcode, record, encoding) = (number(&c[..4]) as u32, number(&c[4..6]) as u16, number(&c[6..8]) as u16);
            (Coded { encoding, opcode, record }, number(&c[8..]))
        })
    }
}

#[inline]
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_says_what_the_table_says() {
        let table = Table::get().expect("the table reads");
        let records = |list: &[u16], of: &dyn Fn(u16) -> Option<&'static Instruction>| -> Vec<Text> {
            list.iter().map(|r| of(*r).map_or("", |i| i.name)).collect()
        };
        for (number, target) in table.targets.iter().enumerate() {
            let (all, read) = (Records::new(table, Some(Target(number as u8))), Records::embedded(target).expect("an index"));
            assert_eq!(all.coded, read.coded, "{target}");
            assert_eq!(all.named, read.named, "{target}");
            let mut names: Vec<Text> = all.names().collect();
            names.sort_unstable();
            assert_eq!(names.len(), read.names.len(), "{target}");
            for name in names {
                let (a, b) = (all.named(name).expect("a name"), read.named(name).unwrap_or_else(|| panic!("{target} {name}")));
                assert_eq!(a, b);
                let (a, b) = (records(a.1, &|r| all.instruction(r)), records(b.1, &|r| read.instruction(r)));
                assert_eq!(a, b, "{target}");
            }
            if let Instructions::Text { reader, .. } = &read.instructions {
                assert!(reader.lock().unwrap().problems.list.is_empty(), "{target}");
            }
            for record in 0..read.count() as u16 {
                let (a, b) = (all.instruction(record).expect("a record"), read.instruction(record));
                let forms = a.forms.iter().filter(|f| f.targets().has(Target(number as u8)));
                let own = b.map_or(&[][..], |b| &b.forms);
                assert!(forms.map(|f| (f.place, f.operands, f.modifiers)).eq(own.iter().map(|f| (
                    f.place,
                    f.operands,
                    f.modifiers
                ))));
                assert!(b.is_none_or(|b| (b.name, b.place, b.title) == (a.name, a.place, a.title)));
            }
        }
    }
}
