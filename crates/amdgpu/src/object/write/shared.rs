//! Links one relocatable code object into what an HSA loader takes, in the layout of LLVM's linker.
//!
//! Segments for constants, code, what is constant after relocation, and data, each on its own pages; dynamic symbols with both
//! hash tables; a global offset table where code asks for one. What a loader of AMD's runtime does not do is an error:
//! undefined symbols, 32-bit addresses, distances to symbols that another file may replace. See LLVM, lld/ELF/Writer.cpp and
//! lld/ELF/Arch/AMDGPU.cpp.

use super::strings::Strings;
use super::{
    Builder, HEADER_SIZE, Header, NewRelocation, NewSection, NewSymbol, Place, RELOCATION_SIZE, SEGMENT_SIZE, SYMBOL_SIZE,
    SectionHeader, long, pad, word, write_symbol,
};
use crate::object::elf::{self, relocation_name};
use crate::object::error::{Error, Result};
use object::elf as format;
use std::collections::{BTreeMap, HashMap};

/// Bytes of a page.
const PAGE: u64 = 0x1000;

const ALLOC: u64 = format::SHF_ALLOC.0;
const WRITE: u64 = format::SHF_WRITE.0;
const EXECUTE: u64 = format::SHF_EXECINSTR.0;

/// Which segment a section belongs to, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Constant,
    Code,
    /// Constant once relocations are done.
    Relocated,
    Data,
    /// Not loaded.
    Outside,
}

impl Class {
    const LOADED: [Class; 4] = [Class::Constant, Class::Code, Class::Relocated, Class::Data];

    fn of(flags: u64) -> Class {
        match () {
            () if flags & ALLOC == 0 => Class::Outside,
            () if flags & EXECUTE != 0 => Class::Code,
            () if flags & WRITE != 0 => Class::Data,
            () => Class::Constant,
        }
    }

    fn segment_flags(self) -> u32 {
        match self {
            Class::Code => format::PF_R.0 | format::PF_X.0,
            Class::Relocated | Class::Data => format::PF_R.0 | format::PF_W.0,
            Class::Constant | Class::Outside => format::PF_R.0,
        }
    }
}

/// A section of the output.
#[derive(Debug)]
struct Output {
    name: String,
    class: Class,
    header: SectionHeader,
    data: Vec<u8>,
}

/// Indices of sections that the linker makes, in the output.
#[derive(Default)]
struct Made {
    dynsym: usize,
    gnu_hash: usize,
    hash: usize,
    dynstr: usize,
    rela: Option<usize>,
    dynamic: usize,
    got: Option<usize>,
}

/// A relocation with its symbol.
#[derive(Clone, Copy, Debug)]
struct Fix {
    offset: u64,
    kind: u32,
    symbol: usize,
    addend: i64,
}

struct Linker<'b> {
    builder: &'b Builder,
    /// Relocations of each section.
    fixes: Vec<Vec<Fix>>,
    outputs: Vec<Output>,
    made: Made,
    /// Output and offset in it of each input section; nothing if it is dropped.
    places: Vec<Option<(usize, u64)>>,
    /// Output and offset of what is common.
    commons: BTreeMap<usize, (usize, u64)>,
    /// Symbols in `.dynsym`, in its order.
    dynamic: Vec<usize>,
    /// Symbols with an entry in the global offset table.
    got: Vec<usize>,
    /// Where a symbol stands in `got`.
    got_index: HashMap<usize, usize>,
    /// Relocations that are left to the loader: where (output and offset), and which.
    left: Vec<((usize, u64), Fix)>,
}

pub(super) fn write(builder: &Builder) -> Result<Vec<u8>> {
    let mut linker = Linker {
        builder,
        fixes: builder.sections.iter().map(fixes).collect::<Result<_>>()?,
        outputs: Vec::new(),
        made: Made::default(),
        places: vec![None; builder.sections.len()],
        commons: BTreeMap::new(),
        dynamic: Vec::new(),
        got: Vec::new(),
        got_index: HashMap::new(),
        left: Vec::new(),
    };
    linker.check_symbols()?;
    linker.scan()?;
    linker.make_sections();
    linker.order_dynamic_symbols();
    linker.lay_out();
    linker.relocate()?;
    linker.fill();
    Ok(linker.finish())
}

/// The relocations of a section; those that do nothing are left out.
fn fixes(section: &NewSection) -> Result<Vec<Fix>> {
    let fix = |r: &NewRelocation| match r.symbol {
        Some(symbol) => Ok(Fix { offset: r.offset, kind: r.kind, symbol, addend: r.addend }),
        None => Err(Error::new(format!("a relocation of {} speaks of no symbol", section.name)).at(r.offset)),
    };
    section.relocations.iter().filter(|r| r.kind != elf::NONE).map(fix).collect()
}

impl<'b> Linker<'b> {
    fn symbol(&self, at: usize) -> &'b NewSymbol {
        &self.builder.symbols[at]
    }

    fn check_symbols(&self) -> Result<()> {
        let mut used = vec![false; self.builder.symbols.len()];
        self.fixes.iter().flatten().for_each(|r| used[r.symbol] = true);
        for (at, symbol) in self.builder.symbols.iter().enumerate() {
            match symbol.place {
                Place::Undefined if !symbol.name.is_empty() && (symbol.binding != format::STB_LOCAL.0 || used[at]) => {
                    let error = Error::new(format!("the symbol {} is not defined", symbol.name));
                    return Err(error.help("define it, or write a relocatable file and link that with others"));
                }
                Place::Lds => {
                    let error = Error::new(format!("the symbol {} is in LDS, which this linker does not place", symbol.name));
                    return Err(error.help("use an address in LDS, and tell its size by .amdhsa_group_segment_fixed_size"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether another file may replace the symbol at load.
    fn is_preemptible(&self, at: usize) -> bool {
        let symbol = self.symbol(at);
        symbol.binding != format::STB_LOCAL.0 && symbol.visibility & 3 == format::STV_DEFAULT.0
    }

    fn is_dynamic(symbol: &NewSymbol) -> bool {
        let seen = [format::STV_DEFAULT.0, format::STV_PROTECTED.0].contains(&(symbol.visibility & 3));
        symbol.binding != format::STB_LOCAL.0 && seen
    }

    /// What relocations ask for: entries of the global offset table, and work of the loader.
    fn scan(&mut self) -> Result<()> {
        let all = std::mem::take(&mut self.fixes);
        for (index, section) in self.builder.sections.iter().enumerate() {
            if section.flags & ALLOC == 0 {
                continue;
            }
            for relocation in &all[index] {
                let symbol = self.symbol(relocation.symbol);
                let address = symbol.place != Place::Absolute;
                match relocation.kind {
                    elf::GOTPCREL | elf::GOTPCREL32_LO | elf::GOTPCREL32_HI => {
                        let next = self.got_index.len();
                        if *self.got_index.entry(relocation.symbol).or_insert(next) == next {
                            self.got.push(relocation.symbol);
                        }
                    }
                    elf::ABS64 if address => self.left.push(((index, relocation.offset), *relocation)),
                    elf::ABS32 | elf::ABS32_LO | elf::ABS32_HI if address => {
                        let what = relocation_name(relocation.kind).unwrap_or_default();
                        let error = Error::new(format!("{what} in {} needs the address of {}", section.name, symbol.name));
                        let help = "addresses are known at load only, and have 64 bits: use a distance (@rel32@lo) or a .quad";
                        return Err(error.at(relocation.offset).help(help));
                    }
                    elf::REL32 | elf::REL64 | elf::REL32_LO | elf::REL32_HI | elf::REL16
                        if self.is_preemptible(relocation.symbol) =>
                    {
                        let error =
                            Error::new(format!("the distance to {} is not known: another file may define it too", symbol.name));
                        return Err(error.at(relocation.offset).help("make it .protected or .hidden, or use @gotpcrel32@lo"));
                    }
                    _ => {}
                }
            }
        }
        self.fixes = all;
        Ok(())
    }

    fn push(&mut self, name: &str, class: Class, header: SectionHeader) -> usize {
        let header = SectionHeader { alignment: header.alignment.max(1), ..header };
        self.outputs.push(Output { name: name.to_owned(), class, header, data: Vec::new() });
        self.outputs.len() - 1
    }

    /// Sections that the linker makes, with those of the input between them in the order of the file.
    fn make_sections(&mut self) {
        let made = |kind: u32, flags: u64, alignment: u64, entry_size: u64| SectionHeader {
            kind,
            flags,
            alignment,
            entry_size,
            ..SectionHeader::default()
        };
        self.add_inputs(|class, kind| class == Class::Constant && kind == format::SHT_NOTE.0);
        self.made.dynsym = self.push(".dynsym", Class::Constant, made(format::SHT_DYNSYM.0, ALLOC, 8, SYMBOL_SIZE));
        self.made.gnu_hash = self.push(".gnu.hash", Class::Constant, made(format::SHT_GNU_HASH.0, ALLOC, 8, 0));
        self.made.hash = self.push(".hash", Class::Constant, made(format::SHT_HASH.0, ALLOC, 4, 4));
        self.made.dynstr = self.push(".dynstr", Class::Constant, made(format::SHT_STRTAB.0, ALLOC, 1, 0));
        if !self.left.is_empty() || self.got.iter().any(|&s| self.symbol(s).place != Place::Absolute) {
            self.made.rela = Some(self.push(".rela.dyn", Class::Constant, made(format::SHT_RELA.0, ALLOC, 8, RELOCATION_SIZE)));
        }
        self.add_inputs(|class, kind| class == Class::Constant && kind != format::SHT_NOTE.0);
        self.add_inputs(|class, _| class == Class::Code);
        self.made.dynamic = self.push(".dynamic", Class::Relocated, made(format::SHT_DYNAMIC.0, ALLOC | WRITE, 8, 16));
        if !self.got.is_empty() {
            self.made.got = Some(self.push(".got", Class::Relocated, made(format::SHT_PROGBITS.0, ALLOC | WRITE, 8, 0)));
        }
        self.push(".relro_padding", Class::Relocated, made(format::SHT_NOBITS.0, ALLOC | WRITE, 1, 0));
        self.add_inputs(|class, kind| class == Class::Data && kind != format::SHT_NOBITS.0);
        self.add_inputs(|class, kind| class == Class::Data && kind == format::SHT_NOBITS.0);
        self.add_commons();
        self.add_inputs(|class, _| class == Class::Outside);
    }

    /// Joins input sections to outputs by name.
    fn add_inputs(&mut self, wanted: impl Fn(Class, u32) -> bool) {
        for (index, section) in self.builder.sections.iter().enumerate() {
            let class = Class::of(section.flags);
            let empty = section.data.is_empty() && section.zeros == 0;
            let dropped = section.name == ".note.GNU-stack" || class != Class::Outside && empty && section.name != ".text";
            if dropped || !wanted(class, section.kind) {
                continue;
            }
            let name = output_name(&section.name);
            let known = self.outputs.iter().position(|o| o.name == name && o.class == class);
            let output = known.unwrap_or_else(|| {
                let header = SectionHeader {
                    kind: section.kind,
                    flags: section.flags,
                    entry_size: section.entry_size,
                    ..SectionHeader::default()
                };
                self.push(name, class, header)
            });
            let output = (output, &mut self.outputs[output]);
            let header = &mut output.1.header;
            header.alignment = header.alignment.max(section.alignment);
            header.size = header.size.next_multiple_of(section.alignment);
            self.places[index] = Some((output.0, header.size));
            if section.kind != format::SHT_NOBITS.0 {
                // Between code, zeros are as good as anything: nothing runs there.
                output.1.data.resize(header.size as usize, 0);
                output.1.data.extend_from_slice(&section.data);
            }
            header.size += section.data.len() as u64 + section.zeros;
        }
    }

    /// Places what is common behind other zeros.
    fn add_commons(&mut self) {
        let all: Vec<usize> = (0..self.builder.symbols.len()).filter(|&s| self.symbol(s).place == Place::Common).collect();
        for at in all {
            let known = self.outputs.iter().position(|o| o.name == ".bss");
            let output = known.unwrap_or_else(|| {
                let header = SectionHeader { kind: format::SHT_NOBITS.0, flags: ALLOC | WRITE, ..SectionHeader::default() };
                self.push(".bss", Class::Data, header)
            });
            let alignment = self.symbol(at).value.clamp(1, PAGE).next_power_of_two();
            let size = self.symbol(at).size;
            let header = &mut self.outputs[output].header;
            header.alignment = header.alignment.max(alignment);
            header.size = header.size.next_multiple_of(alignment);
            self.commons.insert(at, (output, header.size));
            header.size = header.size.saturating_add(size);
        }
    }

    /// The names of dynamic symbols, in the order of the file.
    fn dynamic_strings(&self) -> Strings<'b> {
        Strings::in_order(self.builder.symbols.iter().filter(|s| Self::is_dynamic(s)).map(|s| s.name.as_str()))
    }

    /// Dynamic symbols in the order of their hash buckets.
    fn order_dynamic_symbols(&mut self) {
        let mut all: Vec<usize> = (0..self.builder.symbols.len()).filter(|&s| Self::is_dynamic(self.symbol(s))).collect();
        let buckets = gnu_buckets(all.len());
        all.sort_by_key(|&s| format::gnu_hash(self.symbol(s).name.as_bytes()) % buckets);
        self.dynamic = all;
        let strings = self.dynamic_strings();
        let count = self.dynamic.len();
        let sizes = [
            (self.made.dynsym, (count as u64 + 1) * SYMBOL_SIZE),
            (self.made.gnu_hash, 16 + 8 * gnu_words(count) as u64 + 4 * (u64::from(buckets) + count as u64)),
            (self.made.hash, 8 + 8 * (count as u64 + 1)),
            (self.made.dynstr, strings.data.len() as u64),
            (self.made.dynamic, 16 * self.dynamic_entries().len() as u64),
        ];
        sizes.iter().for_each(|(section, size)| self.outputs[*section].header.size = *size);
        if let Some(got) = self.made.got {
            self.outputs[got].header.size = 8 * self.got.len() as u64;
        }
        if let Some(rela) = self.made.rela {
            let got = self.got.iter().filter(|&&s| self.symbol(s).place != Place::Absolute).count();
            self.outputs[rela].header.size = (self.left.len() + got) as u64 * RELOCATION_SIZE;
        }
    }

    /// Gives every section its address and its place in the file.
    fn lay_out(&mut self) {
        let headers = HEADER_SIZE as u64 + SEGMENT_SIZE * self.segment_count();
        let (mut address, mut offset) = (headers, headers);
        for class in Class::LOADED {
            let mut first = class != Class::Constant && self.has(class);
            for output in self.outputs.iter_mut().filter(|o| o.class == class) {
                let header = &mut output.header;
                if first {
                    // The next page, as far into it as the last one was filled: so no bytes of the file are lost.
                    address = address.next_multiple_of(PAGE) + address % PAGE;
                    first = false;
                }
                address = address.next_multiple_of(header.alignment);
                header.address = address;
                if header.kind == format::SHT_NOBITS.0 && output.name == ".relro_padding" {
                    header.size = address.next_multiple_of(PAGE) - address;
                    header.offset = offset;
                    continue;
                }
                // File and memory agree within a page.
                offset += address.wrapping_sub(offset) % PAGE;
                header.offset = offset;
                address += header.size;
                if header.kind != format::SHT_NOBITS.0 {
                    offset += header.size;
                }
            }
        }
        for output in self.outputs.iter_mut().filter(|o| o.class == Class::Outside) {
            offset = offset.next_multiple_of(output.header.alignment);
            output.header.offset = offset;
            offset += output.header.size;
        }
    }

    /// Address of a symbol, or its value.
    fn address(&self, at: usize) -> u64 {
        let symbol = self.symbol(at);
        let place = match symbol.place {
            Place::Section(section) => self.places[section].map(|(output, offset)| (output, offset.wrapping_add(symbol.value))),
            Place::Common => self.commons.get(&at).copied(),
            _ => return symbol.value,
        };
        place.map_or(0, |(output, offset)| self.outputs[output].header.address.wrapping_add(offset))
    }

    fn got_address(&self, symbol: usize) -> u64 {
        let entry = self.got_index.get(&symbol).copied().unwrap_or(0) as u64;
        self.made.got.map_or(0, |got| self.outputs[got].header.address + 8 * entry)
    }

    /// Changes what the input's relocations name.
    fn relocate(&mut self) -> Result<()> {
        let all = std::mem::take(&mut self.fixes);
        for (index, section) in self.builder.sections.iter().enumerate() {
            let Some((output, start)) = self.places[index] else { continue };
            for relocation in &all[index] {
                let at = start + relocation.offset;
                let value = self.value(relocation, self.outputs[output].header.address + at);
                let data = usize::try_from(at).ok().and_then(|at| self.outputs[output].data.get_mut(at..));
                let is_inside = relocation.offset < section.data.len() as u64;
                let Some(data) = data.filter(|_| is_inside) else {
                    return Err(Error::new(format!("a relocation lies outside {}", section.name)).at(relocation.offset));
                };
                store(data, relocation.kind, value).map_err(|e| {
                    let name = &self.builder.symbols[relocation.symbol].name;
                    Error::new(format!("{} in {}: {name}", e.message, section.name)).at(relocation.offset).help(e.help)
                })?;
            }
        }
        Ok(())
    }

    /// What a relocation at an address stores.
    fn value(&self, relocation: &Fix, at: u64) -> u64 {
        let target = match relocation.kind {
            elf::GOTPCREL | elf::GOTPCREL32_LO | elf::GOTPCREL32_HI => self.got_address(relocation.symbol),
            _ => self.address(relocation.symbol),
        };
        let target = target.wrapping_add_signed(relocation.addend);
        match relocation.kind {
            // The loader adds the base to what its own relocation says.
            elf::ABS64 if self.symbol(relocation.symbol).place != Place::Absolute => 0,
            elf::ABS64 | elf::ABS32 | elf::ABS32_LO | elf::ABS32_HI => target,
            _ => target.wrapping_sub(at),
        }
    }

    fn dynamic_entries(&self) -> Vec<(format::DynamicTag, u64)> {
        let header = |section: usize| &self.outputs[section].header;
        let mut all = Vec::new();
        if let Some(rela) = self.made.rela {
            all.push((format::DT_RELA, header(rela).address));
            all.push((format::DT_RELASZ, header(rela).size));
            all.push((format::DT_RELAENT, RELOCATION_SIZE));
            let relative = self.loader_relocations().iter().filter(|r| r.kind == elf::RELATIVE64).count() as u64;
            if relative > 0 {
                all.push((format::DT_RELACOUNT, relative));
            }
        }
        all.push((format::DT_SYMTAB, header(self.made.dynsym).address));
        all.push((format::DT_SYMENT, SYMBOL_SIZE));
        all.push((format::DT_STRTAB, header(self.made.dynstr).address));
        all.push((format::DT_STRSZ, header(self.made.dynstr).size));
        all.push((format::DT_GNU_HASH, header(self.made.gnu_hash).address));
        all.push((format::DT_HASH, header(self.made.hash).address));
        all.push((format::DT_NULL, 0));
        all
    }

    /// What is left to the loader: those without a symbol first.
    fn loader_relocations(&self) -> Vec<Fix> {
        let indices: HashMap<usize, usize> = self.dynamic.iter().zip(1..).map(|(&s, at)| (s, at)).collect();
        let index = |symbol: usize| indices.get(&symbol).copied().unwrap_or(0);
        let made = |offset: u64, symbol: usize, addend: i64| {
            if self.is_preemptible(symbol) {
                Fix { offset, kind: elf::ABS64, symbol: index(symbol), addend }
            } else {
                let addend = self.address(symbol).wrapping_add_signed(addend).cast_signed();
                Fix { offset, kind: elf::RELATIVE64, symbol: 0, addend }
            }
        };
        let address = |(section, offset): (usize, u64)| {
            self.places[section].map_or(0, |(output, start)| self.outputs[output].header.address + start + offset)
        };
        let mut all: Vec<Fix> = self.left.iter().map(|(at, r)| made(address(*at), r.symbol, r.addend)).collect();
        let got = self.got.iter().filter(|&&s| self.symbol(s).place != Place::Absolute);
        all.extend(got.map(|&s| made(self.got_address(s), s, 0)));
        all.sort_by_key(|r| (r.kind != elf::RELATIVE64, r.symbol, r.offset));
        all
    }

    /// Writes the sections that the linker makes.
    fn fill(&mut self) {
        let strings = self.dynamic_strings();
        let mut symbols = vec![0; SYMBOL_SIZE as usize];
        for &at in &self.dynamic {
            let symbol = self.symbol(at);
            write_symbol(
                &mut symbols,
                strings.place(&symbol.name),
                symbol,
                symbol.binding,
                self.section_of(at),
                self.address(at),
            );
        }
        let names: Vec<&[u8]> = self.dynamic.iter().map(|&s| self.symbol(s).name.as_bytes()).collect();
        let (gnu, sysv) = (gnu_hash(&names), sysv_hash(&names));
        let mut dynamic = Vec::new();
        for (tag, value) in self.dynamic_entries() {
            long(&mut dynamic, tag.0.cast_unsigned());
            long(&mut dynamic, value);
        }
        let mut relocations = Vec::new();
        for relocation in self.loader_relocations() {
            long(&mut relocations, relocation.offset);
            long(&mut relocations, (relocation.symbol as u64) << 32 | u64::from(relocation.kind));
            long(&mut relocations, relocation.addend.cast_unsigned());
        }
        let mut got = Vec::new();
        for &symbol in &self.got {
            long(&mut got, if self.symbol(symbol).place == Place::Absolute { self.address(symbol) } else { 0 });
        }
        let (dynsym, dynstr) = (self.made.dynsym, self.made.dynstr);
        let all = [
            (Some(dynsym), symbols),
            (Some(self.made.gnu_hash), gnu),
            (Some(self.made.hash), sysv),
            (Some(dynstr), strings.data),
            (Some(self.made.dynamic), dynamic),
            (self.made.rela, relocations),
            (self.made.got, got),
        ];
        for (section, data) in all {
            section.into_iter().zip([data]).for_each(|(section, data)| self.outputs[section].data = data);
        }
        // Sections are counted from 1 in the file.
        let number = |section: usize| section as u32 + 1;
        self.outputs[dynsym].header.link = number(dynstr);
        self.outputs[dynsym].header.info = 1;
        self.outputs[self.made.dynamic].header.link = number(dynstr);
        for section in [Some(self.made.gnu_hash), Some(self.made.hash), self.made.rela].into_iter().flatten() {
            self.outputs[section].header.link = number(dynsym);
        }
    }

    /// Number of a symbol's section in the file.
    fn section_of(&self, at: usize) -> u16 {
        let output = match self.symbol(at).place {
            Place::Section(section) => self.places[section].map(|p| p.0),
            Place::Common => self.commons.get(&at).map(|p| p.0),
            _ => return format::SHN_ABS.0,
        };
        output.map_or(format::SHN_ABS.0, |output| output as u16 + 1)
    }

    /// Whether something is loaded of a class. The section for code may be empty.
    fn has(&self, class: Class) -> bool {
        self.outputs.iter().any(|o| o.class == class && o.header.size > 0)
    }

    fn segment_count(&self) -> u64 {
        let loads = Class::LOADED.iter().filter(|c| self.has(**c)).count() as u64;
        let notes = u64::from(self.outputs.iter().any(|o| o.header.kind == format::SHT_NOTE.0 && o.class == Class::Constant));
        // Beside those: the headers themselves, dynamic, relocated, stack.
        loads + notes + 4
    }

    /// The program headers.
    fn segments(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let headers = SEGMENT_SIZE * self.segment_count();
        let mut add =
            |kind: format::ProgramType, flags: u32, (offset, address, file, memory): (u64, u64, u64, u64), alignment: u64| {
                word(&mut out, kind.0);
                word(&mut out, flags);
                [offset, address, address, file, memory, alignment].iter().for_each(|n| long(&mut out, *n));
            };
        let readable = format::PF_R.0;
        let start = HEADER_SIZE as u64;
        add(format::PT_PHDR, readable, (start, start, headers, headers), 8);
        for class in Class::LOADED.into_iter().filter(|c| self.has(*c)) {
            let (offset, address, file, memory) = self.extent(|o| o.class == class);
            // The headers are loaded with what is constant.
            let whole =
                if class == Class::Constant { (0, 0, offset + file, address + memory) } else { (offset, address, file, memory) };
            add(format::PT_LOAD, class.segment_flags(), whole, PAGE);
        }
        let dynamic = self.extent(|o| o.name == ".dynamic");
        add(format::PT_DYNAMIC, Class::Data.segment_flags(), dynamic, 8);
        add(format::PT_GNU_RELRO, readable, self.extent(|o| o.class == Class::Relocated), 1);
        add(format::PT_GNU_STACK, Class::Data.segment_flags(), (0, 0, 0, 0), 0);
        let is_note = |o: &Output| o.header.kind == format::SHT_NOTE.0 && o.class == Class::Constant;
        if self.outputs.iter().any(is_note) {
            let alignment = self.outputs.iter().filter(|o| is_note(o)).map(|o| o.header.alignment).max().unwrap_or(4);
            add(format::PT_NOTE, readable, self.extent(is_note), alignment);
        }
        out
    }

    /// Offset, address, bytes in the file and in memory of some sections that stand together.
    fn extent(&self, wanted: impl Fn(&Output) -> bool) -> (u64, u64, u64, u64) {
        let all: Vec<&SectionHeader> = self.outputs.iter().filter(|o| wanted(o)).map(|o| &o.header).collect();
        let Some(first) = all.first() else { return (0, 0, 0, 0) };
        let held = all.iter().filter(|h| h.kind != format::SHT_NOBITS.0);
        let file = held.map(|h| h.offset + h.size).max().map_or(0, |end| end - first.offset);
        let memory = all.iter().map(|h| h.address + h.size).max().map_or(0, |end| end - first.address);
        (first.offset, first.address, file, memory)
    }

    /// The symbols of `.symtab`: those of the file that are or become local, then the others.
    fn finish(mut self) -> Vec<u8> {
        let dropped = |s: &NewSymbol| s.is_temporary() || s.place == Place::Undefined;
        let kept = || self.builder.symbols.iter().enumerate().filter(|(_, s)| !dropped(s));
        let was_local = kept().filter(|(_, s)| s.is_local());
        let became_local = kept().filter(|(_, s)| !s.is_local() && !Self::is_dynamic(s));
        let locals: Vec<usize> = was_local.chain(became_local).map(|(at, _)| at).collect();
        let globals: Vec<usize> = kept().filter(|(_, s)| Self::is_dynamic(s)).map(|(at, _)| at).collect();

        // Names stand in the order in which a linker meets the symbols; afterwards those that are local come first.
        let others = kept().filter(|(_, s)| !s.is_local()).map(|(_, s)| s.name.as_str());
        let own_locals = kept().filter(|(_, s)| s.is_local()).map(|(_, s)| s.name.as_str());
        let strings = Strings::in_order(own_locals.chain(others).chain(["_DYNAMIC"]));
        let mut symbols = vec![0; SYMBOL_SIZE as usize];
        let mut add = |at: usize, binding: u8| {
            let symbol = self.symbol(at);
            write_symbol(&mut symbols, strings.place(&symbol.name), symbol, binding, self.section_of(at), self.address(at));
        };
        locals.iter().for_each(|&at| add(at, format::STB_LOCAL.0));
        let dynamic = &self.outputs[self.made.dynamic].header;
        let own = NewSymbol {
            name: "_DYNAMIC".to_owned(),
            binding: format::STB_LOCAL.0,
            kind: format::STT_NOTYPE.0,
            visibility: format::STV_HIDDEN.0,
            place: Place::Absolute,
            value: 0,
            size: 0,
        };
        let (own_section, own_address) = (self.made.dynamic as u16 + 1, dynamic.address);
        write_symbol(&mut symbols, strings.place("_DYNAMIC"), &own, own.binding, own_section, own_address);
        let mut add = |at: usize, binding: u8| {
            let symbol = self.symbol(at);
            write_symbol(&mut symbols, strings.place(&symbol.name), symbol, binding, self.section_of(at), self.address(at));
        };
        globals.iter().for_each(|&at| add(at, self.symbol(at).binding));
        let info = locals.len() as u32 + 2;
        let (string_data, count) = (strings.data, self.outputs.len() as u32);
        let made = |kind: u32, alignment: u64, data: &[u8]| SectionHeader {
            kind,
            alignment,
            size: data.len() as u64,
            ..SectionHeader::default()
        };
        let header = SectionHeader { link: count + 3, info, entry_size: SYMBOL_SIZE, ..made(format::SHT_SYMTAB.0, 8, &symbols) };
        self.outputs.push(Output { name: ".symtab".to_owned(), class: Class::Outside, header, data: symbols });
        let own_names = [".shstrtab", ".strtab"];
        let names_data = Strings::in_order(self.outputs.iter().map(|o| o.name.as_str()).chain(own_names)).data;
        for (name, data) in own_names.into_iter().zip([names_data, string_data]) {
            let header = made(format::SHT_STRTAB.0, 1, &data);
            self.outputs.push(Output { name: name.to_owned(), class: Class::Outside, header, data });
        }
        self.write_file()
    }

    fn write_file(mut self) -> Vec<u8> {
        let segments = self.segments();
        let mut out = vec![0; HEADER_SIZE];
        out.extend_from_slice(&segments);
        let last = self.outputs.len() - 3;
        for (index, output) in self.outputs.iter_mut().enumerate() {
            if index >= last {
                pad(&mut out, output.header.alignment as usize);
                output.header.offset = out.len() as u64;
            }
            if output.header.kind != format::SHT_NOBITS.0 {
                out.resize(out.len().max(output.header.offset as usize), 0);
                out.extend_from_slice(&output.data);
            }
        }
        pad(&mut out, 8);
        let header = Header {
            kind: format::ET_DYN,
            segments: self.segment_count() as u16,
            section_headers: out.len() as u64,
            sections: self.outputs.len() as u16 + 1,
            names: self.outputs.len() as u16 - 1,
        };
        let names = Strings::in_order(self.outputs.iter().map(|o| o.name.as_str()));
        SectionHeader::default().write(&mut out);
        for output in &self.outputs {
            SectionHeader { name: names.place(&output.name), ..output.header.clone() }.write(&mut out);
        }
        out[..HEADER_SIZE].copy_from_slice(&header.write(self.builder));
        out
    }
}

/// The output of an input section: `.text.cold` goes to `.text`.
fn output_name(name: &str) -> &str {
    let known = [".text", ".rodata", ".data.rel.ro", ".data", ".bss", ".init_array", ".fini_array"];
    let of = |known: &&str| name.strip_prefix(known).is_some_and(|rest| rest.starts_with('.'));
    known.into_iter().find(of).unwrap_or(name)
}

/// Stores a relocation's value at the begin of `data`.
fn store(data: &mut [u8], kind: u32, value: u64) -> Result<()> {
    let bytes = match kind {
        elf::ABS32 | elf::ABS32_LO | elf::REL32 | elf::REL32_LO | elf::GOTPCREL | elf::GOTPCREL32_LO => {
            (value as u32).to_le_bytes().to_vec()
        }
        elf::ABS32_HI | elf::REL32_HI | elf::GOTPCREL32_HI => ((value >> 32) as u32).to_le_bytes().to_vec(),
        elf::ABS64 | elf::REL64 => value.to_le_bytes().to_vec(),
        elf::REL16 => {
            // Words behind the instruction that the branch is.
            let words = (value.cast_signed() - 4) / 4;
            let Ok(words) = i16::try_from(words) else {
                return Err(Error::new(format!("a branch of {words} words is too far")).help("at most 32,767 words"));
            };
            words.to_le_bytes().to_vec()
        }
        elf::NONE => return Ok(()),
        other => return Err(Error::new(format!("a relocation of kind {other} means nothing to a linker"))),
    };
    let Some(place) = data.get_mut(..bytes.len()) else { return Err(Error::new("a relocation lies outside its section")) };
    place.copy_from_slice(&bytes);
    Ok(())
}

fn gnu_buckets(symbols: usize) -> u32 {
    (symbols as u32 / 4).max(1)
}

/// Words of the filter: 12 bits a symbol, in a power of two of words.
fn gnu_words(symbols: usize) -> usize {
    match symbols * 12 / 64 {
        0 => 1,
        words => (words + 1).next_power_of_two(),
    }
}

/// `.gnu.hash` of symbols in the order of their buckets, the first of which has index 1.
fn gnu_hash(names: &[&[u8]]) -> Vec<u8> {
    const SHIFT: u32 = 26;
    let (buckets, words) = (gnu_buckets(names.len()), gnu_words(names.len()));
    let hashes: Vec<u32> = names.iter().map(|n| format::gnu_hash(n)).collect();
    let mut filter = vec![0u64; words];
    for hash in &hashes {
        filter[(*hash as usize / 64) & (words - 1)] |= 1 << (hash % 64) | 1 << ((hash >> SHIFT) % 64);
    }
    let bucket = |at: usize| hashes[at] % buckets;
    let first = |b: u32| hashes.iter().position(|h| h % buckets == b).map_or(0, |at| at as u32 + 1);
    let mut out = Vec::new();
    [buckets, 1, words as u32, SHIFT].iter().for_each(|n| word(&mut out, *n));
    filter.iter().for_each(|n| long(&mut out, *n));
    (0..buckets).for_each(|b| word(&mut out, first(b)));
    for (at, hash) in hashes.iter().enumerate() {
        // The lowest bit ends a bucket.
        let ends = at + 1 == hashes.len() || bucket(at) != bucket(at + 1);
        word(&mut out, hash & !1 | u32::from(ends));
    }
    out
}

/// `.hash`, with as many buckets as symbols.
fn sysv_hash(names: &[&[u8]]) -> Vec<u8> {
    let count = names.len() + 1;
    let (mut buckets, mut chains) = (vec![0u32; count], vec![0u32; count]);
    for (at, name) in (1..).zip(names) {
        let bucket = format::hash(name) as usize % count;
        chains[at as usize] = buckets[bucket];
        buckets[bucket] = at;
    }
    let mut out = Vec::new();
    [count as u32, count as u32].iter().chain(&buckets).chain(&chains).for_each(|n| word(&mut out, *n));
    out
}
