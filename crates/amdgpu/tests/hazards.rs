//! Programs that break the rules of hazards.isa, and such that keep them: tests/hazards, whose README says how they are written.

use std::collections::BTreeMap;
use std::path::Path;

use amdgpu::codec::Codec;
use amdgpu::hazard::{Facts, Reader, Rules};
use isa::amdgpu::hazards::Hazards;
use isa::amdgpu::{Table, Targets};

/// What lines hold of a rule: broken and kept where it is, kept where it is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Held {
    broken: bool,
    kept: bool,
    absent: bool,
}

/// An instruction that is written, as rules see it.
fn facts(codec: &Codec, reader: &mut Reader, text: &str) -> Result<Facts, String> {
    let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
    let assembled = codec.assemble(name, operands, &|_| None).map_err(|problem| format!("{text}: {}", problem.message))?;
    let (bytes, length) = assembled.bytes();
    codec.decode(&bytes[..length]).map(|decoded| reader.facts(&decoded)).map_err(|why| format!("{text}: {why}"))
}

/// The rules that a program breaks, with the instructions that come too early.
fn broken(codec: &Codec, program: &[&str]) -> Result<Vec<(&'static str, usize)>, String> {
    let rules = Rules::of(codec)?;
    let mut reader = rules.reader(codec);
    let facts = program.iter().map(|text| facts(codec, &mut reader, text)).collect::<Result<Vec<Facts>, String>>()?;
    let found = rules.search(codec, &facts, |at| [(at + 1 < facts.len()).then_some(at + 1), None]);
    for (suspect, finding) in &found {
        let again = rules.replay(codec, &facts, &[*suspect], (0..suspect.then).rev());
        let [again] = &again[..] else { return Err("the only path does not break it".into()) };
        assert_eq!((again.first, again.message()), (finding.first, finding.message()), "{program:?}");
    }
    Ok(found.iter().map(|(_, finding)| (finding.hazard.name, finding.then)).collect())
}

#[test]
fn lines_break_and_keep_the_rules_they_name() {
    let table = Table::get().unwrap_or_else(|problems| panic!("{problems}"));
    let all = Hazards::get().unwrap_or_else(|problems| panic!("{problems}"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hazards/lines.txt");
    let text = std::fs::read_to_string(path).expect("the lines");
    let mut held: BTreeMap<&str, Held> = all.hazards.iter().map(|hazard| (hazard.name, Held::default())).collect();
    let mut failed = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let parts: Vec<&str> = line.splitn(3, " | ").collect();
        let [head, targets, program] = parts[..] else { panic!("{line}") };
        let (verb, rule) = head.split_once(' ').expect("a rule");
        let hazard = all.hazards.iter().find(|hazard| hazard.name == rule).unwrap_or_else(|| panic!("no rule {rule}"));
        let wave = targets.contains("wave64").then_some(64);
        let program: Vec<&str> = program.split(';').map(str::trim).collect();
        for target in targets.split(' ').filter(|word| *word != "wave64") {
            let id = table.target(target).unwrap_or_else(|| panic!("no target {target}"));
            let codec = Codec::of(target, wave).expect("a codec");
            let holds = hazard.targets.has(id) && hazard.wave.is_none_or(|wave| wave == codec.wave);
            let held = held.get_mut(rule).expect("a rule");
            let wanted = match verb {
                "breaks" => {
                    held.broken |= holds;
                    vec![(rule, program.len() - 1)]
                }
                _ => {
                    held.kept |= holds;
                    held.absent |= !holds;
                    Vec::new()
                }
            };
            let found = broken(&codec, &program);
            if found.as_ref() != Ok(&wanted) {
                failed.push(format!("{target}: {line}\n  breaks {found:?}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    for (rule, held) in held {
        assert_eq!(held, Held { broken: true, kept: true, absent: true }, "lines of {rule}");
    }
}

/// A rule holds over every path, and over loops.
#[test]
fn paths_are_followed_backwards() {
    let codec = Codec::of("gfx906", None).expect("a codec");
    let rules = Rules::of(&codec).expect("the rules");
    let mut reader = rules.reader(&codec);
    let mut facts = |text: &str| facts(&codec, &mut reader, text).expect("an instruction");
    let load = "global_load_dword v1, v2, s[4:5]";
    let program = [
        "s_cbranch_scc0 3",
        "v_readfirstlane_b32 s4, v0",
        "s_nop 4",
        "s_branch 1",
        "v_readfirstlane_b32 s5, v0",
        load,
        "s_endpgm",
    ];
    let all: Vec<Facts> = program.iter().map(|text| facts(text)).collect();
    // Over 0, 4: too early; over 1, 2, 3: late enough.
    let after = |at: usize| match at {
        0 => [Some(1), Some(4)],
        3 => [Some(5), None],
        6 => [None; 2],
        at => [Some(at + 1), None],
    };
    let found = rules.search(&codec, &all, after);
    assert_eq!(found.len(), 1);
    let finding = &found[0].1;
    assert_eq!((finding.first, finding.then, finding.register.as_deref()), (4, 5, Some("s5")));
    assert_eq!(finding.message(), "reads `s5` too early: after 0 of 5 wait states that are needed");
    assert_eq!(finding.help(), "put `s_nop 4` before it, or 5 other instructions");
    // What was issued decides.
    let suspects = [found[0].0];
    assert!(rules.replay(&codec, &all, &suspects, [3, 2, 1, 0].into_iter()).is_empty());
    assert_eq!(rules.replay(&codec, &all, &suspects, [4, 0].into_iter()).len(), 1);
    // A loop: the load comes first, and the register is written at its end.
    let program = [load, "v_readfirstlane_b32 s4, v0", "s_cbranch_scc0 -3", "s_endpgm"];
    let all: Vec<Facts> = program.iter().map(|text| facts(text)).collect();
    let found = rules.search(&codec, &all, |at| match at {
        2 => [Some(3), Some(0)],
        3 => [None; 2],
        at => [Some(at + 1), None],
    });
    assert_eq!(found.iter().map(|found| (found.1.first, found.1.then)).collect::<Vec<_>>(), [(1, 0)]);
}

/// Whatever the words are, no rule takes long or fails.
#[test]
fn long_programs_are_looked_at_in_no_time() {
    for target in Table::get().unwrap_or_else(|problems| panic!("{problems}")).targets.iter().copied() {
        let codec = Codec::of(target, None).expect("a codec");
        let rules = Rules::of(&codec).expect("the rules");
        let mut reader = rules.reader(&codec);
        let mut state = 1u64;
        let mut word = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 32) as u32
        };
        let mut facts = Vec::new();
        while facts.len() < 2000 {
            let bytes: Vec<u8> = (0..4).flat_map(|_| word().to_le_bytes()).collect();
            facts.extend(codec.decode(&bytes).ok().map(|decoded| reader.facts(&decoded)));
        }
        let jumps: Vec<usize> = facts.iter().map(|_| word() as usize % facts.len()).collect();
        let start = std::time::Instant::now();
        rules.search(&codec, &facts, |at| [(at + 1 < facts.len()).then_some(at + 1), (at % 7 == 0).then_some(jumps[at])]);
        assert!(start.elapsed().as_secs() < 20, "{target}: {:?}", start.elapsed());
    }
}

#[test]
fn every_instruction_that_rules_name_exists() {
    let table = Table::get().unwrap_or_else(|problems| panic!("{problems}"));
    let all = Hazards::get().unwrap_or_else(|problems| panic!("{problems}"));
    all.check(table).unwrap_or_else(|problems| panic!("{problems}"));
    assert!(all.hazards.iter().all(|hazard| hazard.targets != Targets::NONE));
}
