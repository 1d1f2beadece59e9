//! What `run` and `test` execute: modules, arrays, launches.

use crate::argument;
use crate::array::{Array, Tolerance};
use diagnostics::{Diagnostic, Source, Span};
use isa::Type;
use lockstep::image::{self, Image, Sampler};
use lockstep::tensor::{Fields, TensorMap};
use lockstep::{Buffer, Device, Error, Launch, Module, Options, Parameter, Problem, Profile, Report, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Launches over arrays.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// One line about it.
    pub title: String,
    /// PTX files.
    pub modules: Vec<PathBuf>,
    /// The GPU, if it matters.
    pub gpu: Option<String>,
    /// The arrays.
    pub buffers: Vec<PlanBuffer>,
    /// The launches, in order.
    pub launches: Vec<PlanLaunch>,
    /// What device printf must have written.
    pub expect_stdout: Option<String>,
    /// Part of the message with which it must fail.
    pub expect_error: Option<String>,
    /// Why what device printf writes may depend on the schedule, if it may.
    pub stdout_varies: Option<String>,
}

impl Plan {
    /// What did not come out as the plan expects, a line or more each; nothing if it ended in an error of which the plan says nothing.
    pub fn unmet(&self, outcome: &Outcome) -> Vec<String> {
        let mut unmet = Vec::new();
        match (&self.expect_error, &outcome.error) {
            (None, Some(_)) => return unmet,
            (Some(wanted), None) => unmet.push(format!("it ended well, expected was an error with `{wanted}`")),
            (Some(wanted), Some(error)) if !error.to_string().contains(wanted) => {
                unmet.push(format!("expected was an error with `{wanted}`, not\n{error}"));
            }
            _ => {}
        }
        if let Some(wanted) = &self.expect_stdout {
            let written = outcome.output();
            if written != wanted.as_bytes() {
                unmet.push(format!("device printf wrote {:?} instead of {wanted:?}", String::from_utf8_lossy(&written)));
            }
        }
        for (buffer, array) in self.buffers.iter().zip(&outcome.arrays) {
            if let Some(expected) = &buffer.expected
                && let Err(why) = array.compare(&expected.array, expected.tolerance)
            {
                unmet.push(format!("buffer `{}`: {why}", buffer.name));
            }
        }
        unmet
    }

    /// The first byte that two schedules made different, though the plan does not say that it may be: its buffer and its place there.
    pub fn different_byte(&self, [first, second]: [&Outcome; 2]) -> Option<(usize, usize)> {
        let arrays = self.buffers.iter().zip(first.arrays.iter().zip(&second.arrays)).enumerate();
        arrays.filter(|(_, (buffer, _))| buffer.varies.is_none()).find_map(|(i, (_, (one, other)))| {
            let byte = one.bytes.iter().zip(&other.bytes).position(|(a, b)| a != b)?;
            Some((i, byte))
        })
    }

    /// What two schedules made different, though the plan does not say that it may be.
    ///
    /// Nothing is compared if one of them ended in an error: what was written by then depends on the schedule.
    pub fn differences(&self, [first, second]: [&Outcome; 2]) -> Vec<String> {
        let mut differences = Vec::new();
        if first.error.is_some() || second.error.is_some() {
            return differences;
        }
        if self.stdout_varies.is_none() && first.output() != second.output() {
            let [one, other] = [first, second].map(|o| String::from_utf8_lossy(&o.output()).into_owned());
            differences.push(format!("device printf depends on the schedule: {one:?} and {other:?}; {STDOUT_VARIES}"));
        }
        let arrays = first.arrays.iter().zip(&second.arrays);
        for (buffer, (one, other)) in self.buffers.iter().zip(arrays).filter(|(b, _)| b.varies.is_none()) {
            if let Some(why) = one.first_difference(other) {
                differences.push(format!("buffer `{}` depends on the schedule: {why}; {VARIES}", buffer.name));
            }
        }
        differences
    }
}

impl Plan {
    /// The first image of an array, and the launch that takes it.
    fn first_image(&self, buffer: usize) -> Option<(&PlanLaunch, image::Fields)> {
        self.launches.iter().find_map(|launch| {
            let fields = launch.arguments.iter().find_map(|argument| match argument {
                PlanArgument::Image(index, fields) if *index == buffer => Some(*fields),
                _ => None,
            });
            Some((launch, fields?))
        })
    }

    /// The launches, each with those after it that depend on it.
    fn chains(&self) -> impl Iterator<Item = &[PlanLaunch]> {
        self.launches.chunk_by(|_, launch| launch.dependent)
    }
}

const VARIES: &str = "where that is right, say why in the buffer's table: varies = \"...\"";
const STDOUT_VARIES: &str = "where that is right, say why at the file's top: stdout_varies = \"...\"";

/// An array of a plan.
#[derive(Clone, Debug)]
pub struct PlanBuffer {
    /// Its name in messages.
    pub name: String,
    /// What it holds at first.
    pub array: Array,
    /// What it must hold in the end.
    pub expected: Option<Expected>,
    /// Where to write it in the end.
    pub out: Option<PathBuf>,
    /// Why what it holds in the end may depend on the schedule, if it may.
    pub varies: Option<String>,
}

/// What must come out.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The values.
    pub array: Array,
    /// How far they may be.
    pub tolerance: Option<Tolerance>,
}

/// A launch of a plan.
#[derive(Clone, Debug)]
pub struct PlanLaunch {
    /// The kernel.
    pub kernel: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Blocks of a cluster, if the launch says so.
    pub cluster: Option<[u32; 3]>,
    /// Whether it may begin before the launch before it is complete.
    pub dependent: bool,
    /// Its arguments.
    pub arguments: Vec<PlanArgument>,
    /// The file that asks for it, and where.
    pub place: Option<(Arc<Source>, Span)>,
}

impl PlanLaunch {
    /// The error, at the place of the launch where it names none of its own.
    fn placed(&self, error: Error) -> Error {
        let Some((source, span)) = &self.place else { return error };
        let place = |problem: &Problem| match problem.diagnostic.labels.is_empty() {
            true => {
                let labels = Diagnostic::error("", *span, "").labels;
                Problem { diagnostic: Diagnostic { labels, ..problem.diagnostic.clone() }, source: source.clone() }
            }
            false => problem.clone(),
        };
        let placed = Error::new(error.problems().iter().map(place).collect());
        match error.report() {
            Some(report) => placed.with_report(report.clone()),
            None => placed,
        }
    }
}

/// An argument of a plan's launch.
#[derive(Clone, Debug)]
pub enum PlanArgument {
    /// An array of the plan.
    Buffer(usize),
    /// A scalar's text and type.
    Scalar(String, Option<&'static Type>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A multicast address of an array of the plan, which so many devices have.
    Multimem(usize, usize),
    /// A tensor map of an array of the plan.
    TensorMap(usize, Box<Fields>),
    /// An image of an array of the plan.
    Image(usize, image::Fields),
    /// A sampler.
    Sampler(Sampler),
}

/// What a plan did, as far as it came.
#[derive(Debug, Default)]
pub struct Outcome {
    /// One report for each launch that began.
    pub reports: Vec<Report>,
    /// The arrays in the end.
    pub arrays: Vec<Array>,
    /// Opcodes that are not to the bit, with their bounds.
    pub approximate: BTreeMap<String, String>,
    /// What is no fault and should be known.
    pub warnings: Vec<Problem>,
    /// Why it ended early.
    pub error: Option<Error>,
}

impl Outcome {
    /// What device printf wrote, over all launches.
    pub fn output(&self) -> Vec<u8> {
        self.reports.iter().flat_map(|r| &r.output).copied().collect()
    }
}

/// Runs a plan and tells who wrote last, and who read last, a byte of one of its buffers.
pub fn who_touched(plan: &Plan, options: &Options, byte: (usize, usize)) -> Vec<String> {
    let Ok((device, module)) = load(&plan.modules, plan.gpu.as_deref()) else { return Vec::new() };
    let mut outcome = Outcome::default();
    // The launches may well fail: what they had done by then is told.
    let _ = run_on(&device, &module, plan, options, &|_| {}, &mut outcome, Some(byte));
    let last = outcome.reports.iter().rev().find(|report| !report.touched.is_empty());
    let told = |other: &lockstep::Other| {
        let source = &module.sources()[other.origin.unit as usize];
        let line = source.position(other.origin.span.start).line;
        let text = other.origin.span.text(source.text()).split_whitespace().collect::<Vec<_>>().join(" ");
        let ([x, y, z], [a, b, c]) = (other.thread, other.block);
        format!("{} thread ({x}, {y}, {z}) of block ({a}, {b}, {c}) at {}:{line}: {text}", other.what, source.name())
    };
    last.map_or(Vec::new(), |report| report.touched.iter().map(told).collect())
}

/// Runs a plan. `started` is told the blocks of each launch before it begins.
pub fn execute(plan: &Plan, options: &Options, started: &dyn Fn(u64)) -> Outcome {
    let mut outcome = Outcome::default();
    if let Err(error) = run(plan, options, started, &mut outcome) {
        outcome.reports.extend(error.report().cloned());
        outcome.error = Some(error);
    }
    outcome
}

fn run(plan: &Plan, options: &Options, started: &dyn Fn(u64), outcome: &mut Outcome) -> Result<()> {
    let (device, module) = load(&plan.modules, plan.gpu.as_deref())?;
    run_on(&device, &module, plan, options, started, outcome, None)
}

fn run_on(
    device: &Device,
    module: &Module,
    plan: &Plan,
    options: &Options,
    started: &dyn Fn(u64),
    outcome: &mut Outcome,
    sought: Option<(usize, usize)>,
) -> Result<()> {
    let make = |(i, b)| Memory::new(device, b, plan.first_image(i));
    let buffers = plan.buffers.iter().enumerate().map(make).collect::<Result<Vec<_>>>()?;
    device.seek(sought.map(|(buffer, byte)| buffers[buffer].address_of(byte)));
    let ran = plan.chains().try_for_each(|chain| run_chain(module, &buffers, chain, options, started, outcome));
    let read = |(b, memory): (&PlanBuffer, &Memory)| Array { bytes: memory.read(), ..b.array.clone() };
    outcome.arrays = plan.buffers.iter().zip(&buffers).map(read).collect();
    ran
}

/// What holds an array of a plan: the rows of one that is an image begin where the target's addressing has them.
enum Memory {
    Buffer(Buffer<u8>),
    Image(Image),
}

impl Memory {
    fn new(device: &Device, buffer: &PlanBuffer, image: Option<(&PlanLaunch, image::Fields)>) -> Result<Memory> {
        let bytes = &buffer.array.bytes;
        match image {
            None => device.named_buffer(&buffer.name, bytes).map(Memory::Buffer),
            Some((launch, fields)) => {
                let made = Image::named(device, &buffer.name, fields, bytes);
                made.map(Memory::Image).map_err(|error| launch.placed(error))
            }
        }
    }

    fn buffer(&self) -> &Buffer<u8> {
        match self {
            Memory::Buffer(buffer) => buffer,
            Memory::Image(image) => image.memory(),
        }
    }

    /// The buffer, for what takes the array without gaps.
    fn dense(&self) -> Result<&Buffer<u8>> {
        match self {
            Memory::Image(image) if !image.rows().is_dense() => {
                let message =
                    "an array that is passed as an image is passed as a buffer, too, and its rows have gaps as an image";
                Err(Error::plain("E0312", message, "make its rows multiples of 256 bytes long, or pass two arrays"))
            }
            memory => Ok(memory.buffer()),
        }
    }

    /// The array as an image. Every array of which the plan has an image is one in memory.
    fn image(&self, fields: image::Fields) -> Result<lockstep::Argument> {
        match self {
            Memory::Image(image) => Ok(image.seen_as(fields)?.argument()),
            Memory::Buffer(buffer) => Ok(buffer.into()),
        }
    }

    fn address_of(&self, byte: usize) -> u64 {
        match self {
            Memory::Buffer(buffer) => buffer.address() + byte as u64,
            Memory::Image(image) => image.memory().address() + image.rows().place(byte),
        }
    }

    fn read(&self) -> Vec<u8> {
        match self {
            Memory::Buffer(buffer) => buffer.read(),
            Memory::Image(image) => image.read(),
        }
    }
}

/// Runs a launch and those after it that depend on it.
fn run_chain(
    module: &Module,
    buffers: &[Memory],
    chain: &[PlanLaunch],
    options: &Options,
    started: &dyn Fn(u64),
    outcome: &mut Outcome,
) -> Result<()> {
    let make = |launch: &PlanLaunch| {
        started(launch.grid.iter().map(|n| u64::from(*n)).product());
        make_launch(module, buffers, launch, options, outcome).map_err(|error| launch.placed(error))
    };
    let launches = chain.iter().map(make).collect::<Result<Vec<_>>>()?;
    let (reports, failed) = lockstep::run_in_order(&launches);
    // The one that failed has a report, too.
    let failure = failed.as_ref().and_then(|(_, error)| error.report());
    let warnings = launches.iter().zip(reports.iter().chain(failure)).flat_map(|(launch, report)| launch.warnings(report));
    outcome.warnings.extend(warnings);
    outcome.reports.extend(reports);
    failed.map_or(Ok(()), |(index, error)| Err(chain[index].placed(error)))
}

fn make_launch(
    module: &Module,
    buffers: &[Memory],
    launch: &PlanLaunch,
    options: &Options,
    outcome: &mut Outcome,
) -> Result<Launch> {
    let kernel = module.kernel(&launch.kernel)?;
    outcome.approximate.extend(kernel.details().approximate.clone());
    let parameters = kernel.parameters();
    let mut arguments = Vec::new();
    for (i, argument) in launch.arguments.iter().enumerate() {
        arguments.push(match argument {
            PlanArgument::Buffer(index) => buffers[*index].dense()?.into(),
            PlanArgument::Multimem(index, devices) => (&buffers[*index].dense()?.multicast(*devices)?).into(),
            PlanArgument::Bytes(bytes) => lockstep::Argument::bytes(bytes.clone(), "bytes"),
            PlanArgument::TensorMap(index, fields) => tensor_map(buffers[*index].dense()?, fields, parameters.get(i))?,
            PlanArgument::Image(index, fields) => buffers[*index].image(*fields)?,
            PlanArgument::Sampler(sampler) => sampler.argument(module.device())?,
            PlanArgument::Scalar(text, ty) => {
                let bytes = match parameters.get(i) {
                    Some(parameter) => argument::scalar_bytes(text, *ty, parameter).map_err(|why| {
                        let message = format!("argument {} of `{}`: {why}", i + 1, launch.kernel);
                        Error::plain("E0308", message, format!("the parameter is .{} {}", parameter.ty, parameter.name))
                    })?,
                    // Too many: the launch says so.
                    None => Vec::new(),
                };
                lockstep::Argument::bytes(bytes, ty.map_or("a scalar", |t| t.name))
            }
        });
    }
    let mut ready = kernel.launch(launch.grid, launch.block).shared(launch.shared).args(arguments).options(options.clone());
    if let Some(cluster) = launch.cluster {
        ready = ready.cluster(cluster);
    }
    Ok(if launch.dependent { ready.dependent() } else { ready })
}

/// A tensor map by value, or the address of one in memory where the parameter is one.
fn tensor_map(buffer: &Buffer<u8>, fields: &Fields, parameter: Option<&Parameter>) -> Result<lockstep::Argument> {
    let map = TensorMap::new(buffer, *fields);
    match parameter {
        Some(parameter) if parameter.size == 8 => Ok((&buffer.device().named_buffer("tensor map", &map.encode()?)?).into()),
        _ => map.argument(),
    }
}

/// Loads PTX files, or one code object, on the GPU that is asked for, or on one that runs them.
///
/// # Errors
/// A file cannot be read, or what is wrong in it.
pub fn load(files: &[PathBuf], gpu: Option<&str>) -> Result<(Device, Module)> {
    if let [file] = files {
        let bytes = read_bytes(file)?;
        if lockstep::is_code_object(&bytes) {
            return load_code_object(&file.display().to_string(), &bytes, gpu);
        }
        let text = diagnostics::text_of(bytes);
        return load_texts(vec![(file.display().to_string(), text)], gpu);
    }
    let texts = files.iter().map(|f| Ok((f.display().to_string(), read_text(f)?))).collect::<Result<Vec<_>>>()?;
    load_texts(texts, gpu)
}

fn load_code_object(name: &str, bytes: &[u8], gpu: Option<&str>) -> Result<(Device, Module)> {
    let device = match gpu {
        Some(name) => lockstep::System.device(name)?,
        None => Device::new(lockstep::profile_of(bytes).unwrap_or(lockstep::DEFAULT)),
    };
    Ok((device.clone(), device.load_code_object(name, bytes)?))
}

fn load_texts(texts: Vec<(String, String)>, gpu: Option<&str>) -> Result<(Device, Module)> {
    let profile = match gpu {
        Some(name) => return load_on(&lockstep::System.device(name)?, texts),
        None => texts.iter().find_map(|(_, text)| profile_for(text)).unwrap_or(lockstep::DEFAULT),
    };
    load_on(&Device::new(profile), texts)
}

fn load_on(device: &Device, texts: Vec<(String, String)>) -> Result<(Device, Module)> {
    Ok((device.clone(), device.load(texts)?))
}

/// The GPU for a text's `.target`, if the default one does not run it.
fn profile_for(text: &str) -> Option<&'static Profile> {
    let line = text.lines().map(str::trim_start).find(|line| line.starts_with(".target"))?;
    let target = line.trim_start_matches(".target").split([',', ' ', '\t', ';', '/']).find(|w| w.starts_with("sm_"))?;
    Profile::for_target(isa::Target::parse(target)?)
}

/// A file's text; `-` is standard input. Bytes that are no text become `?`.
///
/// # Errors
/// It cannot be read.
pub fn read_text(path: &Path) -> Result<String> {
    Ok(diagnostics::text_of(read_bytes(path)?))
}

/// The same of a file that must be UTF-8, since it is written again.
///
/// # Errors
/// It cannot be read, or is no UTF-8.
pub fn read_utf8(path: &Path) -> Result<String> {
    String::from_utf8(read_bytes(path)?).map_err(|error| {
        let refused = Error::plain("", format!("{} is not UTF-8: {error}", path.display()), "convert it first");
        // What is no PTX at all says so first.
        let text = diagnostics::text_of(error.into_bytes());
        lockstep::format::format(&path.display().to_string(), &text).err().unwrap_or(refused)
    })
}

/// A file's bytes, or those of standard input for `-`.
///
/// # Errors
/// It cannot be read.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let read = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    read.map_err(|error| {
        let help = match error.kind() {
            std::io::ErrorKind::NotFound => "check the path",
            std::io::ErrorKind::IsADirectory => "name a file in it",
            _ => "check its permissions",
        };
        Error::plain("", format!("cannot read {}: {error}", path.display()), help)
    })
}
