//! Samples of AMD's images: from coordinates to texels, weights and levels of detail.
//!
//! A sampler (S#) is four scalar registers; which bits mean what is data of the table (`fields sampler` of `isa/amdgpu/words.isa`). Weights of a linear filter
//! have 8 bits of fraction, as AMD's drivers report (subTexelPrecisionBits). The rest follows Vulkan 1.3, "Image Operations": the level of detail is the logarithm of the
//! longer of two gradients (differences of the lanes of four, where the instruction gives none), a level is the nearest one. Texels of filters across the
//! edges of a cube's faces, anisotropic filters, and border colours from a table are faults, not guesses.

use crate::buffer::Elements;
use crate::format;
use crate::image::{Address, Broken, Image, Kind, Settings, ended, fields, finish, of_lane, real, shape};
use crate::{Function, group};
use machine::state::{FaultKind, lanes};
use machine::{Group, LANES, Op, Step, Type, op::NONE};
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
        ] = fields::<{ SAMPLER.len() }>(&words, &g.launch.tables.images.sampler).map(|field| field.unwrap_or(0) as u32);
        let filters = [xy_mag_filter, xy_min_filter];
        Ok(Sampler {
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
        })
    }

    /// Which texel of so many in a row the number of one means; none is the border.
    fn wrap(&self, axis: usize, at: i64, size: u32) -> Result<Option<u32>, String> {
        let size = i64::from(size);
        let mirrored = if at < 0 { -1 - at } else { at };
        let inside = |at: i64| (0..size).contains(&at).then_some(at as u32);
        Ok(match self.clamp[axis] {
            0 => Some(at.rem_euclid(size) as u32),
            1 => {
                let at = at.rem_euclid(2 * size);
                Some(if at < size { at } else { 2 * size - 1 - at } as u32)
            }
            2 => Some(at.clamp(0, size - 1) as u32),
            3 => Some(mirrored.min(size - 1) as u32),
            6 => inside(at),
            7 => inside(mirrored),
            other => return Err(format!("its sampler clamps by mode {other}, half to the border, which is not executable yet")),
        })
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
    offsets: Option<[u32; LANES]>,
    bias: Option<[f32; LANES]>,
    depth: Option<[u32; LANES]>,
    /// By x, then by y.
    gradients: Vec<[f32; LANES]>,
    coordinates: Vec<[f32; LANES]>,
    slice: Option<[f32; LANES]>,
    level: Option<[f32; LANES]>,
}

impl Given {
    fn read(g: &Group, op: &Op, image: &Image) -> Result<Given, String> {
        let settings = Settings::of(op);
        let halves = settings.has(Settings::A16);
        let mut address = Address::read(g, op);
        let mut word = |is: u32| if settings.has(is) { address.take(1).map(|rows| Some(rows[0])) } else { Ok(None) };
        let (offsets, bias, depth) = (word(Settings::OFFSETS)?, word(Settings::BIAS)?, word(Settings::COMPARE)?);
        let (plane, has_slice, has_sample) = shape(image, settings);
        if has_sample {
            return Err("samples an image of several samples, which nothing does".into());
        }
        let reals = |rows: Vec<[u32; LANES]>, halves: bool| -> Vec<[f32; LANES]> {
            rows.into_iter().map(|row| row.map(|bits| real(bits, halves))).collect()
        };
        let mut gradients = Vec::new();
        if settings.has(Settings::GRADIENTS) {
            let short = settings.has(Settings::G16) || halves && !settings.has(Settings::HAS_DIM);
            for _ in 0..2 {
                gradients.extend(reals(address.numbers(plane, short)?, short));
            }
        }
        let levels = usize::from(settings.has(Settings::LEVEL));
        let mut coordinates = reals(address.numbers(plane + usize::from(has_slice) + levels, halves)?, halves);
        let level = if levels == 1 { coordinates.pop() } else { None };
        let slice = if has_slice { coordinates.pop() } else { None };
        Ok(Given {
            offsets,
            bias: bias.map(|row| row.map(|bits| real(if halves { bits & 0xffff } else { bits }, halves))),
            depth,
            gradients,
            coordinates,
            slice,
            level,
        })
    }

    /// The number of the offset of an axis.
    fn offset(&self, lane: usize, axis: usize) -> i64 {
        self.offsets.map_or(0, |row| i64::from((row[lane] << (26 - 8 * axis)) as i32 >> 26))
    }
}

/// The components of a texel, and what it counts.
type Weighed = ([u32; 4], f64);

/// A sample in the making.
struct Sample {
    image: Image,
    sampler: Sampler,
    settings: Settings,
    given: Given,
}

/// A texel of a filter: where it is, and what it counts.
#[derive(Clone, Copy, Debug)]
struct Tap {
    /// Its address; nothing is the border.
    address: Option<u64>,
    weight: f64,
}

/// The texels of the lanes' filters, one lane's behind another's.
#[derive(Default)]
struct Taps {
    list: Vec<Tap>,
    /// Where those of a lane begin and end.
    places: [(usize, usize); LANES],
}

impl Taps {
    /// What was added since the lane before are the texels of this one.
    fn end(&mut self, lane: usize) {
        let begin = self.places[..lane].iter().map(|place| place.1).max().unwrap_or(0);
        self.places[lane] = (begin, self.list.len());
    }

    fn of(&self, lane: usize) -> Range<usize> {
        self.places[lane].0..self.places[lane].1
    }
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
        let count = self.given.coordinates.len();
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
        let limits = self.settings.has(Settings::CLAMP);
        let given = self.given.level.map(|row| f64::from(row[lane]));
        if self.settings.has(Settings::ZERO) {
            return Ok([0.0; 2]);
        }
        let base = match given {
            Some(level) if !limits => level,
            _ if self.sampler.anisotropic => return Err("samples with an anisotropic filter, which is not executable yet".into()),
            _ => self.measured(lane),
        };
        let raw = base + self.sampler.bias + self.given.bias.map_or(0.0, |row| f64::from(row[lane]));
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

    /// The slice that a lane samples.
    fn slice(&self, lane: usize) -> u32 {
        let Some(row) = self.given.slice.filter(|_| self.image.kind.has_slices()) else { return 0 };
        let number = row[lane].round_ties_even().max(0.0) as u32;
        // Faces of cubes are counted in eights.
        let number = if self.image.kind == Kind::Cube { number / 8 * 6 + number % 8 } else { number };
        number.min(self.image.slice_count().saturating_sub(1))
    }

    /// The texels of a lane on one level: of a linear filter two along each axis.
    fn taps(&self, lane: usize, level: u32, linear: bool, weight: f64, taps: &mut Vec<Tap>) -> Result<(), String> {
        let size = self.image.size_of(level);
        let plane = self.given.coordinates.len().min(self.image.kind.plane());
        let mut along = [[(Some(0u32), 1.0), (Some(0), 0.0)]; 3];
        for (axis, along) in along.iter_mut().enumerate().take(plane) {
            let value = f64::from(self.given.coordinates[axis][lane]);
            // Coordinates of faces are from 1 to 2.
            let value = if self.image.kind == Kind::Cube { value - 1.0 } else { value };
            let value = if value.is_nan() { 0.0 } else { value };
            let texels = if self.is_normalized() { value * f64::from(size[axis]) } else { value };
            let texels = texels.clamp(-1e9, 1e9);
            let steps = if linear { ((texels - 0.5) * STEPS).round_ties_even() } else { texels.floor() * STEPS } as i64;
            let whole = STEPS as i64;
            let (first, part) = (steps.div_euclid(whole) + self.given.offset(lane, axis), steps.rem_euclid(whole) as f64 / STEPS);
            for (next, place) in along.iter_mut().enumerate() {
                let at = first + next as i64;
                let share = [1.0 - part, part][next];
                let crosses = self.image.kind == Kind::Cube && !(0..i64::from(size[axis])).contains(&at) && linear && share > 0.0;
                if crosses && self.sampler.cube_wraps {
                    return Err("filters across the edges of a cube's faces, which is not executable yet".into());
                }
                *place = match self.image.kind {
                    Kind::Cube => (Some(at.clamp(0, i64::from(size[axis]) - 1) as u32), share),
                    _ => (self.sampler.wrap(axis, at, size[axis])?, share),
                };
            }
        }
        let slice = self.slice(lane);
        for number in 0..1usize << if linear { plane } else { 0 } {
            let chosen: [(Option<u32>, f64); 3] = std::array::from_fn(|axis| along[axis][number >> axis & 1]);
            let at = chosen.map(|(at, _)| at);
            let address = match at {
                [Some(x), Some(y), Some(z)] => self.image.address([x, y, z], slice, level),
                _ => None,
            };
            taps.push(Tap { address, weight: weight * chosen.iter().map(|(_, share)| share).product::<f64>() });
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

    /// A texel as filters see it: compared with the depth, if there is one, and its components selected.
    fn texel(&self, lane: usize, components: [u32; 4]) -> [u32; 4] {
        let Some(depth) = self.given.depth else { return self.image.select(components, false) };
        let is = self.sampler.compares(f32::from_bits(depth[lane]), f32::from_bits(components[0]));
        self.image.select([f32::from(u8::from(is)).to_bits(), 0, 0, 1f32.to_bits()], false)
    }

    /// What a filter makes of texels with weights.
    fn filtered(&self, texels: &[Weighed]) -> [u32; 4] {
        let counted = || texels.iter().filter(|(_, weight)| *weight > 0.0);
        let mut one = counted();
        if let (Some((texel, _)), None) = (one.next(), one.next()) {
            return *texel;
        }
        std::array::from_fn(|i| {
            let values = counted().map(|(texel, weight)| (f64::from(f32::from_bits(texel[i])), weight));
            let value = match self.sampler.mode {
                1 => values.map(|value| value.0).fold(f64::INFINITY, f64::min),
                2 => values.map(|value| value.0).fold(f64::NEG_INFINITY, f64::max),
                _ => values.map(|(value, weight)| value * weight).sum(),
            };
            (value as f32).to_bits()
        })
    }

    /// The texels of the lanes, as many for each.
    fn fetch(&self, g: &mut Group, active: u32, taps: &Taps) -> Result<Vec<Weighed>, (u32, FaultKind)> {
        let border = self.border();
        let mut texels = vec![([0; 4], 0.0); taps.list.len()];
        for number in 0..lanes(active).map(|lane| taps.of(lane).len()).max().unwrap_or(0) {
            let mut elements = Elements { active, exist: 0, addresses: [0; LANES] };
            for lane in lanes(active) {
                if let Some(Tap { address: Some(address), weight }) = taps.list[taps.of(lane)].get(number)
                    && *weight > 0.0
                {
                    (elements.addresses[lane], elements.exist) = (*address, elements.exist | 1 << lane);
                }
            }
            let bits = format::read(g, &elements, self.image.format.bytes())?;
            for lane in lanes(active) {
                let Some(tap) = taps.list[taps.of(lane)].get(number) else { continue };
                let components = match (tap.address, &border) {
                    (Some(_), _) => self.image.format.texel(bits[lane], false),
                    (None, Ok(border)) => *border,
                    (None, Err(_)) if tap.weight == 0.0 => [0; 4],
                    (None, Err(message)) => return Err((lane as u32, FaultKind::Other(message.clone()))),
                };
                texels[taps.of(lane).start + number] = (self.texel(lane, components), tap.weight);
            }
        }
        Ok(texels)
    }

    /// A number of a result, of half precision where registers hold halves.
    fn result(&self, bits: u32) -> u32 {
        match self.settings.has(Settings::D16) {
            false => bits,
            true if self.image.format.is_integer() => bits & 0xffff,
            true => F16::from_f32(f32::from_bits(bits)).0.into(),
        }
    }
}

/// The components of the lanes' samples.
fn samples(g: &mut Group, op: &Op) -> Result<(), Broken> {
    let active = g.predicate(op.guard);
    let sample = Sample::read(g, op).map_err(|message| of_lane(0, message))?;
    let mut taps = Taps::default();
    for lane in lanes(active) {
        let at = |message| of_lane(lane, message);
        let [_, detail] = sample.detail(lane).map_err(at)?;
        let linear = sample.sampler.linear[usize::from(detail > 0.0)];
        if linear && sample.image.format.is_integer() {
            return Err(at("filters integers, which nothing does: take a sampler that takes the nearest texel".into()));
        }
        for (level, weight) in sample.levels(detail, false).into_iter().filter(|(_, weight)| *weight > 0.0) {
            sample.taps(lane, level, linear, weight, &mut taps.list).map_err(at)?;
        }
        taps.end(lane);
    }
    let texels = sample.fetch(g, active, &taps)?;
    let mut rows = [[0; LANES]; 4];
    for lane in lanes(active) {
        let values = sample.filtered(&texels[taps.of(lane)]);
        rows.iter_mut().zip(values).for_each(|(row, value)| row[lane] = sample.result(value));
    }
    let numbers: Vec<[u32; LANES]> = sample.settings.components().map(|i| rows[i]).collect();
    finish(g, op, &numbers);
    Ok(())
}

/// One component of the four texels of the lanes' linear filters, from the lower left one against the clock.
fn four(g: &mut Group, op: &Op) -> Result<(), Broken> {
    let active = g.predicate(op.guard);
    let sample = Sample::read(g, op).map_err(|message| of_lane(0, message))?;
    let mut taps = Taps::default();
    for lane in lanes(active) {
        let at = |message| of_lane(lane, message);
        let [_, detail] = sample.detail(lane).map_err(at)?;
        let [(level, _), _] = sample.levels(detail, true);
        sample.taps(lane, level, true, 1.0, &mut taps.list).map_err(at)?;
        taps.end(lane);
        if taps.of(lane).len() != 4 {
            return Err(at("gathers from an image that has not two coordinates".into()));
        }
    }
    taps.list.iter_mut().for_each(|tap| tap.weight = 1.0);
    let texels = sample.fetch(g, active, &taps)?;
    let component = sample.settings.components().next().unwrap_or(0);
    let mut rows = [[0; LANES]; 4];
    for lane in lanes(active) {
        for (row, number) in rows.iter_mut().zip([2, 3, 1, 0]) {
            row[lane] = sample.result(texels[taps.of(lane)][number].0[component]);
        }
    }
    finish(g, op, &rows);
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
        let numbers: Vec<[u32; LANES]> = sample.settings.components().map(|i| rows[i]).collect();
        finish(g, op, &numbers);
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
