//! One wavefront that executes a few instructions on given registers: what `eval` and tests of instructions ask.
//!
//! The instructions are lowered and run as those of kernels are; registers and LDS are given before and read after.

use super::code::Code;
use super::frame::{EXEC, Frame, ROW, SCC};
use super::links::Links;
use super::lower;
use super::modes::Modes;
use super::program::{leads, uses};
use super::start::{Instruction, Start, Wave, set_word, word};
use super::waits::{Step, are_complete};
use crate::launch::{Failure, Options, Shape, Stopped};
use crate::lower::Kernel;
use crate::program::Origin;
use ::amdgpu::codec::{Codec, Decoded};
use diagnostics::Span;
use machine::memory::Memory;
use machine::state::{Chunk, Gpu};
use machine::wave::{Counters, Use};
use machine::{LANES, Op};
use std::sync::Mutex;

/// The registers of a wavefront.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Scalar registers by their numbers in operand fields: VCC is 106, EXEC 126.
    pub scalars: Vec<u32>,
    /// SCC.
    pub scc: bool,
    /// Vector registers: a word for each lane, 64 of them.
    pub vectors: Vec<[u32; 64]>,
    /// Accumulation registers.
    pub accumulators: Vec<[u32; 64]>,
}

impl State {
    /// Zeros, with all lanes of a wavefront active.
    pub fn new(wave: u32, vectors: usize, accumulators: usize) -> State {
        let mut scalars = vec![0; 128];
        scalars[usize::from(EXEC)] = u32::MAX;
        scalars[usize::from(EXEC) + 1] = if wave == 64 { u32::MAX } else { 0 };
        State { scalars, scc: false, vectors: vec![[0; 64]; vectors], accumulators: vec![[0; 64]; accumulators] }
    }
}

/// Registers given and taken.
#[derive(Debug)]
pub struct Probe {
    given: State,
    taken: Mutex<Option<State>>,
}

impl Probe {
    /// Fills the registers of a wavefront.
    pub(super) fn fill(&self, frame: Frame, registers: &mut [Chunk]) {
        visit(&self.given, frame, |at, word| set_word(registers, at, word));
    }

    /// Reads them when it has ended.
    pub fn take(&self, frame: Frame, registers: &[Chunk]) {
        let word = |at: u32| word(registers, at);
        let mut state = self.given.clone();
        let lane = |row: u32, lane: u32| word(row + lane / 32 * ROW + lane % 32 * 4);
        (0..128).for_each(|i| state.scalars[i] = word(Frame::scalar(i as u16)));
        state.scc = word(SCC) & 1 == 1;
        for (i, register) in state.vectors.iter_mut().enumerate() {
            (0..32 * frame.halves).for_each(|l| register[l as usize] = lane(frame.vector(i as u32), l));
        }
        for (i, register) in state.accumulators.iter_mut().enumerate() {
            (0..32 * frame.halves).for_each(|l| register[l as usize] = lane(frame.accumulator(i as u32), l));
        }
        *self.taken.lock().unwrap_or_else(|e| e.into_inner()) = Some(state);
    }
}

/// Every word of a state with its place in the frame.
fn visit(state: &State, frame: Frame, mut put: impl FnMut(u32, u32)) {
    (0..128).for_each(|i| put(Frame::scalar(i as u16), state.scalars[i]));
    put(SCC, u32::from(state.scc));
    let vectors = state.vectors.iter().enumerate().map(|(i, lanes)| (frame.vector(i as u32), lanes));
    let accumulators = state.accumulators.iter().enumerate().map(|(i, lanes)| (frame.accumulator(i as u32), lanes));
    for (row, lanes) in vectors.chain(accumulators) {
        (0..32 * frame.halves).for_each(|l| put(row + l / 32 * ROW + l % 32 * 4, lanes[l as usize]));
    }
}

/// Why instructions could not be executed.
#[derive(Debug)]
pub enum Refused {
    /// An instruction cannot be executed, in words.
    Instruction(String),
    /// Something went wrong while it was.
    Failure(Box<Failure>),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refused::Instruction(why) => f.write_str(why),
            Refused::Failure(failure) => match &failure.why {
                Stopped::Fault { kind, .. } => write!(f, "{kind:?}"),
                other => write!(f, "{other:?}"),
            },
        }
    }
}

/// What a wavefront has besides registers and the device's memory.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Bytes of LDS.
    pub lds: u32,
    /// Bytes of a lane's scratch memory.
    pub scratch: u32,
    /// The register MODE.
    pub mode: u32,
    /// Whether it may ask for vector registers while it runs.
    pub grows: bool,
    /// Whether results of loads wait in a queue even where nobody could see it.
    pub queues: bool,
}

impl Default for Setup {
    /// No memory; to nearest, with subnormal numbers, IEEE and DX10_CLAMP.
    fn default() -> Setup {
        Setup { lds: 0, scratch: 0, mode: 0x3f0, grows: false, queues: false }
    }
}

/// The address of the first instruction.
const FIRST: u64 = 0x1000;

/// Executes instructions, the first one at 0x1000; branches lead to others of them, or behind the last.
///
/// # Errors
/// See [`Refused`].
pub fn run(codec: &Codec, instructions: &[Decoded], given: State, memory: &Memory, setup: Setup) -> Result<State, Refused> {
    let frame = Frame::new(codec, given.vectors.len() as u32, given.accumulators.len() as u32);
    let mut code = Code::new(frame);
    (code.named_barriers, code.grows) = (semantics::split::NAMED as u32, setup.grows);
    code.tables.waited = !setup.queues && waits(codec, instructions, frame, setup.mode);
    let mut list = Vec::new();
    let mut address = FIRST;
    let mut modes = Modes::new(codec, setup.mode);
    for (number, decoded) in instructions.iter().enumerate() {
        code.begin(number as u32);
        code.place(address);
        let decoded = &Decoded { banks: modes.banks(), ..*decoded };
        let instruction = lower::Instruction { codec, decoded: *decoded, address };
        let name = decoded.entry.instruction.name;
        lower::instruction(&mut code, modes, &instruction).map_err(|why| Refused::Instruction(format!("`{name}` {why}")))?;
        modes = modes.after(codec, decoded);
        list.push(Instruction { span: Span::default(), uses: uses(codec, decoded, frame) });
        address += u64::from(decoded.size);
    }
    code.begin(instructions.len() as u32);
    code.place(address);
    list.push(Instruction::default());
    code.tables.waits.push(vec![(Counters(u8::MAX), 0)]);
    code.push(Op { imm: code.tables.waits.len() as i32 - 1, ..Op::new(semantics::wave::wait) });
    code.push(Op::new(semantics::wave::end));
    code.link().map_err(|to| Refused::Instruction(format!("a branch leads to {to:#x}, where no instruction is")))?;
    let probe = Probe { given, taken: Mutex::default() };
    let wave = Wave {
        frame,
        start: Start { scratch: setup.scratch, mode: setup.mode, ..Start::default() },
        signatures: Instruction::signatures(&list, &code.instruction_of),
        instruction_of: code.instruction_of.clone(),
        instructions: list,
        probe: Some(probe),
    };
    let kernel = Kernel {
        name: "probe".into(),
        origins: vec![Origin::default(); code.ops.len()],
        frame: code.frame_bytes(),
        watched: code.watched,
        constants: std::mem::take(&mut code.constants),
        tables: std::mem::take(&mut code.tables),
        code: code.ops,
        shared: setup.lds,
        dynamic_align: 16,
        wave: Some(Box::new(wave)),
        ..Kernel::default()
    };
    let shape = Shape { grid: [1; 3], block: [frame.halves * LANES as u32, 1, 1], shared: 0, cluster: None };
    let gpu = Gpu { multiprocessors: 1, warps: 1, shared: 1 << 16, shared_multiprocessor: 1 << 16, clusters: false };
    let options = Options { threads: 1, max_instructions: Some(1 << 20), ..Options::default() };
    crate::launch::launch(&kernel, shape, &[], memory, gpu, &options).map_err(Refused::Failure)?;
    let taken =
        kernel.wave.and_then(|wave| wave.probe).and_then(|probe| probe.taken.into_inner().unwrap_or_else(|e| e.into_inner()));
    taken.ok_or_else(|| Refused::Instruction("the wavefront did not end".into()))
}

/// Whether all that these instructions load is waited for, as it is behind the last.
fn waits<'c>(codec: &'c Codec, instructions: &[Decoded<'c>], frame: Frame, mode: u32) -> bool {
    let ends = std::iter::successors(Some(FIRST), {
        let mut sizes = instructions.iter().map(|decoded| u64::from(decoded.size));
        move |address| Some(address + sizes.next()?)
    });
    let addresses: Vec<u64> = ends.collect();
    let after = |modes: &Modes, decoded: &Decoded| modes.after(codec, decoded);
    let modes: Vec<Modes> = instructions
        .iter()
        .scan(Modes::new(codec, mode), |modes, decoded| Some(std::mem::replace(modes, after(modes, decoded))))
        .collect();
    let meant = |(decoded, modes): (&Decoded<'c>, &Modes)| Decoded { banks: modes.banks(), ..*decoded };
    let meant: Vec<Decoded> = instructions.iter().zip(&modes).map(meant).collect();
    let uses: Vec<Vec<Use>> = meant.iter().map(|decoded| uses(codec, decoded, frame)).collect();
    let mut steps = Vec::new();
    for (i, decoded) in meant.iter().enumerate() {
        let instruction = lower::Instruction { codec, decoded: *decoded, address: addresses[i] };
        let Ok(step) = Step::of(&instruction, modes[i], &uses[i]) else { return false };
        steps.push(step);
    }
    steps.push(Step::default());
    let at = |address: u64| addresses.binary_search(&address).ok();
    let following = |from: usize| match instructions.get(from) {
        Some(decoded) => {
            let (next, elsewhere) = leads(codec, decoded, addresses[from]);
            (next.map(|address| address.and_then(at)), elsewhere)
        }
        None => ([None; 2], false),
    };
    are_complete(&steps, &Links::new(steps.len(), following, vec![0]))
}

/// Whether an instruction can be lowered as it stands, whatever it would do.
///
/// # Errors
/// Why not.
pub fn lowers(codec: &Codec, decoded: &Decoded) -> Result<(), String> {
    let mut code = Code::new(Frame::new(codec, 512, 256));
    code.begin(0);
    let modes = Modes::new(codec, Setup::default().mode);
    lower::instruction(&mut code, modes, &lower::Instruction { codec, decoded: *decoded, address: 0 })
}

/// Whether an instruction means something only within a kernel: it accesses memory, waits, or changes the flow of control.
pub fn needs_kernel(codec: &Codec, decoded: &Decoded) -> bool {
    let function = decoded.entry.instruction.run_on(codec.target).map_or("", |run| run.function);
    let flow = semantics::wave::flow(function);
    super::memory::is_access(decoded) || function.starts_with("barrier::") || !flow.goes_on || flow.branches || flow.indirect
}
