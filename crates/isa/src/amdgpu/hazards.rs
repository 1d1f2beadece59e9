//! Hazards: dependences between instructions of a wavefront that AMD's hardware does not resolve.
//!
//! This reads `isa/amdgpu/hazards.isa`, whose notation `isa/README.md` explains. Facts only: which instruction belongs to which class, and which
//! rule a program breaks, is found by crate `amdgpu`.

use std::sync::OnceLock;

use super::read::targets_of;
use super::{Table, Targets};
use crate::table;
use crate::text::{Entry, Place, Problems, Source, Text, entries};

/// All that `hazards.isa` holds.
#[derive(Clone, Debug, Default)]
pub struct Hazards {
    /// Sets of instructions; those that name others come after them.
    pub classes: Vec<Class>,
    /// The rules.
    pub hazards: Vec<Hazard>,
    /// Instructions that take as many wait states as some bits of a field say, and one: instruction, field, bits.
    pub idles: Vec<(Text, Text, u64)>,
}

/// A set of instructions.
#[derive(Clone, Debug)]
pub struct Class {
    /// What rules call it.
    pub name: Text,
    /// What it is, one line.
    pub title: Text,
    /// What belongs to it, or, at the end, does not.
    pub picks: Vec<Pick>,
    /// Where it stands.
    pub place: Place,
}

/// A line of a class.
#[derive(Clone, Debug)]
pub struct Pick {
    /// By what instructions are chosen.
    pub by: By,
    /// Names of encodings, of functional groups or of classes, or mnemonics, `*` at the end of which stands for anything.
    pub names: Vec<Text>,
    /// What bits of them must be, or must not: field, value, bits, whether they are that.
    pub conditions: Vec<(Text, u64, u64, bool)>,
}

/// By what a line of a class chooses instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Encodings.
    Encodings,
    /// Mnemonics.
    Instructions,
    /// Functional groups.
    Groups,
    /// Other classes.
    Classes,
    /// Other classes, whose instructions do not belong to it.
    Except,
}

/// The keys of a class that say what belongs to it.
const PICKS: [(&str, By); 5] = [
    ("encodings", By::Encodings),
    ("instructions", By::Instructions),
    ("groups", By::Groups),
    ("classes", By::Classes),
    ("except", By::Except),
];

/// A rule: what must lie between two instructions.
#[derive(Clone, Debug)]
pub struct Hazard {
    /// Its name.
    pub name: Text,
    /// What goes wrong, one line.
    pub title: Text,
    /// Where it holds.
    pub targets: Targets,
    /// The only size of wavefronts for which it holds, if there is one.
    pub wave: Option<u8>,
    /// What must have come before the first instruction, if something must; one of these.
    pub before: Vec<Part>,
    /// The first instruction: one of these.
    pub first: Vec<Part>,
    /// The second one, which must not come too early: one of these.
    pub then: Vec<Part>,
    /// Wait states between the two with which all is well.
    pub states: Option<u32>,
    /// So many instructions between the two with which all is well.
    pub apart: Vec<(u32, Part)>,
    /// Instructions between the two with which all is well.
    pub ends: Vec<Part>,
    /// Instructions after `before` that undo it.
    pub lapses: Vec<Part>,
    /// What becomes of the program.
    pub consequence: Consequence,
    /// Where the facts come from.
    pub src: Vec<Text>,
    /// Where sources disagree.
    pub doubt: Vec<Text>,
    /// On which targets something says that hardware takes care of it all the same, and what does.
    pub against: Vec<(Targets, Text)>,
    /// Where it stands.
    pub place: Place,
}

/// What becomes of a program that breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// It computes something else.
    Result,
    /// It may not end.
    Hang,
}

/// An instruction in a rule.
#[derive(Clone, Debug)]
pub struct Part {
    /// Index of its class.
    pub class: usize,
    /// Whether it is the same instruction as the other of the two, or another, if that matters.
    pub same: Option<bool>,
    /// The registers that matter; none: the instruction does by itself.
    pub registers: Option<Uses>,
}

/// Which registers of an instruction matter.
#[derive(Clone, Debug)]
pub struct Uses {
    /// Those that it reads.
    pub reads: bool,
    /// Those that it writes.
    pub writes: bool,
    /// Their kind.
    pub kind: Kind,
    /// Only these operands, if there are some.
    pub operands: Vec<Text>,
    /// Only operands of so many registers at least.
    pub least: u16,
}

/// A kind of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Scalar registers but M0 and EXEC.
    Scalar,
    /// Scalar registers.
    AnyScalar,
    /// Vector and accumulation registers.
    Vector,
    /// Hardware registers, of s_getreg and s_setreg.
    Setting,
    /// The one of that name in operands, or the one that all these have.
    Named(Text),
}

impl Hazards {
    /// The records in the folder that the environment variable `LOCKSTEP_ISA` names, else the embedded ones. Read once. Names of instructions are
    /// not looked up: that does [`Hazards::check`].
    ///
    /// # Errors
    ///
    /// As [`Hazards::read`].
    pub fn get() -> Result<&'static Hazards, &'static Problems> {
        static HAZARDS: OnceLock<Result<Hazards, Problems>> = OnceLock::new();
        HAZARDS.get_or_init(|| Hazards::of(&table::files()?)).as_ref()
    }

    /// The records in a folder, with every name looked up.
    ///
    /// # Errors
    ///
    /// As [`Hazards::read`], and names that nothing has.
    pub fn load(folder: &std::path::Path, table: &Table) -> Result<Hazards, Problems> {
        let hazards = Hazards::of(&table::files_of(folder)?)?;
        hazards.check(table)?;
        Ok(hazards)
    }

    fn of(sources: &[Source]) -> Result<Hazards, Problems> {
        let base = ["amdgpu/targets.isa", "amdgpu/registers.isa", "amdgpu/encodings.isa", "amdgpu/groups.isa"];
        let base: Vec<Source> = sources.iter().filter(|source| base.contains(&source.name.as_str())).cloned().collect();
        match sources.iter().find(|source| source.name == "amdgpu/hazards.isa") {
            Some(source) => Hazards::read(source, Table::read(base)?),
            None => {
                let mut problems = Problems::default();
                problems.push(Place::default(), "the table has no file amdgpu/hazards.isa");
                Err(problems)
            }
        }
    }

    /// Reads the file, whose lines speak of targets, encodings, fields and registers of `table`.
    ///
    /// # Errors
    ///
    /// Everything that the notation does not allow, with its line.
    pub fn read(source: &Source, table: &Table) -> Result<Hazards, Problems> {
        let mut problems = Problems { sources: vec![source.clone()], list: Vec::new() };
        let roots = entries(0, source.text, &mut problems);
        let mut reader = Reader { all: Hazards::default(), table, problems: &mut problems };
        roots.iter().for_each(|entry| reader.root(entry));
        let all = reader.all;
        if problems.list.is_empty() { Ok(all) } else { Err(problems) }
    }

    /// Looks up the names of instructions, which [`Hazards::read`] does without.
    ///
    /// # Errors
    ///
    /// Those that no record has, with their lines.
    pub fn check(&self, table: &Table) -> Result<(), Problems> {
        let mut problems = Problems::default();
        let known = |name: &str| table.instructions.iter().any(|i| matches(name, i.name));
        for class in &self.classes {
            for name in class.picks.iter().filter(|pick| pick.by == By::Instructions).flat_map(|pick| &pick.names) {
                if !known(name) {
                    problems.push(class.place, format!("class `{}`: there is no instruction `{name}`", class.name));
                }
            }
        }
        for (name, ..) in &self.idles {
            if !known(name) {
                problems.push(Place::default(), format!("there is no instruction `{name}`"));
            }
        }
        if problems.list.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// A class by its name.
    pub fn class(&self, name: &str) -> Option<usize> {
        self.classes.iter().position(|class| class.name == name)
    }
}

/// Whether a mnemonic is the one of a line, or begins as it says.
pub fn matches(pattern: &str, mnemonic: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => mnemonic.starts_with(start),
        None => mnemonic == pattern,
    }
}

struct Reader<'a> {
    all: Hazards,
    table: &'a Table,
    problems: &'a mut Problems,
}

impl Reader<'_> {
    fn root(&mut self, entry: &Entry) {
        let done = match entry.key {
            "class" => self.class(entry),
            "hazard" => self.hazard(entry),
            "idle" => self.idle(entry),
            key => Err((entry.place, format!("unknown kind of record `{key}`; known: class, hazard, idle"))),
        };
        if let Err((place, message)) = done {
            self.problems.push(place, message);
        }
        for line in entry.children.iter().filter_map(|line| line.children.first()) {
            self.problems.push(line.place, "nothing belongs below this line");
        }
    }

    fn idle(&mut self, entry: &Entry) -> Result<(), (Place, String)> {
        let wrong = || (entry.place, "such a line reads `idle INSTRUCTION FIELD=0xBITS`".to_owned());
        let (name, rest) = entry.value.split_once(char::is_whitespace).ok_or_else(wrong)?;
        let (field, bits) = rest.trim().split_once("=0x").ok_or_else(wrong)?;
        let bits = u64::from_str_radix(bits, 16).map_err(|_| wrong())?;
        if self.table.field(field).is_none() || !entry.children.is_empty() {
            return Err(wrong());
        }
        self.all.idles.push((name, field, bits));
        Ok(())
    }

    fn class(&mut self, entry: &Entry) -> Result<(), (Place, String)> {
        name_of(entry, self.all.class(entry.value).is_some())?;
        let mut class = Class { name: entry.value, title: "", picks: Vec::new(), place: entry.place };
        for line in &entry.children {
            match PICKS.iter().find(|pick| pick.0 == line.key) {
                Some((_, by)) => class.picks.push(self.pick(*by, line.value).map_err(|message| (line.place, message))?),
                None if line.key == "title" && class.title.is_empty() => class.title = line.value,
                None => {
                    let known = "title, encodings, instructions, groups, classes, except";
                    return Err((line.place, format!("unknown key `{}`, or one too many; known: {known}", line.key)));
                }
            }
        }
        if class.title.is_empty() || class.picks.iter().all(|pick| pick.by == By::Except) {
            return Err((entry.place, "a class has a title and something that belongs to it".into()));
        }
        if self.all.classes.len() == MOST_CLASSES {
            return Err((entry.place, format!("more than {MOST_CLASSES} classes")));
        }
        self.all.classes.push(class);
        Ok(())
    }

    /// `NAMES`, or `NAMES | CONDITIONS`.
    fn pick(&self, by: By, value: Text) -> Result<Pick, String> {
        let (names, conditions) = value.split_once('|').unwrap_or((value, ""));
        let names: Vec<Text> = names.split_whitespace().collect();
        let known = |name: &Text| match by {
            By::Encodings => self.table.encoding(name).is_some(),
            By::Groups => self.table.functional_group(name).is_some(),
            By::Classes | By::Except => self.all.class(name).is_some(),
            By::Instructions => true,
        };
        if let Some(name) = names.iter().find(|name| !known(name)) {
            return Err(format!("there is no `{name}` among what this key names; classes stand before those that name them"));
        }
        if names.is_empty() {
            return Err("names are missing".into());
        }
        let conditions = conditions.split_whitespace().map(|word| self.condition(word)).collect::<Result<_, _>>()?;
        Ok(Pick { by, names, conditions })
    }

    /// `FIELD=0xVALUE`, `FIELD=0xVALUE/0xBITS`, with a minus sign before it what must not be.
    fn condition(&self, word: Text) -> Result<(Text, u64, u64, bool), String> {
        let (bare, is) = word.strip_prefix('-').map_or((word, true), |bare| (bare, false));
        let number = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
        let parsed = bare.split_once('=').and_then(|(field, rest)| {
            let (value, bits) = rest.split_once('/').unwrap_or((rest, "0xffffffffffffffff"));
            self.table.field(field)?;
            Some((field, number(value)?, number(bits)?, is))
        });
        parsed.ok_or_else(|| format!("`{word}` is not FIELD=0xVALUE"))
    }

    fn hazard(&mut self, entry: &Entry) -> Result<(), (Place, String)> {
        name_of(entry, self.all.hazards.iter().any(|hazard| hazard.name == entry.value))?;
        let mut hazard = Hazard {
            name: entry.value,
            title: "",
            targets: Targets::NONE,
            wave: None,
            before: Vec::new(),
            first: Vec::new(),
            then: Vec::new(),
            states: None,
            apart: Vec::new(),
            ends: Vec::new(),
            lapses: Vec::new(),
            consequence: Consequence::Result,
            src: Vec::new(),
            doubt: Vec::new(),
            against: Vec::new(),
            place: entry.place,
        };
        let mut consequence = None;
        for line in &entry.children {
            let at = |message: String| (line.place, message);
            let number = || line.value.parse::<u32>().ok().filter(|n| *n > 0).ok_or_else(|| at("a number is expected".into()));
            match line.key {
                "title" => hazard.title = line.value,
                "targets" => hazard.targets = targets_of(self.table, line.value, line.place, self.problems),
                "wave" => {
                    let wave = line.value.parse().ok().filter(|wave| [32, 64].contains(wave));
                    hazard.wave = Some(wave.ok_or_else(|| at("wavefronts have 32 or 64 lanes".into()))?);
                }
                "before" => hazard.before.push(self.part(line.value).map_err(at)?),
                "first" => hazard.first.push(self.part(line.value).map_err(at)?),
                "then" => hazard.then.push(self.part(line.value).map_err(at)?),
                "ends" => hazard.ends.push(self.part(line.value).map_err(at)?),
                "lapses" => hazard.lapses.push(self.part(line.value).map_err(at)?),
                "states" => hazard.states = Some(number()?),
                "apart" => {
                    let (count, part) = line.value.split_once(char::is_whitespace).unwrap_or((line.value, ""));
                    let count = count.parse().ok().filter(|count| *count > 0);
                    let count = count.ok_or_else(|| at("such a line reads `apart NUMBER CLASS`".into()))?;
                    hazard.apart.push((count, self.part(part).map_err(at)?));
                }
                "effect" => {
                    let known = [("result", Consequence::Result), ("hang", Consequence::Hang)];
                    let found = known.iter().find(|known| known.0 == line.value);
                    consequence = Some(found.ok_or_else(|| at("an effect is `result` or `hang`".into()))?.1);
                }
                "src" => hazard.src.push(line.value),
                "doubt" => hazard.doubt.push(line.value),
                "against" => {
                    let wrong = || at("such a line reads `against TARGETS | WHAT SAYS SO`".into());
                    let (targets, what) = line.value.split_once('|').ok_or_else(wrong)?;
                    hazard.against.push((targets_of(self.table, targets.trim(), line.place, self.problems), what.trim()));
                }
                other => {
                    let known =
                        "title, targets, wave, before, first, then, states, apart, ends, lapses, effect, src, doubt, against";
                    return Err(at(format!("unknown key `{other}`; known: {known}")));
                }
            }
        }
        hazard.consequence = consequence.ok_or((entry.place, "it has no `effect`".into()))?;
        complete(&hazard).map_err(|message| (entry.place, message))?;
        self.all.hazards.push(hazard);
        Ok(())
    }

    /// `CLASS`, `CLASS same`, `CLASS other`, each with `reads KIND`, `writes KIND` or `uses KIND` behind it or without.
    fn part(&self, value: Text) -> Result<Part, String> {
        let mut words = value.split_whitespace();
        let name = words.next().ok_or("a class is missing")?;
        let class = self.all.class(name).ok_or_else(|| format!("there is no class `{name}`"))?;
        let mut next = words.next();
        let same = match next {
            Some("same") => Some(true),
            Some("other") => Some(false),
            _ => None,
        };
        if same.is_some() {
            next = words.next();
        }
        let registers = match (next, words.next()) {
            (None, _) => None,
            (Some(verb @ ("reads" | "writes" | "uses")), Some(kind)) => Some(self.uses(verb, kind)?),
            _ => return Err("behind the class stands `reads KIND`, `writes KIND` or `uses KIND`".into()),
        };
        match words.next() {
            Some(word) => Err(format!("`{word}` is one word too many")),
            None => Ok(Part { class, same, registers }),
        }
    }

    /// `KIND`, `KIND@OPERAND,OPERAND`, each with `/N` behind it or without.
    fn uses(&self, verb: &str, text: Text) -> Result<Uses, String> {
        let (text, least) = text.split_once('/').unwrap_or((text, "1"));
        let least = least.parse().ok().filter(|least| *least > 0).ok_or("behind the slash stands a number of registers")?;
        let (name, operands) = text.split_once('@').unwrap_or((text, ""));
        let kind = match name {
            "scalar" => Kind::Scalar,
            "any-scalar" => Kind::AnyScalar,
            "vector" => Kind::Vector,
            "setting" => Kind::Setting,
            name if self.number(name).is_some() => Kind::Named(name),
            name => return Err(format!("there is no kind of registers `{name}`, and no register of that name")),
        };
        let operands: Vec<Text> = operands.split(',').filter(|name| !name.is_empty()).collect();
        let known = |name: &Text| self.table.field(name).is_some() || self.table.states.iter().any(|state| state.0 == *name);
        if let Some(name) = operands.iter().find(|name| !known(name)) {
            return Err(format!("there is no operand `{name}`"));
        }
        Ok(Uses { reads: verb != "writes", writes: verb != "reads", kind, operands, least })
    }

    /// The number of a register with a name, or of a scalar one.
    fn number(&self, name: &str) -> Option<u16> {
        let named = self.table.registers.names.iter().find(|register| register.0 == name).map(|register| register.1);
        named.or_else(|| name.strip_prefix('s')?.parse().ok().filter(|number| *number < 128))
    }
}

fn name_of(entry: &Entry, is_known: bool) -> Result<(), (Place, String)> {
    if entry.value.is_empty() || entry.value.contains(char::is_whitespace) {
        return Err((entry.place, format!("`{}` wants one name behind it", entry.key)));
    }
    if is_known { Err((entry.place, format!("`{}` is there twice", entry.value))) } else { Ok(()) }
}

/// What a rule must say.
fn complete(hazard: &Hazard) -> Result<(), String> {
    let missing = [
        ("title", hazard.title.is_empty()),
        ("targets", hazard.targets.is_empty()),
        ("first", hazard.first.is_empty()),
        ("then", hazard.then.is_empty()),
        ("src", hazard.src.is_empty()),
        ("states, apart or ends", hazard.states.is_none() && hazard.apart.is_empty() && hazard.ends.is_empty()),
    ];
    if let Some((key, _)) = missing.iter().find(|key| key.1) {
        return Err(format!("it has no `{key}`"));
    }
    if hazard.apart.len() > MOST_APART {
        return Err(format!("at most {MOST_APART} lines `apart` can be counted"));
    }
    if hazard.before.is_empty() && !hazard.lapses.is_empty() {
        return Err("`lapses` undoes `before`, which it does not have".into());
    }
    Ok(())
}

/// How many classes there may be: an instruction's are bits of a number.
pub const MOST_CLASSES: usize = 128;
/// How many distances a rule may count besides wait states.
pub const MOST_APART: usize = 2;
