//! Modules linked together, with their variables in device memory.
//!
//! Linking follows PTX ISA 9.4, 11.6: `.visible` and `.weak` names are seen by every module, `.extern` ones are looked up in the
//! others, `.common` ones of one name are one variable, all else is private to its module.

use crate::lower::{self, Kernel};
use diagnostics::{Diagnostic, Severity, Span};
use machine::memory::Memory;
use ptx::ast::{Constant, Function, Init, Item, Linkage, Module, Space, Symbol, Variable};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Where function addresses begin; they name functions and hold no code.
pub const FUNCTION_BASE: u64 = 0x7d00_0000_0000;

/// One source file of a program.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Its name for diagnostics.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Its tree.
    pub tree: Module,
}

/// A place in one of the units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Index of the unit.
    pub unit: u32,
    /// Where in its text.
    pub span: Span,
}

/// Something that a module-scope name stands for.
#[derive(Clone, Copy, Debug)]
pub enum Entity {
    /// A variable in device memory.
    Device {
        /// Its address.
        address: u64,
        /// Its bytes.
        size: u64,
        /// Whether kernels only read it.
        constant: bool,
    },
    /// A shared variable, laid out kernel by kernel.
    Shared {
        /// Unit and item.
        item: (u32, u32),
    },
    /// A function or kernel.
    Function {
        /// Unit and item.
        item: (u32, u32),
        /// Its number: [`FUNCTION_BASE`] plus 16 times this is its address.
        number: u32,
    },
    /// Declared here and defined nowhere.
    Missing {
        /// Unit and item.
        item: (u32, u32),
    },
    /// A texture, surface or sampler reference.
    Opaque,
}

/// Diagnostics, each with the index of the unit that it speaks of.
pub type Problems = Vec<(u32, Diagnostic)>;

/// Linked modules.
pub struct Program {
    /// The instruction table.
    pub table: &'static isa::Table,
    /// The modules.
    pub units: Vec<Unit>,
    names: Vec<HashMap<Symbol, Entity>>,
    shared_names: HashMap<String, Entity>,
    kernels: Mutex<HashMap<String, Arc<Kernel>>>,
}

impl Program {
    /// Parses and links `sources` (name and text) and writes their variables to `memory`.
    ///
    /// # Errors
    /// Everything that is wrong with the modules, by unit.
    pub fn load(
        table: &'static isa::Table,
        sources: &[(String, String)],
        memory: &Memory,
    ) -> Result<Program, (Vec<Unit>, Problems)> {
        let (mut units, mut problems) = (Vec::new(), Problems::new());
        for (i, (name, text)) in sources.iter().enumerate() {
            let (tree, found) = ptx::parse(text);
            problems.extend(found.into_iter().filter(|d| d.severity == Severity::Error).map(|d| (i as u32, d)));
            units.push(Unit { name: name.clone(), text: text.clone(), tree });
        }
        let mut program = Program {
            table,
            names: vec![HashMap::new(); units.len()],
            units,
            shared_names: HashMap::new(),
            kernels: Mutex::default(),
        };
        if problems.is_empty() {
            program.define(memory, &mut problems);
        }
        if problems.is_empty() {
            program.initialise(memory, &mut problems);
        }
        if problems.is_empty() { Ok(program) } else { Err((program.units, problems)) }
    }

    /// Names of the kernels, in order.
    pub fn kernel_names(&self) -> Vec<&str> {
        let named = |unit: &'_ Unit| -> Vec<usize> {
            (0..unit.tree.items.len())
                .filter(|i| matches!(&unit.tree.items[*i], Item::Function(f) if f.entry && f.body.is_some()))
                .collect()
        };
        let mut names = Vec::new();
        for unit in &self.units {
            for i in named(unit) {
                if let Item::Function(f) = &unit.tree.items[i] {
                    names.push(unit.tree.name(f.name.symbol));
                }
            }
        }
        names
    }

    /// The kernel of this name, lowered at the first call.
    ///
    /// # Errors
    /// Why it cannot run: no such kernel, an instruction that is wrong or not executable yet, a name that nobody defines.
    pub fn kernel(&self, name: &str) -> Result<Arc<Kernel>, Problems> {
        if let Some(kernel) = self.kernels.lock().unwrap_or_else(|e| e.into_inner()).get(name) {
            return Ok(kernel.clone());
        }
        let kernel = Arc::new(lower::kernel(self, name)?);
        self.kernels.lock().unwrap_or_else(|e| e.into_inner()).insert(name.to_owned(), kernel.clone());
        Ok(kernel)
    }

    /// What a module-scope name of a unit stands for.
    pub fn entity(&self, unit: u32, symbol: Symbol) -> Option<Entity> {
        self.names[unit as usize].get(&symbol).copied()
    }

    /// Variables in device memory: name, address, bytes.
    pub fn variables(&self) -> Vec<(String, u64, u64)> {
        let mut all: Vec<_> = self
            .units
            .iter()
            .zip(&self.names)
            .flat_map(|(unit, names)| {
                names.iter().filter_map(|(symbol, entity)| match entity {
                    Entity::Device { address, size, .. } => Some((unit.tree.name(*symbol).to_owned(), *address, *size)),
                    _ => None,
                })
            })
            .collect();
        all.sort_by_key(|v| v.1);
        all.dedup_by_key(|v| v.1);
        all
    }

    /// What a visible name stands for: for looking up globals from the host.
    pub fn visible(&self, name: &str) -> Option<Entity> {
        self.shared_names.get(name).copied().or_else(|| {
            self.units.iter().zip(&self.names).find_map(|(unit, names)| {
                names.iter().find(|(symbol, _)| unit.tree.name(**symbol) == name).map(|(_, entity)| *entity)
            })
        })
    }

    /// The function at a unit's item.
    pub fn function(&self, (unit, item): (u32, u32)) -> Option<&Function> {
        match self.units.get(unit as usize)?.tree.items.get(item as usize)? {
            Item::Function(function) => Some(function),
            _ => None,
        }
    }

    /// The variable at a unit's item.
    pub fn variable(&self, (unit, item): (u32, u32)) -> Option<&Variable> {
        match self.units.get(unit as usize)?.tree.items.get(item as usize)? {
            Item::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    fn define(&mut self, memory: &Memory, problems: &mut Problems) {
        let mut number = 0;
        for unit in 0..self.units.len() {
            for item in 0..self.units[unit].tree.items.len() {
                self.define_item((unit as u32, item as u32), &mut number, memory, problems);
            }
        }
        for unit in 0..self.units.len() {
            self.link(unit, problems);
        }
    }

    fn define_item(&mut self, item: (u32, u32), number: &mut u32, memory: &Memory, problems: &mut Problems) {
        let unit = &self.units[item.0 as usize];
        let (name, linkage, entity) = match &unit.tree.items[item.1 as usize] {
            Item::Function(function) if function.body.is_some() => {
                *number += 1;
                (function.name, function.linkage, Entity::Function { item, number: *number })
            }
            Item::Function(function) => (function.name, Linkage::Extern, Entity::Missing { item }),
            Item::Variable(variable) => match variable_entity(unit, item, variable, memory) {
                Ok(entity) => (variable.name, variable.linkage, entity),
                Err(diagnostic) => return problems.push((item.0, diagnostic)),
            },
            _ => return,
        };
        let text = unit.tree.name(name.symbol).to_owned();
        let names = &mut self.names[item.0 as usize];
        let defined = !matches!(entity, Entity::Missing { .. });
        match names.get(&name.symbol) {
            Some(Entity::Missing { .. }) | None => {
                names.insert(name.symbol, entity);
            }
            Some(_) if !defined => return,
            Some(_) => {
                let message = format!("`{text}` is defined twice");
                return problems
                    .push((item.0, Diagnostic::error("E0201", name.span, message).help("rename or remove one of them")));
            }
        }
        if !defined || linkage == Linkage::Internal {
            return;
        }
        match self.shared_names.get(&text) {
            Some(_) if matches!(linkage, Linkage::Weak | Linkage::Common) => {}
            Some(_) if linkage == Linkage::Visible && matches!(entity, Entity::Function { .. }) => {
                let message = format!("`{text}` is defined by another module too");
                problems.push((
                    item.0,
                    Diagnostic::error("E0201", name.span, message).help("make one of them .weak, or load one module"),
                ));
            }
            _ => {
                self.shared_names.insert(text, entity);
            }
        }
    }

    /// Points declarations at definitions of other modules, and weak and common definitions at the one that won.
    fn link(&mut self, unit: usize, problems: &mut Problems) {
        let aliases: Vec<_> = self.units[unit]
            .tree
            .items
            .iter()
            .filter_map(|i| if let Item::Alias(a, b) = i { Some((*a, *b)) } else { None })
            .collect();
        for (alias, target) in aliases {
            match self.names[unit].get(&target.symbol).copied() {
                Some(entity) => {
                    self.names[unit].insert(alias.symbol, entity);
                }
                None => {
                    let message = format!("`{}` is not a function of this module", self.units[unit].tree.name(target.symbol));
                    problems.push((unit as u32, Diagnostic::error("E0202", target.span, message)));
                }
            }
        }
        let tree = &self.units[unit].tree;
        for item in &tree.items {
            let (name, linkage, declared) = match item {
                Item::Function(f) => (f.name, f.linkage, f.body.is_none()),
                Item::Variable(v) => (v.name, v.linkage, v.linkage == Linkage::Extern),
                _ => continue,
            };
            let shared = matches!(linkage, Linkage::Weak | Linkage::Common) || declared;
            if let Some(entity) = self.shared_names.get(tree.name(name.symbol)).filter(|_| shared)
                && (!declared || matches!(self.names[unit].get(&name.symbol), Some(Entity::Missing { .. }) | None))
            {
                self.names[unit].insert(name.symbol, *entity);
            }
        }
    }

    fn initialise(&self, memory: &Memory, problems: &mut Problems) {
        for (u, unit) in self.units.iter().enumerate() {
            for item in &unit.tree.items {
                let Item::Variable(variable) = item else { continue };
                let (Some(init), Some(Entity::Device { address, .. })) =
                    (&variable.init, self.entity(u as u32, variable.name.symbol))
                else {
                    continue;
                };
                let element = element_size(variable.ty);
                let strides = strides(variable, element);
                if let Err(diagnostic) = self.fill(u as u32, memory, variable, init, address, element, &strides) {
                    problems.push((u as u32, diagnostic));
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn fill(
        &self,
        unit: u32,
        memory: &Memory,
        variable: &Variable,
        init: &Init,
        address: u64,
        element: u64,
        strides: &[u64],
    ) -> Result<(), Diagnostic> {
        let bytes = match init {
            Init::List(list) => {
                let (stride, inner) = match strides {
                    [stride, inner @ ..] => (*stride, inner),
                    [] => (element, strides),
                };
                return list.iter().enumerate().try_for_each(|(i, init)| {
                    // Elements of a flat list fill inner dimensions in order.
                    let flat = !matches!(init, Init::List(_));
                    let step = if flat { self.init_size(init, element) } else { stride };
                    self.fill(unit, memory, variable, init, address + i as u64 * step, element, inner)
                });
            }
            Init::Value(constant) => constant_bits(*constant, variable.ty).to_le_bytes()[..element as usize].to_vec(),
            Init::Address { name, offset, mask, .. } => {
                let value = match self.entity(unit, name.symbol) {
                    Some(Entity::Device { address, .. }) => address,
                    Some(Entity::Function { number, .. }) => FUNCTION_BASE + 16 * u64::from(number),
                    _ => {
                        let text = self.units[unit as usize].tree.name(name.symbol);
                        let message = format!("the address of `{text}` is not known when the module is loaded");
                        return Err(Diagnostic::error("E0203", name.span, message).note(
                            "an initialiser may hold addresses of functions and of variables in global and constant memory",
                        ));
                    }
                };
                let value = value.wrapping_add(*offset as u64);
                let value = match mask {
                    Some(mask) if *mask != 0 => (value & mask) >> mask.trailing_zeros(),
                    _ => value,
                };
                value.to_le_bytes()[..(element as usize).min(8)].to_vec()
            }
            Init::Masked { mask, value, .. } => {
                let byte = (value & mask).checked_shr(mask.trailing_zeros()).unwrap_or(0);
                byte.to_le_bytes()[..(element as usize).min(8)].to_vec()
            }
            Init::String(text) => text.to_vec(),
            Init::Field(..) => return Ok(()),
        };
        if memory.write(address, &bytes) {
            return Ok(());
        }
        let message = format!(
            "the initialiser of `{}` is longer than the variable",
            self.units[unit as usize].tree.name(variable.name.symbol)
        );
        Err(Diagnostic::error("E0204", variable.span, message))
    }

    fn init_size(&self, init: &Init, element: u64) -> u64 {
        if let Init::String(text) = init { text.len() as u64 } else { element }
    }
}

fn variable_entity(unit: &Unit, item: (u32, u32), variable: &Variable, memory: &Memory) -> Result<Entity, Diagnostic> {
    if matches!(variable.ty, "texref" | "samplerref" | "surfref") || variable.space == Space::Tex {
        return Ok(Entity::Opaque);
    }
    match variable.space {
        Space::Shared => Ok(Entity::Shared { item }),
        Space::Global | Space::Const(_) if variable.linkage == Linkage::Extern => Ok(Entity::Missing { item }),
        Space::Global | Space::Const(_) => {
            let size = variable_size(variable).ok_or_else(|| {
                let message = format!("the size of `{}` is not known", unit.tree.name(variable.name.symbol));
                Diagnostic::error("E0205", variable.span, message).help("give the array a length or an initialiser")
            })?;
            let constant = !matches!(variable.space, Space::Global);
            let address = memory.allocate(size, !constant).ok_or_else(|| {
                let message =
                    format!("device memory has no room for the {size} bytes of `{}`", unit.tree.name(variable.name.symbol));
                Diagnostic::error("E0206", variable.span, message)
            })?;
            Ok(Entity::Device { address, size, constant })
        }
        _ => {
            let message = "only .global, .const and .shared variables may stand outside functions".to_owned();
            Err(Diagnostic::error("E0207", variable.span, message))
        }
    }
}

/// Bytes of one element of a declared type.
pub fn element_size(ty: &str) -> u64 {
    match ty.trim_start_matches(|c: char| c.is_ascii_alphabetic()) {
        "8" => 1,
        "16" => 2,
        "32" | "16x2" => 4,
        "128" => 16,
        _ => 8,
    }
}

/// Bytes of a variable; `None` for an array of unknown length without an initialiser.
pub fn variable_size(variable: &Variable) -> Option<u64> {
    let element = element_size(variable.ty) * u64::from(variable.vector.max(1));
    let listed = match &variable.init {
        Some(Init::List(list)) => Some(list.len() as u64),
        Some(Init::String(text)) => Some(text.len() as u64),
        _ => None,
    };
    variable.dimensions.iter().enumerate().try_fold(element, |size, (i, dimension)| {
        let length = dimension.or(if i == 0 { listed } else { None })?;
        size.checked_mul(length)
    })
}

/// Bytes that a declaration aligns to: as it says, else its (vector) element's size.
pub fn variable_align(variable: &Variable) -> u64 {
    variable.align.map_or(element_size(variable.ty) * u64::from(variable.vector.max(1)), u64::from).max(1)
}

/// Bytes from one element to the next, dimension by dimension.
fn strides(variable: &Variable, element: u64) -> Vec<u64> {
    let mut stride = element * u64::from(variable.vector.max(1));
    let mut strides: Vec<u64> = if variable.vector > 1 { vec![element] } else { Vec::new() };
    for dimension in variable.dimensions.iter().rev() {
        strides.push(stride);
        stride = stride.saturating_mul(dimension.unwrap_or(1));
    }
    strides.reverse();
    strides
}

/// The bits of a constant as a value of a type: integers wrap, floating-point constants are converted to the nearest.
pub fn constant_bits(constant: Constant, ty: &str) -> u128 {
    match (constant, ty) {
        (Constant::Signed(n), "f32") => u128::from((n as f32).to_bits()),
        (Constant::Signed(n), "f64") => u128::from((n as f64).to_bits()),
        (Constant::Unsigned(n), "f32") => u128::from((n as f32).to_bits()),
        (Constant::Unsigned(n), "f64") => u128::from((n as f64).to_bits()),
        (Constant::F32(bits), "f64") => u128::from(f64::from(f32::from_bits(bits)).to_bits()),
        (Constant::F64(bits), "f32") => u128::from((f64::from_bits(bits) as f32).to_bits()),
        (Constant::Signed(n), "b128") => n as i128 as u128,
        (Constant::Signed(n), _) => u128::from(n as u64),
        (Constant::Unsigned(n), _) => u128::from(n),
        (Constant::F32(bits), _) => u128::from(bits),
        (Constant::F64(bits), _) => u128::from(bits),
    }
}
