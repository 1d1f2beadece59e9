// What a linker must do: distances, a global offset table, addresses in data, symbols of every binding and visibility.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .amdhsa_code_object_version 5
  .text
  .globl add_one
  .p2align 8
  .type add_one,@function
add_one:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_getpc_b64 s[6:7]
  s_add_u32 s6, s6, table@rel32@lo+4
  s_addc_u32 s7, s7, table@rel32@hi+12
  s_getpc_b64 s[8:9]
  s_add_u32 s8, s8, outside@gotpcrel32@lo+4
  s_addc_u32 s9, s9, outside@gotpcrel32@hi+12
  s_getpc_b64 s[10:11]
  s_add_u32 s10, s10, helper@gotpcrel32@lo+4
  s_addc_u32 s11, s11, helper@gotpcrel32@hi+12
  s_cbranch_scc1 later
  s_nop 0
later:
  s_endpgm
.Lend:
  .size add_one, .Lend-add_one
  .globl helper
  .type helper,@function
helper:
  s_setpc_b64 s[30:31]
  .size helper, .-helper
  .weak maybe
maybe:
  s_endpgm
  .hidden buried
  .globl buried
buried:
  s_endpgm
  .protected outside
  .globl outside
  .data
  .p2align 3
outside:
  .quad table
  .quad local_data
  .quad add_one
  .quad helper
  .long 7
local_data:
  .quad outside+8
  .bss
  .globl zeros
  .protected zeros
  .p2align 4
  .type zeros,@object
zeros:
  .zero 40
  .size zeros, 40
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel add_one
    .amdhsa_next_free_vgpr 17
    .amdhsa_next_free_sgpr 32
    .amdhsa_accum_offset 12
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_kernarg_size 8
  .end_amdhsa_kernel
table:
  .long 1, 2, 3, 4
  .section .text.cold,"ax",@progbits
  .globl cold
cold:
  s_endpgm
  .set number, 42
  .globl number2
  .set number2, 43
  .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.kernels:
  - .name: add_one
    .symbol: add_one.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 0x28
    .vgpr_count: 17
    .max_flat_workgroup_size: 1024
    .args:
      - { .name: p, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .is_const: true }
  .end_amdgpu_metadata
