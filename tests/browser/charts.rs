//! Compares what charts show in the browser with the measured rows.

use std::collections::BTreeSet;

use anyhow::{bail, ensure, Context, Result};
use measurement::{EvidenceRow, Interval, Scattered};
use pages::chart::MOST_VISITS;
use serde::de::DeserializeOwned;
use serde::Deserialize;
use serde_json::Value;

use crate::cdp::Tab;
use crate::site::Site;

/// The description of a drawn chart that charts.js returns in the browser.
#[derive(Deserialize)]
struct Chart {
    id: String,
    /// The note below the picture, which says whose figures are drawn.
    note: String,
    chapter: Option<String>,
    divisor: Option<f64>,
    traces: Vec<Trace>,
    table: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    contender: String,
    measured: bool,
}

#[derive(Deserialize)]
struct Trace {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    mode: String,
    value: Option<String>,
    role: Option<String>,
    machine: Option<String>,
    /// True if the browser drew a visible shape for this series.
    shape: bool,
    /// The values on the horizontal axis. A line that compares two figures has these figures as
    /// its values.
    across: Vec<Value>,
    ids: Vec<String>,
    values: Vec<Option<f64>>,
    plus: Vec<Option<f64>>,
    minus: Vec<Option<f64>>,
    marks: Vec<Option<Mark>>,
}

#[derive(Deserialize)]
struct Mark {
    value: f64,
    /// The difference between two values that are two pixels apart on the axis.
    step: f64,
    visible: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Views {
    First,
    All,
    /// The first view, and the views with the reader's own rows. All other views are tested in a
    /// book that has no such rows.
    Yours,
}

/// Returns what a JavaScript function returns for the chart at index `at` of the open page.
fn of_chart<T: DeserializeOwned>(tab: &mut Tab, at: usize, function: &str) -> Result<T> {
    tab.evaluate(&format!("({function})(document.querySelectorAll('.plotly-graph-div')[{at}])"))
}

/// Returns the labels that can't be read in the chart at index `at` of the open page.
pub(crate) fn labels(tab: &mut Tab, at: usize) -> Result<Vec<String>> {
    Ok(unreadable(&of_chart(tab, at, include_str!("labels.js"))?))
}

/// Returns the labels that can't be read because they are cut off, oblique, or overlapped by
/// another label. labels.js describes the labels.
pub(crate) fn unreadable(labels: &Value) -> Vec<String> {
    // A label's box is slightly larger than its letters, so an overlap or a cut of this many
    // pixels is harmless.
    const TOLERANCE: f64 = 1.0;
    let number = |of: &Value, name: &str| of[name].as_f64().unwrap_or(f64::NAN);
    let (id, texts) = (&labels["id"], labels["texts"].as_array().cloned().unwrap_or_default());
    let mut mistakes = Vec::new();
    if texts.is_empty() {
        mistakes.push(format!("{id} has no text"));
    }
    for (index, text) in texts.iter().enumerate() {
        let [left, top, right, bottom] =
            ["left", "top", "right", "bottom"].map(|end| number(text, end));
        let (name, [width, height]) =
            (&text["text"], ["width", "height"].map(|of| number(labels, of) + TOLERANCE));
        if left.min(top) < -TOLERANCE || right > width || bottom > height {
            mistakes.push(format!("{id}: {name} is cut off: {text} of {width} by {height}"));
        }
        if text["oblique"] == true {
            mistakes.push(format!("{id}: {name} is oblique"));
        }
        for other in &texts[index + 1..] {
            let across = right.min(number(other, "right")) - left.max(number(other, "left"));
            let along = bottom.min(number(other, "bottom")) - top.max(number(other, "top"));
            if across.min(along) > TOLERANCE {
                mistakes.push(format!("{id}: {name} lies on {}", other["text"]));
            }
        }
    }
    mistakes
}

/// Checks that the chart at index `at` of the open page draws its rows in each of these views,
/// and returns the labels that can't be read. In the end, the first view is shown.
pub(crate) fn draws_its_rows(
    tab: &mut Tab,
    site: &Site,
    at: usize,
    views: Views,
) -> Result<Vec<String>> {
    // The labels of the buttons, group by group. In each group, one button is pressed at a time.
    let groups: Vec<Vec<String>> = of_chart(
        tab,
        at,
        "(chart) => [...chart.closest('figure').querySelectorAll('.measured-views [role=group]')] \
         .map((group) => [...group.querySelectorAll('button')].map((button) => button.textContent))",
    )?;
    let (mut drawn, mut listed, mut mistakes) = (BTreeSet::new(), Vec::new(), Vec::new());
    let (mut seen, mut held, mut id) = (BTreeSet::new(), 0, String::new());
    let count = if views == Views::First { 1 } else { groups.iter().map(Vec::len).product() };
    // Finally, return to the first view.
    for view in (0..count).chain((count > 1).then_some(0)) {
        let mut rest = view;
        let pressed: Vec<usize> = groups
            .iter()
            .map(|group| {
                let button = rest % group.len();
                rest /= group.len();
                button
            })
            .collect();
        let mut texts = groups.iter().zip(&pressed).map(|(group, &button)| &group[button]);
        if views == Views::Yours && view > 0 && !texts.any(|text| text.contains("yours")) {
            continue;
        }
        if views != Views::First {
            let press = format!("(chart) => ({})(chart, {pressed:?})", include_str!("press.js"));
            let shown: (Option<usize>, usize) = of_chart(tab, at, &press)?;
            seen.insert(
                shown.0.context("what is drawn is none of its views as its script holds them")?,
            );
            held = shown.1;
        }
        let chart: Chart = of_chart(tab, at, include_str!("charts.js"))?;
        drawn.extend(check(&chart, site)?);
        mistakes.extend(labels(tab, at)?);
        (listed, id) = (chart.table, chart.id);
    }
    if views == Views::All {
        ensure!(seen.len() == held, "{id}: {} of its {held} views are drawn", seen.len());
    }
    let mut missing: Vec<&str> =
        listed.iter().filter(|row| row.measured).map(|row| row.contender.as_str()).collect();
    for (.., contender) in &drawn {
        let listed = missing.iter().position(|listed| listed == contender);
        let more = || format!("{id}: {contender} is drawn more often than its table says");
        missing.swap_remove(listed.with_context(more)?);
    }
    ensure!(views != Views::All || missing.is_empty(), "{id}: its table also lists {missing:?}");
    Ok(mistakes)
}

/// Compares a chart with the rows that it names. Returns the machine, the name and the contender
/// of each row.
fn check(chart: &Chart, site: &Site) -> Result<BTreeSet<(String, String, String)>> {
    let id = &chart.id;
    let chapter = chart.chapter.as_deref().with_context(|| format!("{id} names no chapter"))?;
    let divisor = chart.divisor.with_context(|| format!("{id} has no divisor"))?;
    let mut drawn = BTreeSet::new();
    for trace in &chart.traces {
        let is_seen = trace.shape || trace.is_of_no_length();
        ensure!(is_seen, "{id}: nothing is to be seen of {} {:?}", trace.kind, trace.name);
        let of = || format!("{id}, {:?}, {} {}", trace.machine, trace.kind, trace.name);
        let (ids, values) = (&trace.ids, &trace.values);
        ensure!(ids.is_empty() || ids.len() == values.len(), "{}: {} values", of(), values.len());
        for (place, (name, value)) in ids.iter().zip(values).enumerate() {
            let value = value.with_context(|| format!("{}: {name:?} has no value", of()))?;
            ensure!(trace.value.is_some(), "{}: `meta.value` is missing", of());
            let machine = trace.machine.as_deref().with_context(of)?;
            let (count, chapter, name) = drawn_row(chapter, name);
            let row = site.row(machine, chapter, name).with_context(of)?;
            trace
                .check(place, row, value, divisor / count)
                .with_context(|| format!("{}: {name}", of()))?;
            if trace.role.is_none() {
                drawn.insert((machine.to_owned(), name.to_owned(), row.contender.clone()));
            }
        }
    }
    ensure!(!drawn.is_empty(), "{id} draws no row");
    let has_dots = chart.traces.iter().any(|trace| trace.role.as_deref() == Some("visits"));
    let says_so = chart.note.contains("Each faint dot");
    ensure!(says_so == has_dots, "{id} has visits: {has_dots}, and says {:?}", chart.note);
    for machine in &site.analysis.data.machines {
        let name = if machine.is_local() { "Yours" } else { machine.for_people() };
        let is_drawn = drawn.iter().any(|(of, ..)| of == machine.name());
        let is_named = chart.note.contains(name);
        ensure!(is_named == is_drawn, "{id} draws {name}: {is_drawn}, and says {:?}", chart.note);
    }
    Ok(drawn)
}

/// Splits the id of a drawn row into a factor, a chapter, and the name of the row. `chapter` is
/// the default for ids that name no chapter.
fn drawn_row<'a>(chapter: &'a str, id: &'a str) -> (f64, &'a str, &'a str) {
    let counted = id.split_once(" x ").and_then(|(count, id)| Some((count.parse().ok()?, id)));
    let (count, id) = counted.unwrap_or((1.0, id));
    let head = id.split(": ").next().unwrap_or_default();
    let of_other = head.split_once('/').map(|(other, _)| (count, other, &id[other.len() + 1..]));
    of_other.unwrap_or((count, chapter, id))
}

/// If the high end of an interval is more than this many times the low end, the interval isn't
/// drawn.
const UNKNOWN: f64 = 1000.0;

/// If the ratio of two figures is no larger than this, the line that connects them may be too
/// short to be visible.
const ALIKE: f64 = 1.05;

/// The relative rounding error of figures in charts: they are rounded to seven digits.
const ROUNDING: f64 = 5e-7;

impl Trace {
    /// Returns true if this is a line between two figures that are almost equal.
    fn is_of_no_length(&self) -> bool {
        let figures: Vec<f64> = self.across.iter().filter_map(Value::as_f64).collect();
        let least = figures.iter().copied().fold(f64::INFINITY, f64::min);
        let most = figures.iter().copied().fold(0.0, f64::max);
        self.role.as_deref() == Some("distances") && !figures.is_empty() && most <= ALIKE * least
    }

    /// Checks that the point at index `place`, and the ends of its interval, are at the values of
    /// the row.
    fn check(&self, place: usize, row: &EvidenceRow, drawn: f64, divisor: f64) -> Result<()> {
        let measured = row.measured().context("it was not measured")?;
        let is_close =
            |one: f64, other: f64| (one - other).abs() <= ROUNDING * one.abs().max(other.abs());
        let value = drawn * divisor;
        let Interval { estimate, low, high } = measured.estimate.next;
        let interval = match (self.role.as_deref(), measured.estimate.scattered) {
            // A comparison shows the interval of the mean. No interval is drawn if it is too
            // wide, or if there is only one run and no other machine shows how much runs differ.
            (None, None) => match measured.estimate.mean {
                Some(mean) if row.difference => mean,
                Some(_) if low <= 0.0 || high <= UNKNOWN * low => measured.estimate.next,
                _ => Interval { estimate, low: estimate, high: estimate },
            },
            (None, Some(Scattered { low, high })) => {
                Interval { estimate: estimate.clamp(low, high), low, high }
            }
            (Some("visits"), _) => {
                let is_visit = measured.points.iter().any(|point| is_close(*point, value));
                ensure!(is_visit, "it has no visit of {value}");
                let count = self.ids.iter().filter(|id| **id == self.ids[place]).count();
                let all = measured.points.len();
                let is_right = count == all || (all > MOST_VISITS && count == MOST_VISITS);
                ensure!(is_right, "{count} visits of {all} are drawn");
                return self.check_mark(place, drawn);
            }
            (role, _) => bail!("the role {role:?} does not fit the row"),
        };
        let Interval { estimate, low, high } = interval;
        ensure!(is_close(value, estimate), "it is {interval:?}, drawn is {value}");
        for (whiskers, length) in [(&self.plus, high - estimate), (&self.minus, estimate - low)] {
            if let Some(whisker) = whiskers.get(place) {
                let whisker = whisker.context("a whisker is no number")? * divisor;
                // The lengths may differ by the rounding of both ends.
                let fits = (whisker - length).abs() <= ROUNDING * high.abs().max(low.abs());
                ensure!(fits, "its whisker is {length}, drawn is {whisker}");
            }
        }
        self.check_mark(place, drawn)
    }

    /// Checks that the mark of the point at index `place` is inside the picture, and within a
    /// pixel of its value.
    fn check_mark(&self, place: usize, value: f64) -> Result<()> {
        if self.kind == "bar" || self.mode.contains("markers") {
            let mark = self.marks.get(place).and_then(Option::as_ref).context("it has no mark")?;
            ensure!(mark.visible, "its mark cannot be seen");
            let fits = (mark.value - value).abs() <= mark.step;
            ensure!(fits, "its mark stands at {}, its value is {value}", mark.value);
        }
        Ok(())
    }
}
