//! What can be wrong with a file, as plain data.

use std::fmt;

/// What is wrong, where in the file, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// The byte of the file, or of the part that the message names, where it is.
    pub at: Option<u64>,
    /// What to do; may be empty.
    pub help: String,
}

/// A result of this module.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of the file as a whole.
    pub fn new(message: impl Into<String>) -> Self {
        Error { message: message.into(), at: None, help: String::new() }
    }

    /// The same with a place.
    pub fn at(mut self, byte: u64) -> Self {
        self.at = Some(byte);
        self
    }

    /// The same with a remedy.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.at.map_or(Ok(()), |byte| write!(f, " (at byte {byte:#x})"))
    }
}

impl std::error::Error for Error {}

/// The layout of descriptors, or why the table is wrong.
pub(crate) fn layout() -> Result<&'static isa::amdgpu::descriptor::Layout> {
    isa::amdgpu::descriptor::Layout::get().map_err(|problems| Error::new(format!("the table is wrong: {problems}")))
}
