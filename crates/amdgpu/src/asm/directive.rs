//! Directives that are no sections: data, filling, symbols, files, messages.

use super::condition::Test;
use super::expression::Expression;
use super::lex::{Cursor, Kind, Lexer};
use super::section::{FixupKind, Tail, elf};
use super::symbol::{Binding, State, SymbolKind, Visibility};
use super::{Assembler, Buffer, View, codes, data, expected};
use diagnostics::{Diagnostic, Span};
use std::rc::Rc;

/// What a directive does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Directive {
    If(Test),
    /// Values of so many bytes.
    Data(u8),
    Octa,
    Real(u32),
    Leb(bool),
    Ascii(bool),
    Base64,
    /// Alignment to a power of two in bytes (false) or its logarithm (true), filled with values of so many bytes.
    Align(bool, u8),
    Fill,
    Space,
    Zero,
    Org,
    /// Values of so many bytes, so often; and zeros.
    Repeated(u8),
    RepeatedReal(u32),
    Reserve(u8),
    Set,
    Equiv,
    Bind(Binding),
    Show(Visibility),
    /// What a linker must not drop, on other machines: the symbol is named, no more.
    Keep,
    Type,
    Size,
    Common(bool),
    Macro,
    Purge,
    Exit,
    EndExpansion,
    Rept,
    Irp,
    Irpc,
    Alternative(bool),
    Macros(bool),
    Section(&'static str, u32, u64),
    NamedSection,
    PushSection,
    PopSection,
    Previous,
    Subsection,
    Ident,
    Version,
    Include,
    Incbin,
    Error(bool),
    Warning,
    Abort,
    Print,
    End,
    Reloc,
    File,
    Line,
    /// Debug information, which is left out.
    DebugInfo,
    /// Whether the linker is told which symbols' addresses are compared, and one of them.
    AddressSignificance,
    AddressSignificant,
    /// No effect at all.
    Ignored,
    /// Known elsewhere, but not here.
    Foreign,
    Kernel,
    CodeObjectVersion,
    Target,
    Metadata,
    Lds,
}

impl Directive {
    pub fn condition(self) -> Option<Test> {
        match self {
            Directive::If(test) => Some(test),
            _ => None,
        }
    }

    /// Whether capital letters make it another name, as with those that LLVM's ELF reader and the target add.
    fn is_exact(self) -> bool {
        use Directive::*;
        match self {
            Bind(binding) => binding != Binding::Global,
            Show(_) | Type | Size | Section(..) | NamedSection | PushSection | PopSection | Previous | Subsection | Ident
            | Version => true,
            Kernel | CodeObjectVersion | Target | Metadata | Lds => true,
            _ => false,
        }
    }
}

use Directive::{
    Abort, AddressSignificance, AddressSignificant, Align, Alternative, Ascii, Base64, Bind, CodeObjectVersion, Common, Data,
    DebugInfo, End, EndExpansion, Equiv, Error, Exit, File, Fill, Foreign, Ident, If, Ignored, Incbin, Include, Irp, Irpc, Keep,
    Kernel, Lds, Leb, Line, Macro, Macros, Metadata, NamedSection, Octa, Org, PopSection, Previous, Print, Purge, PushSection,
    Real, Reloc, Repeated, RepeatedReal, Rept, Reserve, Section, Set, Show, Size, Space, Subsection, Target, Type, Version,
    Warning, Zero,
};

/// Every directive, in order.
const DIRECTIVES: &[(&str, Directive)] = &[
    (".2byte", Data(2)),
    (".4byte", Data(4)),
    (".8byte", Data(8)),
    (".abort", Abort),
    (".addrsig", AddressSignificance),
    (".addrsig_sym", AddressSignificant),
    (".align", Align(false, 1)),
    (".align32", Align(false, 4)),
    (".altmacro", Alternative(true)),
    (".amdgcn_target", Target),
    (".amdgpu_lds", Lds),
    (".amdgpu_metadata", Metadata),
    (".amdhsa_code_object_version", CodeObjectVersion),
    (".amdhsa_kernel", Kernel),
    (".ascii", Ascii(false)),
    (".asciz", Ascii(true)),
    (".balign", Align(false, 1)),
    (".balignl", Align(false, 4)),
    (".balignw", Align(false, 2)),
    (".base64", Base64),
    (".bss", Section(".bss", elf::NOBITS, elf::WRITE | elf::ALLOC)),
    (".byte", Data(1)),
    (".cfi_adjust_cfa_offset", DebugInfo),
    (".cfi_b_key_frame", Foreign),
    (".cfi_def_cfa", DebugInfo),
    (".cfi_def_cfa_offset", DebugInfo),
    (".cfi_def_cfa_register", DebugInfo),
    (".cfi_endproc", DebugInfo),
    (".cfi_escape", DebugInfo),
    (".cfi_label", DebugInfo),
    (".cfi_llvm_def_aspace_cfa", DebugInfo),
    (".cfi_lsda", DebugInfo),
    (".cfi_offset", DebugInfo),
    (".cfi_personality", DebugInfo),
    (".cfi_register", DebugInfo),
    (".cfi_rel_offset", DebugInfo),
    (".cfi_remember_state", DebugInfo),
    (".cfi_restore", DebugInfo),
    (".cfi_restore_state", DebugInfo),
    (".cfi_return_column", DebugInfo),
    (".cfi_same_value", DebugInfo),
    (".cfi_sections", DebugInfo),
    (".cfi_signal_frame", DebugInfo),
    (".cfi_startproc", DebugInfo),
    (".cfi_undefined", DebugInfo),
    (".cfi_val_offset", DebugInfo),
    (".cfi_window_save", DebugInfo),
    (".cg_profile", Foreign),
    (".comm", Common(false)),
    (".common", Common(false)),
    (".data", Section(".data", elf::PROGBITS, elf::WRITE | elf::ALLOC)),
    (".dc", Data(2)),
    (".dc.a", Data(8)),
    (".dc.b", Data(1)),
    (".dc.d", Real(64)),
    (".dc.l", Data(4)),
    (".dc.s", Real(32)),
    (".dc.w", Data(2)),
    (".dcb", Repeated(2)),
    (".dcb.b", Repeated(1)),
    (".dcb.d", RepeatedReal(64)),
    (".dcb.l", Repeated(4)),
    (".dcb.s", RepeatedReal(32)),
    (".dcb.w", Repeated(2)),
    (".double", Real(64)),
    (".ds", Reserve(2)),
    (".ds.b", Reserve(1)),
    (".ds.d", Reserve(8)),
    (".ds.l", Reserve(4)),
    (".ds.p", Reserve(12)),
    (".ds.s", Reserve(4)),
    (".ds.w", Reserve(2)),
    (".ds.x", Reserve(12)),
    (".else", If(Test::Else)),
    (".elseif", If(Test::ElseIf)),
    (".end", End),
    (".endif", If(Test::EndIf)),
    (".endm", EndExpansion),
    (".endmacro", EndExpansion),
    (".endr", EndExpansion),
    (".equ", Set),
    (".equiv", Equiv),
    (".err", Error(false)),
    (".error", Error(true)),
    (".exitm", Exit),
    (".extern", Ignored),
    (".file", File),
    (".fill", Fill),
    (".float", Real(32)),
    (".global", Bind(Binding::Global)),
    (".globl", Bind(Binding::Global)),
    (".hidden", Show(Visibility::Hidden)),
    (".ident", Ident),
    (".if", If(Test::NotZero)),
    (".ifb", If(Test::Blank(true))),
    (".ifc", If(Test::Same(true))),
    (".ifdef", If(Test::Defined(true))),
    (".ifeq", If(Test::Zero)),
    (".ifeqs", If(Test::SameStrings(true))),
    (".ifge", If(Test::AtLeastZero)),
    (".ifgt", If(Test::AboveZero)),
    (".ifle", If(Test::AtMostZero)),
    (".iflt", If(Test::BelowZero)),
    (".ifnb", If(Test::Blank(false))),
    (".ifnc", If(Test::Same(false))),
    (".ifndef", If(Test::Defined(false))),
    (".ifne", If(Test::NotZero)),
    (".ifnes", If(Test::SameStrings(false))),
    (".ifnotdef", If(Test::Defined(false))),
    (".incbin", Incbin),
    (".include", Include),
    (".int", Data(4)),
    (".internal", Show(Visibility::Internal)),
    (".irp", Irp),
    (".irpc", Irpc),
    (".lcomm", Common(true)),
    (".line", Line),
    (".loc", DebugInfo),
    (".loc_label", Foreign),
    (".local", Bind(Binding::Local)),
    (".long", Data(4)),
    (".lto_discard", Foreign),
    (".lto_set_conditional", Foreign),
    (".macro", Macro),
    (".macros_off", Macros(false)),
    (".macros_on", Macros(true)),
    (".memtag", Foreign),
    (".no_dead_strip", Keep),
    (".noaltmacro", Alternative(false)),
    (".octa", Octa),
    (".org", Org),
    (".p2align", Align(true, 1)),
    (".p2alignl", Align(true, 4)),
    (".p2alignw", Align(true, 2)),
    (".popsection", PopSection),
    (".previous", Previous),
    (".print", Print),
    (".protected", Show(Visibility::Protected)),
    (".pseudoprobe", Foreign),
    (".purgem", Purge),
    (".pushsection", PushSection),
    (".quad", Data(8)),
    (".reloc", Reloc),
    (".rep", Rept),
    (".rept", Rept),
    (".rodata", Section(".rodata", elf::PROGBITS, elf::ALLOC)),
    (".section", NamedSection),
    (".set", Set),
    (".short", Data(2)),
    (".single", Real(32)),
    (".size", Size),
    (".skip", Space),
    (".sleb128", Leb(true)),
    (".space", Space),
    (".stabs", Foreign),
    (".string", Ascii(true)),
    (".subsection", Subsection),
    (".symver", Foreign),
    (".tbss", Section(".tbss", elf::NOBITS, elf::ALLOC | elf::TLS | elf::WRITE)),
    (".tdata", Section(".tdata", elf::PROGBITS, elf::ALLOC | elf::TLS | elf::WRITE)),
    (".text", Section(".text", elf::PROGBITS, elf::ALLOC | elf::EXECUTE)),
    (".type", Type),
    (".uleb128", Leb(false)),
    (".value", Data(2)),
    (".version", Version),
    (".warning", Warning),
    (".weak", Bind(Binding::Weak)),
    (".weakref", Foreign),
    (".zero", Zero),
];

/// The directive of a name.
pub(crate) fn find(name: &str) -> Option<Directive> {
    let mut lower = [0; 32];
    let lower = lower.get_mut(..name.len())?;
    lower.copy_from_slice(name.as_bytes());
    lower.make_ascii_lowercase();
    let at = DIRECTIVES.binary_search_by(|(known, _)| known.as_bytes().cmp(lower)).ok()?;
    let (known, directive) = DIRECTIVES[at];
    (known == name || !directive.is_exact()).then_some(directive)
}

/// The diagnostic of a name that is no directive, with the one that was probably meant.
pub(crate) fn unknown(name: &str, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(codes::DIRECTIVE, span, format!("there is no directive `{name}`"));
    let help = match name {
        ".word" => "write `.short` for 16 bits, `.long` for 32: LLVM has no `.word` for AMDGPU",
        ".half" | ".hword" => "write `.short`",
        ".amdgpu_hsa_kernel" | ".amd_kernel_code_t" | ".hsa_code_object_version" | ".hsa_code_object_isa" | ".amd_amdgpu_isa" => {
            "code objects before version 3 are not written; use `.amdhsa_kernel` and `.amdgpu_metadata`"
        }
        _ if name.starts_with(".amdhsa_") || name == ".end_amdhsa_kernel" => {
            "such directives stand between `.amdhsa_kernel NAME` and `.end_amdhsa_kernel`"
        }
        ".end_amdgpu_metadata" => "it ends what `.amdgpu_metadata` begins",
        _ => match nearest(name) {
            Some(known) => return diagnostic.help(format!("did you mean `{known}`?")),
            None => "remove it, or define a macro of this name",
        },
    };
    diagnostic.help(help)
}

/// The directive from which a name differs by one letter, left out, added, changed or swapped, or by capitals only.
fn nearest(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let is_near = |known: &str| {
        let (a, b) = (known.as_bytes(), lower.as_bytes());
        if a.len().abs_diff(b.len()) > 1 {
            return false;
        }
        let front = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let back = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
        let (longer, shorter) = (a.len().max(b.len()), a.len().min(b.len()));
        let is_swapped = a.len() == b.len() && front + back + 2 == longer && a[front] == b[front + 1] && a[front + 1] == b[front];
        front + back + 1 >= longer || front == shorter || is_swapped
    };
    DIRECTIVES.iter().map(|(known, _)| *known).find(|known| is_near(known))
}

/// What a number of 64 bits fits into as a signed or an unsigned one of so many bytes.
fn fits(value: i64, bytes: u8) -> bool {
    let bits = u32::from(bytes.min(8)) * 8;
    bits == 64 || value >> (bits - 1) == 0 || value >> (bits - 1) == -1 || (value as u64) >> bits == 0
}

impl Assembler<'_, '_> {
    /// Does what a directive says.
    pub(crate) fn directive(
        &mut self,
        directive: Directive,
        name: &str,
        span: Span,
        cursor: &mut Cursor,
        lexer: &mut Lexer,
    ) -> Result<(), Diagnostic> {
        match directive {
            If(_) | Ignored => Ok(()),
            Data(bytes) => self.each(cursor, |this, cursor| this.data(cursor, bytes)),
            Octa => self.each(cursor, Self::octa),
            Real(bits) => self.each(cursor, |this, cursor| {
                let value = this.real(cursor, bits)?;
                this.sections.emit(&value.to_le_bytes()[..bits as usize / 8]);
                Ok(())
            }),
            Leb(is_signed) => self.each(cursor, |this, cursor| this.leb(cursor, is_signed)),
            Ascii(is_ended) => self.each(cursor, |this, cursor| this.ascii(cursor, is_ended)),
            Base64 => self.each(cursor, |this, cursor| {
                let token = cursor.token();
                let text = this.string(cursor)?;
                let Some(bytes) = data::base64(text).filter(|bytes| !bytes.is_empty()) else {
                    return Err(Diagnostic::error(codes::TOKEN, token.span, "this is no text in base 64")
                        .help("write letters, digits, `+` and `/` in groups of four, the last one filled up with `=`"));
                };
                this.sections.emit(&bytes);
                Ok(())
            }),
            Align(is_logarithm, unit) => self.align(cursor, is_logarithm, unit),
            Fill => self.fill(cursor),
            Space | Zero => self.space(cursor),
            Org => self.org(cursor),
            Repeated(bytes) => self.repeated(cursor, bytes),
            RepeatedReal(bits) => {
                let count = self.count(cursor)?;
                self.comma(cursor)?;
                let value = self.real(cursor, bits)?;
                self.end(cursor)?;
                self.repeat_value(count, (bits / 8) as u8, value, span);
                Ok(())
            }
            Reserve(bytes) => {
                let count = self.count(cursor)?;
                self.end(cursor)?;
                self.repeat_value(count.saturating_mul(i64::from(bytes)), 1, 0, span);
                Ok(())
            }
            Set | Equiv => {
                let Some((symbol, at)) = self.symbol_name(cursor)? else { return Err(expected("a symbol", cursor)) };
                self.comma(cursor)?;
                self.assign(symbol, at, cursor, directive == Set)
            }
            Bind(binding) => self.each(cursor, |this, cursor| this.bind(cursor, binding)),
            Show(visibility) => self.each(cursor, |this, cursor| {
                let Some((name, _)) = cursor.name() else { return Err(expected("a symbol", cursor)) };
                let id = this.pool.symbols.named(name);
                this.pool.symbols.get_mut(id).visibility = visibility;
                this.pool.symbols.register(id);
                Ok(())
            }),
            Keep => self.each(cursor, |this, cursor| {
                let Some((name, _)) = cursor.name() else { return Err(expected("a symbol", cursor)) };
                let id = this.pool.symbols.named(name);
                this.pool.symbols.register(id);
                Ok(())
            }),
            Type => self.symbol_type(cursor),
            Size => self.size(cursor),
            Common(is_local) => self.common(cursor, is_local),
            Macro => self.define_macro(cursor, lexer, span),
            Purge => self.purge_macro(cursor),
            Exit => self.exit_macro(cursor, lexer, span),
            EndExpansion => self.end_expansion(cursor, lexer, span, name),
            Rept => self.repeat(cursor, lexer, span),
            Irp | Irpc => self.repeat_for(cursor, lexer, span, directive == Irpc),
            Alternative(on) => {
                self.is_alternative = on;
                self.end(cursor)
            }
            Macros(on) => {
                self.macros_are_on = on;
                self.end(cursor)
            }
            Section(name, kind, flags) => self.plain_section(cursor, name, kind, flags),
            NamedSection => self.named_section(cursor, span, false),
            PushSection => {
                self.sections.push();
                let result = self.named_section(cursor, span, true);
                if result.is_err() {
                    self.sections.pop();
                }
                result
            }
            PopSection => {
                if !self.sections.pop() {
                    return Err(Diagnostic::error(codes::SECTION, span, "no section was put away to go back to")
                        .help("write `.pushsection NAME` before, or `.previous` for the one before this"));
                }
                self.end(cursor)
            }
            Previous => {
                if !self.sections.switch_back() {
                    return Err(Diagnostic::error(codes::SECTION, span, "there is no section before this one")
                        .help("name the section: `.section NAME`"));
                }
                self.end(cursor)
            }
            Subsection => self.subsection(cursor),
            Ident => self.ident(cursor),
            Version => self.version(cursor),
            Include => self.include(cursor, span),
            Incbin => self.incbin(cursor),
            Error(has_message) => {
                let message = if has_message { message(cursor)? } else { None };
                let message = message.unwrap_or_else(|| format!("`{name}` stands here"));
                Err(Diagnostic::error(codes::IN_SOURCE, span, message).help("the text itself refuses to be assembled here"))
            }
            Abort => {
                let (text, _) = cursor.rest_text();
                Err(Diagnostic::error(codes::IN_SOURCE, span, format!("`.abort` stands here {text}"))
                    .help("the text itself refuses to be assembled here"))
            }
            Warning => {
                let message = message(cursor)?.unwrap_or_else(|| "`.warning` stands here".into());
                self.end(cursor)?;
                self.warn(span, message, "the text itself warns here");
                Ok(())
            }
            Print => {
                let text = self.string(cursor)?;
                self.end(cursor)?;
                self.printed.push(text.into());
                Ok(())
            }
            End => {
                self.end(cursor)?;
                self.is_ended = true;
                Ok(())
            }
            Reloc => self.reloc(cursor),
            File => {
                let is_numbered = cursor.kind() == Kind::Integer;
                if is_numbered {
                    self.debug(span);
                    return Ok(());
                }
                self.bytes_of_string(cursor)?;
                self.end(cursor)
            }
            Line => {
                cursor.take(Kind::Integer);
                self.end(cursor)
            }
            AddressSignificance => {
                self.has_address_significance = true;
                self.end(cursor)
            }
            AddressSignificant => {
                let Some((name, _)) = cursor.name() else { return Err(expected("a symbol", cursor)) };
                let id = self.pool.symbols.named(name);
                self.address_significant.push(id);
                self.end(cursor)
            }
            DebugInfo => {
                self.debug(span);
                Ok(())
            }
            Foreign => Err(Diagnostic::error(codes::DIRECTIVE, span, format!("`{name}` is not for code objects of AMDGPU"))
                .help("remove it: it serves other machines, other object files or compilers' own passes")),
            Kernel => self.kernel(cursor, lexer, span),
            CodeObjectVersion => {
                let value = self.absolute(cursor, "the version")?;
                self.code_object_version = Some((value, self.in_file(span)));
                Ok(())
            }
            Target => self.target(cursor),
            Metadata => self.metadata(cursor, lexer, span),
            Lds => self.lds(cursor),
        }
    }

    /// Operands between commas, perhaps none.
    fn each(
        &mut self,
        cursor: &mut Cursor,
        mut one: impl FnMut(&mut Self, &mut Cursor) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        if cursor.is_at_end() {
            return Ok(());
        }
        loop {
            one(self, cursor)?;
            if cursor.is_at_end() {
                return Ok(());
            }
            if !cursor.take(Kind::Comma) {
                return Err(expected("a comma or the end of the line", cursor));
            }
        }
    }

    fn data(&mut self, cursor: &mut Cursor, bytes: u8) -> Result<(), Diagnostic> {
        let start = cursor.span().start;
        let value = self.expression(cursor)?;
        let span = Span::new(start, cursor.last_end());
        let number = match value {
            Expression::Constant(value) => Some(value),
            _ => self.pool.evaluate(value, View::Fixed(&self.sections), false).ok().and_then(|value| value.number()),
        };
        let Some(number) = number else {
            self.register(value);
            let place = self.place(span);
            self.sections.fix(0, FixupKind::Data(bytes), value, place);
            self.sections.emit(&[0; 8][..usize::from(bytes)]);
            return Ok(());
        };
        if !fits(number, bytes) {
            return Err(out_of_range(number, bytes, span));
        }
        self.sections.emit(&number.to_le_bytes()[..usize::from(bytes)]);
        Ok(())
    }

    fn octa(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        let token = cursor.token();
        if !matches!(token.kind, Kind::Integer | Kind::BigInteger) {
            return Err(expected("a whole number", cursor));
        }
        let value = match token.kind {
            Kind::Integer => Some(u128::from(token.value)),
            _ => data::wide(cursor.token_text()),
        };
        let Some(value) = value else {
            return Err(Diagnostic::error(codes::RANGE, token.span, "this number has more than 128 bits")
                .help("write it as several numbers"));
        };
        cursor.advance();
        self.sections.emit(&value.to_le_bytes());
        Ok(())
    }

    /// The bits of a real number with its sign.
    fn real(&mut self, cursor: &mut Cursor, bits: u32) -> Result<u64, Diagnostic> {
        let is_negative = cursor.take(Kind::Minus);
        if !is_negative {
            cursor.take(Kind::Plus);
        }
        let token = cursor.token();
        let text = cursor.token_text();
        let infinity = if bits == 32 { 0x7f80_0000 } else { 0x7ff0_0000_0000_0000 };
        let value = match token.kind {
            Kind::Identifier if text.eq_ignore_ascii_case("inf") || text.eq_ignore_ascii_case("infinity") => Some(infinity),
            // LLVM sets every bit of the fraction.
            Kind::Identifier if text.eq_ignore_ascii_case("nan") => Some(if bits == 32 { 0x7fff_ffff } else { i64::MAX as u64 }),
            Kind::Integer | Kind::Real => data::real(text, bits),
            _ => None,
        };
        let Some(value) = value else {
            return Err(expected("a real number", cursor).help("write it like `1.5`, `1e-3`, `0x1.8p3`, `inf` or `nan`"));
        };
        cursor.advance();
        Ok(value | u64::from(is_negative) << (bits - 1))
    }

    fn leb(&mut self, cursor: &mut Cursor, is_signed: bool) -> Result<(), Diagnostic> {
        let start = cursor.span().start;
        let value = self.expression(cursor)?;
        let known = self.pool.evaluate(value, View::Fixed(&self.sections), false).ok().and_then(|value| value.number());
        match known {
            Some(number) => self.sections.emit(&super::section::leb(number, is_signed, 0)),
            None => {
                self.register(value);
                let place = self.place(Span::new(start, cursor.last_end()));
                self.sections.end_fragment(Tail::Leb { value, is_signed, place });
            }
        }
        Ok(())
    }

    fn ascii(&mut self, cursor: &mut Cursor, is_ended: bool) -> Result<(), Diagnostic> {
        loop {
            let bytes = self.bytes_of_string(cursor)?;
            self.sections.emit(&bytes);
            if is_ended {
                self.sections.emit(&[0]);
            }
            if is_ended || cursor.kind() != Kind::String {
                return Ok(());
            }
        }
    }

    fn string<'t>(&mut self, cursor: &mut Cursor<'t>) -> Result<&'t str, Diagnostic> {
        let token = cursor.token();
        if token.kind != Kind::String {
            return Err(expected("a string", cursor).help("write it in double quotes"));
        }
        cursor.advance();
        Ok(token.contents(cursor.text))
    }

    /// The bytes of a string, its escapes replaced.
    fn bytes_of_string(&mut self, cursor: &mut Cursor) -> Result<Vec<u8>, Diagnostic> {
        let start = cursor.span().start;
        let contents = self.string(cursor)?;
        let mut bytes = Vec::with_capacity(contents.len());
        if let Err((at, what)) = data::unescaped(contents, &mut bytes) {
            let span = Span::new(start + 1 + at as u32, start + 2 + at as u32);
            return Err(Diagnostic::error(codes::TOKEN, span, what)
                .help(r#"escapes are \b \f \n \r \t \" \\, up to three octal digits, and \x with hexadecimal ones"#));
        }
        if contents.contains(['\n', '\r']) {
            self.warn(
                Span::new(start, cursor.last_end()),
                "this string goes over the end of its line",
                "write `\\n` for a new line",
            );
        }
        Ok(bytes)
    }

    /// `.align boundary [, fill [, most]]`
    fn align(&mut self, cursor: &mut Cursor, is_logarithm: bool, unit: u8) -> Result<(), Diagnostic> {
        let at = cursor.span();
        if is_logarithm && unit == 1 && cursor.is_at_end() {
            self.warn(
                at,
                "`.p2align` without a number has no effect",
                "write the logarithm of the boundary: `.p2align 8` for 256 bytes",
            );
            return Ok(());
        }
        let boundary = self.absolute(cursor, "the boundary")?;
        let (mut fill, mut fill_at, mut most, mut most_at) = (None, at, 0, None);
        if cursor.take(Kind::Comma) {
            if cursor.kind() != Kind::Comma {
                fill_at = cursor.span();
                fill = Some(self.absolute(cursor, "the filling")?);
            }
            if cursor.take(Kind::Comma) {
                most_at = Some(cursor.span());
                most = self.absolute(cursor, "the most bytes to fill")?;
            }
        }
        self.end(cursor)?;
        let align = match is_logarithm {
            true if (0..32).contains(&boundary) => 1u64 << boundary,
            true => {
                return Err(Diagnostic::error(
                    codes::ALIGNMENT,
                    at,
                    format!("a boundary of 2 to the power of {boundary} is not possible"),
                )
                .help("write the logarithm of the boundary, at most 31: 8 for 256 bytes"));
            }
            false if boundary == 0 => 1,
            false if boundary > 0 && (boundary as u64).is_power_of_two() && boundary < 1 << 32 => boundary as u64,
            false => {
                let below = u64::try_from(boundary)
                    .ok()
                    .filter(|boundary| *boundary > 0)
                    .map_or(1, |boundary| 1 << boundary.ilog2().min(31));
                return Err(Diagnostic::error(codes::ALIGNMENT, at, format!("{boundary} is no power of two below 2^32"))
                    .help(format!("write a power of two, such as {below}")));
            }
        };
        if let Some(most_at) = most_at {
            if most < 1 {
                return Err(Diagnostic::error(
                    codes::ALIGNMENT,
                    most_at,
                    format!("no boundary is reached with at most {most} bytes"),
                )
                .help("leave the number out, or write one above 0"));
            }
            if most as u64 >= align {
                self.warn(most_at, "so many bytes are never needed", "leave the number out");
                most = 0;
            }
        }
        let data = self.sections.current_data();
        let (is_code, is_empty) = (data.flags & elf::EXECUTE != 0, data.kind == elf::NOBITS);
        data.align = data.align.max(align);
        if is_empty && fill.is_some_and(|fill| fill != 0) {
            self.warn(fill_at, "a section without room in the file holds zeros only", "leave the filling out");
            fill = None;
        }
        let fill = if is_code && fill.is_none() { None } else { Some((fill.unwrap_or(0) as u64, unit)) };
        let most = if most == 0 { align } else { most as u64 };
        let place = self.place(at);
        self.sections.end_fragment(Tail::Align { align, fill, most, place });
        Ok(())
    }

    /// `.fill count [, bytes [, value]]`
    fn fill(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        let at = cursor.span();
        let count = self.expression(cursor)?;
        let count_span = Span::new(at.start, cursor.last_end());
        let (mut bytes, mut value, mut bytes_at, mut value_at) = (1, 0, at, at);
        if cursor.take(Kind::Comma) {
            bytes_at = cursor.span();
            bytes = self.absolute(cursor, "the number of bytes")?;
            if cursor.take(Kind::Comma) {
                value_at = cursor.span();
                value = self.absolute(cursor, "the value")?;
            }
        }
        self.end(cursor)?;
        if bytes < 0 {
            self.warn(bytes_at, "a filling of negative size has no effect", "write a size from 1 to 8");
            return Ok(());
        }
        if bytes > 8 {
            self.warn(bytes_at, "a filling has at most 8 bytes: it is taken as 8", "write a size from 1 to 8");
            bytes = 8;
        }
        if bytes > 4 && u32::try_from(value).is_err() {
            self.warn(value_at, "a filling keeps only the low 32 bits", "use `.rept` and `.quad`");
        }
        let kept = if bytes >= 4 { 0xffff_ffff } else { (1u64 << (bytes * 8)) - 1 };
        let known = self.pool.evaluate(count, View::Fixed(&self.sections), false).ok().and_then(|value| value.number());
        if let Some(known) = known {
            self.repeat_value(known, bytes as u8, value as u64 & kept, count_span);
        } else {
            self.register(count);
            let place = self.place(count_span);
            self.sections.end_fragment(Tail::Fill { count, size: bytes as u8, value: value as u64 & kept, place });
        }
        Ok(())
    }

    /// Emits a value so often; not at all, with a warning, for a negative count.
    fn repeat_value(&mut self, count: i64, bytes: u8, value: u64, span: Span) {
        if count < 0 {
            self.warn(span, "a negative count has no effect", "write a count from 0 on");
            return;
        }
        if bytes == 0 || count == 0 {
            return;
        }
        let place = self.place(span);
        self.sections.end_fragment(Tail::Fill { count: Expression::Constant(count), size: bytes, value, place });
    }

    /// `.space bytes [, value]`
    fn space(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        let at = cursor.span();
        let count = self.expression(cursor)?;
        let span = Span::new(at.start, cursor.last_end());
        let value = if cursor.take(Kind::Comma) { self.absolute(cursor, "the value")? } else { 0 };
        self.end(cursor)?;
        self.register(count);
        let place = self.place(span);
        self.sections.end_fragment(Tail::Fill { count, size: 1, value: value as u64 & 0xff, place });
        Ok(())
    }

    /// `.org offset [, value]`
    fn org(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        let at = cursor.span();
        let to = self.expression(cursor)?;
        let span = Span::new(at.start, cursor.last_end());
        let value = if cursor.take(Kind::Comma) { self.absolute(cursor, "the value")? } else { 0 };
        self.end(cursor)?;
        self.register(to);
        let place = self.place(span);
        self.sections.end_fragment(Tail::Offset { to, value: value as u8, place });
        Ok(())
    }

    fn count(&mut self, cursor: &mut Cursor) -> Result<i64, Diagnostic> {
        self.absolute(cursor, "the count")
    }

    /// `.dcb count, value`
    fn repeated(&mut self, cursor: &mut Cursor, bytes: u8) -> Result<(), Diagnostic> {
        let at = cursor.span();
        let count = self.count(cursor)?;
        self.comma(cursor)?;
        let value_at = cursor.span();
        let value = self.absolute(cursor, "the value")?;
        self.end(cursor)?;
        if !fits(value, bytes) {
            return Err(out_of_range(value, bytes, value_at));
        }
        self.repeat_value(count, bytes, value as u64, at);
        Ok(())
    }

    fn symbol_name<'t>(&mut self, cursor: &mut Cursor<'t>) -> Result<Option<(&'t str, Span)>, Diagnostic> {
        if cursor.kind() == Kind::Dot {
            let span = cursor.advance().span;
            return Ok(Some((".", span)));
        }
        Ok(cursor.name())
    }

    fn bind(&mut self, cursor: &mut Cursor, binding: Binding) -> Result<(), Diagnostic> {
        let Some((name, span)) = cursor.name() else { return Err(expected("a symbol", cursor)) };
        let id = self.pool.symbols.named(name);
        let symbol = self.pool.symbols.get_mut(id);
        if symbol.temporary && binding == Binding::Global {
            return Err(Diagnostic::error(
                codes::REDEFINED,
                span,
                format!("`{name}` stays in this file, as every name that begins with `.L`"),
            )
            .help("give it a name without `.L`"));
        }
        let before = symbol.binding.replace(binding);
        self.pool.symbols.register(id);
        match (before, binding) {
            (Some(before), Binding::Weak) if before != binding => {
                self.warn(
                    span,
                    format!("`{name}` was said to be {} before; now it is weak", called(before)),
                    "keep one of the directives",
                );
            }
            (Some(before), _) if before != binding => {
                let message = format!("`{name}` was said to be {} before", called(before));
                return Err(Diagnostic::error(codes::REDEFINED, span, message).help("keep one of the directives"));
            }
            _ => {}
        }
        Ok(())
    }

    /// `.type symbol, @function`
    fn symbol_type(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        let Some((name, _)) = cursor.name() else { return Err(expected("a symbol", cursor)) };
        let id = self.pool.symbols.named(name);
        cursor.take(Kind::Comma);
        if matches!(cursor.kind(), Kind::At | Kind::Percent | Kind::Hash) {
            cursor.advance();
        }
        let at = cursor.span();
        let Some((kind, _)) = cursor.name() else {
            return Err(expected("a symbol's type", cursor).help("write `@function` or `@object`"));
        };
        self.end(cursor)?;
        let kind_said = match kind {
            "function" | "STT_FUNC" => SymbolKind::Function,
            "object" | "STT_OBJECT" | "common" | "STT_COMMON" | "gnu_unique_object" => SymbolKind::Object,
            "tls_object" | "STT_TLS" => SymbolKind::ThreadLocal,
            "notype" | "STT_NOTYPE" => SymbolKind::None,
            "gnu_indirect_function" | "STT_GNU_IFUNC" => SymbolKind::IndirectFunction,
            _ => {
                return Err(Diagnostic::error(codes::SYNTAX, at, format!("`{kind}` is no type of a symbol"))
                    .help("one of @function @object @notype @tls_object @common @gnu_indirect_function @gnu_unique_object"));
            }
        };
        let symbol = self.pool.symbols.get_mut(id);
        symbol.kind = symbol.kind.joined(kind_said);
        if kind == "gnu_unique_object" {
            symbol.binding = Some(Binding::Unique);
        }
        self.pool.symbols.register(id);
        Ok(())
    }

    /// `.size symbol, expression`
    fn size(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        let Some((name, _)) = cursor.name() else { return Err(expected("a symbol", cursor)) };
        let id = self.pool.symbols.named(name);
        self.comma(cursor)?;
        let start = cursor.span().start;
        let value = self.expression(cursor)?;
        let place = self.place(Span::new(start, cursor.last_end()));
        self.end(cursor)?;
        self.pool.symbols.get_mut(id).size = Some((value, place));
        Ok(())
    }

    /// `.comm symbol, bytes [, logarithm of the boundary]`
    fn common(&mut self, cursor: &mut Cursor, is_local: bool) -> Result<(), Diagnostic> {
        let Some((name, span)) = cursor.name() else { return Err(expected("a symbol", cursor)) };
        self.comma(cursor)?;
        let size_at = cursor.span();
        let size = self.absolute(cursor, "the size")?;
        let mut align = 1;
        if cursor.take(Kind::Comma) {
            let at = cursor.span();
            let logarithm = self.absolute(cursor, "the boundary")?;
            if is_local {
                return Err(
                    Diagnostic::error(codes::ALIGNMENT, at, "`.lcomm` takes no boundary").help("write `.local` and `.comm`")
                );
            }
            if !(0..64).contains(&logarithm) {
                return Err(Diagnostic::error(
                    codes::ALIGNMENT,
                    at,
                    format!("a boundary of 2 to the power of {logarithm} is not possible"),
                )
                .help("write the logarithm of the boundary: 3 for 8 bytes"));
            }
            align = 1u64 << logarithm;
        }
        self.end(cursor)?;
        let Ok(size) = u64::try_from(size) else {
            return Err(Diagnostic::error(codes::RANGE, size_at, "a size is not negative").help("write the number of bytes"));
        };
        let id = self.free_symbol(name, span, State::Common(size, align))?;
        let place = self.place(span);
        let symbol = self.pool.symbols.get_mut(id);
        (symbol.kind, symbol.place) = (SymbolKind::Object, place);
        symbol.size = Some((Expression::Constant(size as i64), place));
        if is_local {
            symbol.binding = Some(Binding::Local);
        }
        if *symbol.binding.get_or_insert(Binding::Global) != Binding::Local {
            symbol.state = State::Common(size, align);
            self.pool.symbols.register(id);
            return Ok(());
        }
        self.sections.push();
        let bss = self.sections.section(".bss", elf::NOBITS, elf::WRITE | elf::ALLOC);
        self.sections.switch(bss, 0);
        let data = self.sections.current_data();
        data.align = data.align.max(align);
        self.sections.end_fragment(Tail::Align { align, fill: Some((0, 1)), most: align, place });
        let defined = self.define(id, span);
        self.sections.end_fragment(Tail::Fill { count: Expression::Constant(size as i64), size: 1, value: 0, place });
        self.sections.pop();
        defined
    }

    /// The symbol of a name that must mean nothing yet, or only what `.set` gave it, or the same as it will now.
    pub(crate) fn free_symbol(&mut self, name: &str, span: Span, will_be: State) -> Result<super::SymbolId, Diagnostic> {
        let id = self.pool.symbols.named(name);
        let symbol = self.pool.symbols.get_mut(id);
        if symbol.redefinable && matches!(symbol.state, State::Variable(_)) {
            (symbol.state, symbol.redefinable) = (State::Undefined, false);
        }
        if symbol.state == State::Undefined || symbol.state == will_be { Ok(id) } else { Err(self.defined_twice(id, span)) }
    }

    /// `.reloc offset, name [, expression]`
    fn reloc(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        let at = cursor.span();
        let offset = self.expression(cursor)?;
        let offset_span = Span::new(at.start, cursor.last_end());
        self.comma(cursor)?;
        let name_at = cursor.span();
        let Some((name, _)) = cursor.name() else { return Err(expected("a relocation's name", cursor)) };
        let Some(kind) = super::finish::relocation_named(name) else {
            return Err(Diagnostic::error(codes::RELOCATION, name_at, format!("there is no relocation `{name}`"))
                .help("names are those of the ABI: R_AMDGPU_ABS64, R_AMDGPU_REL32 ..."));
        };
        let (mut value, mut span) = (Expression::Constant(0), name_at);
        if cursor.take(Kind::Comma) {
            let start = cursor.span().start;
            value = self.expression(cursor)?;
            span = Span::new(start, cursor.last_end());
        }
        self.end(cursor)?;
        // The offset is one of this section, or a label's.
        let place = self.place(offset_span);
        self.register(offset);
        self.register(value);
        let value_place = self.place(span);
        self.relocs.push(super::finish::Named { section: self.sections.current(), offset, place, kind, value, value_place });
        Ok(())
    }

    fn debug(&mut self, span: Span) {
        if !self.warned_debug {
            self.warned_debug = true;
            self.warn(span, "debug information is left out", "the code is the same without it");
        }
    }

    fn ident(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        let text = self.string(cursor)?;
        self.end(cursor)?;
        self.sections.push();
        let comment = self.sections.section(".comment", elf::PROGBITS, elf::MERGE | elf::STRINGS);
        self.sections.list[comment as usize].entry_size = 1;
        self.sections.switch(comment, 0);
        if !std::mem::replace(&mut self.has_ident, true) {
            self.sections.emit(&[0]);
        }
        self.sections.emit(text.as_bytes());
        self.sections.emit(&[0]);
        self.sections.pop();
        Ok(())
    }

    fn version(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        let at = cursor.span();
        let text = self.string(cursor)?;
        self.end(cursor)?;
        let place = self.place(at);
        self.sections.push();
        let note = self.sections.section(".note", elf::NOTE, 0);
        self.sections.switch(note, 0);
        for word in [text.len() as u32 + 1, 0, 1] {
            self.sections.emit(&word.to_le_bytes());
        }
        self.sections.emit(text.as_bytes());
        self.sections.emit(&[0]);
        let data = self.sections.current_data();
        data.align = data.align.max(4);
        self.sections.end_fragment(Tail::Align { align: 4, fill: Some((0, 1)), most: 4, place });
        self.sections.pop();
        Ok(())
    }

    fn file(&mut self, name: &str, span: Span) -> Result<Vec<u8>, Diagnostic> {
        let Some(loader) = self.options.loader else {
            return Err(Diagnostic::error(codes::FILE, span, "other files are not read here")
                .help("put the file's contents in its place"));
        };
        loader(name).ok_or_else(|| {
            Diagnostic::error(codes::FILE, span, format!("there is no file `{name}`"))
                .help("check the name, and where it is looked for")
        })
    }

    fn include(&mut self, cursor: &mut Cursor, directive: Span) -> Result<(), Diagnostic> {
        let at = cursor.span();
        let name = String::from_utf8_lossy(&self.bytes_of_string(cursor)?).into_owned();
        self.end(cursor)?;
        let bytes = self.file(&name, at)?;
        if self.include_depth >= 32 {
            return Err(Diagnostic::error(codes::EXPANSION, at, "files include one another more than 32 deep")
                .help("include a file in one place only"));
        }
        self.expanded += bytes.len();
        let text: Rc<str> = String::from_utf8_lossy(&bytes).into();
        let call = self.place(directive);
        self.buffers.push(Buffer { text: text.clone(), call, what: format!("`{name}`"), body: None });
        self.include_depth += 1;
        self.run(&text, self.buffers.len() as u32);
        self.include_depth -= 1;
        Ok(())
    }

    /// `.incbin "file" [, skip [, count]]`
    fn incbin(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        let at = cursor.span();
        let name = String::from_utf8_lossy(&self.bytes_of_string(cursor)?).into_owned();
        let (mut skip, mut count) = (0, i64::MAX);
        if cursor.take(Kind::Comma) {
            if cursor.kind() != Kind::Comma {
                skip = self.absolute(cursor, "the bytes to skip")?;
            }
            if cursor.take(Kind::Comma) {
                count = self.absolute(cursor, "the count")?;
            }
        }
        self.end(cursor)?;
        let (Ok(skip), Ok(count)) = (usize::try_from(skip), usize::try_from(count)) else {
            return Err(Diagnostic::error(codes::RANGE, at, "what is skipped and taken of a file is not negative")
                .help("write numbers from 0 on"));
        };
        let bytes = self.file(&name, at)?;
        let rest = bytes.get(skip..).unwrap_or(&[]);
        self.sections.emit(&rest[..count.min(rest.len())]);
        Ok(())
    }
}

fn called(binding: Binding) -> &'static str {
    match binding {
        Binding::Local => "local",
        Binding::Global => "global",
        Binding::Weak => "weak",
        Binding::Unique => "unique",
    }
}

/// The diagnostic that a number needs more bytes.
pub(crate) fn out_of_range(value: i64, bytes: u8, span: Span) -> Diagnostic {
    let bits = u32::from(bytes) * 8;
    Diagnostic::error(codes::RANGE, span, format!("{value} needs more than {bits} bits")).help(format!(
        "{bits} bits hold {} to {}",
        -(1i128 << (bits - 1)),
        (1i128 << bits) - 1
    ))
}

/// The message of `.error` and `.warning`, if one is given.
fn message(cursor: &mut Cursor) -> Result<Option<String>, Diagnostic> {
    let token = cursor.token();
    match token.kind {
        Kind::EndOfStatement => Ok(None),
        Kind::String => {
            cursor.advance();
            Ok(Some(token.contents(cursor.text).into()))
        }
        _ => Err(expected("a string", cursor).help("write the message in double quotes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_found() {
        assert!(DIRECTIVES.is_sorted_by(|(a, _), (b, _)| a < b), "the table is not in order, or a name stands twice");
        assert_eq!(find(".LONG"), Some(Data(4)));
        assert_eq!(find(".Text"), None, "LLVM takes these only in lower case");
        assert_eq!(find(".word"), None);
        assert_eq!(find(".a_name_that_is_longer_than_any_directive"), None);
        assert_eq!(nearest(".lnog"), Some(".long"));
        assert_eq!(nearest(".glbl"), Some(".globl"));
        assert_eq!(nearest(".Text"), Some(".text"));
        assert_eq!(nearest(".frobnicate"), None);
    }

    #[test]
    fn numbers_fit_signed_or_unsigned() {
        assert!(fits(255, 1) && fits(-128, 1) && !fits(256, 1) && !fits(-129, 1));
        assert!(fits(0xffff_ffff, 4) && !fits(0x1_0000_0000, 4) && fits(i64::MIN, 8));
    }
}
