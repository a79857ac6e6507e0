//! A distribution of durations.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// The longest duration that is distinguished from longer ones, in
/// nanoseconds. A whole load is shorter, even with its lead-in and the wait
/// for the last answers.
const LONGEST: u64 = 200_000_000_000;

/// A distribution of durations in nanoseconds, in an HDR histogram with three
/// digits: each duration is known to 0.1 %, and recording one allocates
/// nothing. In JSON, a distribution is a list of pairs: the longest duration
/// of a bucket and its count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<(u64, u64)>", into = "Vec<(u64, u64)>")]
pub struct Distribution(Histogram<u64>);

impl Default for Distribution {
    fn default() -> Distribution {
        let histogram = Histogram::new_with_bounds(1, LONGEST, 3);
        Distribution(histogram.expect("the bounds are in order"))
    }
}

impl Distribution {
    /// Adds `duration`, in nanoseconds.
    pub(super) fn record(&mut self, duration: u64) {
        self.0.saturating_record(duration);
    }

    pub(super) fn add(&mut self, other: &Distribution) {
        self.0.add(&other.0).expect("both have the same bounds");
    }

    /// Returns the number of durations.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Returns the longest duration in nanoseconds, or 0 if there is none.
    pub fn max(&self) -> u64 {
        self.0.max()
    }

    /// Returns how many durations are longer than `bound` nanoseconds. The
    /// count is as exact as the buckets allow.
    pub fn longer_than(&self, bound: u64) -> u64 {
        self.count() - self.0.count_between(0, bound)
    }

    /// Returns the duration at position `rank` in ascending order, in
    /// nanoseconds. Ranks begin at 1. Returns `None` if there are fewer
    /// durations.
    pub fn at_rank(&self, rank: u64) -> Option<u64> {
        let mut seen = 0;
        self.buckets().find_map(|(longest, count)| {
            seen += count;
            (seen >= rank).then_some(longest)
        })
    }

    /// Returns the underlying histogram, in nanoseconds.
    pub fn histogram(&self) -> &Histogram<u64> {
        &self.0
    }

    /// Returns the longest duration, in nanoseconds, and the count of each
    /// bucket that isn't empty.
    fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.iter_recorded().map(|bucket| {
            let longest = self.0.highest_equivalent(bucket.value_iterated_to());
            (longest, bucket.count_at_value())
        })
    }
}

impl From<Distribution> for Vec<(u64, u64)> {
    fn from(distribution: Distribution) -> Vec<(u64, u64)> {
        distribution.buckets().collect()
    }
}

impl From<Vec<(u64, u64)>> for Distribution {
    fn from(buckets: Vec<(u64, u64)>) -> Distribution {
        let mut distribution = Distribution::default();
        for (longest, count) in buckets {
            distribution.0.saturating_record_n(longest, count);
        }
        distribution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_sorted_durations() {
        let mut rng = fastrand::Rng::with_seed(16);
        for count in [1_u64, 2, 999, 50_000] {
            let mut durations: Vec<u64> = (0..count)
                .map(|_| {
                    let order = rng.u32(1..36);
                    rng.u64(0..1 << order)
                })
                .collect();
            let mut distribution = Distribution::default();
            durations
                .iter()
                .for_each(|&duration| distribution.record(duration));
            durations.sort_unstable();
            for rank in [1, 2, count / 2, count * 99 / 100, count - 1, count] {
                let Some(place) = rank.checked_sub(1) else { continue };
                let found = distribution.at_rank(rank);
                let Some(&exact) = durations.get(place as usize) else {
                    assert_eq!(found, None);
                    continue;
                };
                // The histogram returns the longest duration of a bucket, and
                // a bucket is no wider than 0.1 % of it.
                let found = found.unwrap();
                assert!(found >= exact, "{rank} of {count}: {found} {exact}");
                assert!(
                    found - exact <= exact / 1_000,
                    "{rank} of {count}: {found} {exact}"
                );
            }
            assert_eq!(distribution.at_rank(count + 1), None);
        }
    }

    #[test]
    fn it_is_the_same_after_a_way_through_json() {
        let mut distribution = Distribution::default();
        for duration in [0, 1, 70_123, 70_123, 4_000_000_001] {
            distribution.record(duration);
        }
        let json = serde_json::to_string(&distribution).unwrap();
        let read: Distribution = serde_json::from_str(&json).unwrap();
        for rank in 1..=5 {
            assert_eq!(read.at_rank(rank), distribution.at_rank(rank));
        }
        assert_eq!(read.count(), 5);
        assert_eq!(read.longer_than(100_000), 1);
        assert_eq!(
            serde_json::to_string(&Distribution::default()).unwrap(),
            "[]"
        );
    }
}
