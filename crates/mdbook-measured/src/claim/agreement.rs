//! On which claims machines agree: what the directive `{{agreement ...}}` puts in.

use maud::{Markup, html};
use measurement::{METHOD, Verdict};

use crate::claim::card::badge;
use crate::claim::index::sentence_with_link;
use crate::claim::{Claim, Judgement};
use crate::data::{Data, LOCAL};
use crate::html::Escaped;
use crate::page::context::RenderContext;

/// How the machines stand to each other that judged a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// It holds on all of them.
    Holds,
    /// It fails on all of them.
    Fails,
    /// It holds on one and fails on another.
    Opposite,
    /// On one of them at least it is not decided, and no two contradict each other.
    Undecided,
}

/// All of them, each with its word in the directive.
pub(crate) const AGREEMENTS: [(&str, Agreement); 4] = [
    ("holds", Agreement::Holds),
    ("fails", Agreement::Fails),
    ("opposite", Agreement::Opposite),
    ("undecided", Agreement::Undecided),
];

impl Agreement {
    fn of(verdicts: &[&Verdict]) -> Agreement {
        let is_all = |wanted: Verdict| verdicts.iter().all(|verdict| **verdict == wanted);
        let has = |wanted: Verdict| verdicts.iter().any(|verdict| **verdict == wanted);
        if is_all(Verdict::Holds) {
            Agreement::Holds
        } else if is_all(Verdict::Fails) {
            Agreement::Fails
        } else if has(Verdict::Holds) && has(Verdict::Fails) {
            Agreement::Opposite
        } else {
            Agreement::Undecided
        }
    }
}

/// A claim that several machines judged by the present method.
struct JudgedClaim<'a> {
    claim: &'a Claim,
    judgements: Vec<&'a Judgement>,
    agreement: Agreement,
}

impl JudgedClaim<'_> {
    /// All of them, in the order of the pages.
    fn all<'a>(context: &RenderContext<'a>) -> Vec<JudgedClaim<'a>> {
        let judged = |claim: &'a Claim| {
            let all = claim.judgements.iter();
            let judgements: Vec<_> =
                all.filter(|found| counts(claim, found, context.data)).collect();
            let verdicts: Vec<&Verdict> = judgements.iter().map(|found| &found.verdict).collect();
            let agreement = Agreement::of(&verdicts);
            (judgements.len() > 1).then_some(JudgedClaim { claim, judgements, agreement })
        };
        context.claims.iter().filter_map(judged).collect()
    }
}

/// Whether it is a verdict of a machine that everybody sees, and of the present method.
fn counts(claim: &Claim, judgement: &Judgement, data: &Data) -> bool {
    let chapter = data.chapter(&judgement.machine, &claim.chapter);
    let headers = chapter.map_or(&[][..], |chapter| chapter.evidence.headers(claim.experiment()));
    judgement.machine != LOCAL
        && !matches!(judgement.verdict, Verdict::NotMeasured(_) | Verdict::OneRun)
        && headers.last().is_some_and(|header| header.method == METHOD)
}

/// How many claims there are of each kind, in a sentence.
pub(crate) fn in_numbers(context: &RenderContext<'_>) -> String {
    let judged = JudgedClaim::all(context);
    let count = |wanted| judged.iter().filter(|claim| claim.agreement == wanted).count();
    format!(
        "Of {} claims, {} were judged on two machines or more by method {METHOD}. On all of these \
         machines {} hold and {} fail. On {} the machines contradict each other, and {} are undecided on \
         one machine at least.",
        context.claims.len(),
        judged.len(),
        count(Agreement::Holds),
        count(Agreement::Fails),
        count(Agreement::Opposite),
        count(Agreement::Undecided),
    )
}

/// The claims of one kind, with what was found on each machine.
pub(crate) fn table(wanted: Agreement, context: &RenderContext<'_>, to_root: &str) -> Markup {
    let mut judged = JudgedClaim::all(context);
    judged.retain(|claim| claim.agreement == wanted);
    let is_judge = |name: &&str| {
        let mut judgements = judged.iter().flat_map(|claim| &claim.judgements);
        judgements.any(|found| found.machine == *name)
    };
    let machines = context.data.machines.iter().map(|machine| machine.name());
    let machines: Vec<&str> = machines.filter(is_judge).collect();
    html! {
        "\n"
        @if judged.is_empty() {
            p { "So far there is none." }
        } @else {
            div.table-wrapper {
                table.measured-index {
                    thead { tr { th { "claim" } @for name in &machines { th { (Escaped(name)) } } } }
                    tbody {
                        "\n"
                        @for claim in &judged { (row(claim, &machines, context, to_root)) "\n" }
                    }
                }
            }
        }
        "\n"
    }
}

fn row(
    judged: &JudgedClaim<'_>,
    machines: &[&str],
    context: &RenderContext<'_>,
    to_root: &str,
) -> Markup {
    let claim = judged.claim;
    let is_stale = |machine: &str| {
        let chapter = context.data.chapter(machine, &claim.chapter);
        chapter.is_some_and(|chapter| !chapter.stale(claim.experiment()).is_empty())
    };
    html! {
        tr {
            td { (sentence_with_link(claim, context, to_root)) }
            @for name in machines {
                td data-machine=(Escaped(name)) {
                    @if let Some(found) = judged.judgements.iter().find(|found| found.machine == *name) {
                        (badge(&found.verdict)) " "
                        small {
                            (Escaped(found.in_words()))
                            @if is_stale(name) { ", stale" }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_agree_if_all_say_the_same() {
        use Verdict::{Depends, Fails, Holds, Undecided};
        for (verdicts, expected) in [
            (&[Holds, Holds][..], Agreement::Holds),
            (&[Fails, Fails, Fails], Agreement::Fails),
            (&[Holds, Undecided, Fails], Agreement::Opposite),
            (&[Holds, Undecided], Agreement::Undecided),
            (&[Fails, Depends], Agreement::Undecided),
        ] {
            let verdicts: Vec<&Verdict> = verdicts.iter().collect();
            assert_eq!(Agreement::of(&verdicts), expected, "{verdicts:?}");
        }
    }
}
