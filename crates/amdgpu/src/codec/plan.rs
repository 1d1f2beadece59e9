//! What is known of a form before a word of it is seen: its name, and what its operands are for each number in their fields.
//!
//! An operand's text follows from a number of some ten bits, and so does whether it may be there; forms whose operands are of one kind share what has
//! been found. Each number is looked at when it is first met, by what decodes and prints any operand; then it is a load and a copy. Literals, signs, long
//! texts and what depends on more bits are asked for every time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use isa::amdgpu::{Class, Type};

use super::bits::{self, Index};
use super::decode::Decoded;
use super::entry::{Entry, Slot, SlotKind};
use super::register::{LITERAL, LITERAL64, VECTOR};
use super::{Bits, Codec};
use crate::immediate::digits::Piece;

/// The text of a form without its signs and modifiers.
#[derive(Debug)]
pub(super) struct Plan {
    /// The mnemonic, of which the last piece is filled up with zeros, and its length.
    pub name: (Box<[Piece]>, usize),
    /// Of each operand.
    pub steps: Box<[Step]>,
    /// Which operands are not always as they may be.
    pub checked: Box<[u8]>,
}

/// An operand.
#[derive(Debug)]
pub(super) struct Step {
    /// Bits that must be zero: those that give it a sign.
    signs: u128,
    place: Index,
    known: Option<Arc<[Cell]>>,
    /// Whether no comma stands behind it.
    pub is_target: bool,
    /// Of one for whose numbers nothing is known.
    unknown: State,
}

/// What is known of a number: at most 15 bytes of text, and the state.
#[derive(Debug, Default)]
pub(super) struct Cell([AtomicU64; 2]);

/// A state: 0 if nothing is known, what the text is, or why there is none.
type State = u8;
/// The length of the text, with this bit.
const TEXT: State = 0x10;
/// It may be there, and has no text that is short and always the same.
const LONG: State = 0x20;
/// The codec must be asked whether it may be there, and what it is.
const ASK: State = 0x40;
/// The longest text, and the state behind it.
const MOST: usize = 15;
/// The most numbers of an immediate for which something is kept.
const IMMEDIATES: usize = 256;
/// Where the bit stands that is not in the operand's field.
const MORE: u8 = 10;

/// Operands of one kind: what their texts depend on besides the number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Key {
    kind: SlotKind,
    name: &'static str,
    ty: Option<Type>,
    class: Class,
    words: u16,
    file: u16,
    half: bool,
    immediate: Option<u16>,
    width: u8,
    more: More,
}

/// What a bit outside of an operand's field says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum More {
    Nothing,
    Scalar,
    Accumulation,
    Half,
}

/// The kinds of operands that have been met.
pub(super) type Kinds = Vec<(Key, Arc<[Cell]>)>;

impl Cell {
    #[inline]
    fn state(&self) -> State {
        (self.0[1].load(Ordering::Acquire) >> 56) as State
    }

    /// Who comes second writes the same once more.
    #[cold]
    fn set(&self, text: &str, state: State) -> State {
        let mut piece = Piece::default();
        piece[..text.len()].copy_from_slice(text.as_bytes());
        piece[MOST] = state;
        let [low, high] = bits::split(u128::from_le_bytes(piece));
        self.0[0].store(low, Ordering::Relaxed);
        self.0[1].store(high, Ordering::Release);
        state
    }

    /// The text and its length, if it has one.
    #[inline]
    fn text(&self) -> Option<(Piece, usize)> {
        let high = self.0[1].load(Ordering::Acquire);
        let state = (high >> 56) as State;
        let piece = u128::from(high) << 64 | u128::from(self.0[0].load(Ordering::Relaxed));
        (state & TEXT != 0).then(|| (piece.to_le_bytes(), usize::from(state & !TEXT)))
    }
}

impl Step {
    #[inline]
    fn cell(&self, word: u128) -> Option<&Cell> {
        self.known.as_ref()?.get(self.place.get(bits::split(word)))
    }
}

impl Codec {
    /// What is known of a form.
    #[inline]
    pub(super) fn plan<'e>(&self, entry: &'e Entry) -> &'e Plan {
        entry.plan.get_or_init(|| {
            let suffix = if entry.form.suffix { entry.encoding.suffix } else { "" };
            let name = [entry.instruction.name, suffix].concat();
            let piece = |bytes: &[u8]| std::array::from_fn(|at| bytes.get(at).copied().unwrap_or(0));
            let pieces = name.as_bytes().chunks(size_of::<Piece>()).map(piece).collect();
            let steps = entry.operands.iter().map(|slot| self.step(entry, slot)).collect();
            let checked = entry.operands.iter().enumerate().filter(|slot| !is_always_allowed(slot.1)).map(|slot| slot.0 as u8);
            Plan { name: (pieces, name.len()), steps, checked: checked.collect() }
        })
    }

    fn step(&self, entry: &Entry, slot: &Slot) -> Step {
        let source = slot.source.filter(|source| *source < 3);
        let of = |bits: &Bits, wanted: bool| source.filter(|_| wanted).map_or(0, |s| bits.mask_of(s.into()));
        let (float, integer) = (slot.operand.float_modifiers, slot.operand.integer_modifiers);
        let known = self.known(entry, slot);
        let is_register = matches!(slot.kind, SlotKind::Register | SlotKind::Export);
        Step {
            signs: of(&entry.neg, float) | of(&entry.abs, float) | of(&entry.sext, integer),
            place: known.as_ref().map_or(Index::default(), |known| known.1),
            known: known.map(|known| known.0),
            is_target: slot.operand.ty.name == "exp_tgt",
            unknown: if is_register { ASK } else { LONG },
        }
    }

    /// What is known of the numbers of an operand, and where the number is; nothing if the text depends on more.
    fn known(&self, entry: &Entry, slot: &Slot) -> Option<(Arc<[Cell]>, Index)> {
        let ty = slot.operand.ty;
        let is_other = match slot.kind {
            SlotKind::Text => false,
            SlotKind::Constant | SlotKind::Export => true,
            SlotKind::Immediate => ty.name == "attribute",
            SlotKind::Register => !entry.sd.is_empty() && slot.operand.name == "sdst",
        };
        let (more, bit) = self.more(entry, slot)?;
        let place = Index::new(&slot.bits, bit, MORE).filter(|_| !is_other)?;
        let width = slot.bits.width();
        let is_typed = slot.operand.class.has(Class::CONSTANT) && slot.kind == SlotKind::Register;
        let key = Key {
            kind: slot.kind,
            name: if slot.kind == SlotKind::Text { slot.operand.name } else { "" },
            ty: (is_typed || slot.kind == SlotKind::Immediate).then_some(ty),
            class: slot.operand.class,
            words: slot.words,
            file: slot.file,
            half: slot.half,
            immediate: slot.immediate,
            width,
            more,
        };
        let count = match slot.kind {
            SlotKind::Immediate => IMMEDIATES.min(1 << width),
            _ if width > MORE => return None,
            _ if bit != 0 => 2 << MORE,
            _ => 1 << width,
        };
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = kinds.iter().find(|kind| kind.0 == key) {
            return Some((known.clone(), place));
        }
        let cells: Arc<[Cell]> = (0..count).map(|_| Cell::default()).collect();
        kinds.push((key, cells.clone()));
        Some((cells, place))
    }

    /// What a bit outside of the operand's field says, and its mask; nothing if there are several.
    fn more(&self, entry: &Entry, slot: &Slot) -> Option<(More, u128)> {
        let is_half = slot.half && slot.source.is_some() && !entry.op_sel.is_empty();
        let half = slot.source.filter(|_| is_half).map_or(0, |source| entry.op_sel.mask_of(source.into()));
        let scalar = slot.source.filter(|_| slot.is_split && !entry.sgpr.is_empty());
        match (scalar, slot.is_split, is_half) {
            (None, false, true) => Some((More::Half, half)),
            (Some(source), _, false) => Some((More::Scalar, entry.sgpr.mask_of(source.into()))),
            (None, true, false) => Some((More::Accumulation, entry.acc.mask())),
            (None, false, false) => Some((More::Nothing, 0)),
            _ => None,
        }
    }

    /// Whether every operand is known to be as it may be, and none a literal.
    #[inline]
    pub(super) fn is_plain(&self, decoded: &Decoded) -> bool {
        let plan = self.plan(decoded.entry);
        let operand = |at: &u8| Some((plan.steps.get(usize::from(*at))?, decoded.entry.operands.get(usize::from(*at))?));
        plan.checked.iter().filter_map(operand).all(|(step, slot)| self.status(step, slot, decoded) & ASK == 0)
    }

    /// What is known of an operand whether or not it has signs.
    #[inline]
    fn status(&self, step: &Step, slot: &Slot, decoded: &Decoded) -> State {
        let Some(cell) = step.cell(decoded.word) else { return step.unknown };
        match cell.state() {
            0 => self.look(cell, slot, decoded),
            state => state,
        }
    }

    /// The text of an operand and its length, if it is known.
    #[inline]
    pub(super) fn text_of(&self, step: &Step, slot: &Slot, decoded: &Decoded) -> Option<(Piece, usize)> {
        let cell = step.cell(decoded.word).filter(|_| decoded.word & step.signs == 0)?;
        if cell.state() == 0 {
            self.look(cell, slot, decoded);
        }
        cell.text()
    }

    /// Finds out what an operand is that has a number for the first time.
    #[cold]
    fn look(&self, cell: &Cell, slot: &Slot, decoded: &Decoded) -> State {
        if slot.kind == SlotKind::Register {
            let number = if slot.half { self.half(slot, decoded).0 } else { self.number(slot, decoded) };
            if number == LITERAL || number == LITERAL64 || !self.is_allowed(slot, decoded) {
                return cell.set("", ASK);
            }
        }
        let mut text = String::new();
        self.print_unsigned(slot, decoded, &mut text);
        match text.len() {
            length @ 0..=MOST if text.is_ascii() => cell.set(&text, TEXT | length as State),
            _ => cell.set("", LONG),
        }
    }
}

/// Whether an operand may be there whatever its number is: one vector register, or something that is no register.
fn is_always_allowed(slot: &Slot) -> bool {
    match slot.kind {
        SlotKind::Text | SlotKind::Constant | SlotKind::Immediate => true,
        SlotKind::Export => false,
        SlotKind::Register => {
            let is_vector = slot.file == VECTOR && slot.operand.class.has(Class::V);
            is_vector && slot.words == 1 && !slot.half && !slot.is_split
        }
    }
}
