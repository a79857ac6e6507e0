//! What is wrong with a text, and on which line.

use thiserror::Error;

/// What is wrong with a text, such as a file of runs or a block of a page, and on which line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{line}: {message}")]
pub struct LineError {
    /// The line within the text, from 1; 0 where it is the text as a whole.
    pub line: usize,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl LineError {
    /// What is wrong on this line.
    pub fn new(line: usize, message: impl Into<String>) -> LineError {
        LineError { line, message: message.into() }
    }
}
