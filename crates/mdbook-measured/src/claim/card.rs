//! The card of a claim: what is claimed, and how it stands on each machine; folded away behind it, what
//! was compared with what.

use maud::{Markup, html};
use measurement::{Test, Verdict};

use crate::claim::{Claim, Judgement};
use crate::data::{self, Data};
use crate::html::{Escaped, anchor};
use crate::page::context::RenderContext;

/// The card of a claim.
pub(crate) fn card(claim: &Claim, context: &RenderContext<'_>, to_root: &str) -> Markup {
    let id = anchor("claim", &claim.id);
    let record = context.records.and_then(|records| records.of(&claim.id));
    let was = record.map_or(&[][..], |record| &record.was);
    html! {
        div.measured-claim id=(id) {
            // Old links land here.
            @for old in was { a id=(anchor("claim", old)) {} }
            "\n"
            p.measured-sentence { (Escaped(&claim.sentence)) }
            "\n"
            ul {
                "\n"
                @for judgement in &claim.judgements {
                    li { (verdict_line(claim, judgement)) }
                    "\n"
                }
            }
            "\n"
            details.measured-behind {
                summary { "What is compared, and since when this is claimed" }
                "\n"
                p.measured-small {
                    "Claimed: " (Escaped(claim.in_words())) ", of " code { (Escaped(claim.about())) } ", judged by " (judged_by(claim.test())) "."
                    @if let Some(source) = &claim.replicates {
                        " Replicates " (context.to_ledger(source, source, to_root)) "."
                    }
                    @if let Some(record) = record {
                        " " (Escaped(record.in_words(&runs(claim, context.data))))
                    }
                    " Permanent link: "
                    a.measured-permalink href={ "#" (id) } { (Escaped(&claim.id)) }
                }
            }
            "\n"
        }
    }
}

fn judged_by(test: Test) -> &'static str {
    match test {
        Test::Mean => "the interval of the machine's mean",
        Test::Order => "order: five full runs that agree, or three wholly separated",
    }
}

/// A verdict with its machine, what was measured there and what judged it, or why nothing was.
pub(crate) fn verdict_line(claim: &Claim, judgement: &Judgement) -> Markup {
    let is_refuted = judgement.verdict == Verdict::Fails && claim.replicates.is_some();
    html! {
        (badge(&judgement.verdict)) " " (Escaped(data::label(&judgement.machine)))
        @if judgement.is_stale { " (stale)" }
        ": "
        @if judgement.measured.is_some() { (claim.subject.noun()) " " }
        (Escaped(judgement.in_words()))
        @if is_refuted { ", not reproduced on this machine" }
    }
}

/// A verdict, coloured by its word.
pub(crate) fn badge(verdict: &Verdict) -> Markup {
    let word = verdict.word();
    html! {
        span class={ "measured-verdict measured-" (word.replace(' ', "-")) } { (word) }
    }
}

/// The machines on which a claim has been measured, each with when that run began.
fn runs<'a>(claim: &Claim, data: &'a Data) -> Vec<(&'a str, &'a str)> {
    let measured = |name: &str| {
        let mut judgements = claim.judgements.iter();
        judgements.any(|judgement| judgement.machine == name && judgement.measured.is_some())
    };
    let machines = data.machines.iter().filter(|machine| measured(machine.name()));
    let runs = machines.filter_map(|machine| {
        let chapter = machine.chapters.get(&claim.chapter)?;
        let first = chapter.evidence.headers(claim.experiment()).first()?;
        Some((machine.name(), first.run.as_str()))
    });
    runs.collect()
}
