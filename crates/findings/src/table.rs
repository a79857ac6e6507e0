//! Tables of strings, for a page or for the terminal.

/// A table whose cells are strings.
#[derive(Debug)]
pub struct Table {
    /// The headings of the columns. Empty for a list of facts.
    pub heads: &'static [&'static str],
    /// The rows of the table, each with one cell per column.
    pub rows: Vec<Vec<String>>,
}
