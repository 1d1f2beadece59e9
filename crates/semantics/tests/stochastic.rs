//! `cvt.rs` to four numbers: expected values worked out by hand from the manual's rule (PTX ISA 9.4, 9.7.10.24).

use machine::{Mods, Type};

fn pack4(format: &str, result: Type, numbers: [f32; 4], random: u32) -> u128 {
    let function = semantics::find("convert::pack4_stochastic").expect("registered");
    let semantics::Shape::Lane(instances) = function.shape else { panic!("a function of one lane") };
    let sources = [Type::F32, Type::F32, Type::F32, Type::F32, Type::U32];
    let instance = semantics::instance(instances, &[result], &sources).expect("an instance");
    let mut mods = Mods::default();
    mods.set("to", Some(format)).expect("a format");
    mods.set("satfinite", None).expect("a flag");
    let values: Vec<u128> = numbers.iter().map(|x| x.to_bits()).chain([random]).map(u128::from).collect();
    (instance.one)(mods, &values)[0]
}

#[test]
fn random_bits_round_what_lies_between() {
    // 1.0625 lies halfway between 1 (0x38) and 1.125 (0x39): the upper half of 0x8000_7fff carries, the lower does not.
    assert_eq!(pack4("e4m3x4", Type::U32, [1.0, 1.0625, 1.0625, -512.0], 0x8000_7fff), 0x3839_38fe);
    // 1.25 lies halfway between 1 (2) and 1.5 (3): a byte of 0x80 carries, one of 0 would not.
    assert_eq!(pack4("e2m1x4", Type::U16, [1.25, 1.25, 1.25, -1.25], 0x0080_8080), 0x233b);
}
