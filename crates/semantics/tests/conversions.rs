//! Conversions of all 16-bit operands, and of samples of wider ones, against rustc_apfloat and the words of PTX ISA 9.4, 9.7.10.24 (cvt).

use machine::{Int, Mods};
use numerics::{Bf16, F16, Rounding};
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{FloatConvert, Round};
use semantics::convert::{self, Nearest, Truncate};
use semantics::float::Float;

const ROUNDINGS: [(Rounding, Round); 4] = [
    (Rounding::NearestEven, Round::NearestTiesToEven),
    (Rounding::TowardZero, Round::TowardZero),
    (Rounding::Down, Round::TowardNegative),
    (Rounding::Up, Round::TowardPositive),
];

fn rounded(rounding: Rounding) -> Mods {
    let mut mods = Mods::default();
    mods.round = rounding;
    mods
}

/// Numbers to one integer type, in all roundings.
fn check_integer<D, T, F>(input: u128, a: T)
where
    D: Int<Mask = bool>,
    T: Truncate<D>,
    F: rustc_apfloat::Float,
{
    let x = F::from_bits(input);
    for (rounding, theirs) in ROUNDINGS {
        let width = D::BITS as usize;
        let expected = if x.is_nan() {
            // Zero unless the source is f64 or the destination has 64 bits, then the top bit alone.
            match (T::TYPE.bits() < 64 && D::BITS < 64, D::SIGNED) {
                (true, _) => 0,
                (false, true) => D::MIN.to_i128(),
                (false, false) => 1 << (D::BITS - 1),
            }
        } else if D::SIGNED {
            // Out of range it delivers the nearest end of the range, as PTX does.
            x.to_i128_r(width, theirs, &mut false).value
        } else {
            x.to_u128_r(width, theirs, &mut false).value as i128
        };
        let got = convert::float_to_int::<D, T>(rounded(rounding), a).to_i128();
        assert_eq!(got, expected, "{input:x} = {x} to {} bits, signed {}, {rounding:?}", D::BITS, D::SIGNED);
    }
}

fn check_integers<T, F>(inputs: impl Iterator<Item = u64>)
where
    T: Truncate<u8> + Truncate<i8> + Truncate<u16> + Truncate<i16>,
    T: Truncate<u32> + Truncate<i32> + Truncate<u64> + Truncate<i64>,
    F: rustc_apfloat::Float,
{
    for input in inputs {
        let (input, a) = (u128::from(input), T::from_bits(input.into()));
        check_integer::<u8, T, F>(input, a);
        check_integer::<i8, T, F>(input, a);
        check_integer::<u16, T, F>(input, a);
        check_integer::<i16, T, F>(input, a);
        check_integer::<u32, T, F>(input, a);
        check_integer::<i32, T, F>(input, a);
        check_integer::<u64, T, F>(input, a);
        check_integer::<i64, T, F>(input, a);
    }
}

fn singles() -> impl Iterator<Item = u64> {
    (0..=u64::from(u16::MAX)).flat_map(|high| [0, 1, 0x8000, 0xffff].map(|low| high << 16 | low)).step_by(7)
}

fn doubles() -> impl Iterator<Item = u64> {
    // Exponents from far below one half to beyond 2^64, and the extremes.
    let exponents = (0..=2u64).chain(1000..1100).chain(2045..2048);
    let mantissas = [0, 1, 0x8_0000_0000_0000, 0x8_0000_0000_0001, 0xf_ffff_ffff_ffff, 0x4_0000_1000_0000, 0x1234_5678_9abc];
    exponents.flat_map(move |e| mantissas.map(|m| e << 52 | m)).flat_map(|bits| [bits, bits | 1 << 63])
}

#[test]
fn numbers_to_integers() {
    check_integers::<F16, Half>(0..=u64::from(u16::MAX));
    check_integers::<Bf16, BFloat>(0..=u64::from(u16::MAX));
    check_integers::<f32, Single>(singles());
    check_integers::<f64, Double>(doubles());
}

/// An integer to one format, in all roundings.
fn check_number<D: Float, A: Nearest<D>, F: rustc_apfloat::Float>(a: A) {
    for (rounding, theirs) in ROUNDINGS {
        let expected = F::from_i128_r(a.to_i128(), theirs).value.to_bits();
        let got = convert::int_to_float::<D, A>(rounded(rounding), a).to_bits();
        assert_eq!(got, expected, "{} to {:?} {rounding:?}", a.to_i128(), D::TYPE);
    }
}

fn check_numbers<A: Nearest<F16> + Nearest<Bf16> + Nearest<f32> + Nearest<f64>>(a: A) {
    check_number::<F16, A, Half>(a);
    check_number::<Bf16, A, BFloat>(a);
    check_number::<f32, A, Single>(a);
    check_number::<f64, A, Double>(a);
}

#[test]
fn integers_to_numbers() {
    for bits in 0..=u16::MAX {
        check_numbers(bits as i16);
        check_numbers(bits);
        if let Ok(byte) = u8::try_from(bits) {
            check_numbers(byte);
            check_numbers(byte as i8);
        }
    }
    // Around powers of two, their halves and quarters, and the ends of the types.
    for n in 16..64 {
        for centre in [1u64 << n, 3 << (n - 1), 5 << (n - 2), (1 << n) + (1 << (n - 11)), (1 << n) + (1 << (n - 8))] {
            for distance in -3..=3i64 {
                let value = centre.wrapping_add_signed(distance);
                check_numbers(value);
                check_numbers(value as i64);
                check_numbers((value as i64).wrapping_neg());
                check_numbers(value as u32);
                check_numbers(value as i32);
            }
        }
    }
}

/// All encodings of a 16-bit format to another; NaN by the module's rules, so not here.
fn check_format<A: Float, D: Float, F: FloatConvert<G>, G: rustc_apfloat::Float>(inputs: impl Iterator<Item = u64>) {
    for input in inputs {
        let x = F::from_bits(input.into());
        if x.is_nan() {
            continue;
        }
        for (rounding, theirs) in ROUNDINGS {
            let expected = x.convert_r(theirs, &mut false).value.to_bits();
            let got = convert::float::<D, A>(rounded(rounding), A::from_bits(input.into())).to_bits();
            assert_eq!(got, expected, "{input:x} from {:?} to {:?} {rounding:?}", A::TYPE, D::TYPE);
        }
    }
}

#[test]
fn between_formats() {
    let all16 = || 0..=u64::from(u16::MAX);
    check_format::<F16, f32, Half, Single>(all16());
    check_format::<F16, f64, Half, Double>(all16());
    check_format::<F16, Bf16, Half, BFloat>(all16());
    check_format::<Bf16, f32, BFloat, Single>(all16());
    check_format::<Bf16, f64, BFloat, Double>(all16());
    check_format::<Bf16, F16, BFloat, Half>(all16());
    check_format::<f32, F16, Single, Half>(singles());
    check_format::<f32, Bf16, Single, BFloat>(singles());
    check_format::<f64, f32, Double, Single>(doubles());
    check_format::<f64, F16, Double, Half>(doubles());
}
