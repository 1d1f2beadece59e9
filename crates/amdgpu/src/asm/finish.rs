//! The end of assembling: offsets, values of what waited for them, relocations, the symbol table.

use super::evaluate::{Failure, Value, View};
use super::expression::{Expression, Specifier};
use super::section::{Fixup, FixupKind, LayoutFailure, Tail, elf};
use super::symbol::{Binding, Place, State, Symbol, SymbolId, SymbolKind, Visibility};
use super::{Assembler, Assembly, codes};
use diagnostics::{Diagnostic, Span};
use std::collections::HashMap;

/// A section of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its type, ELF's SHT value.
    pub kind: u32,
    /// Its flags, ELF's SHF values.
    pub flags: u64,
    /// The size of an entry, if it has such.
    pub entry_size: u64,
    /// The boundary of its start.
    pub align: u64,
    /// The group's name, and whether only one group of this name is kept.
    pub group: Option<(String, bool)>,
    /// The section that it is ordered with.
    pub linked_to: Option<usize>,
    /// The bytes; none where the type says that they are all zero.
    pub bytes: Vec<u8>,
    /// The size in memory.
    pub size: u64,
    /// How many of [`Assembly::symbols`] come before its own symbol.
    pub symbols_before: usize,
}

/// Where a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolPlace {
    /// In another file.
    Undefined,
    /// Nowhere: it is a number.
    Absolute,
    /// In memory that the linker joins; the value is its boundary.
    Common,
    /// In local data share; the value is its boundary.
    Lds,
    /// In a section, by its number.
    Section(usize),
}

/// An entry of the symbol table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolEntry {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: SymbolPlace,
    /// The offset in its section, the number, or the boundary.
    pub value: u64,
    /// What `.size` said.
    pub size: u64,
    /// Who may refer to it.
    pub binding: Binding,
    /// What it is.
    pub kind: SymbolKind,
    /// Who may see it.
    pub visibility: Visibility,
}

/// What a relocation refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocationTarget {
    /// Nothing: address 0.
    None,
    /// A symbol, by its number among [`Assembly::symbols`].
    Symbol(usize),
    /// The start of a section, by its number.
    Section(usize),
}

/// A place that the linker fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// The section, by its number.
    pub section: usize,
    /// Where in it.
    pub offset: u64,
    /// What to compute, ELF's R_AMDGPU value.
    pub kind: u32,
    /// From what.
    pub target: RelocationTarget,
    /// Plus this.
    pub addend: i64,
}

/// A relocation that `.reloc` asks for.
pub(crate) struct Named {
    pub section: u32,
    pub offset: Expression,
    pub place: Place,
    pub kind: u32,
    pub value: Expression,
    pub value_place: Place,
}

/// Relocations of AMDGPU's ABI.
const ABS32_LO: u32 = 1;
const ABS64: u32 = 3;
const REL32: u32 = 4;
const REL64: u32 = 5;
const ABS32: u32 = 6;
const REL16: u32 = 14;
const NAMES: [(&str, u32); 16] = [
    ("R_AMDGPU_NONE", 0),
    ("R_AMDGPU_ABS32_LO", ABS32_LO),
    ("R_AMDGPU_ABS32_HI", 2),
    ("R_AMDGPU_ABS64", ABS64),
    ("R_AMDGPU_REL32", REL32),
    ("R_AMDGPU_REL64", REL64),
    ("R_AMDGPU_ABS32", ABS32),
    ("R_AMDGPU_GOTPCREL", 7),
    ("R_AMDGPU_GOTPCREL32_LO", 8),
    ("R_AMDGPU_GOTPCREL32_HI", 9),
    ("R_AMDGPU_REL32_LO", 10),
    ("R_AMDGPU_REL32_HI", 11),
    ("R_AMDGPU_RELATIVE64", 13),
    ("R_AMDGPU_REL16", REL16),
    ("BFD_RELOC_NONE", 0),
    ("BFD_RELOC_32", ABS32),
];

/// The number of a relocation's name.
pub(crate) fn relocation_named(name: &str) -> Option<u32> {
    let found = NAMES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
    found.or((name == "BFD_RELOC_64").then_some(ABS64))
}

/// The relocation that a suffix asks for.
fn relocation_of(specifier: Specifier) -> u32 {
    match specifier {
        Specifier::GotPcRel => 7,
        Specifier::GotPcRel32Lo => 8,
        Specifier::GotPcRel32Hi => 9,
        Specifier::Rel32Lo => 10,
        Specifier::Rel32Hi => 11,
        Specifier::Rel64 => REL64,
        Specifier::Abs32Lo => ABS32_LO,
        Specifier::Abs32Hi => 2,
        Specifier::Abs64 => ABS64,
    }
}

/// A relocation whose target is not numbered yet.
struct Pending {
    section: u32,
    offset: u64,
    kind: u32,
    symbol: Option<SymbolId>,
    section_target: Option<u32>,
    addend: i64,
}

fn binding(symbol: &Symbol) -> Binding {
    symbol.binding.unwrap_or(match symbol.state {
        State::Undefined => Binding::Global,
        _ => Binding::Local,
    })
}

impl Assembler<'_, '_> {
    /// Lays everything out and gives the result.
    pub(crate) fn finish(mut self) -> Assembly {
        let mut assembly = Assembly::default();
        self.lay_out();
        let pending = self.resolve();
        assembly.kernels = self.kernels();
        self.check_variables();
        let numbers = self.symbol_table(&mut assembly.symbols);
        assembly.relocations = pending.iter().map(|pending| relocation(pending, &numbers)).collect();
        assembly.sections = self.section_table(&numbers);
        let significant = self.address_significant.iter().filter_map(|id| numbers.get(id).copied());
        assembly.address_significant = self.has_address_significance.then(|| significant.collect());
        assembly.metadata = std::mem::take(&mut self.metadata);
        assembly.code_object_version = self.code_object_version;
        assembly.printed = std::mem::take(&mut self.printed);
        assembly.lengths = std::mem::take(&mut self.lengths);
        assembly.diagnostics = self.report.finish();
        assembly
    }

    /// A place as a span of the file.
    pub(crate) fn file_span(&mut self, place: Place) -> Span {
        self.pool.buffer = place.buffer;
        self.in_file(place.span)
    }

    fn lay_out(&mut self) {
        let mut failures = Vec::new();
        self.sections.lay_out(&self.pool, &mut |tail, failure| {
            // Of a file that repeats one mistake, not every place is kept.
            if failures.len() < 1000 {
                failures.push((tail, failure));
            }
        });
        self.pool.is_settled = true;
        for (tail, failure) in failures {
            let (place, expression, what) = match tail {
                Tail::Align { place, .. } => (place, None, "the boundary"),
                Tail::Fill { place, count, .. } => (place, Some(count), "the count"),
                Tail::Offset { place, to, .. } => (place, Some(to), "the offset"),
                Tail::Leb { place, value, .. } => (place, Some(value), "the number"),
                Tail::Nothing | Tail::Relax { .. } => continue,
            };
            let diagnostic = match failure {
                LayoutFailure::Unknown => {
                    self.pool.not_known(expression.unwrap_or(Expression::Constant(0)), None, place.span, what)
                }
                LayoutFailure::Negative => Diagnostic::error(codes::RANGE, place.span, "so many bytes are fewer than none")
                    .help("write a number from 0 on; of two labels the later one comes first: `end - start`"),
                LayoutFailure::TooMuch => Diagnostic::error(codes::RANGE, place.span, "the sections would hold too much")
                    .help(format!("they hold at most {} MiB together; `.bss` takes no room", super::section::MOST_BYTES >> 20)),
                LayoutFailure::Behind { to, at } => {
                    let message = format!("offset {to} cannot be reached from offset {at}");
                    Diagnostic::error(codes::RANGE, place.span, message)
                        .help("an offset lies ahead in the same section, by less than 1 GiB")
                }
                LayoutFailure::Unsettled => Diagnostic::error(codes::UNKNOWN_VALUE, place.span, "this size depends on itself")
                    .help("compute it from labels that it does not lie between"),
                LayoutFailure::Odd => Diagnostic::error(
                    codes::ALIGNMENT,
                    place.span,
                    "the boundary cannot be reached with the filling, which has a size of its own",
                )
                .help("code is filled with instructions of 4 bytes: align data among it with a filling, `.balign 4, 0`"),
            };
            self.error_at(place.buffer, diagnostic);
        }
    }

    /// Turns what waited for the layout into bytes and relocations.
    fn resolve(&mut self) -> Vec<Pending> {
        let mut pending = Vec::new();
        for fixup in std::mem::take(&mut self.sections.fixups) {
            if let Err(diagnostic) = self.resolve_one(&fixup, &mut pending) {
                self.error_at(fixup.place.buffer, *diagnostic);
            }
        }
        for named in std::mem::take(&mut self.relocs) {
            if let Err((place, diagnostic)) = self.resolve_named(&named, &mut pending) {
                self.error_at(place.buffer, *diagnostic);
            }
        }
        pending.sort_by_key(|pending| (pending.section, pending.offset));
        pending
    }

    fn resolve_one(&mut self, fixup: &Fixup, pending: &mut Vec<Pending>) -> Result<(), Box<Diagnostic>> {
        let span = fixup.place.span;
        let value = self.pool.evaluate(fixup.value, View::Final(&self.sections), false);
        let value = value.map_err(|failure| self.not_relocatable(failure, span))?;
        let is_relative = match fixup.kind {
            FixupKind::Branch => true,
            FixupKind::Literal(_) => self.pool.is_relative(fixup.value),
            FixupKind::Data(_) | FixupKind::Named(_) => false,
        };
        let offset = self.sections.offset_of_fixup(fixup);
        let section = self.sections.section_of_fixup(fixup);
        let is_here = match value.add {
            Some(add) if is_relative && value.subtract.is_none() => {
                let symbol = self.pool.symbols.get(add);
                let is_local = binding(symbol) == Binding::Local && symbol.kind != SymbolKind::IndirectFunction;
                is_local && self.pool.address(add, &self.sections).is_some_and(|(of, _)| of == Some(section))
            }
            Some(_) => false,
            None => value.subtract.is_none() && !is_relative,
        };
        let is_known = is_here && value.specifier.is_none();
        if self.sections.list[section as usize].kind == elf::NOBITS {
            return Err(Box::new(
                Diagnostic::error(
                    codes::SECTION,
                    span,
                    "the section takes no room in the file, so that nothing can be filled in",
                )
                .help("put what has values into `.data`"),
            ));
        }
        if !is_known {
            pending.push(self.relocate(fixup, value, is_relative, section, offset)?);
        }
        let address = value.add.and_then(|add| self.pool.address(add, &self.sections)).map_or(0, |(_, address)| address);
        let number = if is_known { (address as i64).wrapping_add(value.constant) } else { 0 };
        let number = if is_relative && is_known { number.wrapping_sub(offset as i64) } else { number };
        self.patch(fixup, number)
    }

    /// Puts a number into the bytes of a fixup.
    fn patch(&mut self, fixup: &Fixup, number: i64) -> Result<(), Box<Diagnostic>> {
        let span = fixup.place.span;
        match fixup.kind {
            FixupKind::Branch => {
                // From the next instruction on, which is 4 bytes further.
                let dwords = number.wrapping_sub(4) / 4;
                let Ok(dwords) = i16::try_from(dwords) else {
                    return Err(Box::new(
                        Diagnostic::error(
                            codes::RANGE,
                            span,
                            format!("the target is {dwords} dwords away, and a branch reaches -32768 to 32767"),
                        )
                        .help(
                            "branch to a place between, or jump with `s_getpc_b64`, `s_add_u32`, `s_addc_u32` and `s_setpc_b64`",
                        ),
                    ));
                };
                for (byte, new) in self.sections.bytes_of_fixup(fixup, 2).iter_mut().zip(dwords.to_le_bytes()) {
                    *byte |= new;
                }
            }
            FixupKind::Data(bytes) | FixupKind::Literal(bytes) => {
                let bits = u32::from(bytes.min(8)) * 8;
                let fits = bits == 64 || matches!(number >> (bits - 1), 0 | -1) || (number as u64) >> bits == 0;
                if !fits {
                    return Err(Box::new(super::directive::out_of_range(number, bytes, span)));
                }
                for (byte, new) in self.sections.bytes_of_fixup(fixup, bytes.into()).iter_mut().zip(number.to_le_bytes()) {
                    *byte |= new;
                }
            }
            FixupKind::Named(_) => {}
        }
        Ok(())
    }

    fn relocate(
        &mut self,
        fixup: &Fixup,
        value: Value,
        is_relative: bool,
        section: u32,
        offset: u64,
    ) -> Result<Pending, Box<Diagnostic>> {
        let span = fixup.place.span;
        let (mut is_relative, mut addend) = (is_relative, value.constant);
        if let Some(subtract) = value.subtract {
            let name = self.pool.symbols.get(subtract).name.clone();
            let Some((of, address)) = self.pool.address(subtract, &self.sections) else {
                return Err(Box::new(
                    Diagnostic::error(codes::RELOCATION, span, format!("`{name}` is subtracted but not defined in this file"))
                        .help("subtract a label of this file"),
                ));
            };
            if of != Some(section) {
                return Err(Box::new(
                    Diagnostic::error(codes::RELOCATION, span, format!("`{name}`, which is subtracted, lies in another section"))
                        .help("subtract a label of the section where the value stands, such as `.`"),
                ));
            }
            is_relative = true;
            addend = addend.wrapping_add((offset as i64).wrapping_sub(address as i64));
        }
        let kind = match (value.specifier, fixup.kind) {
            (_, FixupKind::Named(kind)) => kind,
            (Some(specifier), _) => relocation_of(specifier),
            (None, FixupKind::Branch) => self.branch_relocation(value, span)?,
            (None, _) if self.is_scratch(value) => ABS32_LO,
            (None, FixupKind::Data(4) | FixupKind::Literal(4)) => {
                if is_relative {
                    REL32
                } else {
                    ABS32
                }
            }
            (None, FixupKind::Data(8) | FixupKind::Literal(8)) => {
                if is_relative {
                    REL64
                } else {
                    ABS64
                }
            }
            (None, FixupKind::Data(bytes) | FixupKind::Literal(bytes)) => {
                return Err(Box::new(
                    Diagnostic::error(
                        codes::RELOCATION,
                        span,
                        format!("no relocation has {} bits for an address", u32::from(bytes) * 8),
                    )
                    .help("use `.long` or `.quad`, or the difference of two labels of one section"),
                ));
            }
        };
        let mut pending = Pending { section, offset, kind, symbol: value.add, section_target: None, addend };
        if let Some(add) = value.add {
            self.name_section(&mut pending, add, matches!(fixup.kind, FixupKind::Named(_)));
        }
        if let Some(symbol) = pending.symbol {
            let entry = self.pool.symbols.get_mut(symbol);
            entry.in_relocation = true;
            // Numeric labels, which have no names, have been reported.
            if entry.temporary && entry.state == State::Undefined && !entry.name.is_empty() {
                let message = format!("`{}` is not defined, and no other file can", entry.name);
                return Err(Box::new(
                    Diagnostic::error(codes::UNDEFINED, span, message)
                        .help("define it; names that begin with `.L` stay in their file"),
                ));
            }
            self.pool.symbols.register(symbol);
        }
        Ok(pending)
    }

    fn is_scratch(&self, value: Value) -> bool {
        value.add.is_some_and(|add| matches!(&*self.pool.symbols.get(add).name, "SCRATCH_RSRC_DWORD0" | "SCRATCH_RSRC_DWORD1"))
    }

    fn branch_relocation(&self, value: Value, span: Span) -> Result<u32, Box<Diagnostic>> {
        match value.add.map(|add| self.pool.symbols.get(add)) {
            Some(symbol) if symbol.state == State::Undefined => Err(Box::new(
                Diagnostic::error(codes::UNDEFINED, span, format!("there is no label `{}`", symbol.name))
                    .help("define it in this file: code of others is reached by `s_swappc_b64`"),
            )),
            Some(_) => Ok(REL16),
            None => {
                Err(Box::new(Diagnostic::error(codes::RELOCATION, span, "a branch goes to a label or by a number known at once")))
            }
        }
    }

    /// Refers to a section rather than to a local symbol of it, as LLVM does where both say the same.
    fn name_section(&self, pending: &mut Pending, add: SymbolId, is_named: bool) {
        let symbol = self.pool.symbols.get(add);
        if let Some(section) = symbol.section {
            (pending.symbol, pending.section_target) = (None, Some(section));
            return;
        }
        let Some((of, address)) = self.pool.address(add, &self.sections) else { return };
        let is_local = binding(symbol) == Binding::Local && symbol.kind != SymbolKind::IndirectFunction;
        let Some(of) = of.filter(|_| is_local && !is_named) else { return };
        let flags = self.sections.list[of as usize].flags;
        if (flags & elf::MERGE != 0 && pending.addend != 0) || flags & elf::TLS != 0 {
            return;
        }
        pending.addend = pending.addend.wrapping_add(address as i64);
        (pending.symbol, pending.section_target) = (None, Some(of));
    }

    fn not_relocatable(&self, failure: Failure, span: Span) -> Box<Diagnostic> {
        let name = |id: SymbolId| self.pool.symbols.get(id).name.clone();
        Box::new(match failure {
            Failure::Zero => Diagnostic::error(codes::UNKNOWN_VALUE, span, "this divides by zero").help("check the divisor"),
            Failure::Cycle(id) => Diagnostic::error(codes::UNKNOWN_VALUE, span, format!("`{}` depends on itself", name(id)))
                .help("set one of the symbols to something else"),
            Failure::TooLong => Diagnostic::error(codes::EXPANSION, span, "too many symbols depend on one another")
                .help("set some of them to numbers"),
            Failure::Addresses => Diagnostic::error(codes::RELOCATION, span, "no relocation computes this")
                .note("the linker adds one address and a number, and may subtract one label of the same section")
                .help("compute with differences of labels of one section, or with numbers"),
        })
    }

    fn resolve_named(&mut self, named: &Named, pending: &mut Vec<Pending>) -> Result<(), (Place, Box<Diagnostic>)> {
        let view = View::Final(&self.sections);
        let offset = self.pool.evaluate(named.offset, view, true).ok().filter(|value| value.subtract.is_none());
        let (section, offset) = match offset.map(|value| (value, value.add)) {
            Some((value, None)) => (named.section, value.constant),
            Some((value, Some(add))) => match self.pool.address(add, &self.sections) {
                Some((Some(section), address)) => (section, (address as i64).wrapping_add(value.constant)),
                _ => (named.section, -1),
            },
            None => (named.section, -1),
        };
        if offset < 0 {
            let diagnostic = Diagnostic::error(codes::RELOCATION, named.place.span, "this is no place of a section")
                .help("write an offset of this section, or a label plus a number");
            return Err((named.place, Box::new(diagnostic)));
        }
        let value = self.pool.evaluate(named.value, View::Final(&self.sections), false);
        let value = value.map_err(|failure| (named.value_place, self.not_relocatable(failure, named.value_place.span)))?;
        let kind = FixupKind::Named(named.kind);
        let fixup = Fixup { part: 0, fragment: 0, byte: 0, kind, value: named.value, place: named.value_place };
        let relocation = self.relocate(&fixup, value, false, section, offset as u64);
        pending.push(relocation.map_err(|diagnostic| (named.value_place, diagnostic))?);
        Ok(())
    }

    /// Reports variables that have no value.
    fn check_variables(&mut self) {
        for id in self.pool.symbols.registered().to_vec() {
            let symbol = self.pool.symbols.get(id);
            let State::Variable(expression @ Expression::Steps(..)) = symbol.state else { continue };
            let (place, is_replaced) = (symbol.place, symbol.temporary && !symbol.name.starts_with(".L"));
            let failure = match self.pool.evaluate(expression, View::Final(&self.sections), true) {
                Err(failure) => failure,
                Ok(Value { subtract: Some(_), .. }) => Failure::Addresses,
                Ok(Value { add: Some(add), .. }) if matches!(self.pool.symbols.get(add).state, State::Common(..)) => {
                    Failure::Addresses
                }
                Ok(_) => continue,
            };
            if !is_replaced {
                let diagnostic = self.not_relocatable(failure, place.span);
                self.error_at(place.buffer, *diagnostic);
            }
        }
    }

    /// Fills the symbol table; the number of each symbol in it.
    fn symbol_table(&mut self, entries: &mut Vec<SymbolEntry>) -> HashMap<SymbolId, usize> {
        let mut numbers = HashMap::new();
        for id in self.pool.symbols.registered().to_vec() {
            let symbol = self.pool.symbols.get(id);
            if symbol.temporary && !symbol.in_relocation {
                continue;
            }
            let Some((place, value, base)) = self.symbol_place(id) else { continue };
            let symbol = self.pool.symbols.get(id);
            let base = base.map(|base| self.pool.symbols.get(base));
            let size = symbol.size.or(base.and_then(|base| base.size));
            // Places without a name are called as GNU as calls them.
            let name = if symbol.name.is_empty() { ".L0 " } else { &symbol.name };
            let (name, binding) = (name.to_string(), binding(symbol));
            let kind = base.map_or(symbol.kind, |base| symbol.kind.of_alias(base.kind));
            let visibility = symbol.visibility;
            let size = size.map_or(0, |(size, place)| self.size_of(size, place));
            numbers.insert(id, entries.len());
            entries.push(SymbolEntry { name, place, value, size, binding, kind, visibility });
        }
        numbers
    }

    /// Where a symbol is, its value, and the label that it is another name of; none if it does not belong in the table.
    fn symbol_place(&self, id: SymbolId) -> Option<(SymbolPlace, u64, Option<SymbolId>)> {
        let symbol = self.pool.symbols.get(id);
        Some(match symbol.state {
            State::Undefined => (SymbolPlace::Undefined, 0, None),
            State::Common(_, align) => (SymbolPlace::Common, align, None),
            State::Lds(_, align) => (SymbolPlace::Lds, align, None),
            State::Label(label) => {
                (SymbolPlace::Section(self.sections.section_of(label) as usize), self.sections.offset_of(label), None)
            }
            State::Variable(expression) => {
                let base = self.pool.evaluate(expression, View::Final(&self.sections), true).ok()?.add;
                match self.pool.address(id, &self.sections)? {
                    (Some(section), address) => (SymbolPlace::Section(section as usize), address, base),
                    (None, value) => (SymbolPlace::Absolute, value, None),
                }
            }
        })
    }

    fn size_of(&mut self, size: Expression, place: Place) -> u64 {
        let value = self.pool.evaluate(size, View::Final(&self.sections), true);
        let failure = value.err();
        if let Some(value) = value.ok().and_then(|value| value.number()) {
            return value as u64;
        }
        let diagnostic = self.pool.not_known(size, failure, place.span, "the size");
        self.error_at(place.buffer, diagnostic);
        0
    }

    fn section_table(&mut self, numbers: &HashMap<SymbolId, usize>) -> Vec<Section> {
        let mut table = Vec::new();
        let (mut passed, mut symbols_before) = (0, 0);
        for at in 0..self.sections.list.len() {
            let (bytes, is_filled) = self.sections.bytes(&self.pool, at as u32);
            let data = &self.sections.list[at];
            // Sections were begun in this order.
            let named = self.pool.symbols.registered().get(passed..data.symbols_before).unwrap_or(&[]);
            symbols_before += named.iter().filter(|id| numbers.contains_key(id)).count();
            passed += named.len();
            let linked = data.key.linked_to.map(|id| self.pool.symbols.get(id).state);
            let linked_to = match linked {
                Some(State::Label(label)) => Some(self.sections.section_of(label) as usize),
                _ => None,
            };
            let section = Section {
                name: data.key.name.clone(),
                kind: data.kind,
                flags: data.flags,
                entry_size: data.entry_size,
                align: data.align,
                group: data.key.group.clone(),
                linked_to,
                bytes,
                size: self.sections.size(at as u32),
                symbols_before,
            };
            if is_filled {
                let message = format!("section `{}` takes no room in the file, but holds more than zeros", section.name);
                let span = Span::default();
                self.error_at(0, Diagnostic::error(codes::SECTION, span, message).help("put what has values into `.data`"));
            }
            table.push(section);
        }
        table
    }
}

fn relocation(pending: &Pending, numbers: &HashMap<SymbolId, usize>) -> Relocation {
    let target = match (pending.symbol.and_then(|id| numbers.get(&id)), pending.section_target) {
        (Some(number), _) => RelocationTarget::Symbol(*number),
        (None, Some(section)) => RelocationTarget::Section(section as usize),
        (None, None) => RelocationTarget::None,
    };
    Relocation { section: pending.section as usize, offset: pending.offset, kind: pending.kind, target, addend: pending.addend }
}
