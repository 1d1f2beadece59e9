//! LLVM's operand classes in the words of the records.

use isa::amdgpu::Class;

use super::tablegen::Dump;

/// What an operand can be, and its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    pub class: Class,
    pub ty: String,
    /// Whether a register of 16 bits is half of one.
    pub half: bool,
}

/// The kind of an operand by the name of its definition.
pub fn kind(name: &str, dump: &Dump) -> Option<Kind> {
    let definition = dump.definitions.get(name);
    let register = definition.and_then(|d| d.register_class.as_ref()).and_then(|c| c["def"].as_str()).unwrap_or(name);
    let operand_type = definition.and_then(|d| d.operand_type.as_deref()).unwrap_or("");
    let (base, bits, limits) = register_class(register)?;
    let constants = constants(operand_type);
    let class = match (&constants, operand_type) {
        (Some(_), t) if t.contains("NOINLINE") => base.or(Class::LITERAL),
        (Some(_), t) if t.contains("_REG_IMM_") => base.or(Class::CONSTANT).or(Class::LITERAL),
        (Some(_), _) => base.or(Class::CONSTANT),
        (None, _) => base,
    };
    let ty = match constants {
        Some(ty) if width(ty) == bits || bits == 0 || bits == 32 && width(ty) == 16 => ty.to_owned(),
        Some(ty) => format!("{}x{}", ty.split('x').next()?, bits / element(ty)),
        None if bits == 0 => "mask".to_owned(),
        None => format!("b{bits}"),
    };
    Some(Kind { class: class.or(limits), half: bits == 16, ty })
}

fn element(ty: &str) -> u32 {
    let digits = ty.split('x').next().unwrap_or("").trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().unwrap_or(32)
}

fn width(ty: &str) -> u32 {
    let (_, lanes) = ty.split_once('x').unwrap_or((ty, "1"));
    element(ty) * lanes.parse::<u32>().unwrap_or(1)
}

/// The type in which constants are read, by `OperandType`.
fn constants(operand_type: &str) -> Option<&'static str> {
    let rest = operand_type.strip_prefix("OPERAND_REG_")?;
    let rest =
        rest.strip_prefix("IMM_").or_else(|| rest.strip_prefix("INLINE_C_")).or_else(|| rest.strip_prefix("INLINE_AC_"))?;
    Some(match rest {
        "INT16" => "b16",
        "FP16" => "f16",
        "BF16" => "bf16",
        "INT32" => "b32",
        "FP32" => "f32",
        "INT64" => "b64",
        "FP64" => "f64",
        "V2INT16" => "b16x2",
        "V2FP16" | "V2FP16_SPLAT" | "NOINLINE_V2FP16" => "f16x2",
        "V2BF16" => "bf16x2",
        "V2INT32" => "b32x2",
        "V2FP32" => "f32x2",
        _ => return None,
    })
}

/// Kind of register, bits (0: as wide as the wavefront), and what is excluded.
fn register_class(name: &str) -> Option<(Class, u32, Class)> {
    let mut limits = Class(0);
    for (part, limit) in [("_XM0", Class::NOT_M0), ("_XEXEC", Class::NOT_EXEC), ("_XNULL", Class::NOT_NULL)] {
        if name.contains(part) {
            limits = limits.or(limit);
        }
    }
    if name.contains("Lo128") {
        limits = limits.or(Class::NOT_HIGH);
    }
    if name.contains("Align1") {
        limits = limits.or(Class::ALIGNED);
    }
    if name == "SReg_1" || name == "SReg_1_XEXEC" {
        return Some((Class::S, 0, limits));
    }
    let bits = name.split('_').find_map(|part| part.parse().ok())?;
    let start = name.split('_').next()?;
    let class = match start {
        "VGPR" | "VReg" => Class::V,
        "AGPR" | "AReg" => Class::A,
        "AV" => Class::V.or(Class::A),
        "SReg" | "SGPR" | "TTMP" => Class::S,
        "VS" => Class::V.or(Class::S),
        "VRegOrLds" => Class::V.or(Class::LDS),
        "SRegOrLds" => Class::S.or(Class::LDS),
        _ => return None,
    };
    Some((class, bits, limits))
}
