//! The codes of loading, linking, lowering and launching, E02xx, for `lockstep explain`.

/// A code, its title and its explanation.
pub struct Explanation {
    /// `E0212`.
    pub code: &'static str,
    /// One line.
    pub title: &'static str,
    /// A paragraph: the rule and the remedy.
    pub text: &'static str,
}
