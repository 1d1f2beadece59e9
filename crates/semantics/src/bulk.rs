//! Asynchronous copies and reductions of ranges.
//!
//! PTX ISA 9.4, 9.7.10.14 (st.bulk), 9.7.10.28.4 and 9.7.10.28.6. They become jobs ([`machine::job`]); what is wrong with addresses and sizes is
//! told when they are issued. Cache hints are checked by the table, and nothing here sees them. Bytes that .ignore_oob leaves out keep what was in
//! their place: the manual leaves open what they are.

use crate::asynchronous::{JOBS, issue_each};
use crate::atomic::reducer;
use crate::mbarrier::shared_address;
use crate::{Function, Named, group, named, source_of};
use machine::job::{Completion, Job, Source, Target, Work, Write, is_shared};
use machine::memory::SHARED_WINDOW;
use machine::mods::{Report, Space};
use machine::proxy::{Accessor, Reach};
use machine::state::{Access, FaultKind, Rule, lanes};
use machine::{Group, Handler, LANES, Op, Step};

/// What addresses and sizes of ranges are multiples of.
const UNIT: u32 = 16;

/// What one lane asks for.
struct Asked {
    to: u64,
    from: u64,
    size: u32,
    /// Bytes that are left out at the start and at the end.
    left_out: [u32; 2],
    bar: Option<u64>,
    ranks: Option<u32>,
}

/// Starts to copy `size` bytes from `from` to `to`.
pub fn copy(g: &mut Group, op: &Op) -> Step {
    let masks: Option<[u16; LANES]> = source_of(g, op, 8);
    start(g, op, |i| masks.map_or(Write::Copy, |masks| Write::Some(masks[i])))
}

/// Starts to combine the elements in `size` bytes at `from` with those at `to`.
pub fn reduce(g: &mut Group, op: &Op) -> Step {
    let Some(reducer) = op.mods.element.and_then(reducer) else { return Step::Next };
    start(g, op, |_| Write::Reduce(op.mods.op, reducer))
}

fn start(g: &mut Group, op: &Op, write: impl Fn(usize) -> Write) -> Step {
    let [to, from]: [[u64; LANES]; 2] = [0, 1].map(|i| source_of(g, op, i).unwrap_or_default());
    let [sizes, left, right]: [[u32; LANES]; 3] = [2, 3, 4].map(|i| source_of(g, op, i).unwrap_or_default());
    let bars: Option<[u64; LANES]> = source_of(g, op, 5);
    let ranks = multicast(g, op, 6);
    issue_each(g, op, |g, i| {
        let (bar, ranks) = (bars.map(|bars| bars[i]), ranks.map(|ranks| ranks[i]));
        let asked = Asked { to: to[i], from: from[i], size: sizes[i], left_out: [left[i], right[i]], bar, ranks };
        let completion = check(g, op, i, &asked)?.unwrap_or(Completion::Group(g.warp.committed[JOBS][i]));
        // Nobody could wait for nothing to arrive.
        if asked.size == 0 {
            return Ok(None);
        }
        let source = Source::Memory(asked.from, asked.size, asked.left_out.map(|bytes| bytes as u8));
        let target = Target { address: asked.to, ranks: asked.ranks.unwrap_or(0), write: write(i) };
        Ok(Some(Job::new(Work::Move(source, target), completion, g.site(op, i)).reporting(op.mods.report)))
    })
}

/// The masks of blocks that an operand holds in 16 or 32 bits.
pub(crate) fn multicast(g: &Group, op: &Op, entry: usize) -> Option<[u32; LANES]> {
    match op.mods.multicast() {
        true => source_of::<u32>(g, op, entry),
        false => source_of::<u16>(g, op, entry).map(|row| row.map(u32::from)),
    }
}

/// Looks at what a lane asks for, and tells the memory barrier object that will be told.
fn check(g: &mut Group, op: &Op, i: usize, asked: &Asked) -> Result<Option<Completion>, FaultKind> {
    let Asked { to, from, size, left_out, .. } = *asked;
    multiple_of_unit(size)?;
    if left_out.iter().any(|bytes| *bytes >= UNIT) {
        let message = format!("leaves out {} and {} bytes: at most 15 are possible", left_out[0], left_out[1]);
        return Err(FaultKind::rule(Rule::Size, message));
    }
    let [left, right] = left_out.map(|bytes| bytes.min(size));
    in_space(g, op.mods.source, from)?;
    aligned(from, Access::Read)?;
    aligned(to, Access::Write)?;
    let inside = size.saturating_sub(left + right);
    g.cluster.range(g.launch.memory, from.wrapping_add(left.into()), inside, Access::Read)?;
    in_space(g, op.mods.space, to)?;
    for address in targets(g, to, asked.ranks)? {
        g.cluster.range(g.launch.memory, address, size, Access::Write)?;
    }
    let Some(bar) = asked.bar else { return Ok(None) };
    shared_address(g, op.mods.space, bar)?;
    for address in targets(g, bar, asked.ranks)? {
        object_for(g, op, i, (address - SHARED_WINDOW) as u32)?;
    }
    Ok(Some(Completion::Mbarrier((bar - SHARED_WINDOW) as u32, size)))
}

/// Looks whether there is a memory barrier object at an address, which keeps what the copy reports.
pub(crate) fn object_for(g: &mut Group, op: &Op, i: usize, address: u32) -> Result<(), FaultKind> {
    g.object(address, i)?;
    match op.mods.report {
        Report::None => g.cluster.mbarrier(address).map(|_| ()),
        _ => g.cluster.reporting_mbarrier(address),
    }
}

/// The address, or those at its offset in all blocks of a mask.
pub(crate) fn targets(g: &Group, address: u64, ranks: Option<u32>) -> Result<Vec<u64>, FaultKind> {
    let Some(ranks) = ranks else { return Ok(vec![address]) };
    if ranks == 0 {
        return Err(FaultKind::rule(Rule::Size, "the mask of blocks is empty: nobody would get the bytes"));
    }
    let blocks = g.cluster.blocks();
    if let Some(rank) = lanes(ranks).map(|rank| rank as u32).find(|rank| *rank >= blocks) {
        return Err(FaultKind::NoBlock { rank, blocks });
    }
    Ok(lanes(ranks).map(|rank| machine::job::in_block(address, rank as u32)).collect())
}

/// Whether a generic address lies where the instruction says.
pub(crate) fn in_space(g: &Group, space: Space, address: u64) -> Result<(), FaultKind> {
    match space {
        Space::Shared | Space::SharedCluster => shared_address(g, space, address).map(|_| ()),
        _ if is_shared(address) => Err(FaultKind::BadTarget { value: address, wanted: "an address in global memory" }),
        _ => Ok(()),
    }
}

/// Whether a size is a multiple of the unit.
pub(crate) fn multiple_of_unit(size: u32) -> Result<(), FaultKind> {
    match size.is_multiple_of(UNIT) {
        true => Ok(()),
        false => Err(wrong_size(size.into(), UNIT)),
    }
}

fn wrong_size(size: u64, unit: u32) -> FaultKind {
    FaultKind::rule(Rule::Size, format!("a range of {size} bytes: the size must be a multiple of {unit}"))
}

/// Whether an address is a multiple of the unit.
pub(crate) fn aligned(address: u64, access: Access) -> Result<(), FaultKind> {
    let misaligned = FaultKind::Misaligned { address, size: UNIT, access };
    if address.is_multiple_of(UNIT.into()) { Ok(()) } else { Err(misaligned) }
}

/// Brings a range of global memory nearer, or changes its priority: looks only whether the range is one.
pub fn hint(g: &mut Group, op: &Op) -> Step {
    let from: [u64; LANES] = source_of(g, op, 0).unwrap_or_default();
    let sizes: [u32; LANES] = source_of(g, op, 1).unwrap_or_default();
    for i in lanes(g.active(op)) {
        let size = sizes[i];
        let checked = multiple_of_unit(size)
            .and_then(|()| aligned(from[i], Access::Read))
            .and_then(|()| in_space(g, Space::Global, from[i]))
            .and_then(|()| g.cluster.range(g.launch.memory, from[i], size, Access::Read).map(|_| ()));
        if let Err(kind) = checked {
            return g.fail(i as u32, kind);
        }
    }
    Step::Next
}

/// Makes a group of the jobs that each lane has started since its last one.
pub fn commit(g: &mut Group, op: &Op) -> Step {
    lanes(g.active(op)).for_each(|i| g.warp.committed[JOBS][i] += 1);
    Step::Next
}

/// Waits until at most `count` of the latest groups are unfinished, or have not read their sources.
pub fn wait_group(g: &mut Group, op: &Op) -> Step {
    let counts: [u32; LANES] = g.row(op.src[0]);
    for i in lanes(g.active(op)) {
        let before = g.warp.committed[JOBS][i].saturating_sub(counts[i]);
        let thread = [g.block.rank, g.warp.index, i as u32];
        if let Err(broken) = g.cluster.finish_groups(g.launch.memory, thread, before, op.mods.reading()) {
            return g.broken(broken);
        }
    }
    g.synchronised_at(g.active(op), Reach::Block, g.now());
    Step::Next
}

/// Sets `size` bytes of the block's shared memory at `to` to zero.
pub fn clear(g: &mut Group, op: &Op) -> Step {
    let to: [u64; LANES] = source_of(g, op, 0).unwrap_or_default();
    let sizes: [u64; LANES] = match op.ty.bits() {
        64 => source_of(g, op, 1).unwrap_or_default(),
        _ => source_of::<u32>(g, op, 1).unwrap_or_default().map(u64::from),
    };
    g.wrote = true;
    for i in lanes(g.active(op)) {
        let writer = g.accessor(op.next - 1, i, false);
        if let Err(kind) = clear_range(g, to[i], sizes[i], writer) {
            return g.fail(i as u32, kind);
        }
    }
    Step::Next
}

fn clear_range(g: &mut Group, to: u64, size: u64, writer: Option<Accessor>) -> Result<(), FaultKind> {
    if !size.is_multiple_of(8) {
        return Err(wrong_size(size, 8));
    }
    let at = shared_address(g, Space::Shared, to)?;
    if !at.is_multiple_of(8) {
        return Err(FaultKind::Misaligned { address: to, size: 8, access: Access::Write });
    }
    let len = u32::try_from(size).unwrap_or(u32::MAX);
    g.cluster.clear(at, len, writer)
}

fn choose_reduce(op: &Op) -> Option<Handler> {
    op.mods.element.and_then(reducer).map(|_| reduce as Handler)
}

const RANGE: Named = Named {
    sources: &[
        ("to", 1),
        ("from", 1),
        ("size", 1),
        ("left", 1),
        ("right", 1),
        ("bar", 1),
        ("mask", 1),
        ("policy", 1),
        ("bytes", 1),
    ],
    results: &[],
};
const HINT: Named = Named { sources: &[("from", 1), ("size", 1), ("policy", 1)], results: &[] };
const PRIORITY: Named = Named { sources: &[("a", 1), ("size", 1)], results: &[] };
const CLEAR: Named = Named { sources: &[("to", 1), ("size", 1), ("zero", 1)], results: &[] };

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    named("bulk::copy", &RANGE, |_| Some(copy)),
    named("bulk::reduce", &RANGE, choose_reduce),
    named("bulk::prefetch", &HINT, |_| Some(hint)),
    named("bulk::prioritise", &PRIORITY, |_| Some(hint)),
    group("bulk::commit", |_| Some(commit)),
    group("bulk::wait_group", |_| Some(wait_group)),
    named("bulk::clear", &CLEAR, |_| Some(clear)),
];
