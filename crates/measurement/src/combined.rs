//! The figures of a row in all runs of a machine.

use crate::estimate::Estimate;
use crate::interval::Sample;
use crate::{Interval, Row, Source};

/// A row with the combined results of all runs of a machine.
pub type EvidenceRow = Row<Combined>;

/// The figures of a row, combined from all runs of a machine that measured the row.
#[derive(Debug, Clone, PartialEq)]
pub struct Combined {
    /// The estimate.
    pub estimate: Estimate,
    /// The figures of all visits, from all runs.
    pub points: Vec<f64>,
    /// How the points were obtained.
    pub source: Source,
    /// The reasons why the row failed in other runs.
    pub failed_runs: Vec<String>,
    /// The figures of the builds; `None` for the rows of a recording, which is one run.
    pub(crate) sample: Option<Sample>,
    /// How much larger the values behind a figure are than the figure itself. Above 1 for a
    /// difference: a small error in either term changes the difference by more.
    pub(crate) magnified: f64,
    /// The share of the offered requests that were answered in the windows of all runs. `None` if
    /// no requests were offered.
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
