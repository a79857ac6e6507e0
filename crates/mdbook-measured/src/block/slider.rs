//! Sliders, where a formula is the lesson: what comes out is computed by `measured.js`, and stands in a table for some values
//! where no script runs.

use serde::Deserialize;

use crate::block::{BlockError, Shown, from_toml, table};
use crate::figure::{RichText, number_format};
use crate::html::{Html, each, html};
use crate::page::{FencedBlock, OnPage};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SliderBlock {
    formula: Formula,
}

/// What is computed, and by a function of the same name in `measured.js`.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Formula {
    Wait,
}

/// Something that is moved.
pub(crate) struct Input {
    /// What the formula calls it.
    pub name: &'static str,
    pub label: &'static str,
    /// How `measured.js` tells its value: `time` is the power of ten of nanoseconds, `percent`, or `plain`.
    pub unit: &'static str,
    /// From where, to where, in which steps, and where it begins.
    pub range: [f64; 4],
}

/// Sliders, which are hidden where no script runs, and below them what the formula says.
pub(crate) fn inputs(formula: &str, inputs: &[Input]) -> Html {
    let inputs = each(inputs, |Input { name, label, unit, range: [from, to, step, at] }| {
        html!(
            "<label><span>{}: <output></output></span><input type=\"range\" name=\"{}\" data-unit=\"{}\" min=\"{}\" \
             max=\"{}\" step=\"{}\" value=\"{}\" autocomplete=\"off\"></label>",
            label,
            name,
            unit,
            from,
            to,
            step,
            at
        )
    });
    html!(
        "<div class=\"measured-slider\" data-formula=\"{}\" hidden>{}<p role=\"status\"></p></div>",
        formula,
        inputs
    )
}

/// How busy a worker is in the lines of the table, in per cent, and how unequal requests are in its columns.
const LOADS: [u32; 4] = [20, 50, 80, 90];
const SPREADS: [(f64, &str); 3] =
    [(0.0, "all alike, C = 0"), (1.0, "C = 1"), (2.5, "a tenth take fifty times as long, C = 2.5")];

pub(super) fn render(
    FencedBlock { body, .. }: &FencedBlock,
    _: &OnPage<'_>,
) -> Result<Shown, BlockError> {
    let SliderBlock { formula: Formula::Wait } = from_toml(body)?;
    let moved = [
        Input {
            name: "service",
            label: "A request takes, on average",
            unit: "time",
            range: [3.0, 8.0, 0.05, 5.0],
        },
        Input {
            name: "load",
            label: "Its worker is busy",
            unit: "percent",
            range: [5.0, 95.0, 1.0, 50.0],
        },
        Input {
            name: "spread",
            label: "How unequal requests are (C, the standard deviation divided by the mean)",
            unit: "plain",
            range: [0.0, 5.0, 0.1, 2.5],
        },
    ];
    let spreads = SPREADS.map(|(_, words)| RichText::words(words));
    let rows = LOADS.map(|load| {
        let wait = |(spread, _)| wait(f64::from(load) / 100.0, spread);
        let waits = SPREADS.map(|it| html!("{}", number_format::rounded(wait(it), 2)));
        (RichText::words(&format!("{load}\u{a0}%")), waits.to_vec())
    });
    let html = html!(
        "{}\n<details class=\"measured-table\" open><summary>How long a request waits, in times of what one takes on \
         average</summary>\n{}</details>",
        inputs("wait", &moved),
        table::html(&RichText::words("the worker is busy"), &spreads, &rows)
    );
    Ok(html.into())
}

/// The mean wait for one worker whose requests come at random instants, in times of what a request takes on average
/// (Pollaczek and Khinchin).
fn wait(load: f64, spread: f64) -> f64 {
    load / (1.0 - load) * (1.0 + spread * spread) / 2.0
}
