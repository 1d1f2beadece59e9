#!/usr/bin/env python3
"""Makes background.txt: transposing loads, blocks of registers, copies between LDS and global memory in the background, tiles of tensors, barriers in LDS.

Expected values are Python's and numpy's. Which lane's element goes where stands below as the sources have it: for gfx950 the figures of rocRoller's test on
hardware (elements by matrix coordinates), for gfx12 and gfx125 those of rocjitsu's memory tests, of a measurement on gfx1201, and of one on gfx1250 (bytes from LDS).
Tiles follow the loops of AMD's CDNA5 ISA guide, 10.11.2, one element after the other. `python3 make_background.py` rewrites the file.
"""

import random

import numpy as np

R = random.Random(77)


def listed(values):
    return ",".join(hex(int(v)) for v in values)


def tuple_of(first, words):
    return f"v{first}" if words == 1 else f"v[{first}:{first + words - 1}]"


def elements(words, bits):
    """The elements in a lane's words, the lowest first."""
    whole = sum(w << (32 * i) for i, w in enumerate(words))
    return [whole >> at & ((1 << bits) - 1) for at in range(0, 32 * len(words), bits)]


def packed(values, bits, words):
    whole = sum(v << (i * bits) for i, v in enumerate(values))
    return [whole >> (32 * i) & 0xFFFFFFFF for i in range(words)]


# What a lane gets, of what all lanes have loaded: `got[lane]` are elements.


def cdna4(loaded, bits):
    """In each 16 lanes: runs of 16 elements in the order of lanes are rows of a matrix, of which lane c gets column c."""
    got = []
    for first in range(0, 64, 16):
        flat = [e for lane in loaded[first:first + 16] for e in lane]
        matrix = np.array(flat, dtype=object).reshape(-1, 16)
        got += [list(matrix[:, c]) for c in range(16)]
    return got


def eights(loaded, bits):
    """In each 8 lanes a matrix of 8 rows, of which lane c gets column c."""
    got = []
    for first in range(0, 32, 8):
        matrix = np.array(loaded[first:first + 8], dtype=object)
        got += [list(matrix[:, c]) for c in range(8)]
    return got


def bytes_from_lds(loaded, bits):
    """As seen on gfx1250: lanes 0 to 3 and 8 to 11 of 16 are one matrix, 4 to 7 and 12 to 15 the other."""
    got = []
    for lane in range(32):
        base, second, column = lane // 16 * 16, lane // 8 % 2, lane % 8
        got.append([loaded[base + second * 4 + e // 4 * 8 + e % 4][column] for e in range(8)])
    return got


def fours(loaded, bits):
    """16 rows and 32 columns; lane k has loaded column k."""
    got = [[0] * 16 for _ in range(32)]
    for m in range(16):
        for k in range(32):
            got[m + 16 * (k >> 3 & 1)][(k & 7) + 8 * (k >> 4)] = loaded[k][m]
    return got


def sixes(loaded, bits):
    """16 rows and 32 columns; lane l has loaded this column, and gets half a row."""
    column = [4 * (lane >> 3) + (lane & 3) + 16 * (lane >> 2 & 1) for lane in range(32)]
    at = {column[lane]: loaded[lane] for lane in range(32)}
    return [[at[lane // 16 * 16 + i][lane % 16] for i in range(16)] for lane in range(32)]


def wide(order):
    """In wavefronts of 64 lanes the upper 32 get the second half of what the lower ones would."""

    def apply(loaded, bits):
        got = order(loaded, bits)
        half = len(got[0]) // 2
        return [g[:half] for g in got] + [g[half:] for g in got]

    return apply


def data(lanes, words):
    return [[R.getrandbits(32) for _ in range(words)] for _ in range(lanes)]


def result(first, got, bits):
    words = len(got[0]) * bits // 32
    rows = [packed(lane, bits, words) for lane in got]
    return " ".join(f"v{first + w}={listed(row[w] for row in rows)}" for w in range(words))


def from_lds():
    loads = [("gfx950", "ds_read_b64_tr_b16", 16, 2, cdna4), ("gfx950", "ds_read_b64_tr_b8", 8, 2, cdna4),
             ("gfx950", "ds_read_b64_tr_b4", 4, 2, cdna4), ("gfx950", "ds_read_b96_tr_b6", 6, 3, cdna4),
             ("gfx125", "ds_load_tr16_b128", 16, 4, eights), ("gfx125", "ds_load_tr8_b64", 8, 2, bytes_from_lds),
             ("gfx125", "ds_load_tr4_b64", 4, 2, fours), ("gfx125", "ds_load_tr6_b96", 6, 3, sixes)]
    for targets, name, bits, words, order in loads:
        lanes, old = (64, True) if targets == "gfx950" else (32, False)
        step = {2: 8, 3: 16, 4: 16}[words]
        store = ("ds_write_b" if old else "ds_store_b") + str(32 * words)
        wait = "s_waitcnt lgkmcnt(0)" if old else "s_wait_dscnt 0x0"
        for case in range(3):
            order_of = list(range(lanes)) if case == 0 else R.sample(range(lanes), lanes)
            have, offset = data(lanes, words), [0, 16, 64][case]
            loaded = [elements(have[i], bits) for i in order_of]
            given = " ".join(f"v{2 + w}={listed(row[w] for row in have)}" for w in range(words))
            put = f" offset:{offset}" if offset else ""
            # Pairs of registers begin at an even one.
            print(f"{targets}: {store} v1, {tuple_of(2, words)}{put}; {name} {tuple_of(10, words)}, v6{put}; {wait} | lds=1 "
                  f"v1={listed(range(0, step * lanes, step))} v6={listed(step * i for i in order_of)} {given} -> "
                  + result(10, order(loaded, bits), bits))
        print(f"{targets}: {name} {tuple_of(10, words)}, v6; {wait} | lds=1 exec=0 v10=7 -> v10=7")
        print(f"{targets}: {name} {tuple_of(10, words)}, v6; {wait} | lds=1 exec=0xfffffffd -> fault=EXEC_must_have_all")


def from_memory():
    loads = [("gfx125", 32, "global_load_tr16_b128", 16, 4, eights), ("gfx125", 32, "global_load_tr8_b64", 8, 2, eights),
             ("gfx125", 32, "global_load_tr4_b64", 4, 2, fours), ("gfx125", 32, "global_load_tr6_b96", 6, 3, sixes),
             ("gfx120", 32, "global_load_tr_b128", 16, 4, eights), ("gfx120", 32, "global_load_tr_b64", 8, 2, eights),
             ("gfx120", 64, "global_load_tr_b128", 16, 4, wide(eights)), ("gfx120", 64, "global_load_tr_b64", 8, 2, wide(eights))]
    for targets, wave, name, bits, words, order in loads:
        for case in range(2):
            order_of = list(range(32)) if case == 0 else R.sample(range(32), 32)
            have = data(32, words)
            loaded = [elements(have[i], bits) for i in order_of]
            memory = listed(w for lane in have for w in lane)
            # Addresses of lanes that do not load are nowhere.
            beyond = ["0x0"] * (wave - 32)
            dst = tuple_of(10, words * 32 // wave)
            if case == 0:
                at = ",".join([f"&{4 * words * i}" for i in order_of] + beyond)
                access = f"{name} {dst}, v[6:7], off"
                given = f"v[6:7]={at}"
            else:
                at = ",".join([hex(4 * words * i) for i in order_of] + beyond)
                access = f"{name} {dst}, v6, s[2:3] offset:-32"
                given = f"v6={at} s[2:3]=&32"
            print(f"{targets}: {access}; s_wait_loadcnt 0x0 | wave={wave} {given} mem={memory} -> {result(10, order(loaded, bits), bits)}")
        print(f"{targets}: {name} {tuple_of(10, words * 32 // wave)}, v[6:7], off; s_wait_loadcnt 0x0 | wave={wave} exec=0x7fffffff v[6:7]=&0 -> "
              "fault=EXEC_must_have_all")


def blocks():
    for mask in (0, 1, 0x80000001, 0x0000F00A, 0xFFFFFFFF, R.getrandbits(32)):
        memory = [R.getrandbits(32) for _ in range(32 * 3)]
        at = [128 * (lane % 3) for lane in range(32)]
        have = [[R.getrandbits(32) for _ in range(32)] for _ in range(32)]
        loaded = [[memory[at[lane] // 4 + i] if mask >> i & 1 else 1000 + i for lane in range(32)] for i in range(32)]
        given = " ".join(f"v{40 + i}={1000 + i}" for i in range(32))
        want = " ".join(f"v{40 + i}={listed(loaded[i])}" for i in range(32))
        print(f"gfx12: global_load_block v[40:71], v1, s[2:3] offset:-8; s_wait_loadcnt 0x0 | wave=32 m0={mask:#x} v1={listed(at)} s[2:3]=&8 "
              f"mem={listed(memory)} {given} -> {want}")
        pairs = ",".join(f"&{a}" for a in at)
        if mask == 0x80000001:
            print(f"gfx12: global_load_block v[40:71], v[2:3], off; s_wait_loadcnt 0x0 | wave=32 m0={mask:#x} v[2:3]={pairs} mem={listed(memory)} {given} -> {want}")
            # A register whose bit is not set is free; one whose bit is set must be waited for.
            print(f"gfx12: global_load_block v[40:71], v[2:3], off; v_mov_b32_e32 v41, 5; s_wait_loadcnt 0x0 | wave=32 m0={mask:#x} v[2:3]=&0 "
                  f"mem=0x9 -> v40=0x9 v41=5")
            print(f"gfx12: global_load_block v[40:71], v[2:3], off; v_mov_b32_e32 v1, v40; s_wait_loadcnt 0x0 | wave=32 m0={mask:#x} v[2:3]=&0 "
                  "mem=0x9 -> fault=Late")
        # Each lane stores to a place of its own; two lanes are active.
        after = [0xABCDEF01] * 64
        for lane in (0, 5):
            for i in range(32):
                if mask >> i & 1:
                    after[32 * (lane == 5) + i] = have[lane][i]
        to = ",".join("&128" if lane == 5 else "&0" for lane in range(6))
        values = " ".join(f"v{40 + i}={listed(have[lane][i] for lane in range(6))}" for i in range(32))
        print(f"gfx12: global_store_block v[2:3], v[40:71], off; s_wait_storecnt 0x0 | wave=32 exec=0x21 m0={mask:#x} v[2:3]={to} {values} "
              f"mem={listed([0xABCDEF01] * 64)} -> mem={listed(after)}")
        got = " ".join(f"v{80 + i}={hex(have[0][i] if mask >> i & 1 else 77)},77,77,77,77,{hex(have[5][i] if mask >> i & 1 else 77)}" for i in range(32))
        old = " ".join(f"v{80 + i}=77" for i in range(32))
        print(f"gfx12: scratch_store_block off, v[40:71], off offset:16; s_wait_storecnt 0x0; scratch_load_block v[80:111], off, off offset:16; s_wait_loadcnt 0x0 "
              f"| wave=32 exec=0x21 scratch=256 m0={mask:#x} {values} {old} -> {got}")


def monitors():
    for size, words in (("b32", 1), ("b64", 2), ("b128", 4)):
        memory = [R.getrandbits(32) for _ in range(12)]
        at = [4, 12, 0]
        want = " ".join(f"v{10 + w}={listed(memory[a // 4 + w] for a in at)}" for w in range(words))
        for kind, wait in (("global", "s_wait_loadcnt 0x0"), ("flat", "s_wait_loadcnt_dscnt 0x0")):
            off = ", off" if kind == "global" else ""
            print(f"gfx125: {kind}_load_monitor_{size} {tuple_of(10, words)}, v[6:7]{off} offset:4; {wait} | exec=7 "
                  f"v[6:7]={','.join(f'&{a - 4}' for a in at)} mem={listed(memory)} -> {want}")


def small_ones():
    for case in range(6):
        old, b = R.getrandbits(64), R.getrandbits(64) & ~(1 << 31 | 1 << 63) | [0, 1 << 31, 1 << 63, 1 << 31 | 1 << 63][case % 4]
        if case == 4:
            old, b = 2**64 - 1, 2**64 - 1
        new = 0
        for shift in (0, 32):
            o, d = old >> shift & 0xFFFFFFFF, b >> shift & 0xFFFFFFFF
            new |= (d & 0x7FFFFFFF if d >> 31 else o) << shift
        for targets, store, load, wait in (("gfx9 gfx10", "ds_write_b64", "ds_read_b64", "s_waitcnt lgkmcnt(0)"),
                                           ("gfx11", "ds_store_b64", "ds_load_b64", "s_waitcnt lgkmcnt(0)"),
                                           ("gfx12", "ds_store_b64", "ds_load_b64", "s_wait_dscnt 0x0")):
            print(f"{targets}: {store} v0, v[2:3] offset:24; ds_condxchg32_rtn_b64 v[4:5], v0, v[6:7] offset:24; {load} v[8:9], v0 offset:24; {wait} | "
                  f"lds=1 exec=1 v0=8 v[2:3]={old:#x} v[6:7]={b:#x} -> v[4:5]={old:#x},0 v[8:9]={new:#x},0")
    words, after = [R.getrandbits(32) for _ in range(4)], [5] * 8
    for lane in (0, 2, 3):
        after[2 + lane] = words[lane]
    # LDS counts lanes by itself (Vega ISA guide, 8.1.8), buffers do where their descriptor says so (ADD_TID_ENABLE), by the stride.
    for more, descriptor, mask, want in (("s_or_b32 s5, s5, 0x40000; ", 1 << 23, 13, after), ("", 0x27000, 1, [5, 5, words[0]] + [5] * 5), ("", 0x27000, 4, [5, 5, words[2]] + [5] * 5)):
        print(f"vega gfx90a: {more}ds_write_b32 v1, v2 offset:32; s_waitcnt lgkmcnt(0); s_mov_b64 exec, {mask}; buffer_store_lds_dword s[4:7], 0 offset:8 lds; s_waitcnt vmcnt(0) | "
              f"lds=1 exec=15 m0=24 v1=0,4,8,12 v2={listed(words)} s[4:5]=&0 s6=4096 s7={descriptor:#x} mem={listed([5] * 8)} -> mem={listed(want)}")
    for name in ("s_dcache_discard", "s_dcache_discard_x2"):
        print(f"gfx9 gfx101: {name} s[2:3], 0x0; s_mov_b32 s5, 3 | s[2:3]=&0 -> s5=3")


def copies():
    for size, words in (("b8", 0), ("b32", 1), ("b64", 2), ("b128", 4)):
        count = max(4 * words, 1)
        memory = np.array([R.getrandbits(8) for _ in range(256)], dtype=np.uint8)
        as_words = memory.view("<u4")
        pick = [R.randrange(8) for _ in range(6)]
        lds = [[0, 2, 4, 1, 3, 5][i] * count + 32 for i in range(6)]
        lds_after = np.zeros(256, dtype=np.uint8)
        for lane in range(6):
            lds_after[lds[lane]:lds[lane] + count] = memory[pick[lane] * count:][:count]
        want = listed(lds_after.view("<u4")[:32])
        addresses = ",".join(f"&{count * p}" for p in pick)
        read = "; s_mov_b32 exec_lo, -1; ds_load_b32 v5, v4; s_wait_dscnt 0x0"
        every = f"v4={listed(range(0, 128, 4))}"
        for family, m0 in (("global_load_async_to_lds", ""), ("cluster_load_async_to_lds", "m0=1 ")):
            wave = "wave=32"
            print(f"gfx125: {family}_{size} v1, v[2:3], off; s_wait_asynccnt 0x0{read} | {wave} lds=1 exec=0x3f {m0}v1={listed(lds)} v[2:3]={addresses} {every} "
                  f"mem={listed(as_words)} -> v5={want}")
            # A wait for everything waits for this, too.
            print(f"gfx125: {family}_{size} v1, v[2:3], off; s_wait_idle{read} | {wave} lds=1 exec=0x3f {m0}v1={listed(lds)} v[2:3]={addresses} {every} "
                  f"mem={listed(as_words)} -> v5={want}")
            # The offset counts for both; offsets of lanes may count what is copied.
            moved = listed((o - 16) & 0xFFFFFFFF for o in lds)
            print(f"gfx125: {family}_{size} v1, v2, s[6:7] offset:16; s_wait_asynccnt 0x0{read} | {wave} lds=1 exec=0x3f {m0}v1={moved} "
                  f"v2={listed(count * p for p in pick)} s[6:7]=&-16 {every} mem={listed(as_words)} -> v5={want}")
            print(f"gfx125: {family}_{size} v1, v2, s[6:7] scale_offset; s_wait_asynccnt 0x0{read} | {wave} lds=1 exec=0x3f {m0}v1={listed(lds)} "
                  f"v2={listed(pick)} s[6:7]=&0 {every} mem={listed(as_words)} -> v5={want}")
            # A lane whose place does not exist copies nothing.
            dropped = lds_after.copy()
            dropped[lds[2]:lds[2] + count] = 0
            places = list(lds)
            places[2] = 0x7FFFFFF0
            nowhere = addresses.split(",")
            nowhere[2] = "0x0"
            print(f"gfx125: {family}_{size} v1, v[2:3], off; s_wait_asynccnt 0x0{read} | {wave} lds=1 exec=0x3f {m0}v1={listed(places)} v[2:3]={','.join(nowhere)} {every} "
                  f"mem={listed(as_words)} -> v5={listed(dropped.view('<u4')[:32])}")
            # Who has not waited is told; who has waited for the first alone may read the first alone.
            print(f"gfx125: {family}_{size} v1, v[2:3], off; ds_load_u8 v5, v1; s_wait_asynccnt 0x0; s_wait_dscnt 0x0 | {wave} lds=1 exec=1 {m0}v1=0 v[2:3]=&0 -> fault=Unwaited")
            print(f"gfx125: {family}_{size} v1, v[2:3], off; ds_store_b8 v1, v5; s_wait_asynccnt 0x0 | {wave} lds=1 exec=1 {m0}v1=0 v[2:3]=&0 -> fault=Unwaited")
            two = f"{family}_{size} v1, v[2:3], off; {family}_{size} v6, v[2:3], off; s_wait_asynccnt 0x1"
            print(f"gfx125: {two}; ds_load_u8 v5, v1; s_wait_asynccnt 0x0; s_wait_dscnt 0x0 | {wave} lds=1 exec=1 {m0}v1=0 v6=64 v[2:3]=&0 mem=0x37 -> v5=0x37,0")
            print(f"gfx125: {two}; ds_load_u8 v5, v6; s_wait_asynccnt 0x0; s_wait_dscnt 0x0 | {wave} lds=1 exec=1 {m0}v1=0 v6=64 v[2:3]=&0 mem=0x37 -> fault=Unwaited")
        print(f"gfx125: cluster_load_async_to_lds_{size} v1, v[2:3], off; s_wait_asynccnt 0x0 | lds=1 exec=1 m0=2 v1=0 v[2:3]=&0 -> fault=asks_for_data")
        # From LDS.
        fill = [R.getrandbits(32) for _ in range(32)]
        source = np.array(fill, dtype="<u4").view(np.uint8)
        place = [R.randrange(128 // count) * count for _ in range(6)]
        to = [[5, 3, 1, 4, 2, 0][i] * 16 for i in range(6)]
        after = np.full(128, 0xEE, dtype=np.uint8)
        for lane in range(6):
            after[to[lane]:to[lane] + count] = source[place[lane]:place[lane] + count]
        begin = f"ds_store_b32 v4, v8; s_wait_dscnt 0x0; s_mov_b32 exec_lo, 63"
        common = f"{every} v8={listed(fill)} mem={listed([0xEEEEEEEE] * 32)}"
        name = f"global_store_async_from_lds_{size}"
        print(f"gfx125: {begin}; {name} v[2:3], v1, off; s_wait_asynccnt 0x0 | wave=32 lds=1 v1={listed(place)} v[2:3]={','.join(f'&{t}' for t in to)} {common} "
              f"-> mem={listed(after.view('<u4'))}")
        print(f"gfx125: {begin}; {name} v2, v1, s[6:7] offset:-8; s_wait_asynccnt 0x0 | wave=32 lds=1 v1={listed(p + 8 for p in place)} v2={listed(to)} s[6:7]=&8 {common} "
              f"-> mem={listed(after.view('<u4'))}")
        print(f"gfx125: {name} v[2:3], v1, off; ds_store_b8 v1, v5; s_wait_asynccnt 0x0 | lds=1 exec=1 v1=16 v[2:3]=&0 -> fault=Unwaited")
        print(f"gfx125: {name} v[2:3], v1, off; global_load_u8 v5, v[2:3], off; s_wait_asynccnt 0x0 | lds=1 exec=1 v1=16 v[2:3]=&0 -> fault=Unwaited")
        print(f"gfx125: {name} v[2:3], v1, off; s_wait_asynccnt 0x0 | lds=1 exec=1 v1=0x7ffffff0 v[2:3]=&0 -> fault=OutOfBounds")
        # A store and a load: a wait for one of them promises neither.
        print(f"gfx125: {name} v[2:3], v1, off; global_load_async_to_lds_{size} v6, v[2:3], off offset:64; s_wait_asynccnt 0x1; ds_load_u8 v5, v6 offset:64 | "
              "lds=1 exec=1 v1=0 v6=128 v[2:3]=&0 -> fault=Unwaited")


def arrive(state, by):
    """One arrival after the other; 29 bits of the count, three of the phase."""
    count, phase, reload = state & (2**29 - 1), state >> 29 & 7, state >> 32 & 0xFFFF
    for _ in range(by):
        if count:
            count -= 1
        else:
            count, phase = reload, (phase - 1) % 8
    return reload << 32 | phase << 29 | count


def barriers():
    for expected, by in ((1, 1), (3, 0), (3, 1), (3, 2), (3, 3), (3, 4), (3, 10), (1000, 2500)):
        begin = (expected - 1) << 32 | (expected - 1)
        state = arrive(begin, expected if by == 4 else 0)
        after = arrive(state, by)
        print(f"gfx125: ds_store_b64 v1, v[2:3] offset:8; ds_atomic_barrier_arrive_rtn_b64 v[4:5], v1, v[6:7] offset:8; ds_load_b64 v[8:9], v1 offset:8; s_wait_dscnt 0x0 | "
              f"lds=1 exec=1 v1=16 v[2:3]={state:#x} v[6:7]={by:#x} -> v[4:5]={state:#x},0 v[8:9]={after:#x},0")
    # Each active lane arrives, in the order of the copies before it.
    for lanes, expected in ((1, 1), (5, 3), (5, 6), (32, 32)):
        begin = (expected - 1) << 32 | (expected - 1)
        after = arrive(begin, lanes)
        print("gfx125: ds_store_b64 v1, v[2:3]; s_wait_dscnt 0x0; ds_atomic_async_barrier_arrive_b64 v1; s_wait_asynccnt 0x0; ds_load_b64 v[8:9], v1; s_wait_dscnt 0x0 | "
              f"wave=32 lds=1 exec={(1 << lanes) - 1:#x} v1=16 v[2:3]={begin:#x} -> v[8:9]={after:#x},{hex(after) if lanes > 1 else 0}")
    print("gfx125: ds_atomic_async_barrier_arrive_b64 v1 offset:4; s_wait_asynccnt 0x0 | lds=1 exec=1 v1=16 -> fault=Misaligned")


class Tile:
    """A descriptor's fields; what is not said is zero."""

    def __init__(self, size, tensor, tile, strides, lds=0, offset=0, pad=None, repeat=None, rows=None, wide=False, barrier=None, count=1, mask=0):
        self.size, self.tensor, self.tile, self.strides, self.lds, self.offset = size, tensor, tile, strides, lds, offset
        self.pad, self.repeat, self.rows, self.wide, self.barrier, self.count, self.mask = pad, repeat, rows, wide, barrier, count, mask

    def groups(self):
        """The words of the four groups; the address is put in where the program runs."""
        bits = [0] * 4

        def put(group, first, width, value):
            assert 0 <= value < 1 << width, (group, first, value)
            bits[group] |= value << first

        def at(values, i):
            return values[i] if i < len(values) else 0

        put(0, 0, 2, self.count)
        put(0, 32, 32, self.lds)
        if self.rows is not None:
            put(0, 31, 1, 1)
            put(0, 30, 1, int(self.wide))
        put(1, 0, 16, self.mask)
        put(1, 16, 2, self.size)
        if self.barrier is not None:
            put(1, 18, 1, 1)
            put(1, 32, 16, self.barrier // 8)
        if self.pad:
            interval, amount = self.pad
            put(1, 20, 1, 1)
            put(1, 22, 3, interval.bit_length() - 2)
            put(1, 25, 7, amount - 1)
        put(1, 48, 32, at(self.tensor, 0))
        put(1, 80, 32, at(self.tensor, 1))
        put(1, 112, 16, at(self.tile, 0))
        put(1, 128, 16, len(self.rows) if self.rows is not None else at(self.tile, 1))
        put(1, 144, 16, at(self.tile, 2))
        put(1, 160, 48, at(self.strides, 0))
        put(1, 208, 48, at(self.strides, 1))
        if self.rows is not None:
            width = 32 if self.wide else 16
            for i, row in enumerate(self.rows):
                put(2 + i * width // 128, i * width % 128, width, row)
        else:
            put(2, 0, 32, at(self.tensor, 2))
            if self.repeat:
                times, memory, lds = self.repeat
                put(1, 19, 1, 1)
                put(2, 32, 32, lds)
                put(2, 64, 48, memory)
                put(2, 112, 16, times - 1)
            else:
                put(2, 32, 32, at(self.tensor, 3))
                put(2, 64, 48, at(self.strides, 2))
                put(2, 112, 16, at(self.tile, 3))
                put(3, 0, 48, at(self.strides, 3))
                put(3, 48, 32, at(self.tensor, 4))
                put(3, 80, 16, at(self.tile, 4))
        return [[bits[g] >> (32 * w) & 0xFFFFFFFF for w in range(n)] for g, n in enumerate((4, 8, 4, 4))]

    def needs_more(self):
        return self.rows is not None or self.repeat is not None or len(self.tile) > 2

    def elements(self):
        """Of each element: where it is behind the tensor's address, whether it is in the tensor, and where in LDS it would be without padding; in elements."""
        tile = list(self.tile) + [1] * (5 - len(self.tile))
        if self.rows is not None:
            tile[1] = len(self.rows)
        times, step, lds_step = self.repeat or (1, 0, 0)
        for time in range(times):
            origin, left = [0] * 5, time * step
            for d in range(len(self.tile) - 1, 0, -1):
                origin[d], left = divmod(left, self.strides[d - 1])
            origin[0] = left
            n = 0
            for index in np.ndindex(*reversed(tile)):
                where = list(reversed(index))
                if self.rows is not None:
                    where[1] = self.rows[where[1]]
                inside = all(o + w < t for o, w, t in zip(origin, where, self.tensor))
                element = time * step + sum(w * s for w, s in zip(where, [1] + list(self.strides)))
                yield element, inside, time * lds_step + n
                n += 1

    def load(self, memory, lds):
        size = 1 << self.size
        at, stored, first = self.lds, 0, None
        for element, inside, dense in self.elements():
            if self.repeat and dense % self.repeat[2] == 0 and dense:
                at = self.lds + dense * size
            from_ = self.offset + element * size
            lds[at:at + size] = memory[from_:from_ + size] if inside else 0
            at, stored = at + size, stored + size
            if self.pad and stored // 4 >= self.pad[0]:
                stored, at = 0, at + 4 * self.pad[1]

    def store(self, lds, memory):
        size = 1 << self.size
        for element, inside, dense in self.elements():
            to, from_ = self.offset + element * size, self.lds + dense * size
            if inside:
                memory[to:to + size] = lds[from_:from_ + size]


TILES = [
    Tile(2, (5,), (5,), ()),
    Tile(0, (16, 4), (7, 3), (16,), lds=5, offset=3),
    Tile(1, (9, 4), (12, 6), (10,), offset=2),
    Tile(2, (4, 4), (4, 4), (6,), lds=12, offset=8),
    Tile(3, (2, 3), (3, 4), (4,), lds=8),
    Tile(2, (4, 3), (4, 3), (4,), pad=(2, 1)),
    Tile(1, (8, 3), (8, 4), (8,), lds=4, pad=(4, 3)),
    Tile(0, (16, 4), (12, 4), (20,), pad=(8, 2)),
    Tile(2, (3, 3, 3), (2, 2, 2), (4, 14)),
    Tile(0, (4, 2, 3, 2), (3, 2, 2, 3), (4, 8, 24), lds=1),
    Tile(1, (2, 2, 2, 2, 2), (2, 3, 1, 2, 2), (2, 4, 10, 20)),
    Tile(2, (4, 9), (4, 1), (5,), repeat=(4, 10, 4)),
    Tile(2, (4, 9), (4, 2), (4,), repeat=(3, 16, 12)),
    Tile(2, (5, 4), (3, 0), (6,), rows=[2, 0, 3, 3]),
    Tile(1, (6, 5), (8, 0), (8,), rows=[0, 4, 4, 5, 9], lds=4),
    Tile(2, (4, 6), (2, 0), (4,), rows=[5, 1], wide=True),
    Tile(2, (4, 4), (4, 4), (4,), count=0),
    Tile(2, (0, 4), (2, 2), (4,)),
    Tile(2, (4, 4), (2, 2), (4,), mask=1),
]


def tiles():
    for tile in TILES:
        memory = np.array([R.getrandbits(8) for _ in range(512)], dtype=np.uint8)
        groups = tile.groups()
        filled = [R.getrandbits(32) for _ in range(64)]
        lds = np.array(filled, dtype="<u4").view(np.uint8).copy()
        stored_lds = lds.copy()
        if tile.count:
            tile.load(memory, lds)
        after = memory.copy()
        plain = Tile(**{**tile.__dict__})
        if tile.count:
            plain.store(stored_lds, after)
        names = "s[0:3], s[4:11]" + (", s[12:15], s[16:19]" if tile.needs_more() else "")
        extra = f" s[12:15]={listed(groups[2])} s[16:19]={listed(groups[3])}" if tile.needs_more() else ""
        # The address comes from a pair of registers; its type is put above it.
        prepare = ("ds_store_b32 v1, v2; ds_store_b32 v1, v3 offset:128; s_wait_dscnt 0x0; s_mov_b32 s2, s30; s_or_b32 s3, s31, 0x80000000")
        given = (f"wave=32 lds=1 v1={listed(range(0, 128, 4))} v2={listed(filled[:32])} v3={listed(filled[32:])} s[0:3]={listed(groups[0])} s[4:11]={listed(groups[1])}{extra} "
                 f"s[30:31]=&{tile.offset} mem={listed(memory.view('<u4'))}")
        read = "ds_load_b32 v4, v1; ds_load_b32 v5, v1 offset:128; s_wait_dscnt 0x0"
        as_words = lds.view("<u4")
        print(f"gfx125: {prepare}; s_mov_b32 exec_lo, 0; tensor_load_to_lds {names}; s_wait_tensorcnt 0x0; s_mov_b32 exec_lo, -1; {read} | {given} -> "
              f"v4={listed(as_words[:32])} v5={listed(as_words[32:])}")
        if not tile.pad:
            print(f"gfx125: {prepare}; tensor_store_from_lds {names}; s_wait_tensorcnt 0x0 | {given} -> mem={listed(after.view('<u4'))}")
    one = Tile(2, (8,), (8,), ()).groups()
    base = f"wave=32 lds=1 s[0:3]={listed(one[0])} s[4:11]={listed(one[1])} s[30:31]=&0 mem=0x5"
    address = "s_mov_b32 s2, s30; s_or_b32 s3, s31, 0x80000000"
    print(f"gfx125: {address}; tensor_load_to_lds s[0:3], s[4:11]; ds_load_b32 v2, v1; s_wait_tensorcnt 0x0 | {base} v1=4 -> fault=Unwaited")
    print(f"gfx125: {address}; tensor_load_to_lds s[0:3], s[4:11]; ds_load_b32 v2, v1; s_wait_tensorcnt 0x0; s_wait_dscnt 0x0 | {base} v1=32 -> v2=0")
    print(f"gfx125: {address}; tensor_load_to_lds s[0:3], s[4:11]; s_movk_i32 s1, 0x40; tensor_load_to_lds s[0:3], s[4:11]; s_wait_tensorcnt 0x1; ds_load_b32 v2, v1; "
          f"s_wait_tensorcnt 0x0; s_wait_dscnt 0x0 | {base} v1=0 -> v2=5")
    print(f"gfx125: {address}; tensor_load_to_lds s[0:3], s[4:11]; s_movk_i32 s1, 0x40; tensor_load_to_lds s[0:3], s[4:11]; s_wait_tensorcnt 0x1; ds_load_b32 v2, v1 | "
          f"{base} v1=0x40 -> fault=Unwaited")
    print(f"gfx125: {address}; tensor_store_from_lds s[0:3], s[4:11]; ds_store_b32 v1, v2; s_wait_tensorcnt 0x0 | {base} v1=4 -> fault=Unwaited")
    print(f"gfx125: s_mov_b32 s2, s30; s_mov_b32 s3, s31; tensor_load_to_lds s[0:3], s[4:11] | {base} -> fault=must_be_2")
    print(f"gfx125: {address}; s_mov_b32 s1, 0x7fff0000; tensor_load_to_lds s[0:3], s[4:11] | {base} -> fault=OutOfBounds")
    print(f"gfx125: {address}; s_or_b32 s0, s0, 4; tensor_load_to_lds s[0:3], s[4:11] | {base} -> fault=programs_may_only_have_0_or_1")
    # A barrier in LDS is told, behind the tile.
    told = Tile(2, (8,), (8,), (), barrier=64).groups()
    begin, after = 1 << 32 | 1, arrive(1 << 32 | 1, 1)
    print(f"gfx125: ds_store_b64 v1, v[2:3]; s_wait_dscnt 0x0; {address}; tensor_load_to_lds s[0:3], s[4:11]; s_wait_tensorcnt 0x0; ds_load_b64 v[4:5], v1; s_wait_dscnt 0x0 | "
          f"wave=32 lds=1 v1=64 v[2:3]={begin:#x} s[0:3]={listed(told[0])} s[4:11]={listed(told[1])} s[30:31]=&0 -> v[4:5]={after:#x}")
    print(f"gfx125: ds_store_b64 v1, v[2:3]; s_wait_dscnt 0x0; {address}; tensor_store_from_lds s[0:3], s[4:11]; s_wait_tensorcnt 0x0; ds_load_b64 v[4:5], v1; s_wait_dscnt 0x0 | "
          f"wave=32 lds=1 v1=64 v[2:3]={begin:#x} s[0:3]={listed(told[0])} s[4:11]={listed(told[1])} s[30:31]=&0 -> v[4:5]={after:#x}")


def main():
    import contextlib
    import os

    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "background.txt")
    with open(path, "w") as out, contextlib.redirect_stdout(out):
        print("# Made by make_background.py: see there for where the expected values come from.")
        for make in (from_lds, from_memory, blocks, monitors, small_ones, copies, barriers, tiles):
            make()


main()
