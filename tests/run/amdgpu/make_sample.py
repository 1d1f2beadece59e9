#!/usr/bin/env python3
"""Makes sample.txt: samples, gathers and levels of detail of AMD's images, by fractions.

Coordinates are such that weights of 8 bits are exact and levels of detail are fractions of powers of two, so that results are exact. The rules are those of
Vulkan 1.3, "Image Operations", written down anew. `python3 make_sample.py` rewrites the file.
"""

import math
import random
import struct
from fractions import Fraction

from make_image import GENERATIONS, PLANE, SLICED, WAIT, Image, half, listed, put, registers, single
from records import named, on, records, targets

R = random.Random(61)
WRAP, MIRROR, CLAMP, MIRROR_ONCE, BORDER, MIRROR_BORDER = 0, 1, 2, 3, 6, 7
POINT, LINEAR = 0, 1


class Sampler:
    def __init__(self, mag=LINEAR, min_=LINEAR, mip=1, clamp=(CLAMP,) * 3, compare=0, unnormalized=False, border=0, mode=0, lod=(0, 15), bias=0, no_cube_wrap=1):
        self.mag, self.min, self.mip, self.clamp, self.compare = mag, min_, mip, clamp, compare
        self.unnormalized, self.border, self.mode, self.lod, self.bias, self.no_cube_wrap = unnormalized, border, mode, lod, Fraction(bias), no_cube_wrap

    def words(self, g):
        w = [0] * 4
        for i, mode in enumerate(self.clamp):
            put(w, 3 * i, mode, 3)
        put(w, 12, self.compare, 3)
        put(w, 15, self.unnormalized, 1)
        put(w, 28, self.no_cube_wrap, 1)
        put(w, 29, self.mode, 2)
        low, high = (int(Fraction(x) * 256) for x in self.lod)
        put(w, 32, low, 12)
        put(w, 45 if g == "gfx120" else 44, high, 12)
        put(w, 64, int(self.bias * 256) & 0x3FFF, 14)
        put(w, 84, self.mag, 2)
        put(w, 86, self.min, 2)
        put(w, 90, self.mip, 2)
        put(w, 126, self.border, 2)
        return w


def wrapped(mode, i, n):
    """Which texel of n in a row is meant; None is the border."""
    if mode == WRAP:
        return i % n
    if mode == MIRROR:
        i %= 2 * n
        return i if i < n else 2 * n - 1 - i
    if mode in (MIRROR_ONCE, MIRROR_BORDER):
        i = i if i >= 0 else -1 - i
    if mode in (BORDER, MIRROR_BORDER):
        return i if 0 <= i < n else None
    return min(max(i, 0), n - 1)


def value(word):
    return Fraction(struct.unpack("<f", struct.pack("<I", word))[0])


COMPARES = [lambda d, t: False, lambda d, t: d < t, lambda d, t: d == t, lambda d, t: d <= t, lambda d, t: d > t, lambda d, t: d != t, lambda d, t: d >= t, lambda d, t: True]


class Lane:
    """What a lane gives: coordinates as fractions (None: NaN), and the rest."""

    def __init__(self, at, slice_=0, offset=(0, 0, 0), bias=0, depth=None, level=None, gradients=None):
        self.at, self.slice, self.offset, self.bias, self.depth, self.level, self.gradients = list(at), slice_, offset, bias, depth, level, gradients


class Reference:
    def __init__(self, image, sampler, lanes, tokens, unnormalized=False):
        self.image, self.sampler, self.lanes, self.tokens = image, sampler, lanes, tokens
        self.normalized = not (unnormalized or sampler.unnormalized)

    def detail(self, number):
        lane, sampler = self.lanes[number], self.sampler
        if "lz" in self.tokens:
            return 0, 0
        if "l" in self.tokens:
            base = lane.level
        else:
            size = self.image.size if self.normalized else [1] * 3
            if lane.gradients:
                directions = lane.gradients
            else:
                first = self.lanes[number & ~3]
                directions = [[b - a for a, b in zip(first.at, self.lanes[(number & ~3) + step].at)] for step in (1, 2)]
            longest = max(sum((d * n) ** 2 for d, n in zip(direction, size)) for direction in directions)
            base = Fraction(math.log2(longest)) / 2 if longest else Fraction(-100000)
        raw = base + sampler.bias + (lane.bias if "b" in self.tokens else 0)
        least = max(Fraction(sampler.lod[0]), lane.level if "cl" in self.tokens else 0)
        return min(max(raw, least), Fraction(sampler.lod[1])), raw

    def levels(self, detail, gathers=False):
        last = self.image.levels - 1 - self.image.base_level
        limit = lambda n: min(max(n, 0), last)
        if self.sampler.mip == 0:
            return [(0, 1)]
        if self.sampler.mip == 2 and not gathers:
            detail = max(detail, Fraction(0))
            whole = math.floor(detail)
            return [(limit(whole), 1 - (detail - whole)), (limit(whole + 1), detail - whole)]
        return [(limit(math.ceil(detail + Fraction(1, 2)) - 1), 1)]

    def taps(self, lane, level, linear):
        """Texels with weights, the first coordinate fastest."""
        size = [max(n >> (level + self.image.base_level), 1) for n in self.image.size]
        along = []
        for axis, at in enumerate(lane.at):
            at = Fraction(0) if at is None else at - (1 if self.image.kind == "CUBE" else 0)
            at *= size[axis] if self.normalized else 1
            clamp = CLAMP if self.image.kind == "CUBE" else self.sampler.clamp[axis]
            if not linear:
                along.append([(wrapped(clamp, math.floor(at) + lane.offset[axis], size[axis]), 1)])
                continue
            steps = (at - Fraction(1, 2)) * 256
            assert steps.denominator == 1
            first, part = math.floor(steps / 256), Fraction(steps % 256, 256)
            along.append([(wrapped(clamp, first + lane.offset[axis] + i, size[axis]), [1 - part, part][i]) for i in range(2)])
        out = [([], Fraction(1))]
        for choices in reversed(along):
            out = [([i] + rest, weight * share) for rest, weight in out for i, share in choices]
        return out

    def slice(self, lane):
        number = round(lane.slice)
        if self.image.kind == "CUBE":
            number = number // 8 * 6 + number % 8
        return min(max(number, 0), self.image.slices - self.image.base_array - 1)

    def texel(self, lane, at, level):
        if None in at:
            one = 0x3F800000
            components = [[0] * 4, [0, 0, 0, one], [one] * 4][self.sampler.border]
        else:
            components = self.image.format.load(self.image.texel(tuple(at), self.slice(lane) if self.image.kind in SLICED else 0, level))
        if lane.depth is not None:
            is_ = COMPARES[self.sampler.compare](lane.depth, value(components[0]))
            components = [0x3F800000 if is_ else 0, 0, 0, 0x3F800000]
        return [0x3F800000 if s == 1 else components[s - 4] if s >= 4 else 0 for s in self.image.sel]

    def sample(self, number):
        lane = self.lanes[number]
        detail, _ = self.detail(number)
        linear = (self.sampler.min if detail > 0 else self.sampler.mag) == LINEAR
        parts = [(self.texel(lane, at, level), share * weight) for level, weight in self.levels(detail) for at, share in self.taps(lane, level, linear) if share * weight]
        if len(parts) == 1:
            return parts[0][0]
        join = {0: lambda i: sum(value(t[i]) * w for t, w in parts), 1: lambda i: min(value(t[i]) for t, _ in parts), 2: lambda i: max(value(t[i]) for t, _ in parts)}
        return [single(join[self.sampler.mode](i)) for i in range(4)]

    def gather(self, number, component):
        lane = self.lanes[number]
        detail, _ = self.detail(number)
        level, _ = self.levels(detail, True)[0]
        by_place = [self.texel(lane, at, level)[component] for at, _ in self.taps(lane, level, True)]
        # The second coordinate is the slower one: (0, 0), (0, 1), (1, 0), (1, 1) by x and y.
        corner = {(x, y): by_place[x + 2 * y] for x in range(2) for y in range(2)}
        return [corner[0, 1], corner[1, 1], corner[1, 0], corner[0, 0]]


def float_word(x, halves=False):
    if x is None:
        return 0x7E00 if halves else 0x7FC00000
    return half(x) if halves else single(x)


def pairs(rows):
    return [[lo | hi << 16 for lo, hi in zip(a, b)] for a, b in zip(rows[::2], rows[1::2] + [[0] * len(rows[0])] * (len(rows) % 2))]


def address_rows(image, lanes, tokens, a16):
    """The registers of an address, in order."""
    rows = []
    if "o" in tokens:
        rows.append([sum((o & 63) << (8 * i) for i, o in enumerate(l.offset)) for l in lanes])
    if "b" in tokens:
        rows.append([float_word(l.bias, a16) for l in lanes])
    if "c" in tokens:
        rows.append([float_word(l.depth) for l in lanes])
    if "d" in tokens or "cd" in tokens:
        short = "g16" in tokens or a16 and image.g == "gfx9"
        for direction in range(2):
            part = [[float_word(l.gradients[direction][i], short) for l in lanes] for i in range(len(lanes[0].at))]
            rows += pairs(part) if short else part
    last = [[float_word(l.at[i], a16) for l in lanes] for i in range(len(lanes[0].at))]
    if image.kind in SLICED:
        last.append([float_word(l.slice, a16) for l in lanes])
    if "l" in tokens or "cl" in tokens:
        last.append([float_word(l.level, a16) for l in lanes])
    return rows + (pairs(last) if a16 else last)


def packed(words):
    return [lo | hi << 16 for lo, hi in zip(words[::2], words[1::2] + [0] * (len(words) % 2))]


def line(name, image, sampler, lanes, dmask=15, more="", d16=False, a16=False, unnormalized=False, where=None):
    where = on(name, image.g) & (targets("all") if where is None else where)
    if not where:
        return
    tokens = name.split("_")[2:]
    reference = Reference(image, sampler, lanes, tokens, unnormalized)
    rows = address_rows(image, lanes, tokens, a16)
    expected = []
    for number in range(len(lanes)):
        if name == "image_get_lod":
            four = [single(x) for x in reference.detail(number)] + [0, 0]
            words = [four[i] for i in range(4) if dmask >> i & 1]
        elif "gather4" in name:
            words = reference.gather(number, dmask.bit_length() - 1)
        else:
            four = reference.sample(number)
            words = [four[i] for i in range(4) if dmask >> i & 1]
        if d16:
            words = packed([half(value(w)) for w in words])
        expected.append(words + ([0x77] if "tfe" in more else []))
    code, descriptor = image.setup()
    w = sampler.words(image.g)
    descriptor += "".join(f" s{16 + i}={w[i]:#x}" for i in range(4) if w[i])
    count = len(rows)
    # A list of more registers than gfx12's four fields goes on behind the last.
    if image.g == "gfx120" and count > 1:
        operand = "[" + ", ".join([f"v{i}" for i in range(min(count, 3))] + ([registers(3, count - 3)] if count > 3 else [])) + "]"
    else:
        operand = registers(0, count)
    size = len(expected[0])
    if image.g == "gfx9":
        modifiers = f"dmask:{dmask:#x}{' unorm' if unnormalized else ''}{' a16' if a16 else ''}{' da' if image.kind in SLICED else ''}{more}{' d16' if d16 else ''}"
    else:
        modifiers = f"dmask:{dmask:#x} dim:SQ_RSRC_IMG_{image.kind}{' unorm' if unnormalized else ''}{' a16' if a16 else ''}{more}{' d16' if d16 else ''}"
    code += [f"{name} {registers(20, size)}, {operand}, s[8:15], s[16:19] {modifiers}", WAIT[image.g]]
    given = " ".join(f"v{i}={listed(row)}" for i, row in enumerate(rows))
    gives = " ".join(f"v{20 + i}={listed([e[i] for e in expected])}" for i in range(size))
    # Whether texels were there is told in the register behind them only if they were not.
    given += f" v{20 + size - 1}={listed([0x77] * len(lanes))}" if "tfe" in more else ""
    yield f"{named(where)}: {'; '.join(code)} | exec={(1 << len(lanes)) - 1:#x} {descriptor} {image.bytes()} {given} -> {gives}"


def filled(g, kind="2D", size=(4, 2), format=("8_8_8_8", "UNORM"), **more):
    image = Image(g, kind, size, format, **more)
    places = []
    for level in range(image.levels):
        n = [max(s >> level, 1) for s in image.size]
        for s in range(image.slices):
            for z in range(n[2]):
                places += [((x, y, z)[: max(PLANE.get(kind, 2), 1)], s, level) for x in range(n[0]) for y in range(n[1])]
    base_array, base_level = image.base_array, image.base_level
    image.base_array = image.base_level = 0
    image.fill(places)
    image.base_array, image.base_level = base_array, base_level
    return image


def every_name():
    """Each name on each target: a quad of lanes in an image of two levels."""
    for g in GENERATIONS:
        for name in sorted(records()):
            if not name.startswith(("image_sample", "image_gather4_", "image_get_lod")) and name != "image_gather4":
                continue
            tokens = name.split("_")[2:]
            image = filled(g, levels=2)
            sampler = Sampler(compare=4, mip=1, bias=0, lod=(0, 15), clamp=(WRAP, CLAMP, CLAMP))
            for gradient in (Fraction(1), Fraction(2)):
                lanes = []
                for i in range(4):
                    at = [Fraction(3, 8), Fraction(1, 2)]
                    at[0] += gradient / 4 if i & 1 else 0
                    at[1] += gradient / 4 if i & 2 else 0
                    offset = (R.choice([-1, 0, 1]), R.choice([-1, 0, 1]), 0) if "o" in tokens else (0, 0, 0)
                    lane = Lane(at, offset=offset, bias=Fraction(R.choice([-1, 0, 1])), level=Fraction(R.choice([0, 1])))
                    lane.depth = Fraction(R.choice([1, 2, 3]), 4) if "c" in tokens else None
                    lane.gradients = [[gradient / 4, 0], [0, gradient / 4]] if "d" in tokens or "cd" in tokens else None
                    lanes.append(lane)
                dmask = R.choice([1, 2, 4, 8]) if "gather4" in name else 3 if name == "image_get_lod" else 15
                yield from line(name, image, sampler, lanes, dmask)


def wraps():
    for g in GENERATIONS:
        for mode in (WRAP, MIRROR, CLAMP, MIRROR_ONCE, BORDER, MIRROR_BORDER):
            for filter_ in (POINT, LINEAR):
                image = filled(g)
                sampler = Sampler(filter_, filter_, 0, (mode, mode, CLAMP), border=R.choice([0, 1, 2]))
                xs = [Fraction(n, 1024) for n in (-2048, -1024, -300, -129, -1, 0, 1, 127, 128, 500, 1023, 1024, 1025, 1200, 3000)]
                lanes = [Lane([x, Fraction(R.randrange(-700, 1300), 512)]) for x in xs]
                yield from line("image_sample_lz", image, sampler, lanes)


def samplers():
    for g in GENERATIONS:
        random_lanes = lambda n=6: [Lane([Fraction(R.randrange(-100, 1200), 1024), Fraction(R.randrange(0, 512), 512)], level=Fraction(R.randrange(0, 512), 256)) for _ in range(n)]
        for mip in (0, 1, 2):
            for levels, base in ((3, 0), (3, 1), (1, 0)):
                image = filled(g, size=(4, 4) if levels == 3 else (4, 2), levels=levels, base_level=base)
                lanes = [Lane([Fraction(R.randrange(0, 256), 256), Fraction(R.randrange(0, 256), 256)], level=Fraction(n, 4)) for n in (-4, 0, 1, 2, 3, 4, 6, 8, 20)]
                for lane in lanes:
                    lane.at = [Fraction(R.randrange(0, 64), 64) for _ in range(2)]
                yield from line("image_sample_l", image, Sampler(mip=mip), lanes)
                yield from line("image_sample_l", image, Sampler(mip=mip, lod=(Fraction(1, 2), Fraction(3, 2)), bias=Fraction(1, 4)), lanes)
                yield from line("image_sample_l", image, Sampler(POINT, LINEAR, mip), lanes)
        for mode in (1, 2):
            yield from line("image_sample_lz", filled(g), Sampler(mode=mode), random_lanes())
        for compare in range(8):
            lanes = random_lanes()
            image = filled(g, format=("16", "UNORM"))
            texels = list(image.memory.values())
            for lane in lanes:
                lane.depth = R.choice([Fraction(1, 2), Fraction(0), Fraction(1), value(single(Fraction(R.choice(texels), 65535)))])
            yield from line("image_sample_c_lz", image, Sampler(compare=compare), lanes)
            yield from line("image_sample_c_lz", image, Sampler(POINT, POINT, compare=compare), lanes)
        image = filled(g)
        texels = [Lane([Fraction(x, 256), Fraction(y, 256)]) for x, y in ((0, 0), (128, 128), (500, 300), (1023, 511), (-300, 900))]
        yield from line("image_sample_lz", image, Sampler(), texels, unnormalized=True)
        yield from line("image_sample_lz", image, Sampler(unnormalized=True), texels)
        yield from line("image_sample_lz", image, Sampler(POINT, POINT), [Lane([None, Fraction(1, 2)]), Lane([Fraction(1, 2), None])])
        yield from line("image_sample_lz", image, Sampler(), random_lanes(), dmask=5)
        yield from line("image_sample_lz", image, Sampler(POINT, POINT), random_lanes(), d16=True)
        yield from line("image_sample_lz", image, Sampler(), random_lanes(), dmask=2, more=" tfe", where=targets("vega gfx10 gfx11 gfx120"))
        short = [Lane([Fraction(n, 64), Fraction(n + 5, 64)]) for n in (0, 3, 10, 33, 60)]
        yield from line("image_sample_lz", image, Sampler(), short, a16=True)
        yield from line("image_gather4_lz", image, Sampler(), random_lanes(), dmask=4)
        yield from line("image_gather4_lz", filled(g, format=("32", "UINT")), Sampler(), random_lanes(), dmask=1)
        yield from line("image_sample_lz", filled(g, format=("32", "UINT")), Sampler(POINT, POINT), random_lanes(), dmask=1)
        yield from line("image_sample_lz", filled(g, format=("8_8_8_8", "UNORM"), sel=(6, 5, 4, 1)), Sampler(), random_lanes())


def dimensions():
    for g in GENERATIONS:
        exact = lambda n, size: Fraction(R.randrange(0, 256), 256)
        yield from line("image_sample_lz", filled(g, "1D", (4,)), Sampler(), [Lane([exact(0, 4)]) for _ in range(6)])
        yield from line("image_sample_lz", filled(g, "3D", (2, 2, 2)), Sampler(clamp=(WRAP, CLAMP, WRAP)), [Lane([exact(0, 2) for _ in range(3)]) for _ in range(6)])
        slices = [Fraction(n, 4) for n in (-4, 0, 1, 2, 3, 6, 7, 40)]
        yield from line("image_sample_lz", filled(g, "1D_ARRAY", (4,), slices=3), Sampler(), [Lane([exact(0, 4)], s) for s in slices])
        yield from line("image_sample_lz", filled(g, "2D_ARRAY", (4, 2), slices=4, base_array=1), Sampler(), [Lane([exact(0, 4), exact(0, 2)], s) for s in slices])
        faces = [Lane([1 + exact(0, 2), 1 + exact(0, 2)], Fraction(face)) for face in range(6)]
        yield from line("image_sample_lz", filled(g, "CUBE", (2, 2), slices=6), Sampler(), faces)


def edges():
    """Without active lanes neither descriptor is looked at; what is not executable is a fault."""
    for g in GENERATIONS:
        where = on("image_sample_lz", g)
        image = filled(g)
        tail = "dmask:0xf" if g == "gfx9" else "dmask:0xf dim:SQ_RSRC_IMG_2D"
        at = "[v0, v1]" if g == "gfx120" else "v[0:1]"
        sample = f"image_sample_lz v[20:23], {at}, s[8:15], s[16:19] {tail}; {WAIT[g]}"
        yield f"{named(where)}: {sample} | exec=0 v20=7 -> v20=7"
        code, descriptor = image.setup()

        def faulty(sampler, words, image=image):
            code, descriptor = image.setup()
            w = sampler.words(g)
            descriptor += "".join(f" s{16 + i}={w[i]:#x}" for i in range(4) if w[i])
            return f"{named(where)}: {'; '.join(code)}; {sample} | exec=0x1 {descriptor} v0=-1.0 -> fault={words}"

        yield faulty(Sampler(border=3, clamp=(BORDER,) * 3), "colour_from_a_table")
        yield faulty(Sampler(clamp=(4, 4, 4)), "half_to_the_border")
        yield faulty(Sampler(), "filters_integers", filled(g, format=("32", "UINT")))


def main():
    with open("sample.txt", "w") as f:
        f.write("# AMD's images with samplers. Made by make_sample.py; expected values are Python's.\n")
        for make in (every_name, wraps, samplers, dimensions, edges):
            for text in make():
                f.write(" ".join(text.split(" ")) + "\n")


if __name__ == "__main__":
    main()
