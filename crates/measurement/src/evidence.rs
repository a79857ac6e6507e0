//! The combined evidence of a machine's runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use indexmap::IndexMap;

use crate::estimate::Estimate;
use crate::interval::{Links, Pool, Sample, Scale};
use crate::measured::process_of;
use crate::quantity::{is_part, SHARE};
use crate::scattered::Scattered;
use crate::statistics::median;
use crate::{Interval, Measured, Outcome, Row, Run, RunHeader, Source, Window};

/// The combined evidence of a machine's runs on experiments of a chapter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// Each row once. Includes twins.
    pub rows: Vec<EvidenceRow>,
    parts: Vec<Part>,
}

/// A row with what all runs of a machine found.
pub type EvidenceRow = Row<Combined>;

/// The figures of a row, combined from all runs of a machine that measured it.
#[derive(Debug, Clone, PartialEq)]
pub struct Combined {
    /// The estimate.
    pub estimate: Estimate,
    /// The visits of all runs.
    pub points: Vec<f64>,
    /// The source of the points.
    pub source: Source,
    /// The reasons why it failed in other runs.
    pub failed_runs: Vec<String>,
    /// The sample from which the intervals were computed.
    sample: Sample,
    /// How many times as large as the figure the values behind it are: above 1 for a difference,
    /// which a small error in either term changes by more.
    magnified: f64,
    /// The share of the offered requests that the windows of all runs answered, if any were
    /// offered.
    answered: Option<f64>,
}

impl Combined {
    fn of(next: Interval, points: Vec<f64>, source: Source, sample: Sample) -> Combined {
        let (estimate, failed_runs) = (Estimate::of(next), Vec::new());
        Combined { estimate, points, source, failed_runs, sample, magnified: 1.0, answered: None }
    }
}

/// An experiment, with at least one run.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    headers: Vec<RunHeader>,
    pools: Pools,
}

/// How much a machine's rows of each kind scatter. A machine with one run can borrow that from
/// another.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pools(Arc<HashMap<Kind, Pool>>);

/// Rows that scatter alike: those of a quantity in an experiment, or their ratios.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Kind {
    quantity: String,
    is_ratio: bool,
}

impl Kind {
    fn of(row: &EvidenceRow, is_ratio: bool) -> Kind {
        Kind { quantity: row.quantity.clone(), is_ratio }
    }
}

impl Pools {
    fn of<'a>(rows: impl Iterator<Item = &'a EvidenceRow>) -> Pools {
        let mut samples: HashMap<Kind, Vec<Sample>> = HashMap::new();
        // The first row of each group, with which the others are compared.
        let mut firsts: HashMap<(&str, &str), &Sample> = HashMap::new();
        for row in rows {
            let Some(Combined { sample, .. }) = row.measured() else { continue };
            // Twins differ less than other cells do.
            if row.twin_of.is_some() || sample.scale != Scale::Log {
                continue;
            }
            samples.entry(Kind::of(row, false)).or_default().push(sample.clone());
            let Some(group) = &row.group else { continue };
            let first = *firsts.entry((group, &row.quantity)).or_insert(sample);
            let ratio = Sample::of_both(sample, first, Scale::Log);
            if let Some(ratio) = ratio.filter(|_| !std::ptr::eq(sample, first)) {
                samples.entry(Kind::of(row, true)).or_default().push(ratio);
            }
        }
        let pools = samples.into_iter().filter_map(|(kind, of)| Some((kind, Pool::of(&of)?)));
        Pools(Arc::new(pools.collect()))
    }
}

/// The reason why two rows have no ratio.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub enum NoRatio {
    /// One of them was not measured, or not together with the other.
    Unmeasured(String),
    /// Both were measured, but one of them may be zero.
    ReachesZero(String),
}

impl Evidence {
    /// Combines a machine's runs of one experiment, oldest first. A single run doesn't show how
    /// much runs differ, so it borrows that from `lent`.
    pub fn of_runs<'a>(runs: impl IntoIterator<Item = &'a Run>, lent: Option<&Pools>) -> Evidence {
        // Non-generic code is compiled once, optimised like this package.
        Evidence::of_all(&runs.into_iter().collect::<Vec<_>>(), lent)
    }

    fn of_all(runs: &[&Run], lent: Option<&Pools>) -> Evidence {
        assert!(!runs.is_empty(), "evidence is of one run at least");
        let headers = runs.iter().map(|run| run.header.clone()).collect();
        let rows = gather(runs);
        let pools = match runs {
            [_] => lent.cloned().unwrap_or_default(),
            _ => Pools::of(rows.values()),
        };
        let part = Part { headers, pools };
        let told: Vec<_> = rows.values().map(|row| part.told(row, &rows)).collect();
        let mut rows: Vec<EvidenceRow> = rows.into_values().collect();
        for (row, told) in rows.iter_mut().zip(told) {
            if let (Outcome::Measured(combined), Some(told)) = (&mut row.outcome, told) {
                (combined.estimate, combined.magnified) = told;
            }
        }
        Evidence { rows, parts: vec![part] }
    }

    /// Takes rows as they are, with the header of their run. For recordings: a single run's
    /// processes are all that is known of them.
    pub fn of_found(header: RunHeader, rows: impl Iterator<Item = Row>) -> Evidence {
        let combined = |of: &Measured| {
            let no_links = Sample::of(Links::new(), Scale::Linear);
            Combined::of(of.interval(), of.points.clone(), of.source, no_links)
        };
        let row = |row: Row| {
            row.with(match &row.outcome {
                Outcome::Measured(measured) => Outcome::Measured(combined(measured)),
                Outcome::Failed(reason) => Outcome::Failed(reason.clone()),
            })
        };
        let parts = vec![Part { headers: vec![header], pools: Pools::default() }];
        Evidence { rows: rows.map(row).collect(), parts }
    }

    /// Joins the evidence of several experiments of a chapter.
    pub fn join(parts: impl IntoIterator<Item = Evidence>) -> Evidence {
        let mut all = Evidence::default();
        for evidence in parts {
            all.rows.extend(evidence.rows);
            all.parts.extend(evidence.parts);
        }
        all
    }

    /// Returns the headers of all runs of an experiment, oldest first. If the experiment was
    /// measured and recorded, only the runs that measured it.
    pub fn headers(&self, experiment: &str) -> &[RunHeader] {
        self.part(experiment).map_or(&[], |part| &part.headers)
    }

    /// Returns the headers of all runs of all experiments.
    pub fn all_headers(&self) -> impl Iterator<Item = &RunHeader> {
        self.parts.iter().flat_map(|part| &part.headers)
    }

    /// Returns the share of the offered requests that the windows behind a row answered, if any
    /// were offered. A cell's windows are in the first of its rows.
    pub fn answered(&self, row: &EvidenceRow) -> Option<f64> {
        let is_of_the_cell = |other: &&EvidenceRow| {
            other.experiment == row.experiment
                && other.contender == row.contender
                && other.parameters == row.parameters
                && other.twin_of == row.twin_of
        };
        let mut shares = self.rows.iter().filter(is_of_the_cell);
        shares.find_map(|row| row.measured()?.answered)
    }

    /// Returns on how many boots of the machine an experiment was measured. Runs without a boot id
    /// count as one.
    pub fn boots(&self, experiment: &str) -> usize {
        let boot = |header: &RunHeader| header.host.as_ref().and_then(|host| host.boot.clone());
        self.headers(experiment).iter().map(boot).collect::<BTreeSet<_>>().len()
    }

    /// Returns how much an experiment's rows scatter, for a machine with a single run to borrow.
    pub fn pools(&self, experiment: &str) -> Option<&Pools> {
        self.part(experiment).map(|part| &part.pools)
    }

    fn part(&self, experiment: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.headers[0].experiment == experiment)
    }

    /// Returns the ratio `numerator / denominator` of two rows, build by build where both have the
    /// build.
    ///
    /// Fails if one of them failed or may be zero, or if they were not measured together in one
    /// run.
    pub fn ratio(
        &self,
        numerator: &EvidenceRow,
        denominator: &EvidenceRow,
    ) -> Result<Estimate, NoRatio> {
        let (part, [n, d], sample) =
            self.pair(numerator, denominator, Scale::Log).map_err(NoRatio::Unmeasured)?;
        let reaches_zero = |of: &Combined| of.sample.links.values().any(|value| *value <= 0.0);
        if reaches_zero(n) || reaches_zero(d) {
            return Err(NoRatio::ReachesZero(if numerator.difference || denominator.difference {
                "a difference is not above zero in every link, so there is no ratio".to_owned()
            } else {
                let zero = if reaches_zero(d) { denominator } else { numerator };
                format!("{:?} reaches zero, so it has no ratio", zero.name())
            }));
        }
        // A plain row has half the variance of a ratio of two; a difference has more, according to
        // its magnification.
        let magnified = |row: &EvidenceRow, of: &Combined| {
            if row.difference {
                of.magnified.powi(2)
            } else {
                0.5
            }
        };
        let size = (magnified(numerator, n) + magnified(denominator, d)).sqrt();
        let visits: Vec<f64> = sample.links.values().copied().collect();
        let visits = if may_be_anywhere(numerator) { &[] } else { &visits[..] };
        Ok(part.estimate(&Kind::of(numerator, true), &sample, size, visits))
    }

    /// Returns the difference `row - less` of two rows, build by build where both have the build.
    ///
    /// Fails if one of them failed, their units differ, or they were not measured together in one
    /// run.
    pub fn difference(&self, row: &EvidenceRow, less: &EvidenceRow) -> Result<EvidenceRow, String> {
        if row.unit != less.unit {
            let (row, less) = (row.name(), less.name());
            return Err(format!("{row:?} and {less:?} are in different units"));
        }
        let (part, known, sample) = self.pair(row, less, Scale::Linear)?;
        let [size, of_less] = known.map(|of| of.estimate.next.estimate.abs());
        let size = size.max(of_less);
        let estimate = part.estimate(&Kind::of(row, true), &sample, size, &[]);
        let points = sample.links.values().copied().collect();
        let magnified = magnified(size, &sample);
        let combined = Combined::of(estimate.next, points, row.figures()?.source, sample);
        let outcome = Outcome::Measured(Combined { estimate, magnified, ..combined });
        Ok(Row { difference: true, ..row.with(outcome) })
    }

    /// Returns the part that two rows have in common, their evidence, and their combined sample.
    fn pair<'a>(
        &'a self,
        one: &'a EvidenceRow,
        other: &'a EvidenceRow,
        scale: Scale,
    ) -> Result<(&'a Part, [&'a Combined; 2], Sample), String> {
        let known = [one.figures()?, other.figures()?];
        let pair = || {
            let part = self.part(&one.experiment).filter(|_| one.experiment == other.experiment)?;
            let both = Sample::of_both(&known[0].sample, &known[1].sample, scale)?;
            Some((part, known, both))
        };
        pair().ok_or_else(|| {
            let (one, other) = (one.name(), other.name());
            format!(
                "{one:?} and {other:?} were never measured in one run, so they have no ratio and no \
                 difference"
            )
        })
    }
}

impl Part {
    /// Returns the estimate from all visits of a row, and how many times as large as the figure the
    /// values behind it are. Returns `None` if the row failed.
    fn told(
        &self,
        row: &EvidenceRow,
        all: &IndexMap<String, EvidenceRow>,
    ) -> Option<(Estimate, f64)> {
        let Combined { sample, points, .. } = row.measured()?;
        let sides = match &row.derived_from[..] {
            [minuend, subtrahend] => all.get(minuend).zip(all.get(subtrahend)),
            _ => None,
        };
        let size = |row: &EvidenceRow| Some(row.measured()?.sample.centre().abs());
        let (of_kind, size) = match sides {
            Some((minuend, subtrahend)) => (minuend, size(minuend)?.max(size(subtrahend)?)),
            None if sample.scale == Scale::Log => (row, 1.0),
            None => (row, size(row)?),
        };
        let kind = Kind::of(of_kind, sides.is_some());
        let visits = if may_be_anywhere(row) { &[] } else { &points[..] };
        let mut told = self.estimate(&kind, sample, size, visits);
        if sample.is_alone() && !self.pools.0.contains_key(&kind) {
            // The run's own windows give an interval for a percentile over all windows.
            told.next = row.measured()?.estimate.next;
        }
        let [least, most] = bounds(row, all);
        told.next = told.next.within(least, most);
        told.mean = told.mean.map(|mean| mean.within(least, most));
        Some((told, sides.map_or(1.0, |_| magnified(size, sample))))
    }

    /// Returns the estimate from the figures of builds, of rows of `kind`, whose visits may be
    /// scattered.
    fn estimate(&self, kind: &Kind, sample: &Sample, size: f64, visits: &[f64]) -> Estimate {
        let (next, mean) = sample.intervals(self.pools.0.get(kind), size);
        Estimate { next, mean, scattered: Scattered::of(visits, next.estimate) }
    }
}

/// Returns whether visits may be far from the row's figure: a difference may be zero, and a
/// percentile belongs to many latencies.
fn may_be_anywhere(row: &EvidenceRow) -> bool {
    row.difference || row.measured().is_some_and(|of| of.source == Source::Histogram)
}

/// Used instead of a build's number where there are no builds to compare: in a counting process,
/// and over all windows of a run.
const COUNTED: u32 = 1 << 30;
const ALL_WINDOWS: u32 = 1 << 31;

/// Gathers the rows of all runs by name, in the order of first appearance, each with all its
/// visits.
fn gather(runs: &[&Run]) -> IndexMap<String, EvidenceRow> {
    let mut found: IndexMap<String, Vec<(u32, &Row)>> = IndexMap::new();
    for (number, run) in (0..).zip(runs) {
        for row in &run.rows {
            found.entry(row.name()).or_default().push((number, row));
        }
    }
    found.into_iter().map(|(name, rows)| (name, gather_row(&rows, runs))).collect()
}

/// Returns a row as in the first run that measured it, with the visits of all runs.
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
                // With more processes than builds, builds run again. With a single build, processes
                // may differ.
                Some(visits) if run.header.builds.len() > 1 => visits.build[index],
                Some(visits) => process_of(visits.turn[index], rounds),
                // A count per process is a visit of that process, and of no build.
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
    let combined = Combined::of(of_first.interval(), points, of_first.source, sample);
    let answered = answered(all().filter_map(|of| of.window.as_ref()));
    first.with(Outcome::Measured(Combined { failed_runs, answered, ..combined }))
}

/// Returns the share of the offered requests that windows answered; `None` for closed loops, where
/// none are offered.
fn answered<'a>(windows: impl Iterator<Item = &'a Window>) -> Option<f64> {
    let (mut achieved, mut offered) = (0.0, 0.0);
    for window in windows.filter(|window| !window.offered.is_empty()) {
        achieved += window.achieved.iter().sum::<f64>();
        offered += window.offered.iter().sum::<f64>();
    }
    (offered > 0.0).then_some(achieved / offered)
}

/// A part of a whole may measure slightly more than the whole, for example if memory is read twice.
const ALL: f64 = 1.05;

/// Returns the bounds of a row's figure. Only a difference can be negative. A part of a whole is at
/// most the whole, or the greatest value that a visit has found.
fn bounds(row: &EvidenceRow, all: &IndexMap<String, EvidenceRow>) -> [f64; 2] {
    if row.difference {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    // The whole, or the greatest value found if that is more.
    let most = |row: &EvidenceRow| {
        row.measured().map_or(1.0, |m| m.points.iter().copied().fold(1.0, f64::max))
    };
    let is_part = match row.quantity.as_str() {
        // A quantity is not part of a whole if a visit found more than the whole.
        SHARE => !all.values().any(|other| other.quantity == SHARE && most(other) > ALL),
        quantity => is_part(quantity),
    };
    [0.0, if is_part { most(row) } else { f64::INFINITY }]
}

/// Returns how many times as large as the difference the larger of its two figures is.
fn magnified(size: f64, difference: &Sample) -> f64 {
    size / difference.centre().abs().max(f64::MIN_POSITIVE)
}
