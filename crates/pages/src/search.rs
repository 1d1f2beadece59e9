//! Search in names, titles and groups of everything that has a page, of both vendors.
//!
//! Every word that is asked for must be found. What is not searched: sources of functions, notes, and the fields of encodings.

use isa::Table;
use isa::amdgpu::{self, Targets};

/// Something with a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What its page is called.
    pub name: String,
    /// What it does.
    pub title: String,
    /// What it is.
    pub kind: Kind,
    /// What it is for, or the chapter of the manual.
    pub group: String,
    /// Other names.
    pub aliases: Vec<&'static str>,
    /// Where it exists: a target or group; empty if it exists everywhere, or depends on more than the target.
    pub targets: Vec<&'static str>,
}

/// What has pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// An instruction of PTX.
    Ptx,
    /// A modifier of PTX.
    Modifier,
    /// A type of PTX.
    Type,
    /// A special register of PTX.
    SpecialRegister,
    /// An instruction of AMD's.
    Amd,
}

impl Kind {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Ptx => "PTX",
            Kind::Modifier => "PTX modifier",
            Kind::Type => "PTX type",
            Kind::SpecialRegister => "PTX special register",
            Kind::Amd => "AMD",
        }
    }
}

/// What is found, the best first.
pub fn search(ptx: &'static Table, amd: &'static amdgpu::Table, query: &str) -> Vec<Found> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    if words.is_empty() {
        return Vec::new();
    }
    let mut ranked: Vec<(u32, Found)> = everything(ptx, amd)
        .filter_map(|found| Some((words.iter().map(|word| rank(&found, word)).sum::<Option<u32>>()?, found)))
        .collect();
    ranked.sort_by(|a, b| (a.0, a.1.kind, &a.1.name).cmp(&(b.0, b.1.kind, &b.1.name)));
    ranked.into_iter().map(|(_, found)| found).collect()
}

/// Names of pages that look like one that nothing was found for.
pub fn nearest(ptx: &'static Table, amd: &'static amdgpu::Table, query: &str) -> Vec<&'static str> {
    let aliases = amd.instructions.iter().flat_map(|i| &i.aliases).map(|a| a.0);
    let names = amd.instructions.iter().map(|i| i.name).chain(aliases);
    let names = names.chain(ptx.records.iter().map(|r| r.name)).chain(ptx.words.iter().map(|w| w.name));
    let names = names.chain(ptx.specials.iter().map(|s| s.name)).chain(ptx.types.iter().map(|t| t.name));
    Table::nearest(query.trim(), names)
}

fn everything(ptx: &'static Table, amd: &'static amdgpu::Table) -> impl Iterator<Item = Found> {
    let plain = |kind, name: &str, title: &str, group: &str| Found {
        name: name.to_owned(),
        title: title.to_owned(),
        kind,
        group: group.to_owned(),
        aliases: Vec::new(),
        targets: Vec::new(),
    };
    let records = ptx.records.iter().map(move |r| plain(Kind::Ptx, r.name, r.title, &r.chapter.replace('-', " ")));
    let modifiers = ptx.words.iter().map(move |w| plain(Kind::Modifier, w.name, w.title, ""));
    let types = ptx.types.iter().map(move |t| plain(Kind::Type, t.name, t.title, ""));
    let specials = ptx.specials.iter().map(move |s| plain(Kind::SpecialRegister, s.name, s.title, ""));
    let amd = amd.instructions.iter().map(move |instruction| Found {
        aliases: aliases(instruction),
        targets: targets(amd, instruction),
        ..plain(
            Kind::Amd,
            instruction.name,
            instruction.title,
            instruction.group.and_then(|at| amd.functional_groups.get(at)).map_or("", |group| group.1),
        )
    });
    records.chain(modifiers).chain(types).chain(specials).chain(amd)
}

/// Other names than those that only ask for an encoding.
fn aliases(instruction: &'static amdgpu::Instruction) -> Vec<&'static str> {
    let mut names: Vec<&str> =
        instruction.aliases.iter().map(|a| a.0).filter(|name| !name.starts_with(instruction.name)).collect();
    names.dedup();
    names
}

/// The families that have an instruction, or targets of those that have it in part.
fn targets(table: &'static amdgpu::Table, instruction: &amdgpu::Instruction) -> Vec<&'static str> {
    let all = instruction.forms.iter().fold(Targets::NONE, |all, form| all.or(form.targets()));
    let known = table.groups.iter().find(|g| g.1 == all).map(|g| g.0);
    match known {
        Some("all") => Vec::new(),
        Some(name) => vec![name],
        None => all.iter().filter_map(|t| table.targets.get(usize::from(t.0)).copied()).collect(),
    }
}

/// How well something answers a word; nothing if it does not.
fn rank(found: &Found, word: &str) -> Option<u32> {
    let name = found.name.to_lowercase();
    let parts = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|part| part == word);
    let title = found.title.to_lowercase();
    let names = || std::iter::once(name.as_str()).chain(found.aliases.iter().copied());
    Some(match () {
        () if name == word || name.trim_start_matches(['.', '%']) == word => 0,
        () if found.aliases.contains(&word) => 1,
        () if parts(&name) => 2,
        () if names().any(|name| name.starts_with(word)) => 3,
        () if parts(&title) => 4,
        () if names().any(|name| name.contains(word)) => 5,
        () if title.contains(word) => 6,
        () if found.group.to_lowercase().contains(word) => 7,
        () => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(query: &str) -> Vec<String> {
        let ptx = Table::get().unwrap_or_else(|e| panic!("{e}"));
        let amd = amdgpu::Table::get().unwrap_or_else(|e| panic!("{e}"));
        search(ptx, amd, query).into_iter().map(|found| found.name).collect()
    }

    #[test]
    fn both_vendors_are_found_by_what_they_do() {
        let found = names("dot product 8-bit");
        assert!(found.iter().any(|n| n == "dp4a") && found.iter().any(|n| n == "v_dot4_i32_i8"), "{found:?}");
    }

    #[test]
    fn a_name_comes_first_and_an_alias_leads_to_its_instruction() {
        assert_eq!(names("v_add_f32").first().map(String::as_str), Some("v_add_f32"));
        assert_eq!(names("ADD").first().map(String::as_str), Some("add"));
        // It is an instruction of older targets, and another name of one of newer ones.
        assert_eq!(names("v_ffbh_u32"), ["v_ffbh_u32", "v_clz_i32_u32"]);
    }

    #[test]
    fn every_word_must_be_found() {
        assert!(names("v_add_f32 zebra").is_empty());
        assert!(names(" ").is_empty());
        let narrowed = names("atomic image");
        assert!(!narrowed.is_empty() && narrowed.iter().all(|n| n.contains("image") || n.contains("atom")), "{narrowed:?}");
    }
}
