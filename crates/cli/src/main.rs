//! The command line: verbs over the library. All printing of the project happens in this crate.

mod argument;
mod array;
mod asm;
mod check;
mod code_object;
mod decode;
mod diff;
mod disasm;
mod eval;
mod explain;
mod fmt;
mod image;
mod inspect;
mod launch_file;
mod machine;
mod npy;
mod output;
mod plan;
mod run;
mod sarif;
mod search;
mod tensor_map;
mod test;

use clap::{Parser, Subcommand, ValueEnum};
use std::process::ExitCode;

/// The GPU instruction sets, executable: run PTX kernels on a CPU, right to the bit.
#[derive(Parser)]
#[command(
    name = "lockstep",
    version,
    after_help = "\
Exit status: 0 fine; 1 the input is wrong, a kernel failed or a check did not hold; 2 the command line is wrong.

Examples:
  lockstep run examples/vector_add/launch.toml
  lockstep test examples
  lockstep eval mul.hi.s32 -3 0x40000000
  lockstep explain dp2a"
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

/// How results are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

#[derive(Subcommand)]
enum Verb {
    Run(run::Arguments),
    Test(test::Arguments),
    Eval(eval::Arguments),
    Check(check::Arguments),
    Fmt(fmt::Arguments),
    Explain(explain::Arguments),
    Search(search::Arguments),
    Inspect(inspect::Arguments),
    Asm(asm::Arguments),
    Disasm(disasm::Arguments),
    Decode(decode::Arguments),
    Diff(diff::Arguments),
}

/// Marks an argument that begins like an option and is a number.
const NUMBER: char = '\u{1}';

/// The process's arguments; numbers such as `-1:s64` are marked, so that they are not taken for options.
fn arguments() -> impl Iterator<Item = std::ffi::OsString> {
    std::env::args_os().map(|argument| match argument.to_str() {
        Some(text) if negative(text) => format!("{NUMBER}{text}").into(),
        _ => argument,
    })
}

fn negative(text: &str) -> bool {
    text.strip_prefix('-')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') || rest.starts_with("inf"))
}

/// An argument without its mark.
fn unmarked(text: &str) -> Result<String, std::convert::Infallible> {
    Ok(text.trim_start_matches(NUMBER).to_owned())
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(arguments()) {
        Ok(cli) => cli,
        // Help and version are output like any other.
        Err(text) if !text.use_stderr() => {
            output::print(&if output::colours_output() { text.render().ansi().to_string() } else { text.to_string() });
            return ExitCode::SUCCESS;
        }
        Err(error) => error.exit(),
    };
    match cli.verb {
        Verb::Run(arguments) => run::main(arguments),
        Verb::Test(arguments) => test::main(&arguments),
        Verb::Eval(arguments) => eval::main(&arguments),
        Verb::Check(arguments) => check::main(&arguments),
        Verb::Fmt(arguments) => fmt::main(&arguments),
        Verb::Explain(arguments) => explain::main(&arguments),
        Verb::Search(arguments) => search::main(&arguments),
        Verb::Inspect(arguments) => inspect::main(&arguments),
        Verb::Asm(arguments) => asm::main(&arguments),
        Verb::Disasm(arguments) => disasm::main(&arguments),
        Verb::Decode(arguments) => decode::main(&arguments),
        Verb::Diff(arguments) => diff::main(&arguments),
    }
}
