//! Is a PTX text right? The crate `check` says; here its diagnostics get their source.

use crate::error::{Problem, Result};
use crate::table;
use diagnostics::{Diagnostic, Source};
use isa::Target;
use std::sync::Arc;

pub use check::{Forced, Requirements};

/// Everything that is wrong with a text, in its order; `target` is judged instead of the one that the text names.
///
/// # Errors
/// The table cannot be read.
pub fn check(name: &str, text: &str, target: Option<Target>) -> Result<Vec<Problem>> {
    let found = check::check(table()?, text, target);
    if found.is_empty() {
        return Ok(Vec::new());
    }
    Ok(with_source(found, &Arc::new(Source::new(name, text))))
}

/// On which versions and targets a text is right, and which of its lines say so, whatever else is wrong with it.
///
/// # Errors
/// The table cannot be read.
pub fn requirements(text: &str) -> Result<Requirements> {
    Ok(check::requirements(table()?, &ptx::parse(text).0))
}

/// Whether a diagnostic says that the module's version or target is not the right one.
pub fn about_header(diagnostic: &Diagnostic) -> bool {
    check::about_header(diagnostic)
}

fn with_source(found: Vec<Diagnostic>, source: &Arc<Source>) -> Vec<Problem> {
    found.into_iter().map(|diagnostic| Problem { diagnostic, source: source.clone() }).collect()
}
