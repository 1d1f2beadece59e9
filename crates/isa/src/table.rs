//! The table in memory: its contents, where they come from, and how they are looked up.

use std::collections::HashMap;
use std::path::Path;
use std::sync::OnceLock;
use std::{env, fs, io};

use crate::form::{Form, Need};
use crate::target::Target;
use crate::text::{Place, Problems, Source, Text};
use crate::types::Type;

/// All instructions, types and modifiers. Lives as long as the process, so that what it hands out needs no lifetime.
#[derive(Debug, Default)]
pub struct Table {
    /// The files it was read from.
    pub sources: Vec<Source>,
    /// The types, in the order of `types.isa`.
    pub types: Vec<Type>,
    /// The modifiers, in the order of `words.isa`.
    pub words: Vec<Word>,
    /// The instructions, by file and place.
    pub records: Vec<Record>,
    /// The special registers.
    pub specials: Vec<Special>,
    /// Opcodes without a record yet.
    pub pending: Vec<PendingOpcode>,
    /// For names from elsewhere, in small letters, what PTX has, and where the table says so.
    pub(crate) foreign: HashMap<Text, (Text, Place)>,
    pub(crate) type_index: HashMap<Text, usize>,
    pub(crate) word_index: HashMap<Text, usize>,
    /// Record and form for every base opcode.
    pub(crate) base_index: HashMap<Text, Vec<(usize, usize)>>,
}

/// A modifier.
#[derive(Clone, Debug)]
pub struct Word {
    /// With its dot: `.ftz`.
    pub name: Text,
    /// One line.
    pub title: Text,
    /// What it makes semantic functions do: key and value; the value of a flag is empty.
    pub sets: Vec<(Text, Text)>,
    /// Whether it may be written again, which means nothing more.
    pub repeats: bool,
    /// Where ptxas takes it in any instruction, which makes nothing of it: the group of words of which it takes one.
    pub ignored: Option<Text>,
    /// Where the facts come from; may be empty.
    pub src: Text,
    /// What a reader must know.
    pub note: Vec<Text>,
    /// Where it stands in the table.
    pub place: Place,
}

/// An instruction: what the manual gives a section.
#[derive(Clone, Debug)]
pub struct Record {
    /// The manual's name: `add`, `add.cc`.
    pub name: Text,
    /// The file it stands in without folder and ending: `integer`.
    pub chapter: String,
    /// What it does, one line.
    pub title: Text,
    /// Its spellings.
    pub forms: Vec<Form>,
    /// Values that must come out.
    pub examples: Vec<Example>,
    /// Where the facts come from.
    pub src: Vec<Text>,
    /// Which oracle agreed.
    pub proof: Vec<Text>,
    /// Where sources disagree, and what was chosen.
    pub doubt: Vec<Text>,
    /// What a reader must know.
    pub note: Vec<Text>,
    /// Where it stands in the table.
    pub place: Place,
}

impl Record {
    /// The section of the manual that it follows, as numbers: the order in which a reader expects instructions of one name.
    pub fn manual_order(&self) -> Vec<u32> {
        let source = self.src.first().and_then(|src| src.split(", ").find(|part| part.starts_with("9.7.")));
        source.unwrap_or("").split('.').map_while(|n| n.parse().ok()).collect()
    }
}

/// `example OPCODE  operand=value ... -> result{, result}`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// With its modifiers.
    pub opcode: Text,
    /// Name of an operand and its value as written.
    pub inputs: Vec<(Text, Text)>,
    /// The results as written, in the order of the destinations.
    pub results: Vec<Text>,
    /// Where it stands in the table.
    pub place: Place,
}

/// A special register such as `%tid`.
#[derive(Clone, Debug)]
pub struct Special {
    /// With its percent sign.
    pub name: Text,
    /// What it tells, one line.
    pub title: Text,
    /// Number of components, 1 for a scalar.
    pub lanes: u32,
    /// Name of the type of a component.
    pub ty: Text,
    /// Bits of the narrowest type that it may also be read as, by its low bits: it was so narrow once.
    pub narrow: Option<u32>,
    /// The directive of a kernel, without its dot, without which the kernel cannot read it.
    pub directive: Option<Text>,
    /// What it needs.
    pub needs: Vec<Need>,
    /// The function that gives its value.
    pub run: Text,
    /// Which one it is of those that share its record, counted from 0: the function's setting `index`.
    pub index: u32,
    /// Where the facts come from.
    pub src: Text,
    /// Which oracle agreed.
    pub proof: Vec<Text>,
    /// Where sources disagree.
    pub doubt: Vec<Text>,
    /// What a reader must know.
    pub note: Vec<Text>,
    /// Where it stands in the table.
    pub place: Place,
}

/// An opcode that parses and cannot be executed.
#[derive(Clone, Debug)]
pub struct PendingOpcode {
    /// A base opcode, or one with its first modifiers (`cp.async.bulk`).
    pub name: Text,
    /// What it is, one line.
    pub title: Text,
    /// Where it stands in the table.
    pub place: Place,
}

static EMBEDDED: OnceLock<Result<&'static Table, Problems>> = OnceLock::new();
static FILES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/files.rs"));

impl Table {
    /// The table that was compiled in, read at the first call.
    pub fn embedded() -> Result<&'static Table, &'static Problems> {
        EMBEDDED.get_or_init(|| crate::read::read(embedded_files())).as_ref().copied()
    }

    /// The table in a folder. It stays in memory until the process ends.
    pub fn load(folder: &Path) -> Result<&'static Table, Problems> {
        crate::read::read(files_of(folder)?)
    }

    /// The table in the folder that the environment variable `LOCKSTEP_ISA` names, else the embedded one. Read once.
    pub fn get() -> Result<&'static Table, &'static Problems> {
        static LOADED: OnceLock<Result<&'static Table, Problems>> = OnceLock::new();
        match env::var_os("LOCKSTEP_ISA") {
            Some(folder) => LOADED.get_or_init(|| Table::load(Path::new(&folder))).as_ref().copied(),
            None => Table::embedded(),
        }
    }

    /// The table from the text of its files. It stays in memory until the process ends.
    pub fn read(sources: Vec<Source>) -> Result<&'static Table, Problems> {
        crate::read::read(sources)
    }

    /// A type by its name without a dot.
    pub fn type_named(&self, name: &str) -> Option<&Type> {
        self.type_index.get(name).map(|&i| &self.types[i])
    }

    /// A modifier by its name with the dot. Types in slots are words too, but not listed here.
    pub fn word(&self, name: &str) -> Option<&Word> {
        self.word_index.get(name).map(|&i| &self.words[i])
    }

    /// A special register by its name with the percent sign.
    pub fn special(&self, name: &str) -> Option<&Special> {
        self.specials.iter().find(|s| s.name == name)
    }

    /// What PTX calls something that other languages, or the market, call `name`: an opcode, a modifier such as `.s32`, a special
    /// register or a target. No longer than the longest name is looked at.
    pub fn foreign(&self, name: &str) -> Option<Text> {
        let name = name.trim_start_matches(['.', '%']);
        self.foreign.get(&*name.get(..name.len().min(40))?.to_ascii_lowercase()).map(|known| known.0)
    }

    /// The records of a name: one for each chapter that has it.
    pub fn records_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Record> {
        self.records.iter().filter(move |r| r.name == name)
    }

    /// The record and form of everything spelled with a base opcode.
    pub fn forms_of(&self, base: &str) -> impl Iterator<Item = (&Record, &Form)> {
        let indices = self.base_index.get(base).map_or(&[][..], |v| v);
        indices.iter().map(|&(r, f)| (&self.records[r], &self.records[r].forms[f]))
    }

    /// The text of a place, such as that of a record.
    pub fn text(&self, place: Place) -> Text {
        let text = self.sources[place.source].text;
        text.get(place.span.start as usize..place.span.end as usize).unwrap_or("")
    }

    /// The target that someone means by a product (`h100`), an architecture (`hopper`), or a target's name with a mistake in it.
    pub fn target_meant(&self, name: &str) -> Option<Target> {
        let lower = name.to_ascii_lowercase();
        let words = lower.trim_start_matches(|c: char| !c.is_ascii_digit()).len();
        match self.foreign(name).and_then(Target::parse) {
            None if ["", "sm", "sm_", "sm-", "compute", "compute_", "cc", "arch"].contains(&&lower[..lower.len() - words]) => {
                Target::nearest(&lower)
            }
            known => known,
        }
    }

    /// The names among `names` that look most like `name`, at most three; only one if nothing but the size of letters differs.
    pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        // Nobody mistypes a name of a hundred letters, and the comparison is quadratic. Of short names most are near one another, of
        // single letters all.
        let limit = if matches!(name.len(), 1 | 101..) { 0 } else { 1 + name.len() / 4 };
        let lower = name.to_ascii_lowercase();
        let mut found: Vec<(usize, &str)> = names
            .into_iter()
            .filter(|n| name.len().abs_diff(n.len()) <= limit && name != *n)
            .map(|n| (distance(&lower, &n.to_ascii_lowercase()), n))
            .filter(|(d, _)| *d <= limit)
            .collect();
        found.sort_unstable();
        found.dedup();
        found.retain({
            let least = found.first().map_or(0, |f| f.0);
            move |f| f.0 == least
        });
        found.into_iter().map(|(_, n)| n).take(3).collect()
    }
}

/// The files that were compiled in.
fn embedded_files() -> Vec<Source> {
    FILES.iter().map(|(name, text)| Source { name: (*name).into(), text }).collect()
}

/// The `.isa` files of a folder, by name.
pub(crate) fn files_of(folder: &Path) -> Result<Vec<Source>, Problems> {
    let mut sources = Vec::new();
    if let Err(error) = collect(folder, folder, &mut sources) {
        let mut problems = Problems::default();
        problems.push(Place::default(), format!("cannot read {}: {error}", folder.display()));
        return Err(problems);
    }
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(sources)
}

/// The files of the folder that the environment variable `LOCKSTEP_ISA` names, else the embedded ones.
pub(crate) fn files() -> Result<Vec<Source>, Problems> {
    env::var_os("LOCKSTEP_ISA").map_or_else(|| Ok(embedded_files()), |folder| files_of(Path::new(&folder)))
}

/// How many letters must be changed, inserted, removed or exchanged with the next.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        rows[i][0] = i;
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}

/// The `.isa` files at and below `folder`.
fn collect(root: &Path, folder: &Path, sources: &mut Vec<Source>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, sources)?;
        } else if path.extension().is_some_and(|e| e == "isa") {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            sources.push(Source { name, text: fs::read_to_string(&path)?.leak() });
        }
    }
    Ok(())
}
