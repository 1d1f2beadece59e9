//! The codes of what checking reports; `diagnostics::codes` explains them. E02xx are shared with the engine, which meets the same
//! mistakes when it lowers a kernel.

pub(crate) const NEEDS: &str = "E0101";
pub(crate) const REGISTER: &str = "E0102";
pub(crate) const TWICE: &str = "E0103";
pub(crate) const SPACE: &str = "E0104";
pub(crate) const DECLARATION: &str = "E0105";
pub(crate) const INITIALISER: &str = "E0106";
pub(crate) const PARAMETER: &str = "E0107";
pub(crate) const CALL: &str = "E0108";
pub(crate) const PROTOTYPE: &str = "E0109";
pub(crate) const DIRECTIVE: &str = "E0110";
pub(crate) const HEADER: &str = "E0111";
pub(crate) const LABEL: &str = "E0112";
pub(crate) const GUARDED: &str = "E0113";
pub(crate) const CONSTANT: &str = "E0114";
pub(crate) const SPECIAL: &str = "E0115";
pub(crate) const ALIAS: &str = "E0116";
pub(crate) const ADDRESS: &str = "E0117";
pub(crate) const OPCODE: &str = "E0213";
pub(crate) const OPERANDS: &str = "E0214";
pub(crate) const GUARD: &str = "E0215";
pub(crate) const UNDECLARED: &str = "E0218";
