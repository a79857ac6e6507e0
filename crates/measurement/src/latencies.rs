//! Latencies, as a histogram in a row.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How many latencies of which length were seen: the buckets of an HDR histogram that hold any.
///
/// As text it is a list of buckets in ascending order, with a space between two. Each is the distance
/// in nanoseconds from the bucket before, the first from 0, and where it holds more than one latency
/// `x` and how many: `50175x3 64 128x12` are three of 50,175 ns, one of 50,239 and twelve of 50,367. A
/// bucket stands for its largest value, which is what HDR histograms give as a percentile.
///
/// It is kept as that text. Most of what files hold is histograms, and who reads a file asks for few of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Latencies {
    /// It can be read: values ascend, no count is 0, and there is one bucket at least.
    text: Arc<str>,
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
        let (mut text, mut before) = (String::new(), 0);
        for (value, count) in buckets {
            let distance = value.checked_sub(before).ok_or(NoLatencies::Order)?;
            before = value;
            if !text.is_empty() {
                text.push(' ');
            }
            text += &distance.to_string();
            if count != 1 {
                text += &format!("x{count}");
            }
        }
        text.parse()
    }

    /// Those of several histograms as one.
    ///
    /// # Errors
    ///
    /// If there are none, or more than can be counted.
    pub fn together(parts: &[Latencies]) -> Result<Latencies, NoLatencies> {
        let mut buckets: Vec<(u64, u64)> = parts.iter().flat_map(Latencies::buckets).collect();
        // It finds what is in order already.
        buckets.sort();
        let same = buckets.chunk_by(|(one, _), (other, _)| one == other);
        let sum = |counts: &[(u64, u64)]| {
            counts.iter().fold(0, |sum: u64, (_, count)| sum.saturating_add(*count))
        };
        Latencies::of(same.map(|of| (of[0].0, sum(of))))
    }

    /// Value and count of each bucket, in ascending order.
    fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        Buckets::of(&self.text).map(|bucket| bucket.expect("the text has been read before"))
    }

    /// The nanoseconds that a share of the latencies, 0 to 1, did not exceed: 0.99 for the 99th
    /// percentile, 1.0 for the longest.
    pub fn at_share(&self, share: f64) -> u64 {
        let wanted = (share * self.count as f64).ceil() as u64;
        let (mut seen, mut reached) = (0, 0);
        for (value, count) in self.buckets() {
            reached = value;
            seen += count;
            if seen >= wanted {
                break;
            }
        }
        reached
    }
}

/// Reads the buckets of a text, and ends behind what is none.
struct Buckets<'a> {
    rest: &'a [u8],
    /// The value of the bucket before.
    before: Option<u64>,
}

impl Buckets<'_> {
    fn of(text: &str) -> Buckets<'_> {
        Buckets { rest: text.as_bytes(), before: None }
    }
}

impl Iterator for Buckets<'_> {
    type Item = Result<(u64, u64), NoLatencies>;

    fn next(&mut self) -> Option<Result<(u64, u64), NoLatencies>> {
        let text = std::mem::take(&mut self.rest);
        if text.is_empty() {
            return None;
        }
        let Some((distance, count, rest)) = first_bucket(text) else {
            let bucket = text.split(|byte| *byte == b' ').next().unwrap_or_default();
            let bucket = String::from_utf8_lossy(bucket).into_owned();
            return Some(Err(NoLatencies::Bucket(bucket)));
        };
        if count == 0 || (distance == 0 && self.before.is_some()) {
            return Some(Err(NoLatencies::Order));
        }
        let Some(value) = self.before.unwrap_or(0).checked_add(distance) else {
            return Some(Err(NoLatencies::Overflow));
        };
        (self.rest, self.before) = (rest, Some(value));
        Some(Ok((value, count)))
    }
}

/// The distance and the count of the first bucket, and what stands behind it.
fn first_bucket(text: &[u8]) -> Option<(u64, u64, &[u8])> {
    let (distance, rest) = first_number(text)?;
    let (count, rest) = match rest {
        [b'x', rest @ ..] => first_number(rest)?,
        rest => (1, rest),
    };
    match rest {
        [] => Some((distance, count, rest)),
        [b' ', rest @ ..] if !rest.is_empty() => Some((distance, count, rest)),
        _ => None,
    }
}

/// The number at the beginning of a text, and what stands behind it.
fn first_number(text: &[u8]) -> Option<(u64, &[u8])> {
    let mut number: Option<u64> = None;
    for (place, byte) in text.iter().enumerate() {
        if !byte.is_ascii_digit() {
            return Some((number?, &text[place..]));
        }
        let digit = u64::from(byte - b'0');
        number = Some(number.unwrap_or(0).checked_mul(10)?.checked_add(digit)?);
    }
    Some((number?, &[]))
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Latencies {
    type Err = NoLatencies;

    fn from_str(text: &str) -> Result<Latencies, NoLatencies> {
        let mut all: u64 = 0;
        for bucket in Buckets::of(text) {
            let (_, count) = bucket?;
            all = all.checked_add(count).ok_or(NoLatencies::Overflow)?;
        }
        if all == 0 {
            return Err(NoLatencies::Empty);
        }
        Ok(Latencies { text: text.into(), count: all })
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
    fn several_are_one_by_their_counts() {
        let parts = ["5x3 2", "7x90 93", "5 95x4"].map(|part| part.parse().unwrap());
        let all = Latencies::together(&parts).unwrap();
        assert_eq!(all.to_string(), "5x4 2x91 93x5");
        assert_eq!(all.at_share(0.5), 7);
        assert_eq!(Latencies::together(&[]), Err(NoLatencies::Empty));
        let many: Latencies = format!("5x{}", u64::MAX).parse().unwrap();
        assert_eq!(Latencies::together(&[parts[0].clone(), many]), Err(NoLatencies::Overflow));
    }

    #[test]
    fn what_is_no_histogram_is_refused() {
        let refused = |text: &str| text.parse::<Latencies>().unwrap_err();
        assert_eq!(refused(""), NoLatencies::Empty);
        assert_eq!(refused("5 0"), NoLatencies::Order);
        assert_eq!(refused("5x0"), NoLatencies::Order);
        assert_eq!(refused("1 18446744073709551615"), NoLatencies::Overflow);
        assert_eq!(refused("1x2 1x18446744073709551615"), NoLatencies::Overflow);
        for bucket in ["x", "5x", "-1", "1.5", "HISTFAAA", "18446744073709551616", "5x3x2"] {
            assert_eq!(refused(bucket), NoLatencies::Bucket(bucket.to_owned()));
            assert_eq!(refused(&format!("5 {bucket} 7")), NoLatencies::Bucket(bucket.to_owned()));
        }
        assert_eq!(refused("5  7"), NoLatencies::Bucket(String::new()));
        assert_eq!(refused("5 "), NoLatencies::Bucket("5".to_owned()));
        assert_eq!(Latencies::of([(5, 1), (4, 1)]), Err(NoLatencies::Order));
        assert_eq!(Latencies::of([(5, 1), (6, 0)]), Err(NoLatencies::Order));
    }

    proptest::proptest! {
        #[test]
        fn text_keeps_every_bucket(
            buckets in proptest::collection::btree_map(0_u64..1 << 60, 1_u64..1000, 1..50),
        ) {
            let latencies: Latencies =
                Latencies::of(buckets.clone()).unwrap().to_string().parse().unwrap();
            proptest::prop_assert!(latencies.buckets().eq(buckets));
        }
    }
}
