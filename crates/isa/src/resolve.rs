//! From the text of an opcode to the forms it spells.

use std::ops::Range;

use crate::condition::Modifiers;
use crate::form::{Element, Form, Implicit, Need, Notation, OperandPattern, PartPattern, Role, Sign, Step};
use crate::table::{PendingOpcode, Record, Table};
use crate::target::{Target, Version};
use crate::text::Text;
use crate::types::{Limits, OperandType};

/// What an opcode stands for.
#[derive(Clone, Debug)]
pub enum Resolution {
    /// The forms that it spells; several if the operands decide (`mov`).
    Matches(Vec<Match>),
    /// An instruction without a record yet.
    Pending(&'static PendingOpcode),
}

/// Why an opcode stands for nothing.
#[derive(Clone, Debug)]
pub struct Unresolved {
    /// One sentence without a full stop.
    pub message: String,
    /// The bytes of the opcode's text that are at fault.
    pub at: Range<usize>,
    /// What to write instead.
    pub help: Option<String>,
    /// The form that came nearest.
    pub nearest: Option<(&'static Record, &'static Form)>,
}

/// A form with the modifiers that were chosen.
#[derive(Clone, Debug)]
pub struct Match {
    /// The instruction.
    pub record: &'static Record,
    /// Its form.
    pub form: &'static Form,
    /// The word in each of `form.slots`; `None` where it was left out, and for slots that select from operands.
    pub slots: Vec<Option<Text>>,
    /// All modifiers in the order of the form, words of two taken apart.
    pub words: Vec<Text>,
    /// The operands of the form, optional ones included.
    pub operands: Vec<Operand>,
    /// What the semantic function is told: key and value, a flag's value is empty. Selectors of operands come on top,
    /// see [`crate::Fit`].
    pub settings: Vec<(Text, Text)>,
}

/// An operand of a match.
#[derive(Clone, Debug)]
pub struct Operand {
    /// How it is written.
    pub notation: Notation,
    /// Whether it may be left out.
    pub optional: bool,
    /// Its named parts: two of a pair, several of a list in brackets, else one.
    pub parts: Vec<Part>,
}

/// A named part of an operand.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name in the form.
    pub name: Text,
    /// Whether it is read or written.
    pub role: Role,
    /// What may stand before it.
    pub sign: Sign,
    /// The words that may select from it, and whether one must.
    pub selector: Option<(&'static [Text], bool)>,
    /// Its type.
    pub ty: OperandType,
    /// What limits it.
    pub limits: Limits,
    /// How its bits are packed, such as `2x16`; documentation.
    pub packing: Option<Text>,
}

/// How exact the results are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// To the bit.
    Exact,
    /// Within a bound.
    Approximate(Text),
    /// Not executable yet.
    Pending,
}

/// The modifiers chosen for a form: one word for each step of its pattern.
pub(crate) struct Choice {
    pub form: &'static Form,
    pub filled: Vec<Option<Text>>,
}

impl Modifiers for Choice {
    fn slot(&self, name: &str) -> Option<Option<Text>> {
        let index = self.form.slots.iter().position(|s| s.name == name && !s.selector)?;
        Some(self.in_slot(index))
    }

    fn has(&self, word: &str) -> bool {
        self.filled.iter().flatten().any(|w| *w == word || w.split('+').any(|part| part == word))
    }
}

impl Choice {
    fn in_slot(&self, index: usize) -> Option<Text> {
        let position = self.form.pattern.iter().position(|s| *s == Step::One(Element::Slot(index)))?;
        self.filled[position]
    }

    /// The modifiers in the order of the form.
    pub fn words(&self) -> Vec<Text> {
        self.filled.iter().flatten().flat_map(|w| w.split('+')).collect()
    }

    /// The first rule of the form that is broken, as written in the record.
    pub fn violated(&self) -> Option<String> {
        let held = |c: &crate::Condition| c.holds(self);
        for exclusion in &self.form.exclusions {
            let broken = match exclusion.without {
                true => exclusion.first.iter().any(held) && !exclusion.second.iter().any(held),
                false => exclusion.first.iter().any(held) && exclusion.second.iter().any(held),
            };
            if broken {
                return Some(format!("not {}", exclusion.text));
            }
        }
        for when in &self.form.whens {
            let allowed = || self.slot(when.slot).flatten().is_none_or(|w| when.words.contains(&w));
            if when.condition.holds(self) && !allowed() {
                return Some(format!("when {}", when.text));
            }
        }
        None
    }
}

impl Table {
    /// What an opcode with its modifiers stands for, such as `ld.global.nc.v4.f32`. Modifiers may stand in any order;
    /// types, state spaces, and words that could fill several slots, fill them in the order of the form.
    pub fn resolve(&'static self, opcode: &str) -> Result<Resolution, Unresolved> {
        let base = &opcode[..opcode.find('.').unwrap_or(opcode.len())];
        let modifiers = modifiers(opcode);
        let once = self.once(&modifiers);
        let mut wrong = None;
        let mut found = self.spelled(base, &once, &mut wrong);
        if found.is_empty() {
            let kept = self.without_ignored(base, &once);
            if kept.len() < once.len() {
                found = self.spelled(base, &kept, &mut wrong);
                // What is a part of the opcode stands right behind its first word.
                found.retain(|m| once.iter().zip(&kept).filter(|(a, b)| a != b).all(|(_, b)| !m.form.leading.contains(b)));
            }
        }
        if !found.is_empty() {
            return Ok(Resolution::Matches(found));
        }
        if let Some(pending) = self.pending_opcode(opcode) {
            return Ok(Resolution::Pending(pending));
        }
        let failures = self.forms_of(base).filter_map(|(record, form)| {
            let (progress, failure) = self.attempt(form, &modifiers).err()?;
            Some((progress, record, form, failure))
        });
        let mut failures: Vec<_> = wrong.into_iter().chain(failures).collect();
        let farthest = failures.iter().map(|f| f.0).max();
        failures.retain(|f| Some(f.0) == farthest);
        failures.sort_by_key(|(_, record, ..)| record.manual_order());
        let mut failures = failures.into_iter();
        let Some((_, record, form, mut failure)) = failures.next() else {
            return Err(self.unknown_opcode(opcode, base));
        };
        failures.for_each(|(.., other)| failure.take_words(other));
        Err(failure.explain(self, opcode, &modifiers, record, form))
    }

    /// The opcodes that one more modifier makes of this one and that exist there, at most eight.
    pub fn with_another_modifier(&'static self, opcode: &str, version: Version, target: Target) -> Vec<String> {
        let (base, rest) = opcode.split_at(opcode.find('.').unwrap_or(opcode.len()));
        let mut found: Vec<String> = Vec::new();
        for (_, form) in self.forms_of(base) {
            for word in words_of(form).filter(|w| !w.contains('+')) {
                let Ok(Resolution::Matches(matches)) = self.resolve(&[base, word, rest].concat()) else { continue };
                for spelled in matches.iter().filter(|m| m.available(version, target)).map(Match::opcode) {
                    if found.len() < 8 && !found.contains(&spelled) {
                        found.push(spelled);
                    }
                }
            }
        }
        found
    }

    /// The forms of an opcode that take these modifiers; `wrong` gets what is wrong with a record.
    fn spelled(&'static self, base: &str, modifiers: &[&str], wrong: &mut Option<Wrong>) -> Vec<Match> {
        let mut found = Vec::new();
        for (record, form) in self.forms_of(base).filter(|(_, form)| knows(form, modifiers)) {
            if let Ok(choice) = self.attempt(form, modifiers) {
                match self.matched(record, choice) {
                    Ok(one) => found.push(one),
                    Err(message) => *wrong = Some((usize::MAX, record, form, Failure::Record(message))),
                }
            }
        }
        found
    }

    /// The modifiers without those that no form of the opcode has and that ptxas ignores: one of each group.
    fn without_ignored<'a>(&self, base: &str, modifiers: &[&'a str]) -> Vec<&'a str> {
        let group = |m: &str| match self.word(m) {
            Some(word) if word.ignored.is_some() => word.ignored,
            _ => self.type_named(&m[1..]).and_then(|ty| ty.ignored),
        };
        let is_ignored = |m: &&str| {
            let alone = |own: Text| modifiers.iter().filter(|other| group(other) == Some(own)).count() == 1;
            group(m).is_some_and(alone) && !self.forms_of(base).any(|(_, form)| knows(form, &[m]))
        };
        modifiers.iter().copied().filter(|m| !is_ignored(m)).collect()
    }

    /// The modifiers without those that only repeat another one.
    fn once<'a>(&self, modifiers: &[&'a str]) -> Vec<&'a str> {
        let mut once: Vec<&str> = Vec::with_capacity(modifiers.len());
        for modifier in modifiers {
            if !once.contains(modifier) || !self.word(modifier).is_some_and(|w| w.repeats) {
                once.push(modifier);
            }
        }
        once
    }

    /// The pending opcode that `opcode` begins with, the longest first.
    fn pending_opcode(&'static self, opcode: &str) -> Option<&'static PendingOpcode> {
        let begins =
            |p: &&PendingOpcode| opcode.strip_prefix(p.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.pending.iter().filter(begins).max_by_key(|p| p.name.len())
    }

    fn unknown_opcode(&'static self, opcode: &str, base: &str) -> Unresolved {
        Unresolved {
            message: format!("there is no instruction `{base}`"),
            at: 0..base.len().min(opcode.len()),
            help: self.opcode_meant(opcode, base),
            nearest: None,
        }
    }

    /// What may be meant by an opcode whose first word begins no instruction.
    fn opcode_meant(&'static self, opcode: &str, base: &str) -> Option<String> {
        let is_machine_code = !base.bytes().any(|b| b.is_ascii_lowercase());
        let lower = opcode.to_ascii_lowercase();
        if lower != opcode && self.base_index.contains_key(&lower[..base.len()]) {
            return Some(format!("write it in small letters, `{lower}`"));
        }
        if let Some(own) = self.foreign(base) {
            let capitals = if is_machine_code { "; names in capitals are machine code (SASS)" } else { "" };
            return Some(format!("PTX calls it `{own}`{capitals}"));
        }
        if let Some(apart) = self.taken_apart(base, &opcode[base.len()..]) {
            return Some(format!("did you mean `{apart}`?"));
        }
        let pending = self.pending.iter().map(|p| p.name.split('.').next().unwrap_or(p.name));
        let near = Table::nearest(base, self.base_index.keys().copied().chain(pending));
        match near.is_empty() {
            false => Some(format!("did you mean {}?", listed(&near, "or"))),
            true if is_machine_code => {
                Some("names in capitals are machine code (SASS); PTX is written in small letters".to_owned())
            }
            true => Some("`lockstep explain NAME` has a page for each instruction".to_owned()),
        }
    }

    /// `mul.lo.u32` for `mullo` or `mul_lo` with `.u32` behind it.
    fn taken_apart(&'static self, base: &str, rest: &str) -> Option<String> {
        // Each attempt looks at all forms of an opcode, and no opcode is as long.
        let ends = (1..base.len().min(20)).rev().filter(|end| base.is_char_boundary(*end));
        let known = ends.filter(|end| self.base_index.contains_key(&base[..*end]));
        let spelled = known.map(|end| {
            let modifiers = base[end..].trim_start_matches('_').replace('_', ".");
            format!("{}.{modifiers}{rest}", &base[..end])
        });
        spelled.take(3).find(|opcode| self.resolve(opcode).is_ok())
    }

    /// Finds a place for every modifier. Failing that, tells how far it came and why it stopped.
    fn attempt(&'static self, form: &'static Form, modifiers: &[&str]) -> Result<Choice, (usize, Failure)> {
        let empty = vec![None; form.pattern.len()];
        let mut search = Search { table: self, form, modifiers, filled: empty.clone(), best: (0, empty), forbidden: None };
        if search.from(0) {
            return Ok(Choice { form, filled: search.filled });
        }
        let (placed, filled) = search.best;
        if let Some(rule) = search.forbidden {
            return Err((2 * modifiers.len() + 2, Failure::Forbidden(rule)));
        }
        if placed < modifiers.len() {
            return Err((2 * placed, Failure::Unexpected(placed, expected(form, &filled, true))));
        }
        Err((2 * placed + 1, Failure::Missing(expected(form, &filled, false))))
    }

    /// Evaluates everything that depends on the modifiers.
    pub(crate) fn matched(&'static self, record: &'static Record, choice: Choice) -> Result<Match, String> {
        let form = choice.form;
        let operands = form.operands.iter().map(|o| self.operand(o, &choice)).collect::<Result<Vec<_>, _>>()?;
        let words = choice.words();
        let mut settings = Vec::new();
        for word in words.iter().filter_map(|w| self.word(w)) {
            word.sets.iter().for_each(|&(key, value)| set(&mut settings, key, value));
        }
        for &(key, value) in form.run.iter().flat_map(|r| &r.settings) {
            let selector = form.slots.iter().any(|s| s.selector && s.name == value);
            match choice.slot(value) {
                Some(Some(word)) => set(&mut settings, key, &word[1..]),
                Some(None) => {}
                None if selector => {}
                None if value.starts_with('.') => {
                    if choice.has(value) {
                        set(&mut settings, key, "");
                    }
                }
                None if value == "on" => set(&mut settings, key, ""),
                None => set(&mut settings, key, value),
            }
        }
        let slots = (0..form.slots.len()).map(|i| choice.in_slot(i)).collect();
        Ok(Match { record, form, slots, words, operands, settings })
    }

    fn operand(&'static self, pattern: &'static OperandPattern, choice: &Choice) -> Result<Operand, String> {
        let part = |p: &'static PartPattern| -> Result<Part, String> {
            let evaluated = p.ty.evaluate(choice, &|name| self.type_named(name))?;
            Ok(Part {
                name: p.name,
                role: p.role,
                sign: p.sign,
                selector: p.selector.map(|(slot, mandatory)| (&choice.form.slots[slot].words[..], mandatory)),
                ty: evaluated.ty,
                limits: evaluated.limits,
                packing: evaluated.packing,
            })
        };
        let present = |p: &&PartPattern| p.presence.as_ref().is_none_or(|c| c.holds(choice));
        let parts = pattern.parts.iter().filter(present).map(part).collect::<Result<Vec<_>, _>>()?;
        Ok(Operand { notation: pattern.notation, optional: pattern.optional, parts })
    }
}

/// Replaces or adds a setting.
pub(crate) fn set(settings: &mut Vec<(Text, Text)>, key: Text, value: Text) {
    match settings.iter_mut().find(|s| s.0 == key) {
        Some(setting) => setting.1 = value,
        None => settings.push((key, value)),
    }
}

/// The modifiers of an opcode, with their dots. The bank of `.const[2]` tells forms apart no more than an address does.
fn modifiers(opcode: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = opcode.match_indices('.').map(|m| m.0).collect();
    starts.push(opcode.len());
    starts.windows(2).map(|w| bankless(&opcode[w[0]..w[1]])).collect()
}

fn bankless(modifier: &str) -> &str {
    if modifier.ends_with(']') { modifier.split('[').next().unwrap_or(modifier) } else { modifier }
}

/// The words that a form has in its places.
fn words_of(form: &Form) -> impl Iterator<Item = Text> {
    let words = |step: &Step<Element>| match step {
        Step::One(Element::Word(word)) => vec![*word],
        Step::One(Element::Slot(slot)) => form.slots[*slot].words.clone(),
        Step::Optional(_) => Vec::new(),
    };
    form.pattern.iter().flat_map(words)
}

/// Whether a form has a place for each modifier, looked at alone: most forms of an opcode fail here.
fn knows(form: &Form, modifiers: &[&str]) -> bool {
    let accepts = |step: &Step<Element>, modifier: &str| match step {
        Step::One(Element::Word(word)) => *word == modifier,
        Step::One(Element::Slot(slot)) => form.slots[*slot]
            .words
            .iter()
            .any(|w| *w == modifier || (w.len() > modifier.len() && w.split('+').any(|p| p == modifier))),
        Step::Optional(_) => false,
    };
    modifiers.iter().all(|m| form.pattern.iter().any(|step| accepts(step, m)))
}

/// Why a form is not what an opcode spells.
enum Failure {
    /// The modifier of that index fits nowhere; these would.
    Unexpected(usize, Vec<Text>),
    /// A modifier is missing, one of these.
    Missing(Vec<Text>),
    /// Each modifier has its place, but a rule forbids them together.
    Forbidden(String),
    /// The record is wrong.
    Record(String),
}

/// How far an attempt came, with which record and form, and why it failed.
type Wrong = (usize, &'static Record, &'static Form, Failure);

/// The search for places for the modifiers of an opcode in a form.
struct Search<'a> {
    table: &'static Table,
    form: &'static Form,
    modifiers: &'a [&'a str],
    /// The word at each step of the form's pattern.
    filled: Vec<Option<Text>>,
    /// How many modifiers found places in the best attempt, and which steps were filled then.
    best: (usize, Vec<Option<Text>>),
    /// The first rule that an otherwise complete attempt broke.
    forbidden: Option<String>,
}

impl Search<'_> {
    /// Places the modifiers from `at` on, in the leftmost free places that accept them; true if all is well.
    fn from(&mut self, at: usize) -> bool {
        if at > self.best.0 || at == 0 {
            self.best = (at, self.filled.clone());
        }
        if at == self.modifiers.len() {
            return self.accepted();
        }
        for step in 0..self.form.pattern.len() {
            let Step::One(element) = self.form.pattern[step] else { continue };
            if self.filled[step].is_some() {
                continue;
            }
            let words = match &element {
                Element::Word(word) => std::slice::from_ref(word),
                Element::Slot(slot) => &self.form.slots[*slot].words[..],
            };
            for &word in words {
                let length = begins(&self.modifiers[at..], word);
                if length == 0 || !self.in_order(step, word) {
                    continue;
                }
                self.filled[step] = Some(word);
                if self.from(at + length) {
                    return true;
                }
                self.filled[step] = None;
            }
        }
        false
    }

    /// Whether `word` may be placed at `step` after what has been placed: leading words, types, state spaces, ordered words, and
    /// places that accept each other's words are filled from left to right.
    fn in_order(&self, step: usize, word: &str) -> bool {
        let is_type = |word: &str| self.table.type_named(&word[1..]).is_some();
        let is_space = |word: &str| self.table.word(word).is_some_and(|w| w.sets.iter().any(|s| s.0 == "space"));
        let leading = self.form.leading.iter().any(|l| word.split('+').any(|w| w == *l));
        let together = |group: &Vec<Text>, other: Text| group.contains(&other) && group.contains(&word);
        let ordered = |later: usize, other: Text| {
            self.form.ordered.iter().any(|group| together(group, other))
                || leading
                || accepts(self.form, later, word)
                || accepts(self.form, step, other)
                || is_type(word) && is_type(other)
                || is_space(word) && is_space(other)
        };
        !(step + 1..self.filled.len()).any(|later| self.filled[later].is_some_and(|other| ordered(later, other)))
    }

    /// Whether nothing is missing and no rule broken.
    fn accepted(&mut self) -> bool {
        if missing(&self.form.pattern, 0, self.form.pattern.len(), &self.filled).is_some() {
            return false;
        }
        let choice = Choice { form: self.form, filled: self.filled.clone() };
        match choice.violated() {
            None => true,
            Some(rule) => {
                self.forbidden.get_or_insert(rule);
                false
            }
        }
    }
}

/// How many of `modifiers` the word takes: 1, more for `.a+.b`, 0 if they are others.
fn begins(modifiers: &[&str], word: &str) -> usize {
    let parts = word.split('+');
    let length = parts.clone().count();
    if modifiers.len() >= length && parts.zip(modifiers).all(|(part, m)| part == *m) { length } else { 0 }
}

fn accepts(form: &Form, step: usize, word: &str) -> bool {
    match form.pattern[step] {
        Step::One(Element::Word(w)) => w == word,
        Step::One(Element::Slot(slot)) => form.slots[slot].words.contains(&word),
        Step::Optional(_) => false,
    }
}

/// The first step of `from..to` that must be filled and is not.
fn missing(pattern: &[Step<Element>], from: usize, to: usize, filled: &[Option<Text>]) -> Option<usize> {
    let mut at = from;
    while at < to {
        match pattern[at] {
            Step::One(_) if filled[at].is_none() => return Some(at),
            Step::One(_) => at += 1,
            Step::Optional(end) => {
                if filled[at + 1..end].iter().any(Option::is_some) {
                    let inner = missing(pattern, at + 1, end, filled);
                    if inner.is_some() {
                        return inner;
                    }
                }
                at = end;
            }
        }
    }
    None
}

/// The words that free places accept: all of them, or only those of the first that must be filled.
fn expected(form: &Form, filled: &[Option<Text>], any: bool) -> Vec<Text> {
    let steps: Vec<usize> = match missing(&form.pattern, 0, form.pattern.len(), filled) {
        Some(step) if !any => vec![step],
        _ => (0..filled.len()).filter(|&s| filled[s].is_none()).collect(),
    };
    let mut words = Vec::new();
    for step in steps {
        match form.pattern[step] {
            Step::One(Element::Word(word)) => words.push(word),
            Step::One(Element::Slot(slot)) => words.extend(&form.slots[slot].words),
            Step::Optional(_) => {}
        }
    }
    words
}

/// The modifier that has the only place of the one at `index`.
fn rival<'a>(form: &Form, modifiers: &[&'a str], index: usize) -> Option<&'a str> {
    let mut places = form.slots.iter().filter(|s| !s.selector && s.words.contains(&modifiers[index]));
    let (Some(place), None) = (places.next(), places.next()) else { return None };
    let others = modifiers[..index].iter().copied();
    others.filter(|m| *m != modifiers[index]).find(|m| place.words.contains(m))
}

impl Failure {
    /// Adds what another form, which came as far, would have taken.
    fn take_words(&mut self, other: Failure) {
        let (words, more) = match (self, other) {
            (Failure::Unexpected(_, words), Failure::Unexpected(_, more)) => (words, more),
            (Failure::Missing(words), Failure::Missing(more)) => (words, more),
            _ => return,
        };
        more.into_iter().for_each(|word| {
            if !words.contains(&word) {
                words.push(word);
            }
        });
    }

    fn explain(
        self,
        table: &Table,
        opcode: &str,
        modifiers: &[&str],
        record: &'static Record,
        form: &'static Form,
    ) -> Unresolved {
        let whole = 0..opcode.len();
        let spelled = |words: &[Text]| -> String {
            let shown: Vec<String> = words.iter().take(8).map(|w| w.replace('+', "")).collect();
            let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
            listed(&shown, if words.len() > 8 { "," } else { "or" }) + if words.len() > 8 { " ..." } else { "" }
        };
        let form_help = format!("the nearest form is `{}`", form.text);
        let (message, at, help) = match self {
            Failure::Unexpected(index, expected) => {
                let modifier = modifiers[index];
                let start = modifier.as_ptr() as usize - opcode.as_ptr() as usize;
                let near = match table.foreign(modifier).filter(|own| expected.contains(own)) {
                    Some(own) => vec![own],
                    None => Table::nearest(modifier, expected.iter().copied().filter(|w| !w.contains('+'))),
                };
                let rival = rival(form, modifiers, index);
                let help = match (&near[..], &expected[..]) {
                    _ if rival.is_some() => format!("keep one of the two; {form_help}"),
                    ([], []) => form_help,
                    ([], words) => format!("{form_help}; what may still follow: {}", spelled(words)),
                    (near, _) => format!("did you mean {}?", listed(near, "or")),
                };
                let known = form.slots.iter().any(|s| s.words.contains(&modifier));
                let message = match (rival, known) {
                    (Some(rival), _) => format!("`{rival}` and `{modifier}` exclude each other in `{}`", record.name),
                    (None, true) => format!("`{modifier}` cannot stand here in `{}`", record.name),
                    (None, false) => format!("`{}` takes no modifier `{modifier}` here", record.name),
                };
                (message, start..start + modifier.len(), help)
            }
            Failure::Missing(words) => (format!("`{opcode}` lacks a modifier: {}", spelled(&words)), whole, form_help),
            Failure::Forbidden(rule) => {
                (format!("the modifiers of `{opcode}` do not go together"), whole, format!("the rule: {rule}"))
            }
            Failure::Record(message) => (format!("the record `{}` is wrong: {message}", record.name), whole, form_help),
        };
        Unresolved { message, at, help: Some(help), nearest: Some((record, form)) }
    }
}

/// `a`, `b` or `c`
pub(crate) fn listed(items: &[&str], last: &str) -> String {
    let quoted: Vec<String> = items.iter().map(|i| format!("`{i}`")).collect();
    match quoted.split_last() {
        Some((end, rest)) if !rest.is_empty() && last != "," => format!("{} {last} {end}", rest.join(", ")),
        _ => quoted.join(", "),
    }
}

impl Match {
    /// The word in a slot.
    pub fn word(&self, slot: &str) -> Option<Text> {
        self.slots[self.form.slots.iter().position(|s| s.name == slot)?]
    }

    /// Whether a modifier is present.
    pub fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    /// The opcode in the spelling of the form.
    pub fn opcode(&self) -> String {
        self.form.base.to_owned() + &self.words.concat()
    }

    /// The named parts of all operands, in order.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.operands.iter().flat_map(|o| &o.parts)
    }

    /// The selections of `operands` that may be written with these modifiers, most operands first.
    pub fn variants(&self) -> impl Iterator<Item = &'static [usize]> {
        let fits = |variant: &&Vec<usize>| {
            self.form.presences.iter().all(|(operand, condition)| variant.contains(operand) == condition.holds(self))
        };
        self.form.variants.iter().filter(fits).map(Vec::as_slice)
    }

    /// Registers that the text does not name: results first, then sources.
    pub fn implicit(&self) -> &'static [Implicit] {
        &self.form.implicit
    }

    /// The semantic function, unless pending.
    pub fn function(&self) -> Option<Text> {
        (!self.form.pending).then(|| self.form.run.as_ref().map(|r| r.function)).flatten()
    }

    /// The value of a setting; that of a flag is empty.
    pub fn setting(&self, key: &str) -> Option<Text> {
        self.settings.iter().find(|s| s.0 == key).map(|s| s.1)
    }

    /// What a module must declare to use it: all of these, whatever the operands.
    pub fn needs(&self) -> impl Iterator<Item = &'static Need> {
        self.needs_with(&[])
    }

    /// What a module must declare to use it with the operands of these names: all of these.
    pub fn needs_with(&self, written: &[Text]) -> impl Iterator<Item = &'static Need> {
        let counts = |n: &Need| n.operands.is_empty() || n.operands.iter().any(|o| written.contains(o));
        self.form.needs.iter().filter(move |n| counts(n) && n.condition.as_ref().is_none_or(|c| c.holds(self)))
    }

    /// Where it does not exist any more: any of these, as version and targets from which on.
    pub fn removed(&self) -> impl Iterator<Item = &'static Need> {
        self.form.removed.iter().filter(|n| n.condition.as_ref().is_none_or(|c| c.holds(self)))
    }

    /// Whether a module with that `.version` and `.target` may use it, whatever the operands.
    pub fn available(&self, version: Version, target: Target) -> bool {
        self.available_with(&[], version, target)
    }

    /// Whether such a module may use it with the operands of these names.
    pub fn available_with(&self, written: &[Text], version: Version, target: Target) -> bool {
        self.needs_with(written).all(|n| n.requirement.met_by(version, target))
            && !self.removed().any(|n| n.requirement.met_by(version, target))
    }

    /// How exact it is.
    pub fn fidelity(&self) -> Fidelity {
        if self.form.pending {
            return Fidelity::Pending;
        }
        let holds = |c: &Option<crate::Condition>| c.as_ref().is_none_or(|c| c.holds(self));
        match self.form.fidelity.iter().find(|(_, condition)| holds(condition)) {
            Some((bound, _)) => Fidelity::Approximate(bound),
            None => Fidelity::Exact,
        }
    }
}

impl Modifiers for Match {
    fn slot(&self, name: &str) -> Option<Option<Text>> {
        let index = self.form.slots.iter().position(|s| s.name == name && !s.selector)?;
        Some(self.slots[index])
    }

    fn has(&self, word: &str) -> bool {
        self.words.contains(&word) || self.slots.iter().flatten().any(|w| *w == word)
    }
}
