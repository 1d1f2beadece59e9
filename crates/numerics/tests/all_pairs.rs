//! All 2^32 pairs of f16 and bf16 operands against rustc_apfloat: `cargo test --release -p numerics --test all_pairs -- --ignored`.
//! NUMERICS_STEP=N takes every Nth first operand only. README.md of this crate records the runs.

use numerics::*;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{BFloat, Half};

type Binary = fn(u16, u16) -> u16;

/// Name and implementation of each operation.
const F16_OPERATIONS: [(&str, Binary); 6] = [
    ("add", |a, b| add_f16(F16(a), F16(b)).0),
    ("mul", |a, b| mul_f16(F16(a), F16(b)).0),
    ("min", |a, b| min_f16(F16(a), F16(b), false).0),
    ("max", |a, b| max_f16(F16(a), F16(b), false).0),
    ("min.NaN", |a, b| min_f16(F16(a), F16(b), true).0),
    ("max.NaN", |a, b| max_f16(F16(a), F16(b), true).0),
];

const BF16_OPERATIONS: [(&str, Binary); 6] = [
    ("add", |a, b| add_bf16(Bf16(a), Bf16(b)).0),
    ("mul", |a, b| mul_bf16(Bf16(a), Bf16(b)).0),
    ("min", |a, b| min_bf16(Bf16(a), Bf16(b), false).0),
    ("max", |a, b| max_bf16(Bf16(a), Bf16(b), false).0),
    ("min.NaN", |a, b| min_bf16(Bf16(a), Bf16(b), true).0),
    ("max.NaN", |a, b| max_bf16(Bf16(a), Bf16(b), true).0),
];

/// The same operations in rustc_apfloat.
fn expected<F: Float>(a: F, b: F) -> [F; 6] {
    // Its min and max keep the first of two zeros; PTX orders them.
    let zeros = a.is_zero() && b.is_zero();
    let ordered = |first: F, chosen: F| if zeros { first } else { chosen };
    let (low, high) = if a.is_negative() { (a, b) } else { (b, a) };
    [
        (a + b).value,
        (a * b).value,
        ordered(low, a.min(b)),
        ordered(high, a.max(b)),
        ordered(low, a.minimum(b)),
        ordered(high, a.maximum(b)),
    ]
}

fn check<F: Float>(operations: &[(&str, Binary); 6]) {
    let step = std::env::var("NUMERICS_STEP").map_or(1, |step| step.parse().expect("a number"));
    for a in (0..=u16::MAX).step_by(step) {
        for b in 0..=u16::MAX {
            let results = expected(F::from_bits(a as u128), F::from_bits(b as u128));
            for ((name, operation), result) in operations.iter().zip(results) {
                let expected = encoded(result);
                assert_eq!(operation(a, b), expected, "{name} {a:04x} {b:04x}");
            }
        }
    }
}

#[test]
fn some_pairs() {
    // The full run is below; this keeps its code honest.
    for a in [0, 1, 0x8000, 0x3c01, 0x7c00, 0x7e00, 0x7f80, 0x7fc0, 0xfbff, 0xff7f] {
        for b in (0..=u16::MAX).step_by(7) {
            for (operations, results) in [
                (&F16_OPERATIONS, expected(Half::from_bits(a as u128), Half::from_bits(b as u128)).map(encoded)),
                (&BF16_OPERATIONS, expected(BFloat::from_bits(a as u128), BFloat::from_bits(b as u128)).map(encoded)),
            ] {
                for ((name, operation), expected) in operations.iter().zip(results) {
                    assert_eq!(operation(a, b), expected, "{name} {a:04x} {b:04x}");
                }
            }
        }
    }
}

fn encoded<F: Float>(result: F) -> u16 {
    if result.is_nan() { 0x7fff } else { result.to_bits() as u16 }
}

#[test]
#[ignore = "minutes to hours"]
fn all_pairs_f16() {
    check::<Half>(&F16_OPERATIONS);
}

#[test]
#[ignore = "minutes to hours"]
fn all_pairs_bf16() {
    check::<BFloat>(&BF16_OPERATIONS);
}
