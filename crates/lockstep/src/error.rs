//! What can go wrong, as diagnostics with the text that they speak of.

use crate::Report;
use diagnostics::{Diagnostic, Severity, Source};
use std::fmt;
use std::sync::Arc;

/// A diagnostic and the text that its places lie in.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What is wrong.
    pub diagnostic: Diagnostic,
    /// Where; without a name and empty if no text is at fault.
    pub source: Arc<Source>,
}

/// One or several problems that kept something from being done.
#[derive(Clone, Debug)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    problems: Vec<Problem>,
    report: Option<Report>,
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of these problems.
    pub fn new(problems: Vec<Problem>) -> Self {
        Error(Box::new(Inner { problems, report: None }))
    }

    /// An error that speaks of no text: what is wrong, and what to do.
    pub fn plain(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        let diagnostic = Diagnostic { labels: Vec::new(), ..Diagnostic::error(code, Default::default(), message).help(help) };
        Error::new(vec![Problem { diagnostic, source: Arc::new(Source::new("", "")) }])
    }

    /// The error with what its launch had done.
    pub fn with_report(mut self, report: Report) -> Self {
        self.0.report = Some(report);
        self
    }

    /// What is wrong, the most important first.
    pub fn problems(&self) -> &[Problem] {
        &self.0.problems
    }

    /// What a launch had done before it failed.
    pub fn report(&self) -> Option<&Report> {
        self.0.report.as_ref()
    }

    /// All problems as text, with ANSI colours if `colour` is set.
    pub fn render(&self, colour: bool) -> String {
        self.0.problems.iter().map(|p| p.render(colour)).collect::<Vec<_>>().join("\n")
    }
}

impl Problem {
    /// The problem as text, with ANSI colours if `colour` is set.
    pub fn render(&self, colour: bool) -> String {
        diagnostics::render_text(&self.diagnostic, &self.source, colour)
    }

    /// The problem as one JSON object.
    pub fn json(&self) -> String {
        diagnostics::render_json(&self.diagnostic, &self.source)
    }

    /// Whether it is an error, not a warning or a note.
    pub fn is_error(&self) -> bool {
        self.diagnostic.severity == Severity::Error
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render(false).trim_end())
    }
}

impl std::error::Error for Error {}
