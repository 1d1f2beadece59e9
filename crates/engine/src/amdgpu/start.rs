//! What a wavefront starts with: scalar registers, work-item ids, scratch memory, hidden arguments, the dispatch packet.
//!
//! AMDGPUUsage: "Initial Kernel Execution State", "Kernarg Segment", "Code Object V5 Metadata" (hidden arguments); HSA Platform System
//! Architecture, "Kernel dispatch packet".

use super::frame::{Frame, ROW, SCALARS, SCRATCH, TTMP};
use diagnostics::Span;
use machine::LANES;
use machine::memory::{LOCAL_WINDOW, SHARED_WINDOW};
use machine::state::{Block, Chunk, Launch, Warp};
use machine::wave::{Use, signature};
use semantics::buffer;

/// Bytes of a dispatch packet.
pub const PACKET: usize = 64;
/// Where it has the address of the arguments.
const KERNARG_ADDRESS: usize = 40;
/// How it begins: it dispatches a kernel (2), which acquires and releases what the whole system sees (2, at bits 9 and 11).
const HEADER: u16 = 2 | 2 << 9 | 2 << 11;

/// What is special about a kernel of AMD's machine code.
#[derive(Debug)]
pub struct Wave {
    /// The layout of its registers.
    pub frame: Frame,
    /// What it starts with.
    pub start: Start,
    /// The instruction of each op.
    pub instruction_of: Vec<u32>,
    /// All instructions, in the order of their addresses.
    pub instructions: Vec<Instruction>,
    /// Of the first op of each instruction, the signatures of what it uses.
    pub signatures: Vec<u64>,
    /// Registers that are given and taken, of wavefronts that serve for that alone.
    pub probe: Option<super::probe::Probe>,
}

/// An instruction, as far as a running kernel is concerned.
#[derive(Clone, Debug, Default)]
pub struct Instruction {
    /// Where it stands in the listing.
    pub span: Span,
    /// The registers that it reads and writes.
    pub uses: Vec<Use>,
}

impl Instruction {
    /// The signatures of the ops of instructions: those of the first op of each, of the others none.
    pub fn signatures(list: &[Instruction], instruction_of: &[u32]) -> Vec<u64> {
        let first = |op: usize| op == 0 || instruction_of[op] != instruction_of[op - 1];
        let of =
            |instruction: &Instruction| instruction.uses.iter().fold(0, |bits, one| bits | signature(one.at, one.bytes.max(1)));
        (0..instruction_of.len()).map(|op| if first(op) { of(&list[instruction_of[op] as usize]) } else { 0 }).collect()
    }
}

/// Which registers a wavefront starts with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// What the first scalar registers hold.
    pub user: Vec<User>,
    /// Whether each of the work-group's ids has a scalar register behind them, then what is known of its wavefronts, then the wavefront's scratch
    /// offset.
    pub system: [bool; 5],
    /// How many scalar registers are the user's, whatever they hold.
    pub user_count: u16,
    /// Work-item ids besides x that have registers: 0 to 2; all in one where they are packed.
    pub work_items: u32,
    /// Whether they are packed.
    pub packed: bool,
    /// Whether work-group ids are in trap registers.
    pub trap_ids: bool,
    /// Bytes of scratch memory of a work-item.
    pub scratch: u32,
    /// Bytes of it that the kernel asks for.
    pub private: u32,
    /// The address of the kernel's descriptor.
    pub descriptor: u64,
    /// The register MODE.
    pub mode: u32,
    /// Bytes of the arguments.
    pub kernarg: u32,
    /// Hidden arguments: kind, offset and bytes.
    pub hidden: Vec<(String, u32, u32)>,
}

/// What user registers hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// A descriptor of the scratch memory, four registers.
    ScratchDescriptor,
    /// The address of the dispatch packet.
    Packet,
    /// The address of the queue: none.
    Queue,
    /// The address of the arguments.
    Kernarg,
    /// The number of the dispatch.
    DispatchId,
    /// Where scratch memory begins, and its size.
    FlatScratch,
    /// Bytes of scratch memory of a work-item.
    ScratchSize,
    /// A word of the arguments.
    Argument(u32),
}

impl User {
    /// How many registers it has.
    fn words(self) -> u16 {
        match self {
            User::ScratchDescriptor => 4,
            User::Packet | User::Queue | User::Kernarg | User::DispatchId | User::FlatScratch => 2,
            User::ScratchSize | User::Argument(_) => 1,
        }
    }
}

impl Wave {
    /// Lanes of a wavefront.
    pub fn lanes(&self) -> u32 {
        32 * self.frame.halves
    }

    /// The parameter block: arguments, then hidden ones, then the dispatch packet, which lacks their address.
    pub fn parameters(&self, arguments: &[u8], grid: [u32; 3], block: [u32; 3], shared: [u32; 2]) -> Vec<u8> {
        let mut bytes = arguments.to_vec();
        bytes.resize((self.start.kernarg as usize).max(arguments.len()).next_multiple_of(64) + PACKET, 0);
        for (kind, offset, size) in &self.start.hidden {
            let value = hidden(kind, grid, block, shared).to_le_bytes();
            let (offset, size) = (*offset as usize, (*size as usize).min(8));
            if let Some(place) = bytes.get_mut(offset..offset + size) {
                place.copy_from_slice(&value[..size]);
            }
        }
        let at = bytes.len() - PACKET;
        bytes[at..at + 2].copy_from_slice(&HEADER.to_le_bytes());
        bytes[at + 2..at + 4].copy_from_slice(&dimensions(grid, block).to_le_bytes());
        for i in 0..3 {
            bytes[at + 4 + 2 * i..at + 6 + 2 * i].copy_from_slice(&(block[i] as u16).to_le_bytes());
            bytes[at + 12 + 4 * i..at + 16 + 4 * i].copy_from_slice(&(grid[i].wrapping_mul(block[i])).to_le_bytes());
        }
        bytes[at + 24..at + 28].copy_from_slice(&self.start.private.to_le_bytes());
        bytes[at + 28..at + 32].copy_from_slice(&(shared[0] + shared[1]).to_le_bytes());
        bytes[at + 32..at + 40].copy_from_slice(&self.start.descriptor.to_le_bytes());
        bytes
    }

    /// Tells the dispatch packet of a parameter block where that is.
    pub fn place_parameters(parameters: &mut [u8], address: u64) {
        let at = parameters.len() - PACKET + KERNARG_ADDRESS;
        parameters[at..at + 8].copy_from_slice(&address.to_le_bytes());
    }

    /// The address of the dispatch packet behind the arguments.
    fn packet(&self, launch: &Launch) -> u64 {
        launch.params_address + u64::from(launch.params.len()) - PACKET as u64
    }

    /// Bytes of scratch memory that a wavefront needs.
    pub fn scratch_bytes(&self) -> u64 {
        u64::from(self.start.scratch) * u64::from(self.lanes())
    }

    /// Fills a wavefront's registers before its first instruction. `scratch` is where its scratch memory begins.
    pub fn begin(&self, launch: &Launch, block: &Block, warp: &mut Warp, scratch: u64) {
        warp.late.clear();
        warp.issued.clear();
        let own = SCALARS as usize / 64..self.frame.room() as usize / 64;
        // What does not depend on the block is the same each time.
        if warp.initial.is_empty() {
            warp.registers[own.clone()].fill(Chunk([0; 64]));
            self.fill(launch, warp, scratch);
            warp.initial = warp.registers[own].to_vec();
        } else {
            warp.registers[own].copy_from_slice(&warp.initial);
        }
        if self.probe.is_none() {
            self.place(launch.block, block, warp);
        }
    }

    /// Gives a wavefront where its block, of that size, is.
    fn place(&self, [x, y, z]: [u32; 3], block: &Block, warp: &mut Warp) {
        let first = u32::from(warp.index == 0);
        let mut set = |at, value| set_word(&mut warp.registers, at, value);
        let [bx, by, bz] = block.index;
        // Whether it is the first of the group, and how many there are; hardly a kernel asks.
        let group = if self.start.system[3] { first << 31 | (x * y * z).div_ceil(self.lanes()) } else { 0 };
        let offset = 0;
        let user: u16 = self.start.user.iter().map(|user| user.words()).sum();
        let first = Frame::scalar(self.start.user_count.max(user));
        let enabled = [bx, by, bz, group, offset].into_iter().zip(self.start.system).filter(|(_, enabled)| *enabled);
        for (i, (value, _)) in enabled.enumerate() {
            set(first + 4 * i as u32, value);
        }
        if self.start.trap_ids {
            set(Frame::scalar(TTMP + 9), bx);
            set(Frame::scalar(TTMP + 7), by | bz << 16);
        }
    }

    /// Fills the registers that do not depend on the block.
    fn fill(&self, launch: &Launch, warp: &mut Warp, scratch: u64) {
        let lanes = self.lanes();
        let mut set = |at, value| set_word(&mut warp.registers, at, value);
        for lane in (0..lanes).filter(|_| self.start.scratch > 0) {
            let begin = scratch + u64::from(self.start.scratch) * u64::from(lane);
            let row = SCRATCH + lane / 32 * 2 * ROW + lane % 32 * 8;
            set(row, begin as u32);
            set(row + 4, (begin >> 32) as u32);
        }
        set(super::frame::MODE, self.start.mode);
        if let Some(probe) = &self.probe {
            return probe.fill(self.frame, &mut warp.registers);
        }
        let [x, y, z] = launch.block;
        let first = warp.index * lanes;
        let count = (x * y * z).saturating_sub(first).min(lanes);
        for half in 0..self.frame.halves {
            let live = count.saturating_sub(32 * half).min(32);
            let mask = if live == 32 { u32::MAX } else { (1 << live) - 1 };
            set(Frame::scalar(super::frame::EXEC) + 4 * half, mask);
        }
        let mut at = 0u16;
        for user in &self.start.user {
            for word in &self.user(*user, launch, scratch)[..usize::from(user.words())] {
                set(Frame::scalar(at), *word);
                at += 1;
            }
        }
        if self.start.trap_ids {
            set(Frame::scalar(TTMP + 8), warp.index << 25);
        }
        let mut id = [first % x, first / x % y, first / x / y];
        let registers = if self.start.packed { 1 } else { 1 + self.start.work_items.min(2) };
        for half in 0..self.frame.halves {
            let mut rows = ids(&mut id, [x, y]);
            if self.start.packed {
                let [y, z] = [1, 2].map(|least| if self.start.work_items >= least { u32::MAX } else { 0 });
                rows[0] = std::array::from_fn(|lane| rows[0][lane] | (rows[1][lane] & y) << 10 | (rows[2][lane] & z) << 20);
            }
            for (register, row) in (0..registers).zip(&rows) {
                set_row(&mut warp.registers, self.frame.vector(register) + half * ROW, row);
            }
        }
    }

    /// What registers of the user's hold.
    fn user(&self, user: User, launch: &Launch, scratch: u64) -> [u32; 4] {
        let one = |word: u32| [word, 0, 0, 0];
        let wide = |value: u64| [value as u32, (value >> 32) as u32, 0, 0];
        match user {
            User::ScratchDescriptor => {
                // Index strides of 32 and 64 lanes are 2 and 3; lane numbers are added.
                let layout = buffer::SCRATCH_DESCRIPTOR << 30 | 1 << 23 | (1 + self.frame.halves) << 21;
                [scratch as u32, (scratch >> 32) as u32, self.start.scratch, layout]
            }
            User::Packet => wide(self.packet(launch)),
            User::Queue => wide(0),
            User::Kernarg => wide(launch.params_address),
            User::DispatchId => wide(launch.grid_id),
            User::FlatScratch => wide(scratch),
            User::ScratchSize => one(self.start.private.next_multiple_of(4)),
            User::Argument(word) => {
                let mut bytes = [0; 4];
                launch.memory.read(launch.params_address + 4 * u64::from(word), &mut bytes);
                one(u32::from_le_bytes(bytes))
            }
        }
    }
}

/// Dimensions of a launch: those behind the last that is not 1 do not count.
fn dimensions(grid: [u32; 3], block: [u32; 3]) -> u16 {
    (1..3u16).rev().find(|i| grid[usize::from(*i)] > 1 || block[usize::from(*i)] > 1).map_or(1, |i| i + 1)
}

/// The value of a hidden argument.
fn hidden(kind: &str, grid: [u32; 3], block: [u32; 3], shared: [u32; 2]) -> u64 {
    let axis = |name: &str| kind.strip_prefix(name).and_then(|rest| ["x", "y", "z"].iter().position(|a| *a == rest));
    if let Some(i) = axis("hidden_block_count_") {
        return grid[i].into();
    }
    if let Some(i) = axis("hidden_group_size_") {
        return block[i].into();
    }
    match kind {
        "hidden_grid_dims" => dimensions(grid, block).into(),
        "hidden_private_base" => LOCAL_WINDOW >> 32,
        "hidden_shared_base" => SHARED_WINDOW >> 32,
        "hidden_dynamic_lds_size" => shared[1].into(),
        // Offsets, remainders and what a host would serve: none.
        _ => 0,
    }
}

/// A word of a wavefront's registers.
pub(super) fn word(registers: &[Chunk], at: u32) -> u32 {
    let at = at as usize;
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&registers[at / 64].0[at % 64..][..4]);
    u32::from_le_bytes(bytes)
}

/// Writes a word of a wavefront's registers.
pub(super) fn set_word(registers: &mut [Chunk], at: u32, value: u32) {
    let at = at as usize;
    registers[at / 64].0[at % 64..][..4].copy_from_slice(&value.to_le_bytes());
}

/// Writes a row of words of a wavefront's registers.
fn set_row(registers: &mut [Chunk], at: u32, row: &[u32; LANES]) {
    for (chunk, words) in registers[at as usize / 64..].iter_mut().zip(row.as_chunks::<16>().0) {
        for (place, word) in chunk.0.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
    }
}

/// The work items of 32 lanes, from one on, which becomes the one behind them: rows of each dimension.
fn ids(id: &mut [u32; 3], size: [u32; 2]) -> [[u32; LANES]; 3] {
    let [x, y, z] = *id;
    if size[0] - x > LANES as u32 {
        id[0] += LANES as u32;
        return [std::array::from_fn(|lane| x + lane as u32), [y; LANES], [z; LANES]];
    }
    let mut rows = [[0; LANES]; 3];
    (0..LANES).for_each(|lane| {
        rows.iter_mut().zip(*id).for_each(|(row, id)| row[lane] = id);
        *id = following(*id, size);
    });
    rows
}

/// The work item after another, in groups of so many in the first two dimensions.
fn following([x, y, z]: [u32; 3], [width, height]: [u32; 2]) -> [u32; 3] {
    match (x + 1 == width, y + 1 == height) {
        (false, _) => [x + 1, y, z],
        (true, false) => [0, y + 1, z],
        (true, true) => [0, 0, z + 1],
    }
}
