//! From the text of `isa/amdgpu` to the table: names looked up, everything unknown refused.

use super::image::Dimension;
use super::record;
use super::{Banks, Class, Content, Effect, Encoding, Field, Layout, Piece, Table, Targets, Variant};
use crate::names::NameMap;
use crate::read::AMDGPU;
use crate::text::{Entry, Place, Problems, Source, Text, each_entry, entries};

/// Files of `isa/amdgpu` that other readers read.
const OTHERS: [&str; 3] = ["amdgpu/words.isa", "amdgpu/descriptor.isa", "amdgpu/hazards.isa"];

/// Files of `isa/amdgpu` that describe instructions.
pub(super) fn ours(sources: Vec<Source>) -> Vec<Source> {
    let ours = |s: &Source| s.name.starts_with(AMDGPU) && !OTHERS.contains(&s.name.as_str());
    sources.into_iter().filter(ours).collect()
}

/// Reads the table from the text of its files.
pub(super) fn read(sources: Vec<Source>) -> Result<&'static Table, Problems> {
    let (mut table, numbers) = read_base(ours(sources))?;
    let mut reader = record::Reader::new(&table, &numbers, None);
    let (mut instructions, mut problems) = (Vec::new(), Problems::default());
    for (i, source) in table.sources.iter().enumerate().filter(|(_, source)| is_last(source)) {
        each_entry(i, source.text, 0, &mut problems, |entry| match entry.key {
            "instr" if !entry.value.is_empty() => instructions.extend(reader.instruction(entry)),
            _ => misplaced(entry, &mut reader.problems),
        });
    }
    reader.problems.list.append(&mut problems.list);
    if !reader.problems.list.is_empty() {
        reader.problems.sources = table.sources.clone();
        return Err(reader.problems);
    }
    table.instructions = instructions;
    Ok(Box::leak(Box::new(table)))
}

/// Whether a file holds instructions alone: what they name stands in the others.
fn is_last(source: &Source) -> bool {
    source.text.lines().find(|l| l.starts_with(char::is_alphabetic)).is_some_and(|l| l.starts_with("instr "))
}

/// Reads everything but instructions.
pub(super) fn read_base(sources: Vec<Source>) -> Result<(Table, Numbers), Problems> {
    let mut reader = Reader::default();
    let first = sources.iter().enumerate().filter(|(_, source)| !is_last(source));
    let files: Vec<Vec<Entry>> = first.map(|(i, source)| entries(i, source.text, &mut reader.problems)).collect();
    for kinds in [&KINDS[..1], &KINDS[1..3], &KINDS[3..14], &KINDS[14..]] {
        files.iter().flatten().filter(|e| kinds.contains(&e.key)).for_each(|e| reader.entry(e));
    }
    files.iter().flatten().filter(|e| !KINDS.contains(&e.key)).for_each(|e| misplaced(e, &mut reader.problems));
    if !reader.problems.list.is_empty() {
        reader.problems.sources = sources;
        return Err(reader.problems);
    }
    reader.table.sources = sources;
    Ok((reader.table, reader.numbers))
}

/// Tells of a record that is of no kind, or stands where those of its kind do not.
fn misplaced(entry: &Entry, problems: &mut Problems) {
    if entry.key == "instr" && entry.value.is_empty() {
        problems.push(entry.place, "`instr` without a name");
    } else if entry.key == "instr" || KINDS.contains(&entry.key) {
        problems.push(entry.place, format!("`{}` does not belong here: files of instructions hold nothing else", entry.key));
    } else {
        problems.push(entry.place, format!("unknown kind of record `{}`", entry.key)).help =
            Some(format!("known: {}, instr", KINDS.join(", ")));
    }
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
    for word in list.split_ascii_whitespace() {
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
const KINDS: [&str; 16] = [
    "target",
    "group",
    "feature",
    "range",
    "reach",
    "register",
    "source",
    "synonym",
    "foreign",
    "widths",
    "integer",
    "real",
    "dimension",
    "state",
    "encoding",
    "functional-group",
];

#[derive(Default)]
struct Reader {
    table: Table,
    problems: Problems,
    numbers: Numbers,
}

/// What records name, with its place in the table.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub fields: NameMap<Text, Field>,
    pub encodings: NameMap<Text, usize>,
    pub groups: NameMap<Text, usize>,
}

/// `FIELD=0xVALUE`, or `FIELD=0xVALUE/0xBITS` where only some bits of a field are meant.
pub(super) fn pair(word: Text, place: Place, numbers: &Numbers, problems: &mut Problems) -> Option<(Field, u64, u64)> {
    let number = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    let parsed = word.split_once('=').and_then(|(name, rest)| {
        let (value, bits) = rest.split_once('/').unwrap_or((rest, "0xffffffffffffffff"));
        Some((*numbers.fields.get(name)?, number(value)?, number(bits)?))
    });
    if parsed.is_none() {
        problems.push(place, format!("`{word}` is not FIELD=0xVALUE"));
    }
    parsed
}

/// `NAME ...`, each an operand or a register without one; `-NAME` for one that is not, `NAME@CONDITION` for one that is at times.
pub(super) fn effects(line: &Entry, table: &Table, problems: &mut Problems) -> Vec<Effect> {
    let mut effects = Vec::new();
    for word in line.value.split_ascii_whitespace() {
        match Effect::parse(word, table) {
            Ok(effect) => effects.push(effect),
            Err(why) => {
                problems.push(line.place, format!("`{word}`: {why}"));
            }
        }
    }
    effects
}

/// `banks NAME NAME NAME NAME`: four operands by their names, `-` for none.
pub(super) fn banks(line: &Entry, problems: &mut Problems) -> Banks {
    let mut banks = [""; 4];
    let words: Vec<Text> = line.value.split_ascii_whitespace().collect();
    if words.len() != banks.len() {
        problems.push(line.place, "four operands are wanted, `-` for none");
    }
    banks.iter_mut().zip(words).for_each(|(bank, word)| *bank = if word == "-" { "" } else { word });
    banks
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
            "range" | "reach" | "register" | "source" | "synonym" | "foreign" | "widths" | "integer" | "real" => {
                self.register(entry)
            }
            _ => {}
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
                self.numbers.groups.insert(entry.value, self.table.functional_groups.len());
                self.table.functional_groups.push((entry.value, line.value))
            }
            _ => {
                self.problems.push(entry.place, format!("functional group `{}` has a title and nothing else", entry.value));
            }
        }
    }

    fn targets(&mut self, list: Text, place: Place) -> Targets {
        targets_of(&self.table, list, place, &mut self.problems)
    }

    /// A line of `registers.isa`.
    fn register(&mut self, entry: &Entry) {
        let words: Vec<Text> = entry.value.split_ascii_whitespace().collect();
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
                ("widths", [name, widths @ ..]) => {
                    let widths = widths.iter().map(|w| w.parse().ok()).collect::<Option<Vec<u16>>>()?;
                    registers.widths.push((name, widths));
                }
                ("foreign", names) => registers.foreign.extend(names),
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
        *self.numbers.fields.entry(name).or_insert_with(|| {
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
            banks: [""; 4],
            facts: "",
            unconstant: Vec::new(),
            reserved: Vec::new(),
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
                "banks" => encoding.banks = banks(line, &mut self.problems),
                "scaled" => encoding.scaled = line.value.split_ascii_whitespace().map(|w| self.field(w)).collect(),
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
                    encoding.unconstant = fields.split_ascii_whitespace().map(|f| (self.field(f), targets)).collect();
                }
                "reserved" => {
                    let (targets, words) = line.value.split_once('|').unwrap_or((line.value, ""));
                    let targets = self.targets(targets, line.place);
                    encoding.reserved = words.split_ascii_whitespace().map(|word| (word, targets)).collect();
                }
                "accumulators" => encoding.accumulators = Some(self.targets(line.value, line.place)),
                "positive" => encoding.positive = self.targets(line.value, line.place),
                "signed" => encoding.signed = self.targets(line.value, line.place),
                "halves" => encoding.halves = self.targets(line.value, line.place),
                "mods" => encoding.modifiers = line.value.split_ascii_whitespace().collect(),
                "layout" => encoding.layouts.extend(self.layout(line)),
                "also" => self.also(&mut encoding, line),
                "holds" => encoding.holds = self.holds(line),
                "reads" => encoding.reads = effects(line, &self.table, &mut self.problems),
                "writes" => encoding.writes = effects(line, &self.table, &mut self.problems),
                "free" => encoding.free = line.value.split_ascii_whitespace().map(|w| self.field(w)).collect(),
                "idle" => {
                    let words = line.value.split_ascii_whitespace();
                    encoding.idle = words
                        .filter_map(|w| pair(w, line.place, &self.numbers, &mut self.problems))
                        .map(|p| (p.0, p.1))
                        .collect();
                }
                "spare" => {
                    let words = line.value.split_ascii_whitespace();
                    encoding.spare = words
                        .filter_map(|w| pair(w, line.place, &self.numbers, &mut self.problems))
                        .map(|p| (p.0, p.1))
                        .collect();
                }
                "default" => {
                    encoding.defaults = line
                        .value
                        .split_ascii_whitespace()
                        .filter_map(|w| pair(w, line.place, &self.numbers, &mut self.problems))
                        .map(|p| (p.0, p.1))
                        .collect()
                }
                other => {
                    self.problems.push(line.place, format!("unknown key `{other}`")).help = Some(
                        "known: title, suffix, variant, halves, signed, positive, accumulators, unconstant, reserved, scaled, facts, mods, layout, also, holds, reads, writes, default, idle, spare, free".into(),
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
        self.numbers.encodings.insert(encoding.name, self.table.encodings.len());
        self.table.encodings.push(encoding);
    }

    fn holds(&mut self, line: &Entry) -> Vec<(Field, Class)> {
        let mut holds = Vec::new();
        for word in line.value.split_ascii_whitespace() {
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
        let words: Vec<Text> = bits.split_ascii_whitespace().collect();
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
}

#[cfg(test)]
mod tests {
    use super::super::Target;
    use super::*;

    #[test]
    fn sets_of_targets_add_and_subtract() {
        let text = "target a\ntarget b\ntarget c\ngroup two a b\ngroup one two -a\n";
        let table = read(vec![Source { name: "amdgpu/x.isa".into(), text }]).expect("reads");
        assert_eq!(table.group("one"), Targets::one(Target(1)));
    }

    #[test]
    fn an_instruction_names_a_functional_group() {
        let text = |group: &str| -> Vec<Source> {
            let groups = Source { name: "amdgpu/a.isa".into(), text: "functional-group dot\n  title Dot products\n" };
            let text = format!("instr a\n  title A\n{group}instr b\n  title B\n");
            vec![groups, Source { name: "amdgpu/b.isa".into(), text: text.leak() }]
        };
        let table = read(text("  group dot\n")).expect("reads");
        assert_eq!(table.instructions[0].group.map(|g| table.functional_groups[g]), Some(("dot", "Dot products")));
        assert_eq!(table.instructions[1].group, None);
        let unknown = read(text("  group dots\n")).expect_err("refused");
        assert_eq!(unknown.list[0].1.message, "there is no functional group `dots`");
        let twice = read(text("  group dot\n  group dot\n")).expect_err("refused");
        assert_eq!(twice.list[0].1.message, "`a` has two groups");
    }
}
