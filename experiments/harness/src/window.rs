//! What a server or a load does in a window of time.

use std::time::Duration;

use hdrhistogram::Histogram;
use measurement::{Latencies, Source, Window};
use serde::{Deserialize, Serialize};

/// What was counted in a window of time by a cell of [`crate::Cell::window`].
/// Those of one cell all have the same parts.
#[derive(Debug, Clone, Default)]
pub struct Measurement {
    /// Requests that got the right answer.
    pub answered: u64,
    /// The time in which they got it, without set-up and warm-up.
    pub elapsed: Duration,
    /// Requests that failed, among them those that got a wrong answer.
    pub errors: u64,
    /// Requests a second that were to be made, in an open loop.
    pub offered: Option<f64>,
    /// Requests that were made later than they were to be.
    pub late: Option<u64>,
    /// Nanoseconds from when each request was to be made to its answer.
    pub latencies: Option<Histogram<u64>>,
    /// A figure for each quantity that the cell names by [`crate::Cell::also`], in
    /// its unit: the CPU time that a request took, say.
    pub also: Vec<f64>,
}

/// The same, as the child says it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WindowCounts {
    /// Requests answered a second.
    achieved: f64,
    errors: u64,
    offered: Option<f64>,
    late: Option<u64>,
    also: Vec<f64>,
    latencies: Option<Latencies>,
}

/// The percentiles that have rows, by quantity and share.
pub(crate) const PERCENTILES: [(&str, f64); 4] = [
    ("latency p50", 0.5),
    ("latency p99", 0.99),
    ("latency p99.9", 0.999),
    ("latency max", 1.0),
];

/// What a window's rows are of: its throughput, what the cell names, then
/// percentiles of latency, which not every window has.
pub(crate) fn quantities(
    also: &[(String, Source)],
) -> impl Iterator<Item = (&str, Source)> {
    let percentiles = PERCENTILES.map(|(name, _)| (name, Source::Histogram));
    std::iter::once(("throughput", Source::Harness))
        .chain(also.iter().map(|(name, source)| (&**name, *source)))
        .chain(percentiles)
}

impl Measurement {
    /// What it says of `named` further quantities and of the others.
    ///
    /// # Errors
    ///
    /// If it cannot be true, or makes no throughput.
    pub(crate) fn counts(self, named: usize) -> Result<WindowCounts, String> {
        let Measurement { answered, elapsed, errors, offered, late, .. } = self;
        if answered == 0 || elapsed.is_zero() {
            return Err(format!(
                "{answered} requests were answered in {elapsed:?}, {errors} failed"
            ));
        }
        let is_rate = |rate: &f64| rate.is_finite() && *rate > 0.0;
        if let Some(offered) = offered.filter(|rate| !is_rate(rate)) {
            return Err(format!("{offered} requests a second were offered"));
        }
        let also = self.also;
        if also.len() != named || !also.iter().all(|figure| figure.is_finite())
        {
            return Err(format!("{also:?} are not {named} figures"));
        }
        let latencies = self.latencies.as_ref().map(buckets).transpose()?;
        let achieved = answered as f64 / elapsed.as_secs_f64();
        Ok(WindowCounts { achieved, errors, offered, late, also, latencies })
    }
}

/// A histogram's buckets that hold any latency.
fn buckets(histogram: &Histogram<u64>) -> Result<Latencies, String> {
    let buckets = histogram.iter_recorded().map(|bucket| {
        let value = histogram.highest_equivalent(bucket.value_iterated_to());
        (value, bucket.count_at_value())
    });
    Latencies::of(buckets).map_err(|error| error.to_string())
}

impl WindowCounts {
    pub(crate) fn has_latencies(&self) -> bool {
        self.latencies.is_some()
    }

    /// One figure for each of [`quantities`]; without a histogram, those before the
    /// percentiles.
    pub(crate) fn figures(&self) -> Vec<f64> {
        let latencies = self.latencies.iter().flat_map(|latencies| {
            PERCENTILES.map(|(_, share)| latencies.at_share(share) as f64)
        });
        std::iter::once(self.achieved)
            .chain(self.also.iter().copied())
            .chain(latencies)
            .collect()
    }
}

/// What the visits of a cell counted, in this order.
///
/// # Errors
///
/// If one counted what another did not.
pub(crate) fn together(counts: &[&WindowCounts]) -> Result<Window, String> {
    let window = Window {
        histogram: counts.iter().filter_map(|c| c.latencies.clone()).collect(),
        offered: counts.iter().filter_map(|c| c.offered).collect(),
        achieved: counts.iter().map(|c| c.achieved).collect(),
        errors: counts.iter().map(|c| c.errors).collect(),
        late: counts.iter().filter_map(|c| c.late).collect(),
    };
    for (part, len) in [
        ("latencies", window.histogram.len()),
        ("an offered rate", window.offered.len()),
        ("late requests", window.late.len()),
    ] {
        if len != 0 && len != counts.len() {
            let of = counts.len();
            return Err(format!("only {len} of {of} visits counted {part}"));
        }
    }
    Ok(window)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_in_a_row_has_the_percentiles_of_the_one_that_was_taken() {
        let mut rng = fastrand::Rng::with_seed(14);
        for count in [1, 7, 1_000, 100_000] {
            let mut taken = Histogram::<u64>::new(3).expect("three digits");
            for _ in 0..count {
                let order = rng.u32(0..35);
                taken.record(rng.u64(0..2 << order)).expect("it grows");
            }
            let text = buckets(&taken).expect("it holds some").to_string();
            let kept: Latencies = text.parse().expect("it is a histogram");
            for share in [0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0] {
                let expected = taken.value_at_quantile(share);
                assert_eq!(kept.at_share(share), expected, "{count} {share}");
            }
        }
    }

    #[test]
    fn what_is_no_throughput_is_refused() {
        let answered = Measurement {
            answered: 10,
            elapsed: Duration::from_secs(2),
            ..Measurement::default()
        };
        let refused = |measurement: Measurement| measurement.counts(0).is_err();
        assert_eq!(answered.clone().counts(0).unwrap().figures(), [5.0]);
        let also = vec![7.0];
        let with_more = Measurement { also, ..answered.clone() };
        assert_eq!(with_more.clone().counts(1).unwrap().figures(), [5.0, 7.0]);
        assert!(refused(with_more));
        let also = vec![f64::NAN];
        assert!(refused(Measurement { also, ..answered.clone() }));
        assert!(refused(Measurement { answered: 0, ..answered.clone() }));
        let no_time = Duration::ZERO;
        assert!(refused(Measurement { elapsed: no_time, ..answered.clone() }));
        let offered = Some(f64::NAN);
        assert!(refused(Measurement { offered, ..answered.clone() }));
        let latencies = Some(Histogram::new(3).expect("three digits"));
        assert!(refused(Measurement { latencies, ..answered }));
    }
}
