//! Selects the measured rows that a chart draws.

use std::collections::HashMap;

use findings::data::{ChapterData, MachineData};
use findings::find;
use indexmap::{IndexMap, IndexSet};
use language::block::{At, BlockError, CONTENDER, ChartBlock, ChartKind, ScaleKind};
use language::selector::nearest;
use language::wrong;
use measurement::{Evidence, EvidenceRow, Parameter};

use crate::on_page::OnPage;

/// The rows that one machine contributes to a chart.
pub(super) struct MachineRows<'a> {
    pub machine: &'a MachineData,
    pub data: &'a ChapterData,
    pub rows: Vec<&'a EvidenceRow>,
    /// The number of rows that the reference machine contributes to this chart.
    pub of_reference: usize,
}

impl<'a> MachineRows<'a> {
    pub(super) fn suffix(&self) -> &'static str {
        if self.machine.is_local() { ", yours" } else { "" }
    }

    pub(super) fn of_series(&self, spec: &ChartBlock, name: &str) -> Vec<&'a EvidenceRow> {
        let is_of_it = |row: &&EvidenceRow| value_of(row, spec.series()).as_deref() == Some(name);
        self.rows.iter().copied().filter(is_of_it).collect()
    }

    /// Returns the rows of `machine`, or the reason why they can't be drawn. `reference` contains
    /// the rows of the reference machine, or is `None` if `machine` is the reference machine.
    fn new(
        spec: &ChartBlock,
        machine: &'a MachineData,
        data: &'a ChapterData,
        reference: Option<&MachineRows<'a>>,
    ) -> Result<MachineRows<'a>, BlockError> {
        let is_reference = reference.is_none();
        let (experiment, evidence) = (&*spec.rows.experiment, &data.evidence);
        let rows = rows_of(spec, evidence, is_reference)?;
        let is_quick = !machine.is_local()
            && data.is_quick(experiment)
            && reference.is_some_and(|reference| !reference.data.is_quick(experiment));
        let of_reference = reference.map_or(rows.len(), |reference| reference.rows.len());
        // Quick runs with few rows aren't drawn, but their verdicts appear with the claims.
        if is_quick && 2 * rows.len() < of_reference {
            let has = if rows.is_empty() { "none".to_owned() } else { rows.len().to_string() };
            wrong!("context", "it was measured quickly, and has {has} of {of_reference} rows");
        }
        if rows.is_empty() {
            wrong!("context", "no row is {:?}", spec.rows.to_string());
        }
        check(spec, &rows)?;
        Ok(MachineRows { machine, data, rows, of_reference })
    }
}

/// Returns a chart's rows from every machine that has them, starting with the reference machine.
/// For each remaining machine that has a run, also returns why its rows can't be drawn.
pub(super) fn select<'a>(
    spec: &ChartBlock,
    on: &OnPage<'a>,
) -> Result<(Vec<MachineRows<'a>>, Vec<String>), BlockError> {
    let data = &on.book.data;
    let (chapter, experiment) = (spec.chapter(&on.page.chapter), &*spec.rows.experiment);
    let reference = data.reference(chapter, experiment);
    let mut having = data.having(chapter, experiment).into_iter();
    let first = having.next().filter(|(machine, _)| machine.name() == reference);
    let Some((machine, of_chapter)) = first else {
        wrong!("context", "{}", on.missing_run(reference, chapter));
    };
    let mut all = vec![MachineRows::new(spec, machine, of_chapter, None)?];
    let mut left_out = Vec::new();
    for (machine, data) in having {
        if data.evidence.rows.iter().all(|row| row.experiment != experiment) {
            continue;
        }
        match MachineRows::new(spec, machine, data, Some(&all[0])) {
            Ok(shown) => all.push(shown),
            // Rows of a quick or old run may be missing, or have other parameters.
            Err(wrong) => {
                let reason = wrong.message.lines().next().unwrap_or_default();
                left_out.push(format!("{} is not drawn: {reason}", machine.short()));
            }
        }
    }
    Ok((all, left_out))
}

/// Returns the rows of one machine. The reference machine must have all rows that the block
/// names; other machines may lack some.
fn rows_of<'a>(
    spec: &ChartBlock,
    evidence: &'a Evidence,
    is_reference: bool,
) -> Result<Vec<&'a EvidenceRow>, BlockError> {
    let all = if is_reference {
        find::all(&spec.rows, evidence).at("context")?
    } else {
        // Unlike `find::all`, this doesn't suggest similar names, which would take long.
        evidence.rows.iter().filter(|row| find::is_of(row, &spec.rows)).collect()
    };
    let mut rows = all.clone();
    // Keeps only the rows with one of the values listed under `where`.
    for (name, list) in &spec.some {
        let list: Vec<String> = list.iter().map(Parameter::to_string).collect();
        let has = |row: &EvidenceRow, value: &String| value_of(row, name).as_ref() == Some(value);
        let missing = list.iter().find(|value| !all.iter().any(|row| has(row, value)));
        if let Some(value) = missing.filter(|_| is_reference) {
            wrong!("where", "no row has {name}={value}");
        }
        rows.retain(|row| list.iter().any(|value| has(row, value)));
    }
    Ok(rows)
}

fn check(spec: &ChartBlock, rows: &[&EvidenceRow]) -> Result<(), BlockError> {
    if rows.iter().all(|row| row.measured().is_none()) {
        wrong!("context", "every row failed, so there is nothing to draw");
    }
    let (x, series) = (&*spec.x, spec.series());
    let varied = varied(rows.iter().copied());
    for (name, _) in &varied {
        if let Some(row) = rows.iter().find(|row| value_of(row, name).is_none()) {
            wrong!(
                "context",
                "{:?} has no parameter {name:?}, which other rows have: fix it in the `context`",
                row.name()
            );
        }
    }
    // At this point, all rows have the same parameters, so checking the first row is enough.
    for (key, name) in [("x", x), ("series", series)] {
        if value_of(rows[0], name).is_none() {
            let (row, near) = (rows[0].name(), nearest(name, rows[0].parameters.0.keys()));
            wrong!(key, "{row:?} has no parameter {name:?}{near}");
        }
    }
    let no_number = rows.iter().find(|row| number_of(row, x).is_none());
    if let Some(row) = no_number.filter(|_| spec.kind == ChartKind::Lines) {
        let value = value_of(row, x).unwrap_or_default();
        wrong!("x", "{x}={value} is no number, which lines need");
    }
    for (name, values) in &varied {
        // An author who lists values of a parameter knows that the parameter varies.
        let explained = name == x || name == series || spec.some.contains_key(name);
        if !explained && values.len() > 1 {
            let values = values.join(", ");
            wrong!("context", "the rows also differ in {name} ({values}): fix it in the `context`");
        }
    }
    let mut places = HashMap::new();
    for row in rows {
        let place = [x, series].map(|name| value_of(row, name));
        if let Some(other) = places.insert(place, row.name()) {
            wrong!("where", "{:?} and {other:?} would be drawn in one place", row.name());
        }
    }
    let above_zero = |row: &&EvidenceRow| number_of(row, x).is_some_and(|value| value > 0.0);
    if spec.x_scale == Some(ScaleKind::Log) && !rows.iter().all(above_zero) {
        wrong!("x-scale", "{x} reaches zero, for which a logarithmic scale has no place");
    }
    Ok(())
}

/// Returns the row's value of the parameter `name`, which may also be `contender`.
pub(super) fn value_of(row: &EvidenceRow, name: &str) -> Option<String> {
    match name {
        CONTENDER => Some(row.contender.clone()),
        _ => row.parameters.get(name).map(Parameter::to_string),
    }
}

/// Returns the row's value of the parameter `name`, if the value is a number.
pub(super) fn number_of(row: &EvidenceRow, name: &str) -> Option<f64> {
    row.parameters.get(name).and_then(Parameter::as_f64)
}

/// Returns each parameter, including the contender, with its distinct values in the order of the
/// rows.
pub(crate) fn varied<'a>(
    rows: impl Iterator<Item = &'a EvidenceRow>,
) -> Vec<(String, Vec<String>)> {
    let mut varied: IndexMap<&str, IndexSet<String>> = IndexMap::new();
    for row in rows {
        varied.entry(CONTENDER).or_default().insert(row.contender.clone());
        for (name, value) in &row.parameters.0 {
            varied.entry(name).or_default().insert(value.to_string());
        }
    }
    varied.into_iter().map(|(name, values)| (name.to_owned(), Vec::from_iter(values))).collect()
}

/// Returns the distinct values of the parameter `name` (or the contenders), in the order of the
/// rows.
pub(super) fn distinct<'a>(rows: impl Iterator<Item = &'a EvidenceRow>, name: &str) -> Vec<String> {
    Vec::from_iter(rows.filter_map(|row| value_of(row, name)).collect::<IndexSet<_>>())
}
