//! The library as its users see it: lifetimes, order, checks. What instructions compute is tested elsewhere.

use lockstep::tensor::{Element, TensorMap};
use lockstep::{Argument, Buffer, Device, Error, Options, Stream, System};

/// `add_one` adds 1 to each element; `store_count` stores a module variable that `count` counts up; `spin` never ends.
const PTX: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .global .u32 counter = 5;
.visible .entry add_one(.param .u64 data, .param .u32 count)
{
    .reg .pred %p;
    .reg .b32 %r<5>;
    .reg .b64 %d<3>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r0, %r0, %r1, %r2;
    ld.param.u32 %r1, [count];
    setp.ge.u32 %p, %r0, %r1;
    @%p ret;
    ld.param.u64 %d0, [data];
    mul.wide.u32 %d1, %r0, 4;
    add.s64 %d2, %d0, %d1;
    ld.global.u32 %r3, [%d2];
    add.u32 %r4, %r3, 1;
    st.global.u32 [%d2], %r4;
    ret;
}
.visible .entry count()
{
    .reg .b32 %r<2>;
    atom.global.add.u32 %r0, [counter], 1;
    ret;
}
.visible .entry spin()
{
again:
    bra again;
}";

fn device() -> Device {
    System.device("a100").unwrap_or_else(|e| panic!("{e}"))
}

fn ok<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|e| panic!("{e}"))
}

fn message<T>(result: Result<T, Error>) -> String {
    result.err().map_or("no error".to_owned(), |e| e.to_string())
}

#[test]
fn everything_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Device>();
    shared::<lockstep::Module>();
    shared::<lockstep::Kernel>();
    shared::<lockstep::Launch>();
    shared::<Buffer<f32>>();
    shared::<lockstep::Event>();
    shared::<Error>();
}

#[test]
fn buffers_outlive_launches_and_are_freed_with_their_last_handle() {
    let device = device();
    let kernel = ok(ok(device.load([("t.ptx", PTX)])).kernel("add_one"));
    let before = device.memory_used();
    let data = ok(device.buffer(&[1u32, 2, 3]));
    for _ in 0..4 {
        ok(kernel.launch([1, 1, 1], [32, 1, 1]).arg(&data).arg(3u32).run());
    }
    assert_eq!(data.read(), [5, 6, 7]);
    let same = data.clone();
    drop(data);
    assert_eq!(same.read(), [5, 6, 7]);
    drop(same);
    assert_eq!(device.memory_used(), before);
}

#[test]
fn buffers_are_typed_views_of_bytes() {
    let device = device();
    let data = ok(device.buffer(&[1.0f32, -2.5]));
    assert_eq!(data.reinterpret::<u32>().read(), [0x3f80_0000, 0xc020_0000]);
    assert_eq!(data.bytes().len(), 8);
    ok(data.write(&[4.0]));
    assert_eq!(data.read(), [4.0, -2.5]);
    assert!(message(data.write(&[0.0; 3])).contains("3 values do not fit in a buffer of 2"));
    assert!(ok(device.zeros::<u64>(0)).read().is_empty());
    assert!(message(device.zeros::<u64>(usize::MAX)).contains("no room"));
    assert!(message(device.zeros::<u8>(1 << 50)).contains("no room"));
}

#[test]
fn variables_keep_their_values_between_launches() {
    let device = device();
    let module = ok(device.load([("t.ptx", PTX)]));
    let kernel = ok(module.kernel("count"));
    ok(kernel.launch([2, 1, 1], [32, 1, 1]).run());
    let counter = ok(module.variable::<u32>("counter"));
    assert_eq!(counter.read(), [69]);
    ok(counter.write(&[1]));
    ok(kernel.launch([1, 1, 1], [1, 1, 1]).run());
    assert_eq!(counter.read(), [2]);
    assert!(message(module.variable::<u32>("countr")).contains("did you mean `counter`?"));
    // The variable lives as long as the handle.
    drop((module, kernel));
    assert_eq!(counter.read(), [2]);
}

#[test]
fn streams_run_in_order_and_wait_for_events() {
    let device = device();
    let kernel = ok(ok(device.load([("t.ptx", PTX)])).kernel("add_one"));
    let data = ok(device.zeros::<u32>(100));
    let (first, second) = (device.stream(), device.stream());
    let launch = || kernel.launch([4, 1, 1], [32, 1, 1]).arg(&data).arg(100u32);
    first.write(&data, vec![7; 100]);
    for _ in 0..10 {
        first.launch(launch());
    }
    let event = first.record();
    second.wait(&event);
    second.launch(launch());
    let values = second.read(&data);
    assert_eq!(ok(values.wait()), [18; 100]);
    assert!(event.happened());
    ok(first.synchronize());
    ok(second.synchronize());
}

#[test]
fn a_queued_launch_keeps_its_buffers() {
    let device = device();
    let kernel = ok(ok(device.load([("t.ptx", PTX)])).kernel("add_one"));
    let stream = Stream::new();
    let data = ok(device.zeros::<u32>(1000));
    let done = stream.launch(kernel.launch([32, 1, 1], [32, 1, 1]).arg(&data).arg(1000u32));
    drop(data);
    assert!(ok(done.wait()).instructions > 0);
    ok(stream.synchronize());
}

#[test]
fn the_first_error_stops_a_stream() {
    let device = device();
    let kernel = ok(ok(device.load([("t.ptx", PTX)])).kernel("add_one"));
    let data = ok(device.zeros::<u32>(4));
    let stream = device.stream();
    let failed = stream.launch(kernel.launch([1, 1, 1], [32, 1, 1]).arg(&data).arg(5u32));
    let left_out = stream.launch(kernel.launch([1, 1, 1], [4, 1, 1]).arg(&data).arg(4u32));
    for error in [message(failed.wait()), message(left_out.wait()), message(stream.synchronize())] {
        assert!(error.contains("write of 4 bytes") || error.contains("read of 4 bytes"), "{error}");
        assert!(error.contains("thread (4, 0, 0) of block (0, 0, 0)"), "{error}");
    }
}

#[test]
fn a_freed_buffer_is_no_memory_any_more() {
    let device = device();
    let kernel = ok(ok(device.load([("t.ptx", PTX)])).kernel("add_one"));
    let data = ok(device.zeros::<u32>(4));
    let address = data.address();
    drop(data);
    let error = message(kernel.launch([1, 1, 1], [1, 1, 1]).arg(address).arg(1u32).run());
    assert!(error.contains("outside global memory"), "{error}");
}

#[test]
fn arguments_are_checked() {
    let device = device();
    let kernel = ok(ok(device.load([("t.ptx", PTX)])).kernel("add_one"));
    let data = ok(device.zeros::<u32>(4));
    let launch = || kernel.launch([1, 1, 1], [4, 1, 1]);
    assert!(message(launch().arg(&data).run()).contains("takes 2 arguments, 1 is given"));
    assert!(
        message(launch().arg(&data).arg(4u64).run()).contains("argument 2 of `add_one` is u64 of 8 bytes, the parameter has 4")
    );
    assert!(message(launch().arg(Argument::bytes(vec![0; 3], "a structure")).arg(4u32).run()).contains("a structure of 3 bytes"));
    assert!(message(kernel.launch([0, 1, 1], [4, 1, 1]).arg(&data).arg(4u32).run()).contains("at least one of each dimension"));
}

#[test]
fn limits_end_a_launch_that_has_no_end() {
    let device = device();
    let kernel = ok(ok(device.load([("t.ptx", PTX)])).kernel("spin"));
    let options = Options { max_instructions: Some(10_000), ..Options::default() };
    let stopped = kernel.launch([2, 1, 1], [64, 1, 1]).options(options).run();
    assert!(stopped.as_ref().is_err_and(|e| e.report().is_some_and(|r| r.instructions >= 10_000)));
    assert!(message(stopped).contains("stopped after 10000 warp instructions"));
}

#[test]
fn modules_link() {
    let device = device();
    let user = ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.reg .b32 r) seven();\n\
                .visible .entry k(.param .u64 out)\n{ .reg .b32 %r; .reg .b64 %d;\n call (%r), seven;\n ld.param.u64 %d, [out];\n \
                st.global.u32 [%d], %r;\n ret; }";
    let library = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .func (.reg .b32 r) seven() { mov.b32 r, 7; ret; }";
    let out = ok(device.zeros::<u32>(1));
    let linked = ok(device.load([("user.ptx", user), ("library.ptx", library)]));
    ok(ok(linked.kernel("k")).launch([1, 1, 1], [1, 1, 1]).arg(&out).run());
    assert_eq!(out.read(), [7]);
    let alone = ok(device.load([("user.ptx", user)]));
    assert!(message(alone.kernel("k")).contains("no module defines it"));
}

#[test]
fn a_part_of_a_buffer_is_the_same_memory() {
    let device = device();
    let whole: Buffer<u32> = ok(device.buffer(&[1, 2, 3, 4, 5]));
    let part = ok(whole.slice(1..4));
    assert_eq!((part.address(), part.len()), (whole.address() + 4, 3));
    ok(part.write(&[20, 30]));
    assert_eq!(part.read(), [20, 30, 4]);
    drop(part);
    assert_eq!(whole.read(), [1, 20, 30, 4, 5]);
    let last = ok(ok(whole.slice(2..5)).slice(2..3));
    drop(whole);
    assert_eq!(last.read(), [5]);
    assert!(message(last.slice(0..2)).contains("elements 0 to 2 of a buffer of 1"));
}

#[test]
fn tensor_maps_are_arguments() {
    let ptx = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry row(.param .align 64 .b8 map[128], .param .u64 out)
{
    .reg .pred %p;
    .reg .b64 %d<4>;
    .reg .b32 %r<4>;
    .shared .align 128 .b8 box[128];
    .shared .align 8 .b64 bar;
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.arrive.expect_tx.shared.b64 %d1, [bar], 16;
    mov.b64 %d0, map;
    cvta.param.u64 %d0, %d0;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [box], [%d0, {3, 2}], [bar];
again:
    mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
    @!%p bra again;
    ld.param.u64 %d2, [out];
    ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [box];
    st.global.v4.u32 [%d2], {%r0, %r1, %r2, %r3};
    ret;
}";
    let device = ok(System.device("h100"));
    let kernel = ok(ok(device.load([("row.ptx", ptx)])).kernel("row"));
    let tensor = ok(device.buffer(&(0..64u32).collect::<Vec<_>>()));
    let out = ok(device.zeros::<u32>(4));
    // Rows of 8, of which 5 belong to the tensor.
    let map = TensorMap::tiled(&tensor, Element::U32, &[5, 8], &[4, 1]).strides(&[32]);
    let argument = ok(map.argument());
    drop((map, tensor));
    // The argument keeps the tensor's memory.
    ok(kernel.launch([1; 3], [1; 3]).arg(argument).arg(&out).run());
    assert_eq!(out.read(), [19, 20, 0, 0]);
    let wrong = TensorMap::tiled(&out, Element::U32, &[5, 8], &[4, 1]).strides(&[20]);
    assert!(message(wrong.argument()).contains("stride 0 is 20 bytes, every tensor map needs a multiple of 16"));
    assert!(message(kernel.launch([1; 3], [1; 3]).arg(&out).arg(&out).run()).contains("passed by value"));
}
