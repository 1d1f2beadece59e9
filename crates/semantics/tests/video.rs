//! Video functions with selected destinations and negated operands, against the Python integers of `make_integer.py`.

use machine::{Mods, Type};
use semantics::Shape;

#[test]
fn selected_destinations_and_negated_operands() {
    let text = include_str!("video.txt");
    let mut lines = 0;
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        lines += 1;
        let (call, result) = line.split_once(" -> ").unwrap_or_else(|| panic!("{line}"));
        let fields: Vec<&str> = call.split("  ").collect();
        let [function, types, settings, values] = fields[..] else { panic!("{line}") };
        let types: Vec<Type> = types.split(' ').filter_map(Type::parse).collect();
        let Some(Shape::Lane(instances)) = semantics::find(function).map(|f| &f.shape) else { panic!("{line}: no function") };
        let instance = semantics::instance(instances, &types[..1], &types[1..]);
        let instance = instance.unwrap_or_else(|| panic!("{line}: no instance"));
        let mut mods = Mods::default();
        for setting in settings.split(' ').filter(|s| !s.is_empty()) {
            let (key, value) = setting.split_once('=').map_or((setting, None), |(key, value)| (key, Some(value)));
            mods.set(key, value).unwrap_or_else(|why| panic!("{line}: {why}"));
        }
        let values: Vec<u128> = values.split(' ').map(hexadecimal).collect();
        let found = (instance.one)(mods, &values)[0];
        assert_eq!(found, hexadecimal(result), "{line}: 0x{found:x}");
    }
    assert!(lines > 1000, "{lines} lines");
}

fn hexadecimal(text: &str) -> u128 {
    u128::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or_else(|_| panic!("{text}"))
}
