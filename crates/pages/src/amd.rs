//! Pages of AMD's instructions, from their records: forms with opcodes, operands, modifiers, and the bits of each encoding.

use crate::{Block, Page, Section, lines, section};
use isa::amdgpu::words::Words;
use isa::amdgpu::{Class, Condition, Content, Effect, Encoding, Form, Instruction, Layout, Table, Target, Targets};

/// The pages of a name: that of an instruction, of another name of it, or of one with the suffix of an encoding (`v_add_f32_e64`); or that of an
/// encoding (`vop3p`, also in capitals, as manuals write it). With `target`, only what holds there.
pub fn find(table: &'static Table, words: &'static Words, name: &str, target: Option<Target>) -> Vec<Page> {
    let suffixes = table.encodings.iter().map(|e| e.suffix).filter(|s| !s.is_empty());
    let bare: Vec<&str> = std::iter::once(name).chain(suffixes.filter_map(|s| name.strip_suffix(s))).collect();
    let wanted = target.map_or(Targets(u64::MAX), Targets::one);
    let is_named = |i: &&Instruction| {
        let other = i.aliases.iter().any(|a| bare.contains(&a.0) && !a.1.and(wanted).is_empty());
        bare.contains(&i.name) || other
    };
    let here = |i: &&Instruction| i.forms.iter().any(|f| !f.targets().and(wanted).is_empty());
    let found = table.instructions.iter().filter(is_named).filter(here);
    let writer = Writer { table, words, wanted };
    let pages = found.map(|instruction| writer.page(instruction));
    let encodings = table.encodings.iter().enumerate().filter(|(_, e)| e.name.eq_ignore_ascii_case(name));
    pages.chain(encodings.filter_map(|(at, encoding)| writer.encoding(at, encoding))).collect()
}

/// Names that look like one that has no page.
pub fn nearest(table: &'static Table, name: &str) -> Vec<&'static str> {
    isa::Table::nearest(name, table.instructions.iter().map(|i| i.name).chain(table.encodings.iter().map(|e| e.name)))
}

struct Writer {
    table: &'static Table,
    words: &'static Words,
    /// The targets that the page speaks of.
    wanted: Targets,
}

impl Writer {
    fn page(&self, instruction: &'static Instruction) -> Page {
        let forms: Vec<&Form> = instruction.forms.iter().filter(|f| !f.targets().and(self.wanted).is_empty()).collect();
        let all = forms.iter().fold(Targets::NONE, |all, f| all.or(f.targets())).and(self.wanted);
        let mut sections = vec![section("Targets", vec![Block::Text(self.names(all))])];
        sections.push(section("Forms", forms.iter().flat_map(|f| self.form(instruction, f)).collect()));
        let mut operands: Vec<(String, String)> = Vec::new();
        for operand in forms.iter().flat_map(|f| f.operands).filter(|o| !o.class.has(Class::TEXT)) {
            let format = instruction.formats.iter().find(|f| f.0 == operand.name).map_or("", |f| f.1);
            let held = if format.is_empty() { String::new() } else { format!("; holds {}", spelled(format)) };
            let line = (operand.name.to_owned(), operand.describe(self.words) + &held);
            if !operands.contains(&line) {
                operands.push(line);
            }
        }
        operands.sort_by_key(|o| forms.iter().flat_map(|f| f.operands).position(|p| p.name == o.0));
        if !operands.is_empty() {
            sections.push(section("Operands", vec![Block::List(operands)]));
        }
        let registers = self.effects(instruction, &forms);
        if !registers.is_empty() {
            sections.push(section("Registers", vec![Block::List(registers)]));
        }
        let modifiers = self.modifiers(&forms);
        if !modifiers.is_empty() {
            sections.push(section("Modifiers", vec![Block::List(modifiers)]));
        }
        let aliases = instruction.aliases.iter().filter(|a| !a.1.and(self.wanted).is_empty());
        let aliases: Vec<(String, String)> =
            aliases.map(|a| (a.0.to_owned(), format!("another name on {}", self.names(a.1.and(self.wanted))))).collect();
        if !aliases.is_empty() {
            sections.push(section("Aliases", vec![Block::List(aliases)]));
        }
        sections.push(section("Bits", self.bits(&forms, all)));
        for (heading, texts) in [("Notes", &instruction.note), ("Doubts", &instruction.doubt), ("Sources", &instruction.src)] {
            if !texts.is_empty() {
                sections.push(Section { heading, blocks: lines(texts) });
            }
        }
        Page { name: instruction.name.to_owned(), title: instruction.title.to_owned(), sections }
    }

    /// Targets by the largest groups that they are made of.
    fn names(&self, targets: Targets) -> String {
        let (mut left, mut names) = (targets, Vec::new());
        let mut groups: Vec<&(&str, Targets)> =
            self.table.groups.iter().filter(|g| g.0.starts_with("gfx") || g.0 == "all").collect();
        groups.sort_by_key(|g| std::cmp::Reverse(g.1.0.count_ones()));
        for (name, group) in groups {
            if group.and(left) == *group && group.0.count_ones() > 1 {
                left = left.without(*group);
                names.push((group.0.trailing_zeros(), *name));
            }
        }
        names.extend(left.iter().filter_map(|t| Some((u32::from(t.0), *self.table.targets.get(usize::from(t.0))?))));
        names.sort_unstable();
        names.iter().map(|n| n.1).collect::<Vec<_>>().join(" ")
    }

    fn form(&self, instruction: &Instruction, form: &Form) -> Vec<Block> {
        let encoding = &self.table.encodings[form.encoding];
        let operands: Vec<&str> = form.operands.iter().map(|o| o.name).collect();
        let modifiers: Vec<&str> = form.modifiers.iter().map(|m| word_of(m)).filter(|m| !m.is_empty()).collect();
        let suffix = if form.suffix { encoding.suffix } else { "" };
        let text = format!("{}{suffix}  {}  {}", instruction.name, operands.join(", "), modifiers.join(" "));
        let opcodes = form.opcodes.iter().filter(|o| !o.0.and(self.wanted).is_empty());
        let mut facts: Vec<(String, String)> = opcodes
            .map(|(targets, opcode)| (format!("{} {opcode:#x}", encoding.name), self.names(targets.and(self.wanted))))
            .collect();
        facts.extend(form.wave.map(|wave| ("waves".to_owned(), format!("of {wave} lanes only"))));
        if form.assembler_only {
            facts.push(("reading".to_owned(), "only read: another name of the same bits is printed".to_owned()));
        }
        vec![Block::Code(text.trim_end().to_owned()), Block::List(facts)]
    }

    /// The operands that are written, and the registers that are read and written without an operand.
    fn effects(&self, instruction: &Instruction, forms: &[&Form]) -> Vec<(String, String)> {
        let encodings = || forms.iter().map(|form| &self.table.encodings[form.encoding]);
        let own = [&instruction.reads, &instruction.writes];
        let usual: [Vec<&Effect>; 2] =
            [encodings().flat_map(|e| &e.reads).collect(), encodings().flat_map(|e| &e.writes).collect()];
        let has_operand = |name: &str| forms.iter().flat_map(|f| f.operands).any(|o| o.name == name);
        let is_float = forms.iter().any(|f| isa::amdgpu::has_float(f.operands));
        let mut lines = Vec::new();
        for (what, own, usual) in [("read", own[0], &usual[0]), ("written", own[1], &usual[1])] {
            let mut words: Vec<String> = Vec::new();
            let kept =
                usual.iter().copied().filter(|u| !own.iter().any(|o| o.name == u.name && o.condition == Condition::Always));
            for effect in own.iter().filter(|e| !e.is_absent).chain(kept) {
                let is_here = !effect.is_operand || has_operand(effect.name);
                let is_here = is_here && (effect.condition != Condition::Float || is_float);
                let word = format!("{}{}", effect.name, self.condition(effect.condition));
                if is_here && !words.contains(&word) {
                    words.push(word);
                }
            }
            if what == "read" && forms.iter().any(|f| f.limits.reads_vcc) {
                words.push("vcc".to_owned());
            }
            if !words.is_empty() {
                lines.push((what.to_owned(), words.join(", ")));
            }
        }
        lines
    }

    fn condition(&self, condition: Condition) -> String {
        match condition {
            Condition::Always | Condition::Float => String::new(),
            Condition::Targets(targets) => format!(" (on {})", self.names(targets)),
            Condition::Bits(field, value, bits) => {
                let name = self.table.fields.get(usize::from(field.0)).copied().unwrap_or("?");
                let bits = if bits == u64::MAX { String::new() } else { format!(" & {bits:#x}") };
                format!(" (if {name}{bits} = {value:#x})")
            }
        }
    }

    /// The modifiers of all forms, and what they mean.
    fn modifiers(&self, forms: &[&Form]) -> Vec<(String, String)> {
        let mut names: Vec<&str> = forms.iter().flat_map(|f| f.modifiers).map(|m| word_of(m)).filter(|m| !m.is_empty()).collect();
        names.sort_unstable();
        names.dedup();
        let title = |name: &str| {
            let known = self.words.immediates.iter().find(|i| i.name == name || i.prefix == name);
            known.map_or("A word that is there or not", |i| i.title).to_owned()
        };
        names.into_iter().map(|name| (name.to_owned(), title(name))).collect()
    }

    /// The layouts of all encodings of the forms, each once.
    fn bits(&self, forms: &[&Form], targets: Targets) -> Vec<Block> {
        let mut encodings: Vec<usize> = forms.iter().map(|f| f.encoding).collect();
        encodings.sort_unstable();
        encodings.dedup();
        let mut blocks = Vec::new();
        for encoding in encodings.into_iter().filter_map(|at| self.table.encodings.get(at)) {
            let has = forms.iter().filter(|f| std::ptr::eq(&self.table.encodings[f.encoding], encoding));
            let here = has.fold(Targets::NONE, |all, f| all.or(f.targets())).and(targets);
            for layout in encoding.layouts.iter().filter(|l| !l.targets.and(here).is_empty()) {
                blocks.push(Block::Text(self.layout_title(encoding, layout, here)));
                blocks.push(Block::Code(self.diagram(layout)));
            }
        }
        blocks
    }

    /// The page of an encoding: its bits on each generation, and how many instructions have it.
    fn encoding(&self, at: usize, encoding: &Encoding) -> Option<Page> {
        let layouts: Vec<&Layout> = encoding.layouts.iter().filter(|l| !l.targets.and(self.wanted).is_empty()).collect();
        let all = layouts.iter().fold(Targets::NONE, |all, l| all.or(l.targets)).and(self.wanted);
        let diagrams = layouts
            .iter()
            .flat_map(|layout| [Block::Text(self.layout_title(encoding, layout, all)), Block::Code(self.diagram(layout))]);
        let has = |i: &&Instruction| i.forms.iter().any(|f| f.encoding == at && !f.targets().and(self.wanted).is_empty());
        let mut names: Vec<&str> = self.table.instructions.iter().filter(has).map(|i| i.name).collect();
        names.sort_unstable();
        let sections = vec![
            section("Targets", vec![Block::Text(self.names(all))]),
            section("Bits", diagrams.collect()),
            section("Instructions", vec![Block::Text(format!("{}: {}", names.len(), names.join(" ")))]),
        ];
        (!layouts.is_empty()).then(|| Page { name: encoding.name.to_owned(), title: encoding.title.to_owned(), sections })
    }

    fn layout_title(&self, encoding: &Encoding, layout: &Layout, here: Targets) -> String {
        format!("{} on {}, {} bits: {}", encoding.name, self.names(layout.targets.and(here)), layout.bits, encoding.title)
    }

    /// A box for each field, a row for each word of 32 bits, the highest first.
    fn diagram(&self, layout: &Layout) -> String {
        let mut taken = 0u128;
        let mut rows: Vec<(String, String)> = vec![Default::default(); (layout.bits / 32) as usize];
        let mut pieces: Vec<&isa::amdgpu::Piece> = Vec::new();
        for piece in &layout.pieces {
            let mask = (u128::MAX >> (128 - u32::from(piece.width.clamp(1, 128)))) << piece.low;
            // Other names of bits that have one are left out.
            if taken & mask == 0 {
                taken |= mask;
                pieces.push(piece);
            }
        }
        for piece in pieces {
            let high = piece.low + piece.width - 1;
            let range = if high == piece.low { high.to_string() } else { format!("{high}:{}", piece.low) };
            let name = match piece.content {
                Content::Fixed(bits) => format!("{bits:0width$b}", width = usize::from(piece.width)),
                Content::Ignored => "-".to_owned(),
                Content::Field(field, from) => {
                    let name = self.table.fields.get(usize::from(field.0)).copied().unwrap_or("?");
                    let is_whole = !layout
                        .pieces
                        .iter()
                        .any(|p| matches!(p.content, Content::Field(f, other) if f == field && other != from));
                    match piece.width {
                        _ if is_whole => name.to_owned(),
                        1 => format!("{name}[{from}]"),
                        width => format!("{name}[{}:{from}]", from + width - 1),
                    }
                }
            };
            let width = range.len().max(name.len());
            let Some((ranges, names)) = rows.get_mut(usize::from(high / 32)) else { continue };
            *ranges += &format!("  {range:width$}");
            *names += &format!("| {name:width$} ");
            *ranges += " ";
        }
        rows.iter().rev().map(|(ranges, names)| format!("{}\n{names}|", ranges.trim_end())).collect::<Vec<_>>().join("\n")
    }
}

/// A format in words: `f16x` is as many numbers as there is room for.
fn spelled(format: &str) -> String {
    match format.strip_suffix('x') {
        Some(element) => format!("{element} numbers, as many as there is room for"),
        None => format.to_owned(),
    }
}

/// The word of a modifier in a record: what stands before `@` and marks.
fn word_of(modifier: &str) -> &str {
    let name = modifier.split('@').next().unwrap_or("");
    &name[..name.find(['/', '+', '-', '=', '*']).unwrap_or(name.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, target: Option<&str>) -> String {
        let table = Table::get().unwrap_or_else(|e| panic!("{e}"));
        let words = Words::get().unwrap_or_else(|e| panic!("{e}"));
        let target = target.and_then(|t| table.target(t));
        find(table, words, name, target).iter().map(|p| p.text(false)).collect()
    }

    /// The two encodings of AMD's manuals: VOP3P opcode 42 of "Vega", 24 of RDNA.
    #[test]
    fn opcodes_and_layouts_are_shown() {
        let page = text("v_dot8_i32_i4", None);
        for part in ["vop3p 0x2a", "vop3p 0x18", "110100111", "110011000", "63:61", "neg_lo", "Sources"] {
            assert!(page.contains(part), "{part} is missing in\n{page}");
        }
        assert!(page.contains("v_dot8_i32_iu4: "), "the alias leads to what it is on gfx11\n{page}");
    }

    /// As the ISA guides of Vega and RDNA have them.
    #[test]
    fn an_encoding_has_a_page_with_its_bits_on_each_generation() {
        let page = text("VOP3P", None);
        for part in ["110100111", "110011000", "63:61", "v_dot8_i32_i4"] {
            assert!(page.contains(part), "{part} is missing in\n{page}");
        }
        assert!(!text("vop3p", Some("gfx942")).contains("110011000"));
        assert_eq!(text("mimg", Some("gfx942")), "");
    }

    #[test]
    fn a_target_leaves_out_what_it_lacks() {
        let page = text("v_dot8_i32_i4", Some("gfx90a"));
        assert!(page.contains("vop3p 0x2a") && !page.contains("0x18") && !page.contains("iu4"), "{page}");
        assert_eq!(text("v_dot8_i32_iu4", Some("gfx1030")), "");
    }

    #[test]
    fn every_instruction_has_a_page_with_bits() {
        let table = Table::get().unwrap_or_else(|e| panic!("{e}"));
        let words = Words::get().unwrap_or_else(|e| panic!("{e}"));
        assert!(table.instructions.len() > 1000);
        for instruction in &table.instructions {
            let pages = find(table, words, instruction.name, None);
            let has_bits = pages.iter().any(|p| p.sections.iter().any(|s| s.heading == "Bits" && !s.blocks.is_empty()));
            assert!(has_bits, "{}", instruction.name);
        }
    }
}
