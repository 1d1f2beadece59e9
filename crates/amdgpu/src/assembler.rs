//! Assembly with the instructions of a target: what joins [`asm`], [`codec`](crate::codec) and
//! [`object`](crate::object).
//!
//! [`assemble`] reads a text; [`object()`] makes a code object of it. Operands that an expression with labels decides become
//! literals or branches that are filled once everything has its place.

use std::cell::Cell;

use diagnostics::{Diagnostic, Span};
use isa::amdgpu::{Class, Number, descriptor::Layout};

use crate::asm::expression::{Expression, Machine, Pool};
use crate::asm::lex::{Cursor, Kind, Token};
use crate::asm::symbol::Binding;
use crate::asm::{self, Assembly, Encoded, EncodedFixup, FixupKind, InstructionLine, Loader, Options};
use crate::asm::{RelocationTarget, SymbolPlace};
use crate::codec::register::{LITERAL, LITERAL64};
use crate::codec::{Assembled, Codec, Decoded, Slot};
use crate::object::descriptor::{Descriptor, Directives};
use crate::object::metadata::Metadata;
use crate::object::write::{Builder, NewRelocation, Place};
use crate::object::{Error, TargetId, Version};

const INSTRUCTION: &str = "E0418";
const KERNEL: &str = "E0419";
const METADATA: &str = "E0420";
const VERSION: &str = "E0421";

/// Assembles a text for a target, with the instructions of its codec.
///
/// ```
/// use amdgpu::{assembler, codec::Codec, object::TargetId};
///
/// let codec = Codec::of("gfx942", None)?;
/// let text = "loop: s_sub_u32 s0, s0, 1\n s_cbranch_scc0 loop\n s_endpgm";
/// let assembly = assembler::assemble(text, &codec, &TargetId::of("gfx942")?, None);
/// assert!(assembly.is_right());
/// assert_eq!(assembly.sections[0].bytes[4..8], [0xfe, 0xff, 0x84, 0xbf]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn assemble(text: &str, codec: &Codec, target: &TargetId, loader: Option<&Loader>) -> Assembly {
    let version = version(target.object.name, codec);
    let options = Options {
        target: &target.triple(),
        version,
        machine: Machine {
            major: version[0],
            has_unified_registers: codec.has("unified_registers"),
            has_architected_flat_scratch: codec.has("architected_flat_scratch"),
        },
        lds_bytes: lds_bytes(codec),
        has_branch_bug: codec.has("branch_offset_3f_bug"),
        descriptor_place: &|name| Layout::get().ok()?.order(target.object, name),
        loader,
    };
    asm::assemble(text, options, &mut |line, pool| encode(codec, line, pool))
}

/// Bytes of local data share that a work-group can have.
fn lds_bytes(codec: &Codec) -> u64 {
    let sizes = [("lds_320k", 320), ("lds_160k", 160)];
    let one = sizes.iter().find(|s| codec.has(s.0)).map_or(64, |s| s.1) << 10;
    // As LLVM counts it, a work-group may have that of both compute units.
    if codec.has("work_group_processor") { one * 2 } else { one }
}

/// Major and minor version and stepping in the name of a target: the last two digits, the stepping a hexadecimal one.
fn version(name: &str, codec: &Codec) -> [u32; 3] {
    let name = name.trim_start_matches("gfx");
    let digit = |text: &str| u32::from_str_radix(text, 16).unwrap_or(0);
    if let Some(family) = name.strip_suffix("-generic") {
        let (major, minor) = family.split_once('-').unwrap_or((family, "0"));
        return [major.parse().unwrap_or(0), digit(minor), if codec.has("generic_stepping_3") { 3 } else { 0 }];
    }
    let (major, rest) = name.split_at(name.len().saturating_sub(2));
    let (minor, stepping) = rest.split_at(rest.len().min(1));
    [major.parse().unwrap_or(0), digit(minor), digit(stepping)]
}

/// Encodes one instruction.
///
/// # Errors
/// The target has no such instruction, or not with these operands; spans point into the line's text.
pub fn encode(codec: &Codec, line: &InstructionLine, pool: &mut Pool) -> Result<Encoded, Vec<Diagnostic>> {
    if let Some(wrong) = line.operands.iter().find(|token| token.kind == Kind::Error) {
        return Err(vec![asm::lex::explain(wrong, line.text)]);
    }
    let operands = Operands::of(line);
    let asked = Cell::new(false);
    let known = |name: &str| {
        asked.set(true);
        pool.symbols.number(name)
    };
    let problem = match codec.assemble(line.name(), operands.text(), &known) {
        Ok(assembled) => return Ok(Encoded { is_settled: !asked.get(), ..encoded(codec, &assembled, None) }),
        Err(problem) => problem,
    };
    for part in operands.parts(codec).into_iter().rev() {
        if let Some(found) = with_expression(codec, line, &operands, part, pool) {
            return Ok(found);
        }
    }
    let span = match problem.span {
        // The mnemonic is wrong, or what it asks for.
        Span { start: 0, end: 0 } => line.mnemonic,
        span => operands.place(span),
    };
    let advice = codec.advise(line.name(), operands.text(), &problem, &|name| pool.symbols.number(name));
    let mut diagnostic = Diagnostic::error(INSTRUCTION, span, advice.message.unwrap_or(problem.message));
    diagnostic.notes = advice.notes;
    diagnostic.help = advice.help;
    Err(vec![diagnostic])
}

/// The operands of a line as one text, blank where comments stood.
struct Operands<'t> {
    start: u32,
    text: std::borrow::Cow<'t, str>,
    tokens: &'t [Token],
}

impl<'t> Operands<'t> {
    fn of(line: &InstructionLine<'t>) -> Self {
        let start = line.mnemonic.end;
        let end = line.operands.last().map_or(start, |token| token.span.start).max(start);
        let text = Span::new(start, end).text(line.text);
        let text =
            if text.as_bytes().contains(&b'/') && text.contains("/*") { without_comments(text).into() } else { text.into() };
        Operands { start, text, tokens: line.operands }
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn place(&self, span: Span) -> Span {
        Span::new(self.start + span.start, self.start + span.end)
    }

    /// The ranges of tokens between commas that may be expressions with labels: they hold a name that is no register.
    fn parts(&self, codec: &Codec) -> Vec<(usize, usize)> {
        let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0i32);
        for (at, token) in self.tokens.iter().enumerate() {
            match token.kind {
                Kind::LeftParenthesis | Kind::LeftBracket => depth += 1,
                Kind::RightParenthesis | Kind::RightBracket => depth -= 1,
                Kind::Comma if depth == 0 => {
                    parts.push((start, at));
                    start = at + 1;
                }
                Kind::EndOfStatement => parts.push((start, at)),
                _ => {}
            }
        }
        parts.retain(|(from, to)| {
            let tokens = &self.tokens[*from..*to];
            let name = |t: &Token| {
                let start = (t.span.start - self.start) as usize;
                self.text.get(start..start + (t.span.end - t.span.start) as usize).unwrap_or("")
            };
            let is_name = |t: &Token| matches!(t.kind, Kind::Identifier | Kind::Dot | Kind::Integer);
            let is_register = |(at, token): (usize, &Token)| {
                let opens = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::LeftBracket);
                token.kind == Kind::Identifier && is_register(codec, name(token), opens)
            };
            tokens.iter().any(is_name) && !tokens.iter().enumerate().any(is_register)
        });
        parts
    }
}

/// Whether a name is written as registers are, whether or not there are such here; `opens` if a bracket follows.
fn is_register(codec: &Codec, name: &str, opens: bool) -> bool {
    codec.registers().is_name(name, opens) || name == "off"
}

fn without_comments(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once("/*") {
        let end = after.find("*/").map_or(after.len(), |at| at + 2);
        out.push_str(before);
        out.extend(std::iter::repeat_n(' ', 2 + end));
        rest = &after[end..];
    }
    out + rest
}

/// The instruction with one operand as an expression whose value is not known yet.
fn with_expression(
    codec: &Codec,
    line: &InstructionLine,
    operands: &Operands,
    (from, to): (usize, usize),
    pool: &mut Pool,
) -> Option<Encoded> {
    let mut cursor = Cursor::new(line.text, &line.operands[from..]);
    let first = cursor.span();
    let value = pool.expression(&mut cursor).ok().filter(|v| !matches!(v, Expression::Constant(_)))?;
    if cursor.rest().len() != line.operands.len() - to {
        return None;
    }
    let span = Span::new(first.start, cursor.last_end());
    let text = operands.text();
    let (before, after) = ((span.start - operands.start) as usize, (span.end - operands.start) as usize);
    let known = |name: &str| pool.symbols.number(name);
    let attempt = |operand: &str| {
        let text = format!("{}{operand}{}", &text[..before], &text[after..]);
        codec.assemble(line.name(), &text, &known).ok()
    };
    let fixup = |offset: u8, kind: FixupKind| Some(EncodedFixup { offset, kind, value, span });
    if let Some(assembled) = attempt("lit(0)")
        && let Some((_, count)) = assembled.literal
    {
        let takes = codec.decoded(&assembled).is_some_and(|decoded| takes_expressions(codec, &decoded));
        return takes.then(|| encoded(codec, &assembled, fixup(assembled.size, FixupKind::Literal(count))));
    }
    let assembled = attempt("0")?;
    let (bytes, count) = assembled.bytes();
    let entry = codec.decode(&bytes[..count]).ok()?.entry;
    entry.operands.iter().any(|s| s.operand.ty.name == "branch").then(|| encoded(codec, &assembled, fixup(0, FixupKind::Branch)))
}

/// Whether the operand that is the literal may be decided by labels: one of 32 bits that takes no signs, or a scalar one where there are
/// literals of 64 bits.
fn takes_expressions(codec: &Codec, decoded: &Decoded) -> bool {
    let entry = decoded.entry;
    if decoded.second.is_some() {
        return false;
    }
    let is_literal = |slot: &&Slot| {
        let number = slot.bits.get(decoded.word);
        slot.operand.class.has(Class::LITERAL) && (number == LITERAL.into() || number == LITERAL64.into())
    };
    entry.operands.iter().filter(is_literal).any(|slot| {
        let (ty, is_scalar) = (slot.operand.ty, entry.encoding.name.starts_with("sop"));
        let is_plain = matches!(ty.number, Number::Bits | Number::Float) && ty.lanes == 1;
        let is_signed = slot.operand.float_modifiers && entry.encoding.name.starts_with("vop3");
        is_plain && ty.bits == 32 && !is_signed || is_scalar && slot.words == 2 && codec.has("literal64")
    })
}

/// The bytes, and which registers they name.
fn encoded(codec: &Codec, assembled: &Assembled, fixup: Option<EncodedFixup>) -> Encoded {
    let (bytes, count) = assembled.bytes();
    let mut encoded = Encoded { fixups: [fixup, None], ..Encoded::default() };
    let count = count.min(encoded.bytes.len());
    encoded.bytes[..count].copy_from_slice(&bytes[..count]);
    encoded.len = count as u8;
    if let Some(decoded) = codec.decoded(assembled) {
        (encoded.vgprs, encoded.sgprs) = codec.registers_used(&decoded);
    }
    encoded
}

/// The code object of an assembled text, in waves of so many lanes or as is usual on the target.
///
/// # Errors
/// A kernel's directives, the metadata or the version are wrong; spans point into the text.
pub fn object(assembly: &Assembly, target: TargetId, wave: Option<u8>) -> Result<Builder, Vec<Diagnostic>> {
    let version = match assembly.code_object_version {
        Some((number, span)) => u64::try_from(number).ok().and_then(Version::from_number).ok_or_else(|| {
            let message = format!("there is no code object version {number}");
            vec![Diagnostic::error(VERSION, span, message).help("versions 3 to 6 are written")]
        })?,
        None => Version::V6,
    };
    let mut builder = Builder::new(target, version);
    let mut problems = Vec::new();
    let mut named = 0;
    for section in &assembly.sections {
        // The symbols of sections stand among the others, where sections were begun.
        let before = assembly.symbols.get(named..section.symbols_before).unwrap_or(&[]);
        for symbol in before {
            builder.symbol(&symbol.name);
        }
        named += before.len();
        let at = builder.section_of(&section.name, section.kind, section.flags, section.entry_size);
        let made = &mut builder.sections[at];
        made.alignment = section.align.max(1);
        made.data.clone_from(&section.bytes);
        if section.bytes.is_empty() {
            made.zeros = section.size;
        }
    }
    symbols(assembly, &mut builder);
    relocations(assembly, &mut builder);
    builder.address_significant = assembly
        .address_significant
        .as_ref()
        .map(|all| all.iter().filter_map(|at| assembly.symbols.get(*at)).map(|symbol| builder.symbol(&symbol.name)).collect());
    for kernel in &assembly.kernels {
        match descriptor(kernel, target, wave) {
            Ok(descriptor) => place_descriptor(&descriptor, kernel, &mut builder),
            Err(problem) => problems.push(*problem),
        }
    }
    for block in &assembly.metadata {
        match Metadata::from_yaml(&block.text) {
            Ok(metadata) => builder.metadata(&metadata),
            Err(error) => problems.push(told(METADATA, block.span, &error)),
        }
    }
    if problems.is_empty() { Ok(builder) } else { Err(problems) }
}

fn told(code: &'static str, span: Span, error: &Error) -> Diagnostic {
    let diagnostic = Diagnostic::error(code, span, error.to_string());
    if error.help.is_empty() { diagnostic } else { diagnostic.help(error.help.clone()) }
}

fn descriptor(kernel: &asm::Kernel, target: TargetId, wave: Option<u8>) -> Result<Descriptor, Box<Diagnostic>> {
    let wrong = |span: Span| move |error: Error| Box::new(told(KERNEL, span, &error));
    let mut directives = Directives::new(target, wave.map(u32::from)).map_err(wrong(kernel.span))?;
    for field in &kernel.fields {
        // One without a value has been reported.
        if let Some(value) = field.value {
            directives.set(&field.name, value).map_err(wrong(field.span))?;
        }
    }
    directives.finish().map_err(wrong(kernel.end))
}

fn place_descriptor(descriptor: &Descriptor, kernel: &asm::Kernel, builder: &mut Builder) {
    let at = kernel.offset as usize;
    let section = builder.sections.get_mut(kernel.section);
    if let Some(place) = section.and_then(|s| s.data.get_mut(at..at + Descriptor::SIZE)) {
        // The distance to the code is filled in already, or a relocation's.
        let entry = Descriptor::ENTRY_OFFSET..Descriptor::ENTRY_OFFSET + 8;
        let mut bytes = descriptor.bytes;
        bytes[entry.clone()].copy_from_slice(&place[entry]);
        place.copy_from_slice(&bytes);
    }
}

/// ELF's STB and STT values.
fn binding(binding: Binding) -> u8 {
    match binding {
        Binding::Local => 0,
        Binding::Global => 1,
        Binding::Weak => 2,
        Binding::Unique => 10,
    }
}

fn kind(kind: asm::symbol::SymbolKind) -> u8 {
    use asm::symbol::SymbolKind;
    match kind {
        SymbolKind::None => 0,
        SymbolKind::Object => 1,
        SymbolKind::Function => 2,
        SymbolKind::ThreadLocal => 6,
        SymbolKind::IndirectFunction => 10,
    }
}

fn symbols(assembly: &Assembly, builder: &mut Builder) {
    for symbol in &assembly.symbols {
        let at = builder.symbol(&symbol.name);
        let made = &mut builder.symbols[at];
        made.binding = binding(symbol.binding);
        made.kind = kind(symbol.kind);
        made.visibility = symbol.visibility as u8;
        (made.value, made.size) = (symbol.value, symbol.size);
        made.place = match symbol.place {
            SymbolPlace::Undefined => Place::Undefined,
            SymbolPlace::Absolute => Place::Absolute,
            SymbolPlace::Common => Place::Common,
            SymbolPlace::Lds => Place::Lds,
            SymbolPlace::Section(section) => Place::Section(section),
        };
    }
}

fn relocations(assembly: &Assembly, builder: &mut Builder) {
    for relocation in &assembly.relocations {
        let symbol = match relocation.target {
            RelocationTarget::Symbol(at) => assembly.symbols.get(at).map(|s| builder.symbol(&s.name)),
            RelocationTarget::Section(at) => builder.sections.get(at).map(|s| s.symbol),
            RelocationTarget::None => None,
        };
        if let Some(section) = builder.sections.get_mut(relocation.section) {
            let (offset, kind, addend) = (relocation.offset, relocation.kind, relocation.addend);
            section.relocations.push(NewRelocation { offset, kind, symbol, addend });
        }
    }
}
