//! What is in a PTX text: functions, their parameters and registers, the instructions they use and how exact those are.

use crate::error::{Error, Problem, Result};
use crate::table;
use diagnostics::{Severity, Source};
use isa::{Fidelity, Resolution};
use ptx::ast::{Block, Function, Item, Module, Space, Statement, Variable};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A text's contents.
#[derive(Clone, Debug)]
pub struct Contents {
    /// `8.7`.
    pub version: Option<String>,
    /// `sm_90a` and options such as `debug`.
    pub targets: Vec<String>,
    /// Bits of an address, where the text says so.
    pub address_size: Option<u32>,
    /// Module-scope variables, as declared.
    pub variables: Vec<String>,
    /// Kernels and functions that are defined here.
    pub functions: Vec<FunctionContents>,
}

/// A kernel or function.
#[derive(Clone, Debug)]
pub struct FunctionContents {
    /// Its name.
    pub name: String,
    /// Whether it is a kernel.
    pub kernel: bool,
    /// Its parameters, as declared.
    pub parameters: Vec<String>,
    /// Directives such as `.maxntid 256, 1, 1`.
    pub directives: Vec<String>,
    /// Registers declared, by type.
    pub registers: BTreeMap<String, u32>,
    /// Bytes of static shared memory declared in it, or at module scope and named in it.
    pub shared: u64,
    /// Bytes of local memory declared in it.
    pub local: u64,
    /// The instructions it uses, most used first.
    pub instructions: Vec<Use>,
}

/// An opcode and how often it stands in a function.
#[derive(Clone, Debug)]
pub struct Use {
    /// With its modifiers.
    pub opcode: String,
    /// How often.
    pub count: u32,
    /// Line of its first use.
    pub line: u32,
    /// How exact it is here; why it is nothing, otherwise.
    pub fidelity: std::result::Result<Fidelity, String>,
}

/// What is in a text.
///
/// # Errors
/// It is no PTX: all syntax errors.
pub fn inspect(name: &str, text: &str) -> Result<Contents> {
    let table = table()?;
    let source = Arc::new(Source::new(name, text));
    let (tree, found) = ptx::parse(text);
    let errors: Vec<Problem> = found
        .into_iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|diagnostic| Problem { diagnostic, source: source.clone() })
        .collect();
    if !errors.is_empty() {
        return Err(Error::new(errors));
    }
    let mut contents = Contents {
        version: tree.version.map(|(major, minor, _)| format!("{major}.{minor}")),
        targets: tree.targets.iter().map(|t| tree.name(t.symbol).to_owned()).collect(),
        address_size: tree.address_size.map(|(bits, _)| bits),
        variables: Vec::new(),
        functions: Vec::new(),
    };
    for item in &tree.items {
        match item {
            Item::Variable(variable) => contents.variables.push(declared(&tree, variable)),
            Item::Function(f) if f.body.is_some() => contents.functions.push(function(table, &tree, &source, f)),
            _ => {}
        }
    }
    Ok(contents)
}

/// A variable as its declaration has it, without its initialiser.
fn declared(tree: &Module, variable: &Variable) -> String {
    let space = match variable.space {
        Space::Reg => ".reg ",
        Space::Sreg => ".sreg ",
        Space::Const(_) => ".const ",
        Space::Global => ".global ",
        Space::Local => ".local ",
        Space::Param => ".param ",
        Space::Shared => ".shared ",
        Space::Tex => ".tex ",
    };
    let align = variable.align.map_or(String::new(), |n| format!(".align {n} "));
    let vector = if variable.vector > 1 { format!(".v{} ", variable.vector) } else { String::new() };
    let dimension = |d: &Option<u64>| format!("[{}]", d.map_or(String::new(), |n| n.to_string()));
    let dimensions: String = variable.dimensions.iter().map(dimension).collect();
    format!("{space}{align}{vector}.{} {}{dimensions}", variable.ty, tree.name(variable.name.symbol))
}

fn function(table: &'static isa::Table, tree: &Module, source: &Source, function: &Function) -> FunctionContents {
    let directive = |d: &ptx::ast::Directive| {
        let numbers: Vec<String> = d.arguments.iter().map(ToString::to_string).collect();
        let strings = d.strings.iter().map(|s| format!("\"{s}\""));
        let arguments: Vec<String> = numbers.into_iter().chain(strings).collect();
        format!(".{} {}", tree.name(d.name.symbol), arguments.join(", ")).trim_end().to_owned()
    };
    let mut contents = FunctionContents {
        name: tree.name(function.name.symbol).to_owned(),
        kernel: function.entry,
        parameters: function.params.iter().map(|p| declared(tree, p)).collect(),
        directives: function.directives.iter().map(directive).collect(),
        registers: BTreeMap::new(),
        shared: 0,
        local: 0,
        instructions: Vec::new(),
    };
    let mut uses: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let named: std::collections::HashSet<_> = engine::lower::mentioned(tree, function).into_iter().collect();
    let mut blocks: Vec<&Block> = function.body.iter().collect();
    while let Some(block) = blocks.pop() {
        for statement in &block.statements {
            match statement {
                Statement::Block(inner) => blocks.push(inner),
                Statement::Variable(variable) => count(&mut contents, variable),
                Statement::Instruction(instruction) => {
                    let at = instruction.opcode_span.start;
                    let entry = uses.entry(tree.opcode(instruction.opcode)).or_insert((0, at));
                    *entry = (entry.0 + 1, entry.1.min(at));
                }
                _ => {}
            }
        }
    }
    for item in &tree.items {
        if let Item::Variable(variable) = item
            && variable.space == Space::Shared
            && named.contains(&variable.name.symbol)
        {
            contents.shared += engine::program::variable_size(variable).unwrap_or(0);
        }
    }
    let one = |(opcode, (count, at)): (&str, (u32, u32))| Use {
        opcode: opcode.to_owned(),
        count,
        line: source.position(at).line,
        fidelity: fidelity(table, opcode),
    };
    contents.instructions = uses.into_iter().map(one).collect();
    contents.instructions.sort_by_key(|u| std::cmp::Reverse(u.count));
    contents
}

fn count(contents: &mut FunctionContents, variable: &Variable) {
    let size = engine::program::variable_size(variable).unwrap_or(0);
    match variable.space {
        Space::Reg => {
            let n = variable.count.unwrap_or(1) * u32::from(variable.vector.max(1));
            *contents.registers.entry(variable.ty.to_owned()).or_default() += n;
        }
        Space::Shared => contents.shared += size,
        Space::Local => contents.local += size,
        _ => {}
    }
}

/// How exact an opcode is, the least exact of its forms.
pub fn fidelity(table: &'static isa::Table, opcode: &str) -> std::result::Result<Fidelity, String> {
    match table.resolve(opcode) {
        Ok(Resolution::Pending(_)) => Ok(Fidelity::Pending),
        Ok(Resolution::Matches(matches)) => {
            let all = || matches.iter().map(isa::Match::fidelity);
            Ok(all().find(|f| *f != Fidelity::Exact).unwrap_or(Fidelity::Exact))
        }
        Err(unresolved) => Err(unresolved.message),
    }
}
