//! Any text ends in diagnostics, in time: real files with random changes, and texts made to be slow. The generator is seeded, so that a
//! failure comes again; `cargo test --release -p check --test fuzz -- --ignored` runs longer.

use diagnostics::{Source, render_text};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((value ^ value >> 31) % bound.max(1) as u64) as usize
    }
}

fn table() -> &'static isa::Table {
    isa::Table::get().unwrap_or_else(|problems| panic!("{problems}"))
}

/// Checks, renders what is found, and lays the text out.
fn check(text: &str) -> usize {
    let found = check::check(table(), text, None);
    assert!(found.len() <= 202, "{} diagnostics", found.len());
    let source = Source::new("fuzz.ptx", text);
    for diagnostic in &found {
        assert!(diagnostic.labels.iter().all(|l| l.span.start <= l.span.end && l.span.end as usize <= text.len()));
        assert!(render_text(diagnostic, &source, false).len() < 20_000);
    }
    let (tree, syntax) = ptx::parse(text);
    check::requirements(table(), &tree);
    let formatted = ptx::format(text);
    assert!(ptx::same_tokens(text.as_bytes(), formatted.as_bytes()));
    if syntax.is_empty() {
        assert_eq!(ptx::format(&formatted), formatted, "laid out again, it differs");
    }
    found.len()
}

fn inputs() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders: Vec<PathBuf> = ["examples", "tests"].iter().map(|f| root.join(f)).collect();
    folders.extend(std::env::var_os("LOCKSTEP_CORPUS").map(PathBuf::from));
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ptx") {
                texts.extend(std::fs::read_to_string(&path).ok().filter(|t| t.len() < 200_000));
            }
        }
    }
    texts.sort();
    texts
}

/// Tokens deleted, doubled, replaced by another of the same file, or lines exchanged.
fn mutate(random: &mut Random, text: &str) -> String {
    let mut words: Vec<&str> = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    for _ in 0..1 + random.below(4) {
        if words.is_empty() {
            break;
        }
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        match random.below(5) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[other]),
            2 => words[at] = words[other],
            3 => words.swap(at, other),
            _ => words.truncate(at.max(1)),
        }
    }
    words.concat()
}

fn fuzz(seed: u64, duration: Duration) {
    let inputs = inputs();
    assert!(!inputs.is_empty());
    let mut random = Random(seed);
    let end = Instant::now() + duration;
    while Instant::now() < end {
        let input = &inputs[random.below(inputs.len())];
        let text = mutate(&mut random, input);
        check(&text);
    }
}

#[test]
fn any_text_ends_in_diagnostics() {
    fuzz(1, Duration::from_secs(5));
}

#[test]
#[ignore = "runs ten minutes; LOCKSTEP_FUZZ_SECONDS sets another time, LOCKSTEP_FUZZ_SEED another seed, LOCKSTEP_CORPUS adds files"]
fn any_text_ends_in_diagnostics_for_long() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    fuzz(number("LOCKSTEP_FUZZ_SEED").unwrap_or(2), Duration::from_secs(number("LOCKSTEP_FUZZ_SECONDS").unwrap_or(600)));
}

const HEADER: &str = ".version 8.7\n.target sm_90\n.address_size 64\n";

fn many(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// What this thread has run, where Linux tells: other work on the machine does not count.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

/// Checks a text of `count` of something, and one of eight times as many: the time must not grow faster, by more than noise.
fn check_growth(what: &str, text: impl Fn(usize) -> String) {
    let time = |count: usize| {
        let text = text(count);
        let (clock, processor) = (Instant::now(), processor_time());
        check(&text);
        processor_time().zip(processor).map_or(clock.elapsed(), |(end, start)| end - start)
    };
    let (once, eight_times) = (time(12_500), time(100_000));
    let limit = once * 8 * 6 + Duration::from_secs(2);
    assert!(eight_times < limit, "{what}: {once:?} for 12,500, {eight_times:?} for 100,000");
}

#[test]
fn many_of_anything_take_linear_time() {
    let kernel = |body: String| format!("{HEADER}.entry k() {{\n.reg .pred %p; .reg .b32 %r<9>; .reg .b64 %d<9>;\n{body}}}\n");
    check_growth("labels", |n| kernel(many(n, |i| format!("L{i}: bra L{};\n", n - 1 - i))));
    check_growth("the same label", |n| kernel(many(n, |_| "L: ret;\n".into())));
    check_growth("labels that are missing", |n| kernel(many(n, |i| format!("bra L{i};\n"))));
    check_growth("errors", |n| kernel(many(n, |_| "add.u32 %r0, %r1;\n".into())));
    check_growth("unknown opcodes", |n| kernel(many(n, |i| format!("ad{i}.u32 %r0, %r1;\n"))));
    check_growth("unknown names", |n| kernel(many(n, |i| format!("mov.u32 %r0, %x{i};\n"))));
    check_growth("registers", |n| kernel(many(n, |i| format!(".reg .b32 a{i}; mov.u32 a{i}, {i};\n"))));
    check_growth("ranges", |n| kernel(many(n, |i| format!(".reg .b32 a{i}b<3>; mov.u32 a{i}b1, 0;\n"))));
    check_growth("ranges over names", |n| kernel(many(n, |i| format!(".reg .b32 a{i}; .reg .b32 a<{i}>;\n"))));
    check_growth("scopes", |n| kernel(many(n, |_| "{ .reg .b32 a<9>; mov.u32 a3, %r1; }\n".into())));
    check_growth("scopes inside scopes", |n| kernel("{".repeat(n) + &"}".repeat(n)));
    check_growth("distinct constants", |n| kernel(many(n, |i| format!("mov.u32 %r0, {i};\n"))));
    check_growth("branch targets", |n| kernel(many(n, |i| format!("L{i}: T{i}: .branchtargets L{i};\n"))));
    check_growth("targets of one list", |n| kernel(format!("L: T: .branchtargets {} L;\n", "L, ".repeat(n))));
    check_growth("vector elements", |n| kernel(format!("mov.b64 %d0, {{{} %r0}};\n", "%r0, ".repeat(n))));
    check_growth("prototypes", |n| kernel(many(n, |i| format!("P{i}: .callprototype _ (); call %d0, P{i};\n"))));
    check_growth("files and places", |n| {
        let files = many(n, |i| format!(".file {i} \"a\"\n"));
        format!("{files}{}", kernel(many(n, |i| format!(".loc {i} {i} 1\n"))))
    });
    check_growth("functions", |n| HEADER.to_owned() + &many(n, |i| format!(".func f{i}(.param .b32 a) {{ ret; }}\n")));
    check_growth("declarations of one function", |n| HEADER.to_owned() + &many(n, |_| ".func f(.param .b32 a);\n".into()));
    check_growth("parameters", |n| {
        format!("{HEADER}.entry k({} .param .b32 z) {{ ret; }}\n", many(n, |i| format!(".param .b32 a{i},\n")))
    });
    check_growth("arguments", |n| {
        let params = many(n, |i| format!(".param .b32 a{i},\n"));
        let call = format!("call f, ({} %r0);\n", "%r0, ".repeat(n));
        format!("{HEADER}.func f({params} .param .b32 z) {{ ret; }}\n.entry k() {{ .reg .b32 %r<2>;\n{call}}}\n")
    });
    check_growth("variables", |n| HEADER.to_owned() + &many(n, |i| format!(".global .u64 v{i} = v{};\n", i.saturating_sub(1))));
    check_growth("initial values", |n| format!("{HEADER}.global .b32 v[] = {{{} 1}};\n", "1, ".repeat(n)));
    check_growth("directives", |n| format!("{HEADER}.entry k() {} {{ ret; }}\n", ".maxntid 32 ".repeat(n)));
    check_growth("targets", |n| format!(".version 8.7\n.target sm_90{}\n.entry k() {{ ret; }}\n", ", sm_90".repeat(n)));
    check_growth("options of a target", |n| {
        let options = ", texmode_unified, texmode_independent".repeat(n / 2);
        format!(".version 8.7\n.target sm_90{options}\n.entry k() {{ ret; }}\n")
    });
    check_growth("comments", |n| kernel(many(n, |i| format!("// {i}\n/* {i} */ ret; // {i}\n"))));
}

#[test]
fn a_line_of_ten_megabytes() {
    let mut text = format!("{HEADER}.entry k() {{ .reg .b32 %r<9>; ");
    while text.len() < 10_000_000 {
        write!(text, "add.u32 %r{}, %r1, {}; ad.u32 %r0, %x; ", text.len() % 9, text.len()).expect("a string takes it");
    }
    let start = Instant::now();
    assert_eq!(check(&(text + "}\n")), 101);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn errors_are_counted_beyond_the_limit() {
    let text = format!("{HEADER}.entry k() {{ {} }}\n", "ad.u32 a;\n".repeat(1334));
    let found = check::check(table(), &text, None);
    // Each line has an unknown opcode, whose operands are not looked at.
    assert_eq!(found.len(), 101);
    assert_eq!(found[100].message, "and 1,234 more errors");
}
