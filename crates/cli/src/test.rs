//! `lockstep test`: launch files with what must come out.

use crate::plan::{self, Outcome, Plan};
use crate::run::Limits;
use crate::{Format, launch_file, output};
use clap::Args;
use lockstep::{Error, Options, Policy};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Run launch files and hold them against their expected results
///
/// Each launch file runs on all cores, with asynchronous work done late and done at once, and with two seeds, which give other schedules; every
/// run must give what the file expects:
/// arrays (exact to the bit unless it gives a tolerance), the text of device printf, or an error. All arrays and the text must also be
/// the same in every run, to the byte, unless the file says why they vary.
#[derive(Args)]
#[command(after_help = "Exit status 1 if any test fails. CONTRIBUTING.md describes launch files.")]
pub struct Arguments {
    /// Launch files, or folders to search for files called launch.toml
    #[arg(required = true, value_name = "DIR|LAUNCH.toml")]
    paths: Vec<PathBuf>,
    /// GPU to model, instead of the one that a file asks for
    #[arg(long)]
    gpu: Option<String>,
    #[command(flatten)]
    limits: Limits,
    /// How to print results
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// A test's verdict.
struct Verdict {
    path: PathBuf,
    title: String,
    seconds: f64,
    /// What was wrong, and under which schedule.
    failure: Option<String>,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    let files = match find(&arguments.paths) {
        Ok(files) => files,
        Err(error) => return output::fail(&error, arguments.format),
    };
    let verdicts = run_all(&files, arguments);
    let failed = verdicts.iter().filter(|v| v.failure.is_some()).count();
    match arguments.format {
        Format::Text => output::print(&format!("{} passed, {failed} failed\n", verdicts.len() - failed)),
        Format::Json => {
            let one = |v: &Verdict| json!({ "file": v.path, "title": v.title, "seconds": v.seconds, "failure": v.failure });
            let all: Vec<_> = verdicts.iter().map(one).collect();
            output::print(&format!("{}\n", json!({ "tests": all, "passed": verdicts.len() - failed, "failed": failed })));
        }
    }
    if failed > 0 { ExitCode::from(output::FAILED) } else { ExitCode::SUCCESS }
}

/// The launch files below folders, sorted.
fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in paths {
        let before = files.len();
        match path.is_dir() {
            true => collect(path, &mut files)
                .map_err(|e| Error::plain("", format!("cannot list {}: {e}", path.display()), "check its permissions"))?,
            false => files.push(path.clone()),
        }
        if files.len() == before {
            let message = format!("no launch.toml in {}", path.display());
            return Err(Error::plain("", message, "name a launch file, or a folder with launch.toml files below it"));
        }
        files[before..].sort();
    }
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        // Links are not followed: a circle of them has no end.
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else if entry.file_name() == "launch.toml" {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Runs the tests beside each other; their lines come in order.
fn run_all(files: &[PathBuf], arguments: &Arguments) -> Vec<Verdict> {
    let next = AtomicUsize::new(0);
    let done: Mutex<(Vec<Option<Verdict>>, usize)> = Mutex::new(((0..files.len()).map(|_| None).collect(), 0));
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(files.len());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdict = run_one(file, arguments);
                    let mut done = done.lock().unwrap_or_else(|e| e.into_inner());
                    let (verdicts, printed) = &mut *done;
                    if let Some(place) = files.iter().position(|f| std::ptr::eq(f, file)) {
                        verdicts[place] = Some(verdict);
                    }
                    while let Some(Some(verdict)) = verdicts.get(*printed) {
                        *printed += 1;
                        if arguments.format == Format::Text {
                            output::print(&line(verdict));
                        }
                    }
                }
            });
        }
    });
    let (verdicts, _) = done.into_inner().unwrap_or_else(|e| e.into_inner());
    verdicts.into_iter().flatten().collect()
}

fn line(verdict: &Verdict) -> String {
    let Verdict { path, title, seconds, failure } = verdict;
    match failure {
        None => format!("ok      {} ({title}), {seconds:.2} s\n", path.display()),
        Some(why) => {
            let why = why.trim_end().replace('\n', "\n        ");
            format!("FAILED  {} ({title})\n        {why}\n", path.display())
        }
    }
}

fn run_one(file: &Path, arguments: &Arguments) -> Verdict {
    let start = Instant::now();
    let verdict = |title: String, failure: Option<String>| Verdict {
        path: file.to_owned(),
        title,
        seconds: start.elapsed().as_secs_f64(),
        failure,
    };
    let plan = match plan::read_text(file).and_then(|text| launch_file::read(file, &text)) {
        Ok(plan) => Plan { gpu: arguments.gpu.clone().or(plan.gpu), ..plan },
        Err(error) => return verdict("unreadable".into(), Some(error.to_string())),
    };
    let base = arguments.limits.options();
    let policies: Vec<Schedule> = match base.seed {
        Some(seed) => vec![(format!("seed {seed}"), base)],
        None => {
            let seeded = |seed| (format!("seed {seed}"), Options { seed: Some(seed), ..base.clone() });
            let early = Options { policy: Policy::Early, ..base.clone() };
            vec![
                ("all cores".to_owned(), base.clone()),
                ("asynchronous work done at once".to_owned(), early),
                seeded(1),
                seeded(2),
            ]
        }
    };
    let mut first: Option<(Schedule, Outcome)> = None;
    // What the first run that goes wrong has wrong; further ones may tell that this depends on the schedule.
    let mut wrong: Option<String> = None;
    for schedule in policies {
        let outcome = plan::execute(&plan, &schedule.1, &|_| {});
        let found = judge(&plan, &outcome);
        if !found.is_empty() {
            let text = format!("{}: {}", schedule.0, found.join("\n"));
            // A deadlock tells where threads stand, not always why: another schedule may come to the mistake itself.
            let is_deadlock = code(&outcome) == Some(DEADLOCK);
            match &mut wrong {
                None => {
                    wrong = Some(text);
                    if outcome.error.is_some() && !is_deadlock {
                        break;
                    }
                }
                Some(before) if outcome.error.is_some() && !is_deadlock => *before += &format!("\n{text}"),
                Some(_) => {}
            }
        }
        match &first {
            None => first = Some((schedule, outcome)),
            Some((other, before)) => {
                let differences = plan.differences([before, &outcome]);
                if !differences.is_empty() {
                    let mut text = format!("{} and {}: {}", other.0, schedule.0, differences.join("\n"));
                    if let Some(byte) = plan.different_byte([before, &outcome]) {
                        text += &touches(&plan, [other, &schedule], byte);
                    }
                    let before = wrong.map_or(String::new(), |wrong| wrong + "\n");
                    return verdict(plan.title, Some(before + &text));
                }
            }
        }
    }
    verdict(plan.title, wrong)
}

/// The code of a deadlock.
const DEADLOCK: &str = "E0239";

/// The code of the error that a run ended in.
fn code(outcome: &Outcome) -> Option<&str> {
    Some(outcome.error.as_ref()?.problems().first()?.diagnostic.code)
}

/// A schedule's name, and what makes it.
type Schedule = (String, Options);

/// Who wrote the byte that two schedules made different, and who read it.
fn touches(plan: &Plan, schedules: [&Schedule; 2], byte: (usize, usize)) -> String {
    let lines = schedules.map(|(name, options)| {
        let who = plan::who_touched(plan, options, byte);
        let who = if who.is_empty() { vec!["nobody wrote it".to_owned()] } else { who };
        who.into_iter().map(|who| format!("\n{name}: {who}")).collect::<String>()
    });
    lines.concat()
}

/// What went wrong in a run: an error that nobody expects, or what does not come out as expected.
fn judge(plan: &Plan, outcome: &Outcome) -> Vec<String> {
    match (&plan.expect_error, &outcome.error) {
        (None, Some(error)) => vec![error.to_string()],
        _ => plan.unmet(outcome),
    }
}
