//! One form of an instruction on one target: its masks, and where its operands lie.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use isa::amdgpu::{Class, Content, Encoding, Field, Form, Instruction, Layout, Operand, Table, Target};
use isa::names::NameMap;

use super::Bits;
use super::image::Places;
use super::pair::Half;
use super::plan::Plan;
use super::register::{self, ACCUMULATION, VECTOR};
use crate::immediate::Immediates;

/// The bit of a cache policy that scales an offset: `scale_offset` in `words.isa`.
const SCALE_OFFSET: u32 = 11;

/// The record of an entry, and its place among the entries of the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Id {
    pub record: u16,
    pub form: u16,
}

/// A form on one target.
#[derive(Debug)]
pub struct Entry {
    /// The record.
    pub instruction: &'static Instruction,
    /// The form in it.
    pub form: &'static Form,
    /// Its encoding.
    pub encoding: &'static Encoding,
    /// Its place among the entries of the codec.
    pub(super) id: Id,
    /// Bytes, without a literal.
    pub size: u8,
    /// The bits that make it this form, and their values.
    pub mask: u128,
    /// See `mask`.
    pub value: u128,
    /// The word before any operand is placed: `value`, what is usual, what nobody reads.
    pub start: u128,
    /// The bits that nobody reads, and what an assembler writes there.
    pub unused: u128,
    /// See `unused`.
    pub unused_value: u128,
    /// Those of the unused bits that hardware ignores; others make another instruction, or none.
    pub ignored: u128,
    /// Those of the ignored bits that LLVM 24 writes otherwise.
    pub spare: u128,
    /// Bits that an assembler writes only so, though others are read, and their values.
    pub wanted: u128,
    /// See `wanted`.
    pub wanted_value: u128,
    /// Operands in the order of the text.
    pub operands: Arc<[Slot]>,
    /// Modifiers in the order in which they are printed.
    pub modifiers: Arc<[Modifier]>,
    /// The bits of modifiers, and what they are where none is printed.
    pub(super) silent: (u128, u128),
    /// Whether some operand can be a literal.
    pub(super) takes_literal: bool,
    /// What an assembler holds of all operands together.
    pub(super) together: Together,
    /// Bits that negate sources, take their absolute value, extend their sign.
    pub neg: Bits,
    /// See `neg`.
    pub abs: Bits,
    /// See `neg`.
    pub sext: Bits,
    /// Of sub-dword instructions: which sources are scalar, and whether the destination is another than VCC.
    pub sgpr: Bits,
    /// See `sgpr`.
    pub sd: Bits,
    /// Of exports: which sources are there, and whether they are compressed.
    pub en: Bits,
    /// See `en`.
    pub compr: Bits,
    /// Bits that choose halves.
    pub op_sel: Bits,
    /// The bit that makes registers of loads and stores accumulation registers.
    pub acc: Bits,
    /// The operand that says how far a branch goes.
    pub(crate) branch: Bits,
    /// Whether the constant of DPP8 stands in place of `src0`: 0xe9 and 0xea.
    pub dpp8: Bits,
    /// The widths of its operands, if it is an image instruction.
    pub image: Option<Box<Places>>,
    /// Which half of a pair it is, if it is one.
    pub half: Option<Half>,
    /// Made when it is decoded or printed for the first time.
    pub(super) plan: OnceLock<Plan>,
}

impl Entry {
    /// Among which of LLVM's variants of the assembler it is.
    pub(super) fn variant(&self) -> isa::amdgpu::Variant {
        if self.form.limits.usual { isa::amdgpu::Variant::Default } else { self.encoding.variant }
    }

    /// How particular the form is: whether the record does not put it last, whether it tells itself apart by bits of a modifier,
    /// and how many bits it leaves no choice.
    pub(super) fn particularity(&self) -> (bool, bool, u32) {
        let partly = self.form.fixed.iter().any(|f| f.2 != u64::MAX && f.1 != 0);
        (!self.form.last, partly, (self.mask | self.unused).count_ones())
    }
}

/// What rules ask of a form that say something of several operands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Together {
    /// Bits of cache policies that the form leaves no choice, but for the lowest.
    pub lost: u128,
    /// Bits of modifiers that the form leaves no choice.
    pub fixed: u128,
    /// Whether it stores what a fault says, and has a cache policy of stores.
    pub stores_fault: bool,
    /// Whether scalar values that it reads are counted.
    pub is_counted: bool,
    /// Whether VCC is a source that nothing in the word says.
    pub reads_vcc: bool,
    /// Whether a constant always follows it.
    pub has_constant: bool,
    /// The place of `src1`, where it can be scalar although `src0` comes from another lane.
    pub src1: Option<u8>,
    /// The modifier that says from which lane `src0` comes.
    pub control: Option<u8>,
}

impl Together {
    fn of(entry: &Entry) -> Together {
        let (operands, modifiers) = (&entry.operands, &entry.modifiers);
        let name = entry.encoding.name;
        let bits = |all: u128, modifier: &Modifier| all | modifier.bits.mask();
        let policy = |m: &&Modifier| m.is_policy;
        let lost = |all: u128, m: &Modifier| all | m.bits.mask() & entry.mask & !m.bits.mask_of(0);
        let has = |wanted: &str| modifiers.iter().any(|m| m.name == wanted);
        let mut slots = operands.iter();
        let first = slots.position(|s| s.operand.name == "src0");
        let lanes = name.ends_with("dpp") || name.ends_with("dpp8");
        let src1 = operands.iter().position(|s| lanes && s.operand.name == "src1" && s.bits.width() == 9);
        let control = modifiers.iter().position(|m| m.name == "dpp_ctrl");
        Together {
            lost: modifiers.iter().filter(policy).fold(0, lost),
            fixed: modifiers.iter().filter(|m| m.kind != ModifierKind::Word).fold(0, bits) & entry.mask,
            stores_fault: has("tfe") && has("cpol_store") && entry.form.modifiers.contains(&"tfe"),
            is_counted: name.starts_with('v') || name == "mai",
            reads_vcc: first.is_some() && slots.any(|s| s.operand.class.has(Class::TEXT) && s.operand.name == "vcc"),
            has_constant: operands.iter().any(|s| s.operand.class.has(Class::K)),
            src1: src1.map(|at| at as u8),
            control: control.map(|at| at as u8),
        }
    }
}

/// An operand of a form on one target.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// What the record says.
    pub operand: Operand,
    /// Where its number lies; nowhere for a fixed text.
    pub bits: Bits,
    /// Its place among the sources, for `neg`, `abs`, `sext` and `op_sel`.
    pub source: Option<u8>,
    /// Whether it is half a register.
    pub half: bool,
    /// Whether an assembler takes registers alone, though constants are read.
    pub registers: bool,
    /// Index among the target's immediates, if it is written in its own way.
    pub immediate: Option<u16>,
    /// How it is written.
    pub kind: SlotKind,
    /// Words of 32 bits.
    pub words: u16,
    /// The bits of vector and accumulation registers that its field has no place for.
    pub(super) file: u16,
    /// Whether other fields say as well which register it is.
    pub(super) is_split: bool,
}

/// How an operand is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// Always the same text.
    Text,
    /// A constant of 16, 32 or 64 bits that always follows the instruction.
    Constant,
    /// An immediate.
    Immediate,
    /// A source of an export.
    Export,
    /// A register or a constant.
    Register,
}

/// A modifier of a form on one target.
#[derive(Clone, Copy, Debug)]
pub struct Modifier {
    /// The word of it: `clamp`, `offset`.
    pub name: &'static str,
    /// Where it lies; nowhere for a word that is always there.
    pub bits: Bits,
    /// How it is written.
    pub kind: ModifierKind,
    /// Its bits, and what they are where it is not printed; no bits if it is printed always, or unless of several values.
    pub(super) silent: (u128, u128),
    /// Whether an assembler wants it said.
    pub(super) is_needed: bool,
    /// Whether it is a cache policy, which is several words.
    pub(super) is_policy: bool,
}

impl Modifier {
    /// Whether it can stand where this name does, or where there is none.
    #[inline]
    pub(super) fn may_begin(&self, name: Option<&str>) -> bool {
        let name = name.unwrap_or("");
        match self.kind {
            ModifierKind::Part => false,
            ModifierKind::Immediate(_) => true,
            ModifierKind::Flag => name == self.name || name.strip_prefix("no") == Some(self.name),
            ModifierKind::Word | ModifierKind::Offset { .. } | ModifierKind::List { .. } => name == self.name,
        }
    }
}

/// How a modifier is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModifierKind {
    /// Always there.
    Word,
    /// A word that is there or not.
    Flag,
    /// `offset:12`.
    Offset {
        /// Whether its highest bit is a sign.
        signed: bool,
        /// Whether it is printed as a hexadecimal number, and always.
        hex: bool,
    },
    /// A list of bits.
    List {
        /// How many, for the sources.
        count: u8,
        /// Whether there is one more for the destination.
        destination: bool,
        /// What each is if the list is not written.
        usual: bool,
    },
    /// An immediate of the target, by index.
    Immediate(u16),
    /// Written with another operand: the channel of an attribute.
    Part,
}

/// Makes entries of the records of a target, each record's when it is first asked for.
#[derive(Debug)]
pub(super) struct Maker {
    shared: Shared,
    layouts: Box<[OnceLock<Option<Bitmap>>]>,
    lists: Mutex<Lists>,
}

/// The entries of a record; they are told apart by their places among them.
pub(super) type Made = Box<[Arc<Entry>]>;

impl Maker {
    pub fn new(table: &'static Table, target: Target, wave: u8, immediates: &Immediates) -> Maker {
        let fields = table.fields.iter().enumerate().map(|(i, name)| (*name, i)).collect();
        let names = immediates.forms().iter().enumerate().map(|(i, form)| (form.name(), i as u16)).collect();
        let layouts = table.encodings.iter().map(|_| OnceLock::new()).collect();
        Maker { shared: Shared { table, target, wave, fields, forms: names }, layouts, lists: Mutex::default() }
    }

    /// All forms of a record on the target.
    pub fn entries(&self, record: u16, instruction: &'static Instruction, immediates: &Immediates) -> Result<Made, String> {
        let shared = &self.shared;
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entries = Vec::new();
        for form in &instruction.forms {
            let Some(opcode) = form.opcode(shared.target) else { continue };
            if form.wave.is_some_and(|w| w != shared.wave) {
                continue;
            }
            let encoding = &shared.table.encodings[form.encoding];
            let layout = self.layouts[form.encoding].get_or_init(|| {
                let layout = encoding.layout(shared.target)?;
                Some(Bitmap::new(layout, shared))
            });
            let layout = layout.as_ref().ok_or_else(|| {
                let target = shared.table.targets[usize::from(shared.target.0)];
                format!("{}: {} has no layout on {target}", instruction.name, encoding.name)
            })?;
            let mut builder = Builder { shared, lists: &mut lists, immediates, layout, encoding, form };
            let entry = builder.entry(instruction, opcode);
            let mut entry = entry.map_err(|why| format!("{}: {}: {why}", instruction.name, encoding.name))?;
            entry.id = Id { record, form: entries.len() as u16 };
            entries.push(Arc::new(entry));
        }
        Ok(entries.into())
    }
}

/// The field in which a modifier of a record lies: `NAME@FIELD`, or `NAME`.
fn field_of(text: &str) -> &str {
    text.split_once('@').map_or(text, |(_, field)| field)
}

/// What all forms of a target are made from.
#[derive(Debug)]
struct Shared {
    table: &'static Table,
    target: Target,
    wave: u8,
    /// Fields and immediates by name.
    fields: NameMap<&'static str, usize>,
    forms: NameMap<&'static str, u16>,
}

/// Lists that have been made before: most forms have the same as others. By encoding, the record's list, and of modifiers
/// by what else they depend on.
#[derive(Debug, Default)]
struct Lists {
    operands: NameMap<(usize, usize), Arc<[Slot]>>,
    modifiers: NameMap<(usize, usize, usize), Arc<[Modifier]>>,
}

/// A layout by its fields.
#[derive(Debug)]
struct Bitmap {
    layout: &'static Layout,
    bits: Vec<Bits>,
    op: Bits,
    neg: Bits,
    abs: Bits,
    neg_lo: Bits,
    neg_hi: Bits,
    sext: Bits,
    sgpr: Bits,
    sd: Bits,
    en: Bits,
    compr: Bits,
    op_sel: Bits,
    acc: Bits,
    fi: Bits,
    is_packed: bool,
}

impl Bitmap {
    fn new(layout: &'static Layout, shared: &Shared) -> Bitmap {
        let bits: Vec<Bits> = (0..shared.fields.len()).map(|i| Bits::of(layout, Field(i as u16))).collect();
        let named = |name: &str| shared.fields.get(name).map_or(Bits::default(), |i| bits[*i]);
        let [op, neg, abs, neg_lo, neg_hi] = ["op", "neg", "abs", "neg_lo", "neg_hi"].map(named);
        let [sext, sgpr, sd, en, compr] = ["sext", "sgpr", "sd", "en", "compr"].map(named);
        let [op_sel, acc, fi] = ["op_sel", "acc", "fi"].map(named);
        let is_packed = !named("op_sel_hi").is_empty();
        Bitmap { layout, op, neg, abs, neg_lo, neg_hi, sext, sgpr, sd, en, compr, op_sel, acc, fi, is_packed, bits }
    }

    fn of(&self, field: Field) -> Bits {
        self.bits.get(usize::from(field.0)).copied().unwrap_or_default()
    }
}

struct Builder<'s> {
    shared: &'s Shared,
    lists: &'s mut Lists,
    immediates: &'s Immediates,
    layout: &'s Bitmap,
    encoding: &'static Encoding,
    form: &'static Form,
}

impl Builder<'_> {
    fn bits(&self, field: &str) -> Bits {
        self.shared.fields.get(field).map_or(Bits::default(), |f| self.layout.bits[*f])
    }

    fn entry(&mut self, instruction: &'static Instruction, opcode: u32) -> Result<Entry, String> {
        let form = self.form;
        let sources = form.operands.iter().filter(|o| o.name.starts_with("src")).count() as u8;
        let operands = self.operands();
        let modifiers = self.modifiers(sources)?;
        let (mut mask, mut value) = (0, 0);
        let layout = self.layout;
        for piece in &layout.layout.pieces {
            if let Content::Fixed(bits) = piece.content {
                mask |= u128::from(super::bits::ones(piece.width)) << piece.low;
                value |= u128::from(bits) << piece.low;
            }
        }
        let op = layout.op;
        if !op.holds(opcode.into()) {
            return Err(format!("opcode 0x{opcode:x} is too wide"));
        }
        mask |= op.mask();
        value = op.set(value, opcode.into());
        for (field, number, which) in &form.fixed {
            let bits = layout.of(*field);
            // Bits that have another meaning in this form are not fixed.
            let name = self.shared.table.fields[usize::from(field.0)];
            let others = form.modifiers.iter().map(|m| field_of(m)).filter(|m| *m != name);
            let taken = others.fold(0, |all, name| all | self.bits(name).mask());
            mask |= bits.set(0, *which) & !taken;
            value |= bits.set(0, *number);
        }
        let (mut wanted, mut wanted_value) = (self.unscaled(), 0);
        for (field, number, which) in &form.wanted {
            wanted |= layout.of(*field).set(0, *which);
            wanted_value |= layout.of(*field).set(0, *number);
        }
        // Packed instructions that take signs of single sources have them where others have those of halves.
        let is_signed = form.operands.iter().any(|o| o.float_modifiers);
        let signs = |own: Bits, packed: Bits| if own.is_empty() && is_signed { packed } else { own };
        let mut entry = Entry {
            instruction,
            form,
            encoding: self.encoding,
            id: Id::default(),
            size: (layout.layout.bits / 8) as u8,
            mask,
            value,
            start: 0,
            unused: 0,
            unused_value: 0,
            ignored: 0,
            spare: 0,
            wanted,
            wanted_value,
            silent: modifiers.iter().fold((0, 0), |all, m| (all.0 | m.silent.0, all.1 | m.silent.1)),
            branch: operands.iter().find(|s| s.operand.ty.name == "branch").map_or(Bits::default(), |s| s.bits),
            operands,
            takes_literal: form.operands.iter().any(|o| o.class.has(Class::LITERAL)),
            together: Together::default(),
            modifiers,
            neg: signs(layout.neg, layout.neg_lo),
            abs: signs(layout.abs, layout.neg_hi),
            sext: layout.sext,
            sgpr: layout.sgpr,
            sd: layout.sd,
            en: layout.en,
            compr: layout.compr,
            op_sel: layout.op_sel,
            acc: layout.acc,
            dpp8: if form.modifiers.contains(&"fi8@fi") { layout.fi } else { Bits::default() },
            image: instruction
                .image
                .as_ref()
                .map(|i| Places::new(i, &self.shared.table.dimensions, |name| self.bits(name)).into()),
            half: Half::of(self.encoding.name),
            plan: OnceLock::new(),
        };
        // Where one is printed always, or two do not agree about a bit, no word is all silent.
        if entry.modifiers.iter().any(|m| m.silent.0 == 0 || entry.silent.1 & m.silent.0 != m.silent.1) {
            entry.silent = (0, 1);
        }
        self.unused(&mut entry);
        entry.together = Together::of(&entry);
        Ok(entry)
    }

    /// The bit that scales an offset, in forms whose offset cannot be scaled.
    fn unscaled(&self) -> u128 {
        let fields = &self.encoding.scaled;
        let scales = fields.iter().all(|f| self.form.operands.iter().any(|o| o.field == Some(*f)));
        if fields.is_empty() || scales { 0 } else { self.bits("cpol").mask_of(SCALE_OFFSET) }
    }

    /// Says of each modifier when it is not printed.
    fn silence(&self, modifiers: &mut [Modifier]) {
        // Bits that have another meaning in this form are not those of a list.
        let others = modifiers.iter().filter(|m| !matches!(m.kind, ModifierKind::List { .. }));
        let taken = others.fold(0, |all, m| all | m.bits.mask());
        for modifier in modifiers {
            let mask = modifier.bits.mask();
            modifier.silent = match modifier.kind {
                ModifierKind::Flag | ModifierKind::Offset { hex: false, .. } => (mask, 0),
                ModifierKind::Immediate(_) if modifier.name == "fi8" => (0, 0),
                ModifierKind::Immediate(index) => {
                    let usual = self.immediates.forms()[usize::from(index)].hidden_value();
                    usual
                        .filter(|v| modifier.bits.holds(u64::from(*v)))
                        .map_or((0, 0), |v| (mask, modifier.bits.set(0, v.into())))
                }
                ModifierKind::List { count, destination, usual } => {
                    let bits = (0..u32::from(count)).fold(0, |all, i| all | modifier.bits.mask_of(i));
                    let more = if destination { modifier.bits.mask_of(3) } else { 0 };
                    // Bits without a place, and those that another modifier has, count as zeros.
                    let is_zero = |i| modifier.bits.mask_of(i) & !taken == 0;
                    let is_own = (bits | more) & taken == 0 && !(usual && (0..u32::from(count)).any(is_zero));
                    if is_own { (bits | more, if usual { bits } else { 0 }) } else { (0, 0) }
                }
                ModifierKind::Word | ModifierKind::Part | ModifierKind::Offset { .. } => (0, 0),
            };
        }
    }

    /// What is left when everything that is read has been taken.
    fn unused(&self, entry: &mut Entry) {
        let mut used = entry.mask;
        for slot in &*entry.operands {
            used |= slot.bits.mask();
            if slot.operand.name == "sdst" {
                used |= entry.sd.mask();
            }
            let Some(source) = slot.source.map(u32::from) else { continue };
            used |= if source < 2 { entry.sgpr.mask_of(source) } else { 0 };
            if slot.operand.float_modifiers {
                used |= entry.neg.mask_of(source) | entry.abs.mask_of(source);
            }
            if slot.operand.integer_modifiers {
                used |= entry.sext.mask_of(source);
            }
            if slot.half {
                used |= entry.op_sel.mask_of(source);
            }
        }
        used |= entry.en.mask() | entry.image.as_ref().map_or(0, |i| i.used);
        if entry.operands.iter().any(|s| s.operand.class.has(Class::A)) {
            used |= entry.acc.mask();
        }
        let sources = entry.operands.iter().filter(|s| s.operand.name.starts_with("src")).count() as u32;
        for modifier in &*entry.modifiers {
            used |= match modifier.kind {
                ModifierKind::List { count, destination, .. } => {
                    // More than sources choose a byte of the destination; where that is the third source, it has no bit there.
                    let least = sources == 0 || entry.form.pairing.accumulates;
                    let count = if least { u32::from(count).min(sources) } else { count.into() };
                    let all = (0..count).fold(0, |all, i| all | modifier.bits.mask_of(i));
                    if destination { all | modifier.bits.mask_of(3) } else { all }
                }
                _ => modifier.bits.mask(),
            };
        }
        entry.unused = super::bits::ones_wide(self.layout.layout.bits) & !used;
        for piece in &self.layout.layout.pieces {
            let free = match piece.content {
                Content::Ignored => true,
                Content::Field(field, _) => self.encoding.free.contains(&field),
                Content::Fixed(_) => false,
            };
            let bits = u128::from(super::bits::ones(piece.width)) << piece.low;
            entry.ignored |= if free { bits & entry.unused } else { 0 };
        }
        for (field, number) in &self.encoding.idle {
            entry.unused_value |= self.layout.of(*field).set(0, *number) & entry.unused;
        }
        for (field, number) in &self.encoding.spare {
            let bits = self.layout.of(*field);
            entry.spare |= (bits.set(0, *number) ^ entry.unused_value) & bits.mask() & entry.ignored;
        }
        entry.start = entry.unused_value;
        for (field, number) in &self.encoding.defaults {
            let bits = self.layout.of(*field);
            let name = self.shared.table.fields[usize::from(field.0)];
            let own = self.form.modifiers.iter().any(|m| field_of(m) == name);
            let usual = |m: &&Modifier| own && m.bits == bits && !matches!(m.kind, ModifierKind::List { usual: false, .. });
            let written = entry.modifiers.iter().filter(usual).fold(0, |all, m| all | m.bits.mask());
            entry.start |= bits.set(0, *number) & written & !entry.mask;
        }
        // What a modifier says is not there before it is said.
        let modifiers = entry.modifiers.iter().filter(|m| m.kind != ModifierKind::Word);
        entry.start |= entry.value & !modifiers.fold(0, |all, m| all | m.bits.mask());
        if !entry.dpp8.is_empty() {
            entry.start = entry.dpp8.set(entry.start, 0xe9);
        }
    }

    fn slot(&self, operand: &Operand) -> Slot {
        let bits = operand.field.map_or(Bits::default(), |f| self.layout.of(f));
        let name = operand.name;
        let source = name.strip_prefix("src").and_then(|n| n.parse().ok());
        let vector = operand.class.has(Class::V) && !operand.class.has(Class::NOT_HALF);
        let half = vector && operand.ty.total() == 16 && self.encoding.halves.has(self.shared.target);
        let source = source.or((half && name.starts_with("vdst")).then_some(3));
        let mut operand = *operand;
        if operand.class != Class::A && self.encoding.accumulators.is_some_and(|t| !t.has(self.shared.target)) {
            operand.class = Class(operand.class.0 & !Class::A.0);
        }
        let registers = self.encoding.unconstant.iter().any(|u| Some(u.0) == operand.field && u.1.has(self.shared.target));
        let immediate = operand.class.has(Class::IMMEDIATE).then(|| self.immediate(operand.ty.name)).flatten();
        let class = operand.class;
        let kind = match operand.ty.name {
            _ if class.has(Class::TEXT) => SlotKind::Text,
            _ if class.has(Class::K) => SlotKind::Constant,
            _ if class.has(Class::IMMEDIATE) => SlotKind::Immediate,
            "export" => SlotKind::Export,
            _ => SlotKind::Register,
        };
        let is_vector = class.has(Class::V) || class.has(Class::A);
        let always = is_vector && bits.mask_of(8) == 0;
        let accumulates = class.has(Class::A) && !class.has(Class::V);
        let file = if always { VECTOR | if accumulates { ACCUMULATION } else { 0 } } else { 0 };
        let words = register::words(operand.ty, self.shared.wave);
        let from_elsewhere =
            source.is_some() && !self.layout.sgpr.is_empty() || class.has(Class::A) && !self.layout.acc.is_empty();
        let is_split = accumulates && !always || from_elsewhere;
        Slot { operand, bits, source, half, registers, immediate, kind, words, file, is_split }
    }

    fn operands(&mut self) -> Arc<[Slot]> {
        let key = (self.form.encoding, self.form.operands.as_ptr().addr());
        if let Some(known) = self.lists.operands.get(&key) {
            return known.clone();
        }
        let operands: Arc<[Slot]> = self.form.operands.iter().map(|o| self.slot(o)).collect();
        self.lists.operands.insert(key, operands.clone());
        operands
    }

    fn immediate(&self, name: &str) -> Option<u16> {
        self.shared.forms.get(name).copied()
    }

    fn modifiers(&mut self, sources: u8) -> Result<Arc<[Modifier]>, String> {
        let form = self.form;
        let has_destination = form.operands.iter().any(|o| o.name == "vdst");
        let name = |f: Field| self.shared.table.fields[usize::from(f.0)];
        let is_fixed = |text| form.fixed.iter().any(|(f, _, which)| *which == u64::MAX && name(*f) == field_of(text));
        let fixed: Vec<bool> =
            if form.fixed.is_empty() { Vec::new() } else { form.modifiers.iter().map(|text| is_fixed(text)).collect() };
        let depends = usize::from(sources) << 1 | usize::from(has_destination);
        // There are fewer than 48 modifiers.
        let depends = fixed.iter().fold(depends, |all, fixed| all << 1 | usize::from(*fixed));
        let key = (form.encoding, form.modifiers.as_ptr().addr(), depends << 1 | usize::from(fixed.is_empty()));
        if let Some(known) = self.lists.modifiers.get(&key) {
            return Ok(known.clone());
        }
        let mut modifiers = Vec::with_capacity(form.modifiers.len());
        for (index, text) in form.modifiers.iter().enumerate() {
            let is_fixed = fixed.get(index).is_some_and(|fixed| *fixed);
            modifiers.extend(self.modifier(text, sources, (has_destination, is_fixed))?);
        }
        self.silence(&mut modifiers);
        let modifiers: Arc<[Modifier]> = modifiers.into();
        self.lists.modifiers.insert(key, modifiers.clone());
        Ok(modifiers)
    }

    fn modifier(
        &self,
        text: &'static str,
        sources: u8,
        (has_destination, is_fixed): (bool, bool),
    ) -> Result<Option<Modifier>, String> {
        let (name, field) = (text.split_once('@').map_or(text, |parts| parts.0), field_of(text));
        // Behind a list stands what is not usual of it: `op_sel/2-`, `op_sel_hi=0`.
        let (name, marks) = name.split_at(name.find(['/', '+', '-', '=']).unwrap_or(name.len()));
        let bits = self.bits(field);
        if name == "gds" && !is_fixed && !self.shared.table.group("global_data_share").has(self.shared.target) {
            return Ok(None);
        }
        let signed = self.encoding.signed.has(self.shared.target);
        let kind = match name {
            "offset" | "offset0" | "offset1" => ModifierKind::Offset { signed: false, hex: false },
            "flat_offset" => ModifierKind::Offset { signed, hex: false },
            "smem_offset" => ModifierKind::Offset { signed, hex: true },
            "attrchan" => ModifierKind::Part,
            "op_sel" | "op_sel_hi" | "neg_lo" | "neg_hi" | "neg" => {
                let count = marks.strip_prefix('/').and_then(|m| m[..1].parse().ok()).unwrap_or(sources.max(1));
                let usual = !self.layout.is_packed && has_destination;
                let destination = name == "op_sel" && (marks.contains('+') || usual && !marks.contains('-'));
                ModifierKind::List { count, destination, usual: name == "op_sel_hi" && !marks.contains("=0") }
            }
            // The layouts of images differ in the modifiers that they have room for.
            _ if bits.is_empty() && matches!(self.encoding.name, "mimg" | "vimage" | "vsample") => return Ok(None),
            _ => match self.immediate(name) {
                Some(index) => ModifierKind::Immediate(index),
                None if is_fixed || !self.shared.fields.contains_key(field) => ModifierKind::Word,
                None if bits.is_empty() => return Ok(None),
                None if bits.width() == 1 => ModifierKind::Flag,
                None => return Err(format!("nobody says how `{name}` is written")),
            },
        };
        let bits = match (name, kind) {
            (_, ModifierKind::Word) => Bits::default(),
            ("offset0", _) => bits.part(0, 8),
            ("offset1", _) => bits.part(8, 8),
            _ => bits,
        };
        let name = match name {
            "flat_offset" | "smem_offset" => "offset",
            other => other,
        };
        let is_needed = kind == ModifierKind::Word || matches!(name, "dpp_ctrl" | "dpp8");
        Ok(Some(Modifier { name, bits, kind, silent: (0, 0), is_needed, is_policy: name.starts_with("cpol") }))
    }
}
