//! How long requests take, and when they arrive.

use std::time::Duration;

use super::workers::WORKERS;

/// The computation times of unequal requests: `SHORT` for most, and `LONG`
/// for a tenth of them.
const SHORT: Duration = Duration::from_micros(20);
const LONG: Duration = Duration::from_millis(1);

/// The computation time of equal requests. It is the mean computation time of
/// the unequal requests.
const MEAN: Duration = Duration::from_micros(118);

/// The computation times of requests: all equal, or some much longer than
/// others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Requests {
    Equal,
    Unequal,
}

impl Requests {
    pub(super) fn name(self) -> &'static str {
        match self {
            Requests::Equal => "equal",
            Requests::Unequal => "unequal",
        }
    }

    /// Returns the computation time of the next request, which may be chosen
    /// at random.
    pub(super) fn draw(self) -> Duration {
        match self {
            Requests::Equal => MEAN,
            Requests::Unequal if fastrand::u8(..10) == 0 => LONG,
            Requests::Unequal => SHORT,
        }
    }
}

/// An endless iterator over the times at which requests are due, counted from
/// the start. The intervals between requests are exponentially distributed,
/// as they are with many independent users.
pub(super) struct Arrivals {
    /// The mean interval between two requests, in seconds.
    gap: f64,
    /// When the last request was due, in seconds from the start.
    at: f64,
}

impl Arrivals {
    /// Creates the arrival times of requests that take the fraction `share`
    /// of the workers' time.
    pub(super) fn of(share: f64) -> Arrivals {
        Arrivals { gap: MEAN.as_secs_f64() / (share * WORKERS as f64), at: 0.0 }
    }
}

impl Iterator for Arrivals {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        // The argument of the logarithm is above 0 and no more than 1.
        self.at -= (1.0 - fastrand::f64()).ln() * self.gap;
        Some(Duration::from_secs_f64(self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tolerance of this test is five standard deviations of the mean. A
    /// correct program exceeds it once in millions of runs.
    #[test]
    fn unequal_requests_take_as_long_as_equal_ones_in_the_mean() {
        const DRAWS: u32 = 100_000;
        let sum: Duration = (0..DRAWS).map(|_| Requests::Unequal.draw()).sum();
        let off = (sum / DRAWS).abs_diff(Requests::Equal.draw());
        let deviation = LONG.mul_f64(0.3) / DRAWS.isqrt();
        assert!(off < 5 * deviation, "{off:?}");
    }

    #[test]
    fn as_many_requests_come_as_take_the_share() {
        const DRAWS: u32 = 100_000;
        let last = Arrivals::of(0.5).nth(DRAWS as usize - 1).unwrap();
        let taken = DRAWS * MEAN;
        let share = taken.as_secs_f64() / (last.as_secs_f64() * WORKERS as f64);
        assert!((share - 0.5).abs() < 0.5 * 5.0 / f64::from(DRAWS).sqrt());
    }
}
