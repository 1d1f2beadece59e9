//! The layout of LLVM's assembler: one string table before the sections, each section followed by its relocations, symbols at
//! the end. See LLVM, lib/MC/ELFObjectWriter.cpp.

use super::strings::Strings;
use super::{
    Builder, HEADER_SIZE, Header, NewRelocation, Place, RELOCATION_SIZE, SYMBOL_SIZE, SectionHeader, long, pad, write_symbol,
};
use crate::object::elf;
use crate::object::error::Result;
use object::elf as format;

/// Index of `.strtab`, and of the first section behind it.
const STRINGS: u16 = 1;

/// The section that says which symbols' addresses are compared; linkers leave it out.
const ADDRESS_SIGNIFICANCE: &str = ".llvm_addrsig";
const SHF_EXCLUDE: u64 = 0x8000_0000;

pub(super) fn write(builder: &Builder) -> Result<Vec<u8>> {
    let relocations: Vec<&[NewRelocation]> = builder.sections.iter().map(|s| s.relocations.as_slice()).collect();
    let order = symbol_order(builder, &relocations);
    let indices = section_indices(&relocations);
    let symbol_table = STRINGS as usize + 1 + builder.sections.len() + relocations.iter().filter(|r| !r.is_empty()).count();
    let symbol_table = symbol_table + usize::from(builder.address_significant.is_some());
    let relocation_names: Vec<String> = builder
        .sections
        .iter()
        .zip(&relocations)
        .filter(|(_, r)| !r.is_empty())
        .map(|(s, _)| format!(".rela{}", s.name))
        .collect();
    let names = all_names(builder, &order, &relocation_names);

    let mut out =
        Vec::with_capacity(HEADER_SIZE + builder.sections.iter().map(|s| s.data.len()).sum::<usize>() + names.data.len());
    out.resize(HEADER_SIZE, 0);
    let mut headers = vec![SectionHeader::default(), SectionHeader::default()];
    let mut pending = Vec::new();
    for (section, relocations) in builder.sections.iter().zip(&relocations) {
        pad(&mut out, section.alignment as usize);
        headers.push(SectionHeader {
            name: names.place(&section.name),
            kind: section.kind,
            flags: section.flags,
            offset: out.len() as u64,
            size: section.data.len() as u64 + section.zeros,
            alignment: section.alignment,
            entry_size: section.entry_size,
            ..SectionHeader::default()
        });
        out.extend_from_slice(&section.data);
        if !relocations.is_empty() {
            let changed = headers.len() as u32 - 1;
            pending.push((headers.len(), relocations));
            headers.push(SectionHeader {
                name: names.place(&format!(".rela{}", section.name)),
                kind: format::SHT_RELA.0,
                flags: format::SHF_INFO_LINK.0,
                size: relocations.len() as u64 * RELOCATION_SIZE,
                link: symbol_table as u32,
                info: changed,
                alignment: 8,
                entry_size: RELOCATION_SIZE,
                ..SectionHeader::default()
            });
        }
    }
    let mut places = vec![0; builder.symbols.len()];
    order.iter().enumerate().for_each(|(at, &symbol)| places[symbol] = at as u64 + 1);
    let significant = headers.len();
    if builder.address_significant.is_some() {
        headers.push(SectionHeader {
            name: names.place(ADDRESS_SIGNIFICANCE),
            kind: elf::SHT_LLVM_ADDRSIG,
            flags: SHF_EXCLUDE,
            link: symbol_table as u32,
            alignment: 1,
            ..SectionHeader::default()
        });
    }
    pad(&mut out, 8);
    let start = out.len() as u64;
    let locals = order.iter().filter(|&&s| builder.symbols[s].is_local()).count() as u32;
    write_symbols(builder, &order, &indices, &names, &mut out);
    headers.push(SectionHeader {
        name: names.place(".symtab"),
        kind: format::SHT_SYMTAB.0,
        offset: start,
        size: out.len() as u64 - start,
        link: u32::from(STRINGS),
        info: locals + 1,
        alignment: 8,
        entry_size: SYMBOL_SIZE,
        ..SectionHeader::default()
    });
    for (header, relocations) in pending {
        pad(&mut out, 8);
        headers[header].offset = out.len() as u64;
        for relocation in *relocations {
            long(&mut out, relocation.offset);
            long(&mut out, relocation.symbol.map_or(0, |s| places[s]) << 32 | u64::from(relocation.kind));
            long(&mut out, relocation.addend.cast_unsigned());
        }
    }
    if let Some(symbols) = &builder.address_significant {
        // Its contents stand behind the relocations.
        headers[significant].offset = out.len() as u64;
        out.extend(symbols.iter().filter_map(|&s| places.get(s)).flat_map(|&n| unsigned_leb128(n)));
        headers[significant].size = out.len() as u64 - headers[significant].offset;
    }
    headers[usize::from(STRINGS)] = SectionHeader {
        name: names.place(".strtab"),
        kind: format::SHT_STRTAB.0,
        offset: out.len() as u64,
        size: names.data.len() as u64,
        alignment: 1,
        ..SectionHeader::default()
    };
    out.extend_from_slice(&names.data);
    pad(&mut out, 8);
    let header = Header {
        kind: format::ET_REL,
        segments: 0,
        section_headers: out.len() as u64,
        sections: headers.len() as u16,
        names: STRINGS,
    };
    headers.iter().for_each(|h| h.write(&mut out));
    out[..HEADER_SIZE].copy_from_slice(&header.write(builder));
    Ok(out)
}

fn all_names<'s>(builder: &'s Builder, order: &[usize], relocations: &'s [String]) -> Strings<'s> {
    Strings::shared_ends(
        [".strtab", ".symtab"]
            .into_iter()
            .chain(builder.sections.iter().map(|s| s.name.as_str()))
            .chain(relocations.iter().map(String::as_str))
            .chain(builder.address_significant.is_some().then_some(ADDRESS_SIGNIFICANCE))
            .chain(order.iter().map(|&s| builder.symbols[s].name.as_str())),
    )
}

/// The index that each section gets in the file.
fn section_indices(relocations: &[&[NewRelocation]]) -> Vec<u16> {
    let mut next = STRINGS + 1;
    let mut index = |relocations: &&[NewRelocation]| {
        let this = next;
        next += 1 + u16::from(!relocations.is_empty());
        this
    };
    relocations.iter().map(&mut index).collect()
}

/// The symbols that are written: local ones first.
fn symbol_order(builder: &Builder, relocations: &[&[NewRelocation]]) -> Vec<usize> {
    let mut needed = vec![false; builder.symbols.len()];
    relocations.iter().copied().flatten().filter_map(|r| r.symbol).for_each(|s| needed[s] = true);
    let all = || builder.symbols.iter().enumerate().filter(|(at, s)| needed[*at] || !s.is_temporary());
    let local = all().filter(|(_, s)| s.is_local());
    local.chain(all().filter(|(_, s)| !s.is_local())).map(|(at, _)| at).collect()
}

fn write_symbols(builder: &Builder, order: &[usize], indices: &[u16], names: &Strings<'_>, out: &mut Vec<u8>) {
    out.resize(out.len() + SYMBOL_SIZE as usize, 0);
    for &at in order {
        let symbol = &builder.symbols[at];
        let section = match symbol.place {
            Place::Undefined => format::SHN_UNDEF.0,
            Place::Absolute => format::SHN_ABS.0,
            Place::Section(section) => indices[section],
            Place::Common => format::SHN_COMMON.0,
            Place::Lds => elf::SHN_AMDGPU_LDS,
        };
        // What is defined elsewhere cannot be local.
        let binding = match symbol.place {
            Place::Undefined if symbol.binding == format::STB_LOCAL.0 => format::STB_GLOBAL.0,
            _ => symbol.binding,
        };
        write_symbol(out, names.place(&symbol.name), symbol, binding, section, symbol.value);
    }
}

/// A number in groups of seven bits, the lowest first.
fn unsigned_leb128(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}
