//! Variables and registers: which type, size and alignment they may have in which space, and where (PTX ISA 9.4, 5.1 to 5.4).

use crate::names::{Meaning, Place};
use crate::{Checker, codes, targets::Floor};
use diagnostics::{Diagnostic, Span};
use isa::{Class, TextureMode, Type};
use ptx::ast::{Linkage, Space, Variable};

static BITS_128: Floor = Floor::new(8, 3, 70);
static PACKED_HALF: Floor = Floor::new(4, 2, 53);
static OPAQUE: Floor = Floor::new(1, 5, 0);
static WEAK: Floor = Floor::new(3, 1, 0);
static COMMON: Floor = Floor::new(5, 0, 0);
static ATTRIBUTE: Floor = Floor::new(4, 0, 0);
/// Numbered banks of constant memory, as long as there were some.
pub(crate) static BANKS: Floor = Floor::new(1, 5, 0);
static MANAGED: Floor = Floor::new(4, 0, 30);
static UNIFIED: Floor = Floor::new(8, 0, 90);

pub(crate) const NO_BANKS: &str = "numbered banks of constant memory do not exist any more from PTX 2.2 on";

/// The widest vector in bits.
const VECTOR: u32 = 128;
/// The greatest alignment of a parameter of a device function.
const PARAMETER_ALIGNMENT: u32 = 128;

/// Bytes of a variable's element, vector included.
pub(crate) fn element_bytes(variable: &Variable, ty: &Type) -> u64 {
    u64::from(ty.bits.div_ceil(8)) * u64::from(variable.vector)
}

/// Bytes of all of a variable; `None` for an array without a length.
pub(crate) fn bytes(variable: &Variable, ty: &Type) -> Option<u64> {
    let elements = variable.dimensions.iter().try_fold(1u64, |all, len| Some(all.saturating_mul((*len)?)))?;
    Some(elements.saturating_mul(element_bytes(variable, ty)))
}

/// What a variable is aligned to.
pub(crate) fn alignment(variable: &Variable, ty: &Type) -> u64 {
    variable.align.map_or(element_bytes(variable, ty), u64::from)
}

/// What a parameter is aligned to: where it says less than its type asks for, that counts (ptxas 13.5).
pub(crate) fn parameter_alignment(variable: &Variable, ty: &Type) -> u64 {
    alignment(variable, ty).max(element_bytes(variable, ty))
}

impl<'t> Checker<'t> {
    /// Checks a variable and declares it.
    pub fn variable(&mut self, variable: &'t Variable, place: Place) {
        let ty = self.table.type_named(variable.ty);
        if let Some(ty) = ty {
            self.type_in_space(variable, ty, place);
            self.place(variable, place);
        }
        self.attributes(&variable.attributes, Some(variable));
        self.declare(variable, place);
        // Its own address may be its value.
        if let Some(ty) = ty {
            self.initialiser(variable, ty);
        }
    }

    /// Declares it, and says if there is another of its name.
    pub fn declare(&mut self, variable: &'t Variable, place: Place) {
        let meaning = match (variable.space, self.table.type_named(variable.ty)) {
            (Space::Reg, Some(ty)) => Meaning::Register(ty, variable.vector),
            _ => Meaning::Variable(variable, place),
        };
        if place == Place::Module && variable.count.is_none() {
            self.reserved(variable.name);
        }
        let declared = match variable.count {
            Some(count) => self.names.declare_range(variable.name, count, meaning),
            None => self.names.declare(variable.name, meaning),
        };
        let Err(first) = declared else { return };
        match self.names.find(variable.name.symbol) {
            Some(Meaning::Variable(other, Place::Module)) if place == Place::Module && variable.count.is_none() => {
                self.redeclared(variable, other, first);
            }
            _ => self.declared_twice(variable.name, first),
        }
    }

    /// A variable at module scope of a name that has been declared there.
    fn redeclared(&mut self, variable: &'t Variable, other: &'t Variable, first: Span) {
        let external = |v: &Variable| v.linkage == Linkage::Extern;
        if !external(variable) && !external(other) {
            return self.declared_twice(variable.name, first);
        }
        let name = self.tree.name(variable.name.symbol);
        let sized = |v: &Variable| v.dimensions.iter().all(Option::is_some);
        let same = (variable.ty, variable.vector) == (other.ty, other.vector)
            && (variable.dimensions == other.dimensions || !sized(variable) || !sized(other));
        let internal = variable.linkage == Linkage::Internal;
        if !same || internal {
            let why = if same { "an internal variable does not define an external one" } else { "it has another type there" };
            let help = if same { "make the definition `.visible`" } else { "declare it with one type" };
            self.report.push(|| {
                Diagnostic::error(codes::PROTOTYPE, variable.name.span, format!("`{name}` does not fit its other declaration"))
                    .also(first, "declared here first")
                    .note(why)
                    .help(help)
            });
        }
        if !external(variable) {
            self.names.redeclare(variable.name, Meaning::Variable(variable, Place::Module));
        }
    }

    /// Whether the type may be in the space at all.
    pub fn type_in_space(&mut self, variable: &Variable, ty: &'static Type, place: Place) {
        let span = variable.name.span;
        let register = variable.space == Space::Reg;
        match ty.class {
            Class::Pred if !register => {
                return self.error(
                    codes::DECLARATION,
                    span,
                    || "predicates live in registers only".to_owned(),
                    "declare it in .reg, or as .b8",
                );
            }
            Class::Pred if variable.vector > 1 => {
                return self.error(
                    codes::DECLARATION,
                    span,
                    || "there are no vectors of predicates".to_owned(),
                    "declare them one by one",
                );
            }
            Class::Opaque => return self.opaque(variable, place),
            _ => {}
        }
        let instruction_type = !ty.registers.is_empty() && !ty.registers.contains(&ty.name);
        if instruction_type {
            let message = format!("`.{}` is a type of instructions, not of variables", ty.name);
            let help = format!("declare it as `.{}`", ty.registers.last().unwrap_or(&"b32"));
            return self.error(codes::DECLARATION, span, || message, &help);
        }
        match ty.name {
            // ptxas 13.5 asks arrays for nothing.
            "b128" if variable.dimensions.is_empty() => self.floor(&BITS_128, "`.b128`", span),
            "f16x2" => self.floor(&PACKED_HALF, "`.f16x2`", span),
            _ => {}
        }
        self.vector_bits(variable, ty);
        if variable.space == Space::Param && variable.dimensions.is_empty() && (variable.vector > 1 || ty.name == "f16x2") {
            let what = if variable.vector > 1 { "a vector" } else { "a value of .f16x2" };
            let help = "declare it as `.b32`, or as an array of bytes with `.align`";
            self.error(codes::DECLARATION, span, || format!("{what} cannot be in .param space"), help);
        }
    }

    /// Says if a vector is too wide.
    pub fn vector_bits(&mut self, variable: &Variable, ty: &Type) {
        if variable.vector > 1 && ty.bits * u32::from(variable.vector) > VECTOR {
            let message = format!("a vector has at most {VECTOR} bits, `.v{} .{}` has more", variable.vector, ty.name);
            self.error(codes::DECLARATION, variable.name.span, || message, "declare an array, or several variables");
        }
    }

    /// Textures, samplers and surfaces: in .global at module scope, or parameters of kernels.
    fn opaque(&mut self, variable: &Variable, place: Place) {
        let span = variable.name.span;
        let right = match place {
            Place::Module if variable.space == Space::Global => true,
            Place::Kernel => variable.space == Space::Param,
            // ptxas 13.5 takes arrays of them.
            Place::Module => matches!(variable.space, Space::Shared | Space::Const(_)) && !variable.dimensions.is_empty(),
            Place::Input => variable.space == Space::Param && !variable.dimensions.is_empty(),
            _ => false,
        };
        self.floor(&OPAQUE, &format!("`.{}`", variable.ty), span);
        if variable.vector > 1 || variable.linkage == Linkage::Common {
            let what =
                if variable.vector > 1 { "there are no vectors of opaque types" } else { "an opaque variable is not .common" };
            self.error(codes::DECLARATION, span, || what.to_owned(), "declare an array, or link it another way");
        } else if !right {
            let help = "declare it in .global at module scope, or as a parameter of a kernel";
            self.error(codes::DECLARATION, span, || format!("a .{} cannot be declared here", variable.ty), help);
        } else if variable.ty == "samplerref" && variable.dimensions.is_empty() && self.texmode != TextureMode::Independent {
            let help = "add `texmode_independent` to `.target`";
            self.error(codes::DECLARATION, span, || "with unified textures there are no samplers of their own".to_owned(), help);
        }
    }

    /// Whether a variable of this space, linkage and shape may stand at module scope, or in a body.
    fn place(&mut self, variable: &Variable, place: Place) {
        let span = variable.name.span;
        let wrong = match (place, variable.space) {
            (Place::Module, Space::Reg | Space::Local) if self.since(3, 0) => {
                Some(("registers and local variables belong to functions", "declare it in the body that uses it"))
            }
            (Place::Module, Space::Param) => {
                Some(("parameters are declared in a function's header or body", "declare it as .global, or as a parameter"))
            }
            (_, Space::Sreg) => Some(("special registers are predefined", "declare it in .reg")),
            (_, Space::Tex) if self.since(1, 5) => {
                Some(("the space .tex does not exist any more from PTX 1.5 on", "declare it as .global .texref"))
            }
            (_, Space::Tex)
                if !matches!(variable.ty, "u32" | "u64") || variable.vector > 1 || !variable.dimensions.is_empty() =>
            {
                Some(("a .tex variable is a .u32 or .u64", "declare it as .tex .u32"))
            }
            (Place::Body, Space::Tex) => Some(("a .tex variable is declared at module scope", "declare it outside the function")),
            (_, Space::Const(Some(_))) if self.since(2, 2) => Some((NO_BANKS, "write `.const`")),
            (_, Space::Const(bank)) if !self.since(2, 2) => self.wrong_bank(variable, bank),
            (Place::Body, Space::Param) if !self.since(2, 0) => {
                Some(("before PTX 2.0 only kernels have parameters", "pass values in registers, or declare it at the kernel"))
            }
            (_, Space::Reg) if !variable.dimensions.is_empty() => {
                Some(("there are no arrays of registers", "declare a range such as `.reg .b32 %r<4>`, or an array in .local"))
            }
            _ => None,
        };
        if let Some((message, help)) = wrong {
            self.error(codes::DECLARATION, span, || message.to_owned(), help);
        }
        self.linkage(variable);
        self.dimensions(variable);
        if place == Place::Body && variable.space == Space::Param {
            self.parameter_alignment(variable);
        }
    }

    /// Before PTX 2.2 an array without a length has a bank of its own, and nothing else has (ptxas 13.5).
    fn wrong_bank(&mut self, variable: &Variable, bank: Option<u8>) -> Option<(&'static str, &'static str)> {
        let numbered = bank.is_some_and(|bank| bank > 0);
        if numbered {
            self.floor(&BANKS, "a numbered bank of constant memory", variable.name.span);
        }
        let open = variable.linkage == Linkage::Extern && variable.dimensions.iter().any(Option::is_none);
        match (numbered, open) {
            (true, false) if self.since(1, 5) => {
                Some(("only external arrays without a length lie in banks 1 to 10", "write `.const`, or make it `.extern`"))
            }
            (false, true) => {
                Some(("an external array without a length lies in one of the banks 1 to 10", "write `.const[1]`, or its length"))
            }
            _ => None,
        }
    }

    /// Says if a parameter of a function is aligned to more than one may be.
    pub fn parameter_alignment(&mut self, variable: &Variable) {
        if variable.align.is_some_and(|a| a > PARAMETER_ALIGNMENT) {
            let message = format!("a parameter of a function is aligned to at most {PARAMETER_ALIGNMENT} bytes");
            self.error(codes::PARAMETER, variable.name.span, || message, "use a smaller alignment");
        }
    }

    fn linkage(&mut self, variable: &Variable) {
        match variable.linkage {
            Linkage::Weak => self.floor(&WEAK, "`.weak`", variable.span),
            Linkage::Common => {
                self.floor(&COMMON, "`.common`", variable.span);
                if variable.space != Space::Global {
                    let help = "declare it in .global, or link it another way";
                    self.error(
                        codes::DECLARATION,
                        variable.name.span,
                        || "a .common variable is in .global space".to_owned(),
                        help,
                    );
                }
            }
            _ => {}
        }
    }

    /// Only external arrays, and initialised ones, may leave their length open.
    fn dimensions(&mut self, variable: &Variable) {
        let open = variable.dimensions.iter().any(|len| matches!(len, None | Some(0)));
        if open && variable.linkage != Linkage::Extern && variable.init.is_none() {
            let help = "write its length, or make it `.extern`";
            self.error(codes::DECLARATION, variable.name.span, || "this array has no length".to_owned(), help);
        }
    }

    /// Checks `.attribute(...)` of a variable, or of a function where there is none.
    pub fn attributes(&mut self, attributes: &[(ptx::ast::Name, Vec<u64>)], variable: Option<&Variable>) {
        for (name, arguments) in attributes {
            let text = self.tree.name(name.symbol);
            self.floor(&ATTRIBUTE, "`.attribute`", name.span);
            match (text, arguments.len()) {
                ("managed", 0) | ("unified", 2) => {
                    let needs = if text == "managed" { &MANAGED } else { &UNIFIED };
                    self.floor(needs, &format!("`.{text}`"), name.span);
                    // ptxas 13.5 does not look at the space of several that are declared as one, `x<3>`, here.
                    let right = match variable {
                        Some(variable) => variable.space == Space::Global || (variable.count.is_some() && text == "managed"),
                        None => text == "unified",
                    };
                    if !right {
                        let message = format!("only .global variables are {text}");
                        self.error(codes::DECLARATION, name.span, || message, "declare it in .global");
                    }
                }
                ("managed" | "unified", _) => {
                    let help = "write `.managed`, or `.unified(A, B)` with two integers";
                    self.error(codes::DECLARATION, name.span, || format!("`.{text}` has other arguments"), help);
                }
                _ => {
                    let help = "there are `.managed` and `.unified(A, B)`";
                    self.error(codes::DECLARATION, name.span, || format!("there is no attribute `.{text}`"), help);
                }
            }
        }
    }
}
