"""Copies of boxes of tensors: `tensor_copies.ptx`, the launch file, and what must come out, by numpy's indexing and the formulas of
PTX ISA 9.4, 5.5: every rank, swizzle, out-of-bounds fill, element stride, im2col, rows, stores, reductions, multicast, changed maps."""

from itertools import product
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
rng = np.random.default_rng(17)
JUNK = 0xEE
MOST = 16384

kernels, buffers, launches = [], [], []


def save(name, array, expect=None):
    """A buffer of bytes or elements, and what it must hold in the end."""
    np.save(HERE / f"{name}.npy", np.ascontiguousarray(array))
    lines = ["[[buffer]]", f'name = "{name}"', f'type = "{TYPES[np.dtype(array.dtype)]}"', f'file = "{name}.npy"']
    if expect is not None:
        np.save(HERE / f"{name}_expected.npy", np.ascontiguousarray(expect))
        lines.append(f'expect = "{name}_expected.npy"')
    buffers.append("\n".join(lines))


TYPES = {np.dtype(t): name for t, name in [(np.uint8, "u8"), (np.uint16, "u16"), (np.uint32, "u32"), (np.float32, "f32"), (np.float16, "f16")]}


def result(name, expect):
    np.save(HERE / f"{name}.npy", expect)
    shape = list(expect.shape)
    buffers.append(f'[[buffer]]\nname = "{name}"\ntype = "u8"\nshape = {shape}\nexpect = "{name}.npy"')


def launch(kernel, args, blocks=1):
    quoted = ", ".join(f'"{a}"' for a in args)
    launches.append(f'[[launch]]\nkernel = "{kernel}"\ngrid = [{blocks}, 1, 1]\nblock = [128, 1, 1]\nargs = [{quoted}]')


def swizzled(address, swizzle):
    """Where a byte goes: bits 4 to 6 of the address are combined with bits 7 to 9."""
    bits = {"": 0, "32B": 1, "64B": 3, "128B": 7}[swizzle]
    return address ^ (((address >> 7) & bits) << 4)


def image(values, swizzle):
    """The bytes of shared memory that rows of elements fill, of 128 and more bytes behind which nothing is written."""
    rows = values.reshape(-1, values.shape[-1])
    row = rows.shape[1] * rows.itemsize
    pitch = max(row, int(swizzle[:-1])) if swizzle else row
    memory = np.full(MOST, JUNK, np.uint8)
    for i, one in enumerate(rows):
        for j, byte in enumerate(one.view(np.uint8)):
            memory[swizzled(i * pitch + j, swizzle)] = byte
    return memory


def box_at(tensor, at, box, steps, fill):
    """The elements of a box whose start is `at`; at and box have the innermost dimension first, tensor's axes the outermost."""
    counts = [-(-b // s) for b, s in zip(box, steps)]
    out = np.full(counts[::-1], fill, tensor.dtype)
    sizes = tensor.shape[::-1]
    for index in product(*(range(n) for n in counts)):
        place = [a + i * s for a, i, s in zip(at, index, steps)]
        if all(0 <= p < n for p, n in zip(place, sizes)):
            out[index[::-1]] = tensor[tuple(place[::-1])]
    return out


HEAD = """// Written by make.py: copies of boxes of tensors in every way.
.version 8.6
.target sm_100a
.address_size 64
"""

PROLOGUE = """    .reg .b64 %out, %at, %map, %v, %given;
    .reg .b32 %thread, %slot, %bytes, %c<5>, %i, %w, %rank, %parity;
    .reg .b16 %o<3>, %mask;
    .reg .pred %p, %q, %first;
    .shared .align 1024 .b8 memory[16384];
    .shared .align 8 .b64 bar;
    mov.u32 %thread, %tid.x;
    setp.eq.u32 %first, %thread, 0;
    mov.b64 %map, map;
    cvta.param.u64 %map, %map;
"""


def fill(value):
    return f"""    mov.u32 %i, %thread;
filling:
    mov.u32 %slot, memory;
    mad.lo.u32 %slot, %i, 4, %slot;
{value}    st.shared.u32 [%slot], %w;
    add.u32 %i, %i, 128;
    setp.lt.u32 %p, %i, 4096;
    @%p bra filling;
    fence.proxy.async.shared::cta;
    bar.sync 0;
"""


JUNK_FILL = fill("    mov.u32 %w, 0xeeeeeeee;\n")
GIVEN_FILL = "    ld.param.u64 %given, [given];\n" + fill("    mad.wide.u32 %at, %i, 4, %given;\n    ld.global.u32 %w, [%at];\n")
WAIT = """waiting:
    mbarrier.try_wait.parity.shared.b64 %q, [bar], 0;
    @!%q bra waiting;
"""
DUMP = """    ld.param.u64 %out, [out];
    mov.u32 %rank, %ctaid.x;
    mad.wide.u32 %out, %rank, 16384, %out;
    mov.u32 %i, %thread;
dumping:
    mov.u32 %slot, memory;
    mad.lo.u32 %slot, %i, 4, %slot;
    ld.shared.u32 %w, [%slot];
    mad.wide.u32 %at, %i, 4, %out;
    st.global.u32 [%at], %w;
    add.u32 %i, %i, 128;
    setp.lt.u32 %p, %i, 4096;
    @%p bra dumping;
"""


def parameters(first, coordinates, offsets=0):
    names = [".param .align 64 .b8 map[128]", f".param .u64 {first}", ".param .u32 bytes"]
    names += [f".param .s32 c{i}" for i in range(coordinates)] + [f".param .u16 o{i}" for i in range(offsets)]
    loads = "    ld.param.u32 %bytes, [bytes];\n"
    loads += "".join(f"    ld.param.s32 %c{i}, [c{i}];\n" for i in range(coordinates))
    loads += "".join(f"    ld.param.u16 %o{i}, [o{i}];\n" for i in range(offsets))
    return ", ".join(names), loads


def vector(letter, count):
    return "{" + ", ".join(f"%{letter}{i}" for i in range(count)) + "}"


def load_kernel(name, dim, mode, coordinates, offsets=0, space=".shared::cta"):
    params, loads = parameters("out", coordinates, offsets)
    tail = f", {vector('o', offsets)}" if offsets else ""
    kernels.append(f""".visible .entry {name}({params})
{{
{PROLOGUE}{loads}    @%first mbarrier.init.shared.b64 [bar], 1;
{JUNK_FILL}    @%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], %bytes;
    @%first cp.async.bulk.tensor.{dim}d{space}.global{mode}.mbarrier::complete_tx::bytes [memory], [%map, {vector("c", coordinates)}], [bar]{tail};
{WAIT}{DUMP}    ret;
}}
""")


def store_kernel(name, dim, opcode, coordinates):
    params, loads = parameters("given", coordinates)
    kernels.append(f""".visible .entry {name}({params})
{{
{PROLOGUE}{loads}{GIVEN_FILL}    @%first {opcode} [%map, {vector("c", coordinates)}], [memory];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group{".read" if dim % 2 else ""} 0;
    ret;
}}
""")


def text(numbers):
    return "[" + ",".join(str(n) for n in numbers) + "]"


# Tiles of every rank and swizzle, inside and partly outside, with element strides, filled with zeros and NaN.
SHAPES = {1: (300,), 2: (40, 90), 3: (6, 20, 48), 4: (3, 5, 9, 32), 5: (2, 3, 4, 5, 64)}
for dim, shape in SHAPES.items():
    load_kernel(f"load_{dim}d", dim, "", dim, space=".shared::cluster" if dim % 2 else ".shared::cta")
    tensor = rng.integers(0, 1 << 16, shape).astype(np.uint16)
    if dim == 2:
        tensor = rng.integers(0, 1 << 16, (40, 96)).astype(np.uint16)
    save(f"tensor_{dim}d", tensor)
    sizes = tensor.shape[::-1]
    for n, swizzle in enumerate(["", "32B", "64B", "128B"]):
        inner = {"": 40, "32B": 16, "64B": 32, "128B": 64}[swizzle]
        inner = min(inner, 256)
        box = [inner] + [min(3 + n, size) for size in sizes[1:]]
        for start in ([1] * dim, [sizes[0] - 8] + [-1] * (dim - 1), [-8] + [size - 2 for size in sizes[1:]]):
            want = image(box_at(tensor, start, box, [1] * dim, 0), swizzle)
            name = f"loaded_{dim}d_{len(launches)}"
            result(name, want)
            bytes_ = 2 * int(np.prod(box))
            fields = f"box={text(box)}" + (f",swizzle={swizzle}" if swizzle else "")
            launch(f"load_{dim}d", [f"tensormap:tensor_{dim}d,{fields}", name, f"{bytes_}:u32"] + [f"{c}:s32" for c in start])

# Every second row and third plane; NaN outside.
steps = [1, 2, 3]
box = [16, 7, 6]
want = box_at(np.load(HERE / "tensor_3d.npy"), [5, 1, -3], box, steps, 0)
result("strided", image(want, ""))
launch("load_3d", [f"tensormap:tensor_3d,box={text(box)},steps={text(steps)}", "strided", f"{want.nbytes}:u32", "5:s32", "1:s32", "-3:s32"])
floats = rng.standard_normal((30, 32)).astype(np.float32)
save("floats", floats)
nan = np.array([0xFFFFFFFF], np.uint32).view(np.float32)[0]
want = box_at(floats, [24, 26], [16, 8], [1, 1], nan)
result("with_nan", image(want, ""))
launch("load_2d", ["tensormap:floats,box=[16,8],fill=nan", "with_nan", f"{want.nbytes}:u32", "24:s32", "26:s32"])

# Four rows into one box.
load_kernel("gather", 2, ".tile::gather4", 5)
rows = [3, 39, 0, 41]
tensor = np.load(HERE / "tensor_2d.npy")
want = np.stack([box_at(tensor, [6, row], [32, 1], [1, 1], 0)[0] for row in rows])
result("gathered", image(want, "64B"))
launch("gather", ["tensormap:tensor_2d,box=[32,1],swizzle=64B", "gathered", f"{want.nbytes}:u32", "6:s32"] + [f"{r}:s32" for r in rows])

# Pixels of images as rows: N D H W C, as a convolution walks over them.
for dim, shape in ((3, (4, 9, 16)), (4, (2, 6, 7, 16)), (5, (2, 3, 4, 5, 16))):
    load_kernel(f"im2col_{dim}d", dim, ".im2col", dim, dim - 2)
    images = rng.integers(0, 1 << 16, shape).astype(np.uint16)
    save(f"images_{dim}d", images)
    spatial = list(images.shape[-2:0:-1])  # W, H, D
    lower, upper = [-1] * (dim - 2), [-1] * (dim - 2)
    for pixels, channels, offsets in ((9, 8, [0] * (dim - 2)), (20, 16, [2] + [1] * (dim - 3))):
        at = [0] + [lo + 1 for lo in lower] + [0]
        where, out = at[1:-1], np.zeros((pixels, channels), np.uint16)
        where, batch = list(where), at[-1]
        for pixel in range(pixels):
            place = [w + o for w, o in zip(where, offsets)]
            if batch < shape[0] and all(0 <= p < n for p, n in zip(place, spatial)):
                out[pixel] = images[(batch, *place[::-1])][at[0] : at[0] + channels]
            for axis in range(dim - 2):
                where[axis] += 1
                if where[axis] < spatial[axis] + upper[axis]:
                    break
                where[axis] = lower[axis]
            else:
                batch += 1
        name = f"unrolled_{dim}d_{pixels}"
        result(name, image(out, ""))
        fields = f"lower={text(lower)},upper={text(upper)},channels={channels},pixels={pixels}"
        launch(f"im2col_{dim}d", [f"tensormap:images_{dim}d,{fields}", name, f"{out.nbytes}:u32"] + [f"{c}:s32" for c in at] + [f"{o}:u16" for o in offsets])

# Stores and reductions; what lies outside is left out.
given = rng.integers(0, 256, MOST, np.uint8)
save("given", given)


def unswizzled(box, dtype, swizzle):
    count, width = int(np.prod(box)), np.dtype(dtype).itemsize
    row = box[0] * width
    pitch = max(row, int(swizzle[:-1])) if swizzle else row
    order = [swizzled(i // row * pitch + i % row, swizzle) for i in range(count * width)]
    return given[order].view(dtype).reshape(box[::-1])


def stored(tensor, at, values, combine):
    out = tensor.copy()
    for index in product(*(range(n) for n in values.shape)):
        place = tuple(a + i for a, i in zip(at[::-1], index))
        if all(0 <= p < n for p, n in zip(place, tensor.shape)):
            with np.errstate(all="ignore"):
                out[place] = combine(out[place], values[index])
    return out


for dim, shape in SHAPES.items():
    store_kernel(f"store_{dim}d", dim, f"cp.async.bulk.tensor.{dim}d.global.shared::cta.bulk_group", dim)
    shape = (40, 96) if dim == 2 else shape
    tensor = rng.integers(0, 1 << 16, shape).astype(np.uint16)
    swizzle = ["", "32B", "64B", "128B", ""][dim - 1]
    box = [{"": 24, "32B": 16, "64B": 32, "128B": 64}[swizzle]] + [min(3, n) for n in shape[-2::-1]]
    at = [shape[-1] - 8] + [n - 2 for n in shape[-2::-1]]
    save(f"target_{dim}d", tensor, stored(tensor, at, unswizzled(box, np.uint16, swizzle), lambda old, new: new))
    fields = f"box={text(box)}" + (f",swizzle={swizzle}" if swizzle else "")
    launch(f"store_{dim}d", [f"tensormap:target_{dim}d,{fields}", "given", "0:u32"] + [f"{c}:s32" for c in at])

REDUCTIONS = {
    "add": lambda a, b: a + b, "min": min, "max": max, "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "inc": lambda a, b: np.uint32(0) if a >= b else a + np.uint32(1),
    "dec": lambda a, b: b if a == 0 or a > b else a - np.uint32(1),
}  # fmt: skip
for op, combine in REDUCTIONS.items():
    store_kernel(f"reduce_{op}", 2, f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{op}.bulk_group", 2)
    tensor = rng.integers(0, 1 << 32, (20, 32)).astype(np.uint32)
    save(f"reduced_{op}", tensor, stored(tensor, [20, 15], unswizzled([16, 8], np.uint32, "64B"), combine))
    launch(f"reduce_{op}", [f"tensormap:reduced_{op},box=[16,8],swizzle=64B", "given", "0:u32", "20:s32", "15:s32"])

store_kernel("scatter", 2, "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group", 5)
tensor = rng.integers(0, 1 << 16, (12, 48)).astype(np.uint16)
want = tensor.copy()
for i, row in enumerate([7, 0, 12, 11]):
    if row < 12:
        want[row, 8:40] = unswizzled([32, 4], np.uint16, "")[i]
save("scattered", tensor, want)
launch("scatter", ["tensormap:scattered,box=[32,1]", "given", "0:u32", "8:s32", "7:s32", "0:s32", "12:s32", "11:s32"])

# One block loads for both of its cluster.
params, loads = parameters("out", 2)
kernels.append(f""".visible .entry multicast({params}) .reqnctapercluster 2
{{
{PROLOGUE}{loads}    @%first mbarrier.init.shared.b64 [bar], 1;
    @%first fence.mbarrier_init.release.cluster;
{JUNK_FILL}    @%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], %bytes;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %rank, %cluster_ctarank;
    setp.eq.and.u32 %p, %rank, 1, %first;
    mov.u16 %mask, 3;
    @%p cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [memory], [%map, {{%c0, %c1}}], [bar], %mask;
{WAIT}{DUMP}    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}}
""")
want = image(box_at(np.load(HERE / "tensor_2d.npy"), [3, 4], [64, 6], [1, 1], 0), "128B")
result("cast", np.stack([want, want]))
launch("multicast", ["tensormap:tensor_2d,box=[64,6],swizzle=128B", "cast", "768:u32", "3:s32", "4:s32"], 2)

# A map that the kernel changes: in shared memory, then copied to global memory, fenced and used.
kernels.append(f""".visible .entry changed(.param .align 64 .b8 map[128], .param .u64 out, .param .u64 room, .param .u64 tensor)
{{
{PROLOGUE}    .shared .align 128 .b8 copy[128];
    .reg .b64 %room, %tensor;
    ld.param.u64 %room, [room];
    ld.param.u64 %tensor, [tensor];
    @%first mbarrier.init.shared.b64 [bar], 1;
    setp.lt.u32 %p, %thread, 16;
    mad.wide.u32 %at, %thread, 8, %map;
    @%p ld.b64 %v, [%at];
    mov.u32 %slot, copy;
    mad.lo.u32 %slot, %thread, 8, %slot;
    @%p st.shared.b64 [%slot], %v;
{JUNK_FILL}    mov.u32 %slot, copy;
    @%first tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%slot], %tensor;
    @%first tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%slot], 1, 20;
    @%first tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%slot], 1, 5;
    bar.sync 0;
    setp.lt.u32 %p, %thread, 32;
    @!%p bra others;
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%room], [copy], 128;
    fence.proxy.tensormap::generic.acquire.gpu [%room], 128;
    @%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], 480;
    @%first cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [memory], [%room, {{2, 17}}], [bar];
others:
{WAIT}{DUMP}    ret;
}}
""")
other = rng.integers(0, 1 << 16, (40, 96)).astype(np.uint16)
save("other", other)
buffers.append('[[buffer]]\nname = "room"\ntype = "u64"\nshape = [32]\nvaries = "holds the address of a tensor"')
result("changed_map", image(box_at(other[:20], [2, 17], [48, 5], [1, 1], 0), ""))
launch("changed", ["tensormap:tensor_2d,box=[48,9]", "changed_map", "room", "other"])

(HERE / "tensor_copies.ptx").write_text(HEAD + "\n" + "\n".join(kernels))
title = "Copies of boxes of tensors: ranks, swizzles, modes, fills, directions, reductions, multicast, changed maps"
(HERE / "launch.toml").write_text(
    f'title = "{title}"\nmodule = ["tensor_copies.ptx"]\ngpu = "b200"\n\n' + "\n\n".join(buffers + launches) + "\n"
)
