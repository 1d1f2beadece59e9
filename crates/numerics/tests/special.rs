//! The approximate functions: against the published model and mpmath (hashes in tests/numerics/special_functions.txt, made by the
//! programs beside it; special_functions_all.txt for all singles), the manual's special cases and its error bounds (PTX ISA 9.4, 9.7.3).

use numerics::*;

const EXPECTED: &str = include_str!("../../../tests/numerics/special_functions.txt");
const EXPECTED_OF_ALL: &str = include_str!("../../../tests/numerics/special_functions_all.txt");
const NAN: u32 = 0x7fff_ffff;
const STEP: usize = 4099;

fn expected(name: &str) -> u64 {
    expected_in(EXPECTED, name)
}

fn expected_in(file: &str, name: &str) -> u64 {
    let prefix = format!("{name} ");
    let line = file.lines().find_map(|line| line.strip_prefix(&prefix));
    u64::from_str_radix(line.expect("a line for every function"), 16).expect("a hash")
}

/// 64-bit FNV-1a.
fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ byte as u64).wrapping_mul(0x100_0000_01b3))
}

fn singles() -> impl Iterator<Item = f32> {
    (0..=u32::MAX).step_by(STEP).map(f32::from_bits)
}

type Unary = fn(f32) -> f32;

const MODELS: [(&str, Unary); 7] = [
    ("rcp", |x| rcp_approx_f32(x, false)),
    ("rsqrt", |x| rsqrt_approx_f32(x, false)),
    ("sqrt", |x| sqrt_approx_f32(x, false)),
    ("lg2", |x| lg2_approx_f32(x, false)),
    ("ex2", |x| ex2_approx_f32(x, false)),
    ("sin", sin_approx_f32),
    ("cos", cos_approx_f32),
];

#[test]
fn published_model() {
    for (name, function) in MODELS {
        let hash = fnv(singles().flat_map(|x| function(x).to_bits().to_le_bytes()));
        assert_eq!(hash, expected(name), "{name}");
    }
}

/// The same for all 2^32 singles.
#[test]
#[ignore = "takes minutes"]
fn published_model_of_all_singles() {
    for (name, function) in MODELS {
        let hash = fnv((0..=u32::MAX).flat_map(|bits| function(f32::from_bits(bits)).to_bits().to_le_bytes()));
        println!("{name} {hash:016x}");
        assert_eq!(hash, expected_in(EXPECTED_OF_ALL, name), "{name}");
    }
}

#[test]
fn half_functions() {
    let f16 =
        |function: fn(F16) -> F16| fnv((0..=u16::MAX).map(F16).filter(|x| !x.is_nan()).flat_map(|x| function(x).0.to_le_bytes()));
    let bf16 = |function: fn(Bf16) -> Bf16| {
        fnv((0..=u16::MAX).map(Bf16).filter(|x| !x.is_nan()).flat_map(|x| function(x).0.to_le_bytes()))
    };
    assert_eq!(f16(tanh_approx_f16), expected("tanh.f16"));
    assert_eq!(f16(ex2_approx_f16), expected("ex2.f16"));
    assert_eq!(bf16(tanh_approx_bf16), expected("tanh.bf16"));
    assert_eq!(bf16(ex2_approx_ftz_bf16), expected("ex2.bf16"));
    assert_eq!(tanh_approx_f16(F16(0xfe00)), F16::NAN);
    assert_eq!(ex2_approx_ftz_bf16(Bf16(0x7f81)), Bf16::NAN);
}

/// The manual's tables of special inputs.
#[test]
fn special_inputs() {
    const INF: f32 = f32::INFINITY;
    let inputs = [-INF, -1.0, -0.0, 0.0, INF, f32::NAN];
    let check = |name: &str, function: &dyn Fn(f32) -> f32, results: [f32; 6]| {
        for (x, result) in inputs.into_iter().zip(results) {
            let expected = if result.is_nan() { NAN } else { result.to_bits() };
            assert_eq!(function(x).to_bits(), expected, "{name} {x:?}");
        }
    };
    let nan = f32::NAN;
    for ftz in [false, true] {
        check("rcp", &|x| rcp_approx_f32(x, ftz), [-0.0, -1.0, -INF, INF, 0.0, nan]);
        check("sqrt", &|x| sqrt_approx_f32(x, ftz), [nan, nan, -0.0, 0.0, INF, nan]);
        check("rsqrt", &|x| rsqrt_approx_f32(x, ftz), [nan, nan, -INF, INF, 0.0, nan]);
        check("lg2", &|x| lg2_approx_f32(x, ftz), [nan, nan, -INF, -INF, INF, nan]);
        check("ex2", &|x| ex2_approx_f32(x, ftz), [0.0, 0.5, 1.0, 1.0, INF, nan]);
    }
    check("tanh", &tanh_approx_f32, [-1.0, -0.761_594_2, -0.0, 0.0, 1.0, nan]);
    for x in [-INF, INF, nan] {
        assert_eq!(sin_approx_f32(x).to_bits(), NAN);
        assert_eq!(cos_approx_f32(x).to_bits(), NAN);
    }
    assert_eq!(sin_approx_f32(-0.0).to_bits(), 0x8000_0000);
    assert_eq!(sin_approx_f32(0.0).to_bits(), 0);
    assert_eq!(cos_approx_f32(-0.0), 1.0);
}

/// `.ftz` differs only where an operand or a result is subnormal, and there flushes it.
#[test]
fn flushing() {
    let pairs: [(&str, Unary, Unary); 5] = [
        ("rcp", |x| rcp_approx_f32(x, false), |x| rcp_approx_f32(x, true)),
        ("rsqrt", |x| rsqrt_approx_f32(x, false), |x| rsqrt_approx_f32(x, true)),
        ("sqrt", |x| sqrt_approx_f32(x, false), |x| sqrt_approx_f32(x, true)),
        ("lg2", |x| lg2_approx_f32(x, false), |x| lg2_approx_f32(x, true)),
        ("ex2", |x| ex2_approx_f32(x, false), |x| ex2_approx_f32(x, true)),
    ];
    for (name, plain, ftz) in pairs {
        for x in singles() {
            assert_eq!(ftz(x).to_bits(), flush_f32(plain(flush_f32(x))).to_bits(), "{name} {x:e}");
        }
    }
}

/// Distance from the correctly rounded value in units of the last place; that is how the manual counts (ex2: "2 ulp from correctly
/// rounded result").
fn ulps(got: f32, exact: f64) -> u32 {
    let exact = exact as f32;
    assert_eq!(got.is_sign_negative(), exact.is_sign_negative());
    got.to_bits().abs_diff(exact.to_bits())
}

#[test]
fn error_bounds() {
    for x in singles().filter(|x| x.is_finite() && *x != 0.0) {
        let wide = x as f64;
        if 1.0 / wide.abs() < f32::MAX as f64 {
            assert!(ulps(rcp_approx_f32(x, false), 1.0 / wide) <= 1, "rcp {x:e}");
        }
        if x > 0.0 {
            let relative = |got: f32, exact: f64| (got as f64 / exact - 1.0).abs();
            assert!(relative(sqrt_approx_f32(x, false), wide.sqrt()) <= 2f64.powi(-23), "sqrt {x:e}");
            assert!(relative(rsqrt_approx_f32(x, false), 1.0 / wide.sqrt()) <= 2f64.powf(-22.9), "rsqrt {x:e}");
            let log = (lg2_approx_f32(x, false) as f64 - wide.log2()).abs();
            let scale = if x > 0.5 && x < 2.0 { 1.0 } else { wide.log2().abs() };
            assert!(log <= 2f64.powi(-22) * scale, "lg2 {x:e}");
        }
        if x.abs() < 126.0 {
            assert!(ulps(ex2_approx_f32(x, false), wide.exp2()) <= 2, "ex2 {x:e}");
        }
        if wide.abs() < std::f64::consts::TAU {
            assert!((sin_approx_f32(x) as f64 - wide.sin()).abs() <= 2f64.powf(-20.5), "sin {x:e}");
            assert!((cos_approx_f32(x) as f64 - wide.cos()).abs() <= 2f64.powf(-20.5), "cos {x:e}");
        }
        assert!(ulps(tanh_approx_f32(x), wide.tanh()) == 0, "tanh {x:e}");
        let divisor = x;
        for dividend in [1.0f32, 3.5, -1e30, 1e-30] {
            let exact = dividend as f64 / wide;
            if exact.abs() < f32::MAX as f64 {
                assert!(ulps(div_full_f32(dividend, divisor, false), exact) <= 2, "div.full {dividend:e} {divisor:e}");
                if (2f32.powi(-126)..=2f32.powi(126)).contains(&x.abs()) {
                    assert!(ulps(div_approx_f32(dividend, divisor, false), exact) <= 2, "div {dividend:e} {divisor:e}");
                }
            }
        }
    }
}

/// PTX ISA 9.4, 9.7.3.8: beyond 2^126, an infinite dividend gives NaN, any other a zero with the quotient's sign.
#[test]
fn approximate_division_by_large_numbers() {
    for (dividend, result) in [(f32::INFINITY, NAN), (1.0, 0x8000_0000), (f32::MAX, 0x8000_0000)] {
        assert_eq!(div_approx_f32(dividend, -2e38, false).to_bits(), result);
        assert_eq!(div_approx_f32(dividend, -2e38, true).to_bits(), result);
    }
}

#[test]
fn double_precision() {
    let bits = |x: u64| f64::from_bits(x);
    for (input, reciprocal, root) in [
        (0xfff0_0000_0000_0000, 0x8000_0000_0000_0000, 0x7fff_ffff_0000_0000),
        (0x8000_0000_0000_0001, 0xfff0_0000_0000_0000, 0xfff0_0000_0000_0000),
        (0x8000_0000_0000_0000, 0xfff0_0000_0000_0000, 0xfff0_0000_0000_0000),
        (0x0000_0000_0000_0000, 0x7ff0_0000_0000_0000, 0x7ff0_0000_0000_0000),
        (0x000f_ffff_ffff_ffff, 0x7ff0_0000_0000_0000, 0x7ff0_0000_0000_0000),
        (0x7ff0_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000),
        (0x7ff0_0000_0000_0001, 0x7fff_ffff_0000_0000, 0x7fff_ffff_0000_0000),
        (0xffff_0000_0000_0000, 0x7fff_ffff_0000_0000, 0x7fff_ffff_0000_0000),
    ] {
        assert_eq!(rcp_approx_ftz_f64(bits(input)).to_bits(), reciprocal, "rcp {input:x}");
        assert_eq!(rsqrt_approx_ftz_f64(bits(input)).to_bits(), root, "rsqrt {input:x}");
    }
    // Results below 2^-1022 are flushed; the others carry 20 bits.
    assert_eq!(rcp_approx_ftz_f64(-1.5 * 2f64.powi(1022)).to_bits(), 0x8000_0000_0000_0000);
    let upper = (0x0010_0000u32..0x7ff0_0000).step_by(STEP).map(|upper| f64::from_bits((upper as u64) << 32 | 0x1234_5678));
    for x in upper {
        // The lower word goes unread (2^-20) and the result is cut (2^-20).
        let close = |got: f64, exact: f64| (got / exact - 1.0).abs() < 2f64.powi(-19);
        if x < 2f64.powi(1022) {
            assert!(close(rcp_approx_ftz_f64(x), 1.0 / x), "{x:e}");
            assert!(close(rcp_approx_ftz_f64(-x), -1.0 / x), "{x:e}");
        }
        assert!(close(rsqrt_approx_ftz_f64(x), 1.0 / x.sqrt()), "{x:e}");
        let exact = 1.0 / x.sqrt();
        let full = rsqrt_approx_f64(x);
        assert!((full / exact - 1.0).abs() < 2f64.powi(-51), "{x:e}: {full:e}, not {exact:e}");
    }
}
