//! `lockstep check`: is PTX right?

use crate::{Format, output, plan};
use clap::Args;
use isa::Target;
use lockstep::{Error, Problem};
use std::path::PathBuf;
use std::process::ExitCode;

/// Judge PTX files: syntax, instructions, operands, names, versions and targets
#[derive(Args)]
#[command(after_help = "Exit status 1 if there is any error. `lockstep explain CODE` says more about a diagnostic.")]
pub struct Arguments {
    /// PTX files, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Judge for this target instead of the one that the file names
    #[arg(long, value_name = "sm_N", value_parser = parse_target)]
    target: Option<Target>,
    /// How to print diagnostics
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

fn parse_target(text: &str) -> Result<Target, String> {
    Target::parse(text).filter(|t| t.introduced().is_some()).ok_or_else(|| {
        let names: Vec<String> = Target::all().map(|t| t.to_string()).collect();
        let near = isa::Table::nearest(text, names.iter().map(String::as_str));
        near.first().map_or("a target such as sm_90 or sm_100a is expected".to_owned(), |n| format!("did you mean {n}?"))
    })
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    let mut all: Vec<Problem> = Vec::new();
    for file in &arguments.files {
        let name = file.display().to_string();
        let checked = plan::read_text(file).and_then(|text| lockstep::check::check(&name, &text, arguments.target));
        let problems = checked.unwrap_or_else(|error: Error| error.problems().to_vec());
        if arguments.format == Format::Text {
            problems.iter().for_each(|p| output::note(&format!("{}\n", p.render(output::colour()))));
            let errors = problems.iter().filter(|p| p.is_error()).count();
            let verdict = match errors {
                0 => "ok".to_owned(),
                1 => "1 error".to_owned(),
                n => format!("{n} errors"),
            };
            output::print(&format!("{name}: {verdict}\n"));
        }
        all.extend(problems);
    }
    if arguments.format == Format::Json {
        output::print(&format!("{}\n", output::problems(&all)));
    }
    if all.iter().any(Problem::is_error) { ExitCode::from(output::FAILED) } else { ExitCode::SUCCESS }
}
