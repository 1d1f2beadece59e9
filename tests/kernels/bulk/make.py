"""Bulk copies and reductions: `bulk.ptx` with every direction, form, operation and type, and what it must give, by numpy and ml_dtypes
(PTX ISA 9.4, 9.7.10.28.4). Two blocks of a cluster each hold 256 bytes to send and 256 to receive in shared memory."""

from pathlib import Path

import ml_dtypes
import numpy as np

HERE = Path(__file__).resolve().parent
rng = np.random.default_rng(9)
ROOM = 256

TYPES = {
    "u32": np.uint32, "s32": np.int32, "u64": np.uint64, "s64": np.int64, "b32": np.uint32, "b64": np.uint64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip


def values(ty):
    """Random elements: of floating-point numbers also tiny ones, whose sums are subnormal."""
    ty = np.dtype(TYPES[ty])
    count = ROOM // ty.itemsize
    if ty.kind in "ui":
        return rng.integers(0, 256, ROOM, np.uint8).view(ty)
    smallest = float(ml_dtypes.finfo(ty).tiny)
    scale = np.where(rng.random(count) < 0.3, smallest, 1.0)
    return (rng.standard_normal(count) * scale).astype(ty)


def combine(op, old, b):
    with np.errstate(all="ignore"):
        return {
            "add": lambda: old + b,
            "and": lambda: old & b,
            "or": lambda: old | b,
            "xor": lambda: old ^ b,
            "min": lambda: np.minimum(old, b),
            "max": lambda: np.maximum(old, b),
            "inc": lambda: np.where(old >= b, 0, old + 1).astype(old.dtype),
            "dec": lambda: np.where((old == 0) | (old > b), b, old - 1).astype(old.dtype),
        }[op]()


class Module:
    """The text of a kernel, what it reads (`given`) and what its two blocks must leave (`wanted`), case by case."""

    def __init__(self):
        self.text, self.given, self.wanted = [], [], []
        self.parity = [0, 0]

    def line(self, *lines):
        self.text += [f"    {line}" for line in lines]

    def case(self, given, wanted):
        """Rows of bytes that the blocks read and must leave; their place in the buffers."""
        as_bytes = [np.frombuffer(np.ascontiguousarray(row).tobytes(), np.uint8) for row in given + wanted]
        self.given += as_bytes[: len(given)]
        self.wanted += as_bytes[len(given) :]
        return (len(self.given) - len(given)) * ROOM, (len(self.wanted) - len(wanted)) * ROOM

    def fill(self, name, at):
        """Each block fills its memory with the row of its rank behind the rows at `at`."""
        self.line(
            f"ld.global.b64 %v, [%mine+{at}];",
            f"st.shared.b64 [%own_{name}], %v;",
        )

    def sync(self):
        self.line("barrier.cluster.arrive;", "barrier.cluster.wait;")

    def wait(self):
        n = len(self.text)
        self.text += [f"wait{n}:", "    mbarrier.try_wait.parity.shared.b64 %q, [bar], %parity;", f"    @!%q bra wait{n};"]
        self.line("xor.b32 %parity, %parity, 1;")

    def dump(self, at):
        self.line("ld.shared.b64 %v, [%own_to];", f"st.global.b64 [%out+{at}], %v;")
        self.sync()


m = Module()
junk = [np.full(ROOM, 0xEE, np.uint8)] * 2


def bytes_of(*rows):
    return [np.frombuffer(np.ascontiguousarray(row).tobytes(), np.uint8).copy() for row in rows]


def random_bytes():
    return rng.integers(0, 256, ROOM, np.uint8)


# From global memory into the own block's shared memory and into the cluster's.
LOADS = [
    ("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes", ""),
    ("cp.async.bulk.weak.shared::cta.global.mbarrier::complete_tx::bytes", ""),
    ("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint", ", %policy"),
    ("cp.async.bulk.relaxed.gpu.shared::cta.global.mbarrier::complete_tx::bytes.b128", ""),
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", ""),
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint", ", %policy"),
    ("cp.async.bulk.relaxed.cluster.shared::cluster.global.mbarrier::complete_tx::bytes.b128", ""),
]
for opcode, tail in LOADS:
    for size in (16, 48, 256, 0):
        rows = [random_bytes(), random_bytes()]
        want = [row.copy() for row in junk]
        for to, row in zip(want, rows):
            to[:size] = row[:size]
        at, out = m.case(rows + junk, want)
        m.fill("to", at + 2 * ROOM)
        m.line("fence.proxy.async;")
        m.sync()
        m.line(
            f"@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], {size};",
            f"@%first {opcode} [to], [%rows+{at}], {rng.choice([str(size), f'%size{size}'])}, [bar]{tail};",
        )
        m.wait()
        m.dump(out)

# Bytes at both ends that are left out; the place of those that are is not looked at.
for left, right in ((0, 0), (3, 0), (0, 15), (7, 9)):
    rows = [random_bytes(), random_bytes()]
    want = [row.copy() for row in junk]
    for to, row in zip(want, rows):
        to[left : 64 - right] = row[left : 64 - right]
    at, out = m.case(rows + junk, want)
    m.fill("to", at + 2 * ROOM)
    m.line("fence.proxy.async;")
    m.sync()
    m.line(
        "@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;",
        f"@%first cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [to], [%rows+{at}], 64, {left}, {right}, [bar];",
    )
    m.wait()
    m.dump(out)

# One block loads for the blocks of a mask.
for word, mask in ((".multicast::cluster", 3), (".multicast::cluster::16b", 1), (".multicast::cluster", 2)):
    for issuer in (0, 1):
        row = random_bytes()
        want = [np.concatenate([row[:128], junk[0][128:]]) if mask >> r & 1 else junk[r] for r in (0, 1)]
        at, out = m.case([row, row] + junk, want)
        m.fill("to", at + 2 * ROOM)
        m.line("fence.proxy.async;")
        m.line("mov.u32 %bytes, %cluster_ctarank;", f"shr.u32 %bytes, {mask}, %bytes;", "and.b32 %bytes, %bytes, 1;", "mul.lo.u32 %bytes, %bytes, 128;")
        m.line("@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], %bytes;")
        m.sync()
        m.line(
            f"setp.eq.and.u32 %p, %rank, {issuer}, %first;",
            f"@%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{word} [to], [%rows+{at}], 128, [bar], {mask};",
        )
        m.wait()
        m.dump(out)

# From the own shared memory into the other block's.
SENDS = [
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
    "cp.async.bulk.weak.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
    "cp.async.bulk.relaxed.cluster.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128",
]
for opcode in SENDS:
    for size in (16, 208):
        rows = [random_bytes(), random_bytes()]
        want = [np.concatenate([rows[1 - r][:size], junk[r][size:]]) for r in (0, 1)]
        at, out = m.case(rows + junk, want)
        m.fill("from", at)
        m.fill("to", at + 2 * ROOM)
        m.line("fence.proxy.async;", f"@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], {size};")
        m.sync()
        m.line(f"@%first {opcode} [%far_to], [from], {size}, [%far_bar];")
        m.wait()
        m.dump(out)

# From shared to global memory, of some bytes and of all.
STORES = [
    ("cp.async.bulk.global.shared::cta.bulk_group", "", None),
    ("cp.async.bulk.weak.global.shared::cta.bulk_group.L2::cache_hint", ", %policy", None),
    ("cp.async.bulk.relaxed.sys.global.shared::cta.bulk_group.b128", "", None),
    ("cp.async.bulk.global.shared::cta.bulk_group.cp_mask", ", 0xa5f0", 0xA5F0),
    ("cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.L2::cache_hint.cp_mask.b128", ", %policy, %mask", 0x8001),
]
for opcode, tail, mask in STORES:
    for size, read in ((16, ""), (240, ".read")):
        rows = [random_bytes(), random_bytes()]
        take = np.array([mask is None or mask >> (i % 16) & 1 for i in range(ROOM)], bool) & (np.arange(ROOM) < size)
        want = [np.where(take, rows[r], junk[r]) for r in (0, 1)]
        at, out = m.case(rows + junk, want)
        m.fill("from", at)
        m.line(f"ld.global.b64 %v, [%mine+{at + 2 * ROOM}];", f"st.global.b64 [%out+{out}], %v;")
        m.line("fence.proxy.async;", "bar.sync 0;", f"@%first {opcode} [%results+{out}], [from], {size}{tail};")
        m.line("cp.async.bulk.commit_group;")
        if read:
            m.line("cp.async.bulk.wait_group.read 0;")
        m.line("cp.async.bulk.wait_group 0;")
        m.sync()

# Reductions into the other block's shared memory.
REMOTE = [("and", "b32"), ("or", "b32"), ("xor", "b32"), ("add", "u32"), ("add", "s32"), ("add", "u64"), ("inc", "u32"), ("dec", "u32")]
REMOTE += [(op, ty) for op in ("min", "max") for ty in ("u32", "s32")]
for n, (op, ty) in enumerate(REMOTE):
    # The manual's two examples of this direction are written without an order.
    order = "" if (op, ty) in (("add", "u64"), ("min", "s32")) else ["", ".relaxed.cta", ".relaxed.cluster"][n % 3]
    old, b = [values(ty), values(ty)], [values(ty), values(ty)]
    want = [combine(op, old[r], b[1 - r]) for r in (0, 1)]
    at, out = m.case(b + old, want)
    m.fill("from", at)
    m.fill("to", at + 2 * ROOM)
    m.line("fence.proxy.async;", f"@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], {ROOM};")
    m.sync()
    m.line(f"@%first cp.reduce.async.bulk{order}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{op}.{ty} [%far_to], [from], {ROOM}, [%far_bar];")
    m.wait()
    m.dump(out)

# Reductions into global memory.
GLOBAL = [(op, ty) for op in ("and", "or", "xor") for ty in ("b32", "b64")]
GLOBAL += [("add", ty) for ty in ("u32", "s32", "u64", "f32", "f64")] + [("inc", "u32"), ("dec", "u32")]
GLOBAL += [(op, ty) for op in ("min", "max") for ty in ("u32", "s32", "u64", "s64", "f16", "bf16")]
GLOBAL += [("add.noftz", ty) for ty in ("f16", "bf16", "f32")]
for n, (op, ty) in enumerate(GLOBAL):
    order = ["", ".relaxed.cta", ".relaxed.gpu", ".relaxed.sys", ".relaxed.cluster"][n % 5]
    hint, tail = [("", ""), (".L2::cache_hint", ", %policy")][n % 2]
    old, b = [values(ty), values(ty)], [values(ty), values(ty)]
    want = [combine(op.removesuffix(".noftz"), old[r], b[r]) for r in (0, 1)]
    at, out = m.case(b + old, want)
    m.fill("from", at)
    m.line(f"ld.global.b64 %v, [%mine+{at + 2 * ROOM}];", f"st.global.b64 [%out+{out}], %v;")
    m.line("fence.proxy.async;", "bar.sync 0;")
    m.line(f"@%first cp.reduce.async.bulk{order}.global.shared::cta.bulk_group{hint}.{op}.{ty} [%results+{out}], [from], {ROOM}{tail};")
    m.line("cp.async.bulk.commit_group;", "cp.async.bulk.wait_group 0;")
    m.sync()

HEAD = """// Written by make.py: bulk copies and reductions in every direction, by two blocks of a cluster.
.version 9.4
.target sm_100a
.address_size 64

.visible .entry bulk(.param .u64 given, .param .u64 results) .reqnctapercluster 2
{
    .reg .b64 %v, %rows, %mine, %results, %out, %policy;
    .reg .b32 %thread, %rank, %peer, %own_from, %own_to, %far_to, %far_bar, %parity, %bytes, %size16, %size48, %size256, %size0;
    .reg .b16 %mask;
    .reg .pred %p, %q, %first;
    .shared .align 16 .b8 from[256];
    .shared .align 16 .b8 to[256];
    .shared .align 8 .b64 bar;
    ld.param.u64 %rows, [given];
    ld.param.u64 %results, [results];
    mov.u32 %thread, %tid.x;
    mov.u32 %rank, %cluster_ctarank;
    xor.b32 %peer, %rank, 1;
    // Rows of the block, and of the thread its eight bytes.
    mad.wide.u32 %rows, %rank, 256, %rows;
    mad.wide.u32 %results, %rank, 256, %results;
    mad.wide.u32 %mine, %thread, 8, %rows;
    mad.wide.u32 %out, %thread, 8, %results;
    mov.u32 %own_from, from;
    mad.lo.u32 %own_from, %thread, 8, %own_from;
    mov.u32 %own_to, to;
    mad.lo.u32 %own_to, %thread, 8, %own_to;
    mapa.shared::cluster.u32 %far_to, to, %peer;
    mapa.shared::cluster.u32 %far_bar, bar, %peer;
    mov.u32 %parity, 0;
    mov.u32 %size16, 16;
    mov.u32 %size48, 48;
    mov.u32 %size256, 256;
    mov.u32 %size0, 0;
    mov.u16 %mask, 0x8001;
    createpolicy.fractional.L2::evict_first.b64 %policy, 1.0;
    setp.eq.u32 %first, %thread, 0;
    @%first mbarrier.init.shared.b64 [bar], 1;
    @%first fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive;
    barrier.cluster.wait;
"""
(HERE / "bulk.ptx").write_text(HEAD + "\n".join(m.text) + "\n    ret;\n}\n")
np.save(HERE / "given.npy", np.stack(m.given))
np.save(HERE / "results.npy", np.stack(m.wanted))
rows = [len(m.given), len(m.wanted)]
(HERE / "launch.toml").write_text(f"""title = "Bulk copies and reductions: every direction, form, operation and type"
module = ["bulk.ptx"]

[[buffer]]
name = "given"
type = "u8"
file = "given.npy"

[[buffer]]
name = "results"
type = "u8"
shape = [{rows[1]}, 256]
expect = "results.npy"

[[launch]]
kernel = "bulk"
grid = [2, 1, 1]
block = [32, 1, 1]
args = ["given", "results"]
""")
