//! From a kernel's tree to ops: names resolved, records bound, operands placed.
//!
//! A kernel is lowered with every function that it can call, into one vector of ops. Instructions become drafts whose operands are
//! register numbers ([`crate::allocate`]); blocks are put in the order in which threads meet ([`crate::blocks`]); then
//! offsets and jump targets are filled in.

mod body;
mod operands;

pub use body::mentioned;

use crate::allocate::{self, Block, Draft, Flow, Register};
use crate::program::{Entity, FUNCTION_BASE, Origin, Problems, Program, element_size, variable_align, variable_size};
use diagnostics::{Diagnostic, Span};
use machine::op::NONE;
use machine::state::{Callee, LINKAGE, Tables};
use machine::{Handler, Op, Type};
use ptx::ast::{Function, Init, Item, Opcode, Symbol, Variable};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// A kernel parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its declared type, such as `u64` or `b8`; in AMD's code those of OpenCL's images (`image2d_t`; `image` of others)
    /// and `sampler` take addresses of descriptors.
    pub ty: &'static str,
    /// Where it lies in the parameter block.
    pub offset: u32,
    /// Its bytes.
    pub size: u32,
    /// Whether it is declared as an array, as structures passed by value are.
    pub array: bool,
}

/// A kernel ready to run.
#[derive(Debug, Default)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<Parameter>,
    /// Bytes of the parameter block.
    pub params_size: u32,
    /// All ops; the kernel's own begin at 0.
    pub code: Vec<Op>,
    /// The place of each op.
    pub origins: Vec<Origin>,
    /// Side tables.
    pub tables: Tables,
    /// Bytes of the kernel's frame.
    pub frame: u32,
    /// Constants of the kernel's frame: offset, bits, bits of width.
    pub constants: Vec<(u32, u128, u32)>,
    /// Bytes of the kernel's own local memory.
    pub local: u32,
    /// Bytes of static shared memory.
    pub shared: u32,
    /// Alignment that dynamic shared memory needs; it begins at `shared` rounded up to it.
    pub dynamic_align: u32,
    /// Greatest block that `.maxntid` or `.reqntid` allows, as threads in x, y, z, and whether exactly.
    pub block_limit: Option<([u32; 3], bool)>,
    /// What the kernel says of its clusters.
    pub clusters: Clusters,
    /// Static variables in shared memory: offset, bytes and name.
    pub shared_variables: Vec<(u32, u32, String)>,
    /// Whether accesses to shared memory are watched, since there is asynchronous work on it.
    pub watched: bool,
    /// Whether it may let dependent launches begin before it is complete.
    pub lets_dependents_begin: bool,
    /// Whether that work reads global memory, so that writes to it are watched, too.
    pub watched_global: bool,
    /// Instructions that are not to the bit: opcode and bound.
    pub approximate: BTreeMap<String, String>,
    /// How often each opcode stands in the code.
    pub opcodes: BTreeMap<String, u32>,
    /// Registers of the kernel by declared type.
    pub registers: BTreeMap<String, u32>,
    /// How many instructions begin before each op, and before its end; nothing where each op is one.
    pub begun: Vec<u32>,
    /// What is special about it if it is AMD's machine code.
    pub wave: Option<Box<crate::amdgpu::Wave>>,
}

impl Kernel {
    /// Lanes of a warp or wavefront.
    pub fn lanes(&self) -> u32 {
        self.wave.as_ref().map_or(machine::LANES as u32, |wave| wave.lanes())
    }

    /// Threads of a block as warps count them: all lanes of AMD's wavefronts, each as 32 threads, since EXEC says who works.
    pub fn threads(&self, block: [u32; 3]) -> u32 {
        let threads = block.iter().product::<u32>();
        if self.wave.is_some() { threads.div_ceil(self.lanes()) * machine::LANES as u32 } else { threads }
    }

    /// Whether registers may be written late.
    pub fn waits_late(&self) -> bool {
        self.wave.is_some() && !self.tables.waited
    }

    /// Whether an instruction begins with an op.
    pub fn begins_instruction(&self, op: u32) -> bool {
        let Some(wave) = &self.wave else { return true };
        op == 0 || wave.instruction_of[op as usize] != wave.instruction_of[op as usize - 1]
    }

    /// Where the instructions stand that begin with an op: the last of them has it, those before have none, since they do nothing.
    pub fn origins_at(&self, op: u32) -> Vec<Origin> {
        let Some(wave) = &self.wave else { return vec![self.origins[op as usize]] };
        let of = |op: u32| wave.instruction_of[op as usize] as usize;
        let first = 1 + op.checked_sub(1).map_or(0, of);
        wave.instructions[first..=of(op)].iter().map(|one| Origin { unit: 0, span: one.span }).collect()
    }

    /// How many instructions begin with the ops from `first` to before `end`.
    #[inline]
    pub fn instructions_between(&self, first: u32, end: u32) -> u64 {
        match (self.begun.get(first as usize), self.begun.get(end as usize)) {
            (Some(first), Some(end)) => u64::from(end - first),
            _ => u64::from(end - first),
        }
    }

    /// What lies at an offset in a block's shared memory: a variable's name, and how far into it.
    pub fn shared_name(&self, offset: u32) -> Option<String> {
        let holds = |(start, size, _): &&(u32, u32, String)| offset.checked_sub(*start).is_some_and(|within| within < *size);
        let (start, _, name) = self.shared_variables.iter().find(holds)?;
        Some(if offset == *start { name.clone() } else { format!("{name}+{}", offset - start) })
    }
}

/// What a kernel's directives say of its clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    /// Blocks of a cluster in x, y, z (`.reqnctapercluster`).
    pub shape: Option<[u32; 3]>,
    /// Most blocks of a cluster (`.maxclusterrank`).
    pub most: Option<u32>,
    /// Whether somebody must give the clusters a shape (`.explicitcluster`).
    pub explicit: bool,
    /// Whether a launch's grid counts clusters (`.blocksareclusters`).
    pub grid_of_clusters: bool,
}

/// What an opcode of a unit resolves to, remembered.
type Resolved = Rc<Result<isa::Resolution, isa::Unresolved>>;

/// A shared variable: its unit and where its declaration begins.
type SharedKey = (u32, u32);

fn shared_key(unit: u32, variable: &Variable) -> SharedKey {
    (unit, variable.span.start)
}

/// Everything that lowering one kernel gathers.
struct Lowering<'p> {
    program: &'p Program,
    problems: Problems,
    resolved: HashMap<(u32, Opcode), Resolved>,
    tables: Tables,
    /// Functions to be lowered, by unit and item; the index is that in `Tables::functions`.
    functions: Vec<(u32, u32)>,
    shared: HashMap<SharedKey, u32>,
    shared_size: u32,
    shared_variables: Vec<(u32, u32, String)>,
    dynamic_align: u32,
    approximate: BTreeMap<String, String>,
    opcodes: BTreeMap<String, u32>,
    /// Index of the first op of the function being lowered.
    base: u32,
    /// Whether functions whose address is taken are among `functions`.
    indirect: bool,
    /// Whether accesses to shared memory must be watched.
    watched: bool,
    /// Whether dependent launches may begin early.
    lets_dependents_begin: bool,
    /// Whether writes to global memory must be.
    watched_global: bool,
}

/// A lowered function before its offsets are final in the whole.
struct Lowered {
    ops: Vec<Op>,
    origins: Vec<Origin>,
    frame: u32,
    local: u32,
    constants: Vec<(u32, u128, u32)>,
    registers: BTreeMap<String, u32>,
}

/// Lowers the kernel of this name and everything that it can call.
///
/// # Errors
/// Every reason why it cannot run.
pub fn kernel(program: &Program, name: &str) -> Result<Kernel, Problems> {
    let Some((item, function)) = find_kernel(program, name) else {
        return Err(vec![(0, unknown_kernel(program, name))]);
    };
    let mut lowering = Lowering {
        program,
        problems: Vec::new(),
        resolved: HashMap::new(),
        tables: Tables::default(),
        functions: Vec::new(),
        shared: HashMap::new(),
        shared_size: 0,
        shared_variables: Vec::new(),
        dynamic_align: 1,
        approximate: BTreeMap::new(),
        opcodes: BTreeMap::new(),
        base: 0,
        indirect: false,
        watched: false,
        lets_dependents_begin: false,
        watched_global: false,
    };
    let (params, params_size) = parameters(program, item.0, &function.params);
    lowering.lay_out_shared(item.0, function);
    let entry = lowering.function(item, function);
    let mut all = entry.ops;
    let mut origins = entry.origins;
    let mut next = 0;
    while next < lowering.functions.len() {
        let callee = lowering.functions[next];
        if let Some(function) = program.function(callee) {
            lowering.base = all.len() as u32;
            let lowered = lowering.function(callee, function);
            lowering.place_callee(next, &lowered);
            all.extend(lowered.ops);
            origins.extend(lowered.origins);
        }
        next += 1;
    }
    if !lowering.problems.is_empty() {
        return Err(lowering.problems);
    }
    Ok(Kernel {
        name: name.to_owned(),
        params,
        params_size,
        code: all,
        origins,
        tables: lowering.tables,
        frame: entry.frame.max(LINKAGE),
        constants: entry.constants,
        local: entry.local,
        shared: lowering.shared_size,
        dynamic_align: lowering.dynamic_align,
        block_limit: block_limit(program, item.0, function),
        clusters: clusters(program, item.0, function),
        shared_variables: lowering.shared_variables,
        watched: lowering.watched,
        lets_dependents_begin: lowering.lets_dependents_begin,
        watched_global: lowering.watched_global,
        approximate: lowering.approximate,
        opcodes: lowering.opcodes,
        registers: entry.registers,
        begun: Vec::new(),
        wave: None,
    })
}

/// Names whose addresses an initialiser holds.
fn named_by(init: &Init) -> Vec<Symbol> {
    match init {
        Init::List(list) => list.iter().flat_map(named_by).collect(),
        Init::Address { name, .. } => vec![name.symbol],
        _ => Vec::new(),
    }
}

fn find_kernel<'p>(program: &'p Program, name: &str) -> Option<((u32, u32), &'p Function)> {
    for (u, unit) in program.units.iter().enumerate() {
        for (i, _) in unit.tree.items.iter().enumerate() {
            let item = (u as u32, i as u32);
            match program.function(item) {
                Some(f) if f.entry && f.body.is_some() && unit.tree.name(f.name.symbol) == name => return Some((item, f)),
                _ => {}
            }
        }
    }
    None
}

fn unknown_kernel(program: &Program, name: &str) -> Diagnostic {
    let names = program.kernel_names();
    let mut diagnostic = Diagnostic::error("E0210", Span::default(), format!("no kernel is called `{name}`"));
    diagnostic.labels.clear();
    let near = isa::Table::nearest(name, names.iter().copied());
    match (near.first(), names.is_empty()) {
        (_, true) => diagnostic.help("the module defines no .entry"),
        (Some(near), _) => diagnostic.help(format!("did you mean `{near}`?")),
        _ => {
            let listed: Vec<&str> = names.iter().copied().take(10).collect();
            diagnostic.help(format!("the module has {}{}", listed.join(", "), if names.len() > 10 { " ..." } else { "" }))
        }
    }
}

/// The handler of branches, which the block order also needs for jumps of its own.
fn jump_handler() -> Handler {
    semantics::control::branch as Handler
}

/// Offsets of parameters, each aligned as declared, and the size of the block.
fn parameters(program: &Program, unit: u32, params: &[Variable]) -> (Vec<Parameter>, u32) {
    let tree = &program.units[unit as usize].tree;
    let mut end = 0u64;
    let list = params.iter().map(|p| {
        let size = variable_size(p).unwrap_or(0);
        let offset = end.next_multiple_of(variable_align(p).next_power_of_two());
        end = offset + size;
        Parameter {
            name: tree.name(p.name.symbol).to_owned(),
            ty: p.ty,
            offset: offset as u32,
            size: size as u32,
            array: !p.dimensions.is_empty(),
        }
    });
    let list = list.collect();
    (list, end as u32)
}

fn block_limit(program: &Program, unit: u32, function: &Function) -> Option<([u32; 3], bool)> {
    let tree = &program.units[unit as usize].tree;
    function.directives.iter().find_map(|d| {
        let exact = match tree.name(d.name.symbol) {
            "reqntid" => true,
            "maxntid" => false,
            _ => return None,
        };
        let at = |i: usize| d.arguments.get(i).map_or(1, |n| *n as u32);
        Some(([at(0), at(1), at(2)], exact))
    })
}

fn clusters(program: &Program, unit: u32, function: &Function) -> Clusters {
    let tree = &program.units[unit as usize].tree;
    let mut clusters = Clusters::default();
    for directive in &function.directives {
        let at = |i: usize| directive.arguments.get(i).map_or(1, |n| *n as u32);
        match tree.name(directive.name.symbol) {
            "reqnctapercluster" => clusters.shape = Some([at(0), at(1), at(2)]),
            "maxclusterrank" => clusters.most = Some(at(0)),
            "explicitcluster" => clusters.explicit = true,
            "blocksareclusters" => clusters.grid_of_clusters = true,
            _ => {}
        }
    }
    clusters
}

impl<'p> Lowering<'p> {
    fn error(&mut self, unit: u32, diagnostic: Diagnostic) {
        self.problems.push((unit, diagnostic));
    }

    /// The number of a function that may be called.
    fn callee(&mut self, item: (u32, u32)) -> u32 {
        let known = self.functions.iter().position(|f| *f == item);
        known.unwrap_or_else(|| {
            self.functions.push(item);
            self.functions.len() - 1
        }) as u32
    }

    /// Lowers every function whose address is taken, by an initialiser or an instruction of any function: an indirect call may
    /// reach it through memory.
    fn keep_address_taken(&mut self) {
        if std::mem::replace(&mut self.indirect, true) {
            return;
        }
        let program = self.program;
        for (u, unit) in program.units.iter().enumerate() {
            for item in &unit.tree.items {
                let symbols = match item {
                    Item::Variable(variable) => variable.init.iter().flat_map(named_by).collect(),
                    Item::Function(function) => body::addressed(&unit.tree, function),
                    _ => Vec::new(),
                };
                for symbol in symbols {
                    if let Some(Entity::Function { item, .. }) = program.entity(u as u32, symbol)
                        && program.function(item).is_some_and(|f| !f.entry)
                    {
                        self.callee(item);
                    }
                }
            }
        }
    }

    fn place_callee(&mut self, index: usize, lowered: &Lowered) {
        let item = self.functions[index];
        let Some(function) = self.program.function(item) else { return };
        let tree = &self.program.units[item.0 as usize].tree;
        let layout = CalleeLayout::new(function);
        let address = match self.program.entity(item.0, function.name.symbol) {
            Some(Entity::Function { number, .. }) => FUNCTION_BASE + 16 * u64::from(number),
            _ => 0,
        };
        let callee = Callee {
            name: tree.name(function.name.symbol).to_owned(),
            entry: self.base,
            frame: lowered.frame,
            local: lowered.local,
            params: layout.params,
            returns: layout.returns,
            address,
        };
        if self.tables.functions.len() <= index {
            self.tables.functions.resize(index + 1, Callee::default());
        }
        self.tables.functions[index] = callee;
    }

    /// Call sites learn where they return to, and how many bytes of registers the caller has.
    fn finish_calls(&mut self, ops: &[Op], frame: u32) {
        for op in ops {
            if op.run as usize == semantics::control::call as Handler as usize {
                let call = &mut self.tables.calls[op.imm as usize];
                (call.next, call.frame) = (op.next, frame.max(LINKAGE));
            }
        }
    }

    /// Gives every static shared variable that the kernel can reach a place; dynamic ones begin behind them all.
    fn lay_out_shared(&mut self, unit: u32, kernel: &'p Function) {
        for (key, variable) in self.reachable_shared(unit, kernel) {
            self.place_shared(key, variable);
        }
    }

    fn place_shared(&mut self, key: SharedKey, variable: &Variable) {
        let align = variable_align(variable).next_power_of_two() as u32;
        match variable_size(variable) {
            Some(size) if size > 0 => {
                let offset = self.shared_size.next_multiple_of(align);
                self.shared_size = offset.saturating_add(size as u32);
                self.shared.insert(key, offset);
                let name = self.program.units[key.0 as usize].tree.name(variable.name.symbol);
                self.shared_variables.push((offset, size as u32, name.to_owned()));
            }
            _ => {
                self.dynamic_align = self.dynamic_align.max(align);
            }
        }
    }

    /// Where a shared variable lies. Dynamic arrays all begin where static memory ends.
    fn shared_offset(&self, key: SharedKey) -> u32 {
        match self.shared.get(&key) {
            Some(offset) => *offset,
            None => self.shared_size.next_multiple_of(self.dynamic_align.max(1)),
        }
    }

    /// Shared variables named by the kernel and by functions that it may call, or declared inside them.
    fn reachable_shared(&mut self, unit: u32, kernel: &'p Function) -> Vec<(SharedKey, &'p Variable)> {
        let program = self.program;
        let mut found = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut work = vec![(unit, kernel)];
        while let Some((unit, function)) = work.pop() {
            let tree = &program.units[unit as usize].tree;
            found.extend(body::declared_shared(function).into_iter().map(|v| (shared_key(unit, v), v)));
            for symbol in body::mentioned(tree, function) {
                match program.entity(unit, symbol) {
                    Some(Entity::Shared { item }) if seen.insert(item) => {
                        found.extend(program.variable(item).map(|v| (shared_key(item.0, v), v)));
                    }
                    Some(Entity::Function { item, .. }) if seen.insert(item) => {
                        work.extend(program.function(item).map(|f| (item.0, f)));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    fn function(&mut self, item: (u32, u32), function: &'p Function) -> Lowered {
        let body = body::Body::lower(self, item, function);
        self.finish(body)
    }

    /// Orders blocks, allocates registers and fills in offsets and targets.
    fn finish(&mut self, body: body::Body<'p>) -> Lowered {
        let (mut blocks, labels) = split(body.drafts, body.labels);
        let successors: Vec<Vec<u32>> = blocks.iter().map(|b| b.successors.clone()).collect();
        let order = crate::blocks::order(&successors);
        let mut place = vec![u32::MAX; blocks.len()];
        order.iter().enumerate().for_each(|(i, b)| place[*b as usize] = i as u32);
        let predecessors = count_predecessors(&blocks, &order);
        let mut ordered: Vec<Block> = Vec::with_capacity(order.len());
        for (i, b) in order.iter().enumerate() {
            let mut block = Block { drafts: std::mem::take(&mut blocks[*b as usize].drafts), successors: Vec::new() };
            if let Some(next) = blocks[*b as usize].fall_through
                && (place[next as usize] != i as u32 + 1 || predecessors[next as usize] > 1)
            {
                block.drafts.push(jump_to_block(&block, next));
            }
            block.successors = successors[*b as usize].iter().map(|s| place[*s as usize]).collect();
            ordered.push(block);
        }
        let frame = allocate::frame(&body.registers, &ordered, &self.tables.offsets);
        self.emit(ordered, &place, &labels, &body.registers, frame, body.constants, body.local, body.counts)
    }

    #[allow(clippy::too_many_arguments)]
    fn emit(
        &mut self,
        blocks: Vec<Block>,
        place: &[u32],
        labels: &[u32],
        registers: &[Register],
        frame: allocate::Frame,
        constants: Vec<(u32, u128)>,
        local: u32,
        counts: BTreeMap<String, u32>,
    ) -> Lowered {
        let mut starts = Vec::with_capacity(blocks.len());
        let mut at = self.base;
        for block in &blocks {
            starts.push(at);
            at += block.drafts.len() as u32;
        }
        let start_of_label = |label: u32| starts[place[label_block(labels, label)] as usize];
        let offset = |operand: u32| allocate::register(operand).map_or(operand, |r| frame.offsets[r]);
        let (mut ops, mut origins) = (Vec::new(), Vec::new());
        for draft in blocks.into_iter().flat_map(|b| b.drafts) {
            let mut op = draft.op;
            op.dst = op.dst.map(offset);
            op.src = op.src.map(offset);
            if op.guard != NONE {
                op.guard = offset(op.guard & !1) | op.guard & 1;
            }
            for (range, _) in draft.lists.iter().flatten() {
                self.tables.offsets[range.clone()].iter_mut().for_each(|o| *o = offset(*o));
            }
            match &draft.flow {
                Flow::Branch(label) => op.imm = start_of_label(*label) as i32,
                Flow::Indexed(list) => {
                    op.imm = self.tables.targets.len() as i32;
                    self.tables.targets.push(list.iter().map(|l| start_of_label(*l)).collect());
                }
                Flow::Next | Flow::End => {}
            }
            op.next = self.base + ops.len() as u32 + 1;
            ops.push(op);
            origins.push(draft.origin);
        }
        let constants = constants
            .into_iter()
            .map(|(r, bits)| (frame.offsets[r as usize], bits, registers[r as usize].bits))
            .filter(|c| c.0 != NONE)
            .collect();
        self.finish_calls(&ops, frame.size);
        Lowered { ops, origins, frame: frame.size, local, constants, registers: counts }
    }
}

/// Where a function's parameters and return values lie in its local frame: first of all.
pub(crate) struct CalleeLayout {
    /// Offset and bytes of each parameter.
    pub params: Vec<(u32, u32)>,
    /// Offset and bytes of each return value.
    pub returns: Vec<(u32, u32)>,
    /// Bytes of both.
    pub size: u32,
}

impl CalleeLayout {
    pub(crate) fn new(function: &Function) -> Self {
        let mut end = 0u64;
        let mut place = |v: &Variable| {
            let size = variable_size(v).unwrap_or(0).max(element_size(v.ty));
            let offset = end.next_multiple_of(variable_align(v).next_power_of_two().min(16));
            end = offset + size;
            (offset as u32, size as u32)
        };
        let params = function.params.iter().map(&mut place).collect();
        let returns = function.returns.iter().map(&mut place).collect();
        CalleeLayout { params, returns, size: end as u32 }
    }
}

struct Split {
    drafts: Vec<Draft>,
    successors: Vec<u32>,
    fall_through: Option<u32>,
}

/// A label's block, or the block that a jump of our own names.
fn label_block(labels: &[u32], label: u32) -> usize {
    if label & BLOCK_LABEL != 0 { (label & !BLOCK_LABEL) as usize } else { labels[label as usize] as usize }
}

/// Cuts drafts into blocks at labels and after everything that moves threads; also the block of each label.
fn split(drafts: Vec<Draft>, labels: Vec<u32>) -> (Vec<Split>, Vec<u32>) {
    let mut starts: Vec<u32> = labels.clone();
    starts.push(0);
    for (i, draft) in drafts.iter().enumerate() {
        if draft.flow != Flow::Next {
            starts.push(i as u32 + 1);
        }
    }
    starts.sort_unstable();
    starts.dedup();
    let count = drafts.len() as u32;
    let block_of = |at: u32| starts.partition_point(|s| *s <= at) as u32 - 1;
    let label_blocks: Vec<u32> = labels.iter().map(|at| block_of(*at)).collect();
    let mut blocks: Vec<Split> = Vec::with_capacity(starts.len());
    let mut rest = drafts.into_iter();
    for (i, start) in starts.iter().enumerate() {
        let end = starts.get(i + 1).copied().unwrap_or(count);
        let drafts: Vec<Draft> = rest.by_ref().take((end - start) as usize).collect();
        let last = drafts.last();
        let guarded = last.is_some_and(|d| d.op.guard != NONE);
        let mut successors: Vec<u32> = match last.map(|d| &d.flow) {
            Some(Flow::Branch(label)) => vec![label_blocks[*label as usize]],
            Some(Flow::Indexed(list)) => list.iter().map(|l| label_blocks[*l as usize]).collect(),
            _ => Vec::new(),
        };
        let goes_on = last.is_none_or(|d| d.flow == Flow::Next || guarded) && i + 1 < starts.len();
        let fall_through = goes_on.then_some(i as u32 + 1);
        successors.extend(fall_through);
        successors.sort_unstable();
        successors.dedup();
        blocks.push(Split { drafts, successors, fall_through });
    }
    (blocks, label_blocks)
}

fn count_predecessors(blocks: &[Split], order: &[u32]) -> Vec<u32> {
    let mut count = vec![0; blocks.len()];
    for b in order {
        blocks[*b as usize].successors.iter().for_each(|s| count[*s as usize] += 1);
    }
    count
}

/// An unguarded jump to a block.
fn jump_to_block(after: &Block, block: u32) -> Draft {
    let origin = after.drafts.last().map_or(Origin::default(), |d| d.origin);
    let mut draft = Draft { op: Op::new(jump_handler()), lists: [None, None], flow: Flow::Branch(BLOCK_LABEL | block), origin };
    draft.op.ty = Type::U32;
    draft
}

/// Marks a branch target as a block rather than a label.
const BLOCK_LABEL: u32 = 1 << 31;
