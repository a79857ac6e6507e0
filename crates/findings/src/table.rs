//! Tables of texts, which stand on a page or in the terminal.

use crate::html::{Html, each, html};

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
    pub(crate) fn html(&self, class: Option<&str>) -> Html {
        let heads = each(self.heads, |head| html!("<th>{}</th>", head));
        let heads = (!self.heads.is_empty()).then(|| html!("<thead><tr>{}</tr></thead>", heads));
        let class = class.map(|class| html!(" class=\"{}\"", class));
        let rows = each(&self.rows, |row| {
            html!("<tr{}>{}</tr>\n", class, each(row, |cell| html!("<td>{}</td>", cell)))
        });
        html!(
            "<div class=\"table-wrapper\"><table>{}<tbody>\n{}</tbody></table></div>\n",
            heads,
            rows
        )
    }
}
