//! `lockstep check`: is PTX right? And do AMD code objects keep apart what hardware does not?

use crate::{output, plan, sarif};
use clap::{Args, ValueEnum};
use diagnostics::Source;
use isa::{Target, Version};
use lockstep::check::Requirements;
use lockstep::{Error, Problem};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Judge PTX files as ptxas does: syntax, instructions, operands, names, calls, versions and targets; of AMD code objects, warn of instructions that
/// follow each other more closely than hardware takes care of, of loads that nothing waits for, and of bytes that are none
#[derive(Args)]
#[command(after_help = "Exit status 1 if there is any error. `lockstep explain CODE` says more about a diagnostic.")]
pub struct Arguments {
    /// PTX files or code objects, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Judge for this target instead of the one that the file names
    #[arg(long, value_name = "sm_N", value_parser = parse_target)]
    target: Option<Target>,
    /// Tell the lowest PTX version and target on which each file is right, all other such targets, and the lines that ask for it
    #[arg(long, conflicts_with = "target")]
    all_targets: bool,
    /// How to print diagnostics
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// How diagnostics are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For code scanning: SARIF 2.1.0.
    Sarif,
}

fn parse_target(text: &str) -> Result<Target, String> {
    Target::parse(text).filter(|t| t.introduced().is_some()).ok_or_else(|| {
        let meant = lockstep::table().ok().and_then(|table| table.target_meant(text));
        match (meant, Target::parse(text)) {
            (Some(meant), Some(_)) => format!("there is no such target; did you mean {meant}?"),
            (Some(meant), None) => format!("write {meant}"),
            (None, _) => "a target such as sm_90 or sm_100a is expected".to_owned(),
        }
    })
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    let mut all: Vec<Problem> = Vec::new();
    let mut targets: Vec<Value> = Vec::new();
    let mut fine = true;
    for file in &arguments.files {
        let name = file.display().to_string();
        let (mut problems, verdict, requirements) = judge(file, &name, arguments);
        fine &= !problems.iter().any(Problem::is_error) && requirements.as_ref().is_none_or(|(r, _)| r.lowest.is_some());
        if arguments.format == Format::Text {
            problems.iter().for_each(|p| output::note(&format!("{}\n", p.render(output::colour()))));
            output::print(&format!("{name}: {verdict}"));
        }
        // A program looks for the name of the file in one place, also that of one that cannot be read.
        for problem in problems.iter_mut().filter(|p| p.source.name().is_empty()) {
            problem.source = Arc::new(Source::new(name.as_str(), ""));
        }
        targets.extend(requirements.map(|(requirements, source)| requirements_json(&name, &requirements, &source)));
        all.extend(problems);
    }
    match arguments.format {
        Format::Text => {}
        Format::Json if arguments.all_targets => {
            let diagnostics: Value = serde_json::from_str(&output::problems(&all)).unwrap_or_default();
            output::print(&format!("{}\n", json!({ "diagnostics": diagnostics, "files": targets })));
        }
        Format::Json => output::print(&format!("{}\n", output::problems(&all))),
        Format::Sarif => output::print(&sarif::log(&all)),
    }
    if fine { ExitCode::SUCCESS } else { ExitCode::from(output::FAILED) }
}

/// What is wrong with a file, that in a few words, and where it is right, beside its text, if that was asked for and nothing else is
/// wrong.
fn judge(file: &Path, name: &str, arguments: &Arguments) -> (Vec<Problem>, String, Option<(Requirements, Source)>) {
    let refused = |error: Error| {
        let problems = error.problems().to_vec();
        let verdict = count(&problems);
        (problems, verdict, None)
    };
    let data = match plan::read_bytes(file) {
        Ok(data) => data,
        Err(error) => return refused(error),
    };
    if lockstep::is_code_object(&data) {
        return match lockstep::hazards_of(name, &data) {
            Ok(_) if arguments.target.is_some() || arguments.all_targets => refused(Error::plain(
                "",
                format!("{name} is a code object for one target"),
                "leave --target and --all-targets away",
            )),
            Ok(problems) => {
                let verdict = match problems.iter().filter(|p| !p.is_error()).count() {
                    _ if problems.iter().any(Problem::is_error) => count(&problems),
                    0 => "ok\n".to_owned(),
                    1 => "1 warning\n".to_owned(),
                    n => format!("{n} warnings\n"),
                };
                (problems, verdict, None)
            }
            Err(error) => refused(error),
        };
    }
    let text = diagnostics::text_of(data);
    let mut problems = match lockstep::check::check(name, &text, arguments.target) {
        Ok(problems) => problems,
        Err(error) => return refused(error),
    };
    if arguments.all_targets {
        // The header is what is asked for.
        problems.retain(|p| !lockstep::check::about_header(&p.diagnostic));
        if !problems.iter().any(Problem::is_error) {
            return match lockstep::check::requirements(&text) {
                Ok(requirements) => {
                    let source = Source::new("", text);
                    let shown = requirements_text(&requirements, &source);
                    (problems, shown, Some((requirements, source)))
                }
                Err(error) => refused(error),
            };
        }
    }
    let verdict = count(&problems);
    (problems, verdict, None)
}

fn count(problems: &[Problem]) -> String {
    match problems.iter().filter(|p| p.is_error()).count() {
        0 => "ok\n".to_owned(),
        1 => "1 error\n".to_owned(),
        n => format!("{n} errors\n"),
    }
}

fn requirements_text(requirements: &Requirements, source: &Source) -> String {
    let mut shown = match requirements.lowest {
        Some((version, target)) => format!("the lowest is PTX {version} with `.target {target}`\n"),
        None => "right on no target: its lines contradict each other\n".to_owned(),
    };
    for forced in &requirements.forced {
        shown += &format!("  line {}: {} needs {}\n", source.position(forced.span.start).line, forced.what, forced.requirement);
    }
    if !requirements.targets.is_empty() {
        shown += &format!("  right on {}\n", grouped(&requirements.targets).join("; "));
    }
    shown
}

/// Targets by the lowest version there: `PTX 7.0: sm_80, sm_86`.
fn grouped(targets: &[(Target, Version)]) -> Vec<String> {
    let mut versions: Vec<Version> = targets.iter().map(|t| t.1).collect();
    versions.sort_unstable();
    versions.dedup();
    let of = |version: Version| {
        let names: Vec<String> = targets.iter().filter(|t| t.1 == version).map(|t| t.0.to_string()).collect();
        format!("{} from PTX {version}", names.join(" "))
    };
    versions.into_iter().map(of).collect()
}

fn requirements_json(name: &str, requirements: &Requirements, source: &Source) -> Value {
    let forced = requirements.forced.iter().map(|f| {
        let place = source.position(f.span.start);
        json!({ "what": f.what, "needs": f.requirement, "line": place.line, "column": place.column })
    });
    let pair = |(target, version): &(Target, Version)| json!({ "target": target.to_string(), "version": version.to_string() });
    json!({
        "file": name,
        "lowest": requirements.lowest.map(|(version, target)| pair(&(target, version))),
        "targets": requirements.targets.iter().map(pair).collect::<Vec<_>>(),
        "forced": forced.collect::<Vec<_>>(),
    })
}
