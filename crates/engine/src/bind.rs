//! Joins what the table says with what `semantics` has: settings become [`Mods`], types choose the instance.

use isa::OperandType;
use machine::{Mods, Type};

/// The settings of a match and of its selectors as semantic functions see them.
///
/// # Errors
/// A setting that `machine::Mods` does not know: a mistake in the table.
pub fn mods<'a>(settings: impl IntoIterator<Item = &'a (&'static str, &'static str)>) -> Result<Mods, String> {
    let mut mods = Mods::default();
    for (key, value) in settings {
        mods.set(key, if value.is_empty() { None } else { Some(value) })?;
    }
    Ok(mods)
}

/// The machine's type for a type of the table: packed formats without arithmetic of their own count as bits.
pub fn machine_type(ty: &isa::Type) -> Type {
    Type::parse(ty.name).unwrap_or(match ty.bits {
        1 => Type::Pred,
        8 => Type::U8,
        16 => Type::U16,
        64 => Type::U64,
        128 => Type::U128,
        _ => Type::U32,
    })
}

/// The machine's type of an operand that has one.
pub fn operand_type(ty: OperandType) -> Option<Type> {
    ty.element().map(machine_type)
}

/// The integer type of a width, for registers seen as bits.
pub fn bits_type(bits: u32, signed: bool) -> Type {
    match (bits, signed) {
        (1, _) => Type::Pred,
        (8, false) => Type::U8,
        (8, true) => Type::S8,
        (16, false) => Type::U16,
        (16, true) => Type::S16,
        (32, false) => Type::U32,
        (32, true) => Type::S32,
        (64, false) => Type::U64,
        (64, true) => Type::S64,
        _ => Type::U128,
    }
}
