//! Tables of texts, which stand on a page or in the terminal.

use maud::{Markup, html};

use crate::html::Escaped;

/// A table of texts.
#[derive(Debug)]
pub struct Table {
    /// The heads of its columns; none for a list of facts.
    pub heads: &'static [&'static str],
    /// Its rows, a cell a column.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The table on a page, its rows of a class of their own where something looks for them.
    pub(crate) fn html(&self, class: Option<&str>) -> Markup {
        html! {
            div.table-wrapper {
                table {
                    @if !self.heads.is_empty() {
                        thead { tr { @for head in self.heads { th { (head) } } } }
                    }
                    tbody {
                        "\n"
                        @for row in &self.rows {
                            tr class=[class] { @for cell in row { td { (Escaped(cell)) } } }
                            "\n"
                        }
                    }
                }
            }
            "\n"
        }
    }
}
