//! What AMD's scalar unit does besides arithmetic: branches, waits, the end of a wavefront; and what moves values between lanes and
//! scalar registers.
//!
//! A wavefront is one group of threads with all its lanes; EXEC, a register, is the guard of what lanes do. Sources and results are cells
//! (scalar registers, words one after the other) or the rows of a vector register, whose second row, in wavefronts of 64 lanes, follows the
//! first. `Op::arity` is how many words a mask has.
//!
//! AMD's ISA guides, chapters on program flow control and on the scalar ALU.

use crate::operand::{first_lane, is_zero, wide};
use crate::{Function, group, lds_copy};
use machine::state::FaultKind;
use machine::wave::Counters;
use machine::{FULL, Group, LANES, Op, Step};

/// Goes to the target.
pub fn branch(g: &mut Group, op: &Op) -> Step {
    g.branch(g.mask(), op.imm as u32, op.next)
}

/// Goes to the target if the mask or flag is zero.
pub fn branch_zero(g: &mut Group, op: &Op) -> Step {
    let taken = if is_zero(g, op) { g.mask() } else { 0 };
    g.branch(taken, op.imm as u32, op.next)
}

/// Goes to the target if the mask or flag is not zero.
pub fn branch_nonzero(g: &mut Group, op: &Op) -> Step {
    let taken = if is_zero(g, op) { 0 } else { g.mask() };
    g.branch(taken, op.imm as u32, op.next)
}

/// Goes to the instruction at an address.
pub fn jump(g: &mut Group, op: &Op) -> Step {
    jump_to(g, op, wide(g, op.src[0]))
}

/// The same, of any address.
pub(crate) fn jump_to(g: &mut Group, op: &Op, address: u64) -> Step {
    let known = &g.launch.tables.addresses;
    match known.binary_search_by_key(&address, |known| known.0) {
        Ok(at) => g.branch(g.mask(), known[at].1, op.next),
        Err(_) => g.fail(0, FaultKind::BadTarget { value: address, wanted: "the address of an instruction" }),
    }
}

/// Goes to the instruction at an address and keeps that of the next one.
pub fn call(g: &mut Group, op: &Op) -> Step {
    let step = jump(g, op);
    for i in 0..2 {
        g.set_predicate(op.dst[0] + 4 * i, g.predicate(op.src[1] + 4 * i), FULL);
    }
    step
}

/// Waits until nothing is outstanding.
pub fn wait_idle(g: &mut Group, _: &Op) -> Step {
    g.wait_late(Counters::ALL, 0);
    lds_copy::wait_for_all(g)
}

/// Goes to the target and keeps the address of the next instruction.
pub fn call_target(g: &mut Group, op: &Op) -> Step {
    for i in 0..2 {
        g.set_predicate(op.dst[0] + 4 * i, g.predicate(op.src[0] + 4 * i), FULL);
    }
    branch(g, op)
}

/// Ends the wavefront, when what it has started is complete.
pub fn end(g: &mut Group, _: &Op) -> Step {
    g.warp.late.clear();
    if g.cluster.has_jobs() && lds_copy::wait_for_all(g) == Step::Fault {
        return Step::Fault;
    }
    g.exit(FULL);
    Step::Choose
}

/// Does nothing that a program could see.
pub fn nothing(_: &mut Group, _: &Op) -> Step {
    Step::Next
}

/// Lets other wavefronts run.
pub fn sleep(g: &mut Group, _: &Op) -> Step {
    g.polled();
    Step::Next
}

/// Waits until no more than so much work is outstanding.
pub fn wait(g: &mut Group, op: &Op) -> Step {
    let waits = &g.launch.tables.waits[op.imm as usize];
    for (counters, left) in waits {
        g.wait_late(*counters, *left);
    }
    Step::Next
}

/// The wavefront stops with a message to the debugger.
pub fn trap(g: &mut Group, _: &Op) -> Step {
    g.fail(0, FaultKind::Trap)
}

/// The value that the first active lane has.
pub fn read_first_lane(g: &mut Group, op: &Op) -> Step {
    let lane = first_lane(g, op);
    read(g, op, lane)
}

/// The value that a lane has, active or not.
pub fn read_lane(g: &mut Group, op: &Op) -> Step {
    let lane = g.predicate(op.src[1]) as usize & (wave_size(op) - 1);
    read(g, op, lane)
}

fn read(g: &mut Group, op: &Op, lane: usize) -> Step {
    let row: [u32; LANES] = g.row(op.src[0] + 128 * (lane / LANES) as u32);
    g.set_predicate(op.dst[0], row[lane % LANES], FULL);
    Step::Next
}

/// Gives a lane a value, whether it is active or not.
pub fn write_lane(g: &mut Group, op: &Op) -> Step {
    let lane = g.predicate(op.src[1]) as usize & (wave_size(op) - 1);
    let value = g.predicate(op.src[0]);
    g.set_row(op.dst[0] + 128 * (lane / LANES) as u32, &[value; LANES], 1 << (lane % LANES));
    Step::Next
}

/// The rows of a register, as values of lanes 0 to 63.
fn whole(g: &Group, at: u32, halves: u32) -> [u32; 2 * LANES] {
    let mut all = [0; 2 * LANES];
    for half in 0..halves {
        all[LANES * half as usize..][..LANES].copy_from_slice(&g.row::<u32>(at + 128 * half));
    }
    all
}

/// Writes the lanes of a register that EXEC names.
fn put_whole(g: &Group, op: &Op, at: u32, all: &[u32; 2 * LANES], written: u64) {
    for half in 0..u32::from(op.arity) {
        let mut row = [0; LANES];
        row.copy_from_slice(&all[LANES * half as usize..][..LANES]);
        g.set_row(at + 128 * half, &row, g.predicate(op.guard + 4 * half) & (written >> (32 * half)) as u32);
    }
}

/// EXEC as one number.
fn exec(g: &Group, op: &Op) -> u64 {
    (0..u32::from(op.arity)).fold(0, |all, half| all | u64::from(g.predicate(op.guard + 4 * half)) << (32 * half))
}

/// Moves values within rows of 16 lanes, or, with `across`, to a row from its neighbour: `src[1]` and `src[2]` are the sources' numbers, four bits a lane,
/// `src[3]` says in bit 0 that inactive lanes count, in bit 1 that they give zero.
fn permute_rows(g: &mut Group, op: &Op, across: u32) -> Step {
    let [low, high, modes] = [1, 2, 3].map(|i| g.predicate(op.src[i]));
    let select = u64::from(low) | u64::from(high) << 32;
    permute(g, op, across, modes, |lane| (select >> (4 * (lane & 15))) as u32)
}

/// The same with each lane's source in `src[1]`; `src[2]` has the modes.
fn permute_rows_by_lanes(g: &mut Group, op: &Op, across: u32) -> Step {
    let (select, modes) = (whole(g, op.src[1], op.arity.into()), g.predicate(op.src[2]));
    permute(g, op, across, modes, |lane| select[lane as usize])
}

fn permute(g: &mut Group, op: &Op, across: u32, modes: u32, select: impl Fn(u32) -> u32) -> Step {
    let (from, active) = (whole(g, op.src[0], op.arity.into()), exec(g, op));
    let (mut row, mut written) = ([0; 2 * LANES], 0u64);
    for lane in 0..LANES as u32 * u32::from(op.arity) {
        let source = (lane & !15 ^ across) | select(lane) & 15;
        let counts = modes & 1 != 0 || active >> source & 1 == 1;
        if counts {
            row[lane as usize] = from[source as usize];
        }
        written |= u64::from(counts || modes & 2 != 0) << lane;
    }
    put_whole(g, op, op.dst[0], &row, written);
    Step::Next
}

/// Gives each lane the value of another: fetched (`ds_bpermute`) by the byte index in `src[0]`, in groups of `size` lanes; `imm` is added to it. Lanes that are
/// not active give zero, unless `inactive` says that they count.
fn fetch_lanes(g: &mut Group, op: &Op, size: usize, inactive: bool) -> Step {
    let halves = u32::from(op.arity);
    let (index, value, active) = (whole(g, op.src[0], halves), whole(g, op.src[1], halves), exec(g, op));
    let fetched = |lane: usize| {
        let from = lane / size * size + index[lane].wrapping_add(op.imm as u32) as usize / 4 % size;
        if inactive || active >> from & 1 == 1 { value[from] } else { 0 }
    };
    put_whole(g, op, op.dst[0], &std::array::from_fn(fetched), u64::MAX);
    Step::Next
}

/// Lanes of a whole wavefront.
fn wave_size(op: &Op) -> usize {
    LANES * usize::from(op.arity)
}

/// Fetches from any lane of the wavefront.
pub fn fetch(g: &mut Group, op: &Op) -> Step {
    fetch_lanes(g, op, wave_size(op), false)
}

/// Fetches from any lane of the wavefront, active or not.
pub fn fetch_inactive(g: &mut Group, op: &Op) -> Step {
    fetch_lanes(g, op, wave_size(op), true)
}

/// Fetches from lanes of the same 32.
pub fn fetch_32(g: &mut Group, op: &Op) -> Step {
    fetch_lanes(g, op, LANES, false)
}

/// Sends each active lane's value to another (`ds_permute`); of several the one from the highest lane arrives, and where none does, zero.
fn send_lanes(g: &mut Group, op: &Op, size: usize) -> Step {
    let halves = u32::from(op.arity);
    let (index, value, active) = (whole(g, op.src[0], halves), whole(g, op.src[1], halves), exec(g, op));
    let mut sent = [0; 2 * LANES];
    for lane in (0..wave_size(op)).filter(|lane| active >> lane & 1 == 1) {
        sent[lane / size * size + index[lane].wrapping_add(op.imm as u32) as usize / 4 % size] = value[lane];
    }
    put_whole(g, op, op.dst[0], &sent, u64::MAX);
    Step::Next
}

/// Sends to any lane of the wavefront.
pub fn send(g: &mut Group, op: &Op) -> Step {
    send_lanes(g, op, wave_size(op))
}

/// Sends to lanes of the same 32.
pub fn send_32(g: &mut Group, op: &Op) -> Step {
    send_lanes(g, op, LANES)
}

/// Exchanges values among 32 lanes by the pattern `imm` (`ds_swizzle`): decomposition of a Fourier transform, rotation, any pattern of four lanes, or masks.
/// Lanes that are not active give zero.
pub fn swizzle(g: &mut Group, op: &Op) -> Step {
    let (pattern, active) = (op.imm as u32, exec(g, op));
    let value = whole(g, op.src[0], u32::from(op.arity));
    let swizzled = |lane: usize| {
        let from = lane & !31 | swizzled_lane(pattern, lane as u32 & 31) as usize;
        if active >> from & 1 == 1 { value[from] } else { 0 }
    };
    put_whole(g, op, op.dst[0], &std::array::from_fn(swizzled), u64::MAX);
    Step::Next
}

/// The lane, of 32, that a lane takes its value from.
fn swizzled_lane(pattern: u32, lane: u32) -> u32 {
    let field = |shift: u32| pattern >> shift & 31;
    match pattern & 0xffff {
        0xe000.. => lane.reverse_bits() >> 27 >> field(0).count_ones() | lane & field(0),
        0xc000.. => {
            let distance = if pattern >> 10 & 1 == 1 { field(5).wrapping_neg() } else { field(5) };
            lane & field(0) | lane.wrapping_add(distance) & !field(0) & 31
        }
        0x8000.. => lane & !3 | pattern >> (2 * (lane & 3)) & 3,
        _ => (lane & field(0) | field(5)) ^ field(10),
    }
}

/// Moves values within rows of 16 lanes.
pub fn permute_16(g: &mut Group, op: &Op) -> Step {
    permute_rows(g, op, 0)
}

/// Moves values from the other row of 16 lanes of a pair.
pub fn permute_other_16(g: &mut Group, op: &Op) -> Step {
    permute_rows(g, op, 16)
}

/// Moves values within rows of 16 lanes, each lane by its own choice.
pub fn permute_16_by_lanes(g: &mut Group, op: &Op) -> Step {
    permute_rows_by_lanes(g, op, 0)
}

/// Moves values from the other row of 16 lanes of a pair, each lane by its own choice.
pub fn permute_other_16_by_lanes(g: &mut Group, op: &Op) -> Step {
    permute_rows_by_lanes(g, op, 16)
}

/// A group of lanes that one of them belongs to.
struct Within {
    lane: u32,
    /// The first lane of the group.
    begin: u32,
    size: u32,
    /// Lanes of the wavefront.
    all: u32,
}

/// Lanes of a group, as a scalar register says: a power of two, else all of the wavefront.
fn group_size(op: &Op, said: u32) -> u32 {
    let all = wave_size(op) as u32;
    if said.is_power_of_two() { said.min(all) } else { all }
}

/// Moves values within groups of so many lanes as `src[2]` says: `from` makes of a lane and of `src[1]` the lane that the value comes from.
fn move_within(g: &mut Group, op: &Op, from: fn(Within, u32) -> u32) -> Step {
    let [amount, size] = [1, 2].map(|i| g.predicate(op.src[i]));
    let (size, all) = (group_size(op, size), wave_size(op) as u32);
    let values = whole(g, op.src[0], op.arity.into());
    let moved = |lane: usize| {
        let lane = lane as u32;
        values[from(Within { lane, begin: lane / size * size, size, all }, amount) as usize % values.len()]
    };
    put_whole(g, op, op.dst[0], &std::array::from_fn(moved), u64::MAX);
    Step::Next
}

/// The first row of the register `by` registers behind the one at `at`, if the wavefront has it: its registers end at `imm`.
fn relative(g: &mut Group, op: &Op, at: u32, by: u32) -> Result<u32, Step> {
    let row = u64::from(at) + 128 * u64::from(op.arity) * u64::from(by);
    if row < op.imm as u64 {
        return Ok(row as u32);
    }
    Err(g.fail(0, FaultKind::Other(format!("M0 names the register {by} behind the operand, which the wavefront does not have"))))
}

/// Copies a register, and with `both` exchanges two: that at `from` registers behind `src`, and that at `to` behind `dst[0]`.
fn move_registers(g: &mut Group, op: &Op, [src, from, to]: [u32; 3], both: bool) -> Result<Step, Step> {
    let (src, dst) = (relative(g, op, src, from)?, relative(g, op, op.dst[0], to)?);
    let (value, old) = (whole(g, src, op.arity.into()), whole(g, dst, op.arity.into()));
    put_whole(g, op, dst, &value, u64::MAX);
    if both {
        put_whole(g, op, src, &old, u64::MAX);
    }
    Ok(Step::Next)
}

/// Copies the register as many behind the source as `src[1]` says.
pub fn move_from_relative(g: &mut Group, op: &Op) -> Step {
    let by = g.predicate(op.src[1]);
    move_registers(g, op, [op.src[0], by, 0], false).unwrap_or_else(|step| step)
}

/// Copies rows, which are no register of the wavefront perhaps, to the register as many behind the destination as `src[1]` says.
pub fn move_to_relative(g: &mut Group, op: &Op) -> Step {
    let (by, value) = (g.predicate(op.src[1]), whole(g, op.src[0], op.arity.into()));
    match relative(g, op, op.dst[0], by) {
        Ok(at) => put_whole(g, op, at, &value, u64::MAX),
        Err(step) => return step,
    }
    Step::Next
}

/// Copies the register as many behind the source as `src[1]` says to the one as many behind the destination.
pub fn move_relative(g: &mut Group, op: &Op) -> Step {
    let by = g.predicate(op.src[1]);
    move_registers(g, op, [op.src[0], by, by], false).unwrap_or_else(|step| step)
}

/// The distances of source and destination that M0 holds: bits 9 to 0 and 25 to 16.
fn distances(m0: u32) -> [u32; 2] {
    [m0 & 0x3ff, m0 >> 16 & 0x3ff]
}

/// The same with two distances.
pub fn move_relative_apart(g: &mut Group, op: &Op) -> Step {
    let [from, to] = distances(g.predicate(op.src[1]));
    move_registers(g, op, [op.src[0], from, to], false).unwrap_or_else(|step| step)
}

/// Exchanges registers at two distances behind the results.
pub fn exchange_relative(g: &mut Group, op: &Op) -> Step {
    let [from, to] = distances(g.predicate(op.src[0]));
    move_registers(g, op, [op.dst[1], from, to], true).unwrap_or_else(|step| step)
}

/// One lane's value to all of its group.
pub fn broadcast_within(g: &mut Group, op: &Op) -> Step {
    move_within(g, op, |at, amount| at.begin + amount % at.size)
}

/// Values from lower lanes; the own one where they are of another group.
pub fn move_up_within(g: &mut Group, op: &Op) -> Step {
    move_within(g, op, |at, amount| if at.lane - at.begin < amount { at.lane } else { at.lane - amount })
}

/// Values from higher lanes; the own one where they are of another group.
pub fn move_down_within(g: &mut Group, op: &Op) -> Step {
    move_within(g, op, |at, amount| {
        let from = at.lane.saturating_add(amount);
        if from < at.begin + at.size { from } else { at.lane }
    })
}

/// Values from lanes whose numbers differ in these bits; the own one where they are behind the group.
pub fn exchange_within(g: &mut Group, op: &Op) -> Step {
    move_within(g, op, |at, amount| {
        let from = at.lane ^ amount;
        if amount < at.all && from < at.begin + at.size { from } else { at.lane }
    })
}

/// What [`fetch`] takes for a lane of the own group: `src[0]` its places there, `src[1]` the size of groups.
pub fn index_within(g: &mut Group, op: &Op) -> Step {
    let size = group_size(op, g.predicate(op.src[1]));
    let places = whole(g, op.src[0], op.arity.into());
    let index = |lane: usize| 4 * (lane as u32 / size * size + places[lane] % size);
    put_whole(g, op, op.dst[0], &std::array::from_fn(index), u64::MAX);
    Step::Next
}

/// Exchanges the halves of a wavefront of 64 lanes; of 32 lanes nothing happens.
pub fn exchange_halves(g: &mut Group, op: &Op) -> Step {
    if op.arity == 2 {
        let from = whole(g, op.src[0], 2);
        put_whole(g, op, op.dst[0], &std::array::from_fn(|lane| from[lane ^ LANES]), u64::MAX);
    }
    Step::Next
}

/// Exchanges the upper lanes of each `2 * size` of the first register with the lower ones of the second.
fn swap_lanes(g: &mut Group, op: &Op, size: usize) -> Step {
    // The second operand is read and written: results are the first and the second.
    let halves = u32::from(op.arity);
    let (first, second) = (whole(g, op.dst[0], halves), whole(g, op.dst[1], halves));
    let upper = |lane: usize| lane / size % 2 == 1;
    let (mut a, mut b) = (first, second);
    for lane in 0..LANES * halves as usize {
        if upper(lane) {
            a[lane] = second[lane - size];
            b[lane - size] = first[lane];
        }
    }
    put_whole(g, op, op.dst[0], &a, u64::MAX);
    put_whole(g, op, op.dst[1], &b, u64::MAX);
    Step::Next
}

/// Exchanges odd rows of 16 lanes of the first register with even ones of the second.
pub fn swap_16(g: &mut Group, op: &Op) -> Step {
    swap_lanes(g, op, 16)
}

/// Exchanges the upper 32 lanes of the first register with the lower ones of the second.
pub fn swap_32(g: &mut Group, op: &Op) -> Step {
    swap_lanes(g, op, 32)
}

/// Where the cell of MODE lies behind that of SCC.
pub const MODE_BEHIND_SCC: u32 = 4;
/// The number of the hardware register MODE.
pub const MODE: u32 = 1;
/// The number of the register of the scheduling mode (gfx12).
const SCHEDULING_MODE: u32 = 26;
/// The number of the register IB_STS2 (gfx1250), which holds the number of a work-group in its cluster.
const PLACE_IN_CLUSTER: u32 = 28;
/// The numbers of the registers of the shader's clock (gfx1030 on; the high part gfx12).
const CYCLES: u32 = 29;
const CYCLES_HIGH: u32 = 30;
/// The numbers of the registers that tell where scratch memory is (gfx10).
const FLAT_SCRATCH: [u32; 2] = [20, 21];
/// Rounding in MODE: lowest bit and mask.
pub const ROUNDING: (u32, u32) = (0, 15);
/// Subnormal numbers in MODE: lowest bit and mask.
pub const SUBNORMALS: (u32, u32) = (4, 15);
/// High bits of the numbers of vector registers in MODE, where it has them: lowest bit and mask.
pub const BANKS: (u32, u32) = (12, 0xff);

/// A part of a hardware register: number, lowest bit and mask.
pub fn part(code: u32) -> (u32, u32, u32) {
    (code & 0x3f, code >> 6 & 0x1f, u32::MAX >> (31 - (code >> 11 & 0x1f)))
}

/// What hardware registers tell of where a wavefront is, as the table calls it (`as=` of their names): HW_ID, that of GPUs of several dies, HW_ID1, and XCC_ID.
pub const PLACES: [&str; 4] = ["unit", "unit_of_die", "unit_of_pair", "die"];
/// Dies of a GPU that has several (AMD CDNA 3 white paper: eight accelerator complex dies).
const DIES: u32 = 8;
/// Compute units, or pairs of them, of a shader engine: as many as their numbers count.
const UNITS: u32 = 16;
/// Shader engines, as many as their numbers count.
const ENGINES: u32 = 8;
/// SIMDs of a compute unit of gfx9, and of the pair of them that later ones have.
const SIMDS: u32 = 4;

/// Where a wavefront is, as one of [`PLACES`] tells it, if work-groups go round the compute units in turn. The fields of HW_ID and HW_ID1 are those of AMD's ISA
/// guides and of HIP's headers (amd_device_functions.h).
fn place(g: &Group, which: &str) -> u32 {
    let unit = (g.block.linear % u64::from(g.launch.gpu.multiprocessors.max(1))) as u32;
    let (wave, simd) = (g.warp.index / SIMDS, g.warp.index % SIMDS);
    let in_die = |unit: u32| wave & 15 | simd << 4 | (unit % UNITS) << 8 | (unit / UNITS % ENGINES) << 13;
    match which {
        "unit" => in_die(unit),
        "unit_of_die" => in_die(unit / DIES),
        "unit_of_pair" => wave & 31 | simd << 8 | (unit / 2 % UNITS) << 10 | (unit / 2 / UNITS % ENGINES) << 18,
        _ => unit % DIES,
    }
}

/// Reads a part of MODE, whose cell is `src[1]`, of the clock, or of what tells a wavefront its place: that in a cluster, or, where the cell `src[2]` says
/// which of [`PLACES`] and 1 it is, that on the GPU. Other hardware registers are not modelled.
pub fn get_register(g: &mut Group, op: &Op) -> Step {
    let (number, low, mask) = part(g.predicate(op.src[0]));
    let time = |g: &Group| g.launch.start.elapsed().as_nanos() as u64;
    let told = PLACES.get((g.predicate(op.src[2]) as usize).wrapping_sub(1));
    let value = match (told, number) {
        (Some(which), _) => place(g, which),
        (None, MODE) => g.predicate(op.src[1]),
        // Launches have no clusters: compilers ask for that before they look at the numbers of a work-group.
        (None, PLACE_IN_CLUSTER) => 0,
        (None, CYCLES) => time(g) as u32,
        (None, CYCLES_HIGH) => (time(g) >> 32) as u32,
        _ => {
            let message = format!("hardware register {number} is not modelled: MODE, the clock and where a wavefront runs are");
            return g.fail(0, FaultKind::Other(message));
        }
    };
    g.set_predicate(op.dst[0], value >> low & mask, FULL);
    Step::Next
}

/// Changes a part of MODE, whose cell is `src[2]`.
pub fn set_register(g: &mut Group, op: &Op) -> Step {
    let (number, low, mask) = part(g.predicate(op.src[0]));
    // How far ahead instructions are issued changes no result here: each has its operands when it runs. Where scratch memory is is known without being told.
    if number == SCHEDULING_MODE || FLAT_SCRATCH.contains(&number) {
        return Step::Next;
    }
    if number != MODE {
        return g.fail(0, FaultKind::Other(format!("hardware register {number} is not modelled: only MODE is")));
    }
    set_mode(g, op.src[2], (low, mask), g.predicate(op.src[1]))
}

/// The same, and whatever part of MODE is meant, the high bits of vector registers become what stands at their place in the value.
pub fn set_register_and_banks(g: &mut Group, op: &Op) -> Step {
    let (number, ..) = part(g.predicate(op.src[0]));
    if number == MODE {
        let (low, mask) = BANKS;
        set_mode(g, op.src[2], BANKS, g.predicate(op.src[1]) >> low & mask);
    }
    set_register(g, op)
}

/// Gives some bits of MODE, the cell `at`, a value.
fn set_mode(g: &mut Group, at: u32, (low, mask): (u32, u32), value: u32) -> Step {
    g.set_predicate(at, g.predicate(at) & !(mask << low) | (value & mask) << low, FULL);
    Step::Next
}

/// Sets how results are rounded: four bits of MODE, the cell `src[1]`.
pub fn set_rounding(g: &mut Group, op: &Op) -> Step {
    set_mode(g, op.src[1], ROUNDING, g.predicate(op.src[0]))
}

/// Sets which subnormal numbers there are: four bits of MODE, the cell `src[1]`.
pub fn set_subnormals(g: &mut Group, op: &Op) -> Step {
    set_mode(g, op.src[1], SUBNORMALS, g.predicate(op.src[0]))
}

/// A count of time, in nanoseconds since the launch began.
pub fn clock(g: &mut Group, op: &Op) -> Step {
    let time = g.launch.start.elapsed().as_nanos() as u64;
    g.write_cells_late(op.dst[0], &[time as u32, (time >> 32) as u32], op.next - 1);
    Step::Next
}

/// The time in nanoseconds since the launch began, from the scalar unit itself: nothing has to be waited for.
pub fn clock_now(g: &mut Group, op: &Op) -> Step {
    let time = g.launch.start.elapsed().as_nanos() as u64;
    for (i, word) in (0..).zip([time as u32, (time >> 32) as u32]) {
        g.set_predicate(op.dst[0] + 4 * i, word, FULL);
    }
    Step::Next
}

/// An instruction that cannot be executed: `imm` tells which of the reasons it is.
pub fn refuse(g: &mut Group, op: &Op) -> Step {
    let why = g.launch.tables.refusals.get(op.imm as usize).cloned().unwrap_or_default();
    g.fail(0, FaultKind::Unexecutable(why))
}

/// Bytes that are no instruction.
pub fn undefined(g: &mut Group, _: &Op) -> Step {
    g.fail(0, FaultKind::Undefined)
}

/// Where a wavefront can go after a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// To the next instruction.
    pub goes_on: bool,
    /// To the target that the instruction names.
    pub branches: bool,
    /// To an address in registers.
    pub indirect: bool,
    /// So many bytes further as its source says: an address that is known if that is a constant.
    pub displaced: bool,
}

/// Where a wavefront can go after the function of this name.
pub fn flow(function: &str) -> Flow {
    let [goes_on, branches, indirect] = match function {
        "wave::branch" => [false, true, false],
        "wave::branch_zero" | "wave::branch_nonzero" | "wave::call_target" => [true, true, false],
        "scalar::fork" | "scalar::halves_begin" | "scalar::halves_end" => [true, true, false],
        "wave::jump" => [false, false, true],
        "wave::call" | "scalar::fork_to_address" | "scalar::join" => [true, false, true],
        "wave::end" | "wave::trap" | "wave::undefined" | "scalar::jump_by" | "scalar::privileged" | "scalar::illegal" => {
            [false, false, false]
        }
        _ => [true, false, false],
    };
    Flow { goes_on, branches, indirect, displaced: function == "scalar::jump_by" }
}

/// What does nothing.
pub const NOTHING: &str = "wave::nothing";
/// The name of the function that writes one lane of a register.
pub const WRITE_LANE: &str = "wave::write_lane";
/// What waits for all that is outstanding.
pub const WAIT_IDLE: &str = "wave::wait_idle";

/// Whether a function waits for registers to be written.
pub fn waits(function: &str) -> bool {
    matches!(function, "wave::wait" | WAIT_IDLE)
}

/// Whether a function other than of memory gives a result late, of which the counter of scalar loads tells.
pub fn answers_late(function: &str) -> bool {
    matches!(function, "wave::clock" | "scalar::time_message" | "scalar::wave_number" | "split::read")
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("wave::branch", |_| Some(branch)),
    group("wave::branch_zero", |_| Some(branch_zero)),
    group("wave::branch_nonzero", |_| Some(branch_nonzero)),
    group("wave::jump", |_| Some(jump)),
    group("wave::call", |_| Some(call)),
    group("wave::call_target", |_| Some(call_target)),
    group("wave::clock_now", |_| Some(clock_now)),
    group("wave::end", |_| Some(end)),
    group("wave::nothing", |_| Some(nothing)),
    group("wave::undefined", |_| Some(undefined)),
    group("wave::sleep", |_| Some(sleep)),
    group("wave::wait", |_| Some(wait)),
    group("wave::wait_idle", |_| Some(wait_idle)),
    group("wave::trap", |_| Some(trap)),
    group("wave::read_first_lane", |_| Some(read_first_lane)),
    group("wave::read_lane", |_| Some(read_lane)),
    group("wave::fetch", |_| Some(fetch)),
    group("wave::fetch_32", |_| Some(fetch_32)),
    group("wave::fetch_inactive", |_| Some(fetch_inactive)),
    group("wave::send", |_| Some(send)),
    group("wave::send_32", |_| Some(send_32)),
    group("wave::swizzle", |_| Some(swizzle)),
    group("wave::permute_16", |_| Some(permute_16)),
    group("wave::permute_other_16", |_| Some(permute_other_16)),
    group("wave::permute_16_by_lanes", |_| Some(permute_16_by_lanes)),
    group("wave::permute_other_16_by_lanes", |_| Some(permute_other_16_by_lanes)),
    group("wave::broadcast_within", |_| Some(broadcast_within)),
    group("wave::move_up_within", |_| Some(move_up_within)),
    group("wave::move_down_within", |_| Some(move_down_within)),
    group("wave::exchange_within", |_| Some(exchange_within)),
    group("wave::index_within", |_| Some(index_within)),
    group("wave::move_from_relative", |_| Some(move_from_relative)),
    group("wave::move_to_relative", |_| Some(move_to_relative)),
    group("wave::move_relative", |_| Some(move_relative)),
    group("wave::move_relative_apart", |_| Some(move_relative_apart)),
    group("wave::exchange_relative", |_| Some(exchange_relative)),
    group("wave::exchange_halves", |_| Some(exchange_halves)),
    group("wave::swap_16", |_| Some(swap_16)),
    group("wave::swap_32", |_| Some(swap_32)),
    group("wave::get_register", |_| Some(get_register)),
    group("wave::set_register", |_| Some(set_register)),
    group("wave::set_register_and_banks", |_| Some(set_register_and_banks)),
    group("wave::set_rounding", |_| Some(set_rounding)),
    group("wave::set_subnormals", |_| Some(set_subnormals)),
    group("wave::clock", |_| Some(clock)),
    group(WRITE_LANE, |_| Some(write_lane)),
];
