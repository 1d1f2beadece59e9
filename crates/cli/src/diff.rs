//! `lockstep diff`: what is new, gone, renamed or encoded in another way between two AMD targets.

use crate::{Format, machine, output};
use amdgpu::codec::{Codec, Entry};
use amdgpu::object::TargetId;
use clap::Args;
use isa::amdgpu::{Content, Piece};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

/// Compare the instructions of two AMD targets: added, removed, renamed, re-encoded
///
/// Renamed is what has another name for the same bits and operands, or what the second target takes the first one's name for. Re-encoded is what kept its
/// name and has another opcode or layout in an encoding that both have, or has no encoding in common.
#[derive(Args)]
#[command(after_help = "Example: lockstep diff gfx90a gfx942")]
pub struct Arguments {
    /// The older target
    #[arg(value_parser = machine::parse_target)]
    from: TargetId,
    /// The newer target
    #[arg(value_parser = machine::parse_target)]
    to: TargetId,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    let read = |target: &TargetId| machine::codec(target, None);
    match read(&arguments.from).and_then(|from| Ok((from, read(&arguments.to)?))) {
        Ok((from, to)) => {
            let difference = Difference::of(&from, &to);
            output::print(&match arguments.format {
                Format::Text => difference.text(&arguments.from.to_string(), &arguments.to.to_string()),
                Format::Json => format!("{}\n", difference.json()),
            });
            ExitCode::SUCCESS
        }
        Err(error) => output::fail(&error, arguments.format),
    }
}

/// What is different; all lists are sorted.
#[derive(Debug, Default)]
struct Difference {
    added: Vec<(&'static str, &'static str)>,
    removed: Vec<(&'static str, &'static str)>,
    renamed: Vec<(&'static str, &'static str)>,
    /// The name, and how each encoding changed.
    reencoded: Vec<(&'static str, Vec<String>)>,
    /// The name, encodings that are new, and that are gone.
    forms: Vec<(&'static str, Vec<&'static str>, Vec<&'static str>)>,
}

/// The instructions of a target: name, title, and by encoding the forms in it.
struct Instructions<'c> {
    codec: &'c Codec,
    all: BTreeMap<&'static str, BTreeMap<&'static str, Vec<&'c Entry>>>,
}

impl<'c> Instructions<'c> {
    fn of(codec: &'c Codec) -> Self {
        let mut all: BTreeMap<&'static str, BTreeMap<&'static str, Vec<&'c Entry>>> = BTreeMap::new();
        for entry in codec.entries().iter().filter(|e| !e.form.assembler_only) {
            all.entry(entry.instruction.name).or_default().entry(entry.encoding.name).or_default().push(entry);
        }
        Instructions { codec, all }
    }

    fn title(&self, name: &str) -> &'static str {
        let first = self.all.get(name).and_then(|e| e.values().next()).and_then(|e| e.first());
        // A title that is only the name again says nothing.
        first.map_or("", |e| e.instruction.title).trim_start_matches(name)
    }

    /// Opcodes in an encoding.
    fn opcodes(&self, name: &str, encoding: &str) -> BTreeSet<u32> {
        let entries = self.all.get(name).and_then(|e| e.get(encoding));
        entries.into_iter().flatten().filter_map(|e| e.form.opcode(self.codec.target)).collect()
    }

    fn pieces(&self, entry: &Entry) -> &'static [Piece] {
        entry.encoding.layout(self.codec.target).map_or(&[], |l| &l.pieces)
    }

    /// Whether two names stand for the same bits with the same operands and modifiers in some form: else an opcode was given to another
    /// instruction.
    fn is_same(&self, name: &str, other: &Instructions, renamed: &str) -> bool {
        let forms = |all: &Self, name: &str| -> Vec<&'c Entry> {
            all.all.get(name).into_iter().flat_map(|e| e.values().flatten()).copied().collect()
        };
        let same = |a: &Entry, b: &Entry| {
            let operands = a.form.operands == b.form.operands && a.form.modifiers == b.form.modifiers;
            operands && (a.encoding.name, a.mask, a.value) == (b.encoding.name, b.mask, b.value)
        };
        let others = other.all.get(renamed).into_iter().flat_map(|e| e.values().flatten()).collect::<Vec<_>>();
        forms(self, name).iter().any(|a| others.iter().any(|b| same(a, b)))
    }

    fn takes(&self, name: &str, alias: &str) -> bool {
        let entries = self.all.get(name).into_iter().flat_map(|e| e.values().flatten());
        entries.into_iter().any(|e| e.instruction.aliases.iter().any(|a| a.0 == alias && a.1.has(self.codec.target)))
    }
}

impl Difference {
    fn of(from: &Codec, to: &Codec) -> Difference {
        let (from, to) = (Instructions::of(from), Instructions::of(to));
        let mut removed: Vec<&'static str> = from.all.keys().filter(|n| !to.all.contains_key(*n)).copied().collect();
        let mut added: Vec<&'static str> = to.all.keys().filter(|n| !from.all.contains_key(*n)).copied().collect();
        let mut difference = Difference::default();
        for old in std::mem::take(&mut removed) {
            let alias = to.all.keys().copied().find(|new| to.takes(new, old));
            match alias.or_else(|| added.iter().copied().find(|new| from.is_same(old, &to, new))) {
                Some(new) => difference.renamed.push((old, new)),
                None => removed.push(old),
            }
        }
        added.retain(|new| !difference.renamed.iter().any(|r| r.1 == *new));
        difference.added = added.into_iter().map(|n| (n, to.title(n))).collect();
        difference.removed = removed.into_iter().map(|n| (n, from.title(n))).collect();
        for (name, before) in &from.all {
            let Some(after) = to.all.get(name) else { continue };
            difference.compare(name, (&from, before), (&to, after));
        }
        difference
    }

    fn compare(&mut self, name: &'static str, (from, before): Side, (to, after): Side) {
        let shared: Vec<&'static str> = before.keys().filter(|e| after.contains_key(*e)).copied().collect();
        let gone: Vec<&'static str> = before.keys().filter(|e| !after.contains_key(*e)).copied().collect();
        let new: Vec<&'static str> = after.keys().filter(|e| !before.contains_key(*e)).copied().collect();
        let mut changes = Vec::new();
        if shared.is_empty() {
            changes.push(format!("{} -> {}", gone.join(" "), new.join(" ")));
        }
        for encoding in &shared {
            let opcodes = (from.opcodes(name, encoding), to.opcodes(name, encoding));
            let written = |set: &BTreeSet<u32>| set.iter().map(|o| format!("{o:#x}")).collect::<Vec<_>>().join(" ");
            let moved = is_moved(from.pieces(before[encoding][0]), to.pieces(after[encoding][0]));
            match (opcodes.0 != opcodes.1, moved) {
                (false, false) => {}
                (false, true) => changes.push(format!("{encoding} {} in another layout", written(&opcodes.0))),
                (true, _) => changes.push(format!(
                    "{encoding} {} -> {}{}",
                    written(&opcodes.0),
                    written(&opcodes.1),
                    if moved { " in another layout" } else { "" }
                )),
            }
        }
        if !changes.is_empty() {
            self.reencoded.push((name, changes));
        } else if !gone.is_empty() || !new.is_empty() {
            self.forms.push((name, new, gone));
        }
    }

    fn text(&self, from: &str, to: &str) -> String {
        let mut text = String::new();
        let mut part = |heading: String, lines: Vec<(&str, String)>| {
            text += &format!("{heading}: {}\n", lines.len());
            let width = lines.iter().map(|l| l.0.len()).max().unwrap_or(0).min(40);
            for (name, rest) in lines {
                text += format!("  {name:width$}  {rest}").trim_end();
                text.push('\n');
            }
        };
        let pairs = |list: &[(&'static str, &'static str)]| list.iter().map(|(n, t)| (*n, (*t).to_owned())).collect();
        part(format!("added in {to}"), pairs(&self.added));
        part(format!("removed from {from}"), pairs(&self.removed));
        part("renamed".into(), self.renamed.iter().map(|(a, b)| (*a, format!("-> {b}"))).collect());
        part("re-encoded".into(), self.reencoded.iter().map(|(n, c)| (*n, c.join("; "))).collect());
        let signed = |(new, gone): (&[&str], &[&str])| {
            new.iter().map(|e| format!("+{e}")).chain(gone.iter().map(|e| format!("-{e}"))).collect::<Vec<_>>().join(" ")
        };
        part("in more or fewer encodings".into(), self.forms.iter().map(|(n, a, b)| (*n, signed((a, b)))).collect());
        text
    }

    fn json(&self) -> Value {
        let names = |list: &[(&'static str, &'static str)]| list.iter().map(|n| n.0).collect::<Vec<_>>();
        json!({
            "added": names(&self.added),
            "removed": names(&self.removed),
            "renamed": self.renamed.iter().map(|(a, b)| json!({ "from": a, "to": b })).collect::<Vec<_>>(),
            "reencoded": self.reencoded.iter().map(|(n, c)| json!({ "name": n, "changes": c })).collect::<Vec<_>>(),
            "encodings": self.forms.iter().map(|(n, a, b)| json!({ "name": n, "added": a, "removed": b })).collect::<Vec<_>>(),
        })
    }
}

/// The instructions of a target, and one of them by encoding.
type Side<'s, 'c> = (&'s Instructions<'c>, &'s BTreeMap<&'static str, Vec<&'c Entry>>);

/// Whether fields or fixed bits lie elsewhere.
fn is_moved(before: &[Piece], after: &[Piece]) -> bool {
    let same = |(a, b): (&Piece, &Piece)| {
        let content = match (a.content, b.content) {
            (Content::Fixed(a), Content::Fixed(b)) => a == b,
            (Content::Field(a, i), Content::Field(b, j)) => (a, i) == (b, j),
            (Content::Ignored, Content::Ignored) => true,
            _ => false,
        };
        content && (a.low, a.width) == (b.low, b.width)
    };
    before.len() != after.len() || !before.iter().zip(after).all(same)
}
