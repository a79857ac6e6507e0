//! The times at which the requests of an open loop are due.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

/// How the requests of an open loop are distributed over time.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Arrivals {
    /// The same time between any two.
    Even,
    /// As from many independent users: the times between two are exponentially
    /// distributed, so that some follow closely and some gaps are long.
    Poisson,
}

/// An endless sequence of times at which requests are due, in nanoseconds
/// from the start. The times don't depend on anything that happens during the
/// run: a seed always gives the same ones, whatever the server does, and
/// however many threads share them.
#[derive(Debug, Clone)]
pub(super) struct Schedule {
    arrivals: Arrivals,
    rate: f64,
    rng: Rng,
    /// The number of due times generated so far.
    drawn: u64,
    /// The time of the last Poisson arrival, in seconds from the start.
    at: f64,
}

impl Schedule {
    /// Creates a schedule of `rate` requests per second. Only Poisson
    /// arrivals depend on `seed`.
    pub(super) fn new(rate: f64, arrivals: Arrivals, seed: u64) -> Schedule {
        Schedule {
            arrivals,
            rate,
            rng: Rng::with_seed(seed),
            drawn: 0,
            at: 0.0,
        }
    }
}

impl Iterator for Schedule {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let seconds = match self.arrivals {
            // Computes each due time from the start, so that rounding errors
            // don't add up.
            Arrivals::Even => self.drawn as f64 / self.rate,
            Arrivals::Poisson => {
                // The argument of the logarithm is greater than 0, and not
                // greater than 1.
                self.at -= (1.0 - self.rng.f64()).ln() / self.rate;
                self.at
            }
        };
        self.drawn += 1;
        Some((seconds * 1e9).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_arrivals_are_where_they_are_computed_to_be() {
        let due = |rate, nth| {
            Schedule::new(rate, Arrivals::Even, 1).nth(nth).unwrap()
        };
        assert_eq!(due(1_000.0, 0), 0);
        assert_eq!(due(1_000.0, 7), 7_000_000);
        // The time of the last request in a minute at three requests per
        // second. The interval is not a whole number of nanoseconds.
        assert_eq!(due(3.0, 180), 60_000_000_000);
        assert_eq!(due(700_000.0, 42_000_000), 60_000_000_000);
    }

    /// Of n exponential gaps with mean 1, the mean is 1 ± 1/√n and the
    /// variance 1 ± √(8/n). The test allows five times these deviations.
    #[test]
    fn poisson_arrivals_have_the_mean_and_the_variance_of_their_rate() {
        const GAPS: usize = 100_000;
        let rate = 20_000.0;
        for seed in 0..8 {
            let due: Vec<u64> = Schedule::new(rate, Arrivals::Poisson, seed)
                .take(GAPS + 1)
                .collect();
            let gap = |pair: &[u64]| (pair[1] - pair[0]) as f64 * rate / 1e9;
            let gaps: Vec<f64> = due.windows(2).map(gap).collect();
            let mean = gaps.iter().sum::<f64>() / GAPS as f64;
            let square = |gap: &f64| (gap - mean).powi(2);
            let variance = gaps.iter().map(square).sum::<f64>() / GAPS as f64;
            let n = GAPS as f64;
            assert!((mean - 1.0).abs() < 5.0 / n.sqrt(), "{seed}: {mean}");
            assert!(
                (variance - 1.0).abs() < 5.0 * (8.0 / n).sqrt(),
                "{seed}: {variance}"
            );
        }
    }

    #[test]
    fn a_seed_gives_its_instants_again_and_another_seed_gives_others() {
        let drawn = |seed| {
            Schedule::new(1e5, Arrivals::Poisson, seed)
                .take(1_000)
                .collect::<Vec<_>>()
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        assert!(drawn(3).is_sorted());
    }
}
