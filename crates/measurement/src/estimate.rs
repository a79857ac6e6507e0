//! Estimates of a figure from a machine's runs.

use crate::scattered::Scattered;
use crate::Interval;

/// An estimate of a row, or of the ratio of two rows, from a machine's runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate and the interval for the next run, as shown on pages.
    pub next: Interval,
    /// The estimate and the interval of this machine's mean, by which claims are judged. `None`
    /// for a single run with nothing to borrow from.
    pub mean: Option<Interval>,
    /// The range to show instead of the estimate if hardly any visit comes near the estimate.
    pub scattered: Option<Scattered>,
}

impl Estimate {
    /// Creates the estimate of a single run, by which no claim can be judged.
    pub fn of(next: Interval) -> Estimate {
        Estimate { next, mean: None, scattered: None }
    }
}
