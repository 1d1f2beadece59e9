//! Kernels of a few lines of AMD's assembly, assembled and run.

use amdgpu::object::TargetId;
use amdgpu::{assembler, codec::Codec};
use lockstep::{Result, System};

/// A code object of one kernel, `k`, that begins with these lines; its first argument is an address, in `s[0:1]` on the way in.
pub fn object(target: &str, body: &str) -> Vec<u8> {
    described(target, body, 16, "")
}

/// The same with so many vector registers, and more directives for its descriptor, a line each.
pub fn described(target: &str, body: &str, vgprs: u32, directives: &str) -> Vec<u8> {
    let text = format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"
.text
.globl k
.p2align 8
.type k,@function
k:
{body}
s_endpgm
.size k, .-k
.rodata
.p2align 6
.amdhsa_kernel k
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_kernarg_size 16
.amdhsa_next_free_vgpr {vgprs}
.amdhsa_next_free_sgpr 32
{}{directives}.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--{target}
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: {}
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 256
    .args:
      - {{ .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }}
      - {{ .offset: 8, .size: 4, .value_kind: by_value }}
...
.end_amdgpu_metadata
",
        if matches!(target, "gfx90a" | "gfx942" | "gfx950") { ".amdhsa_accum_offset 16\n" } else { "" },
        if target.starts_with("gfx9") { 64 } else { 32 },
    );
    let id = TargetId::parse(target).expect("a target");
    let codec = Codec::of(target, None).expect("a codec");
    let assembly = assembler::assemble(&text, &codec, &id, None);
    assert!(assembly.diagnostics.is_empty(), "{:?}", assembly.diagnostics);
    assembler::object(&assembly, id, None).unwrap_or_else(|problems| panic!("{problems:?}")).shared().expect("an object")
}

/// Runs a kernel with a buffer of one word and a number; what the word becomes.
pub fn run(target: &str, body: &str, number: u32) -> Result<u32> {
    let device = System.device(target)?;
    let kernel = device.load_code_object("k.co", &object(target, body))?.kernel("k")?;
    let out = device.buffer(&[7u32])?;
    kernel.launch([1, 1, 1], [1, 1, 1]).arg(&out).arg(number).run()?;
    Ok(out.read()[0])
}
