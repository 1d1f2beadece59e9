//! Writes code objects.
//!
//! A [`Builder`] takes what an assembler makes: sections, symbols, relocations, descriptors, metadata.
//! [`Builder::relocatable`] lays them out as LLVM's assembler does, byte for byte; [`Builder::shared`] links them into what an
//! HSA loader takes, laid out as LLVM's linker does.
//!
//! Symbols keep the order in which they were first mentioned, sections that in which they were first switched to: an assembler
//! that asks for them then gets LLVM's order.

mod relocatable;
mod shared;
mod strings;

use super::descriptor::Descriptor;
use super::elf::{self, Version};
use super::error::{Error, Result};
use super::metadata::Metadata;
use super::read::{CodeObject, Kind};
use super::target::TargetId;
use object::elf as format;
use std::collections::HashMap;

/// A code object under construction.
///
/// ```
/// use amdgpu::object::write::{Builder, Place};
/// use amdgpu::object::{CodeObject, TargetId, Version};
///
/// let mut builder = Builder::new(TargetId::of("gfx942")?, Version::V6);
/// let text = builder.section(".text");
/// builder.sections[text].data = vec![0x00, 0x00, 0x81, 0xbf];
/// let symbol = builder.symbol("end");
/// builder.symbols[symbol].place = Place::Section(text);
/// let file = builder.relocatable()?;
///
/// let object = CodeObject::read(&file)?;
/// assert_eq!(object.target.map(|target| target.object.name), Some("gfx942"));
/// assert_eq!(object.symbol("end").map(|symbol| symbol.value), Some(0));
/// # Ok::<(), amdgpu::object::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    /// What it runs on.
    pub target: TargetId,
    /// Its version.
    pub version: Version,
    /// Sections in their order.
    pub sections: Vec<NewSection>,
    /// Symbols in their order; sections' own symbols among them, which are written where relocations need them.
    pub symbols: Vec<NewSymbol>,
    /// The symbols whose addresses are compared, which a linker must keep apart, if the file says which: `.llvm_addrsig`.
    pub address_significant: Option<Vec<usize>>,
    names: HashMap<String, usize>,
}

/// A section under construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSection {
    /// Its name.
    pub name: String,
    /// SHT_...
    pub kind: u32,
    /// SHF_...
    pub flags: u64,
    /// Alignment in bytes, a power of two.
    pub alignment: u64,
    /// Bytes of an entry of a table, else 0.
    pub entry_size: u64,
    /// Its bytes; none for SHT_NOBITS.
    pub data: Vec<u8>,
    /// Bytes of a section of kind SHT_NOBITS.
    pub zeros: u64,
    /// What a linker changes in it, in the order in which it is written.
    pub relocations: Vec<NewRelocation>,
    /// Its own symbol.
    pub symbol: usize,
}

/// A relocation of a section under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewRelocation {
    /// First byte that it changes.
    pub offset: u64,
    /// R_AMDGPU_...
    pub kind: u32,
    /// Index of the symbol; none stands for the address 0.
    pub symbol: Option<usize>,
    /// What is added.
    pub addend: i64,
}

/// Where a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Elsewhere.
    Undefined,
    /// Its value is no address.
    Absolute,
    /// In a section, at the offset that is its value.
    Section(usize),
    /// Wherever the linker puts it; its value is its alignment.
    Common,
    /// In LDS; its value is its alignment.
    Lds,
}

/// A symbol under construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSymbol {
    /// Its name; empty for a section's.
    pub name: String,
    /// STB_...
    pub binding: u8,
    /// STT_...
    pub kind: u8,
    /// STV_...
    pub visibility: u8,
    /// Where it is.
    pub place: Place,
    /// Offset, number or alignment.
    pub value: u64,
    /// Bytes.
    pub size: u64,
}

impl NewSymbol {
    fn is_local(&self) -> bool {
        self.binding == format::STB_LOCAL.0 && self.place != Place::Undefined
    }

    fn is_section(&self) -> bool {
        self.kind == format::STT_SECTION.0
    }

    /// Whether an assembler keeps it out of the file where no relocation needs it.
    fn is_temporary(&self) -> bool {
        self.is_section() || self.name.starts_with(".L")
    }
}

/// Kind, flags and entry size of sections by their first names.
const KNOWN_SECTIONS: [(&str, u32, u64); 6] = [
    (".text", format::SHT_PROGBITS.0, format::SHF_ALLOC.0 | format::SHF_EXECINSTR.0),
    (".rodata", format::SHT_PROGBITS.0, format::SHF_ALLOC.0),
    (".data", format::SHT_PROGBITS.0, format::SHF_ALLOC.0 | format::SHF_WRITE.0),
    (".bss", format::SHT_NOBITS.0, format::SHF_ALLOC.0 | format::SHF_WRITE.0),
    (".note", format::SHT_NOTE.0, format::SHF_ALLOC.0),
    (".AMDGPU", format::SHT_PROGBITS.0, 0),
];

impl Builder {
    /// Nothing yet.
    pub fn new(target: TargetId, version: Version) -> Builder {
        Builder { target, version, sections: Vec::new(), symbols: Vec::new(), address_significant: None, names: HashMap::new() }
    }

    /// What a relocatable code object holds, to be written again or linked.
    ///
    /// # Errors
    /// It is linked already, its target is unknown, or a symbol lies in no section.
    pub fn of(object: &CodeObject<'_>) -> Result<Builder> {
        if object.kind != Kind::Relocatable {
            return Err(Error::new("the code object is linked already").help("take the relocatable file that it was linked from"));
        }
        let Some(target) = object.target else {
            return Err(Error::new(format!("the processor {:#x} of the code object is unknown", object.flags & 0xff)));
        };
        let mut builder = Builder::new(target, object.version);
        let tables = [format::SHT_NULL.0, format::SHT_STRTAB.0, format::SHT_SYMTAB.0, format::SHT_RELA.0, elf::SHT_LLVM_ADDRSIG];
        let mut new = vec![None; object.sections.len()];
        for (index, section) in object.sections.iter().enumerate().filter(|(_, s)| !tables.contains(&s.kind)) {
            new[index] = Some(builder.sections.len());
            let nobits = section.kind == format::SHT_NOBITS.0;
            builder.sections.push(NewSection {
                name: section.name.to_string(),
                kind: section.kind,
                flags: section.flags,
                alignment: section.alignment.max(1),
                entry_size: section.entry_size,
                data: section.data.to_vec(),
                zeros: if nobits { section.size } else { 0 },
                relocations: Vec::new(),
                symbol: usize::MAX,
            });
        }
        for symbol in object.symbols.iter().skip(1) {
            let place = match symbol.section {
                0 => Place::Undefined,
                n if n == format::SHN_ABS.0 => Place::Absolute,
                n if n == format::SHN_COMMON.0 => Place::Common,
                elf::SHN_AMDGPU_LDS => Place::Lds,
                n => match new.get(usize::from(n)).copied().flatten() {
                    Some(section) => Place::Section(section),
                    None => {
                        return Err(Error::new(format!(
                            "the symbol {} lies in section {n}, which holds no code or data",
                            symbol.name
                        )));
                    }
                },
            };
            let at = builder.symbols.len();
            if let (Place::Section(section), true) = (place, symbol.kind == format::STT_SECTION.0) {
                builder.sections[section].symbol = at;
            }
            builder.names.insert(symbol.name.to_string(), at);
            builder.symbols.push(NewSymbol {
                name: symbol.name.to_string(),
                binding: symbol.binding,
                kind: symbol.kind,
                visibility: symbol.other,
                place,
                value: symbol.value,
                size: symbol.size,
            });
        }
        for section in 0..builder.sections.len() {
            if builder.sections[section].symbol == usize::MAX {
                builder.sections[section].symbol = builder.symbols.len();
                builder.symbols.push(section_symbol(section));
            }
        }
        for relocation in &object.relocations {
            let Some(section) = relocation.section.and_then(|s| new[s]) else { continue };
            let symbol = relocation.symbol.checked_sub(1);
            let (offset, kind, addend) = (relocation.offset, relocation.kind, relocation.addend);
            builder.sections[section].relocations.push(NewRelocation { offset, kind, symbol, addend });
        }
        Ok(builder)
    }

    /// The section of a name; made, as that name has it, if it is not there: `.text`, `.rodata`, `.data`, `.bss`, `.note`.
    pub fn section(&mut self, name: &str) -> usize {
        let prefix = |known: &str| name == known || name.strip_prefix(known).is_some_and(|rest| rest.starts_with('.'));
        let known = KNOWN_SECTIONS.iter().find(|k| prefix(k.0));
        let (kind, flags) = known.map_or((format::SHT_PROGBITS.0, 0), |k| (k.1, k.2));
        self.section_of(name, kind, flags, 0)
    }

    /// The section of a name; made with this kind, flags and entry size if it is not there.
    pub fn section_of(&mut self, name: &str, kind: u32, flags: u64, entry_size: u64) -> usize {
        if let Some(at) = self.sections.iter().position(|s| s.name == name) {
            return at;
        }
        let at = self.sections.len();
        let symbol = self.symbols.len();
        self.symbols.push(section_symbol(at));
        // Instructions are words; LLVM aligns no other section by itself.
        let alignment = if name == ".text" { 4 } else { 1 };
        let (data, relocations) = (Vec::new(), Vec::new());
        let name = name.to_owned();
        self.sections.push(NewSection { name, kind, flags, alignment, entry_size, data, zeros: 0, relocations, symbol });
        at
    }

    /// The symbol of a name; made as local and undefined if it is not there.
    pub fn symbol(&mut self, name: &str) -> usize {
        if let Some(&at) = self.names.get(name) {
            return at;
        }
        let at = self.symbols.len();
        let (binding, kind, visibility) = (format::STB_LOCAL.0, format::STT_NOTYPE.0, format::STV_DEFAULT.0);
        self.symbols.push(NewSymbol {
            name: name.to_owned(),
            binding,
            kind,
            visibility,
            place: Place::Undefined,
            value: 0,
            size: 0,
        });
        self.names.insert(name.to_owned(), at);
        at
    }

    /// Appends the descriptor of the kernel `name` to a section, with its symbol and the relocation that points to the code. As
    /// LLVM does it: the descriptor's symbol is bound as the kernel's is now, and a kernel of default visibility becomes protected.
    pub fn kernel(&mut self, section: usize, name: &str, descriptor: &Descriptor) {
        let code = self.symbol(name);
        let symbol = self.symbol(&format!("{name}.kd"));
        let offset = self.sections[section].data.len() as u64;
        let (binding, visibility) = (self.symbols[code].binding, self.symbols[code].visibility);
        let made = &mut self.symbols[symbol];
        (made.binding, made.visibility, made.kind) = (binding, visibility, format::STT_OBJECT.0);
        (made.place, made.value, made.size) = (Place::Section(section), offset, Descriptor::SIZE as u64);
        if visibility == format::STV_DEFAULT.0 {
            self.symbols[code].visibility = format::STV_PROTECTED.0;
        }
        let field = Descriptor::ENTRY_OFFSET;
        let relocation =
            NewRelocation { offset: offset + field as u64, kind: elf::REL64, symbol: Some(code), addend: field as i64 };
        self.sections[section].data.extend_from_slice(&descriptor.bytes);
        self.sections[section].relocations.push(relocation);
    }

    /// Appends the metadata's note.
    pub fn metadata(&mut self, metadata: &Metadata) {
        self.note("AMDGPU", elf::NT_AMDGPU_METADATA, &metadata.write());
    }

    /// Appends a note.
    pub fn note(&mut self, name: &str, kind: u32, data: &[u8]) {
        let section = self.section(".note");
        let section = &mut self.sections[section];
        section.alignment = section.alignment.max(4);
        for number in [name.len() as u32 + 1, data.len() as u32, kind] {
            section.data.extend_from_slice(&number.to_le_bytes());
        }
        section.data.extend_from_slice(name.as_bytes());
        section.data.push(0);
        pad(&mut section.data, 4);
        section.data.extend_from_slice(data);
        pad(&mut section.data, 4);
    }

    /// Turns relocations against local symbols to the symbols' sections, so that the symbols may be dropped: what an assembler does
    /// with all but those that `.reloc` asks for, once it knows which symbols are local.
    pub fn turn_to_sections(&mut self) {
        for section in 0..self.sections.len() {
            for at in 0..self.sections[section].relocations.len() {
                let relocation = self.sections[section].relocations[at];
                let Some(symbol) = relocation.symbol.and_then(|s| self.symbols.get(s)) else { continue };
                let Place::Section(place) = symbol.place else { continue };
                // The linker merges equal strings, and tells them by their begins.
                let merged = self.sections[place].flags & format::SHF_MERGE.0 != 0 && relocation.addend != 0;
                if symbol.is_local() && !symbol.is_section() && !merged {
                    let addend = relocation.addend.wrapping_add_unsigned(symbol.value);
                    let symbol = Some(self.sections[place].symbol);
                    self.sections[section].relocations[at] = NewRelocation { symbol, addend, ..relocation };
                }
            }
        }
    }

    /// What a linker takes: sections, symbols and relocations as LLVM's assembler lays them out.
    ///
    /// # Errors
    /// A relocation lies outside its section or speaks of no symbol, or there are too many sections.
    pub fn relocatable(&self) -> Result<Vec<u8>> {
        self.check()?;
        relocatable::write(self)
    }

    /// What an HSA loader takes: linked, with dynamic symbols and segments, as LLVM's linker lays it out.
    ///
    /// # Errors
    /// A symbol is not defined, or a relocation cannot be resolved or needs what a loader does not do.
    pub fn shared(&self) -> Result<Vec<u8>> {
        self.check()?;
        shared::write(self)
    }

    fn check(&self) -> Result<()> {
        if self.sections.len() > 10_000 {
            return Err(Error::new(format!("{} sections are too many", self.sections.len())).help("at most 10,000"));
        }
        // What is not in the file costs nothing, but addresses end somewhere.
        let common = self.symbols.iter().filter(|s| s.place == Place::Common).map(|s| s.size);
        if self.sections.iter().map(|s| s.zeros).chain(common).any(|size| size > 1 << 40) {
            return Err(Error::new("a section or common symbol of zeros has more than 2^40 bytes"));
        }
        if self.sections.iter().map(|s| s.alignment.min(1 << 20)).sum::<u64>() > 1 << 28 {
            return Err(Error::new("there are too many sections of large alignment").help("lower their alignment"));
        }
        for section in &self.sections {
            if !section.alignment.is_power_of_two() || section.alignment > 1 << 20 {
                let message = format!("the alignment {} of {} is no power of two up to 2^20", section.alignment, section.name);
                return Err(Error::new(message));
            }
            for relocation in &section.relocations {
                if relocation.offset >= section.data.len() as u64 {
                    return Err(Error::new(format!("a relocation lies outside {}", section.name)).at(relocation.offset));
                }
                if relocation.symbol.is_some_and(|s| s >= self.symbols.len()) {
                    return Err(Error::new(format!("a relocation of {} speaks of no symbol", section.name)).at(relocation.offset));
                }
            }
        }
        let outside = |s: &&NewSymbol| matches!(s.place, Place::Section(n) if n >= self.sections.len());
        match self.symbols.iter().find(outside) {
            Some(symbol) => Err(Error::new(format!("the symbol {} lies in no section", symbol.name))),
            None => Ok(()),
        }
    }
}

fn section_symbol(section: usize) -> NewSymbol {
    let (binding, kind, visibility) = (format::STB_LOCAL.0, format::STT_SECTION.0, format::STV_DEFAULT.0);
    NewSymbol { name: String::new(), binding, kind, visibility, place: Place::Section(section), value: 0, size: 0 }
}

/// Zeros up to a multiple of `alignment`.
fn pad(data: &mut Vec<u8>, alignment: usize) {
    data.resize(data.len().next_multiple_of(alignment), 0);
}

/// Bytes of the structures of ELF for 64 bits.
const HEADER_SIZE: usize = 64;
const SECTION_HEADER_SIZE: u64 = 64;
const SYMBOL_SIZE: u64 = 24;
const RELOCATION_SIZE: u64 = 24;

/// What stands in an ELF header and differs from file to file.
struct Header {
    kind: format::FileType,
    segments: u16,
    section_headers: u64,
    sections: u16,
    names: u16,
}

impl Header {
    fn write(&self, builder: &Builder) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_SIZE);
        out.extend_from_slice(&format::ELFMAG);
        // 64 bits, little-endian, version 1.
        out.extend_from_slice(&[2, 1, 1, elf::ELFOSABI_AMDGPU_HSA, builder.version.abi()]);
        out.resize(16, 0);
        half(&mut out, self.kind.0);
        half(&mut out, format::EM_AMDGPU.0);
        word(&mut out, 1);
        long(&mut out, 0);
        long(&mut out, if self.segments > 0 { HEADER_SIZE as u64 } else { 0 });
        long(&mut out, self.section_headers);
        word(&mut out, builder.target.flags(builder.version));
        half(&mut out, HEADER_SIZE as u16);
        half(&mut out, if self.segments > 0 { SEGMENT_SIZE as u16 } else { 0 });
        half(&mut out, self.segments);
        half(&mut out, SECTION_HEADER_SIZE as u16);
        half(&mut out, self.sections);
        half(&mut out, self.names);
        out
    }
}

/// Bytes of a program header.
const SEGMENT_SIZE: u64 = 56;

/// A section header.
#[derive(Clone, Debug, Default)]
struct SectionHeader {
    name: u32,
    kind: u32,
    flags: u64,
    address: u64,
    offset: u64,
    size: u64,
    link: u32,
    info: u32,
    alignment: u64,
    entry_size: u64,
}

impl SectionHeader {
    fn write(&self, out: &mut Vec<u8>) {
        word(out, self.name);
        word(out, self.kind);
        [self.flags, self.address, self.offset, self.size].iter().for_each(|n| long(out, *n));
        word(out, self.link);
        word(out, self.info);
        long(out, self.alignment);
        long(out, self.entry_size);
    }
}

/// A symbol's entry.
fn write_symbol(out: &mut Vec<u8>, name: u32, symbol: &NewSymbol, binding: u8, section: u16, value: u64) {
    word(out, name);
    out.push(binding << 4 | symbol.kind);
    out.push(symbol.visibility);
    half(out, section);
    long(out, value);
    long(out, symbol.size);
}

fn half(out: &mut Vec<u8>, number: u16) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn word(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn long(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}
