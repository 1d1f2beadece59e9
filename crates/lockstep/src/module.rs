//! Loaded PTX or code objects: kernels and variables.

use crate::error::{Error, Problem, Result};
use crate::launch::Launch;
use crate::{Buffer, Device, Profile, codes};
use amdgpu::object::bundle::{self, Found};
use amdgpu::object::{CodeObject, TargetId};
use diagnostics::{Diagnostic, Source};
use engine::program::Entity;
use engine::{Parameter, Program};
use isa::Target;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// PTX modules linked together, or a code object of AMD's, loaded on a device. Their variables live as long as it does.
#[derive(Clone)]
pub struct Module(Arc<Inner>);

struct Inner {
    device: Device,
    program: Loaded,
    sources: Vec<Arc<Source>>,
}

/// What a module is made of.
enum Loaded {
    /// PTX modules, linked.
    Ptx(Program),
    /// A code object of AMD's; its one source is its code as text.
    Amdgpu(engine::amdgpu::Program),
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.0.sources.iter().map(|s| s.name()).collect();
        write!(f, "Module({})", names.join(", "))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        match &self.program {
            Loaded::Ptx(program) => program.variables().into_iter().for_each(|(_, address, _)| self.device.release(address)),
            Loaded::Amdgpu(program) => self.device.release(program.memory().0),
        }
    }
}

/// A kernel, ready to be launched.
#[derive(Clone)]
pub struct Kernel {
    module: Module,
    kernel: Arc<engine::Kernel>,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kernel({})", self.name())
    }
}

/// The instruction table.
///
/// # Errors
/// The records that `LOCKSTEP_ISA` names cannot be read.
pub fn table() -> Result<&'static isa::Table> {
    isa::Table::get().map_err(|problems| {
        let source = |index: usize| problems.sources.get(index).map_or(Source::new("", ""), |s| Source::new(&s.name, s.text));
        let problem = |(index, diagnostic): &(usize, Diagnostic)| Problem {
            diagnostic: Diagnostic { code: codes::TABLE, ..diagnostic.clone() },
            source: Arc::new(source(*index)),
        };
        Error::new(problems.list.iter().map(problem).collect())
    })
}

/// Whether bytes are a code object of AMD's, or a bundle of such, alone or in a program for the host.
pub fn is_code_object(bytes: &[u8]) -> bool {
    bundle::holds_code_objects(bytes)
}

/// The code objects in a file that can be read.
fn code_objects(bytes: &[u8]) -> Vec<Found<'_>> {
    bundle::code_objects(bytes).ok().flatten().unwrap_or_default()
}

/// What a code object runs on.
fn target_of(bytes: &[u8]) -> Option<TargetId> {
    CodeObject::read(bytes).ok()?.target
}

/// Whether a GPU executes code for a target. Both settings of XNACK and of SRAM ECC give the same results here.
fn executes(profile: &Profile, target: &TargetId) -> bool {
    TargetId::of(profile.gfx).is_ok_and(|device| target.runs_on(&TargetId { object: device.object, ..*target }))
}

/// The GPU that a code object is for, or one of a bundle, if it is one that is modelled.
pub fn profile_of(bytes: &[u8]) -> Option<&'static Profile> {
    let all = code_objects(bytes);
    let targets: Vec<TargetId> = all.iter().filter_map(|found| target_of(&found.data)).collect();
    targets.iter().find_map(|target| {
        Profile::for_gfx(target.object.name).or_else(|| crate::PROFILES.iter().find(|profile| executes(profile, target)))
    })
}

/// Names of the kernels of a code object, or of the first of a bundle; none of what cannot be read.
pub fn kernels_of(bytes: &[u8]) -> Vec<String> {
    let all = code_objects(bytes);
    let Some(found) = all.first() else { return Vec::new() };
    let object = CodeObject::read(&found.data);
    let names = object.and_then(|object| Ok(object.kernels()?.iter().map(|kernel| kernel.name.to_owned()).collect()));
    names.unwrap_or_default()
}

/// The code object of a file that a GPU executes: of a bundle, one for its very target before one for its family.
fn choose<'d>(name: &str, data: &'d [u8], profile: &Profile) -> Result<Cow<'d, [u8]>> {
    let damaged = |e: amdgpu::object::Error| Error::plain(engine::codes::OBJECT, format!("{name}: {}", e.message), e.help);
    let all = bundle::code_objects(data).map_err(damaged)?.unwrap_or_default();
    if let [Found { id: None, .. }] = all[..] {
        return Ok(Cow::Borrowed(data));
    }
    let mut targets: Vec<(TargetId, Cow<[u8]>)> =
        all.into_iter().filter_map(|found| Some((target_of(&found.data)?, found.data))).collect();
    let at = targets
        .iter()
        .position(|(target, _)| target.object.name == profile.gfx)
        .or_else(|| targets.iter().position(|(target, _)| executes(profile, target)));
    match at {
        Some(at) => Ok(targets.swap_remove(at).1),
        None => {
            let list: Vec<String> = targets.iter().map(|(target, _)| target.to_string()).collect();
            let message = format!("{name}: no code object in it runs on {} ({})", profile.name, profile.target_name());
            let help = match list[..] {
                [] => "the bundle has none for AMD GPUs".to_owned(),
                _ => format!("there are some for {}: choose a GPU of one of these targets", list.join(", ")),
            };
            Err(Error::plain(codes::TARGET, message, help))
        }
    }
}

/// Where kernels of a code object, or of those in a bundle, may break rules on some path that branches allow, as warnings, and where code cannot be
/// executed at all, as errors; in the disassembled code. Nothing is executed.
///
/// # Errors
/// It is no code object that can be loaded.
pub fn hazards_of(name: &str, data: &[u8]) -> Result<Vec<Problem>> {
    let damaged = |e: amdgpu::object::Error| Error::plain(engine::codes::OBJECT, format!("{name}: {}", e.message), e.help);
    let mut found = Vec::new();
    for object in bundle::code_objects(data).map_err(damaged)?.unwrap_or_default() {
        let memory = machine::memory::Memory::new(1 << 32);
        let plain = |diagnostic| Error::new(vec![Problem { diagnostic, source: Arc::new(Source::new(name, "")) }]);
        let program = engine::amdgpu::Program::load(name, &object.data, &memory).map_err(plain)?;
        let listing = Arc::new(Source::new(format!("{name} (disassembled)"), &program.listing));
        let mut told = HashSet::new();
        for kernel in program.kernel_names() {
            match program.hazards(kernel) {
                Ok(hazards) => {
                    // Several kernels may call one function.
                    let new = hazards.into_iter().filter(|one| told.insert((one.labels[0].span, one.message.clone())));
                    found.extend(new.map(|diagnostic| Problem { diagnostic, source: listing.clone() }));
                }
                Err(problems) => found.extend_from_slice(attach(problems, std::slice::from_ref(&listing)).problems()),
            }
        }
    }
    Ok(found)
}

impl Module {
    pub(crate) fn load(device: &Device, texts: Vec<(String, String)>) -> Result<Module> {
        let table = table()?;
        let sources: Vec<_> = texts.iter().map(|(name, text)| Arc::new(Source::new(name, text))).collect();
        let loaded = device.with_memory(|memory| Program::load(table, &texts, memory));
        let program = loaded.map_err(|(_, problems)| attach(problems, &sources))?;
        check_target(&program, &sources, device.profile())?;
        for (name, address, _) in program.variables() {
            device.name(address, &name);
        }
        Ok(Module(Arc::new(Inner { device: device.clone(), program: Loaded::Ptx(program), sources })))
    }

    pub(crate) fn load_code_object(device: &Device, name: &str, data: &[u8]) -> Result<Module> {
        let plain = |diagnostic| Error::new(vec![Problem { diagnostic, source: Arc::new(Source::new(name, "")) }]);
        let data = choose(name, data, device.profile())?;
        let loaded = device.with_memory(|memory| engine::amdgpu::Program::load(name, &data, memory));
        let program = loaded.map_err(plain)?;
        let (profile, target) = (device.profile(), program.target.object.name);
        if !executes(profile, &program.target) {
            device.release(program.memory().0);
            let help = match profile_of(&data) {
                Some(other) => format!("choose that GPU: --gpu {}", other.name),
                None => "compile it for a target that is modelled".to_owned(),
            };
            let message =
                format!("{name}: a code object for {target} does not run on {} ({})", profile.name, profile.target_name());
            return Err(Error::plain(codes::TARGET, message, help));
        }
        let listing = Arc::new(Source::new(format!("{name} (disassembled)"), &program.listing));
        device.name(program.memory().0, name);
        Ok(Module(Arc::new(Inner { device: device.clone(), program: Loaded::Amdgpu(program), sources: vec![listing] })))
    }

    /// The device it is loaded on.
    pub fn device(&self) -> &Device {
        &self.0.device
    }
}

/// Whether a GPU runs what PTX modules are for.
fn check_target(program: &Program, sources: &[Arc<Source>], profile: &Profile) -> Result<()> {
    for (unit, source) in program.units.iter().zip(sources) {
        for name in &unit.tree.targets {
            let text = unit.tree.name(name.symbol);
            if Target::parse(text).is_some_and(|target| !profile.runs(target)) {
                let message = format!("a module for {text} does not run on {} ({})", profile.name, profile.target_name());
                let help = match Target::parse(text).and_then(Profile::for_target) {
                    Some(other) => format!("choose another GPU: --gpu {}", other.name),
                    None => "compile it for an architecture that is modelled".to_owned(),
                };
                let diagnostic = Diagnostic::error(codes::TARGET, name.span, message).help(help);
                return Err(Error::new(vec![Problem { diagnostic, source: source.clone() }]));
            }
        }
    }
    Ok(())
}

impl Module {
    /// Names of its kernels, in the order of the text.
    pub fn kernel_names(&self) -> Vec<&str> {
        match &self.0.program {
            Loaded::Ptx(program) => program.kernel_names(),
            Loaded::Amdgpu(program) => program.kernel_names(),
        }
    }

    /// A kernel by its name; it is translated at the first call.
    ///
    /// # Errors
    /// No such kernel, or why it cannot run: every instruction that is wrong or not executable yet, with its line.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let kernel = match &self.0.program {
            Loaded::Ptx(program) => program.kernel(name),
            Loaded::Amdgpu(program) => program.kernel(name),
        };
        let kernel = kernel.map_err(|problems| attach(problems, &self.0.sources))?;
        Ok(Kernel { module: self.clone(), kernel })
    }

    /// A variable in global or constant memory, as a buffer that shares its memory.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn variable<T: crate::Scalar>(&self, name: &str) -> Result<Buffer<T>> {
        let found = match &self.0.program {
            Loaded::Ptx(program) => match program.visible(name) {
                Some(Entity::Device { address, size, .. }) => Some((address, size)),
                _ => None,
            },
            Loaded::Amdgpu(program) => program.variables().iter().find(|v| v.0 == name).map(|v| (v.1, v.2)),
        };
        match found {
            Some((address, size)) => Ok(Buffer::of_module(self, address, size)),
            None => {
                let names: Vec<_> = self.variables().into_iter().map(|v| v.0).collect();
                let near = isa::Table::nearest(name, names.iter().map(String::as_str));
                let help = near.first().map_or("names are those of the PTX text".into(), |n| format!("did you mean `{n}`?"));
                Err(Error::plain(codes::VARIABLE, format!("no variable in device memory is called `{name}`"), help))
            }
        }
    }

    /// Names, addresses and bytes of its variables in global and constant memory.
    pub fn variables(&self) -> Vec<(String, u64, u64)> {
        match &self.0.program {
            Loaded::Ptx(program) => program.variables(),
            Loaded::Amdgpu(program) => program.variables().to_vec(),
        }
    }

    /// Whether both are one module.
    pub(crate) fn same(&self, other: &Module) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The texts it was made of.
    pub fn sources(&self) -> &[Arc<Source>] {
        &self.0.sources
    }

    /// Its PTX modules, if that is what it is made of.
    pub(crate) fn ptx(&self) -> Option<&Program> {
        match &self.0.program {
            Loaded::Ptx(program) => Some(program),
            Loaded::Amdgpu(_) => None,
        }
    }
}

impl Kernel {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.kernel.name
    }

    /// The module it belongs to.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Its parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.kernel.params
    }

    /// A launch of `grid` blocks of `block` threads; give it arguments, then run it.
    pub fn launch(&self, grid: [u32; 3], block: [u32; 3]) -> Launch {
        Launch::new(self.clone(), grid, block)
    }

    /// What it was translated to: registers, shared memory, instructions and their exactness.
    pub fn details(&self) -> &engine::Kernel {
        &self.kernel
    }
}

/// Problems with the texts that they speak of.
fn attach(problems: engine::program::Problems, sources: &[Arc<Source>]) -> Error {
    // A module of no texts has problems too: nothing is defined in it.
    let source = |unit: u32| sources.get(unit as usize).cloned().unwrap_or_else(|| Arc::new(Source::new("", "")));
    let problem = |(unit, diagnostic): (u32, Diagnostic)| Problem { diagnostic, source: source(unit) };
    Error::new(problems.into_iter().map(problem).collect())
}
