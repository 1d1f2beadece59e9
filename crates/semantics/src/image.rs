//! AMD's images: where a resource descriptor says that texels are, and loads, stores and questions about them. What samplers do is `sample`'s.
//!
//! A resource (T#) is eight scalar registers, four of them where the instruction says `r128`; which bits mean what is data of the table
//! (`isa/amdgpu/words.isa`, `fields image_resource`). Linear images are executed, with all their levels and slices; of swizzled ones those of two coordinates
//! and one level, where a texel's place in its block depends on its coordinates alone (`names image_swizzles`). How pipes and banks of a device change
//! addresses, and where small levels lie together, is not known here: a resource with that is a fault. Texels that do not exist are read as zero and
//! not written; an address outside of any allocation is a fault as for other accesses.
//!
//! Follows mesa's descriptions of registers and ROCm's structures of resources, and for how levels and blocks follow one another AMD's addrlib
//! (HwlComputeSurfaceInfoLinear and ComputeSurfaceAddrFromCoordMacroTiled of gfx9, gfx10, gfx11, gfx12); not held against the chapters on images of AMD's ISA guides yet.

use crate::buffer::Elements;
use crate::format::{self, Format, Words};
use crate::{Function, group};
use machine::row::host_has_avx2;
use machine::state::{FaultKind, Images, lanes};
use machine::{FULL, Group, Handler, LANES, Op, Step, Type, op::NONE};
use numerics::F16;
use std::cell::Cell;

/// The fields of a resource, in the order of `Images::resource`.
pub const RESOURCE: [&str; 14] = [
    "base",
    "min_lod",
    "format",
    "width",
    "height",
    "dst_sel",
    "base_level",
    "last_level",
    "max_mip",
    "sw_mode",
    "type",
    "depth",
    "pitch",
    "base_array",
];

/// What an instruction says besides its operands: the bits of `Op::imm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings(pub u32);

impl Settings {
    /// The instruction names the dimension (from gfx10 on).
    pub const HAS_DIM: u32 = 1 << 7;
    /// Coordinates of a sample are texels.
    pub const UNORM: u32 = 1 << 8;
    /// Coordinates have 16 bits.
    pub const A16: u32 = 1 << 9;
    /// Data have 16 bits, two to a register.
    pub const D16: u32 = 1 << 10;
    /// Arrays have a coordinate for the slice (gfx9).
    pub const DA: u32 = 1 << 12;
    /// The resource has four registers.
    pub const R128: u32 = 1 << 13;
    /// Gradients have 16 bits.
    pub const G16: u32 = 1 << 14;
    /// A level is behind the coordinates.
    pub const LEVEL: u32 = 1 << 15;
    /// Texels are moved as they lie in memory.
    pub const RAW: u32 = 1 << 16;
    /// Their signs are extended.
    pub const SIGNED: u32 = 1 << 17;
    /// Offsets of texels come first.
    pub const OFFSETS: u32 = 1 << 18;
    /// A bias of the level of detail.
    pub const BIAS: u32 = 1 << 19;
    /// A depth to compare with.
    pub const COMPARE: u32 = 1 << 20;
    /// Gradients.
    pub const GRADIENTS: u32 = 1 << 21;
    /// The level is the least level of detail.
    pub const CLAMP: u32 = 1 << 22;
    /// The level of detail is zero.
    pub const ZERO: u32 = 1 << 23;

    /// Whether one of these bits is set.
    pub fn has(self, bits: u32) -> bool {
        self.0 & bits != 0
    }

    pub(crate) fn of(op: &Op) -> Settings {
        Settings(op.imm as u32)
    }

    /// Components that are moved, by their numbers.
    pub(crate) fn components(self) -> impl Iterator<Item = usize> {
        lanes(self.0 & 15)
    }
}

/// What kind of image: the numbers that resources have for them, less 8, and those of the modifier `dim`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One row.
    D1,
    /// Rows.
    D2,
    /// Slices between which coordinates lie, too.
    D3,
    /// Six faces.
    Cube,
    /// Rows, each an image of its own.
    D1Array,
    /// Slices, each an image of its own.
    D2Array,
    /// Rows of texels that have several samples.
    D2Msaa,
    /// Slices of such rows.
    D2MsaaArray,
}

impl Kind {
    fn of(number: u32) -> Kind {
        use Kind::{Cube, D1, D1Array, D2, D2Array, D2Msaa, D2MsaaArray, D3};
        [D1, D2, D3, Cube, D1Array, D2Array, D2Msaa, D2MsaaArray][number as usize & 7]
    }

    /// Coordinates within a slice.
    pub(crate) fn plane(self) -> usize {
        match self {
            Kind::D1 | Kind::D1Array => 1,
            Kind::D3 => 3,
            _ => 2,
        }
    }

    pub(crate) fn has_slices(self) -> bool {
        matches!(self, Kind::Cube | Kind::D1Array | Kind::D2Array | Kind::D2MsaaArray)
    }

    fn has_samples(self) -> bool {
        matches!(self, Kind::D2Msaa | Kind::D2MsaaArray)
    }
}

/// A resource descriptor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Image {
    base: u64,
    pub(crate) format: Format,
    pub(crate) kind: Kind,
    /// Texels of the first level.
    size: [u32; 3],
    /// The first slice, and the number of slices behind which there is none.
    slices: [u32; 2],
    /// The first level and the last one.
    pub(crate) levels: [u32; 2],
    /// Levels that lie in memory.
    stored_levels: u32,
    /// What the field for the pitch holds, if there is one.
    pitch: Option<u32>,
    selectors: u32,
    layout: u8,
    /// The blocks that texels lie in, if the image is not linear.
    block: Option<Block>,
    /// The least level of detail, in 256ths.
    pub(crate) min_lod: u32,
}

/// Blocks of texels.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// Which bit (second) of which coordinate (first) each bit of an address is, above those within a texel: so many.
    bits: [(u8, u8); 18],
    count: usize,
    /// Logarithms of a texel's bytes, and of the texels along x and y.
    texel: u32,
    size: [u32; 2],
}

impl Block {
    /// The blocks of a swizzle mode, if they are known.
    fn of(images: &Images, mode: u32, bytes: u64) -> Option<Block> {
        let texel = bytes.is_power_of_two().then(|| bytes.ilog2())?;
        let list = images.blocks.get(mode as usize)?.get(texel as usize)?;
        let mut bits = [(0, 0); 18];
        bits.get_mut(..list.len()).filter(|bits| !bits.is_empty())?.copy_from_slice(list);
        let along = |axis: u8| list.iter().filter(|bit| bit.0 == axis).count() as u32;
        Some(Block { bits, count: list.len(), texel, size: [along(0), along(1)] })
    }

    fn bytes(&self) -> u64 {
        1 << (self.count as u32 + self.texel)
    }

    /// Where texels are in their blocks.
    fn within(&self, texels: &[[u32; LANES]; 3]) -> [u32; LANES] {
        let mut within = [0; LANES];
        for (to, (axis, from)) in (self.texel..).zip(&self.bits[..self.count]) {
            let row = &texels[usize::from(*axis) & 1];
            within.iter_mut().zip(row).for_each(|(within, at)| *within |= (at.wrapping_shr(u32::from(*from)) & 1) << to);
        }
        within
    }
}

/// Bits of a descriptor in registers.
fn field(words: &[u32; 8], runs: &[(u32, u32)]) -> u64 {
    let word = |at: u32| u64::from(words.get(at as usize).copied().unwrap_or(0));
    // A run lies in two words, or in three of which the third has its highest bits.
    let run = |first: u32| {
        let (at, shift) = (first / 32, first % 32);
        (word(at) | word(at + 1) << 32) >> shift | if shift == 0 { 0 } else { word(at + 2) << (64 - shift) }
    };
    let part = |&(first, count): &(u32, u32)| run(first) & ((1 << count) - 1);
    match runs {
        [one] => part(one),
        several => several.iter().rev().fold(0, |value, one| value << one.1 | part(one)),
    }
}

/// Puts a value into a field of a descriptor; nothing if it has too few bits.
pub(crate) fn place(words: &mut [u32; 8], runs: &[(u32, u32)], value: u64) -> Option<()> {
    let mut rest = value;
    for bit in runs.iter().flat_map(|&(first, count)| first..first + count) {
        *words.get_mut(bit as usize / 32)? |= (rest as u32 & 1) << (bit % 32);
        rest >>= 1;
    }
    (rest == 0).then_some(())
}

/// The fields of a descriptor in registers; none where the target's has no such field.
pub(crate) fn fields<const N: usize>(words: &[u32; 8], layout: &[Vec<(u32, u32)>]) -> [Option<u64>; N] {
    std::array::from_fn(|i| layout.get(i).filter(|runs| !runs.is_empty()).map(|runs| field(words, runs)))
}

/// The descriptor that a thread decoded last, since most instructions of a kernel have the one that those before them had.
pub(crate) struct Decoded<T>(Cell<Option<(u64, [u32; 8], T)>>);

impl<T: Copy> Decoded<T> {
    pub(crate) const fn new() -> Self {
        Decoded(Cell::new(None))
    }

    /// What words mean as a layout with a number of its own has them.
    pub(crate) fn get(&self, serial: u64, words: &[u32; 8], decode: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        match self.0.get() {
            Some((known, of, value)) if serial != 0 && known == serial && of == *words => Ok(value),
            _ => decode().inspect(|value| self.0.set(Some((serial, *words, *value)))),
        }
    }
}

impl Image {
    /// Reads the descriptor of an op in the cells `src[0]`.
    pub(crate) fn read(g: &Group, op: &Op) -> Result<Image, String> {
        let count = if Settings::of(op).has(Settings::R128) { 4 } else { 8 };
        let words = std::array::from_fn(|i| if i < count { g.predicate(op.src[0] + 4 * i as u32) } else { 0 });
        thread_local!(static DECODED: Decoded<Image> = const { Decoded::new() });
        let images = &g.launch.tables.images;
        DECODED.with(|decoded| decoded.get(images.serial, &words, || Image::of(&words, images)))
    }

    /// What a descriptor of a target describes.
    pub(crate) fn of(words: &[u32; 8], images: &Images) -> Result<Image, String> {
        // As `RESOURCE` has them.
        let [
            base,
            min_lod,
            format,
            width,
            height,
            selectors,
            base_level,
            last_level,
            max_mip,
            mode,
            kind,
            depth,
            pitch,
            base_array,
        ]: [Option<u64>; RESOURCE.len()] = fields(words, &images.resource);
        let number = |field: Option<u64>| field.unwrap_or(0) as u32;
        let (kind, mode, format) = (number(kind), number(mode), number(format));
        if kind < 8 {
            return Err(format!("its image descriptor has the type {kind}, which no image has: those of images are 8 to 15"));
        }
        let kind = Kind::of(kind - 8);
        let known = images.formats.get(format as usize).and_then(|code| Format::of(*code));
        let format = known.ok_or_else(|| format!("its image has format {format}, which is none or not executable yet"))?;
        let height = if kind.plane() > 1 { number(height) + 1 } else { 1 };
        let has_depth = kind == Kind::D3 || kind.has_slices();
        let depth = if has_depth { number(depth) + 1 } else { 1 };
        let has_pitch = images.layout == 0 || !has_depth && pitch.is_some();
        let levels = if kind.has_samples() { [0; 2] } else { [base_level, last_level].map(number) };
        if kind.has_samples() && number(last_level) > 0 {
            return Err("its image has several samples, which is not executable yet: linear images have one".into());
        }
        let block = if mode == 0 { None } else { Block::of(images, mode, format.bytes()) };
        let refused = match (mode, block) {
            (0, _) => "",
            (_, None) => "linear images are, and blocks whose addresses no pipes and banks change",
            _ if !matches!(kind, Kind::D2 | Kind::D2Array) => {
                "of images in blocks those of two coordinates are, and arrays of them"
            }
            _ if number(last_level) > 0 || number(max_mip) > 0 => "of images in blocks those of one level are",
            _ => "",
        };
        if !refused.is_empty() {
            return Err(format!("its image is laid out in swizzle mode {mode}, which is not executable yet: {refused}"));
        }
        Ok(Image {
            base: base.unwrap_or(0) << 8,
            format,
            kind,
            size: [number(width) + 1, height, if kind == Kind::D3 { depth } else { 1 }],
            slices: if kind.has_slices() { [number(base_array), depth] } else { [0, 1] },
            levels,
            stored_levels: number(max_mip).max(levels[1]) + 1,
            pitch: has_pitch.then_some(number(pitch)),
            selectors: number(selectors),
            layout: images.layout,
            block,
            min_lod: number(min_lod),
        })
    }

    /// Texels of a level of the image.
    pub(crate) fn size_of(&self, level: u32) -> [u32; 3] {
        self.size.map(|size| (size >> level.min(31)).max(1))
    }

    /// Slices that an instruction sees.
    pub(crate) fn slice_count(&self) -> u32 {
        self.slices[1].saturating_sub(self.slices[0])
    }

    /// What is told of the size of a level, counted from the first one: width, height, depth or slices, and the number of levels.
    fn answer(&self, level: u32) -> [u32; 4] {
        let count = (self.levels[1] + 1).saturating_sub(self.levels[0]);
        if level >= count {
            return [0, 0, 0, count];
        }
        let [width, height, depth] = self.size_of(self.levels[0] + level);
        match self.kind {
            Kind::D1 => [width, 0, 0, count],
            Kind::D2 | Kind::D2Msaa => [width, height, 0, count],
            Kind::D3 => [width, height, depth, count],
            Kind::D1Array => [width, 0, self.slice_count(), count],
            Kind::Cube | Kind::D2Array | Kind::D2MsaaArray => [width, height, self.slice_count(), count],
        }
    }

    /// Where rows of so many texels begin.
    pub(crate) fn row(&self, texels: u32, multiple: u64) -> u64 {
        (u64::from(texels) * self.format.bytes()).next_multiple_of(multiple)
    }

    /// What the bytes of a row are a multiple of.
    pub(crate) fn row_multiple(&self) -> u64 {
        if self.layout == 2 { 128 } else { 256 }
    }

    /// Bytes of a row of a level (of its blocks, where it has some), where the level begins in its slice, and bytes of a slice.
    pub(crate) fn lines(&self, level: u32) -> (u64, u64, u64) {
        let bytes = self.format.bytes();
        if let Some(block) = &self.block {
            let [width, height, _] = self.size;
            let texels = if self.layout == 0 { u64::from(self.pitch.unwrap_or(0)) + 1 } else { width.into() };
            let row = texels.div_ceil(1 << block.size[0]) * block.bytes();
            return (row, 0, row * u64::from(height).div_ceil(1 << block.size[1]));
        }
        if self.layout == 0 {
            let several = self.stored_levels > 1;
            // With several levels the field tells how many rows they have together, in images of more than one dimension.
            let pitch = u64::from(self.pitch.unwrap_or(0)) + 1;
            let rows = |levels: u32| {
                (0..levels).fold((0, u64::from(self.size[1])), |(sum, height), _| (sum + height, height.div_ceil(2))).0
            };
            if several && self.kind.plane() > 1 {
                let row = self.row(self.size[0], 256);
                return (row, row * rows(level), row * pitch);
            }
            let row = pitch * bytes;
            return (row, row * rows(level), row * rows(self.stored_levels));
        }
        let least = self.row_multiple();
        let part = |level: u32| {
            let [width, height, _] = self.size_of(level);
            self.row(width, 256) * u64::from(height)
        };
        let begin = (level + 1..self.stored_levels).map(part).sum();
        let row = self.row(self.size_of(level)[0], least);
        if self.stored_levels == 1 {
            let row = row.max(self.pitch.map_or(0, |pitch| (u64::from(pitch) + 1) * bytes));
            let slice = if self.layout == 1 { row * u64::from(self.size[1]) } else { part(0) };
            return (row, 0, slice);
        }
        (row, begin, (0..self.stored_levels).map(part).sum())
    }

    /// What addresses of a level's texels need.
    fn level(&self, level: u32) -> Level {
        if !(self.levels[0]..=self.levels[1]).contains(&level) {
            return Level { size: [0; 3], row: 0, begin: 0, slice: 0 };
        }
        let (row, begin, slice) = self.lines(level);
        Level { size: self.size_of(level), row, begin, slice }
    }

    /// The texels of the lanes of `active` that exist, and where.
    #[inline(always)]
    pub(crate) fn elements(&self, at: &Coordinates, active: u32) -> Elements {
        let mut found = Elements { active, exist: 0, addresses: [0; LANES] };
        let Some(first) = lanes(active).next() else { return found };
        let level = self.level(at.level[first]);
        if at.level.iter().all(|other| *other == at.level[first]) {
            self.on_level(at, &level, &mut found);
            return found;
        }
        for lane in lanes(active) {
            let mut one = Elements { active: 1 << lane, ..found };
            self.on_level(at, &self.level(at.level[lane]), &mut one);
            (found.exist, found.addresses[lane]) = (found.exist | one.exist, one.addresses[lane]);
        }
        found
    }

    /// The same of texels of one level, for all lanes at once.
    #[inline(always)]
    fn on_level(&self, at: &Coordinates, level: &Level, found: &mut Elements) {
        let [x, y, z] = &at.texel;
        let begin = self.base.wrapping_add(level.begin).wrapping_add(u64::from(self.slices[0]).wrapping_mul(level.slice));
        // Rows, also those of blocks, are shorter than 2^32 bytes, which makes products of words.
        let (row, bytes) = (level.row as u32, self.format.bytes() as u32);
        if let Some(block) = &self.block {
            let within = block.within(&at.texel);
            for lane in 0..LANES {
                let (across, down) = (u64::from(x[lane] >> block.size[0]), u64::from(y[lane] >> block.size[1]));
                let first = down * u64::from(row) + across * block.bytes();
                found.addresses[lane] = begin.wrapping_add(first).wrapping_add(within[lane].into());
            }
        } else {
            for lane in 0..LANES {
                let within = u64::from(y[lane]) * u64::from(row) + u64::from(x[lane]) * u64::from(bytes);
                found.addresses[lane] = begin.wrapping_add(within);
            }
        }
        let mut inside: [bool; LANES] =
            std::array::from_fn(|lane| (x[lane] < level.size[0]) & (y[lane] < level.size[1]) & (z[lane] < level.size[2]));
        if self.kind == Kind::D3 || self.kind.has_slices() {
            let slices = self.slice_count();
            for lane in 0..LANES {
                let slice = u64::from(at.slice[lane]) + u64::from(z[lane]);
                found.addresses[lane] = found.addresses[lane].wrapping_add(slice.wrapping_mul(level.slice));
                inside[lane] &= at.slice[lane] < slices;
            }
        }
        found.exist = found.active & inside.iter().rev().fold(0, |mask, inside| mask << 1 | u32::from(*inside));
    }

    /// The components of texels that a store leaves: those that the descriptor selects for registers, the other way; zero where it selects none.
    #[inline(always)]
    fn unselect(&self, values: &[[u32; LANES]; 4]) -> [[u32; LANES]; 4] {
        let selects = |i: usize| self.selectors >> (3 * i) & 7;
        std::array::from_fn(|component| (0..4).find(|i| selects(*i) == 4 + component as u32).map_or([0; LANES], |i| values[i]))
    }

    /// The components of texels that registers get, as the descriptor selects them.
    #[inline(always)]
    pub(crate) fn select(&self, components: &[[u32; LANES]; 4], half: bool) -> [[u32; LANES]; 4] {
        format::selected(self.format, self.selectors, components, half)
    }
}

/// What addresses of a level's texels need: its size, nothing of one that does not exist, the bytes of a row and of a slice, and where in that it begins.
struct Level {
    size: [u32; 3],
    row: u64,
    begin: u64,
    slice: u64,
}

/// Texels of lanes: coordinates within slices, zero for those that the image does not have, slices and levels.
pub(crate) struct Coordinates {
    pub(crate) texel: [[u32; LANES]; 3],
    pub(crate) slice: [u32; LANES],
    pub(crate) level: [u32; LANES],
}

/// The words of an address: a register for each, or for two.
pub(crate) struct Address<'a> {
    rows: &'a [u32],
    next: usize,
}

impl<'a> Address<'a> {
    pub(crate) fn read(g: &Group<'a>, op: &Op) -> Address<'a> {
        let list = op.src[1] as usize;
        Address { rows: &g.launch.tables.offsets[list..list + op.src[3] as usize], next: 0 }
    }

    /// The next word.
    ///
    /// # Errors
    /// The kernel has no registers there.
    pub(crate) fn word(&mut self, g: &Group) -> Result<[u32; LANES], String> {
        let at = self.rows.get(self.next).ok_or("its address needs more registers than the kernel has")?;
        self.next += 1;
        Ok(g.row(*at))
    }

    /// Puts the next numbers into rows, two from a word where they are `halves`.
    pub(crate) fn numbers(&mut self, g: &Group, rows: &mut [[u32; LANES]], halves: bool) -> Result<(), String> {
        let mut word = [0; LANES];
        for (i, row) in rows.iter_mut().enumerate() {
            word = if halves && i % 2 == 1 { word.map(|word| word >> 16) } else { self.word(g)? };
            *row = if halves { word.map(|word| word & 0xffff) } else { word };
        }
        Ok(())
    }
}

/// What an instruction's coordinates are: those within a slice, and whether slice and sample follow.
pub(crate) fn shape(image: &Image, settings: Settings) -> (usize, bool, bool) {
    if settings.has(Settings::HAS_DIM) {
        let kind = Kind::of(settings.0 >> 4 & 7);
        return (kind.plane(), kind.has_slices(), kind.has_samples());
    }
    let kind = image.kind;
    (kind.plane(), kind.has_slices() && (settings.has(Settings::DA) || kind == Kind::Cube), kind.has_samples())
}

/// The texels of the lanes of an op.
#[inline(always)]
fn texels(g: &Group, op: &Op, image: &Image) -> Result<Elements, Broken> {
    let settings = Settings::of(op);
    let (plane, has_slice, has_sample) = shape(image, settings);
    let count = plane + usize::from(has_slice) + usize::from(has_sample);
    let has_level = settings.has(Settings::LEVEL);
    let mut numbers = [[0; LANES]; 6];
    let taken = &mut numbers[..count + usize::from(has_level)];
    Address::read(g, op).numbers(g, taken, settings.has(Settings::A16)).map_err(|message| of_lane(0, message))?;
    // What the resource does not have is ignored.
    let used = plane.min(image.kind.plane());
    let slice = if has_slice && image.kind.has_slices() { numbers[plane] } else { [0; LANES] };
    let level = if has_level { numbers[count] } else { [0; LANES] };
    let at = Coordinates {
        texel: std::array::from_fn(|axis| if axis < used { numbers[axis] } else { [0; LANES] }),
        slice,
        level: level.map(|level| image.levels[0].saturating_add(level)),
    };
    let mut found = image.elements(&at, g.predicate(op.guard));
    if has_sample && image.kind.has_samples() {
        // There is one.
        lanes(found.active).filter(|lane| numbers[count - 1][*lane] != 0).for_each(|lane| found.exist &= !(1 << lane));
    }
    Ok(found)
}

/// Writes numbers to the rows of an op: two to a word where they are halves.
#[inline(always)]
pub(crate) fn finish(g: &mut Group, op: &Op, mut numbers: impl Iterator<Item = [u32; LANES]>) {
    let pairs = Settings::of(op).has(Settings::D16);
    let (mask, list) = (g.predicate(op.guard), op.dst[0] as usize);
    for i in 0..usize::from(op.arity) {
        let Some(mut word) = numbers.next() else { return };
        if pairs {
            let high = numbers.next().unwrap_or([0; LANES]);
            word.iter_mut().zip(high).for_each(|(word, high)| *word = *word & 0xffff | high << 16);
        }
        let at = g.launch.tables.offsets[list + i];
        g.set_row(at, &word, mask);
    }
}

/// The lanes' texels as registers get them, before `dmask` chooses.
#[inline(always)]
fn loaded(image: &Image, settings: Settings, texels: &Elements, words: Words) -> [[u32; LANES]; 4] {
    let half = settings.has(Settings::D16);
    if !settings.has(Settings::RAW) {
        return image.select(&image.format.texels(&words, texels.exist, half), half);
    }
    let unused = 32 - 8 * image.format.bytes().min(4) as u32;
    let mut words = words;
    if unused > 0 && settings.has(Settings::SIGNED) {
        // The sign goes on in all the words.
        words[0] = words[0].map(|word| ((word << unused) as i32 >> unused) as u32);
        words = std::array::from_fn(|i| if i == 0 { words[0] } else { words[0].map(|word| (word as i32 >> 31) as u32) });
    }
    words
}

/// What stops an op, and the lane where it does.
pub(crate) type Broken = (u32, FaultKind);

/// What is wrong, told of a lane.
pub(crate) fn of_lane(lane: usize, message: String) -> Broken {
    (lane as u32, FaultKind::Other(message))
}

/// Executes an op, if a lane does: without one the descriptors may be none.
#[inline(always)]
pub(crate) fn ended(g: &mut Group, op: &Op, run: impl Fn(&mut Group, &Op) -> Result<(), Broken>) -> Step {
    if g.predicate(op.guard) == 0 {
        return Step::Next;
    }
    match run(g, op) {
        Ok(()) => Step::Next,
        Err((lane, kind)) => g.fail(lane, kind),
    }
}

/// The image of an op.
fn image_of(g: &Group, op: &Op) -> Result<Image, Broken> {
    Image::read(g, op).map_err(|message| of_lane(0, message))
}

/// The components of the lanes' texels, before `dmask` chooses, of the texels that the address names.
#[inline(always)]
fn components(g: &mut Group, op: &Op) -> Result<[[u32; LANES]; 4], Broken> {
    let image = image_of(g, op)?;
    let texels = texels(g, op, &image)?;
    let words = format::read(g, &texels, image.format.bytes())?;
    Ok(loaded(&image, Settings::of(op), &texels, words))
}

/// Loads the components of `dmask` of the texel at a lane's coordinates, or the words of it as they lie in memory: to the rows of the list `dst[0]`,
/// `arity` of them. The resource is in the cells `src[0]`, the rows of the list `src[1]` are the address, `src[3]` of them.
pub fn load<const AVX2: bool>(g: &mut Group, op: &Op) -> Step {
    // SAFETY: with AVX2 the host has it.
    unsafe { if AVX2 { load_avx2(g, op) } else { load_any(g, op) } }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt"))]
unsafe fn load_avx2(g: &mut Group, op: &Op) -> Step {
    load_any(g, op)
}

#[inline(always)]
fn load_any(g: &mut Group, op: &Op) -> Step {
    ended(g, op, |g, op| {
        let rows = components(g, op)?;
        finish(g, op, Settings::of(op).components().map(|i| rows[i]));
        Ok(())
    })
}

/// Loads one component, the lowest of `dmask`, of the four samples of a texel from the one that the address names on; those that do not exist are zero.
pub fn load_samples(g: &mut Group, op: &Op) -> Step {
    ended(g, op, |g, op| {
        let rows = components(g, op)?;
        let first = Settings::of(op).components().next().map_or([0; LANES], |i| rows[i]);
        finish(g, op, [first, [0; LANES], [0; LANES], [0; LANES]].into_iter());
        Ok(())
    })
}

/// Stores the texel at a lane's coordinates: `arity` numbers from the rows of the list `dst[0]` are the components of `dmask`, or words as they are to lie
/// in memory; the others are zero. Sources are those of [`load`].
pub fn store<const AVX2: bool>(g: &mut Group, op: &Op) -> Step {
    // SAFETY: with AVX2 the host has it.
    unsafe { if AVX2 { store_avx2(g, op) } else { store_any(g, op) } }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt"))]
unsafe fn store_avx2(g: &mut Group, op: &Op) -> Step {
    store_any(g, op)
}

#[inline(always)]
fn store_any(g: &mut Group, op: &Op) -> Step {
    ended(g, op, |g, op| {
        let image = image_of(g, op)?;
        let texels = texels(g, op, &image)?;
        let bits = stored(g, op, &image, &texels)?;
        g.writer = op.next - 1;
        format::write(g, &texels, image.format.bytes(), &bits)
    })
}

/// The lanes' texels as they are to lie in memory.
#[inline(always)]
fn stored(g: &Group, op: &Op, image: &Image, texels: &Elements) -> Result<Words, Broken> {
    let settings = Settings::of(op);
    let half = settings.has(Settings::D16);
    let list = op.dst[0] as usize;
    let rows = &g.launch.tables.offsets[list..list + usize::from(op.arity)];
    let mut values = [[0; LANES]; 4];
    for (word, component) in settings.components().enumerate() {
        let Some(row) = rows.get(if half { word / 2 } else { word }) else { continue };
        let row: [u32; LANES] = g.row(*row);
        values[component] = if half { row.map(|pair| pair >> (16 * (word % 2)) & 0xffff) } else { row };
    }
    if settings.has(Settings::RAW) {
        return Ok(values);
    }
    let elements = image.format.elements(&image.unselect(&values), texels.exist, half);
    elements.map_err(|(lane, message)| of_lane(lane, message))
}

/// The addresses of the texels at the lanes' coordinates, for atomics of `arity` bytes: the row `dst[0]`, and in the cell `dst[1]` the lanes whose texel
/// exists. Sources are those of [`load`].
pub fn address(g: &mut Group, op: &Op) -> Step {
    g.set_row(op.dst[0], &[0; LANES], FULL);
    g.set_predicate(op.dst[1], 0, FULL);
    ended(g, op, |g, op| {
        let image = image_of(g, op)?;
        if image.format.bytes() != u64::from(op.arity) {
            let (has, wants) = (image.format.bytes(), op.arity);
            let message =
                format!("its image has texels of {has} bytes, and this atomic combines {wants}: take a format of {wants} bytes");
            return Err(of_lane(0, message));
        }
        let found = texels(g, op, &image)?;
        g.set_row(op.dst[0], &found.addresses, FULL);
        g.set_predicate(op.dst[1], found.exist, FULL);
        Ok(())
    })
}

/// The size of a level, which the first word of the address names: width, height, depth or slices, and the number of levels; those of `dmask`. A level that
/// does not exist has no size.
pub fn size(g: &mut Group, op: &Op) -> Step {
    ended(g, op, |g, op| {
        let settings = Settings::of(op);
        let image = image_of(g, op)?;
        let mut asked = [[0; LANES]];
        let halves = settings.has(Settings::A16);
        Address::read(g, op).numbers(g, &mut asked, halves).map_err(|message| of_lane(0, message))?;
        let sizes = asked[0].map(|level| image.answer(level));
        finish(g, op, settings.components().map(|i| sizes.map(|size| size[i])));
        Ok(())
    })
}

/// A coordinate of so many bits as a number.
pub(crate) fn real(bits: u32, half: bool) -> f32 {
    if half { F16(bits as u16).to_f32() } else { f32::from_bits(bits) }
}

fn choose(op: &Op, run: Handler) -> Option<Handler> {
    (op.ty == Type::U32 && op.src[0] != NONE).then_some(run)
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("image::load", |op| choose(op, if host_has_avx2() { load::<true> } else { load::<false> })),
    group("image::load_samples", |op| choose(op, load_samples)),
    group("image::store", |op| choose(op, if host_has_avx2() { store::<true> } else { store::<false> })),
    group("image::size", |op| choose(op, size)),
];
