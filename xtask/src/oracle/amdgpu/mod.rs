//! The AMD table against llvm-mc 22: lines made from the records are assembled by both, and what llvm-mc encoded is disassembled by both.
//!
//! `cargo xtask oracle amdgpu [NAMES] [--lines N] [--target T] [--wave N] [--seed N]`: NAMES are mnemonics or encodings. What llvm-mc accepts,
//! what it refuses and what it prints are counted apart, and disagreements are grouped by what is special about the line. What says nothing of
//! us, mostly since llvm-mc loses a part of a line, is counted apart and shown, too. `--from FILE` asks the lines of a file instead, `--wild N`
//! lines that are changed at random, `--words N` random bytes.
//! llvm-mc runs twice for each target and size of wavefronts: it says of every line whether it takes it, and of all bytes what they are.

mod judge;
mod lines;
mod wild;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use amdgpu::codec::Codec;
use isa::amdgpu::Table;
use isa::amdgpu::words::Words;

use super::immediates::{Answer, answers, disassemble};
use amdgpu::assembler;
use amdgpu::codec::Undefined;
use amdgpu::object::TargetId;
use judge::Loss;
use lines::Line;

/// Lines of a form in the usual run.
const LINES: usize = 20;
/// Groups of disagreements that are shown, and lines of a group.
const GROUPS: usize = 150;
const SHOWN: usize = 3;

/// What is asked for.
struct Options<'a> {
    names: Vec<&'a str>,
    targets: Vec<&'a str>,
    waves: Vec<u8>,
    lines: usize,
    seed: &'a str,
    /// Lines that are changed at random, for each target, and what is changed besides lines that are made from the records.
    wild: usize,
    given: Vec<String>,
    /// Random bytes for each target.
    words: usize,
}

/// A target with a size of wavefronts.
#[derive(Clone, Copy)]
struct Machine {
    target: &'static str,
    wave: u8,
}

impl Machine {
    /// All that are asked for.
    fn all(table: &'static Table, options: &Options) -> Vec<Machine> {
        let mut all = Vec::new();
        for (index, target) in table.targets.iter().enumerate() {
            let id = isa::amdgpu::Target(index as u8);
            for (wave, feature) in [(32, "wave32"), (64, "wave64")] {
                let asked = options.targets.is_empty() || options.targets.contains(target);
                let sized = options.waves.is_empty() || options.waves.contains(&wave);
                if asked && sized && table.group(feature).has(id) {
                    all.push(Machine { target, wave });
                }
            }
        }
        all
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.target, self.wave)
    }
}

pub fn run(arguments: &[String]) -> Result<(), String> {
    let table: &'static Table = Table::load(&crate::root().join("isa")).map_err(|e| e.to_string())?;
    let words: &'static Words = Words::get().map_err(ToString::to_string)?;
    let options = options(arguments)?;
    let machines = Machine::all(table, &options);
    let tallies = super::side_by_side(&machines, |machine| {
        let tally = one_target(table, words, *machine, &options)?;
        eprintln!("{}", tally.line(*machine));
        Ok(tally)
    })?;
    let each: Vec<String> = machines.iter().zip(&tallies).map(|(machine, tally)| tally.line(*machine)).collect();
    let tally = tallies.into_iter().fold(Tally::default(), Tally::with);
    print!("{tally}");
    each.iter().for_each(|line| println!("{line}"));
    if tally.differ() == 0 { Ok(()) } else { Err(format!("{} lines differ", tally.differ())) }
}

fn options(arguments: &[String]) -> Result<Options<'_>, String> {
    let mut options = Options {
        names: Vec::new(),
        targets: Vec::new(),
        waves: Vec::new(),
        lines: LINES,
        seed: "",
        wild: 0,
        given: Vec::new(),
        words: 0,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or(format!("{argument} wants a value"));
        match argument.as_str() {
            "--lines" => options.lines = value()?.parse().map_err(|_| "--lines wants a number".to_owned())?,
            "--target" => options.targets.push(value()?),
            "--wave" => options.waves.push(value()?.parse().map_err(|_| "--wave wants 32 or 64")?),
            "--seed" => options.seed = value()?,
            "--wild" => options.wild = value()?.parse().map_err(|_| "--wild wants a number".to_owned())?,
            "--words" => options.words = value()?.parse().map_err(|_| "--words wants a number".to_owned())?,
            "--from" => {
                let path = value()?;
                let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
                options.given.extend(text.lines().map(str::to_owned));
            }
            name => options.names.push(name),
        }
    }
    Ok(options)
}

/// What the two said of a line.
struct Verdict {
    line: Line,
    bytes: Option<Vec<u8>>,
    text: Option<String>,
}

fn one_target(table: &'static Table, words: &'static Words, machine: Machine, options: &Options) -> Result<Tally, String> {
    let codec = Codec::new(table, words, machine.target, Some(machine.wave))?;
    let target = &machine.to_string();
    let seed = &[target.as_str(), options.seed].concat();
    let named = |i: &usize| {
        let entry = &codec.entries()[*i];
        options.names.is_empty() || options.names.iter().any(|n| *n == entry.instruction.name || *n == entry.encoding.name)
    };
    if options.words > 0 {
        return random_words(&codec, target, seed, options.words);
    }
    if options.wild > 0 {
        return whole_lines(&codec, machine, wild::of(&codec, seed, &options.given, options.wild));
    }
    if !options.given.is_empty() {
        return whole_lines(&codec, machine, options.given.clone());
    }
    let all: Vec<Line> =
        (0..codec.entries().len()).filter(named).flat_map(|i| lines::of(&codec, seed, i, options.lines)).collect();
    let mut tally = Tally::default();
    for verdict in judged(target, all)? {
        compare(&codec, target, &verdict, &mut tally);
    }
    Ok(tally)
}

/// Lines through the whole assembler.
fn whole_lines(codec: &Codec, machine: Machine, all: Vec<String>) -> Result<Tally, String> {
    let target = &machine.to_string();
    let id = TargetId::of(machine.target).map_err(|e| e.to_string())?;
    let answers = judge::texts(target, wild::PROLOGUE, &all)?;
    let (mut accepted, mut bytes) = (Vec::new(), Vec::new());
    let mut tally = Tally::default();
    for (text, (answer, message)) in all.iter().zip(answers) {
        let assembly = assembler::assemble(&format!("{}{text}\n", wild::PROLOGUE), codec, &id, None);
        let ours = match assembly.diagnostics.iter().find(|_| !assembly.is_right()) {
            Some(diagnostic) => Err(diagnostic.message.clone()),
            None => Ok(assembly.sections.first().map_or(Vec::new(), |s| s.bytes.clone())),
        };
        match answer {
            Answer::Open => {
                tally.leave_out("llvm-mc's bytes depend on a symbol, or it breaks down", "", format!("{target}: {text}"))
            }
            Answer::Refused => {
                tally.instructions.entry("").or_default().refused.add(ours.is_err());
                if let Ok(bytes) = ours {
                    group(&mut tally.groups, "accepts", message, format!("{target}: {text} : {}", hex(&bytes)));
                }
            }
            Answer::Bytes(theirs) => {
                accepted.push((text, ours));
                bytes.push(theirs);
            }
        }
    }
    let read = judge::bytes(target, &bytes)?;
    for ((text, ours), (theirs, read)) in accepted.iter().zip(bytes.iter().zip(&read)) {
        let mnemonic = text.split_whitespace().next().unwrap_or("");
        let joined = Some(read.0.join("\n")).filter(|_| read.1.is_empty());
        if let Some(loss) = lost(codec, text, theirs, joined.as_deref(), ours.as_deref().ok()) {
            tally.leave_out(loss.title(), mnemonic, format!("{target}: {text} : {} {joined:?}", hex(theirs)));
            continue;
        }
        let agrees = ours.as_ref().is_ok_and(|ours| ours == theirs);
        tally.instructions.entry("").or_default().accepted.add(agrees);
        let (kind, what, detail) = match ours {
            Ok(_) if agrees => continue,
            Ok(ours) => ("encodes", mnemonic, hex(ours)),
            Err(problem) => ("refuses", problem.split('`').next().unwrap_or(""), problem.clone()),
        };
        group(&mut tally.groups, kind, what.to_owned(), format!("{target}: {text} : {} {detail}", hex(theirs)));
    }
    all_bytes(codec, target, &bytes, &mut tally)?;
    Ok(tally)
}

/// Random bytes: half of them have the bits of some form.
fn random_words(codec: &Codec, target: &str, seed: &str, most: usize) -> Result<Tally, String> {
    let mut dice = lines::Dice::new(&[seed, "words"]);
    let mut byte = |_| dice.below(256) as u8;
    let mut all: Vec<Vec<u8>> = (0..most).map(|_| (0..20).map(&mut byte).collect()).collect();
    for (i, bytes) in all.iter_mut().enumerate().filter(|(i, _)| i % 4 != 0) {
        let entry = &codec.entries()[dice.below(codec.entries().len())];
        let keep = entry.mask | if i % 4 == 1 { 0 } else { entry.unused };
        let value = entry.value & entry.mask | entry.unused_value & keep & !entry.mask;
        for (at, byte) in bytes.iter_mut().enumerate().take(16) {
            let (keep, value) = ((keep >> (8 * at)) as u8, (value >> (8 * at)) as u8);
            *byte = *byte & !keep | value & keep;
        }
    }
    let mut tally = Tally::default();
    all_bytes(codec, target, &all, &mut tally)?;
    Ok(tally)
}

/// What both read in each of some bytes, up to the first that is read differently.
fn all_bytes(codec: &Codec, target: &str, all: &[Vec<u8>], tally: &mut Tally) -> Result<(), String> {
    let read = judge::bytes(target, all)?;
    let doubtful: Vec<Doubtful> =
        all.iter().zip(read).filter_map(|(bytes, read)| read_bytes(codec, target, bytes, read, tally)).collect();
    let lines: Vec<String> = doubtful.iter().map(|d| d.text.clone()).collect();
    for (doubtful, answer) in doubtful.into_iter().zip(answers(target, &lines)?) {
        match answer {
            Answer::Bytes(again) if doubtful.bytes.starts_with(&again) => tally.differs(doubtful.what, doubtful.detail),
            _ => tally.leave_out(doubtful.why, doubtful.text.split(' ').next().unwrap_or(""), doubtful.detail),
        }
    }
    Ok(())
}

/// An instruction that llvm-mc reads in bytes and we do not: they are none if its text is not these bytes again.
struct Doubtful {
    text: String,
    bytes: Vec<u8>,
    /// What to count it as then, by our reason.
    why: &'static str,
    what: String,
    detail: String,
}

/// What both read in bytes, unless it depends on what llvm-mc makes of its own text. Counted apart is what llvm-mc says is no operand.
fn read_bytes(codec: &Codec, target: &str, bytes: &[u8], (theirs, invalid): judge::Read, tally: &mut Tally) -> Option<Doubtful> {
    if theirs.iter().any(|text| text.contains("breaks down")) {
        tally.leave_out("words: llvm-mc breaks down", "", format!("{target}: {}", hex(bytes)));
        return None;
    }
    let (ours, wrong) = texts(codec, bytes);
    let at = ours.iter().zip(&theirs).take_while(|(ours, theirs)| ours == theirs).count();
    if let Some(text) = theirs.get(at).filter(|text| text.contains("/*Invalid")) {
        let name = text.split(' ').next().unwrap_or("");
        tally.leave_out("words: llvm-mc marks an operand as invalid", name, format!("{target}: {} {theirs:?}", hex(bytes)));
        return None;
    }
    // llvm-mc reads no further than to the first that is none.
    if ours == theirs && wrong.map(|(at, _)| at) == invalid.first().copied() {
        tally.instructions.entry("").or_default().text.add(true);
        return None;
    }
    let name = |all: &[String]| all.get(at).map_or("", |t| t.split(' ').next().unwrap_or("")).to_owned();
    let what = format!("{} ours {}", name(&theirs), name(&ours));
    let detail = format!("{target}: {} {theirs:?} {invalid:?} ours {ours:?} {wrong:?}", hex(bytes));
    let offset = ours.iter().take(at).fold(0, |at, _| at + codec.decode(&bytes[at..]).map_or(0, |d| usize::from(d.size)));
    let why = match codec.decode(&bytes[offset..]) {
        Err(Undefined::Operand) => Some("words: an operand that there is not; llvm-mc's text is other words"),
        Err(Undefined::Opcode) => Some("words: no such opcode; llvm-mc's text is other words"),
        Err(Undefined::Unused) => Some("words: bits that nobody reads are set; llvm-mc's text is other words"),
        Ok(decoded) if !codec.canonical(&decoded, &ours[at]) => Some("words: neither text is these words"),
        Ok(_) | Err(Undefined::Truncated) => None,
    };
    match (theirs.get(at), why) {
        // Both say that they are none: we, since no text makes them.
        (None, Some(_)) if invalid.first() == Some(&offset) => {
            tally.instructions.entry("").or_default().text.add(true);
            None
        }
        (Some(text), Some(why)) => Some(Doubtful { text: text.clone(), bytes: bytes[offset..].to_vec(), why, what, detail }),
        _ => {
            tally.differs(what, detail);
            None
        }
    }
}

/// Groups of disagreements: kind, and what they have in common.
type Groups = BTreeMap<(&'static str, String), (u64, Vec<String>)>;

fn group(groups: &mut Groups, kind: &'static str, what: String, shown: String) {
    let group = groups.entry((kind, what)).or_default();
    group.0 += 1;
    if group.1.len() < SHOWN {
        group.1.push(shown);
    }
}

fn join(groups: &mut Groups, other: Groups) {
    for (key, (count, shown)) in other {
        let group = groups.entry(key).or_default();
        group.0 += count;
        group.1.extend(shown);
        group.1.truncate(SHOWN);
    }
}

/// What llvm-mc says of lines: bytes, and the text of these.
fn judged(target: &str, lines: Vec<Line>) -> Result<Vec<Verdict>, String> {
    let texts: Vec<String> = lines.iter().map(|l| l.text.clone()).collect();
    let answers = answers(target, &texts)?;
    let bytes = |answer: &Answer| if let Answer::Bytes(bytes) = answer { Some(bytes.clone()) } else { None };
    let accepted: Vec<Vec<u8>> = answers.iter().filter_map(bytes).collect();
    let mut printed = disassemble(target, &accepted)?.into_iter();
    let verdict = |(line, answer): (Line, Answer)| {
        let bytes = bytes(&answer);
        let text = bytes.as_ref().and_then(|_| printed.next().flatten());
        (answer != Answer::Open).then_some(Verdict { line, bytes, text })
    };
    Ok(lines.into_iter().zip(answers).filter_map(verdict).collect())
}

/// Holds a line against what llvm-mc says of it.
fn compare(codec: &Codec, target: &str, verdict: &Verdict, tally: &mut Tally) {
    let (mnemonic, operands) = verdict.line.text.split_once(' ').unwrap_or((&verdict.line.text, ""));
    let entry = &codec.entries()[verdict.line.entry];
    let ours = codec.assemble(mnemonic, operands, &|_| None);
    if let Some(bytes) = &verdict.bytes {
        let ours = ours.as_ref().ok().map(|ours| ours.bytes().0[..ours.bytes().1].to_vec());
        if let Some(loss) = lost(codec, &verdict.line.text, bytes, verdict.text.as_deref(), ours.as_deref()) {
            let detail = format!("{target}: {} : {} {:?}", verdict.line.text, hex(bytes), verdict.text);
            return tally.leave_out(loss.title(), entry.instruction.name, detail);
        }
    }
    let place = tally.instructions.entry(entry.instruction.name).or_default();
    let wide = format!("{} {}", entry.encoding.name, verdict.line.what);
    let mut differs = |kind: &'static str, detail: String| {
        let shown = format!("{target}: {} : {detail}", verdict.line.text);
        group(&mut tally.groups, kind, wide.clone(), shown);
    };
    match (&verdict.bytes, ours) {
        (None, Err(_)) => place.refused.add(true),
        (None, Ok(_)) => {
            place.refused.add(false);
            differs("accepts", String::new());
        }
        (Some(bytes), Err(problem)) => {
            place.accepted.add(false);
            differs("refuses", format!("{} {}", hex(bytes), problem.message));
        }
        (Some(bytes), Ok(assembled)) => {
            let (ours, length) = assembled.bytes();
            place.accepted.add(ours[..length] == **bytes);
            if ours[..length] != **bytes {
                differs("encodes", format!("{} ours {}", hex(bytes), hex(&ours[..length])));
            }
        }
    }
    let Some(bytes) = &verdict.bytes else { return };
    let (texts, undefined) = texts(codec, bytes);
    let Some(theirs) = &verdict.text else {
        let detail = format!("{target}: {} : {} ours {texts:?}", verdict.line.text, hex(bytes));
        return tally.leave_out("text: llvm-mc does not read its own bytes as one instruction", entry.instruction.name, detail);
    };
    if theirs.contains("/*Invalid") || theirs.contains("/* invalid") {
        let detail = format!("{target}: {} : {theirs:?} ours {texts:?}", verdict.line.text);
        return tally.leave_out("text: llvm-mc marks a part of its own bytes as invalid", entry.instruction.name, detail);
    }
    let same = undefined.is_none() && texts == [theirs.as_str()];
    place.text.add(same);
    if !same {
        differs("prints", format!("{} {theirs:?} ours {texts:?} {undefined:?}", hex(bytes)));
    }
}

/// What llvm-mc lost of a line, if that is why we differ: we refuse the line, or our bytes keep all of it.
fn lost(codec: &Codec, line: &str, theirs: &[u8], read: Option<&str>, ours: Option<&[u8]>) -> Option<Loss> {
    if ours == Some(theirs) {
        return None;
    }
    let loss = judge::loss(line, read)?;
    let keeps = |ours: &[u8]| judge::loss(line, Some(&texts(codec, ours).0.join("\n"))).is_none();
    ours.is_none_or(keeps).then_some(loss)
}

/// The instructions in bytes, up to the first that is none; and its place, and why it is none.
fn texts(codec: &Codec, bytes: &[u8]) -> (Vec<String>, Option<(usize, Undefined)>) {
    let (mut at, mut texts) = (0, Vec::new());
    while at < bytes.len() {
        match codec.decode(&bytes[at..]) {
            Ok(decoded) => {
                let mut text = String::new();
                codec.print(&decoded, &mut text);
                texts.push(text);
                at += usize::from(decoded.size);
            }
            Err(why) => return (texts, Some((at, why))),
        }
    }
    (texts, None)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, b| {
        let _ = write!(text, "{b:02x}");
        text
    })
}

/// How often we agree.
#[derive(Clone, Copy, Default)]
struct Count {
    agree: u64,
    all: u64,
}

impl Count {
    fn add(&mut self, agrees: bool) {
        self.all += 1;
        self.agree += u64::from(agrees);
    }

    fn with(self, other: Count) -> Count {
        Count { agree: self.agree + other.agree, all: self.all + other.all }
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = if self.all == 0 { 100.0 } else { self.agree as f64 * 100.0 / self.all as f64 };
        write!(f, "{} of {} ({percent:.3} %)", self.agree, self.all)
    }
}

/// Of an instruction.
#[derive(Clone, Copy, Default)]
struct Counts {
    accepted: Count,
    refused: Count,
    text: Count,
}

impl Counts {
    fn with(self, other: Counts) -> Counts {
        Counts {
            accepted: self.accepted.with(other.accepted),
            refused: self.refused.with(other.refused),
            text: self.text.with(other.text),
        }
    }

    fn differ(self) -> u64 {
        [self.accepted, self.refused, self.text].iter().map(|c| c.all - c.agree).sum()
    }
}

/// Of everything.
#[derive(Default)]
struct Tally {
    instructions: BTreeMap<&'static str, Counts>,
    groups: Groups,
    /// What says nothing of us: why, how often, and of which instructions.
    left_out: BTreeMap<&'static str, Groups>,
}

impl Tally {
    fn with(mut self, other: Tally) -> Tally {
        for (name, counts) in other.instructions {
            let place = self.instructions.entry(name).or_default();
            *place = place.with(counts);
        }
        for (why, groups) in other.left_out {
            join(self.left_out.entry(why).or_default(), groups);
        }
        join(&mut self.groups, other.groups);
        self
    }

    /// Words of which the texts differ.
    fn differs(&mut self, what: String, detail: String) {
        self.instructions.entry("").or_default().text.add(false);
        group(&mut self.groups, "prints", what, detail);
    }

    /// Counts apart what says nothing of us.
    fn leave_out(&mut self, why: &'static str, what: &str, shown: String) {
        group(self.left_out.entry(why).or_default(), "left out", what.to_owned(), shown);
    }

    fn total(&self) -> Counts {
        self.instructions.values().fold(Counts::default(), |all, c| all.with(*c))
    }

    fn differ(&self) -> u64 {
        self.total().differ()
    }

    fn line(&self, machine: Machine) -> String {
        let all = self.total();
        format!("{machine}: accepted {}, refused {}, text {}", all.accepted, all.refused, all.text)
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        for ((kind, what), (count, shown)) in groups.into_iter().take(GROUPS) {
            writeln!(f, "{count} {kind}: {what}")?;
            shown.iter().try_for_each(|line| writeln!(f, "    {line}"))?;
        }
        let mut worst: Vec<_> = self.instructions.iter().filter(|(_, c)| c.differ() > 0).collect();
        worst.sort_by_key(|(_, c)| std::cmp::Reverse(c.differ()));
        for (name, counts) in worst.iter().take(GROUPS) {
            writeln!(f, "{name}: accepted {}, refused {}, text {}", counts.accepted, counts.refused, counts.text)?;
        }
        let all = self.total();
        for (why, groups) in &self.left_out {
            writeln!(f, "left out: {} {why}", groups.values().map(|group| group.0).sum::<u64>())?;
            for ((_, what), (count, shown)) in groups {
                writeln!(f, "    {count} {what}: {}", shown.join("; "))?;
            }
        }
        writeln!(f, "{} instructions, {} with differences", self.instructions.len(), worst.len())?;
        writeln!(f, "accepted {}, refused {}, text {}", all.accepted, all.refused, all.text)
    }
}
