//! Every input of the instructions on 8-bit lanes and of the unary ones on 16 bits, against plain arithmetic in wider integers.

use machine::{Mods, Type};
use semantics::Shape;

/// The one-value form of a function for a result and sources of the same type.
fn function(name: &str, ty: Type, sources: usize) -> impl Fn(Mods, &[u128]) -> u128 {
    let Some(Shape::Lane(instances)) = semantics::find(name).map(|f| &f.shape) else { panic!("{name}") };
    let instance = semantics::instance(instances, &[ty], &vec![ty; sources]).unwrap_or_else(|| panic!("{name} of {ty:?}"));
    move |mods, values| (instance.one)(mods, values)[0]
}

fn mods(settings: &[(&str, Option<&str>)]) -> Mods {
    let mut mods = Mods::default();
    settings.iter().for_each(|(key, value)| mods.set(key, *value).unwrap_or_else(|why| panic!("{why}")));
    mods
}

/// Holds a function on quads against `expected` for all pairs of bytes, four pairs at a time; results wrap around.
fn all_pairs(name: &str, signed: bool, settings: &[(&str, Option<&str>)], expected: impl Fn(i32, i32) -> i32) {
    let quads = function(name, if signed { Type::S8x4 } else { Type::U8x4 }, 2);
    let mods = mods(settings);
    let number = |byte: u8| if signed { i32::from(byte as i8) } else { i32::from(byte) };
    for a in 0..=255u8 {
        for b in (0..=255u8).step_by(4) {
            let second = [b, b + 1, b + 2, b + 3];
            let found = quads(mods, &[u32::from_le_bytes([a; 4]).into(), u32::from_le_bytes(second).into()]);
            let wanted = u32::from_le_bytes(second.map(|b| expected(number(a), number(b)) as u8));
            assert_eq!(found, u128::from(wanted), "{name} {settings:?} of {a} and {second:?}, signed: {signed}");
        }
    }
}

#[test]
fn all_pairs_of_bytes() {
    const SAT: &[(&str, Option<&str>)] = &[("sat", None)];
    const RELU: &[(&str, Option<&str>)] = &[("relu", None)];
    for signed in [false, true] {
        let clamp = |n: i32| if signed { n.clamp(-128, 127) } else { n.clamp(0, 255) };
        all_pairs("int::add", signed, &[], |a, b| a + b);
        all_pairs("int::sub", signed, &[], |a, b| a - b);
        all_pairs("int::add", signed, SAT, |a, b| clamp(a + b));
        all_pairs("int::sub", signed, SAT, |a, b| clamp(a - b));
        all_pairs("int::min", signed, &[], |a, b| a.min(b));
        all_pairs("int::max", signed, &[], |a, b| a.max(b));
        type Comparison = (&'static str, fn(&i32, &i32) -> bool);
        let comparisons: [Comparison; 6] =
            [("eq", i32::eq), ("ne", i32::ne), ("lt", i32::lt), ("le", i32::le), ("gt", i32::gt), ("ge", i32::ge)];
        for (word, holds) in comparisons {
            all_pairs("compare::set", signed, &[("compare", Some(word))], |a, b| -i32::from(holds(&a, &b)));
        }
    }
    for (word, holds) in [("lo", u8::lt as fn(&u8, &u8) -> bool), ("ls", u8::le), ("hi", u8::gt), ("hs", u8::ge)] {
        all_pairs("compare::set", false, &[("compare", Some(word))], |a, b| -i32::from(holds(&(a as u8), &(b as u8))));
    }
    all_pairs("int::min", true, RELU, |a, b| a.min(b).max(0));
    all_pairs("int::max", true, RELU, |a, b| a.max(b).max(0));
}

#[test]
fn all_16_bit_numbers() {
    let (abs, neg) = (function("int::abs", Type::S16, 1), function("int::neg", Type::S16, 1));
    let (not, cnot) = (function("logic::not", Type::U16, 1), function("logic::cnot", Type::U16, 1));
    for bits in 0..=u16::MAX {
        let (value, signed) = (u128::from(bits), i32::from(bits as i16));
        let wrapped = |n: i32| u128::from(n as u16);
        assert_eq!(abs(Mods::default(), &[value]), wrapped(signed.abs()), "abs.s16 of {signed}");
        assert_eq!(neg(Mods::default(), &[value]), wrapped(-signed), "neg.s16 of {signed}");
        assert_eq!(not(Mods::default(), &[value]), 0xffff - value, "not.b16 of {bits}");
        assert_eq!(cnot(Mods::default(), &[value]), u128::from(bits == 0), "cnot.b16 of {bits}");
    }
}
