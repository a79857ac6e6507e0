//! The index of claims, page by page and question by question: what the directive `{{claims}}` puts in.

use maud::{Markup, html};

use crate::claim::Claim;
use crate::claim::card::badge;
use crate::claim::records::ClaimRecords;
use crate::data::label;
use crate::html::{Escaped, anchor};
use crate::page::context::RenderContext;

/// A table a page: each claim under its question, what was found on the machine that the page tells of,
/// and a verdict for each machine. Behind them, folded, what was withdrawn.
pub(crate) fn index(context: &RenderContext<'_>, to_root: &str) -> Markup {
    let mut pages: Vec<&str> = Vec::new();
    for claim in context.claims {
        if !pages.contains(&claim.page.as_str()) {
            pages.push(&claim.page);
        }
    }
    html! {
        "\n"
        @for page in pages { (table(page, context, to_root)) }
        "\n"
        @if let Some(records) = context.records { (withdrawn(records)) }
    }
}

/// The claims that were withdrawn, and how they stood. What these records say is not on any page.
fn withdrawn(records: &ClaimRecords) -> Markup {
    let all: Vec<_> = records.withdrawn().collect();
    let stood = |verdict: &str| {
        all.iter().filter(|(record, _)| record.stood.as_deref() == Some(verdict)).count()
    };
    html! {
        @if !all.is_empty() {
            details.measured-behind id="withdrawn" {
                summary {
                    (all.len()) " withdrawn as unresolvable, of which " (stood("holds") + stood("fails"))
                    " then stood decided"
                }
                "\n"
                ul {
                    @for (record, why) in &all {
                        li id=(anchor("claim", &record.id)) {
                            code { (Escaped(&record.id)) } ", " (Escaped(record.stood.as_deref().unwrap_or_default()))
                            ". " (Escaped(why))
                        }
                        "\n"
                    }
                }
            }
            "\n"
        }
    }
}

fn table(page: &str, context: &RenderContext<'_>, to_root: &str) -> Markup {
    let claims: Vec<&Claim> = context.claims.iter().filter(|claim| claim.page == page).collect();
    let of_them = |name: &&str| {
        let mut judgements = claims.iter().flat_map(|claim| &claim.judgements);
        judgements.any(|judgement| judgement.machine == *name)
    };
    let machines = context.data.machines.iter().map(|machine| machine.name());
    let machines: Vec<&str> = machines.filter(of_them).collect();
    let title = context.titles.get(page).map_or(page, String::as_str);
    html! {
        h2 id=(anchor("claims", page.trim_end_matches(".html"))) {
            a.header href={ (to_root) (page) } { (Escaped(title)) }
        }
        "\n"
        div.table-wrapper {
            table.measured-index {
                thead {
                    tr {
                        th { "claim" }
                        @for name in &machines { th { (Escaped(label(name))) } }
                    }
                }
                @for group in claims.chunk_by(|one, next| one.question == next.question) {
                    tbody {
                        "\n"
                        @if !group[0].question.is_empty() {
                            tr { th.measured-question colspan=(machines.len() + 1) scope="rowgroup" {
                                a href=(link(group[0], to_root)) { (Escaped(&group[0].question)) }
                            } }
                            "\n"
                        }
                        @for claim in group { (row(claim, &machines, context, to_root)) "\n" }
                    }
                }
            }
        }
        "\n"
    }
}

fn row(claim: &Claim, machines: &[&str], context: &RenderContext<'_>, to_root: &str) -> Markup {
    html! {
        tr {
            td {
                (sentence_with_link(claim, context, to_root))
                @if let Some(found) = claim.on(&claim.reference) {
                    br;
                    small {
                        "On " (Escaped(label(&found.machine))) ": "
                        @if found.measured.is_some() { (claim.subject.noun()) " " }
                        (Escaped(found.in_words()))
                    }
                }
            }
            @for name in machines {
                td data-machine=(Escaped(label(name))) {
                    @if let Some(found) = claim.on(name) {
                        (badge(&found.verdict))
                        @if found.is_stale { br; small { "stale" } }
                    }
                }
            }
        }
    }
}

/// What is claimed, whom it answers, and a link to its card.
pub(crate) fn sentence_with_link(
    claim: &Claim,
    context: &RenderContext<'_>,
    to_root: &str,
) -> Markup {
    html! {
        (Escaped(&claim.sentence))
        @if let Some(source) = &claim.replicates {
            " Replicates " (context.to_ledger(source, source, to_root)) "."
        }
        br;
        a.measured-permalink href=(link(claim, to_root)) { (Escaped(&claim.id)) }
    }
}

/// The place of its card.
fn link(claim: &Claim, to_root: &str) -> String {
    format!("{to_root}{}#{}", claim.page, anchor("claim", &claim.id))
}
