//! A code object as the text of assembly that makes it again: the way back of [`assembler`](crate::assembler).
//!
//! Sections, symbols and relocations stand in the order of the file, so that an assembler gives each the same place. Kernel descriptors become
//! `.amdhsa_kernel` and metadata `.amdgpu_metadata` wherever those give the same bytes, else data. What is no instruction, or would be assembled
//! to other bits, is `.long` with the reason. What a linker makes (dynamic symbols, hashes, segments) is left to it; a linked object comes
//! back section by section, at the addresses that the linker chooses.
//!
//! It is not the listing that people read: that is `lockstep disasm`, with addresses, words and registers.

use object::elf as format;
use rmpv::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use crate::codec::Codec;
use crate::disasm::{Again, Instructions, Item, Recall};
use crate::object::descriptor::{Descriptor, Directives};
use crate::object::metadata::Metadata;
use crate::object::{CodeObject, Error, Kernel, Kind, Relocation, Section, Symbol, TargetId, relocation_name};

/// The type of the section that lists symbols whose addresses matter.
const ADDRESS_SIGNIFICANCE: u32 = 0x6fff_4c03;

/// A code object as text.
#[derive(Clone, Debug, Default)]
pub struct Disassembly {
    /// The assembly.
    pub text: String,
    /// Lanes of a wave that the assembler must be told, where that is not what is usual on the target.
    pub wave: Option<u8>,
    /// Words of code that became data.
    pub undefined: usize,
    /// What an assembler cannot be told, or the text does not say.
    pub lost: Vec<String>,
}

/// Writes a code object for its target.
///
/// ```
/// use amdgpu::{assembler, codec::Codec, disassembler, object::{CodeObject, TargetId}};
///
/// let (codec, target) = (Codec::of("gfx942", None)?, TargetId::of("gfx942")?);
/// let make = |text: &str| -> Result<Vec<u8>, Box<dyn std::error::Error>> {
///     let assembly = assembler::assemble(text, &codec, &target, None);
///     Ok(assembler::object(&assembly, target, None).map_err(|problems| problems[0].message.clone())?.relocatable()?)
/// };
/// let file = make(".globl f\nf: s_cmp_eq_u32 s0, 0\n s_cbranch_scc1 f\n s_endpgm\n.size f, .-f")?;
/// let disassembly = disassembler::disassemble(&CodeObject::read(&file)?)?;
/// assert!(disassembly.text.contains(".reloc 0x4, R_AMDGPU_REL16, f"));
/// assert_eq!(make(&disassembly.text)?, file);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The table does not have its target, or a kernel's descriptor lies outside its section.
pub fn disassemble(object: &CodeObject) -> Result<Disassembly, Error> {
    let Some(target) = object.target else {
        return Err(Error::new(format!("the processor {:#x} of the code object is unknown", object.flags & 0xff)));
    };
    let kernels = object.kernels()?;
    let waves: BTreeSet<u8> = kernels.iter().map(|k| k.descriptor.wave_size(target.object) as u8).collect();
    let wave = waves.first().copied();
    let codec = Codec::of(target.object.name, wave).map_err(Error::new)?;
    let usual = if codec.has("wave32") { 32 } else { 64 };
    let mut result = Disassembly { wave: wave.filter(|w| *w != usual), ..Disassembly::default() };
    if waves.len() > 1 {
        result.lost.push("kernels have waves of 32 and of 64 lanes; the code is read as for the former".to_owned());
    }
    if object.kind == Kind::Shared && !object.relocations.is_empty() {
        result.lost.push(format!("the {} relocations that a loader makes", object.relocations.len()));
    }
    let base = |section: &Section| if object.kind == Kind::Relocatable { 0 } else { section.address };
    let mut places: HashMap<usize, BTreeMap<u64, Vec<&Symbol>>> = HashMap::new();
    for symbol in object.symbols.iter().filter(|s| is_named(s, object)) {
        let Some(section) = object.sections.get(usize::from(symbol.section)).filter(|_| symbol.section != 0) else { continue };
        let Some(offset) = symbol.value.checked_sub(base(section)).filter(|o| *o <= section.size) else { continue };
        places.entry(symbol.section.into()).or_default().entry(offset).or_default().push(symbol);
    }
    let names: HashMap<&str, &Symbol> = object.symbols.iter().rev().map(|symbol| (&*symbol.name, symbol)).collect();
    let starts = kernels.iter().enumerate().map(|(at, kernel)| ((kernel.section, kernel.offset), at)).collect();
    let mut writer = Writer { object, target, codec: &codec, starts, blocks: HashMap::new(), places, result };
    writer.blocks = kernels.iter().filter_map(|kernel| Some((kernel.name, writer.described(kernel, &names)?))).collect();
    writer.header();
    let kept: Vec<usize> = (0..object.sections.len()).filter(|index| writer.is_kept(*index)).collect();
    writer.symbols(&kept);
    for index in &kept {
        writer.section(*index, kept.last() == Some(index));
    }
    writer.significant();
    Ok(writer.result)
}

/// Whether a symbol is said by name in the text.
fn is_named(symbol: &Symbol, object: &CodeObject) -> bool {
    let in_dynamic =
        object.sections.get(usize::from(symbol.section)).is_some_and(|s| s.kind == format::SHT_DYNAMIC.0 && symbol.section != 0);
    !symbol.name.is_empty() && matches!(symbol.kind, 0..=2 | 6 | 10) && !in_dynamic
}

/// The directives of a kernel.
#[derive(Clone, Debug)]
struct Block {
    /// STV_... of the descriptor's symbol: the kernel's was this, too, when the descriptor was made.
    visibility: u8,
    directives: Vec<(&'static str, u64)>,
}

struct Writer<'o, 'd> {
    object: &'o CodeObject<'d>,
    target: TargetId,
    codec: &'o Codec,
    /// Kernels by section and offset of their descriptors.
    starts: HashMap<(usize, u64), usize>,
    /// By name what makes the descriptors of kernels that directives make.
    blocks: HashMap<&'o str, Block>,
    /// Symbols by section and offset.
    places: HashMap<usize, BTreeMap<u64, Vec<&'o Symbol<'d>>>>,
    result: Disassembly,
}

impl<'d> Writer<'_, 'd> {
    fn line(&mut self, text: std::fmt::Arguments) {
        let _ = writeln!(self.result.text, "\t{text}");
    }

    fn header(&mut self) {
        let (target, version) = (self.target.triple(), self.object.version.number());
        self.line(format_args!(".amdgcn_target \"{target}\""));
        self.line(format_args!(".amdhsa_code_object_version {version}"));
    }

    /// Every symbol is said once in the order of the file, with what its place does not say. Where a section's own symbol stands between others,
    /// the section was begun there.
    fn symbols(&mut self, kept: &[usize]) {
        let mut begun = 0;
        for symbol in self.object.symbols.iter().skip(1) {
            if symbol.kind == 3 && self.object.kind == Kind::Relocatable {
                while let Some(index) = kept.get(begun).filter(|index| **index <= usize::from(symbol.section)) {
                    self.head(&self.object.sections[*index]);
                    begun += 1;
                }
            }
            if symbol.kind == 4 && !symbol.name.is_empty() {
                self.line(format_args!(".file {:?}", symbol.name));
            }
            if is_named(symbol, self.object) {
                self.symbol(symbol);
            }
        }
    }

    fn symbol(&mut self, symbol: &Symbol) {
        let name = quoted(&symbol.name);
        match symbol.binding {
            0 if symbol.section == 0 || symbol.name.starts_with(".L") => {}
            0 => self.line(format_args!(".local {name}")),
            1 => self.line(format_args!(".globl {name}")),
            2 => self.line(format_args!(".weak {name}")),
            _ => self.result.lost.push(format!("the binding {} of {name}", symbol.binding)),
        }
        // A kernel is shown as its descriptor was when that was made, and protected otherwise.
        let shown = self.blocks.get(&*symbol.name).map_or(symbol.other & 3, |block| block.visibility);
        if let Some(word) = visibility(shown) {
            self.line(format_args!("{word} {name}"));
        }
        let types = [(1, "object"), (2, "function"), (6, "tls_object"), (10, "gnu_indirect_function")];
        if let Some((_, kind)) = types.iter().find(|t| t.0 == symbol.kind) {
            self.line(format_args!(".type {name},@{kind}"));
        }
        match symbol.section {
            // What is in LDS has no place, and a linker forgets that it is there.
            0 if self.object.kind == Kind::Shared => self.line(format_args!(".amdgpu_lds {name}, {}, 4", symbol.size)),
            n if n == format::SHN_ABS.0 => self.line(format_args!(".set {name}, {:#x}", symbol.value)),
            n if n == format::SHN_COMMON.0 => self.line(format_args!(".comm {name},{},{}", symbol.size, symbol.value)),
            0xff00 => self.line(format_args!(".amdgpu_lds {name}, {}, {}", symbol.size, symbol.value)),
            _ => {}
        }
    }

    fn is_kept(&self, index: usize) -> bool {
        let section = &self.object.sections[index];
        let tables = [
            format::SHT_NULL.0,
            format::SHT_SYMTAB.0,
            format::SHT_STRTAB.0,
            format::SHT_RELA.0,
            format::SHT_REL.0,
            format::SHT_DYNSYM.0,
            format::SHT_HASH.0,
            format::SHT_GNU_HASH.0,
            format::SHT_DYNAMIC.0,
            ADDRESS_SIGNIFICANCE,
        ];
        let is_padding = self.object.kind == Kind::Shared && section.name == ".relro_padding";
        !tables.contains(&section.kind) && !is_padding
    }

    fn section(&mut self, index: usize, is_last: bool) {
        let section = &self.object.sections[index];
        if section.kind == format::SHT_NOTE.0 && (is_last || self.object.kind == Kind::Shared) && self.metadata(section) {
            return;
        }
        if section.kind == format::SHT_GROUP.0 {
            self.result.lost.push(format!("the group of sections {}", section.name));
            return;
        }
        self.result.text.push('\n');
        self.head(section);
        let relocations: Vec<&Relocation> = self.object.relocations.iter().filter(|r| r.section == Some(index)).collect();
        let is_code = section.flags & format::SHF_EXECINSTR.0 != 0;
        let places = self.places.remove(&index).unwrap_or_default();
        let mut body = Body { index, section, places, relocations, moved: 0, at: 0 };
        body.relocations.sort_by_key(|r| r.offset);
        match is_code {
            true => self.code(&mut body),
            false => self.data(&mut body),
        }
        self.sizes(&body);
    }

    /// The directive that begins a section.
    fn head(&mut self, section: &Section) {
        let letters =
            [(2, 'a'), (0x8000_0000, 'e'), (4, 'x'), (1, 'w'), (0x10, 'M'), (0x20, 'S'), (0x400, 'T'), (0x20_0000, 'R')];
        // A linker that has put sections together leaves flags of some of them.
        let flags = section.flags & if section.entry_size == 0 { !0x30 } else { !0 };
        let flags: String = letters.iter().filter(|l| flags & l.0 != 0).map(|l| l.1).collect();
        if section.name == ".text" && flags == "ax" {
            self.line(format_args!(".text"));
        } else {
            let kind = match section.kind {
                1 => "progbits".to_owned(),
                7 => "note".to_owned(),
                8 => "nobits".to_owned(),
                other => format!("{other:#x}"),
            };
            let entry = if flags.contains('M') { format!(",{}", section.entry_size) } else { String::new() };
            self.line(format_args!(".section {},\"{flags}\",@{kind}{entry}", quoted(&section.name)));
        }
        if section.alignment > 1 {
            self.line(format_args!(".p2align {}", section.alignment.trailing_zeros()));
        }
    }

    /// The symbols at a place, and relocations before its end.
    fn events(&mut self, body: &mut Body, offset: u64, end: u64) {
        for symbol in body.places.get(&offset).into_iter().flatten() {
            let _ = writeln!(self.result.text, "{}:", quoted(&symbol.name));
        }
        while let Some(relocation) = body.relocations.get(body.moved).filter(|r| r.offset < end) {
            body.moved += 1;
            let kind = relocation_name(relocation.kind).map_or_else(|| relocation.kind.to_string(), str::to_owned);
            let value = self.value(relocation);
            self.line(format_args!(".reloc {:#x}, {kind}, {value}", relocation.offset));
        }
    }

    /// What a relocation puts there.
    fn value(&self, relocation: &Relocation) -> String {
        let name = self.object.symbols.get(relocation.symbol).filter(|_| relocation.symbol > 0).map(|symbol| {
            let section = self.object.sections.get(usize::from(symbol.section)).filter(|_| symbol.kind == 3);
            quoted(section.map_or(&*symbol.name, |section| &*section.name))
        });
        match (name, relocation.addend) {
            (None, addend) => addend.to_string(),
            (Some(name), 0) => name,
            (Some(name), addend) => format!("{name}{addend:+}"),
        }
    }

    /// The sizes of a section's symbols.
    fn sizes(&mut self, body: &Body) {
        for symbol in body.places.values().flatten().filter(|s| s.size > 0) {
            // Directives of a kernel say what its descriptor's size is.
            if symbol.name.strip_suffix(".kd").is_none_or(|name| !self.blocks.contains_key(name)) {
                let _ = writeln!(self.result.text, "\t.size {}, {}", quoted(&symbol.name), symbol.size);
            }
        }
    }

    fn code(&mut self, body: &mut Body<'_, 'd>) {
        let code = body.section.data;
        let items: Vec<Item> = Instructions::new(self.codec, code).collect();
        let begins = |t: &u64| items.binary_search_by_key(t, |item| item.offset as u64).is_ok();
        // LLVM puts a no-operation before a branch by so much where hardware fails: written as a number it is left alone.
        let target = |item: &Item| {
            let target = item.branch().and_then(|t| u64::try_from(t).ok())?;
            let is_odd = target.wrapping_sub((item.offset + item.size) as u64) == 0x3f * 4;
            (!is_odd).then_some(target)
        };
        let labels: BTreeSet<u64> = items.iter().filter_map(target).filter(begins).collect();
        let mut recall = Recall::new(self.codec);
        for item in &items {
            let (offset, end) = (item.offset as u64, (item.offset + item.size) as u64);
            self.events(body, offset, end);
            if labels.contains(&offset) {
                let _ = writeln!(self.result.text, ".L{}_{offset:x}:", body.index);
            }
            // Symbols within take it apart.
            let within: Vec<u64> = body.places.range(offset + 1..end).map(|place| *place.0).collect();
            if !within.is_empty() {
                let mut from = offset;
                for to in within.into_iter().chain([end]) {
                    self.bytes(code.get(from as usize..to as usize).unwrap_or(&[]));
                    // Those at the end are the next instruction's.
                    if to < end {
                        self.events(body, to, end);
                    }
                    from = to;
                }
                continue;
            }
            let label = target(item).filter(|t| labels.contains(t)).map(|t| format!(".L{}_{t:x}", body.index));
            self.instruction(item, code, label.as_deref(), &mut recall);
        }
        self.events(body, code.len() as u64, u64::MAX);
    }

    fn instruction(&mut self, item: &Item, code: &[u8], label: Option<&str>, recall: &mut Recall) {
        let text = &mut self.result.text;
        let start = text.len();
        text.push('\t');
        let why = match &item.what {
            Ok(decoded) => match recall.print_and_judge(decoded, text) {
                Again::Same => {
                    if let Some(label) = label {
                        text.truncate(start + 1);
                        self.codec.print_branch(decoded, label, text);
                    }
                    text.push('\n');
                    return;
                }
                Again::Spare => format!("{}: with bits that nobody reads", &text[start + 1..]),
                Again::Other => format!("{}: an assembler writes it with other bits", &text[start + 1..]),
                Again::Refused(reason) => format!("{}: {reason}", &text[start + 1..]),
            },
            Err(undefined) => undefined.to_string(),
        };
        text.truncate(start);
        let bytes = item.bytes(code);
        let (words, rest) = bytes.as_chunks();
        let all: Vec<String> = words.iter().map(|w| format!("{:#010x}", u32::from_le_bytes(*w))).collect();
        let _ = match rest {
            [] => writeln!(text, "\t.long {} // {why}", all.join(", ")),
            _ => writeln!(text, "\t.byte {} // {why}", bytes.iter().map(|b| format!("{b:#04x}")).collect::<Vec<_>>().join(", ")),
        };
        self.result.undefined += 1;
    }

    fn data(&mut self, body: &mut Body<'_, 'd>) {
        let section = body.section;
        let data = section.data;
        let end = if section.kind == format::SHT_NOBITS.0 { section.size } else { data.len() as u64 };
        while body.at < end {
            if let Some(block) = self.block(body) {
                self.result.text += &block;
                body.at += Descriptor::SIZE as u64;
                continue;
            }
            let next = body.places.range(body.at + 1..).next().map_or(end, |place| (*place.0).min(end));
            self.events(body, body.at, next);
            match data.get(body.at as usize..next as usize) {
                Some(bytes) if section.kind != format::SHT_NOBITS.0 => self.bytes(bytes),
                _ => self.line(format_args!(".zero {}", next - body.at)),
            }
            body.at = next;
        }
        self.events(body, end, u64::MAX);
    }

    /// Bytes as data: texts as such, zeros counted, the rest in words.
    fn bytes(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let zeros = rest.iter().take_while(|b| **b == 0).count();
            let printable = |b: &&u8| (0x20..0x7f).contains(*b) || **b == b'\n' || **b == b'\t';
            let letters = rest.iter().take_while(printable).count();
            let taken = if zeros > 16 || zeros == rest.len() {
                self.line(format_args!(".zero {zeros}"));
                zeros
            } else if letters > 7 {
                let text: String = rest[..letters].iter().map(|b| char::from(*b)).collect();
                let ends = rest.get(letters) == Some(&0);
                self.line(format_args!("{} {text:?}", if ends { ".asciz" } else { ".ascii" }));
                letters + usize::from(ends)
            } else if rest.len() >= 4 {
                let word = u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]);
                self.line(format_args!(".long {word:#010x}"));
                4
            } else {
                self.line(format_args!(".byte {:#04x}", rest[0]));
                1
            };
            rest = &rest[taken..];
        }
    }

    /// What makes a kernel's descriptor, if directives make it and its symbol.
    fn described(&self, kernel: &Kernel, names: &HashMap<&str, &Symbol>) -> Option<Block> {
        let (code, descriptor) = (names.get(kernel.name)?, names.get(&*format!("{}.kd", kernel.name))?);
        let shown = if descriptor.other & 3 == 0 { 3 } else { descriptor.other & 3 };
        let is_alike = descriptor.binding == code.binding && code.other & 3 == shown && descriptor.size == 64;
        // The distance to the code is that to the symbol of this name.
        let entry = kernel.entry.filter(|e| usize::from(code.section) == e.section)?;
        let relocatable = self.object.kind == Kind::Relocatable;
        let base = if relocatable { 0 } else { self.object.sections.get(entry.section)?.address };
        let is_there = code.value.checked_sub(base) == Some(entry.offset);
        let directives = self.directives(kernel)?;
        (is_alike && is_there).then_some(Block { visibility: descriptor.other & 3, directives })
    }

    /// `.amdhsa_kernel`, if it makes the descriptor that begins here.
    fn block(&self, body: &mut Body) -> Option<String> {
        self.starts.get(&(body.index, body.at))?;
        let end = body.at + Descriptor::SIZE as u64;
        let here = body.relocations.iter().skip(body.moved).take_while(|r| r.offset < end).count();
        let mut symbols = body.places.range(body.at..end).flat_map(|place| place.1);
        let (Some(symbol), None) = (symbols.next(), symbols.next()) else { return None };
        if here > 1 || self.object.kind == Kind::Relocatable && here != 1 {
            return None;
        }
        let name = symbol.name.strip_suffix(".kd")?;
        let block = self.blocks.get(name)?;
        body.moved += here;
        let mut text = format!("\t.amdhsa_kernel {}\n", quoted(name));
        for (name, value) in &block.directives {
            let _ = writeln!(text, "\t\t{name} {value}");
        }
        text += "\t.end_amdhsa_kernel\n";
        Some(text)
    }

    /// The directives that make a descriptor, if there are such: those that must be there, and those that say what is not usual.
    fn directives(&self, kernel: &Kernel) -> Option<Vec<(&'static str, u64)>> {
        let (object, own) = (self.target.object, &kernel.descriptor);
        let layout = isa::amdgpu::descriptor::Layout::get().ok()?;
        let mut list = Vec::new();
        for directive in layout.directives.iter().filter(|d| d.on.has(object.target) && !d.sets.is_empty()) {
            let field = layout.field(object, directive.sets)?;
            let value = own.get(field);
            let is_wave = directive.sets == "enable_wavefront_size32";
            if value != field.default(object) || is_wave {
                list.push((directive.name, value));
            }
        }
        list.push((".amdhsa_next_free_vgpr", own.vgprs(object).into()));
        list.extend(own.accum_offset(object).map(|offset| (".amdhsa_accum_offset", offset.into())));
        list.extend([".amdhsa_reserve_vcc", ".amdhsa_reserve_flat_scratch"].iter().filter_map(|name| {
            let directive = layout.directive(name)?;
            (object.sgprs.is_some() && directive.on.has(object.target)).then_some((directive.name, 0))
        }));
        // What is reserved behind the SGPRs is part of their number.
        let most = own.sgprs(object).map_or(0, u64::from);
        let mut entry = *own;
        entry.bytes[Descriptor::ENTRY_OFFSET..Descriptor::ENTRY_OFFSET + 8].fill(0);
        for reserved in [0, 2, 4, 6] {
            let mut all = list.clone();
            all.push((".amdhsa_next_free_sgpr", most.saturating_sub(reserved)));
            if self.made(&all).is_some_and(|made| made == entry) {
                return Some(all);
            }
        }
        None
    }

    fn made(&self, list: &[(&'static str, u64)]) -> Option<Descriptor> {
        let mut directives = Directives::new(self.target, Some(self.codec.wave.into())).ok()?;
        list.iter().try_for_each(|(name, value)| directives.set(name, i64::try_from(*value).unwrap_or(i64::MAX))).ok()?;
        directives.finish().ok()
    }

    /// `.amdgpu_metadata`, if it makes the section.
    fn metadata(&mut self, section: &Section) -> bool {
        let Some(note) = self.object.notes.iter().find(|n| n.name == "AMDGPU" && n.kind == 32) else { return false };
        let mut rest = note.data;
        let Ok(value) = rmpv::decode::read_value_with_max_depth(&mut rest, 64) else { return false };
        let mut yaml = String::from("---\n");
        write_yaml(&value, 0, &mut yaml);
        let same = Metadata::from_yaml(&yaml).is_ok_and(|metadata| metadata.write() == note.data);
        // A header of 12 bytes, and the name with its zero in 8.
        let alone = section.data.len() == 20 + note.data.len().next_multiple_of(4);
        if !same || !alone || section.alignment != 4 || section.flags != 2 || section.name != ".note" {
            return false;
        }
        let _ = write!(self.result.text, "\n\t.amdgpu_metadata\n{yaml}...\n\t.end_amdgpu_metadata\n");
        true
    }

    /// The symbols whose addresses matter.
    fn significant(&mut self) {
        let Some(section) = self.object.sections.iter().find(|s| s.kind == ADDRESS_SIGNIFICANCE) else { return };
        self.line(format_args!(".addrsig"));
        let (mut number, mut shift) = (0u64, 0);
        for byte in section.data {
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte & 0x80 == 0 {
                let symbol = self.object.symbols.get(number as usize).map(|s| quoted(&s.name));
                symbol.into_iter().for_each(|name| self.line(format_args!(".addrsig_sym {name}")));
                (number, shift) = (0, 0);
            }
        }
    }
}

/// A section while it is written.
struct Body<'o, 'd> {
    index: usize,
    section: &'o Section<'d>,
    places: BTreeMap<u64, Vec<&'o Symbol<'d>>>,
    relocations: Vec<&'o Relocation>,
    /// How many relocations have been written.
    moved: usize,
    at: u64,
}

fn visibility(other: u8) -> Option<&'static str> {
    [None, Some(".internal"), Some(".hidden"), Some(".protected")][usize::from(other & 3)]
}

/// A name as an assembler takes it for a symbol.
fn quoted(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '@'));
    if plain && !name.starts_with(|c: char| c.is_ascii_digit()) { name.to_owned() } else { format!("{name:?}") }
}

/// A value of metadata as YAML, at a depth.
fn write_yaml(value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Map(pairs) if !pairs.is_empty() => {
            for (at, (key, value)) in pairs.iter().enumerate() {
                let _ = write!(out, "{}{}:", if at == 0 { "" } else { &indent }, scalar(key));
                write_below(value, depth, out);
            }
        }
        Value::Array(list) if !list.is_empty() => {
            for (at, value) in list.iter().enumerate() {
                let _ = write!(out, "{}- ", if at == 0 { "" } else { &indent });
                match value {
                    Value::Map(pairs) if !pairs.is_empty() => write_yaml(value, depth + 1, out),
                    Value::Array(list) if !list.is_empty() => write_yaml(value, depth + 1, out),
                    value => {
                        let _ = writeln!(out, "{}", scalar(value));
                    }
                }
            }
        }
        value => {
            let _ = writeln!(out, "{}", scalar(value));
        }
    }
}

/// What stands behind a key.
fn write_below(value: &Value, depth: usize, out: &mut String) {
    let nests = match value {
        Value::Map(pairs) => !pairs.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    };
    if nests {
        let _ = write!(out, "\n{}", "  ".repeat(depth + 1));
        return write_yaml(value, depth + 1, out);
    }
    let _ = writeln!(out, " {}", scalar(value));
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let text = text.as_str().unwrap_or("");
            let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | '+');
            let plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '.' || c == '_') && text.chars().all(is_plain);
            if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "''")) }
        }
        Value::Array(_) => "[]".to_owned(),
        Value::Map(_) => "{}".to_owned(),
        other => other.to_string(),
    }
}
