//! What the tests of the assembler's language share: an encoder of a few instructions of gfx942, and the cases of `tests/asm`.

#![allow(dead_code)]

use amdgpu::asm::expression::{Expression, Machine, Pool};
use amdgpu::asm::lex::{Kind, explain};
use amdgpu::asm::symbol::{Binding, SymbolKind, Visibility};
use amdgpu::asm::{Assembly, Encoded, EncodedFixup, FixupKind, InstructionLine, Options};
use amdgpu::asm::{RelocationTarget, SymbolPlace, assemble, elf};
use diagnostics::{Diagnostic, Severity, Source, Span};
use std::path::{Path, PathBuf};

/// gfx942, as the cases are assembled for.
pub fn options() -> Options<'static> {
    Options {
        target: "amdgcn-amd-amdhsa--gfx942",
        version: [9, 4, 2],
        machine: Machine { major: 9, has_unified_registers: true, has_architected_flat_scratch: true },
        lds_bytes: 65536,
        has_branch_bug: false,
        descriptor_place: &|_| Some((0, 0)),
        loader: None,
    }
}

/// Assembles with the encoder of [`encode`].
pub fn run(text: &str) -> Assembly {
    assemble(text, options(), &mut encode)
}

/// `s_nop N`, `s_endpgm`, `s_branch LABEL`, `s_mov_b32 sN, VALUE` (always as a literal) and `v_mov_b32 vN, vM`.
pub fn encode(line: &InstructionLine, pool: &mut Pool) -> Result<Encoded, Vec<Diagnostic>> {
    let mut cursor = line.cursor();
    let wrong = |span: Span, what: &str| vec![Diagnostic::error("E0402", span, what)];
    let mut encoded = Encoded { len: 4, ..Encoded::default() };
    let word = |word: u32, encoded: &mut Encoded| encoded.bytes[..4].copy_from_slice(&word.to_le_bytes());
    let register = |text: &str, file: char| text.strip_prefix(file).and_then(|number| number.parse::<u32>().ok());
    match line.name() {
        "s_endpgm" => word(0xbf81_0000, &mut encoded),
        "s_nop" => {
            let token = cursor.advance();
            if token.kind != Kind::Integer {
                return Err(wrong(token.span, "a number is expected"));
            }
            word(0xbf80_0000 | token.value as u32 & 0xffff, &mut encoded);
        }
        "s_branch" => {
            let start = cursor.span().start;
            let value = pool.expression(&mut cursor).map_err(|diagnostic| vec![diagnostic])?;
            let span = Span::new(start, cursor.last_end());
            word(0xbf82_0000, &mut encoded);
            match value {
                Expression::Constant(value) => encoded.bytes[..2].copy_from_slice(&(value as i16).to_le_bytes()),
                _ if pool.as_symbol(value).is_none() => return Err(wrong(span, "a label is expected")),
                _ => encoded.fixups[0] = Some(EncodedFixup { offset: 0, kind: FixupKind::Branch, value, span }),
            }
        }
        "s_mov_b32" => {
            let destination = cursor.advance();
            let Some(number) = register(destination.span.text(line.text), 's') else {
                return Err(wrong(destination.span, "a register is expected"));
            };
            cursor.take(Kind::Comma);
            let start = cursor.span().start;
            let value = pool.expression(&mut cursor).map_err(|diagnostic| vec![diagnostic])?;
            let span = Span::new(start, cursor.last_end());
            word(0xbe80_00ff | number << 16, &mut encoded);
            encoded.len = 8;
            encoded.sgprs = number + 1;
            match value {
                Expression::Constant(value) => encoded.bytes[4..8].copy_from_slice(&(value as u32).to_le_bytes()),
                _ => encoded.fixups[0] = Some(EncodedFixup { offset: 4, kind: FixupKind::Literal(4), value, span }),
            }
        }
        "v_mov_b32" => {
            let operands = [cursor.advance(), cursor.advance(), cursor.advance()].map(|token| token.span.text(line.text));
            let (Some(to), Some(from)) = (register(operands[0], 'v'), register(operands[2], 'v')) else {
                return Err(wrong(line.mnemonic, "two registers are expected"));
            };
            word(0x7e00_0300 | to << 17 | from, &mut encoded);
            encoded.vgprs = to.max(from) + 1;
        }
        _ => return Err(wrong(line.mnemonic, "no such instruction")),
    }
    match cursor.token() {
        token if token.kind == Kind::Error => Err(vec![explain(&token, line.text)]),
        token if token.kind != Kind::EndOfStatement => Err(wrong(token.span, "the line should end")),
        _ => Ok(encoded),
    }
}

/// A case: a text, and what LLVM (or, with a reason, only this assembler) makes of it.
pub struct Case {
    pub title: String,
    pub text: String,
    pub expected: String,
    pub ours: bool,
    pub line: usize,
}

/// The files of `tests/asm`.
pub fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/asm");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "txt")).collect();
    files.sort();
    files
}

/// The cases of a file: `== title`, assembly, `--`, what is expected.
pub fn cases(text: &str) -> Vec<Case> {
    let (mut cases, mut in_expected): (Vec<Case>, bool) = (Vec::new(), false);
    for (at, line) in text.lines().enumerate() {
        if let Some(title) = line.strip_prefix("== ") {
            cases.push(Case { title: title.into(), text: String::new(), expected: String::new(), ours: false, line: at + 1 });
            in_expected = false;
        } else if let Some(case) = cases.last_mut() {
            if line == "--" || line.starts_with("-- ours: ") {
                (in_expected, case.ours) = (true, line != "--");
            } else {
                let part = if in_expected { &mut case.expected } else { &mut case.text };
                part.push_str(line);
                part.push('\n');
            }
        }
    }
    for case in &mut cases {
        case.expected.truncate(case.expected.trim_end().len());
    }
    cases
}

/// What was assembled, or the lines with errors, as the cases write it.
pub fn dump(assembly: &Assembly, text: &str) -> String {
    let errors: Vec<&Diagnostic> = assembly.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    if !errors.is_empty() {
        let source = Source::new("", text);
        let mut lines: Vec<u32> = errors
            .iter()
            .map(|error| {
                let call = error.labels.iter().rev().find(|label| label.text.starts_with("in "));
                let span = call.or(error.labels.first()).map_or(Span::default(), |label| label.span);
                source.position(span.start).line
            })
            .collect();
        lines.sort();
        lines.dedup();
        return format!("refused at {}", lines.iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
    }
    let mut lines = Vec::new();
    for (at, section) in assembly.sections.iter().enumerate() {
        let mut bytes = section.bytes.clone();
        // Descriptors have their own tests.
        for kernel in assembly.kernels.iter().filter(|kernel| kernel.section == at) {
            bytes[kernel.offset as usize..][..64].fill(0);
        }
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let hex = if section.kind == elf::NOBITS { format!("{} bytes", section.size) } else { hex };
        let name = &section.name;
        lines.push(
            format!("section {name} {} {:x} {} {} {hex}", section.kind, section.flags, section.entry_size, section.align)
                .trim_end()
                .to_string(),
        );
    }
    let mut relocations = Vec::new();
    for relocation in &assembly.relocations {
        let target = match relocation.target {
            RelocationTarget::None => "0".to_string(),
            RelocationTarget::Symbol(number) => assembly.symbols[number].name.clone(),
            RelocationTarget::Section(number) => assembly.sections[number].name.clone(),
        };
        let section = &assembly.sections[relocation.section].name;
        relocations
            .push(format!("relocation {section} {} {} {target} {}", relocation.offset, relocation.kind, relocation.addend));
    }
    relocations.sort();
    lines.extend(relocations);
    let mut symbols: Vec<String> = assembly
        .symbols
        .iter()
        .map(|symbol| {
            let place = match symbol.place {
                SymbolPlace::Undefined => "undefined",
                SymbolPlace::Absolute => "absolute",
                SymbolPlace::Common => "common",
                SymbolPlace::Lds => "lds",
                SymbolPlace::Section(number) => &assembly.sections[number].name,
            };
            let binding = match symbol.binding {
                Binding::Local => 0,
                Binding::Global => 1,
                Binding::Weak => 2,
                Binding::Unique => 10,
            };
            let kind = match symbol.kind {
                SymbolKind::None => 0,
                SymbolKind::Object => 1,
                SymbolKind::Function => 2,
                SymbolKind::ThreadLocal => 6,
                SymbolKind::IndirectFunction => 10,
            };
            let visibility = match symbol.visibility {
                Visibility::Default => 0,
                Visibility::Internal => 1,
                Visibility::Hidden => 2,
                Visibility::Protected => 3,
            };
            format!("symbol {} {place} {} {} {binding} {kind} {visibility}", symbol.name, symbol.value, symbol.size)
        })
        .collect();
    symbols.sort();
    lines.extend(symbols);
    lines.join("\n")
}
