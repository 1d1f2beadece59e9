//! The immediates that AMD's assembly writes as words: text to value and value to text, on each target.
//!
//! `isa/amdgpu/words.isa` says what the numbers are called and which of their bits mean what; here are the mechanisms: how such
//! a record is read from a statement and printed. [`Immediates`] is what one target makes of the records, and a [`Form`] one
//! operand or modifier. Registers, flags that are a single word (`glc` apart, which is part of the cache policy), and which
//! immediates an instruction has are not known here. The syntax is that of LLVM's "User Guide for AMDGPU Backend" and of
//! llvm-mc 22, against which `cargo xtask oracle immediates` holds both directions.

pub mod cursor;
pub(crate) mod digits;
mod fields;
mod format;
mod message;
mod names;
mod number;
mod parts;
mod policy;
mod register;
mod swizzle;

use diagnostics::Span;
use isa::amdgpu::Target;
use isa::amdgpu::words::{Immediate, Shape, Words};

use cursor::Cursor;
use names::Choices;
use parts::Parts;

/// What is wrong with the text of an immediate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, in bytes of the cursor's text.
    pub span: Span,
    /// What is wrong and what would be right.
    pub message: String,
}

/// The immediates of one target.
#[derive(Clone, Debug)]
pub struct Immediates {
    forms: Vec<Form>,
    symbols: Vec<(&'static str, u32)>,
}

/// How one operand or modifier is written on a target.
#[derive(Clone, Debug)]
pub struct Form {
    record: &'static Immediate,
    kind: Kind,
    /// A number that is read as another.
    read_as: Option<(u32, u32)>,
}

#[derive(Clone, Debug)]
enum Kind {
    Number,
    Choice(Choices),
    Words(Choices),
    List(u32),
    Counters(Parts),
    Choices(Parts),
    Message(message::Message),
    Register(register::Register),
    Flags(Parts),
    Symbols(Parts),
    Swizzle(swizzle::Swizzle),
    Format(format::Format),
    Policy(policy::Policy),
    Attribute(Parts),
}

impl Immediates {
    /// The immediates of the target of that name.
    ///
    /// # Errors
    ///
    /// The target is unknown, or a record lacks a field that its mechanism needs: a message for whoever edits the records.
    pub fn new(words: &'static Words, target: &str) -> Result<Immediates, String> {
        let target = words.target(target).ok_or_else(|| format!("there is no target `{target}`"))?;
        let forms = words.immediates.iter().map(|record| Form::new(record, words, target)).collect::<Result<Vec<_>, _>>()?;
        let symbols = forms.iter().filter_map(Form::symbols).flatten().collect();
        Ok(Immediates { forms, symbols })
    }

    /// The immediate of that name in the records.
    pub fn form(&self, name: &str) -> Option<&Form> {
        self.forms.iter().find(|form| form.record.name == name)
    }

    /// All immediates.
    pub fn forms(&self) -> &[Form] {
        &self.forms
    }

    /// The symbols that the assembler knows from the start, with their values.
    pub fn symbols(&self) -> &[(&'static str, u32)] {
        &self.symbols
    }
}

impl Form {
    /// The parts of a number that is written part by part: names and values.
    pub fn parts_of(&self, value: u32) -> Vec<(&'static str, u32)> {
        match &self.kind {
            Kind::Counters(parts) | Kind::Choices(parts) | Kind::Flags(parts) => {
                parts.here().map(|p| (p.name, p.get(value))).collect()
            }
            _ => Vec::new(),
        }
    }

    fn new(record: &'static Immediate, words: &'static Words, target: Target) -> Result<Form, String> {
        let builder = Builder { record, words, target };
        let kind = match record.shape {
            Shape::Number => Kind::Number,
            Shape::Choice => Kind::Choice(builder.choices("")?),
            Shape::Words => Kind::Words(builder.choices("")?),
            Shape::List(most) => Kind::List(most),
            Shape::Counters => Kind::Counters(builder.parts("")?),
            Shape::Choices => Kind::Choices(builder.parts("")?),
            Shape::Message => Kind::Message(message::Message::new(&builder)?),
            Shape::Register => Kind::Register(register::Register::new(&builder)?),
            Shape::Flags => Kind::Flags(builder.parts("")?),
            Shape::Symbols => Kind::Symbols(builder.parts("")?),
            Shape::Swizzle => Kind::Swizzle(swizzle::Swizzle::new(&builder)?),
            Shape::Format => Kind::Format(format::Format::new(&builder)?),
            Shape::Policy => Kind::Policy(policy::Policy::new(&builder)?),
            Shape::Attribute => Kind::Attribute(builder.parts_with("", &["number", "channel"])?),
        };
        let read_as = record.reads.filter(|r| r.2.has(target)).map(|r| (r.0, r.1));
        Ok(Form { record, kind, read_as })
    }

    /// Its name in the records.
    pub fn name(&self) -> &'static str {
        self.record.name
    }

    /// What it is, one line.
    pub fn title(&self) -> &'static str {
        self.record.title
    }

    /// Whether it is read as the literals of other instructions are: `lit(1)`, and of a real number the bits that it has in double precision.
    pub(crate) fn takes_literals(&self) -> bool {
        self.record.allow.contains(&"literal")
    }

    /// The word before its colon; empty for an operand, and for what brings its own words.
    pub fn prefix(&self) -> &'static str {
        self.record.prefix
    }

    /// How it is written, in short: `offset:..`, `row_shl:.. quad_perm:..`, `glc slc`.
    pub fn syntax(&self) -> String {
        match &self.kind {
            Kind::Policy(policy) => policy.words().collect::<Vec<_>>().join(" "),
            Kind::Words(choices) => {
                let mut words: Vec<&str> = choices.list().iter().map(|n| n.spelling.stem()).collect();
                words.sort_unstable();
                words.dedup();
                words.join(" ")
            }
            _ if self.record.prefix.is_empty() => self.record.name.to_owned(),
            _ => format!("{}:..", self.record.prefix),
        }
    }

    /// The value for which nothing is printed.
    pub(crate) fn hidden_value(&self) -> Option<u32> {
        match &self.kind {
            Kind::Format(_) => Some(format::DEFAULT),
            Kind::Policy(_) | Kind::Swizzle(_) | Kind::List(_) => Some(0),
            _ => self.record.hidden,
        }
    }

    /// Whether nothing is printed for a value.
    pub fn hidden(&self, value: u32) -> bool {
        match &self.kind {
            Kind::Policy(policy) => policy.hidden(value),
            _ => self.hidden_value() == Some(value & self.mask()),
        }
    }

    /// Prints a value with its prefix; nothing if it is [hidden](Form::hidden). False if the text does not say all that the value
    /// says: it would be read as another value, or not at all.
    pub fn print(&self, value: u32, out: &mut String) -> bool {
        if self.hidden(value) {
            return self.hidden_value() == Some(value);
        }
        match &self.kind {
            Kind::Number => self.print_number(value, out),
            Kind::Choice(choices) => self.print_choice(choices, value, out),
            Kind::Words(choices) => choices.print(value, out),
            Kind::List(most) => self.print_list(value, *most, out) && number::readable(self.record, value),
            Kind::Counters(parts) => fields::print_counters(self.record, parts, value, out),
            Kind::Choices(parts) => fields::print_choices(parts, value, out),
            Kind::Message(message) => message.print(self.record, value, out),
            Kind::Register(register) => register.print(self.record, value, out),
            Kind::Flags(parts) => fields::print_flags(self.record, parts, value, out),
            Kind::Symbols(parts) => fields::print_symbols(self.record, parts, value, out),
            Kind::Swizzle(swizzle) => swizzle.print(self.record, value, out),
            Kind::Format(format) => format.print(self.record, value, out),
            Kind::Policy(policy) => policy.print(value, out),
            Kind::Attribute(parts) => fields::print_attribute(self.record, parts, value, out),
        }
    }

    /// Reads a value, with its prefix. Nothing if something else stands here.
    ///
    /// # Errors
    ///
    /// It begins as this immediate does and goes on wrongly.
    pub fn parse(&self, cursor: &mut Cursor) -> Result<Option<u32>, Problem> {
        match &self.kind {
            Kind::Number => self.parse_number(cursor),
            Kind::Choice(choices) => self.parse_choice(choices, cursor),
            Kind::Words(choices) => choices.parse(cursor),
            Kind::List(most) => self.parse_list(*most, cursor),
            Kind::Counters(parts) => self.parse_counters(parts, cursor).map(Some),
            Kind::Choices(parts) => self.parse_choices(parts, cursor).map(Some),
            Kind::Message(message) => self.parse_message(message, cursor).map(Some),
            Kind::Register(register) => self.parse_register(register, cursor).map(Some),
            Kind::Flags(parts) => self.parse_flags(parts, cursor).map(Some),
            Kind::Symbols(_) => self.plain(cursor).map(Some),
            Kind::Swizzle(swizzle) => self.parse_swizzle(swizzle, cursor),
            Kind::Format(format) => self.parse_format(format, cursor),
            Kind::Policy(policy) => policy.parse(cursor),
            Kind::Attribute(parts) => self.parse_attribute(parts, cursor),
        }
    }

    /// The bits of a value that count.
    fn mask(&self) -> u32 {
        number::ones(self.record.bits)
    }

    /// The symbols that it brings.
    fn symbols(&self) -> Option<Vec<(&'static str, u32)>> {
        let Kind::Symbols(parts) = &self.kind else { return None };
        Some(fields::symbols(parts))
    }
}

/// What a mechanism is built from.
struct Builder {
    record: &'static Immediate,
    words: &'static Words,
    target: Target,
}

impl Builder {
    fn part(&self, key: &str) -> Result<&'static str, String> {
        let found = self.record.parts.iter().find(|(k, _)| *k == key);
        found.map(|(_, name)| *name).ok_or_else(|| format!("the shape of `{}` lacks `{key}`", self.record.name))
    }

    fn choices(&self, key: &str) -> Result<Choices, String> {
        self.choices_named(self.part(key)?)
    }

    fn choices_named(&self, name: &str) -> Result<Choices, String> {
        let names = self.words.names(name).ok_or_else(|| format!("`{}` wants names called `{name}`", self.record.name))?;
        Ok(Choices::new(names, self.target))
    }

    fn parts(&self, key: &str) -> Result<Parts, String> {
        let name = self.part(key)?;
        let fields = self.words.fields(name).ok_or_else(|| format!("`{}` wants fields called `{name}`", self.record.name))?;
        Ok(Parts::new(fields, self.words, self.target))
    }

    /// Fields of which these must be there.
    fn parts_with(&self, key: &str, names: &[&str]) -> Result<Parts, String> {
        let parts = self.parts(key)?;
        match names.iter().find(|name| parts.named(name).is_none()) {
            Some(name) => Err(format!("`{}` needs a field `{name}`", self.record.name)),
            None => Ok(parts),
        }
    }
}
