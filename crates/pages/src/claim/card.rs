//! The card of a claim shows its sentence and the verdict on each machine. The compared rows are
//! in a `<details>` element.

use findings::claim::records::ClaimRecord;
use findings::claim::{JudgedClaim, Judgement, in_numbers};
use findings::data::Data;
use indexmap::IndexMap;
use measurement::Verdict;

use crate::html::{Html, anchor, each, html};
use crate::on_page::OnPage;

/// Returns a `<details>` element with the claims of a section. Its summary counts the verdicts.
/// In the first section of a page, the element also explains why a card may not name a machine.
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
    // Adds anchors for the claim's former ids, so that old links still work.
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

/// Returns a sentence that names the published claim that this claim replicates, with a link to
/// the ledger.
pub(super) fn replicates(judged: &JudgedClaim, on: &OnPage<'_>) -> Option<Html> {
    let source = judged.claim.replicates.as_ref()?;
    Some(html!(" Replicates {}.", on.published_link(source, source)))
}

/// Returns the verdicts on a claim. Machines with the same verdict share a line, which gives
/// their figures.
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

/// Returns one verdict with its machines. Each machine has its figure, or the reason why it has
/// none.
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

/// Returns the word for a verdict, such as `holds`, as HTML in the verdict's colour.
pub(super) fn badge(verdict: &Verdict) -> Html {
    let word = verdict.word();
    html!("<span class=\"measured-verdict measured-{}\">{}</span>", word.replace(' ', "-"), word)
}

/// Returns the time when the claim's chapter was first run after the claim's predicate was
/// written.
fn first_run<'a>(judged: &JudgedClaim, record: &'a ClaimRecord, data: &'a Data) -> Option<&'a str> {
    let ours = data.machines.iter().filter(|machine| !machine.is_local());
    let chapters = ours.filter_map(|machine| machine.chapters.get(&judged.claim.chapter));
    let runs = chapters.flat_map(|chapter| &chapter.sources).flat_map(|file| &file.runs);
    let runs = runs.map(|run| run.header.run.as_str()).chain(record.first_run.as_deref());
    runs.filter(|run| record.is_before(run)).min()
}

/// Returns the machines that have measured a claim, each with the time of its first run.
fn runs<'a>(judged: &JudgedClaim, data: &'a Data) -> Vec<(&'a str, &'a str)> {
    let machines = data.machines.iter().filter_map(|machine| {
        judged.on(machine.name())?.figure.as_ref().ok()?;
        let evidence = &machine.chapters.get(&judged.claim.chapter)?.evidence;
        let first = evidence.headers(judged.claim.experiment()).first()?;
        Some((machine.name(), first.run.as_str()))
    });
    machines.collect()
}
