//! The codes of what this crate reports, E03xx, and the explanation of every code.

pub use diagnostics::codes::{Explanation, all, explanation};

pub(crate) const GPU: &str = "E0301";
pub(crate) const MEMORY: &str = "E0302";
pub(crate) const BUFFER: &str = "E0303";
pub(crate) const TARGET: &str = "E0304";
pub(crate) const COUNT: &str = "E0305";
pub(crate) const ARGUMENT: &str = "E0306";
pub(crate) const VARIABLE: &str = "E0307";
pub(crate) const VALUE: &str = "E0308";
pub(crate) const EVALUATE: &str = "E0309";
pub(crate) const TABLE: &str = "E0310";
pub(crate) const TENSOR_MAP: &str = "E0311";
pub(crate) const IMAGE: &str = "E0312";
