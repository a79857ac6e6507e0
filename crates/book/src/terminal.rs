//! How commands print tables.

use std::io::Write;

use comfy_table::ContentArrangement;
use comfy_table::presets::NOTHING;
use console::Term;
use mdbook_measured::table::Table;

/// How many letters a line has: as `COLUMNS` says where it is exported, else the terminal; `None` where neither does,
/// which is where a program reads what is printed.
pub(crate) fn width() -> Option<u16> {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = Term::stdout();
    asked.or_else(|| terminal.is_term().then(|| terminal.size().1))
}

/// Prints a table, whose lines are broken where they would not fit.
pub(crate) fn print(table: &Table) {
    let mut printed = comfy_table::Table::new();
    printed.load_style(NOTHING).set_header(table.heads).add_rows(&table.rows);
    if let Some(width) = width() {
        printed.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    print_lines(printed.lines());
}

/// Prints a table for programs: a line a row, a tab between cells.
pub(crate) fn print_tabs(table: &Table) {
    let heads = table.heads.iter().map(|head| (*head).to_owned()).collect();
    let lines = [heads].into_iter().chain(table.rows.iter().cloned());
    print_lines(lines.map(|cells| cells.join("\t").replace('\n', " ")));
}

/// Prints lines, which comfy-table fills up with spaces. Who reads them may have had enough, as `head` has: then the
/// program ends.
fn print_lines(lines: impl Iterator<Item = String>) {
    let mut out = std::io::stdout().lock();
    for line in lines {
        if writeln!(out, "{}", line.trim_end_matches(' ')).is_err() {
            std::process::exit(0);
        }
    }
}
