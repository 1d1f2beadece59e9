//! The codes of syntax errors, E00xx; `diagnostics::codes` explains them.

pub(crate) const NOT_PTX: &str = "E0001";
pub(crate) const HEADER: &str = "E0002";
pub(crate) const STRAY: &str = "E0003";
pub(crate) const UNTERMINATED: &str = "E0004";
pub(crate) const UNEXPECTED: &str = "E0005";
pub(crate) const SEMICOLON: &str = "E0006";
pub(crate) const UNCLOSED: &str = "E0007";
pub(crate) const UNOPENED: &str = "E0008";
pub(crate) const DIRECTIVE: &str = "E0009";
pub(crate) const MISPLACED: &str = "E0010";
pub(crate) const NUMBER: &str = "E0011";
pub(crate) const CONSTANT: &str = "E0012";
pub(crate) const NESTING: &str = "E0013";
pub(crate) const TYPE: &str = "E0014";
pub(crate) const RANGE: &str = "E0015";
pub(crate) const TOO_LONG: &str = "E0016";
pub(crate) const LABEL: &str = "E0017";
