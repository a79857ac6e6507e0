//! What the charts draw, against the rows.

use std::collections::BTreeSet;

use anyhow::{bail, ensure, Context, Result};
use measurement::{Interval, Run};
use serde::Deserialize;

use crate::cdp::Tab;
use crate::common;
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

const BUTTONS: &str = "[...charts[at].closest('figure').querySelectorAll('.measured-views button')]";

/// Draws every chart of the open page, and looks at each in each of its views.
pub(crate) fn draw_their_rows(tab: &Tab<'_>, site: &Site) -> Result<()> {
    draw_all(tab)?;
    let first: Vec<Chart> = tab.evaluate(include_str!("charts.js"))?;
    for (at, chart) in first.iter().enumerate() {
        let mut drawn = check(chart, site)?;
        for_each_view(tab, at, || {
            let mut charts: Vec<Chart> = tab.evaluate(include_str!("charts.js"))?;
            drawn.extend(check(&charts.swap_remove(at), site)?);
            Ok(())
        })?;
        let mut drawn: Vec<&str> = drawn.iter().map(|row| row.contender.as_str()).collect();
        let measured = chart.table.iter().filter(|row| row.measured);
        let mut listed: Vec<&str> = measured.map(|row| row.contender.as_str()).collect();
        drawn.sort_unstable();
        listed.sort_unstable();
        ensure!(drawn == listed, "{}: drawn are {drawn:?}, its table lists {listed:?}", chart.id);
    }
    Ok(())
}

/// Draws every chart of the open page.
pub(crate) fn draw_all(tab: &Tab<'_>) -> Result<()> {
    let undrawn: Vec<String> = tab.evaluate(include_str!("draw.js"))?;
    ensure!(undrawn.is_empty(), "not drawn: {}", undrawn.join(", "));
    Ok(())
}

/// Presses the buttons of a chart so that every view of it is seen, and looks at each.
pub(crate) fn for_each_view(
    tab: &Tab<'_>,
    at: usize,
    mut look: impl FnMut() -> Result<()>,
) -> Result<()> {
    let of_chart = |expression: &str| {
        format!(
            "(() => {{ const at = {at}; const charts = document.querySelectorAll('.plotly-graph-div'); \
             {expression} }})()"
        )
    };
    let signature = include_str!("views.js");
    let views: BTreeSet<String> =
        tab.evaluate(&of_chart(&format!("{signature} return views(charts[at]);")))?;
    let now = || tab.evaluate::<String>(&of_chart(&format!("{signature} return drawn(charts[at]);")));
    let mut seen = BTreeSet::from([now()?]);
    let buttons: usize = tab.evaluate(&of_chart(&format!("return {BUTTONS}.length;")))?;
    ensure!(views.len() == 1 || buttons > 1, "{} views, but {buttons} buttons", views.len());
    // Twice, so that each machine meets each scale.
    for button in (0..buttons).chain(0..buttons) {
        let (button, before) = (format!("{BUTTONS}[{button}]"), now()?);
        let pressed = format!("{button}.getAttribute('aria-pressed') === 'true'");
        let was_pressed: bool = tab.evaluate(&of_chart(&format!("return {pressed};")))?;
        tab.evaluate::<()>(&of_chart(&format!("{button}.click();")))?;
        tab.until(&of_chart(&format!("return {pressed};")), "a pressed button says so")?;
        if !was_pressed {
            let before = serde_json::to_string(&before)?;
            let changed = format!("{signature} return drawn(charts[at]) !== {before};");
            tab.until(&of_chart(&changed), "a button changes what is drawn")?;
            let drawn = "return charts[at].dataset.drawn === 'yes';";
            tab.until(&of_chart(drawn), "the chart is drawn again")?;
        }
        settle(tab)?;
        seen.insert(now()?);
        look()?;
    }
    ensure!(seen == views, "of {} views {} are seen", views.len(), seen.len());
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
    let mut known = Vec::new();
    for trace in chart.traces.iter().filter(|trace| !trace.ids.is_empty()) {
        let machine = trace.machine.as_deref().with_context(|| format!("{id}: no machine"))?;
        let run = common::run(&site.root, machine, chapter).map_err(anyhow::Error::msg)?;
        let contenders = trace
            .check(&run, divisor)
            .with_context(|| format!("{id}, {machine}, {} {}", trace.kind, trace.name))?;
        drawn.extend(contenders.into_iter().map(|(id, contender)| {
            Drawn { machine: machine.to_owned(), id, contender }
        }));
        known.push((run, trace.value.clone()));
    }
    ensure!(!drawn.is_empty(), "{id} draws no row");
    for trace in chart.traces.iter() {
        ensure!(trace.shape, "{id}: nothing is to be seen of {} {:?}", trace.kind, trace.name);
    }
    Ok(drawn)
}

impl Trace {
    /// The ids and contenders of the rows that it draws.
    fn check(&self, run: &Run, divisor: f64) -> Result<Vec<(String, String)>> {
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
            let row = run.rows.iter().find(|row| row.name() == id);
            let row = row.with_context(|| format!("no row is {id:?}"))?;
            let measured = row.measured().with_context(|| format!("{id} was not measured"))?;
            let value = value * divisor;
            let interval = match (self.role.as_deref(), measured.regimes()) {
                (None, None) => measured.interval(),
                (None, Some([larger, _])) => larger.interval,
                (Some("regime"), Some([_, smaller])) => smaller.interval,
                (Some("visits"), _) => {
                    let is_visit = measured.points.iter().any(|point| is_close(*point, value));
                    ensure!(is_visit, "{id} has no visit of {value}");
                    let count = ids.iter().filter(|other| other.as_deref() == Some(id)).count();
                    let visits = measured.points.len();
                    ensure!(count == visits, "{count} visits of {visits} of {id} are drawn");
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
                let fits = (whisker - length).abs() <= 1e-9 * high.abs().max(low.abs());
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

/// Whether two figures are the same but for rounding.
fn is_close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}
