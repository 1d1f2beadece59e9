//! Wavefronts of AMD's kernels that meet at barriers, copies that they start in the background, and registers whose numbers MODE changes, in whole kernels. What one instruction does is tested with
//! lines of tests/run/amdgpu.

#[allow(dead_code)]
mod assembled;

use lockstep::{Options, Policy, Result, System};

/// Runs a kernel of gfx12 with blocks of so many threads and a buffer of words, late, early and under some seeds; the words must be the same each time.
fn run(target: &str, object: &[u8], threads: u32, words: usize) -> Result<Vec<u32>> {
    let device = System.device(target)?;
    let kernel = device.load_code_object("k.co", object)?.kernel("k")?;
    let seeds = (0..40).map(|seed| Options { seed: Some(seed), ..Options::default() });
    let early = Options { policy: Policy::Early, ..Options::default() };
    let mut first: Option<Vec<u32>> = None;
    for options in [Options::default(), early].into_iter().chain(seeds) {
        let out = device.buffer(&vec![7u32; words])?;
        let options = Options { max_instructions: Some(1 << 20), ..options };
        kernel.launch([1, 1, 1], [threads, 1, 1]).arg(&out).arg(5u32).options(options).run()?;
        let got = out.read();
        assert_eq!(*first.get_or_insert_with(|| got.clone()), got);
    }
    Ok(first.unwrap_or_default())
}

/// What is said of a kernel that goes wrong.
fn told(target: &str, object: &[u8], threads: u32) -> String {
    run(target, object, threads, 1024).expect_err("it is wrong").to_string()
}

/// Before what a kernel does: `s[2:3]` is the buffer, `v0` the thread, `v1` the byte offset of its word, `s4` the wavefront.
const BEGIN: &str = "s_load_b64 s[2:3], s[0:1], 0x0
v_and_b32 v0, 0x3ff, v0
v_lshlrev_b32 v1, 2, v0
v_lshrrev_b32 v2, 5, v0
v_readfirstlane_b32 s4, v2
s_wait_kmcnt 0x0
";

const LDS: &str = ".amdhsa_group_segment_fixed_size 4096\n";

#[test]
fn who_has_arrived_lets_others_go_on_before_it_waits() -> Result<()> {
    // Wavefront 0 arrives and then waits in a loop for what the others write behind the barrier: only a barrier that counts arrivals lets them go on.
    let body = format!(
        "{BEGIN}s_barrier_signal -1
s_cmp_lg_u32 s4, 0
s_cbranch_scc1 others
v_mov_b32 v4, 0
again:
ds_load_b32 v5, v4 offset:32
s_wait_dscnt 0x0
v_readfirstlane_b32 s5, v5
s_cmp_lg_u32 s5, 96
s_cbranch_scc1 again
s_barrier_wait 0xffff
s_branch done
others:
s_barrier_wait 0xffff
v_mov_b32 v4, 0
v_mov_b32 v5, 1
ds_add_u32 v4, v5 offset:32
s_wait_dscnt 0x0
s_mov_b32 s5, s4
done:
v_mov_b32 v3, s5
global_store_b32 v1, v3, s[2:3]"
    );
    for target in ["gfx1200", "gfx1250"] {
        let got = run(target, &assembled::described(target, &body, 16, LDS), 128, 128)?;
        let expected: Vec<u32> = (0..128).map(|thread| if thread < 32 { 96 } else { thread / 32 }).collect();
        assert_eq!(got, expected, "{target}");
    }
    Ok(())
}

#[test]
fn a_barrier_orders_writes_to_lds_before_reads_by_others() -> Result<()> {
    // Three times: each thread writes its number, and reads that of the thread opposite.
    let body = format!(
        "{BEGIN}v_xor_b32 v3, 0x1fc, v1
s_mov_b32 s6, 3
v_mov_b32 v4, v0
round:
ds_store_b32 v1, v4
s_wait_dscnt 0x0
s_barrier_signal -1
s_barrier_wait 0xffff
ds_load_b32 v4, v3
s_wait_dscnt 0x0
s_barrier_signal -1
s_barrier_wait 0xffff
v_add_nc_u32 v4, 1, v4
s_sub_co_u32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 round
global_store_b32 v1, v4, s[2:3]"
    );
    for target in ["gfx1200", "gfx1250"] {
        let got = run(target, &assembled::described(target, &body, 16, LDS), 128, 128)?;
        assert_eq!(got, (0..128).map(|thread| 127 - thread + 3).collect::<Vec<u32>>(), "{target}");
    }
    Ok(())
}

/// Wavefronts 0 and 1 write what 2 and 3 read: two named barriers, full and empty, of four members each, over several rounds. Consumers alone join `full`,
/// producers `empty`.
fn pipeline(members: u32) -> String {
    format!(
        "{BEGIN}s_cmp_lg_u32 s4, 0
s_cbranch_scc1 begun
s_mov_b32 m0, {members:#x}0001
s_barrier_init m0
s_mov_b32 m0, {members:#x}0002
s_barrier_init m0
begun:
s_barrier_signal -1
s_barrier_wait 0xffff
s_mov_b32 s6, 5
v_mov_b32 v6, 0
v_and_b32 v3, 0xfc, v1
s_cmp_gt_u32 s4, 1
s_cbranch_scc1 consumer
s_barrier_join 2
producer:
v_add_nc_u32 v6, v6, v0
ds_store_b32 v3, v6
s_wait_dscnt 0x0
s_barrier_signal 1
s_barrier_signal 2
s_barrier_wait 1
s_sub_co_u32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 producer
s_branch done
consumer:
s_barrier_join 1
next:
s_barrier_signal 1
s_barrier_wait 1
ds_load_b32 v5, v3
s_wait_dscnt 0x0
v_add_nc_u32 v6, v6, v5
s_barrier_signal 2
s_sub_co_u32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 next
done:
global_store_b32 v1, v6, s[2:3]"
    )
}

const BARRIERS: &str = ".amdhsa_group_segment_fixed_size 4096\n.amdhsa_named_barrier_count 1\n";

#[test]
fn named_barriers_order_producers_and_consumers() -> Result<()> {
    let object = assembled::described("gfx1250", &pipeline(4), 16, BARRIERS);
    let got = run("gfx1250", &object, 128, 128)?;
    // The sums of 1 to 5 times the producer's number.
    let expected: Vec<u32> = (0..128).map(|thread| if thread < 64 { 5 * thread } else { 15 * (thread - 64) }).collect();
    assert_eq!(got, expected);
    Ok(())
}

#[test]
fn barriers_that_do_not_match_are_told() {
    let named = |body: &str| told("gfx1250", &assembled::described("gfx1250", &format!("{BEGIN}{body}"), 16, BARRIERS), 64);
    // One member too many: everybody waits.
    let text = told("gfx1250", &assembled::described("gfx1250", &pipeline(5), 16, BARRIERS), 128);
    assert!(text.contains("waits at the named barrier 1, where 4 of 5 wavefronts have arrived"), "{text}");
    assert!(text.contains("s_barrier_wait"), "{text}");
    let text = named(
        "s_cmp_eq_u32 s4, 0\\ns_cbranch_scc1 alone\\ns_barrier_signal -1\\nalone:\\ns_barrier_wait 0xffff"
            .replace("\\n", "\n")
            .as_str(),
    );
    assert!(text.contains("without having arrived there"), "{text}");
    let text = named("s_cmp_eq_u32 s4, 0\ns_cbranch_scc1 alone\ns_barrier_signal -1\ns_barrier_signal -1\nalone:\ns_nop 0");
    assert!(text.contains("a second time before it has completed"), "{text}");
    let text = named("s_barrier_signal 5");
    assert!(text.contains("there is no barrier 5: the block has named ones from 1 to 4"), "{text}");
    // Whoever ends is no member any more, so that the other goes on.
    let object = assembled::described(
        "gfx1250",
        &format!(
            "{BEGIN}s_cmp_eq_u32 s4, 0\ns_cbranch_scc1 ends\ns_barrier_signal -1\ns_barrier_wait 0xffff\nglobal_store_b32 v1, v0, s[2:3]\nends:\ns_nop 0"
        ),
        16,
        BARRIERS,
    );
    let got = run("gfx1250", &object, 64, 64).expect("one goes on");
    assert_eq!(got, (0..64).map(|thread| if thread < 32 { 7 } else { thread }).collect::<Vec<u32>>());
}

#[test]
fn high_registers_are_those_that_mode_names() -> Result<()> {
    // A sum over registers of all banks, in a loop at whose begin the banks are other ones than the kernel's.
    let body = format!(
        "{BEGIN}s_set_vgpr_msb 0xc0
v_mov_b32 v8, v0
s_set_vgpr_msb 0x40
v_mov_b32 v8, 3
s_mov_b32 s6, 4
round:
s_set_vgpr_msb 0xc7
v_add_nc_u32 v8, v8, v8
s_sub_co_u32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 round
s_set_vgpr_msb 0xc
global_store_b32 v1, v8, s[2:3]
s_set_vgpr_msb 0x0"
    );
    let object = assembled::described("gfx1250", &body, 1024, "");
    // v776 is the thread first, and 3 is added four times from v264.
    let got = run("gfx1250", &object, 32, 32);
    let got = got.map(|words| words.into_iter().map(u64::from).collect::<Vec<_>>());
    let expected: Vec<u64> = (0..32).map(|thread| thread + 12).collect();
    assert_eq!(got?, expected);
    Ok(())
}

#[test]
fn diagnostics_name_the_registers_that_are_meant() {
    let bank = |bank: u32| {
        let body =
            format!("{BEGIN}s_set_vgpr_msb {:#x}\nv_mov_b32 v8, v0\nglobal_store_b32 v1, v9, s[2:3]", bank << 6 | bank << 2);
        told("gfx1250", &assembled::described("gfx1250", &body, 512, ""), 32)
    };
    let text = bank(3);
    assert!(text.contains("v_mov_b32_e32 v776, v0") && text.contains("uses v776, of which there are 512 here"), "{text}");
    assert!(text.contains("global_store_b32 v1, v777, s[2:3]"), "{text}");
}

#[test]
fn wavefronts_of_all_blocks_meet_by_global_wave_synchronisation() -> Result<()> {
    const BLOCKS: u32 = 8;
    let start = "s_load_dwordx2 s[4:5], s[0:1], 0x0
s_mov_b32 m0, 0x30000
v_mov_b32 v1, s2
v_lshlrev_b32 v1, 2, v1
s_waitcnt lgkmcnt(0)
";
    let init = format!("{start}v_mov_b32 v2, 7\nds_gws_init v2 offset:1 gds\ns_waitcnt lgkmcnt(0)");
    // Three times: a block writes its word, meets the others, and reads that of its neighbour.
    let meet = format!(
        "{start}v_mov_b32 v2, 7
v_add_u32 v3, 4, v1
v_and_b32 v3, 28, v3
v_mov_b32 v4, s2
s_mov_b32 s6, 3
round:
global_store_dword v1, v4, s[4:5]
s_waitcnt vmcnt(0)
ds_gws_barrier v2 offset:1 gds
s_waitcnt lgkmcnt(0)
global_load_dword v4, v3, s[4:5]
s_waitcnt vmcnt(0)
ds_gws_barrier v2 offset:1 gds
s_waitcnt lgkmcnt(0)
v_add_u32 v4, 16, v4
s_sub_u32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 round
global_store_dword v1, v4, s[4:5]"
    );
    for target in ["gfx906", "gfx90a"] {
        for seed in [None, Some(1), Some(2), Some(3)] {
            let device = System.device(target)?;
            let out = device.buffer(&[0u32; BLOCKS as usize])?;
            for (body, blocks) in [(&init, 1), (&meet, BLOCKS)] {
                let kernel = device.load_code_object("k.co", &assembled::object(target, body))?.kernel("k")?;
                let options = Options { seed, max_instructions: Some(1 << 24), ..Options::default() };
                kernel.launch([blocks, 1, 1], [64, 1, 1]).arg(&out).arg(0u32).options(options).run()?;
            }
            let expected: Vec<u32> = (0..BLOCKS).map(|block| (block + 3) % BLOCKS + 48).collect();
            assert_eq!(out.read(), expected, "{target}, seed {seed:?}");
        }
    }
    Ok(())
}

/// Before kernels with copies: each thread's word is three times its number and one.
const FILL: &str = "v_mad_u32_u24 v3, v0, 3, 1
global_store_b32 v1, v3, s[2:3]
s_wait_storecnt 0x0
";

/// What behind them writes what the thread opposite has in LDS.
const OPPOSITE: &str = "v_xor_b32 v4, 0x80, v1
ds_load_b32 v5, v4
s_wait_dscnt 0x0
s_barrier_signal -1
s_barrier_wait 0xffff
global_store_b32 v1, v5, s[2:3]
";

const MEET: &str = "s_barrier_signal -1
s_barrier_wait 0xffff
";

fn with_copies(body: &str) -> Vec<u8> {
    assembled::described("gfx1250", &format!("{BEGIN}{FILL}{body}"), 16, LDS)
}

#[test]
fn what_is_copied_in_the_background_is_there_for_others_behind_a_wait_and_a_barrier() -> Result<()> {
    let copy = "global_load_async_to_lds_b32 v1, v1, s[2:3]\n";
    let got = run("gfx1250", &with_copies(&format!("{copy}s_wait_asynccnt 0x0\n{MEET}{OPPOSITE}")), 64, 64)?;
    assert_eq!(got, (0..64).map(|thread| 3 * (thread ^ 32) + 1).collect::<Vec<u32>>());
    // A wait for all but one is one for the first.
    let two = format!(
        "{copy}global_load_async_to_lds_b32 v1, v1, s[2:3] offset:1024\ns_wait_asynccnt 0x1\n{MEET}{OPPOSITE}s_wait_asynccnt 0x0"
    );
    assert_eq!(run("gfx1250", &with_copies(&two), 64, 512)?[..64], got);
    Ok(())
}

#[test]
fn what_is_copied_back_is_there_behind_a_wait_and_a_barrier() -> Result<()> {
    let body = format!(
        "ds_store_b32 v1, v3
s_wait_dscnt 0x0
{MEET}v_xor_b32 v4, 0x80, v1
global_store_async_from_lds_b32 v1, v4, s[2:3]
s_wait_asynccnt 0x0
{MEET}global_load_b32 v6, v4, s[2:3]
s_wait_loadcnt 0x0
v_add_nc_u32 v6, 1, v6
global_store_b32 v1, v6, s[2:3] offset:256"
    );
    let got = run("gfx1250", &with_copies(&body), 64, 128)?;
    let expected = (0..64).map(|thread| 3 * (thread ^ 32) + 1).chain((0..64).map(|thread| 3 * thread + 2));
    assert_eq!(got, expected.collect::<Vec<u32>>());
    Ok(())
}

#[test]
fn a_barrier_in_lds_tells_others_of_copies_that_nobody_has_waited_for() -> Result<()> {
    // Wavefront 0 copies all, and its 32 lanes arrive; wavefront 1 looks until the phase, bit 29, is another.
    let body = format!(
        "v_mov_b32 v8, 0x800
v_mov_b32 v6, 31
v_mov_b32 v7, 31
s_cmp_lg_u32 s4, 0
s_cbranch_scc1 set
ds_store_b64 v8, v[6:7]
s_wait_dscnt 0x0
set:
{MEET}s_cmp_lg_u32 s4, 0
s_cbranch_scc1 look
global_load_async_to_lds_b32 v1, v1, s[2:3]
ds_atomic_async_barrier_arrive_b64 v8
s_endpgm
look:
ds_load_b64 v[6:7], v8
s_wait_dscnt 0x0
v_readfirstlane_b32 s5, v6
s_bitcmp1_b32 s5, 29
s_cbranch_scc0 look
v_xor_b32 v4, 0x80, v1
ds_load_b32 v5, v4
s_wait_dscnt 0x0
global_store_b32 v1, v5, s[2:3]"
    );
    let got = run("gfx1250", &with_copies(&body), 64, 64)?;
    assert_eq!(got, (0..64).map(|thread| 3 * (thread % 32) + 1).collect::<Vec<u32>>());
    Ok(())
}

#[test]
fn who_has_not_waited_for_a_copy_is_told_of_it() {
    let copy = "global_load_async_to_lds_b32 v1, v1, s[2:3]\n";
    for (body, line) in [
        // Its own wavefront.
        (format!("{copy}ds_load_b32 v5, v1\ns_wait_dscnt 0x0\ns_wait_asynccnt 0x0"), "ds_load_b32 v5, v1"),
        // Another one, behind a barrier before which nobody waits.
        (format!("{copy}{MEET}{OPPOSITE}"), "ds_load_b32 v5, v4"),
        // The counter of plain loads is another.
        (format!("{copy}s_wait_loadcnt 0x0\n{MEET}{OPPOSITE}"), "ds_load_b32 v5, v4"),
        // One copy too few.
        (format!("{copy}{copy}s_wait_asynccnt 0x1\n{MEET}{OPPOSITE}"), "ds_load_b32 v5, v4"),
        // What is still to be read is written.
        (
            "global_store_async_from_lds_b32 v1, v1, s[2:3]\nds_store_b32 v1, v3\ns_wait_asynccnt 0x0".to_owned(),
            "ds_store_b32 v1, v3",
        ),
        (format!("{copy}global_store_b32 v1, v3, s[2:3]\ns_wait_asynccnt 0x0"), "global_store_b32 v1, v3, s[2:3]"),
    ] {
        let message = run("gfx1250", &with_copies(&body), 64, 64).expect_err(&body).to_string();
        let started = body.lines().next().expect("a copy");
        for part in ["E0262", "asynchronous work has still to", line, started, "started here by", "s_wait_asynccnt for copies"] {
            assert!(message.contains(part), "{part}, of\n{body}\n{message}");
        }
    }
}
