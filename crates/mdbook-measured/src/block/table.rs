//! Tables of figures: rows, columns, and a directive for each cell.

use indexmap::IndexMap;
use maud::{Markup, html};
use measurement::LineError;
use serde::Deserialize;

use crate::figure::names::FigureNames;
use crate::figure::rich_text::RichText;
use crate::page::directive::{Directive, InlineText};
use crate::toml_block::{from_toml, line_of_entry, line_of_key};

/// A fenced `table` block.
///
/// ```toml
/// head = "beyond the baseline"
/// cell = "number line: {row}, {column}, time per switch"
///
/// [columns]
/// "on one core"  = "placement=one core"
/// "on all cores" = "placement=all cores"
///
/// [rows]
/// "threads"             = "std::thread"
/// "Tokio, multi-thread" = "tokio multi-thread"
/// ```
///
/// Without `cell`, each column is the directive of its cells: `"time" = "number line: {row}"`. What has
/// several parts is a list: `{row.1}`, `{row.2}`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableBlock {
    /// What stands over the heads of the rows.
    #[serde(default)]
    head: String,
    /// The directive of every cell, with `{row}` and `{column}` for what they are.
    cell: Option<String>,
    /// By what stands over them, in which directives and `code` are read.
    columns: IndexMap<String, EntryParts>,
    /// By what stands before them.
    rows: IndexMap<String, EntryParts>,
}

/// What a row or a column puts into a cell's directive.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum EntryParts {
    One(String),
    Several(Vec<String>),
}

impl EntryParts {
    /// A text with these in place of `{name}`, or of `{name.1}` and so on.
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

/// A table that has been read.
#[derive(Debug)]
pub(crate) struct FigureTable {
    pub(crate) head: InlineText,
    pub(crate) columns: Vec<InlineText>,
    /// Each with its head.
    pub(crate) rows: Vec<(InlineText, Vec<Directive>)>,
}

impl FigureTable {
    /// Reads a block, in which these names hold.
    ///
    /// # Errors
    ///
    /// With the line within the block.
    pub(crate) fn parse(block: &str, names: &FigureNames) -> Result<FigureTable, LineError> {
        let spec: TableBlock = from_toml(block)?;
        if spec.columns.is_empty() || spec.rows.is_empty() {
            return Err(LineError::new(
                1,
                "a table has [columns] and [rows], one of each at least",
            ));
        }
        let inline = |text: &str| InlineText::read(text, names);
        let head_of = |table: &str, text: &String| {
            inline(text)
                .map_err(|message| LineError::new(line_of_entry(block, table, text), message))
        };
        let head = inline(&spec.head)
            .map_err(|message| LineError::new(line_of_key(block, "head"), message))?;
        let columns = spec.columns.keys().map(|text| head_of("columns", text));
        let mut rows = Vec::new();
        for (text, row) in &spec.rows {
            let at = |message: String| LineError::new(line_of_entry(block, "rows", text), message);
            let cell = |column: &EntryParts| {
                let cell = match (&spec.cell, column) {
                    (Some(cell), column) => column.put_into(cell, "column"),
                    (None, EntryParts::One(cell)) => cell.clone(),
                    (None, EntryParts::Several(_)) => {
                        return Err("without a `cell`, a column is one directive".to_owned());
                    }
                };
                let cell = row.put_into(&cell, "row");
                match cell.find('{') {
                    Some(start) => Err(format!("nothing stands for {:?}", &cell[start..])),
                    None => Directive::read(&cell, names),
                }
            };
            let cells: Result<Vec<_>, String> = spec.columns.values().map(cell).collect();
            rows.push((head_of("rows", text)?, cells.map_err(at)?));
        }
        Ok(FigureTable { head, columns: columns.collect::<Result<_, _>>()?, rows })
    }
}

/// A table with header cells, as HTML that is a block of its own in Markdown.
pub(crate) fn html(
    head: &RichText,
    columns: &[RichText],
    rows: &[(RichText, Vec<Markup>)],
) -> Markup {
    html! {
        div.table-wrapper {
            table {
                thead {
                    tr {
                        th { (head.html_with_code()) }
                        @for column in columns { th scope="col" { (column.html_with_code()) } }
                    }
                }
                tbody {
                    @for (head, cells) in rows {
                        tr {
                            th scope="row" { (head.html_with_code()) }
                            @for cell in cells { td { (cell) } }
                        }
                        "\n"
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(block: &str) -> String {
        FigureTable::parse(block, &FigureNames::default()).unwrap_err().to_string()
    }

    #[test]
    fn a_cell_is_made_of_its_row_and_its_column() {
        let block = "cell = \"number a: {row}, {column}\"\n[columns]\n\"one\" = \"n=1\"\ntwo = \"n=2\"\n[rows]\nb = \"b\"\n";
        let table = FigureTable::parse(block, &FigureNames::default()).unwrap();
        assert_eq!(format!("{:?}", table.rows[0].1[1]).matches("\"2\"").count(), 1);
        let parts =
            "[columns]\nboth = \"ratio a: {row.1} / {row.2}\"\n[rows]\nb = [\"b\", \"c\"]\n";
        assert_eq!(FigureTable::parse(parts, &FigureNames::default()).unwrap().rows.len(), 1);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert!(wrong("[columns]\n[rows]\n").contains("one of each"));
        assert!(
            wrong("[columns]\na = \"number a: {rwo}\"\n[rows]\nb = \"b\"\n")
                .contains("4: nothing stands for \"{rwo}\"")
        );
        assert!(
            wrong("[columns]\na = [\"number a: b\"]\n[rows]\nb = \"b\"\n")
                .contains("one directive")
        );
        assert!(
            wrong("[columns]\na = \"nmber a: {row}\"\n[rows]\n\"b\" = \"b\"\n")
                .contains("4: no directive is \"nmber\"")
        );
        assert!(
            wrong(
                "[columns]\na = \"number a: {row}\"\na = \"number a: {row}\"\n[rows]\nb = \"b\"\n"
            )
            .contains("duplicate")
        );
        assert!(
            wrong("[columns]\n\"{{x}}\" = \"number a: {row}\"\n[rows]\nb = \"b\"\n")
                .contains("2: no directive is \"x\"")
        );
        assert!(wrong("colums = 1\n").contains("colums"));
    }
}
