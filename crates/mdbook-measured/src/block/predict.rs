//! Questions that a reader guesses the answer to, before the page gives it.

use indexmap::IndexMap;
use maud::{Markup, html};
use measurement::{Interval, LineError, Unit};

use crate::block::block_kind::{BlockKind, Shown};
use crate::figure::number_format::{self, Detail, Dimension};
use crate::html::{Escaped, anchor};
use crate::page::directive::{Directive, ask, inline};
use crate::page::on_page::OnPage;
use crate::page::scan::FencedBlock;
use crate::toml_block::{At, from_toml, line_of_key};

pub(crate) const PREDICT: BlockKind = BlockKind {
    word: "predict",
    language: r#"
Questions that a reader guesses the answer to, a line each, with the `number` or `ratio` that answers it. The choices are orders of
magnitude, of a ratio also 2 and 5 between them, and the same whatever the answer is. The answer is folded behind the question, and a
script says how far off the guess was. A reader may pass by, so what it says stands elsewhere on the page as well.

```toml
"How long does a hop between two threads take on one core?" = "number thread"
"How many times as long does it take on all cores?" = "ratio thread: placement=all cores / thread"
```
"#,
    render,
};

/// The answers are behind folds, which need no script; `measured.js` says how far off a guess is.
fn render(block: &FencedBlock, on: &OnPage<'_>) -> Result<Shown, LineError> {
    let entries: IndexMap<String, String> = from_toml(&block.body)?;
    if entries.is_empty() {
        return Err(LineError::new(1, "nothing is asked: write \"a question\" = \"number ...\""));
    }
    // Tells the questions from those of every other block.
    let name = anchor("predict", &format!("{}-{}", on.page.html, block.line));
    let mut questions = Vec::new();
    for (place, (text, answer)) in entries.iter().enumerate() {
        let question = question(text, answer, &format!("{name}-{place}"), on);
        questions.push(question.at(line_of_key(&block.body, &format!("{text:?}")))?);
    }
    let html = html! {
        div.measured-predict { "\n" @for question in questions { (question) "\n" } }
    };
    Ok(html.into())
}

fn question(text: &str, answer: &str, name: &str, on: &OnPage<'_>) -> Result<Markup, String> {
    let Directive::Figure(subject) = ask(answer, on)? else {
        return Err(format!("{answer:?} answers no question: a number or a ratio does"));
    };
    let (text, answer) = (inline(text, on, Detail::Full)?, on.figure(&subject, Detail::Full)?);
    let measured = on.find(&subject).ok().map(|figure| figure.mostly());
    // What may lie on either side of zero is no order of magnitude away from anything.
    let measured = measured.filter(|(interval, _)| interval.low > 0.0);
    let in_digits = |(Interval { estimate, low, high }, _)| format!("{estimate} {low} {high}");
    Ok(html! {
        fieldset data-measured=[measured.map(in_digits)] {
            legend { (text.html()) }
            @if let Some((interval, dimension)) = measured { (choices(name, interval, dimension)) }
            details {
                summary { "Show what was measured" }
                p { "Measured: " (answer.html()) }
            }
        }
    })
}

fn choices(name: &str, interval: Interval, dimension: Dimension) -> Markup {
    let values = values(dimension);
    let distance = |value: &f64| (value.ln() - interval.estimate.ln()).abs();
    let nearest = values.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)));
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
        Dimension::Of(Unit::One) | Dimension::Ratio | Dimension::Count => {
            let between = (-1..=2).flat_map(|power| [1.0, 2.0, 5.0].map(|n| n * 10f64.powi(power)));
            between.chain([1e3]).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choices_rise_and_tell_nothing_of_the_answer() {
        for dimension in [
            Dimension::Of(Unit::Nanoseconds),
            Dimension::Of(Unit::PerSecond),
            Dimension::Of(Unit::Bytes),
            Dimension::Share,
            Dimension::Ratio,
        ] {
            let values = values(dimension);
            assert!(values.is_sorted() && values.len() > 5, "{dimension:?}: {values:?}");
            let html = choices("a", Interval { estimate: 3.0, low: 2.0, high: 4.0 }, dimension);
            let html = html.into_string();
            assert_eq!(html.matches("<input").count(), values.len(), "{html}");
            assert_eq!(html.matches("measured-nearest").count(), 1, "{html}");
        }
    }
}
