//! Images: LLVM has a definition for every width of data and address; the records have a rule. Here the widths that follow from
//! the rule are compared with those that LLVM has; nothing is written.

use std::collections::{BTreeMap, BTreeSet};

use isa::amdgpu::image::Image;
use isa::amdgpu::{Content, Layout, Table};

use super::tablegen::{Bit, Dump, number};
use super::target::Features;

/// A mnemonic in one of LLVM's encodings, its opcode, and the number of a target.
type Key = (String, String, u32, u8);

/// Where the rule and LLVM's definitions differ.
pub fn compare(dump: &Dump, table: &Table) -> Vec<String> {
    let features = Features::new(dump, table);
    let mut reports = Vec::new();
    // Words of data and of address.
    let mut widths: BTreeMap<Key, BTreeSet<(u8, u8)>> = BTreeMap::new();
    for name in dump.classes.get("AMDGPUInst").into_iter().flatten() {
        let Some(definition) = dump.definitions.get(name) else { continue };
        let Some(image) = definition.widths.image.as_ref().and_then(|i| i["def"].as_str()) else { continue };
        let kinds = &definition.kinds;
        let encoding = match (kinds.mimg.0, kinds.vimage.0, kinds.vsample.0) {
            (true, ..) => "mimg",
            (_, true, _) => "vimage",
            (_, _, true) => "vsample",
            _ => continue,
        };
        let (targets, _, _) = features.targets(definition.predicates.as_deref().unwrap_or(&[]), dump);
        let targets = if name.ends_with("_gfx90a") { targets.and(table.group("gfx90a+")) } else { targets };
        let mnemonic: String =
            definition.asm.as_deref().unwrap_or("").chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let (Some(data), Some(address), Some(bits)) =
            (number(&definition.widths.data), number(&definition.widths.address), &definition.bits)
        else {
            continue;
        };
        for target in targets.iter() {
            let Some(layout) = table.encoding(encoding).and_then(|e| table.encodings[e].layout(target)) else {
                reports.push(format!("{name}: {encoding} has no layout"));
                continue;
            };
            let kind = if image.contains("NSA") { "listed" } else { encoding };
            let key = (mnemonic.clone(), kind.to_owned(), opcode(bits, layout, table), target.0);
            widths.entry(key).or_default().insert((data as u8, address as u8));
        }
    }
    let rules = rules(table);
    for (key, have) in &widths {
        match rules.get(key) {
            Some(want) if want == have => {}
            Some(want) => reports.push(format!("{}: LLVM has {have:?}, the rule gives {want:?}", describe(key, table))),
            None => reports.push(format!("{}: only LLVM has this", describe(key, table))),
        }
    }
    let missing = rules.keys().filter(|k| !widths.contains_key(k));
    reports.extend(missing.map(|k| format!("{}: only the table has this", describe(k, table))));
    reports
}

fn describe(key: &Key, table: &Table) -> String {
    format!("{} {} 0x{:x} {}", key.0, key.1, key.2, table.targets[usize::from(key.3)])
}

/// The opcode in the bits of a definition.
fn opcode(bits: &[Bit], layout: &Layout, table: &Table) -> u32 {
    let mut all = 0;
    for piece in &layout.pieces {
        let Content::Field(field, from) = piece.content else { continue };
        if table.fields[usize::from(field.0)] != "op" {
            continue;
        }
        for i in 0..piece.width {
            let set = bits.get(usize::from(piece.low + i)) == Some(&Bit::Fixed(true));
            all |= u32::from(set) << (from + i);
        }
    }
    all
}

/// The widths that follow from the records.
fn rules(table: &Table) -> BTreeMap<Key, BTreeSet<(u8, u8)>> {
    let mut all: BTreeMap<Key, BTreeSet<(u8, u8)>> = BTreeMap::new();
    let nsa = table.field("nsa");
    for instruction in &table.instructions {
        let Some(image) = &instruction.image else { continue };
        for form in &instruction.forms {
            let encoding = &table.encodings[form.encoding];
            for (target, opcode) in form.opcodes.iter().flat_map(|(targets, op)| targets.iter().map(move |t| (t, *op))) {
                let Some(layout) = encoding.layout(target) else { continue };
                let is = |p: &isa::amdgpu::Piece| matches!(p.content, Content::Field(f, _) if Some(f) == nsa);
                let lists = layout.pieces.iter().any(is);
                let mut insert = |kind: &str, words: Vec<u8>, silent: bool| {
                    let set = all.entry((instruction.name.to_owned(), kind.to_owned(), opcode, target.0)).or_default();
                    for words in words {
                        set.extend(image.data.iter().map(|d| (*d, words)));
                        set.extend(silent.then_some((0, words)));
                    }
                };
                let silent = image.noreturn && (lists || encoding.name != "mimg");
                insert(encoding.name, single(image, encoding.name), silent);
                if lists {
                    insert("listed", listed(image), silent);
                }
            }
        }
    }
    all
}

/// Words of a ray's address, with and without a16.
fn rays(image: &Image) -> Vec<u8> {
    let lists = [&image.rays, &image.rays16];
    lists.into_iter().filter(|r| !r.is_empty()).map(|r| r.iter().sum()).collect()
}

fn single(image: &Image, encoding: &str) -> Vec<u8> {
    let (low, high) = image.range();
    match (image.bvh, encoding) {
        (true, _) => rays(image),
        (false, "mimg") => (1..=16).filter(|w| image.is_width(*w)).collect(),
        (false, _) => (low..=high).collect(),
    }
}

fn listed(image: &Image) -> Vec<u8> {
    let (low, high) = image.range();
    if image.bvh { rays(image) } else { (low.max(2)..=high.min(12)).collect() }
}
