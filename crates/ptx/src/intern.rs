//! Texts to small numbers, each text once.

use hashbrown::HashTable;

/// A set of texts, numbered in the order in which they first came.
#[derive(Default)]
pub(crate) struct Interner {
    entries: HashTable<(Key, u32)>,
    /// The texts by number.
    pub texts: Vec<Box<str>>,
}

/// What is compared instead of a text: up to 16 bytes two words and the length are the text, beyond that they stand for it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    head: u64,
    tail: u64,
    len: u32,
}

const WHOLE: usize = 16;

impl Interner {
    /// The number of `text`, which is ASCII since the lexer made it.
    #[inline]
    pub fn number(&mut self, text: &[u8]) -> u32 {
        let key = Key::of(text);
        let texts = &self.texts;
        let same =
            |(other, number): &(Key, u32)| *other == key && (text.len() <= WHOLE || texts[*number as usize].as_bytes() == text);
        match self.entries.find(key.hash(), same) {
            Some((_, number)) => *number,
            None => self.insert(key, text),
        }
    }

    #[cold]
    fn insert(&mut self, key: Key, text: &[u8]) -> u32 {
        let number = self.texts.len() as u32;
        self.entries.insert_unique(key.hash(), (key, number), |(key, _)| key.hash());
        self.texts.push(String::from_utf8_lossy(text).into());
        number
    }
}

impl Key {
    /// Words read from both ends, overlapping where the text is no multiple of their size.
    #[inline]
    fn of(text: &[u8]) -> Key {
        let len = text.len();
        let (head, tail) = match len {
            0 => (0, 0),
            1..4 => (u64::from(text[0]) | u64::from(text[len / 2]) << 8, u64::from(text[len - 1])),
            4..8 => (word4(text.first_chunk()), word4(text.last_chunk())),
            8..=WHOLE => (word8(text.first_chunk()), word8(text.last_chunk())),
            _ => {
                let words = text.chunks_exact(8).map(|chunk| word8(chunk.first_chunk()));
                (words.fold(0, |hash, word| mix(hash ^ word)), word8(text.last_chunk()))
            }
        };
        Key { head, tail, len: len as u32 }
    }

    #[inline]
    fn hash(self) -> u64 {
        mix(self.head ^ mix(self.tail ^ u64::from(self.len)))
    }
}

fn word4(bytes: Option<&[u8; 4]>) -> u64 {
    bytes.map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)))
}

fn word8(bytes: Option<&[u8; 8]>) -> u64 {
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Spreads all bits of `value` over all bits: both halves of its product with 2^64 divided by the golden ratio.
#[inline]
fn mix(value: u64) -> u64 {
    let product = u128::from(value) * 0x9e37_79b9_7f4a_7c15;
    product as u64 ^ (product >> 64) as u64
}
