// Relocations that `.reloc` asks for: without a symbol, against a local one, against one that is elsewhere.
  .text
  .reloc 0, R_AMDGPU_NONE, 8
  .reloc 4, R_AMDGPU_ABS32_LO, later+4
  .reloc 4, R_AMDGPU_ABS64, outside
  s_nop 0
  s_nop 0
later:
  s_endpgm
