//! Kernels that follow instructions more closely than hardware takes care of: what running them says, and that compilers' kernels do no such thing.

mod assembled;

use assembled::{object, run};
use lockstep::{Error, Result, System, hazards_of};
use std::path::{Path, PathBuf};

/// Code, message, and the lines of what came too early and of what came before it.
fn told(error: &Error) -> (String, String, Vec<String>) {
    let problem = &error.problems()[0];
    let text = problem.source.text();
    let line = |at: u32| {
        let begin = text[..at as usize].rfind('\n').map_or(0, |at| at + 1);
        text[begin..].lines().next().unwrap_or("").split_once(": ").map_or("", |line| line.1).to_owned()
    };
    let lines = problem.diagnostic.labels.iter().map(|label| line(label.span.start)).collect();
    (problem.diagnostic.code.to_owned(), problem.diagnostic.message.clone(), lines)
}

/// Stores the number at the address; the address's registers are written by vector arithmetic shortly before.
const STORE: &str = "s_load_dwordx2 s[4:5], s[0:1], 0x0
s_load_dword s6, s[0:1], 0x8
s_waitcnt lgkmcnt(0)
v_mov_b32_e32 v4, s4
v_mov_b32_e32 v5, s5
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, s6
s_nop 4
v_readfirstlane_b32 s8, v4
v_readfirstlane_b32 s9, v5
";

#[test]
fn what_comes_too_early_is_told_with_both_lines() -> Result<()> {
    let store = "global_store_dword v2, v3, s[8:9]";
    for target in ["gfx906", "gfx942"] {
        let error = run(target, &format!("{STORE}s_nop 3\n{store}"), 5).expect_err("four wait states");
        let (code, message, lines) = told(&error);
        assert_eq!(code, "E0244");
        assert!(message.contains("reads `s9` too early: after 4 of 5 wait states"), "{message}");
        assert_eq!(lines, [store, "v_readfirstlane_b32 s9, v5"]);
        assert_eq!(run(target, &format!("{STORE}s_nop 4\n{store}"), 5)?, 5);
        assert_eq!(run(target, &format!("{STORE}s_nop 3\ns_mov_b32 s20, 0\n{store}"), 5)?, 5);
    }
    // gfx1030 waits by itself.
    assert_eq!(run("gfx1030", &format!("{STORE}{store}"), 5)?, 5);
    Ok(())
}

/// Where kernels of AMD's own break a rule, breaking it is told once for each rule, and the kernel goes on as if hardware had waited; where none do, and
/// where another rule is broken besides, it is a fault.
#[test]
fn what_is_in_doubt_is_told_and_no_fault() -> Result<()> {
    let early = "v_mov_b32_dpp v6, v3 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf";
    let body = format!(
        "{STORE}v_add_u32_e32 v3, 1, v3\n{early}\nv_add_u32_e32 v3, 1, v3\n{early}\ns_nop 4\nglobal_store_dword v2, v6, s[8:9]"
    );
    let device = System.device("gfx942")?;
    let kernel = device.load_code_object("k.co", &object("gfx942", &body))?.kernel("k")?;
    let out = device.buffer(&[7u32])?;
    let launch = kernel.launch([2, 1, 1], [128, 1, 1]).arg(&out).arg(5u32);
    let report = launch.run()?;
    assert_eq!(out.read()[0], 7);
    let warnings = launch.warnings(&report);
    assert_eq!(warnings.len(), 1);
    let error = Error::new(warnings);
    assert!(!error.problems()[0].is_error());
    let (code, message, lines) = told(&error);
    assert_eq!((code.as_str(), lines), ("E0244", vec![early.to_owned(), "v_add_u32_e32 v3, 1, v3".to_owned()]));
    assert!(message.contains("reads `v3` too early: after 0 of 2 wait states"), "{message}");
    assert!(error.problems()[0].diagnostic.notes.iter().any(|note| note.contains("amd-aiter")), "{error}");
    assert_eq!(told(&run("gfx906", &body, 5).expect_err("gfx906 does not wait")).0, "E0244");
    let worse = body.replace("s_nop 4\nglobal", "v_readfirstlane_b32 s20, v4\nv_readlane_b32 s21, v5, s20\nglobal");
    let message = told(&run("gfx942", &worse, 5).expect_err("a lane that is chosen too early")).1;
    assert!(message.contains("reads `s20` too early"), "{message}");
    Ok(())
}

/// An instruction that breaks several rules which are in doubt is told by each of them.
#[test]
fn every_doubt_at_an_instruction_is_told() -> Result<()> {
    let conversion = "v_cvt_scalef32_pk_fp4_f32 v3, v4, v4, 1.0";
    let early = "v_mov_b32_dpp v6, v3 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf";
    let body = format!("{STORE}{conversion}\n{early}\ns_nop 4\nglobal_store_dword v2, v6, s[8:9]");
    let kernel = System.device("gfx950")?.load_code_object("k.co", &object("gfx950", &body))?.kernel("k")?;
    let out = kernel.module().device().buffer(&[7u32])?;
    let launch = kernel.launch([1, 1, 1], [64, 1, 1]).arg(&out).arg(5u32);
    let report = launch.run()?;
    let warnings: Vec<_> = launch.warnings(&report).into_iter().map(|warning| told(&Error::new(vec![warning]))).collect();
    let mut messages: Vec<&str> = warnings.iter().map(|(_, message, _)| message.as_str()).collect();
    messages.sort_unstable();
    let wanted = ["1 wait states that are needed", "2 wait states that are needed"];
    let expected = wanted.map(|states| format!("reads `v3` too early: after 0 of {states}"));
    assert_eq!(messages, expected);
    assert!(warnings.iter().all(|(_, _, lines)| lines == &[early, conversion]), "{warnings:?}");
    Ok(())
}

/// What may come too early by a branch that is not taken is no fault; the static check warns of it all the same.
#[test]
fn only_what_is_executed_counts_in_a_run() -> Result<()> {
    let body = format!("{STORE}s_cmp_eq_u32 s6, 3\ns_cbranch_scc1 near\ns_nop 4\nnear:\nglobal_store_dword v2, v3, s[8:9]");
    assert_eq!(run("gfx906", &body, 5)?, 5);
    let error = run("gfx906", &body, 3).expect_err("three wait states");
    assert!(told(&error).1.contains("after 2 of 5 wait states"), "{error}");
    let found = hazards_of("k.co", &object("gfx906", &body))?;
    assert_eq!(found.len(), 1);
    assert!(!found[0].is_error());
    Ok(())
}

/// A loop that writes at its end what its beginning reads.
#[test]
fn loops_carry_hazards() -> Result<()> {
    let body = format!(
        "{STORE}s_mov_b32 s10, 2\nagain:\ns_nop 4\nv_add_u32_e32 v3, 1, v3\nglobal_store_dword v2, v3, s[8:9]\ns_waitcnt vmcnt(0)\n\
         s_sub_u32 s10, s10, 1\nv_readfirstlane_b32 s9, v5\ns_cmp_lg_u32 s10, 0\ns_cbranch_scc1 again"
    );
    // Over the branch eight wait states lie between.
    assert_eq!(run("gfx906", &body, 5)?, 7);
    let close = body.replace("again:\ns_nop 4\n", "again:\n");
    let error = run("gfx906", &close, 5).expect_err("the second time comes too early");
    assert_eq!(told(&error).2, ["global_store_dword v2, v3, s[8:9]", "v_readfirstlane_b32 s9, v5"]);
    Ok(())
}

/// The static check tells of all that is wrong on every way, in the order of the lines: loads that nothing has waited for, rules that are broken, bytes that are
/// no instruction.
#[test]
fn all_that_is_wrong_is_told_at_once() -> Result<()> {
    let body = format!(
        "{STORE}global_load_dword v4, v2, s[4:5]
v_mov_b32_e32 v5, v4
s_load_dword s12, s[4:5], 0x0
v_readfirstlane_b32 s7, v3
v_readlane_b32 s11, v3, s7
s_mov_b32 s13, s12
s_cmp_eq_u32 s6, 3
s_cbranch_scc0 end
.long 0xffffffff
end:"
    );
    let found = hazards_of("k.co", &object("gfx906", &body))?;
    let told: Vec<(&str, &str)> = found.iter().map(|one| (one.diagnostic.code, one.diagnostic.message.as_str())).collect();
    assert_eq!(
        told,
        [
            ("E0243", "uses `v4`, whose load nothing has waited for"),
            ("E0244", "reads `s7` too early: after 0 of 4 wait states that are needed"),
            ("E0243", "uses `s12`, whose load nothing has waited for"),
            ("E0238", "execution may come to bytes that are no instruction of this target"),
        ]
    );
    assert!(found.iter().all(|one| !one.is_error() && one.diagnostic.help.is_some()));
    Ok(())
}

/// What is waited for on one of the ways is not sure to be missed, nor what functions wait for as they begin; where no way waits, it is told, by whichever load.
#[test]
fn waits_that_all_ways_miss_are_told_before_a_run() -> Result<()> {
    let ways = |first: &str, second: &str| {
        format!(
            "{STORE}s_cmp_eq_u32 s6, 3
s_cbranch_scc1 other
global_load_dword v4, v2, s[4:5]
{first}
s_branch use
other:
global_load_dword v4, v2, s[4:5]
{second}
use:
v_mov_b32_e32 v5, v4"
        )
    };
    let wait = "s_waitcnt vmcnt(0)";
    let cases = [
        (ways("", ""), 1),
        (ways(wait, ""), 0),
        (ways("", wait), 0),
        (ways(wait, wait), 0),
        // The younger of two is outstanding, the older not.
        (
            format!(
                "{STORE}global_load_dword v4, v2, s[4:5]\nglobal_load_dword v5, v2, s[4:5]\ns_waitcnt vmcnt(1)\nv_mov_b32_e32 v6, v4"
            ),
            0,
        ),
        (
            format!(
                "{STORE}global_load_dword v4, v2, s[4:5]\nglobal_load_dword v5, v2, s[4:5]\ns_waitcnt vmcnt(1)\nv_mov_b32_e32 v6, v5"
            ),
            1,
        ),
        // A flat load is younger than the load of v4, too.
        (
            format!(
                "{STORE}v_mov_b32_e32 v8, s4\nv_mov_b32_e32 v9, s5\nglobal_load_dword v4, v2, s[4:5]\nflat_load_dword v5, v[8:9]\ns_waitcnt vmcnt(1)\nv_mov_b32_e32 v6, v4"
            ),
            0,
        ),
    ];
    for (body, count) in cases {
        let found = hazards_of("k.co", &object("gfx906", &body))?;
        let messages: Vec<&str> = found.iter().map(|one| one.diagnostic.message.as_str()).collect();
        assert_eq!(messages.len(), count, "{messages:?} of {body}");
    }
    Ok(())
}

/// Compilers keep the rules.
#[test]
fn compiled_kernels_break_no_rule() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("benches/amd"), root.join("examples")];
    folders.extend(std::env::var_os("LOCKSTEP_AMD_OBJECTS").map(PathBuf::from));
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("co" | "hsaco") => files.push(path),
                _ => {}
            }
        }
    }
    assert!(files.len() >= 17, "{files:?}");
    for file in files {
        let found = hazards_of(&file.display().to_string(), &std::fs::read(&file).expect("a file"))?;
        let shown: Vec<String> = found.iter().map(|problem| problem.render(false)).collect();
        assert!(shown.is_empty(), "{}", shown.join("\n"));
    }
    Ok(())
}

/// Where LLVM has put a wait before an instruction, that instruction comes too early without it: the waits of the examples' kernels for gfx1100, which all
/// keep transcendental instructions and their readers apart, become `s_nop 15`, which does not help.
#[test]
fn compiled_kernels_without_their_waits_break_rules() -> Result<()> {
    const WAIT: [u8; 4] = 0xbf88_0f9f_u32.to_le_bytes();
    const NOTHING: [u8; 4] = 0xbf80_000f_u32.to_le_bytes();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/opencl_twins/gfx1100/kernels.co");
    let mut data = std::fs::read(path).expect("an example");
    let kernels = lockstep::kernels_of(&data);
    for word in data.as_chunks_mut::<4>().0.iter_mut().filter(|word| **word == WAIT) {
        *word = NOTHING;
    }
    let found = hazards_of("kernels.co", &data)?;
    let text = found.first().expect("something is found").source.text().to_owned();
    let line = |at: u32| text[..at as usize].matches('\n').count();
    let early: Vec<usize> = found.iter().map(|problem| line(problem.diagnostic.labels[0].span.start)).collect();
    let (mut within, mut count) = (false, 0);
    for (number, (before, then)) in text.lines().zip(text.lines().skip(1)).enumerate() {
        if let Some(name) = before.strip_suffix(':') {
            within = kernels.iter().any(|kernel| kernel == name);
        }
        if within && before.ends_with(": s_nop 15") {
            count += 1;
            assert!(early.contains(&(number + 1)), "nothing is found at `{then}`");
        }
    }
    assert!(count >= 6, "{count} waits");
    Ok(())
}
