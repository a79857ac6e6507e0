//! Questions that a reader guesses the answer to, before the page gives it.

use indexmap::IndexMap;
use maud::{Markup, html};
use measurement::{Interval, LineError, Unit};

use crate::figure::Subject;
use crate::figure::names::FigureNames;
use crate::figure::number_format::{self, Dimension};
use crate::figure::rich_text::RichText;
use crate::html::Escaped;
use crate::page::directive::{Directive, InlineText};
use crate::toml_block::{from_toml, line_of_key};

/// A question of a fenced `predict` block, which has one a line, each with the directive that answers it.
///
/// ```toml
/// "How long does a task take, from its creation to its result?" = "number units: tokio multi-thread"
/// ```
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) text: InlineText,
    pub(crate) answer: Subject,
}

/// Reads a block, in which these names hold.
///
/// # Errors
///
/// With the line within the block.
pub(crate) fn parse(block: &str, names: &FigureNames) -> Result<Vec<Question>, LineError> {
    let entries: IndexMap<String, String> = from_toml(block)?;
    if entries.is_empty() {
        return Err(LineError::new(1, "nothing is asked: write \"a question\" = \"number ...\""));
    }
    let question = |(text, answer): (&String, &String)| {
        let answer = match Directive::read(answer, names)? {
            Directive::Figure(subject) => subject,
            _ => return Err(format!("{answer:?} answers no question: a number or a ratio does")),
        };
        Ok(Question { text: InlineText::read(text, names)?, answer })
    };
    let at = |text: &String| line_of_key(block, &format!("{text:?}"));
    let questions = entries.iter().map(|entry| {
        question(entry).map_err(|message: String| LineError::new(at(entry.0), message))
    });
    questions.collect()
}

/// A question with what answers it.
pub(crate) struct Answered {
    pub(crate) text: RichText,
    pub(crate) answer: RichText,
    /// What guesses are held against, unless nothing was measured.
    pub(crate) measured: Option<(Interval, Dimension)>,
}

/// The questions as HTML that is a block of its own in Markdown. The name tells them from those of every
/// other block. The answers are behind folds, which need no script; `measured.js` says how far off a
/// guess is.
pub(crate) fn html(name: &str, questions: &[Answered]) -> Markup {
    html! {
        div.measured-predict {
            "\n"
            @for (place, Answered { text, answer, measured }) in questions.iter().enumerate() {
                fieldset data-measured=[measured.map(|(interval, _)| in_digits(interval))] {
                    legend { (text.html_with_code()) }
                    @if let Some((interval, dimension)) = *measured {
                        (choices(&format!("{name}-{place}"), interval, dimension))
                    }
                    details {
                        summary { "Show what was measured" }
                        p { "Measured: " (answer.html()) }
                    }
                }
                "\n"
            }
        }
    }
}

fn in_digits(Interval { estimate, low, high }: Interval) -> String {
    format!("{estimate} {low} {high}")
}

fn choices(name: &str, interval: Interval, dimension: Dimension) -> Markup {
    let values = values(dimension);
    let distance = |value: f64| (value.ln() - interval.estimate.ln()).abs();
    let nearest = values.iter().copied().min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
    html! {
        div {
            @for value in values {
                label class=[(nearest == Some(value)).then_some("measured-nearest")] {
                    input type="radio" name=(name) value=(value) autocomplete="off";
                    " " (Escaped(number_format::value(value, dimension).replace(' ', "\u{a0}")))
                }
                " "
            }
        }
    }
}

/// What there is to choose from, which does not hang on the answer: orders of magnitude, and of what has
/// no unit also what lies between them, since most ratios are small.
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
        Dimension::Of(Unit::One) | Dimension::Count => {
            let between = (-1..=2).flat_map(|power| [1.0, 2.0, 5.0].map(|n| n * 10f64.powi(power)));
            between.chain([1e3]).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(block: &str) -> String {
        parse(block, &FigureNames::default()).unwrap_err().to_string()
    }

    #[test]
    fn a_question_has_a_number_or_a_ratio_for_an_answer() {
        let block = "\"How long does \\\"a\\\" take?\" = \"number a: b\"\n\"And c?\" = \"ratio a: c / b\"\n";
        assert_eq!(parse(block, &FigureNames::default()).unwrap().len(), 2);
        assert!(wrong("").contains("nothing is asked"));
        assert!(
            wrong("\"a?\" = \"number a: b\"\n\"b?\" = \"ledger\"")
                .starts_with("2: \"ledger\" answers")
        );
        assert!(wrong("\"a?\" = \"nmber a: b\"").contains("1: no directive is \"nmber\""));
        assert!(
            wrong("\"a?\" = \"number a: b\"\n\"a?\" = \"number a: b\"").contains("duplicate key")
        );
    }

    #[test]
    fn the_choices_rise_and_tell_nothing_of_the_answer() {
        for dimension in [
            Dimension::Of(Unit::Nanoseconds),
            Dimension::Of(Unit::PerSecond),
            Dimension::Of(Unit::Bytes),
            Dimension::Share,
            Dimension::Count,
        ] {
            let values = values(dimension);
            assert!(values.is_sorted() && values.len() > 5, "{dimension:?}: {values:?}");
            let labels = values.iter().map(|value| number_format::value(*value, dimension));
            let html = choices("a", Interval { estimate: 3.0, low: 2.0, high: 4.0 }, dimension);
            let html = html.into_string();
            for label in labels {
                assert!(html.contains(&label.replace(' ', "\u{a0}")), "no {label:?} in {html}");
            }
            assert_eq!(html.matches("measured-nearest").count(), 1, "{html}");
        }
    }

    #[test]
    fn what_was_not_measured_is_not_guessed() {
        let of = |measured| {
            let question =
                Answered { text: RichText::default(), answer: RichText::default(), measured };
            html("a", &[question]).into_string()
        };
        assert!(!of(None).contains("<input") && !of(None).contains("data-measured"));
        let interval = Interval { estimate: 2e3, low: 1.5e3, high: 3e3 };
        let html = of(Some((interval, Dimension::Of(Unit::Nanoseconds))));
        for expected in [
            "<fieldset data-measured=\"2000 1500 3000\">",
            "<label class=\"measured-nearest\"><input type=\"radio\" name=\"a-0\" value=\"1000\" autocomplete=\"off\"> 1\u{a0}µs</label>",
            "<label><input type=\"radio\" name=\"a-0\" value=\"10000\"",
        ] {
            assert!(html.contains(expected), "no {expected:?} in {html}");
        }
    }
}
