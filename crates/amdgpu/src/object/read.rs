//! Reads a code object: header, sections, segments, symbols, relocations, notes, kernels.
//!
//! Everything is looked up once and checked against the file's size; what the file says wrongly is an error with its place.
//! Bytes are borrowed. Files without section headers are refused, since symbols are found through them.

use super::descriptor::Descriptor;
use super::elf::{self, Version};
use super::error::{Error, Result};
use super::metadata::Metadata;
use super::target::TargetId;
use object::elf as format;
use object::read::elf::{FileHeader, SectionHeader, SectionTable, Sym};
use object::{LittleEndian, SectionIndex};
use std::borrow::Cow;
use std::collections::HashMap;

type Header = format::FileHeader64<LittleEndian>;
const E: LittleEndian = LittleEndian;

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An assembler's output, before linking.
    Relocatable,
    /// What a loader takes.
    Shared,
}

/// A section.
#[derive(Clone, Debug)]
pub struct Section<'d> {
    /// Its name.
    pub name: Cow<'d, str>,
    /// SHT_...
    pub kind: u32,
    /// SHF_...
    pub flags: u64,
    /// Address once loaded; 0 in relocatable files.
    pub address: u64,
    /// Its first byte in the file.
    pub offset: u64,
    /// Bytes, also of those that the file does not hold.
    pub size: u64,
    /// Another section's index.
    pub link: u32,
    /// Depends on the kind.
    pub info: u32,
    /// Alignment in bytes.
    pub alignment: u64,
    /// Bytes of an entry of a table.
    pub entry_size: u64,
    /// Its bytes; empty if the file does not hold them.
    pub data: &'d [u8],
}

/// A segment: what a loader maps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// PT_...
    pub kind: u32,
    /// PF_...
    pub flags: u32,
    /// First byte in the file.
    pub offset: u64,
    /// Address once loaded.
    pub address: u64,
    /// Bytes in the file.
    pub file_size: u64,
    /// Bytes in memory.
    pub memory_size: u64,
    /// Alignment in bytes.
    pub alignment: u64,
}

/// A symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol<'d> {
    /// Its name; empty for a section's.
    pub name: Cow<'d, str>,
    /// STB_...
    pub binding: u8,
    /// STT_...
    pub kind: u8,
    /// STV_... and what else stands in that byte.
    pub other: u8,
    /// Index of its section, or SHN_...
    pub section: u16,
    /// Address, or offset in its section where the file is relocatable.
    pub value: u64,
    /// Bytes.
    pub size: u64,
}

/// A relocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// The section it changes; nothing if `offset` is an address.
    pub section: Option<usize>,
    /// Where it changes it.
    pub offset: u64,
    /// R_AMDGPU_..., see [`relocation_name`](super::relocation_name).
    pub kind: u32,
    /// Index in the symbols, or in the dynamic ones where `offset` is an address.
    pub symbol: usize,
    /// What is added.
    pub addend: i64,
}

/// A note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note<'d> {
    /// Who defines it.
    pub name: Cow<'d, str>,
    /// NT_...
    pub kind: u32,
    /// What it says.
    pub data: &'d [u8],
    /// Where `data` begins in the file.
    pub offset: u64,
}

/// Where a kernel's code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its section.
    pub section: usize,
    /// Its first byte in that section.
    pub offset: u64,
    /// Bytes: those of its symbol, or, where that has none, up to the next function or the section's end.
    pub size: u64,
}

/// A kernel, as its descriptor tells it.
#[derive(Clone, Debug)]
pub struct Kernel<'d> {
    /// Its name: the descriptor's symbol without `.kd`.
    pub name: &'d str,
    /// The descriptor.
    pub descriptor: Descriptor,
    /// The descriptor's section.
    pub section: usize,
    /// The descriptor's first byte in that section.
    pub offset: u64,
    /// Its code, where the file has it.
    pub entry: Option<Entry>,
}

/// A code object.
#[derive(Clone, Debug)]
pub struct CodeObject<'d> {
    /// What it is for.
    pub kind: Kind,
    /// Its version.
    pub version: Version,
    /// e_flags.
    pub flags: u32,
    /// What it runs on; nothing if the table does not have the processor that e_flags names.
    pub target: Option<TargetId>,
    /// Sections, the null one first.
    pub sections: Vec<Section<'d>>,
    /// Segments; none in a relocatable file.
    pub segments: Vec<Segment>,
    /// Symbols, the null one first; the dynamic ones if there are no others.
    pub symbols: Vec<Symbol<'d>>,
    /// Dynamic symbols, the null one first.
    pub dynamic_symbols: Vec<Symbol<'d>>,
    /// Relocations.
    pub relocations: Vec<Relocation>,
    /// Notes.
    pub notes: Vec<Note<'d>>,
}

/// What kernels are found by.
struct Places {
    functions: Vec<(usize, u64, u64)>,
    entries: HashMap<(usize, u64), usize>,
}

/// Whether a file is an ELF file for AMD GPUs.
pub fn is_code_object(data: &[u8]) -> bool {
    data.starts_with(&format::ELFMAG) && data.get(18..20) == Some(&format::EM_AMDGPU.0.to_le_bytes())
}

impl<'d> CodeObject<'d> {
    /// Reads a code object.
    ///
    /// ```no_run
    /// use amdgpu::object::CodeObject;
    ///
    /// let data = std::fs::read("kernel.co")?;
    /// let object = CodeObject::read(&data)?;
    /// for kernel in object.kernels()? {
    ///     println!("{} begins {} bytes behind its descriptor", kernel.name, kernel.descriptor.entry());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// It is none, of a version before V3, or the file is truncated or contradicts itself.
    pub fn read(data: &'d [u8]) -> Result<CodeObject<'d>> {
        if !data.starts_with(&format::ELFMAG) {
            return Err(Error::new("this is no ELF file: it does not begin with 7f 45 4c 46").at(0));
        }
        let header = Header::parse(data).map_err(|e| elf_error("the header", e))?;
        let (kind, version) = check_header(header)?;
        let flags = header.e_flags.get(E).0;
        let table = header.sections(E, data).map_err(|e| elf_error("the section headers", e))?;
        let sections = sections(data, &table)?;
        if sections.is_empty() {
            return Err(
                Error::new("there are no section headers").help("a code object is told by its sections; do not strip them")
            );
        }
        // Sections that lie upon each other would make a small file a large one.
        if sections.iter().map(|s| s.data.len()).sum::<usize>() > data.len() {
            return Err(Error::new("sections overlap: together they are larger than the file").help("the file is damaged"));
        }
        let dynamic_symbols = symbols(data, &table, format::SHT_DYNSYM)?;
        let mut all = symbols(data, &table, format::SHT_SYMTAB)?;
        if all.is_empty() {
            all.clone_from(&dynamic_symbols);
        }
        let mut object = CodeObject {
            kind,
            version,
            flags,
            target: TargetId::from_flags(version, flags)?,
            segments: segments(header, data)?,
            symbols: all,
            dynamic_symbols,
            relocations: Vec::new(),
            notes: notes(&sections)?,
            sections,
        };
        object.relocations = object.read_relocations(data, &table)?;
        Ok(object)
    }

    /// The section of a name.
    pub fn section(&self, name: &str) -> Option<&Section<'d>> {
        self.sections.iter().find(|s| s.name == name)
    }

    /// The symbol of a name.
    pub fn symbol(&self, name: &str) -> Option<&Symbol<'d>> {
        self.symbols.iter().find(|s| s.name == name)
    }

    /// What the metadata note says; nothing if there is none.
    ///
    /// # Errors
    /// The note is not what metadata must be.
    pub fn metadata(&self) -> Result<Option<Metadata>> {
        let note = self.notes.iter().find(|n| n.name == "AMDGPU" && n.kind == elf::NT_AMDGPU_METADATA);
        note.map(|n| Metadata::read(n.data).map_err(|e| Error { at: Some(e.at.unwrap_or(0) + n.offset), ..e })).transpose()
    }

    /// The kernels, in the order of their symbols.
    ///
    /// # Errors
    /// A descriptor lies outside its section.
    pub fn kernels(&self) -> Result<Vec<Kernel<'_>>> {
        let places = Places { functions: self.functions(), entries: self.entries() };
        let all = self.symbols.iter().filter(|s| s.section != 0 && s.section < format::SHN_LORESERVE);
        let named = all.filter_map(|s| Some((s.name.strip_suffix(".kd")?, s)));
        named.filter(|(_, s)| s.kind == format::STT_OBJECT.0).map(|(name, symbol)| self.kernel(name, symbol, &places)).collect()
    }

    fn kernel<'a>(&'a self, name: &'a str, symbol: &Symbol<'d>, places: &Places) -> Result<Kernel<'a>> {
        let (section, offset) = self.place(symbol)?;
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let bytes = self.sections[section].data.get(from..).and_then(|d| d.first_chunk());
        let Some(bytes) = bytes else {
            let message = format!("the descriptor {name}.kd lies outside the section {}", self.sections[section].name);
            return Err(Error::new(message).at(self.sections[section].offset.saturating_add(offset)));
        };
        let descriptor = Descriptor { bytes: *bytes };
        let entry = self.code(section, offset, &descriptor, places).map(|(section, offset)| Entry {
            section,
            offset,
            size: self.code_size(section, offset, &places.functions),
        });
        Ok(Kernel { name, descriptor, section, offset, entry })
    }

    /// Section and offset of a symbol.
    fn place(&self, symbol: &Symbol<'d>) -> Result<(usize, u64)> {
        let index = usize::from(symbol.section);
        let Some(section) = self.sections.get(index) else {
            return Err(Error::new(format!("the symbol {} lies in section {index}, which does not exist", symbol.name)));
        };
        let base = if self.kind == Kind::Relocatable { 0 } else { section.address };
        match symbol.value.checked_sub(base) {
            Some(offset) if offset <= section.size => Ok((index, offset)),
            _ => Err(Error::new(format!("the symbol {} lies outside its section {}", symbol.name, section.name))),
        }
    }

    /// Where the code of a descriptor is: by its relocation, or by the distance that it holds.
    fn code(&self, section: usize, offset: u64, descriptor: &Descriptor, places: &Places) -> Option<(usize, u64)> {
        let field = Descriptor::ENTRY_OFFSET as u64;
        if self.kind == Kind::Relocatable {
            let at = offset + field;
            let found = &self.relocations[*places.entries.get(&(section, at))?];
            let (code, start) = self.place(self.symbols.get(found.symbol)?).ok()?;
            // The distance is measured from the descriptor, the relocation from the field.
            let start = start.checked_add_signed(found.addend.checked_sub(field as i64)?)?;
            return (start <= self.sections[code].size).then_some((code, start));
        }
        let address = self.sections[section].address.checked_add(offset)?.checked_add_signed(descriptor.entry())?;
        let holds = |s: &Section| s.flags & format::SHF_EXECINSTR.0 != 0 && address.wrapping_sub(s.address) < s.size;
        let code = self.sections.iter().position(holds)?;
        Some((code, address - self.sections[code].address))
    }

    /// Section, offset and size of each function, sorted.
    fn functions(&self) -> Vec<(usize, u64, u64)> {
        let named = self.symbols.iter().filter(|s| s.kind == format::STT_FUNC.0 && s.section != 0);
        let placed = |s: &Symbol<'d>| self.place(s).ok().map(|(section, offset)| (section, offset, s.size));
        let mut all: Vec<(usize, u64, u64)> = named.filter_map(placed).collect();
        all.sort_unstable();
        all
    }

    /// The relocations that may point from a descriptor to its code, by section and offset.
    fn entries(&self) -> HashMap<(usize, u64), usize> {
        let may = self.relocations.iter().enumerate().filter(|(_, r)| r.kind == elf::REL64);
        may.filter_map(|(at, r)| Some(((r.section?, r.offset), at))).collect()
    }

    fn code_size(&self, section: usize, offset: u64, functions: &[(usize, u64, u64)]) -> u64 {
        let left = self.sections[section].size - offset;
        let next = functions.partition_point(|f| (f.0, f.1) <= (section, offset));
        // Of several symbols of one place, the last in this order is the longest.
        let own = next.checked_sub(1).map(|at| functions[at]).filter(|f| (f.0, f.1) == (section, offset) && f.2 > 0);
        match (own, functions.get(next).filter(|f| f.0 == section)) {
            (Some(own), _) => own.2.min(left),
            (None, Some(next)) => (next.1 - offset).min(left),
            (None, None) => left,
        }
    }

    fn read_relocations(&self, data: &'d [u8], table: &SectionTable<'d, Header>) -> Result<Vec<Relocation>> {
        let mut all = Vec::new();
        for (index, section) in table.enumerate() {
            let Some((entries, _)) = section.rela(E, data).map_err(|e| elf_error("a relocation section", e))? else { continue };
            let changed = section.info_link(E).0;
            let relocatable = self.kind == Kind::Relocatable;
            if relocatable && changed >= self.sections.len() {
                let message = format!("the relocations of section {} change section {changed}, which does not exist", index.0);
                return Err(Error::new(message));
            }
            let symbols = if relocatable { self.symbols.len() } else { self.dynamic_symbols.len() };
            for entry in entries {
                let symbol = entry.r_sym(E, false) as usize;
                if symbol > 0 && symbol >= symbols {
                    return Err(Error::new(format!("a relocation speaks of symbol {symbol} of {symbols}")));
                }
                all.push(Relocation {
                    section: relocatable.then_some(changed),
                    offset: entry.r_offset.get(E),
                    kind: entry.r_type(E, false).0,
                    symbol,
                    addend: entry.r_addend.get(E),
                });
            }
        }
        Ok(all)
    }
}

/// An error of crate `object`.
fn elf_error(part: &str, error: object::read::Error) -> Error {
    Error::new(format!("{part} cannot be read: {error}")).help("the file may be truncated or damaged")
}

fn check_header(header: &Header) -> Result<(Kind, Version)> {
    if !header.is_class_64() || !header.is_little_endian() {
        return Err(Error::new("this ELF file is not of 64 bits and little-endian, as code objects are").at(4));
    }
    let machine = header.e_machine.get(E);
    if machine != format::EM_AMDGPU {
        return Err(Error::new(format!("this ELF file is for machine {}, not for AMD GPUs (224)", machine.0)).at(18));
    }
    let (os, abi) = (header.e_ident.os_abi.0, header.e_ident.abi_version);
    if os != elf::ELFOSABI_AMDGPU_HSA {
        let message = format!("the code object is for OS ABI {os}, not for HSA ({})", elf::ELFOSABI_AMDGPU_HSA);
        return Err(Error::new(message).at(7).help("only code objects for the HSA runtime (ROCm) are read"));
    }
    let Some(version) = Version::from_abi(abi) else {
        let what = if abi == 0 { "V2".to_owned() } else { format!("of ABI version {abi}") };
        let message = format!("the code object is {what}; V3 to V6 (ABI versions 1 to 4) are known");
        return Err(Error::new(message).at(8).help("compile with -mcode-object-version=6"));
    };
    match header.e_type.get(E) {
        format::ET_REL => Ok((Kind::Relocatable, version)),
        format::ET_DYN => Ok((Kind::Shared, version)),
        other => Err(Error::new(format!("the ELF file is of type {}, neither relocatable (1) nor shared (3)", other.0)).at(16)),
    }
}

fn sections<'d>(data: &'d [u8], table: &SectionTable<'d, Header>) -> Result<Vec<Section<'d>>> {
    let read = |(index, section): (SectionIndex, &'d format::SectionHeader64<LittleEndian>)| {
        let null = index.0 == 0;
        let name = if null { &[][..] } else { table.section_name(E, section).map_err(|e| elf_error("a section's name", e))? };
        let name = String::from_utf8_lossy(name);
        let bytes = if null { &[][..] } else { section.data(E, data).map_err(|e| elf_error(&format!("section {name}"), e))? };
        Ok(Section {
            name,
            kind: section.sh_type.get(E).0,
            flags: section.sh_flags.get(E).0,
            address: section.sh_addr.get(E),
            offset: section.sh_offset.get(E),
            size: section.sh_size.get(E),
            link: section.sh_link.get(E),
            info: section.sh_info.get(E),
            alignment: section.sh_addralign.get(E),
            entry_size: section.sh_entsize.get(E),
            data: bytes,
        })
    };
    table.enumerate().map(read).collect()
}

fn segments(header: &Header, data: &[u8]) -> Result<Vec<Segment>> {
    let headers = header.program_headers(E, data).map_err(|e| elf_error("the program headers", e))?;
    let read = |h: &format::ProgramHeader64<LittleEndian>| Segment {
        kind: h.p_type.get(E).0,
        flags: h.p_flags.get(E).0,
        offset: h.p_offset.get(E),
        address: h.p_vaddr.get(E),
        file_size: h.p_filesz.get(E),
        memory_size: h.p_memsz.get(E),
        alignment: h.p_align.get(E),
    };
    let all: Vec<Segment> = headers.iter().map(read).collect();
    for segment in &all {
        if segment.offset.checked_add(segment.file_size).is_none_or(|end| end > data.len() as u64) {
            let message = format!("a segment ends at byte {:#x}+{:#x}", segment.offset, segment.file_size);
            return Err(Error::new(format!("{message}, the file at {:#x}", data.len())).help("the file is truncated or damaged"));
        }
    }
    Ok(all)
}

fn symbols<'d>(data: &'d [u8], table: &SectionTable<'d, Header>, kind: format::SectionType) -> Result<Vec<Symbol<'d>>> {
    let table = table.symbols(E, data, kind).map_err(|e| elf_error("the symbols", e))?;
    let read = |s: &format::Sym64<LittleEndian>| {
        let name = table.symbol_name(E, s).map_err(|e| elf_error("a symbol's name", e))?;
        Ok(Symbol {
            name: String::from_utf8_lossy(name),
            binding: s.st_bind().0,
            kind: s.st_type().0,
            other: s.st_other().0,
            section: s.st_shndx(E).0,
            value: s.st_value(E),
            size: s.st_size(E),
        })
    };
    table.iter().map(read).collect()
}

/// The notes of all note sections.
fn notes<'d>(sections: &[Section<'d>]) -> Result<Vec<Note<'d>>> {
    let mut all = Vec::new();
    for section in sections.iter().filter(|s| s.kind == format::SHT_NOTE.0) {
        let mut rest = section.data;
        while !rest.is_empty() {
            let at = section.offset + (section.data.len() - rest.len()) as u64;
            let broken = || Error::new(format!("a note in {} ends behind its section", section.name)).at(at);
            let word = |n: usize| rest.get(4 * n..4 * n + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            let (Some(name_size), Some(size), Some(kind)) = (word(0), word(1), word(2)) else { return Err(broken()) };
            let (name_size, size) = (name_size as usize, size as usize);
            let start = 12 + name_size.next_multiple_of(4);
            let name = rest.get(12..12 + name_size).ok_or_else(broken)?;
            let data = rest.get(start..start.saturating_add(size)).ok_or_else(broken)?;
            let name = String::from_utf8_lossy(name.strip_suffix(&[0]).unwrap_or(name));
            all.push(Note { name, kind, data, offset: at + start as u64 });
            rest = rest.get((start + size).next_multiple_of(4)..).unwrap_or(&[]);
        }
    }
    Ok(all)
}
