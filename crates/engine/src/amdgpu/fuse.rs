//! Two instructions as one op, where neither can be told apart from it: the words of a sum of 64 bits.
//!
//! Compilers make such sums of an addition that gives carries and one that takes them, for nearly every address. Nothing may come between the two: no
//! other way leads to the second, and the mask of the first is the second's.

use super::code::Code;
use super::frame::{Frame, ROW, VCC};
use machine::op::NONE;
use machine::row::Instance;
use machine::{Handler, Mods, Op, Type};
use semantics::Shape;

/// The handlers that are fused, for a wavefront's layout.
pub struct Sums {
    /// Adds the lower words.
    low: Handler,
    /// Adds the upper words and the carries.
    high: Handler,
    /// Adds both.
    both: Handler,
    /// How far apart they are.
    apart: u32,
    halves: usize,
}

fn instance(name: &str, first: Type) -> Option<&'static Instance> {
    match &semantics::find(name)?.shape {
        Shape::Lane(instances) => instances.iter().find(|instance| instance.sources[0] == first),
        _ => None,
    }
}

impl Sums {
    /// What is fused in a frame; nothing where this host has no handler for sums of pairs.
    pub fn of(frame: Frame) -> Option<Sums> {
        let apart = frame.halves * ROW;
        let row = |name: &str| Some(instance(name, Type::U32)?.row(Mods::default()));
        let low = row("extended::add_carry_out")?;
        let high = row("extended::add_carry")?;
        let both = instance("extended::add_carry_out", Type::U64)?.apart(Mods::default(), apart)?;
        Some(Sums { low, high, both, apart, halves: frame.halves as usize })
    }

    /// Replaces the ops of the last two instructions, those from `first` and from `second` on, if they are a sum. `vcc_matters`: whether what they leave in VCC may
    /// be read.
    pub fn fuse(&self, code: &mut Code, first: usize, second: usize, vcc_matters: bool) {
        if second - first != self.halves || code.ops.len() - second != self.halves {
            return;
        }
        let pairs = (0..self.halves).map(|half| self.sum(&code.ops[first + half], &code.ops[second + half], vcc_matters));
        let Some(sums) = pairs.collect::<Option<Vec<Op>>>() else { return };
        code.ops.truncate(first);
        code.instruction_of.truncate(first);
        sums.into_iter().for_each(|op| code.push(op));
    }

    fn sum(&self, low: &Op, high: &Op, vcc_matters: bool) -> Option<Op> {
        let is = |op: &Op, run: Handler| op.run as usize == run as usize && op.mods == Mods::default();
        let follows = |low: u32, high: u32| high == low + self.apart;
        let carries = high.src[2] == low.dst[1] && low.dst[1] != NONE && high.guard == low.guard;
        let sources = [0, 1].iter().all(|i| follows(low.src[*i], high.src[*i]) && high.src[*i] != low.dst[0]);
        let is_sum = is(low, self.low) && is(high, self.high) && carries && sources && follows(low.dst[0], high.dst[0]);
        // Those of the upper words replace the carries of the lower ones, or nobody reads these.
        let in_vcc = (Frame::scalar(VCC)..Frame::scalar(VCC) + 8).contains(&low.dst[1]);
        let masks = high.dst[1] == low.dst[1] || high.dst[1] == NONE && in_vcc && !vcc_matters;
        (is_sum && masks).then_some(Op { run: self.both, dst: [low.dst[0], high.dst[1]], ..*low })
    }
}
