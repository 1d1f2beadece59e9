//! Arithmetic against rustc_apfloat (a port of LLVM's APFloat), an independent implementation.

use numerics::*;
use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, Round};

const ROUNDINGS: [(Rounding, Round); 5] = [
    (Rounding::NearestEven, Round::NearestTiesToEven),
    (Rounding::NearestAway, Round::NearestTiesToAway),
    (Rounding::TowardZero, Round::TowardZero),
    (Rounding::Down, Round::TowardNegative),
    (Rounding::Up, Round::TowardPositive),
];

/// A small generator with a fixed seed: xorshift* (Vigna).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Bits of a number whose sign, exponent and mantissa are each random, special or close to those of `near`.
    fn float(&mut self, exponent_bits: u32, mantissa_bits: u32, near: u64) -> u64 {
        let random = self.next();
        let (ones_e, ones_m) = ((1u64 << exponent_bits) - 1, (1u64 << mantissa_bits) - 1);
        let near_exponent = near >> mantissa_bits & ones_e;
        let exponent = match random % 8 {
            0 => [0, 1, ones_e - 1, ones_e][(random >> 8) as usize % 4],
            1..=3 => near_exponent.wrapping_add(random >> 8 & 3).wrapping_sub(1) & ones_e,
            4 => near_exponent.wrapping_add(random >> 8 & 127).wrapping_sub(64) & ones_e,
            _ => self.next() & ones_e,
        };
        let mantissa = match random >> 3 & 7 {
            0 => 0,
            1 => ones_m,
            2 => 1 << (self.next() % mantissa_bits as u64),
            3 => ones_m & u64::MAX << (self.next() % mantissa_bits as u64),
            4 => near & ones_m,
            _ => self.next() & ones_m,
        };
        (self.next() & 1) << (exponent_bits + mantissa_bits) | exponent << mantissa_bits | mantissa
    }

    /// Operands of an fma: each close to another or to the product half of the time.
    fn triple(&mut self, exponent_bits: u32, mantissa_bits: u32) -> [u64; 3] {
        let bias = ((1u64 << (exponent_bits - 1)) - 1) << mantissa_bits;
        let (any, near_product) = (self.next(), self.next() & 1 == 0);
        let a = self.float(exponent_bits, mantissa_bits, any);
        let b = self.float(exponent_bits, mantissa_bits, a);
        let product = a.wrapping_add(b).wrapping_sub(bias);
        [a, b, self.float(exponent_bits, mantissa_bits, if near_product { product } else { a })]
    }
}

fn same_f32(ours: f32, theirs: Single, what: impl Fn() -> String) {
    let expected = if theirs.is_nan() { 0x7fff_ffff } else { theirs.to_bits() as u32 };
    assert_eq!(ours.to_bits(), expected, "{:x} instead of {expected:x}: {}", ours.to_bits(), what());
}

fn same_f64(ours: f64, theirs: Double, what: impl Fn() -> String) {
    let same = if theirs.is_nan() { ours.is_nan() } else { ours.to_bits() == theirs.to_bits() as u64 };
    assert!(same, "{:x} instead of {:x}: {}", ours.to_bits(), theirs.to_bits(), what());
}

/// The generic path, in any format.
fn generic(format: &Format, rounding: Rounding, operands: [u64; 3]) -> [u64; 4] {
    let [a, b, c] = operands.map(|bits| unpack(format, bits));
    let results = [exact::add(a, b, rounding), exact::mul(a, b), exact::div(a, b), exact::fma(a, b, c, rounding)];
    results.map(|result| pack(format, &result, rounding, PackOptions::default()))
}

/// The same in rustc_apfloat.
fn expected<F: Float>(format: &Format, rounding: Round, operands: [u64; 3]) -> [u64; 4] {
    let [a, b, c] = operands.map(|bits| F::from_bits(bits as u128));
    let results = [a.add_r(b, rounding), a.mul_r(b, rounding), a.div_r(b, rounding), a.mul_add_r(b, c, rounding)];
    results.map(|result| if result.value.is_nan() { format.nan.unwrap() } else { result.value.to_bits() as u64 })
}

fn sweep_generic<F: Float>(format: &Format, roundings: &[(Rounding, Round)]) {
    let mut random = Random(5);
    for _ in 0..20_000 {
        let operands = random.triple(format.exponent_bits, format.mantissa_bits);
        for &(rounding, theirs) in roundings {
            let ours = generic(format, rounding, operands);
            let theirs = expected::<F>(format, theirs, operands);
            assert_eq!(ours, theirs, "{} {operands:x?} {rounding:?}: add, mul, div, fma", format.name);
        }
    }
}

#[test]
fn generic_arithmetic() {
    sweep_generic::<Half>(&Format::F16, &ROUNDINGS);
    sweep_generic::<BFloat>(&Format::BF16, &ROUNDINGS);
    sweep_generic::<Single>(&Format::F32, &ROUNDINGS);
    sweep_generic::<Double>(&Format::F64, &ROUNDINGS);
    sweep_generic::<Float8E5M2>(&Format::E5M2, &ROUNDINGS);
    // Not up and down: without infinity, rustc_apfloat 0.2.3 takes a negative overflow for a positive one when it chooses.
    sweep_generic::<Float8E4M3FN>(&Format::E4M3, &ROUNDINGS[..3]);
}

#[test]
fn single_precision() {
    let mut random = Random(1);
    for _ in 0..100_000 {
        let [a, b, c] = random.triple(8, 23);
        let [x, y, z] = [a, b, c].map(|bits| Single::from_bits(bits as u128));
        let [a, b, c] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
        for (ours, theirs) in ROUNDINGS {
            let what = || format!("{a:e} ({:x}), {b:e} ({:x}), {c:e} ({:x}) {ours:?}", a.to_bits(), b.to_bits(), c.to_bits());
            same_f32(add_f32(a, b, ours), x.add_r(y, theirs).value, || format!("add {}", what()));
            same_f32(sub_f32(a, b, ours), x.sub_r(y, theirs).value, || format!("sub {}", what()));
            same_f32(mul_f32(a, b, ours), x.mul_r(y, theirs).value, || format!("mul {}", what()));
            same_f32(div_f32(a, b, ours), x.div_r(y, theirs).value, || format!("div {}", what()));
            same_f32(fma_f32(a, b, c, ours), x.mul_add_r(y, z, theirs).value, || format!("fma {}", what()));
        }
    }
}

#[test]
fn double_precision() {
    let mut random = Random(2);
    for _ in 0..100_000 {
        let [a, b, c] = random.triple(11, 52);
        let [x, y, z] = [a, b, c].map(|bits| Double::from_bits(bits as u128));
        let [a, b, c] = [a, b, c].map(f64::from_bits);
        for (ours, theirs) in ROUNDINGS {
            let what = || format!("{a:e} ({:x}), {b:e} ({:x}), {c:e} ({:x}) {ours:?}", a.to_bits(), b.to_bits(), c.to_bits());
            same_f64(add_f64(a, b, ours), x.add_r(y, theirs).value, || format!("add {}", what()));
            same_f64(sub_f64(a, b, ours), x.sub_r(y, theirs).value, || format!("sub {}", what()));
            same_f64(mul_f64(a, b, ours), x.mul_r(y, theirs).value, || format!("mul {}", what()));
            same_f64(div_f64(a, b, ours), x.div_r(y, theirs).value, || format!("div {}", what()));
            same_f64(fma_f64(a, b, c, ours), x.mul_add_r(y, z, theirs).value, || format!("fma {}", what()));
        }
    }
}

#[test]
fn half_precision() {
    let mut random = Random(3);
    for _ in 0..300_000 {
        let [a, b, c] = random.triple(5, 10);
        let [x, y, z] = [a, b, c].map(|bits| Half::from_bits(bits as u128));
        let [a, b, c] = [a, b, c].map(|bits| F16(bits as u16));
        let same = |ours: F16, theirs: Half, what| {
            let expected = if theirs.is_nan() { 0x7fff } else { theirs.to_bits() as u16 };
            assert_eq!(ours.0, expected, "{what} {:x} {:x} {:x}", a.0, b.0, c.0);
        };
        same(add_f16(a, b), (x + y).value, "add");
        same(sub_f16(a, b), (x - y).value, "sub");
        same(mul_f16(a, b), (x * y).value, "mul");
        same(fma_f16(a, b, c), x.mul_add(y, z).value, "fma");
    }
}

#[test]
fn bfloat() {
    let mut random = Random(4);
    for _ in 0..300_000 {
        let [a, b, c] = random.triple(8, 7);
        let [x, y, z] = [a, b, c].map(|bits| BFloat::from_bits(bits as u128));
        let [a, b, c] = [a, b, c].map(|bits| Bf16(bits as u16));
        let same = |ours: Bf16, theirs: BFloat, what| {
            let expected = if theirs.is_nan() { 0x7fff } else { theirs.to_bits() as u16 };
            assert_eq!(ours.0, expected, "{what} {:x} {:x} {:x}", a.0, b.0, c.0);
        };
        same(add_bf16(a, b), (x + y).value, "add");
        same(sub_bf16(a, b), (x - y).value, "sub");
        same(mul_bf16(a, b), (x * y).value, "mul");
        same(fma_bf16(a, b, c), x.mul_add(y, z).value, "fma");
    }
}
