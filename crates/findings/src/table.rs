//! Tables of strings, for a page or the terminal.

/// A table of strings.
#[derive(Debug)]
pub struct Table {
    /// The headings of its columns; empty for a list of facts.
    pub heads: &'static [&'static str],
    /// Its rows, with one cell per column.
    pub rows: Vec<Vec<String>>,
}
