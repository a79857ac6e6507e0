//! The card of a claim: what is claimed, and how it stands on each machine; folded away behind it, what
//! was compared with what.

use measurement::{Test, Verdict};

use crate::claim::exception::in_numbers;
use crate::claim::{JudgedClaim, Judgement};
use crate::data::{Data, label};
use crate::html::{Html, anchor, each, html};
use crate::page::OnPage;

/// The claims of a section, behind a line that counts what became of them.
pub(crate) fn fold(claims: &[&JudgedClaim], on: &OnPage<'_>) -> Html {
    html!(
        "<details class=\"measured-claims\"><summary>{}</summary>\n{}</details>",
        in_numbers(claims, &on.book.data),
        each(claims, |judged| card(judged, on))
    )
}

/// The card of a claim.
fn card(judged: &JudgedClaim, on: &OnPage<'_>) -> Html {
    let claim = &judged.claim;
    let id = anchor("claim", &claim.id);
    let record = on.book.records.as_ref().and_then(|records| records.of(&claim.id));
    // Old links land here.
    let was = record.into_iter().flat_map(|record| &record.was);
    let was = each(was, |old| html!("<a id=\"{}\"></a>", anchor("claim", old)));
    let lines = each(&judged.judgements, |judgement| {
        html!("<li>{}</li>\n", verdict_line(judged, judgement))
    });
    let by = match claim.test() {
        Test::Mean => "the interval of the machine's mean",
        Test::Order => "order: five full runs that agree, or three wholly separated",
    };
    let set = record.map(|record| record.in_words(&runs(judged, &on.book.data)));
    html!(
        "<div class=\"measured-claim\" id=\"{}\">{}\n<p class=\"measured-sentence\">{}</p>\n<ul>\n{}</ul>\n\
         <details class=\"measured-behind\"><summary>What is compared, and since when this is claimed</summary>\n\
         <p class=\"measured-small\">Claimed: {}, of <code>{}</code>, judged by {}.{}{} Permanent link: \
         <a class=\"measured-permalink\" href=\"#{}\">{}</a></p></details>\n</div>\n",
        id,
        was,
        claim.sentence,
        lines,
        claim.in_words(),
        claim.subject.to_string(),
        Html(by.to_owned()),
        replicates(judged, on),
        set.map(|set| html!(" {}", set)),
        id,
        claim.id
    )
}

/// Whom a claim answers, with a link to the ledger.
pub(super) fn replicates(judged: &JudgedClaim, on: &OnPage<'_>) -> Option<Html> {
    let source = judged.claim.replicates.as_ref()?;
    Some(html!(" Replicates {}.", on.published_link(source, source)))
}

/// A verdict with its machine, what was measured there and what judged it, or why nothing was.
pub(super) fn verdict_line(judged: &JudgedClaim, judgement: &Judgement) -> Html {
    let is_refuted = judgement.verdict == Verdict::Fails && judged.claim.replicates.is_some();
    html!(
        "{} {}{}: {}{}",
        badge(&judgement.verdict),
        label(&judgement.machine),
        judgement.is_stale.then_some(", by runs of an older version, which do not count"),
        found(judged, judgement),
        is_refuted.then_some(", not reproduced on this machine")
    )
}

/// What was measured, or why nothing was.
pub(super) fn found(judged: &JudgedClaim, judgement: &Judgement) -> String {
    let words = judgement.in_words(judged.claim.test());
    match judgement.figure {
        Ok(_) => format!("{} {words}", judged.claim.subject.noun()),
        Err(_) => words,
    }
}

/// A verdict, coloured by its word.
pub(super) fn badge(verdict: &Verdict) -> Html {
    let word = verdict.word();
    html!("<span class=\"measured-verdict measured-{}\">{}</span>", word.replace(' ', "-"), word)
}

/// The machines on which a claim has been measured, each with when its first run began.
fn runs<'a>(judged: &JudgedClaim, data: &'a Data) -> Vec<(&'a str, &'a str)> {
    let machines = data.machines.iter().filter_map(|machine| {
        judged.on(machine.name())?.figure.as_ref().ok()?;
        let evidence = &machine.chapters.get(&judged.claim.chapter)?.evidence;
        let first = evidence.headers(judged.claim.experiment()).first()?;
        Some((machine.name(), first.run.as_str()))
    });
    machines.collect()
}
