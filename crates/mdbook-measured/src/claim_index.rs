//! The index of claims, chapter by chapter: what the directive `{{claims}}` puts in.

use maud::{Markup, html};

use crate::claim::Claim;
use crate::claim_card::badge;
use crate::data::label;
use crate::html::{Escaped, anchor};
use crate::render_context::RenderContext;

/// A table a page, with a verdict for each machine.
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
                    tr { th { "claim" } @for name in &machines { th { (Escaped(label(name))) } } }
                }
                tbody {
                    "\n"
                    @for claim in &claims { (row(claim, &machines, context, to_root)) "\n" }
                }
            }
        }
        "\n"
    }
}

fn row(claim: &Claim, machines: &[&str], context: &RenderContext<'_>, to_root: &str) -> Markup {
    let judgement = |name: &str| claim.judgements.iter().find(|found| found.machine == name);
    html! {
        tr {
            td {
                (Escaped(&claim.sentence))
                @if let Some(source) = &claim.replicates {
                    " Replicates " (context.to_ledger(source, source, to_root)) "."
                }
                br;
                a.measured-permalink href={ (to_root) (claim.page) "#" (anchor("claim", &claim.id)) } {
                    (Escaped(&claim.id))
                }
            }
            @for name in machines {
                td data-machine=(Escaped(label(name))) {
                    @if let Some(judgement) = judgement(name) { (badge(&judgement.verdict)) }
                }
            }
        }
    }
}
