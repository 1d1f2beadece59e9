//! Forms of one mnemonic as a record.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use isa::amdgpu::{Class, Encoding, Number, Table, Target, Targets, Type};

use super::form::{Form, Operand};
use super::tablegen::Dump;
use super::target::Features;

/// Forms that differ in their targets and opcodes only.
struct Line {
    encoding: usize,
    opcodes: Vec<(u32, Targets)>,
    operands: Vec<Operand>,
    modifiers: Vec<String>,
    fixed: Vec<(String, u64, u64)>,
    suffix: bool,
    assembler_only: bool,
    wave: Option<u8>,
}

/// Writes the records, one file a family of encodings. What people wrote (titles, functional groups, notes, doubts) is kept.
pub fn write(forms: &[Form], dump: &Dump, table: &Table, folder: &Path) -> Result<(), String> {
    let mut records: BTreeMap<&str, Vec<Line>> = BTreeMap::new();
    let forms = refined(forms, table);
    for form in &forms {
        merge(records.entry(form.mnemonic.as_str()).or_default(), form);
    }
    let aliases = aliases(dump, table);
    let mut files: BTreeMap<&str, String> = BTreeMap::new();
    for (name, mut lines) in records {
        lines.sort_by_key(|l| (l.encoding, l.opcodes.first().map(|o| o.1.0.trailing_zeros()), l.operands.len()));
        let Some(first) = lines.first() else { continue };
        let file = file(table.encodings[first.encoding].name);
        let text = record(name, &lines, table, aliases.get(name).map_or(&[], |a| a));
        let all = files.entry(file).or_default();
        all.push_str(&text);
        all.push('\n');
    }
    for (file, text) in files {
        let path = folder.join(file).with_extension("isa");
        let head = format!("# {}\n\n", heading(file));
        fs::write(&path, head + text.trim_end() + "\n").map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    }
    Ok(())
}

/// Types by what a name says: LLVM has but `b32` for a register that holds no constant.
fn refined(forms: &[Form], table: &Table) -> Vec<Form> {
    let mut halves: HashMap<(&str, &str), bool> = HashMap::new();
    for form in forms {
        for operand in &form.operands {
            if let Operand::Value { name, kind, .. } = operand {
                *halves.entry((&form.mnemonic, name)).or_default() |= kind.half;
            }
        }
    }
    let refine = |form: &Form| {
        let mut form = form.clone();
        let half_targets = table.encodings[form.encoding].halves;
        let types: Vec<&str> =
            form.mnemonic.split('_').filter(|w| Type::parse(Box::leak(w.to_string().into())).number != Number::Special).collect();
        for operand in &mut form.operands {
            let Operand::Value { name, kind, .. } = operand else { continue };
            let ty = Type::parse(Box::leak(kind.ty.clone().into_boxed_str()));
            if ty.number != Number::Bits || kind.class.has(Class::IMMEDIATE) || kind.class.has(Class::K) {
                continue;
            }
            let word = if name.contains("dst") { types.first() } else { types.last() };
            let Some(word) = word else { continue };
            let named = Type::parse(Box::leak(word.to_string().into()));
            let float = matches!(named.number, Number::Float | Number::BFloat);
            let constants = kind.class.has(Class::CONSTANT);
            let narrowed = ty.total() == 32
                && named.total() == 16
                && !constants
                && form.targets.and(half_targets).is_empty()
                && halves.get(&(form.mnemonic.as_str(), name.as_str())) == Some(&true);
            if (named.total() == ty.total() || narrowed) && !(float && constants) {
                kind.ty = (*word).to_owned();
            }
        }
        form
    };
    forms.iter().map(refine).collect()
}

fn merge(lines: &mut Vec<Line>, form: &Form) {
    let same = lines.iter_mut().find(|l| {
        l.encoding == form.encoding
            && l.operands == form.operands
            && l.modifiers == form.modifiers
            && l.fixed == form.fixed
            && l.suffix == form.suffix
            && l.assembler_only == form.assembler_only
    });
    match same {
        Some(line) => {
            if line.wave != form.wave {
                line.wave = None;
            }
            match line.opcodes.iter_mut().find(|o| o.0 == form.opcode) {
                Some(known) => known.1 = known.1.or(form.targets),
                None => line.opcodes.push((form.opcode, form.targets)),
            }
        }
        None => lines.push(Line {
            encoding: form.encoding,
            opcodes: vec![(form.opcode, form.targets)],
            operands: form.operands.clone(),
            modifiers: form.modifiers.clone(),
            fixed: form.fixed.clone(),
            suffix: form.suffix,
            assembler_only: form.assembler_only,
            wave: form.wave,
        }),
    }
}

const FILES: [(&str, &[&str], &str); 10] = [
    ("sop", &["sop1", "sop2", "sop2k", "sopc", "sopk", "sopkk", "sopp"], "Scalar instructions and program control."),
    ("smem", &["smem", "smemr"], "Scalar memory."),
    ("vop1", &["vop1", "vop1dpp", "vop1dpp8", "vop1sdwa"], "Vector instructions with one source."),
    ("vop2", &["vop2", "vop2k", "vop2k64", "vop2dpp", "vop2dpp8", "vop2sdwa"], "Vector instructions with two sources."),
    ("vopc", &["vopc", "vopcdpp", "vopcdpp8", "vopcsdwa", "vop3c"], "Vector comparisons."),
    ("vop3p", &["vop3p", "mai", "maix", "wmmax"], "Packed, dot-product and matrix instructions."),
    ("ds", &["ds", "gws", "ldsdir"], "Local and global data share."),
    ("flat", &["flat", "scratch", "global", "tensor"], "Flat, global and private memory."),
    ("buffer", &["mubuf", "mtbuf"], "Memory through buffer descriptors."),
    ("graphics", &["exp", "vintrp", "vinterp", "vop3interp"], "Export and interpolation."),
];

fn file(encoding: &str) -> &'static str {
    FILES.iter().find(|f| f.1.contains(&encoding)).map_or("vop3", |f| f.0)
}

fn heading(file: &str) -> &'static str {
    FILES.iter().find(|f| f.0 == file).map_or("Vector instructions with up to three sources.", |f| f.2)
}

fn record(name: &str, lines: &[Line], table: &Table, aliases: &[(String, Targets)]) -> String {
    let known = table.instructions.iter().find(|i| i.name == name);
    let mut out = format!("instr {name}\n");
    let title = known.map_or(name, |k| k.title);
    let _ = writeln!(out, "  title   {title}");
    if let Some((group, _)) = known.and_then(|k| k.group).and_then(|g| table.functional_groups.get(g)) {
        let _ = writeln!(out, "  group   {group}");
    }
    let base = base(lines, table);
    if !base.is_empty() {
        let _ = writeln!(out, "  args    {}", base.iter().map(|b| b.1.as_str()).collect::<Vec<_>>().join(" "));
    }
    let mut modifiers: Vec<&str> = Vec::new();
    for line in lines {
        let always = |m: &str| table.encodings[line.encoding].modifiers.iter().any(|e| e.strip_suffix('*') == Some(m));
        for modifier in line.modifiers.iter().map(String::as_str).filter(|m| !always(m)) {
            if !modifiers.contains(&modifier) {
                modifiers.push(modifier);
            }
        }
    }
    modifiers.sort_unstable();
    if !modifiers.is_empty() {
        let _ = writeln!(out, "  mods    {}", modifiers.join(" "));
    }
    for line in lines {
        let encoding = &table.encodings[line.encoding];
        let mut opcodes = line.opcodes.clone();
        opcodes.sort_by_key(|o| o.1.0.trailing_zeros());
        let opcodes: Vec<String> = opcodes.iter().map(|(op, t)| format!("{} 0x{op:02x}", targets(*t, table))).collect();
        let short = lines.iter().any(|l| ["vop1", "vop2", "vopc"].contains(&table.encodings[l.encoding].name));
        let own = own(name, line, &base, &modifiers, short, table);
        let _ = write!(out, "  {:<7} {}", encoding.name, opcodes.join(", "));
        if !own.is_empty() {
            let _ = write!(out, " | {own}");
        }
        out.push('\n');
    }
    for (alias, set) in aliases {
        let _ = writeln!(out, "  alias   {alias} {}", targets(*set, table));
    }
    for (key, values) in known.map(|k| [("doubt", &k.doubt), ("note", &k.note)]).into_iter().flatten() {
        values.iter().for_each(|v| {
            let _ = writeln!(out, "  {key:<7} {v}");
        });
    }
    out.push_str("  src     LLVM 22 TableGen\n");
    out
}

/// The modifiers of each encoding in an order that agrees with every form, for whoever writes `mods` there.
pub fn orders(forms: &[Form], table: &Table) -> Vec<String> {
    let mut out = Vec::new();
    for (index, encoding) in table.encodings.iter().enumerate() {
        let lists: Vec<&[String]> = forms.iter().filter(|f| f.encoding == index).map(|f| f.modifiers.as_slice()).collect();
        let mut all: Vec<&str> = lists.iter().copied().flatten().map(String::as_str).collect();
        all.sort_unstable();
        all.dedup();
        let mut order: Vec<String> = Vec::new();
        while !all.is_empty() {
            let before = |a: &str, b: &str| {
                lists.iter().any(|l| {
                    let at = |m: &str| l.iter().position(|x| x == m);
                    matches!((at(a), at(b)), (Some(x), Some(y)) if x < y)
                })
            };
            let next = (0..all.len()).find(|&i| !all.iter().any(|m| *m != all[i] && before(m, all[i]))).unwrap_or(0);
            let name = all.remove(next);
            let always = lists.iter().all(|l| l.iter().any(|m| m == name));
            order.push(format!("{name}{}", if always { "*" } else { "" }));
        }
        if !order.is_empty() {
            out.push(format!("{}: mods    {}", encoding.name, order.join(" ")));
        }
    }
    out
}

/// Operands of most forms, by name: what each form is described against.
fn base(lines: &[Line], table: &Table) -> Vec<(String, String)> {
    let mut counts: Vec<(Vec<(String, String)>, usize)> = Vec::new();
    for line in lines {
        let list: Vec<(String, String)> = line
            .operands
            .iter()
            .map(|o| match o {
                Operand::Text(t) => (format!("={t}"), format!("={t}")),
                Operand::Value { .. } => {
                    let (name, token) = token(o, line, table);
                    (name, token)
                }
            })
            .collect();
        let weight = 1 + line.opcodes.iter().map(|o| o.1.0.count_ones() as usize).sum::<usize>();
        match counts.iter_mut().find(|c| c.0 == list) {
            Some(known) => known.1 += weight,
            None => counts.push((list, weight)),
        }
    }
    counts.into_iter().max_by_key(|c| (c.1, c.0.len())).map(|c| c.0).unwrap_or_default()
}

/// Name, and `name:class:type` as short as it can be said.
fn token(operand: &Operand, line: &Line, table: &Table) -> (String, String) {
    let encoding = &table.encodings[line.encoding];
    match operand {
        Operand::Text(t) => (format!("={t}"), format!("={t}")),
        Operand::Value { name, kind, modifiers } => {
            let ty = Type::parse(Box::leak(kind.ty.clone().into_boxed_str()));
            let mut class = kind.class;
            let halves = line.opcodes.iter().any(|o| !o.1.and(encoding.halves).is_empty());
            if halves && ty.total() == 16 && class.has(Class::V) && !kind.half {
                class = class.or(Class::NOT_HALF);
            }
            if kind.half {
                class = Class(class.0 & !Class::NOT_HIGH.0);
            }
            let field = table.field(name);
            let default = field.and_then(|f| encoding.class(f));
            let class = if default == Some(class) { String::new() } else { format!(":{class}") };
            (name.clone(), format!("{name}{class}:{}{}", kind.ty, marks(name, kind.class, ty, modifiers, encoding, table)))
        }
    }
}

/// `~`, `^` or `!` where the modifiers of an operand are not those that its type suggests.
fn marks(name: &str, class: Class, ty: Type, modifiers: &str, encoding: &Encoding, table: &Table) -> &'static str {
    let has = |field: &str| {
        let field = table.field(field);
        encoding
            .layouts
            .iter()
            .any(|l| l.pieces.iter().any(|p| matches!(p.content, isa::amdgpu::Content::Field(f, _) if Some(f) == field)))
    };
    let float = matches!(ty.number, Number::Float | Number::BFloat);
    let source = name.starts_with("src");
    let default = match (source && float && has("neg") && !class.has(Class::K), source && !float && has("sext")) {
        (true, _) => "~",
        (_, true) => "^",
        _ => "",
    };
    match (modifiers, default) {
        (a, b) if a == b => "",
        ("", _) => "!",
        ("~", _) => "~",
        _ => "^",
    }
}

/// What a line says beyond the record: operands, modifiers, fixed fields.
fn own(name: &str, line: &Line, base: &[(String, String)], modifiers: &[&str], short: bool, table: &Table) -> String {
    let encoding = &table.encodings[line.encoding];
    let tokens: Vec<(String, String)> = line.operands.iter().map(|o| token(o, line, table)).collect();
    let operands = if tokens == base {
        String::new()
    } else if tokens.is_empty() {
        "none".to_owned()
    } else {
        let short = |t: &(String, String)| if base.contains(t) && !t.0.starts_with('=') { t.0.clone() } else { t.1.clone() };
        tokens.iter().map(short).collect::<Vec<_>>().join(" ")
    };
    let derived: Vec<&str> = (encoding.modifiers.iter())
        .filter(|m| m.ends_with('*') || modifiers.contains(*m))
        .map(|m| m.trim_end_matches('*'))
        .collect();
    let list = if line.modifiers == derived {
        String::new()
    } else if line.modifiers.is_empty() {
        "none".to_owned()
    } else {
        line.modifiers.join(" ")
    };
    let mut fixed: Vec<String> = line
        .fixed
        .iter()
        .map(|(f, v, bits)| match *bits {
            u64::MAX => format!("{f}=0x{v:x}"),
            _ => format!("{f}=0x{v:x}/0x{bits:x}"),
        })
        .collect();
    let usual = !encoding.suffix.is_empty() && (short || !encoding.suffix.starts_with("_e") || encoding.suffix.ends_with("_dpp"));
    if line.suffix != usual {
        fixed.push(if line.suffix { "suffix" } else { "bare" }.to_owned());
    }
    let buffer = name.starts_with("s_") && name.contains("_buffer");
    fixed.extend((buffer && encoding.name == "smem").then(|| "positive".to_owned()));
    fixed.extend(line.assembler_only.then(|| "assembler".to_owned()));
    fixed.extend(line.wave.map(|w| format!("wave{w}")));
    let parts = [operands, list, fixed.join(" ")];
    let last = parts.iter().rposition(|p| !p.is_empty()).map_or(0, |i| i + 1);
    parts[..last].join(" ; ").trim().to_owned()
}

/// A set of targets in as few words as groups allow.
fn targets(set: Targets, table: &Table) -> String {
    let mut groups: Vec<(&str, Targets)> = table.groups.clone();
    groups.sort_by_key(|g| std::cmp::Reverse(g.1.0.count_ones()));
    let mut rest = set;
    let mut words: Vec<(u32, String)> = Vec::new();
    for (name, group) in &groups {
        if !rest.is_empty() && group.and(rest) == *group {
            words.push((group.0.trailing_zeros(), (*name).to_owned()));
            rest = rest.without(*group);
        }
    }
    words.extend(rest.iter().map(|t: Target| (u32::from(t.0), table.targets[usize::from(t.0)].to_owned())));
    words.sort();
    words.into_iter().map(|w| w.1).collect::<Vec<_>>().join(" ")
}

/// Other names of mnemonics, by the name that they stand for.
fn aliases(dump: &Dump, table: &Table) -> HashMap<String, Vec<(String, Targets)>> {
    let features = Features::new(dump, table);
    let mut all: HashMap<String, Vec<(String, Targets)>> = HashMap::new();
    let definitions = dump.classes.get("MnemonicAlias").into_iter().flatten().filter_map(|n| dump.definitions.get(n));
    for definition in definitions {
        let (Some(from), Some(to)) = (&definition.from, &definition.to) else { continue };
        let internal = ["_fake16", "_t16"].iter().any(|s| from.contains(s));
        let (set, _, _) = features.targets(definition.predicates.as_deref().unwrap_or(&[]), dump);
        if internal || set.is_empty() || from == to {
            continue;
        }
        let bare = |name: &str| name.trim_end_matches("_e32").trim_end_matches("_e64").to_owned();
        let list = all.entry(bare(to)).or_default();
        let from = bare(from);
        match list.iter_mut().find(|a| a.0 == from) {
            Some(known) => known.1 = known.1.or(set),
            None => list.push((from, set)),
        }
    }
    all.values_mut().for_each(|list| list.sort_by(|a, b| a.0.cmp(&b.0)));
    all
}
