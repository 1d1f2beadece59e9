//! Branches, calls, returns and exits: what moves groups of threads.
//!
//! PTX ISA 9.4, 9.7.14 and 9.7.21. A call pushes a frame on the warp's register stack; arguments and return values travel through the
//! local memory of caller and callee, as the ABI's parameters do.

use crate::{Function, group};
use machine::state::{CALL_SITE, CALLER, FaultKind, LINKAGE, LOCAL_END, LOCAL_START, Wait, lanes};
use machine::{Group, LANES, Op, Step};

/// Bytes that frames of one warp may take: deeper recursion is a stack overflow.
pub const FRAMES_LIMIT: usize = 64 << 20;

/// Goes to the target, or on, by each thread's guard.
pub fn branch(g: &mut Group, op: &Op) -> Step {
    let taken = g.active(op);
    g.branch(taken, op.imm as u32, op.next)
}

/// Goes to the target numbered by the index; an index beyond the list is a fault.
pub fn branch_indexed(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let index: [u32; LANES] = g.row(op.src[0]);
    let targets = &g.launch.tables.targets[op.imm as usize];
    for i in lanes(mask) {
        if index[i] as usize >= targets.len() {
            return g.fail(i as u32, FaultKind::BadTarget { value: u64::from(index[i]), wanted: "an index of .branchtargets" });
        }
    }
    let all = g.mask();
    for (n, target) in targets.iter().enumerate() {
        let these = lanes(mask).filter(|i| index[*i] as usize == n).fold(0, |m, i| m | 1 << i);
        if these != 0 {
            g.park(these, *target, Wait::Nothing);
        }
    }
    if all & !mask != 0 {
        g.park(all & !mask, op.next, Wait::Nothing);
    }
    Step::Choose
}

/// Calls a function: the callee is known, or each thread's register holds its address.
pub fn call(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    if mask == 0 {
        return g.jump(op.next, op.next);
    }
    let call = &g.launch.tables.calls[op.imm as usize];
    if let Some(callee) = call.callee {
        return enter(g, op, mask, callee);
    }
    let address: [u64; LANES] = if op.wide { g.row(op.src[0]) } else { g.row::<u32>(op.src[0]).map(u64::from) };
    let first = address[mask.trailing_zeros() as usize];
    let same = lanes(mask).filter(|i| address[*i] == first).fold(0, |m, i| m | 1 << i);
    let Some(callee) = g.launch.tables.functions.iter().position(|f| f.address == first) else {
        return g.fail(mask.trailing_zeros(), FaultKind::BadTarget { value: first, wanted: "the address of a function" });
    };
    // Threads that call another function come back to this instruction when these have left.
    if mask != same {
        g.park(mask & !same, op.next - 1, Wait::Nothing);
    }
    enter(g, op, same, callee as u32)
}

fn enter(g: &mut Group, op: &Op, mask: u32, callee: u32) -> Step {
    let call = &g.launch.tables.calls[op.imm as usize];
    let callee = &g.launch.tables.functions[callee as usize];
    if g.mask() & !mask != 0 {
        g.park(g.mask() & !mask, op.next, Wait::Nothing);
    }
    let (caller, base) = (g.base, g.above_all());
    let end: [u32; LANES] = g.row(LOCAL_END);
    // Lanes outside the mask hold anything.
    let start = end.map(|e| e.wrapping_add(15) & !15);
    let top = lanes(mask).map(|i| start[i]).max().unwrap_or(0).saturating_add(callee.local);
    let bytes = base as usize + callee.frame.max(LINKAGE) as usize;
    if top > g.launch.local_limit {
        return g.fail(
            mask.trailing_zeros(),
            FaultKind::StackOverflow { limit: g.launch.local_limit, what: "local memory of a thread" },
        );
    }
    if bytes > FRAMES_LIMIT {
        return g.fail(
            mask.trailing_zeros(),
            FaultKind::StackOverflow { limit: FRAMES_LIMIT as u32, what: "register frames of a warp" },
        );
    }
    g.warp.local.grow(top);
    for ((from, size), (to, room)) in call.arguments.iter().zip(&callee.params) {
        let caller_start: [u32; LANES] = g.row(LOCAL_START);
        copy_local(g, mask, &caller_start, *from, &start, *to, *size.min(room));
    }
    g.grow(bytes);
    g.enter(base);
    g.top = base + callee.frame.max(LINKAGE);
    g.set_row(CALL_SITE, &[op.imm as u32; LANES], mask);
    g.set_row(CALLER, &[caller; LANES], mask);
    g.set_row(LOCAL_START, &start, mask);
    g.set_row(LOCAL_END, &start.map(|s| s.wrapping_add(callee.local)), mask);
    g.set_mask(mask);
    g.pc = callee.entry;
    g.limit = 0;
    Step::Choose
}

/// Copies bytes of local memory. A prototype may promise another size than the function has: only what both have is copied.
fn copy_local(g: &mut Group, mask: u32, from: &[u32; LANES], from_offset: u32, to: &[u32; LANES], to_offset: u32, size: u32) {
    for i in lanes(mask) {
        for byte in 0..size {
            let value: u8 = g.warp.local.read(i, u64::from(from[i] + from_offset + byte));
            g.warp.local.write(i, u64::from(to[i] + to_offset + byte), value);
        }
    }
}

/// Returns to the caller with the return values; from a kernel, exits.
pub fn ret(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    if mask == 0 {
        return g.jump(op.next, op.next);
    }
    if g.base == 0 {
        return leave(g, op, mask);
    }
    let (site, caller, from): ([u32; LANES], [u32; LANES], [u32; LANES]) = (g.row(CALL_SITE), g.row(CALLER), g.row(LOCAL_START));
    if g.mask() & !mask != 0 {
        g.park(g.mask() & !mask, op.next, Wait::Nothing);
    }
    let tables = g.launch.tables;
    let callee = &tables.functions[op.imm as usize];
    let mut rest = mask;
    while rest != 0 {
        let first = rest.trailing_zeros() as usize;
        let same = lanes(rest).filter(|i| (site[*i], caller[*i]) == (site[first], caller[first])).fold(0, |m, i| m | 1 << i);
        rest &= !same;
        let call = &tables.calls[site[first] as usize];
        g.enter(caller[first]);
        g.top = caller[first] + call.frame;
        let to: [u32; LANES] = g.row(LOCAL_START);
        for ((to_offset, size), (from_offset, given)) in call.returns.iter().zip(&callee.returns) {
            copy_local(g, same, &from, *from_offset, &to, *to_offset, *size.min(given));
        }
        g.set_mask(g.mask() | same);
        g.park(same, call.next, Wait::Nothing);
    }
    Step::Choose
}

/// Ends the threads.
pub fn exit(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    leave(g, op, mask)
}

fn leave(g: &mut Group, op: &Op, mask: u32) -> Step {
    g.exit(mask);
    if g.mask() == 0 { Step::Choose } else { g.jump(op.next, op.next) }
}

/// Ends the launch with a fault.
pub fn trap(g: &mut Group, op: &Op) -> Step {
    match g.active(op) {
        0 => Step::Next,
        mask => g.fail(mask.trailing_zeros(), FaultKind::Trap),
    }
}

/// Ends the launch with a fault: there is no debugger to stop for.
pub fn breakpoint(g: &mut Group, op: &Op) -> Step {
    match g.active(op) {
        0 => Step::Next,
        mask => g.fail(mask.trailing_zeros(), FaultKind::Breakpoint),
    }
}

/// Lets other threads run before these go on. No time passes: a sleep of no length lies within what the instruction promises.
pub fn sleep(g: &mut Group, op: &Op) -> Step {
    if g.active(op) == 0 {
        return Step::Next;
    }
    g.pc = op.next;
    g.spent = true;
    Step::Choose
}

/// Does nothing: no counter is there to see the event.
pub fn performance_event(_: &mut Group, _: &Op) -> Step {
    Step::Next
}

/// Gives registers of the warp back, or takes more: looks only whether the count is possible, since registers are never short here.
pub fn set_registers(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    let counts: [u32; LANES] = g.row(op.src[0]);
    match lanes(mask).find(|i| !counts[*i].is_multiple_of(8)) {
        Some(i) => g.fail(i as u32, FaultKind::Other(format!("{} registers: the count must be a multiple of 8", counts[i]))),
        None => Step::Next,
    }
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("control::set_registers", |_| Some(set_registers)),
    group("control::branch", |_| Some(branch)),
    group("control::branch_indexed", |_| Some(branch_indexed)),
    group("control::call", |_| Some(call)),
    group("control::ret", |_| Some(ret)),
    group("control::exit", |_| Some(exit)),
    group("control::trap", |_| Some(trap)),
    group("control::breakpoint", |_| Some(breakpoint)),
    group("control::sleep", |_| Some(sleep)),
    group("control::performance_event", |_| Some(performance_event)),
];
