//! What `= ...` may give a variable (PTX ISA 9.4, 5.4.4; ptxas 13.5).

use crate::names::{Meaning, Place};
use crate::{Checker, codes};
use diagnostics::Span;
use isa::{Class, Type};
use ptx::ast::{Constant, Init, Linkage, Space, Variable};

/// The fields of textures, samplers and surfaces (PTX ISA 9.4, 5.3).
const FIELDS: &[&str] = &[
    "width",
    "height",
    "depth",
    "channel_data_type",
    "channel_order",
    "normalized_coords",
    "force_unnormalized_coords",
    "filter_mode",
    "addr_mode_0",
    "addr_mode_1",
    "addr_mode_2",
    "array_size",
    "num_mipmap_levels",
    "num_samples",
    "memory_layout",
];

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
            return self.fields(init, span);
        }
        if matches!(ty.name, "f16" | "f16x2") {
            let help = "declare it as bits, such as `.b16`";
            return self.error(codes::INITIALISER, span, || format!("a variable of .{} has no initial value", ty.name), help);
        }
        // A length of 0 is none.
        let mut lengths: Vec<Option<u64>> = variable.dimensions.iter().map(|len| len.filter(|len| *len > 0)).collect();
        if variable.vector > 1 {
            lengths.push(Some(variable.vector.into()));
        }
        self.nested(init, &lengths, ty, span);
    }

    /// A value for an array of these lengths, the outermost first.
    fn nested(&mut self, init: &Init, lengths: &[Option<u64>], ty: &'static Type, span: Span) {
        match (init, lengths) {
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
                elements.iter().for_each(|element| self.nested(element, inner, ty, span));
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
            Init::Address { .. } => return self.address_value(init, ty),
            Init::Field(..) | Init::String(_) | Init::List(_) => false,
        };
        if !fits {
            let message = format!("a value of another kind for a variable of .{}", ty.name);
            let help = "floating-point variables take numbers with a point or 0f and 0d, integers take integers";
            self.error(codes::INITIALISER, span, || message, help);
        }
    }

    /// An address: of a variable in .global or .const space or of a function, in .u32 or .u64, or byte by byte under a mask.
    fn address_value(&mut self, init: &Init, ty: &'static Type) {
        let Init::Address { name, mask, generic, .. } = init else { return };
        let text = self.tree.name(name.symbol);
        let unsigned = ty.class == Class::Integer && !ty.signed();
        let holds = unsigned && (mask.is_some() || ty.bits >= 32);
        if !holds {
            let help = "declare it as .u64, or as .u8 with masks 0xff(...), 0xff00(...)";
            return self.error(codes::INITIALISER, name.span, || format!("an address in a variable of .{}", ty.name), help);
        }
        if mask.is_some_and(|mask| mask >> (mask.trailing_zeros() & !7) != 0xff) {
            let help = "a mask selects one byte: 0xff, 0xff00, 0xff0000 ...";
            self.error(codes::INITIALISER, name.span, || "this mask selects no byte".to_owned(), help);
        }
        match self.names.find(name.symbol) {
            Some(Meaning::Function(_)) if !generic => {}
            Some(Meaning::Function(_)) => {
                self.error(
                    codes::INITIALISER,
                    name.span,
                    || format!("`{text}` is a function"),
                    "write its name without `generic()`",
                );
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

    fn fields(&mut self, init: &Init, span: Span) {
        match init {
            Init::List(elements) => elements.iter().for_each(|element| self.fields(element, span)),
            Init::Field(name, _) if FIELDS.contains(&self.tree.name(name.symbol)) => {}
            Init::Field(name, _) => {
                let text = self.tree.name(name.symbol);
                let near = isa::Table::nearest(text, FIELDS.iter().copied());
                let help = near
                    .first()
                    .map_or("fields are width, filter_mode, addr_mode_0 ...".to_owned(), |n| format!("did you mean `{n}`?"));
                self.error(codes::INITIALISER, name.span, || format!("there is no field `{text}`"), &help);
            }
            _ => {
                self.error(codes::INITIALISER, span, || "an opaque variable takes fields".to_owned(), "write `{ field = value }`")
            }
        }
    }
}
