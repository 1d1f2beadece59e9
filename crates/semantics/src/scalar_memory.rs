//! AMD's scalar memory instructions: loads to scalar registers, stores from them, atomics with them; through addresses or buffer descriptors.
//!
//! `src[0]` are the cells of the address or descriptor; added to it are `imm` and the cell `src[1]`, if there is one, times the cell `src[3]`, if there is one.
//! Results are written late.
//! Whole elements are accessed: the bits of an address below the size of a word, or of a smaller element, do not count.
//!
//! AMD's ISA guides, "Scalar Memory Operations".

use crate::atomic::{Atomic, by_type};
use crate::buffer::Buffer;
use crate::operand::{cell_or_zero, wide};
use crate::{Function, group};
use machine::lane::{Bf16x2, F16x2};
use machine::mods::Space;
use machine::state::{Access, FaultKind};
use machine::{Element, Group, Handler, LANES, Op, Step, Type, op::NONE};
use numerics::{Bf16, F16};

/// What an instruction accesses.
struct Range {
    /// The address of its first element.
    address: u64,
    /// Bytes from there on that exist; none are checked of what is no buffer.
    exist: Option<u64>,
}

impl Range {
    /// Whether so many bytes from one on exist.
    fn has(&self, from: u64, bytes: u64) -> bool {
        self.exist.is_none_or(|exist| from + bytes <= exist)
    }
}

/// The range of an op: through a descriptor where `src[2]` has the features that lay it out.
fn range(g: &Group, op: &Op) -> Result<Range, String> {
    let bytes = u64::from(op.ty.bits() / 8).min(4);
    let scale = if op.src[3] == NONE { 1 } else { g.predicate(op.src[3]) };
    let scaled = u64::from(cell_or_zero(g, op.src[1])) * u64::from(scale);
    let offset = (op.imm as i64 as u64).wrapping_add(scaled);
    if op.src[2] == NONE {
        return Ok(Range { address: wide(g, op.src[0]).wrapping_add(offset) & !(bytes - 1), exist: None });
    }
    let buffer = Buffer::read(g, op.src[0], g.predicate(op.src[2]), true)?;
    let offset = offset & !(bytes - 1);
    let address = (buffer.base & !3).wrapping_add(offset);
    Ok(Range { address, exist: Some(buffer.bytes().saturating_sub(offset)) })
}

fn fail(g: &mut Group, address: u64, size: u32, access: Access) -> Step {
    let nearest = g.launch.memory.nearest(address);
    g.fail(0, FaultKind::OutOfBounds { space: "global", address, size, access, nearest })
}

fn bad_descriptor(g: &mut Group, message: String) -> Step {
    g.fail(0, FaultKind::Other(message))
}

/// An element as a word, extended.
fn element(g: &mut Group, ty: Type, at: u64) -> Option<u32> {
    match ty {
        Type::U8 => g.load_one::<u8>(Space::Global, at).map(u32::from),
        Type::S8 => g.load_one::<u8>(Space::Global, at).map(|v| v as i8 as u32),
        Type::U16 => g.load_one::<u16>(Space::Global, at).map(u32::from),
        Type::S16 => g.load_one::<u16>(Space::Global, at).map(|v| v as i16 as u32),
        _ => g.load_one::<u32>(Space::Global, at),
    }
}

/// Loads `arity` words, or one smaller element, to the cells `dst[0]`.
pub fn load(g: &mut Group, op: &Op) -> Step {
    let range = match range(g, op) {
        Ok(range) => range,
        Err(message) => return bad_descriptor(g, message),
    };
    let mut words = [0; 32];
    let words = &mut words[..usize::from(op.arity).min(32)];
    let whole = op.ty.bits() == 32 && range.exist.is_none();
    if !whole || g.load_words(Space::Global, range.address, words).is_none() {
        let bytes = op.ty.bits() / 8;
        for (at, word) in (0..).step_by(4).zip(&mut *words) {
            let address = range.address.wrapping_add(at);
            let found = if range.has(at, bytes.into()) { element(g, op.ty, address) } else { Some(0) };
            let Some(found) = found else { return fail(g, address, bytes, Access::Read) };
            *word = found;
        }
    }
    g.write_cells_late(op.dst[0], words, op.next - 1);
    Step::Next
}

/// Stores the `arity` cells `dst[0]`, which the encoding calls the destination.
pub fn store(g: &mut Group, op: &Op) -> Step {
    let range = match range(g, op) {
        Ok(range) => range,
        Err(message) => return bad_descriptor(g, message),
    };
    g.writer = op.next - 1;
    for i in (0..u64::from(op.arity)).filter(|i| range.has(4 * i, 4)) {
        let word = g.predicate(op.dst[0] + 4 * i as u32);
        let at = [range.address.wrapping_add(4 * i); LANES];
        if let Err((lane, kind)) = g.store(Space::Global, &at, 1, &[word; LANES], false) {
            return g.fail(lane, kind);
        }
    }
    Step::Next
}

/// Bits of `words` cells.
fn bits(g: &Group, at: u32, words: u32) -> u128 {
    (0..words).fold(0, |all, i| all | u128::from(g.predicate(at + 4 * i)) << (32 * i))
}

/// Changes the element at the address by what the cells `dst[0]` hold; the old value goes there late if `wide` says so.
fn change<T: Element>(g: &mut Group, op: &Op, f: impl Fn(T) -> T) -> Step {
    let range = match range(g, op) {
        Ok(range) => range,
        Err(message) => return bad_descriptor(g, message),
    };
    let words = op.ty.bits() / 32;
    let mut old = [T::default(); LANES];
    if range.has(0, 4 * u64::from(words)) {
        g.writer = op.next - 1;
        if let Err((lane, kind)) = g.update(Space::Global, &[range.address; LANES], 1, &mut old, |_, _, old| f(old)) {
            return g.fail(lane, kind);
        }
    }
    if op.wide {
        let old: [u32; 2] = std::array::from_fn(|i| (old[0].to_bits() >> (32 * i)) as u32);
        g.write_cells_late(op.dst[0], &old[..words as usize], op.next - 1);
    }
    g.polled();
    Step::Next
}

/// Combines the element with the cells.
fn atomic<T: Atomic>(g: &mut Group, op: &Op) -> Step {
    let b = T::from_bits(bits(g, op.dst[0], op.ty.bits() / 32));
    let operation = op.mods.op;
    change(g, op, |old| T::combine(operation, false, old, b))
}

/// Replaces the element by the first of two values if it equals the second.
fn compare_and_swap<T: Element>(g: &mut Group, op: &Op) -> Step {
    let words = op.ty.bits() / 32;
    let [new, expected] = [0, words].map(|from| T::from_bits(bits(g, op.dst[0] + 4 * from, words)));
    change(g, op, |old: T| if old.to_bits() == expected.to_bits() { new } else { old })
}

fn choose_atomic(op: &Op) -> Option<Handler> {
    by_type!(atomic, op)
}

fn choose_compare_and_swap(op: &Op) -> Option<Handler> {
    Some(if op.ty.bits() == 64 { compare_and_swap::<u64> } else { compare_and_swap::<u32> })
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("scalar_memory::load", |_| Some(load)),
    group("scalar_memory::store", |_| Some(store)),
    group("scalar_memory::atomic", choose_atomic),
    group("scalar_memory::compare_and_swap", choose_compare_and_swap),
];
