//! Arrays of typed values on the host: made, shown, compared.

use isa::{Class, Type};
use lockstep::value;
use serde::Deserialize;

/// An array in row-major order.
#[derive(Clone, Debug)]
pub struct Array {
    /// Type of an element, a whole number of bytes.
    pub ty: &'static Type,
    /// Its dimensions, outermost first.
    pub shape: Vec<usize>,
    /// Its elements, little-endian.
    pub bytes: Vec<u8>,
}

/// How an array that is not read from a file begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Zeros.
    Zeros,
    /// 0, 1, 2 ..., wrapping to the type.
    Arange,
    /// Floating-point values evenly distributed over [0, 1), integers over all their values; by this seed.
    Random(u64),
}

/// How far results may be from what is expected. Without one: equal to the bit.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { ulp = 2 } or { absolute = 1e-6, relative = 1e-6 }")]
pub struct Tolerance {
    /// Absolute difference, added to the relative one.
    #[serde(default)]
    absolute: f64,
    /// Difference relative to the expected value.
    #[serde(default)]
    relative: f64,
    /// Representable numbers apart.
    ulp: Option<u64>,
}

impl Array {
    /// An array of this shape; an error if it cannot be that large.
    pub fn filled(ty: &'static Type, shape: Vec<usize>, fill: Fill) -> Result<Array, String> {
        let size = bytes_of(ty)?;
        let count = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
        let length = count.and_then(|n| n.checked_mul(size)).filter(|n| *n < 1 << 40);
        let length = length.ok_or("the array is larger than any GPU's memory")?;
        // Memory that the host lacks is an error, not the end of the process.
        Vec::<u8>::new().try_reserve_exact(length).map_err(|_| format!("the host has no {length} bytes for the array"))?;
        let mut bytes = vec![0; length];
        let mut random = if let Fill::Random(seed) = fill { seed } else { 0 };
        for (i, element) in bytes.chunks_exact_mut(size).enumerate() {
            let bits = match fill {
                Fill::Zeros => break,
                Fill::Arange => count_to(i, ty)?,
                Fill::Random(_) => random_value(&mut random, ty)?,
            };
            element.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
        Ok(Array { ty, shape, bytes })
    }

    /// An array of values as written.
    pub fn of_texts<'a>(ty: &'static Type, texts: impl Iterator<Item = &'a str>) -> Result<Array, String> {
        let size = bytes_of(ty)?;
        let mut bytes = Vec::new();
        for text in texts {
            bytes.extend(&value::parse(text, ty)?.to_le_bytes()[..size]);
        }
        Ok(Array { ty, shape: vec![bytes.len() / size], bytes })
    }

    /// The array in raw bytes.
    pub fn of_bytes(ty: &'static Type, bytes: Vec<u8>) -> Result<Array, String> {
        let size = bytes_of(ty)?;
        if !bytes.len().is_multiple_of(size) {
            return Err(format!("{} bytes are no whole number of {}", bytes.len(), ty.name));
        }
        Ok(Array { ty, shape: vec![bytes.len() / size], bytes })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / (self.ty.bits as usize / 8).max(1)
    }

    /// The bits of an element.
    pub fn bits(&self, index: usize) -> u128 {
        let size = self.ty.bits as usize / 8;
        let mut all = [0; 16];
        if let Some(bytes) = self.bytes.get(index * size..(index + 1) * size) {
            all[..size].copy_from_slice(bytes);
        }
        u128::from_le_bytes(all)
    }

    /// An element for people.
    pub fn text(&self, index: usize) -> String {
        value::show(self.bits(index), self.ty)
    }

    /// `f32[2, 1000]`
    pub fn description(&self) -> String {
        let dimensions: Vec<String> = self.shape.iter().map(ToString::to_string).collect();
        format!("{}[{}]", self.ty.name, dimensions.join(", "))
    }

    /// The elements for people: all of them, or the first and last.
    pub fn shortened(&self) -> String {
        const FIRST: usize = 8;
        const LAST: usize = 4;
        let n = self.len();
        let texts = |range: std::ops::Range<usize>| range.map(|i| self.text(i)).collect::<Vec<_>>().join(" ");
        if n <= FIRST + LAST { texts(0..n) } else { format!("{} ... {}", texts(0..FIRST), texts(n - LAST..n)) }
    }

    /// Whether it is what was expected; the first difference otherwise, in words.
    pub fn compare(&self, expected: &Array, tolerance: Option<Tolerance>) -> Result<(), String> {
        if self.len() != expected.len() || self.ty.bits != expected.ty.bits {
            return Err(format!("it is {}, expected is {}", self.description(), expected.description()));
        }
        if self.bytes == expected.bytes {
            return Ok(());
        }
        let differs = |i: &usize| !close(self.bits(*i), expected.bits(*i), self.ty, tolerance);
        let different: Vec<usize> = (0..self.len()).filter(differs).collect();
        let Some(first) = different.first() else { return Ok(()) };
        let shown = |array: &Array| {
            let ty = if array.ty.class == Class::Float { array.ty } else { self.ty };
            format!("{} ({})", value::show(array.bits(*first), ty), value::hexadecimal(array.bits(*first), ty))
        };
        let (n, total) = (different.len(), self.len());
        let place = self.place(*first);
        Err(format!("{n} of {total} values differ, first [{place}]: {} instead of {}", shown(self), shown(expected)))
    }

    /// The first byte that differs from an array of the same size, in words.
    pub fn first_difference(&self, other: &Array) -> Option<String> {
        let byte = self.bytes.iter().zip(&other.bytes).position(|(a, b)| a != b)?;
        let element = byte / (self.ty.bits as usize / 8).max(1);
        let place = self.place(element);
        let [one, two] = [self, other].map(|array| array.text(element));
        let [a, b] = [self, other].map(|array| array.bytes[byte]);
        Some(format!("byte {byte} is 0x{a:02x} and 0x{b:02x} (element [{place}] is {one} and {two})"))
    }

    /// The indices of an element.
    fn place(&self, mut index: usize) -> String {
        let mut indices: Vec<String> = Vec::new();
        for dimension in self.shape.iter().rev() {
            indices.push((index % dimension.max(&1)).to_string());
            index /= dimension.max(&1);
        }
        indices.reverse();
        indices.join(", ")
    }
}

fn bytes_of(ty: &Type) -> Result<usize, String> {
    match ty.bits % 8 {
        0 => Ok(ty.bits as usize / 8),
        _ => Err(format!("an array of {} is not possible: its elements have no whole bytes", ty.name)),
    }
}

fn count_to(i: usize, ty: &'static Type) -> Result<u128, String> {
    if ty.class == Class::Float && ty.lanes.is_none() {
        return value::parse(&i.to_string(), ty);
    }
    Ok(i as u128 & (u128::MAX >> (128 - ty.bits)))
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn random_value(state: &mut u64, ty: &'static Type) -> Result<u128, String> {
    let bits = next(state);
    match ty.name {
        "f32" => Ok(u128::from(((bits >> 40) as f32 / (1 << 24) as f32).to_bits())),
        "f64" => Ok(u128::from(((bits >> 11) as f64 / (1u64 << 53) as f64).to_bits())),
        _ if ty.class == Class::Float && ty.lanes.is_none() => value::parse(&format!("{}", (bits >> 56) as f64 / 256.0), ty),
        _ => Ok((u128::from(bits) << 64 | u128::from(next(state))) >> (128 - ty.bits)),
    }
}

/// Whether two values are equal, or close enough.
fn close(a: u128, b: u128, ty: &'static Type, tolerance: Option<Tolerance>) -> bool {
    let (Some(tolerance), Some(x), Some(y)) = (tolerance, value::number(a, ty), value::number(b, ty)) else {
        return a == b;
    };
    if x.is_nan() || y.is_nan() {
        return x.is_nan() && y.is_nan();
    }
    if let Some(ulp) = tolerance.ulp {
        return order(a, ty.bits).abs_diff(order(b, ty.bits)) <= u128::from(ulp);
    }
    x == y || (x - y).abs() <= tolerance.absolute + tolerance.relative * y.abs()
}

/// Floating-point bits as integers in the order of their values, both zeros being 0.
fn order(bits: u128, width: u32) -> i128 {
    let sign = 1u128 << (width - 1);
    if bits & sign != 0 { -((bits & (sign - 1)) as i128) } else { bits as i128 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32s(values: &[f32]) -> Array {
        let ty = isa::Table::get().unwrap().type_named("f32").unwrap();
        Array::of_bytes(ty, values.iter().flat_map(|v| v.to_le_bytes()).collect()).unwrap()
    }

    #[test]
    fn comparison_is_exact_without_a_tolerance() {
        let nan = f32::from_bits(0x7fc0_0000);
        assert!(f32s(&[1.0, nan]).compare(&f32s(&[1.0, nan]), None).is_ok());
        assert!(f32s(&[0.0]).compare(&f32s(&[-0.0]), None).is_err());
        assert!(f32s(&[nan]).compare(&f32s(&[f32::from_bits(0x7fff_ffff)]), None).is_err());
        assert!(f32s(&[nan]).compare(&f32s(&[1.0]), Some(Tolerance::default())).is_err());
        assert!(f32s(&[1.0]).compare(&f32s(&[1.0, 2.0]), None).is_err());
    }

    #[test]
    fn tolerances_are_absolute_relative_or_in_units_of_the_last_place() {
        let close = |a, b, t| f32s(&[a]).compare(&f32s(&[b]), Some(t)).is_ok();
        let relative = Tolerance { relative: 1e-3, ..Tolerance::default() };
        assert!(close(1000.5, 1000.0, relative) && !close(1002.0, 1000.0, relative));
        let ulp = Tolerance { ulp: Some(1), ..Tolerance::default() };
        assert!(close(1.0, 1.0 + f32::EPSILON, ulp) && !close(1.0, 1.0 + 2.0 * f32::EPSILON, ulp));
        assert!(close(f32::from_bits(0x8000_0001), 0.0, ulp));
    }
}
