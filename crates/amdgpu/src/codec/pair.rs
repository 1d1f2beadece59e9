//! Pairs: two instructions in one word, `v_dual_X ... :: v_dual_Y ...`.
//!
//! Each half is a form of its own, X or Y, with its operands; here the two are joined, and what holds of both together is checked: registers
//! come from different banks, destinations are distinct, there is one literal, and at most two scalar values are read. The short encoding
//! is preferred to the long one. Follows LLVM 22: VOPDInstructions.td, checkVOPDRegBankConstraints.

use std::sync::Arc;

use isa::amdgpu::Class;

use super::Codec;
use super::assemble::{Assembled, Attempt};
use super::decode::{Decoded, Undefined};
use super::entry::Entry;
use super::register::{LITERAL, Meaning, VECTOR, words};
use crate::immediate::Problem;
use crate::immediate::cursor::{Cursor, Symbols};

/// Which half a form is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Half {
    /// The second.
    pub second: bool,
    /// Of the long encoding.
    pub long: bool,
}

impl Half {
    /// By the name of an encoding.
    pub fn of(encoding: &str) -> Option<Half> {
        let rest = encoding.strip_prefix("vopd")?;
        Some(Half { second: rest.ends_with('y'), long: rest.starts_with('3') })
    }
}

/// The halves of a target: short and long; first and second.
pub(super) type Halves = [[Vec<Arc<Entry>>; 2]; 2];

/// A bit of the destination that both halves name: the second has the opposite.
fn shared(first: &Entry, second: &Entry) -> u128 {
    let mask = |entry: &Entry| entry.operands.first().map_or(0, |s| s.bits.mask());
    mask(first) & mask(second)
}

impl Decoded<'_> {
    /// Its halves by themselves: one, or both of a pair.
    pub fn halves(&self) -> (Decoded<'_>, Option<Decoded<'_>>) {
        (Decoded { second: None, ..*self }, self.other())
    }

    /// The second half by itself.
    pub(crate) fn other(&self) -> Option<Decoded<'_>> {
        let second = self.second?;
        Some(Decoded { entry: second, word: self.word ^ shared(self.entry, second), second: None, ..*self })
    }
}

impl Codec {
    /// The halves of the target, found when a pair may be there for the first time.
    fn halves(&self) -> &Halves {
        self.halves.get_or_init(|| {
            let mut halves = Halves::default();
            let is_half = |encoding: u16| Half::of(self.table.encodings[usize::from(encoding)].name).is_some();
            let mut records: Vec<u16> = self.records.coded().iter().filter(|c| is_half(c.encoding)).map(|c| c.record).collect();
            records.sort_unstable();
            records.dedup();
            for entry in records.iter().flat_map(|record| self.of_record(*record)) {
                if let Some(half) = entry.half {
                    halves[usize::from(half.long)][usize::from(half.second)].push(entry.clone());
                }
            }
            halves
        })
    }

    /// The pair at the start of some bytes.
    pub(super) fn decode_pair(&self, word: u128, bytes: &[u8]) -> Result<Decoded<'_>, Undefined> {
        let mut why = Undefined::Opcode;
        for [first, second] in self.halves() {
            let find = |list: &'_ [Arc<Entry>]| list.iter().position(|e| (word ^ e.value) & e.mask == 0);
            let (Some(first), Some(second)) = (find(first).map(|i| &first[i]), find(second).map(|i| &second[i])) else {
                continue;
            };
            if bytes.len() < usize::from(first.size) {
                why = Undefined::Truncated;
                continue;
            }
            let word = word & super::bits::ones_wide(u32::from(first.size) * 8);
            if word & first.unused & second.unused != 0 {
                why = Undefined::Unused;
                continue;
            }
            return self.finish_pair(first, second, word, bytes);
        }
        Err(why)
    }

    fn finish_pair<'c>(
        &'c self,
        first: &'c Entry,
        second: &'c Entry,
        word: u128,
        bytes: &[u8],
    ) -> Result<Decoded<'c>, Undefined> {
        let mut decoded = Decoded { entry: first, word, literal: None, size: first.size, second: Some(second), banks: 0 };
        let other = Decoded { entry: second, word: word ^ shared(first, second), second: None, ..decoded };
        let literal = |d: &Decoded| {
            d.entry
                .operands
                .iter()
                .any(|s| s.operand.class.has(Class::K) || s.operand.class.has(Class::LITERAL) && self.number(s, d) == LITERAL)
        };
        if literal(&decoded) || literal(&other) {
            let start = usize::from(first.size);
            let bytes = bytes.get(start..start + 4).ok_or(Undefined::Truncated)?;
            decoded.literal = Some(bytes.iter().rev().fold(0, |value, b| value << 8 | u64::from(*b)));
            decoded.size += 4;
        }
        let allowed = |d: &Decoded| d.entry.operands.iter().all(|s| self.is_allowed(s, d));
        if allowed(&decoded) && allowed(&other) { Ok(decoded) } else { Err(Undefined::Operand) }
    }

    /// Writes both halves.
    pub(super) fn print_pair(&self, decoded: &Decoded, out: &mut String) {
        self.print(&Decoded { second: None, ..*decoded }, out);
        if let Some(other) = decoded.other() {
            out.push_str(" :: ");
            self.print(&other, out);
        }
    }

    /// Assembles `X operands :: Y operands`; `operands` goes from those of X to the end.
    pub(super) fn assemble_pair(&self, name: &str, operands: &str, symbols: Symbols) -> Result<Assembled, Problem> {
        let start = operands.find("::").map_or(operands.len(), |at| at + 2);
        let mut at = Cursor::new(&operands[start..], symbols);
        let other = at.take_identifier("the second instruction of the pair").map_err(|mut problem| {
            problem.span = diagnostics::Span::new(start as u32, start as u32);
            problem
        })?;
        let list = |name: &str| self.named(name).unwrap_or(&[]).iter();
        let mut furthest: Option<Problem> = None;
        // The first name may end as those of single instructions do.
        for first in list(name.strip_suffix("_e32").unwrap_or(name)) {
            for second in list(other) {
                let (Some(a), Some(b)) = (first.half, second.half) else { continue };
                if a.second || !b.second || a.long != b.long {
                    continue;
                }
                // Of its two encodings the long one has signs.
                let mut attempt = Attempt::new(self, first, &[]);
                match attempt.pair(second, &mut Cursor::new(operands, symbols)) {
                    Ok(()) => return Ok(attempt.done()),
                    Err(problem) if furthest.as_ref().is_none_or(|f| f.span.start < problem.span.start) => {
                        furthest = Some(problem)
                    }
                    Err(_) => {}
                }
            }
        }
        Err(furthest.unwrap_or_else(|| Problem {
            span: Default::default(),
            message: format!("`{name}` and `{other}` are no pair on this target in wavefronts of {} lanes", self.wave),
        }))
    }
}

impl<'c> Attempt<'c> {
    fn pair(&mut self, second: &'c Entry, cursor: &mut Cursor) -> Result<(), Problem> {
        let first = self.entry;
        self.half_operands(cursor)?;
        if !cursor.rest().starts_with("::") {
            return cursor.problem("`::` is wanted here, and the second instruction of the pair");
        }
        cursor.advance(2);
        let name = cursor.identifier().map_or(0, str::len);
        cursor.advance(name);
        let word = std::mem::replace(&mut self.word, second.start);
        self.entry = second;
        self.half_operands(cursor)?;
        self.modifiers(cursor)?;
        self.together(first, word)?;
        (self.entry, self.second) = (first, Some(second));
        self.word = word | self.word & !shared(first, second);
        Ok(())
    }

    fn half_operands(&mut self, cursor: &mut Cursor) -> Result<(), Problem> {
        for (index, slot) in self.entry.operands.iter().enumerate() {
            if index > 0 {
                cursor.take(',');
            }
            self.operand(slot, index, cursor)?;
        }
        Ok(())
    }

    /// What holds of both halves together; `word` is that of the first, this one's is that of the second.
    fn together(&self, first: &Entry, word: u128) -> Result<(), Problem> {
        let second = self.entry;
        let (a, b) = (first.form.pairing, second.form.pairing);
        let wrong = |span, message: String| Err(Problem { span, message });
        let implied = usize::from(first.form.limits.reads_vcc || second.form.limits.reads_vcc);
        let used = self.scalar_count + usize::from(self.literal.is_some()) + implied;
        if used > 2 {
            let message = "a pair reads at most two different scalar registers and literals, VCC among them";
            return wrong(self.read_behind(2 - implied), message.into());
        }
        let registers = |entry: &'c Entry, word: u128| self.codec.positions(entry, word);
        let (x, y) = (self.codec.positions(first, word), registers(second, self.word));
        let long = second.half.is_some_and(|h| h.long);
        let shares = self.codec.has("shared_pair_sources");
        for (position, pair) in x.iter().zip(&y).enumerate() {
            let (Some(x), Some(y)) = pair else { continue };
            // What accumulates reads its destination.
            let at = self.places[if position == 3 && b.accumulates { 0 } else { position }];
            if position == 0 {
                if x.overlaps(*y) {
                    return wrong(at, "the two destinations must be different registers".into());
                }
                if !long && x.first % 2 == y.first % 2 {
                    return wrong(at, "one destination must be an even register and the other an odd one".into());
                }
                continue;
            }
            let banks = if position == 3 && !long { 2 } else { 4 };
            let same = shares && x == y || a.unbanked && b.unbanked;
            if !same && x.meets(*y, banks) {
                let message = format!("the registers of source {} must come from different banks of {banks}", position - 1);
                return wrong(at, message);
            }
        }
        Ok(())
    }
}

/// Vector registers of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Tuple {
    first: u16,
    words: u16,
}

/// LLVM takes LDS for src0 of pairs where no other instruction has it, and counts it to the bank of v1; it is no VGPR.
const LDS: Tuple = Tuple { first: 0x101, words: 1 };

impl Tuple {
    fn overlaps(self, other: Tuple) -> bool {
        self.first < other.first + other.words && other.first < self.first + self.words
    }

    /// Whether two lie in one of so many banks.
    fn meets(self, other: Tuple, banks: u16) -> bool {
        (0..self.words).any(|i| (0..other.words).any(|j| (self.first + i) % banks == (other.first + j) % banks))
    }
}

impl Codec {
    /// The vector registers at each place of a half: the destination, then the sources as they are written.
    fn positions(&self, entry: &Entry, word: u128) -> [Option<Tuple>; 4] {
        let mut all = [None; 4];
        let decoded = Decoded { entry, word, literal: None, size: entry.size, second: None, banks: 0 };
        for (place, slot) in all.iter_mut().zip(&*entry.operands) {
            let number = self.number(slot, &decoded);
            let vector = slot.operand.class.has(Class::V) && number & VECTOR != 0;
            *place = vector.then(|| Tuple { first: number & 0xff, words: words(slot.operand.ty, self.wave) });
            if self.registers.meaning(number, 1) == Meaning::Named("src_lds_direct") {
                *place = Some(LDS);
            }
        }
        if entry.form.pairing.accumulates {
            all[3] = all[0];
        }
        all
    }
}
