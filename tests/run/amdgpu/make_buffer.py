#!/usr/bin/env python3
"""Makes buffer.txt: AMD's buffers (ranges, indices, swizzles), scalar accesses and atomics, float atomics and counters in LDS, by Python's integers.

Addresses and ranges are computed anew here after AMD's ISA guides of CDNA3 and RDNA3 ("Buffer Addressing", "Range Checking"); what atomics do follows the
operation that the guides give for each. `python3 make_buffer.py` rewrites the file.
"""

import random
import struct

R = random.Random(6)
WAIT = {"gfx9": "s_waitcnt vmcnt(0) lgkmcnt(0)", "gfx10": "s_waitcnt vmcnt(0) lgkmcnt(0)\0s_waitcnt_vscnt null, 0x0", "gfx11": "s_waitcnt vmcnt(0) lgkmcnt(0)\0s_waitcnt_vscnt null, 0x0",
        "gfx120": "s_wait_loadcnt 0x0\0s_wait_dscnt 0x0\0s_wait_kmcnt 0x0\0s_wait_storecnt 0x0"}
WAIT = {target: wait.replace("\0", "; ") for target, wait in WAIT.items()}
MEMORY = [R.getrandbits(32) for _ in range(24)]
STRUCTURED, INDEX_ONLY, EMPTY, RAW = range(4)


def listed(values):
    return ",".join(hex(v) for v in values)


def registers(first, count, letter="v"):
    return f"{letter}{first}" if count == 1 else f"{letter}[{first}:{first + count - 1}]"


class Buffer:
    """A descriptor and what it makes of a place."""

    def __init__(self, target, records, stride=0, check=RAW, swizzle=0, near=8):
        self.target, self.records, self.stride, self.check, self.swizzle, self.near = target, records, stride, check, swizzle, near

    def setup(self):
        """Instructions and registers that make the descriptor in s[4:7], its base at the begin of memory."""
        high = self.stride << 16
        last = {8: 0, 16: 1, 32: 2, 64: 3}[self.near] << 21
        if self.target == "gfx9":
            last |= {0: 0, 2: 0, 4: 1, 8: 2, 16: 3}[self.swizzle] << 19 | 0x27000
            high |= (self.swizzle != 0) << 31
        elif self.target == "gfx10":
            last |= self.check << 28
            high |= (self.swizzle != 0) << 31
        else:
            last |= self.check << 28
            high |= {0: 0, 4: 1, 8: 2, 16: 3}[self.swizzle] << 30
        code = [f"s_or_b32 s5, s5, {hex(high)}"] if high else []
        return code, f"s[4:5]=&0 s6={self.records} s7={hex(last)}"

    def address(self, index, offset):
        if not self.swizzle:
            return index * self.stride + offset
        block = index // self.near * self.stride + offset // self.swizzle * self.swizzle
        return block * self.near + index % self.near * self.swizzle + offset % self.swizzle

    def has(self, index, offset, scalar, size, indexed):
        check = self.check
        if self.target == "gfx9":
            check = INDEX_ONLY if self.stride and indexed else RAW
        return {
            RAW: index * self.stride + offset + scalar + size <= self.records,
            INDEX_ONLY: index < self.records,
            STRUCTURED: index < self.records and offset + size <= self.stride,
            EMPTY: self.records > 0,
        }[check]


def word_at(memory, address):
    return memory[address // 4] if address // 4 < len(memory) else 0


LOADS = {1: ("dword", "b32"), 2: ("dwordx2", "b64"), 3: ("dwordx3", "b96"), 4: ("dwordx4", "b128")}


def cases(target):
    """Descriptors, and the lanes' indices and offsets."""
    for words in (1, 2, 3, 4):
        yield Buffer(target, 40), words, None, [0, 4, 24, 28, 32, 36, 40, 4096], 0
        yield Buffer(target, 44), words, None, [0, 16, 20, 24, 32], 8
        yield Buffer(target, 3, 16, INDEX_ONLY), words, [0, 1, 2, 3, 1000, 0], [0, 0, 0, 0, 0, 16], 0
        if target != "gfx9":
            yield Buffer(target, 3, 16, STRUCTURED), words, [0, 1, 2, 3, 2, 1], [0, 4, 8, 0, 12, 16], 0
            yield Buffer(target, 1, 16, EMPTY), words, [0, 1, 4], [0, 4, 8], 0
            yield Buffer(target, 0, 16, EMPTY), words, [0, 1, 4], [0, 4, 8], 0
        size = 4 if target == "gfx10" else 8
        yield Buffer(target, 8, 16 if size == 8 else 8, INDEX_ONLY, size, 8), words, [0, 1, 3, 1, 8], [0, 0, 0, 4, 0], 0


def loads():
    for target, wait in WAIT.items():
        for buffer, words, index, offset, scalar in cases(target):
            code, descriptor = buffer.setup()
            name = LOADS[words][target in ("gfx11", "gfx120")]
            lanes, expected, before = len(offset), [[] for _ in range(words)], 0x55AA
            for lane in range(lanes):
                i = index[lane] if index else 0
                for word in range(words):
                    at = offset[lane] + 4 * word
                    address = buffer.address(i, at) + scalar
                    has = buffer.has(i, at, scalar, 4, index is not None) and address < 256
                    expected[word].append(word_at(MEMORY, address) if has else 0)
            if index:
                given = f"v0={listed(index)} v1={listed(offset)}"
                address = "v[0:1]"
            else:
                given, address = f"v0={listed(offset)}", "v0"
            enable = "idxen offen" if index else "offen"
            soffset = "s3" if scalar or target == "gfx120" else "0"
            code += [f"buffer_load_{name} {registers(4, words)}, {address}, s[4:7], {soffset} {enable}", wait]
            given += "".join(f" v{4 + i}={before}" for i in range(words)) + (f" s3={scalar}" if soffset == "s3" else "")
            gives = " ".join(f"v{4 + i}={listed(e)}" for i, e in enumerate(expected))
            yield f"{target}: {'; '.join(code)} | wave=wave exec={hex((1 << lanes) - 1)} {descriptor} mem={listed(MEMORY)} {given} -> {gives}"


def told_loads():
    """The register behind the result is written only where memory is not there; outside of the buffer is zero as ever."""
    for target, wait in WAIT.items():
        part = "vega" if target == "gfx9" else target
        newer = target in ("gfx11", "gfx120")
        soffset = "null" if target == "gfx120" else "0"
        for words in (1, 2, 3, 4):
            code, descriptor = Buffer(target, 16 + 4 * words).setup()
            code += [f"buffer_load_{LOADS[words][newer]} {registers(4, words + 1)}, v0, s[4:7], {soffset} offen tfe", wait]
            before = " ".join(f"v{4 + i}=0x55,0x55" for i in range(words + 1))
            gives = " ".join(f"v{4 + i}={MEMORY[4 + i]:#x},0" for i in range(words)) + f" v{4 + words}=0x55,0x55"
            yield f"{part}: {'; '.join(code)} | wave=wave exec=3 {descriptor} mem={listed(MEMORY)} v0=16,{16 + 4 * words} {before} -> {gives}"


def stores():
    for target, wait in WAIT.items():
        for words in (1, 2, 4):
            buffer = Buffer(target, 28)
            code, descriptor = buffer.setup()
            name = LOADS[words][target in ("gfx11", "gfx120")]
            load = "global_load_" + LOADS[4][target in ("gfx11", "gfx120")]
            offset, data = [0, 20], [[R.getrandbits(32) for _ in range(2)] for _ in range(words)]
            after = MEMORY[:8]
            for lane, at in enumerate(offset):
                for word in range(words):
                    if buffer.has(0, at + 4 * word, 0, 4, False):
                        after[at // 4 + word] = data[word][lane]
            soffset = "null" if target == "gfx120" else "0"
            code += [f"buffer_store_{name} {registers(4, words)}, v0, s[4:7], {soffset} offen", wait, f"{load} v[8:11], v1, s[2:3]", f"{load} v[12:15], v1, s[2:3] offset:16", wait]
            given = f"v0={listed(offset)} " + " ".join(f"v{4 + i}={listed(d)}" for i, d in enumerate(data))
            gives = " ".join(f"v{8 + i}={hex(w)},{hex(w)}" for i, w in enumerate(after))
            yield f"{target}: {'; '.join(code)} | wave=wave exec=3 {descriptor} s[2:3]=&0 mem={listed(MEMORY[:8])} {given} -> {gives}"


def buffer_atomics():
    """One lane in range, one outside: the second changes nothing and gets zero."""
    values = {"add": 0x12345678, "swap": 0xCAFE, "umax": 0xF0000000, "smin": 0x80000001, "xor": 0xFFFF0000}
    new = {"add": "add_u32", "swap": "swap_b32", "umax": "max_u32", "smin": "min_i32", "xor": "xor_b32"}
    signed = lambda x: x - (1 << 32) if x >> 31 else x
    for target, wait in WAIT.items():
        for op, value in values.items():
            old = MEMORY[2]
            after = {"add": old + value & 0xFFFFFFFF, "swap": value, "umax": max(old, value), "smin": old if signed(old) < signed(value) else value, "xor": old ^ value}[op]
            name, returns = (op, "glc") if target in ("gfx9", "gfx10") else (new[op], "glc" if target == "gfx11" else "th:TH_ATOMIC_RETURN")
            returns = returns if target != "gfx9" else "glc"
            part = "gfx900 gfx906 gfx908 gfx90a" if target == "gfx9" else target
            code, descriptor = Buffer(target, 12).setup()
            soffset = "null" if target == "gfx120" else "0"
            load = "global_load_" + LOADS[1][target in ("gfx11", "gfx120")]
            code += [f"buffer_atomic_{name} v4, v0, s[4:7], {soffset} offen {returns}", wait, f"{load} v5, v0, s[2:3]", wait]
            gives = f"v4={hex(old)},0 v5={hex(after)},{hex(MEMORY[3])}"
            yield f"{part}: {'; '.join(code)} | wave=wave exec=3 {descriptor} s[2:3]=&0 mem={listed(MEMORY[:8])} v0=8,12 v4={hex(value)},{hex(value)} -> {gives}"
        # Compare and swap: the new value comes first.
        part = "gfx900 gfx906 gfx908 gfx90a" if target == "gfx9" else target
        name, returns = ("cmpswap", "glc") if target in ("gfx9", "gfx10") else ("cmpswap_b32", "glc" if target == "gfx11" else "th:TH_ATOMIC_RETURN")
        code, descriptor = Buffer(target, 12).setup()
        code += [f"buffer_atomic_{name} v[4:5], v0, s[4:7], {soffset} offen {returns}", wait, f"{load} v6, v0, s[2:3]", wait]
        yield f"{part}: {'; '.join(code)} | wave=wave exec=3 {descriptor} s[2:3]=&0 mem={listed(MEMORY[:8])} v0=8,4 v4=7,8 v5={hex(MEMORY[2])},1 -> v4={hex(MEMORY[2])},{hex(MEMORY[1])} v6=7,{hex(MEMORY[1])}"


def scalar_buffers():
    for target, wait in WAIT.items():
        for words, name in [(1, ("dword", "b32")), (2, ("dwordx2", "b64")), (4, ("dwordx4", "b128")), (8, ("dwordx8", "b256"))]:
            for records, stride, offset in [(64, 0, 0), (20, 0, 8), (2, 12, 4), (0, 0, 0), (16, 0, 18)]:
                size = records * stride if stride else records
                code, descriptor = Buffer(target, records, stride).setup()
                at = offset & ~3
                expected = [word_at(MEMORY, at + 4 * i) if at + 4 * i + 4 <= size else 0 for i in range(words)]
                code += [f"s_buffer_load_{name[target in ('gfx11', 'gfx120')]} {registers(8, words, 's')}, s[4:7], {hex(offset)}", wait]
                gives = " ".join(f"s{8 + i}={hex(e)}" for i, e in enumerate(expected))
                yield f"{target}: {'; '.join(code)} | wave=wave {descriptor} mem={listed(MEMORY)} s8=9 -> {gives}"
    for name, value in [("i8", 0xFFFFFF80), ("u8", 0x80), ("i16", 0xFFFF9080), ("u16", 0x9080)]:
        yield f"gfx12: s_load_{name} s4, s[2:3], 0x4; s_wait_kmcnt 0x0 | wave=wave s[2:3]=&0 mem=0,0x12349080 -> s4={hex(value)}"
        code, descriptor = Buffer("gfx120", 64).setup()
        yield f"gfx120: s_buffer_load_{name} s8, s[4:7], 0x4; s_wait_kmcnt 0x0 | wave=wave {descriptor} mem=0,0x12349080 -> s8={hex(value)}"


def scalar_stores():
    wait, load = WAIT["gfx9"], "global_load_dwordx4 v[8:11], v0, s[2:3]"
    for target in ("gfx900 gfx906 gfx908", "gfx1010 gfx1011 gfx1012"):
        yield f"{target}: s_store_dwordx2 s[8:9], s[2:3], 0x4; {wait}; {load}; {wait} | wave=wave s[2:3]=&0 mem=1,2,3,4 s8=7 s9=8 -> v8=1 v9=7 v10=8 v11=4"
        code, descriptor = Buffer("gfx9" if "gfx9" in target else "gfx10", 12).setup()
        yield f"{target}: s_buffer_store_dwordx2 s[8:9], s[4:7], 0x8; {wait}; {load}; {wait} | wave=wave {descriptor} s[2:3]=&0 mem=1,2,3,4 s8=7 s9=8 -> v8=1 v9=2 v10=7 v11=4"
    target = "gfx900 gfx906 gfx908"
    yield f"{target}: s_atomic_add s8, s[2:3], 0x4 glc; {wait}; {load}; {wait} | wave=wave s[2:3]=&0 mem=1,2,3,4 s8=7 -> s8=2 v8=1 v9=9 v10=3"
    yield f"{target}: s_atomic_add s8, s[2:3], 0x4; {wait}; {load}; {wait} | wave=wave s[2:3]=&0 mem=1,2,3,4 s8=7 -> s8=7 v8=1 v9=9 v10=3"
    yield f"{target}: s_atomic_inc_x2 s[8:9], s[2:3], 0x0 glc; {wait}; {load}; {wait} | wave=wave s[2:3]=&0 mem=0xffffffff,2,3,4 s8=0 s9=9 -> s8=0xffffffff s9=2 v8=0 v9=3 v10=3"
    yield f"{target}: s_atomic_cmpswap s[8:9], s[2:3], 0x4 glc; {wait}; {load}; {wait} | wave=wave s[2:3]=&0 mem=1,2,3,4 s8=7 s9=2 -> s8=2 v8=1 v9=7"
    yield f"{target}: s_atomic_cmpswap s[8:9], s[2:3], 0x4 glc; {wait}; {load}; {wait} | wave=wave s[2:3]=&0 mem=1,2,3,4 s8=7 s9=3 -> s8=2 v8=1 v9=2"
    code, descriptor = Buffer("gfx9", 8).setup()
    yield f"{target}: s_buffer_atomic_umax s8, s[4:7], 0x4 glc; {wait}; {load}; {wait} | wave=wave {descriptor} s[2:3]=&0 mem=1,2,3,4 s8=7 -> s8=2 v9=7"
    yield f"{target}: s_buffer_atomic_umax s8, s[4:7], 0x8 glc; {wait}; {load}; {wait} | wave=wave {descriptor} s[2:3]=&0 mem=1,2,3,4 s8=7 -> s8=0 v10=3"


def number(bits, double):
    return struct.unpack("<d" if double else "<f", struct.pack("<Q" if double else "<I", bits))[0]


def chosen(op, old, b, double):
    """What memory holds afterwards, by the operations of the guides."""
    x, y = number(old, double), number(b, double)
    quiet = 1 << (51 if double else 22)
    sign = 63 if double else 31
    if op in ("min", "max"):
        return b if (y < x if op == "min" else y > x) else old
    if y != y and x != x:
        return b | quiet
    if y != y or x != x:
        return old if y != y else b
    if x == y == 0:
        return b if (b >> sign == 1) == (op == "min_num") else old
    return b if (y < x if op == "min_num" else y > x) else old


def float_extremes():
    singles = [0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00001, 0x7F800001, 1, 0x80000001]
    doubles = [0, 1 << 63, 0x3FF0 << 48, 0xBFF0 << 48, 0x7FF0 << 48, 0x7FF8 << 48 | 1, 0x7FF0 << 48 | 1, 1]
    split = lambda x, double: [x & 0xFFFFFFFF, x >> 32] if double else [x]
    for double, values in [(False, singles), (True, doubles)]:
        bits, n = (64, 2) if double else (32, 1)
        for old, b in [(x, y) for x in values for y in R.sample(values, 3)]:
            for op in ("min", "max", "min_num", "max_num"):
                after = chosen(op, old, b, double)
                new = "num" in op
                targets = "gfx120" if new else "gfx9 gfx10"
                if new and double:
                    targets = "gfx12"
                wait = WAIT["gfx120" if new else "gfx9"]
                store, load = ("ds_store", "ds_load") if new else ("ds_write", "ds_read")
                code = [f"{store}_b{bits} v0, {registers(8, n)} offset:8", wait, f"ds_{op}_rtn_f{bits} {registers(4, n)}, v0, {registers(2, n)} offset:8", wait, f"{load}_b{bits} {registers(6, n)}, v0 offset:8", wait]
                given = [f"v{8 + i}={hex(w)}" for i, w in enumerate(split(old, double))] + [f"v{2 + i}={hex(w)}" for i, w in enumerate(split(b, double))]
                gives = [f"v{4 + i}={hex(w)},0" for i, w in enumerate(split(old, double))] + [f"v{6 + i}={hex(w)},0" for i, w in enumerate(split(after, double))]
                yield f"{targets}: {'; '.join(code)} | wave=wave exec=1 lds=1 {' '.join(given)} -> {' '.join(gives)}"
                if new and not double or not new and double:
                    target, name, returns = ("gfx120", f"{op}_f32", "th:TH_ATOMIC_RETURN") if new else ("gfx90a", f"{op}_f64", "glc")
                    load = "global_load_b32" if new else "global_load_dwordx2"
                    code = [f"global_atomic_{name} {registers(4, n)}, v0, {registers(2, n)}, s[2:3] {returns}", wait, f"{load} {registers(6, n)}, v0, s[2:3]", wait]
                    yield f"{target}: {'; '.join(code)} | wave=wave exec=1 s[2:3]=&0 mem={listed(split(old, double))} {' '.join(given[n:])} -> {' '.join(gives)}"
    # Comparisons of numbers: zeros are equal, NaN equals nothing.
    for old, compared, new in [(0x80000000, 0, 7), (0x7FC00000, 0x7FC00000, 7), (0x3F800000, 0x3F800000, 9), (0x3F800000, 0x40000000, 9)]:
        after = new if number(old, False) == number(compared, False) else old
        wait = WAIT["gfx9"]
        code = ["ds_write_b32 v0, v8", wait, "ds_cmpst_rtn_f32 v4, v0, v2, v3", wait, "ds_read_b32 v6, v0", wait]
        yield f"gfx9 gfx10: {'; '.join(code)} | wave=wave exec=1 lds=1 v8={hex(old)} v2={hex(compared)} v3={new} -> v4={hex(old)},0 v6={hex(after)},0"
        code = ["ds_store_b32 v0, v8", wait, "ds_cmpstore_rtn_f32 v4, v0, v3, v2", wait, "ds_load_b32 v6, v0", wait]
        yield f"gfx11: {'; '.join(code)} | wave=wave exec=1 lds=1 v8={hex(old)} v2={hex(compared)} v3={new} -> v4={hex(old)},0 v6={hex(after)},0"
        code = [f"global_atomic_fcmpswap v4, v0, v[2:3], s[2:3] glc", wait, "global_load_dword v6, v0, s[2:3]", wait]
        yield f"gfx10: {'; '.join(code)} | wave=wave exec=1 s[2:3]=&0 mem={hex(old)} v2={new} v3={hex(compared)} -> v4={hex(old)},0 v6={hex(after)},0"


def lds():
    for targets, store, load, wait in [("gfx9 gfx10", "ds_write", "ds_read", "gfx9"), ("gfx11", "ds_store", "ds_load", "gfx11"), ("gfx120", "ds_store", "ds_load", "gfx120")]:
        wait = WAIT[wait]
        old = targets == "gfx9 gfx10"
        put = [f"{store}_b32 v0, v1", wait]
        # The mask that is cleared comes first.
        code = put + ["ds_mskor_rtn_b32 v4, v0, v2, v3", wait, f"{load}_b32 v5, v0", wait]
        a, b, c = 0xF0F01234, 0xFF00FF00, 0x00AA0055
        yield f"{targets}: {'; '.join(code)} | wave=wave exec=1 lds=1 v1={hex(a)} v2={hex(b)} v3={hex(c)} -> v4={hex(a)},0 v5={hex(a & ~b | c)},0"
        for a, b, c in [(10, 3, 100), (2, 3, 100), (3, 3, 1)]:
            if old:
                code = put + ["ds_wrap_rtn_b32 v4, v0, v2, v3", wait, f"{load}_b32 v5, v0", wait]
                yield f"{targets}: {'; '.join(code)} | wave=wave exec=1 lds=1 v1={a} v2={b} v3={c} -> v4={a},0 v5={a - b if a >= b else a + c},0"
        name = "ds_wrxchg2_rtn_b32" if old else "ds_storexchg_2addr_rtn_b32"
        pair = f"{load}_b64 v[8:9], v0"
        code = [f"{store}_b64 v0, v[2:3]", wait, f"{name} v[4:5], v0, v6, v7 offset0:1 offset1:0", wait, pair, wait]
        yield f"{targets}: {'; '.join(code)} | wave=wave exec=1 lds=1 v2=11 v3=12 v6=21 v7=22 -> v4=12,0 v5=11,0 v8=22,0 v9=21,0"
        # Counters: three active lanes; M0's upper half is added to the address before gfx12.
        base = "m0=0x80000" if targets != "gfx120" else "m0=0"
        at = 8 if targets != "gfx120" else 0
        for name, sign in [("ds_append", 1), ("ds_consume", -1)]:
            code = [f"{store}_b32 v0, v1 offset:{at + 4}", wait, f"{name} v4 offset:4", wait, f"{load}_b32 v5, v0 offset:{at + 4}", wait]
            yield f"{targets}: {'; '.join(code)} | wave=wave exec=0xb lds=1 {base} v1=50 -> v4=50,50,0,50 v5={50 + 3 * sign},{50 + 3 * sign},0,{50 + 3 * sign}"
        # Addresses by the number of the lane, behind M0's lower half.
        names = ("ds_write_addtid_b32", "ds_read_addtid_b32") if old else ("ds_store_addtid_b32", "ds_load_addtid_b32")
        code = [f"{names[0]} v1 offset:4", wait, f"{load}_b32 v5, v0 offset:12", f"{names[1]} v6 offset:8", wait]
        yield f"{targets}: {'; '.join(code)} | wave=wave exec=7 lds=1 m0=0x70008 v1=31,32,33 v0=0,4,8 -> v5=31,32,33 v6=32,33,0"


def to_lds():
    """Loads to LDS: the words of a lane behind those of the lanes before it, from M0 and the offset of the address on; there when waited for."""
    wait = WAIT["gfx9"]
    for target, name, size, words in [("gfx942 gfx950", "dword", 4, 1), ("gfx950", "dwordx3", 4, 3), ("gfx950", "dwordx4", 4, 4), ("gfx942 gfx950", "ubyte", 1, 1),
                                      ("gfx942 gfx950", "sbyte", 1, 1), ("gfx942 gfx950", "ushort", 2, 1), ("gfx942 gfx950", "sshort", 2, 1)]:
        offset = [R.randrange(0, 20 // words) * size * words for _ in range(4)]
        raw = struct.pack(f"<{len(MEMORY)}I", *MEMORY)
        value = lambda at: int.from_bytes(raw[at : at + size], "little", signed=name[0] == "s") & 0xFFFFFFFF
        copied = [[value(at + 8 + size * w) for w in range(words)] for at in offset]
        # Lane 2 is not active: where its words would go nothing changes.
        copied[2] = [9] * words
        flat = sum(copied, [])
        fill = "; ".join(f"ds_write_b32 v9, v10 offset:{24 + 4 * i}" for i in range(4 * words))
        read = "; ".join(f"ds_read_b32 v{20 + i}, v9 offset:{24 + 4 * i}" for i in range(4 * words))
        code = f"{fill}; {wait}; s_mov_b64 exec, 11; global_load_lds_{name} v0, s[2:3] offset:8; {wait}; s_mov_b64 exec, 1; {read}; {wait}"
        gives = " ".join(f"v{20 + i}={hex(x)},0" for i, x in enumerate(flat))
        yield f"{target}: {code} | wave=wave exec=15 lds=1 m0=16 s[2:3]=&0 mem={listed(MEMORY)} v0={listed(offset)} v10=9,9,9,9 -> {gives}"
    for name, stored, value in [("dword", 0x80F1F2F3, 0x80F1F2F3), ("ubyte", 0x80F1F2F3, 0xF3), ("sbyte", 0x80F1F2F3, 0xFFFFFFF3), ("ushort", 0x80F1F2F3, 0xF2F3), ("sshort", 0x80F1F2F3, 0xFFFFF2F3)]:
        code = f"scratch_store_dword v0, v1, off offset:4; {wait}; scratch_load_lds_{name} v0, off offset:4; {wait}; ds_read_b32 v2, v3 offset:20; {wait}"
        yield f"gfx942 gfx950: {code} | wave=wave exec=3 lds=1 scratch=16 m0=16 v1={hex(stored)},7 v3=0,4 -> v2={hex(value)},7"
    for target in ("gfx9", "gfx10"):
        wait = WAIT[target]
        code, descriptor = Buffer(target, 12).setup()
        # Out of range is zero; before the wait LDS has what it had.
        code += ["ds_write_b32 v9, v10 offset:20", "ds_write_b32 v9, v10 offset:24", wait, "s_movk_i32 m0, 16", "buffer_load_dword v0, s[4:7], 0 offen offset:4 lds"]
        if target == "gfx9":
            code += ["ds_read_b32 v11, v9 offset:20", "s_waitcnt lgkmcnt(0)"]
        code += [wait, "ds_read_b32 v12, v9 offset:20", "ds_read_b32 v13, v9 offset:24", wait]
        early = "v11=9,9 " if target == "gfx9" else ""
        yield f"{target}: {'; '.join(code)} | wave=wave exec=3 lds=1 {descriptor} mem=1,2,3,4 v0=4,8 v10=9,9 -> {early}v12=3,3 v13=0,0"


# Formats: their numbers on gfx10, on gfx11 and later, and of data and of numbers before; widths from the lowest component up; what they are.
FORMATS = [
    ("8_UNORM", 1, 1, 1, 0, [8], "unorm"), ("8_SNORM", 2, 2, 1, 1, [8], "snorm"), ("8_UINT", 5, 5, 1, 4, [8], "uint"), ("8_SINT", 6, 6, 1, 5, [8], "sint"),
    ("16_UNORM", 7, 7, 2, 0, [16], "unorm"), ("16_FLOAT", 13, 13, 2, 7, [16], "float"), ("8_8_SSCALED", 17, 17, 3, 3, [8, 8], "sscaled"),
    ("32_UINT", 20, 20, 4, 4, [32], "uint"), ("32_FLOAT", 22, 22, 4, 7, [32], "float"), ("16_16_SNORM", 24, 24, 5, 1, [16, 16], "snorm"),
    ("16_16_UINT", 27, 27, 5, 4, [16, 16], "uint"), ("10_11_11_FLOAT", 36, 30, 6, 7, [11, 11, 10], "float"),
    ("2_10_10_10_UNORM", 50, 36, 9, 0, [10, 10, 10, 2], "unorm"), ("2_10_10_10_SINT", 55, 41, 9, 5, [10, 10, 10, 2], "sint"),
    ("8_8_8_8_UNORM", 56, 42, 10, 0, [8] * 4, "unorm"), ("8_8_8_8_SNORM", 57, 43, 10, 1, [8] * 4, "snorm"), ("8_8_8_8_USCALED", 58, 44, 10, 2, [8] * 4, "uscaled"),
    ("8_8_8_8_SINT", 61, 47, 10, 5, [8] * 4, "sint"), ("32_32_FLOAT", 64, 50, 11, 7, [32] * 2, "float"), ("16_16_16_16_FLOAT", 71, 57, 12, 7, [16] * 4, "float"),
    ("32_32_32_SINT", 73, 59, 13, 5, [32] * 3, "sint"), ("32_32_32_32_FLOAT", 77, 63, 14, 7, [32] * 4, "float"),
]
single = lambda x: struct.unpack("<I", struct.pack("<f", x))[0]
half = lambda x: struct.unpack("<H", struct.pack("<e", x))[0]


def loaded(bits, width, kind, short):
    """A component as a load gives it, in single precision or in half."""
    signed = bits - (1 << width) if bits >> (width - 1) else bits
    if kind in ("uint", "sint"):
        return (bits if kind == "uint" else signed) & (0xFFFF if short else 0xFFFFFFFF)
    if kind == "float" and width == 32:
        return bits
    small = {16: bits, 11: bits << 4, 10: bits << 5}
    number = {
        "unorm": lambda: bits / ((1 << width) - 1), "snorm": lambda: max(signed / ((1 << (width - 1)) - 1), -1.0), "uscaled": lambda: float(bits), "sscaled": lambda: float(signed),
        "float": lambda: struct.unpack("<e", struct.pack("<H", small[width]))[0],
    }[kind]()
    return half(number) if short else single(number)


def fields(element, widths):
    for width in widths:
        yield element & (1 << width) - 1
        element >>= width


def element_of(widths, kind):
    """An element without NaN, or floats too large for half precision."""
    bits = 0
    for i, width in enumerate(widths):
        field = single(R.uniform(-100, 100)) if kind == "float" and width == 32 else half(R.uniform(-9, 9)) if kind == "float" and width == 16 else R.getrandbits(width)
        if kind == "float" and width < 16:
            field &= ~(1 << (width - 2))
        bits |= field << sum(widths[:i])
    return bits


COMPONENTS = ["x", "xy", "xyz", "xyzw"]


class Formatted:
    """A buffer of two elements of a format on a target."""

    def __init__(self, target, text, old_number, new_number, data, numbers, widths, kind):
        self.target, self.widths, self.kind, self.new = target, widths, kind, target in ("gfx11", "gfx120")
        self.size = sum(widths) // 8
        self.elements = [element_of(widths, kind) for _ in range(2)]
        self.number = data << 15 | numbers << 12 if target == "gfx9" else (new_number if self.new else old_number) << 12
        names = text.rsplit("_", 1)
        self.named = f" format:[BUF_DATA_FORMAT_{names[0]}, BUF_NUM_FORMAT_{names[1]}]" if target == "gfx9" else f" format:[BUF_FMT_{text}]"

    def memory(self, elements):
        raw = b"".join(e.to_bytes(self.size, "little") for e in elements).ljust(48, b"\0")
        return struct.unpack("<12I", raw)

    def descriptor(self, typed, selectors):
        word = sum(s << 3 * i for i, s in enumerate(selectors)) | (0 if typed else self.number)
        return f"s[4:5]=&0 s6={2 * self.size} s7={hex(word | (0 if self.target == 'gfx9' else RAW << 28))}"

    def instruction(self, what, typed, short, register, components, high=False):
        kind = "format_" if not short else f"d16_{'hi_' * high}format_" if self.new else f"format_d16_{'hi_' * high}"
        soffset = "null" if self.target == "gfx120" else "0"
        words = (components + 1) // 2 if short else components
        return f"{'t' * typed}buffer_{what}_{kind}{COMPONENTS[components - 1]} {registers(register, words)}, v0, s[4:7], {soffset}{self.named if typed else ''} offen; {WAIT[self.target]}"

    def offsets(self):
        """Of two elements, and of one that is out of range."""
        return f"v0=0,{self.size},{2 * self.size}"

    def values(self, short):
        return [[loaded(f, w, self.kind, short) for f, w in zip(fields(e, self.widths), self.widths)] for e in self.elements]

    def load(self, typed, short, components):
        one = 1 if self.kind in ("uint", "sint") else 0x3C00 if short else 0x3F800000
        lanes = [values + [0, 0, 0, one][len(values) :] for values in self.values(short)] + [[0] * 4]
        selectors = R.choice([[4, 5, 6, 7], [6, 5, 4, 7], [4, 0, 1, 5]])
        # Out of range zero is read, but for the constant one.
        chosen = [[{0: 0, 1: one}.get(s, lane[s - 4] if s > 3 else 0) for s in selectors] for lane in lanes]
        words, gives = (components + 1) // 2 if short else components, []
        for i in range(words):
            values = [lane[2 * i] | (lane[2 * i + 1] << 16 if 2 * i + 1 < components else 0) if short else lane[i] for lane in chosen]
            # One half leaves the other alone.
            gives.append(f"v{4 + i}={listed([v | 0x55550000 for v in values] if short and components == 1 else values)},0x5555aaaa")
        given = " ".join(f"v{4 + i}=0x5555aaaa" for i in range(words))
        code = self.instruction("load", typed, short, 4, components)
        yield f"{self.target}: {code} | wave=wave exec=7 {self.descriptor(typed, selectors)} mem={listed(self.memory(self.elements))} {self.offsets()} {given} -> {' '.join(gives)}"
        if short and components == 1 and not typed:
            values = [lane[0] << 16 | 0xAAAA for lane in chosen]
            code = self.instruction("load", typed, short, 4, 1, True)
            yield f"{self.target}: {code} | wave=wave exec=7 {self.descriptor(typed, selectors)} mem={listed(self.memory(self.elements))} {self.offsets()} v4=0x5555aaaa -> v4={listed(values)},0x5555aaaa"

    def store(self, typed, short, components, high=False):
        """What a load gives is stored as the same element; the least normalised number and the next one are both -1. More components than there are count for nothing."""
        back = lambda f, w: f + 1 if self.kind == "snorm" and f == 1 << (w - 1) else f
        shifts = [sum(self.widths[:i]) for i in range(len(self.widths))]
        after = [sum(back(f, w) << s for f, w, s in zip(fields(e, self.widths), self.widths, shifts)) for e in self.elements]
        lanes = [(values + [3, 5, 7])[:components] for values in self.values(short)]
        if short:
            lanes = [[v << 16 | 0x1234 for v in lane] if high else [lane[i] | (lane[i + 1] << 16 if i + 1 < components else 0x99990000) for i in range(0, components, 2)] for lane in lanes]
        load = "global_load_" + ("b128" if self.new else "dwordx4")
        code = f"{self.instruction('store', typed, short, 4, components, high)}; {load} v[8:11], v1, s[2:3]; {load} v[12:15], v1, s[2:3] offset:16; {WAIT[self.target]}"
        given = " ".join(f"v{4 + i}={listed([lane[i] for lane in lanes])},0x77777777" for i in range(len(lanes[0])))
        gives = " ".join(f"v{8 + i}={hex(w)},{hex(w)},{hex(w)}" for i, w in enumerate(self.memory(after)[:8]))
        yield f"{self.target}: {code} | wave=wave exec=7 s[2:3]=&0 {self.descriptor(typed, [4, 5, 6, 7])} mem=0 {self.offsets()} {given} -> {gives}"


def formatted():
    for target in WAIT:
        for at, entry in enumerate(FORMATS):
            for typed in (False, True):
                buffer = Formatted(target, *entry)
                n, widths, kind = len(buffer.widths), buffer.widths, buffer.kind
                yield from buffer.load(typed, False, 1 + at % 4)
                if not (kind == "float" and 32 in widths):
                    yield from buffer.load(typed, True, 1 + (at + 1) % 4)
                if kind not in ("uscaled", "sscaled") and entry[0] != "10_11_11_FLOAT":
                    yield from buffer.store(typed, False, min(4, n + at % 2) if n > 1 else n)
                if kind in ("uint", "sint") and max(widths) <= 16 or kind == "float" and widths[0] == 16:
                    for components in range(n, 5):
                        yield from buffer.store(typed, True, components)
                    if n == 1 and not typed:
                        yield from buffer.store(typed, True, 1, True)


def exact_stores():
    """Numbers that the format has: how others are rounded is open."""
    for target in WAIT:
        for entry in FORMATS:
            for typed in (False, True):
                buffer = Formatted(target, *entry)
                if buffer.kind in ("uscaled", "sscaled") or entry[0] == "10_11_11_FLOAT":
                    yield from buffer.store(typed, False, len(buffer.widths))
                    if max(buffer.widths) <= 11:
                        yield from buffer.store(typed, True, len(buffer.widths))


def nobody():
    """Where no lane is active a descriptor is not looked at: it may be none."""
    for target, wait in WAIT.items():
        soffset = "null" if target == "gfx120" else "0"
        load = LOADS[2][target in ("gfx11", "gfx120")]
        atomic = "buffer_atomic_add" + ("" if target in ("gfx9", "gfx10") else "_u32")
        for code in (f"buffer_load_{load} v[4:5], v0, s[4:7], {soffset} offen", f"buffer_load_format_xy v[4:5], v0, s[4:7], {soffset} offen",
                     f"buffer_store_format_xy v[4:5], v0, s[4:7], {soffset} offen", f"{atomic} v4, v0, s[4:7], {soffset} offen"):
            yield f"{target}: {code}; {wait} | wave=wave exec=0 s4=0xffffffff s5=0xffffffff s6=0xffffffff s7=0xfff80fff v4=8 v5=9 -> v4=8 v5=9"


def main():
    text = ["# AMD's buffers, scalar accesses, float atomics and counters. Made by make_buffer.py; expected values are Python's."]
    for part in (loads, stores, buffer_atomics, scalar_buffers, scalar_stores, float_extremes, lds, to_lds, formatted, nobody, told_loads, exact_stores):
        for line in part():
            for wave in ([64] if line.startswith(("gfx9", "vega")) and "gfx9 gfx10:" not in line else [32, 64]):
                head, rest = line.split(":", 1)
                if "gfx9 gfx10" in head and wave == 32:
                    head = head.replace("gfx9 ", "")
                assert "wave=wave" in rest, line
                text.append(head + ":" + rest.replace("wave=wave", f"wave={wave}"))
    with open(__file__.replace("make_buffer.py", "buffer.txt"), "w") as file:
        file.write("\n".join(text) + "\n")


main()
