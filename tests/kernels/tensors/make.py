"""Boxes of tensors: the kernels, their launches and what must come out, byte by byte from PTX ISA 9.4, 5.5 and 9.7.10.28.5.

Everything is computed element by element; swizzles are the manual's tables. Slices, rows that are shorter than a swizzle, and the pixels of
halos are as crates/machine/src/tensor says, since the manual does not tell."""

from itertools import product
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
rng = np.random.default_rng(5)
SOURCE = np.arange(65536, dtype=np.uint16).view(np.uint8)  # what every load reads
SPAN = 24576  # bytes of shared memory in each kernel
NOTHING = 0xCC  # what shared memory holds before

BITS = {"u8": 8, "u16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
BITS |= {"b4x16": 4, "b4x16_p64": 4, "b6x16_p32": 6}
B32 = [[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6]]
B64 = [[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6], [2, 3, 0, 1, 6, 7, 4, 5], [3, 2, 1, 0, 7, 6, 5, 4]]
B128 = B64 + [[4, 5, 6, 7, 0, 1, 2, 3], [5, 4, 7, 6, 1, 0, 3, 2], [6, 7, 4, 5, 2, 3, 0, 1], [7, 6, 5, 4, 3, 2, 1, 0]]
ATOM_32 = [[0, 1, 2, 3, 4, 5, 6, 7], [2, 3, 0, 1, 6, 7, 4, 5], [4, 5, 6, 7, 0, 1, 2, 3], [6, 7, 4, 5, 2, 3, 0, 1]]
ATOM_64 = [[0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 7, 0, 1, 2, 3]]
TABLES = {"32B": B32, "64B": B64, "128B": B128, "128B_ATOM_32B": ATOM_32, "128B_ATOM_32B_FLIP_8B": ATOM_32, "128B_ATOM_64B": ATOM_64}
WIDTH = {"none": 0, "32B": 32, "64B": 64}


def place(swizzle, at):
    """Where a byte of the linear box stands; the box begins where the pattern does."""
    if swizzle == "none":
        return at
    table, line, chunk, byte = TABLES[swizzle], at // 128, at % 128 // 16, at % 16
    if swizzle.endswith("FLIP_8B") and line % 2:
        byte = (byte + 8) % 16
    return line * 128 + table[line % len(table)].index(chunk) * 16 + byte


class Map:
    """A tensor map, as tensormap: has it; sizes and coordinates innermost first."""

    def __init__(self, type, sizes, box=None, strides=None, steps=None, swizzle="none", interleave=None, fill=None, offset=0, **images):
        self.type, self.sizes, self.box, self.swizzle, self.interleave = type, sizes, box, swizzle, interleave
        self.steps = steps or [1] * len(sizes)
        self.fill, self.offset, self.images = 255 if fill == "nan" else 0, offset, images
        self.strides = strides or self.dense()

    def dense(self):
        rank = len(self.sizes)
        if not self.interleave:
            strides = [self.sizes[0] * BITS[self.type] // 8]
            for size in self.sizes[1:-1]:
                strides.append(strides[-1] * size)
            return strides[: rank - 1]
        strides, reach = [0] * (rank - 1), self.sizes[1] * self.interleave
        for dimension in [*range(2, rank - 1), 0, rank - 1]:
            strides[max(dimension - 1, 0)] = reach
            reach *= self.sizes[dimension]
        return strides

    def text(self, buffer):
        fields = [buffer, self.type, str(self.sizes), f"strides={self.strides}", f"steps={self.steps}"]
        fields += [f"swizzle={self.swizzle}"] if self.swizzle != "none" else []
        fields += [f"interleave={self.interleave}B"] if self.interleave else []
        fields += [f"box={self.box}"] if self.box else []
        fields += [f"{key}={value}" for key, value in self.images.items()]
        fields += ["fill=nan"] if self.fill else []
        fields += [f"offset={self.offset}"] if self.offset else []
        return "tensormap:" + ",".join(fields).replace(" ", "")

    def row(self, at, count):
        """Bytes of a row in shared memory with their places in global memory, None outside; None for what is padding."""
        rank = len(self.sizes)
        inside = all(0 <= at[d] < self.sizes[d] for d in range(1, rank))
        strides = [self.interleave if self.interleave and d == 1 else self.strides[d - 1] for d in range(1, rank)]
        base = self.offset + sum(c * s for c, s in zip(at[1:], strides))
        if self.interleave:
            inside = inside and 0 <= at[0] < self.sizes[0]
            return [(i, base + at[0] * self.strides[0] + i if inside else None) for i in range(self.interleave)]
        bits, found = BITS[self.type], []
        group, dense, spread = {"b4x16": (2, 1, 1), "b4x16_p64": (16, 8, 16), "b6x16_p32": (16, 12, 16)}.get(self.type, (1, bits // 8, bits // 8))
        for g in range(count // group):
            c = at[0] + g * group
            ok = inside and 0 <= c < self.sizes[0]
            found += [(g * spread + i, base + c * bits // 8 + i if ok else None) for i in range(dense)]
        return found

    def pitch(self, count):
        if self.interleave:
            return self.interleave
        bytes = count if "p" in self.type else count * BITS[self.type] // 8
        return max(bytes, WIDTH.get(self.swizzle, 128))

    def tile(self, at):
        rank = len(self.sizes)
        reach = [range(at[d], at[d] + self.box[d], self.steps[d]) for d in range(rank)]
        if self.interleave:
            order = [rank - 1, 0, *range(rank - 2, 0, -1)]
        else:
            reach[0], order = [at[0]], [*range(rank - 1, 0, -1), 0]
        for coordinates in product(*(reach[d] for d in order)):
            yield [coordinates[order.index(d)] for d in range(rank)]

    def pixels(self, at, lower, upper, offsets, moving):
        """Pixels in order, from the first one on."""
        spatial = len(self.sizes) - 2
        now, image = list(at[1:-1]), at[-1]
        while True:
            yield [c + o for c, o in zip(now, offsets)], image
            for d in range(spatial):
                if d < moving:
                    now[d] += self.steps[d + 1]
                    if now[d] <= self.sizes[d + 1] - 1 + upper[d]:
                        break
                    now[d] = lower[d]
            else:
                image += 1

    def columns(self, mode, at, offsets):
        spatial, count = len(self.sizes) - 2, self.images["channels"]
        wide = "::w" in mode
        moving = 1 if wide else spatial
        lower, upper = (list(self.images.get(key, [0] * moving)) + [0] * spatial for key in ("lower", "upper"))
        halo, shift = (offsets[0], [offsets[1]] + [0] * spatial) if wide else (0, offsets)
        pixels = self.pixels(at, lower, upper, shift, moving)
        if mode == "im2col::w::128":
            found = [next(pixels) for _ in range(128 + halo)]
            chosen = [p for i in range(0, 128, 32) for p in found[i : i + 32 + halo]]
        else:
            chosen = [next(pixels) for _ in range(self.images["pixels"] + halo)]
        slices = range(at[0], at[0] + count, self.steps[0]) if self.interleave else [at[0]]
        for c, (now, image) in product(slices, chosen):
            yield [c, *now, image]

    def bytes(self, mode, at, offsets=(0, 0, 0)):
        """Pairs of bytes in shared and in global memory."""
        if mode in ("tile", None):
            rows, count = self.tile(at), self.box[0]
        elif mode in ("tile::gather4", "tile::scatter4"):
            rows, count = [[at[0], y] for y in at[1:5]], self.box[0]
        else:
            rows, count = self.columns(mode, at, list(offsets)), self.images["channels"]
        for i, row in enumerate(rows):
            for byte, source in self.row(row, count):
                yield place(self.swizzle, i * self.pitch(count) + byte), source


HEAD = """.version {version}
.target {target}
.address_size 64
"""
PARAMETERS = """.param .align 64 .b8 map[128], .param .u64 data, .param .u32 base, .param .s32 c0, .param .s32 c1,
    .param .s32 c2, .param .s32 c3, .param .s32 c4, .param .u16 o0, .param .u16 o1, .param .u16 o2, .param .u32 bytes, .param .u32 span"""
REGISTERS = """    .reg .pred %p<4>;
    .reg .b64 %d<8>;
    .reg .b32 %r<24>;
    .reg .b16 %h<4>;
    .shared .align 1024 .b8 box[24576];
    .shared .align 8 .b64 bar;
    mov.u32 %r0, %tid.x;
    ld.param.s32 %r10, [c0];
    ld.param.s32 %r11, [c1];
    ld.param.s32 %r12, [c2];
    ld.param.s32 %r13, [c3];
    ld.param.s32 %r14, [c4];
    ld.param.u16 %h0, [o0];
    ld.param.u16 %h1, [o1];
    ld.param.u16 %h2, [o2];
    ld.param.u32 %r1, [span];
    ld.param.u32 %r2, [bytes];
    ld.param.u32 %r3, [base];
    ld.param.u64 %d2, [data];
    cvt.u64.u32 %d3, %r3;
    add.u64 %d2, %d2, %d3;
    mov.b64 %d0, map;
    cvta.param.u64 %d0, %d0;
    mov.u32 %r4, box;
    mov.u32 %r5, bar;
    shl.b32 %r6, %r0, 2;
"""


def vector(prefix, count):
    return "{" + ", ".join(f"%{prefix}{i}" for i in range(count)) + "}"


def coordinates(rank, mode):
    return "{" + ", ".join(f"%r{10 + i}" for i in range(5 if "4" in (mode or "") else rank)) + "}"


def load(name, rank, mode, to="shared::cluster"):
    offsets = {"im2col": ", " + vector("h", rank - 2), "im2col::w": ", {%h0, %h1}", "im2col::w::128": ", {%h0, %h1}"}.get(mode, "")
    words = f".{mode}" if mode else ""
    return f"""
.visible .entry {name}({PARAMETERS})
{{
{REGISTERS}fill:
    setp.ge.u32 %p0, %r6, %r1;
    @%p0 bra filled;
    add.u32 %r7, %r4, %r6;
    st.shared.b32 [%r7], 0xcccccccc;
    add.u32 %r6, %r6, 128;
    bra fill;
filled:
    fence.proxy.async;
    bar.sync 0;
    shl.b32 %r6, %r0, 2;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 bra issued;
    mbarrier.init.shared.b64 [%r5], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared.b64 %d1, [%r5], %r2;
    cp.async.bulk.tensor.{rank}d.{to}.global{words}.mbarrier::complete_tx::bytes [%r4], [%d0, {coordinates(rank, mode)}], [%r5]{offsets};
issued:
    bar.sync 0;
again:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;
    @!%p2 bra again;
copy:
    setp.ge.u32 %p0, %r6, %r1;
    @%p0 bra done;
    add.u32 %r7, %r4, %r6;
    ld.shared.b32 %r8, [%r7];
    cvt.u64.u32 %d3, %r6;
    add.u64 %d4, %d2, %d3;
    st.global.b32 [%d4], %r8;
    add.u32 %r6, %r6, 128;
    bra copy;
done:
    ret;
}}
"""


def store(name, rank, mode, operation=None):
    words = f".{mode}" if mode else ""
    prefetch = f"    cp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile [%d0, {coordinates(rank, None)}];\n" if mode == "tile" else ""
    opcode = f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{operation}" if operation else f"cp.async.bulk.tensor.{rank}d.global.shared::cta"
    return f"""
.visible .entry {name}({PARAMETERS})
{{
{REGISTERS}fill:
    setp.ge.u32 %p0, %r6, %r1;
    @%p0 bra filled;
    cvt.u64.u32 %d3, %r6;
    add.u64 %d4, %d2, %d3;
    ld.global.b32 %r8, [%d4];
    add.u32 %r7, %r4, %r6;
    st.shared.b32 [%r7], %r8;
    add.u32 %r6, %r6, 128;
    bra fill;
filled:
    fence.proxy.async;
    bar.sync 0;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 bra done;
{prefetch}    {opcode}{words}.bulk_group [%d0, {coordinates(rank, mode)}], [%r4];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
done:
    ret;
}}
"""


class Launches:
    """Launches of one module, with the buffers that they share."""

    def __init__(self, name, title):
        self.name, self.title, self.text, self.kernels, self.out, self.base = name, title, "", {}, bytearray(), 0

    def launch(self, kernel, *arguments):
        words = ", ".join(f'"{a}"' for a in arguments)
        self.text += f'\n[[launch]]\nkernel = "{kernel}"\ngrid = [1]\nblock = [32]\nargs = [{words}]\n'

    def run(self, kernel, text, map, buffer, data, base, at, offsets, bytes, span):
        self.kernels[kernel] = text
        numbers = [f"{c}:s32" for c in [*at, 0, 0, 0, 0][:5]] + [f"{o}:u16" for o in [*offsets, 0, 0, 0][:3]]
        self.launch(kernel, map.text(buffer), data, f"{base}:u32", *numbers, f"{bytes}:u32", f"{span}:u32")

    def write(self, buffers, version, target):
        (HERE / f"{self.name}.ptx").write_text(HEAD.format(version=version, target=target) + "".join(self.kernels.values()))
        head = f'title = "{self.title}"\nmodule = ["{self.name}.ptx"]\n'
        folder = HERE / self.name
        folder.mkdir(exist_ok=True)
        for name, type, shape, keys in buffers:
            head += f'\n[[buffer]]\nname = "{name}"\ntype = "{type}"\n' + (f"shape = {shape}\n" if "file" not in keys else "") + keys
        (folder / "launch.toml").write_text(head.replace('module = ["', 'module = ["../') + self.text)


def loads(launches, cases, to="shared::cluster"):
    for mode, map, at, offsets in cases:
        rank = len(map.sizes)
        pairs = list(map.bytes(mode, at, offsets))
        span = -(-max(to for to, _ in pairs) // 128) * 128 + 128
        assert span <= SPAN, (mode, map.text("x"), span)
        shared = np.full(span, NOTHING, np.uint8)
        for byte, source in pairs:
            shared[byte] = map.fill if source is None else SOURCE[source]
        kernel = f"load_{rank}d_{(mode or 'plain').replace('::', '_')}"
        kernel += "_cta" if to == "shared::cta" else ""
        text = load(kernel, rank, mode, to)
        launches.run(kernel, text, map, "x", "out", len(launches.out), at, offsets, len(pairs), span)
        launches.out += shared.tobytes()


def stores(launches, cases, tensor, values):
    for mode, map, at in cases:
        rank = len(map.sizes)
        pairs = list(map.bytes({"im2col_no_offs": "im2col"}.get(mode, mode), at))
        span = -(-max(to for to, _ in pairs) // 128) * 128 + 128
        for byte, to in pairs:
            if to is not None:
                tensor[to] = values[byte]
        kernel = f"store_{rank}d_{(mode or 'plain').replace('::', '_')}"
        launches.run(kernel, store(kernel, rank, mode), map, "y", "values", 0, at, (), len(pairs), span)


def tiled(at, *arguments, mode="tile", **keys):
    return mode, Map(*arguments, **keys), at, ()


def hopper():
    launches = Launches("tensors", "Boxes of tensors on sm_90: every rank, swizzle, layout, fill and element stride")
    swizzles = ["none", "32B", "64B", "128B"]
    inner = {"none": 48, "32B": 32, "64B": 64, "128B": 128}
    cases = [tiled([3], "u16", [100], [16]), tiled([90], "u16", [100], [16], fill=None), tiled([-5], "f32", [30], [16], fill="nan")]
    cases.append(tiled([5], "u8", [300], [64], mode=None))
    for swizzle in swizzles:
        for type, rank in zip(("f16", "u8", "f64", "bf16"), (2, 3, 4, 5)):
            count = inner[swizzle] * 8 // BITS[type]
            sizes = [count + 16, 9, 4, 3, 2][:rank]
            sizes[0] += -sizes[0] % 16
            box, at = [count, 5, 3, 2, 2][:rank], [[8, 2, 1, 0, 0], [-8, 6, 2, 2, 1], [24, -2, 3, -1, -1]]
            for i, start in enumerate(at):
                fill = "nan" if type in ("f16", "bf16") and i == 1 else None
                cases.append(tiled(start[:rank], type, sizes, box, swizzle=swizzle, fill=fill, steps=[1, 1 + i, 1, 2, 1][:rank]))
        # Rows that are shorter than the swizzle.
        if swizzle in ("64B", "128B"):
            cases.append(tiled([4, 1], "u32", [40, 12], [8, 9], swizzle=swizzle))
    for interleave, swizzle in [(16, "none"), (16, "64B"), (16, "128B"), (32, "32B")]:
        for rank in (3, 4, 5):
            sizes, box = [4, 6, 5, 3, 2][:rank], [3, 4, 2, 2, 2][:rank]
            sizes[-1], box[-1] = 2, 2
            for at in ([1, 1, 1, 0, 0], [2, -1, 3, 2, 1]):
                steps = [2 if at[0] == 2 else 1, 1, 2, 1, 1][:rank]
                cases.append(tiled(at[:rank], "f16", sizes, box, interleave=interleave, swizzle=swizzle, steps=steps))
    for rank, lower, upper in [(3, [-1], [-1]), (4, [-1, -1], [-1, -1]), (5, [-1, 0, -1], [0, -1, 1])]:
        sizes = [32, 7, 5, 3, 4][: rank - 1] + [4]
        for steps, offsets, swizzle, fill in [(1, 0, "none", None), (2, 1, "64B", None), (1, 2, "128B", "nan")]:
            map = Map("bf16", sizes, steps=[1] + [steps] * (rank - 2) + [1], swizzle=swizzle, fill=fill,
                      lower=lower, upper=upper, channels=32, pixels=60)
            at = [0, 2, *([1] * (rank - 3)), 1]
            cases.append(("im2col", map, at, [offsets] * (rank - 2)))
    cases.append(("im2col", Map("u8", [3, 6, 5, 2], interleave=16, swizzle="32B", lower=[0, -1], upper=[1, 0], channels=2, pixels=23), [1, 3, 0, 1], [1, 0]))
    loads(launches, cases)
    values = rng.integers(0, 256, SPAN, np.uint8)
    tensor, place_of = np.zeros(131072, np.uint8), 0
    written = []
    for swizzle in swizzles:
        for rank in (1, 2, 3, 4, 5):
            count = inner[swizzle] // 2
            sizes, box = [count + 8, 5, 3, 2, 2][:rank], [count, 4, 2, 2, 2][:rank]
            sizes[0] += -sizes[0] % 16
            at = [8, 2, 1, 0, 1][:rank]
            written.append(("tile", Map("f16", sizes, box, swizzle=swizzle, steps=[1, 2, 1, 1, 1][:rank], offset=place_of), at))
            place_of += 16 * -(-int(np.prod(sizes)) * 2 // 16)
    for rank in (3, 4, 5):
        sizes = [16, 6, 4, 2, 3][: rank - 1] + [3]
        map = Map("u16", sizes, offset=place_of, lower=[0] * (rank - 2), upper=[0] * (rank - 2), channels=16, pixels=30)
        written.append(("im2col_no_offs", map, [0, 2, *([1] * (rank - 3)), 1]))
        place_of += 16 * -(-int(np.prod(sizes)) * 2 // 16)
    map = Map("u32", [3, 5, 4, 2], [2, 4, 3, 2], interleave=32, swizzle="32B", offset=place_of + -place_of % 32)
    written.append((None, map, [2, 1, 0, 1]))
    stores(launches, written, tensor, values)
    np.save(HERE / "values.npy", values)
    np.save(HERE / "loaded.npy", np.frombuffer(bytes(launches.out), np.uint8))
    np.save(HERE / "stored.npy", tensor)
    launches.write([
        ("x", "u16", [65536], 'fill = "arange"\n'),
        ("out", "u8", [len(launches.out)], 'expect = "../loaded.npy"\n'),
        ("values", "u8", [SPAN], 'file = "../values.npy"\n'),
        ("y", "u8", [131072], 'expect = "../stored.npy"\n'),
    ], "8.0", "sm_90")


def blackwell():
    launches = Launches("wide", "Boxes of tensors on sm_100a: rows, pixels along W, packed types, other atoms")
    cases = []
    for swizzle in ("none", "64B", "128B"):
        count = {"none": 24, "64B": 16, "128B": 32}[swizzle]
        cases.append(("tile::gather4", Map("f32", [40, 12], [count, 1], swizzle=swizzle), [4, 2, 5, 0, 11], ()))
        cases.append(("tile::gather4", Map("f32", [40, 12], [count, 1], swizzle=swizzle, fill="nan"), [30, -1, 12, 3, 3], ()))
    for swizzle in ("128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"):
        cases.append(tiled([8, 1], "f16", [96, 20], [64, 17], swizzle=swizzle))
        cases.append(tiled([40, 12], "f32", [56, 20], [24, 17], swizzle=swizzle, fill="nan"))
    cases.append(tiled([6, 1], "b4x16", [192, 9], [64, 4]))
    for type in ("b4x16_p64", "b6x16_p32"):
        for swizzle in ("none", "128B", "128B_ATOM_32B"):
            cases.append(tiled([128, 1], type, [256, 9], [128, 4], swizzle=swizzle))
            cases.append(tiled([128, 6], type, [256, 9], [128, 5], swizzle=swizzle))
    shapes = [64, 9, 40], [64, 9, 5, 20], [64, 9, 3, 2, 16]
    for k, (halo, offset, step) in enumerate([(0, 0, 1), (2, 0, 1), (1, 0, 2), (0, 1, 2), (0, 2, 3)]):
        for sizes in (shapes[k % 3], shapes[(k + 1) % 3]):
            spatial, corners = len(sizes) - 2, {"lower": [-1], "upper": [-1]}
            steps = [1, step, *([1] * (spatial - 1)), 1]
            at = [0, 3, *([1] * (spatial - 1)), 2]
            images = Map("u8", sizes, steps=steps, swizzle="64B", channels=64, pixels=100, wide="w", **corners)
            cases.append(("im2col::w", images, at, [halo, offset]))
            images = Map("u8", sizes, steps=steps, swizzle="64B", channels=32, wide="w128", **corners)
            at = [16, -3, *([1] * (spatial - 1)), 2]
            cases.append(("im2col::w::128", images, at, [halo, offset]))
    loads(launches, cases)
    loads(launches, cases[:2] + [tiled([6, 1], "f16", [96, 20], [64, 17], swizzle="128B", fill="nan")], "shared::cta")
    values = rng.integers(0, 256, SPAN, np.uint8)
    tensor, place_of, written = np.zeros(65536, np.uint8), 0, []
    for swizzle in ("none", "128B", "128B_ATOM_64B"):
        written.append(("tile::scatter4", Map("f16", [72, 9], [64, 1], swizzle=swizzle, offset=place_of), [16, 7, 0, 9, 3]))
        written.append(("tile", Map("f16", [72, 9], [64, 5], swizzle=swizzle, offset=place_of + 4096), [8, 6]))
        place_of += 8192
    stores(launches, written, tensor, values)
    # Six bits of each byte, side by side.
    map = Map("b6x16_p32", [128, 4], [128, 3], offset=place_of)
    bits = [values[i] >> b & 1 for i in range(3 * 128) for b in range(6)]
    tensor[place_of + 96 : place_of + 96 + 288] = np.packbits(np.array(bits, np.uint8), bitorder="little")
    launches.run("store_2d_tile", store("store_2d_tile", 2, "tile"), map, "y", "values", 0, [0, 1], (), 0, 512)
    np.save(HERE / "wide_values.npy", values)
    np.save(HERE / "wide_loaded.npy", np.frombuffer(bytes(launches.out), np.uint8))
    np.save(HERE / "wide_stored.npy", tensor)
    launches.write([
        ("x", "u16", [65536], 'fill = "arange"\n'),
        ("out", "u8", [len(launches.out)], 'expect = "../wide_loaded.npy"\n'),
        ("values", "u8", [SPAN], 'file = "../wide_values.npy"\n'),
        ("y", "u8", [65536], 'expect = "../wide_stored.npy"\n'),
    ], "8.7", "sm_100a")


def reductions():
    launches = Launches("reductions", "Reductions of boxes into tensors: every operation and type")
    ops = {
        "add": ["u32", "s32", "u64", "f32", "f16", "bf16"],
        "min": ["u32", "s32", "u64", "s64", "f16", "bf16"],
        "max": ["u32", "s32", "u64", "s64", "f16", "bf16"],
        "inc": ["u32"],
        "dec": ["u32"],
        "and": ["u32", "s64"],
        "or": ["s32", "u64"],
        "xor": ["u32", "u64"],
    }
    before, after, values, at = [], [], [], 0
    for op, types in ops.items():
        for type in types:
            # 2 rows of 16, of which the box takes 8 from column 4 on, and a third row that is outside.
            size = BITS[type] // 8
            old, new = numbers(type, 32), numbers(type, 24)
            result = old.copy()
            for y, x in product(range(3), range(8)):
                if 1 + y < 2:
                    i = (1 + y) * 16 + 4 + x
                    result[i] = combine(op, type, old[i], new[y * 8 + x])
            kernel = f"reduce_{op}"
            map = Map(type, [16, 2], [8, 3], offset=at)
            base = sum(len(v) for v in values)
            launches.run(kernel, store(kernel, 2, "tile", op), map, "y", "values", base, [4, 1], (), 0, 24 * size)
            before.append(raw(type, old))
            after.append(raw(type, result))
            values.append(raw(type, new) + bytes(-len(raw(type, new)) % 128))
            at += 32 * size
    np.save(HERE / "reduce_values.npy", np.frombuffer(b"".join(values), np.uint8))
    np.save(HERE / "before.npy", np.frombuffer(b"".join(before), np.uint8))
    np.save(HERE / "after.npy", np.frombuffer(b"".join(after), np.uint8))
    launches.write([
        ("y", "u8", [at], 'file = "../before.npy"\nexpect = "../after.npy"\n'),
        ("values", "u8", [sum(len(v) for v in values)], 'file = "../reduce_values.npy"\n'),
    ], "8.0", "sm_90")


def numbers(type, count):
    if type in ("f16", "bf16", "f32"):
        return rng.integers(-100, 100, count).astype(np.float64) / 2
    bits = BITS[type]
    small = rng.integers(0, 20, count)
    wide = rng.integers(0, 2**bits - 1, count, np.uint64, endpoint=True).astype(object)
    mixed = np.where(rng.integers(0, 2, count) == 0, small.astype(object), wide)
    return np.array([int(n) - 2**bits if type[0] == "s" and int(n) >= 2 ** (bits - 1) else int(n) for n in mixed], object)


def combine(op, type, old, b):
    if type[0] in "fb":
        return {"add": old + b, "min": min(old, b), "max": max(old, b)}[op]
    result = {
        "add": lambda: old + b,
        "min": lambda: min(old, b),
        "max": lambda: max(old, b),
        "inc": lambda: 0 if old >= b else old + 1,
        "dec": lambda: b if old == 0 or old > b else old - 1,
        "and": lambda: old & b,
        "or": lambda: old | b,
        "xor": lambda: old ^ b,
    }[op]()
    bits = BITS[type]
    result %= 2**bits
    return result - 2**bits if type[0] == "s" and result >= 2 ** (bits - 1) else result


def raw(type, array):
    if type == "f16":
        return np.array(array, np.float16).tobytes()
    if type == "f32":
        return np.array(array, np.float32).tobytes()
    if type == "bf16":
        bits = np.array(array, np.float32).view(np.uint32)
        assert not (bits & 0xFFFF).any()
        return (bits >> 16).astype(np.uint16).tobytes()
    return b"".join(int(n).to_bytes(BITS[type] // 8, "little", signed=type[0] == "s") for n in array)


REPLACE = """
.global .align 128 .b8 published[128];
.visible .entry replaced(.param .u64 map, .param .u64 other, .param .u64 out)
{
    .reg .pred %p<4>;
    .reg .b64 %d<8>;
    .reg .b32 %r<16>;
    .shared .align 1024 .b8 box[2048];
    .shared .align 128 .b8 changed[128];
    .shared .align 8 .b64 bar;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, changed;
    mov.u32 %r2, box;
    mov.u32 %r3, bar;
    ld.param.u64 %d0, [map];
    shl.b32 %r4, %r0, 3;
    setp.gt.u32 %p0, %r0, 15;
    @%p0 bra read;
    cvt.u64.u32 %d1, %r4;
    add.u64 %d1, %d0, %d1;
    ld.global.b64 %d2, [%d1];
    add.u32 %r5, %r1, %r4;
    st.shared.b64 [%r5], %d2;
read:
    bar.sync 0;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 bra publish;
    ld.param.u64 %d3, [other];
    mov.u64 %d4, 160;
    mov.b32 %r6, 2;
    mov.b32 %r7, 40;
    tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r1], %d3;
    tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r1], %r6;
    tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r1], 2;
    tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r1], 0, %r7;
    tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r1], 1, 9;
    tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r1], 2, 3;
    tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r1], 0, %d4;
    tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r1], 1, 1440;
    tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r1], 0, 8;
    tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r1], 1, 4;
    tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r1], 2, 2;
    tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r1], 1, 2;
    tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r1], 0;
    tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r1], 1;
    tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r1], 0;
    mbarrier.init.shared.b64 [%r3], 1;
    fence.mbarrier_init.release.cluster;
publish:
    bar.sync 0;
    mov.u64 %d6, published;
    cvta.global.u64 %d7, %d6;
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d6], [%r1], 128;
    fence.proxy.tensormap::generic.acquire.gpu [%d7], 128;
    @%p1 bra issued;
    mbarrier.arrive.expect_tx.shared.b64 %d1, [%r3], BYTES;
    cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d7, {36, 1, 1}], [%r3];
issued:
    bar.sync 0;
again:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;
    @!%p2 bra again;
    ld.param.u64 %d2, [out];
    cvt.u64.u32 %d3, %r4;
    add.u64 %d2, %d2, %d3;
    add.u32 %r5, %r2, %r4;
    ld.shared.b64 %d4, [%r5];
    st.global.b64 [%d2], %d4;
    ret;
}
"""


MULTICAST = """
.visible .entry multicast(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 mask)
{
    .reg .pred %p<4>;
    .reg .b64 %d<6>;
    .reg .b32 %r<12>;
    .reg .b16 %h0;
    .shared .align 1024 .b8 box[1024];
    .shared .align 8 .b64 bar;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, box;
    mov.u32 %r3, bar;
    ld.param.u32 %r4, [mask];
    ld.param.u64 %d2, [out];
    cvt.u16.u32 %h0, %r4;
    mov.b64 %d0, map;
    cvta.param.u64 %d0, %d0;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra ready;
    mbarrier.init.shared.b64 [%r3], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared.b64 %d1, [%r3], 1024;
ready:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    setp.ne.or.u32 %p1, %r1, 1, %p0;
    @%p1 bra issued;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%d0, {8, 3}], [%r3], %h0;
issued:
    shr.b32 %r5, %r4, %r1;
    and.b32 %r5, %r5, 1;
    setp.eq.u32 %p2, %r5, 0;
    @%p2 bra done;
again:
    mbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0;
    @!%p3 bra again;
    shl.b32 %r6, %r0, 2;
copy:
    add.u32 %r7, %r2, %r6;
    ld.shared.b32 %r8, [%r7];
    shl.b32 %r9, %r1, 10;
    add.u32 %r9, %r9, %r6;
    cvt.u64.u32 %d3, %r9;
    add.u64 %d4, %d2, %d3;
    st.global.b32 [%d4], %r8;
    add.u32 %r6, %r6, 128;
    setp.lt.u32 %p3, %r6, 1024;
    @%p3 bra copy;
done:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
"""


def multicast():
    launches = Launches("multicast", "A box for several blocks of a cluster")
    map = Map("u16", [64, 40], [16, 32], swizzle="32B")
    shared, out = np.zeros(1024, np.uint8), np.zeros((4, 1024), np.uint8)
    for to, source in map.bytes("tile", [8, 3]):
        shared[to] = SOURCE[source]
    launches.kernels["multicast"] = MULTICAST
    launches.text = f"""
[[launch]]
kernel = "multicast"
grid = [4]
block = [32]
cluster = [4]
args = ["{map.text("x")}", "out", "11:u32"]
"""
    out[[0, 1, 3]] = shared
    np.save(HERE / "multicast.npy", out)
    launches.write([
        ("x", "u16", [65536], 'fill = "arange"\n'),
        ("out", "u8", [4, 1024], 'expect = "../multicast.npy"\n'),
    ], "8.0", "sm_90")


def replaced():
    launches = Launches("replaced", "A tensor map that a kernel changes field by field, and publishes")
    map = Map("u32", [40, 9, 3], [8, 4, 2], steps=[1, 2, 1], swizzle="32B")
    shared, pairs = np.zeros(256, np.uint8), list(map.bytes("tile", [36, 1, 1]))
    other = np.arange(40 * 9 * 3, dtype=np.uint32).view(np.uint8)
    for to, source in pairs:
        shared[to] = 0 if source is None else other[source]
    launches.kernels["replaced"] = REPLACE.replace("BYTES", str(len(pairs)))
    launches.launch("replaced", "tensormap:x,u8,[64,8],box=[16,1],fill=zero", "other", "out")
    np.save(HERE / "replaced.npy", shared.view(np.uint32))
    launches.write([
        ("x", "u8", [512], ""),
        ("other", "u32", [40 * 9 * 3], 'fill = "arange"\n'),
        ("out", "u32", [64], 'expect = "../replaced.npy"\n'),
    ], "8.3", "sm_90a")


hopper()
blackwell()
reductions()
replaced()
multicast()
