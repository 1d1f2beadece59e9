//! Launches that begin before the one before them is complete (programmatic dependent launch).

use lockstep::{Buffer, Device, Kernel, Launch, Module, Options, Policy, System, run_in_order};

/// `first` lets dependents begin, then writes squares; `second` adds 1 to them, having waited or not; `publish` writes a number and a flag late,
/// which `poll` waits for without waiting for the launch; `one_signals` lets dependents begin by one thread of each block.
const PTX: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry first(.param .u64 data)
{
    .reg .b32 %r<4>;
    .reg .b64 %d<3>;
    INDEX
    ADDRESS
    mul.lo.u32 %r3, %r0, %r0;
    griddepcontrol.launch_dependents;
    st.global.u32 [%d2], %r3;
    ret;
}
.visible .entry one_signals(.param .u64 data)
{
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b64 %d<3>;
    INDEX
    setp.eq.u32 %p, %r2, 33;
    @%p griddepcontrol.launch_dependents;
    bar.sync 0;
    ADDRESS
    mul.lo.u32 %r3, %r0, %r0;
    st.global.u32 [%d2], %r3;
    ret;
}
.visible .entry second(.param .u64 data)
{
    .reg .b32 %r<4>;
    .reg .b64 %d<3>;
    INDEX
    ADDRESS
    griddepcontrol.launch_dependents;
    griddepcontrol.wait;
    ld.global.u32 %r3, [%d2];
    add.u32 %r3, %r3, 1;
    st.global.u32 [%d2], %r3;
    ret;
}
.visible .entry hasty(.param .u64 data)
{
    .reg .b32 %r<4>;
    .reg .b64 %d<3>;
    INDEX
    ADDRESS
    ld.global.u32 %r3, [%d2];
    add.u32 %r3, %r3, 1;
    st.global.u32 [%d2], %r3;
    ret;
}
.visible .entry copies(.param .u64 data)
{
    COPYING
    cp.async.ca.shared.global [%r3], [%d0], 16;
    ret;
}
.visible .entry loads(.param .u64 data)
{
    COPYING
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d0], 16, [bar];
again:
    mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
    @!%p bra again;
    ret;
}
.visible .entry stores(.param .u64 data)
{
    COPYING
    cp.async.bulk.global.shared::cta.bulk_group [%d0], [tile], 16;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
}
.visible .entry reduces(.param .u64 data)
{
    COPYING
    cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d0], [tile], 16;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
}
.visible .entry loads_and_waits(.param .u64 data)
{
    COPYING
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
    griddepcontrol.wait;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d0], 16, [bar];
after:
    mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
    @!%p bra after;
    ld.shared.u32 %r0, [tile+12];
    st.global.u32 [%d0], %r0;
    ret;
}
.visible .entry publish(.param .u64 data)
{
    .reg .b64 %d0;
    ld.param.u64 %d0, [data];
    griddepcontrol.launch_dependents;
    st.global.u32 [%d0], 77;
    st.release.gpu.global.u32 [%d0+4], 1;
    ret;
}
.visible .entry poll(.param .u64 data)
{
    .reg .pred %p;
    .reg .b32 %r<2>;
    .reg .b64 %d0;
    ld.param.u64 %d0, [data];
again:
    ld.acquire.gpu.global.u32 %r0, [%d0+4];
    setp.eq.u32 %p, %r0, 0;
    @%p bra again;
    ld.global.u32 %r1, [%d0];
    st.global.u32 [%d0+8], %r1;
    ret;
}";

/// The number of the thread in the grid, in `%r0`.
const INDEX: &str = "mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r0, %r0, %r1, %r2;";

/// The address of the thread's element, in `%d2`.
const ADDRESS: &str = "ld.param.u64 %d0, [data];
    mul.wide.u32 %d1, %r0, 4;
    add.s64 %d2, %d0, %d1;";

/// The parts of kernels of one thread that copy between shared and global memory.
const COPYING: &str = ".reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b64 %d0;
    .shared .align 16 .b8 tile[16];
    .shared .align 8 .b64 bar;
    ld.param.u64 %d0, [data];
    mov.u32 %r3, tile;
    st.shared.v2.b64 [tile], {0, 0};
    fence.proxy.async;";

fn device() -> Device {
    System.device("h100").unwrap_or_else(|e| panic!("{e}"))
}

fn text() -> String {
    PTX.replace("INDEX", INDEX).replace("ADDRESS", ADDRESS).replace("COPYING", COPYING)
}

fn module(device: &Device) -> Module {
    let text = text();
    device.load([("dependent.ptx", text.as_str())]).unwrap_or_else(|e| panic!("{e}"))
}

fn kernel(device: &Device, name: &str) -> Kernel {
    module(device).kernel(name).unwrap_or_else(|e| panic!("{e}"))
}

fn buffer(device: &Device, values: &[u32]) -> Buffer<u32> {
    device.buffer(values).unwrap_or_else(|e| panic!("{e}"))
}

fn schedules() -> Vec<Options> {
    let early = Options { policy: Policy::Early, ..Options::default() };
    let seeded = (0..200).map(|seed| Options { seed: Some(seed), ..Options::default() });
    [Options::default(), early].into_iter().chain(seeded).collect()
}

/// Launches of kernels one after the other, each dependent on the one before.
fn chain(device: &Device, names: &[&str], blocks: u32, data: &Buffer<u32>, options: &Options) -> Vec<Launch> {
    let module = module(device);
    let kernel = |name: &&str| module.kernel(name).unwrap_or_else(|e| panic!("{e}"));
    let launch = |name: &&str| kernel(name).launch([blocks, 1, 1], [64, 1, 1]).arg(data).options(options.clone());
    names.iter().map(|name| launch(name).dependent()).collect()
}

#[test]
fn a_launch_that_waits_finds_what_the_one_before_wrote() {
    let device = device();
    for first in ["first", "one_signals"] {
        for options in schedules() {
            let data = buffer(&device, &[0; 192]);
            let (reports, failed) = run_in_order(&chain(&device, &[first, "second", "second"], 3, &data, &options));
            assert!(failed.is_none() && reports.len() == 3, "{failed:?}");
            assert_eq!(data.read(), (0..192).map(|i| i * i + 2).collect::<Vec<u32>>());
        }
    }
}

/// More blocks than the GPU holds: the last of them begin when others have exited.
#[test]
fn blocks_that_have_no_room_hold_nobody_up() {
    let device = device();
    let count = 64 * 20_000;
    let data = buffer(&device, &vec![0; count as usize]);
    let (reports, failed) = run_in_order(&chain(&device, &["first", "second"], 20_000, &data, &Options::default()));
    assert!(failed.is_none() && reports.len() == 2, "{failed:?}");
    assert!(data.read().into_iter().eq((0..count).map(|i: u32| i.wrapping_mul(i).wrapping_add(1))));
}

#[test]
fn a_launch_that_does_not_wait_is_told_both_places() {
    let device = device();
    let data = buffer(&device, &[0; 192]);
    let (reports, failed) = run_in_order(&chain(&device, &["first", "hasty"], 3, &data, &Options::default()));
    let Some((1, error)) = failed else { panic!("{failed:?}") };
    assert!(reports.is_empty());
    let text = error.to_string();
    for wanted in [
        "read of 4 bytes",
        "that the launch before, which may not be complete, has written",
        "dependent.ptx:69:",
        "written here by thread",
    ] {
        assert!(text.contains(wanted), "no `{wanted}` in\n{text}");
    }
}

/// Asynchronous work that is issued too early is wrong whenever it is done.
#[test]
fn asynchronous_work_must_wait_for_the_launch_before() {
    let device = device();
    let text = text();
    let cases = [
        ("copies", "cp.async.ca", "read of"),
        ("loads", "cp.async.bulk.shared::cluster", "read of"),
        ("stores", "cp.async.bulk.global", "write of"),
        ("reduces", "cp.reduce", "atomic access of"),
    ];
    for (name, opcode, what) in cases {
        let line = 1 + text.lines().position(|line| line.trim_start().starts_with(opcode)).unwrap_or_default();
        for seed in [None, Some(1), Some(2), Some(3)] {
            let data = buffer(&device, &[0; 64]);
            let options = Options { seed, ..Options::default() };
            let launch = |name| {
                kernel(&device, name)
                    .launch([1, 1, 1], [if name == "first" { 64 } else { 1 }, 1, 1])
                    .arg(&data)
                    .options(options.clone())
            };
            let (_, failed) = run_in_order(&[launch("first"), launch(name).dependent()]);
            let Some((1, error)) = failed else { panic!("{name}, seed {seed:?}: {failed:?}") };
            let text = error.to_string();
            for wanted in
                [what, "that the launch before, which may not be complete, has written", &format!("dependent.ptx:{line}:")]
            {
                assert!(text.contains(wanted), "no `{wanted}` in\n{text}");
            }
        }
    }
    for options in schedules() {
        let data = buffer(&device, &[0; 64]);
        let launch = |name, threads| kernel(&device, name).launch([1, 1, 1], [threads, 1, 1]).arg(&data).options(options.clone());
        let (_, failed) = run_in_order(&[launch("first", 64), launch("loads_and_waits", 1).dependent()]);
        assert!(failed.is_none(), "{failed:?}");
        assert_eq!(data.read()[..2], [9, 1]);
    }
}

/// The same launches are right where the second is no dependent one.
#[test]
fn other_launches_begin_when_all_before_them_are_complete() {
    let device = device();
    let data = buffer(&device, &[0; 192]);
    let mut launches = chain(&device, &["first"], 3, &data, &Options::default());
    launches.push(kernel(&device, "hasty").launch([3, 1, 1], [64, 1, 1]).arg(&data));
    let (reports, failed) = run_in_order(&launches);
    assert!(failed.is_none() && reports.len() == 2, "{failed:?}");
    assert_eq!(data.read(), (0..192).map(|i| i * i + 1).collect::<Vec<u32>>());
}

/// A dependent launch may learn from memory that what it needs is there.
#[test]
fn a_dependent_launch_may_poll() {
    let device = device();
    for options in schedules() {
        let data = buffer(&device, &[0; 4]);
        let launch = |name| kernel(&device, name).launch([1, 1, 1], [1, 1, 1]).arg(&data).options(options.clone());
        let stream = device.stream();
        let pending = stream.launch_all(vec![launch("publish"), launch("poll").dependent()]);
        assert_eq!(pending.wait().map(|reports| reports.len()).ok(), Some(2));
        assert_eq!(data.read(), [77, 1, 77, 0]);
    }
}

#[test]
fn what_is_wrong_with_a_later_launch_is_told_after_the_earlier_ones() {
    let device = device();
    let data = buffer(&device, &[0; 192]);
    let mut launches = chain(&device, &["first", "second"], 3, &data, &Options::default());
    launches[1] = kernel(&device, "second").launch([3, 1, 1], [2000, 1, 1]).arg(&data).dependent();
    let (reports, failed) = run_in_order(&launches);
    assert_eq!((reports.len(), failed.map(|(index, _)| index)), (1, Some(1)));
    assert_eq!(data.read()[191], 191 * 191);
}
