//! The approximate functions of NVIDIA's GPUs: `.approx` and `.full` of PTX.
//!
//! Three layers, as in the hardware: an interpolator (a table of quadratic polynomials and fixed-point arithmetic), the special function
//! unit's instruction (MUFU) around it, and the short sequence of ordinary instructions that the compiler puts around that.
//!
//! - The interpolators are the model of GitHub pyxis-roc/sass-math (MIT licence), bit-accurate by its authors' word on sm_50 to sm_75 (their
//!   validation runs all 2^32 inputs). Nothing is published for later GPUs.
//! - MUFU flushes subnormal operands and results (that is what the manual's ranges for `div.approx` describe).
//! - The sequences are those that ptxas 13.5 emits for sm_90 and sm_100.
//! - tanh and the f16 and bf16 functions have no published model. They are correctly rounded here, up to an error of the order of
//!   2^-46 before rounding, which is inside the manual's bounds but not to the bit of the hardware: each says so.
//!
//! What a function is, to the bit or not, is said in its first line as "model" or "approximate".

use std::hint::select_unpredictable as select;

use crate::half::{Bf16, F16};
use crate::single::{NAN_F32, canonical_f32, flush_f32};
use crate::special_tables as tables;

// Bits of singles.
const SIGN: u32 = 0x8000_0000;
const MANTISSA: u32 = 0x007f_ffff;
const SMALLEST: u32 = 0x0080_0000;
const ONE: u32 = 0x3f80_0000;
const INFINITY: u32 = 0x7f80_0000;
const NAN: u32 = NAN_F32.to_bits();

/// A quadratic interpolator: how its terms are aligned and signed. All of them are constants, not statics: what uses one then
/// has shifts by constants and no branches.
struct Interpolator<const ROWS: usize> {
    /// Constant terms.
    constants: &'static [u32; ROWS],
    /// Linear and, in the lowest 11 bits, quadratic terms.
    others: &'static [u32; ROWS],
    /// Bits of the argument that choose a row; the others, of 23, are the polynomial's variable.
    index_bits: u32,
    /// Left shifts of the constant and the linear term.
    align: [u32; 2],
    /// Whether the linear and the quadratic term are subtracted.
    subtract: [bool; 2],
    /// How much higher the squarer gets its operand, for more precision.
    square_shift: u32,
    /// Bits after the binary point of the sum.
    weight: u32,
    /// Rounding constant in 2^-20 of the result's last bit (weight 2^-23).
    bias: u64,
}

const EX2: Interpolator<64> = Interpolator {
    constants: const { &constants(&tables::EX2) },
    others: const { &others(&tables::EX2) },
    index_bits: 6,
    align: [32, 19],
    subtract: [false, false],
    square_shift: 0,
    weight: 57,
    bias: 0x6_fc40,
};
const LG2: Interpolator<64> = Interpolator {
    constants: const { &constants(&tables::LG2) },
    others: const { &others(&tables::LG2) },
    index_bits: 6,
    align: [30, 18],
    subtract: [false, true],
    square_shift: 0,
    weight: 56,
    bias: 0x8_68b0,
};
const RCP: Interpolator<128> = Interpolator {
    constants: const { &constants(&tables::RCP) },
    others: const { &others(&tables::RCP) },
    index_bits: 7,
    align: [30, 17],
    subtract: [true, false],
    square_shift: 1,
    weight: 56,
    bias: 0x6_7e70,
};
const RSQRT: Interpolator<128> = Interpolator {
    constants: const { &constants(&tables::RSQRT) },
    others: const { &others(&tables::RSQRT) },
    index_bits: 6,
    align: [31, 17],
    subtract: [true, false],
    square_shift: 0,
    weight: 57,
    bias: 0x7_fff8,
};
const SIN: Interpolator<64> = Interpolator {
    constants: const { &constants(&tables::SIN) },
    others: const { &others(&tables::SIN) },
    index_bits: 6,
    align: [31, 19],
    subtract: [false, true],
    square_shift: 0,
    weight: 56,
    bias: 0,
};
const SQRT: Interpolator<128> = Interpolator {
    constants: const { &constants(&tables::SQRT) },
    others: const { &others(&tables::SQRT) },
    index_bits: 6,
    align: [33, 18],
    subtract: [false, true],
    square_shift: 0,
    weight: 58,
    bias: 0x7_fff8,
};

/// The constant terms of a table. Two words a row rather than one of 64 bits, so that the compiler does eight lanes at once.
const fn constants<const ROWS: usize>(coefficients: &[[u32; 3]; ROWS]) -> [u32; ROWS] {
    let mut words = [0; ROWS];
    let mut i = 0;
    while i < ROWS {
        assert!(coefficients[i][0] < 1 << 26);
        words[i] = coefficients[i][0];
        i += 1;
    }
    words
}

/// The linear and quadratic terms of a table.
const fn others<const ROWS: usize>(coefficients: &[[u32; 3]; ROWS]) -> [u32; ROWS] {
    let mut words = [0; ROWS];
    let mut i = 0;
    while i < ROWS {
        let [_, c1, c2] = coefficients[i];
        assert!(c1 < 1 << 17 && c2 < 1 << 11);
        words[i] = c1 << 11 | c2;
        i += 1;
    }
    words
}

impl<const ROWS: usize> Interpolator<ROWS> {
    /// The coefficients and the variable for `fraction` (23 bits), in the second half of a two-part table if asked.
    #[inline(always)]
    fn row(&self, fraction: u32, second_half: bool) -> ([u32; 3], u32) {
        let low_bits = 23 - self.index_bits;
        let row = (fraction >> low_bits) + ((second_half as u32) << self.index_bits);
        // The row is in range; the remainder tells the compiler so.
        let (constant, others) = (self.constants[row as usize % ROWS], self.others[row as usize % ROWS]);
        ([constant, others >> 11, others & 0x7ff], fraction & ((1 << low_bits) - 1))
    }

    /// The square of the variable as the squarer gives it.
    #[inline(always)]
    fn square(&self, x: u32) -> u32 {
        truncated_square(x << self.square_shift)
    }

    /// The function at `fraction`. Fixed point with `weight` bits after the point, rounding constant added.
    #[inline(always)]
    fn sum(&self, fraction: u32) -> u64 {
        let ([c0, c1, c2], x) = self.row(fraction, false);
        let constant = ((c0 as u64) << self.align[0]) + (self.bias << (self.weight - 43));
        let linear = (c1 as u64 * x as u64) << self.align[1];
        let quadratic = (c2 as u64 * self.square(x) as u64) << self.quadratic_align();
        let signed = |term: u64, subtract: bool| if subtract { term.wrapping_neg() } else { term };
        constant.wrapping_add(signed(linear, self.subtract[0])).wrapping_add(signed(quadratic, self.subtract[1]))
    }

    /// Left shift of the quadratic term.
    const fn quadratic_align(&self) -> u32 {
        18 - 2 * self.square_shift
    }

    /// The sum's 24 bits after the point and those before it. In 32-bit arithmetic, twice as many lanes at once as [`Self::sum`]: with
    /// the variable cut into its upper part and its lower nine bits, the sum is `high * 2^9 + low` in units of its least term.
    #[inline(always)]
    fn leading(&self, fraction: u32, second_half: bool) -> u32 {
        const CUT: u32 = 9;
        let ([c0, c1, c2], x) = self.row(fraction, second_half);
        let unit = self.align[1].min(self.quadratic_align());
        let [linear, quadratic] = [self.align[1] - unit, self.quadratic_align() - unit];
        let signed = |term: u32, subtract: bool| if subtract { term.wrapping_neg() } else { term };
        let high = c0 << (self.align[0] - unit - CUT);
        let high = high.wrapping_add(signed((c1 * (x >> CUT)) << linear, self.subtract[0]));
        // The rounding constant has no bits below the unit.
        let low = (self.bias >> (unit + 43 - self.weight)) as u32;
        let low = low.wrapping_add(signed((c1 * (x & ((1 << CUT) - 1))) << linear, self.subtract[0]));
        let low = low.wrapping_add(signed((c2 * self.square(x)) << quadratic, self.subtract[1]));
        high.wrapping_add((low as i32 >> CUT) as u32) >> (self.weight - 24 - unit - CUT)
    }
}

/// `x * x` of at most 17 bits without the partial products in the lowest 19 columns, which the hardware's squarer leaves out, in units
/// of 2^18.
///
/// Bit i times itself stands in column 2i; bit i times a higher bit j stands, twice, in column i + j + 1. With x = 2^9 high + low: all of
/// low * low is left out, of high * high only bit 0 by itself, and of the cross products those with i + j <= 17.
#[inline(always)]
fn truncated_square(x: u32) -> u32 {
    let (high, low) = (x >> 9, x & 0x1ff);
    let cross: u32 = (1..8).map(|k| (high >> k & 1).wrapping_neg() & (low >> (9 - k))).sum();
    high * high - (high & 1) + 2 * cross
}

/// Power of two and mantissa of a normal number's bits.
#[inline(always)]
fn decompose(bits: u32) -> (i32, u32) {
    ((bits >> 23 & 0xff) as i32 - 127, bits & MANTISSA)
}

// Every result is computed on all ways and then selected: without branches the compiler can do several lanes at once.

/// Bits of the positive number with this power of two and mantissa; zero below the normal range.
#[inline(always)]
fn compose(exponent: i32, mantissa: u32) -> u32 {
    select(exponent < -126, 0, (exponent.wrapping_add(127) as u32) << 23 | mantissa)
}

/// Model of MUFU.RCP: the reciprocal.
#[inline(always)]
fn mufu_rcp(x: f32) -> f32 {
    let (bits, sign) = (x.to_bits() & !SIGN, x.to_bits() & SIGN);
    let (exponent, mantissa) = decompose(bits);
    let sum = RCP.leading(mantissa, false);
    // In (1/2, 1], where 1 itself comes from powers of two alone.
    let below_one = (sum >> 24 == 0) as u32;
    let result = compose(-exponent - below_one as i32, sum << below_one >> 1 & MANTISSA);
    let result = select(bits < SMALLEST, INFINITY, result);
    let result = select(bits == INFINITY, 0, result) | sign;
    f32::from_bits(select(bits > INFINITY, NAN, result))
}

/// Model of MUFU.RSQ: one over the square root.
#[inline(always)]
fn mufu_rsq(x: f32) -> f32 {
    let bits = x.to_bits();
    let (exponent, mantissa) = decompose(bits);
    let odd = exponent & 1;
    // In (1/2, 1): doubled to be normalised. Even powers of two are exact.
    let sum = RSQRT.leading(mantissa, odd == 1);
    let half = (exponent - odd) >> 1;
    let exact = mantissa == 0 && odd == 0;
    let result = select(exact, compose(-half, 0), compose(-half - 1, sum & MANTISSA));
    // Everything from infinity on is NaN or negative.
    let result = select(bits >= INFINITY, NAN, result);
    let result = select(bits == INFINITY, 0, result);
    f32::from_bits(select(bits & !SIGN < SMALLEST, INFINITY | bits & SIGN, result))
}

/// Model of MUFU.SQRT: the square root.
#[inline(always)]
fn mufu_sqrt(x: f32) -> f32 {
    let bits = x.to_bits();
    let (exponent, mantissa) = decompose(bits);
    let odd = exponent & 1;
    let sum = SQRT.leading(mantissa, odd == 1);
    let result = compose((exponent - odd) >> 1, sum >> 1 & MANTISSA);
    let result = select(bits > INFINITY, NAN, result);
    let result = select(bits == INFINITY, INFINITY, result);
    f32::from_bits(select(bits & !SIGN < SMALLEST, bits & SIGN, result))
}

/// Model of MUFU.LG2: the binary logarithm.
#[inline(always)]
fn mufu_lg2(x: f32) -> f32 {
    let bits = x.to_bits();
    let (exponent, mantissa) = decompose(bits);
    let whole = (exponent as i64) << LG2.weight;
    // Bits below the adder's width are not there. Only the logarithm of one is zero.
    let sum = (LG2.sum(mantissa) as i64 + whole).unsigned_abs() & !((1 << 20) - 1) | 1;
    let leading = sum.leading_zeros();
    let fraction = (sum << leading >> 40) as u32 & MANTISSA;
    let sign = (exponent < 0) as u32 * SIGN;
    let result = sign | compose(63 - leading as i32 - LG2.weight as i32, fraction);
    let result = select(bits == ONE, 0, result);
    let result = select(bits > INFINITY, NAN, result);
    let result = select(bits == INFINITY, INFINITY, result);
    f32::from_bits(select(bits & !SIGN < SMALLEST, INFINITY | SIGN, result))
}

/// Model of MUFU.EX2: two to the power `x`.
#[inline(always)]
fn mufu_ex2(x: f32) -> f32 {
    // Fixed point with 23 fraction bits, truncated; negative numbers go by one's complement.
    let fixed = (x.abs() * 8_388_608.0) as i32;
    let whole = fixed & MANTISSA as i32 == 0;
    let fixed = select(x < 0.0, select(whole, fixed.wrapping_neg(), !fixed), fixed);
    let result = compose(fixed >> 23, EX2.leading(fixed as u32 & MANTISSA, false) >> 1 & MANTISSA);
    let result = select(x >= 128.0, INFINITY, result);
    let result = select(x <= -128.0, 0, result);
    f32::from_bits(select(x.is_nan(), NAN, result))
}

/// Model of MUFU.SIN and MUFU.COS: the sine of an angle (from [`quarter_turns`]), negated if asked; NaN if `x` is not finite.
#[inline(always)]
fn sine_of_quarter_turns(x: f32, angle: u32, negative: bool) -> f32 {
    let fraction = select(angle >> 23 & 1 == 1, !angle, angle) & MANTISSA;
    let sign = (angle >> 24 & 1) << 31 ^ (negative as u32) << 31;
    let sum = SIN.sum(fraction);
    let shift = (sum | 1).leading_zeros() - (63 - SIN.weight);
    let result = select(sum == 0, 0, compose(-(shift as i32), (sum << shift >> (SIN.weight - 23)) as u32 & MANTISSA));
    f32::from_bits(select(x.is_finite(), result | sign, NAN))
}

/// The angle `|x|` in radians as quarter turns modulo four, with 23 bits after the point.
#[inline(always)]
fn quarter_turns(x: f32) -> u32 {
    // The compiler multiplies by 1 / (2 pi) toward zero: the exact product, cut to 24 bits. The unit then takes its fixed-point value.
    let product = x.abs() as f64 * f32::from_bits(0x3e22_f983) as f64;
    let turns = f64::from_bits(product.to_bits() & (u64::MAX << 29));
    // From 2^24 on a single is a whole number of turns.
    if turns < 16_777_216.0 { (turns * 33_554_432.0) as i64 as u32 } else { 0 }
}

/// `ex2.approx.f32`, model; `ftz` for `ex2.approx.ftz.f32`.
#[inline(always)]
pub fn ex2_approx_f32(x: f32, ftz: bool) -> f32 {
    let halve = !ftz && x < -126.0;
    let power = mufu_ex2(if halve { x * 0.5 } else { x });
    canonical_f32(select(halve, power * power, power))
}

/// `lg2.approx.f32`, model; `ftz` for `lg2.approx.ftz.f32`.
#[inline(always)]
pub fn lg2_approx_f32(x: f32, ftz: bool) -> f32 {
    let tiny = !ftz && is_tiny(x);
    let (up, down) = (select(tiny, TWO_24, 1.0), select(tiny, 24.0, 0.0));
    canonical_f32(mufu_lg2(x * up) - down)
}

/// `sin.approx.f32` and `sin.approx.ftz.f32`, which are the same: model.
#[inline(always)]
pub fn sin_approx_f32(x: f32) -> f32 {
    sine_of_quarter_turns(x, quarter_turns(x), x.is_sign_negative())
}

/// `cos.approx.f32` and `cos.approx.ftz.f32`, which are the same: model.
#[inline(always)]
pub fn cos_approx_f32(x: f32) -> f32 {
    sine_of_quarter_turns(x, quarter_turns(x).wrapping_add(1 << 23), false)
}

/// `rcp.approx.f32`, model; `ftz` for `rcp.approx.ftz.f32`.
#[inline(always)]
pub fn rcp_approx_f32(x: f32, ftz: bool) -> f32 {
    if ftz {
        return mufu_rcp(x);
    }
    let scale = divisor_scale(x);
    canonical_f32(mufu_rcp(x * scale) * scale)
}

/// `rsqrt.approx.f32`, model; `ftz` for `rsqrt.approx.ftz.f32`.
#[inline(always)]
pub fn rsqrt_approx_f32(x: f32, ftz: bool) -> f32 {
    let tiny = !ftz && is_tiny(x);
    let (up, down) = (select(tiny, TWO_24, 1.0), select(tiny, 4096.0, 1.0));
    canonical_f32(mufu_rsq(x * up) * down)
}

/// `sqrt.approx.f32`, model; `ftz` for `sqrt.approx.ftz.f32`.
#[inline(always)]
pub fn sqrt_approx_f32(x: f32, ftz: bool) -> f32 {
    let tiny = !ftz && is_tiny(x);
    let (up, down) = (select(tiny, TWO_24, 1.0), select(tiny, 1.0 / 4096.0, 1.0));
    canonical_f32(mufu_sqrt(x * up) * down)
}

/// `div.approx.f32`, model; `ftz` for `div.approx.ftz.f32`.
#[inline(always)]
pub fn div_approx_f32(a: f32, b: f32, ftz: bool) -> f32 {
    if ftz {
        return flush_f32(canonical_f32(flush_f32(a) * mufu_rcp(b)));
    }
    let scale = select(is_tiny(b), TWO_24, 1.0);
    canonical_f32(mufu_rcp(b * scale) * (a * scale))
}

/// `div.full.f32`, model; `ftz` for `div.full.ftz.f32`.
#[inline(always)]
pub fn div_full_f32(a: f32, b: f32, ftz: bool) -> f32 {
    if ftz {
        let b = flush_f32(b);
        let scale = select(b.abs() > TWO_126, 0.25, 1.0);
        return flush_f32(canonical_f32(mufu_rcp(b * scale) * flush_f32(flush_f32(a) * scale)));
    }
    let scale = divisor_scale(b);
    canonical_f32(mufu_rcp(b * scale) * (a * scale))
}

/// What the compiler multiplies a divisor by so that MUFU.RCP neither flushes it nor its reciprocal.
#[inline(always)]
fn divisor_scale(x: f32) -> f32 {
    select(x.abs() > TWO_126, 0.25, select(is_tiny(x), TWO_24, 1.0))
}

const TWO_24: f32 = 16_777_216.0;
const TWO_126: f32 = f32::from_bits((126 + 127) << 23);

/// Whether `x` is subnormal or zero; the compiler's sequences scale both.
#[inline(always)]
fn is_tiny(x: f32) -> bool {
    x.abs() < f32::MIN_POSITIVE
}

/// `rcp.approx.ftz.f64`, model (MUFU.RCP64H): the upper word alone goes in and comes out.
pub fn rcp_approx_ftz_f64(x: f64) -> f64 {
    let Some((exponent, mantissa)) = upper_word(x) else {
        return upper_special(1.0 / flush_f64(x));
    };
    let reciprocal = mufu_rcp(f32::from_bits(127 << 23 | mantissa << 3));
    from_upper_word(scaled_f64(reciprocal.copysign(x.signum() as f32), -exponent))
}

/// `rsqrt.approx.ftz.f64`, model (MUFU.RSQ64H): the upper word alone goes in and comes out.
pub fn rsqrt_approx_ftz_f64(x: f64) -> f64 {
    let Some((exponent, mantissa)) = upper_word(x) else {
        let x = flush_f64(x);
        return upper_special(if x == 0.0 { 1.0 / x } else { 1.0 / x.sqrt() });
    };
    if x < 0.0 {
        return NAN_UPPER;
    }
    let odd = exponent & 1;
    let root = mufu_rsq(f32::from_bits((127 + odd as u32) << 23 | mantissa << 3));
    from_upper_word(scaled_f64(root, -(exponent - odd) / 2))
}

/// `rsqrt.approx.f64`, model: MUFU.RSQ64H refined in double precision by the compiler's sequence.
pub fn rsqrt_approx_f64(x: f64) -> f64 {
    if x.is_nan() {
        return f64::from_bits(x.to_bits() | 1 << 51);
    }
    if x == 0.0 || x == f64::INFINITY {
        return 1.0 / x;
    }
    if x < 0.0 {
        return crate::double::NAN_F64;
    }
    if x < f64::MIN_POSITIVE {
        return refined_rsqrt(x * 18_014_398_509_481_984.0) * 134_217_728.0;
    }
    refined_rsqrt(x)
}

fn refined_rsqrt(x: f64) -> f64 {
    let y = rsqrt_approx_ftz_f64(x);
    let error = x.mul_add(-(y * y), 1.0);
    error.mul_add(0.375, 0.5).mul_add(y * error, y)
}

/// The NaN of the two functions on upper words (PTX ISA 9.4, 9.7.3.14).
const NAN_UPPER: f64 = f64::from_bits(0x7fff_ffff_0000_0000);

/// Power of two and 20 mantissa bits of a normal number.
fn upper_word(x: f64) -> Option<(i32, u32)> {
    let upper = (x.to_bits() >> 32) as u32;
    let field = upper >> 20 & 0x7ff;
    (field != 0 && field != 0x7ff).then_some((field as i32 - 1023, upper & 0xf_ffff))
}

fn from_upper_word(x: f64) -> f64 {
    f64::from_bits(flush_f64(x).to_bits() & 0xffff_ffff_0000_0000)
}

fn upper_special(x: f64) -> f64 {
    if x.is_nan() { NAN_UPPER } else { x }
}

/// `x`, or zero of its sign if it is subnormal.
fn flush_f64(x: f64) -> f64 {
    if x.abs() < f64::MIN_POSITIVE { 0.0_f64.copysign(x) } else { x }
}

/// `x * 2^exponent` of a normal single near one; subnormal results become zero.
fn scaled_f64(x: f32, exponent: i32) -> f64 {
    let bits = (x as f64).to_bits();
    let field = (bits >> 52 & 0x7ff) as i32 + exponent;
    let sign = bits & 1 << 63;
    if field <= 0 { f64::from_bits(sign) } else { f64::from_bits(sign | (field as u64) << 52 | bits & ((1 << 52) - 1)) }
}

/// `tanh.approx.f32`, approximate: correctly rounded but for rare cases, where the manual allows a relative error of 2^-11.
#[inline(always)]
pub fn tanh_approx_f32(x: f32) -> f32 {
    canonical_f32(tanh(x as f64) as f32)
}

/// `tanh.approx.f16`, approximate: correctly rounded, where the manual allows an absolute error of 2^-10.987.
#[inline(always)]
pub fn tanh_approx_f16(x: F16) -> F16 {
    F16::from_f64(tanh(x.to_f32() as f64))
}

/// `tanh.approx.bf16`, approximate: correctly rounded, where the manual allows an absolute error of 2^-8.
#[inline(always)]
pub fn tanh_approx_bf16(x: Bf16) -> Bf16 {
    Bf16::from_f64(tanh(x.to_f32() as f64))
}

/// `ex2.approx.f16`, approximate: correctly rounded, where the manual allows a relative error of 2^-9.9.
#[inline(always)]
pub fn ex2_approx_f16(x: F16) -> F16 {
    F16::from_f64(exp2(x.to_f32() as f64))
}

/// `ex2.approx.ftz.bf16`, approximate: correctly rounded, where the manual allows a relative error of 2^-7.
#[inline(always)]
pub fn ex2_approx_ftz_bf16(x: Bf16) -> Bf16 {
    Bf16::from_f64(exp2(x.flush().to_f32() as f64)).flush()
}

/// The hyperbolic tangent to about 2^-46. By arithmetic alone, so that it is the same on every host.
#[inline(always)]
fn tanh(x: f64) -> f64 {
    let square = x * x;
    let small = x * (1.0 - square * (1.0 / 3.0 - square * (2.0 / 15.0 - square * (17.0 / 315.0))));
    let power = exp2(x.abs() * (2.0 * std::f64::consts::LOG2_E));
    let large = ((power - 1.0) / (power + 1.0)).copysign(x);
    // Below 2^-7 the next term of the series is less than 2^-61; above it the difference loses six bits.
    select(x.abs() < 1.0 / 128.0, small, large)
}

/// Two to the power `x`, to about 2^-50. By arithmetic alone, so that it is the same on every host.
#[inline(always)]
fn exp2(x: f64) -> f64 {
    /// 1 / k!, enough for the |y| of at most 0.35 below: the first term left out is 5e-18.
    const TAYLOR: [f64; 14] = {
        let mut terms = [1.0; 14];
        let mut k = 1;
        while k < 14 {
            terms[k] = terms[k - 1] / k as f64;
            k += 1;
        }
        terms
    };
    // Beyond the range of every format here; a NaN stays one in the fraction.
    let x = x.clamp(-1000.0, 1000.0);
    let whole = x.round_ties_even();
    let y = (x - whole) * std::f64::consts::LN_2;
    let series = TAYLOR.iter().rev().fold(0.0, |sum, term| sum * y + term);
    series * f64::from_bits(((whole as i64 + 1023) as u64) << 52)
}
