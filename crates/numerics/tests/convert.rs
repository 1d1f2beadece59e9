//! Conversions against rustc_apfloat: all inputs of 16-bit formats and integers, samples of the wider ones.

use numerics::*;
use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

const ROUNDINGS: [(Rounding, Round); 5] = [
    (Rounding::NearestEven, Round::NearestTiesToEven),
    (Rounding::NearestAway, Round::NearestTiesToAway),
    (Rounding::TowardZero, Round::TowardZero),
    (Rounding::Down, Round::TowardNegative),
    (Rounding::Up, Round::TowardPositive),
];

const PLAIN: PackOptions =
    PackOptions { saturate_finite: false, relu: false, positive_zero: false, flush_subnormals: false, saturate_unit: false };

/// Bits in rustc_apfloat's result, or the NaN of our format.
fn bits<F: Float>(format: &Format, value: F) -> u64 {
    if value.is_nan() { format.nan.unwrap() } else { value.to_bits() as u64 }
}

fn check_conversion<A: FloatConvert<B>, B: Float>(
    from: &Format,
    to: &Format,
    inputs: impl Iterator<Item = u64>,
    roundings: &[(Rounding, Round)],
) {
    for input in inputs {
        let a = A::from_bits(input as u128);
        if a.is_nan() {
            continue;
        }
        for &(ours, theirs) in roundings {
            let expected = bits(to, a.convert_r(theirs, &mut false).value);
            let got = convert(from, to, input, ours, PLAIN);
            assert_eq!(got, expected, "{} {input:x} to {} {ours:?}: {got:x}, not {expected:x}", from.name, to.name);
        }
    }
}

/// Singles close to every number of eight bits of precision, and around halves of f16, bf16 and tf32 units.
fn singles() -> impl Iterator<Item = u64> {
    const LOW: [u64; 13] = [0, 1, 0xfff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x3000, 0x7fff, 0x8000, 0x8001, 0xefff, 0xffff];
    (0..=u16::MAX as u64).flat_map(|high| LOW.map(|low| high << 16 | low))
}

fn doubles() -> impl Iterator<Item = u64> {
    // Exponents around those of the smaller formats, and the extremes.
    let exponents = (0..=2u64).chain(850..1200).chain(2045..2048);
    let mantissas = [0, 1, 0x8_0000_0000_0000, 0x8_0000_0000_0001, 0xf_ffff_ffff_ffff, 0x1000_0000, 0x0fff_ffff, 0x1000_0001];
    let fields = exponents.flat_map(move |e| mantissas.map(|m| e << 52 | m));
    fields.flat_map(|bits| [bits, bits | 1 << 63, bits ^ 0x0000_1234_5678_9abc])
}

#[test]
fn between_formats() {
    let all16 = || 0..=u16::MAX as u64;
    check_conversion::<Half, Single>(&Format::F16, &Format::F32, all16(), &ROUNDINGS[..1]);
    check_conversion::<Half, Double>(&Format::F16, &Format::F64, all16(), &ROUNDINGS[..1]);
    check_conversion::<Half, BFloat>(&Format::F16, &Format::BF16, all16(), &ROUNDINGS);
    check_conversion::<Half, Float8E5M2>(&Format::F16, &Format::E5M2, all16(), &ROUNDINGS);
    check_conversion::<Half, Float8E4M3FN>(&Format::F16, &Format::E4M3, all16(), &ROUNDINGS[..3]);
    check_conversion::<BFloat, Single>(&Format::BF16, &Format::F32, all16(), &ROUNDINGS[..1]);
    check_conversion::<BFloat, Half>(&Format::BF16, &Format::F16, all16(), &ROUNDINGS);
    check_conversion::<BFloat, Float8E5M2>(&Format::BF16, &Format::E5M2, all16(), &ROUNDINGS);
    check_conversion::<Single, Half>(&Format::F32, &Format::F16, singles(), &ROUNDINGS);
    check_conversion::<Single, BFloat>(&Format::F32, &Format::BF16, singles(), &ROUNDINGS);
    check_conversion::<Single, Double>(&Format::F32, &Format::F64, singles(), &ROUNDINGS[..1]);
    check_conversion::<Double, Single>(&Format::F64, &Format::F32, doubles(), &ROUNDINGS);
    check_conversion::<Double, Half>(&Format::F64, &Format::F16, doubles(), &ROUNDINGS);
    check_conversion::<Double, BFloat>(&Format::F64, &Format::BF16, doubles(), &ROUNDINGS);
}

#[test]
fn fast_conversions() {
    for bits in 0..=u16::MAX {
        let wide = |format| convert(format, &Format::F32, bits as u64, Rounding::NearestEven, PLAIN) as u32;
        let (half, bfloat) = (F16(bits), Bf16(bits));
        if !half.is_nan() {
            assert_eq!(half.to_f32().to_bits(), wide(&Format::F16));
        }
        if !bfloat.is_nan() {
            assert_eq!(bfloat.to_f32().to_bits(), wide(&Format::BF16));
        }
    }
    for input in singles() {
        let x = f32::from_bits(input as u32);
        let narrow = |format| convert(&Format::F32, format, input, Rounding::NearestEven, PLAIN) as u16;
        assert_eq!(F16::from_f32(x).0, narrow(&Format::F16), "{input:x}");
        assert_eq!(Bf16::from_f32(x).0, narrow(&Format::BF16), "{input:x}");
    }
    for input in doubles() {
        let x = f64::from_bits(input);
        let narrow = |format| convert(&Format::F64, format, input, Rounding::NearestEven, PLAIN) as u16;
        assert_eq!(F16::from_f64(x).0, narrow(&Format::F16), "{input:x}");
        assert_eq!(Bf16::from_f64(x).0, narrow(&Format::BF16), "{input:x}");
        for (rounding, theirs) in ROUNDINGS {
            let x: Single = Double::from_bits(input as u128).convert_r(theirs, &mut false).value;
            let got = f32_from_f64(f64::from_bits(input), rounding).to_bits() as u64;
            assert_eq!(got, bits(&Format::F32, x), "{input:x} {rounding:?}");
        }
    }
}

fn check_from_integer<F: Float>(format: &Format, value: i128) {
    for (rounding, theirs) in ROUNDINGS {
        let expected = bits(format, F::from_i128_r(value, theirs).value);
        assert_eq!(integer_to_float(value, format, rounding, PLAIN), expected, "{value} to {} {rounding:?}", format.name);
    }
}

#[test]
fn integers_to_float() {
    let small = -32768..=65535i128;
    // Around powers of two, their halves and quarters, and the ends of the types.
    let large =
        (16..64).flat_map(|n| [1i128 << n, 3 << (n - 1), 5 << (n - 2), (1 << n) + (1 << (n - 11)), (1 << n) + (1 << (n - 8))]);
    let large = large.flat_map(|x| (-3..=3).map(move |d| x + d)).flat_map(|x| [x, -x]);
    for value in small.chain(large) {
        check_from_integer::<Half>(&Format::F16, value);
        check_from_integer::<BFloat>(&Format::BF16, value);
        check_from_integer::<Single>(&Format::F32, value);
        check_from_integer::<Double>(&Format::F64, value);
    }
}

#[test]
fn integral_values() {
    for (rounding, theirs) in ROUNDINGS {
        for input in 0..=u16::MAX {
            let x = Half::from_bits(input as u128).round_to_integral(theirs).value;
            assert_eq!(integral_f16(F16(input), rounding).0 as u64, bits(&Format::F16, x), "{input:x} {rounding:?}");
            let x = BFloat::from_bits(input as u128).round_to_integral(theirs).value;
            assert_eq!(integral_bf16(Bf16(input), rounding).0 as u64, bits(&Format::BF16, x), "{input:x} {rounding:?}");
        }
        for input in singles() {
            let x = Single::from_bits(input as u128).round_to_integral(theirs).value;
            let got = integral_f32(f32::from_bits(input as u32), rounding).to_bits() as u64;
            assert_eq!(got, bits(&Format::F32, x), "{input:x} {rounding:?}");
        }
        for input in doubles() {
            let x = Double::from_bits(input as u128);
            let got = integral_f64(f64::from_bits(input), rounding).to_bits();
            if !x.is_nan() {
                assert_eq!(got, x.round_to_integral(theirs).value.to_bits() as u64, "{input:x} {rounding:?}");
            }
        }
    }
}
