//! Vectors in braces: what may stand side by side in them, and for what (PTX ISA 9.4, 6.4.2 and 9.2; verdicts of ptxas 13.5).
//!
//! ptxas looks at neighbours first, at the width of all beside the first element, and then holds the whole vector against the type that
//! the instruction asks for: elements of one type are of that type, others are bits. Constants take the type of what stands beside them.

use crate::names::Meaning;
use crate::operands::{Complaint, Judged, constant_fits, has_vectors, integer_of, wrong_register};
use crate::{Checker, codes};
use isa::{Class, Match, Part, Role, Special, Type};
use ptx::ast::{Constant, Operand, OperandKind, Variable};

/// What an element is, as far as its neighbours ask.
#[derive(Clone, Copy)]
enum Element {
    /// `_`, or what has been complained of.
    Any,
    Integer,
    /// A floating-point constant of so many bits.
    Float(u32),
    /// A register, a special register, or a variable, which ptxas takes for a register of its type.
    Typed(&'static Type),
}

/// What a vector is by its elements.
#[derive(Clone, Copy)]
enum Whole {
    Integers,
    Floats(u32),
    One(&'static Type),
    /// Elements of several types: bits of this width, behind a first element that is a constant if it has a class.
    Bits(u32, Option<Class>),
}

impl Element {
    /// The class, and whether it is packed, unless it is bits, beside which all may stand.
    fn class(self) -> Option<(Class, bool)> {
        match self {
            Element::Any => None,
            Element::Integer => Some((Class::Integer, false)),
            Element::Float(_) => Some((Class::Float, false)),
            Element::Typed(ty) => (ty.class != Class::Bits).then_some((ty.class, ty.lanes.is_some())),
        }
    }
}

impl Whole {
    fn of(elements: &[Element]) -> Option<Whole> {
        let known = elements.iter().filter(|e| !matches!(e, Element::Any));
        known.fold(None, |whole, element| Some(whole.map_or_else(|| Whole::first(*element), |whole: Whole| whole.and(*element))))
    }

    fn first(element: Element) -> Whole {
        match element {
            Element::Any | Element::Integer => Whole::Integers,
            Element::Float(bits) => Whole::Floats(bits),
            Element::Typed(ty) => Whole::One(ty),
        }
    }

    fn and(self, element: Element) -> Whole {
        let number = |ty: &Type, bits: u32| ty.class == Class::Float && ty.lanes.is_none() && ty.bits == bits;
        match (self, element) {
            (Whole::Bits(..), _) | (_, Element::Any) | (Whole::Integers, Element::Integer) => self,
            (Whole::One(ty), Element::Typed(other)) if ty == other => self,
            (Whole::One(ty), Element::Float(bits)) if number(ty, bits) => self,
            (Whole::Floats(bits), Element::Typed(ty)) if number(ty, bits) => self,
            (Whole::Floats(bits), Element::Float(other)) if bits == other => self,
            (Whole::One(ty), _) => Whole::Bits(ty.element_bits(), None),
            (Whole::Integers, Element::Typed(ty)) => Whole::Bits(ty.element_bits(), Some(Class::Integer)),
            (Whole::Floats(_), Element::Typed(ty)) => Whole::Bits(ty.element_bits(), Some(Class::Float)),
            (Whole::Floats(_), Element::Float(bits)) => Whole::Bits(bits, Some(Class::Float)),
            // Constants of two classes do not stand side by side.
            (Whole::Integers, Element::Float(_)) | (Whole::Floats(_), Element::Integer) => self,
        }
    }
}

impl<'t> Checker<'t> {
    /// A vector of `lanes` elements, in braces or a vector register.
    pub fn vector(&mut self, form: &Match, part: &Part, lanes: u32, ty: &'static Type, operand: &'t Operand) -> Judged {
        let span = operand.span;
        match operand.kind {
            OperandKind::Vector(list) => self.elements(form, part, ty, self.tree.list(list)),
            OperandKind::Name(symbol) => match self.meaning(symbol, span) {
                Meaning::Register(register, own) if u32::from(own) == lanes && ty.held_by(register, part.limits.wider) => Ok(()),
                Meaning::Register(register, _) => {
                    Err(wrong_register(ty, part.limits.wider, register, self.tree.name(symbol), span))
                }
                Meaning::Special(special) if part.limits.special && special.lanes == lanes => Ok(()),
                Meaning::Special(special) => self.special(part, ty, special, span),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// The elements of a vector: such as may stand side by side, and together for what is asked for.
    pub fn elements(&mut self, form: &Match, part: &Part, ty: &'static Type, elements: &'t [Operand]) -> Judged {
        if let Some(first) = elements.first().filter(|_| elements.iter().all(|e| matches!(e.kind, OperandKind::Sink))) {
            let help = "name a register for at least one of them";
            return Err(Complaint::new(codes::OPERANDS, first.span, "every element of this vector is `_`", help));
        }
        let kinds = elements.iter().map(|e| self.element(form, part, ty, e)).collect::<Result<Vec<Element>, Complaint>>()?;
        self.constants(form, part, ty, elements, &kinds)?;
        self.index_of(part, ty, elements, &kinds)?;
        self.neighbours(part, elements, &kinds)?;
        if !part.limits.indexed {
            self.whole(form, part, ty, elements, &kinds)?;
        }
        Ok(())
    }

    fn element(&mut self, form: &Match, part: &Part, ty: &'static Type, element: &'t Operand) -> Result<Element, Complaint> {
        let (symbol, member) = match element.kind {
            OperandKind::Name(symbol) => (symbol, false),
            OperandKind::Member(symbol, _) => (symbol, true),
            OperandKind::Constant(Constant::Signed(_) | Constant::Unsigned(_)) => return Ok(Element::Integer),
            OperandKind::Constant(Constant::F32(_)) => return Ok(Element::Float(32)),
            OperandKind::Constant(Constant::F64(_)) => return Ok(Element::Float(64)),
            _ => return Ok(Element::Any),
        };
        let expanded = form.form.expanded || part.limits.expanded;
        match self.meaning(symbol, element.span) {
            Meaning::Unknown => Ok(Element::Any),
            Meaning::Special(special) if part.limits.plain || part.limits.called => {
                let message = format!("`{}` cannot stand in this vector", special.name);
                let help = format!("read it into a register first: `mov.{} %r, {};`", special.ty, self.text(element));
                Err(Complaint::new(codes::SPECIAL, element.span, message, help))
            }
            Meaning::Register(_, lanes) if member && lanes > 1 && part.limits.called => {
                let message = "a component of a vector cannot stand in this one";
                Err(Complaint::new(codes::OPERANDS, element.span, message, "`mov` it into a register first"))
            }
            Meaning::Register(_, 1) if member => {
                let message = format!("`{}` is no vector", self.tree.name(symbol));
                Err(Complaint::new(codes::OPERANDS, element.span, message, "write the register alone"))
            }
            Meaning::Register(register, lanes) if member || lanes == 1 => {
                if register.class == Class::Pred && expanded {
                    return Err(wrong_register(ty, false, register, self.tree.name(symbol), element.span));
                }
                if part.limits.exact {
                    self.register(part, ty, Meaning::Register(register, 1), symbol, element.span)?;
                }
                Ok(Element::Typed(register))
            }
            Meaning::Special(special) if member || special.lanes == 1 => {
                // ptxas takes it for any register, even as a destination, unless it makes other instructions of this one.
                let expanded = form.form.expanded && !part.limits.special;
                if expanded || (part.role == Role::Destination && part.limits.expanded) {
                    let message = format!("`{}` can only be read", special.name);
                    return Err(Complaint::new(codes::SPECIAL, element.span, message, "write to a register"));
                }
                Ok(self.special_bits(special).map_or(Element::Any, Element::Typed))
            }
            meaning @ Meaning::Variable(variable, _) if !member && !expanded => match self.scalar_type(variable) {
                Some(own) => Ok(Element::Typed(own)),
                None => self.register(part, ty, meaning, symbol, element.span).map(|()| Element::Any),
            },
            meaning => self.register(part, ty, meaning, symbol, element.span).map(|()| Element::Any),
        }
    }

    /// What a special register is as an element of a vector: bits of its width, or a predicate.
    fn special_bits(&self, special: &Special) -> Option<&'static Type> {
        let own = self.table.type_named(special.ty)?;
        if own.class == Class::Pred { Some(own) } else { self.table.type_named(&format!("b{}", own.bits)) }
    }

    /// Constants and `_`, each for itself.
    fn constants(&mut self, form: &Match, part: &Part, ty: &'static Type, elements: &'t [Operand], kinds: &[Element]) -> Judged {
        let expanded = form.form.expanded || part.limits.expanded;
        let alone = matches!(Whole::of(kinds), Some(Whole::Integers | Whole::Floats(_))) && are_constants(kinds);
        let components = elements.iter().any(|e| matches!(e.kind, OperandKind::Member(..)));
        for (at, element) in elements.iter().enumerate() {
            let constant = match element.kind {
                OperandKind::Constant(constant) => Some(constant),
                OperandKind::Sink => None,
                _ => continue,
            };
            let shape = self.written(element).shape;
            let beside = constant.is_some() && !alone;
            let complain = |message| Complaint::new(codes::OPERANDS, element.span, message, "write a register");
            part.admits_element(at, shape, beside).map_err(complain)?;
            let Some(constant) = constant else { continue };
            if components {
                let message = "no constant can stand beside a component of a vector";
                return Err(Complaint::new(codes::OPERANDS, element.span, message, "write a register"));
            }
            if alone || (expanded && matches!(constant, Constant::F64(_))) {
                constant_fits(ty, constant, element.span)?;
            }
        }
        Ok(())
    }

    /// The index among the elements of a vector.
    fn index_of(&self, part: &Part, ty: &Type, elements: &[Operand], kinds: &[Element]) -> Judged {
        let Some((index, kind)) = part.limits.index().and_then(|at| elements.get(at).zip(kinds.get(at))) else { return Ok(()) };
        match kind {
            Element::Typed(register) if !integer_of(register, &[ty.bits]) => {}
            Element::Float(_) => {}
            _ => return Ok(()),
        }
        let message = format!("`{}` is no index, which is an integer or bits of {} bits", self.text(index), ty.bits);
        Err(Complaint::new(codes::REGISTER, index.span, message, "use a register of .u32 or .b32"))
    }

    /// Whether each element may stand beside the one before it, and is as wide as the first.
    fn neighbours(&self, part: &Part, elements: &[Operand], kinds: &[Element]) -> Judged {
        let first = kinds.iter().find(|k| !matches!(k, Element::Any));
        let mut before: Option<(&Operand, (Class, bool))> = None;
        for (at, (element, kind)) in elements.iter().zip(kinds).enumerate() {
            if let (Some(Element::Typed(first)), Element::Typed(own)) = (first, kind)
                && first.element_bits() != own.element_bits()
            {
                let message = format!(
                    "`{}` has {} bits, the first element {}",
                    self.text(element),
                    own.element_bits(),
                    first.element_bits()
                );
                return Err(Complaint::new(codes::REGISTER, element.span, message, "use registers of one type, or of bits"));
            }
            // An index is an element of its own.
            let class = kind.class().filter(|_| part.limits.index() != Some(at));
            if let (Some((left, theirs)), Some(own)) = (before, class)
                && theirs != own
            {
                let message =
                    format!("`{}` cannot stand beside `{}`, which is of another kind", self.text(element), self.text(left));
                return Err(Complaint::new(codes::REGISTER, element.span, message, "use registers of one type, or of bits"));
            }
            before = class.map(|class| (element, class));
        }
        Ok(())
    }

    /// Whether all elements together are of the type that is asked for.
    fn whole(&mut self, form: &Match, part: &Part, ty: &'static Type, elements: &[Operand], kinds: &[Element]) -> Judged {
        let wider = part.limits.wider;
        let enough = |bits: u32| bits == ty.bits || (wider && bits > ty.bits);
        let right = match Whole::of(kinds) {
            // Constants alone have been judged.
            None | Some(Whole::Integers) => true,
            Some(Whole::Floats(_)) if are_constants(kinds) => true,
            Some(Whole::Floats(bits)) => {
                ty.class == Class::Float && ty.lanes.is_none() || (ty.class == Class::Bits && ty.bits == bits)
            }
            Some(Whole::Bits(_, Some(_))) if ty.lanes.is_some() && part.limits.own => false,
            Some(Whole::Bits(bits, Some(Class::Integer))) => {
                let narrow = ty.lanes.is_some() || part.limits.declared == Some(Class::Float);
                !(narrow || part.limits.register || form.form.expanded) || enough(bits)
            }
            Some(Whole::Bits(bits, Some(_))) => match ty.class {
                Class::Float if ty.lanes.is_none() => ty.takes_float(),
                Class::Bits => bits == ty.bits,
                _ => enough(bits),
            },
            Some(Whole::Bits(bits, None)) => {
                self.table.type_named(&format!("b{bits}")).is_some_and(|own| ty.held_in_vector(own, wider))
            }
            Some(Whole::One(own)) => return self.one(form, part, ty, own, elements, kinds),
        };
        if right {
            return Ok(());
        }
        let Some((element, own)) = elements.iter().zip(kinds).find_map(|(e, k)| match k {
            Element::Typed(own) => Some((e, own)),
            _ => None,
        }) else {
            let message = format!("no constants of these widths can stand for values of .{}", ty.name);
            return Err(Complaint::new(codes::CONSTANT, elements[0].span, message, "write registers"));
        };
        Err(wrong_register(ty, wider, own, self.text(element), element.span))
    }

    /// The same where all elements are of one type.
    fn one(
        &mut self,
        form: &Match,
        part: &Part,
        ty: &'static Type,
        own: &'static Type,
        elements: &[Operand],
        kinds: &[Element],
    ) -> Judged {
        // A vector of one is as strict as a register, except where there may be more.
        let several = elements.len() > 1 || part.limits.padded || part.limits.own && has_vectors(form);
        let expanded = form.form.expanded || part.limits.expanded;
        let held = ty.held_in_vector(own, part.limits.wider) && !(expanded && own.class == Class::Pred);
        if several && held && part.limits.admit_declared(own) {
            return Ok(());
        }
        for (element, kind) in elements.iter().zip(kinds) {
            if let (Element::Typed(_), OperandKind::Name(symbol) | OperandKind::Member(symbol, _)) = (kind, element.kind) {
                self.register(part, ty, Meaning::Register(own, 1), symbol, element.span)?;
            }
        }
        Ok(())
    }

    fn text(&self, element: &Operand) -> &'t str {
        match element.kind {
            OperandKind::Name(symbol) | OperandKind::Member(symbol, _) => self.tree.name(symbol),
            _ => "a constant",
        }
    }

    /// The width of an element of a vector that has a type of its own.
    pub fn element_width(&mut self, element: &Operand) -> Option<u32> {
        let (OperandKind::Name(symbol) | OperandKind::Member(symbol, _)) = element.kind else { return None };
        let own = match self.meaning(symbol, element.span) {
            Meaning::Register(register, _) => Some(register),
            Meaning::Special(special) => self.special_bits(special),
            Meaning::Variable(variable, _) => self.scalar_type(variable),
            _ => None,
        };
        own.map(Type::element_bits)
    }

    /// The type of a variable that holds one value.
    fn scalar_type(&self, variable: &Variable) -> Option<&'static Type> {
        let own = self.table.type_named(variable.ty).filter(|own| own.class != Class::Opaque)?;
        (variable.dimensions.is_empty() && variable.vector == 1).then_some(own)
    }
}

/// Whether no element has a type of its own.
fn are_constants(elements: &[Element]) -> bool {
    !elements.iter().any(|element| matches!(element, Element::Typed(_)))
}
