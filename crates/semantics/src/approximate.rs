//! The `.approx` and `.full` functions of NVIDIA's special function unit.
//!
//! PTX ISA 9.4, 9.7.3 and 9.7.4. The numbers come from [`numerics`], which says for each function whether it follows a model of the
//! hardware to the bit or is correctly rounded.

use crate::float::{self, Float};
use crate::{Function, lane};
use machine::Mods;
use machine::lane::{Bf16x2, F16x2};
use machine::row::{lane1, lane2, rare1};
use numerics::{Bf16, F16};

/// `a / b` as `a` times the approximate reciprocal of `b`.
#[inline(always)]
pub fn div_approx(m: Mods, a: f32, b: f32) -> f32 {
    numerics::div_approx_f32(a, b, m.ftz())
}

/// `a / b` over the full range, operands scaled beforehand.
#[inline(always)]
pub fn div_full(m: Mods, a: f32, b: f32) -> f32 {
    numerics::div_full_f32(a, b, m.ftz())
}

/// `1 / a`.
#[inline(always)]
pub fn rcp(m: Mods, a: f32) -> f32 {
    numerics::rcp_approx_f32(a, m.ftz())
}

/// `1 / a` of the upper half of an f64, in the upper half of an f64.
pub fn rcp_coarse(_: Mods, a: f64) -> f64 {
    numerics::rcp_approx_ftz_f64(a)
}

/// The square root.
#[inline(always)]
pub fn sqrt(m: Mods, a: f32) -> f32 {
    numerics::sqrt_approx_f32(a, m.ftz())
}

/// `1 / sqrt(a)`.
#[inline(always)]
pub fn rsqrt(m: Mods, a: f32) -> f32 {
    numerics::rsqrt_approx_f32(a, m.ftz())
}

/// `1 / sqrt(a)` of an f64: the coarse one refined as ptxas does.
pub fn rsqrt_double(_: Mods, a: f64) -> f64 {
    numerics::rsqrt_approx_f64(a)
}

/// `1 / sqrt(a)` of the upper half of an f64, in the upper half of an f64.
pub fn rsqrt_coarse(_: Mods, a: f64) -> f64 {
    numerics::rsqrt_approx_ftz_f64(a)
}

/// The sine of an angle in radians.
#[inline(always)]
pub fn sin(m: Mods, a: f32) -> f32 {
    float::result(m, numerics::sin_approx_f32(float::operand(m, a)))
}

/// The cosine of an angle in radians.
#[inline(always)]
pub fn cos(m: Mods, a: f32) -> f32 {
    float::result(m, numerics::cos_approx_f32(float::operand(m, a)))
}

/// The binary logarithm.
#[inline(always)]
pub fn lg2(m: Mods, a: f32) -> f32 {
    numerics::lg2_approx_f32(a, m.ftz())
}

/// A number with approximate functions of its own.
pub trait Special: Float {
    /// Two to this power.
    fn ex2(self, ftz: bool) -> Self;
    /// The hyperbolic tangent.
    fn tanh(self) -> Self;
}

impl Special for f32 {
    #[inline(always)]
    fn ex2(self, ftz: bool) -> f32 {
        numerics::ex2_approx_f32(self, ftz)
    }
    #[inline(always)]
    fn tanh(self) -> f32 {
        numerics::tanh_approx_f32(self)
    }
}

impl Special for F16 {
    #[inline(always)]
    fn ex2(self, _ftz: bool) -> F16 {
        numerics::ex2_approx_f16(self)
    }
    #[inline(always)]
    fn tanh(self) -> F16 {
        numerics::tanh_approx_f16(self)
    }
}

impl Special for Bf16 {
    #[inline(always)]
    fn ex2(self, _ftz: bool) -> Bf16 {
        numerics::ex2_approx_ftz_bf16(self)
    }
    #[inline(always)]
    fn tanh(self) -> Bf16 {
        numerics::tanh_approx_bf16(self)
    }
}

/// Two to the power `a`.
#[inline(always)]
pub fn ex2<T: Special>(m: Mods, a: T) -> T {
    a.ex2(m.ftz())
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh<T: Special>(_: Mods, a: T) -> T {
    a.tanh()
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("approximate::div_approx", &[lane2(div_approx)]),
    lane("approximate::div_full", &[lane2(div_full)]),
    lane("approximate::rcp", &[lane1(rcp)]),
    lane("approximate::rcp_coarse", &[rare1(rcp_coarse)]),
    lane("approximate::sqrt", &[lane1(sqrt)]),
    lane("approximate::rsqrt", &[lane1(rsqrt)]),
    lane("approximate::rsqrt_double", &[rare1(rsqrt_double)]),
    lane("approximate::rsqrt_coarse", &[rare1(rsqrt_coarse)]),
    lane("approximate::sin", &[lane1(sin)]),
    lane("approximate::cos", &[lane1(cos)]),
    lane("approximate::lg2", &[lane1(lg2)]),
    lane(
        "approximate::ex2",
        &[
            lane1(ex2::<f32>),
            rare1(ex2::<F16>),
            rare1(ex2::<Bf16>),
            rare1(|m, a: F16x2| a.map(|a| ex2(m, a))),
            rare1(|m, a: Bf16x2| a.map(|a| ex2(m, a))),
        ],
    ),
    lane(
        "approximate::tanh",
        &[
            rare1(tanh::<f32>),
            rare1(tanh::<F16>),
            rare1(tanh::<Bf16>),
            rare1(|m, a: F16x2| a.map(|a| tanh(m, a))),
            rare1(|m, a: Bf16x2| a.map(|a| tanh(m, a))),
        ],
    ),
];
