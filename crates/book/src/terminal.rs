//! What all commands print alike.

use std::io::Write;

use comfy_table::Table;
use comfy_table::presets::NOTHING;

/// A table without lines, and with these heads.
pub(crate) fn table<const COLUMNS: usize>(heads: [&str; COLUMNS]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(heads);
    table
}

/// Prints a table, whose lines comfy-table fills up with spaces. Who reads it may have had enough, as
/// `head` has: then the program ends.
pub(crate) fn print(table: &Table) {
    let mut out = std::io::stdout().lock();
    for line in table.lines() {
        if writeln!(out, "{}", line.trim_end()).is_err() {
            std::process::exit(0);
        }
    }
}
