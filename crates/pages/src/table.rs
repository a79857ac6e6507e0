//! Tables on a page.

use findings::table::Table;

use crate::html::{Html, ToHtml, each, html};

pub(crate) fn html(Table { heads, rows }: &Table) -> Html {
    of_rows(heads.iter().copied(), each(rows, |row| html!("<tr>{}</tr>\n", cells(row))))
}

/// Returns an HTML table with `rows`, and with a row of headings if there are any `heads`.
pub(crate) fn of_rows<'a>(heads: impl Iterator<Item = &'a str>, rows: Html) -> Html {
    let heads = each(heads, |head| html!("<th>{}</th>", head));
    let heads = (!heads.0.is_empty()).then(|| html!("<thead><tr>{}</tr></thead>", heads));
    html!("<div class=\"table-wrapper\"><table>{}<tbody>\n{}</tbody></table></div>\n", heads, rows)
}

/// Returns a table row that names its contender in an attribute, which the tests of charts look
/// for.
pub(crate) fn row_of(contender: &str, figures: Html) -> Html {
    html!("<tr data-contender=\"{}\">{}</tr>\n", contender, figures)
}

pub(crate) fn cells(texts: impl IntoIterator<Item = impl ToHtml>) -> Html {
    each(texts, |text| html!("<td>{}</td>", text))
}
