//! A program, and the reference that runs it thread by thread.

use crate::values::{CARRY, REGISTERS, class_of, low, resize};
use machine::row::Instance;
use machine::{Mods, Type};
use std::collections::BTreeSet;

/// Where a source's value comes from.
#[derive(Clone, Copy)]
pub enum Source {
    /// The low bits of a register, or its complement.
    Register {
        register: usize,
        ty: Type,
        not: bool,
    },
    Constant(u128),
}

/// An instruction of the table with operands.
#[derive(Clone)]
pub struct Instruction {
    pub text: String,
    pub instance: &'static Instance,
    pub mods: Mods,
    pub sources: Vec<Source>,
    /// `None` for a result that is discarded.
    pub results: Vec<Option<(usize, Type)>>,
}

/// A predicate, and whether it is negated.
pub type Guard = (usize, bool);

#[derive(Clone)]
pub enum Node {
    Do(Option<Guard>, Box<Instruction>),
    /// Loads a row of the inputs into a register.
    Load(Option<Guard>, usize, usize),
    If(Guard, Vec<Node>, Vec<Node>),
    /// Repeats as often as the low bits of a register say.
    Loop(usize, Vec<Node>),
    /// The low bits of a register choose.
    Switch(usize, Vec<Vec<Node>>),
    /// Leaves the innermost loop, goes on with its next round, or returns.
    Leave(Guard, Flow),
    Call(Option<Guard>, Box<Call>),
}

/// A call. It takes place only while the caller has depth left, of which the callee gets one less: so any function may call any.
#[derive(Clone)]
pub struct Call {
    pub target: Target,
    /// The caller's registers that are passed, of the signature's classes.
    pub arguments: Vec<usize>,
    /// Those that get results; `None` where one is not fetched.
    pub results: Vec<Option<usize>>,
}

#[derive(Clone, Copy)]
pub enum Target {
    Function(usize),
    /// One of the two functions of a signature, by the lowest bit of a register.
    Pointer {
        signature: usize,
        register: usize,
        /// Whether the functions are listed; else the call has a prototype.
        listed: bool,
    },
}

/// What functions take and give: registers of theirs, whose classes are the types.
#[derive(Clone)]
pub struct Signature {
    pub parameters: Vec<usize>,
    pub results: Vec<usize>,
    /// Passed in registers rather than in parameter memory.
    pub in_registers: bool,
}

/// Functions of each signature.
pub const ALIKE: usize = 2;

/// A function that programs call.
#[derive(Clone)]
pub struct Function {
    /// What its registers hold at first, but for parameters.
    pub constants: Vec<u128>,
    pub body: Vec<Node>,
}

#[derive(Clone)]
pub struct Program {
    pub body: Vec<Node>,
    pub signatures: Vec<Signature>,
    /// [`ALIKE`] of each signature.
    pub functions: Vec<Function>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Flow {
    Next,
    Break,
    Continue,
    Return,
    /// The thread took too many steps: the program is not worth its time.
    Stop,
}

/// How a thread ended.
#[derive(Clone, Copy, PartialEq)]
pub enum End {
    Last,
    /// By an early return from the kernel.
    Early,
    /// It took too many steps.
    Stopped,
}

/// Nodes that a thread may walk over.
const STEPS: usize = 20_000;

impl Target {
    pub fn signature(self) -> usize {
        match self {
            Target::Function(function) => function / ALIKE,
            Target::Pointer { signature, .. } => signature,
        }
    }

    /// The functions that may be called.
    pub fn functions(self) -> Vec<usize> {
        match self {
            Target::Function(function) => vec![function],
            Target::Pointer { signature, .. } => (0..ALIKE).map(|i| signature * ALIKE + i).collect(),
        }
    }
}

impl Program {
    /// The reference: runs a thread; says how it ended and how many calls it made.
    pub fn run(&self, state: &mut [u128], inputs: &[u128]) -> (End, usize) {
        self.run_wrongly(state, inputs, None)
    }

    /// The same with one function whose first result has a wrong bit.
    pub fn run_wrongly(&self, state: &mut [u128], inputs: &[u128], wrong: Option<&'static Instance>) -> (End, usize) {
        let depth = (state[crate::values::WORDS.first] & 3) as u32;
        let mut thread = Thread { program: self, inputs, steps: 0, calls: 0, wrong };
        let end = match thread.walk(&self.body, state, depth) {
            Flow::Next => End::Last,
            Flow::Stop => End::Stopped,
            _ => End::Early,
        };
        (end, thread.calls)
    }

    /// The functions that can be reached from the kernel.
    pub fn reached(&self) -> BTreeSet<usize> {
        let (mut reached, mut left) = (BTreeSet::new(), called(&self.body));
        while let Some(function) = left.pop() {
            if reached.insert(function) {
                left.extend(called(&self.functions[function].body));
            }
        }
        reached
    }

    /// All sequences of nodes: the kernel's and the functions'.
    pub fn bodies(&self) -> impl Iterator<Item = &Vec<Node>> {
        std::iter::once(&self.body).chain(self.functions.iter().map(|f| &f.body))
    }

    /// The same, to be changed.
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Vec<Node>> {
        std::iter::once(&mut self.body).chain(self.functions.iter_mut().map(|f| &mut f.body))
    }
}

fn called(nodes: &[Node]) -> Vec<usize> {
    let mut all = Vec::new();
    for node in nodes {
        match node {
            Node::Call(_, call) => all.extend(call.target.functions()),
            _ => node.inner().iter().for_each(|inner| all.extend(called(inner))),
        }
    }
    all
}

impl Node {
    /// The sequences in it.
    pub fn inner(&self) -> Vec<&Vec<Node>> {
        match self {
            Node::If(_, yes, no) => vec![yes, no],
            Node::Loop(_, body) => vec![body],
            Node::Switch(_, cases) => cases.iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// A thread on its way.
struct Thread<'a> {
    program: &'a Program,
    inputs: &'a [u128],
    steps: usize,
    calls: usize,
    wrong: Option<&'static Instance>,
}

fn holds((register, negated): Guard, state: &[u128]) -> bool {
    (state[register] != 0) != negated
}

impl Thread<'_> {
    fn walk(&mut self, nodes: &[Node], state: &mut [u128], depth: u32) -> Flow {
        for node in nodes {
            self.steps += 1;
            let flow = if self.steps > STEPS { Flow::Stop } else { self.step(node, state, depth) };
            if flow != Flow::Next {
                return flow;
            }
        }
        Flow::Next
    }

    fn step(&mut self, node: &Node, state: &mut [u128], depth: u32) -> Flow {
        match node {
            Node::Do(guard, instruction) => {
                if guard.is_none_or(|g| holds(g, state)) {
                    let wrong = self.wrong.is_some_and(|w| std::ptr::eq(w, instruction.instance));
                    execute(instruction, state, wrong);
                }
            }
            Node::Load(guard, register, row) => {
                if guard.is_none_or(|g| holds(g, state)) {
                    state[*register] = low(self.inputs[*row], class_of(*register).bits);
                }
            }
            Node::If(guard, yes, no) => return self.walk(if holds(*guard, state) { yes } else { no }, state, depth),
            Node::Loop(register, body) => {
                for _ in 0..state[*register] & 3 {
                    match self.walk(body, state, depth) {
                        Flow::Break => break,
                        Flow::Next | Flow::Continue => {}
                        other => return other,
                    }
                }
            }
            Node::Switch(register, cases) => return self.walk(&cases[(state[*register] & 3) as usize], state, depth),
            Node::Leave(guard, flow) if holds(*guard, state) => return *flow,
            Node::Leave(..) => {}
            Node::Call(guard, call) => {
                let taken = depth > 0 && guard.is_none_or(|g| holds(g, state));
                if taken && self.call(call, state, depth - 1) == Flow::Stop {
                    return Flow::Stop;
                }
                // The carry flag does not survive a call; the text clears it, taken or not.
                state[CARRY] = 0;
            }
        }
        Flow::Next
    }

    fn call(&mut self, call: &Call, state: &mut [u128], depth: u32) -> Flow {
        self.calls += 1;
        let function = match call.target {
            Target::Function(function) => function,
            Target::Pointer { signature, register, .. } => signature * ALIKE + (state[register] & 1) as usize,
        };
        let (signature, function) = (&self.program.signatures[call.target.signature()], &self.program.functions[function]);
        let mut own = function.constants.clone();
        assert_eq!(own.len(), REGISTERS);
        for (parameter, argument) in signature.parameters.iter().zip(&call.arguments) {
            own[*parameter] = state[*argument];
        }
        if self.walk(&function.body, &mut own, depth) == Flow::Stop {
            return Flow::Stop;
        }
        for (result, register) in signature.results.iter().zip(&call.results) {
            if let Some(register) = register {
                state[*register] = own[*result];
            }
        }
        Flow::Next
    }
}

fn execute(instruction: &Instruction, state: &mut [u128], wrong: bool) {
    let value = |source: &Source| match *source {
        Source::Constant(bits) => bits,
        Source::Register { register, ty, not } => {
            let bits = resize(state[register], class_of(register).bits.min(ty.bits()), ty.bits(), ty.signed());
            if not { bits ^ 1 } else { bits }
        }
    };
    let sources: Vec<u128> = instruction.sources.iter().map(value).collect();
    let mut results = (instruction.instance.one)(instruction.mods, &sources);
    results[0] ^= u128::from(wrong);
    for (result, place) in results.iter().zip(&instruction.results) {
        if let Some((register, ty)) = place {
            state[*register] = resize(*result, ty.bits(), class_of(*register).bits, ty.signed());
        }
    }
}
