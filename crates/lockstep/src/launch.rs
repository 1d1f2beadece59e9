//! Launches: a kernel, its shape, its arguments.

use crate::buffer::{Allocation, Buffer, Multicast, Scalar};
use crate::error::{Error, Problem, Result};
use crate::{Kernel, codes, fault};
use diagnostics::{Diagnostic, Severity, Source};
use engine::{Failure, Options, Parameter, Report, Shape, Stopped};
use machine::state::FaultKind;
use std::sync::Arc;

/// What a parameter gets.
#[derive(Clone, Debug)]
pub struct Argument {
    bytes: Vec<u8>,
    /// What it is, for messages: `f32`, `a buffer`.
    what: String,
    /// Whether it is the address of something in memory.
    address: bool,
    /// Keeps memory until the launch is over.
    _keep: Vec<Arc<Allocation>>,
    /// Keeps multicast addresses.
    _multicast: Option<Multicast>,
}

impl Argument {
    /// Bytes as they are, such as a structure passed by value. `what` names them in messages.
    pub fn bytes(bytes: Vec<u8>, what: impl Into<String>) -> Self {
        Argument { bytes, what: what.into(), address: false, _keep: Vec::new(), _multicast: None }
    }

    /// The same of bytes that speak of a buffer, which lives until the launch is over.
    pub(crate) fn kept(bytes: Vec<u8>, what: &str, buffer: &Buffer) -> Self {
        Argument { _keep: vec![buffer.keep()], ..Argument::bytes(bytes, what) }
    }

    /// The address of a descriptor, which `what` names, and memory that lives until the launch is over.
    pub(crate) fn descriptor(descriptor: &Buffer, what: &str, kept: &[&Buffer]) -> Self {
        let keep = kept.iter().map(|buffer| buffer.keep());
        let mut argument = Argument { what: what.into(), ..Argument::from(descriptor) };
        argument._keep.extend(keep);
        argument
    }

    /// Whether it is the address of such a descriptor as a parameter of this type takes: that of a `2d` image for an `image2d_t`.
    fn describes(&self, ty: &str) -> bool {
        let Some(kind) = self.what.strip_prefix("a ").and_then(|what| what.strip_suffix(" image")) else {
            return ty == "sampler" && self.what == "a sampler";
        };
        ty == "image" || ty.replace("_depth", "") == format!("image{kind}_t")
    }

    /// What it is, if that is not what the parameter takes.
    fn unfit(&self, parameter: &Parameter) -> Option<String> {
        let (what, bytes, want) = (&self.what, self.bytes.len(), parameter.size as usize);
        if is_described(parameter.ty) && !self.describes(parameter.ty) {
            return Some(format!("{what}, the parameter takes the descriptor of {} {}", article(parameter.ty), parameter.ty));
        }
        if self.address && (bytes != want || is_float(parameter.ty) == Some(true)) {
            return Some(format!("{what}, passed by its address of {bytes} bytes; the parameter is .{} of {want}", parameter.ty));
        }
        if bytes != want {
            return Some(format!("{what} of {bytes} bytes, the parameter has {want}"));
        }
        let float = [self.what.as_str(), parameter.ty].map(is_float);
        (float == [Some(true), Some(false)] || float == [Some(false), Some(true)])
            .then(|| format!("{what}, the parameter is {}", parameter.ty))
    }
}

/// Whether a parameter of a type takes the address of a descriptor of an image or of a sampler.
pub fn is_described(ty: &str) -> bool {
    ty.starts_with("image") || ty == "sampler"
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

/// Whether a type's name is that of a floating-point number or that of an integer; none for bits, which may be either.
fn is_float(name: &str) -> Option<bool> {
    match name.split_at_checked(1)? {
        ("f", bits) if bits.parse::<u32>().is_ok() => Some(true),
        ("u" | "s", bits) if bits.parse::<u32>().is_ok() => Some(false),
        _ => None,
    }
}

impl<T: Scalar> From<T> for Argument {
    fn from(value: T) -> Self {
        Argument::bytes(T::bytes(&[value]), T::TYPE)
    }
}

impl<T: Scalar> From<&Buffer<T>> for Argument {
    fn from(buffer: &Buffer<T>) -> Self {
        let bytes = buffer.address().to_le_bytes().to_vec();
        Argument { bytes, what: "a buffer".into(), address: true, _keep: vec![buffer.keep()], _multicast: None }
    }
}

impl From<&Multicast> for Argument {
    fn from(multicast: &Multicast) -> Self {
        let bytes = multicast.address().to_le_bytes().to_vec();
        Argument { bytes, what: "a buffer".into(), address: true, _keep: Vec::new(), _multicast: Some(multicast.clone()) }
    }
}

/// A launch in the making: add arguments in the order of the parameters, then [`Launch::run`] it or give it to a
/// [`crate::Stream`]. It keeps its buffers alive.
#[derive(Clone)]
pub struct Launch {
    kernel: Kernel,
    shape: Shape,
    arguments: Vec<Argument>,
    options: Options,
    dependent: bool,
}

impl Launch {
    pub(crate) fn new(kernel: Kernel, grid: [u32; 3], block: [u32; 3]) -> Self {
        Launch {
            kernel,
            shape: Shape { grid, block, shared: 0, cluster: None },
            arguments: Vec::new(),
            options: Options::default(),
            dependent: false,
        }
    }

    /// The same with one more argument.
    pub fn arg(mut self, argument: impl Into<Argument>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// The same with more arguments.
    pub fn args(mut self, arguments: impl IntoIterator<Item = Argument>) -> Self {
        self.arguments.extend(arguments);
        self
    }

    /// The same with so many bytes of dynamic shared memory in each block.
    pub fn shared(mut self, bytes: u32) -> Self {
        self.shape.shared = bytes;
        self
    }

    /// The same with so many blocks in a cluster, in x, y and z. A kernel may ask for clusters itself.
    pub fn cluster(mut self, cluster: [u32; 3]) -> Self {
        self.shape.cluster = Some(cluster);
        self
    }

    /// The same with limits, a seed, a tracer and so on.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The same, but as one that may begin before the launch before it in [`run_in_order`] or [`crate::Stream::launch_all`] is complete: once
    /// all blocks of that one have executed `griddepcontrol.launch_dependents` or have exited (programmatic stream serialization).
    pub fn dependent(mut self) -> Self {
        self.dependent = true;
        self
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// Arguments that are not those of the kernel, a shape that the GPU does not take, or what a thread did wrong, with its place;
    /// buffers then hold what had been written.
    pub fn run(&self) -> Result<Report> {
        let (mut reports, failed) = run_in_order(std::slice::from_ref(self));
        match (failed, reports.pop()) {
            (Some((_, error)), _) => Err(error),
            (None, report) => Ok(report.unwrap_or_default()),
        }
    }

    /// What a report of this launch has that is no fault and should be known, as warnings.
    pub fn warnings(&self, report: &Report) -> Vec<Problem> {
        let warning = |why: &Stopped| {
            let told = problem(&self.kernel, self.shape, why);
            Problem { diagnostic: Diagnostic { severity: Severity::Warning, ..told.diagnostic }, source: told.source }
        };
        report.doubts.iter().map(warning).collect()
    }

    /// The parameter block: every argument at its parameter's offset.
    fn parameter_block(&self) -> Result<Vec<u8>> {
        let parameters = self.kernel.parameters();
        let name = self.kernel.name();
        if parameters.len() != self.arguments.len() {
            let (want, given) = (parameters.len(), self.arguments.len());
            let plural = if want == 1 { "" } else { "s" };
            let message =
                format!("`{name}` takes {want} argument{plural}, {given} {} given", if given == 1 { "is" } else { "are" });
            let list: Vec<String> = parameters.iter().map(described).collect();
            let help = if want == 0 { "give none".to_owned() } else { format!("its parameters are {}", list.join(", ")) };
            return Err(Error::plain(codes::COUNT, message, help));
        }
        let mut block = vec![0; self.kernel.details().params_size as usize];
        for (i, (parameter, argument)) in parameters.iter().zip(&self.arguments).enumerate() {
            if let Some(why) = argument.unfit(parameter) {
                let hint = match parameter.ty {
                    "image1d_buffer_t" => "; images of buffers cannot be made yet: take an image1d_t, or a buffer",
                    ty if ty.starts_with("image") => "; images are made of arrays, as in image:ARRAY,rgba,unorm8",
                    "sampler" => "; samplers are described as in sampler:linear,repeat",
                    _ if argument.address && parameter.size as usize == crate::tensor::MAP_BYTES => {
                        "; a buffer's tensor map, which has 128 bytes, is passed by value"
                    }
                    _ => "",
                };
                let help = format!("the parameter is {}{hint}", described(parameter));
                return Err(Error::plain(codes::ARGUMENT, format!("argument {} of `{name}` is {why}", i + 1), help));
            }
            let start = parameter.offset as usize;
            block[start..start + argument.bytes.len()].copy_from_slice(&argument.bytes);
        }
        Ok(block)
    }
}

/// Runs launches one after the other, up to the first that fails; dependent ones may overlap those before them. Gives the reports of those
/// that are complete, and which failed and why.
pub fn run_in_order(launches: &[Launch]) -> (Vec<Report>, Option<(usize, Error)>) {
    let mut reports = Vec::new();
    while let Some(first) = launches.get(reports.len()) {
        let from = reports.len();
        // Those on other devices come in turn.
        let device = first.kernel.module().device();
        let together = launches[from..].iter().take_while(|launch| launch.kernel.module().device().same(device)).count();
        let (done, failed) = run_on_one(&launches[from..from + together]);
        reports.extend(done);
        if let Some((index, error)) = failed {
            return (reports, Some((from + index, error)));
        }
    }
    (reports, None)
}

fn run_on_one(launches: &[Launch]) -> (Vec<Report>, Option<(usize, Error)>) {
    let mut blocks = Vec::new();
    let mut wrong = None;
    for (i, launch) in launches.iter().enumerate() {
        match launch.parameter_block() {
            Ok(block) => blocks.push(block),
            Err(error) => {
                wrong = Some((i, error));
                break;
            }
        }
    }
    let request = |(launch, params)| {
        let Launch { kernel, shape, options, dependent, .. }: &Launch = launch;
        let params: &Vec<u8> = params;
        engine::Request { kernel: kernel.details(), shape: *shape, params, options, dependent: *dependent }
    };
    let requests: Vec<engine::Request> = launches.iter().zip(&blocks).map(request).collect();
    let Some(Launch { kernel, .. }) = launches.first() else { return (Vec::new(), None) };
    let device = kernel.module().device();
    let (reports, failed) = device.with_memory(|memory| engine::launch_in_order(&requests, memory, device.profile().gpu()));
    (reports, failed.map(|(index, failure)| (index, failure_of(launches, index, *failure))).or(wrong))
}

/// The error of a launch that failed.
fn failure_of(launches: &[Launch], index: usize, failure: Failure) -> Error {
    let Launch { kernel, shape, .. } = &launches[index];
    let module = kernel.module();
    let mut why = failure.why;
    if let Stopped::Fault { kind: FaultKind::Overlap(conflict), other, .. } = &mut why
        && !launches[conflict.prerequisite.0.launch].kernel.module().same(module)
    {
        // Its text is another one.
        *other = None;
    }
    Error::new(vec![problem(kernel, *shape, &why)]).with_report(failure.report)
}

/// What stopped a launch of a kernel, with the text that it speaks of.
fn problem(kernel: &Kernel, shape: Shape, why: &Stopped) -> Problem {
    let source = match fault::unit(why) {
        Some(unit) => kernel.module().sources()[unit as usize].clone(),
        None => Arc::new(Source::new("", "")),
    };
    Problem { diagnostic: fault::diagnostic(why, kernel, shape), source }
}

impl std::fmt::Debug for Launch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Launch({}, {:?}, {} arguments)", self.kernel.name(), self.shape, self.arguments.len())
    }
}

/// A parameter as its declaration has it.
pub(crate) fn described(parameter: &Parameter) -> String {
    let dimension = if parameter.array { format!("[{}]", parameter.size) } else { String::new() };
    format!(".{} {}{dimension}", parameter.ty, parameter.name)
}
