//! Any bytes end in a tree and diagnostics: random ones, and right files with random changes. The generator is seeded,
//! so that a failure comes again; `cargo test -p ptx --test fuzz -- --ignored` runs longer.

mod support;

use diagnostics::{Source, Span, render_json, render_text};
use ptx::ast::{Block, Item, Module, Statement};
use std::time::{Duration, Instant};
use support::{dump::dump, golden};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ value >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// What a mutation puts in: the words and brackets that matter to the parser.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ":",
    ".",
    "|",
    "!",
    "-",
    "+",
    "?",
    "@",
    "%",
    "_",
    "\"",
    "/*",
    "*/",
    "//",
    "\n",
    "@@DWARF ",
    "# 1 ",
    ".entry ",
    ".func ",
    ".reg ",
    ".b32 ",
    ".section ",
    ".loc 1 2 3 ",
    ".version 9.0 ",
    ".align 8 ",
    ".pragma ",
    ".visible ",
    ".param ",
    ".callprototype ",
    ".branchtargets ",
    ".nv_intermediate_source_section {",
    ".source_begin ",
    "0x",
    "0f3f800000",
    "0d",
    "08",
    "1e",
    "99999999999999999999",
    "WARP_SZ",
    "generic(",
    "0xff(",
    "call ",
    "%r1",
    "::",
    ".unified",
    "\u{e9}",
    "\0",
];

fn inputs() -> Vec<Vec<u8>> {
    let folders = [golden::folder("parse/ptx/ok"), golden::folder("parse/ptx/err")];
    let paths = folders.iter().flat_map(|folder| golden::inputs(folder));
    paths.map(|path| std::fs::read(path).expect("an input can be read")).collect()
}

fn mutate(random: &mut Random, inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = random.pick(inputs).clone();
    for _ in 0..1 + random.below(6) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(40)).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes.truncate(at),
            2 => drop(bytes.splice(at..at, random.pick(PIECES).bytes())),
            3 => drop(bytes.splice(at..end, random.pick(PIECES).bytes())),
            4 => {
                let other = random.pick(inputs);
                let from = random.below(other.len());
                let to = (from + random.below(200)).min(other.len());
                drop(bytes.splice(at..at, other[from..to].iter().copied()));
            }
            _ if at < bytes.len() => bytes[at] = random.next() as u8,
            _ => bytes.push(random.next() as u8),
        }
    }
    bytes
}

fn noise(random: &mut Random) -> Vec<u8> {
    let mut bytes = b".version 9.0\n.target sm_90\n.entry k() {\n".to_vec();
    if random.below(2) == 0 {
        bytes.clear();
    }
    for _ in 0..random.below(300) {
        match random.below(4) {
            0 => bytes.push(random.next() as u8),
            _ => bytes.extend(random.pick(PIECES).bytes()),
        }
    }
    bytes
}

fn fuzz(seed: u64, duration: Duration) {
    let inputs = inputs();
    let mut random = Random(seed);
    let end = Instant::now() + duration;
    while Instant::now() < end {
        let bytes = if random.below(3) == 0 { noise(&mut random) } else { mutate(&mut random, &inputs) };
        check(&bytes);
    }
}

/// Parses, checks the tree's places, renders every diagnostic, and prints what was read without an error.
fn check(bytes: &[u8]) {
    let (module, diagnostics) = ptx::parse_bytes(bytes);
    let len = bytes.len() as u32;
    check_tree(&module, len);
    assert!(diagnostics.len() <= 101);
    let source = Source::from_bytes("fuzz.ptx", bytes.to_vec());
    assert_eq!(source.text().len(), bytes.len());
    for diagnostic in &diagnostics {
        diagnostic.labels.iter().for_each(|label| check_span(label.span, len));
        let text = render_text(diagnostic, &source, false);
        assert!(text.len() < 20_000, "a diagnostic of {} bytes", text.len());
        assert!(!render_json(diagnostic, &source).contains('\n'));
    }
    if let (true, Ok(text)) = (diagnostics.is_empty(), std::str::from_utf8(bytes)) {
        let printed = ptx::print(&module, text);
        let (again, diagnostics) = ptx::parse(&printed);
        assert!(diagnostics.is_empty(), "{text}\n---\n{printed}\n{diagnostics:?}");
        assert_eq!(dump(&module), dump(&again), "{text}\n---\n{printed}");
    }
}

fn check_span(span: Span, len: u32) {
    assert!(span.start <= span.end && span.end <= len, "{span:?} of {len}");
}

fn check_tree(module: &Module, len: u32) {
    module.comments.iter().for_each(|comment| check_span(*comment, len));
    for operand in &module.operands {
        check_span(operand.span, len);
    }
    for item in &module.items {
        match item {
            Item::Function(function) => {
                check_span(function.span, len);
                function.body.iter().for_each(|body| check_block(module, body, function.span));
            }
            Item::Variable(variable) => check_span(variable.span, len),
            _ => {}
        }
    }
}

fn check_block(module: &Module, block: &Block, outer: Span) {
    assert!(outer.start <= block.span.start && block.span.end <= outer.end, "{:?} in {outer:?}", block.span);
    for statement in &block.statements {
        match statement {
            Statement::Block(nested) => check_block(module, nested, block.span),
            Statement::Instruction(instruction) => {
                let span = instruction.span;
                assert!(block.span.start <= span.start && span.end <= block.span.end, "{span:?} in {:?}", block.span);
                for operand in module.list(instruction.operands) {
                    assert!(span.start <= operand.span.start && operand.span.end <= span.end);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn any_bytes_end_in_a_tree() {
    fuzz(1, Duration::from_secs(10));
}

#[test]
#[ignore = "runs ten minutes; LOCKSTEP_FUZZ_SECONDS sets another time, LOCKSTEP_FUZZ_SEED another seed"]
fn any_bytes_end_in_a_tree_for_long() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    fuzz(number("LOCKSTEP_FUZZ_SEED").unwrap_or(2), Duration::from_secs(number("LOCKSTEP_FUZZ_SECONDS").unwrap_or(600)));
}

/// Reads `pattern` over and over, twice as often the second time, and sees that the time grows no faster than the text.
fn check_growth(before: &str, pattern: &str, after: &str) {
    let time = |count: usize| {
        let text = format!(".version 9.0\n.target sm_90\n{before}{}{after}", pattern.repeat(count));
        let start = Instant::now();
        let (module, diagnostics) = ptx::parse(&text);
        let source = Source::new("fuzz.ptx", text);
        diagnostics.iter().for_each(|diagnostic| assert!(render_text(diagnostic, &source, false).len() < 20_000));
        drop(module);
        start.elapsed()
    };
    let count = 50_000 / pattern.len().max(2);
    let (once, eight_times) = (time(count), time(8 * count));
    let limit = once * 8 * 6 + Duration::from_secs(2);
    assert!(eight_times < limit, "{before}{pattern}...: {once:?}, then {eight_times:?} for eight times as much");
}

#[test]
fn deep_and_long_texts_take_linear_time() {
    let body = ".entry k() {";
    for (before, pattern, after) in [
        (body, "{", ""),
        (body, "{", "}"),
        (body, "}", ""),
        (body, "{}", "}"),
        ("", ".entry k() {", ""),
        (".global .u32 x = ", "{", ";"),
        (".global .u32 x = ", "(", ";"),
        (".global .u32 x = ", "-", "1;"),
        (".global .u32 x = ", "- ", "1;"),
        (".global .u32 x = 1", "?1", ";"),
        (".global .u32 x = 1", "?1:1", ";"),
        (".global .u32 x = 1", "+1", ";"),
        (".global .u32 x = ", "a = ", "1;"),
        (".entry k", "(", ")"),
        (".entry k() ", ".foo ", "{}"),
        ("mov.u32 a, ", "(", ";"),
        (".entry k() { mov.u32 a, ", "(", ";}"),
        (".entry k() { mov.u32 a, ", "[", ";}"),
        (".entry k() { mov.u32 a, {", "{", ";}"),
        (".entry k() { mov.u32 a", ".x", ";}"),
        (".entry k() { mov", " .x", ";}"),
        (".entry k() { mov", ".x", ";}"),
        (body, "mov a b\n", "}"),
        (body, "mov a, b;", "}"),
        (body, "a:", "}"),
        (body, "@", "}"),
        (body, "ret\n", "}"),
        (body, "!", "}"),
        (body, "\"", "}"),
        (body, "\\", "}"),
        (body, "\\ ", "}"),
        (body, "/*", "}"),
        (body, "/**/", "}"),
        (body, "0f", ";}"),
        (body, "mov a, 1", ";}"),
        (body, "-a ", "}"),
        ("", "\u{e9}", ""),
        ("", ".version 9.0\n", ""),
        ("", ".unknown\n", ""),
        ("", ".section .x {\n", ""),
        (".section .x {", ".b8 1\n", "}"),
        ("", ".nv_intermediate_source_section { .source_begin ", ""),
        ("", "@@DWARF\n", ""),
        ("", "#", ""),
        ("", "# ", "1"),
        ("", "# 1 \"", ""),
        (body, "# 1 \"a\" 1 ", "}"),
        (".entry k() { ld", ".const[2]", " a, [b]; }"),
        ("", "\n", ""),
        ("", ".global .u32 a, ", ""),
        ("", ".global .u32 a;", ""),
        (".func (", ".param .u32 a, ", ") f;"),
    ] {
        check_growth(before, pattern, after);
    }
}
