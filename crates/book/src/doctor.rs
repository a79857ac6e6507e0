//! `cargo book doctor` tells if this machine is quiet enough to measure on, and what it can
//! measure.

use findings::table::Table;
use host::doctor::{Finding, Standing, examine};

use crate::terminal;

pub(crate) fn execute() {
    let findings = examine(|text| host::tell!("{text}"));
    let row = |(what, Finding { standing, found, advice }): &(&str, Finding)| {
        vec![what.to_string(), found.clone(), standing.word().to_owned(), advice.clone()]
    };
    let rows = findings.iter().map(row).collect();
    terminal::print(&Table { heads: &["", "found", "", "what it means, or what to do"], rows });
    let to_mend = findings.iter().filter(|(_, of)| of.standing == Standing::Mend).count();
    host::say!(
        "\n{to_mend} of {} things to mend. A note bounds what can be measured here, or what it means.",
        findings.len()
    );
}
