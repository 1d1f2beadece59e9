//! Loads, stores, prefetches and fences.
//!
//! PTX ISA 9.4, 9.7.10 (ld, st), 9.7.15 (membar, fence). Memory is sequentially updated element by element; ordering of
//! different elements is the host's, with a host fence where the program asks for acquire, release or more. Cache
//! operators and eviction priorities are hints that the table checks and nothing here sees.

use crate::{Function, group};
use machine::memory::Failure;
use machine::mods::Semantics;
use machine::{Element, Group, Handler, LANES, Op, Step, Type, op::NONE};
use std::sync::atomic::{Ordering, fence};

/// Each lane's address: the base register, if any, plus the immediate offset.
#[inline(always)]
pub(crate) fn addresses(g: &Group, op: &Op, base: u32) -> [u64; LANES] {
    let offset = op.imm as i64 as u64;
    if base == NONE {
        return [offset; LANES];
    }
    let mut all = [0; LANES];
    if op.wide {
        let row: [u64; LANES] = g.row(base);
        for i in 0..LANES {
            all[i] = row[i].wrapping_add(offset);
        }
    } else {
        let row: [u32; LANES] = g.row(base);
        for i in 0..LANES {
            // A 32-bit address wraps at 32 bits.
            all[i] = u64::from(row[i].wrapping_add(offset as u32));
        }
    }
    all
}

/// Loads `arity` elements of type `M` a lane into registers of type `R`, widened.
fn load<M: Element, R: Element + From<M>>(g: &mut Group, op: &Op) -> Step {
    load_as::<M, R>(g, op, R::from)
}

#[inline(always)]
fn load_as<M: Element, R: Element>(g: &mut Group, op: &Op, widen: impl Fn(M) -> R) -> Step {
    let mask = g.active(op);
    if mask == 0 {
        return Step::Next;
    }
    let mut addresses = addresses(g, op, op.src[0]);
    if matches!(op.mods.sem, Semantics::Sc) {
        fence(Ordering::SeqCst);
    }
    for k in 0..op.arity {
        let mut values = [M::default(); LANES];
        if let Err(failure) = g.load(op.mods.space, &addresses, mask, &mut values) {
            return fail(g, failure);
        }
        let register = destination(g, op, k);
        let mut row = [R::default(); LANES];
        for i in 0..LANES {
            row[i] = widen(values[i]);
        }
        g.set_row(register, &row, mask);
        if op.arity > 1 {
            addresses.iter_mut().for_each(|a| *a = a.wrapping_add(size_of::<M>() as u64));
        }
    }
    match op.mods.sem {
        Semantics::Weak => {}
        Semantics::Acquire | Semantics::AcqRel | Semantics::Sc => {
            fence(Ordering::Acquire);
            g.polled();
        }
        _ => g.polled(),
    }
    Step::Next
}

/// The register of element `k`: named by the op itself, or by its list where there are several.
fn destination(g: &Group, op: &Op, k: u8) -> u32 {
    if op.arity == 1 { op.dst[0] } else { g.launch.tables.offsets[op.dst[0] as usize + usize::from(k)] }
}

/// Stores the low bits of `arity` registers of type `R` a lane as elements of type `M`.
fn store<R: Element, M: Element>(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    if mask == 0 {
        return Step::Next;
    }
    if !matches!(op.mods.sem, Semantics::Weak | Semantics::Relaxed | Semantics::Volatile | Semantics::Mmio) {
        fence(if op.mods.sem == Semantics::Sc { Ordering::SeqCst } else { Ordering::Release });
    }
    let mut addresses = addresses(g, op, op.src[0]);
    for k in 0..op.arity {
        let register = if op.arity == 1 { op.src[1] } else { g.launch.tables.offsets[op.src[1] as usize + usize::from(k)] };
        let row: [R; LANES] = g.row(register);
        let mut values = [M::default(); LANES];
        for i in 0..LANES {
            values[i] = M::from_bits(row[i].to_bits());
        }
        if let Err(failure) = g.store(op.mods.space, &addresses, mask, &values) {
            return fail(g, failure);
        }
        if op.arity > 1 {
            addresses.iter_mut().for_each(|a| *a = a.wrapping_add(size_of::<M>() as u64));
        }
    }
    Step::Next
}

pub(crate) fn fail(g: &mut Group, (lane, kind): Failure) -> Step {
    g.fail(lane, kind)
}

/// The load for an element and a register type: bits are widened by the element's sign.
fn choose_load(op: &Op) -> Option<Handler> {
    let (signed, from, to) = (op.ty.signed(), op.ty.bits(), op.reg.bits());
    Some(match (signed, from, to) {
        (_, 8, 8) => load::<u8, u8>,
        (_, 16, 16) => load::<u16, u16>,
        (_, 32, 32) => load::<u32, u32>,
        (_, 64, 64) => load::<u64, u64>,
        (_, 128, 128) => load::<u128, u128>,
        (false, 8, 16) => load::<u8, u16>,
        (false, 8, 32) => load::<u8, u32>,
        (false, 8, 64) => load::<u8, u64>,
        (false, 16, 32) => load::<u16, u32>,
        (false, 16, 64) => load::<u16, u64>,
        (false, 32, 64) => load::<u32, u64>,
        (true, 8, 16) => load::<i8, i16>,
        (true, 8, 32) => load::<i8, i32>,
        (true, 8, 64) => load::<i8, i64>,
        (true, 16, 32) => load::<i16, i32>,
        (true, 16, 64) => load::<i16, i64>,
        (true, 32, 64) => load::<i32, i64>,
        _ => return None,
    })
}

/// The store for a register and an element type.
fn choose_store(op: &Op) -> Option<Handler> {
    Some(match (op.reg.bits(), op.ty.bits()) {
        (8, 8) => store::<u8, u8>,
        (16, 8) => store::<u16, u8>,
        (16, 16) => store::<u16, u16>,
        (32, 8) => store::<u32, u8>,
        (32, 16) => store::<u32, u16>,
        (32, 32) => store::<u32, u32>,
        (64, 8) => store::<u64, u8>,
        (64, 16) => store::<u64, u16>,
        (64, 32) => store::<u64, u32>,
        (64, 64) => store::<u64, u64>,
        (128, 128) => store::<u128, u128>,
        _ => return None,
    })
}

/// Checks nothing and does nothing: a prefetch may be dropped.
pub fn prefetch(_: &mut Group, _: &Op) -> Step {
    Step::Next
}

/// A cache eviction policy: its bits are opaque and, since policies are hints, zero.
pub fn policy(g: &mut Group, op: &Op) -> Step {
    g.set_row(op.dst[0], &[0u64; LANES], g.active(op));
    Step::Next
}

/// Orders this thread's accesses before it against those after it, by the host's fence.
pub fn fence_all(g: &mut Group, op: &Op) -> Step {
    if g.active(op) != 0 {
        fence(match op.mods.sem {
            Semantics::Acquire => Ordering::Acquire,
            Semantics::Release => Ordering::Release,
            Semantics::AcqRel => Ordering::AcqRel,
            _ => Ordering::SeqCst,
        });
    }
    Step::Next
}

/// The address of a thread's local variable: the start of its frame's local memory plus the variable's offset.
pub fn local_address(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let start: [u32; LANES] = g.row(machine::state::LOCAL_START);
    if op.reg.bits() == 64 {
        let row = start.map(|s| u64::from(s).wrapping_add(op.imm as i64 as u64));
        g.set_row(op.dst[0], &row, mask);
    } else {
        g.set_row(op.dst[0], &start.map(|s| s.wrapping_add(op.imm as u32)), mask);
    }
    Step::Next
}

/// The device address of a kernel parameter.
pub fn param_address(g: &mut Group, op: &Op) -> Step {
    let address = g.launch.params_address.wrapping_add(op.imm as i64 as u64);
    let mask = g.active(op);
    if op.reg.bits() == 64 {
        g.set_row(op.dst[0], &[address; LANES], mask);
    } else {
        g.set_row(op.dst[0], &[address as u32; LANES], mask);
    }
    Step::Next
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("memory::load", choose_load),
    group("memory::store", choose_store),
    group("memory::prefetch", |_| Some(prefetch)),
    group("memory::policy", |_| Some(policy)),
    group("memory::fence", |_| Some(fence_all)),
    group("memory::local_address", |op| matches!(op.reg, Type::U32 | Type::U64).then_some(local_address as Handler)),
];
