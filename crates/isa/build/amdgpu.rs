//! The index of AMD's records: where each stands, and by what names and opcodes it is found on which targets.
//!
//! Reads no more of a record than that; whether the rest is right says the reader of the crate, and a test there holds this index against it. Layout, with
//! the lowest byte first: the counts of the three lists, 4 bytes each; records in the order of the files (file 2, first byte 4, byte behind the last 4);
//! names in their order (first byte 4, length 2, record 2, targets 8); opcodes in the order of encodings (opcode 4, record 2, encoding 2, targets 8).
//! Targets are bits, in the order of the table.

use std::collections::HashMap;

/// Files of `isa/amdgpu` that do not describe instructions.
const OTHERS: [&str; 3] = ["amdgpu/words.isa", "amdgpu/descriptor.isa", "amdgpu/hazards.isa"];

/// Names of targets and groups, with the targets they stand for, and encodings in their order.
#[derive(Default)]
struct Names {
    targets: HashMap<String, u64>,
    encodings: HashMap<String, usize>,
}

/// A line of the table: indentation, first byte, and content without its comment, with continuation lines joined.
struct Line {
    indent: usize,
    start: usize,
    content: String,
}

/// The index of the table's files, by name and text.
pub fn index(files: &[(String, String)]) -> Vec<u8> {
    let ours = files.iter().filter(|f| f.0.starts_with("amdgpu/") && !OTHERS.contains(&f.0.as_str()));
    let files: Vec<Vec<Line>> = ours.map(|file| lines(&file.1)).collect();
    let names = names(&files);
    let (mut places, mut named, mut coded) = (Vec::new(), Vec::new(), Vec::new());
    for (number, file) in files.iter().enumerate() {
        let mut starts = (0..file.len()).filter(|i| file[*i].indent == 0).peekable();
        while let Some(at) = starts.next() {
            let next = starts.peek().copied().unwrap_or(file.len());
            let end = file.get(next).map_or(file[next - 1].start + file[next - 1].content.len(), |line| line.start);
            let Some(name) = file[at].content.strip_prefix("instr ") else { continue };
            let record = places.len();
            let mut found = Found { record, targets: 0, coded: Vec::new() };
            file[at + 1..next].iter().filter(|line| line.indent == 2).for_each(|line| found.form(&line.content, &names));
            let own = file[at].start + file[at].content.len() - name.trim_start().len();
            named.push((name.trim().to_owned(), record, own, found.targets));
            for line in file[at + 1..next].iter().filter(|line| line.content.starts_with("alias ")) {
                let alias = line.content["alias ".len()..].trim_start();
                let (alias, targets) = alias.split_once(char::is_whitespace).unwrap_or((alias, ""));
                let start = line.start + line.content.find(alias).unwrap_or(0);
                // A name that does nothing on a target is none there.
                named.push((alias.to_owned(), record, start, names.set(targets) & found.targets));
            }
            coded.append(&mut found.coded);
            places.push((number, file[at].start, end));
        }
    }
    named.sort_by(|a, b| a.0.cmp(&b.0));
    coded.sort_unstable();
    let mut bytes = Vec::new();
    [places.len(), named.len(), coded.len()].iter().for_each(|count| put(&mut bytes, *count as u64, 4));
    for (file, start, end) in places {
        [(file, 2), (start, 4), (end, 4)].iter().for_each(|n| put(&mut bytes, n.0 as u64, n.1));
    }
    for (name, record, start, targets) in named {
        [(start, 4), (name.len(), 2), (record, 2)].iter().for_each(|n| put(&mut bytes, n.0 as u64, n.1));
        put(&mut bytes, targets, 8);
    }
    for same in coded.chunk_by(|a, b| a.0 == b.0) {
        let ((encoding, opcode, record), targets) = (same[0].0, same.iter().fold(0, |all, c| all | c.1));
        [(opcode as usize, 4), (record, 2), (encoding, 2)].iter().for_each(|n| put(&mut bytes, n.0 as u64, n.1));
        put(&mut bytes, targets, 8);
    }
    bytes
}

fn put(bytes: &mut Vec<u8>, number: u64, count: usize) {
    bytes.extend_from_slice(&number.to_le_bytes()[..count]);
}

/// What is found in a record: the targets that have it, and encodings with opcodes.
struct Found {
    record: usize,
    targets: u64,
    coded: Vec<((usize, u32, usize), u64)>,
}

impl Found {
    /// `ENCODING TARGETS OPCODE, TARGETS OPCODE | ...`. The first that names a target counts.
    fn form(&mut self, line: &str, names: &Names) {
        let (key, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let Some(encoding) = names.encodings.get(key) else { return };
        let mut seen = 0;
        for part in value.split('|').next().unwrap_or("").split(',') {
            let (targets, opcode) = part.trim().rsplit_once(char::is_whitespace).unwrap_or(("", ""));
            let Some(opcode) = opcode.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
                continue;
            };
            let targets = names.set(targets) & !seen;
            seen |= targets;
            self.coded.push(((*encoding, opcode, self.record), targets));
        }
        self.targets |= seen;
    }
}

impl Names {
    /// Targets and groups; `-NAME` takes some out again.
    fn set(&self, list: &str) -> u64 {
        list.split_whitespace().fold(0, |all, word| match word.strip_prefix('-') {
            Some(name) => all & !self.targets.get(name).copied().unwrap_or(0),
            None => all | self.targets.get(word).copied().unwrap_or(0),
        })
    }
}

fn names(files: &[Vec<Line>]) -> Names {
    let mut names = Names::default();
    let all = || files.iter().flatten().filter(|line| line.indent == 0).filter_map(|line| line.content.split_once(' '));
    for (kind, rest) in all() {
        match kind {
            "target" => drop(names.targets.insert(rest.trim().to_owned(), 1 << names.targets.len())),
            "encoding" => drop(names.encodings.insert(rest.trim().to_owned(), names.encodings.len())),
            _ => {}
        }
    }
    for (_, rest) in all().filter(|(kind, _)| ["group", "feature"].contains(kind)) {
        let (name, list) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
        let set = names.set(list);
        // Of two of one name the first is found.
        names.targets.entry(name.to_owned()).or_insert(set);
    }
    names
}

fn lines(text: &str) -> Vec<Line> {
    let (mut all, mut start, mut goes_on): (Vec<Line>, usize, bool) = (Vec::new(), 0, false);
    for raw in text.split_inclusive('\n') {
        let begins = |at: &usize| *at == 0 || raw.as_bytes()[at - 1].is_ascii_whitespace();
        let end = raw.match_indices('#').map(|found| found.0).find(begins).unwrap_or(raw.len());
        let line = raw[..end].trim_ascii_end();
        let (line, continues) = line.strip_suffix('\\').map_or((line, false), |head| (head.trim_ascii_end(), true));
        let content = line.trim_ascii_start();
        let indent = line.len() - content.len();
        match all.last_mut() {
            Some(last) if goes_on => last.content = format!("{} {content}", last.content),
            _ if content.is_empty() && !continues => {}
            _ => all.push(Line { indent, start: start + indent, content: content.to_owned() }),
        }
        goes_on = continues;
        start += raw.len();
    }
    all
}
