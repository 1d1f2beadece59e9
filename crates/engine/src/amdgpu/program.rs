//! Code objects in device memory, and their kernels.

use super::code::Code;
use super::frame::{Frame, ROW, SCALAR_REGISTERS};
use super::fuse::Sums;
use super::hazard::{self, Hazards};
use super::links::Links;
use super::lower;
use super::memory;
use super::mirrors;
use super::modes::{Flow, Modes};
use super::start::{Instruction, Start, User, Wave};
use super::waits::{self, Step};
use crate::codes;
use crate::lower::{Kernel, Parameter};
use crate::program::{Origin, Problems};
use ::amdgpu::codec::access::Register;
use ::amdgpu::codec::value::What;
use ::amdgpu::codec::{Codec, Decoded};
use ::amdgpu::disasm::Instructions;
use ::amdgpu::object::descriptor::Descriptor;
use ::amdgpu::object::metadata::{Argument, KernelMetadata};
use ::amdgpu::object::{self, CodeObject, TargetId};
use diagnostics::{Diagnostic, Span};
use machine::memory::Memory;
use machine::wave::{Counters, Use};
use machine::{Op, state::LINKAGE};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

/// A loaded code object.
pub struct Program {
    /// Its name for diagnostics.
    pub name: String,
    /// What it runs on.
    pub target: TargetId,
    /// Its code as text, a line for each instruction: what diagnostics show.
    pub listing: String,
    /// Where the file's address 0 is in device memory.
    base: u64,
    /// The allocation.
    memory: (u64, u64),
    sections: Vec<Section>,
    functions: Vec<u64>,
    kernels: Vec<Found>,
    /// The symbols that metadata are about and that are no kernel's.
    strangers: Vec<String>,
    symbols: Vec<(String, u64, u64)>,
    lowered: Mutex<HashMap<String, Arc<Kernel>>>,
}

/// A section with code.
struct Section {
    /// Its address in the file.
    address: u64,
    bytes: Vec<u8>,
    /// Where each instruction stands in the listing, by its offset.
    spans: HashMap<u64, Span>,
}

/// A kernel of the file.
struct Found {
    name: String,
    descriptor: Descriptor,
    /// Its address in the file.
    place: u64,
    /// The address of its first instruction in the file.
    entry: Option<u64>,
    metadata: Option<KernelMetadata>,
}

fn problem(message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(codes::OBJECT, Span::default(), message.into());
    diagnostic.labels.clear();
    diagnostic.help(help)
}

fn unread(error: object::Error) -> Diagnostic {
    let at = error.at.map_or(String::new(), |at| format!(" (at byte {at:#x})"));
    problem(format!("{}{at}", error.message), error.help)
}

impl Program {
    /// Loads a code object into device memory.
    ///
    /// # Errors
    /// It is none, or none that a loader takes.
    pub fn load(name: &str, data: &[u8], memory: &Memory) -> Result<Program, Diagnostic> {
        let object = CodeObject::read(data).map_err(unread)?;
        let Some(target) = object.target else {
            return Err(problem("its processor is not in the table", "`lockstep inspect` shows what it says of its target"));
        };
        if object.kind != object::Kind::Shared {
            return Err(problem("a relocatable file cannot be run", "link it first: `ld.lld -shared`, or `lockstep asm --link`"));
        }
        let metadata = object.metadata().map_err(unread)?;
        let said =
            |name: &str| metadata.iter().flat_map(|m| &m.kernels).find(|k| k.symbol.strip_suffix(".kd") == Some(name)).cloned();
        let kernels: Vec<Found> = object
            .kernels()
            .map_err(unread)?
            .iter()
            .map(|kernel| Found {
                name: kernel.name.to_owned(),
                descriptor: kernel.descriptor,
                place: object.sections[kernel.section].address.wrapping_add(kernel.offset),
                entry: kernel.entry.map(|entry| object.sections[entry.section].address.wrapping_add(entry.offset)),
                metadata: said(kernel.name),
            })
            .collect();
        let is_known = |symbol: &str| kernels.iter().any(|kernel| symbol.strip_suffix(".kd") == Some(&kernel.name));
        let about = metadata.iter().flat_map(|m| &m.kernels).map(|kernel| kernel.symbol.clone());
        let strangers = about.filter(|symbol| !is_known(symbol)).collect();
        let wave = kernels.first().map(|kernel| kernel.descriptor.wave_size(target.object) as u8);
        let codec = Codec::of(target.object.name, wave).map_err(|why| problem(why, "the table is wrong"))?;
        let sections = sections(&object);
        let functions = object.symbols.iter().filter(|s| s.kind == FUNCTION && s.section != 0).map(|s| s.value).collect();
        let (base, size) = place(&object, data, memory)?;
        let is_variable = |s: &&object::Symbol| s.kind == OBJECT && s.section != 0 && !s.name.ends_with(".kd");
        let symbols =
            object.symbols.iter().filter(is_variable).map(|s| (s.name.to_string(), base.wrapping_add(s.value), s.size)).collect();
        let mut program = Program {
            name: name.to_owned(),
            target,
            listing: String::new(),
            base,
            memory: (base, size),
            sections,
            functions,
            kernels,
            strangers,
            symbols,
            lowered: Mutex::default(),
        };
        program.list(&object, &codec);
        Ok(program)
    }

    /// Makes the listing. Of an instruction whose registers MODE chooses it names those that are meant in the first kernel that reaches it.
    fn list(&mut self, object: &CodeObject, codec: &Codec) {
        let mut banks: HashMap<u64, u8> = HashMap::new();
        if codec.has("register_banks") {
            let start = |kernel: &Found| Modes::new(codec, mode(&kernel.descriptor, self.target.object));
            let kernels = self.kernels.iter().filter_map(|kernel| Some((kernel.entry?, start(kernel))));
            for (address, modes) in kernels.flat_map(|(entry, start)| self.flow(codec, entry, start, &mut Problems::new()).modes)
            {
                banks.entry(address).or_insert(modes.banks());
            }
        }
        let sections = std::mem::take(&mut self.sections);
        (self.listing, self.sections) = listing(object, codec, sections, |address| banks.get(&address).copied().unwrap_or(0));
    }

    /// Names of its kernels.
    pub fn kernel_names(&self) -> Vec<&str> {
        self.kernels.iter().map(|kernel| kernel.name.as_str()).collect()
    }

    /// Names, addresses and bytes of its variables.
    pub fn variables(&self) -> &[(String, u64, u64)] {
        &self.symbols
    }

    /// Address and bytes of what it takes of device memory.
    pub fn memory(&self) -> (u64, u64) {
        self.memory
    }

    /// The kernel of this name, lowered at the first call.
    ///
    /// # Errors
    /// There is none, or why it cannot run: every instruction that cannot, with its line of the listing.
    pub fn kernel(&self, name: &str) -> Result<Arc<Kernel>, Problems> {
        let mut known = self.lowered.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(kernel) = known.get(name) {
            return Ok(kernel.clone());
        }
        let Some(found) = self.kernels.iter().find(|kernel| kernel.name == name) else {
            let names = self.kernel_names();
            let near = isa::Table::nearest(name, names.iter().copied());
            let help = match near.first() {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => {
                    "the code object has none: its descriptors are symbols that end with `.kd`".to_owned()
                }
                None => format!("the code object has {}", names.iter().take(10).copied().collect::<Vec<_>>().join(", ")),
            };
            let mut diagnostic = Diagnostic::error("E0210", Span::default(), format!("no kernel is called `{name}`"));
            diagnostic.labels.clear();
            return Err(vec![(0, diagnostic.help(help))]);
        };
        if let (None, Some(stranger)) = (&found.metadata, self.strangers.first()) {
            let message = format!("no metadata is about `{name}`, and those of `{stranger}` are about no kernel");
            let help = format!("`.symbol` of the metadata is a kernel's name and `.kd`: was `{name}.kd` meant?");
            return Err(vec![(0, problem(message, help))]);
        }
        let bytes = found.descriptor.value(self.target.object, "kernarg_size").unwrap_or(0);
        if found.metadata.is_none() && bytes > 0 {
            let message =
                format!("no metadata is about `{name}`, whose arguments take {bytes} bytes: what they are is not known");
            return Err(vec![(0, problem(message, "the file is damaged, or somebody stripped it of its note"))]);
        }
        let kernel = Arc::new(self.lower(found)?);
        known.insert(name.to_owned(), kernel.clone());
        Ok(kernel)
    }

    fn lower(&self, found: &Found) -> Result<Kernel, Problems> {
        let fail = |diagnostic: Diagnostic| vec![(0, diagnostic)];
        let descriptor = &found.descriptor;
        let target = self.target.object;
        let wave = descriptor.wave_size(target);
        let codec = Codec::of(target.name, Some(wave as u8)).map_err(|why| fail(problem(why, "the table is wrong")))?;
        let Some(entry) = found.entry else {
            return Err(fail(problem(format!("the code of `{}` is not in the file", found.name), "the file is damaged")));
        };
        let field = |name: &str| descriptor.value(target, name).unwrap_or(0);
        let preloaded = field("kernarg_preload_length") as u32;
        // Code before that loads what the hardware has loaded already.
        let skips = preloaded > 0 && codec.has("kernarg_preload_prologue");
        let entry = if skips { entry.wrapping_add(PRELOAD_PROLOGUE) } else { entry };
        let arguments = kernarg(found, field("kernarg_size"));
        if arguments > MOST_ARGUMENTS {
            let message = format!("the arguments of `{}` take {arguments} bytes", found.name);
            return Err(fail(problem(message, format!("at most {MOST_ARGUMENTS} are possible; the file may be damaged"))));
        }
        let frame = frame(&codec, descriptor, target);
        let mut problems = Problems::new();
        let start = Modes::new(&codec, mode(descriptor, target));
        let mut reached = self.flow(&codec, entry, start, &mut problems);
        let doubtful = std::mem::take(&mut reached.doubtful);
        let hazards = hazards(&codec, &reached).map_err(|why| fail(problem(why, "the table is wrong")))?;
        let mut code = Code::new(frame);
        code.named_barriers = (field("named_bar_cnt") as u32 * NAMED_BARRIER_UNIT).min(semantics::split::NAMED as u32);
        code.grows = field("enable_dynamic_vgpr") == 1;
        code.copies =
            reached.instructions.iter().any(|found| found.1.is_some_and(|decoded| memory::copies_to_lds(&codec, &decoded)));
        let uses = reached.uses(&codec, frame);
        code.tables.waited = self.steps(&codec, &reached, &uses).is_ok_and(|steps| waits::are_complete(&steps, &reached.links));
        let scc = live(&codec, &reached, &["scc", "src_scc"]);
        let vcc: &[&str] =
            if wave == 64 { &["vcc", "vcc_lo", "vcc_hi", "src_vccz"] } else { &["vcc_lo", "vcc", "vcc_hi", "src_vccz"] };
        let sums = Sums::of(frame).filter(|_| code.tables.waited).map(|sums| (sums, live(&codec, &reached, vcc)));
        // Where the ops of the instruction begin that alone leads to the next one.
        let mut before: Option<usize> = None;
        let mut kernel = KernelParts { hazards, doubtful, ..KernelParts::default() };
        // The first op goes to the entry, which need not be the first instruction; it is one of its own.
        code.begin(0);
        kernel.instructions.push(Instruction { span: self.span(entry), uses: Vec::new() });
        if code.tables.waited {
            code.mirror(mirrors::choose(&codec, &reached.instructions, &uses, &reached.links));
        }
        code.jump_to(self.base.wrapping_add(entry));
        code.push(Op::new(semantics::wave::branch));
        for at in 0..reached.instructions.len() {
            code.begin(at as u32 + 1);
            (code.may_be_empty, code.scc_matters) = (reached.links.is_followed(at), scc[at]);
            let first = code.ops.len();
            self.add(&mut code, &mut kernel, &codec, &reached, (at, &uses[at]), &mut problems);
            if let (Some((sums, vcc)), Some(before)) = (&sums, before) {
                sums.fuse(&mut code, before, first, vcc[at]);
            }
            before = if code.ops.len() > first { Some(first) } else { before }.filter(|_| reached.links.is_followed(at));
            uses[at].iter().flat_map(mirrors::written).for_each(|register| code.fill_mirror(register));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        code.link().map_err(|address| {
            let address = address.wrapping_sub(self.base);
            let message = format!("a branch leads to {address:#x}, where no instruction is");
            vec![(0, Diagnostic::error(codes::OBJECT, self.span(address), message))]
        })?;
        if let Some(hazards) = kernel.hazards.take() {
            let codec = Codec::of(target.name, Some(wave as u8)).map_err(|why| fail(problem(why, "the table is wrong")))?;
            code.tables.watch = Some(hazards.watch(codec));
        }
        Ok(self.finish(&codec, found, code, kernel, preloaded))
    }

    /// Where a kernel may, on some path, break rules about instructions that hardware does not keep apart, use a register whose load nothing has
    /// waited for, or come to bytes that are no instruction: a warning each, at the instruction that comes too early, in the order of their lines.
    ///
    /// # Errors
    /// There is no such kernel, or what its code leads to is none.
    pub fn hazards(&self, name: &str) -> Result<Vec<Diagnostic>, Problems> {
        let fail = |why: String| vec![(0, problem(why, "the table is wrong"))];
        let found = self.kernels.iter().find(|kernel| kernel.name == name);
        let Some((entry, wave)) = found.and_then(|found| Some((found.entry?, found.descriptor.wave_size(self.target.object))))
        else {
            return Err(vec![(0, problem(format!("no kernel with code is called `{name}`"), "`lockstep inspect` lists them"))]);
        };
        let codec = Codec::of(self.target.object.name, Some(wave as u8)).map_err(fail)?;
        let mut problems = Problems::new();
        let start = Modes::new(&codec, found.map_or(0, |found| mode(&found.descriptor, self.target.object)));
        let reached = self.flow(&codec, entry, start, &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        let span = |at: usize| self.span(reached.instructions[at].0);
        let hazards = hazards(&codec, &reached).map_err(fail)?;
        let findings = hazards.iter().flat_map(|hazards| hazards.certain());
        let mut warnings: Vec<(usize, Diagnostic)> = findings
            .map(|finding| {
                let warning = Diagnostic::warning(codes::EARLY, span(finding.then), finding.message());
                let warning = warning.also(span(finding.first), "issued here").note(finding.note());
                (finding.then, warning.help(finding.help()))
            })
            .collect();
        let undefined = reached.instructions.iter().enumerate().filter(|(_, found)| found.1.is_none());
        warnings.extend(undefined.filter(|(_, found)| !reached.doubtful.contains(&found.0)).map(|(at, found)| {
            let message = "execution may come to bytes that are no instruction of this target";
            (at, Diagnostic::warning(codes::FAULT, self.span(found.0), message).help(codes::UNDEFINED_HELP))
        }));
        if let Some(found) = found {
            let frame = frame(&codec, &found.descriptor, self.target.object);
            let uses = reached.uses(&codec, frame);
            let missed = self.steps(&codec, &reached, &uses).map_or(Vec::new(), |steps| waits::missed(&steps, &reached.links));
            warnings.extend(missed.iter().map(|one| {
                let message = format!("uses `{}`, whose load nothing has waited for", frame.name_of(one.at));
                let warning = Diagnostic::warning(codes::LATE, span(one.user), message).also(span(one.load), "loaded here");
                (one.user, warning.note(codes::LATE_NOTE).help(codes::LATE_HELP))
            }));
        }
        warnings.sort_by_key(|warning| warning.0);
        Ok(warnings.into_iter().map(|warning| warning.1).collect())
    }

    /// Adds an instruction of those that are reached.
    fn add(
        &self,
        code: &mut Code,
        kernel: &mut KernelParts,
        codec: &Codec,
        reached: &Reached,
        (at, uses): (usize, &[Use]),
        problems: &mut Problems,
    ) {
        let (address, decoded) = &reached.instructions[at];
        let (address, modes) = (*address, reached.modes_at(*address));
        code.place(self.base.wrapping_add(address));
        if let Some(hazards) = &kernel.hazards {
            code.push(hazards.op(at));
        }
        let span = self.span(address);
        let Some(decoded) = decoded else {
            code.push(Op::new(semantics::wave::undefined));
            kernel.instructions.push(Instruction { span, uses: Vec::new() });
            return;
        };
        let record = decoded.entry.instruction;
        *kernel.opcodes.entry(record.name.to_owned()).or_default() += 1;
        if let Some(bound) = record.fidelity {
            kernel.approximate.insert(record.name.to_owned(), bound.to_owned());
        }
        let instruction = lower::Instruction { codec, decoded: *decoded, address: self.base.wrapping_add(address) };
        let first = code.ops.len();
        let lowered = lower::instruction(code, modes, &instruction).map_err(|why| format!("`{}` {why}", record.name));
        let uses = if lowered.is_ok() { uses.to_vec() } else { Vec::new() };
        kernel.instructions.push(Instruction { span, uses });
        match lowered {
            Ok(()) => {}
            // Other kernels of the file may lead there.
            Err(why) if kernel.doubtful.contains(&address) => code.refuse(first, why),
            Err(why) => problems.push((0, Diagnostic::error(codes::PENDING, span, why))),
        }
    }

    fn finish(&self, codec: &Codec, found: &Found, code: Code, parts: KernelParts, preloaded: u32) -> Kernel {
        let start = self.start(codec, found, preloaded);
        let (params, params_size) = parameters(found.metadata.as_ref());
        let field = |name: &str| found.descriptor.value(self.target.object, name).unwrap_or(0);
        let metadata = found.metadata.as_ref();
        let shared = field("group_segment_fixed_size").max(metadata.and_then(|m| m.group_segment_fixed_size).unwrap_or(0));
        let limit = metadata.and_then(|m| m.reqd_workgroup_size).map(|size| (size.map(|n| n as u32), true));
        let most = metadata.and_then(|m| m.max_flat_workgroup_size).map(|n| ([n as u32, 1, 1], false));
        let origins =
            code.instruction_of.iter().map(|i| Origin { unit: 0, span: parts.instructions[*i as usize].span }).collect();
        let frame = code.frame;
        Kernel {
            name: found.name.clone(),
            params,
            params_size,
            origins,
            frame: code.frame_bytes().max(LINKAGE),
            watched: code.watched,
            constants: code.constants,
            tables: code.tables,
            code: code.ops,
            shared: shared as u32,
            dynamic_align: 16,
            block_limit: limit.or(most),
            // Before the first instruction comes what leads to it.
            begun: std::iter::once(0).chain(code.instruction_of.iter().copied()).collect(),
            approximate: parts.approximate,
            opcodes: parts.opcodes,
            registers: BTreeMap::from([("v".to_owned(), frame.vectors)]),
            wave: Some(Box::new(Wave {
                frame,
                start,
                signatures: Instruction::signatures(&parts.instructions, &code.instruction_of),
                instruction_of: code.instruction_of,
                instructions: parts.instructions,
                probe: None,
            })),
            ..Kernel::default()
        }
    }

    /// What a kernel starts with, by its descriptor and its metadata.
    fn start(&self, codec: &Codec, found: &Found, preloaded: u32) -> Start {
        let field = |name: &str| found.descriptor.value(self.target.object, name).unwrap_or(0);
        let mut user = Vec::new();
        let all = [
            ("enable_sgpr_private_segment_buffer", User::ScratchDescriptor),
            ("enable_sgpr_dispatch_ptr", User::Packet),
            ("enable_sgpr_queue_ptr", User::Queue),
            ("enable_sgpr_kernarg_segment_ptr", User::Kernarg),
            ("enable_sgpr_dispatch_id", User::DispatchId),
            ("enable_sgpr_flat_scratch_init", User::FlatScratch),
            ("enable_sgpr_private_segment_size", User::ScratchSize),
        ];
        user.extend(all.into_iter().filter(|(name, _)| field(name) == 1).map(|(_, user)| user));
        let from = field("kernarg_preload_offset") as u32;
        user.extend((from..from + preloaded).map(User::Argument));
        let trap_ids = codec.has("work_group_ids_in_ttmp");
        let enabled = |name: &str| !trap_ids && field(name) == 1;
        let metadata = found.metadata.as_ref();
        let hidden = |argument: &Argument| {
            Some((argument.value_kind.clone()?, argument.offset? as u32, argument.size? as u32)).filter(|_| argument.is_hidden())
        };
        let scratch = field("private_segment_fixed_size").max(metadata.and_then(|m| m.private_segment_fixed_size).unwrap_or(0));
        let dynamic = metadata.and_then(|m| m.uses_dynamic_stack) == Some(true) || field("uses_dynamic_stack") == 1;
        let private = scratch.saturating_add(if dynamic { DYNAMIC_STACK } else { 0 }).min(MOST_SCRATCH) as u32;
        Start {
            user,
            system: [
                enabled("enable_sgpr_workgroup_id_x"),
                enabled("enable_sgpr_workgroup_id_y"),
                enabled("enable_sgpr_workgroup_id_z"),
                enabled("enable_sgpr_workgroup_info"),
                !codec.has("architected_flat_scratch") && field("enable_private_segment") == 1,
            ],
            user_count: field("user_sgpr_count") as u16,
            work_items: field("enable_vgpr_workitem_id") as u32,
            packed: codec.has("packed_work_item_ids"),
            trap_ids,
            scratch: private.next_multiple_of(16),
            private,
            descriptor: self.base.wrapping_add(found.place),
            mode: mode(&found.descriptor, self.target.object),
            kernarg: kernarg(found, field("kernarg_size")) as u32,
            hidden: metadata.map(|m| m.arguments.iter().filter_map(hidden).collect()).unwrap_or_default(),
        }
    }

    /// The section that holds an address of the file, and the offset in it.
    fn place_of(&self, address: u64) -> Option<(&Section, usize)> {
        let holds = |s: &&Section| address.wrapping_sub(s.address) < s.bytes.len() as u64;
        self.sections.iter().find(holds).map(|section| (section, (address - section.address) as usize))
    }

    /// Where the instruction at an address stands in the listing.
    fn span(&self, address: u64) -> Span {
        let found = self.place_of(address).and_then(|(section, offset)| section.spans.get(&(offset as u64)));
        found.copied().unwrap_or_default()
    }

    /// The code that can be reached from an entry, with the registers that MODE makes of their numbers.
    fn flow<'c>(&self, codec: &'c Codec, entry: u64, start: Modes, problems: &mut Problems) -> Reached<'c> {
        let mut reached = self.reach(codec, entry, start, problems);
        let flow = Flow { instructions: &reached.instructions, entry, functions: &self.functions };
        reached.modes = flow.modes(codec, start);
        for (address, decoded) in &mut reached.instructions {
            if let (Some(decoded), Some(modes)) = (decoded, reached.modes.get(address)) {
                decoded.banks = modes.banks();
            }
        }
        reached
    }

    /// All instructions that can be reached from an entry. Where an address in a register leads is not known: to any function.
    fn reach<'c>(&self, codec: &'c Codec, entry: u64, start: Modes, problems: &mut Problems) -> Reached<'c> {
        let mut found: BTreeMap<u64, Option<Decoded<'c>>> = BTreeMap::new();
        let mut doubtful = BTreeSet::new();
        if self.follow(codec, vec![entry], &mut found, problems) {
            let certain: BTreeSet<u64> = found.keys().copied().collect();
            self.follow(codec, self.functions.clone(), &mut found, problems);
            doubtful = found.keys().filter(|at| !certain.contains(at)).copied().collect();
        }
        let instructions: Vec<(u64, Option<Decoded>)> = found.into_iter().collect();
        let links = self.links(codec, entry, &instructions);
        Reached { instructions, doubtful, links, modes: BTreeMap::new(), start }
    }

    /// Where instructions lead, if execution begins at an entry, or at any function.
    fn links(&self, codec: &Codec, entry: u64, instructions: &[(u64, Option<Decoded>)]) -> Links {
        let at = |address: u64| instructions.binary_search_by_key(&address, |found| found.0).ok();
        let leads = |from: usize| {
            let (address, decoded) = &instructions[from];
            let (next, elsewhere) = decoded.as_ref().map_or(([None; 2], false), |decoded| leads(codec, decoded, *address));
            (next.map(|address| address.and_then(at)), elsewhere)
        };
        let entries = std::iter::once(&entry).chain(&self.functions).filter_map(|address| at(*address)).collect();
        Links::new(instructions.len(), leads, entries)
    }

    /// What instructions with these uses have to do with what is outstanding.
    ///
    /// # Errors
    /// One of them cannot be executed, which is told by who lowers it.
    fn steps<'u>(&self, codec: &Codec, reached: &Reached, uses: &'u [Vec<Use>]) -> Result<Vec<Step<'u>>, String> {
        let step = |at: usize| {
            let (address, Some(decoded)) = reached.instructions[at] else { return Ok(Step::default()) };
            let instruction = lower::Instruction { codec, decoded, address: self.base.wrapping_add(address) };
            Step::of(&instruction, reached.modes_at(address), &uses[at])
        };
        (0..uses.len()).map(step).collect()
    }

    /// Adds the instructions to which those at some addresses lead, but for addresses in registers: whether there are such.
    fn follow<'c>(
        &self,
        codec: &'c Codec,
        entries: Vec<u64>,
        found: &mut BTreeMap<u64, Option<Decoded<'c>>>,
        problems: &mut Problems,
    ) -> bool {
        let mut indirect = false;
        let mut open: Vec<(u64, u64)> = entries.into_iter().map(|entry| (entry, entry)).collect();
        while let Some((address, from)) = open.pop() {
            if found.contains_key(&address) {
                continue;
            }
            let Some((section, offset)) = self.place_of(address).filter(|_| address.is_multiple_of(4)) else {
                let message = format!("execution leads to {address:#x}, where no code is");
                let help = "code ends with s_endpgm, s_setpc_b64 or a branch; if it does, the file is damaged";
                problems.push((0, Diagnostic::error(codes::OBJECT, self.span(from), message).help(help)));
                continue;
            };
            let decoded = codec.decode(&section.bytes[offset..]).ok();
            found.insert(address, decoded);
            let Some(decoded) = decoded else { continue };
            let (next, indirect_jump) = leads(codec, &decoded, address);
            open.extend(next.into_iter().flatten().map(|to| (to, address)));
            indirect |= indirect_jump;
        }
        indirect
    }
}

/// The code that a kernel can reach.
struct Reached<'c> {
    /// All instructions with their addresses, in order; of bytes that are none, nothing.
    instructions: Vec<(u64, Option<Decoded<'c>>)>,
    /// The addresses of those to which perhaps an address in a register leads, and nothing else.
    doubtful: BTreeSet<u64>,
    /// Where they lead.
    links: Links,
    /// What MODE says before each, where something changes it.
    modes: BTreeMap<u64, Modes>,
    /// What it says elsewhere.
    start: Modes,
}

impl Reached<'_> {
    /// What each instruction reads and writes, as parts of a frame.
    fn uses(&self, codec: &Codec, frame: Frame) -> Vec<Vec<Use>> {
        self.instructions.iter().map(|found| found.1.map_or(Vec::new(), |decoded| uses(codec, &decoded, frame))).collect()
    }

    /// What MODE says before an instruction.
    fn modes_at(&self, address: u64) -> Modes {
        self.modes.get(&address).copied().unwrap_or(self.start)
    }
}

/// Named barriers are counted in units of so many.
const NAMED_BARRIER_UNIT: u32 = 4;
/// Bytes of code before what a kernel whose arguments are loaded already begins with.
const PRELOAD_PROLOGUE: u64 = 256;
/// Bytes of scratch memory for stacks whose size the compiler does not know.
const DYNAMIC_STACK: u64 = 16 << 10;
/// Bytes of scratch memory that no work-item has: none can be had of those that ask for more.
const MOST_SCRATCH: u64 = 1 << 31;
/// Bytes of arguments that a kernel may have.
const MOST_ARGUMENTS: u64 = 1 << 20;
/// STT_OBJECT.
const OBJECT: u8 = 1;
/// STT_FUNC.
const FUNCTION: u8 = 2;

/// The addresses to which an instruction leads, and whether to others, too, that are in registers.
pub(super) fn leads(codec: &Codec, decoded: &Decoded, address: u64) -> ([Option<u64>; 2], bool) {
    let next = address.wrapping_add(decoded.size.into());
    let run = decoded.entry.instruction.run_on(codec.target);
    let flow = semantics::wave::flow(run.map_or("", |run| run.function));
    let goes_on = flow.goes_on || run.is_some_and(|run| lower::returns(codec, decoded, run));
    let distance = if flow.displaced { displacement(codec, decoded) } else { branch_distance(decoded).filter(|_| flow.branches) };
    let target = distance.map(|distance| next.wrapping_add_signed(distance));
    ([goes_on.then_some(next), target], flow.indirect || flow.displaced && target.is_none())
}

/// What of a program may follow more closely than it may.
fn hazards(codec: &Codec, reached: &Reached) -> Result<Option<Hazards>, String> {
    hazard::search(codec, reached.instructions.iter().map(|reached| reached.1.as_ref()), |from| reached.links.next(from))
}

/// Whether what each instruction leaves in a register may be read, which has one of these names, the first of them as a whole.
fn live(codec: &Codec, reached: &Reached, names: &[&str]) -> Vec<bool> {
    let of = |at: usize| {
        let decoded = reached.instructions[at].1?;
        let named = |register: Register| match register {
            Register::Named(name) => names.iter().position(|n| *n == name),
            _ => None,
        };
        let access = codec.accesses(&decoded).filter_map(|access| Some((named(access.register)?, access)));
        let (reads, writes) =
            access.fold((false, false), |all, (name, one)| (all.0 || one.reads, all.1 || one.writes && name == 0));
        Some((reads, writes && !reads && lower::is_of_lanes(codec, &decoded)))
    };
    let found: Vec<(bool, bool)> = (0..reached.instructions.len()).map(|at| of(at).unwrap_or_default()).collect();
    reached.links.live(|at| found[at].0, |at| found[at].1)
}

/// What lowering gathers besides code.
#[derive(Default)]
struct KernelParts {
    doubtful: BTreeSet<u64>,
    hazards: Option<Hazards>,
    instructions: Vec<Instruction>,
    approximate: BTreeMap<String, String>,
    opcodes: BTreeMap<String, u32>,
}

/// The register MODE as a kernel begins with it.
fn mode(descriptor: &Descriptor, target: &isa::amdgpu::descriptor::Object) -> u32 {
    let parts = [
        ("float_round_mode_32", 0),
        ("float_round_mode_16_64", 2),
        ("float_denorm_mode_32", 4),
        ("float_denorm_mode_16_64", 6),
        ("enable_dx10_clamp", 8),
        ("enable_ieee_mode", 9),
        ("fp16_ovfl", 23),
    ];
    parts.iter().fold(0, |mode, (name, bit)| mode | descriptor.value(target, name).unwrap_or(0) << bit) as u32
}

/// Bytes of a kernel's arguments, by its descriptor and its metadata.
fn kernarg(found: &Found, described: u64) -> u64 {
    let arguments = found.metadata.iter().flat_map(|m| &m.arguments);
    let end = arguments.map(|a| a.offset.unwrap_or(0).saturating_add(a.size.unwrap_or(0))).max().unwrap_or(0);
    described.max(found.metadata.as_ref().and_then(|m| m.kernarg_segment_size).unwrap_or(0)).max(end)
}

/// How far a branch goes from the next instruction, in bytes.
fn branch_distance(decoded: &Decoded) -> Option<i64> {
    let slot = decoded.entry.operands.iter().find(|slot| slot.operand.ty.name == "branch")?;
    Some(i64::from(slot.bits.get(decoded.word) as u16 as i16) * 4)
}

/// How far a jump goes whose distance is its source, if that is a constant.
fn displacement(codec: &Codec, decoded: &Decoded) -> Option<i64> {
    match codec.value_of(decoded.entry.operands.first()?, decoded).what {
        What::Constant(bits) if bits <= u64::from(u32::MAX) => Some((bits as i32).into()),
        What::Constant(bits) => Some(bits as i64),
        _ => None,
    }
}

/// The registers of a kernel, by its descriptor.
fn frame(codec: &Codec, descriptor: &Descriptor, target: &'static isa::amdgpu::descriptor::Object) -> Frame {
    // Who asks for registers while it runs may get all.
    let most = u32::from(codec.registers().reach("v").unwrap_or(256));
    let grows = descriptor.value(target, "enable_dynamic_vgpr") == Some(1);
    let granted = if grows { most } else { descriptor.vgprs(target).clamp(1, most.max(512)) };
    let (vectors, accumulators) = match descriptor.accum_offset(target) {
        Some(offset) => (offset.min(granted.max(offset)), granted.saturating_sub(offset).min(256)),
        None if codec.registers().numbered("a").is_some() => (granted, granted),
        None => (granted, 0),
    };
    let scalars = descriptor.sgprs(target).map_or(SCALAR_REGISTERS, |granted| granted.min(SCALAR_REGISTERS));
    Frame { scalars, ..Frame::new(codec, vectors, accumulators) }
}

/// The registers that an instruction reads and writes, as parts of the frame.
pub(super) fn uses(codec: &Codec, decoded: &Decoded, frame: Frame) -> Vec<Use> {
    let place = |register: Register| match register {
        Register::Numbered { range: "v", first, words, .. } => {
            Some((frame.vector(first.into()), u32::from(words) * frame.halves * ROW))
        }
        Register::Numbered { range: "a", first, words, .. } => {
            Some((frame.accumulator(first.into()), u32::from(words) * frame.halves * ROW))
        }
        Register::Numbered { range, first, words, .. } => {
            let base = codec.registers().numbered(range)?.0;
            Some((Frame::scalar(base + first), 4 * u32::from(words)))
        }
        Register::Named(name) => {
            let (number, words, ..) = codec.registers().by_name(name)?;
            (number < 128).then(|| (Frame::scalar(number), 4 * u32::from(words)))
        }
    };
    let behind = memory::behind(codec, decoded);
    let one = |access: ::amdgpu::codec::access::Access| {
        let (at, bytes) = place(access.register)?;
        let written_late = access.writes && (!access.reads || memory::keeps_a_half(codec, decoded));
        Some(Use { at, bytes, writes: access.writes, behind: if written_late { behind } else { Counters::default() } })
    };
    codec.accesses(decoded).filter_map(one).collect()
}

/// Parameters and bytes of the parameter block, by the metadata.
fn parameters(metadata: Option<&KernelMetadata>) -> (Vec<Parameter>, u32) {
    let Some(metadata) = metadata else { return (Vec::new(), 0) };
    let shown = metadata.arguments.iter().filter(|a| !a.is_hidden()).enumerate();
    let parameter = |(i, argument): (usize, &Argument)| {
        let size = argument.size.unwrap_or(0) as u32;
        let is_pointer = argument.value_kind.as_deref().is_some_and(|kind| kind.ends_with("buffer") || kind.ends_with("pointer"));
        Parameter {
            name: argument.name.clone().unwrap_or_else(|| format!("arg{i}")),
            ty: match argument.value_kind.as_deref() {
                Some("image") => image_type(argument.type_name.as_deref()),
                Some("sampler") => "sampler",
                _ => type_name(argument.type_name.as_deref(), size, is_pointer),
            },
            offset: argument.offset.unwrap_or(0) as u32,
            size,
            array: !matches!(size, 1 | 2 | 4 | 8),
        }
    };
    let list: Vec<Parameter> = shown.map(parameter).collect();
    let end = list.iter().map(|p| p.offset.saturating_add(p.size)).max().unwrap_or(0);
    (list, end.max(metadata.kernarg_segment_size.unwrap_or(0) as u32))
}

/// OpenCL's name of an image's type, if it is one of them.
fn image_type(name: Option<&str>) -> &'static str {
    const TYPES: [&str; 8] = [
        "image1d_t",
        "image1d_array_t",
        "image1d_buffer_t",
        "image2d_t",
        "image2d_array_t",
        "image2d_depth_t",
        "image2d_array_depth_t",
        "image3d_t",
    ];
    TYPES.into_iter().find(|ty| name == Some(*ty)).unwrap_or("image")
}

/// The type of a parameter as PTX would declare it.
fn type_name(name: Option<&str>, size: u32, is_pointer: bool) -> &'static str {
    if is_pointer {
        return if size == 8 { "u64" } else { "u32" };
    }
    match (name, size) {
        (Some("float"), 4) => "f32",
        (Some("double"), 8) => "f64",
        (Some("half"), 2) => "b16",
        (Some("int"), 4) => "s32",
        (Some("uint"), 4) => "u32",
        (Some("long"), 8) => "s64",
        (Some("ulong"), 8) => "u64",
        (_, 2) => "b16",
        (_, 4) => "b32",
        (_, 8) => "b64",
        _ => "b8",
    }
}

fn damaged(what: &str) -> Diagnostic {
    problem(what, "the file is damaged")
}

/// The segments that are loaded.
fn loads<'o>(object: &'o CodeObject) -> impl Iterator<Item = &'o object::Segment> {
    const LOAD: u32 = 1;
    object.segments.iter().filter(|segment| segment.kind == LOAD)
}

/// Puts a code object's segments into device memory: its address 0 there, and bytes.
fn place(object: &CodeObject, data: &[u8], memory: &Memory) -> Result<(u64, u64), Diagnostic> {
    let end = loads(object).map(|s| s.address.saturating_add(s.memory_size)).max().unwrap_or(0);
    if end == 0 || end > 1 << 32 {
        return Err(damaged("no segment can be loaded"));
    }
    let base = memory.allocate(end, true).ok_or_else(|| problem("device memory is full", "free buffers"))?;
    match fill(object, data, base, memory) {
        Ok(()) => Ok((base, end)),
        Err(problem) => {
            memory.free(base);
            Err(problem)
        }
    }
}

/// Writes a code object's segments, and applies its relocations.
fn fill(object: &CodeObject, data: &[u8], base: u64, memory: &Memory) -> Result<(), Diagnostic> {
    for segment in loads(object) {
        let end = segment.offset.checked_add(segment.file_size);
        let bytes = end.and_then(|end| data.get(segment.offset as usize..end as usize));
        let bytes = bytes.ok_or_else(|| damaged("a segment lies outside of the file"))?;
        if segment.file_size > segment.memory_size || !memory.write(base + segment.address, bytes) {
            return Err(damaged("a segment is larger in the file than in memory"));
        }
    }
    object.relocations.iter().try_for_each(|relocation| relocate(object, relocation, base, memory))
}

/// Applies a dynamic relocation.
fn relocate(object: &CodeObject, relocation: &object::Relocation, base: u64, memory: &Memory) -> Result<(), Diagnostic> {
    let name = object::relocation_name(relocation.kind).unwrap_or("unknown");
    let symbol = object.dynamic_symbols.get(relocation.symbol);
    let place = base.wrapping_add(relocation.offset);
    let value =
        symbol.map_or(0, |s| if s.section == 0 { 0 } else { base.wrapping_add(s.value) }).wrapping_add_signed(relocation.addend);
    if let Some(symbol) = symbol.filter(|s| relocation.symbol != 0 && s.section == 0) {
        let message = format!("the symbol `{}` is not defined", symbol.name);
        return Err(problem(message, "link the code object with what defines it"));
    }
    let bytes: &[u8] = match name {
        "R_AMDGPU_NONE" => return Ok(()),
        "R_AMDGPU_ABS64" => &value.to_le_bytes(),
        "R_AMDGPU_RELATIVE64" => &base.wrapping_add_signed(relocation.addend).to_le_bytes(),
        "R_AMDGPU_ABS32" | "R_AMDGPU_ABS32_LO" => &(value as u32).to_le_bytes(),
        "R_AMDGPU_ABS32_HI" => &((value >> 32) as u32).to_le_bytes(),
        "R_AMDGPU_REL64" => &value.wrapping_sub(place).to_le_bytes(),
        "R_AMDGPU_REL32" | "R_AMDGPU_REL32_LO" => &(value.wrapping_sub(place) as u32).to_le_bytes(),
        "R_AMDGPU_REL32_HI" => &((value.wrapping_sub(place) >> 32) as u32).to_le_bytes(),
        _ => return Err(problem(format!("a relocation of kind {} ({name}) is none that a loader does", relocation.kind), "")),
    };
    match memory.write(place, bytes) {
        true => Ok(()),
        false => Err(problem("a relocation lies outside of the segments", "the file is damaged")),
    }
}

/// The sections of an object that have code.
fn sections(object: &CodeObject) -> Vec<Section> {
    const EXECUTABLE: u64 = 4;
    let code = object.sections.iter().filter(|s| s.flags & EXECUTABLE != 0);
    code.map(|s| Section { address: s.address, bytes: s.data.to_vec(), spans: HashMap::new() }).collect()
}

/// The code of sections as text, and where in it each instruction stands; `banks` gives the high bits of vector registers by the address of the instruction
/// that names them.
fn listing(object: &CodeObject, codec: &Codec, mut sections: Vec<Section>, banks: impl Fn(u64) -> u8) -> (String, Vec<Section>) {
    let mut text = String::new();
    for section in &mut sections {
        let mut names: HashMap<u64, &str> = HashMap::new();
        for symbol in object.symbols.iter().filter(|s| s.kind == FUNCTION && s.value >= section.address) {
            names.insert(symbol.value - section.address, &symbol.name);
        }
        for item in Instructions::new(codec, &section.bytes) {
            let offset = item.offset as u64;
            if let Some(name) = names.get(&offset) {
                text.push_str(&format!("{name}:\n"));
            }
            text.push_str(&format!("{:#08x}: ", section.address.wrapping_add(offset)));
            let start = text.len() as u32;
            match &item.what {
                Ok(decoded) => {
                    let banks = banks(section.address.wrapping_add(offset));
                    codec.print(&Decoded { banks, ..*decoded }, &mut text);
                }
                Err(_) => text.push_str(&format!(".long {:#010x}", item.word(&section.bytes))),
            }
            section.spans.insert(offset, Span::new(start, text.len() as u32));
            text.push('\n');
        }
    }
    (text, sections)
}
