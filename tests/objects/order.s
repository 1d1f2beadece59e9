// The order of symbols: a descriptor's parts name them in their own order, not in that of its lines. Local symbols, since those stand as they were named.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
  .amdhsa_code_object_version 5
  .text
  s_endpgm
  .section .rodata,"a",@progbits
  .p2align 6
  .no_dead_strip kept
  .amdhsa_kernel caller
    .amdhsa_reserve_vcc vcc_used
    .amdhsa_next_free_sgpr sgprs
    .amdhsa_next_free_vgpr max(totalnumvgprs(accs, vgprs), 1)
    .amdhsa_accum_offset alignto(max(1, outside_accs), 4)
    .amdhsa_float_denorm_mode_32 denormals
    .amdhsa_uses_dynamic_stack dynamic
    .amdhsa_system_sgpr_workgroup_id_y group_y
    .amdhsa_private_segment_fixed_size private
    .amdhsa_group_segment_fixed_size lds
    .amdhsa_reserve_flat_scratch flat
  .end_amdhsa_kernel
  .text
  .p2align 8
  .local caller
caller:
  s_endpgm
  .set vcc_used, 1
  .set sgprs, 20
  .set vgprs, 24
  .set accs, 3
  .set outside_accs, 8
  .set denormals, 3
  .set dynamic, 1
  .set group_y, 1
  .set private, 16
  .set lds, 64
  .set flat, 0
  .set kept, 5
