//! What a wavefront has issued lately: whether it keeps apart what hardware does not.
//!
//! Which instructions follow each other too closely, by what rule, is no business of this crate: a kernel whose code may break one brings a
//! [`Watch`], and has an op in each of its instructions that notes it and asks. Other kernels have neither.

use crate::state::FaultKind;
use crate::{Group, Op, Step};

/// How many instructions back a rule is looked for.
pub const HORIZON: usize = 256;

/// Looks by which rules the instruction that is issued comes too early: gets the numbers of those before it, the latest last, and its own.
pub struct Watch(pub Box<Look>);

/// See [`Watch`].
pub type Look = dyn Fn(&[u32], u32) -> Vec<Early> + Send + Sync;

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}

/// An instruction that comes too early after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Early {
    /// What is wrong, one line.
    pub message: String,
    /// The rule and its source.
    pub note: String,
    /// How it is made right.
    pub help: String,
    /// The first instruction: its number, and, once it is a fault, its op.
    pub first: u32,
    /// The rule's name, if something says that hardware keeps them apart all the same: then it is told once and is no fault.
    pub doubted: Option<&'static str>,
}

/// Notes that the instruction with the number `imm` is issued; with `arity` 2, looks whether it may be.
pub fn issue(g: &mut Group, op: &Op) -> Step {
    let number = op.imm as u32;
    if op.arity == 2
        && let Some(watch) = &g.launch.tables.watch
    {
        let op_of = |number: u32| g.launch.tables.addresses.get(number as usize).map_or(0, |known| known.1);
        let mut certain = None;
        for early in (watch.0)(&g.warp.issued, number) {
            let early = Early { first: op_of(early.first), ..early };
            match early.doubted {
                None => certain = certain.or(Some(early)),
                Some(_) => doubt(g, early, op_of(number)),
            }
        }
        if let Some(early) = certain {
            return g.fail(0, FaultKind::Early(Box::new(early)));
        }
    }
    if g.warp.issued.len() == 2 * HORIZON {
        g.warp.issued.drain(..HORIZON);
    }
    g.warp.issued.push(number);
    Step::Next
}

/// Remembers the first instruction of a launch that breaks a rule of which it is in doubt whether it holds.
#[cold]
fn doubt(g: &Group, early: Early, op: u32) {
    let mut doubts = g.launch.doubts.lock().unwrap_or_else(|e| e.into_inner());
    if doubts.iter().all(|known| known.early.doubted != early.doubted) {
        doubts.push(Doubt { early, op, block: g.block.index, warp: g.warp.index });
    }
}

/// An instruction that comes too early by a rule of which it is in doubt whether it holds.
#[derive(Clone, Debug)]
pub struct Doubt {
    /// What it breaks.
    pub early: Early,
    /// Its op.
    pub op: u32,
    /// Block in the grid.
    pub block: [u32; 3],
    /// Wavefront in the block.
    pub warp: u32,
}
