//! Estimates of a figure from a machine's runs.

use crate::scattered::Scattered;
use crate::Interval;

/// An estimate of a row, or of the ratio of two rows, from a machine's runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate, with the interval for the next run. Pages show this one.
    pub next: Interval,
    /// The estimate, with the interval of this machine's mean. Claims are judged by this one.
    /// `None` for a single run with nothing to borrow from.
    pub mean: Option<Interval>,
    /// The range to show instead of the estimate if hardly any visit comes near the estimate.
    pub scattered: Option<Scattered>,
}

impl Estimate {
    /// Creates the estimate of a single run. No claim is judged by it.
    pub fn of(next: Interval) -> Estimate {
        Estimate { next, mean: None, scattered: None }
    }
}
