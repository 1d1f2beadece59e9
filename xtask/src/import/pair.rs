//! Pairs: LLVM has a definition for every two halves; the records have the halves. Here both are compared; nothing is written.

use std::collections::HashSet;

use isa::amdgpu::{Table, Target};

use super::tablegen::{Dump, number};
use super::target::Features;

/// Where the halves in the table and LLVM's pairs differ.
pub fn compare(dump: &Dump, table: &Table) -> Vec<String> {
    let features = Features::new(dump, table);
    let mut reports = Vec::new();
    // Halves by name, encoding and opcode, that LLVM has in some pair.
    let mut seen: HashSet<(String, &str, u32, Target)> = HashSet::new();
    let mut pairs: HashSet<(String, String, bool, Target)> = HashSet::new();
    for name in dump.classes.get("AMDGPUInst").into_iter().flatten() {
        let Some(definition) = dump.definitions.get(name) else { continue };
        let Some((first, second)) = definition.asm.as_deref().and_then(|a| a.split_once(" :: ")) else { continue };
        let (Some(x), Some(y)) = (number(&definition.widths.first), number(&definition.widths.second)) else { continue };
        let long = definition.kinds.vopd3.0;
        let (x_encoding, y_encoding) = if long { ("vopd3x", "vopd3y") } else { ("vopdx", "vopdy") };
        let (targets, _, _) = features.targets(definition.predicates.as_deref().unwrap_or(&[]), dump);
        for target in targets.iter() {
            seen.insert((mnemonic(first), x_encoding, x, target));
            seen.insert((mnemonic(second), y_encoding, y, target));
            pairs.insert((mnemonic(first), mnemonic(second), long, target));
        }
    }
    let halves = halves(table);
    let describe = |half: &(String, &str, u32, Target)| {
        format!("{} {} 0x{:x} {}", half.0, half.1, half.2, table.targets[usize::from(half.3.0)])
    };
    reports.extend(seen.difference(&halves).map(|h| format!("{}: only LLVM has this half", describe(h))));
    reports.extend(halves.difference(&seen).map(|h| format!("{}: only the table has this half", describe(h))));
    for (first, encoding, _, target) in halves.iter().filter(|h| h.1.ends_with('x')) {
        let long = encoding.starts_with("vopd3");
        for (second, ..) in halves.iter().filter(|h| h.3 == *target && h.1.ends_with('y') && h.1.starts_with("vopd3") == long) {
            if !pairs.contains(&(first.clone(), second.clone(), long, *target)) {
                reports.push(format!("{first} :: {second}: LLVM has no such pair on {}", table.targets[usize::from(target.0)]));
            }
        }
    }
    reports.sort();
    reports
}

fn mnemonic(text: &str) -> String {
    text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

/// All halves of the table.
fn halves(table: &Table) -> HashSet<(String, &str, u32, Target)> {
    let mut all = HashSet::new();
    for instruction in &table.instructions {
        for form in &instruction.forms {
            let encoding = table.encodings[form.encoding].name;
            if !encoding.starts_with("vopd") {
                continue;
            }
            for (targets, opcode) in &form.opcodes {
                all.extend(targets.iter().map(|t| (instruction.name.to_owned(), encoding, *opcode, t)));
            }
        }
    }
    all
}
