//! Module scope: the header, functions, variables, debugging sections (PTX ISA 9.4, chapters 7 and 11).

use super::dwarf;
use super::remedies::proper_place;
use super::{Parsed, Parser};
use crate::ast::{self, FileDirective, Function, Item, Linkage, Name, Section, Variable};
use crate::codes;
use crate::directive::{self, Directive, Takes};
use crate::lex::Kind;
use diagnostics::{Diagnostic, Span};

/// How files begin that are often taken for PTX, and what they are.
const OTHER_FILES: &[(&[u8], &str)] = &[
    (b"\x7fELF", "an ELF object, such as a cubin; `cuobjdump -ptx` extracts the PTX of one that carries it"),
    (b"\x50\xed\x55\xba", "a fatbin; `cuobjdump -ptx` extracts its PTX"),
    (b"BC\xc0\xde", "LLVM bitcode; `llc -march=nvptx64` makes PTX of it"),
    (b"; ModuleID", "LLVM IR; `llc -march=nvptx64` makes PTX of it"),
    (b"#include", "C++ source; `nvcc -ptx` makes PTX of it"),
    (b"__global__", "C++ source; `nvcc -ptx` makes PTX of it"),
    (b"extern \"C\"", "C++ source; `nvcc -ptx` makes PTX of it"),
    (b".amdgcn_target", "AMD assembly; `lockstep asm` assembles it"),
    (b"define ", "LLVM IR; `llc -march=nvptx64` makes PTX of it"),
    (b"target ", "LLVM IR; `llc -march=nvptx64` makes PTX of it"),
];

impl Parser<'_> {
    /// The whole file.
    pub(super) fn module(&mut self) {
        if !self.is_ptx() {
            return self.not_ptx();
        }
        self.header();
        while !self.at(Kind::End) {
            let before = self.token.start;
            if self.item().is_err() {
                self.depth = 0;
                self.open_braces = 0;
                self.recover_item(before);
            }
        }
    }

    /// Whether the file looks like PTX at all: it begins with a directive, or `.version` begins a line.
    fn is_ptx(&self) -> bool {
        (self.at(Kind::Dotted) && self.text(self.token) != b".amdgcn_target")
            || self.bytes.windows(9).any(|window| window == b"\n.version")
    }

    fn not_ptx(&mut self) {
        self.diagnostics.clear();
        self.last_error = u32::MAX;
        let text = self.bytes.trim_ascii_start();
        let known = OTHER_FILES.iter().find(|(start, _)| text.starts_with(start));
        let is_text = self.bytes.iter().all(|byte| *byte >= b' ' || byte.is_ascii_whitespace());
        let mut error = Diagnostic::error(codes::NOT_PTX, self.token.span(), "this is not PTX: `.version` is missing");
        if self.at(Kind::End) || !is_text {
            error.message = if is_text { "the file is empty" } else { "this is not PTX but a binary file" }.into();
            error.labels.clear();
        }
        self.syntax_error(error.help(match known {
            Some((_, what)) => format!("the file looks like {what}"),
            None if self.bytes.is_empty() => {
                "a PTX module begins with `.version`, `.target` and `.address_size`, a code object with an ELF header".to_string()
            }
            None => "a PTX module begins with `.version`, `.target` and `.address_size`".to_string(),
        }));
    }

    /// `.version`, `.target` and `.address_size`, in this order.
    fn header(&mut self) {
        if self.directive() == Some(Directive::Version) {
            self.header_part(Self::version);
        } else {
            let place = self.token.span();
            let error = Diagnostic::error(codes::HEADER, place, "`.version` is missing at the start of the module");
            self.syntax_error(error.help("begin with `.version`, such as `.version 8.7`"));
        }
        if self.directive() == Some(Directive::Target) {
            // ptxas takes several, one after another.
            while self.directive() == Some(Directive::Target) {
                self.header_part(Self::target);
            }
        } else {
            let place = self.token.span();
            let error = Diagnostic::error(codes::HEADER, place, "`.target` is missing behind `.version`");
            self.syntax_error(error.help("name the target behind the version, such as `.target sm_90`"));
        }
        if self.directive() == Some(Directive::AddressSize) {
            self.header_part(Self::address_size);
        }
    }

    fn header_part(&mut self, parse: fn(&mut Self) -> Parsed<()>) {
        if parse(self).is_err() {
            while !matches!(self.token.kind, Kind::Dotted | Kind::End) {
                self.advance();
            }
        }
        self.no_semicolon();
    }

    fn version(&mut self) -> Parsed<()> {
        let start = self.token.start;
        let major = self.version_part();
        let has_minor = self.lexer.pass(b'.') && self.lexer.peek().is_ascii_digit();
        let minor = if has_minor { self.version_part() } else { None };
        self.advance();
        let span = Span::new(start, self.previous_end);
        let (Some(major), Some(minor)) = (major, minor) else {
            let error = Diagnostic::error(codes::HEADER, span, "a version is two numbers with a point between them");
            return Err(self.syntax_error(error.help("write it as `.version 8.7`")));
        };
        self.module.version = Some((major, minor, span));
        Ok(())
    }

    /// Digits that follow directly, taken into the token at hand.
    fn version_part(&mut self) -> Option<u32> {
        let part = self.lexer.integer()?;
        self.token.end = part.end;
        std::str::from_utf8(self.text(part)).ok()?.parse().ok()
    }

    pub(super) fn target(&mut self) -> Parsed<()> {
        self.advance();
        loop {
            if self.at(Kind::Number) {
                let text = String::from_utf8_lossy(self.text(self.token)).into_owned();
                let meant = isa::Target::nearest(&text).map_or("sm_90".to_owned(), |t| t.to_string());
                let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), "a target has a name, not a number");
                return Err(self.syntax_error(error.help(format!("write `.target {meant}`"))));
            }
            let name = self.name("a target such as `sm_90`")?;
            self.module.targets.push(name);
            if !self.eat(Kind::Comma) {
                return Ok(());
            }
        }
    }

    fn address_size(&mut self) -> Parsed<()> {
        let start = self.token.start;
        self.advance();
        let token = self.token;
        let size = self.unsigned("32 or 64")?;
        if size != 32 && size != 64 {
            let error = Diagnostic::error(codes::RANGE, token.span(), "addresses have 32 or 64 bits");
            return Err(self.syntax_error(error.help("write `.address_size 64`")));
        }
        self.module.address_size = Some((size as u32, Span::new(start, self.previous_end)));
        Ok(())
    }

    /// A statement at module scope.
    fn item(&mut self) -> Parsed<()> {
        let start = self.token.start;
        match self.token.kind {
            Kind::Dotted => {}
            Kind::Dwarf => {
                if self.module.version.is_some_and(|(major, ..)| major >= 2) {
                    let message = "`@@DWARF` does not exist any more from PTX 2.0 on";
                    let error = Diagnostic::error(codes::MISPLACED, self.token.span(), message);
                    self.syntax_error(error.help("write a `.section` with the data"));
                } else if !std::str::from_utf8(self.text(self.token)).is_ok_and(dwarf::is_line) {
                    let message = "`@@DWARF` is followed by a section or by data";
                    let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), message);
                    let help = "write `.section .debug_info, \"\", @progbits`, `.byte 0x01, 0x02`, `.4byte 1` or `.quad label`";
                    self.syntax_error(error.help(help));
                }
                self.lexer.comments.push(self.token.span());
                self.advance();
                return Ok(());
            }
            Kind::RightBrace => {
                let error = Diagnostic::error(codes::UNOPENED, self.token.span(), "this `}` closes nothing");
                return Err(self.syntax_error(error.help("remove it, or look for a `{` that is missing before it")));
            }
            _ => return Err(self.unexpected("a function, a variable or a directive")),
        }
        match self.directive() {
            Some(
                Directive::Linkage(_) | Directive::Function(_) | Directive::Space(_) | Directive::Align | Directive::Attribute,
            ) => self.declaration(start)?,
            Some(Directive::Pragma) => {
                let (strings, span) = self.pragma()?;
                self.module.items.push(Item::Pragma(strings, span));
            }
            Some(Directive::File) => self.file()?,
            Some(Directive::Section) => self.section()?,
            Some(Directive::IntermediateSource) => self.intermediate_source()?,
            Some(Directive::Alias) => self.alias()?,
            Some(Directive::Version | Directive::Target | Directive::AddressSize) => {
                let found = self.describe(self.token);
                let message = format!("{found} stands once, at the start of the module");
                let error = Diagnostic::error(codes::HEADER, self.token.span(), message);
                self.syntax_error(error.note("the order is `.version`, `.target`, `.address_size`"));
                return self.repeated_header();
            }
            _ => return Err(self.wrong_directive("at module scope")),
        }
        Ok(())
    }

    /// Reads a part of the header that stands in the wrong place, and keeps it if it is the first of its kind.
    fn repeated_header(&mut self) -> Parsed<()> {
        let (version, size, targets) = (self.module.version, self.module.address_size, self.module.targets.len());
        match self.directive() {
            Some(Directive::Version) => self.version()?,
            Some(Directive::Target) => self.target()?,
            _ => self.address_size()?,
        }
        self.module.version = version.or(self.module.version);
        self.module.address_size = size.or(self.module.address_size);
        if targets > 0 {
            self.module.targets.truncate(targets);
        }
        Ok(())
    }

    /// Goes to the next directive that can begin an item, past whole bodies.
    #[cold]
    fn recover_item(&mut self, before: u32) {
        if self.token.start == before && !self.at(Kind::LeftBrace) {
            self.advance();
        }
        loop {
            match self.token.kind {
                Kind::End => return,
                Kind::LeftBrace => {
                    self.skip_braces();
                    continue;
                }
                Kind::Semicolon => {
                    self.advance();
                    if matches!(self.token.kind, Kind::Dotted | Kind::End) {
                        return;
                    }
                    continue;
                }
                Kind::Dotted if self.begins_module_item() => return,
                _ => {}
            }
            self.advance();
        }
    }

    fn begins_module_item(&self) -> bool {
        use Directive::*;
        match self.directive() {
            Some(Linkage(_) | Function(_) | File | Section | Alias | IntermediateSource | Version) => true,
            Some(Space(space)) => !matches!(space, ast::Space::Param | ast::Space::Reg),
            _ => false,
        }
    }

    /// A directive that may not stand here, or that nobody knows.
    #[cold]
    pub(super) fn wrong_directive(&mut self, place: &str) -> super::Reported {
        let found = self.describe(self.token);
        let span = self.token.span();
        if let Some(directive) = self.directive() {
            let error = Diagnostic::error(codes::MISPLACED, span, format!("{found} cannot stand {place}"));
            return self.syntax_error(Diagnostic { help: proper_place(directive).map(str::to_owned), ..error });
        }
        if self.lexer.peek() == b':' {
            let error = Diagnostic::error(codes::DIRECTIVE, span, "the name of a label begins with no dot");
            let name = String::from_utf8_lossy(&self.text(self.token)[1..]).into_owned();
            return self.syntax_error(error.help(format!("write `{name}:`, or `${name}:`, and so where it is named")));
        }
        let error = Diagnostic::error(codes::DIRECTIVE, span, format!("PTX has no directive {found}"));
        let text = String::from_utf8_lossy(self.dotted().unwrap_or(b"")).into_owned();
        self.syntax_error(match directive::nearest_directive(&text) {
            Some(nearest) => error.help(format!("did you mean `.{nearest}`?")),
            None => error,
        })
    }

    /// A function or variables, with the linking directive before it.
    pub(super) fn declaration(&mut self, start: u32) -> Parsed<()> {
        let mut linkage = Linkage::Internal;
        if let Some(Directive::Linkage(given)) = self.directive() {
            linkage = given;
            self.advance();
        }
        match self.directive() {
            Some(Directive::Function(_)) if linkage == Linkage::Common => {
                return Err(self.unexpected("a variable behind `.common`"));
            }
            Some(Directive::Function(entry)) => {
                let function = self.function(entry, linkage, start)?;
                self.module.items.push(Item::Function(function));
            }
            Some(Directive::Space(_) | Directive::Align | Directive::Attribute) => {
                let variables = self.variables(linkage, start)?;
                self.module.items.extend(variables.into_iter().map(Item::Variable));
            }
            _ => return Err(self.unexpected("`.entry`, `.func` or a state space behind the linking directive")),
        }
        Ok(())
    }

    fn function(&mut self, entry: bool, linkage: Linkage, start: u32) -> Parsed<Function> {
        self.advance();
        let mut attributes = Vec::new();
        while self.directive() == Some(Directive::Attribute) {
            self.attributes(&mut attributes)?;
        }
        if entry && self.at(Kind::LeftParenthesis) {
            let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), "a kernel has no results");
            return Err(self.syntax_error(error.help("pass the address of memory, and store the results there")));
        }
        if let Some(Directive::Linkage(_)) = self.directive() {
            let found = self.describe(self.token);
            let error = Diagnostic::error(codes::MISPLACED, self.token.span(), format!("{found} stands before what it is about"));
            let reported = self.syntax_error(error.help(format!("write {found} first")));
            self.advance();
            return Err(reported);
        }
        let returns = if !entry { self.optional_parameters() } else { Vec::new() };
        let name = self.name(if entry { "the name of a kernel" } else { "the name of a function" })?;
        let params = self.optional_parameters();
        let directives = self.tuning(entry);
        let body = match self.token.kind {
            Kind::LeftBrace => Some(self.body()),
            Kind::Semicolon => {
                self.advance();
                None
            }
            // ptxas takes the declaration of a device function without its semicolon.
            Kind::Dotted | Kind::End if !entry => None,
            _ => return Err(self.unexpected("`{` and the body, or `;`")),
        };
        let span = Span::new(start, self.previous_end);
        Ok(Function { entry, linkage, name, returns, params, directives, attributes, body, span })
    }

    fn optional_parameters(&mut self) -> Vec<Variable> {
        if self.at(Kind::LeftParenthesis) { self.parameters() } else { Vec::new() }
    }

    /// The directives between a function's parameters and its body. Unknown ones are reported and left out.
    pub(super) fn tuning(&mut self, entry: bool) -> Vec<ast::Directive> {
        let mut directives = Vec::new();
        while self.at(Kind::Dotted) {
            let parsed = match self.directive() {
                Some(Directive::Tuning(takes)) => self.tuning_directive(takes),
                Some(Directive::Pragma) if entry => self.function_pragma(),
                Some(Directive::Function(_) | Directive::Linkage(_)) => return directives,
                Some(_) if !entry => return directives,
                _ => Err(self.wrong_directive("between the parameters and the body of a function")),
            };
            match parsed {
                Ok(directive) => directives.push(directive),
                Err(_) => self.skip_arguments(),
            }
        }
        directives
    }

    fn tuning_directive(&mut self, takes: Takes) -> Parsed<ast::Directive> {
        let name = self.dotted_name();
        let mut directive = ast::Directive { name, arguments: Vec::new(), strings: Vec::new() };
        if takes == Takes::Nothing {
            return Ok(directive);
        }
        loop {
            if takes == Takes::Mixed && self.at(Kind::String) {
                directive.strings.push(self.string("a string")?);
            } else {
                directive.arguments.push(self.unsigned("an integer")?);
            }
            if !self.at(Kind::Comma) {
                return Ok(directive);
            }
            if let Takes::Integers(most) = takes
                && directive.arguments.len() >= usize::from(most)
            {
                return Err(self.unexpected("no further argument"));
            }
            self.advance();
        }
    }

    fn function_pragma(&mut self) -> Parsed<ast::Directive> {
        let name = Name { symbol: self.symbol(b"pragma"), span: self.token.span() };
        let (strings, _) = self.pragma()?;
        Ok(ast::Directive { name, arguments: Vec::new(), strings })
    }

    /// Goes to the next directive of a function's header, or to its body.
    fn skip_arguments(&mut self) {
        if !self.at(Kind::LeftBrace) {
            self.advance();
        }
        while matches!(self.token.kind, Kind::Number | Kind::Comma | Kind::String | Kind::Identifier) {
            self.advance();
        }
    }

    /// `.pragma "a", "b";`
    pub(super) fn pragma(&mut self) -> Parsed<(Vec<Box<str>>, Span)> {
        let start = self.token.start;
        self.advance();
        let mut strings = vec![self.string("a string")?];
        while self.eat(Kind::Comma) {
            strings.push(self.string("a string")?);
        }
        self.semicolon("`.pragma`")?;
        Ok((strings, Span::new(start, self.previous_end)))
    }

    fn string(&mut self, expected: &str) -> Parsed<Box<str>> {
        if self.at(Kind::Identifier) {
            let found = self.describe(self.token);
            let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), format!("expected {expected}, found {found}"));
            return Err(self.syntax_error(error.help("write it in quotes, `\"...\"`")));
        }
        let token = self.expect(Kind::String, expected)?;
        let text = &self.bytes[token.start as usize + 1..token.end as usize - 1];
        Ok(String::from_utf8_lossy(text).into())
    }

    /// `.file index "name"{, time, size}`; ptxas takes the time alone, too.
    fn file(&mut self) -> Parsed<()> {
        let start = self.token.start;
        self.advance();
        let index = self.small("the number of the file", u32::MAX)?.into();
        let name = self.string("the name of the file")?;
        if self.eat(Kind::Comma) {
            self.unsigned("the time of the file's last change")?;
            if self.eat(Kind::Comma) {
                self.unsigned("the size of the file")?;
            }
        }
        let span = Span::new(start, self.previous_end);
        self.module.items.push(Item::File(FileDirective { index, name, span }));
        Ok(())
    }

    /// `.alias name, target;`
    pub(super) fn alias(&mut self) -> Parsed<()> {
        self.advance();
        let alias = self.name("the name of the alias")?;
        self.expect(Kind::Comma, "`,` and the aliased function")?;
        let target = self.name("the name of the aliased function")?;
        self.semicolon("`.alias`")?;
        self.module.items.push(Item::Alias(alias, target));
        Ok(())
    }

    /// `.section .name { data }`, with its contents checked but not kept.
    fn section(&mut self) -> Parsed<()> {
        let start = self.token.start;
        self.advance();
        if !self.at(Kind::Dotted) {
            return Err(self.unexpected("the name of a section, with its dot"));
        }
        if self.directive().is_some() || self.dotted().is_some_and(|name| directive::type_name(name).is_some()) {
            return Err(self.unexpected("the name of a section"));
        }
        let name = self.name_of(self.token);
        self.advance();
        let open = self.token.span();
        self.expect(Kind::LeftBrace, "`{`")?;
        let mut section = section_named(name);
        while matches!(self.token.kind, Kind::Dotted | Kind::Identifier) {
            self.section_line(&mut section)?;
        }
        self.close(Kind::RightBrace, open, "`.b8`, `.b16`, `.b32`, `.b64`, a label or `}`")?;
        section.span = Span::new(start, self.previous_end);
        self.module.items.push(Item::Section(section));
        Ok(())
    }

    /// `label:`, each once.
    fn section_definition(&mut self, section: &mut Section) -> Parsed<()> {
        let label = self.name_of(self.token);
        section.label.get_or_insert(label.span);
        self.advance();
        self.expect(Kind::Colon, "`:` behind the label")?;
        if !self.section_labels.insert(label.symbol) {
            let error = Diagnostic::error(codes::LABEL, label.span, "this label of a section stands twice");
            return Err(self.syntax_error(error.help("give it another name")));
        }
        Ok(())
    }

    /// A label, or data: integers, or one address.
    fn section_line(&mut self, section: &mut Section) -> Parsed<()> {
        if self.at(Kind::Identifier) {
            return self.section_definition(section);
        }
        let bits = match self.dotted() {
            Some(b"b8") => 8,
            Some(b"b16") => 16,
            Some(b"b32") => 32,
            Some(b"b64") => 64,
            _ => return Err(self.unexpected("`.b8`, `.b16`, `.b32` or `.b64`")),
        };
        self.advance();
        let names_section = self.dotted().is_some_and(|name| directive::type_name(name).is_none());
        if bits >= 32 && (self.at(Kind::Identifier) || names_section) {
            return self.section_label(section);
        }
        loop {
            let minus = self.token.span();
            let negative = self.eat(Kind::Minus);
            if negative {
                section.negative.get_or_insert(minus);
            }
            let token = self.token;
            let value = self.unsigned(if bits >= 32 { "an integer or a label" } else { "an integer" })?;
            // ptxas does not look at the upper half of greater ones.
            let most = if negative {
                1 << (bits - 1)
            } else if bits >= 32 {
                u64::MAX
            } else {
                (1 << bits) - 1
            };
            if value > most {
                let error = Diagnostic::error(codes::RANGE, token.span(), format!("the value does not fit in {bits} bits"));
                return Err(self.syntax_error(error.help("use a wider type")));
            }
            if !self.eat(Kind::Comma) {
                return Ok(());
            }
        }
    }

    /// `label`, `label+offset` or `label-label`; a label may be the name of a section.
    fn section_label(&mut self, section: &mut Section) -> Parsed<()> {
        self.advance();
        let sign = self.token.span();
        if self.eat(Kind::Plus) {
            section.offset.get_or_insert(sign);
            self.unsigned("an offset")?;
        } else if self.eat(Kind::Minus) {
            section.difference.get_or_insert(sign);
            if !self.eat(Kind::Dotted) {
                self.expect(Kind::Identifier, "a label")?;
            }
        }
        Ok(())
    }

    /// `.nv_intermediate_source_section { .code_block { ... } ... }`
    fn intermediate_source(&mut self) -> Parsed<()> {
        let start = self.token.start;
        let mut section = Section { intermediate: true, ..section_named(self.name_of(self.token)) };
        self.advance();
        let open = self.token.span();
        self.expect(Kind::LeftBrace, "`{`")?;
        while self.dotted() == Some(b"code_block") {
            self.code_block(&mut section)?;
        }
        self.close(Kind::RightBrace, open, "`.code_block` or `}`")?;
        section.span = Span::new(start, self.previous_end);
        self.module.items.push(Item::Section(section));
        Ok(())
    }

    /// `.code_block { .ir_name: "LANGUAGE" .sourceFileName: FILE .source_begin TEXT .source_end }`
    fn code_block(&mut self, section: &mut Section) -> Parsed<()> {
        self.advance();
        let open = self.token.span();
        self.expect(Kind::LeftBrace, "`{`")?;
        self.field(b"ir_name")?;
        self.string("the name of an intermediate language")?;
        self.field(b"sourceFileName")?;
        let span = self.token.span();
        section.files.push((self.small("the number of a file", u32::MAX)?.into(), span));
        let rest = &self.bytes[self.token.end as usize..];
        let ends_line = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) == Some(&b'\n');
        if self.dotted() != Some(b"source_begin") || !ends_line {
            return Err(self.unexpected("`.source_begin` at the end of a line"));
        }
        if !self.lexer.pass_through_line(b".source_end") {
            let error = Diagnostic::error(codes::UNTERMINATED, self.token.span(), "`.source_end` is missing");
            return Err(self.syntax_error(error.label("the source text begins here")));
        }
        self.advance();
        self.close(Kind::RightBrace, open, "`}`")
    }

    /// `.name:`
    fn field(&mut self, name: &[u8]) -> Parsed<()> {
        if self.dotted() != Some(name) {
            return Err(self.unexpected(&format!("`.{}:`", String::from_utf8_lossy(name))));
        }
        self.advance();
        self.expect(Kind::Colon, "`:`")?;
        Ok(())
    }
}

fn section_named(name: Name) -> Section {
    Section {
        name,
        intermediate: false,
        files: Vec::new(),
        label: None,
        offset: None,
        difference: None,
        negative: None,
        span: name.span,
    }
}
