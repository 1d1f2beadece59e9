#!/usr/bin/env python3
"""Makes scratch.txt: what is special about scratch memory (offsets of lanes that are counted in elements, and addresses of it that other memory has, too), and
loads that take what they need from elsewhere: of the scalar unit's accesses to scratch memory, whose offsets in registers count 64 bytes, and of LDS at M0.

LLVM 22, AMDGPUUsage.rst (address space identifiers, flat scratch), AMDGPUISelDAGToDAG.cpp (SelectScratchSVAddr) and SIISelLowering.cpp (lowerADDRSPACECAST): on gfx125 a flat address of
scratch memory is its base, the offset, and the number of the lane from bit 52 on. AMD CDNA4 ISA 8.2.1.1 (scalar accesses); RDNA3.5 ISA 12.4 (LDS at M0, by fours of lanes).
`python3 make_scratch.py` rewrites the file.
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


def scalar():
    """The base is an address, a constant counts bytes, a register 64 of them, and the two lowest bits of the sum do not count."""
    memory = [0x10203040 + 0x01010101 * i for i in range(64)]
    cases = [("0x14", "s[2:3]=&64", 84), ("0x15", "s[2:3]=&66", 84), ("s6", "s[2:3]=&4 s6=2", 132), ("m0", "s[2:3]=&0 m0=3", 192), ("s6 offset:0x18", "s[2:3]=&0 s6=1", 88)]
    for target, wave in [("gfx9", 64), ("gfx101", 32)]:
        for kind, words in [("dword", 1), ("dwordx2", 2), ("dwordx4", 4)]:
            registers = "s8" if words == 1 else f"s[8:{7 + words}]"
            for text, given, at in cases:
                given = f"wave={wave} {given} mem={listed(memory)}"
                gives = " ".join(f"s{8 + i}={memory[at // 4 + i]:#x}" for i in range(words))
                OUT.append(f"{target}: s_scratch_load_{kind} {registers}, s[2:3], {text}; s_waitcnt lgkmcnt(0) | {given} -> {gives}")
                after = memory[: at // 4] + [7 + i for i in range(words)] + memory[at // 4 + words :]
                data = " ".join(f"s{8 + i}={7 + i}" for i in range(words))
                OUT.append(f"{target}: s_scratch_store_{kind} {registers}, s[2:3], {text}; s_waitcnt lgkmcnt(0) | {given} {data} -> mem={listed(after)}")
        # An offset of 2^32 bytes is one.
        code = "s_sub_u32 s3, s3, 1; s_scratch_load_dword s8, s[2:3], s6; s_waitcnt lgkmcnt(0)"
        OUT.append(f"{target}: {code} | wave={wave} s[2:3]=&8 s6=0x4000000 mem={listed(memory)} -> s8={memory[2]:#x}")


def direct():
    """A value of LDS, for all lanes of each four of which one is active; as a source for those that are active."""
    stored = 0x8899F0A1
    kinds = {0: 0xA1, 1: 0xF0A1, 2: stored, 4: 0xFFFFFFA1, 5: 0xFFFFF0A1}
    for target, name, store, wait in [
        ("gfx11", "lds_direct_load", "ds_store_b32 v0, v1; s_waitcnt lgkmcnt(0)", "s_waitcnt expcnt(0)"),
        ("gfx120", "ds_direct_load", "ds_store_b32 v0, v1; s_wait_dscnt 0x0", "s_wait_expcnt 0x0"),
    ]:
        for wave, masks in [(32, [0x4, 0x80000021, 0]), (64, [0x8000000080000001])]:
            for number, value in kinds.items():
                for mask in masks if number in (2, 5) else masks[:1]:
                    loaded = [value if mask >> (lane & ~3) & 15 else 9 for lane in range(wave)]
                    code = f"s_mov_b64 exec, -1; {store}; s_mov_b64 exec, s[8:9]; {name} v4; {wait}" if wave == 64 else f"s_mov_b32 exec_lo, -1; {store}; s_mov_b32 exec_lo, s8; {name} v4; {wait}"
                    given = f"wave={wave} lds=1 m0={number << 16 | 8:#x} s8={mask & 0xFFFFFFFF:#x} s9={mask >> 32:#x} v0=8 v1={stored:#x} v4=9"
                    OUT.append(f"{target}: {code} | {given} -> v4={listed(loaded)}")
        OUT.append(f"{target}: {name} v4; {wait} | wave=32 lds=1 m0=0x30000 -> fault=M0_says_in_bits_18:16_that_the_value_in_LDS_is_of_kind_3")
    for target, store, add, wave in [("gfx900 gfx906 gfx908", "ds_write_b32", "v_add_u32_e32", 64), ("gfx10", "ds_write_b32", "v_add_nc_u32_e32", 32)]:
        for number, value in kinds.items():
            code = f"{store} v0, v1; s_waitcnt lgkmcnt(0); {add} v4, src_lds_direct, v5"
            given = f"wave={wave} exec=0x5 lds=1 m0={number << 16 | 8:#x} v0=8 v1={stored:#x} v4=9 v5=1,2,3,4"
            OUT.append(f"{target}: {code} | {given} -> v4={listed([value + 1, 9, value + 3, 9])}")


scaled()
flat()
scalar()
direct()
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "scratch.txt"), "w", encoding="utf-8") as file:
    file.write("\n".join(OUT) + "\n")
