//! Code objects against what LLVM 22's tools make and read: the files of `tests/objects`.
//!
//! Longest run of damaged files so far, 2026-11-30: ten minutes, 88,800 code objects and 29,600 bundles; of the objects 28,078 were refused, the
//! others read, written again where they are relocatable, and linked.

use amdgpu::disassembler;
use amdgpu::object::bundle::{self, Compression, Method};
use amdgpu::object::descriptor::{Descriptor, Directives};
use amdgpu::object::metadata::Metadata;
use amdgpu::object::write::{Builder, Place};
use amdgpu::object::{CodeObject, TargetId, Version, inspect};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/objects")
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn text(name: &str) -> String {
    String::from_utf8(bytes(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The code objects, and the files with what LLVM's tools say of them.
fn samples() -> Vec<(String, Vec<u8>, String)> {
    let entries = std::fs::read_dir(folder()).unwrap_or_else(|e| panic!("{e}"));
    let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|n| n.ends_with(".co") || n.ends_with(".o"));
    names.sort();
    assert!(names.len() >= 11, "{names:?}");
    names.into_iter().map(|n| (n.clone(), bytes(&n), text(&format!("{}.facts", n.trim_end_matches(".co"))))).collect()
}

fn hex(data: &[u8]) -> String {
    data.iter().map(|b| format!("{b:02x}")).collect()
}

fn or_dash(name: &str) -> &str {
    if name.is_empty() { "-" } else { name }
}

/// A code object in the form of the .facts files, up to descriptors and metadata.
fn facts(object: &CodeObject<'_>) -> Vec<String> {
    let kind = if object.kind == amdgpu::object::Kind::Shared { 3 } else { 1 };
    let mut lines = vec![format!("header {kind} {} {}", object.version.abi(), object.flags)];
    for s in &object.sections {
        let name = or_dash(&s.name);
        let (place, table) =
            (format!("{} {} {}", s.address, s.offset, s.size), format!("{} {} {}", s.entry_size, s.link, s.info));
        lines.push(format!("section {name} {} {} {place} {} {table}", s.kind, s.flags, s.alignment));
    }
    for s in &object.segments {
        let sizes = format!("{} {} {} {}", s.offset, s.address, s.file_size, s.memory_size);
        lines.push(format!("segment {} {} {sizes} {}", s.kind, s.flags, s.alignment));
    }
    for s in &object.symbols {
        // llvm-readelf calls a section's symbol as the section.
        let name = if s.kind == 3 { &object.sections[usize::from(s.section)].name } else { &s.name };
        let name = or_dash(name);
        lines.push(format!("symbol {name} {} {} {} {} {} {}", s.value, s.size, s.binding, s.kind, s.other, s.section));
    }
    for r in &object.relocations {
        lines.push(format!("relocation {} {} {} {}", r.offset, r.kind, r.symbol, r.addend));
    }
    for name in [".text", ".rodata", ".data", ".got"] {
        let found = object.section(name).filter(|s| !s.data.is_empty());
        lines.extend(found.map(|s| format!("bytes {name} {}", hex(s.data))));
    }
    lines
}

#[test]
fn files_are_read_as_llvm_reads_them() {
    for (name, data, expected) in samples() {
        let object = CodeObject::read(&data).unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = facts(&object);
        let expected: Vec<&str> = expected.lines().take(found.len()).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn targets_are_told_by_flags() {
    for (name, data, _) in samples() {
        let object = CodeObject::read(&data).unwrap_or_else(|e| panic!("{name}: {e}"));
        let target = object.target.unwrap_or_else(|| panic!("{name}: no target"));
        if let Some((processor, version)) = name.trim_end_matches(".co").rsplit_once("-v") {
            assert_eq!(target.to_string(), processor);
            assert_eq!(object.version.number().to_string(), version);
        }
        assert_eq!(target.flags(object.version), object.flags, "{name}");
    }
}

/// Each directive that llvm-objdump prints of a descriptor, against the field that the table gives it.
#[test]
fn descriptors_are_decoded_as_llvm_decodes_them() {
    let layout = isa::amdgpu::descriptor::Layout::get().unwrap_or_else(|e| panic!("{e}"));
    let mut compared = 0;
    for (name, data, expected) in samples() {
        let object = CodeObject::read(&data).unwrap_or_else(|e| panic!("{name}: {e}"));
        let target = object.target.unwrap_or_else(|| panic!("{name}: no target")).object;
        let kernels = object.kernels().unwrap_or_else(|e| panic!("{name}: {e}"));
        let lines: Vec<Vec<&str>> = expected.lines().map(|l| l.split(' ').collect()).collect();
        let of = |kernel: &str| lines.iter().filter(|l| l[0] == "directive" && l[1] == kernel).count();
        assert!(kernels.iter().all(|k| of(k.name) > 20), "{name}");
        for line in lines.iter().filter(|l| l[0] == "directive") {
            let kernel = kernels.iter().find(|k| k.name == line[1]).unwrap_or_else(|| panic!("{name}: no kernel {}", line[1]));
            let value: u64 = line[3].parse().unwrap_or_else(|e| panic!("{name}: {line:?}: {e}"));
            let descriptor = &kernel.descriptor;
            let found = match line[2] {
                ".amdhsa_next_free_vgpr" => u64::from(descriptor.vgprs(target)),
                ".amdhsa_next_free_sgpr" => u64::from(descriptor.sgprs(target).unwrap_or(8)),
                ".amdhsa_accum_offset" => u64::from(descriptor.accum_offset(target).unwrap_or(0)),
                // What llvm-objdump prints of these is a constant.
                ".amdhsa_reserve_vcc" | ".amdhsa_reserve_xnack_mask" | ".amdhsa_reserve_flat_scratch" => continue,
                directive => {
                    let known = layout.directive(directive).unwrap_or_else(|| panic!("{directive} is not in the table"));
                    descriptor.value(target, known.sets).unwrap_or_else(|| panic!("{name}: no field for {directive}"))
                }
            };
            assert_eq!(found, value, "{name} {line:?}");
            compared += 1;
        }
        for kernel in &kernels {
            let fields: Vec<(&str, u64)> =
                kernel.descriptor.fields(target).unwrap_or_else(|e| panic!("{e}")).map(|(f, v)| (f.name, v)).collect();
            assert_eq!(kernel.descriptor.reserved_bits(target), Ok(vec![]), "{name}");
            assert_eq!(Descriptor::of(target, &fields), Ok(kernel.descriptor), "{name}");
        }
    }
    assert!(compared > 400, "{compared}");
}

/// llvm-readelf prints metadata as YAML: read again, it gives the note's very bytes.
#[test]
fn metadata_is_read_as_llvm_reads_it() {
    for (name, data, expected) in samples() {
        let object = CodeObject::read(&data).unwrap_or_else(|e| panic!("{name}: {e}"));
        let Some((_, yaml)) = expected.split_once("metadata\n") else {
            assert!(["reloc.o", "order.o", "order-gfx1030.o"].contains(&name.as_str()), "{name}");
            assert_eq!(object.metadata(), Ok(None), "{name}");
            continue;
        };
        let note = object.notes.iter().find(|n| n.name == "AMDGPU").unwrap_or_else(|| panic!("{name}: no note"));
        let read = Metadata::from_yaml(yaml).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(hex(&read.write()), hex(note.data), "{name}");
        let own = object.metadata().unwrap_or_else(|e| panic!("{name}: {e}")).unwrap_or_else(|| panic!("{name}: none"));
        assert_eq!(own, read, "{name}");
        assert_eq!(own.write(), note.data, "{name}");
    }
}

/// The values stand in the output of llvm-readelf, tests/objects/gfx942-v6.facts.
#[test]
fn a_kernel_is_told_in_full() {
    let data = bytes("gfx942-v6.co");
    let object = CodeObject::read(&data).unwrap_or_else(|e| panic!("{e}"));
    let contents = inspect::inspect(&object).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((contents.version, contents.target.as_str(), contents.linked), (6, "gfx942", true));
    let names: Vec<&str> = contents.kernels.iter().map(|k| k.name.as_str()).collect();
    assert_eq!(names, ["scale", "fill"]);
    let scale = &contents.kernels[0];
    assert_eq!((scale.kernarg_size, scale.kernarg_alignment, scale.lds, scale.scratch), (24, Some(8), 256, 0));
    assert_eq!((scale.vgprs, scale.agprs, scale.sgprs, scale.wave_size), (Some(7), Some(0), Some(39), Some(64)));
    let kinds: Vec<_> = scale.arguments.iter().map(|a| (a.offset, a.size, a.value_kind.as_deref())).collect();
    let (buffer, value) = (Some("global_buffer"), Some("by_value"));
    let places = [(Some(0), Some(8), buffer), (Some(8), Some(8), buffer), (Some(16), Some(4), value), (Some(20), Some(4), value)];
    assert_eq!(kinds, places);
    let symbol = object.symbol("scale").unwrap_or_else(|| panic!("no symbol"));
    assert_eq!(scale.code_size, Some(symbol.size));
    let fill = &contents.kernels[1];
    assert_eq!((fill.workgroup_size, fill.max_workgroup_size), (Some([64, 2, 1]), Some(128)));
}

#[test]
fn code_is_found_in_relocatable_files() {
    for (name, size) in [("linked.o", 80), ("small.o", 4)] {
        let data = bytes(name);
        let object = CodeObject::read(&data).unwrap_or_else(|e| panic!("{name}: {e}"));
        let kernels = object.kernels().unwrap_or_else(|e| panic!("{name}: {e}"));
        let entry = kernels[0].entry.unwrap_or_else(|| panic!("{name}: no code"));
        assert_eq!((object.sections[entry.section].name.as_ref(), entry.offset, entry.size), (".text", 0, size));
    }
}

/// Directives drawn at random, with llvm-mc's bytes.
#[test]
fn directives_make_llvms_descriptors() {
    let (mut accepted, mut refused) = (0, 0);
    for line in text("descriptors.txt").lines().filter(|l| !l.starts_with('#')) {
        let (lines, expected) = line.split_once(" = ").unwrap_or_else(|| panic!("{line}"));
        let mut words = lines.split(' ');
        let target = TargetId::parse(words.next().unwrap_or("")).unwrap_or_else(|e| panic!("{line}: {e}"));
        let mut all = Directives::new(target, words.next().and_then(|w| w.parse().ok())).unwrap_or_else(|e| panic!("{e}"));
        let mut set = |word: &str| {
            let (name, value) = word.split_once('=').unwrap_or_else(|| panic!("{line}"));
            all.set(&format!(".amdhsa_{name}"), value.parse().unwrap_or_else(|e| panic!("{line}: {e}")))
        };
        match words.try_for_each(&mut set).and_then(|()| all.finish()) {
            Ok(descriptor) => {
                assert_eq!(hex(&descriptor.bytes), expected, "{line}");
                accepted += 1;
            }
            Err(error) => {
                assert_eq!("refused", expected, "{line}: {error}");
                assert!(!error.message.is_empty());
                refused += 1;
            }
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} {refused}");
}

/// Texts of .amdgpu_metadata, with llvm-mc's bytes.
#[test]
fn metadata_is_written_as_llvm_writes_it() {
    let (mut accepted, mut refused) = (0, 0);
    let all = text("metadata.txt");
    let mut rest = all.as_str();
    while let Some((yaml, after)) = rest.split_once("==> ") {
        let (expected, after) = after.split_once('\n').unwrap_or_else(|| panic!("{after}"));
        rest = after;
        match Metadata::from_yaml(yaml) {
            Ok(metadata) => {
                assert_eq!(hex(&metadata.write()), expected, "{yaml}");
                accepted += 1;
            }
            Err(error) => {
                assert_eq!("refused", expected, "{yaml}: {error}");
                refused += 1;
            }
        }
    }
    assert!(accepted > 30 && refused > 30, "{accepted} {refused}");
}

/// `later` lies 8 bytes into the code.
#[test]
fn local_symbols_give_way_to_sections() {
    let data = bytes("reloc.o");
    let mut builder = CodeObject::read(&data).and_then(|o| Builder::of(&o)).unwrap_or_else(|e| panic!("{e}"));
    builder.turn_to_sections();
    let text = builder.section(".text");
    let own = builder.sections[text].symbol;
    let relocations: Vec<_> = builder.sections[text].relocations.iter().map(|r| (r.symbol, r.addend)).collect();
    let outside = builder.symbol("outside");
    assert_eq!(relocations, [(None, 8), (Some(own), 12), (Some(outside), 0)]);
}

#[test]
fn relocatable_files_are_written_as_llvm_writes_them() {
    for name in ["linked.o", "reloc.o", "small.o"] {
        let data = bytes(name);
        let object = CodeObject::read(&data).unwrap_or_else(|e| panic!("{name}: {e}"));
        let written = Builder::of(&object).and_then(|b| b.relocatable()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(written == data, "{name} differs");
    }
}

/// `small.s`, line by line.
#[test]
fn a_file_is_built_as_llvm_assembles_it() {
    let build = || {
        let target = TargetId::parse("gfx1100")?;
        let mut builder = Builder::new(target, Version::V6);
        let section = builder.section(".text");
        let kernel = builder.symbol("k");
        builder.sections[section].alignment = 256;
        builder.sections[section].data.extend_from_slice(&0xbfb0_0000u32.to_le_bytes());
        let symbol = &mut builder.symbols[kernel];
        // Global, a function, at the section's begin.
        (symbol.binding, symbol.kind, symbol.place, symbol.size) = (1, 2, Place::Section(section), 4);
        let constants = builder.section(".rodata");
        builder.sections[constants].alignment = 64;
        let mut lines = Directives::new(target, None)?;
        lines.set(".amdhsa_next_free_vgpr", 24)?;
        lines.set(".amdhsa_next_free_sgpr", 16)?;
        lines.set(".amdhsa_user_sgpr_kernarg_segment_ptr", 1)?;
        builder.kernel(constants, "k", &lines.finish()?);
        let source = text("small.s");
        let yaml = source.split(".amdgpu_metadata\n").nth(1).and_then(|t| t.split("  .end_amdgpu_metadata").next());
        builder.metadata(&Metadata::from_yaml(yaml.unwrap_or(""))?);
        builder.relocatable()
    };
    let built = build().unwrap_or_else(|e| panic!("{e}"));
    assert!(built == bytes("small.o"), "differs:\n{}\n{}", hex(&built), hex(&bytes("small.o")));
}

/// What the linker lays out, against LLVM's on the same file; its note of itself and the order of strings aside.
#[test]
fn files_are_linked_as_llvm_links_them() {
    let (input, expected) = (bytes("linked.o"), bytes("linked.co"));
    let object = CodeObject::read(&input).unwrap_or_else(|e| panic!("{e}"));
    let linked = Builder::of(&object).and_then(|b| b.shared()).unwrap_or_else(|e| panic!("{e}"));
    let (ours, theirs) = (CodeObject::read(&linked), CodeObject::read(&expected));
    let (ours, theirs) = (ours.unwrap_or_else(|e| panic!("{e}")), theirs.unwrap_or_else(|e| panic!("{e}")));
    let aside = [".comment", ".symtab", ".shstrtab", ".strtab", ".bss"];
    let wanted = |l: &String| !aside.iter().any(|a| l.starts_with(&format!("section {a} ")));
    let shown = |o: &CodeObject<'_>| facts(o).into_iter().filter(wanted).collect::<Vec<_>>();
    assert_eq!(shown(&ours), shown(&theirs));
    for name in [".note", ".gnu.hash", ".hash", ".dynamic", ".rela.dyn"] {
        let data = |o: &CodeObject<'_>| o.section(name).map(|s| hex(s.data));
        assert_eq!(data(&ours), data(&theirs), "{name}");
    }
    assert_eq!(ours.dynamic_symbols, theirs.dynamic_symbols);
    let text = |o: &CodeObject<'_>| o.kernels().map(|k| k.iter().map(|k| (k.name.to_owned(), k.entry)).collect::<Vec<_>>());
    assert_eq!(text(&ours), text(&theirs));
}

#[test]
fn what_a_loader_does_not_do_is_refused() {
    let data = bytes("linked.o");
    let builder = || Builder::of(&CodeObject::read(&data)?);
    let link = |change: &dyn Fn(&mut Builder)| {
        let mut builder = builder().unwrap_or_else(|e| panic!("{e}"));
        change(&mut builder);
        builder.shared().map(|_| ()).unwrap_err().message
    };
    let undefined = link(&|b| {
        let symbol = b.symbol("helper");
        b.symbols[symbol].place = Place::Undefined;
    });
    assert_eq!(undefined, "the symbol helper is not defined");
    let replaceable = link(&|b| {
        let symbol = b.symbol("add_one");
        b.symbols[symbol].visibility = 0;
    });
    assert_eq!(replaceable, "the distance to add_one is not known: another file may define it too");
    let narrow = link(&|b| {
        let section = b.section(".data");
        b.sections[section].relocations[0].kind = 6;
    });
    assert_eq!(narrow, "R_AMDGPU_ABS32 in .data needs the address of ");
}

#[test]
fn bundles_are_unpacked() {
    let (old, new) = (bytes("gfx1030-v4.co"), bytes("gfx942-v6.co"));
    let compression = |version, method| Some(Compression { version, method });
    for (name, expected) in [
        ("plain.bundle", None),
        ("zlib1.bundle", compression(1, Method::Zlib)),
        ("zstd2.bundle", compression(2, Method::Zstd)),
        ("zstd3.bundle", compression(3, Method::Zstd)),
    ] {
        let data = bytes(name);
        let bundles = bundle::bundles(&data).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!((bundles.len(), bundles[0].compression), (1, expected), "{name}");
        let ids: Vec<&str> = bundles[0].entries.iter().map(|e| e.id.as_str()).collect();
        assert_eq!(ids[1..], ["hipv4-amdgcn-amd-amdhsa--gfx1030", "hipv4-amdgcn-amd-amdhsa--gfx942"], "{name}");
        assert!(ids[0].starts_with("host-x86_64-unknown-linux"), "{name}");
        for (target, code) in [("gfx1030", &old), ("gfx942:sramecc+:xnack-", &new)] {
            let target = TargetId::parse(target).unwrap_or_else(|e| panic!("{e}"));
            let entry = bundles[0].pick(&target).unwrap_or_else(|| panic!("{name}: nothing for {target}"));
            assert!(bundles[0].bytes(entry) == *code, "{name} {target}");
        }
        assert!(bundles[0].pick(&TargetId::parse("gfx1100").unwrap_or_else(|e| panic!("{e}"))).is_none());
        let found = bundle::code_objects(&data).unwrap_or_else(|e| panic!("{name}: {e}")).unwrap_or_default();
        assert!(found.len() == 2 && found[0].data == old && found[1].data == new, "{name}");
    }
}

/// As a program's .hip_fatbin has them: one behind the other, each on its own page.
#[test]
fn bundles_follow_one_another() {
    let mut data = bytes("plain.bundle");
    data.resize(data.len().next_multiple_of(4096), 0);
    data.extend(bytes("zstd3.bundle"));
    data.resize(data.len().next_multiple_of(4096), 0);
    data.extend(bytes("plain.bundle"));
    let found = bundle::code_objects(&data).unwrap_or_else(|e| panic!("{e}")).unwrap_or_default();
    let code = [bytes("gfx1030-v4.co"), bytes("gfx942-v6.co")];
    assert_eq!(found.len(), 6);
    assert!(found.iter().zip(code.iter().cycle()).all(|(f, c)| f.data == *c));
    assert!(bundle::code_objects(b".version 8.0").is_ok_and(|f| f.is_none()));
}

#[test]
fn bundles_are_found_in_programs() {
    let target = TargetId::parse("gfx942").unwrap_or_else(|e| panic!("{e}"));
    let mut builder = Builder::new(target, Version::V6);
    builder.section(".text");
    let section = builder.section(".hip_fatbin");
    builder.sections[section].alignment = 4096;
    builder.sections[section].data = bytes("zstd2.bundle");
    let mut program = builder.relocatable().unwrap_or_else(|e| panic!("{e}"));
    // The machine becomes x86-64.
    program[18..20].copy_from_slice(&62u16.to_le_bytes());
    let found = bundle::code_objects(&program).unwrap_or_else(|e| panic!("{e}")).unwrap_or_default();
    assert!(found.len() == 2 && found[1].data == bytes("gfx942-v6.co"));
    assert_eq!(found[1].id.as_deref(), Some("hipv4-amdgcn-amd-amdhsa--gfx942"));
}

/// Everything that may be asked of a file; whether it was read at all.
fn exercise(data: &[u8]) -> bool {
    let Ok(object) = CodeObject::read(data) else { return false };
    let _ = (object.metadata(), inspect::inspect(&object), disassembler::disassemble(&object));
    if let Ok(builder) = Builder::of(&object) {
        let _ = (builder.relocatable(), builder.shared());
    }
    true
}

/// Section headers stand at the end, so that no part of a file is one.
#[test]
fn truncated_files_are_refused() {
    for (name, data, _) in samples() {
        for length in 0..data.len() {
            assert!(!exercise(&data[..length]), "{name} cut to {length} bytes is read");
        }
    }
    for name in BUNDLES {
        let data = bytes(name);
        for length in 5..data.len() {
            let found = bundle::code_objects(&data[..length]);
            // Zlib's last four bytes are a checksum, which is not needed to unpack.
            assert!(found.is_err() || name == "plain.bundle" && length < 24, "{name} cut to {length} bytes is read");
        }
    }
}

/// A xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    /// Some bytes changed, and now and then the end cut off.
    fn damage(&mut self, data: &[u8], most: usize) -> Vec<u8> {
        const VALUES: [u8; 5] = [0, 1, 0x7f, 0x80, 0xff];
        let mut changed = data.to_vec();
        for _ in 0..=self.below(most) {
            let at = self.below(data.len());
            changed[at] = if self.below(2) == 0 { VALUES[self.below(VALUES.len())] } else { self.below(256) as u8 };
        }
        if self.below(8) == 0 {
            changed.truncate(self.below(data.len()));
        }
        changed
    }
}

const BUNDLES: [&str; 4] = ["plain.bundle", "zlib1.bundle", "zstd2.bundle", "zstd3.bundle"];

/// Damages every sample so many times; how many code objects were read nevertheless and how many were not, and how many bundles.
fn damage_all(count: usize, random: &mut Random) -> [u64; 3] {
    let mut tally = [0; 3];
    for (_, data, _) in samples() {
        for _ in 0..count {
            tally[usize::from(!exercise(&random.damage(&data, 4)))] += 1;
        }
    }
    for name in BUNDLES {
        let data = bytes(name);
        for _ in 0..count {
            tally[2] += 1;
            if let Ok(Some(found)) = bundle::code_objects(&random.damage(&data, 2)) {
                assert!(found.iter().filter(|f| exercise(&f.data)).count() <= 2);
            }
        }
    }
    tally
}

#[test]
fn damaged_files_do_no_harm() {
    let tally = damage_all(300, &mut Random(0x9e37_79b9_7f4a_7c15));
    // Both happen often: a damage in code is none, one in a header is.
    assert!(tally[0] > 500 && tally[1] > 500, "{tally:?}");
}

#[test]
#[ignore = "runs ten minutes; LOCKSTEP_FUZZ_SECONDS sets another time, LOCKSTEP_FUZZ_SEED another seed"]
fn damaged_files_do_no_harm_for_minutes() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seconds = number("LOCKSTEP_FUZZ_SECONDS").unwrap_or(600);
    let mut random = Random(number("LOCKSTEP_FUZZ_SEED").unwrap_or(2).max(1));
    let (start, mut all) = (std::time::Instant::now(), [0; 3]);
    while start.elapsed().as_secs() < seconds {
        let tally = damage_all(100, &mut random);
        all.iter_mut().zip(tally).for_each(|(all, more)| *all += more);
    }
    println!("code objects read {}, refused {}; bundles {}", all[0], all[1], all[2]);
}

#[test]
fn errors_tell_what_is_wrong() {
    let data = bytes("gfx942-v6.co");
    let changed = |at: usize, value: u8| {
        let mut data = data.clone();
        data[at] = value;
        CodeObject::read(&data).unwrap_err().to_string()
    };
    assert_eq!(changed(0, 0), "this is no ELF file: it does not begin with 7f 45 4c 46 (at byte 0x0)");
    assert_eq!(changed(18, 62), "this ELF file is for machine 62, not for AMD GPUs (224) (at byte 0x12)");
    assert_eq!(changed(7, 65), "the code object is for OS ABI 65, not for HSA (64) (at byte 0x7)");
    assert_eq!(changed(8, 0), "the code object is V2; V3 to V6 (ABI versions 1 to 4) are known (at byte 0x8)");
    assert!(CodeObject::read(&data[..data.len() - 1]).unwrap_err().to_string().starts_with("the section headers cannot be read"));
}
