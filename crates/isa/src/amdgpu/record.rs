//! From the text of a record `instr` to an instruction.
//!
//! What records name, encodings and fields and groups, has been read before: see [`read`](super::read).

use super::image::Image;
use super::read::{Numbers, banks, effects, pair, targets_of};
use super::{Class, Content, Field, Form, Instruction, Layout, Limits, Operand, Pairing, Run, Table, Targets, Type};
use crate::names::NameMap;
use crate::text::{Entry, Place, Problems, Text};

/// Reads instructions.
#[derive(Debug)]
pub(super) struct Reader<'t> {
    table: &'t Table,
    numbers: &'t Numbers,
    pub problems: Problems,
    /// Of instructions only what these have.
    only: Option<Targets>,
    known: Known,
}

/// What has been read before: records say the same again and again.
#[derive(Debug, Default)]
struct Known {
    targets: NameMap<Text, Targets>,
    /// By encoding and text, with class and type.
    operands: NameMap<(usize, Text), Operand>,
    /// By encoding, what a form has and what its record has.
    lists: NameMap<(usize, Text, Text), &'static [Operand]>,
    /// The same.
    modifiers: NameMap<(usize, Text, Text), &'static [Text]>,
}

impl<'t> Reader<'t> {
    /// Of records that name what the table has; `only` what these targets have of them.
    pub fn new(table: &'t Table, numbers: &'t Numbers, only: Option<Targets>) -> Reader<'t> {
        Reader { table, numbers, problems: Problems::default(), only, known: Known::default() }
    }

    /// The instruction of an entry `instr`; none if it has no form on the targets that are wanted.
    pub fn instruction(&mut self, entry: &Entry) -> Option<Instruction> {
        let mut instruction = Instruction {
            name: entry.value,
            title: "",
            group: None,
            forms: Vec::new(),
            formats: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            banks: None,
            unindexed: false,
            image: None,
            run: Vec::new(),
            fidelity: None,
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
                "run" => instruction.run.extend(self.run(line)),
                "fidelity" => match line.value.strip_prefix("approximate ") {
                    Some(bound) => instruction.fidelity = Some(bound),
                    None => {
                        self.problems.push(line.place, "fidelity is `approximate` and a bound");
                    }
                },
                "reads" => instruction.reads.extend(effects(line, self.table, &mut self.problems)),
                "writes" => instruction.writes.extend(effects(line, self.table, &mut self.problems)),
                "unindexed" => instruction.unindexed = true,
                "banks" => instruction.banks = Some(banks(line, &mut self.problems)),
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
                name => match self.numbers.encodings.get(name).copied() {
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
            return None;
        }
        if instruction.title.is_empty() {
            self.problems.push(entry.place, format!("`{}` has no title", entry.value));
        }
        Some(instruction)
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

    /// `FUNCTION KEY=VALUE ...`, or `TARGETS | FUNCTION KEY=VALUE ...`.
    fn run(&mut self, line: &Entry) -> Option<Run> {
        let (targets, rest) = match line.value.split_once('|') {
            Some((targets, rest)) => (self.targets_again(targets.trim_ascii_end(), line.place), rest),
            None => (Targets::ALL, line.value),
        };
        let mut words = rest.split_ascii_whitespace();
        let Some(function) = words.next().filter(|name| name.contains("::")) else {
            self.problems.push(line.place, "a function is wanted, as in `int::add`");
            return None;
        };
        let settings = words.map(|word| word.split_once('=').unwrap_or((word, ""))).collect();
        Some(Run { targets, function, settings })
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
        let takes = |m: &&Text| m.ends_with('*') || record.split_ascii_whitespace().any(|r| r == **m);
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
        let Some(field) = self.numbers.fields.get(name).copied() else {
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
        let has = |field: &str| encoding.layouts.iter().any(|l| l.has(self.numbers.fields.get(field).copied()));
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

    /// The functional group that an instruction names.
    fn group_of(&mut self, name: Text, place: Place) -> Option<usize> {
        let known = self.numbers.groups.get(name).copied();
        if known.is_none() {
            let names: Vec<Text> = self.table.functional_groups.iter().map(|g| g.0).collect();
            let problem = self.problems.push(place, format!("there is no functional group `{name}`"));
            problem.help = Some(format!("known: {}", names.join(", ")));
        }
        known
    }

    /// Targets and groups by name.
    fn targets_again(&mut self, list: Text, place: Place) -> Targets {
        if let Some(known) = self.known.targets.get(list) {
            return *known;
        }
        let targets = targets_of(self.table, list, place, &mut self.problems);
        if !targets.is_empty() && self.problems.list.is_empty() {
            self.known.targets.insert(list, targets);
        }
        targets
    }

    fn pair(&mut self, word: Text, place: Place) -> Option<(Field, u64, u64)> {
        pair(word, place, self.numbers, &mut self.problems)
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
        "usual" => &mut form.limits.usual,
        "one-scalar" => &mut form.limits.one_scalar,
        "free-m0" => &mut form.limits.free_m0,
        "low-scalars" => &mut form.limits.low_scalars,
        "lost-abs" => &mut form.limits.lost_abs,
        "doubled" => &mut form.limits.doubled,
        "bare-halves" => &mut form.limits.bare_halves,
        "halves-only" => &mut form.limits.halves_only,
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
