//! `cargo book claims`: every claim, and how it stands on each machine.

use std::path::Path;

use anyhow::Result;
use mdbook_measured::{DataScope, driver};

use crate::terminal;

/// Prints the claims of the book in `root`, and how many published ones they answer.
///
/// # Errors
///
/// What is wrong with the book.
pub fn execute(root: &Path) -> Result<()> {
    let analysis = driver::analyse(root, DataScope::WithLocal)?;
    let mut table = terminal::table(["claim", "machine", "verdict", "measured", "claimed"]);
    for claim in &analysis.claims {
        for judgement in &claim.judgements {
            table.add_row([
                claim.id.as_str(),
                &judgement.machine,
                judgement.verdict.word(),
                judgement.in_words(),
                &claim.in_words(),
            ]);
        }
    }
    terminal::print(&table);
    let published = &analysis.published.claims;
    let answered = published
        .iter()
        .filter(|published| {
            let id = Some(published.id.as_str());
            analysis.claims.iter().any(|claim| claim.replicates.as_deref() == id)
        })
        .count();
    println!("\npublished claims that one of ours answers: {answered} of {}", published.len());
    Ok(())
}
