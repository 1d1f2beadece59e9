//! Whole texts with a target's instructions, and single words: against what AMD's manuals and llvm-mc 22 say.

use amdgpu::assembler;
use amdgpu::codec::Codec;
use amdgpu::disasm::Instructions;
use amdgpu::object::TargetId;
use isa::amdgpu::{Table, words::Words};

fn codec(target: &str) -> Codec {
    let table = Table::get().unwrap_or_else(|e| panic!("{e}"));
    let words = Words::get().unwrap_or_else(|e| panic!("{e}"));
    Codec::new(table, words, target, None).unwrap_or_else(|e| panic!("{e}"))
}

/// The bytes of `.text`, or what is wrong.
fn bytes(text: &str, target: &str) -> Result<Vec<u8>, String> {
    let id = TargetId::of(target).expect("a target");
    let assembly = assembler::assemble(text, &codec(target), &id, None);
    match assembly.diagnostics.first() {
        Some(diagnostic) => Err(format!("{}: {}", diagnostic.code, diagnostic.message)),
        None => Ok(assembly.sections[0].bytes.clone()),
    }
}

fn text(code: &[u8], target: &str) -> String {
    let codec = codec(target);
    let mut text = String::new();
    for item in Instructions::new(&codec, code) {
        match item.what {
            Ok(decoded) => codec.print(&decoded, &mut text),
            Err(why) => text += &why.to_string(),
        }
        text.push('\n');
    }
    text
}

const VEGA: [&str; 5] = ["gfx906", "gfx908", "gfx90a", "gfx942", "gfx950"];
const RDNA: [&str; 3] = ["gfx1011", "gfx1012", "gfx1030"];
const NEWER: [&str; 4] = ["gfx1100", "gfx1150", "gfx1200", "gfx1250"];
const ON_VEGA: [u8; 8] = [0x05, 0x40, 0xaa, 0xd3, 0x01, 0x05, 0x0e, 0x1c];
const ON_RDNA: [u8; 8] = [0x05, 0x40, 0x18, 0xcc, 0x01, 0x05, 0x0e, 0x1c];

/// Lines are remembered only where they mean the same again: not where a symbol, a macro, a condition or a comment says otherwise. The words are llvm-mc's.
#[test]
fn lines_that_are_said_again_are_encoded_as_if_they_were_new() {
    let text = "\
.set n, 1
s_mov_b32 s0, n
s_mov_b32 s0, n
.set n, 2
s_mov_b32 s0, n
v_mov_b32 v1, v2
v_mov_b32 v1, v2
.if 0
v_mov_b32 v1, v2
.endif
s_nop 5
x: s_nop 5
s_nop 5 /* goes
on */ ; ends
s_nop 5 /* goes
on */
s_nop 5
.macro s_nop count
 s_sleep \\count
.endm
s_nop 5
s_nop 5
.purgem s_nop
s_nop 5
v_mov_b32 v9, v2
.set .amdgcn.next_free_vgpr, 0
v_mov_b32 v9, v2
.long .amdgcn.next_free_vgpr
s_endpgm
";
    let (mov, nop, sleep) = (0x7e02_0302, 0xbf80_0005, 0xbf8e_0005);
    let first = [0xbe80_0081, 0xbe80_0081, 0xbe80_0082, mov, mov, nop, nop, nop, nop, nop, sleep, sleep, nop];
    let words: Vec<u32> = first.into_iter().chain([0x7e12_0302, 0x7e12_0302, 10, 0xbf81_0000]).collect();
    assert_eq!(bytes(text, "gfx942"), Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect()));
    // What is wrong is told each time.
    let (codec, id) = (codec("gfx942"), TargetId::of("gfx942").expect("a target"));
    let wrong = assembler::assemble("v_mov_b32 v1, v256\ns_nop 0\ns_nop 0\nv_mov_b32 v1, v256\n", &codec, &id, None);
    assert_eq!((wrong.diagnostics.len(), wrong.lengths), (2, vec![4, 4]));
}

/// VOP3P opcode 42 behind 110100111, and 24 behind 110011, as AMD's manuals have them.
#[test]
fn the_dot_product_has_its_two_encodings() {
    for (targets, expected) in [(&VEGA[..], ON_VEGA), (&RDNA[..], ON_RDNA)] {
        for target in targets {
            assert_eq!(bytes("v_dot8_i32_i4 v5, v1, v2, v3", target), Ok(expected.to_vec()), "{target}");
            assert_eq!(text(&expected, target), "v_dot8_i32_i4 v5, v1, v2, v3\n", "{target}");
        }
    }
}

#[test]
fn both_names_are_one_instruction_from_gfx11_on() {
    for target in NEWER {
        for name in ["v_dot8_i32_i4", "v_dot8_i32_iu4"] {
            assert_eq!(bytes(&format!("{name} v5, v1, v2, v3"), target), Ok(ON_RDNA.to_vec()), "{target}");
        }
        assert_eq!(text(&ON_RDNA, target), "v_dot8_i32_iu4 v5, v1, v2, v3\n", "{target}");
        // Bits 61 and 62 say which sources are signed.
        let signed = [0x05, 0x40, 0x18, 0xcc, 0x01, 0x05, 0x0e, 0x7c];
        assert_eq!(text(&signed, target), "v_dot8_i32_iu4 v5, v1, v2, v3 neg_lo:[1,1,0]\n", "{target}");
    }
    for target in VEGA.iter().chain(&RDNA) {
        let refused = bytes("v_dot8_i32_iu4 v5, v1, v2, v3", target);
        assert!(refused.is_err_and(|e| e.starts_with("E0418") && e.contains("gfx1100")), "{target}");
    }
}

#[test]
fn literals_and_two_scalars_are_taken_from_gfx10_on() {
    for line in ["v_dot8_i32_i4 v5, 0x12345, v2, v3", "v_dot8_i32_i4 v5, s1, s2, v3"] {
        assert!(bytes(line, "gfx906").is_err_and(|e| e.starts_with("E0418")), "{line}");
    }
    let literal = vec![0x05, 0x40, 0x18, 0xcc, 0xff, 0x04, 0x0e, 0x1c, 0x45, 0x23, 0x01, 0x00];
    assert_eq!(bytes("v_dot8_i32_i4 v5, 0x12345, v2, v3", "gfx1030"), Ok(literal));
    let scalars = vec![0x05, 0x40, 0x18, 0xcc, 0x01, 0x04, 0x0c, 0x1c];
    assert_eq!(bytes("v_dot8_i32_i4 v5, s1, s2, v3", "gfx1030"), Ok(scalars));
    // The same register twice is one.
    assert!(bytes("v_dot8_i32_i4 v5, s1, s1, v3", "gfx906").is_ok());
}

/// As llvm-mc 22 encodes them.
/// What cannot be read together with what stands before it is what the error points at; where VCC is read too, that is the only one.
#[test]
fn errors_point_at_the_operand_that_is_one_too_many() {
    let lines = [
        ("gfx906", "v_dot8_i32_i4 v5, s1, s2, v3", "s2"),
        ("gfx906", "v_dot8_i32_i4 v5, v1, 0x12345, v3", "0x12345"),
        ("gfx906", "v_add_f32 v0, s1, s2", "s2"),
        ("gfx906", "v_cndmask_b32 v0, s1, v2, vcc", "s1"),
        ("gfx906", "v_madak_f32 v0, s1, v2, 0x1234", "0x1234"),
        ("gfx906", "v_madak_f32 v0, 0x3333, v2, 0x1234", "0x3333"),
        ("gfx1030", "v_fma_f32 v0, s1, s2, s3", "s3"),
        ("gfx1030", "v_fma_f32 v0, s1, 0x1234, s3", "s3"),
        ("gfx1100", "v_dual_mul_f32 v0, s1, v2 :: v_dual_fmaak_f32 v1, s2, v3, 0x78", "0x78"),
        ("gfx1100", "v_dual_mul_f32 v0, v1, v2 :: v_dual_mul_f32 v4, v3, v5", "v4"),
        ("gfx1100", "v_dual_mul_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v5, v6", "v5"),
    ];
    for (target, line, operand) in lines {
        let id = TargetId::of(target).expect("a target");
        let assembly = assembler::assemble(line, &codec(target), &id, None);
        let diagnostic = assembly.diagnostics.first().unwrap_or_else(|| panic!("{target}: {line}"));
        assert_eq!(diagnostic.labels[0].span.text(line), operand, "{target}: {line}: {}", diagnostic.message);
    }
}

#[test]
fn labels_become_branches_and_literals() {
    let text = "a: s_nop 0\n s_cbranch_scc1 a\n s_branch b\n b: s_mov_b32 s9, b-a\n s_endpgm";
    let expected = [
        [0x00, 0x00, 0x80, 0xbf],
        [0xfe, 0xff, 0x85, 0xbf],
        [0x00, 0x00, 0x82, 0xbf],
        [0xff, 0x00, 0x89, 0xbe],
        [0x0c, 0x00, 0x00, 0x00],
        [0x00, 0x00, 0x81, 0xbf],
    ];
    assert_eq!(bytes(text, "gfx942"), Ok(expected.concat()));
}

#[test]
fn a_register_that_does_not_exist_is_no_label() {
    for line in ["s_mov_b32 s0, s300", "v_mov_b32 v0, v256", "v_mov_b32 v1, v[0:1]"] {
        assert!(bytes(line, "gfx942").is_err(), "{line}");
    }
}

/// Whatever the bytes are, the walk covers each once.
#[test]
fn instructions_cover_all_bytes() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for target in ["gfx906", "gfx1030", "gfx1100", "gfx1250"] {
        let codec = codec(target);
        for length in 0..200 {
            let code: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 33) as u8
                })
                .collect();
            let mut at = 0;
            for item in Instructions::new(&codec, &code) {
                assert_eq!(item.offset, at);
                assert!(item.size > 0);
                at += item.size;
                if let Some(decoded) = item.what.as_ref().ok().filter(|d| d.second.is_none()) {
                    let bits: u32 = codec.fields(decoded).iter().map(|f| u32::from(f.high - f.low) + 1).sum();
                    assert_eq!(bits, u32::from(decoded.entry.size) * 8, "{}", decoded.entry.instruction.name);
                }
            }
            assert_eq!(at, code.len());
        }
    }
}

/// Sources and what llvm-mc 22 made of them, to the byte.
#[test]
fn objects_are_what_llvm_makes() {
    for (name, target) in [("small", "gfx1100"), ("reloc", "gfx906")] {
        let file = |end: &str| format!("{}/../../tests/objects/{name}.{end}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(file("s")).unwrap_or_else(|e| panic!("{name}: {e}"));
        let expected = std::fs::read(file("o")).unwrap_or_else(|e| panic!("{name}: {e}"));
        let id = TargetId::of(target).expect("a target");
        let assembly = assembler::assemble(&text, &codec(target), &id, None);
        assert!(assembly.is_right(), "{name}: {:?}", assembly.diagnostics);
        let object = assembler::object(&assembly, id, None).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert!(object.relocatable().unwrap_or_else(|e| panic!("{name}: {e}")) == expected, "{name}.o differs");
    }
}

/// 254 is a literal of 64 bits from gfx1250 on alone; before, LDS stands beside a literal of 32 bits.
#[test]
fn lds_stands_beside_a_literal() {
    let code = [0x08, 0x00, 0x78, 0xd5, 0xfe, 0xfe, 0xf1, 0x03, 0x00, 0x3c, 0x00, 0x00];
    assert_eq!(text(&code, "gfx1030"), "v_xor3_b32 v8, src_lds_direct, 0x3c00, src_execz\n");
}

/// On gfx10 the number of null says that no scalar register is added.
#[test]
fn private_memory_without_a_scalar_register_is_printed_as_off() {
    let code = [0x00, 0x40, 0x24, 0xdc, 0x00, 0x00, 0x7d, 0x02];
    assert_eq!(text(&code, "gfx1030"), "scratch_load_sbyte v2, v0, off\n");
}

/// From gfx11 on 0.5 as an inline constant is two of them.
#[test]
fn a_literal_half_is_not_the_inline_constant() {
    let [literal, two] = [[0xff, 0x04, 0x04, 0x78, 0x00, 0x38, 0x00, 0x00], [0xff, 0x04, 0x04, 0x78, 0x00, 0x38, 0x00, 0x38]];
    assert_eq!(text(&literal, "gfx1250"), "v_pk_fmac_f16 v2, 0x3800, v2\n");
    assert_eq!(text(&two, "gfx1250"), "v_pk_fmac_f16 v2, lit(0x38003800), v2\n");
}
