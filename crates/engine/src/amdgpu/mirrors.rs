//! Which scalar registers have a row beside them that holds their value for all lanes, so that what reads them for lanes need not make one each time.
//!
//! A row pays if its register is read for lanes more often than it is written, as far as loops show that. Whoever writes the register writes the row, too; so
//! there are none in programs with instructions whose scalar registers are known only where they run.

use super::frame::Frame;
use super::links::Links;
use super::lower;
use super::operands;
use amdgpu::codec::value::What;
use amdgpu::codec::{Codec, Decoded};
use machine::wave::Use;
use std::collections::BTreeMap;

/// How much more a loop counts than what is around it.
const LOOP: i64 = 8;
/// Loops within one another that count.
const DEEPEST: u32 = 4;

/// The scalar registers, by number, that get a row. `uses` are the registers of each instruction.
pub fn choose(codec: &Codec, instructions: &[(u64, Option<Decoded>)], uses: &[Vec<Use>], links: &Links) -> Vec<u16> {
    let decoded = || instructions.iter().map(|found| found.1.as_ref());
    if decoded().flatten().any(|decoded| lower::has_hidden_registers(codec, decoded)) {
        return Vec::new();
    }
    let weights = links.depths().into_iter().map(|depth| LOOP.pow(depth.min(DEEPEST)));
    // Before the first instruction each row is written once.
    let mut worth: BTreeMap<u16, i64> = BTreeMap::new();
    for (at, ((decoded, weight), uses)) in decoded().zip(weights).zip(uses).enumerate() {
        let Some(decoded) = decoded else { continue };
        for register in scalars_for_lanes(codec, decoded) {
            *worth.entry(register).or_insert(-1) += weight;
        }
        // What writes a register and does not simply go on has no place where the row could be written.
        let cost = if links.goes_on(at) { weight } else { i64::MAX / 4 };
        for register in uses.iter().flat_map(written) {
            let worth = worth.entry(register).or_insert(-1);
            *worth = worth.saturating_sub(cost);
        }
    }
    worth.into_iter().filter(|(_, worth)| *worth > 0).map(|(register, _)| register).collect()
}

/// The scalar registers that a use writes.
pub fn written(one: &Use) -> impl Iterator<Item = u16> + use<> {
    let scalars = Frame::scalar(0)..Frame::scalar(super::frame::VCC);
    let words = if one.writes && scalars.contains(&one.at) { one.bytes / 4 } else { 0 };
    let first = (one.at.wrapping_sub(scalars.start) / 4) as u16;
    (0..words as u16).map(move |word| first.wrapping_add(word))
}

/// The scalar registers that an instruction reads as a row of words.
fn scalars_for_lanes<'a>(codec: &'a Codec, decoded: &'a Decoded) -> impl Iterator<Item = u16> + 'a {
    let slots = decoded.entry.operands.iter().enumerate().filter(|_| operands::is_vector(decoded));
    slots.filter_map(|(at, slot)| match codec.value_of(slot, decoded).what {
        What::Scalar(number) if slot.words == 1 && codec.role(decoded, at).0 => Some(number),
        _ => None,
    })
}
