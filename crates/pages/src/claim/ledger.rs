//! The ledger of published claims that the book tries to replicate, for the directive
//! `{{ledger}}`.

use findings::claim::{JudgedClaim, Judgement};
use findings::data::PublishedClaim;
use measurement::Verdict;

use crate::claim::card::verdict_lines;
use crate::html::{Html, anchor, each, html};
use crate::machines::sentence_case;
use crate::on_page::OnPage;
use crate::rich_text::RichText;

/// Returns a table per source, with each published claim, our measurements, and the outcome.
/// measured.js lets readers filter them by source and by outcome.
///
/// # Errors
///
/// If a directive in the file of published claims names something that doesn't exist, with the file
/// and the line of the claim.
pub(crate) fn ledger(
    on: &OnPage<'_>,
    inline: impl Fn(&str) -> Result<RichText, String>,
) -> Result<Html, String> {
    let published = &on.book.published;
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
        let note = source.note.as_ref().map(|note| html!(" Note: {}.", note));
        sources.push(html!(
            "<section><h2 id=\"{}\">{}</h2>\n<p class=\"measured-small\">{}. Measured on: {}.{}</p>\n\
             <table><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table>\n</section>\n",
            anchor("source", key),
            source.title,
            source.code,
            source.machine,
            note,
            each(HEADS, |head| html!("<th scope=\"col\">{}</th>", head)),
            entries
        ));
    }
    if mistakes.is_empty() {
        Ok(html!("\n<div class=\"measured-ledger\">\n{}</div>\n", sources))
    } else {
        Err(mistakes.join("\n"))
    }
}

const HEADS: [&str; 3] = ["They said and measured", "We measured", "What became of it"];

fn entry(
    published: &PublishedClaim,
    on: &OnPage<'_>,
    inline: &dyn Fn(&str) -> Result<RichText, String>,
) -> Result<Html, String> {
    let id = anchor("published", &published.id);
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
    let answers: Vec<&JudgedClaim> = on.book.claims.iter().filter(is_answer).collect();
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
    let figures = published.as_published().map(|figures| html!(" As published, {}.", figures));
    let theirs = html!(
        "<p>{}</p><p class=\"measured-small\">{}{} <a class=\"measured-permalink\" href=\"#{}\">{}</a></p>",
        sentence_of(published.said()),
        sentence_of(&published.quantity),
        figures,
        id,
        published.id
    );
    let ours = each(measured, |(words, text)| html!("<p><em>{}</em>: {}</p>", words, text));
    let of_judgements = |judged: &&JudgedClaim| {
        each(verdict_lines(judged, &on.book.data), |line| {
            html!(
                "<li>{}, <a href=\"{}\">{}</a></li>\n",
                line,
                on.href(&judged.claim),
                judged.claim.id
            )
        })
    };
    let behind = behind.map(|behind| {
        html!(
            "<details class=\"measured-behind\"><summary>{}</summary><ul>{}{}</ul></details>",
            behind,
            each(&answers, of_judgements),
            each(notes, |(words, text)| html!("<li>{}: {}</li>\n", words, sentence_of(text)))
        )
    });
    let became = html!("<p><strong>{}</strong> {}</p>{}", sentence_of(outcome), sentence, behind);
    let cells = each(HEADS.iter().zip([theirs, ours, became]), |(head, cell)| {
        html!("<td data-head=\"{}\">{}</td>", head, cell)
    });
    Ok(html!("<tr id=\"{}\" data-outcome=\"{}\">{}</tr>\n", id, outcome, cells))
}

/// Returns the outcome of a published claim, according to our claims that answer it on the
/// machines that the pages show.
fn outcome(published: &PublishedClaim, answers: &[&JudgedClaim]) -> &'static str {
    if published.not_testable.is_some() {
        return "not testable here";
    }
    let asked: Vec<_> = answers.iter().map(|judged| judged.on_reference()).collect();
    if !asked.is_empty() && asked.iter().all(|found| found.is_refused()) {
        return "cannot be measured here";
    }
    // A claim with a one-sided bound may hold even if our ratio is far from the published one.
    let is_of_another_size = |judged: &&JudgedClaim| {
        let found = judged.on_reference().figure.as_ref().ok();
        let mean = found.and_then(|figure| figure.found().mean).map(|mean| mean.estimate);
        let ratio = mean.filter(|_| published.unit == "ratio" && judged.claim.subject.is_ratio());
        let is_far = |other: &f64| ratio.is_some_and(|it| !(0.5..=2.0).contains(&(it / other)));
        !published.figures.is_empty() && published.figures.values().all(is_far)
    };
    let is_measured = |found: &&Judgement| !matches!(found.verdict, Verdict::NotMeasured(_));
    let measured: Vec<_> = asked.into_iter().filter(is_measured).collect();
    let count = |wanted| measured.iter().filter(|found| found.verdict == wanted).count();
    match (count(Verdict::Holds), count(Verdict::Fails)) {
        _ if measured.is_empty() => "not measured yet",
        // Without a published claim, there is nothing to reproduce.
        _ if published.claim.is_none() => "answered",
        (holds, _) if holds == measured.len() && !answers.iter().any(is_of_another_size) => {
            "reproduced"
        }
        (holds, _) if holds == measured.len() => "reproduced in direction",
        (1.., _) => "reproduced in part",
        (0, 1..) => "not reproduced here",
        _ if count(Verdict::OneRun) == measured.len() => "one run so far",
        (0, 0) => "too close to call here",
    }
}

fn sentence_of(phrase: &str) -> String {
    let stop = if phrase.ends_with(['.', '?', '!']) { "" } else { "." };
    sentence_case(phrase) + stop
}
