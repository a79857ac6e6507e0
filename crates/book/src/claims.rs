//! `cargo book claims`: every claim, and how it stands on each machine.

use std::path::Path;

use anyhow::Result;
use mdbook_measured::claim::records::ClaimRecord;
use mdbook_measured::{Analysis, DataScope, driver};

use crate::history::git;
use crate::terminal;

/// The commit whose list of claims is held against what became of them. Method 4, which came after it, could
/// withdraw claims.
const FROZEN: &str = "5ef20e3";

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
    match git(root, &["show", &format!("{FROZEN}:data/claims.jsonl")]) {
        Ok(frozen) => println!("{}", undecided(&frozen, &analysis)?),
        Err(error) => println!("the claims at {FROZEN} are not known: {error:#}"),
    }
    Ok(())
}

/// How many of the claims of an earlier file are undecided on the reference, or were withdrawn.
fn undecided(frozen: &str, analysis: &Analysis) -> Result<String> {
    let records = analysis.records.iter().flat_map(|records| &records.all);
    let (mut all, mut counts) = (0, [0; 4]);
    for line in frozen.lines() {
        let frozen: ClaimRecord = serde_json::from_str(line)?;
        let mut today = records.clone().filter(|record| record.ids().any(|id| id == frozen.id));
        let id = today.next().map_or(&frozen.id, |record| &record.id);
        let claim = analysis.claims.iter().find(|claim| claim.id == *id);
        let verdict = claim.map_or("withdrawn", |claim| claim.judgements[0].verdict.word());
        let kinds: [&[&str]; 4] =
            [&["undecided", "one run"], &["withdrawn"], &["depends"], &["not measured"]];
        if let Some(kind) = kinds.iter().position(|kind| kind.contains(&verdict)) {
            counts[kind] += 1;
        }
        all += 1;
    }
    let [undecided, withdrawn, depend, not_measured] = counts;
    let share = 100.0 * f64::from(undecided + withdrawn) / f64::from(all);
    Ok(format!(
        "of the {all} claims at {FROZEN}, on the reference: {undecided} undecided and {withdrawn} withdrawn, \
         together {share:.1} %; {depend} depend, {not_measured} not measured"
    ))
}
