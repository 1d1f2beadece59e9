//! Is a PTX text right? Every instruction is held against the table, every name against its declarations.
//!
//! What this does not judge: whether functions that are declared elsewhere fit, and everything that only shows when a kernel runs.

use crate::error::{Problem, Result};
use crate::{codes, table};
use diagnostics::{Diagnostic, Source, Span};
use isa::{Match, OperandType, Parts, Resolution, Shape, Sign, Table, Target, Type, Version, Written};
use ptx::ast::{
    Block, Constant, Function, Instruction, Item, Module, Name, Opcode, Operand, OperandKind, Statement, Symbol, Variable,
};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Everything that is wrong with a text, in its order; `target` is judged instead of the one that the text names.
///
/// # Errors
/// The table cannot be read.
pub fn check(name: &str, text: &str, target: Option<Target>) -> Result<Vec<Problem>> {
    let source = Arc::new(Source::new(name, text));
    let (tree, mut found) = ptx::parse(text);
    let declared = tree.targets.iter().find_map(|t| Target::parse(tree.name(t.symbol)));
    let mut checker = Checker {
        table: table()?,
        tree: &tree,
        version: tree.version.map(|(major, minor, _)| Version(major, minor)),
        target: target.or(declared),
        resolved: HashMap::new(),
        scopes: vec![Scope::default()],
        found: Vec::new(),
    };
    checker.module();
    found.append(&mut checker.found);
    found.sort_by_key(|d| d.labels.first().map(|l| l.span));
    Ok(found.into_iter().map(|diagnostic| Problem { diagnostic, source: source.clone() }).collect())
}

/// What a name stands for, as far as operands care.
#[derive(Clone, Copy)]
enum Named {
    /// A register of this type.
    Register(&'static str),
    /// A vector register of so many elements.
    Vector(u8),
    /// A variable, function, label or list.
    Other,
}

#[derive(Default)]
struct Scope {
    names: HashMap<Symbol, Named>,
    /// `%r<100>`: prefix, count, type.
    ranges: Vec<(String, u32, &'static str)>,
}

type Resolved = Rc<std::result::Result<Resolution, isa::Unresolved>>;

struct Checker<'t> {
    table: &'static Table,
    tree: &'t Module,
    version: Option<Version>,
    target: Option<Target>,
    resolved: HashMap<Opcode, Resolved>,
    scopes: Vec<Scope>,
    found: Vec<Diagnostic>,
}

impl<'t> Checker<'t> {
    fn module(&mut self) {
        let tree = self.tree;
        for item in &tree.items {
            match item {
                Item::Variable(variable) => self.declare(variable.name, Named::Other),
                Item::Function(function) => self.declare(function.name, Named::Other),
                Item::Alias(name, _) => self.declare(*name, Named::Other),
                _ => {}
            }
        }
        for item in &tree.items {
            if let Item::Function(function) = item {
                self.function(function);
            }
        }
    }

    fn declare(&mut self, name: Name, named: Named) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.symbol, named);
        }
    }

    fn function(&mut self, function: &'t Function) {
        let Some(body) = &function.body else { return };
        self.scopes.push(Scope::default());
        function.params.iter().chain(&function.returns).for_each(|v| self.variable(v));
        self.block(body);
        self.scopes.pop();
    }

    fn variable(&mut self, variable: &Variable) {
        let register = variable.space == ptx::ast::Space::Reg;
        match (variable.count, variable.vector) {
            (Some(count), _) => {
                let prefix = self.tree.name(variable.name.symbol).to_owned();
                if let Some(scope) = self.scopes.last_mut() {
                    scope.ranges.push((prefix, count, variable.ty));
                }
            }
            (None, 2..) if register => self.declare(variable.name, Named::Vector(variable.vector)),
            _ if register => self.declare(variable.name, Named::Register(variable.ty)),
            _ => self.declare(variable.name, Named::Other),
        }
    }

    fn block(&mut self, block: &'t Block) {
        self.scopes.push(Scope::default());
        // Labels can be used before they stand.
        for statement in &block.statements {
            match statement {
                Statement::Label(name) | Statement::BranchTargets(name, _) | Statement::CallTargets(name, _) => {
                    self.declare(*name, Named::Other);
                }
                Statement::Prototype(prototype) => self.declare(prototype.label, Named::Other),
                _ => {}
            }
        }
        for statement in &block.statements {
            match statement {
                Statement::Variable(variable) => self.variable(variable),
                Statement::Instruction(instruction) => self.instruction(instruction),
                Statement::Block(inner) => self.block(inner),
                Statement::BranchTargets(_, names) | Statement::CallTargets(_, names) => {
                    names.iter().for_each(|n| {
                        self.name(n.symbol, n.span);
                    });
                }
                _ => {}
            }
        }
        self.scopes.pop();
    }

    /// What a name means here; says so if nothing.
    fn name(&mut self, symbol: Symbol, span: Span) -> Option<Named> {
        let text = self.tree.name(symbol);
        if let Some(named) = self.find(symbol, text) {
            return Some(named);
        }
        if text == "WARP_SZ" {
            return None;
        }
        if let Some(special) = self.table.special(text) {
            let needs: Vec<_> = special.needs.iter().collect();
            self.needs(&format!("`{text}`"), &needs, span);
            return None;
        }
        let known = self.scopes.iter().flat_map(|s| s.names.keys()).map(|s| self.tree.name(*s));
        let near = Table::nearest(text, known.chain(self.table.specials.iter().map(|s| s.name)));
        let help = match near.first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "declare it with .reg, or as a variable, function or label".to_owned(),
        };
        self.found.push(Diagnostic::error("E0218", span, format!("`{text}` is not declared")).help(help));
        None
    }

    fn find(&mut self, symbol: Symbol, text: &str) -> Option<Named> {
        for scope in self.scopes.iter_mut().rev() {
            if let Some(named) = scope.names.get(&symbol) {
                return Some(*named);
            }
            // `%r<10>` declares %r0 to %r9; a prefix may itself end in digits.
            let in_range = |(prefix, count, _): &&(String, u32, &str)| {
                let number = text.strip_prefix(prefix.as_str()).filter(|n| !n.is_empty() && (*n == "0" || !n.starts_with('0')));
                number.is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()) && n.parse().is_ok_and(|n: u32| n < *count))
            };
            if let Some((_, _, ty)) = scope.ranges.iter().find(in_range) {
                let named = Named::Register(ty);
                scope.names.insert(symbol, named);
                return Some(named);
            }
        }
        None
    }

    fn instruction(&mut self, instruction: &'t Instruction) {
        let tree = self.tree;
        if let Some((guard, _)) = instruction.guard
            && let Some(named) = self.name(guard.symbol, guard.span)
            && !matches!(named, Named::Register("pred"))
        {
            let message = format!("`{}` is not a predicate register", tree.name(guard.symbol));
            self.found.push(Diagnostic::error("E0215", guard.span, message).help("declare it with .reg .pred"));
        }
        let operands = tree.list(instruction.operands);
        let written: Vec<Written> = operands.iter().map(|o| self.written(o)).collect();
        let text = tree.opcode(instruction.opcode);
        let resolved = match self.resolved.get(&instruction.opcode) {
            Some(resolved) => resolved.clone(),
            None => {
                let resolved = Rc::new(self.table.resolve(text));
                self.resolved.insert(instruction.opcode, resolved.clone());
                resolved
            }
        };
        match &*resolved {
            Ok(Resolution::Pending(_)) => {}
            Ok(Resolution::Matches(matches)) => self.matched(instruction, matches, operands, &written),
            Err(unresolved) => {
                let start = instruction.opcode_span.start;
                let at = Span::new(start + unresolved.at.start as u32, start + unresolved.at.end as u32);
                let mut diagnostic = Diagnostic::error("E0213", at, unresolved.message.clone());
                diagnostic.help = unresolved.help.clone();
                self.found.push(diagnostic);
            }
        }
    }

    fn matched(&mut self, instruction: &Instruction, matches: &[Match], operands: &[Operand], written: &[Written]) {
        match isa::fit(matches, written) {
            Err(misfit) => {
                let span = misfit.operand.and_then(|i| operands.get(i)).map_or(instruction.span, |o| o.span);
                let form = matches.first().map_or("", |m| m.form.text);
                self.found.push(Diagnostic::error("E0214", span, misfit.message).help(format!("the form is `{form}`")));
            }
            Ok((index, fit)) => {
                let matched = &matches[index];
                let needs: Vec<_> = matched.needs_with(&fit.names).collect();
                self.needs(&format!("`{}`", self.tree.opcode(instruction.opcode)), &needs, instruction.opcode_span);
                self.removed(matched, instruction);
                for (pattern, place) in matched.operands.iter().zip(&fit.operands) {
                    if let Some(operand) = place.and_then(|i| operands.get(i)) {
                        self.types(pattern, operand);
                    }
                }
            }
        }
    }

    /// Says which of some needs the module does not meet.
    fn needs(&mut self, what: &str, needs: &[&isa::Need], span: Span) {
        let (Some(version), Some(target)) = (self.version, self.target) else { return };
        for need in needs.iter().filter(|n| !n.requirement.met_by(version, target)) {
            let message = format!("{what} needs {}", need.requirement);
            let diagnostic = Diagnostic::error(codes::NEEDS, span, message)
                .note(format!("the module is PTX {version} for {target}"))
                .help("raise .version and .target, or write it in another way");
            self.found.push(diagnostic);
        }
    }

    fn removed(&mut self, matched: &Match, instruction: &Instruction) {
        let (Some(version), Some(target)) = (self.version, self.target) else { return };
        if let Some(need) = matched.removed().find(|n| n.requirement.met_by(version, target)) {
            let text = self.tree.opcode(instruction.opcode);
            let message = format!("`{text}` does not exist any more from {} on", need.requirement);
            let note = format!("the module is PTX {version} for {target}");
            self.found.push(Diagnostic::error(codes::NEEDS, instruction.opcode_span, message).note(note));
        }
    }

    /// Holds registers against the types of an operand.
    fn types(&mut self, pattern: &isa::Operand, operand: &Operand) {
        let list = match operand.kind {
            OperandKind::Pair(list) | OperandKind::AddressList(list) => self.tree.list(list),
            _ => std::slice::from_ref(operand),
        };
        for (part, operand) in pattern.parts.iter().zip(list) {
            match (part.ty, operand.kind) {
                (OperandType::Scalar(ty), _) => self.register(ty, part.limits.wider, operand),
                (OperandType::Vector(_, ty), OperandKind::Vector(elements)) => {
                    let tree = self.tree;
                    for (i, element) in tree.list(elements).iter().enumerate() {
                        self.element(part, i, element);
                        self.register(ty, part.limits.wider, element);
                    }
                }
                _ => {}
            }
        }
    }

    /// Holds a constant or `_` against a vector that it is an element of.
    fn element(&mut self, part: &isa::Part, index: usize, element: &Operand) {
        let shape = match element.kind {
            OperandKind::Constant(_) | OperandKind::Sink => self.written(element).shape,
            _ => return,
        };
        if let Err(message) = part.admits_element(index, shape) {
            self.found.push(Diagnostic::error("E0214", element.span, message));
        }
    }

    fn register(&mut self, ty: &'static Type, wider: bool, operand: &Operand) {
        let symbol = match operand.kind {
            OperandKind::Name(symbol) => symbol,
            OperandKind::Not(list) | OperandKind::Negate(list) => match self.tree.list(list).first().map(|o| o.kind) {
                Some(OperandKind::Name(symbol)) => symbol,
                _ => return,
            },
            _ => return,
        };
        let text = self.tree.name(symbol);
        let Some(Named::Register(declared)) = self.find(symbol, text) else { return };
        let Some(register) = self.table.type_named(declared) else { return };
        if !ty.held_by(register, wider) {
            let message = format!("`{text}` is a register of .{declared}, .{} is needed", ty.name);
            let wide = if wider { ", or a wider register" } else { "" };
            let help = format!("use a register of .{} or of bits of that width{wide}", ty.name);
            self.found.push(Diagnostic::error(codes::REGISTER, operand.span, message).help(help));
        }
    }

    /// What the table needs to know of an operand; names are looked up on the way.
    fn written(&mut self, operand: &Operand) -> Written<'t> {
        let tree = self.tree;
        let plain = |shape| Written { sign: Sign::None, shape };
        let mut each = |list: ptx::ast::List| {
            tree.list(list).iter().for_each(|o| {
                self.written(o);
            });
        };
        match operand.kind {
            OperandKind::Name(symbol) => match self.name(symbol, operand.span) {
                Some(Named::Vector(n)) => plain(Shape::Vector(usize::from(n))),
                Some(Named::Register(ty)) => plain(self.table.type_named(ty).map_or(Shape::Name, Shape::Register)),
                Some(_) => plain(Shape::Name),
                None => match self.table.special(tree.name(symbol)) {
                    Some(special) if special.lanes > 1 => plain(Shape::Vector(special.lanes as usize)),
                    _ => plain(Shape::Name),
                },
            },
            OperandKind::Member(base, member) => {
                self.name(base, operand.span);
                let member = tree.name(member);
                let component = member.len() == 1 && "xyzwrgba".contains(member);
                plain(if component { Shape::Name } else { Shape::Selected(member) })
            }
            OperandKind::Constant(Constant::Signed(n)) => plain(Shape::Integer(n.into())),
            OperandKind::Constant(Constant::Unsigned(n)) => plain(Shape::Integer(n.into())),
            OperandKind::Constant(_) => plain(Shape::Float),
            OperandKind::Offset(symbol, _) => {
                self.name(symbol, operand.span);
                plain(Shape::Name)
            }
            OperandKind::Element(list) => {
                each(list);
                plain(Shape::Name)
            }
            OperandKind::Sink => plain(Shape::Sink),
            OperandKind::Pair(list) => {
                each(list);
                let sink = |i: usize| tree.list(list).get(i).is_some_and(|o| matches!(o.kind, OperandKind::Sink));
                plain(Shape::Pair([sink(0), sink(1)]))
            }
            OperandKind::Vector(list) => {
                each(list);
                plain(Shape::Vector(list.len as usize))
            }
            OperandKind::Parenthesised(list) => {
                each(list);
                plain(Shape::Parenthesised(list.len as usize))
            }
            OperandKind::Not(list) | OperandKind::Negate(list) => {
                let sign = if matches!(operand.kind, OperandKind::Not(_)) { Sign::Not } else { Sign::Minus };
                let shape = tree.list(list).first().map_or(Shape::Name, |o| self.written(o).shape);
                Written { sign, shape }
            }
            OperandKind::Address { base, .. } => {
                if let Some(base) = base {
                    self.name(base, operand.span);
                }
                plain(Shape::Address)
            }
            OperandKind::AddressList(list) => {
                each(list);
                let length = |o: &Operand| match o.kind {
                    OperandKind::Vector(elements) => elements.len as usize,
                    _ => 0,
                };
                plain(Shape::AddressList(Parts::new(tree.list(list).iter().map(length))))
            }
            OperandKind::Unified(list) => tree.list(list).first().map_or(plain(Shape::Address), |o| self.written(o)),
        }
    }
}
