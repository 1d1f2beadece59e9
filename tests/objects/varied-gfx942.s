	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
	.text
	.protected	numbers
	.globl	numbers
	.p2align	8
	.type	numbers,@function
numbers:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	v_lshlrev_b32_e32 v14, 2, v0
	v_add_u32_e32 v1, 1, v0
	v_add_u32_e32 v8, 2, v0
	v_lshlrev_b32_e32 v2, 2, v1
	v_lshlrev_b32_e32 v3, 2, v8
	s_waitcnt lgkmcnt(0)
	global_load_dword v15, v14, s[4:5]
	global_load_dword v16, v2, s[4:5]
	global_load_dword v17, v3, s[4:5]
	global_load_dword v18, v14, s[4:5] offset:12
	v_lshlrev_b32_e32 v19, 3, v0
	v_lshlrev_b32_e32 v10, 3, v1
	global_load_dwordx2 v[2:3], v19, s[10:11]
	global_load_dwordx2 v[4:5], v19, s[6:7]
	global_load_dwordx2 v[6:7], v10, s[6:7]
	v_lshlrev_b32_e32 v20, 1, v0
	v_lshlrev_b32_e32 v0, 1, v1
	v_lshlrev_b32_e32 v8, 3, v8
	global_load_ushort v21, v20, s[8:9]
	global_load_ushort v22, v0, s[8:9]
	s_nop 0
	global_load_dwordx2 v[0:1], v8, s[10:11]
	s_nop 0
	global_load_dwordx2 v[8:9], v8, s[6:7]
	s_nop 0
	global_load_dwordx2 v[10:11], v10, s[10:11]
	s_load_dword s2, s[0:1], 0x20
	s_mov_b32 s3, 0x800000
	s_movk_i32 s12, 0xffe0
	s_waitcnt lgkmcnt(0)
	s_mul_hi_i32 s0, s2, 0x92492493
	s_add_i32 s0, s0, s2
	s_lshr_b32 s1, s0, 31
	s_ashr_i32 s0, s0, 2
	s_add_i32 s0, s0, s1
	v_cvt_f64_i32_e32 v[12:13], s2
	s_ashr_i32 s1, s0, 31
	s_waitcnt vmcnt(10)
	v_fmaak_f32 v15, v15, v16, 0x3dcccccd
	s_waitcnt vmcnt(9)
	v_frexp_exp_i32_f32_e32 v16, v17
	s_waitcnt vmcnt(8)
	v_cmp_gt_f32_e32 vcc, s3, v18
	s_waitcnt vmcnt(7)
	v_xor_b32_e32 v24, v2, v3
	v_ffbh_i32_e32 v25, v3
	v_cndmask_b32_e64 v23, 0, 32, vcc
	s_waitcnt vmcnt(5)
	v_fmac_f64_e32 v[6:7], 0x400a0000, v[4:5]
	v_frexp_exp_i32_f32_e32 v27, v15
	v_ldexp_f32 v18, v18, v23
	s_waitcnt vmcnt(1)
	v_trunc_f64_e32 v[4:5], v[8:9]
	v_ashrrev_i32_e32 v24, 31, v24
	v_mul_f16_e32 v21, v21, v22
	s_waitcnt vmcnt(0)
	v_mad_u64_u32 v[8:9], s[0:1], v10, v2, s[0:1]
	v_mul_lo_u32 v22, v10, v3
	v_mul_lo_u32 v26, v11, v2
	v_add_u32_e32 v25, -1, v25
	v_add_f64 v[6:7], v[6:7], v[12:13]
	v_ldexp_f64 v[10:11], v[4:5], s12
	v_sub_u32_e32 v13, v27, v16
	v_sqrt_f32_e32 v16, v18
	v_add_u32_e32 v18, 32, v24
	global_store_dwordx2 v19, v[6:7], s[6:7]
	v_floor_f64_e32 v[6:7], v[10:11]
	v_min_u32_e32 v10, v25, v18
	v_frexp_mant_f32_e32 v17, v17
	v_lshlrev_b64 v[2:3], v10, v[2:3]
	v_rcp_f32_e32 v17, v17
	v_min_u32_e32 v2, 1, v2
	v_or_b32_e32 v2, v3, v2
	v_cvt_f32_i32_e32 v2, v2
	v_frexp_mant_f32_e32 v15, v15
	v_fmac_f64_e32 v[4:5], 0xc1f00000, v[6:7]
	v_cndmask_b32_e64 v23, 0, -16, vcc
	v_cvt_f32_f16_e32 v12, v21
	v_cvt_u32_f64_e32 v4, v[4:5]
	v_mul_f32_e32 v5, v15, v17
	v_cvt_i32_f64_e32 v6, v[6:7]
	v_sub_u32_e32 v7, 32, v10
	v_ldexp_f32 v3, v5, v13
	v_ldexp_f32 v5, v16, v23
	v_add_f32_e32 v3, v3, v5
	v_ldexp_f32 v2, v2, v7
	v_sub_f32_e32 v2, v3, v2
	v_add_f32_e32 v3, v2, v12
	v_cvt_f16_f32_e32 v3, v3
	v_ashrrev_i64 v[0:1], s2, v[0:1]
	v_add3_u32 v9, v26, v9, v22
	v_xor_b32_e32 v1, v1, v6
	v_xor_b32_e32 v0, v0, v4
	v_lshl_add_u64 v[0:1], v[8:9], 0, v[0:1]
	global_store_dword v14, v2, s[4:5]
	global_store_short v20, v3, s[8:9]
	global_store_dwordx2 v19, v[0:1], s[10:11]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel numbers
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 36
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 28
		.amdhsa_next_free_sgpr 13
		.amdhsa_accum_offset 28
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
	.size	numbers, .Lfunc_end0-numbers

	.set numbers.num_vgpr, 28
	.set numbers.num_agpr, 0
	.set numbers.numbered_sgpr, 13
	.set numbers.num_named_barrier, 0
	.set numbers.private_seg_size, 0
	.set numbers.uses_vcc, 1
	.set numbers.uses_flat_scratch, 0
	.set numbers.has_dyn_sized_stack, 0
	.set numbers.has_recursion, 0
	.set numbers.has_indirect_call, 0
	.protected	__clang_ocl_kern_imp_numbers
	.globl	__clang_ocl_kern_imp_numbers
	.p2align	2
	.type	__clang_ocl_kern_imp_numbers,@function
__clang_ocl_kern_imp_numbers:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_and_b32_e32 v9, 0x3ff, v31
	v_lshlrev_b32_e32 v10, 2, v9
	v_mov_b32_e32 v11, 0
	v_add_u32_e32 v18, 1, v9
	v_lshl_add_u64 v[12:13], v[0:1], 0, v[10:11]
	v_lshlrev_b32_e32 v10, 2, v18
	v_lshl_add_u64 v[14:15], v[0:1], 0, v[10:11]
	global_load_dword v26, v[12:13], off
	global_load_dword v27, v[14:15], off
	v_add_u32_e32 v24, 2, v9
	v_lshlrev_b32_e32 v14, 1, v9
	v_mov_b32_e32 v15, v11
	v_lshlrev_b32_e32 v10, 2, v24
	v_lshl_add_u64 v[14:15], v[4:5], 0, v[14:15]
	v_lshlrev_b32_e32 v16, 1, v18
	v_mov_b32_e32 v17, v11
	v_lshl_add_u64 v[0:1], v[0:1], 0, v[10:11]
	v_lshl_add_u64 v[4:5], v[4:5], 0, v[16:17]
	global_load_ushort v28, v[14:15], off
	global_load_ushort v29, v[4:5], off
	global_load_dword v30, v[0:1], off
	global_load_dword v31, v[12:13], off offset:12
	v_lshlrev_b32_e32 v10, 3, v9
	v_lshl_add_u64 v[0:1], v[6:7], 0, v[10:11]
	global_load_dwordx2 v[4:5], v[0:1], off
	v_lshl_add_u64 v[16:17], v[2:3], 0, v[10:11]
	v_lshlrev_b32_e32 v10, 3, v18
	v_lshl_add_u64 v[18:19], v[2:3], 0, v[10:11]
	global_load_dwordx2 v[20:21], v[16:17], off
	s_nop 0
	global_load_dwordx2 v[18:19], v[18:19], off
	v_lshl_add_u64 v[22:23], v[6:7], 0, v[10:11]
	v_lshlrev_b32_e32 v10, 3, v24
	v_lshl_add_u64 v[2:3], v[2:3], 0, v[10:11]
	v_lshl_add_u64 v[6:7], v[6:7], 0, v[10:11]
	global_load_dwordx2 v[2:3], v[2:3], off
	s_mov_b32 s2, 0x92492493
	global_load_dwordx2 v[22:23], v[22:23], off
	v_mul_hi_i32 v9, v8, s2
	global_load_dwordx2 v[6:7], v[6:7], off
	v_add_u32_e32 v9, v9, v8
	s_mov_b32 s0, 0x800000
	v_lshrrev_b32_e32 v24, 31, v9
	v_ashrrev_i32_e32 v9, 2, v9
	v_add_u32_e32 v24, v9, v24
	v_cvt_f64_i32_e32 v[10:11], v8
	s_movk_i32 s1, 0xffe0
	v_ashrrev_i32_e32 v25, 31, v24
	s_waitcnt vmcnt(10)
	v_fmaak_f32 v9, v26, v27, 0x3dcccccd
	s_waitcnt vmcnt(8)
	v_mul_f16_e32 v26, v28, v29
	s_waitcnt vmcnt(7)
	v_frexp_exp_i32_f32_e32 v27, v30
	s_waitcnt vmcnt(6)
	v_cmp_gt_f32_e32 vcc, s0, v31
	v_frexp_mant_f32_e32 v28, v30
	v_frexp_exp_i32_f32_e32 v29, v9
	v_frexp_mant_f32_e32 v30, v9
	v_cndmask_b32_e64 v9, 0, 32, vcc
	v_ldexp_f32 v9, v31, v9
	s_waitcnt vmcnt(5)
	v_xor_b32_e32 v31, v4, v5
	v_ffbh_i32_e32 v32, v5
	v_sqrt_f32_e32 v33, v9
	v_ashrrev_i32_e32 v9, 31, v31
	v_add_u32_e32 v31, -1, v32
	s_waitcnt vmcnt(3)
	v_fmac_f64_e32 v[18:19], 0x400a0000, v[20:21]
	v_add_u32_e32 v9, 32, v9
	v_add_f64 v[10:11], v[18:19], v[10:11]
	v_min_u32_e32 v18, v31, v9
	global_store_dwordx2 v[16:17], v[10:11], off
	v_lshlrev_b64 v[10:11], v18, v[4:5]
	v_rcp_f32_e32 v28, v28
	v_min_u32_e32 v10, 1, v10
	v_or_b32_e32 v10, v11, v10
	s_waitcnt vmcnt(3)
	v_trunc_f64_e32 v[2:3], v[2:3]
	v_cvt_f32_i32_e32 v10, v10
	s_waitcnt vmcnt(1)
	v_ashrrev_i64 v[6:7], v8, v[6:7]
	v_ldexp_f64 v[8:9], v[2:3], s1
	v_cvt_f32_f16_e32 v26, v26
	v_sub_u32_e32 v27, v29, v27
	v_cndmask_b32_e64 v29, 0, -16, vcc
	v_mul_f32_e32 v16, v30, v28
	v_floor_f64_e32 v[8:9], v[8:9]
	v_mul_lo_u32 v20, v22, v5
	v_sub_u32_e32 v5, 32, v18
	v_ldexp_f32 v16, v16, v27
	v_ldexp_f32 v17, v33, v29
	v_fmac_f64_e32 v[2:3], 0xc1f00000, v[8:9]
	v_cvt_i32_f64_e32 v8, v[8:9]
	v_add_f32_e32 v9, v16, v17
	v_cvt_u32_f64_e32 v2, v[2:3]
	v_ldexp_f32 v3, v10, v5
	v_sub_f32_e32 v5, v9, v3
	v_add_f32_e32 v3, v5, v26
	v_cvt_f16_f32_e32 v9, v3
	v_mul_lo_u32 v21, v23, v4
	global_store_dword v[12:13], v5, off
	global_store_short v[14:15], v9, off
	v_mad_u64_u32 v[4:5], s[0:1], v22, v4, v[24:25]
	v_xor_b32_e32 v3, v7, v8
	v_xor_b32_e32 v2, v6, v2
	v_add3_u32 v5, v21, v5, v20
	v_lshl_add_u64 v[2:3], v[4:5], 0, v[2:3]
	global_store_dwordx2 v[0:1], v[2:3], off
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_numbers, .Lfunc_end1-__clang_ocl_kern_imp_numbers

	.set __clang_ocl_kern_imp_numbers.num_vgpr, 34
	.set __clang_ocl_kern_imp_numbers.num_agpr, 0
	.set __clang_ocl_kern_imp_numbers.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_numbers.num_named_barrier, 0
	.set __clang_ocl_kern_imp_numbers.private_seg_size, 0
	.set __clang_ocl_kern_imp_numbers.uses_vcc, 1
	.set __clang_ocl_kern_imp_numbers.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_numbers.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_numbers.has_recursion, 0
	.set __clang_ocl_kern_imp_numbers.has_indirect_call, 0
	.protected	memory
	.globl	memory
	.p2align	8
	.type	memory,@function
memory:
	s_load_dword s30, s[0:1], 0x14
	s_mov_b32 s2, 0
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v15, 0
	s_waitcnt lgkmcnt(0)
	s_mov_b32 s31, s30
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v2, 0
	s_mov_b32 s3, 0
.LBB2_1:
	v_mov_b32_e32 v1, s2
	s_add_i32 s2, s2, s30
	s_set_gpr_idx_on s3, gpr_idx(DST)
	v_mov_b32_e32 v2, v1
	s_set_gpr_idx_off
	s_add_i32 s3, s3, 1
	s_cmp_eq_u32 s3, 16
	s_cbranch_scc0 .LBB2_1
	s_load_dword s33, s[0:1], 0x10
	s_cmp_lt_i32 s30, 1
	s_cbranch_scc1 .LBB2_5
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	s_mov_b32 s34, s33
.LBB2_4:
	v_and_b32_e32 v19, 15, v1
	v_cmp_eq_u32_e32 vcc, 1, v19
	v_cmp_eq_u32_e64 s[2:3], 2, v19
	v_cmp_eq_u32_e64 s[4:5], 3, v19
	v_cndmask_b32_e32 v20, v2, v3, vcc
	v_cndmask_b32_e64 v20, v20, v4, s[2:3]
	v_cndmask_b32_e64 v20, v20, v5, s[4:5]
	v_cmp_eq_u32_e64 s[6:7], 4, v19
	v_cmp_eq_u32_e64 s[8:9], 5, v19
	v_cmp_eq_u32_e64 s[10:11], 6, v19
	v_cndmask_b32_e64 v20, v20, v6, s[6:7]
	v_cndmask_b32_e64 v20, v20, v7, s[8:9]
	v_cndmask_b32_e64 v20, v20, v8, s[10:11]
	v_cmp_eq_u32_e64 s[12:13], 7, v19
	v_cmp_eq_u32_e64 s[14:15], 8, v19
	v_cmp_eq_u32_e64 s[16:17], 9, v19
	v_cndmask_b32_e64 v20, v20, v9, s[12:13]
	v_cndmask_b32_e64 v20, v20, v10, s[14:15]
	v_cndmask_b32_e64 v20, v20, v11, s[16:17]
	v_cmp_eq_u32_e64 s[18:19], 10, v19
	v_mov_b32_e32 v18, s34
	v_cmp_eq_u32_e64 s[20:21], 11, v19
	v_cndmask_b32_e64 v20, v20, v12, s[18:19]
	ds_read_b32 v18, v18
	v_cndmask_b32_e64 v20, v20, v13, s[20:21]
	v_cmp_eq_u32_e64 s[22:23], 12, v19
	v_cmp_eq_u32_e64 s[24:25], 13, v19
	v_cmp_eq_u32_e64 s[26:27], 14, v19
	v_cndmask_b32_e64 v20, v20, v14, s[22:23]
	v_cndmask_b32_e64 v20, v20, v15, s[24:25]
	v_cndmask_b32_e64 v20, v20, v16, s[26:27]
	v_cmp_eq_u32_e64 s[28:29], 15, v19
	s_add_i32 s34, s34, 4
	s_add_i32 s31, s31, -1
	v_cndmask_b32_e64 v20, v20, v17, s[28:29]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v18, v18, v20
	v_cndmask_b32_e32 v3, v3, v18, vcc
	v_cmp_eq_u32_e32 vcc, 0, v19
	v_cndmask_b32_e64 v17, v17, v18, s[28:29]
	v_cndmask_b32_e64 v16, v16, v18, s[26:27]
	v_cndmask_b32_e64 v15, v15, v18, s[24:25]
	v_cndmask_b32_e64 v14, v14, v18, s[22:23]
	v_cndmask_b32_e64 v13, v13, v18, s[20:21]
	v_cndmask_b32_e64 v12, v12, v18, s[18:19]
	v_cndmask_b32_e64 v11, v11, v18, s[16:17]
	v_cndmask_b32_e64 v10, v10, v18, s[14:15]
	v_cndmask_b32_e64 v9, v9, v18, s[12:13]
	v_cndmask_b32_e64 v8, v8, v18, s[10:11]
	v_cndmask_b32_e64 v7, v7, v18, s[8:9]
	v_cndmask_b32_e64 v6, v6, v18, s[6:7]
	v_cndmask_b32_e64 v5, v5, v18, s[4:5]
	v_cndmask_b32_e64 v4, v4, v18, s[2:3]
	v_cndmask_b32_e32 v2, v2, v18, vcc
	s_cmp_lg_u32 s31, 0
	v_add_u32_e32 v1, v1, v0
	s_cbranch_scc1 .LBB2_4
.LBB2_5:
	s_load_dwordx2 s[2:3], s[0:1], 0x8
	s_and_b32 s6, s30, 15
	v_mul_u32_u24_e32 v1, 3, v0
	s_set_gpr_idx_on s6, gpr_idx(SRC0)
	v_mov_b32_e32 v2, v2
	s_set_gpr_idx_off
	v_sub_u32_e32 v4, s30, v0
	s_waitcnt lgkmcnt(0)
	global_load_ubyte v1, v1, s[2:3]
	v_lshl_add_u32 v3, v0, 2, s33
	v_lshl_add_u32 v4, v4, 2, s33
	s_mov_b64 s[4:5], exec
	s_mov_b32 s6, 0
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v1, v2, v1
	ds_write_b32 v3, v1
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v4
.LBB2_6:
	s_ff1_i32_b64 s7, s[4:5]
	s_waitcnt lgkmcnt(0)
	v_readlane_b32 s8, v1, s7
	s_add_i32 s6, s6, s8
	s_lshl_b64 s[8:9], 1, s7
	s_andn2_b64 s[4:5], s[4:5], s[8:9]
	s_cbranch_scc1 .LBB2_6
	s_load_dwordx2 s[0:1], s[0:1], 0x0
	v_mbcnt_lo_u32_b32 v1, exec_lo, 0
	v_mbcnt_hi_u32_b32 v1, exec_hi, v1
	v_cmp_eq_u32_e32 vcc, 0, v1
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[4:5], exec, s[4:5]
	s_cbranch_execz .LBB2_9
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, s6
	buffer_wbl2 sc1
	s_waitcnt lgkmcnt(0)
	global_atomic_add v1, v2, s[0:1]
	s_waitcnt vmcnt(0)
	buffer_inv sc1
.LBB2_9:
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	global_atomic_swap v1, v1, v0, s[0:1] offset:8 sc0
	v_mbcnt_lo_u32_b32 v2, exec_lo, 0
	v_mbcnt_hi_u32_b32 v2, exec_hi, v2
	v_cmp_eq_u32_e32 vcc, 0, v2
	s_and_saveexec_b64 s[4:5], vcc
	v_mov_b32_e32 v2, s33
	v_mov_b32_e32 v3, s30
	ds_max_rtn_i32 v2, v2, v3
	s_or_b64 exec, exec, s[4:5]
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s4, v2
	v_mov_b32_e32 v2, s30
	v_bfrev_b32_e32 v3, 1
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_max_i32_e32 v2, s4, v2
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v1, v2, v1
	v_lshlrev_b32_e32 v2, 2, v0
	global_store_dword v2, v1, s[0:1] offset:4
	v_mov_b32_e32 v1, 0x1000
	global_store_byte v1, v0, s[2:3] offset:3
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel memory
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 21
		.amdhsa_next_free_sgpr 35
		.amdhsa_accum_offset 24
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end2:
	.size	memory, .Lfunc_end2-memory

	.set memory.num_vgpr, 21
	.set memory.num_agpr, 0
	.set memory.numbered_sgpr, 35
	.set memory.num_named_barrier, 0
	.set memory.private_seg_size, 0
	.set memory.uses_vcc, 1
	.set memory.uses_flat_scratch, 0
	.set memory.has_dyn_sized_stack, 0
	.set memory.has_recursion, 0
	.set memory.has_indirect_call, 0
	.protected	__clang_ocl_kern_imp_memory
	.globl	__clang_ocl_kern_imp_memory
	.p2align	2
	.type	__clang_ocl_kern_imp_memory,@function
__clang_ocl_kern_imp_memory:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v7, v6
	v_mov_b32_e32 v8, v6
	v_mov_b32_e32 v9, v6
	v_mov_b32_e32 v10, v6
	v_mov_b32_e32 v11, v6
	v_mov_b32_e32 v12, v6
	v_mov_b32_e32 v13, v6
	v_mov_b32_e32 v14, v6
	v_mov_b32_e32 v15, v6
	v_mov_b32_e32 v16, v6
	v_mov_b32_e32 v17, v6
	v_mov_b32_e32 v18, v6
	v_mov_b32_e32 v19, v6
	v_mov_b32_e32 v20, v6
	v_mov_b32_e32 v21, v6
.LBB3_1:
	s_mov_b64 s[0:1], exec
.LBB3_2:
	v_readfirstlane_b32 s2, v23
	s_nop 1
	v_cmp_eq_u32_e32 vcc, s2, v23
	s_and_saveexec_b64 vcc, vcc
	s_set_gpr_idx_on s2, gpr_idx(DST)
	v_mov_b32_e32 v6, v22
	s_set_gpr_idx_off
	s_xor_b64 exec, exec, vcc
	s_cbranch_execnz .LBB3_2
	s_mov_b64 exec, s[0:1]
	v_add_u32_e32 v23, 1, v23
	v_cmp_eq_u32_e32 vcc, 16, v23
	v_add_u32_e32 v22, v22, v5
	s_cbranch_vccz .LBB3_1
	v_and_b32_e32 v22, 0x3ff, v31
	v_cmp_lt_i32_e32 vcc, 0, v5
	s_and_saveexec_b64 s[28:29], vcc
	s_cbranch_execz .LBB3_8
	s_mov_b64 s[40:41], 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v24, v4
	v_mov_b32_e32 v25, v5
.LBB3_6:
	v_and_b32_e32 v27, 15, v23
	v_cmp_eq_u32_e32 vcc, 1, v27
	v_cmp_eq_u32_e64 s[0:1], 2, v27
	v_cmp_eq_u32_e64 s[2:3], 3, v27
	v_cndmask_b32_e32 v28, v6, v7, vcc
	v_cndmask_b32_e64 v28, v28, v8, s[0:1]
	v_cndmask_b32_e64 v28, v28, v9, s[2:3]
	v_cmp_eq_u32_e64 s[4:5], 4, v27
	v_cmp_eq_u32_e64 s[6:7], 5, v27
	v_cmp_eq_u32_e64 s[8:9], 6, v27
	v_cndmask_b32_e64 v28, v28, v10, s[4:5]
	v_cndmask_b32_e64 v28, v28, v11, s[6:7]
	v_cndmask_b32_e64 v28, v28, v12, s[8:9]
	v_cmp_eq_u32_e64 s[10:11], 7, v27
	v_cmp_eq_u32_e64 s[12:13], 8, v27
	v_cmp_eq_u32_e64 s[14:15], 9, v27
	v_cndmask_b32_e64 v28, v28, v13, s[10:11]
	v_cndmask_b32_e64 v28, v28, v14, s[12:13]
	v_cndmask_b32_e64 v28, v28, v15, s[14:15]
	v_cmp_eq_u32_e64 s[16:17], 10, v27
	v_cmp_eq_u32_e64 s[18:19], 11, v27
	ds_read_b32 v26, v24
	v_cndmask_b32_e64 v28, v28, v16, s[16:17]
	v_cndmask_b32_e64 v28, v28, v17, s[18:19]
	v_cmp_eq_u32_e64 s[20:21], 12, v27
	v_cmp_eq_u32_e64 s[22:23], 13, v27
	v_cmp_eq_u32_e64 s[24:25], 14, v27
	v_cndmask_b32_e64 v28, v28, v18, s[20:21]
	v_cndmask_b32_e64 v28, v28, v19, s[22:23]
	v_cndmask_b32_e64 v28, v28, v20, s[24:25]
	v_cmp_eq_u32_e64 s[26:27], 15, v27
	v_add_u32_e32 v25, -1, v25
	v_add_u32_e32 v23, v23, v22
	v_cndmask_b32_e64 v28, v28, v21, s[26:27]
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v26, v26, v28
	v_cndmask_b32_e32 v7, v7, v26, vcc
	v_cmp_eq_u32_e32 vcc, 0, v27
	v_cndmask_b32_e64 v21, v21, v26, s[26:27]
	v_cndmask_b32_e64 v20, v20, v26, s[24:25]
	v_cndmask_b32_e32 v6, v6, v26, vcc
	v_cmp_eq_u32_e32 vcc, 0, v25
	v_cndmask_b32_e64 v19, v19, v26, s[22:23]
	v_cndmask_b32_e64 v18, v18, v26, s[20:21]
	v_cndmask_b32_e64 v17, v17, v26, s[18:19]
	v_cndmask_b32_e64 v16, v16, v26, s[16:17]
	v_cndmask_b32_e64 v15, v15, v26, s[14:15]
	v_cndmask_b32_e64 v14, v14, v26, s[12:13]
	v_cndmask_b32_e64 v13, v13, v26, s[10:11]
	v_cndmask_b32_e64 v12, v12, v26, s[8:9]
	v_cndmask_b32_e64 v11, v11, v26, s[6:7]
	v_cndmask_b32_e64 v10, v10, v26, s[4:5]
	v_cndmask_b32_e64 v9, v9, v26, s[2:3]
	v_cndmask_b32_e64 v8, v8, v26, s[0:1]
	s_or_b64 s[40:41], vcc, s[40:41]
	v_add_u32_e32 v24, 4, v24
	s_andn2_b64 exec, exec, s[40:41]
	s_cbranch_execnz .LBB3_6
	s_or_b64 exec, exec, s[40:41]
.LBB3_8:
	s_or_b64 exec, exec, s[28:29]
	v_mul_u32_u24_e32 v24, 3, v22
	v_mov_b32_e32 v25, 0
	v_lshl_add_u64 v[26:27], v[2:3], 0, v[24:25]
	global_load_ubyte v23, v[26:27], off
	v_and_b32_e32 v26, 15, v5
	v_cmp_eq_u32_e32 vcc, 1, v26
	v_sub_u32_e32 v27, v5, v22
	v_lshlrev_b32_e32 v24, 2, v22
	v_cndmask_b32_e32 v6, v6, v7, vcc
	v_cmp_eq_u32_e32 vcc, 2, v26
	v_lshl_add_u32 v7, v27, 2, v4
	s_movk_i32 s0, 0x1000
	v_cndmask_b32_e32 v6, v6, v8, vcc
	v_cmp_eq_u32_e32 vcc, 3, v26
	v_add_u32_e32 v8, v4, v24
	s_nop 0
	v_cndmask_b32_e32 v6, v6, v9, vcc
	v_cmp_eq_u32_e32 vcc, 4, v26
	s_nop 1
	v_cndmask_b32_e32 v6, v6, v10, vcc
	v_cmp_eq_u32_e32 vcc, 5, v26
	s_nop 1
	v_cndmask_b32_e32 v6, v6, v11, vcc
	v_cmp_eq_u32_e32 vcc, 6, v26
	s_nop 1
	v_cndmask_b32_e32 v6, v6, v12, vcc
	v_cmp_eq_u32_e32 vcc, 7, v26
	s_nop 1
	v_cndmask_b32_e32 v6, v6, v13, vcc
	v_cmp_eq_u32_e32 vcc, 8, v26
	s_nop 1
	v_cndmask_b32_e32 v6, v6, v14, vcc
	v_cmp_eq_u32_e32 vcc, 9, v26
	s_nop 1
	v_cndmask_b32_e32 v6, v6, v15, vcc
	v_cmp_eq_u32_e32 vcc, 10, v26
	s_nop 1
	v_cndmask_b32_e32 v6, v6, v16, vcc
	v_cmp_eq_u32_e32 vcc, 11, v26
	s_nop 1
	v_cndmask_b32_e32 v6, v6, v17, vcc
	v_cmp_eq_u32_e32 vcc, 12, v26
	s_nop 1
	v_cndmask_b32_e32 v6, v6, v18, vcc
	v_cmp_eq_u32_e32 vcc, 13, v26
	s_nop 1
	v_cndmask_b32_e32 v6, v6, v19, vcc
	v_cmp_eq_u32_e32 vcc, 14, v26
	s_nop 1
	v_cndmask_b32_e32 v6, v6, v20, vcc
	v_cmp_eq_u32_e32 vcc, 15, v26
	s_nop 1
	v_cndmask_b32_e32 v6, v6, v21, vcc
	v_add_co_u32_e32 v2, vcc, s0, v2
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v6, v6, v23
	ds_write_b32 v8, v6
	v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v6, v7
	buffer_wbl2 sc1
	s_waitcnt lgkmcnt(0)
	global_atomic_add v[0:1], v6, off
	s_waitcnt vmcnt(0)
	buffer_inv sc1
	global_atomic_swap v6, v[0:1], v22, off offset:8 sc0
	ds_max_rtn_i32 v4, v4, v5
	v_lshl_add_u64 v[0:1], v[0:1], 0, v[24:25]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32_e32 v4, v4, v6
	global_store_dword v[0:1], v4, off offset:4
	global_store_byte v[2:3], v22, off offset:3
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end3:
	.size	__clang_ocl_kern_imp_memory, .Lfunc_end3-__clang_ocl_kern_imp_memory

	.set __clang_ocl_kern_imp_memory.num_vgpr, 32
	.set __clang_ocl_kern_imp_memory.num_agpr, 0
	.set __clang_ocl_kern_imp_memory.numbered_sgpr, 42
	.set __clang_ocl_kern_imp_memory.num_named_barrier, 0
	.set __clang_ocl_kern_imp_memory.private_seg_size, 0
	.set __clang_ocl_kern_imp_memory.uses_vcc, 1
	.set __clang_ocl_kern_imp_memory.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_memory.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_memory.has_recursion, 0
	.set __clang_ocl_kern_imp_memory.has_indirect_call, 0
	.protected	lanes
	.globl	lanes
	.p2align	8
	.type	lanes,@function
lanes:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_load_dword s10, s[0:1], 0x8
	v_lshlrev_b32_e32 v2, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v2, s[2:3]
	v_mov_b32_e32 v3, s10
	s_waitcnt vmcnt(0)
	ds_bpermute_b32 v0, v0, v1
	v_readlane_b32 s0, v1, s10
	v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0x5 bank_mask:0xf
	s_waitcnt lgkmcnt(0)
	v_add3_u32 v0, v0, s0, v3
	v_cmp_gt_i32_e32 vcc, 4, v0
	global_store_dword v2, v0, s[2:3]
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	s_cbranch_execnz .LBB4_3
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execnz .LBB4_15
.LBB4_2:
	s_endpgm
.LBB4_3:
	s_cmp_lt_i32 s10, 9
	s_mov_b64 s[4:5], 0
	s_cbranch_scc1 .LBB4_6
	s_cmp_eq_u32 s10, 9
	s_cbranch_scc0 .LBB4_7
	v_bfe_u32 v0, v1, 3, 5
	s_mov_b64 s[6:7], 0
	s_branch .LBB4_8
.LBB4_6:
	s_mov_b64 s[6:7], 0
	s_cbranch_execnz .LBB4_9
	s_branch .LBB4_10
.LBB4_7:
	s_mov_b64 s[6:7], -1
.LBB4_8:
	s_branch .LBB4_10
.LBB4_9:
	s_cmp_lg_u32 s10, 0
	s_mov_b64 s[4:5], -1
	s_cselect_b64 s[6:7], -1, 0
.LBB4_10:
	s_andn2_b64 vcc, exec, s[6:7]
	s_mov_b64 s[6:7], 8
	s_cbranch_vccnz .LBB4_12
	s_memtime s[8:9]
	s_mov_b64 s[4:5], 0
	s_mov_b64 s[6:7], 12
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v0, s8
.LBB4_12:
	s_andn2_b64 vcc, exec, s[4:5]
	s_cbranch_vccnz .LBB4_14
	v_mov_b32_e32 v0, 0x5010400
	v_perm_b32 v0, v1, 0, v0
	s_mov_b64 s[6:7], 4
.LBB4_14:
	s_add_u32 s2, s2, s6
	s_addc_u32 s3, s3, s7
	v_mov_b32_e32 v1, 0
	global_store_dword v1, v0, s[2:3]
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB4_2
.LBB4_15:
	s_trap 2
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel lanes
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 12
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 11
		.amdhsa_accum_offset 4
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end4:
	.size	lanes, .Lfunc_end4-lanes

	.set lanes.num_vgpr, 4
	.set lanes.num_agpr, 0
	.set lanes.numbered_sgpr, 11
	.set lanes.num_named_barrier, 0
	.set lanes.private_seg_size, 0
	.set lanes.uses_vcc, 1
	.set lanes.uses_flat_scratch, 0
	.set lanes.has_dyn_sized_stack, 0
	.set lanes.has_recursion, 0
	.set lanes.has_indirect_call, 0
	.protected	__clang_ocl_kern_imp_lanes
	.globl	__clang_ocl_kern_imp_lanes
	.p2align	2
	.type	__clang_ocl_kern_imp_lanes,@function
__clang_ocl_kern_imp_lanes:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_and_b32_e32 v3, 0x3ff, v31
	v_lshlrev_b32_e32 v4, 2, v3
	v_mov_b32_e32 v5, 0
	v_lshl_add_u64 v[6:7], v[0:1], 0, v[4:5]
	global_load_dword v4, v[6:7], off
	v_readfirstlane_b32 s0, v2
	v_mov_b32_e32 v5, v2
	s_waitcnt vmcnt(0)
	ds_bpermute_b32 v3, v3, v4
	s_nop 0
	v_readlane_b32 s0, v4, s0
	v_mov_b32_dpp v5, v4 row_shr:1 row_mask:0x5 bank_mask:0xf
	s_waitcnt lgkmcnt(0)
	v_add3_u32 v3, v3, s0, v5
	v_cmp_gt_i32_e32 vcc, 4, v3
	global_store_dword v[6:7], v3, off
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	s_cbranch_execnz .LBB5_3
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execnz .LBB5_14
.LBB5_2:
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.LBB5_3:
	v_cmp_lt_i32_e32 vcc, 8, v2
	s_mov_b64 s[2:3], 0
	s_mov_b64 s[4:5], 0
	s_and_saveexec_b64 s[6:7], vcc
	s_xor_b64 s[6:7], exec, s[6:7]
	s_cbranch_execz .LBB5_7
	v_cmp_eq_u32_e32 vcc, 9, v2
	s_mov_b64 s[4:5], -1
	s_and_saveexec_b64 s[8:9], vcc
	v_bfe_u32 v5, v4, 3, 5
	s_xor_b64 s[4:5], exec, -1
	s_or_b64 exec, exec, s[8:9]
	s_and_b64 s[4:5], s[4:5], exec
.LBB5_7:
	s_andn2_saveexec_b64 s[6:7], s[6:7]
	v_cmp_ne_u32_e32 vcc, 0, v2
	s_andn2_b64 s[4:5], s[4:5], exec
	s_and_b64 s[8:9], vcc, exec
	s_mov_b64 s[2:3], exec
	s_or_b64 s[4:5], s[4:5], s[8:9]
	s_or_b64 exec, exec, s[6:7]
	v_mov_b64_e32 v[2:3], 8
	s_and_saveexec_b64 s[6:7], s[4:5]
	s_xor_b64 s[4:5], exec, s[6:7]
	s_cbranch_execz .LBB5_11
	s_memtime s[6:7]
	v_mov_b64_e32 v[2:3], 12
	s_andn2_b64 s[2:3], s[2:3], exec
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v5, s6
.LBB5_11:
	s_or_b64 exec, exec, s[4:5]
	s_and_saveexec_b64 s[4:5], s[2:3]
	v_mov_b32_e32 v2, 0x5010400
	v_perm_b32 v5, v4, 0, v2
	v_mov_b64_e32 v[2:3], 4
	s_or_b64 exec, exec, s[4:5]
	v_lshl_add_u64 v[0:1], v[0:1], 0, v[2:3]
	global_store_dword v[0:1], v5, off
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB5_2
.LBB5_14:
	s_trap 2
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end5:
	.size	__clang_ocl_kern_imp_lanes, .Lfunc_end5-__clang_ocl_kern_imp_lanes

	.set __clang_ocl_kern_imp_lanes.num_vgpr, 32
	.set __clang_ocl_kern_imp_lanes.num_agpr, 0
	.set __clang_ocl_kern_imp_lanes.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_lanes.num_named_barrier, 0
	.set __clang_ocl_kern_imp_lanes.private_seg_size, 0
	.set __clang_ocl_kern_imp_lanes.uses_vcc, 1
	.set __clang_ocl_kern_imp_lanes.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_lanes.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_lanes.has_recursion, 0
	.set __clang_ocl_kern_imp_lanes.has_indirect_call, 0
	.protected	matrix
	.globl	matrix
	.p2align	8
	.type	matrix,@function
matrix:
	s_load_dwordx4 s[0:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 3, v0
	v_lshlrev_b32_e32 v4, 4, v0
	s_waitcnt lgkmcnt(0)
	global_load_dwordx4 v[6:9], v1, s[2:3]
	s_nop 0
	global_load_dwordx4 v[0:3], v4, s[0:1]
	s_waitcnt vmcnt(0)
	v_mfma_f32_16x16x16_f16 v[0:3], v[6:7], v[8:9], v[0:3] cbsz:1 abid:2 blgp:3
	s_nop 6
	global_store_dwordx4 v4, v[0:3], s[0:1]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel matrix
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 10
		.amdhsa_next_free_sgpr 4
		.amdhsa_accum_offset 12
		.amdhsa_reserve_vcc 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end6:
	.size	matrix, .Lfunc_end6-matrix

	.set matrix.num_vgpr, 10
	.set matrix.num_agpr, 0
	.set matrix.numbered_sgpr, 4
	.set matrix.num_named_barrier, 0
	.set matrix.private_seg_size, 0
	.set matrix.uses_vcc, 0
	.set matrix.uses_flat_scratch, 0
	.set matrix.has_dyn_sized_stack, 0
	.set matrix.has_recursion, 0
	.set matrix.has_indirect_call, 0
	.protected	__clang_ocl_kern_imp_matrix
	.globl	__clang_ocl_kern_imp_matrix
	.p2align	2
	.type	__clang_ocl_kern_imp_matrix,@function
__clang_ocl_kern_imp_matrix:
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	v_and_b32_e32 v6, 0x3ff, v31
	v_lshlrev_b32_e32 v4, 3, v6
	v_mov_b32_e32 v5, 0
	v_lshl_add_u64 v[2:3], v[2:3], 0, v[4:5]
	global_load_dwordx4 v[8:11], v[2:3], off
	v_lshlrev_b32_e32 v4, 4, v6
	v_lshl_add_u64 v[4:5], v[0:1], 0, v[4:5]
	global_load_dwordx4 v[0:3], v[4:5], off
	s_waitcnt vmcnt(0)
	v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3] cbsz:1 abid:2 blgp:3
	s_nop 6
	global_store_dwordx4 v[4:5], v[0:3], off
	s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
.Lfunc_end7:
	.size	__clang_ocl_kern_imp_matrix, .Lfunc_end7-__clang_ocl_kern_imp_matrix

	.set __clang_ocl_kern_imp_matrix.num_vgpr, 32
	.set __clang_ocl_kern_imp_matrix.num_agpr, 0
	.set __clang_ocl_kern_imp_matrix.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_matrix.num_named_barrier, 0
	.set __clang_ocl_kern_imp_matrix.private_seg_size, 0
	.set __clang_ocl_kern_imp_matrix.uses_vcc, 0
	.set __clang_ocl_kern_imp_matrix.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_matrix.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_matrix.has_recursion, 0
	.set __clang_ocl_kern_imp_matrix.has_indirect_call, 0
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 34
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 42
	.set amdgpu.max_num_named_barrier, 0
	.text
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .type_name:      'double*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .type_name:      'half*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         24
        .size:           8
        .type_name:      'long*'
        .value_kind:     global_buffer
      - .offset:         32
        .size:           4
        .type_name:      int
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 36
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           numbers
    .private_segment_fixed_size: 0
    .sgpr_count:     19
    .sgpr_spill_count: 0
    .symbol:         numbers.kd
    .uses_dynamic_stack: false
    .vgpr_count:     28
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .type_name:      'uchar*'
        .value_kind:     global_buffer
      - .address_space:  local
        .offset:         16
        .pointee_align:  4
        .size:           4
        .type_name:      'int*'
        .value_kind:     dynamic_shared_pointer
      - .offset:         20
        .size:           4
        .type_name:      int
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           memory
    .private_segment_fixed_size: 0
    .sgpr_count:     41
    .sgpr_spill_count: 0
    .symbol:         memory.kd
    .uses_dynamic_stack: false
    .vgpr_count:     21
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .type_name:      int
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 12
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           lanes
    .private_segment_fixed_size: 0
    .sgpr_count:     17
    .sgpr_spill_count: 0
    .symbol:         lanes.kd
    .uses_dynamic_stack: false
    .vgpr_count:     4
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'float4_*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .type_name:      'half4_*'
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           matrix
    .private_segment_fixed_size: 0
    .sgpr_count:     10
    .sgpr_spill_count: 0
    .symbol:         matrix.kd
    .uses_dynamic_stack: false
    .vgpr_count:     10
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
