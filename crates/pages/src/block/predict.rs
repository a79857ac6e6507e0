//! Questions that the reader answers before the page gives the answer: a guess at a figure, or a
//! choice between explanations.

use indexmap::IndexMap;
use language::block::{At, BlockError, from_toml};
use language::directive::Directive;
use language::page::FencedBlock;
use language::{prose_rules, wrong};
use measurement::number_format::{self, Dimension};
use measurement::{Interval, Unit};
use serde::Deserialize;

use super::Shown;
use crate::directive::{ask, inline, prose};
use crate::html::{Html, anchor, each, html};
use crate::on_page::OnPage;

/// A question. If it is about a figure, it has an `answer` and a `why`; if it is about a concept,
/// it has `choices`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    /// The measured figure, as a directive such as `{{number …}}`.
    answer: Option<String>,
    why: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    says: String,
    why: String,
    #[serde(default)]
    right: bool,
}

/// Renders the questions. The answers are in `<details>` elements, so they work without scripts;
/// measured.js adds by how much a guess was wrong.
pub(super) fn render(block: &FencedBlock, on: &OnPage<'_>) -> Result<Shown, BlockError> {
    let entries: IndexMap<String, Question> = from_toml(&block.body)?;
    if entries.is_empty() {
        wrong!(1, "nothing is asked: write [\"a question\"]");
    }
    // The name separates this block's radio buttons from those of other blocks.
    let name = anchor("predict", &format!("{}-{}", on.page.html, block.line));
    let mut questions = Vec::new();
    for (place, (text, of)) in entries.iter().enumerate() {
        let question = question(text, of, &format!("{name}-{place}"), on);
        questions.push(question.at(text.as_str())?);
    }
    let questions = each(questions, |question| html!("{}\n", question));
    let html = html!("<div class=\"measured-predict\">\n{}</div>", questions);
    Ok(html.into())
}

fn question(text: &str, of: &Question, name: &str, on: &OnPage<'_>) -> Result<Html, String> {
    let text = inline(text, on)?;
    let (attribute, choices, answer) = match of {
        Question { answer: Some(answer), why: Some(why), choices } if choices.is_empty() => {
            of_figure(answer, why, name, on)?
        }
        Question { answer: None, why: None, choices } if !choices.is_empty() => {
            of_concept(choices, name, on)?
        }
        _ => {
            return Err(
                "a question has an `answer` and a `why`, or `choices` with a `why` each".to_owned()
            );
        }
    };
    Ok(html!(
        "<fieldset{}><legend>{}</legend>{}<details><summary>Show the answer</summary>{}</details></fieldset>",
        attribute,
        text,
        choices,
        answer
    ))
}

/// Returns an HTML attribute with the measured value in digits, the choices, and the answer.
fn of_figure(
    answer: &str,
    why: &str,
    name: &str,
    on: &OnPage<'_>,
) -> Result<(Html, Html, Html), String> {
    let Directive::Figure(subject) = ask(answer, on)? else {
        return Err(format!("{answer:?} answers no question: a number or a ratio does"));
    };
    let answer = on.figure(&subject)?;
    let measured = on.find(&subject).ok().map(|figure| (figure.interval(), figure.dimension()));
    // A figure whose interval includes zero has no order of magnitude to guess.
    let measured = measured.filter(|(interval, _)| interval.low > 0.0);
    let in_digits = |(Interval { estimate, low, high }, _)| {
        html!(" data-measured=\"{} {} {}\"", estimate, low, high)
    };
    let choices = measured.map(|(interval, dimension)| choices(name, interval, dimension));
    let answer = html!("<p>Measured: {}</p>{}", answer, because(why, on)?);
    Ok((measured.map(in_digits).unwrap_or_default(), choices.unwrap_or_default(), answer))
}

/// Returns an HTML attribute, the choices, and the explanations that follow the right choice and
/// the wrong ones.
fn of_concept(
    choices: &[Choice],
    name: &str,
    on: &OnPage<'_>,
) -> Result<(Html, Html, Html), String> {
    if choices.len() < 2 || choices.iter().filter(|choice| choice.right).count() != 1 {
        return Err("of two `choices` or more, one is `right = true`".to_owned());
    }
    let says = |choice: &Choice| Ok(inline(&choice.says, on)?.html());
    let says = choices.iter().map(says).collect::<Result<Vec<Html>, String>>()?;
    let why = choices.iter().map(|choice| because(&choice.why, on));
    let why = why.collect::<Result<Vec<Html>, String>>()?;
    let of = || choices.iter().zip(&says);
    let labels = each(of().enumerate(), |(place, (choice, says))| {
        label(name, place as f64, choice.right, says)
    });
    let answers = each(of().zip(why), |((choice, says), why)| {
        let is_right = if choice.right { "right" } else { "no" };
        html!("<li><strong>{}</strong>: {}.{}</li>", says, is_right, why)
    });
    let attribute = html!(" class=\"measured-concept\"");
    Ok((attribute, html!("<div>{}</div>", labels), html!("<ul>{}</ul>", answers)))
}

/// Returns an explanation, with blank lines around it so that mdBook parses it as Markdown.
fn because(why: &str, on: &OnPage<'_>) -> Result<Html, String> {
    match prose_rules::check(&on.page.file, why).into_iter().next() {
        Some(mistake) => Err(mistake.message),
        None => Ok(Html(format!("\n\n{}\n\n", prose(why, on)?))),
    }
}

fn choices(name: &str, interval: Interval, dimension: Dimension) -> Html {
    let values = values(dimension);
    let distance = |value: &f64| (value.ln() - interval.estimate.ln()).abs();
    let nearest = values.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let labels = each(values, |value| {
        let says = number_format::value(value, dimension).replace(' ', "\u{a0}");
        label(name, value, nearest == Some(value), &html!("{}", says))
    });
    html!("<div>{}</div>", labels)
}

/// Returns a choice as HTML. Once the answer is visible, the right or nearest choice is marked.
fn label(name: &str, value: f64, is_right: bool, says: &Html) -> Html {
    html!(
        "<label{}><input type=\"radio\" name=\"{}\" value=\"{}\" autocomplete=\"off\"> {}</label> ",
        is_right.then(|| Html(" class=\"measured-right\"".to_owned())),
        name,
        value,
        says
    )
}

/// Returns the values to choose from: orders of magnitude. For a figure without a unit, values in
/// between are added, since most ratios are small. The choices don't depend on the answer, so
/// they don't give it away.
fn values(dimension: Dimension) -> Vec<f64> {
    let decades = |first: i32, last: i32| (first..=last).map(|power| 10f64.powi(power));
    match dimension {
        Dimension::Of(Unit::Nanoseconds) => decades(0, 9).collect(),
        Dimension::Of(Unit::PerSecond) => decades(2, 8).collect(),
        Dimension::Of(Unit::Bytes) => {
            let size = |power: i32| [1.0, 10.0, 100.0].map(|n| n * 1024f64.powi(power));
            (0..=3).flat_map(size).take(10).collect()
        }
        Dimension::Share => vec![0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0],
        Dimension::Of(Unit::One) | Dimension::Ratio | Dimension::Count => {
            let between = (-1..=2).flat_map(|power| [1.0, 2.0, 5.0].map(|n| n * 10f64.powi(power)));
            between.chain([1e3]).collect()
        }
    }
}
