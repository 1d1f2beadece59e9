//! The codes of loading, linking, lowering and launching, E02xx; `diagnostics::codes` explains them.

/// A launch that the GPU does not take.
pub const REFUSED: &str = "E0230";
/// An access outside memory.
pub const BOUNDS: &str = "E0231";
/// A misaligned access.
pub const ALIGNMENT: &str = "E0232";
/// A write to constant memory.
pub const READ_ONLY: &str = "E0233";
/// `trap` or `brkpt`.
pub const TRAP: &str = "E0234";
/// A failed assertion.
pub const ASSERT: &str = "E0235";
/// Calls nested too deeply, or too much local memory.
pub const STACK: &str = "E0236";
/// A call or branch to something that is none.
pub const TARGET: &str = "E0237";
/// Another fault of a thread.
pub const FAULT: &str = "E0238";
/// Nobody can go on.
pub const DEADLOCK: &str = "E0239";
/// A limit of the launch was reached, or it was interrupted.
pub const LIMIT: &str = "E0240";
/// A code object that cannot be loaded.
pub const OBJECT: &str = "E0241";
/// An instruction of AMD's that is not executable yet.
pub const PENDING: &str = "E0242";
/// A register is used whose load has not been waited for.
pub const LATE: &str = "E0243";
