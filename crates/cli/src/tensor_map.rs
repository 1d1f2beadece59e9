//! Tensor maps as the command line and launch files have them: `tensormap:BUFFER,f16,[64,128],box=[64,32],swizzle=128B`.
//!
//! Fields have the names and limits of `lockstep::tensor`; dimensions are told innermost first. What is left out is as the buffer
//! says (type and sizes), dense (strides), or nothing (all else).

use crate::array::Array;
use lockstep::tensor::{Element, Fields, Fill, Interleave, MAX_RANK, Promotion, Swizzle, Window};

/// What the help of `run` says about them.
pub const HELP: &str = "\
Fields of a tensor map, which is passed by value or, if the parameter has 64 bits, by its address in memory. They are those of the
CUDA driver, innermost dimension first; type and sizes are the array's where they are left out, strides those without gaps:
  f16  [64,128]                     element type (u8 to f64, bf16 tf32 f32.ftz tf32.ftz b4x16 b4x16_p64 b6x16_p32), sizes
  strides=[128]  offset=0           bytes, from dimension 1 on; bytes before the tensor
  box=[64,32]                       elements that are copied at once
  lower=[-1,-1] upper=[-1,-1] channels=64 pixels=128 wide=w|w128     instead of a box: im2col, corners in W, H, D
  steps=[1,2]  interleave=16B|32B  fill=nan  l2=64B|128B|256B        element strides, slices, outside of the tensor, a hint
  swizzle=32B|64B|96B|128B|128B_ATOM_32B|128B_ATOM_32B_FLIP_8B|128B_ATOM_64B
as in tensormap:zeros:f16:128x64,box=[64,32],swizzle=128B";

/// What every tensor map begins with.
pub const PREFIX: &str = "tensormap:";

/// A tensor map as it is written: the buffer's text, and fields.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// What stands for the buffer.
    pub source: String,
    element: Option<Element>,
    sizes: Option<Vec<u64>>,
    strides: Option<Vec<u64>>,
    offset: u64,
    boxed: Option<Vec<u32>>,
    lower: Vec<i32>,
    upper: Vec<i32>,
    channels: Option<u32>,
    pixels: Option<u32>,
    wide: Option<bool>,
    steps: Vec<u32>,
    interleave: Interleave,
    swizzle: Swizzle,
    promotion: Promotion,
    fill: Fill,
}

/// The keys, for who mistypes one.
const KEYS: [&str; 13] =
    ["box", "strides", "offset", "lower", "upper", "channels", "pixels", "wide", "steps", "interleave", "swizzle", "l2", "fill"];

/// A tensor map from its text without the prefix.
///
/// # Errors
/// What is wrong with it, in words.
pub fn parse(text: &str) -> Result<Written, String> {
    let mut parts = split(text).into_iter().peekable();
    let mut written = Written { source: parts.next().unwrap_or_default().to_owned(), ..Written::default() };
    // `values:s32:3,1,2` has commas of its own.
    while let Some(value) = parts.next_if(|part| written.source.starts_with("values:") && is_value(part)) {
        written.source += &format!(",{value}");
    }
    if written.source.is_empty() {
        return Err("a tensor map begins with its buffer: tensormap:BUFFER,box=[64,32]".into());
    }
    for part in parts {
        written.field(part.trim())?;
    }
    Ok(written)
}

/// The parts between commas that are not in brackets.
pub fn split(text: &str) -> Vec<&str> {
    let mut depth = 0usize;
    let outside = move |c: char| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    text.split(outside).collect()
}

fn is_value(part: &str) -> bool {
    !part.contains(['=', '[']) && Element::named(part).is_none()
}

impl Written {
    fn field(&mut self, part: &str) -> Result<(), String> {
        let Some((key, value)) = part.split_once('=') else {
            if part.starts_with('[') {
                self.sizes = Some(list(part)?);
                return Ok(());
            }
            self.element =
                Some(Element::named(part).ok_or_else(|| unknown("type", part, Element::ALL.iter().map(|e| e.name())))?);
            return Ok(());
        };
        match key {
            "box" => self.boxed = Some(list(value)?),
            "strides" => self.strides = Some(list(value)?),
            "offset" => self.offset = number(value)?,
            "lower" => self.lower = list(value)?,
            "upper" => self.upper = list(value)?,
            "channels" => self.channels = Some(number(value)?),
            "pixels" => self.pixels = Some(number(value)?),
            "steps" => self.steps = list(value)?,
            "wide" => {
                let found = ["w", "w128"].iter().position(|w| *w == value);
                self.wide = Some(found.ok_or_else(|| unknown(key, value, ["w", "w128"].into_iter()))? == 1);
            }
            "interleave" => self.interleave = named(key, value, Interleave::ALL, Interleave::named, Interleave::name)?,
            "swizzle" => {
                self.swizzle = Swizzle::named(value).ok_or_else(|| unknown(key, value, Swizzle::all().map(Swizzle::name)))?;
            }
            "l2" => self.promotion = named(key, value, Promotion::ALL, Promotion::named, Promotion::name)?,
            "fill" => self.fill = named(key, value, Fill::ALL, Fill::named, Fill::name)?,
            _ => return Err(unknown("field", key, KEYS.into_iter())),
        }
        Ok(())
    }

    /// The fields, for a tensor that lies in this array; the address counts from the array's start.
    ///
    /// # Errors
    /// What is missing or wrong, in words.
    pub fn fields(&self, array: &Array) -> Result<Fields, String> {
        let element = match self.element {
            Some(element) => element,
            None => element_of(array)?,
        };
        let sizes = match &self.sizes {
            Some(sizes) => sizes.clone(),
            None if element.bits() == array.ty.bits => array.shape.iter().rev().map(|n| *n as u64).collect(),
            None => return Err(format!("write the sizes: {} is no array of {}", array.description(), element.name())),
        };
        let rank = sizes.len();
        if rank == 0 || rank > MAX_RANK {
            return Err(format!("a tensor has 1 to {MAX_RANK} dimensions, not {rank}"));
        }
        let mut fields = Fields::dense(element, self.offset, &sizes, self.window(rank)?);
        fields.interleave = self.interleave;
        fields.strides = fields.dense_strides();
        if let Some(strides) = &self.strides {
            same_number("strides", strides.len(), rank - 1)?;
            fields.strides[..rank - 1].copy_from_slice(strides);
        }
        if !self.steps.is_empty() {
            same_number("steps", self.steps.len(), rank)?;
            fields.steps[..rank].copy_from_slice(&self.steps);
        }
        (fields.swizzle, fields.promotion, fields.fill) = (self.swizzle, self.promotion, self.fill);
        // What is wrong is told where it is written, not when the kernel is launched.
        fields.check().map_err(|invalid| format!("{invalid}: {}", invalid.remedy))?;
        Ok(fields)
    }

    fn window(&self, rank: usize) -> Result<Window, String> {
        let images = self.channels.is_some() || self.pixels.is_some() || self.wide.is_some();
        match (&self.boxed, images) {
            (Some(_), true) => return Err("box= is for tiled copies, channels= and pixels= for im2col: write one of both".into()),
            (None, false) => return Err("write what is copied at once: box=[64,32], or channels=64,pixels=128 for im2col".into()),
            (Some(boxed), false) => {
                same_number("box", boxed.len(), rank)?;
                let mut size = [1; MAX_RANK];
                size[..rank].copy_from_slice(boxed);
                return Ok(Window::Tiled { size });
            }
            (None, true) => {}
        }
        let spatial = if self.wide.is_some() { 1 } else { rank.saturating_sub(2).max(1) };
        let corner = |name: &str, given: &[i32]| {
            let mut corner = [0; 3];
            if !given.is_empty() {
                same_number(name, given.len(), spatial)?;
                corner[..spatial].copy_from_slice(given);
            }
            Ok::<_, String>(corner)
        };
        let (lower, upper) = (corner("lower", &self.lower)?, corner("upper", &self.upper)?);
        let channels = self.channels.ok_or("write how many channels a pixel has: channels=64")?;
        let fixed = self.wide == Some(true);
        let pixels = self.pixels.or(fixed.then_some(0)).ok_or("write how many pixels are copied: pixels=128")?;
        Ok(match self.wide {
            None => Window::Im2col { lower, upper, channels, pixels },
            Some(fixed) => Window::Wide { lower: lower[0], upper: upper[0], channels, pixels, fixed },
        })
    }
}

/// The element type that an array's type is to a tensor map.
fn element_of(array: &Array) -> Result<Element, String> {
    let by_size = || match array.ty.bits {
        8 => Some(Element::U8),
        16 => Some(Element::U16),
        32 => Some(Element::U32),
        64 => Some(Element::U64),
        _ => None,
    };
    Element::named(array.ty.name)
        .or_else(by_size)
        .ok_or_else(|| format!("write the element type: none is like {}", array.ty.name))
}

fn same_number(name: &str, given: usize, wanted: usize) -> Result<(), String> {
    if given == wanted { Ok(()) } else { Err(format!("{name} has {given} numbers, the tensor needs {wanted}")) }
}

/// `[64,32]`, or one number.
pub fn list<T: std::str::FromStr>(text: &str) -> Result<Vec<T>, String> {
    let inner = match text.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']').ok_or_else(|| format!("`{text}` lacks a `]`"))?,
        None => text,
    };
    if inner.trim().is_empty() { Ok(Vec::new()) } else { inner.split(',').map(number).collect() }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is no number that can stand here"))
}

fn named<T: Copy>(
    key: &str,
    value: &str,
    all: &'static [T],
    parse: fn(&str) -> Option<T>,
    name: fn(T) -> &'static str,
) -> Result<T, String> {
    parse(value).ok_or_else(|| unknown(key, value, all.iter().map(|one| name(*one))))
}

fn unknown<'a>(what: &str, text: &str, known: impl Iterator<Item = &'a str>) -> String {
    lacks(&format!("a tensor map has no {what}"), text, &known.collect::<Vec<&str>>())
}

/// That something has no such part, and which is meant, or which there are.
pub fn lacks(has_no: &str, text: &str, known: &[&str]) -> String {
    match isa::Table::nearest(text, known.iter().copied()).first() {
        Some(near) => format!("{has_no} `{text}`; did you mean `{near}`?"),
        None => format!("{has_no} `{text}`: there are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str, ty: &str, shape: &[usize]) -> Result<Fields, String> {
        let ty = isa::Table::get().unwrap().type_named(ty).unwrap();
        let array = Array { ty, shape: shape.to_vec(), bytes: Vec::new() };
        parse(text)?.fields(&array)
    }

    #[test]
    fn fields_are_read() {
        let map = fields("x,f16,[64,128],box=[64,32],swizzle=128B,l2=256B,fill=nan,steps=[1,2]", "u8", &[1]).unwrap();
        let mut wanted = Fields::tiled(Element::F16, 0, &[64, 128], &[64, 32]);
        (wanted.swizzle, wanted.promotion, wanted.fill, wanted.steps[1]) = (Swizzle::B128, Promotion::Bytes256, Fill::Nan, 2);
        assert_eq!(map, wanted);
        // Type and sizes of the array, in reverse; strides and offset in bytes.
        let map = fields("x,box=[4,2],strides=[32],offset=64", "f32", &[10, 6]).unwrap();
        assert_eq!((map.element, map.rank, &map.sizes[..2], map.address), (Element::F32, 2, &[6, 10][..], 64));
        assert_eq!(map.strides[0], 32);
        let map = fields("x,lower=[-1,-1],upper=[-1,-1],channels=64,pixels=128", "bf16", &[2, 9, 9, 64]).unwrap();
        assert_eq!(map.window, Window::Im2col { lower: [-1, -1, 0], upper: [-1, -1, 0], channels: 64, pixels: 128 });
        let map = fields("x,channels=64,wide=w128,swizzle=128B,lower=-1", "bf16", &[2, 9, 9, 64]).unwrap();
        assert_eq!(map.window, Window::Wide { lower: -1, upper: 0, channels: 64, pixels: 0, fixed: true });
        assert_eq!(fields("x,s64,[2],box=2", "u8", &[1]).unwrap().element, Element::S64);
        assert_eq!(fields("x,box=16", "e4m3", &[64]).unwrap().element, Element::U8);
    }

    #[test]
    fn sources_may_have_commas() {
        let source = |text| parse(text).unwrap().source;
        assert_eq!(source("values:s32:3,1,2,4,[4],box=[4]"), "values:s32:3,1,2,4");
        assert_eq!(source("zeros:f16:128x64:out=y.npy,f16,box=[64,32]"), "zeros:f16:128x64:out=y.npy");
        assert_eq!(source("@a.npy,box=[64,32]"), "@a.npy");
    }

    #[test]
    fn mistakes_say_what_to_do() {
        let why = |text| fields(text, "f16", &[128, 64]).unwrap_err();
        assert_eq!(why("x,box=[64,32],swizle=128B"), "a tensor map has no field `swizle`; did you mean `swizzle`?");
        assert_eq!(why("x,box=[64,32],swizzle=128b"), "a tensor map has no swizzle `128b`; did you mean `128B`?");
        assert_eq!(why("x,f8,box=[64,32]"), "a tensor map has no type `f8`; did you mean `u8`?");
        assert_eq!(why("x"), "write what is copied at once: box=[64,32], or channels=64,pixels=128 for im2col");
        assert_eq!(why("x,box=[64]"), "box has 1 numbers, the tensor needs 2");
        assert_eq!(why("x,box=[64,32],strides=[1,2]"), "strides has 2 numbers, the tensor needs 1");
        assert_eq!(why("x,box=[64,a]"), "`a` is no number that can stand here");
        assert_eq!(why("x,box=[64,32"), "`[64,32` lacks a `]`");
        assert_eq!(why("x,f32,box=[64,32]"), "write the sizes: f16[128, 64] is no array of f32");
        assert_eq!(why("x,box=[64,300]"), "box 1 is 300, it must be 1 to 256: copy a larger box in parts");
        assert_eq!(
            why("x,box=[64,32],channels=8"),
            "box= is for tiled copies, channels= and pixels= for im2col: write one of both"
        );
        assert!(parse("").is_err() && parse(",box=1").is_err());
    }
}
