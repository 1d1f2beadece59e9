// Made a second time by the test, call by call, which must give the same bytes.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
  .amdhsa_code_object_version 6
  .text
  .globl k
  .p2align 8
  .type k,@function
k:
  s_endpgm
.Lk_end:
  .size k, .Lk_end-k
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel k
    .amdhsa_next_free_vgpr 24
    .amdhsa_next_free_sgpr 16
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .end_amdhsa_kernel
  .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 4
    .wavefront_size: 32
    .sgpr_count: 18
    .vgpr_count: 24
    .max_flat_workgroup_size: 1024
  .end_amdgpu_metadata
