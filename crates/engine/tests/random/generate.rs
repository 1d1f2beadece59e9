//! Draws programs.

use crate::program::{ALIKE, Call, Flow, Function, Guard, Instruction, Node, Program, Signature, Source, Target};
use crate::values::{CARRY, CLASSES, Class, PREDICATES, REGISTERS, Random, WORDS, class_of, low, name, resize};
use isa::{Match, Notation, OperandType, Part, Resolution, Role, Shape, Sign, Table, Written};
use machine::Type;
use std::fmt::Write;
use std::sync::LazyLock;

/// The spellings of each form that can be drawn.
pub static FORMS: LazyLock<Vec<Vec<Match>>> = LazyLock::new(|| {
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

pub fn table() -> &'static Table {
    Table::get().unwrap_or_else(|e| panic!("{e}"))
}

/// The kind of node that is a call.
const CALL: usize = 60;

/// Writes a program.
pub struct Generator {
    random: Random,
    /// What can be called.
    signatures: Vec<Signature>,
    /// Whether it is a function that is being written: it has no inputs but parameters.
    called: bool,
    /// Chance that an instruction has a guard, in percent.
    guarded: usize,
    /// Whether there is anything but straight lines.
    structured: bool,
    /// Whether the last instruction wrote the carry flag.
    chain: bool,
}

impl Generator {
    /// The program of a seed.
    pub fn program(seed: u64) -> Program {
        let mut random = Random(seed);
        let guarded = *random.pick(&[0, 0, 30, 90]);
        let structured = random.percent(70);
        let length = 12 + random.below(90);
        let signatures = if random.percent(50) { (0..2).map(|_| signature(&mut random)).collect() } else { Vec::new() };
        let mut generator = Generator { random, guarded, structured, chain: false, signatures, called: false };
        let body = generator.nodes(length, 0, false);
        generator.called = true;
        let functions = (0..generator.signatures.len() * ALIKE).map(|_| generator.function()).collect();
        Program { body, signatures: generator.signatures, functions }
    }

    fn function(&mut self) -> Function {
        let bits = |r: usize| if r == CARRY { 1 } else { class_of(r).bits };
        let constants = (0..REGISTERS).map(|r| self.random.value(bits(r))).collect();
        let length = 1 + self.random.below(14);
        Function { constants, body: self.nodes(length, 1, false) }
    }

    fn nodes(&mut self, length: usize, depth: usize, looping: bool) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut left = length;
        while left > 0 {
            let inner = 1 + self.random.below(12.min(left));
            let kind = if self.structured && depth < 4 && !self.chain { self.random.below(60) } else { 61 };
            let kind = if !self.chain && !self.signatures.is_empty() && self.random.percent(6) { CALL } else { kind };
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
                CALL => self.call(),
                9 => Node::Leave(self.guard(), Flow::Return),
                _ => self.single(),
            });
            left -= if kind < 7 { inner } else { 1 };
        }
        nodes
    }

    fn guard(&mut self) -> Guard {
        (self.random.register(PREDICATES), self.random.percent(50))
    }

    fn call(&mut self) -> Node {
        let guard = self.random.percent(self.guarded).then(|| self.guard());
        let signature = self.random.below(self.signatures.len());
        let target = match self.random.below(3) {
            0 => Target::Pointer { signature, register: self.random.register(WORDS), listed: self.random.percent(50) },
            _ => Target::Function(signature * ALIKE + self.random.below(ALIKE)),
        };
        let Signature { parameters, results, .. } = self.signatures[signature].clone();
        let arguments = parameters.iter().map(|r| self.random.register(class_of(*r))).collect();
        let results = results.iter().map(|r| self.random.percent(80).then(|| self.random.register(class_of(*r)))).collect();
        Node::Call(guard, Box::new(Call { target, arguments, results }))
    }

    fn single(&mut self) -> Node {
        let guard = self.random.percent(self.guarded).then(|| self.guard());
        if !self.chain && !self.called && self.random.percent(15) {
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
        let variants: Vec<&[usize]> = matched.variants().collect();
        let variant = *self.random.pick(&variants);
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
        let minus = part.sign == Sign::Minus && draft.negated.is_none() && self.random.percent(30);
        if minus {
            draft.negated = Some(part.name);
        }
        let not = part.sign == Sign::Not && machine == Type::Pred && self.random.percent(50);
        draft.sources.push((Source::Register { register, ty: machine, not }, machine));
        let plain = || (name(register), plain(Shape::Name));
        let (text, written) = self.selected(part, register).unwrap_or_else(plain);
        let (before, sign) = match (not, minus) {
            (true, _) => ("!", Sign::Not),
            (_, true) => ("-", Sign::Minus),
            _ => ("", Sign::None),
        };
        Some(Some((format!("{before}{text}"), Written { sign, ..written })))
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
        if let Some(range) = part.limits.ranges.first() {
            let steps = (range.last - range.first) / range.step + 1;
            let value = range.first + self.random.below(steps as usize) as i64 * range.step;
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

/// Draws what functions take and give.
fn signature(random: &mut Random) -> Signature {
    let in_registers = random.percent(30);
    let distinct = |random: &mut Random, most: usize| {
        let mut registers: Vec<usize> = Vec::new();
        for _ in 0..random.below(most + 1) {
            // Predicates and 128 bits cannot be passed in registers.
            let class = if in_registers { &CLASSES[1 + random.below(3)] } else { random.pick(&CLASSES) };
            let register = random.register(class);
            if !registers.contains(&register) {
                registers.push(register);
            }
        }
        registers
    };
    Signature { parameters: distinct(random, 6), results: distinct(random, if in_registers { 1 } else { 3 }), in_registers }
}

/// An instruction in the making.
#[derive(Default)]
struct Draft {
    /// The operand with a minus; more than one may not have it.
    negated: Option<&'static str>,
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
        let mut mods = engine::bind::mods(matched.settings.iter().chain(&fit.settings)).unwrap_or_else(|e| panic!("{text} {e}"));
        if let Some(part) = self.negated {
            mods.set(&format!("neg_{part}"), None).unwrap_or_else(|e| panic!("{text} {e}"));
        }
        Some(Instruction {
            text,
            instance,
            mods,
            sources: self.sources.into_iter().map(|s| s.0).collect(),
            results: self.results.into_iter().map(|(register, ty)| Some((register?, ty))).collect(),
        })
    }
}
