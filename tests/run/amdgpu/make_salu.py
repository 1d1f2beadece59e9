#!/usr/bin/env python3
"""Makes salu.txt: AMD's scalar instructions that scalar.txt does not have on some target, the flow of control, and what moves values between lanes.

What a name does is written down here after AMD's ISA guides; which targets have it, the records say. `python3 make_salu.py` rewrites the file.
"""

import os

import records
from reference import *

R.seed(78)
OUT = []
K = {16: Kind("f16", X.f16), 32: Kind("f32", X.f32)}
EDGES = {bits: [0, 1, 2, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, (1 << bits) - 2] for bits in (32, 64)}
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def line(where, code, given, gives, wave=None):
    if where:
        OUT.append(f"{records.named(where)}: {code} | {f'wave={wave} ' if wave else ''}{given} -> {gives}")


def signed(x, bits):
    return x - (1 << bits) if x >> (bits - 1) & 1 else x


def integer(bits):
    return R.choice(EDGES[bits]) if R.random() < 0.7 else R.getrandbits(bits)


def reg(first, bits):
    return f"s{first}" if bits <= 32 else f"s[{first}:{first + 1}]"


def emit(name, kinds, to, f, picks=None, scc_in=False, tie=False, text=None, count=5, targets=None):
    """Lines of one instruction: bits of its sources and of its result (0: none); the function gives the result and SCC (None: as it was)."""
    where = records.has(name) if targets is None else records.has(name) & records.targets(targets)
    if not where:
        return
    for _ in range(count):
        values = [p() for p in picks] if picks else [integer(b) for b in kinds]
        scc = R.getrandbits(1)
        result, flag = f(*values, scc) if scc_in else f(*values)
        sources = kinds[:-1] if tie else kinds
        regs = [reg(4 + 2 * i, b) for i, b in enumerate(sources)]
        given = " ".join(f"{r}={v:#x}" for r, v in zip(regs, values)) + f" scc={scc}"
        if tie:
            given += f" {reg(0, kinds[-1])}={values[-1]:#x}"
        texts = text(regs) if text else regs
        code = f"{name} {', '.join(([reg(0, to)] if to else []) + texts)}"
        gives = (f"{reg(0, to)}={result & ((1 << max(to, 32)) - 1):#x} " if to else "") + f"scc={scc if flag is None else int(flag)}"
        line(where, code, given, gives)


def integers():
    overflow = lambda t: not -(1 << 31) <= t < 1 << 31
    for name in ("s_add_co_u32", "s_add_u32"):
        emit(name, (32, 32), 32, lambda a, b: (a + b, a + b > M32))
    for name in ("s_sub_co_u32", "s_sub_u32"):
        emit(name, (32, 32), 32, lambda a, b: (a - b, a < b))
    for name in ("s_add_co_ci_u32", "s_addc_u32"):
        emit(name, (32, 32), 32, lambda a, b, c: (a + b + c, a + b + c > M32), scc_in=True)
    for name in ("s_sub_co_ci_u32", "s_subb_u32"):
        emit(name, (32, 32), 32, lambda a, b, c: (a - b - c, a - b - c < 0), scc_in=True)
    for name in ("s_add_co_i32", "s_add_i32"):
        emit(name, (32, 32), 32, lambda a, b: (a + b, overflow(signed(a, 32) + signed(b, 32))))
    for name in ("s_sub_co_i32", "s_sub_i32"):
        emit(name, (32, 32), 32, lambda a, b: (a - b, overflow(signed(a, 32) - signed(b, 32))))
    for name in ("s_addk_co_i32", "s_addk_i32"):
        for k in (1, 0x7FFF, 0x8000, 0xFFFF):
            emit(name, (32,), 32, lambda a, k=k: (a + signed(k, 16), overflow(signed(a, 32) + signed(k, 16))), tie=True, text=lambda r, k=k: [f"{k:#x}"], count=2)
    emit("s_add_nc_u64", (64, 64), 64, lambda a, b: (a + b, None))
    emit("s_sub_nc_u64", (64, 64), 64, lambda a, b: (a - b, None))
    emit("s_mul_u64", (64, 64), 64, lambda a, b: (a * b, None))
    for n in (1, 2, 3, 4):
        emit(f"s_lshl{n}_add_u32", (32, 32), 32, lambda a, b, n=n: ((a << n) + b, (a << n) + b > M32))
    emit("s_lshl_b64", (64, 32), 64, lambda a, n: (a << (n & 63) & M64, a << (n & 63) & M64 != 0))
    emit("s_lshr_b64", (64, 32), 64, lambda a, n: (a >> (n & 63), a >> (n & 63) != 0))
    emit("s_ashr_i64", (64, 32), 64, lambda a, n: (signed(a, 64) >> (n & 63), signed(a, 64) >> (n & 63) != 0))
    emit("s_bfm_b64", (32, 32), 64, lambda a, b: ((1 << (a & 63)) - 1 << (b & 63), None))
    emit("s_bcnt0_i32_b64", (64,), 32, lambda a: (64 - bin(a).count("1"), a != M64))
    emit("s_bitcmp0_b64", (64, 32), 0, lambda a, n: (None, a >> (n & 63) & 1 == 0))
    emit("s_bitcmp1_b64", (64, 32), 0, lambda a, n: (None, a >> (n & 63) & 1))
    emit("s_bitset0_b64", (32, 64), 64, lambda n, a: (a & ~(1 << (n & 63)), None), tie=True)
    emit("s_bitset1_b64", (32, 64), 64, lambda n, a: (a | 1 << (n & 63), None), tie=True)
    emit("s_cmp_eq_u64", (64, 64), 0, lambda a, b: (None, a == b))
    emit("s_cmp_eq_u64", (64,), 0, lambda a: (None, True), text=lambda r: [r[0], r[0]], count=1)
    emit("s_cmp_lg_u64", (64, 64), 0, lambda a, b: (None, a != b))
    emit("s_cmov_b64", (64, 64), 64, lambda a, d, c: (a if c else d, None), scc_in=True, tie=True)
    emit("s_mov_b64", (64,), 64, lambda a: (a, None))
    emit("s_mov_b32", (32,), 32, lambda a: (a, None))
    emit("s_not_b32", (32,), 32, lambda a: (~a & M32, a != M32))
    lowest = lambda a, bits: next((i for i in range(bits) if a >> i & 1), -1)
    highest = lambda a, bits: next((i for i in range(bits) if a >> (bits - 1 - i) & 1), -1)
    signs = lambda a, bits: next((i for i in range(1, bits) if a >> (bits - 1 - i) & 1 != a >> (bits - 1)), -1)
    emit("s_ff0_i32_b64", (64,), 32, lambda a: (lowest(~a & M64, 64), None))
    for bits in (32, 64):
        for name in (f"s_ctz_i32_b{bits}", f"s_ff1_i32_b{bits}"):
            emit(name, (bits,), 32, lambda a, bits=bits: (lowest(a, bits), None))
        for name in (f"s_clz_i32_u{bits}", f"s_flbit_i32_b{bits}"):
            emit(name, (bits,), 32, lambda a, bits=bits: (highest(a, bits), None))
        emit("s_cls_i32" if bits == 32 else "s_cls_i32_i64", (bits,), 32, lambda a, bits=bits: (signs(a, bits), None))
    emit("s_quadmask_b64", (64,), 64, lambda a: ((q := sum(1 << i for i in range(16) if a >> 4 * i & 15)), q != 0))
    emit("s_pack_hl_b32_b16", (32, 32), 32, lambda a, b: (a >> 16 | (b & 0xFFFF) << 16, None))
    for bits in (32, 64):
        ones = (1 << bits) - 1
        table = {"or": lambda a, b: a | b, "nand": lambda a, b: ~(a & b) & ones, "nor": lambda a, b: ~(a | b) & ones, "xnor": lambda a, b: ~(a ^ b) & ones}
        for name, f in table.items():
            emit(f"s_{name}_b{bits}", (bits, bits), bits, lambda a, b, f=f: (f(a, b), f(a, b) != 0))
        for names, f in [(("andn2", "and_not1"), lambda a, b: a & ~b & ones), (("orn2", "or_not1"), lambda a, b: a | ~b & ones)]:
            for name in names:
                emit(f"s_{name}_b{bits}", (bits, bits), bits, lambda a, b, f=f: (f(a, b), f(a, b) != 0))
        # With EXEC, which wavefronts of 32 have half of.
        saves = {"and": lambda s, e: s & e, "or": lambda s, e: s | e, "xor": lambda s, e: s ^ e, "nand": lambda s, e: ~(s & e), "nor": lambda s, e: ~(s | e), "xnor": lambda s, e: ~(s ^ e),
                 "andn2": lambda s, e: s & ~e, "and_not1": lambda s, e: s & ~e, "orn2": lambda s, e: s | ~e, "or_not1": lambda s, e: s | ~e,
                 "andn1": lambda s, e: ~s & e, "and_not0": lambda s, e: ~s & e, "orn1": lambda s, e: ~s | e, "or_not0": lambda s, e: ~s | e}
        for wave, targets in [(64, "gfx9 gfx10 gfx11 gfx120"), (32, "gfx10 gfx11 gfx12")]:
            for name, f in saves.items():
                for kind in ("saveexec", "wrexec"):
                    full = f"s_{name}_{kind}_b{bits}"
                    where = records.has(full) & records.targets("gfx125" if wave == 32 and bits == 64 else targets)
                    if not where:
                        continue
                    for i in range(3):
                        a, e = integer(bits), integer(min(bits, wave))
                        if i == 2:
                            a = e if "n1" in name or "not0" in name else a
                        new = f(a, e) & ones
                        if wave == 32 and bits == 64:
                            # The upper half of EXEC is no mask there: what becomes of it is not asked.
                            line(where, f"{full} {reg(0, bits)}, {reg(4, bits)}", f"{reg(4, bits)}={a & M32:#x} exec={e:#x}", f"s0={(e if kind == 'saveexec' else new) & M32:#x} exec_lo={new & M32:#x}", wave)
                            continue
                        e_all = e | (R.getrandbits(32) << 32 if wave == 64 and bits == 32 else 0)
                        kept = e_all >> bits << bits
                        saved = e if kind == "saveexec" else new
                        line(where, f"{full} {reg(0, bits)}, {reg(4, bits)}", f"{reg(4, bits)}={a:#x} exec={e_all:#x}", f"{reg(0, bits)}={saved:#x} exec={new | kept:#x} scc={int(new != 0)}", wave)


def floats():
    """The scalar unit's floating-point instructions: numbers of 16 bits leave zeros above them."""
    for bits in (16, 32):
        k = K[bits]
        name = f"f{bits}"
        one, two, three = [[lambda: k.pick(1)[0]] * n for n in (1, 2, 3)]
        both = (32, 32)
        for op in ("add", "sub", "mul"):
            emit(f"s_{op}_{name}", both, 32, lambda a, b, op=op: (arithmetic(k, op, a, b), None), two)
        emit(f"s_fmac_{name}", (32, 32, 32), 32, lambda a, b, c: (arithmetic(k, "fma", a, b, c), None), three, tie=True)
        if bits == 32:
            emit("s_fmaak_f32", both, 32, lambda a, b: (arithmetic(k, "fma", a, b, 0x40490FDB), None), two, text=lambda r: [*r, "0x40490fdb"])
            emit("s_fmamk_f32", both, 32, lambda a, b: (arithmetic(k, "fma", a, 0x40490FDB, b), None), two, text=lambda r: [r[0], "0x40490fdb", r[1]])
        for most, op in [(False, "min"), (True, "max")]:
            emit(f"s_{op}_{name}", both, 32, lambda a, b, most=most: (old_min(k, a, b, most, True), None), two, targets="gfx11", count=8)
            emit(f"s_{op}_num_{name}", both, 32, lambda a, b, most=most: (num(k, a, b, most), None), two, count=8)
            emit(f"s_{op}imum_{name}", both, 32, lambda a, b, most=most: (or_nan(k, a, b, most), None), two, count=8)
        for op in ("floor", "ceil", "trunc", "rndne"):
            emit(f"s_{op}_{name}", (32,), 32, lambda a, op=op: (integral(k, a, op), None), one)
        order = lambda x: 0 if not k.magnitude(x) else -k.magnitude(x) if x & k.sign else k.magnitude(x)
        nan = lambda a, b: k.is_nan(a) or k.is_nan(b)
        conditions = {"lt": lambda a, b: a < b, "eq": lambda a, b: a == b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "lg": lambda a, b: a != b, "ge": lambda a, b: a >= b}
        for op, f in conditions.items():
            emit(f"s_cmp_{op}_{name}", both, 0, lambda a, b, f=f: (None, not nan(a, b) and f(order(a), order(b))), two)
        for op, plain in {"nlt": "lt", "neq": "eq", "nle": "le", "ngt": "gt", "nlg": "lg", "nge": "ge"}.items():
            f = conditions[plain]
            emit(f"s_cmp_{op}_{name}", both, 0, lambda a, b, f=f: (None, nan(a, b) or not f(order(a), order(b))), two)
        emit(f"s_cmp_o_{name}", both, 0, lambda a, b: (None, not nan(a, b)), two)
        emit(f"s_cmp_u_{name}", both, 0, lambda a, b: (None, nan(a, b)), two)
    h, s = K[16], K[32]
    single, half = [lambda: s.pick(1)[0]], [lambda: h.pick(1)[0]]
    emit("s_cvt_f16_f32", (32,), 32, lambda a: (convert(s, h, a), None), single)
    emit("s_cvt_f32_f16", (32,), 32, lambda a: (convert(h, s, a), None), half)
    emit("s_cvt_f32_i32", (32,), 32, lambda a: (s.encode((a >> 31, F(abs(signed(a, 32))))), None))
    emit("s_cvt_f32_u32", (32,), 32, lambda a: (s.encode((0, F(a))), None))
    emit("s_cvt_i32_f32", (32,), 32, lambda a: (to_int(s, a, True) & M32, None), single, count=8)
    emit("s_cvt_u32_f32", (32,), 32, lambda a: (to_int(s, a, False), None), single, count=8)
    emit("s_cvt_pk_rtz_f16_f32", (32, 32), 32, lambda a, b: (convert(s, h, a, "rz") | convert(s, h, b, "rz") << 16, None), single * 2)


def everywhere(name):
    return records.has(name)


def control():
    """Branches by distances in words from the next instruction, the first of which is at 0x1000; s_mov_b32 with a small number takes one."""
    skip = "s_mov_b32 s0, 1; {}; s_mov_b32 s0, 2; s_mov_b32 s1, 3"
    for name, given, taken in [
        ("s_branch", "", 1), ("s_cbranch_scc0", "scc=0", 1), ("s_cbranch_scc0", "scc=1", 0), ("s_cbranch_scc1", "scc=1", 1), ("s_cbranch_scc1", "scc=0", 0),
        ("s_cbranch_vccz", "vcc=0", 1), ("s_cbranch_vccz", "vcc=16", 0), ("s_cbranch_vccnz", "vcc=16", 1), ("s_cbranch_vccnz", "vcc=0", 0),
        ("s_cbranch_execz", "exec=0", 1), ("s_cbranch_execz", "exec=8", 0), ("s_cbranch_execnz", "exec=8", 1), ("s_cbranch_execnz", "exec=0", 0),
    ]:
        line(everywhere(name), skip.format(f"{name} 1"), given, f"s0={1 if taken else 2} s1=3")
    # The upper half counts where a wavefront has it.
    for name, given, taken in [("s_cbranch_vccnz", "vcc=0x100000000", 1), ("s_cbranch_vccz", "vcc=0x100000000", 0), ("s_cbranch_execz", "exec=0x100000000", 0)]:
        line(everywhere(name) & records.targets("gfx9 gfx10 gfx11 gfx120"), skip.format(f"{name} 1"), given, f"s0={1 if taken else 2} s1=3", 64)
    # Backwards: a loop of three turns.
    back = "s_mov_b32 s0, 3; s_lshl_b32 s1, s1, 1; s_sub_{}u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 -4"
    line(records.targets("gfx9 gfx10 gfx11"), back.format(""), "s1=5", "s1=40 s0=0")
    line(records.targets("gfx12"), back.format("co_"), "s1=5", "s1=40 s0=0")
    old = records.targets("gfx9 gfx10 gfx11 gfx120")
    line(everywhere("s_getpc_b64"), "s_nop 0; s_getpc_b64 s[0:1]; s_nop 0", "", "s[0:1]=0x1008")
    line(everywhere("s_get_pc_i64"), "s_nop 0; s_get_pc_i64 s[0:1]; s_nop 0", "", "s[0:1]=0x1008")
    line(everywhere("s_call_b64"), "s_call_b64 s[4:5], 1; s_mov_b32 s0, 2; s_mov_b32 s1, 3", "", "s0=0 s1=3 s[4:5]=0x1004")
    for jump, call in [("s_setpc_b64", "s_swappc_b64"), ("s_set_pc_i64", "s_swap_pc_i64")]:
        line(everywhere(jump), f"{jump} s[2:3]; s_mov_b32 s0, 2; s_mov_b32 s1, 3", "s[2:3]=0x1008", "s0=0 s1=3")
        line(everywhere(call), f"{call} s[4:5], s[2:3]; s_mov_b32 s0, 2; s_mov_b32 s1, 3", "s[2:3]=0x1008", "s0=0 s1=3 s[4:5]=0x1004")
    # The end.
    line(everywhere("s_endpgm"), "s_mov_b32 s0, 1; s_endpgm; s_mov_b32 s0, 2", "", "s0=1")
    line(everywhere("s_endpgm_saved"), "s_mov_b32 s0, 1; s_endpgm_saved; s_mov_b32 s0, 2", "", "s0=1")
    # What only hints, waits or tells somebody leaves everything as it was.
    kept = "s0=7 v0=9 scc=1 vcc=0x55 exec=0xf"
    for text in ["s_nop 3", "s_sleep 1", "s_setprio 2", "s_sethalt 0", "s_icache_inv", "s_incperflevel 1", "s_decperflevel 1", "s_ttracedata", "s_ttracedata_imm 1", "s_sendmsg sendmsg(MSG_INTERRUPT)",
                 "s_clause 0x0", "s_delay_alu instid0(VALU_DEP_1)", "s_version 0x2000", "s_inst_prefetch 0x1", "s_set_inst_prefetch_distance 0x1", "s_wakeup",
                 "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_waitcnt_depctr 0xffe3", "s_wait_alu 0xfffd", "s_waitcnt_vmcnt null, 0x0", "s_waitcnt_lgkmcnt null, 0x0", "s_waitcnt_expcnt null, 0x0", "s_waitcnt_vscnt null, 0x0",
                 "s_wait_idle", "s_wait_event 0x0", "s_wait_loadcnt 0x0", "s_wait_storecnt 0x0", "s_wait_dscnt 0x0", "s_wait_kmcnt 0x0", "s_wait_samplecnt 0x0", "s_wait_bvhcnt 0x0", "s_wait_expcnt 0x0",
                 "s_wait_loadcnt_dscnt 0x0", "s_wait_storecnt_dscnt 0x0", "s_wait_xcnt 0x0", "s_monitor_sleep 1", "s_setprio_inc_wg 1", "s_barrier", "s_dcache_inv", "s_dcache_wb", "s_dcache_inv_vol", "s_dcache_wb_vol",
                 "s_gl1_inv", "v_nop", "ds_nop", "buffer_gl0_inv", "buffer_gl1_inv", "buffer_wbinvl1", "buffer_wbinvl1_vol", "buffer_invl2", "buffer_wbl2 sc1", "buffer_inv sc1", "global_inv", "global_wb", "global_wbinv",
                 "s_prefetch_inst_pc_rel 0x0, s0, 0", "s_prefetch_data_pc_rel 0x0, s0, 0", "s_trap 3"]:
        name = text.split()[0]
        where = everywhere(name)
        if name == "buffer_wbl2":
            line(where - records.targets("gfx940"), "buffer_wbl2", kept, kept)
            where = where & records.targets("gfx940")
        if name == "s_version":
            text = "s_version UC_VERSION_GFX10"
        if name != "s_trap":
            line(where, text, kept, kept)
    for name, text in [("s_prefetch_data", "s_prefetch_data s[2:3], 0x0, s0, 0"), ("s_prefetch_inst", "s_prefetch_inst s[2:3], 0x0, s0, 0"), ("global_prefetch_b8", "global_prefetch_b8 v0, s[2:3]"),
                       ("flat_prefetch_b8", "flat_prefetch_b8 v0, s[2:3]"), ("s_atc_probe", "s_atc_probe 0, s[2:3], 0x0")]:
        line(everywhere(name), text, f"s[2:3]=&0 {kept}", kept)
    for name, text in [("s_buffer_prefetch_data", "s_buffer_prefetch_data s[4:7], 0x0, s0, 0"), ("s_atc_probe_buffer", "s_atc_probe_buffer 0, s[4:7], 0x0")]:
        line(everywhere(name), text, f"s[4:5]=&0 s6=64 {kept}", kept)
    line(everywhere("s_barrier_wait"), "s_barrier_signal -1; s_barrier_wait 0xffff; s_mov_b32 s0, 4", kept, kept.replace("s0=7", "s0=4"))
    # Clocks do not go backwards.
    for name, wait in [("s_memtime", "s_waitcnt lgkmcnt(0)"), ("s_memrealtime", "s_waitcnt lgkmcnt(0)"), ("s_get_shader_cycles_u64", "s_nop 0")]:
        code = f"{name} s[2:3]; {name} s[4:5]; {wait}; s_sub_u32 s0, s4, s2; s_subb_u32 s0, s5, s3"
        new = code.replace("s_sub_u32", "s_sub_co_u32").replace("s_subb_u32", "s_sub_co_ci_u32")
        line(everywhere(name) - records.targets("gfx12"), code, "", "scc=0")
        line(everywhere(name) & records.targets("gfx12"), new, "", "scc=0")
    # Fields of registers: MODE has what exceptions do from bit 12 on; the rest of the register stays.
    for register, where in [("HW_REG_MODE", records.targets("gfx9 gfx10 gfx11")), ("HW_REG_WAVE_MODE", records.targets("gfx12"))]:
        line(where, f"s_setreg_imm32_b32 hwreg({register}, 12, 4), 0x5; s_getreg_b32 s0, hwreg({register}, 12, 2); s_getreg_b32 s1, hwreg({register}, 0, 4)", "s0=77", "s0=1 s1=0")
        line(where, f"s_setreg_b32 hwreg({register}, 13, 2), s4; s_getreg_b32 s0, hwreg({register}, 12, 4)", "s4=6", "s0=4")


def lanes():
    """Values that go from lane to lane."""
    for wave, part in [(64, "gfx9"), (64, "gfx10 gfx11 gfx120"), (32, "gfx10 gfx11 gfx12")]:
        every = (1 << wave) - 1
        value = [R.getrandbits(32) for _ in range(wave)]
        given = f"v4={','.join(map(hex, value))}"
        where = lambda name: records.has(name) & records.targets(part)
        for active in (every, every & 0xF0F0F0F0F0F0F0F8, 0):
            first = next((i for i in range(wave) if active >> i & 1), 0)
            line(where("v_readfirstlane_b32"), "v_readfirstlane_b32 s0, v4", f"exec={active:#x} {given}", f"s0={value[first]:#x}", wave)
            for lane in (0, 5, wave - 1, wave + 3):
                line(where("v_readlane_b32"), "v_readlane_b32 s0, v4, s2", f"exec={active:#x} s2={lane} {given}", f"s0={value[lane % wave]:#x}", wave)
                new = list(value)
                new[lane % wave] = 17 if part == "gfx9" else 0xABC
                # On gfx9 one scalar register can be read, not two.
                text = "v_writelane_b32 v4, 17, s2" if part == "gfx9" else "v_writelane_b32 v4, s1, s2"
                line(where("v_writelane_b32"), text, f"exec={active:#x} s1=0xabc s2={lane} {given}", f"v4={','.join(map(hex, new))}", wave)
            mask = R.getrandbits(64)
            kept = [7] * wave
            low = [bin(mask & M32 & (1 << min(i, 32)) - 1).count("1") + value[i] & M32 for i in range(wave)]
            high = [bin(mask & M32 & (1 << max(i - 32, 0)) - 1).count("1") + value[i] & M32 for i in range(wave)]
            for name, out in [("v_mbcnt_lo_u32_b32", low), ("v_mbcnt_hi_u32_b32", high)]:
                gives = ",".join(hex(v if active >> i & 1 else 7) for i, v in enumerate(out))
                line(where(name), f"{name} v0, s2, v4", f"exec={active:#x} s2={mask & M32:#x} v0=7 {given}", f"v0={gives}", wave)
            other = [R.getrandbits(32) for _ in range(wave)]
            pair = f"v0={','.join(map(hex, other))} {given}"
            swapped = [value[i] if active >> i & 1 else other[i] for i in range(wave)], [other[i] if active >> i & 1 else value[i] for i in range(wave)]
            line(where("v_swap_b32"), "v_swap_b32 v0, v4", f"exec={active:#x} {pair}", f"v0={','.join(map(hex, swapped[0]))} v4={','.join(map(hex, swapped[1]))}", wave)
            select = [R.randrange(16) for _ in range(16)]
            words = [sum(s << 4 * i for i, s in enumerate(select[8 * h:8 * h + 8])) for h in (0, 1)]
            for name, cross in [("v_permlane16_b32", 0), ("v_permlanex16_b32", 16)]:
                for extra, inactive in [("", False), (" op_sel:[1,0]", True)]:
                    out = []
                    for i in range(wave):
                        source = (i // 16 * 16 ^ cross) + select[i % 16]
                        reads = inactive or active >> source & 1
                        out.append(value[source] if reads and active >> i & 1 else 7)
                    line(where(name), f"{name} v0, v4, s2, s3{extra}", f"exec={active:#x} s2={words[0]:#x} s3={words[1]:#x} v0=7 {given}", f"v0={','.join(map(hex, out))}", wave)
            # In wavefronts of 32 lanes it does nothing.
            out = [value[(i + 32) % 64] if wave == 64 and active >> i & 1 else 7 for i in range(wave)]
            line(where("v_permlane64_b32"), "v_permlane64_b32 v0, v4", f"exec={active:#x} v0=7 {given}", f"v0={','.join(map(hex, out))}", wave)
            index = [R.randrange(4 * wave) for _ in range(wave)]
            out = [value[(index[i] + 8) // 4 % wave] if active >> i & 1 else 7 for i in range(wave)]
            line(where("ds_bpermute_fi_b32"), "ds_bpermute_fi_b32 v0, v8, v4 offset:8; s_wait_dscnt 0x0", f"exec={active:#x} v0=7 v8={','.join(map(str, index))} {given}", f"v0={','.join(map(hex, out))}", wave)
            if active == every:
                # Odd rows of the first register and even ones of the second change places.
                for name, size in [("v_permlane16_swap_b32", 16), ("v_permlane32_swap_b32", 32)]:
                    a, b = list(other), list(value)
                    for i in range(wave):
                        if i // size % 2 == 1:
                            a[i], b[i - size] = b[i - size], a[i]
                    line(where(name), f"{name} v0, v4", f"exec={active:#x} {pair}", f"v0={','.join(map(hex, a))} v4={','.join(map(hex, b))}", wave)
        acc = [R.getrandbits(32) for _ in range(wave)]
        active = 0x0F3C
        merged = lambda new, old: ",".join(hex(new[i] if active >> i & 1 else old) for i in range(wave))
        line(where("v_accvgpr_read_b32"), "v_accvgpr_read_b32 v0, a2", f"exec={active:#x} v0=7 a2={','.join(map(hex, acc))}", f"v0={merged(acc, 7)}", wave)
        line(where("v_accvgpr_write_b32"), "v_accvgpr_write_b32 a2, v4", f"exec={active:#x} a2=7 {given}", f"a2={merged(value, 7)}", wave)
        line(where("v_accvgpr_mov_b32"), "v_accvgpr_mov_b32 a1, a2", f"exec={active:#x} a1=7 a2={','.join(map(hex, acc))}", f"a1={merged(acc, 7)}", wave)


def main():
    for make in (integers, floats, control, lanes):
        make()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "salu.txt"), "w") as f:
        print("# AMD's scalar instructions, flow of control and lanes, made by make_salu.py.", file=f)
        f.write("\n".join(OUT) + "\n")


if __name__ == "__main__":
    main()
