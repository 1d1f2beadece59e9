//! Opcodes that differ from a legal spelling in one modifier.

use isa::{Match, Table};

/// ptxas 13.5 passes over these in nearly every instruction (`add.b8x16.s32`): an added one is no question.
const PASSED_OVER: [&str; 3] = [".b8x16", ".b6x16_p32", ".b4x16_p64"];

/// Some neighbours of a spelling, always the same: with a modifier left out, replaced, added, or exchanged with the next.
pub fn of(table: &'static Table, spelling: &Match, limit: usize) -> Vec<String> {
    let words = &spelling.words;
    let base = spelling.form.base;
    let mut pool: Vec<&str> = (table.forms_of(base))
        .flat_map(|(_, form)| form.slots.iter().filter(|s| !s.selector))
        .flat_map(|s| &s.words)
        .flat_map(|w| w.split('+'))
        .chain([".ftz", ".sat", ".rn", ".lo", ".u32", ".f32", ".relu"])
        .collect();
    pool.sort_unstable();
    pool.dedup();
    let mut random = Random::of(&spelling.opcode());
    let mut found = Vec::new();
    for _ in 0..limit {
        let mut changed: Vec<&str> = words.clone();
        let at = random.below(words.len() + 1);
        let word = pool[random.below(pool.len())];
        match random.below(4) {
            0 if at < words.len() => drop(changed.remove(at)),
            1 if at < words.len() => changed[at] = word,
            2 if at + 1 < words.len() => changed.swap(at, at + 1),
            _ => changed.insert(at, word),
        }
        // ptxas takes most modifiers twice; no compiler writes them so, and the table does not have it.
        let is_type = |word: &str| table.type_named(&word[1..]).is_some();
        let repeats = (1..changed.len()).any(|i| changed[..i].contains(&changed[i]) && !is_type(changed[i]));
        let formats = |words: &[&str]| words.iter().filter(|w| PASSED_OVER.contains(w)).count();
        if changed != *words && !repeats && formats(&changed) <= formats(words) {
            found.push(base.to_owned() + &changed.concat());
        }
    }
    found.sort();
    found.dedup();
    found
}

/// A multiplicative congruential generator (Lehmer 1951, L'Ecuyer's multiplier for 2^64): enough to choose among words.
pub struct Random(u64);

impl Random {
    /// The same for the same text.
    pub fn of(text: &str) -> Random {
        Random(text.bytes().fold(0, |hash, b| hash.wrapping_mul(31) ^ u64::from(b)))
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
        ((u128::from(self.0) * bound as u128) >> 64) as usize
    }
}
