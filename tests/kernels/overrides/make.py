"""Operands in place of what a tensor map says: `overrides.ptx`, its launches, and what comes out, element by element (PTX ISA 9.4,
9.7.10.28.5.2). The maps themselves say something else."""

from itertools import product
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
rng = np.random.default_rng(37)
COUNT = 4096
X = rng.integers(0, 1 << 32, COUNT, np.uint64).astype(np.uint32)
Y = rng.integers(0, 1 << 32, COUNT, np.uint64).astype(np.uint32)
BOX = [8, 3, 2, 2, 2]
# Of the map; the stride of each dimension is the one below times the size.
WRONG = [12, 4, 3, 3, 3]
RIGHT = [6, 2, 2, 1, 2]  # smaller than the box in some dimensions: zeros, or nothing
STRIDES = [48, 144, 320, 704]  # bytes, of dimensions 1 to 4

kernels, launches, loaded, after = [], [], [], Y.copy()


def dense(sizes):
    strides = [4 * sizes[0]]
    for size in sizes[1:-1]:
        strides.append(strides[-1] * size)
    return strides


def vector(names):
    return "{" + ", ".join(names) + "}"


def operands(rank, attributes, at):
    """Lines that fill registers, and what stands between the brackets."""
    lines, parts = ["ld.param.u64 %base, [base];"], ["%map", "%base"]
    if attributes:
        kind = "b" if rank % 2 else "h"
        for k in range(rank):
            lines.append(f"mov.b16 %h{k}, {RIGHT[k]};")
            if kind == "b":
                lines.append(f"cvt.u8.u16 %b{k}, %h{k};")
        parts.append(vector([f"%{kind}{k}" for k in range(rank)]))
        if rank > 1:
            lines += [f"mov.b32 %l{k}, {STRIDES[k] >> 4};" for k in range(rank - 1)] + ["mov.b16 %upper, 0;"]
            parts += [vector([f"%l{k}" for k in range(rank - 1)]), "%upper"]
    lines += [f"mov.b32 %c{k}, {at[k]};" for k in range(rank)]
    return lines, ", ".join(parts + [vector([f"%c{k}" for k in range(rank)])])


def override(rank, attributes):
    word = ".override::global_dim" if rank == 1 else ".override::global_dim_stride"
    return ".override::global_address" + (word if attributes else "")


def elements(rank, attributes, at):
    """The places of the box's elements, first dimension fastest; None outside."""
    sizes = RIGHT[:rank] if attributes else WRONG[:rank]
    strides = [4] + (STRIDES[: rank - 1] if attributes else dense(WRONG[:rank])[: rank - 1])
    for index in product(*(range(n) for n in reversed(BOX[:rank]))):
        c = [a + i for a, i in zip(at, reversed(index))]
        inside = all(0 <= x < n for x, n in zip(c, sizes))
        yield sum(x * s for x, s in zip(c, strides)) // 4 if inside else None


def kernel(name, rank, attributes, at, lines):
    fill, between = operands(rank, attributes, at)
    body = "\n".join(f"    {one}" for one in fill + [one.replace("BETWEEN", between) for one in lines])
    kernels.append(HEAD.replace("NAME", name) + body + "\n    ret;\n}\n")


def launch(name, rank, buffer, offset):
    sizes = WRONG[:rank]
    strides = dense(sizes) if rank > 1 else []
    fields = f"{buffer},u32,{sizes},strides={strides},box={BOX[:rank]}".replace(" ", "")
    launches.append(f"""
[[launch]]
kernel = "{name}"
grid = [1, 1, 1]
block = [32, 1, 1]
args = ["tensormap:{fields}", "{buffer}", "out", "{4 * offset}:u64"]
""")


HEAD = """
.visible .entry NAME(.param .align 64 .b8 map[128], .param .u64 base, .param .u64 out, .param .u64 from)
{
    .reg .b64 %map, %base, %out, %from, %to;
    .reg .b32 %c<5>, %l<4>, %t, %own, %v;
    .reg .b16 %h<5>, %upper;
    .reg .b8 %b<5>;
    .reg .pred %first, %q, %p;
    .shared .align 128 .b32 box[192];
    .shared .align 8 .b64 bar;
    mov.u32 %t, %tid.x;
    setp.eq.u32 %first, %t, 0;
    mov.b64 %map, map;
    cvta.param.u64 %map, %map;
    ld.param.u64 %out, [out];
    ld.param.u64 %from, [from];
"""


def load(rank, attributes, at, space, multicast=""):
    name, n = f"load_{rank}d_{len(launches)}", int(np.prod(BOX[:rank]))
    offset = 4 * int(rng.integers(1, 40))
    mask = ", 1" if multicast else ""
    kernel(name, rank, attributes, at, [
        "add.u64 %base, %base, %from;",
        "@%first mbarrier.init.shared.b64 [bar], 1;",
        f"@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], {4 * n};",
        f"@%first cp.async.bulk.tensor.{rank}d.{space}.global.tile.mbarrier::complete_tx::bytes{multicast}{override(rank, attributes)} [box], [BETWEEN], [bar]{mask};",
        "bar.sync 0;",
        "wait: mbarrier.try_wait.parity.shared.b64 %q, [bar], 0;", "@!%q bra wait;",
        "mov.u32 %own, box;", "mad.lo.u32 %own, %t, 4, %own;", "mad.wide.u32 %to, %t, 4, %out;",
        f"more: setp.ge.u32 %p, %t, {n};", "@%p ret;",
        "ld.shared.b32 %v, [%own];", f"st.global.b32 [%to+{4 * sum(map(len, loaded))}], %v;",
        "add.u32 %t, %t, 32;", "add.u32 %own, %own, 128;", "add.u64 %to, %to, 128;", "bra more;",
    ])  # fmt: skip
    launch(name, rank, "x", offset)
    loaded.append([0 if place is None else X[offset + place] for place in elements(rank, attributes, at)])


def store(rank, attributes, at, reduce):
    name, n = f"store_{rank}d_{len(launches)}", int(np.prod(BOX[:rank]))
    offset = 4 * int(rng.integers(1, 40)) + 400 * len(launches) % 2400 // 4 * 4
    instruction = "cp.reduce.async.bulk.tensor" if reduce else "cp.async.bulk.tensor"
    kernel(name, rank, attributes, at, [
        "add.u64 %base, %base, %from;",
        "mov.u32 %own, box;", "mad.lo.u32 %own, %t, 4, %own;",
        f"more: setp.ge.u32 %p, %t, {n};", "@%p bra filled;",
        "mad.lo.u32 %v, %t, 77, 5;", "st.shared.b32 [%own], %v;", "add.u32 %t, %t, 32;", "add.u32 %own, %own, 128;", "bra more;",
        "filled: fence.proxy.async.shared::cta;", "bar.sync 0;",
        f"@%first cp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile{override(rank, attributes)} [BETWEEN];",
        f"@%first applypriority.async.bulk.tensor.{rank}d.global.bulk_group.tile.L2::evict_normal{override(rank, attributes)} [BETWEEN];",
        f"@%first {instruction}.{rank}d.global.shared::cta{'.add' if reduce else ''}.tile.bulk_group{override(rank, attributes)} [BETWEEN], [box];",
        "@%first cp.async.bulk.commit_group;", "@%first cp.async.bulk.wait_group 0;",
    ])  # fmt: skip
    launch(name, rank, "y", offset)
    for i, place in enumerate(elements(rank, attributes, at)):
        if place is not None:
            new = np.uint32(77 * i + 5)
            after[offset + place] = (after[offset + place] + new) & np.uint32(0xFFFFFFFF) if reduce else new


for rank in range(1, 6):
    zero, some = [0] * rank, [2, 1, 1, 1, 1][:rank]
    load(rank, True, zero, "shared::cta")
    load(rank, True, zero, "shared::cluster", ".multicast::cluster::32b")
    load(rank, False, some, "shared::cta")
    load(rank, False, some, "shared::cluster")
    with np.errstate(over="ignore"):
        for reduce in (False, True):
            store(rank, True, zero, reduce)
            store(rank, False, some, reduce)

(HERE / "overrides.ptx").write_text(
    "// Written by make.py: boxes whose tensor is told by operands.\n.version 9.4\n.target sm_107a\n.address_size 64\n" + "".join(kernels))
np.save(HERE / "x.npy", X)
np.save(HERE / "y.npy", Y)
np.save(HERE / "after.npy", after)
out = np.concatenate([np.array(one, np.uint32) for one in loaded])
np.save(HERE / "loaded.npy", out)
(HERE / "launch.toml").write_text(f"""# Written by make.py.
title = "Operands in place of what a tensor map says: every rank, every direction"
module = ["overrides.ptx"]

[[buffer]]
name = "x"
type = "u32"
file = "x.npy"

[[buffer]]
name = "y"
type = "u32"
file = "y.npy"
expect = "after.npy"

[[buffer]]
name = "out"
type = "u32"
shape = [{len(out)}]
expect = "loaded.npy"
""" + "".join(launches))
