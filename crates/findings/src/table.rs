//! Tables of texts, for a page or the terminal.

/// A table of texts.
#[derive(Debug)]
pub struct Table {
    /// The heads of its columns; empty for a list of facts.
    pub heads: &'static [&'static str],
    /// Its rows, with one cell per column.
    pub rows: Vec<Vec<String>>,
}
