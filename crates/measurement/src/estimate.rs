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
    /// With what the interval of the mean would be of ten runs that scatter as these do.
    pub of_ten_runs: Option<Interval>,
    /// What stands in the place of the estimate, if hardly any visit comes near that.
    pub scattered: Option<Scattered>,
    /// What full runs found, each by itself.
    pub order: Order,
}

impl Estimate {
    /// What a run says by itself, which judges no claim.
    pub fn of(next: Interval) -> Estimate {
        let (mean, of_ten_runs, scattered, order) = Default::default();
        Estimate { next, mean, of_ten_runs, scattered, order }
    }
}

/// What full runs found, each by itself: of a figure, or of a ratio of two.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Order {
    /// The figure of each, oldest first.
    pub runs: Vec<f64>,
    /// The least that a visit found in any of them; of a ratio the least that two can make.
    pub least: f64,
    /// The most that a visit found in any of them; of a ratio the most that two can make.
    pub most: f64,
}
