//! On which claims machines agree: what the directive `{{agreement ...}}` puts in.

use measurement::Verdict;

use crate::claim::{JudgedClaim, Judgement, index};
use crate::data::LOCAL;
use crate::html::{Html, html};
use crate::page::OnPage;

/// How the machines can stand to each other that judged a claim: it holds on all of them, it fails on all of them, it
/// holds on one and fails on another, or it is not decided on one at least and no two contradict each other.
pub(crate) const AGREEMENTS: [&str; 4] = ["holds", "fails", "opposite", "undecided"];

fn agreement(judgements: &[&Judgement]) -> &'static str {
    let count = |wanted| judgements.iter().filter(|found| found.verdict == wanted).count();
    match (count(Verdict::Holds), count(Verdict::Fails)) {
        (holds, _) if holds == judgements.len() => "holds",
        (_, fails) if fails == judgements.len() => "fails",
        (1.., 1..) => "opposite",
        _ => "undecided",
    }
}

/// The claims that several machines judged by runs that are not stale, in the order of the pages: the reader's own
/// apart, whose verdicts nobody else sees.
fn judged<'a>(
    on: &OnPage<'a>,
) -> impl Iterator<Item = (&'static str, (&'a JudgedClaim, Vec<&'a Judgement>))> {
    on.book.claims.iter().filter_map(|judged| {
        let counts = |judgement: &&Judgement| {
            judgement.machine != LOCAL && judgement.judges() && !judgement.is_stale
        };
        let judgements: Vec<_> = judged.judgements.iter().filter(counts).collect();
        (judgements.len() > 1).then(|| (agreement(&judgements), (judged, judgements)))
    })
}

/// How many claims there are of each kind, in a sentence.
pub(crate) fn in_numbers(on: &OnPage<'_>) -> String {
    let all: Vec<&str> = judged(on).map(|(agreement, _)| agreement).collect();
    let [holds, fails, opposite, undecided] =
        AGREEMENTS.map(|wanted| all.iter().filter(|agreement| **agreement == wanted).count());
    format!(
        "Of {} claims, {} were judged on two machines or more by runs that are not stale. On all of these \
         machines {holds} hold and {fails} fail. On {opposite} the machines contradict each other, and {undecided} are \
         undecided on one machine at least.",
        on.book.claims.len(),
        all.len(),
    )
}

/// The claims of one kind, with what was found on each machine.
pub(crate) fn table(wanted: &str, on: &OnPage<'_>) -> Html {
    let all = judged(on).filter(|(agreement, _)| *agreement == wanted);
    let rows: Vec<_> = all.map(|(_, row)| row).collect();
    if rows.is_empty() {
        return html!("\n<p>So far there is none.</p>\n");
    }
    html!("\n{}\n", index::table(&rows, false, on))
}
