"""Writes integer.txt, extended.txt, logic.txt, compare.txt, video.txt, video_parts.txt and vectors.txt: every instruction of these
chapters; and crates/semantics/tests/video.txt, which sees functions by themselves, negated operands among them.

Expected values are Python integers and floats put through the manual's formulas as written down here; nothing of ours computes
them, and the opcodes are written out here too, not read from the table.
    python3 tests/run/ptx/make_integer.py
"""

import itertools
import math
import random
import re
import struct
from pathlib import Path

HERE = Path(__file__).parent
SIGNED = ["s16", "s32", "s64"]
UNSIGNED = ["u16", "u32", "u64"]
INTEGERS = UNSIGNED + SIGNED
BITS = ["b16", "b32", "b64"]
PACKED = ["u16x2", "s16x2", "u8x4", "s8x4"]


# Types and bit patterns.


def width(t):
    if t == "pred":
        return 1
    size, lanes = re.fullmatch(r"b?[usbf](\d+)(?:x(\d+))?", t).groups()
    return int(size) * int(lanes or 1)


def unsigned(v, n):
    return v & ((1 << n) - 1)


def signed(v, n):
    v = unsigned(v, n)
    return v - (1 << n) if v >> (n - 1) else v


def number(t, bits):
    """What the bits mean as an integer of type t."""
    return signed(bits, width(t)) if t[0] == "s" else unsigned(bits, width(t))


def limits(t):
    n = width(t)
    return (-(1 << (n - 1)), (1 << (n - 1)) - 1) if t[0] == "s" else (0, (1 << n) - 1)


def clamp(v, t):
    low, high = limits(t)
    return min(max(v, low), high)


def lanes(t):
    """Type and number of the lanes of a packed type."""
    m = re.fullmatch(r"(b?[usf]\d+)x(\d)", t)
    return (m[1], int(m[2])) if m else (t, 1)


def each_lane(t, f, *sources):
    """f on the numbers of each lane, the results packed again."""
    lane, count = lanes(t)
    n = width(lane)
    take = lambda bits, i: number(lane, bits >> (n * i))
    return sum(unsigned(f(*[take(s, i) for s in sources]), n) << (n * i) for i in range(count))


def literal(t, bits):
    if t == "pred":
        return "true" if bits else "false"
    if t in ("f32", "f64"):
        return {"f32": f"0f{bits:08x}", "f64": f"0d{bits:016x}"}[t]
    if t[0] == "s" and "x" not in t:
        return str(signed(bits, width(t)))
    return hex(bits)


# Sources: edges of the type, then anything.


def edges(t):
    n = width(t)
    if t == "pred":
        return [0, 1]
    if "x" in t:
        lane, count = lanes(t)
        m = width(lane)
        corners = [0, 1, (1 << m) - 1, 1 << (m - 1), (1 << (m - 1)) - 1]
        return [sum(corners[(i + k) % 5] << (m * i) for i in range(count)) for k in range(5)]
    return [0, 1, 2, (1 << n) - 1, 1 << (n - 1), (1 << (n - 1)) - 1, (1 << (n // 2)) - 1, 1 << (n // 2)]


def draw(rng, t):
    n = width(t)
    kind = rng.randrange(3)
    if kind == 0:
        return rng.choice(edges(t))
    bits = rng.getrandbits(n)
    if kind == 1 and n > 1 and "x" not in t:
        bits = unsigned(signed(bits, n) >> rng.randrange(n), n)
    return bits


class File:
    def __init__(self, name, title):
        self.path = HERE / name
        self.lines = [f"# {title}", "# Made by make_integer.py."]
        self.rng = random.Random(name)

    def add(self, opcode, sources, function, count=6, names="abcde"):
        """Lines for an opcode: sources are types or functions that draw, function gives [(type, bits)]."""
        for _ in range(count):
            drawn = [s(self.rng) if callable(s) else (s, draw(self.rng, s)) for s in sources]
            self.line(opcode, drawn, function(*[bits for _, bits in drawn]), names)

    def line(self, opcode, drawn, results, names="abcde"):
        given = " ".join(f"{name}={literal(*d)}" for name, d in zip(names, drawn))
        self.lines.append(f"{opcode}  {given} -> {', '.join(literal(*r) for r in results)}")

    def write(self):
        self.path.write_text("\n".join(self.lines) + "\n")


def small(t, high):
    """A source that is a number up to `high` half of the time."""
    return lambda rng: (t, rng.randrange(high + 1) if rng.randrange(4) else draw(rng, t))


# 9.7.1 and 9.7.2


def divide(a, b):
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


def integer():
    file = File("integer.txt", "Integer arithmetic, chapter 9.7.1.")

    def simple(name, types, f, sources=2, mods=""):
        for t in types:
            file.add(f"{name}{mods}.{t}", [t] * sources, lambda *s, t=t: [(t, each_lane(t, f, *s))])

    def saturating(name, types, f):
        for t in types:
            g = lambda a, b, t=t: clamp(f(a, b), lanes(t)[0])
            file.add(f"{name}.sat.{t}", [t, t], lambda *s, t=t, g=g: [(t, each_lane(t, g, *s))])

    simple("add", INTEGERS + PACKED, lambda a, b: a + b)
    saturating("add", ["s32", "u32"] + PACKED, lambda a, b: a + b)
    simple("sub", INTEGERS + PACKED[2:], lambda a, b: a - b)
    saturating("sub", ["s32", "u8x4", "s8x4"], lambda a, b: a - b)
    simple("neg", SIGNED + ["s8x4"], lambda a: -a, 1)
    simple("abs", SIGNED, abs, 1)
    simple("min", INTEGERS + PACKED, min)
    simple("max", INTEGERS + PACKED, max)
    simple("min", ["s32", "s16x2", "s8x4"], lambda a, b: max(0, min(a, b)), mods=".relu")
    simple("max", ["s32", "s16x2", "s8x4"], lambda a, b: max(0, a, b), mods=".relu")
    simple("sad", INTEGERS, lambda a, b, c: c + abs(a - b), 3)
    simple("div", INTEGERS, lambda a, b: divide(a, b) if b else -1)
    simple("rem", INTEGERS, lambda a, b: a - b * divide(a, b) if b else -1)

    for t in INTEGERS:
        n = width(t)
        product = lambda a, b, t=t: number(t, a) * number(t, b)
        for half, shift in (("lo", 0), ("hi", n)):
            file.add(f"mul.{half}.{t}", [t, t], lambda a, b, t=t, s=shift: [(t, unsigned(product(a, b, t) >> s, width(t)))])
            file.add(
                f"mad.{half}.{t}", [t, t, t], lambda a, b, c, t=t, s=shift: [(t, unsigned((product(a, b, t) >> s) + c, width(t)))]
            )
        if n < 64:
            d = f"{t[0]}{2 * n}"
            file.add(f"mul.wide.{t}", [t, t], lambda a, b, t=t, d=d: [(d, unsigned(product(a, b, t), width(d)))])
            file.add(f"mad.wide.{t}", [t, t, d], lambda a, b, c, t=t, d=d: [(d, unsigned(product(a, b, t) + c, width(d)))])
    high = lambda a, b: signed(a, 32) * signed(b, 32) >> 32
    file.add("mad.hi.sat.s32", ["s32"] * 3, lambda a, b, c: [("s32", unsigned(clamp(high(a, b) + signed(c, 32), "s32"), 32))], 16)

    def polynomial(a, b):
        total = 0
        for i in range(64):
            if a >> i & 1:
                total ^= b << i
        return total

    file.add("clmad.lo.u64", ["u64"] * 3, lambda a, b, c: [("u64", unsigned(polynomial(a, b), 64) ^ c)])
    file.add("clmad.hi.u64", ["u64"] * 3, lambda a, b, c: [("u64", polynomial(a, b) >> 64 ^ c)])
    for t in ("u32", "s32"):
        low = lambda v, t=t: signed(v, 24) if t == "s32" else unsigned(v, 24)
        for half, shift in (("lo", 0), ("hi", 16)):
            part = lambda a, b, s=shift, low=low: low(a) * low(b) >> s
            file.add(f"mul24.{half}.{t}", [t, t], lambda a, b, t=t, p=part: [(t, unsigned(p(a, b), 32))], 10)
            file.add(f"mad24.{half}.{t}", [t, t, t], lambda a, b, c, t=t, p=part: [(t, unsigned(p(a, b) + c, 32))], 10)
    part = lambda a, b: signed(a, 24) * signed(b, 24) >> 16
    file.add("mad24.hi.sat.s32", ["s32"] * 3, lambda a, b, c: [("s32", unsigned(clamp(part(a, b) + signed(c, 32), "s32"), 32))], 16)
    bit_fields(file)
    dot_products(file)
    file.write()


def bit_fields(file):
    for t in ("b32", "b64"):
        n = width(t)
        file.add(f"popc.{t}", [t], lambda a: [("u32", bin(a).count("1"))])
        file.add(f"clz.{t}", [t], lambda a, n=n: [("u32", n - a.bit_length())], 10)
        file.add(f"brev.{t}", [t], lambda a, n=n, t=t: [(t, int(f"{a:0{n}b}"[::-1], 2))])

        def inserted(a, b, c, d, n=n):
            position, length = c & 255, d & 255
            for i in range(length):
                if position + i < n:
                    b = b & ~(1 << (position + i)) | (a >> i & 1) << (position + i)
            return b

        file.add(f"bfi.{t}", [t, t, small("u32", 70), small("u32", 70)], lambda *s, t=t: [(t, inserted(*s))], 20)
    for t in ("u32", "u64", "s32", "s64"):
        n = width(t)

        def found(a, n=n, t=t):
            return (unsigned(~a, n) if t[0] == "s" and a >> (n - 1) else a).bit_length() - 1

        file.add(f"bfind.{t}", [t], lambda a: [("u32", unsigned(found(a), 32))], 10)
        file.add(f"bfind.shiftamt.{t}", [t], lambda a, n=n: [("u32", unsigned(-1 if found(a) < 0 else n - 1 - found(a), 32))], 10)

        def extracted(a, b, c, n=n, t=t):
            position, length = b & 255, c & 255
            sign = a >> min(position + length - 1, n - 1) & 1 if t[0] == "s" and length else 0
            bit = lambda i: a >> (position + i) & 1 if i < length and position + i < n else sign
            return sum(bit(i) << i for i in range(n))

        file.add(f"bfe.{t}", [t, small("u32", 70), small("u32", 70)], lambda *s, t=t: [(t, extracted(*s))], 20)

    def nth(mask, base, offset):
        offset = signed(offset, 32)
        if offset == 0:
            return base if mask >> base & 1 else 2**32 - 1
        order = range(base, 32) if offset > 0 else range(base, -1, -1)
        hits = [p for p in order if mask >> p & 1]
        return hits[abs(offset) - 1] if abs(offset) <= len(hits) else 2**32 - 1

    base = lambda rng: ("b32", rng.randrange(32))
    offset = lambda rng: ("s32", unsigned(rng.randrange(-9, 10), 32))
    file.add("fns.b32", ["b32", base, offset], lambda *s: [("b32", nth(*s))], 40, ["mask", "base", "offset"])
    for mode, t in itertools.product(("clamp", "wrap"), ("u32", "s32")):

        def extended(a, b, mode=mode, t=t):
            if mode == "clamp" and b >= 32:
                return a
            kept = b & 31
            return unsigned(signed(a, kept) if t == "s32" else unsigned(a, kept), 32) if kept else 0

        file.add(f"szext.{mode}.{t}", [t, small("u32", 40)], lambda *s, t=t: [(t, extended(*s))], 16)
    for mode in ("clamp", "wrap"):

        def mask(a, b, mode=mode):
            if mode == "wrap":
                a, b = a & 31, b & 31
            return unsigned(((1 << min(b, 32)) - 1) << a, 32) if a < 32 else 0

        file.add(f"bmsk.{mode}.b32", [small("b32", 40), small("b32", 40)], lambda *s: [("b32", mask(*s))], 20)


def dot_products(file):
    for at, bt in itertools.product(("u32", "s32"), repeat=2):
        d = "s32" if "s32" in (at, bt) else "u32"
        byte = lambda v, i, t: number(f"{t[0]}8", v >> (8 * i))
        word = lambda v, i, t: number(f"{t[0]}16", v >> (16 * i))
        four = lambda a, b, at=at, bt=bt: sum(byte(a, i, at) * byte(b, i, bt) for i in range(4))
        file.add(f"dp4a.{at}.{bt}", [at, bt, d], lambda a, b, c, d=d, four=four: [(d, unsigned(four(a, b) + c, 32))], 10)
        for half, first in (("lo", 0), ("hi", 2)):
            two = lambda a, b, at=at, bt=bt, f=first: sum(word(a, i, at) * byte(b, f + i, bt) for i in range(2))
            file.add(f"dp2a.{half}.{at}.{bt}", [at, bt, d], lambda a, b, c, d=d, two=two: [(d, unsigned(two(a, b) + c, 32))], 10)


def extended():
    file = File("extended.txt", "Extended-precision arithmetic, chapter 9.7.2.")
    for t in ("u32", "s32", "u64", "s64"):
        n = width(t)
        flag = lambda sum, n=n: ("pred", int(not 0 <= sum < 1 << n))
        value = lambda sum, t=t, n=n: (t, unsigned(sum, n))
        for name, sign in (("add", 1), ("sub", -1)):
            total = lambda a, b, cc=0, sign=sign: a + sign * (b + cc)
            both = lambda *s, total=total, value=value, flag=flag: [value(total(*s)), flag(total(*s))]
            one = lambda *s, total=total, value=value: [value(total(*s))]
            file.add(f"{name}.cc.{t}", [t, t], both, 8)
            file.add(f"{name}c.{t}", [t, t, "pred"], one, 8, ["a", "b", "cc"])
            file.add(f"{name}c.cc.{t}", [t, t, "pred"], both, 8, ["a", "b", "cc"])
        for half, shift in (("lo", 0), ("hi", n)):
            part = lambda a, b, t=t, s=shift, n=n: unsigned(number(t, a) * number(t, b) >> s, n)
            total = lambda a, b, c, cc=0, part=part: part(a, b) + c + cc
            both = lambda *s, total=total, value=value, flag=flag: [value(total(*s)), flag(total(*s))]
            one = lambda *s, total=total, value=value: [value(total(*s))]
            file.add(f"mad.{half}.cc.{t}", [t, t, t], both, 8)
            file.add(f"madc.{half}.{t}", [t, t, t, "pred"], one, 8, ["a", "b", "c", "cc"])
            file.add(f"madc.{half}.cc.{t}", [t, t, t, "pred"], both, 8, ["a", "b", "c", "cc"])
    file.write()


# 9.7.9


def logic():
    file = File("logic.txt", "Logic and shift, chapter 9.7.9.")
    for t in BITS + ["pred"]:
        n = width(t)
        file.add(f"and.{t}", [t, t], lambda a, b, t=t: [(t, a & b)], 4)
        file.add(f"or.{t}", [t, t], lambda a, b, t=t: [(t, a | b)], 4)
        file.add(f"xor.{t}", [t, t], lambda a, b, t=t: [(t, a ^ b)], 4)
        file.add(f"not.{t}", [t], lambda a, t=t, n=n: [(t, unsigned(~a, n))], 4)
    for t in BITS:
        n = width(t)
        file.add(f"cnot.{t}", [t], lambda a, t=t: [(t, int(a == 0))])
        amount = small("u32", n + 2)
        file.add(f"shl.{t}", [t, amount], lambda a, b, t=t, n=n: [(t, unsigned(a << min(b, n), n))], 12)
    for t in BITS + INTEGERS:
        n = width(t)
        amount = small("u32", n + 2)
        file.add(f"shr.{t}", [t, amount], lambda a, b, t=t, n=n: [(t, unsigned(number(t, a) >> min(b, n), n))], 12)

    def table(a, b, c, lut):
        return sum((lut >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i for i in range(32))

    names = ["a", "b", "c", "immLut", "q"]
    lut = lambda rng: ("u32", rng.randrange(256))
    file.add("lop3.b32", ["b32", "b32", "b32", lut], lambda *s: [("b32", table(*s))], 40, names)
    for word, join in (("and", lambda x, y: x & y), ("or", lambda x, y: x | y)):
        both = lambda a, b, c, lut, q, join=join: [("b32", table(a, b, c, lut)), ("pred", join(int(table(a, b, c, lut) != 0), q))]
        file.add(f"lop3.{word}.b32", ["b32", "b32", "b32", lut, "pred"], both, 12, names)
        file.line(f"lop3.{word}.b32", [("b32", 1), ("b32", 2), ("b32", 4), ("u32", 0), ("pred", 1)], both(1, 2, 4, 0, 1), names)
    for mode in ("clamp", "wrap"):
        amount = lambda c, mode=mode: min(c, 32) if mode == "clamp" else c & 31
        left = lambda a, b, c, amount=amount: [("b32", unsigned((b << 32 | a) << amount(c) >> 32, 32))]
        right = lambda a, b, c, amount=amount: [("b32", unsigned((b << 32 | a) >> amount(c), 32))]
        file.add(f"shf.l.{mode}.b32", ["b32", "b32", small("u32", 40)], left, 20)
        file.add(f"shf.r.{mode}.b32", ["b32", "b32", small("u32", 40)], right, 20)
    file.write()


# 9.7.7 and 9.7.8

FLOATS = ["f16", "bf16", "f32", "f64"]
ORDERED = ["eq", "ne", "lt", "le", "gt", "ge"]
COMPARISONS = ORDERED + ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
ALIASES = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
ONE = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80, "f16x2": 0x3C00, "bf16x2": 0x3F80}
FLOAT_EDGES = {
    "f16": [0, 0x8000, 1, 0x8001, 0x03FF, 0x0400, 0x3C00, 0xBC00, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7C01],
    "bf16": [0, 0x8000, 1, 0x8001, 0x007F, 0x0080, 0x3F80, 0xBF80, 0x7F7F, 0x7F80, 0xFF80, 0x7FC0, 0xFFC1, 0x7F81],
    "f32": [0, 1 << 31, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001],
    "f64": [0, 1 << 63, 1, 0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x3FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000],
}


def decode(t, bits):
    if t == "bf16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    code = {"f16": ("<e", "<H"), "f32": ("<f", "<I"), "f64": ("<d", "<Q")}.get(t)
    return struct.unpack(code[0], struct.pack(code[1], bits))[0] if code else number(t, bits)


def flushed(t, x, ftz):
    least = {"f16": 2.0**-14, "f32": 2.0**-126}
    return math.copysign(0.0, x) if ftz and abs(x) < least[t] else x


def compares(word, x, y):
    word = ALIASES.get(word, word)
    unordered = x != x or y != y
    if word in ("num", "nan"):
        return unordered == (word == "nan")
    if unordered:
        return word.endswith("u")
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[word.removesuffix("u")]


def joined(word, t, c):
    return {"": t, "and": t and c, "or": t or c, "xor": t != c}[word]


def operand(t):
    """A source for a comparison: often from a few values, so that equality happens."""
    lane, count = lanes(t)
    choice = FLOAT_EDGES.get(lane) or edges(lane)
    return lambda rng: (t, sum((rng.choice(choice) if rng.randrange(5) else rng.getrandbits(width(lane))) << (width(lane) * i) for i in range(count)))


def compare():
    file = File("compare.txt", "Comparison and selection, chapters 9.7.7 and 9.7.8.")
    words = {t: ORDERED[:2] for t in BITS}
    words |= {t: ORDERED + list(ALIASES) for t in UNSIGNED + ["u8x4", "u16x2"]}
    words |= {t: ORDERED for t in SIGNED + ["s8x4", "s16x2"]}
    words |= {t: COMPARISONS for t in FLOATS + ["f16x2", "bf16x2"]}

    def truths(word, t, ftz, a, b):
        lane, count = lanes(t)
        n = width(lane)
        value = lambda bits, i: flushed(lane, decode(lane, unsigned(bits >> (n * i), n)), ftz)
        return [compares(word, value(a, i), value(b, i)) for i in range(count)]

    def spellings(t):
        for word in words[t]:
            for join in ("", "and", "or", "xor"):
                yield word, join, False
                if t in ("f16", "f32", "f16x2"):
                    yield word, join, True

    for t in BITS + INTEGERS + FLOATS + ["f16x2", "bf16x2"]:
        for word, join, ftz in spellings(t):

            def setp(a, b, c=0, t=t, word=word, join=join, ftz=ftz):
                lanes_true = truths(word, t, ftz, a, b)
                if len(lanes_true) == 1 and t not in ("f16", "bf16"):
                    lanes_true.append(not lanes_true[0])
                return [("pred", int(joined(join, v, bool(c)))) for v in lanes_true]

            opcode = ".".join(filter(None, ["setp", word, join, "ftz" if ftz else "", t]))
            file.add(opcode, [operand(t), operand(t)] + ["pred"] * bool(join), setp, 2 if not join else 1)
    results = {t: ["u32", "s32", "f32", "f16", "bf16"] for t in BITS + INTEGERS + ["f32", "f64"]}
    results |= {"f16": ["u16", "s16", "u32", "s32", "f16", "bf16"], "bf16": ["u16", "s16", "u32", "s32", "bf16"]}
    results |= {"f16x2": ["u32", "s32", "f16x2"], "bf16x2": ["u32", "s32", "bf16x2"]}
    for t, dtypes in results.items():
        for (word, join, ftz), d in itertools.product(spellings(t), dtypes):
            if ftz and d == "bf16" or join and file.rng.randrange(3):
                continue

            def set_(a, b, c=0, t=t, d=d, word=word, join=join, ftz=ftz):
                lanes_true = [joined(join, v, bool(c)) for v in truths(word, t, ftz, a, b)]
                n = width(d) // len(lanes_true)
                one = ONE.get(d, (1 << n) - 1)
                return [(d, sum(int(v) * one << (n * i) for i, v in enumerate(lanes_true)))]

            opcode = ".".join(filter(None, ["set", word, join, "ftz" if ftz else "", d, t]))
            file.add(opcode, [operand(t), operand(t)] + ["pred"] * bool(join), set_, 1)
    for t in PACKED:
        lane, count = lanes(t)
        for word in words[t]:
            ones = lambda a, b, word=word: -compares(word, a, b)
            file.add(f"set.{word}.{t}", [operand(t), operand(t)], lambda a, b, t=t, f=ones: [(t, each_lane(t, f, a, b))], 2)
    for t in BITS + INTEGERS + ["f32", "f64"]:
        file.add(f"selp.{t}", [t, t, "pred"], lambda a, b, c, t=t: [(t, a if c else b)], 4)
        file.add(f"slct.{t}.s32", [t, t, "s32"], lambda a, b, c, t=t: [(t, a if signed(c, 32) >= 0 else b)], 4)
        for ftz in ("", ".ftz"):
            least = lambda c, ftz=ftz: flushed("f32", decode("f32", c), bool(ftz)) >= 0
            file.add(f"slct{ftz}.{t}.f32", [t, t, operand("f32")], lambda a, b, c, t=t, f=least: [(t, a if f(c) else b)], 6)
    file.write()


# 9.7.20

SCALAR = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vabsdiff": lambda a, b: abs(a - b),
    "vmin": min,
    "vmax": max,
}
PARALLEL = SCALAR | {"vavrg": lambda a, b: (a + b + 1) >> 1 if a + b >= 0 else (a + b) >> 1}


def extend(bits, n, t):
    return signed(bits, n) if t == "s32" else unsigned(bits, n)


def part(bits, selector, t):
    n = {"b": 8, "h": 16}[selector[0]] if selector else 32
    return extend(bits >> (n * int(selector[1:] or 0)), n, t)


def finish(t, sat, d, op, c, merged):
    """Steps three and four of a scalar video instruction; merged is the selector of the destination."""
    t = signed(t, 34)
    n = {"b": 8, "h": 16}[merged[0]] if merged else 32
    if sat:
        t = clamp(t, f"{d[0]}{n}")
    c = extend(c, 32, d)
    if merged:
        at = n * int(merged[1:])
        t = c & ~(((1 << n) - 1) << at) | unsigned(t, n) << at
    return unsigned({"": t, "add": t + c, "min": min(t, c), "max": max(t, c)}[op], 32)


class Video(File):
    def video(self, opcode, sources, f, selectors, count=4):
        """Lines with random selectors on a and b, which f gets before the values."""
        for _ in range(count):
            chosen = [self.rng.choice(selectors) if self.rng.randrange(3) else "" for _ in range(2)]
            drawn = [s(self.rng) if callable(s) else (s, draw(self.rng, s)) for s in sources]
            d, bits = f(*chosen, *[bits for _, bits in drawn])
            shown = [literal(*v) for v in drawn]
            given = " ".join(f"{n}={v}{'.' + s if s else ''}" for n, v, s in zip("abc", shown, chosen + [""]))
            self.lines.append(f"{opcode}  {given} -> {literal(d, bits)}")


def spelled(*words):
    return ".".join(filter(None, words))


def video():
    file = Video("video.txt", "Video instructions, chapter 9.7.20.")
    types = ("u32", "s32")
    halves = ["b0", "b1", "b2", "b3", "h0", "h1"]
    seconds = ("", "add", "min", "max")

    for name, (d, at, bt), sat, op in itertools.product(SCALAR, itertools.product(types, repeat=3), ("", "sat"), seconds):

        def result(asel, bsel, a, b, c=0, name=name, d=d, at=at, bt=bt, sat=sat, op=op):
            return d, finish(SCALAR[name](part(a, asel, at), part(b, bsel, bt)), sat, d, op, c, "")

        file.video(spelled(name, d, at, bt, sat, op), [at, bt] + [d] * bool(op), result, halves)
    for name, (d, at), sat, mode, op in itertools.product(
        ("vshl", "vshr"), itertools.product(types, repeat=2), ("", "sat"), ("clamp", "wrap"), seconds
    ):

        def result(asel, bsel, a, b, c=0, name=name, d=d, at=at, sat=sat, mode=mode, op=op):
            amount = part(b, bsel, "u32")
            amount = min(amount, 32) if mode == "clamp" else amount & 31
            value = part(a, asel, at)
            return d, finish(value << amount if name == "vshl" else value >> amount, sat, d, op, c, "")

        file.video(spelled(name, d, at, "u32", sat, mode, op), [at, amounts] + [d] * bool(op), result, halves)
    for (d, at, bt), po, sat, scale in itertools.product(
        itertools.product(types, repeat=3), ("", "po"), ("", "sat"), ("", "shr7", "shr15")
    ):

        def result(asel, bsel, a, b, c, d=d, at=at, bt=bt, po=po, sat=sat, scale=scale):
            both_unsigned = (at, bt) == ("u32", "u32")
            kind = "u32" if both_unsigned else "s32"
            total = part(a, asel, at) * part(b, bsel, bt) + extend(c, 32, kind) + bool(po)
            total >>= int(scale[3:] or 0)
            return d, unsigned(clamp(total, kind) if sat else total, 32)

        file.video(spelled("vmad", d, at, bt, po, sat, scale), [at, bt, "u32"], result, halves)
    for (at, bt), word, op in itertools.product(itertools.product(types, repeat=2), ORDERED, seconds):

        def result(asel, bsel, a, b, c=0, at=at, bt=bt, word=word, op=op):
            return "u32", finish(int(compares(word, part(a, asel, at), part(b, bsel, bt))), "", "u32", op, c, "")

        file.video(spelled("vset", at, bt, word, op), [at, bt] + ["u32"] * bool(op), result, halves)
    for count, letter in ((2, "h"), (4, "b")):
        parallel(file, types, count, letter)
    file.write()


def parallel(file, types, count, letter):
    n = 32 // count
    selectors = [letter + "".join(str(file.rng.randrange(2 * count)) for _ in range(count)) for _ in range(40)]

    def picked(a, b, selector, first, t):
        places = [int(c) for c in reversed(selector[1:])] if selector else range(first, first + count)
        return [extend((b << 32 | a) >> (n * p), n, t) for p in places]

    def merge(results, d, sat, op, c):
        if sat:
            results = [clamp(t, f"{d[0]}{n}") for t in results]
        if op:
            return unsigned(c + sum(results), 32)
        return sum(unsigned(t, n) << (n * i) for i, t in enumerate(results))

    for name, (d, at, bt), end in itertools.product(PARALLEL, itertools.product(types, repeat=3), ("", "sat", "add")):

        def result(asel, bsel, a, b, c, name=name, d=d, at=at, bt=bt, end=end):
            pairs = zip(picked(a, b, asel, 0, at), picked(a, b, bsel, count, bt))
            return d, merge([PARALLEL[name](x, y) for x, y in pairs], d, end == "sat", end == "add", c)

        file.video(spelled(f"{name}{count}", d, at, bt, end), [at, bt, d], result, selectors)
    for (at, bt), word, end in itertools.product(itertools.product(types, repeat=2), ORDERED, ("", "add")):

        def result(asel, bsel, a, b, c, at=at, bt=bt, word=word, end=end):
            pairs = zip(picked(a, b, asel, 0, at), picked(a, b, bsel, count, bt))
            return "u32", merge([int(compares(word, x, y)) for x, y in pairs], "u32", False, end == "add", c)

        file.video(spelled(f"vset{count}", at, bt, word, end), [at, bt, "u32"], result, selectors)


def amounts(rng):
    """Amounts of a shift, mostly one in each byte or half-word that is worth shifting by."""
    step = rng.choice((8, 16))
    return "u32", sum(rng.randrange(40) << i for i in range(0, 32, step)) if rng.randrange(4) else draw(rng, "u32")


# What the operands of a line cannot say: settings and values of a function instead of an instruction.

FUNCTIONS = {"vadd": "add", "vsub": "sub", "vabsdiff": "abs_diff", "vmin": "min", "vmax": "max", "vavrg": "average"}


def settings():
    file = File("../../../crates/semantics/tests/video.txt", "FUNCTION TYPES SETTINGS VALUES -> RESULT, chapter 9.7.20.")
    parts = File("video_parts.txt", "Video instructions that write a part of their destination, chapter 9.7.20.")
    types = ("u32", "s32")
    halves = ["b0", "b1", "b2", "b3", "h0", "h1"]
    rng = file.rng

    def put(function, types, words, values, result):
        shown = " ".join(filter(None, words))
        file.lines.append(f"{function}  {' '.join(types)}  {shown}  {' '.join(map(hex, values))} -> {hex(result)}")

    def put_part(opcode, dsel, values, selectors, result):
        given = " ".join(f"{n}={hex(v)}{'.' + s if s else ''}" for n, v, s in zip("abc", values, [*selectors, ""]))
        parts.lines.append(f"{opcode}  d=.{dsel} {given} -> {hex(result)}")

    for name, (d, at, bt), sat, dsel in itertools.product(SCALAR, itertools.product(types, repeat=3), ("", "sat"), halves):
        asel, bsel = rng.choice(halves), rng.choice(halves)
        a, b, c = (draw(rng, t) for t in (at, bt, d))
        result = finish(SCALAR[name](part(a, asel, at), part(b, bsel, bt)), sat, d, "", c, dsel)
        words = [sat, f"asel={asel}", f"bsel={bsel}", f"dsel={dsel}"]
        put(f"video::{FUNCTIONS[name]}_with", (d, at, bt, d), words, (a, b, c), result)
        put_part(spelled(name, d, at, bt, sat), dsel, (a, b, c), (asel, bsel), result)
    for (at, bt), word, dsel in itertools.product(itertools.product(types, repeat=2), ORDERED, halves):
        asel, bsel = rng.choice(halves), rng.choice(halves)
        a, b, c = (draw(rng, t) for t in (at, bt, "u32"))
        result = finish(int(compares(word, part(a, asel, at), part(b, bsel, bt))), "", "u32", "", c, dsel)
        words = [f"compare={word}", f"asel={asel}", f"bsel={bsel}", f"dsel={dsel}"]
        put("video::set_with", ("u32", at, bt, "u32"), words, (a, b, c), result)
        put_part(spelled("vset", at, bt, word), dsel, (a, b, c), (asel, bsel), result)
    for (d, at, bt), negated, sat, scale in itertools.product(
        itertools.product(types, repeat=3), ("neg_a", "neg_b", "neg_c", "neg_a neg_b"), ("", "sat"), ("", "shr7", "shr15")
    ):
        a, b, c = (draw(rng, t) for t in (at, bt, "u32"))
        total, product_negated, c_negated = number(at, a) * number(bt, b), negated in ("neg_a", "neg_b"), negated == "neg_c"
        kind = "s32" if "s32" in (at, bt) or product_negated or c_negated else "u32"
        total = ~total if product_negated else total
        addend = extend(~c if c_negated else c, 32, kind)
        total = total + addend + (product_negated or c_negated) >> int(scale[3:] or 0)
        words = [negated, sat, f"mode={scale}" if scale else ""]
        put("video::mad", (d, at, bt, "u32"), words, (a, b, c), unsigned(clamp(total, kind) if sat else total, 32))
    masks = {2: ["h0", "h1", "h10"], 4: ["b" + "".join(reversed(m)) for k in range(1, 5) for m in itertools.combinations("0123", k)]}
    for count, name, (d, at, bt), end in itertools.product((2, 4), PARALLEL, itertools.product(types, repeat=3), ("", "sat", "op=add")):
        for mask in rng.sample(masks[count], 2):
            n = 32 // count
            a, b, c = (draw(rng, t) for t in (at, bt, d))
            lane = lambda v, i, t: extend(v >> (n * i), n, t)
            results = [PARALLEL[name](lane(a, i, at), lane(b, i, bt)) for i in range(count)]
            results = [clamp(t, f"{d[0]}{n}") for t in results] if end == "sat" else results
            named = [str(i) in mask[1:] for i in range(count)]
            if end == "op=add":
                result = c + sum(t for t, yes in zip(results, named) if yes)
            else:
                result = sum(unsigned(t if yes else c >> (n * i), n) << (n * i) for i, (t, yes) in enumerate(zip(results, named)))
            put(f"video::{FUNCTIONS[name]}{count}", (d, at, bt, d), [end, f"dsel={mask}"], (a, b, c), unsigned(result, 32))
            opcode = spelled(f"{name}{count}", d, at, bt, end.removeprefix("op="))
            put_part(opcode, mask, (a, b, c), ("", ""), unsigned(result, 32))
    file.write()
    parts.write()


def vectors():
    """Packing and unpacking, chapter 9.7.10.4: the first element lies lowest."""
    file = File("vectors.txt", "Vectors packed into a scalar and back, chapter 9.7.10.4, and copied, 9.7.10.3.")
    for whole, count in itertools.product((16, 32, 64, 128), (2, 4)):
        n = whole // count
        if n < 8:
            continue
        for _ in range(3):
            elements = [draw(file.rng, f"b{n}") for _ in range(count)]
            value = sum(e << (n * i) for i, e in enumerate(elements))
            braces = "{" + ",".join(map(hex, elements)) + "}"
            file.lines.append(f"mov.b{whole}  a={braces} -> {hex(value)}")
            file.lines.append(f"mov.b{whole}  d={{{','.join('_' * count)}}} a={hex(value)} -> {', '.join(map(hex, elements))}")
            if n in (16, 32):
                file.lines.append(f"mov.v{count}.b{n}  d={{{','.join('_' * count)}}} a={braces} -> {', '.join(map(hex, elements))}")
    file.write()


if __name__ == "__main__":
    integer()
    extended()
    logic()
    compare()
    video()
    settings()
    vectors()
