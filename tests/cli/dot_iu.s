s_nop 0
  v_dot8_i32_iu4 v5, v1, v2, v3
  v_mov_b32 v0, s[0:1]
