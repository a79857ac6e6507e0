//! Percentiles of latency. Some of them can't be known.

use super::distribution::Distribution;

/// The minimum number of requests that must be slower than a percentile for
/// it to be reported.
pub const BEYOND: u64 = 100;

/// A percentile of durations, or the reason why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Percentile {
    /// The percentile's duration in nanoseconds.
    Known(u64),
    /// Fewer than [`BEYOND`] requests are slower than the percentile, so
    /// another run would give a different value.
    TooFew,
    /// The request at the percentile got no answer, or a wrong one.
    Unanswered,
}

impl Percentile {
    /// Returns the percentile `thousandths`, such as 999 for p99.9, of
    /// `requests` requests. Requests without a duration are treated as slower
    /// than all others.
    pub(super) fn of(
        durations: &Distribution,
        requests: u64,
        thousandths: u64,
    ) -> Percentile {
        if beyond(requests, thousandths) < BEYOND {
            return Percentile::TooFew;
        }
        let rank = requests - beyond(requests, thousandths);
        let duration = durations.at_rank(rank);
        duration.map_or(Percentile::Unanswered, Percentile::Known)
    }
}

/// Returns how many of `requests` requests are slower than the one at the
/// percentile.
pub(super) fn beyond(requests: u64, thousandths: u64) -> u64 {
    requests - (requests * thousandths).div_ceil(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(durations: impl IntoIterator<Item = u64>) -> Distribution {
        let mut distribution = Distribution::default();
        durations
            .into_iter()
            .for_each(|duration| distribution.record(duration));
        distribution
    }

    #[test]
    fn percentiles_are_those_of_the_sorted_durations() {
        let mut rng = fastrand::Rng::with_seed(16);
        let durations: Vec<u64> =
            (0..100_000).map(|_| rng.u64(1..1 << 20)).collect();
        let distribution = distribution(durations.iter().copied());
        let mut sorted = durations;
        sorted.sort_unstable();
        for (thousandths, place) in
            [(500, 49_999), (990, 98_999), (999, 99_899)]
        {
            let exact = sorted[place];
            let Percentile::Known(found) =
                Percentile::of(&distribution, 100_000, thousandths)
            else {
                panic!("{thousandths} is known");
            };
            assert!(found >= exact && found - exact <= exact / 1_000);
        }
    }

    #[test]
    fn a_percentile_with_too_few_requests_beyond_it_is_not_told() {
        let is_told = |requests, thousandths| {
            let percentile = Percentile::of(
                &distribution(1..=requests),
                requests,
                thousandths,
            );
            percentile != Percentile::TooFew
        };
        assert!(is_told(100_000, 999) && !is_told(99_999, 999));
        assert!(is_told(10_000, 990) && !is_told(9_999, 990));
        assert!(is_told(200, 500) && !is_told(198, 500));
        assert!(!is_told(0, 500));
    }

    #[test]
    fn who_has_no_answer_is_slower_than_all_others() {
        let answered = distribution(1..=500);
        let of = |thousandths| Percentile::of(&answered, 1_000, thousandths);
        assert_eq!(of(500), Percentile::Known(500));
        assert_eq!(of(501), Percentile::Unanswered);
    }
}
