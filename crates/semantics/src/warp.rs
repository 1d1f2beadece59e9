//! Exchanges between the lanes of a warp: shuffles, votes, matches, reductions.
//!
//! PTX ISA 9.4, 9.7.10.6 (shfl.sync), 9.7.15 (vote, match, redux, activemask, elect).
//! The `.sync` forms wait until every lane of their member mask that has not exited has arrived ([`gather`]); the older forms
//! without a mask take the lanes that happen to execute together.

use crate::{Function, group};
use machine::mods::{Mode, Operation};
use machine::state::{Wait, lanes};
use machine::{Element, FULL, Group, Handler, LANES, Mods, Op, Step, Type, op::NONE};

/// Waits for the lanes of each thread's member mask: `Ok` with the lanes that execute together now, `Err` with the step to
/// take while lanes are missing. `mask_row` is the offset of the row of member masks.
pub(crate) fn gather(g: &mut Group, op: &Op, mask_row: u32) -> Result<u32, Step> {
    let active = g.active(op);
    if active == 0 {
        return Err(Step::Next);
    }
    let members: [u32; LANES] = g.row(mask_row);
    let wanted = members[active.trailing_zeros() as usize];
    let uniform = lanes(active).all(|i| members[i] == wanted);
    // A lane outside its own mask is an error, which `meet` tells.
    let all =
        if uniform && active == wanted & !g.dead() && active & g.warp.met == 0 { active } else { meet(g, op, active, &members)? };
    g.together(all);
    Ok(all)
}

/// The slow way: lanes arrive in several groups, or with several masks.
#[inline(never)]
fn meet(g: &mut Group, op: &Op, active: u32, members: &[u32; LANES]) -> Result<u32, Step> {
    let pc = op.next - 1;
    let met = active & g.warp.met;
    if met != 0 {
        // Those who have been met go on; the others of this group come back.
        g.warp.met &= !met;
        if active & !met != 0 {
            g.park(active & !met, pc, Wait::Nothing);
        }
        if g.mask() & !active != 0 {
            g.park(g.mask() & !active, op.next, Wait::Nothing);
        }
        g.set_mask(met);
        return Ok(met);
    }
    for i in lanes(active) {
        if members[i] >> i & 1 == 0 {
            let kind = machine::state::FaultKind::rule(
                machine::state::Rule::Members,
                format!("the member mask 0x{:08x} lacks the executing lane {i}", members[i]),
            );
            return Err(g.fail(i as u32, kind));
        }
    }
    // Lanes already waiting at this very instruction.
    let waiting: u32 = g
        .warp
        .parked
        .iter()
        .filter(|p| p.pc == pc && p.base == g.base && matches!(p.wait, Wait::Lanes(..)))
        .map(|p| p.mask)
        .fold(0, |a, m| a | m);
    let wanted = members[active.trailing_zeros() as usize] & !g.dead();
    let same = lanes(active | waiting).filter(|i| members[*i] & !g.dead() == wanted).fold(0, |m, i| m | 1 << i);
    let kind = op.kind();
    let dead = g.dead();
    let alike = |wait: Wait| matches!(wait, Wait::Lanes(lanes, other) if other == kind && lanes & !dead == wanted);
    let elsewhere = g.warp.parked.iter().filter(|p| alike(p.wait)).fold(0, |m, p| m | p.mask) & !same;
    if (same | elsewhere) & wanted == wanted {
        // Divergent threads may stand at different instructions of one kind; each exchanges with those at its own.
        g.warp.met |= elsewhere;
        g.warp.parked.iter_mut().filter(|p| alike(p.wait) && p.mask & elsewhere != 0).for_each(|p| p.wait = Wait::Nothing);
        // Everyone of this mask is here: they run, the others of this group come back.
        if active & !same != 0 {
            g.park(active & !same, pc, Wait::Nothing);
        }
        if g.mask() & !active != 0 {
            g.park(g.mask() & !active, op.next, Wait::Nothing);
        }
        g.warp.parked.iter_mut().filter(|p| p.pc == pc && p.base == g.base).for_each(|p| p.mask &= !same);
        g.warp.parked.retain(|p| p.mask != 0);
        g.set_mask(same);
        return Ok(same);
    }
    if g.mask() & !active != 0 {
        g.park(g.mask() & !active, op.next, Wait::Nothing);
    }
    g.park(active, pc, Wait::Lanes(wanted, kind));
    Err(Step::Choose)
}

/// The lanes that take part: those of the member mask at `mask_row`, or all that execute together if there is none.
fn together(g: &mut Group, op: &Op, mask_row: u32) -> Result<u32, Step> {
    match g.active(op) {
        0 => Err(Step::Next),
        active if mask_row == NONE => Ok(active),
        _ => gather(g, op, mask_row),
    }
}

/// A predicate's lanes; an odd offset names its negation, as a guard does.
pub(crate) fn predicate(g: &Group, offset: u32) -> u32 {
    g.predicate(offset & !1) ^ if offset & 1 == 0 { 0 } else { FULL }
}

fn everywhere(condition: bool) -> u32 {
    if condition { FULL } else { 0 }
}

/// Each lane gets `a` of the lane that the mode, `b` and `c` name, or its own where that lies outside its segment; the second
/// result says whether it lay inside.
pub fn shuffle(g: &mut Group, op: &Op) -> Step {
    let mask = match together(g, op, op.src[3]) {
        Ok(mask) => mask,
        Err(step) => return step,
    };
    let [a, b, c]: [[u32; LANES]; 3] = [g.row(op.src[0]), g.row(op.src[1]), g.row(op.src[2])];
    let mut row = [0; LANES];
    let mut inside = 0;
    for lane in 0..LANES {
        let source = source_lane(op.mods.mode, lane as i32, b[lane], c[lane]);
        row[lane] = a[source.unwrap_or(lane)];
        inside |= u32::from(source.is_some()) << lane;
    }
    g.set_row(op.dst[0], &row, mask);
    g.set_predicate(op.dst[1], inside, mask);
    Step::Next
}

/// The lane that `lane` reads, if it lies inside: `b` is a distance or an index, `c` holds the clamp (bits 0 to 4) and the mask of
/// bits that all lanes of a segment share (bits 8 to 12).
pub fn source_lane(mode: Mode, lane: i32, b: u32, c: u32) -> Option<usize> {
    let (b, clamp, segment) = (b as i32 & 31, c as i32 & 31, (c >> 8) as i32 & 31);
    let first = lane & segment;
    let limit = first | clamp & !segment;
    let (source, inside) = match mode {
        Mode::Up => (lane - b, lane - b >= limit),
        Mode::Down => (lane + b, lane + b <= limit),
        Mode::Bfly => (lane ^ b, lane ^ b <= limit),
        _ => (first | b & !segment, first | b & !segment <= limit),
    };
    inside.then_some(source as usize)
}

/// Whether the predicate is true in all lanes, in any, or the same in all.
pub fn vote(g: &mut Group, op: &Op) -> Step {
    let mask = match together(g, op, op.src[1]) {
        Ok(mask) => mask,
        Err(step) => return step,
    };
    let yes = predicate(g, op.src[0]) & mask;
    let outcome = match op.mods.mode {
        Mode::All => yes == mask,
        Mode::Any => yes != 0,
        _ => yes == mask || yes == 0,
    };
    g.set_predicate(op.dst[0], everywhere(outcome), mask);
    Step::Next
}

/// The mask of the lanes in which the predicate is true.
pub fn ballot(g: &mut Group, op: &Op) -> Step {
    let mask = match together(g, op, op.src[1]) {
        Ok(mask) => mask,
        Err(step) => return step,
    };
    let yes = predicate(g, op.src[0]) & mask;
    g.set_row(op.dst[0], &[yes; LANES], mask);
    Step::Next
}

/// Each lane gets the mask of the lanes that hold the same 32 bits as itself.
pub fn match_any(g: &mut Group, op: &Op) -> Step {
    any_equal::<u32>(g, op)
}

/// Each lane gets the mask of the lanes that hold the same 64 bits as itself.
pub fn match_any_wide(g: &mut Group, op: &Op) -> Step {
    any_equal::<u64>(g, op)
}

fn any_equal<T: Element>(g: &mut Group, op: &Op) -> Step {
    let mask = match together(g, op, op.src[1]) {
        Ok(mask) => mask,
        Err(step) => return step,
    };
    let values: [T; LANES] = g.row(op.src[0]);
    let mut row = [0; LANES];
    let mut rest = mask;
    while rest != 0 {
        let value = values[rest.trailing_zeros() as usize].to_bits();
        let same = lanes(rest).filter(|i| values[*i].to_bits() == value).fold(0, |m, i| m | 1 << i);
        lanes(same).for_each(|i| row[i] = same);
        rest &= !same;
    }
    g.set_row(op.dst[0], &row, mask);
    Step::Next
}

/// The mask of all lanes if they hold the same 32 bits, else 0; the second result says which.
pub fn match_all(g: &mut Group, op: &Op) -> Step {
    all_equal::<u32>(g, op)
}

/// The mask of all lanes if they hold the same 64 bits, else 0; the second result says which.
pub fn match_all_wide(g: &mut Group, op: &Op) -> Step {
    all_equal::<u64>(g, op)
}

fn all_equal<T: Element>(g: &mut Group, op: &Op) -> Step {
    let mask = match together(g, op, op.src[1]) {
        Ok(mask) => mask,
        Err(step) => return step,
    };
    let values: [T; LANES] = g.row(op.src[0]);
    let first = values[mask.trailing_zeros() as usize].to_bits();
    let same = lanes(mask).all(|i| values[i].to_bits() == first);
    g.set_row(op.dst[0], &[if same { mask } else { 0 }; LANES], mask);
    g.set_predicate(op.dst[1], everywhere(same), mask);
    Step::Next
}

/// All lanes get the sum, the least, the greatest, the and, or, or exclusive or of the values of all.
pub fn reduce<T: Element>(g: &mut Group, op: &Op, combine: fn(Mods, T, T) -> T, begin: fn(Mods, T) -> T) -> Step {
    let mask = match together(g, op, op.src[1]) {
        Ok(mask) => mask,
        Err(step) => return step,
    };
    let values: [T; LANES] = g.row(op.src[0]);
    let first = begin(op.mods, values[mask.trailing_zeros() as usize]);
    let others = lanes(mask & (mask - 1));
    let result = others.fold(first, |sum, i| combine(op.mods, sum, begin(op.mods, values[i])));
    g.set_row(op.dst[0], &[result; LANES], mask);
    Step::Next
}

/// Two unsigned integers or bit patterns.
fn reduce_u32(m: Mods, a: u32, b: u32) -> u32 {
    match m.op {
        Operation::Add => a.wrapping_add(b),
        Operation::Min => a.min(b),
        Operation::Max => a.max(b),
        Operation::And => a & b,
        Operation::Or => a | b,
        _ => a ^ b,
    }
}

/// Two signed integers.
fn reduce_s32(m: Mods, a: i32, b: i32) -> i32 {
    match m.op {
        Operation::Add => a.wrapping_add(b),
        Operation::Min => a.min(b),
        _ => a.max(b),
    }
}

/// Two numbers: +0 is greater than -0; NaN wins with `.NaN` and loses without it.
fn reduce_f32(m: Mods, a: f32, b: f32) -> f32 {
    let canonical = f32::from_bits(0x7fff_ffff);
    match (a.is_nan(), b.is_nan()) {
        (true, true) => canonical,
        (true, false) | (false, true) if m.nan() => canonical,
        (true, false) => b,
        (false, true) => a,
        _ if (a.total_cmp(&b).is_lt()) == (m.op == Operation::Min) => a,
        _ => b,
    }
}

/// One input: the absolute value with `.abs`, NaN in its canonical form.
fn begin_f32(m: Mods, a: f32) -> f32 {
    match a {
        a if a.is_nan() => f32::from_bits(0x7fff_ffff),
        a if m.abs() => a.abs(),
        a => a,
    }
}

fn choose_reduce(op: &Op) -> Option<Handler> {
    Some(match op.ty {
        Type::U32 => |g, op| reduce(g, op, reduce_u32, |_, a| a),
        Type::S32 => |g, op| reduce(g, op, reduce_s32, |_, a| a),
        Type::F32 => |g, op| reduce(g, op, reduce_f32, begin_f32),
        _ => return None,
    })
}

/// Elects the lowest lane: all get its index, and the second result is true in it alone.
pub fn elect(g: &mut Group, op: &Op) -> Step {
    let mask = match together(g, op, op.src[0]) {
        Ok(mask) => mask,
        Err(step) => return step,
    };
    let leader = mask.trailing_zeros();
    g.set_row(op.dst[0], &[leader; LANES], mask);
    g.set_predicate(op.dst[1], 1 << leader, mask);
    Step::Next
}

/// The mask of lanes that execute this instruction together.
pub fn active_mask(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    g.set_row(op.dst[0], &[mask; LANES], mask);
    Step::Next
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("warp::shuffle", |_| Some(shuffle)),
    group("warp::vote", |_| Some(vote)),
    group("warp::ballot", |_| Some(ballot)),
    group("warp::match_any", |_| Some(match_any)),
    group("warp::match_any_wide", |_| Some(match_any_wide)),
    group("warp::match_all", |_| Some(match_all)),
    group("warp::match_all_wide", |_| Some(match_all_wide)),
    group("warp::reduce", choose_reduce),
    group("warp::elect", |_| Some(elect)),
    group("warp::active_mask", |_| Some(active_mask)),
];
