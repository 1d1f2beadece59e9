//! The tensor map: its fields, what they may be, and the 128 bytes that hold them.
//!
//! The vendor's bytes are opaque; these are ours, little-endian, so that a map can be read in a dump and a kernel that is given
//! something else finds out:
//!
//! | bytes | field |
//! | --- | --- |
//! | 0..4 | `tmap` |
//! | 4 | version: 1 |
//! | 5 | how boxes are formed: 0 tiled, 1 im2col, 2 im2col along W, 3 the same with 128 pixels |
//! | 6 | rank less one |
//! | 7 | element type, as in `tensormap.replace` |
//! | 8..16 | global address |
//! | 16..36 | sizes less one, of 32 bits, innermost first |
//! | 36 | interleave, as in `tensormap.replace` |
//! | 37, 38 | swizzle mode and atomicity, as in `tensormap.replace` |
//! | 39 | fill, as in `tensormap.replace` |
//! | 40 | L2 promotion: 0 none, 1 64 bytes, 2 128, 3 256 |
//! | 41..46 | element strides |
//! | 48..80 | strides in bytes, of 64 bits, from dimension 1 on |
//! | 80..90 | tiled: sizes of the box, of 16 bits |
//! | 80..84 | im2col: channels per pixel and pixels per column, of 16 bits |
//! | 84..90, 90..96 | im2col: lower and upper corners, of 16 bits with sign, W first |
//!
//! All other bytes are zero. Fields beyond the rank keep what they are, as `tensormap.replace` changes one after the other;
//! [`TensorMap::decode`] looks at the map as a whole.

use super::{Element, Fill, Interleave, Invalid, MAP_BYTES, MAX_RANK, Promotion, Swizzle, require};

/// The first bytes of every map.
const MAGIC: [u8; 4] = *b"tmap";
const VERSION: u8 = 1;
/// The most elements of a dimension.
const MAX_SIZE: u64 = 1 << 31;
/// Strides are less.
const STRIDE_LIMIT: u64 = 1 << 40;
/// The most elements of a box in a dimension, and the most channels of a pixel.
const MAX_BOX: u32 = 256;
/// The most pixels of a column.
const MAX_PIXELS: u32 = 1024;
/// The greatest element stride.
const MAX_STEP: u32 = 8;
/// Pixels of [`Window::Wide`] with a fixed number of them.
pub const WIDE_PIXELS: u32 = 128;

/// What instructions reach of a tensor at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// A box of so many elements in each dimension; fewer are copied where element strides are above 1.
    Tiled {
        /// Elements, innermost dimension first.
        size: [u32; MAX_RANK],
    },
    /// Pixels of images one after the other, each at the same place of a convolution's filter.
    Im2col {
        /// The least coordinates in W, H and D.
        lower: [i32; 3],
        /// The greatest coordinates in W, H and D, from the image's far corner.
        upper: [i32; 3],
        /// Elements of a pixel; slices where the layout is interleaved.
        channels: u32,
        /// Pixels.
        pixels: u32,
    },
    /// Pixels along W alone.
    Wide {
        /// The least coordinate in W.
        lower: i32,
        /// The greatest coordinate in W, from the image's far edge.
        upper: i32,
        /// Elements of a pixel.
        channels: u32,
        /// Pixels; without meaning if there are 128.
        pixels: u32,
        /// Whether there are always 128, with halos after every 32 (`.im2col::w::128`).
        fixed: bool,
    },
}

/// A tensor in global memory and how instructions reach into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Type of the elements.
    pub element: Element,
    /// Dimensions: 1 to 5.
    pub rank: usize,
    /// Where its first element is.
    pub address: u64,
    /// Elements in each dimension, innermost first; slices in dimension 0 where the layout is interleaved.
    pub sizes: [u64; MAX_RANK],
    /// Bytes from one element to the next in dimensions 1 and so on; in interleaved layouts the first is from one slice to the next.
    pub strides: [u64; MAX_RANK - 1],
    /// How many elements a step along each dimension is.
    pub steps: [u32; MAX_RANK],
    /// What is reached at once.
    pub window: Window,
    /// How channels lie.
    pub interleave: Interleave,
    /// How chunks of shared memory change places.
    pub swizzle: Swizzle,
    /// How much the L2 cache fetches.
    pub promotion: Promotion,
    /// What stands for elements outside of the tensor.
    pub fill: Fill,
}

impl TensorMap {
    /// A map of a tensor that lies dense in memory, row after row, with boxes of `size` elements; innermost dimension first.
    pub fn tiled(element: Element, address: u64, sizes: &[u64], size: &[u32]) -> Self {
        let mut boxed = [1; MAX_RANK];
        boxed.iter_mut().zip(size).for_each(|(to, from)| *to = *from);
        Self::dense(element, address, sizes, Window::Tiled { size: boxed })
    }

    /// A map of a dense tensor of images, C W (H (D)) N, with this window; innermost dimension first.
    pub fn dense(element: Element, address: u64, sizes: &[u64], window: Window) -> Self {
        let mut map = TensorMap {
            element,
            rank: sizes.len(),
            address,
            sizes: [1; MAX_RANK],
            strides: [0; MAX_RANK - 1],
            steps: [1; MAX_RANK],
            window,
            interleave: Interleave::None,
            swizzle: Swizzle::None,
            promotion: Promotion::None,
            fill: Fill::Zero,
        };
        map.sizes.iter_mut().zip(sizes).for_each(|(to, from)| *to = *from);
        map.strides = map.dense_strides();
        map
    }

    /// The strides of a tensor of these sizes without gaps.
    pub fn dense_strides(&self) -> [u64; MAX_RANK - 1] {
        let mut strides = [0; MAX_RANK - 1];
        let used = self.rank.clamp(1, MAX_RANK) - 1;
        match self.interleave.slice() {
            None => {
                let mut bytes = self.sizes[0].saturating_mul(u64::from(self.element.bits())) / 8;
                for (stride, size) in strides.iter_mut().take(used).zip(&self.sizes[1..]) {
                    *stride = bytes;
                    bytes = bytes.saturating_mul(*size);
                }
            }
            // N C/8 D H W 8: after W come H and D, then slices, then images.
            Some(slice) => {
                let mut bytes = self.sizes[1].saturating_mul(u64::from(slice));
                for dimension in (2..used).chain([0]).chain([used]).filter(|_| used >= 2) {
                    strides[dimension.saturating_sub(1)] = bytes;
                    bytes = bytes.saturating_mul(self.sizes[dimension]);
                }
            }
        }
        strides
    }

    /// Bytes of one element of dimension 0 in bits: an element's, or a slice's.
    pub(crate) fn unit_bits(&self) -> u32 {
        self.interleave.slice().map_or(self.element.bits(), |slice| slice * 8)
    }

    /// Elements of dimension 0 that are reached at once.
    pub(crate) fn inner(&self) -> u32 {
        match self.window {
            Window::Tiled { size } => size[0],
            Window::Im2col { channels, .. } | Window::Wide { channels, .. } => channels,
        }
    }

    /// Bytes of shared memory that a row of a box takes, without what swizzling adds.
    pub(crate) fn row_bytes(&self) -> u32 {
        match self.interleave.slice() {
            Some(slice) => slice,
            None => (self.inner() * self.element.bits() / 8) * 16 / self.element.packed(),
        }
    }

    /// Checks every field as the driver's documentation has it, and the manual's restrictions where it says nothing.
    ///
    /// # Errors
    /// The first field that is wrong.
    pub fn check(&self) -> Result<(), Invalid> {
        self.check_rank()?;
        self.check_interleave()?;
        self.check_address()?;
        self.check_sizes()?;
        self.check_strides()?;
        match &self.window {
            Window::Tiled { size } => self.check_box(size)?,
            Window::Im2col { lower, upper, channels, pixels } => {
                self.check_corners(lower, upper)?;
                self.check_pixels(*channels, *pixels)?;
            }
            Window::Wide { lower, upper, channels, pixels, fixed } => {
                self.check_wide(*lower, *upper)?;
                self.check_pixels(*channels, if *fixed { 1 } else { *pixels })?;
            }
        }
        self.check_steps()?;
        self.check_swizzle()?;
        self.check_fill()
    }

    fn check_rank(&self) -> Result<(), Invalid> {
        let rank = self.rank;
        require((1..=MAX_RANK).contains(&rank), || {
            Invalid::new("rank", format!("is {rank}, it must be 1 to 5"), "describe a tensor of 1 to 5 dimensions")
        })?;
        let images = !matches!(self.window, Window::Tiled { .. });
        require(rank >= 3 || !images, || {
            Invalid::new("rank", format!("is {rank}, im2col needs 3, 4 or 5"), "give C, W, (H, (D,)) and N, in this order")
        })?;
        require(rank >= 3 || self.interleave == Interleave::None, || {
            let rule = format!("is {rank}, interleave {} needs 3, 4 or 5", self.interleave.name());
            Invalid::new("rank", rule, "set interleave to none")
        })
    }

    /// What global addresses and strides must be multiples of.
    fn alignment(&self) -> (u64, String) {
        match self.interleave {
            Interleave::Bytes32 => (32, "interleave 32B".to_owned()),
            _ if self.element.is_padded() => (32, format!("type {}", self.element.name())),
            _ => (16, "every tensor map".to_owned()),
        }
    }

    fn check_address(&self) -> Result<(), Invalid> {
        let (alignment, whose) = self.alignment();
        require(self.address.is_multiple_of(alignment), || {
            let rule = format!("is 0x{:x}, {whose} needs a multiple of {alignment}", self.address);
            Invalid::new("global address", rule, "begin the tensor at such an address")
        })
    }

    fn check_sizes(&self) -> Result<(), Invalid> {
        for (i, size) in self.sizes[..self.rank].iter().enumerate() {
            require((1..=MAX_SIZE).contains(size), || {
                Invalid::new(format!("size {i}"), format!("is {size}, it must be 1 to 2^31"), "give the number of elements")
            })?;
        }
        // Slices are whole bytes whatever is in them.
        let multiple = match self.element {
            _ if self.interleave != Interleave::None => 1,
            Element::B4 => 2,
            _ if self.element.is_padded() => 128,
            _ => 1,
        };
        require(self.sizes[0].is_multiple_of(multiple), || {
            let rule = format!("is {}, type {} needs a multiple of {multiple}", self.sizes[0], self.element.name());
            Invalid::new("size 0", rule, "count single elements, and pad the tensor")
        })
    }

    fn check_strides(&self) -> Result<(), Invalid> {
        let (alignment, whose) = self.alignment();
        for (i, stride) in self.strides[..self.rank - 1].iter().enumerate() {
            let place = || format!("stride {i}");
            require(stride.is_multiple_of(alignment), || {
                let rule = format!("is {stride} bytes, {whose} needs a multiple of {alignment}");
                Invalid::new(place(), rule, "pad the dimension below it")
            })?;
            require(*stride < STRIDE_LIMIT, || {
                Invalid::new(place(), format!("is {stride} bytes, it must be less than 2^40"), "give strides in bytes")
            })?;
        }
        Ok(())
    }

    fn check_box(&self, size: &[u32; MAX_RANK]) -> Result<(), Invalid> {
        for (i, elements) in size[..self.rank].iter().enumerate() {
            require((1..=MAX_BOX).contains(elements), || {
                let rule = format!("is {elements}, it must be 1 to {MAX_BOX}");
                Invalid::new(format!("box {i}"), rule, "copy a larger box in parts")
            })?;
        }
        self.check_inner("box 0")
    }

    /// What both boxes and pixels must be in dimension 0.
    fn check_inner(&self, place: &str) -> Result<(), Invalid> {
        let inner = self.inner();
        require(!self.element.is_padded() || inner == 128, || {
            let rule = format!("is {inner}, type {} needs 128", self.element.name());
            Invalid::new(place, rule, "copy 128 elements at once")
        })?;
        let bits = inner * self.element.bits();
        require(self.interleave != Interleave::None || bits.is_multiple_of(128) || self.element.is_padded(), || {
            let of = format!("{inner} elements of type {}", self.element.name());
            let bytes = f64::from(bits) / 8.0;
            Invalid::new(
                place,
                format!("is {of}, {bytes} bytes; it must be a multiple of 16 bytes"),
                "change it to such a number",
            )
        })
    }

    fn check_corners(&self, lower: &[i32; 3], upper: &[i32; 3]) -> Result<(), Invalid> {
        let spatial = self.rank - 2;
        let half = 1 << [15, 7, 4][spatial - 1];
        for i in 0..spatial {
            let axis = AXES[i];
            for (which, corner) in [("lower", lower[i]), ("upper", upper[i])] {
                require((-half..half).contains(&corner), || {
                    let rule = format!("is {corner}, with {} dimensions it must be {} to {}", self.rank, -half, half - 1);
                    Invalid::new(format!("{which} corner {axis}"), rule, "give it as a distance from the image's corner")
                })?;
            }
            self.check_extent(i, lower[i], upper[i])?;
        }
        Ok(())
    }

    /// The box between the corners holds a pixel.
    fn check_extent(&self, i: usize, lower: i32, upper: i32) -> Result<(), Invalid> {
        let (axis, last) = (AXES[i], self.sizes[i + 1] as i64 - 1 + i64::from(upper));
        require(last >= i64::from(lower), || {
            let rule = format!("is {upper}: the box would end at {last} and begin at {lower}");
            Invalid::new(format!("upper corner {axis}"), rule, "leave at least one pixel between the corners")
        })
    }

    fn check_wide(&self, lower: i32, upper: i32) -> Result<(), Invalid> {
        for (which, corner) in [("lower", lower), ("upper", upper)] {
            require((-32768..32768).contains(&corner), || {
                let rule = format!("is {corner}, it must be -32768 to 32767");
                Invalid::new(format!("{which} corner W"), rule, "give it as a distance from the image's edge")
            })?;
        }
        self.check_extent(0, lower, upper)?;
        require(self.interleave == Interleave::None, || {
            let rule = format!("is {}, im2col along W needs none", self.interleave.name());
            Invalid::new("interleave", rule, "use im2col, or another layout")
        })
    }

    fn check_pixels(&self, channels: u32, pixels: u32) -> Result<(), Invalid> {
        require((1..=MAX_BOX).contains(&channels), || {
            let rule = format!("is {channels}, it must be 1 to {MAX_BOX}");
            Invalid::new("channels per pixel", rule, "copy more channels in parts")
        })?;
        require((1..=MAX_PIXELS).contains(&pixels), || {
            let rule = format!("is {pixels}, it must be 1 to {MAX_PIXELS}");
            Invalid::new("pixels per column", rule, "copy more pixels in parts")
        })?;
        self.check_inner("channels per pixel")
    }

    fn check_steps(&self) -> Result<(), Invalid> {
        // Dimension 0 has no stride of elements unless it counts slices.
        let first = usize::from(self.interleave == Interleave::None);
        for i in first..self.rank {
            let step = self.steps[i];
            require((1..=MAX_STEP).contains(&step), || {
                let rule = format!("is {step}, it must be 1 to {MAX_STEP}");
                Invalid::new(format!("element stride {i}"), rule, "give 1 to take every element")
            })?;
        }
        Ok(())
    }

    fn check_interleave(&self) -> Result<(), Invalid> {
        let name = self.interleave.name();
        // The driver says so of 6 bits; 4 bits with padding have no place in slices of 16 bytes either.
        require(self.interleave == Interleave::None || !self.element.is_padded(), || {
            let rule = format!("is {name}, type {} needs none", self.element.name());
            Invalid::new("interleave", rule, "set it to none")
        })?;
        require(self.interleave != Interleave::Bytes32 || self.swizzle == Swizzle::B32, || {
            let rule = format!("is {}, interleave {name} needs 32B", self.swizzle.name());
            Invalid::new("swizzle", rule, "set it to 32B")
        })
    }

    fn check_swizzle(&self) -> Result<(), Invalid> {
        use Swizzle::{B64, B96, B128, B128Atom32, B128Atom64, None};
        let (name, wide) = (self.swizzle.name(), matches!(self.window, Window::Wide { .. }));
        let among = |allowed: &[Swizzle], whose: &str| {
            require(allowed.contains(&self.swizzle), || {
                let names: Vec<&str> = allowed.iter().map(|s| s.name()).collect();
                Invalid::new("swizzle", format!("is {name}, {whose} takes {}", names.join(", ")), "choose one of these")
            })
        };
        if wide {
            let fixed = matches!(self.window, Window::Wide { fixed: true, .. });
            let allowed: &[Swizzle] = if fixed { &[B64, B128, B128Atom32] } else { &[B64, B96, B128, B128Atom32] };
            among(allowed, "im2col along W")?;
        }
        match (self.element, wide) {
            (Element::B6Padded, false) => among(&[None, B128, B128Atom32, B128Atom64], "type b6x16_p32")?,
            (Element::B6Padded, true) => among(&[B64, B128, B128Atom32], "type b6x16_p32")?,
            (Element::B4Padded, _) => among(&[None, B128, B128Atom32], "type b4x16_p64")?,
            _ => {}
        }
        require(self.swizzle != B96 || self.interleave == Interleave::None, || {
            Invalid::new("swizzle", "is 96B, which interleaved layouts do not take", "set interleave to none")
        })?;
        let (Interleave::None, Some(span)) = (self.interleave, self.swizzle.span()) else { return Ok(()) };
        let row = self.row_bytes();
        require(row <= span || self.element == Element::B6Padded && self.swizzle == B64, || {
            let rule = format!("is {name}, which takes rows of at most {span} bytes; a row has {row}");
            Invalid::new("swizzle", rule, "make the box narrower in dimension 0, or take a wider swizzle")
        })
    }

    fn check_fill(&self) -> Result<(), Invalid> {
        require(self.fill == Fill::Zero || self.element.is_float(), || {
            let rule = format!("is nan, which type {} has not", self.element.name());
            Invalid::new("fill", rule, "fill with zero, or use a floating-point type")
        })
    }

    /// The map as its 128 bytes.
    ///
    /// # Errors
    /// The first field that is wrong.
    pub fn encode(&self) -> Result<[u8; MAP_BYTES], Invalid> {
        self.check()?;
        let mut bytes = Bytes([0; MAP_BYTES]);
        bytes.put_head();
        bytes.put(6, &[self.rank as u8 - 1, self.element as u8]);
        bytes.put(8, &self.address.to_le_bytes());
        for (i, size) in self.sizes.iter().enumerate() {
            bytes.put(16 + 4 * i, &(size.wrapping_sub(1) as u32).to_le_bytes());
        }
        let (mode, atomicity) = self.swizzle.numbers();
        bytes.put(36, &[self.interleave as u8, mode, atomicity, self.fill as u8, self.promotion as u8]);
        bytes.put(41, &self.steps.map(|step| step as u8));
        for (i, stride) in self.strides.iter().enumerate() {
            bytes.put(48 + 8 * i, &stride.to_le_bytes());
        }
        match self.window {
            Window::Tiled { size } => size.iter().enumerate().for_each(|(i, n)| bytes.half(80 + 2 * i, *n as u16)),
            Window::Im2col { lower, upper, channels, pixels } => bytes.put_pixels(1, channels, pixels, lower, upper),
            Window::Wide { lower, upper, channels, pixels, fixed } => {
                bytes.put_pixels(2 + u8::from(fixed), channels, pixels, [lower, 0, 0], [upper, 0, 0]);
            }
        }
        Ok(bytes.0)
    }

    /// The map that 128 bytes hold.
    ///
    /// # Errors
    /// They hold none, or the first field that is wrong.
    pub fn decode(bytes: &[u8; MAP_BYTES]) -> Result<TensorMap, Invalid> {
        let bytes = Bytes(*bytes);
        bytes.check_head()?;
        let [kind, rank, element] = [bytes.0[5], bytes.0[6], bytes.0[7]];
        let [interleave, mode, atomicity, fill, promotion] = [36, 37, 38, 39, 40].map(|at| bytes.0[at]);
        let swizzle = Swizzle::of(mode, atomicity).ok_or_else(|| {
            let rule = format!("has mode {mode} and atomicity {atomicity}, which do not go together");
            Invalid::new("swizzle", rule, "only mode 3, 128 bytes, has atomicities other than 0")
        })?;
        let corners = |at: usize| [0, 2, 4].map(|i| i32::from(bytes.half_at(at + i) as i16));
        let [channels, pixels] = [80, 82].map(|at| u32::from(bytes.half_at(at)));
        let window = match kind {
            0 => Window::Tiled { size: [80, 82, 84, 86, 88].map(|at| u32::from(bytes.half_at(at))) },
            1 => Window::Im2col { lower: corners(84), upper: corners(90), channels, pixels },
            2 | 3 => Window::Wide { lower: corners(84)[0], upper: corners(90)[0], channels, pixels, fixed: kind == 3 },
            _ => return Err(unknown("kind", kind)),
        };
        let map = TensorMap {
            element: Element::of(element.into()).ok_or_else(|| unknown(Element::WHAT, element))?,
            rank: usize::from(rank) + 1,
            address: bytes.long_at(8),
            sizes: [16, 20, 24, 28, 32].map(|at| u64::from(bytes.word_at(at)) + 1),
            strides: [48, 56, 64, 72].map(|at| bytes.long_at(at)),
            steps: [41, 42, 43, 44, 45].map(|at| u32::from(bytes.0[at])),
            window,
            interleave: Interleave::of(interleave.into()).ok_or_else(|| unknown(Interleave::WHAT, interleave))?,
            swizzle,
            promotion: Promotion::of(promotion.into()).ok_or_else(|| unknown(Promotion::WHAT, promotion))?,
            fill: Fill::of(fill.into()).ok_or_else(|| unknown(Fill::WHAT, fill))?,
        };
        map.check()?;
        Ok(map)
    }
}

/// The spatial dimensions, from dimension 1 on.
pub(crate) const AXES: [&str; 3] = ["W", "H", "D"];

fn unknown(what: &str, number: u8) -> Invalid {
    Invalid::new(what, format!("is number {number}, which means nothing"), "encode the map again")
}

/// The bytes of a map, by place.
pub(super) struct Bytes(pub(super) [u8; MAP_BYTES]);

impl Bytes {
    pub(super) fn put(&mut self, at: usize, bytes: &[u8]) {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
    }

    pub(super) fn half(&mut self, at: usize, value: u16) {
        self.put(at, &value.to_le_bytes());
    }

    fn put_pixels(&mut self, kind: u8, channels: u32, pixels: u32, lower: [i32; 3], upper: [i32; 3]) {
        self.put(5, &[kind]);
        self.half(80, channels as u16);
        self.half(82, pixels as u16);
        for i in 0..3 {
            self.half(84 + 2 * i, lower[i] as u16);
            self.half(90 + 2 * i, upper[i] as u16);
        }
    }

    fn half_at(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }

    fn word_at(&self, at: usize) -> u32 {
        u32::from(self.half_at(at)) | u32::from(self.half_at(at + 2)) << 16
    }

    fn long_at(&self, at: usize) -> u64 {
        u64::from(self.word_at(at)) | u64::from(self.word_at(at + 4)) << 32
    }

    /// Makes them those of a map.
    pub(super) fn put_head(&mut self) {
        self.put(0, &MAGIC);
        self.put(4, &[VERSION]);
    }

    /// Whether they are those of a map at all.
    pub(super) fn check_head(&self) -> Result<(), Invalid> {
        require(self.0[..4] == MAGIC && self.0[4] == VERSION, || {
            Invalid::new(
                "tensor map",
                "is none: its 128 bytes do not begin as one",
                "pass the map by value in a .param of 128 bytes and take its address, or copy it to global memory first",
            )
        })
    }
}
