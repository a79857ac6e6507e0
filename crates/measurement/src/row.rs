//! A row: one quantity of one cell, measured, or failed with the reason.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::estimate::{Estimate, Order};
use crate::interval::LinkFigure;
use crate::latencies::Latencies;
use crate::name_check::{check_label, check_slug, InvalidName};
use crate::scattered::Scattered;
use crate::statistics::{self, Interval};
use crate::{unit_of, Parameter, Parameters, Unit, UnknownQuantity};

/// Where a row's figures come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Visits timed by criterion; at least six points.
    Criterion,
    /// Counted by the program itself, in a pass of its own.
    Counter,
    /// Seen by a tracer that stops the program at each system call, in a pass of its own.
    Ptrace,
    /// The kernel's account of the process.
    Getrusage,
    /// An HDR histogram of single latencies.
    Histogram,
    /// Taken by the harness.
    Harness,
    /// Recorded by the kernel's tracepoints and the program's own stamps, on one clock.
    Tracepoint,
    /// Simulated by valgrind's cachegrind.
    Cachegrind,
    /// The processor's counters.
    Hardware,
    /// Computed by a model.
    Simulation,
    /// Taken over from somebody else's run.
    Imported,
}

/// One measured quantity of one cell, or the reason why it could not be measured.
///
/// A row that exists is valid: reading one checks it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawRow", into = "RawRow")]
pub struct Row {
    /// The experiment, for instance `units`.
    pub experiment: String,
    /// The implementation under comparison, for instance `tokio multi-thread`.
    pub contender: String,
    /// The setting at which it was measured.
    pub parameters: Parameters,
    /// What was measured, for instance `time per unit`.
    pub quantity: String,
    /// The unit of estimate, interval and points.
    pub unit: Unit,
    /// A difference of two measured quantities, which alone may be negative.
    pub difference: bool,
    /// The cells among which this one was visited, side by side; absent where nothing stood beside
    /// it.
    pub group: Option<String>,
    /// The same cell visited a second time in its group, under a name of its own: the contender
    /// whose twin this row is.
    pub twin_of: Option<String>,
    /// The rows from which this one was computed, by name; empty for what was measured itself.
    pub derived_from: Vec<String>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of measuring a cell.
#[derive(Debug, Clone, PartialEq)]
// Nearly every outcome is the large one.
#[allow(clippy::large_enum_variant)]
pub enum Outcome {
    /// It was measured.
    Measured(Measured),
    /// It could not be measured, for this reason.
    Failed(String),
}

/// The figures of a row, in the row's unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The median of the points; of a histogram's percentile, where it is known, that over all windows of the
    /// run together.
    pub estimate: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// One a visit, in (process, round) order; every process holds equally many.
    pub points: Vec<f64>,
    /// Where the points come from.
    pub source: Source,
    /// When and where each point was taken; absent for what is counted once in a process, and in what
    /// several runs say together.
    pub visits: Option<Visits>,
    /// What a window visit counted beside its times.
    pub window: Option<Window>,
    /// The line that was laid through several settings, of which the estimate is the slope or a root.
    pub fit: Option<Fit>,
    /// What a machine's runs say together; `None` for a row as it stands in a file.
    pub(crate) together: Option<Together>,
}

/// What a machine's runs say together of a row. Its interval for the next run is the row's own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Together {
    /// With the interval of this machine's mean.
    pub(crate) mean: Option<Interval>,
    pub(crate) of_ten_runs: Option<Interval>,
    pub(crate) scattered: Option<Scattered>,
    pub(crate) order: Order,
    /// What the interval was computed from, a figure each link.
    pub(crate) links: Vec<LinkFigure>,
    /// The share of the visits that met a slowed core.
    pub(crate) slowed: Option<f64>,
    /// Why it failed in runs of which others measured it.
    pub(crate) failed_runs: Vec<String>,
    /// How many times as large as the figure itself is what it was computed from: above 1 for a
    /// difference, which a small error of either side moves by more.
    pub(crate) magnified: f64,
}

/// The process of a turn, in a run whose processes did so many rounds each: a round has two turns, there
/// and back.
pub(crate) fn process_of(turn: u32, rounds: usize) -> u32 {
    turn / (2 * rounds as u32)
}

/// When and where each point of a row was taken: as many of each as there are points.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Visits {
    /// Milliseconds since the run began.
    pub at: Vec<u32>,
    /// The turn of its group: two rows that have the same turn were visited in the same round, and
    /// within a group side by side.
    pub turn: Vec<u32>,
    /// Which of the header's builds was running.
    pub build: Vec<u32>,
    /// How long the core took for the probe around the visit, in nanoseconds.
    pub probe: Vec<f64>,
}

impl Visits {
    /// Whether there are as many of each as there are points.
    fn are_of(&self, points: usize) -> bool {
        [self.at.len(), self.turn.len(), self.build.len(), self.probe.len()] == [points; 4]
    }
}

/// What the window visits of a row counted, one of each a point.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// HDR histograms of single latencies, from which any percentile can be had. Empty where none
    /// were taken, and in files of runs, beside which they are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub histogram: Vec<Latencies>,
    /// Requests a second that were to be made; empty in a closed loop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<f64>,
    /// Requests a second that were answered.
    pub achieved: Vec<f64>,
    /// Requests that failed.
    pub errors: Vec<u64>,
    /// Requests that were made later than they were to be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late: Vec<u64>,
}

/// A straight line through points, fitted in each visit anew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fit {
    /// Through what it was laid, of all visits: how many units there were, and what was found of
    /// them.
    pub points: Vec<(f64, f64)>,
    /// The slope, per unit.
    pub slope: f64,
    /// Lower end of the slope's 95 % interval.
    pub low: f64,
    /// Upper end of the slope's 95 % interval.
    pub high: f64,
}

impl Window {
    /// Whether each list that is there has as many entries as there are points.
    fn is_of(&self, points: usize) -> bool {
        let optional = [self.histogram.len(), self.offered.len(), self.late.len()];
        [self.achieved.len(), self.errors.len()] == [points; 2]
            && optional.iter().all(|&count| count == 0 || count == points)
    }
}

impl Measured {
    /// Summarises points that were taken in `processes` processes, in (process, round) order.
    pub fn from_points(points: Vec<f64>, processes: usize, source: Source) -> Measured {
        Measured::new(statistics::median_interval(&points, processes), points, source)
    }

    /// Summarises the visits of one run, whose processes did so many rounds each. The interval knows of
    /// this run only.
    ///
    /// # Panics
    ///
    /// If there are not as many visits as points, or none.
    pub fn of_visits(points: Vec<f64>, visits: Visits, rounds: usize, source: Source) -> Measured {
        assert!(visits.are_of(points.len()), "a visit a point");
        let mut by_process: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for (turn, point) in visits.turn.iter().zip(&points) {
            by_process.entry(process_of(*turn, rounds)).or_default().push(*point);
        }
        let by_process: Vec<&[f64]> = by_process.values().map(Vec::as_slice).collect();
        let interval = statistics::bootstrap(&by_process);
        Measured { visits: Some(visits), ..Measured::new(interval, points, source) }
    }

    pub(crate) fn new(interval: Interval, points: Vec<f64>, source: Source) -> Measured {
        let Interval { estimate, low, high } = interval;
        Measured {
            estimate,
            low,
            high,
            points,
            source,
            visits: None,
            window: None,
            fit: None,
            together: None,
        }
    }

    /// What a machine's runs say of it; a row as it stands in a file says what its run does, which judges no
    /// claim.
    pub fn together(&self) -> Estimate {
        let next = self.interval();
        match &self.together {
            Some(Together { mean, of_ten_runs, scattered, order, .. }) => {
                let (mean, of_ten_runs, scattered) = (*mean, *of_ten_runs, *scattered);
                Estimate { next, mean, of_ten_runs, scattered, order: order.clone() }
            }
            None => {
                let (scattered, order) = (None, Order::default());
                Estimate { next, mean: None, of_ten_runs: None, scattered, order }
            }
        }
    }

    /// What stands in the place of the estimate, if hardly any visit comes near that.
    pub fn scattered(&self) -> Option<Scattered> {
        self.together.as_ref()?.scattered
    }

    /// The share of all runs' visits that met a slowed core, 0 to 1; `None` where no probe was taken.
    pub fn slowed(&self) -> Option<f64> {
        self.together.as_ref()?.slowed
    }

    /// Why it failed in runs of which others measured it.
    pub fn failed_runs(&self) -> &[String] {
        self.together.as_ref().map_or(&[], |together| &together.failed_runs)
    }

    /// The estimate with its interval: that for the next run, where it is of several runs together.
    pub fn interval(&self) -> Interval {
        Interval { estimate: self.estimate, low: self.low, high: self.high }
    }
}

impl Row {
    /// The figures, unless the cell failed.
    pub fn measured(&self) -> Option<&Measured> {
        match &self.outcome {
            Outcome::Measured(measured) => Some(measured),
            Outcome::Failed(_) => None,
        }
    }

    /// The figures, or in words which row failed and why.
    ///
    /// # Errors
    ///
    /// If the cell failed.
    pub fn figures(&self) -> Result<&Measured, String> {
        match &self.outcome {
            Outcome::Measured(measured) => Ok(measured),
            Outcome::Failed(reason) => Err(format!("{}: {reason}", self.name())),
        }
    }

    /// What tells this row from the others of a run: `units: rayon, arm=ours, units=1000, time per unit`.
    /// A page asks for it in the same words.
    pub fn name(&self) -> String {
        let Row { experiment, contender, parameters, quantity, .. } = self;
        let twin = if self.twin_of.is_some() { ", twin" } else { "" };
        if parameters.0.is_empty() {
            format!("{experiment}: {contender}, {quantity}{twin}")
        } else {
            format!("{experiment}: {contender}, {parameters}, {quantity}{twin}")
        }
    }

    /// Reads a row of a run, which may leave out the experiment that the run is of.
    pub(crate) fn parse(json: &str, experiment: &str) -> Result<Row, serde_json::Error> {
        let mut raw: RawRow = serde_json::from_str(json)?;
        raw.experiment.get_or_insert_with(|| experiment.to_owned());
        Row::try_from(raw).map_err(serde::de::Error::custom)
    }

    /// The row as it stands in a run, which has the experiment in its header.
    pub(crate) fn in_run(&self) -> impl Serialize {
        RawRow { experiment: None, ..RawRow::from(self.clone()) }
    }

    /// The row with another outcome.
    pub(crate) fn with(&self, outcome: Outcome) -> Row {
        Row {
            experiment: self.experiment.clone(),
            contender: self.contender.clone(),
            parameters: self.parameters.clone(),
            quantity: self.quantity.clone(),
            unit: self.unit,
            difference: self.difference,
            group: self.group.clone(),
            twin_of: self.twin_of.clone(),
            derived_from: self.derived_from.clone(),
            outcome,
        }
    }

    /// Whether two rows are of the same experiment, setting and quantity, and so may be compared.
    pub fn same_setting(&self, other: &Row) -> bool {
        self.experiment == other.experiment
            && self.parameters == other.parameters
            && self.quantity == other.quantity
    }
}

/// A row as it stands in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRow {
    /// Left out where the header of its run has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    experiment: Option<String>,
    contender: String,
    #[serde(default)]
    parameters: Parameters,
    quantity: String,
    unit: Unit,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    difference: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    twin_of: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    derived_from: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    at: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    turn: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    build: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    probe: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window: Option<Window>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fit: Option<Fit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
}

/// Why a row cannot be true.
#[derive(Debug, Error, PartialEq)]
#[allow(missing_docs)]
pub enum Invalid {
    #[error("it names no experiment, and stands in no run")]
    NoExperiment,
    #[error(transparent)]
    Name(#[from] InvalidName),
    #[error(transparent)]
    Quantity(#[from] UnknownQuantity),
    #[error("{quantity:?} is measured in {expected}, not in {found}")]
    Unit { quantity: String, expected: Unit, found: Unit },
    #[error("a measured row needs estimate, low, high, points and source; a failed row has `failed` with the reason, and none of these")]
    Shape,
    #[error("`failed` gives no reason")]
    NoReason,
    #[error("{field} is {value}, which is no finite number")]
    NotFinite { field: &'static str, value: f64 },
    #[error("{field} is {value}: only a row with \"difference\":true may be negative")]
    Negative { field: &'static str, value: f64 },
    #[error("a wrong interval: low {low}, estimate {estimate} and high {high} do not stand in this order")]
    Order { low: f64, estimate: f64, high: f64 },
    #[error("a wrong interval: {low} to {high} reaches beyond the points, which lie between {min} and {max}")]
    Beyond { low: f64, high: f64, min: f64, max: f64 },
    #[error("the estimate is {estimate}, but the median of the points is {median}: figures are never edited by hand, measure again")]
    NotTheMedian { estimate: f64, median: f64 },
    #[error("a criterion row has at least six points, this one has {0}")]
    TooFewPoints(usize),
    #[error("there are no points")]
    NoPoints,
    #[error("`at`, `turn`, `build` and `probe` each have one entry a point, or none of them stands there; there are {points} points")]
    Visits { points: usize },
    #[error("`window` has one entry a point in each of its lists; there are {points} points")]
    Window { points: usize },
}

impl TryFrom<RawRow> for Row {
    type Error = Invalid;

    fn try_from(raw: RawRow) -> Result<Row, Invalid> {
        let experiment = raw.experiment.ok_or(Invalid::NoExperiment)?;
        check_slug("experiment", &experiment)?;
        check_label("contender", &raw.contender)?;
        for (name, value) in &raw.parameters.0 {
            check_label("parameter", name)?;
            match value {
                Parameter::Text(text) => check_label("the value of a parameter,", text)?,
                Parameter::Real(value) => finite("a parameter", *value)?,
                Parameter::Flag(_) | Parameter::Integer(_) => {}
            }
        }
        check_label("quantity", &raw.quantity)?;
        if let Some(name) = &raw.twin_of {
            check_label("twin_of", name)?;
        }
        let expected = unit_of(&raw.quantity)?;
        if raw.unit != expected {
            return Err(Invalid::Unit { quantity: raw.quantity, expected, found: raw.unit });
        }
        let outcome = match (raw.estimate, raw.low, raw.high, raw.points, raw.source, raw.failed) {
            (Some(estimate), Some(low), Some(high), Some(points), Some(source), None) => {
                let interval = Interval { estimate, low, high };
                let visits =
                    Visits { at: raw.at, turn: raw.turn, build: raw.build, probe: raw.probe };
                let count = points.len();
                let visits = match visits == Visits::default() {
                    true => None,
                    false if visits.are_of(count) => Some(visits),
                    false => return Err(Invalid::Visits { points: count }),
                };
                if raw.window.as_ref().is_some_and(|window| !window.is_of(count)) {
                    return Err(Invalid::Window { points: count });
                }
                let measured = Measured {
                    visits,
                    window: raw.window,
                    fit: raw.fit,
                    ..Measured::new(interval, points, source)
                };
                check_figures(&measured, raw.difference)?;
                Outcome::Measured(measured)
            }
            (None, None, None, None, None, Some(reason)) => {
                if reason.trim().is_empty() {
                    return Err(Invalid::NoReason);
                }
                Outcome::Failed(reason)
            }
            _ => return Err(Invalid::Shape),
        };
        Ok(Row {
            experiment,
            contender: raw.contender,
            parameters: raw.parameters,
            quantity: raw.quantity,
            unit: raw.unit,
            difference: raw.difference,
            group: raw.group,
            twin_of: raw.twin_of,
            derived_from: raw.derived_from,
            outcome,
        })
    }
}

impl From<Row> for RawRow {
    fn from(row: Row) -> RawRow {
        let (mut measured, failed) = match row.outcome {
            Outcome::Measured(measured) => (Some(measured), None),
            Outcome::Failed(reason) => (None, Some(reason)),
        };
        let visits = measured.as_mut().and_then(|measured| measured.visits.take());
        let visits = visits.unwrap_or_default();
        let window = measured.as_mut().and_then(|measured| measured.window.take());
        let fit = measured.as_mut().and_then(|measured| measured.fit.take());
        RawRow {
            experiment: Some(row.experiment),
            contender: row.contender,
            parameters: row.parameters,
            quantity: row.quantity,
            unit: row.unit,
            difference: row.difference,
            group: row.group,
            twin_of: row.twin_of,
            derived_from: row.derived_from,
            estimate: measured.as_ref().map(|m| m.estimate),
            low: measured.as_ref().map(|m| m.low),
            high: measured.as_ref().map(|m| m.high),
            source: measured.as_ref().map(|m| m.source),
            points: measured.map(|m| m.points),
            at: visits.at,
            turn: visits.turn,
            build: visits.build,
            probe: visits.probe,
            window,
            fit,
            failed,
        }
    }
}

fn finite(field: &'static str, value: f64) -> Result<(), Invalid> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(Invalid::NotFinite { field, value })
    }
}

fn check_figures(measured: &Measured, difference: bool) -> Result<(), Invalid> {
    let Measured { estimate, low, high, points, source, .. } = measured;
    let (estimate, low, high) = (*estimate, *low, *high);
    let figures = [("estimate", estimate), ("low", low), ("high", high)];
    let points_as_figures = points.iter().map(|point| ("a point", *point));
    for (field, value) in figures.into_iter().chain(points_as_figures) {
        finite(field, value)?;
        if value < 0.0 && !difference {
            return Err(Invalid::Negative { field, value });
        }
    }
    match points.len() {
        0 => return Err(Invalid::NoPoints),
        count @ 1..6 if *source == Source::Criterion => return Err(Invalid::TooFewPoints(count)),
        _ => {}
    }
    if !(low <= estimate && estimate <= high) {
        return Err(Invalid::Order { low, estimate, high });
    }
    let min = points.iter().copied().fold(f64::INFINITY, f64::min);
    let max = points.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Decimal text keeps a double exactly, but other writers may round its last digits.
    let tolerance = 1e-6 * min.abs().max(max.abs());
    let median = statistics::median(points);
    // A percentile over all windows together is not that of the median window.
    if *source != Source::Histogram && (estimate - median).abs() > tolerance {
        return Err(Invalid::NotTheMedian { estimate, median });
    }
    if low < min - tolerance || high > max + tolerance {
        return Err(Invalid::Beyond { low, high, min, max });
    }
    Ok(())
}
