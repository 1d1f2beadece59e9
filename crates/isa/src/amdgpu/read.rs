//! From the text of `isa/amdgpu` to the table: names looked up, everything unknown refused.

use super::image::{Dimension, Image};
use super::{
    Class, Content, Effect, Encoding, Field, Form, Instruction, Layout, Limits, Operand, Pairing, Piece, Table, Targets, Type,
    Variant,
};
use crate::names::NameMap;
use crate::read::AMDGPU;
use crate::text::{Entry, Place, Problems, Source, Text, each_entry, entries};

/// Files of `isa/amdgpu` that other readers read.
const OTHERS: [&str; 2] = ["amdgpu/words.isa", "amdgpu/descriptor.isa"];

/// Reads the table from the text of its files; of instructions, what one target has of them or everything.
pub(super) fn read(sources: Vec<Source>, only: Option<&str>) -> Result<&'static Table, Problems> {
    let ours = |s: &Source| s.name.starts_with(AMDGPU) && !OTHERS.contains(&s.name.as_str());
    let sources: Vec<Source> = sources.into_iter().filter(ours).collect();
    let mut reader = Reader::default();
    reader.problems.sources = sources.clone();
    // What others name comes first; files that begin with an instruction name, and are read record by record.
    let is_last = |source: &Source| {
        source.text.lines().find(|l| l.starts_with(char::is_alphabetic)).is_some_and(|l| l.starts_with("instr "))
    };
    let numbered = || sources.iter().enumerate();
    let first = numbered().filter(|(_, source)| !is_last(source));
    let files: Vec<Vec<Entry>> = first.map(|(i, source)| entries(i, source.text, &mut reader.problems)).collect();
    for kinds in [&KINDS[..1], &KINDS[1..3], &KINDS[3..12], &KINDS[12..14], &KINDS[14..]] {
        files.iter().flatten().filter(|e| kinds.contains(&e.key)).for_each(|e| reader.entry(e));
        reader.only = only.map(|name| reader.table.target(name).map_or(Targets::NONE, Targets::one));
    }
    files.iter().flatten().filter(|e| !KINDS.contains(&e.key)).for_each(|e| reader.entry(e));
    for (i, source) in numbered().filter(|(_, source)| is_last(source)) {
        let mut problems = Problems::default();
        each_entry(i, source.text, &mut problems, |entry| reader.entry(entry));
        reader.problems.list.append(&mut problems.list);
    }
    if !reader.problems.list.is_empty() {
        return Err(reader.problems);
    }
    reader.table.sources = sources;
    Ok(Box::leak(Box::new(reader.table)))
}

/// A table of targets, groups and features alone, for readers of other files.
pub(super) fn families(sources: &[Source], problems: &mut Problems) -> Table {
    let mut reader = Reader::default();
    std::mem::swap(&mut reader.problems, problems);
    let files: Vec<Vec<Entry>> = (sources.iter().enumerate())
        .filter(|(_, source)| source.name == "amdgpu/targets.isa")
        .map(|(i, source)| entries(i, source.text, &mut reader.problems))
        .collect();
    for kinds in [&KINDS[..1], &KINDS[1..3]] {
        files.iter().flatten().filter(|e| kinds.contains(&e.key)).for_each(|e| reader.entry(e));
    }
    std::mem::swap(&mut reader.problems, problems);
    reader.table
}

/// Targets and groups by name; `-NAME` takes some out again.
pub(super) fn targets_of(table: &Table, list: &str, place: Place, problems: &mut Problems) -> Targets {
    let mut all = Targets::NONE;
    for word in list.split_whitespace() {
        let (name, minus) = word.strip_prefix('-').map_or((word, false), |n| (n, true));
        let set = match table.target(name) {
            Some(target) => Targets::one(target),
            None => table.group(name),
        };
        if set.is_empty() {
            problems.push(place, format!("there is no target or group `{name}`"));
        }
        all = if minus { all.without(set) } else { all.or(set) };
    }
    if list.trim().is_empty() {
        problems.push(place, "no targets");
    }
    all
}

/// Kinds of records; those that name others come after them.
const KINDS: [&str; 15] = [
    "target",
    "group",
    "feature",
    "range",
    "reach",
    "register",
    "source",
    "synonym",
    "integer",
    "real",
    "dimension",
    "state",
    "encoding",
    "functional-group",
    "instr",
];

#[derive(Default)]
struct Reader {
    table: Table,
    problems: Problems,
    /// Of instructions only what these have.
    only: Option<Targets>,
    known: Known,
}

/// What has been read before: records say the same again and again.
#[derive(Default)]
struct Known {
    fields: NameMap<Text, Field>,
    encodings: NameMap<Text, usize>,
    groups: NameMap<Text, usize>,
    targets: NameMap<Text, Targets>,
    /// By encoding and text, with class and type.
    operands: NameMap<(usize, Text), Operand>,
    /// By encoding, what a form has and what its record has.
    lists: NameMap<(usize, Text, Text), &'static [Operand]>,
    /// The same.
    modifiers: NameMap<(usize, Text, Text), &'static [Text]>,
}

/// What a line of an encoding says beside its layouts.
impl Reader {
    fn entry(&mut self, entry: &Entry) {
        if entry.value.is_empty() && KINDS.contains(&entry.key) {
            self.problems.push(entry.place, format!("`{}` without a name", entry.key));
            return;
        }
        match entry.key {
            "target" if self.table.targets.len() == 64 => {
                self.problems.push(entry.place, "more than 64 targets");
            }
            "target" => self.table.targets.push(entry.value),
            "group" | "feature" => self.group(entry),
            "encoding" => self.encoding(entry),
            "dimension" => match Dimension::parse(entry.value) {
                Some(dimension) => self.table.dimensions.push(dimension),
                None => {
                    self.problems.push(entry.place, "a dimension reads `NUMBER COORDINATES GRADIENTS [msaa]`");
                }
            },
            "functional-group" => self.functional_group(entry),
            "state" => {
                let (name, title) = entry.value.split_once(char::is_whitespace).unwrap_or((entry.value, ""));
                self.table.states.push((name, title.trim_start()));
            }
            "range" | "reach" | "register" | "source" | "synonym" | "integer" | "real" => self.register(entry),
            "instr" => self.instruction(entry),
            key => {
                self.problems.push(entry.place, format!("unknown kind of record `{key}`")).help =
                    Some(format!("known: {}", KINDS.join(", ")));
            }
        }
    }

    /// `group NAME targets`. Groups may stand in any order: a name that is not yet known is looked up in vain, so lists go from small to large.
    fn group(&mut self, entry: &Entry) {
        let (name, list) = entry.value.split_once(char::is_whitespace).unwrap_or((entry.value, ""));
        let targets = self.targets(list, entry.place);
        self.table.groups.push((name, targets));
    }

    /// `functional-group NAME` with its `title`.
    fn functional_group(&mut self, entry: &Entry) {
        match &entry.children[..] {
            _ if self.table.functional_group(entry.value).is_some() => {
                self.problems.push(entry.place, format!("functional group `{}` is there twice", entry.value));
            }
            [line] if line.key == "title" && !line.value.is_empty() => {
                self.known.groups.insert(entry.value, self.table.functional_groups.len());
                self.table.functional_groups.push((entry.value, line.value))
            }
            _ => {
                self.problems.push(entry.place, format!("functional group `{}` has a title and nothing else", entry.value));
            }
        }
    }

    /// The functional group that an instruction names.
    fn group_of(&mut self, name: Text, place: Place) -> Option<usize> {
        let known = self.known.groups.get(name).copied();
        if known.is_none() {
            let names: Vec<Text> = self.table.functional_groups.iter().map(|g| g.0).collect();
            let problem = self.problems.push(place, format!("there is no functional group `{name}`"));
            problem.help = Some(format!("known: {}", names.join(", ")));
        }
        known
    }

    fn targets(&mut self, list: Text, place: Place) -> Targets {
        targets_of(&self.table, list, place, &mut self.problems)
    }

    /// The same, of an instruction.
    fn targets_again(&mut self, list: Text, place: Place) -> Targets {
        if let Some(known) = self.known.targets.get(list) {
            return *known;
        }
        let targets = self.targets(list, place);
        if !targets.is_empty() && self.problems.list.is_empty() {
            self.known.targets.insert(list, targets);
        }
        targets
    }

    /// A line of `registers.isa`.
    fn register(&mut self, entry: &Entry) {
        let words: Vec<Text> = entry.value.split_whitespace().collect();
        let targets = match (entry.key, words.get(3..)) {
            ("range" | "register" | "source", Some(rest)) if !rest.is_empty() => {
                let start = rest[0].as_ptr() as usize - entry.value.as_ptr() as usize;
                self.targets(&entry.value[start..], entry.place)
            }
            ("reach", Some(_)) => self.targets(words[2], entry.place),
            _ => Targets::NONE,
        };
        let registers = &mut self.table.registers;
        let done = (|| {
            match (entry.key, &words[..]) {
                ("range", [name, first, count, ..]) => {
                    registers.ranges.push((name, first.parse().ok()?, count.parse().ok()?, targets));
                }
                ("reach", [name, count, _]) => registers.reaches.push((name, count.parse().ok()?, targets)),
                ("register" | "source", [name, number, words, ..]) => {
                    let (number, words) = (number.parse().ok()?, words.parse().ok()?);
                    registers.names.push((name, number, words, targets));
                    registers.sources.extend((entry.key == "source").then_some((number, words)));
                }
                ("integer", [number, value, count, step]) => {
                    registers.integers.push((number.parse().ok()?, value.parse().ok()?, count.parse().ok()?, step.parse().ok()?));
                }
                ("synonym", [name, other]) => registers.synonyms.push((name, other)),
                ("real", [number, value]) => registers.reals.push((number.parse().ok()?, value)),
                _ => return None,
            }
            Some(())
        })();
        if done.is_none() {
            self.problems.push(entry.place, format!("`{}` is not a line of its kind: see registers.isa", entry.key));
        }
    }

    fn field(&mut self, name: Text) -> Field {
        *self.known.fields.entry(name).or_insert_with(|| {
            self.table.fields.push(name);
            Field(self.table.fields.len() as u16 - 1)
        })
    }

    fn encoding(&mut self, entry: &Entry) {
        let mut encoding = Encoding {
            name: entry.value,
            title: "",
            suffix: "",
            variant: Variant::Default,
            scaled: Vec::new(),
            facts: "",
            unconstant: Vec::new(),
            layouts: Vec::new(),
            holds: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            halves: Targets::NONE,
            accumulators: None,
            positive: Targets::NONE,
            signed: Targets::NONE,
            modifiers: Vec::new(),
            defaults: Vec::new(),
            free: Vec::new(),
            idle: Vec::new(),
            spare: Vec::new(),
            place: entry.place,
        };
        for line in &entry.children {
            match line.key {
                "title" => encoding.title = line.value,
                "suffix" => encoding.suffix = line.value,
                "facts" => encoding.facts = line.value,
                "scaled" => encoding.scaled = line.value.split_whitespace().map(|w| self.field(w)).collect(),
                "variant" => match Variant::NAMES.iter().find(|v| v.0 == line.value) {
                    Some(variant) => encoding.variant = variant.1,
                    None => {
                        self.problems.push(line.place, format!("there is no variant `{}`", line.value)).help =
                            Some(format!("known: {}", Variant::NAMES.map(|v| v.0).join(", ")));
                    }
                },
                "unconstant" => {
                    let (targets, fields) = line.value.split_once('|').unwrap_or((line.value, ""));
                    let targets = self.targets(targets, line.place);
                    encoding.unconstant = fields.split_whitespace().map(|f| (self.field(f), targets)).collect();
                }
                "accumulators" => encoding.accumulators = Some(self.targets(line.value, line.place)),
                "positive" => encoding.positive = self.targets(line.value, line.place),
                "signed" => encoding.signed = self.targets(line.value, line.place),
                "halves" => encoding.halves = self.targets(line.value, line.place),
                "mods" => encoding.modifiers = line.value.split_whitespace().collect(),
                "layout" => encoding.layouts.extend(self.layout(line)),
                "also" => self.also(&mut encoding, line),
                "holds" => encoding.holds = self.holds(line),
                "reads" => encoding.reads = self.effects(line),
                "writes" => encoding.writes = self.effects(line),
                "free" => encoding.free = line.value.split_whitespace().map(|w| self.field(w)).collect(),
                "idle" => {
                    let words = line.value.split_whitespace();
                    encoding.idle = words.filter_map(|w| self.pair(w, line.place)).map(|p| (p.0, p.1)).collect();
                }
                "spare" => {
                    let words = line.value.split_whitespace();
                    encoding.spare = words.filter_map(|w| self.pair(w, line.place)).map(|p| (p.0, p.1)).collect();
                }
                "default" => {
                    encoding.defaults =
                        line.value.split_whitespace().filter_map(|w| self.pair(w, line.place)).map(|p| (p.0, p.1)).collect()
                }
                other => {
                    self.problems.push(line.place, format!("unknown key `{other}`")).help = Some(
                        "known: title, suffix, variant, halves, signed, positive, accumulators, unconstant, scaled, facts, mods, layout, also, holds, reads, writes, default, idle, spare, free".into(),
                    );
                }
            }
        }
        let overlap = encoding
            .layouts
            .iter()
            .enumerate()
            .any(|(i, a)| encoding.layouts[..i].iter().any(|b| !a.targets.and(b.targets).is_empty()));
        if overlap {
            self.problems.push(entry.place, format!("two layouts of `{}` hold for one target", entry.value));
        }
        self.known.encodings.insert(encoding.name, self.table.encodings.len());
        self.table.encodings.push(encoding);
    }

    fn holds(&mut self, line: &Entry) -> Vec<(Field, Class)> {
        let mut holds = Vec::new();
        for word in line.value.split_whitespace() {
            let parsed = word.split_once(':').and_then(|(name, class)| Some((name, Class::parse(class)?)));
            match parsed {
                Some((name, class)) => holds.push((self.field(name), class)),
                None => {
                    self.problems.push(line.place, format!("`{word}` is not FIELD:CLASS"));
                }
            }
        }
        holds
    }

    /// `TARGETS | POSITION CONTENT ...`: all bits, the highest first.
    fn layout(&mut self, line: &Entry) -> Option<Layout> {
        let Some((targets, bits)) = line.value.split_once('|') else {
            self.problems.push(line.place, "a layout reads `TARGETS | POSITION CONTENT ...`");
            return None;
        };
        let targets = self.targets(targets, line.place);
        let mut layout = Layout { targets, bits: 0, pieces: Vec::new() };
        let mut next = None;
        for (high, piece) in self.pieces(bits, line.place)? {
            let expected = *next.get_or_insert(high + 1);
            if layout.bits == 0 {
                layout.bits = u32::from(high) + 1;
            }
            if high + 1 != expected {
                self.problems.push(line.place, format!("bit {} comes after bit {expected}", high));
            }
            next = Some(piece.low);
            layout.pieces.push(piece);
        }
        if next != Some(0) || !layout.bits.is_multiple_of(32) {
            self.problems.push(line.place, "a layout goes from bit 31, 63, 95 or 127 to bit 0");
        }
        Some(layout)
    }

    /// `TARGETS | POSITION CONTENT ...`: other names for bits that a layout has named already.
    fn also(&mut self, encoding: &mut Encoding, line: &Entry) {
        let (targets, bits) = line.value.split_once('|').unwrap_or((line.value, ""));
        let targets = self.targets(targets, line.place);
        let pieces: Vec<Piece> = self.pieces(bits, line.place).into_iter().flatten().map(|p| p.1).collect();
        for layout in encoding.layouts.iter_mut().filter(|l| !l.targets.and(targets).is_empty()) {
            layout.pieces.extend(&pieces);
        }
    }

    fn pieces(&mut self, bits: Text, place: Place) -> Option<Vec<(u8, Piece)>> {
        let words: Vec<Text> = bits.split_whitespace().collect();
        let pair = |pair: &[Text]| match pair {
            [position, content] => self.piece(position, content, place),
            _ => {
                self.problems.push(place, "a position without content");
                None
            }
        };
        words.chunks(2).map(pair).collect()
    }

    fn piece(&mut self, position: Text, content: Text, place: Place) -> Option<(u8, Piece)> {
        let range = |text: Text| {
            let (high, low) = text.split_once(':').unwrap_or((text, text));
            let (high, low): (u8, u8) = (high.parse().ok()?, low.parse().ok()?);
            (high >= low && high < 128).then_some((high, low))
        };
        let Some((high, low)) = range(position) else {
            self.problems.push(place, format!("`{position}` is not a bit or a range of bits"));
            return None;
        };
        let width = high - low + 1;
        let content = if let Some(digits) = content.strip_prefix('=') {
            match u64::from_str_radix(digits, 2) {
                Ok(bits) if digits.len() == usize::from(width) => Content::Fixed(bits),
                _ => {
                    self.problems.push(place, format!("`{content}` is not {width} bits"));
                    return None;
                }
            }
        } else if content == "-" {
            Content::Ignored
        } else {
            let (name, from) = match content.split_once('[') {
                None => (content, 0),
                Some((name, slice)) => match range(slice.trim_end_matches(']')) {
                    Some((h, l)) if h - l + 1 == width => (name, l),
                    _ => {
                        self.problems.push(place, format!("`{content}` is not {width} bits"));
                        return None;
                    }
                },
            };
            Content::Field(self.field(name), from)
        };
        Some((high, Piece { low, width, content }))
    }

    fn instruction(&mut self, entry: &Entry) {
        let mut instruction = Instruction {
            name: entry.value,
            title: "",
            group: None,
            forms: Vec::new(),
            formats: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            image: None,
            aliases: Vec::new(),
            src: Vec::new(),
            doubt: Vec::new(),
            note: Vec::new(),
            place: entry.extent(),
        };
        let (mut operands, mut modifiers, mut facts) = ("", "", "");
        // Where there are two encodings of a name, the text says which.
        let short = entry.children.iter().any(|l| ["vop1", "vop2", "vopc"].contains(&l.key));
        for line in &entry.children {
            match line.key {
                "title" => instruction.title = line.value,
                "group" if instruction.group.is_some() => {
                    self.problems.push(line.place, format!("`{}` has two groups", entry.value));
                }
                "group" => instruction.group = self.group_of(line.value, line.place),
                "args" => operands = line.value,
                "mods" => modifiers = line.value,
                "facts" => facts = line.value,
                "src" => instruction.src.push(line.value),
                "doubt" => instruction.doubt.push(line.value),
                "note" => instruction.note.push(line.value),
                "formats" => instruction.formats = self.formats(line),
                "reads" => instruction.reads.extend(self.effects(line)),
                "writes" => instruction.writes.extend(self.effects(line)),
                "image" => match Image::parse(line.value) {
                    Ok(image) => instruction.image = Some(image),
                    Err(word) => {
                        self.problems.push(line.place, format!("`{word}` says nothing of an image instruction"));
                    }
                },
                "alias" => {
                    let (name, list) = line.value.split_once(char::is_whitespace).unwrap_or((line.value, ""));
                    let targets = self.targets_again(list, line.place);
                    instruction.aliases.push((name, targets));
                }
                name => match self.known.encodings.get(name).copied() {
                    Some(encoding) => {
                        let form = self.form(encoding, line, (operands, modifiers, facts), short);
                        instruction.forms.extend(form);
                    }
                    None => {
                        self.problems.push(line.place, format!("`{name}` is no key and no encoding"));
                    }
                },
            }
        }
        if instruction.forms.is_empty() && self.only.is_some() {
            return;
        }
        if instruction.title.is_empty() {
            self.problems.push(entry.place, format!("`{}` has no title", entry.value));
        }
        self.table.instructions.push(instruction);
    }

    /// `TARGETS OPCODE, TARGETS OPCODE | OPERAND ... ; MODIFIER ... ; FIELD=VALUE ...`
    fn form(
        &mut self,
        encoding: usize,
        line: &Entry,
        (operands, modifiers, facts): (Text, Text, Text),
        short: bool,
    ) -> Option<Form> {
        let (opcodes, own) = line.value.split_once('|').unwrap_or((line.value, ""));
        let mut form = Form {
            encoding,
            opcodes: Vec::new(),
            operands: &[],
            modifiers: &[],
            fixed: Vec::new(),
            wanted: Vec::new(),
            limits: Limits::default(),
            positive: false,
            suffix: false,
            assembler_only: false,
            last: false,
            wave: None,
            pairing: Pairing::default(),
            place: line.place,
        };
        let mut suffix = None;
        for part in opcodes.split(',') {
            let (targets, opcode) = part.trim().rsplit_once(char::is_whitespace).unwrap_or((part, ""));
            let Some(opcode) = opcode.strip_prefix("0x").and_then(|d| u32::from_str_radix(d, 16).ok()) else {
                self.problems.push(line.place, format!("`{}` is not TARGETS OPCODE", part.trim()));
                return None;
            };
            form.opcodes.push((self.targets_again(targets.trim_ascii_end(), line.place), opcode));
        }
        if self.only.is_some_and(|only| form.targets().and(only).is_empty()) {
            return None;
        }
        let mut parts = own.split(';');
        let own_operands = parts.next().unwrap_or("").trim();
        form.operands = self.operands(encoding, own_operands, operands, line.place);
        form.modifiers = self.modifiers(encoding, parts.next().unwrap_or("").trim_ascii(), modifiers);
        let facts = [self.table.encodings[encoding].facts, facts, parts.next().unwrap_or("")];
        for word in facts.iter().flat_map(|f| f.split_ascii_whitespace()) {
            if word == "suffix" || word == "bare" {
                suffix = Some(word == "suffix");
                continue;
            }
            // A minus takes out what the encoding or the instruction says of all forms.
            if let Some(flag) = flag(&mut form, word.trim_start_matches('-')) {
                *flag = !word.starts_with('-');
                continue;
            }
            if let Some(wanted) = word.strip_prefix("wants:") {
                form.wanted.extend(self.pair(wanted, line.place));
                continue;
            }
            if let Some(size) = word.strip_prefix("wave").and_then(|w| w.parse().ok()) {
                form.wave = Some(size);
                continue;
            }
            form.fixed.extend(self.pair(word, line.place));
        }
        let ending = self.table.encodings[encoding].suffix;
        form.suffix = suffix.unwrap_or(!ending.is_empty() && (short || !ending.starts_with("_e") || ending.ends_with("_dpp")));
        Some(form)
    }

    /// `FIELD=0xVALUE`, or `FIELD=0xVALUE/0xBITS` where only some bits of a field are meant.
    fn pair(&mut self, word: Text, place: Place) -> Option<(Field, u64, u64)> {
        let number = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
        let parsed = word.split_once('=').and_then(|(name, rest)| {
            let (value, bits) = rest.split_once('/').unwrap_or((rest, "0xffffffffffffffff"));
            Some((*self.known.fields.get(name)?, number(value)?, number(bits)?))
        });
        if parsed.is_none() {
            self.problems.push(place, format!("`{word}` is not FIELD=0xVALUE"));
        }
        parsed
    }

    /// `OPERAND:FORMAT ...`
    fn formats(&mut self, line: &Entry) -> Vec<(Text, Text)> {
        let mut formats = Vec::new();
        for word in line.value.split_ascii_whitespace() {
            let known = word.split_once(':').filter(|(name, format)| self.table.field(name).is_some() && is_format(format));
            match known {
                Some(known) => formats.push(known),
                None => {
                    self.problems.push(line.place, format!("`{word}` is not OPERAND:FORMAT"));
                }
            }
        }
        formats
    }

    /// `NAME ...`, each an operand or a register without one; `-NAME` for one that is not, `NAME@CONDITION` for one that is at times.
    fn effects(&mut self, line: &Entry) -> Vec<Effect> {
        let mut effects = Vec::new();
        for word in line.value.split_whitespace() {
            match Effect::parse(word, &self.table) {
                Ok(effect) => effects.push(effect),
                Err(why) => {
                    self.problems.push(line.place, format!("`{word}`: {why}"));
                }
            }
        }
        effects
    }

    /// The operands of a form, or else those of its record.
    fn operands(&mut self, encoding: usize, own: Text, record: Text, place: Place) -> &'static [Operand] {
        let key = (encoding, own, record);
        if let Some(known) = self.known.lists.get(&key) {
            return known;
        }
        let list = if own.is_empty() { record } else { own };
        let words = list.split_ascii_whitespace().filter(|w| *w != "none");
        let operands: Vec<Operand> = words.filter_map(|word| self.operand(encoding, word, record, place)).collect();
        let operands: &'static [Operand] = operands.leak();
        if self.problems.list.is_empty() {
            self.known.lists.insert(key, operands);
        }
        operands
    }

    /// A form's own modifiers; or those of its record that an encoding has room for, in the encoding's order, and the ones it always has.
    fn modifiers(&mut self, encoding: usize, own: Text, record: Text) -> &'static [Text] {
        let key = (encoding, own, record);
        if let Some(known) = self.known.modifiers.get(&key) {
            return known;
        }
        let takes = |m: &&Text| m.ends_with('*') || record.split_whitespace().any(|r| r == **m);
        let modifiers = self.table.encodings[encoding].modifiers.iter();
        let modifiers: Vec<Text> = match own {
            "" => modifiers.filter(takes).map(|m| m.trim_end_matches('*')).collect(),
            own => own.split_ascii_whitespace().filter(|w| *w != "none").collect(),
        };
        let modifiers: &'static [Text] = modifiers.leak();
        self.known.modifiers.insert(key, modifiers);
        modifiers
    }

    /// `NAME`, `NAME:TYPE`, `NAME:CLASS:TYPE`, `=TEXT`; `~` and `^` after it ask for modifiers, `!` forbids them.
    fn operand(&mut self, encoding: usize, word: Text, record: Text, place: Place) -> Option<Operand> {
        if let Some(text) = word.strip_prefix('=') {
            let ty = Type::parse("text");
            let class = Class::TEXT;
            return Some(Operand { name: text, field: None, class, ty, float_modifiers: false, integer_modifiers: false });
        }
        if let Some(known) = self.known.operands.get(&(encoding, word)) {
            return Some(*known);
        }
        let bare = word.trim_end_matches(['~', '^', '!']);
        let mut marks = &word[bare.len()..];
        let (name, rest) = bare.split_once(':').unwrap_or((bare, ""));
        let inherited = record.split_ascii_whitespace().find_map(|w| {
            let (n, r) = w.split_once(':')?;
            (n == name).then(|| (r.trim_end_matches(['~', '^', '!']), &r[r.trim_end_matches(['~', '^', '!']).len()..]))
        });
        let split = |text: Text| text.rsplit_once(':').map_or((None, text), |(class, ty)| (Some(class), ty));
        let (class, ty) = match (rest, inherited) {
            ("", Some((record, own))) => {
                marks = if marks.is_empty() { own } else { marks };
                split(record)
            }
            ("", None) => {
                self.problems.push(place, format!("`{name}` has no type"));
                return None;
            }
            (own, _) => split(own),
        };
        let Some(field) = self.known.fields.get(name).copied() else {
            self.problems.push(place, format!("no encoding has a field `{name}`"));
            return None;
        };
        let (index, encoding) = (encoding, &self.table.encodings[encoding]);
        let class = match class {
            Some(text) => Class::parse(text),
            None => encoding.class(field),
        };
        let Some(class) = class else {
            self.problems.push(place, format!("what `{name}` can be is not said by `{}` and not here", encoding.name));
            return None;
        };
        let ty = Type::parse(ty);
        let float = matches!(ty.number, super::Number::Float | super::Number::BFloat);
        let has = |field: &str| encoding.layouts.iter().any(|l| l.has(self.known.fields.get(field).copied()));
        let float_modifiers = marks.contains('~') || marks.is_empty() && float && has("neg") && !class.has(Class::K);
        let integer_modifiers = marks.contains('^') || marks.is_empty() && !float && has("sext");
        let source = name.starts_with("src");
        let operand = Operand {
            name,
            field: Some(field),
            class,
            ty,
            float_modifiers: float_modifiers && source,
            integer_modifiers: integer_modifiers && source,
        };
        // Without a type of its own it depends on the record.
        if !rest.is_empty() {
            self.known.operands.insert((index, word), operand);
        }
        Some(operand)
    }
}

/// The fact of a form that a word names.
fn flag<'f>(form: &'f mut Form, word: &str) -> Option<&'f mut bool> {
    Some(match word {
        "positive" => &mut form.positive,
        "assembler" => &mut form.assembler_only,
        "last" => &mut form.last,
        "accumulates" => &mut form.pairing.accumulates,
        "unbanked" => &mut form.pairing.unbanked,
        "reads-vcc" => &mut form.limits.reads_vcc,
        "one-scalar" => &mut form.limits.one_scalar,
        "free-m0" => &mut form.limits.free_m0,
        "low-scalars" => &mut form.limits.low_scalars,
        "lost-abs" => &mut form.limits.lost_abs,
        "doubled" => &mut form.limits.doubled,
        "bare-halves" => &mut form.limits.bare_halves,
        "no-lds" => &mut form.limits.no_lds,
        "even-data" => &mut form.limits.even_data,
        "apart" => &mut form.limits.apart,
        _ => return None,
    })
}

impl Layout {
    fn has(&self, field: Option<Field>) -> bool {
        self.pieces.iter().any(|p| matches!((p.content, field), (Content::Field(f, _), Some(g)) if f == g))
    }
}

/// Whether a text names a number format: `f16`, `fp8x2`, `i4x`.
fn is_format(text: &str) -> bool {
    const KINDS: [&str; 8] = ["b", "u", "i", "iu", "f", "bf", "fp", "e8m"];
    let bare = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let bare = bare.strip_suffix('x').map_or(text, |bare| bare);
    let kind = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    KINDS.contains(&kind) && kind.len() < bare.len()
}

#[cfg(test)]
mod tests {
    use super::super::Target;
    use super::*;

    #[test]
    fn sets_of_targets_add_and_subtract() {
        let text = "target a\ntarget b\ntarget c\ngroup two a b\ngroup one two -a\n";
        let table = read(vec![Source { name: "amdgpu/x.isa".into(), text }], None).expect("reads");
        assert_eq!(table.group("one"), Targets::one(Target(1)));
    }

    #[test]
    fn an_instruction_names_a_functional_group() {
        let text = |group: &str| -> Vec<Source> {
            let text = format!("functional-group dot\n  title Dot products\ninstr a\n  title A\n{group}instr b\n  title B\n");
            vec![Source { name: "amdgpu/x.isa".into(), text: text.leak() }]
        };
        let table = read(text("  group dot\n"), None).expect("reads");
        assert_eq!(table.instructions[0].group.map(|g| table.functional_groups[g]), Some(("dot", "Dot products")));
        assert_eq!(table.instructions[1].group, None);
        let unknown = read(text("  group dots\n"), None).expect_err("refused");
        assert_eq!(unknown.list[0].1.message, "there is no functional group `dots`");
        let twice = read(text("  group dot\n  group dot\n"), None).expect_err("refused");
        assert_eq!(twice.list[0].1.message, "`a` has two groups");
    }
}
