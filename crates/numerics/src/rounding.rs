//! Rounding directions.

/// The direction in which a result that is not representable is rounded.
///
/// The four directions of PTX arithmetic (`.rn .rz .rm .rp`), its integer roundings (`.rni .rzi .rmi .rpi`)
/// and `.rna` are the same five things. Stochastic rounding (`.rs`) needs random bits and so is an operation
/// of its own: [`crate::pack_stochastic`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest value, ties to the even one (`.rn`, `.rni`).
    #[default]
    NearestEven,
    /// To the nearest value, ties away from zero (`.rna`).
    NearestAway,
    /// Toward zero (`.rz`, `.rzi`).
    TowardZero,
    /// Toward negative infinity (`.rm`, `.rmi`).
    Down,
    /// Toward positive infinity (`.rp`, `.rpi`).
    Up,
}

/// What was cut off below the last kept bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rest {
    Zero,
    BelowHalf,
    Half,
    AboveHalf,
}

impl Rounding {
    /// Whether a magnitude whose kept part is odd or even is to be increased by one unit.
    #[inline]
    pub(crate) fn increments(self, negative: bool, odd: bool, rest: Rest) -> bool {
        match self {
            Rounding::NearestEven => rest > Rest::Half || (rest == Rest::Half && odd),
            Rounding::NearestAway => rest >= Rest::Half,
            Rounding::TowardZero => false,
            Rounding::Down => negative && rest != Rest::Zero,
            Rounding::Up => !negative && rest != Rest::Zero,
        }
    }

    /// Whether a magnitude beyond the largest finite one stays at it rather than becoming infinite.
    #[inline]
    pub(crate) fn overflows_to_finite(self, negative: bool) -> bool {
        match self {
            Rounding::NearestEven | Rounding::NearestAway => false,
            Rounding::TowardZero => true,
            Rounding::Down => !negative,
            Rounding::Up => negative,
        }
    }
}
