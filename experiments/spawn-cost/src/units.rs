//! Experiment `units`: create, run and collect N units that return their id.

use harness::{Body, Cell, Executor, Experiment};

use crate::{rayon, std_thread, tokio_as_published, tokio_multi_thread};

/// How many units at once.
const COUNTS: [u64; 3] = [100, 1_000, 10_000];

/// The count at which the published measurement was made.
const PUBLISHED: u64 = 1_000;

/// Ten thousand threads at once are for machines that allow them.
const MOST_THREADS: u64 = 1_000;

pub(crate) fn experiment() -> Experiment {
    let threads = COUNTS
        .into_iter()
        .filter(|&units| units <= MOST_THREADS)
        .map(|units| {
            cell(
                "std::thread",
                units,
                Body::here(move || {
                    move || std_thread::create_and_collect(units)
                }),
            )
        });
    let rayon = COUNTS.into_iter().map(|units| {
        let operation = move || rayon::create_and_collect(units);
        cell("rayon", units, Body::inside(on_a_rayon_worker, operation))
    });
    let tokio = COUNTS.into_iter().map(|units| {
        let operation = move || tokio_multi_thread::create_and_collect(units);
        let body = Body::task(Executor::TokioMultiThread, operation);
        cell("tokio multi-thread", units, body)
    });
    Experiment::new("units", "time per unit", "std::thread")
        .cells(threads)
        .cells(rayon)
        .cells(tokio)
        .cell(rayon_from_outside())
        .cells(as_published())
}

fn cell(contender: &str, units: u64, body: Body) -> Cell {
    Cell::new(contender, sum_of_ids(units), body)
        .per(units)
        .parameter("units", units as i64)
        .parameter("arm", "ours")
}

/// As tasks are spawned from a worker, so are jobs.
fn on_a_rayon_worker(batch: &mut (dyn FnMut() + Send)) {
    ::rayon::scope(|_| batch());
}

/// The same jobs, each batch of units handed to the pool by a thread that is
/// not in it and waits: shown where there are fewest to share the price of that.
fn rayon_from_outside() -> Cell {
    let units = COUNTS[0];
    let operation = move || rayon::create_and_collect(units);
    cell("rayon", units, Body::here(move || operation))
        .parameter("arm", "from outside")
}

/// `spawning.spawn-overhead` as it was published: threads are made and joined as
/// in ours, tasks in a `JoinSet` from the thread of `block_on`.
fn as_published() -> [Cell; 2] {
    let units = PUBLISHED;
    let threads =
        Body::here(move || move || std_thread::create_and_collect(units));
    let tasks = Body::here(move || {
        let runtime = tokio_as_published::runtime();
        move || tokio_as_published::create_and_collect(&runtime, units)
    });
    [
        cell("std::thread", units, threads).parameter("arm", "as published"),
        cell("tokio multi-thread", units, tasks)
            .parameter("arm", "as published"),
    ]
}

/// What every contender has to return: 0 + 1 + ... + (units - 1).
fn sum_of_ids(units: u64) -> u64 {
    units * (units - 1) / 2
}
