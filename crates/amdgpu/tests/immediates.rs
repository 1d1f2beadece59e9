//! Immediates against the verdicts of llvm-mc in `tests/verdicts/amdgpu/immediates`, and what must hold of all of them.

use std::fs;
use std::path::Path;

use amdgpu::immediate::cursor::Cursor;
use amdgpu::immediate::{Form, Immediates, Problem};
use isa::amdgpu::words::Words;

fn words() -> &'static Words {
    Words::get().unwrap_or_else(|problems| panic!("{problems}"))
}

fn on(target: &str) -> Immediates {
    Immediates::new(words(), target).unwrap()
}

/// Reads a text to its end; a comma may follow any operand.
fn read(immediates: &Immediates, form: &Form, legacy: bool, text: &str) -> Result<Option<u32>, Problem> {
    let symbols = |name: &str| immediates.symbols().iter().find(|s| s.0 == name).map(|s| i64::from(s.1));
    let mut cursor = Cursor::new(text, &symbols);
    let value = if legacy { form.parse_legacy_format(&mut cursor) } else { form.parse(&mut cursor) }?;
    cursor.take(',');
    Ok(value.filter(|_| cursor.at_end()))
}

/// A verdict of llvm-mc.
#[derive(Debug)]
enum Verdict<'a> {
    Prints(u32, &'a str),
    Loses(u32),
    Reads(&'a str, u32),
    Refuses(&'a str),
}

fn number(text: &str) -> u32 {
    u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or_else(|_| panic!("{text} is no number"))
}

fn verdict(line: &str) -> Verdict<'_> {
    if let Some(text) = line.strip_suffix(" refused") {
        Verdict::Refuses(text)
    } else if let Some((text, value)) = line.rsplit_once(" -> ") {
        Verdict::Reads(text, number(value))
    } else if let Some(value) = line.strip_suffix(" lossy") {
        Verdict::Loses(number(value))
    } else {
        let (value, text) = line.split_once(" =").unwrap_or_else(|| panic!("{line} is no verdict"));
        Verdict::Prints(number(value), text.trim_start())
    }
}

/// What differs from a verdict, if anything does.
fn judge(immediates: &Immediates, form: &Form, bits: u32, legacy: bool, line: &str) -> Option<String> {
    let low = |value: u32| value & 1u32.checked_shl(bits).map_or(u32::MAX, |bit| bit - 1);
    let mut out = String::new();
    let ours = match verdict(line) {
        Verdict::Prints(value, text) => {
            let whole = form.print(value, &mut out);
            (!whole || out != text).then(|| format!("{out}, whole: {whole}"))
        }
        Verdict::Loses(value) => form.print(value, &mut out).then_some(out),
        Verdict::Reads(text, value) => {
            let ours = read(immediates, form, legacy, text);
            (ours.as_ref().ok().copied().flatten().map(low) != Some(value)).then(|| format!("{ours:?}"))
        }
        Verdict::Refuses(text) => read(immediates, form, legacy, text).ok().flatten().map(|value| format!("{value:#x}")),
    };
    ours.map(|ours| format!("{line}: ours {ours}"))
}

#[test]
fn immediates_are_printed_and_read_as_llvm_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/verdicts/amdgpu/immediates");
    let every: Vec<Immediates> = words().targets.iter().map(|target| on(target)).collect();
    let mut wrong = Vec::new();
    let mut judged = 0;
    let mut names = Vec::new();
    for file in fs::read_dir(&folder).expect("the verdicts are there").map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|e| e != "txt") {
            continue;
        }
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).unwrap();
        let (mut bits, mut legacy, mut targets) = (0, false, Vec::new());
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("bits ") {
                legacy = rest.ends_with(" legacy");
                bits = rest.trim_end_matches(" legacy").parse().unwrap();
            } else if let Some(rest) = line.strip_prefix("on ") {
                let numbers = rest.split(' ').map(|t| words().target(t).unwrap_or_else(|| panic!("no target {t}")).0);
                targets = numbers.map(usize::from).collect();
            } else if let Some(line) = line.strip_prefix("  ") {
                for target in &targets {
                    let form = every[*target].form(&name).unwrap_or_else(|| panic!("no immediate {name}"));
                    judged += 1;
                    wrong.extend(
                        judge(&every[*target], form, bits, legacy, line)
                            .map(|w| format!("{name} on {}: {w}", words().targets[*target])),
                    );
                }
            }
        }
        names.push(name);
    }
    assert!(judged > 50_000, "only {judged} verdicts were found");
    let missing: Vec<&str> = words().immediates.iter().map(|i| i.name).filter(|n| !names.iter().any(|name| name == n)).collect();
    // What dmask may be depends on the registers of the same line.
    assert_eq!(missing, ["dmask"], "immediates without verdicts");
    assert!(wrong.is_empty(), "{} of {judged} differ:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

#[test]
fn what_is_printed_whole_is_read_again() {
    for target in ["gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200", "gfx1250"] {
        let immediates = on(target);
        for form in immediates.forms() {
            for value in (0..0x1_0000).step_by(7).chain([1 << 31, u32::MAX, 0xfac688]) {
                let mut text = String::new();
                let whole = form.print(value, &mut text);
                if whole && !form.hidden(value) {
                    assert_eq!(read(&immediates, form, false, &text), Ok(Some(value)), "{target}: {} {text}", form.name());
                }
            }
        }
    }
}

#[test]
fn nonsense_is_refused_without_a_panic() {
    let pieces = [
        "vmcnt",
        "hwreg",
        "sendmsg",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        ",",
        "&",
        "|",
        "\"",
        "-",
        "~",
        "0x",
        "99999999999999999999",
        "7",
        "th",
        "scope",
        "offset",
        "swizzle",
        "QUAD_PERM",
        "MSG_GS",
        "attr",
        "attr1.",
        "dpp8",
        "quad_perm",
        "é",
        " ",
        "format",
        "op_sel",
        "/",
        "%",
        "0",
        "<<",
        "1D",
        "dim",
        "no",
        "id",
        "gpr_idx",
        "instid0",
        "mrt",
        "_",
        ".",
        "mul",
        "$",
    ];
    let mut state = 1_u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    for target in ["gfx900", "gfx942", "gfx1030", "gfx1100", "gfx1251"] {
        let immediates = on(target);
        for _ in 0..4000 {
            let mut text: String = (0..1 + next(9)).map(|_| pieces[next(pieces.len())]).collect();
            let form = &immediates.forms()[next(immediates.forms().len())];
            if next(2) == 0 {
                text.insert_str(0, &format!("{}:", form.prefix()));
            }
            for legacy in [false, true] {
                if let Err(problem) = read(&immediates, form, legacy, &text) {
                    assert!(
                        problem.span.start <= problem.span.end && problem.span.end as usize <= text.len(),
                        "{text}: {problem:?}"
                    );
                    assert!(text.get(problem.span.start as usize..problem.span.end as usize).is_some(), "{text}: {problem:?}");
                }
            }
        }
    }
    let deep = format!("vmcnt({}0{})", "(".repeat(100_000), ")".repeat(100_000));
    let immediates = on("gfx900");
    assert!(read(&immediates, immediates.form("waitcnt").unwrap(), false, &deep).is_err());
}

#[test]
fn problems_name_the_place_and_the_remedy() {
    let explain = |target: &str, name: &str, text: &str| {
        let immediates = on(target);
        let problem = read(&immediates, immediates.form(name).unwrap(), false, text).unwrap_err();
        format!("{}: {}", &text[problem.span.start as usize..problem.span.end as usize], problem.message)
    };
    assert_eq!(explain("gfx900", "waitcnt", "vmcnt(64)"), "64: `vmcnt` takes 0 to 63");
    assert_eq!(explain("gfx900", "waitcnt", "vmcmt(0)"), "vmcmt: `vmcmt` is no counter; there are vmcnt, expcnt, lgkmcnt");
    let elsewhere = "HW_REG_XCC_ID: `HW_REG_XCC_ID` exists on other targets only";
    assert_eq!(explain("gfx900", "hwreg", "hwreg(HW_REG_XCC_ID)"), elsewhere);
    let near = "HW_REG_MOD: `HW_REG_MOD` is none of the hardware registers; `HW_REG_MODE` is";
    assert_eq!(explain("gfx900", "hwreg", "hwreg(HW_REG_MOD)"), near);
    assert_eq!(explain("gfx1100", "dpp_ctrl", "row_shl:16"), "16: `row_shl` takes 1 to 15");
    assert_eq!(explain("gfx1200", "cpol_load", "th:TH_LOAD_LU scope:SCOPE_SYS").split(": ").next(), Some("TH_LOAD_LU"));
}
