//! What has been found so far, up to a limit: beyond it problems are counted, so that a broken file costs neither memory nor time.

use diagnostics::Diagnostic;

/// Diagnostics that one file may have; more are counted only.
const SHOWN: usize = 100;

#[derive(Default)]
pub(crate) struct Report {
    diagnostics: Vec<Diagnostic>,
    unshown: usize,
}

impl Report {
    /// Adds what `make` makes, if there is room for it.
    #[cold]
    pub fn push(&mut self, make: impl FnOnce() -> Diagnostic) {
        if self.diagnostics.len() < SHOWN {
            self.diagnostics.push(make());
        } else {
            self.unshown += 1;
        }
    }

    /// Whether another diagnostic would be shown.
    pub fn has_room(&self) -> bool {
        self.diagnostics.len() < SHOWN
    }

    /// The diagnostics, and a note that says how many more there are.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        if self.unshown > 0 {
            self.diagnostics.push(Diagnostic::more(self.unshown, "errors"));
        }
        self.diagnostics
    }
}
