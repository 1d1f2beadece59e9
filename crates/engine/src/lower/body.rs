//! The statements of one function: scopes, declarations, labels, instructions.

use super::operands::Placed;
use super::{CalleeLayout, Lowering};
use crate::allocate::{Draft, Flow, REGISTER, Register, operand};
use crate::bind;
use crate::program::{Entity, FUNCTION_BASE, Origin, element_size, variable_align, variable_size};
use diagnostics::{Diagnostic, Span};
use isa::{Fit, Match, Resolution, Written};
use machine::op::NONE;
use machine::row::Instance;
use machine::state::{Call, LOCAL_START};
use machine::{Handler, Op, Type};
use ptx::ast::{self, Block, Function, Instruction, Item, Module, Name, OperandKind, Space, Statement, Symbol, Variable};
use ptx::shape::{Named, written};
use semantics::Shape as FunctionShape;
use std::collections::{BTreeMap, HashMap};

/// What a name stands for inside a function.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// A register: its number and declared type.
    Register(u32, &'static str),
    /// A vector register: the number of its first element, and how many.
    Vector(u32, u8),
    /// A variable in the function's local frame (local memory, and parameters of calls): its offset and bytes.
    Local(u32, u32),
    /// A kernel parameter: its offset.
    Param(u32),
    /// A shared variable declared in the function: its offset.
    Shared(u32),
    /// A variable in device memory.
    Device(u64),
    /// A label.
    Label(u32),
    /// `.branchtargets`: labels.
    Targets(Vec<u32>),
    /// `.callprototype`: bytes of parameters and return values.
    Prototype,
    /// `.calltargets`.
    CallTargets,
}

#[derive(Default)]
struct Scope {
    names: HashMap<Symbol, Binding>,
    /// `%r<100>`: prefix, first number, count, type.
    ranges: Vec<(String, u32, u32, &'static str)>,
    /// Bytes of a scalar of each variable.
    scalars: HashMap<Symbol, u32>,
}

/// A function being lowered.
pub(super) struct Body<'p> {
    pub registers: Vec<Register>,
    pub drafts: Vec<Draft>,
    /// Draft index of each label.
    pub labels: Vec<u32>,
    pub constants: Vec<(u32, u128)>,
    pub local: u32,
    pub counts: BTreeMap<String, u32>,
    pub(super) unit: u32,
    pub(super) tree: &'p Module,
    pub(super) function: &'p Function,
    scopes: Vec<Scope>,
    /// Bytes of a scalar of each variable at module scope, once somebody asks.
    module_scalars: Option<HashMap<Symbol, u32>>,
    constant_index: HashMap<(u128, u32), u32>,
    specials: HashMap<(&'static str, u32, u32), u32>,
    /// Ops that run before the first one: special registers, constants of a called function.
    pub(super) prologue: Vec<Draft>,
    pub(super) origin: Origin,
    pub(super) guard: u32,
    return_registers: Vec<(u32, &'static str, u32, u32)>,
    /// The carry flag of extended-precision arithmetic.
    pub(super) carry: Option<u32>,
    /// Greatest number of problems of one function that are worth reporting.
    problems_left: u32,
}

/// Symbols that a function mentions as operands.
pub fn mentioned(tree: &Module, function: &Function) -> Vec<Symbol> {
    let mut all = Vec::new();
    let mut blocks: Vec<&Block> = function.body.iter().collect();
    while let Some(block) = blocks.pop() {
        for statement in &block.statements {
            match statement {
                Statement::Block(inner) => blocks.push(inner),
                Statement::Instruction(i) => mentioned_operands(tree, i.operands, &mut all),
                _ => {}
            }
        }
    }
    all
}

/// Functions that instructions of a function other than calls may mention: those whose address it takes.
pub(super) fn addressed(tree: &Module, function: &Function) -> Vec<Symbol> {
    let mut all = Vec::new();
    let mut blocks: Vec<&Block> = function.body.iter().collect();
    while let Some(block) = blocks.pop() {
        for statement in &block.statements {
            match statement {
                Statement::Block(inner) => blocks.push(inner),
                Statement::Instruction(i) if !tree.opcode(i.opcode).starts_with("call") => {
                    mentioned_operands(tree, i.operands, &mut all);
                }
                _ => {}
            }
        }
    }
    all
}

/// Shared variables declared inside a function.
pub(super) fn declared_shared(function: &Function) -> Vec<&Variable> {
    let mut all = Vec::new();
    let mut blocks: Vec<&Block> = function.body.iter().collect();
    while let Some(block) = blocks.pop() {
        for statement in &block.statements {
            match statement {
                Statement::Block(inner) => blocks.push(inner),
                Statement::Variable(v) if v.space == Space::Shared => all.push(&**v),
                _ => {}
            }
        }
    }
    all
}

fn mentioned_operands(tree: &Module, list: ast::List, all: &mut Vec<Symbol>) {
    for operand in tree.list(list) {
        match operand.kind {
            OperandKind::Name(s) | OperandKind::Offset(s, _) | OperandKind::Address { base: Some(s), .. } => all.push(s),
            OperandKind::Pair(l)
            | OperandKind::Vector(l)
            | OperandKind::Parenthesised(l)
            | OperandKind::Not(l)
            | OperandKind::Negate(l)
            | OperandKind::AddressList(l)
            | OperandKind::Element(l)
            | OperandKind::Unified(l) => mentioned_operands(tree, l, all),
            _ => {}
        }
    }
}

impl<'p> Body<'p> {
    pub fn lower(lowering: &mut Lowering<'p>, item: (u32, u32), function: &'p Function) -> Self {
        let tree = &lowering.program.units[item.0 as usize].tree;
        let mut body = Body {
            registers: Vec::new(),
            drafts: Vec::new(),
            labels: Vec::new(),
            constants: Vec::new(),
            local: 0,
            counts: BTreeMap::new(),
            unit: item.0,
            tree,
            function,
            scopes: vec![Scope::default()],
            module_scalars: None,
            constant_index: HashMap::new(),
            specials: HashMap::new(),
            prologue: Vec::new(),
            origin: Origin { unit: item.0, span: function.name.span },
            guard: NONE,
            return_registers: Vec::new(),
            carry: None,
            problems_left: 20,
        };
        body.signature(lowering);
        if let Some(block) = &function.body {
            body.block(lowering, block);
        }
        body.origin = Origin { unit: item.0, span: Span::new(function.span.end.saturating_sub(1), function.span.end) };
        body.guard = NONE;
        body.return_from(lowering);
        body.prepend_prologue(lowering);
        body
    }

    fn prepend_prologue(&mut self, lowering: &mut Lowering<'p>) {
        let mut first = std::mem::take(&mut self.prologue);
        if !self.function.entry {
            let constants: Vec<Draft> =
                self.constants.iter().enumerate().map(|(i, _)| self.constant_draft(lowering, i)).collect();
            first.splice(0..0, constants);
        }
        let shift = first.len() as u32;
        self.labels.iter_mut().for_each(|l| *l += shift);
        first.append(&mut self.drafts);
        self.drafts = first;
    }

    /// Writes a constant's row: a called function's frame may share its place with others, so only its own lanes.
    fn constant_draft(&self, lowering: &mut Lowering<'p>, index: usize) -> Draft {
        let (register, bits) = self.constants[index];
        let mut op = Op::new(semantics::moves::constant);
        op.dst[0] = operand(register);
        op.reg = bind::bits_type(self.registers[register as usize].bits, false);
        op.imm = lowering.tables.constants.len() as i32;
        lowering.tables.constants.push(bits);
        Draft { op, lists: [None, None], flow: Flow::Next, origin: self.origin }
    }

    fn signature(&mut self, lowering: &mut Lowering<'p>) {
        let function = self.function;
        if function.entry {
            let (params, _) = super::parameters(lowering.program, self.unit, &function.params);
            for (variable, param) in function.params.iter().zip(params) {
                self.bind_variable(variable, Binding::Param(param.offset));
            }
            return;
        }
        let layout = CalleeLayout::new(function);
        self.local = layout.size;
        for (variable, (offset, size)) in function.params.iter().zip(layout.params) {
            if variable.space == Space::Reg {
                let register = self.declare(variable.name.symbol, variable.ty);
                self.transfer(true, register, variable.ty, offset);
            } else {
                self.bind_variable(variable, Binding::Local(offset, size));
            }
        }
        for (variable, (offset, size)) in function.returns.iter().zip(layout.returns) {
            if variable.space == Space::Reg {
                let register = self.declare(variable.name.symbol, variable.ty);
                self.return_registers.push((register, variable.ty, offset, size));
            } else {
                self.bind_variable(variable, Binding::Local(offset, size));
            }
        }
    }

    /// Moves a register from (`load`) or to the function's local frame.
    pub(super) fn transfer(&mut self, load: bool, register: u32, ty: &'static str, offset: u32) {
        let bits = if ty == "pred" { 8 } else { element_size(ty) as u32 * 8 };
        let mut op = Op::new(semantics::moves::constant);
        op.ty = bind::bits_type(bits, false);
        op.reg = bind::bits_type(self.registers[register as usize].bits.max(8), false);
        op.mods = bind::mods(&[("space", "local")]).unwrap_or_default();
        op.src[0] = LOCAL_START;
        op.imm = offset as i32;
        let name = if load { "memory::load" } else { "memory::store" };
        if load {
            op.dst[0] = operand(register);
        } else {
            op.src[1] = operand(register);
        }
        if let Some(FunctionShape::Group(choose)) = semantics::find(name).map(|f| &f.shape)
            && let Some(run) = choose(&op)
        {
            op.run = run;
        }
        self.push(op, Flow::Next);
    }

    pub(super) fn new_register(&mut self, bits: u32) -> u32 {
        self.registers.push(Register { bits, constant: false });
        self.registers.len() as u32 - 1
    }

    fn declare(&mut self, symbol: Symbol, ty: &'static str) -> u32 {
        let register = self.new_register(register_bits(ty));
        self.bind(symbol, Binding::Register(register, ty));
        register
    }

    fn bind(&mut self, symbol: Symbol, binding: Binding) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(symbol, binding);
        }
    }

    fn bind_variable(&mut self, variable: &Variable, binding: Binding) {
        self.bind(variable.name.symbol, binding);
        if let Some(scope) = self.scopes.last_mut() {
            scope.scalars.insert(variable.name.symbol, element_size(variable.ty) as u32);
        }
    }

    /// Bytes of a scalar of a variable in memory; `None` for whatever else the name means.
    pub(super) fn element_bytes(&mut self, lowering: &mut Lowering<'p>, symbol: Symbol) -> Option<u32> {
        if !matches!(
            self.find(lowering, symbol)?,
            Binding::Local(..) | Binding::Param(_) | Binding::Shared(_) | Binding::Device(_)
        ) {
            return None;
        }
        let own = self.scopes.iter().rev().find_map(|scope| scope.scalars.get(&symbol));
        own.copied().or_else(|| {
            let variables = self.tree.items.iter().filter_map(|item| match item {
                Item::Variable(v) => Some((v.name.symbol, element_size(v.ty) as u32)),
                _ => None,
            });
            self.module_scalars.get_or_insert_with(|| variables.collect()).get(&symbol).copied()
        })
    }

    /// What a name means here: innermost scope first.
    pub(super) fn find(&mut self, lowering: &mut Lowering<'p>, symbol: Symbol) -> Option<Binding> {
        let tree = self.tree;
        for scope in self.scopes.iter_mut().rev() {
            if let Some(binding) = scope.names.get(&symbol) {
                return Some(binding.clone());
            }
            let name = tree.name(symbol);
            let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
            // `%r<10>` declares %r0 to %r9; a prefix may itself end in digits.
            for at in digits..name.len() {
                let number = name[at..].parse::<u32>().ok().filter(|_| at + 1 == name.len() || !name[at..].starts_with('0'));
                let range = scope.ranges.iter().find(|(prefix, ..)| *prefix == name[..at]);
                if let (Some(number), Some((_, first, count, ty))) = (number, range)
                    && number < *count
                {
                    let binding = Binding::Register(first + number, ty);
                    scope.names.insert(symbol, binding.clone());
                    return Some(binding);
                }
            }
        }
        match lowering.program.entity(self.unit, symbol)? {
            Entity::Device { address, .. } => Some(Binding::Device(address)),
            Entity::Shared { item } => {
                let variable = lowering.program.variable(item)?;
                Some(Binding::Shared(lowering.shared_offset(super::shared_key(item.0, variable))))
            }
            Entity::Function { number, item } => {
                lowering.callee(item);
                Some(Binding::Device(FUNCTION_BASE + 16 * u64::from(number)))
            }
            Entity::Missing { .. } | Entity::Opaque => None,
        }
    }

    fn block(&mut self, lowering: &mut Lowering<'p>, block: &'p Block) {
        self.scopes.push(Scope::default());
        // Labels can be used before they stand.
        for statement in &block.statements {
            match statement {
                Statement::Label(name) => {
                    self.labels.push(0);
                    self.bind(name.symbol, Binding::Label(self.labels.len() as u32 - 1));
                }
                Statement::Prototype(prototype) => self.bind(prototype.label.symbol, Binding::Prototype),
                Statement::CallTargets(name, targets) => {
                    self.bind(name.symbol, Binding::CallTargets);
                    targets.iter().for_each(|t| {
                        if let Some(Entity::Function { item, .. }) = lowering.program.entity(self.unit, t.symbol) {
                            lowering.callee(item);
                        }
                    });
                }
                _ => {}
            }
        }
        for statement in &block.statements {
            if let Statement::BranchTargets(name, targets) = statement {
                let labels = targets.iter().filter_map(|t| self.label(lowering, *t)).collect();
                self.bind(name.symbol, Binding::Targets(labels));
            }
        }
        for statement in &block.statements {
            self.statement(lowering, statement);
        }
        self.scopes.pop();
    }

    pub(super) fn label(&mut self, lowering: &mut Lowering<'p>, name: Name) -> Option<u32> {
        if let Some(Binding::Label(label)) = self.find(lowering, name.symbol) {
            return Some(label);
        }
        let text = self.tree.name(name.symbol);
        let diagnostic = Diagnostic::error("E0211", name.span, format!("`{text}` is not a label of this function"));
        self.error(lowering, diagnostic);
        None
    }

    fn statement(&mut self, lowering: &mut Lowering<'p>, statement: &'p Statement) {
        match statement {
            Statement::Label(name) => {
                if let Some(Binding::Label(label)) = self.scopes.last().and_then(|s| s.names.get(&name.symbol)) {
                    self.labels[*label as usize] = self.drafts.len() as u32;
                }
            }
            Statement::Variable(variable) => self.variable(lowering, variable),
            Statement::Instruction(instruction) => self.instruction(lowering, instruction),
            Statement::Block(block) => self.block(lowering, block),
            Statement::Loc(_)
            | Statement::Pragma(..)
            | Statement::Prototype(_)
            | Statement::BranchTargets(..)
            | Statement::CallTargets(..) => {}
        }
    }

    fn variable(&mut self, lowering: &mut Lowering<'p>, variable: &Variable) {
        let symbol = variable.name.symbol;
        match variable.space {
            Space::Reg => self.register_variable(variable),
            Space::Local | Space::Param => {
                let size = variable_size(variable).unwrap_or(0) as u32;
                // Rows of local memory are words: keep parameters of calls word-aligned too.
                let align = variable_align(variable).next_power_of_two().max(4) as u32;
                let offset = self.local.next_multiple_of(align);
                self.local = offset.saturating_add(size);
                self.bind_variable(variable, Binding::Local(offset, size));
            }
            Space::Shared => {
                let offset = lowering.shared_offset(super::shared_key(self.unit, variable));
                self.bind_variable(variable, Binding::Shared(offset));
            }
            _ => {
                let text = self.tree.name(symbol);
                let message = format!("`{text}` is declared inside a function in a space that belongs outside");
                let diagnostic = Diagnostic::error("E0207", variable.span, message).help("move the declaration to module scope");
                self.error(lowering, diagnostic);
            }
        }
    }

    fn register_variable(&mut self, variable: &Variable) {
        let symbol = variable.name.symbol;
        let bits = register_bits(variable.ty);
        let name = self.tree.name(symbol).to_owned();
        *self.counts.entry(variable.ty.to_owned()).or_default() += variable.count.unwrap_or(1);
        let first = self.registers.len() as u32;
        match (variable.count, variable.vector) {
            (Some(count), _) => {
                // A mistyped count must not exhaust memory; more registers than text cannot be used.
                let count = count.min(self.tree.operands.len() as u32 + 1_000_000);
                (0..count).for_each(|_| {
                    self.new_register(bits);
                });
                if let Some(scope) = self.scopes.last_mut() {
                    scope.ranges.push((name, first, count, variable.ty));
                }
            }
            (None, 0 | 1) => {
                self.declare(symbol, variable.ty);
            }
            (None, n) => {
                (0..n).for_each(|_| {
                    self.new_register(bits);
                });
                self.bind(symbol, Binding::Vector(first, n));
            }
        }
    }

    pub(super) fn error(&mut self, lowering: &mut Lowering<'p>, diagnostic: Diagnostic) {
        if self.problems_left > 0 {
            self.problems_left -= 1;
            lowering.error(self.unit, diagnostic);
        }
    }

    pub(super) fn push(&mut self, mut op: Op, flow: Flow) {
        op.guard = self.guard;
        self.drafts.push(Draft { op, lists: [None, None], flow, origin: self.origin });
    }

    /// The register row that holds a constant.
    pub(super) fn constant(&mut self, bits: u128, width: u32) -> u32 {
        let bits = if width < 128 { bits & ((1 << width) - 1) } else { bits };
        if let Some(register) = self.constant_index.get(&(bits, width)) {
            return operand(*register);
        }
        let register = self.new_register(width);
        self.registers[register as usize].constant = true;
        self.constants.push((register, bits));
        self.constant_index.insert((bits, width), register);
        operand(register)
    }

    /// The register row that holds the address of what lies at an offset in the own block's shared memory: it depends on the block's rank
    /// in its cluster, so it is made before the first op.
    pub(super) fn shared_address(&mut self, offset: i32, width: u32) -> u32 {
        let key = ("shared address", offset as u32, width);
        if let Some(register) = self.specials.get(&key) {
            return operand(*register);
        }
        let register = self.new_register(width);
        let mut op = Op::new(semantics::memory::shared_address as Handler);
        op.dst[0] = operand(register);
        op.imm = offset;
        op.reg = bind::bits_type(width, false);
        self.prologue.push(Draft { op, lists: [None, None], flow: Flow::Next, origin: self.origin });
        self.specials.insert(key, register);
        operand(register)
    }

    /// The register row that holds a special register's component, read before the first op unless it changes.
    pub(super) fn special(&mut self, lowering: &mut Lowering<'p>, name: Name, component: u32, width: u32) -> Option<u32> {
        let text = self.tree.name(name.symbol);
        let special = lowering.program.table.special(text)?;
        let number = text.bytes().rev().take_while(u8::is_ascii_digit).count();
        let index = text[text.len() - number..].parse::<u32>().unwrap_or(0);
        let component = if special.lanes > 1 { component } else { index };
        let changes = semantics::special::changes(special.run);
        if let Some(register) = self.specials.get(&(special.run, component, width)).filter(|_| !changes) {
            return Some(operand(*register));
        }
        let Some(FunctionShape::Group(choose)) = semantics::find(special.run).map(|f| &f.shape) else {
            let message = format!("not executable yet: {text}");
            let diagnostic = Diagnostic::error("E0212", name.span, message).label("this special register has no model");
            self.error(lowering, diagnostic);
            return Some(self.constant(0, width));
        };
        let register = self.new_register(width);
        let mut op = Op::new(semantics::moves::constant);
        op.dst[0] = operand(register);
        op.imm = component as i32;
        op.reg = bind::bits_type(width, false);
        op.run = choose(&op)?;
        if changes {
            self.push(op, Flow::Next);
        } else {
            self.prologue.push(Draft { op, lists: [None, None], flow: Flow::Next, origin: self.origin });
            self.specials.insert((special.run, component, width), register);
        }
        Some(operand(register))
    }

    fn instruction(&mut self, lowering: &mut Lowering<'p>, instruction: &'p Instruction) {
        self.origin = Origin { unit: self.unit, span: instruction.span };
        let text = self.tree.opcode(instruction.opcode);
        *lowering.opcodes.entry(text.to_owned()).or_default() += 1;
        let key = (self.unit, instruction.opcode);
        let resolved = match lowering.resolved.get(&key) {
            Some(resolved) => resolved.clone(),
            None => {
                let resolved = std::rc::Rc::new(lowering.program.table.resolve(text));
                lowering.resolved.insert(key, resolved.clone());
                resolved
            }
        };
        let matches = match &*resolved {
            Ok(Resolution::Matches(matches)) => matches,
            Ok(Resolution::Pending(opcode)) => return self.pending(lowering, instruction, opcode.name),
            Err(unresolved) => {
                let start = instruction.opcode_span.start;
                let at = Span::new(start + unresolved.at.start as u32, start + unresolved.at.end as u32);
                let mut diagnostic = Diagnostic::error("E0213", at, unresolved.message.clone());
                diagnostic.help = unresolved.help.clone();
                return self.error(lowering, diagnostic);
            }
        };
        if !self.set_guard(lowering, instruction) {
            return;
        }
        let operands = self.tree.list(instruction.operands);
        let written: Vec<Written> = operands.iter().map(|o| self.shape(lowering, o)).collect();
        match isa::fit(matches, &written) {
            Ok((index, fit)) => self.matched(lowering, instruction, &matches[index], &fit, operands),
            Err(misfit) => {
                let span = misfit.operand.map_or(instruction.span, |i| operands[i].span);
                self.error(lowering, Diagnostic::error("E0214", span, misfit.message));
            }
        }
        self.guard = NONE;
    }

    fn pending(&mut self, lowering: &mut Lowering<'p>, instruction: &Instruction, name: &str) {
        let line = line_of(&lowering.program.units[self.unit as usize].text, instruction.opcode_span.start);
        let message = format!("not executable yet: {name} (line {line})");
        let diagnostic = Diagnostic::error("E0212", instruction.opcode_span, message)
            .note("the kernel was not started: an instruction without semantics would make its results wrong");
        self.error(lowering, diagnostic);
    }

    fn set_guard(&mut self, lowering: &mut Lowering<'p>, instruction: &Instruction) -> bool {
        self.guard = NONE;
        let Some((name, negated)) = instruction.guard else { return true };
        match self.find(lowering, name.symbol) {
            Some(Binding::Register(register, "pred")) => {
                self.guard = operand(register) | u32::from(negated);
                true
            }
            _ => {
                let message = format!("`{}` is not a predicate register", self.tree.name(name.symbol));
                self.error(lowering, Diagnostic::error("E0215", name.span, message).help("declare it with .reg .pred"));
                false
            }
        }
    }

    /// What the table needs to know of an operand: its shape.
    fn shape(&mut self, lowering: &mut Lowering<'p>, operand: &ast::Operand) -> Written<'p> {
        let tree = self.tree;
        written(tree, operand, &mut |symbol| match self.find(lowering, symbol) {
            Some(Binding::Vector(_, n)) => Named::Vector(usize::from(n)),
            Some(Binding::Register(_, ty)) => lowering.program.table.type_named(ty).map_or(Named::Other, Named::Register),
            None => match lowering.program.table.special(tree.name(symbol)) {
                Some(special) if special.lanes > 1 => Named::Vector(special.lanes as usize),
                _ => Named::Other,
            },
            _ => Named::Other,
        })
    }

    fn matched(
        &mut self,
        lowering: &mut Lowering<'p>,
        instruction: &'p Instruction,
        matched: &Match,
        fit: &Fit,
        operands: &'p [ast::Operand],
    ) {
        let Some(name) = matched.function() else { return self.pending(lowering, instruction, matched.record.name) };
        if let isa::Fidelity::Approximate(bound) = matched.fidelity() {
            lowering.approximate.insert(self.tree.opcode(instruction.opcode).to_owned(), bound.to_owned());
        }
        let mods = match bind::mods(matched.settings.iter().chain(&fit.settings)) {
            Ok(mods) => mods,
            Err(message) => return self.unbound(lowering, instruction, &message),
        };
        lowering.watched |= semantics::is_asynchronous(name);
        lowering.lets_dependents_begin |= semantics::lets_dependents_begin(name);
        lowering.watched_global |= semantics::reads_global(name, mods);
        match name {
            "control::call" => return self.call(lowering, instruction, operands),
            "control::ret" => return self.return_from(lowering),
            "control::exit" => return self.leave(semantics::control::exit),
            "control::trap" => return self.leave(semantics::control::trap),
            _ => {}
        }
        let Some(function) = semantics::find(name) else {
            return self.unbound(lowering, instruction, &format!("no function is called {name}"));
        };
        match &function.shape {
            FunctionShape::Lane(instances) => self.lane(lowering, instruction, matched, fit, operands, mods, (name, instances)),
            FunctionShape::Group(choose) => {
                let placed = self.place_group(lowering, matched, fit, operands, mods);
                self.group(lowering, instruction, placed, (name, *choose));
            }
            FunctionShape::Named(named, choose) => {
                let placed = self.place_named(lowering, matched, fit, operands, mods, named);
                self.group(lowering, instruction, placed, (name, *choose));
            }
        }
    }

    /// A disagreement between table and semantics: said like an instruction that is not executable, never skipped.
    pub(super) fn unbound(&mut self, lowering: &mut Lowering<'p>, instruction: &Instruction, why: &str) {
        let text = self.tree.opcode(instruction.opcode);
        let line = line_of(&lowering.program.units[self.unit as usize].text, instruction.opcode_span.start);
        let message = format!("not executable yet: {text} (line {line})");
        self.error(lowering, Diagnostic::error("E0212", instruction.opcode_span, message).note(why.to_owned()));
    }

    /// An operand found no place. Where nothing has said why, this does: an instruction is never skipped.
    fn unplaced(&mut self, lowering: &mut Lowering<'p>, instruction: &Instruction) {
        if lowering.problems.is_empty() {
            self.unbound(lowering, instruction, "an operand has no register, constant or address of its type");
        }
    }

    fn leave(&mut self, run: fn(&mut machine::Group, &Op) -> machine::Step) {
        self.push(Op::new(run as Handler), Flow::End);
    }

    fn return_from(&mut self, lowering: &mut Lowering<'p>) {
        for (register, ty, offset, _) in self.return_registers.clone() {
            self.transfer(false, register, ty, offset);
        }
        let mut op = Op::new(semantics::control::ret as Handler);
        let own = lowering.program.entity(self.unit, self.function.name.symbol);
        if let (false, Some(Entity::Function { item, .. })) = (self.function.entry, own) {
            op.imm = lowering.callee(item) as i32;
        }
        self.push(op, Flow::End);
    }

    /// Lowers a call. Arguments and results lie in the local frames of caller and callee.
    fn call(&mut self, lowering: &mut Lowering<'p>, instruction: &'p Instruction, operands: &'p [ast::Operand]) {
        let guard = self.guard;
        let lists = |o: &ast::Operand| if let OperandKind::Parenthesised(l) = o.kind { Some(l) } else { None };
        let mut rest = operands;
        let returns = rest.first().and_then(lists);
        if returns.is_some() {
            rest = &rest[1..];
        }
        let [target, rest @ ..] = rest else { return self.unplaced(lowering, instruction) };
        let arguments = rest.first().and_then(lists);
        let mut call = Call::default();
        for argument in arguments.iter().flat_map(|l| self.tree.list(*l)) {
            let Some(place) = self.argument(lowering, argument) else { return };
            call.arguments.push(place);
        }
        let mut loads = Vec::new();
        for result in returns.iter().flat_map(|l| self.tree.list(*l)) {
            match self.result(lowering, result) {
                Some((place, load)) => {
                    call.returns.push(place);
                    loads.extend(load.map(|(register, ty)| (register, ty, place.0)));
                }
                None => return,
            }
        }
        let mut op = Op::new(semantics::control::call);
        match self.call_target(lowering, target, &mut call, &mut op) {
            Some(system) => {
                if let Some(run) = system {
                    op.run = run;
                }
                op.imm = lowering.tables.calls.len() as i32;
                lowering.tables.calls.push(call);
                self.guard = guard;
                self.push(op, Flow::Next);
                for (register, ty, offset) in loads {
                    self.transfer(true, register, ty, offset);
                }
            }
            None => {
                let text = target.span.text(&lowering.program.units[self.unit as usize].text).to_owned();
                let message = format!("`{text}` is declared but no module defines it");
                let diagnostic = Diagnostic::error("E0216", target.span, message)
                    .help("load the module that defines it as well, or link it in when compiling (nvcc -rdc=false, or device libraries)");
                self.error(lowering, diagnostic);
            }
        }
    }

    /// Sets callee or target register; `Some(Some(..))` for a function of the runtime system, `None` if it is unknown.
    fn call_target(
        &mut self,
        lowering: &mut Lowering<'p>,
        target: &ast::Operand,
        call: &mut Call,
        op: &mut Op,
    ) -> Option<Option<Handler>> {
        let OperandKind::Name(symbol) = target.kind else { return None };
        if let Some(Binding::Register(register, _)) = self.find(lowering, symbol) {
            op.src[0] = operand(register);
            op.wide = self.registers[register as usize].bits == 64;
            lowering.keep_address_taken();
            return Some(None);
        }
        match lowering.program.entity(self.unit, symbol) {
            Some(Entity::Function { item, .. }) => {
                call.callee = Some(lowering.callee(item));
                Some(None)
            }
            Some(Entity::Missing { .. }) => semantics::system::find(self.tree.name(symbol)).map(Some),
            _ => None,
        }
    }

    /// Puts an argument in the local frame: its offset and bytes.
    fn argument(&mut self, lowering: &mut Lowering<'p>, argument: &ast::Operand) -> Option<(u32, u32)> {
        if let OperandKind::Name(symbol) = argument.kind {
            match self.find(lowering, symbol) {
                Some(Binding::Local(offset, size)) => return Some((offset, size)),
                Some(Binding::Register(register, ty)) => {
                    let place = self.local_temporary(element_size(ty) as u32);
                    self.transfer(false, register, ty, place.0);
                    return Some(place);
                }
                _ => {}
            }
        }
        if let OperandKind::Constant(constant) = argument.kind {
            let place = self.local_temporary(8);
            let row = self.constant(crate::program::constant_bits(constant, "b64"), 64);
            let register = (row & !REGISTER) >> 1;
            self.transfer(false, register, "b64", place.0);
            return Some(place);
        }
        self.not_an_operand(lowering, argument, "a parameter variable, a register or a constant");
        None
    }

    /// Where a result goes, and the register to load from there afterwards.
    #[allow(clippy::type_complexity)]
    fn result(
        &mut self,
        lowering: &mut Lowering<'p>,
        result: &ast::Operand,
    ) -> Option<((u32, u32), Option<(u32, &'static str)>)> {
        match result.kind {
            OperandKind::Sink => return Some(((self.local_temporary(16).0, 0), None)),
            OperandKind::Name(symbol) => match self.find(lowering, symbol) {
                Some(Binding::Local(offset, size)) => return Some(((offset, size), None)),
                Some(Binding::Register(register, ty)) => {
                    return Some((self.local_temporary(element_size(ty) as u32), Some((register, ty))));
                }
                _ => {}
            },
            _ => {}
        }
        self.not_an_operand(lowering, result, "a parameter variable or a register");
        None
    }

    fn local_temporary(&mut self, size: u32) -> (u32, u32) {
        let offset = self.local.next_multiple_of(size.max(4));
        self.local = offset + size;
        (offset, size)
    }

    pub(super) fn not_an_operand(&mut self, lowering: &mut Lowering<'p>, operand: &ast::Operand, wanted: &str) {
        let text = operand.span.text(&lowering.program.units[self.unit as usize].text).to_owned();
        let diagnostic =
            Diagnostic::error("E0217", operand.span, format!("`{text}` cannot stand here")).help(format!("write {wanted}"));
        self.error(lowering, diagnostic);
    }

    #[allow(clippy::too_many_arguments)]
    fn lane(
        &mut self,
        lowering: &mut Lowering<'p>,
        instruction: &Instruction,
        matched: &Match,
        fit: &Fit,
        operands: &[ast::Operand],
        mods: machine::Mods,
        (name, instances): (&str, &'static [Instance]),
    ) {
        let placed = self.place_lane(lowering, matched, fit, operands, mods);
        let Some(placed) = placed else { return self.unplaced(lowering, instruction) };
        let Some(instance) = semantics::instance(instances, &placed.results, &placed.sources) else {
            let why = format!("{name} has no instance for {:?} -> {:?}", placed.sources, placed.results);
            return self.unbound(lowering, instruction, &why);
        };
        let mut op = placed.op;
        op.run = instance.row(op.mods);
        if op.dst[0] == NONE {
            op.dst[0] = operand(self.new_register(instance.results[0].bits()));
        }
        self.push(op, Flow::Next);
        self.finish_results(placed.after);
    }

    fn group(
        &mut self,
        lowering: &mut Lowering<'p>,
        instruction: &Instruction,
        placed: Option<Placed>,
        (name, choose): (&str, fn(&Op) -> Option<Handler>),
    ) {
        let Some(placed) = placed else { return self.unplaced(lowering, instruction) };
        let mut op = placed.op;
        let Some(run) = choose(&op) else {
            let why = format!("{name} has no handler for {:?} in registers of {:?}, {} elements", op.ty, op.reg, op.arity);
            return self.unbound(lowering, instruction, &why);
        };
        op.run = run;
        op.guard = self.guard;
        let flow = match (name, placed.targets) {
            ("control::branch", Some(labels)) if labels.len() == 1 => Flow::Branch(labels[0]),
            ("control::branch_indexed", Some(labels)) => Flow::Indexed(labels),
            _ => Flow::Next,
        };
        self.drafts.push(Draft { op, lists: placed.lists, flow, origin: self.origin });
        self.finish_results(placed.after);
    }

    /// Widens results that went to a narrower temporary.
    fn finish_results(&mut self, after: Vec<Op>) {
        for op in after {
            self.push(op, Flow::Next);
        }
    }
}

/// Bits of a register of a declared type.
fn register_bits(ty: &str) -> u32 {
    if ty == "pred" { 1 } else { element_size(ty) as u32 * 8 }
}

/// The line of a byte, from 1.
fn line_of(text: &str, byte: u32) -> usize {
    text.as_bytes().iter().take(byte as usize).filter(|b| **b == b'\n').count() + 1
}

/// The type of a register as declared, for choosing loads and stores.
pub(super) fn register_type(bits: u32, signed: bool) -> Type {
    bind::bits_type(bits, signed)
}
