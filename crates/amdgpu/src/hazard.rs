//! Which instructions of a program follow each other more closely than hardware takes care of.
//!
//! `isa/amdgpu/hazards.isa` has the rules. [`Rules`] is what one target makes of them, [`Facts`] what the rules ask of an instruction. A rule is
//! looked for from its second instruction backwards: over all paths of a program ([`Rules::search`]), or over what a wavefront has issued
//! ([`Rules::replay`]). Both take the same step from one instruction to the one before (`Walk`). What lies further back than a few hundred
//! instructions is not looked at.

use std::collections::{HashMap, HashSet};

use isa::amdgpu::hazards::{By, Class, Consequence, Hazard, Hazards, Kind, MOST_APART, Part, Pick, Uses, matches};

use crate::codec::access::Register;
use crate::codec::register::{Meaning, RegisterFile};
use crate::codec::value::What;
use crate::codec::{Bits, Codec, Decoded, Entry};

/// Steps backwards that a rule is followed from one instruction.
const MOST_STEPS: usize = 1024;

/// Where registers begin that are not scalar ones in the numbering of this module: vector, accumulation and hardware registers.
const VECTORS: u16 = 1024;
const ACCUMULATORS: u16 = 2048;
const SETTINGS: u16 = 4096;
/// How many numbers there are.
const REGISTERS: usize = 4096 + 64;

/// The rules of one target.
#[derive(Debug)]
pub struct Rules {
    all: &'static Hazards,
    rules: Vec<Rule>,
    /// The classes that the rules ask for, directly or not.
    needed: Vec<bool>,
}

/// A rule, and the registers of each of its parts.
#[derive(Debug)]
struct Rule {
    hazard: &'static Hazard,
    /// What says that hardware of the target waits all the same.
    against: Option<&'static str>,
    before: Vec<Step>,
    first: Vec<Step>,
    then: Vec<Step>,
    apart: Vec<(u32, Step)>,
    ends: Vec<Step>,
    lapses: Vec<Step>,
}

/// An instruction of a rule, with the numbers of its registers on the target.
#[derive(Debug)]
struct Step {
    class: u128,
    same: Option<bool>,
    registers: Option<(&'static Uses, Span)>,
}

/// The registers of a kind: at most two runs of numbers, each with the one behind its last.
type Span = [(u16, u16); 2];

/// What rules ask of one instruction.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The classes that it belongs to.
    classes: u128,
    /// Wait states that it takes.
    states: u32,
    /// Its mnemonic.
    name: &'static str,
    used: Vec<Used>,
}

/// Registers that an instruction uses.
#[derive(Clone, Copy, Debug)]
struct Used {
    first: u16,
    count: u16,
    reads: bool,
    writes: bool,
    operand: Option<&'static str>,
}

/// Makes facts of the instructions of a program; remembers what depends on their forms alone.
#[derive(Debug)]
pub struct Reader<'r, 'c> {
    rules: &'r Rules,
    codec: &'c Codec,
    /// By form, whether each line of each class names it.
    named: HashMap<*const Entry, Vec<bool>>,
}

/// A rule that is broken.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub hazard: &'static Hazard,
    /// What says that hardware of the target waits all the same, if something does.
    pub against: Option<&'static str>,
    /// The first instruction, counted from 0.
    pub first: usize,
    /// The one that comes too early.
    pub then: usize,
    /// The register by which they depend on each other, if it is one.
    pub register: Option<String>,
    /// How much lies between: wait states, then each distance that the rule counts.
    states: u32,
    apart: [u32; MOST_APART],
    /// Which of the rule's second instructions it is.
    part: usize,
}

/// Where a rule may be broken: the instruction that may come too early, the rule, and which of its second instructions it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// The instruction, counted from 0.
    pub then: usize,
    rule: usize,
    part: usize,
}

/// A rule that is being followed backwards.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Walk {
    /// The first instruction, once it is found: what came before it is looked for.
    first: Option<usize>,
    states: u32,
    apart: [u32; MOST_APART],
    /// Registers by which the instructions may depend on each other.
    shared: Vec<u16>,
    register: Option<u16>,
}

/// What an instruction means for a rule that is being followed.
enum Next {
    /// It is looked for further back.
    Go,
    /// All is well.
    Stop,
    /// It is broken.
    Found,
}

impl Rules {
    /// The rules that hold for a target and its wavefronts.
    ///
    /// # Errors
    /// What is wrong with the records.
    pub fn of(codec: &Codec) -> Result<Rules, String> {
        let all = Hazards::get().map_err(|problems| problems.to_string())?;
        let holds = |hazard: &&Hazard| hazard.targets.has(codec.target) && hazard.wave.is_none_or(|wave| wave == codec.wave);
        let rules: Vec<Rule> = all.hazards.iter().filter(holds).map(|hazard| Rule::new(hazard, codec)).collect();
        let asked = rules.iter().flat_map(Rule::steps).fold(0, |all, step| all | step.class);
        let mut needed: Vec<bool> = (0..all.classes.len()).map(|class| asked >> class & 1 == 1).collect();
        // Classes name those that stand before them.
        for at in (0..needed.len()).rev().collect::<Vec<_>>() {
            let names = all.classes[at].picks.iter().filter(|pick| matches!(pick.by, By::Classes | By::Except));
            for other in names.flat_map(|pick| &pick.names).filter_map(|name| all.class(name)) {
                needed[other] |= needed[at];
            }
        }
        Ok(Rules { all, rules, needed })
    }

    /// Reads instructions of the target.
    pub fn reader<'r, 'c>(&'r self, codec: &'c Codec) -> Reader<'r, 'c> {
        Reader { rules: self, codec, named: HashMap::new() }
    }

    /// Where rules may be broken on some path, with one finding each. `after` gives the instructions that may follow one.
    pub fn search(&self, codec: &Codec, facts: &[Facts], after: impl Fn(usize) -> [Option<usize>; 2]) -> Vec<(Suspect, Finding)> {
        let mut found = Vec::new();
        let mut program = None;
        for (number, rule) in self.rules.iter().enumerate() {
            let Some(possible) = rule.possible(facts) else { continue };
            for (then, fact) in facts.iter().enumerate() {
                for part in 0..rule.then.len() {
                    let Some(walk) = rule.begin(part, fact).filter(|walk| possible.may(walk)) else { continue };
                    let program = program.get_or_insert_with(|| Program::new(facts, &after));
                    if let Some((walk, first)) = program.follow(rule, part, then, walk) {
                        let suspect = Suspect { then, rule: number, part };
                        found.push((suspect, self.finding(codec, suspect, &walk, first)));
                    }
                }
            }
        }
        found
    }

    /// The rules of these suspects that an instruction breaks, if it is issued after others: `before` has them, the latest first.
    pub fn replay(
        &self,
        codec: &Codec,
        facts: &[Facts],
        suspects: &[Suspect],
        before: impl Iterator<Item = usize> + Clone,
    ) -> Vec<Finding> {
        let broken = |suspect: &Suspect| {
            let (rule, then) = (&self.rules[suspect.rule], facts.get(suspect.then)?);
            let mut walk = rule.begin(suspect.part, then)?;
            for at in before.clone() {
                match rule.step(suspect.part, &mut walk, then, at, facts.get(at)?) {
                    Next::Go => {}
                    Next::Stop => return None,
                    Next::Found => {
                        let first = walk.first.unwrap_or(at);
                        return Some(self.finding(codec, *suspect, &walk, first));
                    }
                }
            }
            None
        };
        suspects.iter().filter_map(broken).collect()
    }

    fn finding(&self, codec: &Codec, suspect: Suspect, walk: &Walk, first: usize) -> Finding {
        Finding {
            hazard: self.rules[suspect.rule].hazard,
            against: self.rules[suspect.rule].against,
            first,
            then: suspect.then,
            register: walk.register.map(|register| name_of(codec, register)),
            states: walk.states,
            apart: walk.apart,
            part: suspect.part,
        }
    }
}

impl Finding {
    /// What is wrong, one line.
    pub fn message(&self) -> String {
        let verb = |part: Option<&Part>| match part.and_then(|part| part.registers.as_ref()) {
            Some(uses) if uses.reads && uses.writes => "uses",
            Some(uses) if uses.writes => "writes",
            _ => "reads",
        };
        let (found, unit) = match (self.hazard.states, self.hazard.apart.first()) {
            (Some(states), _) => (self.states, format!("of {states} wait states that are needed")),
            (None, Some((count, part))) => (self.apart[0], format!("of {count} instructions needed ({})", title(part))),
            (None, None) => {
                let end = self.hazard.ends.last().map_or("", |part| title(part));
                return match &self.register {
                    Some(register) => format!("{} `{register}` without {}", verb(self.hazard.then.get(self.part)), article(end)),
                    None => format!("comes too early: without {}", article(end)),
                };
            }
        };
        match &self.register {
            Some(register) => {
                format!("{} `{register}` too early: after {found} {unit}", verb(self.hazard.then.get(self.part)))
            }
            None => format!("comes too early: after {found} {unit}"),
        }
    }

    /// The rule, with its source.
    pub fn note(&self) -> String {
        let becomes = match (self.against, self.hazard.consequence) {
            (Some(_), _) => "hardware is not said to wait here",
            (None, Consequence::Result) => "hardware does not wait here, and what is computed is open",
            (None, Consequence::Hang) => "hardware does not wait here and may never go on",
        };
        let source = self.hazard.src.first().copied().unwrap_or_default();
        let title = lower(self.hazard.title);
        match self.against {
            Some(against) => format!("{title}: {becomes} ({source}); but {}", lower(against)),
            None => format!("{title}: {becomes} ({source})"),
        }
    }

    /// How it is made right.
    pub fn help(&self) -> String {
        let mut ways = Vec::new();
        if let Some(states) = self.hazard.states {
            let missing = states.saturating_sub(self.states);
            let plural = if missing == 1 { "" } else { "s" };
            ways.push(format!("put `s_nop {}` before it, or {missing} other instruction{plural}", missing.saturating_sub(1)));
        }
        for (at, (count, part)) in self.hazard.apart.iter().enumerate() {
            ways.push(format!("{} more of: {}", count.saturating_sub(self.apart[at]), lower(title(part))));
        }
        ways.extend(self.hazard.ends.iter().map(|part| format!("put between them: {}", lower(title(part)))));
        ways.join("; or ")
    }
}

/// The title of the class of a part.
fn title(part: &Part) -> &'static str {
    Hazards::get().ok().and_then(|all| all.classes.get(part.class)).map_or("", |class| class.title)
}

fn lower(text: &str) -> String {
    // Names of registers and units stay as they are.
    let is_name = text.chars().nth(1).is_some_and(|c| c.is_uppercase() || c.is_ascii_digit());
    match text.chars().next() {
        Some(first) if !is_name => first.to_lowercase().chain(text.chars().skip(1)).collect(),
        _ => text.to_owned(),
    }
}

fn article(text: &str) -> String {
    let text = lower(text);
    if text.starts_with("a ") { text } else { format!("what ends it: {text}") }
}

/// How a register is written.
fn name_of(codec: &Codec, register: u16) -> String {
    let mut text = String::new();
    let numbered = |name, first: u16, text: &mut String| RegisterFile::print_numbered(name, first, 1, text);
    match register {
        SETTINGS.. => text = format!("hardware register {}", register - SETTINGS),
        ACCUMULATORS.. => numbered("a", register - ACCUMULATORS, &mut text),
        VECTORS.. => numbered("v", register - VECTORS, &mut text),
        _ => match codec.registers().meaning(register, 1) {
            Meaning::Numbered(range, first) => numbered(range, first, &mut text),
            Meaning::Named(name) => text.push_str(name),
            _ => text = format!("scalar register {register}"),
        },
    }
    text
}

impl Rule {
    fn new(hazard: &'static Hazard, codec: &Codec) -> Rule {
        let steps = |parts: &'static [Part]| parts.iter().map(|part| Step::new(part, codec)).collect();
        Rule {
            hazard,
            against: hazard.against.iter().find(|against| against.0.has(codec.target)).map(|against| against.1),
            before: steps(&hazard.before),
            first: steps(&hazard.first),
            then: steps(&hazard.then),
            apart: hazard.apart.iter().map(|(count, part)| (*count, Step::new(part, codec))).collect(),
            ends: steps(&hazard.ends),
            lapses: steps(&hazard.lapses),
        }
    }

    fn steps(&self) -> impl Iterator<Item = &Step> {
        let lists = [&self.before, &self.first, &self.then, &self.ends, &self.lapses];
        lists.into_iter().flatten().chain(self.apart.iter().map(|apart| &apart.1))
    }

    /// What of a program can be the first instruction, and the one before it; none if nothing can.
    fn possible(&self, facts: &[Facts]) -> Option<Possible> {
        let mut possible =
            Possible { any: self.first.iter().any(|step| step.registers.is_none()), registers: vec![false; REGISTERS] };
        let mut exists = [false; 2];
        for fact in facts {
            for (exists, steps) in exists.iter_mut().zip([&self.first, &self.before]) {
                *exists |= steps.iter().any(|step| step.is_met(fact));
            }
            for register in self.first.iter().filter(|step| step.is_met(fact)).flat_map(|step| step.registers_of(fact)) {
                possible.registers[usize::from(register)] = true;
            }
        }
        let kinds_differ = |first: &Step| self.then.iter().any(|then| !same_kind(first, then));
        possible.any |= self.first.iter().any(kinds_differ);
        (exists[0] && (exists[1] || self.before.is_empty())).then_some(possible)
    }

    /// Begins at the second instruction.
    fn begin(&self, part: usize, then: &Facts) -> Option<Walk> {
        let step = &self.then[part];
        let walk = |shared| Walk { first: None, states: 0, apart: [0; MOST_APART], shared, register: None };
        step.is_met(then).then(|| walk(step.registers_of(then).collect()))
    }

    /// Looks at an instruction before those that were looked at.
    fn step(&self, part: usize, walk: &mut Walk, then: &Facts, at: usize, fact: &Facts) -> Next {
        let second = &self.then[part];
        if walk.first.is_some() {
            if self.before.iter().any(|step| step.is_met(fact) && (step.registers.is_none() || step.meets(fact, &walk.shared))) {
                return Next::Found;
            }
            return if self.lapses.iter().any(|step| step.is_met(fact)) { Next::Stop } else { Next::Go };
        }
        for first in
            self.first.iter().filter(|step| step.is_met(fact) && second.same.is_none_or(|same| same == (fact.name == then.name)))
        {
            let shared: Vec<u16> = match same_kind(first, second) {
                true => first.registers_of(fact).filter(|register| walk.shared.contains(register)).collect(),
                false => first.registers_of(fact).collect(),
            };
            if shared.is_empty() && first.registers.is_some() {
                continue;
            }
            walk.register = shared.first().copied();
            if self.before.is_empty() {
                return Next::Found;
            }
            (walk.first, walk.shared) = (Some(at), shared);
            return Next::Go;
        }
        if self.is_over(second, walk, fact) { Next::Stop } else { Next::Go }
    }

    /// Whether nothing that lies before an instruction can matter.
    fn is_over(&self, second: &Step, walk: &mut Walk, fact: &Facts) -> bool {
        // What was written since then is another value, which hardware knows of.
        let reads = second.registers.is_some_and(|(uses, _)| !uses.writes);
        if reads
            && self.first.iter().all(|first| same_kind(first, second) && first.registers.is_some_and(|(uses, _)| uses.writes))
        {
            walk.shared.retain(|register| !fact.used.iter().any(|used| used.writes && used.holds(*register)));
            if walk.shared.is_empty() {
                return true;
            }
        }
        walk.states += fact.states;
        if self.hazard.states.is_some_and(|states| walk.states >= states) {
            return true;
        }
        for ((count, step), found) in self.apart.iter().zip(&mut walk.apart) {
            *found += u32::from(step.is_met(fact));
            if *found >= *count {
                return true;
            }
        }
        self.ends.iter().any(|step| step.is_met(fact))
    }
}

/// Whether both speak of the same registers, so that it must be the same one.
fn same_kind(a: &Step, b: &Step) -> bool {
    a.registers.zip(b.registers).is_some_and(|(a, b)| a.0.kind == b.0.kind)
}

/// The registers of first instructions of a rule in a program.
struct Possible {
    any: bool,
    registers: Vec<bool>,
}

impl Possible {
    fn may(&self, walk: &Walk) -> bool {
        self.any || walk.shared.iter().any(|register| self.registers[usize::from(*register)])
    }
}

impl Step {
    fn new(part: &'static Part, codec: &Codec) -> Step {
        let registers = part.registers.as_ref().map(|uses| (uses, span(uses.kind, codec)));
        Step { class: 1 << part.class, same: part.same, registers }
    }

    /// Whether an instruction is one of these, and uses registers as it says.
    fn is_met(&self, fact: &Facts) -> bool {
        fact.classes & self.class != 0 && (self.registers.is_none() || self.registers_of(fact).next().is_some())
    }

    /// Whether an instruction uses one of some registers so.
    fn meets(&self, fact: &Facts, registers: &[u16]) -> bool {
        self.registers_of(fact).any(|register| registers.contains(&register))
    }

    /// The registers of an instruction that matter.
    fn registers_of<'a>(&'a self, fact: &'a Facts) -> impl Iterator<Item = u16> + 'a {
        let matching = |(uses, span): (&'static Uses, Span)| {
            fact.used.iter().filter(move |used| used.is_so(uses)).flat_map(move |used| used.within(span))
        };
        self.registers.into_iter().flat_map(matching)
    }
}

impl Used {
    fn is_so(&self, uses: &Uses) -> bool {
        let named = || self.operand.is_some_and(|operand| uses.operands.contains(&operand));
        (self.reads && uses.reads || self.writes && uses.writes)
            && self.count >= uses.least
            && (uses.operands.is_empty() || named())
    }

    fn within(self, span: Span) -> impl Iterator<Item = u16> {
        (self.first..self.first + self.count).filter(move |register| span.iter().any(|run| (run.0..run.1).contains(register)))
    }

    fn holds(&self, register: u16) -> bool {
        (self.first..self.first + self.count).contains(&register)
    }
}

/// The numbers of a kind of registers.
fn span(kind: Kind, codec: &Codec) -> Span {
    const NONE: (u16, u16) = (0, 0);
    match kind {
        Kind::Scalar => [(0, 124), NONE],
        Kind::AnyScalar => [(0, 128), NONE],
        Kind::Vector => [(VECTORS, SETTINGS), NONE],
        Kind::Setting => [(SETTINGS, SETTINGS + 64), NONE],
        Kind::Named(name) => {
            let number = name.strip_prefix('s').and_then(|number| number.parse().ok());
            let found = codec.registers().by_name(name).map(|(number, words, ..)| (number, number + words));
            [found.or(number.map(|number: u16| (number, number + 1))).unwrap_or(NONE), NONE]
        }
    }
}

impl Reader<'_, '_> {
    /// What the rules ask of an instruction.
    pub fn facts(&mut self, decoded: &Decoded) -> Facts {
        let (first, second) = decoded.halves();
        let classes = self.classes(&first) | second.map_or(0, |second| self.classes(&second));
        let name = decoded.entry.instruction.name;
        let mut used: Vec<Used> = self
            .codec
            .accesses(decoded)
            .filter_map(|access| {
                let (first, count) = place(self.codec, access.register)?;
                Some(Used { first, count, reads: access.reads, writes: access.writes, operand: access.operand })
            })
            .collect();
        used.extend(setting(self.codec, decoded));
        let idle = self.rules.all.idles.iter().find(|idle| idle.0 == name);
        let more = idle.and_then(|(_, field, bits)| Some(value(self.codec, decoded, field)? & bits)).unwrap_or(0);
        Facts { classes, states: 1 + more as u32, name, used }
    }

    /// The classes that an instruction belongs to, of those that rules ask for.
    fn classes(&mut self, decoded: &Decoded) -> u128 {
        let (rules, codec) = (self.rules, self.codec);
        let picks = || rules.all.classes.iter().flat_map(|class| &class.picks);
        let named = self
            .named
            .entry(std::ptr::from_ref(decoded.entry))
            .or_insert_with(|| picks().map(|pick| names(pick, decoded.entry, codec)).collect());
        let (mut classes, mut at) = (0u128, 0);
        for (number, class) in rules.all.classes.iter().enumerate() {
            let own = &named[at..at + class.picks.len()];
            at += class.picks.len();
            let is_in = rules.needed[number] && belongs(class, own, classes, rules.all, |pick| holds(pick, decoded, codec));
            classes |= u128::from(is_in) << number;
        }
        classes
    }
}

/// Whether an instruction belongs to a class: `named` says which of its lines name it, `classes` those before that it belongs to.
fn belongs(class: &Class, named: &[bool], classes: u128, all: &Hazards, holds: impl Fn(&Pick) -> bool) -> bool {
    let other = |pick: &Pick| pick.names.iter().filter_map(|name| all.class(name)).any(|class| classes >> class & 1 == 1);
    let chosen = |(pick, named): (&Pick, &bool)| match pick.by {
        By::Except => false,
        By::Classes => other(pick) && holds(pick),
        _ => *named && holds(pick),
    };
    class.picks.iter().zip(named).any(chosen)
        && !class.picks.iter().any(|pick| pick.by == By::Except && other(pick) && holds(pick))
}

/// Whether a line of a class names a form.
fn names(pick: &Pick, entry: &Entry, codec: &Codec) -> bool {
    match pick.by {
        By::Encodings => pick.names.contains(&entry.encoding.name),
        By::Instructions => pick.names.iter().any(|name| matches(name, entry.instruction.name)),
        By::Groups => entry.instruction.group.is_some_and(|group| pick.names.contains(&codec.group_name(group))),
        By::Classes | By::Except => false,
    }
}

/// Whether the bits of an instruction are as a line of a class wants them.
fn holds(pick: &Pick, decoded: &Decoded, codec: &Codec) -> bool {
    pick.conditions
        .iter()
        .all(|(field, wanted, bits, is)| value(codec, decoded, field).is_some_and(|value| (value & bits == *wanted) == *is))
}

/// The value of a field, if the instruction has it.
fn value(codec: &Codec, decoded: &Decoded, field: &str) -> Option<u64> {
    let bits = Bits::of(decoded.entry.encoding.layout(codec.target)?, codec.field_named(field)?);
    (!bits.is_empty()).then(|| bits.get(decoded.word))
}

/// The numbers of a register, and how many.
fn place(codec: &Codec, register: Register) -> Option<(u16, u16)> {
    match register {
        Register::Numbered { range: "v", first, words, .. } => Some((VECTORS + first, words)),
        Register::Numbered { range: "a", first, words, .. } => Some((ACCUMULATORS + first, words)),
        Register::Numbered { range, first, words, .. } => Some((codec.registers().numbered(range)?.0 + first, words)),
        Register::Named(name) => codec.registers().by_name(name).map(|(number, words, ..)| (number, words)),
    }
}

/// The hardware register of s_getreg and s_setreg.
fn setting(codec: &Codec, decoded: &Decoded) -> Option<Used> {
    let slot = decoded.entry.operands.iter().find(|slot| slot.operand.ty.name == "hwreg")?;
    match codec.value_of(slot, decoded).what {
        What::Constant(bits) => {
            Some(Used { first: SETTINGS + (bits as u16 & 63), count: 1, reads: true, writes: true, operand: None })
        }
        _ => None,
    }
}

/// A program, backwards.
struct Program<'f> {
    facts: &'f [Facts],
    /// The instructions before each: all of them, one list after the other, and where each list begins.
    before: Vec<u32>,
    starts: Vec<u32>,
    /// Whether paths that lead backwards meet at an instruction: it has two after it.
    forks: Vec<bool>,
}

impl<'f> Program<'f> {
    fn new(facts: &'f [Facts], after: &impl Fn(usize) -> [Option<usize>; 2]) -> Program<'f> {
        let mut starts = vec![0u32; facts.len() + 1];
        let edges = || (0..facts.len()).flat_map(|at| after(at).into_iter().flatten().map(move |next| (at, next)));
        edges().for_each(|(_, next)| starts[next + 1] += 1);
        for at in 0..facts.len() {
            starts[at + 1] += starts[at];
        }
        let mut free = starts.clone();
        let mut before = vec![0; starts[facts.len()] as usize];
        for (at, next) in edges() {
            before[free[next] as usize] = at as u32;
            free[next] += 1;
        }
        let forks = (0..facts.len()).map(|at| after(at).iter().flatten().count() > 1).collect();
        Program { facts, before, starts, forks }
    }

    fn before(&self, at: usize) -> &[u32] {
        &self.before[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Follows a rule over all paths: how it is broken on one, and the first instruction.
    fn follow(&self, rule: &Rule, part: usize, then: usize, walk: Walk) -> Option<(Walk, usize)> {
        let mut seen: HashSet<(u32, Walk)> = HashSet::new();
        let mut open: Vec<(u32, Walk)> = self.before(then).iter().map(|before| (*before, walk.clone())).collect();
        for _ in 0..MOST_STEPS {
            let (at, mut walk) = open.pop()?;
            if self.forks[at as usize] && !seen.insert((at, walk.clone())) {
                continue;
            }
            let place = at as usize;
            match rule.step(part, &mut walk, &self.facts[then], place, &self.facts[place]) {
                Next::Stop => {}
                Next::Found => {
                    let first = walk.first.unwrap_or(place);
                    return Some((walk, first));
                }
                Next::Go => match self.before(place) {
                    [] => {}
                    [only] => open.push((*only, walk)),
                    several => open.extend(several.iter().map(|before| (*before, walk.clone()))),
                },
            }
        }
        None
    }
}
