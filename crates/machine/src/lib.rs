//! What both vendors' programs run on: lanes and their values, register rows, masks, memory spaces, barriers.
//!
//! A warp is 32 lanes that execute one instruction at a time for a mask of them. Its registers are rows: a 32-bit
//! register is `[u32; 32]`, a predicate is the 32 bits of a `u32`. An instruction is an [`Op`]: a handler and the byte
//! offsets of its rows. This crate knows no instruction, no record and no vendor; `semantics` says what the
//! instructions do, `engine` makes the ops and decides who runs.

pub mod barrier;
pub mod boxes;
pub mod cluster;
pub mod gws;
pub mod halves;
pub mod hazard;
pub mod job;
pub mod lane;
pub mod mbarrier;
pub mod memory;
pub mod mods;
pub mod multicast;
pub mod op;
pub mod overlap;
mod pending;
pub mod pieces;
pub mod proxy;
pub mod row;
pub mod shadow;
pub mod split;
pub mod state;
pub mod tensor;
pub mod wave;

pub use lane::{Element, Int, Lane, Type};
pub use mods::Mods;
pub use op::{Handler, Op, Step};
pub use state::{Fault, Group};

/// Lanes of a warp.
pub const LANES: usize = 32;
/// The mask of all lanes.
pub const FULL: u32 = u32::MAX;
