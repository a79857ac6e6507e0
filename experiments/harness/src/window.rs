//! The results of serving requests, or of generating load, during a window of
//! time.

use std::time::Duration;

use hdrhistogram::Histogram;
use measurement::Window;

use crate::protocol::Found;

/// The results of a measurement window. They belong to a benchmark created by
/// [`crate::Cell::window`]. All windows of a cell have the same optional
/// fields.
#[derive(Debug, Clone, Default)]
pub struct Measurement {
    /// The number of requests with the right answer.
    pub answered: u64,
    /// The time in which requests were answered, without set-up and warm-up.
    pub elapsed: Duration,
    /// The number of failed requests, including those with a wrong answer.
    pub errors: u64,
    /// The rate at which requests were due, per second, if they were sent at
    /// given times (an open loop).
    pub offered: Option<f64>,
    /// The number of requests that were sent later than they were due.
    pub late: Option<u64>,
    /// A histogram of the latencies in nanoseconds. The latency of a request
    /// is the time from when it was due until it was answered.
    pub latencies: Option<Histogram<u64>>,
    /// A figure for each quantity that the cell names by
    /// [`crate::Cell::also`], in the unit of the quantity: for example, the
    /// CPU time per request.
    pub also: Vec<f64>,
}

/// The percentiles of latency that are reported, each with the name of its
/// quantity and its share of requests.
pub(crate) const PERCENTILES: [(&str, f64); 4] = [
    ("latency p50", 0.5),
    ("latency p99", 0.99),
    ("latency p99.9", 0.999),
    ("latency max", 1.0),
];

/// Returns the result of a measurement. Its figures are the throughput, then
/// the additional quantities, then percentiles of latency if there is a
/// histogram.
pub(crate) fn found(measured: Measurement) -> Result<Found, String> {
    let Measurement { answered, elapsed, errors, offered, late, .. } = measured;
    if answered == 0 || elapsed.is_zero() {
        return Err(format!(
            "{answered} requests were answered in {elapsed:?}, {errors} failed"
        ));
    }
    let is_rate = |rate: &f64| rate.is_finite() && *rate > 0.0;
    if let Some(offered) = offered.filter(|rate| !is_rate(rate)) {
        return Err(format!("{offered} requests a second were offered"));
    }
    let latencies = measured.latencies.as_ref();
    if latencies.is_some_and(Histogram::is_empty) {
        return Err("a histogram holds at least one latency".to_owned());
    }
    let achieved = answered as f64 / elapsed.as_secs_f64();
    let percentiles = latencies.into_iter().flat_map(|latencies| {
        PERCENTILES.map(|(_, share)| latencies.value_at_quantile(share) as f64)
    });
    let also = measured.also.into_iter();
    Ok(Found {
        figures: [achieved]
            .into_iter()
            .chain(also)
            .chain(percentiles)
            .collect(),
        window: Some(Window {
            achieved: vec![achieved],
            errors: vec![errors],
            offered: Vec::from_iter(offered),
            late: Vec::from_iter(late),
        }),
        latencies: latencies.map(buckets).unwrap_or_default(),
        ..Found::default()
    })
}

/// Returns whether `reason` says that a measurement window failed only
/// because no request was answered in it.
pub(crate) fn is_too_short(reason: &str) -> bool {
    reason.starts_with("0 requests were answered in ")
        && reason.ends_with(", 0 failed")
}

/// Returns the non-empty buckets of a histogram, each as its largest value in
/// nanoseconds and its number of latencies. The histogram reports this value
/// as a percentile.
pub(crate) fn buckets(histogram: &Histogram<u64>) -> Vec<(u64, u64)> {
    let buckets = histogram.iter_recorded().map(|bucket| {
        let value = histogram.highest_equivalent(bucket.value_iterated_to());
        (value, bucket.count_at_value())
    });
    buckets.collect()
}

/// Merges the buckets of several histograms into one histogram.
pub(crate) fn of_buckets<'a>(
    buckets: impl Iterator<Item = &'a (u64, u64)>,
) -> Histogram<u64> {
    let mut all = Histogram::new(3).expect("three digits are allowed");
    for (value, count) in buckets {
        all.record_n(*value, *count).expect("it grows");
    }
    all
}

/// Combines the counts of several windows of time, in their order. `None` if
/// the measurements had no windows.
pub(crate) fn together<'a>(
    visits: impl Iterator<Item = &'a Found>,
) -> Result<Option<Window>, String> {
    let (mut all, mut histograms) = (Window::default(), 0);
    for found in visits {
        let Some(window) = &found.window else { continue };
        all.achieved.extend(&window.achieved);
        all.errors.extend(&window.errors);
        all.offered.extend(&window.offered);
        all.late.extend(&window.late);
        histograms += usize::from(!found.latencies.is_empty());
    }
    let visits = all.achieved.len();
    for (part, counted) in [
        ("latencies", histograms),
        ("an offered rate", all.offered.len()),
        ("late requests", all.late.len()),
    ] {
        if counted != 0 && counted != visits {
            return Err(format!(
                "only {counted} of {visits} visits counted {part}"
            ));
        }
    }
    Ok((visits > 0).then_some(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_have_the_percentiles_of_the_histogram_that_they_are_of() {
        let mut rng = fastrand::Rng::with_seed(14);
        for count in [1, 7, 1_000, 100_000] {
            let mut taken = Histogram::<u64>::new(3).expect("three digits");
            for _ in 0..count {
                let order = rng.u32(0..35);
                taken.record(rng.u64(0..2 << order)).expect("it grows");
            }
            let kept = of_buckets(buckets(&taken).iter());
            for share in [0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0] {
                let expected = taken.value_at_quantile(share);
                let found = kept.value_at_quantile(share);
                assert_eq!(found, expected, "{count} {share}");
            }
        }
    }

    #[test]
    fn what_is_no_throughput_is_refused() {
        let answered = || Measurement {
            answered: 10,
            elapsed: Duration::from_secs(2),
            also: vec![7.0],
            ..Measurement::default()
        };
        assert_eq!(found(answered()).unwrap().figures, [5.0, 7.0]);
        let latencies = Some(Histogram::new(3).expect("three digits"));
        for refused in [
            Measurement { answered: 0, ..answered() },
            Measurement { elapsed: Duration::ZERO, ..answered() },
            Measurement { offered: Some(f64::NAN), ..answered() },
            Measurement { latencies, ..answered() },
        ] {
            assert!(found(refused.clone()).is_err(), "{refused:?}");
        }
    }
}
