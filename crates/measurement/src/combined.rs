//! A row's figures, combined over all runs of a machine.

use crate::estimate::Estimate;
use crate::interval::Sample;
use crate::{Interval, Row, Source};

/// A row whose result combines all runs of a machine.
pub type EvidenceRow = Row<Combined>;

/// A row's figures, combined from all runs of a machine that measured the row.
#[derive(Debug, Clone, PartialEq)]
pub struct Combined {
    /// The estimate.
    pub estimate: Estimate,
    /// The figures of the single measurements, from all runs.
    pub points: Vec<f64>,
    /// How the measured values were obtained, for example by timing or by counting.
    pub source: Source,
    /// The error messages of the runs in which the row failed.
    pub failed_runs: Vec<String>,
    /// The figures of the builds. `None` for the rows of a recording, which is one run.
    pub(crate) sample: Option<Sample>,
    /// How many times larger the measured values are than the figure computed from them. This is
    /// above 1 for a difference, since a small error in either term changes the difference by a
    /// larger percentage.
    pub(crate) magnified: f64,
    /// The share of the scheduled requests that were answered, over all runs. `None` if requests
    /// weren't sent on a schedule.
    pub(crate) answered: Option<f64>,
}

impl Combined {
    pub(crate) fn of(
        next: Interval,
        points: Vec<f64>,
        source: Source,
        sample: Option<Sample>,
    ) -> Combined {
        let (estimate, failed_runs) = (Estimate::of(next), Vec::new());
        Combined { estimate, points, source, failed_runs, sample, magnified: 1.0, answered: None }
    }
}
