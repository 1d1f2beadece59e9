//! Operands: registers of the right types, addresses in the right spaces, vectors, constants and names of other things (PTX ISA 9.4,
//! chapter 6 and 9.2 to 9.4; ptxas 13.5).

use crate::names::{Meaning, Place};
use crate::{Checker, codes, targets::Floor};
use diagnostics::{Diagnostic, Span};
use isa::{Class, Limits, Match, Notation, OperandType, Part, Role, Special, Type};
use ptx::ast::{Constant, Instruction, List, Operand, OperandKind, Space, Symbol, Variable};

static HANDLES: Floor = Floor::new(3, 1, 0);
static RESULT: Floor = Floor::new(6, 0, 0);

/// Why an operand is not right.
pub(crate) struct Complaint {
    pub code: &'static str,
    pub span: Span,
    pub message: String,
    /// The rule, where the message does not say it.
    pub note: Option<String>,
    pub help: String,
    /// How far the instruction was right before: of several forms the one that came furthest is reported.
    pub progress: usize,
}

impl Complaint {
    pub fn new(code: &'static str, span: Span, message: impl Into<String>, help: impl Into<String>) -> Complaint {
        Complaint { code, span, message: message.into(), note: None, help: help.into(), progress: 0 }
    }

    pub fn diagnostic(self) -> Diagnostic {
        let notes = self.note.into_iter().collect();
        Diagnostic { notes, ..Diagnostic::error(self.code, self.span, self.message).help(self.help) }
    }
}

pub(crate) type Judged = Result<(), Complaint>;

impl<'t> Checker<'t> {
    /// Holds a written operand against its pattern, which its shape fits.
    pub fn operand(&mut self, form: &Match, pattern: &isa::Operand, operand: &'t Operand) -> Judged {
        let parts = match operand.kind {
            OperandKind::Pair(list) | OperandKind::AddressList(list) => self.tree.list(list),
            OperandKind::Unified(list) => match self.tree.list(list) {
                [inner] => return self.operand(form, pattern, inner),
                _ => return Ok(()),
            },
            _ => std::slice::from_ref(operand),
        };
        pattern.parts.iter().zip(parts).try_for_each(|(part, operand)| self.part(form, part, pattern.notation, operand))
    }

    fn part(&mut self, form: &Match, part: &Part, notation: Notation, operand: &'t Operand) -> Judged {
        match part.ty {
            _ if part.limits.predicate && self.is_predicate(operand) => Ok(()),
            _ if matches!(operand.kind, OperandKind::Sink) => match notation {
                Notation::AddressList => {
                    let help = "`_` stands for a result; write a register or a variable";
                    Err(Complaint::new(codes::ADDRESS, operand.span, "`_` is no part of an address", help))
                }
                _ => Ok(()),
            },
            OperandType::Scalar(ty) => self.scalar(form, part, ty, operand),
            OperandType::Vector(_, ty) if part.limits.bare && !matches!(operand.kind, OperandKind::Vector(_)) => {
                self.scalar(form, part, ty, operand)
            }
            OperandType::Vector(lanes, ty) => self.vector(form, part, lanes, ty, operand),
            OperandType::Address(_) if part.limits.untyped && self.is_register(operand, part.limits.long) => Ok(()),
            OperandType::Address(space) => self.address(form, part, space, notation, operand),
            OperandType::Label => self.label(operand),
            OperandType::List => self.list(operand),
            // Calls are judged as a whole.
            OperandType::Function | OperandType::Prototype | OperandType::Arguments => Ok(()),
            OperandType::Variable => Ok(()),
        }
    }

    fn scalar(&mut self, form: &Match, part: &Part, ty: &'static Type, operand: &'t Operand) -> Judged {
        match operand.kind {
            OperandKind::Address { base, offset } if ty.class == Class::Opaque && (base.is_none() || offset != 0) => {
                let message = format!("`{}` is the name of a .{}, or a register with its handle", part.name, ty.name);
                Err(Complaint::new(codes::OPERANDS, operand.span, message, "write it in the brackets alone"))
            }
            OperandKind::Name(symbol) | OperandKind::Address { base: Some(symbol), .. } => {
                match self.meaning(symbol, operand.span) {
                    Meaning::Variable(_, Place::Output) if part.limits.symbol => {
                        self.floor(&RESULT, "the address of a result", operand.span);
                        self.symbol(form, part, ty, symbol, operand.span)
                    }
                    Meaning::Variable(..) | Meaning::Function(_) => self.symbol(form, part, ty, symbol, operand.span),
                    Meaning::Special(special) => self.special(part, ty, special, operand.span),
                    meaning => self.register(part, ty, meaning, symbol, operand.span),
                }
            }
            OperandKind::Member(base, _) => match self.meaning(base, operand.span) {
                Meaning::Special(special) => self.special(part, ty, special, operand.span),
                Meaning::Register(register, _) => self.register(part, ty, Meaning::Register(register, 1), base, operand.span),
                meaning => self.register(part, ty, meaning, base, operand.span),
            },
            OperandKind::Not(_) if part.limits.loose && !self.is_predicate(operand) => Err(Complaint::new(
                codes::OPERANDS,
                operand.span,
                "`!` stands before predicates only",
                "use `not` or `xor` on the register first",
            )),
            OperandKind::Not(list) | OperandKind::Negate(list) => match self.tree.list(list) {
                [inner] => self.scalar(form, part, ty, inner),
                _ => Ok(()),
            },
            OperandKind::Vector(list) => match self.tree.list(list) {
                elements if part.limits.takes_vectors() => self.instead_of_scalar(form, part, ty, elements, operand.span),
                elements @ [_] if has_vectors(form) && part.limits.own => self.elements(form, part, ty, elements),
                [inner] if part.limits.braced => self.scalar(form, part, ty, inner),
                _ => Err(Complaint::new(
                    codes::OPERANDS,
                    operand.span,
                    "no vector can stand here",
                    "write the register without braces",
                )),
            },
            OperandKind::Constant(Constant::F64(_)) if part.limits.loose || part.limits.single => {
                constant_misfits(ty, 64, operand.span)
            }
            OperandKind::Constant(_) if part.limits.loose => Ok(()),
            OperandKind::Constant(constant) if part.limits.fraction => is_fraction(part, constant, operand.span),
            OperandKind::Constant(Constant::F32(_) | Constant::F64(_)) if part.limits.unpacked => Ok(()),
            OperandKind::Constant(constant) => constant_fits(ty, constant, operand.span),
            OperandKind::Address { base: None, .. } if part.limits.register => {
                let help = "put the address into a register";
                Err(Complaint::new(codes::ADDRESS, operand.span, format!("`{}` is an address in a register", part.name), help))
            }
            OperandKind::Offset(symbol, _) => match self.meaning(symbol, operand.span) {
                Meaning::Variable(..) if part.limits.symbol => self.symbol(form, part, ty, symbol, operand.span),
                Meaning::Register(register, 1) => self.displaced(part, ty, register, symbol, operand.span),
                meaning @ (Meaning::Register(..) | Meaning::Label) => self.register(part, ty, meaning, symbol, operand.span),
                _ => Ok(()),
            },
            OperandKind::Element(list) => {
                let symbol = self.array(list)?;
                self.symbol(form, part, ty, symbol, operand.span)
            }
            _ => Ok(()),
        }
    }

    /// A register plus an offset: of the right class, and of the right width where that is not the instruction's.
    fn displaced(&self, part: &Part, ty: &'static Type, register: &'static Type, symbol: Symbol, span: Span) -> Judged {
        let text = self.tree.name(symbol);
        if part.role != Role::Source {
            let help = format!("write `{text}` alone");
            return Err(Complaint::new(codes::OPERANDS, span, "a sum is no destination", help));
        }
        let same = ty.class == register.class || (register.class != Class::Pred && ty.class == Class::Bits);
        let right = same || (ty.class != Class::Pred && register.class == Class::Bits);
        if right && (part.limits.declared.is_none() || register.bits == ty.bits) {
            return Ok(());
        }
        Err(wrong_register(ty, part.limits.wider, register, text, span))
    }

    /// A vector where a scalar is asked for and vectors may stand for it.
    fn instead_of_scalar(&mut self, form: &Match, part: &Part, ty: &'static Type, elements: &'t [Operand], span: Span) -> Judged {
        if part.limits.packs {
            return self.packed(form, part, ty, elements, span);
        }
        if !part.limits.loose {
            return self.elements(form, part, ty, elements);
        }
        for element in elements {
            let bits = match element.kind {
                OperandKind::Name(symbol) | OperandKind::Member(symbol, _) => match self.meaning(symbol, element.span) {
                    Meaning::Register(register, _) => register.element_bits(),
                    Meaning::Special(special) => self.table.type_named(special.ty).map_or(0, |own| own.bits),
                    Meaning::Unknown => return Ok(()),
                    _ => 0,
                },
                OperandKind::Constant(Constant::F32(_)) => 32,
                OperandKind::Constant(Constant::F64(_)) if elements.len() == 1 => 64,
                OperandKind::Constant(_) if elements.len() > 1 => ty.bits / elements.len() as u32,
                _ => 0,
            };
            if bits != ty.bits {
                let message = format!("this element does not fit a value of .{}", ty.name);
                return Err(Complaint::new(codes::OPERANDS, element.span, message, "write one register, without braces"));
            }
        }
        Ok(())
    }

    /// A vector for a scalar that is as wide as all of it together, or less wide where registers may be `wider`: its elements are bits.
    fn packed(&mut self, form: &Match, part: &Part, ty: &'static Type, elements: &'t [Operand], span: Span) -> Judged {
        let count = elements.len().max(1) as u32;
        let written = elements.iter().find_map(|e| self.element_width(e));
        let width = written.unwrap_or(ty.bits / count);
        let fits = if part.limits.wider { width * count >= ty.bits } else { width * count == ty.bits };
        let alone = count == 1 && !part.limits.own && !part.limits.braced;
        // What is declared judges registers: one must be there.
        let judged = part.limits.declared.is_none() || written.is_some();
        match self.table.type_named(&format!("b{width}")) {
            Some(element) if fits && judged && !alone => {
                let part = Part { limits: Limits { wider: false, ..part.limits }, ..part.clone() };
                self.elements(form, &part, element, elements)
            }
            _ => {
                let message = format!("no vector of {count} times {width} bits can stand for a value of .{}", ty.name);
                Err(Complaint::new(codes::OPERANDS, span, message, "write one register, without braces"))
            }
        }
    }

    /// A register of the right type, and nothing but a register.
    pub fn register(&mut self, part: &Part, ty: &'static Type, meaning: Meaning<'t>, symbol: Symbol, span: Span) -> Judged {
        let text = self.tree.name(symbol);
        match meaning {
            Meaning::Unknown => Ok(()),
            Meaning::Register(register, 1) if ty.class == Class::Opaque && integer_of(register, &[64]) => Ok(()),
            Meaning::Register(register, 1) if part.limits.expanded && is_unexpandable(ty, register) => {
                Err(wrong_register(ty, part.limits.wider, register, text, span))
            }
            Meaning::Register(register, 1) if ty.held_by(register, part.limits.wider) && part.limits.admit_declared(register) => {
                Ok(())
            }
            Meaning::Register(register, 1) if part.limits.loose && register.element_bits() == ty.bits => Ok(()),
            // ptxas 13.5 counts a predicate as 32 bits, and packed numbers as bits.
            Meaning::Register(register, 1) if part.limits.own && ty.class == Class::Pred && register.lanes.is_some() => Ok(()),
            Meaning::Register(register, 1) => Err(wrong_register(ty, part.limits.wider, register, text, span)),
            Meaning::Register(register, _) if part.limits.takes_vectors() && register.bits == ty.bits => Ok(()),
            Meaning::Register(register, n) if part.limits.packs && register.bits * u32::from(n) == ty.bits => Ok(()),
            Meaning::Register(..) => {
                let help = format!("name one of its elements, such as `{text}.x`");
                Err(Complaint::new(codes::OPERANDS, span, format!("`{text}` is a vector"), help))
            }
            _ => Err(Complaint::new(codes::OPERANDS, span, format!("`{text}` is no register"), "a register is needed here")),
        }
    }

    /// A variable or function where its address may stand.
    fn symbol(&mut self, form: &Match, part: &Part, ty: &'static Type, symbol: Symbol, span: Span) -> Judged {
        let text = self.tree.name(symbol);
        let Some(meaning) = self.names.find(symbol) else { return Ok(()) };
        if let (Class::Opaque, Meaning::Variable(variable, _)) = (ty.class, meaning) {
            let textured = ty.name == "texref" && variable.space == Space::Tex;
            if textured || variable.ty == ty.name && variable.dimensions.is_empty() {
                return Ok(());
            }
            let help = format!("name a variable of .{}", ty.name);
            return Err(Complaint::new(codes::OPERANDS, span, format!("`{text}` is no .{}", ty.name), help));
        }
        if let Meaning::Function(function) = meaning {
            self.is_known(function, span)?;
        }
        if matches!(meaning, Meaning::Function(_)) && part.role == Role::Source && part.limits.takes_functions(ty) {
            return match form.word(".space") {
                Some(space) if part.limits.symbol && part.limits.within.is_none() => {
                    let message = format!("`{text}` is a function, which is not in {space} space");
                    Err(Complaint::new(codes::SPACE, span, message, "name a variable; `mov` takes the address of a function"))
                }
                _ => Ok(()),
            };
        }
        if !part.limits.symbol {
            let help = format!("`mov` takes the address of `{text}` into a register; `ld` loads what it holds");
            return Err(Complaint::new(codes::OPERANDS, span, format!("`{text}` is no register"), help));
        }
        let Meaning::Variable(variable, place) = meaning else { return Ok(()) };
        has_address(variable, place, text, span)?;
        let opaque = self.is_opaque(variable) || variable.space == Space::Tex;
        if opaque {
            self.floor(&HANDLES, "the handle of a texture, sampler or surface", span);
        }
        if opaque && ty.name != "u64" {
            let message = format!("the handle of `{text}` is a value of .u64");
            return Err(Complaint::new(codes::REGISTER, span, message, "write `mov.u64`"));
        }
        if matches!(ty.class, Class::Float | Class::Pred) {
            let message = format!("`{text}` stands for an address, which is no value of .{}", ty.name);
            return Err(Complaint::new(codes::REGISTER, span, message, "use a type of integers or bits"));
        }
        match form.word(".space").or(part.limits.within) {
            Some(space) => self.space(variable, Some(space), text, span),
            None => Ok(()),
        }
    }

    /// A special register where one may be read.
    pub fn special(&mut self, part: &Part, ty: &'static Type, special: &'static Special, span: Span) -> Judged {
        let name = special.name;
        if part.role != Role::Source {
            return Err(Complaint::new(codes::SPECIAL, span, format!("`{name}` can only be read"), "write to a register"));
        }
        let help = reading(special);
        if !part.limits.special {
            return Err(Complaint::new(
                codes::SPECIAL,
                span,
                format!("only mov and cvt read special registers such as `{name}`"),
                help,
            ));
        }
        let Some(own) = self.table.type_named(special.ty) else { return Ok(()) };
        let width = own.bits == ty.bits || (part.limits.wider && ty.bits < own.bits);
        let narrow = special.narrow.is_some_and(|narrow| (narrow..=own.bits).contains(&ty.bits));
        let class = (own.class == Class::Pred) == (ty.class == Class::Pred) && ty.class != Class::Float;
        if class && (width || narrow) {
            return Ok(());
        }
        Err(Complaint::new(codes::REGISTER, span, format!("`{name}` is of type .{}, .{} is needed", special.ty, ty.name), help))
    }

    /// Whether an operand is a predicate, negated or not.
    fn is_predicate(&mut self, operand: &Operand) -> bool {
        match operand.kind {
            OperandKind::Name(symbol) => {
                matches!(self.names.find(symbol), Some(Meaning::Register(ty, 1)) if ty.class == Class::Pred)
            }
            OperandKind::Not(list) => matches!(self.tree.list(list), [inner] if self.is_predicate(inner)),
            _ => false,
        }
    }

    /// Whether an operand is the name of a register, of one of 64 bits if it must be `long`.
    fn is_register(&mut self, operand: &Operand, long: bool) -> bool {
        let OperandKind::Name(symbol) = operand.kind else { return false };
        matches!(self.names.find(symbol), Some(Meaning::Register(ty, 1)) if !long || ty.bits == 64)
    }

    // Addresses

    /// The array of an element, `a[1]` or `a[%r]`.
    fn array(&mut self, list: List) -> Result<Symbol, Complaint> {
        let tree = self.tree;
        let [array, index] = tree.list(list) else { return Ok(Symbol(0)) };
        let OperandKind::Name(symbol) = array.kind else { return Ok(Symbol(0)) };
        let text = tree.name(symbol);
        match self.meaning(symbol, array.span) {
            Meaning::Variable(variable, _) if !variable.dimensions.is_empty() => {}
            Meaning::Unknown => {}
            _ => {
                let help = "write an address in brackets, `[a+4]`";
                return Err(Complaint::new(codes::OPERANDS, array.span, format!("`{text}` is no array"), help));
            }
        }
        self.index(index)?;
        Ok(symbol)
    }

    /// What stands in the brackets of `a[1]`.
    fn index(&mut self, index: &Operand) -> Judged {
        let (message, help) = match index.kind {
            OperandKind::Constant(Constant::F32(_) | Constant::F64(_)) => {
                ("an index is an integer".to_owned(), "write it without a point")
            }
            OperandKind::Name(symbol) | OperandKind::Offset(symbol, _) => {
                let text = self.tree.name(symbol);
                match self.meaning(symbol, index.span) {
                    Meaning::Register(ty, _) if !integer_of(ty, &[8, 16, 32, 64]) => {
                        let message =
                            format!("`{text}` is a register of .{}, an index is an integer or bits, at most 64", ty.name);
                        (message, "use a register of .u32 or .b32")
                    }
                    Meaning::Function(..) => {
                        (format!("`{text}` is a function, which is no index"), "use a constant or a register")
                    }
                    _ => return Ok(()),
                }
            }
            _ => return Ok(()),
        };
        Err(Complaint::new(codes::REGISTER, index.span, message, help))
    }

    /// An address in brackets, or a register that holds one.
    fn address(
        &mut self,
        form: &Match,
        part: &Part,
        space: Option<&'static str>,
        notation: Notation,
        operand: &'t Operand,
    ) -> Judged {
        let span = operand.span;
        let bracketed = matches!(notation, Notation::Address | Notation::AddressList);
        let Limits { within, loose, long, .. } = part.limits;
        let symbol = match operand.kind {
            OperandKind::Address { base: Some(symbol), .. } | OperandKind::Name(symbol) | OperandKind::Offset(symbol, _) => {
                symbol
            }
            OperandKind::Element(list) => self.array(list)?,
            OperandKind::Member(symbol, _) if matches!(self.meaning(symbol, span), Meaning::Special(_)) => symbol,
            OperandKind::Address { base: None, .. } if space != Some(".local") && !loose => {
                let help = "put the address into a register";
                return Err(Complaint::new(codes::ADDRESS, span, "a constant is an address in .local space only", help));
            }
            _ => return Ok(()),
        };
        let text = self.tree.name(symbol);
        // ptxas 13.5 takes a narrow register as an address, unless an instruction that it makes of this one does not; one of 8 bits where it
        // takes a number, too.
        let widths: &[u32] = match bracketed && !form.form.expanded && !part.limits.expanded {
            _ if long => &[64],
            true => &[8, 16, 32, 64],
            false if part.limits.number => &[8, 32, 64],
            false => &[32, 64],
        };
        match self.meaning(symbol, span) {
            meaning if loose && !matches!(meaning, Meaning::Register(ty, _) if ty.bits > 64) => Ok(()),
            Meaning::Variable(..) if !bracketed => {
                let help = "take its address into a register by `mov`";
                Err(Complaint::new(codes::ADDRESS, span, format!("`{text}` is no register"), help))
            }
            Meaning::Variable(variable, _) if self.is_opaque(variable) => {
                let message = format!("`{text}` is a .{}, which is no memory", variable.ty);
                Err(Complaint::new(codes::ADDRESS, span, message, "read it by the instructions of textures and surfaces"))
            }
            Meaning::Variable(variable, place) => {
                self.space(variable, space.or(within), text, span)?;
                parameter_word(space, place, text, span)?;
                // What ptxas makes of the instruction begins with taking the address.
                if form.form.expanded || part.limits.expanded {
                    return has_address(variable, place, text, span);
                }
                // What has no destination and takes a value writes to memory.
                let writes = form.operands.len() > 1 && form.parts().all(|part| part.role == Role::Source);
                parameter_access(variable, place, writes, text, span)
            }
            Meaning::Register(..) if space == Some(".param::func") && self.in_kernel => {
                let help = "name a parameter of a call, or write `.param::entry`";
                Err(Complaint::new(codes::SPACE, span, "the parameters of a kernel are not in .param::func space", help))
            }
            Meaning::Register(ty, 1) if integer_of(ty, widths) => Ok(()),
            Meaning::Special(special)
                if special.lanes == 1
                    && notation == Notation::Address
                    && (!form.form.expanded || part.limits.special)
                    && within.is_none() =>
            {
                Ok(())
            }
            Meaning::Unknown => Ok(()),
            Meaning::Register(ty, 1) => {
                let rule = if integer_of(ty, &[8, 16]) { "has 32 or 64 bits" } else { "is an integer or bits" };
                let message = format!("`{text}` is a register of .{}, an address {rule}", ty.name);
                Err(Complaint::new(codes::ADDRESS, span, message, "use a register of .u64, .b64, .u32 or .b32"))
            }
            _ => Err(Complaint::new(
                codes::ADDRESS,
                span,
                format!("`{text}` is no address"),
                "an address is a register or a variable",
            )),
        }
    }

    /// Whether a variable is a texture, sampler or surface.
    fn is_opaque(&self, variable: &Variable) -> bool {
        self.table.type_named(variable.ty).is_some_and(|ty| ty.class == Class::Opaque)
    }

    /// Whether a variable lies in the space that an instruction accesses.
    fn space(&self, variable: &Variable, space: Option<&str>, text: &str, span: Span) -> Judged {
        let base = |word: &str| word.split("::").next().unwrap_or(word).to_owned();
        let own = space_name(variable.space);
        let right = match space.map(base) {
            Some(space) => space == own || (space == ".tex" && own == ".global"),
            None => matches!(own, ".global" | ".shared" | ".local"),
        };
        if right {
            return Ok(());
        }
        let accessed = space.map_or("generic addresses".to_owned(), |s| format!("{s} space"));
        let help = format!("write `{own}` in the instruction, or declare `{text}` in another space");
        Err(Complaint::new(codes::SPACE, span, format!("`{text}` is in {own} space, the instruction accesses {accessed}"), help))
    }

    fn label(&mut self, operand: &'t Operand) -> Judged {
        let OperandKind::Name(symbol) = operand.kind else {
            let help = "name a label of this scope or one around it";
            return Err(Complaint::new(codes::LABEL, operand.span, "a label is needed here", help));
        };
        match self.meaning(symbol, operand.span) {
            Meaning::Label | Meaning::Unknown => Ok(()),
            _ => {
                let message = format!("`{}` is no label", self.tree.name(symbol));
                Err(Complaint::new(codes::LABEL, operand.span, message, "name a label of this scope or one around it"))
            }
        }
    }

    fn list(&mut self, operand: &'t Operand) -> Judged {
        let message = match operand.kind {
            OperandKind::Name(symbol) => match self.meaning(symbol, operand.span) {
                Meaning::BranchTargets | Meaning::Unknown => return Ok(()),
                _ => format!("`{}` is no list of labels", self.tree.name(symbol)),
            },
            _ => "a list of labels is needed here".to_owned(),
        };
        Err(Complaint::new(codes::LABEL, operand.span, message, "name the label of a .branchtargets before this"))
    }

    /// Parameters of a call are written before it and read after it, whatever a predicate says.
    pub fn guarded_parameter(&mut self, instruction: &Instruction, operands: &'t [Operand]) -> Judged {
        if instruction.guard.is_none() {
            return Ok(());
        }
        for operand in operands {
            let OperandKind::Address { base: Some(symbol), .. } = operand.kind else { continue };
            if let Some(Meaning::Variable(variable, Place::Body)) = self.names.find(symbol)
                && variable.space == Space::Param
            {
                let message = format!("the access to the parameter `{}` of a call cannot be guarded", self.tree.name(symbol));
                let help = "select the value by `selp` and access the parameter always, or branch around the whole call";
                return Err(Complaint::new(codes::GUARDED, operand.span, message, help));
            }
        }
        Ok(())
    }
}

/// Whether ptxas cannot make other instructions of this register for a value of a type: a predicate, or a wider one with more than
/// 64 bits or floating-point numbers.
fn is_unexpandable(ty: &Type, register: &Type) -> bool {
    register.class == Class::Pred || (register.bits > ty.bits && (register.bits > 64 || register.class == Class::Float))
}

/// `.param::entry` is a kernel's parameter or a function's own, `.param::func` one of a call.
fn parameter_word(space: Option<&str>, place: Place, text: &str, span: Span) -> Judged {
    let wrong = match space {
        Some(".param::func") => place == Place::Kernel,
        Some(".param::entry") => place == Place::Body,
        _ => false,
    };
    if !wrong {
        return Ok(());
    }
    let whose = if place == Place::Kernel { "a kernel" } else { "a call" };
    Err(Complaint::new(codes::SPACE, span, format!("`{text}` is a parameter of {whose}"), "write `.param`"))
}

/// A parameter of a call is in registers, perhaps: it has a name, but no address.
fn has_address(variable: &Variable, place: Place, text: &str, span: Span) -> Judged {
    if place != Place::Body || variable.space != Space::Param {
        return Ok(());
    }
    let help = "load and store it by its name, with ld.param and st.param";
    Err(Complaint::new(codes::ADDRESS, span, format!("the parameter `{text}` of a call has no address"), help))
}

/// Parameters are read, results are written.
fn parameter_access(variable: &Variable, place: Place, writes: bool, text: &str, span: Span) -> Judged {
    match place {
        Place::Kernel | Place::Input if writes && variable.space == Space::Param => {
            let help = "copy it to a register or a variable first";
            Err(Complaint::new(codes::SPACE, span, format!("the parameter `{text}` can only be read"), help))
        }
        Place::Output if !writes && variable.space == Space::Param => {
            let help = "keep the value in a register";
            Err(Complaint::new(codes::SPACE, span, format!("the result `{text}` can only be written"), help))
        }
        _ => Ok(()),
    }
}

/// Whether another spelling of the form has vectors: then a vector of one stands for a scalar.
pub(crate) fn has_vectors(form: &Match) -> bool {
    form.word(".vec").is_none() && form.form.slots.iter().any(|slot| slot.name == ".vec")
}

/// How a special register, or an element of one, gets into a register.
fn reading(special: &Special) -> String {
    let element = if special.lanes > 1 { ".x" } else { "" };
    format!("read it into a register first: `mov.{} %r, {}{element};`", special.ty, special.name)
}

/// Whether a type is integers or bits of one of these widths.
pub(crate) fn integer_of(ty: &Type, widths: &[u32]) -> bool {
    matches!(ty.class, Class::Integer | Class::Bits) && widths.contains(&ty.bits)
}

/// The word of a space in instructions.
pub(crate) fn space_name(space: Space) -> &'static str {
    match space {
        Space::Reg => ".reg",
        Space::Sreg => ".sreg",
        Space::Const(_) => ".const",
        Space::Global => ".global",
        Space::Local => ".local",
        Space::Param => ".param",
        Space::Shared => ".shared",
        Space::Tex => ".tex",
    }
}

pub(crate) fn wrong_register(ty: &Type, wider: bool, register: &Type, text: &str, span: Span) -> Complaint {
    let message = format!("`{text}` is a register of .{}, .{} is needed", register.name, ty.name);
    let help = match &ty.registers[..] {
        [] => {
            let wide = if wider { ", or a wider one of integers or bits" } else { "" };
            let bits =
                if matches!(ty.class, Class::Bits | Class::Pred) { String::new() } else { format!(", or of .b{}", ty.bits) };
            format!("use a register of .{}{bits}{wide}", ty.name)
        }
        registers => format!("use a register of .{}", registers.join(" or .")),
    };
    let help = match (ty.class, register.class) {
        (Class::Pred, Class::Integer | Class::Bits) => format!("{help}: `setp` compares and gives one"),
        (Class::Integer | Class::Bits, Class::Pred) => format!("{help}: `selp` makes a number of a predicate"),
        (Class::Integer | Class::Float, Class::Integer | Class::Float | Class::Bits) if ty.registers.is_empty() => {
            format!("{help}; `cvt` converts")
        }
        _ => help,
    };
    Complaint::new(codes::REGISTER, span, message, help)
}

/// A decimal number is an f64 and fits both widths of numbers, but only bits of its own width; likewise 0f... .
pub(crate) fn constant_fits(ty: &Type, constant: Constant, span: Span) -> Judged {
    let width = match constant {
        Constant::F32(_) => 32,
        Constant::F64(_) => 64,
        Constant::Signed(_) | Constant::Unsigned(_) => return Ok(()),
    };
    if ty.class != Class::Bits || ty.bits == width {
        return Ok(());
    }
    constant_misfits(ty, width, span)
}

/// A floating-point constant is greater than 0 and at most 1, as a number of single precision.
fn is_fraction(part: &Part, constant: Constant, span: Span) -> Judged {
    let value = match constant {
        Constant::F32(bits) => f32::from_bits(bits),
        Constant::F64(bits) => f64::from_bits(bits) as f32,
        Constant::Signed(_) | Constant::Unsigned(_) => return Ok(()),
    };
    if value > 0.0 && value <= 1.0 {
        return Ok(());
    }
    let message = format!("`{}` is greater than 0 and at most 1, not {value}", part.name);
    Err(Complaint::new(codes::CONSTANT, span, message, "write 1.0 for all of it, 0.5 for half of it"))
}

fn constant_misfits(ty: &Type, width: u32, span: Span) -> Judged {
    let message = format!("a constant of {width} bits for a value of .{}", ty.name);
    Err(Complaint::new(codes::CONSTANT, span, message, "write the bits: 0f and 8 digits are an f32, 0d and 16 digits an f64"))
}
