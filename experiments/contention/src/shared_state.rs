//! Experiment `shared-state`: the cost of cloning an `Arc` of the application
//! state for every request handler.
//!
//! A worker on each core serves requests. Time per request: from the first
//! worker's start to the last one's end, divided by the requests per worker.

use std::sync::Arc;
use std::time::Duration;

use harness::work::{rounds_in, work};
use harness::{Body, Cell, Experiment};

use crate::listings::shared_state::{arc_of_all, arc_of_each, borrowed};
use crate::threads::Threads;

/// The work per request in addition to the clone, and the number of requests
/// per worker in one operation of the benchmark. The number is large enough
/// to make differences between the start times of workers negligible.
const WORK: [(Duration, u64); 2] =
    [(Duration::ZERO, 100_000), (Duration::from_micros(1), 2_000)];

pub(crate) fn experiment() -> Experiment {
    let all =
        WORK.into_iter().flat_map(|of| cells(Threads::on_all_cores(), of));
    let one = WORK.into_iter().flat_map(|of| cells(Threads::alone(), of));
    Experiment::new("shared-state", "time per request", "reference")
        .cells(all)
        .cells(one.map(Cell::full_only))
}

fn cells(workers: Threads, (time, requests): (Duration, u64)) -> [Cell; 3] {
    let cell = |contender: &str, body| {
        Cell::new(contender, workers.count as u64 * requests, body)
            .per(requests)
            .parameter("work_ns", time.as_nanos() as i64)
            .parameter("cores", workers.cores())
            .placement(workers.placement)
            .in_sweep()
    };
    [
        cell("Arc", cloned_by_all(workers, time, requests)),
        cell("Arc of each worker", cloned_by_each(workers, time, requests)),
        cell("reference", lent(workers, time, requests)),
    ]
}

/// Measures handlers that all clone the same `Arc`. Each handler reads the
/// value 1, so the result is the number of requests.
fn cloned_by_all(workers: Threads, time: Duration, requests: u64) -> Body {
    workers.together(move || {
        let state = Arc::new(arc_of_all::State { number: 1 });
        let rounds = rounds_in(time);
        let serve = move |_: usize| {
            arc_of_all::serve(&state, requests, || work(rounds))
        };
        (serve, |sum| sum)
    })
}

fn cloned_by_each(workers: Threads, time: Duration, requests: u64) -> Body {
    workers.together(move || {
        let state = Arc::new(arc_of_each::State { number: 1 });
        let own = |_| Arc::new(arc_of_each::OfWorker(Arc::clone(&state)));
        let own: Vec<_> = (0..workers.count).map(own).collect();
        let rounds = rounds_in(time);
        let serve = move |place: usize| {
            arc_of_each::serve(&own[place], requests, || work(rounds))
        };
        (serve, |sum| sum)
    })
}

fn lent(workers: Threads, time: Duration, requests: u64) -> Body {
    workers.together(move || {
        let state = borrowed::State { number: 1 };
        let rounds = rounds_in(time);
        let serve =
            move |_: usize| borrowed::serve(&state, requests, || work(rounds));
        (serve, |sum| sum)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_share_no_cache_line_with_what_is_read() {
        let state = Arc::new(arc_of_all::State { number: 1 });
        let (one, other) =
            (state.clone(), Arc::new(arc_of_all::State { number: 1 }));
        assert!(Arc::as_ptr(&one).addr().is_multiple_of(128));
        // An `Arc` stores both reference counts in front of the value. Here,
        // the counts and the value are on separate cache lines.
        assert!(
            Arc::as_ptr(&one).addr().abs_diff(Arc::as_ptr(&other).addr())
                >= 256
        );
    }
}
