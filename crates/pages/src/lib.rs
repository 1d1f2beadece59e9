//! Reference pages, made from the table and from the source of the semantic functions.
//!
//! [`find`] gives the pages of a name; a [`Page`] is plain data, [`Page::text`] renders it for a terminal. A page repeats the records'
//! facts and shows the code that runs: what it says is what is executed. Explanations of diagnostic codes live with the codes.

pub mod amd;
pub mod search;

use isa::{Form, Match, Record, Resolution, Special, Table, TextureMode, Type, Word};

/// One page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// What it is about: `dp2a`, `.ftz`, `%tid`, `f16x2`.
    pub name: String,
    /// One line.
    pub title: String,
    /// In order.
    pub sections: Vec<Section>,
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Such as `Forms`.
    pub heading: &'static str,
    /// In order.
    pub blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A sentence or several.
    Text(String),
    /// Verbatim lines.
    Code(String),
    /// Terms and what they mean.
    List(Vec<(String, String)>),
}

/// The pages of a name: an instruction, an opcode with modifiers, a modifier (`.ftz`), a type, a special register (`%tid`).
pub fn find(table: &'static Table, name: &str) -> Vec<Page> {
    let mut records: Vec<&Record> = table.records.iter().filter(|r| r.name == name).collect();
    records.sort_by_key(|r| r.manual_order());
    let mut pages: Vec<Page> = records.into_iter().map(|r| instruction(table, r, None)).collect();
    if pages.is_empty()
        && let Ok(Resolution::Matches(matches)) = table.resolve(name)
    {
        let mut seen = Vec::new();
        for found in matches.iter().filter(|m| !std::mem::replace(&mut seen, vec![m.record.place]).contains(&m.record.place)) {
            pages.push(instruction(table, found.record, Some(found)));
        }
    }
    if pages.is_empty() {
        let mut records: Vec<&Record> = table.forms_of(name).map(|(record, _)| record).collect();
        records.dedup_by_key(|r| r.place);
        pages.extend(records.into_iter().map(|record| instruction(table, record, None)));
    }
    pages.extend(table.word(name).map(|word| modifier(table, word)));
    pages.extend(table.type_named(name.trim_start_matches('.')).map(value_type));
    pages.extend(table.special(name).map(special_register));
    let within = |long: &str, short: &str| long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let pending = |p: &&isa::PendingOpcode| within(p.name, name) || within(name, p.name);
    pages.extend(table.pending.iter().filter(pending).map(|p| Page {
        name: p.name.to_owned(),
        title: p.title.to_owned(),
        sections: vec![section(
            "Fidelity",
            vec![Block::Text("Not executable yet: a kernel that uses it is not started.".into())],
        )],
    }));
    pages
}

/// Names that look like one that has no page.
pub fn nearest<'t>(table: &'t Table, name: &str) -> Vec<&'t str> {
    let records = table.records.iter().map(|r| r.name);
    let words = table.words.iter().map(|w| w.name);
    let types = table.types.iter().map(|t| t.name);
    let specials = table.specials.iter().map(|s| s.name);
    // Names begin as that does which is asked for: `.` and `%` are not left out by mistake.
    match name.as_bytes().first() {
        Some(b'.') => Table::nearest(name, words),
        Some(b'%') => Table::nearest(name, specials),
        _ => Table::nearest(name, records.chain(types)),
    }
}

fn section(heading: &'static str, blocks: Vec<Block>) -> Section {
    Section { heading, blocks }
}

fn lines(texts: &[&str]) -> Vec<Block> {
    texts.iter().map(|t| Block::Text((*t).to_owned())).collect()
}

/// The page of a record; of one spelling of it, if `spelling` is given.
pub fn instruction(table: &'static Table, record: &'static Record, spelling: Option<&Match>) -> Page {
    let mut sections = Vec::new();
    if let Some(found) = spelling {
        sections.push(section("Spelling", spelled(found)));
    }
    sections.push(section("Forms", record.forms.iter().flat_map(|f| form(table, f)).collect()));
    let words = modifiers(table, record);
    if !words.is_empty() {
        sections.push(section("Modifiers", vec![Block::List(words)]));
    }
    if !record.examples.is_empty() {
        let examples: Vec<String> = record.examples.iter().map(example).collect();
        sections.push(section("Examples", vec![Block::Code(examples.join("\n"))]));
    }
    if !record.note.is_empty() {
        sections.push(section("Notes", lines(&record.note)));
    }
    sections.push(section("Fidelity", fidelity(record)));
    sections.push(section("Operation", operation(record.forms.iter().filter_map(|f| f.run.as_ref()).map(|r| r.function))));
    sections.push(section("Record", vec![Block::Code(table.text(record.place).trim_end().to_owned())]));
    let sources = record.src.iter().chain(&record.proof).chain(&record.doubt).copied().collect::<Vec<_>>();
    sections.push(section("Sources", lines(&sources)));
    Page { name: record.name.to_owned(), title: record.title.to_owned(), sections }
}

/// What the modifiers of a spelling make of the form.
fn spelled(found: &Match) -> Vec<Block> {
    let operand = |part: &isa::Part| {
        let ty = match part.ty {
            isa::OperandType::Scalar(ty) => ty.name.to_owned(),
            isa::OperandType::Vector(n, ty) => format!("{n} x {}", ty.name),
            isa::OperandType::Address(space) => format!("address in {}", space.map_or("generic", |s| &s[1..])),
            other => format!("{other:?}").to_lowercase(),
        };
        let packing = part.packing.map_or(String::new(), |p| format!(", packed as {p}"));
        let role = if part.role == isa::Role::Source { "source" } else { "result" };
        (part.name.to_owned(), format!("{role}, {ty}{packing}"))
    };
    let needs: Vec<String> = found.needs().map(|n| n.requirement.to_string()).collect();
    let mut blocks = vec![Block::Code(found.opcode()), Block::List(found.parts().map(operand).collect())];
    if !needs.is_empty() {
        blocks.push(Block::Text(format!("Needs {}.", needs.join("; "))));
    }
    blocks
}

fn form(table: &Table, form: &Form) -> Vec<Block> {
    let mut facts: Vec<(String, String)> = form.slots.iter().map(|s| (s.name.to_owned(), s.words.join(" "))).collect();
    let needs: Vec<&str> = form.needs.iter().map(|n| value_of(table.text(n.place))).collect();
    if !needs.is_empty() {
        facts.push(("needs".to_owned(), needs.join("; ")));
    }
    if let Some(mode) = form.texmode {
        let what = match mode {
            TextureMode::Unified => "with unified textures only",
            TextureMode::Independent => "with `texmode_independent` in `.target` only",
        };
        facts.push(("texture mode".to_owned(), what.to_owned()));
    }
    if form.pending {
        facts.push(("fidelity".to_owned(), "not executable yet".to_owned()));
    }
    vec![Block::Code(form.text.to_owned()), Block::List(facts)]
}

/// What follows the key of a record's line.
fn value_of(line: &'static str) -> &'static str {
    line.trim().split_once(char::is_whitespace).map_or(line, |(_, value)| value.trim())
}

/// The words of all slots that the table explains.
fn modifiers(table: &Table, record: &Record) -> Vec<(String, String)> {
    let mut names: Vec<&str> = Vec::new();
    for form in &record.forms {
        let spelled = form.text.split_whitespace().next().unwrap_or("").split(['.', '{', '}']).skip(1);
        let literals: Vec<String> = spelled.filter(|w| !w.is_empty()).map(|w| format!(".{w}")).collect();
        names.extend(table.words.iter().map(|w| w.name).filter(|name| literals.iter().any(|l| l == name)));
        names.extend(form.slots.iter().flat_map(|s| &s.words).copied());
    }
    let mut found: Vec<&Word> = table.words.iter().filter(|w| names.contains(&w.name)).collect();
    found.dedup_by_key(|w| w.place);
    found.into_iter().map(|w| (w.name.to_owned(), w.title.to_owned())).collect()
}

fn example(example: &isa::Example) -> String {
    let inputs: Vec<String> = example.inputs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{}  {} -> {}", example.opcode, inputs.join(" "), example.results.join(", "))
}

fn fidelity(record: &Record) -> Vec<Block> {
    let mut bounds: Vec<&str> = record.forms.iter().flat_map(Form::approximations).collect();
    bounds.dedup();
    let pending = record.forms.iter().filter(|f| f.pending).count();
    let mut blocks = Vec::new();
    if bounds.is_empty() && pending < record.forms.len() {
        blocks.push(Block::Text("Exact: results are right to the bit.".to_owned()));
    }
    blocks.extend(bounds.iter().map(|bound| Block::Text(format!("Approximate in some forms: {bound}."))));
    if pending > 0 {
        blocks.push(Block::Text(format!("{pending} of {} forms are not executable yet.", record.forms.len())));
    }
    blocks
}

/// The source of semantic functions, each once.
fn operation(names: impl Iterator<Item = &'static str>) -> Vec<Block> {
    let mut seen: Vec<&str> = Vec::new();
    let mut blocks = Vec::new();
    for name in names {
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        blocks.push(Block::Text(name.to_owned()));
        blocks.push(match semantics::source(name) {
            Some(source) => Block::Code(source.trim_matches('\n').to_owned()),
            None => Block::Text("Not executable yet: there is no such function.".to_owned()),
        });
    }
    blocks
}

fn modifier(table: &Table, word: &Word) -> Page {
    let uses = |record: &&Record| {
        record
            .forms
            .iter()
            .any(|f| f.slots.iter().any(|s| s.words.contains(&word.name)) || f.text.contains(&format!("{}.", word.name)))
    };
    let users: Vec<&str> = table.records.iter().filter(uses).map(|r| r.name).collect();
    let sets: Vec<String> = word
        .sets
        .iter()
        .map(|(key, value)| if value.is_empty() { (*key).to_owned() } else { format!("{key}={value}") })
        .collect();
    let mut sections = Vec::new();
    if !sets.is_empty() {
        sections.push(section("Sets", vec![Block::Code(sets.join(" "))]));
    }
    if !users.is_empty() {
        sections.push(section("Used by", vec![Block::Text(users.join(" "))]));
    }
    if !word.note.is_empty() {
        sections.push(section("Notes", lines(&word.note)));
    }
    if !word.src.is_empty() {
        sections.push(section("Sources", lines(&[word.src])));
    }
    Page { name: word.name.to_owned(), title: word.title.to_owned(), sections }
}

fn value_type(ty: &Type) -> Page {
    let mut facts =
        vec![("bits".to_owned(), ty.bits.to_string()), ("class".to_owned(), format!("{:?}", ty.class).to_lowercase())];
    facts.extend(ty.lanes.map(|(n, element)| ("lanes".to_owned(), format!("{n} x {element}"))));
    let registers: Vec<String> = ty.registers.iter().map(|r| format!(".{}", r.trim_start_matches('.'))).collect();
    if !registers.is_empty() {
        facts.push(("held by".to_owned(), registers.join(" ")));
    }
    let sections = vec![section("Facts", vec![Block::List(facts)]), section("Sources", lines(&[ty.src]))];
    Page { name: ty.name.to_owned(), title: ty.title.to_owned(), sections }
}

fn special_register(special: &'static Special) -> Page {
    let ty = if special.lanes > 1 { format!("{} x {}", special.lanes, special.ty) } else { special.ty.to_owned() };
    let mut facts = vec![("type".to_owned(), ty)];
    facts.extend(special.needs.iter().map(|n| ("needs".to_owned(), n.requirement.to_string())));
    let mut sections = vec![section("Facts", vec![Block::List(facts)])];
    if !special.note.is_empty() {
        sections.push(section("Notes", lines(&special.note)));
    }
    sections.push(section("Operation", operation(std::iter::once(special.run).filter(|r| !r.is_empty()))));
    let sources: Vec<&str> = [special.src].into_iter().chain(special.proof.iter().chain(&special.doubt).copied()).collect();
    sections.push(section("Sources", lines(&sources)));
    Page { name: special.name.to_owned(), title: special.title.to_owned(), sections }
}

impl Page {
    /// The page for a terminal, with bold headings if `colour` is set.
    pub fn text(&self, colour: bool) -> String {
        let bold = |text: &str| if colour { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() };
        let mut text = format!("{}: {}\n", bold(&self.name), self.title);
        for section in &self.sections {
            text += &format!("\n{}\n", bold(section.heading));
            section.blocks.iter().for_each(|block| text += &block.text());
        }
        text
    }
}

impl Block {
    fn text(&self) -> String {
        match self {
            Block::Text(text) => format!("  {text}\n"),
            Block::Code(code) => code.lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect(),
            Block::List(list) => {
                let width = list.iter().map(|(term, _)| term.chars().count()).max().unwrap_or(0).min(24);
                list.iter().map(|(term, meaning)| format!("      {term:width$}  {meaning}\n")).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> &'static Table {
        Table::get().unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn everything_in_the_table_has_a_page() {
        let table = table();
        let names = table.records.iter().map(|r| r.name);
        let names = names.chain(table.words.iter().map(|w| w.name)).chain(table.types.iter().map(|t| t.name));
        let names = names.chain(table.specials.iter().map(|s| s.name)).chain(table.pending.iter().map(|p| p.name));
        let without: Vec<&str> = names.filter(|name| find(table, name).is_empty()).collect();
        assert!(without.is_empty(), "no page for {without:?}");
    }

    #[test]
    fn the_page_of_an_instruction_shows_what_runs() {
        let text: String = find(table(), "dp2a").iter().map(|p| p.text(false)).collect();
        for part in ["Forms", "dp2a.mode.atype.btype  d, a, b, c", "Examples", "Operation", "fn dp2a", "Sources", "PTX ISA"] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    #[test]
    fn a_spelling_tells_its_types() {
        let text = find(table(), "mul.wide.s32")[0].text(false);
        assert!(text.contains("result, s64") && text.contains("source, s32"), "{text}");
    }
}
