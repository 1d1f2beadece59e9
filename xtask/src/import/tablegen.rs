//! What `llvm-tblgen --dump-json` says of AMD's instructions, reduced to what records are made of.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, de};

/// Everything that is kept.
#[derive(Default)]
pub struct Dump {
    /// Definitions by name.
    pub definitions: HashMap<String, Definition>,
    /// Names of definitions by class.
    pub classes: HashMap<String, Vec<String>>,
}

/// The fields of a definition that anything here reads; absent ones are empty.
#[derive(Default, Deserialize)]
pub struct Definition {
    #[serde(rename = "!superclasses", default)]
    pub superclasses: Vec<String>,
    #[serde(rename = "AsmString", default)]
    pub asm: Option<String>,
    #[serde(rename = "isPseudo", default)]
    pub pseudo: Flag,
    #[serde(rename = "isCodeGenOnly", default)]
    pub code_generation_only: Flag,
    #[serde(rename = "Inst", default)]
    pub bits: Option<Vec<Bit>>,
    #[serde(rename = "isAsmParserOnly", default)]
    pub assembler_only: Flag,
    /// Bits that LLVM keeps of every instruction; a real one has those of what it stands for.
    #[serde(rename = "TSFlags", default)]
    pub flags: Vec<Flag>,
    #[serde(rename = "IsSingle", default)]
    pub single: Flag,
    #[serde(rename = "Size", default)]
    pub size: Option<serde_json::Value>,
    #[serde(rename = "OutOperandList", default)]
    pub outs: Option<Dag>,
    #[serde(rename = "InOperandList", default)]
    pub ins: Option<Dag>,
    #[serde(rename = "Predicates", default)]
    pub predicates: Option<Vec<Named>>,
    #[serde(rename = "AssemblerCondDag", default)]
    pub condition: Option<Dag>,
    #[serde(rename = "Features", default)]
    pub features: Option<Vec<Named>>,
    #[serde(rename = "Implies", default)]
    pub implies: Option<Vec<Named>>,
    #[serde(rename = "Name", default)]
    pub name: Option<serde_json::Value>,
    #[serde(rename = "RegClass", default)]
    pub register_class: Option<serde_json::Value>,
    #[serde(rename = "OperandType", default)]
    pub operand_type: Option<String>,
    #[serde(rename = "PrintMethod", default)]
    pub print_method: Option<String>,
    #[serde(rename = "FromMnemonic", default)]
    pub from: Option<String>,
    #[serde(rename = "ToMnemonic", default)]
    pub to: Option<String>,
    #[serde(flatten)]
    pub kinds: Kinds,
    #[serde(flatten)]
    pub widths: Widths,
}

/// Flags of instructions that are made from tables of their own.
#[derive(Default, Deserialize)]
pub struct Kinds {
    #[serde(rename = "MIMG", default)]
    pub mimg: Flag,
    #[serde(rename = "VIMAGE", default)]
    pub vimage: Flag,
    #[serde(rename = "VSAMPLE", default)]
    pub vsample: Flag,
    #[serde(rename = "VOPD3", default)]
    pub vopd3: Flag,
}

/// What tables of images and pairs have of a definition.
#[derive(Default, Deserialize)]
pub struct Widths {
    #[serde(rename = "MIMGEncoding", default)]
    pub image: Option<serde_json::Value>,
    #[serde(rename = "VDataDwords", default)]
    pub data: Option<serde_json::Value>,
    #[serde(rename = "VAddrDwords", default)]
    pub address: Option<serde_json::Value>,
    #[serde(rename = "OpX", default)]
    pub first: Option<serde_json::Value>,
    #[serde(rename = "OpY", default)]
    pub second: Option<serde_json::Value>,
}

/// A number that is given bit by bit, the lowest first.
pub fn number(bits: &Option<serde_json::Value>) -> Option<u32> {
    let bits = bits.as_ref()?.as_array()?;
    Some(bits.iter().take(32).enumerate().fold(0, |all, (i, bit)| all | (u32::from(bit.as_u64() == Some(1)) << i)))
}

/// A bit of a definition that may be unset.
#[derive(Clone, Copy, Default)]
pub struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(d)?;
        Ok(Flag(value.as_u64() == Some(1)))
    }
}

/// A reference to another definition.
#[derive(Clone, Deserialize)]
pub struct Named {
    pub def: String,
}

/// `(operator arg:$name, ...)`.
#[derive(Clone, Deserialize)]
pub struct Dag {
    pub operator: Named,
    pub args: Vec<(serde_json::Value, Option<String>)>,
}

/// One bit of an encoding.
#[derive(Clone, Debug, PartialEq)]
pub enum Bit {
    Any,
    Fixed(bool),
    /// A bit of an operand.
    Operand(String, u8),
}

impl<'de> Deserialize<'de> for Bit {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(d)?;
        Ok(match &value {
            serde_json::Value::Null => Bit::Any,
            serde_json::Value::Number(n) => Bit::Fixed(n.as_u64() == Some(1)),
            object => match (object["var"].as_str(), object["index"].as_u64()) {
                // Offsets of the encoding that has none are zero.
                (Some("Offset" | "SOffsetEn"), _) => Bit::Any,
                (Some(name), Some(index)) => Bit::Operand(name.to_owned(), index as u8),
                _ => printed(object["printable"].as_str().unwrap_or(""))
                    .ok_or_else(|| de::Error::custom("a bit of unknown kind"))?,
            },
        })
    }
}

/// Bits that are given by an expression. Only the offsets of scalar memory on gfx8 and gfx9 are: which of two offset fields is
/// used there is what makes the shapes of that encoding.
fn printed(text: &str) -> Option<Bit> {
    if text.starts_with("!if(!and(IsGFX9SpecificEncoding") {
        return Some(Bit::Any);
    }
    let name = text.split(['{', '[']).next()?;
    match name {
        "SOffsetEn" | "Offset" => Some(Bit::Any),
        _ => Some(Bit::Operand(name.to_owned(), 0)),
    }
}

impl Definition {
    /// One of the bits of `TSFlags`, by its place in SIInstrFormats.td.
    pub fn flag(&self, bit: usize) -> bool {
        self.flags.get(bit).is_some_and(|f| f.0)
    }
}

const KEPT: [&str; 9] = [
    "AMDGPUInst",
    "Predicate",
    "SubtargetFeature",
    "ProcessorModel",
    "RegisterOperand",
    "Operand",
    "RegisterClass",
    "RegisterClassLike",
    "MnemonicAlias",
];

/// Reads a dump; only definitions of the kept classes are held in memory.
pub fn read(path: &Path) -> Result<Dump, String> {
    let wrong = |e: &dyn std::fmt::Display| format!("cannot read {}: {e}", path.display());
    let file = File::open(path).map_err(|e| wrong(&e))?;
    // The index of classes stands first, so what follows is known to be kept or not.
    let mut reader = serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 20, file));
    (&mut reader).deserialize_map(Top).map_err(|e| wrong(&e))
}

struct Top;

impl<'de> Visitor<'de> for Top {
    type Value = Dump;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("the object that llvm-tblgen --dump-json writes")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Dump, A::Error> {
        let mut dump = Dump::default();
        let mut kept: HashSet<String> = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == "!instanceof" {
                let classes: HashMap<String, Vec<String>> = map.next_value()?;
                dump.classes = classes.into_iter().filter(|(class, _)| KEPT.contains(&class.as_str())).collect();
                kept = dump.classes.values().flatten().cloned().collect();
            } else if kept.contains(&key) {
                dump.definitions.insert(key, map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(dump)
    }
}
