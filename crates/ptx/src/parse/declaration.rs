//! Variables, parameters and initialisers (PTX ISA 9.4, section 5.4).

use super::remedies::{added, foreign_type};
use super::{Parsed, Parser};
use crate::ast::{Constant, Init, Linkage, Name, Pointer, Space, TypeName, Variable};
use crate::codes;
use crate::directive::{self, Directive};
use crate::lex::Kind;
use diagnostics::{Diagnostic, Span};

/// The greatest number of a bank of constant memory.
const MAX_BANK: u8 = 10;

/// What all names of one declaration share.
struct Shape {
    linkage: Linkage,
    space: Space,
    align: Option<u32>,
    vector: u8,
    ty: TypeName,
    pointer: Option<Pointer>,
    attributes: Vec<(Name, Vec<u64>)>,
}

impl Parser<'_> {
    /// `.space ... .type a, b<4>, c[8] = {1, 2};`: a variable each name.
    pub(super) fn variables(&mut self, linkage: Linkage, start: u32) -> Parsed<Vec<Variable>> {
        let mut variables = Vec::new();
        let shape = self.shape(linkage, false)?;
        // A declaration without a name declares nothing, and ptxas takes it.
        if self.eat(Kind::Semicolon) {
            return Ok(variables);
        }
        loop {
            let name = self.name("the name of a variable")?;
            variables.push(self.variable(&shape, name, start)?);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.semicolon("the declaration")?;
        Ok(variables)
    }

    fn shape(&mut self, linkage: Linkage, parameter: bool) -> Parsed<Shape> {
        let mut shape =
            Shape { linkage, space: Space::Reg, align: None, vector: 1, ty: "", pointer: None, attributes: Vec::new() };
        // The manual writes these behind the space only; ptxas takes them before it, too.
        self.qualifiers(&mut shape)?;
        shape.space = self.space()?;
        self.qualifiers(&mut shape)?;
        shape.vector = self.vector_arity();
        shape.ty = self.ty()?;
        if parameter {
            self.parameter_suffixes(&mut shape)?;
        }
        Ok(shape)
    }

    /// `.align N` and `.attribute(...)`, as many as there are.
    fn qualifiers(&mut self, shape: &mut Shape) -> Parsed<()> {
        loop {
            match self.directive() {
                // Of several the greatest counts.
                Some(Directive::Align) => shape.align = shape.align.max(Some(self.align()?)),
                Some(Directive::Attribute) => self.attributes(&mut shape.attributes)?,
                _ => return Ok(()),
            }
        }
    }

    /// `.align N` and `.ptr`, which a parameter has behind its type.
    fn parameter_suffixes(&mut self, shape: &mut Shape) -> Parsed<()> {
        loop {
            match self.directive() {
                Some(Directive::Align) => shape.align = Some(self.align()?),
                Some(Directive::Pointer) if shape.pointer.is_none() => shape.pointer = Some(self.pointer()?),
                _ => return Ok(()),
            }
        }
    }

    /// `.const[2]`, `.global` ...
    fn space(&mut self) -> Parsed<Space> {
        let Some(Directive::Space(mut space)) = self.directive() else {
            return Err(self.unexpected("a state space such as `.param` or `.reg`"));
        };
        if let Space::Const(bank) = &mut space
            && let Some(number) = self.lexer.pass_bank()
        {
            let span = Span::new(self.token.end + 1, self.token.end + 1 + number.len() as u32);
            let number = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
            let Some(number) = number.filter(|number| *number <= MAX_BANK) else {
                let message = format!("the number of a constant bank: at most {MAX_BANK}");
                let error = Diagnostic::error(codes::RANGE, span, message);
                return Err(self.syntax_error(error));
            };
            *bank = Some(number);
        }
        self.advance();
        Ok(space)
    }

    fn align(&mut self) -> Parsed<u32> {
        self.advance();
        let token = self.token;
        let align = self.unsigned("an alignment in bytes")?;
        match u32::try_from(align) {
            Ok(align) if align.is_power_of_two() => Ok(align),
            _ => {
                let error = Diagnostic::error(codes::RANGE, token.span(), "an alignment is a power of two");
                Err(self.syntax_error(error.help("write 1, 2, 4, 8, 16 ... bytes")))
            }
        }
    }

    fn vector_arity(&mut self) -> u8 {
        let arity = match self.dotted() {
            Some(b"v2") => 2,
            Some(b"v4") => 4,
            _ => return 1,
        };
        self.advance();
        arity
    }

    fn ty(&mut self) -> Parsed<TypeName> {
        let Some(text) = self.dotted() else {
            if self.at(Kind::Identifier) && self.remedy().is_none() {
                let found = self.describe(self.token);
                let message = format!("expected a type such as `.b32`, found {found}");
                let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), message);
                return Err(self.syntax_error(error.help("write the type behind the state space, as in `.reg .b32 %r;`")));
            }
            return Err(self.unexpected("a type such as `.b32`"));
        };
        if let Some(ty) = directive::type_name(text) {
            self.advance();
            return Ok(ty);
        }
        Err(self.wrong_type(&String::from_utf8_lossy(text)))
    }

    /// No type of a variable: one of instructions only, or none at all.
    #[cold]
    fn wrong_type(&mut self, text: &str) -> super::Reported {
        let found = self.describe(self.token);
        if let Some(part) = directive::directive(text.as_bytes()) {
            let (message, help) = match part {
                Directive::Function(_) => ("a function lies in no state space", "write `.visible` before it, or nothing"),
                Directive::Space(_) => ("a variable lies in one state space", "keep one of the two"),
                _ => ("a type stands here", "write the type behind the state space, such as `.b32`"),
            };
            let error = Diagnostic::error(codes::TYPE, self.token.span(), message);
            return self.syntax_error(error.help(help));
        }
        let known = isa::Table::get().ok().and_then(|table| table.type_named(text));
        let nearest = foreign_type(text).map(|own| &own[1..]).or_else(|| directive::nearest_type(text));
        let (message, help) = match (known, nearest) {
            (Some(ty), _) => {
                let bits = ty.registers.last().map_or_else(|| format!("b{}", ty.bits), ToString::to_string);
                (format!("{found} is a type of instructions, not of variables"), format!("declare it as `.{bits}`"))
            }
            (None, Some(nearest)) => (format!("{found} is no type of a variable"), format!("write `.{nearest}`")),
            (None, None) => {
                let help = "declare it with an untyped size such as `.b32`";
                (format!("{found} is no type of a variable"), help.to_owned())
            }
        };
        self.syntax_error(Diagnostic::error(codes::TYPE, self.token.span(), message).help(help))
    }

    /// `.ptr{.space}{.align N}`, or an opaque type for the space
    fn pointer(&mut self) -> Parsed<Pointer> {
        self.advance();
        let mut pointer = Pointer::default();
        if let Some(Directive::Space(space)) = self.directive() {
            if !matches!(space, Space::Const(_) | Space::Global | Space::Local | Space::Shared) {
                return Err(self.unexpected("`.const`, `.global`, `.local` or `.shared`"));
            }
            pointer.space = Some(self.space()?);
        } else if let Some(reference) = self.dotted().and_then(directive::opaque) {
            self.advance();
            pointer.reference = Some(reference);
        }
        if self.directive() == Some(Directive::Align) {
            pointer.align = Some(self.align()?);
        }
        Ok(pointer)
    }

    /// `.attribute(.managed, .unified(1, 2))`
    pub(super) fn attributes(&mut self, attributes: &mut Vec<(Name, Vec<u64>)>) -> Parsed<()> {
        self.advance();
        let open = self.token.span();
        self.expect(Kind::LeftParenthesis, "`(`")?;
        loop {
            if !self.at(Kind::Dotted) {
                return Err(self.unexpected("an attribute such as `.managed`"));
            }
            let name = self.dotted_name();
            let mut arguments = Vec::new();
            if self.at(Kind::LeftParenthesis) {
                let open = self.token.span();
                self.advance();
                arguments.push(self.unsigned("a number")?);
                while self.eat(Kind::Comma) {
                    arguments.push(self.unsigned("a number")?);
                }
                self.close(Kind::RightParenthesis, open, "`)`")?;
            }
            attributes.push((name, arguments));
            if !self.eat(Kind::Comma) {
                return self.close(Kind::RightParenthesis, open, "`,` or `)`");
            }
        }
    }

    /// The word at hand, without its dot, as a name.
    pub(super) fn dotted_name(&mut self) -> Name {
        let token = self.token;
        let name = Name { symbol: self.symbol(&self.text(token)[1..]), span: token.span() };
        self.advance();
        name
    }

    /// What follows the name of a variable: `<count>`, dimensions, an initialiser.
    fn variable(&mut self, shape: &Shape, name: Name, start: u32) -> Parsed<Variable> {
        let mut count = None;
        let mut dimensions = Vec::new();
        if self.eat(Kind::Less) {
            count = Some(self.small("a number of registers", u32::MAX)?);
            self.expect(Kind::Greater, "`>`")?;
        } else {
            while self.at(Kind::LeftBracket) {
                let open = self.token.span();
                dimensions.push(self.dimension()?);
                if dimensions.len() > 1 && dimensions.last() == Some(&None) {
                    let error = Diagnostic::error(codes::RANGE, open, "only the first length of an array may be left open");
                    return Err(self.syntax_error(error.help("write the length")));
                }
            }
        }
        let init = if count.is_none() && self.eat(Kind::Equals) { Some(self.init()?) } else { None };
        Ok(Variable {
            linkage: shape.linkage,
            space: shape.space,
            align: shape.align,
            vector: shape.vector,
            ty: shape.ty,
            name,
            count,
            dimensions,
            init,
            pointer: shape.pointer,
            attributes: shape.attributes.clone(),
            span: Span::new(if shape.linkage == Linkage::Internal { name.span.start } else { start }, self.previous_end),
        })
    }

    fn dimension(&mut self) -> Parsed<Option<u64>> {
        let open = self.token.span();
        self.advance();
        let len = if self.at(Kind::RightBracket) { None } else { Some(self.unsigned("a number of elements")?) };
        self.close(Kind::RightBracket, open, "`]`")?;
        Ok(len)
    }

    /// `(param, param)`. What cannot be read is left out, up to the next comma or the closing parenthesis.
    pub(super) fn parameters(&mut self) -> Vec<Variable> {
        let mut parameters = Vec::new();
        let open = self.token;
        self.advance();
        if self.eat(Kind::RightParenthesis) {
            return parameters;
        }
        loop {
            if let Ok(parameter) = self.parameter() {
                parameters.push(parameter);
                if self.at(Kind::RightParenthesis) {
                    break;
                }
            }
            if self.at(Kind::Semicolon) {
                let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), "between parameters stands `,`");
                self.syntax_error(error.help("write `,`"));
                self.advance();
                continue;
            }
            if !self.at(Kind::Comma) {
                let _ = self.close(Kind::Comma, open.span(), "`,` or `)`");
                self.skip_parameter();
            }
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        let _ = self.close(Kind::RightParenthesis, open.span(), "`,` or `)`");
        parameters
    }

    fn parameter(&mut self) -> Parsed<Variable> {
        let start = self.token.start;
        let shape = self.shape(Linkage::Internal, true)?;
        let name = if self.at(Kind::Underscore) {
            let name = self.name_of(self.token);
            self.advance();
            name
        } else {
            if self.at(Kind::Star) {
                let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), "a parameter is declared without `*`");
                return Err(
                    self.syntax_error(error.help("a pointer is a `.u64`; `.ptr .global` behind the type says where it points"))
                );
            }
            self.name("the name of a parameter")?
        };
        if self.at(Kind::Less) {
            return Err(self.unexpected("`,` or `)`"));
        }
        let mut parameter = self.variable(&shape, name, start)?;
        if parameter.dimensions.len() > 1 {
            let error = Diagnostic::error(codes::RANGE, name.span, "a parameter is an array of one dimension");
            return Err(self.syntax_error(error.help("multiply the lengths")));
        }
        parameter.span = Span::new(start, self.previous_end);
        Ok(parameter)
    }

    /// Goes to the comma or bracket behind a parameter.
    fn skip_parameter(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.token.kind {
                Kind::LeftParenthesis => depth += 1,
                Kind::RightParenthesis if depth > 0 => depth -= 1,
                Kind::Comma if depth == 0 => return,
                Kind::RightParenthesis | Kind::LeftBrace | Kind::RightBrace | Kind::Semicolon | Kind::End => return,
                _ => {}
            }
            self.advance();
        }
    }

    /// What stands behind `=`.
    fn init(&mut self) -> Parsed<Init> {
        match self.token.kind {
            Kind::LeftBrace => self.init_list(),
            Kind::Identifier if !self.at_constant() => self.address_or_field(),
            Kind::Number if self.lexer.peek() == b'(' => self.masked(),
            _ if self.at_constant() => Ok(Init::Value(self.constant()?)),
            _ => Err(self.unexpected("an initial value")),
        }
    }

    fn init_list(&mut self) -> Parsed<Init> {
        let open = self.token.span();
        self.advance();
        let mut elements = Vec::new();
        if self.eat(Kind::RightBrace) {
            return Ok(Init::List(elements));
        }
        self.open_braces += 1;
        loop {
            elements.push(self.nested(Self::init)?);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.close(Kind::RightBrace, open, "`,` or `}`")?;
        self.open_braces -= 1;
        Ok(Init::List(elements))
    }

    fn address_or_field(&mut self) -> Parsed<Init> {
        if self.lexer.peek_token().kind == Kind::Equals {
            let field = self.name("a field")?;
            self.advance();
            return Ok(Init::Field(field, Box::new(self.nested(Self::init)?)));
        }
        let (name, generic, offset) = self.symbol_address()?;
        Ok(Init::Address { name, offset, generic, mask: None })
    }

    /// `name+offset` or `generic(name)+offset`
    fn symbol_address(&mut self) -> Parsed<(Name, bool, i64)> {
        let mut name = self.name("the name of a variable or function")?;
        let open = self.token.span();
        let generic = self.at(Kind::LeftParenthesis);
        if generic && name.span.bytes(self.bytes) == b"generic" {
            self.advance();
            name = self.name("the name of a variable or function")?;
            self.close(Kind::RightParenthesis, open, "`)`")?;
        }
        if self.at(Kind::Minus) {
            let next = self.lexer.peek_token();
            let number = if next.kind == Kind::Number { self.text(next) } else { b"8" };
            let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), "an offset is added, not subtracted");
            return Err(self.syntax_error(error.help(added(number))));
        }
        let offset = if self.eat(Kind::Plus) { self.integer("an offset")? } else { 0 };
        Ok((name, generic, offset))
    }

    /// `0xff00(name+8)`: a byte of an address, or of a constant.
    fn masked(&mut self) -> Parsed<Init> {
        let token = self.token;
        let mask = match self.literal(token)? {
            Constant::Signed(mask) => mask as u64,
            Constant::Unsigned(mask) => mask,
            _ => return Err(self.unexpected("a mask such as 0xff00")),
        };
        self.advance();
        let open = self.token.span();
        self.advance();
        let init = if self.at_constant() {
            let value = self.integer("a masked value")? as u64;
            Init::Masked { mask, value, span: token.span() }
        } else {
            let (name, generic, offset) = self.symbol_address()?;
            Init::Address { name, offset, generic, mask: Some(mask) }
        };
        self.close(Kind::RightParenthesis, open, "`)`")?;
        Ok(init)
    }

    /// An integer literal that is not negative.
    pub(super) fn unsigned(&mut self, what: &str) -> Parsed<u64> {
        if self.text(self.token) == b"WARP_SZ" {
            self.advance();
            return Ok(super::constant::WARP_SIZE as u64);
        }
        let token = self.expect(Kind::Number, what)?;
        match self.literal(token)? {
            Constant::Signed(value) => Ok(value as u64),
            Constant::Unsigned(value) => Ok(value),
            _ => {
                let error = Diagnostic::error(codes::NUMBER, token.span(), format!("{what} is an integer"));
                Err(self.syntax_error(error))
            }
        }
    }

    /// The same, with a greatest value.
    pub(super) fn small(&mut self, what: &str, maximum: u32) -> Parsed<u32> {
        let token = self.token;
        let value = self.unsigned(what)?;
        match u32::try_from(value) {
            Ok(value) if value <= maximum => Ok(value),
            _ => {
                let error = Diagnostic::error(codes::RANGE, token.span(), format!("{what}: at most {maximum}"));
                Err(self.syntax_error(error))
            }
        }
    }
}
