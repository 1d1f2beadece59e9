//! Every instruction that is executable is named by a line of tests/run/amdgpu, on each target that has it, or by `unnamed.list` there.

use crate::lines::{self, Line};
use amdgpu::codec::Codec;
use std::collections::{BTreeMap, BTreeSet};

/// Instructions by name with targets.
type Names = BTreeMap<&'static str, BTreeSet<&'static str>>;

/// What is executable: an instruction that only wavefronts of one size have counts, too.
fn executable() -> Names {
    let mut names = Names::new();
    for target in lines::targets() {
        for codec in [32, 64].into_iter().filter_map(|wave| Codec::of(target, Some(wave)).ok()) {
            let entries = codec.entries();
            for entry in entries.iter().filter(|e| e.instruction.run_on(codec.target).is_some()) {
                names.entry(entry.instruction.name).or_default().insert(target);
            }
        }
    }
    names
}

/// Endings that ask for an encoding.
const ENDINGS: [&str; 5] = ["_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa"];

/// What a target's mnemonics are the names of.
fn mnemonics(target: &'static str) -> BTreeMap<&'static str, &'static str> {
    let mut names = BTreeMap::new();
    for codec in [32, 64].into_iter().filter_map(|wave| Codec::of(target, Some(wave)).ok()) {
        for entry in codec.entries().iter() {
            let record = entry.instruction;
            names.insert(record.name, record.name);
            for (alias, targets) in &record.aliases {
                if targets.has(codec.target) {
                    names.entry(*alias).or_insert(record.name);
                }
            }
        }
    }
    names
}

/// What lines name.
fn named() -> Names {
    let mut names = Names::new();
    let mnemonics: BTreeMap<_, _> = lines::targets().into_iter().map(|target| (target, mnemonics(target))).collect();
    for (place, text) in lines::of("txt", "") {
        let line = Line::parse(&text).unwrap_or_else(|why| panic!("{place}: {why}"));
        for target in line.targets() {
            for text in line.instructions.iter().flat_map(|text| text.split("::")) {
                let mnemonic = text.split_ascii_whitespace().next().unwrap_or_default();
                let plain = ENDINGS.iter().find_map(|ending| mnemonic.strip_suffix(ending)).unwrap_or(mnemonic);
                let known = &mnemonics[target];
                let name = known.get(mnemonic).or_else(|| known.get(plain));
                let name = name.unwrap_or_else(|| panic!("{place}: {target} has no `{mnemonic}`"));
                names.entry(name).or_default().insert(target);
            }
        }
    }
    names
}

#[test]
fn lines_name_every_instruction() {
    let (executable, named) = (executable(), named());
    let list = std::fs::read_to_string(lines::folder().join("unnamed.list")).expect("unnamed.list");
    let left: BTreeSet<&str> =
        list.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_ascii_whitespace().next()).collect();
    let (mut missing, mut stale) = (Vec::new(), left.clone());
    for (name, targets) in &executable {
        let targets: Vec<&str> = targets.iter().filter(|t| !named.get(name).is_some_and(|n| n.contains(*t))).copied().collect();
        if targets.is_empty() {
            continue;
        }
        stale.remove(name);
        if !left.contains(name) {
            missing.push(format!("{name}: {}", targets.join(" ")));
        }
    }
    assert!(
        missing.is_empty(),
        "{} instructions are named by no line of tests/run/amdgpu:\n{}",
        missing.len(),
        missing.join("\n")
    );
    assert!(stale.is_empty(), "unnamed.list has what lines name, or what is not executable: {stale:?}");
}
