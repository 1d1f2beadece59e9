  v_add_f32 v2, v3
  v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:4], a[0:15]
  v_add_u32 v1, 0x12345678, s1
  v_pk_fma_f32 v[1:2], v[2:3], v[4:5], v[6:7]
  s_endpg
  global_load_dword v2, v1, s[0:1
  v_add_f32_e64 v1, |v2, v3
  buffer_load_dword v1, v2, s[4:6], 0 offen
  v_add_f32 v1, v2, v3 row_shl:1
  v_add_f32_e32 v1, v2, s3
  s_add_u32 s0, 0x12345678, 0x87654321
  v_rcp_iflag_f32_sdwa v1, v2 dst_sel:WORD_3
  v_cvt_pk_fp8_f32 v1, v2, v3 op_sel:[0,0,2]
