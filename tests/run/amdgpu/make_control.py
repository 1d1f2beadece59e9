#!/usr/bin/env python3
"""Makes control.txt: what AMD's instructions do to registers whose numbers MODE or M0 change, forks, halves of wavefronts, barriers of gfx12, messages, and
what is a fault.

What a name does is written down here after AMD's ISA guides and LLVM (AMDGPULowerVGPREncoding, AMDGPUExecutionSynchronization); which targets have it, the
records say. `python3 make_control.py` rewrites the file.
"""

import os
import random
import struct

import records

R = random.Random(83)
OUT = []
M32 = (1 << 32) - 1


def line(where, code, given, gives, wave=None):
    if where:
        OUT.append(f"{records.named(where)}: {code} | {f'wave={wave} ' if wave else ''}{given} -> {gives}")


def fault(where, code, given, words, wave=None):
    line(where, code, given, "fault=" + words.replace(" ", "_"), wave)


def word():
    return R.choice([0, 1, M32, 0x80000000, R.getrandbits(32)])


def lanes(n):
    return [R.getrandbits(32) for _ in range(n)]


def listed(values):
    return ",".join(f"{v:#x}" for v in values)


# Banks of vector registers (gfx125)

def banked(where):
    """An instruction under every combination of high bits that matters: the numbers 4, 5, 6 and 7 stand for the registers of src0, src1, src2, vdst."""
    name = lambda low, bank: f"v{low + 256 * bank}"

    def under(src0, src1, src2, dst):
        return f"s_set_vgpr_msb {src0 | src1 << 2 | src2 << 4 | dst << 6:#x}"

    for _ in range(24):
        b = [R.randrange(4) for _ in range(4)]
        x, y, z, old = [lanes(8) for _ in range(4)]
        exec_ = R.choice([0xFF, 0xA5])
        regs = [name(4, b[0]), name(5, b[1]), name(6, b[2]), name(7, b[3])]
        given = f"exec={exec_:#x} " + " ".join(f"{r}={listed(v)}" for r, v in zip(regs, [x, y, z, old]))
        merged = lambda new: listed(n & M32 if exec_ >> i & 1 else o for i, (n, o) in enumerate(zip(new, old)))
        line(where, f"{under(*b)}; v_add3_u32 v7, v4, v5, v6", given, f"{regs[3]}={merged(a + c + d for a, c, d in zip(x, y, z))}")
        line(where, f"{under(b[0], b[1], 0, b[3])}; v_sub_nc_u32_e32 v7, v4, v5", given, f"{regs[3]}={merged(a - c for a, c in zip(x, y))}")
        line(where, f"{under(b[0], R.randrange(4), R.randrange(4), b[3])}; v_not_b32_e32 v7, v4", given, f"{regs[3]}={merged(~a for a in x)}")
        line(where, f"{under(b[0], b[1], 3, b[3])}; v_cndmask_b32_e32 v7, v4, v5, vcc_lo", given + " vcc=0x33", f"{regs[3]}={merged(c if 0x33 >> i & 1 else a for i, (a, c) in enumerate(zip(x, y)))}")
        # Comparisons have no vector destination.
        mask = sum(1 << i for i in range(8) if exec_ >> i & 1 and x[i] < y[i])
        line(where, f"{under(b[0], b[1], 3, 3)}; v_cmp_lt_u32_e32 vcc_lo, v4, v5", given, f"vcc_lo={mask:#x}")
    # Pairs of registers, which may go on in the next bank.
    for b in range(3):
        low, high = lanes(4), lanes(4)
        first = 255 + 256 * b
        line(where, f"s_set_vgpr_msb {b | 3 << 6:#x}; v_mov_b64_e32 v[8:9], v[254:255]", f"v{first - 1}={listed(low)} v{first}={listed(high)}", f"v776={listed(low)} v777={listed(high)}")
    # Single precision, where the addend is the destination: the bits of src2 count for the constant's companion alone.
    line(where, f"s_set_vgpr_msb {1 | 2 << 2 | 0 << 4 | 3 << 6:#x}; v_fmac_f32_e32 v7, v4, v5", f"v260=1.5 v517=2.0 v775=4.0 v7=9.0", "v775=7.0 v7=9.0")
    line(where, f"s_set_vgpr_msb {1 | 0 << 2 | 2 << 4 | 3 << 6:#x}; v_fmamk_f32 v7, v4, 0x40000000, v5", "v260=1.5 v517=4.0 v5=9.0", "v775=7.0")
    line(where, f"s_set_vgpr_msb {1 | 2 << 2 | 0 << 4 | 3 << 6:#x}; v_fmaak_f32 v7, v4, v5, 0x40800000", "v260=1.5 v517=2.0", "v775=7.0")
    # Both halves of a pair, in which corresponding operands have the same bits.
    line(where, "s_set_vgpr_msb 0x49; v_dual_add_f32 v8, v4, v5 :: v_dual_mul_f32 v9, v6, v7", "wave=32 v260=1.5 v517=2.0 v262=4.0 v519=2.0", "v264=3.5 v265=8.0")
    # Memory: addresses are src0's, data src1's, results the destination's.
    line(where, "s_set_vgpr_msb 0x1; ds_store_b32 v4, v5; s_set_vgpr_msb 0xc1; ds_load_b32 v6, v4; s_wait_dscnt 0x0", "lds=1 v260=64,68 v5=7,9", "v774=7,9")
    line(where, "s_set_vgpr_msb 0x25; ds_store_2addr_b32 v4, v5, v6 offset0:0 offset1:1; s_set_vgpr_msb 0x81; ds_load_b64 v[8:9], v4; s_wait_dscnt 0x0", "lds=1 v260=64,128 v261=7,9 v518=5,6", "v520=7,9 v521=5,6")
    line(where, "s_set_vgpr_msb 0x9; global_store_b32 v[4:5], v6, off; s_set_vgpr_msb 0x41; global_load_b32 v7, v[4:5], off; s_wait_loadcnt 0x0", "v[260:261]=&8 exec=1 v518=7", "v263=7,0")
    line(where, "s_set_vgpr_msb 0x80; global_load_b32 v7, v4, s[2:3]; s_wait_loadcnt 0x0", "mem=3,5,8 s[2:3]=&0 v4=4,8", "v519=5,8")
    line(where, "s_set_vgpr_msb 0xc1; buffer_load_b32 v7, v4, s[4:7], null offen; s_wait_loadcnt 0x0", "mem=3,5,8 s[4:5]=&0 s6=2 s7=0 v260=4,8", "v775=5,8")
    # The high half of the immediate is what was before: hardware does not read it.
    line(where, "s_set_vgpr_msb 0x1; s_set_vgpr_msb 0x142; v_mov_b32_e32 v7, v4", "v516=3", "v263=3")
    # MODE has the bits in another order: the destination first.
    for _ in range(6):
        b = R.getrandbits(8)
        mode = ((b << 2 | b >> 6) & 0xFF) << 12
        line(where, f"s_set_vgpr_msb {b:#x}; s_getreg_b32 s0, hwreg(HW_REG_WAVE_MODE, 12, 8)", "", f"s0={mode >> 12:#x}")
        line(where, f"s_mov_b32 s1, {mode >> 12:#x}; s_setreg_b32 hwreg(HW_REG_WAVE_MODE, 12, 8), s1; s_getreg_b32 s0, hwreg(HW_REG_WAVE_MODE, 12, 8)", "", f"s0={mode >> 12:#x}")
    # gfx1250 takes the bits from the place that they have in MODE, whatever part of MODE is written; gfx1251 does not.
    first = "s_set_vgpr_msb 0x41; s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 0, 4), 0x{:x}; v_mov_b32_e32 v7, v4"
    line(where & {"gfx1250"}, first.format(0xF << 12), "v772=5 v260=8", "v775=5")
    line(where - {"gfx1250"}, first.format(0xF << 12), "v260=8", "v263=8")
    line(where & {"gfx1250"}, first.format(0), "v4=5 v260=8", "v7=5")
    fault(where, "s_mov_b32 s1, 0x3; s_setreg_b32 hwreg(HW_REG_WAVE_MODE, 12, 8), s1; v_mov_b32_e32 v7, v4", "", "says which vector registers numbers mean")


# An index on the numbers of vector registers (gfx9)

def indexed(where):
    file = {i: lanes(64) for i in range(4, 24)}
    given = " ".join(f"v{i}={listed(v)}" for i, v in file.items())
    for _ in range(30):
        index, operands, exec_ = R.randrange(4), R.getrandbits(4), R.choice([(1 << 64) - 1, 0xF0F0, 0])
        at = lambda number, bit: number + (index if operands >> bit & 1 else 0)
        dst = at(20 - 4, 3)
        on = R.choice([f"s_set_gpr_idx_on s2, {operands}", f"s_set_gpr_idx_on s2, 0; s_set_gpr_idx_mode {operands}", f"s_set_gpr_idx_on s3, {operands}; s_set_gpr_idx_idx s2"])
        junk = R.getrandbits(24) << 8
        head = f"wave=64 exec={exec_:#x} s2={junk | index:#x} s3=77 m0=0x12340000 {given}"
        merged = lambda new: listed(n & M32 if exec_ >> i & 1 else o for i, (n, o) in enumerate(zip(new, file[dst])))
        a, b, c = file[at(4, 0)], file[at(8, 1)], file[at(12, 2)]
        m0 = 0x12340000 | operands << 12 | index
        line(where, f"{on}; v_add3_u32 v16, v4, v8, v12", head, f"v{dst}={merged(x + y + z for x, y, z in zip(a, b, c))} m0={m0:#x}")
        line(where, f"{on}; v_xor_b32_e32 v16, v4, v8", head, f"v{dst}={merged(x ^ y for x, y in zip(a, b))}")
        line(where, f"{on}; v_mov_b32_e32 v16, v4", head, f"v{dst}={merged(a)}")
        line(where, f"{on}; v_mov_b32_e32 v16, s2", head, f"v{dst}={merged([junk | index] * 64)}")
        line(where, f"{on}; s_set_gpr_idx_off; v_mov_b32_e32 v16, v4", head, "v16=" + listed(n if exec_ >> i & 1 else o for i, (n, o) in enumerate(zip(file[4], file[16]))))
        mask = sum(1 << i for i in range(64) if exec_ >> i & 1 and a[i] < b[i])
        line(where, f"{on}; v_cmp_lt_u32_e32 vcc, v4, v8", head, f"vcc={mask:#x}")
        # Halves of a register.
        text = f"{on}; v_add_u16_e32 v16, v4, v8"
        line(where, text, head, f"v{dst}={merged((x + y) & 0xFFFF for x, y in zip(a, b))}")
        # Pairs begin at the register with the index.
        if operands == 9 and index:
            pair = lambda number: [file[number][i] | file[number + 1][i] << 32 for i in range(64)]
            line(where & records.has("v_lshl_add_u64"), f"{on}; v_lshl_add_u64 v[16:17], v[4:5], 1, 0", f"wave=64 s2={index} s3=77 {given}", f"v[{dst}:{dst + 1}]={listed((p << 1) & (1 << 64) - 1 for p in pair(4 + index))}")
    fault(where, "s_set_gpr_idx_on s2, 1; v_mov_b32_e32 v0, v250", "s2=200", "adds 200 to the number of a vector register")
    fault(where, "s_set_gpr_idx_on s2, 8; v_mov_b32_e32 v250, v0", "s2=200", "adds 200 to the number of a vector register")
    for name in ("v_readlane_b32 s0, v4, 1", "v_lshlrev_b32_e32 v0, 1, v4", "v_mac_f32_e32 v0, v4, v5"):
        fault(where & records.has(name.split()[0].removesuffix("_e32")), f"s_set_gpr_idx_on s2, 1; {name}", "s2=1", "special case that is not known")
    # Vector instructions are skipped, those of memory too; scalar ones are not.
    line(where, "s_setvskip -1, 31; v_mov_b32_e32 v4, 7; ds_write_b32 v1, v2; s_mov_b32 s0, 5; s_setvskip 0, 0; v_mov_b32_e32 v5, 8; ds_read_b32 v6, v1; s_waitcnt lgkmcnt(0)", "lds=1 v2=3 v4=1 v6=4", "v4=1 s0=5 v5=8 v6=0")
    for bit in (0, 1):
        line(where, "s_setvskip s2, s3; v_mov_b32_e32 v4, 7; s_mov_b32 s0, 5", f"s2={bit << 9:#x} s3=0x49 v4=1 scc=1", f"v4={1 if bit else 7} s0=5 scc=1")
        line(where, "s_setvskip s2, s3; ds_write_b32 v1, v2; s_setvskip 0, 0; ds_read_b32 v4, v1; s_waitcnt lgkmcnt(0)", f"lds=1 s2={bit << 9:#x} s3=0x49 v2=7", f"v4={0 if bit else 7}")
        line(where, "s_setvskip s2, s3; s_getreg_b32 s0, hwreg(HW_REG_MODE, 28, 1); s_setvskip 0, 0", f"s2={bit << 9:#x} s3=0x49", f"s0={bit}")


# Relative scalar registers

def relative():
    for name in ("s_movrels_b32", "s_movreld_b32"):
        for _ in range(4):
            by, x = R.randrange(40), word()
            text, reads, writes = (f"{name} s0, s10", 10 + by, 0) if "rels" in name else (f"{name} s10, s50", 50, 10 + by)
            line(records.has(name), text, f"m0={by} s{reads}={x:#x}", f"s{writes}={x:#x}")
    for name in ("s_movrels_b64", "s_movreld_b64"):
        for _ in range(4):
            by, x = 2 * R.randrange(20), R.getrandbits(64)
            reads, writes = (10 + by, 0) if "rels" in name else (60, 10 + by)
            text = f"{name} s[0:1], s[10:11]" if "rels" in name else f"{name} s[10:11], s[60:61]"
            line(records.has(name), text, f"m0={by} s[{reads}:{reads + 1}]={x:#x}", f"s[{writes}:{writes + 1}]={x:#x}")
        fault(records.has(name), f"{name} s[0:1], s[10:11]", "m0=3", "an even number")
    line(records.has("s_movreld_b32"), "s_movreld_b32 s10, 0x1234567", "m0=5", "s15=0x1234567")
    line(records.has("s_movreld_b64"), "s_movreld_b64 s[10:11], -2", "m0=4", "s[14:15]=0xfffffffffffffffe")
    for _ in range(6):
        a, b, x = R.randrange(20), R.randrange(20), word()
        line(records.has("s_movrelsd_2_b32"), "s_movrelsd_2_b32 s10, s40", f"m0={R.getrandbits(6) << 26 | b << 16 | R.getrandbits(6) << 10 | a:#x} s{40 + a}={x:#x}", f"s{10 + b}={x:#x}")
    for name, text in (("s_movrels_b32", "s_movrels_b32 s0, s10"), ("s_movreld_b32", "s_movreld_b32 s10, s0"), ("s_movrelsd_2_b32", "s_movrelsd_2_b32 s0, s10")):
        fault(records.has(name), text, "m0=100", "which the wavefront does not have")
    fault(records.has("s_movrels_b32"), "s_movrels_b32 s0, s10", "m0=0xffffffff", "which the wavefront does not have")


# Forks, halves of wavefronts, jumps

def forks(where):
    """`if (mask) v1 = 7 else v1 = 9`, and behind the join v2 = 1 for all: the side with fewer lanes first. Code is words of four bytes from 0x1000 on."""
    for mask in (0, (1 << 64) - 1, 1, 0xFFFF, M32, (1 << 64) - 2, R.getrandbits(64)):
        for exec_ in ((1 << 64) - 1, 0xFFFFFFFF, R.getrandbits(64)):
            expect = ",".join(("7" if mask >> i & 1 else "9") if exec_ >> i & 1 else "3" for i in range(64))
            # The program goes on with the lanes of the side that came last, which had more of them.
            pass_, fail = mask & exec_, ~mask & exec_
            last = exec_ if 0 in (pass_, fail) else (pass_ if bin(fail).count("1") < bin(pass_).count("1") else fail)
            joined = ",".join(str(last >> i & 1) for i in range(64))
            # Targets are relative to the next instruction, in words: over two instructions, and from the end of the first side to the join.
            body = "v_mov_b32_e32 v1, 9; s_branch 1; v_mov_b32_e32 v1, 7; s_cbranch_join s8; v_mov_b32_e32 v2, 1"
            given = f"exec={exec_:#x} s[4:5]={mask:#x} s8=0 v1=3"
            line(where, f"s_cbranch_i_fork s[4:5], 2; {body}", given, f"v1={expect} v2={joined} exec={last:#x}")
            line(where, f"s_cbranch_g_fork s[4:5], s[6:7]; {body}", f"{given} s[6:7]=0x100c", f"v1={expect} v2={joined} exec={last:#x}")
    # One within the other: how many are open is counted. s8 and s9 hold how many were before each.
    body = ["s_cbranch_i_fork s[20:21], 2", "v_mov_b32_e32 v1, 9", "s_branch 3", "s_cbranch_i_fork s[22:23], 1", "v_mov_b32_e32 v1, 5", "s_cbranch_join s9", "s_cbranch_join s8"]
    outer, inner = 0x00FF, 0x0F0F
    v1 = lambda i: 9 if not outer >> i & 1 else (5 if not inner >> i & 1 else 3)
    line(where, "; ".join(body), f"exec=0xffff s[20:21]={outer:#x} s[22:23]={inner:#x} s8=0 s9=1 v1=3", "v1=" + ",".join(str(v1(i)) for i in range(16)) + " exec=0xff00")
    fault(where, "s_cbranch_join s8", "s8=2", "joins a fork, but none is open")


def halves(where):
    """A loop over halves counts its passes, and notes EXEC of each."""
    body = "; ".join(["s_subvector_loop_begin s4, 3", "s_add_u32 s0, s0, 1", "v_add_nc_u32_e32 v1, 1, v1", "s_subvector_loop_end s4, 0xfffd", "s_mov_b32 s9, 5"])
    for exec_ in (0, 1, M32, 1 << 32, M32 << 32, (1 << 64) - 1, R.getrandbits(64)):
        passes = (1 if exec_ & M32 else 0) + (1 if exec_ >> 32 else 0)
        lanes_ = ",".join(str(exec_ >> i & 1) for i in range(64))
        line(where & records.targets("gfx10"), body, f"wave=64 exec={exec_:#x} s9=1", f"s0={passes} v1={lanes_} exec={exec_:#x} s9=5")
        line(where & records.targets("gfx11"), body, f"wave=64 exec={exec_:#x} s9=1", f"s0={passes} v1={lanes_} exec={exec_:#x} s9=5")
    for exec_ in (0, 0xF0F, M32):
        line(where, body, f"wave=32 exec={exec_:#x} s9=1", f"s0={1 if exec_ else 0} s9=5")


def jumps():
    where = records.has("s_add_pc_i64")
    # The next instruction is at 0x1000 + 4, or 8 and 12 with a constant behind it.
    line(where, "s_add_pc_i64 4; s_mov_b32 s0, 1; s_mov_b32 s1, 2", "", "s0=0 s1=2")
    line(where, "s_add_pc_i64 s[4:5]; s_mov_b32 s0, 1; s_mov_b32 s1, 2", "s[4:5]=4", "s0=0 s1=2")
    line(where, "s_add_pc_i64 0x48; " + "s_mov_b32 s0, 1; " * 18 + "s_mov_b32 s1, 2", "", "s0=0 s1=2")
    line(where, "s_branch 2; s_mov_b32 s0, 1; s_branch 1; s_add_pc_i64 -12; s_mov_b32 s1, 2", "", "s0=1 s1=2")
    fault(where, "s_add_pc_i64 s[4:5]", "s[4:5]=0x12345678", "BadTarget")
    for name in ("s_call_i64", "s_call_b64"):
        line(records.has(name), f"{name} s[2:3], 1; s_mov_b32 s0, 1; s_mov_b32 s1, 2", "", "s0=0 s1=2 s[2:3]=0x1004")
    for name in ("s_cbranch_cdbgsys", "s_cbranch_cdbguser", "s_cbranch_cdbgsys_and_user", "s_cbranch_cdbgsys_or_user"):
        line(records.has(name), f"{name} 1; s_mov_b32 s0, 1; s_mov_b32 s1, 2", "", "s0=1 s1=2")
    for name in ("s_endpgm_ordered_ps_done",):
        line(records.has(name), f"s_mov_b32 s0, 1; {name}; s_mov_b32 s0, 2", "", "s0=1")
    line(records.has("s_setkill"), "s_setkill 0; s_mov_b32 s0, 1; s_setkill 1; s_mov_b32 s0, 2", "", "s0=1")
    fault(records.has("s_trap"), "s_trap 2; s_mov_b32 s0, 1", "", "Trap")
    line(records.has("s_trap"), "s_trap 3; s_mov_b32 s0, 1", "", "s0=1")
    fault(records.has("s_sethalt"), "s_sethalt 1", "", "halts the wavefront")
    fault(records.has("s_sendmsghalt"), "s_sendmsghalt 1", "", "halts the wavefront")
    for name, text in (("s_rfe_b64", "s[2:3]"), ("s_rfe_i64", "s[2:3]"), ("s_rfe_restore_b64", "s[2:3], s4")):
        fault(records.has(name), f"{name} {text}", "", "is for trap handlers alone")
    fault(records.has("v_illegal"), "v_illegal", "", "illegal instruction by intent")
    for name in ("v_clrexcp", "v_pipeflush"):
        line(records.has(name), f"{name}; v_mov_b32_e32 v1, 2", "v2=7 s0=3", "v1=2 v2=7 s0=3")
    line(records.has("s_sleep_var"), "s_sleep_var s4; s_mov_b32 s0, 1", "s4=3 scc=1", "s0=1 scc=1")
    line(records.has("s_wakeup_barrier"), "s_wakeup_barrier 1; s_mov_b32 s0, 1", "m0=1", "s0=1")
    # Only one wave is there, and time has begun with it: its upper half is zero.
    for name in ("s_sendmsg_rtn_b32", "s_sendmsg_rtn_b64"):
        for part, wait in (("gfx11", "s_waitcnt lgkmcnt(0)"), ("gfx12", "s_wait_kmcnt 0x0")):
            reg = "s0" if name.endswith("b32") else "s[0:1]"
            line(records.has(name) & records.targets(part), f"{name} {reg}, sendmsg(MSG_RTN_GET_REALTIME); {wait}; s_mov_b32 s2, 5", "s1=7", "s2=5 " + ("s1=7" if name.endswith("b32") else "s1=0"))
            fault(records.has(name) & records.targets(part), f"{name} {reg}, sendmsg(MSG_RTN_GET_TBA)", "", "is not executable: nothing public says")
    line(records.has("s_get_waveid_in_workgroup"), "s_get_waveid_in_workgroup s0; s_waitcnt lgkmcnt(0)", "s0=9", "s0=0")
    where = records.has("s_alloc_vgpr")
    line(where, "s_alloc_vgpr 64; v_mov_b32_e32 v40, 3", "grows=1", "scc=1 v40=3")
    fault(where, "s_alloc_vgpr s4", "s4=64", "does not say that their number changes")


# Barriers of gfx12, one wave alone: what several do is tested with kernels

def barriers():
    both, named = records.has("s_barrier_signal"), records.has("s_barrier_init")
    line(both, "s_barrier_signal -1; s_barrier_wait 0xffff; s_mov_b32 s0, 4; s_barrier_signal -1; s_barrier_wait 0xffff", "", "s0=4")
    line(both, "s_barrier_signal -2; s_barrier_signal 0; s_barrier_wait 0; s_mov_b32 s0, 4", "", "s0=4")
    fault(both, "s_barrier_wait 0xffff", "", "without having arrived")
    fault(both, "s_barrier_wait 0xfffe", "", "none that a kernel may wait at")
    fault(both - named, "s_barrier_signal 1", "", "there is no barrier 1")
    fault(both - named, "s_barrier_signal m0", "m0=0x20003", "there is no barrier 3")
    line(both, "s_barrier_signal_isfirst -1; s_barrier_wait 0xffff", "scc=0", "scc=1")
    line(both, "s_barrier_signal_isfirst 0", "scc=1", "scc=0")
    state = "s_get_barrier_state s0, {}; s_wait_kmcnt 0x0"
    word = lambda arrived, members: arrived << 16 | members << 4 | 1
    line(both, state.format(-1), "", f"s0={word(0, 1):#x}")
    # A wave alone: named barriers with more members than it, so that phases stay open.
    for number in (1, 7, 16):
        init = f"s_mov_b32 m0, {5 << 16 | number:#x}; s_barrier_init m0"
        line(named, f"{init}; {state.format(number)}", "", f"s0={word(0, 5):#x}")
        line(named, f"s_mov_b32 m0, {5 << 16:#x}; s_barrier_init {number}; {state.format(number)}", "", f"s0={word(0, 5):#x}")
        line(named, f"{init}; s_barrier_signal {number}; s_barrier_signal {number}; {state.format(number)}", "", f"s0={word(2, 5):#x}")
        line(named, f"{init}; s_barrier_signal_isfirst {number}; s_cselect_b32 s1, 1, 0; s_barrier_signal_isfirst {number}; s_cselect_b32 s2, 1, 0", "scc=0", "s1=1 s2=0")
        # M0 gives it other members before it counts; no count keeps them.
        line(named, f"{init}; s_mov_b32 m0, {3 << 16 | number:#x}; s_barrier_signal m0; {state.format('m0')}", "", f"s0={word(1, 3):#x}")
        line(named, f"{init}; s_mov_b32 m0, {number}; s_barrier_signal m0; {state.format('m0')}", "", f"s0={word(1, 5):#x}")
        # The last one begins a new phase.
        line(named, f"{init}; s_barrier_join {number}; " + f"s_barrier_signal {number}; " * 5 + f"s_barrier_wait 1; {state.format(number)}", "", f"s0={word(0, 5):#x}")
        # Whoever leaves is a member less, which may end a phase; SCC tells of it.
        line(named, f"{init}; s_barrier_join {number}; s_barrier_leave; {state.format(number)}", "scc=0", f"s0={word(0, 4):#x} scc=1")
        line(named, f"{init}; s_barrier_join {number}; " + f"s_barrier_signal {number}; " * 4 + f"s_barrier_leave; {state.format(number)}", "", f"s0={word(0, 4):#x}")
        line(named, f"{init}; s_barrier_leave", "scc=1", "scc=0")
        line(named, f"{init}; s_barrier_join {number}; s_barrier_join 0; s_barrier_leave", "scc=1", "scc=0")
        fault(named, f"s_barrier_signal {number}", "", "which nobody has given members")
        fault(named, f"s_mov_b32 m0, {number}; s_barrier_init m0", "", "no members")
        fault(named, f"{init}; s_barrier_signal {number}; s_barrier_signal {number}; s_mov_b32 m0, {2 << 16 | number:#x}; s_barrier_signal m0", "", "2 members when 2 wavefronts have arrived")
    fault(named, "s_barrier_wait 1", "", "without having joined one")
    fault(named, "s_barrier_signal 17", "", "there is no barrier 17")
    fault(named, "s_barrier_join -1", "", "no name")
    # Alone in its cluster it is all of it.
    line(named, "s_barrier_signal -3; s_barrier_wait 0xfffd; s_mov_b32 s0, 4", "", "s0=4")


# LDS with both operands there, and global wave synchronisation

def second():
    """Four lanes combine the words at 16 * lane with others."""
    def signed(x, bits):
        return x - (1 << bits) if x >> (bits - 1) & 1 else x

    def real(x, bits):
        return struct.unpack("<f" if bits == 32 else "<d", x.to_bytes(bits // 8, "little"))[0]

    def bits_of(x, bits):
        return int.from_bytes(struct.pack("<f" if bits == 32 else "<d", x), "little")

    table = {
        "add_src2_u": lambda a, b, n: a + b, "sub_src2_u": lambda a, b, n: a - b, "rsub_src2_u": lambda a, b, n: b - a,
        "inc_src2_u": lambda a, b, n: 0 if a >= b else a + 1, "dec_src2_u": lambda a, b, n: b if a == 0 or a > b else a - 1,
        "min_src2_i": lambda a, b, n: min(a, b, key=lambda x: signed(x, n)), "max_src2_i": lambda a, b, n: max(a, b, key=lambda x: signed(x, n)),
        "min_src2_u": lambda a, b, n: min(a, b), "max_src2_u": lambda a, b, n: max(a, b),
        "and_src2_b": lambda a, b, n: a & b, "or_src2_b": lambda a, b, n: a | b, "xor_src2_b": lambda a, b, n: a ^ b,
        "write_src2_b": lambda a, b, n: b,
        "add_src2_f": lambda a, b, n: bits_of(real(a, n) + real(b, n), n),
        "min_src2_f": lambda a, b, n: bits_of(min(real(a, n), real(b, n)), n), "max_src2_f": lambda a, b, n: bits_of(max(real(a, n), real(b, n)), n),
    }
    for stem, f in table.items():
        for n in (32, 64):
            name = f"ds_{stem}{n}"
            where = records.has(name)
            for _ in range(4):
                if stem.endswith("f"):
                    values = lambda: [bits_of(R.randrange(-64, 64) * 0.25, n) for _ in range(4)]
                else:
                    values = lambda: [R.choice([0, 1, (1 << n) - 1, 1 << (n - 1), R.getrandbits(n)]) for _ in range(4)]
                a, b = values(), values()
                if stem.startswith(("inc", "dec")) and R.random() < 0.5:
                    a = [max(x - 1, 0) if R.random() < 0.5 else x for x in b]
                # Where the second operand is: so many words further, or back, from the offset or from the upper bits of the address.
                distance = R.choice([2, -2, 40, 8000])
                base = 0 if distance > 0 else 64
                places = [base + 16 * i for i in range(4)]
                others = [p + 4 * distance for p in places]
                from_lane = R.random() < 0.5
                offset = 0x8000 | R.getrandbits(15) if from_lane else distance & 0x7FFF
                address = [p | (distance & 0x7FFF) << 17 if from_lane else p for p in places]
                exec_ = R.choice([15, 5])
                wide = "_b64" if n == 64 else "_b32"
                reg = (lambda i: f"v[{i}:{i + 1}]") if n == 64 else (lambda i: f"v{i}")
                code = [f"ds_write{wide} v2, {reg(4)}", f"ds_write{wide} v3, {reg(6)}", f"s_mov_b64 exec, {exec_}", f"{name} v1 offset:{offset}", "s_mov_b64 exec, 15", f"ds_read{wide} {reg(8)}, v2", f"ds_read{wide} {reg(10)}, v3", "s_waitcnt lgkmcnt(0)"]
                given = f"wave=64 lds=1 exec=15 v1={listed(address)} v2={listed(places)} v3={listed(others)} {reg(4)}={listed(a)} {reg(6)}={listed(b)}"
                result = [f(x, y, n) & (1 << n) - 1 if exec_ >> i & 1 else x for i, (x, y) in enumerate(zip(a, b))]
                line(where, "; ".join(code), given, f"{reg(8)}={listed(result)} {reg(10)}={listed(b)}")


def global_waves():
    """One wavefront alone: a barrier that expects none besides it, and permits that are there."""
    wait = "s_waitcnt lgkmcnt(0)"
    for m0, offset in ((0, 3), (5 << 16, 2), (63 << 16, 63)):
        given = f"exec=0xfff0 m0={m0:#x} v2={','.join(['9'] * 4 + ['0'] + ['9'] * 11)} v4=2 s0=7"
        where = records.has("ds_gws_init")
        line(where, f"ds_gws_init v2 offset:{offset} gds; {wait}; ds_gws_barrier v2 offset:{offset} gds; {wait}; ds_gws_barrier v2 offset:{offset} gds; {wait}; s_mov_b32 s0, 1", given, "s0=1")
        line(where, f"ds_gws_init v4 offset:{offset} gds; {wait}; ds_gws_sema_p offset:{offset} gds; ds_gws_sema_p offset:{offset} gds; {wait}; s_mov_b32 s0, 1", given, "s0=1")
        line(where, f"ds_gws_sema_v offset:{offset} gds; ds_gws_sema_p offset:{offset} gds; {wait}; s_mov_b32 s0, 1", given, "s0=1")
        line(where, f"ds_gws_sema_br v4 offset:{offset} gds; ds_gws_sema_p offset:{offset} gds; ds_gws_sema_p offset:{offset} gds; {wait}; s_mov_b32 s0, 1", given, "s0=1")
        line(records.has("ds_gws_sema_release_all"), f"ds_gws_sema_release_all offset:{offset} gds; {wait}; s_mov_b32 s0, 1", given, "s0=1")


def main():
    banked(records.has("s_set_vgpr_msb"))
    indexed(records.has("s_set_gpr_idx_on"))
    relative()
    forks(records.has("s_cbranch_i_fork"))
    halves(records.has("s_subvector_loop_begin"))
    jumps()
    barriers()
    second()
    global_waves()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "control.txt"), "w") as f:
        print("# Registers whose numbers change, control, barriers and faults of AMD's instructions, made by make_control.py.", file=f)
        f.write("\n".join(OUT) + "\n")


if __name__ == "__main__":
    main()
