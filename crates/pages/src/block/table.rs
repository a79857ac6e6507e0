//! A `table` block: rows, columns, and a directive that gives the figure in each cell.

use indexmap::{IndexMap, IndexSet};
use language::block::{At, BlockError, from_toml};
use language::page::FencedBlock;
use language::wrong;
use serde::Deserialize;

use super::Shown;
use crate::directive::{ask, inline, machine, told};
use crate::html::{Html, each, html};
use crate::on_page::OnPage;
use crate::rich_text::RichText;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableBlock {
    /// The heading of the first column, above the headings of the rows.
    #[serde(default)]
    head: String,
    /// The directive for every cell. In it, `{row}` and `{column}` are replaced by the strings of
    /// the cell's row and column.
    cell: Option<String>,
    /// The columns, keyed by their headings, which may contain directives and `code`.
    columns: IndexMap<String, EntryParts>,
    rows: IndexMap<String, EntryParts>,
}

/// The strings that a row or a column inserts into the directive of each of its cells.
#[derive(Deserialize)]
#[serde(untagged)]
enum EntryParts {
    One(String),
    Several(Vec<String>),
}

impl EntryParts {
    /// Returns `text` with the string in place of `{name}`. If there are several strings, they
    /// replace `{name.1}`, `{name.2}` and so on.
    fn put_into(&self, text: &str, name: &str) -> String {
        match self {
            EntryParts::One(part) => text.replace(&format!("{{{name}}}"), part),
            EntryParts::Several(parts) => {
                let parts = parts.iter().enumerate();
                parts.fold(text.to_owned(), |text, (index, part)| {
                    text.replace(&format!("{{{name}.{}}}", index + 1), part)
                })
            }
        }
    }
}

impl TableBlock {
    fn cell(&self, row: &EntryParts, column: &EntryParts) -> Result<String, String> {
        let cell = match (&self.cell, column) {
            (Some(cell), column) => column.put_into(cell, "column"),
            (None, EntryParts::One(cell)) => cell.clone(),
            (None, EntryParts::Several(_)) => {
                return Err("without a `cell`, a column is one directive".to_owned());
            }
        };
        let cell = row.put_into(&cell, "row");
        match cell.find('{') {
            Some(start) => Err(format!("nothing stands for {:?}", &cell[start..])),
            None => Ok(cell),
        }
    }
}

pub(super) fn render(
    FencedBlock { body, .. }: &FencedBlock,
    on: &OnPage<'_>,
) -> Result<Shown, BlockError> {
    let table: TableBlock = from_toml(body)?;
    let TableBlock { head, columns, rows, .. } = &table;
    if columns.is_empty() || rows.is_empty() {
        wrong!(1, "a table has [columns] and [rows], one of each at least");
    }
    let (mut shown, mut machines) = (Vec::new(), IndexSet::<Option<&str>>::new());
    for (text, row) in rows {
        let place = ("rows", text);
        let mut cells = Vec::new();
        for column in columns.values() {
            let directive = table.cell(row, column).and_then(|cell| ask(&cell, on)).at(place)?;
            machines.extend(machine(&directive, on));
            cells.push(told(&directive, on).at(place)?.html());
        }
        shown.push((inline(text, on).at(place)?, cells));
    }
    let head = inline(head, on).at("head")?;
    let column = |text: &String| inline(text, on).at(("columns", text));
    let columns = columns.keys().map(column).collect::<Result<Vec<_>, _>>()?;
    // If the figures are from several machines, each cell names its machine, unless that is the
    // usual one.
    let machine = (machines.len() == 1).then(|| machines.pop().flatten()).flatten();
    let machine = machine.and_then(|name| on.book.data.machine(name));
    let note = machine.map(|machine| {
        html!("\n<p class=\"measured-small\">Measured on {}.</p>", machine.for_people())
    });
    Ok(html!("{}{}", html(&head, &columns, &shown), note).into())
}

/// Returns a table with header cells, as HTML that Markdown treats as a separate block. There is
/// no row of headings if all headings are empty.
pub(crate) fn html(head: &RichText, columns: &[RichText], rows: &[(RichText, Vec<Html>)]) -> Html {
    let has_heads = [head].into_iter().chain(columns).any(|head| !head.plain().is_empty());
    let columns = each(columns, |column| html!("<th scope=\"col\">{}</th>", column));
    let heads = html!("<thead><tr><th>{}</th>{}</tr></thead>", head, columns);
    let rows = each(rows, |(head, cells)| {
        let cells = each(cells, |cell| html!("<td>{}</td>", cell));
        html!("<tr><th scope=\"row\">{}</th>{}</tr>\n", head, cells)
    });
    html!(
        "<div class=\"table-wrapper\"><table>{}<tbody>{}</tbody></table></div>",
        has_heads.then_some(heads),
        rows
    )
}
