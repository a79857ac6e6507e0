//! `cargo book claims` prints every claim, with its verdict on each machine.

use std::path::Path;

use anyhow::{Result, ensure};
use findings::DataScope;
use findings::claim::trials::trials;
use findings::claim::{JudgedClaim, Judgement};
use findings::table::Table;
use indexmap::IndexMap;
use language::selector::nearest;
use measurement::Verdict;
use pages::driver;

use crate::terminal;

/// Prints the claims of the book in `root`, or only those about rows of `chapter`. Open claims
/// come first. Also prints the number of claims per verdict.
pub(crate) fn execute(root: &Path, chapter: Option<&str>) -> Result<()> {
    let analysis = driver::analyse(root, DataScope::WithLocal)?;
    let is_asked = |judged: &&JudgedClaim| chapter.is_none_or(|it| judged.claim.chapter == it);
    let mut claims: Vec<&JudgedClaim> = analysis.claims.iter().filter(is_asked).collect();
    if let Some(chapter) = chapter {
        let mut chapters: Vec<&str> =
            analysis.claims.iter().map(|judged| judged.claim.chapter.as_str()).collect();
        chapters.dedup();
        let near = nearest(chapter, chapters);
        ensure!(!claims.is_empty(), "no claim is of the chapter {chapter:?}{near}");
    }
    claims.sort_by_key(|judged| openness(judged));
    let rows = claims.iter().flat_map(|judged| rows(judged)).collect();
    terminal::print(&Table {
        heads: &["verdict", "machine", "claim", "measured", "claimed"],
        rows,
    });
    let mut counts: IndexMap<&str, usize> = IndexMap::new();
    for judged in &claims {
        *counts.entry(here(judged)).or_default() += 1;
    }
    let counts: Vec<String> =
        counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    host::tell!("\n{} claims: {}", claims.len(), counts.join(", "));
    if chapter.is_none() {
        let published = &analysis.published.claims;
        let is_answered =
            |id: &String| claims.iter().any(|judged| judged.claim.replicates.as_ref() == Some(id));
        let answered = published.iter().filter(|claim| is_answered(&claim.id)).count();
        host::tell!("published claims that one of ours answers: {answered} of {}", published.len());
    }
    Ok(())
}

/// Prints how often each run of an experiment agrees with the intervals and verdicts that the
/// other runs give.
pub(crate) fn held_out(root: &Path) -> Result<()> {
    let analysis = driver::analyse(root, DataScope::WithLocal)?;
    terminal::print(&trials(&analysis.data, &analysis.claims));
    Ok(())
}

/// Returns a row for each machine that has a figure for the claim. The reference machine has a
/// row in any case.
fn rows(judged: &JudgedClaim) -> Vec<Vec<String>> {
    let JudgedClaim { claim, judgements } = judged;
    let reference = &judged.on_reference().machine;
    let is_told = |found: &&Judgement| found.figure.is_ok() || found.machine == *reference;
    let row = |found: &Judgement| {
        let (verdict, measured) = (found.verdict.word().to_owned(), found.in_words());
        vec![verdict, found.machine.clone(), claim.id.clone(), measured, claim.sentence.clone()]
    };
    judgements.iter().filter(is_told).map(row).collect()
}

fn here(judged: &JudgedClaim) -> &str {
    judged.on_reference().verdict.word()
}

/// Returns a sort key: undecided and unmeasured claims come first, then those that fail.
fn openness(judged: &JudgedClaim) -> usize {
    match judged.on_reference().verdict {
        Verdict::Undecided => 0,
        Verdict::OneRun => 1,
        Verdict::NotMeasured(_) => 2,
        Verdict::Fails => 3,
        Verdict::Holds => 4,
    }
}
