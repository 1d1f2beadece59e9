//! The ops of a kernel in the making: what lowering emits into.

use super::frame::{CELLS, Frame, ROW};
use machine::state::Tables;
use machine::{Handler, Op};
use semantics::operand;
use std::collections::{BTreeMap, HashMap};

/// Ops, and what they refer to.
pub struct Code {
    /// The layout of registers.
    pub frame: Frame,
    /// How many named barriers a block has.
    pub named_barriers: u32,
    /// Whether wavefronts ask for vector registers while they run.
    pub grows: bool,
    /// Whether it copies to LDS in the background.
    pub copies: bool,
    /// Whether the instruction may have no op, should it do nothing: the next one is only reached through it.
    pub may_be_empty: bool,
    /// Whether the instruction's SCC may be read.
    pub scc_matters: bool,
    /// Rows with the value of a scalar register in all lanes, by its number.
    pub mirrors: BTreeMap<u16, u32>,
    /// Whether accesses to memory are watched, since some go on in the background.
    pub watched: bool,
    /// All ops.
    pub ops: Vec<Op>,
    /// The instruction of each op, counted from 0.
    pub instruction_of: Vec<u32>,
    /// Side tables.
    pub tables: Tables,
    /// Constants: offset, bits, bits of width.
    pub constants: Vec<(u32, u128, u32)>,
    known: HashMap<(u128, u32), u32>,
    next_constant: u32,
    room: u32,
    cells: u32,
    instruction: u32,
    /// Jumps whose target is not known yet: op and address.
    pub jumps: Vec<(u32, u64)>,
}

impl Code {
    /// Nothing yet.
    pub fn new(frame: Frame) -> Code {
        Code {
            frame,
            named_barriers: 0,
            grows: false,
            copies: false,
            may_be_empty: false,
            scc_matters: true,
            mirrors: BTreeMap::new(),
            watched: false,
            ops: Vec::new(),
            instruction_of: Vec::new(),
            tables: Tables::default(),
            constants: Vec::new(),
            known: HashMap::new(),
            next_constant: frame.constants(),
            room: 0,
            cells: 0,
            instruction: 0,
            jumps: Vec::new(),
        }
    }

    /// Begins the instruction of this number: the rows of the one before are free again.
    pub fn begin(&mut self, instruction: u32) {
        (self.room, self.cells, self.instruction) = (self.frame.room(), CELLS, instruction);
        (self.may_be_empty, self.scc_matters) = (false, true);
    }

    /// What of the room for an instruction's operands is used.
    pub fn used(&self) -> (u32, u32) {
        (self.room, self.cells)
    }

    /// Gives back what was used since.
    pub fn reuse(&mut self, (room, cells): (u32, u32)) {
        (self.room, self.cells) = (room, cells);
    }

    /// Adds an op.
    pub fn push(&mut self, op: Op) {
        self.ops.push(Op { next: self.ops.len() as u32 + 1, ..op });
        self.instruction_of.push(self.instruction);
    }

    /// Adds, in place of the ops from `first` on, one that tells why its instruction cannot be executed.
    pub fn refuse(&mut self, first: usize, why: String) {
        self.ops.truncate(first);
        self.instruction_of.truncate(first);
        self.jumps.retain(|jump| (jump.0 as usize) < first);
        self.tables.refusals.push(why);
        self.push(Op { imm: self.tables.refusals.len() as i32 - 1, ..Op::new(semantics::wave::refuse) });
    }

    /// Adds what does nothing, if an op is needed.
    pub fn push_nothing(&mut self) {
        if !self.may_be_empty {
            self.push(Op::new(semantics::wave::nothing));
        }
    }

    /// Adds an op of one source and one result.
    pub fn adapt(&mut self, run: Handler, dst: u32, src: u32, imm: i32) {
        let mut op = Op { imm, ..Op::new(run) };
        (op.dst[0], op.src[0]) = (dst, src);
        self.push(op);
    }

    /// A row for values of so many bits that serves one instruction; `rows` of them next to one another.
    pub fn row(&mut self, bits: u32, rows: u32) -> Result<u32, String> {
        let at = self.room;
        self.room = (at + rows * bits.max(8) * 4).next_multiple_of(64);
        if self.room > self.frame.constants() {
            return Err("it has more operands than there is room for".into());
        }
        Ok(at)
    }

    /// Cells for so many words that serve one instruction, at a multiple of 8.
    pub fn cell(&mut self, words: u32) -> Result<u32, String> {
        let at = self.cells.next_multiple_of(8);
        self.cells = at + 4 * words;
        if self.cells > CELLS + 128 {
            return Err("it has more scalar operands than there is room for".into());
        }
        Ok(at)
    }

    /// The row of a constant of so many bits.
    pub fn constant(&mut self, bits: u128, width: u32) -> u32 {
        *self.known.entry((bits, width)).or_insert_with(|| {
            let at = self.next_constant;
            self.next_constant = (at + width.max(8) * 4).next_multiple_of(64);
            self.constants.push((at, bits, width));
            at
        })
    }

    /// The rows of a constant of 64 bits, the words apart as those of a pair of registers.
    pub fn constant_pair(&mut self, bits: u64) -> u32 {
        let apart = self.frame.halves * ROW;
        // No constant is as wide as that.
        *self.known.entry((bits.into(), 64 + apart)).or_insert_with(|| {
            let at = self.next_constant;
            self.next_constant = at + apart + ROW;
            self.constants.extend([(at, u128::from(bits as u32), 32), (at + apart, u128::from(bits >> 32), 32)]);
            at
        })
    }

    /// Gives scalar registers, in order, a row beside them, and adds what fills it. Those of neighbours are as far apart as the words of a pair of registers.
    pub fn mirror(&mut self, registers: Vec<u16>) {
        for register in registers {
            self.mirrors.insert(register, self.next_constant);
            self.next_constant += self.frame.halves * ROW;
            self.fill_mirror(register);
        }
    }

    /// The rows beside a scalar register and the next one, if both have one.
    pub fn mirrored_pair(&self, register: u16) -> Option<u32> {
        let (low, high) = (self.mirrors.get(&register)?, self.mirrors.get(&(register + 1))?);
        (*high == low + self.frame.halves * ROW).then_some(*low)
    }

    /// Adds what writes the row beside a scalar register, if it has one.
    pub fn fill_mirror(&mut self, register: u16) {
        if let Some(row) = self.mirrors.get(&register).copied() {
            self.adapt(operand::broadcast::<u32>, row, Frame::scalar(register), 0);
        }
    }

    /// A list of rows, as an operand that names one.
    pub fn list(&mut self, rows: &[u32]) -> u32 {
        self.tables.offsets.extend(rows);
        (self.tables.offsets.len() - rows.len()) as u32
    }

    /// The elements of a vector as an operand: one row names itself, several are a list.
    pub fn elements(&mut self, rows: &[u32]) -> u32 {
        if let [row] = rows { *row } else { self.list(rows) }
    }

    /// Notes that the op that comes next jumps to an address; gives what stands for it until then.
    pub fn jump_to(&mut self, address: u64) -> i32 {
        self.jumps.push((self.ops.len() as u32, address));
        0
    }

    /// Notes that an instruction's ops come next.
    pub fn place(&mut self, address: u64) {
        self.tables.addresses.push((address, self.ops.len() as u32));
    }

    /// Fills in the ops that jumps lead to.
    ///
    /// # Errors
    /// The address that one leads to where no instruction is.
    pub fn link(&mut self) -> Result<(), u64> {
        let places: HashMap<u64, u32> = self.tables.addresses.iter().copied().collect();
        for (op, address) in std::mem::take(&mut self.jumps) {
            self.ops[op as usize].imm = *places.get(&address).ok_or(address)? as i32;
        }
        Ok(())
    }

    /// Bytes of the frame.
    pub fn frame_bytes(&self) -> u32 {
        self.next_constant
    }
}
