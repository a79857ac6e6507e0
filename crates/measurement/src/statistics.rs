//! Medians and their intervals.
//!
//! Points come in (process, round) order, and equally many from each process. Rounds of one process
//! resemble each other more than rounds of two, so the bootstrap draws processes first, then rounds
//! within each.

use fastrand::Rng;

/// How often the bootstrap resamples.
const RESAMPLES: usize = 2_000;

/// An estimate with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// The interval without what the figure cannot be: less than `least`, or more than `most`. An estimate
    /// that lies there stays, and the interval ends at it.
    pub fn within(self, least: f64, most: f64) -> Interval {
        let Interval { estimate, low, high } = self;
        let can_be = |end: f64| end.clamp(least.min(estimate), most.max(estimate));
        Interval { estimate, low: can_be(low), high: can_be(high) }
    }
}

/// The median: the middle value, or the mean of the two middle ones.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    median_of_sorted(&sorted)
}

fn median_of_sorted(sorted: &[f64]) -> f64 {
    halfway(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
}

/// The median of values, each taken as often as counted.
pub fn median_of_counted(sorted: &[f64], counts: &[usize]) -> f64 {
    let all: usize = counts.iter().sum();
    let mut lower = None;
    let mut taken = 0;
    for (value, count) in sorted.iter().zip(counts) {
        taken += count;
        if taken > (all - 1) / 2 {
            lower.get_or_insert(*value);
        }
        if taken > all / 2 {
            return halfway(lower.unwrap_or(*value), *value);
        }
    }
    unreachable!("the counts add up to all")
}

fn halfway(lower: f64, upper: f64) -> f64 {
    lower + (upper - lower) / 2.0
}

/// The median of points taken in `processes` processes, with its interval.
///
/// Panics if there are no points, or not equally many from each process.
pub fn median_interval(points: &[f64], processes: usize) -> Interval {
    assert!(
        processes > 0 && points.len().is_multiple_of(processes),
        "not equally many points a process"
    );
    let by_process: Vec<&[f64]> = points.chunks(points.len() / processes).collect();
    bootstrap(&by_process)
}

/// The median of points with its interval, drawn by process first, then within each.
pub(crate) fn bootstrap(by_process: &[&[f64]]) -> Interval {
    // The same data give the same interval, on every machine.
    let mut rng = Rng::with_seed(0);
    // Sorted once, so that the median of each sample is found by counting.
    let mut sorted = by_process.concat();
    sorted.sort_by(f64::total_cmp);
    let rank = |point: &f64| sorted.partition_point(|other| other.total_cmp(point).is_lt());
    let ranks: Vec<Vec<usize>> =
        by_process.iter().map(|points| points.iter().map(rank).collect()).collect();
    let estimate = median_of_sorted(&sorted);
    let mut counts = vec![0; sorted.len()];
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            counts.fill(0);
            for _ in &ranks {
                let rounds = &ranks[rng.usize(..ranks.len())];
                for _ in rounds {
                    counts[rounds[rng.usize(..rounds.len())]] += 1;
                }
            }
            median_of_counted(&sorted, &counts)
        })
        .collect();
    let mut quantile = |q: f64| {
        let place = (q * (RESAMPLES - 1) as f64).round() as usize;
        *medians.select_nth_unstable_by(place, f64::total_cmp).1
    };
    Interval { estimate, low: quantile(0.025).min(estimate), high: quantile(0.975).max(estimate) }
}
