v_dot8_i32_i4 v5, 0x12345, v2, v3
v_dot8_i32_i4 v5, s1, s2, v3
