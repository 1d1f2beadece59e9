//! PTX in one canonical layout.

use crate::error::{Error, Problem, Result};
use diagnostics::Source;
use std::sync::Arc;

/// The text in the canonical layout: the same tokens in the same order, comments kept.
///
/// # Errors
/// The text has syntax errors.
pub fn format(name: &str, text: &str) -> Result<String> {
    let (_, found) = ptx::parse(text);
    if found.is_empty() {
        return Ok(ptx::format(text));
    }
    let source = Arc::new(Source::new(name, text));
    Err(Error::new(found.into_iter().map(|diagnostic| Problem { diagnostic, source: source.clone() }).collect()))
}
