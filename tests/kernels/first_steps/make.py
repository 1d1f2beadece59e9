"""Fourteen kernels as somebody writes who reads the chapters on asynchronous copies, mbarrier and clusters for the first time: each waits and fences as these
say, and must pass under every policy and seed. numpy tells the results."""

from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
THREADS = 64

HEAD = """
.visible .entry {name}(.param .u64 in, .param .u64 out{more})
{{
    .reg .pred %p<6>;
    .reg .b16 %h<2>;
    .reg .b32 %r<24>;
    .reg .b64 %d<12>;
    .shared .align 128 .b8 tile[2048];
    .shared .align 8 .b64 full[2];
    .shared .align 8 .b64 empty[2];
    ld.param.u64 %d0, [in];
    ld.param.u64 %d1, [out];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mad.lo.u32 %r2, %r1, 64, %r0;
    mad.wide.u32 %d2, %r2, 4, %d0;
    mad.wide.u32 %d3, %r2, 4, %d1;
    mad.wide.u32 %d4, %r1, 256, %d0;
    mad.wide.u32 %d5, %r1, 256, %d1;
    mov.u32 %r3, tile;
    mad.lo.u32 %r4, %r0, 4, %r3;
    mov.u32 %r5, full;
    mov.u32 %r6, empty;
    setp.eq.u32 %p0, %r0, 0;
"""
MEET = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;"
PEER = """mov.u32 %r7, %cluster_ctarank;
xor.b32 %r8, %r7, 1;
mapa.shared::cluster.u32 %r9, %r3, %r8;
mapa.shared::cluster.u32 %r10, %r5, %r8;
mad.lo.u32 %r11, %r0, 4, %r9;"""

HANDED = """
setp.ne.u32 %p2, %r1, 0;
@%p2 bra read;
ld.global.u32 %r12, [%d2];
shl.b32 %r12, %r12, 1;
st.global.u32 [%d3], %r12;
WRITER
bar.sync 0;
@%p0 st.release.gpu.global.u32 [%d1+512], 1;
bra.uni done;
read:
@!%p0 bra wait;
mbarrier.init.shared::cta.b64 [full], 1;
fence.mbarrier_init.release.cluster;
again:
ld.acquire.gpu.global.u32 %r13, [%d1+512];
setp.eq.u32 %p3, %r13, 0;
@%p3 bra again;
READER
mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 256;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%d1], 256, [full];
wait:
bar.sync 0;
come:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [full], 0;
@!%p1 bra come;
ld.shared.u32 %r14, [%r4];
add.u32 %r14, %r14, 1;
st.global.u32 [%d3], %r14;
done:"""

KERNELS = {
    # A range comes to shared memory; every thread waits for it.
    "copy_in": """
@%p0 mbarrier.init.shared::cta.b64 [full], 1;
fence.mbarrier_init.release.cluster;
bar.sync 0;
@!%p0 bra wait;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 256;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%d4], 256, [full];
wait:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [full], 0;
@!%p1 bra wait;
ld.shared.u32 %r12, [%r4];
add.u32 %r12, %r12, 1;
st.global.u32 [%d3], %r12;""",
    # And goes out again: what threads wrote is fenced before one of them copies.
    "copy_out": """
ld.global.u32 %r12, [%d2];
mul.lo.u32 %r12, %r12, 3;
st.shared.u32 [%r4], %r12;
fence.proxy.async.shared::cta;
bar.sync 0;
@!%p0 bra done;
cp.async.bulk.global.shared::cta.bulk_group [%d5], [tile], 256;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
done:""",
    # Copies of single elements in two groups, waited for one after the other.
    "two_groups": """
cp.async.ca.shared.global [%r4], [%d2], 4;
cp.async.commit_group;
cp.async.ca.shared.global [%r4+256], [%d2+1024], 4;
cp.async.commit_group;
cp.async.wait_group 1;
bar.sync 0;
xor.b32 %r12, %r0, 63;
mad.lo.u32 %r13, %r12, 4, %r3;
ld.shared.u32 %r14, [%r13];
cp.async.wait_group 0;
bar.sync 0;
ld.shared.u32 %r15, [%r13+256];
sub.u32 %r14, %r15, %r14;
st.global.u32 [%d3], %r14;""",
    # Their end arrives at an object that expects every thread.
    "arrivals": """
@%p0 mbarrier.init.shared::cta.b64 [full], 64;
bar.sync 0;
cp.async.ca.shared.global [%r4], [%d2], 4;
cp.async.mbarrier.arrive.noinc.shared::cta.b64 [full];
wait:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [full], 0;
@!%p1 bra wait;
xor.b32 %r12, %r0, 32;
mad.lo.u32 %r13, %r12, 4, %r3;
ld.shared.u32 %r14, [%r13];
st.global.u32 [%d3], %r14;""",
    # A warp brings four tiles through two stages, the other one consumes them.
    "two_stages": """
@!%p0 bra made;
mbarrier.init.shared::cta.b64 [full], 1;
mbarrier.init.shared::cta.b64 [full+8], 1;
mbarrier.init.shared::cta.b64 [empty], 32;
mbarrier.init.shared::cta.b64 [empty+8], 32;
fence.mbarrier_init.release.cluster;
made:
bar.sync 0;
mov.u32 %r12, 0;
setp.ge.u32 %p2, %r0, 32;
@%p2 bra consume;
@!%p0 bra done;
produce:
and.b32 %r13, %r12, 1;
shr.u32 %r14, %r12, 1;
xor.b32 %r14, %r14, 1;
mad.lo.u32 %r15, %r13, 8, %r6;
free:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r15], %r14;
@!%p1 bra free;
mad.lo.u32 %r16, %r13, 8, %r5;
mad.lo.u32 %r17, %r13, 128, %r3;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r16], 128;
mad.wide.u32 %d6, %r12, 128, %d0;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r17], [%d6], 128, [%r16];
add.u32 %r12, %r12, 1;
setp.lt.u32 %p3, %r12, 4;
@%p3 bra produce;
bra.uni done;
consume:
mov.u32 %r18, 0;
next:
and.b32 %r13, %r12, 1;
shr.u32 %r14, %r12, 1;
mad.lo.u32 %r16, %r13, 8, %r5;
ready:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r16], %r14;
@!%p1 bra ready;
mad.lo.u32 %r17, %r13, 128, %r4;
ld.shared.u32 %r19, [%r17+-128];
add.u32 %r18, %r18, %r19;
mad.lo.u32 %r15, %r13, 8, %r6;
mbarrier.arrive.shared::cta.b64 _, [%r15];
add.u32 %r12, %r12, 1;
setp.lt.u32 %p3, %r12, 4;
@%p3 bra next;
st.global.u32 [%d3], %r18;
done:""",
    # Blocks of a cluster read each other's memory, and stay until the other has done so.
    "read_a_peer": PEER + """
ld.global.u32 %r12, [%d2];
st.shared.u32 [%r4], %r12;
""" + MEET + """
ld.shared::cluster.u32 %r13, [%r11];
st.global.u32 [%d3], %r13;
""" + MEET,
    # One block brings a tile for both.
    "multicast": PEER + """
@!%p0 bra made;
mbarrier.init.shared::cta.b64 [full], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 256;
made:
""" + MEET + """
setp.eq.and.u32 %p2, %r7, 0, %p0;
mov.u16 %h0, 3;
@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%d4], 256, [full], %h0;
wait:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [full], 0;
@!%p1 bra wait;
ld.shared.u32 %r12, [%r4];
st.global.u32 [%d3], %r12;
""" + MEET,
    # A value for the other block, and an arrival that tells it.
    "tell_a_peer": PEER + """
@!%p0 bra made;
mbarrier.init.shared::cta.b64 [full], 64;
fence.mbarrier_init.release.cluster;
made:
""" + MEET + """
add.u32 %r12, %r2, 1000;
st.shared::cluster.u32 [%r11], %r12;
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r10];
wait:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [full], 0;
@!%p1 bra wait;
ld.shared.u32 %r13, [%r4];
st.global.u32 [%d3], %r13;
""" + MEET,
    # The same by st.async.
    "store_to_a_peer": PEER + """
@!%p0 bra made;
mbarrier.init.shared::cta.b64 [full], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 256;
made:
""" + MEET + """
add.u32 %r12, %r2, 2000;
st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r11], %r12, [%r10];
wait:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [full], 0;
@!%p1 bra wait;
ld.shared.u32 %r13, [%r4];
st.global.u32 [%d3], %r13;
""" + MEET,
    # All blocks add to the same 256 bytes.
    "sum": """
ld.global.u32 %r12, [%d2];
st.shared.u32 [%r4], %r12;
fence.proxy.async;
bar.sync 0;
@!%p0 bra done;
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [tile], 256;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 0;
done:""",
    # A phase is waited for by the state that the arrival returned.
    "states": """
@%p0 mbarrier.init.shared::cta.b64 [full], 64;
ld.global.u32 %r12, [%d2];
st.shared.u32 [%r4], %r12;
bar.sync 0;
mbarrier.arrive.shared::cta.b64 %d6, [full];
wait:
mbarrier.test_wait.shared::cta.b64 %p1, [full], %d6;
@!%p1 bra wait;
ld.shared.u32 %r13, [tile+252];
sub.u32 %r13, %r13, %r12;
st.global.u32 [%d3], %r13;""",
    # What a block of another cluster wrote, released and fenced for copies: the reader fences, or the writers do.
    "handed_over": HANDED.replace("WRITER", "").replace("READER", "fence.proxy.async.global;"),
    "handed_over_fenced": HANDED.replace("WRITER", "fence.proxy.async.global;").replace("READER", ""),
    # A box of a tensor, changed and put back next to where it was.
    "box": """
mov.b64 %d6, map;
cvta.param.u64 %d6, %d6;
@!%p0 bra made;
mbarrier.init.shared::cta.b64 [full], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 256;
cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [%d6, {4, 1}], [full];
made:
bar.sync 0;
wait:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [full], 0;
@!%p1 bra wait;
ld.shared.u32 %r12, [%r4];
not.b32 %r12, %r12;
st.shared.u32 [%r4], %r12;
fence.proxy.async.shared::cta;
bar.sync 0;
@!%p0 bra done;
cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d6, {12, 1}], [tile];
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
done:""",
}

x = np.arange(1024, dtype=np.uint32) * 7 + 3
rows = x[:256].reshape(4, 64)
pairs = rows.reshape(2, 2, 64)
threads = np.arange(256, dtype=np.uint32).reshape(2, 2, 64)
image = x.reshape(32, 32).copy()
image[1:9, 12:20] = ~x.reshape(32, 32)[1:9, 4:12]
stages = np.zeros((4, 64), np.uint32)
stages[:, 32:] = x[:128].reshape(4, 32).sum(0, dtype=np.uint32)
handed = np.concatenate([x[:64] * 2, x[:64] * 2 + 1, [1], np.zeros(63, np.uint32)])
RESULTS = {
    "copy_in": rows + 1,
    "copy_out": rows * 3,
    "two_groups": (x[256:512] - x[:256]).reshape(4, 64)[:, ::-1],
    "arrivals": np.roll(rows, 32, 1),
    "two_stages": stages,
    "read_a_peer": pairs[:, ::-1],
    "multicast": pairs[:, [0, 0]],
    "tell_a_peer": threads[:, ::-1] + 1000,
    "store_to_a_peer": threads[:, ::-1] + 2000,
    "sum": np.concatenate([rows.sum(0, dtype=np.uint32), np.zeros(192, np.uint32)]),
    "states": rows[:, 63:] - rows,
    "handed_over": handed,
    "handed_over_fenced": handed,
    "box": image,
}
CLUSTERS = ["read_a_peer", "multicast", "tell_a_peer", "store_to_a_peer"]

text = "// Made by make.py.\n.version 8.6\n.target sm_90\n.address_size 64\n"
launch = 'title = "Fourteen kernels of a first reading of the manual"\nmodule = ["first_steps.ptx"]\n\n[[buffer]]\nname = "x"\ntype = "u32"\nfile = "x.npy"\n'
launches = ""
for name, body in KERNELS.items():
    more = ", .param .align 64 .b8 map[128]" if name == "box" else ""
    text += HEAD.format(name=name, more=more)
    text += "".join(line + "\n" if line.endswith(":") else f"    {line}\n" for line in body.strip().splitlines()) + "    ret;\n}\n"
    result = RESULTS[name].astype(np.uint32)
    np.save(HERE / f"{name}.npy", result.reshape(-1))
    start = 'file = "x.npy"' if name == "box" else f'shape = [{result.size}]'
    launch += f'\n[[buffer]]\nname = "{name}"\ntype = "u32"\n{start}\nexpect = "{name}.npy"\n'
    cluster = "cluster = [2, 1, 1]\n" if name in CLUSTERS else ""
    grid = 1 if name == "box" else 2 if "handed" in name else 4
    arguments = f'"x", "{name}"' + (', "tensormap:box,[32,32],box=[8,8]"' if name == "box" else "")
    launches += f'\n[[launch]]\nkernel = "{name}"\ngrid = [{grid}, 1, 1]\nblock = [{THREADS}, 1, 1]\n{cluster}args = [{arguments}]\n'
np.save(HERE / "x.npy", x)
(HERE / "first_steps.ptx").write_text(text)
(HERE / "launch.toml").write_text(launch + launches)
