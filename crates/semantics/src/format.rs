//! Formatted elements of AMD's buffers: components of several widths, as normalised, scaled or plain integers or as floats.
//!
//! Loads give each component in a register (or in half of one), in the order that the descriptor's selectors name; stores take them
//! in the element's own order. An element is in range as a whole or not at all. AMD's ISA guides, "Memory Buffer Load Data" and the tables of buffer
//! formats, whose names give widths from the highest component down; how floats become integers follows Direct3D 11.3's data conversion rules, which AMD's guides
//! refer to.

use crate::buffer::{self, Buffer, Elements};
use crate::{Function, group};
use machine::mods::Space;
use machine::state::FaultKind;
use machine::{Element, Group, Handler, LANES, Op, Step, Type, op::NONE};
use numerics::F16;

/// What components are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Float,
    Srgb,
}

const NUMBERS: [(&str, Numbers); 8] = [
    ("UNORM", Numbers::Unorm),
    ("SNORM", Numbers::Snorm),
    ("USCALED", Numbers::Uscaled),
    ("SSCALED", Numbers::Sscaled),
    ("UINT", Numbers::Uint),
    ("SINT", Numbers::Sint),
    ("FLOAT", Numbers::Float),
    ("SRGB", Numbers::Srgb),
];

/// A format: the widths of its components, the first one lowest, and what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    widths: [u32; 4],
    numbers: Numbers,
}

/// The number of a format by its widths (`8_8_8_8`, from the highest component down) and its kind (`UNORM`): what ops and tables hold. Zero is no format.
pub fn code(widths: &str, numbers: &str) -> u32 {
    let Some(kind) = NUMBERS.iter().position(|(name, _)| *name == numbers) else { return 0 };
    let widths: Option<Vec<u32>> = widths.split('_').map(|width| width.parse().ok()).collect();
    match widths {
        Some(widths) if (1..=4).contains(&widths.len()) => {
            widths.iter().rev().enumerate().fold(1 + kind as u32, |code, (i, width)| code | width << (4 + 6 * i))
        }
        _ => 0,
    }
}

/// The bytes of an element of the format with this number; none of no format.
pub fn bytes(code: u32) -> u64 {
    Format::of(code).map_or(0, |format| format.bytes())
}

impl Format {
    /// One of no bytes.
    pub(crate) const NONE: Format = Format { widths: [0; 4], numbers: Numbers::Uint };

    pub(crate) fn of(code: u32) -> Option<Format> {
        let (_, numbers) = *NUMBERS.get((code & 15).checked_sub(1)? as usize)?;
        Some(Format { widths: std::array::from_fn(|i| code >> (4 + 6 * i) & 63), numbers })
    }

    /// Whether three components have one exponent.
    fn shares_exponent(&self) -> bool {
        self.numbers == Numbers::Float && self.widths == [9, 9, 9, 5]
    }

    fn components(&self) -> usize {
        if self.shares_exponent() { 3 } else { self.widths.iter().filter(|width| **width > 0).count() }
    }

    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.widths.iter().sum::<u32>() / 8)
    }

    /// Bits of a component in an element.
    fn field(&self, element: u128, i: usize) -> u32 {
        let low: u32 = self.widths[..i].iter().sum();
        (element >> low) as u32 & (u32::MAX >> (32 - self.widths[i]))
    }

    pub(crate) fn is_integer(&self) -> bool {
        matches!(self.numbers, Numbers::Uint | Numbers::Sint)
    }

    /// A component as a number; of integers and of floats of 32 bits its bits are the result instead.
    fn number(&self, bits: u32, width: u32) -> f64 {
        let unused = 32 - width;
        let signed = (bits << unused) as i32 >> unused;
        match self.numbers {
            Numbers::Unorm => f64::from(bits) / f64::from(u32::MAX >> unused),
            Numbers::Snorm => (f64::from(signed) / f64::from(u32::MAX >> (unused + 1))).max(-1.0),
            Numbers::Uscaled | Numbers::Uint => bits.into(),
            Numbers::Sscaled | Numbers::Sint => signed.into(),
            Numbers::Float => small_float(bits, width),
            Numbers::Srgb => linear(f64::from(bits) / f64::from(u32::MAX >> unused)),
        }
    }

    /// The four components of an element as a load gives them: those that the format does not have are 0, the last one 1.
    pub(crate) fn texel(&self, element: u128, half: bool) -> [u32; 4] {
        std::array::from_fn(|i| match i < self.components() {
            true if self.shares_exponent() => {
                let exponent = (element >> 27) as i32 & 31;
                let value = f64::from(self.field(element, i)) * f64::from(exponent - 24).exp2();
                if half { F16::from_f64(value).0.into() } else { (value as f32).to_bits() }
            }
            true => self.component(i).loaded(self.field(element, i), self.widths[i], half),
            false if i == 3 => self.one(half),
            false => 0,
        })
    }

    /// The format as a component sees it: of sRGB the fourth one is linear.
    fn component(&self, i: usize) -> Format {
        if self.numbers == Numbers::Srgb && i == 3 { Format { numbers: Numbers::Unorm, ..*self } } else { *self }
    }

    /// An element of four components.
    ///
    /// # Errors
    /// What cannot be stored.
    pub(crate) fn element(&self, values: [u32; 4], half: bool) -> Result<u128, String> {
        let (mut element, mut low) = (0, 0);
        if self.shares_exponent() {
            return Err("storing numbers that share an exponent is not executable yet".into());
        }
        for (i, width) in self.widths.iter().enumerate().take(self.components()) {
            let stored = self.component(i).stored(values[i], *width, half);
            let stored = stored.ok_or_else(|| {
                format!(
                    "storing this number as {:?} of {width} bits is not executable yet: how it is rounded is open, only those that the format has are stored",
                    self.numbers
                )
            })?;
            element |= u128::from(stored) << low;
            low += width;
        }
        Ok(element)
    }

    /// What a load gives for a component of so many bits: of single precision, or of half precision.
    fn loaded(&self, bits: u32, width: u32, half: bool) -> u32 {
        if self.is_integer() {
            let value = self.number(bits, width) as i64 as u32;
            return if half { value & 0xffff } else { value };
        }
        match (self.numbers, width, half) {
            (Numbers::Float, 32, false) | (Numbers::Float, 16, true) => bits,
            (Numbers::Float, 16, false) => F16(bits as u16).to_f32().to_bits(),
            (_, _, true) => F16::from_f64(self.number(bits, width)).0.into(),
            _ => (self.number(bits, width) as f32).to_bits(),
        }
    }

    /// One, as a selector names it.
    pub(crate) fn one(&self, half: bool) -> u32 {
        match (self.is_integer(), half) {
            (true, _) => 1,
            (false, true) => 0x3c00,
            (false, false) => 1f32.to_bits(),
        }
    }

    /// The bits that a store leaves of a component; nothing where the rounding is not known.
    fn stored(&self, value: u32, width: u32, half: bool) -> Option<u32> {
        let most = u32::MAX >> (32 - width);
        let number = || if half { f64::from(F16(value as u16).to_f32()) } else { f64::from(f32::from_bits(value)) };
        let scaled = |least: f64, most: u32| {
            let number = number();
            let limited = if number.is_nan() { 0.0 } else { number.clamp(least, 1.0) };
            (limited * f64::from(most)).round_ties_even() as i32 as u32
        };
        Some(match self.numbers {
            Numbers::Unorm => scaled(0.0, most),
            Numbers::Snorm => scaled(-1.0, most >> 1) & most,
            Numbers::Uint => value.min(most),
            Numbers::Sint => {
                let value = if half { i32::from(value as u16 as i16) } else { value as i32 };
                value.clamp(-((most >> 1) as i32) - 1, (most >> 1) as i32) as u32 & most
            }
            Numbers::Float if width == 16 && half => value & 0xffff,
            Numbers::Float if width == 16 => F16::from_f32(f32::from_bits(value)).0.into(),
            Numbers::Float if width == 32 && half => F16(value as u16).to_f32().to_bits(),
            Numbers::Float if width == 32 => value,
            Numbers::Float => return small_bits(number(), width),
            Numbers::Uscaled | Numbers::Sscaled => {
                let least = if self.numbers == Numbers::Sscaled { -f64::from(most >> 1) - 1.0 } else { 0.0 };
                let is_one = number().fract() == 0.0 && (least..=least + f64::from(most)).contains(&number());
                return is_one.then(|| number() as i64 as u32 & most);
            }
            Numbers::Srgb => return None,
        })
    }
}

/// What a component of sRGB means (IEC 61966-2-1).
fn linear(encoded: f64) -> f64 {
    if encoded <= 0.04045 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
}

/// A float of 10, 11, 16 or 32 bits: those of 10 and 11 have no sign and five bits of exponent.
fn small_float(bits: u32, width: u32) -> f64 {
    match width {
        32 => f32::from_bits(bits).into(),
        16 => F16(bits as u16).to_f32().into(),
        // The same exponent as half precision, with a shorter fraction.
        _ => F16((bits << (15 - width)) as u16).to_f32().into(),
    }
}

/// The bits of a number as a float of 10 or 11 bits, if there is one.
fn small_bits(number: f64, width: u32) -> Option<u32> {
    let (half, unused) = (F16::from_f64(number), 15 - width);
    let fits = half.0 & ((1 << unused) - 1) == 0 && f64::from(half.to_f32()) == number && number >= 0.0;
    // Zero has no sign here.
    fits.then(|| u32::from(half.0 & 0x7fff) >> unused)
}

/// The format of an op: the one that the cell `dst[1]` holds, or that of the descriptor.
fn format(g: &Group, op: &Op) -> Result<Format, String> {
    let word = g.predicate(op.src[0] + 12);
    let number = word >> 12 & 0x7f;
    let code = match op.dst[1] {
        // Before gfx10 the kind of numbers comes first.
        NONE if buffer::features(op) == 0 => g.launch.tables.formats.get((number >> 3 | (number & 7) << 4) as usize).copied(),
        NONE => g.launch.tables.formats.get(number as usize).copied(),
        at => Some(g.predicate(at)),
    };
    Format::of(code.unwrap_or(0)).ok_or_else(|| "its buffer has no format that there is".into())
}

/// The elements of the lanes of an op, and where they are.
fn elements(g: &Group, op: &Op) -> Result<(Format, Elements), String> {
    // Where no lane is active the descriptor may be none.
    let format = if g.predicate(op.guard) == 0 { Format::NONE } else { format(g, op)? };
    let elements = Buffer::elements(g, op, format.bytes())?;
    Ok((format, elements))
}

/// The elements that exist.
pub(crate) fn read(g: &mut Group, elements: &Elements, size: u64) -> Result<[u128; LANES], (u32, FaultKind)> {
    match elements.whole(size) {
        8 => read_as::<u64>(g, elements, size),
        4 => read_as::<u32>(g, elements, size),
        2 => read_as::<u16>(g, elements, size),
        _ => read_as::<u8>(g, elements, size),
    }
}

/// The same by words of a type.
fn read_as<T: Element>(g: &mut Group, elements: &Elements, size: u64) -> Result<[u128; LANES], (u32, FaultKind)> {
    let mut bits = [0u128; LANES];
    for byte in (0..size).step_by(size_of::<T>()) {
        let mut words = [T::default(); LANES];
        let addresses = elements.addresses.map(|address| address.wrapping_add(byte));
        g.load(Space::Global, &addresses, elements.exist, &mut words)?;
        bits.iter_mut().zip(words).for_each(|(bits, new)| *bits |= new.to_bits() << (8 * byte));
    }
    Ok(bits)
}

/// Writes the elements that exist.
pub(crate) fn write(g: &mut Group, elements: &Elements, size: u64, bits: &[u128; LANES]) -> Result<(), (u32, FaultKind)> {
    match elements.whole(size) {
        8 => write_as::<u64>(g, elements, size, bits),
        4 => write_as::<u32>(g, elements, size, bits),
        2 => write_as::<u16>(g, elements, size, bits),
        _ => write_as::<u8>(g, elements, size, bits),
    }
}

/// The same by words of a type.
fn write_as<T: Element>(g: &mut Group, elements: &Elements, size: u64, bits: &[u128; LANES]) -> Result<(), (u32, FaultKind)> {
    for byte in (0..size).step_by(size_of::<T>()) {
        let addresses = elements.addresses.map(|address| address.wrapping_add(byte));
        let words = bits.map(|bits| T::from_bits(bits >> (8 * byte)));
        g.store(Space::Global, &addresses, elements.exist, &words, false)?;
    }
    Ok(())
}

/// Which components a load gives, by the descriptor: zero, one, or a component.
pub(crate) fn selected(format: Format, word: u32, components: [u32; 4], half: bool) -> [u32; 4] {
    std::array::from_fn(|i| match word >> (3 * i) & 7 {
        1 => format.one(half),
        select @ 4.. => components[select as usize - 4],
        _ => 0,
    })
}

/// Loads `arity` components to the rows of the list `dst[0]`, two to a row where they are halves (the type is one of 16 bits). Sources are those of
/// [`crate::buffer::address`].
pub fn load(g: &mut Group, op: &Op) -> Step {
    let (format, elements) = match elements(g, op) {
        Ok(found) => found,
        Err(message) => return g.fail(0, FaultKind::Other(message)),
    };
    let bits = match read(g, &elements, format.bytes()) {
        Ok(bits) => bits,
        Err((lane, kind)) => return g.fail(lane, kind),
    };
    let (half, selectors) = (op.ty.bits() == 16, g.predicate(op.src[0] + 12));
    let mut rows = [[0u32; LANES]; 4];
    for lane in machine::state::lanes(elements.active) {
        let exists = elements.exist >> lane & 1 == 1;
        let components = if exists { format.texel(bits[lane], half) } else { [0; 4] };
        let values = selected(format, selectors, components, half);
        rows.iter_mut().zip(values).for_each(|(row, value)| row[lane] = value);
    }
    let list = op.dst[0] as usize;
    for (i, values) in rows.iter().enumerate().take(op.arity.into()) {
        let (row, upper) = if half { (i / 2, i % 2 == 1) } else { (i, false) };
        let at = g.launch.tables.offsets[list + row];
        let old: [u32; LANES] = if upper { g.row(at) } else { [0; LANES] };
        let new = std::array::from_fn(|lane| if upper { old[lane] & 0xffff | values[lane] << 16 } else { values[lane] });
        g.set_row(at, &new, elements.active);
    }
    Step::Next
}

/// Stores `arity` components from the rows of the list `dst[0]`; those that the format has and the instruction does not are zero.
pub fn store(g: &mut Group, op: &Op) -> Step {
    let (format, elements) = match elements(g, op) {
        Ok(found) => found,
        Err(message) => return g.fail(0, FaultKind::Other(message)),
    };
    let half = op.ty.bits() == 16;
    let list = op.dst[0] as usize;
    let rows: [[u32; LANES]; 4] = std::array::from_fn(|i| {
        let row = if half { i / 2 } else { i };
        let given = i < usize::from(op.arity);
        if given { g.row(g.launch.tables.offsets[list + row]) } else { [0; LANES] }
    });
    let mut bits = [0u128; LANES];
    for lane in machine::state::lanes(elements.exist) {
        let value = |i: usize| if half { rows[i][lane] >> (16 * (i % 2)) & 0xffff } else { rows[i][lane] };
        bits[lane] = match format.element(std::array::from_fn(value), half) {
            Ok(element) => element,
            Err(message) => return g.fail(lane as u32, FaultKind::Other(message)),
        };
    }
    g.writer = op.next - 1;
    match write(g, &elements, format.bytes(), &bits) {
        Ok(()) => Step::Next,
        Err((lane, kind)) => g.fail(lane, kind),
    }
}

fn choose_load(op: &Op) -> Option<Handler> {
    matches!(op.ty, Type::U32 | Type::U16).then_some(load)
}

fn choose_store(op: &Op) -> Option<Handler> {
    matches!(op.ty, Type::U32 | Type::U16).then_some(store)
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[group("format::load", choose_load), group("format::store", choose_store)];

#[cfg(test)]
mod tests {
    use super::*;

    /// What is stored of single-precision numbers.
    fn stored(widths: &str, numbers: &str, values: [f32; 4]) -> Option<u128> {
        Format::of(code(widths, numbers))?.element(values.map(f32::to_bits), false).ok()
    }

    #[test]
    fn only_numbers_of_the_format_are_stored_where_rounding_is_open() {
        assert_eq!(stored("8_8", "USCALED", [255.0, -0.0, 0.0, 0.0]), Some(255));
        assert_eq!(stored("8_8", "SSCALED", [-128.0, 127.0, 0.0, 0.0]), Some(0x7f80));
        for value in [0.5, 256.0, -1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(stored("8", "USCALED", [value, 0.0, 0.0, 0.0]), None, "{value}");
        }
        for value in [128.0, -129.0, -0.25] {
            assert_eq!(stored("8", "SSCALED", [value, 0.0, 0.0, 0.0]), None, "{value}");
        }
        // One is an exponent of 15; 65024 is the largest of six bits of fraction, 2^-20 the least.
        let ones = 15 << 6 | 15 << 17 | 15 << 27;
        assert_eq!(stored("10_11_11", "FLOAT", [1.0, 1.0, 1.0, 0.0]), Some(ones));
        assert_eq!(stored("10_11_11", "FLOAT", [65024.0, 2f32.powi(-20), -0.0, 0.0]), Some(0x7bf | 1 << 11));
        assert_eq!(stored("10_11_11", "FLOAT", [f32::INFINITY, 0.0, 0.0, 0.0]), Some(31 << 6));
        for value in [1.0078125, -1.0, 65280.0, 2f32.powi(-21), f32::NAN] {
            assert_eq!(stored("10_11_11", "FLOAT", [value, 0.0, 0.0, 0.0]), None, "{value}");
        }
    }
}
