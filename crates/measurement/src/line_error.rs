//! An error in a file or a block, with its line.

use std::borrow::Cow;

use thiserror::Error;

/// An error in some source text, such as a file of runs or a block of a page, with its line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{line}: {}", shortened(message))]
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

/// Shortens a message to its beginning and its end, if it is too long for a terminal.
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
