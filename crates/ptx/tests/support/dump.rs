//! The tree as compact text: everything but places and comments, one statement a line, so that two trees are the same if
//! their dumps are.

use ptx::ast::*;
use std::fmt::Write;

/// The dump of a module.
pub fn dump(module: &Module) -> String {
    let mut out = String::new();
    if let Some((major, minor, _)) = module.version {
        let _ = writeln!(out, "version {major}.{minor}");
    }
    if !module.targets.is_empty() {
        let _ = writeln!(out, "target {}", names(module, &module.targets));
    }
    if let Some((size, _)) = module.address_size {
        let _ = writeln!(out, "address_size {size}");
    }
    for item in &module.items {
        self::item(module, item, &mut out);
    }
    out
}

fn item(module: &Module, item: &Item, out: &mut String) {
    let line = match item {
        Item::Variable(one) => variable(module, one),
        Item::Function(one) => return function(module, one, out),
        Item::Alias(alias, target) => format!("alias {} {}", name(module, alias), name(module, target)),
        Item::Pragma(strings, _) => format!("pragma {strings:?}"),
        Item::File(file) => format!("file {} {:?}", file.index, file.name),
        Item::Section(section) => {
            format!("section {} of {} bytes", name(module, &section.name), section.span.end - section.span.start)
        }
    };
    let _ = writeln!(out, "{line}");
}

fn function(module: &Module, function: &Function, out: &mut String) {
    let kind = if function.entry { "entry" } else { "func" };
    let attributes = attributes(module, &function.attributes);
    let _ = writeln!(out, "{}{kind} {}{attributes}", linkage(function.linkage), name(module, &function.name));
    signature(module, &function.returns, &function.params, &function.directives, "  ", out);
    match &function.body {
        Some(body) => block(module, body, "  ", out),
        None => out.push_str("  declared\n"),
    }
}

fn signature(module: &Module, returns: &[Variable], params: &[Variable], tuning: &[Directive], indent: &str, out: &mut String) {
    for one in returns {
        let _ = writeln!(out, "{indent}returns {}", variable(module, one));
    }
    for one in params {
        let _ = writeln!(out, "{indent}takes {}", variable(module, one));
    }
    for one in tuning {
        let _ = write!(out, "{indent}.{}", name(module, &one.name));
        one.arguments.iter().for_each(|argument| out.push_str(&format!(" {argument}")));
        one.strings.iter().for_each(|string| out.push_str(&format!(" {string:?}")));
        out.push('\n');
    }
}

fn block(module: &Module, block: &Block, indent: &str, out: &mut String) {
    let inner = format!("{indent}  ");
    let _ = writeln!(out, "{indent}{{");
    for statement in &block.statements {
        let line = match statement {
            Statement::Block(nested) => {
                self::block(module, nested, &inner, out);
                continue;
            }
            Statement::Label(label) => format!("label {}", name(module, label)),
            Statement::Variable(one) => variable(module, one),
            Statement::Instruction(one) => instruction(module, one),
            Statement::Loc(one) => loc(module, one),
            Statement::Pragma(strings, _) => format!("pragma {strings:?}"),
            Statement::Prototype(one) => {
                let _ = writeln!(out, "{inner}prototype {}", name(module, &one.label));
                signature(module, &one.returns, &one.params, &one.directives, &format!("{inner}  "), out);
                continue;
            }
            Statement::BranchTargets(label, targets) => {
                format!("branchtargets {}: {}", name(module, label), names(module, targets))
            }
            Statement::CallTargets(label, targets) => format!("calltargets {}: {}", name(module, label), names(module, targets)),
        };
        let _ = writeln!(out, "{inner}{line}");
    }
    let _ = writeln!(out, "{indent}}}");
}

fn loc(module: &Module, loc: &Loc) -> String {
    let mut text = format!("loc {} {} {}", loc.file, loc.line, loc.column);
    if loc.intermediate {
        text.push_str(" intermediate");
    }
    if let Some((label, offset)) = &loc.function_name {
        let _ = write!(text, " function {}+{offset}", name(module, label));
    }
    if let Some((file, line, column)) = loc.inlined_at {
        let _ = write!(text, " inlined at {file} {line} {column}");
    }
    text
}

fn variable(module: &Module, variable: &Variable) -> String {
    let mut text = linkage(variable.linkage).to_string();
    text.push_str(&space(variable.space));
    if let Some(align) = variable.align {
        let _ = write!(text, " align={align}");
    }
    if variable.vector != 1 {
        let _ = write!(text, " v{}", variable.vector);
    }
    let _ = write!(text, " {} {}", variable.ty, name(module, &variable.name));
    if let Some(count) = variable.count {
        let _ = write!(text, "<{count}>");
    }
    for dimension in &variable.dimensions {
        let _ = write!(text, "[{}]", dimension.map_or(String::new(), |len| len.to_string()));
    }
    if let Some(pointer) = variable.pointer {
        let to = pointer.space.map_or_else(|| pointer.reference.unwrap_or("generic").to_string(), space);
        let align = pointer.align.map_or(String::new(), |align| format!(" align={align}"));
        let _ = write!(text, " (pointer {to}{align})");
    }
    text.push_str(&attributes(module, &variable.attributes));
    if let Some(init) = &variable.init {
        let _ = write!(text, " = {}", self::init(module, init));
    }
    text
}

fn attributes(module: &Module, attributes: &[(Name, Vec<u64>)]) -> String {
    attributes.iter().map(|(attribute, arguments)| format!(" ({}{arguments:?})", name(module, attribute))).collect()
}

fn init(module: &Module, init: &Init) -> String {
    match init {
        Init::Value(value) => constant(*value),
        Init::List(elements) => {
            let elements: Vec<String> = elements.iter().map(|element| self::init(module, element)).collect();
            format!("{{{}}}", elements.join(" "))
        }
        Init::Address { name: of, offset, generic, mask } => {
            let generic = if *generic { "generic " } else { "" };
            let mask = mask.map_or(String::new(), |mask| format!(" mask={mask:#x}"));
            format!("(address {generic}{} {offset}{mask})", name(module, of))
        }
        Init::Masked { mask, value, .. } => format!("(mask {mask:#x} {value})"),
        Init::Field(field, value) => format!("({} {})", name(module, field), self::init(module, value)),
        Init::String(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
    }
}

fn instruction(module: &Module, instruction: &Instruction) -> String {
    let guard = match &instruction.guard {
        Some((predicate, true)) => format!("@!{} ", name(module, predicate)),
        Some((predicate, false)) => format!("@{} ", name(module, predicate)),
        None => String::new(),
    };
    let operands = list(module, instruction.operands);
    let space = if operands.is_empty() { "" } else { "  " };
    format!("{guard}{}{space}{operands}", module.opcode(instruction.opcode))
}

fn list(module: &Module, list: List) -> String {
    module.list(list).iter().map(|one| operand(module, one)).collect::<Vec<_>>().join(" ")
}

fn operand(module: &Module, operand: &Operand) -> String {
    let list = |list| self::list(module, list);
    match operand.kind {
        OperandKind::Name(name) => module.name(name).to_string(),
        OperandKind::Member(name, member) => format!("(member {} {})", module.name(name), module.name(member)),
        OperandKind::Constant(value) => constant(value),
        OperandKind::Offset(name, offset) => format!("(offset {} {offset})", module.name(name)),
        OperandKind::Sink => "_".to_string(),
        OperandKind::Pair(both) => format!("(pair {})", list(both)),
        OperandKind::Vector(elements) => format!("{{{}}}", list(elements)),
        OperandKind::Parenthesised(arguments) => format!("({})", list(arguments)),
        OperandKind::Not(one) => format!("(not {})", list(one)),
        OperandKind::Negate(one) => format!("(negate {})", list(one)),
        OperandKind::Address { base: None, offset } => format!("[{offset}]"),
        OperandKind::Address { base: Some(base), offset } => format!("[{} {offset}]", module.name(base)),
        OperandKind::AddressList(elements) => format!("[list {}]", list(elements)),
        OperandKind::Element(both) => format!("(element {})", list(both)),
        OperandKind::Unified(one) => format!("(unified {})", list(one)),
    }
}

/// `5`, `5U`, `f32:3f800000`, `f64:...`: the kind is told by the spelling.
fn constant(value: Constant) -> String {
    match value {
        Constant::Signed(value) => value.to_string(),
        Constant::Unsigned(value) => format!("{value}U"),
        Constant::F32(bits) => format!("f32:{bits:08x}"),
        Constant::F64(bits) => format!("f64:{bits:016x}"),
    }
}

fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::Internal => "",
        Linkage::Extern => "extern ",
        Linkage::Visible => "visible ",
        Linkage::Weak => "weak ",
        Linkage::Common => "common ",
    }
}

fn space(space: Space) -> String {
    match space {
        Space::Const(Some(bank)) => format!("const[{bank}]"),
        Space::Const(None) => "const".to_string(),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn name<'a>(module: &'a Module, name: &Name) -> &'a str {
    module.name(name.symbol)
}

fn names(module: &Module, names: &[Name]) -> String {
    names.iter().map(|one| name(module, one)).collect::<Vec<_>>().join(" ")
}
