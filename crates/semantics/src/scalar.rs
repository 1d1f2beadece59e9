//! Rare control of AMD's wavefronts: relative register numbers, forks of the flow of control, loops over halves of a wavefront, skipped vector
//! instructions, messages with an answer, the end and halt of wavefronts.
//!
//! Operands are as in [`crate::wave`], MODE is a cell among the sources. There is no trap handler: what only one may do is a fault.
//!
//! AMD's ISA guides: Vega and CDNA 3, 4 (program flow control) and 6.6 (VGPR indexing); RDNA 1, 12.2 (subvectors); RDNA 3 and 4, scalar instructions.

use crate::operand::wide;
use crate::wave::{BANKS, end, jump_to};
use crate::{Function, group};
use machine::state::FaultKind;
use machine::{FULL, Group, Op, Step};

/// The bit of MODE that adds an index to the numbers of vector registers (gfx9).
pub const INDEXED: u32 = 27;
/// The bit of MODE that skips vector instructions (gfx9).
pub const SKIPS: u32 = 28;
/// The lowest bit of how many forks are open, three bits of MODE (gfx9).
const FORKS: u32 = 29;

/// Two bits of the numbers of vector registers for each of four operands: as SET_VGPR_MSB orders them (src0, src1, src2, destination) from the field of MODE,
/// which begins with the destination.
pub fn banks(mode: u32) -> u8 {
    ((mode >> BANKS.0 & BANKS.1) as u8).rotate_right(2)
}

/// The bits of MODE, from the lowest of its field on.
pub fn mode_of_banks(banks: u8) -> u32 {
    banks.rotate_left(2).into()
}

/// Changes some bits of MODE, the cell `at`.
fn change(g: &mut Group, at: u32, mask: u32, value: u32) {
    g.set_predicate(at, g.predicate(at) & !mask | value & mask, FULL);
}

/// Sets the high bits of the numbers of vector registers; MODE is `src[1]`.
pub fn set_banks(g: &mut Group, op: &Op) -> Step {
    let banks = mode_of_banks(g.predicate(op.src[0]) as u8);
    change(g, op.src[1], BANKS.1 << BANKS.0, banks << BANKS.0);
    Step::Next
}

/// Begins to add an index to the numbers of vector registers: M0 takes the index, the low byte of `src[0]`, and the operands, four bits of `src[1]`. M0 is
/// `src[2]`, MODE `src[3]`.
pub fn index_on(g: &mut Group, op: &Op) -> Step {
    let [index, operands] = [0, 1].map(|i| g.predicate(op.src[i]));
    change(g, op.src[3], 1 << INDEXED, 1 << INDEXED);
    change(g, op.dst[0], 0xf0ff, index & 0xff | (operands & 15) << 12);
    Step::Next
}

/// Stops to; MODE is `src[0]`.
pub fn index_off(g: &mut Group, op: &Op) -> Step {
    change(g, op.src[0], 1 << INDEXED, 0);
    Step::Next
}

/// Chooses the operands that the index is added to: four bits of `src[0]`.
pub fn index_operands(g: &mut Group, op: &Op) -> Step {
    change(g, op.dst[0], 0xf000, g.predicate(op.src[0]) << 12);
    Step::Next
}

/// Sets the index: the low byte of `src[0]`.
pub fn index(g: &mut Group, op: &Op) -> Step {
    change(g, op.dst[0], 0xff, g.predicate(op.src[0]));
    Step::Next
}

/// Skips vector instructions if the bit of `src[0]` that `src[1]` names is set; MODE is `src[2]`.
pub fn set_skip(g: &mut Group, op: &Op) -> Step {
    let bit = g.predicate(op.src[0]) >> (g.predicate(op.src[1]) & 31) & 1;
    change(g, op.src[2], 1 << SKIPS, bit << SKIPS);
    Step::Next
}

/// The scalar register so many behind the one at `at`: of a pair, both numbers are even. Scalar registers end at `imm`.
fn relative(g: &mut Group, op: &Op, at: u32, by: u32) -> Result<u32, Step> {
    let words = u32::from(op.arity);
    let place = u64::from(at) + 4 * u64::from(by);
    if !by.is_multiple_of(words) {
        let message = format!("M0 is {by}, but the registers of a pair are numbered by their first one, an even number");
        return Err(g.fail(0, FaultKind::Other(message)));
    }
    if place + 4 * u64::from(words) > op.imm as u64 {
        let message = format!("M0 names the scalar register {by} behind the operand, which the wavefront does not have");
        return Err(g.fail(0, FaultKind::Other(message)));
    }
    Ok(place as u32)
}

/// Copies `arity` scalar registers from so many behind `src` to so many behind `dst`.
fn move_cells(g: &mut Group, op: &Op, src: (u32, u32), dst: (u32, u32)) -> Result<Step, Step> {
    let at = |g: &mut Group, (at, by): (u32, u32)| if by == 0 { Ok(at) } else { relative(g, op, at, by) };
    let (src, dst) = (at(g, src)?, at(g, dst)?);
    let words: [u32; 2] = std::array::from_fn(|i| if i < usize::from(op.arity) { g.predicate(src + 4 * i as u32) } else { 0 });
    for (i, word) in (0..u32::from(op.arity)).zip(words) {
        g.set_predicate(dst + 4 * i, word, FULL);
    }
    Ok(Step::Next)
}

/// Copies the scalar registers as many behind the source as M0, `src[1]`, says.
pub fn move_from_relative(g: &mut Group, op: &Op) -> Step {
    let by = g.predicate(op.src[1]);
    move_cells(g, op, (op.src[0], by), (op.dst[0], 0)).unwrap_or_else(|step| step)
}

/// Copies to the scalar registers as many behind the destination as M0, `src[1]`, says.
pub fn move_to_relative(g: &mut Group, op: &Op) -> Step {
    let by = g.predicate(op.src[1]);
    move_cells(g, op, (op.src[0], 0), (op.dst[0], by)).unwrap_or_else(|step| step)
}

/// Copies between scalar registers, each as many behind its operand as a part of M0 says: bits 9 to 0 for the source, 25 to 16 for the destination.
pub fn move_relative_apart(g: &mut Group, op: &Op) -> Step {
    let m0 = g.predicate(op.src[1]);
    move_cells(g, op, (op.src[0], m0 & 0x3ff), (op.dst[0], m0 >> 16 & 0x3ff)).unwrap_or_else(|step| step)
}

/// Writes cells, words of a value of 64 bits.
fn put_wide(g: &mut Group, at: u32, value: u64) {
    g.set_predicate(at, value as u32, FULL);
    g.set_predicate(at + 4, (value >> 32) as u32, FULL);
}

/// EXEC, the cells `at`.
fn exec(g: &Group, op: &Op, at: u32) -> u64 {
    if op.arity == 2 { wide(g, at) } else { g.predicate(at).into() }
}

/// Gives it another value.
fn set_exec(g: &mut Group, op: &Op, at: u32, value: u64) {
    g.set_predicate(at, value as u32, FULL);
    if op.arity == 2 {
        g.set_predicate(at + 4, (value >> 32) as u32, FULL);
    }
}

/// Runs both sides of a branch to an address one after the other, the one with fewer lanes first. `src`: the lanes that branch, the address, EXEC, the next
/// instruction's address, MODE. What the other side needs is kept in scalar registers, four for each fork that is open, which MODE counts; they begin at `imm`.
pub fn fork(g: &mut Group, op: &Op) -> Step {
    let [mask, target, exec, next] = [0, 1, 2, 3].map(|i| wide(g, op.src[i]));
    let (pass, fail) = (mask & exec, !mask & exec);
    if pass == exec {
        return jump_to(g, op, target);
    }
    if fail == exec {
        return Step::Next;
    }
    let forks = g.predicate(op.src[4]) >> FORKS;
    if forks == 7 {
        return g.fail(0, FaultKind::Other("forks the flow of control while seven forks are open: no more can be".into()));
    }
    let stays = fail.count_ones() < pass.count_ones();
    let (first, later) = if stays { (fail, (pass, target)) } else { (pass, (fail, next)) };
    let kept = op.imm as u32 + 16 * forks;
    put_wide(g, kept, later.0);
    put_wide(g, kept + 8, later.1);
    change(g, op.src[4], 7 << FORKS, (forks + 1) << FORKS);
    set_exec(g, op, op.dst[0], first);
    if stays { Step::Next } else { jump_to(g, op, target) }
}

/// Ends one side of a fork: the other begins, or, where `src[0]` is how many forks were open before, the program goes on. MODE is `src[1]`, EXEC `dst[0]`.
pub fn join(g: &mut Group, op: &Op) -> Step {
    let (before, forks) = (g.predicate(op.src[0]), g.predicate(op.src[1]) >> FORKS);
    if before == forks {
        return Step::Next;
    }
    let Some(forks) = forks.checked_sub(1) else {
        return g.fail(0, FaultKind::Other(format!("joins a fork, but none is open, and the register says {before}")));
    };
    change(g, op.src[1], 7 << FORKS, forks << FORKS);
    let kept = op.imm as u32 + 16 * forks;
    let (lanes, address) = (wide(g, kept), wide(g, kept + 8));
    set_exec(g, op, op.dst[0], lanes);
    jump_to(g, op, address)
}

/// Begins a loop over the halves of a wavefront, the lower one first: the upper half of EXEC is kept in `dst[0]`. Where no lane is active it goes to the
/// target. EXEC is `dst[1]`.
pub fn halves_begin(g: &mut Group, op: &Op) -> Step {
    let active = exec(g, op, op.dst[1]);
    if active == 0 {
        return g.branch(g.mask(), op.imm as u32, op.next);
    }
    let low = active & u64::from(u32::MAX);
    let kept = if low == 0 { 0 } else { (active >> 32) as u32 };
    g.set_predicate(op.dst[0], kept, FULL);
    if low != 0 {
        set_exec(g, op, op.dst[1], low);
    }
    Step::Next
}

/// Ends it: goes to the target for the upper half, if it has not been, or makes EXEC what it was.
pub fn halves_end(g: &mut Group, op: &Op) -> Step {
    let (active, kept) = (exec(g, op, op.dst[1]), g.predicate(op.dst[0]));
    if active >> 32 != 0 {
        set_exec(g, op, op.dst[1], active >> 32 << 32 | u64::from(kept));
    } else if kept != 0 {
        g.set_predicate(op.dst[0], active as u32, FULL);
        set_exec(g, op, op.dst[1], u64::from(kept) << 32);
        return g.branch(g.mask(), op.imm as u32, op.next);
    }
    Step::Next
}

/// Goes so many bytes behind the next instruction, whose address is `src[1]`.
pub fn jump_by(g: &mut Group, op: &Op) -> Step {
    let target = wide(g, op.src[1]).wrapping_add(wide(g, op.src[0]));
    jump_to(g, op, target)
}

/// The time, as the answer of a message: `arity` words, which the program must wait for.
pub fn time_message(g: &mut Group, op: &Op) -> Step {
    let time = g.launch.start.elapsed().as_nanos() as u64;
    g.write_cells_late(op.dst[0], &[time as u32, (time >> 32) as u32][..usize::from(op.arity).min(2)], op.next - 1);
    Step::Next
}

/// The number of the wavefront in its block, which the program must wait for.
pub fn wave_number(g: &mut Group, op: &Op) -> Step {
    g.write_cells_late(op.dst[0], &[g.warp.index], op.next - 1);
    Step::Next
}

/// Ends the wavefront if the lowest bit is set.
pub fn end_if(g: &mut Group, op: &Op) -> Step {
    if g.predicate(op.src[0]) & 1 == 1 { end(g, op) } else { Step::Next }
}

/// Halts the wavefront, if `src[0]` is not zero, until a debugger lets it go on: there is none.
pub fn halt(g: &mut Group, op: &Op) -> Step {
    if op.src[0] != machine::op::NONE && g.predicate(op.src[0]) == 0 {
        return Step::Next;
    }
    g.fail(0, FaultKind::Other("halts the wavefront until a debugger lets it go on, and there is none".into()))
}

/// What only a trap handler may do.
pub fn privileged(g: &mut Group, _: &Op) -> Step {
    g.fail(0, FaultKind::Other("is for trap handlers alone: in a kernel it has no meaning".into()))
}

/// An instruction that is there to be none.
pub fn illegal(g: &mut Group, _: &Op) -> Step {
    g.fail(0, FaultKind::Other("is an illegal instruction by intent: a GPU enters its trap handler".into()))
}

/// Gives the wavefront as many vector registers as it asks for: always, which SCC, `dst[0]`, tells. A wavefront that has a fixed number of them cannot ask
/// (`imm` is 0).
pub fn allocate_registers(g: &mut Group, op: &Op) -> Step {
    if op.imm == 0 {
        let message =
            "asks for vector registers, but the kernel's descriptor does not say that their number changes (enable_dynamic_vgpr)";
        return g.fail(0, FaultKind::Other(message.into()));
    }
    g.set_predicate(op.dst[0], 1, FULL);
    Step::Next
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("scalar::set_banks", |_| Some(set_banks)),
    group("scalar::index_on", |_| Some(index_on)),
    group("scalar::index_off", |_| Some(index_off)),
    group("scalar::index_operands", |_| Some(index_operands)),
    group("scalar::index", |_| Some(index)),
    group("scalar::set_skip", |_| Some(set_skip)),
    group("scalar::move_from_relative", |_| Some(move_from_relative)),
    group("scalar::move_to_relative", |_| Some(move_to_relative)),
    group("scalar::move_relative_apart", |_| Some(move_relative_apart)),
    group("scalar::fork", |_| Some(fork)),
    group("scalar::fork_to_address", |_| Some(fork)),
    group("scalar::join", |_| Some(join)),
    group("scalar::halves_begin", |_| Some(halves_begin)),
    group("scalar::halves_end", |_| Some(halves_end)),
    group("scalar::jump_by", |_| Some(jump_by)),
    group("scalar::time_message", |_| Some(time_message)),
    group("scalar::wave_number", |_| Some(wave_number)),
    group("scalar::end_if", |_| Some(end_if)),
    group("scalar::halt", |_| Some(halt)),
    group("scalar::privileged", |_| Some(privileged)),
    group("scalar::illegal", |_| Some(illegal)),
    group("scalar::allocate_registers", |_| Some(allocate_registers)),
];
