//! From entries to the table: names looked up, the keys of a record merged into its forms, everything unknown refused.

use std::collections::{HashMap, HashSet};

use crate::condition::Condition;
use crate::form::{
    Element, Form, Keys, Notation, OperandPattern, PartPattern, Role, Slot, Spelling, Step, WrittenOperand, need, spelling,
};
use crate::pattern;
use crate::table::{Example, PendingOpcode, Record, Special, Table, Word};
use crate::text::{Entry, Place, Problems, Source, Text, entries};
use crate::types::{Class, OperandType, Type, TypeExpression};

/// The folder that [`crate::amdgpu`] reads.
pub(crate) const AMDGPU: &str = "amdgpu/";

/// Reads a table from the text of its files.
pub(crate) fn read(sources: Vec<Source>) -> Result<&'static Table, Problems> {
    let mut builder = Builder::default();
    builder.problems.sources = sources.clone();
    let entries: Vec<Vec<Entry>> = (sources.iter().enumerate().filter(|(_, source)| !source.name.starts_with(AMDGPU)))
        .map(|(i, source)| entries(i, source.text, &mut builder.problems))
        .collect();
    // Types and words first: records name them.
    entries.iter().flatten().for_each(|e| builder.vocabulary(e));
    builder.check_types();
    entries.iter().flatten().for_each(|e| builder.instruction(e));
    if builder.problems.list.is_empty() {
        builder.table.sources = sources;
        Ok(Box::leak(Box::new(builder.table)))
    } else {
        Err(builder.problems)
    }
}

/// A table under construction.
#[derive(Default)]
struct Builder {
    table: Table,
    problems: Problems,
}

/// The keys of an entry that hold text, by key; reports what is not among `known`.
pub(crate) struct Facts(HashMap<Text, Vec<(Text, Place)>>);

impl Facts {
    /// `known` pairs a key with whether it may be repeated.
    pub(crate) fn read(entry: &Entry, known: &[(&str, bool)], problems: &mut Problems) -> Facts {
        let mut facts = Facts(HashMap::new());
        for child in &entry.children {
            facts.add(child, known, problems);
        }
        facts
    }

    fn add(&mut self, entry: &Entry, known: &[(&str, bool)], problems: &mut Problems) {
        let key = entry.key;
        let Some((_, repeats)) = known.iter().find(|(k, _)| *k == key) else {
            let near = Table::nearest(key, known.iter().map(|k| k.0));
            let keys: Vec<&str> = if near.is_empty() { known.iter().map(|k| k.0).collect() } else { near };
            let message = format!("unknown key `{key}`");
            problems.push(entry.place, message).help = Some(format!("known: {}", keys.join(", ")));
            return;
        };
        if entry.value.is_empty() {
            problems.push(entry.place, format!("`{key}` has no value"));
        }
        if let Some(child) = entry.children.first() {
            problems.push(child.place, format!("nothing belongs below `{key}`"));
        }
        let values = self.0.entry(key).or_default();
        if !values.is_empty() && !repeats {
            problems.push(entry.place, format!("`{key}` is given twice"));
        }
        values.push((entry.value, entry.place));
    }

    pub(crate) fn all(&self, key: &str) -> Vec<Text> {
        self.0.get(key).into_iter().flatten().map(|v| v.0).collect()
    }

    pub(crate) fn optional(&self, key: &str) -> Option<(Text, Place)> {
        self.0.get(key).and_then(|v| v.first()).copied()
    }

    pub(crate) fn text(&self, key: &str) -> Text {
        self.optional(key).map_or("", |v| v.0)
    }

    /// The value of a key that must be there.
    pub(crate) fn required(&self, key: &str, entry: &Entry, problems: &mut Problems) -> Text {
        if self.optional(key).is_none() {
            problems.push(entry.place, format!("`{} {}` has no `{key}`", entry.key, entry.value));
        }
        self.text(key)
    }
}

const ROOTS: [&str; 6] = ["type", "word", "instr", "special", "pending", "foreign"];

impl Builder {
    /// Types and words; complains about unknown kinds of entries, once.
    fn vocabulary(&mut self, entry: &Entry) {
        if ROOTS.contains(&entry.key) && entry.value.is_empty() {
            self.problems.push(entry.place, format!("`{}` without a name", entry.key));
        }
        match entry.key {
            "type" => self.add_type(entry),
            "word" => self.add_word(entry),
            key if ROOTS.contains(&key) => {}
            key => {
                let message = format!("unknown kind of record `{key}`");
                self.problems.push(entry.place, message).help = Some(format!("known: {}", ROOTS.join(", ")));
            }
        }
    }

    fn add_type(&mut self, entry: &Entry) {
        let keys = [
            ("title", false),
            ("bits", false),
            ("class", false),
            ("lanes", false),
            ("register", false),
            ("ignored", false),
            ("src", false),
            ("note", true),
        ];
        let facts = Facts::read(entry, &keys, &mut self.problems);
        let bits = facts.required("bits", entry, &mut self.problems).parse().unwrap_or_else(|_| {
            self.problems.push(entry.place, "`bits` is not a number");
            0
        });
        let class = Class::parse(facts.required("class", entry, &mut self.problems)).unwrap_or_else(|| {
            self.problems.push(entry.place, "`class` is one of integer, bits, float, pred, opaque");
            Class::Bits
        });
        let lanes = facts.optional("lanes").and_then(|(text, place)| {
            let lanes = text.split_once(" x ").and_then(|(n, t)| Some((n.parse().ok()?, t)));
            if lanes.is_none() {
                self.problems.push(place, "`lanes` reads `2 x f16`");
            }
            lanes
        });
        let ty = Type {
            name: entry.value,
            title: facts.required("title", entry, &mut self.problems),
            bits,
            class,
            lanes,
            registers: facts.text("register").split_whitespace().map(|t| t.trim_start_matches('.')).collect(),
            ignored: facts.optional("ignored").map(|(group, _)| group),
            src: facts.required("src", entry, &mut self.problems),
            place: entry.extent(),
        };
        if self.table.type_index.insert(ty.name, self.table.types.len()).is_some() {
            self.problems.push(entry.place, format!("the type `{}` is defined twice", ty.name));
        }
        self.table.types.push(ty);
    }

    fn add_word(&mut self, entry: &Entry) {
        let keys = [("title", false), ("sets", false), ("repeats", false), ("ignored", false), ("src", false), ("note", true)];
        let facts = Facts::read(entry, &keys, &mut self.problems);
        let title = facts.required("title", entry, &mut self.problems);
        for name in entry.value.split_whitespace().flat_map(pattern::spread) {
            if !name.starts_with('.') {
                self.problems.push(entry.place, format!("the word `{name}` begins without a dot"));
            }
            if self.table.word_index.insert(name, self.table.words.len()).is_some() {
                self.problems.push(entry.place, format!("the word `{name}` is defined twice"));
            }
            self.table.words.push(Word {
                name,
                title,
                sets: (facts.text("sets").split_whitespace()).map(|s| s.split_once('=').unwrap_or((s, ""))).collect(),
                repeats: !facts.text("repeats").is_empty(),
                ignored: facts.optional("ignored").map(|(group, _)| group),
                src: facts.text("src"),
                note: facts.all("note"),
                place: entry.extent(),
            });
        }
    }

    /// What types say about other types.
    fn check_types(&mut self) {
        for ty in &self.table.types {
            let lanes = ty.lanes.iter().map(|l| l.1);
            for name in lanes.chain(ty.registers.iter().copied()) {
                if !self.table.type_index.contains_key(name) {
                    self.problems.push(ty.place, format!("`{}` speaks of a type `{name}` that is not defined", ty.name));
                }
            }
        }
    }

    fn instruction(&mut self, entry: &Entry) {
        match entry.key {
            "instr" => self.add_record(entry),
            "special" => self.add_special(entry),
            "pending" => self.add_pending(entry),
            "foreign" => self.add_foreign(entry),
            _ => {}
        }
    }

    fn add_special(&mut self, entry: &Entry) {
        let keys = [
            ("title", false),
            ("type", false),
            ("narrow", false),
            ("directive", false),
            ("need", true),
            ("run", false),
            ("src", true),
            ("proof", true),
            ("doubt", true),
            ("note", true),
        ];
        let facts = Facts::read(entry, &keys, &mut self.problems);
        let ty = facts.required("type", entry, &mut self.problems);
        let (lanes, ty) = ty.split_once(" x ").map_or((Some(1), ty), |(n, t)| (n.parse().ok(), t));
        if lanes.is_none() || !self.table.type_index.contains_key(ty) {
            self.problems.push(entry.place, "`type` reads `u32` or `4 x u32`");
        }
        let mut needs = Vec::new();
        for (text, place) in facts.0.get("need").into_iter().flatten() {
            match need(text, *place) {
                Ok(need) => needs.push(need),
                Err(message) => {
                    self.problems.push(*place, message);
                }
            }
        }
        let narrow = facts.optional("narrow").and_then(|(text, place)| {
            let bits = text.parse().ok();
            if bits.is_none() {
                self.problems.push(place, "`narrow` reads `16`, a number of bits");
            }
            bits
        });
        let special = Special {
            name: entry.value,
            title: facts.required("title", entry, &mut self.problems),
            lanes: lanes.unwrap_or(1),
            ty,
            narrow,
            directive: facts.optional("directive").map(|(text, _)| text),
            needs,
            run: facts.required("run", entry, &mut self.problems),
            index: 0,
            src: facts.required("src", entry, &mut self.problems),
            proof: facts.all("proof"),
            doubt: facts.all("doubt"),
            note: facts.all("note"),
            place: entry.extent(),
        };
        for (index, name) in (0..).zip(special.name.split_whitespace().flat_map(expand)) {
            if self.table.special(name).is_some() {
                self.problems.push(entry.place, format!("the special register `{name}` is defined twice"));
            }
            self.table.specials.push(Special { name, index, ..special.clone() });
        }
    }

    fn add_pending(&mut self, entry: &Entry) {
        let (name, title) = entry.value.split_once(char::is_whitespace).unwrap_or((entry.value, ""));
        if title.is_empty() {
            self.problems.push(entry.place, format!("the pending opcode `{name}` has no title"));
        }
        if let Some(child) = entry.children.first() {
            self.problems.push(child.place, "a pending opcode has no keys");
        }
        if self.table.pending.iter().any(|p| p.name == name) {
            self.problems.push(entry.place, format!("the pending opcode `{name}` is listed twice"));
        }
        self.table.pending.push(PendingOpcode { name, title: title.trim(), place: entry.place });
    }

    fn add_foreign(&mut self, entry: &Entry) {
        let (own, others) = entry.value.split_once(char::is_whitespace).unwrap_or((entry.value, ""));
        if let Some(child) = entry.children.first() {
            self.problems.push(child.place, "a foreign name has no keys");
        }
        if others.is_empty() {
            self.problems.push(entry.place, format!("nothing is said to mean `{own}`"));
        }
        for other in others.split_whitespace() {
            if self.table.foreign.insert(other, (own, entry.place)).is_some() {
                self.problems.push(entry.place, format!("`{other}` means something already"));
            }
        }
    }

    fn add_record(&mut self, entry: &Entry) {
        let keys = [
            ("title", false),
            ("example", true),
            ("src", true),
            ("proof", true),
            ("doubt", true),
            ("note", true),
            ("form", true),
        ];
        let mut facts = Facts(HashMap::new());
        let mut shared = Keys::default();
        let mut forms = Vec::new();
        for child in &entry.children {
            if child.key == "form" {
                forms.push(child);
            } else if shared.read(child, &mut self.problems) {
                if !forms.is_empty() {
                    let message = format!("`{}` for all forms stands before the first form", child.key);
                    self.problems.push(child.place, message).help = Some("or indent it by 4 for one form".into());
                }
            } else {
                facts.add(child, &keys, &mut self.problems);
            }
        }
        if forms.is_empty() {
            self.problems.push(entry.place, format!("`instr {}` has no form", entry.value));
        }
        let place = entry.extent();
        let name = entry.value;
        if self.table.records.iter().any(|r| r.name == name && r.place.source == place.source) {
            self.problems.push(entry.place, format!("the record `{name}` stands twice in this file"));
        }
        let mut used = HashSet::new();
        let forms: Vec<Form> = forms.iter().filter_map(|f| self.form(f, &shared, &mut used)).collect();
        self.check_shared(&shared, &forms, &used);
        let examples = facts.0.get("example").into_iter().flatten();
        let examples = examples.filter_map(|&(text, place)| self.example(text, place)).collect();
        let index = self.table.records.len();
        for (i, form) in forms.iter().enumerate() {
            self.table.base_index.entry(form.base).or_default().push((index, i));
        }
        let file = &self.problems.sources[place.source].name;
        self.table.records.push(Record {
            name,
            chapter: file.rsplit('/').next().unwrap_or(file).trim_end_matches(".isa").to_owned(),
            title: facts.required("title", entry, &mut self.problems),
            forms,
            examples,
            src: vec![facts.required("src", entry, &mut self.problems)]
                .into_iter()
                .chain(facts.all("src").into_iter().skip(1))
                .collect(),
            proof: facts.all("proof"),
            doubt: facts.all("doubt"),
            note: facts.all("note"),
            place,
        });
    }

    /// What a record says for all forms must serve at least one.
    fn check_shared(&mut self, shared: &Keys, forms: &[Form], used: &HashSet<Text>) {
        let slots: Vec<&Slot> = forms.iter().flat_map(|f| &f.slots).chain(shared.slots.iter().map(|s| &s.0)).collect();
        self.check_names(shared, &slots);
        self.check_words(&shared.slots);
        for (slot, place) in &shared.slots {
            if !used.contains(slot.name) {
                self.problems.push(*place, format!("no form uses the slot `{}`", slot.name));
            }
        }
        for (name, _, place) in &shared.types {
            if !used.contains(name) {
                self.problems.push(*place, format!("no form has an operand `{name}`, or each gives it another type"));
            }
        }
        let parts = forms.iter().flat_map(|f| &f.operands).flat_map(|o| &o.parts);
        let names: HashSet<Text> = parts.map(|p| p.name).collect();
        self.check_needs(shared, &names);
    }

    /// The operands that `need` speaks of must exist.
    fn check_needs(&mut self, keys: &Keys, names: &HashSet<Text>) {
        for need in &keys.needs {
            for name in need.operands.iter().filter(|n| !names.contains(*n)) {
                self.problems.push(need.place, format!("there is no operand `{name}`"));
            }
        }
    }

    fn example(&mut self, text: Text, place: Place) -> Option<Example> {
        let parsed = text.split_once("->").and_then(|(call, results)| {
            let mut tokens = call.split_whitespace();
            let opcode = tokens.next()?;
            let inputs = tokens.map(|t| t.split_once('=')).collect::<Option<Vec<_>>>()?;
            Some(Example { opcode, inputs, results: outside_braces(results), place })
        });
        if parsed.is_none() {
            self.problems.push(place, "`example` reads `OPCODE  operand=value ... -> result{, result}`");
        }
        parsed
    }

    /// A form with the keys below it and those of its record. Adds what it uses of the record's to `used`.
    fn form(&mut self, entry: &Entry, shared: &Keys, used: &mut HashSet<Text>) -> Option<Form> {
        let mut own = Keys::default();
        for child in &entry.children {
            if !own.read(child, &mut self.problems) {
                self.problems.push(child.place, format!("unknown key `{}` of a form", child.key));
            }
        }
        let spelling = match spelling(entry.value) {
            Ok(spelling) => spelling,
            Err(message) => {
                self.problems.push(entry.place, message);
                return None;
            }
        };
        let mut form = Form {
            text: entry.value,
            base: spelling.base,
            place: entry.extent(),
            slots: Vec::new(),
            pattern: Vec::new(),
            leading: own.leading.as_ref().or(shared.leading.as_ref()).map_or(Vec::new(), |l| l.0.clone()),
            operands: Vec::new(),
            variants: Vec::new(),
            presences: Vec::new(),
            implicit: if own.implicit.is_empty() { shared.implicit.clone() } else { own.implicit.clone() },
            ordered: shared.ordered.iter().chain(&own.ordered).map(|o| o.0.clone()).collect(),
            whens: [&shared.whens[..], &own.whens].concat(),
            exclusions: [&shared.exclusions[..], &own.exclusions].concat(),
            needs: [&shared.needs[..], &own.needs].concat(),
            removed: [&shared.removed[..], &own.removed].concat(),
            texmode: own.texmode.or(shared.texmode).map(|t| t.0),
            run: own.run.clone().or_else(|| shared.run.clone()),
            fidelity: (if own.fidelity.is_empty() { &shared.fidelity } else { &own.fidelity })
                .iter()
                .map(|(bound, condition, _)| (*bound, condition.clone()))
                .collect(),
            pending: own.pending.or(shared.pending).is_some(),
            expanded: own.expanded.or(shared.expanded).is_some(),
        };
        form.implicit.sort_by_key(|i| i.role == Role::Source);
        self.resolve_slots(&mut form, &spelling, &own, shared, used);
        self.resolve_operands(&mut form, spelling, &own, shared, used, entry.place);
        self.resolve_presences(&mut form, &own, shared);
        self.check_form(&form, &own, entry.place);
        Some(form)
    }

    /// Tells slots from words in the pattern.
    fn resolve_slots(&mut self, form: &mut Form, spelling: &Spelling, own: &Keys, shared: &Keys, used: &mut HashSet<Text>) {
        let slots = &mut form.slots;
        for step in &spelling.pattern {
            form.pattern.push(match *step {
                Step::Optional(end) => Step::Optional(end),
                Step::One(name) => match slot_index(slots, name, false, own, shared, used) {
                    Some(index) => Step::One(Element::Slot(index)),
                    None => {
                        if !self.known_word(name) {
                            let message = format!("`{name}` is neither a slot of this form nor a known word");
                            let help = format!("define `{name} = ...` below the form, or `word {name}` in words.isa");
                            self.problems.push(form.place, message).help = Some(help);
                        }
                        Step::One(Element::Word(name))
                    }
                },
            });
        }
        let selectors = spelling.operands.iter().flat_map(|o| &o.parts).filter_map(|p| p.2);
        for (name, _) in selectors {
            if slot_index(slots, name, true, own, shared, used).is_none() {
                self.problems.push(form.place, format!("the selector `{name}` is not a slot of this form"));
            }
        }
        for (slot, place) in &own.slots {
            if !slots.iter().any(|s| s.name == slot.name) {
                self.problems.push(*place, format!("the form does not use its slot `{}`", slot.name));
            }
        }
        self.check_words(&own.slots);
    }

    /// Words that slots hold must be defined.
    fn check_words(&mut self, slots: &[(Slot, Place)]) {
        for (slot, place) in slots {
            for word in slot.words.iter().flat_map(|w| w.split('+')) {
                if !self.known_word(word) {
                    self.unknown_word(word, *place);
                }
            }
        }
    }

    fn known_word(&self, word: &str) -> bool {
        let is_type = |name: &str| self.table.type_index.contains_key(name);
        self.table.word_index.contains_key(word) || word.strip_prefix('.').is_some_and(is_type)
    }

    fn unknown_word(&mut self, word: &str, place: Place) {
        let known = self.table.word_index.keys().copied();
        let near = Table::nearest(word, known);
        let help = if near.is_empty() {
            "define it in words.isa, or as a type in types.isa".to_owned()
        } else {
            format!("near: {}; or define it in words.isa", near.join(", "))
        };
        self.problems.push(place, format!("unknown word `{word}`")).help = Some(help);
    }

    /// Gives operands roles and types.
    fn resolve_operands(
        &mut self,
        form: &mut Form,
        spelling: Spelling,
        own: &Keys,
        shared: &Keys,
        used: &mut HashSet<Text>,
        place: Place,
    ) {
        let sinks: &[Text] = own.sinks.as_ref().or(shared.sinks.as_ref()).map_or(&[], |s| &s.0);
        let elements: &[Text] = own.elements.as_ref().or(shared.elements.as_ref()).map_or(&[], |e| &e.0);
        let writes: &[Text] = own.writes.as_ref().or(shared.writes.as_ref()).map_or(&[], |w| &w.0);
        form.variants = spelling.variants;
        for (i, written) in spelling.operands.into_iter().enumerate() {
            let WrittenOperand { notation, optional, parts, optional_parts } = written;
            let parts = parts.into_iter().enumerate().map(|(j, (name, sign, selector))| {
                let typed = |keys: &Keys| keys.types.iter().find(|t| t.0 == name).map(|t| t.1.clone());
                let address = matches!(notation, Notation::Address) || (notation == Notation::AddressList && j == 0);
                let ty = typed(own).or_else(|| {
                    typed(shared).inspect(|_| {
                        used.insert(name);
                    })
                });
                let ty = ty.or_else(|| default_type(form, notation, address)).unwrap_or_else(|| {
                    let message = format!("the operand `{name}` has no type, and the form has no slot `.type`");
                    self.problems.push(place, message);
                    TypeExpression::Address(None)
                });
                let ty = if sinks.contains(&name) { ty.with_sinks() } else { ty };
                let ty = if elements.contains(&name) { ty.with_elements() } else { ty };
                let register = !address && notation != Notation::AddressList;
                let destination = register && (writes.contains(&name) || (i == 0 && ["d", "p", "q", "r"].contains(&name)));
                let role = if destination { Role::Destination } else { Role::Source };
                let selector =
                    selector.and_then(|(slot, mandatory)| Some((form.slots.iter().position(|s| s.name == slot)?, mandatory)));
                let presence = optional_parts.get(j).is_some_and(|o| *o).then(|| presence(name, own, shared));
                if presence == Some(None) {
                    self.problems.push(place, format!("when is `{name}` written? say `with {name} if CONDITION`"));
                }
                PartPattern { name, role, sign, selector, ty, presence: presence.flatten() }
            });
            let parts = parts.collect();
            form.operands.push(OperandPattern { notation, parts, optional });
        }
    }

    /// Which optional operands are there by condition. A record may speak of operands that only some of its forms have.
    fn resolve_presences(&mut self, form: &mut Form, own: &Keys, shared: &Keys) {
        for (with, own) in own.withs.iter().map(|w| (w, true)).chain(shared.withs.iter().map(|w| (w, false))) {
            for name in &with.names {
                let found = form.operands.iter().position(|o| o.optional && o.parts.iter().any(|p| p.name == *name));
                match found {
                    None if form.operands.iter().flat_map(|o| &o.parts).any(|p| p.name == *name && p.presence.is_some()) => {}
                    Some(operand) => form.presences.push((operand, with.condition.clone())),
                    None if own => {
                        self.problems.push(with.place, format!("the form has no optional operand `{name}`"));
                    }
                    None => {}
                }
            }
        }
    }

    fn check_form(&mut self, form: &Form, own: &Keys, place: Place) {
        let mut names = HashSet::new();
        for part in form.operands.iter().flat_map(|o| &o.parts) {
            if !names.insert(part.name) {
                self.problems.push(place, format!("two operands are called `{}`", part.name));
            }
        }
        for (name, _, place) in &own.types {
            if !names.contains(name) {
                self.problems.push(*place, format!("the form has no operand `{name}`"));
            }
        }
        for (listed, place) in own.writes.iter().chain(&own.sinks).chain(&own.elements) {
            for name in listed.iter().filter(|n| !names.contains(*n)) {
                self.problems.push(*place, format!("the form has no operand `{name}`"));
            }
        }
        self.check_needs(own, &names);
        match (&form.run, form.pending) {
            (None, false) => {
                self.problems.push(place, "the form has neither `run` nor `pending`");
            }
            (Some(_), true) if own.run.is_some() => {
                self.problems.push(place, "a form that is `pending` runs nothing");
            }
            _ => {}
        }
        if form.needs.is_empty() {
            self.problems.push(place, "the form has no `need`: since which PTX version, on which targets?");
        }
        self.check_names(own, &form.slots.iter().collect::<Vec<_>>());
    }

    /// Slots, words and types that keys name must exist; a word that a slot is said to hold must be one of `slots`.
    fn check_names(&mut self, keys: &Keys, slots: &[&Slot]) {
        for (name, slot, place) in keys.names() {
            let in_slot = |slot: &str, word: &str| slots.iter().any(|s| s.name == slot && s.words.contains(&word));
            let known = |name: Text| slots.iter().any(|s| s.name == name) || name.split('+').all(|w| self.known_word(w));
            match slot {
                Some(slot) if in_slot(slot, name) => {}
                Some(slot) => {
                    self.problems.push(place, format!("the slot `{slot}` never holds `{name}`"));
                }
                None if !name.starts_with('.') => {
                    if !self.table.type_index.contains_key(name) {
                        self.problems.push(place, format!("unknown type `{name}`"));
                    }
                }
                None if known(name) => {}
                None => {
                    self.problems.push(place, format!("`{name}` is neither a slot nor a known word"));
                }
            }
        }
    }
}

/// The index in `slots` of the slot `name`, added if the form or the record defines it.
fn slot_index(
    slots: &mut Vec<Slot>,
    name: Text,
    selector: bool,
    own: &Keys,
    shared: &Keys,
    used: &mut HashSet<Text>,
) -> Option<usize> {
    if let Some(index) = slots.iter().position(|s| s.name == name) {
        return Some(index);
    }
    let find = |keys: &Keys| keys.slots.iter().find(|s| s.0.name == name).map(|s| s.0.clone());
    let slot = find(own).or_else(|| {
        find(shared).inspect(|_| {
            used.insert(name);
        })
    })?;
    slots.push(Slot { selector, ..slot });
    Some(slots.len() - 1)
}

/// The condition under which an optional part is written.
fn presence(name: Text, own: &Keys, shared: &Keys) -> Option<Condition> {
    let with = own.withs.iter().chain(&shared.withs).find(|w| w.names.contains(&name))?;
    Some(with.condition.clone())
}

/// The type of an operand that `types` does not name.
fn default_type(form: &Form, notation: Notation, address: bool) -> Option<TypeExpression> {
    let has = |name: &str| form.slots.iter().any(|s| s.name == name);
    match notation {
        _ if address => Some(match has(".space") {
            true => TypeExpression::Address(Some(".space")),
            // Of several parts the first may be the address of a description that lies elsewhere.
            false if notation == Notation::AddressList => TypeExpression::Address(None),
            false => literal_space(form).map_or(TypeExpression::Address(None), |word| {
                let [then, otherwise] = [Some(word), None].map(|space| Box::new(TypeExpression::Address(space)));
                TypeExpression::If(then, Condition::Present(word), otherwise)
            }),
        }),
        Notation::Parenthesised => Some(TypeExpression::Name(OperandType::Arguments)),
        _ => has(".type").then_some(TypeExpression::Slot(".type")),
    }
}

/// The word of a state space that stands in the form itself, if it is the only one.
fn literal_space(form: &Form) -> Option<Text> {
    let opcode = form.text.split_whitespace().next().unwrap_or_default();
    let mut words = opcode.split(['.', '{', '}']).filter_map(|word| SPACES.iter().find(|space| space[1..] == *word));
    words.next().filter(|_| words.next().is_none()).copied()
}

/// Spaces that forms with an address name.
const SPACES: [Text; 6] = [".global", ".shared", ".shared::cta", ".shared::cluster", ".local", ".const"];

/// `%envreg<32>` stands for `%envreg0` to `%envreg31`.
fn expand(name: Text) -> Vec<Text> {
    let numbered = name.strip_suffix('>').and_then(|n| n.split_once('<'));
    match numbered.and_then(|(stem, n)| Some((stem, n.parse::<u32>().ok().filter(|n| *n <= 1000)?))) {
        Some((stem, count)) => (0..count).map(|i| &*format!("{stem}{i}").leak()).collect(),
        None => vec![name],
    }
}

/// Splits at commas that are in no braces.
fn outside_braces(text: Text) -> Vec<Text> {
    let mut depth = 0;
    let parts = text.split(move |c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts.map(str::trim).collect()
}
