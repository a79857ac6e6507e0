//! What the charts draw, against the rows.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{bail, ensure, Context, Result};
use mdbook_measured::chart::MOST_VISITS;
use measurement::{Interval, Row, Scattered};
use serde::de::DeserializeOwned;
use serde::Deserialize;

use crate::cdp::Tab;
use crate::site::Site;

/// A chart as charts.js finds it.
#[derive(Debug, Deserialize)]
struct Chart {
    id: String,
    chapter: Option<String>,
    divisor: Option<f64>,
    traces: Vec<Trace>,
    table: Vec<Listed>,
}

#[derive(Debug, Deserialize)]
struct Trace {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    mode: String,
    value: Option<String>,
    role: Option<String>,
    machine: Option<String>,
    /// Whether anything of it can be seen.
    shape: bool,
    ids: Vec<Option<String>>,
    values: Vec<Option<f64>>,
    plus: Vec<Option<f64>>,
    minus: Vec<Option<f64>>,
    marks: Vec<Option<Mark>>,
}

/// A mark in the picture.
#[derive(Debug, Deserialize)]
struct Mark {
    /// The value at which it stands.
    value: f64,
    /// The values that two pixels are apart there.
    step: f64,
    visible: bool,
}

/// A row of the table under a chart.
#[derive(Debug, Deserialize)]
struct Listed {
    contender: String,
    measured: bool,
}

/// Which of a chart's views are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Views {
    All,
    /// The first, and those with the reader's own rows: the others are in the book without these.
    Yours,
}

/// A chart of the open page draws the rows that it names, in each of these views. Gives each view to
/// somebody else who looks at it.
pub(crate) fn draws_its_rows(
    tab: &Tab<'_>,
    site: &Site,
    at: usize,
    views: Views,
    mut look: impl FnMut() -> Result<()>,
) -> Result<()> {
    let mut drawn = BTreeSet::new();
    let mut listed = Vec::new();
    for_each_view(tab, at, views, || {
        let chart: Chart = of_chart(tab, at, include_str!("charts.js"))?;
        drawn.extend(check(&chart, site)?);
        listed = chart.table;
        look()
    })?;
    let measured = listed.iter().filter(|row| row.measured);
    let mut missing: Vec<&str> = measured.map(|row| row.contender.as_str()).collect();
    let id: String = of_chart(tab, at, "(chart) => chart.closest('figure').id")?;
    for Drawn { contender, .. } in &drawn {
        let listed = missing.iter().position(|listed| listed == contender);
        let listed = listed
            .with_context(|| format!("{id}: {contender} is drawn more often than its table says"));
        missing.swap_remove(listed?);
    }
    let are_all_seen = views == Views::All;
    ensure!(!are_all_seen || missing.is_empty(), "{id}: its table also lists {missing:?}");
    Ok(())
}

/// What a chart of the open page draws at the moment is what its rows say.
pub(crate) fn draws_right(tab: &Tab<'_>, site: &Site, at: usize) -> Result<()> {
    let chart: Chart = of_chart(tab, at, include_str!("charts.js"))?;
    check(&chart, site).map(drop)
}

/// Draws every chart of the open page.
pub(crate) fn draw_all(tab: &Tab<'_>) -> Result<()> {
    let undrawn: Vec<String> = tab.evaluate(include_str!("draw.js"))?;
    ensure!(undrawn.is_empty(), "not drawn: {}", undrawn.join(", "));
    Ok(())
}

/// How many charts the open page has.
pub(crate) fn count(tab: &Tab<'_>) -> Result<usize> {
    tab.evaluate("document.querySelectorAll('.plotly-graph-div').length")
}

/// What a function gives of a chart of the open page.
pub(crate) fn of_chart<T: DeserializeOwned>(tab: &Tab<'_>, at: usize, function: &str) -> Result<T> {
    tab.evaluate(&format!("({function})(document.querySelectorAll('.plotly-graph-div')[{at}])"))
}

/// Presses the buttons of a chart until each of these views has been seen, and looks at each. Leaves
/// the one that is shown at first.
fn for_each_view(
    tab: &Tab<'_>,
    at: usize,
    views: Views,
    mut look: impl FnMut() -> Result<()>,
) -> Result<()> {
    // What stands on the buttons of each group, of which one is pressed at a time.
    let groups: Vec<Vec<String>> = of_chart(
        tab,
        at,
        "(chart) => [...chart.closest('figure').querySelectorAll('.measured-views [role=group]')] \
         .map((group) => [...group.querySelectorAll('button')].map((button) => button.textContent))",
    )?;
    let buttons = |combination: usize| -> Vec<usize> {
        let mut rest = combination;
        let pressed = groups.iter().map(|group| {
            let button = rest % group.len();
            rest /= group.len();
            button
        });
        pressed.collect()
    };
    // Gives which of its views is drawn then, and how many it has.
    let show = |combination: usize| -> Result<(Option<usize>, usize)> {
        let press = include_str!("press.js");
        let buttons = buttons(combination);
        of_chart(tab, at, &format!("(chart) => ({press})(chart, {buttons:?})"))
    };
    let is_wanted = |combination: &usize| match views {
        Views::All => true,
        Views::Yours => {
            let pressed = groups.iter().zip(buttons(*combination));
            let mut texts = pressed.map(|(group, button)| &group[button]);
            *combination == 0 || texts.any(|text| text.contains("yours"))
        }
    };
    let mut seen = BTreeSet::new();
    let mut held = 0;
    for combination in (0..groups.iter().map(Vec::len).product()).filter(is_wanted) {
        let (view, of) = show(combination)?;
        seen.insert(view.context("what is drawn is none of its views as its script holds them")?);
        held = of;
        look()?;
    }
    let are_seen = views != Views::All || seen.len() == held;
    ensure!(are_seen, "{} of its {held} views are drawn", seen.len());
    show(0)?;
    Ok(())
}

/// Waits until what has changed is painted.
pub(crate) fn settle(tab: &Tab<'_>) -> Result<()> {
    tab.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))",
    )
}

/// A row that is drawn.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Drawn {
    machine: String,
    id: String,
    contender: String,
}

/// Holds what a chart draws against the rows that it names.
fn check(chart: &Chart, site: &Site) -> Result<BTreeSet<Drawn>> {
    let id = &chart.id;
    let chapter = chart.chapter.as_deref().with_context(|| format!("{id} names no chapter"))?;
    let divisor = chart.divisor.with_context(|| format!("{id} has no divisor"))?;
    let mut drawn = BTreeSet::new();
    for trace in chart.traces.iter().filter(|trace| !trace.ids.is_empty()) {
        let machine = trace.machine.as_deref().with_context(|| format!("{id}: no machine"))?;
        let rows = site.rows(machine, chapter)?;
        let contenders = trace
            .check(&rows, divisor)
            .with_context(|| format!("{id}, {machine}, {} {}", trace.kind, trace.name))?;
        drawn.extend(contenders.into_iter().map(|(id, contender)| Drawn {
            machine: machine.to_owned(),
            id,
            contender,
        }));
    }
    ensure!(!drawn.is_empty(), "{id} draws no row");
    for trace in chart.traces.iter() {
        ensure!(trace.shape, "{id}: nothing is to be seen of {} {:?}", trace.kind, trace.name);
    }
    Ok(drawn)
}

/// How far apart the ends of an interval are at most that is drawn, as a factor.
const UNKNOWN: f64 = 1000.0;

impl Trace {
    /// The ids and contenders of the rows that it draws.
    fn check(&self, rows: &BTreeMap<String, Row>, divisor: f64) -> Result<Vec<(String, String)>> {
        let (ids, values) = (&self.ids, &self.values);
        ensure!(ids.len() == values.len(), "{} ids, but {} values", ids.len(), values.len());
        ensure!(self.value.is_some(), "`meta.value` is missing");
        let mut found = Vec::new();
        for (place, (id, value)) in ids.iter().zip(values).enumerate() {
            let (Some(id), Some(value)) = (id.as_deref().filter(|id| !id.is_empty()), value) else {
                // A cell of a heat map may have no row.
                ensure!(id.is_none() || value.is_none(), "{value:?} is drawn without an id");
                continue;
            };
            let row = rows.get(id).with_context(|| format!("no row is {id:?}"))?;
            let measured = row.measured().with_context(|| format!("{id} was not measured"))?;
            let value = value * divisor;
            let interval = match (self.role.as_deref(), measured.scattered()) {
                (None, None) => match measured.interval() {
                    Interval { estimate, low, high } if low > 0.0 && high > UNKNOWN * low => {
                        Interval { estimate, low: estimate, high: estimate }
                    }
                    interval => interval,
                },
                (None, Some(Scattered::Modes([larger, _]))) => larger.interval,
                (None, Some(Scattered::Range { low, high })) => {
                    Interval { estimate: measured.estimate.clamp(low, high), low, high }
                }
                (Some("second mode"), Some(Scattered::Modes([_, smaller]))) => smaller.interval,
                (Some("visits"), _) => {
                    let is_visit = measured.points.iter().any(|point| is_close(*point, value));
                    ensure!(is_visit, "{id} has no visit of {value}");
                    let count = ids.iter().filter(|other| other.as_deref() == Some(id)).count();
                    let all = measured.points.len();
                    let is_right = count == all || (all > MOST_VISITS && count == MOST_VISITS);
                    ensure!(is_right, "{count} visits of {all} of {id} are drawn");
                    self.check_mark(place, id)?;
                    continue;
                }
                (role, _) => bail!("{id}: the role {role:?} does not fit the row"),
            };
            ensure!(is_close(value, interval.estimate), "{id} is {interval:?}, drawn is {value}");
            self.check_whisker(place, interval, divisor).with_context(|| id.to_owned())?;
            self.check_mark(place, id)?;
            if self.role.is_none() {
                found.push((id.to_owned(), row.contender.clone()));
            }
        }
        Ok(found)
    }

    fn check_whisker(&self, place: usize, interval: Interval, divisor: f64) -> Result<()> {
        let Interval { estimate, low, high } = interval;
        for (drawn, length) in [(&self.plus, high - estimate), (&self.minus, estimate - low)] {
            if let Some(whisker) = drawn.get(place) {
                let whisker = whisker.context("a whisker is no number")? * divisor;
                // To the rounding of the figures whose difference it is.
                let fits = (whisker - length).abs() <= ROUNDING * high.abs().max(low.abs());
                ensure!(fits, "its whisker is {length}, drawn is {whisker}");
            }
        }
        Ok(())
    }

    /// The mark of a point stands where its value is, within a pixel, and inside the picture.
    fn check_mark(&self, place: usize, id: &str) -> Result<()> {
        let has_marks = self.kind == "bar" || self.mode.contains("markers");
        if !has_marks {
            return Ok(());
        }
        let mark = self.marks.get(place).and_then(Option::as_ref);
        let mark = mark.with_context(|| format!("{id} has no mark"))?;
        ensure!(mark.visible, "the mark of {id} cannot be seen");
        let value = self.values[place].unwrap_or(f64::NAN);
        let fits = (mark.value - value).abs() <= mark.step;
        ensure!(fits, "the mark of {id} stands at {}, its value is {value}", mark.value);
        Ok(())
    }
}

/// Charts hold seven digits of a figure.
const ROUNDING: f64 = 5e-7;

/// Whether two figures are the same but for rounding.
fn is_close(one: f64, other: f64) -> bool {
    (one - other).abs() <= ROUNDING * one.abs().max(other.abs())
}
