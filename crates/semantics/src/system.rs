//! Functions that every CUDA device has without a module defining them: printf, the heap, failed assertions.
//!
//! CUDA C++ Programming Guide, "Formatted output", "Dynamic global memory allocation"; the calling convention is PTX's: arguments and
//! results lie in the caller's local memory where [`machine::state::Call`] says.

use machine::Handler;

/// The function of this name.
pub fn find(_name: &str) -> Option<Handler> {
    None
}
