//! Images and samplers as the command line and launch files have them: `image:BUFFER,rgba,unorm8`, `sampler:linear,edge`.
//!
//! Fields have the names of `lockstep::image`; sizes are told as the array's shape has them the other way round, width first.

use crate::array::Array;
use crate::tensor_map::{self, lacks};
use lockstep::image::{self, Channels, Fields, Kind, Sampler};

/// What the help of `run` says about them.
pub const HELP: &str = "\
Images of AMD's GPUs, whose texels are an array without gaps; the kernel gets the address of a descriptor:
  rgba  unorm8                      order of channels (r rg rgba bgra argb abgr a ra rgb srgba sbgra intensity luminance depth) and their
                                    type (unorm8 snorm8 u8 s8, the same with 16, u32 s32 f16 f32, unorm565 unorm555 unorm101010)
  2d  [64,32]                       kind (1d 2d 3d cube 1d_array 2d_array) and sizes, width first; those of the array where they are left out
as in image:zeros:u8:32x64x4,rgba,unorm8; a sampler, in any order:
  nearest|linear  unnormalized      texels around a coordinate are weighed; coordinates count texels
  repeat|mirror|edge|mirror_edge|border|mirror_border  transparent|black|white     what lies outside; the border's colour
as in sampler:linear,edge";

/// What every image begins with.
pub const PREFIX: &str = "image:";

/// What every sampler begins with.
pub const SAMPLER: &str = "sampler:";

/// An image as it is written: the buffer's text, and fields.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// What stands for the buffer.
    pub source: String,
    order: Option<String>,
    ty: Option<String>,
    kind: Option<Kind>,
    sizes: Option<Vec<u32>>,
}

/// Names of all fields.
fn names() -> Vec<&'static str> {
    Channels::orders().chain(Channels::types()).chain(image::kinds()).collect()
}

/// An image from its text without the prefix.
///
/// # Errors
/// What is wrong with it, in words.
pub fn parse(text: &str) -> Result<Written, String> {
    let mut parts = tensor_map::split(text).into_iter().peekable();
    let mut written = Written { source: parts.next().unwrap_or_default().to_owned(), ..Written::default() };
    // `values:u8:3,1,2` has commas of its own.
    let names = names();
    while let Some(value) =
        parts.next_if(|part| written.source.starts_with("values:") && !part.starts_with('[') && !names.contains(part))
    {
        written.source += &format!(",{value}");
    }
    if written.source.is_empty() {
        return Err("an image begins with its buffer: image:BUFFER,rgba,unorm8".into());
    }
    for part in parts {
        written.field(part.trim(), &names)?;
    }
    Ok(written)
}

impl Written {
    fn field(&mut self, part: &str, names: &[&'static str]) -> Result<(), String> {
        if part.starts_with('[') {
            self.sizes = Some(tensor_map::list(part)?);
        } else if Channels::orders().any(|order| order == part) {
            self.order = Some(part.to_owned());
        } else if Channels::types().any(|ty| ty == part) {
            self.ty = Some(part.to_owned());
        } else if let Some(kind) = image::kind_named(part) {
            self.kind = Some(kind);
        } else {
            return Err(lacks("an image has no", part, names));
        }
        Ok(())
    }

    /// The fields, for an image whose texels are this array.
    ///
    /// # Errors
    /// What is missing or wrong, in words.
    pub fn fields(&self, array: &Array) -> Result<Fields, String> {
        let ty = self.ty.as_deref().unwrap_or(array.ty.name);
        let order = self.order.as_deref().ok_or("write the order of channels: r, rg, rgba or another one")?;
        let channels = Channels::named(order, ty).ok_or_else(|| {
            format!("write the type of channels: none is called {ty}, those of images are unorm8, f32 and others")
        })?;
        let own = array.ty.bits as usize / 8;
        let mut sizes = match &self.sizes {
            Some(sizes) => sizes.clone(),
            None => {
                let mut shape: Vec<usize> = array.shape.iter().rev().copied().collect();
                // A texel is an element, or the elements of the innermost dimension.
                if own != channels.bytes() {
                    if shape.first().map(|inner| inner * own) != Some(channels.bytes()) {
                        return Err(format!(
                            "write the sizes, or give the array a last dimension of one texel: texels of {channels} have {} bytes, {} is other",
                            channels.bytes(),
                            array.description()
                        ));
                    }
                    shape.remove(0);
                }
                let size = |n: &usize| u32::try_from(*n).map_err(|_| format!("{n} is more than an image has"));
                shape.iter().map(size).collect::<Result<_, _>>()?
            }
        };
        let kind = match (self.kind, sizes.len()) {
            (Some(kind), _) => kind,
            (None, 1) => Kind::D1,
            (None, 2) => Kind::D2,
            (None, 3) => Kind::D3,
            (None, n) => return Err(format!("an image has one to three sizes, not {n}")),
        };
        let wanted = match kind {
            Kind::D1 => 1,
            Kind::D2 | Kind::D1Array => 2,
            _ => 3,
        };
        if sizes.len() != wanted {
            return Err(format!("an image of this kind has {wanted} sizes, not {}", sizes.len()));
        }
        if kind == Kind::D1Array {
            sizes.insert(1, 1);
        }
        sizes.resize(3, 1);
        let fields = Fields { kind, channels, size: [sizes[0], sizes[1], sizes[2]] };
        if fields.bytes() != array.bytes.len() {
            return Err(format!("its texels have {} bytes, the array {}", fields.bytes(), array.bytes.len()));
        }
        Ok(fields)
    }
}

/// A sampler from its text without the prefix.
///
/// # Errors
/// What is wrong with it, in words.
pub fn sampler(text: &str) -> Result<Sampler, String> {
    let mut sampler = Sampler::default();
    for part in text.split(',').map(str::trim) {
        sampler = match part {
            "nearest" => sampler,
            "linear" => sampler.linear(),
            "unnormalized" => sampler.unnormalized(),
            _ => sampler.outside(part).ok_or_else(|| {
                let names: Vec<&str> = ["nearest", "linear", "unnormalized"]
                    .into_iter()
                    .chain(Sampler::clamps())
                    .chain(Sampler::borders())
                    .collect();
                lacks("a sampler has no", part, &names)
            })?,
        };
    }
    Ok(sampler)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str, ty: &str, shape: &[usize]) -> Result<Fields, String> {
        let ty = isa::Table::get().unwrap().type_named(ty).unwrap();
        let bytes = vec![0; shape.iter().product::<usize>() * ty.bits as usize / 8];
        parse(text)?.fields(&Array { ty, shape: shape.to_vec(), bytes })
    }

    #[test]
    fn fields_are_read() {
        let channels = |order, ty| Channels::named(order, ty).unwrap();
        let two = fields("x,bgra,unorm8", "u8", &[3, 5, 4]).unwrap();
        assert_eq!(two, Fields { kind: Kind::D2, channels: channels("bgra", "unorm8"), size: [5, 3, 1] });
        // The type of the array, and one texel for an element.
        let three = fields("x,r", "f32", &[2, 3, 5]).unwrap();
        assert_eq!(three, Fields { kind: Kind::D3, channels: channels("r", "f32"), size: [5, 3, 2] });
        let slices = fields("x,rg,f16,1d_array,[7,4]", "u32", &[28]).unwrap();
        assert_eq!(slices, Fields { kind: Kind::D1Array, channels: channels("rg", "f16"), size: [7, 1, 4] });
        assert_eq!(parse("values:u8:3,1,2,r,[3]").unwrap().source, "values:u8:3,1,2");
        assert_eq!(
            sampler("linear,border,white"),
            Ok(Sampler::default().linear().outside("border").unwrap().outside("white").unwrap())
        );
        assert_eq!(sampler("nearest"), Ok(Sampler::default()));
    }

    #[test]
    fn mistakes_say_what_to_do() {
        let why = |text| fields(text, "u8", &[3, 5, 4]).unwrap_err();
        assert_eq!(why("x,rgba,unrom8"), "an image has no `unrom8`; did you mean `unorm8`?");
        assert_eq!(why("x,u8"), "write the order of channels: r, rg, rgba or another one");
        assert_eq!(
            why("x,rgba,f32"),
            "write the sizes, or give the array a last dimension of one texel: texels of rgba f32 have 16 bytes, u8[3, 5, 4] is other"
        );
        assert_eq!(why("x,rgba,u8,[5,2]"), "its texels have 40 bytes, the array 60");
        assert_eq!(why("x,rgba,u8,cube,[5,2]"), "an image of this kind has 3 sizes, not 2");
        assert_eq!(parse("").unwrap_err(), "an image begins with its buffer: image:BUFFER,rgba,unorm8");
        assert_eq!(sampler("linaer").unwrap_err(), "a sampler has no `linaer`; did you mean `linear`?");
        let double = fields("x,rgba", "f64", &[3, 5]).unwrap_err();
        assert_eq!(double, "write the type of channels: none is called f64, those of images are unorm8, f32 and others");
    }
}
