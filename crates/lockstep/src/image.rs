//! Images and samplers of AMD's GPUs, made on the host: device memory with texels, and the descriptors that kernels read.
//!
//! Orders and types of channels are those of OpenCL and of HSA's image extension (hsa_ext_image.h). A kernel gets the address of a descriptor: eight
//! words that image instructions take, then type and order of channels by HSA's numbers and the width, as ROCm's runtime leaves them for the device
//! library. Fields that change nothing of what is read and written here (RESOURCE_LEVEL, BC_SWIZZLE and the like) are zero: of a border's colour, registers get
//! the components that they get of texels. Images lie linearly; [`Image::new`] puts rows where the target's addressing has them and [`Image::read`] takes the gaps out again.
//!
//! ```
//! use lockstep::System;
//! use lockstep::image::{Channels, Fields, Image, Kind, Sampler};
//!
//! # fn main() -> lockstep::Result<()> {
//! let device = System.device("rx7900xtx")?;
//! let fields = Fields { kind: Kind::D2, channels: Channels::named("rgba", "unorm8").unwrap(), size: [5, 3, 1] };
//! let image = Image::new(&device, fields, &[7; 4 * 5 * 3])?;
//! let (image_argument, sampler_argument) = (image.argument(), Sampler::default().argument(&device)?);
//! // Rows begin at multiples of 256 bytes on this target.
//! assert_eq!((image.memory().len(), image.read().len()), (3 * 256, 60));
//! // What is wrong says where, what and what to do.
//! let fields = Fields { size: [20_000, 1, 1], ..fields };
//! let error = Image::new(&device, fields, &vec![0; 80_000]).unwrap_err();
//! assert!(error.to_string().contains("its width is 20000, the most that a descriptor can say is 16384"));
//! # let _ = (image_argument, sampler_argument);
//! # Ok(())
//! # }
//! ```

use crate::buffer::Buffer;
use crate::error::{Error, Result};
use crate::launch::Argument;
use crate::{Device, codes};
use machine::state::Images;
use semantics::descriptor::{self, ImageFields, Lines, SamplerFields};
use semantics::format;
pub use semantics::image::Kind;

/// An order of channels: its name, HSA's number, how many components a texel has, and what registers get: 0 and 1 as they are, 4 to 7 the components.
type Order = (&'static str, u32, usize, [u32; 4]);

/// Orders of channels. What registers get is as in ROCm's image_lut_kv.cpp.
const ORDERS: [Order; 14] = [
    ("a", 0, 1, [0, 0, 0, 4]),
    ("r", 1, 1, [4, 0, 0, 1]),
    ("rg", 3, 2, [4, 5, 0, 1]),
    ("ra", 5, 2, [4, 0, 0, 5]),
    ("rgb", 6, 3, [6, 5, 4, 1]),
    ("rgba", 8, 4, [4, 5, 6, 7]),
    ("bgra", 9, 4, [6, 5, 4, 7]),
    ("argb", 10, 4, [5, 6, 7, 4]),
    ("abgr", 11, 4, [5, 4, 7, 6]),
    ("srgba", 14, 4, [4, 5, 6, 7]),
    ("sbgra", 15, 4, [6, 5, 4, 7]),
    ("intensity", 16, 1, [4, 4, 4, 4]),
    ("luminance", 17, 1, [4, 4, 4, 1]),
    ("depth", 18, 1, [4, 0, 0, 0]),
];

/// A type of channels: its name, HSA's number, the width of a channel or those of a texel's components from the highest one down, and AMD's name of what they are.
type ChannelType = (&'static str, u32, &'static str, &'static str);

/// Types of channels.
const TYPES: [ChannelType; 15] = [
    ("snorm8", 0, "8", "SNORM"),
    ("snorm16", 1, "16", "SNORM"),
    ("unorm8", 2, "8", "UNORM"),
    ("unorm16", 3, "16", "UNORM"),
    ("unorm555", 5, "1_5_5_5", "UNORM"),
    ("unorm565", 6, "5_6_5", "UNORM"),
    ("unorm101010", 7, "2_10_10_10", "UNORM"),
    ("s8", 8, "8", "SINT"),
    ("s16", 9, "16", "SINT"),
    ("s32", 10, "32", "SINT"),
    ("u8", 11, "8", "UINT"),
    ("u16", 12, "16", "UINT"),
    ("u32", 13, "32", "UINT"),
    ("f16", 14, "16", "FLOAT"),
    ("f32", 15, "32", "FLOAT"),
];

/// Kinds of images by their names.
const KINDS: [(&str, Kind); 6] = [
    ("1d", Kind::D1),
    ("2d", Kind::D2),
    ("3d", Kind::D3),
    ("cube", Kind::Cube),
    ("1d_array", Kind::D1Array),
    ("2d_array", Kind::D2Array),
];

/// What lies outside of an image, by the numbers that descriptors have (SQ_TEX_CLAMP in mesa's register lists).
const CLAMPS: [(&str, u32); 6] =
    [("repeat", 0), ("mirror", 1), ("edge", 2), ("mirror_edge", 3), ("border", 6), ("mirror_border", 7)];

/// Colours of the border, likewise.
const BORDERS: [(&str, u32); 3] = [("transparent", 0), ("black", 1), ("white", 2)];

/// Order and type of an image's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    order: &'static Order,
    ty: &'static ChannelType,
}

impl Channels {
    /// Those with these names, such as `rgba` and `unorm8`.
    pub fn named(order: &str, ty: &str) -> Option<Channels> {
        let order = ORDERS.iter().find(|known| known.0 == order)?;
        Some(Channels { order, ty: TYPES.iter().find(|known| known.0 == ty)? })
    }

    /// The names of orders.
    pub fn orders() -> impl Iterator<Item = &'static str> {
        ORDERS.iter().map(|order| order.0)
    }

    /// The names of types.
    pub fn types() -> impl Iterator<Item = &'static str> {
        TYPES.iter().map(|ty| ty.0)
    }

    /// AMD's name of the format: widths from the highest component down, and what they are.
    fn format(self) -> (String, &'static str) {
        let (order, _, components, _) = *self.order;
        let (_, _, widths, numbers) = *self.ty;
        let widths = if widths.contains('_') { widths.to_owned() } else { vec![widths; components].join("_") };
        (widths, if order.starts_with('s') && numbers == "UNORM" { "SRGB" } else { numbers })
    }

    fn code(self) -> u32 {
        let (widths, numbers) = self.format();
        format::code(&widths, numbers)
    }

    /// Bytes of a texel.
    pub fn bytes(self) -> usize {
        format::bytes(self.code()) as usize
    }
}

impl std::fmt::Display for Channels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.order.0, self.ty.0)
    }
}

/// The kind of image with a name, such as `2d_array`.
pub fn kind_named(name: &str) -> Option<Kind> {
    KINDS.iter().find(|known| known.0 == name).map(|known| known.1)
}

/// The names of kinds.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.0)
}

/// What an image is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// What kind of image.
    pub kind: Kind,
    /// Its channels.
    pub channels: Channels,
    /// Width, height, and depth or slices (faces of cubes), in texels; 1 where the kind has none.
    pub size: [u32; 3],
}

impl Fields {
    /// Bytes of all texels without gaps.
    pub fn bytes(&self) -> usize {
        self.size.iter().fold(self.channels.bytes(), |bytes, size| bytes.saturating_mul(*size as usize))
    }

    /// The descriptor's words for an image at an address, and how it lies.
    fn describe(&self, device: &Device, base: u64) -> Result<([u32; 8], Lines)> {
        let fields =
            ImageFields { kind: self.kind, format: self.channels.code(), size: self.size, selectors: self.channels.order.3 };
        let images = images_of(device)?;
        if self.kind == Kind::Cube && !self.size[2].is_multiple_of(6) {
            return Err(wrong(&format!("a cube has six faces, or several times six, not {}", self.size[2])));
        }
        let (widths, numbers) = self.channels.format();
        let number = format::code(&widths, numbers);
        if number == 0 || !images.formats.contains(&number) || self.channels.bytes().count_ones() != 1 {
            let help = "rgba, rg and r with unorm8, u8, s32, f16 or f32 are formats that every target with images has";
            let message = format!(
                "{} has no images of {}, which would be the format {widths}_{numbers}",
                device.profile().gfx,
                self.channels
            );
            return Err(Error::plain(codes::IMAGE, message, help));
        }
        descriptor::image(images, &fields, base).map_err(|why| wrong(&why))
    }

    /// The descriptor of such an image whose first texel is at an address, a multiple of 256: what image instructions take, then type and order of channels
    /// and the width, where ROCm's device library looks for them.
    ///
    /// # Errors
    /// The device has no such images.
    pub fn descriptor(&self, device: &Device, address: u64) -> Result<[u32; 12]> {
        let ([a, b, c, d, e, f, g, h], _) = self.describe(device, address)?;
        let ((_, order, ..), (_, ty, ..)) = (*self.channels.order, *self.channels.ty);
        Ok([a, b, c, d, e, f, g, h, ty, order, self.size[0], 0])
    }

    /// How rows lie on a device.
    ///
    /// # Errors
    /// The device has no such images.
    pub fn rows(&self, device: &Device) -> Result<Rows> {
        let (_, lines) = self.describe(device, 0)?;
        Ok(Rows { size: self.size, lines })
    }
}

/// How an image's texels lie in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    size: [u32; 3],
    lines: Lines,
}

impl Rows {
    /// Bytes of device memory.
    pub fn bytes(&self) -> u64 {
        u64::from(self.size[2]) * self.lines.slice
    }

    /// Where each row begins without gaps and in device memory, and its bytes.
    fn all(self) -> impl Iterator<Item = (usize, usize, usize)> {
        let row = u64::from(self.size[0]) * self.lines.texel;
        let place = move |i: u64| {
            let (slice, y) = (i / u64::from(self.size[1]), i % u64::from(self.size[1]));
            ((i * row) as usize, (slice * self.lines.slice + y * self.lines.row) as usize, row as usize)
        };
        (0..u64::from(self.size[1]) * u64::from(self.size[2])).map(place)
    }

    /// Whether texels lie without gaps, as an array's.
    pub fn is_dense(&self) -> bool {
        self.all().all(|(dense, place, _)| dense == place)
    }

    /// Where a byte of the texels without gaps is in device memory.
    pub fn place(&self, byte: usize) -> u64 {
        let row = (u64::from(self.size[0]) * self.lines.texel).max(1);
        let (i, within) = (byte as u64 / row, byte as u64 % row);
        let height = u64::from(self.size[1]).max(1);
        i / height * self.lines.slice + i % height * self.lines.row + within
    }
}

/// An image in device memory.
#[derive(Clone, Debug)]
pub struct Image {
    memory: Buffer<u8>,
    descriptor: Buffer<u8>,
    fields: Fields,
    rows: Rows,
}

impl Image {
    /// An image with these texels, one after the other without gaps.
    ///
    /// # Errors
    /// The device has no such images, or no room; the bytes are not those of so many texels.
    pub fn new(device: &Device, fields: Fields, texels: &[u8]) -> Result<Image> {
        Self::named(device, "", fields, texels)
    }

    /// The same, which diagnostics call by a name.
    ///
    /// # Errors
    /// As [`Image::new`].
    pub fn named(device: &Device, name: &str, fields: Fields, texels: &[u8]) -> Result<Image> {
        let rows = fields.rows(device)?;
        if texels.len() != fields.bytes() {
            let [width, height, depth] = fields.size;
            let message = format!("{width} x {height} x {depth} texels of {} have {} bytes", fields.channels, fields.bytes());
            return Err(wrong(&format!("{message}, and its data {}", texels.len())));
        }
        let memory = Buffer::allocate(device, rows.bytes() as usize, name)?;
        for (from, to, row) in rows.all() {
            memory.slice(to..to + row)?.write(&texels[from..from + row])?;
        }
        Self::in_memory(memory, fields, rows)
    }

    fn in_memory(memory: Buffer<u8>, fields: Fields, rows: Rows) -> Result<Image> {
        let device = memory.device();
        let words = fields.descriptor(device, memory.address())?;
        let words: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        let descriptor = device.named_buffer("image descriptor", &words)?;
        Ok(Image { memory, descriptor, fields, rows })
    }

    /// Another image of the same texels, such as one with another type of channels.
    ///
    /// # Errors
    /// The texels of such an image lie elsewhere.
    pub fn seen_as(&self, fields: Fields) -> Result<Image> {
        let rows = fields.rows(self.memory.device())?;
        let lies = |rows: Rows| (rows.lines.row, rows.lines.slice, rows.bytes(), u64::from(rows.size[0]) * rows.lines.texel);
        if lies(rows) != lies(self.rows) {
            let what = |fields: Fields| {
                format!("{} texels of {}", fields.size.map(|size| size.to_string()).join(" x "), fields.channels)
            };
            return Err(wrong(&format!("{} and {} do not lie alike in memory", what(self.fields), what(fields))));
        }
        Self::in_memory(self.memory.clone(), fields, rows)
    }

    /// Its device memory, with the gaps between rows.
    pub fn memory(&self) -> &Buffer<u8> {
        &self.memory
    }

    /// How its texels lie there.
    pub fn rows(&self) -> Rows {
        self.rows
    }

    /// Its texels without gaps.
    pub fn read(&self) -> Vec<u8> {
        let mut texels = vec![0; self.fields.bytes()];
        self.memory.device().with_memory(|memory| {
            for (to, from, row) in self.rows.all() {
                memory.read(self.memory.address() + from as u64, &mut texels[to..to + row]);
            }
        });
        texels
    }

    /// The address of its descriptor; both live until the launch is over.
    pub fn argument(&self) -> Argument {
        let kind = KINDS.iter().find(|known| known.1 == self.fields.kind).map_or("", |known| known.0);
        Argument::descriptor(&self.descriptor, &format!("a {kind} image"), &[&self.memory])
    }
}

/// How an image is sampled: texels outside of it, whether coordinates count texels, and whether those around a coordinate are weighed. The default takes the
/// nearest texel of an image that repeats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampler(SamplerFields);

impl Sampler {
    /// The same with texels weighed by how near they are.
    pub fn linear(mut self) -> Self {
        self.0.linear = true;
        self
    }

    /// The same with coordinates that count texels, instead of being from 0 to 1.
    pub fn unnormalized(mut self) -> Self {
        self.0.unnormalized = true;
        self
    }

    /// The same with what lies outside along all axes, or with the colour of the border, by one of [`Sampler::clamps`] or [`Sampler::borders`].
    pub fn outside(mut self, name: &str) -> Option<Self> {
        let number = |list: &[(&str, u32)]| list.iter().find(|known| known.0 == name).map(|known| known.1);
        match (number(&CLAMPS), number(&BORDERS)) {
            (Some(clamp), _) => self.0.clamp = [clamp; 3],
            (_, Some(border)) => self.0.border = border,
            _ => return None,
        }
        Some(self)
    }

    /// The names of what may lie outside of an image.
    pub fn clamps() -> impl Iterator<Item = &'static str> {
        CLAMPS.iter().map(|clamp| clamp.0)
    }

    /// The names of colours of the border.
    pub fn borders() -> impl Iterator<Item = &'static str> {
        BORDERS.iter().map(|border| border.0)
    }

    /// Its descriptor on a device: what image instructions take, and zeros up to the size of ROCm's sampler objects.
    ///
    /// # Errors
    /// The device has no samplers.
    pub fn descriptor(&self, device: &Device) -> Result<[u32; 8]> {
        let [a, b, c, d] = descriptor::sampler(images_of(device)?, &self.0).map_err(|why| wrong(&why))?;
        Ok([a, b, c, d, 0, 0, 0, 0])
    }

    /// The address of its descriptor on a device.
    ///
    /// # Errors
    /// The device has no samplers.
    pub fn argument(&self, device: &Device) -> Result<Argument> {
        let bytes: Vec<u8> = self.descriptor(device)?.into_iter().flat_map(u32::to_le_bytes).collect();
        Ok(Argument::descriptor(&device.named_buffer("sampler descriptor", &bytes)?, "a sampler", &[]))
    }
}

/// How the descriptors of a device are laid out.
fn images_of(device: &Device) -> Result<&Images> {
    let found = device.images().as_ref().map_err(|why| wrong(why))?;
    found.as_ref().ok_or_else(|| {
        let profile = device.profile();
        let message = format!("{} ({}) has no image instructions", profile.name, profile.target_name());
        let help = "AMD's GPUs from gfx900 to gfx90a and from gfx1010 to gfx1201 have them: --gpu rx7900xtx";
        Error::plain(codes::IMAGE, message, help)
    })
}

fn wrong(why: &str) -> Error {
    Error::plain(codes::IMAGE, format!("image: {why}"), "`lockstep run --help` says how images are described")
}
