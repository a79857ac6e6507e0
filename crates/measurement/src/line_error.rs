//! Errors with the line number in a file or a block.

use std::borrow::Cow;

use thiserror::Error;

/// An error in a string that was parsed, such as a data file or a block of a page, with the line
/// number.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{line}: {}", shortened(message))]
pub struct LineError {
    /// The line number within the text, from 1; 0 if the error concerns the text as a whole.
    pub line: usize,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl LineError {
    /// Creates an error from a line number and a message. Lines are numbered from 1; 0 stands for
    /// the text as a whole.
    pub fn new(line: usize, message: impl Into<String>) -> LineError {
        LineError { line, message: message.into() }
    }
}

/// Shortens a message that is too long for a terminal: keeps the beginning and the end.
pub fn shortened(message: &str) -> Cow<'_, str> {
    const MOST: usize = 4_000;
    if message.len() <= MOST {
        return message.into();
    }
    let half = MOST / 2;
    let (first, rest) = message.split_at(message.floor_char_boundary(half));
    let (left_out, last) = rest.split_at(rest.ceil_char_boundary(rest.len() - half));
    format!("{first} [{} bytes left out] {last}", left_out.len()).into()
}
