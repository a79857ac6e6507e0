//! `cargo book doctor`: whether this machine is quiet, and what it can measure.

use host::doctor::{Finding, Standing, examine};

use crate::terminal;

/// Prints what is found out about this machine, and what to do about it.
pub fn execute() {
    let findings = examine(|text| eprintln!("{text}"));
    let mut table = terminal::table(["", "found", "", "what to do about it"]);
    for finding in &findings {
        let Finding { what, found, standing, advice } = finding;
        table.add_row([*what, found, standing.word(), advice]);
    }
    terminal::print(&table);
    let to_mend = findings.iter().filter(|finding| finding.standing == Standing::Mend).count();
    println!(
        "\n{to_mend} of {} things to mend. A note bounds what can be measured here, or what it means.",
        findings.len()
    );
}
