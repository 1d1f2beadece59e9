//! What was found before, by what it was found for: machine code and its text say the same again and again.
//!
//! Only the last are kept, each at a place that follows from a number which the asker makes of the question, so that nothing makes this slow; little
//! memory is touched while little has been asked.

/// The last answers, `SIZE` of them at most, a power of two.
#[derive(Clone, Debug)]
pub(crate) struct Recent<K, V, const SIZE: usize> {
    /// By place: some bits of the number, and where the answer may be among `kept`.
    places: Vec<(u16, u16)>,
    kept: Vec<(K, V)>,
    /// Which is replaced next when there is no more room.
    next: usize,
}

impl<K, V, const SIZE: usize> Default for Recent<K, V, SIZE> {
    fn default() -> Self {
        Recent { places: Vec::new(), kept: Vec::new(), next: 0 }
    }
}

/// An odd number without a pattern: a product with it depends in its highest bits on all bits.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number that has been made of some words, and of one more.
#[inline]
pub(crate) fn mix(mixed: u64, word: u64) -> u64 {
    (mixed.rotate_left(5) ^ word).wrapping_mul(FACTOR)
}

impl<K: PartialEq, V, const SIZE: usize> Recent<K, V, SIZE> {
    /// The answer to a question of which a number was made.
    #[inline]
    pub fn get(&self, key: &K, mixed: u64) -> Option<&V> {
        let (place, bits) = place::<SIZE>(mixed);
        let (_, at) = self.places.get(place).filter(|place| place.0 == bits)?;
        self.kept.get(usize::from(*at)).filter(|kept| kept.0 == *key).map(|kept| &kept.1)
    }

    /// Keeps an answer.
    pub fn put(&mut self, key: K, mixed: u64, value: V) {
        self.places.resize(SIZE, (0, 0));
        // All at once: growing would touch the pages again and again, and those that nothing is put into are never touched.
        self.kept.reserve_exact(SIZE - self.kept.len());
        let (place, bits) = place::<SIZE>(mixed);
        self.places[place] = (bits, self.next as u16);
        let at = self.next;
        self.next = (at + 1) % SIZE;
        match self.kept.get_mut(at) {
            Some(oldest) => *oldest = (key, value),
            None => self.kept.push((key, value)),
        }
    }
}

#[inline]
fn place<const SIZE: usize>(mixed: u64) -> (usize, u16) {
    ((mixed >> (64 - SIZE.ilog2())) as usize, (mixed >> 32) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_last_is_kept_and_nothing_else_is_found() {
        let mut recent = Recent::<_, _, { 1 << 12 }>::default();
        let number = |key: u64| mix(0, key);
        for key in 0..10_000u64 {
            assert_eq!(recent.get(&key, number(key)), None);
            recent.put(key, number(key), key * 3);
            assert_eq!(recent.get(&key, number(key)), Some(&(key * 3)));
        }
        assert!(recent.kept.len() == 1 << 12);
        let found = (0..10_000).filter_map(|key| recent.get(&key, number(key)).map(|value| *value == key * 3));
        let found: Vec<bool> = found.collect();
        assert!(found.len() > 1 << 11 && found.iter().all(|right| *right));
        // Another question with the same number is another question.
        assert_eq!(recent.get(&1, number(9_999)), None);
    }
}
