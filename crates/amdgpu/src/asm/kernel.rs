//! Directives of AMD's: kernels, metadata, the target, local data share.
//!
//! `.amdhsa_kernel` takes 64 bytes of the section that is being filled, under the name `NAME.kd`. What its directives mean, and which of
//! them a target has, is the business of those who write kernel descriptors: here they become a list.

use super::expression::{Binary, Expression, Specifier, Step};
use super::lex::{Cursor, Kind, Lexer};
use super::section::FixupKind;
use super::symbol::{Binding, Place, State, SymbolKind, Visibility};
use super::{Assembler, Block, View, codes, expected};
use diagnostics::{Diagnostic, Span};

/// A directive of a kernel's block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, such as `.amdhsa_next_free_vgpr`.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Its value once everything is laid out; none if that is no number, which has been reported.
    pub value: Option<i64>,
    /// Whether the value was a number already where the directive stands, as some directives need.
    pub was_known: bool,
    /// Where the value stands.
    pub value_span: Span,
}

/// A block `.amdhsa_kernel`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The kernel's name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Where the block ends, for what is missing in it.
    pub end: Span,
    /// The directives in their order, each name once.
    pub fields: Vec<Field>,
    /// The section of its descriptor: 64 bytes of zero, whose entry offset at byte 16 a relocation fills.
    pub section: usize,
    /// Where in the section it begins.
    pub offset: u64,
}

/// A block while it waits for the layout.
pub(crate) struct Collected {
    pub name: String,
    pub span: Span,
    pub end: Span,
    pub fields: Vec<CollectedField>,
    pub descriptor: super::symbol::Label,
}

/// Name, its span, the value and its place, and what the value was at once.
pub(crate) type CollectedField = (String, Span, Expression, Place, Option<i64>);

/// The bytes of a kernel descriptor, and of the offset in it from itself to the kernel's code.
const DESCRIPTOR: usize = 64;
const ENTRY: u32 = 16;

impl Assembler<'_, '_> {
    /// `.amdhsa_kernel NAME` up to `.end_amdhsa_kernel`
    pub(crate) fn kernel(&mut self, cursor: &mut Cursor, lexer: &mut Lexer, directive: Span) -> Result<(), Diagnostic> {
        let name = cursor.name();
        let header = match name {
            Some((name, span)) => self.end(cursor).map(|()| (name.to_string(), span)),
            None => Err(expected("the kernel's name", cursor)),
        };
        let (mut fields, mut tokens, mut end) = (Vec::new(), Vec::new(), None);
        while end.is_none() && lexer.statement(&mut tokens) {
            let mut cursor = Cursor::new(lexer.text(), &tokens);
            let first = cursor.token();
            if first.kind == Kind::Identifier && cursor.token_text() == ".end_amdhsa_kernel" {
                cursor.advance();
                let at_end = self.end(&mut cursor);
                at_end.unwrap_or_else(|diagnostic| self.error(diagnostic));
                end = Some(first.span);
            } else if let Err(diagnostic) = self.field(&mut cursor, &mut fields) {
                self.error(diagnostic);
            }
        }
        let (name, span) = header?;
        let Some(end) = end else {
            return Err(Diagnostic::error(codes::BLOCK, directive, "the block of this kernel does not end")
                .help("write `.end_amdhsa_kernel` behind its directives"));
        };
        let span = self.in_file(span);
        let end = self.in_file(end);
        let descriptor = self.descriptor(&name, directive, &fields)?;
        self.kernels.push(Collected { name, span, end, fields, descriptor });
        Ok(())
    }

    fn field(&mut self, cursor: &mut Cursor, fields: &mut Vec<CollectedField>) -> Result<(), Diagnostic> {
        let first = cursor.token();
        let name = cursor.token_text();
        if first.kind != Kind::Identifier || !name.starts_with(".amdhsa_") {
            return Err(expected("a directive of the kernel", cursor)
                .help("directives begin with `.amdhsa_`; the block ends with `.end_amdhsa_kernel`"));
        }
        cursor.advance();
        let file_span = self.in_file(first.span);
        if let Some((_, before, ..)) = fields.iter().find(|(known, ..)| known == name) {
            let (before, name) = (*before, name.to_string());
            let diagnostic = Diagnostic::error(codes::BLOCK, first.span, format!("`{name}` stands twice in this block"));
            let diagnostic = if self.pool.buffer == 0 { diagnostic.also(before, "here first") } else { diagnostic };
            return Err(diagnostic.help("keep one of them"));
        }
        let start = cursor.span().start;
        let value = self.expression(cursor)?;
        let place = self.place(Span::new(start, cursor.last_end()));
        self.end(cursor)?;
        let known = self.pool.number(value);
        fields.push((name.to_string(), file_span, value, place, known));
        Ok(())
    }

    /// Makes the descriptor's bytes and its symbol, which is as visible as the kernel's own.
    fn descriptor(&mut self, name: &str, directive: Span, fields: &[CollectedField]) -> Result<super::symbol::Label, Diagnostic> {
        let code = self.pool.symbols.named(name);
        let descriptor = self.pool.symbols.named(&format!("{name}.kd"));
        let symbol = self.pool.symbols.get_mut(code);
        let default = if symbol.state == State::Undefined { Binding::Global } else { Binding::Local };
        let (binding, visibility) = (symbol.binding.unwrap_or(default), symbol.visibility);
        // So that the distance to the code may be known before everything is loaded.
        if visibility == Visibility::Default {
            symbol.visibility = Visibility::Protected;
        }
        let place = self.place(directive);
        let symbol = self.pool.symbols.get_mut(descriptor);
        (symbol.binding, symbol.visibility, symbol.kind) = (Some(binding), visibility, SymbolKind::Object);
        symbol.size = Some((Expression::Constant(DESCRIPTOR as i64), place));
        let here = self.sections.here();
        self.define(descriptor, directive)?;
        // Symbols stand in the table in the order in which the descriptor's parts name them.
        let named = fields.iter().filter(|(.., value, _, _)| matches!(value, Expression::Steps(..)));
        let mut named: Vec<_> =
            named.filter_map(|(name, _, value, ..)| Some(((self.options.descriptor_place)(name)?, *value))).collect();
        named.sort_by_key(|(place, _)| *place);
        let behind = named.split_off(named.partition_point(|((word, _), _)| *word < ENTRY as usize / 4));
        named.into_iter().for_each(|(_, value)| self.register(value));
        let start = self.pool.steps.len() as u32;
        self.pool.steps.extend([
            Step::Symbol(code, Some(Specifier::Rel64)),
            Step::Symbol(descriptor, None),
            Step::Binary(Binary::Subtract),
        ]);
        let distance = Expression::Steps(start, start + 3);
        self.register(distance);
        behind.into_iter().for_each(|(_, value)| self.register(value));
        self.sections.fix(ENTRY, FixupKind::Data(8), distance, place);
        self.sections.emit(&[0; DESCRIPTOR]);
        Ok(here)
    }

    /// `.amdgcn_target "target"`
    pub(crate) fn target(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        let token = cursor.token();
        if token.kind != Kind::String {
            return Err(expected("a target in double quotes", cursor).help(format!("write \"{}\"", self.options.target)));
        }
        cursor.advance();
        let text = token.contents(cursor.text);
        if text != self.options.target {
            return Err(Diagnostic::error(
                codes::TARGET,
                token.span,
                format!("this text is for `{text}`, not for `{}`", self.options.target),
            )
            .help(format!("assemble it for the target that it names, or write \"{}\"", self.options.target)));
        }
        Ok(())
    }

    /// `.amdgpu_metadata` up to `.end_amdgpu_metadata`
    pub(crate) fn metadata(&mut self, cursor: &mut Cursor, lexer: &mut Lexer, directive: Span) -> Result<(), Diagnostic> {
        let at_end = self.end(cursor);
        let mut text = String::new();
        while let Some(line) = lexer.raw_line() {
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line
                .trim_start()
                .strip_prefix(".end_amdgpu_metadata")
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            {
                let span = self.in_file(directive);
                self.metadata.push(Block { text, span });
                return at_end;
            }
            text.push_str(line);
            text.push('\n');
        }
        Err(Diagnostic::error(codes::BLOCK, directive, "this metadata does not end")
            .help("write `.end_amdgpu_metadata` on a line behind it"))
    }

    /// `.amdgpu_lds symbol, bytes [, boundary]`
    pub(crate) fn lds(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        let Some((name, span)) = cursor.name() else { return Err(expected("a symbol", cursor)) };
        self.comma(cursor)?;
        let at = cursor.span();
        let size = self.absolute(cursor, "the size")?;
        let most = self.options.lds_bytes;
        let Some(size) = u64::try_from(size).ok().filter(|size| *size <= most) else {
            return Err(Diagnostic::error(codes::RANGE, at, format!("local data share of {size} bytes is not possible"))
                .help(format!("this target has {most} bytes for a workgroup")));
        };
        let mut align = 4;
        if cursor.take(Kind::Comma) {
            let at = cursor.span();
            let boundary = self.absolute(cursor, "the boundary")?;
            let is_right = boundary > 0 && boundary < 1 << 31 && (boundary as u64).is_power_of_two();
            // LLVM takes 0 for no boundary at all.
            if !is_right {
                return Err(Diagnostic::error(codes::ALIGNMENT, at, format!("{boundary} is no power of two below 2^31"))
                    .help("write the boundary in bytes, such as 16"));
            }
            align = boundary as u64;
        }
        self.end(cursor)?;
        let id = self.free_symbol(name, span, State::Lds(size, align))?;
        let place = self.place(span);
        let symbol = self.pool.symbols.get_mut(id);
        (symbol.state, symbol.kind, symbol.place) = (State::Lds(size, align), SymbolKind::Object, place);
        symbol.binding.get_or_insert(Binding::Global);
        symbol.size = Some((Expression::Constant(size as i64), place));
        Ok(())
    }

    /// The kernels, once everything is laid out.
    pub(crate) fn kernels(&mut self) -> Vec<Kernel> {
        let mut kernels = Vec::new();
        for collected in std::mem::take(&mut self.kernels) {
            let mut fields = Vec::new();
            for (name, span, expression, place, known) in collected.fields {
                let value = self.pool.evaluate(expression, View::Final(&self.sections), true);
                let failure = value.err();
                let value = value.ok().and_then(|value| value.number());
                if value.is_none() {
                    let diagnostic = self.pool.not_known(expression, failure, place.span, "the value");
                    self.error_at(place.buffer, diagnostic);
                }
                let value_span = self.file_span(place);
                fields.push(Field { name, span, value, was_known: known.is_some(), value_span });
            }
            kernels.push(Kernel {
                name: collected.name,
                span: collected.span,
                end: collected.end,
                fields,
                section: self.sections.section_of(collected.descriptor) as usize,
                offset: self.sections.offset_of(collected.descriptor),
            });
        }
        kernels
    }
}
