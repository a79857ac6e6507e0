//! Tables of texts, which stand on a page or in the terminal.

/// A table of texts.
#[derive(Debug)]
pub struct Table {
    /// The heads of its columns; none for a list of facts.
    pub heads: &'static [&'static str],
    /// Its rows, a cell a column.
    pub rows: Vec<Vec<String>>,
}
