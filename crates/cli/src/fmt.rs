//! `lockstep fmt`: PTX in one layout.

use crate::{Format, output, plan};
use clap::Args;
use lockstep::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Lay PTX files out in one canonical way: the same tokens, comments kept
///
/// A statement a line, four blanks for a scope, labels and braces on lines of their own. Files are rewritten in place; standard input is
/// written to standard output. A file with syntax errors stays as it is.
#[derive(Args)]
#[command(after_help = "Exit status 1 if a file has syntax errors, or with --check if one would change.")]
pub struct Arguments {
    /// PTX files, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Rewrite nothing; list the files that would change
    #[arg(long)]
    check: bool,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    let mut fine = true;
    for file in &arguments.files {
        match format(file, arguments.check) {
            Ok(unchanged) => fine &= unchanged || !arguments.check,
            Err(error) => {
                output::fail(&error, Format::Text);
                fine = false;
            }
        }
    }
    if fine { ExitCode::SUCCESS } else { ExitCode::from(output::FAILED) }
}

/// Lays one file out; whether it was in that layout already.
fn format(file: &Path, check: bool) -> Result<bool, Error> {
    let text = plan::read_utf8(file)?;
    let formatted = lockstep::format::format(&file.display().to_string(), &text)?;
    let unchanged = formatted == text;
    if check && !unchanged {
        let line = 1 + text.lines().zip(formatted.lines()).take_while(|(a, b)| a == b).count();
        output::print(&format!("{}: line {line} would change\n", file.display()));
    } else if file == Path::new("-") && !check {
        output::print(&formatted);
    } else if !unchanged {
        let failed =
            |e| Error::plain("", format!("cannot write {}: {e}", file.display()), "check its permissions, and room on the disk");
        replace(file, &formatted).map_err(failed)?;
    }
    Ok(unchanged)
}

/// Gives a file another text, or leaves it as it is: a full disk must not cost a source.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let file = file.canonicalize()?;
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let new = file.with_file_name(name);
    let written = std::fs::write(&new, text)
        .and_then(|()| std::fs::set_permissions(&new, std::fs::metadata(&file)?.permissions()))
        .and_then(|()| std::fs::rename(&new, &file));
    if written.is_err() {
        // It may not have been made at all.
        let _ = std::fs::remove_file(&new);
    }
    written
}
