//! Atomic operations on global and shared memory.
//!
//! PTX ISA 9.4, 9.7.15.5 (atom), 9.7.15.6 (red). Lanes are served in their order, each by itself; the elements of a vector or of a
//! packed type are atomic each by itself. The operation is relaxed, with the host's fences around it where the program asks for
//! more. A scope narrower than the system is treated as the system.

use crate::float::Float;
use crate::memory::{addresses, fail, waited_for_lanes};
use crate::operand::cell_or_zero;
use crate::{Function, group, ieee};
use machine::job::Reducer;
use machine::lane::{Bf16x2, F16x2};
use machine::memory::Cells;
use machine::mods::{Operation, Semantics, Space};
use machine::pieces::arrived;
use machine::state::Access;
use machine::{Element, FULL, Group, Handler, Int, LANES, Mods, Op, Step, Type, op::NONE};
use numerics::{Bf16, F16, Rounding, add_bf16, add_f16, add_f32, add_f64, flush_f32};
use std::sync::atomic::{Ordering, fence};

/// A type that atomic operations work on.
pub(crate) trait Atomic: Element {
    /// What memory holds afterwards where it held `old`; `b` is the instruction's operand. `flush`: subnormal numbers count as zero.
    fn combine(op: Operation, flush: bool, old: Self, b: Self) -> Self;
}

/// Changes the element at each lane's address and gives what it was before.
fn atom<T: Atomic>(g: &mut Group, op: &Op) -> Step {
    if !matches!(op.mods.sem, Semantics::Weak | Semantics::Relaxed | Semantics::Acquire) {
        fence(Ordering::Release);
    }
    let step = change::<T>(g, op);
    if matches!(op.mods.sem, Semantics::Acquire | Semantics::AcqRel) {
        fence(Ordering::Acquire);
        g.synchronised(g.active(op));
        g.acquired();
    }
    g.polled();
    step
}

/// Changes the element at each lane's address.
fn red<T: Atomic>(g: &mut Group, op: &Op) -> Step {
    if op.mods.sem == Semantics::Release {
        fence(Ordering::Release);
    }
    change::<T>(g, op)
}

/// Compares the element with `b` and, if the bits are equal, replaces it by `c`; gives what it was before.
fn compare_and_swap<T: Element>(g: &mut Group, op: &Op) -> Step {
    replace::<T>(g, op, |old, b, c| if old.to_bits() == b.to_bits() { c } else { old })
}

/// The same of numbers: zeros are equal, NaN equals nothing.
fn compare_and_swap_number<T: Float + PartialEq>(g: &mut Group, op: &Op) -> Step {
    replace::<T>(g, op, |old, b, c| if old == b { c } else { old })
}

/// Combines the element with two operands.
fn combine_two<T: Int<Mask = bool>>(g: &mut Group, op: &Op) -> Step {
    match op.mods.op {
        Operation::MaskOr => replace::<T>(g, op, |old, b, c| old.and(b.not()).or(c)),
        _ => replace::<T>(g, op, |old, b, c| T::select(old.lt(b), old.add(c), old.sub(b))),
    }
}

/// Replaces the element at each lane's address by what it and two operands make; gives what it was before, if there is room for it.
fn replace<T: Element>(g: &mut Group, op: &Op, f: impl Fn(T, T, T) -> T) -> Step {
    let mask = g.active(op);
    if mask == 0 {
        return Step::Next;
    }
    if g.has_pending()
        && let Err(failure) = waited_for_lanes(g, op, mask, Access::Atomic)
    {
        return fail(g, failure);
    }
    if !matches!(op.mods.sem, Semantics::Weak | Semantics::Relaxed | Semantics::Acquire) {
        fence(Ordering::Release);
    }
    g.writer = op.next - 1;
    let at = addresses(g, op, op.src[0]);
    let [b, c]: [[T; LANES]; 2] = [g.row(op.src[1]), g.row(op.src[2])];
    let mut old = [T::default(); LANES];
    if let Err(failure) = g.update(op.mods.space, &at, mask, &mut old, |_, i: usize, old: T| f(old, b[i], c[i])) {
        return fail(g, failure);
    }
    g.set_row(op.dst[0], &old, mask);
    if matches!(op.mods.sem, Semantics::Acquire | Semantics::AcqRel) {
        fence(Ordering::Acquire);
        g.synchronised(mask);
        g.acquired();
    }
    g.polled();
    Step::Next
}

/// Replaces the halves of the element by those of the operand whose highest bit is set, without that bit.
fn exchange_marked(g: &mut Group, op: &Op) -> Step {
    let half = |old: u64, b: u64, low: u32| {
        let (old, b) = ((old >> low) as u32, (b >> low) as u32);
        u64::from(if b >> 31 == 1 { b & 0x7fff_ffff } else { old }) << low
    };
    replace_by_one(g, op, |old, b| half(old, b, 0) | half(old, b, 32))
}

/// Takes so many arrivals as the operand says off a barrier in LDS.
fn arrive(g: &mut Group, op: &Op) -> Step {
    replace_by_one(g, op, arrived)
}

fn replace_by_one(g: &mut Group, op: &Op, f: impl Fn(u64, u64) -> u64) -> Step {
    let mut op = *op;
    op.src[2] = op.src[1];
    replace::<u64>(g, &op, |old, b, _| f(old, b))
}

/// Adds the number of active lanes to a counter, or subtracts it; `src[2]` is the cell of M0 whose upper half is added to the address, if it is. All lanes
/// get what the counter was before.
pub fn count(g: &mut Group, op: &Op) -> Step {
    let active = (0..u32::from(op.arity)).map(|half| g.predicate(op.guard + 4 * half).count_ones()).sum();
    if active == 0 {
        return Step::Next;
    }
    let at = g.named(op.mods.space, u64::from(cell_or_zero(g, op.src[2]) >> 16).wrapping_add(op.imm as u64));
    g.writer = op.next - 1;
    let (mut old, operation) = ([0; LANES], op.mods.op);
    let combine = |_, _, old: u32| integer(operation, old, active);
    if let Err(failure) = g.update(op.mods.space, &[at; LANES], 1, &mut old, combine) {
        return fail(g, failure);
    }
    for half in 0..u32::from(op.arity) {
        g.set_row(op.dst[0] + 128 * half, &[old[0]; LANES], FULL);
    }
    g.polled();
    Step::Next
}

fn change<T: Atomic>(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    if mask == 0 {
        return Step::Next;
    }
    if g.has_pending()
        && let Err(failure) = waited_for_lanes(g, op, mask, Access::Atomic)
    {
        return fail(g, failure);
    }
    g.writer = op.next - 1;
    let mut at = addresses(g, op, op.src[0]);
    // Subnormal numbers survive additions in shared memory, and everywhere with .noftz.
    let flush = |space| !op.mods.noftz() && !matches!(space, Space::Shared | Space::SharedCluster);
    // A result may share its register with a source: read all before writing one.
    let mut operands = [[T::default(); LANES]; 8];
    for k in 0..op.arity {
        operands[usize::from(k)] = g.row(element(g, op, op.src[1], k));
    }
    for k in 0..op.arity {
        let b = &operands[usize::from(k)];
        let mut old = [T::default(); LANES];
        let combine = |space, i: usize, old: T| T::combine(op.mods.op, flush(space), old, b[i]);
        if let Err(failure) = g.update(op.mods.space, &at, mask, &mut old, combine) {
            return fail(g, failure);
        }
        if op.dst[0] != NONE {
            g.set_row(element(g, op, op.dst[0], k), &old, mask);
        }
        at.iter_mut().for_each(|a| *a = a.wrapping_add(size_of::<T>() as u64));
    }
    Step::Next
}

/// Combines every element of a range with that of `bytes`; subnormal numbers are kept.
fn reduce_range<T: Atomic>(op: Operation, cells: &mut Cells, bytes: &[u8]) {
    for (i, bytes) in bytes.chunks_exact(size_of::<T>()).enumerate() {
        let mut bits = [0; 16];
        bits[..bytes.len()].copy_from_slice(bytes);
        let b = T::from_bits(u128::from_le_bytes(bits));
        cells.update(i, |old: T| T::combine(op, false, old, b));
    }
}

/// What reduces ranges of elements of a type.
pub(crate) fn reducer(ty: Type) -> Option<Reducer> {
    Some(match ty {
        Type::U32 => reduce_range::<u32>,
        Type::S32 => reduce_range::<i32>,
        Type::U64 => reduce_range::<u64>,
        Type::S64 => reduce_range::<i64>,
        Type::F16 => reduce_range::<F16>,
        Type::Bf16 => reduce_range::<Bf16>,
        Type::F32 => reduce_range::<f32>,
        Type::F64 => reduce_range::<f64>,
        _ => return None,
    })
}

/// The register of element `k`: the operand itself, or an entry of the list that it names.
fn element(g: &Group, op: &Op, operand: u32, k: u8) -> u32 {
    if op.arity == 1 { operand } else { g.launch.tables.offsets[operand as usize + usize::from(k)] }
}

/// Integers. `inc` counts up to `b` and `dec` down from it, both around.
fn integer<T: Int<Mask = bool>>(op: Operation, old: T, b: T) -> T {
    let (zero, one) = (T::int(0), T::int(1));
    match op {
        Operation::Add => old.add(b),
        Operation::Sub => old.sub(b),
        Operation::ReverseSub => b.sub(old),
        Operation::ClampedSub => T::select(old.lt(b), zero, old.sub(b)),
        Operation::ConditionalSub => T::select(old.lt(b), old, old.sub(b)),
        Operation::Min => old.lesser(b),
        Operation::Max => old.greater(b),
        Operation::And => old.and(b),
        Operation::Or => old.or(b),
        Operation::Xor => old.xor(b),
        Operation::Inc => T::select(old.lt(b), old.add(one), zero),
        Operation::ExchMarked => {
            let mark = one.shl(T::BITS - 1);
            T::select(b.and(mark).eq(zero), old, b.and(mark.not()))
        }
        Operation::Dec => T::select(old.eq(zero) | b.lt(old), b, old.sub(one)),
        _ => b,
    }
}

impl Atomic for u32 {
    fn combine(op: Operation, _: bool, old: u32, b: u32) -> u32 {
        integer(op, old, b)
    }
}

impl Atomic for i32 {
    fn combine(op: Operation, _: bool, old: i32, b: i32) -> i32 {
        integer(op, old, b)
    }
}

impl Atomic for u64 {
    fn combine(op: Operation, _: bool, old: u64, b: u64) -> u64 {
        integer(op, old, b)
    }
}

impl Atomic for i64 {
    fn combine(op: Operation, _: bool, old: i64, b: i64) -> i64 {
        integer(op, old, b)
    }
}

/// Exchanges only.
impl Atomic for u128 {
    fn combine(_: Operation, _: bool, _: u128, b: u128) -> u128 {
        b
    }
}

/// What keeps the payloads of NaNs, or orders numbers as AMD's atomics do; `None` for other operations.
fn numbers<T: Float + PartialOrd>(op: Operation, old: T, b: T) -> Option<T> {
    Some(match op {
        Operation::Lesser => {
            if b < old {
                b
            } else {
                old
            }
        }
        Operation::Greater => {
            if b > old {
                b
            } else {
                old
            }
        }
        Operation::Sum => ieee::add(Mods::default(), old, b),
        Operation::MinNumber => ieee::min_num(Mods::default(), b, old),
        Operation::MaxNumber => ieee::max_num(Mods::default(), b, old),
        _ => return None,
    })
}

/// Extremes, and sums rounded to nearest even.
impl Atomic for f32 {
    fn combine(op: Operation, flush: bool, old: f32, b: f32) -> f32 {
        if let Some(number) = numbers(op, old, b) {
            return number;
        }
        let [old, b] = if flush { [flush_f32(old), flush_f32(b)] } else { [old, b] };
        let sum = add_f32(old, b, Rounding::NearestEven);
        if flush { flush_f32(sum) } else { sum }
    }
}

/// Extremes, and sums rounded to nearest even.
impl Atomic for f64 {
    fn combine(op: Operation, _: bool, old: f64, b: f64) -> f64 {
        numbers(op, old, b).unwrap_or_else(|| add_f64(old, b, Rounding::NearestEven))
    }
}

impl Atomic for F16 {
    fn combine(op: Operation, _: bool, old: F16, b: F16) -> F16 {
        match op {
            Operation::Add => add_f16(old, b),
            Operation::Sum => ieee::add(Mods::default(), old, b),
            _ => F16(extreme(op, [old.0, b.0], [old.is_nan(), b.is_nan()])),
        }
    }
}

impl Atomic for Bf16 {
    fn combine(op: Operation, _: bool, old: Bf16, b: Bf16) -> Bf16 {
        match op {
            Operation::Add => add_bf16(old, b),
            Operation::Sum => ieee::add(Mods::default(), old, b),
            _ => Bf16(extreme(op, [old.0, b.0], [old.is_nan(), b.is_nan()])),
        }
    }
}

impl Atomic for F16x2 {
    fn combine(op: Operation, flush: bool, old: F16x2, b: F16x2) -> F16x2 {
        old.map2(b, |old, b| F16::combine(op, flush, old, b))
    }
}

impl Atomic for Bf16x2 {
    fn combine(op: Operation, flush: bool, old: Bf16x2, b: Bf16x2) -> Bf16x2 {
        old.map2(b, |old, b| Bf16::combine(op, flush, old, b))
    }
}

/// The lesser or greater of two 16-bit numbers by their bits: NaN loses, and +0 is greater than -0.
pub(crate) fn extreme(op: Operation, [a, b]: [u16; 2], nan: [bool; 2]) -> u16 {
    // Negative numbers are ordered against their bits.
    let key = |x: u16| (x ^ (((x as i16) >> 15) as u16 >> 1)) as i16;
    match nan {
        [true, true] => 0x7fff,
        [true, false] => b,
        [false, true] => a,
        _ if (key(a) < key(b)) == (op == Operation::Min) => a,
        _ => b,
    }
}

/// `f` for the type of the op, of those that sum up, combine or exchange.
macro_rules! by_type {
    ($f:ident, $op:expr) => {
        Some(match $op.ty {
            Type::U32 => $f::<u32>,
            Type::S32 => $f::<i32>,
            Type::U64 => $f::<u64>,
            Type::S64 => $f::<i64>,
            Type::F32 => $f::<f32>,
            Type::F64 => $f::<f64>,
            Type::F16 => $f::<F16>,
            Type::Bf16 => $f::<Bf16>,
            Type::F16x2 => $f::<F16x2>,
            Type::Bf16x2 => $f::<Bf16x2>,
            _ => return None,
        })
    };
}

pub(crate) use by_type;

fn choose_atom(op: &Op) -> Option<Handler> {
    if op.ty == Type::U128 {
        return Some(atom::<u128>);
    }
    by_type!(atom, op)
}

fn choose_red(op: &Op) -> Option<Handler> {
    by_type!(red, op)
}

fn choose_compare_and_swap(op: &Op) -> Option<Handler> {
    Some(match op.ty.bits() {
        16 => compare_and_swap::<u16>,
        32 => compare_and_swap::<u32>,
        64 => compare_and_swap::<u64>,
        128 => compare_and_swap::<u128>,
        _ => return None,
    })
}

fn choose_compare_and_swap_number(op: &Op) -> Option<Handler> {
    Some(match op.ty {
        Type::F32 => compare_and_swap_number::<f32>,
        Type::F64 => compare_and_swap_number::<f64>,
        _ => return None,
    })
}

fn choose_combine_two(op: &Op) -> Option<Handler> {
    Some(match op.ty {
        Type::U32 => combine_two::<u32>,
        Type::U64 => combine_two::<u64>,
        _ => return None,
    })
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("atomic::atom", choose_atom),
    group("atomic::red", choose_red),
    group("atomic::compare_and_swap", choose_compare_and_swap),
    group("atomic::compare_and_swap_number", choose_compare_and_swap_number),
    group("atomic::combine_two", choose_combine_two),
    group("atomic::count", |_| Some(count)),
    group("atomic::exchange_marked", |_| Some(exchange_marked)),
    group("atomic::arrive", |_| Some(arrive)),
];
