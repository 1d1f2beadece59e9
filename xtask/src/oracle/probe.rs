//! Kernels of one instruction, with operands that a spelling asks for.

use isa::{Class, Limits, Match, Notation, Operand, OperandType, Part, Role, Sign, Type, Version};

use super::Point;
use super::ptxas::{KERNEL_PARAMETER, parameters};

/// A kernel of one instruction.
pub struct Probe {
    /// The kernel's body, on one line.
    pub body: String,
    /// The same with another constant, for operands that ask for a multiple of the warp size.
    pub second: Option<String>,
    /// The instruction alone, for reports.
    pub shown: String,
    /// What the instruction needs declared, and its operands: all that a body consists of but the opcode.
    pub declarations: String,
    pub operands: Vec<String>,
    /// Whether it names a sampler: only modules in independent texture mode have any (PTX ISA 9.4, 9.7.12.1).
    pub sampler: bool,
}

/// How the operands of a probe are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Index in `Form::variants`.
    variant: usize,
    /// What is not plain.
    special: Special,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Special {
    #[default]
    None,
    /// The operand of that name is a constant.
    Constant(&'static str),
    /// Every `!` and `-` that is allowed.
    Signs,
    /// `_` wherever it is allowed.
    Sinks,
    /// The selector of that number for every operand that takes one.
    Selector(usize),
    /// Second parts of pairs that may be left out.
    Pairs,
}

impl Style {
    /// The names of the operands that are written.
    pub fn names(&self, spelling: &Match) -> Vec<&'static str> {
        let variant = spelling.variants().nth(self.variant).into_iter().flatten();
        let parts = variant.flat_map(|&i| spelling.operands[i].written(self.special != Special::Pairs));
        parts.map(|p| p.name).collect()
    }

    /// Every way to write the operands that differs from the others; the plainest first.
    pub fn all(spelling: &Match) -> Vec<Style> {
        let mut styles: Vec<Style> =
            (0..spelling.variants().count()).map(|variant| Style { variant, special: Special::None }).collect();
        let mut add = |special| styles.push(Style { variant: 0, special });
        for part in spelling.parts() {
            if takes_constant(part).is_some() {
                add(Special::Constant(part.name));
            }
        }
        if spelling.parts().any(|p| p.sign != Sign::None) {
            add(Special::Signs);
        }
        if spelling.parts().any(sinks) {
            add(Special::Sinks);
        }
        let selectors = spelling.parts().filter_map(|p| p.selector).map(|s| s.0.len()).max().unwrap_or(0);
        (0..selectors).for_each(|n| add(Special::Selector(n)));
        if spelling.operands.iter().any(|o| o.notation == Notation::OptionalPair) {
            add(Special::Pairs);
        }
        styles
    }
}

/// Whether `_` may stand for a part, or for the first of several elements.
fn sinks(part: &Part) -> bool {
    part.limits.sink && !matches!(part.ty, OperandType::Vector(1, _))
}

/// The constant that may stand for an operand instead of a register.
fn takes_constant(part: &Part) -> Option<&'static str> {
    let Limits { register, immediate, .. } = part.limits;
    let OperandType::Scalar(ty) = part.ty else { return None };
    constant(ty).filter(|_| part.role == Role::Source && !register && !immediate)
}

/// The largest constant that an operand may be, where not every one may.
fn limit(part: &Part) -> Option<String> {
    part.limits.ranges.last().map(|r| r.last.to_string())
}

/// A constant of a type, if there is one.
fn constant(ty: &Type) -> Option<&'static str> {
    match ty.bits {
        _ if ty.takes_integer() => Some("1"),
        32 if ty.takes_float() => Some("0f3F800000"),
        64 if ty.takes_float() => Some("0d3FF0000000000000"),
        _ => None,
    }
}

/// The kernel of an opcode with the operands of a spelling (its own, as a rule), in a style, for a module of some version.
pub fn write(opcode: &str, spelling: &Match, style: &Style, point: Point) -> Probe {
    let (declarations, operands) = render(spelling, style, point, "1");
    let body = body(&declarations, opcode, &operands);
    let second = render(spelling, style, point, "64").1;
    let second = (second != operands).then(|| self::body(&declarations, opcode, &second));
    let sampler = spelling.parts().any(|p| p.ty.element().is_some_and(|t| t.name == "samplerref"));
    Probe { body, second, shown: instruction(opcode, &operands), declarations, operands, sampler }
}

/// A kernel's body of one instruction.
pub fn body(declarations: &str, opcode: &str, operands: &[String]) -> String {
    format!("{{ {declarations} {}; L: ret; }}", instruction(opcode, operands))
}

/// An instruction without its semicolon.
pub fn instruction(opcode: &str, operands: &[String]) -> String {
    format!("{opcode} {}", operands.join(", ")).trim_end().to_owned()
}

/// Declarations and operands, with `integer` as the constant.
fn render(spelling: &Match, style: &Style, point: Point, integer: &str) -> (String, Vec<String>) {
    let mut declarations = String::new();
    let mut operands = Vec::new();
    let variant = spelling.variants().nth(style.variant).unwrap_or(&[]);
    let chosen: Vec<&Operand> = variant.iter().map(|&i| &spelling.operands[i]).collect();
    let call = Call::of(&chosen);
    for operand in &chosen {
        let mut part = |p: &Part| match takes_constant(p) {
            Some(constant) if style.special == Special::Constant(p.name) => match constant {
                "1" => limit(p).unwrap_or_else(|| integer.to_owned()),
                other => other.to_owned(),
            },
            _ => part(p, style, point, &call, &mut declarations),
        };
        let parts: Vec<String> = match operand.notation {
            Notation::OptionalPair => operand.written(style.special != Special::Pairs).iter().map(&mut part).collect(),
            _ => operand.parts.iter().map(&mut part).collect(),
        };
        operands.push(match operand.notation {
            Notation::Plain => parts.concat(),
            Notation::Address | Notation::AddressList => format!("[{}]", parts.join(", ")),
            Notation::Pair | Notation::OptionalPair => parts.join("|"),
            Notation::Parenthesised => format!("({})", parts.join(", ")),
        });
    }
    (declarations, operands)
}

/// What a call among the operands looks like: decides which function it can name.
struct Call {
    function: &'static str,
    indirect: bool,
    result: bool,
    arguments: bool,
}

impl Call {
    fn of(operands: &[&Operand]) -> Call {
        let parts = || operands.iter().flat_map(|o| &o.parts);
        let has = |role| parts().any(|p| p.ty == OperandType::Arguments && p.role == role);
        let (result, arguments) = (has(Role::Destination), has(Role::Source));
        let function = match (result, arguments) {
            (false, false) => "f",
            (false, true) => "f_a",
            (true, false) => "f_r",
            (true, true) => "f_ra",
        };
        let listed = parts().any(|p| matches!(p.ty, OperandType::Prototype | OperandType::List));
        let indirect = listed && parts().any(|p| p.ty == OperandType::Function);
        Call { function, indirect, result, arguments }
    }

    /// `.callprototype`'s signature.
    fn prototype(&self) -> String {
        let result = if self.result { "(.param .b32 _) " } else { "" };
        let arguments = if self.arguments { "(.param .b32 _)" } else { "()" };
        format!("{result}_ {arguments}")
    }
}

/// A named part of an operand as text; what it needs is added to the declarations.
fn part(part: &Part, style: &Style, point: Point, call: &Call, declarations: &mut String) -> String {
    let name = format!("%{}_", part.name);
    let sign = match part.sign {
        Sign::Not if style.special == Special::Signs => "!",
        Sign::Minus if style.special == Special::Signs => "-",
        _ => "",
    };
    let selector = match (part.selector, &style.special) {
        (Some((words, _)), Special::Selector(n)) => isa::first_of(words[n % words.len()]),
        (Some((words, true)), _) => isa::first_of(words[0]),
        _ => String::new(),
    };
    let sinks = sinks(part) && style.special == Special::Sinks;
    match part.ty {
        OperandType::Scalar(_) if sinks || part.limits.discarded => "_".to_owned(),
        OperandType::Scalar(ty) if ty.class == Class::Opaque => ty.name.to_owned(),
        OperandType::Scalar(_) if part.limits.immediate => part.limits.example().to_string(),
        OperandType::Scalar(ty) => {
            declare(declarations, register(ty, part.limits), &name);
            format!("{sign}{name}{selector}")
        }
        OperandType::Vector(n, ty) => {
            let names: Vec<String> = (0..n).map(|i| format!("{name}{i}")).collect();
            names.iter().for_each(|n| declare(declarations, register(ty, part.limits), n));
            let first = if sinks { "_" } else { &names[0] };
            format!("{{{}}}", [&[first], &names[1..].iter().map(String::as_str).collect::<Vec<_>>()[..]].concat().join(", "))
        }
        OperandType::Address(space) => address(space, part.limits, &name, point, declarations),
        OperandType::Label => "L".to_owned(),
        OperandType::Function if call.indirect => {
            declare(declarations, "u64", &name);
            name
        }
        OperandType::Function => call.function.to_owned(),
        OperandType::Prototype => {
            *declarations += &format!("P: .callprototype {};", call.prototype());
            "P".to_owned()
        }
        OperandType::List => {
            *declarations += &match call.indirect {
                true => format!("T: .calltargets {};", call.function),
                false => "T: .branchtargets L;".to_owned(),
            };
            "T".to_owned()
        }
        OperandType::Variable => "v".to_owned(),
        OperandType::Arguments => {
            let space = if parameters(point) { ".param" } else { ".reg" };
            *declarations += &format!("{space} .b32 {}_p;", part.name);
            format!("{}_p", part.name)
        }
    }
}

/// An address: parameters have names, everything else may be in a register.
fn address(space: Option<&str>, limits: Limits, name: &str, point: Point, declarations: &mut String) -> String {
    // A parameter of a call has no address, which is what is taken where other instructions are made of one.
    let parameter = space.is_some_and(|s| s.starts_with(".param"));
    if space == Some(".param::entry") || (parameter && limits.expanded) {
        return KERNEL_PARAMETER.to_owned();
    }
    if parameter && parameters(point) {
        *declarations += ".param .align 16 .b8 q[64];";
        return "q".to_owned();
    }
    let wide = point.version >= Version(2, 3);
    declare(declarations, if wide { "u64" } else { "u32" }, name);
    name.to_owned()
}

fn declare(declarations: &mut String, ty: &str, name: &str) {
    *declarations += &format!(".reg .{ty} {name};");
}

/// The type of a register that holds a value of `ty`.
fn register(ty: &Type, limits: Limits) -> &'static str {
    match ty.registers.last() {
        Some(register) => register,
        None if limits.wider && ty.bits < 16 => "b16",
        None => ty.name,
    }
}
