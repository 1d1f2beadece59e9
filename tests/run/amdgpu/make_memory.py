#!/usr/bin/env python3
"""Makes memory.txt: AMD's atomics, accesses of two places, halves of registers and exchanges between lanes, by Python's integers.

What each instruction does follows the operation that AMD's ISA guides give for it (of the lanes that `ds_permute_b32` and `ds_bpermute_b32` reach on gfx10
and gfx11 in wavefronts of 64 LLVM's AMDGPU back end says that they are those of the same 32). `python3 make_memory.py` rewrites the file.
"""

import random

R = random.Random(22)
EDGES = [0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xDEADBEEF]


def signed(x, bits):
    return x - (1 << bits) if x >> (bits - 1) else x


def atomic(op, old, b, bits):
    mask = (1 << bits) - 1
    less = signed(b, bits) < signed(old, bits)
    return {
        "add": old + b, "sub": old - b, "rsub": b - old, "and": old & b, "or": old | b, "xor": old ^ b,
        "inc": 0 if old >= b else old + 1, "dec": b if old == 0 or old > b else old - 1,
        "umin": min(old, b), "umax": max(old, b), "smin": b if less else old, "smax": old if less else b, "swap": b,
        "csub": max(old - b, 0), "cond_sub": old - b if old >= b else old,
    }[op] & mask


# Names after the prefix: of LDS, of memory to gfx10, and of memory from gfx11 on.
NAMES = {
    "add": ("add{}_u", "add", "add_u"), "sub": ("sub{}_u", "sub", "sub_u"), "rsub": ("rsub{}_u", None, None), "and": ("and{}_b", "and", "and_b"),
    "or": ("or{}_b", "or", "or_b"), "xor": ("xor{}_b", "xor", "xor_b"), "inc": ("inc{}_u", "inc", "inc_u"), "dec": ("dec{}_u", "dec", "dec_u"),
    "umin": ("min{}_u", "umin", "min_u"), "umax": ("max{}_u", "umax", "max_u"), "smin": ("min{}_i", "smin", "min_i"), "smax": ("max{}_i", "smax", "max_i"),
    "swap": (None, "swap", "swap_b"),
}
WAIT = {"gfx9 gfx10 gfx11": "s_waitcnt vmcnt(0) lgkmcnt(0)", "gfx12": "s_wait_loadcnt 0x0; s_wait_dscnt 0x0"}


def words(value, bits):
    return [value >> shift & 0xFFFFFFFF for shift in range(0, bits, 32)]


def register(first, bits):
    return f"v{first}" if bits == 32 else f"v[{first}:{first + bits // 32 - 1}]"


def listed(values):
    return ",".join(hex(v) for v in values)


def atomics():
    for (op, (lds, old_name, new_name)), bits in [(item, bits) for item in NAMES.items() for bits in (32, 64)]:
        for case in range(3):
            old = R.choice(EDGES) | R.choice(EDGES) << 32 if bits == 64 else R.choice(EDGES)
            b = old if case == 0 else (R.choice(EDGES) | R.choice(EDGES) << 32) & ((1 << bits) - 1)
            new = atomic(op, old, b, bits)
            data = [f"{register(2 + i, 32)}={hex(w)}" for i, w in enumerate(words(b, bits))]
            gives = [f"{register(4 + i, 32)}={hex(w)},0" for i, w in enumerate(words(old, bits))]
            holds = [f"{register(6 + i, 32)}={hex(w)},0" for i, w in enumerate(words(new, bits))]
            for targets, wait in WAIT.items():
                if lds:
                    for part in ("gfx9 gfx10", "gfx11", "gfx12"):
                        if part.split()[0] not in targets.split():
                            continue
                        load, store = ("ds_read", "ds_write") if "gfx9" in part else ("ds_load", "ds_store")
                        initial = [f"v{8 + i}={hex(w)}" for i, w in enumerate(words(old, bits))]
                        name = lds.format("_rtn")
                        code = [f"{store}_b{bits} v0, {register(8, bits)} offset:16", wait, f"ds_{name}{bits} {register(4, bits)}, v0, {register(2, bits)} offset:16",
                                wait, f"{load}_b{bits} {register(6, bits)}, v0 offset:16", wait]
                        yield f"{part}: {'; '.join(code)} | wave=wave exec=1 lds=1 {' '.join(initial + data)} -> {' '.join(gives + holds)}"
                new_name = new_name and new_name.rstrip("0123456789") + str(bits)
                for part, name, returns in [
                    ("gfx9 gfx10", old_name and old_name + ("_x2" if bits == 64 else ""), "glc"),
                    ("gfx11", new_name, "glc"),
                    ("gfx12", new_name, "th:TH_ATOMIC_RETURN"),
                ]:
                    if name is None or part.split()[0] not in targets.split():
                        continue
                    part = part.replace("gfx9 ", "gfx900 gfx906 gfx908 gfx90a ")
                    load = f"global_load_{'dword' if bits == 32 else 'dwordx2'}" if part != "gfx11" and part != "gfx12" else f"global_load_b{bits}"
                    code = [f"global_atomic_{name} {register(4, bits)}, v0, {register(2, bits)}, s[2:3] offset:8 {returns}", wait,
                            f"{load} {register(6, bits)}, v0, s[2:3] offset:8", wait]
                    memory = [0, 0, *words(old, bits)]
                    yield f"{part}: {'; '.join(code)} | wave=wave exec=1 s[2:3]=&0 mem={listed(memory)} {' '.join(data)} -> {' '.join(gives + holds)}"


def pairs():
    """Two places of LDS, counted in elements or in 64 of them."""
    for bits, stride in [(32, 1), (64, 1), (32, 64), (64, 64)]:
        step = 4 * (bits // 32)
        first, second = (3, 9) if stride == 1 else (0, 1)
        a, b = [R.getrandbits(bits) for _ in "ab"]
        initial = [f"v{4 + i}={hex(w)}" for i, w in enumerate(words(a, bits) + words(b, bits))]
        n = bits // 32
        for part, wait in [("gfx9 gfx10", 0), ("gfx11", 0), ("gfx12", 1)]:
            wait = list(WAIT.values())[wait]
            old = part == "gfx9 gfx10"
            store = f"ds_write2{'st64' if stride == 64 else ''}_b{bits}" if old else f"ds_store_2addr_{'stride64_' if stride == 64 else ''}b{bits}"
            load = f"ds_read2{'st64' if stride == 64 else ''}_b{bits}" if old else f"ds_load_2addr_{'stride64_' if stride == 64 else ''}b{bits}"
            single = f"ds_read_b{bits}" if old else f"ds_load_b{bits}"
            code = [f"{store} v0, {register(4, bits)}, {register(4 + n, bits)} offset0:{first} offset1:{second}", wait,
                    f"{single} {register(10, bits)}, v0 offset:{second * stride * step}", f"{load} {register(12, 2 * bits)}, v0 offset0:{second} offset1:{first}", wait]
            gives = [f"v{10 + i}={hex(w)},0" for i, w in enumerate(words(b, bits))] + [f"v{12 + i}={hex(w)},0" for i, w in enumerate(words(b, bits) + words(a, bits))]
            yield f"{part}: {'; '.join(code)} | wave=wave exec=1 lds=1 {' '.join(initial)} -> {' '.join(gives)}"


def halves():
    """Loads to, and stores from, one half of a register."""
    for (old, new), bits, sign, upper in [
        (("ubyte_d16", "d16_u8"), 8, 0, 0), (("ubyte_d16_hi", "d16_hi_u8"), 8, 0, 1), (("sbyte_d16", "d16_i8"), 8, 1, 0),
        (("sbyte_d16_hi", "d16_hi_i8"), 8, 1, 1), (("short_d16", "d16_b16"), 16, 0, 0), (("short_d16_hi", "d16_hi_b16"), 16, 0, 1),
    ]:
        word, before = 0x8A7F91C3, 0x12345678
        value = word & ((1 << bits) - 1)
        value = (signed(value, bits) if sign else value) & 0xFFFF
        after = value << 16 | before & 0xFFFF if upper else before & 0xFFFF0000 | value
        for part, name, wait in [("gfx9 gfx10", old, 0), ("gfx11", new, 0), ("gfx12", new, 1)]:
            yield (f"{part}: global_load_{name} v4, v0, s[2:3]; {list(WAIT.values())[wait]} | wave=wave exec=1 s[2:3]=&0 mem={hex(word)} v4={hex(before)} -> v4={hex(after)},{hex(before)}")


def fetched(index, value, active, offset, size, wave):
    out = [0] * wave
    for lane in range(wave):
        source = lane // size * size + (index[lane] + offset & 0xFFFFFFFF) // 4 % size
        out[lane] = value[source] if active >> source & 1 else 0
    return out


def sent(index, value, active, offset, size, wave):
    out = [0] * wave
    for lane in range(wave):
        if active >> lane & 1:
            out[lane // size * size + (index[lane] + offset & 0xFFFFFFFF) // 4 % size] = value[lane]
    return out


def swizzled(value, active, pattern, wave):
    out = []
    for lane in range(wave):
        i = lane % 32
        if pattern >= 0xE000:
            mask = pattern & 31
            j = int(f"{i:05b}"[::-1], 2) >> bin(mask).count("1") | i & mask
        elif pattern >= 0xC000:
            mask, distance = pattern & 31, pattern >> 5 & 31
            distance = -distance if pattern >> 10 & 1 else distance
            j = i & mask | (i + distance) & ~mask & 31
        elif pattern >= 0x8000:
            j = i // 4 * 4 + (pattern >> 2 * (i % 4) & 3)
        else:
            j = ((i & pattern & 31) | pattern >> 5 & 31) ^ (pattern >> 10 & 31)
        source = lane // 32 * 32 + j
        out.append(value[source] if active >> source & 1 else 0)
    return out


def lanes():
    for wave in (32, 64):
        everyone = (1 << wave) - 1
        for active in (everyone, R.getrandbits(wave), 0):
            value, index = [R.getrandbits(32) for _ in range(wave)], [R.getrandbits(32) if R.random() < 0.2 else 4 * R.randrange(wave) for _ in range(wave)]
            groups = [("gfx9", 64, 0, 64), ("gfx10 gfx11", 32, 0, 0), ("gfx12", wave, 1, 0)]
            for part, size, wait, alone in groups:
                if alone not in (0, wave):
                    continue
                wait = list(WAIT.values())[wait]
                for name, does in [("ds_bpermute_b32", fetched), ("ds_permute_b32", sent)]:
                    for offset in (0, 12):
                        out = does(index, value, active, offset, size, wave)
                        kept = [new if active >> lane & 1 else 7 for lane, new in enumerate(out)]
                        yield f"{part}: {name} v4, v0, v1{f' offset:{offset}' if offset else ''}; {wait} | wave={wave} exec={hex(active)} v0={listed(index)} v1={listed(value)} v4=7 -> v4={listed(kept)}"
                for pattern in (0x041F, 0x7C1F, 0x3DE0 | 5, 0x801B, 0x80E4, 0xC060, 0xC467, 0xE000, 0xE010, 0xE01F):
                    out = swizzled(value, active, pattern, wave)
                    kept = [new if active >> lane & 1 else 7 for lane, new in enumerate(out)]
                    yield f"{part}: ds_swizzle_b32 v4, v1 offset:{pattern}; {wait} | wave={wave} exec={hex(active)} v1={listed(value)} v4=7 -> v4={listed(kept)}"


def main():
    with open("memory.txt", "w") as out:
        print("# AMD's memory instructions, made by make_memory.py.", file=out)
        for line in [*atomics(), *pairs(), *halves(), *lanes()]:
            print(line.replace(" wave=wave", " wave=64" if line.startswith("gfx9 ") or line.startswith("gfx900") else " wave=32"), file=out)


if __name__ == "__main__":
    main()
