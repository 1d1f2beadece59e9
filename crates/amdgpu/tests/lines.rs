//! Lines of assembly with llvm-mc's verdict on each: the bytes, or that it refuses them.
//!
//! The lines of `tests/verdicts/amdgpu/lines` are what Lockstep printed for random words; llvm-mc 22 gave the verdicts. A
//! line that begins with `!` is known to differ, for a reason that the README there tells; what agrees may not change.

use std::fs;
use std::path::PathBuf;

use amdgpu::codec::Codec;

fn bytes_of(codec: &Codec, line: &str) -> String {
    let (mnemonic, operands) = line.split_once(' ').unwrap_or((line, ""));
    match codec.assemble(mnemonic, operands.trim(), &|_| None) {
        Ok(assembled) => {
            let (bytes, length) = assembled.bytes();
            bytes[..length].iter().map(|b| format!("{b:02x}")).collect()
        }
        Err(_) => "refused".to_owned(),
    }
}

#[test]
fn lines_are_assembled_as_llvm_does() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/verdicts/amdgpu/lines");
    let table = isa::amdgpu::Table::get().expect("the table reads");
    let words = isa::amdgpu::words::Words::get().expect("the words read");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("can be listed").path();
        if path.extension().is_none_or(|e| e != "txt") {
            continue;
        }
        let target = path.file_stem().expect("has a name").to_string_lossy().into_owned();
        let codec = Codec::new(table, words, &target, None).expect("a target of the table");
        let text = fs::read_to_string(&path).expect("can be read");
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            let (known, line) = line.strip_prefix('!').map_or((false, line), |l| (true, l));
            let (verdict, line) = line.split_once(' ').expect("a verdict and a line");
            count += 1;
            let found = bytes_of(&codec, line);
            if (found == verdict) == known {
                let what = if known { "agrees now; take its mark away" } else { &found };
                wrong.push(format!("{target}: {line}: {verdict}, {what}"));
            }
        }
    }
    assert!(count > 15_000, "only {count} lines");
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
}
