//! Project chores: `cargo xtask CHORE`.

mod oracle;

use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask CHORE

  lint                the table: read strictly, then checked beyond reading
  oracle [NAME...]    hold records against ptxas: those of the names or chapters given, else all, whose verdicts are then
                      written to tests/verdicts (--bless; without it they are only compared)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or(&[]);
    let result = match arguments.first().map(String::as_str) {
        Some("lint") => lint(),
        Some("oracle") => oracle::run(rest),
        None | Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            Ok(())
        }
        Some(other) => Err(format!("there is no chore `{other}`\n\n{HELP}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}

/// The repository's root.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The table as it is on disk now.
fn table() -> Result<&'static isa::Table, String> {
    isa::Table::load(&root().join("isa")).map_err(|problems| problems.to_string())
}

fn lint() -> Result<(), String> {
    let problems = table()?.lint();
    if problems.list.is_empty() { Ok(()) } else { Err(problems.to_string()) }
}
