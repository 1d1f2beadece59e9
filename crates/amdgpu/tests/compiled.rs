//! What compilers write, against LLVM 22: their assembly makes the objects that llvm-mc makes, and their code is read back whole.

use amdgpu::assembler;
use amdgpu::codec::{Codec, access::Access};
use amdgpu::disasm::Instructions;
use amdgpu::object::{CodeObject, TargetId};
use isa::amdgpu::{Table, words::Words};
use std::path::{Path, PathBuf};

fn codec(target: &TargetId, wave: Option<u8>) -> Codec {
    let table = Table::get().unwrap_or_else(|e| panic!("{e}"));
    let words = Words::get().unwrap_or_else(|e| panic!("{e}"));
    Codec::new(table, words, target.object.name, wave).unwrap_or_else(|e| panic!("{e}"))
}

/// The files of tests/objects with an ending, and their targets.
fn files(ending: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/objects");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{e}"));
    let mut names: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| p.to_string_lossy().ends_with(ending)).collect();
    names.sort();
    assert!(names.len() >= 5, "{names:?}");
    names.into_iter().map(|p| (p.clone(), std::fs::read(&p).unwrap_or_else(|e| panic!("{e}")))).collect()
}

/// All bytes: sections, symbols in their order, relocations, descriptors, metadata.
#[test]
fn assembly_makes_llvms_object() {
    for (path, text) in files(".s") {
        let text = String::from_utf8(text).expect("a text");
        let expected = std::fs::read(path.with_extension("o")).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let target = CodeObject::read(&expected).ok().and_then(|o| o.target).expect("a code object of a known target");
        let assembly = assembler::assemble(&text, &codec(&target, None), &target, None);
        assert!(assembly.is_right(), "{}: {:?}", path.display(), assembly.diagnostics);
        let object = assembler::object(&assembly, target, None).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        let bytes = object.relocatable().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let first = bytes.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!((first, bytes.len()), (None, expected.len()), "{}", path.display());
    }
}

/// Every word is an instruction, and its text the same instruction again.
#[test]
fn code_is_read_whole() {
    let mut count = 0;
    for (path, data) in files("o") {
        let object = CodeObject::read(&data).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let target = object.target.expect("a known target");
        let kernels = object.kernels().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let wave = kernels.first().map(|k| k.descriptor.wave_size(target.object) as u8);
        let codec = codec(&target, wave);
        for section in object.sections.iter().filter(|s| &*s.name == ".text") {
            for item in Instructions::new(&codec, section.data) {
                let at = format!("{} at {:#x}", path.display(), item.offset);
                let decoded = item.what.unwrap_or_else(|why| panic!("{at}: {why}"));
                let mut text = String::new();
                codec.print(&decoded, &mut text);
                assert!(codec.canonical(&decoded, &text), "{at}: {text}");
                count += 1;
            }
        }
    }
    assert!(count > 2000, "{count}");
}

/// Registers that instructions read and write, by AMD's ISA documents: what their descriptions of operation name.
const USES: &str = "
    gfx942   v_fmac_f32 v1, v2, v3                                = v1 v2 v3 exec mode -> v1
    gfx942   global_atomic_add v1, v[2:3], v4, off sc0            = v[2:3] v4 exec -> v1
    gfx942   global_atomic_add v[2:3], v4, off                    = v[2:3] v4 exec ->
    gfx942   buffer_atomic_add v1, v2, s[4:7], s8 offen sc0       = v1 v2 s[4:7] s8 exec -> v1
    gfx942   buffer_atomic_add v1, v2, s[4:7], s8 offen           = v1 v2 s[4:7] s8 exec ->
    gfx942   v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3] = v[4:5] v[6:7] a[0:3] exec mode -> a[0:3]
    gfx906   v_cmp_eq_f32 vcc, v1, v2                             = v1 v2 exec mode -> vcc
    gfx906   v_addc_co_u32 v1, vcc, v2, v3, vcc                   = v2 v3 vcc exec -> v1 vcc
    gfx906   v_cmpx_eq_f32 s[4:5], v1, v2                         = v1 v2 exec mode -> s[4:5] exec
    gfx1100  v_cmpx_eq_f32 v1, v2                                 = v1 v2 exec_lo mode -> exec_lo
    gfx1100  v_dual_fmac_f32 v0, v1, v2 :: v_dual_cndmask_b32 v3, v4, v5 = v0 v1 v2 v4 v5 exec_lo vcc_lo mode -> v0 v3
    gfx906   s_atomic_add s4, s[2:3], 0x10 glc                    = s4 s[2:3] -> s4
    gfx906   s_atomic_add s4, s[2:3], 0x10                        = s4 s[2:3] ->
    gfx906   s_cmpk_eq_i32 s3, 4                                  = s3 -> scc
    gfx906   s_addk_i32 s3, 4                                     = s3 -> s3 scc
    gfx906   s_and_saveexec_b64 s[2:3], s[4:5]                    = s[4:5] exec -> s[2:3] exec scc
    gfx906   s_cmov_b32 s2, s3                                    = s2 s3 scc -> s2
    gfx1030  image_sample v[0:3], [v5, v9], s[8:15], s[16:19] dmask:0xf dim:SQ_RSRC_IMG_2D = v5 v9 s[8:15] s[16:19] exec_lo -> v[0:3]
    gfx906   image_atomic_add v5, v1, s[8:15] dmask:0x1 unorm glc = v5 v1 s[8:15] exec -> v5
    gfx906   exp mrt0 v0, v1, off, off done                       = v0 v1 exec ->
    gfx906   v_mov_b32_sdwa v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 = v1 v2 exec -> v1
    gfx906   v_mov_b32_sdwa v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_0 = v2 exec -> v1
    gfx906   flat_load_dword v1, v[2:3]                           = v[2:3] exec flat_scratch -> v1
    gfx906   scratch_store_dword off, v1, s3                      = v1 s3 exec flat_scratch ->
    gfx906   v_swap_b32 v1, v2                                    = v1 v2 exec -> v1 v2
    gfx906   v_readlane_b32 s1, v2, s3                            = v2 s3 -> s1
    gfx906   v_div_fmas_f32 v1, v2, v3, v4                        = v2 v3 v4 exec vcc mode -> v1
    gfx906   global_load_short_d16_hi v1, v[2:3], off             = v1 v[2:3] exec -> v1
    gfx906   buffer_load_dword v1, s[4:7], 0 offen lds            = v1 s[4:7] exec m0 ->
    gfx1100  v_add_f16 v1.h, v2.l, v3.l                           = v2.l v3.l exec_lo mode -> v1.h
    gfx1100  s_cbranch_vccnz 4                                    = vcc_lo ->
    gfx906   ds_write2_b64 v1, v[2:3], v[4:5]                     = v1 v[2:3] v[4:5] exec ->
    gfx906   v_interp_p2_f32 v1, v2, attr0.x                      = v1 v2 exec m0 mode -> v1
    gfx906   s_store_dword s4, s[2:3], 0x0                        = s4 s[2:3] ->
    gfx906   s_setreg_b32 hwreg(HW_REG_MODE), s3                  = s3 mode -> mode
";

#[test]
fn registers_are_told_that_are_read_and_written() {
    for line in USES.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (target, rest) = line.split_once(' ').expect("a target");
        let (text, uses) = rest.split_once(" = ").expect("an equals sign");
        let (reads, writes) = uses.split_once("->").expect("an arrow");
        let codec = codec(&TargetId::of(target).expect("a target"), None);
        let (mnemonic, operands) = text.trim().split_once(' ').expect("operands");
        let assembled = codec.assemble(mnemonic, operands, &|_| None).unwrap_or_else(|e| panic!("{line}: {}", e.message));
        let (bytes, count) = assembled.bytes();
        let decoded = codec.decode(&bytes[..count]).unwrap_or_else(|e| panic!("{line}: {e}"));
        let told = |wanted: fn(&Access) -> bool| -> Vec<String> {
            codec.accesses(&decoded).filter(wanted).map(|access| access.register.to_string()).collect()
        };
        assert_eq!(told(|a| a.reads), reads.split_whitespace().collect::<Vec<_>>(), "{line}");
        assert_eq!(told(|a| a.writes), writes.split_whitespace().collect::<Vec<_>>(), "{line}");
    }
}

/// What llvm-mc 22 reads and llvm-objdump 22 prints: a byte that is chosen by more bits than there are sources, registers behind v255, and bits
/// that LLVM 24 writes where 22 writes zeros and neither reads them.
#[test]
fn rare_words_are_read_as_llvm_reads_them() {
    use amdgpu::disasm::Again;
    for (target, hex, expected, again) in [
        ("gfx950", "0320a5d201050200", "v_cvt_sr_bf8_f32 v3, v1, v2 op_sel:[0,0,1,0]", Again::Same),
        ("gfx1250", "18006dccfc51621c", "v_wmma_f32_16x16x64_bf8_bf8 v[24:31], v[252:259], v[40:47], v[24:31]", Again::Same),
        ("gfx1250", "7cc005eefe00000002000000", "global_load_b128 v[254:257], v[2:3], off", Again::Same),
        ("gfx1100", "000044d40c020202", "v_cmp_gt_i32_e64 s0, s12, v1", Again::Spare),
        ("gfx1100", "40409cd59e010102", "v_mov_b16_e64 v64.h, v158.l op_sel:[0,1]", Again::Spare),
    ] {
        let codec = codec(&TargetId::of(target).expect("a target"), None);
        let digits = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("digits");
        let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(digits).collect();
        let decoded = codec.decode(&bytes).unwrap_or_else(|e| panic!("{expected}: {e}"));
        let mut text = String::new();
        codec.print(&decoded, &mut text);
        assert_eq!((text.as_str(), codec.again(&decoded, &text)), (expected, again));
    }
}
