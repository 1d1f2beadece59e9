"""Kernels that use asynchronous work, barriers and clusters wrongly: `hopper.ptx` and `blackwell.ptx`, one entry a mistake. The line that is to be
told ends in a comment with the code of the diagnostic and the thread; crates/lockstep/tests/misuse.rs runs them. What each does wrong is
said by the rule of the PTX ISA in its comment, not by what Lockstep says."""

from pathlib import Path

HERE = Path(__file__).resolve().parent

PROLOGUE = """
{comment}
.visible .entry {name}(.param .align 64 .b8 map[128], .param .u64 data)
{{
    .reg .pred %p<8>;
    .reg .b16 %h<4>;
    .reg .b32 %r<24>;
    .reg .b64 %d<16>;
    .shared .align 1024 .b8 tile[8192];
    .shared .align 8 .b64 bar[4];
    ld.param.u64 %d0, [data];
    mov.b64 %d1, map;
    cvta.param.u64 %d1, %d1;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, tile;
    mov.u32 %r3, bar;
    shl.b32 %r4, %r0, 2;
    add.u32 %r5, %r2, %r4;
    setp.eq.u32 %p0, %r0, 0;
    setp.eq.u32 %p2, %r0, 32;
    setp.eq.and.u32 %p3, %r1, 0, %p0;
    setp.eq.and.u32 %p4, %r1, 1, %p0;
"""
PEER = """    xor.b32 %r6, %r1, 1;
    mapa.shared::cluster.u32 %r7, %r2, %r6;
    mapa.shared::cluster.u32 %r8, %r3, %r6;
"""
INIT = "@%p0 mbarrier.init.shared.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
MEET = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
CLUSTER_INIT = INIT.replace("bar.sync 0;\n", MEET)
EXPECT = "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n"
LOAD = "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d0], 256, [bar];\n"
STORE = "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%d0], [tile], 256;\n"
BOX = "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d1, {0, 0}], [bar];\n"
WRITE = "st.shared.u32 [%r5], %r0;\n"
FENCE = "fence.proxy.async;\nbar.sync 0;\n"
COMMIT = "cp.async.bulk.commit_group;\n"


COPY_MAP = "@!%p0 bra E;\n" + "".join(f"ld.param.b64 %d2, [map+{i}];\nst.shared.b64 [tile+{i}], %d2;\n" for i in range(0, 128, 8))


def wait(parity=0, label="W"):
    return f"{label}:\nmbarrier.try_wait.parity.shared.b64 %p1, [bar], {parity};\n@!%p1 bra {label};\n"


def at(line, code, thread=0, block=0):
    """The line that is to be told; without a thread any may be the first that does it."""
    who = "thread (" if thread is None else f"thread ({thread}, 0, 0) of block ({block}, 0, 0)"
    return f"{line} // <- {code} {who}\n"


def stands(line):
    """A line where threads stand in a deadlock."""
    return f"{line} // <- E0239 block (0, 0, 0)\n"


HOPPER = [
    # Name, blocks, blocks of a cluster, what is wrong, the body.
    ("source_overwritten", 1, 1, "The source of a copy is written before wait_group.read", WRITE + FENCE + STORE + COMMIT + at("st.shared.u32 [%r5], 7;", "E0262")),
    ("read_is_not_written", 1, 1, ".read only waits until sources are read", WRITE + FENCE + STORE + COMMIT + "cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n" + at("ld.global.u32 %r9, [%d0];", "E0262", None)),
    ("not_committed", 1, 1, "wait_group waits for groups; the copy is in none", WRITE + FENCE + STORE + "cp.async.bulk.wait_group 0;\n" + at("ld.global.u32 %r9, [%d0+64];", "E0262")),
    ("one_group_left", 1, 1, "wait_group 1 leaves the latest group", WRITE + FENCE + STORE + COMMIT + "cp.async.bulk.wait_group 1;\n" + at("ld.global.u32 %r9, [%d0+128];", "E0262")),
    ("another_thread_waits", 1, 1, "Groups are those of the thread that waits", WRITE + FENCE + STORE + "@%p0 cp.async.bulk.commit_group;\nbar.sync 0;\n@!%p2 bra E;\ncp.async.bulk.wait_group 0;\n" + at("ld.global.u32 %r9, [%d0];", "E0262", 32) + "E:\n"),
    ("not_waited", 1, 1, "The tile is read at once", INIT + EXPECT + LOAD + at("@%p0 ld.shared.u32 %r9, [tile+252];", "E0262")),
    ("box_not_waited", 1, 1, "The box is read at once", INIT + EXPECT.replace("256", "512") + BOX + at("@%p0 ld.shared.u32 %r9, [tile+508];", "E0262")),
    ("nothing_expected", 1, 1, "The phase expects no bytes and ends with the arrival", INIT + LOAD + "@%p0 mbarrier.arrive.shared.b64 _, [bar];\n" + wait() + at("ld.shared.u32 %r9, [tile];", "E0262", None)),
    ("first_parity_again", 1, 1, "The second phase is waited for with the first one's parity", INIT + EXPECT + LOAD + wait() + "bar.sync 0;\n" + EXPECT + LOAD + wait(label="V") + at("ld.shared.u32 %r9, [tile];", "E0262")),
    ("too_many_bytes_expected", 1, 1, "More bytes are expected than the copy brings", INIT + EXPECT.replace("256", "272") + LOAD + "W:\n" + stands("mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;") + "@!%p1 bra W;\n"),
    ("too_few_arrive", 1, 1, "The object expects 64 arrivals, one comes", INIT.replace(", 1;", ", 64;") + EXPECT + LOAD + "W:\n" + stands("mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;") + "@!%p1 bra W;\n"),
    ("too_many_arrive", 1, 1, "The object expects one arrival, a second comes in the phase", INIT.replace(", 1;", ", 2;") + "@%p0 mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 16;\nbar.sync 0;\n" + at("mbarrier.arrive.shared.b64 _, [bar];", "E0268", None)),
    ("count_overflows", 1, 1, "The count of bytes goes beyond 2^20 - 1", INIT + "mov.u32 %r9, 1048575;\n@%p0 mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], %r9;\n" + at("@%p0 mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 1;", "E0268")),
    ("dropped_out", 1, 1, "Nobody is expected any more after the last one dropped out", INIT + "@%p0 mbarrier.arrive_drop.shared.b64 _, [bar];\n" + at("@%p0 mbarrier.arrive.shared.b64 _, [bar];", "E0268")),
    ("not_initialised", 1, 1, "There is no object", at("@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar+8], 256;", "E0266")),
    ("ended", 1, 1, "The object has been ended", INIT + "@%p0 mbarrier.inval.shared.b64 [bar];\n" + at("@%p0 mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;", "E0266")),
    ("no_barrier_after_init", 1, 1, "Another warp uses the object without a barrier since it was made", "@%p0 mbarrier.init.shared.b64 [bar], 33;\n" + at("@%p2 mbarrier.arrive.shared.b64 _, [bar];", "E0266", 32)),
    ("object_as_data", 1, 1, "The object is read like a number", INIT + at("ld.shared.u64 %d5, [bar];", "E0267", None)),
    ("object_in_the_tile", 1, 1, "The copy writes over the object", "@%p0 mbarrier.init.shared.b64 [tile+64], 1;\nbar.sync 0;\n" + EXPECT.replace("[bar]", "[tile+64]") + at(LOAD.replace("[bar]", "[tile+64]").strip(), "E0267")+ wait().replace("[bar]", "[tile+64]")),
    ("target_misaligned", 1, 1, "The target is a multiple of 8, not of 16", INIT + EXPECT + at(LOAD.replace("[tile]", "[tile+8]").strip(), "E0232") + wait()),
    ("source_misaligned", 1, 1, "So is the source", INIT + EXPECT + at(LOAD.replace("[%d0]", "[%d0+24]").strip(), "E0232") + wait()),
    ("size_of_twenty", 1, 1, "The size is no multiple of 16", INIT + EXPECT + "mov.u32 %r9, 20;\n" + at(LOAD.replace("256", "%r9").strip(), "E0270") + wait()),
    ("beyond_the_tile", 1, 1, "The target ends behind the shared memory", INIT + EXPECT + "mov.u32 %r9, 16384;\n" + at(LOAD.replace("256", "%r9").strip(), "E0231") + wait()),
    ("beyond_the_buffer", 1, 1, "The target in global memory ends behind the buffer", WRITE + FENCE + at("@%p0 cp.async.bulk.global.shared::cta.bulk_group [%d0+16384], [tile], 256;", "E0231")),
    ("from_a_peer", 2, 2, "Only the own block's shared memory is .shared::cta", CLUSTER_INIT + at("@%p3 cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r7], 256;", "E0265") + MEET),
    ("prefetch_of_twenty", 1, 1, "The size of a prefetch is no multiple of 16", "mov.u32 %r9, 20;\n" + at("@%p0 cp.async.bulk.prefetch.L2.global [%d0], %r9;", "E0270")),
    ("not_fenced", 1, 1, "Generic writes are copied without a proxy fence", WRITE + "bar.sync 0;\n" + at(STORE.strip(), "E0261") + COMMIT + "cp.async.bulk.wait_group 0;\n"),
    ("box_not_fenced", 1, 1, "A box is copied without a proxy fence", WRITE + "bar.sync 0;\n" + at("@%p0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d1, {0, 0}], [tile];", "E0261") + COMMIT + "cp.async.bulk.wait_group 0;\n"),
    ("fence_of_global", 1, 1, "The fence is for global memory alone", WRITE + "fence.proxy.async.global;\nbar.sync 0;\n" + at(STORE.strip(), "E0261") + COMMIT + "cp.async.bulk.wait_group 0;\n"),
    ("no_barrier_before_the_copy", 1, 1, "Another warp has written and fenced, and nothing orders that before the copy", "@%p2 st.shared.u32 [tile], %r0;\nfence.proxy.async;\n" + at(STORE.strip(), "E0264", None) + COMMIT + "cp.async.bulk.wait_group 0;\n"),
    ("reduced_into_unfenced", 1, 1, "Zeros that a thread wrote are reduced into without a proxy fence", WRITE + FENCE + "@%p0 st.global.u32 [%d0], 0;\n" + at("@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d0], [tile], 256;", "E0261") + COMMIT + "cp.async.bulk.wait_group 0;\n"),
    ("box_reduced_into_unfenced", 1, 1, "The same with a box", WRITE + FENCE + "@%p0 st.global.u32 [%d0], 0;\n" + at("@%p0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%d1, {0, 0}], [tile];", "E0261") + COMMIT + "cp.async.bulk.wait_group 0;\n"),
    ("written_elsewhere", 2, 1, "Another cluster wrote, released and was waited for; the copy needs a proxy fence besides", INIT + "mov.u32 %r9, %ctaid.x;\nsetp.eq.u32 %p5, %r9, 0;\n@!%p5 bra R;\n@!%p0 bra E;\nst.global.u32 [%d0], 5;\nst.release.gpu.global.u32 [%d0+4096], 7;\nbra.uni E;\nR:\n@!%p0 bra E;\nP:\nld.acquire.gpu.global.u32 %r10, [%d0+4096];\nsetp.ne.u32 %p6, %r10, 7;\n@%p6 bra P;\n" + EXPECT + at(LOAD.strip(), "E0261", 0, 1) + wait() + "E:\n"),
    ("reduced_into_a_peer", 2, 2, "A peer's zeros are reduced into without a proxy fence of the peer's", WRITE + "add.u32 %r9, %r2, 4096;\nadd.u32 %r9, %r9, %r4;\nst.shared.u32 [%r9], 0;\nfence.proxy.async;\nst.shared.u32 [%r9], 0;\n" + CLUSTER_INIT + "add.u32 %r10, %r7, 4096;\n" + at("@%p3 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r10], [tile], 256, [%r8];", "E0261") + "@%p4 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n@!%p4 bra E;\n" + wait() + "E:\n" + MEET),
    ("exits_while_read", 1, 1, "The block exits while the copy reads its memory", WRITE + FENCE + at(STORE.strip(), "E0263") + COMMIT),
    ("exits_while_written", 1, 1, "The block exits before the tile has come", INIT + EXPECT + at(LOAD.strip(), "E0263")),
    ("copies_not_waited", 1, 1, "cp.async is not waited for", "mad.wide.u32 %d2, %r0, 4, %d0;\ncp.async.ca.shared.global [%r5], [%d2], 4;\ncp.async.commit_group;\n" + at("ld.shared.u32 %r9, [%r5];", "E0262")),
    ("copies_one_left", 1, 1, "cp.async.wait_group 1 leaves the latest group", "mad.wide.u32 %d2, %r0, 4, %d0;\ncp.async.ca.shared.global [%r5], [%d2], 4;\ncp.async.commit_group;\ncp.async.wait_group 1;\n" + at("ld.shared.u32 %r9, [%r5];", "E0262")),
    ("copies_of_others", 1, 1, "Another warp's copies are read without a barrier behind its wait", "mad.wide.u32 %d2, %r0, 4, %d0;\ncp.async.ca.shared.global [%r5], [%d2], 4;\ncp.async.wait_all;\nxor.b32 %r9, %r4, 128;\nadd.u32 %r9, %r9, %r2;\n" + at("ld.shared.u32 %r10, [%r9];", "E0262")),
    ("copy_of_too_much", 1, 1, "More bytes are copied than there are in the source", "mov.u32 %r9, 20;\n" + at("@%p0 cp.async.cg.shared.global [tile], [%d0], 16, %r9;", "E0270")),
    ("copy_misaligned", 1, 1, "Eight bytes to a multiple of 4", at("@%p0 cp.async.ca.shared.global [tile+4], [%d0], 8;", "E0232")),
    ("arrival_not_counted", 1, 1, "With .noinc the object must expect the arrivals of all 64 threads", INIT + "mad.wide.u32 %d2, %r0, 4, %d0;\ncp.async.ca.shared.global [%r5], [%d2], 4;\n" + "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\nW:\n" + stands("mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;") + "@!%p1 bra W;\n"),
    ("peer_not_met", 2, 2, "A barrier of the block does not order another block's writes", WRITE + "bar.sync 0;\n@%p4 bra P;\n" + "bra.uni Q;\nP:\n" + at("ld.shared::cluster.u32 %r9, [%r7];", "E0264", 0, 1) + "Q:\n" + MEET),
    ("peer_object_not_met", 2, 2, "Nor its initialisation of an mbarrier object", INIT + "bra.uni P;\nP:\n" + at("@%p4 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];", "E0266", 0, 1) + MEET),
    ("peer_is_gone", 2, 2, "The other block's memory is used after it has exited", "@%p4 bra P;\nbra.uni E;\nP:\nmov.u32 %r9, 0;\nL:\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, 100000;\n@%p1 bra L;\n" + at("st.shared::cluster.u32 [%r7], 1;", "E0265", 0, 1) + "E:\n"),
    ("no_such_peer", 2, 2, "The cluster has two blocks, none of rank 5", at("mapa.shared::cluster.u32 %r9, %r2, 5;", "E0265", None) + "@%p3 st.shared::cluster.u32 [%r9], 1;\n" + MEET),
    ("mask_beyond_the_cluster", 2, 2, "The mask names a third block", CLUSTER_INIT + "mov.u16 %h0, 7;\n" + EXPECT + at("@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%d0], 256, [bar], %h0;", "E0265") + wait() + MEET),
    ("mask_of_nobody", 2, 2, "The mask names no block", CLUSTER_INIT + "mov.u16 %h0, 0;\n" + EXPECT + at("@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%d0], 256, [bar], %h0;", "E0270") + wait() + MEET),
    ("peer_has_no_object", 2, 2, "Of a multicast the other block needs an object, too", "@%p3 mbarrier.init.shared.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\n" + MEET + "mov.u16 %h0, 3;\n" + at("@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%d0], 256, [bar], %h0;", "E0266") + MEET),
    ("waits_for_a_peer_object", 2, 2, "Only the own block's objects can be waited for", CLUSTER_INIT + at("@%p3 mbarrier.test_wait.parity.shared.b64 %p1, [%r8], 0;", "E0265") + MEET),
    ("store_misaligned", 2, 2, "st.async of 8 bytes to a multiple of 4", CLUSTER_INIT + "add.u32 %r9, %r7, 4;\nmov.b64 %d5, 5;\n" + at("@%p3 st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r9], %d5, [%r8];", "E0232") + MEET),
    ("store_tells_another_block", 2, 2, "The object that st.async tells is of the block that it stores to", CLUSTER_INIT + at("@%p3 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r7], 5, [%r3];", "E0238") + MEET),
    ("reduces_into_itself", 2, 2, "red.async is for another block's memory", WRITE + CLUSTER_INIT + at("@%p3 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r2], 5, [%r3];", "E0238") + MEET),
    ("store_in_no_cluster", 1, 1, "st.async is for clusters of several blocks", INIT + at("@%p0 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r2], 5, [%r3];", "E0238")),
    ("store_not_waited", 2, 2, "A value that st.async has still to write is read", CLUSTER_INIT + "@%p3 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r7], 5, [%r8];\n" + MEET + at("@%p4 ld.shared.u32 %r9, [tile];", "E0262", 0, 1) + "@!%p4 bra E;\n@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 4;\n" + wait() + "E:\n" + MEET),
    ("someone_does_not_come", 2, 2, "One block waits for all of the cluster, the other at its own barrier", "setp.eq.u32 %p5, %r1, 0;\n@%p5 bra P;\nbar.sync 1, 128;\nbra.uni E;\nP:\nbarrier.cluster.arrive;\n" + stands("barrier.cluster.wait;") + "E:\n"),
    ("coordinates_of_rank_three", 1, 1, "The map has two dimensions, three are given", INIT + EXPECT + at("@%p0 cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d1, {0, 0, 0}], [bar];", "E0271") + wait()),
    ("box_misaligned", 1, 1, "A box begins at a multiple of 128 in shared memory", INIT + EXPECT + at(BOX.replace("[tile]", "[tile+64]").strip(), "E0232") + wait()),
    ("box_reduced_misaligned", 1, 1, "So does one that is reduced", at("@%p0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%d1, {0, 0}], [tile+16];", "E0232")),
    ("box_of_a_tiled_map", 1, 1, "im2col needs a map that was made for it", INIT + EXPECT + "mov.u16 %h0, 0;\n" + at("@%p0 cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [tile], [%d1, {0, 0, 0}], [bar], {%h0};", "E0271") + wait()),
    ("map_is_data", 1, 1, "The address is that of the data, not of a map", INIT + EXPECT + at(BOX.replace("[%d1,", "[%d0,").strip(), "E0271") + wait()),
    ("map_of_rank_nine", 1, 1, "A rank of nine is written into a copy of the map", COPY_MAP + "mov.u32 %r9, 8;\n" + at("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r2], %r9;", "E0271")),
    ("map_of_no_rows", 1, 1, "So is a box of no rows", COPY_MAP + at("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r2], 1, 0;", "E0271")),
]
BLACKWELL = [
    ("object_cleared", 1, 1, "st.bulk clears an object that is alive", INIT + at("@%p0 st.bulk.weak.shared::cta [%r3], 8, 0;", "E0267")),
    ("cleared_by_twelve", 1, 1, "The size of st.bulk is no multiple of 8", "mov.u64 %d2, 12;\n" + at("@%p0 st.bulk.weak.shared::cta [%r2], %d2, 0;", "E0270")),
    ("cleared_too_far", 1, 1, "st.bulk ends behind the shared memory", "mov.u64 %d2, 65536;\n" + at("@%p0 st.bulk.weak.shared::cta [%r2], %d2, 0;", "E0231")),
    ("cleared_not_fenced", 1, 1, "st.bulk writes through the generic proxy", "@%p0 st.bulk.weak.shared::cta [%r2], 256, 0;\n" + at(STORE.strip(), "E0261") + COMMIT + "cp.async.bulk.wait_group 0;\n"),
    ("answer_misaligned", 1, 1, "The answer is 16 bytes at a multiple of 16", INIT + at("@%p0 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [tile+8], [bar];", "E0232")),
    ("answer_not_waited", 2, 1, "The answer is read at once", INIT + "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n@%p0 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [tile], [bar];\n" + at("@%p0 ld.shared.v2.b64 {%d2, %d3}, [tile];", "E0262")),
    ("rows_of_a_box", 1, 1, "gather4 needs a map whose box is one row", INIT + EXPECT + at("@%p0 cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [tile], [%d1, {0, 0, 1, 2, 3}], [bar];", "E0271") + wait()),
    ("mask_of_bytes_not_fenced", 1, 1, "A copy of some bytes reads what was not fenced", WRITE + "bar.sync 0;\nmov.u16 %h0, 15;\n" + at("@%p0 cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d0], [tile], 256, %h0;", "E0261") + COMMIT + "cp.async.bulk.wait_group 0;\n"),
]


def write(name, version, target, cases):
    text = f"// Made by make.py.\n.version {version}\n.target {target}\n.address_size 64\n"
    for kernel, blocks, cluster, wrong, body in cases:
        text += PROLOGUE.format(comment=f"// {wrong}.\n//@ {kernel} {blocks} {cluster}", name=kernel)
        text += PEER if cluster > 1 else ""
        for line in body.splitlines():
            text += line + "\n" if line.endswith(":") else f"    {line}\n"
        text += ("E:\n" if "bra E;" in body and "\nE:\n" not in body else "") + "    ret;\n}\n"
    (HERE / f"{name}.ptx").write_text(text)


write("hopper", "8.6", "sm_90a", HOPPER)
write("blackwell", "8.7", "sm_100a", BLACKWELL)
