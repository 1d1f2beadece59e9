//! Registers that are written late: what AMD's memory instructions do to a wavefront's registers, and the counters that tell of it.
//!
//! A load samples memory when it is issued; its register is written when the program has waited for it (`s_waitcnt`), or at once where the
//! launch asks for early work. Until then the register has its old value, and whoever reads or writes it is told (see
//! `engine`). What a counter counts goes in order, except for scalar loads: of these, and of what is counted together with them, only a wait
//! for all is a promise, as for hardware, where they may overtake each other.

use crate::job::Policy;
use crate::{Group, LANES};

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
    /// Where in the frame the registers begin.
    pub at: u32,
    /// The words, as they will lie there.
    pub words: Vec<u32>,
    /// For rows: their lanes, of the first and second 32 in turn.
    pub lanes: [u32; 2],
    /// Rows of a register: 1 or 2, 0 for scalar registers.
    pub halves: u32,
    /// Which part of them.
    pub part: Part,
    /// The op that issued the load.
    pub op: u32,
}

impl Late {
    /// Words for scalar registers, which `op` has loaded.
    pub fn scalars(at: u32, words: Vec<u32>, op: u32) -> Late {
        Late { counters: Counters::SCALAR, at, words, lanes: [0; 2], halves: 0, part: Part::Whole, op }
    }

    /// Bytes of the frame that it writes.
    pub fn bytes(&self) -> u32 {
        4 * self.words.len() as u32
    }

    /// Whether it writes some of these bytes.
    pub fn touches(&self, at: u32, bytes: u32) -> bool {
        at < self.at + self.bytes() && self.at < at + bytes
    }
}

impl Group<'_> {
    /// Writes registers late, as the launch's policy says.
    pub fn write_late(&mut self, late: Late) {
        if self.launch.policy == Policy::Early {
            return self.write_now(&late);
        }
        self.warp.late.push(late);
    }

    /// Waits until at most `left` of what `counters` count are outstanding: writes the registers of those that must be done.
    pub fn wait_late(&mut self, counters: Counters, left: u32) {
        let counted = self.warp.late.iter().filter(|late| late.counters.meets(counters));
        let (mut ordered, mut free) = (0u32, 0u32);
        for late in counted {
            if late.counters.meets(Counters::SCALAR) { free += 1 } else { ordered += 1 }
        }
        // What goes in no order may be the first to be done, or the last.
        let done = if left == 0 { u32::MAX } else { (ordered + free).saturating_sub(left).saturating_sub(free) };
        let mut gone = 0;
        let mut i = 0;
        while i < self.warp.late.len() {
            let late = &self.warp.late[i];
            let stays = !late.counters.meets(counters) || left > 0 && (late.counters.meets(Counters::SCALAR) || gone >= done);
            if stays {
                i += 1;
                continue;
            }
            gone += 1;
            let late = self.warp.late.remove(i);
            self.write_now(&late);
        }
    }

    fn write_now(&mut self, late: &Late) {
        if late.halves == 0 {
            for (i, word) in late.words.iter().enumerate() {
                self.set_predicate(late.at + 4 * i as u32, *word, u32::MAX);
            }
            return;
        }
        for (i, new) in late.words.chunks_exact(LANES).enumerate() {
            let at = late.at + 128 * i as u32;
            let mask = late.lanes[(i % late.halves as usize) & 1];
            let mut row: [u32; LANES] = self.row(at);
            for (old, new) in row.iter_mut().zip(new) {
                *old = match late.part {
                    Part::Whole => *new,
                    Part::Lower => *old & 0xffff_0000 | new & 0xffff,
                    Part::Upper => *old & 0xffff | new << 16,
                };
            }
            self.set_row(at, &row, mask);
        }
    }
}
