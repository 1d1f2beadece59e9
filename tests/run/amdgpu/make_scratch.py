#!/usr/bin/env python3
"""Makes scratch.txt: what is special about scratch memory: offsets of lanes that are counted in elements, and addresses of it that other memory has, too.

LLVM 22, AMDGPUUsage.rst (address space identifiers, flat scratch), AMDGPUISelDAGToDAG.cpp (SelectScratchSVAddr) and SIISelLowering.cpp (lowerADDRSPACECAST): on gfx125 a flat address of
scratch memory is its base, the offset, and the number of the lane from bit 52 on. `python3 make_scratch.py` rewrites the file.
"""

import os

LANES = 4
WORDS = {"b8": 1, "b16": 2, "b32": 4, "b64": 8, "b96": 12, "b128": 16}
OUT = [f"# Made by {os.path.basename(__file__)}: scratch memory by elements, and by flat addresses."]


def listed(values):
    return ",".join(hex(value % 2**32) for value in values)


def scaled():
    """A store at an index, a load at the same bytes, and the other way round."""
    indices, base, offset = [-1, 0, 1, 3], 24, 8
    for name, size in WORDS.items():
        words = max(size // 4, 1)
        data = [[(0x1234567 * (lane + 2) + 0x9ABCDEF1 * word) % 2 ** min(8 * size, 32) for lane in range(LANES)] for word in range(words)]
        bytes_ = [index * size for index in indices]
        load = {"b8": "u8", "b16": "u16"}.get(name, name)
        given = f"wave=32 scratch=96 s4={base} v1={listed(indices)} v2={listed(bytes_)} " + " ".join(f"v{4 + i}={listed(row)}" for i, row in enumerate(data))
        gives = " ".join(f"v{8 + i}={listed(row)}" for i, row in enumerate(data))
        stored = "v4" if words == 1 else f"v[4:{3 + words}]"
        loaded = "v8" if words == 1 else f"v[8:{7 + words}]"
        for at, scale in [("v1", "v2"), ("v2", "v1")]:
            how = {"v1": " scale_offset", "v2": ""}
            code = f"scratch_store_{name} {at}, {stored}, s4 offset:{offset}{how[at]}; s_wait_storecnt 0x0; scratch_load_{load} {loaded}, {scale}, s4 offset:{offset}{how[scale]}; s_wait_loadcnt 0x0"
            OUT.append(f"gfx1250: {code} | {given} -> {gives}")


def flat():
    """What a lane has put into its scratch memory is at the flat address, on gfx125 also of other lanes."""
    values = [11, 22, 33, 44]
    for target, setup, store, load, wave in [
        ("gfx906 gfx90a gfx942", "", "scratch_store_dword v0, v1, off", "flat_load_dword", 64),
        ("gfx1030", "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s4; s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s4; ", "scratch_store_dword v0, v1, off", "flat_load_dword", 32),
        ("gfx1100", "", "scratch_store_b32 v0, v1, off", "flat_load_b32", 32),
        ("gfx1200", "", "scratch_store_b32 v0, v1, off", "flat_load_b32", 32),
    ]:
        waits = ["s_wait_storecnt 0x0", "s_wait_loadcnt_dscnt 0x0"] if target == "gfx1200" else ["s_nop 0", "s_waitcnt vmcnt(0) lgkmcnt(0)"]
        code = f"{setup}{store}; {waits[0]}; s_mov_b64 s[2:3], src_private_base; v_mov_b32_e32 v3, s3; {load} v4, v[2:3]; {waits[1]}"
        OUT.append(f"{target}: {code} | wave={wave} exec=15 scratch=32 v0=12 v2=12 v1={listed(values)} -> v4={listed(values)}")
    for other in [0, 1, 2]:
        owners = [lane ^ other for lane in range(LANES)]
        code = "scratch_store_b32 v0, v1, off; s_wait_storecnt 0x0; s_mov_b64 s[2:3], src_flat_scratch_base_lo; v_add_nc_u32_e32 v2, s2, v0; v_add_nc_u32_e32 v3, s3, v5; flat_load_b32 v4, v[2:3]; s_wait_loadcnt_dscnt 0x0"
        gives = listed(values[owner] for owner in owners)
        OUT.append(f"gfx1250: {code} | wave=32 exec=15 scratch=32 v0=12 v1={listed(values)} v5={listed(owner << 20 for owner in owners)} -> v4={gives}")


scaled()
flat()
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "scratch.txt"), "w", encoding="utf-8") as file:
    file.write("\n".join(OUT) + "\n")
