//! The replication ledger: what the directive `{{ledger}}` puts in.

use maud::{Markup, html};
use measurement::Verdict;

use crate::card::{badge, verdict_line};
use crate::claim::Claim;
use crate::context::Context;
use crate::html::{Text, anchor};
use crate::published::PublishedClaim;

/// Every published claim, with the claims of ours that answer it.
pub(crate) fn ledger(context: &Context<'_>, to_root: &str) -> Markup {
    html! {
        "\n"
        @for (key, source) in &context.published.sources {
            h2 id=(anchor("source", key)) { (Text(&source.title)) }
            "\n"
            p.measured-small {
                (Text(&source.code)) ". Measured on: " (Text(&source.machine)) "."
                @if let Some(note) = &source.note { " Note: " (Text(note)) "." }
            }
            "\n"
            @for published in context.published.claims.iter().filter(|claim| claim.source == *key) {
                (entry(published, context, to_root))
            }
        }
        "\n"
    }
}

fn entry(published: &PublishedClaim, context: &Context<'_>, to_root: &str) -> Markup {
    let id = anchor("published", &published.id);
    let notes = [
        ("Open", &published.open_question),
        ("The source lacks", &published.missing_in_source),
        ("Note", &published.note),
    ];
    let is_answer = |claim: &&Claim| claim.replicates.as_deref() == Some(&published.id);
    let answers: Vec<&Claim> = context.claims.iter().filter(is_answer).collect();
    html! {
        div.measured-claim id=(id) {
            "\n"
            p.measured-sentence {
                (Text(sentence(&published.claim))) " "
                a.measured-permalink href={ "#" (id) } { (Text(&published.id)) }
            }
            "\n"
            p {
                "Measured there: " (Text(&published.quantity)) "."
                @if let Some(figures) = published.as_published() {
                    " As published, " (Text(figures)) "."
                }
            }
            "\n"
            @for (label, text) in notes {
                @if let Some(text) = text {
                    p.measured-small { (label) ": " (Text(text)) "." }
                    "\n"
                }
            }
            ul {
                "\n"
                @for claim in &answers {
                    @for judgement in &claim.judgements {
                        li {
                            (verdict_line(claim, judgement)) ", "
                            a href={ (to_root) (claim.page) "#" (anchor("claim", &claim.id)) } {
                                (Text(&claim.id))
                            }
                        }
                        "\n"
                    }
                }
                @if answers.is_empty() {
                    @let verdict = Verdict::NotMeasured("no experiment yet".to_owned());
                    li { (badge(&verdict)) ": no experiment yet" }
                    "\n"
                }
            }
            "\n"
        }
        "\n"
    }
}

/// A phrase as a sentence: a capital letter and a full stop.
fn sentence(phrase: &str) -> String {
    let mut chars = phrase.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let stop = if phrase.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{stop}", chars.as_str())
}
