//! Computes the results of a measurement from the requests that were served.

use std::ops::Range;
use std::time::{Duration, Instant};

use harness::Measurement;
use hdrhistogram::Histogram;
use measurement::Source;

use super::connection::Served;
use super::formula;
use super::workers::WORKERS;

/// The results reported in addition to throughput and latencies, in the order
/// in which [`account`] returns them.
pub(super) const ALSO: [(&str, Source); 5] = [
    // The waiting time lasts from when a request is due until its task begins
    // to serve it.
    ("waiting time mean", Source::Harness),
    // The time per request lasts from when a task begins to serve the request
    // until it has finished, including any time during which the worker is
    // interrupted.
    ("time per request", Source::Harness),
    // The utilisation is the share of the window that a worker spends serving
    // requests, averaged over all workers.
    ("utilisation", Source::Harness),
    // The predicted waiting time is computed from the two previous results,
    // for one queue per worker.
    ("waiting time predicted", Source::Harness),
    // The lateness is the delay between the time when a request is due and
    // the time when the generator starts on it.
    ("lateness of the generator", Source::Harness),
];

/// The maximum utilisation for the formula, which holds only for stable
/// queues. Workers that are always busy would exceed it.
const STEADY: f64 = 0.999;

/// Returns the results for the requests that were due in the window, and how
/// busy the workers were in it. The time for the throughput ends with the
/// last answer, as with a load generator: a runtime that can't keep up
/// answers fewer requests per second than were offered. `late` is the
/// lateness of the generator, in nanoseconds.
pub(super) fn account(
    served: &[Served],
    window: &Range<Instant>,
    late: f64,
) -> Measurement {
    let due: Vec<&Served> =
        served.iter().filter(|request| window.contains(&request.due)).collect();
    let mut latencies = Histogram::new(3).expect("three digits are allowed");
    for request in &due {
        latencies += (request.done - request.due).as_nanos() as u64;
    }
    let waits = due.iter().map(|request| request.begun - request.due);
    let times = due.iter().map(|request| request.done - request.begun);
    let times: Vec<f64> = times.map(nanoseconds).collect();

    let length = window.end - window.start;
    let last = due.iter().map(|request| request.done).max();
    let end = last.map_or(window.end, |last| last.max(window.end));
    let at_it: Duration = served.iter().map(|one| within(one, window)).sum();
    let utilisation = at_it.div_duration_f64(length) / WORKERS as f64;
    let also = [
        mean(waits.map(nanoseconds)),
        mean(times.iter().copied()),
        utilisation,
        formula::mean_wait(&times, utilisation.min(STEADY)),
        late,
    ];
    Measurement {
        answered: due.len() as u64,
        elapsed: end - window.start,
        offered: Some(due.len() as f64 / length.as_secs_f64()),
        latencies: Some(latencies),
        also: also.to_vec(),
        ..Measurement::default()
    }
}

/// Returns the part of the request's service time that lies within the
/// window.
fn within(request: &Served, window: &Range<Instant>) -> Duration {
    let begun = request.begun.max(window.start);
    request.done.min(window.end).saturating_duration_since(begun)
}

pub(super) fn nanoseconds(duration: Duration) -> f64 {
    duration.as_nanos() as f64
}

pub(super) fn mean(figures: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = figures.len() as f64;
    figures.sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the results for a window of one second. `served` lists three
    /// times per request, in milliseconds since the start of the window: when
    /// it was due, begun and finished.
    fn account_of(served: &[[i64; 3]]) -> Measurement {
        let start = Instant::now() + Duration::from_secs(60);
        let at = |ms: i64| match u64::try_from(ms) {
            Ok(after) => start + Duration::from_millis(after),
            Err(_) => start - Duration::from_millis(ms.unsigned_abs()),
        };
        let served = served.iter().map(|times| {
            let [due, begun, done] = times.map(at);
            Served { due, begun, done }
        });
        account(&served.collect::<Vec<_>>(), &(at(0)..at(1000)), 7.0)
    }

    #[test]
    fn the_last_answer_ends_the_time_of_the_throughput() {
        let served = [
            [-300, -200, 100], // in the lead-in
            [0, 100, 500],
            [900, 1000, 1300],
        ];
        let found = account_of(&served);
        assert_eq!(found.answered, 2);
        assert_eq!(found.elapsed, Duration::from_millis(1300));
        assert_eq!(found.offered, Some(2.0));
        assert_eq!(found.latencies.map(|all| all.len()), Some(2));
        let kept_up = account_of(&served[..2]);
        assert_eq!(kept_up.elapsed, Duration::from_secs(1));
    }

    #[test]
    fn a_worker_that_never_rests_has_figures_too() {
        let found =
            account_of(&[[-10, -5, 1200], [-10, -5, 1200], [0, 1200, 1300]]);
        assert_eq!(found.also[2], 1.0);
        assert!(found.also.iter().all(|figure| figure.is_finite()));
    }

    #[test]
    fn waits_and_times_are_of_what_is_due_in_the_window_and_its_utilisation_of_all(
    ) {
        let found =
            account_of(&[[-300, -200, 200], [0, 100, 500], [800, 800, 1200]]);
        let [waited, took, utilisation, predicted, late] = found.also[..]
        else {
            panic!("{:?}", found.also)
        };
        assert_eq!([waited, took, late], [50e6, 400e6, 7.0]);
        // The workers serve for 200, 400 and 200 of 2,000 milliseconds.
        assert!((utilisation - 0.4).abs() < 1e-12, "{utilisation}");
        let expected = 400e6 * 0.4 / 0.6 / 2.0;
        assert!((predicted / expected - 1.0).abs() < 1e-9, "{predicted}");
    }
}
