//! The replication ledger: what the directive `{{ledger}}` puts in.

use maud::{Markup, html};
use measurement::Verdict;

use crate::claim::card::verdict_line;
use crate::claim::judged::{JudgedClaim, Judgement};
use crate::data::published::PublishedClaim;
use crate::figure::rich_text::RichText;
use crate::html::{Escaped, anchor};
use crate::page::on_page::OnPage;

/// Every published claim, with what we measured and what became of it: a table a source. `measured.js` filters
/// them by source and by outcome.
///
/// # Errors
///
/// With the file of what was published and the line of the claim: a directive there that asks for what is not there.
pub(crate) fn ledger(
    on: &OnPage<'_>,
    inline: impl Fn(&str) -> Result<RichText, String>,
) -> Result<Markup, String> {
    let published = on.context.published;
    let mut mistakes = Vec::new();
    let mut sources = Vec::new();
    for (key, source) in &published.sources {
        let mut entries = Vec::new();
        for claim in published.claims.iter().filter(|claim| claim.source == *key) {
            match entry(claim, on, &inline) {
                Ok(entry) => entries.push(entry),
                Err(message) => {
                    mistakes.push(format!("{}:{}: {message}", published.file, claim.line));
                }
            }
        }
        sources.push(html! {
            section {
                h2 id=(anchor("source", key)) { (Escaped(&source.title)) }
                "\n"
                p.measured-small {
                    (Escaped(&source.code)) ". Measured on: " (Escaped(&source.machine)) "."
                    @if let Some(note) = &source.note { " Note: " (Escaped(note)) "." }
                }
                "\n"
                table {
                    thead { tr { @for head in HEADS { th scope="col" { (head) } } } }
                    tbody { "\n" @for entry in entries { (entry) "\n" } }
                }
                "\n"
            }
            "\n"
        });
    }
    if mistakes.is_empty() {
        Ok(html! { "\n" div.measured-ledger { "\n" @for source in sources { (source) } } "\n" })
    } else {
        Err(mistakes.join("\n"))
    }
}

/// What stands over the columns.
const HEADS: [&str; 3] = ["They said and measured", "We measured", "What became of it"];

fn entry(
    published: &PublishedClaim,
    on: &OnPage<'_>,
    inline: &dyn Fn(&str) -> Result<RichText, String>,
) -> Result<Markup, String> {
    let id = anchor("published", &published.id);
    let [of_theirs, of_ours, of_outcome] = HEADS;
    let told =
        |key: &str, text: &str| inline(text).map_err(|message| format!("`{key}`: {message}"));
    let mut measured = Vec::new();
    for (key, words, text) in [
        ("in_their_shape", "In their shape", &published.in_their_shape),
        ("in_ours", "In ours", &published.in_ours),
    ] {
        if let Some(text) = text {
            measured.push((words, told(key, text)?));
        }
    }
    let sentence = told("outcome", &published.outcome)?;
    let is_answer =
        |judged: &&JudgedClaim| judged.claim.replicates.as_deref() == Some(&published.id);
    let answers: Vec<&JudgedClaim> = on.context.claims.iter().filter(is_answer).collect();
    let outcome = outcome(published, &answers);
    let open = published.claim.as_ref().and(published.open_question.as_ref());
    let notes = [
        ("Open", open),
        ("The source lacks", published.missing_in_source.as_ref()),
        ("Note", published.note.as_ref()),
        ("Not testable here", published.not_testable.as_ref()),
    ];
    let notes: Vec<_> = notes.iter().filter_map(|(words, text)| Some((words, (*text)?))).collect();
    let lines = answers.iter().map(|judged| judged.judgements.len()).sum::<usize>();
    let behind = match (lines, notes.len()) {
        (0, 0) => None,
        (0, _) => Some("Notes".to_owned()),
        _ => Some(format!("{} of our claims, machine by machine", answers.len())),
    };
    Ok(html! {
        tr id=(id) data-outcome=(outcome) {
            td data-head=(of_theirs) {
                p { (Escaped(sentence_of(published.said()))) }
                p.measured-small {
                    (Escaped(sentence_of(&published.quantity)))
                    @if let Some(figures) = published.as_published() { " As published, " (Escaped(figures)) "." }
                    " " a.measured-permalink href={ "#" (id) } { (Escaped(&published.id)) }
                }
            }
            td data-head=(of_ours) {
                @for (words, text) in &measured { p { em { (words) } ": " (text.html()) } }
            }
            td data-head=(of_outcome) {
                p { strong { (sentence_of(outcome)) } " " (sentence.html()) }
                @if let Some(behind) = behind {
                    details.measured-behind {
                        summary { (behind) }
                        ul {
                            @for judged in &answers {
                                @for judgement in &judged.judgements {
                                    li {
                                        (verdict_line(judged, judgement)) ", "
                                        a href=(judged.claim.href(on.to_root)) { (Escaped(&judged.claim.id)) }
                                    }
                                    "\n"
                                }
                            }
                            @for (words, text) in notes { li { (words) ": " (Escaped(sentence_of(text))) } "\n" }
                        }
                    }
                }
            }
        }
    })
}

/// What became of a published claim, as far as ours on it are judged on the machines that the pages tell of.
fn outcome(published: &PublishedClaim, answers: &[&JudgedClaim]) -> &'static str {
    if published.not_testable.is_some() {
        return "not testable here";
    }
    let measured = answers.iter().filter_map(|judged| judged.on_reference());
    let is_measured = |found: &&Judgement| !matches!(found.verdict, Verdict::NotMeasured(_));
    let measured: Vec<_> = measured.filter(is_measured).collect();
    let count = |wanted| measured.iter().filter(|found| found.verdict == wanted).count();
    match (count(Verdict::Holds), count(Verdict::Fails)) {
        _ if measured.is_empty() => "not measured yet",
        // There was nothing to be reproduced.
        _ if published.claim.is_none() => "answered",
        (holds, _) if holds == measured.len() => "reproduced",
        (1.., _) => "reproduced in part",
        (0, 1..) => "not reproduced here",
        _ if count(Verdict::OneRun) == measured.len() => "one run so far",
        (0, 0) => "too close to call here",
    }
}

/// A phrase as a sentence: a capital letter and a full stop.
fn sentence_of(phrase: &str) -> String {
    let mut chars = phrase.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let stop = if phrase.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{stop}", chars.as_str())
}
