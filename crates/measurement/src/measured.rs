//! The measured figures of a row, with one point per single measurement of the cell.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ensure::ensure;
use crate::name_check::check_size;
use crate::quantity::is_part;
use crate::statistics::{self, Interval};
use crate::Unit;

/// How the figures of a row were obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Timed by criterion, with at least six points.
    Criterion,
    /// Counted by the program itself, in a pass that isn't timed.
    Counter,
    /// Counted by a tracer that stops the program at each system call, in a pass that isn't
    /// timed.
    Ptrace,
    /// Read from the kernel's accounting of the process.
    Getrusage,
    /// Taken from an HDR histogram of individual latencies.
    Histogram,
    /// Timed by the harness.
    Harness,
    /// Recorded by the kernel's tracepoints and by the program's own timestamps, on one clock.
    Tracepoint,
    /// Simulated by valgrind's tool cachegrind.
    Cachegrind,
    /// Read from the processor's performance counters.
    Hardware,
    /// Computed by a model.
    Simulation,
}

/// The measured figures of a row, in the row's unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// The median of the points. A percentile from a histogram is taken over all windows of the
    /// run together, if known.
    pub estimate: f64,
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// The upper end of the 95 % interval.
    pub high: f64,
    /// One point per single measurement, in (process, round) order. Each process has the same
    /// number of points.
    pub points: Vec<f64>,
    /// When and where each point was measured. Absent for counts that are taken once per process.
    #[serde(flatten)]
    pub visits: Option<Visits>,
    /// The rates and numbers of requests, if each measurement sends requests during a window of
    /// time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// The line that was fitted through several settings, if the estimate is the line's slope or
    /// root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<Fit>,
    /// How the points were obtained, for example by timing or by counting.
    pub source: Source,
}

/// Returns the index of the process in which a turn took place. Each process did `rounds` rounds
/// of two turns (there and back).
pub(crate) fn process_of(turn: u32, rounds: usize) -> u32 {
    turn / (2 * rounds as u32)
}

/// When and where each point of a row was taken. Each list has one entry per point.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Visits {
    /// The start of each measurement, in milliseconds since the run began.
    pub at: Vec<u32>,
    /// The turn in which the row's group was measured. Two rows with equal turns were measured in
    /// the same round and, if they are in one group, right after each other.
    pub turn: Vec<u32>,
    /// The build that ran, as an index into the header's list of builds.
    pub build: Vec<u32>,
    /// The time that a small piece of work took before and after each measurement, in
    /// nanoseconds. Shows whether the core was slowed down.
    pub probe: Vec<f64>,
}

impl Visits {
    fn are_of(&self, points: usize) -> bool {
        [self.at.len(), self.turn.len(), self.build.len(), self.probe.len()] == [points; 4]
    }
}

/// The rates and numbers of requests in each measurement, with one entry per point.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// The requests per second that were due. Empty for a closed loop, in which a client only
    /// sends its next request after an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<f64>,
    /// The requests per second that were answered.
    pub achieved: Vec<f64>,
    /// The number of requests that failed.
    pub errors: Vec<u64>,
    /// The number of requests that were sent later than they were due.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late: Vec<u64>,
}

/// A straight line, fitted through several settings in each measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fit {
    /// The points through which the lines were fitted, as (number of units, figure).
    pub points: Vec<(f64, f64)>,
    /// The slope: the increase of the figure per unit.
    pub slope: f64,
    /// The lower end of the slope's 95 % interval.
    pub low: f64,
    /// The upper end of the slope's 95 % interval.
    pub high: f64,
}

impl Measured {
    /// Summarises points from `processes` processes. The points are in (process, round) order.
    pub fn from_points(points: Vec<f64>, processes: usize, source: Source) -> Measured {
        Measured::new(statistics::median_interval(&points, processes), points, source)
    }

    /// Summarises one run's measurements of a cell. Each process of the run did `rounds` rounds.
    /// The interval applies to this run only.
    ///
    /// Panics if `points` is empty, or if `points` and `visits` differ in length.
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
        let (visits, window, fit) = Default::default();
        Measured { estimate, low, high, points, source, visits, window, fit }
    }

    /// Returns the estimate with its 95 % interval.
    pub fn interval(&self) -> Interval {
        Interval { estimate: self.estimate, low: self.low, high: self.high }
    }

    pub(crate) fn check(&self, unit: Unit, quantity: &str, difference: bool) -> Result<(), String> {
        let Measured { estimate, low, high, points, source, .. } = self;
        let count = points.len();
        let named = [("estimate", estimate), ("low", low), ("high", high)];
        let points_too = points.iter().map(|point| ("a point", point));
        for (field, value) in named.into_iter().chain(points_too) {
            unit.check(field, *value, difference)?;
            ensure!(
                difference || *value >= 0.0,
                "{field} is {value}: only a row with \"difference\":true may be negative"
            );
            ensure!(
                !is_part(quantity) || *value <= 1.0,
                "{field} is {value}: {quantity:?} is a part of a whole, 1 at most"
            );
        }
        ensure!(
            difference || *source != Source::Criterion || *estimate != 0.0,
            "estimate is 0: nothing that criterion times takes no time"
        );
        ensure!(count > 0, "there are no points");
        let are_enough = *source != Source::Criterion || count >= 6;
        ensure!(are_enough, "a criterion row has at least six points, this one has {count}");
        ensure!(
            self.visits.as_ref().is_none_or(|visits| visits.are_of(count)),
            "`at`, `turn`, `build` and `probe` each have one entry a point, or none of them stands there; \
             there are {count} points"
        );
        ensure!(
            self.window.as_ref().is_none_or(|window| window.is_of(count)),
            "`window` has one entry a point in each of its lists; there are {count} points"
        );
        let rates =
            self.window.iter().flat_map(|window| window.offered.iter().chain(&window.achieved));
        rates
            .into_iter()
            .try_for_each(|rate| Unit::PerSecond.check("a rate of `window`", *rate, false))?;
        // The probe does the same work on every machine, so an implausible time reveals a wrong
        // unit, which would affect all times of the row.
        let mut probes = self.visits.iter().flat_map(|visits| &visits.probe);
        if let Some(probe) = probes.find(|probe| !(100.0..=1e9).contains(*probe)) {
            return Err(format!(
                "a probe took {probe:e} ns, and no core takes less than 100 for it, or a second: are the times in \
                 another unit?"
            ));
        }
        if let Some(Fit { points, slope, low, high }) = &self.fit {
            let of_line = points.iter().flat_map(|(x, y)| [x, y]).chain([slope, low, high]);
            of_line.into_iter().try_for_each(|figure| check_size("a figure of `fit`", *figure))?;
        }
        ensure!(
            low <= estimate && estimate <= high,
            "a wrong interval: low {low}, estimate {estimate} and high {high} do not stand in this order"
        );
        let min = points.iter().copied().fold(f64::INFINITY, f64::min);
        let max = points.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // The text that we write preserves a double exactly, but another program may have rounded
        // the last digits.
        let tolerance = 1e-6 * min.abs().max(max.abs());
        let median = statistics::median(points);
        ensure!(
            // A percentile over all windows together usually differs from the median of the
            // windows' percentiles.
            *source == Source::Histogram || (estimate - median).abs() <= tolerance,
            "the estimate is {estimate}, but the median of the points is {median}: figures are never \
             edited by hand, measure again"
        );
        ensure!(
            *low >= min - tolerance && *high <= max + tolerance,
            "a wrong interval: {low} to {high} reaches beyond the points, which lie between {min} and {max}"
        );
        Ok(())
    }
}

impl Window {
    /// Checks that each non-empty list has `points` entries.
    fn is_of(&self, points: usize) -> bool {
        let optional = [self.offered.len(), self.late.len()];
        [self.achieved.len(), self.errors.len()] == [points; 2]
            && optional.iter().all(|&count| count == 0 || count == points)
    }
}
