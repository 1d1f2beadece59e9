//! A form: one spelling of an instruction, with slots, operands and what holds for it.

use crate::condition::{Condition, Cursor};
use crate::pattern;
use crate::target::{Requirement, Target, Version};
use crate::text::{Entry, Place, Problems, Text};
use crate::types::TypeExpression;

/// One spelling of an instruction.
#[derive(Clone, Debug)]
pub struct Form {
    /// The spelling as the record has it: `dp2a.mode.atype.btype  d, a, b, c`.
    pub text: Text,
    /// The opcode before its first modifier.
    pub base: Text,
    /// Where it stands.
    pub place: Place,
    /// The slots it uses, in the order of their first use; those that select from an operand come last.
    pub slots: Vec<Slot>,
    /// Its modifiers.
    pub(crate) pattern: Vec<Step<Element>>,
    /// Words that stand before all others, in the order of the form, whatever order a program chooses for the rest.
    pub leading: Vec<Text>,
    /// Groups of words that keep the order of the form among themselves.
    pub ordered: Vec<Vec<Text>>,
    /// Its operands, optional ones included.
    pub operands: Vec<OperandPattern>,
    /// The selections of `operands` that may be written, most operands first; see [`crate::Match::variants`].
    pub(crate) variants: Vec<Vec<usize>>,
    /// Optional operands that are written exactly if a condition holds.
    pub(crate) presences: Vec<(usize, Condition)>,
    /// Registers that the text does not name: results first, then sources.
    pub implicit: Vec<Implicit>,
    /// What `when` narrows.
    pub(crate) whens: Vec<When>,
    /// What `not` excludes.
    pub(crate) exclusions: Vec<Exclusion>,
    /// What it needs, by condition.
    pub needs: Vec<Need>,
    /// Where it does not exist any more: at this version or a later one with this target or a later one.
    pub removed: Vec<Need>,
    /// The only mode of textures in which it exists.
    pub texmode: Option<TextureMode>,
    /// The semantic function, unless the form is pending.
    pub run: Option<Run>,
    /// Where it is not exact.
    pub(crate) fidelity: Vec<(Text, Option<Condition>)>,
    /// Whether it cannot be executed yet.
    pub pending: bool,
    /// Whether ptxas makes other instructions of it, which are stricter.
    pub expanded: bool,
}

impl Form {
    /// The bounds of what is not to the bit, whatever their conditions.
    pub fn approximations(&self) -> impl Iterator<Item = Text> {
        self.fidelity.iter().map(|(bound, _)| *bound)
    }
}

/// How a module declares textures and samplers: together, or apart (PTX ISA 9.4, 5.3 and 11.1.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextureMode {
    /// A texture has a sampler of its own; the mode of a module that names none.
    #[default]
    Unified,
    /// Samplers are variables, and an instruction names one beside the texture.
    Independent,
}

impl TextureMode {
    /// From `unified` and `independent`.
    pub fn parse(text: &str) -> Option<TextureMode> {
        match text {
            "unified" => Some(TextureMode::Unified),
            "independent" => Some(TextureMode::Independent),
            _ => None,
        }
    }
}

/// A place for one of several words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// With its dot: `.type`.
    pub name: Text,
    /// With their dots; `.a+.b` is a word of two modifiers.
    pub words: Vec<Text>,
    /// Whether it selects from an operand (`a{.asel}`) and is no modifier of the opcode.
    pub selector: bool,
}

/// An element of a flat list, or the beginning of elements that may be left out together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<T> {
    /// The elements up to this index are optional.
    Optional(usize),
    /// An element.
    One(T),
}

/// A modifier of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// Exactly this word.
    Word(Text),
    /// One of the words of `Form::slots`.
    Slot(usize),
}

/// How an operand is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `d`: a register, constant, name or vector, by its type.
    Plain,
    /// `[a]`
    Address,
    /// `[a, b]`
    AddressList,
    /// `d|p`
    Pair,
    /// `d{|p}`
    OptionalPair,
    /// `(a)`
    Parenthesised,
}

/// What may stand before a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sign {
    /// Nothing.
    #[default]
    None,
    /// `!`
    Not,
    /// `-`
    Minus,
}

/// An operand of a form.
#[derive(Clone, Debug)]
pub struct OperandPattern {
    /// How it is written.
    pub notation: Notation,
    /// Its named parts: two of a pair, several of a list in brackets, else one.
    pub parts: Vec<PartPattern>,
    /// Whether it may be left out.
    pub optional: bool,
}

/// A named part of an operand.
#[derive(Clone, Debug)]
pub struct PartPattern {
    /// Its name in the form.
    pub name: Text,
    /// Whether it is read or written.
    pub role: Role,
    /// What may stand before it.
    pub sign: Sign,
    /// The slot that selects from it (index in `Form::slots`), and whether that must be written.
    pub selector: Option<(usize, bool)>,
    /// Its type, by the modifiers.
    pub(crate) ty: TypeExpression,
    /// When it is written, in brackets; always without one.
    pub(crate) presence: Option<Condition>,
}

/// Whether an operand is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Read.
    Source,
    /// Written.
    Destination,
    /// Read, then written (implicit ones only).
    Both,
}

/// A register that the text does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Implicit {
    /// Such as `cc`.
    pub name: Text,
    /// Read, written or both.
    pub role: Role,
}

/// `when CONDITION: .slot = .w1 ...`
#[derive(Clone, Debug)]
pub(crate) struct When {
    pub condition: Condition,
    pub slot: Text,
    pub words: Vec<Text>,
    pub text: Text,
    pub place: Place,
}

/// `not FIRST with SECOND`, `not FIRST without SECOND`.
#[derive(Clone, Debug)]
pub(crate) struct Exclusion {
    pub first: Vec<Condition>,
    pub second: Vec<Condition>,
    pub without: bool,
    pub text: Text,
    pub place: Place,
}

/// `with NAMES if CONDITION`
#[derive(Clone, Debug)]
pub(crate) struct With {
    pub names: Vec<Text>,
    pub condition: Condition,
    pub place: Place,
}

/// A PTX version and targets that a form needs, always or under a condition.
#[derive(Clone, Debug)]
pub struct Need {
    /// What is needed.
    pub requirement: Requirement,
    /// When; always without one.
    pub condition: Option<Condition>,
    /// Only where one of these operands is written; empty for every program.
    pub operands: Vec<Text>,
    /// Where it stands.
    pub place: Place,
}

/// The semantic function of a form.
#[derive(Clone, Debug)]
pub struct Run {
    /// Such as `dot::dp2a`.
    pub function: Text,
    /// Settings beyond those of `words.isa`: a key with a slot or word (dotted) or a plain value.
    pub settings: Vec<(Text, Text)>,
    /// Where it stands.
    pub place: Place,
}

/// The keys of one form, or of a record for all its forms.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    pub slots: Vec<(Slot, Place)>,
    pub types: Vec<(Text, TypeExpression, Place)>,
    pub run: Option<Run>,
    pub needs: Vec<Need>,
    pub removed: Vec<Need>,
    pub texmode: Option<(TextureMode, Place)>,
    pub exclusions: Vec<Exclusion>,
    pub whens: Vec<When>,
    pub withs: Vec<With>,
    pub writes: Option<(Vec<Text>, Place)>,
    pub sinks: Option<(Vec<Text>, Place)>,
    pub elements: Option<(Vec<Text>, Place)>,
    pub leading: Option<(Vec<Text>, Place)>,
    pub ordered: Vec<(Vec<Text>, Place)>,
    pub implicit: Vec<Implicit>,
    pub fidelity: Vec<(Text, Option<Condition>, Place)>,
    pub pending: Option<Place>,
    pub expanded: Option<Place>,
}

impl Keys {
    /// Reads an entry; false if it is not a key of a form.
    pub fn read(&mut self, entry: &Entry, problems: &mut Problems) -> bool {
        if let Err(message) = match entry.key {
            slot if slot.starts_with('.') => self.read_slot(entry),
            "when" => self.read_when(entry),
            "not" => self.read_exclusion(entry),
            "types" => self.read_types(entry),
            "with" => self.read_with(entry),
            "sinks" => once(&mut self.sinks, (names(entry.value), entry.place), "sinks"),
            "elements" => once(&mut self.elements, (names(entry.value), entry.place), "elements"),
            "writes" => once(&mut self.writes, (names(entry.value), entry.place), "writes"),
            "leading" => once(&mut self.leading, (names(entry.value), entry.place), "leading"),
            "ordered" => {
                self.ordered.push((names(entry.value), entry.place));
                Ok(())
            }
            "implicit" => self.read_implicit(entry),
            "need" => need(entry.value, entry.place).map(|n| self.needs.push(n)),
            "removed" => need(entry.value, entry.place).map(|n| self.removed.push(n)),
            "texmode" => match TextureMode::parse(entry.value) {
                Some(mode) => once(&mut self.texmode, (mode, entry.place), "texmode"),
                None => Err("`texmode` is `unified` or `independent`".to_owned()),
            },
            "run" => self.read_run(entry),
            "fidelity" => self.read_fidelity(entry),
            "pending" if entry.value.is_empty() => once(&mut self.pending, entry.place, "pending"),
            "expanded" if entry.value.is_empty() => once(&mut self.expanded, entry.place, "expanded"),
            "pending" | "expanded" => Err(format!("`{}` takes no value", entry.key)),
            _ => return false,
        } {
            problems.push(entry.place, message);
        }
        if entry.value.is_empty() && !["pending", "expanded"].contains(&entry.key) {
            problems.push(entry.place, format!("`{}` has no value", entry.key));
        }
        if let Some(child) = entry.children.first() {
            problems.push(child.place, format!("nothing belongs below `{}`", entry.key));
        }
        true
    }

    /// Every slot, word (with a dot) and type that conditions, type expressions and settings name; for a word that must be in a
    /// slot, that slot.
    pub fn names(&self) -> Vec<(Text, Option<Text>, Place)> {
        let mut named = Vec::new();
        for (_, expression, place) in &self.types {
            expression.names(&mut |name, slot| named.push((name, slot, *place)));
        }
        for when in &self.whens {
            named.push((when.slot, None, when.place));
            named.extend(when.words.iter().map(|w| (*w, Some(when.slot), when.place)));
        }
        let needs = self.needs.iter().chain(&self.removed).filter_map(|n| Some((n.condition.as_ref()?, n.place)));
        let whens = self.whens.iter().map(|w| (&w.condition, w.place));
        let exclusions = self.exclusions.iter().flat_map(|e| e.first.iter().chain(&e.second).map(|c| (c, e.place)));
        let fidelity = self.fidelity.iter().filter_map(|f| Some((f.1.as_ref()?, f.2)));
        let withs = self.withs.iter().map(|w| (&w.condition, w.place));
        for (condition, place) in needs.chain(whens).chain(withs).chain(exclusions).chain(fidelity) {
            condition.names(&mut |name, slot| named.push((name, slot, place)));
        }
        for (words, place) in self.leading.iter().chain(&self.ordered) {
            named.extend(words.iter().map(|w| (*w, None, *place)));
        }
        if let Some(run) = &self.run {
            named.extend(run.settings.iter().filter(|s| s.1.starts_with('.')).map(|s| (s.1, None, run.place)));
        }
        named
    }

    fn read_slot(&mut self, entry: &Entry) -> Result<(), String> {
        let words = slot_words(entry.value)?;
        if self.slots.iter().any(|(s, _)| s.name == entry.key) {
            return Err(format!("the slot `{}` is defined twice", entry.key));
        }
        self.slots.push((Slot { name: entry.key, words, selector: false }, entry.place));
        Ok(())
    }

    fn read_when(&mut self, entry: &Entry) -> Result<(), String> {
        let (condition, rest) = entry.value.split_once(": ").ok_or("`when` reads `when CONDITION: .slot = .w1 .w2`")?;
        let (slot, words) = rest.trim().split_once(char::is_whitespace).ok_or("the words of `when` are missing")?;
        self.whens.push(When {
            condition: Condition::parse(condition)?,
            slot,
            words: slot_words(words.trim())?,
            text: entry.value,
            place: entry.place,
        });
        Ok(())
    }

    fn read_exclusion(&mut self, entry: &Entry) -> Result<(), String> {
        let mut cursor = Cursor::new(entry.value);
        let mut first = Vec::new();
        let mut second = Vec::new();
        let without = loop {
            if cursor.eat("with") {
                break false;
            }
            if cursor.eat("without") {
                break true;
            }
            first.push(cursor.atom().map_err(|_| "`not` reads `not WORDS with WORDS` or `not WORDS without WORDS`")?);
        };
        while cursor.peek().is_some() {
            second.push(cursor.atom()?);
        }
        if first.is_empty() || second.is_empty() {
            return Err("`not` needs words on both sides".into());
        }
        self.exclusions.push(Exclusion { first, second, without, text: entry.value, place: entry.place });
        Ok(())
    }

    fn read_types(&mut self, entry: &Entry) -> Result<(), String> {
        for (operands, text) in type_entries(entry.value)? {
            let expression = TypeExpression::parse(text).map_err(|e| format!("type of `{operands}`: {e}"))?;
            for name in operands.split(',') {
                if self.types.iter().any(|(n, ..)| *n == name) {
                    return Err(format!("the operand `{name}` gets a type twice"));
                }
                self.types.push((name, expression.clone(), entry.place));
            }
        }
        Ok(())
    }

    fn read_with(&mut self, entry: &Entry) -> Result<(), String> {
        let (operands, condition) = conditional(entry.value)?;
        let condition = condition.ok_or("`with` reads `with NAMES if CONDITION`")?;
        self.withs.push(With { names: names(operands), condition, place: entry.place });
        Ok(())
    }

    fn read_implicit(&mut self, entry: &Entry) -> Result<(), String> {
        for token in entry.value.split_whitespace() {
            let (name, role) = match token.split_once(':') {
                Some((name, "in")) => (name, Role::Source),
                Some((name, "out")) => (name, Role::Destination),
                Some((name, "inout")) => (name, Role::Both),
                _ => return Err(format!("`{token}` is not of the kind `cc:in`, `cc:out` or `cc:inout`")),
            };
            if self.implicit.iter().any(|i| i.name == name) {
                return Err(format!("the implicit register `{name}` is given twice"));
            }
            self.implicit.push(Implicit { name, role });
        }
        Ok(())
    }

    fn read_run(&mut self, entry: &Entry) -> Result<(), String> {
        let mut tokens = entry.value.split_whitespace();
        let function = tokens.next().ok_or("`run` names a function")?;
        let mut settings: Vec<(Text, Text)> = Vec::new();
        for token in tokens {
            let (key, value) = token.split_once('=').ok_or(format!("`{token}` is not of the kind `key=value`"))?;
            if key.is_empty() || value.is_empty() {
                return Err(format!("`{token}` is not of the kind `key=value`"));
            }
            if settings.iter().any(|s| s.0 == key) {
                return Err(format!("`{key}` is set twice"));
            }
            settings.push((key, value));
        }
        once(&mut self.run, Run { function, settings, place: entry.place }, "run")
    }

    fn read_fidelity(&mut self, entry: &Entry) -> Result<(), String> {
        let rest = entry.value.strip_prefix("approximate ").ok_or("`fidelity` reads `fidelity approximate BOUND`")?;
        let (bound, condition) = conditional(rest)?;
        self.fidelity.push((bound, condition, entry.place));
        Ok(())
    }
}

/// `ptx V TARGETS{ or ptx V TARGETS}{ with OPERANDS}{ if CONDITION}`, either of version and targets optional.
pub(crate) fn need(value: Text, place: Place) -> Result<Need, String> {
    let (text, condition) = conditional(value)?;
    let (text, operands) = text.split_once(" with ").map_or((text, Vec::new()), |(text, list)| (text, names(list)));
    Ok(Need { requirement: requirement(text)?, condition, operands, place })
}

fn requirement(text: Text) -> Result<Requirement, String> {
    let (text, alternative) = match text.split_once(" or ") {
        Some((text, other)) => (text, Some(Box::new(requirement(other)?))),
        None => (text, None),
    };
    let mut requirement = Requirement { version: Version(1, 0), targets: Vec::new(), alternative };
    let mut tokens = text.split_whitespace().peekable();
    if tokens.peek() == Some(&"ptx") {
        tokens.next();
        let version = tokens.next().ok_or("`ptx` without a version")?;
        requirement.version = Version::parse(version).ok_or(format!("`{version}` is not a version such as 8.6"))?;
    }
    for token in tokens {
        let target = Target::parse(token).filter(|t| t.introduced().is_some());
        requirement.targets.push(target.ok_or(format!("`{token}` is not a target such as sm_90a"))?);
    }
    Ok(requirement)
}

/// Splits `TEXT if CONDITION`.
fn conditional(text: Text) -> Result<(Text, Option<Condition>), String> {
    match text.split_once(" if ") {
        Some((head, condition)) => Ok((head.trim(), Some(Condition::parse(condition)?))),
        None => Ok((text, None)),
    }
}

fn once<T>(place: &mut Option<T>, value: T, key: &str) -> Result<(), String> {
    if place.is_some() {
        return Err(format!("`{key}` is given twice"));
    }
    *place = Some(value);
    Ok(())
}

fn names(value: Text) -> Vec<Text> {
    value.split([' ', ',']).filter(|n| !n.is_empty()).collect()
}

/// `= .w1 .w2 ...`
fn slot_words(value: Text) -> Result<Vec<Text>, String> {
    let list = value.strip_prefix('=').ok_or("a slot reads `.slot = .w1 .w2`")?;
    let words: Vec<Text> = list.split_whitespace().flat_map(pattern::spread).collect();
    for (i, word) in words.iter().enumerate() {
        if !word.split('+').all(|w| w.len() > 1 && w.starts_with('.') && !w[1..].contains('.')) {
            return Err(format!("`{word}` is not a word such as `.u32`, or `.a+.b` for two modifiers"));
        }
        if words[..i].contains(word) {
            return Err(format!("the word `{word}` stands twice in the slot"));
        }
    }
    if words.is_empty() { Err("a slot without words".into()) } else { Ok(words) }
}

/// Splits `a:T  b,c: U if .x else V` before every `NAMES:`.
fn type_entries(value: Text) -> Result<Vec<(Text, Text)>, String> {
    let begins = |word: &str| -> Option<usize> {
        let colon = word.find(':')?;
        let named = word[..colon].split(',').all(is_name);
        (named && !word[colon..].starts_with("::")).then_some(colon)
    };
    let mut starts = Vec::new();
    let mut at = 0;
    for word in value.split_inclusive(char::is_whitespace) {
        if let Some(colon) = begins(word) {
            starts.push((at, at + colon));
        }
        at += word.len();
    }
    if starts.first().is_none_or(|s| s.0 != 0) {
        return Err("`types` reads `types a:TYPE  b,c:TYPE`".into());
    }
    let ends = starts.iter().skip(1).map(|s| s.0).chain([value.len()]);
    Ok(starts.iter().zip(ends).map(|(&(start, colon), end)| (&value[start..colon], value[colon + 1..end].trim())).collect())
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A form's line taken apart, names not looked up.
pub(crate) struct Spelling {
    pub base: Text,
    /// Names with their dots: slots or words.
    pub pattern: Vec<Step<Text>>,
    pub operands: Vec<WrittenOperand>,
    pub variants: Vec<Vec<usize>>,
}

pub(crate) struct WrittenOperand {
    pub notation: Notation,
    pub optional: bool,
    pub parts: Vec<WrittenPart>,
    /// Which of the parts in brackets are optional.
    pub optional_parts: Vec<bool>,
}

/// Takes a form's line apart.
pub(crate) fn spelling(text: Text) -> Result<Spelling, String> {
    let (opcode, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let base_end = opcode.find(['.', '{']).unwrap_or(opcode.len());
    let base = &opcode[..base_end];
    if !is_name(base) {
        return Err(format!("`{base}` is not an opcode"));
    }
    let pattern = pattern(&opcode[base_end..])?;
    let (operands, steps) = operand_patterns(operands.trim())?;
    let mut variants = Vec::new();
    select(&steps, 0, &mut Vec::new(), &mut variants);
    Ok(Spelling { base, pattern, operands, variants })
}

/// `.a{.b.c}...`
fn pattern(text: Text) -> Result<Vec<Step<Text>>, String> {
    let mut steps = Vec::new();
    let mut open = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = match c {
            '{' => {
                open.push(steps.len());
                steps.push(Step::Optional(0));
                1
            }
            '}' => {
                let start = open.pop().ok_or("`}` without `{`")?;
                steps[start] = Step::Optional(steps.len());
                1
            }
            '.' => {
                let end = rest[1..].find(['.', '{', '}']).map_or(rest.len(), |i| i + 1);
                let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b':';
                if end == 1 || !rest[1..end].bytes().all(good) {
                    return Err(format!("`{}` is not a modifier", &rest[..end]));
                }
                steps.push(Step::One(&rest[..end]));
                end
            }
            _ => return Err(format!("`{c}` is not expected among the modifiers")),
        };
        rest = &rest[end..];
    }
    if open.is_empty() { Ok(steps) } else { Err("`}` is missing".into()) }
}

/// `d, [a]{, {!}c}`: the operands, and which of them are optional together.
fn operand_patterns(text: Text) -> Result<(Vec<WrittenOperand>, Vec<Step<usize>>), String> {
    let mut operands: Vec<WrittenOperand> = Vec::new();
    let mut steps = Vec::new();
    let mut open = Vec::new();
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start_matches([' ', ',']);
        if rest[..rest.len() - trimmed.len()].matches(',').count() > 1 {
            return Err(format!("an operand is missing before `{trimmed}`"));
        }
        rest = trimmed;
        let signed = rest.starts_with("{!}") || rest.starts_with("{-}");
        match rest.chars().next() {
            None => break,
            Some('{') if !signed => {
                open.push(steps.len());
                steps.push(Step::Optional(0));
                rest = &rest[1..];
            }
            Some('}') => {
                let start = open.pop().ok_or("`}` without `{` among the operands")?;
                steps[start] = Step::Optional(steps.len());
                rest = &rest[1..];
            }
            Some(_) => {
                let (operand, length) = operand(rest, !open.is_empty())?;
                rest = &rest[length..];
                if !(rest.is_empty() || rest.starts_with([',', '{', '}'])) {
                    return Err(format!("a comma is missing before `{rest}`"));
                }
                steps.push(Step::One(operands.len()));
                operands.push(operand);
            }
        }
    }
    if steps.iter().filter(|s| matches!(s, Step::Optional(_))).count() > 8 {
        return Err("more than 8 groups of optional operands".into());
    }
    if open.is_empty() { Ok((operands, steps)) } else { Err("`}` is missing among the operands".into()) }
}

/// One operand at the start of `text`, and its length.
fn operand(text: Text, optional: bool) -> Result<(WrittenOperand, usize), String> {
    let mut optional_parts = Vec::new();
    let mut bracketed = |close: char| {
        let end = text.find(close).ok_or(format!("`{close}` is missing"))?;
        let mut depth = 0;
        let mut list = Vec::new();
        for piece in text[1..end].split(',') {
            let name = piece.trim_matches([' ', '{', '}']);
            optional_parts.push(depth > 0);
            depth += piece.matches('{').count() as i32 - piece.matches('}').count() as i32;
            if !is_name(name) {
                return Err(format!("`{piece}` is not the name of an operand"));
            }
            list.push((name, Sign::None, None));
        }
        if depth == 0 { Ok((list, end + 1)) } else { Err("`{` and `}` do not match in the brackets".to_owned()) }
    };
    let (notation, parts, length) = match text.as_bytes()[0] {
        b'[' => {
            let (parts, length) = bracketed(']')?;
            (if parts.len() == 1 { Notation::Address } else { Notation::AddressList }, parts, length)
        }
        b'(' => {
            let (parts, length) = bracketed(')')?;
            (Notation::Parenthesised, parts, length)
        }
        _ => {
            let (first, mut length) = part(text)?;
            let rest = &text[length..];
            let (notation, skip) = match rest.as_bytes() {
                [b'|', ..] => (Notation::Pair, 1),
                [b'{', b'|', ..] => (Notation::OptionalPair, 2),
                _ => (Notation::Plain, 0),
            };
            let mut parts = vec![first];
            if skip > 0 {
                let (second, more) = part(&rest[skip..])?;
                parts.push(second);
                length += skip + more;
            }
            if notation == Notation::OptionalPair {
                if !text[length..].starts_with('}') {
                    return Err("`}` is missing after an optional second part".into());
                }
                length += 1;
            }
            (notation, parts, length)
        }
    };
    Ok((WrittenOperand { notation, optional, parts, optional_parts }, length))
}

/// Name, sign, selecting slot and whether that is mandatory.
type WrittenPart = (Text, Sign, Option<(Text, bool)>);

/// `{!}name`, `{-}name`, `name{.slot}`, `name.slot` at the start of `text`, and its length.
fn part(text: Text) -> Result<(WrittenPart, usize), String> {
    let (sign, start) = match text.get(..3) {
        Some("{!}") => (Sign::Not, 3),
        Some("{-}") => (Sign::Minus, 3),
        _ => (Sign::None, 0),
    };
    let word = |at: usize| {
        let good = |c: char| c.is_ascii_alphanumeric() || c == '_';
        text[at..].find(|c| !good(c)).map_or(text.len(), |i| at + i)
    };
    let end = word(start);
    let name = &text[start..end];
    if !is_name(name) {
        return Err(format!("`{}` does not begin with an operand", &text[start..]));
    }
    if text[end..].starts_with("{.") {
        let close = word(end + 2);
        if !text[close..].starts_with('}') {
            return Err("`}` is missing after a selector".into());
        }
        return Ok(((name, sign, Some((&text[end + 1..close], false))), close + 1));
    }
    if text[end..].starts_with('.') {
        let close = word(end + 1);
        return Ok(((name, sign, Some((&text[end..close], true))), close));
    }
    Ok(((name, sign, None), end))
}

/// All choices of optional elements from `at` on, those with more elements first.
fn select(steps: &[Step<usize>], at: usize, chosen: &mut Vec<usize>, variants: &mut Vec<Vec<usize>>) {
    match steps.get(at) {
        None => variants.push(chosen.clone()),
        Some(Step::One(operand)) => {
            chosen.push(*operand);
            select(steps, at + 1, chosen, variants);
            chosen.pop();
        }
        Some(Step::Optional(end)) => {
            select(steps, at + 1, chosen, variants);
            select(steps, *end, chosen, variants);
        }
    }
}
