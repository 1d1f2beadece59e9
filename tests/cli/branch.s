; counts down
.set step, 1
loop:
  s_sub_u32 s0, s0, step
  s_cmp_lg_u32 s0, 0
  s_cbranch_scc1 loop
.rept 2
  s_nop step+1
.endr
  s_endpgm
