//! The small formats against ml_dtypes: hashes in tests/numerics/small_formats.txt, made by the script beside it.

use numerics::*;

const EXPECTED: &str = include_str!("../../../tests/numerics/small_formats.txt");

const FORMATS: [Format; 8] =
    [Format::E4M3, Format::E5M2, Format::E4M3_FNUZ, Format::E5M2_FNUZ, Format::E2M3, Format::E3M2, Format::E2M1, Format::UE8M0];

fn expected(format: &Format, what: &str) -> u64 {
    let prefix = format!("{} {what} ", format.name);
    let line = EXPECTED.lines().find_map(|line| line.strip_prefix(&prefix));
    u64::from_str_radix(line.expect("a line for every format and operation"), 16).expect("a hash")
}

/// 64-bit FNV-1a.
fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ byte as u64).wrapping_mul(0x100_0000_01b3))
}

/// To nearest, as a byte; NaN as 255.
fn packed(format: &Format, value: &Unpacked) -> u8 {
    let bits = pack(format, value, Rounding::NearestEven, PackOptions::default());
    if unpack(format, bits).class == Class::Nan { 255 } else { bits as u8 }
}

fn is_nan(format: &Format, bits: u64) -> bool {
    unpack(format, bits).class == Class::Nan
}

#[test]
fn from_single() {
    for format in &FORMATS {
        let all = (0..=u16::MAX).flat_map(|high| [0, 1, 0x7fff, 0x8000, 0xffff].map(|low| (high as u32) << 16 | low));
        let singles = all.map(f32::from_bits).filter(|x| !x.is_nan());
        let positive_only = !format.signed;
        let singles = singles.filter(|x| !positive_only || (x.is_finite() && *x >= f32::MIN_POSITIVE));
        let hash = fnv(singles.map(|x| packed(format, &unpack(&Format::F32, x.to_bits() as u64))));
        assert_eq!(hash, expected(format, "from_f32"), "{}", format.name);
    }
}

#[test]
fn to_single() {
    for format in &FORMATS {
        let encodings = (0..1 << format.bits()).filter(|&bits| !is_nan(format, bits));
        let singles =
            encodings.map(|bits| convert(format, &Format::F32, bits, Rounding::NearestEven, PackOptions::default()) as u32);
        assert_eq!(fnv(singles.flat_map(u32::to_le_bytes)), expected(format, "to_f32"), "{}", format.name);
    }
}

#[test]
fn all_pairs() {
    for format in FORMATS.iter().filter(|format| format.signed) {
        let encodings = || (0..1u64 << format.bits()).filter(|&bits| !is_nan(format, bits));
        let pairs = || encodings().flat_map(|a| encodings().map(move |b| (unpack(format, a), unpack(format, b))));
        // Results that the format cannot express at all are left out, as in the script.
        let expressible = |x: &Unpacked| format.nan.is_some() || !matches!(x.class, Class::Nan | Class::Infinite);
        let hash = |operation: fn(Unpacked, Unpacked) -> Unpacked| {
            fnv(pairs().map(|(a, b)| operation(a, b)).filter(expressible).map(|x| packed(format, &x)))
        };
        let name = format.name;
        assert_eq!(hash(|a, b| exact::add(a, b, Rounding::NearestEven)), expected(format, "add"), "{name} add");
        assert_eq!(hash(exact::mul), expected(format, "mul"), "{name} mul");
        assert_eq!(hash(exact::div), expected(format, "div"), "{name} div");
    }
}

/// Unsigned formats: the sign is dropped, ties go up, what is below the smallest number becomes it (CUDA 13.5, cuda_fp8.h and cuda_fp8.hpp).
#[test]
fn scale_factors() {
    let ue8m0 = |bits: u32, rounding, saturate_finite| {
        let options = PackOptions { saturate_finite, ..PackOptions::default() };
        convert(&Format::F32, &Format::UE8M0, bits as u64, rounding, options)
    };
    for (bits, nearest, up, zero) in [
        (0x0000_0000, 0x00, 0x00, 0x00),
        (0x003f_ffff, 0x00, 0x00, 0x00),
        (0x0040_0000, 0x00, 0x00, 0x00),
        (0x0040_0001, 0x00, 0x01, 0x00),
        (0x005f_ffff, 0x00, 0x01, 0x00),
        (0x0060_0000, 0x01, 0x01, 0x00),
        (0x3f80_0000, 0x7f, 0x7f, 0x7f),
        (0x3fbf_ffff, 0x7f, 0x80, 0x7f),
        (0x3fc0_0000, 0x80, 0x80, 0x7f),
        (0x7f00_0000, 0xfe, 0xfe, 0xfe),
    ] {
        for bits in [bits, bits | 0x8000_0000] {
            assert_eq!(ue8m0(bits, Rounding::NearestEven, false), nearest, "{bits:x}");
            assert_eq!(ue8m0(bits, Rounding::Up, false), up, "{bits:x}");
            assert_eq!(ue8m0(bits, Rounding::TowardZero, false), zero, "{bits:x}");
        }
    }
    assert_eq!(ue8m0(0x7f80_0000, Rounding::TowardZero, false), 0xff, "infinity");
    assert_eq!(ue8m0(0x7f80_0000, Rounding::TowardZero, true), 0xfe, "infinity, saturated");
    assert_eq!(ue8m0(0x7f00_0001, Rounding::Up, false), 0xff, "overflow");
    assert_eq!(ue8m0(0x7f00_0001, Rounding::Up, true), 0xfe, "overflow, saturated");
    assert_eq!(ue8m0(0x7fff_ffff, Rounding::Up, true), 0xff, "NaN");
}

/// Unsigned formats against the host code of CUDA's cuda_fp8.h: hashes in tests/numerics/scale_formats.txt, made by the program beside it.
#[test]
fn scale_factors_from_single() {
    const EXPECTED: &str = include_str!("../../../tests/numerics/scale_formats.txt");
    for line in EXPECTED.lines().filter(|line| !line.starts_with('#')) {
        let [format, mode, hash] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let format = if format == "ue5m3" { Format::UE5M3 } else { Format::UE8M0 };
        let rounding = match &mode[..2] {
            "rn" => Rounding::NearestEven,
            "rz" => Rounding::TowardZero,
            _ => Rounding::Up,
        };
        let options = PackOptions { saturate_finite: mode.ends_with("satfinite"), ..PackOptions::default() };
        let all = (0..=u16::MAX).flat_map(|high| [0, 1, 0x7fff, 0x8000, 0xffff].map(|low| (high as u32) << 16 | low));
        let computed = fnv(all.map(|bits| convert(&Format::F32, &format, bits as u64, rounding, options) as u8));
        assert_eq!(format!("{computed:016x}"), hash, "{line}");
    }
}
