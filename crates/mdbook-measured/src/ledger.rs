//! The replication ledger: what the directive `{{ledger}}` puts in.

use crate::claim::{Claim, badge};
use crate::html::{anchor, escape};
use crate::page::Book;

/// Every published claim, with the claims of ours that answer it.
pub(crate) fn ledger(book: &Book<'_>, to_root: &str) -> String {
    let mut html = String::new();
    for (key, source) in &book.published.sources {
        html += &format!(
            "<h2 id=\"{}\">{}</h2>\n<p class=\"measured-small\">{}. Measured on: {}.",
            anchor("source", key),
            escape(&source.title),
            escape(&source.code),
            escape(&source.machine),
        );
        if let Some(note) = &source.note {
            html += &format!(" Note: {}.", escape(note));
        }
        html += "</p>\n";
        for published in book.published.claims.iter().filter(|claim| claim.source == *key) {
            let id = anchor("published", &published.id);
            html += &format!(
                "<div class=\"measured-claim\" id=\"{id}\">\n<p class=\"measured-sentence\">{} \
                 <a class=\"measured-permalink\" href=\"#{id}\">{}</a></p>\n<p>Measured there: {}.",
                escape(&sentence(&published.claim)),
                escape(&published.id),
                escape(&published.quantity),
            );
            if let Some(figures) = published.as_published() {
                html += &format!(" As published, {}.", escape(&figures));
            }
            html += "</p>\n";
            for (label, text) in [
                ("Open", &published.open_question),
                ("The source lacks", &published.missing_in_source),
                ("Note", &published.note),
            ] {
                if let Some(text) = text {
                    html +=
                        &format!("<p class=\"measured-small\">{label}: {}.</p>\n", escape(text));
                }
            }
            html += "<ul>\n";
            let answers: Vec<&Claim> = book
                .claims
                .iter()
                .filter(|claim| claim.replicates.as_deref() == Some(&published.id))
                .collect();
            for claim in &answers {
                for judgement in &claim.judgements {
                    html += &format!(
                        "<li>{}, <a href=\"{to_root}{}#{}\">{}</a></li>\n",
                        claim.verdict_line(judgement),
                        claim.page,
                        anchor("claim", &claim.id),
                        escape(&claim.id),
                    );
                }
            }
            if answers.is_empty() {
                let verdict = measurement::Verdict::NotMeasured("no experiment yet".to_owned());
                html += &format!("<li>{}: no experiment yet</li>\n", badge(&verdict));
            }
            html += "</ul>\n</div>\n";
        }
    }
    format!("\n{html}\n")
}

/// A phrase as a sentence: a capital letter and a full stop.
fn sentence(phrase: &str) -> String {
    let mut chars = phrase.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let stop = if phrase.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{stop}", chars.as_str())
}
