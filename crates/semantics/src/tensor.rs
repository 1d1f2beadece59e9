//! Asynchronous copies and reductions of boxes of tensors, and tensor maps in memory.
//!
//! PTX ISA 9.4, 9.7.10.28.5, 9.7.10.29 (tensormap.replace), 9.7.15.17 (tensormap.cp_fenceproxy). What a box is says [`machine::tensor`]; here coordinates
//! become jobs. A tensor map is read when the instruction is executed: what its proxy's fences order is not modelled.

use crate::asynchronous::{JOBS, issue_each};
use crate::atomic::reducer;
use crate::bulk::{multicast, object_for, targets};
use crate::mbarrier::shared_address;
use crate::{Function, Named, named, source_of, source_row};
use machine::boxes::Boxed;
use machine::job::{Completion, Job, Reducer, Work, is_shared};
use machine::memory::SHARED_WINDOW;
use machine::mods::{Mode, Operation, Space};
use machine::state::{Access, FaultKind, Rule, lanes};
use machine::tensor::{self, Copy, Direction, Element, Field, Invalid, MAP_ALIGNMENT, MAP_BYTES, SHARED_ALIGNMENT, TensorMap};
use machine::{Group, LANES, Op, Step, Type, op::NONE};

const MAP: usize = 0;
const AT: usize = 1;
const SHARED: usize = 6;
const BAR: usize = 7;
const OFFSETS: usize = 8;
const MASK: usize = 11;
const BASE: usize = 13;
const SIZES: usize = 14;
const LOWER: usize = 19;
const UPPER: usize = 23;

/// A tensor map that cannot be used, or not for this.
fn invalid(address: u64, what: &Invalid) -> FaultKind {
    let Invalid { place, rule, remedy } = what;
    let message = match place.as_str() {
        "tensor map" => format!("the tensor map at 0x{address:x} {rule}; {remedy}"),
        _ => format!("with the tensor map at 0x{address:x}: {place} {rule}; {remedy}"),
    };
    FaultKind::rule(Rule::Tensor, message)
}

/// How coordinates tell what is copied.
fn mode(mode: Mode) -> tensor::Mode {
    match mode {
        Mode::Gather4 | Mode::Scatter4 => tensor::Mode::Rows,
        Mode::Im2col | Mode::Im2colNoOffs => tensor::Mode::Im2col,
        Mode::Im2colW | Mode::Im2colNoOffsW => tensor::Mode::Im2colW,
        Mode::Im2colW128 => tensor::Mode::Im2colW128,
        _ => tensor::Mode::Tile,
    }
}

/// The bytes of the tensor map at a generic address.
fn map_bytes(g: &Group, address: u64) -> Result<[u8; MAP_BYTES], FaultKind> {
    if is_shared(address) {
        return Err(FaultKind::BadTarget {
            value: address,
            wanted: "the address of a tensor map in global, constant or parameter memory",
        });
    }
    if !address.is_multiple_of(MAP_ALIGNMENT) {
        return Err(FaultKind::Misaligned { address, size: MAP_ALIGNMENT as u32, access: Access::Read });
    }
    let mut bytes = [0; MAP_BYTES];
    match g.launch.memory.read(address, &mut bytes) {
        true => Ok(bytes),
        false => {
            let nearest = g.launch.memory.nearest(address);
            Err(FaultKind::OutOfBounds { space: "global", address, size: MAP_BYTES as u32, access: Access::Read, nearest })
        }
    }
}

/// What a lane's coordinates reach in its tensor map.
fn reach(g: &Group, op: &Op, i: usize, direction: Direction) -> Result<Copy, FaultKind> {
    let address = source_of::<u64>(g, op, MAP).map_or(0, |row| row[i]);
    let mut map = TensorMap::decode(&map_bytes(g, address)?).map_err(|what| invalid(address, &what))?;
    override_fields(g, op, i, &mut map);
    map.check().map_err(|what| invalid(address, &what))?;
    let at: Vec<i32> = (0..5).filter_map(|k| source_of::<i32>(g, op, AT + k)).map(|row| row[i]).collect();
    let offsets = [0, 1, 2].map(|k| source_of::<u16>(g, op, OFFSETS + k).map_or(0, |row| u32::from(row[i])));
    if source_row(g, op, SIZES) != NONE && at.iter().any(|at| *at != 0) {
        let what = "coordinates other than zero beside .override::global_dim: give the address of the box with .override::global_address";
        return Err(FaultKind::rule(Rule::Tensor, what));
    }
    Copy::new(&map, direction, mode(op.mods.mode), &at, offsets).map_err(|what| invalid(address, &what))
}

/// Gives a lane's map what operands say in its place (9.7.10.28.5.2).
fn override_fields(g: &Group, op: &Op, i: usize, map: &mut TensorMap) {
    let entry = |k: usize| source_row(g, op, k) != NONE;
    if let Some(base) = source_of::<u64>(g, op, BASE) {
        map.address = base[i];
    }
    for k in (0..map.rank).filter(|k| entry(SIZES + k)) {
        map.sizes[k] = source_of::<u8>(g, op, SIZES + k).map_or(0, |row| row[i].into());
    }
    let upper = source_of::<u16>(g, op, UPPER).map_or(0, |row| u64::from(row[i]));
    for k in (0..map.rank.saturating_sub(1)).filter(|k| entry(LOWER + k)) {
        let lower = source_of::<u32>(g, op, LOWER + k).map_or(0, |row| u64::from(row[i]));
        map.strides[k] = (lower | (upper >> (4 * k) & 0xf) << 32) << 4;
    }
}

/// The address of a box in shared memory, which must be a multiple of 128.
fn box_address(g: &Group, space: Space, address: u64, access: Access) -> Result<u32, FaultKind> {
    let shared = shared_address(g, space, address)?;
    match shared.is_multiple_of(SHARED_ALIGNMENT) {
        true => Ok(shared),
        false => Err(FaultKind::Misaligned { address, size: SHARED_ALIGNMENT, access }),
    }
}

/// Starts to copy a box of a tensor into shared memory.
pub fn load(g: &mut Group, op: &Op) -> Step {
    let masks = multicast(g, op, MASK);
    issue_each(g, op, |g, i| load_job(g, op, i, masks.map(|masks| masks[i])).map(Some))
}

fn load_job(g: &mut Group, op: &Op, i: usize, ranks: Option<u32>) -> Result<Job, FaultKind> {
    let copy = reach(g, op, i, Direction::Load)?;
    let [to, bar]: [[u64; LANES]; 2] = [SHARED, BAR].map(|entry| source_of(g, op, entry).unwrap_or_default());
    let shared = box_address(g, op.mods.space, to[i], Access::Write)?;
    let boxed = Boxed { copy, shared, ranks: ranks.unwrap_or(0), reduce: None, pair: op.mods.pair() };
    for address in targets(g, to[i], ranks)? {
        g.cluster.range(g.launch.memory, address, boxed.span(), Access::Write)?;
    }
    let bar = shared_address(g, op.mods.space, bar[i])?;
    for place in boxed.places() {
        object_for(g, op, i, boxed.object(bar, place))?;
    }
    let completion = Completion::Mbarrier(bar, copy.bytes() as u32);
    Ok(Job::new(Work::Box(Box::new(boxed)), completion, g.site(op, i)).reporting(op.mods.report))
}

/// Starts to copy a box from shared memory into a tensor.
pub fn store(g: &mut Group, op: &Op) -> Step {
    start_store(g, op, |_| Ok(None))
}

/// Starts to combine a box in shared memory with what a tensor holds; the tensor map tells the elements' type.
pub fn reduce(g: &mut Group, op: &Op) -> Step {
    let operation = op.mods.op;
    start_store(g, op, |element| reducer_of(operation, element).map(|reducer| Some((operation, reducer))))
}

/// What combines elements of a type, if the operation is one of the type (9.7.10.28.5.4).
fn reducer_of(operation: Operation, element: Element) -> Result<Reducer, FaultKind> {
    use Element::{Bf16, F16, F32, S32, S64, U32, U64};
    let elements: &[Element] = match operation {
        Operation::Add => &[U32, S32, U64, F32, F16, Bf16],
        Operation::Min | Operation::Max => &[U32, S32, U64, S64, F16, Bf16],
        Operation::Inc | Operation::Dec => &[U32],
        _ => &[U32, S32, U64, S64],
    };
    let ty = match element {
        U32 => Type::U32,
        S32 => Type::S32,
        U64 => Type::U64,
        S64 => Type::S64,
        F16 => Type::F16,
        Bf16 => Type::Bf16,
        _ => Type::F32,
    };
    let found = elements.contains(&element).then(|| reducer(ty)).flatten();
    found.ok_or_else(|| {
        let names: Vec<&str> = elements.iter().map(|e| e.name()).collect();
        let (operation, names) = (format!("{operation:?}").to_lowercase(), names.join(", "));
        let rule = format!("the tensor's type is {}, .{operation} takes {names}", element.name());
        FaultKind::rule(Rule::Tensor, format!("{rule}; encode the map with another type, or change the operation"))
    })
}

fn start_store(g: &mut Group, op: &Op, reducer: impl Fn(Element) -> Result<Option<(Operation, Reducer)>, FaultKind>) -> Step {
    issue_each(g, op, |g, i| store_job(g, op, i, &reducer).map(Some))
}

fn store_job(
    g: &mut Group,
    op: &Op,
    i: usize,
    reducer: impl Fn(Element) -> Result<Option<(Operation, Reducer)>, FaultKind>,
) -> Result<Job, FaultKind> {
    let copy = reach(g, op, i, Direction::Store)?;
    let from: [u64; LANES] = source_of(g, op, SHARED).unwrap_or_default();
    let shared = box_address(g, Space::Shared, from[i], Access::Read)?;
    let boxed = Boxed { copy, shared, ranks: 0, reduce: reducer(copy.map().element)?, pair: false };
    g.cluster.range(g.launch.memory, SHARED_WINDOW + u64::from(shared), boxed.span(), Access::Read)?;
    let completion = Completion::Group(g.warp.committed[JOBS][i]);
    Ok(Job::new(Work::Box(Box::new(boxed)), completion, g.site(op, i)))
}

/// Brings a box nearer, or changes its priority: looks only whether there is one.
pub fn hint(g: &mut Group, op: &Op) -> Step {
    for i in lanes(g.active(op)) {
        if let Err(kind) = reach(g, op, i, Direction::Load) {
            return g.fail(i as u32, kind);
        }
    }
    Step::Next
}

/// Gives a field of the tensor map at `a` another value.
pub fn replace(g: &mut Group, op: &Op) -> Step {
    let addresses: [u64; LANES] = source_of(g, op, 0).unwrap_or_default();
    let ordinals: [u32; LANES] = source_of(g, op, 1).unwrap_or_default();
    let values: [u64; LANES] = match op.mods.mode {
        Mode::GlobalAddress | Mode::GlobalStride => source_of(g, op, 2).unwrap_or_default(),
        _ => source_of::<u32>(g, op, 2).unwrap_or_default().map(u64::from),
    };
    g.wrote = true;
    for i in lanes(g.active(op)) {
        if let Err(kind) = replace_field(g, addresses[i], field(op.mods.mode, ordinals[i]), values[i]) {
            return g.fail(i as u32, kind);
        }
    }
    Step::Next
}

fn field(mode: Mode, ordinal: u32) -> Field {
    match mode {
        Mode::GlobalAddress => Field::GlobalAddress,
        Mode::Rank => Field::Rank,
        Mode::BoxDim => Field::BoxDim(ordinal),
        Mode::GlobalDim => Field::GlobalDim(ordinal),
        Mode::GlobalStride => Field::GlobalStride(ordinal),
        Mode::ElementStride => Field::ElementStride(ordinal),
        Mode::Elemtype => Field::ElementType,
        Mode::InterleaveLayout => Field::InterleaveLayout,
        Mode::SwizzleMode => Field::SwizzleMode,
        Mode::SwizzleAtomicity => Field::SwizzleAtomicity,
        _ => Field::FillMode,
    }
}

fn replace_field(g: &mut Group, address: u64, field: Field, value: u64) -> Result<(), FaultKind> {
    let mut bytes = [0; MAP_BYTES];
    g.cluster.read_bytes(g.launch.memory, address, &mut bytes)?;
    field.replace(&mut bytes, value).map_err(|what| invalid(address, &what))?;
    g.cluster.write_bytes(g.launch.memory, address, &bytes)
}

/// Copies a tensor map from shared to global memory.
pub fn copy_map(g: &mut Group, op: &Op) -> Step {
    let [to, from]: [[u64; LANES]; 2] = [0, 1].map(|i| source_of(g, op, i).unwrap_or_default());
    g.wrote = true;
    for i in lanes(g.active(op)) {
        let mut bytes = [0; MAP_BYTES];
        let copied = shared_address(g, Space::Shared, from[i])
            .and_then(|_| g.cluster.read_bytes(g.launch.memory, from[i], &mut bytes))
            .and_then(|()| g.cluster.write_bytes(g.launch.memory, to[i], &bytes));
        if let Err(kind) = copied {
            return g.fail(i as u32, kind);
        }
    }
    Step::Next
}

/// Operands of copies of boxes; the box in shared memory is their target or their source.
const fn operands(shared: &'static str) -> [(&'static str, usize); 11] {
    [
        ("map", 1),
        ("at", 5),
        (shared, 1),
        ("bar", 1),
        ("offsets", 3),
        ("mask", 1),
        ("policy", 1),
        ("base", 1),
        ("sizes", 5),
        ("lower", 4),
        ("upper", 1),
    ]
}
const LOAD: Named = Named { sources: &operands("to"), results: &[] };
const STORE: Named = Named { sources: &operands("from"), results: &[] };
const REPLACE: Named = Named { sources: &[("a", 1), ("ordinal", 1), ("value", 1)], results: &[] };
const MAPS: Named = Named { sources: &[("to", 1), ("from", 1), ("size", 1)], results: &[] };

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    named("tensor::load", &LOAD, |_| Some(load)),
    named("tensor::store", &STORE, |_| Some(store)),
    named("tensor::reduce", &STORE, |_| Some(reduce)),
    named("tensor::hint", &LOAD, |_| Some(hint)),
    named("tensor::replace", &REPLACE, |_| Some(replace)),
    named("tensor::copy_map", &MAPS, |_| Some(copy_map)),
];
