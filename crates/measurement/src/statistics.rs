//! Medians and their intervals.
//!
//! Points are in (process, round) order, with the same number from each process. Rounds of one
//! process are more alike than rounds of different processes, so the bootstrap draws processes
//! first, and then rounds within each process.

use fastrand::Rng;

const RESAMPLES: usize = 2_000;

/// An estimate with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Clips the interval to the possible values, from `least` to `most`. If the estimate is
    /// outside that range, it is kept, and the interval ends at the estimate.
    pub fn within(self, least: f64, most: f64) -> Interval {
        let Interval { estimate, low, high } = self;
        let can_be = |end: f64| end.clamp(least.min(estimate), most.max(estimate));
        Interval { estimate, low: can_be(low), high: can_be(high) }
    }
}

/// Returns the median: the middle value, or the mean of the two middle ones.
pub fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    let (count, order) = (values.len(), f64::total_cmp);
    let (below, upper, _) = values.select_nth_unstable_by(count / 2, order);
    let upper = *upper;
    let lower = below.iter().copied().filter(|_| count % 2 == 0).max_by(order).unwrap_or(upper);
    lower + (upper - lower) / 2.0
}

/// Returns the median of points from `processes` processes, with its 95 % interval.
///
/// Panics if there are no points, or if some processes have more points than others.
pub fn median_interval(points: &[f64], processes: usize) -> Interval {
    assert!(
        processes > 0 && points.len().is_multiple_of(processes),
        "not equally many points a process"
    );
    let by_process: Vec<&[f64]> = points.chunks(points.len() / processes).collect();
    bootstrap(&by_process)
}

/// Returns the median of points with its 95 % interval. The bootstrap draws processes first, then
/// points within each process.
pub(crate) fn bootstrap(by_process: &[&[f64]]) -> Interval {
    // A fixed seed, so that the same data give the same interval on every machine.
    let mut rng = Rng::with_seed(0);
    let estimate = median(&by_process.concat());
    let resample = |_| {
        let mut sample = Vec::new();
        for _ in by_process {
            let points = by_process[rng.usize(..by_process.len())];
            sample.extend(points.iter().map(|_| points[rng.usize(..points.len())]));
        }
        median(&sample)
    };
    let mut medians: Vec<f64> = (0..RESAMPLES).map(resample).collect();
    let mut quantile = |q: f64| {
        let place = (q * (RESAMPLES - 1) as f64).round() as usize;
        *medians.select_nth_unstable_by(place, f64::total_cmp).1
    };
    Interval { estimate, low: quantile(0.025).min(estimate), high: quantile(0.975).max(estimate) }
}
