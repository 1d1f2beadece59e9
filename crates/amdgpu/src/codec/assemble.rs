//! From the text of one instruction to its bits.
//!
//! All forms of a mnemonic are tried in the order of LLVM's variants, then of the records; the first that takes the whole text wins.
//! What is said of a text that none takes is what the form says that came furthest.

use std::sync::Arc;

use diagnostics::Span;
use isa::amdgpu::{Class, Number, Type, Variant};

use super::Codec;
use super::decode::Decoded;
use super::entry::{Entry, Id, Modifier, ModifierKind, Slot, SlotKind};
use super::operand::{Value, Written};
use super::register::{ACCUMULATION, LITERAL, LITERAL64, Meaning, VECTOR};
use crate::immediate::Problem;
use crate::immediate::cursor::{Cursor, Symbols, real};

/// The bits of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assembled {
    /// Without the literal.
    pub word: u128,
    /// Bytes of the word.
    pub size: u8,
    /// The literal and its bytes.
    pub literal: Option<(u64, u8)>,
    /// Which of the codec's entries it is, and the second half of a pair.
    pub(super) form: Id,
    pub(super) second: Option<Id>,
}

impl Assembled {
    /// The bytes and how many of them count.
    pub fn bytes(&self) -> ([u8; 24], usize) {
        let mut bytes = [0; 24];
        let size = usize::from(self.size);
        bytes[..16].copy_from_slice(&self.word.to_le_bytes());
        bytes[size..].fill(0);
        let mut length = size;
        if let Some((value, count)) = self.literal {
            let count = usize::from(count);
            bytes[size..size + count].copy_from_slice(&value.to_le_bytes()[..count]);
            length += count;
        }
        (bytes, length)
    }
}

/// One attempt: a form that is being filled.
pub(super) struct Attempt<'c> {
    pub(super) codec: &'c Codec,
    pub(super) entry: &'c Entry,
    pub(super) word: u128,
    /// Bytes of the word.
    pub(super) size: u8,
    pub(super) literal: Option<(u64, u8)>,
    /// Different scalar registers that were read through the constant bus: number and words.
    scalars: [(u16, u16); 4],
    pub(super) scalar_count: usize,
    /// Where the operand that is being read stands, and where the literal.
    at: Span,
    literal_at: Span,
    /// Where the operands of this half stand.
    pub(super) places: [Span; 4],
    /// Where scalar registers and literals that count are read, in the order of the text.
    reads: [Span; 4],
    read_count: usize,
    /// Whether M0 is an operand.
    m0: bool,
    /// Whether operands of 32 bits and less, and of 64, take the literal.
    literal_sizes: [bool; 2],
    accumulates: Option<bool>,
    /// Modifiers that were said, by index.
    pub(super) seen: u64,
    /// Sources (3 is the destination) whose halves are written, and which of them are high ones.
    halves: (u8, u8),
    /// Whether vector registers of 16 bits are written with halves.
    split: Option<bool>,
    /// The second half of a pair.
    pub(super) second: Option<&'c Entry>,
    /// All forms of the mnemonic: LLVM reads an operand in the same way for all.
    rivals: &'c [Arc<Entry>],
    /// Whether what is wrong is put in words.
    is_told: bool,
    /// Whether everything is right but how many scalar values are read together.
    is_whole: bool,
}

impl Codec {
    /// Assembles one instruction. `symbols` knows the values of names.
    ///
    /// # Errors
    ///
    /// The text is none; the span counts from the start of `operands`, or is empty where the mnemonic is wrong.
    pub fn assemble(&self, mnemonic: &str, operands: &str, symbols: Symbols) -> Result<Assembled, Problem> {
        let own =
            |name: &str| symbols(name).or_else(|| self.immediates.symbols().iter().find(|s| s.0 == name).map(|s| s.1.into()));
        let symbols: Symbols = &own;
        if operands.contains("::") {
            return self.assemble_pair(&mnemonic.to_ascii_lowercase(), operands, symbols);
        }
        let (name, asked, list) = self.split(mnemonic);
        let Some(list) = list else {
            // Of the mnemonic alone the case of letters means nothing.
            if mnemonic.bytes().any(|b| b.is_ascii_uppercase()) {
                return self.assemble(&mnemonic.to_ascii_lowercase(), operands, symbols);
            }
            return Err(Problem { span: Span::default(), message: self.unknown(name) });
        };
        self.first_that_takes(list, asked, operands, symbols).map_err(|furthest| {
            let message = || match list.iter().all(|entry| entry.half.is_some()) {
                true => format!("`{name}` is half of a pair, which is written `{name} .. :: v_dual_.. ..`"),
                false => format!("`{name}` has no such encoding on this target"),
            };
            furthest.map_or_else(|| Problem { span: Span::default(), message: message() }, |(_, problem)| problem)
        })
    }

    /// What decoding makes of it.
    pub fn decoded(&self, assembled: &Assembled) -> Option<Decoded<'_>> {
        let entry = self.by_id(assembled.form)?;
        let second = assembled.second.and_then(|second| self.by_id(second));
        let (literal, more) = assembled.literal.map_or((None, 0), |(value, bytes)| (Some(value), bytes));
        Some(Decoded { entry, word: assembled.word, literal, size: assembled.size + more, second, banks: 0 })
    }

    /// Tries forms in turn. Where none takes the text: the form that came furthest, and what it says.
    pub(super) fn first_that_takes<'c>(
        &'c self,
        list: &'c [Arc<Entry>],
        asked: Option<Variant>,
        operands: &str,
        symbols: Symbols,
    ) -> Result<Assembled, Option<(&'c Entry, Problem)>> {
        // The form that reads too many scalar values is right otherwise. Of forms that came equally far, the one whose words are written: `offen` asks for the one
        // with an offset.
        let reached = |entry: &Entry, (problem, is_whole): &(Problem, bool)| {
            let mut words = entry.modifiers.iter().filter(|m| m.kind == ModifierKind::Word);
            let at = if *is_whole && problem.span.end > 0 { u32::MAX } else { problem.span.start };
            (at, words.all(|m| operands.contains(m.name)))
        };
        let forms = || list.iter().filter(|entry| asked.is_none_or(|a| a == entry.variant()) && entry.half.is_none());
        // The result of a short comparison may be left out.
        let is_idle = |entry: &Entry| {
            entry.encoding.name.starts_with("vopc") && entry.operands.first().is_some_and(|s| s.operand.name == "vcc")
        };
        let tried = |entry: &Entry, is_told: bool| match self.attempt(entry, list, (0, is_told), operands, symbols) {
            Err(problem) if is_idle(entry) => self.attempt(entry, list, (1, false), operands, symbols).map_err(|_| problem),
            tried => tried,
        };
        // Most texts are right: only where no form takes one, what is wrong is put in words.
        if list.len() > 1
            && let Some(assembled) = forms().find_map(|entry| tried(entry, false).ok())
        {
            return Ok(assembled);
        }
        let mut furthest: Option<(&Entry, (Problem, bool))> = None;
        for entry in forms() {
            match tried(entry, true) {
                Ok(assembled) => return Ok(assembled),
                Err(problem) if furthest.as_ref().is_none_or(|(form, best)| reached(entry, &problem) > reached(form, best)) => {
                    furthest = Some((entry, problem));
                }
                Err(_) => {}
            }
        }
        Err(furthest.map(|(form, (problem, _))| (form, problem)))
    }

    /// Fills one form, without the first operands; says what is wrong only if that is to be told, and whether it is only that too
    /// many scalar values are read.
    fn attempt(
        &self,
        entry: &Entry,
        list: &[Arc<Entry>],
        (skip, is_told): (usize, bool),
        operands: &str,
        symbols: Symbols,
    ) -> Result<Assembled, (Problem, bool)> {
        let mut attempt = Attempt { is_told, ..Attempt::new(self, entry, list) };
        match attempt.run(skip, &mut Cursor::new(operands, symbols)) {
            Ok(()) => Ok(attempt.done()),
            Err(problem) => Err((problem, attempt.is_whole)),
        }
    }

    /// The name without the suffix that asks for a variant, and its entries.
    pub(super) fn split<'t>(&self, mnemonic: &'t str) -> (&'t str, Option<Variant>, Option<&[Arc<Entry>]>) {
        const SUFFIXES: [(&str, Variant); 5] = [
            ("_e64_dpp", Variant::Vop3Dpp),
            ("_e64", Variant::Vop3),
            ("_e32", Variant::Default),
            ("_dpp", Variant::Dpp),
            ("_sdwa", Variant::Sdwa),
        ];
        if !matches!(
            mnemonic.as_bytes(),
            [.., b'_', b'e', _, _] | [.., b'_', b'd', b'p', b'p'] | [.., b'_', b's', b'd', b'w', b'a']
        ) {
            return (mnemonic, None, self.named(mnemonic));
        }
        let bare = |(suffix, variant)| Some((mnemonic.strip_suffix(suffix)?, variant));
        for (name, variant) in SUFFIXES.into_iter().filter_map(bare) {
            if let Some(list) = self.named(name) {
                return (name, Some(variant), Some(list));
            }
        }
        // Names of one source, but for those of halves of registers, are known with these endings too, so that another may stand behind them.
        let ends_twice = |form: &Arc<Entry>| form.encoding.name == "vop1" && !form.operands.iter().any(|slot| slot.half);
        for (name, variant) in SUFFIXES.into_iter().filter_map(bare) {
            let name = name.strip_suffix("_e32").or_else(|| name.strip_suffix("_e64")).unwrap_or(name);
            if let Some(list) = self.named(name).filter(|list| list.iter().any(ends_twice)) {
                return (name, Some(variant), Some(list));
            }
        }
        (mnemonic, None, self.named(mnemonic))
    }

    fn unknown(&self, name: &str) -> String {
        // The codec may know no more than what its target has.
        let all = isa::amdgpu::Table::get().unwrap_or(self.table);
        let elsewhere = all.instructions.iter().find(|i| i.name == name);
        if let Some(instruction) = elsewhere {
            let all = instruction.forms.iter().fold(isa::amdgpu::Targets::NONE, |all, f| all.or(f.targets()));
            let names: Vec<&str> = all.iter().map(|t| self.table.targets[usize::from(t.0)]).collect();
            let here = self.table.targets[usize::from(self.target.0)];
            return format!("`{name}` does not exist on {here}; it does on {}", names.join(", "));
        }
        let near = isa::Table::nearest(name, self.records.names());
        match near.first() {
            Some(near) => format!("there is no instruction `{name}`; did you mean `{near}`?"),
            None => format!("there is no instruction `{name}`"),
        }
    }
}

impl<'c> Attempt<'c> {
    pub(super) fn new(codec: &'c Codec, entry: &'c Entry, rivals: &'c [Arc<Entry>]) -> Attempt<'c> {
        Attempt {
            codec,
            entry,
            word: entry.start,
            size: entry.size,
            literal: None,
            scalars: [(0, 0); 4],
            scalar_count: 0,
            at: Span::default(),
            literal_at: Span::default(),
            places: [Span::default(); 4],
            reads: [Span::default(); 4],
            read_count: 0,
            m0: false,
            literal_sizes: [false; 2],
            accumulates: None,
            halves: (0, 0),
            split: None,
            seen: 0,
            second: None,
            rivals,
            is_told: true,
            is_whole: false,
        }
    }

    pub(super) fn done(&self) -> Assembled {
        let second = self.second.map(|entry| entry.id);
        Assembled { word: self.word, size: self.size, literal: self.literal, form: self.entry.id, second }
    }
}

impl Attempt<'_> {
    fn run(&mut self, skip: usize, cursor: &mut Cursor) -> Result<(), Problem> {
        let entry = self.entry;
        if let Some(places) = &entry.image {
            return self.image(places, cursor);
        }
        for (index, slot) in entry.operands.iter().enumerate().skip(skip) {
            if index > skip && entry.operands[index - 1].operand.ty.name != "exp_tgt" {
                let unsaid = match slot.operand.ty.name {
                    "endpgm" => cursor.at_end(),
                    "smem_offset" => {
                        index + 1 == entry.operands.len()
                            && !cursor.rest().starts_with(|c: char| ",-(".contains(c) || c.is_ascii_digit())
                    }
                    _ => false,
                };
                if unsaid {
                    break;
                }
                // LLVM wants no commas.
                cursor.take(',');
            }
            if slot.operand.name == "soffset" {
                self.early_format(cursor)?;
            }
            self.operand(slot, index - skip, cursor)?;
        }
        self.modifiers(cursor)?;
        self.limits()
    }

    /// The format of a typed buffer, which in numbers stands before the offset.
    fn early_format(&mut self, cursor: &mut Cursor) -> Result<(), Problem> {
        let is_format = |modifier: &Modifier| match modifier.kind {
            ModifierKind::Immediate(form) if modifier.name.starts_with("format") => Some(form),
            _ => None,
        };
        let found = self.entry.modifiers.iter().enumerate().find_map(|(index, m)| Some((index, m.bits, is_format(m)?)));
        let Some((index, bits, form)) = found else { return Ok(()) };
        let Some(form) = self.codec.immediates.forms().get(usize::from(form)) else { return Ok(()) };
        if let Some(value) = form.parse_legacy_format(cursor)? {
            self.word = bits.set(self.word, value.into());
            self.seen |= 1 << index;
            cursor.take(',');
        }
        Ok(())
    }

    /// A message, if it will be read.
    fn told(&self, message: impl FnOnce() -> String) -> String {
        if self.is_told { message() } else { String::new() }
    }

    /// Whether some form of the mnemonic takes signs of real numbers at a place of the text.
    fn is_real_at(&self, place: usize) -> bool {
        self.rivals.iter().filter_map(|form| form.operands.get(place)).any(|slot| slot.operand.float_modifiers)
    }

    /// Whether some form of the mnemonic extends signs at a place of the text.
    fn is_extended_at(&self, place: usize) -> bool {
        let mut forms = self.rivals.iter().filter_map(|form| form.operands.get(place));
        let takes = |slot: &Slot| slot.operand.integer_modifiers && slot.operand.class.has(Class::CONSTANT);
        forms.any(takes)
    }

    pub(super) fn operand(&mut self, slot: &Slot, place: usize, cursor: &mut Cursor) -> Result<(), Problem> {
        match slot.kind {
            SlotKind::Text => return self.text(slot.operand.name, cursor),
            SlotKind::Immediate => return self.immediate(slot, cursor),
            SlotKind::Constant | SlotKind::Export | SlotKind::Register => {}
        }
        let start = cursor.position();
        if let Some((number, words, length)) = self.codec.registers.plain(cursor.rest()) {
            cursor.advance(length);
            let span = Span::new(start as u32, (start + length) as u32);
            self.stands(place, span);
            let written = Written::plain(Value::Register { number, words, half: None }, span);
            return match slot.kind {
                SlotKind::Constant => Err(Problem { span, message: "a number is wanted here".into() }),
                _ => self.place(slot, &written).map_err(|message| Problem { span, message }),
            };
        }
        // Where another form has no operand any more, such words are read as modifiers.
        let is_modifier = |targets: isa::amdgpu::Targets| {
            targets.has(self.codec.target) && self.rivals.iter().any(|form| form.operands.len() <= place)
        };
        let mut reserved = self.entry.encoding.reserved.iter().filter(|r| is_modifier(r.1));
        if let Some((word, _)) = reserved.find(|r| cursor.identifier() == Some(r.0)) {
            return cursor.problem(format!("`{word}` is a modifier's name here, and no operand; the register is `src_{word}`"));
        }
        let signed = matches!(cursor.byte(), Some(b'-' | b'|' | b'n' | b'a' | b'l'));
        let is_real = signed && (slot.operand.float_modifiers || self.is_real_at(place));
        let mut written = self.codec.written(is_real, cursor)?;
        self.stands(place, cursor.span_from(start));
        let wrong = |message: String| Err(Problem { span: cursor.span_from(start), message });
        if is_real && written.wide && !self.codec.features.literal64 {
            return wrong("there are no literals of 64 bits on this target".into());
        }
        // Where the encoding has no place for them, the signs of a number are made its own.
        if slot.operand.class.has(Class::LITERAL) {
            if is_real && (written.neg || written.abs) && !slot.operand.float_modifiers {
                written.take_signs(slot.operand.ty);
            }
            let number = matches!(written.value, Value::Integer(_) | Value::Real(_));
            written.sext &= slot.operand.integer_modifiers || !number || !self.is_extended_at(place);
        }
        if slot.kind != SlotKind::Register && (written.neg || written.abs || written.sext) {
            return wrong("no sign and no absolute value can be taken here".into());
        }
        if slot.kind == SlotKind::Constant {
            return match constant(written, slot.operand.ty) {
                Some(value) if slot.bits.is_empty() => match self.share((value, 4)) {
                    Ok(()) => Ok(()),
                    Err(message) => wrong(message),
                },
                Some(value) => {
                    self.is_read();
                    self.word = slot.bits.set(self.word, value);
                    Ok(())
                }
                None => wrong("a number is wanted here".into()),
            };
        }
        match self.place(slot, &written) {
            Ok(()) => Ok(()),
            Err(message) => wrong(message),
        }
    }

    /// Notes where an operand stands.
    fn stands(&mut self, place: usize, span: Span) {
        self.at = span;
        if let Some(known) = self.places.get_mut(place) {
            *known = span;
        }
    }

    /// Notes that the operand is a scalar value that counts.
    fn is_read(&mut self) {
        if let Some(read) = self.reads.get_mut(self.read_count) {
            *read = self.at;
            self.read_count += 1;
        }
    }

    /// Where the value stands that is one too many, or else the last that counts.
    pub(super) fn read_behind(&self, limit: usize) -> Span {
        let reads = &self.reads[..self.read_count];
        reads.get(limit).or(reads.last()).copied().unwrap_or_default()
    }

    /// A text that is always the same.
    fn text(&self, name: &str, cursor: &mut Cursor) -> Result<(), Problem> {
        let low = self.codec.wave == 32 && matches!(name, "vcc" | "exec");
        if cursor.byte() == Some(b'[') && matches!(name, "vcc" | "exec") {
            let own = format!("{name}{}", if low { "_lo" } else { "" });
            let named = self.codec.registers.named(&own, if low { 1 } else { 2 });
            let mut ahead = cursor.clone();
            if let (Ok(Some(Value::Register { number, words, .. })), Some(named)) = (self.codec.register(&mut ahead), named)
                && (number, words) == named
            {
                *cursor = ahead;
                return Ok(());
            }
        }
        let found = cursor.identifier().filter(|n| if low { n.strip_suffix("_lo") == Some(name) } else { *n == name });
        match found {
            Some(found) => {
                cursor.advance(found.len());
                Ok(())
            }
            None => cursor.problem(self.told(|| format!("`{name}{}` is wanted here", if low { "_lo" } else { "" }))),
        }
    }

    fn immediate(&mut self, slot: &Slot, cursor: &mut Cursor) -> Result<(), Problem> {
        let is_real = real(cursor.rest().trim_start_matches(['-', ' '])).is_some();
        let ahead = cursor.clone();
        match self.whole_number(slot, cursor) {
            // What LLVM refuses, since the bits of a real number are too many.
            Err(_) if is_real => ahead.problem("a whole number is wanted here"),
            result => result,
        }
    }

    fn whole_number(&mut self, slot: &Slot, cursor: &mut Cursor) -> Result<(), Problem> {
        let start = cursor.position();
        if slot.operand.ty.name == "smem_offset" {
            let call = cursor.take_named("lit", '(') || cursor.take_named("lit64", '(');
            let value = cursor.literal()?;
            if call {
                cursor.expect(')')?;
            }
            return self.offset(slot.bits, value, self.is_signed(), cursor.span_from(start));
        }
        let form = slot.immediate.and_then(|i| self.codec.immediates.forms().get(usize::from(i)));
        let call = cursor.take_named("lit", '(') || cursor.take_named("lit64", '(');
        if call && !form.is_some_and(|form| form.takes_literals()) {
            let what = if slot.operand.ty.name == "branch" { "a label or a number of words" } else { "a number" };
            let message = format!("{what} is wanted here, and no literal");
            return Err(Problem { span: cursor.span_from(start), message });
        }
        let value = match form {
            Some(form) if cursor.at_end() && form.name() == "endpgm" => Some(0),
            Some(form) => form.parse(cursor)?,
            None => Some(cursor.expression()? as u32),
        };
        if call {
            cursor.expect(')')?;
        }
        let Some(mut value) = value else { return cursor.problem("an operand is missing here") };
        if slot.operand.ty.name == "attribute" {
            if let Some(channel) = self.entry.modifiers.iter().find(|m| m.kind == ModifierKind::Part) {
                self.word = channel.bits.set(self.word, u64::from(value & 3));
            }
            value >>= 2;
        }
        if !slot.bits.holds(value.into()) {
            return Err(Problem { span: cursor.span_from(start), message: "the number is too large here".into() });
        }
        self.word = slot.bits.set(self.word, value.into());
        Ok(())
    }

    fn is_signed(&self) -> bool {
        self.entry.encoding.signed.has(self.codec.target)
    }

    fn offset(&mut self, bits: super::Bits, value: i64, signed: bool, span: Span) -> Result<(), Problem> {
        let positive = self.entry.form.positive || self.entry.encoding.positive.has(self.codec.target);
        let width = u32::from(bits.width()) - u32::from(positive);
        let (low, high) =
            if signed && !positive { (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1) } else { (0, (1i64 << width) - 1) };
        if !(low..=high).contains(&value) {
            return Err(Problem { span, message: format!("an offset goes from {low} to {high} here") });
        }
        self.word = bits.set(self.word, value as u64 & super::bits::ones(bits.width()));
        Ok(())
    }

    /// Puts a register or number into its field.
    fn place(&mut self, slot: &Slot, written: &Written) -> Result<(), String> {
        let operand = &slot.operand;
        let entry = self.entry;
        if slot.kind == SlotKind::Export {
            return self.export(slot, written);
        }
        if (written.neg || written.abs) && !operand.float_modifiers {
            return Err("no sign and no absolute value can be taken here".into());
        }
        if written.abs && entry.abs.is_empty() && !entry.form.limits.lost_abs {
            return Err("no absolute value can be taken in this encoding".into());
        }
        if written.sext && !operand.integer_modifiers {
            return Err("no sign can be extended here".into());
        }
        if let Some(source) = slot.source.filter(|s| *s < 3) {
            let bit = |bits: super::Bits, on: bool| if on { bits.mask_of(source.into()) } else { 0 };
            self.word |= bit(entry.neg, written.neg) | bit(entry.abs, written.abs) | bit(entry.sext, written.sext);
        }
        let words = slot.words;
        match written.value {
            Value::Register { number, words: have, half } => {
                if have != words {
                    return Err(self.told(|| match words {
                        1 => format!("one register is wanted here, not {have}"),
                        _ => format!("{words} registers are wanted here, not {have}"),
                    }));
                }
                self.register(slot, number, half)
            }
            Value::Named(name) => {
                let named = self.codec.registers.named(name, words.min(2));
                let (number, _) = named.ok_or_else(|| format!("`{name}` is no operand here"))?;
                self.register(slot, number, None)
            }
            Value::Off => Err("a register is wanted here, not `off`".into()),
            Value::Integer(_) | Value::Real(_) => self.constant(slot, written),
        }
    }

    /// A source of an export; `off` leaves its bit clear.
    fn export(&mut self, slot: &Slot, written: &Written) -> Result<(), String> {
        match written.value {
            Value::Off => Ok(()),
            Value::Register { number, words: 1, half: None } if number & VECTOR != 0 && number & ACCUMULATION == 0 => {
                self.word |= self.entry.en.mask_of(slot.source.unwrap_or(0).into());
                self.word = slot.bits.set(self.word, u64::from(number & 0xff));
                Ok(())
            }
            _ => Err("a vector register or `off` is wanted here".into()),
        }
    }

    fn register(&mut self, slot: &Slot, number: u16, half: Option<bool>) -> Result<(), String> {
        let (class, entry, words) = (slot.operand.class, self.entry, slot.words);
        let vector = number & VECTOR != 0;
        let accumulation = number & ACCUMULATION != 0;
        let wanted = match (vector, accumulation) {
            (true, true) => Class::A,
            (true, false) => Class::V,
            _ => Class::S,
        };
        let lds = class.has(Class::LDS) && self.codec.registers.meaning(number, 1) == Meaning::Named("src_lds_direct");
        if !class.has(wanted) && !lds {
            return Err("a register of this kind cannot stand here".into());
        }
        if !vector {
            self.scalar(slot, number, words)?;
        } else if words > 1 && !self.codec.aligned(class, number & 0xff) {
            return Err("several vector registers begin at an even one on this target".into());
        }
        if half.is_some() && !(slot.half && vector) {
            return Err("whole registers are wanted here, without .l and .h".into());
        }
        let mut value = number;
        if vector && slot.half {
            if half.is_none() && entry.form.limits.halves_only {
                return Err("half a register is wanted here: with .l or .h".into());
            }
            if *self.split.get_or_insert(half.is_some()) != half.is_some() {
                return Err("either all registers of 16 bits have .l or .h, or none has".into());
            }
            let high = half.unwrap_or(false);
            if let Some(source) = slot.source.filter(|_| half.is_some()) {
                self.halves.0 |= 1 << source;
                self.halves.1 |= u8::from(high) << source;
            }
            value = self.half(slot, number, high)?;
        }
        if vector && !entry.acc.is_empty() && class.has(Class::A) {
            if self.accumulates.is_some_and(|a| a != accumulation) {
                return Err("vector and accumulation registers cannot be mixed here".into());
            }
            self.accumulates = Some(accumulation);
            self.word = entry.acc.set(self.word, accumulation.into());
        }
        if let (Some(source), false) = (slot.source, entry.sgpr.is_empty()) {
            self.word |= if vector { 0 } else { entry.sgpr.mask_of(source.into()) };
        }
        if !entry.sd.is_empty() && slot.operand.name == "sdst" {
            let vcc = self.codec.registers.named(if self.codec.wave == 32 { "vcc_lo" } else { "vcc" }, words);
            if vcc.is_some_and(|v| v.0 == number) {
                return Ok(());
            }
            self.word = entry.sd.set(self.word, 1);
        }
        if !vector && slot.bits.get(slot.bits.mask()) & u64::from(value) != u64::from(value) {
            return Err("the register is not aligned as it must be here".into());
        }
        self.word = slot.bits.set(self.word, value.into());
        Ok(())
    }

    fn scalar(&mut self, slot: &Slot, number: u16, words: u16) -> Result<(), String> {
        let class = slot.operand.class;
        match self.codec.registers.meaning(number, words) {
            Meaning::Numbered(name, index) => {
                let step = words.min(4).next_power_of_two();
                if words > 1 && !index.is_multiple_of(step) {
                    return Err(self.told(|| {
                        format!("{name}{index} does not begin so many registers: the number must be a multiple of {step}")
                    }));
                }
            }
            Meaning::Named("m0") if class.has(Class::NOT_M0) => return Err("m0 cannot stand here".into()),
            Meaning::Named("exec_hi") if class.has(Class::NOT_EXEC_HI) => return Err("exec_hi cannot stand here".into()),
            Meaning::Named("exec" | "exec_lo" | "exec_hi") if class.has(Class::NOT_EXEC) => {
                return Err("exec cannot stand here".into());
            }
            Meaning::Named("null") if class.has(Class::NOT_NULL) => return Err("null cannot stand here".into()),
            Meaning::Named("src_lds_direct") if !class.has(Class::LDS) && !class.has(Class::V) => {
                return Err("src_lds_direct cannot stand here".into());
            }
            Meaning::Named(_)
                if self.codec.registers.is_source(number, words.min(2))
                    && !class.has(Class::CONSTANT)
                    && !class.has(Class::LITERAL)
                    && slot.operand.ty.number != Number::Mask =>
            {
                return Err("this register stands only where constants may".into());
            }
            Meaning::Named(_) => {}
            _ => return Err("there is no such register on this target".into()),
        }
        let name = self.codec.registers.meaning(number, 1);
        self.m0 |= name == Meaning::Named("m0");
        if name == Meaning::Named("src_lds_direct") {
            return self.lds(slot);
        }
        // What has a name for any width is one value; a numbered register and a pair that begins with it are two.
        let any_width = matches!(name, Meaning::Named(_)) && self.codec.registers.meaning(number, 2) == name;
        let words = if any_width { 0 } else { words };
        let known = self.scalars[..self.scalar_count].contains(&(number, words));
        if slot.operand.name.starts_with("src") && name != Meaning::Named("null") && !known && self.scalar_count < 4 {
            self.scalars[self.scalar_count] = (number, words);
            self.scalar_count += 1;
            self.is_read();
        }
        Ok(())
    }

    /// LDS as an operand of a vector instruction.
    fn lds(&self, slot: &Slot) -> Result<(), String> {
        let entry = self.entry;
        if !slot.operand.class.has(Class::V) {
            return Ok(());
        }
        if !self.codec.features.lds_direct && entry.half.is_none() {
            return Err("src_lds_direct is no operand of this instruction on this target".into());
        }
        if slot.source != Some(0) || !entry.sgpr.is_empty() || entry.form.limits.no_lds {
            return Err("src_lds_direct cannot stand here: it is src0, and not of every instruction".into());
        }
        Ok(())
    }

    /// The number with the half: in `op_sel`, or in bit 7 of the field.
    fn half(&mut self, slot: &Slot, number: u16, high: bool) -> Result<u16, String> {
        let index = number & 0xff;
        match slot.source.filter(|_| !self.entry.op_sel.is_empty()) {
            Some(source) => {
                if high {
                    self.word |= self.entry.op_sel.mask_of(source.into());
                }
                Ok(number)
            }
            None if index < 128 => Ok(number | if high { 0x80 } else { 0 }),
            None => Err("only v0 to v127 have halves in this encoding".into()),
        }
    }

    /// A number: inline if it is one of the constants, else as the literal.
    fn constant(&mut self, slot: &Slot, written: &Written) -> Result<(), String> {
        let (class, ty) = (slot.operand.class, slot.operand.ty);
        if !class.has(Class::CONSTANT) && !class.has(Class::LITERAL) || slot.registers {
            return Err("a register is wanted here, not a number".into());
        }
        if let Value::Real(value) = written.value
            && !fits(value, ty)
        {
            return Err("the number is too large or too small for its type".into());
        }
        // Where there is no literal, one over two pi is none of the constants of an integer of 16 bits.
        let turn = matches!(written.value, Value::Real(v) if v.abs() < 0.2 && v != 0.0) && is_short(ty);
        let inline = class.has(Class::CONSTANT) && !written.literal && (class.has(Class::LITERAL) || !turn);
        // VOP3 has literals of 64 bits only if a literal is asked for.
        let usual = !self.entry.encoding.name.starts_with("vop3");
        let wide = self.codec.features.literal64 && usual;
        let found = |value| self.codec.inline_of_form(self.entry, value, ty);
        let number = found(written.value).or_else(|| match written.value {
            // Of double precision, a literal of 32 bits is the upper half, and what that is may be inline.
            Value::Real(real) if ty.bits == 64 && is_real(ty) && !wide && class.has(Class::LITERAL) => {
                found(Value::Real(f64::from_bits(real.to_bits() & !0xffff_ffff)))
            }
            _ => None,
        });
        if let Some(number) = number.filter(|_| inline) {
            if let (Some(source), false) = (slot.source, self.entry.sgpr.is_empty()) {
                self.word |= self.entry.sgpr.mask_of(source.into());
            }
            self.word = slot.bits.set(self.word, number.into());
            return Ok(());
        }
        if !class.has(Class::LITERAL) {
            return Err("only inline constants can stand here".into());
        }
        let long = self.codec.features.literal64 && ty.total() == 64 && ty.lanes == 1 && (usual || written.literal);
        if is_real(ty) && ty.bits == 64 && matches!(written.value, Value::Integer(_)) && (written.neg || written.abs) {
            return Err("a whole number that stands for bits of a real one takes no sign and no absolute value".into());
        }
        // Where there are literals of 64 bits, those of 32 are exact, and of integers not negative.
        let short = || match written.value {
            _ if !long => true,
            _ if written.literal => false,
            Value::Integer(value) if is_real(ty) => truncated(value, 32).is_some() || is_upper(value, ty),
            Value::Integer(value) => (0..1 << 31).contains(&value),
            Value::Real(value) => value.to_bits() & 0xffff_ffff == 0,
            _ => true,
        };
        // Of double precision, a whole number whose lower half is zero is its upper half.
        let value = match written.value {
            Value::Integer(value) if self.codec.features.literal64 && !written.literal && is_upper(value, ty) => {
                Value::Integer((value as u64 >> 32) as i64)
            }
            value => value,
        };
        let value = match literal(value, ty).filter(|_| (!written.wide || !long) && short()) {
            Some(value) => (value, 4),
            None if long && (is_real(ty) || matches!(written.value, Value::Integer(_))) => (whole(written.value), 8),
            None => return Err("the number does not fit into a literal of 32 bits".into()),
        };
        let wide = value.1 == 8;
        self.share(value)?;
        self.literal_sizes[usize::from(slot.words > 1)] = true;
        self.word = slot.bits.set(self.word, u64::from(if wide { LITERAL64 } else { LITERAL }));
        Ok(())
    }

    /// Takes a literal, which all operands share.
    fn share(&mut self, value: (u64, u8)) -> Result<(), String> {
        if self.literal.is_some_and(|l| l != value) {
            return Err("an instruction has at most one literal".into());
        }
        if self.literal.is_none() {
            self.literal_at = self.at;
            self.is_read();
        }
        self.literal = Some(value);
        Ok(())
    }

    pub(super) fn modifiers(&mut self, cursor: &mut Cursor) -> Result<(), Problem> {
        let entry = self.entry;
        // They stand in the order in which they are printed.
        let mut from = 0;
        'next: while !cursor.at_end() {
            let comma = cursor.take(',');
            if comma && cursor.at_end() {
                break;
            }
            let start = cursor.position();
            let name = cursor.identifier();
            for (index, modifier) in entry.modifiers.iter().enumerate().skip(from) {
                if !modifier.may_begin(name) || !self.modifier(modifier, cursor)? {
                    continue;
                }
                if self.seen >> index & 1 == 1 && !modifier.is_policy {
                    return Err(Problem { span: cursor.span_from(start), message: "this is said twice".into() });
                }
                // Words of a cache policy are one operand.
                if comma && modifier.is_policy && self.seen >> index & 1 == 1 {
                    return Err(Problem {
                        span: cursor.span_from(start),
                        message: "no comma may stand within a cache policy".into(),
                    });
                }
                self.seen |= 1 << index;
                // A cache policy is several words.
                from = if modifier.is_policy { index } else { index + 1 };
                continue 'next;
            }
            for (index, modifier) in entry.modifiers.iter().enumerate().take(from) {
                if self.modifier(modifier, cursor)? {
                    let twice = self.seen >> index & 1 == 1;
                    let late = format!("`{}` must stand before what is before it", modifier.name);
                    let message = if twice { "this is said twice".into() } else { late };
                    return Err(Problem { span: cursor.span_from(start), message });
                }
            }
            return cursor.problem("nothing that this instruction takes");
        }
        for (index, modifier) in entry.modifiers.iter().enumerate() {
            if modifier.is_needed && self.seen >> index & 1 == 0 {
                return cursor.problem(self.told(|| format!("`{}` is missing", modifier.name)));
            }
        }
        Ok(())
    }

    /// Whether this modifier stands here; it is taken then.
    fn modifier(&mut self, modifier: &Modifier, cursor: &mut Cursor) -> Result<bool, Problem> {
        match modifier.kind {
            ModifierKind::Part => Ok(false),
            ModifierKind::Word | ModifierKind::Flag => {
                let Some(name) = cursor.identifier() else { return Ok(false) };
                let on = name == modifier.name;
                // `nogds` says that it is not there.
                let off = modifier.kind == ModifierKind::Flag && name.strip_prefix("no") == Some(modifier.name);
                if on || off {
                    cursor.advance(name.len());
                }
                if on {
                    self.word |= modifier.bits.mask();
                }
                Ok(on || off)
            }
            ModifierKind::Offset { signed, .. } => {
                if !cursor.take_named(modifier.name, ':') {
                    return Ok(false);
                }
                let start = cursor.position();
                let value = cursor.expression()?;
                self.offset(modifier.bits, value, signed, cursor.span_from(start))?;
                Ok(true)
            }
            ModifierKind::List { count, destination, .. } => self.list(modifier, count, destination, cursor),
            ModifierKind::Immediate(index) => {
                let Some(form) = self.codec.immediates.forms().get(usize::from(index)) else { return Ok(false) };
                let start = cursor.position();
                let Some(value) = form.parse(cursor)? else { return Ok(false) };
                let value = match modifier.name {
                    "fi8" => 0xe9 + u64::from(value),
                    // The cache policy is given word by word.
                    _ if modifier.is_policy => modifier.bits.get(self.word) | u64::from(value),
                    _ => u64::from(value),
                };
                if !modifier.bits.holds(value) {
                    let message = "this has no place in the instruction".into();
                    return Err(Problem { span: cursor.span_from(start), message });
                }
                self.word = modifier.bits.set(self.word, value);
                Ok(true)
            }
        }
    }

    /// `op_sel:[0,1,0]`
    fn list(&mut self, modifier: &Modifier, count: u8, destination: bool, cursor: &mut Cursor) -> Result<bool, Problem> {
        if !cursor.take_named(modifier.name, ':') {
            return Ok(false);
        }
        if modifier.name == "op_sel" && self.split == Some(false) && !self.entry.form.limits.bare_halves {
            return cursor.problem("registers of 16 bits must have .l or .h before halves of others are chosen");
        }
        cursor.expect('[')?;
        let vector = self.entry.operands.iter().any(|s| s.operand.name == "vdst");
        // Bits behind those of the operands mean nothing, but where the destination is a vector register and has none.
        let strict = vector && !destination && !self.entry.modifiers.iter().any(|m| matches!(m.name, "op_sel_hi" | "neg_lo"));
        // Halves that are written win over a list of zeros, and must agree with another.
        let (written, high) = if modifier.name == "op_sel" { self.halves } else { (0, 0) };
        let (mut any, mut against) = (false, false);
        let list = cursor.position();
        // What the list does not say is 0.
        let mut said = 0u8;
        for i in (0..count.min(4)).filter(|i| written >> i & 1 == 0) {
            self.word &= !modifier.bits.mask_of(i.into());
        }
        for i in 0..4 {
            let start = cursor.position();
            let bit = cursor.expression()?;
            let at = if i == count && destination { 3 } else { i };
            if !(0..=1).contains(&bit) {
                return Err(Problem { span: cursor.span_from(start), message: "a bit is 0 or 1".into() });
            }
            let mask = modifier.bits.mask_of(at.into());
            let taken = i < count || destination && i == count;
            // The destination that is the third source has no bit there, and the mask of a comparison has none.
            let tied = i == 2 && i < count && self.entry.form.pairing.accumulates;
            let absent = tied || i == count && !vector;
            any |= bit == 1;
            said |= 1 << if tied { 3 } else { at };
            if tied && written >> 3 & 1 == 1 {
                against |= high >> 3 & 1 != bit as u8;
            } else if taken && !absent && mask == 0 && bit == 1 {
                return Err(Problem { span: cursor.span_from(start), message: "this operand takes none".into() });
            } else if taken && written >> at & 1 == 1 {
                against |= high >> at & 1 != bit as u8;
            } else if taken && !absent {
                self.word = if bit == 1 { self.word | mask } else { self.word & !mask };
            } else if bit == 1 && !absent && strict {
                return Err(Problem { span: cursor.span_from(start), message: "there is no such operand".into() });
            }
            if !cursor.take(',') {
                break;
            }
        }
        cursor.expect(']')?;
        if any && (against || written & high & !said != 0) {
            let message = "op_sel says another half than the register".into();
            return Err(Problem { span: cursor.span_from(list), message });
        }
        Ok(true)
    }

    /// What holds of all operands together.
    fn limits(&mut self) -> Result<(), Problem> {
        self.compress();
        let together = &self.entry.together;
        // Of a cache policy, bits that the form leaves no choice are taken and lost, but for the one that asks for the old value.
        self.word = self.word & !together.lost | self.entry.value & together.lost;
        // The form that returns a value asks for the word that says so, and operands are as wide as a format says.
        if (self.word ^ self.entry.value) & together.fixed != 0 {
            let message = "operands and modifiers do not belong together: another form has these operands".into();
            return Err(Problem { span: Span::default(), message });
        }
        self.share_constant()?;
        let name = self.entry.encoding.name;
        let problem = |message: &str| Err(Problem { span: Span::default(), message: message.into() });
        self.form_limits().or_else(problem)?;
        if together.stores_fault {
            return problem("tfe means nothing to what stores");
        }
        if !together.is_counted {
            return Ok(());
        }
        let src1 = together.src1.and_then(|at| self.entry.operands.get(usize::from(at)));
        if let Some(slot) = src1.filter(|_| !self.codec.features.dpp_scalar_src1)
            && slot.bits.get(self.word) < u64::from(VECTOR)
        {
            return problem("src1 must be a vector register here on this target");
        }
        if let Some(control) = together.control.and_then(|at| self.entry.modifiers.get(usize::from(at))) {
            let double = |s: &&Slot| s.operand.ty.bits == 64 && s.operand.class.has(Class::V);
            let mut doubles = self.entry.operands.iter().filter(double);
            let single = control.bits.get(self.word) >> 4 == 0x15;
            if !self.codec.features.dpp_double && doubles.clone().any(|s| s.operand.name == "src0") {
                return problem("operands of 64 bits cannot be taken from another lane on this target");
            }
            if self.codec.features.dpp_double && !single && doubles.next().is_some() {
                return problem("operands of 64 bits can only be taken from one lane of the row (row_newbcast or row_share)");
            }
        }
        if self.literal.is_some() && name.starts_with("vop3") && !self.codec.features.vop3_literals {
            let message = "this encoding takes no literal on this target".into();
            return Err(Problem { span: self.literal_at, message });
        }
        self.is_whole = true;
        self.constant_bus()
    }

    /// How many scalar values are read: registers, VCC where nothing says so, literals once for each width.
    fn constant_bus(&self) -> Result<(), Problem> {
        let entry = self.entry;
        let limits = entry.form.limits;
        let limit = if self.codec.features.two_scalars && !limits.one_scalar { 2 } else { 1 };
        let mut sizes = self.literal_sizes;
        sizes[0] |= entry.together.has_constant;
        let literals = sizes.iter().filter(|s| **s).count();
        // Wavefronts of 32 lanes read `vcc` though they say `vcc_lo`, which is another register to LLVM.
        let implied = entry.together.reads_vcc || limits.reads_vcc;
        let vcc = || self.codec.registers.named("vcc", 2).map(|v| (v.0, 2));
        let read = implied && vcc().is_some_and(|v| self.scalars[..self.scalar_count].contains(&v));
        let used = self.scalar_count + literals + usize::from(implied && !read);
        if used > limit && !(limits.free_m0 && self.m0) {
            let others = usize::from(implied && !read);
            let what = if limit == 1 { "one scalar register or literal" } else { "two different scalar registers or literals" };
            let vcc = if others > 0 { ", and VCC is read anyway" } else { "" };
            let message = format!("at most {what} can be read here on this target{vcc}");
            return Err(Problem { span: self.read_behind(limit.saturating_sub(others)), message });
        }
        Ok(())
    }

    /// What the form says of operands together.
    fn form_limits(&self) -> Result<(), &'static str> {
        let entry = self.entry;
        if (self.word ^ entry.wanted_value) & entry.wanted != 0 {
            return Err("a modifier, or a bit of its list, is not taken by this instruction or with these operands");
        }
        let find = |name: &str| entry.operands.iter().find(|s| s.operand.name == name);
        let limits = entry.form.limits;
        if limits.even_data && find("data0").is_some_and(|s| s.bits.get(self.word) % 2 == 1) && self.codec.features.aligned_vgprs
        {
            return Err("the register must be an even one on this target");
        }
        if limits.low_scalars && self.reads_high_scalars() {
            return Err("of scalar registers only the lower half is read: op_sel and op_sel_hi must be 0 for them");
        }
        if let (true, Some(to), Some(from)) = (limits.apart, find("vdst"), find("src2")) {
            let words = u64::from(to.words);
            let register = |s: &Slot| s.bits.get(self.word) & 0xff;
            let vector = from.bits.get(self.word) & u64::from(VECTOR) != 0;
            let apart = register(to).abs_diff(register(from));
            if vector && words > 4 && apart != 0 && apart < words {
                return Err("src2 must be the registers of the destination, or none of them");
            }
        }
        Ok(())
    }

    /// Whether a half that is not the lower one of scalar registers is asked for.
    fn reads_high_scalars(&self) -> bool {
        let lists = || self.entry.modifiers.iter().filter(|m| matches!(m.name, "op_sel" | "op_sel_hi"));
        let scalar = |s: &&Slot| {
            let number = s.bits.get(self.word) as u16;
            let meaning = self.codec.registers.meaning(number, s.words);
            let read = matches!(meaning, Meaning::Numbered("s", _)) || matches!(meaning, Meaning::Named(name) if name != "null");
            s.source.is_some() && number & VECTOR == 0 && read
        };
        self.entry.operands.iter().filter(scalar).any(|s| {
            let source = s.source.unwrap_or(0);
            lists().any(|m| m.bits.get(self.word) >> source & 1 == 1)
        })
    }
}

impl Attempt<'_> {
    /// The constant that always follows serves as the literal too.
    fn share_constant(&mut self) -> Result<(), Problem> {
        let entry = self.entry;
        let constant = entry.operands.iter().find(|s| s.operand.class.has(Class::K) && !s.bits.is_empty());
        let (Some(constant), Some((value, size))) = (constant, self.literal.take_if(|_| constant.is_some())) else {
            return Ok(());
        };
        let wide = constant.bits.width() == 64;
        if constant.bits.get(self.word) != if wide && size == 4 { value << 32 } else { value } {
            return Err(Problem { span: self.literal_at, message: "an instruction has at most one literal".into() });
        }
        for slot in entry.operands.iter().filter(|s| wide && s.operand.class.has(Class::LITERAL)) {
            if slot.bits.get(self.word) == u64::from(LITERAL) {
                self.word = slot.bits.set(self.word, LITERAL64.into());
            }
        }
        Ok(())
    }

    /// The sources of a compressed export are halves of two registers.
    fn compress(&mut self) {
        if self.entry.compr.is_empty() || self.entry.compr.get(self.word) == 0 {
            return;
        }
        let bits: Vec<super::Bits> = self.entry.operands.iter().skip(1).map(|s| s.bits).collect();
        if let [_, second, third, fourth] = bits[..] {
            // The first and the third operand say which registers there are; each has two halves.
            let en = self.entry.en;
            let enabled = en.get(self.word);
            self.word = en.set(self.word, ((enabled & 1) * 0x3) | ((enabled >> 2 & 1) * 0xc));
            let value = third.get(self.word);
            self.word = fourth.set(third.set(second.set(self.word, value), 0), 0);
        }
    }
}

/// Whether constants of a type are real numbers.
pub(super) fn is_real(ty: Type) -> bool {
    matches!(ty.number, Number::Float | Number::BFloat)
}

/// Whether a type is a single integer of 16 bits.
pub(super) fn is_short(ty: Type) -> bool {
    ty.number == Number::Bits && ty.total() == 16
}

/// Whether a real number can be rounded to the type of an operand without overflow or underflow.
fn fits(value: f64, ty: Type) -> bool {
    // The smallest normal number, the largest that is rounded to a finite one, and the step below the smallest.
    let (smallest, largest, step) = match (ty.number, ty.bits) {
        // Of bfloat16, LLVM asks that a number be one of half precision, but not of a pair.
        (Number::BFloat, _) | (Number::Float, 16) | (Number::Bits, 16) if ty.number == Number::Float || ty.lanes == 1 => {
            (2f64.powi(-14), 65520.0, 2f64.powi(-24))
        }
        (_, 64) => return true,
        _ => (2f64.powi(-126), 2f64.powi(128) - 2f64.powi(103), 2f64.powi(-149)),
    };
    let magnitude = value.abs();
    // What is beyond double precision is infinity.
    value.is_infinite() || magnitude < largest && (magnitude >= smallest || (magnitude / step).fract() == 0.0)
}

/// Whether a whole number stands for bits of a double-precision number of which only the upper 32 are not zero.
fn is_upper(value: i64, ty: Type) -> bool {
    is_real(ty) && ty.bits == 64 && truncated(value, 32).is_none() && value & 0xffff_ffff == 0
}

/// All 64 bits of a number.
fn whole(value: Value) -> u64 {
    match value {
        Value::Integer(value) => value as u64,
        Value::Real(value) => value.to_bits(),
        _ => 0,
    }
}

impl Codec {
    /// Whether bits are those of an inline constant.
    pub(super) fn is_inline(&self, entry: &Entry, value: u64, ty: Type) -> bool {
        self.inline_of_form(entry, Value::Integer(value as i64), ty).is_some()
    }

    /// The inline constant that a number is for an operand of a form.
    fn inline_of_form(&self, entry: &Entry, value: Value, ty: Type) -> Option<u16> {
        match value {
            _ if !entry.form.limits.doubled => self.inline(value, ty),
            // A real number is the lower half alone.
            Value::Real(value) => self.registers.integer(0).filter(|_| value == 0.0 && value.is_sign_positive()),
            Value::Integer(value) => self.registers.integer(truncated(value, 32)?).or_else(|| {
                let twice = |real: f64| i64::from(half(real)) * 0x10001;
                self.registers.reals().find(|(_, real)| twice(*real) == value & 0xffff_ffff).map(|r| r.0)
            }),
            _ => None,
        }
    }

    /// The inline constant with these bits.
    pub(super) fn inline_of(&self, value: u64, ty: Type) -> Option<u16> {
        self.inline(Value::Integer(value as i64), ty)
    }

    /// Whether a tuple may begin at this vector register.
    pub(super) fn aligned(&self, class: Class, index: u16) -> bool {
        class.has(Class::ALIGNED) || !self.features.aligned_vgprs || index.is_multiple_of(2)
    }

    /// The inline constant that a number is for an operand of a type.
    fn inline(&self, value: Value, ty: Type) -> Option<u16> {
        match value {
            // Of 16 bits, 0xffff is not -1.
            Value::Integer(value) if is_short(ty) => self.registers.integer(value),
            // Of more than a pair of registers each part is meant.
            Value::Integer(value) if ty.total() > 64 && ty.lanes > 1 => {
                self.inline(Value::Integer(truncated(value, ty.bits.into())?), Type { lanes: 1, ..ty })
            }
            Value::Integer(value) => self.registers.integer(truncated(value, ty.total())?).or_else(|| {
                let bits = value as u64 & super::bits::ones(ty.total().min(64) as u8);
                self.registers.reals().find(|(_, real)| inline_pattern(*real, ty) == Some(bits)).map(|r| r.0)
            }),
            Value::Real(value) => {
                if value == 0.0 && value.is_sign_positive() {
                    return self.registers.integer(0);
                }
                let bits = pattern(value, ty)?;
                // The bits of the smallest numbers are those of small integers.
                let of_integer = || self.registers.integer(i64::try_from(bits).ok().filter(|_| value.is_sign_positive())?);
                self.registers.reals().find(|(_, real)| inline_pattern(*real, ty) == Some(bits)).map(|r| r.0).or_else(of_integer)
            }
            _ => None,
        }
    }
}

/// A number as a signed one of so many bits, if it is one of so many, signed or not.
pub(super) fn truncated(value: i64, bits: u32) -> Option<i64> {
    if bits >= 64 || bits == 0 {
        return Some(value);
    }
    let fits = value >> (bits - 1) == 0 || value >> (bits - 1) == -1 || (value >> bits) == 0;
    fits.then(|| value << (64 - bits) >> (64 - bits))
}

/// The bits of an inline real constant in the element type of an operand.
pub(super) fn inline_pattern(real: f64, ty: Type) -> Option<u64> {
    let is_turn = real == 0.15915494309189532 && ty.number == Number::BFloat;
    pattern(if is_turn { SHORT_TURN } else { real }, ty)
}

/// One over two pi as its text says it. As bfloat16 it is the upper half of single precision, not the nearest number.
const SHORT_TURN: f64 = 0.15915494;

/// The bits of a real number in the element type of an operand.
pub(super) fn pattern(value: f64, ty: Type) -> Option<u64> {
    Some(match (ty.number, ty.bits) {
        (Number::BFloat, _) if value == SHORT_TURN => 0x3e22,
        (Number::BFloat, _) => u64::from(bfloat(value as f32)),
        // Integers of 16 bits take the bits of a number of single precision.
        (Number::Bits, 16) => u64::from((value as f32).to_bits()),
        (_, 16) => u64::from(half(value)),
        (_, 64) => value.to_bits(),
        _ => u64::from((value as f32).to_bits()),
    })
}

/// A real number rounded to bfloat16, ties to even.
fn bfloat(value: f32) -> u16 {
    let bits = value.to_bits();
    ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

/// A real number rounded to half precision, ties to even.
pub(super) fn half(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    let exponent = if magnitude < 2f64.powi(-14) { -14 } else { magnitude.log2().floor() as i32 };
    let steps = (magnitude * 2f64.powi(10 - exponent)).round_ties_even() as u32;
    let biased = (exponent + 14) as u32;
    sign | (biased * 1024 + steps) as u16
}

/// The value of a literal of 32 bits.
fn literal(value: Value, ty: Type) -> Option<u64> {
    match value {
        Value::Integer(value) if ty.total() == 64 || ty.number == Number::Mask => {
            truncated(value, 32).map(|_| value as u64 & 0xffff_ffff)
        }
        // Of 16 bits, those above are those of the sign.
        Value::Integer(value) if is_short(ty) => truncated(value, 16).map(|_| value as u64 & 0xffff_ffff),
        Value::Integer(value) => truncated(value, ty.total()).map(|_| value as u64 & super::bits::ones(ty.total() as u8)),
        Value::Real(value) if ty.bits == 64 && ty.number != Number::Bits => Some(value.to_bits() >> 32),
        Value::Real(_) if ty.bits == 64 => None,
        Value::Real(value) if is_short(ty) => Some((value as f32).to_bits().into()),
        Value::Real(value) => pattern(value, ty),
        _ => None,
    }
}

/// A constant that always follows the instruction.
fn constant(written: Written, ty: Type) -> Option<u64> {
    match written.value {
        // Of double precision, 32 bits are the upper ones.
        Value::Integer(value) if ty.bits == 64 && value >> 32 == 0 && !written.wide => Some((value as u64) << 32),
        // The bits above 16 are those of the number as it is written.
        Value::Integer(value) => truncated(value, ty.total()).map(|_| value as u64 & super::bits::ones(ty.total().max(32) as u8)),
        // Bits that are no number are the lower half of the double.
        Value::Real(value) if ty.number == Number::Bits => Some(value.to_bits() & super::bits::ones(32)),
        Value::Real(value) => pattern(value, ty),
        _ => None,
    }
}
