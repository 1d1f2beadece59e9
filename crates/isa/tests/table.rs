//! The reader and the resolver, on records that the manual and ptxas 13.5 decide.

use isa::{
    Features, Fidelity, OperandType, Parts, Problems, Requirement, Resolution, Role, Shape, Sign, Source, Table, Target, Version,
    Written,
};

const TYPES: &str = include_str!("../../../isa/types.isa");

const WORDS: &str = "
word .lo
  title Low half
  sets  half=lo
word .hi
  title High half
  sets  half=hi
word .wide
  title Whole product
  sets  half=wide
word .sat
  title Saturate
  sets  sat
word .cc
  title Write the carry
word .global
  title Global memory
word .shared
  title Shared memory
word .cta
  title Of the CTA
word .v2
  title Two
word .v4
  title Four
word .red
  title Reduce
word .popc
  title Count
word .b0
  title Byte 0
word .b1
  title Byte 1
word .relaxed
  title Relaxed
word .m64n72k16
  title Shape
word .b2
  title Two bits
word .x1
  title Once
word .x2
  title Twice
word .x32
  title Often
word .x4
  title Four times
word .gpu
  title GPU
";

const RECORDS: &str = "
instr dp2a
  title   Two-way dot product of 16-bit by 8-bit integers, accumulate
  form    dp2a.mode.atype.btype  d, a, b, c
    .mode  = .lo .hi
    .atype = .u32 .s32
    .btype = .u32 .s32
    types  a:2x16 of .atype  b:4x8 of .btype  c,d: s32 if .atype=.s32 or .btype=.s32 else u32
    need   ptx 5.0 sm_61
    run    dot::dp2a
  example dp2a.lo.s32.s32  a=0x0002ffff b=0x0403 c=10 -> 15
  src     PTX ISA 9.4, 9.7.1.25

instr wg
  title   Lengths by shape
  form    wg.shape.dtype  d, a
    .shape = .m64n72k16
    .dtype = .f32 .f16
    types  d: .shape:n/2 x f32 if .dtype=.f32 else .shape:n/4 x f16x2  a: 4 x b32
    need   ptx 8.0 sm_90a
    pending
  src     PTX ISA 9.4, 9.7.17.5

instr spc
  title   Lengths by a quotient
  form    spc.elemsize.idxsize.num  d, n{, s}
    .elemsize = .b8 .b16
    .idxsize  = .b2
    .num      = .x1 .x2 .x4 .x32
    types  d: .num*.idxsize/.elemsize x b32  n: u32 imm 32,64,128  s: 2 x u16 0,2 then 0..1
    need   ptx 9.4 sm_107a
    pending
  src     PTX ISA 9.4, 9.7.10.30

instr mad
  title   Multiply and add
  .type = .u16 .s16 .u32 .s32 .u64 .s64
  need    ptx 1.0 sm_10
  run     int::mad
  form    mad.mode.type  d, a, b, c
    .mode = .lo .hi
  form    mad.wide.type  d, a, b, c
    when .wide: .type = .u16 .s16 .u32 .s32
    types d,c: wide .type
  form    mad.hi.sat.s32  d, a, b, c
    types d,a,b,c: s32
  src     PTX ISA 9.4, 9.7.1.4

instr ld
  title   Load from memory
  form    ld{.relaxed.scope}{.space}{.vec}.type  d, [a]{, policy}
    .space = .global .shared+.cta .shared
    .scope = .gpu .cta
    .vec   = .v2 .v4
    .type  = .u8 .u32 .f32 .f64
    types  d: .vec x .type wider sink  policy: b64 reg
    not    .v4 with .f64
    need   ptx 1.0 sm_10
    need   ptx 6.0 sm_70 if .relaxed
    run    memory::load space=.space kind=plain
  src     PTX ISA 9.4, 9.7.9.8

instr bar.red
  title   Wait, and reduce a predicate
  form    bar.red.popc.u32  d, a{, b}, {!}c
    types  d,a,b: u32  c: pred reg
    need   ptx 2.0 sm_20
    pending
  src     PTX ISA 9.4, 9.7.13.1

instr vadd
  title   Add bytes
  form    vadd.type  d, a{.asel}, b.bsel
    .type = .u32
    .asel = .b0 .b1
    .bsel = .b0 .b1
    need   ptx 2.0 sm_20
    fidelity approximate one ulp if .u32
    run    video::add  asel=.asel bsel=.bsel
  src     PTX ISA 9.4, 9.7.19

pending cp    Asynchronous copies
pending ld.async  Nothing real
";

fn read(words: &str, records: &str) -> Result<&'static Table, Problems> {
    let source = |name: &str, text: &str| Source { name: name.into(), text: text.to_owned().leak() };
    Table::read(vec![source("types.isa", TYPES), source("words.isa", words), source("ptx/test.isa", records)])
}

fn table() -> &'static Table {
    read(WORDS, RECORDS).unwrap_or_else(|problems| panic!("{problems}"))
}

fn one(opcode: &str) -> isa::Match {
    match table().resolve(opcode) {
        Ok(Resolution::Matches(mut matches)) if matches.len() == 1 => matches.remove(0),
        other => panic!("{opcode}: {other:?}"),
    }
}

fn scalar(ty: OperandType) -> &'static str {
    match ty {
        OperandType::Scalar(t) => t.name,
        other => panic!("{other:?}"),
    }
}

#[test]
fn types_depend_on_modifiers() {
    let unsigned = one("dp2a.lo.u32.u32");
    assert_eq!(unsigned.parts().map(|p| scalar(p.ty)).collect::<Vec<_>>(), ["u32"; 4]);
    let mixed = one("dp2a.hi.u32.s32");
    assert_eq!(mixed.parts().map(|p| scalar(p.ty)).collect::<Vec<_>>(), ["s32", "u32", "s32", "s32"]);
    assert_eq!(mixed.parts().next().unwrap().role, Role::Destination);
    assert_eq!(mixed.settings, [("half", "hi")]);
    assert_eq!(mixed.function(), Some("dot::dp2a"));
    let wide = one("mad.wide.s16");
    assert_eq!(wide.parts().map(|p| scalar(p.ty)).collect::<Vec<_>>(), ["s32", "s16", "s16", "s32"]);
    assert!(table().resolve("mad.wide.u64").is_err());
}

#[test]
fn optional_modifiers_vectors_and_spaces() {
    let plain = one("ld.u32");
    assert_eq!(plain.operands[1].parts[0].ty, OperandType::Address(None));
    assert_eq!(plain.settings, [("kind", "plain")]);
    assert_eq!(one("ld.relaxed.gpu.global.v4.f32").words, [".relaxed", ".gpu", ".global", ".v4", ".f32"]);
}

#[test]
fn words_of_two_modifiers() {
    let load = one("ld.shared.cta.v2.f32");
    assert_eq!(load.word(".space"), Some(".shared+.cta"));
    assert!(load.has(".cta") && load.has(".shared"));
    assert_eq!(load.opcode(), "ld.shared.cta.v2.f32");
    let OperandType::Vector(2, element) = load.operands[0].parts[0].ty else { panic!() };
    assert_eq!(element.name, "f32");
}

#[test]
fn modifiers_in_any_order() {
    // ptxas 13.5 accepts ld.global.relaxed.gpu.u32.
    assert_eq!(one("ld.global.relaxed.gpu.u32").opcode(), "ld.relaxed.gpu.global.u32");
    assert_eq!(scalar(one("dp2a.s32.lo.u32").operands[1].parts[0].ty), "s32");
}

#[test]
fn why_nothing_matches() {
    let reason = |opcode: &str| table().resolve(opcode).unwrap_err();
    assert_eq!(reason("mda.lo.u32").help.unwrap(), "did you mean `mad`?");
    let modifier = reason("mad.lo.u23");
    assert_eq!((modifier.at, modifier.help.unwrap().contains("`.u32`")), (6..10, true));
    assert!(reason("mad.lo").message.contains("lacks a modifier"));
    assert!(reason("ld.v4.f64").message.contains("do not go together"));
    assert!(reason("mad.lo.sat.u32").message.contains(".sat"));
    for odd in ["", ".", "..", "mad.", "mad..lo", ".mad", "é.ü", "ld.u32.u32"] {
        assert!(table().resolve(odd).is_err(), "{odd}");
    }
}

#[test]
fn pending() {
    let pending = |opcode| match table().resolve(opcode) {
        Ok(Resolution::Pending(p)) => p.name,
        other => panic!("{other:?}"),
    };
    assert_eq!(pending("cp.async.bulk.whatever"), "cp");
    assert_eq!(pending("ld.async.u32"), "ld.async");
    assert_eq!(one("bar.red.popc.u32").fidelity(), Fidelity::Pending);
    assert_eq!(one("vadd.u32").fidelity(), Fidelity::Approximate("one ulp"));
}

fn written(shapes: &[Shape<'static>]) -> Vec<Written<'static>> {
    shapes.iter().map(|&shape| Written { sign: Sign::None, shape }).collect()
}

#[test]
fn optional_operands_in_the_middle() {
    let red = one("bar.red.popc.u32");
    let mut three = written(&[Shape::Name, Shape::Integer(0), Shape::Name]);
    three[2].sign = Sign::Not;
    assert_eq!(red.fit(&three).unwrap().operands, [Some(0), Some(1), None, Some(2)]);
    let four = written(&[Shape::Name, Shape::Integer(0), Shape::Integer(64), Shape::Name]);
    assert_eq!(red.fit(&four).unwrap().operands, [Some(0), Some(1), Some(2), Some(3)]);
    assert!(red.fit(&four[..2]).unwrap_err().message.contains("3 or 4 operands, 2 are"));
    assert_eq!(red.fit(&written(&[Shape::Name, Shape::Name, Shape::Integer(1)])).unwrap_err().operand, Some(2));
}

#[test]
fn selectors_sinks_and_vectors() {
    let add = one("vadd.u32");
    let fit = add.fit(&written(&[Shape::Name, Shape::Name, Shape::Selected("b1")])).unwrap();
    assert_eq!(fit.settings, [("bsel", "b1")]);
    assert!(add.fit(&written(&[Shape::Name; 3])).is_err());
    let load = one("ld.v4.f32");
    assert!(load.fit(&written(&[Shape::Vector(4), Shape::Address])).is_ok());
    assert_eq!(load.fit(&written(&[Shape::Vector(2), Shape::Address])).unwrap_err().operand, Some(0));
    assert!(load.fit(&written(&[Shape::Vector(4), Shape::Name])).is_err());
    assert!(one("ld.f32").fit(&written(&[Shape::Sink, Shape::Address, Shape::Name])).is_ok());
}

#[test]
fn lengths_of_vectors() {
    // wgmma.mma_async holds N/2 numbers of f32 or N/4 pairs of f16 (PTX ISA 9.4, 9.7.17.5.1); spcompress num * idxsize / elemsize,
    // rounded up (9.7.10.30).
    for (opcode, lengths) in [("wg.m64n72k16.f32", [36, 4]), ("wg.m64n72k16.f16", [18, 4])] {
        let found = one(opcode);
        let length = |i: usize| found.operands[i].parts[0].ty;
        assert!(matches!(length(0), OperandType::Vector(n, _) if n == lengths[0]), "{opcode}: {:?}", length(0));
        assert!(matches!(length(1), OperandType::Vector(n, _) if n == lengths[1]), "{opcode}: {:?}", length(1));
    }
    for (opcode, length) in [("spc.b8.b2.x2", 1), ("spc.b8.b2.x32", 8), ("spc.b16.b2.x4", 1), ("spc.b16.b2.x32", 4)] {
        let found = one(opcode).operands[0].parts[0].ty;
        assert!(matches!(found, OperandType::Vector(n, _) if n == length), "{opcode}: {found:?}");
    }
}

#[test]
fn vectors_of_one_are_no_scalars() {
    // ptxas 13.5: `Vector expected for argument 1`; `{0}` for integers only.
    let found = one("spc.b8.b2.x1");
    let fits = |d, a| found.fit(&written(&[d, a])).is_ok();
    assert!(fits(Shape::Vector(1), Shape::Integer(32)));
    assert!(!fits(Shape::Name, Shape::Integer(32)));
    assert!(!fits(Shape::Vector(2), Shape::Integer(32)));
    assert!(!fits(Shape::Vector(1), Shape::Integer(96)), "not one of the values");
    assert!(found.operands[0].parts[0].admits_element(0, Shape::Name, false).is_ok());
    assert!(found.operands[0].parts[0].admits_element(0, Shape::Integer(0), false).is_err(), "a destination");
    // mma with .block_scale: {byte-id, thread-id}, 0 or 2 and 0 to 1 with .scale_vec::2X (PTX ISA 9.4, 9.7.16.3).
    let selector = &found.operands[2].parts[0];
    for (index, value, good) in [(0, 2, true), (0, 1, false), (1, 1, true), (1, 2, false)] {
        assert_eq!(selector.admits_element(index, Shape::Integer(value), false).is_ok(), good, "{index}: {value}");
    }
}

#[test]
fn needs_by_condition() {
    let met = |opcode: &str, version, target| {
        one(opcode).needs().all(|n| n.requirement.met_by(version, Target::parse(target).unwrap()))
    };
    assert!(met("ld.u32", Version(1, 0), "sm_10"));
    assert!(!met("ld.relaxed.gpu.u32", Version(6, 0), "sm_61"));
    assert!(met("ld.relaxed.gpu.u32", Version(6, 0), "sm_70"));
}

#[test]
fn targets_are_layers_families_and_architectures() {
    // PTX ISA 9.4, 11.1.2.
    let target = |text| Target::parse(text).unwrap();
    let can = |have, need| target(have).satisfies(target(need));
    assert!(can("sm_90a", "sm_80") && can("sm_100", "sm_90") && !can("sm_89", "sm_90"));
    assert!(can("sm_90a", "sm_90a") && !can("sm_90", "sm_90a") && !can("sm_100a", "sm_90a"));
    assert!(can("sm_103f", "sm_100f") && can("sm_103a", "sm_100f") && !can("sm_100f", "sm_103f"));
    assert!(!can("sm_100", "sm_100f") && !can("sm_120f", "sm_100f") && !can("sm_100f", "sm_100a"));
    assert!(can("sm_101a", "sm_110a") && can("sm_110f", "sm_101f") && !can("sm_110f", "sm_100f"));
    assert_eq!(target("compute_100f").to_string(), "sm_100f");
    assert_eq!(target("sm_90a").features, Features::Architecture);
    assert!(Target::parse("sm_").is_none() && Target::parse("sm_+1").is_none() && Target::parse("90").is_none());
    let need = Requirement { version: Version(8, 6), targets: vec![target("sm_100a"), target("sm_120a")], alternative: None };
    assert_eq!(need.to_string(), "PTX 8.6 and sm_100a or sm_120a");
    let older = Requirement { version: Version(7, 8), targets: vec![target("sm_90")], alternative: None };
    let need = Requirement { version: Version(8, 1), targets: vec![target("sm_89")], alternative: Some(Box::new(older)) };
    assert!(need.met_by(Version(8, 1), target("sm_89")) && need.met_by(Version(7, 8), target("sm_90")));
    assert!(!need.met_by(Version(7, 8), target("sm_89")));
    assert_eq!(need.to_string(), "PTX 8.1 and sm_89, or PTX 7.8 and sm_90");
}

/// The messages for some records, without their places.
fn problems(records: &str) -> String {
    read(WORDS, records).expect_err("the records are wrong").to_string()
}

#[test]
fn the_reader_is_strict() {
    let form = |keys: &str| {
        format!("instr x\n  title T\n  src S\n  form x.type d, a\n    need ptx 1.0\n    run f::g\n    .type = .u32\n{keys}")
    };
    let cases: &[(&str, &str)] = &[
        ("instr x\n  titel T\n", "isa/ptx/test.isa:2: unknown key `titel` (known: title)"),
        ("instr x\n  title T\n  title T\n  src S\n", "`title` is given twice"),
        ("instr x\n  title T\n", "has no form"),
        ("instr x\n  title\n", "`title` has no value"),
        ("unknown x\n", "unknown kind of record `unknown`"),
        ("    a b\n", "belongs to nothing above"),
        ("instr\n", "without a name"),
        (&form("    .typ = .u32\n"), "does not use its slot `.typ`"),
        (&form("    .type = .u32\n"), "defined twice"),
        (&form("    types b:u32\n"), "has no operand `b`"),
        (&form("    types a:u31\n"), "unknown type `u31`"),
        (&form("    types a:u32 if .x\n"), "`else` is missing"),
        (&form("    not .hi with\n"), "words on both sides"),
        (&form("    when .nope: .type = .u32\n"), "`.nope` is neither"),
        (&form("    when .type=.u16: .type = .u32\n"), "never holds `.u16`"),
        (&form("    need ptx 1.0 sm_91\n"), "`sm_91` is not a target"),
        (&form("    need ptx one\n"), "not a version"),
        (&form("    run f::h\n"), "`run` is given twice"),
        (&form("    pending\n"), "runs nothing"),
        (&form("    fidelity good\n"), "fidelity approximate BOUND"),
        (&form("    type d:u32\n"), "unknown key `type` of a form"),
        (&form("\ttypes d:u32\n"), "a tab"),
        (&form("    types d:u32 \\"), "ends in"),
        (&form("  example x.u32 a -> 1\n"), "`example` reads"),
        ("instr x\n  title T\n  src S\n  form x.nope d\n    run f::g\n", "neither a slot of this form nor a known word"),
        ("instr x\n  title T\n  src S\n  form x.lo d\n    run f::g\n", "no type"),
        ("instr x\n  title T\n  src S\n  form x d, d\n", "two operands are called `d`"),
        ("instr x\n  title T\n  src S\n  form x{.lo d\n", "`}` is missing"),
        ("instr x\n  title T\n  src S\n  form x d, , a\n", "an operand is missing before `a`"),
        ("instr x\n  title T\n  src S\n  form x  d|\n", "does not begin with an operand"),
        ("instr x\n  title T\n  src S\n  form x\n", "has no `need`"),
        ("instr x\n  title T\n  src S\n  form x\n    need ptx 1.0\n", "neither `run` nor `pending`"),
        ("instr x\n  title T\n  src S\n  .y = .lo\n  form x\n    run f::g\n", "no form uses the slot `.y`"),
        ("pending x\n", "has no title"),
        ("special %x\n  title T\n  type u31\n  run f\n  src S\n", "`type` reads"),
    ];
    for (text, expected) in cases {
        let found = problems(text);
        let expected = if *expected == "ends in" { "ends where a line should go on" } else { expected };
        assert!(found.contains(expected), "{text}\n--- expected: {expected}\n--- found: {found}");
    }
}

#[test]
fn the_embedded_table_is_right() {
    if let Err(problems) = Table::embedded() {
        panic!("{problems}");
    }
}

#[test]
fn types_stand_in_the_order_of_the_form() {
    // Verdicts of ptxas 13.5.
    let table = Table::embedded().unwrap();
    assert!(table.resolve("cvt.f32.f16").is_ok() && table.resolve("cvt.f32.ftz.f16").is_ok());
    assert!(table.resolve("cvt.f16.f32").is_err());
    assert!(table.resolve("mul.lo.u32").is_ok() && table.resolve("mul.u32.lo").is_err());
    assert!(table.resolve("bar.cta.sync").is_ok() && table.resolve("bar.sync.cta").is_err());
    assert!(table.resolve("add.f32x2.bf16x2.f32x2.rz").is_ok() && table.resolve("add.f32x2.f32x2.bf16x2.rz").is_err());
}

#[test]
fn state_spaces_stand_in_the_order_of_the_form() {
    // Verdicts of ptxas 13.5.
    let known = |opcode: &str| Table::embedded().unwrap().resolve(opcode).is_ok();
    assert!(known("cp.async.bulk.bulk_group.global.shared::cta") && !known("cp.async.bulk.bulk_group.shared::cta.global"));
    assert!(known("cp.async.bulk.shared::cta.mbarrier::complete_tx::bytes.global"));
    assert!(known("cp.async.L2::64B.shared.ca.global") && !known("cp.async.ca.global.shared"));
}

/// Whether operands fit some form of an opcode of the table.
fn fits(opcode: &str, shapes: &[Shape<'static>]) -> bool {
    let Ok(Resolution::Matches(matches)) = Table::embedded().unwrap().resolve(opcode) else { panic!("{opcode}") };
    isa::fit(&matches, &written(shapes)).is_ok()
}

#[test]
fn operands_by_modifiers() {
    // Verdicts of ptxas 13.5.
    let (address, name, integer) = (Shape::Address, Shape::Name, Shape::Integer);
    let store = "cp.async.bulk.global.shared::cta.bulk_group";
    assert!(fits(store, &[address, address, integer(32)]) && !fits(store, &[address, address, integer(17)]));
    assert!(!fits(store, &[address, address, integer(-16)]) && !fits(store, &[address, address, integer(1 << 20)]));
    assert!(!fits(store, &[address, address, name, name]));
    let hinted = "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint";
    assert!(fits(hinted, &[address, address, name, name]) && !fits(hinted, &[address, address, name]));
    let remote = "mbarrier.arrive.shared::cluster.b64";
    assert!(fits(remote, &[Shape::Sink, address]) && !fits(remote, &[name, address]));
    assert!(fits("cp.async.ca.shared.global", &[address, address, integer(8), integer(8)]));
    assert!(!fits("cp.async.ca.shared.global", &[address, address, integer(4), integer(8)]));
    assert!(!fits("cp.async.ca.shared.global", &[address, address, integer(5)]));
}

#[test]
fn parts_in_brackets_by_modifiers() {
    // Verdicts of ptxas 13.5.
    let shape = |length: &usize| if *length == 0 { Shape::Name } else { Shape::Vector(*length) };
    let list = |lengths: &[usize]| Shape::AddressList(Parts::new(lengths.iter().map(shape)));
    let fits = |opcode: &str, lengths: &[usize]| fits(opcode, &[list(lengths), Shape::Address]);
    let copy = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group";
    assert!(fits(copy, &[0, 2]) && !fits(copy, &[0, 1]) && !fits(copy, &[0, 0]) && !fits(copy, &[0, 0, 2]));
    assert!(fits("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group", &[0, 1]));
    assert!(fits("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group", &[0, 5]));
    let moved = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.override::global_address";
    assert!(fits(moved, &[0, 0, 2]) && !fits(moved, &[0, 2]));
    let resized = format!("{moved}.override::global_dim_stride");
    assert!(fits(&resized, &[0, 0, 2, 1, 0, 2]) && !fits(&resized, &[0, 0, 2, 0, 0, 2]));
}

#[test]
fn registers_tell_forms_apart() {
    let table = Table::embedded().unwrap();
    let register = |ty| Shape::Register(table.type_named(ty).unwrap());
    let chosen = |opcode: &str, shapes: &[Shape<'static>]| {
        let Ok(Resolution::Matches(matches)) = table.resolve(opcode) else { panic!("{opcode}") };
        let (index, _) = isa::fit(&matches, &written(shapes)).unwrap();
        matches[index].needs().map(|n| n.requirement.version).max()
    };
    // PTX ISA 9.4: ignore-src came with 7.5 (9.7.10.28.3.1), a size of 32 bits with 9.0 (9.7.10.14).
    let copy = |last| chosen("cp.async.cg.shared.global", &[Shape::Address, Shape::Address, Shape::Integer(16), last]);
    assert_eq!(copy(register("u32")), Some(Version(7, 0)));
    assert_eq!(copy(register("pred")), Some(Version(7, 5)));
    let fill = |size| chosen("st.bulk", &[Shape::Address, size, Shape::Integer(0)]);
    assert_eq!((fill(register("b64")), fill(register("s32"))), (Some(Version(8, 6)), Some(Version(9, 0))));
}

#[test]
fn constants_by_type() {
    // Verdicts of ptxas 13.5.
    let fits = |opcode: &str, constant| {
        let Ok(Resolution::Matches(matches)) = Table::embedded().unwrap().resolve(opcode) else { panic!("{opcode}") };
        isa::fit(&matches, &written(&[Shape::Name, Shape::Name, constant])).is_ok()
    };
    assert!(fits("add.u32", Shape::Integer(1)) && !fits("add.u32", Shape::Float));
    assert!(fits("add.f32", Shape::Float) && !fits("add.f32", Shape::Integer(1)));
    assert!(fits("and.b32", Shape::Integer(1)) && fits("and.pred", Shape::Integer(1)));
    for packed in ["add.f16", "add.bf16", "add.f16x2", "add.s16x2"] {
        assert!(!fits(packed, Shape::Integer(1)) && !fits(packed, Shape::Float), "{packed}");
    }
}

/// SplitMix64.
fn random(state: &mut u64) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) as usize
}

#[test]
fn damaged_records_are_read_without_panic() {
    const PIECES: &[&str] =
        &["{", "}", ".", ",", ":", " if ", " else ", "(", ")", "\n", "  ", "\\\n", "|", "=", "[", "é", "types ", "0"];
    let mut state = 1;
    for _ in 0..3000 {
        let damage_words = random(&mut state).is_multiple_of(4);
        let mut text = if damage_words { WORDS } else { RECORDS }.to_owned();
        for _ in 0..1 + random(&mut state) % 4 {
            let mut at = random(&mut state) % text.len().max(1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            match random(&mut state) % 3 {
                0 if at < text.len() => drop(text.remove(at)),
                1 => text.truncate(at.max(40)),
                _ => text.insert_str(at, PIECES[random(&mut state) % PIECES.len()]),
            }
        }
        let (words, records) = if damage_words { (&*text, RECORDS) } else { (WORDS, &*text) };
        if let Ok(table) = read(words, records) {
            let _ = table.lint();
        }
    }
}

#[test]
fn odd_opcodes_are_resolved_without_panic() {
    let table = Table::embedded().unwrap();
    let words: Vec<&str> = table.words.iter().map(|w| w.name).chain([".u32", ".f32", ".", "..", ".é", ".v2"]).collect();
    let mut state = 2;
    for _ in 0..3000 {
        let base = table.records[random(&mut state) % table.records.len()].forms[0].base;
        let count = random(&mut state) % 8;
        let opcode = (0..count).fold(base.to_owned(), |text, _| text + words[random(&mut state) % words.len()]);
        if let Err(reason) = table.resolve(&opcode) {
            assert!(opcode.get(reason.at.clone()).is_some(), "{opcode}: {reason:?}");
        }
    }
    assert!(table.resolve(&"x".repeat(1_000_000)).is_err());
    assert!(table.resolve(&(String::from("ld") + &".u32".repeat(100_000))).is_err());
}

#[test]
fn every_instruction_of_the_manual_is_known() {
    // PTX ISA 9.4, 4.3.2, table 2.
    const KEYWORDS: &str = "
        abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev brkpt brx call clmad clz cnot
        copysign cos clusterlaunchcontrol cp createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fence fma fns getctarank
        griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma mov movmatrix
        mul mul24 multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp set
        setmaxnreg setp shf shfl shl shr sin slct spcompress spdecompress sqrt st stackrestore stacksave stmatrix sub subc suld suq
        sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4
        vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wgmma wmma xor";
    let table = Table::embedded().unwrap();
    let pending = |name: &str| table.pending.iter().any(|p| p.name.split('.').next() == Some(name));
    let known = |name: &&str| table.forms_of(name).next().is_some() || pending(name);
    let unknown: Vec<&str> = KEYWORDS.split_whitespace().filter(|name| !known(name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
