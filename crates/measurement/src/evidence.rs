//! The combined evidence of a machine's runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use indexmap::IndexMap;

use crate::estimate::Estimate;
use crate::interval::{Links, Pool, Sample, Scale};
use crate::measured::{process_of, Together};
use crate::quantity::{is_part, SHARE};
use crate::scattered::Scattered;
use crate::statistics::median;
use crate::{Measured, Outcome, Row, Run, RunHeader, Source, Window};

/// The combined evidence of a machine's runs on experiments of a chapter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// Each row once, with the interval for the next run. Includes twins.
    pub rows: Vec<Row>,
    parts: Vec<Part>,
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
    fn of(row: &Row, is_ratio: bool) -> Kind {
        Kind { quantity: row.quantity.clone(), is_ratio }
    }
}

impl Pools {
    fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Pools {
        let mut samples: HashMap<Kind, Vec<Sample>> = HashMap::new();
        // The first row of each group, with which the others are compared.
        let mut firsts: HashMap<(&str, &str), &Sample> = HashMap::new();
        for row in rows {
            let Some(Together { sample, .. }) = row.known() else { continue };
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
        let mut rows: Vec<Row> = rows.into_values().collect();
        for (row, told) in rows.iter_mut().zip(told) {
            if let (Outcome::Measured(measured), Some((estimate, magnified))) =
                (&mut row.outcome, told)
            {
                measured.tell(estimate, magnified);
            }
        }
        Evidence { rows, parts: vec![part] }
    }

    /// Takes rows as they are, with the header of their run. For recordings: a single run's
    /// processes are all that is known of them.
    pub fn of_found(header: RunHeader, rows: Vec<Row>) -> Evidence {
        Evidence { rows, parts: vec![Part { headers: vec![header], pools: Pools::default() }] }
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
    pub fn answered(&self, row: &Row) -> Option<f64> {
        let is_of_the_cell = |other: &&Row| {
            other.experiment == row.experiment
                && other.contender == row.contender
                && other.parameters == row.parameters
                && other.twin_of == row.twin_of
        };
        let mut shares = self.rows.iter().filter(is_of_the_cell);
        shares.find_map(|row| row.known()?.answered)
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
    pub fn ratio(&self, numerator: &Row, denominator: &Row) -> Result<Estimate, NoRatio> {
        let (part, [n, d], sample) =
            self.pair(numerator, denominator, Scale::Log).map_err(NoRatio::Unmeasured)?;
        let reaches_zero = |of: &Together| of.sample.links.values().any(|value| *value <= 0.0);
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
        let magnified =
            |row: &Row, of: &Together| if row.difference { of.magnified.powi(2) } else { 0.5 };
        let size = (magnified(numerator, n) + magnified(denominator, d)).sqrt();
        let visits: Vec<f64> = sample.links.values().copied().collect();
        let visits = if may_be_anywhere(numerator) { &[] } else { &visits[..] };
        Ok(part.estimate(&Kind::of(numerator, true), &sample, size, visits))
    }

    /// Returns the difference `row - less` of two rows, build by build where both have the build.
    ///
    /// Fails if one of them failed, their units differ, or they were not measured together in one
    /// run.
    pub fn difference(&self, row: &Row, less: &Row) -> Result<Row, String> {
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
        let mut measured = Measured::new(estimate.next, points, row.figures()?.source);
        measured.together = Some(Together::of(sample, estimate.next));
        measured.tell(estimate, magnified);
        Ok(Row { difference: true, outcome: Outcome::Measured(measured), ..row.clone() })
    }

    /// Returns the part that two rows have in common, their evidence, and their combined sample.
    fn pair<'a>(
        &'a self,
        one: &'a Row,
        other: &'a Row,
        scale: Scale,
    ) -> Result<(&'a Part, [&'a Together; 2], Sample), String> {
        one.figures().and(other.figures())?;
        let pair = || {
            let part = self.part(&one.experiment).filter(|_| one.experiment == other.experiment)?;
            let (known, of_other) = (one.known()?, other.known()?);
            let both = Sample::of_both(&known.sample, &of_other.sample, scale)?;
            Some((part, [known, of_other], both))
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
    fn told(&self, row: &Row, all: &IndexMap<String, Row>) -> Option<(Estimate, f64)> {
        let measured = row.measured()?;
        let Together { sample, .. } = measured.together.as_ref()?;
        let sides = match &row.derived_from[..] {
            [minuend, subtrahend] => all.get(minuend).zip(all.get(subtrahend)),
            _ => None,
        };
        let size = |row: &Row| Some(row.known()?.sample.centre().abs());
        let (of_kind, size) = match sides {
            Some((minuend, subtrahend)) => (minuend, size(minuend)?.max(size(subtrahend)?)),
            None if sample.scale == Scale::Log => (row, 1.0),
            None => (row, size(row)?),
        };
        let kind = Kind::of(of_kind, sides.is_some());
        let visits = if may_be_anywhere(row) { &[] } else { &measured.points[..] };
        let mut told = self.estimate(&kind, sample, size, visits);
        if sample.is_alone() && !self.pools.0.contains_key(&kind) {
            // The run's own windows give an interval for a percentile over all windows.
            told.next = measured.interval();
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
fn may_be_anywhere(row: &Row) -> bool {
    row.difference || row.measured().is_some_and(|of| of.source == Source::Histogram)
}

/// Used instead of a build's number where there are no builds to compare: in a counting process,
/// and over all windows of a run.
const COUNTED: u32 = 1 << 30;
const ALL_WINDOWS: u32 = 1 << 31;

/// Gathers the rows of all runs by name, in the order of first appearance, each with all its
/// visits.
fn gather(runs: &[&Run]) -> IndexMap<String, Row> {
    let mut found: IndexMap<String, Vec<(u32, &Row)>> = IndexMap::new();
    for (number, run) in (0..).zip(runs) {
        for row in &run.rows {
            found.entry(row.name()).or_default().push((number, row));
        }
    }
    found.into_iter().map(|(name, rows)| (name, gather_row(&rows, runs))).collect()
}

/// Returns a row as in the first run that measured it, with the visits of all runs.
fn gather_row<'a>(rows: &[(u32, &'a Row)], runs: &[&Run]) -> Row {
    let of_run = |(number, row): &(u32, &'a Row)| Some((*number, *row, row.measured()?));
    let measured: Vec<(u32, &Row, &Measured)> = rows.iter().filter_map(of_run).collect();
    let Some((_, first, of_first)) = measured.first() else { return rows[0].1.clone() };
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
    let mut known = Together::of(sample, of_first.interval());
    let failed = rows.iter().filter_map(|(_, row)| match &row.outcome {
        Outcome::Failed(reason) => Some(reason.clone()),
        Outcome::Measured(_) => None,
    });
    known.failed_runs = failed.collect();
    known.answered = answered(all().filter_map(|of| of.window.as_ref()));
    let measured = Measured {
        window: of_first.window.clone().filter(|_| measured.len() == 1),
        together: Some(known),
        ..Measured::new(of_first.interval(), points, of_first.source)
    };
    Row { outcome: Outcome::Measured(measured), ..Row::clone(first) }
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
fn bounds(row: &Row, all: &IndexMap<String, Row>) -> [f64; 2] {
    if row.difference {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    // The whole, or the greatest value found if that is more.
    let most =
        |row: &Row| row.measured().map_or(1.0, |m| m.points.iter().copied().fold(1.0, f64::max));
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
