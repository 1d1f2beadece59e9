//! Descriptors of AMD's images and samplers as a host makes them: what `image` and `sample` read, the other way.
//!
//! Which bits mean what is data of the table, as there. What a host puts into them and how far apart rows lie follows ROCm's hsa-runtime
//! (image_manager_{ai,nv,gfx11,gfx12}.cpp) for images with a linear layout. Such images have one level.

use crate::format;
use crate::image::{Image, Kind, RESOURCE, place};
use crate::sample::SAMPLER;
use machine::state::Images;

/// An image, as kernels are to see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageFields {
    /// What kind of image.
    pub kind: Kind,
    /// Its format, as [`format::code`] counts them.
    pub format: u32,
    /// Width, height, and depth or slices, in texels; 1 where the kind has none.
    pub size: [u32; 3],
    /// What registers get of a texel: 0 and 1 as they are, 4 to 7 its components.
    pub selectors: [u32; 4],
}

/// How an image lies in memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Of a texel.
    pub texel: u64,
    /// From a row to the next one.
    pub row: u64,
    /// From a slice to the next one.
    pub slice: u64,
}

/// How a sampler reads an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplerFields {
    /// What is outside of the image along each axis, by the numbers of samplers' descriptors.
    pub clamp: [u32; 3],
    /// Whether coordinates count texels.
    pub unnormalized: bool,
    /// Whether texels are weighed.
    pub linear: bool,
    /// The colour of the border, by the numbers of samplers' descriptors.
    pub border: u32,
}

/// A descriptor in the making.
struct Words<'i> {
    words: [u32; 8],
    names: &'static [&'static str],
    layout: &'i [Vec<(u32, u32)>],
}

impl Words<'_> {
    /// The runs of bits of a field; none where the target has no such field.
    fn runs(&self, name: &str) -> &[(u32, u32)] {
        let at = self.names.iter().position(|known| *known == name);
        at.and_then(|at| self.layout.get(at)).map_or(&[][..], |runs| &runs[..])
    }

    /// Sets a field.
    fn set(&mut self, name: &str, value: u64) -> Result<(), String> {
        let runs = self.runs(name).to_vec();
        place(&mut self.words, &runs, value).ok_or_else(|| {
            let bits: u32 = runs.iter().map(|run| run.1).sum();
            format!("the field `{name}` of its descriptor has {bits} bits, too few for {value}")
        })
    }

    /// Sets a field that counts from 0 what is counted from 1.
    fn set_count(&mut self, what: &str, name: &str, count: u64) -> Result<(), String> {
        let most = 1u64 << self.runs(name).iter().map(|run| run.1).sum::<u32>();
        match count {
            0 => Err(format!("its {what} is 0")),
            _ if count > most => Err(format!("its {what} is {count}, the most that a descriptor can say is {most}")),
            _ => self.set(name, count - 1),
        }
    }
}

/// The descriptor of an image whose first texel is at `base`, a multiple of 256, and how the image lies.
///
/// # Errors
/// What no descriptor of the target says, in words.
pub fn image(images: &Images, fields: &ImageFields, base: u64) -> Result<([u32; 8], Lines), String> {
    let mut words = Words { words: [0; 8], names: &RESOURCE, layout: &images.resource };
    let number = images.formats.iter().position(|code| *code == fields.format && *code != 0);
    words.set("format", number.ok_or("the target's images have no such format")? as u64)?;
    words.set("base", base >> 8)?;
    let [width, height, depth] = fields.size.map(u64::from);
    words.set_count("width", "width", width)?;
    if fields.kind.plane() > 1 {
        words.set_count("height", "height", height)?;
    }
    let has_depth = fields.kind == Kind::D3 || fields.kind.has_slices();
    if has_depth {
        words.set_count("depth", "depth", depth)?;
    }
    let selectors = fields.selectors.iter().rev().fold(0, |word, selector| word << 3 | u64::from(*selector));
    words.set("dst_sel", selectors)?;
    words.set("type", 8 + fields.kind as u64)?;
    let first = Image::of(&words.words, images)?;
    let texel = format::bytes(fields.format);
    // The pitch counts texels, and has bits of its own on gfx9 only.
    if images.layout == 0 || !has_depth && !words.runs("pitch").is_empty() {
        words.set_count("pitch", "pitch", first.row(fields.size[0], first.row_multiple()) / texel)?;
    }
    let (row, _, slice) = Image::of(&words.words, images)?.lines(0);
    Ok((words.words, Lines { texel, row, slice }))
}

/// The descriptor of a sampler, which takes no account of levels.
///
/// # Errors
/// What no descriptor of the target says, in words.
pub fn sampler(images: &Images, fields: &SamplerFields) -> Result<[u32; 4], String> {
    /// The highest level of detail, in 256ths.
    const MOST: u64 = 4095;
    let mut words = Words { words: [0; 8], names: &SAMPLER, layout: &images.sampler };
    for (name, clamp) in ["clamp_x", "clamp_y", "clamp_z"].into_iter().zip(fields.clamp) {
        words.set(name, clamp.into())?;
    }
    words.set("unnormalized", fields.unnormalized.into())?;
    words.set("max_lod", MOST)?;
    for name in ["xy_mag_filter", "xy_min_filter"] {
        words.set(name, fields.linear.into())?;
    }
    words.set("border_color", fields.border.into())?;
    let [first, second, third, fourth, ..] = words.words;
    Ok([first, second, third, fourth])
}
