//! How commands print tables.

use std::io::Write;

use comfy_table::presets::NOTHING;
use mdbook_measured::table::Table;

/// Prints a table, whose lines comfy-table fills up with spaces. Who reads it may have had enough, as `head` has:
/// then the program ends.
pub(crate) fn print(table: &Table) {
    let mut printed = comfy_table::Table::new();
    printed.load_style(NOTHING).set_header(table.heads).add_rows(&table.rows);
    let mut out = std::io::stdout().lock();
    for line in printed.lines() {
        if writeln!(out, "{}", line.trim_end()).is_err() {
            std::process::exit(0);
        }
    }
}
