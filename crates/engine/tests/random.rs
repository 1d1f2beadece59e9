//! Random programs: the instances of a lane function agree, and so do all ways to schedule them.
//!
//! A seed makes a kernel of instructions drawn from the table, every form whose function is one of a lane, in straight lines,
//! branches, loops, switches. An interpreter below walks it thread by thread with [`Instance::one`]; the engine runs it in rows: full
//! warps and ragged ones, under guards, in diverged groups, in several schedules, with the AVX2 handlers and the baseline ones. All
//! registers must hold the same bits at the end, and without a seeded schedule all threads of a warp must have met again.
//!
//! This says nothing of whether a function is right: both sides call the same one. It holds handlers, masks, register allocation, block
//! order and reconvergence against plain sequential execution.
//!
//! Longest run so far, 2026-11-30: seeds 0 to 999, 68,443 instructions in 3,862 spellings, all agreed.
//!
//! `LOCKSTEP_RANDOM=SEED` runs the program of one seed, as a failure names it.

use engine::{Options, Program};
use isa::{Match, Notation, OperandType, Part, Resolution, Role, Shape, Sign, Table, Written};
use machine::memory::Memory;
use machine::row::Instance;
use machine::state::Gpu;
use machine::{Mods, Type};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::Command;
use std::sync::LazyLock;

/// A class of registers: its letter, type, width and number.
struct Class {
    letter: char,
    ty: &'static str,
    bits: u32,
    first: usize,
    count: usize,
}

const fn class(letter: char, ty: &'static str, bits: u32, first: usize, count: usize) -> Class {
    Class { letter, ty, bits, first, count }
}

/// Registers are numbered through; few of each, so that they are often written again.
const CLASSES: [Class; 5] = [
    class('p', "pred", 1, 0, 6),
    class('h', "b16", 16, 6, 8),
    class('w', "b32", 32, 14, 12),
    class('l', "b64", 64, 26, 8),
    class('q', "b128", 128, 34, 3),
];
const PREDICATES: &Class = &CLASSES[0];
const WORDS: &Class = &CLASSES[2];
/// The carry flag, as a register.
const CARRY: usize = 37;
const REGISTERS: usize = 38;
/// Inputs of a thread: what registers hold at first, and as many fresh values of the same classes.
const ROWS: usize = 2 * REGISTERS;
/// Bytes of a value in memory.
const SLOT: usize = 16;

fn class_of(register: usize) -> &'static Class {
    CLASSES.iter().find(|c| register < c.first + c.count).unwrap_or(PREDICATES)
}

fn name(register: usize) -> String {
    let class = class_of(register);
    format!("%{}{}", class.letter, register - class.first)
}

/// Bits below `width`.
fn low(bits: u128, width: u32) -> u128 {
    bits & (u128::MAX >> (128 - width))
}

/// The low `from` bits, sign- or zero-extended, cut to `to`.
fn resize(bits: u128, from: u32, to: u32, signed: bool) -> u128 {
    let bits = low(bits, from);
    let extended = if signed { ((bits << (128 - from)) as i128 >> (128 - from)) as u128 } else { bits };
    low(extended, to)
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn register(&mut self, class: &Class) -> usize {
        class.first + self.below(class.count)
    }

    /// A value of so many bits: any, small, or at an edge of an integer or floating-point format; wide ones also in parts.
    fn value(&mut self, bits: u32) -> u128 {
        let wide = u128::from(self.next()) << 64 | u128::from(self.next());
        let value = match self.below(6) {
            0 => wide,
            1 => (wide & 0x3f).wrapping_sub(16),
            2 if bits > 16 => self.value(bits / 2) << (bits / 2) | self.value(bits / 2),
            3 => 1 << (wide % u128::from(bits)),
            _ => edge(bits, wide),
        };
        low(value, bits)
    }
}

/// Zero, least, greatest, infinity, NaN, subnormal or near one, with a random sign.
fn edge(bits: u32, random: u128) -> u128 {
    let mantissa = match bits {
        16 if random & 0x100 != 0 => 7,
        16 => 10,
        32 => 23,
        64 => 52,
        _ => return if random & 1 == 0 { 0 } else { u128::MAX },
    };
    let (sign, infinity) = (1u128 << (bits - 1), low(u128::MAX, bits - 1) >> mantissa << mantissa);
    let one = infinity >> 1 & infinity;
    let fraction = random >> 16 & ((1 << mantissa) - 1);
    let magnitude = match random >> 4 & 0xf {
        0 | 1 => 0,
        2 => 1,
        3 => sign - 1,
        4 => infinity,
        5 => infinity | 1,
        6 => infinity | 1 << (mantissa - 1) | fraction,
        7 => fraction,
        8 => infinity - 1,
        9 => one,
        10 => 1 << mantissa,
        11 => (1 << mantissa) - 1,
        _ => one.wrapping_add(fraction).wrapping_sub((random >> 100 & 7) << mantissa),
    };
    magnitude ^ if random & 1 == 0 { 0 } else { sign }
}

/// Where a source's value comes from.
#[derive(Clone, Copy)]
enum Source {
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
struct Instruction {
    text: String,
    instance: &'static Instance,
    mods: Mods,
    sources: Vec<Source>,
    /// `None` for a result that is discarded.
    results: Vec<Option<(usize, Type)>>,
}

/// A predicate, and whether it is negated.
type Guard = (usize, bool);

#[derive(Clone)]
enum Node {
    Do(Option<Guard>, Box<Instruction>),
    /// Loads a row of the inputs into a register.
    Load(Option<Guard>, usize, usize),
    If(Guard, Vec<Node>, Vec<Node>),
    /// Repeats as often as the low bits of a register say.
    Loop(usize, Vec<Node>),
    /// The low bits of a register choose.
    Switch(usize, Vec<Vec<Node>>),
    /// Leaves the innermost loop, or goes on with its next round.
    Leave(Guard, Flow),
}

#[derive(Clone, Copy, PartialEq)]
enum Flow {
    Next,
    Break,
    Continue,
}

fn holds((register, negated): Guard, state: &[u128]) -> bool {
    (state[register] != 0) != negated
}

/// The reference: runs a thread.
fn interpret(nodes: &[Node], state: &mut [u128], inputs: &[u128]) -> Flow {
    for node in nodes {
        let flow = match node {
            Node::Do(guard, instruction) => {
                if guard.is_none_or(|g| holds(g, state)) {
                    execute(instruction, state);
                }
                Flow::Next
            }
            Node::Load(guard, register, row) => {
                if guard.is_none_or(|g| holds(g, state)) {
                    state[*register] = low(inputs[*row], class_of(*register).bits);
                }
                Flow::Next
            }
            Node::If(guard, yes, no) => interpret(if holds(*guard, state) { yes } else { no }, state, inputs),
            Node::Loop(register, body) => {
                for _ in 0..state[*register] & 3 {
                    if interpret(body, state, inputs) == Flow::Break {
                        break;
                    }
                }
                Flow::Next
            }
            Node::Switch(register, cases) => interpret(&cases[(state[*register] & 3) as usize], state, inputs),
            Node::Leave(guard, flow) => {
                if holds(*guard, state) {
                    *flow
                } else {
                    Flow::Next
                }
            }
        };
        if flow != Flow::Next {
            return flow;
        }
    }
    Flow::Next
}

fn execute(instruction: &Instruction, state: &mut [u128]) {
    let value = |source: &Source| match *source {
        Source::Constant(bits) => bits,
        Source::Register { register, ty, not } => {
            let bits = resize(state[register], class_of(register).bits.min(ty.bits()), ty.bits(), ty.signed());
            if not { bits ^ 1 } else { bits }
        }
    };
    let sources: Vec<u128> = instruction.sources.iter().map(value).collect();
    let results = (instruction.instance.one)(instruction.mods, &sources);
    for (result, place) in results.iter().zip(&instruction.results) {
        if let Some((register, ty)) = place {
            state[*register] = resize(*result, ty.bits(), class_of(*register).bits, ty.signed());
        }
    }
}

/// The spellings of each form that can be drawn.
static FORMS: LazyLock<Vec<Vec<Match>>> = LazyLock::new(|| {
    let table = table();
    let mut forms = Vec::new();
    for record in &table.records {
        for form in record.forms.iter().filter(|f| !f.pending) {
            let lane = |f: &semantics::Function| matches!(f.shape, semantics::Shape::Lane(_));
            if form.run.as_ref().and_then(|r| semantics::find(r.function)).is_some_and(lane) {
                let all = table.enumerate(record, form, 200, 1).unwrap_or_else(|e| panic!("{}: {e}", form.text));
                forms.push(all);
            }
        }
    }
    forms
});

fn table() -> &'static Table {
    Table::get().unwrap_or_else(|e| panic!("{e}"))
}

/// Writes a program.
struct Generator {
    random: Random,
    /// Chance that an instruction has a guard, in percent.
    guarded: usize,
    /// Whether there is anything but straight lines.
    structured: bool,
    /// Whether the last instruction wrote the carry flag.
    chain: bool,
}

impl Generator {
    fn program(seed: u64) -> Vec<Node> {
        let mut random = Random(seed);
        let guarded = *random.pick(&[0, 0, 30, 90]);
        let structured = random.percent(70);
        let length = 12 + random.below(90);
        Generator { random, guarded, structured, chain: false }.nodes(length, 0, false)
    }

    fn nodes(&mut self, length: usize, depth: usize, looping: bool) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut left = length;
        while left > 0 {
            let inner = 1 + self.random.below(12.min(left));
            let kind = if self.structured && depth < 4 && !self.chain { self.random.below(60) } else { 60 };
            nodes.push(match kind {
                0..=3 => {
                    let no = if self.random.percent(50) { self.random.below(inner + 1) } else { 0 };
                    let guard = self.guard();
                    Node::If(guard, self.nodes(inner, depth + 1, looping), self.nodes(no, depth + 1, looping))
                }
                4..=5 => Node::Loop(self.random.register(WORDS), self.nodes(inner, depth + 1, true)),
                6 => {
                    let cases = (0..4).map(|_| self.random.below(4)).collect::<Vec<_>>();
                    let cases = cases.into_iter().map(|n| self.nodes(n, depth + 1, looping)).collect();
                    Node::Switch(self.random.register(WORDS), cases)
                }
                7..=8 if looping => Node::Leave(self.guard(), if self.random.percent(50) { Flow::Break } else { Flow::Continue }),
                _ => self.single(),
            });
            left -= if kind < 7 { inner } else { 1 };
        }
        nodes
    }

    fn guard(&mut self) -> Guard {
        (self.random.register(PREDICATES), self.random.percent(50))
    }

    fn single(&mut self) -> Node {
        let guard = self.random.percent(self.guarded).then(|| self.guard());
        if !self.chain && self.random.percent(15) {
            let class = &CLASSES[1 + self.random.below(CLASSES.len() - 1)];
            let row = self.random.register(class) + REGISTERS * self.random.below(2);
            return Node::Load(guard, self.random.register(class), row);
        }
        loop {
            let matched = self.random.pick(&FORMS);
            let matched = self.random.pick(matched);
            let carries = |role: Role| matched.implicit().iter().any(|i| i.role != role);
            if self.chain && !carries(Role::Destination) {
                continue;
            }
            if let Some(instruction) = self.instruction(matched) {
                self.chain = carries(Role::Source) && self.random.percent(70);
                return Node::Do(guard, Box::new(instruction));
            }
        }
    }

    /// The spelling with operands; `None` where it takes others than registers and constants.
    fn instruction(&mut self, matched: &Match) -> Option<Instruction> {
        let variant = self.random.pick(&matched.form.variants).clone();
        let mut draft = Draft::default();
        let (mut texts, mut shapes) = (Vec::new(), Vec::new());
        for (i, operand) in matched.operands.iter().enumerate() {
            let written = variant.contains(&i);
            let pair = match operand.notation {
                Notation::Plain => false,
                Notation::Pair => true,
                Notation::OptionalPair => self.random.percent(50),
                _ => return None,
            };
            let mut parts = Vec::new();
            for (k, part) in operand.parts.iter().enumerate() {
                let given = written && (k == 0 || pair);
                parts.extend(self.part(part, given, &mut draft)?);
            }
            if written {
                let sinks = || [parts[0].1.shape == Shape::Sink, parts[1].1.shape == Shape::Sink];
                let shape = if pair { Written { sign: Sign::None, shape: Shape::Pair(sinks()) } } else { parts[0].1 };
                texts.push(parts.into_iter().map(|p| p.0).collect::<Vec<_>>().join("|"));
                shapes.push(shape);
            }
        }
        for implicit in matched.implicit() {
            if implicit.role != Role::Source {
                draft.results.push((Some(CARRY), Type::Pred));
            }
            if implicit.role != Role::Destination {
                draft.sources.push((Source::Register { register: CARRY, ty: Type::Pred, not: false }, Type::Pred));
            }
        }
        draft.finish(matched, &texts, &shapes)
    }

    /// Draws a part of an operand: what is written, if anything is.
    fn part(&mut self, part: &Part, given: bool, draft: &mut Draft) -> Option<Option<(String, Written<'static>)>> {
        let (count, ty) = match part.ty {
            OperandType::Scalar(ty) => (None, ty),
            OperandType::Vector(n, ty) if part.role == Role::Source => (Some(n), ty),
            _ => return None,
        };
        let machine = engine::bind::machine_type(ty);
        let plain = |shape| Written { sign: Sign::None, shape };
        if part.role != Role::Source {
            if !given || part.limits.sink && self.random.percent(15) {
                draft.results.push((None, machine));
                return Some(given.then(|| ("_".to_owned(), plain(Shape::Sink))));
            }
            let register = self.holder(ty, part.limits.wider)?;
            if draft.results.iter().any(|r| r.0 == Some(register)) {
                return None;
            }
            draft.results.push((Some(register), machine));
            return Some(Some(self.selected(part, register).unwrap_or_else(|| (name(register), plain(Shape::Name)))));
        }
        if !given {
            return Some(None);
        }
        if let Some(count) = count {
            let mut names = Vec::new();
            for _ in 0..count {
                let register = self.holder(ty, part.limits.wider)?;
                draft.sources.push((Source::Register { register, ty: machine, not: false }, machine));
                names.push(name(register));
            }
            return Some(Some((format!("{{{}}}", names.join(", ")), plain(Shape::Vector(count as usize)))));
        }
        if part.limits.immediate || !part.limits.register && self.random.percent(20) {
            if let Some((text, shape, bits)) = self.constant(part, ty) {
                draft.sources.push((Source::Constant(low(bits, machine.bits())), machine));
                return Some(Some((text, plain(shape))));
            }
            if part.limits.immediate {
                return None;
            }
        }
        let register = self.holder(ty, part.limits.wider)?;
        let not = part.sign == Sign::Not && machine == Type::Pred && self.random.percent(50);
        draft.sources.push((Source::Register { register, ty: machine, not }, machine));
        if let Some(selected) = self.selected(part, register) {
            return Some(Some(selected));
        }
        let sign = if not { Sign::Not } else { Sign::None };
        let text = if not { format!("!{}", name(register)) } else { name(register) };
        Some(Some((text, Written { sign, shape: Shape::Name })))
    }

    /// The register with a selector, where one may be written.
    fn selected(&mut self, part: &Part, register: usize) -> Option<(String, Written<'static>)> {
        let (words, needed) = part.selector?;
        if !needed && self.random.percent(40) {
            return None;
        }
        let word = *self.random.pick(words);
        let word = self.drawn(word);
        let shape = Shape::Selected(&word[1..]);
        Some((format!("{}{word}", name(register)), Written { sign: Sign::None, shape }))
    }

    /// A word, with a digit drawn for each class of digits such as `[0-7]`. It stays in memory, as the table's words do.
    fn drawn(&mut self, word: &'static str) -> &'static str {
        let mut parts = word.split('[');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (class, rest) = part.split_once(']').unwrap_or((part, ""));
            let ends: Vec<usize> = class.split('-').filter_map(|d| d.parse().ok()).collect();
            let [first, last] = ends[..] else { panic!("`{word}` is no pattern of digits") };
            let _ = write!(text, "{}{rest}", first + self.random.below(last - first + 1));
        }
        if text == word { word } else { text.leak() }
    }

    /// A register that may hold the type.
    fn holder(&mut self, ty: &isa::Type, wider: bool) -> Option<usize> {
        let holds = |c: &&Class| table().type_named(c.ty).is_some_and(|register| ty.held_by(register, wider));
        let classes: Vec<&Class> = CLASSES.iter().filter(holds).collect();
        if classes.is_empty() {
            return None;
        }
        let class = if self.random.percent(75) { classes[0] } else { *self.random.pick(&classes) };
        Some(self.random.register(class))
    }

    /// A constant of the type: its text, shape and bits.
    fn constant(&mut self, part: &Part, ty: &isa::Type) -> Option<(String, Shape<'static>, u128)> {
        let bits = self.random.value(ty.bits.min(64));
        if let Some((first, last)) = part.limits.range {
            let value = first + self.random.below((last - first + 1) as usize) as i64;
            return Some((value.to_string(), Shape::Integer(value.into()), value as u128));
        }
        match (ty.class, ty.bits) {
            (isa::Class::Float, 32) if ty.takes_float() => Some((format!("0f{bits:08x}"), Shape::Float, bits)),
            (isa::Class::Float, 64) if ty.takes_float() => Some((format!("0d{bits:016x}"), Shape::Float, bits)),
            (isa::Class::Integer | isa::Class::Bits, 8..=64) if ty.takes_integer() => {
                let signed = resize(bits, ty.bits, 128, true) as i128;
                let value = if ty.signed() { signed } else { bits as i128 };
                Some((value.to_string(), Shape::Integer(value), bits))
            }
            _ => None,
        }
    }
}

/// An instruction in the making.
#[derive(Default)]
struct Draft {
    sources: Vec<(Source, Type)>,
    results: Vec<(Option<usize>, Type)>,
}

impl Draft {
    fn finish(self, matched: &Match, texts: &[String], shapes: &[Written]) -> Option<Instruction> {
        let opcode = matched.opcode();
        let text = format!("{opcode} {};", texts.join(", "));
        // What a reader of the text takes it for: several forms of an opcode may take the same operands.
        let Ok(Resolution::Matches(matches)) = table().resolve(&opcode) else { panic!("`{opcode}` is not found") };
        let (chosen, fit) = isa::fit(&matches, shapes).unwrap_or_else(|e| panic!("{text} {}", e.message));
        let matched = &matches[chosen];
        let semantics::Shape::Lane(instances) = semantics::find(matched.function()?)?.shape else { return None };
        let types: (Vec<Type>, Vec<Type>) =
            (self.results.iter().map(|r| r.1).collect(), self.sources.iter().map(|s| s.1).collect());
        let instance = semantics::instance(instances, &types.0, &types.1)?;
        let mods = engine::bind::mods(matched.settings.iter().chain(&fit.settings)).unwrap_or_else(|e| panic!("{text} {e}"));
        Some(Instruction {
            text,
            instance,
            mods,
            sources: self.sources.into_iter().map(|s| s.0).collect(),
            results: self.results.into_iter().map(|(register, ty)| Some((register?, ty))).collect(),
        })
    }
}

/// Prints a program as PTX.
#[derive(Default)]
struct Printer {
    text: String,
    /// Labels and the temporaries of loops are numbered.
    number: usize,
    /// The numbers of the loops around.
    loops: Vec<usize>,
}

fn guarded(guard: Option<Guard>) -> String {
    guard.map_or(String::new(), |(p, not)| format!("@{}{} ", if not { "!" } else { "" }, name(p)))
}

impl Printer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }

    fn kernel(nodes: &[Node]) -> String {
        let mut body = Printer::default();
        nodes.iter().for_each(|n| body.node(n));
        let mut all = Printer::default();
        all.line(".version 9.4\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 i, .param .u64 o)\n{");
        for class in &CLASSES {
            let _ = writeln!(all.text, ".reg .{} %{}<{}>;", class.ty, class.letter, class.count);
        }
        let _ = writeln!(all.text, ".reg .b32 %x, %y, %z, %t<{n}>, %c<{n}>;\n.reg .pred %b<{n}>;", n = body.number + 1);
        all.line(".reg .b64 %in, %out, %u, %v;\nmov.u32 %x, %ctaid.x;\nmov.u32 %y, %ntid.x;\nmov.u32 %z, %tid.x;");
        all.line("mad.lo.u32 %x, %x, %y, %z;\nld.param.u64 %in, [i];\nld.param.u64 %out, [o];");
        let _ = writeln!(all.text, "mad.wide.u32 %in, %x, {}, %in;", ROWS * SLOT);
        let _ = writeln!(all.text, "mad.wide.u32 %out, %x, {}, %out;", (REGISTERS + 1) * SLOT);
        (0..REGISTERS).for_each(|r| all.load(None, r, r));
        all.text += &body.text;
        (0..REGISTERS).for_each(|r| all.store(r));
        let _ = writeln!(all.text, "activemask.b32 %x;\nst.global.u32 [%out+{}], %x;\nret;\n}}", REGISTERS * SLOT);
        all.text
    }

    fn load(&mut self, guard: Option<Guard>, register: usize, row: usize) {
        let (at, guard, bits) = (row * SLOT, guarded(guard), class_of(register).bits);
        let to = name(register);
        let _ = match bits {
            _ if register == CARRY => writeln!(self.text, "ld.global.u32 %x, [%in+{at}];\nadd.cc.u32 %x, %x, -1;"),
            1 => writeln!(self.text, "ld.global.u32 %x, [%in+{at}];\nsetp.ne.u32 {to}, %x, 0;"),
            128 => writeln!(self.text, "ld.global.v2.b64 {{%u, %v}}, [%in+{at}];\n{guard}mov.b128 {to}, {{%u, %v}};"),
            _ => writeln!(self.text, "{guard}ld.global.b{bits} {to}, [%in+{at}];"),
        };
    }

    fn store(&mut self, register: usize) {
        let (at, bits, from) = (register * SLOT, class_of(register).bits, name(register));
        let _ = match bits {
            _ if register == CARRY => writeln!(self.text, "addc.u32 %x, 0, 0;\nst.global.u32 [%out+{at}], %x;"),
            1 => writeln!(self.text, "selp.u32 %x, 1, 0, {from};\nst.global.u32 [%out+{at}], %x;"),
            128 => writeln!(self.text, "mov.b128 {{%u, %v}}, {from};\nst.global.v2.b64 [%out+{at}], {{%u, %v}};"),
            _ => writeln!(self.text, "st.global.b{bits} [%out+{at}], {from};"),
        };
    }

    fn node(&mut self, node: &Node) {
        self.number += 1;
        let n = self.number;
        match node {
            Node::Do(guard, instruction) => self.line(&format!("{}{}", guarded(*guard), instruction.text)),
            Node::Load(guard, register, row) => self.load(*guard, *register, *row),
            Node::If((p, not), yes, no) => {
                self.line(&format!("{}bra E{n};", guarded(Some((*p, !not)))));
                yes.iter().for_each(|node| self.node(node));
                if !no.is_empty() {
                    self.line(&format!("bra F{n};"));
                }
                self.line(&format!("E{n}:"));
                no.iter().for_each(|node| self.node(node));
                self.line(&format!("F{n}:"));
            }
            Node::Loop(register, body) => {
                self.line(&format!("and.b32 %t{n}, {}, 3;\nmov.u32 %c{n}, 0;\nL{n}:", name(*register)));
                self.line(&format!("setp.ge.u32 %b{n}, %c{n}, %t{n};\n@%b{n} bra B{n};"));
                self.loops.push(n);
                body.iter().for_each(|node| self.node(node));
                self.loops.pop();
                self.line(&format!("N{n}:\nadd.u32 %c{n}, %c{n}, 1;\nbra L{n};\nB{n}:"));
            }
            Node::Switch(register, cases) => {
                self.line(&format!("and.b32 %t{n}, {}, 3;", name(*register)));
                self.line(&format!("T{n}: .branchtargets S{n}_0, S{n}_1, S{n}_2, S{n}_3;\nbrx.idx %t{n}, T{n};"));
                for (i, case) in cases.iter().enumerate() {
                    self.line(&format!("S{n}_{i}:"));
                    case.iter().for_each(|node| self.node(node));
                    self.line(&format!("bra F{n};"));
                }
                self.line(&format!("F{n}:"));
            }
            Node::Leave(guard, flow) => {
                let to = if *flow == Flow::Break { 'B' } else { 'N' };
                let around = self.loops.last().copied().unwrap_or_default();
                self.line(&format!("{}bra {to}{around};", guarded(Some(*guard))));
            }
        }
    }
}

/// How the engine runs a program.
struct Run {
    blocks: u32,
    threads: u32,
    schedule: Option<u64>,
}

/// Inputs of all threads; about every fourth row is the same for all of them.
fn inputs(seed: u64, threads: usize) -> Vec<Vec<u128>> {
    let mut random = Random(!seed);
    let bits = |row: usize| if row % REGISTERS == CARRY { 1 } else { class_of(row % REGISTERS).bits };
    let mut rows: Vec<Vec<u128>> = vec![Vec::new(); threads];
    for row in 0..ROWS {
        let uniform = random.percent(25).then(|| random.value(bits(row)));
        rows.iter_mut().for_each(|r| r.push(uniform.unwrap_or_else(|| random.value(bits(row)))));
    }
    rows
}

/// Runs a program both ways; says where they differ.
fn compare(nodes: &[Node], seed: u64, run: &Run) -> Result<(), String> {
    let threads = (run.blocks * run.threads) as usize;
    let inputs = inputs(seed, threads);
    let ptx = Printer::kernel(nodes);
    let found = execute_kernel(&ptx, &inputs, run)?;
    for (thread, inputs) in inputs.iter().enumerate() {
        let mut state = inputs[..REGISTERS].to_vec();
        interpret(nodes, &mut state, inputs);
        let found = &found[thread * (REGISTERS + 1)..][..REGISTERS + 1];
        if let Some(r) = (0..REGISTERS).find(|r| found[*r] != state[*r]) {
            let (register, one, row) = (if r == CARRY { "carry".to_owned() } else { name(r) }, state[r], found[r]);
            return Err(format!("{register} of thread {thread} is 0x{row:x} in the engine, 0x{one:x} value by value"));
        }
        let first = thread as u32 % run.threads / 32 * 32;
        let together = u32::MAX >> (32 - (run.threads - first).min(32));
        // A seeded schedule lets groups give way anywhere, so that threads need not meet.
        if run.schedule.is_none() && found[REGISTERS] != u128::from(together) {
            return Err(format!("thread {thread} ends in a group of 0x{:x}, not 0x{together:x}", found[REGISTERS]));
        }
    }
    Ok(())
}

/// The registers of all threads at the end, each thread's followed by its group.
fn execute_kernel(ptx: &str, inputs: &[Vec<u128>], run: &Run) -> Result<Vec<u128>, String> {
    let memory = Memory::new(1 << 28);
    let sources = [("random.ptx".to_owned(), ptx.to_owned())];
    let program = Program::load(table(), &sources, &memory).map_err(|(_, p)| format!("refused: {}", p[0].1.message))?;
    let kernel = program.kernel("k").map_err(|p| {
        let d = &p[0].1;
        format!("refused: {}: {} {:?}", d.labels[0].span.text(ptx), d.message, d.notes)
    })?;
    let bytes: Vec<u8> = inputs.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let mut out = vec![0; inputs.len() * (REGISTERS + 1) * SLOT];
    let input = memory.allocate(bytes.len() as u64, true).ok_or("no memory")?;
    let output = memory.allocate(out.len() as u64, true).ok_or("no memory")?;
    assert!(memory.write(input, &bytes));
    let params: Vec<u8> = [input, output].iter().flat_map(|a| a.to_le_bytes()).collect();
    let gpu = Gpu { multiprocessors: 4, warps: 64, shared: 48 << 10, shared_multiprocessor: 100 << 10 };
    let shape = engine::Shape { grid: [run.blocks, 1, 1], block: [run.threads, 1, 1], shared: 0 };
    let options = Options { threads: 1, max_instructions: Some(10_000_000), seed: run.schedule, ..Options::default() };
    engine::launch(&kernel, shape, &params, &memory, gpu, &options).map_err(|f| format!("stopped: {:?}", f.why))?;
    assert!(memory.read(output, &mut out));
    Ok(out.chunks_exact(SLOT).map(|b| u128::from_le_bytes(b.try_into().unwrap_or_default())).collect())
}

/// The program without its node number `at`, counted through; `None` if it has fewer.
fn without(nodes: &[Node], at: &mut usize) -> Vec<Node> {
    let mut kept = Vec::new();
    for node in nodes {
        let drop = *at == 0;
        *at = at.wrapping_sub(1);
        match node {
            _ if drop => {}
            Node::If(guard, yes, no) => kept.push(Node::If(*guard, without(yes, at), without(no, at))),
            Node::Loop(register, body) => kept.push(Node::Loop(*register, without(body, at))),
            Node::Switch(register, cases) => {
                kept.push(Node::Switch(*register, cases.iter().map(|c| without(c, at)).collect()));
            }
            other => kept.push(other.clone()),
        }
    }
    kept
}

fn count(nodes: &[Node]) -> usize {
    let inner = |node: &Node| match node {
        Node::If(_, yes, no) => count(yes) + count(no),
        Node::Loop(_, body) => count(body),
        Node::Switch(_, cases) => cases.iter().map(|c| count(c)).sum(),
        _ => 0,
    };
    nodes.iter().map(|n| 1 + inner(n)).sum()
}

/// Leaves out whatever can be left out with the two sides still different.
fn shrink(mut nodes: Vec<Node>, seed: u64, run: &Run) -> Vec<Node> {
    for at in (0..count(&nodes)).rev() {
        let less = without(&nodes, &mut { at });
        if compare(&less, seed, run).is_err() {
            nodes = less;
        }
    }
    nodes
}

fn spellings(nodes: &[Node], seen: &mut BTreeSet<String>) {
    for node in nodes {
        match node {
            Node::Do(_, i) => {
                seen.insert(i.text.split(' ').next().unwrap_or_default().to_owned());
            }
            Node::If(_, yes, no) => [yes, no].into_iter().for_each(|n| spellings(n, seen)),
            Node::Loop(_, body) => spellings(body, seen),
            Node::Switch(_, cases) => cases.iter().for_each(|n| spellings(n, seen)),
            _ => {}
        }
    }
}

fn check(seeds: impl Iterator<Item = u64>) {
    let (mut programs, mut instructions, mut seen, mut failures) = (0, 0, BTreeSet::new(), Vec::new());
    for seed in seeds {
        let nodes = Generator::program(seed);
        let runs = [
            Run { blocks: 1, threads: 64, schedule: None },
            Run { blocks: 1, threads: 51, schedule: None },
            Run { blocks: 2, threads: 45, schedule: Some(seed) },
            Run { blocks: 1, threads: 7, schedule: Some(!seed) },
        ];
        for run in &runs {
            if let Err(why) = compare(&nodes, seed, run) {
                let small = shrink(nodes.clone(), seed, run);
                let why = compare(&small, seed, run).err().unwrap_or(why);
                let Run { blocks, threads, schedule } = run;
                let launch = format!("{blocks} blocks of {threads} threads, schedule {schedule:?}");
                failures.push(format!("seed {seed}, {launch}: {why}\n{}", Printer::kernel(&small)));
                break;
            }
        }
        programs += 1;
        instructions += count(&nodes);
        spellings(&nodes, &mut seen);
        if failures.len() >= 10 {
            break;
        }
    }
    println!("{programs} programs, {instructions} instructions, {} spellings of {} forms", seen.len(), FORMS.len());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn programs_agree() {
    match std::env::var("LOCKSTEP_RANDOM").ok().and_then(|s| s.parse().ok()) {
        Some(seed) => check(std::iter::once(seed)),
        None => check(0..600),
    }
}

/// The same for longer.
#[test]
#[ignore = "takes minutes"]
fn many_programs_agree() {
    check(600..10_600);
}

/// Which handlers run is decided once a process, so the baseline ones need another.
#[test]
fn baseline_handlers_agree() {
    let test = std::env::current_exe().unwrap_or_else(|e| panic!("{e}"));
    let mut command = Command::new(test);
    let output = command.args(["--exact", "programs_agree", "--nocapture"]).env("LOCKSTEP_BASELINE", "1").output();
    let output = output.unwrap_or_else(|e| panic!("{e}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}
