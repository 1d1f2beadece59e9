//! A copy of a box of a tensor: a map with a mode, coordinates and offsets, checked, and the runs of bytes that it moves.
//!
//! The same runs serve both directions, reductions and prefetches: what lies outside of the tensor is filled on the way to shared
//! memory and left out on the way to global memory.

use super::map::{AXES, WIDE_PIXELS, Window};
use super::pixels::{Images, Pixels};
use super::runs::{Axis, Inner, Rows, Run, Sink};
use super::{Element, Fill, Interleave, Invalid, MAX_RANK, Swizzle, TensorMap, require};

/// The most shared memory that a box may take: more than a block of any GPU has.
const MAX_SHARED: u64 = 256 << 10;

/// Bytes of a line of shared memory: swizzles move chunks within lines.
const LINE: u32 = 128;

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From global to shared memory.
    Load,
    /// From shared to global memory, also where they are combined with what is there.
    Store,
}

/// How coordinates tell what is copied, with the names of PTX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// `.tile`: the box that begins there.
    #[default]
    Tile,
    /// `.tile::gather4` and `.tile::scatter4`: four rows; coordinates are the column and the rows.
    Rows,
    /// `.im2col` and `.im2col_no_offs`.
    Im2col,
    /// `.im2col::w` and `.im2col_no_offs::w`.
    Im2colW,
    /// `.im2col::w::128`.
    Im2colW128,
}

impl Mode {
    /// The numbers that the coordinates are, for a tensor of this rank.
    pub const fn coordinates(self, rank: usize) -> usize {
        if matches!(self, Mode::Rows) { 5 } else { rank }
    }

    const fn name(self, direction: Direction) -> &'static str {
        match (self, direction) {
            (Mode::Tile, _) => ".tile",
            (Mode::Rows, Direction::Load) => ".tile::gather4",
            (Mode::Rows, Direction::Store) => ".tile::scatter4",
            (Mode::Im2col, Direction::Load) => ".im2col",
            (Mode::Im2col, Direction::Store) => ".im2col_no_offs",
            (Mode::Im2colW, Direction::Load) => ".im2col::w",
            (Mode::Im2colW, Direction::Store) => ".im2col_no_offs::w",
            (Mode::Im2colW128, _) => ".im2col::w::128",
        }
    }
}

/// A checked copy.
#[derive(Clone, Copy, Debug)]
pub struct Copy {
    map: TensorMap,
    direction: Direction,
    mode: Mode,
    at: [i64; MAX_RANK],
    offsets: [u32; 3],
}

impl Copy {
    /// The copy of what `map` reaches at these coordinates, innermost dimension first. `offsets` are those of im2col in W, H and D, or
    /// the halo and the offset of im2col along W; zero elsewhere.
    ///
    /// # Errors
    /// What is wrong with the map, or does not go together with it.
    pub fn new(
        map: &TensorMap,
        direction: Direction,
        mode: Mode,
        coordinates: &[i32],
        offsets: [u32; 3],
    ) -> Result<Copy, Invalid> {
        map.check()?;
        let mut at = [0; MAX_RANK];
        at.iter_mut().zip(coordinates).for_each(|(to, from)| *to = i64::from(*from));
        let copy = Copy { map: *map, direction, mode, at, offsets };
        copy.check_mode(coordinates.len())?;
        copy.check_type()?;
        copy.check_coordinates()?;
        copy.check_offsets()?;
        if direction == Direction::Store {
            copy.check_store()?;
        }
        require(copy.shared_bytes() <= MAX_SHARED, || {
            let rule = format!("takes {} bytes of shared memory, more than any block has", copy.shared_bytes());
            Invalid::new("box", rule, "copy it in parts")
        })?;
        Ok(copy)
    }

    fn check_mode(&self, coordinates: usize) -> Result<(), Invalid> {
        let (mode, rank) = (self.mode.name(self.direction), self.map.rank);
        let (fits, needed) = match (self.mode, &self.map.window) {
            (Mode::Tile | Mode::Rows, window) => (matches!(window, Window::Tiled { .. }), "a tiled one"),
            (Mode::Im2col, window) => (matches!(window, Window::Im2col { .. }), "one encoded for im2col"),
            (Mode::Im2colW, window) => (matches!(window, Window::Wide { fixed: false, .. }), "one encoded for im2col along W"),
            (Mode::Im2colW128, window) => {
                (matches!(window, Window::Wide { fixed: true, .. }), "one encoded for im2col along W with 128 pixels")
            }
        };
        require(fits, || {
            let kind = match self.map.window {
                Window::Tiled { .. } => "tiled",
                Window::Im2col { .. } => "encoded for im2col",
                Window::Wide { fixed: false, .. } => "encoded for im2col along W",
                Window::Wide { fixed: true, .. } => "encoded for im2col along W with 128 pixels",
            };
            Invalid::new("tensor map", format!("is {kind}, {mode} needs {needed}"), "encode another map, or change the mode")
        })?;
        if let (Mode::Rows, Window::Tiled { size }) = (self.mode, &self.map.window) {
            require(rank == 2, || {
                let rule = format!("is {rank}, {mode} needs 2");
                Invalid::new("rank", rule, "describe the tensor by two dimensions")
            })?;
            require(size[1] == 1, || {
                let rule = format!("is {}, {mode} needs 1: each row is a box of its own", size[1]);
                Invalid::new("box 1", rule, "encode the map with boxes of one row")
            })?;
        }
        let needed = self.mode.coordinates(rank);
        require(coordinates == needed, || {
            let rule = format!("are {coordinates}, a map of rank {rank} needs {needed}");
            Invalid::new("coordinates", rule, "use the instruction's form for the tensor's rank")
        })
    }

    fn check_type(&self) -> Result<(), Invalid> {
        let (element, swizzle, store) = (self.map.element, self.map.swizzle, self.direction == Direction::Store);
        let only = |place: &str, what: &str, way: &str| {
            Invalid::new(
                place,
                format!("is {what}, which is for copies to {way} memory alone"),
                "encode another map for this direction",
            )
        };
        require(!(store && element == Element::B4Padded), || only("type", element.name(), "shared"))?;
        require(!(store && swizzle == Swizzle::B128Atom32Flip8), || only("swizzle", swizzle.name(), "shared"))?;
        let stored = element == Element::B6Padded && matches!(swizzle, Swizzle::B64 | Swizzle::B128Atom64);
        require(store || !stored, || {
            let what = format!("{} with type {}", swizzle.name(), element.name());
            only("swizzle", &what, "global")
        })
    }

    fn check_coordinates(&self) -> Result<(), Invalid> {
        let multiple = match self.map.element {
            _ if self.map.interleave != Interleave::None => 1,
            Element::B4 => 2,
            element if element.is_padded() => 128,
            _ => 1,
        };
        require(self.at[0] % multiple == 0, || {
            let rule = format!("is {}, type {} needs a multiple of {multiple}", self.at[0], self.map.element.name());
            Invalid::new("coordinate 0", rule, "begin the box there")
        })?;
        let (lower, upper, spatial) = match self.map.window {
            Window::Tiled { .. } => return Ok(()),
            Window::Im2col { lower, upper, .. } => (lower.map(i64::from), upper, self.map.rank - 2),
            // The first pixel may lie to the left of the box.
            Window::Wide { upper, .. } => ([i64::MIN; 3], [upper, 0, 0], 1),
        };
        for i in 0..spatial {
            let (least, greatest) = (lower[i], self.map.sizes[i + 1] as i64 - 1 + i64::from(upper[i]));
            require((least..=greatest).contains(&self.at[i + 1]), || {
                let between = if least == i64::MIN { "at most".to_owned() } else { format!("{least} to") };
                let rule = format!("is {}, the map's corners in {} leave {between} {greatest}", self.at[i + 1], AXES[i]);
                Invalid::new(format!("coordinate {}", i + 1), rule, "give the filter's corner, before offsets are added")
            })?;
        }
        Ok(())
    }

    fn check_offsets(&self) -> Result<(), Invalid> {
        let limits: [(u32, &str); 3] = match self.mode {
            Mode::Tile | Mode::Rows => return Ok(()),
            Mode::Im2col => {
                let limit = [1 << 16, 1 << 8, 1 << 5][self.map.rank - 3];
                [(limit, "im2col offset W"), (limit, "im2col offset H"), (limit, "im2col offset D")]
            }
            Mode::Im2colW => [(512, "wHalo"), (32, "wOffset"), (u32::MAX, "")],
            Mode::Im2colW128 => [(32, "wHalo"), (32, "wOffset"), (u32::MAX, "")],
        };
        for (offset, (limit, place)) in self.offsets.iter().zip(limits) {
            require(*offset < limit, || {
                let rule = format!("is {offset}, it must be less than {limit}");
                Invalid::new(place, rule, "split the filter, or move the coordinates")
            })?;
        }
        Ok(())
    }

    fn check_store(&self) -> Result<(), Invalid> {
        // Rows of a scatter may be negative on the newest targets, and are left out then.
        let checked = if self.mode == Mode::Rows { 1 } else { self.map.rank };
        for (i, at) in self.at[..checked].iter().enumerate() {
            require(*at >= 0, || {
                let rule = format!("is {at}, copies to global memory begin inside of the tensor");
                Invalid::new(format!("coordinate {i}"), rule, "begin the box at 0 or above")
            })?;
        }
        let (lower, upper) = match self.map.window {
            Window::Tiled { .. } => return Ok(()),
            Window::Im2col { lower, upper, .. } => (lower, upper),
            Window::Wide { lower, upper, .. } => ([lower, 0, 0], [upper, 0, 0]),
        };
        for i in 0..self.map.rank - 2 {
            require(lower[i] >= 0 && upper[i] <= 0, || {
                let rule = format!("are {} and {}: copies to global memory stay inside of the image", lower[i], upper[i]);
                let remedy = "encode a map with a lower corner of 0 or above and an upper corner of 0 or below";
                Invalid::new(format!("corners {}", AXES[i]), rule, remedy)
            })?;
        }
        Ok(())
    }

    /// The map.
    pub fn map(&self) -> &TensorMap {
        &self.map
    }

    /// The direction.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Rows of the box in shared memory.
    fn rows(&self) -> u64 {
        match self.map.window {
            Window::Tiled { .. } => self.tile_axes(true).iter().map(|axis| u64::from(axis.count)).product(),
            _ => u64::from(self.pixel_count()) * self.slices().map_or(1, |axis| u64::from(axis.count)),
        }
    }

    /// Bytes that are transferred, as a memory barrier counts them: those of global memory, also of elements outside of it.
    pub fn bytes(&self) -> u64 {
        self.rows() * self.row_bytes_in_global()
    }

    fn row_bytes_in_global(&self) -> u64 {
        u64::from(self.map.row_bytes() * self.map.element.packed() / 16)
    }

    /// Bytes of shared memory from the first to the last, before chunks change places.
    pub(super) fn image_bytes(&self) -> u64 {
        match self.rows() {
            0 => 0,
            rows => (rows - 1) * u64::from(self.pitch()) + u64::from(self.map.row_bytes()),
        }
    }

    /// Bytes of shared memory within which all are: a swizzle needs whole lines.
    pub fn shared_bytes(&self) -> u64 {
        match self.map.swizzle {
            Swizzle::None => self.image_bytes(),
            _ => self.image_bytes().next_multiple_of(u64::from(LINE)),
        }
    }

    /// Calls `act` with the ranges of the box that have elements, before chunks change places: bytes before it, and bytes.
    ///
    /// # Errors
    /// What `act` gives.
    pub(super) fn each_row<E>(&self, mut act: impl FnMut(u32, u32) -> Result<(), E>) -> Result<(), E> {
        let (row, pitch) = (self.map.row_bytes(), self.pitch());
        if row == pitch {
            return act(0, self.image_bytes() as u32);
        }
        (0..self.rows() as u32).try_for_each(|i| act(i * pitch, row))
    }

    /// Bytes from one row of shared memory to the next.
    fn pitch(&self) -> u32 {
        match (self.map.interleave, self.map.swizzle.span()) {
            (Interleave::None, Some(span)) => self.map.row_bytes().max(span),
            _ => self.map.row_bytes(),
        }
    }

    /// What elements outside of the tensor are filled with.
    pub fn fill(&self) -> Fill {
        self.map.fill
    }

    /// Calls `act` with every run of bytes, in the order of shared memory before swizzling. `shared` is where the box begins there.
    ///
    /// # Errors
    /// What `act` gives.
    pub fn each<E>(&self, shared: u32, act: impl FnMut(Run) -> Result<(), E>) -> Result<(), E> {
        self.walk(Sink::new(shared, self.map.swizzle, self.map.element.packed(), act))
    }

    /// The same before chunks change places; `shared` counts from the start of the box.
    pub(super) fn each_linear<E>(&self, act: impl FnMut(Run) -> Result<(), E>) -> Result<(), E> {
        self.walk(Sink::new(0, Swizzle::None, self.map.element.packed(), act))
    }

    fn walk<E>(&self, mut sink: Sink<impl FnMut(Run) -> Result<(), E>>) -> Result<(), E> {
        match self.map.window {
            Window::Tiled { .. } => self.tile(&mut sink)?,
            _ => self.pixels(&mut sink)?,
        }
        sink.finish()
    }

    /// Dimension 0 as an axis of slices, in interleaved layouts.
    fn slices(&self) -> Option<Axis> {
        self.map.interleave.slice()?;
        Some(self.axis(0, self.map.inner(), self.map.strides[0]))
    }

    /// A dimension of which `extent` elements are reached, with its element stride.
    fn axis(&self, dimension: usize, extent: u32, stride: u64) -> Axis {
        let step = self.map.steps[dimension];
        let (size, at) = (self.map.sizes[dimension] as i64, self.at[dimension]);
        Axis { at, step: i64::from(step), count: extent.div_ceil(step), size, stride }
    }

    /// The dimensions above a row, in the order of shared memory. Of an interleaved layout dimension 1 is among them if `all` is set
    /// or if its elements are not side by side.
    fn tile_axes(&self, all: bool) -> Vec<Axis> {
        let Window::Tiled { size } = self.map.window else { return Vec::new() };
        if self.mode == Mode::Rows {
            return vec![Axis { count: 4, ..self.axis(1, 1, 0) }];
        }
        let axis = |d: usize| self.axis(d, size[d], self.map.strides[d - 1]);
        let rank = self.map.rank;
        let (Some(slice), Some(slices)) = (self.map.interleave.slice(), self.slices()) else {
            return (1..rank).map(axis).collect();
        };
        let within = self.axis(1, size[1], u64::from(slice));
        let first = (all || within.step != 1).then_some(within);
        first.into_iter().chain((2..rank - 1).map(axis)).chain([slices, axis(rank - 1)]).collect()
    }

    /// The elements of a row, side by side in global memory, in bytes.
    fn inner(&self) -> Inner {
        let unit = i64::from(self.map.unit_bits());
        let bytes = |elements: i64| elements * unit / 8;
        match (self.map.interleave, &self.map.window) {
            (Interleave::None, _) => {
                let (at, count, size) = (self.at[0], i64::from(self.map.inner()), self.map.sizes[0] as i64);
                Inner { at: bytes(at), count: bytes(count), size: bytes(size) }
            }
            // Slices side by side along dimension 1.
            (_, Window::Tiled { size }) if self.map.steps[1] == 1 => {
                let (at, count) = (self.at[1], i64::from(size[1]));
                Inner { at: bytes(at), count: bytes(count), size: bytes(self.map.sizes[1] as i64) }
            }
            // One slice; its place is told by the axes.
            _ => Inner { at: 0, count: bytes(1), size: bytes(1) },
        }
    }

    fn tile<E>(&self, sink: &mut Sink<impl FnMut(Run) -> Result<(), E>>) -> Result<(), E> {
        let inner = self.inner();
        if self.mode == Mode::Rows {
            for i in 0..4 {
                let row = Axis { at: self.at[1 + i], count: 1, ..self.axis(1, 1, self.map.strides[0]) };
                let shared = i as u32 * self.pitch();
                Rows { address: self.map.address, inner, axes: &[row], pitch: self.pitch(), shared }.each(sink)?;
            }
            return Ok(());
        }
        let axes = self.tile_axes(false);
        // A row of slices side by side is as long as they are.
        let pitch = match self.map.interleave {
            Interleave::None => self.pitch(),
            _ => inner.count as u32,
        };
        Rows { address: self.map.address, inner, axes: &axes, pitch, shared: 0 }.each(sink)
    }

    /// Pixels of a column, with its halos.
    fn pixel_count(&self) -> u32 {
        match self.map.window {
            Window::Tiled { .. } => 0,
            Window::Im2col { pixels, .. } => pixels,
            Window::Wide { fixed: true, .. } => WIDE_PIXELS + 4 * self.offsets[0],
            Window::Wide { pixels, .. } => pixels + self.offsets[0],
        }
    }

    /// The images, and the first pixel.
    fn images(&self) -> Images {
        let (spatial, map) = (self.map.rank - 2, &self.map);
        let mut images = Images::default();
        let (moving, lower, upper, offsets) = match map.window {
            Window::Im2col { lower, upper, .. } => (spatial, lower, upper, self.offsets),
            Window::Wide { lower, upper, .. } => (1, [lower, 0, 0], [upper, 0, 0], [self.offsets[1], 0, 0]),
            Window::Tiled { .. } => (0, [0; 3], [0; 3], [0; 3]),
        };
        for i in 0..spatial {
            let (at, offset, size) = (self.at[i + 1], i64::from(offsets[i]), map.sizes[i + 1] as i64);
            images.at[i] = at + offset;
            images.size[i] = size;
            images.step[i] = i64::from(map.steps[i + 1]);
            // A dimension that does not move has no pixel but its own.
            (images.lower[i], images.upper[i]) = match i < moving {
                true => (i64::from(lower[i]) + offset, size - 1 + i64::from(upper[i]) + offset),
                false => (at, at),
            };
            let implied = map.interleave.slice().map(u64::from).filter(|_| i == 0);
            images.stride[i] = implied.unwrap_or(map.strides[i]);
        }
        images.image = self.at[self.map.rank - 1];
        images.images = map.sizes[map.rank - 1] as i64;
        images.image_stride = map.strides[map.rank - 2];
        images
    }

    fn pixels<E>(&self, sink: &mut Sink<impl FnMut(Run) -> Result<(), E>>) -> Result<(), E> {
        let (inner, pitch, images) = (self.inner(), self.pitch(), self.images());
        let halo = if matches!(self.map.window, Window::Wide { fixed: true, .. }) { self.offsets[0] } else { 0 };
        let one = Axis { at: 0, step: 1, count: 1, size: 1, stride: 0 };
        let slices = self.slices().unwrap_or(one);
        let mut shared = 0;
        for slice in 0..slices.count {
            let (base, outside) = slices.place(slice);
            let base = self.map.address.wrapping_add(base);
            let mut pixels = Pixels::new(&images);
            for i in 0..self.pixel_count() {
                // After 32 pixels and their halo, go on where the halo began.
                if halo != 0 && i % (32 + halo) == 0 && i != 0 {
                    pixels = pixels.marked();
                }
                if halo != 0 && i % (32 + halo) == 32 {
                    pixels.mark();
                }
                let place = pixels.next().filter(|_| !outside).map(|offset| base.wrapping_add(offset));
                inner.each(place, shared, sink)?;
                shared += pitch;
            }
        }
        Ok(())
    }
}
