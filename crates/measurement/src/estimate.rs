//! Estimates of a figure from a machine's runs.

use crate::scattered::Scattered;
use crate::Interval;

/// An estimate for a row, or for the ratio of two rows, from all runs of a machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate, with an interval for the result of one more run, as shown on pages.
    pub next: Interval,
    /// The estimate, with an interval for this machine's true mean. Claims are judged by this
    /// interval. `None` for a single run if no other machine lends its run-to-run variance.
    pub mean: Option<Interval>,
    /// The range to show instead of the estimate if hardly any single measurement is close to the
    /// estimate.
    pub scattered: Option<Scattered>,
}

impl Estimate {
    /// Creates the estimate of a single run, which isn't enough to judge a claim.
    pub fn of(next: Interval) -> Estimate {
        Estimate { next, mean: None, scattered: None }
    }
}
