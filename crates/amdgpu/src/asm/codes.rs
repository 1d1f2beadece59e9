//! The codes of what assembling reports; `diagnostics::codes` explains them.

pub(crate) const TOKEN: &str = "E0401";
pub(crate) const SYNTAX: &str = "E0402";
pub(crate) const DIRECTIVE: &str = "E0403";
pub(crate) const UNKNOWN_VALUE: &str = "E0404";
pub(crate) const RANGE: &str = "E0405";
pub(crate) const REDEFINED: &str = "E0406";
pub(crate) const UNDEFINED: &str = "E0407";
pub(crate) const MACRO: &str = "E0408";
pub(crate) const EXPANSION: &str = "E0409";
pub(crate) const CONDITION: &str = "E0410";
pub(crate) const SECTION: &str = "E0411";
pub(crate) const RELOCATION: &str = "E0412";
pub(crate) const ALIGNMENT: &str = "E0413";
pub(crate) const IN_SOURCE: &str = "E0414";
pub(crate) const BLOCK: &str = "E0415";
pub(crate) const FILE: &str = "E0416";
pub(crate) const TARGET: &str = "E0417";
