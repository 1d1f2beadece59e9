//! Registers that are written late: what AMD's memory instructions do to a wavefront's registers, and the counters that tell of it.
//!
//! A load samples memory when it is issued; its register is written when the program has waited for it (`s_waitcnt`), or at once where the
//! launch asks for early work. Until then the register has its old value, and whoever reads or writes it is told (see
//! `engine`). What a counter counts goes in order, except for scalar loads: of these, and of what is counted together with them, only a wait
//! for all is a promise, as for hardware, where they may overtake each other.

use crate::job::Policy;
use crate::mods::Space;
use crate::{Group, LANES};
use std::collections::VecDeque;

/// Counters of outstanding work; a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters(pub u8);

impl Counters {
    /// Loads from vector memory, and atomics that return a value.
    pub const LOAD: Counters = Counters(1);
    /// Stores to vector memory, and atomics that return nothing.
    pub const STORE: Counters = Counters(2);
    /// LDS.
    pub const LDS: Counters = Counters(4);
    /// Scalar loads and messages.
    pub const SCALAR: Counters = Counters(8);
    /// Exports.
    pub const EXPORT: Counters = Counters(16);
    /// Image samples.
    pub const SAMPLE: Counters = Counters(32);
    /// Ray traversal.
    pub const BVH: Counters = Counters(64);
    /// All.
    pub const ALL: Counters = Counters(u8::MAX);

    /// Names as records have them, in the order of the bits.
    pub const NAMES: [&str; 7] = ["load", "store", "lds", "scalar", "export", "sample", "bvh"];

    /// The counter of this name.
    pub fn parse(name: &str) -> Option<Counters> {
        Counters::NAMES.iter().position(|n| *n == name).map(|bit| Counters(1 << bit))
    }

    /// Both.
    pub const fn or(self, other: Counters) -> Counters {
        Counters(self.0 | other.0)
    }

    /// Whether all of the others, and at least one, are among them.
    pub fn has(self, other: Counters) -> bool {
        other.0 != 0 && other.0 & !self.0 == 0
    }

    /// Whether they have one in common.
    pub fn meets(self, other: Counters) -> bool {
        self.0 & other.0 != 0
    }
}

/// Which part of its registers a load writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// All.
    #[default]
    Whole,
    /// The lower half of each, the upper one stays.
    Lower,
    /// The upper half of each, the lower one stays.
    Upper,
}

/// Registers that will be written.
#[derive(Clone, Debug)]
pub struct Late {
    /// What counts it.
    pub counters: Counters,
    /// Where in the frame the registers begin, or where in LDS the first lane's words go.
    pub at: u32,
    /// How many bytes of the frame they are: none of what goes to LDS.
    pub bytes: u32,
    /// Whether the rows go to LDS, the words of each lane next to one another.
    pub lds: bool,
    /// What will lie there; of words for scalar registers one row.
    pub rows: Vec<[u32; LANES]>,
    /// For rows: their lanes, of the first and second 32 in turn.
    pub lanes: [u32; 2],
    /// Rows of a register: 1 or 2, 0 for scalar registers.
    pub halves: u32,
    /// Which part of them.
    pub part: Part,
    /// Registers that it leaves alone, by their numbers behind the first one.
    pub holes: u32,
    /// The op that issued the load.
    pub op: u32,
    /// Of a load from LDS that a copy in the background may overtake, where each lane reads, and how many bytes.
    pub read: Option<Box<([u32; LANES], u32)>>,
}

impl Late {
    /// Whether it writes some of these bytes.
    pub fn touches(&self, at: u32, bytes: u32) -> bool {
        self.ranges().any(|own| ranges_meet(own, (at, bytes)))
    }

    /// The ranges of the frame that it writes.
    fn ranges(&self) -> impl Iterator<Item = (u32, u32)> {
        let register = 4 * LANES as u32 * self.halves;
        let whole = self.holes == 0;
        let each = (0..if whole { 0 } else { self.bytes / register.max(1) }).filter(|i| self.holes >> i & 1 == 0);
        let each = each.map(move |i| (self.at + register * i, register));
        (whole && self.bytes > 0).then_some((self.at, self.bytes)).into_iter().chain(each)
    }
}

/// Whether two ranges of the frame, each where it begins and its bytes, have some of them in common.
pub fn ranges_meet(one: (u32, u32), other: (u32, u32)) -> bool {
    one.0 < other.0 + other.1 && other.0 < one.0 + one.1
}

/// Registers that an instruction uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Where in the frame they begin.
    pub at: u32,
    /// How many bytes they are.
    pub bytes: u32,
    /// Whether it writes them.
    pub writes: bool,
    /// What is counted by these alone may write them late, all the same: it does so before this instruction, which writes them late, too.
    pub behind: Counters,
}

impl Use {
    fn meets(&self, late: &Late) -> bool {
        late.touches(self.at, self.bytes) && !self.behind.has(late.counters)
    }
}

/// Where in LDS the words of a lane lie that are copied there: behind those of the lanes before it.
pub fn lds_offset(first: u32, lane: u32, words: u32) -> u32 {
    first.wrapping_add(4 * words * lane)
}

/// Some of 64 bits for the registers in a range of the frame: ranges that meet have one in common.
pub fn signature(at: u32, bytes: u32) -> u64 {
    // Tuples of scalar registers are shorter than a row.
    let unit = if bytes >= 4 * LANES as u32 { 4 * LANES as u32 } else { 4 };
    (at / unit..=(at + bytes - 1) / unit).fold(0, |bits, register| bits | 1 << (register % 64))
}

/// What a wavefront has outstanding, in the order of its issue.
#[derive(Clone, Debug, Default)]
pub struct Outstanding {
    /// Each with its signature.
    list: VecDeque<(Late, u64)>,
    /// The signatures of all in the list.
    signature: u64,
    /// What counts them.
    counters: Counters,
    /// Rows of those that are done, to be used again.
    spare: Vec<Vec<[u32; LANES]>>,
}

impl Outstanding {
    /// Forgets all.
    pub fn clear(&mut self) {
        if self.list.is_empty() {
            return;
        }
        self.spare.extend(self.list.drain(..).map(|(late, _)| late.rows));
        self.sum_up();
    }

    /// The bits of [`signature`] of all registers that will be written.
    #[inline(always)]
    pub fn signature(&self) -> u64 {
        self.signature
    }

    /// Whether one of these counters counts something.
    #[inline(always)]
    pub fn counts(&self, counters: Counters) -> bool {
        self.counters.meets(counters)
    }

    /// The first that writes registers which an instruction uses, and is not sure to have written them by then.
    pub fn touching(&self, uses: &[Use]) -> Option<&Late> {
        self.list.iter().map(|(late, _)| late).find(|late| uses.iter().any(|one| one.meets(late)))
    }

    /// The op of the first load that may not yet have read some of these bytes of LDS.
    pub fn reading(&self, at: u32, bytes: u32) -> Option<u32> {
        let reads = |late: &&Late| {
            late.read.as_ref().is_some_and(|read| {
                let meets = |lane: usize| ranges_meet((read.0[lane], read.1), (at, bytes));
                (0..LANES).any(|lane| late.lanes[0] >> lane & 1 == 1 && meets(lane))
            })
        };
        self.list.iter().map(|(late, _)| late).find(reads).map(|late| late.op)
    }

    /// An empty list of rows.
    pub fn rows(&mut self) -> Vec<[u32; LANES]> {
        let mut rows = self.spare.pop().unwrap_or_default();
        rows.clear();
        rows
    }

    fn push(&mut self, late: Late) {
        let own = late.ranges().fold(0, |all, (at, bytes)| all | signature(at, bytes));
        self.signature |= own;
        self.counters = self.counters.or(late.counters);
        self.list.push_back((late, own));
    }

    fn sum_up(&mut self) {
        let none = (Counters::default(), 0);
        (self.counters, self.signature) =
            self.list.iter().fold(none, |(counters, bits), (late, own)| (counters.or(late.counters), bits | own));
    }
}

impl Group<'_> {
    /// Writes the cells from `at` on late, which `op` has loaded.
    pub fn write_cells_late(&mut self, at: u32, words: &[u32], op: u32) {
        if self.writes_early() {
            return self.set_cells(at, words);
        }
        let mut row = [0; LANES];
        row[..words.len()].copy_from_slice(words);
        let mut rows = self.warp.late.rows();
        rows.push(row);
        let (counters, bytes) = (Counters::SCALAR, 4 * words.len() as u32);
        self.write_late(Late {
            counters,
            at,
            bytes,
            rows,
            lds: false,
            lanes: [0; 2],
            halves: 0,
            part: Part::Whole,
            holes: 0,
            op,
            read: None,
        });
    }

    /// Whether registers are written at once: if the launch asks for early work, or nobody could see that they are late.
    pub fn writes_early(&self) -> bool {
        self.launch.tables.waited || self.launch.policy == Policy::Early
    }

    fn set_cells(&self, at: u32, words: &[u32]) {
        for (i, word) in words.iter().enumerate() {
            self.set_predicate(at + 4 * i as u32, *word, u32::MAX);
        }
    }

    /// Writes registers late, as the launch's policy says.
    pub fn write_late(&mut self, late: Late) {
        if self.writes_early() {
            return self.write_now(&late);
        }
        self.warp.late.push(late);
    }

    /// Waits until at most `left` of what `counters` count are outstanding: writes the registers of those that must be done.
    pub fn wait_late(&mut self, counters: Counters, left: u32) {
        if !self.warp.late.counts(counters) {
            return;
        }
        let (mut ordered, mut free) = (0usize, 0usize);
        for (late, _) in self.warp.late.list.iter().filter(|(late, _)| late.counters.meets(counters)) {
            if late.counters.meets(Counters::SCALAR) { free += 1 } else { ordered += 1 }
        }
        let left = left as usize;
        if ordered + free <= left {
            return;
        }
        // What goes in no order may be the first to be done, or the last.
        let mut done = if left == 0 { ordered + free } else { ordered.saturating_sub(left) };
        let is_done = |late: &Late| late.counters.meets(counters) && (left == 0 || !late.counters.meets(Counters::SCALAR));
        let mut at = 0;
        while done > 0 {
            if !is_done(&self.warp.late.list[at].0) {
                at += 1;
                continue;
            }
            done -= 1;
            let list = &mut self.warp.late.list;
            let Some((late, _)) = (if at == 0 { list.pop_front() } else { list.remove(at) }) else { break };
            self.write_now(&late);
            self.warp.late.spare.push(late.rows);
        }
        self.warp.late.sum_up();
    }

    fn write_now(&mut self, late: &Late) {
        if late.lds {
            return self.write_lds(late);
        }
        if late.halves == 0 {
            return self.set_cells(late.at, &late.rows[0][..late.bytes as usize / 4]);
        }
        for (i, new) in late.rows.iter().enumerate() {
            if late.holes >> ((i / late.halves as usize) & 31) & 1 == 1 {
                continue;
            }
            self.set_part(late.at + 128 * i as u32, new, late.lanes[(i % late.halves as usize) & 1], late.part);
        }
    }

    /// Writes the lanes of `mask` of a row, or a part of each.
    pub fn set_part(&self, at: u32, new: &[u32; LANES], mask: u32, part: Part) {
        match part {
            Part::Whole => self.set_row(at, new, mask),
            Part::Lower => self.set_row(at, &self.merged(at, new, |old, new| old & 0xffff_0000 | new & 0xffff), mask),
            Part::Upper => self.set_row(at, &self.merged(at, new, |old, new| old & 0xffff | new << 16), mask),
        }
    }

    fn write_lds(&mut self, late: &Late) {
        self.writer = late.op;
        let words = late.rows.len() as u32 / late.halves;
        for (i, row) in late.rows.iter().enumerate() {
            let (word, half) = (i as u32 / late.halves, i as u32 % late.halves);
            let address = |lane: usize| lds_offset(late.at, LANES as u32 * half + lane as u32, words) + 4 * word;
            let addresses = std::array::from_fn(|lane| self.named(Space::Shared, address(lane).into()));
            // Who issued it has seen that all of it is there.
            let _ = self.store(Space::Shared, &addresses, late.lanes[half as usize & 1], row, false);
        }
    }

    /// A row with something of another put into it.
    fn merged(&self, at: u32, new: &[u32; LANES], merge: impl Fn(u32, u32) -> u32) -> [u32; LANES] {
        let old: [u32; LANES] = self.row(at);
        std::array::from_fn(|i| merge(old[i], new[i]))
    }
}
