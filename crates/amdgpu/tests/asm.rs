//! The assembler's language on the cases of `tests/asm`, whose results are LLVM's: `cargo xtask oracle asm` remakes them.

mod support;

use support::{cases, dump, files, run};

#[test]
fn cases_give_what_llvm_gives() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        for case in cases(&text) {
            count += 1;
            let assembly = run(&case.text);
            let found = dump(&assembly, &case.text);
            if found != case.expected || case.expected.is_empty() {
                let messages: Vec<&str> = assembly.diagnostics.iter().map(|d| &*d.message).collect();
                wrong.push(format!(
                    "{}:{}: {}\nexpected\n{}\nfound\n{found}\n{messages:?}\n",
                    path.file_name().unwrap().to_string_lossy(),
                    case.line,
                    case.title,
                    case.expected
                ));
            }
        }
    }
    assert!(count > 150, "only {count} cases");
    assert!(wrong.is_empty(), "{} of {count} cases differ\n{}", wrong.len(), wrong.join("\n"));
}

/// The examples of E04xx: the wrong one gives that code and no other, the right one gives none.
#[test]
fn codes_are_what_their_examples_give() {
    let mut differ = Vec::new();
    let (table, words) = (isa::amdgpu::Table::get().expect("a table"), isa::amdgpu::words::Words::get().expect("words"));
    let codec = amdgpu::codec::Codec::new(table, words, "gfx942", None).expect("a target");
    let target = amdgpu::object::TargetId::of("gfx942").expect("a target");
    let codes = |text: &str| -> Vec<&'static str> {
        let assembly = amdgpu::assembler::assemble(text, &codec, &target, None);
        // What is wrong with the object is found once the text is right.
        let object = amdgpu::assembler::object(&assembly, target, None).err().filter(|_| assembly.is_right());
        assembly.diagnostics.iter().chain(object.iter().flatten()).map(|d| d.code).collect()
    };
    for explanation in diagnostics::codes::all().iter().filter(|e| e.code.starts_with("E04")) {
        let (Some(wrong), Some(right)) = (&explanation.wrong, &explanation.right) else {
            differ.push(format!("{} has no examples", explanation.code));
            continue;
        };
        for (example, expected) in [(wrong, vec![explanation.code]), (right, Vec::new())] {
            let found = codes(example);
            if found != expected {
                differ.push(format!("{}: {example}\ngives {found:?}", explanation.code));
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// Every message, with its line and what it marks.
fn messages(text: &str) -> Vec<String> {
    let source = diagnostics::Source::new("", text);
    let shown = |d: &diagnostics::Diagnostic| {
        let labels =
            d.labels.iter().map(|l| format!("{}: {} `{}`", source.position(l.span.start).line, l.text, l.span.text(text)));
        format!("{} | {} | {}", d.message, labels.collect::<Vec<_>>().join(" | "), d.notes.join(" | "))
    };
    run(text).diagnostics.iter().map(shown).collect()
}

#[test]
fn errors_in_expansions_name_the_body_and_the_call() {
    let text = ".macro inner a\n  .byte 1\n  .byte \\a + 300\n.endm\n.macro outer b\n  inner \\b\n.endm\nouter 7\n";
    assert_eq!(
        messages(text),
        [
            "307 needs more than 8 bits | 3:  `.byte \\a + 300` | 6: in macro `inner` `inner \\b` | 8: in macro `outer` `outer` | it reads `.byte 7 + 300` there"
        ]
    );
    // Where the text of the body is the same, the place itself is marked.
    let text = ".rept 2\n.byte 1, 256\n.endr\n";
    assert_eq!(messages(text)[0], "256 needs more than 8 bits | 2:  `256` | 1: in `.rept` `.rept` | ");
    // So is what shows only at the end.
    let text = ".macro m\n.long 1\n s_branch nowhere\n.endm\n m\n";
    assert_eq!(messages(text), ["there is no label `nowhere` | 3:  `nowhere` | 5: in macro `m` `m` | "]);
}

#[test]
fn kernels_and_metadata_are_collected() {
    let text = "k: s_endpgm\n.rodata\n.long 5\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr later+1\n.amdhsa_kernarg_size 8*2\n.end_amdhsa_kernel\n\
                .set later, 4\n.amdgpu_metadata\n  a: \"; no comment\"\n.end_amdgpu_metadata\n.amdhsa_code_object_version 6\n.print \"x\"";
    let assembly = run(text);
    assert!(assembly.is_right(), "{:?}", assembly.diagnostics);
    let kernel = &assembly.kernels[0];
    let fields: Vec<_> =
        kernel.fields.iter().map(|field| (&*field.name, field.value, field.was_known, field.value_span.text(text))).collect();
    assert_eq!(fields, [(".amdhsa_next_free_vgpr", Some(5), false, "later+1"), (".amdhsa_kernarg_size", Some(16), true, "8*2")]);
    assert_eq!((&*kernel.name, &*assembly.sections[kernel.section].name, kernel.offset), ("k", ".rodata", 4));
    assert_eq!((kernel.span.text(text), kernel.end.text(text)), ("k", ".end_amdhsa_kernel"));
    assert_eq!(assembly.metadata[0].text, "  a: \"; no comment\"\n");
    assert_eq!(assembly.code_object_version.map(|(version, _)| version), Some(6));
    assert_eq!(assembly.printed, ["x"]);
    // The entry's distance: from byte 16 of the descriptor, so that 16 is added to the symbol.
    let relocation = assembly.relocations[0];
    assert_eq!((relocation.offset, relocation.kind, relocation.addend), (4 + 16, 5, 16));
}

/// llvm-mc 22 for gfx1010, where a branch must not have the offset 0x3f: `s_nop 0` follows it.
#[test]
fn branches_avoid_an_offset_where_hardware_fails() {
    let options = amdgpu::asm::Options { has_branch_bug: true, ..support::options() };
    let text = |count: usize| format!("s_branch x\n{}x:\ns_endpgm\n", "s_nop 0\n".repeat(count));
    let assembled = |count| amdgpu::asm::assemble(&text(count), options, &mut support::encode);
    assert_eq!(assembled(62).sections[0].bytes.len(), 256);
    let bytes = &assembled(63).sections[0].bytes;
    assert_eq!((bytes.len(), &bytes[..8]), (264, &[0x40, 0, 0x82, 0xbf, 0, 0, 0x80, 0xbf][..]));
    assert_eq!(assembled(64).sections[0].bytes.len(), 264);
}

#[test]
fn files_come_from_the_loader() {
    let loader = |name: &str| match name {
        "a.s" => Some(b".byte 2\n.byte 300\nl:".to_vec()),
        "b.bin" => Some(vec![1, 2, 3, 4]),
        _ => None,
    };
    let options = amdgpu::asm::Options { loader: Some(&loader), ..support::options() };
    let text = ".byte 1\n.include \"a.s\"\n.incbin \"b.bin\", 1, 2\n.byte l-.text\n.include \"c.s\"\n";
    let assembly = amdgpu::asm::assemble(text, options, &mut support::encode);
    assert_eq!(assembly.sections[0].bytes, [1, 2, 2, 3, 2]);
    let places: Vec<_> =
        assembly.diagnostics.iter().map(|d| (&*d.message, d.labels[0].span.text(text), d.notes.join(""))).collect();
    assert_eq!(
        places,
        [
            ("300 needs more than 8 bits", ".include", "it reads `a.s`:2: `.byte 300`".to_string()),
            ("there is no file `c.s`", "\"c.s\"", String::new())
        ]
    );
}
