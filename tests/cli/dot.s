v_dot8_i32_i4 v5, v1, v2, v3
s_endpgm // done
