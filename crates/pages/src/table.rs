//! Tables on a page.

use findings::table::Table;

use crate::html::{Html, ToHtml, each, html};

/// Returns `table` as HTML. Without headings, its rows are names with their values.
pub(crate) fn html(Table { heads, rows }: &Table) -> Html {
    if !heads.is_empty() {
        let rows = each(rows, |row| html!("<tr>{}</tr>\n", cells(row)));
        return of_rows(heads.iter().copied(), rows);
    }
    let rows = each(rows, |row| {
        let name = row.first();
        html!("<tr><th scope=\"row\">{}</th>{}</tr>\n", name, cells(row.iter().skip(1)))
    });
    html!(
        "<div class=\"table-wrapper\"><table class=\"measured-facts\"><tbody>\n{}</tbody></table></div>\n",
        rows
    )
}

/// Returns a table with these headings and rows.
pub(crate) fn of_rows<'a>(heads: impl Iterator<Item = &'a str>, rows: Html) -> Html {
    html!(
        "<div class=\"table-wrapper\"><table><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
        each(heads, |head| html!("<th>{}</th>", head)),
        rows
    )
}

/// Returns a table row with an attribute that names the row's contender. The tests of charts
/// search for this attribute.
pub(crate) fn row_of(contender: &str, figures: Html) -> Html {
    html!("<tr data-contender=\"{}\">{}</tr>\n", contender, figures)
}

pub(crate) fn cells(texts: impl IntoIterator<Item = impl ToHtml>) -> Html {
    each(texts, |text| html!("<td>{}</td>", text))
}
