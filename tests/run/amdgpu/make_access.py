#!/usr/bin/env python3
"""Makes access.txt: AMD's loads, stores and atomics, each name in each way to make an address, by Python's integers and exact fractions.

What a name does is read from the name as AMD's ISA guides define it: the operation, the type, the half of a register. Which targets have it, the records say.
Lanes have places of their own, since the guides order none of them. `python3 make_access.py` rewrites the file.
"""

import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../ptx"))
import exact as X
import records

R = random.Random(31)
LANES = 8
ACTIVE = 0xB7
OLD = 0x5A5A5A5A
WAVES = [("gfx9", 64), ("gfx10", 32), ("gfx10", 64), ("gfx11 gfx12", 32), ("gfx11 gfx120", 64)]
# What is accessed in wavefronts of 64 on targets that have smaller ones.
IN_BOTH = ("dword", "b32", "dwordx4", "b128", "ubyte_d16_hi", "d16_hi_u8", "u8_d16_hi", "byte_d16_hi", "d16_hi_b8", "b8_d16_hi")
OUT = []


def active(lane):
    return ACTIVE >> lane & 1


def listed(values):
    values = list(values)
    return hex(values[0]) if len(set(values)) == 1 and len(values) > 1 else ",".join(map(hex, values))


def line(where, wave, code, given, gives):
    OUT.append(f"{records.named(where)}: {'; '.join(code)} | wave={wave} exec={ACTIVE:#x} {' '.join(given)} -> {' '.join(gives)}")


def tuple_of(kind, first, words):
    return f"{kind}{first}" if words == 1 else f"{kind}[{first}:{first + words - 1}]"


def signed(x, bits):
    return x - (1 << bits) if x >> (bits - 1) & 1 else x


# What is loaded or stored: bytes, whether it is extended by its sign, the half of the register (0 lower, 1 upper).
SIZES = {
    "ubyte": (1, 0, None), "u8": (1, 0, None), "sbyte": (1, 1, None), "i8": (1, 1, None), "ushort": (2, 0, None), "u16": (2, 0, None),
    "sshort": (2, 1, None), "i16": (2, 1, None), "dword": (4, 0, None), "b32": (4, 0, None), "dwordx2": (8, 0, None), "b64": (8, 0, None),
    "dwordx3": (12, 0, None), "b96": (12, 0, None), "dwordx4": (16, 0, None), "b128": (16, 0, None), "byte": (1, 0, None), "b8": (1, 0, None),
    "short": (2, 0, None), "b16": (2, 0, None), "dwordx8": (32, 0, None), "b256": (32, 0, None), "dwordx16": (64, 0, None), "b512": (64, 0, None),
}
for half, suffixes in [(0, ("_d16", "d16_")), (1, ("_d16_hi", "d16_hi_"))]:
    for name, size, sign in [("ubyte", 1, 0), ("u8", 1, 0), ("sbyte", 1, 1), ("i8", 1, 1), ("short", 2, 0), ("u16", 2, 0), ("b16", 2, 0), ("b8", 1, 0), ("byte", 1, 0)]:
        SIZES[name + suffixes[0]] = SIZES[suffixes[1] + name] = (size, sign, half)


def loaded(memory, at, kind):
    """The words that a load puts into registers which hold OLD."""
    size, sign, half = SIZES[kind]
    value = int.from_bytes(memory[at:at + size], "little")
    if half is None:
        value = signed(value, 8 * size) & 0xFFFFFFFF if sign and size < 4 else value
        return [value >> 32 * i & 0xFFFFFFFF for i in range(max(1, size // 4))]
    value = (signed(value, 8 * size) if sign else value) & 0xFFFF
    return [OLD & 0xFFFF | value << 16] if half else [OLD & 0xFFFF0000 | value]


def stored(words, kind):
    """The bytes that a store takes from registers."""
    size, _, half = SIZES[kind]
    value = sum(w << 32 * i for i, w in enumerate(words)) >> (16 if half else 0)
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")


def image(memory):
    return listed_words([int.from_bytes(memory[i:i + 4], "little") for i in range(0, len(memory), 4)])


def listed_words(words):
    return ",".join(map(hex, words))


def slots(size):
    """A place for each lane, aligned to what is accessed, in no order, and below 192."""
    step = max(4, size) if size != 12 else 16
    places = [step * i for i in range(LANES)]
    R.shuffle(places)
    return places


def policy(part, returns):
    if not returns:
        return ""
    return " th:TH_ATOMIC_RETURN" if part.startswith("gfx12") else " sc0" if part == "gfx940" else " glc"


class Way:
    """A way to make an address: the operands, what registers hold for it, and by how much the lanes' places are moved."""

    def __init__(self, operands, given, suffix=""):
        self.operands, self.given, self.suffix = operands, given, suffix


def ways(space, part, wave, places):
    """Ways to reach the bytes `places` of the buffer with the lanes."""
    if space == "flat":
        offset = 0 if part == "gfx10" else 12
        yield Way("v[2:3]", [f"v[2:3]={','.join(f'&{p - offset}' for p in places)}"], f" offset:{offset}" if offset else "")
    else:
        if wave == 32 or part == "gfx9":
            yield Way("v[2:3], off", [f"v[2:3]={','.join(f'&{p + 16}' for p in places)}"], " offset:-16")
        yield Way("v2, s[4:5]", [f"v2={listed(p + 8 for p in places)}", "s[4:5]=&16"], " offset:-24")


def skipped(part, wave, kind):
    return wave == 64 and part != "gfx9" and kind not in IN_BOTH


def global_memory():
    for space in ("flat", "global"):
        for name in sorted(records.records()):
            match = re.fullmatch(rf"(?:{space}|{'cluster' if space == 'global' else 'flat'})_(load|store)_(\w+)", name)
            if not match or match[2] not in SIZES:
                continue
            verb, kind = match.groups()
            words = max(1, SIZES[kind][0] // 4)
            for part, wave in WAVES:
                where = records.has(name) & records.targets(part)
                if not where or skipped(part, wave, kind):
                    continue
                places = slots(SIZES[kind][0])
                for way in ways(space, part, wave, places):
                    access(where, wave, name, verb, kind, words, way, places)


def access(where, wave, name, verb, kind, words, way, places, extra=()):
    room = max(places) + 16
    if verb == "load":
        memory = R.randbytes(room)
        code = f"{name} {tuple_of('v', 8, words)}, {way.operands}{way.suffix}"
        results = [loaded(memory, p, kind) for p in places]
        given = [f"v{8 + i}={OLD:#x}" for i in range(words)] + way.given + [f"mem={image(memory)}"]
        gives = [f"v{8 + i}={listed(r[i] if active(lane) else OLD for lane, r in enumerate(results))}" for i in range(words)]
        return line(where, wave, [*extra, code], given, gives)
    data = [[R.getrandbits(32) for _ in range(words)] for _ in range(LANES)]
    memory = bytearray(R.randbytes(room))
    before = image(memory)
    for lane, p in enumerate(places):
        if active(lane):
            new = stored(data[lane], kind)
            memory[p:p + len(new)] = new
    first, comma, rest = way.operands.partition(", ")
    code = f"{name} {first}, {tuple_of('v', 8, words)}{comma}{rest}{way.suffix}"
    given = [f"v{8 + i}={listed(d[i] for d in data)}" for i in range(words)] + way.given + [f"mem={before}"]
    line(where, wave, [*extra, code], given, [f"mem={image(memory)}"])


EDGES = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xDEADBEEF, 0xFFFFFFFE]
FLOATS = {"f32": X.f32, "f64": X.f64, "f16": X.f16, "bf16": X.bf16}


def float_edges(f):
    """Numbers whose sums are normal, infinite or NaN: whether subnormal results of atomics are kept, the guides say of each memory otherwise."""
    one, inf = f.bias << f.fraction, ((1 << f.exponent) - 1) << f.fraction
    return [0, f.sign_bit, one, one | f.sign_bit, one + 1, inf - 1, inf, inf | f.sign_bit, inf | 1 << (f.fraction - 1), one + (3 << f.fraction), inf - 1 | f.sign_bit]


def float_add(f, a, b):
    quiet = ((1 << f.exponent) - 1) << f.fraction | 1 << (f.fraction - 1)
    for x in (a, b):
        if X.is_nan(f.decode(x)):
            return x | quiet
    total = X.add(f.decode(a), f.decode(b))
    if X.is_nan(total):
        return quiet
    if X.is_inf(total):
        return f.sign_bit * total[1] | quiet & ~(1 << (f.fraction - 1))
    return f.encode(total[0], total[1])


def float_combine(f, op, old, new, compare):
    if op == "add":
        return float_add(f, old, new)
    nan = lambda x: X.is_nan(f.decode(x))
    magnitude = lambda x: x & ~f.sign_bit
    order = lambda x: -magnitude(x) if x & f.sign_bit else magnitude(x)
    if op == "cmpswap":
        return new if not nan(old) and not nan(compare) and order(old) == order(compare) else old
    if op in ("lesser", "greater"):
        takes = order(new) < order(old) if op == "lesser" else order(new) > order(old)
        return new if takes and not nan(old) and not nan(new) else old
    if nan(old) and nan(new):
        return new | 1 << (f.fraction - 1)
    if nan(old) or nan(new):
        return old if nan(new) else new
    # Zeros are ordered by their signs.
    full = lambda x: -magnitude(x) - 1 if x & f.sign_bit else magnitude(x)
    return (min if op == "min_num" else max)(new, old, key=full)


def combine(op, kind, old, new, compare=None):
    """What memory holds afterwards."""
    if op == "pk_add" or kind[0] in "fb" and kind in FLOATS:
        f = FLOATS[kind]
        if op == "pk_add":
            return sum(float_add(f, old >> s & 0xFFFF, new >> s & 0xFFFF) << s for s in (0, 16))
        return float_combine(f, op, old, new, compare)
    bits = int(kind[1:])
    if op == "mskor":
        return old & ~new | compare
    if op == "wrap":
        return (old - new if old >= new else old + compare) & (1 << bits) - 1
    less = signed(new, bits) < signed(old, bits)
    return {
        "add": old + new, "sub": old - new, "rsub": new - old, "and": old & new, "or": old | new, "xor": old ^ new, "swap": new,
        "inc": 0 if old >= new else old + 1, "dec": new if old == 0 or old > new else old - 1,
        "umin": min(old, new), "umax": max(old, new), "smin": new if less else old, "smax": old if less else new,
        "clamped": max(old - new, 0), "conditional": old - new if old >= new else old, "cmpswap": new if old == compare else old,
    }[op] & (1 << bits) - 1


def atomic_of(name):
    """Operation, type, whether the old value is returned by name, and how the two values of a comparison are given (new first, or not)."""
    name = re.sub(r"^(ds|flat_atomic|global_atomic|buffer_atomic)_", "", name)
    returns = "_rtn" in name
    name = name.replace("_rtn", "")
    for text, op in [("fcmpswap_x2", "cmpswap_f64"), ("fcmpswap", "cmpswap_f32"), ("fmin_x2", "min_f64"), ("fmin", "min_f32"), ("fmax_x2", "max_f64"), ("fmax", "max_f32"),
                     ("cmpstore", "cmpswap"), ("cmpst", "cmpst"), ("wrxchg", "swap"), ("storexchg", "swap"), ("sub_clamp", "clamped"), ("cond_sub", "conditional"), ("csub", "clamped")]:
        name = re.sub(rf"^{text}(?=_|$)", op, name)
    match = re.fullmatch(r"(add|sub|rsub|and|or|xor|swap|inc|dec|[us]?min|[us]?max|clamped|conditional|cmpswap|cmpst|pk_add|mskor|wrap|min_num|max_num)(?:_(x2|[fubi]\d+|bf16))?", name)
    if not match:
        return None
    op, kind = match[1], match[2] or "u32"
    kind = "u64" if kind == "x2" else kind
    if kind in ("f32", "f64") and op in ("min", "max"):
        op = {"min": "lesser", "max": "greater"}[op]
    elif op in ("min", "max"):
        op = ("s" if kind[0] == "i" else "u") + op
    return op, kind, returns


def values(op, kind):
    if kind in FLOATS:
        f = FLOATS[kind]
        pick = lambda: R.choice(float_edges(f)) if op != "pk_add" else R.choice(float_edges(f)) | R.choice(float_edges(f)) << 16
        cases = [(pick(), pick(), pick()) for _ in range(LANES)]
        cases[1] = (0, cases[1][1], f.sign_bit)
        return [(c[0], c[1], c[0] if i in (2, 4) else c[2]) for i, c in enumerate(cases)]
    bits = int(kind[1:])
    pick = lambda: (R.choice(EDGES) | R.choice(EDGES) << 32) & (1 << bits) - 1
    out = []
    for lane in range(LANES):
        old = pick()
        new = old if lane == 1 else pick()
        out.append((old, new, old if R.random() < 0.6 else old ^ 1 << R.randrange(bits)))
    return out


def width(op, kind):
    return 64 if kind in ("u64", "i64", "b64", "f64") else 32


def words(value, bits):
    return [value >> s & 0xFFFFFFFF for s in range(0, bits, 32)]


def columns(first, bits, rows):
    return [f"v{first + i}={listed(words(v, bits)[i] for v in rows)}" for i in range(bits // 32)]


def global_atomics():
    for space in ("flat", "global"):
        for name in sorted(records.records()):
            found = name.startswith(f"{space}_atomic_") and atomic_of(name)
            if not found:
                continue
            op, kind, _ = found
            bits = width(op, kind)
            n = bits // 32
            for part, wave in [("vega gfx90a", 64), ("gfx940", 64), ("gfx10", 32), ("gfx11", 32), ("gfx12", 32)]:
                where = records.has(name) & records.targets(part)
                if not where:
                    continue
                for returns in (False, True):
                    if name == "global_atomic_csub_u32" and not returns or not has_return(name, where, returns):
                        continue
                    places = slots(bits // 8)
                    way = R.choice(list(ways(space, part, wave, places)))
                    cases = values(op, kind)
                    after = [combine(op, kind, *c) for c in cases]
                    memory = bytearray(R.randbytes(8 * bits // 8 + 8))
                    for p, c in zip(places, cases):
                        memory[p:p + bits // 8] = c[0].to_bytes(bits // 8, "little")
                    before = image(memory)
                    for lane, p in enumerate(places):
                        if active(lane):
                            memory[p:p + bits // 8] = after[lane].to_bytes(bits // 8, "little")
                    given = way.given + columns(8, bits, [c[1] for c in cases]) + [f"v{16 + i}={OLD:#x}" for i in range(n)] + [f"mem={before}"]
                    count = n
                    if op == "cmpswap":
                        given += columns(8 + n, bits, [c[2] for c in cases])
                        count = 2 * n
                    first, comma, rest = way.operands.partition(", ")
                    result = f"{tuple_of('v', 16, n)}, " if returns else ""
                    code = f"{name} {result}{first}, {tuple_of('v', 8, count)}{comma}{rest}{way.suffix}{policy(part, returns)}"
                    gives = [f"mem={image(memory)}"]
                    gives += [f"v{16 + i}={listed(words(c[0], bits)[i] if returns and active(lane) else OLD for lane, c in enumerate(cases))}" for i in range(n)]
                    line(where, wave, [code], given, gives)


def has_return(name, where, returns):
    """Some targets have some atomics in one of the two ways alone."""
    if not returns:
        return True
    some = set()
    for record in records.records()[name]:
        for _, targets, tail in record.forms:
            if "vdst" in (tail.split(";")[0] or " ".join(l for l in record.lines if l.startswith("args"))):
                some |= targets
    return where <= some


def lds_names(part):
    return ("ds_write_b", "ds_read_b") if part in ("gfx9", "gfx10") else ("ds_store_b", "ds_load_b")


def lds():
    everyone, some = "s_mov_b32 exec_lo, 0xff", f"s_mov_b32 exec_lo, {ACTIVE:#x}"
    for name in sorted(records.records()):
        match = re.fullmatch(r"ds_(read|load|write|store)_(\w+)", name)
        if match and match[2] in SIZES:
            for part, wave in WAVES:
                where = records.has(name) & records.targets(part)
                if where and not skipped(part, wave, match[2]):
                    lds_access(where, wave, name, match[1] in ("read", "load"), match[2], lds_names(part), everyone, some)
        found = name.startswith("ds_") and atomic_of(name)
        if found:
            for part, wave in WAVES:
                where = records.has(name) & records.targets(part)
                if where:
                    lds_atomic(where, wave, name, *found, lds_names(part), everyone, some)


def lds_access(where, wave, name, load, kind, plain, everyone, some):
    """The memory of 8 lanes, 16 bytes each, is written and read by plain instructions of 64 bits."""
    size = SIZES[kind][0]
    n = max(1, size // 4)
    data = [[R.getrandbits(32) for _ in range(4)] for _ in range(LANES)]
    inside = [R.randrange(0, 16 - size + 1, min(size, 4) if size != 12 else 16) for _ in range(LANES)]
    places = [16 * lane + i + 32 for lane, i in enumerate(inside)]
    given = ["lds=1", f"v0={listed(16 * lane for lane in range(LANES))}", f"v1={listed(places)}"] + [f"v{4 + i}={listed(d[i] for d in data)}" for i in range(4)]
    begin = [everyone, f"{plain[0]}64 v0, v[4:5] offset:64", f"{plain[0]}64 v0, v[6:7] offset:72", some]
    if load:
        code = [*begin, f"{name} {tuple_of('v', 8, n)}, v1 offset:32"]
        results = [loaded(b"".join(w.to_bytes(4, "little") for w in data[lane]), inside[lane], kind) for lane in range(LANES)]
        given += [f"v{8 + i}={OLD:#x}" for i in range(n)]
        gives = [f"v{8 + i}={listed(r[i] if active(lane) else OLD for lane, r in enumerate(results))}" for i in range(n)]
    else:
        new = [[R.getrandbits(32) for _ in range(n)] for _ in range(LANES)]
        code = [*begin, f"{name} v1, {tuple_of('v', 8, n)} offset:32", everyone, f"{plain[1]}64 v[12:13], v0 offset:64", f"{plain[1]}64 v[14:15], v0 offset:72"]
        given += [f"v{8 + i}={listed(d[i] for d in new)}" for i in range(n)]
        images = []
        for lane in range(LANES):
            memory = bytearray(b"".join(w.to_bytes(4, "little") for w in data[lane]))
            if active(lane):
                memory[inside[lane]:inside[lane] + size] = stored(new[lane], kind)
            images.append([int.from_bytes(memory[i:i + 4], "little") for i in range(0, 16, 4)])
        gives = [f"v{12 + i}={listed(m[i] for m in images)}" for i in range(4)]
    line(where, wave, code, given, gives)


def lds_atomic(where, wave, name, op, kind, returns, plain, everyone, some):
    bits = width(op, kind)
    n = bits // 32
    cases = values(op, kind)
    cmpst = op == "cmpst"
    after = [combine("cmpswap" if cmpst else op, kind, *c) for c in cases]
    two = op in ("cmpst", "cmpswap", "mskor", "wrap")
    given = ["lds=1", f"v0={listed(8 * (LANES - 1 - lane) for lane in range(LANES))}"] + columns(4, bits, [c[0] for c in cases])
    given += [f"v{16 + i}={OLD:#x}" for i in range(n)]
    operands = [c[1] for c in cases], [c[2] for c in cases]
    if cmpst:
        operands = operands[1], operands[0]
    given += columns(8, bits, operands[0])
    second = ""
    if two:
        given += columns(10, bits, operands[1])
        second = f", {tuple_of('v', 10, n)}"
    result = f"{tuple_of('v', 16, n)}, " if returns else ""
    code = [everyone, f"{plain[0]}{bits} v0, {tuple_of('v', 4, n)} offset:24", some, f"{name} {result}v0, {tuple_of('v', 8, n)}{second} offset:24",
            everyone, f"{plain[1]}{bits} {tuple_of('v', 12, n)}, v0 offset:24"]
    gives = columns(12, bits, [new if active(lane) else c[0] for lane, (c, new) in enumerate(zip(cases, after))])
    gives += [f"v{16 + i}={listed(words(c[0], bits)[i] if returns and active(lane) else OLD for lane, c in enumerate(cases))}" for i in range(n)]
    line(where, wave, code, given, gives)


def buffers():
    """Through a descriptor of 256 bytes without a stride; lane 5 is behind it, where whole registers are accessed."""
    for part, wave in [("vega gfx90a", 64), ("gfx940", 64), ("gfx10", 32), ("gfx11", 32), ("gfx11", 64), ("gfx120", 32), ("gfx125", 32)]:
        descriptor = ["s[4:5]=&16", "s6=2", "s7=0"] if part == "gfx125" else ["s[4:5]=&16", "s6=256", "s7=0x27000" if wave == 64 and part != "gfx11" else "s7=0x30000000"]
        none = "null" if part.startswith("gfx12") else "0"
        for name in sorted(records.records()):
            where = records.has(name) & records.targets(part)
            match = re.fullmatch(r"buffer_(load|store)_(\w+)", name)
            if where and match and match[2] in SIZES and "lds" not in name and not skipped("gfx9" if wave == 64 and part != "gfx11" else part, wave, match[2]):
                kind = match[2]
                size, _, half = SIZES[kind]
                n = max(1, size // 4)
                places = slots(size)
                out = 5 if half is None else -1
                given = [f"v2={listed(1000 if lane == out else p + 8 for lane, p in enumerate(places))}", *descriptor]
                operands = f"{tuple_of('v', 8, n)}, v2, s[4:7], {none} offen offset:4"
                shift = 28
                memory = bytearray(R.randbytes(max(places) + shift + 16))
                before = image(memory)
                if match[1] == "load":
                    results = [[0] * n if lane == out else loaded(memory, p + shift, kind) for lane, p in enumerate(places)]
                    gives = [f"v{8 + i}={listed(r[i] if active(lane) else OLD for lane, r in enumerate(results))}" for i in range(n)]
                    given += [f"v{8 + i}={OLD:#x}" for i in range(n)]
                else:
                    data = [[R.getrandbits(32) for _ in range(n)] for _ in range(LANES)]
                    for lane, p in enumerate(places):
                        if active(lane) and lane != out:
                            memory[p + shift:p + shift + size] = stored(data[lane], kind)
                    given += [f"v{8 + i}={listed(d[i] for d in data)}" for i in range(n)]
                    gives = [f"mem={image(memory)}"]
                line(where, wave, [f"{name} {operands}"], given + [f"mem={before}"], gives)
            found = name.startswith("buffer_atomic_") and atomic_of(name)
            if not where or not found or part == "gfx11" and wave == 64:
                continue
            op, kind, _ = found
            bits = width(op, kind)
            n = bits // 32
            for returns in (False, True):
                if returns and not returning(name, where):
                    continue
                places, cases, out = slots(bits // 8), values(op, kind), 5
                memory = bytearray(R.randbytes(8 * bits // 8 + 28))
                for p, c in zip(places, cases):
                    memory[p + 24:p + 24 + bits // 8] = c[0].to_bytes(bits // 8, "little")
                before = image(memory)
                for lane, p in enumerate(places):
                    if active(lane) and lane != out:
                        memory[p + 24:p + 24 + bits // 8] = combine(op, kind, *cases[lane]).to_bytes(bits // 8, "little")
                data = columns(8, bits, [c[1] for c in cases])
                count = n
                if op == "cmpswap":
                    data += columns(8 + n, bits, [c[2] for c in cases])
                    count = 2 * n
                given = [f"v2={listed(1000 if lane == out else p + 4 for lane, p in enumerate(places))}", *descriptor, *data, f"mem={before}"]
                text = f"{name} {tuple_of('v', 8, count)}, v2, s[4:7], {none} offen offset:4{policy(part, returns)}"
                gives = [f"mem={image(memory)}"]
                if returns:
                    gives += [f"v{8 + i}={listed(words(c[0] if active(lane) else c[1], bits)[i] if lane != out else 0 for lane, c in enumerate(cases))}" for i in range(n)]
                line(where, wave, [text], given, gives)


def returning(name, where):
    """Whether there is a form that returns the old value."""
    return all(any(w in targets and "cpol=0x1/" in tail for r in records.records()[name] for _, targets, tail in r.forms) for w in where)


def two_places():
    """Two values exchanged at once, and what has its address from M0 and the number of the lane."""
    for name in sorted(records.records()):
        match = re.fullmatch(r"ds_(?:wrxchg2|storexchg_2addr)(st64|_stride64)?_rtn_b(32|64)", name)
        if not match:
            continue
        bits, scale = int(match[2]), 64 if match[1] else 1
        n = bits // 32
        for part, wave in WAVES:
            where = records.has(name) & records.targets(part)
            if not where:
                continue
            store, load = lds_names(part)
            first, second = (1, 20) if scale == 1 else (1, 3)
            at = [scale * bits // 8 * i for i in (first, second)]
            old = [[R.getrandbits(bits) for _ in range(LANES)] for _ in range(2)]
            new = [[R.getrandbits(bits) for _ in range(LANES)] for _ in range(2)]
            base = [bits // 8 * lane for lane in range(LANES)] if scale > 1 or bits == 64 else [4 * lane for lane in range(LANES)]
            given = ["lds=1", f"v0={listed(base)}"] + columns(4, bits, old[0]) + columns(6, bits, old[1]) + columns(8, bits, new[0]) + columns(10, bits, new[1])
            code = ["s_mov_b32 exec_lo, 0xff"] + [f"{store}{bits} v0, {tuple_of('v', 4 + 2 * i, n)} offset:{at[i]}" for i in (0, 1)] + [f"s_mov_b32 exec_lo, {ACTIVE:#x}"]
            code += [f"{name} {tuple_of('v', 16, 2 * n)}, v0, {tuple_of('v', 8, n)}, {tuple_of('v', 10, n)} offset0:{first} offset1:{second}", "s_mov_b32 exec_lo, 0xff"]
            code += [f"{load}{bits} {tuple_of('v', 20 + 2 * i, n)}, v0 offset:{at[i]}" for i in (0, 1)]
            gives = []
            for i in (0, 1):
                gives += columns(20 + 2 * i, bits, [b if active(lane) else a for lane, (a, b) in enumerate(zip(old[i], new[i]))])
                gives += [f"v{16 + n * i + j}={listed(words(a, bits)[j] if active(lane) else 0 for lane, a in enumerate(old[i]))}" for j in range(n)]
            line(where, wave, code, given, gives)
    for part, wave in WAVES:
        store, load = lds_names(part)
        data = [R.getrandbits(32) for _ in range(LANES)]
        by_lane = [4 * lane for lane in range(LANES)]
        for name in ("ds_read_addtid_b32", "ds_load_addtid_b32", "ds_write_addtid_b32", "ds_store_addtid_b32"):
            where = records.has(name) & records.targets(part)
            if where and ("read" in name or "load" in name):
                code = ["s_mov_b32 exec_lo, 0xff", f"{store}32 v0, v4 offset:72", f"s_mov_b32 exec_lo, {ACTIVE:#x}", f"{name} v8 offset:8"]
                line(where, wave, code, ["lds=1", "m0=64", f"v0={listed(by_lane)}", f"v4={listed(data)}", "v8=7"], [f"v8={listed(d if active(lane) else 7 for lane, d in enumerate(data))}"])
            elif where:
                code = [f"{name} v4 offset:8", "s_mov_b32 exec_lo, 0xff", f"{load}32 v8, v0 offset:72"]
                line(where, wave, code, ["lds=1", "m0=64", f"v0={listed(by_lane)}", f"v4={listed(data)}"], [f"v8={listed(d if active(lane) else 0 for lane, d in enumerate(data))}"])
        for name, sign in (("ds_append", 1), ("ds_consume", -1)):
            where = records.has(name) & records.targets(part)
            if where:
                # On gfx12 M0 is no part of the address.
                for some, base in [(where - records.targets("gfx12"), 16), (where & records.targets("gfx12"), 0)]:
                    if not some:
                        continue
                    code = ["s_mov_b32 exec_lo, 0xff", f"{store}32 v0, v4", f"s_mov_b32 exec_lo, {ACTIVE:#x}", f"{name} v8 offset:8", "s_mov_b32 exec_lo, 1", f"{load}32 v9, v0"]
                    line(some, wave, code, ["lds=1", f"m0={16 << 16:#x}", f"v0={base + 8:#x}", "v4=100", "v8=7"], [f"v8={listed(100 if active(lane) else 7 for lane in range(LANES))}", f"v9={100 + 6 * sign},0"])
        for name in ("global_load_dword_addtid", "global_load_addtid_b32", "global_store_dword_addtid", "global_store_addtid_b32"):
            where = records.has(name) & records.targets(part)
            if not where:
                continue
            memory = [R.getrandbits(32) for _ in range(LANES + 4)]
            if "load" in name:
                line(where, wave, [f"{name} v8, s[2:3] offset:8"], ["s[2:3]=&8", f"mem={listed_words(memory)}", "v8=7"], [f"v8={listed(memory[lane + 4] if active(lane) else 7 for lane in range(LANES))}"])
            else:
                after = memory[:4] + [d if active(lane) else memory[lane + 4] for lane, d in enumerate(data)]
                line(where, wave, [f"{name} v4, s[2:3] offset:8"], ["s[2:3]=&8", f"mem={listed_words(memory)}", f"v4={listed(data)}"], [f"mem={listed_words(after)}"])


def scalar_memory():
    """Stores and atomics of scalar registers, and buffers of theirs."""
    for name in sorted(records.records()):
        match = re.fullmatch(r"s_(buffer_)?(atomic|store|load)_(\w+)", name)
        if not match or match[2] == "load" and not match[1]:
            continue
        for part, wave in WAVES[:1] + [("gfx10", 32), ("gfx11", 32), ("gfx120", 32), ("gfx125", 32)]:
            where = records.has(name) & records.targets(part)
            if not where:
                continue
            base, given = ("s[4:7]", ["s[4:5]=&16", "s6=1", "s7=0"] if part == "gfx125" else ["s[4:5]=&16", "s6=128", "s7=0x27000" if part == "gfx9" else "s7=0x30000000"]) if match[1] else ("s[4:5]", ["s[4:5]=&16"])
            if match[2] != "atomic":
                if match[3] not in SIZES:
                    continue
                size = SIZES[match[3]][0]
                n = max(1, size // 4)
                memory = bytearray(R.randbytes(112))
                before = image(memory)
                if match[2] == "load":
                    gives = [f"s{8 + i}={w:#x}" for i, w in enumerate(loaded(memory, 32, match[3]))]
                    data = []
                else:
                    new = [R.getrandbits(32) for _ in range(n)]
                    memory[32:32 + size] = stored(new, match[3])
                    data, gives = [f"s{8 + i}={w:#x}" for i, w in enumerate(new)], [f"mem={image(memory)}"]
                line(where, wave, [f"{name} {tuple_of('s', 8, n)}, {base}, 0x10"], given + data + [f"mem={before}"], gives)
                if match[1] and match[2] == "load" and n > 1:
                    # Of a range that ends in the middle the words behind it are zero; one that has a register before it counts, too.
                    gives = [f"s{8 + i}={w if 16 + 4 * i < 24 else 0:#x}" for i, w in enumerate(loaded(memory, 32, match[3]))]
                    if part != "gfx125":
                        line(where, wave, [f"{name} {tuple_of('s', 8, n)}, {base}, 0x10"], [g.replace("s6=128", "s6=24") for g in given] + [f"mem={before}"], gives)
                continue
            found = atomic_of("buffer_atomic_" + match[3])
            if not found:
                continue
            op, kind, _ = found
            bits = width(op, kind)
            n = bits // 32
            for case, returns in zip(values(op, kind), (False, True, True)):
                memory = bytearray(R.randbytes(48))
                memory[32:32 + bits // 8] = case[0].to_bytes(bits // 8, "little")
                before = image(memory)
                memory[32:32 + bits // 8] = combine(op, kind, *case).to_bytes(bits // 8, "little")
                data = words(case[1], bits) + (words(case[2], bits) if op == "cmpswap" else [])
                after = words(case[0], bits) if returns else data[:n]
                text = f"{name} {tuple_of('s', 8, len(data))}, {base}, 0x10{' glc' if returns else ''}"
                line(where, wave, [text], given + [f"s{8 + i}={w:#x}" for i, w in enumerate(data)] + [f"mem={before}"], [f"mem={image(memory)}"] + [f"s{8 + i}={w:#x}" for i, w in enumerate(after)])


def scratch():
    """What one lane writes, no other reads: each has a place of 64 bytes at the same offset."""
    for name in sorted(records.records()):
        match = re.fullmatch(r"scratch_(load|store)_(\w+)", name)
        if not match or match[2] not in SIZES:
            continue
        verb, kind = match.groups()
        size = SIZES[kind][0]
        n = max(1, size // 4)
        for part, wave in WAVES:
            where = records.has(name) & records.targets(part)
            if not where:
                continue
            old = part in ("gfx9", "gfx10")
            plain = ("scratch_store_dwordx2", "scratch_load_dwordx2") if old else ("scratch_store_b64", "scratch_load_b64")
            both = where & records.targets("gfx940 gfx11 gfx12")
            alone = where & records.targets("gfx940 gfx103 gfx11 gfx12")
            for targets, shape in [(where, "lane"), (where, "scalar"), (both, "both"), (alone, "none")]:
                if not targets or wave == 64 and part != "gfx9" and shape != "lane" or skipped(part, wave, kind):
                    continue
                data = [[R.getrandbits(32) for _ in range(4)] for _ in range(LANES)]
                inside = [R.randrange(0, 16 - size + 1, min(size, 4)) if shape in ("lane", "both") else 0 for _ in range(LANES)]
                address, given, offset = {
                    "lane": ("v1, off", [f"v1={listed(i + 48 for i in inside)}"], -16),
                    "scalar": ("off, s4", ["s4=40"], -8),
                    "both": ("v1, s4", [f"v1={listed((i - 8) & 0xFFFFFFFF for i in inside)}", "s4=0x38"], -16),
                    "none": ("off, off", [], 32),
                }[shape]
                suffix = f" offset:{offset}"
                given += ["scratch=64", "v0=32"] + [f"v{4 + i}={listed(d[i] for d in data)}" for i in range(4)]
                begin = ["s_mov_b32 exec_lo, 0xff", f"{plain[0]} v0, v[4:5], off", f"{plain[0]} v0, v[6:7], off offset:8", f"s_mov_b32 exec_lo, {ACTIVE:#x}"]
                blocks = [b"".join(w.to_bytes(4, "little") for w in d) for d in data]
                if verb == "load":
                    code = [*begin, f"{name} {tuple_of('v', 8, n)}, {address}{suffix}"]
                    results = [loaded(blocks[lane], inside[lane], kind) for lane in range(LANES)]
                    given += [f"v{8 + i}={OLD:#x}" for i in range(n)]
                    gives = [f"v{8 + i}={listed(r[i] if active(lane) else OLD for lane, r in enumerate(results))}" for i in range(n)]
                else:
                    new = [[R.getrandbits(32) for _ in range(n)] for _ in range(LANES)]
                    first, _, rest = address.partition(", ")
                    code = [*begin, f"{name} {first}, {tuple_of('v', 8, n)}, {rest}{suffix}", "s_mov_b32 exec_lo, 0xff",
                            f"{plain[1]} v[12:13], v0, off", f"{plain[1]} v[14:15], v0, off offset:8"]
                    given += [f"v{8 + i}={listed(d[i] for d in new)}" for i in range(n)]
                    images = []
                    for lane in range(LANES):
                        memory = bytearray(blocks[lane])
                        if active(lane):
                            memory[inside[lane]:inside[lane] + size] = stored(new[lane], kind)
                        images.append([int.from_bytes(memory[i:i + 4], "little") for i in range(0, 16, 4)])
                    gives = [f"v{12 + i}={listed(m[i] for m in images)}" for i in range(4)]
                line(targets, wave, code, given, gives)


def scalar_loads():
    for name in sorted(records.records()):
        match = re.fullmatch(r"s_load_(\w+)", name)
        if not match or match[1] not in SIZES:
            continue
        size = SIZES[match[1]][0]
        n = max(1, size // 4)
        for part, wave in WAVES:
            where = records.has(name) & records.targets(part)
            if not where:
                continue
            memory = R.randbytes(128)
            for text, given, at in [("0x24", ["s[2:3]=&0"], 36), ("s6", ["s[2:3]=&8", "s6=12"], 20), ("s6 offset:0x10", ["s[2:3]=&0", "s6=20"], 36), ("-0x10", ["s[2:3]=&64"], 48)]:
                gives = [f"s{8 + i}={w:#x}" for i, w in enumerate(loaded(memory, at, match[1]))]
                if part.startswith("gfx12"):
                    text = text.replace("s6", "s6", 1) if "offset" in text or text[0] != "s" else "s6 offset:0x0"
                line(where, wave, [f"{name} {tuple_of('s', 8, n)}, s[2:3], {text}"], given + [f"mem={image(memory)}", f"s{8 + n}=7"], gives + [f"s{8 + n}=7"])


def main():
    global_memory()
    global_atomics()
    lds()
    scratch()
    scalar_loads()
    scalar_memory()
    buffers()
    two_places()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "access.txt"), "w") as f:
        print("# AMD's accesses to memory, made by make_access.py.", file=f)
        f.write("\n".join(OUT) + "\n")


if __name__ == "__main__":
    main()
