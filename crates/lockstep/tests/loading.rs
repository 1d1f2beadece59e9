//! What a kernel of AMD's finds when it begins: its variant of the target, arguments with the hidden ones, registers, scratch
//! memory, LDS and the packet.
//!
//! What is expected follows AMDGPUUsage ("Target ID", "Initial Kernel Execution State", "Kernel Argument Metadata", "Kernel Prolog", "Preloaded Kernel
//! Arguments") and the HSA Runtime's `hsa_kernel_dispatch_packet_t`. The offsets of hidden arguments are those that compilers use.

use amdgpu::object::TargetId;
use amdgpu::{assembler, codec::Codec};
use lockstep::{Error, Result, System};

/// A kernel `k` whose first argument is a buffer: a counter, and from the sixteenth word on what [`record`] puts there.
struct Source<'a> {
    /// `gfx90a:xnack+`.
    target: &'a str,
    /// The version of the code object.
    version: u32,
    /// Its lines but the last.
    body: String,
    /// Lines for its descriptor.
    directives: &'a str,
    /// What its metadata say of arguments behind the first, a line each.
    arguments: String,
    /// Bytes of its arguments.
    kernarg: u32,
}

impl<'a> Source<'a> {
    fn new(target: &'a str, body: String) -> Source<'a> {
        Source { target, version: 5, body, directives: "", arguments: String::new(), kernarg: 8 }
    }

    fn object(&self) -> Vec<u8> {
        let (target, kernarg) = (self.target, self.kernarg);
        let processor = target.split(':').next().unwrap_or(target);
        let unified = ["gfx90a", "gfx942", "gfx950", "gfx9-4-generic"].contains(&processor);
        let text = format!(
            ".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"
.amdhsa_code_object_version {}
.text
.globl k
.p2align 8
.type k,@function
k:
{}
s_endpgm
.size k, .-k
.rodata
.p2align 6
.amdhsa_kernel k
.amdhsa_kernarg_size {kernarg}
.amdhsa_next_free_vgpr 32
.amdhsa_next_free_sgpr 48
{}{}.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, {} ]
amdhsa.target: amdgcn-amd-amdhsa--{target}
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: {kernarg}
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 48
    .vgpr_count: 32
    .max_flat_workgroup_size: 1024
    .args:
      - {{ .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }}
{}...
.end_amdgpu_metadata
",
            self.version,
            self.body,
            if unified { ".amdhsa_accum_offset 32\n" } else { "" },
            self.directives,
            self.version.min(5) - 3,
            self.arguments,
        );
        let id = TargetId::parse(target).expect("a target");
        let codec = Codec::of(id.object.name, None).expect("a codec");
        let assembly = assembler::assemble(&text, &codec, &id, None);
        assert!(assembly.diagnostics.is_empty(), "{target}: {:?}", assembly.diagnostics);
        assembler::object(&assembly, id, None).unwrap_or_else(|e| panic!("{target}: {e:?}")).shared().expect("an object")
    }

    /// The words that each wavefront or work-item records, in the order of their values, of a launch on a GPU.
    fn on(&self, gpu: &str, grid: [u32; 3], block: [u32; 3], shared: u32, words: usize) -> Result<Vec<Vec<u32>>> {
        let kernel = System.device(gpu)?.load_code_object("k.co", &self.object())?.kernel("k")?;
        let out = kernel.module().device().buffer(&vec![0u32; 16 + 1024 * words])?;
        kernel.launch(grid, block).shared(shared).arg(&out).run()?;
        let out = out.read();
        let mut records: Vec<Vec<u32>> = out[16..].chunks(words).take(out[0] as usize).map(<[u32]>::to_vec).collect();
        records.sort();
        Ok(records)
    }

    /// The same on the GPU of its target, without dynamic LDS.
    fn records(&self, grid: [u32; 3], block: [u32; 3], words: usize) -> Vec<Vec<u32>> {
        let gpu = self.target.split(':').next().unwrap_or(self.target);
        self.on(gpu, grid, block, 0, words).unwrap_or_else(|e| panic!("{}: {e}", self.target))
    }
}

/// Waits for all loads.
fn wait(target: &str) -> &'static str {
    if target.starts_with("gfx12") { "s_wait_loadcnt 0x0\ns_wait_kmcnt 0x0\n" } else { "s_waitcnt vmcnt(0) lgkmcnt(0)\n" }
}

/// Loads the buffer's address from the arguments, which `s[pointer:pointer+1]` has, to `s[40:41]`.
fn buffer(target: &str, pointer: u32) -> String {
    format!("s_load_dwordx2 s[40:41], s[{pointer}:{}], 0x0\n{}", pointer + 1, wait(target))
}

/// Each lane that executes records these registers.
fn record(target: &str, registers: &[&str]) -> String {
    let atomic = match target {
        t if t.starts_with("gfx12") => "global_atomic_add_u32 v30, v28, v29, s[40:41] th:TH_ATOMIC_RETURN",
        t if t.starts_with("gfx11") => "global_atomic_add_u32 v30, v28, v29, s[40:41] glc",
        t if t.starts_with("gfx94") || t.starts_with("gfx95") || t.starts_with("gfx9-4") => {
            "global_atomic_add v30, v28, v29, s[40:41] sc0"
        }
        _ => "global_atomic_add v30, v28, v29, s[40:41] glc",
    };
    let size = 4 * registers.len();
    let mut text = format!(
        "v_mov_b32_e32 v28, 0\nv_mov_b32_e32 v29, 1\n{atomic}\n{}v_mov_b32_e32 v29, {size}\nv_mul_lo_u32 v30, v30, v29\n",
        wait(target)
    );
    for (i, register) in registers.iter().enumerate() {
        text += &format!("v_mov_b32_e32 v29, {register}\nglobal_store_dword v30, v29, s[40:41] offset:{}\n", 64 + 4 * i);
    }
    text
}

/// The same of one lane of each wavefront.
fn record_once(target: &str, registers: &[&str]) -> String {
    format!("s_mov_b64 exec, 1\n{}", record(target, registers))
}

/// The directive for the arguments' address.
const POINTER: &str = ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n";

/// The processors with a GPU that are tried where all behave alike.
const TARGETS: [&str; 11] =
    ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1200", "gfx1250"];

#[test]
fn every_variant_of_a_target_loads_in_every_version() -> Result<()> {
    let variants = [
        ("gfx900", &["", ":xnack+", ":xnack-"][..], "gfx900"),
        ("gfx906", &["", ":sramecc+:xnack+", ":sramecc-:xnack-", ":sramecc+", ":xnack-"], "gfx906"),
        ("gfx908", &["", ":sramecc+:xnack+", ":sramecc-:xnack+", ":sramecc+:xnack-"], "gfx908"),
        ("gfx90a", &["", ":sramecc+:xnack+", ":sramecc-:xnack+", ":sramecc+:xnack-", ":sramecc-:xnack-"], "gfx90a"),
        ("gfx942", &["", ":sramecc+:xnack+", ":sramecc-:xnack+", ":sramecc+:xnack-", ":sramecc-:xnack-"], "gfx942"),
        ("gfx950", &["", ":sramecc+:xnack+", ":sramecc-:xnack-"], "gfx950"),
        ("gfx1010", &["", ":xnack+", ":xnack-"], "gfx1010"),
        ("gfx1030", &[""], "gfx1030"),
        ("gfx1100", &[""], "gfx1100"),
        ("gfx1200", &[""], "gfx1200"),
        ("gfx1250", &[""], "gfx1250"),
        ("gfx9-generic", &["", ":xnack+", ":xnack-"], "gfx906"),
        ("gfx9-4-generic", &["", ":sramecc+:xnack+", ":sramecc-:xnack-"], "gfx942"),
        ("gfx10-1-generic", &["", ":xnack+", ":xnack-"], "gfx1012"),
        ("gfx10-3-generic", &[""], "gfx1036"),
        ("gfx11-generic", &[""], "gfx1151"),
        ("gfx12-generic", &[""], "gfx1201"),
    ];
    for (processor, settings, gpu) in variants {
        for (settings, version) in settings.iter().flat_map(|s| [3, 4, 5, 6].map(|version| (s, version))) {
            if processor.ends_with("generic") && version < 6 {
                continue;
            }
            let target = format!("{processor}{settings}");
            let body = buffer(&target, 0) + &record(&target, &["0x1234"]);
            let source = Source { version, directives: POINTER, ..Source::new(&target, body) };
            assert_eq!(source.on(gpu, [1, 1, 1], [2, 1, 1], 0, 1)?, [[0x1234], [0x1234]], "{target} in V{version}");
            let other = if processor.starts_with("gfx11") { "gfx1030" } else { "gfx1100" };
            let told = source.on(other, [1, 1, 1], [1, 1, 1], 0, 1).expect_err("another target").to_string();
            assert!(told.contains(processor) && told.contains(other), "{target}: {told}");
        }
    }
    Ok(())
}

/// The hidden arguments of versions 3 and 4 (offset behind the kernel's own, bytes) and of versions 5 and 6.
const OLD: [(&str, u32, u32); 7] = [
    ("global_offset_x", 0, 8),
    ("global_offset_y", 8, 8),
    ("global_offset_z", 16, 8),
    ("hostcall_buffer", 24, 8),
    ("default_queue", 32, 8),
    ("completion_action", 40, 8),
    ("multigrid_sync_arg", 48, 8),
];
const NEW: [(&str, u32, u32); 24] = [
    ("block_count_x", 0, 4),
    ("block_count_y", 4, 4),
    ("block_count_z", 8, 4),
    ("group_size_x", 12, 2),
    ("group_size_y", 14, 2),
    ("group_size_z", 16, 2),
    ("remainder_x", 18, 2),
    ("remainder_y", 20, 2),
    ("remainder_z", 22, 2),
    ("global_offset_x", 40, 8),
    ("global_offset_y", 48, 8),
    ("global_offset_z", 56, 8),
    ("grid_dims", 64, 2),
    ("printf_buffer", 72, 8),
    ("hostcall_buffer", 80, 8),
    ("multigrid_sync_arg", 88, 8),
    ("heap_v1", 96, 8),
    ("default_queue", 104, 8),
    ("completion_action", 112, 8),
    ("dynamic_lds_size", 120, 4),
    ("none", 128, 8),
    ("private_base", 192, 4),
    ("shared_base", 196, 4),
    ("queue_ptr", 200, 8),
];

/// Lines of metadata for hidden arguments from an offset on.
fn hidden(from: u32, list: &[(&str, u32, u32)]) -> String {
    let line = |(kind, at, size): &(&str, u32, u32)| {
        format!("      - {{ .offset: {}, .size: {size}, .value_kind: hidden_{kind} }}\n", from + at)
    };
    list.iter().map(line).collect()
}

/// The words of the arguments from an offset on as one lane finds them.
fn found(target: &str, version: u32, list: &[(&str, u32, u32)], words: u32, shape: [[u32; 3]; 2]) -> Result<Vec<u32>> {
    let mut body = buffer(target, 0);
    for i in 0..words {
        body += &format!("s_load_dword s20, s[0:1], {:#x}\n{}v_mov_b32_e32 v29, s20\n", 8 + 4 * i, wait(target));
        body += &format!("v_mov_b32_e32 v28, {}\nglobal_store_dword v28, v29, s[40:41]\n", 64 + 4 * i);
    }
    let kernarg = 8 + 4 * words;
    let source = Source { version, directives: POINTER, arguments: hidden(8, list), kernarg, ..Source::new(target, body) };
    let kernel = System.device(target)?.load_code_object("k.co", &source.object())?.kernel("k")?;
    let out = kernel.module().device().buffer(&vec![0xdead_beefu32; 16 + words as usize])?;
    kernel.launch(shape[0], shape[1]).shared(48).arg(&out).run()?;
    Ok(out.read()[16..].to_vec())
}

#[test]
fn hidden_arguments_have_their_values() -> Result<()> {
    for target in TARGETS {
        // Groups are whole, nothing is offset, and there is no host to serve a kernel.
        for version in [3, 4] {
            assert_eq!(found(target, version, &OLD, 14, [[3, 2, 1], [4, 1, 1]])?, [0; 14], "{target} in V{version}");
        }
        let shapes = [([3, 5, 2], [4, 3, 2], 3), ([3, 5, 1], [4, 3, 1], 2), ([3, 1, 1], [4, 1, 1], 1), ([1, 1, 2], [4, 1, 1], 3)];
        for (version, (grid, block, dimensions)) in [5, 6].into_iter().flat_map(|v| shapes.map(|shape| (v, shape))) {
            let words = found(target, version, &NEW, 64, [grid, block])?;
            let mut expected = [0u32; 64];
            expected[..3].copy_from_slice(&grid);
            // Sizes of 16 bits follow each other, and remainders them: there are none.
            expected[3] = block[0] | block[1] << 16;
            expected[4] = block[2];
            expected[16] = dimensions;
            expected[30] = 48;
            // The bases of the apertures are told elsewhere: flat addresses in them are tried below.
            let bases = [words[48], words[49]];
            assert!(bases[0] != bases[1] && !bases.contains(&0), "{target}: {bases:x?}");
            expected[48..50].copy_from_slice(&bases);
            assert_eq!(words, expected, "{target} in V{version}, {grid:?} of {block:?}");
        }
    }
    Ok(())
}

/// The bases of the apertures in hidden arguments are those that the hardware has in registers.
#[test]
fn hidden_bases_are_those_of_the_apertures() -> Result<()> {
    for target in TARGETS {
        let text = format!(
            "s_load_dwordx2 s[20:21], s[0:1], 0x8
{}{}s_mov_b64 s[22:23], src_private_base
s_mov_b64 s[24:25], src_shared_base
{}",
            wait(target),
            buffer(target, 0),
            record_once(target, &["s20", "s21", "s23", "s25"])
        );
        let arguments = hidden(8, &[("private_base", 0, 4), ("shared_base", 4, 4)]);
        let source = Source { directives: POINTER, arguments, kernarg: 16, ..Source::new(target, text) };
        let [words] = &source.records([1, 1, 1], [1, 1, 1], 4)[..] else { panic!("{target}") };
        assert_eq!(words[..2], words[2..], "{target}");
    }
    Ok(())
}

/// Arguments come in scalar registers behind the user's others; where firmware may lack that, a wave begins behind 256 bytes that would load them.
#[test]
fn arguments_are_loaded_before_a_wave_begins() -> Result<()> {
    for (target, prologue) in [("gfx90a", true), ("gfx942", true), ("gfx950", true), ("gfx1250", false)] {
        // What stands there would end the wave.
        let before = if prologue { "s_endpgm\n.p2align 8\n" } else { "" };
        let fill = |body: String| format!("{before}{body}");
        // The buffer, a hidden block count and two hidden sizes, behind the arguments' address.
        let body = "s_mov_b64 s[40:41], s[2:3]\n".to_owned() + &record_once(target, &["s4", "s5", "s0"]);
        let source = Source {
            directives: &format!("{POINTER}.amdhsa_user_sgpr_kernarg_preload_length 4\n"),
            arguments: hidden(8, &[("block_count_x", 0, 4), ("group_size_x", 4, 2), ("group_size_y", 6, 2)]),
            kernarg: 16,
            ..Source::new(target, fill(body))
        };
        let records = source.records([3, 1, 1], [5, 2, 1], 3);
        assert_eq!(records.len(), 3, "{target}");
        for words in &records {
            assert_eq!(words[..2], [3, 5 | 2 << 16], "{target}");
            assert_ne!(words[2], 0, "{target}");
        }
        // From the third word of the arguments on, without their address, behind the packet's, with a work-group's number.
        let id = if prologue { "s6" } else { "ttmp9" };
        let body = "s_load_dwordx2 s[20:21], s[0:1], 0x28\n".to_owned()
            + wait(target)
            + &buffer(target, 20)
            + &record_once(target, &["s2", "s3", "s4", "s5", id]);
        let source = Source {
            directives: ".amdhsa_user_sgpr_dispatch_ptr 1
.amdhsa_user_sgpr_kernarg_preload_length 4
.amdhsa_user_sgpr_kernarg_preload_offset 3\n",
            arguments: hidden(
                8,
                &[("block_count_x", 0, 4), ("block_count_y", 4, 4), ("block_count_z", 8, 4), ("group_size_x", 12, 2)],
            ),
            kernarg: 28,
            ..Source::new(target, fill(body))
        };
        let expected = [0, 1].map(|id| vec![1, 1, 7, 0, id]);
        assert_eq!(source.records([2, 1, 1], [7, 1, 1], 5), expected, "{target}");
    }
    Ok(())
}

/// The dispatch packet: what is launched, in work-items, and where descriptor and arguments are.
#[test]
fn the_packet_says_what_is_launched() -> Result<()> {
    for target in TARGETS {
        let mut body = buffer(target, 2);
        // The descriptor tells how far it is to the entry, 16 bytes from its begin.
        body += &format!(
            "s_getpc_b64 s[20:21]
here:
s_add_u32 s20, s20, k-here
s_addc_u32 s21, s21, -1
s_load_dwordx2 s[22:23], s[0:1], 0x20
{0}s_load_dwordx2 s[24:25], s[22:23], 0x10
{0}s_add_u32 s22, s22, s24
s_addc_u32 s23, s23, s25
s_xor_b32 s20, s20, s22
s_xor_b32 s21, s21, s23\n",
            wait(target)
        );
        body +=
            &format!("s_load_dwordx2 s[24:25], s[0:1], 0x28\n{}s_xor_b32 s24, s24, s2\ns_xor_b32 s25, s25, s3\n", wait(target));
        body += "s_or_b32 s20, s20, s21\ns_or_b32 s21, s24, s25\n";
        for i in 0..8 {
            body += &format!("s_load_dword s{}, s[0:1], {:#x}\n", 4 + i, 4 * i);
        }
        body += &format!("s_load_dwordx4 s[12:15], s[0:1], 0x30\n{}", wait(target));
        let registers: Vec<String> = (4..16).chain(20..22).map(|i| format!("s{i}")).collect();
        let registers: Vec<&str> = registers.iter().map(String::as_str).collect();
        body += &record_once(target, &registers);
        let directives = ".amdhsa_user_sgpr_dispatch_ptr 1
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_group_segment_fixed_size 256
.amdhsa_private_segment_fixed_size 20\n";
        let source = Source { directives, ..Source::new(target, body) };
        for (grid, block, dimensions) in [([2, 1, 1], [3, 1, 1], 1), ([1, 3, 1], [5, 2, 1], 2), ([1, 2, 3], [2, 3, 4], 3)] {
            let records = source.on(target, grid, block, 64, 14)?;
            // It dispatches a kernel, acquires and releases for the system, and has no completion signal; no group of these is larger than a wave.
            let expected = [
                2 | 2 << 9 | 2 << 11 | dimensions << 16,
                block[0] | block[1] << 16,
                block[2],
                grid[0] * block[0],
                grid[1] * block[1],
                grid[2] * block[2],
                20,
                256 + 64,
                0,
                0,
                0,
                0,
                0,
                0,
            ];
            assert_eq!(records, vec![expected; (grid[0] * grid[1] * grid[2]) as usize], "{target}");
        }
    }
    Ok(())
}

/// The user's scalar registers come in their order, and behind them the system's, as far as they are asked for.
#[test]
fn scalar_registers_are_set_in_their_order() -> Result<()> {
    const ALL: &str =
        ".amdhsa_user_sgpr_private_segment_buffer 1\n.amdhsa_user_sgpr_dispatch_ptr 1\n.amdhsa_user_sgpr_queue_ptr 1
.amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_user_sgpr_dispatch_id 1\n.amdhsa_user_sgpr_flat_scratch_init 1
.amdhsa_user_sgpr_private_segment_size 1\n.amdhsa_private_segment_fixed_size 10\n";
    const GROUP: &str =
        ".amdhsa_system_sgpr_workgroup_id_y 1\n.amdhsa_system_sgpr_workgroup_id_z 1\n.amdhsa_system_sgpr_workgroup_info 1\n";
    for target in ["gfx900", "gfx906", "gfx90a", "gfx1010", "gfx1030"] {
        // The size of scratch memory is a multiple of words.
        let body = buffer(target, 8) + &record_once(target, &["s14", "s15", "s16", "s17", "s18"]);
        let directives = format!("{ALL}{GROUP}.amdhsa_system_sgpr_private_segment_wavefront_offset 1\n");
        let records = Source { directives: &directives, ..Source::new(target, body) }.records([2, 3, 2], [100, 1, 1], 5);
        let waves: u32 = if target.starts_with("gfx9") { 2 } else { 4 };
        let mut expected = Vec::new();
        for (x, y, z) in (0..12).map(|i| (i / 6, i / 2 % 3, i % 2)) {
            expected.extend((0..waves).map(|wave| vec![12, x, y, z, u32::from(wave == 0) << 31 | waves]));
        }
        expected.sort();
        assert_eq!(records, expected, "{target}");
    }
    for target in TARGETS.iter().filter(|target| !target.starts_with("gfx12")) {
        // Some alone: z, then what is known of the wavefronts.
        let body = buffer(target, 0) + &record_once(target, &["s2", "s3"]);
        let directives = format!(
            "{POINTER}.amdhsa_system_sgpr_workgroup_id_x 0
.amdhsa_system_sgpr_workgroup_id_z 1
.amdhsa_system_sgpr_workgroup_info 1\n"
        );
        let records = Source { directives: &directives, ..Source::new(target, body) }.records([1, 1, 3], [8, 1, 1], 2);
        assert_eq!(records, [0, 1, 2].map(|z| [z, 1 << 31 | 1]), "{target}");
    }
    Ok(())
}

/// Hardware registers tell of a wavefront where it would run if groups went round dies and compute units in turn: HIP's `__smid` and what spreads work over dies
/// read them. The fields are those of HIP's amd_device_functions.h.
#[test]
fn hardware_registers_tell_where_a_wavefront_runs() {
    // Compute units, where the numbers of one and of its shader engine are, and compute units that share a number.
    let gpus = [
        ("gfx906", 60, 8, 13, 1),
        ("gfx90a", 110, 8, 13, 1),
        ("gfx942", 304, 8, 13, 8),
        ("gfx1030", 80, 10, 18, 2),
        ("gfx1100", 96, 10, 18, 2),
        ("gfx1200", 32, 10, 18, 2),
    ];
    for (target, units, unit_bit, engine_bit, shared) in gpus {
        let (name, die) = match target {
            "gfx942" => ("HW_REG_HW_ID", "hwreg(HW_REG_XCC_ID, 0, 4)"),
            t if t.starts_with("gfx9") => ("HW_REG_HW_ID", ""),
            _ => ("HW_REG_HW_ID1", ""),
        };
        let group = if target == "gfx1200" { "ttmp9" } else { "s2" };
        let mut body = format!(
            "s_mov_b32 s20, {group}
s_getreg_b32 s21, hwreg({name}, {unit_bit}, 4)
s_getreg_b32 s22, hwreg({name}, {engine_bit}, 3)
s_mov_b32 s23, 0
"
        );
        if !die.is_empty() {
            body += &format!("s_getreg_b32 s23, {die}\n");
        }
        body += &(buffer(target, 0) + &record_once(target, &["s20", "s21", "s22", "s23"]));
        let records = Source { directives: POINTER, ..Source::new(target, body) }.records([units + 2, 1, 1], [1, 1, 1], 4);
        let dies = if die.is_empty() { 1 } else { 8 };
        for (words, group) in records.iter().zip(0..) {
            let unit = group % units;
            let within = if dies == 8 { unit / 8 } else { unit / shared };
            assert_eq!(words[..], [group, within % 16, within / 16, unit % dies], "{target}");
        }
    }
}

/// From gfx12 on trap registers have the numbers of work-groups, and that of a wave in its group.
#[test]
fn trap_registers_have_the_numbers_of_groups() {
    for target in ["gfx1200", "gfx1201", "gfx1250"] {
        let body = format!(
            "{}s_and_b32 s20, ttmp7, 0xffff\ns_lshr_b32 s21, ttmp7, 16\ns_bfe_u32 s22, ttmp8, 0x50019\n{}",
            buffer(target, 0),
            record_once(target, &["ttmp9", "s20", "s21", "s22"])
        );
        let records = Source { directives: POINTER, ..Source::new(target, body) }.records([3, 2, 4], [70, 1, 1], 4);
        let expected: Vec<Vec<u32>> = (0..72).map(|i| vec![i / 24, i / 12 % 2, i / 3 % 4, i % 3]).collect();
        assert_eq!(records, expected, "{target}");
    }
}

/// Work-items' numbers have a register each, or ten bits of one; those that are not asked for are not set, or zero.
#[test]
fn work_items_have_their_numbers() {
    let block = [5u32, 7, 3];
    for (target, asked) in TARGETS.iter().flat_map(|target| [0u32, 1, 2].map(|asked| (target, asked))) {
        let packed = !["gfx900", "gfx906", "gfx908", "gfx1010", "gfx1030"].contains(target);
        let registers = if packed { &["v0"][..] } else { &["v0", "v1", "v2"][..=asked as usize] };
        let body = buffer(target, 0) + &record(target, registers);
        let directives = format!("{POINTER}.amdhsa_system_vgpr_workitem_id {asked}\n");
        let records = Source { directives: &directives, ..Source::new(target, body) }.records([1, 1, 1], block, registers.len());
        let mut expected: Vec<Vec<u32>> = Vec::new();
        for i in 0..block[0] * block[1] * block[2] {
            let mut id = vec![i % block[0], i / block[0] % block[1], i / block[0] / block[1]];
            id.truncate(1 + asked as usize);
            expected.push(if packed { vec![id.iter().rev().fold(0, |word, part| word << 10 | part)] } else { id });
        }
        expected.sort();
        assert_eq!(records, expected, "{target}, {asked}");
    }
}

/// Lanes of a wavefront: 32 or 64 as the descriptor says, with the work-items that are left in the last one; in both modes of a processor.
#[test]
fn wavefronts_have_as_many_lanes_as_their_descriptor_says() {
    for target in ["gfx1010", "gfx1030", "gfx1100", "gfx1200"] {
        for (wide, single) in [(false, false), (false, true), (true, false), (true, true)] {
            let body = format!(
                "s_mov_b64 s[20:21], exec\ns_bcnt1_i32_b32 s22, exec_lo\n{}{}",
                buffer(target, 0),
                record_once(target, if wide { &["s20", "s21"] } else { &["s20", "s22"] })
            );
            let lanes = if wide { 0 } else { 1 };
            let mode = u32::from(!single);
            let directives = format!("{POINTER}.amdhsa_wavefront_size32 {lanes}\n.amdhsa_workgroup_processor_mode {mode}\n");
            let records = Source { directives: &directives, ..Source::new(target, body) }.records([1, 1, 1], [105, 1, 1], 2);
            let all = u32::MAX;
            let expected: Vec<[u32; 2]> =
                if wide { vec![[all, 511], [all, all]] } else { vec![[511, 9], [all, 32], [all, 32], [all, 32]] };
            assert_eq!(records, expected, "{target}, {wide}, {single}");
        }
    }
}

/// LDS that the launch adds begins behind the kernel's own, and ends where it says.
#[test]
fn lds_of_the_launch_is_behind_the_kernels_own() -> Result<()> {
    for target in TARGETS {
        let local = if target.starts_with("gfx12") { "s_wait_dscnt 0x0" } else { "s_waitcnt lgkmcnt(0)" };
        let m0 = if target.starts_with("gfx9") { "s_mov_b32 m0, -1\n" } else { "" };
        let body = |last: u32| {
            format!(
                "{m0}{}v_mov_b32_e32 v4, {last}\nv_mov_b32_e32 v5, 0x77\nds_write_b32 v4, v5\nds_read_b32 v6, v4\n{local}\n{}",
                buffer(target, 0),
                record(target, &["v6"])
            )
        };
        let directives = format!("{POINTER}.amdhsa_group_segment_fixed_size 64\n");
        let run = |last, shared| {
            Source { directives: &directives, ..Source::new(target, body(last)) }.on(target, [1, 1, 1], [1, 1, 1], shared, 1)
        };
        assert_eq!(run(60, 0)?, [[0x77]], "{target}");
        assert_eq!(run(124, 64)?, [[0x77]], "{target}");
        for (last, shared) in [(64, 0), (128, 64)] {
            let told: Error = run(last, shared).expect_err("behind its end");
            assert_eq!(told.problems()[0].diagnostic.code, "E0231", "{target}: {told}");
        }
    }
    Ok(())
}

/// Scratch memory, where every lane of every wave keeps a word of its own: by which registers it is reached differs from target to target.
#[test]
fn scratch_memory_is_each_work_items_own() {
    let buffers = ".amdhsa_user_sgpr_private_segment_buffer 1
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_user_sgpr_flat_scratch_init 1
.amdhsa_system_sgpr_private_segment_wavefront_offset 1\n.amdhsa_private_segment_fixed_size 64\n";
    let architected =
        ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_enable_private_segment 1\n.amdhsa_private_segment_fixed_size 64\n";
    // The prolog adds the wavefront's offset, in s9 behind the group's number, to the descriptor and to where scratch memory begins.
    let descriptor = "s_add_u32 s0, s0, s9\ns_addc_u32 s1, s1, 0\n";
    let gfx9 = "s_add_u32 flat_scratch_lo, s6, s9\ns_addc_u32 flat_scratch_hi, s7, 0\n";
    let gfx10 = "s_add_u32 s6, s6, s9
s_addc_u32 s7, s7, 0
s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s6
s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s7\n";
    let cases = [
        ("gfx900", buffers, 4, [descriptor, gfx9].concat()),
        ("gfx906", buffers, 4, [descriptor, gfx9].concat()),
        ("gfx908", buffers, 4, [descriptor, gfx9].concat()),
        ("gfx90a", buffers, 4, [descriptor, gfx9].concat()),
        ("gfx1010", buffers, 4, [descriptor, gfx10].concat()),
        ("gfx1030", buffers, 4, [descriptor, gfx10].concat()),
        ("gfx942", architected, 0, String::new()),
        ("gfx950", architected, 0, String::new()),
        ("gfx1100", architected, 0, String::new()),
        ("gfx1200", architected, 0, String::new()),
        ("gfx1250", architected, 0, String::new()),
    ];
    for (target, directives, pointer, prolog) in cases {
        let is_architected = prolog.is_empty();
        let stored = match target {
            "gfx1250" | "gfx1200" => "s_wait_storecnt 0x0\n",
            t if t.starts_with("gfx9") => "s_waitcnt vmcnt(0)\n",
            _ => "s_waitcnt_vscnt null, 0x0\n",
        };
        // v0 goes to word 3 by one kind of access and comes back by the others.
        let mut body = format!(
            "v_and_b32_e32 v0, 0x3ff, v0\n{}{prolog}v_mov_b32_e32 v10, 12\nv_mov_b32_e32 v11, 0\n",
            buffer(target, pointer)
        );
        body += "s_mov_b32 s20, 0\nv_add3_u32 v12, v0, v0, 1\n";
        let (mut registers, mut expected) = (vec!["v0"], vec![0u32]);
        let scratch =
            if is_architected { "scratch_store_dword v10, v12, off\n" } else { "buffer_store_dword v12, v10, s[0:3], 0 offen\n" };
        body += scratch;
        body += stored;
        if is_architected {
            body += "scratch_load_dword v13, off, s20 offset:12\n";
        } else {
            body += "buffer_load_dword v13, off, s[0:3], 0 offset:12\n";
        }
        registers.push("v13");
        expected.push(2);
        // The same by flat addresses: the aperture's base and the place; gfx1250 has other ones.
        if target != "gfx1250" {
            body += "s_mov_b64 s[22:23], src_private_base\nv_mov_b32_e32 v11, s23\nflat_load_dword v14, v[10:11]\n";
            registers.push("v14");
            expected.push(2);
        }
        body += wait(target);
        if target.starts_with("gfx12") {
            body += "s_wait_dscnt 0x0\n";
        }
        body += &record(target, &registers);
        let records = Source { directives, ..Source::new(target, body) }.records([2, 1, 1], [150, 1, 1], registers.len());
        let mut all: Vec<Vec<u32>> = Vec::new();
        for lane in (0..150).flat_map(|lane| [lane, lane]) {
            all.push(expected.iter().map(|scale| if *scale == 0 { lane } else { scale * lane + 1 }).collect());
        }
        assert_eq!(records, all, "{target}");
    }
}
