//! How fast the assembler's language is read, apart from the encoding of instructions: 20,000 lines of instructions, labels, data and macro
//! calls. Prints the best of several runs, in time that the core spent on it where the system tells, of reading tokens alone, and of
//! everything with an encoder of a few instructions.
//!
//!     cargo bench -p amdgpu --bench asm

#[path = "../../ptx/benches/support/mod.rs"]
#[allow(dead_code)]
mod clock;
#[path = "../tests/support/mod.rs"]
mod support;

use amdgpu::asm::lex::Lexer;
use std::hint::black_box;

const LINES: usize = 20_000;
const RUNS: usize = 10;
/// The clock ticks slowly: so many times make a run.
const TIMES: usize = 20;

/// The best time of one of so many, in milliseconds.
fn milliseconds(one: impl Fn()) -> f64 {
    clock::best(RUNS, || (0..TIMES).for_each(|_| one())) * 1e3 / TIMES as f64
}

fn main() {
    let mut text = String::from(".macro twice a, b\n\ts_mov_b32 \\a, \\b\n\ts_mov_b32 \\a, \\b + 4\n.endm\n");
    for line in 0..LINES {
        text.push_str(&match line % 20 {
            0 => format!("loop{line}: // begins here\n"),
            1 => format!("\ttwice s{}, 0x{line:x}\n", line % 90),
            2 => format!("\ts_branch loop{}\n", line - 2),
            3 => format!("\t.long {line}, loop{} - loop0, -1\n", line - 3),
            _ => format!("\tv_mov_b32 v{}, v{} ; a comment\n", line % 200, line % 190),
        });
    }
    let lexed = milliseconds(|| {
        let (mut lexer, mut tokens, mut count) = (Lexer::new(&text), Vec::new(), 0);
        while lexer.statement(&mut tokens) {
            count += tokens.len();
        }
        black_box(count);
    });
    let assembled = milliseconds(|| {
        let assembly = support::run(&text);
        assert!(assembly.is_right(), "{:?}", assembly.diagnostics);
        black_box(assembly);
    });
    println!(
        "{LINES} lines, {:.1} MB, best of {RUNS}: tokens {lexed:.2} ms, everything {assembled:.2} ms",
        text.len() as f64 / 1e6
    );
}
