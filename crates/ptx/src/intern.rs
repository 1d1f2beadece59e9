//! Texts to small numbers, each text once.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A set of texts, numbered in the order in which they first came.
#[derive(Default)]
pub(crate) struct Interner {
    numbers: HashTable<u32>,
    pub texts: Vec<Box<str>>,
}

impl Interner {
    /// The number of `text`, which is ASCII since the lexer made it.
    #[inline]
    pub fn number(&mut self, text: &[u8]) -> u32 {
        let texts = &self.texts;
        let same = |number: &u32| texts[*number as usize].as_bytes() == text;
        if let Some(number) = self.numbers.find(hash(text), same) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.numbers.insert_unique(hash(text), number, |number| hash(texts[*number as usize].as_bytes()));
        self.texts.push(String::from_utf8_lossy(text).into());
        number
    }
}

#[inline]
fn hash(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    hasher.finish()
}
