//! What conversions do besides rounding, after the words of PTX ISA 9.4, 9.7.10.24 (cvt), and square roots by squaring.

use numerics::*;

const ROUNDINGS: [Rounding; 5] =
    [Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero, Rounding::Down, Rounding::Up];

fn narrow(to: &Format, x: f32, rounding: Rounding, options: PackOptions) -> u64 {
    convert(&Format::F32, to, x.to_bits() as u64, rounding, options)
}

/// A small generator with a fixed seed: xorshift* (Vigna).
fn random(state: &mut u64) -> u64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d)
}

#[test]
fn saturate_to_finite() {
    let options = PackOptions { saturate_finite: true, ..PackOptions::default() };
    // Format, largest finite number, NaN.
    for (format, max, nan) in [
        (Format::F16, 0x7bff, 0x7fff),
        (Format::BF16, 0x7f7f, 0x7fff),
        (Format::TF32, 0x7f7f_e000, 0x7fff_ffff),
        (Format::E4M3, 0x7e, 0x7f),
        (Format::E5M2, 0x7b, 0x7f),
        (Format::E2M3, 0x1f, 0x1f),
        (Format::E3M2, 0x1f, 0x1f),
        (Format::E2M1, 0x07, 0x07),
    ] {
        let sign = 1 << (format.bits() - 1 + format.padding);
        for rounding in ROUNDINGS {
            for large in [f32::INFINITY, f32::MAX] {
                assert_eq!(narrow(&format, large, rounding, options), max, "{} {rounding:?}", format.name);
                assert_eq!(narrow(&format, -large, rounding, options), max | sign, "{} {rounding:?}", format.name);
            }
            assert_eq!(narrow(&format, f32::NAN, rounding, options), nan, "{}", format.name);
            assert_eq!(narrow(&format, -f32::NAN, rounding, options), nan, "{}", format.name);
        }
    }
    // Unsigned formats have a positive largest number for both signs.
    for (format, max, nan) in [(Format::UE5M3, 0xfe, 0xff), (Format::UE8M0, 0xfe, 0xff)] {
        assert_eq!(narrow(&format, f32::INFINITY, Rounding::NearestEven, options), max);
        assert_eq!(narrow(&format, f32::NEG_INFINITY, Rounding::NearestEven, options), max);
        assert_eq!(narrow(&format, f32::NAN, Rounding::NearestEven, options), nan);
    }
}

#[test]
fn relu_sat_and_positive_zero() {
    let with = |change: fn(&mut PackOptions), x: f32| {
        let mut options = PackOptions::default();
        change(&mut options);
        narrow(&Format::F16, x, Rounding::NearestEven, options)
    };
    let relu: fn(&mut PackOptions) = |options| options.relu = true;
    let sat: fn(&mut PackOptions) = |options| options.saturate_unit = true;
    let positive_zero: fn(&mut PackOptions) = |options| options.positive_zero = true;
    let flush: fn(&mut PackOptions) = |options| options.flush_subnormals = true;
    for (change, x, expected) in [
        (relu, -1.0, 0),
        (relu, f32::NEG_INFINITY, 0),
        (relu, 1.0, 0x3c00),
        (relu, f32::INFINITY, 0x7c00),
        (relu, f32::NAN, 0x7fff),
        (sat, -1.0, 0),
        (sat, 0.5, 0x3800),
        (sat, 1.5, 0x3c00),
        (sat, f32::INFINITY, 0x3c00),
        (sat, f32::NAN, 0),
        (positive_zero, -0.0, 0),
        (positive_zero, -1e-10, 0),
        (positive_zero, -1.0, 0xbc00),
        (flush, 5e-5, 0),
        (flush, -5e-5, 0x8000),
        (flush, 7e-5, 0x0496),
    ] {
        assert_eq!(with(change, x), expected, "{x}");
    }
    for (bits, flushed) in [(0x8000_0001, 0x8000_0000), (0x007f_ffff, 0), (0x0080_0000, 0x0080_0000), (0x7fc0_0001, 0x7fc0_0001)]
    {
        assert_eq!(flush_f32(f32::from_bits(bits)).to_bits(), flushed);
    }
}

/// The well-known integer formulas of rounding to tf32 (CUTLASS, tfloat32.h).
#[test]
fn tf32() {
    let mut state = 1;
    for _ in 0..200_000 {
        let bits = random(&mut state) as u32;
        let x = f32::from_bits(bits);
        if x.is_nan() {
            continue;
        }
        let mask = !0x1fff;
        let finite = x.is_finite();
        let away = if finite { bits.wrapping_add(0x1000) & mask } else { bits };
        let even = if finite { bits.wrapping_add(0xfff + (bits >> 13 & 1)) & mask } else { bits };
        let plain = PackOptions::default();
        assert_eq!(narrow(&Format::TF32, x, Rounding::NearestAway, plain), away as u64);
        assert_eq!(narrow(&Format::TF32, x, Rounding::NearestEven, plain), even as u64);
        assert_eq!(narrow(&Format::TF32, x, Rounding::TowardZero, plain), (bits & mask) as u64);
    }
}

/// "Rounded in the direction toward zero or away from zero based on the carry out of the integer addition of the supplied random bits
/// to the truncated off bits": in the normal range that is an addition to the encoding.
#[test]
fn stochastic() {
    let mut state = 2;
    for (format, random_bits) in [
        (Format::F16, 13),
        (Format::BF16, 16),
        (Format::E4M3, 16),
        (Format::E5M2, 16),
        (Format::E2M3, 16),
        (Format::E3M2, 16),
        (Format::E2M1, 8),
    ] {
        let discarded = 23 - format.mantissa_bits;
        let exponents = (127 + format.min_exponent()) as u32..(127 + format.bias) as u32;
        for _ in 0..20_000 {
            let exponent = exponents.start + random(&mut state) as u32 % (exponents.end - exponents.start).min(40);
            let magnitude = exponent << 23 | random(&mut state) as u32 & 0x7f_ffff;
            let bits = random(&mut state) as u32 & 0x8000_0000 | magnitude;
            let rbits = random(&mut state) as u32 & ((1 << random_bits) - 1);
            let sum = magnitude + (rbits << (discarded - random_bits));
            let rebias = ((127 - format.bias) as u32) << format.mantissa_bits;
            let expected = ((sum >> discarded) - rebias) | (bits >> 31 << format.magnitude_bits());
            let value = unpack(&Format::F32, bits as u64);
            // Bits of the random number above its width don't matter.
            let got = pack_stochastic(
                &format,
                &value,
                rbits | 0xffff_0000 << (random_bits / 16 * 4),
                random_bits,
                PackOptions::default(),
            );
            assert_eq!(got, expected as u64, "{} {bits:x} {rbits:x}", format.name);
        }
    }
}

/// Values of PTX ISA 9.4, 5.2.4, and of its rounding rules.
#[test]
fn s2f6() {
    let pack = |x: f32, rounding, relu| pack_s2f6(&unpack(&Format::F32, x.to_bits() as u64), rounding, relu);
    for (x, bits) in [(1.984375f32, 0x7f), (-2.0, 0x80), (0.015625, 0x01), (-0.015625, 0xff), (0.0, 0), (1.0, 0x40)] {
        assert_eq!(pack(x, Rounding::NearestEven, false), bits);
        let back = numerics::pack(&Format::F32, &unpack_s2f6(bits), Rounding::NearestEven, PackOptions::default());
        assert_eq!(back as u32, x.to_bits());
    }
    for (x, nearest, zero) in [
        (100.0, 0x7f, 0x7f),
        (-100.0, 0x80, 0x80),
        (f32::INFINITY, 0x7f, 0x7f),
        (f32::NEG_INFINITY, 0x80, 0x80),
        (f32::NAN, 0x7f, 0x7f),
        (1.5 / 64.0, 0x02, 0x01),
        (2.5 / 64.0, 0x02, 0x02),
        (-1.5 / 64.0, 0xfe, 0xff),
        (1e-30, 0, 0),
    ] {
        assert_eq!(pack(x, Rounding::NearestEven, false), nearest, "{x}");
        assert_eq!(pack(x, Rounding::TowardZero, false), zero, "{x}");
    }
    assert_eq!(pack(-1.0, Rounding::NearestEven, true), 0);
    assert_eq!(pack(1.0, Rounding::NearestEven, true), 0x40);
}

/// The ordering of a root among its neighbours' squares, in integers: `root` is right if rounding the exact root gives it.
fn check_root(significand: u128, root: u128, rounding: Rounding) {
    // All in units where the radicand is an integer and so is the root: halves are compared by doubling.
    let square = |x: u128| x * x;
    let right = match rounding {
        Rounding::TowardZero | Rounding::Down => square(root) <= significand && significand < square(root + 1),
        Rounding::Up => square(root - 1) < significand && significand <= square(root),
        Rounding::NearestEven | Rounding::NearestAway => {
            square(2 * root - 1) < 4 * significand && 4 * significand < square(2 * root + 1)
        }
    };
    assert!(right, "{significand:x} {root:x} {rounding:?}");
}

#[test]
fn square_roots() {
    let mut state = 3;
    for i in 0..200_000 {
        let bits = match i % 4 {
            0 => random(&mut state) % (1 << 52),
            1 => (1022 + (random(&mut state) & 3)) << 52 | 0xf_ffff_ffff_ffff >> (random(&mut state) % 52),
            _ => random(&mut state) % (0x7ff << 52),
        };
        for rounding in ROUNDINGS {
            let x = f64::from_bits(bits);
            let (value, root) = (unpack(&Format::F64, bits), unpack(&Format::F64, sqrt_f64(x, rounding).to_bits()));
            if value.class == Class::Finite {
                // value = significand * 2^exponent = significand' * 2^(2 * root.exponent)
                let shift = value.exponent - 2 * root.exponent;
                check_root(value.significand << shift, root.significand, rounding);
            }
            let x = f32::from_bits((bits >> 32) as u32 & 0x7fff_ffff);
            let bits = |x: f32| unpack(&Format::F32, x.to_bits() as u64);
            let (value, root) = (bits(x), bits(sqrt_f32(x, rounding)));
            if value.class == Class::Finite {
                check_root(value.significand << (value.exponent - 2 * root.exponent), root.significand, rounding);
            }
        }
    }
    for rounding in ROUNDINGS {
        assert_eq!(sqrt_f32(-0.0, rounding).to_bits(), 0x8000_0000);
        assert_eq!(sqrt_f32(-1.0, rounding).to_bits(), 0x7fff_ffff);
        assert_eq!(sqrt_f64(-0.0, rounding).to_bits(), 1 << 63);
        assert_eq!(sqrt_f64(f64::INFINITY, rounding), f64::INFINITY);
        assert!(sqrt_f64(-1.0, rounding).is_nan());
    }
}

/// Payloads "are supported" in double precision: the first NaN operand, made quiet.
#[test]
fn nan_payloads() {
    let (signalling, quiet) = (f64::from_bits(0x7ff0_0000_0000_0123), f64::from_bits(0xfff8_0000_0000_0456));
    let made_quiet = 0x7ff8_0000_0000_0123;
    for rounding in ROUNDINGS {
        assert_eq!(add_f64(signalling, quiet, rounding).to_bits(), made_quiet);
        assert_eq!(sub_f64(1.0, quiet, rounding).to_bits(), quiet.to_bits());
        assert_eq!(mul_f64(quiet, signalling, rounding).to_bits(), quiet.to_bits());
        assert_eq!(fma_f64(1.0, 2.0, signalling, rounding).to_bits(), made_quiet);
        assert_eq!(div_f64(1.0, signalling, rounding).to_bits(), made_quiet);
        assert_eq!(sqrt_f64(signalling, rounding).to_bits(), made_quiet);
        assert_eq!(integral_f64(signalling, rounding).to_bits(), made_quiet);
        assert_eq!(div_f64(0.0, 0.0, rounding).to_bits(), 0xfff8_0000_0000_0000);
    }
}
