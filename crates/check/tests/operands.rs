//! The checker on single instructions, against what ptxas 13.5 says of them at PTX 9.4, sm_107a.

use check::check;

/// Instructions that ptxas takes.
const RIGHT: &[&str] = &[
    "mov.u32 r, %tid.x",
    "mov.u64 x, %clock64",
    "cvt.u64.u32 x, %tid.x",
    "mov.pred p, %is_explicit_cluster",
    "mov.u64 x, global",
    "cvta.shared.u64 x, shared",
    "mapa.shared::cluster.u32 r, shared, 3",
    "ld.u32 r, [global]",
    "ld.shared::cluster.u32 r, [shared+8]",
    "ld.global.b32 {r}, [x]",
    "mov.b32 r, {s}",
    "ld.local.u32 r, [16]",
    "ld.global.u32 r, [h]",
    "cp.async.cg.shared.global [shared], [global], 16, !p",
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [global, {0, r}], [shared]",
    "mbarrier.arrive.shared::cluster.b64 _, [x]",
    "mbarrier.arrive.noComplete.release.cta.shared::cta.b64 x, [shared], 2",
    "st.bulk.weak.shared::cta [x], r, 0",
];

/// Instructions that it refuses.
const WRONG: &[&str] = &[
    "mov.f32 f, %tid.x",
    "add.u32 r, %tid.x, 1",
    "st.global.u32 [x], %tid.x",
    "add.u64 x, global, 1",
    "st.global.u64 [x], global",
    "mapa.shared::cluster.u32 r, s, %tid.x",
    "ld.shared.u32 r, [global]",
    "ld.global.u32 r, [shared]",
    "ld.global.u32 r, [f]",
    "ld.global.u32 r, [p]",
    "ld.global.u32 r, [16]",
    "ld.u32 r, [16]",
    "add.u32 r, {s}, 1",
    "setp.eq.u32 p, {r}, 0",
    "cp.async.cg.shared.global [shared], [global], 8",
    "cp.async.bulk.global.shared::cta.bulk_group [x], [shared], 17",
    "cp.async.bulk.global.shared::cta.bulk_group [shared], [x], 16",
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [x, {r}], [shared]",
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [16, {r, r}], [shared]",
    "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [x, r], [shared]",
    "mbarrier.arrive.shared::cluster.b64 x, [x]",
    "mbarrier.init.shared::cta.b64 [shared], 0",
];

/// The messages about a kernel of one instruction.
fn messages(instruction: &str) -> Vec<String> {
    let text = format!(
        ".version 9.4\n.target sm_107a\n.address_size 64\n.global .align 16 .b8 global[64];\n.visible .entry k() {{\n\
         .reg .b32 r, s; .reg .b64 x; .reg .b16 h; .reg .f32 f; .reg .pred p;\n.shared .align 16 .b8 shared[64];\n\
         {instruction};\nret;\n}}\n"
    );
    let table = isa::Table::get().expect("the table is read");
    check(table, &text, None).into_iter().map(|d| d.message).collect()
}

#[test]
fn what_ptxas_takes_is_right() {
    for instruction in RIGHT {
        assert_eq!(messages(instruction), Vec::<String>::new(), "{instruction}");
    }
}

#[test]
fn what_ptxas_refuses_is_wrong() {
    for instruction in WRONG {
        assert!(!messages(instruction).is_empty(), "{instruction}");
    }
}
