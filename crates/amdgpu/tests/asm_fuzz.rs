//! Any text ends in diagnostics, in time and memory: the cases of `tests/asm` with random changes, and texts made to be slow. The generator
//! is seeded, so that a failure comes again; `cargo test --release -p amdgpu --test asm_fuzz -- --ignored` runs longer.

mod support;

use diagnostics::{Source, render_text};
use std::fmt::Write;
use std::time::{Duration, Instant};
use support::{cases, files, run};

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

/// Assembles, renders what is found, and gives how much that was.
fn assemble(text: &str) -> usize {
    let found = run(text).diagnostics;
    assert!(found.len() <= 101, "{} diagnostics", found.len());
    let source = Source::new("fuzz.s", text);
    for diagnostic in &found {
        let is_inside = |span: diagnostics::Span| span.start <= span.end && span.end as usize <= text.len();
        assert!(diagnostic.labels.iter().all(|label| is_inside(label.span)), "{diagnostic:?} of\n{text}");
        render_text(diagnostic, &source, false);
    }
    found.len()
}

/// A text with a few bytes, words or lines changed.
fn mutated(texts: &[String], random: &mut Random) -> String {
    const WORDS: [&str; 24] = [
        "\\",
        "\"",
        "'",
        "(",
        ")",
        "/*",
        "\n",
        "\r",
        "\0",
        "é",
        ".macro m a\n",
        ".endm\n",
        ".rept 3\n",
        ".endr\n",
        ".if 1\n",
        ".endif\n",
        "@rel32@lo",
        "-1",
        "0x",
        "1b",
        ".set x, x+1\n",
        "9999999999",
        "%",
        "\\@",
    ];
    let mut text = texts[random.below(texts.len())].clone();
    for _ in 0..=random.below(6) {
        let place = |text: &str, random: &mut Random| {
            let at = random.below(text.len() + 1);
            text.floor_char_boundary(at)
        };
        let (a, b) = (place(&text, random), place(&text, random));
        match random.below(5) {
            0 => text.insert_str(a, WORDS[random.below(WORDS.len())]),
            1 => text.replace_range(a.min(b)..a.max(b).min(text.ceil_char_boundary(a.min(b) + 8)), ""),
            2 => {
                let other = &texts[random.below(texts.len())];
                let (c, d) = (place(other, random), place(other, random));
                text.insert_str(a, &other[c.min(d)..c.max(d)]);
            }
            3 => {
                let part = text[a.min(b)..a.max(b)].to_string();
                text.insert_str(a, &part);
            }
            _ => {
                let end = text.ceil_char_boundary((a + 1).min(text.len()));
                text.replace_range(a..end, &char::from(random.below(127) as u8).to_string());
            }
        }
    }
    text
}

fn fuzz(count: usize, seed: u64) {
    let mut texts: Vec<String> = Vec::new();
    for path in files() {
        texts.extend(cases(&std::fs::read_to_string(path).unwrap()).into_iter().map(|case| case.text));
    }
    let (mut random, mut found) = (Random(seed), 0);
    for _ in 0..count {
        let text = mutated(&texts, &mut random);
        let start = Instant::now();
        found += assemble(&text);
        assert!(start.elapsed() < Duration::from_secs(20), "{:?} for\n{text}", start.elapsed());
    }
    assert!(found > count / 10, "only {found} diagnostics in {count} texts");
}

#[test]
fn changed_texts_end_in_diagnostics() {
    fuzz(4_000, 1);
}

#[test]
#[ignore = "takes minutes"]
fn many_changed_texts_end_in_diagnostics() {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(2);
    fuzz(300_000, seed);
}

/// Texts that would take a naive assembler for ever, or all memory.
#[test]
fn texts_made_to_be_slow_end_in_time() {
    let repeated = |text: &str, count: usize| text.repeat(count);
    let numbered = |count: usize, line: fn(usize) -> String| (0..count).map(line).collect::<String>();
    let texts = [
        format!(".long {}1{}\n", repeated("(", 200_000), repeated(")", 200_000)),
        format!(".long {}1\n", repeated("-", 200_000)),
        format!(".long {}x\nx:\n", repeated("x-x+", 100_000)),
        format!(".long {}1\n", repeated("max(1,", 50_000)),
        repeated(".if 1\n", 100_000),
        repeated(".rept 1\n", 50_000) + &repeated(".endr\n", 50_000),
        repeated(".macro m\n", 50_000),
        ".rept 1000000000\n.byte 1\n.endr\n".into(),
        ".rept 1000000000\n\\()\n.endr\n".into(),
        ".macro m\nm\nm\n.endm\nm\n".into(),
        format!("{}.long a60\n.set a0, 1\n", numbered(60, |n| format!(".set a{}, a{n}+a{n}\n", n + 1))),
        format!(".set a0, x+1\n{}.long a20000\nx:\n", numbered(20_000, |n| format!(".set a{}, a{n}+1\n", n + 1))),
        format!(".set a0, a20000\n{}.long a20000\n", numbered(20_000, |n| format!(".set a{}, a{n}+1\n", n + 1))),
        ".space 0x7fffffffffffffff\n.fill 0x7fffffffffffffff, 8, 1\n".into(),
        repeated(".space 100000000\n", 100),
        repeated(".p2align 31\n.long 1\n", 20),
        ".bss\n.space 0x7fffffffffff\n".into(),
        ".org 0x3fffffff\n.byte 1\n".into(),
        numbered(20_000, |n| format!(".section .s{n},\"a\"\n.byte 1\n.subsection 5\n")),
        numbered(100_000, |n| format!("l{n}: .long l{n}\n")),
        numbered(3_000, |n| format!(".uleb128 l{}-l{n}\nl{n}:\n", n + 1)),
        numbered(3_000, |n| format!(".space l{}-l{n}\nl{n}:\n", n + 1)),
        ".set i, 0\n.rept 200000\n.set i, i+1\n.endr\n.long i\n".into(),
        repeated("x: ", 100_000),
        format!(".ascii \"{}\"\n", repeated("\\x41", 200_000)),
        format!(".irp x, {}\n.byte \\x\n.endr\n", repeated("1,", 100_000)),
        format!(".amdhsa_kernel k\n{}", numbered(3_000, |n| format!(".amdhsa_{n} 1\n"))),
        repeated("\"", 100_001),
        repeated("/*", 100_000),
        repeated("'", 100_001),
    ];
    for (at, text) in texts.iter().enumerate() {
        let start = Instant::now();
        assemble(text);
        let mut shown = String::new();
        let _ = write!(shown, "{}", &text[..text.floor_char_boundary(200)]);
        assert!(start.elapsed() < Duration::from_secs(30), "text {at} took {:?}: {shown}", start.elapsed());
        if std::env::var_os("SHOW").is_some() {
            println!("{at} {:?} {}", start.elapsed(), shown.lines().next().unwrap_or(""));
        }
    }
}
