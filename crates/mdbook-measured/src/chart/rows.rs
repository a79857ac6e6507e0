//! The rows that a chart draws.

use std::collections::HashMap;

use measurement::{Parameter, Row};

use super::chart_block::{CONTENDER, ChartBlock, ChartKind, Rug, Rung, ScaleKind};
use super::chart_context::ChartContext;
use super::formula;
use super::ladder_steps::{LadderStep, steps};
use super::mark::Mark;
use crate::data::{ChapterData, MachineData, label, missing_run};
use crate::figure::selector::{Selector, nearest};
use crate::toml_block::KeyError;

/// The rows of one machine.
pub(super) struct Shown<'a> {
    pub(super) machine: &'a MachineData,
    pub(super) data: &'a ChapterData,
    /// For a ladder in the order of its rungs, else in that of the run.
    pub(super) rows: Vec<&'a Row>,
    /// The places of the rows among the rungs of a ladder, which another machine may lack some of.
    pub(super) rungs: Vec<usize>,
    /// What lies between the rungs of a ladder.
    pub(super) steps: Vec<LadderStep>,
    /// The curve of the formula, in the unit of the rows; empty where there is none.
    pub(super) formula: Vec<(f64, f64)>,
    /// The rows of each rug.
    pub(super) rug: Vec<Vec<&'a Row>>,
    /// Whether it was measured quickly, and the reference was not; yours is not marked.
    is_quick: bool,
    /// How many rows the reference draws.
    of_reference: usize,
}

impl<'a> Shown<'a> {
    /// What the machine is called in a legend.
    pub(super) fn label(&self) -> String {
        let name = label(self.machine.name());
        if self.is_quick { format!("{name} (quick)") } else { name.to_owned() }
    }

    /// The row of each rung of a ladder, with the rung's place.
    pub(super) fn at_rungs(&self) -> impl Iterator<Item = (usize, &'a Row)> {
        self.rungs.iter().copied().zip(self.rows.iter().copied())
    }

    /// Whether it is drawn: a single field of a heat map is a figure, and no map.
    pub(super) fn is_drawn(&self, kind: ChartKind) -> bool {
        kind != ChartKind::HeatMap || self.rows.len() > 1
    }

    /// How many rows fewer it has than the reference draws, and how many that draws.
    pub(super) fn lacks(&self) -> Option<(usize, usize)> {
        let lacks = self.of_reference.saturating_sub(self.rows.len());
        (lacks > 0).then_some((lacks, self.of_reference))
    }
}

/// The rows that a chart asks for, of every machine that has them, the reference machine's first; and
/// of each other that has a run, but not these rows or not so that they can be drawn, the reason.
pub(super) fn select<'a>(
    spec: &ChartBlock,
    place: &ChartContext<'a>,
) -> Result<(Vec<Shown<'a>>, Vec<String>), KeyError> {
    let (chapter, experiment) = (spec.chapter(place.chapter), spec.experiment_name());
    let reference = place.data.reference(chapter, experiment);
    let Some(machine) = place.data.machine(reference) else {
        return Err(KeyError::new("experiment", missing_run(reference, chapter)));
    };
    let Some(data) = machine.chapters.get(chapter) else {
        return Err(KeyError::new("experiment", missing_run(reference, chapter)));
    };
    let rugs = rug_selectors(spec, place)?;
    let first = Shown::new(spec, &rugs, machine, data, rows_of(spec, data)?, None)?;
    let (mut all, mut left_out) = (vec![first], Vec::new());
    for machine in place.data.in_order(chapter, experiment).into_iter().skip(1) {
        let Some(data) = machine.chapters.get(chapter) else { continue };
        if !data.evidence.rows.iter().any(|row| row.experiment == experiment) {
            continue;
        }
        match Shown::new(spec, &rugs, machine, data, rows_there(spec, data), Some(&all[0])) {
            Ok(shown) => all.push(shown),
            // A quick run, or an old one, may lack them or have other parameters.
            Err(wrong) => {
                let reason = wrong.message.lines().next().unwrap_or_default();
                left_out.push(format!("{} is not drawn: {reason}", label(machine.name())));
            }
        }
    }
    Ok((all, left_out))
}

impl<'a> Shown<'a> {
    /// These rows of a machine, if they can be drawn; of another one than the reference beside its.
    fn new(
        spec: &ChartBlock,
        rugs: &[Selector],
        machine: &'a MachineData,
        data: &'a ChapterData,
        rows: Vec<(usize, &'a Row)>,
        reference: Option<&Shown<'a>>,
    ) -> Result<Shown<'a>, KeyError> {
        let experiment = spec.experiment_name();
        let is_quick = !machine.is_local()
            && data.is_quick(experiment)
            && reference.is_some_and(|reference| !reference.data.is_quick(experiment));
        let of_reference = reference.map_or(rows.len(), |reference| reference.rows.len());
        // Its verdicts stand under the claims.
        if is_quick && 2 * rows.len() < of_reference {
            let has = if rows.is_empty() { "none".to_owned() } else { rows.len().to_string() };
            let message = format!("it was measured quickly, and has {has} of {of_reference} rows");
            return Err(KeyError::new("experiment", message));
        }
        if rows.is_empty() {
            return Err(KeyError::new(
                "experiment",
                format!("no row is {:?}", selector(spec).to_string()),
            ));
        }
        let steps = match spec.kind {
            ChartKind::Ladder => steps(spec, &data.evidence, &rows, reference.is_none()),
            _ => Ok(Vec::new()),
        };
        let (rungs, rows): (Vec<usize>, Vec<&Row>) = rows.into_iter().unzip();
        check(spec, &rows)?;
        let steps = steps.map_err(|message| KeyError::new("rungs", message))?;
        let loads = rows.iter().filter_map(|row| number_of(row, spec.x()));
        let formula = match formula::curve(spec, &selector(spec), &data.evidence, loads) {
            Err(message) if reference.is_none() => return Err(KeyError::new("m-d-1", message)),
            // Another machine may have measured less.
            curve => curve.unwrap_or_default(),
        };
        let on_rug = |selector: &Selector| match reference {
            None => selector.all(&data.evidence),
            // Another machine may have measured less.
            Some(_) => Ok(data.evidence.rows.iter().filter(|row| selector.matches(row)).collect()),
        };
        let rug: Result<_, String> = rugs.iter().map(on_rug).collect();
        let rug = rug.map_err(|message| KeyError::new("rug", message))?;
        Ok(Shown { machine, data, rows, rungs, steps, formula, rug, is_quick, of_reference })
    }
}

/// What the rugs of a chart ask for, in the order of the rugs.
fn rug_selectors(spec: &ChartBlock, place: &ChartContext<'_>) -> Result<Vec<Selector>, KeyError> {
    let selector = |rug: &Rug| (place.selector)(&rug.rows);
    let selectors: Result<_, String> = spec.rug.iter().map(selector).collect();
    selectors.map_err(|message| KeyError::new("rug", message))
}

/// The rows that the reference has to have, each with its place.
fn rows_of<'a>(
    spec: &ChartBlock,
    data: &'a ChapterData,
) -> Result<Vec<(usize, &'a Row)>, KeyError> {
    for (name, value) in &spec.fixed {
        if value.is_table() {
            return Err(KeyError::new(
                "where",
                format!("{name} is to be a value or a list, not {value}"),
            ));
        }
        let is_of_it = |row: &&Row| row.experiment == spec.experiment_name();
        let mut rows = data.evidence.rows.iter().filter(is_of_it).peekable();
        if rows.peek().is_some() && rows.all(|row| value_of(row, name).is_none()) {
            let message =
                format!("no row of {:?} has a parameter {name:?}", spec.experiment_name());
            return Err(KeyError::new("where", message));
        }
    }
    let selector = selector(spec);
    if spec.kind == ChartKind::Ladder {
        let rung = |(place, rung): (usize, &Rung)| {
            Ok((place, selector.refined(&rung.row)?.one(&data.evidence)?))
        };
        let rows: Result<_, String> = spec.rungs.iter().enumerate().map(rung).collect();
        return rows.map_err(|message| KeyError::new("rungs", message));
    }
    let rows =
        selector.all(&data.evidence).map_err(|message| KeyError::new("experiment", message))?;
    for (name, list) in lists(spec) {
        for value in &list {
            if rows.iter().all(|row| value_of(row, name).as_ref() != Some(value)) {
                return Err(KeyError::new("where", format!("no row has {name}={value}")));
            }
        }
    }
    Ok(listed(spec, rows))
}

/// Those of these rows that another machine has.
fn rows_there<'a>(spec: &ChartBlock, data: &'a ChapterData) -> Vec<(usize, &'a Row)> {
    let selector = selector(spec);
    let rows = || data.evidence.rows.iter();
    if spec.kind == ChartKind::Ladder {
        let rung = |(place, rung): (usize, &Rung)| {
            let of_rung = selector.refined(&rung.row).ok()?;
            let mut found = rows().filter(|row| of_rung.matches(row));
            Some((place, found.next().filter(|_| found.next().is_none())?))
        };
        return spec.rungs.iter().enumerate().filter_map(rung).collect();
    }
    listed(spec, rows().filter(|row| selector.matches(row)).collect())
}

/// The rows whose values are among those that are listed under `where`.
fn listed<'a>(spec: &ChartBlock, mut rows: Vec<&'a Row>) -> Vec<(usize, &'a Row)> {
    for (name, list) in lists(spec) {
        rows.retain(|row| value_of(row, name).is_some_and(|value| list.contains(&value)));
    }
    rows.into_iter().enumerate().collect()
}

/// The lists of values under `where`.
fn lists(spec: &ChartBlock) -> impl Iterator<Item = (&String, Vec<String>)> {
    let lists = spec.fixed.iter().filter_map(|(name, value)| Some((name, value.as_array()?)));
    lists.map(|(name, list)| (name, list.iter().map(text).collect()))
}

/// A value as rows have it.
fn text(value: &toml::Value) -> String {
    value.as_str().map_or(value.to_string(), str::to_owned)
}

/// What all rows of a chart have in common.
fn selector(spec: &ChartBlock) -> Selector {
    let fixed = spec.fixed.iter().filter(|(_, value)| !value.is_array());
    let fixed = fixed.map(|(name, value)| (name.clone(), text(value)));
    let (contenders, parameters): (Vec<_>, Vec<_>) = fixed.partition(|(name, _)| name == CONTENDER);
    Selector {
        chapter: None,
        experiment: spec.experiment_name().to_owned(),
        contender: contenders.into_iter().next().map(|(_, contender)| contender),
        parameters,
        quantity: Some(spec.quantity.clone()),
    }
}

fn check(spec: &ChartBlock, rows: &[&Row]) -> Result<(), KeyError> {
    if rows.iter().all(|row| row.measured().is_none()) {
        return Err(KeyError::new("experiment", "every row failed, so there is nothing to draw"));
    }
    if spec.kind == ChartKind::Ladder {
        return Ok(());
    }
    let (x, series) = (spec.x(), spec.series());
    for (name, _) in varied(rows.iter().copied()) {
        if let Some(row) = rows.iter().find(|row| value_of(row, &name).is_none()) {
            let message = format!(
                "{:?} has no parameter {name:?}, which other rows have: fix it under `where`",
                row.name()
            );
            return Err(KeyError::new("experiment", message));
        }
    }
    for row in rows {
        for (key, name) in [("x", x), ("series", series)] {
            if value_of(row, name).is_none() {
                let known: Vec<&String> = row.parameters.0.keys().collect();
                let near = nearest(name, &known);
                return Err(KeyError::new(
                    key,
                    format!("{:?} has no parameter {name:?}{near}", row.name()),
                ));
            }
        }
        if spec.kind == ChartKind::Lines && number_of(row, x).is_none() {
            let value = value_of(row, x).unwrap_or_default();
            return Err(KeyError::new("x", format!("{x}={value} is no number, which lines need")));
        }
    }
    for (name, values) in varied(rows.iter().copied()) {
        // Whoever lists its values knows of them.
        let explained = name == x || name == series || spec.fixed.contains_key(&name);
        if !explained && values.len() > 1 {
            let values = values.join(", ");
            let message =
                format!("the rows also differ in {name} ({values}): fix it under `where`");
            return Err(KeyError::new("experiment", message));
        }
    }
    let mut places = HashMap::new();
    for row in rows {
        let place = [Some(x), Some(series), spec.y.as_deref()]
            .map(|name| name.and_then(|name| value_of(row, name)));
        if let Some(other) = places.insert(place, row.name()) {
            let message = format!("{:?} and {other:?} would be drawn in one place", row.name());
            return Err(KeyError::new("where", message));
        }
    }
    let above_zero = |row: &&Row| number_of(row, x).is_some_and(|value| value > 0.0);
    if spec.x_scale == Some(ScaleKind::Log) && !rows.iter().all(above_zero) {
        let message = format!("{x} reaches zero, for which a logarithmic scale has no place");
        return Err(KeyError::new("x-scale", message));
    }
    Ok(())
}

/// Everything of these rows that has to have a place on the axis of the quantity.
pub(super) fn drawn(spec: &ChartBlock, rows: &[&Row]) -> Vec<f64> {
    let of_row = |row: &&Row| -> Vec<f64> {
        let Some(mark) = Mark::of(row) else { return Vec::new() };
        let intervals = [Some(mark.interval), mark.other].into_iter().flatten();
        let ends = intervals.flat_map(|interval| {
            if spec.has_intervals() {
                [interval.low, interval.high]
            } else {
                [interval.estimate; 2]
            }
        });
        ends.chain(visits(spec.kind, row)).collect()
    };
    rows.iter().flat_map(of_row).collect()
}

/// How many visits of a row are drawn at most beside its summary: more of them show nothing more, and
/// each takes its room on the page twice.
pub const MOST_VISITS: usize = 40;

/// The visits of a row that are drawn one by one: where they hardly come near it, no summary tells
/// it all. A distribution is made of them.
pub(super) fn visits(kind: ChartKind, row: &Row) -> Vec<f64> {
    let has_room = !matches!(kind, ChartKind::Ladder | ChartKind::HeatMap);
    match row.measured() {
        Some(m) if kind == ChartKind::Distribution => m.points.clone(),
        Some(m) if has_room && m.scattered().is_some() => {
            let (all, drawn) = (m.points.len(), m.points.len().min(MOST_VISITS));
            (0..drawn).map(|place| m.points[place * all / drawn]).collect()
        }
        _ => Vec::new(),
    }
}

/// The value of a parameter of a row, or its contender.
pub(super) fn value_of(row: &Row, name: &str) -> Option<String> {
    match name {
        CONTENDER => Some(row.contender.clone()),
        _ => row.parameters.get(name).map(Parameter::to_string),
    }
}

/// The value of a parameter that is a number.
pub(super) fn number_of(row: &Row, name: &str) -> Option<f64> {
    row.parameters.get(name).and_then(Parameter::as_f64)
}

/// The contender and each parameter of these rows, with their values in the order of the rows.
pub(crate) fn varied<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<(String, Vec<String>)> {
    let mut varied: Vec<(String, Vec<String>)> = Vec::new();
    for row in rows {
        let parameters =
            row.parameters.0.iter().map(|(name, value)| (name.as_str(), value.to_string()));
        for (name, value) in [(CONTENDER, row.contender.clone())].into_iter().chain(parameters) {
            let known = varied.iter().position(|(known, _)| known == name);
            let index = known.unwrap_or_else(|| {
                varied.push((name.to_owned(), Vec::new()));
                varied.len() - 1
            });
            let values = &mut varied[index].1;
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    varied
}

/// The values of a parameter, or the contenders, in the order of the rows.
pub(super) fn distinct<'a>(rows: impl Iterator<Item = &'a Row>, name: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for value in rows.filter_map(|row| value_of(row, name)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}
