//! Pairs and images: text to bits and back, against llvm-mc of LLVM 22.1.8 with `+real-true16`.
//!
//! The lines are samples of an enumeration of all halves and of all image instructions with all dimensions; what llvm-mc made of them was
//! written down. Nothing here is the output of this crate.

use std::collections::HashMap;
use std::sync::OnceLock;

use amdgpu::codec::Codec;

/// Those of all targets below, made once.
fn codec(target: &str) -> &'static Codec {
    static ALL: OnceLock<HashMap<&str, Codec>> = OnceLock::new();
    let make = |target: &'static str| {
        let table = isa::amdgpu::Table::get().expect("the records are read");
        let words = isa::amdgpu::words::Words::get().expect("the words are read");
        (target, Codec::new(table, words, target, None).expect("the target exists"))
    };
    let all = ALL.get_or_init(|| {
        let mut targets: Vec<&str> = GOOD.iter().map(|g| g.0).chain(BAD.iter().map(|b| b.0)).collect();
        targets.sort_unstable();
        targets.dedup();
        targets.into_iter().map(make).collect()
    });
    &all[target]
}

fn split(text: &str) -> (&str, &str) {
    let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
    (name, operands.trim())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    (0..hexadecimal.len() / 2).map(|i| u8::from_str_radix(&hexadecimal[2 * i..2 * i + 2], 16).expect("two digits")).collect()
}

/// Target, bytes, text as it is printed.
const GOOD: &[(&str, &str, &str)] = &[
    ("gfx1100", "7f0760cafc01fd80", "v_dual_cndmask_b32 v128, v127, v3 :: v_dual_add_nc_u32 v253, v252, v128"),
    ("gfx1100", "0505e0ca6f0e0802", "v_dual_min_f32 v2, v5, v2 :: v_dual_add_nc_u32 v9, ttmp3, v7"),
    ("gfx1100", "ff0982ca08fd0780563412af", "v_dual_max_f32 v128, v255, v4 :: v_dual_fmaak_f32 v7, v8, v254, 0xaf123456"),
    ("gfx1100", "fd1160caf0fefd80", "v_dual_cndmask_b32 v128, v253, v8 :: v_dual_add_nc_u32 v253, 0.5, v255"),
    ("gfx1100", "d00e42c9ff010905563412af", "v_dual_sub_f32 v5, -16, v7 :: v_dual_fmaak_f32 v8, v255, v128, 0xaf123456"),
    ("gfx1100", "060102ca030300ffbeba0000", "v_dual_mov_b32 v255, v6 :: v_dual_fmaak_f32 v0, v3, v1, 0xbabe"),
    ("gfx1100", "7fff4dc880040009beba0000", "v_dual_fmaak_f32 v9, v127, v255, 0xbabe :: v_dual_subrev_f32 v0, 0, v2"),
    ("gfx1201", "010110ca7c000204", "v_dual_mov_b32 v4, v1 :: v_dual_mov_b32 v3, null"),
    ("gfx1201", "7ffda1caff028007563412af", "v_dual_max_num_f32 v7, v127, v254 :: v_dual_add_nc_u32 v128, 0xaf123456, v1"),
    ("gfx1201", "08fd15c9c01208fd", "v_dual_add_f32 v253, v8, v254 :: v_dual_max_num_f32 v8, 64, v9"),
    ("gfx1201", "ff1048c9fdfb0105563412af", "v_dual_sub_f32 v5, 0xaf123456, v8 :: v_dual_add_f32 v0, v253, v253"),
    ("gfx1201", "020348c8800f0008563412af", "v_dual_fmaak_f32 v8, v2, v1, 0xaf123456 :: v_dual_add_f32 v1, v128, v7"),
    (
        "gfx1201",
        "800083c86a080204563412af",
        "v_dual_fmamk_f32 v4, 0, 0xaf123456, v128 :: v_dual_fmaak_f32 v3, vcc_lo, v4, 0xaf123456",
    ),
    ("gfx1201", "f7fc51c802010005beba0000", "v_dual_fmaak_f32 v5, -4.0, v254, 0xbabe :: v_dual_mov_b32 v0, v2"),
    ("gfx1250", "013150cffa01fd00fefd0080", "v_dual_sub_nc_u32 v254, v1, v253 :: v_dual_mul_f32 v128, v250, v253"),
    ("gfx1250", "804114cf0303ff0003040005", "v_dual_sub_f32 v3, -v128, v255 :: v_dual_add_f32 v5, v3, v4"),
    ("gfx1250", "069140cf8001010007066906", "v_dual_add_nc_u32 v7, v6, v1 :: v_dual_cndmask_b32 v6, v128, v6, s105"),
    ("gfx1250", "010050cfc000fd0000020009", "v_dual_sub_nc_u32 v0, s1, v253 :: v_dual_fmac_f32 v9, 64, v2"),
    ("gfx1250", "020954c8040bfe05563412af", "v_dual_fmaak_f32 v5, v2, v4, 0xaf123456 :: v_dual_max_num_f32 v254, v4, v5"),
    (
        "gfx1250",
        "fd2045cfc0008000fefd1409",
        "v_dual_lshlrev_b32 v254, src_scc, v128 :: v_dual_bitop2_b32 v9, 64, v253 bitop3:0x14",
    ),
    ("gfx1250", "000d68c8ff0e02febeba0000", "v_dual_fmaak_f32 v254, v0, v6, 0xbabe :: v_dual_sub_nc_u32 v3, 0xbabe, v7"),
    ("gfx900", "000c29f064000000", "image_store_pck v[0:2], v100, s[0:7] dmask:0xc tfe"),
    ("gfx900", "001154f1c0000200", "image_gather4_b_o v[0:3], v[192:194], s[8:15], s[0:3] dmask:0x1 unorm"),
    ("gfx900", "008148f000400200", "image_atomic_add v64, v0, s[8:15] dmask:0x1 a16"),
    ("gfx900", "008154f002040000", "image_atomic_umin v4, v2, s[0:7] dmask:0x1 a16"),
    ("gfx90a", "000f08f000060000", "image_load_pck v[6:9], v0, s[0:7] dmask:0xf"),
    ("gfx90a", "000d38f0c0000300", "image_get_resinfo v[0:2], v192, s[12:19] dmask:0xd"),
    ("gfx90a", "000150f000400000", "image_atomic_smin v64, v0, s[0:7] dmask:0x1"),
    ("gfx90a", "004320f002800000", "image_store v[128:129], v2, s[0:7] dmask:0x3 da"),
    (
        "gfx1010",
        "191ca4f100f00180",
        "image_sample_cd_cl_g16 v240, v[0:5], s[4:11], s[0:3] dmask:0xc dim:SQ_RSRC_IMG_CUBE unorm d16",
    ),
    ("gfx1010", "1007c4f007fb0100", "image_sample_cl_o v[251:253], v[7:11], s[4:11], s[0:3] dmask:0x7 dim:SQ_RSRC_IMG_3D"),
    (
        "gfx1010",
        "088440f120800380",
        "image_gather4_o v[128:129], v[32:34], s[12:19], s[0:3] dmask:0x4 dim:SQ_RSRC_IMG_2D r128 d16",
    ),
    ("gfx1010", "800cb8f000001800", "image_sample_c_b_cl v[0:1], v[0:3], s[96:103], s[0:3] dmask:0xc dim:SQ_RSRC_IMG_1D dlc"),
    (
        "gfx1030",
        "301169f064fa0000",
        "image_atomic_xor v[250:251], v[100:102], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA unorm tfe",
    ),
    (
        "gfx1030",
        "079f9cf100c81900031164f06464f0c800116400",
        "image_bvh64_intersect_ray v[200:203], [v0, v3, v17, v100, v240, v100, v100, v240, v200, v0, v17, v100], s[100:103]",
    ),
    ("gfx1030", "281138f064060300", "image_get_resinfo v6, v100, s[12:19] dmask:0x1 dim:SQ_RSRC_IMG_2D_ARRAY unorm"),
    (
        "gfx1030",
        "3838c8f264042283",
        "image_sample_d_o v4, v[100:108], s[8:15], s[100:103] dmask:0x8 dim:SQ_RSRC_IMG_2D_MSAA_ARRAY unorm glc slc d16",
    ),
    ("gfx1030", "019f9cf100001900", "image_bvh64_intersect_ray v[0:3], v[0:11], s[100:103]"),
    (
        "gfx1030",
        "059f98f10300014000f0f0c800000000",
        "image_bvh_intersect_ray v[0:3], [v3, v0, v240, v240, v200, v0, v0, v0], s[4:7] a16",
    ),
    (
        "gfx1030",
        "079f9cf1030500000364f011646411640064c800",
        "image_bvh64_intersect_ray v[5:8], [v3, v3, v100, v240, v17, v100, v100, v17, v100, v0, v100, v200], s[0:3]",
    ),
    ("gfx1100", "808f64f064c81900", "image_bvh_intersect_ray v[200:203], v[100:110], s[100:103]"),
    (
        "gfx1100",
        "1002ddf002f01864",
        "image_gather4_c_lz_o v[240:243], v[2:4], s[96:103], s[100:103] dmask:0x2 dim:SQ_RSRC_IMG_1D_ARRAY a16",
    ),
    (
        "gfx1100",
        "081d52f100fb1804",
        "image_sample_c_d_cl_g16 v[251:252], v[0:8], s[96:103], s[4:7] dmask:0xd dim:SQ_RSRC_IMG_3D slc d16",
    ),
    (
        "gfx1100",
        "094330f01ffb0700ff280000",
        "image_atomic_add v[251:252], [v31, v255, v40], s[28:35] dmask:0x3 dim:SQ_RSRC_IMG_3D glc",
    ),
    ("gfx1100", "818f64f06405010011641103", "image_bvh_intersect_ray v[5:8], [v100, v17, v[100:102], v[17:19], v[3:5]], s[4:7]"),
    ("gfx1100", "808f64f007c80100", "image_bvh_intersect_ray v[200:203], v[7:17], s[4:7]"),
    ("gfx1100", "818f64f06400000000030000", "image_bvh_intersect_ray v[0:3], [v100, v0, v[3:5], v[0:2], v[0:2]], s[0:3]"),
    (
        "gfx1200",
        "014089e48000040400092800",
        "image_sample_o v128, [v0, v9, v40], s[0:7], s[8:11] dmask:0x2 dim:SQ_RSRC_IMG_2D scope:SCOPE_SE",
    ),
    (
        "gfx1200",
        "104043d0f018040064000000",
        "image_atomic_sub_uint v240, v100, s[12:19] dmask:0x1 dim:SQ_RSRC_IMG_1D scope:SCOPE_SE r128",
    ),
    (
        "gfx1200",
        "04e0cee68010000209020005",
        "image_sample_d_o_g16 v[128:130], [v9, v2, v0, v[5:6]], s[8:15], s[4:7] dmask:0xb dim:SQ_RSRC_IMG_1D_ARRAY unorm",
    ),
    (
        "gfx1200",
        "1080c6d3000000c8f00303c8",
        "image_bvh64_intersect_ray v[0:3], [v[240:241], v3, v[3:5], v[200:202], v[200:202]], s[0:3]",
    ),
    (
        "gfx1200",
        "1040c6d3050000c803f0c8f0",
        "image_bvh_intersect_ray v[5:8], [v3, v240, v[200:202], v[240:242], v[200:202]], s[0:3]",
    ),
    (
        "gfx1200",
        "1040e0d3c8c8000303c8f011",
        "image_bvh8_intersect_ray v[200:209], [v[3:4], v[200:201], v[240:242], v[17:19], v3], s[100:103]",
    ),
    (
        "gfx1200",
        "1040c6d3c8080000f0f0f0f0",
        "image_bvh_intersect_ray v[200:203], [v240, v240, v[240:242], v[240:242], v[0:2]], s[4:7]",
    ),
];

/// Target and text that llvm-mc refuses.
const BAD: &[(&str, &str)] = &[
    ("gfx1100", "v_dual_cndmask_b32 v3, vcc_lo, v4 :: v_dual_mov_b32 v5, null"),
    ("gfx1100", "v_dual_min_f32 v253, s1, v6 :: v_dual_fma_f32 v8, v254, v8, v8"),
    ("gfx1100", "v_dual_mov_b32 v0, v253 :: v_dual_max_i32 v0, 0xaf123456, src_scc"),
    ("gfx1100", "v_dual_and_b32 v9, v127, v4 :: v_dual_min_num_f32 v5, v254, v4"),
    ("gfx1100", "v_dual_mov_b32 v4, 64 :: v_dual_bitop2_b32 v2, 1, v2 bitop3:255"),
    ("gfx1100", "v_dual_mov_b32 v6, v3 :: v_dual_max_num_f32 v7, v127, v0"),
    ("gfx1201", "v_dual_fmamk_f32 v9, v128, 1.0, v9 :: v_dual_lshrrev_b32 v254, vcc_lo, v254"),
    ("gfx1201", "v_dual_mul_f32 v128, v253, v5 :: v_dual_and_b32 v8, v254, v2"),
    ("gfx1201", "v_dual_fmaak_f32 v253, v0, v4, 0xbabe :: v_dual_fma_f32 v254, 0xbabe, v255, v7"),
    ("gfx1201", "v_dual_fmamk_f32 v6, v253, 0xbabe, v128 :: v_dual_mul_f32 v7, v253, v0"),
    ("gfx1201", "v_dual_min_num_f32 v128, v252, v4 :: v_dual_fmaak_f32 v255, v255, v4, 0xbabe"),
    ("gfx1201", "v_dual_add_f32 v0, 0xaf123456, v7 :: v_dual_fmamk_f32 v3, 0xaf123456, 0xbabe, v5"),
    ("gfx1250", "v_dual_sub_f32 v128, -1.5, -v4 :: v_dual_mul_f32 v8, v252, null"),
    ("gfx1250", "v_dual_min_num_f64 v[2:3], v[3:4], v[6:7] :: v_dual_sub_nc_u32 v5, v0, v255"),
    ("gfx1250", "v_dual_cndmask_b32 v5, v1, v253, vcc_lo :: v_dual_fmaak_f32 v128, |v7|, v6, 0xaf123456"),
    ("gfx1250", "v_dual_min_num_f64 v[8:9], v[253:254], v[0:1] :: v_dual_mul_dx9_zero_f32 v0, v3, v6"),
    ("gfx1250", "v_dual_add_f32 v1, v4, v255 :: v_dual_ashrrev_i32 v128, v6, v7"),
    ("gfx1250", "v_dual_mul_f32 v5, 1.5, v1 :: v_dual_and_b32 v128, 0.5, v2"),
    ("gfx900", "image_sample_c_d v[6:7], v[0:3], s[12:19], s[100:103] dmask:0x9 a16"),
    ("gfx900", "image_gather4_l v[4:7], v[2:5], s[96:103], s[0:3] dmask:0x2"),
    ("gfx900", "image_atomic_dec v[6:8], v[32:34], s[0:7] dmask:0xd a16"),
    ("gfx900", "image_gather4_c_l v[128:132], v[32:39], s[2:9], s[4:7] dmask:0xf glc slc tfe lwe"),
    ("gfx900", "image_sample_b v0, v[0:3], s[8:15], s[4:7] dmask:0x1 unorm dlc"),
    ("gfx900", "image_gather4_b v[251:254], v[0:3], s[8:15], s[0:3] dmask:0x4 a16 tfe"),
    ("gfx90a", "image_load_pck_sgn v[250:252], v[2:4], s[96:103] dmask:0x7"),
    ("gfx90a", "image_atomic_umax v[64:66], v[32:35], s[0:7] dmask:0xb glc slc"),
    ("gfx90a", "image_load_pck_sgn v[250:252], v[7:8], s[8:15] dmask:0xe glc slc"),
    ("gfx90a", "image_store v4, v[192:193], s[2:9] dmask:0x8 unorm d16"),
    ("gfx90a", "image_atomic_cmpswap v250, v[192:195], s[0:7] dmask:0x1 dlc"),
    ("gfx90a", "image_atomic_umax v[64:65], v[7:9], s[28:35] dmask:0x3 slc"),
    ("gfx1010", "image_sample_c_b_cl v[250:251], v[32:38], s[0:7], s[0:3] dmask:0x5 dim:2D_MSAA_ARRAY unorm dlc"),
    ("gfx1010", "image_gather4_b_cl v[128:129], v[240:243], s[4:11], s[100:103] dmask:0xb dim:1D_ARRAY d16"),
    ("gfx1010", "image_atomic_umax v[4:7], [v3, v200], s[2:9] dmask:0xe dim:SQ_RSRC_IMG_2D r128 tfe"),
    ("gfx1010", "image_sample_o v[250:252], [v1, v3, v255, v2, v40], s[4:11], s[0:3] dmask:0x2 dim:2D_MSAA_ARRAY tfe"),
    ("gfx1010", "image_atomic_umin v240, v[32:33], s[28:35] dmask:0x1 slc a16"),
    ("gfx1010", "image_store_pck v[251:253], v[7:9], s[8:15] dmask:0xb dim:1D_ARRAY a16"),
    ("gfx1030", "image_load_mip_pck_sgn v[6:7], v[240:241], s[2:9] dmask:0x9 dim:SQ_RSRC_IMG_1D unorm slc"),
    ("gfx1030", "image_gather4_c_b_cl v[4:6], v[100:105], s[0:7], s[8:11] dmask:0xc dim:SQ_RSRC_IMG_2D_MSAA"),
    ("gfx1030", "image_load_mip_pck v[0:1], v[7:8], s[8:15] dmask:0x2 dim:SQ_RSRC_IMG_2D unorm r128 tfe"),
    ("gfx1030", "image_sample_d_cl_o_g16 v0, [v0, v31, v0, v200], s[28:35], s[0:3] dmask:0x0 unorm glc a16 d16"),
    ("gfx1030", "image_sample v[4:5], [v2, v0, v255, v5], s[8:15], s[4:7] dmask:0x2 dim:2D_MSAA_ARRAY dlc r128 tfe"),
    ("gfx1030", "image_gather4_o v[6:9], v[240:243], s[0:7], s[0:3] dmask:0x4 dim:2D_MSAA dlc tfe"),
    ("gfx1100", "image_atomic_and v[251:252], [v1, v40], s[28:35] dmask:0x5 dim:SQ_RSRC_IMG_2D"),
    ("gfx1100", "image_gather4_c_lz_o v[4:8], [v255, v0, v1, v3, v[40:41]], s[0:7], s[4:7] dmask:0x1 dim:2D_MSAA_ARRAY tfe"),
    ("gfx1100", "image_atomic_or v250, v240, s[96:103] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA_ARRAY unorm dlc a16"),
    ("gfx1100", "image_sample_d_o v250, [v77, v2, v0, v1, v[240:241]], s[28:35], s[4:7] dmask:0x1 r128 a16"),
    ("gfx1100", "image_gather4_b_cl v[0:1], v[32:34], s[28:35], s[4:7] dmask:0xf dim:SQ_RSRC_IMG_CUBE unorm glc r128 a16 d16"),
    ("gfx1100", "image_gather4_b_cl v[6:10], v[192:196], s[4:11], s[100:103] dmask:0x4 dim:SQ_RSRC_IMG_3D dlc"),
    ("gfx1200", "image_sample_c_b v[240:241], [v77, v2, v1, v[240:241]], s[2:9], s[100:103] dmask:0xc dim:SQ_RSRC_IMG_2D_MSAA"),
    ("gfx1200", "image_atomic_xor v0, v32, s[12:19] dmask:0x0 dim:1D unorm a16"),
    ("gfx1200", "image_gather4 v[128:132], [v31, v5], s[28:35], s[4:7] dmask:0x4 dim:1D_ARRAY"),
    ("gfx1200", "image_gather4_cl v[6:9], [v1, v5], s[12:19], s[0:3] dmask:0x8 r128 a16"),
    ("gfx1200", "image_load_mip_pck_sgn v6, [v255, v1, v1, v200], s[0:7] dmask:0x2 dim:SQ_RSRC_IMG_2D th:TH_LOAD_NT a16"),
    ("gfx1200", "image_store v[64:65], [v77, v0, v2, v0, v[40:41]], s[8:15] dmask:0x5 dim:SQ_RSRC_IMG_2D_MSAA_ARRAY"),
];

#[test]
fn text_becomes_the_bits_of_llvm() {
    for (target, want, text) in GOOD {
        let (name, operands) = split(text);
        let made =
            codec(target).assemble(name, operands, &|_| None).unwrap_or_else(|p| panic!("{target}: {text}: {}", p.message));
        let (all, count) = made.bytes();
        assert_eq!(hexadecimal(&all[..count]), *want, "{target}: {text}");
    }
}

#[test]
fn bits_become_the_text_of_llvm() {
    for (target, word, want) in GOOD {
        let codec = codec(target);
        let bytes = bytes(word);
        let decoded = codec.decode(&bytes).unwrap_or_else(|why| panic!("{target}: {want}: {why:?}"));
        let mut text = String::new();
        codec.print(&decoded, &mut text);
        assert_eq!((text.as_str(), usize::from(decoded.size)), (*want, bytes.len()), "{target}: {word}");
    }
}

#[test]
fn cut_bits_and_texts_are_refused() {
    for (target, word, text) in GOOD {
        let codec = codec(target);
        let bytes = bytes(word);
        for length in 0..bytes.len() {
            let shorter = codec.decode(&bytes[..length]).is_ok_and(|d| usize::from(d.size) > length);
            assert!(!shorter, "{target}: {text}: {length} bytes are enough");
        }
        let (name, operands) = split(text);
        for length in (0..operands.len()).filter(|l| operands.is_char_boundary(*l)) {
            let taken = codec.assemble(name, &operands[..length], &|_| None).is_ok();
            let operands = operands[..length].matches(',').count();
            assert!(!taken || operands > 0, "{target}: {text}: {length} bytes of operands are enough");
        }
    }
}

#[test]
fn what_llvm_refuses_is_refused() {
    for (target, text) in BAD {
        let (name, operands) = split(text);
        assert!(codec(target).assemble(name, operands, &|_| None).is_err(), "{target}: {text}");
    }
}

#[test]
fn any_bits_are_decoded_or_refused() {
    // The first bits of pairs and images in all their layouts; the rest by xorshift.
    const HEADS: [(u32, u32); 5] = [(0x32, 6), (0xcf, 8), (0x3c, 6), (0x34, 6), (0x39, 6)];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut text = String::new();
    let mut decoded = 0;
    for target in ["gfx900", "gfx90a", "gfx1010", "gfx1030", "gfx1100", "gfx1200", "gfx1250"] {
        let codec = codec(target);
        for (head, width) in HEADS.into_iter().cycle().take(20_000) {
            // Most bits are zero in half of the words, so that unused fields are.
            let mut word = |_| if next() & 1 == 0 { next() as u32 & next() as u32 & next() as u32 } else { next() as u32 };
            let mut words: [u32; 5] = std::array::from_fn(&mut word);
            words[0] = words[0] << width >> width | head << (32 - width);
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            let Ok(found) = codec.decode(&bytes) else { continue };
            text.clear();
            codec.print(&found, &mut text);
            assert!(usize::from(found.size) <= bytes.len() && !text.is_empty(), "{target}: {words:08x?}");
            decoded += 1;
        }
    }
    assert!(decoded > 10_000, "only {decoded} words are instructions");
}
