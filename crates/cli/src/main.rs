//! The command line: verbs over the library. All printing of the project happens in this crate.

mod argument;
mod array;
mod check;
mod eval;
mod explain;
mod inspect;
mod launch_file;
mod npy;
mod output;
mod plan;
mod run;
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
    Explain(explain::Arguments),
    Inspect(inspect::Arguments),
}

fn main() -> ExitCode {
    match Cli::parse().verb {
        Verb::Run(arguments) => run::main(arguments),
        Verb::Test(arguments) => test::main(&arguments),
        Verb::Eval(arguments) => eval::main(&arguments),
        Verb::Check(arguments) => check::main(&arguments),
        Verb::Explain(arguments) => explain::main(&arguments),
        Verb::Inspect(arguments) => inspect::main(&arguments),
    }
}
