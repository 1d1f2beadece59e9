//! What instructions do.
//!
//! A record of the table names a function here (`run int::mul_hi`); `engine` joins the two by [`find`]. Functions are named by
//! their mathematics, so both vendors' instructions share them. They see values and settings ([`machine::Mods`]), never syntax.
//!
//! Three shapes:
//! - lane: `fn mul_hi<T: Int>(m: Mods, a: T, b: T) -> T`, pure, one lane; registered once for each list of types;
//! - group: `fn vote(g: &mut Group, op: &Op) -> Step`, all lanes of a group at once: shuffles, memory, barriers, branches.
//!   `Op::src` and `Op::dst` hold the operands in the order of the form, `NONE` where one is left out, constants as rows like
//!   registers; a negated predicate has an odd offset; a vector is an index of `Tables::offsets` with `Op::arity` entries. `Op::ty` is
//!   the type of the operand that carries the value (an element of it), `Op::reg` the type of the register that holds it.
//! - named: a group function that takes operands by their names, however many and in whatever order forms have them: `Op::src[0]` and
//!   `Op::dst[0]` are indices of `Tables::offsets` with an entry for each name, or as many as it has elements; addresses are generic ones of 64 bits.
//!
//! Adding a function: write it in its module with a doc comment (the reference pages print comment and body), add a line to the
//! module's `FUNCTIONS`, add test lines under tests/run.

use machine::mods::{Mods, Space};
use machine::{Group, Handler, Op, Type, row::Instance};

pub mod address;
pub mod alternate;
pub mod approximate;
pub mod asynchronous;
pub mod atomic;
pub mod barrier;
pub mod bits;
pub mod buffer;
pub mod bulk;
pub mod cluster;
pub mod combine;
pub mod compare;
pub mod control;
pub mod convert;
pub mod descriptor;
pub mod dot;
pub mod extended;
pub mod fixed;
pub mod float;
pub mod format;
pub mod graphics;
pub mod gws;
pub mod ieee;
pub mod image;
pub mod int;
pub mod lds_copy;
pub mod logic;
pub mod mbarrier;
pub mod memory;
pub mod mixed;
pub mod moves;
pub mod multimem;
pub mod operand;
pub mod printf;
pub mod products;
pub mod sample;
pub mod scalar;
pub mod scalar_memory;
pub mod select;
pub mod small;
pub mod special;
pub mod split;
pub mod stack;
pub mod system;
pub mod tensor;
pub mod tile;
pub mod transpose;
pub mod video;
pub mod warp;
pub mod wave;

/// A named function.
pub struct Function {
    /// `module::function`, as records name it.
    pub name: &'static str,
    /// How it becomes a handler.
    pub shape: Shape,
}

/// How a function becomes a handler.
pub enum Shape {
    /// A pure function of one lane, for these types.
    Lane(&'static [Instance]),
    /// A function of a group; the handler may depend on the op's types. `None` where these types make no sense.
    Group(fn(&Op) -> Option<Handler>),
    /// A function of a group that takes operands by name.
    Named(&'static Named, fn(&Op) -> Option<Handler>),
}

/// The operands of a named function, in the order of their entries.
pub struct Named {
    /// Sources, each with how many elements it can have.
    pub sources: &'static [(&'static str, usize)],
    /// Results, likewise.
    pub results: &'static [(&'static str, usize)],
}

/// A lane function.
pub(crate) const fn lane(name: &'static str, instances: &'static [Instance]) -> Function {
    Function { name, shape: Shape::Lane(instances) }
}

/// A group function.
pub(crate) const fn group(name: &'static str, choose: fn(&Op) -> Option<Handler>) -> Function {
    Function { name, shape: Shape::Group(choose) }
}

/// A group function that takes operands by name.
pub(crate) const fn named(name: &'static str, operands: &'static Named, choose: fn(&Op) -> Option<Handler>) -> Function {
    Function { name, shape: Shape::Named(operands, choose) }
}

/// The row of entry `i` of a named function's sources, [`machine::op::NONE`] if it was not written.
pub(crate) fn source_row(g: &Group, op: &Op, i: usize) -> u32 {
    g.launch.tables.offsets[op.src[0] as usize + i]
}

/// The same of its results.
pub(crate) fn result_row(g: &Group, op: &Op, i: usize) -> u32 {
    g.launch.tables.offsets[op.dst[0] as usize + i]
}

/// A source of a named function, if it was written.
pub(crate) fn source_of<T: machine::Element>(g: &Group, op: &Op, i: usize) -> Option<[T; machine::LANES]> {
    let row = source_row(g, op, i);
    (row != machine::op::NONE).then(|| g.row(row))
}

/// One instance for each type: `each!(lane2(add): u16 u32)` is `&[lane2(add::<u16>), lane2(add::<u32>)]`; further functions
/// of the same name for other types follow after `;`.
macro_rules! each {
    ($($lane:ident($f:ident): $($t:ty)*);*) => { &[$($($lane($f::<$t>),)*)*] };
}
pub(crate) use each;

/// A module's name, its source text for the reference pages, and its functions.
pub struct Module {
    /// `int`.
    pub name: &'static str,
    /// Its file.
    pub source: &'static str,
    /// What it registers.
    pub functions: &'static [Function],
}

/// Every module.
pub static MODULES: &[Module] = &[
    Module { name: "address", source: include_str!("address.rs"), functions: address::FUNCTIONS },
    Module { name: "alternate", source: include_str!("alternate.rs"), functions: alternate::FUNCTIONS },
    Module { name: "approximate", source: include_str!("approximate.rs"), functions: approximate::FUNCTIONS },
    Module { name: "asynchronous", source: include_str!("asynchronous.rs"), functions: asynchronous::FUNCTIONS },
    Module { name: "atomic", source: include_str!("atomic.rs"), functions: atomic::FUNCTIONS },
    Module { name: "barrier", source: include_str!("barrier.rs"), functions: barrier::FUNCTIONS },
    Module { name: "bits", source: include_str!("bits.rs"), functions: bits::FUNCTIONS },
    Module { name: "bulk", source: include_str!("bulk.rs"), functions: bulk::FUNCTIONS },
    Module { name: "cluster", source: include_str!("cluster.rs"), functions: cluster::FUNCTIONS },
    Module { name: "combine", source: include_str!("combine.rs"), functions: combine::FUNCTIONS },
    Module { name: "compare", source: include_str!("compare.rs"), functions: compare::FUNCTIONS },
    Module { name: "control", source: include_str!("control.rs"), functions: control::FUNCTIONS },
    Module { name: "convert", source: include_str!("convert.rs"), functions: convert::FUNCTIONS },
    Module { name: "dot", source: include_str!("dot.rs"), functions: dot::FUNCTIONS },
    Module { name: "extended", source: include_str!("extended.rs"), functions: extended::FUNCTIONS },
    Module { name: "fixed", source: include_str!("fixed.rs"), functions: fixed::FUNCTIONS },
    Module { name: "float", source: include_str!("float.rs"), functions: float::FUNCTIONS },
    Module { name: "format", source: include_str!("format.rs"), functions: format::FUNCTIONS },
    Module { name: "graphics", source: include_str!("graphics.rs"), functions: graphics::FUNCTIONS },
    Module { name: "gws", source: include_str!("gws.rs"), functions: gws::FUNCTIONS },
    Module { name: "ieee", source: include_str!("ieee.rs"), functions: ieee::FUNCTIONS },
    Module { name: "image", source: include_str!("image.rs"), functions: image::FUNCTIONS },
    Module { name: "int", source: include_str!("int.rs"), functions: int::FUNCTIONS },
    Module { name: "lds_copy", source: include_str!("lds_copy.rs"), functions: lds_copy::FUNCTIONS },
    Module { name: "logic", source: include_str!("logic.rs"), functions: logic::FUNCTIONS },
    Module { name: "mbarrier", source: include_str!("mbarrier.rs"), functions: mbarrier::FUNCTIONS },
    Module { name: "memory", source: include_str!("memory.rs"), functions: memory::FUNCTIONS },
    Module { name: "mixed", source: include_str!("mixed.rs"), functions: mixed::FUNCTIONS },
    Module { name: "move", source: include_str!("moves.rs"), functions: moves::FUNCTIONS },
    Module { name: "multimem", source: include_str!("multimem.rs"), functions: multimem::FUNCTIONS },
    Module { name: "products", source: include_str!("products.rs"), functions: products::FUNCTIONS },
    Module { name: "sample", source: include_str!("sample.rs"), functions: sample::FUNCTIONS },
    Module { name: "scalar", source: include_str!("scalar.rs"), functions: scalar::FUNCTIONS },
    Module { name: "scalar_memory", source: include_str!("scalar_memory.rs"), functions: scalar_memory::FUNCTIONS },
    Module { name: "select", source: include_str!("select.rs"), functions: select::FUNCTIONS },
    Module { name: "small", source: include_str!("small.rs"), functions: small::FUNCTIONS },
    Module { name: "special", source: include_str!("special.rs"), functions: special::FUNCTIONS },
    Module { name: "split", source: include_str!("split.rs"), functions: split::FUNCTIONS },
    Module { name: "stack", source: include_str!("stack.rs"), functions: stack::FUNCTIONS },
    Module { name: "tensor", source: include_str!("tensor.rs"), functions: tensor::FUNCTIONS },
    Module { name: "tile", source: include_str!("tile.rs"), functions: tile::FUNCTIONS },
    Module { name: "video", source: include_str!("video.rs"), functions: video::FUNCTIONS },
    Module { name: "warp", source: include_str!("warp.rs"), functions: warp::FUNCTIONS },
    Module { name: "wave", source: include_str!("wave.rs"), functions: wave::FUNCTIONS },
];

/// Whether a function reads or writes memory in the background, or has to do with what tells of that, so that accesses are watched.
pub fn is_asynchronous(name: &str) -> bool {
    let module = name.split("::").next().unwrap_or_default();
    matches!(module, "asynchronous" | "bulk" | "mbarrier" | "lds_copy" | "tile")
        || name.starts_with("multimem::start")
        || matches!(name, "tensor::load" | "tensor::store" | "tensor::reduce" | "cluster::try_cancel")
}

/// Whether a function with these settings reads global memory through the asynchronous proxy, if only to reduce into it.
pub fn reads_global(name: &str, mods: Mods) -> bool {
    match name {
        "tensor::load" | "tensor::reduce" | "multimem::start_reduce" => true,
        "bulk::copy" => mods.source == Space::Global,
        "bulk::reduce" => mods.space == Space::Global,
        _ => false,
    }
}

/// Whether a function lets dependent launches begin.
pub fn lets_dependents_begin(name: &str) -> bool {
    name == "barrier::launch_dependents"
}

/// The function of this name.
pub fn find(name: &str) -> Option<&'static Function> {
    let (module, _) = name.split_once("::")?;
    MODULES.iter().find(|m| m.name == module)?.functions.iter().find(|f| f.name == name)
}

/// The instance of a lane function for these types of results and sources.
pub fn instance(instances: &'static [Instance], results: &[Type], sources: &[Type]) -> Option<&'static Instance> {
    instances.iter().find(|i| i.results == results && i.sources == sources)
}

/// The doc comment and body of a function as they stand in its module's file.
pub fn source(name: &str) -> Option<&'static str> {
    let (module, function) = name.split_once("::")?;
    let text = MODULES.iter().find(|m| m.name == module)?.source;
    let at = ["fn ", "fn r#"]
        .iter()
        .find_map(|keyword| ["<", "("].iter().find_map(|after| text.find(&format!("{keyword}{function}{after}"))))?;
    let start = text[..at].rfind("\n\n").map_or(0, |i| i + 2);
    let end = at + text[at..].find("\n}\n")? + 2;
    text.get(start..end)
}
