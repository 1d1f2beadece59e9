//! One instruction of LLVM in one of our encodings.

use std::collections::HashMap;

use isa::amdgpu::{Class, Content, Encoding, Field, Layout, Table, Target, Targets};

use super::operand::{self, Kind};
use super::tablegen::{Bit, Definition, Dump};
use super::target::{Features, Halves};

/// An instruction of LLVM, read.
#[derive(Clone, Debug)]
pub struct Form {
    pub mnemonic: String,
    pub encoding: usize,
    pub targets: Targets,
    pub opcode: u32,
    pub operands: Vec<Operand>,
    pub modifiers: Vec<String>,
    /// Fields that always have one value, or some bits of them: field, value, which bits.
    pub fixed: Vec<(String, u64, u64)>,
    /// Whether it is for the assembler only: another name is printed.
    pub assembler_only: bool,
    /// Whether the text has the suffix of the encoding.
    pub suffix: bool,
    /// The only size of wavefronts that it is for, if there is one.
    pub wave: Option<u8>,
    /// LLVM's name.
    pub source: String,
}

/// An operand or fixed text in the order of the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    Text(String),
    Value { name: String, kind: Kind, modifiers: &'static str },
}

/// All forms of all instructions; what was not understood is reported.
pub fn all(dump: &Dump, table: &Table, reports: &mut Vec<String>) -> Vec<Form> {
    let features = Features::new(dump, table);
    let mut names: Vec<&String> = dump.classes.get("AMDGPUInst").into_iter().flatten().collect();
    names.sort();
    let mut forms = Vec::new();
    let (mut fakes, mut unplaced) = (Vec::new(), Vec::new());
    for name in names {
        let Some(definition) = dump.definitions.get(name) else { continue };
        if !is_real(name, definition) {
            continue;
        }
        let predicates = definition.predicates.as_deref().unwrap_or(&[]);
        let (targets, mut halves, wave) = features.targets(predicates, dump);
        if name.contains("_fake16") {
            halves = Halves::Fake;
        }
        // One of them lacks its condition.
        let targets = if name.ends_with("_gfx90a") { targets.and(table.group("gfx90a+")) } else { targets };
        if targets.is_empty() {
            continue;
        }
        let mut failures = Vec::new();
        let read = read(name, definition, (targets, wave), dump, table, &mut failures);
        match read {
            Ok(read) if halves == Halves::Fake => fakes.extend(read),
            Ok(read) => forms.extend(read),
            Err(why) => reports.push(format!("{name}: {why}")),
        }
        unplaced.extend(failures);
    }
    // LLVM says of some that other targets have them too, though those have the instruction in another place.
    for (mnemonic, target, why) in unplaced {
        if !forms.iter().any(|f| f.mnemonic == mnemonic && f.targets.has(target)) {
            reports.push(format!("{mnemonic}: {why}"));
        }
    }
    let real: HashMap<(String, usize, u32), Targets> = forms.iter().fold(HashMap::new(), |mut all, f: &Form| {
        let known = all.entry((f.mnemonic.clone(), f.encoding, f.opcode)).or_insert(Targets::NONE);
        *known = known.or(f.targets);
        all
    });
    for mut fake in fakes {
        let known = real.get(&(fake.mnemonic.clone(), fake.encoding, fake.opcode)).copied().unwrap_or_default();
        fake.targets = fake.targets.without(known);
        if !fake.targets.is_empty() {
            reports.push(format!("{}: only with 16-bit registers in lower halves", fake.source));
        }
    }
    forms
}

/// Instructions that the assembler and disassembler know, but for images and pairs, which are made from tables of their own.
fn is_real(name: &str, d: &Definition) -> bool {
    let k = &d.kinds;
    let made = k.mimg.0 || k.vimage.0 || k.vsample.0 || k.vopd3.0 || d.asm.as_deref().is_some_and(|a| a.starts_with("v_dual_"));
    !name.ends_with("_gfx12_format")
        && !d.pseudo.0
        && !d.code_generation_only.0
        && !made
        && d.bits.is_some()
        && d.superclasses.iter().any(|c| c == "InstSI")
}

/// One form for each layout that the targets have.
fn read(
    name: &str,
    d: &Definition,
    (targets, wave): (Targets, Option<u8>),
    dump: &Dump,
    table: &Table,
    failures: &mut Vec<(String, Target, String)>,
) -> Result<Vec<Form>, String> {
    let bits = d.bits.as_deref().unwrap_or(&[]);
    let size = d.size.as_ref().and_then(|s| s.as_u64()).unwrap_or(0) as usize;
    let bits = bits.get(..8 * size).ok_or("more bytes than bits")?;
    let asm = d.asm.as_deref().unwrap_or("");
    let mnemonic_end = asm.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(asm.len());
    let mnemonic = asm[..mnemonic_end].trim_end_matches("_e32").trim_end_matches("_e64").to_owned();
    let mut forms: Vec<Form> = Vec::new();
    for target in targets.iter() {
        let candidates = table.encodings.iter().enumerate().filter_map(|(i, e)| Some((i, e, e.layout(target)?)));
        let mut found = None;
        let mut best = 0;
        let mut last = String::from("no encoding has so many bits");
        for (index, encoding, layout) in candidates.filter(|c| c.2.bits as usize == bits.len()) {
            match placed(bits, layout, encoding, table) {
                Ok(placed) => {
                    // The most particular encoding; of comparisons the one without a place for what they do not have.
                    let comparison = encoding.name.starts_with("vop3c") && mnemonic.starts_with("v_cmp");
                    let rank = 2 * fixed_bits(layout) + u32::from(comparison);
                    if found.as_ref().is_none_or(|(_, _, known)| rank > *known) {
                        found = Some((index, placed, rank));
                    }
                }
                Err((fit, why)) if fit > best => {
                    best = fit;
                    last = format!("{} at {}: {why}", encoding.name, table.targets[usize::from(target.0)]);
                }
                Err(_) => {}
            }
        }
        let Some((encoding, (opcode, fixed), _)) = found else {
            failures.push((mnemonic.clone(), target, format!("{name}: {last}")));
            continue;
        };
        let family = |t: Targets| t.iter().next().map(|t| Family::of(t, table));
        let known = forms.iter_mut().find(|f| {
            f.encoding == encoding && f.opcode == opcode && f.fixed == fixed && family(f.targets) == family(Targets::one(target))
        });
        match known {
            Some(form) => form.targets = form.targets.or(Targets::one(target)),
            None => {
                let family = Family::of(target, table);
                let (operands, modifiers) = text((&mnemonic, family), &asm[mnemonic_end..], d, &table.encodings[encoding], dump)?;
                let suffix = has_suffix(&asm[mnemonic.len()..], d, dump);
                let mut fixed = fixed;
                let places = |operand: &Operand| matches!(operand, Operand::Value { name, .. } if name == "sdst");
                if mnemonic.starts_with("v_cmpx")
                    && table.encodings[encoding].name.starts_with("vop3c")
                    && !operands.iter().any(places)
                {
                    // The bits are free, and LLVM's encoder names EXEC there.
                    fixed.push(("sdst".to_owned(), 0x7e, u64::MAX));
                }
                // What LLVM does not count among packed instructions has no usual bits.
                let usual = table.encodings[encoding].defaults.iter().any(|(f, _)| table.fields[usize::from(f.0)] == "op_sel_hi");
                let said = modifiers.iter().any(|m| m.starts_with("op_sel_hi")) || fixed.iter().any(|f| f.0 == "op_sel_hi");
                let accumulator = name.starts_with("V_ACCVGPR_READ") || name.starts_with("V_ACCVGPR_WRITE");
                let reused = ["$matrix_b_fmt", "$matrix_b_scale", "$matrix_b_reuse"].iter().any(|m| asm.contains(m));
                if usual && !said && (reused || !d.flag(VOP3P) && !accumulator) {
                    fixed.push(("op_sel_hi".to_owned(), 0, u64::MAX));
                }
                fixed.extend(formats(name, &modifiers));
                let targets = Targets::one(target);
                let (mnemonic, source) = (mnemonic.clone(), name.to_owned());
                forms.push(Form {
                    mnemonic,
                    encoding,
                    targets,
                    opcode,
                    operands,
                    modifiers,
                    fixed,
                    assembler_only: d.assembler_only.0 && formats(name, &[]).is_empty(),
                    suffix,
                    wave,
                    source,
                });
            }
        }
    }
    Ok(forms)
}

fn fixed_bits(layout: &Layout) -> u32 {
    layout.pieces.iter().filter(|p| matches!(p.content, Content::Fixed(_))).map(|p| u32::from(p.width)).sum()
}

type Placed = (u32, Vec<(String, u64, u64)>);

/// The opcode and the fixed fields of bits in a layout; or how many bits fit, and why not more.
fn placed(bits: &[Bit], layout: &Layout, encoding: &Encoding, table: &Table) -> Result<Placed, (usize, String)> {
    let mut opcode = 0;
    let mut fixed: Vec<(Field, u64, u64)> = Vec::new();
    let mut varied: Vec<Field> = Vec::new();
    let packed = ["vop3p", "mai", "wmma"].iter().any(|p| encoding.name.starts_with(p));
    for at in (0..bits.len()).rev() {
        let pieces = || layout.pieces.iter().filter(move |p| (usize::from(p.low)..usize::from(p.low + p.width)).contains(&at));
        let index = |p: &isa::amdgpu::Piece, from: u8| at as u8 - p.low + from;
        match &bits[at] {
            Bit::Any => {}
            Bit::Operand(name, bit) => {
                let (field, bit) = field_of(name, *bit, packed, encoding.name);
                let is = |field: &str| {
                    pieces().any(|p| match p.content {
                        Content::Field(f, from) => table.fields[usize::from(f.0)] == field && index(p, from) == bit,
                        _ => false,
                    })
                };
                let other = match field {
                    "byte_sel" => "byte_src",
                    "waitvdst" if is("wait_vdst") => "wait_vdst",
                    "waitvdst" => "wait_va_vdst",
                    other => other,
                };
                varied.extend(table.field(field));
                if !is(field) && !is(other) {
                    return Err((bits.len() - at, format!("bit {at} is {field}[{bit}] of {name}")));
                }
            }
            Bit::Fixed(value) => {
                let Some(piece) = pieces().next() else { continue };
                match piece.content {
                    Content::Ignored if *value => return Err((bits.len() - at, format!("bit {at} is 1"))),
                    Content::Ignored => {}
                    Content::Fixed(all) => {
                        if (all >> (at as u8 - piece.low) & 1 == 1) != *value {
                            return Err((bits.len() - at, format!("bit {at} is {}", u8::from(*value))));
                        }
                    }
                    Content::Field(f, from) if table.fields[usize::from(f.0)] == "op" => {
                        opcode |= u32::from(*value) << index(piece, from);
                    }
                    Content::Field(f, from) => {
                        let bit = 1u64 << index(piece, from);
                        let value = if *value { bit } else { 0 };
                        match fixed.iter_mut().find(|x| x.0 == f) {
                            Some(known) => *known = (f, known.1 | value, known.2 | bit),
                            None => fixed.push((f, value, bit)),
                        }
                    }
                }
            }
        }
    }
    let only = ["cpol", "vdst"];
    let keep = |f: &(Field, u64, u64)| {
        let name = table.fields[usize::from(f.0.0)];
        // Of a field that is otherwise free, fixed bits tell forms apart.
        let which = if varied.contains(&f.0) && only.contains(&name) { f.2 } else { u64::MAX };
        (f.1 != 0 || which != u64::MAX).then(|| (name.to_owned(), f.1, which))
    };
    let mut fixed: Vec<(String, u64, u64)> = fixed.iter().filter_map(keep).collect();
    fixed.sort();
    Ok((opcode, fixed))
}

/// Our name for a bit of one of LLVM's operands.
fn field_of<'a>(name: &'a str, bit: u8, packed: bool, encoding: &str) -> (&'a str, u8) {
    if let Some(source) = name.strip_suffix("_modifiers").and_then(|s| s.strip_prefix("src")).and_then(|s| s.parse::<u8>().ok()) {
        return match (packed, bit) {
            (true, 0) => ("neg_lo", source),
            (true, 1) => ("neg_hi", source),
            (true, 3) => ("op_sel_hi", source),
            (false, 0) => ("neg", source),
            (false, 1) => ("abs", source),
            (false, 3) => ("op_sel", 3),
            (false, 4) => ("sext", source),
            _ => ("op_sel", source),
        };
    }
    match (name, bit) {
        ("src0", 8) if encoding.ends_with("sdwa") => ("sgpr", 0),
        ("src1", 8) if encoding.ends_with("sdwa") => ("sgpr", 1),
        ("sdst", 7) if encoding.ends_with("sdwa") => ("sd", 0),
        ("sdata", _) => ("sdst", bit),
        ("waitexp", _) => ("wait_exp", bit),
        ("waitvsrc", _) => ("wait_vm_vsrc", bit),
        ("vdst" | "vdata" | "data0", 9) if encoding != "mai" => ("acc", 0),
        ("offset0", _) if encoding == "ds" => ("offset", bit),
        ("offset1", _) if encoding == "ds" => ("offset", bit + 8),
        _ => (name, bit),
    }
}

/// Operands and modifiers from the tail of an assembly string, ` $vdst, off, $src0_modifiers$clamp idxen`.
fn text(
    (mnemonic, family): (&str, Family),
    tail: &str,
    d: &Definition,
    encoding: &Encoding,
    dump: &Dump,
) -> Result<(Vec<Operand>, Vec<String>), String> {
    let kinds: HashMap<&str, &str> = [&d.outs, &d.ins]
        .into_iter()
        .flatten()
        .flat_map(|dag| &dag.args)
        .filter_map(|(value, name)| Some((name.as_deref()?, value["def"].as_str()?)))
        .collect();
    let mut tail = tail.replace(",$format $soffset", ", $soffset$format");
    while let (Some(open), Some(close)) = (tail.find('{'), tail.find('}')) {
        tail.replace_range(open..=close, "");
    }
    let parts: Vec<&str> = tail.split(", ").collect();
    let (mut operands, mut modifiers) = (Vec::new(), Vec::new());
    let count = parts.len();
    for (i, part) in parts.into_iter().enumerate() {
        // The first words of a part are operands; the first part of an export has two.
        let mut leading = true;
        for (at, word) in words(part).into_iter().enumerate() {
            let operand = match word.strip_prefix('$') {
                Some(name) => kinds.get(name.trim_end_matches("_modifiers")).is_some_and(|k| is_operand(name, k, dump)),
                None => count > 1 || ["m0", "off", "vcc"].contains(&word.as_str()),
            };
            leading &= operand && (at == 0 || i == 0 && encoding.name == "exp");
            if leading {
                operands.push(match word.strip_prefix('$') {
                    Some(name) => value(name, &kinds, dump)?,
                    None => Operand::Text(word.replace("vcc_lo", "vcc").replace("exec_lo", "exec")),
                });
            } else {
                modifiers.push(modifier((mnemonic, family), word.trim_start_matches('$'), &kinds, d));
            }
        }
    }
    implicit((mnemonic, family), encoding, &mut operands);
    Ok((operands, modifiers))
}

/// Whether the name is printed with the suffix of its encoding: LLVM leaves it out where there is no other encoding.
fn has_suffix(tail: &str, d: &Definition, dump: &Dump) -> bool {
    let first = d.outs.iter().chain(&d.ins).flat_map(|dag| &dag.args).next().and_then(|(value, _)| value["def"].as_str());
    let prints = first.and_then(|f| dump.definitions.get(f)).and_then(|f| f.print_method.as_deref());
    let by_operand = tail.starts_with('$') && matches!(prints, Some("printVOPDst" | "printVINTRPDst")) && !d.single.0;
    by_operand || tail.starts_with("_e32") || tail.starts_with("{_")
}

/// Places in `TSFlags`.
const DESTINATION: usize = 42;
const PACKED: usize = 49;
const VOP3P: usize = 12;
const WMMA: usize = 59;
const SWMMAC: usize = 63;

/// Of products of small formats, the bits of the formats with which operands are so wide: 8, 6 or 4 bits of an element.
fn formats(name: &str, modifiers: &[String]) -> Vec<(String, u64, u64)> {
    let Some((_, rest)) = name.split_once("F8F6F4_") else { return Vec::new() };
    let fields = if modifiers.iter().any(|m| m == "matrix_a_fmt") { ["matrix_a_fmt", "matrix_b_fmt"] } else { ["cbsz", "blgp"] };
    let bits = |format: &str| match format {
        "f8" => (0, 6),
        "f6" => (2, 6),
        _ => (4, 4),
    };
    let pair = |(field, format): (&str, &str)| {
        let (value, which) = bits(format);
        (field.to_owned(), value, which)
    };
    fields.into_iter().zip(rest.split('_')).map(pair).collect()
}

/// Families of targets whose text differs for the same bits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Gfx9,
    Gfx940,
    Other,
}

impl Family {
    fn of(target: Target, table: &Table) -> Family {
        match (table.group("gfx940").has(target), table.group("gfx9").has(target)) {
            (true, _) => Family::Gfx940,
            (_, true) => Family::Gfx9,
            _ => Family::Other,
        }
    }
}

/// Our name of a modifier: the immediate of `words.isa`, with its field where that is called otherwise.
fn modifier((mnemonic, family): (&str, Family), name: &str, kinds: &HashMap<&str, &str>, d: &Definition) -> String {
    let class = kinds.get(name).copied().unwrap_or("");
    let policy = match mnemonic {
        m if m.starts_with("s_") => "cpol_scalar@cpol",
        m if m.contains("_atomic_") => "cpol_atomic@cpol",
        m if m.contains("_store_") || m.contains("_wb") => "cpol_store@cpol",
        _ => "cpol_load@cpol",
    };
    match (name, class) {
        ("op_sel" | "op_sel_hi" | "neg_lo" | "neg_hi", _) => return list((mnemonic, name), kinds, d),
        ("blgp", _) if family == Family::Gfx940 && mnemonic.ends_with("f64") => "neg@blgp",
        ("src0_modifiers", _) => "op_sel",
        ("src1_modifiers", _) => "op_sel_hi",
        ("cpol", _) => policy,
        ("fi", "Dpp8FI") => "fi8@fi",
        ("offset", "Swizzle") => "swizzle@offset",
        ("offset", "flat_offset") => "flat_offset@offset",
        ("offset", "SMEMOffsetMod" | "OptSMEMOffsetMod") => "smem_offset@offset",
        ("offset0", _) => "offset0@offset",
        ("offset1", _) => "offset1@offset",
        // Of conversions from bytes, the two bits of op_sel that belong to the source hold it, the high one first.
        ("byte_sel", _) if d.bits.as_ref().is_some_and(|b| b.get(12) == Some(&Bit::Operand("byte_sel".into(), 0))) => {
            "byte_sel@byte_src"
        }
        ("waitexp", _) => "wait_exp",
        ("waitvdst", "WaitVAVDst") => "wait_va_vdst",
        ("waitvdst", _) => "wait_vdst",
        ("waitvsrc", _) => "wait_vm_vsrc",
        _ => name,
    }
    .to_owned()
}

/// `NAME/COUNT+=0@NAME`: a list of bits with what is not usual of it: how many sources it has bits for, whether it has one for the
/// destination, and that it is zero where it is not written.
fn list((mnemonic, name): (&str, &str), kinds: &HashMap<&str, &str>, d: &Definition) -> String {
    let asm = d.asm.as_deref().unwrap_or("");
    let sources = ["$src0", "$src1", "$src2"].iter().filter(|s| asm.contains(*s)).count();
    let signs = ["src0_modifiers", "src1_modifiers", "src2_modifiers"].iter().rposition(|s| kinds.contains_key(s));
    let signs = if mnemonic.starts_with("v_permlane") { 2 } else { signs.map_or(0, |s| s + 1) };
    let matrix = d.flag(WMMA) || d.flag(SWMMAC);
    let count = if matrix { 3 } else { signs };
    let packed = kinds.contains_key("op_sel_hi");
    let mut marks = String::new();
    if count != sources && count > 0 {
        marks.push_str(&format!("/{count}"));
    }
    if name == "op_sel" && !matrix {
        let usual = !packed && kinds.contains_key("vdst");
        let written = kinds.contains_key("vdst") || kinds.contains_key("sdst");
        let destination = d.flag(DESTINATION) && written && !mnemonic.starts_with("v_permlane");
        if destination != usual {
            marks.push(if destination { '+' } else { '-' });
        }
    }
    if name == "op_sel_hi" && !d.flag(PACKED) {
        marks.push_str("=0");
    }
    if marks.is_empty() { name.to_owned() } else { format!("{name}{marks}@{name}") }
}

/// Registers that the text has though LLVM's assembly string does not.
fn implicit((mnemonic, family): (&str, Family), encoding: &Encoding, operands: &mut Vec<Operand>) {
    let vcc = || Operand::Text("vcc".into());
    let written = operands.contains(&vcc());
    let short = !encoding.name.starts_with("vop3");
    let carry =
        ["v_add_co_ci_u32", "v_sub_co_ci_u32", "v_subrev_co_ci_u32", "v_addc_co_u32", "v_subb_co_u32", "v_subbrev_co_u32"];
    let no_destination = operands.iter().all(|o| !matches!(o, Operand::Value { name, .. } if name == "sdst"));
    if written || !short {
        return;
    }
    if carry.contains(&mnemonic) {
        operands.insert(1, vcc());
        operands.push(vcc());
    } else if mnemonic.starts_with("v_cndmask_") {
        operands.push(vcc());
    } else if encoding.name.starts_with("vopc") && no_destination && (mnemonic.starts_with("v_cmp_") || family != Family::Other) {
        operands.insert(0, vcc());
    }
}

/// `$a$b c` as `$a`, `$b`, `c`.
fn words(part: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in part.split_whitespace() {
        let mut rest = word;
        while let Some(at) = rest[1.min(rest.len())..].find('$') {
            words.push(rest[..=at].to_owned());
            rest = &rest[at + 1..];
        }
        words.push(rest.to_owned());
    }
    words
}

fn is_operand(name: &str, definition: &str, dump: &Dump) -> bool {
    name.ends_with("_modifiers")
        || definition == "SplitBarrier"
        || operand::kind(definition, dump).is_some()
        || SPECIAL.iter().any(|s| s.0 == definition)
}

/// Immediates in fields of their own, and the name of how they are written.
const SPECIAL: [(&str, &str); 30] = [
    ("SOPPBrTarget", "branch"),
    ("SWaitCnt", "waitcnt"),
    ("DepCtr", "depctr"),
    ("SDelayALU", "delay_alu"),
    ("SendMsg", "sendmsg"),
    ("hwreg", "hwreg"),
    ("Endpgm", "endpgm"),
    ("VersionImm", "version"),
    ("GPRIdxMode", "gpr_idx"),
    ("InterpAttr", "attribute"),
    ("InterpAttrChan", "channel"),
    ("InterpSlot", "interp_slot"),
    ("exp_tgt", "exp_tgt"),
    ("ExpSrc0", "export"),
    ("ExpSrc1", "export"),
    ("ExpSrc2", "export"),
    ("ExpSrc3", "export"),
    ("s16imm", "simm16"),
    ("u16imm", "uimm16"),
    ("i16imm", "int16"),
    ("i32imm", "int16"),
    ("S16ImmTarget", "i16"),
    ("KImmFP32", "f32"),
    ("KImmFP16", "f16"),
    ("KImmFP64", "f64"),
    ("SMEMOffset", "smem_offset"),
    ("SMRDOffset8", "smem_offset"),
    ("SMRDLiteralOffset", "smem_offset"),
    ("SAddr", "saddr"),
    ("i8imm", "u8"),
];

fn value(name: &str, kinds: &HashMap<&str, &str>, dump: &Dump) -> Result<Operand, String> {
    let bare = name.trim_end_matches("_modifiers");
    let definition = kinds.get(bare).ok_or_else(|| format!("no operand `{bare}`"))?;
    let modifiers = match kinds.get(name).filter(|_| name != bare) {
        None => "",
        Some(class) => {
            let print = dump.definitions.get(*class).and_then(|d| d.print_method.as_deref());
            if print == Some("printOperandAndIntInputMods") { "^" } else { "~" }
        }
    };
    let export = definition.starts_with("ExpSrc");
    let kind = match operand::kind(definition, dump) {
        None if *definition == "SplitBarrier" => Kind { class: Class::CONSTANT, ty: "b32".into(), half: false },
        None if bare == "imm" && *definition == "i32imm" => Kind { class: Class::K, ty: "b32".into(), half: false },
        Some(kind) if !export => kind,
        Some(kind) => Kind { ty: "export".into(), ..kind },
        None => {
            let ty = SPECIAL
                .iter()
                .find(|s| s.0 == *definition)
                .map(|s| s.1)
                .ok_or_else(|| format!("operand `{bare}` of class {definition}"))?;
            let class = if definition.starts_with("KImm") { Class::K } else { Class::IMMEDIATE };
            Kind { class, ty: ty.to_owned(), half: false }
        }
    };
    let name = if bare == "sdata" { "sdst" } else { bare };
    Ok(Operand::Value { name: name.to_owned(), kind, modifiers })
}
