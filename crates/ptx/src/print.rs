//! Tree to text in one layout.
//!
//! What is printed parses to the same tree, apart from places and comments. Constants of operands keep their spelling,
//! and so do `.file` and `.section`, since the tree knows only where they stand; all else is spelled in one way.

use crate::ast::*;
use diagnostics::Span;

const INDENT: &str = "    ";

/// Prints a module that was parsed from `source`.
pub fn print(module: &Module, source: &str) -> String {
    let mut printer = Printer { module, source, out: String::with_capacity(source.len()) };
    printer.header();
    for item in &module.items {
        printer.item(item);
    }
    printer.out
}

struct Printer<'a> {
    module: &'a Module,
    source: &'a str,
    out: String,
}

impl<'a> Printer<'a> {
    fn header(&mut self) {
        if let Some((major, minor, _)) = self.module.version {
            self.put(&format!(".version {major}.{minor}\n"));
        }
        if !self.module.targets.is_empty() {
            let targets = self.names(&self.module.targets);
            self.put(&format!(".target {targets}\n"));
        }
        if let Some((size, _)) = self.module.address_size {
            self.put(&format!(".address_size {size}\n"));
        }
        self.put("\n");
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Variable(variable) => {
                self.variable(variable);
                self.put(";\n");
            }
            Item::Function(function) => self.function(function),
            Item::Alias(alias, target) => {
                let line = format!(".alias {}, {};\n", self.name(*alias), self.name(*target));
                self.put(&line);
            }
            Item::Pragma(strings, _) => self.pragma(strings),
            Item::File(file) => {
                let text =
                    self.spelled(file.span).map_or_else(|| format!(".file {} \"{}\"", file.index, file.name), String::from);
                self.put(&text);
                self.put("\n");
            }
            Item::Section(section) => {
                self.put(section.span.text(self.source));
                self.put("\n");
            }
        }
    }

    fn function(&mut self, function: &Function) {
        self.linkage(function.linkage);
        self.put(if function.entry { ".entry " } else { ".func " });
        for attribute in &function.attributes {
            self.attribute(attribute);
        }
        if !function.returns.is_empty() {
            self.parameters(&function.returns);
            self.put(" ");
        }
        self.put(self.name(function.name));
        self.parameters(&function.params);
        self.directives(&function.directives);
        match &function.body {
            Some(body) => {
                self.put("\n");
                self.block(body, 0);
                self.put("\n\n");
            }
            None => self.put(";\n\n"),
        }
    }

    fn parameters(&mut self, parameters: &[Variable]) {
        self.put("(");
        for (index, parameter) in parameters.iter().enumerate() {
            self.put(if index == 0 { "\n" } else { ",\n" });
            self.put(INDENT);
            self.variable(parameter);
        }
        self.put(if parameters.is_empty() { ")" } else { "\n)" });
    }

    /// The directives of a function's header or a prototype, each on its line.
    fn directives(&mut self, directives: &[Directive]) {
        for directive in directives {
            let name = self.name(directive.name);
            let strings = directive.strings.iter().map(|string| format!("\"{string}\""));
            let arguments: Vec<String> = strings.chain(directive.arguments.iter().map(u64::to_string)).collect();
            let end = if name == "pragma" { ";" } else { "" };
            let space = if arguments.is_empty() { "" } else { " " };
            self.put(&format!("\n.{name}{space}{}{end}", arguments.join(", ")));
        }
    }

    fn linkage(&mut self, linkage: Linkage) {
        self.put(match linkage {
            Linkage::Internal => "",
            Linkage::Extern => ".extern ",
            Linkage::Visible => ".visible ",
            Linkage::Weak => ".weak ",
            Linkage::Common => ".common ",
        });
    }

    fn attribute(&mut self, (name, arguments): &(Name, Vec<u64>)) {
        let name = self.name(*name);
        let arguments: Vec<String> = arguments.iter().map(u64::to_string).collect();
        if arguments.is_empty() {
            self.put(&format!(".attribute(.{name}) "));
        } else {
            self.put(&format!(".attribute(.{name}({})) ", arguments.join(", ")));
        }
    }

    /// A declaration without what ends it.
    fn variable(&mut self, variable: &Variable) {
        self.linkage(variable.linkage);
        self.space(variable.space);
        for attribute in &variable.attributes {
            self.put(" ");
            self.attribute(attribute);
            self.out.pop();
        }
        if let Some(align) = variable.align {
            self.put(&format!(" .align {align}"));
        }
        if variable.vector > 1 {
            self.put(&format!(" .v{}", variable.vector));
        }
        self.put(&format!(" .{}", variable.ty));
        if let Some(pointer) = variable.pointer {
            self.pointer(pointer);
        }
        self.put(&format!(" {}", self.name(variable.name)));
        if let Some(count) = variable.count {
            self.put(&format!("<{count}>"));
        }
        for dimension in &variable.dimensions {
            self.put(&dimension.map_or("[]".to_string(), |len| format!("[{len}]")));
        }
        if let Some(init) = &variable.init {
            self.put(" = ");
            self.init(init);
        }
    }

    fn space(&mut self, space: Space) {
        let name = match space {
            Space::Reg => ".reg",
            Space::Sreg => ".sreg",
            Space::Const(None) => ".const",
            Space::Const(Some(bank)) => return self.put(&format!(".const[{bank}]")),
            Space::Global => ".global",
            Space::Local => ".local",
            Space::Param => ".param",
            Space::Shared => ".shared",
            Space::Tex => ".tex",
        };
        self.put(name);
    }

    fn pointer(&mut self, pointer: Pointer) {
        self.put(" .ptr");
        if let Some(space) = pointer.space {
            self.put(" ");
            self.space(space);
        }
        if let Some(reference) = pointer.reference {
            self.put(&format!(" .{reference}"));
        }
        if let Some(align) = pointer.align {
            self.put(&format!(" .align {align}"));
        }
    }

    fn init(&mut self, init: &Init) {
        match init {
            Init::Value(value) => self.constant(*value),
            Init::List(elements) => {
                self.put("{");
                for (index, element) in elements.iter().enumerate() {
                    self.put(if index == 0 { "" } else { ", " });
                    self.init(element);
                }
                self.put("}");
            }
            Init::Address { name, offset, generic, mask } => {
                let name = self.name(*name);
                let name = if *generic { format!("generic({name})") } else { name.to_string() };
                let address = if *offset == 0 { name } else { format!("{name}+{offset}") };
                self.put(&mask.map_or(address.clone(), |mask| format!("{mask:#x}({address})")));
            }
            Init::Masked { mask, value, .. } => self.put(&format!("{mask:#x}({value})")),
            Init::Field(name, value) => {
                self.put(&format!("{} = ", self.name(*name)));
                self.init(value);
            }
            Init::String(bytes) => self.put(&format!("\"{}\"", String::from_utf8_lossy(bytes))),
        }
    }

    fn block(&mut self, block: &Block, depth: usize) {
        self.indent(depth);
        self.put("{\n");
        for statement in &block.statements {
            self.statement(statement, depth + 1);
        }
        self.indent(depth);
        self.put("}");
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        if let Statement::Label(name) = statement {
            self.put(self.name(*name));
            return self.put(":\n");
        }
        if let Statement::Block(block) = statement {
            self.block(block, depth);
            return self.put("\n");
        }
        self.indent(depth);
        match statement {
            Statement::Variable(variable) => {
                self.variable(variable);
                self.put(";\n");
            }
            Statement::Instruction(instruction) => self.instruction(instruction),
            Statement::Loc(loc) => self.loc(loc),
            Statement::Pragma(strings, _) => self.pragma(strings),
            Statement::Prototype(prototype) => self.prototype(prototype),
            Statement::BranchTargets(label, targets) => self.targets(*label, ".branchtargets", targets),
            Statement::CallTargets(label, targets) => self.targets(*label, ".calltargets", targets),
            Statement::Label(_) | Statement::Block(_) => {}
        }
    }

    fn loc(&mut self, loc: &Loc) {
        let name = if loc.intermediate { ".loc_intermediate" } else { ".loc" };
        self.put(&format!("{name} {} {} {}", loc.file, loc.line, loc.column));
        if let (Some((label, offset)), Some((file, line, column))) = (loc.function_name, loc.inlined_at) {
            let offset = if offset == 0 { String::new() } else { format!("+{offset}") };
            let label = self.name(label);
            self.put(&format!(", function_name {label}{offset}, inlined_at {file} {line} {column}"));
        }
        self.put("\n");
    }

    fn pragma(&mut self, strings: &[Box<str>]) {
        let strings: Vec<String> = strings.iter().map(|string| format!("\"{string}\"")).collect();
        self.put(&format!(".pragma {};\n", strings.join(", ")));
    }

    fn prototype(&mut self, prototype: &Prototype) {
        self.put(&format!("{}: .callprototype ", self.name(prototype.label)));
        if !prototype.returns.is_empty() {
            self.parameters(&prototype.returns);
            self.put(" ");
        }
        self.put("_ ");
        self.parameters(&prototype.params);
        self.directives(&prototype.directives);
        self.put(";\n");
    }

    fn targets(&mut self, label: Name, directive: &str, targets: &[Name]) {
        let line = format!("{}: {directive} {};\n", self.name(label), self.names(targets));
        self.put(&line);
    }

    fn instruction(&mut self, instruction: &Instruction) {
        if let Some((predicate, negated)) = instruction.guard {
            self.put(if negated { "@!" } else { "@" });
            self.put(self.name(predicate));
            self.put(" ");
        }
        self.put(self.module.opcode(instruction.opcode));
        if instruction.operands.len > 0 {
            self.put(" ");
            self.list(instruction.operands);
        }
        self.put(";\n");
    }

    fn list(&mut self, list: List) {
        for (index, operand) in self.module.list(list).iter().enumerate() {
            self.put(if index == 0 { "" } else { ", " });
            self.operand(operand);
        }
    }

    fn enclosed(&mut self, open: &str, list: List, close: &str) {
        self.put(open);
        self.list(list);
        self.put(close);
    }

    fn operand(&mut self, operand: &Operand) {
        match operand.kind {
            OperandKind::Name(name) => self.put(self.module.name(name)),
            OperandKind::Member(name, member) => {
                self.put(self.module.name(name));
                self.put(".");
                self.put(self.module.name(member));
            }
            OperandKind::Constant(value) => match self.spelled(operand.span) {
                Some(text) => self.put(text),
                None => self.constant(value),
            },
            OperandKind::Offset(name, offset) => self.put(&format!("{}+{offset}", self.module.name(name))),
            OperandKind::Sink => self.put("_"),
            OperandKind::Pair(list) => {
                let [first, second] = self.module.list(list) else { return };
                self.operand(first);
                self.put("|");
                self.operand(second);
            }
            OperandKind::Vector(list) => self.enclosed("{", list, "}"),
            OperandKind::Parenthesised(list) => self.enclosed("(", list, ")"),
            OperandKind::Not(list) => self.enclosed("!", list, ""),
            OperandKind::Negate(list) => self.enclosed("-", list, ""),
            OperandKind::Address { base, offset } => self.address(base, offset),
            OperandKind::AddressList(list) => self.enclosed("[", list, "]"),
            OperandKind::Element(list) => {
                let [array, index] = self.module.list(list) else { return };
                self.operand(array);
                self.put("[");
                self.operand(index);
                self.put("]");
            }
            OperandKind::Unified(list) => self.enclosed("", list, ".unified"),
        }
    }

    fn address(&mut self, base: Option<Symbol>, offset: i64) {
        match base.map(|base| self.module.name(base)) {
            None => self.put(&format!("[{offset}]")),
            Some(base) if offset == 0 => self.put(&format!("[{base}]")),
            Some(base) => self.put(&format!("[{base}+{offset}]")),
        }
    }

    fn constant(&mut self, value: Constant) {
        match value {
            // Its digits alone are too great for a signed literal.
            Constant::Signed(i64::MIN) => self.put(&format!("{}-1", i64::MIN + 1)),
            Constant::Signed(value) => self.put(&value.to_string()),
            Constant::Unsigned(value) => self.put(&format!("{value}U")),
            Constant::F32(bits) => self.put(&format!("0f{bits:08x}")),
            Constant::F64(bits) => self.put(&format!("0d{bits:016x}")),
        }
    }

    /// What the source says at `span`, if that is on one line and without comments.
    fn spelled(&self, span: Span) -> Option<&'a str> {
        let text = span.text(self.source);
        (!text.is_empty() && !text.contains('\n') && !text.contains("/*")).then_some(text)
    }

    fn name(&self, name: Name) -> &'a str {
        self.module.name(name.symbol)
    }

    fn names(&self, names: &[Name]) -> String {
        names.iter().map(|name| self.name(*name)).collect::<Vec<_>>().join(", ")
    }

    fn indent(&mut self, depth: usize) {
        self.out.extend(std::iter::repeat_n(INDENT, depth));
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }
}
