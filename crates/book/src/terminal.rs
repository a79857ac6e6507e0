//! Prints tables to the terminal.

use std::io::Write;

use comfy_table::ContentArrangement;
use comfy_table::presets::NOTHING;
use console::Term;
use findings::table::Table;

/// Prints a table. Wraps lines to the exported `COLUMNS` or to the width of the terminal. If
/// neither is known, assumes that a program reads the output, and prints one line per row with
/// tabs between the cells.
pub(crate) fn print(table: &Table) {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = Term::stdout();
    let Some(width) = asked.or_else(|| terminal.is_term().then(|| terminal.size().1)) else {
        let heads = table.heads.iter().map(|head| (*head).to_owned()).collect();
        let lines = [heads].into_iter().chain(table.rows.iter().cloned());
        return print_lines(lines.map(|cells| cells.join("\t").replace('\n', " ")));
    };
    let mut printed = comfy_table::Table::new();
    printed.load_style(NOTHING).set_header(table.heads).add_rows(&table.rows);
    printed.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    print_lines(printed.lines());
}

/// Prints lines without the trailing spaces that comfy-table adds. Exits if nobody reads the
/// output any more, for example when `head` has ended.
fn print_lines(lines: impl Iterator<Item = String>) {
    let mut out = std::io::stdout().lock();
    for line in lines {
        if writeln!(out, "{}", line.trim_end_matches(' ')).is_err() {
            std::process::exit(0);
        }
    }
}
