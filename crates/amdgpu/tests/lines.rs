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

/// Lines that no program would have, and that random words do not give: `tests/verdicts/amdgpu/odd.txt`.
#[test]
fn odd_operands_are_taken_as_llvm_takes_them() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/verdicts/amdgpu/odd.txt");
    let text = fs::read_to_string(path).expect("can be read");
    let (mut wrong, mut codec) = (Vec::new(), None::<(&str, Codec)>);
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let (target, rest) = line.split_once(' ').expect("a target");
        let (verdict, line) = rest.split_once(' ').expect("a verdict and a line");
        let of_target = codec.take().filter(|(name, _)| *name == target);
        let (_, of_target) =
            codec.insert(of_target.unwrap_or_else(|| (target, Codec::of(target, None).expect("a target of the table"))));
        let found = bytes_of(of_target, line);
        if found != verdict {
            wrong.push(format!("{target}: {line}: {verdict}, {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn literals_are_printed_as_llvm_does() {
    let lines: [(&str, &[u8], &str); 7] = [
        ("gfx1200", &[0xff, 0xd2, 0x0a, 0x7e, 0x00, 0x00, 0x80, 0x3f], "v_not_b16_e32 v5.l, lit(0x3f800000)"),
        ("gfx1200", &[0xff, 0xd2, 0x0a, 0x7e, 0x01, 0x00, 0x00, 0x00], "v_not_b16_e32 v5.l, lit(0x1)"),
        ("gfx1200", &[0xff, 0xd2, 0x0a, 0x7e, 0x12, 0x34, 0x56, 0x78], "v_not_b16_e32 v5.l, 0x3412"),
        ("gfx1200", &[0xff, 0xd2, 0x0a, 0x7e, 0x00, 0x00, 0xff, 0xff], "v_not_b16_e32 v5.l, 0x0"),
        ("gfx1250", &[0x01, 0x00, 0x73, 0xd7, 0xff, 0, 0, 0, 0x01, 0x00, 0x00, 0x00], "v_cvt_pk_bf8_f16 v1.l, 1"),
        ("gfx1250", &[0x01, 0x00, 0x72, 0xd7, 0xff, 0, 0, 0, 0x0e, 0x00, 0x00, 0x00], "v_cvt_pk_fp8_f16 v1.l, 14"),
        ("gfx1250", &[0x01, 0x00, 0x72, 0xd7, 0xff, 0, 0, 0, 0x00, 0x01, 0x00, 0x00], "v_cvt_pk_fp8_f16 v1.l, 0x100"),
    ];
    for (target, bytes, text) in lines {
        let codec = Codec::of(target, None).expect("a target of the table");
        let mut printed = String::new();
        codec.print(&codec.decode(bytes).expect("an instruction"), &mut printed);
        assert_eq!(printed, text, "{target}");
    }
}

/// Endings that ask for an encoding, where another may stand behind them, and in pairs; llvm-mc 22's answers.
#[test]
fn endings_of_names_are_those_that_llvm_takes() {
    let lines = [
        ("gfx1100", "v_dual_mov_b32_e32 v11, 0 :: v_dual_mov_b32 v10, 0", Some("800010ca80000a0b")),
        ("gfx1100", "v_dual_mov_b32 v11, 0 :: v_dual_mov_b32_e32 v10, 0", None),
        ("gfx1100", "v_dual_mov_b32_e64 v11, 0 :: v_dual_mov_b32 v10, 0", None),
        ("gfx900", "v_rsq_f16_e32_dpp v8, v2 quad_perm:[3,2,1,0]", Some("fa7e107e021b00ff")),
        ("gfx1100", "v_rsq_f32_e32_dpp v8, v2 quad_perm:[3,2,1,0]", Some("fa5c107e021b00ff")),
        ("gfx1100", "v_rsq_f16_e32_dpp v8, v2 quad_perm:[3,2,1,0]", None),
        ("gfx900", "v_add_f32_e32_sdwa v8, v2, v3", None),
    ];
    hold(&lines);
}

/// Halves of registers: of interpolation's without `.l` and `.h` `op_sel` chooses them, a list says of those behind its end that they are low, and what it says
/// of a mask that is written does not matter; llvm-mc 22's answers.
#[test]
fn halves_are_chosen_as_llvm_chooses_them() {
    let lines = [
        ("gfx1100", "v_interp_p10_f16_f32 v0, v1, v0, v1 op_sel:[1,0,1,0] wait_exp:7", Some("002f02cd01010604")),
        ("gfx1200", "v_interp_p2_rtz_f16_f32 v0, v1, v2, v0 op_sel:[1,0,0,1]", Some("004805cd01050204")),
        ("gfx1100", "v_interp_p10_f16_f32 v4, v1.h, v0, v1.h op_sel:[0] wait_exp:7", Some("042f02cd01010604")),
        ("gfx1100", "v_interp_p10_f16_f32 v4, v1.h, v0, v1.h op_sel:[1] wait_exp:7", None),
        ("gfx1100", "v_add_f16_e64 v0, v1, v2 op_sel:[1,0,0]", None),
        ("gfx1100", "v_fma_f16 v4.l, v1.h, v0.h, v1.l op_sel:[1,1]", Some("041848d601010604")),
        ("gfx1100", "v_fma_f16 v4.l, v1.h, v0.h, v1.l op_sel:[1]", None),
        ("gfx1100", "v_fma_f16 v4.h, v1.h, v0.h, v1.h op_sel:[1,1,1]", None),
        ("gfx1100", "v_add_f16 v4.h, v1.h, v0.h op_sel:[1,1]", None),
        ("gfx1100", "v_cmp_ngt_f16 s2, v2.l, v2.l op_sel:[0,0,0,1] quad_perm:[3,2,1,0]", Some("02000bd4fa040200021b00ff")),
        ("gfx1100", "v_cmpx_ngt_f16 v2.l, v2.l op_sel:[0,0,0,1]", Some("7e008bd402050200")),
    ];
    hold(&lines);
}

/// A literal that is an inline constant says that it is none, beside an operand that is a literal, too; llvm-mc 22's text.
#[test]
fn literals_beside_literals_say_what_they_are() {
    let lines = [
        ("gfx1100", 0x3f80_0000_5a04_04ff, "v_fmaak_f32 v2, lit(0x3f800000), v2, 0x3f800000"),
        ("gfx1030", 0x0000_0011_5804_04ff, "v_fmamk_f32 v2, lit(0x11), 0x11, v2"),
        ("gfx900", 0x0000_3c00_4a04_04ff, "v_madak_f16 v2, lit(0x3c00), v2, 0x3c00"),
        ("gfx942", 0xffff_fff0_3004_04ff, "v_fmaak_f32 v2, lit(0xfffffff0), v2, 0xfffffff0"),
        ("gfx900", 0x4049_0fdb_3004_04ff_u64, "v_madak_f32 v2, 0x40490fdb, v2, 0x40490fdb"),
    ];
    for (target, word, text) in lines {
        let codec = Codec::of(target, None).expect("a target of the table");
        let bytes = word.to_le_bytes();
        let decoded = codec.decode(&bytes).expect("an instruction");
        let mut printed = String::new();
        codec.print(&decoded, &mut printed);
        assert_eq!(printed, text, "{target}: {word:#x}");
    }
}

/// Looks whether each line has these bytes on its target, or is refused there.
fn hold(lines: &[(&str, &str, Option<&str>)]) {
    for (target, line, bytes) in lines {
        let codec = Codec::of(target, None).expect("a target of the table");
        let (name, operands) = line.split_once(' ').expect("operands");
        let assembled = codec.assemble(name, operands, &|_| None).ok();
        let got = assembled.map(|assembled| {
            let (bytes, length) = assembled.bytes();
            bytes[..length].iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        });
        assert_eq!(got.as_deref(), *bytes, "{target}: {line}");
    }
}
