//! The estimate of a figure from a machine's runs.

use crate::scattered::Scattered;
use crate::Interval;

/// The estimate of a figure, a row or a ratio of two, from a machine's runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate with the interval for the next run, which is shown with the figure.
    pub next: Interval,
    /// The estimate with the interval of this machine's mean, which decides claims. `None` for a
    /// single run with nothing to borrow from.
    pub mean: Option<Interval>,
    /// The range that replaces the estimate if hardly any visit comes near it.
    pub scattered: Option<Scattered>,
}

impl Estimate {
    /// Creates the estimate of a single run, which decides no claim.
    pub fn of(next: Interval) -> Estimate {
        Estimate { next, mean: None, scattered: None }
    }
}
