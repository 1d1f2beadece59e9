//! Loads, stores, prefetches and fences.
//!
//! PTX ISA 9.4, 9.7.10 (ld, st), 9.7.15 (membar, fence). Memory is sequentially updated element by element; ordering of
//! different elements is the host's, with a host fence where the program asks for acquire, release or more. Cache
//! operators and eviction priorities are hints that the table checks and nothing here sees.

use crate::{Function, group};
use machine::memory::{Failure, in_window};
use machine::mods::{Semantics, Space};
use machine::proxy::Fenced;
use machine::row::host_has_avx2;
use machine::state::{Access, FaultKind, lanes};
use machine::{Element, FULL, Group, Handler, Int, LANES, Op, Step, Type, op::NONE};
use std::sync::atomic::{Ordering, fence};

/// Each lane's address: the base register, if any, plus the immediate offset.
#[inline(always)]
pub(crate) fn addresses(g: &Group, op: &Op, base: u32) -> [u64; LANES] {
    let offset = op.imm as i64 as u64;
    if base == NONE {
        return [g.named(op.mods.space, offset); LANES];
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

/// Loads `arity` elements of type `M` a lane into registers of type `R`, widened: the usual patterns of full warps here, others by
/// [`load_any`]. `V` is the vector as one element, `A` the type of the address register.
#[inline(always)]
unsafe fn load<M: Element, R: Element + From<M>, V: Element, A: Int<Mask = bool>, const AVX2: bool>(
    g: &mut Group,
    op: &Op,
) -> Step {
    if g.is_full(op)
        && op.mods.sem == Semantics::Weak
        && !g.has_pending()
        && let Some(halves) = g.halves::<A, AVX2>(op, size_of::<V>(), Access::Read)
    {
        if op.mods.space == Space::Global {
            halves.fetch_ahead(g, op);
        }
        // SAFETY: found for vectors of this size; `choose_load` chose this handler by the registers' type.
        unsafe { halves.load::<M, R, V, AVX2>(g, |k| destination(g, op, k)) };
        return Step::Next;
    }
    // SAFETY: with AVX2 the host has it.
    unsafe { if AVX2 { load_any_avx2::<M, R>(g, op) } else { load_any::<M, R>(g, op) } }
}

/// Loads one element of an address that the instruction names, for all lanes.
fn load_named<M: Element, R: Element + From<M>>(g: &mut Group, op: &Op) -> Step {
    if op.arity == 1
        && op.mods.sem == Semantics::Weak
        && !matches!(op.mods.space, Space::Generic | Space::Local)
        && !g.has_pending()
        && let Some(value) = g.load_one::<M>(op.mods.space, g.named(op.mods.space, op.imm as i64 as u64))
    {
        g.set_row(op.dst[0], &[R::from(value); LANES], g.active(op));
        return Step::Next;
    }
    load_any::<M, R>(g, op)
}

/// [`load_any`], compiled for AVX2.
#[inline(never)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt"))]
unsafe fn load_any_avx2<M: Element, R: Element + From<M>>(g: &mut Group, op: &Op) -> Step {
    load_lanes_or_rows::<M, R>(g, op)
}

/// Loads whatever the pattern.
#[inline(never)]
fn load_any<M: Element, R: Element + From<M>>(g: &mut Group, op: &Op) -> Step {
    load_lanes_or_rows::<M, R>(g, op)
}

#[inline(always)]
fn load_lanes_or_rows<M: Element, R: Element + From<M>>(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    if mask == 0 {
        return Step::Next;
    }
    if op.mods.sem == Semantics::Sc {
        fence(Ordering::SeqCst);
    }
    if let Err((lane, kind)) = waited_for(g, op, mask, Access::Read) {
        return g.fail(lane, kind);
    }
    if !load_rows::<M, R>(g, op, mask)
        && let Err((lane, kind)) = load_lanes::<M, R>(g, op, mask)
    {
        return g.fail(lane, kind);
    }
    match op.mods.sem {
        Semantics::Weak => {}
        Semantics::Acquire | Semantics::AcqRel | Semantics::Sc => {
            fence(Ordering::Acquire);
            g.synchronised(mask);
            g.acquired();
            g.polled();
        }
        _ => {
            // What it has found may be what it waited for.
            g.synchronised(mask);
            g.polled();
        }
    }
    Step::Next
}

/// Loads one value of LDS for all lanes, to the rows `dst[0]`: the cell `src[0]`, M0, has its address in bits 15:0 and what it is in bits 18:16. With `dst[1]`
/// the lanes of each four of which one is active go there.
pub fn load_direct(g: &mut Group, op: &Op) -> Step {
    let m0 = g.predicate(op.src[0]);
    let halves = u32::from(op.arity);
    let active: Vec<u32> = (0..halves).map(|half| g.predicate(op.guard + 4 * half)).collect();
    let mut value = 0;
    if active.iter().any(|lanes| *lanes != 0) {
        value = match direct(g, m0) {
            Ok(value) => value,
            Err(kind) => return g.fail(0, kind),
        };
    }
    for (half, active) in (0..).zip(active) {
        g.set_row(op.dst[0] + 128 * half, &[value; LANES], FULL);
        if op.dst[1] != NONE {
            let first = (active | active >> 1 | active >> 2 | active >> 3) & 0x1111_1111;
            g.set_predicate(op.dst[1] + 4 * half, first * 15, FULL);
        }
    }
    Step::Next
}

/// The value that M0 names in LDS, as a word.
fn direct(g: &mut Group, m0: u32) -> Result<u32, FaultKind> {
    fn one<T: Element + Default>(g: &mut Group, m0: u32) -> Result<T, FaultKind> {
        let mut row = [T::default(); LANES];
        let at = g.named(Space::Shared, u64::from(m0 & 0xffff));
        g.load(Space::Shared, &[at; LANES], 1, &mut row).map_err(|(_, kind)| kind)?;
        Ok(row[0])
    }
    Ok(match m0 >> 16 & 7 {
        0 => one::<u8>(g, m0)?.into(),
        1 => one::<u16>(g, m0)?.into(),
        2 => one::<u32>(g, m0)?,
        4 => one::<u8>(g, m0)? as i8 as u32,
        5 => one::<u16>(g, m0)? as i16 as u32,
        kind => {
            let told = format!(
                "M0 says in bits 18:16 that the value in LDS is of kind {kind}, which there is not: there are 0, 1, 2, 4 and 5"
            );
            return Err(FaultKind::Other(told));
        }
    })
}

/// Looks whether plain accesses of lanes meet asynchronous work that is not done.
#[inline(always)]
fn waited_for(g: &mut Group, op: &Op, mask: u32, access: Access) -> Result<(), Failure> {
    if g.has_pending() && op.mods.sem == Semantics::Weak { waited_for_lanes(g, op, mask, access) } else { Ok(()) }
}

#[inline(never)]
pub(crate) fn waited_for_lanes(g: &mut Group, op: &Op, mask: u32, access: Access) -> Result<(), Failure> {
    let at = addresses(g, op, op.src[0]);
    let size = op.ty.bits() / 8 * u32::from(op.arity);
    g.overlapping(op.mods.space, op.next - 1, &at, mask, size, access)?;
    g.waited_for(op.mods.space, op.next - 1, &at, mask, size, access)
}

/// All lanes in one piece of memory. A vector is loaded as one element.
#[inline(always)]
fn load_rows<M: Element, R: Element + From<M>>(g: &mut Group, op: &Op, mask: u32) -> bool {
    if op.src[0] == NONE {
        return false;
    }
    if op.wide { load_vectors::<M, R, u64>(g, op, mask) } else { load_vectors::<M, R, u32>(g, op, mask) }
}

#[inline(always)]
fn load_vectors<M: Element, R: Element + From<M>, A: Int<Mask = bool>>(g: &mut Group, op: &Op, mask: u32) -> bool {
    let each = |g: &Group, k: usize| destination(g, op, k);
    if op.arity == 1 {
        return g.load_rows::<M, R, M, A>(op, mask, each);
    }
    // Wide registers for narrow elements of vectors are rare: they go lane by lane.
    if size_of::<R>() > 2 * size_of::<M>() {
        return false;
    }
    match usize::from(op.arity) * size_of::<M>() {
        4 => g.load_rows::<M, R, u32, A>(op, mask, each),
        8 => g.load_rows::<M, R, u64, A>(op, mask, each),
        16 => g.load_rows::<M, R, u128, A>(op, mask, each),
        _ => false,
    }
}

/// Any case, element by element.
#[inline(never)]
fn load_lanes<M: Element, R: Element + From<M>>(g: &mut Group, op: &Op, mask: u32) -> Result<(), Failure> {
    let mut addresses = addresses(g, op, op.src[0]);
    aligned(op, mask, &addresses, Access::Read)?;
    for k in 0..usize::from(op.arity) {
        let mut values = [M::default(); LANES];
        let odd = unaligned::<M>(op, mask, &addresses);
        g.load(op.mods.space, &addresses, mask & !odd, &mut values)?;
        if odd != 0 {
            load_bytes(g, op.mods.space, &addresses, odd, &mut values)?;
        }
        g.set_row(destination(g, op, k), &values.map(R::from), mask);
        addresses.iter_mut().for_each(|a| *a = a.wrapping_add(size_of::<M>() as u64));
    }
    Ok(())
}

/// A vector must be aligned as a whole. (That its elements are is checked where they are accessed, after their bounds.)
fn aligned(op: &Op, mask: u32, addresses: &[u64; LANES], access: Access) -> Result<(), Failure> {
    if op.arity == 1 || op.mods.unaligned() {
        return Ok(());
    }
    let size = op.ty.bits() / 8 * u32::from(op.arity);
    match lanes(mask).find(|i| !addresses[*i].is_multiple_of(size.into())) {
        Some(lane) => Err((lane as u32, FaultKind::Misaligned { address: addresses[lane], size, access })),
        None => Ok(()),
    }
}

/// The lanes whose element is not at a multiple of its size, where the instruction takes such addresses.
fn unaligned<M: Element>(op: &Op, mask: u32, addresses: &[u64; LANES]) -> u32 {
    if !op.mods.unaligned() {
        return 0;
    }
    lanes(mask).filter(|i| !addresses[*i].is_multiple_of(size_of::<M>() as u64)).fold(0, |odd, i| odd | 1 << i)
}

/// Loads elements byte by byte.
#[cold]
fn load_bytes<M: Element>(
    g: &mut Group,
    space: Space,
    addresses: &[u64; LANES],
    mask: u32,
    values: &mut [M; LANES],
) -> Result<(), Failure> {
    let mut bits = [0u128; LANES];
    for byte in 0..size_of::<M>() {
        let mut bytes = [0u8; LANES];
        g.load(space, &addresses.map(|address| address.wrapping_add(byte as u64)), mask, &mut bytes)?;
        lanes(mask).for_each(|i| bits[i] |= u128::from(bytes[i]) << (8 * byte));
    }
    lanes(mask).for_each(|i| values[i] = M::from_bits(bits[i]));
    Ok(())
}

/// Stores elements byte by byte.
#[cold]
fn store_bytes<M: Element>(
    g: &mut Group,
    space: Space,
    addresses: &[u64; LANES],
    mask: u32,
    values: &[M; LANES],
    ordered: bool,
) -> Result<(), Failure> {
    for byte in 0..size_of::<M>() {
        let bytes = values.map(|value| (value.to_bits() >> (8 * byte)) as u8);
        g.store(space, &addresses.map(|address| address.wrapping_add(byte as u64)), mask, &bytes, ordered)?;
    }
    Ok(())
}

/// The register of element `k`: named by the op itself, or by its list where there are several.
#[inline(always)]
fn destination(g: &Group, op: &Op, k: usize) -> u32 {
    if op.arity == 1 { op.dst[0] } else { g.launch.tables.offsets[op.dst[0] as usize + k] }
}

/// Stores the low bits of `arity` registers of type `R` a lane as elements of type `M`: the usual patterns of full warps here, others
/// by [`store_any`]. `V` is the vector as one element, `A` the type of the address register.
#[inline(always)]
unsafe fn store<R: Element, M: Element, V: Element, A: Int<Mask = bool>, const AVX2: bool>(g: &mut Group, op: &Op) -> Step {
    if g.is_full(op)
        && op.mods.sem == Semantics::Weak
        && !g.watched
        && let Some(halves) = g.halves::<A, AVX2>(op, size_of::<V>(), Access::Write)
    {
        g.wrote = true;
        // SAFETY: found for vectors of this size; `choose_store` chose this handler by the registers' type.
        unsafe { halves.store::<R, M, V, AVX2>(g, |k| origin(g, op, k)) };
        return Step::Next;
    }
    // SAFETY: with AVX2 the host has it.
    unsafe { if AVX2 { store_any_avx2::<R, M>(g, op) } else { store_any::<R, M>(g, op) } }
}

/// [`store_any`], compiled for AVX2.
#[inline(never)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt"))]
unsafe fn store_any_avx2<R: Element, M: Element>(g: &mut Group, op: &Op) -> Step {
    store_lanes_or_rows::<R, M>(g, op)
}

/// Stores whatever the pattern.
#[inline(never)]
fn store_any<R: Element, M: Element>(g: &mut Group, op: &Op) -> Step {
    store_lanes_or_rows::<R, M>(g, op)
}

#[inline(always)]
fn store_lanes_or_rows<R: Element, M: Element>(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    if mask == 0 {
        return Step::Next;
    }
    if !matches!(op.mods.sem, Semantics::Weak | Semantics::Relaxed | Semantics::Volatile | Semantics::Mmio) {
        fence(if op.mods.sem == Semantics::Sc { Ordering::SeqCst } else { Ordering::Release });
    }
    if let Err((lane, kind)) = waited_for(g, op, mask, Access::Write) {
        return g.fail(lane, kind);
    }
    if !store_rows::<R, M>(g, op, mask)
        && let Err((lane, kind)) = store_lanes::<R, M>(g, op, mask)
    {
        return g.fail(lane, kind);
    }
    Step::Next
}

/// As [`load_rows`].
#[inline(always)]
fn store_rows<R: Element, M: Element>(g: &mut Group, op: &Op, mask: u32) -> bool {
    if op.src[0] == NONE {
        return false;
    }
    if op.wide { store_vectors::<R, M, u64>(g, op, mask) } else { store_vectors::<R, M, u32>(g, op, mask) }
}

/// As [`load_vectors`].
#[inline(always)]
fn store_vectors<R: Element, M: Element, A: Int<Mask = bool>>(g: &mut Group, op: &Op, mask: u32) -> bool {
    let each = |g: &Group, k: usize| origin(g, op, k);
    if op.arity == 1 {
        return g.store_rows::<R, M, M, A>(op, mask, each);
    }
    if size_of::<R>() > 2 * size_of::<M>() {
        return false;
    }
    match usize::from(op.arity) * size_of::<M>() {
        4 => g.store_rows::<R, M, u32, A>(op, mask, each),
        8 => g.store_rows::<R, M, u64, A>(op, mask, each),
        16 => g.store_rows::<R, M, u128, A>(op, mask, each),
        _ => false,
    }
}

/// As [`load_lanes`].
#[inline(never)]
fn store_lanes<R: Element, M: Element>(g: &mut Group, op: &Op, mask: u32) -> Result<(), Failure> {
    g.writer = op.next - 1;
    let ordered = op.mods.sem != Semantics::Weak;
    let mut addresses = addresses(g, op, op.src[0]);
    aligned(op, mask, &addresses, Access::Write)?;
    for k in 0..usize::from(op.arity) {
        let from = origin(g, op, k);
        // Vectors of 32 bytes may leave elements alone.
        if from != NONE {
            let row: [R; LANES] = g.row(from);
            let values = row.map(|value| M::from_bits(value.to_bits()));
            let odd = unaligned::<M>(op, mask, &addresses);
            g.store(op.mods.space, &addresses, mask & !odd, &values, ordered)?;
            if odd != 0 {
                store_bytes(g, op.mods.space, &addresses, odd, &values, ordered)?;
            }
        }
        addresses.iter_mut().for_each(|a| *a = a.wrapping_add(size_of::<M>() as u64));
    }
    Ok(())
}

/// The register of element `k`.
#[inline(always)]
fn origin(g: &Group, op: &Op, k: usize) -> u32 {
    if op.arity == 1 { op.src[1] } else { g.launch.tables.offsets[op.src[1] as usize + k] }
}

/// The handler of a load for this host, the address register and the vector's size.
fn loading<M: Element, R: Element + From<M>>(op: &Op) -> Handler {
    if op.src[0] == NONE {
        return load_named::<M, R>;
    }
    match (usize::from(op.arity) * size_of::<M>(), op.arity) {
        (_, 1) => loading_vectors::<M, R, M>(op),
        // Wide registers for narrow elements of vectors are rare.
        _ if size_of::<R>() > 2 * size_of::<M>() => load_any::<M, R>,
        (4, _) => loading_vectors::<M, R, u32>(op),
        (8, _) => loading_vectors::<M, R, u64>(op),
        (16, _) => loading_vectors::<M, R, u128>(op),
        _ => load_any::<M, R>,
    }
}

fn loading_vectors<M: Element, R: Element + From<M>, V: Element>(op: &Op) -> Handler {
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt"))]
    unsafe fn avx2<M: Element, R: Element + From<M>, V: Element, A: Int<Mask = bool>>(g: &mut Group, op: &Op) -> Step {
        // SAFETY: chosen where the host has AVX2.
        unsafe { load::<M, R, V, A, true>(g, op) }
    }
    fn baseline<M: Element, R: Element + From<M>, V: Element, A: Int<Mask = bool>>(g: &mut Group, op: &Op) -> Step {
        // SAFETY: asks for nothing of the host.
        unsafe { load::<M, R, V, A, false>(g, op) }
    }
    match (host_has_avx2(), op.wide) {
        (true, true) => avx2::<M, R, V, u64>,
        (true, false) => avx2::<M, R, V, u32>,
        (false, true) => baseline::<M, R, V, u64>,
        (false, false) => baseline::<M, R, V, u32>,
    }
}

/// The handler of a store for this host, the address register and the vector's size.
fn storing<R: Element, M: Element>(op: &Op) -> Handler {
    if op.src[0] == NONE {
        return store_any::<R, M>;
    }
    match (usize::from(op.arity) * size_of::<M>(), op.arity) {
        (_, 1) => storing_vectors::<R, M, M>(op),
        // Wide registers for narrow elements of vectors are rare.
        _ if size_of::<R>() > 2 * size_of::<M>() => store_any::<R, M>,
        (4, _) => storing_vectors::<R, M, u32>(op),
        (8, _) => storing_vectors::<R, M, u64>(op),
        (16, _) => storing_vectors::<R, M, u128>(op),
        _ => store_any::<R, M>,
    }
}

fn storing_vectors<R: Element, M: Element, V: Element>(op: &Op) -> Handler {
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt"))]
    unsafe fn avx2<R: Element, M: Element, V: Element, A: Int<Mask = bool>>(g: &mut Group, op: &Op) -> Step {
        // SAFETY: chosen where the host has AVX2.
        unsafe { store::<R, M, V, A, true>(g, op) }
    }
    fn baseline<R: Element, M: Element, V: Element, A: Int<Mask = bool>>(g: &mut Group, op: &Op) -> Step {
        // SAFETY: asks for nothing of the host.
        unsafe { store::<R, M, V, A, false>(g, op) }
    }
    match (host_has_avx2(), op.wide) {
        (true, true) => avx2::<R, M, V, u64>,
        (true, false) => avx2::<R, M, V, u32>,
        (false, true) => baseline::<R, M, V, u64>,
        (false, false) => baseline::<R, M, V, u32>,
    }
}

pub(crate) fn fail(g: &mut Group, (lane, kind): Failure) -> Step {
    g.fail(lane, kind)
}

/// The load for an element and a register type: bits are widened by the element's sign.
fn choose_load(op: &Op) -> Option<Handler> {
    let (signed, from, to) = (op.ty.signed(), op.ty.bits(), op.reg.bits());
    Some(match (signed, from, to) {
        (_, 8, 8) => loading::<u8, u8>(op),
        (_, 16, 16) => loading::<u16, u16>(op),
        (_, 32, 32) => loading::<u32, u32>(op),
        (_, 64, 64) => loading::<u64, u64>(op),
        (_, 128, 128) => loading::<u128, u128>(op),
        (false, 8, 16) => loading::<u8, u16>(op),
        (false, 8, 32) => loading::<u8, u32>(op),
        (false, 8, 64) => loading::<u8, u64>(op),
        (false, 16, 32) => loading::<u16, u32>(op),
        (false, 16, 64) => loading::<u16, u64>(op),
        (false, 32, 64) => loading::<u32, u64>(op),
        (true, 8, 16) => loading::<i8, i16>(op),
        (true, 8, 32) => loading::<i8, i32>(op),
        (true, 8, 64) => loading::<i8, i64>(op),
        (true, 16, 32) => loading::<i16, i32>(op),
        (true, 16, 64) => loading::<i16, i64>(op),
        (true, 32, 64) => loading::<i32, i64>(op),
        _ => return None,
    })
}

/// The store for a register and an element type.
fn choose_store(op: &Op) -> Option<Handler> {
    Some(match (op.reg.bits(), op.ty.bits()) {
        (8, 8) => storing::<u8, u8>(op),
        (16, 8) => storing::<u16, u8>(op),
        (16, 16) => storing::<u16, u16>(op),
        (32, 8) => storing::<u32, u8>(op),
        (32, 16) => storing::<u32, u16>(op),
        (32, 32) => storing::<u32, u32>(op),
        (64, 8) => storing::<u64, u8>(op),
        (64, 16) => storing::<u64, u16>(op),
        (64, 32) => storing::<u64, u32>(op),
        (64, 64) => storing::<u64, u64>(op),
        (128, 128) => storing::<u128, u128>(op),
        _ => return None,
    })
}

/// Checks nothing and does nothing: a prefetch may be dropped.
pub fn prefetch(_: &mut Group, _: &Op) -> Step {
    Step::Next
}

/// Bytes of a cache line, as hints on lines have it.
const LINE: u32 = 128;

/// A hint on a line of global memory: looks only whether there is one.
pub fn line_hint(g: &mut Group, op: &Op) -> Step {
    let at = addresses(g, op, op.src[0]);
    for i in lanes(g.active(op)) {
        let address = at[i];
        let checked = match address.is_multiple_of(LINE.into()) {
            false => Err(FaultKind::Misaligned { address, size: LINE, access: Access::Read }),
            true => g.place::<u8>(Space::Global, address, Access::Read).map(|_| ()),
        };
        if let Err(kind) = checked {
            return g.fail(i as u32, kind);
        }
    }
    Step::Next
}

/// A policy for the memory from `a` on: the range must be in global memory, as far as an address tells, and its sizes in order.
pub fn range_policy(g: &mut Group, op: &Op) -> Step {
    let at = addresses(g, op, op.src[0]);
    let [primary, total]: [[u32; LANES]; 2] = [1, 2].map(|k| g.row(op.src[k]));
    for i in lanes(g.active(op)) {
        if primary[i] > total[i] {
            let sizes = format!("a primary range of {} bytes within {} bytes in all: it cannot be larger", primary[i], total[i]);
            return g.fail(i as u32, FaultKind::Other(sizes));
        }
        if in_window(at[i]) {
            return g.fail(i as u32, FaultKind::BadTarget { value: at[i], wanted: "an address in global memory" });
        }
    }
    policy(g, op)
}

/// A policy for a fraction of accesses, which is above 0 and at most 1.
pub fn fraction_policy(g: &mut Group, op: &Op) -> Step {
    if op.src[0] != NONE {
        let fractions: [f32; LANES] = g.row(op.src[0]);
        if let Some(i) = lanes(g.active(op)).find(|i| !(fractions[*i] > 0.0 && fractions[*i] <= 1.0)) {
            let what = format!("a fraction of {}: it must be above 0 and at most 1", fractions[i]);
            return g.fail(i as u32, FaultKind::Other(what));
        }
    }
    policy(g, op)
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
        if !matches!(op.mods.sem, Semantics::Weak | Semantics::Release) {
            g.synchronised(g.active(op));
            g.acquired();
        }
    }
    Step::Next
}

/// Orders what this thread has written to memory of a space, to all of it where none is named, and what others had written that it has
/// synchronised with, before what the asynchronous proxy does afterwards.
pub fn fence_async(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    if op.mods.space != Space::Global {
        g.fence_proxy(Fenced::Shared, mask);
    }
    if matches!(op.mods.space, Space::Global | Space::Generic) {
        g.fence_proxy(Fenced::Global, mask);
    }
    fence_all(g, op)
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

/// The address of a variable in the own block's shared memory.
pub fn shared_address(g: &mut Group, op: &Op) -> Step {
    let address = g.named(Space::Shared, op.imm as i64 as u64);
    set_address(g, op, address)
}

/// The device address of a kernel parameter.
pub fn param_address(g: &mut Group, op: &Op) -> Step {
    let address = g.launch.params_address.wrapping_add(op.imm as i64 as u64);
    set_address(g, op, address)
}

/// Gives all lanes an address, in as many bits as the register has.
fn set_address(g: &mut Group, op: &Op, address: u64) -> Step {
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
    group("memory::load_direct", |_| Some(load_direct)),
    group("memory::fence_async", |_| Some(fence_async)),
    group("memory::prefetch", |_| Some(prefetch)),
    group("memory::line_hint", |_| Some(line_hint)),
    group("memory::policy", |_| Some(policy)),
    group("memory::range_policy", |_| Some(range_policy)),
    group("memory::fraction_policy", |_| Some(fraction_policy)),
    group("memory::fence", |_| Some(fence_all)),
    group("memory::local_address", |op| matches!(op.reg, Type::U32 | Type::U64).then_some(local_address as Handler)),
];
