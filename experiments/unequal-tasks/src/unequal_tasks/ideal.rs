//! Simulates queues without a runtime, so that only requests take time. The
//! result is the minimum time that requests have to wait for each other.

use std::time::Duration;

use hdrhistogram::Histogram;

use super::requests::{Arrivals, Requests};
use super::workers::WORKERS;

const REQUESTS: u32 = 500_000;

/// The results of a simulation, in the order in which [`take`] returns them.
pub(super) const QUANTITIES: [&str; 3] =
    ["waiting time mean", "latency p50", "latency p99"];

/// The rule by which a worker is chosen for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Queues {
    /// A request is served by the worker of its connection, and the
    /// connection is chosen at random.
    OneEach,
    /// A request is served by the worker that is free first.
    OneForAll,
}

impl Queues {
    pub(super) fn name(self) -> &'static str {
        match self {
            Queues::OneEach => "one for each",
            Queues::OneForAll => "one for all",
        }
    }
}

/// Simulates requests, and returns one result for each of the [`QUANTITIES`].
/// `share` is the part of the workers' time that requests take.
pub(super) fn take(
    queues: Queues,
    requests: Requests,
    share: f64,
) -> [f64; QUANTITIES.len()] {
    let mut free = [Duration::ZERO; WORKERS];
    let mut waited = Duration::ZERO;
    let mut latencies =
        Histogram::<u64>::new(3).expect("three digits are allowed");
    for due in Arrivals::of(share).take(REQUESTS as usize) {
        let worker = match queues {
            Queues::OneEach => &mut free[fastrand::usize(..WORKERS)],
            Queues::OneForAll => {
                free.iter_mut().min().expect("there is a worker")
            }
        };
        let begun = due.max(*worker);
        *worker = begun + requests.draw();
        waited += begun - due;
        latencies += (*worker - due).as_nanos() as u64;
    }
    let mean_wait = waited.as_nanos() as f64 / f64::from(REQUESTS);
    let percentile = |share| latencies.value_at_quantile(share) as f64;
    [mean_wait, percentile(0.5), percentile(0.99)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the mean wait in nanoseconds at a utilisation of one half.
    fn mean_wait(queues: Queues, requests: Requests) -> f64 {
        let [mean_wait, ..] = take(queues, requests, 0.5);
        mean_wait
    }

    /// At a utilisation of one half, the Pollaczek-Khinchine formula gives
    /// half of the mean request time if all requests take equally long. If
    /// they don't, it gives (1 + C²) times as much.
    #[test]
    fn a_queue_for_each_waits_as_the_formula_says() {
        let equal = mean_wait(Queues::OneEach, Requests::Equal);
        assert!((equal / 59_000.0 - 1.0).abs() < 0.1, "{equal}");
        let unequal = mean_wait(Queues::OneEach, Requests::Unequal);
        assert!((unequal / 425_300.0 - 1.0).abs() < 0.2, "{unequal}");
    }

    #[test]
    fn one_queue_for_all_makes_requests_wait_less_than_half_as_long() {
        for requests in [Requests::Equal, Requests::Unequal] {
            let each = mean_wait(Queues::OneEach, requests);
            let all = mean_wait(Queues::OneForAll, requests);
            assert!(all < 0.5 * each, "{all} and {each}");
        }
    }

    #[test]
    fn no_request_is_done_before_it_has_been_computed() {
        let [_, median, slowest] =
            take(Queues::OneForAll, Requests::Equal, 0.5);
        assert!(118_000.0 <= median && median < slowest, "{median}, {slowest}");
    }
}
