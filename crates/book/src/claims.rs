//! `cargo book claims`: every claim, and how it stands on each machine.

use std::path::Path;

use anyhow::Result;
use mdbook_measured::table::Table;
use mdbook_measured::{DataScope, driver};

use crate::terminal;

/// Prints the claims of the book in `root`, and how many published ones they answer.
pub(crate) fn execute(root: &Path) -> Result<()> {
    let analysis = driver::analyse(root, DataScope::WithLocal)?;
    let mut rows = Vec::new();
    for judged in &analysis.claims {
        rows.extend(judged.judgements.iter().map(|judgement| {
            vec![
                judged.claim.id.clone(),
                judgement.machine.clone(),
                judgement.verdict.word().to_owned(),
                judgement.in_words(judged.claim.test()),
                judged.claim.in_words(),
            ]
        }));
    }
    let heads = &["claim", "machine", "verdict", "measured", "claimed"];
    terminal::print(&Table { heads, rows });
    let published = &analysis.published.claims;
    let is_answered = |id: &String| {
        analysis.claims.iter().any(|judged| judged.claim.replicates.as_ref() == Some(id))
    };
    let answered = published.iter().filter(|claim| is_answered(&claim.id)).count();
    println!("\npublished claims that one of ours answers: {answered} of {}", published.len());
    Ok(())
}
