//! Directives that choose the section to fill.

use super::lex::{Cursor, Kind};
use super::section::{SectionKey, elf};
use super::symbol::State;
use super::{Assembler, codes, expected};
use diagnostics::{Diagnostic, Span};

/// Flags of `.section` by their letter.
const FLAGS: [(char, u64); 10] = [
    ('a', elf::ALLOC),
    ('e', elf::EXCLUDE),
    ('x', elf::EXECUTE),
    ('w', elf::WRITE),
    ('o', elf::LINK_ORDER),
    ('M', elf::MERGE),
    ('S', elf::STRINGS),
    ('T', elf::TLS),
    ('G', elf::GROUP),
    ('R', elf::RETAIN),
];

/// Types of `.section` by their name; the last ones are LLVM's own.
const TYPES: [(&str, u32); 20] = [
    ("init_array", 14),
    ("fini_array", 15),
    ("preinit_array", 16),
    ("nobits", elf::NOBITS),
    ("progbits", elf::PROGBITS),
    ("note", elf::NOTE),
    ("unwind", 0x7000_0001),
    ("llvm_odrtab", 0x6fff_4c00),
    ("llvm_linker_options", 0x6fff_4c01),
    ("llvm_call_graph_profile", 0x6fff_4c09),
    ("llvm_dependent_libraries", 0x6fff_4c04),
    ("llvm_sympart", 0x6fff_4c05),
    ("llvm_bb_addr_map", 0x6fff_4c0a),
    ("llvm_offloading", 0x6fff_4c0b),
    ("llvm_lto", 0x6fff_4c0c),
    ("llvm_jt_sizes", 0x6fff_4c0d),
    ("llvm_cfi_jump_table", 0x6fff_4c0e),
    ("llvm_call_graph", 0x6fff_4c0f),
    ("llvm_addrsig", 0x6fff_4c03),
    ("llvm_part_phdr", 0x6fff_4c07),
];

/// Whether a section is a well-known one or a part of it: `.text` and `.text.hot`.
fn is_of(name: &str, family: &str) -> bool {
    name.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Flags that a section's name gives it.
fn flags_of(name: &str) -> u64 {
    let any = |families: &[&str]| families.iter().any(|family| is_of(name, family));
    if any(&[".rodata"]) || name == ".rodata1" {
        elf::ALLOC
    } else if any(&[".text"]) || matches!(name, ".fini" | ".init") {
        elf::ALLOC | elf::EXECUTE
    } else if any(&[".data", ".bss", ".init_array", ".fini_array", ".preinit_array"]) || name == ".data1" {
        elf::ALLOC | elf::WRITE
    } else if any(&[".tdata", ".tbss"]) {
        elf::ALLOC | elf::WRITE | elf::TLS
    } else {
        0
    }
}

/// The type that a section's name gives it.
fn kind_of(name: &str) -> u32 {
    if name.starts_with(".note") {
        return elf::NOTE;
    }
    let families =
        [(".init_array", 14), (".bss", elf::NOBITS), (".tbss", elf::NOBITS), (".fini_array", 15), (".preinit_array", 16)];
    families.iter().find(|(family, _)| is_of(name, family)).map_or(elf::PROGBITS, |(_, kind)| *kind)
}

fn number(text: &str) -> Option<u64> {
    u64::try_from(super::data::wide(text)?).ok()
}

/// What follows a section's name.
#[derive(Default)]
struct Arguments {
    extra_flags: u64,
    joins_group: bool,
    kind: Option<u32>,
    entry_size: u64,
    group: Option<(String, bool)>,
    linked_to: Option<super::SymbolId>,
    unique: Option<u32>,
    subsection: u32,
}

impl Assembler<'_, '_> {
    /// Gives new sections symbols: the name of a section means its start.
    pub(crate) fn name_sections(&mut self, span: Span) {
        while let Some(data) = self.sections.list.get(self.named_sections) {
            let (section, name) = (self.named_sections as u32, data.key.name.clone());
            self.named_sections += 1;
            self.sections.list[section as usize].symbols_before = self.pool.symbols.registered().len();
            let id = self.pool.symbols.named(&name);
            let start = self.sections.start(section);
            let symbol = self.pool.symbols.get_mut(id);
            if symbol.section.is_some() {
                continue;
            }
            if symbol.state != State::Undefined {
                let diagnostic = self.defined_twice(id, span).note("the name of a section stands for its start");
                self.error(diagnostic);
                continue;
            }
            (symbol.state, symbol.section, symbol.temporary) = (State::Label(start), Some(section), true);
            symbol.binding = Some(super::symbol::Binding::Local);
        }
    }

    /// `.text [number]` and the like.
    pub(crate) fn plain_section(&mut self, cursor: &mut Cursor, name: &str, kind: u32, flags: u64) -> Result<(), Diagnostic> {
        let subsection = if cursor.is_at_end() { 0 } else { self.subsection_number(cursor)? };
        self.end(cursor)?;
        let section = self.sections.section(name, kind, flags);
        self.sections.switch(section, subsection);
        Ok(())
    }

    /// `.subsection number`
    pub(crate) fn subsection(&mut self, cursor: &mut Cursor) -> Result<(), Diagnostic> {
        let number = if cursor.is_at_end() { 0 } else { self.subsection_number(cursor)? };
        self.end(cursor)?;
        let section = self.sections.current();
        self.sections.switch(section, number);
        Ok(())
    }

    fn subsection_number(&mut self, cursor: &mut Cursor) -> Result<u32, Diagnostic> {
        let start = cursor.span().start;
        let value = self.absolute(cursor, "the number of the subsection")?;
        u32::try_from(value).ok().filter(|value| *value <= i32::MAX as u32).ok_or_else(|| {
            let span = Span::new(start, cursor.last_end());
            Diagnostic::error(codes::RANGE, span, format!("{value} is no number of a subsection"))
                .help("write one from 0 to 2147483647")
        })
    }

    /// `.section name [, "flags" [, @type [, entry size] [, symbol] [, group [, comdat]] [, unique, number]]]`
    pub(crate) fn named_section(&mut self, cursor: &mut Cursor, directive: Span, is_pushed: bool) -> Result<(), Diagnostic> {
        let Some((name, name_span)) = section_name(cursor) else { return Err(expected("a section's name", cursor)) };
        let arguments = self.section_arguments(cursor, is_pushed)?;
        self.end(cursor)?;
        let mut flags = flags_of(name) | arguments.extra_flags;
        let mut group = arguments.group;
        let current = self.sections.current() as usize;
        if arguments.joins_group && self.sections.list[current].key.group.is_some() {
            group.clone_from(&self.sections.list[current].key.group);
            flags |= elf::GROUP;
        }
        let kind = arguments.kind.unwrap_or_else(|| kind_of(name));
        let key = SectionKey { name: name.into(), group, linked_to: arguments.linked_to, unique: arguments.unique };
        let section = self.sections.section_with(key, kind, flags, arguments.entry_size);
        self.sections.switch(section, arguments.subsection);
        let known = &self.sections.list[section as usize];
        let says_something = arguments.extra_flags != 0 || arguments.entry_size != 0 || arguments.kind.is_some();
        let differs = if arguments.kind.is_some() && known.kind != kind {
            Some(("type", u64::from(known.kind)))
        } else if says_something && known.flags != flags {
            Some(("flags", known.flags))
        } else if says_something && known.entry_size != arguments.entry_size {
            Some(("entry size", known.entry_size))
        } else {
            None
        };
        let Some((what, value)) = differs else { return Ok(()) };
        // The section has been switched to, as if the directive were right: the rest of the file belongs there.
        self.error(
            Diagnostic::error(
                codes::SECTION,
                name_span.to(directive),
                format!("section `{name}` has another {what} than before"),
            )
            .note(format!("it was {value:#x} where the section was named first"))
            .help("leave out everything behind the name, or say the same each time"),
        );
        Ok(())
    }

    fn section_arguments(&mut self, cursor: &mut Cursor, is_pushed: bool) -> Result<Arguments, Diagnostic> {
        let mut arguments = Arguments::default();
        if !cursor.take(Kind::Comma) {
            return Ok(arguments);
        }
        if is_pushed && cursor.kind() != Kind::String {
            arguments.subsection = self.subsection_number(cursor)?;
            if !cursor.take(Kind::Comma) {
                return Ok(arguments);
            }
        }
        self.section_flags(cursor, &mut arguments)?;
        arguments.kind = self.section_type(cursor)?;
        let flags = arguments.extra_flags;
        if arguments.kind.is_none() {
            if flags & (elf::MERGE | elf::GROUP) != 0 {
                return Err(expected("the section's type", cursor).help("write it behind the flags, such as `@progbits`"));
            }
            return Ok(arguments);
        }
        if flags & elf::MERGE != 0 || arguments.kind == Some(0x6fff_4c0e) {
            self.comma(cursor)?;
            let at = cursor.span();
            let size = self.absolute(cursor, "the entry size")?;
            arguments.entry_size = u64::try_from(size).ok().filter(|size| *size > 0).ok_or_else(|| {
                Diagnostic::error(codes::SECTION, at, "an entry has at least one byte")
                    .help("write the bytes of an entry: 1 for strings")
            })?;
        }
        if flags & elf::LINK_ORDER != 0 {
            self.comma(cursor)?;
            arguments.linked_to = self.linked_symbol(cursor)?;
        }
        if flags & elf::GROUP != 0 {
            self.comma(cursor)?;
            arguments.group = Some(self.group(cursor)?);
        }
        if cursor.take(Kind::Comma) {
            arguments.unique = Some(self.unique(cursor)?);
        }
        Ok(arguments)
    }

    fn section_flags(&mut self, cursor: &mut Cursor, arguments: &mut Arguments) -> Result<(), Diagnostic> {
        if cursor.kind() == Kind::Hash {
            return sun_flags(cursor, arguments);
        }
        let token = cursor.token();
        if token.kind != Kind::String {
            return Err(expected("a string of flags", cursor).help("write them in double quotes, such as \"ax\""));
        }
        cursor.advance();
        let text = token.contents(cursor.text);
        if let Some(value) = number(text).filter(|value| *value <= u64::from(u32::MAX)) {
            arguments.extra_flags = value;
            return Ok(());
        }
        for flag in text.chars() {
            match FLAGS.iter().find(|(known, _)| *known == flag) {
                Some((_, value)) => arguments.extra_flags |= value,
                None if flag == '?' => arguments.joins_group = true,
                None => {
                    return Err(Diagnostic::error(codes::SECTION, token.span, format!("`{flag}` is no flag of a section"))
                        .help("a (in memory), w (writable), x (code), M (merged), S (strings), T (of a thread), G (in a group), o, R, e, ?"));
                }
            }
        }
        if arguments.joins_group && arguments.extra_flags & elf::GROUP != 0 {
            return Err(Diagnostic::error(codes::SECTION, token.span, "`G` names a group and `?` takes the last one")
                .help("keep one of them"));
        }
        Ok(())
    }

    fn section_type(&mut self, cursor: &mut Cursor) -> Result<Option<u32>, Diagnostic> {
        if !cursor.take(Kind::Comma) {
            return Ok(None);
        }
        if matches!(cursor.kind(), Kind::At | Kind::Percent) {
            cursor.advance();
        } else if cursor.kind() != Kind::String {
            return Err(expected("the section's type", cursor).help("write it as `@progbits`, `%progbits` or \"progbits\""));
        }
        let token = cursor.token();
        let name = match token.kind {
            Kind::Integer => {
                cursor.advance();
                token.span.text(cursor.text)
            }
            _ => cursor.name().map_or("", |(name, _)| name),
        };
        let known = TYPES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        let kind = known.or_else(|| number(name).and_then(|value| u32::try_from(value).ok()));
        kind.map(Some).ok_or_else(|| {
            Diagnostic::error(codes::SECTION, token.span, format!("`{name}` is no type of a section"))
                .help("mostly @progbits, @nobits or @note; or its number")
        })
    }

    fn linked_symbol(&mut self, cursor: &mut Cursor) -> Result<Option<super::SymbolId>, Diagnostic> {
        if cursor.kind() == Kind::Integer && cursor.token().value == 0 {
            cursor.advance();
            return Ok(None);
        }
        let Some((name, span)) = cursor.name() else {
            return Err(expected("a symbol of the section to be ordered with", cursor));
        };
        let id = self.pool.symbols.named(name);
        if matches!(self.pool.symbols.get(id).state, State::Label(_)) {
            return Ok(Some(id));
        }
        Err(Diagnostic::error(codes::SECTION, span, format!("`{name}` is no label above this line"))
            .help("name a label of the section that this one goes with"))
    }

    fn group(&mut self, cursor: &mut Cursor) -> Result<(String, bool), Diagnostic> {
        let token = cursor.token();
        let name = if token.kind == Kind::Integer {
            cursor.advance();
            token.span.text(cursor.text)
        } else {
            match cursor.name() {
                Some((name, _)) => name,
                None => return Err(expected("the group's name", cursor)),
            }
        };
        let mut is_comdat = false;
        if cursor.kind() == Kind::Comma && cursor.ahead(1).span.text(cursor.text) != "unique" {
            cursor.advance();
            let span = cursor.span();
            is_comdat = cursor.name().is_some_and(|(name, _)| name == "comdat");
            if !is_comdat {
                return Err(
                    Diagnostic::error(codes::SECTION, span, "only `comdat` may stand here").help("write `comdat`, or nothing")
                );
            }
        }
        Ok((name.into(), is_comdat))
    }

    fn unique(&mut self, cursor: &mut Cursor) -> Result<u32, Diagnostic> {
        let at = cursor.span();
        if cursor.name().is_none_or(|(name, _)| name != "unique") {
            return Err(
                Diagnostic::error(codes::SECTION, at, "only `unique` may stand here").help("write `unique, NUMBER`, or nothing")
            );
        }
        self.comma(cursor)?;
        let at = cursor.span();
        let value = self.absolute(cursor, "the number")?;
        u32::try_from(value).ok().filter(|value| *value != u32::MAX).ok_or_else(|| {
            Diagnostic::error(codes::SECTION, at, format!("{value} does not tell sections apart"))
                .help("write a number from 0 to 4294967294")
        })
    }
}

/// A section's name: a string, or adjacent tokens up to a comma, since it may have a `-` in it.
fn section_name<'t>(cursor: &mut Cursor<'t>) -> Option<(&'t str, Span)> {
    let first = cursor.token();
    if first.kind == Kind::String {
        cursor.advance();
        return Some((first.contents(cursor.text), first.span));
    }
    let mut span = None;
    while !matches!(cursor.kind(), Kind::Comma | Kind::EndOfStatement) {
        let token = cursor.token();
        if span.is_some_and(|span: Span| span.end != token.span.start) {
            break;
        }
        span = Some(span.unwrap_or(token.span).to(token.span));
        cursor.advance();
    }
    span.map(|span| (span.text(cursor.text), span))
}

/// `#alloc, #execinstr, #write, #tls`
fn sun_flags(cursor: &mut Cursor, arguments: &mut Arguments) -> Result<(), Diagnostic> {
    while cursor.take(Kind::Hash) {
        arguments.extra_flags |= match cursor.token_text() {
            "alloc" => elf::ALLOC,
            "execinstr" => elf::EXECUTE,
            "write" => elf::WRITE,
            "tls" => elf::TLS,
            _ => return Err(expected("a flag", cursor).help("one of #alloc #execinstr #write #tls")),
        };
        cursor.advance();
        if cursor.kind() != Kind::Comma || cursor.ahead(1).kind != Kind::Hash {
            break;
        }
        cursor.advance();
    }
    Ok(())
}
