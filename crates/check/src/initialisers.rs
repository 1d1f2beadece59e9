//! What `= ...` may give a variable (PTX ISA 9.4, 5.4.4; ptxas 13.5).

use crate::names::{Meaning, Place};
use crate::{Checker, codes, targets::Floor};
use diagnostics::Span;
use isa::{Class, Type};
use ptx::ast::{Constant, Init, Linkage, Space, Variable};

static ADDRESSES: Floor = Floor::new(2, 1, 0);

/// The fields of textures, samplers and surfaces, and the types that have each (PTX ISA 9.4, 5.3; ptxas 13.5).
const FIELDS: &[(&str, &[&str])] = &[
    ("width", &["texref", "surfref"]),
    ("height", &["texref", "surfref"]),
    ("depth", &["texref", "surfref"]),
    ("channel_data_type", &["texref", "surfref"]),
    ("channel_order", &["texref", "surfref"]),
    ("normalized_coords", &["texref"]),
    ("force_unnormalized_coords", &["samplerref"]),
    ("filter_mode", &["texref", "samplerref"]),
    ("addr_mode_0", &["texref", "samplerref"]),
    ("addr_mode_1", &["texref", "samplerref"]),
    ("addr_mode_2", &["texref", "samplerref"]),
    ("array_size", &["texref", "surfref"]),
    ("num_mipmap_levels", &["texref"]),
    ("num_samples", &["texref"]),
    ("memory_layout", &["surfref"]),
];

/// Values of fields that have names.
const FIELD_VALUES: &[&str] = &["nearest", "linear", "wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"];
static MASK: Floor = Floor::new(7, 1, 0);
// The manual introduces it in 7.3.
static MASKED_CONSTANT: Floor = Floor::new(7, 2, 0);
static GENERIC: Floor = Floor::new(3, 1, 0);
static FUNCTION_ADDRESS: Floor = Floor::new(2, 1, 0);
static KERNEL_ADDRESS: Floor = Floor::new(3, 1, 35);

impl<'t> Checker<'t> {
    pub fn initialiser(&mut self, variable: &'t Variable, ty: &'static Type) {
        let Some(init) = &variable.init else { return };
        let span = variable.name.span;
        let wrong = match variable.space {
            _ if variable.linkage == Linkage::Extern => Some("an external variable has its value elsewhere"),
            Space::Global | Space::Const(_) => None,
            _ => Some("only variables in .global and .const space have initial values"),
        };
        if let Some(message) = wrong {
            return self.error(
                codes::INITIALISER,
                span,
                || message.to_owned(),
                "remove the value, and store it when the kernel runs",
            );
        }
        if ty.class == Class::Opaque {
            return self.fields(init, variable, variable.dimensions.len());
        }
        if matches!(ty.name, "f16" | "f16x2") {
            let help = "declare it as bits, such as `.b16`";
            return self.error(codes::INITIALISER, span, || format!("a variable of .{} has no initial value", ty.name), help);
        }
        // A length of 0 is none.
        let empty = matches!(init, Init::List(elements) if elements.is_empty());
        if empty && variable.dimensions.iter().any(|len| matches!(len, None | Some(0))) {
            return self.error(codes::INITIALISER, span, || "this array has no length".to_owned(), "write its length, or values");
        }
        let mut lengths: Vec<Option<u64>> = variable.dimensions.iter().map(|len| len.filter(|len| *len > 0)).collect();
        if variable.vector > 1 {
            lengths.push(Some(variable.vector.into()));
        }
        self.nested(init, &lengths, ty, variable);
    }

    /// A value for an array of these lengths, the outermost first.
    fn nested(&mut self, init: &Init, lengths: &[Option<u64>], ty: &'static Type, variable: &Variable) {
        let span = variable.name.span;
        match (init, lengths) {
            (Init::List(elements), [_]) if variable.vector > 1 && elements.len() < usize::from(variable.vector) => {
                let message = format!("{} values for a vector of {}", elements.len(), variable.vector);
                self.error(codes::INITIALISER, span, || message, "write a value for each element");
            }
            (Init::List(elements), [len, inner @ ..]) => {
                if len.is_some_and(|len| elements.len() as u64 > len) {
                    let message = format!("{} values for {} elements", elements.len(), len.unwrap_or(0));
                    return self.error(
                        codes::INITIALISER,
                        span,
                        || message,
                        "remove values, or nest them `{ { }, { } }` as the array is",
                    );
                }
                elements.iter().for_each(|element| self.nested(element, inner, ty, variable));
            }
            (Init::List(_), []) => {
                self.error(
                    codes::INITIALISER,
                    span,
                    || "a list of values for a scalar".to_owned(),
                    "write the value without braces",
                );
            }
            (_, [_, ..]) => {
                self.error(
                    codes::INITIALISER,
                    span,
                    || "one value for an array or vector".to_owned(),
                    "write the values in braces",
                );
            }
            (init, []) => self.value(init, ty, span),
        }
    }

    fn value(&mut self, init: &Init, ty: &'static Type, span: Span) {
        let fits = match init {
            Init::Value(Constant::Signed(_) | Constant::Unsigned(_)) => ty.class != Class::Float,
            Init::Value(_) => ty.class != Class::Integer,
            Init::Masked { mask, span, .. } => {
                self.mask(*mask, *span);
                self.floor(&MASKED_CONSTANT, "a mask of a constant", *span);
                ty.class != Class::Float
            }
            Init::Address { .. } => return self.address_value(init, ty),
            Init::Field(..) | Init::String(_) | Init::List(_) => false,
        };
        if !fits {
            let (message, help) = match init {
                Init::Value(Constant::Signed(_) | Constant::Unsigned(_)) => {
                    ("an integer for a variable of", "write the number with a point, such as `1.0`, or its bits, 0f and 8 digits")
                }
                Init::Value(_) => {
                    ("a floating-point number for a variable of", "write an integer, or declare the variable as .f32")
                }
                _ => ("a value of another kind for a variable of", "write a number"),
            };
            self.error(codes::INITIALISER, span, || format!("{message} .{}", ty.name), help);
        }
    }

    /// An address: of a variable in .global or .const space or of a function, in .u32 or .u64, or byte by byte under a mask.
    fn address_value(&mut self, init: &Init, ty: &'static Type) {
        let Init::Address { name, mask, generic, offset } = init else { return };
        self.floor(&ADDRESSES, "an address as an initial value", name.span);
        let text = self.tree.name(name.symbol);
        let unsigned = ty.class == Class::Integer && !ty.signed();
        let holds = unsigned && (ty.bits >= 32 || mask.is_some() && ty.bits == 8);
        if !holds {
            let help = "declare it as .u64, or as .u8 with masks 0xff(...), 0xff00(...)";
            return self.error(codes::INITIALISER, name.span, || format!("an address in a variable of .{}", ty.name), help);
        }
        if let Some(mask) = mask {
            self.mask(*mask, name.span);
        }
        if *generic {
            self.floor(&GENERIC, "`generic()`", name.span);
        }
        match self.names.find(name.symbol) {
            Some(Meaning::Function(function)) if !generic && *offset == 0 => {
                let floor = if function.entry { &KERNEL_ADDRESS } else { &FUNCTION_ADDRESS };
                self.floor(floor, "the address of a function as an initial value", name.span);
            }
            Some(Meaning::Function(_)) => {
                let help = "write its name alone, without `generic()` and offset";
                self.error(codes::INITIALISER, name.span, || format!("`{text}` is a function"), help);
            }
            Some(Meaning::Variable(v, Place::Module | Place::Body)) if matches!(v.space, Space::Global | Space::Const(_)) => {}
            Some(Meaning::Variable(..)) => {
                let help = "only addresses in .global and .const space are known before a kernel runs";
                self.error(codes::INITIALISER, name.span, || format!("`{text}` has no address before a kernel runs"), help);
            }
            Some(Meaning::Unknown) => {}
            _ => self.undeclared(name.symbol, name.span),
        }
    }

    /// A mask selects one byte.
    fn mask(&mut self, mask: u64, span: Span) {
        self.floor(&MASK, "a mask in an initial value", span);
        if mask.checked_shr(mask.trailing_zeros() & !7) != Some(0xff) {
            let help = "a mask selects one byte: 0xff, 0xff00, 0xff0000 ...";
            self.error(codes::INITIALISER, span, || "this mask selects no byte".to_owned(), help);
        }
    }

    /// Fields and their values, in as many braces as the array has dimensions.
    fn fields(&mut self, init: &Init, variable: &Variable, depth: usize) {
        match init {
            Init::List(elements) if depth > 0 && elements.iter().any(|e| matches!(e, Init::List(_))) => {
                elements.iter().for_each(|element| self.fields(element, variable, depth - 1));
            }
            Init::List(elements) => elements.iter().for_each(|element| self.field(element, variable)),
            _ => self.field(init, variable),
        }
    }

    fn field(&mut self, init: &Init, variable: &Variable) {
        let Init::Field(name, value) = init else {
            let help = "write `{ field = value }`";
            return self.error(codes::INITIALISER, variable.name.span, || "an opaque variable takes fields".to_owned(), help);
        };
        let text = self.tree.name(name.symbol);
        let own = FIELDS.iter().filter(|(_, types)| types.contains(&variable.ty)).map(|(field, _)| *field);
        if !own.clone().any(|field| field == text) {
            let near = isa::Table::nearest(text, own.clone());
            let help = near.first().map_or_else(
                || format!("its fields are {}", own.collect::<Vec<_>>().join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            return self.error(codes::INITIALISER, name.span, || format!("a .{} has no field `{text}`", variable.ty), &help);
        }
        match &**value {
            Init::Value(_) => {}
            Init::Address { name, offset: 0, generic: false, mask: None }
                if FIELD_VALUES.contains(&self.tree.name(name.symbol)) => {}
            Init::Address { name, .. } => {
                let help = format!("write a number, or one of {}", FIELD_VALUES.join(", "));
                let value = self.tree.name(name.symbol);
                self.error(codes::INITIALISER, name.span, || format!("`{value}` is no value of a field"), &help);
            }
            _ => {
                let help = "write a number without braces";
                self.error(codes::INITIALISER, name.span, || format!("the field `{text}` has one value"), help);
            }
        }
    }
}
