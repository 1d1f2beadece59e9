//! All 2^32 pairs of f16 and bf16 operands of add, mul, min and max against rustc_apfloat:
//! `cargo test --release -p semantics --test all_pairs -- --ignored`, with ALL_PAIRS_STEP=N for every Nth first operand only.
//! crates/numerics/README.md records the runs.

use machine::Mods;
use numerics::{Bf16, F16};
use rustc_apfloat::ieee::{BFloat, Half};
use semantics::float::{self, Float};

const OPERATIONS: [&str; 6] = ["add", "mul", "min", "max", "min.NaN", "max.NaN"];

/// Our results.
fn computed<T: Float<Bits = u16>>(a: u16, b: u16) -> [u16; 6] {
    let (a, b) = (T::number(a), T::number(b));
    let plain = Mods::default();
    let mut propagating = plain;
    propagating.set("nan", None).expect("a setting");
    [
        float::add(plain, a, b),
        float::mul(plain, a, b),
        float::min(plain, a, b),
        float::max(plain, a, b),
        float::min(propagating, a, b),
        float::max(propagating, a, b),
    ]
    .map(T::bits)
}

/// Those of rustc_apfloat.
fn expected<F: rustc_apfloat::Float>(a: u16, b: u16) -> [u16; 6] {
    let (a, b) = (F::from_bits(a.into()), F::from_bits(b.into()));
    // Its min and max keep the first of two zeros; PTX orders them.
    let zeros = a.is_zero() && b.is_zero();
    let (low, high) = if a.is_negative() { (a, b) } else { (b, a) };
    let ordered = |zero: F, chosen: F| if zeros { zero } else { chosen };
    [
        (a + b).value,
        (a * b).value,
        ordered(low, a.min(b)),
        ordered(high, a.max(b)),
        ordered(low, a.minimum(b)),
        ordered(high, a.maximum(b)),
    ]
    .map(|result| if result.is_nan() { 0x7fff } else { result.to_bits() as u16 })
}

/// Both orders of each pair of operands: all four operations are commutative, so what is expected is computed once.
fn check<T: Float<Bits = u16>, F: rustc_apfloat::Float>(pairs: impl Iterator<Item = (u16, u16)>) {
    for (a, b) in pairs {
        let expected = expected::<F>(a, b);
        assert_eq!(computed::<T>(a, b), expected, "{OPERATIONS:?} of {a:04x} {b:04x}");
        assert_eq!(computed::<T>(b, a), expected, "{OPERATIONS:?} of {b:04x} {a:04x}");
    }
}

fn check_all<T: Float<Bits = u16>, F: rustc_apfloat::Float>() {
    let step = std::env::var("ALL_PAIRS_STEP").map_or(1, |step| step.parse().expect("a number"));
    check::<T, F>((0..=u16::MAX).step_by(step).flat_map(|a| (a..=u16::MAX).map(move |b| (a, b))));
}

#[test]
fn some_pairs() {
    let first = [0, 1, 0x8000, 0x3c01, 0x7c00, 0x7e00, 0x7f80, 0x7fc0, 0xfbff, 0xff7f];
    let pairs = || first.into_iter().flat_map(|a| (0..=u16::MAX).step_by(7).map(move |b| (a, b)));
    check::<F16, Half>(pairs());
    check::<Bf16, BFloat>(pairs());
}

#[test]
#[ignore = "ten minutes"]
fn all_pairs_f16() {
    check_all::<F16, Half>();
}

#[test]
#[ignore = "ten minutes"]
fn all_pairs_bf16() {
    check_all::<Bf16, BFloat>();
}
