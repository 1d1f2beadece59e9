//! Samples of AMD's images: from coordinates to texels, weights and levels of detail.
//!
//! A sampler (S#) is four scalar registers; which bits mean what is data of the table (`fields sampler` of `isa/amdgpu/words.isa`). Weights of a linear filter
//! have 8 bits of fraction, as AMD's drivers report (subTexelPrecisionBits). The rest follows Vulkan 1.3, "Image Operations": the level of detail is the logarithm of the
//! longer of two gradients (differences of the lanes of four, where the instruction gives none), a level is the nearest one. Texels of filters across the
//! edges of a cube's faces, anisotropic filters, and border colours from a table are faults, not guesses.

use crate::buffer::Elements;
use crate::format;
use crate::image::{Address, Broken, Coordinates, Decoded, Image, Kind, Settings, ended, fields, finish, of_lane, real, shape};
use crate::{Function, group};
use machine::state::{Images, lanes};
use machine::{FULL, Group, LANES, Op, Step, Type, op::NONE};
use numerics::F16;
use std::ops::Range;

/// The fields of a sampler, in the order of `Images::sampler`.
pub const SAMPLER: [&str; 15] = [
    "clamp_x",
    "clamp_y",
    "clamp_z",
    "max_aniso_ratio",
    "compare",
    "unnormalized",
    "no_cube_wrap",
    "filter_mode",
    "min_lod",
    "max_lod",
    "lod_bias",
    "xy_mag_filter",
    "xy_min_filter",
    "mip_filter",
    "border_color",
];

/// What fractions of coordinates and levels are counted in.
const STEPS: f64 = 256.0;

/// A sampler descriptor.
#[derive(Clone, Copy, Debug)]
struct Sampler {
    clamp: [u32; 3],
    anisotropic: bool,
    compare: u32,
    unnormalized: bool,
    cube_wraps: bool,
    mode: u32,
    lod: [f64; 2],
    bias: f64,
    /// Whether a filter is linear: where texels are magnified, and where they are not.
    linear: [bool; 2],
    mip: u32,
    border: u32,
}

impl Sampler {
    /// Reads the descriptor of an op in the cells `src[2]`.
    fn read(g: &Group, op: &Op) -> Result<Sampler, String> {
        let words = std::array::from_fn(|i| if i < 4 { g.predicate(op.src[2] + 4 * i as u32) } else { 0 });
        thread_local!(static DECODED: Decoded<Sampler> = const { Decoded::new() });
        let images = &g.launch.tables.images;
        DECODED.with(|decoded| decoded.get(images.serial, &words, || Ok(Sampler::of(&words, images))))
    }

    /// What a descriptor of a target describes.
    fn of(words: &[u32; 8], images: &Images) -> Sampler {
        // As `SAMPLER` has them.
        let [
            clamp_x,
            clamp_y,
            clamp_z,
            max_aniso_ratio,
            compare,
            unnormalized,
            no_cube_wrap,
            mode,
            min_lod,
            max_lod,
            bias,
            xy_mag_filter,
            xy_min_filter,
            mip,
            border,
        ] = fields::<{ SAMPLER.len() }>(words, &images.sampler).map(|field| field.unwrap_or(0) as u32);
        let filters = [xy_mag_filter, xy_min_filter];
        Sampler {
            clamp: [clamp_x, clamp_y, clamp_z],
            anisotropic: max_aniso_ratio > 0 && filters.iter().any(|filter| *filter > 1),
            compare,
            unnormalized: unnormalized == 1,
            cube_wraps: no_cube_wrap == 0,
            mode,
            lod: [min_lod, max_lod].map(|level| f64::from(level) / STEPS),
            bias: f64::from((bias << 18) as i32 >> 18) / STEPS,
            linear: filters.map(|filter| filter & 1 == 1),
            mip,
            border,
        }
    }

    /// Puts into `texels` which ones of so many in a row some numbers mean; of which lanes they are none, but the border.
    fn wrap(&self, axis: usize, at: &[i32; LANES], sizes: &[i32; LANES], texels: &mut [u32; LANES]) -> Result<u32, String> {
        // What is before the first texel is so far behind it.
        let mirrored = |at: i32| if at < 0 { !at } else { at };
        let each = texels.iter_mut().zip(at.iter().zip(sizes));
        match self.clamp[axis] {
            0 => each.for_each(|(texel, (at, size))| *texel = at.rem_euclid(*size) as u32),
            1 => each.for_each(|(texel, (at, size))| {
                let at = at.rem_euclid(2 * size);
                *texel = if at < *size { at } else { 2 * size - 1 - at } as u32;
            }),
            2 => each.for_each(|(texel, (at, size))| *texel = (*at).max(0).min(size - 1) as u32),
            3 => each.for_each(|(texel, (at, size))| *texel = mirrored(*at).min(size - 1) as u32),
            6 => each.for_each(|(texel, (at, _))| *texel = *at as u32),
            7 => each.for_each(|(texel, (at, _))| *texel = mirrored(*at) as u32),
            other => return Err(format!("its sampler clamps by mode {other}, half to the border, which is not executable yet")),
        }
        let may_be_outside = matches!(self.clamp[axis], 6 | 7);
        let is_outside = |lane: usize| u32::from(texels[lane] >= sizes[lane] as u32) << lane;
        Ok(if may_be_outside { (0..LANES).fold(0, |mask, lane| mask | is_outside(lane)) } else { 0 })
    }

    /// Whether a depth and a texel compare.
    fn compares(&self, depth: f32, texel: f32) -> bool {
        match self.compare {
            1 => depth < texel,
            2 => depth == texel,
            3 => depth <= texel,
            4 => depth > texel,
            5 => depth != texel,
            6 => depth >= texel,
            7 => true,
            _ => false,
        }
    }
}

/// What an instruction gives for the lanes.
struct Given {
    offsets: Option<Box<[u32; LANES]>>,
    bias: Option<Box<[f32; LANES]>>,
    depth: Option<Box<[u32; LANES]>>,
    /// By x, then by y.
    gradients: Vec<[f32; LANES]>,
    coordinates: [[f32; LANES]; 3],
    /// How many coordinates there are.
    plane: usize,
    slice: Option<Box<[f32; LANES]>>,
    level: Option<Box<[f32; LANES]>>,
}

impl Given {
    fn read(g: &Group, op: &Op, image: &Image) -> Result<Given, String> {
        let settings = Settings::of(op);
        let halves = settings.has(Settings::A16);
        let mut address = Address::read(g, op);
        let mut word = |is: u32| settings.has(is).then(|| address.word(g).map(Box::new)).transpose();
        let (offsets, bias, depth) = (word(Settings::OFFSETS)?, word(Settings::BIAS)?, word(Settings::COMPARE)?);
        let (plane, has_slice, has_sample) = shape(image, settings);
        if has_sample {
            return Err("samples an image of several samples, which nothing does".into());
        }
        let reals = |row: [u32; LANES], halves: bool| -> [f32; LANES] { row.map(|bits| real(bits, halves)) };
        let mut gradients = Vec::new();
        for _ in 0..if settings.has(Settings::GRADIENTS) { 2 } else { 0 } {
            let short = settings.has(Settings::G16) || halves && !settings.has(Settings::HAS_DIM);
            let mut numbers = [[0; LANES]; 3];
            address.numbers(g, &mut numbers[..plane], short)?;
            gradients.extend(numbers[..plane].iter().map(|row| reals(*row, short)));
        }
        let has_level = settings.has(Settings::LEVEL);
        let behind = plane + usize::from(has_slice);
        let mut numbers = [[0; LANES]; 5];
        address.numbers(g, &mut numbers[..behind + usize::from(has_level)], halves)?;
        Ok(Given {
            offsets,
            bias: bias.map(|row| Box::new(reals(row.map(|bits| if halves { bits & 0xffff } else { bits }), halves))),
            depth,
            gradients,
            coordinates: std::array::from_fn(|axis| if axis < plane { reals(numbers[axis], halves) } else { [0.0; LANES] }),
            plane,
            slice: has_slice.then(|| Box::new(reals(numbers[plane], halves))),
            level: has_level.then(|| Box::new(reals(numbers[behind], halves))),
        })
    }

    /// The number of the offset of an axis.
    fn offset(&self, lane: usize, axis: usize) -> i32 {
        self.offsets.as_ref().map_or(0, |row| (row[lane] << (26 - 8 * axis)) as i32 >> 26)
    }
}

/// A sample in the making.
struct Sample {
    image: Image,
    sampler: Sampler,
    settings: Settings,
    given: Given,
}

/// Components of the lanes' texels.
type Texels = [[u32; LANES]; 4];

/// One of the two texels of the lanes' filters along an axis: its number, of which lanes it is the border, and its share.
#[derive(Clone, Copy)]
struct Along {
    texels: [u32; LANES],
    outside: u32,
    shares: [f64; LANES],
}

/// What filters make of texels with weights.
struct Sum {
    mode: u32,
    /// The texels that came first, their lanes and weights, as long as there are no others.
    alone: Option<(u32, [f64; LANES], Texels)>,
    several: Option<Box<Several>>,
}

/// The sums of several texels.
struct Several {
    /// The texels that lanes have seen first, which are the result where there are no others.
    first: Texels,
    seen: u32,
    again: u32,
    values: [[f64; LANES]; 4],
}

impl Sum {
    fn new(mode: u32) -> Sum {
        Sum { mode, alone: None, several: None }
    }

    /// Adds the texels of some lanes.
    fn add(&mut self, some: u32, weights: &[f64; LANES], texels: &Texels) {
        if self.alone.is_none() {
            self.alone = Some((some, *weights, *texels));
            return;
        }
        let (mode, alone) = (self.mode, &self.alone);
        let several = self.several.get_or_insert_with(|| {
            let mut several = Box::new(Several::new(mode));
            alone.iter().for_each(|(some, weights, texels)| several.add(mode, *some, weights, texels));
            several
        });
        several.add(mode, some, weights, texels);
    }

    fn end(self) -> Texels {
        let Some(several) = self.several else { return self.alone.map_or([[0; LANES]; 4], |alone| alone.2) };
        let mut texels = several.first;
        for (row, values) in texels.iter_mut().zip(several.values) {
            lanes(several.again).for_each(|lane| row[lane] = (values[lane] as f32).to_bits());
        }
        texels
    }
}

impl Several {
    fn new(mode: u32) -> Several {
        let nothing = match mode {
            1 => f64::INFINITY,
            2 => f64::NEG_INFINITY,
            _ => -0.0,
        };
        Several { first: [[0; LANES]; 4], seen: 0, again: 0, values: [[nothing; LANES]; 4] }
    }

    fn add(&mut self, mode: u32, some: u32, weights: &[f64; LANES], texels: &Texels) {
        match mode {
            1 => self.combine(some, weights, texels, |sum, value, _| sum.min(value)),
            2 => self.combine(some, weights, texels, |sum, value, _| sum.max(value)),
            _ => self.combine(some, weights, texels, |sum, value, weight| sum + value * weight),
        }
    }

    #[inline(always)]
    fn combine(&mut self, some: u32, weights: &[f64; LANES], texels: &Texels, with: impl Fn(f64, f64, f64) -> f64) {
        let is_among = |mask: u32| -> [bool; LANES] { std::array::from_fn(|lane| mask >> lane & 1 == 1) };
        let (counts, is_new) = (is_among(some), is_among(some & !self.seen));
        for ((row, sums), first) in texels.iter().zip(&mut self.values).zip(&mut self.first) {
            for lane in 0..LANES {
                let (value, sum) = (f64::from(f32::from_bits(row[lane])), sums[lane]);
                sums[lane] = if counts[lane] { with(sum, value, weights[lane]) } else { sum };
                first[lane] = if is_new[lane] { row[lane] } else { first[lane] };
            }
        }
        (self.seen, self.again) = (self.seen | some, self.again | some & self.seen);
    }
}

/// What is added to a number makes an integer of it, of two the even one, in the lowest bits: behind it nothing else fits. For numbers below 2^51.
const INTEGERS: f64 = (3u64 << 51) as f64;

/// A number rounded down to an integer.
fn floor(number: f64) -> i32 {
    let nearest = number + INTEGERS - INTEGERS;
    let whole = if number < nearest { nearest - 1.0 } else { nearest };
    (whole + INTEGERS).to_bits() as i32
}

/// A number rounded to an integer.
fn nearest(number: f64) -> i64 {
    (number + INTEGERS).to_bits() as i64 - INTEGERS.to_bits() as i64
}

impl Sample {
    fn read(g: &Group, op: &Op) -> Result<Sample, String> {
        let (image, sampler) = (Image::read(g, op)?, Sampler::read(g, op)?);
        let given = Given::read(g, op, &image)?;
        Ok(Sample { image, sampler, settings: Settings::of(op), given })
    }

    fn is_normalized(&self) -> bool {
        !self.settings.has(Settings::UNORM) && !self.sampler.unnormalized
    }

    /// The logarithm of the longer gradient, in texels of the first level.
    fn measured(&self, lane: usize) -> f64 {
        let size = self.image.size_of(self.image.levels[0]);
        let count = self.given.plane;
        let scale = |axis: usize| if self.is_normalized() { f64::from(size[axis]) } else { 1.0 };
        let length = |direction: usize| {
            let part = |axis: usize| {
                let change = if self.settings.has(Settings::GRADIENTS) {
                    f64::from(self.given.gradients[direction * count + axis][lane])
                } else {
                    let row = &self.given.coordinates[axis];
                    let first = lane & !3;
                    f64::from(row[first + [1, 2][direction]]) - f64::from(row[first])
                };
                change * scale(axis)
            };
            (0..count).map(|axis| part(axis) * part(axis)).sum::<f64>().sqrt()
        };
        length(0).max(length(1)).log2()
    }

    /// The level of detail before and after it is limited.
    fn detail(&self, lane: usize) -> Result<[f64; 2], String> {
        if self.settings.has(Settings::ZERO) {
            return Ok([0.0; 2]);
        }
        let limits = self.settings.has(Settings::CLAMP);
        let given = self.given.level.as_ref().map(|row| f64::from(row[lane]));
        let base = match given {
            Some(level) if !limits => level,
            _ if self.sampler.anisotropic => return Err("samples with an anisotropic filter, which is not executable yet".into()),
            _ => self.measured(lane),
        };
        let raw = base + self.sampler.bias + self.given.bias.as_ref().map_or(0.0, |row| f64::from(row[lane]));
        let raw = if raw.is_nan() { 0.0 } else { raw };
        let least = self.sampler.lod[0].max(given.filter(|_| limits).unwrap_or(0.0)).max(f64::from(self.image.min_lod) / STEPS);
        Ok([raw, raw.max(least).min(self.sampler.lod[1])])
    }

    /// The levels that are sampled, with their weights.
    fn levels(&self, detail: f64, gathers: bool) -> [(u32, f64); 2] {
        let [first, last] = self.image.levels;
        let level = |number: f64| first + (number.max(0.0) as u32).min(last.saturating_sub(first));
        match self.sampler.mip {
            0 => [(first, 1.0), (first, 0.0)],
            2 if !gathers => {
                let steps = (detail.clamp(0.0, 16.0) * STEPS).round();
                let (whole, part) = ((steps / STEPS).floor(), steps % STEPS / STEPS);
                [(level(whole), 1.0 - part), (level(whole + 1.0), part)]
            }
            _ => [(level((detail + 0.5).ceil() - 1.0), 1.0), (first, 0.0)],
        }
    }

    /// The slices that lanes sample.
    fn slices(&self) -> [u32; LANES] {
        let Some(row) = self.given.slice.as_ref().filter(|_| self.image.kind.has_slices()) else { return [0; LANES] };
        row.map(|number| {
            let number = number.round_ties_even().max(0.0) as u32;
            // Faces of cubes are counted in eights.
            let number = if self.image.kind == Kind::Cube { number / 8 * 6 + number % 8 } else { number };
            number.min(self.image.slice_count().saturating_sub(1))
        })
    }

    /// The coordinates of an axis in texels of a level's.
    fn in_texels(&self, axis: usize, sizes: &[i32; LANES]) -> [f64; LANES] {
        // Coordinates of faces are from 1 to 2.
        let before = if self.image.kind == Kind::Cube { 1.0 } else { 0.0 };
        let scaled = self.is_normalized();
        let row = &self.given.coordinates[axis];
        std::array::from_fn(|lane| {
            let value = f64::from(row[lane]) - before;
            let texels = if scaled { value * f64::from(sizes[lane]) } else { value };
            // What is not a number is zero.
            if texels.is_nan() { 0.0 } else { texels.clamp(-1e9, 1e9) }
        })
    }

    /// Puts into `along` the texels of some lanes on one level along an axis: two of those of linear filters, one of others; where there is room for one alone, no
    /// filter is linear.
    fn along(&self, axis: usize, (some, linear): (u32, u32), level: &[u32; LANES], along: &mut [Along]) -> Result<(), Broken> {
        let sizes = self.sizes(axis, level);
        let texels = self.in_texels(axis, &sizes);
        let mut first = texels.map(floor);
        if let [one, two] = along {
            for lane in lanes(linear) {
                let steps = nearest((texels[lane] - 0.5) * STEPS);
                let part = (steps & (STEPS as i64 - 1)) as f64 / STEPS;
                (one.shares[lane], two.shares[lane]) = (1.0 - part, part);
                first[lane] = (steps >> (STEPS as u32).ilog2()) as i32;
            }
            lanes(!linear).for_each(|lane| two.shares[lane] = 0.0);
        }
        if self.given.offsets.is_some() {
            first.iter_mut().enumerate().for_each(|(lane, first)| *first += self.given.offset(lane, axis));
        }
        for along in along {
            if self.image.kind == Kind::Cube {
                self.on_face(some, linear, &first, &sizes, along)?;
            } else {
                let outside = self.sampler.wrap(axis, &first, &sizes, &mut along.texels);
                along.outside = outside.map_err(|message| of_lane(some.trailing_zeros() as usize % LANES, message))?;
            }
            first.iter_mut().for_each(|first| *first += 1);
        }
        Ok(())
    }

    /// The texels of some lanes along an axis of a cube's face.
    fn on_face(&self, some: u32, linear: u32, at: &[i32; LANES], sizes: &[i32; LANES], along: &mut Along) -> Result<(), Broken> {
        for lane in lanes(some) {
            let crosses = !(0..sizes[lane]).contains(&at[lane]) && linear >> lane & 1 == 1 && along.shares[lane] > 0.0;
            if crosses && self.sampler.cube_wraps {
                return Err(of_lane(lane, "filters across the edges of a cube's faces, which is not executable yet".into()));
            }
            along.texels[lane] = at[lane].clamp(0, sizes[lane] - 1) as u32;
        }
        Ok(())
    }

    /// Texels of the lanes' levels along an axis.
    fn sizes(&self, axis: usize, level: &[u32; LANES]) -> [i32; LANES] {
        let size = |level: u32| self.image.size_of(level)[axis] as i32;
        if level.iter().all(|other| *other == level[0]) { [size(level[0]); LANES] } else { level.map(size) }
    }

    /// Gives the texels of the filters of some lanes on one level, one after the other: those that count, or with `all` each, with their weights.
    fn taps(
        &self,
        g: &mut Group,
        (some, linear, all): (u32, u32, bool),
        level: &[u32; LANES],
        weights: &[f64; LANES],
        mut tap: impl FnMut(usize, u32, &[f64; LANES], &Texels),
    ) -> Result<(), Broken> {
        let plane = self.given.plane.min(self.image.kind.plane());
        let linear = linear & some;
        let both = if linear == 0 { 1 } else { 2 };
        let mut axes = [[Along { texels: [0; LANES], outside: 0, shares: [1.0; LANES] }; 2]; 3];
        for (axis, along) in axes.iter_mut().enumerate().take(plane) {
            self.along(axis, (some, linear), level, &mut along[..both])?;
        }
        let slice = self.slices();
        for number in 0..1usize << if linear != 0 { plane } else { 0 } {
            let chosen: [&Along; 3] = std::array::from_fn(|axis| &axes[axis][number >> axis & 1]);
            let weights: [f64; LANES] = std::array::from_fn(|lane| {
                weights[lane] * (chosen[0].shares[lane] * chosen[1].shares[lane] * chosen[2].shares[lane])
            });
            let counted = (0..LANES).fold(0, |mask, lane| mask | u32::from(all || weights[lane] > 0.0) << lane);
            let counted = counted & some & if number == 0 { FULL } else { linear };
            if counted == 0 {
                continue;
            }
            let outside = chosen.iter().fold(0, |mask, along| mask | along.outside);
            let at = Coordinates { texel: chosen.map(|along| along.texels), slice, level: *level };
            let found = self.image.elements(&at, counted & !outside);
            let texels = self.fetch(g, &found, counted)?;
            tap(number, counted, &weights, &texels);
        }
        Ok(())
    }

    /// The components of the border.
    fn border(&self) -> Result<[u32; 4], String> {
        let one = self.image.format.one(false);
        match self.sampler.border {
            0 => Ok([0; 4]),
            1 => Ok([0, 0, 0, one]),
            2 => Ok([one; 4]),
            _ => Err("its border has a colour from a table, which is not executable yet".into()),
        }
    }

    /// The texels of some lanes as filters see them: those that do not exist are the border; compared with the depth, if there is one, and their components
    /// selected.
    fn fetch(&self, g: &mut Group, found: &Elements, some: u32) -> Result<Texels, Broken> {
        let words = format::read(g, found, self.image.format.bytes())?;
        let mut components = self.image.format.texels(&words, found.exist, false);
        let border = some & !found.exist;
        if border != 0 {
            let colour = self.border().map_err(|message| of_lane(border.trailing_zeros() as usize % LANES, message))?;
            lanes(border).for_each(|lane| components.iter_mut().zip(colour).for_each(|(row, colour)| row[lane] = colour));
        }
        if let Some(depth) = &self.given.depth {
            let is = |lane: usize| self.sampler.compares(f32::from_bits(depth[lane]), f32::from_bits(components[0][lane]));
            let compared = std::array::from_fn(|lane| f32::from(u8::from(is(lane))).to_bits());
            components = [compared, [0; LANES], [0; LANES], [1f32.to_bits(); LANES]];
        }
        Ok(self.image.select(&components, false))
    }

    /// Numbers of a result, of half precision where registers hold halves.
    fn result(&self, row: [u32; LANES]) -> [u32; LANES] {
        match self.settings.has(Settings::D16) {
            false => row,
            true if self.image.format.is_integer() => row.map(|bits| bits & 0xffff),
            true => row.map(|bits| F16::from_f32(f32::from_bits(bits)).0.into()),
        }
    }
}

/// The components of the lanes' samples.
fn samples(g: &mut Group, op: &Op) -> Result<(), Broken> {
    let active = g.predicate(op.guard);
    let sample = Sample::read(g, op).map_err(|message| of_lane(0, message))?;
    let mut linear = 0;
    let mut levels = [([sample.image.levels[0]; LANES], [0.0; LANES]); 2];
    let mut detailed = |lane: usize, rows: Range<usize>| {
        let at = |message| of_lane(lane, message);
        let [_, detail] = sample.detail(lane).map_err(at)?;
        let is_linear = sample.sampler.linear[usize::from(detail > 0.0)];
        if is_linear && sample.image.format.is_integer() {
            return Err(at("filters integers, which nothing does: take a sampler that takes the nearest texel".into()));
        }
        for ((levels, weights), (level, weight)) in levels.iter_mut().zip(sample.levels(detail, false)) {
            levels[rows.clone()].fill(level);
            weights[rows.clone()].fill(weight);
        }
        linear |= if !is_linear {
            0
        } else if rows.len() == LANES {
            FULL
        } else {
            1 << lane
        };
        Ok(())
    };
    if sample.settings.has(Settings::ZERO) {
        detailed(active.trailing_zeros() as usize % LANES, 0..LANES)?;
    } else {
        lanes(active).try_for_each(|lane| detailed(lane, lane..lane + 1))?;
    }
    let mut sum = Sum::new(sample.sampler.mode);
    for (level, weights) in &levels {
        let some = active & (0..LANES).fold(0, |mask, lane| mask | u32::from(weights[lane] > 0.0) << lane);
        if some != 0 {
            sample.taps(g, (some, linear, false), level, weights, |_, counted, weights, texels| {
                sum.add(counted, weights, texels)
            })?;
        }
    }
    let rows = sum.end();
    finish(g, op, sample.settings.components().map(|i| sample.result(rows[i])));
    Ok(())
}

/// One component of the four texels of the lanes' linear filters, from the lower left one against the clock.
fn four(g: &mut Group, op: &Op) -> Result<(), Broken> {
    let active = g.predicate(op.guard);
    let sample = Sample::read(g, op).map_err(|message| of_lane(0, message))?;
    if sample.given.plane.min(sample.image.kind.plane()) != 2 {
        return Err(of_lane(
            active.trailing_zeros() as usize % LANES,
            "gathers from an image that has not two coordinates".into(),
        ));
    }
    let mut level = [sample.image.levels[0]; LANES];
    for lane in lanes(active) {
        let [_, detail] = sample.detail(lane).map_err(|message| of_lane(lane, message))?;
        level[lane] = sample.levels(detail, true)[0].0;
    }
    let component = sample.settings.components().next().unwrap_or(0);
    let mut rows = [[0; LANES]; 4];
    sample.taps(g, (active, active, true), &level, &[1.0; LANES], |number, _, _, texels| {
        // The fourth texel is the upper right one, the first the upper left one.
        rows[[3, 2, 0, 1][number & 3]] = sample.result(texels[component]);
    })?;
    finish(g, op, rows.into_iter());
    Ok(())
}

/// Samples the image at the lanes' coordinates: filters texels, on one level or between two, and gives the components of `dmask`. Sources are those of
/// [`crate::image::load`], and the sampler in the cells `src[2]`; offsets, bias, depth, gradients, coordinates and level follow one another in the address.
pub fn sample(g: &mut Group, op: &Op) -> Step {
    ended(g, op, samples)
}

/// Gives one component, that of `dmask`, of the four texels that a linear filter would take.
pub fn gather(g: &mut Group, op: &Op) -> Step {
    ended(g, op, four)
}

/// Gives the level of detail of a sample, limited and as it is; those of `dmask`.
pub fn detail(g: &mut Group, op: &Op) -> Step {
    ended(g, op, |g, op| {
        let sample = Sample::read(g, op).map_err(|message| of_lane(0, message))?;
        let mut rows = [[0; LANES]; 4];
        for lane in lanes(g.predicate(op.guard)) {
            let [raw, limited] = sample.detail(lane).map_err(|message| of_lane(lane, message))?;
            [rows[0][lane], rows[1][lane]] = [limited, raw].map(|value| (value as f32).to_bits());
        }
        finish(g, op, sample.settings.components().map(|i| rows[i]));
        Ok(())
    })
}

fn has_sampler(op: &Op) -> bool {
    op.ty == Type::U32 && op.src[2] != NONE
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    group("sample::sample", |op| has_sampler(op).then_some(sample)),
    group("sample::gather", |op| has_sampler(op).then_some(gather)),
    group("sample::detail", |op| has_sampler(op).then_some(detail)),
];
