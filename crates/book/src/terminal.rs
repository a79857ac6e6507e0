//! What all commands print alike.

use comfy_table::Table;
use comfy_table::presets::NOTHING;

/// A table without lines, and with these heads.
pub(crate) fn table<const COLUMNS: usize>(heads: [&str; COLUMNS]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(heads);
    table
}

/// Prints a table, whose lines comfy-table fills up with spaces.
pub(crate) fn print(table: &Table) {
    for line in table.lines() {
        println!("{}", line.trim_end());
    }
}
