#!/usr/bin/env python3
"""Makes image.txt: loads, stores, atomics and sizes of AMD's images, by Python's integers and fractions.

Descriptors, layouts of linear images and formats are written down anew here: after mesa's registers (gfx9.json, gfx10-rsrc.json, gfx11-rsrc.json), ROCm's
resource_gfx12.h and addrlib's rules for linear surfaces and blocks (gfx9addrlib.cpp, gfx10SwizzlePattern.h and its kin). `python3 make_image.py` rewrites the file.
"""

import random
import struct
from fractions import Fraction

from records import named, on, targets

R = random.Random(60)
GENERATIONS = ["gfx9", "gfx101", "gfx103", "gfx11", "gfx120"]
WAIT = {
    "gfx9": "s_waitcnt vmcnt(0)",
    "gfx101": "s_waitcnt vmcnt(0); s_waitcnt_vscnt null, 0x0",
    "gfx103": "s_waitcnt vmcnt(0); s_waitcnt_vscnt null, 0x0",
    "gfx11": "s_waitcnt vmcnt(0); s_waitcnt_vscnt null, 0x0",
    "gfx120": "s_wait_loadcnt 0x0; s_wait_samplecnt 0x0; s_wait_storecnt 0x0",
}
KINDS = ["1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"]
PLANE = {"1D": 1, "1D_ARRAY": 1, "3D": 3}
SLICED = ("CUBE", "1D_ARRAY", "2D_ARRAY", "2D_MSAA_ARRAY")
SIX = ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT"]
WHOLE = ["UINT", "SINT", "FLOAT"]
SEVEN = SIX + ["FLOAT"]
GFX10 = [("8", SIX), ("16", SEVEN), ("8_8", SIX), ("32", WHOLE), ("16_16", SEVEN), ("10_11_11", SEVEN), ("11_11_10", SEVEN), ("10_10_10_2", SIX),
         ("2_10_10_10", SIX), ("8_8_8_8", SIX), ("32_32", WHOLE), ("16_16_16_16", SEVEN), ("32_32_32", WHOLE), ("32_32_32_32", WHOLE)]
GFX11 = [("8", SIX), ("16", SEVEN), ("8_8", SIX), ("32", WHOLE), ("16_16", SEVEN), ("10_11_11", ["FLOAT"]), ("11_11_10", ["FLOAT"]),
         ("10_10_10_2", ["UNORM", "SNORM", "UINT", "SINT"]), ("2_10_10_10", SIX), ("8_8_8_8", SIX), ("32_32", WHOLE), ("16_16_16_16", SEVEN),
         ("32_32_32", WHOLE), ("32_32_32_32", WHOLE)]
LATER = [("8", "SRGB"), ("8_8", "SRGB"), ("8_8_8_8", "SRGB"), None, ("5_9_9_9", "FLOAT"), ("5_6_5", "UNORM"), ("1_5_5_5", "UNORM"), ("5_5_5_1", "UNORM"),
         ("4_4_4_4", "UNORM"), ("4_4", "UNORM")]
DFMT = {"8": 1, "16": 2, "8_8": 3, "32": 4, "16_16": 5, "10_11_11": 6, "11_11_10": 7, "10_10_10_2": 8, "2_10_10_10": 9, "8_8_8_8": 10, "32_32": 11,
        "16_16_16_16": 12, "32_32_32": 13, "32_32_32_32": 14, "5_6_5": 16, "1_5_5_5": 17, "5_5_5_1": 18, "4_4_4_4": 19, "5_9_9_9": 34, "4_4": 57}
NFMT = {"UNORM": 0, "SNORM": 1, "USCALED": 2, "SSCALED": 3, "UINT": 4, "SINT": 5, "FLOAT": 7, "SRGB": 9}


def numbers(generation):
    """Formats by name, with their numbers."""
    if generation == "gfx9":
        fit = {"8": SIX + ["SRGB"], "8_8": SIX + ["SRGB"], "8_8_8_8": SIX + ["SRGB"], "32": WHOLE, "32_32": WHOLE, "32_32_32": WHOLE, "32_32_32_32": WHOLE,
               "16": SEVEN, "16_16": SEVEN, "16_16_16_16": SEVEN, "10_11_11": ["FLOAT"], "11_11_10": ["FLOAT"], "10_10_10_2": SIX, "2_10_10_10": SIX,
               "5_9_9_9": ["FLOAT"]}
        return {(widths, kind): DFMT[widths] | NFMT[kind] << 6 for widths in DFMT for kind in fit.get(widths, ["UNORM"])}
    first = GFX10 if generation.startswith("gfx10") else GFX11
    flat = [(widths, kind) for widths, kinds in first for kind in kinds]
    out = {name: 1 + i for i, name in enumerate(flat)}
    if generation.startswith("gfx10"):
        out.update({name: 128 + i for i, name in enumerate(LATER) if name})
    else:
        out.update({name: 64 + i for i, name in enumerate(n for n in LATER if n)})
    return out


NUMBERS = {g: numbers(g) for g in GENERATIONS}


def rounded(value, bits, least, most):
    """A fraction as a float of so many bits of fraction, to nearest even: sign, exponent and fraction as integers, in a word."""
    sign = value < 0
    value = abs(value)
    if not value:
        return 0
    exponent = 0
    while value >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while value < Fraction(2) ** exponent and exponent > least:
        exponent -= 1
    unit = Fraction(2) ** (exponent - bits)
    count = round(value / unit)
    biased = exponent + most
    word = (biased << bits) + count - (1 << bits)
    return word | sign << (bits + (8 if bits == 23 else 5))


def single(value):
    return rounded(Fraction(value), 23, -126, 127)


def half(value):
    if abs(value) >= 65520:
        return 0x7C00 | (value < 0) << 15
    return rounded(Fraction(value), 10, -14, 15)


def srgb(u):
    return Fraction(u / 12.92) if u <= 0.04045 else Fraction(((u + 0.055) / 1.055) ** 2.4)


def small(bits, width):
    """The value of a float of 10, 11, 16 or 32 bits."""
    if width == 32:
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    if width == 16:
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    fraction = width - 5
    exponent, low = bits >> fraction, bits & ((1 << fraction) - 1)
    return (low if exponent == 0 else low + (1 << fraction)) * 2.0 ** ((exponent or 1) - 15 - fraction)


class Format:
    def __init__(self, widths, kind):
        self.widths, self.kind = [int(w) for w in widths.split("_")][::-1], kind
        self.bytes = sum(self.widths) // 8
        self.shared = self.widths == [9, 9, 9, 5]

    def random(self):
        """The bits of a texel, floats without NaN."""
        if self.kind != "FLOAT" or self.shared:
            return R.getrandbits(8 * self.bytes)
        word, low = 0, 0
        for w in self.widths:
            top = {32: R.getrandbits(1) << 31 | R.randrange(64, 190) << 23 | R.getrandbits(23), 16: R.getrandbits(1) << 15 | R.randrange(0x7800)}.get(w, R.randrange(31 << (w - 5)))
            word |= top << low
            low += w
        return word

    def load(self, texel, halves=False):
        """Four words as registers get them."""
        out, low = [], 0
        integers = self.kind in ("UINT", "SINT")
        to = half if halves else single
        widths = [9, 9, 9] if self.shared else self.widths
        for i, w in enumerate(widths):
            bits = texel >> low & ((1 << w) - 1)
            low += w
            signed = bits - (1 << w) if bits >> (w - 1) else bits
            if integers:
                out.append((bits if self.kind == "UINT" else signed) & (0xFFFF if halves else 0xFFFFFFFF))
            elif self.shared:
                out.append(to(bits * Fraction(2) ** ((texel >> 27) - 24)))
            elif self.kind == "UNORM" or self.kind == "SRGB" and i == 3:
                out.append(to(Fraction(bits, (1 << w) - 1)))
            elif self.kind == "SNORM":
                out.append(to(max(Fraction(signed, (1 << (w - 1)) - 1), Fraction(-1))))
            elif self.kind == "SRGB":
                out.append(to(srgb(bits / ((1 << w) - 1))))
            elif self.kind == "FLOAT":
                if halves and w == 16 or not halves and w == 32:
                    out.append(bits)
                elif not small(bits, w):
                    out.append((bits >> (w - 1) if w in (16, 32) else 0) << (15 if halves else 31))
                else:
                    out.append(to(Fraction(small(bits, w))))
            else:
                out.append(to(Fraction(bits if self.kind == "USCALED" else signed)))
        one = 1 if integers else (0x3C00 if halves else 0x3F800000)
        return out + [0, 0, 0, one][len(out):]


def put(words, first, value, count):
    for bit in range(count):
        words[(first + bit) // 32] |= (value >> bit & 1) << ((first + bit) % 32)


class Image:
    """An image at the begin of memory: a descriptor, and where its texels are."""

    def __init__(self, generation, kind, size, format=("32", "UINT"), slices=1, levels=1, base_array=0, base_level=0, pitch=None, sel=(4, 5, 6, 7), mode=0, type_=None):
        self.g, self.kind, self.format = generation, kind, Format(*format)
        self.size = list(size) + [1] * (3 - len(size))
        self.slices, self.levels, self.base_array, self.base_level = slices, levels, base_array, base_level
        self.number, self.sel, self.mode = NUMBERS[generation][format], sel, mode
        self.type = KINDS.index(kind) + 8 if type_ is None else type_
        self.least = 128 if generation == "gfx120" else 256
        self.pitch = pitch or self.aligned(self.size[0], self.least) // self.format.bytes
        self.memory = {}

    def aligned(self, texels, to):
        return -(-texels * self.format.bytes // to) * to

    def level(self, level):
        """Bytes of a row, the begin of the level, bytes of a slice."""
        heights = [max(self.size[1] >> i, 1) for i in range(self.levels)]
        if self.g == "gfx9":
            row = self.pitch * self.format.bytes
            padded = [self.size[1]]
            for _ in range(self.levels):
                padded.append(-(-padded[-1] // 2))
            return row, row * sum(padded[:level]), row * sum(padded[: self.levels])
        rows = [self.aligned(max(self.size[0] >> i, 1), 256) for i in range(self.levels)]
        sizes = [r * h for r, h in zip(rows, heights)]
        row = self.aligned(max(self.size[0] >> level, 1), self.least)
        if self.levels == 1:
            row = max(row, self.pitch * self.format.bytes)
            return row, 0, (row * heights[0] if self.g != "gfx120" else sizes[0])
        return row, sum(sizes[level + 1:]), sum(sizes)

    def address(self, at, slice_=0, level=0):
        """Where a texel is, or nothing."""
        level += self.base_level
        if level >= self.levels:
            return None
        size = [max(n >> level, 1) for n in self.size]
        if any(a >= n for a, n in zip(at, size)):
            return None
        if slice_ + self.base_array >= self.slices:
            return None
        row, begin, whole = self.level(level)
        z = at[2] if len(at) > 2 else 0
        y = at[1] if len(at) > 1 else 0
        return (slice_ + self.base_array + z) * whole + begin + y * row + at[0] * self.format.bytes

    def words(self):
        """The descriptor's words, its base left out."""
        w = [0] * 8
        depth = self.size[2] if self.kind == "3D" else self.slices
        sel = sum(s << (3 * i) for i, s in enumerate(self.sel))
        several = self.levels > 1
        put(w, 96, sel, 12)
        put(w, 116, self.mode, 5)
        put(w, 124, self.type, 4)
        if self.g == "gfx9":
            put(w, 52, self.number, 10)
            put(w, 64, self.size[0] - 1, 14)
            put(w, 78, self.size[1] - 1, 14)
            put(w, 108, self.base_level, 4)
            put(w, 112, self.levels - 1, 4)
            put(w, 128, depth - 1, 13)
            chain = self.level(0)[2] // self.level(0)[0]
            put(w, 141, (chain if several and self.kind not in ("1D", "1D_ARRAY") else self.pitch) - 1, 16)
            put(w, 160, self.base_array, 13)
            put(w, 188, self.levels - 1, 4)
            return w
        one = self.kind in ("1D", "2D", "2D_MSAA")
        pitch = self.pitch if one and self.g != "gfx101" and not several else 0
        if self.g == "gfx120":
            put(w, 44, self.levels - 1, 5)
            put(w, 49, self.number, 8)
            put(w, 57, self.base_level, 5)
            put(w, 62, self.size[0] - 1, 16)
            put(w, 78, self.size[1] - 1, 16)
            put(w, 111, self.levels - 1, 5)
            put(w, 128, pitch - 1 if pitch else depth - 1, 16)
            put(w, 144, self.base_array, 14)
            return w
        put(w, 52, self.number, 9)
        put(w, 62, self.size[0] - 1, 14)
        put(w, 78, self.size[1] - 1, 14)
        put(w, 108, self.base_level, 4)
        put(w, 112, self.levels - 1, 4)
        put(w, 128, pitch - 1 if pitch else depth - 1, 14)
        put(w, 144, self.base_array, 13)
        put(w, 164 if self.g != "gfx11" else 48, self.levels - 1, 4)
        return w

    def setup(self):
        """Instructions and registers that make the descriptor in s[8:15]."""
        w = self.words()
        given = " ".join(f"s{8 + i}={w[i]:#x}" for i in range(2, 8) if w[i])
        return ["s_lshr_b64 s[8:9], s[2:3], 8"] + ([f"s_or_b32 s9, s9, {w[1]:#x}"] if w[1] else []), f"s[2:3]=&0 {given}"

    def fill(self, places):
        """Random texels at places (coordinates, slice, level)."""
        for at, slice_, level in places:
            address = self.address(at, slice_, level)
            if address is not None:
                self.memory[address] = self.format.random()

    def texel(self, at, slice_=0, level=0):
        return self.memory.get(self.address(at, slice_, level))

    def bytes(self, memory=None):
        memory = self.memory if memory is None else memory
        end = max(memory, default=0) + self.format.bytes
        out = bytearray(-(-end // 4) * 4)
        for address, value in memory.items():
            out[address:address + self.format.bytes] = value.to_bytes(self.format.bytes, "little")
        assert len(out) <= 4096
        return "mem=" + ",".join(f"{w:#x}" if w else "0" for w in struct.unpack(f"<{len(out) // 4}I", out))


def listed(values):
    return ",".join(hex(v) for v in values)


def registers(first, count, letter="v"):
    return f"{letter}{first}" if count == 1 else f"{letter}[{first}:{first + count - 1}]"


def addressed(image, count):
    """The operand of an address in v0 and those behind it: gfx12 names each register."""
    return "[" + ", ".join(f"v{i}" for i in range(count)) + "]" if image.g == "gfx120" and count > 1 else registers(0, count)


def tail(image, dmask, more=""):
    """Modifiers."""
    if image.g == "gfx9":
        return f"dmask:{dmask:#x} unorm{more if 'a16' in more else ''}{' da' if image.kind in SLICED else ''}{'' if 'a16' in more else more}"
    return f"dmask:{dmask:#x} dim:SQ_RSRC_IMG_{image.kind}{more}"


def coordinates(image, places, level=False, a16=False):
    """Registers of an address from v0 on, and how many there are."""
    plane = PLANE.get(image.kind, 2)
    rows = [[at[i] if i < len(at) else 0 for at, _, _ in places] for i in range(plane)]
    if image.kind in SLICED:
        rows.append([s for _, s, _ in places])
    if "MSAA" in image.kind:
        rows.append([0 for _ in places])
    if level:
        rows.append([l for _, _, l in places])
    if a16:
        rows = [[lo | (hi << 16) for lo, hi in zip(a, b)] for a, b in zip(rows[::2], rows[1::2] + [[0] * len(places)])]
    return len(rows), " ".join(f"v{i}={listed(row)}" for i, row in enumerate(rows))


def selected(image, texel, halves=False):
    four = image.format.load(texel, halves) if texel is not None else [0] * 4
    integers = image.format.kind in ("UINT", "SINT")
    one = 1 if integers else (0x3C00 if halves else 0x3F800000)
    return [one if s == 1 else (four[s - 4] if s >= 4 else 0) for s in image.sel]


def packed(words):
    return [lo | hi << 16 for lo, hi in zip(words[::2], words[1::2] + [0] * (len(words) % 2))]


def load_line(name, image, places, dmask=0xF, more="", halves=False, a16=False, tfe=False, raw=None, nsa=False, near=0, where=None):
    """A load of texels that exist or do not."""
    where = on(name, image.g) if where is None else on(name, image.g) & where
    if not where:
        return
    level = "mip" in name
    count, given = coordinates(image, places, level, a16)
    expected = []
    for at, s, l in places:
        texel = image.texel(at, s, l)
        if raw is not None:
            size = 8 * image.format.bytes
            value = texel or 0
            if raw and size < 32 and value >> (size - 1):
                value -= 1 << size
            four = [value >> (32 * i) & 0xFFFFFFFF if size > 32 or i == 0 or value < 0 else 0 for i in range(4)]
        else:
            four = selected(image, texel, halves)
        words = [four[i] for i in range(4) if dmask >> i & 1]
        expected.append((packed(words) if halves else words) + ([0x55AA] if tfe else []))
    size = len(expected[0])
    code, descriptor = image.setup()
    address = addressed(image, count)
    if nsa:
        address = "[" + ", ".join(f"v{2 * i}" for i in range(count)) + "]"
        given = " ".join(f"v{2 * i}={part.split('=')[1]}" for i, part in enumerate(given.split()))
    first = 10
    code += [f"{name} {registers(first, size)}, {address}, s[8:15] {tail(image, dmask, more)}", WAIT[image.g]]
    mark = f"~{near}" if near else ""
    gives = " ".join(f"v{first + i}=" + ",".join(hex(e[i]) + mark for e in expected) for i in range(size))
    before = " ".join(f"v{first + i}=0x55aa" for i in range(size))
    yield f"{named(where)}: {'; '.join(code)} | exec={(1 << len(places)) - 1:#x} {descriptor} {image.bytes()} {given} {before} -> {gives}"


def flat(*at):
    return [(a, 0, 0) for a in at]


def formats():
    """Every format: texels that exist, and outside in each direction."""
    for g in GENERATIONS:
        for format in NUMBERS[g]:
            image = Image(g, "2D", (4, 2), format)
            places = flat((0, 0), (3, 1), (4, 0), (0, 2), (2, 1))
            image.fill(places)
            yield from load_line("image_load", image, places, near=1 if format[1] == "SRGB" else 0)


KIND_CASES = [
    ("1D", (5,), {}, [((0,), 0, 0), ((4,), 0, 0), ((5,), 0, 0), ((0xFFFFFFFF,), 0, 0)]),
    ("2D", (5, 3), {}, [((0, 0), 0, 0), ((4, 2), 0, 0), ((4, 3), 0, 0), ((5, 0), 0, 0), ((0x80000000, 1), 0, 0)]),
    ("2D", (5, 3), {"pitch": 128}, [((0, 0), 0, 0), ((4, 2), 0, 0), ((3, 1), 0, 0)]),
    ("3D", (3, 2, 2), {}, [((0, 0, 0), 0, 0), ((2, 1, 1), 0, 0), ((2, 1, 2), 0, 0), ((1, 0, 1), 0, 0)]),
    ("CUBE", (2, 2), {"slices": 6}, [((0, 0), 0, 0), ((1, 1), 5, 0), ((1, 0), 3, 0), ((0, 0), 6, 0)]),
    ("1D_ARRAY", (3,), {"slices": 4, "base_array": 1}, [((0,), 0, 0), ((2,), 2, 0), ((2,), 3, 0), ((3,), 1, 0)]),
    ("2D_ARRAY", (3, 2), {"slices": 4}, [((0, 0), 0, 0), ((2, 1), 3, 0), ((2, 1), 4, 0), ((1, 1), 2, 0)]),
    ("2D_ARRAY", (3, 2), {"slices": 4, "base_array": 2}, [((0, 0), 0, 0), ((2, 1), 1, 0), ((2, 1), 2, 0), ((1, 1), 0, 0)]),
    ("2D_MSAA", (3, 2), {}, [((0, 0), 0, 0), ((2, 1), 0, 0), ((3, 0), 0, 0)]),
    ("2D_MSAA_ARRAY", (3, 2), {"slices": 2}, [((0, 0), 0, 0), ((2, 1), 1, 0), ((2, 1), 2, 0)]),
]


def kinds():
    for g in GENERATIONS:
        for kind, size, more, places in KIND_CASES:
            if "pitch" in more and g == "gfx101":
                continue
            image = Image(g, kind, size, **more)
            image.fill(places)
            yield from load_line("image_load", image, places, dmask=1)
            yield from load_line("image_load", image, [([a & 0xFFFF for a in at], s, l) for at, s, l in places if max(at) < 65536], dmask=1, more=" a16", a16=True, where=targets("vega gfx10 gfx11 gfx120"))
            if len(size) > 1 and g != "gfx9":
                yield from load_line("image_load", image, places, dmask=1, nsa=True)


LEVEL_CASES = [
    ("1D", (7,), {"levels": 3}, [((6,), 0, 0), ((2,), 0, 1), ((3,), 0, 1), ((0,), 0, 2), ((0,), 0, 3), ((0,), 0, 0x80000000)]),
    ("2D", (6, 3), {"levels": 3}, [((5, 2), 0, 0), ((2, 0), 0, 1), ((2, 1), 0, 1), ((0, 0), 0, 2), ((1, 0), 0, 2), ((0, 0), 0, 3)]),
    ("2D", (6, 3), {"levels": 3, "base_level": 1}, [((2, 0), 0, 0), ((3, 0), 0, 0), ((0, 0), 0, 1), ((0, 0), 0, 2)]),
    ("2D_ARRAY", (4, 2), {"levels": 2, "slices": 2}, [((3, 1), 1, 0), ((1, 0), 0, 1), ((1, 0), 1, 1), ((0, 0), 2, 1)]),
    ("3D", (4, 2, 2), {"levels": 2}, [((3, 1, 1), 0, 0), ((1, 0, 0), 0, 1), ((1, 0, 1), 0, 1)]),
]


def levels():
    for g in GENERATIONS:
        for kind, size, more, places in LEVEL_CASES:
            image = Image(g, kind, size, **more)
            image.fill(places)
            yield from load_line("image_load_mip", image, places, dmask=1)
        for name, raw in (("image_load_mip_pck", False), ("image_load_mip_pck_sgn", True)):
            image = Image(g, "2D", (4, 2), ("8", "UNORM"), levels=2)
            places = [((0, 0), 0, 0), ((3, 1), 0, 0), ((1, 0), 0, 1), ((2, 0), 0, 1)]
            image.fill(places)
            yield from load_line(name, image, places, dmask=1, raw=raw)


def modifiers():
    """dmask, dst_sel, d16, tfe and lwe, texels as they lie in memory."""
    for g in GENERATIONS:
        no_90a = targets("vega gfx10 gfx11 gfx120")
        for dmask in (1, 2, 4, 8, 5, 10, 7, 14, 15):
            image = Image(g, "2D", (4, 2), ("8_8_8_8", "UNORM"), sel=(6, 5, 4, 7))
            places = flat((0, 0), (3, 1), (4, 0))
            image.fill(places)
            yield from load_line("image_load", image, places, dmask)
            yield from load_line("image_load", image, places, dmask, " d16", halves=True)
            yield from load_line("image_load", image, places, dmask, " tfe", tfe=True, where=no_90a)
            yield from load_line("image_load", image, places, dmask, " tfe d16", tfe=True, halves=True, where=no_90a)
        image = Image(g, "2D", (4, 2), ("8_8", "UINT"), sel=(1, 4, 0, 5))
        image.fill(places)
        yield from load_line("image_load", image, places)
        yield from load_line("image_load", image, places, more=" d16", halves=True)
        for format in (("16_16_16_16", "SNORM"), ("32_32", "FLOAT"), ("16", "SINT"), ("32", "FLOAT")):
            image = Image(g, "2D", (4, 2), format)
            image.fill(places)
            yield from load_line("image_load", image, places, more=" d16", halves=True)
        for format in (("8", "UNORM"), ("16", "UNORM"), ("8_8_8_8", "SNORM"), ("32_32", "UINT"), ("32_32_32_32", "UINT")):
            image = Image(g, "2D", (4, 2), format)
            image.fill(places)
            dmask = {8: 3, 16: 15}.get(image.format.bytes, 1)
            yield from load_line("image_load_pck", image, places, dmask, raw=False)
            yield from load_line("image_load_pck_sgn", image, places, dmask, raw=True)


def store_line(name, image, places, values, memory, dmask, more="", level=False):
    where = on(name, image.g)
    if not where:
        return
    count, given = coordinates(image, places, level)
    code, descriptor = image.setup()
    size = len(values[0])
    code += [f"{name} {registers(10, size)}, {addressed(image, count)}, s[8:15] {tail(image, dmask, more)}", WAIT[image.g]]
    data = " ".join(f"v{10 + i}={listed([v[i] for v in values])}" for i in range(size))
    yield f"{named(where)}: {'; '.join(code)} | exec={(1 << len(places)) - 1:#x} {descriptor} {image.bytes()} {given} {data} -> {image.bytes(memory)}"


def stored(format, words):
    """The bits of a texel of four numbers."""
    out, low = 0, 0
    for w, word in zip(format.widths, words):
        most = (1 << w) - 1
        value = struct.unpack("<f", struct.pack("<I", word))[0]
        if format.kind == "UINT":
            bits = min(word, most)
        elif format.kind == "SINT":
            signed = word - (1 << 32) if word >> 31 else word
            bits = max(min(signed, most >> 1), -(most >> 1) - 1) & most
        elif format.kind == "UNORM":
            bits = 0 if value != value else round(Fraction(max(min(value, 1.0), 0.0)) * most)
        elif format.kind == "SNORM":
            bits = 0 if value != value else round(Fraction(max(min(value, 1.0), -1.0)) * (most >> 1)) & most
        elif w == 16:
            bits = struct.unpack("<H", struct.pack("<e", value))[0]
        else:
            bits = word
        out |= bits << low
        low += w
    return out


def float_words(*values):
    return [struct.unpack("<I", struct.pack("<f", v))[0] for v in values]


def stores():
    for g in GENERATIONS:
        places = flat((0, 0), (3, 1), (4, 0), (0, 2))
        for format in (("8_8_8_8", "UNORM"), ("8_8_8_8", "SNORM"), ("16_16", "FLOAT"), ("32_32_32_32", "FLOAT"), ("5_6_5", "UNORM"), ("8", "UNORM"), ("2_10_10_10", "UNORM")):
            image = Image(g, "2D", (4, 2), format)
            image.fill(flat((0, 0), (1, 0), (3, 1)))
            values = [float_words(0.5, -0.25, 2.0, 1.0), float_words(0.1, float("nan"), -3.0, 0.75), float_words(1, 1, 1, 1), float_words(1, 1, 1, 1)]
            if format[1] == "FLOAT":
                values[1][1] = 0x3E99999A
            after = dict(image.memory)
            for place, words in zip(places, values):
                address = image.address(*place)
                if address is not None:
                    after[address] = stored(image.format, words)
            yield from store_line("image_store", image, places, values, after, 15)
        for format in (("8_8_8_8", "UINT"), ("16_16", "SINT"), ("32", "UINT"), ("8_8", "SINT")):
            image = Image(g, "2D", (4, 2), format)
            image.fill(flat((0, 0), (1, 0), (3, 1)))
            values = [[R.choice([0, 1, 127, 128, 255, 256, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]) for _ in range(2)] for _ in places]
            after = dict(image.memory)
            for place, words in zip(places, values):
                address = image.address(*place)
                if address is not None:
                    after[address] = stored(image.format, [words[0], 0, words[1], 0])
            yield from store_line("image_store", image, places, values, after, 5)
        image = Image(g, "2D", (4, 2), ("16_16_16_16", "FLOAT"))
        image.fill(flat((0, 0), (1, 0), (3, 1)))
        values = [[R.getrandbits(32) & 0x7BFF7BFF for _ in range(2)] for _ in places]
        after = dict(image.memory)
        for place, words in zip(places, values):
            if image.address(*place) is not None:
                after[image.address(*place)] = words[0] | words[1] << 32
        yield from store_line("image_store", image, places, values, after, 15, " d16")
        for name, format, dmask in (("image_store_pck", ("16", "UNORM"), 1), ("image_store_pck", ("32_32", "UINT"), 3)):
            image = Image(g, "2D", (4, 2), format)
            image.fill(flat((0, 0), (1, 0), (3, 1)))
            values = [[R.getrandbits(32) for _ in range(dmask.bit_count())] for _ in places]
            after = dict(image.memory)
            for place, words in zip(places, values):
                if image.address(*place) is not None:
                    after[image.address(*place)] = sum(w << (32 * i) for i, w in enumerate(words)) & ((1 << 8 * image.format.bytes) - 1)
            yield from store_line(name, image, places, values, after, dmask)
        for name, format in (("image_store_mip", ("32", "UINT")), ("image_store_mip_pck", ("8_8", "UINT"))):
            image = Image(g, "2D", (6, 3), format, levels=2)
            at = [((5, 2), 0, 0), ((2, 0), 0, 1), ((0, 1), 0, 1), ((0, 0), 0, 2)]
            image.fill(at[:2] + [((0, 0), 0, 0)])
            values = [[R.getrandbits(32)] for _ in at]
            after = dict(image.memory)
            for place, words in zip(at, values):
                if image.address(*place) is not None:
                    after[image.address(*place)] = words[0] & ((1 << 8 * image.format.bytes) - 1)
            yield from store_line(name, image, at, values, after, 1, level=True)


def selected_stores():
    """What registers get of a texel, the other way round: the first of several numbers, zero where there is none."""
    for g in GENERATIONS:
        places = flat((0, 0), (3, 1), (4, 0))
        for sel in ((6, 5, 4, 7), (5, 6, 7, 4), (5, 4, 7, 6), (4, 4, 4, 1), (0, 0, 0, 4), (4, 0, 1, 5)):
            for format in (("8_8_8_8", "UINT"), ("32_32_32_32", "FLOAT"), ("8_8", "SINT")):
                image = Image(g, "2D", (4, 2), format, sel=sel)
                values = [[R.randrange(100) for _ in range(4)] for _ in places]
                after = {}
                for place, words in zip(places, values):
                    if image.address(*place) is not None:
                        after[image.address(*place)] = stored(image.format, [words[sel.index(4 + c)] if 4 + c in sel else 0 for c in range(4)])
                image.memory = {address: 0 for address in after}
                yield from store_line("image_store", image, places, values, after, 15)


def told_atomics():
    """The register behind the result is written only where memory is not there."""
    for g in GENERATIONS:
        where = on("image_atomic_add", g) & targets("vega gfx10 gfx11")
        if not where:
            continue
        for words in (1, 2):
            image = Image(g, "2D", (3, 2), ("32" if words == 1 else "32_32", "UINT"))
            image.memory = {image.address((1, 1)): R.getrandbits(32 * words)}
            value = R.getrandbits(32 * words)
            code, descriptor = image.setup()
            code += [f"image_atomic_add {registers(10, words + 1)}, v[0:1], s[8:15] {tail(image, (1 << words) - 1)}{returning(g)} tfe", WAIT[g]]
            (old,) = image.memory.values()
            after = {at: old + value & (1 << 32 * words) - 1 for at in image.memory}
            parts = lambda number: [number >> (32 * i) & 0xFFFFFFFF for i in range(words)]
            data = " ".join(f"v{10 + i}={part:#x}" for i, part in enumerate(parts(value)))
            gives = " ".join(f"v{10 + i}={part:#x},{kept:#x}" for i, (part, kept) in enumerate(zip(parts(old), parts(value))))
            yield f"{named(where)}: {'; '.join(code)} | exec=1 {descriptor} {image.bytes()} v0=1 v1=1 {data} v{10 + words}=0x77 -> {image.bytes(after)} {gives} v{10 + words}=0x77"


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def less(a, b, bits):
    return signed(a, bits) < signed(b, bits)


def real(word, bits):
    return struct.unpack("<f" if bits == 32 else "<d", word.to_bytes(bits // 8, "little"))[0]


def lanes_of_halves(a, b, what):
    out = 0
    for i in (0, 16):
        x, y = a >> i & 0xFFFF, b >> i & 0xFFFF
        out |= what(x, y) << i
    return out


def add_half(x, y):
    value = struct.unpack("<e", struct.pack("<H", x))[0] + struct.unpack("<e", struct.pack("<H", y))[0]
    return struct.unpack("<H", struct.pack("<e", value))[0]


def add_bf16(x, y):
    value = real(x << 16, 32) + real(y << 16, 32)
    word = struct.unpack("<I", struct.pack("<f", value))[0]
    return (word + 0x7FFF + (word >> 16 & 1)) >> 16


ATOMICS = {
    "add": (lambda m, v, b: (m + v) & ((1 << b) - 1), "add_uint"),
    "sub": (lambda m, v, b: (m - v) & ((1 << b) - 1), "sub_uint"),
    "swap": (lambda m, v, b: v, None),
    "and": (lambda m, v, b: m & v, None),
    "or": (lambda m, v, b: m | v, None),
    "xor": (lambda m, v, b: m ^ v, None),
    "smin": (lambda m, v, b: v if less(v, m, b) else m, "min_int"),
    "smax": (lambda m, v, b: v if less(m, v, b) else m, "max_int"),
    "umin": (lambda m, v, b: min(m, v), "min_uint"),
    "umax": (lambda m, v, b: max(m, v), "max_uint"),
    "inc": (lambda m, v, b: 0 if m >= v else m + 1, "inc_uint"),
    "dec": (lambda m, v, b: v if m == 0 or m > v else m - 1, "dec_uint"),
}
FLOATS = {
    "fmin": lambda m, v, b: v if real(v, b) < real(m, b) else m,
    "fmax": lambda m, v, b: v if real(v, b) > real(m, b) else m,
    "min_flt": lambda m, v, b: v if real(v, b) < real(m, b) else m,
    "max_flt": lambda m, v, b: v if real(v, b) > real(m, b) else m,
    "add_flt": lambda m, v, b: struct.unpack("<I", struct.pack("<f", real(m, b) + real(v, b)))[0],
    "pk_add_f16": lambda m, v, b: lanes_of_halves(m, v, add_half),
    "pk_add_bf16": lambda m, v, b: lanes_of_halves(m, v, add_bf16),
}


def returning(g):
    return " th:TH_ATOMIC_RETURN" if g == "gfx120" else " glc"


def atomic_line(name, g, bits, what, values, memory):
    """Two lanes in the image, one outside: that one changes nothing and gets zero. With the value before and without."""
    where = on(name, g)
    if not where:
        return
    words = bits // 32
    image = Image(g, "2D", (3, 2), ("32" if words == 1 else "32_32", "UINT"))
    places = flat((0, 0), (2, 1), (3, 0))
    image.memory = {image.address(*p): m for p, m in zip(places, memory)}
    after, old = dict(image.memory), []
    for place, value in zip(places, values):
        address = image.address(*place)
        old.append(0 if address is None else image.memory[address])
        if address is not None:
            after[address] = what(image.memory[address], value)
    size = words * (len(values[0]) if isinstance(values[0], tuple) else 1)
    split = lambda value: [value >> (32 * i) & 0xFFFFFFFF for i in range(words)]
    regs = [sum((split(v) for v in value), []) if isinstance(value, tuple) else split(value) for value in values]
    count, given = coordinates(image, places)
    data = " ".join(f"v{10 + i}={listed([r[i] for r in regs])}" for i in range(size))
    for returns in (False, True):
        code, descriptor = image.setup()
        code += [f"{name} {registers(10, size)}, {addressed(image, count)}, s[8:15] {tail(image, (1 << size) - 1)}{returning(g) if returns else ''}", WAIT[g]]
        gives = " ".join(f"v{10 + i}={listed([split(o)[i] for o in old])}" for i in range(words)) if returns else data
        yield f"{named(where)}: {'; '.join(code)} | exec=0x7 {descriptor} {image.bytes()} {given} {data} -> {image.bytes(after)} {gives}"


def atomics():
    for g in GENERATIONS:
        for name, (what, newer) in ATOMICS.items():
            for bits in (32, 64):
                edge = [0, 1, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, R.getrandbits(bits), R.getrandbits(bits)]
                for _ in range(2):
                    values, memory = [R.choice(edge) for _ in range(3)], [R.choice(edge) for _ in range(2)]
                    yield from atomic_line(f"image_atomic_{newer if newer and g == 'gfx120' else name}", g, bits, lambda m, v: what(m, v, bits), values, memory)
        for name, what in FLOATS.items():
            numbers = [0x3F800000, 0xC0490FDB, 0x41200000, 0xBF000000, 0x3E4CCCCD]
            if "pk" in name:
                numbers = [0x3C00C000, 0x42003800, 0xB8003E00] if name.endswith("f16") and "bf16" not in name else [0x3F80C000, 0x40493F00, 0xBF003E80]
            values, memory = [R.choice(numbers) for _ in range(3)], [R.choice(numbers) for _ in range(2)]
            yield from atomic_line(f"image_atomic_{name}", g, 32, lambda m, v: what(m, v, 32), values, memory)
            if name in ("fmin", "fmax"):
                numbers = [struct.unpack("<Q", struct.pack("<d", v))[0] for v in (1.5, -2.25, 1e300, -1e-300)]
                values, memory = [R.choice(numbers) for _ in range(3)], [R.choice(numbers) for _ in range(2)]
                yield from atomic_line(f"image_atomic_{name}", g, 64, lambda m, v: what(m, v, 64), values, memory)
        for bits in (32, 64):
            memory = [R.getrandbits(bits), R.getrandbits(bits)]
            values = [(R.getrandbits(bits), memory[0]), (R.getrandbits(bits), memory[1] ^ 1), (1, 0)]
            yield from atomic_line("image_atomic_cmpswap", g, bits, lambda m, v: v[0] if m == v[1] else m, values, memory)
        memory = [0x80000000, 0x7FC00000]
        values = [(0x3F800000, 0), (0x3F800000, 0x7FC00000), (1, 0)]
        yield from atomic_line("image_atomic_fcmpswap", g, 32, lambda m, v: v[0] if real(m, 32) == real(v[1], 32) else m, values, memory)


def sizes():
    cases = [("1D", (7,), {"levels": 3}), ("2D", (300, 17), {"levels": 4}), ("2D", (300, 17), {"levels": 4, "base_level": 2}), ("3D", (9, 5, 3), {"levels": 2}),
             ("1D_ARRAY", (7,), {"slices": 5}), ("2D_ARRAY", (8, 6), {"slices": 5, "base_array": 2}), ("CUBE", (8, 8), {"slices": 6})]
    for g in GENERATIONS:
        for kind, size, more in cases:
            image = Image(g, kind, size, **more)
            where = on("image_get_resinfo", g)
            levels = [0, 1, 3, 4, 0xFFFFFFFF]
            count = image.levels - image.base_level
            expected = []
            for level in levels:
                w, h, d = [max(n >> (level + image.base_level), 1) if level < count else 0 for n in image.size]
                slices = image.slices - image.base_array if level < count else 0
                expected.append([w, 0 if kind.startswith("1D") else h, slices if kind in SLICED else d if kind == "3D" else 0, count])
            code, descriptor = image.setup()
            code += [f"image_get_resinfo v[10:13], v0, s[8:15] {tail(image, 15)}", WAIT[g]]
            gives = " ".join(f"v{10 + i}={listed([e[i] for e in expected])}" for i in range(4))
            yield f"{named(where)}: {'; '.join(code)} | exec={(1 << len(levels)) - 1:#x} {descriptor} v0={listed(levels)} -> {gives}"


def samples():
    """Images of one sample."""
    for g in GENERATIONS:
        where = on("image_msaa_load", g)
        for part in (targets("gfx1013 gfx103"), targets("gfx11 gfx120")):
            both = where & part
            if not both:
                continue
            image = Image(g, "2D_MSAA", (3, 2), ("8_8_8_8", "UNORM"))
            places = flat((0, 0), (2, 1), (3, 1))
            image.fill(places)
            four = part == targets("gfx11 gfx120")
            expected = []
            for place in places:
                value = selected(image, image.texel(*place))[1]
                expected.append([value, 0, 0, 0] if four else [value])
            count, given = coordinates(image, places)
            code, descriptor = image.setup()
            code += [f"image_msaa_load {registers(10, len(expected[0]))}, {addressed(image, count)}, s[8:15] {tail(image, 2)}", WAIT[g]]
            gives = " ".join(f"v{10 + i}={listed([e[i] for e in expected])}" for i in range(len(expected[0])))
            yield f"{named(both)}: {'; '.join(code)} | exec=0x7 {descriptor} {image.bytes()} {given} -> {gives}"


def place_in_block(g, order, texel, size, x, y):
    """The byte of a texel in its block, and the block's texels along x and y: after addrlib's tables, blocks of 256 bytes nested in larger ones, row by row in fours."""
    w, h = {1: (4, 4), 2: (4, 3), 4: (3, 3), 8: (3, 2), 16: (2, 2)}[texel]
    a, b = (lambda *bits: [(x >> n & 1) for n in bits]), (lambda *bits: [(y >> n & 1) for n in bits])
    interleaved = g in ("gfx11", "gfx120")
    if order == "S":
        parts = {1: a(0, 1, 2, 3) + b(0, 1, 2, 3), 2: a(0, 1, 2) + b(0, 1, 2) + a(3), 4: a(0, 1) + b(0, 1, 2) + a(2), 8: a(0) + b(0, 1) + a(1, 2), 16: b(0, 1) + a(0, 1)}
    else:
        parts = {
            1: a(0, 1) + b(0) + a(2) + b(1, 2) + a(3) + b(3) if interleaved else a(0, 1, 2) + b(1, 0, 2) + a(3) + b(3),
            2: a(0) + b(0) + a(1) + b(1) + a(2) + b(2) + a(3) if interleaved else a(0, 1, 2) + b(0, 1, 2) + a(3),
            4: {"gfx9": a(0, 1) + b(0) + a(2) + b(1, 2), "gfx101": a(0, 1) + b(0, 1, 2) + a(2), "gfx103": a(0, 1) + b(0, 1) + a(2) + b(2)}.get(g, a(0) + b(0) + a(1) + b(1) + a(2) + b(2)),
            8: a(0) + b(0) + a(1, 2) + b(1),
            16: a(0) + b(0) + a(1) + b(1),
        }
    place, bytes_ = sum(bit << i for i, bit in enumerate(parts[texel])) * texel, 256
    while bytes_ < size:
        # Two by two of the smaller blocks, the lower one behind the upper one.
        place += bytes_ * ((y >> h & 1) + 2 * (x >> w & 1))
        w, h, bytes_ = w + 1, h + 1, 4 * bytes_
    return place, w, h


class Blocks(Image):
    """An image of blocks of texels."""

    def __init__(self, generation, kind, size, format, block, order, mode, **more):
        self.block, self.order = block, order
        super().__init__(generation, kind, size, format, mode=mode, **more)
        _, w, h = place_in_block(generation, order, self.format.bytes, block, 0, 0)
        self.dims = w, h
        self.pitch = -(-self.size[0] // (1 << w)) << w

    def address(self, at, slice_=0, level=0):
        if any(a >= n for a, n in zip(at, self.size)) or slice_ + self.base_array >= self.slices:
            return None
        place, w, h = place_in_block(self.g, self.order, self.format.bytes, self.block, *at[:2])
        across, down = self.pitch >> w, -(-self.size[1] // (1 << h))
        return self.block * (((slice_ + self.base_array) * down + (at[1] >> h)) * across + (at[0] >> w)) + place


SWIZZLES = {
    "gfx9": {1: (256, "S"), 2: (256, "D"), 5: (4096, "S"), 6: (4096, "D"), 9: (65536, "S"), 10: (65536, "D")},
    "gfx11": {2: (256, "D"), 6: (4096, "D"), 10: (65536, "D")},
    "gfx120": {1: (256, "D"), 2: (4096, "D"), 3: (65536, "D"), 4: (262144, "D")},
}
SWIZZLES["gfx101"] = SWIZZLES["gfx103"] = SWIZZLES["gfx9"]


def in_memory(image, number, count):
    """Texels of a part of an image that is as large as memory, those at its edges among them."""
    w, h = image.dims
    found = []
    while len(found) < count:
        at = (R.choice([0, image.size[0] - 1, R.randrange(image.size[0])]), R.choice([0, image.size[1] - 1, R.randrange(image.size[1])]))
        if image.block > 4096:
            # What is behind the first pages of a block is seldom met.
            at = (at[0] & ~((1 << w) - 1) | at[0] & 15, at[1] & ~((1 << h) - 1) | at[1] & 15)
        slice_ = R.randrange(image.slices - image.base_array)
        address = image.address(at, slice_)
        if address is not None and address // 4096 == number:
            found.append((at, slice_))
    return found


def blocks():
    """Texels of images in blocks: each order, size and number of bytes; blocks behind the first one; slices; stores."""
    for g in GENERATIONS:
        where = named(on("image_load", g))
        for mode, (block, order) in SWIZZLES[g].items():
            for bits in ("8", "16", "32", "32_32", "32_32_32_32"):
                whole = Blocks(g, "2D", (1, 1), (bits, "UINT"), block, order, mode)
                w, h = whole.dims
                image = Blocks(g, "2D", ((2 << w) + 3 if block < 65536 else (1 << w) + 3, (1 << h) + 2), (bits, "UINT"), block, order, mode)
                last = image.block * (image.pitch >> w) * 2 - 1
                for number in sorted({0, last // 4096 if block < 65536 else image.block * (image.pitch >> w) // 4096}):
                    places = in_memory(image, number, 8)
                    words = {}
                    for at, slice_ in places:
                        words[image.address(at, slice_)] = R.getrandbits(8 * image.format.bytes)
                    memory = bytearray(4096)
                    for address, texel in words.items():
                        memory[address % 4096 : address % 4096 + image.format.bytes] = texel.to_bytes(image.format.bytes, "little")
                    code, descriptor = image.setup()
                    code = ([f"s_sub_u32 s2, s2, {4096 * number:#x}", "s_subb_u32 s3, s3, 0"] if number else []) + code
                    n = bits.count("_") + 1
                    given = f"v0={listed([at[0] for at, _ in places])} v1={listed([at[1] for at, _ in places])}"
                    values = [words[image.address(at, slice_)] for at, slice_ in places]
                    mask = (1 << 8 * image.format.bytes // n) - 1
                    gives = " ".join(f"v{10 + i}={listed([v >> (32 * i) & mask for v in values])}" for i in range(n))
                    load = f"image_load {registers(10, n)}, {addressed(image, 2)}, s[8:15] {tail(image, (1 << n) - 1)}"
                    yield f"{where}: {'; '.join(code)}; {load}; {WAIT[g]} | exec=0xff {descriptor} mem={trimmed(memory)} {given} -> {gives}"
        mode = max(m for m, (block, order) in SWIZZLES[g].items() if block == 256)
        image = Blocks(g, "2D_ARRAY", (20, 9), ("32", "UINT"), 256, "D", mode, slices=3, base_array=1)
        places = in_memory(image, 0, 6)
        memory = bytearray(4096)
        for i, (at, slice_) in enumerate(places):
            memory[image.address(at, slice_) : image.address(at, slice_) + 4] = (77 + i).to_bytes(4, "little")
        code, descriptor = image.setup()
        given = f"v0={listed([at[0] for at, _ in places])} v1={listed([at[1] for at, _ in places])} v2={listed([s for _, s in places])}"
        last = {image.address(at, s): 77 + i for i, (at, s) in enumerate(places)}
        given += " v10=" + listed([last[image.address(at, s)] for at, s in places])
        store = f"image_store v10, {addressed(image, 3)}, s[8:15] {tail(image, 1)}"
        yield f"{where}: {'; '.join(code)}; {store}; {WAIT[g]} | exec=0x3f {descriptor} {given} -> mem={trimmed(memory)}"
        for kind, levels, words in [("3D", 1, "those_of_two_coordinates"), ("2D", 2, "those_of_one_level")]:
            image = Image(g, kind, (4, 4, 4) if kind == "3D" else (4, 4), mode=mode, levels=levels)
            code, descriptor = image.setup()
            load = f"image_load v10, {addressed(image, 3 if kind == '3D' else 2)}, s[8:15] {tail(image, 1)}"
            yield f"{where}: {'; '.join(code)}; {load}; {WAIT[g]} | exec=0x1 {descriptor} -> fault={words}"


def trimmed(memory):
    """The words of memory, without zeros at the end."""
    words = [int.from_bytes(memory[i : i + 4], "little") for i in range(0, len(memory), 4)]
    while len(words) > 1 and not words[-1]:
        words.pop()
    return listed(words)


def edges():
    """Without active lanes the descriptor is not looked at; what is not executable or not there is a fault."""
    for g in GENERATIONS:
        where = named(on("image_load", g))
        image = Image(g, "2D", (4, 2))
        at = addressed(image, 2)
        load = f"image_load v10, {at}, s[8:15] {tail(image, 1)}"
        yield f"{where}: {load}; {WAIT[g]}; image_store v10, {at}, s[8:15] {tail(image, 1)}; {WAIT[g]} | exec=0 v10=7 -> v10=7"
        yield f"{where}: image_atomic_swap v10, {at}, s[8:15] {tail(image, 1)}{returning(g)}; {WAIT[g]} | exec=0 v10=7 -> v10=7"
        yield f"{where}: {load}; {WAIT[g]} | exec=0x1 -> fault=type_0,_which_no_image_has"
        swizzled = Image(g, "2D", (4, 2), mode=27 if g != "gfx120" else 5)
        code, descriptor = swizzled.setup()
        yield f"{where}: {'; '.join(code)}; {load}; {WAIT[g]} | exec=0x1 {descriptor} -> fault=swizzle_mode_{swizzled.mode},_which_is_not"
        code, descriptor = image.setup()
        outside = descriptor.replace("s[2:3]=&0", "s2=0x100 s3=0x7")
        yield f"{where}: {'; '.join(code)}; {load}; {WAIT[g]} | exec=0x2 {outside} -> fault=OutOfBounds"
        yield f"{where}: {'; '.join(code)}; image_load v10, {at}, s[8:15] {tail(image, 1)}; v_mov_b32 v11, v10 | exec=0x2 {descriptor} -> fault=LateRegister"
        small = Image(g, "2D", (4, 2), ("8", "UINT"))
        code, descriptor = small.setup()
        yield f"{where}: {'; '.join(code)}; image_atomic_swap v10, {at}, s[8:15] {tail(image, 1)}; {WAIT[g]} | exec=0x1 {descriptor} -> fault=texels_of_1_bytes"


def main():
    with open("image.txt", "w") as f:
        f.write("# AMD's images without samplers. Made by make_image.py; expected values are Python's.\n")
        for make in (formats, kinds, levels, modifiers, stores, atomics, sizes, samples, edges, selected_stores, told_atomics, blocks):
            for line in make():
                f.write(" ".join(line.split(" ")) + "\n")


if __name__ == "__main__":
    main()
