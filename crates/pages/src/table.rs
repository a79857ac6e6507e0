//! Tables on a page.

use findings::table::Table;

use crate::html::{Html, each, html};

/// Returns `table` as HTML. Its rows have `class` if scripts need one.
pub(crate) fn html(table: &Table, class: Option<&str>) -> Html {
    let Table { heads, rows } = table;
    let in_heads = each(*heads, |head| html!("<th>{}</th>", head));
    let heads = (!heads.is_empty()).then(|| html!("<thead><tr>{}</tr></thead>", in_heads));
    let class = class.map(|class| html!(" class=\"{}\"", class));
    let rows = each(rows, |row| {
        html!("<tr{}>{}</tr>\n", class, each(row, |cell| html!("<td>{}</td>", cell)))
    });
    html!("<div class=\"table-wrapper\"><table>{}<tbody>\n{}</tbody></table></div>\n", heads, rows)
}
