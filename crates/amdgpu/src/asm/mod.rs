//! The assembler: a text of assembly into sections, symbols and relocations, as LLVM's assembler takes it for `amdgcn-amd-amdhsa`.
//!
//! One pass reads statements into sections, of which some sizes wait for others ([`assemble`]); then everything gets its offset, and
//! what depended on that becomes bytes or relocations. It stops at no error; what it reports is capped and counted.
//!
//! What this does not know: instructions, which the caller's function encodes, and kernel descriptors, whose directives it collects.
//! Debug information (`.file N`, `.loc`, `.cfi_*`) is accepted and left out.
//!
//! Follows LLVM 22 (its AsmParser and ELF streamer, and the AMDGPU target) and its "User Guide for AMDGPU Backend".

mod codes;
mod condition;
pub mod data;
mod directive;
pub mod evaluate;
pub mod expression;
mod finish;
mod kernel;
pub mod lex;
mod macros;
mod memory;
mod report;
mod section;
mod section_directive;
pub mod symbol;

pub use finish::{Relocation, RelocationTarget, Section, SymbolEntry, SymbolPlace};
pub use kernel::{Field, Kernel};
pub use section::{FixupKind, elf};

use diagnostics::{Diagnostic, Severity, Span};
use evaluate::View;
use expression::{Expression, Machine, Pool};
use lex::{Cursor, Kind, Lexer, Token};
use macros::Macro;
use memory::{Line, Memory};
use report::Report;
use section::Sections;
use std::collections::HashMap;
use std::rc::Rc;
use symbol::{Place, State, SymbolId};

/// Gives the contents of a file by its name.
pub type Loader = dyn Fn(&str) -> Option<Vec<u8>>;

/// What assembling must know of the target, and of files.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The text that `.amdgcn_target` must have, such as `amdgcn-amd-amdhsa--gfx942`.
    pub target: &'a str,
    /// Major version, minor version and stepping.
    pub version: [u32; 3],
    /// What functions of expressions depend on.
    pub machine: Machine,
    /// Bytes of local data share of a workgroup.
    pub lds_bytes: u64,
    /// Whether branches must not have the offset 0x3f (gfx1010).
    pub has_branch_bug: bool,
    /// The word of a kernel descriptor that LLVM writes the value of a directive to, and the value's place among those of the word; none if
    /// it is not written. Symbols stand in the table in this order.
    pub descriptor_place: &'a dyn Fn(&str) -> Option<(usize, usize)>,
    /// Gives the contents of a file that `.include` or `.incbin` names; without it they are refused.
    pub loader: Option<&'a Loader>,
}

/// A line with an instruction.
pub struct InstructionLine<'t> {
    /// The text that spans point into: the file's, or that of an expansion.
    pub text: &'t str,
    /// The mnemonic.
    pub mnemonic: Span,
    /// What follows it, the end of the statement last.
    pub operands: &'t [Token],
}

impl<'t> InstructionLine<'t> {
    /// The mnemonic as it is written.
    pub fn name(&self) -> &'t str {
        self.mnemonic.text(self.text)
    }

    /// The operands, to be read one after the other.
    pub fn cursor(&self) -> Cursor<'t> {
        Cursor::new(self.text, self.operands)
    }
}

/// A part of an instruction that an expression decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodedFixup {
    /// Byte of the instruction.
    pub offset: u8,
    /// What the value becomes.
    pub kind: FixupKind,
    /// The value.
    pub value: Expression,
    /// Where it is written, in the line's text.
    pub span: Span,
}

/// An instruction's bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Encoded {
    /// The bytes; only the first `len` count.
    pub bytes: [u8; 20],
    /// How many they are.
    pub len: u8,
    /// What expressions decide.
    pub fixups: [Option<EncodedFixup>; 2],
    /// One more than the highest VGPR that is named; 0 if there is none.
    pub vgprs: u32,
    /// The same of SGPRs.
    pub sgprs: u32,
    /// Whether the text alone decided it, and no symbol: the same text is always encoded so.
    pub is_settled: bool,
}

/// Encodes one instruction; spans of its diagnostics point into the line's text.
pub type Encoder<'e> = dyn FnMut(&InstructionLine, &mut Pool) -> Result<Encoded, Vec<Diagnostic>> + 'e;

/// A text between two directives, such as metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The text, with its line ends.
    pub text: String,
    /// The directive that begins it.
    pub span: Span,
}

/// What a text was assembled to.
#[derive(Debug, Default)]
pub struct Assembly {
    /// Sections in the order in which they were first named, `.text` first.
    pub sections: Vec<Section>,
    /// Symbols that belong in a symbol table, in the order in which they were first emitted.
    pub symbols: Vec<SymbolEntry>,
    /// The symbols of which `.addrsig_sym` says that their addresses are compared, by their numbers, if there is `.addrsig`.
    pub address_significant: Option<Vec<usize>>,
    /// What is left for the linker.
    pub relocations: Vec<Relocation>,
    /// The blocks `.amdhsa_kernel`.
    pub kernels: Vec<Kernel>,
    /// The blocks `.amdgpu_metadata`.
    pub metadata: Vec<Block>,
    /// What `.amdhsa_code_object_version` says, and where.
    pub code_object_version: Option<(i64, Span)>,
    /// What `.print` writes, a line each.
    pub printed: Vec<String>,
    /// Bytes of each instruction, in the order of the text.
    pub lengths: Vec<u8>,
    /// What is wrong or deserves a look, up to a limit; a note without a place says how much more there is.
    pub diagnostics: Vec<Diagnostic>,
}

impl Assembly {
    /// Whether nothing is wrong.
    pub fn is_right(&self) -> bool {
        self.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error)
    }
}

/// Assembles a text of less than 4 GiB.
pub fn assemble(text: &str, options: Options, encode: &mut Encoder) -> Assembly {
    let mut assembler = Assembler::new(text, options, encode);
    assembler.name_sections(Span::default());
    assembler.run(text, 0);
    assembler.end_of_file(text.len() as u32);
    assembler.finish()
}

/// Text that the file's own stands for.
struct Buffer {
    text: Rc<str>,
    /// What asked for it.
    call: Place,
    /// What it is called in messages.
    what: String,
    /// The body that it is made of, and how many lines of it follow one another; none for a file.
    body: Option<(Place, u32)>,
}

/// A pass over a text.
struct Assembler<'a, 'e> {
    main: &'a str,
    options: Options<'a>,
    encode: &'a mut Encoder<'e>,
    pool: Pool,
    sections: Sections,
    report: Report,
    buffers: Vec<Buffer>,
    /// Lists of tokens that are not in use.
    spare: Vec<Vec<Token>>,
    macros: HashMap<String, Rc<Macro>>,
    macros_are_on: bool,
    macro_calls: u64,
    is_alternative: bool,
    /// How many expansions are being read, one in another, and how much text they made.
    depth: usize,
    expanded: usize,
    include_depth: usize,
    conditions: Vec<condition::Condition>,
    /// How many conditions were open before the expansion that is being read.
    outer_conditions: usize,
    /// Whether statements are passed over.
    is_skipping: bool,
    is_ended: bool,
    /// Whether expansions are being left because they grew too large.
    is_abandoned: bool,
    has_ident: bool,
    /// What `.addrsig_sym` named, if there is `.addrsig`.
    has_address_significance: bool,
    address_significant: Vec<SymbolId>,
    /// So many sections have symbols of their names.
    named_sections: usize,
    warned_debug: bool,
    next_free: [SymbolId; 2],
    relocs: Vec<finish::Named>,
    kernels: Vec<kernel::Collected>,
    metadata: Vec<Block>,
    code_object_version: Option<(i64, Span)>,
    printed: Vec<String>,
    lengths: Vec<u8>,
    memory: Memory,
    /// The last instruction and its mnemonic, if it may be remembered.
    settled: Option<(Encoded, Span)>,
}

impl<'a, 'e> Assembler<'a, 'e> {
    fn new(main: &'a str, options: Options<'a>, encode: &'a mut Encoder<'e>) -> Self {
        let mut pool = Pool { machine: options.machine, ..Pool::default() };
        for (name, value) in [".amdgcn.gfx_generation_number", ".amdgcn.gfx_generation_minor", ".amdgcn.gfx_generation_stepping"]
            .iter()
            .zip(options.version)
        {
            pool.symbols.set_constant(name, i64::from(value));
        }
        for (name, value) in UC_VERSIONS {
            pool.symbols.set_constant(name, value);
        }
        let next_free = NEXT_FREE.map(|name| {
            pool.symbols.set_number(name, 0);
            pool.symbols.named(name)
        });
        Assembler {
            main,
            options,
            encode,
            pool,
            sections: Sections::new(),
            report: Report::default(),
            buffers: Vec::new(),
            spare: Vec::new(),
            macros: HashMap::new(),
            macros_are_on: true,
            macro_calls: 0,
            is_alternative: false,
            depth: 0,
            expanded: 0,
            include_depth: 0,
            conditions: Vec::new(),
            outer_conditions: 0,
            is_skipping: false,
            is_ended: false,
            is_abandoned: false,
            has_ident: false,
            has_address_significance: false,
            address_significant: Vec::new(),
            named_sections: 0,
            warned_debug: false,
            next_free,
            relocs: Vec::new(),
            kernels: Vec::new(),
            metadata: Vec::new(),
            code_object_version: None,
            printed: Vec::new(),
            lengths: Vec::new(),
            memory: Memory::default(),
            settled: None,
        }
    }

    /// Reads a text: the file, a file that it includes, or an expansion.
    fn run(&mut self, text: &str, buffer: u32) {
        let outer = std::mem::replace(&mut self.pool.buffer, buffer);
        let mut tokens = self.spare.pop().unwrap_or_default();
        let mut lexer = Lexer::new(text);
        while !self.is_ended && !self.is_abandoned {
            let (line, start) = (Line::at(&lexer), lexer.position());
            if line.as_ref().is_some_and(|line| self.emit_again(line, &mut lexer)) {
                continue;
            }
            if !lexer.statement(&mut tokens) {
                break;
            }
            let mut cursor = Cursor::new(text, &tokens);
            while !cursor.is_at_end() {
                match self.statement(&mut cursor, &mut lexer) {
                    Ok(Next::Statement) => break,
                    Ok(Next::BehindLabel) => {}
                    Err(diagnostic) => {
                        self.error(diagnostic);
                        break;
                    }
                }
            }
            if let (Some((encoded, mnemonic)), Some(line)) = (self.settled.take(), line)
                && mnemonic.start == tokens[0].span.start
                && lexer.position() == start + line.len()
            {
                self.memory.remember(line, &encoded, (mnemonic.start - start, mnemonic.end - start));
            }
        }
        self.spare.push(tokens);
        self.pool.buffer = outer;
    }

    /// Emits the instruction that is all of a line, if the line is remembered and means the same here.
    fn emit_again(&mut self, line: &Line, lexer: &mut Lexer) -> bool {
        if self.is_skipping || !self.macros.is_empty() {
            return false;
        }
        let Some((encoded, (from, to))) = self.memory.recall(line) else { return false };
        let start = lexer.position();
        lexer.skip(line.len());
        self.emit_instruction(&encoded, Span::new(start + from, start + to));
        true
    }

    /// One statement or label.
    fn statement(&mut self, cursor: &mut Cursor, lexer: &mut Lexer) -> Result<Next, Diagnostic> {
        let first = cursor.token();
        if first.kind == Kind::Integer && !self.is_skipping {
            return self.numeric_label(cursor);
        }
        let named = if cursor.take(Kind::Dot) { Some((".", first.span)) } else { cursor.name() };
        let Some((name, span)) = named else {
            return if self.is_skipping { Ok(Next::Statement) } else { Err(no_statement(first, cursor.text)) };
        };
        let directive = if name.starts_with('.') { directive::find(name) } else { None };
        if let Some(test) = directive.and_then(directive::Directive::condition) {
            self.condition(test, cursor, span)?;
            return Ok(Next::Statement);
        }
        if self.is_skipping {
            return Ok(Next::Statement);
        }
        match cursor.kind() {
            Kind::Colon => {
                cursor.advance();
                self.label(name, span, cursor)?;
                return Ok(Next::BehindLabel);
            }
            Kind::Equal => {
                cursor.advance();
                self.assign(name, span, cursor, true)?;
                return Ok(Next::Statement);
            }
            _ => {}
        }
        if !self.macros.is_empty() && self.call_macro(name, span, cursor)? {
            return Ok(Next::Statement);
        }
        if name.starts_with('.') && name != "." {
            let Some(directive) = directive else { return Err(directive::unknown(name, span)) };
            let result = self.directive(directive, name, span, cursor, lexer);
            self.name_sections(span);
            result?;
        } else {
            self.instruction(span, cursor);
        }
        Ok(Next::Statement)
    }

    fn numeric_label(&mut self, cursor: &mut Cursor) -> Result<Next, Diagnostic> {
        let token = cursor.advance();
        if !cursor.take(Kind::Colon) || token.value > i64::MAX as u64 {
            return Err(no_statement(token, cursor.text));
        }
        let id = self.pool.symbols.define_numeric(token.value);
        self.define(id, token.span)?;
        self.drop_comment(cursor);
        Ok(Next::BehindLabel)
    }

    fn label(&mut self, name: &str, span: Span, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        if name == "." {
            return Err(Diagnostic::error(codes::REDEFINED, span, "`.` is the current place and cannot be a label")
                .help("give the label a name"));
        }
        let id = self.pool.symbols.named(name);
        self.define(id, span)?;
        self.drop_comment(cursor);
        Ok(())
    }

    /// A `#` behind a label begins a comment, as it does before every statement.
    fn drop_comment(&mut self, cursor: &mut Cursor) {
        if cursor.kind() == Kind::Hash {
            cursor.rest_text();
        }
    }

    /// Makes a symbol mean this place.
    fn define(&mut self, id: SymbolId, span: Span) -> Result<(), Diagnostic> {
        let place = self.place(span);
        let (here, flags) = (self.sections.here(), self.sections.current_data().flags);
        let symbol = self.pool.symbols.get_mut(id);
        let is_free = symbol.state == State::Undefined || symbol.redefinable && matches!(symbol.state, State::Variable(_));
        if !is_free {
            return Err(self.defined_twice(id, span));
        }
        (symbol.state, symbol.place, symbol.redefinable) = (State::Label(here), place, false);
        if flags & elf::TLS != 0 {
            symbol.kind = symbol::SymbolKind::ThreadLocal;
        }
        self.pool.symbols.register(id);
        Ok(())
    }

    fn defined_twice(&self, id: SymbolId, span: Span) -> Diagnostic {
        let symbol = self.pool.symbols.get(id);
        let diagnostic = Diagnostic::error(codes::REDEFINED, span, format!("`{}` is defined already", symbol.name));
        let diagnostic = match symbol.place.buffer == self.pool.buffer && symbol.place != Place::default() {
            true => diagnostic.also(symbol.place.span, "defined here first"),
            false => diagnostic,
        };
        diagnostic.help("give one of them another name; in a macro, `\\@` in a name makes it unique")
    }

    /// `name = expression`, or what `.set` does.
    fn assign(&mut self, name: &str, span: Span, cursor: &mut Cursor, may_change: bool) -> Result<(), Diagnostic> {
        let at = cursor.span();
        let value = self.expression(cursor)?;
        self.end(cursor)?;
        if self.pool.as_symbol(value).is_some_and(|(_, specifier)| specifier.is_some()) {
            return Err(Diagnostic::error(codes::RELOCATION, at, "a symbol cannot stand for a relocation")
                .help("write the `@` suffix where the symbol is used"));
        }
        let place = self.place(span);
        if name == "." && self.pool.symbols.find(name).is_none() {
            self.register(value);
            let place = self.place(at);
            self.sections.end_fragment(section::Tail::Offset { to: value, value: 0, place });
            return Ok(());
        }
        let mut id = self.pool.symbols.named(name);
        let symbol = self.pool.symbols.get(id);
        if symbol.state != State::Undefined && !(may_change && symbol.redefinable) {
            return Err(self.defined_twice(id, span));
        }
        if symbol.redefinable && symbol.state != State::Undefined {
            // What named the symbol goes on meaning the old one; numbers have been put in its place.
            if symbol.referenced {
                id = self.pool.symbols.replace(id);
                self.forget_next_free(name, id);
            }
        }
        let symbol = self.pool.symbols.get_mut(id);
        (symbol.state, symbol.place, symbol.redefinable) = (State::Variable(value), place, may_change);
        self.pool.symbols.register(id);
        self.register(value);
        Ok(())
    }

    /// Follows a count of registers that has been replaced.
    fn forget_next_free(&mut self, name: &str, id: SymbolId) {
        if let Some(at) = NEXT_FREE.iter().position(|known| *known == name) {
            self.next_free[at] = id;
        }
    }

    /// Has an instruction encoded and emits it.
    fn instruction(&mut self, mnemonic: Span, cursor: &mut Cursor) {
        self.pool.here = Some(self.sections.here());
        let line = InstructionLine { text: cursor.text, mnemonic, operands: cursor.rest() };
        match (self.encode)(&line, &mut self.pool) {
            Ok(encoded) => {
                self.emit_instruction(&encoded, mnemonic);
                self.settled = encoded.is_settled.then_some((encoded, mnemonic));
            }
            Err(found) => found.into_iter().for_each(|diagnostic| self.error(diagnostic)),
        }
    }

    fn emit_instruction(&mut self, encoded: &Encoded, mnemonic: Span) {
        for fixup in encoded.fixups.iter().flatten() {
            self.register(fixup.value);
            let place = self.place(fixup.span);
            self.sections.fix(u32::from(fixup.offset), fixup.kind, fixup.value, place);
        }
        let bytes = encoded.bytes.get(..usize::from(encoded.len)).unwrap_or(&encoded.bytes);
        self.sections.emit(bytes);
        self.lengths.push(encoded.len);
        let branch = encoded.fixups.iter().flatten().find(|fixup| fixup.kind == FixupKind::Branch);
        if let Some(branch) = branch.filter(|_| self.options.has_branch_bug) {
            self.sections.end_fragment(section::Tail::Relax { target: branch.value });
        }
        for (id, count) in self.next_free.into_iter().zip([encoded.vgprs, encoded.sgprs]) {
            self.count_registers(id, i64::from(count), mnemonic);
        }
    }

    /// Raises a count of registers.
    fn count_registers(&mut self, id: SymbolId, count: i64, span: Span) {
        if count == 0 {
            return;
        }
        match self.pool.symbols.get_mut(id).state {
            State::Variable(Expression::Constant(known)) if known >= count => {}
            State::Variable(Expression::Constant(_)) => {
                self.pool.symbols.get_mut(id).state = State::Variable(Expression::Constant(count));
            }
            _ => {
                let name = self.pool.symbols.get(id).name.clone();
                let message = format!("`{name}` is no number, so registers cannot be counted");
                self.error(Diagnostic::error(codes::UNKNOWN_VALUE, span, message).help("set it to a number"));
            }
        }
    }

    /// Reads an expression; `.` in it means this place.
    fn expression(&mut self, cursor: &mut Cursor) -> Result<Expression, Diagnostic> {
        self.pool.here = Some(self.sections.here());
        self.pool.expression(cursor)
    }

    /// Reads an expression that must be a number by now; `what` begins the message otherwise.
    fn absolute(&mut self, cursor: &mut Cursor, what: &str) -> Result<i64, Diagnostic> {
        let start = cursor.span().start;
        let expression = self.expression(cursor)?;
        if let Expression::Constant(value) = expression {
            return Ok(value);
        }
        let span = Span::new(start, cursor.last_end());
        let value = self.pool.evaluate(expression, View::Fixed(&self.sections), false);
        let failure = value.err();
        let number = value.ok().and_then(|value| value.number());
        number.ok_or_else(|| self.pool.not_known(expression, failure, span, what))
    }

    /// Notes that something emitted names the symbols of an expression.
    fn register(&mut self, expression: Expression) {
        if let Expression::Steps(start, end) = expression {
            for at in start..end {
                if let expression::Step::Symbol(id, _) = self.pool.steps[at as usize] {
                    self.pool.symbols.register(id);
                }
            }
        }
    }

    /// Holds that a statement ends here.
    fn end(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        if cursor.is_at_end() { Ok(()) } else { Err(expected("the end of the line", cursor)) }
    }

    /// A place in what is being read.
    fn place(&self, span: Span) -> Place {
        Place { buffer: self.pool.buffer, span }
    }

    fn end_of_file(&mut self, end: u32) {
        self.pool.buffer = 0;
        if let Some(open) = self.conditions.first() {
            let place = open.place;
            let diagnostic =
                Diagnostic::error(codes::CONDITION, place.span, "this condition does not end").help("write `.endif`");
            self.error_at(place.buffer, diagnostic);
        }
        for (id, place) in std::mem::take(&mut self.pool.numeric_uses) {
            if self.pool.symbols.get(id).state == State::Undefined {
                let diagnostic = Diagnostic::error(codes::UNDEFINED, place.span, "no such label stands behind this place")
                    .help("define it as `1:` below, or name the one above with `b`");
                self.error_at(place.buffer, diagnostic);
            }
        }
        if self.sections.total > section::MOST_BYTES {
            let span = Span::new(end.saturating_sub(1), end);
            let message = format!("the sections hold more than {} MiB", section::MOST_BYTES >> 20);
            self.error(
                Diagnostic::error(codes::RANGE, span, message).help("fill less, or put zeros into `.bss`, which take no room"),
            );
        }
    }
}

/// What follows what was read.
enum Next {
    /// The next line.
    Statement,
    /// Perhaps more of this line.
    BehindLabel,
}

/// VGPRs and SGPRs, as counted by the assembler: one more than the highest that was named.
const NEXT_FREE: [&str; 2] = [".amdgcn.next_free_vgpr", ".amdgcn.next_free_sgpr"];

/// Constants of `s_version`.
const UC_VERSIONS: [(&str, i64); 7] = [
    ("UC_VERSION_GFX7", 0),
    ("UC_VERSION_GFX10", 4),
    ("UC_VERSION_GFX11", 6),
    ("UC_VERSION_GFX12", 9),
    ("UC_VERSION_W64_BIT", 0x2000),
    ("UC_VERSION_W32_BIT", 0x4000),
    ("UC_VERSION_MDP_BIT", 0x8000),
];

fn no_statement(token: Token, text: &str) -> Diagnostic {
    if token.kind == Kind::Error {
        return lex::explain(&token, text);
    }
    Diagnostic::error(codes::SYNTAX, token.span, "no statement begins so")
        .help("a statement is an instruction, a directive that begins with `.`, `label:`, or `symbol = expression`")
}

/// The diagnostic that something else was expected here.
#[cold]
fn expected(what: &str, cursor: &Cursor) -> Diagnostic {
    let token = cursor.token();
    if token.kind == Kind::Error {
        return lex::explain(&token, cursor.text);
    }
    let shown = match token.kind {
        Kind::EndOfStatement => "the end of the line".to_string(),
        _ => format!("`{}`", cursor.token_text()),
    };
    Diagnostic::error(codes::SYNTAX, token.span, format!("{what} is expected here, not {shown}"))
}
