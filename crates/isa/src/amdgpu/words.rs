//! The immediates that AMD's assembly writes as words: names of numbers, parts of numbers, and how each is written.
//!
//! This reads `isa/amdgpu/words.isa`, whose notation `isa/README.md` explains, and knows what the notation means, not what the
//! immediates do: reading and writing their text is the work of crate `amdgpu`.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

use super::{Table, Target, Targets};
use crate::table;
use crate::text::{Entry, Place, Problems, Source, Text, entries};

/// All that `words.isa` holds.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Spellings of numbers.
    pub names: Vec<Names>,
    /// Parts of numbers.
    pub fields: Vec<Fields>,
    /// Operands and modifiers.
    pub immediates: Vec<Immediate>,
    /// The targets, each with its number as the position.
    pub targets: Vec<Text>,
}

/// Numbers and their spellings, in the order of the file: of several for a number the first is printed.
#[derive(Clone, Debug)]
pub struct Names {
    /// What the other records call them.
    pub name: Text,
    /// What the numbers are, one line.
    pub title: Text,
    /// The spellings.
    pub list: Vec<Name>,
    /// Where it stands.
    pub place: Place,
}

/// A spelling, of one number or of a run of numbers.
#[derive(Clone, Debug)]
pub struct Name {
    /// The numbers.
    pub values: RangeInclusive<u32>,
    /// How they are written.
    pub spelling: Spelling,
    /// Where the spelling exists.
    pub targets: Targets,
    /// The names of what may follow (`takes=`).
    pub takes: Option<Text>,
    /// The lowest number of these that may follow (`least=`).
    pub least: u32,
    /// Which mechanism it asks for (`as=`).
    pub role: Option<Text>,
    /// With which scopes it may be written (`read=`, or `scope=` for both).
    pub read: Option<RangeInclusive<u32>>,
    /// With which scopes it is printed (`shown=`, or `scope=`).
    pub shown: Option<RangeInclusive<u32>>,
    /// Whether a stream follows.
    pub stream: bool,
}

/// How a number, or a run of them, is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// A word.
    Word(Text),
    /// A word that ends in a number, or is followed by one behind a colon: `mrt{0..7}`, `row_shl:{1..15}`.
    Numbered {
        /// What stands before the number, without the colon.
        stem: Text,
        /// Whether a colon stands before the number.
        colon: bool,
        /// The number for the first value.
        first: u32,
    },
    /// A bracketed list of small numbers, the lowest bits first: `quad_perm:[4*2]`.
    Packed {
        /// What stands before the colon.
        stem: Text,
        /// How many numbers.
        count: u32,
        /// How many bits each has.
        bits: u32,
    },
}

impl Spelling {
    /// The word with which it begins.
    pub fn stem(&self) -> Text {
        match *self {
            Spelling::Word(stem) | Spelling::Numbered { stem, .. } | Spelling::Packed { stem, .. } => stem,
        }
    }
}

/// The parts of a number, in the order in which they are printed.
#[derive(Clone, Debug)]
pub struct Fields {
    /// What other records call them.
    pub name: Text,
    /// What the number is, one line.
    pub title: Text,
    /// The parts.
    pub list: Vec<Field>,
    /// Where it stands.
    pub place: Place,
}

/// A part of a number.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Text,
    /// Where its bits stand, the lowest first: the lowest bit of a run, and how many.
    pub runs: Vec<(u32, u32)>,
    /// Where it exists.
    pub targets: Targets,
    /// The names of its values.
    pub of: Option<Text>,
    /// How much less than what is meant it holds.
    pub less: u32,
    /// Whether it can only be denied: it is named so that `noslc` is understood.
    pub off: bool,
}

/// How an operand or modifier is written.
#[derive(Clone, Debug)]
pub struct Immediate {
    /// What the records of instructions call it.
    pub name: Text,
    /// What it is, one line.
    pub title: Text,
    /// The word before its colon; empty for an operand.
    pub prefix: Text,
    /// The word before its parenthesis; empty if there is none.
    pub call: Text,
    /// The mechanism.
    pub shape: Shape,
    /// What the numbers and names that the shape speaks of are called (`of=`, `default=` ...), by key; the first has no key.
    pub parts: Vec<(Text, Text)>,
    /// The numbers that may be written.
    pub range: Option<RangeInclusive<i64>>,
    /// How many bits the value has.
    pub bits: u32,
    /// The value that is not printed.
    pub hidden: Option<u32>,
    /// The lowest value that is printed as a hexadecimal number.
    pub hex: Option<u32>,
    /// What else may be written: `number` `saturation` `repetition` `nonzero`.
    pub allow: Vec<Text>,
    /// Numbers that are read as others: the number, what it is read as, and where.
    pub reads: Option<(u32, u32, Targets)>,
    /// What a reader must know, one sentence.
    pub note: Text,
    /// Where it stands.
    pub place: Place,
}

/// The mechanism by which a number becomes text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number.
    Number,
    /// One of several names.
    Choice,
    /// A spelling of `names`, which brings its own prefix.
    Words,
    /// A bracketed list of as many bits at most.
    List(u32),
    /// `name(number)`, of all `fields` that are not all ones.
    Counters,
    /// `name(NAME) | name(NAME)`, of all `fields` that are not 0.
    Choices,
    /// `sendmsg(MESSAGE, OPERATION, STREAM)`.
    Message,
    /// `hwreg(NAME, OFFSET, SIZE)`.
    Register,
    /// `gpr_idx(NAME,NAME)`.
    Flags,
    /// `NAME|BIT|BIT`, names that are symbols.
    Symbols,
    /// `swizzle(MODE, ...)`.
    Swizzle,
    /// The format of a typed buffer.
    Format,
    /// Cache policy: flags, a temporal hint and a scope.
    Policy,
    /// `attr3.x`.
    Attribute,
}

impl Words {
    /// The records in the folder that the environment variable `LOCKSTEP_ISA` names, else the embedded ones. Read once.
    ///
    /// # Errors
    ///
    /// As [`Words::read`].
    pub fn get() -> Result<&'static Words, &'static Problems> {
        static WORDS: OnceLock<Result<Words, Problems>> = OnceLock::new();
        WORDS.get_or_init(|| Words::of(&table::files()?)).as_ref()
    }

    /// The records in a folder.
    ///
    /// # Errors
    ///
    /// As [`Words::of`].
    pub fn load(folder: &std::path::Path) -> Result<Words, Problems> {
        Words::of(&table::files_of(folder)?)
    }

    /// The records among the files of a table.
    ///
    /// # Errors
    ///
    /// As [`Words::read`]; or a file is missing.
    pub fn of(sources: &[Source]) -> Result<Words, Problems> {
        let mut problems = Problems::default();
        let mut named = |name: &str| {
            let found = sources.iter().find(|source| source.name == name);
            if found.is_none() {
                problems.push(Place::default(), format!("the table has no file {name}"));
            }
            found
        };
        match (named("amdgpu/targets.isa"), named("amdgpu/words.isa")) {
            (Some(targets), Some(words)) => Words::read(words, Table::read(vec![targets.clone()])?),
            _ => Err(problems),
        }
    }

    /// Reads the file, whose lines speak of the targets and groups of `table`.
    ///
    /// # Errors
    ///
    /// Everything that the notation does not allow, with its line.
    pub fn read(source: &Source, table: &Table) -> Result<Words, Problems> {
        let mut problems = Problems { sources: vec![source.clone()], list: Vec::new() };
        let words = Words { targets: table.targets.clone(), ..Words::default() };
        let mut reader = Reader { words, table, problems: &mut problems };
        let roots = entries(0, source.text, reader.problems);
        roots.iter().for_each(|entry| reader.root(entry));
        reader.check();
        let words = reader.words;
        if problems.list.is_empty() { Ok(words) } else { Err(problems) }
    }

    /// The names of that name.
    pub fn names(&self, name: &str) -> Option<&Names> {
        self.names.iter().find(|n| n.name == name)
    }

    /// The fields of that name.
    pub fn fields(&self, name: &str) -> Option<&Fields> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// The target of that name.
    pub fn target(&self, name: &str) -> Option<Target> {
        self.targets.iter().position(|t| *t == name).map(|number| Target(number as u8))
    }
}

struct Reader<'a> {
    words: Words,
    table: &'a Table,
    problems: &'a mut Problems,
}

/// The shapes by name, with what each must be told.
const SHAPES: &[(&str, Shape, &[&str])] = &[
    ("number", Shape::Number, &[]),
    ("choice", Shape::Choice, &[""]),
    ("words", Shape::Words, &[""]),
    ("counters", Shape::Counters, &[""]),
    ("choices", Shape::Choices, &[""]),
    ("message", Shape::Message, &["", "of", "default"]),
    ("register", Shape::Register, &["", "of"]),
    ("flags", Shape::Flags, &[""]),
    ("symbols", Shape::Symbols, &[""]),
    ("swizzle", Shape::Swizzle, &["", "selectors", "masks", "transform", "rotation"]),
    ("format", Shape::Format, &["", "of"]),
    ("policy", Shape::Policy, &["", "hints"]),
    ("attribute", Shape::Attribute, &[""]),
];

/// What may stand behind `allow`.
const ALLOWED: [&str; 5] = ["number", "saturation", "repetition", "nonzero", "literal"];

impl Reader<'_> {
    fn complain(&mut self, place: Place, message: impl Into<String>) {
        self.problems.push(place, message);
    }

    fn root(&mut self, entry: &Entry) {
        match entry.key {
            "names" => self.add_names(entry),
            "fields" => self.add_fields(entry),
            "immediate" => self.add_immediate(entry),
            key => self.complain(entry.place, format!("unknown kind of record `{key}`; known: names, fields, immediate")),
        }
        if entry.value.is_empty() || entry.value.contains(char::is_whitespace) {
            self.complain(entry.place, format!("`{}` wants one name behind it", entry.key));
        }
        for line in &entry.children {
            if let Some(below) = line.children.first() {
                self.complain(below.place, format!("nothing belongs below `{}`", line.key));
            }
        }
    }

    /// The value of a key that stands once, or not at all.
    fn once(&mut self, entry: &Entry, key: &str) -> Option<(Text, Place)> {
        let mut found = entry.children.iter().filter(|line| line.key == key);
        let first = found.next()?;
        if let Some(second) = found.next() {
            self.complain(second.place, format!("`{key}` is given twice"));
        }
        if first.value.is_empty() {
            self.complain(first.place, format!("`{key}` has no value"));
        }
        Some((first.value, first.place))
    }

    fn required(&mut self, entry: &Entry, key: &str) -> Text {
        let found = self.once(entry, key);
        if found.is_none() {
            self.complain(entry.place, format!("`{} {}` has no `{key}`", entry.key, entry.value));
        }
        found.map_or("", |f| f.0)
    }

    fn add_names(&mut self, entry: &Entry) {
        let title = self.required(entry, "title");
        self.required(entry, "src");
        self.once(entry, "note");
        let mut list = Vec::new();
        for line in entry.children.iter().filter(|l| !["title", "src", "note"].contains(&l.key)) {
            match self.name(line) {
                Ok(name) => list.push(name),
                Err(message) => self.complain(line.place, message),
            }
        }
        self.words.names.push(Names { name: entry.value, title, list, place: entry.extent() });
    }

    /// A line `VALUES SPELLING TARGETS... key=value...`.
    fn name(&self, line: &Entry) -> Result<Name, String> {
        let values = range(line.key).ok_or_else(|| format!("unknown key `{}`; a number or `3..7` was meant?", line.key))?;
        let mut rest = line.value.split_ascii_whitespace();
        let word = rest.next().ok_or("a number without a name")?;
        let spelling = spelling(word, &values)?;
        let mut name = Name {
            values,
            spelling,
            targets: Targets::NONE,
            takes: None,
            least: 0,
            role: None,
            read: None,
            shown: None,
            stream: false,
        };
        let mut targets = Vec::new();
        for part in rest {
            match part.split_once('=') {
                Some(("takes", value)) => name.takes = Some(value),
                Some(("least", value)) => name.least = number(value).ok_or("`least=` wants a number")?,
                Some(("as", value)) => name.role = Some(value),
                Some((key @ ("scope" | "read" | "shown"), value)) => {
                    let scopes = range(value).ok_or_else(|| format!("`{key}=` reads `0..2`"))?;
                    name.read = if key == "shown" { name.read } else { Some(scopes.clone()) };
                    name.shown = if key == "read" { name.shown } else { Some(scopes) };
                }
                Some((key, _)) => return Err(format!("unknown setting `{key}`; known: takes, least, as, scope, read, shown")),
                None if part == "stream" => name.stream = true,
                None => targets.push(part),
            }
        }
        name.targets = self.targets(&targets)?;
        Ok(name)
    }

    /// The targets that a list names; all if it is empty. A minus sign takes some out again.
    fn targets(&self, list: &[&str]) -> Result<Targets, String> {
        let all = (0..self.table.targets.len()).fold(Targets::NONE, |all, i| all.or(Targets::one(Target(i as u8))));
        let mut set = if list.is_empty() { all } else { Targets::NONE };
        for name in list {
            let (bare, out) = name.strip_prefix('-').map_or((*name, false), |bare| (bare, true));
            let named = self.table.target(bare).map_or_else(|| self.table.group(bare), Targets::one);
            if named.is_empty() {
                return Err(format!("`{bare}` is neither a target nor a group of targets"));
            }
            set = if out { set.without(named) } else { set.or(named) };
        }
        Ok(set)
    }

    fn add_fields(&mut self, entry: &Entry) {
        let title = self.required(entry, "title");
        self.required(entry, "src");
        self.once(entry, "note");
        let mut list = Vec::new();
        for line in entry.children.iter().filter(|l| !["title", "src", "note"].contains(&l.key)) {
            let field = if line.key == "field" { self.field(line) } else { Err(format!("unknown key `{}`", line.key)) };
            match field {
                Ok(field) => list.push(field),
                Err(message) => self.complain(line.place, message),
            }
        }
        self.words.fields.push(Fields { name: entry.value, title, list, place: entry.extent() });
    }

    /// A line `NAME BITS TARGETS... key=value...`.
    fn field(&self, line: &Entry) -> Result<Field, String> {
        let mut rest = line.value.split_ascii_whitespace();
        let name = rest.next().ok_or("a field without a name")?;
        let bits = rest.next().ok_or("a field without its bits")?;
        let mut runs = Vec::new();
        for run in bits.split(',') {
            let run = range(run).filter(|r| *r.end() < 256).ok_or("the bits of a field read `0..3` or `0..3,14..15`")?;
            runs.push((*run.start(), run.end() - run.start() + 1));
        }
        let mut field = Field { name, runs, targets: Targets::NONE, of: None, less: 0, off: false };
        let mut targets = Vec::new();
        for part in rest {
            match part.split_once('=') {
                Some(("of", value)) => field.of = Some(value),
                Some(("less", value)) => field.less = number(value).ok_or("`less=` wants a number")?,
                Some((key, _)) => return Err(format!("unknown setting `{key}`; known: of, less")),
                None if part == "off" => field.off = true,
                None => targets.push(part),
            }
        }
        field.targets = self.targets(&targets)?;
        Ok(field)
    }

    fn add_immediate(&mut self, entry: &Entry) {
        const KNOWN: [&str; 10] = ["title", "prefix", "call", "shape", "range", "bits", "shown", "allow", "reads", "note"];
        for line in entry.children.iter().filter(|l| !KNOWN.contains(&l.key)) {
            self.complain(line.place, format!("unknown key `{}`; known: {}", line.key, KNOWN.join(", ")));
        }
        let title = self.required(entry, "title");
        let prefix = self.once(entry, "prefix").map_or("", |p| p.0);
        let call = self.once(entry, "call").map_or("", |c| c.0);
        let text = self.required(entry, "shape");
        let Some((shape, parts)) = self.shape(entry, text) else { return };
        let range = self.parsed(entry, "range", "reads `0..15`", signed_range);
        let bits = self.parsed(entry, "bits", "is a number of bits", |text| number(text).filter(|b| (1..=32).contains(b)));
        let (hidden, hex) = self
            .parsed(entry, "shown", "reads `always` or `unless 0`, then maybe `hex` or `hex above 9`", shown)
            .unwrap_or((None, None));
        let allow: Vec<Text> = self.once(entry, "allow").map_or(Vec::new(), |a| a.0.split_ascii_whitespace().collect());
        if let Some(word) = allow.iter().find(|word| !ALLOWED.contains(word)) {
            self.complain(entry.place, format!("`allow {word}` is unknown; known: {}", ALLOWED.join(", ")));
        }
        let reads = self.once(entry, "reads").and_then(|(text, place)| {
            let read = self.reads(text);
            if let Err(message) = &read {
                self.complain(place, message.clone());
            }
            read.ok()
        });
        let note = self.once(entry, "note").map_or("", |n| n.0);
        let bits = bits.unwrap_or(32);
        let place = entry.extent();
        let immediate = Immediate {
            name: entry.value,
            title,
            prefix,
            call,
            shape,
            parts,
            range,
            bits,
            hidden,
            hex,
            allow,
            reads,
            note,
            place,
        };
        self.words.immediates.push(immediate);
    }

    fn parsed<T>(&mut self, entry: &Entry, key: &str, rule: &str, parse: impl Fn(Text) -> Option<T>) -> Option<T> {
        let (text, place) = self.once(entry, key)?;
        let value = parse(text);
        if value.is_none() {
            self.complain(place, format!("`{key}` {rule}"));
        }
        value
    }

    fn shape(&mut self, entry: &Entry, text: Text) -> Option<(Shape, Vec<(Text, Text)>)> {
        let mut words = text.split_ascii_whitespace();
        let name = words.next()?;
        if name == "list" {
            let most = words.next().and_then(number);
            if most.is_none() {
                self.complain(entry.place, "`shape list` reads `shape list 4`");
            }
            return Some((Shape::List(most?), Vec::new()));
        }
        let parts: Vec<(Text, Text)> = words.map(|w| w.split_once('=').unwrap_or(("", w))).collect();
        let Some((_, shape, wanted)) = SHAPES.iter().find(|s| s.0 == name) else {
            self.complain(entry.place, format!("unknown shape `{name}`"));
            return None;
        };
        if !parts.iter().map(|p| p.0).eq(wanted.iter().copied()) {
            let wanted: Vec<String> =
                wanted.iter().map(|k| if k.is_empty() { "NAME".into() } else { format!("{k}=NAME") }).collect();
            self.complain(entry.place, format!("`shape {name}` reads `shape {name} {}`", wanted.join(" ")));
        }
        Some((*shape, parts))
    }

    /// `0 as 1 TARGETS`.
    fn reads(&self, text: Text) -> Result<(u32, u32, Targets), String> {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let rule = "`reads` reads `0 as 1 TARGETS`";
        let [from, "as", to, targets @ ..] = &words[..] else { return Err(rule.into()) };
        Ok((number(from).ok_or(rule)?, number(to).ok_or(rule)?, self.targets(targets)?))
    }

    /// What records say of each other.
    fn check(&mut self) {
        self.check_unique();
        let mut wrong = Vec::new();
        let words = &self.words;
        for fields in &words.fields {
            for name in fields.list.iter().filter_map(|f| f.of).filter(|name| words.names(name).is_none()) {
                wrong.push((fields.place, format!("no names are called `{name}`")));
            }
        }
        for names in &words.names {
            for name in names.list.iter().filter_map(|n| n.takes).filter(|name| words.names(name).is_none()) {
                wrong.push((names.place, format!("no names are called `{name}`")));
            }
        }
        for immediate in &words.immediates {
            for (_, name) in immediate.parts.iter().filter(|(_, n)| words.names(n).is_none() && words.fields(n).is_none()) {
                wrong.push((immediate.place, format!("neither names nor fields are called `{name}`")));
            }
        }
        wrong.into_iter().for_each(|(place, message)| self.complain(place, message));
    }

    fn check_unique(&mut self) {
        let words = &self.words;
        let mut wrong = Vec::new();
        let mut seen = HashMap::new();
        let records = (words.names.iter().map(|n| (n.name, n.place)))
            .chain(words.fields.iter().map(|f| (f.name, f.place)))
            .chain(words.immediates.iter().map(|i| (i.name, i.place)));
        for (i, (name, place)) in records.enumerate() {
            // An immediate may be called as the fields that it is made of.
            let kind = i < words.names.len() + words.fields.len();
            if seen.insert((name, kind), ()).is_some() {
                wrong.push((place, format!("`{name}` is defined twice")));
            }
        }
        for names in &words.names {
            for (i, name) in names.list.iter().enumerate() {
                let twin = |other: &&Name| other.spelling == name.spelling && !other.targets.and(name.targets).is_empty();
                if let Some(other) = names.list[..i].iter().find(twin) {
                    wrong.push((names.place, format!("`{}` is spelled twice on one target", other.spelling.stem())));
                }
            }
        }
        for fields in &words.fields {
            for (i, field) in fields.list.iter().enumerate() {
                if fields.list[..i].iter().any(|other| other.name == field.name && !other.targets.and(field.targets).is_empty()) {
                    wrong.push((fields.place, format!("the field `{}` is given twice on one target", field.name)));
                }
            }
        }
        wrong.into_iter().for_each(|(place, message)| self.complain(place, message));
    }
}

/// A decimal or hexadecimal number.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// `7` or `3..7`.
fn range(text: &str) -> Option<RangeInclusive<u32>> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let range = number(first)?..=number(last)?;
    (!range.is_empty()).then_some(range)
}

/// `-0x8000..0xffff`.
fn signed_range(text: &str) -> Option<RangeInclusive<i64>> {
    let signed = |text: &str| match text.strip_prefix('-') {
        Some(rest) => Some(-i64::from(number(rest)?)),
        None => number(text).map(i64::from),
    };
    let (first, last) = text.split_once("..")?;
    let range = signed(first)?..=signed(last)?;
    (!range.is_empty()).then_some(range)
}

/// What `shown` says: the value that is not printed, and the lowest that is printed in hexadecimal.
fn shown(text: &str) -> Option<(Option<u32>, Option<u32>)> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let (hidden, rest) = match &words[..] {
        ["always", rest @ ..] => (None, rest),
        ["unless", value, rest @ ..] => (Some(number(value)?), rest),
        _ => return None,
    };
    match rest {
        [] => Some((hidden, None)),
        ["hex"] => Some((hidden, Some(0))),
        ["hex", "above", value] => Some((hidden, Some(number(value)? + 1))),
        _ => None,
    }
}

/// A spelling for these numbers.
fn spelling(word: Text, values: &RangeInclusive<u32>) -> Result<Spelling, String> {
    let count = values.end() - values.start() + 1;
    if let Some((stem, rest)) = word.split_once(":[") {
        let packed = rest.strip_suffix(']').and_then(|r| r.split_once('*')).and_then(|(n, b)| Some((number(n)?, number(b)?)));
        return match packed {
            Some((n, bits)) if n * bits < 32 && 1 << (n * bits) == count => Ok(Spelling::Packed { stem, count: n, bits }),
            _ => Err(format!("`{word}` reads `name:[4*2]`, and has as many values as the line says")),
        };
    }
    if let Some((stem, rest)) = word.split_once('{') {
        let numbers = rest.strip_suffix('}').and_then(range);
        let Some(numbers) = numbers.filter(|r| r.end() - r.start() + 1 == count) else {
            return Err(format!("`{word}` reads `name{{0..7}}`, and has as many values as the line says"));
        };
        let (stem, colon) = stem.strip_suffix(':').map_or((stem, false), |stem| (stem, true));
        return Ok(Spelling::Numbered { stem, colon, first: *numbers.start() });
    }
    Ok(Spelling::Word(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages about a text, with their lines.
    fn wrong(text: &'static str) -> Vec<String> {
        let source = |name: &str, text| Source { name: name.into(), text };
        let targets = source("amdgpu/targets.isa", "target gfx900\ntarget gfx1100\ngroup gfx9 gfx900\n");
        let read = Words::of(&[targets, source("amdgpu/words.isa", text)]);
        read.map_or_else(|problems| problems.to_string().lines().map(str::to_owned).collect(), |_| Vec::new())
    }

    #[test]
    fn the_reader_is_strict() {
        let head = "names colours\n  title  Colours\n  src    a manual\n";
        let line = |rest: &str| wrong(format!("{head}{rest}").leak());
        assert_eq!(line("  1  RED  gfx9\n  1  ROT\n  2..3  BLUE{0..1}  -gfx9\n"), [""; 0]);
        assert_eq!(line("  1  RED  gfx8\n"), ["isa/amdgpu/words.isa:4: `gfx8` is neither a target nor a group of targets"]);
        assert_eq!(line("  one  RED\n"), ["isa/amdgpu/words.isa:4: unknown key `one`; a number or `3..7` was meant?"]);
        assert_eq!(line("  1  RED\n  2  RED  gfx9\n"), ["isa/amdgpu/words.isa:1: `RED` is spelled twice on one target"]);
        assert_eq!(line("  1..3  RED{0..1}\n").len(), 1);
        assert_eq!(line("  1  RED  takes=shades\n"), ["isa/amdgpu/words.isa:1: no names are called `shades`"]);
        assert_eq!(
            wrong("names colours\n  title  Colours\n  1  RED\n"),
            ["isa/amdgpu/words.isa:1: `names colours` has no `src`"]
        );
        assert_eq!(
            wrong("colours\n")[0],
            "isa/amdgpu/words.isa:1: unknown kind of record `colours`; known: names, fields, immediate"
        );
        let immediate = |rest: &str| wrong(format!("immediate x\n  title  X\n{rest}").leak());
        assert_eq!(immediate("  shape  number\n  range  0..7\n  shown  unless 0 hex\n"), [""; 0]);
        assert_eq!(immediate("  shape  words\n"), ["isa/amdgpu/words.isa:1: `shape words` reads `shape words NAME`"]);
        assert_eq!(immediate("  shape  words a\n"), ["isa/amdgpu/words.isa:1: neither names nor fields are called `a`"]);
        assert_eq!(immediate("  shape  number\n  range  7\n"), ["isa/amdgpu/words.isa:4: `range` reads `0..15`"]);
    }
}
