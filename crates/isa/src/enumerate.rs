//! All legal spellings of a form, for tests that hold the table against an oracle.

use crate::form::{Element, Form, Step};
use crate::resolve::{Choice, Match};
use crate::table::{Record, Table};
use crate::text::Text;

/// A form with more combinations of modifiers than this is sampled, not enumerated.
const COMBINATIONS: u128 = 400_000;

impl Table {
    /// The legal spellings of a form: all, or `limit` of them drawn by `seed` where there are more. The same table, limit and
    /// seed give the same spellings in the same order. An error says what is wrong with the record.
    pub fn enumerate(
        &'static self,
        record: &'static Record,
        form: &'static Form,
        limit: usize,
        seed: u64,
    ) -> Result<Vec<Match>, String> {
        let mut random = Random(seed);
        let mut legal = Vec::new();
        let total = combinations(form, 0, form.pattern.len());
        if total <= COMBINATIONS {
            every(form, 0, &mut vec![None; form.pattern.len()], &mut legal);
            random.thin(&mut legal, limit);
        } else {
            for _ in 0..COMBINATIONS {
                let choice = Choice { form, filled: drawn(form, &mut random) };
                if choice.violated().is_none() {
                    legal.push(choice.filled);
                }
            }
            legal.sort();
            legal.dedup();
            random.thin(&mut legal, limit);
        }
        legal.into_iter().map(|filled| self.matched(record, Choice { form, filled })).collect()
    }
}

/// How many ways there are to fill the steps `from..to`, rules aside.
fn combinations(form: &Form, from: usize, to: usize) -> u128 {
    let mut product: u128 = 1;
    let mut at = from;
    while at < to {
        let factor = match &form.pattern[at] {
            Step::One(element) => words(form, element).len() as u128,
            Step::Optional(end) => {
                let inner = combinations(form, at + 1, *end);
                at = end - 1;
                inner + 1
            }
        };
        product = product.saturating_mul(factor);
        at += 1;
    }
    product
}

fn words<'a>(form: &'a Form, element: &'a Element) -> &'a [Text] {
    match element {
        Element::Word(word) => std::slice::from_ref(word),
        Element::Slot(slot) => &form.slots[*slot].words,
    }
}

/// Adds all legal fillings of the steps from `at` on to `legal`.
fn every(form: &'static Form, at: usize, filled: &mut Vec<Option<Text>>, legal: &mut Vec<Vec<Option<Text>>>) {
    match form.pattern.get(at) {
        None => {
            let choice = Choice { form, filled: filled.clone() };
            if choice.violated().is_none() {
                legal.push(choice.filled);
            }
        }
        Some(Step::Optional(end)) => {
            every(form, *end, filled, legal);
            every(form, at + 1, filled, legal);
        }
        Some(Step::One(element)) => {
            for word in words(form, element) {
                filled[at] = Some(word);
                every(form, at + 1, filled, legal);
            }
            filled[at] = None;
        }
    }
}

/// One filling at random; half of the optional steps are left out.
fn drawn(form: &Form, random: &mut Random) -> Vec<Option<Text>> {
    let mut filled = vec![None; form.pattern.len()];
    let mut at = 0;
    while at < filled.len() {
        match &form.pattern[at] {
            Step::Optional(end) if random.below(2) == 0 => at = *end,
            Step::Optional(_) => at += 1,
            Step::One(element) => {
                let words = words(form, element);
                filled[at] = Some(words[random.below(words.len())]);
                at += 1;
            }
        }
    }
    filled
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, and good enough to draw samples.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Keeps `limit` of the items, in their order.
    fn thin<T>(&mut self, items: &mut Vec<T>, limit: usize) {
        let mut left = items.len();
        let mut wanted = limit;
        items.retain(|_| {
            let keep = self.below(left) < wanted;
            left -= 1;
            wanted -= usize::from(keep);
            keep
        });
    }
}
