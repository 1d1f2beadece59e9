//! Values as people write them, by the type that they have.

use isa::{Class, Type};
use numerics::{Format, PackOptions, Rounding, convert};

/// The bits of a value written for a type: decimal, `0x1f`, `0b101`, `0f3f800000`, `1.5`, `inf`, `nan`, `true`; the lanes of a packed
/// type, lowest first, as `1,2`.
///
/// # Errors
/// Why it is no such value, in words.
pub fn parse(text: &str, ty: &Type) -> Result<u128, String> {
    let name = ty.name;
    if let Some(bits) = exact_bits(text) {
        return match bits {
            Some((bits, written)) if written.is_none_or(|w| w == ty.bits) && fits(bits, ty.bits) => Ok(bits),
            Some(_) => Err(format!("`{text}` has more bits than {name}, which has {}, or not exactly those", ty.bits)),
            None => Err(format!("`{text}` is not a number")),
        };
    }
    match (ty.class, &ty.lanes) {
        (Class::Pred, _) => match text {
            "true" | "1" => Ok(1),
            "false" | "0" => Ok(0),
            _ => Err(format!("`{text}` is neither true nor false")),
        },
        (_, Some((lanes, element))) if text.contains(',') => lanes_of(text, *lanes, element, ty.bits / lanes),
        (Class::Float, None) => float(text, ty),
        _ => integer(text, ty),
    }
}

/// Bits written as such, and how many the notation says they are; outer `None` for other notations, inner for broken ones.
#[allow(clippy::option_option)]
fn exact_bits(text: &str) -> Option<Option<(u128, Option<u32>)>> {
    let (digits, radix, width) = match text.get(..2)? {
        "0x" | "0X" => (&text[2..], 16, None),
        "0b" | "0B" => (&text[2..], 2, None),
        "0f" | "0F" => (&text[2..], 16, Some(32)),
        "0d" | "0D" => (&text[2..], 16, Some(64)),
        _ => return None,
    };
    let digits = digits.replace('_', "");
    let right = width.is_none_or(|w| digits.len() as u32 == w / 4) && !digits.starts_with('+');
    Some(u128::from_str_radix(&digits, radix).ok().filter(|_| right).map(|bits| (bits, width)))
}

fn fits(bits: u128, width: u32) -> bool {
    width >= 128 || bits >> width == 0
}

fn integer(text: &str, ty: &Type) -> Result<u128, String> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let magnitude = match exact_bits(digits) {
        Some(Some((bits, None))) => Some(bits),
        Some(_) => None,
        None => digits.replace('_', "").parse::<u128>().ok().filter(|_| !digits.starts_with('+')),
    };
    let Some(magnitude) = magnitude else {
        // Bits have no type of their own: which is meant can be said.
        let float = Some(format!("f{}", ty.bits)).filter(|_| ty.class == Class::Bits && matches!(ty.bits, 16 | 32 | 64));
        let remedy = float
            .filter(|_| text.parse::<f64>().is_ok())
            .map_or(String::new(), |float| format!("; `{text}:{float}` has that number's bits"));
        return Err(format!("`{text}` is not an integer, as {} needs{remedy}", ty.name));
    };
    let half = 1u128 << (ty.bits - 1);
    let most = match (negative, ty.class == Class::Integer && ty.signed()) {
        (true, true) => half,
        (true, false) if ty.class == Class::Integer && ty.lanes.is_none() => 0,
        (true, false) => half,
        (false, true) => half - 1,
        (false, false) => half - 1 + half,
    };
    if magnitude > most {
        let least = match (ty.class == Class::Integer && ty.signed(), ty.class == Class::Integer && ty.lanes.is_none()) {
            (false, true) => "0".to_owned(),
            _ => format!("-{half}"),
        };
        let greatest = if ty.class == Class::Integer && ty.signed() { half - 1 } else { half - 1 + half };
        return Err(format!("{text} is out of the range of {}, {least} to {greatest}", ty.name));
    }
    let mask = half - 1 + half;
    Ok(if negative { magnitude.wrapping_neg() & mask } else { magnitude })
}

fn float(text: &str, ty: &Type) -> Result<u128, String> {
    let wrong = || format!("`{text}` is not a number, as {} needs", ty.name);
    match ty.name {
        "f32" => return text.parse::<f32>().map_err(|_| wrong()).and_then(|x| finite(text, x.into(), ty, canonical32(x).into())),
        "f64" => return text.parse::<f64>().map_err(|_| wrong()).and_then(|x| finite(text, x, ty, canonical64(x).into())),
        _ => {}
    }
    let format = Format::named(ty.name).ok_or_else(|| format!("write the bits of a {} in hexadecimal", ty.name))?;
    let value = text.parse::<f64>().map_err(|_| wrong())?;
    let bits = convert(&Format::F64, format, value.to_bits(), Rounding::NearestEven, PackOptions::default());
    let rounded = f64::from_bits(convert(format, &Format::F64, bits, Rounding::NearestEven, PackOptions::default()));
    finite(text, if value.is_nan() { value } else { rounded }, ty, bits.into())
}

/// The bits, unless a number written in digits became an infinity or a NaN: it is too large.
fn finite(text: &str, value: f64, ty: &Type, bits: u128) -> Result<u128, String> {
    match text.contains(|c: char| c.is_ascii_digit()) && !value.is_finite() {
        true => Err(format!("{text} is too large for {}: write inf where infinity is meant", ty.name)),
        false => Ok(bits),
    }
}

/// NaN as the hardware gives it: positive, all mantissa bits set.
fn canonical32(x: f32) -> u32 {
    if x.is_nan() { 0x7fff_ffff } else { x.to_bits() }
}

fn canonical64(x: f64) -> u64 {
    if x.is_nan() { 0x7fff_ffff_ffff_ffff } else { x.to_bits() }
}

fn lanes_of(text: &str, count: u32, element: &str, bits: u32) -> Result<u128, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() != count as usize {
        return Err(format!("`{text}` has {} values, the type has {count} lanes", parts.len()));
    }
    let table = isa::Table::get().map_err(|e| e.to_string())?;
    let ty = table.type_named(element).ok_or_else(|| format!("write the bits of all {count} lanes in hexadecimal"))?;
    let mut all = 0;
    for (i, part) in parts.iter().enumerate() {
        all |= parse(part, ty)? << (i as u32 * bits);
    }
    Ok(all)
}

/// A value for people, readable back by [`parse`]: decimal for numbers, hexadecimal for bits and packed types.
pub fn show(bits: u128, ty: &Type) -> String {
    match (ty.class, &ty.lanes) {
        (Class::Pred, _) => (bits & 1 != 0).to_string(),
        (Class::Float, None) => match number(bits, ty) {
            Some(value) => decimal(value, ty),
            None => hexadecimal(bits, ty),
        },
        (Class::Integer, None) if ty.signed() => signed(bits, ty.bits).to_string(),
        (Class::Integer, None) => bits.to_string(),
        _ => hexadecimal(bits, ty),
    }
}

/// All bits, in hexadecimal with leading zeros.
pub fn hexadecimal(bits: u128, ty: &Type) -> String {
    format!("0x{bits:0width$x}", width = ty.bits.div_ceil(4) as usize)
}

/// The lanes of a packed type, lowest first; `None` for other types.
pub fn lanes(bits: u128, ty: &Type) -> Option<Vec<String>> {
    let (count, element) = ty.lanes?;
    let width = ty.bits / count;
    let lane = |i: u32| bits >> (i * width) & ((1u128 << width) - 1);
    let table = isa::Table::get().ok()?;
    let show_lane = |bits| table.type_named(element).map_or_else(|| format!("0x{bits:x}"), |ty| show(bits, ty));
    Some((0..count).map(|i| show_lane(lane(i))).collect())
}

/// The value of a floating-point type's bits; `None` for other types and for formats without a description.
pub fn number(bits: u128, ty: &Type) -> Option<f64> {
    let format = Format::named(ty.name).filter(|_| ty.class == Class::Float)?;
    let wide = convert(format, &Format::F64, bits as u64, Rounding::NearestEven, PackOptions::default());
    Some(f64::from_bits(wide))
}

/// A floating-point value in decimal, the shortest that gives it back.
fn decimal(value: f64, ty: &Type) -> String {
    if value.is_nan() {
        "nan".to_owned()
    } else if ty.bits == 64 {
        format!("{value:?}")
    } else {
        format!("{:?}", value as f32)
    }
}

fn signed(bits: u128, width: u32) -> i128 {
    ((bits << (128 - width)) as i128) >> (128 - width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(text: &str, ty: &str) -> Result<u128, String> {
        parse(text, isa::Table::get().unwrap().type_named(ty).unwrap())
    }

    fn text(bits: u128, ty: &str) -> String {
        show(bits, isa::Table::get().unwrap().type_named(ty).unwrap())
    }

    #[test]
    fn values_are_read_by_type() {
        assert_eq!(bits("-3", "s32"), Ok(0xffff_fffd));
        assert_eq!(bits("0xfffffffd", "s32"), Ok(0xffff_fffd));
        assert_eq!(bits("255", "u8"), Ok(255));
        assert!(bits("256", "u8").is_err());
        assert!(bits("-1", "u32").is_err());
        assert_eq!(bits("-1", "b32"), Ok(0xffff_ffff));
        assert_eq!(bits("1.5", "f32"), Ok(0x3fc0_0000));
        assert_eq!(bits("0f3f800000", "f32"), Ok(0x3f80_0000));
        assert!(bits("0f3f80", "f32").is_err());
        assert!(bits("0f3f800000", "f64").is_err());
        assert_eq!(bits("1.5", "f16"), Ok(0x3e00));
        assert_eq!(bits("-2", "bf16"), Ok(0xc000));
        assert_eq!(bits("1,2", "f16x2"), Ok(0x4000_3c00));
        assert_eq!(bits("true", "pred"), Ok(1));
        assert!(bits("1.5", "s32").is_err());
        // The greatest numbers, and those that would round to infinity (IEEE 754; OCP's E4M3 has none, and 448 as its greatest).
        assert_eq!(bits("3.4028235e38", "f32"), Ok(0x7f7f_ffff));
        assert!(bits("3.5e38", "f32").is_err() && bits("1e400", "f64").is_err() && bits("-65520", "f16").is_err());
        assert_eq!(bits("65504", "f16"), Ok(0x7bff));
        assert_eq!(bits("-inf", "f16"), Ok(0xfc00));
        assert_eq!(bits("inf", "f64"), Ok(0x7ff0_0000_0000_0000));
        assert!(bits("", "s32").is_err());
        assert!(bits("é0", "s32").is_err());
        assert_eq!(bits("-0x10", "s16"), Ok(0xfff0));
    }

    #[test]
    fn values_are_shown_by_type() {
        assert_eq!(text(0xffff_fffd, "s32"), "-3");
        assert_eq!(text(0xffff_fffd, "u32"), "4294967293");
        assert_eq!(text(0xfd, "b32"), "0x000000fd");
        assert_eq!(text(0x3c00, "f16"), "1.0");
        assert_eq!(text(0x3dcc_cccd, "f32"), "0.1");
        assert_eq!(text(0x7fff_ffff, "f32"), "nan");
        assert_eq!(text(u128::MAX, "b128"), "0xffffffffffffffffffffffffffffffff");
    }
}
