//! Gathers the rows of all runs of a machine into one row per name.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use crate::combined::{Combined, EvidenceRow};
use crate::interval::{Links, Sample, Scale};
use crate::measured::process_of;
use crate::statistics::median;
use crate::{Measured, Outcome, Row, Run, Window};

/// Used instead of a build's number for results that don't belong to a single build: counts that
/// are taken once per process, and percentiles over all windows of a run.
const COUNTED: u32 = 1 << 30;
const ALL_WINDOWS: u32 = 1 << 31;

/// Gathers the rows of all runs by name, in the order of first appearance. Each row gets the
/// measured values of all runs.
pub(crate) fn gather(runs: &[&Run]) -> IndexMap<String, EvidenceRow> {
    let mut found: IndexMap<String, Vec<(u32, &Row)>> = IndexMap::new();
    for (number, run) in (0..).zip(runs) {
        for row in &run.rows {
            found.entry(row.name()).or_default().push((number, row));
        }
    }
    found.into_iter().map(|(name, rows)| (name, gather_row(&rows, runs))).collect()
}

/// Returns a row with the facts from the first run, and with the measured values of all runs.
fn gather_row<'a>(rows: &[(u32, &'a Row)], runs: &[&Run]) -> EvidenceRow {
    let of_run = |(number, row): &(u32, &'a Row)| Some((*number, *row, row.measured()?));
    let measured: Vec<(u32, &Row, &Measured)> = rows.iter().filter_map(of_run).collect();
    let failed = rows.iter().filter_map(|(_, row)| match &row.outcome {
        Outcome::Failed(reason) => Some(reason.clone()),
        Outcome::Measured(_) => None,
    });
    let mut failed_runs: Vec<String> = failed.collect();
    let Some((_, first, of_first)) = measured.first() else {
        return rows[0].1.with(Outcome::Failed(failed_runs.swap_remove(0)));
    };
    let mut by_link: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
    let mut over_all_windows = Links::new();
    for (number, row, measured) in &measured {
        let run = runs[*number as usize];
        let rounds = run.header.rounds.unwrap_or(1);
        for (index, point) in measured.points.iter().enumerate() {
            let link = match &measured.visits {
                // If there are more processes than builds, several processes run the same build
                // and are grouped by build. If there is only one build, each process forms its
                // own group.
                Some(visits) if run.header.builds.len() > 1 => visits.build[index],
                Some(visits) => process_of(visits.turn[index], rounds),
                // Counted once per process, so the index of a count is also the number of the
                // process.
                None => COUNTED + index as u32,
            };
            by_link.entry((*number, link)).or_default().push(*point);
        }
        if run.is_of_all_windows(row) {
            over_all_windows.insert((*number, ALL_WINDOWS), measured.estimate);
        }
    }
    let links = if over_all_windows.is_empty() {
        by_link.into_iter().map(|(link, visits)| (link, median(&visits))).collect()
    } else {
        over_all_windows
    };
    let all = || measured.iter().map(|(_, _, measured)| *measured);
    let points: Vec<f64> = all().flat_map(|of| &of.points).copied().collect();
    let is_positive = !first.difference && points.iter().all(|point| *point > 0.0);
    let sample = Sample::of(links, if is_positive { Scale::Log } else { Scale::Linear });
    let combined = Combined::of(of_first.interval(), points, of_first.source, Some(sample));
    let answered = answered(all().filter_map(|of| of.window.as_ref()));
    first.with(Outcome::Measured(Combined { failed_runs, answered, ..combined }))
}

/// Returns the share of the scheduled requests that were answered in the windows. `None` for a
/// closed loop, in which a client sends its next request after an answer rather than on a
/// schedule.
fn answered<'a>(windows: impl Iterator<Item = &'a Window>) -> Option<f64> {
    let (mut achieved, mut offered) = (0.0, 0.0);
    for window in windows.filter(|window| !window.offered.is_empty()) {
        achieved += window.achieved.iter().sum::<f64>();
        offered += window.offered.iter().sum::<f64>();
    }
    (offered > 0.0).then_some(achieved / offered)
}
