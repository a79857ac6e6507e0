//! The index of claims, page by page and question by question: what the directive `{{claims}}` puts in.

use indexmap::IndexSet;
use maud::{Markup, html};

use crate::claim::card::{badge, found, replicates};
use crate::claim::judged::{JudgedClaim, Judgement};
use crate::claim::records::{ClaimRecord, ClaimRecords};
use crate::data::MachineData;
use crate::html::{Escaped, anchor};
use crate::page::on_page::OnPage;

/// A table a page: each claim under its question, what was found on the machine that the page tells of,
/// and a verdict for each machine. Behind them, folded, what was withdrawn.
pub(crate) fn index(on: &OnPage<'_>) -> Markup {
    let pages: IndexSet<&String> =
        on.context.claims.iter().map(|judged| &judged.claim.place.page).collect();
    html! {
        "\n"
        @for page in pages {
            @let on_page = on.context.claims.iter().filter(|judged| judged.claim.place.page == *page);
            @let rows: Vec<_> = on_page.map(|judged| (judged, judged.judgements.iter().collect())).collect();
            h2 id=(anchor("claims", page.trim_end_matches(".html"))) {
                a.header href={ (on.to_root) (page) } { (Escaped(on.context.titles.get(page).unwrap_or(page))) }
            }
            "\n"
            (table(&rows, true, on))
            "\n"
        }
        "\n"
        @if let Some(records) = on.context.records { (withdrawn(records)) }
    }
}

/// The claims that were withdrawn, and how they stood. What these records say is not on any page.
fn withdrawn(records: &ClaimRecords) -> Markup {
    let all: Vec<_> = records.withdrawn().collect();
    let stood = |record: &ClaimRecord| record.stood.clone().unwrap_or_default();
    let decided =
        all.iter().filter(|(record, _)| matches!(stood(record).as_str(), "holds" | "fails"));
    html! {
        @if !all.is_empty() {
            details.measured-behind id="withdrawn" {
                summary {
                    (all.len()) " withdrawn as unresolvable, of which " (decided.count()) " then stood decided"
                }
                "\n"
                ul {
                    @for (record, why) in &all {
                        li id=(anchor("claim", &record.id)) {
                            code { (Escaped(&record.id)) } ", " (Escaped(stood(record))) ". " (Escaped(why))
                        }
                        "\n"
                    }
                }
            }
            "\n"
        }
    }
}

/// A table of claims, each with some of its judgements, in a column a machine. By questions, what was found
/// stands on the machine that the page tells of alone, else beside each verdict.
pub(super) fn table(
    rows: &[(&JudgedClaim, Vec<&Judgement>)],
    by_question: bool,
    on: &OnPage<'_>,
) -> Markup {
    let data = on.context.data;
    let has_any = |of: &&MachineData| rows.iter().any(|(_, shown)| on(shown, of.name()).is_some());
    let machines: Vec<&MachineData> = data.machines.iter().filter(has_any).collect();
    html! {
        div.table-wrapper {
            table.measured-index {
                thead { tr { th { "claim" } @for machine in &machines { th { (Escaped(machine.short())) } } } }
                @for group in rows.chunk_by(|(one, _), (next, _)| !by_question || one.claim.place.question == next.claim.place.question) {
                    @let first = &group[0].0.claim;
                    tbody {
                        "\n"
                        @if by_question && !first.place.question.is_empty() {
                            tr { th.measured-question colspan=(machines.len() + 1) scope="rowgroup" {
                                a href=(first.href(on.to_root)) { (Escaped(&first.place.question)) }
                            } }
                            "\n"
                        }
                        @for (judged, shown) in group {
                            tr {
                                td {
                                    (Escaped(&judged.claim.sentence))
                                    (replicates(judged, on))
                                    br;
                                    a.measured-permalink href=(judged.claim.href(on.to_root)) { (Escaped(&judged.claim.id)) }
                                    @if let Some(judgement) = judged.on_reference().filter(|_| by_question) {
                                        br;
                                        small { "On " (data.machine(&judgement.machine).map_or("", MachineData::short)) ": " (found(judged, judgement)) }
                                    }
                                }
                                @for machine in &machines {
                                    td data-machine=(Escaped(machine.short())) {
                                        @if let Some(judgement) = on(shown, machine.name()) {
                                            (badge(&judgement.verdict))
                                            @if !by_question {
                                                " " small {
                                                    (Escaped(judgement.in_words(judged.claim.test())))
                                                    @if judgement.is_stale { ", stale" }
                                                }
                                            } @else if judgement.is_stale {
                                                br; small { "stale" }
                                            }
                                        }
                                    }
                                }
                            }
                            "\n"
                        }
                    }
                }
            }
        }
    }
}

fn on<'a>(shown: &[&'a Judgement], machine: &str) -> Option<&'a Judgement> {
    shown.iter().find(|judgement| judgement.machine == machine).copied()
}
