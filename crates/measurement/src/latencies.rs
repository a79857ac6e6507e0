//! Latencies, as a histogram in a row.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ensure::ensure;

/// How many latencies of which length were seen: the buckets of an HDR histogram that hold any.
///
/// As text it is a list of buckets in ascending order, with a space between two. Each is the distance
/// in nanoseconds from the bucket before, the first from 0, and where it holds more than one latency
/// `x` and how many: `50175x3 64 128x12` are three of 50,175 ns, one of 50,239 and twelve of 50,367. A
/// bucket stands for its largest value, which is what HDR histograms give as a percentile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Latencies {
    /// Value and count of each bucket: values ascend, no count is 0, and there is one bucket at least.
    buckets: Vec<(u64, u64)>,
    /// The sum of the counts.
    count: u64,
}

impl Latencies {
    /// From the buckets of a histogram: the largest nanoseconds of each, and how many it holds.
    ///
    /// Fails if there are none, their values do not ascend, or one holds nothing.
    pub fn of(buckets: impl IntoIterator<Item = (u64, u64)>) -> Result<Latencies, String> {
        let buckets: Vec<(u64, u64)> = buckets.into_iter().collect();
        ensure!(!buckets.is_empty(), "a histogram holds at least one latency");
        let ascends = buckets.is_sorted_by(|(one, _), (other, _)| one < other);
        let is_in_order = ascends && buckets.iter().all(|(_, count)| *count > 0);
        ensure!(
            is_in_order,
            "the values of a histogram's buckets ascend, and each bucket holds at least one latency"
        );
        let count = buckets.iter().try_fold(0_u64, |sum, (_, count)| sum.checked_add(*count));
        let count = count.ok_or("a histogram holds more than a 64-bit number can count")?;
        Ok(Latencies { buckets, count })
    }

    /// Those of several histograms as one.
    ///
    /// Fails if there are none, or more than can be counted.
    pub fn together(parts: &[Latencies]) -> Result<Latencies, String> {
        let mut buckets: BTreeMap<u64, u64> = BTreeMap::new();
        for (value, count) in parts.iter().flat_map(|part| &part.buckets) {
            let all = buckets.entry(*value).or_default();
            *all = all.saturating_add(*count);
        }
        Latencies::of(buckets)
    }

    /// The nanoseconds that a share of the latencies, 0 to 1, did not exceed: 0.99 for the 99th
    /// percentile, 1.0 for the longest.
    pub fn at_share(&self, share: f64) -> u64 {
        let wanted = (share * self.count as f64).ceil() as u64;
        let mut seen = 0;
        let reached = self.buckets.iter().find(|(_, count)| {
            seen += count;
            seen >= wanted
        });
        reached.or(self.buckets.last()).map_or(0, |(value, _)| *value)
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = None;
        for (value, count) in &self.buckets {
            let space = before.map_or("", |_| " ");
            write!(f, "{space}{}", value - before.unwrap_or(0))?;
            if *count != 1 {
                write!(f, "x{count}")?;
            }
            before = Some(*value);
        }
        Ok(())
    }
}

impl FromStr for Latencies {
    type Err = String;

    fn from_str(text: &str) -> Result<Latencies, String> {
        let mut value: u64 = 0;
        let mut bucket = |word: &str| {
            let (distance, count) = word.split_once('x').unwrap_or((word, "1"));
            value = value.checked_add(distance.parse().ok()?)?;
            Some((value, count.parse().ok()?))
        };
        let no_bucket = |word| format!("{word:?} is no bucket of a histogram, such as 64 or 64x3");
        let read = |word| bucket(word).ok_or_else(|| no_bucket(word));
        let buckets: Vec<_> = text.split(' ').map(read).collect::<Result<_, _>>()?;
        Latencies::of(buckets)
    }
}

impl TryFrom<String> for Latencies {
    type Error = String;

    fn try_from(text: String) -> Result<Latencies, String> {
        text.parse()
    }
}

impl From<Latencies> for String {
    fn from(latencies: Latencies) -> String {
        latencies.to_string()
    }
}
