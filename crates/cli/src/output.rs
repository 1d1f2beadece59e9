//! Printing: results to standard output, everything else to standard error. A closed pipe is no error.

use crate::Format;
use lockstep::Error;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// Exit status where the input is wrong or a check failed.
pub const FAILED: u8 = 1;

/// Writes to standard output, which ends the process if it takes nothing.
pub fn print(text: &str) {
    print_bytes(text.as_bytes());
}

/// Writes bytes to standard output, as [`print`] does.
pub fn print_bytes(bytes: &[u8]) {
    is_read(bytes);
}

/// Writes a part of what may be long, and ends the process as if all were written once nobody reads on: for commands that fail before
/// they print, if at all.
pub fn print_part(text: &str) {
    if !is_read(text.as_bytes()) {
        std::process::exit(0);
    }
}

/// Writes bytes to standard output, and says whether anybody reads it still.
fn is_read(bytes: &[u8]) -> bool {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => true,
        // A reader that has seen enough has closed its end.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => false,
        Err(error) => {
            note(
                &Error::plain("", format!("cannot write to standard output: {error}"), "what was to be printed is lost")
                    .render(colour()),
            );
            std::process::exit(FAILED.into());
        }
    }
}

/// Writes to standard error.
pub fn note(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Whether standard error may have colours.
pub fn colour() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Whether standard output may have colours.
pub fn colours_output() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Reports an error: text to standard error, or JSON to standard output.
pub fn fail(error: &Error, format: Format) -> ExitCode {
    match format {
        Format::Text => note(&error.render(colour())),
        Format::Json => print(&format!("{{\"errors\":{}}}\n", problems(error.problems()))),
    }
    ExitCode::from(FAILED)
}

/// Reports an error that speaks of no text.
pub fn fail_plain(message: impl Into<String>, help: impl Into<String>, format: Format) -> ExitCode {
    fail(&Error::plain("", message, help), format)
}

/// Problems as a JSON array.
pub fn problems(problems: &[lockstep::Problem]) -> String {
    format!("[{}]", problems.iter().map(lockstep::Problem::json).collect::<Vec<_>>().join(","))
}
