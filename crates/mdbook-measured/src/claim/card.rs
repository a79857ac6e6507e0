//! The card of a claim: what is claimed, and how it stands on each machine; folded away behind it, what
//! was compared with what.

use maud::{Markup, html};
use measurement::{Test, Verdict};

use crate::claim::exception::in_numbers;
use crate::claim::judged::{JudgedClaim, Judgement};
use crate::data::{Data, label};
use crate::html::{Escaped, anchor};
use crate::page::on_page::OnPage;

/// The claims of a section, behind a line that counts what became of them.
pub(crate) fn fold(claims: &[&JudgedClaim], on: &OnPage<'_>) -> Markup {
    html! {
        details.measured-claims {
            summary { (in_numbers(claims, on.context.data)) }
            "\n"
            @for judged in claims { (card(judged, on)) "\n" }
        }
    }
}

/// The card of a claim.
fn card(judged: &JudgedClaim, on: &OnPage<'_>) -> Markup {
    let claim = &judged.claim;
    let id = anchor("claim", &claim.id);
    let record = on.context.records.and_then(|records| records.of(&claim.id));
    html! {
        div.measured-claim id=(id) {
            // Old links land here.
            @for old in record.into_iter().flat_map(|record| &record.was) { a id=(anchor("claim", old)) {} }
            "\n"
            p.measured-sentence { (Escaped(&claim.sentence)) }
            "\n"
            ul {
                "\n"
                @for judgement in &judged.judgements {
                    li { (verdict_line(judged, judgement)) }
                    "\n"
                }
            }
            "\n"
            details.measured-behind {
                summary { "What is compared, and since when this is claimed" }
                "\n"
                p.measured-small {
                    "Claimed: " (Escaped(claim.in_words())) ", of " code { (Escaped(&claim.subject)) } ", judged by "
                    @match claim.test() {
                        Test::Mean => "the interval of the machine's mean",
                        Test::Order => "order: five full runs that agree, or three wholly separated",
                    }
                    "."
                    (replicates(judged, on))
                    @if let Some(record) = record {
                        " " (Escaped(record.in_words(&runs(judged, on.context.data))))
                    }
                    " Permanent link: "
                    a.measured-permalink href={ "#" (id) } { (Escaped(&claim.id)) }
                }
            }
            "\n"
        }
    }
}

/// Whom a claim answers, with a link to the ledger.
pub(super) fn replicates(judged: &JudgedClaim, on: &OnPage<'_>) -> Markup {
    html! {
        @if let Some(source) = &judged.claim.replicates {
            " Replicates " (on.to_ledger(source, source)) "."
        }
    }
}

/// A verdict with its machine, what was measured there and what judged it, or why nothing was.
pub(super) fn verdict_line(judged: &JudgedClaim, judgement: &Judgement) -> Markup {
    html! {
        (badge(&judgement.verdict)) " " (Escaped(label(&judgement.machine)))
        @if judgement.is_stale { " (stale)" }
        ": " (found(judged, judgement))
        @if judgement.verdict == Verdict::Fails && judged.claim.replicates.is_some() {
            ", not reproduced on this machine"
        }
    }
}

/// What was measured, or why nothing was.
pub(super) fn found(judged: &JudgedClaim, judgement: &Judgement) -> Markup {
    html! {
        @if judgement.found.is_ok() { (judged.claim.subject.noun()) " " }
        (Escaped(judgement.in_words(judged.claim.test())))
    }
}

/// A verdict, coloured by its word.
pub(super) fn badge(verdict: &Verdict) -> Markup {
    let word = verdict.word();
    html! {
        span class={ "measured-verdict measured-" (word.replace(' ', "-")) } { (word) }
    }
}

/// The machines on which a claim has been measured, each with when its first run began.
fn runs<'a>(judged: &JudgedClaim, data: &'a Data) -> Vec<(&'a str, &'a str)> {
    let machines = data.machines.iter().filter_map(|machine| {
        judged.on(machine.name())?.found.as_ref().ok()?;
        let evidence = &machine.chapters.get(&judged.claim.chapter)?.evidence;
        let first = evidence.headers(judged.claim.experiment()).first()?;
        Some((machine.name(), first.run.as_str()))
    });
    machines.collect()
}
