//! `cargo book claims`: every claim, and how it stands on each machine.

use std::path::Path;

use anyhow::{Result, ensure};
use indexmap::IndexMap;
use mdbook_measured::claim::judged::{JudgedClaim, Judgement};
use mdbook_measured::figure::selector::nearest;
use mdbook_measured::table::Table;
use mdbook_measured::{DataScope, driver};
use measurement::Verdict;

use crate::terminal;

/// Prints the claims of the book in `root`, or those on rows of a chapter. In a terminal what is open comes first; a
/// program that reads them gets a line for each machine, in the order of the pages.
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
    if terminal::width().is_none() {
        let rows = claims.iter().flat_map(|judged| {
            judged.judgements.iter().map(|found| for_programs(judged, found)).collect::<Vec<_>>()
        });
        let heads = &["claim", "machine", "verdict", "measured", "claimed"];
        terminal::print_tabs(&Table { heads, rows: rows.collect() });
        return Ok(());
    }
    claims.sort_by_key(|judged| openness(judged));
    let rows = claims.iter().map(|judged| for_people(judged)).collect();
    terminal::print(&Table { heads: &["here", "claim", "measured"], rows });
    let mut counts: IndexMap<&str, usize> = IndexMap::new();
    for judged in &claims {
        *counts.entry(here(judged)).or_default() += 1;
    }
    let counts: Vec<String> =
        counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    println!("\n{} claims: {}", claims.len(), counts.join(", "));
    if chapter.is_none() {
        let published = &analysis.published.claims;
        let is_answered =
            |id: &String| claims.iter().any(|judged| judged.claim.replicates.as_ref() == Some(id));
        let answered = published.iter().filter(|claim| is_answered(&claim.id)).count();
        println!("published claims that one of ours answers: {answered} of {}", published.len());
    }
    Ok(())
}

fn for_programs(judged: &JudgedClaim, found: &Judgement) -> Vec<String> {
    let JudgedClaim { claim, .. } = judged;
    let (machine, verdict) = (found.machine.clone(), found.verdict.word().to_owned());
    vec![claim.id.clone(), machine, verdict, found.in_words(claim.test()), claim.in_words()]
}

/// The verdict that the pages tell, the claim, and what each machine found that judged it.
fn for_people(judged: &JudgedClaim) -> Vec<String> {
    let JudgedClaim { claim, judgements, reference } = judged;
    let is_told = |found: &&Judgement| found.figure.is_ok() || found.machine == *reference;
    let line = |found: &Judgement| {
        let (machine, verdict) = (&found.machine, found.verdict.word());
        format!("{machine} {verdict}: {}", found.in_words(claim.test()))
    };
    let measured: Vec<String> = judgements.iter().filter(is_told).map(line).collect();
    let claimed = format!("{}\n{}", claim.id, claim.sentence);
    vec![here(judged).to_owned(), claimed, measured.join("\n")]
}

/// How it stands on the machine whose verdict the pages tell.
fn here(judged: &JudgedClaim) -> &str {
    judged.on_reference().map_or("not measured", |found| found.verdict.word())
}

/// What is open comes first, then what was expected otherwise.
fn openness(judged: &JudgedClaim) -> usize {
    match judged.on_reference().map(|found| &found.verdict) {
        Some(Verdict::Undecided | Verdict::Depends) => 0,
        Some(Verdict::OneRun) => 1,
        Some(Verdict::NotMeasured(_)) | None => 2,
        Some(Verdict::Fails) => 3,
        Some(Verdict::Holds) => 4,
    }
}
