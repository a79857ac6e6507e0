//! Tables of strings, for a page or the terminal.

/// A table of strings.
#[derive(Debug)]
pub struct Table {
    /// The headings of the columns; empty for a list of facts.
    pub heads: &'static [&'static str],
    /// The rows, each with one cell per column.
    pub rows: Vec<Vec<String>>,
}
