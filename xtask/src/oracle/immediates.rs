//! The immediates of AMD's assembly against llvm-mc, printed and read on every target.
//!
//! A probe is a line of assembly with a hole for one immediate, and the bits of the instruction that hold it. llvm-mc assembles
//! the line once; the bits are then set to each value, and what llvm-mc disassembles is compared with what we print. The texts,
//! and texts made from them by small mistakes, are then assembled with the line, and compared with what we read. A sample of
//! the verdicts is written to tests/verdicts/amdgpu/immediates, where a test of crate `amdgpu` reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::{fs, thread};

use amdgpu::immediate::cursor::Cursor;
use amdgpu::immediate::{Form, Immediates};
use isa::amdgpu::words::{Spelling, Words};

/// A line with a hole, `@`.
struct Probe {
    /// The immediate.
    name: &'static str,
    /// Where the line exists: names of targets begin with one of these.
    targets: &'static [&'static str],
    line: &'static str,
    /// A text for the hole that is printed as it is written.
    base: &'static str,
    /// The bits of the instruction: the lowest of each run and how many, the lowest bits of the value first.
    bits: &'static [(u32, u32)],
    how: How,
}

/// What is compared.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// Values and texts.
    Both,
    /// Texts alone: other parts of the line depend on the value.
    Texts,
    /// Texts, and only whether they are accepted.
    Acceptance,
    /// The format in front of soffset.
    Legacy,
}

const SIMM16: &[(u32, u32)] = &[(0, 16)];
const ALL: &[&str] = &["gfx"];
const GFX9: &[&str] = &["gfx9"];
const GFX10: &[&str] = &["gfx10"];
const GFX11: &[&str] = &["gfx11"];
const GFX12: &[&str] = &["gfx12"];
const GFX125: &[&str] = &["gfx125"];
const GFX9_10: &[&str] = &["gfx9", "gfx10"];
const GFX9_11: &[&str] = &["gfx9", "gfx10", "gfx11"];
const FROM_10: &[&str] = &["gfx10", "gfx11", "gfx12"];
const FROM_11: &[&str] = &["gfx11", "gfx12"];
const GFX940: &[&str] = &["gfx942", "gfx950", "gfx9-4"];
const VEGA: &[&str] = &["gfx900", "gfx902", "gfx904", "gfx906", "gfx908", "gfx909", "gfx90c", "gfx9-generic"];

const fn probe(
    name: &'static str,
    targets: &'static [&'static str],
    line: &'static str,
    base: &'static str,
    bits: &'static [(u32, u32)],
) -> Probe {
    Probe { name, targets, line, base, bits, how: How::Both }
}

const fn texts(
    name: &'static str,
    targets: &'static [&'static str],
    line: &'static str,
    base: &'static str,
    bits: &'static [(u32, u32)],
) -> Probe {
    Probe { name, targets, line, base, bits, how: How::Texts }
}

const fn acceptance(name: &'static str, targets: &'static [&'static str], line: &'static str, base: &'static str) -> Probe {
    Probe { name, targets, line, base, bits: &[], how: How::Acceptance }
}

const MOV: &str = "v_mov_b32_dpp v0, v1 @ row_mask:0x3 bank_mask:0x3";
const TBUFFER: &str = "tbuffer_load_format_x v0, v1, s[0:3], s4 @ idxen";
const LEGACY: &str = "tbuffer_load_format_x v0, v1, s[0:3], @ s4 idxen";
const MFMA: &str = "v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31] @";
const WMMA: &str = "v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[40:47] @";
const SCALED: &str = "v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[40:47], v1, v2 @";
const RESINFO: &str = "image_get_resinfo v[0:3], v0, s[0:7] dmask:0xf @";
const GLOBAL12: &[(u32, u32)] = &[(52, 3), (50, 2), (7, 1), (PAD, 5), (48, 1)];
const SCALAR12: &[(u32, u32)] = &[(23, 2), (PAD, 1), (21, 2), (20, 1), (PAD, 5), (56, 1)];
/// Stands for bits of the value that the instruction does not hold.
const PAD: u32 = 255;

const PROBES: &[Probe] = &[
    probe("waitcnt", GFX9_11, "s_waitcnt @", "vmcnt(1)", SIMM16),
    probe("depctr", &["gfx10", "gfx11"], "s_waitcnt_depctr @", "depctr_va_vdst(1)", SIMM16),
    probe("depctr", GFX12, "s_wait_alu @", "depctr_va_vdst(1)", SIMM16),
    probe("delay_alu", FROM_11, "s_delay_alu @", "instid0(VALU_DEP_1)", SIMM16),
    probe("sendmsg", ALL, "s_sendmsg @", "sendmsg(MSG_INTERRUPT)", SIMM16),
    probe("sendmsg", ALL, "s_sendmsghalt @", "sendmsg(MSG_INTERRUPT)", SIMM16),
    probe("sendmsg", FROM_11, "s_sendmsg_rtn_b32 s0, @", "sendmsg(MSG_RTN_GET_DOORBELL)", &[(0, 8)]),
    probe("hwreg", ALL, "s_getreg_b32 s0, @", "hwreg(HW_REG_IB_STS)", SIMM16),
    texts("hwreg", ALL, "s_setreg_b32 @, s0", "hwreg(HW_REG_IB_STS)", SIMM16),
    probe("gpr_idx", GFX9, "s_set_gpr_idx_mode @", "gpr_idx(SRC0)", SIMM16),
    probe("gpr_idx", GFX9, "s_set_gpr_idx_on s0, @", "gpr_idx(SRC0)", &[(8, 8)]),
    probe("version", FROM_10, "s_version @", "UC_VERSION_GFX10", SIMM16),
    probe("endpgm", ALL, "s_endpgm @", "5", SIMM16),
    probe("int16", ALL, "s_nop @", "5", SIMM16),
    probe("int16", ALL, "s_sleep @", "5", SIMM16),
    probe("int16", ALL, "s_setprio @", "5", SIMM16),
    probe("int16", ALL, "s_sethalt @", "5", SIMM16),
    probe("int16", GFX12, "s_barrier_wait @", "5", SIMM16),
    probe("simm16", FROM_10, "s_clause @", "0x5", SIMM16),
    probe("simm16", ALL, "s_movk_i32 s0, @", "0x5", SIMM16),
    probe("simm16", GFX12, "s_wait_loadcnt @", "0x5", SIMM16),
    probe("simm16", &["gfx10", "gfx11"], "s_waitcnt_vscnt null, @", "0x5", SIMM16),
    probe("simm16", FROM_10, "s_round_mode @", "0x5", SIMM16),
    probe("int16", FROM_10, "s_denorm_mode @", "5", SIMM16),
    probe("simm16", FROM_10, "s_ttracedata_imm @", "0x5", SIMM16),
    probe("simm16", FROM_10, "s_set_inst_prefetch_distance @", "0x5", SIMM16),
    probe("simm16", GFX12, "s_wait_kmcnt @", "0x5", SIMM16),
    probe("int16", GFX125, "s_set_vgpr_msb @", "5", SIMM16),
    probe("int5", GFX12, "s_prefetch_inst s[2:3], 0x0, s4, @", "5", &[(6, 5)]),
    probe("int5", GFX12, "s_atc_probe @, s[2:3], 0x0", "5", &[(6, 5)]),
    probe("uimm16", GFX9_11, "s_cmpk_eq_u32 s0, @", "0x5", SIMM16),
    probe("branch", ALL, "s_branch @", "5", SIMM16),
    probe("dpp_ctrl", ALL, MOV, "row_mirror", &[(40, 9)]),
    probe("dpp8", FROM_10, "v_mov_b32_dpp v0, v1 @", "dpp8:[7,6,5,4,3,2,1,0]", &[(40, 24)]),
    probe("row_mask", ALL, "v_mov_b32_dpp v0, v1 row_mirror @ bank_mask:0x3", "row_mask:0x5", &[(60, 4)]),
    probe("bank_mask", ALL, "v_mov_b32_dpp v0, v1 row_mirror row_mask:0x3 @", "bank_mask:0x5", &[(56, 4)]),
    probe("bound_ctrl", ALL, "v_mov_b32_dpp v0, v1 row_mirror row_mask:0x3 bank_mask:0x3 @", "bound_ctrl:1", &[(51, 1)]),
    probe("fi", FROM_10, "v_mov_b32_dpp v0, v1 row_mirror row_mask:0x3 bank_mask:0x3 @", "fi:1", &[(50, 1)]),
    texts("fi8", FROM_10, "v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0] @", "fi:1", &[(1, 1)]),
    probe("dst_sel", GFX9_10, "v_mov_b32_sdwa v0, v1 @ dst_unused:UNUSED_PAD src0_sel:BYTE_3", "dst_sel:BYTE_1", &[(40, 3)]),
    probe("dst_unused", GFX9_10, "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 @ src0_sel:BYTE_3", "dst_unused:UNUSED_SEXT", &[(43, 2)]),
    probe("src0_sel", GFX9_10, "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PAD @", "src0_sel:WORD_1", &[(48, 3)]),
    probe(
        "src1_sel",
        GFX9_10,
        "v_add_f32_sdwa v0, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_3 @",
        "src1_sel:WORD_1",
        &[(56, 3)],
    ),
    probe("swizzle", ALL, "ds_swizzle_b32 v8, v2 @", "offset:swizzle(SWAP,4)", SIMM16),
    probe("exp_tgt", &["gfx9", "gfx10", "gfx11", "gfx12"], "exp @ v4, v3, v2, v1", "mrt5", &[(4, 6)]),
    probe("format", GFX9, TBUFFER, "format:[BUF_DATA_FORMAT_32]", &[(19, 7)]),
    probe("format", &["gfx10", "gfx11"], TBUFFER, "format:[BUF_FMT_32_UINT]", &[(19, 7)]),
    probe("format", GFX12, TBUFFER, "format:[BUF_FMT_32_UINT]", &[(55, 7)]),
    Probe { name: "format", targets: GFX9, line: LEGACY, base: "dfmt:4", bits: &[(19, 7)], how: How::Legacy },
    Probe { name: "format", targets: &["gfx10", "gfx11"], line: LEGACY, base: "format:4", bits: &[(19, 7)], how: How::Legacy },
    probe("dim", GFX10, RESINFO, "dim:SQ_RSRC_IMG_CUBE", &[(3, 3)]),
    probe("dim", GFX11, RESINFO, "dim:SQ_RSRC_IMG_CUBE", &[(2, 3)]),
    probe("dim", &["gfx120", "gfx12-"], RESINFO, "dim:SQ_RSRC_IMG_CUBE", &[(0, 3)]),
    probe("cpol_load", VEGA, "global_load_dword v0, v[2:3], off @", "glc", &[(16, 2)]),
    probe("cpol_load", &["gfx90a"], "global_load_dword v0, v[2:3], off @", "glc", &[(16, 2), (PAD, 2), (25, 1)]),
    probe("cpol_load", GFX940, "global_load_dword v0, v[2:3], off @", "sc0", &[(16, 2), (PAD, 2), (25, 1)]),
    probe("cpol_load", GFX10, "global_load_dword v0, v[2:3], off @", "glc", &[(16, 2), (12, 1)]),
    probe("cpol_load", GFX11, "global_load_b32 v0, v[2:3], off @", "glc", &[(14, 2), (13, 1)]),
    probe("cpol_load", GFX12, "global_load_b32 v0, v1, s[2:3] @", "scope:SCOPE_SE", GLOBAL12),
    probe("cpol_store", VEGA, "global_store_dword v[2:3], v4, off @", "glc", &[(16, 2)]),
    probe("cpol_store", &["gfx90a"], "global_store_dword v[2:3], v4, off @", "glc", &[(16, 2), (PAD, 2), (25, 1)]),
    probe("cpol_store", GFX940, "global_store_dword v[2:3], v4, off @", "sc0", &[(16, 2), (PAD, 2), (25, 1)]),
    probe("cpol_store", GFX10, "global_store_dword v[2:3], v4, off @", "glc", &[(16, 2), (12, 1)]),
    probe("cpol_store", GFX11, "global_store_b32 v[2:3], v4, off @", "glc", &[(14, 2), (13, 1)]),
    probe("cpol_store", GFX12, "global_store_b32 v1, v4, s[2:3] @", "scope:SCOPE_SE", GLOBAL12),
    probe(
        "cpol_atomic",
        GFX12,
        "image_atomic_add_flt v4, v5, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D @",
        "scope:SCOPE_SE",
        &[(52, 3), (50, 2)],
    ),
    probe("cpol_scalar", GFX9, "s_load_dword s0, s[2:3], s5 @", "glc", &[(16, 1)]),
    probe("cpol_scalar", GFX10, "s_load_dword s0, s[2:3], s5 @", "glc", &[(16, 1), (PAD, 1), (14, 1)]),
    probe("cpol_scalar", GFX11, "s_load_b32 s0, s[2:3], s5 @", "glc", &[(14, 1), (PAD, 1), (13, 1)]),
    probe("cpol_scalar", GFX12, "s_load_b32 s0, s[2:3], s5 @", "scope:SCOPE_SE", SCALAR12),
    texts("op_sel", ALL, "v_pk_add_f16 v0, v1, v2 @", "op_sel:[0,1]", &[(11, 2)]),
    texts("op_sel_hi", ALL, "v_pk_add_f16 v0, v1, v2 @", "op_sel_hi:[0,1]", &[(59, 2)]),
    texts("neg_lo", ALL, "v_pk_add_f16 v0, v1, v2 @", "neg_lo:[0,1]", &[(61, 2)]),
    texts("neg_hi", ALL, "v_pk_add_f16 v0, v1, v2 @", "neg_hi:[0,1]", &[(8, 2)]),
    texts("neg", GFX940, "v_mfma_f64_4x4x4f64 v[0:1], v[2:3], v[4:5], v[6:7] @", "neg:[1,0,1]", &[(61, 3)]),
    probe("omod", ALL, "v_add_f32_e64 v0, v1, v2 @", "mul:4", &[(59, 2)]),
    acceptance("byte_sel", GFX125, "v_cvt_sr_bf8_f16 v1, v2, v3 @", "byte_sel:2"),
    acceptance("bitop3", &["gfx950", "gfx125"], "v_bitop3_b32 v0, v1, v2, v3 @", "bitop3:0x6"),
    acceptance("scale_sel", GFX125, "v_cvt_scale_pk8_f16_fp8 v[10:13], v[20:21], v8 @", "scale_sel:5"),
    probe("cbsz", &["gfx908", "gfx90a", "gfx942", "gfx950", "gfx9-4"], MFMA, "cbsz:2", &[(8, 3)]),
    probe("abid", &["gfx908", "gfx90a", "gfx942", "gfx950", "gfx9-4"], MFMA, "abid:2", &[(11, 4)]),
    probe("blgp", &["gfx908", "gfx90a", "gfx942", "gfx950", "gfx9-4"], MFMA, "blgp:2", &[(61, 3)]),
    probe("index_key_16bit", GFX125, "v_swmmac_f32_16x16x64_bf16 v[24:31], v[0:7], v[8:23], v32 @", "index_key:1", &[(11, 1)]),
    acceptance("index_key_32bit", GFX125, "v_swmmac_f32_16x16x128_fp8_fp8 v[24:31], v[0:7], v[8:23], v[32:33] @", "index_key:1"),
    texts("index_key_8bit", &["gfx120"], "v_swmmac_f32_16x16x32_f16 v[8:11], v[0:1], v[2:5], v12 @", "index_key:1", &[(11, 2)]),
    texts("matrix_a_fmt", GFX125, WMMA, "matrix_a_fmt:MATRIX_FMT_BF8", &[(11, 3)]),
    acceptance("matrix_b_fmt", GFX125, WMMA, "matrix_b_fmt:MATRIX_FMT_BF8"),
    acceptance("matrix_a_scale", GFX125, SCALED, "matrix_a_scale:MATRIX_SCALE_ROW1"),
    acceptance("matrix_b_scale", GFX125, SCALED, "matrix_b_scale:MATRIX_SCALE_ROW1"),
    acceptance("matrix_a_scale_fmt", GFX125, SCALED, "matrix_a_scale_fmt:MATRIX_SCALE_FMT_E5M3"),
    acceptance("matrix_b_scale_fmt", GFX125, SCALED, "matrix_b_scale_fmt:MATRIX_SCALE_FMT_E5M3"),
    probe("wait_exp", FROM_11, "v_interp_p10_f32 v0, v1, v2, v3 @", "wait_exp:3", &[(8, 3)]),
    probe("wait_vdst", GFX11, "lds_param_load v1, attr0.x @", "wait_vdst:3", &[(16, 4)]),
    probe("wait_va_vdst", &["gfx120"], "ds_param_load v1, attr0.x @ wait_vm_vsrc:1", "wait_va_vdst:3", &[(16, 4)]),
    probe("wait_vm_vsrc", &["gfx120"], "ds_param_load v1, attr0.x wait_va_vdst:3 @", "wait_vm_vsrc:1", &[(23, 1)]),
    probe("interp_slot", GFX9_10, "v_interp_mov_f32_e32 v5, @, attr0.y", "p20", &[(0, 2)]),
    probe("attribute", GFX9_10, "v_interp_p1_f32_e32 v0, v1, @", "attr3.y", &[(8, 8)]),
    probe("attribute", GFX11, "lds_param_load v1, @ wait_vdst:3", "attr3.y", &[(8, 8)]),
];

/// Values at which llvm-mc 22 breaks down.
const CRASHES: [(&str, u32); 4] = [("dst_sel", 7), ("src0_sel", 7), ("src1_sel", 7), ("dst_unused", 3)];
/// Values of one probe that are tried on a target that stands for its family, and on others.
const REPRESENTATIVES: [&str; 10] =
    ["gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1150", "gfx1200", "gfx1250", "gfx9-4-generic"];
/// What exists in wavefronts of 64 lanes alone.
const WAVE64: [&str; 1] = ["index_key_8bit"];
/// Plain numbers, of which every value is tried on the first of these targets alone.
const PLAIN: [&str; 5] = ["int16", "simm16", "uimm16", "branch", "endpgm"];
/// Every so manieth value is tried on the targets that are not representatives.
const STEP: u32 = 61;
/// Texts of a probe that are assembled for their own sake, and those from which mistakes are made.
const TEXTS: usize = 500;
const ORIGINS: usize = 40;
/// Values and texts of a probe whose verdicts are kept.
const KEPT_VALUES: usize = 96;
const KEPT_TEXTS: usize = 90;
/// Disagreements that are shown of each line.
const SHOWN: usize = 8;

pub fn run(names: &[String]) -> Result<(), String> {
    let words: &'static Words = Words::get().map_err(ToString::to_string)?;
    let version = version()?;
    let mut tally = Tally::default();
    let mut kept: BTreeMap<&str, String> = BTreeMap::new();
    for probe in PROBES.iter().filter(|p| names.is_empty() || names.iter().any(|n| n == p.name)) {
        let text = probe.run(words, &mut tally)?;
        kept.entry(probe.name).or_default().push_str(&text);
    }
    println!("{tally}");
    let folder = crate::root().join("tests/verdicts/amdgpu/immediates");
    let failed = |e: std::io::Error| format!("cannot write {}: {e}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    for (name, text) in kept {
        let head = format!("# {name}: what {version} prints and reads, a sample; remade by `cargo xtask oracle immediates`\n");
        fs::write(folder.join(format!("{name}.txt")), head + &text).map_err(failed)?;
    }
    if names.is_empty() {
        fs::write(folder.join("README.md"), about(&version, &tally)).map_err(failed)?;
    }
    if tally.differ == 0 { Ok(()) } else { Err(format!("{} verdicts differ", tally.differ)) }
}

/// How often we agree.
#[derive(Default)]
struct Tally {
    values: u64,
    lossy: u64,
    accepted: u64,
    refused: u64,
    differ: u64,
    /// The disagreements that were shown, without their targets, and how many of each probe.
    shown: BTreeSet<String>,
    of_probe: BTreeMap<&'static str, usize>,
}

impl Tally {
    /// Counts a disagreement, and shows it unless it was shown for another target.
    fn differs(&mut self, target: &str, line: &'static str, message: String) {
        self.differ += 1;
        let shown = self.of_probe.entry(line).or_default();
        if *shown < SHOWN && self.shown.insert(format!("{line}{message}")) {
            *shown += 1;
            println!("{target}: {line}: {message}");
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} values printed, {} of them without a text that says all; {} texts accepted, {} refused; {} verdicts differ",
            self.values, self.lossy, self.accepted, self.refused, self.differ
        )
    }
}

fn about(version: &str, tally: &Tally) -> String {
    format!(
        "# Immediates: agreement with {version}\n\nWritten by `cargo xtask oracle immediates`. Every value of every immediate on ten targets \
         that stand for their families\n(of plain numbers on the first alone, of dpp8 a sample), every {STEP}st on the others; up to {TEXTS} of the texts that are\nprinted, and texts with small mistakes, on all targets.\n\n\
         {tally}.\n\nA text that does not say all of a value is one that the assembler would refuse or read as another value: LLVM prints\n\
         comments such as `/* Invalid dpp_ctrl value */`, or drops bits. There only the fact is compared, not the text.\n\n\
         The other files hold a sample of the verdicts, which a test of crate `amdgpu` reads: `VALUE = TEXT` as llvm-mc disassembles\n\
         (`lossy`: it does not say all of the value), `TEXT -> VALUE` or `TEXT refused` as it assembles, each below the targets where it holds.\n"
    )
}

/// What LLVM says of itself.
pub(super) fn version() -> Result<String, String> {
    let output = Command::new("llvm-mc-22").arg("--version").output().map_err(|e| format!("cannot run llvm-mc-22: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| line.contains("version")).unwrap_or("").trim();
    Ok(format!("llvm-mc {}", line.rsplit(' ').next().unwrap_or("")))
}

/// What llvm-mc writes to its two outputs; `gfx1200/64` is a target with wavefronts of 64 lanes.
pub(super) fn llvm_mc(target: &str, input: String, disassemble: bool) -> Result<(String, String), String> {
    let mut command = Command::new("llvm-mc-22");
    let (target, wave) = target.split_once('/').unwrap_or((target, ""));
    let features = if wave.is_empty() { "+real-true16".into() } else { format!("+real-true16,+wavefrontsize{wave}") };
    command.args(["-triple=amdgcn-amd-amdhsa", &format!("-mcpu={target}"), &format!("-mattr={features}")]);
    command.arg(if disassemble { "--disassemble" } else { "--show-encoding" });
    // Where it breaks down nobody reads how.
    command.env("LLVM_DISABLE_SYMBOLIZATION", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |e: std::io::Error| format!("cannot run llvm-mc-22: {e}");
    let mut child = command.spawn().map_err(failed)?;
    let mut stdin = child.stdin.take().ok_or("llvm-mc-22 has no input")?;
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().map_err(failed)?;
    // A broken pipe shows in the outputs.
    drop(writer.join());
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Ok((text(&output.stdout), text(&output.stderr)))
}

/// The numbers of the lines that a message of this kind is about, counted from 0.
fn complained(errors: &str, kind: &str) -> BTreeSet<usize> {
    let line = |text: &str| text.strip_prefix("<stdin>:")?.split(':').next()?.parse::<usize>().ok()?.checked_sub(1);
    errors.lines().filter(|text| text.contains(kind)).filter_map(line).collect()
}

/// What llvm-mc makes of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// An error.
    Refused,
    /// Bytes.
    Bytes(Vec<u8>),
    /// Bytes that depend on a symbol, or it broke down.
    Open,
}

/// The bytes of each line, or nothing if it is refused.
pub(super) fn assemble(target: &str, lines: &[String]) -> Result<Vec<Option<Vec<u8>>>, String> {
    let answers = answers(target, lines)?.into_iter();
    Ok(answers.map(|answer| if let Answer::Bytes(bytes) = answer { Some(bytes) } else { None }).collect())
}

/// What it makes of each line, in one run unless it breaks down.
pub(super) fn answers(target: &str, lines: &[String]) -> Result<Vec<Answer>, String> {
    let mut input = String::new();
    for (i, line) in lines.iter().enumerate() {
        writeln!(input, "L{i}:\n{line}").expect("a string takes it");
    }
    writeln!(input, "L{}:", lines.len()).expect("a string takes it");
    let (output, errors) = llvm_mc(target, input, false)?;
    if !output.trim_end().ends_with(&format!("L{}:", lines.len())) {
        if lines.len() < 2 {
            return Ok(vec![Answer::Open; lines.len()]);
        }
        let (first, second) = lines.split_at(lines.len() / 2);
        return Ok([answers(target, first)?, answers(target, second)?].concat());
    }
    let refused = complained(&errors, "error:");
    let mut found = vec![Answer::Refused; lines.len()];
    let mut at = None;
    for line in output.lines() {
        if let Some(label) = line.strip_prefix('L').and_then(|l| l.strip_suffix(':')) {
            at = label.parse::<usize>().ok();
        } else if let (Some(i), Some((_, bytes))) = (at, line.split_once("encoding: [")) {
            let bytes = bytes.trim_end().trim_end_matches(']').split(',');
            // `A` stands for a byte that a symbol decides.
            let bytes: Option<Vec<u8>> = bytes.map(|b| u8::from_str_radix(b.trim().strip_prefix("0x")?, 16).ok()).collect();
            if let Some(place) = found.get_mut(i).filter(|_| !refused.contains(&(2 * i + 1))) {
                *place = bytes.map_or(Answer::Open, Answer::Bytes);
            }
        }
    }
    Ok(found)
}

/// An instruction that stands between others: `s_nop` with a number that no line has.
const BETWEEN: &str = "[0xa7 0x7a 0x80 0xbf]\n";

/// The text of each instruction; nothing if it is invalid, if llvm-mc reads several in it, or breaks down.
pub(super) fn disassemble(target: &str, instructions: &[Vec<u8>]) -> Result<Vec<Option<String>>, String> {
    match disassemble_all(target, instructions)? {
        Some(found) => Ok(found),
        None if instructions.len() < 2 => Ok(vec![None; instructions.len()]),
        None => {
            let (first, second) = instructions.split_at(instructions.len() / 2);
            Ok([disassemble(target, first)?, disassemble(target, second)?].concat())
        }
    }
}

/// As `disassemble`; nothing at all if llvm-mc breaks down on any of them.
fn disassemble_all(target: &str, instructions: &[Vec<u8>]) -> Result<Option<Vec<Option<String>>>, String> {
    let mut input = BETWEEN.to_owned();
    for bytes in instructions {
        // In brackets no instruction goes on into the next.
        input.push('[');
        for byte in bytes {
            write!(input, "0x{byte:02x} ").expect("a string takes it");
        }
        input.push_str("]\n");
        input.push_str(BETWEEN);
    }
    let (output, errors) = llvm_mc(target, input, true)?;
    let invalid = complained(&errors, "invalid instruction encoding");
    let mut texts = output.lines().filter(|line| line.starts_with('\t')).map(str::trim);
    let between = texts.next().unwrap_or_default();
    let mut found = Vec::with_capacity(instructions.len());
    let mut read: Vec<&str> = Vec::new();
    for text in texts {
        if text != between {
            read.push(text);
            continue;
        }
        let whole = !invalid.contains(&(2 * found.len() + 1));
        found.push(if let ([text], true) = (&read[..], whole) { Some(text.replace('\t', " ")) } else { None });
        read.clear();
    }
    Ok((found.len() == instructions.len()).then_some(found))
}

/// What is known of a value or text on a target: how LLVM prints it, or what it reads.
type Verdicts = BTreeMap<String, Vec<String>>;

impl Probe {
    fn run(&self, words: &'static Words, tally: &mut Tally) -> Result<String, String> {
        // The verdicts, with the targets that agree on them.
        let mut kept = Verdicts::new();
        let mut missing = Vec::new();
        let targets = words.targets.iter().filter(|t| self.targets.iter().any(|prefix| t.starts_with(prefix)));
        let mut order = Vec::new();
        for target in targets {
            let immediates = Immediates::new(words, target)?;
            let base = self.line.replace('@', self.base);
            let machine = if WAVE64.contains(&self.name) { format!("{target}/64") } else { (*target).to_owned() };
            let Some(bytes) = assemble(&machine, std::slice::from_ref(&base))?.pop().flatten() else {
                missing.push(*target);
                continue;
            };
            let form = immediates.form(self.name).ok_or_else(|| format!("no immediate is called {}", self.name))?;
            let mut sample = Vec::new();
            let mut texts = BTreeSet::from([self.base.to_owned()]);
            if matches!(self.how, How::Both) {
                self.judge_values(form, &machine, &bytes, tally, &mut sample, &mut texts)?;
            }
            self.judge_texts(words, &immediates, form, &machine, tally, &mut sample, texts)?;
            for line in sample {
                let targets = kept.entry(line.clone()).or_default();
                if targets.is_empty() {
                    order.push(line);
                }
                targets.push((*target).to_owned());
            }
        }
        if kept.is_empty() {
            return Err(format!("no target has {}", self.line));
        }
        if !missing.is_empty() {
            println!("{}: not on {}", self.line, missing.join(" "));
        }
        Ok(self.written(&kept, &order))
    }

    /// The verdicts below the targets where they hold.
    fn written(&self, kept: &Verdicts, order: &[String]) -> String {
        let mut groups: Vec<(&Vec<String>, Vec<&String>)> = Vec::new();
        for line in order {
            let targets = &kept[line];
            match groups.iter_mut().find(|(t, _)| *t == targets) {
                Some((_, lines)) => lines.push(line),
                None => groups.push((targets, vec![line])),
            }
        }
        let legacy = if self.how == How::Legacy { " legacy" } else { "" };
        let mut text = format!("\nprobe {}\nbits {}{legacy}\n", self.line, self.width());
        for (targets, lines) in groups {
            writeln!(text, "on {}", targets.join(" ")).expect("a string takes it");
            lines.iter().for_each(|line| writeln!(text, "  {line}").expect("a string takes it"));
        }
        text
    }

    fn width(&self) -> u32 {
        self.bits.iter().map(|run| run.1).sum()
    }

    /// The values that are tried.
    fn values(&self, target: &str) -> Vec<u32> {
        let width = self.width();
        let all: u32 = (1 << width) - 1;
        if width > 16 {
            let mut values: Vec<u32> = (0..width).flat_map(|i| [1 << i, all ^ 1 << i]).chain([0, all]).collect();
            let mut state = 1_u32;
            values.extend((0..2000).map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state >> (32 - width)
            }));
            return values;
        }
        let few = if PLAIN.contains(&self.name) { &REPRESENTATIVES[..1] } else { &REPRESENTATIVES[..] };
        let step = if width <= 10 || few.contains(&target) { 1 } else { STEP };
        let possible = (0..=all).filter(|value| self.holds(*value) && !CRASHES.contains(&(self.name, *value)));
        possible.filter(|value| value % step == 0 || value.count_ones() == 1 || (all ^ value).count_ones() == 1).collect()
    }

    /// The values whose verdicts are kept.
    fn keeps(&self, value: u32) -> bool {
        let width = self.width();
        let all = (1_u32 << width) - 1;
        let few = value.count_ones() <= 1 || (all ^ value).count_ones() <= 1;
        let spread = value.wrapping_mul(0x9e37_79b1) >> 16;
        few || width <= 6 || u64::from(spread) * (1_u64 << width.min(16)) < KEPT_VALUES as u64 * 0x1_0000
    }

    fn put(&self, bytes: &[u8], value: u32) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        let mut rest = value;
        for bit in self.places() {
            if let Some(byte) = bytes.get_mut(bit as usize / 8).filter(|_| bit != PAD) {
                *byte = *byte & !(1 << (bit % 8)) | (rest as u8 & 1) << (bit % 8);
            }
            rest >>= 1;
        }
        bytes
    }

    /// The bit of the instruction that holds each bit of the value.
    fn places(&self) -> impl Iterator<Item = u32> {
        self.bits.iter().flat_map(|&(low, width)| (0..width).map(move |i| if low == PAD { PAD } else { low + i }))
    }

    /// Whether the instruction holds all bits of a value.
    fn holds(&self, value: u32) -> bool {
        self.places().enumerate().all(|(i, bit)| bit != PAD || value >> i & 1 == 0)
    }

    fn get(&self, bytes: &[u8]) -> u32 {
        let bit = |bit: u32| if bit == PAD { 0 } else { u32::from(bytes[bit as usize / 8] >> (bit % 8) & 1) };
        self.places().enumerate().fold(0, |value, (i, place)| value | bit(place) << i)
    }

    fn judge_values(
        &self,
        form: &Form,
        target: &str,
        bytes: &[u8],
        tally: &mut Tally,
        sample: &mut Vec<String>,
        texts: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        let printed = disassemble(target, &[bytes.to_vec()])?.pop().flatten().unwrap_or_default();
        let Some((before, after)) = printed.split_once(self.base) else {
            return Err(format!("{target}: {} is printed as {printed}", self.line.replace('@', self.base)));
        };
        let values = self.values(target);
        let instructions: Vec<Vec<u8>> = values.iter().map(|value| self.put(bytes, *value)).collect();
        let theirs = disassemble(target, &instructions)?;
        let inner = |text: &str| match text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)) {
            Some(inner) => Some(inner.to_owned()),
            None => (text == format!("{}{after}", before.trim_end())).then(String::new),
        };
        // A text that says all of the value is read as that value.
        let extracted: Vec<Option<String>> = theirs.iter().map(|text| inner(text.as_ref()?)).collect();
        let lines: Vec<String> = extracted.iter().flatten().map(|text| self.line.replace('@', text)).collect();
        let mut read = assemble(target, &lines)?.into_iter();
        for ((value, theirs), full) in values.iter().zip(&extracted).zip(&theirs) {
            let again = theirs.as_ref().and_then(|_| read.next()).flatten();
            let whole = again.is_some_and(|bytes| self.get(&bytes) == *value);
            let mut ours = String::new();
            let says_all = form.print(*value, &mut ours);
            tally.values += 1;
            tally.lossy += u64::from(!whole);
            let agree = says_all == whole && (!whole || theirs.as_ref() == Some(&ours));
            if !agree {
                let text = theirs.as_ref().or(full.as_ref());
                let message = format!("{value:#x}: {text:?} whole {whole}, ours {ours:?} whole {says_all}");
                tally.differs(target, self.line, message);
            }
            if let Some(text) = theirs.as_ref().filter(|_| whole) {
                texts.insert(text.clone());
            }
            if self.keeps(*value) {
                sample.push(match theirs {
                    Some(text) if whole => format!("{value:#x} = {text}").trim_end().to_owned(),
                    _ => format!("{value:#x} lossy"),
                });
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "everything that a probe knows of a target")]
    fn judge_texts(
        &self,
        words: &'static Words,
        immediates: &Immediates,
        form: &Form,
        target: &str,
        tally: &mut Tally,
        sample: &mut Vec<String>,
        texts: BTreeSet<String>,
    ) -> Result<(), String> {
        let names = names_of(words, form);
        let mut all: BTreeSet<String> = spread(&texts, TEXTS).into_iter().collect();
        for text in spread(&texts, ORIGINS) {
            all.extend(mistakes(&text, &names));
        }
        all.extend(EXTRAS.iter().filter(|(name, _)| *name == self.name).map(|(_, text)| (*text).to_owned()));
        all = all.iter().map(|text| text.trim().to_owned()).collect();
        all.retain(|text| !text.trim_matches([' ', ',']).is_empty());
        all.retain(|text| !ELSEWHERE.iter().any(|(name, part)| *name == self.name && text.contains(part)));
        // A label is the business of whoever knows labels.
        all.retain(|text| self.name != "branch" || !(text.contains('x') && !text.contains("0x") || text.contains('"')));
        let all: Vec<String> = all.into_iter().collect();
        let lines: Vec<String> = all.iter().map(|text| self.line.replace('@', text)).collect();
        let theirs = assemble(target, &lines)?;
        let stride = (all.len() / KEPT_TEXTS).max(1);
        for (i, (text, bytes)) in all.iter().zip(&theirs).enumerate() {
            let ours = self.read(immediates, form, text);
            let theirs = bytes.as_ref().map(|bytes| self.get(bytes));
            let low = |value: u32| if self.width() < 32 { value & ((1 << self.width()) - 1) } else { value };
            *(if theirs.is_some() { &mut tally.accepted } else { &mut tally.refused }) += 1;
            if ours.as_ref().ok().map(|v| low(*v)) != theirs {
                tally.differs(target, self.line, format!("{text:?} {theirs:x?}, ours {ours:x?}"));
            }
            let known = EXTRAS.iter().any(|(name, extra)| *name == self.name && extra == text);
            if i % stride == 0 || known {
                sample.push(match theirs {
                    Some(value) => format!("{text} -> {value:#x}"),
                    None => format!("{text} refused"),
                });
            }
        }
        Ok(())
    }

    /// What we read, of the whole text.
    fn read(&self, immediates: &Immediates, form: &Form, text: &str) -> Result<u32, String> {
        let symbols = |name: &str| immediates.symbols().iter().find(|s| s.0 == name).map(|s| i64::from(s.1));
        let mut cursor = Cursor::new(text, &symbols);
        let read = match self.how {
            How::Legacy => form.parse_legacy_format(&mut cursor),
            _ => form.parse(&mut cursor),
        };
        let value = read.map_err(|problem| problem.message)?.ok_or("something else")?;
        // A comma may follow any operand.
        cursor.take(',');
        if cursor.at_end() { Ok(value) } else { Err(format!("`{}` is left", cursor.rest())) }
    }
}

/// At most so many of them, evenly.
fn spread(texts: &BTreeSet<String>, most: usize) -> Vec<String> {
    let step = texts.len().div_ceil(most).max(1);
    texts.iter().step_by(step).cloned().collect()
}

/// Every name that the records know for the immediate, on whatever target.
fn names_of(words: &Words, form: &Form) -> Vec<&'static str> {
    let record = words.immediates.iter().find(|i| i.name == form.name());
    let mut found = Vec::new();
    for (_, part) in record.iter().flat_map(|r| &r.parts) {
        let fields = words.fields(part).map_or(&[][..], |f| &f.list);
        found.extend(fields.iter().map(|f| f.name));
        let of = fields.iter().filter_map(|f| f.of).chain([*part]);
        for names in of.filter_map(|name| words.names(name)) {
            found.extend(names.list.iter().map(|n| n.spelling.stem()));
            for name in &names.list {
                found
                    .extend(name.takes.and_then(|t| words.names(t)).into_iter().flat_map(|t| &t.list).map(|n| n.spelling.stem()));
                debug_assert!(!matches!(name.spelling, Spelling::Word("")));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The tokens of a text.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || "_.$".contains(c);
        let length = if word(first) { rest.find(|c| !word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        found.push(&rest[..length]);
        rest = &rest[length..];
    }
    found
}

/// The text with one small mistake, or none that matters.
fn mistakes(text: &str, names: &[&str]) -> Vec<String> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    for i in 0..tokens.len() {
        let with = |token: &str| [&tokens[..i], &[token], &tokens[i + 1..]].concat().concat();
        let token = tokens[i];
        if token == " " {
            continue;
        }
        found.push(with(""));
        found.push(with(&format!("{token} {token}")));
        found.push(with(&format!(" {token} ")));
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = token.strip_prefix("0x").map_or_else(|| token.parse(), |d| i64::from_str_radix(d, 16));
            let value = digits.unwrap_or(3);
            let numbers = [
                value + 1,
                value - 1,
                -value,
                value | 8,
                value * 2,
                16,
                32,
                33,
                63,
                64,
                128,
                255,
                256,
                0xffff,
                0x10000,
                -0x8000,
                1 << 32,
            ];
            found.extend(numbers.map(|n| with(&n.to_string())));
            found.extend(["0x3", "010", "0b1", "1+1", "(2)", "~0", "x", "1 == 1", "7 & 3", "\"1\""].map(with));
        } else if token.starts_with(|c: char| c.is_ascii_alphabetic()) {
            found.extend(
                [token.to_lowercase(), token.to_uppercase(), format!("{token}x"), format!("no{token}")].map(|t| with(&t)),
            );
            found.extend(["1", "0", "-1", "7"].map(with));
            let step = names.len().div_ceil(24).max(1);
            found.extend(names.iter().skip(i % step).step_by(step).map(|name| with(name)));
        } else {
            found.extend([",", "&", "|", ":", "(", "]"].map(with));
        }
    }
    found.extend([format!("{text} {text}"), format!("{text} & {text}"), format!("{text}, {text}"), format!("{text} | {text}")]);
    // A quotation mark without its twin would swallow the next line.
    found.retain(|t| !t.contains("//") && !t.contains(';') && !t.contains('@') && t.matches('"').count() % 2 == 0);
    found
}

/// Parts of texts whose acceptance depends on more than the immediate: registers have as many bits as the format says, and llvm-mc looks
/// for the letters `neg:` to tell whether blgp was meant.
const ELSEWHERE: &[(&str, &str)] = &[
    ("matrix_a_fmt", "P6"),
    ("matrix_a_fmt", "F6"),
    ("matrix_a_fmt", "P4"),
    ("matrix_b_fmt", "P6"),
    ("matrix_b_fmt", "F6"),
    ("matrix_b_fmt", "P4"),
    ("neg", "neg :"),
];

/// Texts that small mistakes do not lead to.
const EXTRAS: &[(&str, &str)] = &[
    ("waitcnt", "vmcnt(0) & lgkmcnt(0)"),
    ("waitcnt", "vmcnt(0), expcnt(0), lgkmcnt(0)"),
    ("waitcnt", "vmcnt_sat(100) expcnt_sat(-1) lgkmcnt_sat(1000)"),
    ("waitcnt", "vmcnt(63)"),
    ("waitcnt", "vmcnt(64)"),
    ("waitcnt", "lgkmcnt(15)"),
    ("waitcnt", "lgkmcnt(16)"),
    ("waitcnt", "lgkmcnt(63)"),
    ("waitcnt", "expcnt(8)"),
    ("waitcnt", "vmcnt(0) &"),
    ("waitcnt", "vmcnt(0) && expcnt(0)"),
    ("waitcnt", "vmcnt(4294967296)"),
    ("waitcnt", "vmcnt_sat(4294967296)"),
    ("waitcnt", "0x10000"),
    ("waitcnt", "-1"),
    ("depctr", "depctr_hold_cnt(0)"),
    ("depctr", "depctr_hold_cnt(0) & depctr_sa_sdst(0)"),
    ("depctr", "depctr_va_vdst(0) depctr_va_vdst(0)"),
    ("depctr", "depctr_va_vdst(16)"),
    ("depctr", "0x10000"),
    ("depctr", "-32769"),
    ("delay_alu", "instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(SALU_CYCLE_3)"),
    ("delay_alu", "instid0(VALU_DEP_1) | instid0(VALU_DEP_2)"),
    ("delay_alu", "0x12345"),
    ("sendmsg", "sendmsg(MSG_GS, GS_OP_NOP)"),
    ("sendmsg", "sendmsg(MSG_GS, GS_OP_CUT)"),
    ("sendmsg", "sendmsg(MSG_GS, GS_OP_EMIT, 3)"),
    ("sendmsg", "sendmsg(MSG_GS, GS_OP_EMIT, 4)"),
    ("sendmsg", "sendmsg(MSG_GS, 2, 1)"),
    ("sendmsg", "sendmsg(MSG_GS_DONE, GS_OP_NOP)"),
    ("sendmsg", "sendmsg(MSG_GS_DONE, GS_OP_NOP, 0)"),
    ("sendmsg", "sendmsg(MSG_GS_DONE, GS_OP_EMIT_CUT)"),
    ("sendmsg", "sendmsg(MSG_SYSMSG, SYSMSG_OP_TTRACE_PC)"),
    ("sendmsg", "sendmsg(MSG_SYSMSG, SYSMSG_OP_HOST_TRAP_ACK)"),
    ("sendmsg", "sendmsg(MSG_SYSMSG)"),
    ("sendmsg", "sendmsg(MSG_SYSMSG, 2)"),
    ("sendmsg", "sendmsg(MSG_INTERRUPT, 0)"),
    ("sendmsg", "sendmsg(MSG_INTERRUPT, GS_OP_CUT)"),
    ("sendmsg", "sendmsg(1, GS_OP_CUT)"),
    ("sendmsg", "sendmsg(2, GS_OP_NOP, 0)"),
    ("sendmsg", "sendmsg(15, SYSMSG_OP_REG_RD)"),
    ("sendmsg", "sendmsg(15, GS_OP_CUT)"),
    ("sendmsg", "sendmsg(5, 7, 3)"),
    ("sendmsg", "sendmsg(5, 8)"),
    ("sendmsg", "sendmsg(5, 7, 4)"),
    ("sendmsg", "sendmsg(15)"),
    ("sendmsg", "sendmsg(16)"),
    ("sendmsg", "sendmsg(255)"),
    ("sendmsg", "sendmsg(256)"),
    ("sendmsg", "sendmsg(MSG_RTN_GET_SE_AID_ID)"),
    ("sendmsg", "sendmsg(MSG_RTN_GET_CLUSTER_BARRIER_STATE)"),
    ("sendmsg", "0x10000"),
    ("hwreg", "{id: 1, offset: 2, size: 3}"),
    ("hwreg", "{size: 3, id: 1}"),
    ("hwreg", "{}"),
    ("hwreg", "{id: 1,}"),
    ("hwreg", "{id: 1, id: 1}"),
    ("hwreg", "{id: 64}"),
    ("hwreg", "{width: 1}"),
    ("hwreg", "{id: HW_REG_MODE}"),
    ("hwreg", "hwreg(HW_REG_MODE, 31, 32)"),
    ("hwreg", "hwreg(HW_REG_MODE, 32, 1)"),
    ("hwreg", "hwreg(HW_REG_MODE, 0, 0)"),
    ("hwreg", "hwreg(HW_REG_MODE, 0, 33)"),
    ("hwreg", "hwreg(HW_REG_MODE, 0)"),
    ("hwreg", "hwreg(63, 1, 2)"),
    ("hwreg", "hwreg(64)"),
    ("hwreg", "hwreg(-1)"),
    ("hwreg", "hwreg(HW_REG_HW_ID)"),
    ("hwreg", "hwreg(HW_REG_XNACK_MASK)"),
    ("hwreg", "hwreg(HW_REG_WAVE_SCHED_MODE)"),
    ("hwreg", "hwreg(HW_REG_DVGPR_ALLOC_HI)"),
    ("hwreg", "hwreg(HW_REG_XCC_ID)"),
    ("hwreg", "0xffff"),
    ("hwreg", "0x10000"),
    ("gpr_idx", "gpr_idx()"),
    ("gpr_idx", "gpr_idx(DST,SRC0)"),
    ("gpr_idx", "gpr_idx(SRC0,SRC0)"),
    ("gpr_idx", "gpr_idx(SRC0,)"),
    ("gpr_idx", "16"),
    ("version", "UC_VERSION_GFX11 | UC_VERSION_W64_BIT | UC_VERSION_MDP_BIT"),
    ("version", "UC_VERSION_GFX9"),
    ("version", "-1"),
    ("endpgm", "65536"),
    ("endpgm", "-1"),
    ("int16", "0x1ffffffff"),
    ("int16", "0x7fffffffffffffff"),
    ("dpp_ctrl", "row_bcast:15"),
    ("dpp_ctrl", "row_bcast:31"),
    ("dpp_ctrl", "row_bcast:16"),
    ("dpp_ctrl", "row_newbcast:3"),
    ("dpp_ctrl", "row_share:0"),
    ("dpp_ctrl", "row_xmask:15"),
    ("dpp_ctrl", "row_xmask:16"),
    ("dpp_ctrl", "row_shl:0"),
    ("dpp_ctrl", "wave_shl:1"),
    ("dpp_ctrl", "wave_ror:2"),
    ("dpp_ctrl", "quad_perm:[0,1,2,4]"),
    ("dpp_ctrl", "quad_perm:[0,1,2]"),
    ("dpp_ctrl", "row_mirror:1"),
    ("dpp8", "dpp8:[0,1,2,3,4,5,6,8]"),
    ("bound_ctrl", "bound_ctrl:0"),
    ("bound_ctrl", "bound_ctrl:2"),
    ("fi", "fi:0"),
    ("fi", "fi:2"),
    ("fi", "fi:3"),
    ("fi8", "fi:0"),
    ("fi8", "fi:2"),
    ("swizzle", "offset:swizzle(QUAD_PERM,0,1,2,3)"),
    ("swizzle", "offset:swizzle(QUAD_PERM,0,1,2,4)"),
    ("swizzle", "offset:swizzle(BITMASK_PERM,\"01pip\")"),
    ("swizzle", "offset:swizzle(BITMASK_PERM,\"01pi\")"),
    ("swizzle", "offset:swizzle(BITMASK_PERM,\"01piq\")"),
    ("swizzle", "offset:swizzle(BITMASK_PERM,01pip)"),
    ("swizzle", "offset:swizzle(BROADCAST,2,0)"),
    ("swizzle", "offset:swizzle(BROADCAST,2,2)"),
    ("swizzle", "offset:swizzle(BROADCAST,3,0)"),
    ("swizzle", "offset:swizzle(BROADCAST,32,31)"),
    ("swizzle", "offset:swizzle(BROADCAST,64,31)"),
    ("swizzle", "offset:swizzle(SWAP,16)"),
    ("swizzle", "offset:swizzle(SWAP,32)"),
    ("swizzle", "offset:swizzle(REVERSE,32)"),
    ("swizzle", "offset:swizzle(REVERSE,1)"),
    ("swizzle", "offset:swizzle(FFT,31)"),
    ("swizzle", "offset:swizzle(FFT,32)"),
    ("swizzle", "offset:swizzle(ROTATE,1,31)"),
    ("swizzle", "offset:swizzle(ROTATE,2,31)"),
    ("swizzle", "offset:65536"),
    ("exp_tgt", "mrt07"),
    ("exp_tgt", "mrt8"),
    ("exp_tgt", "pos4"),
    ("exp_tgt", "pos5"),
    ("exp_tgt", "param31"),
    ("exp_tgt", "param32"),
    ("exp_tgt", "null"),
    ("exp_tgt", "dual_src_blend1"),
    ("exp_tgt", "prim"),
    ("format", "format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]"),
    ("format", "format:[BUF_NUM_FORMAT_FLOAT,BUF_DATA_FORMAT_32]"),
    ("format", "format:[BUF_NUM_FORMAT_FLOAT]"),
    ("format", "format:[BUF_DATA_FORMAT_INVALID]"),
    ("format", "format:[BUF_DATA_FORMAT_INVALID,BUF_NUM_FORMAT_UINT]"),
    ("format", "format:[BUF_DATA_FORMAT_32,BUF_DATA_FORMAT_32]"),
    ("format", "format:[BUF_DATA_FORMAT_10_11_11,BUF_NUM_FORMAT_UINT]"),
    ("format", "format:[BUF_FMT_10_11_11_UINT]"),
    ("format", "format:[BUF_FMT_32_32_32_32_FLOAT]"),
    ("format", "format:[BUF_NUM_FORMAT_RESERVED_6]"),
    ("format", "format:[BUF_FMT_8_UNORM,BUF_FMT_8_UNORM]"),
    ("format", "format:127"),
    ("format", "format:128"),
    ("format", "format:-1"),
    ("format", "dfmt:4, nfmt:7,"),
    ("format", "nfmt:7 dfmt:4"),
    ("format", "nfmt:7"),
    ("format", "dfmt:15 nfmt:7,"),
    ("format", "dfmt:16,"),
    ("format", "nfmt:8,"),
    ("dim", "dim:1D"),
    ("dim", "dim:2D_MSAA_ARRAY"),
    ("dim", "dim:CUBE"),
    ("dim", "dim:SQ_RSRC_IMG_2D"),
    ("dim", "dim:1 D"),
    ("dim", "dim:4D"),
    ("dim", "dim:1"),
    ("cpol_load", "slc glc"),
    ("cpol_load", "glc noslc"),
    ("cpol_load", "noglc glc"),
    ("cpol_load", "dlc"),
    ("cpol_load", "nodlc"),
    ("cpol_load", "scc"),
    ("cpol_load", "nv"),
    ("cpol_load", "nonv"),
    ("cpol_load", "sc1 sc0 nt"),
    ("cpol_load", "nosc0"),
    ("cpol_load", "scope:SCOPE_SYS th:TH_LOAD_BYPASS"),
    ("cpol_load", "th:TH_LOAD_BYPASS"),
    ("cpol_load", "th:TH_LOAD_LU"),
    ("cpol_load", "th:TH_LOAD_LU scope:SCOPE_SYS"),
    ("cpol_load", "th:TH_LOAD_WB"),
    ("cpol_load", "th:TH_STORE_NT"),
    ("cpol_load", "th:TH_STORE_RT"),
    ("cpol_load", "th:TH_DEFAULT"),
    ("cpol_load", "th:TH_LOAD_NT nv scale_offset scope:2"),
    ("cpol_load", "scope:4"),
    ("cpol_load", "noscale_offset"),
    ("cpol_store", "th:TH_STORE_WB"),
    ("cpol_store", "th:TH_STORE_BYPASS scope:SCOPE_SYS"),
    ("cpol_store", "th:TH_STORE_LU"),
    ("cpol_store", "th:TH_STORE_NT_WB"),
    ("cpol_store", "th:TH_LOAD_NT"),
    ("cpol_store", "th:TH_LOAD_RT"),
    ("cpol_atomic", "th:TH_ATOMIC_CASCADE_NT"),
    ("cpol_atomic", "th:TH_ATOMIC_CASCADE_RT scope:SCOPE_DEV"),
    ("cpol_atomic", "th:TH_ATOMIC_RT_RETURN"),
    ("cpol_atomic", "th:TH_ATOMIC_BYPASS"),
    ("cpol_atomic", "th:TH_LOAD_NT"),
    ("cpol_scalar", "slc"),
    ("cpol_scalar", "noslc"),
    ("cpol_scalar", "noscc"),
    ("cpol_scalar", "nodlc"),
    ("cpol_scalar", "th:TH_LOAD_NT_RT"),
    ("cpol_scalar", "th:TH_LOAD_HT"),
    ("op_sel", "op_sel:[1,1,1,1]"),
    ("op_sel", "op_sel:[1,1,1,1,1]"),
    ("op_sel", "op_sel:[]"),
    ("op_sel", "op_sel:[1]"),
    ("neg", "neg:[0,0,0,1]"),
    ("neg", "neg:[0,0,1]"),
    ("neg", "neg:[1,1]"),
    ("omod", "mul:1"),
    ("omod", "div:1"),
    ("omod", "div:2"),
    ("omod", "div:4"),
    ("omod", "mul:3"),
    ("bitop3", "bitop3:255"),
    ("bitop3", "bitop3:256"),
    ("matrix_a_fmt", "matrix_a_fmt:1"),
    ("matrix_a_fmt", "matrix_a_fmt:5"),
    ("attribute", "attr32.x"),
    ("attribute", "attr33.x"),
    ("attribute", "attr00.w"),
    ("attribute", "attr256.w"),
    ("attribute", "attr1.q"),
    ("attribute", "attr1"),
    ("attribute", "attr.x"),
    ("interp_slot", "p30"),
];
