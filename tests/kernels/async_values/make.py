"""st.async, red.async and st.bulk: `async_values.ptx` with every form, operation and type, and what it must give, by numpy
(PTX ISA 9.4, 9.7.10.12, 9.7.10.14, 9.7.15.7)."""

from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
rng = np.random.default_rng(13)
SIZE = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16}


def size_of(ty):
    return SIZE[ty[1:]]


text, given, wanted = [], [], []


def line(*lines):
    text.extend(f"    {one}" for one in lines)


def case(rows, want):
    """What the 32 threads of the two blocks read (512 bytes a block) and must leave."""
    at = [len(given), len(wanted)]
    given.extend(np.ascontiguousarray(rows).reshape(2, -1).view(np.uint8))
    wanted.extend(np.ascontiguousarray(want).reshape(2, -1).view(np.uint8))
    return [512 * i for i in at]


def sync():
    line("barrier.cluster.arrive;", "barrier.cluster.wait;")


def wait():
    n = len(text)
    text.extend([f"wait{n}:", "    mbarrier.try_wait.parity.shared.b64 %q, [bar], %parity;", f"    @!%q bra wait{n};"])
    line("xor.b32 %parity, %parity, 1;")


def fill(at):
    line(f"ld.global.v2.b64 {{%v, %w}}, [%mine+{at}];", "st.shared.v2.b64 [%own], {%v, %w};", "fence.proxy.async;")
    sync()


def dump(out):
    line("ld.shared.v2.b64 {%v, %w}, [%own];", f"st.global.v2.b64 [%out+{out}], {{%v, %w}};")
    sync()


def random_rows():
    return rng.integers(0, 256, (2, 32, 16), np.uint8)


def registers(ty, count):
    kind = {4: "r", 8: "d", 16: "x"}[size_of(ty)]
    if ty.startswith("f"):
        kind = {4: "f", 8: "g"}[size_of(ty)]
    return [f"%{kind}{i}" for i in range(count)]


def load(regs, ty, at):
    for i, reg in enumerate(regs):
        line(f"ld.global.{'b' + ty[1:]} {reg}, [%mine+{at + i * size_of(ty)}];")


# Every thread stores a value or a vector into the other block.
for ty in ("b32", "b64", "b128", "u32", "u64", "s32", "s64", "f32", "f64"):
    for vec in ("", ".v2", ".v4"):
        count = int(vec[2:] or 1)
        if count * size_of(ty) > 16:
            continue
        rows, want = random_rows(), np.full((2, 32, 16), 0xEE, np.uint8)
        want[:, :, : count * size_of(ty)] = rows[::-1, :, : count * size_of(ty)]
        at, out = case(rows, want)
        regs = registers(ty, count)
        line("mov.b64 %v, 0xeeeeeeeeeeeeeeee;", "st.shared.v2.b64 [%own], {%v, %v};", "fence.proxy.async;")
        line(f"@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], {32 * count * size_of(ty)};")
        sync()
        load(regs, ty, at)
        operand = regs[0] if count == 1 else "{" + ", ".join(regs) + "}"
        weak, space = rng.choice(["", ".weak"]), rng.choice(["", ".shared::cluster"])
        far, bar = ("%far", "%far_bar") if space else ("%far_generic", "%far_bar_generic")
        line(f"st.async{weak}{space}.mbarrier::complete_tx::bytes{vec}.{ty} [{far}], {operand}, [{bar}];")
        wait()
        dump(out)

# Every thread reduces into an element of the other block, four threads into each.
INTEGERS = {"b32": np.uint32, "u32": np.uint32, "s32": np.int32, "u64": np.uint64, "s64": np.int64}


def combine(op, old, b):
    return {
        "add": lambda: old + b, "and": lambda: old & b, "or": lambda: old | b, "xor": lambda: old ^ b,
        "min": lambda: min(old, b), "max": lambda: max(old, b),
        "inc": lambda: type(old)(0) if old >= b else old + type(old)(1),
        "dec": lambda: b if old == 0 or old > b else old - type(old)(1),
    }[op]()  # fmt: skip


REDS = [("add", "u32"), ("add", "s32"), ("add", "u64"), ("and", "b32"), ("or", "b32"), ("xor", "b32")]
REDS += [(op, ty) for op in ("min", "max") for ty in ("u32", "s32")] + [("inc", "u32"), ("dec", "u32")]
for op, ty in REDS:
    old, rows = random_rows(), random_rows()
    elements, width = [a.reshape(2, -1).view(INTEGERS[ty]).copy() for a in (old, rows)], size_of(ty)
    if op in ("inc", "dec"):
        # The order of threads is nobody's: all four bring the same bound.
        elements[1][:] = np.repeat(elements[1].reshape(2, -1, 16 // width)[:, ::4], 4, axis=1).reshape(2, -1)
    want = elements[0].copy()
    with np.errstate(over="ignore"):
        for block in (0, 1):
            for thread in range(32):
                place, source = thread // 4 * 4 * 16 // width, thread * 16 // width
                want[block, place] = combine(op, want[block, place], elements[1][1 - block, source])
    at, out = case(elements[1], want)
    start = 512 * len(given)
    given.extend(elements[0].view(np.uint8))
    line(f"ld.global.v2.b64 {{%v, %w}}, [%mine+{start}];", "st.shared.v2.b64 [%own], {%v, %w};", "fence.proxy.async;")
    line(f"@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], {32 * width};")
    sync()
    regs = registers(ty, 1)
    load(regs, ty, at)
    space = rng.choice(["", ".shared::cluster"])
    far, bar = ("%far4", "%far_bar") if space else ("%far4_generic", "%far_bar_generic")
    line(f"red.async.relaxed.cluster{space}.mbarrier::complete_tx::bytes.{op}.{ty} [{far}], {regs[0]}, [{bar}];")
    wait()
    dump(out)

# To global memory, done when the kernel ends.
for n, ty in enumerate(("b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64")):
    rows, want = random_rows(), np.zeros((2, 32, 16), np.uint8)
    want[:, :, : size_of(ty)] = rows[:, :, : size_of(ty)]
    at, out = case(rows, want)
    reg = {1: "%e0", 2: "%h0"}.get(size_of(ty)) or registers(ty, 1)[0]
    line(f"ld.global.{'b' + ty[1:]} {reg}, [%mine+{at}];")
    order = [".release.gpu", ".mmio.release.sys", ".release.sys"][n % 3]
    line(f"st.async{order}{['', '.global'][n % 2]}.{ty} [%out+{out}], {reg};")
for n, ty in enumerate(("u32", "s32", "u64", "s64")):
    rows = random_rows()
    width = size_of(ty)
    elements, want = rows.reshape(2, -1).view(INTEGERS[ty]), np.zeros((2, 512 // width), INTEGERS[ty])
    with np.errstate(over="ignore"):
        want[:, 0] = elements.reshape(2, 32, -1)[:, :, 0].sum(axis=1)
    at, out = case(rows, want)
    reg = registers(ty, 1)[0]
    line(f"ld.global.{'b' + ty[1:]} {reg}, [%mine+{at}];")
    order = [".release.gpu", ".mmio.release.sys"][n % 2]
    line(f"red.async{order}{['', '.global'][n // 2]}.add.{ty} [%results+{out}], {reg};")

# st.bulk: ranges of zeros in the own memory.
for n, (first, size) in enumerate(((0, 512), (8, 16), (64, 128), (504, 8), (16, 0))):
    rows = random_rows()
    want = rows.copy().reshape(2, -1)
    want[:, first : first + size] = 0
    at, out = case(rows, want)
    fill(at)
    space = ["", ".shared::cta"][n % 2]
    to = f"%own_start+{first}" if space else f"%to_generic+{first}"
    count = [f"{size}", "%long", "%short"][n % 3]
    line(f"mov.b64 %long, {size};", f"mov.b32 %short, {size};")
    line(f"@%first st.bulk{['', '.weak'][n % 2]}{space} [{to}], {count}, 0;", "bar.sync 0;")
    dump(out)

HEAD = """// Written by make.py: asynchronous stores and reductions of single elements, and ranges of zeros, by two blocks of a cluster.
.version 9.2
.target sm_100
.address_size 64

.visible .entry async_values(.param .u64 given, .param .u64 results) .reqnctapercluster 2
{
    .reg .b64 %v, %w, %rows, %mine, %results, %out, %d<2>, %far_generic, %far4_generic, %far_bar_generic, %to_generic, %long;
    .reg .b32 %thread, %rank, %peer, %own, %far, %far4, %far_bar, %parity, %r<4>, %short, %t, %own_start;
    .reg .b16 %h<1>;
    .reg .b8 %e<1>;
    .reg .b128 %x<1>;
    .reg .f32 %f<4>;
    .reg .f64 %g<2>;
    .reg .pred %q, %first;
    .shared .align 16 .b8 to[512];
    .shared .align 8 .b64 bar;
    ld.param.u64 %rows, [given];
    ld.param.u64 %results, [results];
    mov.u32 %thread, %tid.x;
    mov.u32 %rank, %cluster_ctarank;
    xor.b32 %peer, %rank, 1;
    mad.wide.u32 %rows, %rank, 512, %rows;
    mad.wide.u32 %results, %rank, 512, %results;
    mad.wide.u32 %mine, %thread, 16, %rows;
    mad.wide.u32 %out, %thread, 16, %results;
    mov.u32 %own, to;
    mov.u32 %own_start, to;
    cvt.u64.u32 %to_generic, %own;
    cvta.shared.u64 %to_generic, %to_generic;
    and.b32 %t, %thread, 0xfffffffc;
    mad.lo.u32 %far4, %t, 16, %own;
    mapa.shared::cluster.u32 %far4, %far4, %peer;
    mad.lo.u32 %own, %thread, 16, %own;
    mapa.shared::cluster.u32 %far, %own, %peer;
    mapa.shared::cluster.u32 %far_bar, bar, %peer;
    cvt.u64.u32 %far_generic, %far;
    cvta.shared::cluster.u64 %far_generic, %far_generic;
    cvt.u64.u32 %far4_generic, %far4;
    cvta.shared::cluster.u64 %far4_generic, %far4_generic;
    cvt.u64.u32 %far_bar_generic, %far_bar;
    cvta.shared::cluster.u64 %far_bar_generic, %far_bar_generic;
    mov.u32 %parity, 0;
    setp.eq.u32 %first, %thread, 0;
    @%first mbarrier.init.shared.b64 [bar], 1;
    @%first fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive;
    barrier.cluster.wait;
"""
(HERE / "async_values.ptx").write_text(HEAD + "\n".join(text) + "\n    ret;\n}\n")
np.save(HERE / "given.npy", np.stack(given))
np.save(HERE / "results.npy", np.stack(wanted))
(HERE / "launch.toml").write_text(f"""title = "Asynchronous stores and reductions of elements: every form, operation and type; ranges of zeros"
module = ["async_values.ptx"]

[[buffer]]
name = "given"
type = "u8"
file = "given.npy"

[[buffer]]
name = "results"
type = "u8"
shape = [{len(wanted)}, 512]
expect = "results.npy"

[[launch]]
kernel = "async_values"
grid = [2, 1, 1]
block = [32, 1, 1]
args = ["given", "results"]
""")
