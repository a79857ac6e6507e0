//! Whose runs a book is built from.

/// Whose runs the pages show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those in the repository: what tests judge.
    Committed,
    /// Those and the reader's own, data/local/.
    WithLocal,
}
