//! Latencies, as a histogram in a row.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How many latencies of which length were seen: the buckets of an HDR histogram that hold any.
///
/// As text it is a list of buckets in ascending order, with spaces between them. Each is the distance
/// in nanoseconds from the bucket before, the first from 0, and where it holds more than one latency
/// `x` and how many: `50175x3 64 128x12` are three of 50,175 ns, one of 50,239 and twelve of 50,367. A
/// bucket stands for its largest value, which is what HDR histograms give as a percentile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Latencies {
    /// Value and count; values ascend, no count is 0, and there is one bucket at least. Rows are copied often,
    /// and most of what a file holds is this.
    buckets: Arc<[(u64, u64)]>,
    /// The sum of the counts.
    count: u64,
}

/// Why something is no histogram.
#[derive(Debug, Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum NoLatencies {
    #[error("a histogram holds at least one latency")]
    Empty,
    #[error(
        "the values of a histogram's buckets ascend, and each bucket holds at least one latency"
    )]
    Order,
    #[error("a histogram holds more than a 64-bit number can count")]
    Overflow,
    #[error("{0:?} is no bucket of a histogram, such as 64 or 64x3")]
    Bucket(String),
}

impl Latencies {
    /// From the buckets of a histogram: the largest nanoseconds of each, and how many it holds.
    ///
    /// # Errors
    ///
    /// If there are none, their values do not ascend, or one holds nothing.
    pub fn of(buckets: impl IntoIterator<Item = (u64, u64)>) -> Result<Latencies, NoLatencies> {
        let buckets: Vec<(u64, u64)> = buckets.into_iter().collect();
        let ascend = buckets.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if !ascend || buckets.iter().any(|&(_, count)| count == 0) {
            return Err(NoLatencies::Order);
        }
        let sum = |sum: u64, &(_, count): &(u64, u64)| sum.checked_add(count);
        match buckets.iter().try_fold(0, sum) {
            None => Err(NoLatencies::Overflow),
            Some(0) => Err(NoLatencies::Empty),
            Some(count) => Ok(Latencies { buckets: buckets.into(), count }),
        }
    }

    /// The nanoseconds that a share of the latencies, 0 to 1, did not exceed: 0.99 for the 99th
    /// percentile, 1.0 for the longest.
    pub fn at_share(&self, share: f64) -> u64 {
        let wanted = (share * self.count as f64).ceil() as u64;
        let mut seen = 0;
        let reaches = |&&(_, count): &&(u64, u64)| {
            seen += count;
            seen >= wanted
        };
        let bucket = self.buckets.iter().find(reaches).or(self.buckets.last());
        bucket.map(|&(value, _)| value).expect("there is one bucket at least")
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = None;
        for &(value, count) in &*self.buckets {
            if before.is_some() {
                f.write_str(" ")?;
            }
            write!(f, "{}", value - before.unwrap_or(0))?;
            if count > 1 {
                write!(f, "x{count}")?;
            }
            before = Some(value);
        }
        Ok(())
    }
}

impl FromStr for Latencies {
    type Err = NoLatencies;

    fn from_str(text: &str) -> Result<Latencies, NoLatencies> {
        let mut buckets = Vec::new();
        let mut value: u64 = 0;
        for bucket in text.split_whitespace() {
            let (distance, count) = bucket.split_once('x').unwrap_or((bucket, "1"));
            let (Ok(distance), Ok(count)) = (distance.parse::<u64>(), count.parse()) else {
                return Err(NoLatencies::Bucket(bucket.to_owned()));
            };
            value = value.checked_add(distance).ok_or(NoLatencies::Overflow)?;
            buckets.push((value, count));
        }
        Latencies::of(buckets)
    }
}

impl TryFrom<String> for Latencies {
    type Error = NoLatencies;

    fn try_from(text: String) -> Result<Latencies, NoLatencies> {
        text.parse()
    }
}

impl From<Latencies> for String {
    fn from(latencies: Latencies) -> String {
        latencies.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_all_latencies() {
        let latencies: Latencies = "50175x3 64 128x12".parse().unwrap();
        let ends = [0.0, 3.0 / 16.0, 0.2, 0.25, 0.26, 1.0, 2.0];
        assert_eq!(
            ends.map(|share| latencies.at_share(share)),
            [50_175, 50_175, 50_239, 50_239, 50_367, 50_367, 50_367]
        );
        let all = Latencies::of((1..=1000).map(|value| (value, 1))).unwrap();
        assert_eq!([0.5, 0.99, 0.999].map(|share| all.at_share(share)), [500, 990, 999]);
    }

    #[test]
    fn what_is_no_histogram_is_refused() {
        let refused = |text: &str| text.parse::<Latencies>().unwrap_err();
        assert_eq!(refused(""), NoLatencies::Empty);
        assert_eq!(refused("5 0"), NoLatencies::Order);
        assert_eq!(refused("5x0"), NoLatencies::Order);
        assert_eq!(refused("1 18446744073709551615"), NoLatencies::Overflow);
        assert_eq!(refused("1x2 1x18446744073709551615"), NoLatencies::Overflow);
        for bucket in ["x", "5x", "-1", "1.5", "HISTFAAA"] {
            assert_eq!(refused(bucket), NoLatencies::Bucket(bucket.to_owned()));
        }
    }

    proptest::proptest! {
        #[test]
        fn text_keeps_every_bucket(
            buckets in proptest::collection::btree_map(0_u64..1 << 60, 1_u64..1000, 1..50),
        ) {
            let latencies = Latencies::of(buckets).unwrap();
            proptest::prop_assert_eq!(latencies.to_string().parse(), Ok(latencies));
        }
    }
}
