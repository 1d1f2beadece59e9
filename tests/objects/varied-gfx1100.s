	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 6
	.text
	.protected	numbers
	.globl	numbers
	.p2align	8
	.type	numbers,@function
numbers:
	s_load_b256 s[4:11], s[0:1], 0x0
	v_add_nc_u32_e32 v10, 1, v0
	v_add_nc_u32_e32 v9, 2, v0
	v_lshlrev_b32_e32 v18, 2, v0
	v_lshlrev_b32_e32 v17, 3, v0
	v_lshlrev_b32_e32 v23, 1, v0
	v_lshlrev_b32_e32 v13, 2, v10
	v_lshlrev_b32_e32 v11, 3, v9
	v_lshlrev_b32_e32 v9, 2, v9
	s_load_b32 s2, s[0:1], 0x20
	s_waitcnt lgkmcnt(0)
	s_clause 0x3
	global_load_b32 v19, v18, s[4:5]
	global_load_b32 v20, v13, s[4:5]
	global_load_b32 v21, v9, s[4:5]
	global_load_b32 v22, v18, s[4:5] offset:12
	global_load_b64 v[1:2], v11, s[6:7]
	v_lshlrev_b32_e32 v12, 3, v10
	v_lshlrev_b32_e32 v9, 1, v10
	v_cvt_f64_i32_e32 v[15:16], s2
	s_mul_hi_i32 s0, s2, 0x92492493
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_add_i32 s0, s0, s2
	s_lshr_b32 s1, s0, 31
	s_ashr_i32 s0, s0, 2
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_add_i32 s0, s0, s1
	s_ashr_i32 s1, s0, 31
	s_waitcnt vmcnt(3)
	v_fmaak_f32 v19, v19, v20, 0x3dcccccd
	s_clause 0x1
	global_load_b64 v[3:4], v17, s[6:7]
	global_load_b64 v[5:6], v12, s[6:7]
	global_load_b64 v[7:8], v17, s[10:11]
	s_clause 0x1
	global_load_d16_b16 v0, v23, s[8:9]
	global_load_d16_hi_b16 v0, v9, s[8:9]
	s_clause 0x1
	global_load_b64 v[9:10], v12, s[10:11]
	global_load_b64 v[11:12], v11, s[10:11]
	s_waitcnt vmcnt(7)
	v_trunc_f64_e32 v[1:2], v[1:2]
	v_frexp_mant_f32_e32 v20, v21
	v_cmp_gt_f32_e32 vcc_lo, 0x800000, v22
	v_frexp_exp_i32_f32_e32 v21, v21
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_rcp_f32_e32 v20, v20
	v_cndmask_b32_e64 v24, 0, 32, vcc_lo
	v_ldexp_f64 v[13:14], v[1:2], 0xffffffe0
	v_floor_f64_e32 v[13:14], v[13:14]
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_fma_f64 v[1:2], v[13:14], 0xc1f00000, v[1:2]
	v_cvt_i32_f64_e32 v13, v[13:14]
	v_ldexp_f32 v14, v22, v24
	v_sqrt_f32_e32 v14, v14
	s_delay_alu instid0(VALU_DEP_3)
	v_cvt_u32_f64_e32 v25, v[1:2]
	s_waitcnt vmcnt(2)
	v_mul_f16_e32 v0.l, v0.l, v0.h
	v_fma_f64 v[3:4], v[3:4], 0x400a0000, v[5:6]
	v_xor_b32_e32 v5, v7, v8
	v_cls_i32_e32 v6, v8
	s_delay_alu instid0(VALU_DEP_4) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_cvt_f32_f16_e32 v0, v0.l
	v_ashrrev_i32_e32 v5, 31, v5
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_add_nc_u32_e32 v6, -1, v6
	v_add_nc_u32_e32 v5, 32, v5
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(VALU_DEP_3)
	v_min_u32_e32 v5, v6, v5
	v_frexp_exp_i32_f32_e32 v6, v19
	v_frexp_mant_f32_e32 v19, v19
	v_lshlrev_b64 v[1:2], v5, v[7:8]
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_3) | instid1(VALU_DEP_4)
	v_sub_nc_u32_e32 v6, v6, v21
	v_sub_nc_u32_e32 v5, 32, v5
	s_waitcnt vmcnt(1)
	v_mul_lo_u32 v8, v9, v8
	v_min_u32_e32 v1, 1, v1
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_or_b32_e32 v1, v2, v1
	v_cvt_f32_i32_e32 v1, v1
	v_add_f64 v[3:4], v[3:4], v[15:16]
	v_mul_f32_e32 v15, v19, v20
	v_cndmask_b32_e64 v16, 0, -16, vcc_lo
	s_delay_alu instid0(VALU_DEP_4) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_ldexp_f32 v5, v1, v5
	v_ldexp_f32 v2, v15, v6
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_ldexp_f32 v6, v14, v16
	v_add_f32_e32 v6, v2, v6
	v_mad_u64_u32 v[1:2], null, v9, v7, s[0:1]
	v_mul_lo_u32 v7, v10, v7
	s_delay_alu instid0(VALU_DEP_3) | instskip(SKIP_2) | instid1(VALU_DEP_2)
	v_sub_f32_e32 v9, v6, v5
	s_waitcnt vmcnt(0)
	v_ashrrev_i64 v[5:6], s2, v[11:12]
	v_add_f32_e32 v0, v9, v0
	s_delay_alu instid0(VALU_DEP_4) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_add3_u32 v2, v7, v2, v8
	v_xor_b32_e32 v5, v5, v25
	s_delay_alu instid0(VALU_DEP_4) | instskip(NEXT) | instid1(VALU_DEP_4)
	v_xor_b32_e32 v6, v6, v13
	v_cvt_f16_f32_e32 v0.l, v0
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_co_u32 v1, vcc_lo, v1, v5
	v_add_co_ci_u32_e64 v2, null, v2, v6, vcc_lo
	global_store_b32 v18, v9, s[4:5]
	global_store_b16 v23, v0, s[8:9]
	s_clause 0x1
	global_store_b64 v17, v[3:4], s[6:7]
	global_store_b64 v17, v[1:2], s[10:11]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel numbers
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 36
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 26
		.amdhsa_next_free_sgpr 12
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
		.amdhsa_inst_pref_size 5
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

	.set numbers.num_vgpr, 26
	.set numbers.num_agpr, 0
	.set numbers.numbered_sgpr, 12
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
	v_and_b32_e32 v23, 0x3ff, v31
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_3) | instid1(VALU_DEP_4)
	v_add_nc_u32_e32 v17, 2, v23
	v_add_nc_u32_e32 v24, 1, v23
	v_lshlrev_b32_e32 v15, 3, v23
	v_lshlrev_b32_e32 v19, 2, v23
	v_lshlrev_b32_e32 v25, 3, v17
	s_delay_alu instid0(VALU_DEP_4) | instskip(SKIP_2) | instid1(VALU_DEP_4)
	v_lshlrev_b32_e32 v26, 3, v24
	v_lshlrev_b32_e32 v21, 2, v17
	v_lshlrev_b32_e32 v27, 2, v24
	v_add_co_u32 v9, vcc_lo, v2, v25
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v10, null, 0, v3, vcc_lo
	v_add_co_u32 v11, vcc_lo, v2, v15
	v_add_co_ci_u32_e64 v12, null, 0, v3, vcc_lo
	global_load_b64 v[9:10], v[9:10], off
	v_add_co_u32 v2, vcc_lo, v2, v26
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_4) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v3, null, 0, v3, vcc_lo
	s_clause 0x1
	global_load_b64 v[13:14], v[11:12], off
	global_load_b64 v[2:3], v[2:3], off
	v_add_co_u32 v15, vcc_lo, v6, v15
	v_add_co_ci_u32_e64 v16, null, 0, v7, vcc_lo
	v_add_co_u32 v19, vcc_lo, v0, v19
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v20, null, 0, v1, vcc_lo
	global_load_b64 v[17:18], v[15:16], off
	v_add_co_u32 v21, vcc_lo, v0, v21
	v_add_co_ci_u32_e64 v22, null, 0, v1, vcc_lo
	v_add_co_u32 v0, vcc_lo, v0, v27
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v1, null, 0, v1, vcc_lo
	s_clause 0x3
	global_load_b32 v27, v[21:22], off
	global_load_b32 v28, v[19:20], off offset:12
	global_load_b32 v29, v[0:1], off
	global_load_b32 v30, v[19:20], off
	v_lshlrev_b32_e32 v0, 1, v23
	v_lshlrev_b32_e32 v1, 1, v24
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_co_u32 v21, vcc_lo, v4, v0
	v_add_co_ci_u32_e64 v22, null, 0, v5, vcc_lo
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_co_u32 v4, vcc_lo, v4, v1
	v_add_co_ci_u32_e64 v5, null, 0, v5, vcc_lo
	v_add_co_u32 v23, vcc_lo, v6, v26
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v24, null, 0, v7, vcc_lo
	v_add_co_u32 v6, vcc_lo, v6, v25
	v_add_co_ci_u32_e64 v7, null, 0, v7, vcc_lo
	s_clause 0x1
	global_load_d16_b16 v0, v[21:22], off
	global_load_d16_hi_b16 v0, v[4:5], off
	global_load_b64 v[4:5], v[23:24], off
	v_cvt_f64_i32_e32 v[25:26], v8
	global_load_b64 v[6:7], v[6:7], off
	s_waitcnt vmcnt(11)
	v_trunc_f64_e32 v[9:10], v[9:10]
	s_waitcnt vmcnt(9)
	v_fma_f64 v[1:2], v[13:14], 0x400a0000, v[2:3]
	v_mul_hi_i32 v3, v8, 0x92492493
	s_waitcnt vmcnt(8)
	v_xor_b32_e32 v13, v17, v18
	v_cls_i32_e32 v14, v18
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_add_nc_u32_e32 v3, v3, v8
	v_ashrrev_i32_e32 v13, 31, v13
	s_delay_alu instid0(VALU_DEP_3)
	v_add_nc_u32_e32 v14, -1, v14
	s_waitcnt vmcnt(7)
	v_frexp_mant_f32_e32 v32, v27
	s_waitcnt vmcnt(6)
	v_cmp_gt_f32_e32 vcc_lo, 0x800000, v28
	v_frexp_exp_i32_f32_e32 v27, v27
	v_add_nc_u32_e32 v13, 32, v13
	v_lshrrev_b32_e32 v31, 31, v3
	v_ashrrev_i32_e32 v3, 2, v3
	v_cndmask_b32_e64 v33, 0, 32, vcc_lo
	s_delay_alu instid0(VALU_DEP_4) | instskip(SKIP_2) | instid1(VALU_DEP_3)
	v_min_u32_e32 v13, v14, v13
	s_waitcnt vmcnt(4)
	v_fmaak_f32 v14, v30, v29, 0x3dcccccd
	v_ldexp_f32 v28, v28, v33
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_4)
	v_frexp_exp_i32_f32_e32 v29, v14
	v_ldexp_f64 v[23:24], v[9:10], 0xffffffe0
	v_frexp_mant_f32_e32 v14, v14
	v_sqrt_f32_e32 v28, v28
	v_add_f64 v[1:2], v[1:2], v[25:26]
	v_sub_nc_u32_e32 v25, v29, v27
	s_waitcnt vmcnt(2)
	v_mul_f16_e32 v0.l, v0.l, v0.h
	s_waitcnt vmcnt(1)
	v_mul_lo_u32 v5, v5, v17
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_cvt_f32_f16_e32 v0, v0.l
	v_floor_f64_e32 v[23:24], v[23:24]
	v_fma_f64 v[9:10], v[23:24], 0xc1f00000, v[9:10]
	v_cvt_i32_f64_e32 v23, v[23:24]
	v_rcp_f32_e32 v24, v32
	s_waitcnt_depctr depctr_va_vdst(0)
	v_mul_f32_e32 v14, v14, v24
	v_cndmask_b32_e64 v24, 0, -16, vcc_lo
	v_cvt_u32_f64_e32 v34, v[9:10]
	v_lshlrev_b64 v[9:10], v13, v[17:18]
	v_mul_lo_u32 v18, v4, v18
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_min_u32_e32 v9, 1, v9
	v_or_b32_e32 v10, v10, v9
	v_add_nc_u32_e32 v9, v3, v31
	v_sub_nc_u32_e32 v3, 32, v13
	v_ldexp_f32 v13, v14, v25
	v_ldexp_f32 v14, v28, v24
	v_cvt_f32_i32_e32 v24, v10
	v_ashrrev_i32_e32 v10, 31, v9
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_add_f32_e32 v25, v13, v14
	v_ldexp_f32 v3, v24, v3
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_mad_u64_u32 v[13:14], null, v4, v17, v[9:10]
	v_sub_f32_e32 v9, v25, v3
	s_waitcnt vmcnt(0)
	v_ashrrev_i64 v[3:4], v8, v[6:7]
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_add3_u32 v5, v5, v14, v18
	v_add_f32_e32 v0, v9, v0
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_xor_b32_e32 v4, v4, v23
	v_cvt_f16_f32_e32 v0.l, v0
	v_xor_b32_e32 v3, v3, v34
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_co_u32 v3, vcc_lo, v13, v3
	v_add_co_ci_u32_e64 v4, null, v5, v4, vcc_lo
	global_store_b32 v[19:20], v9, off
	global_store_b64 v[11:12], v[1:2], off
	global_store_b16 v[21:22], v0, off
	global_store_b64 v[15:16], v[3:4], off
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.size	__clang_ocl_kern_imp_numbers, .Lfunc_end1-__clang_ocl_kern_imp_numbers

	.set __clang_ocl_kern_imp_numbers.num_vgpr, 35
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
	s_load_b32 s17, s[0:1], 0x14
	v_dual_mov_b32 v16, 0 :: v_dual_mov_b32 v15, 0
	v_dual_mov_b32 v14, 0 :: v_dual_mov_b32 v13, 0
	v_dual_mov_b32 v12, 0 :: v_dual_mov_b32 v11, 0
	v_dual_mov_b32 v10, 0 :: v_dual_mov_b32 v9, 0
	v_dual_mov_b32 v8, 0 :: v_dual_mov_b32 v7, 0
	v_dual_mov_b32 v6, 0 :: v_dual_mov_b32 v5, 0
	v_dual_mov_b32 v4, 0 :: v_dual_mov_b32 v3, 0
	v_dual_mov_b32 v2, 0 :: v_dual_mov_b32 v1, 0
	s_mov_b32 s2, 0
	s_mov_b32 s3, 0
	s_waitcnt lgkmcnt(0)
	s_mov_b32 s18, s17
.LBB2_1:
	s_mov_b32 m0, s2
	s_add_i32 s2, s2, 1
	v_movreld_b32_e32 v1, s3
	s_add_i32 s3, s3, s17
	s_cmp_eq_u32 s2, 16
	s_cbranch_scc0 .LBB2_1
	s_load_b32 s19, s[0:1], 0x10
	s_cmp_lt_i32 s17, 1
	s_cbranch_scc1 .LBB2_5
	v_mov_b32_e32 v17, 0
	s_waitcnt lgkmcnt(0)
	s_mov_b32 s20, s19
.LBB2_4:
	s_delay_alu instid0(VALU_DEP_1) | instid1(SALU_CYCLE_1)
	v_dual_mov_b32 v19, s20 :: v_dual_and_b32 v18, 15, v17
	s_add_i32 s18, s18, -1
	s_add_i32 s20, s20, 4
	s_cmp_lg_u32 s18, 0
	s_delay_alu instid0(VALU_DEP_1)
	v_cmp_eq_u32_e32 vcc_lo, 1, v18
	v_cmp_eq_u32_e64 s2, 2, v18
	v_cmp_eq_u32_e64 s3, 3, v18
	v_cmp_eq_u32_e64 s4, 4, v18
	v_cmp_eq_u32_e64 s5, 5, v18
	v_cndmask_b32_e32 v20, v1, v2, vcc_lo
	v_cmp_eq_u32_e64 s6, 6, v18
	v_cmp_eq_u32_e64 s7, 7, v18
	v_cmp_eq_u32_e64 s8, 8, v18
	v_cmp_eq_u32_e64 s9, 9, v18
	v_cndmask_b32_e64 v20, v20, v3, s2
	v_cmp_eq_u32_e64 s10, 10, v18
	v_cmp_eq_u32_e64 s11, 11, v18
	v_cmp_eq_u32_e64 s12, 12, v18
	ds_load_b32 v19, v19
	v_cndmask_b32_e64 v20, v20, v4, s3
	v_cmp_eq_u32_e64 s13, 13, v18
	v_cmp_eq_u32_e64 s14, 14, v18
	v_cmp_eq_u32_e64 s15, 15, v18
	v_cmp_eq_u32_e64 s16, 0, v18
	v_cndmask_b32_e64 v20, v20, v5, s4
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_cndmask_b32_e64 v20, v20, v6, s5
	v_cndmask_b32_e64 v20, v20, v7, s6
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_cndmask_b32_e64 v20, v20, v8, s7
	v_cndmask_b32_e64 v20, v20, v9, s8
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_cndmask_b32_e64 v20, v20, v10, s9
	v_cndmask_b32_e64 v20, v20, v11, s10
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_cndmask_b32_e64 v20, v20, v12, s11
	v_cndmask_b32_e64 v20, v20, v13, s12
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_cndmask_b32_e64 v20, v20, v14, s13
	v_cndmask_b32_e64 v20, v20, v15, s14
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_cndmask_b32_e64 v20, v20, v16, s15
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v19, v19, v20
	s_delay_alu instid0(VALU_DEP_1)
	v_dual_cndmask_b32 v2, v2, v19 :: v_dual_add_nc_u32 v17, v17, v0
	v_cndmask_b32_e64 v16, v16, v19, s15
	v_cndmask_b32_e64 v15, v15, v19, s14
	v_cndmask_b32_e64 v14, v14, v19, s13
	v_cndmask_b32_e64 v13, v13, v19, s12
	v_cndmask_b32_e64 v12, v12, v19, s11
	v_cndmask_b32_e64 v11, v11, v19, s10
	v_cndmask_b32_e64 v10, v10, v19, s9
	v_cndmask_b32_e64 v9, v9, v19, s8
	v_cndmask_b32_e64 v8, v8, v19, s7
	v_cndmask_b32_e64 v7, v7, v19, s6
	v_cndmask_b32_e64 v6, v6, v19, s5
	v_cndmask_b32_e64 v5, v5, v19, s4
	v_cndmask_b32_e64 v4, v4, v19, s3
	v_cndmask_b32_e64 v3, v3, v19, s2
	v_cndmask_b32_e64 v1, v1, v19, s16
	s_cbranch_scc1 .LBB2_4
.LBB2_5:
	s_load_b64 s[2:3], s[0:1], 0x8
	v_mul_u32_u24_e32 v17, 3, v0
	s_and_b32 m0, s17, 15
	s_mov_b32 s4, exec_lo
	v_movrels_b32_e32 v1, v1
	v_sub_nc_u32_e32 v2, s17, v0
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v3, v0, 2, s19
	s_mov_b32 s5, 0
	s_delay_alu instid0(VALU_DEP_2)
	v_lshl_add_u32 v2, v2, 2, s19
	global_load_u8 v17, v17, s[2:3]
	s_waitcnt vmcnt(0)
	v_add_nc_u32_e32 v1, v1, v17
	ds_store_b32 v3, v1
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_load_b32 v1, v2
.LBB2_6:
	s_ctz_i32_b32 s6, s4
	s_waitcnt lgkmcnt(0)
	v_readlane_b32 s7, v1, s6
	s_lshl_b32 s6, 1, s6
	s_add_i32 s5, s5, s7
	s_and_not1_b32 s4, s4, s6
	s_cbranch_scc1 .LBB2_6
	s_load_b64 s[0:1], s[0:1], 0x0
	v_mbcnt_lo_u32_b32 v1, exec_lo, 0
	s_mov_b32 s4, exec_lo
	s_delay_alu instid0(VALU_DEP_1)
	v_cmpx_eq_u32_e32 0, v1
	s_xor_b32 s4, exec_lo, s4
	s_cbranch_execz .LBB2_9
	v_dual_mov_b32 v1, 0 :: v_dual_mov_b32 v2, s5
	s_waitcnt lgkmcnt(0)
	global_atomic_add_u32 v1, v2, s[0:1]
	s_waitcnt_vscnt null, 0x0
	buffer_gl1_inv
	buffer_gl0_inv
.LBB2_9:
	s_or_b32 exec_lo, exec_lo, s4
	v_mov_b32_e32 v1, 0
	v_mbcnt_lo_u32_b32 v2, exec_lo, 0
	s_waitcnt lgkmcnt(0)
	global_atomic_swap_b32 v1, v1, v0, s[0:1] offset:8 glc
	v_cmp_eq_u32_e32 vcc_lo, 0, v2
	s_and_saveexec_b32 s4, vcc_lo
	v_dual_mov_b32 v2, s19 :: v_dual_mov_b32 v3, s17
	ds_max_rtn_i32 v2, v2, v3
	s_or_b32 exec_lo, exec_lo, s4
	v_bfrev_b32_e32 v3, 1
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s4, v2
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_dual_cndmask_b32 v2, s17, v3 :: v_dual_lshlrev_b32 v3, 2, v0
	v_max_i32_e32 v2, s4, v2
	s_waitcnt vmcnt(0)
	s_delay_alu instid0(VALU_DEP_1)
	v_dual_mov_b32 v2, 0x1000 :: v_dual_add_nc_u32 v1, v2, v1
	global_store_b32 v3, v1, s[0:1] offset:4
	global_store_b8 v2, v0, s[2:3] offset:3
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel memory
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 21
		.amdhsa_next_free_sgpr 21
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
		.amdhsa_inst_pref_size 8
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
	.set memory.numbered_sgpr, 21
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
	s_mov_b32 s0, 0
	s_delay_alu instid0(VALU_DEP_2)
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
	s_mov_b32 m0, s0
	s_add_i32 s0, s0, 1
	v_movreld_b32_e32 v6, v22
	v_add_nc_u32_e32 v22, v22, v5
	s_cmp_eq_u32 s0, 16
	s_cbranch_scc0 .LBB3_1
	v_and_b32_e32 v22, 0x3ff, v31
	s_mov_b32 s17, 0
	s_mov_b32 s16, exec_lo
	v_cmpx_lt_i32_e32 0, v5
	s_cbranch_execz .LBB3_6
	v_dual_mov_b32 v23, 0 :: v_dual_mov_b32 v24, v4
	v_mov_b32_e32 v25, v5
.LBB3_4:
	s_delay_alu instid0(VALU_DEP_2)
	v_and_b32_e32 v26, 15, v23
	ds_load_b32 v27, v24
	v_add_nc_u32_e32 v23, v23, v22
	v_cmp_eq_u32_e32 vcc_lo, 1, v26
	v_add_nc_u32_e32 v25, -1, v25
	v_cmp_eq_u32_e64 s1, 2, v26
	v_cmp_eq_u32_e64 s2, 3, v26
	v_cmp_eq_u32_e64 s3, 4, v26
	v_cndmask_b32_e32 v28, v6, v7, vcc_lo
	v_cmp_eq_u32_e64 s4, 5, v26
	v_cmp_eq_u32_e64 s5, 6, v26
	v_cmp_eq_u32_e64 s6, 7, v26
	v_cmp_eq_u32_e64 s7, 8, v26
	v_cndmask_b32_e64 v28, v28, v8, s1
	v_cmp_eq_u32_e64 s8, 9, v26
	v_cmp_eq_u32_e64 s9, 10, v26
	v_cmp_eq_u32_e64 s10, 11, v26
	v_cmp_eq_u32_e64 s11, 12, v26
	v_cndmask_b32_e64 v28, v28, v9, s2
	v_cmp_eq_u32_e64 s12, 13, v26
	v_cmp_eq_u32_e64 s13, 14, v26
	v_cmp_eq_u32_e64 s14, 15, v26
	v_cmp_eq_u32_e64 s15, 0, v26
	v_cndmask_b32_e64 v28, v28, v10, s3
	v_cmp_eq_u32_e64 s0, 0, v25
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_cndmask_b32_e64 v28, v28, v11, s4
	s_or_b32 s17, s0, s17
	v_cndmask_b32_e64 v28, v28, v12, s5
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_cndmask_b32_e64 v28, v28, v13, s6
	v_cndmask_b32_e64 v28, v28, v14, s7
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_cndmask_b32_e64 v28, v28, v15, s8
	v_cndmask_b32_e64 v28, v28, v16, s9
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_cndmask_b32_e64 v28, v28, v17, s10
	v_cndmask_b32_e64 v28, v28, v18, s11
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_cndmask_b32_e64 v28, v28, v19, s12
	v_cndmask_b32_e64 v28, v28, v20, s13
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_cndmask_b32_e64 v28, v28, v21, s14
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v27, v27, v28
	s_delay_alu instid0(VALU_DEP_1)
	v_dual_cndmask_b32 v7, v7, v27 :: v_dual_add_nc_u32 v24, 4, v24
	v_cndmask_b32_e64 v21, v21, v27, s14
	v_cndmask_b32_e64 v20, v20, v27, s13
	v_cndmask_b32_e64 v19, v19, v27, s12
	v_cndmask_b32_e64 v18, v18, v27, s11
	v_cndmask_b32_e64 v17, v17, v27, s10
	v_cndmask_b32_e64 v16, v16, v27, s9
	v_cndmask_b32_e64 v15, v15, v27, s8
	v_cndmask_b32_e64 v14, v14, v27, s7
	v_cndmask_b32_e64 v13, v13, v27, s6
	v_cndmask_b32_e64 v12, v12, v27, s5
	v_cndmask_b32_e64 v11, v11, v27, s4
	v_cndmask_b32_e64 v10, v10, v27, s3
	v_cndmask_b32_e64 v9, v9, v27, s2
	v_cndmask_b32_e64 v8, v8, v27, s1
	v_cndmask_b32_e64 v6, v6, v27, s15
	s_and_not1_b32 exec_lo, exec_lo, s17
	s_cbranch_execnz .LBB3_4
	s_or_b32 exec_lo, exec_lo, s17
.LBB3_6:
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	s_or_b32 exec_lo, exec_lo, s16
	v_mul_u32_u24_e32 v23, 3, v22
	v_add_co_u32 v23, vcc_lo, v2, v23
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v24, null, 0, v3, vcc_lo
	global_load_u8 v23, v[23:24], off
	v_and_b32_e32 v24, 15, v5
	v_cmp_eq_u32_e32 vcc_lo, 1, v24
	v_dual_cndmask_b32 v6, v6, v7 :: v_dual_lshlrev_b32 v7, 2, v22
	v_cmp_eq_u32_e32 vcc_lo, 2, v24
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_2) | instid1(VALU_DEP_3)
	v_cndmask_b32_e32 v6, v6, v8, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 3, v24
	v_sub_nc_u32_e32 v8, v5, v22
	v_cndmask_b32_e32 v6, v6, v9, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 4, v24
	v_add_nc_u32_e32 v9, v4, v7
	s_delay_alu instid0(VALU_DEP_4) | instskip(NEXT) | instid1(VALU_DEP_4)
	v_lshl_add_u32 v8, v8, 2, v4
	v_cndmask_b32_e32 v6, v6, v10, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 5, v24
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_1) | instid1(VALU_DEP_2)
	v_cndmask_b32_e32 v6, v6, v11, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 6, v24
	v_cndmask_b32_e32 v6, v6, v12, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 7, v24
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_1) | instid1(VALU_DEP_2)
	v_cndmask_b32_e32 v6, v6, v13, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 8, v24
	v_cndmask_b32_e32 v6, v6, v14, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 9, v24
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_1) | instid1(VALU_DEP_2)
	v_cndmask_b32_e32 v6, v6, v15, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 10, v24
	v_cndmask_b32_e32 v6, v6, v16, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 11, v24
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_1) | instid1(VALU_DEP_2)
	v_cndmask_b32_e32 v6, v6, v17, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 12, v24
	v_cndmask_b32_e32 v6, v6, v18, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 13, v24
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_1) | instid1(VALU_DEP_2)
	v_cndmask_b32_e32 v6, v6, v19, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 14, v24
	v_cndmask_b32_e32 v6, v6, v20, vcc_lo
	v_cmp_eq_u32_e32 vcc_lo, 15, v24
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_cndmask_b32_e32 v6, v6, v21, vcc_lo
	s_waitcnt vmcnt(0)
	v_add_nc_u32_e32 v6, v6, v23
	ds_store_b32 v9, v6
	s_waitcnt lgkmcnt(0)
	s_waitcnt_vscnt null, 0x0
	s_barrier
	ds_load_b32 v6, v8
	s_waitcnt lgkmcnt(0)
	global_atomic_add_u32 v[0:1], v6, off
	s_waitcnt_vscnt null, 0x0
	buffer_gl1_inv
	buffer_gl0_inv
	global_atomic_swap_b32 v6, v[0:1], v22, off offset:8 glc
	ds_max_rtn_i32 v4, v4, v5
	v_add_co_u32 v0, vcc_lo, v0, v7
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v1, null, 0, v1, vcc_lo
	v_add_co_u32 v2, vcc_lo, 0x1000, v2
	v_add_co_ci_u32_e64 v3, null, 0, v3, vcc_lo
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_nc_u32_e32 v4, v4, v6
	global_store_b32 v[0:1], v4, off offset:4
	global_store_b8 v[2:3], v22, off offset:3
	s_setpc_b64 s[30:31]
.Lfunc_end3:
	.size	__clang_ocl_kern_imp_memory, .Lfunc_end3-__clang_ocl_kern_imp_memory

	.set __clang_ocl_kern_imp_memory.num_vgpr, 32
	.set __clang_ocl_kern_imp_memory.num_agpr, 0
	.set __clang_ocl_kern_imp_memory.numbered_sgpr, 32
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
	s_clause 0x1
	s_load_b64 s[2:3], s[0:1], 0x0
	s_load_b32 s0, s[0:1], 0x8
	s_waitcnt lgkmcnt(0)
	v_dual_mov_b32 v3, s0 :: v_dual_lshlrev_b32 v2, 2, v0
	global_load_b32 v1, v2, s[2:3]
	s_waitcnt vmcnt(0)
	ds_bpermute_b32 v0, v0, v1
	v_readlane_b32 s1, v1, s0
	v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0x5 bank_mask:0xf
	s_waitcnt lgkmcnt(0)
	s_delay_alu instid0(VALU_DEP_1)
	v_add3_u32 v0, v0, s1, v3
	s_mov_b32 s1, exec_lo
	global_store_b32 v2, v0, s[2:3]
	v_cmpx_gt_i32_e32 4, v0
	s_xor_b32 s4, exec_lo, s1
	s_cbranch_execz .LBB4_13
	s_cmp_lt_i32 s0, 9
	s_mov_b32 s5, 0
	s_cbranch_scc1 .LBB4_4
	s_cmp_eq_u32 s0, 9
	s_cbranch_scc0 .LBB4_5
	v_bfe_u32 v0, v1, 3, 5
	s_mov_b32 s1, 0
	s_branch .LBB4_6
.LBB4_4:
	s_mov_b32 s1, 0
	s_cbranch_execnz .LBB4_7
	s_branch .LBB4_8
.LBB4_5:
	s_mov_b32 s1, -1
.LBB4_6:
	s_branch .LBB4_8
.LBB4_7:
	s_cmp_lg_u32 s0, 0
	s_mov_b32 s5, -1
	s_cselect_b32 s1, -1, 0
.LBB4_8:
	s_delay_alu instid0(SALU_CYCLE_1)
	s_and_not1_b32 vcc_lo, exec_lo, s1
	s_mov_b64 s[0:1], 8
	s_cbranch_vccnz .LBB4_10
	s_getreg_b32 s0, hwreg(HW_REG_SHADER_CYCLES, 0, 20)
	s_mov_b32 s5, 0
	v_mov_b32_e32 v0, s0
	s_mov_b64 s[0:1], 12
.LBB4_10:
	s_and_not1_b32 vcc_lo, exec_lo, s5
	s_cbranch_vccnz .LBB4_12
	v_perm_b32 v0, v1, 0, 0x5010400
	s_mov_b64 s[0:1], 4
.LBB4_12:
	v_mov_b32_e32 v1, 0
	s_add_u32 s0, s2, s0
	s_addc_u32 s1, s3, s1
	global_store_b32 v1, v0, s[0:1]
.LBB4_13:
	s_and_not1_saveexec_b32 s0, s4
	s_cbranch_execnz .LBB4_15
	s_endpgm
.LBB4_15:
	s_cbranch_execnz .LBB4_17
	s_endpgm
.LBB4_17:
	s_trap 2
	s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_DOORBELL)
	s_mov_b32 ttmp2, m0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s0, s0, 0x3ff
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_bitset1_b32 s0, 10
	s_mov_b32 m0, s0
	s_sendmsg sendmsg(MSG_INTERRUPT)
	s_mov_b32 m0, ttmp2
.LBB4_18:
	s_sethalt 5
	s_branch .LBB4_18
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel lanes
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 12
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 6
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
		.amdhsa_inst_pref_size 3
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
	.set lanes.numbered_sgpr, 6
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
	v_readfirstlane_b32 s0, v2
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_dual_mov_b32 v7, v2 :: v_dual_lshlrev_b32 v4, 2, v3
	v_add_co_u32 v5, vcc_lo, v0, v4
	s_delay_alu instid0(VALU_DEP_1)
	v_add_co_ci_u32_e64 v6, null, 0, v1, vcc_lo
	global_load_b32 v4, v[5:6], off
	s_waitcnt vmcnt(0)
	ds_bpermute_b32 v3, v3, v4
	v_readlane_b32 s0, v4, s0
	v_mov_b32_dpp v7, v4 row_shr:1 row_mask:0x5 bank_mask:0xf
	s_waitcnt lgkmcnt(0)
	s_delay_alu instid0(VALU_DEP_1)
	v_add3_u32 v3, v3, s0, v7
	s_mov_b32 s0, exec_lo
	global_store_b32 v[5:6], v3, off
	v_cmpx_gt_i32_e32 4, v3
	s_xor_b32 s0, exec_lo, s0
	s_cbranch_execz .LBB5_12
	s_mov_b32 s1, 0
	s_mov_b32 s2, 0
	s_mov_b32 s3, exec_lo
	v_cmpx_lt_i32_e32 8, v2
	s_xor_b32 s3, exec_lo, s3
	s_cbranch_execz .LBB5_5
	s_mov_b32 s2, -1
	s_mov_b32 s4, exec_lo
	v_cmpx_eq_u32_e32 9, v2
	v_bfe_u32 v5, v4, 3, 5
	s_xor_b32 s2, exec_lo, -1
	s_or_b32 exec_lo, exec_lo, s4
	s_delay_alu instid0(SALU_CYCLE_1)
	s_and_b32 s2, s2, exec_lo
.LBB5_5:
	s_and_not1_saveexec_b32 s3, s3
	v_cmp_ne_u32_e32 vcc_lo, 0, v2
	s_and_not1_b32 s2, s2, exec_lo
	s_mov_b32 s1, exec_lo
	s_and_b32 s4, vcc_lo, exec_lo
	s_delay_alu instid0(SALU_CYCLE_1)
	s_or_b32 s2, s2, s4
	s_or_b32 exec_lo, exec_lo, s3
	v_mov_b32_e32 v2, 8
	v_mov_b32_e32 v3, 0
	s_and_saveexec_b32 s3, s2
	s_delay_alu instid0(SALU_CYCLE_1)
	s_xor_b32 s2, exec_lo, s3
	s_getreg_b32 s3, hwreg(HW_REG_SHADER_CYCLES, 0, 20)
	s_delay_alu instid0(SALU_CYCLE_1)
	v_dual_mov_b32 v2, 12 :: v_dual_mov_b32 v5, s3
	v_mov_b32_e32 v3, 0
	s_and_not1_b32 s1, s1, exec_lo
	s_or_b32 exec_lo, exec_lo, s2
	s_and_saveexec_b32 s2, s1
	v_mov_b32_e32 v2, 4
	v_mov_b32_e32 v3, 0
	v_perm_b32 v5, v4, 0, 0x5010400
	s_or_b32 exec_lo, exec_lo, s2
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_add_co_u32 v0, vcc_lo, v0, v2
	v_add_co_ci_u32_e64 v1, null, v1, v3, vcc_lo
	global_store_b32 v[0:1], v5, off
.LBB5_12:
	s_and_not1_saveexec_b32 s0, s0
	s_cbranch_execnz .LBB5_14
	s_or_b32 exec_lo, exec_lo, s0
	s_setpc_b64 s[30:31]
.LBB5_14:
	s_cbranch_execnz .LBB5_16
	s_or_b32 exec_lo, exec_lo, s0
	s_setpc_b64 s[30:31]
.LBB5_16:
	s_trap 2
	s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_DOORBELL)
	s_mov_b32 ttmp2, m0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s0, s0, 0x3ff
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_bitset1_b32 s0, 10
	s_mov_b32 m0, s0
	s_sendmsg sendmsg(MSG_INTERRUPT)
	s_mov_b32 m0, ttmp2
.LBB5_17:
	s_sethalt 5
	s_branch .LBB5_17
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
	s_load_b128 s[0:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v24, 5, v0
	s_waitcnt lgkmcnt(0)
	s_clause 0x5
	global_load_b128 v[4:7], v24, s[2:3] offset:48
	global_load_b128 v[0:3], v24, s[2:3] offset:32
	global_load_b128 v[12:15], v24, s[2:3] offset:16
	global_load_b128 v[20:23], v24, s[0:1] offset:16
	global_load_b128 v[8:11], v24, s[2:3]
	global_load_b128 v[16:19], v24, s[0:1]
	s_waitcnt vmcnt(0)
	v_wmma_f32_16x16x16_f16 v[16:23], v[8:15], v[0:7], v[16:23]
	s_clause 0x1
	global_store_b128 v24, v[16:19], s[0:1]
	global_store_b128 v24, v[20:23], s[0:1] offset:16
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel matrix
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 25
		.amdhsa_next_free_sgpr 4
		.amdhsa_reserve_vcc 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
		.amdhsa_inst_pref_size 1
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

	.set matrix.num_vgpr, 25
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
	v_and_b32_e32 v4, 0x3ff, v31
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshlrev_b32_e32 v4, 5, v4
	v_add_co_u32 v8, vcc_lo, v2, v4
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)
	v_add_co_ci_u32_e64 v9, null, 0, v3, vcc_lo
	v_add_co_u32 v24, vcc_lo, v0, v4
	v_add_co_ci_u32_e64 v25, null, 0, v1, vcc_lo
	s_clause 0x3
	global_load_b128 v[4:7], v[8:9], off offset:16
	global_load_b128 v[0:3], v[8:9], off
	global_load_b128 v[12:15], v[8:9], off offset:48
	global_load_b128 v[8:11], v[8:9], off offset:32
	s_clause 0x1
	global_load_b128 v[20:23], v[24:25], off offset:16
	global_load_b128 v[16:19], v[24:25], off
	s_waitcnt vmcnt(0)
	v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]
	s_clause 0x1
	global_store_b128 v[24:25], v[16:19], off
	global_store_b128 v[24:25], v[20:23], off offset:16
	s_setpc_b64 s[30:31]
.Lfunc_end7:
	.size	__clang_ocl_kern_imp_matrix, .Lfunc_end7-__clang_ocl_kern_imp_matrix

	.set __clang_ocl_kern_imp_matrix.num_vgpr, 32
	.set __clang_ocl_kern_imp_matrix.num_agpr, 0
	.set __clang_ocl_kern_imp_matrix.numbered_sgpr, 32
	.set __clang_ocl_kern_imp_matrix.num_named_barrier, 0
	.set __clang_ocl_kern_imp_matrix.private_seg_size, 0
	.set __clang_ocl_kern_imp_matrix.uses_vcc, 1
	.set __clang_ocl_kern_imp_matrix.uses_flat_scratch, 0
	.set __clang_ocl_kern_imp_matrix.has_dyn_sized_stack, 0
	.set __clang_ocl_kern_imp_matrix.has_recursion, 0
	.set __clang_ocl_kern_imp_matrix.has_indirect_call, 0
	.p2alignl 7, 3214868480
	.fill 96, 4, 3214868480
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 35
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 32
	.set amdgpu.max_num_named_barrier, 0
	.text
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
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
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         numbers.kd
    .uses_dynamic_stack: false
    .vgpr_count:     26
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
  - .args:
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
    .sgpr_count:     23
    .sgpr_spill_count: 0
    .symbol:         memory.kd
    .uses_dynamic_stack: false
    .vgpr_count:     21
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
  - .args:
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
    .sgpr_count:     8
    .sgpr_spill_count: 0
    .symbol:         lanes.kd
    .uses_dynamic_stack: false
    .vgpr_count:     4
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .type_name:      'float8_*'
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .type_name:      'half16_*'
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
    .sgpr_count:     4
    .sgpr_spill_count: 0
    .symbol:         matrix.kd
    .uses_dynamic_stack: false
    .vgpr_count:     25
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1100
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
