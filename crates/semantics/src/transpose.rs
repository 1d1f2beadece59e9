//! Transposing loads of AMD's matrix formats: elements that lanes have loaded side by side are handed out across the lanes.
//!
//! Each of these instructions moves elements by a permutation of bits: which lane an element comes from, and which of that lane's elements it is, are
//! bits of the number of the lane that gets it and of its place there. Records have the permutation; no record names what is here, `engine` puts it
//! behind the load.
//!
//! AMD's CDNA4 guide, 11.4, RDNA4 guide, 11.6, and CDNA5 guide, 10.9 and 11.2.4; the permutations are said in the records, with their sources.

use machine::state::{FaultKind, lanes};
use machine::{Group, LANES, Op, Step};

/// How elements move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Bits of an element.
    element: u32,
    /// Bits that a lane has loaded, and that it gets.
    bits: (u32, u32),
    /// For each bit of the source: a bit of the destination's number, first those of the place (`e`), then those of the lane (`l`).
    order: Vec<u32>,
    /// How many bits of the source are its lane's.
    lane_bits: u32,
}

impl Pattern {
    /// A pattern as records write it: the bits of the source lane, lowest first, each a bit of the lane (`l0`) or of the place (`e0`) that the element
    /// goes to; the bits that are not named are the place in the source, lowest first, those of the place before those of the lane. `bits` are those that
    /// a lane loads and gets. `None` if that is no permutation of what a wavefront of so many halves has.
    pub fn parse(source: &[&str], element: u32, bits: (u32, u32), halves: u32) -> Option<Pattern> {
        let log = |n: u32| n.is_power_of_two().then(|| n.trailing_zeros());
        let (loaded, got) = (log(bits.0 / element)?, log(bits.1 / element)?);
        let lanes = 5 + halves.trailing_zeros();
        let number = |word: &&str| {
            let (kind, bit) = word.split_at_checked(1)?;
            let bit: u32 = bit.parse().ok()?;
            match kind {
                "e" if bit < got => Some(bit),
                "l" if bit < lanes => Some(got + bit),
                _ => None,
            }
        };
        let mut order = source.iter().map(number).collect::<Option<Vec<u32>>>()?;
        let lane_bits = order.len() as u32;
        let rest: Vec<u32> = (0..got + lanes).filter(|bit| !order.contains(bit)).collect();
        order.extend(rest);
        let whole = order.len() as u32 == got + lanes && lane_bits <= lanes && order.len() as u32 - lane_bits == loaded;
        whole.then_some(Pattern { element, bits, order, lane_bits })
    }

    /// As a list that an op can name.
    pub fn numbers(&self) -> Vec<u32> {
        let mut list = vec![self.element, self.bits.0, self.bits.1, self.lane_bits, self.order.len() as u32];
        list.extend(&self.order);
        list
    }

    /// The pattern of such a list.
    fn of(list: &[u32]) -> Pattern {
        let order = list[5..5 + list[4] as usize].to_vec();
        Pattern { element: list[0], bits: (list[1], list[2]), lane_bits: list[3], order }
    }

    /// The lane, and the element there, that goes to a place of a lane.
    fn source(&self, lane: u32, place: u32) -> (u32, u32) {
        let places = (self.bits.1 / self.element).trailing_zeros();
        let number = place | lane << places;
        let source = self.order.iter().enumerate().fold(0, |all, (i, bit)| all | (number >> bit & 1) << i);
        (source & ((1 << self.lane_bits) - 1), source >> self.lane_bits)
    }
}

/// A run of bits in the words of a lane.
fn taken(words: &[u32], first: u32, count: u32) -> u32 {
    let (word, shift) = (first as usize / 32, first % 32);
    let wide = u64::from(words[word]) | u64::from(words.get(word + 1).copied().unwrap_or(0)) << 32;
    (wide >> shift) as u32 & (u32::MAX >> (32 - count))
}

/// Puts bits, which were zero, into the words of a lane.
fn put(words: &mut [u32], first: u32, bits: u32) {
    let (word, shift) = (first as usize / 32, first % 32);
    let wide = u64::from(bits) << shift;
    words[word] |= wide as u32;
    if let Some(next) = words.get_mut(word + 1) {
        *next |= (wide >> 32) as u32;
    }
}

/// Hands out elements: the rows `src[0]` are what lanes have loaded, the rows `dst[0]` what they get, the list `src[1]` says how; `wide`: two rows a word.
/// Where no lane is active nothing happens; where some are not, hardware promises nothing.
pub fn exchange(g: &mut Group, op: &Op) -> Step {
    let halves = 1 + u32::from(op.wide);
    let exec: Vec<u32> = (0..halves).map(|half| g.predicate(op.guard + 4 * half)).collect();
    if exec.iter().all(|mask| *mask == 0) {
        return Step::Next;
    }
    if let Some(half) = exec.iter().position(|mask| *mask != u32::MAX) {
        let lane = lanes(!exec[half]).next().unwrap_or(0) as u32;
        return g.fail(
            lane,
            FaultKind::Other(
                "loads a transposed matrix with some lanes switched off: EXEC must have all of them, or none".into(),
            ),
        );
    }
    let pattern = Pattern::of(&g.launch.tables.offsets[op.src[1] as usize..]);
    let (loaded, got) = (pattern.bits.0 as usize / 32, pattern.bits.1 as usize / 32);
    let count = LANES * halves as usize;
    let mut sources = vec![0u32; count * loaded];
    for (word, half) in (0..loaded).flat_map(|word| (0..halves as usize).map(move |half| (word, half))) {
        let row: [u32; LANES] = g.row(op.src[0] + 128 * (word as u32 * halves + half as u32));
        row.iter().enumerate().for_each(|(i, value)| sources[(LANES * half + i) * loaded + word] = *value);
    }
    let mut results = vec![0u32; count * got];
    for lane in 0..count {
        for place in 0..pattern.bits.1 / pattern.element {
            let (from, element) = pattern.source(lane as u32, place);
            let words = &sources[from as usize * loaded..][..loaded];
            let bits = taken(words, element * pattern.element, pattern.element);
            put(&mut results[lane * got..][..got], place * pattern.element, bits);
        }
    }
    for (word, half) in (0..got).flat_map(|word| (0..halves as usize).map(move |half| (word, half))) {
        let row: [u32; LANES] = std::array::from_fn(|i| results[(LANES * half + i) * got + word]);
        g.set_row(op.dst[0] + 128 * (word as u32 * halves + half as u32), &row, u32::MAX);
    }
    Step::Next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_permutations_or_nothing() {
        let plain = ["e0", "e1", "e2", "l3", "l4"];
        let pattern = Pattern::parse(&plain, 16, (128, 128), 1).expect("a pattern");
        assert_eq!((pattern.source(0, 3), pattern.source(9, 0), pattern.source(31, 7)), ((3, 0), (8, 1), (31, 7)));
        assert_eq!(Pattern::of(&pattern.numbers()), pattern);
        assert_eq!(Pattern::parse(&plain, 16, (64, 128), 1), None);
        assert_eq!(Pattern::parse(&["e0", "e5"], 16, (128, 128), 1), None);
        assert_eq!(Pattern::parse(&plain[..4], 16, (128, 128), 1), None);
    }

    #[test]
    fn elements_of_six_bits_cross_words() {
        let mut words = [0; 3];
        put(&mut words, 30, 0x2d);
        assert_eq!((words, taken(&words, 30, 6)), ([0x4000_0000, 0xb, 0], 0x2d));
    }
}
