//! The card of a claim: the sentence and the verdict on each machine, with the compared rows in a
//! fold.

use findings::claim::records::ClaimRecord;
use findings::claim::{JudgedClaim, Judgement, in_numbers};
use findings::data::Data;
use indexmap::IndexMap;
use measurement::Verdict;

use crate::html::{Html, anchor, each, html};
use crate::on_page::OnPage;

/// Returns the claims of a section in a fold whose summary counts their outcomes. In the first
/// section of a page, the fold also says what the cards leave out.
pub(crate) fn fold(claims: &[&JudgedClaim], is_first: bool, on: &OnPage<'_>) -> Html {
    let has_others = is_first && on.book.data.machines.len() > 1;
    html!(
        "<details class=\"measured-claims\"><summary>{}</summary>\n{}{}</details>",
        in_numbers(claims, &on.book.data),
        has_others.then(|| html!("<p class=\"measured-small\">{}</p>\n", LEFT_OUT)),
        each(claims, |judged| card(judged, on))
    )
}

const LEFT_OUT: &str =
    "If a card doesn't name a machine, that machine has no run that judges the claim.";

fn card(judged: &JudgedClaim, on: &OnPage<'_>) -> Html {
    let claim = &judged.claim;
    let id = anchor("claim", &claim.id);
    let record = on.book.records.as_ref().and_then(|records| records.of(&claim.id));
    // Anchors for the claim's former ids, so that old links still work.
    let was = on.book.records.iter().flat_map(|records| records.was(&claim.id));
    let was = each(was, |old| html!("<a id=\"{}\"></a>", anchor("claim", old)));
    let lines = verdict_lines(judged, &on.book.data);
    let lines = each(lines, |line| html!("<li>{}</li>\n", line));
    let set = record.map(|record| {
        let since = first_run(judged, record, &on.book.data);
        record.in_words(&runs(judged, &on.book.data), since)
    });
    html!(
        "<div class=\"measured-claim\" id=\"{}\">{}\n<p class=\"measured-sentence\">{}</p>\n<ul>\n{}</ul>\n\
         <details class=\"measured-behind\"><summary>The comparison, and when the claim was made</summary>\n\
         <p class=\"measured-small\">Claimed: {}, of <code>{}</code>.{}{} Permanent link: \
         <a class=\"measured-permalink\" href=\"#{}\">{}</a></p></details>\n</div>\n",
        id,
        was,
        claim.sentence,
        lines,
        claim.in_words(),
        claim.subject.to_string(),
        replicates(judged, on),
        set.map(|set| html!(" {}", set)),
        id,
        claim.id
    )
}

/// Returns the publication that a claim answers, with a link to the ledger.
pub(super) fn replicates(judged: &JudgedClaim, on: &OnPage<'_>) -> Option<Html> {
    let source = judged.claim.replicates.as_ref()?;
    Some(html!(" Replicates {}.", on.published_link(source, source)))
}

/// Returns the verdicts on a claim: a line per verdict, with the figures of the machines on which
/// it was reached.
pub(super) fn verdict_lines(judged: &JudgedClaim, data: &Data) -> Vec<Html> {
    let mut lines: Vec<Vec<&Judgement>> = Vec::new();
    let reference = &judged.on_reference().machine;
    let told = judged.judgements.iter().filter(|it| !it.is_for_full_runs_elsewhere(reference));
    for found in told {
        let of = |it: &Judgement| (it.verdict.clone(), it.is_stale);
        match lines.iter_mut().find(|line| of(line[0]) == of(found)) {
            Some(line) => line.push(found),
            None => lines.push(vec![found]),
        }
    }
    lines.iter().map(|line| verdict_line(judged, line, data)).collect()
}

/// Returns a verdict with its machines and their figures, or the reason why nothing was measured.
fn verdict_line(judged: &JudgedClaim, line: &[&Judgement], data: &Data) -> Html {
    let known: Vec<&str> = judged.judgements.iter().map(|it| it.machine.as_str()).collect();
    let mut machines: IndexMap<String, Vec<&str>> = IndexMap::new();
    for found in line {
        machines.entry(found.in_words()).or_default().push(&found.machine);
    }
    let found = machines.iter().map(|(found, on)| format!("{}: {found}", data.names(on, &known)));
    let is_refuted = line[0].verdict == Verdict::Fails && judged.claim.replicates.is_some();
    html!(
        "{} {}{}{}",
        badge(&line[0].verdict),
        found.collect::<Vec<_>>().join("; "),
        line[0].is_stale.then_some("; by runs of an older version, which do not count"),
        is_refuted.then_some("; not reproduced")
    )
}

/// Returns the word for a verdict, in the colour of the verdict.
pub(super) fn badge(verdict: &Verdict) -> Html {
    let word = verdict.word();
    html!("<span class=\"measured-verdict measured-{}\">{}</span>", word.replace(' ', "-"), word)
}

/// Returns the beginning of the first run of the claim's chapter since the claim's predicate was
/// set.
fn first_run<'a>(judged: &JudgedClaim, record: &'a ClaimRecord, data: &'a Data) -> Option<&'a str> {
    let ours = data.machines.iter().filter(|machine| !machine.is_local());
    let chapters = ours.filter_map(|machine| machine.chapters.get(&judged.claim.chapter));
    let runs = chapters.flat_map(|chapter| &chapter.sources).flat_map(|file| &file.runs);
    let runs = runs.map(|run| run.header.run.as_str()).chain(record.first_run.as_deref());
    runs.filter(|run| record.is_before(run)).min()
}

/// Returns the machines on which a claim has been measured, each with the beginning of its first
/// run.
fn runs<'a>(judged: &JudgedClaim, data: &'a Data) -> Vec<(&'a str, &'a str)> {
    let machines = data.machines.iter().filter_map(|machine| {
        judged.on(machine.name())?.figure.as_ref().ok()?;
        let evidence = &machine.chapters.get(&judged.claim.chapter)?.evidence;
        let first = evidence.headers(judged.claim.experiment()).first()?;
        Some((machine.name(), first.run.as_str()))
    });
    machines.collect()
}
