//! The replication ledger: what the directive `{{ledger}}` puts in.

use maud::{Markup, html};
use measurement::Verdict;

use crate::claim::card::{badge, verdict_line};
use crate::claim::judged::JudgedClaim;
use crate::data::published::PublishedClaim;
use crate::html::{Escaped, anchor};
use crate::page::context::RenderContext;

/// Every published claim, with the claims of ours that answer it.
pub(crate) fn ledger(context: &RenderContext<'_>, to_root: &str) -> Markup {
    html! {
        "\n"
        @for (key, source) in &context.published.sources {
            h2 id=(anchor("source", key)) { (Escaped(&source.title)) }
            "\n"
            p.measured-small {
                (Escaped(&source.code)) ". Measured on: " (Escaped(&source.machine)) "."
                @if let Some(note) = &source.note { " Note: " (Escaped(note)) "." }
            }
            "\n"
            @for published in context.published.claims.iter().filter(|claim| claim.source == *key) {
                (entry(published, context, to_root))
            }
        }
        "\n"
    }
}

fn entry(published: &PublishedClaim, context: &RenderContext<'_>, to_root: &str) -> Markup {
    let id = anchor("published", &published.id);
    let notes = [
        ("Open", &published.open_question),
        ("The source lacks", &published.missing_in_source),
        ("Note", &published.note),
    ];
    let is_answer =
        |judged: &&JudgedClaim| judged.claim.replicates.as_deref() == Some(&published.id);
    let mut answers = context.claims.iter().filter(is_answer).peekable();
    let unanswered = answers.peek().is_none().then(|| match &published.not_testable {
        Some(reason) => format!("not testable here, since {reason}"),
        None => "no experiment yet".to_owned(),
    });
    html! {
        div.measured-claim id=(id) {
            "\n"
            p.measured-sentence {
                (Escaped(sentence(&published.claim))) " "
                a.measured-permalink href={ "#" (id) } { (Escaped(&published.id)) }
            }
            "\n"
            p {
                "Measured there: " (Escaped(&published.quantity)) "."
                @if let Some(figures) = published.as_published() { " As published, " (Escaped(figures)) "." }
            }
            "\n"
            @for (label, text) in notes {
                @if let Some(text) = text { p.measured-small { (label) ": " (Escaped(text)) "." } "\n" }
            }
            ul {
                "\n"
                @for judged in answers {
                    @for judgement in &judged.judgements {
                        li {
                            (verdict_line(judged, judgement)) ", "
                            a href=(judged.claim.href(to_root)) { (Escaped(&judged.claim.id)) }
                        }
                        "\n"
                    }
                }
                @if let Some(why) = unanswered {
                    li { (badge(&Verdict::NotMeasured(String::new()))) ": " (Escaped(why)) }
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
