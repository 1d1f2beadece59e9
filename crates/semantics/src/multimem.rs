//! Loads, stores and reductions of multicast addresses, each of which stands for one location on every device of a group.
//!
//! PTX ISA 9.4, 9.7.10.13, 9.7.10.15, 9.7.10.28.4.4, 9.7.10.28.4.5, 9.7.15.8. What the manual leaves open: a load reduces from the first device to
//! the last, rounding to nearest even after each step; sums in 8-bit formats saturate, as conversions to these formats do; subnormal
//! numbers are kept. Each location is changed atomically by itself.

use crate::asynchronous::issue;
use crate::atomic::{Atomic, by_type, extreme, reducer};
use crate::bulk::{aligned, in_space, multiple_of_unit};
use crate::convert::number_format;
use crate::memory::{addresses, fail};
use crate::{Function, Named, group, named, source_of, source_row};
use machine::job::{Completion, Job, Source, Target, Work, Write};
use machine::lane::{Bf16x2, F16x2};
use machine::mods::{Format, Operation, Semantics, Space};
use machine::multicast::Replicas;
use machine::state::{Access, FaultKind, lanes};
use machine::{Element, Group, Handler, LANES, Op, Step, Type};
use numerics::{Bf16, F16, PackOptions, Rounding, exact, pack, unpack};
use std::sync::atomic::{Ordering, fence};

/// The register of element `k` of a vector, or of the only one.
fn register(g: &Group, op: &Op, operand: u32, k: usize) -> u32 {
    if op.arity == 1 { operand } else { g.launch.tables.offsets[operand as usize + k] }
}

/// The locations that a lane's vector has.
fn locations(g: &Group, op: &Op, address: u64, access: Access) -> Result<Replicas, FaultKind> {
    let size = op.ty.bits() / 8 * u32::from(op.arity);
    g.launch.memory.replicas(address, size, size, access)
}

/// Loads the elements at all locations of each lane's address and combines them.
fn load_reduced<T: Element>(g: &mut Group, op: &Op, combine: impl Fn(&[T]) -> T) -> Step {
    let (mask, at) = (g.active(op), addresses(g, op, op.src[0]));
    if mask == 0 {
        return Step::Next;
    }
    for k in 0..usize::from(op.arity) {
        let mut row = [T::default(); LANES];
        for i in lanes(mask) {
            let loaded = locations(g, op, at[i], Access::Read)
                .and_then(|replicas| g.load_replicas(&replicas, (k * size_of::<T>()) as u64));
            match loaded {
                Ok(all) => row[i] = combine(&all),
                Err(kind) => return fail(g, (i as u32, kind)),
            }
        }
        let to = register(g, op, op.dst[0], k);
        if to != machine::op::NONE {
            g.set_row(to, &row, mask);
        }
    }
    if op.mods.sem != Semantics::Weak {
        if op.mods.sem == Semantics::Acquire {
            fence(Ordering::Acquire);
            g.synchronised(mask);
            g.acquired();
        }
        g.polled();
    }
    Step::Next
}

/// Loads from all locations of the address and reduces what is loaded, device by device.
fn load_reduce<T: Atomic>(g: &mut Group, op: &Op) -> Step {
    let operation = op.mods.op;
    load_reduced(g, op, |all: &[T]| {
        let (first, rest) = all.split_first().map_or((T::default(), all), |(first, rest)| (*first, rest));
        rest.iter().fold(first, |sum, b| T::combine(operation, false, sum, *b))
    })
}

/// The same of numbers of formats that are added in another one, or that have no type of their own, however many are in an element.
fn load_reduce_formats<T: Element>(g: &mut Group, op: &Op) -> Step {
    let (operation, own) = (op.mods.op, op.mods.from);
    let between = if op.mods.to == Format::Register { own } else { op.mods.to };
    let (Some(format), Some(between)) = (number_format(own), number_format(between)) else { return Step::Next };
    let width = 1 + format.magnitude_bits();
    load_reduced(g, op, |all: &[T]| {
        let part = |n: u32, bits: u128| (bits >> (n * width)) as u64 & ((1 << width) - 1);
        let reduced = (0..T::TYPE.bits() / width).fold(0, |reduced, n| {
            let values = all.iter().map(|element| part(n, element.to_bits()));
            reduced | u128::from(reduce_numbers(operation, format, between, values)) << (n * width)
        });
        T::from_bits(reduced)
    })
}

/// Adds numbers of a format in another one, or takes the least or greatest of them.
fn reduce_numbers(
    operation: Operation,
    format: &numerics::Format,
    between: &numerics::Format,
    mut values: impl Iterator<Item = u64>,
) -> u64 {
    let Some(first) = values.next() else { return 0 };
    if operation != Operation::Add {
        let shift = 15 - format.magnitude_bits();
        let nan = |bits: u64| unpack(format, bits).class == numerics::Class::Nan;
        return values.fold(first, |a, b| {
            (extreme(operation, [(a << shift) as u16, (b << shift) as u16], [nan(a), nan(b)]) >> shift).into()
        });
    }
    let rounded = |format: &numerics::Format, value| {
        let options = PackOptions { saturate_finite: format.magnitude_bits() < 8, ..PackOptions::default() };
        pack(format, &value, Rounding::NearestEven, options)
    };
    let start = rounded(between, unpack(format, first));
    let add = |sum, value| exact::add(unpack(between, sum), unpack(format, value), Rounding::NearestEven);
    let sum = values.fold(start, |sum, value| rounded(between, add(sum, value)));
    rounded(format, unpack(between, sum))
}

/// Stores to all locations of the address.
fn store<T: Element>(g: &mut Group, op: &Op) -> Step {
    if op.mods.sem == Semantics::Release {
        fence(Ordering::Release);
    }
    to_locations::<T>(g, op, Access::Write, |g, replicas, offset, b| g.store_replicas(replicas, offset, b))
}

/// Combines `b` with what is at each location of the address.
fn reduce<T: Atomic>(g: &mut Group, op: &Op) -> Step {
    if op.mods.sem == Semantics::Release {
        fence(Ordering::Release);
    }
    let operation = op.mods.op;
    to_locations::<T>(g, op, Access::Atomic, |g, replicas, offset, b| {
        g.update_replicas(replicas, offset, |old| T::combine(operation, false, old, b))
    })
}

/// Does something with the locations of each lane's address and the elements of `b`.
fn to_locations<T: Element>(
    g: &mut Group,
    op: &Op,
    access: Access,
    act: impl Fn(&mut Group, &Replicas, u64, T) -> Result<(), FaultKind>,
) -> Step {
    let (mask, at) = (g.active(op), addresses(g, op, op.src[0]));
    for k in 0..usize::from(op.arity) {
        let row: [T; LANES] = g.row(register(g, op, op.src[1], k));
        for i in lanes(mask) {
            let done =
                locations(g, op, at[i], access).and_then(|replicas| act(g, &replicas, (k * size_of::<T>()) as u64, row[i]));
            if let Err(kind) = done {
                return fail(g, (i as u32, kind));
            }
        }
    }
    Step::Next
}

/// Starts to store `b` to all locations of the address.
pub fn start_store(g: &mut Group, op: &Op) -> Step {
    each_value(g, op, Write::Copy)
}

/// Starts to combine `b` with what is at each location of the address.
pub fn start_reduce_value(g: &mut Group, op: &Op) -> Step {
    let Some(reducer) = op.mods.element.and_then(reducer) else { return Step::Next };
    each_value(g, op, Write::Reduce(op.mods.op, reducer))
}

fn each_value(g: &mut Group, op: &Op, write: Write) -> Step {
    let to: [u64; LANES] = source_of(g, op, 0).unwrap_or_default();
    let values = crate::asynchronous::bits(g, op.ty, source_row(g, op, 1));
    // A register may be wider than what is stored.
    let size = op.mods.element.map_or(op.ty.bits(), Type::bits) / 8;
    for i in lanes(g.active(op)) {
        let replicas = match g.launch.memory.replicas(to[i], size, size, Access::Write) {
            Ok(replicas) => replicas,
            Err(kind) => return fail(g, (i as u32, kind)),
        };
        let source = Source::Value(values[i].to_le_bytes(), size as u8);
        let step = start(g, op, i, (source, write), &replicas, Completion::None);
        if step != Step::Next {
            return step;
        }
    }
    Step::Next
}

/// Issues the jobs that write to all locations.
fn start(g: &mut Group, op: &Op, lane: usize, (source, write): (Source, Write), to: &Replicas, completion: Completion) -> Step {
    let site = g.site(op, lane);
    for address in to.addresses() {
        let target = Target { address, ranks: 0, write };
        let step = issue(g, Job::new(Work::Move(source, target), completion, site));
        if step != Step::Next {
            return step;
        }
    }
    Step::Next
}

/// Starts to copy `size` bytes of the block's shared memory at `from` to all locations of the addresses from `to` on.
pub fn start_copy(g: &mut Group, op: &Op) -> Step {
    let masks: Option<[u16; LANES]> = source_of(g, op, 3);
    start_ranges(g, op, |i| masks.map_or(Write::Copy, |masks| Write::Some(masks[i])))
}

/// Starts to combine the elements in `size` bytes of the block's shared memory at `from` with those at all locations from `to` on.
pub fn start_reduce(g: &mut Group, op: &Op) -> Step {
    let Some(reducer) = op.mods.element.and_then(reducer) else { return Step::Next };
    start_ranges(g, op, |_| Write::Reduce(op.mods.op, reducer))
}

fn start_ranges(g: &mut Group, op: &Op, write: impl Fn(usize) -> Write) -> Step {
    let [to, from]: [[u64; LANES]; 2] = [0, 1].map(|i| source_of(g, op, i).unwrap_or_default());
    let sizes: [u32; LANES] = source_of(g, op, 2).unwrap_or_default();
    for i in lanes(g.active(op)) {
        let replicas = match check_range(g, to[i], from[i], sizes[i]) {
            Ok(replicas) => replicas,
            Err(kind) => return fail(g, (i as u32, kind)),
        };
        if sizes[i] == 0 {
            continue;
        }
        let completion = Completion::Group(g.warp.committed[crate::asynchronous::JOBS][i]);
        let step = start(g, op, i, (Source::Memory(from[i], sizes[i], [0; 2]), write(i)), &replicas, completion);
        if step != Step::Next {
            return step;
        }
    }
    Step::Next
}

fn check_range(g: &mut Group, to: u64, from: u64, size: u32) -> Result<Replicas, FaultKind> {
    multiple_of_unit(size)?;
    in_space(g, Space::Shared, from)?;
    aligned(from, Access::Read)?;
    g.cluster.range(g.launch.memory, from, size, Access::Read)?;
    aligned(to, Access::Write)?;
    g.launch.memory.replicas(to, size, 1, Access::Write)
}

/// `f` for the width of the op's type.
macro_rules! by_width {
    ($f:ident, $op:expr) => {
        Some(match $op.ty.bits() {
            8 => $f::<u8>,
            16 => $f::<u16>,
            32 => $f::<u32>,
            64 => $f::<u64>,
            _ => return None,
        })
    };
}

fn choose_load_reduce(op: &Op) -> Option<Handler> {
    if matches!(op.mods.from, Format::E4m3 | Format::E5m2) || op.mods.to != Format::Register {
        return by_width!(load_reduce_formats, op);
    }
    by_type!(load_reduce, op)
}

fn choose_reduce(op: &Op) -> Option<Handler> {
    by_type!(reduce, op)
}

fn choose_store(op: &Op) -> Option<Handler> {
    by_width!(store, op)
}

const VALUE: Named = Named { sources: &[("a", 1), ("b", 1)], results: &[] };
const RANGE: Named = Named { sources: &[("to", 1), ("from", 1), ("size", 1), ("bytes", 1)], results: &[] };

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("multimem::load_reduce", choose_load_reduce),
    group("multimem::store", choose_store),
    group("multimem::reduce", choose_reduce),
    named("multimem::start_store", &VALUE, |_| Some(start_store)),
    named("multimem::start_reduce_value", &VALUE, |_| Some(start_reduce_value)),
    named("multimem::start_copy", &RANGE, |_| Some(start_copy)),
    named("multimem::start_reduce", &RANGE, |_| Some(start_reduce)),
];
