//! Objects that LLVM made come back from the assembly that is written of them: relocatable ones as the same file, linked ones in all that is loaded.

use amdgpu::codec::Codec;
use amdgpu::object::{CodeObject, Kind};
use amdgpu::{assembler, disassembler};
use std::path::{Path, PathBuf};

fn objects(ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/objects");
    let all = std::fs::read_dir(folder).expect("objects").map(|entry| entry.expect("an entry").path());
    let mut all: Vec<PathBuf> = all.filter(|path| path.extension().is_some_and(|e| e == ending)).collect();
    all.sort();
    all
}

/// The file that the text of an object makes, and what the text does not say.
fn again(object: &CodeObject) -> (Vec<u8>, Vec<String>) {
    let made = disassembler::disassemble(object).expect("it is written");
    let target = object.target.expect("a target of the table");
    let codec = Codec::of(target.object.name, made.wave).expect("a codec");
    let assembly = assembler::assemble(&made.text, &codec, &target, None);
    assert!(assembly.is_right(), "{:?}\n{}", assembly.diagnostics, made.text);
    let builder = assembler::object(&assembly, target, made.wave).expect("it can be built");
    let file = if object.kind == Kind::Relocatable { builder.relocatable() } else { builder.shared() };
    (file.expect("it is built"), made.lost)
}

#[test]
fn relocatable_objects_come_back_as_they_were() {
    let all = objects("o");
    assert!(all.len() >= 4, "{all:?}");
    for path in all {
        let data = std::fs::read(&path).expect("a file");
        let (file, lost) = again(&CodeObject::read(&data).expect("an object"));
        assert!(file == data && lost.is_empty(), "{}: {lost:?}", path.display());
    }
}

#[test]
fn linked_objects_come_back_as_they_are_loaded() {
    let all = objects("co");
    assert!(all.len() >= 8, "{all:?}");
    for path in all {
        let data = std::fs::read(&path).expect("a file");
        let object = CodeObject::read(&data).expect("an object");
        let (file, lost) = again(&object);
        let made = CodeObject::read(&file).expect("an object");
        if !object.relocations.is_empty() {
            // What a loader does is left away, and said so.
            assert!(lost.len() == 1 && lost[0].ends_with("relocations that a loader makes"), "{}: {lost:?}", path.display());
            continue;
        }
        assert!(lost.is_empty(), "{}: {lost:?}", path.display());
        for section in object.sections.iter().filter(|s| s.flags & 2 != 0) {
            let own = made.section(&section.name).unwrap_or_else(|| panic!("{}: no {}", path.display(), section.name));
            assert_eq!(
                (own.address, own.kind, own.flags, own.alignment),
                (section.address, section.kind, section.flags, section.alignment)
            );
            assert!(own.data == section.data, "{}: {}", path.display(), section.name);
        }
        assert_eq!(made.symbols, object.symbols, "{}", path.display());
        assert_eq!(made.segments, object.segments, "{}", path.display());
    }
}
