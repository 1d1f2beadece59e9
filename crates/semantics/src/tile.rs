//! Tiles of tensors that AMD's tensor data mover brings to LDS and back (gfx125).
//!
//! A descriptor in scalar registers, of two groups of words or four, says where the tensor and its tile are; what a lane is, or which are active, does
//! not matter. A tile is dense in LDS, but for padding that loads may put between its words; what of it lies outside of the tensor is loaded as zeros, and not
//! stored. AMD's CDNA5 ISA guide, 10.11, as what quotes it, AMD's descriptor classes of HIP and Composable Kernel, LLVM's lowering and rocjitsu say.

use crate::asynchronous::issue;
use crate::{Function, group};
use machine::job::{Completion, Job, Work};
use machine::op::NONE;
use machine::pieces::{Kind, Piece, Pieces};
use machine::state::{Access, FaultKind};
use machine::{Group, Op, Step};

/// The most dimensions of a tensor.
const RANK: usize = 5;

/// A descriptor's fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Whether there is something to do.
    pub active: bool,
    /// The address of the tile.
    pub global: u64,
    /// Where it goes in LDS.
    pub shared: u32,
    /// Bytes of an element.
    pub size: u32,
    /// Elements of the tensor from the tile's begin on, in each dimension.
    pub tensor: [u32; RANK],
    /// Elements of the tile; 0 of a dimension that it does not have.
    pub tile: [u32; RANK],
    /// Elements between neighbours, in the dimensions behind the first.
    pub strides: [u64; RANK - 1],
    /// Behind so many bytes so many are left out in LDS.
    pub padding: Option<(u32, u32)>,
    /// How often the tile is moved, and how many elements further each time in global memory and in LDS.
    pub repeat: (u32, u64, u32),
    /// Rows of the tensor in place of those that follow each other.
    pub rows: Option<Vec<u32>>,
    /// The offset of the barrier in LDS at which it arrives.
    pub barrier: Option<u32>,
    /// Blocks of the cluster that want the tile.
    pub blocks: u32,
}

/// Some bits of the words of a group.
fn field(words: &[u32], first: u32, bits: u32) -> u64 {
    (0..bits).fold(0, |all, i| {
        let bit = first + i;
        all | u64::from(words[bit as usize / 32] >> (bit % 32) & 1) << i
    })
}

impl Descriptor {
    /// The descriptor in these groups; those that an instruction does not name are zero.
    ///
    /// # Errors
    /// It says something that nothing public gives a meaning.
    pub fn parse(groups: [&[u32]; 4]) -> Result<Descriptor, String> {
        let [place, shape, more, most] = groups;
        let count = field(place, 0, 2);
        if count > 1 || field(place, 2, 3) != 0 {
            return Err(format!("bits 4 to 0 of the first word are {:#x}: programs may only have 0 or 1 there", place[0] & 31));
        }
        if count == 1 && field(place, 126, 2) != 2 {
            return Err(format!("its type, bits 127 and 126 of the first group, is {}: it must be 2", field(place, 126, 2)));
        }
        let gathers = field(place, 31, 1) == 1;
        let iterates = !gathers && field(shape, 19, 1) == 1;
        let (few, many) = (|first, bits| field(shape, first, bits) as u32, |first, bits| field(more, first, bits) as u32);
        let mut tensor = [few(48, 32), few(80, 32), many(0, 32), many(32, 32), field(most, 48, 32) as u32];
        let mut tile = [few(112, 16), few(128, 16), few(144, 16), many(112, 16), field(most, 80, 16) as u32];
        let mut strides = [field(shape, 160, 48), field(shape, 208, 48), field(more, 64, 48), field(most, 0, 48)];
        let mut repeat = (1, 0, 0);
        if iterates {
            repeat = (tile[3] + 1, strides[2], tensor[3]);
        }
        if iterates || gathers {
            (tensor[3], tensor[4], tile[3], tile[4], strides[2], strides[3]) = (0, 0, 0, 0, 0, 0);
        }
        let rows = gathers.then(|| Descriptor::rows(field(place, 30, 1) == 1, more, most, tile[1])).transpose()?;
        if gathers {
            (tensor[2], tile[2], strides[1]) = (0, 0, 0);
        }
        let padding = (few(20, 1) == 1).then(|| (4 << (few(22, 3) + 1), 4 * (few(25, 7) + 1)));
        Ok(Descriptor {
            active: count == 1,
            global: field(place, 64, 57),
            shared: place[1],
            size: 1 << few(16, 2),
            tensor,
            tile,
            strides,
            padding,
            repeat,
            rows,
            barrier: (few(18, 1) == 1).then(|| few(32, 16) << 3),
            blocks: few(0, 16),
        })
    }

    fn rows(wide: bool, more: &[u32], most: &[u32], count: u32) -> Result<Vec<u32>, String> {
        let words = more.iter().chain(most);
        let all: Vec<u32> =
            if wide { words.copied().collect() } else { words.flat_map(|word| [word & 0xffff, word >> 16]).collect() };
        match all.get(..count as usize) {
            Some(rows) if count > 0 => Ok(rows.to_vec()),
            _ => Err(format!("it has {count} row indices: from 1 to {} there may be", all.len())),
        }
    }

    /// How many dimensions the tile has.
    fn rank(&self) -> usize {
        self.tile.iter().rposition(|n| *n != 0).map_or(0, |last| last + 1)
    }

    /// Bytes that the tile takes in LDS each time, without padding.
    fn bytes(&self) -> u64 {
        let rank = self.rank();
        self.tile[..rank].iter().fold(u64::from(self.size), |all, n| all.saturating_mul((*n).into()))
    }

    /// The coordinates of an element so many behind the first, in a tensor whose strides nest.
    fn origin(&self, mut elements: u64) -> [u64; RANK] {
        let mut origin = [0; RANK];
        for dimension in (1..self.rank()).rev() {
            if let Some(at) = elements.checked_div(self.strides[dimension - 1]) {
                (origin[dimension], elements) = (at, elements % self.strides[dimension - 1]);
            }
        }
        origin[0] = elements;
        origin
    }

    /// Whether each stride leaves room for all that the dimensions before it hold.
    fn nests(&self) -> bool {
        let mut span = u64::from(self.tensor[0]);
        (1..self.rank()).all(|dimension| {
            let (stride, before) = (self.strides[dimension - 1], span);
            span = stride.saturating_mul(self.tensor[dimension].into());
            stride >= before
        })
    }

    /// Calls `act` with the runs of bytes along the first dimension: the address in global memory if it is in the tensor, the offset in LDS before padding, and the
    /// bytes.
    fn runs(&self, mut act: impl FnMut(Option<u64>, u64, u64)) {
        let (rank, size, bounds) = (self.rank(), u64::from(self.size), self.tensor.map(u64::from));
        let width = u64::from(self.tile[0]);
        let lines: u64 = self.tile[1..rank.max(1)].iter().map(|n| u64::from(*n)).product();
        for time in 0..u64::from(self.repeat.0) {
            let lds = time.wrapping_mul(self.repeat.2.into()).wrapping_mul(size);
            let begin = self.origin(time.wrapping_mul(self.repeat.1));
            for line in 0..lines {
                let (mut rest, mut element, mut inside) = (line, time.wrapping_mul(self.repeat.1), true);
                for dimension in 1..rank {
                    let n = u64::from(self.tile[dimension]);
                    let mut at = rest % n;
                    rest /= n;
                    if let Some(rows) = &self.rows {
                        at = rows[at as usize].into();
                    }
                    inside &= begin[dimension].saturating_add(at) < bounds[dimension];
                    element = element.wrapping_add(at.wrapping_mul(self.strides[dimension - 1]));
                }
                let here = if inside { width.min(bounds[0].saturating_sub(begin[0])) } else { 0 };
                let (from, to) = (self.global.wrapping_add(element.wrapping_mul(size)), lds + line * width * size);
                if here > 0 {
                    act(Some(from), to, here * size);
                }
                if here < width {
                    act(None, to + here * size, (width - here) * size);
                }
            }
        }
    }

    /// Adds the pieces of a run, which padding cuts.
    fn cut(&self, list: &mut Vec<Piece>, base: u32, global: Option<u64>, offset: u64, len: u64) {
        let mut done = 0;
        while done < len {
            let at = offset + done;
            let (skipped, next) = match self.padding {
                Some((interval, amount)) => {
                    let (interval, amount) = (u64::from(interval), u64::from(amount));
                    (at / interval * amount, interval - at % interval)
                }
                None => (0, len - done),
            };
            let now = next.min(len - done);
            let shared = base.wrapping_add((at + skipped) as u32);
            list.push(Piece { global: global.map(|from| from.wrapping_add(done)), shared, len: now as u32, lane: 0 });
            done += now;
        }
    }
}

/// The words of a group of registers, zeros where none is named.
fn words<const N: usize>(g: &Group, at: u32) -> [u32; N] {
    std::array::from_fn(|i| if at == NONE { 0 } else { g.predicate(at + 4 * i as u32) })
}

fn start(g: &mut Group, op: &Op, store: bool) -> Result<Option<Pieces>, FaultKind> {
    let wrong = |why: String| FaultKind::Other(format!("the descriptor of a tile cannot be used: {why}"));
    let (place, shape): ([u32; 4], [u32; 8]) = (words(g, op.src[0]), words(g, op.src[1]));
    let (more, most): ([u32; 4], [u32; 4]) = (words(g, op.src[2]), words(g, op.src[3]));
    let mut tile = Descriptor::parse([&place, &shape, &more, &most]).map_err(wrong)?;
    if !tile.active {
        return Ok(None);
    }
    if store {
        (tile.padding, tile.blocks) = (None, 0);
    }
    if tile.blocks != 0 && tile.blocks >> g.block.rank & 1 == 0 {
        return Err(wrong(format!(
            "block {} is not among those that its mask ({:#x}) has the tile go to",
            g.block.rank, tile.blocks
        )));
    }
    let rank = tile.rank();
    if tile.tile[..rank].contains(&0) {
        return Err(wrong("a dimension of the tile is 0 before one that is not".into()));
    }
    // Where later tiles lie in a tensor must follow from how far they are from the first.
    if tile.repeat.0 > 1 && tile.repeat.1 != 0 && !tile.nests() {
        return Err(wrong("it iterates over a tensor whose strides do not nest".into()));
    }
    if tile.padding.is_some() && !(tile.tile[0] * tile.size).is_multiple_of(4) {
        return Err(wrong("it has padding, and lines that are no multiple of four bytes".into()));
    }
    let access = if store { Access::Read } else { Access::Write };
    let all = tile
        .bytes()
        .saturating_add((u64::from(tile.repeat.0) - 1).saturating_mul(u64::from(tile.repeat.2) * u64::from(tile.size)));
    let skipped = tile.padding.map_or(0, |(interval, amount)| all.saturating_sub(1) / u64::from(interval) * u64::from(amount));
    let span = u32::try_from(all.saturating_add(skipped)).unwrap_or(u32::MAX);
    let mut list = Vec::new();
    if rank > 0 {
        let base = g.lds_range(tile.shared, span, access, 1)?;
        tile.runs(|global, offset, len| {
            if !store || global.is_some() {
                tile.cut(&mut list, base, global, offset, len);
            }
        });
    }
    let to = if store { Access::Write } else { Access::Read };
    for piece in &list {
        if let Some(at) = piece.global {
            g.cluster.range(g.launch.memory, at, piece.len, to)?;
        }
    }
    let mut arrivals = Vec::new();
    if let Some(barrier) = tile.barrier {
        arrivals.push((g.lds_range(barrier, 8, Access::Atomic, 8)?, 0));
    }
    Ok(Some(Pieces { list, store, arrivals }))
}

fn transfer(g: &mut Group, op: &Op, store: bool) -> Step {
    match start(g, op, store) {
        // A descriptor that says nothing is counted and complete at once.
        Ok(None) => Step::Next,
        Ok(Some(pieces)) => {
            let site = g.site(op, 0);
            issue(g, Job::new(Work::Pieces(Box::new(pieces)), Completion::Counter(Kind::Tile), site))
        }
        Err(kind) => g.fail(0, kind),
    }
}

/// Starts to bring a tile to LDS.
pub fn load(g: &mut Group, op: &Op) -> Step {
    transfer(g, op, false)
}

/// Starts to bring a tile from LDS to its tensor.
pub fn store(g: &mut Group, op: &Op) -> Step {
    transfer(g, op, true)
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[group("tile::load", |_| Some(load)), group("tile::store", |_| Some(store))];
