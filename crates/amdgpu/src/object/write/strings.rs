//! String tables.

use std::collections::HashMap;

/// A table whose strings share their ends, as LLVM's assembler writes it.
pub(super) struct Strings<'s> {
    pub data: Vec<u8>,
    places: HashMap<&'s str, u32>,
}

impl<'s> Strings<'s> {
    /// Sorted by their ends, longest first, so that a string stands behind those that it ends.
    pub fn shared_ends(strings: impl Iterator<Item = &'s str>) -> Strings<'s> {
        let mut all: Vec<&str> = strings.filter(|s| !s.is_empty()).collect();
        all.sort_unstable_by(|a, b| b.bytes().rev().cmp(a.bytes().rev()));
        all.dedup();
        let mut table = Strings { data: vec![0], places: HashMap::from([("", 0)]) };
        let mut previous = "";
        for string in all {
            if previous.ends_with(string) {
                table.places.insert(string, (table.data.len() - string.len() - 1) as u32);
            } else {
                table.append(string);
                previous = string;
            }
        }
        table
    }

    /// In their order, each once.
    pub fn in_order(strings: impl Iterator<Item = &'s str>) -> Strings<'s> {
        let mut table = Strings { data: vec![0], places: HashMap::from([("", 0)]) };
        for string in strings {
            if !table.places.contains_key(string) {
                table.append(string);
            }
        }
        table
    }

    fn append(&mut self, string: &'s str) {
        self.places.insert(string, self.data.len() as u32);
        self.data.extend_from_slice(string.as_bytes());
        self.data.push(0);
    }

    /// Where a string begins.
    pub fn place(&self, string: &str) -> u32 {
        self.places.get(string).copied().unwrap_or(0)
    }
}
