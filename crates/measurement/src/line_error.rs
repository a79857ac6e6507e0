//! An error in a text, with its line.

use thiserror::Error;

/// An error in a text, such as a file of runs or a block of a page, with its line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{line}: {message}")]
pub struct LineError {
    /// The line number within the text, from 1; 0 for the text as a whole.
    pub line: usize,
    /// The error, and what was expected.
    pub message: String,
}

impl LineError {
    /// Creates an error on this line.
    pub fn new(line: usize, message: impl Into<String>) -> LineError {
        LineError { line, message: message.into() }
    }
}
