//! What the table must know of written operands to tell which form they fit: their shapes.
//!
//! Names mean something to those who resolve them, the checker and the engine, and they say what. Whether operands are right beyond
//! their shape is not asked here. Follows PTX ISA 9.4, chapter 6, and 9.7.1.18 for selectors.

use crate::ast::{Constant, List, Module, Operand, OperandKind, Symbol};
use isa::{Parts, Shape, Sign, Type, Written};

/// What a name stands for, as far as shapes tell it.
#[derive(Clone, Copy, Debug)]
pub enum Named {
    /// A register of this type.
    Register(&'static Type),
    /// A vector register, or a special register of several components, of so many elements.
    Vector(usize),
    /// Nothing that is known: it may be a vector.
    Unknown,
    /// Anything else: a variable, label, function or special register.
    Other,
}

/// The shape of an operand. `named` tells what a name stands for.
pub fn written<'t>(tree: &'t Module, operand: &Operand, named: &mut impl FnMut(Symbol) -> Named) -> Written<'t> {
    let (sign, operand) = match operand.kind {
        OperandKind::Not(list) => (Sign::Not, tree.list(list).first()),
        OperandKind::Negate(list) => (Sign::Minus, tree.list(list).first()),
        _ => (Sign::None, Some(operand)),
    };
    Written { sign, shape: operand.map_or(Shape::Name, |operand| shape(tree, operand, named)) }
}

fn shape<'t>(tree: &'t Module, operand: &Operand, named: &mut impl FnMut(Symbol) -> Named) -> Shape<'t> {
    match operand.kind {
        OperandKind::Name(symbol) => match named(symbol) {
            Named::Register(ty) => Shape::Register(ty),
            Named::Vector(elements) => Shape::Vector(elements),
            Named::Unknown | Named::Other => Shape::Name,
        },
        OperandKind::Member(base, member) => match named(base) {
            Named::Vector(_) | Named::Unknown => component(tree.name(member)),
            Named::Register(_) | Named::Other => Shape::Selected(tree.name(member)),
        },
        OperandKind::Constant(Constant::Signed(n)) => Shape::Integer(n.into()),
        OperandKind::Constant(Constant::Unsigned(n)) => Shape::Integer(n.into()),
        OperandKind::Constant(_) => Shape::Float,
        // ptxas takes a register plus an offset for a register, of whatever width.
        OperandKind::Offset(symbol, _) => match named(symbol) {
            Named::Register(ty) => Shape::Register(ty),
            Named::Vector(elements) => Shape::Vector(elements),
            Named::Unknown | Named::Other => Shape::Displaced,
        },
        OperandKind::Element(_) => Shape::Element,
        OperandKind::Sink => Shape::Sink,
        OperandKind::Pair(list) => pair(tree, list),
        OperandKind::Vector(list) => Shape::Vector(list.len as usize),
        OperandKind::Parenthesised(list) => Shape::Parenthesised(list.len as usize),
        OperandKind::Address { .. } => Shape::Address,
        OperandKind::AddressList(list) => {
            Shape::AddressList(Parts::new(tree.list(list).iter().map(|part| shape(tree, part, named))))
        }
        OperandKind::Not(list) | OperandKind::Negate(list) => {
            tree.list(list).first().map_or(Shape::Name, |inner| shape(tree, inner, named))
        }
        OperandKind::Unified(list) => tree.list(list).first().map_or(Shape::Address, |inner| shape(tree, inner, named)),
    }
}

fn pair(tree: &Module, list: List) -> Shape<'_> {
    let sink = |i: usize| tree.list(list).get(i).is_some_and(|part| matches!(part.kind, OperandKind::Sink));
    match tree.list(list).first().map(|first| first.kind) {
        Some(OperandKind::Vector(elements)) => Shape::VectorPair(elements.len as usize, sink(1)),
        _ => Shape::Pair([sink(0), sink(1)]),
    }
}

/// `x` of `v.x`; the selector behind a component too, as in `v.x.b0`.
fn component(member: &str) -> Shape<'_> {
    match member.split_once('.') {
        Some((_, selector)) => Shape::Selected(selector),
        None if component_index(member).is_some() => Shape::Name,
        None => Shape::Selected(member),
    }
}

/// Which element of a vector a member names: 0 for `x`, `r` and `x.b0`.
pub fn component_index(member: &str) -> Option<usize> {
    match member.split('.').next()? {
        "x" | "r" => Some(0),
        "y" | "g" => Some(1),
        "z" | "b" => Some(2),
        "w" | "a" => Some(3),
        _ => None,
    }
}
