//! Which registers an instruction reads and writes: what a simulator, a scheduler or a search for hazards asks.
//!
//! What an operand or a register without one is used for is in the records (`reads` and `writes`, see isa/README.md); here it is asked
//! for one decoded instruction. Memory and constants are no registers, and lanes are not told apart: what is written under EXEC, or
//! only in the rows of a mask, is written.

use std::fmt;

use isa::amdgpu::{Class, Effect, Field};

use super::register::{self, Meaning, RegisterFile};
use super::{Bits, Codec, Decoded, Slot};

/// Registers next to one another, or one with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Register {
    /// Those of a range.
    Numbered {
        /// The range: `v`, `a`, `s` or `ttmp`.
        range: &'static str,
        /// The first.
        first: u16,
        /// How many, of 32 bits each.
        words: u16,
        /// Of one of which only a half is meant, whether it is the upper.
        upper: Option<bool>,
    },
    /// One with a name, as operands have it (`vcc`, `exec_lo`, `m0`), or of those that no operand names (`scc`, `mode`).
    Named(&'static str),
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Register::Numbered { range, first, words, upper } => {
                let mut text = String::new();
                RegisterFile::print_numbered(range, first, words, &mut text);
                f.write_str(&text)?;
                f.write_str(upper.map_or("", |upper| if upper { ".h" } else { ".l" }))
            }
            Register::Named(name) => f.write_str(name),
        }
    }
}

/// A use of registers by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Which.
    pub register: Register,
    /// The operand, by its name in the record; none for what the text does not say.
    pub operand: Option<&'static str>,
    /// Whether the value before counts.
    pub reads: bool,
    /// Whether it may be another afterwards.
    pub writes: bool,
}

/// An image's address has up to 13 parts; a pair has two times five operands.
const MOST: usize = 32;

/// The uses of registers by one instruction: operands in the order of the text, then the others.
#[derive(Clone, Debug)]
pub struct Accesses {
    list: [Option<Access>; MOST],
    len: usize,
    at: usize,
}

impl Accesses {
    fn push(&mut self, access: Access) {
        if let Some(place) = self.list.get_mut(self.len).filter(|_| access.reads || access.writes) {
            *place = Some(access);
            self.len += 1;
        }
    }
}

impl Iterator for Accesses {
    type Item = Access;

    fn next(&mut self) -> Option<Access> {
        self.at += 1;
        self.list.get(self.at - 1).copied().flatten()
    }
}

impl Codec {
    /// The registers that an instruction reads and writes.
    ///
    /// ```
    /// use amdgpu::codec::{Codec, access::Register};
    ///
    /// let (table, words) = (isa::amdgpu::Table::get()?, isa::amdgpu::words::Words::get()?);
    /// let codec = Codec::new(table, words, "gfx1100", None)?;
    /// // s_add_u32 s4, s2, s3
    /// let decoded = codec.decode(&[0x02, 0x03, 0x04, 0x80]).unwrap();
    /// let written: Vec<String> = codec.accesses(&decoded).filter(|a| a.writes).map(|a| a.register.to_string()).collect();
    /// assert_eq!(written, ["s4", "scc"]);
    /// let first = codec.accesses(&decoded).find(|a| a.reads).unwrap();
    /// assert_eq!(first.register, Register::Numbered { range: "s", first: 2, words: 1, upper: None });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn accesses(&self, decoded: &Decoded) -> Accesses {
        let mut all = Accesses { list: [None; MOST], len: 0, at: 0 };
        let second = decoded.other();
        for half in std::iter::once(decoded).chain(&second) {
            match &half.entry.image {
                Some(_) => self.image_accesses(half, &mut all),
                None => half.entry.operands.iter().enumerate().for_each(|(at, slot)| self.operand(at, slot, half, &mut all)),
            }
        }
        for (state, _) in &self.table.states {
            let is = |uses: Use| std::iter::once(decoded).chain(&second).any(|half| self.uses(half, state, uses));
            let pair = |half: &Decoded| half.entry.form.limits.reads_vcc && *state == "vcc";
            let reads = is(Use::Reads) || std::iter::once(decoded).chain(&second).any(pair);
            all.push(Access { register: self.state(state), operand: None, reads, writes: is(Use::Writes) });
        }
        all
    }

    /// Whether an instruction reads and writes its operand of this place.
    pub fn role(&self, decoded: &Decoded, at: usize) -> (bool, bool) {
        let Some(slot) = decoded.entry.operands.get(at) else { return (false, false) };
        if slot.operand.class.has(Class::TEXT) {
            let writes = self.fixed_is_written(at, decoded);
            return (!writes, writes);
        }
        self.used(decoded, slot)
    }

    /// The registers without an operand that an instruction reads and writes: name, reads, writes. What its encoding says of all
    /// instructions is left out, unless its record says it, too.
    pub fn own_states<'a>(&'a self, decoded: &'a Decoded<'a>) -> impl Iterator<Item = (&'static str, bool, bool)> + 'a {
        let said = |effects: &[Effect], name: &str| effects.iter().any(|e| e.name == name);
        let record = decoded.entry.instruction;
        let own = move |(name, _): &(&'static str, &'static str)| {
            let reads = said(&record.reads, name) && self.uses(decoded, name, Use::Reads);
            let writes = said(&record.writes, name) && self.uses(decoded, name, Use::Writes);
            (reads || writes).then_some((*name, reads, writes))
        };
        self.table.states.iter().filter_map(own)
    }

    /// A register without an operand, which is as wide as a wavefront if it has a bit for each lane.
    fn state(&self, name: &'static str) -> Register {
        Register::Named(match (name, self.wave) {
            ("vcc", 32) => "vcc_lo",
            ("exec", 32) => "exec_lo",
            (name, _) => name,
        })
    }

    fn operand(&self, at: usize, slot: &Slot, decoded: &Decoded, all: &mut Accesses) {
        let class = slot.operand.class;
        if class.has(Class::TEXT) {
            return self.fixed(at, slot.operand.name, decoded, all);
        }
        if class.has(Class::IMMEDIATE) || class.has(Class::K) {
            return;
        }
        let entry = decoded.entry;
        let mut place = slot;
        if slot.operand.ty.name == "export" {
            let index = slot.source.unwrap_or(0);
            if entry.en.get(decoded.word) >> index & 1 == 0 {
                return;
            }
            // Two halves of one register if they are compressed.
            let compressed = entry.compr.get(decoded.word) == 1;
            place = entry.operands.get(usize::from(if compressed { 1 + index / 2 } else { 1 + index })).unwrap_or(slot);
        }
        let (reads, writes) = self.used(decoded, slot);
        let register = if slot.operand.name == "sdst" && !entry.sd.is_empty() && entry.sd.get(decoded.word) == 0 {
            Some(self.state("vcc"))
        } else {
            self.register_of(place, decoded)
        };
        if let Some(register) = register {
            all.push(Access { register, operand: Some(slot.operand.name), reads, writes });
        }
    }

    /// A register that is always the same: written if the sources come behind it.
    fn fixed(&self, at: usize, name: &'static str, decoded: &Decoded, all: &mut Accesses) {
        let writes = self.fixed_is_written(at, decoded);
        if self.table.states.iter().any(|state| state.0 == name) {
            all.push(Access { register: self.state(name), operand: Some(name), reads: !writes, writes });
        }
    }

    fn fixed_is_written(&self, at: usize, decoded: &Decoded) -> bool {
        let is_source = |slot: &Slot| slot.operand.name.starts_with("src");
        let (before, behind) = decoded.entry.operands.split_at(at);
        !before.iter().any(is_source) && behind.iter().any(is_source)
    }

    fn register_of(&self, slot: &Slot, decoded: &Decoded) -> Option<Register> {
        let words = register::words(slot.operand.ty, self.wave);
        let (number, upper) = match slot.half {
            true => self.half(slot, decoded),
            false => (self.number(slot, decoded), false),
        };
        match self.registers().meaning(number, words) {
            Meaning::Numbered(range, first) => {
                let first = if range == "v" { first + decoded.bank(slot.operand.name) } else { first };
                let upper = (slot.half && matches!(range, "v" | "a")).then_some(upper);
                Some(Register::Numbered { range, first, words, upper })
            }
            Meaning::Named("null") => None,
            Meaning::Named(name) => Some(Register::Named(name)),
            _ => None,
        }
    }

    /// Of an image instruction, the widths depend on its bits.
    fn image_accesses(&self, decoded: &Decoded, all: &mut Accesses) {
        let Some(places) = &decoded.entry.image else { return };
        let accumulates = decoded.entry.acc.get(decoded.word) == 1;
        let mut push = |range, first, words, operand, (reads, writes)| {
            if words > 0 {
                let register = Register::Numbered { range, first, words, upper: None };
                all.push(Access { register, operand: Some(operand), reads, writes });
            }
        };
        let uses = |name| (self.uses_operand(decoded, name, Use::Reads), self.uses_operand(decoded, name, Use::Writes));
        let data = decoded.entry.operands.first().map_or(0, |slot| slot.bits.get(decoded.word) as u16);
        self.image_registers(places, decoded, &mut |part, register, words| match part {
            None => push(if accumulates { "a" } else { "v" }, data, words, "vdata", uses("vdata")),
            Some(part) => {
                let name = ["vaddr0", "vaddr1", "vaddr2", "vaddr3", "vaddr4"].get(part).copied().unwrap_or("vaddr4");
                push("v", register, words, name, uses(name));
            }
        });
        for (at, slot) in decoded.entry.operands.iter().enumerate().skip(2) {
            self.operand(at, slot, decoded, all);
        }
    }

    fn used(&self, decoded: &Decoded, slot: &Slot) -> (bool, bool) {
        let name = slot.operand.name;
        let accumulates = decoded.entry.form.pairing.accumulates && name.starts_with("vdst");
        (self.uses_operand(decoded, name, Use::Reads) || accumulates, self.uses_operand(decoded, name, Use::Writes))
    }

    /// An operand is read unless it is written; one that is both is said to be.
    fn uses_operand(&self, decoded: &Decoded, name: &str, uses: Use) -> bool {
        let said = self.uses(decoded, name, uses);
        said || uses == Use::Reads && !self.uses(decoded, name, Use::Writes)
    }

    /// What the record says of a name, else what its encoding says.
    fn uses(&self, decoded: &Decoded, name: &str, uses: Use) -> bool {
        let entry = decoded.entry;
        let value = |field: Field| {
            let bits = entry.encoding.layout(self.target).map(|layout| Bits::of(layout, field)).unwrap_or_default();
            (!bits.is_empty()).then(|| bits.get(decoded.word))
        };
        let holds = |effect: &&Effect| effect.name == name && effect.holds(self.target, entry.form.operands, value);
        let (record, encoding) = match uses {
            Use::Reads => (&entry.instruction.reads, &entry.encoding.reads),
            Use::Writes => (&entry.instruction.writes, &entry.encoding.writes),
        };
        let found = record.iter().find(holds).or_else(|| encoding.iter().find(holds));
        found.is_some_and(|effect| !effect.is_absent)
    }
}

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Reads,
    Writes,
}
