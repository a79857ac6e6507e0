//! Queues without a runtime: the same requests in a simulation, where nothing costs any
//! time but the requests themselves. So long they wait for each other at least.

use std::time::Duration;

use harness::Measurement;

use super::connection::Served;
use super::requests::{Arrivals, Requests};
use super::visit::measurement;
use super::workers::WORKERS;

/// Of so many requests.
const REQUESTS: usize = 200_000;

/// Who serves a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Queues {
    /// The worker that its connection belongs to, any of them with the same chance.
    OneEach,
    /// The worker that is free first.
    OneForAll,
}

impl Queues {
    /// The value of the parameter `queues`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Queues::OneEach => "one for each",
            Queues::OneForAll => "one for all",
        }
    }
}

/// How long requests wait that take this share of the workers' time.
pub(super) fn take(
    queues: Queues,
    requests: Requests,
    share: f64,
) -> Measurement {
    let mut free = [Duration::ZERO; WORKERS];
    let mut last = Duration::ZERO;
    let mut serve = |due: Duration| {
        let worker = match queues {
            Queues::OneEach => &mut free[fastrand::usize(..WORKERS)],
            Queues::OneForAll => {
                free.iter_mut().min().expect("there is a worker")
            }
        };
        let (begun, worked) = (due.max(*worker), requests.draw());
        *worker = begun + worked;
        last = due;
        Served { waited: begun - due, took: *worker - due, worked }
    };
    let arrivals = Arrivals::of(share).take(REQUESTS);
    let served: Vec<Served> = arrivals.map(&mut serve).collect();
    measurement(&served, last, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean wait, in nanoseconds: the first of the figures that windows tell.
    fn mean_wait(queues: Queues, requests: Requests) -> f64 {
        take(queues, requests, 0.5).also[0]
    }

    /// At half of a worker's time, the formula of Pollaczek and Khinchin gives half of
    /// the mean time if all take as long, and (1 + C²) times that if they don't.
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
}
