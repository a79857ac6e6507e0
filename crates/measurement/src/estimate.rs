//! What a machine's runs say of a figure.

use crate::scattered::Scattered;
use crate::Interval;

/// What a machine's runs say of a figure: of a row, or of a ratio of two.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// With the interval in which the next run's figure is to be expected: it is shown with a figure.
    pub next: Interval,
    /// With the interval of this machine's mean: it judges claims. `None` of one run that borrows from
    /// nobody.
    pub mean: Option<Interval>,
    /// The range that stands in the place of the estimate, if hardly any visit comes near that.
    pub scattered: Option<Scattered>,
}

impl Estimate {
    /// What a run says by itself, which judges no claim.
    pub fn of(next: Interval) -> Estimate {
        Estimate { next, mean: None, scattered: None }
    }
}
