//! `lockstep run`: one kernel, or the launches of a launch file.

use crate::argument::{self, Argument};
use crate::plan::{self, Outcome, Plan, PlanArgument, PlanBuffer, PlanLaunch};
use crate::{Format, image, launch_file, npy, output, tensor_map};
use clap::Args;
use lockstep::{Error, Options, Report, Traced};
use serde_json::json;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Run a kernel of a PTX file or of an AMD code object, or the launches of a launch file
#[derive(Args)]
#[command(after_help = format!("{}\n\n{}\n\n{}\n\n{EXAMPLES}", argument::HELP, tensor_map::HELP, image::HELP))]
pub struct Arguments {
    /// PTX file, AMD code object (also in a bundle, or in a program that holds one), launch file (.toml), or - for PTX from standard input
    #[arg(value_name = "FILE|LAUNCH.toml")]
    file: PathBuf,
    /// Name of the kernel (may be left out if the file has one), then its arguments
    #[arg(value_name = "[KERNEL] ARG", value_parser = crate::unmarked)]
    words: Vec<String>,
    /// Blocks of the grid: X, X,Y or X,Y,Z
    #[arg(long, value_parser = parse_shape, default_value = "1", value_name = "X[,Y[,Z]]")]
    grid: Dimensions,
    /// Threads of a block: X, X,Y or X,Y,Z
    #[arg(long, value_parser = parse_shape, default_value = "32", value_name = "X[,Y[,Z]]")]
    block: Dimensions,
    /// Bytes of dynamic shared memory in each block
    #[arg(long, default_value_t = 0, value_name = "BYTES")]
    shared: u32,
    /// Blocks of a cluster, if not one: X, X,Y or X,Y,Z
    #[arg(long, value_parser = parse_shape, value_name = "X[,Y[,Z]]")]
    cluster: Option<Dimensions>,
    /// GPU to model: h100, b200, a100, mi300x, rx7900xtx ... or a target such as sm_90 or gfx942
    #[arg(long)]
    gpu: Option<String>,
    /// More PTX files to link with
    #[arg(long, value_name = "FILE")]
    link: Vec<PathBuf>,
    /// Print what was executed and how fast
    #[arg(long)]
    time: bool,
    /// Print every warp instruction before it is executed, to standard error
    #[arg(long)]
    trace: bool,
    #[command(flatten)]
    limits: Limits,
    /// How to print results
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  lockstep run add.ptx add --grid 4 --block 256 arange:f32:1000 arange:f32:1000 zeros:f32:1000:out=sum.npy 1000
  lockstep run kernel.hsaco add --gpu mi300x --grid 4 --block 256 arange:f32:1000 arange:f32:1000 zeros:f32:1000 1000
  lockstep run examples/softmax/launch.toml --time";

/// Bounds of a run, and its schedule.
#[derive(Args, Clone)]
pub struct Limits {
    /// Stop after so many warp instructions
    #[arg(long, value_name = "N")]
    max_instructions: Option<u64>,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    timeout: Option<Duration>,
    /// Host threads (default: all cores)
    #[arg(long, default_value_t = 0, value_name = "N", hide_default_value = true)]
    threads: usize,
    /// When asynchronous copies are done: late (as late as the program can tell, the default), early (at once) or seeded (at random moments)
    #[arg(long, value_enum, value_name = "POLICY", default_value = "late", hide_default_value = true)]
    pub policy: Policy,
    /// One reproducible schedule of warps and blocks; other numbers give other legal ones
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// When asynchronous work is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Policy {
    /// As late as the program can tell
    #[default]
    Late,
    /// At once
    Early,
    /// At random moments, in the order of --seed, 0 without it
    Seeded,
}

impl Limits {
    /// Options for a launch with these bounds.
    pub fn options(&self) -> Options {
        Options {
            threads: self.threads,
            max_instructions: self.max_instructions,
            timeout: self.timeout,
            seed: self.seed.or((self.policy == Policy::Seeded).then_some(0)),
            policy: match self.policy {
                Policy::Early => lockstep::Policy::Early,
                _ => lockstep::Policy::Late,
            },
            ..Options::default()
        }
    }
}

/// A shape of one to three dimensions.
type Dimensions = [u32; 3];

fn parse_shape(text: &str) -> Result<Dimensions, String> {
    let mut shape = [1; 3];
    let parts: Vec<&str> = text.split([',', 'x']).collect();
    if parts.len() > 3 {
        return Err("at most three dimensions: X,Y,Z".into());
    }
    for (place, part) in shape.iter_mut().zip(parts) {
        *place = part.parse().map_err(|_| "one to three whole numbers are expected, as in 4 or 16,16".to_owned())?;
    }
    Ok(shape)
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 =
        text.trim_start_matches(crate::NUMBER).parse().map_err(|_| "a number of seconds is expected".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "a positive number of seconds is expected".to_owned())
}

/// Runs the command.
pub fn main(arguments: Arguments) -> ExitCode {
    let plan = match plan(&arguments) {
        Ok(plan) => plan,
        Err(error) => return output::fail(&error, arguments.format),
    };
    let mut options = arguments.limits.options();
    options.cancel = cancel_on_interrupt();
    if arguments.trace {
        match tracer(&plan.modules) {
            Ok(trace) => options.trace = Some(trace),
            Err(error) => return output::fail(&error, arguments.format),
        }
    }
    let outcome = with_progress(&options, |started| plan::execute(&plan, &options, started));
    // The tracer's last lines come out when it is dropped.
    drop(options);
    report(&arguments, &plan, &outcome)
}

/// What the command line asks for.
fn plan(arguments: &Arguments) -> Result<Plan, Error> {
    if arguments.file.extension().is_some_and(|e| e == "toml") {
        if let Some(word) = arguments.words.first() {
            let message = format!("`{word}` is not expected: the launch file says what to launch");
            return Err(Error::plain("", message, "give a PTX file to launch a kernel with arguments of your own"));
        }
        let text = plan::read_text(&arguments.file)?;
        let plan = launch_file::read(&arguments.file, &text)?;
        return Ok(Plan { gpu: arguments.gpu.clone().or(plan.gpu), ..plan });
    }
    let modules: Vec<PathBuf> = std::iter::once(&arguments.file).chain(&arguments.link).cloned().collect();
    let (kernel, words) = kernel_and_arguments(arguments)?;
    let (buffers, planned) = plan_arguments(words)?;
    let Arguments { grid, block, shared, cluster, .. } = *arguments;
    let launch = PlanLaunch { kernel, grid, block, shared, cluster, dependent: false, arguments: planned, place: None };
    Ok(Plan { modules, gpu: arguments.gpu.clone(), buffers, launches: vec![launch], ..Plan::default() })
}

/// The arrays and arguments that the words are.
fn plan_arguments(words: &[String]) -> Result<(Vec<PlanBuffer>, Vec<PlanArgument>), Error> {
    let help = "`lockstep run --help` lists what arguments look like";
    let wrong = |i: usize, why| Error::plain("E0308", format!("argument {}: {why}", i + 1), help);
    let (mut buffers, mut planned, mut maps, mut multicasts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut images = Vec::new();
    let mut keep = |i: usize, array, out| {
        buffers.push(PlanBuffer { name: format!("argument {}", i + 1), array, expected: None, out, varies: None });
        buffers.len() - 1
    };
    for (i, word) in words.iter().enumerate() {
        planned.push(match argument::parse(word, Path::new("")).map_err(|why| wrong(i, why))? {
            Argument::Plain(argument) => argument,
            Argument::Array(array, out) => PlanArgument::Buffer(keep(i, array, out)),
            Argument::TensorMap(map, array, out) => {
                let fields = map.fields(&array).map_err(|why| wrong(i, why))?;
                PlanArgument::TensorMap(keep(i, array, out), Box::new(fields))
            }
            Argument::Multimem(devices, array, out) => PlanArgument::Multimem(keep(i, array, out), devices),
            Argument::MultimemOf(devices, number) => {
                multicasts.push((i, devices, number));
                PlanArgument::Bytes(Vec::new())
            }
            // The array may come later: it is looked up when all arguments are known.
            Argument::TensorMapOf(map, number) => {
                maps.push((i, map, number));
                PlanArgument::Bytes(Vec::new())
            }
            Argument::Image(image, array, out) => {
                let fields = image.fields(&array).map_err(|why| wrong(i, why))?;
                PlanArgument::Image(keep(i, array, out), fields)
            }
            Argument::ImageOf(image, number) => {
                images.push((i, image, number));
                PlanArgument::Bytes(Vec::new())
            }
        });
    }
    for (i, devices, number) in multicasts {
        let array = number.checked_sub(1).and_then(|n: usize| planned.get(n));
        let Some(PlanArgument::Buffer(index)) = array else {
            return Err(wrong(i, format!("argument {number} is no array that devices can have")));
        };
        planned[i] = PlanArgument::Multimem(*index, devices);
    }
    for (i, image, number) in images {
        let array = number.checked_sub(1).and_then(|n: usize| planned.get(n));
        let Some(PlanArgument::Buffer(index) | PlanArgument::Image(index, _)) = array else {
            return Err(wrong(i, format!("argument {number} is no array that can be an image")));
        };
        let index = *index;
        let fields = image.fields(&buffers[index].array).map_err(|why| wrong(i, why))?;
        planned[i] = PlanArgument::Image(index, fields);
    }
    for (i, map, number) in maps {
        let array = number.checked_sub(1).and_then(|n| planned.get(n));
        let Some(PlanArgument::Buffer(index) | PlanArgument::TensorMap(index, _)) = array else {
            return Err(wrong(i, format!("argument {number} is no array that a tensor map can describe")));
        };
        let index = *index;
        let fields = map.fields(&buffers[index].array).map_err(|why| wrong(i, why))?;
        planned[i] = PlanArgument::TensorMap(index, Box::new(fields));
    }
    Ok((buffers, planned))
}

/// The kernel: the first word, or the only one of the file where the first word is an argument.
fn kernel_and_arguments(arguments: &Arguments) -> Result<(String, &[String]), Error> {
    let words = &arguments.words;
    if let Some(first) = words.first().filter(|w| argument::parse(w, Path::new("")).is_err() && !w.contains([':', '@'])) {
        return Ok((first.clone(), &words[1..]));
    }
    if arguments.file == Path::new("-") {
        return Err(Error::plain("", "PTX from standard input needs the kernel's name", "write it before the arguments"));
    }
    let bytes = plan::read_bytes(&arguments.file)?;
    let names: Vec<String> = match lockstep::is_code_object(&bytes) {
        true => lockstep::kernels_of(&bytes),
        false => entries(&diagnostics::text_of(bytes)),
    };
    // A kernel may be called like an argument, such as `inf`.
    if let Some(first) = words.first().filter(|w| names.contains(w)) {
        return Ok((first.clone(), &words[1..]));
    }
    match &names[..] {
        [one] => Ok((one.clone(), words)),
        _ => {
            // Nothing to choose from: let loading say what is wrong with the file.
            if names.is_empty() {
                plan::load(std::slice::from_ref(&arguments.file), arguments.gpu.as_deref())?;
            }
            let message = format!("which kernel of {}?", arguments.file.display());
            let help = if names.is_empty() { "it has none".to_owned() } else { format!("name one: {}", names.join(", ")) };
            Err(Error::plain("", message, help))
        }
    }
}

/// Names of the kernels in a text.
fn entries(text: &str) -> Vec<String> {
    let (tree, _) = ptx::parse(text);
    let name = |item: &ptx::ast::Item| match item {
        ptx::ast::Item::Function(f) if f.entry && f.body.is_some() => Some(tree.name(f.name.symbol).to_owned()),
        _ => None,
    };
    tree.items.iter().filter_map(name).collect()
}

/// A flag that Ctrl-C sets. A second Ctrl-C ends the process.
fn cancel_on_interrupt() -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    let own = cancel.clone();
    // Without a handler Ctrl-C simply ends the process.
    let _ = ctrlc::set_handler(move || {
        if own.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    cancel
}

/// Prints a line for each warp instruction.
fn tracer(files: &[PathBuf]) -> Result<Arc<dyn Fn(Traced) + Send + Sync>, Error> {
    let mut sources = Vec::new();
    for file in files {
        sources.push(diagnostics::Source::new(file.display().to_string(), plan::read_text(file)?));
    }
    let out = Mutex::new(BufWriter::new(std::io::stderr()));
    Ok(Arc::new(move |traced: Traced| {
        let Some(source) = sources.get(traced.origin.unit as usize) else { return };
        let line = source.position(traced.origin.span.start).line;
        let text = traced.origin.span.text(source.text());
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let [x, y, z] = traced.block;
        let mut out = out.lock().unwrap_or_else(|e| e.into_inner());
        let _ = writeln!(out, "block {x},{y},{z} warp {} mask {:08x} line {line}: {text}", traced.warp, traced.mask);
    }))
}

/// Runs `work`, showing progress on a terminal once it takes long.
fn with_progress<T>(options: &Options, work: impl FnOnce(&dyn Fn(u64)) -> T) -> T {
    if !std::io::stderr().is_terminal() || options.trace.is_some() {
        return work(&|_| {});
    }
    let (blocks, finished) = (AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let show = scope.spawn(|| show_progress(options, &blocks, &finished));
        let result = work(&|n| {
            blocks.fetch_add(n, Ordering::Relaxed);
        });
        finished.store(true, Ordering::Relaxed);
        show.thread().unpark();
        result
    })
}

fn show_progress(options: &Options, blocks: &AtomicU64, finished: &AtomicBool) {
    const BEGIN: Duration = Duration::from_secs(1);
    std::thread::park_timeout(BEGIN);
    if finished.load(Ordering::Relaxed) {
        return;
    }
    let bar = indicatif::ProgressBar::new(0);
    if let Ok(style) = indicatif::ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} blocks, {elapsed}, {eta} left")
    {
        bar.set_style(style);
    }
    while !finished.load(Ordering::Relaxed) {
        bar.set_length(blocks.load(Ordering::Relaxed));
        bar.set_position(options.progress.load(Ordering::Relaxed));
        std::thread::park_timeout(Duration::from_millis(100));
    }
    bar.finish_and_clear();
}

/// Prints what came out and writes files.
fn report(arguments: &Arguments, plan: &Plan, outcome: &Outcome) -> ExitCode {
    if arguments.format == Format::Text {
        output::print_bytes(&outcome.output());
        outcome.warnings.iter().for_each(|warning| output::note(&format!("{}\n", warning.render(output::colour()))));
    }
    let unmet = plan.unmet(outcome);
    if let (Some(error), Format::Text) = (&outcome.error, arguments.format) {
        output::fail(error, Format::Text);
        if plan.expect_error.is_some() && unmet.is_empty() {
            output::note("note: the launch file expects this error, so `lockstep test` passes it\n");
        }
        finish(arguments, outcome, &unmet);
        return ExitCode::from(output::FAILED);
    }
    for (buffer, array) in plan.buffers.iter().zip(&outcome.arrays) {
        let Some(path) = &buffer.out else { continue };
        let npy = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy"));
        let written = std::fs::write(path, if npy { npy::write(array) } else { array.bytes.clone() });
        if let Err(error) = written {
            return output::fail_plain(format!("cannot write {}: {error}", path.display()), "check the path", arguments.format);
        }
    }
    match arguments.format {
        Format::Json => output::print(&format!("{}\n", json(plan, outcome, &unmet))),
        Format::Text => {
            output::print(&text(plan, outcome));
            finish(arguments, outcome, &unmet);
        }
    }
    if outcome.error.is_some() || !unmet.is_empty() { ExitCode::from(output::FAILED) } else { ExitCode::SUCCESS }
}

/// Prints which expectations do not hold, and the time if it is asked for.
fn finish(arguments: &Arguments, outcome: &Outcome, unmet: &[String]) {
    for why in unmet {
        output::fail_plain(why, format!("{} expects it", arguments.file.display()), Format::Text);
    }
    if arguments.time {
        print_time(outcome);
    }
}

/// The arrays that the kernels changed, the opcodes that were not to the bit.
fn text(plan: &Plan, outcome: &Outcome) -> String {
    let mut text = String::new();
    for (buffer, array) in plan.buffers.iter().zip(&outcome.arrays) {
        let what = format!("{} {}", buffer.name, array.description());
        if let Some(path) = &buffer.out {
            text += &format!("{what} written to {}\n", path.display());
        } else if array.bytes != buffer.array.bytes {
            text += &format!("{what} = {}\n", array.shortened());
        }
        if let Some(expected) = &buffer.expected {
            let met = array.compare(&expected.array, expected.tolerance).is_ok();
            text += &format!("{what} is {}as expected\n", if met { "" } else { "not " });
        }
    }
    for (opcode, bound) in &outcome.approximate {
        text += &format!("note: {opcode} is approximate: {bound}\n");
    }
    text
}

fn json(plan: &Plan, outcome: &Outcome, unmet: &[String]) -> serde_json::Value {
    let array = |(buffer, array): (&PlanBuffer, &crate::array::Array)| {
        let values: Vec<serde_json::Value> = (0..array.len()).map(|i| json_value(&array.text(i))).collect();
        json!({ "name": buffer.name, "type": array.ty.name, "shape": array.shape, "values": values })
    };
    let launch = |(launch, report): (&PlanLaunch, &Report)| {
        json!({
            "kernel": launch.kernel,
            "instructions": report.instructions,
            "thread_instructions": report.thread_instructions,
            "seconds": report.elapsed.as_secs_f64(),
        })
    };
    let errors = outcome.error.as_ref().map_or("[]".to_owned(), |e| output::problems(e.problems()));
    json!({
        "launches": plan.launches.iter().zip(&outcome.reports).map(launch).collect::<Vec<_>>(),
        "output": String::from_utf8_lossy(&outcome.output()),
        "buffers": plan.buffers.iter().zip(&outcome.arrays).map(array).collect::<Vec<_>>(),
        "approximate": outcome.approximate,
        "unmet": unmet,
        "warnings": serde_json::from_str::<serde_json::Value>(&output::problems(&outcome.warnings)).unwrap_or_default(),
        "errors": serde_json::from_str::<serde_json::Value>(&errors).unwrap_or_default(),
    })
}

/// A number where JSON has it, else the text.
pub fn json_value(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn print_time(outcome: &Outcome) {
    for report in &outcome.reports {
        let seconds = report.elapsed.as_secs_f64().max(1e-9);
        let rate = report.instructions as f64 / seconds / 1e6;
        output::note(&format!(
            "{} warp instructions, {} thread instructions in {:.6} s: {rate:.1} million warp instructions a second\n",
            diagnostics::grouped(report.instructions),
            diagnostics::grouped(report.thread_instructions),
            seconds
        ));
    }
}
