//! Exchanges between the lanes of a warp: shuffles, votes, matches, reductions.
//!
//! PTX ISA 9.4, 9.7.10.6 (shfl.sync), 9.7.15 (vote, match, redux, activemask, elect).
//! The `.sync` forms wait until every lane of their member mask that has not exited has arrived ([`gather`]).

use crate::{Function, group};
use machine::state::{Wait, lanes};
use machine::{Group, LANES, Op, Step};

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
    if uniform && active & wanted == wanted & !g.dead {
        return Ok(active & wanted);
    }
    meet(g, op, active, &members)
}

/// The slow way: lanes arrive in several groups, or with several masks.
#[inline(never)]
fn meet(g: &mut Group, op: &Op, active: u32, members: &[u32; LANES]) -> Result<u32, Step> {
    let pc = op.next - 1;
    for i in lanes(active) {
        if members[i] >> i & 1 == 0 {
            let kind =
                machine::state::FaultKind::Other(format!("the member mask 0x{:08x} lacks the executing lane {i}", members[i]));
            return Err(g.fail(i as u32, kind));
        }
    }
    // Lanes already waiting at this very instruction.
    let waiting: u32 = g
        .warp
        .parked
        .iter()
        .filter(|p| p.pc == pc && p.base == g.base && matches!(p.wait, Wait::Lanes(_)))
        .map(|p| p.mask)
        .fold(0, |a, m| a | m);
    let wanted = members[active.trailing_zeros() as usize] & !g.dead;
    let same = lanes(active | waiting).filter(|i| members[*i] & !g.dead == wanted).fold(0, |m, i| m | 1 << i);
    if same & wanted == wanted {
        // Everyone of this mask is here: they run, the others of this group come back.
        if active & !same != 0 {
            g.park(active & !same, pc, Wait::Nothing);
        }
        if g.mask & !active != 0 {
            g.park(g.mask & !active, op.next, Wait::Nothing);
        }
        g.warp.parked.iter_mut().filter(|p| p.pc == pc && p.base == g.base).for_each(|p| p.mask &= !same);
        g.warp.parked.retain(|p| p.mask != 0);
        g.mask = same;
        return Ok(same);
    }
    if g.mask & !active != 0 {
        g.park(g.mask & !active, op.next, Wait::Nothing);
    }
    g.park(active, pc, Wait::Lanes(wanted));
    Err(Step::Choose)
}

/// The mask of lanes that execute this instruction together.
pub fn active_mask(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    g.set_row(op.dst[0], &[mask; LANES], mask);
    Step::Next
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[group("warp::active_mask", |_| Some(active_mask))];
