//! The lowest version and target of small modules: by PTX ISA 9.4, redux.sync is of PTX 7.0 and sm_80, clusters of PTX 7.8 and sm_90,
//! wgmma of PTX 8.0 and sm_90a alone, tcgen05 of the sm_100 family.

use check::{Requirements, requirements};

fn of(body: &str) -> Requirements {
    let table = isa::Table::get().unwrap_or_else(|problems| panic!("{problems}"));
    let text = format!(".version 9.4\n.target sm_100a\n.address_size 64\n{body}");
    let (tree, syntax) = ptx::parse(&text);
    assert!(syntax.is_empty(), "{syntax:?}");
    requirements(table, &tree)
}

fn lowest(body: &str) -> Option<String> {
    of(body).lowest.map(|(version, target)| format!("{version} {target}"))
}

#[test]
fn the_lowest_target_is_what_the_lines_need() {
    assert_eq!(lowest(".entry k() { ret; }").as_deref(), Some("2.3 sm_10"), ".address_size is of PTX 2.3");
    let redux = ".reg .b32 r; redux.sync.add.s32 r, r, 0xffffffff;";
    assert_eq!(lowest(&format!(".entry k() {{ {redux} }}")).as_deref(), Some("7.0 sm_80"));
    assert_eq!(lowest(&format!(".entry k() .reqnctapercluster 2 {{ {redux} }}")).as_deref(), Some("7.8 sm_90"));
    assert_eq!(lowest(".entry k() { wgmma.fence.sync.aligned; }").as_deref(), Some("8.0 sm_90a"));
}

#[test]
fn the_lines_that_force_it_are_named() {
    let found = of(".entry k() .reqnctapercluster 2 { .reg .b32 r; redux.sync.add.s32 r, r, 0xffffffff; }");
    let forced: Vec<(&str, &str)> = found.forced.iter().map(|f| (&*f.what, &*f.requirement)).collect();
    assert_eq!(forced, [("`.reqnctapercluster`", "PTX 7.8 and sm_90")]);
    assert!(found.targets.iter().all(|(target, _)| target.number >= 90));
}

#[test]
fn lines_can_contradict_each_other() {
    let found = of(".entry k() { wgmma.fence.sync.aligned; tcgen05.wait::ld.sync.aligned; }");
    assert_eq!(found.lowest, None);
    assert!(found.targets.is_empty());
    assert_eq!(found.forced.len(), 2, "{:?}", found.forced);
}
