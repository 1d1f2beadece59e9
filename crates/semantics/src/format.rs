//! Formatted elements of AMD's buffers: components of several widths, as normalised, scaled or plain integers or as floats.
//!
//! Loads give each component in a register (or in half of one), in the order that the descriptor's selectors name; stores take them
//! in the element's own order. An element is in range as a whole or not at all. AMD's ISA guides, "Memory Buffer Load Data" and the tables of buffer
//! formats, whose names give widths from the highest component down; how floats become integers follows Direct3D 11.3's data conversion rules, which AMD's guides
//! refer to.

use crate::buffer::{self, Buffer, Elements};
use crate::{Function, group};
use machine::state::{FaultKind, lanes};
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

    /// The four components of the lanes' elements as a load gives them: those that the format does not have are 0, the last one 1; all are 0 of elements that do
    /// not exist.
    #[inline(always)]
    pub(crate) fn texels(&self, elements: &Words, exist: u32, half: bool) -> [[u32; LANES]; 4] {
        let there: [u32; LANES] = std::array::from_fn(|lane| 0u32.wrapping_sub(exist >> lane & 1));
        let mut low = 0;
        std::array::from_fn(|i| {
            let width = self.widths[i];
            let row = match i < self.components() {
                true => {
                    let bits = field(elements, low, width);
                    low += width;
                    if self.shares_exponent() {
                        let exponents = field(elements, 27, 5);
                        std::array::from_fn(|lane| sharing(bits[lane], exponents[lane], half))
                    } else {
                        self.component(i).row(bits, width, half)
                    }
                }
                false => [if i == 3 { self.one(half) } else { 0 }; LANES],
            };
            std::array::from_fn(|lane| row[lane] & there[lane])
        })
    }

    /// What a load gives for the lanes' components of so many bits: the usual kinds for all lanes at once, where the compiler makes vectors of them.
    #[inline(always)]
    fn row(&self, bits: [u32; LANES], width: u32, half: bool) -> [u32; LANES] {
        let (unused, most) = (32 - width, u32::MAX >> (32 - width));
        let signed = |bits: u32| (bits << unused) as i32 >> unused;
        let limit = if half { 0xffff } else { u32::MAX };
        // Integers of up to 16 bits and their quotients are as exact in single precision as in double precision, rounded once more.
        match (self.numbers, half) {
            (Numbers::Uint, _) => bits.map(|bits| bits & limit),
            (Numbers::Sint, _) => bits.map(|bits| signed(bits) as u32 & limit),
            (Numbers::Float, false) if width == 32 => bits,
            (Numbers::Float, true) if width == 16 => bits,
            (Numbers::Unorm, false) if width <= 16 => bits.map(|bits| (bits as i32 as f32 / most as f32).to_bits()),
            (Numbers::Snorm, false) if (2..=16).contains(&width) => {
                bits.map(|bits| (signed(bits) as f32 / (most >> 1) as f32).max(-1.0).to_bits())
            }
            _ => bits.map(|bits| self.loaded(bits, width, half)),
        }
    }

    /// The format as a component sees it: of sRGB the fourth one is linear.
    fn component(&self, i: usize) -> Format {
        if self.numbers == Numbers::Srgb && i == 3 { Format { numbers: Numbers::Unorm, ..*self } } else { *self }
    }

    /// Elements of the four components of some lanes.
    ///
    /// # Errors
    /// The lane whose element cannot be stored, and why.
    #[inline(always)]
    pub(crate) fn elements(&self, values: &[[u32; LANES]; 4], some: u32, half: bool) -> Result<Words, (usize, String)> {
        let (mut elements, mut low) = ([[0; LANES]; 4], 0);
        if self.shares_exponent() {
            return Err((0, "storing numbers that share an exponent is not executable yet".into()));
        }
        for (i, width) in self.widths.iter().enumerate().take(self.components()) {
            let stored = self.component(i).stored_row(&values[i], some, *width, half).map_err(|lane| {
                let numbers = self.numbers;
                let why = "how it is rounded is open, only those that the format has are stored";
                (lane, format!("storing this number as {numbers:?} of {width} bits is not executable yet: {why}"))
            })?;
            put_field(&mut elements, low, &stored);
            low += width;
        }
        Ok(elements)
    }

    /// The bits that a store leaves of some lanes' components: the usual kinds for all lanes at once. The lane whose rounding is not known.
    #[inline(always)]
    fn stored_row(&self, values: &[u32; LANES], some: u32, width: u32, half: bool) -> Result<[u32; LANES], usize> {
        let most = u32::MAX >> (32 - width);
        Ok(match (self.numbers, half) {
            (Numbers::Float, false) if width == 32 => *values,
            (Numbers::Float, true) if width == 16 => values.map(|value| value & 0xffff),
            (Numbers::Uint, _) => values.map(|value| value.min(most)),
            (Numbers::Unorm, false) if width <= 16 => values.map(|value| {
                let number = f32::from_bits(value);
                // Not a number is zero.
                let limited = if number > 0.0 { number.min(1.0) } else { 0.0 };
                // Adding it rounds to an integer, to the even one of two, which is then in the lowest bits.
                const INTEGER: f64 = (3u64 << 51) as f64;
                (f64::from(limited) * f64::from(most) + INTEGER).to_bits() as u32
            }),
            _ => {
                let mut row = [0; LANES];
                for lane in lanes(some) {
                    row[lane] = self.stored(values[lane], width, half).ok_or(lane)?;
                }
                row
            }
        })
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

/// Bits of a component of the lanes' elements; components lie within words.
#[inline(always)]
fn field(elements: &Words, low: u32, width: u32) -> [u32; LANES] {
    let most = u32::MAX >> (32 - width);
    elements[(low as usize / 32) & 3].map(|word| word >> (low % 32) & most)
}

/// Puts a component there.
#[inline(always)]
fn put_field(elements: &mut Words, low: u32, bits: &[u32; LANES]) {
    elements[(low as usize / 32) & 3].iter_mut().zip(bits).for_each(|(word, bits)| *word |= bits << (low % 32));
}

/// A component of an element whose components share an exponent.
fn sharing(bits: u32, exponent: u32, half: bool) -> u32 {
    let value = f64::from(bits) * f64::from(exponent as i32 - 24).exp2();
    if half { F16::from_f64(value).0.into() } else { (value as f32).to_bits() }
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

/// The lanes' elements, word by word.
pub(crate) type Words = [[u32; LANES]; 4];

/// The elements that exist.
#[inline(always)]
pub(crate) fn read(g: &mut Group, elements: &Elements, size: u64) -> Result<Words, (u32, FaultKind)> {
    match elements.whole(size) {
        8 => read_as::<u64>(g, elements, size),
        4 => read_as::<u32>(g, elements, size),
        2 => read_as::<u16>(g, elements, size),
        _ => read_as::<u8>(g, elements, size),
    }
}

/// The same by parts of a type.
#[inline(always)]
fn read_as<T: Element>(g: &mut Group, elements: &Elements, size: u64) -> Result<Words, (u32, FaultKind)> {
    let mut words = [[0; LANES]; 4];
    for byte in (0..size.min(16)).step_by(size_of::<T>()) {
        let mut parts = [T::default(); LANES];
        let addresses = elements.addresses.map(|address| address.wrapping_add(byte));
        g.gather(&addresses, elements.exist, &mut parts)?;
        let (at, shift) = (byte as usize / 4, 8 * (byte % 4));
        words[at].iter_mut().zip(parts).for_each(|(word, part)| *word |= (part.to_bits() << shift) as u32);
        if size_of::<T>() == 8 {
            words[at + 1].iter_mut().zip(parts).for_each(|(word, part)| *word = (part.to_bits() >> 32) as u32);
        }
    }
    Ok(words)
}

/// Writes the elements that exist.
#[inline(always)]
pub(crate) fn write(g: &mut Group, elements: &Elements, size: u64, words: &Words) -> Result<(), (u32, FaultKind)> {
    match elements.whole(size) {
        8 => write_as::<u64>(g, elements, size, words),
        4 => write_as::<u32>(g, elements, size, words),
        2 => write_as::<u16>(g, elements, size, words),
        _ => write_as::<u8>(g, elements, size, words),
    }
}

/// The same by parts of a type.
#[inline(always)]
fn write_as<T: Element>(g: &mut Group, elements: &Elements, size: u64, words: &Words) -> Result<(), (u32, FaultKind)> {
    for byte in (0..size.min(16)).step_by(size_of::<T>()) {
        let addresses = elements.addresses.map(|address| address.wrapping_add(byte));
        let (at, shift) = (byte as usize / 4, 8 * (byte % 4));
        let upper = &words[(at + 1).min(3)];
        let part = |lane: usize| T::from_bits((u128::from(words[at][lane]) | u128::from(upper[lane]) << 32) >> shift);
        g.scatter(&addresses, elements.exist, &std::array::from_fn(part))?;
    }
    Ok(())
}

/// Which components a load gives, by the descriptor: zero, one, or a component.
#[inline(always)]
pub(crate) fn selected(format: Format, word: u32, components: &[[u32; LANES]; 4], half: bool) -> [[u32; LANES]; 4] {
    std::array::from_fn(|i| match word >> (3 * i) & 7 {
        1 => [format.one(half); LANES],
        select @ 4.. => components[select as usize - 4],
        _ => [0; LANES],
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
    let rows = selected(format, selectors, &format.texels(&bits, elements.exist, half), half);
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
    let values = std::array::from_fn(|i| if half { rows[i].map(|word| word >> (16 * (i % 2)) & 0xffff) } else { rows[i] });
    let bits = match format.elements(&values, elements.exist, half) {
        Ok(bits) => bits,
        Err((lane, message)) => return g.fail(lane as u32, FaultKind::Other(message)),
    };
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
        let values = values.map(|value| [value.to_bits(); LANES]);
        let words = Format::of(code(widths, numbers))?.elements(&values, 1, false).ok()?;
        Some(words.iter().rev().fold(0, |bits, word| bits << 32 | u128::from(word[0])))
    }

    #[test]
    fn rows_are_what_their_numbers_are() {
        for (numbers, width) in
            [("UNORM", 1), ("UNORM", 6), ("UNORM", 8), ("UNORM", 16), ("SNORM", 2), ("SNORM", 8), ("SNORM", 16)]
        {
            let format = Format::of(code(&width.to_string(), numbers)).expect("a format");
            for bits in 0..1u32 << width {
                let loaded = format.row([bits; LANES], width, false);
                assert_eq!(loaded, [format.loaded(bits, width, false); LANES], "{numbers} {width} {bits:#x}");
                // It is stored as it was, the least of two that mean -1 apart.
                let lowest = numbers == "SNORM" && bits == 1 << (width - 1);
                assert_eq!(format.stored_row(&loaded, 1, width, false).map(|row| row[0]), Ok(bits + u32::from(lowest)));
            }
        }
        let format = Format::of(code("8", "UNORM")).expect("a format");
        for value in [f32::NAN, -1.0, -0.0, 0.5 / 255.0, 1.5 / 255.0, 0.1, 0.999, 2.0, f32::INFINITY] {
            let row = format.stored_row(&[value.to_bits(); LANES], u32::MAX, 8, false);
            assert_eq!(row.ok().map(|row| row[31]), format.stored(value.to_bits(), 8, false), "{value}");
        }
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
